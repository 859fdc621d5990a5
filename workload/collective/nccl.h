/* NCCL's public constants and its cost model (src/graph/tuning.cc, search.cc,
 * connect.cc and enqueue.cc of NCCL 2.2x): which algorithm, protocol and number
 * of channels it takes, and what the copies of a channel cost. */
#ifndef ORR_WORKLOAD_COLLECTIVE_NCCL_H
#define ORR_WORKLOAD_COLLECTIVE_NCCL_H

#include "core/config/param.h"
#include "workload/collective/collective.h"

/* What NCCL finds out about a server. */
struct orr_nccl_server {
    uint32_t nics;      /* of a server; 0: none is known */
    uint64_t nic_bps;   /* the slowest of them, bit/s */
    uint64_t local_bps; /* of a member's links inside */
};

extern const struct orr_collective_ops orr__all_reduce_nccl_ring,
    orr__all_reduce_nccl_tree;

/* The keys of algorithms that run in channels. */
extern const struct orr_param orr__nccl_params[];

/* Settles ops (where these are to be chosen), protocol and channels of a call
 * of `bytes`, and makes the plan. c->local is set. */
void orr__nccl_plan(struct orr_collective *c, uint64_t bytes,
                    const struct orr_nccl_server *server);
/* The costs of a protocol alone, in plan.channels. */
void orr__nccl_costs(struct orr_collective *c, uint64_t bytes,
                     const struct orr_nccl_server *server);
/* Slots below which the channels of the call would wait for one another in a
 * circle. */
uint32_t orr__nccl_slots_least(const struct orr_collective *c);
/* What NCCL's own model says that it takes, ps. */
int64_t orr__nccl_time(const struct orr_collective *c, uint64_t bytes,
                       const struct orr_nccl_server *server);
const char *orr__protocol_name(int protocol);

static inline uint32_t orr__nccl_local(const struct orr_collective *c)
{
    return c->local > 0 ? (uint32_t)c->local : 1;
}
/* A chunk's part that slice `i` is of the share of a channel, in chunk `k`. */
static inline uint64_t orr__slice_bytes(const struct orr_channel_plan *p,
                                        uint64_t share, uint32_t k, uint32_t i)
{
    uint64_t first = k * p->chunk;
    uint64_t left = share > first ? share - first : 0;
    return orr__piece_bytes(left < p->chunk ? left : p->chunk, p->slices, i);
}

#endif
