/* What NCCL's cost model takes for the size: its ring or its tree, which take
 * the place of this when a call is made (nccl.h). Until then it is the ring. */
#include "workload/collective/nccl.h"

static uint32_t lanes(const struct orr_collective *c)
{
    return orr__all_reduce_nccl_ring.lanes(c);
}

static uint32_t steps(const struct orr_collective *c, uint32_t lane)
{
    return orr__all_reduce_nccl_ring.steps(c, lane);
}

static void count(const struct orr_collective *c, struct orr_spot at,
                  uint32_t *sends, uint32_t *receives)
{
    orr__all_reduce_nccl_ring.count(c, at, sends, receives);
}

static void send(const struct orr_collective *c, uint64_t bytes,
                 struct orr_spot at, uint32_t i, struct orr_transfer *t)
{
    orr__all_reduce_nccl_ring.send(c, bytes, at, i, t);
}

static void receive(const struct orr_collective *c, uint64_t bytes,
                    struct orr_spot at, uint32_t i, struct orr_transfer *t)
{
    orr__all_reduce_nccl_ring.receive(c, bytes, at, i, t);
}

const struct orr_collective_ops orr__all_reduce_nccl_auto = {
    .kind = ORR_ALL_REDUCE,
    .name = "nccl-auto",
    .doc = "nccl-ring or nccl-tree, with the protocol and the channels that "
           "NCCL's cost model takes for the size",
    .params = orr__nccl_params,
    .levels = true,
    .chosen = true,
    .lanes = lanes,
    .steps = steps,
    .count = count,
    .send = send,
    .receive = receive,
};
