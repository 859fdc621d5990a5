/* Programs: a graph of operations with dependencies. It holds nothing about
 * how far anyone is. One shape serves a list in YAML, a training job and a
 * trace of 100,000 nodes: plain arrays, successors in CSR, nothing allocated
 * for a single operation.
 *
 * The ranks of a job share a program. It may have several parts, stretches of
 * operations without dependencies between them; each rank carries out one of
 * them, and ranks that do the same share theirs. Calls and groups belong to
 * the whole: a collective is one call, whichever parts name it. */
#ifndef ORR_WORKLOAD_PROGRAM_PROGRAM_H
#define ORR_WORKLOAD_PROGRAM_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "core/config/config.h"
#include "core/error.h"
#include "core/none.h"
#include "topo/graph.h"
#include "workload/collective/collective.h"
#include "workload/program/jitter.h"
#include "workload/program/kinds.h"

/* Which ranks carry an operation out: all, one (ORR_ONLY | rank), or those of
 * a group. For the others it is complete as soon as its dependencies are. */
#define ORR_EVERYONE UINT32_MAX
#define ORR_ONLY     0x80000000u
#define ORR_NO_LABEL UINT64_MAX
#define ORR_OPS_MAX  0x7fffffffu /* of a program, all parts together */

/* An operation. What `index`, `peer` and the union hold depends on its kind. */
struct orr_op {
    uint8_t kind;      /* enum orr_op_kind */
    bool relative : 1; /* peer is added to the own rank, modulo ranks */
    bool holds : 1;    /* not compute: waits for its turn on `stream` and
                          has it until it is complete */
    bool keeps : 1;    /* with `holds`: and beyond, until ... */
    bool frees : 1;    /* ... one of this kind is complete */
    uint8_t rule;      /* with `holds`: what the program's policy is to make of
                          it; 0: nothing */
    uint16_t stream;   /* compute, and what holds one */
    int32_t priority;  /* on its stream: the highest goes first, then the
                          one that was ready first */
    uint32_t who;      /* ORR_EVERYONE, ORR_ONLY | rank, or a group */
    uint32_t index;    /* compute: its jitter, or ORR_NONE: the job's;
                          collective, clock: its call; send, recv: the tag */
    uint32_t peer;     /* send, recv */
    union {
        int64_t time_ps; /* compute */
        uint64_t bytes;  /* send; recv: what is expected, unused;
                            collective: its weight in the stream's order */
    };
};

/* Some ranks, in the order given. */
struct orr_group {
    uint32_t n;       /* all three arrays are owned, of n elements */
    uint32_t *rank;   /* different ones */
    uint32_t *sorted; /* ranks, ascending */
    uint32_t *place;  /* index in rank[] of each of sorted[] */
};

/* How far a chunk is, if it goes by rules->begin. */
struct orr_pace {
    uint32_t begun;    /* steps: they have sent what they send */
    uint32_t received; /* ... and all that they wait for is there */
    uint32_t over;     /* ... and paid for; over <= received <= begun */
};

/* One step of a chunk, to be paid for. */
struct orr_step {
    struct orr_spot at; /* which member's, lane and step */
    uint64_t bytes;     /* of the chunk */
    uint64_t reduced;   /* the largest message that is added up here */
    uint32_t received;  /* with rules->begin: steps that came before it */
};

/* What a foreign system's collectives do otherwise than ours; NULL or false:
 * as ours. Calls of parameter servers have none. */
struct orr_call;
/* What another simulator's collectives do differently; NULL: as ours. */
struct orr_call_rules {
    /* A chunk is over when what it receives is there, also while messages of
     * its own are still on their way. */
    bool hasty;
    /* Its first step, if it receives anything, has asked for its messages from
     * the start on: nothing is paid before, and those who measure how long
     * messages were waited for count from there. */
    bool asks_early;
    /* What the reduction of a step takes, ps. */
    int64_t (*memory)(const struct orr_call *x, const struct orr_step *s);
    /* Steps do not follow one another lane by lane: how many more of them begin
     * now, in the order (step, lane). Asked at a chunk's start and whenever a
     * step is over. */
    uint32_t (*begin)(const struct orr_call *x, const struct orr_pace *p);
};

/* A collective at one place in the program. */
struct orr_call {
    struct orr_collective c;            /* which algorithm, among how many */
    uint64_t bytes;                     /* `size`; a barrier: 1 */
    uint32_t chunks, concurrent, lanes; /* it is cut into so many, of which so
                                         * many go on at once; lanes of each */
    int64_t endpoint_delay_ps; /* when a chunk starts and after each step */
    uint64_t memory_bps;       /* 0: reductions take no time */
    const struct orr_call_rules *rules; /* NULL: our own */
    uint32_t group;                     /* or ORR_EVERYONE */
    /* not 0: the job's ranks stand on a grid and each calls with those that
     * differ from it in one digit only, rank / stride mod c.n; `group` is then
     * ORR_EVERYONE. One call is thus many groups at once. count not 0: only
     * the ranks [from, from + count) take part, whole groups all of them. */
    uint32_t stride, from, count;
    uint32_t
        raise;   /* its messages are so many traffic classes above the job's */
    bool clock;  /* of an ORR_OP_CLOCK: asks a server, by parameter-server */
    bool pushes; /* a worker's update of its own: staleness is counted */
    uint32_t op; /* the first that names it */
    const char *name; /* what users call it, static; NULL: as its kind */
    uint32_t *server; /* per server: index into server_host[] */
};

/* An operation that waits for one of another iteration. */
struct orr_across {
    uint32_t op;
    int32_t distance; /* so many iterations earlier; below 0: later */
};

/* Of a model in stages that are made rank by rank: what results say of them. */
struct orr_pipeline {
    const char *schedule; /* static */
    uint32_t batches;     /* micro-batches or minibatches of an iteration */
    uint32_t noam; /* minibatches that a rank of the first stage has begun and
                      not ended, at most; 0: with a flush */
    uint32_t stages;
    struct orr_pipeline_stage {
        uint32_t rank, replicas;   /* its first rank, and how many */
        uint32_t layers, versions; /* of its weights, on a rank, at most */
        uint64_t parameter_bytes;
    } * stage; /* owned */
};

struct orr_policy;
/* Owns all that it points to, but rules and the policy. Immutable once it is
 * finished, and then shared by the threads of all ranks. */
struct orr_program {
    uint32_t ranks;                       /* of the job */
    uint32_t ops, calls, groups, jitters; /* how many of each */
    uint32_t streams;                     /* 1 + the highest in use */
    struct orr_op *op;                    /* part by part */
    struct orr_call *call;     /* by the index that operations name */
    uint32_t raises;           /* the most of all calls */
    struct orr_group *group;   /* likewise, and calls */
    struct orr_jitter *jitter; /* those that operations name */
    uint32_t servers;          /* different hosts that serve its calls */
    uint32_t *server_host;     /* no host twice */

    /* made by orr__program_finish */
    uint32_t *waits;           /* per op: how many it depends on */
    uint32_t *next_off, *next; /* ops + 1, edges: who depends on it */
    uint32_t *first, n_first;  /* depend on nothing, ascending */
    uint32_t parts;            /* at least one */
    struct orr_part {
        uint32_t op, ops;        /* its operations: [op, op + ops) */
        uint32_t first, n_first; /* its share of first[] */
    } * part;
    uint32_t *part_of; /* per rank; NULL: all carry out part 0 */
    uint64_t *label;   /* per op: the number that its user knows it by, or
                          ORR_NO_LABEL; NULL: the op's own */
    uint32_t labels;
    struct orr_pipeline *pipeline;   /* NULL: it is none */
    const struct orr_policy *policy; /* of its streams; NULL: none of its own
                                        (workload/rank/policy.h) */
    uint64_t request_bytes; /* a message leaves when its receiver has asked for
                               it with so many bytes; 0: at once */
    uint32_t *slots, n_slots; /* per stream: how many keep it at once; beyond
                                 n_slots: one */
    /* what waits for an operation of another iteration, by that operation;
     * all NULL: nothing does */
    uint32_t *across_off;           /* per op, and one more: index into ... */
    struct orr_across *across_next; /* ... what waits for it */
    uint32_t *across_waits;         /* per op: for so many */
    uint32_t farthest, latest;      /* iterations earlier and later, at most;
                                       0: there is none */
    uint32_t
        overlap; /* iterations that it is to have open; 0: as the job says */

    /* being built */
    uint32_t edges, op_room, edge_room, part_room;
    struct orr_edge {
        uint32_t before, after; /* operations of one part */
    } * edge;
    uint32_t crossings, crossing_room;
    struct orr_crossing {
        uint32_t before, after;
        int32_t distance;
    } * crossing; /* kept: chakra writes them */
    /* `stale_layers: auto`: what may wait for one iteration or for two */
    struct orr_stale {
        uint32_t layers; /* that there are; 0: it is settled */
        bool found;      /* ... by orr__program_set_stale, and how many: */
        uint32_t n;
        uint32_t waits, room;
        struct orr_stale_wait {
            uint32_t crossing, layer;
        } * wait; /* owned */
    } stale;
};

/* Building. Any of them may fail with ENOMEM; the program is then to be freed.
 * Dependencies may be added in any order and repeat. */
struct orr_program *orr__program_new(uint32_t ranks); /* NULL: no memory */
/* One more operation of the last part, which is copied; *id: its number. */
ORR_CHECK_RESULT orr_err orr__program_add(struct orr_program *p,
                                          const struct orr_op *op, uint32_t *id,
                                          struct orr_report *why);
/* `after` waits until `before` is complete. */
ORR_CHECK_RESULT orr_err orr__program_depend(struct orr_program *p,
                                             uint32_t before, uint32_t after,
                                             struct orr_report *why);
/* The same of `before` so many iterations earlier, 1 to ORR_FARTHEST; or, below
 * 0, later: nothing is waited for beyond the last iteration. A program with
 * such a wait may wait for itself: see orr__program_circle. */
#define ORR_FARTHEST 1000
ORR_CHECK_RESULT orr_err orr__program_depend_across(struct orr_program *p,
                                                    uint32_t before,
                                                    uint32_t after,
                                                    int32_t distance,
                                                    struct orr_report *why);
/* The wait that was added last is two iterations long if `layer` is stale. */
ORR_CHECK_RESULT orr_err orr__program_may_be_stale(struct orr_program *p,
                                                   uint32_t layer,
                                                   struct orr_report *why);
/* Of a finished program that nobody runs: the first n layers are stale, as far
 * as that was left open. */
void orr__program_set_stale(struct orr_program *p, uint32_t n);
/* *misfit: the first place of a rank that the program does not have, or that
 * stands before; n: there is none. Fails without memory. */
ORR_CHECK_RESULT orr_err orr__program_fits(const struct orr_program *p,
                                           const int64_t *ranks, size_t n,
                                           size_t *misfit,
                                           struct orr_report *why);
/* What is wrong with such a rank: "rank 3 is listed twice". */
#define ORR_MISFIT 80
void orr__program_misfit(const struct orr_program *p, int64_t rank,
                         char text[ORR_MISFIT]);
/* A group of these ranks (copied); the same list gives the same group. The
 * ranks are < p->ranks and differ. All of them in order give ORR_EVERYONE. */
ORR_CHECK_RESULT orr_err orr__program_group(struct orr_program *p,
                                            const int64_t *ranks, size_t n,
                                            uint32_t *group,
                                            struct orr_report *why);
/* Adds a call (copied) whose c.n, c.ops and parameters are set. servers: their
 * hosts, c.servers of them. Its c.sizes are the program's from then on, also
 * after a failure. */
ORR_CHECK_RESULT orr_err orr__program_call(struct orr_program *p,
                                           const struct orr_call *call,
                                           const uint32_t *servers,
                                           uint32_t *id,
                                           struct orr_report *why);
ORR_CHECK_RESULT orr_err orr__program_jitter(struct orr_program *p,
                                             const struct orr_jitter *j,
                                             uint32_t *id,
                                             struct orr_report *why);
/* That of a computation; of_job: where it names none of its own. */
static inline const struct orr_jitter *orr__op_jitter(
    const struct orr_program *p, const struct orr_op *op,
    const struct orr_jitter *of_job)
{
    return op->index == ORR_NONE ? of_job : &p->jitter[op->index];
}
/* Whether any computation has jitter. */
bool orr__program_varies(const struct orr_program *p,
                         const struct orr_jitter *of_job);
/* Whether sizes of messages are drawn anew. */
bool orr__program_draws(const struct orr_program *p);
/* Says by what they are drawn. */
void orr__program_seed(struct orr_program *p, uint64_t seed, uint32_t job);
/* Begins another part: operations added from here on belong to it. Without
 * any, all operations are one part. */
ORR_CHECK_RESULT orr_err orr__program_part(struct orr_program *p, uint32_t *id,
                                           struct orr_report *why);
/* Which part a rank carries out; at first it is part 0. */
ORR_CHECK_RESULT orr_err orr__program_assign(struct orr_program *p,
                                             uint32_t rank, uint32_t part,
                                             struct orr_report *why);
/* How many may keep a stream at once, > 0; at first one. */
ORR_CHECK_RESULT orr_err orr__program_slots(struct orr_program *p,
                                            uint32_t stream, uint32_t slots,
                                            struct orr_report *why);
/* Makes room for the labels of all operations that there are. */
ORR_CHECK_RESULT orr_err orr__program_label(struct orr_program *p,
                                            struct orr_report *why);
/* Makes the graph ready to run. ECONFIG when dependencies go in a circle (the
 * message names one of its operations). */
ORR_CHECK_RESULT orr_err orr__program_finish(struct orr_program *p,
                                             struct orr_report *why);
void orr__program_free(struct orr_program *p);

/* Reads a `program` list (see docs for the items). hosts: per rank, for the
 * default servers; graph->servers come first. reach: what its messages may
 * have; NULL: anything. */
struct orr_program_limits;
ORR_CHECK_RESULT orr_err
orr__program_read(struct orr_config *c, const struct orr_yaml *list,
                  const struct orr_graph *graph, const uint32_t *hosts,
                  uint32_t ranks, const struct orr_program_limits *reach,
                  struct orr_program **out, struct orr_report *why);

/* Index of rank in a group, or UINT32_MAX. */
uint32_t orr__group_find(const struct orr_group *g, uint32_t rank);
bool orr__program_runs(const struct orr_program *p, const struct orr_op *op,
                       uint32_t rank);
/* Rank or, from p->ranks on, server (a member of the job) that a member of a
 * call is; and back: UINT32_MAX if that one is not in the call. of: a rank that
 * takes part, which says in which group if the call has a stride. */
uint32_t orr__call_rank(const struct orr_program *p,
                        const struct orr_call *call, uint32_t member,
                        uint32_t of);
/* How many ranks take part, over all its groups. */
uint32_t orr__call_ranks(const struct orr_program *p,
                         const struct orr_call *call);
static inline const struct orr_part *orr__part_of(const struct orr_program *p,
                                                  uint32_t rank)
{
    return &p->part[p->part_of ? p->part_of[rank] : 0];
}
uint32_t orr__call_member(const struct orr_program *p,
                          const struct orr_call *call, uint32_t rank);
uint32_t orr__op_peer(const struct orr_program *p, const struct orr_op *op,
                      uint32_t rank);
/* What users call a collective: "all-reduce", "dispatch". */
static inline const char *orr__call_name(const struct orr_call *x)
{
    return x->name ? x->name : orr__collective_kind_name(x->c.ops->kind);
}
/* "operation 3", or "node 17" by the number that its user knows it by. */
void orr__op_label(const struct orr_program *p, uint32_t op, char *buf,
                   size_t size);
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
