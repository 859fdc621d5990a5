/* Programs: a graph of operations with dependencies. Ranks of a job share one
 * graph; it holds nothing about how far anyone is. One shape serves a list in
 * YAML, a training job and a trace of 100,000 nodes: plain arrays, successors
 * in CSR, nothing allocated for a single operation. */
#ifndef ORR_WORKLOAD_PROGRAM_H
#define ORR_WORKLOAD_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "core/config.h"
#include "core/error.h"
#include "topo/graph.h"
#include "workload/collective/collective.h"
#include "workload/jitter.h"

enum orr_op_kind {
    ORR_OP_WAIT,       /* joins its dependencies, takes no time */
    ORR_OP_COMPUTE,    /* keeps one of the rank's streams busy */
    ORR_OP_SEND,       /* complete when the last byte left, or is acked */
    ORR_OP_RECV,       /* complete when the last byte is there */
    ORR_OP_COLLECTIVE, /* complete when this rank's part is done */
};

/* Which ranks carry an operation out: all, one (ORR_ONLY | rank), or those of
 * a group. For the others it is complete as soon as its dependencies are. */
#define ORR_EVERYONE UINT32_MAX
#define ORR_ONLY 0x80000000u
#define ORR_NO_JITTER UINT32_MAX

struct orr_op {
    uint8_t kind;
    bool relative;   /* peer is added to the own rank, modulo ranks */
    uint16_t stream; /* compute */
    uint32_t who;
    uint32_t index;  /* compute: its jitter, or ORR_NO_JITTER: the job's;
                        collective: its call; send, recv: the tag */
    uint32_t peer;   /* send, recv */
    union {
        int64_t time_ps; /* compute */
        uint64_t bytes;  /* send; recv: what is expected, unused */
    };
};

/* Some ranks, in the order given. */
struct orr_group {
    uint32_t n;
    uint32_t *rank;
    uint32_t *sorted; /* ranks, ascending */
    uint32_t *place;  /* index in rank[] of each of sorted[] */
};

/* A collective at one place in the program. */
struct orr_call {
    struct orr_collective c;
    uint64_t bytes; /* `size`; a barrier: 1 */
    uint32_t chunks, concurrent, lanes;
    int64_t endpoint_delay_ps;
    uint64_t memory_bps; /* 0: reductions take no time */
    uint32_t group;      /* or ORR_EVERYONE */
    uint32_t op;
    uint32_t *server; /* per server: index into server_host[] */
};

struct orr_program {
    uint32_t ranks; /* of the job */
    uint32_t ops, calls, groups, jitters;
    uint32_t streams; /* 1 + the highest in use */
    struct orr_op *op;
    struct orr_call *call;
    struct orr_group *group;
    struct orr_jitter *jitter;
    uint32_t servers; /* different hosts that serve its calls */
    uint32_t *server_host;

    /* made by orr__program_finish */
    uint32_t *waits;           /* per op: how many it depends on */
    uint32_t *next_off, *next; /* ops + 1, edges: who depends on it */
    uint32_t *first, n_first;  /* depend on nothing, ascending */

    /* being built */
    uint32_t edges, op_room, edge_room;
    struct orr_edge {
        uint32_t before, after;
    } *edge;
};

/* Building. Any of them may fail with ENOMEM; the program is then to be freed.
 * Dependencies may be added in any order and repeat. */
struct orr_program *orr__program_new(uint32_t ranks); /* NULL: no memory */
ORR_CHECK_RESULT orr_err orr__program_add(struct orr_program *p,
                                          const struct orr_op *op, uint32_t *id,
                                          struct orr_report *why);
ORR_CHECK_RESULT orr_err orr__program_depend(struct orr_program *p,
                                             uint32_t before, uint32_t after,
                                             struct orr_report *why);
/* A group of these ranks (copied); the same list gives the same group. The
 * ranks are < p->ranks and differ. All of them in order give ORR_EVERYONE. */
ORR_CHECK_RESULT orr_err orr__program_group(struct orr_program *p,
                                            const int64_t *ranks, size_t n,
                                            uint32_t *group,
                                            struct orr_report *why);
/* Adds a call (copied) whose c.n, c.ops and parameters are set. servers: their
 * hosts, c.servers of them. */
ORR_CHECK_RESULT orr_err orr__program_call(struct orr_program *p,
                                           const struct orr_call *call,
                                           const uint32_t *servers,
                                           uint32_t *id,
                                           struct orr_report *why);
ORR_CHECK_RESULT orr_err orr__program_jitter(struct orr_program *p,
                                             const struct orr_jitter *j,
                                             uint32_t *id,
                                             struct orr_report *why);
/* Makes the graph ready to run. ECONFIG when dependencies go in a circle (the
 * message names one of its operations). */
ORR_CHECK_RESULT orr_err orr__program_finish(struct orr_program *p,
                                             struct orr_report *why);
void orr__program_free(struct orr_program *p);

/* Reads a `program` list (see docs for the items). hosts: per rank, for the
 * default servers; graph->servers come first. */
ORR_CHECK_RESULT orr_err orr__program_read(struct orr_config *c,
                                           const struct orr_yaml *list,
                                           const struct orr_graph *graph,
                                           const uint32_t *hosts,
                                           uint32_t ranks,
                                           struct orr_program **out,
                                           struct orr_report *why);

/* Index of rank in a group, or UINT32_MAX. */
uint32_t orr__group_find(const struct orr_group *g, uint32_t rank);
bool orr__program_runs(const struct orr_program *p, const struct orr_op *op,
                       uint32_t rank);
/* Rank or, from p->ranks on, server (a member of the job) that a member of a
 * call is; and back: UINT32_MAX if that one is not in the call. */
uint32_t orr__call_rank(const struct orr_program *p,
                        const struct orr_call *call, uint32_t member);
uint32_t orr__call_member(const struct orr_program *p,
                          const struct orr_call *call, uint32_t rank);
uint32_t orr__op_peer(const struct orr_program *p, const struct orr_op *op,
                      uint32_t rank);
/* "send", "all-reduce", ... */
const char *orr__op_name(const struct orr_program *p, uint32_t op);

/* The parameter tables, for `orrery help`. */
extern const struct orr_param orr__compute_params[], orr__send_params[],
    orr__recv_params[];
/* The common keys of a kind of collective; table has room for
 * ORR_CALL_PARAMS_MAX entries. */
#define ORR_CALL_PARAMS_MAX 12
void orr__call_params(enum orr_collective_kind k, struct orr_param *table);

#endif
