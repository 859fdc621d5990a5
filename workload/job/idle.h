/* When keys of a job have no effect (orr_param_idle): of all these, `around` is
 * the struct orr_job_facts. */
#ifndef ORR_WORKLOAD_JOB_IDLE_H
#define ORR_WORKLOAD_JOB_IDLE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/config/param.h"
#include "core/error.h"
#include "workload/model/train.h"

struct orr_program;

/* What is known of a job when all of it is read. */
struct orr_job_facts {
    bool only;       /* the configuration has no other job */
    bool foreign;    /* a trace makes its program */
    bool computes;   /* some operation takes time */
    bool silent;     /* no rank sends anything */
    bool together;   /* two of its members are on one host */
    uint32_t counts; /* iterations */
    struct orr_train_facts train;
};

orr_param_idle orr__idle_overlap, orr__idle_exclusive, orr__idle_factor,
    orr__idle_local, orr__idle_every, orr__idle_silent;

/* Whether two members are on one host, of so many: hidden ones that serve
 * count. ENOMEM alone fails. */
ORR_CHECK_RESULT orr_err orr__job_facts_hosts(const uint32_t *hosts,
                                              uint32_t members, uint32_t of,
                                              struct orr_job_facts *f);
/* What its program says, when that is made; foreign is known. payload: a
 * message has more than one byte. */
void orr__job_facts_program(const struct orr_program *p,
                            struct orr_job_facts *f, bool *payload);

#endif
