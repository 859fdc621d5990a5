/* The text of an ASTRA-sim 1.0 workload: the project's notes on formats,
 * section 1c. */
#ifndef ORR_FORMATS_ASTRA_TEXT_H
#define ORR_FORMATS_ASTRA_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/config/param.h"
#include "core/error.h"
#include "core/memory.h"
#include "workload/collective/collective.h"

enum orr_astra_type {
    ORR_ASTRA_MICRO,
    ORR_ASTRA_DATA,
    ORR_ASTRA_DATA_REORDER,
    ORR_ASTRA_MODEL,
    ORR_ASTRA_DISTRIBUTED_INFERENCE,
    ORR_ASTRA_HYBRID_DATA_MODEL,
    ORR_ASTRA_HYBRID_MODEL_DATA,
    ORR_ASTRA_HYBRID_TRANSFORMER,
    ORR_ASTRA_HYBRID_TRANSFORMER_FWD_IN_BCKWD,
    ORR_ASTRA_HYBRID_DLRM,
    ORR_ASTRA_HYBRID_DLRM_ENHANCED,
    ORR_ASTRA_HYBRID_CUSTOMIZED,
    ORR_ASTRA_TYPES,
};

/* Whom SimAI's suffixes of a kind name: none, _EP, _DP_EP. */
enum orr_simai_suffix { ORR_SIMAI_NONE, ORR_SIMAI_EP, ORR_SIMAI_DP_EP };

/* A stage of a layer, as written. */
struct orr_astra_stage_text {
    double compute_ns;
    int kind;       /* enum orr_collective_kind, -1: none */
    uint8_t suffix; /* enum orr_simai_suffix */
    uint64_t bytes;
};

/* A layer. */
struct orr_astra_line {
    const char *name;
    struct orr_astra_stage_text stage[3]; /* enum orr_astra_stage */
    double update_ns;
    enum orr_astra_type type; /* its own, with HYBRID_CUSTOMIZED */
    bool checkpoint, initiates;
    int row; /* of the file, from 1 */
};

/* Words of a transformer's header. */
enum orr_astra_head {
    ORR_ASTRA_GROUP,
    ORR_ASTRA_EP,
    ORR_ASTRA_PP,
    ORR_ASTRA_VPP,
    ORR_ASTRA_GA,
    ORR_ASTRA_ALL_GPUS,
    ORR_ASTRA_HEADS,
};

/* A workload; all of it is in the caller's arena. */
struct orr_astra_text {
    const char *file;
    struct {
        int line, col; /* of the number; 0: the header has none */
    } at[ORR_ASTRA_HEADS];
    enum orr_astra_type type;
    uint32_t group;       /* model_parallel_NPU_group; 0: not given */
    uint32_t last_bottom; /* DLRM */
    /* SimAI's longer header; 0: not given */
    uint32_t ep, pp, vpp, ga, all_gpus;
    uint64_t pp_comm; /* bytes between pipeline stages */
    uint32_t lines;
    struct orr_astra_line *line;
};

/* ECONFIG at a number of the header, or at its beginning. */
orr_err orr__astra_head_fail(const struct orr_astra_text *t,
                             enum orr_astra_head which, struct orr_report *why,
                             const char *fmt, ...) ORR_PRINTF(4, 5);
/* ECONFIG at a layer's line. */
orr_err orr__astra_text_fail(const struct orr_astra_text *t, uint32_t layer,
                             struct orr_report *why, const char *fmt, ...)
    ORR_PRINTF(4, 5);
const char *orr__astra_type_name(enum orr_astra_type t);
/* text is NUL-ended; everything in *out is the arena's. */
ORR_CHECK_RESULT orr_err orr__astra_text(const char *file, const char *text,
                                         struct orr_arena *arena,
                                         struct orr_astra_text *out,
                                         struct orr_report *why);

#endif
