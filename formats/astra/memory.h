/* ASTRA-sim 2.x's remote memory file, JSON: where memory nodes of a Chakra
 * trace load from and store to. */
#ifndef ORR_FORMATS_ASTRA_MEMORY_H
#define ORR_FORMATS_ASTRA_MEMORY_H

#include <stdint.h>

#include "core/error.h"

enum orr_astra_memory_type {
    ORR_ASTRA_NO_MEMORY, /* memory nodes are an error */
    ORR_ASTRA_PER_NODE,  /* some NPUs share one, an access at a time */
    ORR_ASTRA_PER_NPU,
    ORR_ASTRA_POOL, /* all NPUs share one */
};

/* What the file says. */
struct orr_astra_memory {
    uint8_t type;            /* enum orr_astra_memory_type */
    double latency_ns, gbps; /* GB/s of 1e9 */
    uint32_t npus;           /* that share one */
};

/* text is NUL-ended; name is what messages call it; ranks: of the job. */
ORR_CHECK_RESULT orr_err orr__astra_memory(const char *name, const char *text,
                                           size_t length, uint32_t ranks,
                                           struct orr_astra_memory *out,
                                           struct orr_report *why);
/* ps for an access, in whole nanoseconds as there. */
int64_t orr__astra_memory_time(const struct orr_astra_memory *m,
                               uint64_t bytes);

#endif
