/* ASTRA-sim workloads: text files of layers (1.0) and Chakra files (2.x), run
 * as an ASTRA-sim system file says. */
#ifndef ORR_FORMATS_ASTRA_ASTRA_H
#define ORR_FORMATS_ASTRA_ASTRA_H

#include "core/none.h"
#include "formats/astra/expand.h"
#include "formats/trace.h"

enum orr_astra_stage {
    ORR_ASTRA_FWD,
    ORR_ASTRA_IG, /* input gradient */
    ORR_ASTRA_WG, /* weight gradient */
    ORR_ASTRA_STAGES
};

/* Phases of a chunk, at most: up all dimensions and back. */
enum { ORR_ASTRA_PHASES = 2 * ORR_ASTRA_DIMS };

/* From the end of one operation (ORR_NONE: the iteration's start) to the end
 * of another, for a layer's stage. */
struct orr_astra_span {
    uint32_t from, to; /* operations */
    uint32_t layer;
    uint8_t stage; /* enum orr_astra_stage */
    bool exposed;  /* the time that computation waited; else communication */
};

/* What a report in ASTRA-sim's terms needs to know of the program. */
struct orr_astra_report {
    const char *type; /* "DATA", ... */
    uint32_t layers, dims, passes;
    const char *const *dim_names; /* NULL: they have numbers */
    struct orr_astra_layer {
        const char *name;
        int64_t compute_ps[ORR_ASTRA_STAGES]; /* over all passes */
        uint32_t collectives;
        /* filled in after the run */
        int64_t exposed_ps[ORR_ASTRA_STAGES], comm_ps[ORR_ASTRA_STAGES];
        /* phases of its chunks: the most that one has; for each the mean wait
         * for its turn and the mean wait of a message for which it asked: over
         * chunks, then over collectives, whether they have this phase or not */
        uint32_t phases;
        double queue_ps[ORR_ASTRA_PHASES], network_ps[ORR_ASTRA_PHASES];
    } * layer;
    /* all collectives are layer 0's and under way together; the wait for them
     * counts until the first of them is over */
    bool waits_for_first;
    struct orr_astra_span *span; /* what times are made of after the run */
    uint32_t spans;
    struct orr_astra_phase *phase; /* collective by collective,
    chunk by chunk */
    uint32_t phases;
    /* after the run, of rank 0: mean time of a chunk in a dimension's phase
     * and mean time that it waited for its turn there */
    double chunk_ps[ORR_ASTRA_DIMS], queue_ps[ORR_ASTRA_DIMS];
    uint32_t chunks[ORR_ASTRA_DIMS]; /* ... of so many */
    /* the network's dimensions (not those that are split), and what rank 0
     * sent in each */
    uint32_t physical, physical_size[ORR_ASTRA_DIMS];
    uint64_t payload[ORR_ASTRA_DIMS]; /* bytes */
    int64_t finish_ps;                /* -1: it did not end */
    int64_t total_ps;                 /* from the start to the finish */
};

#endif
