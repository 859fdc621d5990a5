/* Chakra execution traces as programs, and programs as Chakra traces. */
#ifndef ORR_FORMATS_CHAKRA_CHAKRA_H
#define ORR_FORMATS_CHAKRA_CHAKRA_H

#include "formats/astra/system.h"
#include "formats/trace.h"

/* How traces are to be run. */
struct orr_chakra_how {
    const char *path;   /* FILE, or PREFIX of PREFIX.0.et ..., to open */
    const char *groups; /* communicator groups, JSON; NULL: none */
    const struct orr_astra_system *system; /* NULL: as the next say */
    const struct orr_custom *custom;       /* with `system`; NULL: none */
    const struct orr_astra_memory *memory; /* with `system`; NULL: local */
    uint32_t queues;                       /* with `system` */
    struct orr_ints logical_dims; /* with `system`; empty: the network's */
    bool replicate;
    int control; /* enum orr_chakra_control */
    const char *algorithm;
    struct orr_ints servers; /* hosts, for the algorithm parameter-server */
    uint32_t chunks, concurrent;
    int64_t endpoint_ps;
    uint64_t memory_bps; /* of reductions; 0: they take no time */
    /* of computations and memory nodes; 0: they last as recorded */
    double tflops;
    uint64_t tensor_bps;
};

/* Whether path is a Chakra file or such a prefix. */
bool orr__chakra_is(const char *path);
ORR_CHECK_RESULT orr_err orr__chakra_read(const struct orr_trace_job *job,
                                          const struct orr_chakra_how *how,
                                          struct orr_program **out,
                                          struct orr_trace_info *info,
                                          struct orr_report *why);

/* Writes what one rank of a program does as a Chakra trace, for ASTRA-sim and
 * others: a node for each operation. Groups other than all ranks become
 * pg_name "1", "2", ... in the order of the calls that have them. */
ORR_CHECK_RESULT orr_err orr__chakra_write(const struct orr_program *p,
                                           uint32_t rank, const char *file,
                                           struct orr_report *why);
/* Those groups as ASTRA-sim's communicator groups, {"1": [...], ...} */
ORR_CHECK_RESULT orr_err orr__chakra_write_groups(const struct orr_program *p,
                                                  const char *file,
                                                  struct orr_report *why);

#endif
