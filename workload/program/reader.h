/* What reads a program's list, while it does: between read.c, reader.c,
 * read_call.c and read_experts.c. */
#ifndef ORR_WORKLOAD_PROGRAM_READER_H
#define ORR_WORKLOAD_PROGRAM_READER_H

#include "core/config/config.h"
#include "core/names.h"
#include "topo/graph.h"
#include "workload/program/call_read.h"
#include "workload/program/experts.h"
#include "workload/program/keys.h"
#include "workload/program/limits.h"
#include "workload/program/program.h"

/* An operation waits for one of another iteration. Names are looked up when
 * all items are read. */
struct orr_crossing_name {
    const struct orr_yaml *node; /* NAME@-1 */
    uint32_t op;                 /* that waits */
    int32_t distance;            /* iterations earlier; below 0: later */
};

/* A dispatch of tokens to experts, for those that combine them. */
struct orr_dispatch {
    uint32_t op, number; /* its last operation; among dispatches */
    uint32_t who, group; /* as in struct orr_op and struct orr_call */
    uint32_t every;      /* iterations until it is drawn anew; 0: never */
    uint64_t hidden;     /* elements of a token */
    struct orr_experts e;
};

/* A program while it is read. */
struct orr_program_reader {
    struct orr_config *c;
    const struct orr_graph *graph;
    const uint32_t *hosts;
    const struct orr_program_limits *reach;
    struct orr_program *p;
    struct orr_report *why;
    struct orr_names names; /* of the operations that have an id */
    struct orr_crossing_name *crossing;
    uint32_t crossings, crossing_room; /* of `crossing`, which is owned */
    struct orr_dispatch *dispatch;     /* owned */
    uint32_t dispatches, dispatch_room;
};

/* What stands beside an item's operation. before: the operations it waits for,
 * already resolved. */
struct orr_item {
    const struct orr_yaml *node, *key, *body;
    const char *verb;
    const struct orr_yaml *ranks;
    uint32_t who;
    uint32_t *before;
    size_t n_before;
    struct orr_crossing_name *across; /* `op` is not known yet */
    uint32_t n_across, across_room;
};

/* Adds an operation that waits for what the item waits for. */
ORR_CHECK_RESULT orr_err orr__reader_add(struct orr_program_reader *r,
                                         const struct orr_item *it,
                                         const struct orr_op *op, uint32_t *id);
/* No empty list, no rank that is not there or twice; at the place of the first
 * wrong one. */
ORR_CHECK_RESULT orr_err orr__reader_ranks(struct orr_program_reader *r,
                                           const struct orr_yaml *node,
                                           const char *what,
                                           const struct orr_ints *list);
/* Messages that cannot be are refused where their size stands. */
ORR_CHECK_RESULT orr_err orr__reader_reach(struct orr_program_reader *r,
                                           const struct orr_item *it,
                                           const struct orr_op *op);
/* The ranks that take part in a call; list empty: all. who: of its operation.
 */
ORR_CHECK_RESULT orr_err orr__reader_group(struct orr_program_reader *r,
                                           const struct orr_item *it,
                                           const struct orr_ints *list,
                                           struct orr_call *call,
                                           uint32_t *who);
/* What reading a call needs. */
struct orr_call_reader orr__reader_of_call(const struct orr_program_reader *r,
                                           const struct orr_item *it);
/* Adds a call and its operation, after what the item waits for. servers: as in
 * orr__program_call. The sizes of the call are the program's then, also after a
 * failure. */
ORR_CHECK_RESULT orr_err orr__reader_add_call(struct orr_program_reader *r,
                                              const struct orr_item *it,
                                              const struct orr_call *call,
                                              const uint32_t *servers,
                                              struct orr_op *op, uint32_t *id);
/* A collective. */
ORR_CHECK_RESULT orr_err orr__read_collective(struct orr_program_reader *r,
                                              const struct orr_item *it,
                                              enum orr_collective_kind kind,
                                              uint32_t *id);
/* Tokens to their experts, and what the experts made of them back. */
ORR_CHECK_RESULT orr_err orr__read_dispatch(struct orr_program_reader *r,
                                            struct orr_item *it, uint32_t *id);
ORR_CHECK_RESULT orr_err orr__read_combine(struct orr_program_reader *r,
                                           struct orr_item *it, uint32_t *id);

#endif
