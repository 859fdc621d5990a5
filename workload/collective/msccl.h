/* Schedules of others: MSCCL's XML, also what ForestColl and TE-CCL write. Each
 * GPU has thread blocks; a block goes through its steps in order, has at most
 * one GPU that it sends to and one that it receives from, and may wait for
 * steps of other blocks of its GPU. */
#ifndef ORR_WORKLOAD_COLLECTIVE_MSCCL_H
#define ORR_WORKLOAD_COLLECTIVE_MSCCL_H

#include "core/error.h"
#include "core/memory.h"
#include "workload/collective/collective.h"

enum orr_msccl_buffer { ORR_MSCCL_IN, ORR_MSCCL_OUT, ORR_MSCCL_SCRATCH };

/* What a step does; a sum is of what is received and what is at its source. */
enum orr_msccl_act {
    ORR_MSCCL_RECEIVES = 1,
    ORR_MSCCL_SENDS = 2,
    ORR_MSCCL_ADDS = 4,
    ORR_MSCCL_WRITES = 8, /* its destination */
};

/* One step; chunks are counted in its buffers. */
struct orr_msccl_step {
    unsigned acts; /* of enum orr_msccl_act */
    uint8_t from_buffer, to_buffer;
    uint32_t from, to, count; /* chunks */
    uint32_t block, step;     /* that it waits for; block ORR_NONE: none */
    uint32_t in, out;         /* number of its message on its connector */
    int line;                 /* of the file */
};

/* A thread block, and its peers. */
struct orr_msccl_block {
    uint32_t send, receive, channel; /* GPUs, or ORR_NONE */
    uint32_t first, steps;           /* of the schedule's `step` */
    uint32_t all_in; /* messages of the connector that it receives by */
};

/* A schedule; owns its arrays. */
struct orr_msccl {
    const char *name; /* of the file */
    enum orr_collective_kind kind;
    uint32_t gpus, chunks, channels; /* chunks of what a GPU holds */
    uint32_t most_blocks;            /* of a GPU */
    bool in_place;
    int protocol; /* enum orr_protocol */
    struct orr_msccl_gpu {
        uint32_t first, blocks; /* of `block` */
        uint32_t room[3];       /* chunks of its buffers */
    } * gpu;
    struct orr_msccl_block *block;
    struct orr_msccl_step *step;
    uint32_t blocks, steps, block_room, step_room;
};

/* Reads a file for so many GPUs; failures name its lines, or have no place if
 * it could not be opened. *out: to be freed with orr__msccl_free. */
ORR_CHECK_RESULT orr_err orr__msccl_read(const char *path, uint32_t gpus,
                                         enum orr_collective_kind kind,
                                         struct orr_msccl **out,
                                         struct orr_report *why);
/* Whether it ends with connectors that hold so many messages, and leaves what
 * its collective promises where that belongs. */
ORR_CHECK_RESULT orr_err orr__msccl_check(const struct orr_msccl *s,
                                          uint32_t room,
                                          struct orr_report *why);
/* Whether a step uses what is at its source. */
static inline bool orr__msccl_reads(const struct orr_msccl_step *x)
{
    return x->acts & ORR_MSCCL_ADDS
           || (x->acts & ORR_MSCCL_SENDS && !(x->acts & ORR_MSCCL_RECEIVES))
           || x->acts == ORR_MSCCL_WRITES;
}
void orr__msccl_free(struct orr_msccl *s);

extern const struct orr_param orr__msccl_params[];

#endif
