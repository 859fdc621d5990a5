/* FlexFlow's task graphs as text, a task a line:
 *
 *     ID TYPE WHERE MILLISECONDS BYTES NEXT...
 *
 * WHERE is a node, FROM>TO of a transfer, or None of an all-reduce, whose NEXT
 * are the nodes that take part; of others these are the tasks that wait for it.
 * Lines that begin with # are comments. */
#ifndef ORR_FORMATS_TASK_GRAPH_H
#define ORR_FORMATS_TASK_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "core/error.h"
#include "core/none.h"

enum orr_graph_task_kind {
    ORR_TASK_COMPUTE,
    ORR_TASK_TRANSFER,
    ORR_TASK_ALL_REDUCE
};

/* A task; times in ps, sizes in bytes. */
struct orr_graph_task {
    uint64_t id, bytes;
    enum orr_graph_task_kind kind;
    uint32_t from, to; /* nodes; the same but of a transfer, ORR_NONE of an
                        * all-reduce */
    int64_t ps;        /* of a computation, and of an all-reduce's local sums */
    uint32_t next, nexts; /* its stretch of next[] */
    int line;
};

/* A word behind a task's numbers: the number of a task, or of a node. */
struct orr_graph_next {
    uint32_t number;
    int col; /* where it stands, in the task's line */
};

/* A graph without circles; freed with orr__task_graph_free. */
struct orr_task_graph {
    char *file; /* what messages call it */
    struct orr_graph_task *task;
    struct orr_graph_next *next;
    uint32_t n, nexts, nodes, all_reduces;
    uint32_t room, next_room;
};

/* Reads `length` bytes: a text, or where the file's name says so FlexFlow's own
 * flatbuffer (taskgraph.fbs), what is wrong with which has no line; of at most
 * `nodes` nodes, as a job has ranks; 0: of any number. ECONFIG at what is
 * wrong. *out is to be freed however this ends. */
ORR_CHECK_RESULT orr_err orr__task_graph_read(const char *file,
                                              const char *text, size_t length,
                                              uint32_t nodes,
                                              struct orr_task_graph *out,
                                              struct orr_report *why);
/* Whether a file's name says that it is one: NAME.fbuf. */
bool orr__task_graph_is_flat(const char *file);
void orr__task_graph_free(struct orr_task_graph *t);

/* Whether a node takes part in an all-reduce. */
bool orr__graph_task_has(const struct orr_task_graph *t,
                         const struct orr_graph_task *x, uint32_t node);

#endif
