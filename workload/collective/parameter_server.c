/* Parameter servers: each worker sends shard j to server j mod k, which adds
 * them up when all have come and sends the sum back. A shard is a lane. Servers
 * are members n..n+k-1, on hosts of their own or shared with a worker. */
#include "workload/collective/collective.h"

static const struct orr_param params[] = {
    {
        .key = "servers",
        .type = ORR_PARAM_INTS,
        .offset = offsetof(struct orr_collective, server_hosts),
        .fallback = "",
        .help = "hosts that serve; default the topology's servers, else the "
                "host of the group's first rank",
    },
    {
        .key = "shards",
        .type = ORR_PARAM_INT,
        .offset = offsetof(struct orr_collective, shards),
        .fallback = "",
        .min = "1",
        .max = "4095",
        .help = "pieces of the message; shard j is on server j mod k; default "
                "one for each server",
    },
    ORR_PARAM_END,
};

static uint32_t lanes(const struct orr_collective *c)
{
    return (uint32_t)c->shards;
}

static uint32_t steps(const struct orr_collective *c, uint32_t lane)
{
    return 2;
}

static uint32_t server_of(const struct orr_collective *c, uint32_t lane)
{
    return c->n + lane % c->servers;
}

/* A worker has all in step 0; a server hears in step 0 and answers in 1. */
static void count(const struct orr_collective *c, struct orr_spot at,
                  uint32_t *sends, uint32_t *receives)
{
    *sends = *receives = 0;
    if (at.member < c->n) {
        *sends = *receives = at.step == 0;
    } else if (at.member == server_of(c, at.lane)) {
        *(at.step == 0 ? receives : sends) = c->n;
    }
}

static void send_shard(const struct orr_collective *c, uint64_t bytes,
                       struct orr_spot at, uint32_t i, bool reduce,
                       struct orr_transfer *t)
{
    uint32_t k = (uint32_t)c->shards;
    uint32_t peer = at.member < c->n ? server_of(c, at.lane) : i;
    orr__transfer_set(t, peer, 0, reduce, orr__piece_start(bytes, k, at.lane),
                      orr__piece_bytes(bytes, k, at.lane));
}

static void send(const struct orr_collective *c, uint64_t bytes,
                 struct orr_spot at, uint32_t i, struct orr_transfer *t)
{
    send_shard(c, bytes, at, i, at.member < c->n, t);
}

static void receive(const struct orr_collective *c, uint64_t bytes,
                    struct orr_spot at, uint32_t i, struct orr_transfer *t)
{
    send_shard(c, bytes, at, i, at.member >= c->n, t);
}

const struct orr_collective_ops orr__all_reduce_parameter_server = {
    .kind = ORR_ALL_REDUCE,
    .name = "parameter-server",
    .doc = "shards to servers, which sum and send back",
    .params = params,
    .serves = true,
    .lanes = lanes,
    .steps = steps,
    .count = count,
    .send = send,
    .receive = receive,
};
