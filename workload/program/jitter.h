/* How the time of a computation varies from one run of it to the next. */
#ifndef ORR_WORKLOAD_PROGRAM_JITTER_H
#define ORR_WORKLOAD_PROGRAM_JITTER_H

#include <stdint.h>

#include "core/config/config.h"
#include "core/config/param.h"
#include "core/error.h"

enum orr_jitter_kind {
    ORR_JITTER_NONE,
    ORR_JITTER_NORMAL,      /* time + N(0, spread), not below 0 */
    ORR_JITTER_LOGNORMAL,   /* mean: the time, standard deviation: spread */
    ORR_JITTER_UNIFORM,     /* time - spread to time + spread, not below 0 */
    ORR_JITTER_EXPONENTIAL, /* time + Exp(mean spread) */
};

/* The distribution that a computation's time is drawn from. */
struct orr_jitter {
    int kind;          /* enum orr_jitter_kind */
    int64_t spread_ps; /* when share is 0 */
    double share;      /* spread as a part of the time itself */
};

extern const struct orr_param orr__jitter_params[];

/* Reads `jitter: {kind: normal, spread: 10us}` (or `spread: 0.1`, or just a
 * map without spread for kind none). NULL node: none. */
ORR_CHECK_RESULT orr_err orr__jitter_read(struct orr_config *c,
                                          const struct orr_yaml *node,
                                          struct orr_jitter *out,
                                          struct orr_report *why);

/* The time that a computation of time_ps takes: >= 0. The draw belongs to
 * (seed, entity) alone, so it depends on no other. What is added is rounded to
 * a nanosecond, because distributions go through libm. */
int64_t orr__jitter_draw(const struct orr_jitter *j, int64_t time_ps,
                         uint64_t seed, uint64_t entity);

#endif
