/* When keys of a job have no effect (orr_param_idle): of all these, `around` is
 * the struct orr_job_facts. */
#ifndef ORR_WORKLOAD_JOB_IDLE_H
#define ORR_WORKLOAD_JOB_IDLE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/config/param.h"
#include "workload/model/train.h"

struct orr_job;
struct orr_world;

struct orr_job_facts {
    bool only;       /* the configuration has no other job */
    bool foreign;    /* a trace makes its program */
    bool computes;   /* some operation takes time */
    bool together;   /* two of its members are on one host */
    uint32_t counts; /* iterations */
    struct orr_train_facts train;
};

orr_param_idle orr__idle_overlap, orr__idle_exclusive, orr__idle_factor,
    orr__idle_local, orr__idle_every;

/* What its program says, when that is made. ENOMEM at worst. */
ORR_CHECK_RESULT orr_err orr__job_facts(struct orr_world *w,
                                        const struct orr_job *j,
                                        struct orr_job_facts *f,
                                        struct orr_report *why);

#endif
