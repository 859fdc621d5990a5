/* GPUs by name: what their makers' data sheets give as the most they do. */
#ifndef ORR_WORKLOAD_MODEL_GPU_H
#define ORR_WORKLOAD_MODEL_GPU_H

#include <stdint.h>

/* Peaks, dense. */
struct orr_gpu {
    const char *name, *doc;
    uint64_t flops16, flops32; /* a second: FP16 or BF16 with FP32 sums; FP32 */
    uint64_t memory_bps;       /* of its memory, bit/s */
};

extern const struct orr_gpu orr__gpus[]; /* name NULL ends */
/* NULL: there is none of that name. */
const struct orr_gpu *orr__gpu_find(const char *name);

#endif
