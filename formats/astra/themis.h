/* Themis (Rashidi et al., ISCA 2022), as ASTRA-sim carries it out: which
 * dimension a chunk goes to first depends on how much the chunks before it
 * have loaded each. */
#ifndef ORR_FORMATS_ASTRA_THEMIS_H
#define ORR_FORMATS_ASTRA_THEMIS_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/astra/system.h"

/* The loads of one NPU's dimensions, which stand for all. */
struct orr_themis {
    uint32_t n; /* dimensions */
    uint32_t size[ORR_ASTRA_DIMS];
    double rate[ORR_ASTRA_DIMS]; /* of an NPU there, over that of dimension 0 */
    uint32_t gap;  /* loads that differ by less than a chunk / gap are even */
    bool flexible; /* chunks are as large as the difference of the loads */
    /* loads so far, lightest first as last sorted: equal ones keep their
     * places */
    struct orr_themis_load {
        uint32_t dim;
        double time; /* bytes over rate: only compared */
    } load[ORR_ASTRA_DIMS];
};

/* No loads, dimensions in their order. */
void orr__themis_reset(struct orr_themis *t);
/* Plans the next chunk of a collective: the order of its dimensions (all
 * n) and its bytes, at most left. chunk: what it is by the splits; involved:
 * bit d: dimension d takes part. At least one does. */
uint64_t orr__themis_plan(struct orr_themis *t, bool gathers, uint64_t left,
                          uint64_t chunk, uint32_t involved, uint32_t *order);

#endif
