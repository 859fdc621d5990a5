/* The longest chain of computations that wait for one another, each for as long
 * as it takes in a run before jitter: no run of the rank is shorter. */
#ifndef ORR_WORKLOAD_PROGRAM_LONGEST_H
#define ORR_WORKLOAD_PROGRAM_LONGEST_H

#include "workload/program/program.h"

/* A chain's length. */
struct orr_longest {
    int64_t ps;
    uint64_t operations; /* on it, by the numbers that their user knows: those
                          * that take no time, too */
};

/* Of a rank's part of a finished program. */
ORR_CHECK_RESULT orr_err orr__program_longest(const struct orr_program *p,
                                              uint32_t rank,
                                              struct orr_longest *out,
                                              struct orr_report *why);

#endif
