/* What is beyond what can be simulated, as far as it shows before the run. */
#ifndef ORR_WORKLOAD_PROGRAM_LIMITS_H
#define ORR_WORKLOAD_PROGRAM_LIMITS_H

#include <stdbool.h>

#include "net/config/failures.h"
#include "workload/program/program.h"
#include "workload/world.h"

/* The rate of the fastest link at any time of the run. */
uint64_t orr__program_limits_fastest(const struct orr_graph *g,
                                     const struct orr_failures *f);

/* Most bytes of one message over the network, and of one between ranks of a
 * host, that takes local_bps. */
uint64_t orr__program_limits_message(const struct orr_world *w);
uint64_t orr__program_limits_local(const struct orr_world *w,
                                   uint64_t local_bps);
/* Why a message of more than that cannot be, in words: "more than ...". */
void orr__program_limits_words(const struct orr_world *w, uint64_t bytes,
                               char *text, size_t size);

/* For messages of a program that is read, or was. */
struct orr_program_limits {
    const struct orr_world *world;
    const uint32_t *hosts; /* per rank */
    uint64_t local_bps;    /* between ranks of one host */
};
/* Does an operation have a message that cannot be? Then text says why. Servers
 * of calls are known by then. */
bool orr__program_limits_beyond(const struct orr_program_limits *r,
                                const struct orr_program *p,
                                const struct orr_op *op, char *text,
                                size_t size);

#endif
