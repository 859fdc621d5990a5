/* ASTRA-sim's algorithms where they differ from those of workload/collective,
 * and its rules of what a step costs and when it begins. Facts: its sources,
 * system/collective (1.0) and system/astraccl/native_collectives (2.x). */
#ifndef ORR_FORMATS_ASTRA_ALGORITHM_H
#define ORR_FORMATS_ASTRA_ALGORITHM_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/astra/system.h"
#include "workload/program/program.h"

/* Gives a call whose c.n is set the algorithm, its parameters and the rules of
 * one of a dimension's implementations. local: the members are a communicator
 * group. kind: what doubleBinaryTree makes of it is always an all-reduce. */
void orr__astra_algorithm(struct orr_call *call,
                          const struct orr_astra_choice *how,
                          enum orr_collective_kind *kind, bool local);

/* Pairs 1, 2, 4, ... apart for all-reduce and reduce-scatter, which halve; and
 * n / 2, ..., 2, 1 for those that double. n: a power of two. */
extern const struct orr_collective_ops orr__astra_halving_all_reduce,
    orr__astra_halving_reduce_scatter, orr__astra_halving_all_gather;
/* A message to each of the others in turn, to each again with the sum; a lane
 * for each that may be under way. */
extern const struct orr_collective_ops orr__astra_direct_all_reduce;

#endif
