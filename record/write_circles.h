/* The circles of a plan: what jobs ask of the links on which they meet, and by
 * how much each was turned. Who planned hands them in as plain tables. */
#ifndef ORR_RECORD_WRITE_CIRCLES_H
#define ORR_RECORD_WRITE_CIRCLES_H

#include "record/record.h"
#include "topo/graph.h"

/* A link on which jobs take turns. */
struct orr_circle_row {
    uint32_t link, group; /* group: links on which the same jobs meet */
    uint64_t capacity_bps;
    int64_t perimeter_ps;       /* after which all jobs' iterations repeat */
    double score_before, score; /* before and with the shifts */
};

/* A job on a circle; those of a circle follow one another. */
struct orr_turn_row {
    uint32_t circle, job;        /* index of the row; of the job */
    int64_t period_ps, shift_ps; /* of its iterations; how much later it is to
                                  * begin them */
};

/* What a job asks of a link in a part of its iteration; those of a turn follow
 * one another. */
struct orr_turn_phase_row {
    uint32_t turn;          /* index of the row */
    int64_t from_ps, to_ps; /* in the iteration, before the shift */
    uint64_t rate_bps;
};

/* Filled by who planned, freed with orr__circle_tables_fini. */
struct orr_circle_tables {
    struct orr_circle_row *circle; /* all three are owned */
    struct orr_turn_row *turn;
    struct orr_turn_phase_row *phase;
    uint64_t circles, turns, phases; /* circles 0: there are none */
};

/* /circles, or nothing where there are none (or t is NULL); ENOMEM. Failures of
 * the file show in the record. */
ORR_CHECK_RESULT orr_err orr__circles_write(struct orr_record *r,
                                            const struct orr_graph *g,
                                            const struct orr_circle_tables *t);

#endif
