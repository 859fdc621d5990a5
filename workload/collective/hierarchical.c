/* In two levels: inside a server, then between servers, as NCCL and Horovod do
 * where GPUs of one server share fast links. Member i is number i mod local of
 * server i / local. The message is reduced and scattered round a ring inside
 * each server; each share is then all-reduced round a ring of those who hold
 * it, and gathered inside each server again. Between servers each member sends
 * only 1 / local of what a flat ring would. */
#include "workload/collective/collective.h"

/* Of a prime number of ranks a server has one or all. */
static const char *one_level(const void *set, const void *around)
{
    const struct orr_call_facts *f = around;

    if (f->empty)
        return "there are no bytes to send";
    for (uint32_t d = 2; (uint64_t)d * d <= f->members; d++)
        if (f->members % d == 0)
            return NULL;
    return "it is a ring of all, with one rank in a server or with all";
}

static const struct orr_param params[] = {
    {
        .key = "local",
        .type = ORR_PARAM_INT,
        .offset = offsetof(struct orr_collective, local),
        .fallback = "",
        .min = "1",
        .max = "16000000",
        .help = "ranks of a server: neighbours in the group; default: those "
                "that are placed on one host",
        .idle = one_level,
    },
    ORR_PARAM_END,
};

/* A member's place, the step's phase, and its number in the phase. */
struct place {
    uint32_t in, local, server, servers, phase, step;
};

static struct place place_of_step(const struct orr_collective *c,
                                  struct orr_spot at)
{
    uint32_t local = (uint32_t)c->local, servers = c->n / local;
    struct place p = {at.member % local, local, at.member / local,
                      servers,           0,     at.step};
    const uint32_t length[] = {local - 1, 2 * (servers - 1)};
    for (; p.phase < 2 && p.step >= length[p.phase]; p.phase++)
        p.step -= length[p.phase];
    return p;
}

static uint32_t steps(const struct orr_collective *c, uint32_t lane)
{
    uint32_t local = (uint32_t)c->local;
    return 2 * (local - 1) + 2 * (c->n / local - 1);
}

static void count(const struct orr_collective *c, struct orr_spot at,
                  uint32_t *sends, uint32_t *receives)
{
    *sends = *receives = c->n > 1;
}

/* What the member whose place is p sends in this step. */
static void outgoing(struct place p, uint64_t bytes, struct orr_transfer *t)
{
    uint32_t share = p.in;
    if (p.phase == 0)
        share = orr__round_down(p.in, p.step + 1, p.local);
    else if (p.phase == 2)
        share = orr__round_down(p.in, p.step, p.local);
    uint64_t first = orr__piece_start(bytes, p.local, share);
    uint64_t length = orr__piece_bytes(bytes, p.local, share);
    t->reduce = p.phase == 0;
    if (p.phase == 1) {
        uint32_t n = p.servers;
        uint32_t piece = orr__round_down(p.server, p.step % n, n);
        first += orr__piece_start(length, n, piece);
        length = orr__piece_bytes(length, n, piece);
        t->reduce = p.step < n - 1;
    }
    t->range[0] = (struct orr_range){first, length};
    t->bytes = length;
}

static uint32_t member(const struct place *p, uint32_t in, uint32_t server)
{
    return server * p->local + in;
}

static void send(const struct orr_collective *c, uint64_t bytes,
                 struct orr_spot at, uint32_t i, struct orr_transfer *t)
{
    struct place p = place_of_step(c, at);
    uint32_t peer =
        p.phase == 1 ? member(&p, p.in, orr__round_up(p.server, 1, p.servers))
                     : member(&p, orr__round_up(p.in, 1, p.local), p.server);
    orr__transfer_set(t, peer, at.step, false, 0, 0);
    outgoing(p, bytes, t);
}

static void receive(const struct orr_collective *c, uint64_t bytes,
                    struct orr_spot at, uint32_t i, struct orr_transfer *t)
{
    struct place p = place_of_step(c, at);
    if (p.phase == 1)
        p.server = orr__round_down(p.server, 1, p.servers);
    else
        p.in = orr__round_down(p.in, 1, p.local);
    orr__transfer_set(t, member(&p, p.in, p.server), at.step, false, 0, 0);
    outgoing(p, bytes, t);
}

const struct orr_collective_ops orr__all_reduce_hierarchical = {
    .kind = ORR_ALL_REDUCE,
    .name = "hierarchical",
    .doc = "rings inside each server, and between servers",
    .params = params,
    .levels = true,
    .steps = steps,
    .count = count,
    .send = send,
    .receive = receive,
};
