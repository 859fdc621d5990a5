/* Where a job's program is from when it does not stand in the configuration:
 * the files of another system, named under the job's `trace`. This room knows
 * no such system: whoever makes the world says in world->sources who reads
 * them. */
#ifndef ORR_WORKLOAD_PROGRAM_SOURCE_H
#define ORR_WORKLOAD_PROGRAM_SOURCE_H

#include <stdbool.h>

#include "core/config/config.h"
#include "core/json.h"
#include "core/text.h"
#include "topo/graph.h"
#include "workload/program/program.h"

struct orr_job;
struct orr_world;

/* What a source has to work with. */
struct orr_trace_job {
    struct orr_config *config;
    const struct orr_yaml *node;   /* the `trace` map */
    const struct orr_graph *graph; /* its dims, if it has some */
    uint32_t ranks;                /* of the job */
    struct orr_arena *arena;       /* lives as long as the job */
};

/* Of one job; its owner is the arena that it was made from. */
struct orr_program_source {
    const struct orr_program_source_ops *ops;
    /* The times of rank 0's operations are kept for `closed`
     * (orr_team.watch). */
    bool watches;
};

/* What reads and reports a foreign program. */
struct orr_program_source_ops {
    /* Makes *out, finished, and *made; *out is the caller's also when this
     * fails. */
    orr_err (*read)(const struct orr_trace_job *job, struct orr_program **out,
                    struct orr_program_source **made, struct orr_report *why);
    /* The run has ended, iterations and ranks of the job are recorded. */
    void (*closed)(struct orr_program_source *s, const struct orr_world *w,
                   const struct orr_job *j);
    /* What the program is, before a run or after it: a few lines; indent:
     * blanks before each. */
    void (*text)(const struct orr_program_source *s, struct orr_text *t,
                 int indent);
    /* What came of it, in the other system's terms. True: that says all there
     * is to say about collectives. */
    bool (*results)(const struct orr_program_source *s, struct orr_text *t,
                    int indent);
    /* The same as members of a job's object. */
    void (*json)(const struct orr_program_source *s, struct orr_json *j);
};

#endif
