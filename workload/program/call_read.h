/* Making calls: what is common to collectives of a program and of a training
 * job. */
#ifndef ORR_WORKLOAD_PROGRAM_CALL_READ_H
#define ORR_WORKLOAD_PROGRAM_CALL_READ_H

#include "core/config/config.h"
#include "core/error.h"
#include "topo/graph.h"
#include "workload/program/program.h"

/* What reading a call needs. */
struct orr_call_reader {
    struct orr_config *c;
    const struct orr_graph *graph;
    const uint32_t *hosts;       /* per rank */
    struct orr_program *p;       /* that the call is added to */
    const struct orr_yaml *body; /* the map with the algorithm's keys */
    const char *verb;            /* what messages call it */
    const char *key;             /* of body: holds the algorithm's name */
};

/* The algorithm that the body names, or the kind's default. */
ORR_CHECK_RESULT orr_err orr__call_algorithm(
    const struct orr_call_reader *r, enum orr_collective_kind kind,
    const struct orr_collective_ops **ops, struct orr_report *why);
/* Completes a call of which ops and their keys, group, bytes and chunks are
 * set: grid, rings, limits, and servers, whose hosts are put into *servers (to
 * be freed with orr__free, also after a failure; NULL: none). */
ORR_CHECK_RESULT orr_err orr__call_finish(const struct orr_call_reader *r,
                                          struct orr_call *call,
                                          uint32_t **servers,
                                          struct orr_report *why);

#endif
