/* All-to-all on rails, as NCCL's PXN does it: what is for number b of another
 * server goes to number b of the own one first, and from there on its rail, the
 * pieces of all of the server together. A lane for each distance of servers.
 * Member i is number i mod local of server i / local. */
#include "workload/collective/collective.h"

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
    },
    ORR_PARAM_END,
};

static uint32_t count_local(const struct orr_collective *c)
{
    return c->local > 0 ? (uint32_t)c->local : 1;
}

static uint32_t servers(const struct orr_collective *c)
{
    return c->n / count_local(c);
}

static uint32_t lanes(const struct orr_collective *c)
{
    return servers(c);
}

/* To oneself nothing goes on. */
static uint32_t steps(const struct orr_collective *c, uint32_t lane)
{
    return lane ? 2 : 1;
}

static void count(const struct orr_collective *c, struct orr_spot at,
                  uint32_t *sends, uint32_t *receives)
{
    *sends = *receives = at.step ? 1 : count_local(c) - 1;
}

/* The first member of the server so many places before or behind `member`'s. */
static uint32_t server_of(const struct orr_collective *c, uint32_t member,
                          uint32_t lane, bool ahead)
{
    uint32_t l = count_local(c), s = member / l, n = servers(c);
    return (ahead ? orr__round_up(s, lane, n) : orr__round_down(s, lane, n))
           * l;
}

/* Inside a server: a piece of `from` for number `to` of the lane's server. */
static void inside(const struct orr_collective *c, uint64_t bytes,
                   struct orr_spot at, uint32_t from, uint32_t to,
                   uint32_t peer, struct orr_transfer *t)
{
    const struct orr_blocks b = {
        .count = 1,
        .owner = from,
        .piece = server_of(c, from, at.lane, true) + to % count_local(c),
    };
    orr__transfer_blocks(c, bytes, &b, peer, at.step, false, t);
}

/* Between servers: all pieces of the server at `first` for member `to`. */
static void between(const struct orr_collective *c, uint64_t bytes,
                    struct orr_spot at, uint32_t first, uint32_t to,
                    uint32_t peer, struct orr_transfer *t)
{
    const struct orr_blocks b = {
        .count = count_local(c),
        .owner = first,
        .piece = to,
        .owner_step = 1,
    };
    orr__transfer_blocks(c, bytes, &b, peer, at.step, false, t);
}

/* The i-th other member of the own server, each beginning with the next. */
static uint32_t other_local(const struct orr_collective *c, uint32_t member,
                            uint32_t i, bool ahead)
{
    uint32_t l = count_local(c), in = member % l;
    return member - in
           + (ahead ? orr__round_up(in, i + 1, l)
                    : orr__round_down(in, i + 1, l));
}

static void send(const struct orr_collective *c, uint64_t bytes,
                 struct orr_spot at, uint32_t i, struct orr_transfer *t)
{
    uint32_t l = count_local(c), in = at.member % l;
    uint32_t peer = at.step ? server_of(c, at.member, at.lane, true) + in
                            : other_local(c, at.member, i, true);
    if (at.step)
        between(c, bytes, at, at.member - in, peer, peer, t);
    else
        inside(c, bytes, at, at.member, peer, peer, t);
}

static void receive(const struct orr_collective *c, uint64_t bytes,
                    struct orr_spot at, uint32_t i, struct orr_transfer *t)
{
    uint32_t l = count_local(c), in = at.member % l;
    uint32_t first = server_of(c, at.member, at.lane, false);
    uint32_t peer = at.step ? first + in : other_local(c, at.member, i, false);
    if (at.step)
        between(c, bytes, at, first, at.member, peer, t);
    else
        inside(c, bytes, at, peer, at.member, peer, t);
}

const struct orr_collective_ops orr__all_to_all_pxn = {
    .kind = ORR_ALL_TO_ALL,
    .name = "pxn",
    .doc = "through the member of the own server that is on the receiver's "
           "rail, whose pieces then go together",
    .params = params,
    .levels = true,
    .lanes = lanes,
    .steps = steps,
    .count = count,
    .send = send,
    .receive = receive,
};
