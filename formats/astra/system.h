/* ASTRA-sim's system file: `key: value` lines (1.0) or JSON (2.x). Facts:
 * the project's notes on formats, section 1b; both spellings of a key mean the
 * same. */
#ifndef ORR_FORMATS_ASTRA_SYSTEM_H
#define ORR_FORMATS_ASTRA_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>

#include "core/error.h"

enum { ORR_ASTRA_DIMS = 10 }; /* at most, after one has been split */

/* How one dimension carries out a kind of collective. */
enum orr_astra_how {
    ORR_ASTRA_RING,
    ORR_ASTRA_DIRECT,
    ORR_ASTRA_HALVING,
    ORR_ASTRA_TREES,
};

/* Where something stands in the file. */
struct orr_astra_place {
    int line, col; /* 0: the file does not say it */
};

/* Algorithms of one kind of collective. */
struct orr_astra_per_dim {
    uint32_t n;
    struct orr_astra_choice {
        uint8_t how;     /* enum orr_astra_how */
        bool one;        /* a single algorithm over all dimensions */
        uint32_t window; /* direct: peers at a time; 0: all */
    } dim[ORR_ASTRA_DIMS];
    struct orr_astra_place at; /* of all of it */
};

enum orr_astra_within { /* order inside a dimension */
                        ORR_ASTRA_BY_PRIORITY,
                        ORR_ASTRA_RG,
                        ORR_ASTRA_SMALLEST,
                        ORR_ASTRA_FEWEST_LEFT,
};
enum orr_astra_between { /* order of the dimensions */
                         ORR_ASTRA_ASCENDING,
                         ORR_ASTRA_ROUND_ROBIN,
                         ORR_ASTRA_THEMIS,
};

/* A system file, read. */
struct orr_astra_system {
    bool fifo;
    bool explicit; /* priorities are those of the nodes */
    double endpoint_ns;
    struct orr_astra_place endpoint_at;
    uint32_t active, splits;
    struct orr_astra_per_dim all_reduce, all_gather, reduce_scatter, all_to_all;
    bool baseline; /* collective-optimization; else localBWAware */
    bool flexible; /* Themis chooses the chunks' sizes too */
    uint32_t gap;  /* of Themis: gap-denominator */
    uint8_t within, between;
    double memory_gbps; /* GB/s of 1e9; 0: as 1.0, 500,000 bytes a ns */
    bool roofline;
    bool replay; /* all nodes last as recorded */
    double peak_tflops;
    bool json;
    char unread[200]; /* keys that ASTRA-sim 2.x does not read either, quoted
                         and with commas between; empty: none */
    const char *file; /* the caller's, for messages; NULL: none */
};

/* ECONFIG at a place in the file. */
orr_err orr__astra_system_fail(const struct orr_astra_system *s,
                               const struct orr_astra_place *at,
                               struct orr_report *why, const char *fmt, ...)
    ORR_PRINTF(4, 5);

/* text is NUL-ended; name is what messages call it. */
ORR_CHECK_RESULT orr_err orr__astra_system(const char *name, const char *text,
                                           size_t length,
                                           struct orr_astra_system *out,
                                           struct orr_report *why);

#endif
