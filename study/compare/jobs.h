/* What is known of a study's jobs before it runs: their names, and how many
 * iterations they have at most, over all combinations. */
#ifndef ORR_STUDY_COMPARE_JOBS_H
#define ORR_STUDY_COMPARE_JOBS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/config/config.h"
#include "core/memory.h"
#include "core/names.h"
#include "workload/world.h"

/* Zeroed: of no combination. */
struct orr_study_jobs {
    struct orr_arena arena;
    struct orr_study_job {
        const char *name;
        uint32_t iterations; /* the most that one of that name has */
    } * job;                 /* no name twice; owned */
    uint32_t count, room;    /* of `job` */
    struct orr_names names;
    uint32_t most; /* jobs that one combination has */
    bool open;     /* some come while it runs, as those of a cluster */
};

/* Adds those of a combination that was read. ENOMEM alone fails. */
ORR_CHECK_RESULT orr_err orr__study_jobs_add(struct orr_study_jobs *s,
                                             const struct orr_world *w);
void orr__study_jobs_fini(struct orr_study_jobs *s);

/* ECONFIG at `at` if no run can have what the path asks of its jobs: one that
 * no combination has, or an iteration that none of them comes to. */
ORR_CHECK_RESULT orr_err orr__study_jobs_check(const struct orr_study_jobs *s,
                                               struct orr_config *c,
                                               const char *path,
                                               const struct orr_yaml *at,
                                               struct orr_report *why);

#endif
