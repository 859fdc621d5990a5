/* In-network aggregation: what each switch that adds counted over the run, and
 * its slots over time. */
#ifndef ORR_RECORD_ADDERS_H
#define ORR_RECORD_ADDERS_H

#include "record/record.h"
#include "workload/world.h"

/* What a switch had counted by a time: a row of `held` below. */
struct orr_adder_sample {
    int64_t time; /* ps */
    uint32_t node;
    double area; /* slots * ps */
    uint64_t no_slots, collisions, duplicates, evictions;
};
/* Samples of all switches that add, at regular times; where there are too many,
 * every other time goes, which leaves means over the time between exact. Zeros
 * are a good start; `held` is owned. */
struct orr_slot_series {
    struct orr_adder_sample *held;
    uint32_t n, room;
    int64_t sample_ps; /* from one time to the next */
};
/* A sample now, between windows or after the run. */
ORR_CHECK_RESULT orr_err orr__slots_take(struct orr_slot_series *s,
                                         const struct orr_world *w, int64_t now,
                                         struct orr_report *why);
void orr__slots_fini(struct orr_slot_series *s);
/* /in_network_series; without groups there is none. ENOMEM. */
ORR_CHECK_RESULT orr_err orr__slots_write(const struct orr_slot_series *s,
                                          struct orr_record *r);
/* /in_network; a run without groups has none. ENOMEM. */
ORR_CHECK_RESULT orr_err orr__adders_write(struct orr_record *r,
                                           const struct orr_world *w);

#endif
