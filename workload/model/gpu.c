#include "workload/model/gpu.h"

#include <string.h>

#define TERA UINT64_C(1000000000000)

/* NVIDIA's data sheets: V100 SXM2 (2020), A100 80GB SXM (2022), H100 SXM
 * (2023), H200 SXM (2024), HGX B200 (2025); without sparsity. */
const struct orr_gpu orr__gpus[] = {
    {"V100", "125 TFLOPS in FP16, 15.7 in FP32, 900 GB/s", 125 * TERA,
     157 * TERA / 10, 8 * 900 * TERA / 1000},
    {"A100", "312 TFLOPS in BF16, 19.5 in FP32, 2,039 GB/s", 312 * TERA,
     195 * TERA / 10, 8 * 2039 * TERA / 1000},
    {"H100", "989.4 TFLOPS in BF16, 66.9 in FP32, 3,350 GB/s", 9894 * TERA / 10,
     669 * TERA / 10, 8 * 3350 * TERA / 1000},
    {"H200", "989.4 TFLOPS in BF16, 66.9 in FP32, 4,800 GB/s", 9894 * TERA / 10,
     669 * TERA / 10, 8 * 4800 * TERA / 1000},
    {"B200", "2,250 TFLOPS in BF16, 75 in FP32, 8,000 GB/s", 2250 * TERA,
     75 * TERA, 8 * 8 * TERA},
    {.name = NULL},
};

const struct orr_gpu *orr__gpu_find(const char *name)
{
    for (const struct orr_gpu *g = orr__gpus; g->name; g++)
        if (!strcmp(g->name, name))
            return g;
    return NULL;
}
