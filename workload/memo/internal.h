/* Collectives replayed, between their files. */
#ifndef ORR_WORKLOAD_MEMO_INTERNAL_H
#define ORR_WORKLOAD_MEMO_INTERNAL_H

#include <pthread.h>

#include "core/table.h"
#include "net/watch/bench.h"
#include "workload/job/job.h"
#include "workload/memo/memo.h"
#include "workload/rank/rank.h"

#define ORR_ISLAND_MOST 256 /* members */

/* ---- who is an island (island.c) ----------------------------------------- */

/* Ranks of a job that call together. */
struct orr_group_of_ranks {
    uint32_t job, n;
    uint32_t *rank;       /* owned; ascending */
    uint32_t region;      /* that all their messages cross; ORR_NONE: none, or
                           * several */
    const char *why;      /* what stands in the way; NULL: it is an island */
    int64_t pause_ps;     /* has to lie between two of its calls */
    uint64_t calls, hops; /* of an island in all iterations: about so many
                           * packet-hops */
};

/* Links that lead to one another over nodes that forward, by their number or
 * the lowest such node. Who is at its rim does not forward: what crosses it is
 * between two hosts that are both there. */
struct orr_region {
    uint32_t group; /* the first whose messages may cross it; ORR_NONE */
    bool shared;    /* others' may, too */
};

/* ---- what is known (known.c) ----------------------------------------------
 */

/* What a member finds at the end of a call. */
struct orr_call_part {
    int64_t end_ps;          /* after the first entry */
    bool arrives;            /* a packet came; else one left */
    uint64_t sent, received; /* payload, bytes */
};

/* A call that was gone through. */
struct orr_known_call {
    uint64_t *key;          /* owned: see known.c */
    uint32_t next;          /* with the same digest; or ORR_NONE */
    uint32_t before, after; /* states */
    /* After the first entry: the last event; nothing is under way any more. */
    int64_t last_ps, quiet_ps;
    uint64_t hops, lots;        /* packet-hops; draws and ties that mattered */
    struct orr_call_part *part; /* per member; owned, as the next */
    struct orr_link_gain *link; /* per link of the island */
    struct orr_net_counters counters;
    struct orr_tally_call call;
    struct orr_connection_stats stats;
};

/* In which the connections of an island are between calls. */
struct orr_memo_state {
    uint64_t digest;
    uint32_t from; /* the known call that led here first; ORR_NONE: none */
    bool goes_on;  /* something changes while it rests: how long counts */
};

struct orr_bench; /* bench.c */

/* Islands that are alike: their parts of the graph are the same, and so is what
 * connections are made by. */
struct orr_island_class {
    uint64_t shape;
    struct orr_graph *graph;          /* owned: the part, of any of them */
    const struct orr_routing *routes; /* owned: on it */
    const struct orr_team *team;      /* of the first of them */
    uint32_t n, *host; /* per member: its host in the part; owned */
    struct orr_memo_state *state;
    uint32_t states;
    struct orr_known_call *known;
    uint32_t n_known, known_room;
    struct orr_table by_key; /* digest of a key: the first known */
    struct orr_bench *bench; /* in any of its states; NULL: none is made */
    /* Of its benches: a call, and an operation of the same number, for each
     * that is different. Its ranks are the members of an island, in order. */
    struct orr_program *program;
    struct orr_call_trial {
        int64_t extent_ps; /* from the first end to rest, at most */
        uint64_t hops;     /* packet-hops, when all enter at once */
    } * trial;             /* per call of it */
};

/* ---- a run -----------------------------------------------------------------
 */

/* A member of an island. Its own thread writes it; bytes are written when all
 * are there. */
struct orr_island_member {
    uint32_t island, next;   /* another member of the same rank, or ORR_NONE */
    struct orr_rank *rank;   /* once jobs have started */
    uint32_t op, iteration;  /* the call that it is in */
    int64_t at_ps;           /* when it entered */
    uint64_t sent, received; /* in it, payload bytes: once it is known */
};

/* Counters are of one call after another: no two overlap. */
struct orr_island {
    uint32_t group, class, n, first; /* first: its first member */
    uint32_t *link, *node;           /* per link and node of the part; owned */
    bool local;                      /* all of it is one process */
    bool due; /* all are there: to be looked at after the window */
    uint32_t entered, left;  /* members that are in a call, and to leave it */
    uint32_t state;          /* of its class; ORR_NONE: its own */
    struct orr_bench *bench; /* its own; NULL: it has none */
    int64_t quiet_ps;        /* nothing of the last call is under way then */
    struct orr_known_call *own; /* the last call that was its alone; owned */
};

/* Owns all that it points to but the world. */
struct orr_call_memo {
    struct orr_world *world;
    struct orr_memo_result result;
    struct orr_group_of_ranks *group;
    uint32_t groups;
    struct orr_region *region;
    uint32_t *region_of; /* per link */
    struct orr_island *island;
    uint32_t islands;
    struct orr_island_class *class;
    uint32_t classes;
    struct orr_island_member *member;
    uint32_t members;
    struct orr_job_members {
        struct orr_call_memo *memo;
        uint32_t *member; /* per rank: its first one, or ORR_NONE; NULL: none of
                           * the job's has one */
        struct orr_call_replay replay; /* what its team calls */
    } * of_job;
    uint32_t user; /* of the net */
    struct due_list {
        _Alignas(64) uint32_t *island;
        uint32_t n;
    } * due;              /* per worker; room for all */
    bool failed;          /* nothing is looked up any more */
    pthread_mutex_t lock; /* of what is known, for islands of one process */
};

/* island.c: groups and regions of all jobs. */
ORR_CHECK_RESULT orr_err orr__memo_find_groups(struct orr_call_memo *m,
                                               struct orr_report *why);
/* Whether a rank of the group calls with the others of it alone, in a call. Of
 * an island: groups that have the rank and the first one in common have all. */
bool orr__is_call_of(const struct orr_program *p, const struct orr_call *x,
                     uint32_t rank, const struct orr_group_of_ranks *g);
/* chain.c: says so of groups whose calls may overlap, or follow one another too
 * closely, or begin otherwise than by a timer. */
ORR_CHECK_RESULT orr_err orr__memo_check_order(struct orr_call_memo *m,
                                               struct orr_report *why);

/* bench.c. An error of a bench is one of the run. */
ORR_CHECK_RESULT orr_err orr__bench_new(const struct orr_call_memo *m,
                                        const struct orr_island_class *c,
                                        struct orr_bench **out,
                                        struct orr_report *why);
void orr__bench_free(struct orr_bench *b);
uint32_t orr__bench_state(const struct orr_bench *b);
void orr__bench_set_state(struct orr_bench *b, uint32_t state);
/* Lots drawn on it so far. */
uint64_t orr__bench_lots(const struct orr_bench *b);
/* Goes through a call of the class's program, entered at these offsets, after
 * so long a rest; what came of it into *k. alias: whose links these are; first:
 * the first entry there. *digest, *goes_on: of the state after it. */
struct orr_bench_run {
    uint32_t call;
    const int64_t *offset;
    int64_t pause_ps;
    const struct orr_island *island;
    int64_t first_ps;
};
ORR_CHECK_RESULT orr_err orr__bench_go(struct orr_bench *b,
                                       const struct orr_bench_run *run,
                                       struct orr_known_call *k,
                                       uint64_t *digest, bool *goes_on,
                                       struct orr_report *why);

/* known.c: what comes of the call that an island has entered. */
ORR_CHECK_RESULT orr_err orr__memo_find_call(struct orr_call_memo *m,
                                             struct orr_island *i,
                                             const struct orr_known_call **out,
                                             struct orr_report *why);
/* What came of trials of a call on the island's network. */
ORR_CHECK_RESULT orr_err orr__memo_try(struct orr_call_memo *m,
                                       const struct orr_island *i,
                                       const struct orr_call *x,
                                       struct orr_call_trial *out,
                                       struct orr_report *why);
void orr__class_fini(struct orr_island_class *c);
void orr__known_fini(struct orr_known_call *k);

#endif
