/* The keys of a program's operations, as read from YAML. */
#ifndef ORR_WORKLOAD_PROGRAM_KEYS_H
#define ORR_WORKLOAD_PROGRAM_KEYS_H

#include "core/config/param.h"
#include "workload/program/program.h"

struct orr_compute_keys {
    int64_t time, stream;
    const struct orr_yaml *jitter;
};

struct orr_message_keys {
    const char *from, *to;
    uint64_t size;
    int64_t tag;
};

struct orr_call_keys {
    uint64_t size, memory;
    const char *algorithm;
    int64_t chunks, concurrent, delay, root;
    struct orr_ints group;
};

#endif
