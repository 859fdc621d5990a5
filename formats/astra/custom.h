/* Collectives that ASTRA-sim 2.x's users write themselves: the system file
 * names Chakra traces of sends, receives and computations, PREFIX.0.et and so
 * on, one for each place in the group. */
#ifndef ORR_FORMATS_ASTRA_CUSTOM_H
#define ORR_FORMATS_ASTRA_CUSTOM_H

#include "formats/trace.h"
#include "workload/collective/collective.h"

/* What the system file says; texts are the job's arena's. */
struct orr_custom {
    const char *kind[ORR_COLLECTIVE_KIND_COUNT]; /* PREFIX; NULL: none */
    struct orr_custom_node {
        uint64_t id; /* of a collective in the workload */
        const char *prefix;
    } * node;
    size_t nodes;
};

/* What the system file (JSON) says of them; names live as long as the job. */
ORR_CHECK_RESULT orr_err orr__custom_read(const struct orr_trace_job *job,
                                          const char *name, const char *text,
                                          size_t length, struct orr_custom *out,
                                          struct orr_report *why);
/* PREFIX of a collective; NULL: it is not one of these. */
const char *orr__custom_of(const struct orr_custom *c,
                           enum orr_collective_kind kind, uint64_t node);

/* For chakra_build.c: the collective of a node, by these files. */
struct orr_chakra_build;
ORR_CHECK_RESULT orr_err orr__custom_add(struct orr_chakra_build *b,
                                         uint32_t node, const char *prefix,
                                         uint32_t group);
/* Forgets the files that were read for a rank. */
void orr__custom_forget(struct orr_chakra_build *b);

#endif
