/* Cells whose trials have one figure each, known beforehand. */
#ifndef ORR_TESTS_STUDY_COMPARE_TRIALS_H
#define ORR_TESTS_STUDY_COMPARE_TRIALS_H

#include <math.h>

#include "study/compare/study.h"

#define MOST_TRIALS 5

struct made {
    struct orr_trial trial[MOST_TRIALS];
    double value[MOST_TRIALS], half[MOST_TRIALS];
    struct orr_study_cell cell;
};

/* A cell of trials with seeds 1 to n and these values; NaN: failed. No run says
 * an interval of its own. */
static inline void make(struct made *m, const double *v, uint32_t n)
{
    *m = (struct made){.cell = {.trial = m->trial, .trials = n}};
    for (uint32_t i = 0; i < n; i++) {
        m->value[i] = v[i];
        m->half[i] = NAN;
        m->trial[i] = (struct orr_trial){
            .seed = i + 1,
            .state = isnan(v[i]) ? ORR_TRIAL_FAILED : ORR_TRIAL_OK,
            .value = isnan(v[i]) ? NULL : &m->value[i],
            .half = isnan(v[i]) ? NULL : &m->half[i],
        };
    }
}

#endif
