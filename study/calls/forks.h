/* Runs of a comparison as children of the calling program, made by fork: slots
 * of orr_compare_runner (study/compare/compare.h). Only these children are
 * waited for; others of the program are its own. */
#ifndef ORR_STUDY_CALLS_FORKS_H
#define ORR_STUDY_CALLS_FORKS_H

#include <sys/types.h>

#include "study/compare/compare.h"

/* What the slots are called with. */
struct orr_forks {
    pid_t *child; /* owned: those that have not ended */
    uint32_t n, room;
    const struct orr_compare_call *call; /* whose progress is told */
};

/* Room for so many at once; false: no memory. */
bool orr__forks_init(struct orr_forks *f, uint32_t jobs);
void orr__forks_fini(struct orr_forks *f); /* none runs any more */

/* arg: the struct orr_forks. */
int orr__fork_start(void *arg, const char *const *argv,
                    const struct orr_compare_files *files);
bool orr__fork_wait(void *arg, double seconds, struct orr_compare_ended *e);
void orr__fork_stop(void *arg, int id);

#endif
