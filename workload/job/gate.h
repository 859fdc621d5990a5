/* The gate of a job: when in its period it may communicate. Reading; what it
 * does is in workload/rank/gate.c. */
#ifndef ORR_WORKLOAD_JOB_GATE_H
#define ORR_WORKLOAD_JOB_GATE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/config/param.h"
#include "core/error.h"
#include "core/units.h"

#define ORR_MOST_SHIFTS 1000
enum { ORR_MOST_TIMES = 32 };
/* The gate opens at offset + k * period, k = 0, 1, ... of simulated time; with
 * several times in a period, at each of these from there on. */
struct orr_gate {
    int64_t period_ps; /* 0: there is no gate */
    int64_t offset_ps; /* 0 .. period - 1 */
    uint32_t times;    /* openings in a period; 0: one, at its beginning */
    int64_t time_ps[ORR_MOST_TIMES]; /* ascending, the first is 0; < period */
    bool first_only; /* later iterations pass, unless the job is shifted */
    /* A job that is later than this is shifted: it waits for its next turn.
     * ORR_NEVER: never shifted. 0: each rank by itself, and always. */
    int64_t threshold_ps;
    uint32_t most; /* shifts in any span, 1 .. ORR_MOST_SHIFTS; 0: any number */
    int64_t span_ps; /* with `most`: > 0 */
};

/* Whether one rank may tell the others to shift. */
static inline bool orr__gate_shifts(const struct orr_gate *g)
{
    return g->period_ps && g->threshold_ps > 0 && g->threshold_ps < ORR_NEVER;
}

/* How many openings a period has. */
static inline uint32_t orr__gate_times(const struct orr_gate *g)
{
    return g->times ? g->times : 1;
}

/* Whether both open at the same times. */
bool orr__gate_same_times(const struct orr_gate *a, const struct orr_gate *b);

/* "times_ns" of a gate, if there is more than one. */
struct orr_json;
void orr__gate_times_json(struct orr_json *j, uint32_t n, const int64_t *at);

extern const struct orr_param orr__gate_params[], orr__drift_params[];
struct orr_job_facts;
/* NULL node: no gate. facts: of its job (job/idle.h). drift_path: of its
 * `drift`, where that is left out. */
ORR_CHECK_RESULT orr_err orr__gate_read(struct orr_config *c,
                                        const struct orr_yaml *node,
                                        const char *drift_path,
                                        const struct orr_job_facts *facts,
                                        struct orr_gate *out,
                                        struct orr_report *why);

#endif
