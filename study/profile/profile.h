/* Measuring what a job asks of each link: `orrery profile`. */
#ifndef ORR_STUDY_PROFILE_PROFILE_H
#define ORR_STUDY_PROFILE_PROFILE_H

#include "orrery/orrery.h"
#include "workload/schedule/profile.h"

/* What is to be measured. */
struct orr_profile_request {
    const char *config;  /* file */
    const char *job;     /* its name; NULL: the only one that there is */
    uint32_t iterations; /* that are run; the last is measured */
    uint32_t bins;       /* that it is divided into; 0: automatic */
};

/* What was; freed with orr__measured_fini. */
struct orr_measured {
    orr_experiment *x; /* whose graph the profile's links are of */
    struct orr_profile profile;
    double compute_share; /* of the iteration, of the rank that computes most */
    uint64_t bytes;       /* on the wire, over all links */
    bool varies;          /* computations have jitter: others are otherwise */
    bool draws;           /* sizes are drawn anew: the same */
};

/* Runs the job with the network to itself, without gate and schedule, twice:
 * first to know how long an iteration takes, then to look at every link at the
 * ends of the bins. Bins alike are one phase; where one lies between two others
 * the phases meet within it so that bytes are right. Demands below 2 % of a
 * link's rate (ACKs, mostly) are left out of the profile. *out is to be given
 * to orr__measured_fini, however this ends. */
ORR_CHECK_RESULT orr_err orr__measure(const struct orr_profile_request *m,
                                      const struct orr_options *options,
                                      struct orr_measured *out,
                                      struct orr_report *why);
void orr__measured_fini(struct orr_measured *m);
/* What was measured, in a sentence or two for people; free with orr__free.
 * NULL: no memory. */
char *orr__measured_summary(const struct orr_measured *m);
/* As HDF5: /links and /phases. */
ORR_CHECK_RESULT orr_err orr__measured_write(const struct orr_measured *m,
                                             const char *file,
                                             struct orr_report *why);

#endif
