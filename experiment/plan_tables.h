/* A plan as the record keeps it. */
#ifndef ORR_EXPERIMENT_PLAN_TABLES_H
#define ORR_EXPERIMENT_PLAN_TABLES_H

#include "record/write_circles.h"
#include "workload/world.h"

/* The circles of the plan that the world's schedule has made, if it has made
 * one with links that jobs take turns on; else none. ENOMEM. Release with
 * orr__circle_tables_fini, also after a failure. */
ORR_CHECK_RESULT orr_err orr__circle_tables(const struct orr_world *w,
                                            struct orr_circle_tables *t);
void orr__circle_tables_fini(struct orr_circle_tables *t);

#endif
