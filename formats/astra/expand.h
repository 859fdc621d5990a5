/* Collectives as ASTRA-sim schedules them: cut into chunks; each chunk goes
 * through one phase for each dimension of the grid of NPUs; a dimension has
 * queues, and in a queue the chunk of the highest priority is next. A phase of
 * a chunk becomes one call of a program, its queue a stream that the call
 * keeps. */
#ifndef ORR_FORMATS_ASTRA_EXPAND_H
#define ORR_FORMATS_ASTRA_EXPAND_H

#include "core/none.h"
#include "formats/astra/system.h"
#include "formats/astra/themis.h"
#include "formats/trace.h"
#include "topo/graph.h"
#include "workload/program/program.h"

/* The NPUs as a grid, dimension 0 fastest. */
struct orr_astra_grid {
    uint32_t n; /* dimensions */
    uint32_t size[ORR_ASTRA_DIMS];
    uint64_t rate_bps[ORR_ASTRA_DIMS]; /* of an NPU there; 0: unknown */
};

/* One phase of one chunk, for reports. Those of a collective follow one
 * another, chunk by chunk. */
struct orr_astra_phase {
    uint32_t op;         /* that it became */
    uint32_t collective; /* which of all that the expander made */
    uint32_t layer;      /* the expander's at that time */
    uint8_t dim;
    uint8_t step; /* of the chunk: its first phase is 0 */
};

/* The state in which one rank's collectives are issued, one after another, and
 * what they became. */
struct orr_expander {
    struct orr_program *p;       /* that operations are added to */
    struct orr_astra_system sys; /* copies, as orr__grid_split left them */
    struct orr_astra_grid grid;
    uint32_t queues;       /* of each dimension */
    uint32_t first_stream; /* of queue 0 of dimension 0 */
    uint32_t next_queue[ORR_ASTRA_DIMS];
    /* 2.x: those of the way up and of the way back of an all-reduce */
    uint32_t next_up[ORR_ASTRA_DIMS], next_back[ORR_ASTRA_DIMS];
    uint32_t next_dim; /* round robin over dimensions */
    /* by kind of collective and dimension: whose turn it is among the two trees
     * of doubleBinaryTree */
    bool other_tree[ORR_COLLECTIVE_KIND_COUNT][ORR_ASTRA_DIMS];
    int32_t issued; /* collectives so far: their priority by LIFO and FIFO */
    /* the next collective is issued at the same instant as the one before: it
     * meets the loads that this one has left */
    bool at_once;
    struct orr_themis themis;
    uint32_t layer, collectives; /* for reports: set by who issues; made */
    uint32_t reuse;              /* the next call to use again, or ORR_NONE */
    struct orr_astra_phase *phase;
    uint32_t phases, phase_room;
    struct orr_report *why;
};

/* A collective as a layer or a node asks for it. */
struct orr_issue {
    enum orr_collective_kind kind;
    uint64_t bytes;    /* as ASTRA-sim means it */
    uint32_t involved; /* bit d: dimension d takes part */
    uint32_t group;    /* of the program, else ORR_EVERYONE: the grid */
    bool highest;      /* goes before all others */
    int32_t priority;  /* with the policy EXPLICIT */
    bool whole;        /* nothing else contends: chunks of one call will do */
    uint32_t before;   /* what it waits for, or ORR_NONE */
    /* the first of the calls that another rank made for the same collective,
     * or ORR_NONE: make them */
    uint32_t calls;
};

/* Reserves the streams of the queues from first_stream on. */
ORR_CHECK_RESULT orr_err orr__expander_init(
    struct orr_expander *x, struct orr_program *p,
    const struct orr_astra_system *s, const struct orr_astra_grid *grid,
    uint32_t queues, uint32_t first_stream, struct orr_report *why);
void orr__expander_fini(struct orr_expander *x);
/* Forgets what was issued: another rank's operations follow. */
void orr__expander_restart(struct orr_expander *x);
/* The streams that follow those of the queues. */
uint32_t orr__expander_streams(const struct orr_expander *x);
/* Splits a dimension so that the first ones make up n NPUs; the number of
 * these dimensions, 0 when n is 1 or does not fit. Before anything is issued.
 */
uint32_t orr__grid_split(struct orr_astra_grid *g, struct orr_astra_system *s,
                         uint32_t n);
/* Adds the operations of a collective; *done joins them, ORR_NONE: nothing is
 * to be done. */
ORR_CHECK_RESULT orr_err orr__expand(struct orr_expander *x,
                                     const struct orr_issue *what,
                                     uint32_t *done);
/* The grid of a graph's hosts: its dims if they make up `ranks`, else a row. */
void orr__grid_of(const struct orr_graph *g, uint32_t ranks,
                  struct orr_astra_grid *out);
/* The grid of a job: what `logical_dims` says, blamed if it is not `ranks` in
 * all; empty: that of the job's graph. */
ORR_CHECK_RESULT orr_err orr__grid_of_job(const struct orr_trace_job *job,
                                          const struct orr_ints *logical,
                                          struct orr_astra_grid *out,
                                          struct orr_report *why);

#endif
