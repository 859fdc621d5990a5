/* One Chakra execution trace: a stream of messages, each behind its length,
 * read one at a time. */
#ifndef ORR_FORMATS_CHAKRA_FILE_H
#define ORR_FORMATS_CHAKRA_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "core/error.h"
#include "core/memory.h"
#include "core/none.h"
#include "core/units.h"

enum orr_chakra_type {
    ORR_CHAKRA_INVALID,
    ORR_CHAKRA_METADATA,
    ORR_CHAKRA_MEM_LOAD,
    ORR_CHAKRA_MEM_STORE,
    ORR_CHAKRA_COMP,
    ORR_CHAKRA_SEND,
    ORR_CHAKRA_RECV,
    ORR_CHAKRA_COLL,
    ORR_CHAKRA_TYPES
};
enum {
    ORR_CHAKRA_ALL_REDUCE,
    ORR_CHAKRA_REDUCE,
    ORR_CHAKRA_ALL_GATHER,
    ORR_CHAKRA_GATHER,
    ORR_CHAKRA_SCATTER,
    ORR_CHAKRA_BROADCAST,
    ORR_CHAKRA_ALL_TO_ALL,
    ORR_CHAKRA_REDUCE_SCATTER,
    ORR_CHAKRA_REDUCE_SCATTER_BLOCK,
    ORR_CHAKRA_BARRIER,
    ORR_CHAKRA_COMM_TYPES
};

/* A node, as far as anybody asks; what the file does not say is 0. */
struct orr_chakra_node {
    uint64_t id;          /* as the file has it; unique */
    uint64_t duration_us; /* that it took where it was recorded */
    uint64_t duration_ps; /* what orrery writes beside it; 0: nothing */
    uint64_t size;        /* comm_size */
    uint64_t ops, tensor; /* num_ops, tensor_size */
    uint32_t stream;      /* what orrery writes beside a computation */
    uint32_t peer;        /* comm_src of a recv, comm_dst of a send */
    uint32_t tag, root;
    uint32_t group;    /* index of pg_name in text[], or ORR_NONE */
    uint32_t involved; /* bit d: dimension d takes part */
    int32_t priority;  /* comm_priority */
    uint8_t type;      /* enum orr_chakra_type */
    int8_t comm;       /* comm_type, -1: none */
    bool cpu;          /* is_cpu_op */
    bool joins;        /* of orrery's: it joins what it depends on */
    bool sized;        /* comm_size is there */
};

/* The attribute in which orrery keeps those that wait for nodes of earlier
 * iterations: "7@1 9@2". */
#define ORR_CHAKRA_EARLIER "after_earlier"

/* So many us in ps, at most what a run can last. */
static inline int64_t orr__chakra_ps(uint64_t us)
{
    return us < (uint64_t)(ORR_HORIZON / ORR_US) ? (int64_t)us * ORR_US
                                                 : ORR_HORIZON;
}

/* Groups that a metadata node defines: all that a name stands for. */
struct orr_chakra_group {
    const char *name;
    int64_t *rank; /* NULL: all ranks */
    size_t n;
    uint32_t group; /* of the program that is built, once it is known */
    bool known;
};

/* A trace; freed with orr__chakra_fini. */
struct orr_chakra {
    const char *file;
    struct orr_arena arena; /* of texts and groups */
    struct orr_chakra_node *node;
    uint32_t nodes, node_room;
    /* dependencies: node `after` waits for node `before` (indices) */
    struct orr_chakra_edge {
        uint32_t before, after;
    } * edge;
    uint32_t edges, edge_room;
    /* of orrery's: `after` waits for `before` so many iterations earlier, or,
     * below 0, later */
    struct orr_chakra_across {
        uint32_t before, after;
        int32_t distance;
    } * across;
    uint32_t n_across, across_room;
    /* all nodes (indices) in the order in which one who takes of the ready ones
     * the lowest number comes to them, whatever each of them takes */
    uint32_t *order;
    uint64_t missing_control; /* on nodes that are not there, left out */
    uint64_t ignored_control;
    bool versioned;
    bool own;          /* orrery wrote it: nothing waits for a unit */
    const char **text; /* different pg_names */
    uint32_t texts, text_room;
    struct orr_chakra_group *group;
    uint32_t groups, group_room;
    uint64_t critical_us, critical_nodes; /* longest chain of durations */
};

/* Whether control dependencies count. In traces of PyTorch, whose head names
 * no version, they say who called whom, and may go against those of data. */
enum orr_chakra_control {
    ORR_CHAKRA_AUTO, /* unless a head names no version */
    ORR_CHAKRA_COUNTS,
    ORR_CHAKRA_IGNORED,
};

/* Reads a file. *out is to be freed also
 * after a failure. Errors name the file and the node. */
ORR_CHECK_RESULT orr_err orr__chakra_load(const char *file,
                                          enum orr_chakra_control control,
                                          struct orr_chakra *out,
                                          struct orr_report *why);
/* The same from memory, for fuzzing. */
ORR_CHECK_RESULT orr_err orr__chakra_parse(const char *name, const void *bytes,
                                           size_t size,
                                           enum orr_chakra_control control,
                                           struct orr_chakra *out,
                                           struct orr_report *why);
void orr__chakra_fini(struct orr_chakra *c);

#endif
