/* Times are in ns and rates in percent below, as NCCL has them; no figure of
 * this file was fitted. */
#include "workload/collective/nccl.h"

#include <string.h>

#include "core/units.h"

static const char *const protocols[] = {"none",   "ll",   "ll128",
                                        "simple", "auto", NULL};

const char *orr__protocol_name(int protocol)
{
    return protocols[protocol];
}

static const char *in_no_channels(const void *set, const void *around)
{
    const struct orr_collective *c = set;
    return c->protocol == ORR_PROTOCOL_NONE && !c->ops->chosen
               ? "with `protocol: none` it runs in no channels"
               : NULL;
}

#define LOCAL                                                                  \
    {                                                                          \
        .key = "local", .type = ORR_PARAM_INT,                                 \
        .offset = offsetof(struct orr_collective, local), .fallback = "",      \
        .min = "1", .max = "1024",                                             \
        .help = "ranks of a server: neighbours in the group; default: those "  \
                "that are placed on one host"                                  \
    }

const struct orr_param orr__nccl_params[] = {
    LOCAL,
    {
        .key = "protocol",
        .type = ORR_PARAM_CHOICE,
        .offset = offsetof(struct orr_collective, protocol),
        .fallback = "none",
        .choices = protocols,
        .help = "what carries slices from rank to rank, with the costs of "
                "NCCL's public tables; auto: as its cost model chooses; none: "
                "messages of whole steps, without costs",
    },
    {
        .key = "channels",
        .type = ORR_PARAM_INT,
        .offset = offsetof(struct orr_collective, channels),
        .fallback = "",
        .min = "1",
        .max = "64",
        .help = "chains of copies side by side, with a share of the message "
                "each; default: as many as NCCL takes for this size",
        .idle = in_no_channels,
    },
    {
        .key = "slots",
        .type = ORR_PARAM_INT,
        .offset = offsetof(struct orr_collective, slots),
        .fallback = "8",
        .min = "1",
        .max = "65536",
        .help = "steps that a connector of two ranks holds; a slice of simple "
                "rings takes two",
        .idle = in_no_channels,
    },
    ORR_PARAM_END,
};

#define GBPS UINT64_C(1000000000)

/* ---- the tables ---------------------------------------------------------- */

enum { RING, TREE };

/* By algorithm and protocol (LL, LL128, Simple), ns. */
static const uint32_t base_ns[2][3] = {{6600, 14000, 8400},
                                       {6800, 14000, 8400}};
static const uint32_t inside_ns[2][3] = {{600, 1900, 3400}, {600, 1250, 4000}};
static const uint32_t between_ns[2][3] = {{2700, 4000, 14000},
                                          {5000, 8500, 14000}};
/* Data of one slot: LL has a flag of 4 bytes for 4, LL128 one of 8 for 120. */
static const uint32_t slot_bytes[3] = {32768, 576000, 524288};
static const uint32_t wire[3][2] = {{2, 1}, {16, 15}, {1, 1}};
/* Between servers the proxy takes this for a step of a ring; Simple has three
 * of them. */
enum { PROXY_NS = 1000 };
/* Rings of Simple reach a plateau: steps cost so many percent. */
enum { PLATEAU = 140 };
/* What LL carries between servers at most, bit/s; LL and LL128 of what Simple
 * does, trees of what rings do, percent. */
#define LL_MOST_BPS UINT64_C(163200000000)
enum { LL_SHARE = 50, LL128_SHARE = 92, TREE_SHARE = 92, CHANNELS_MOST = 32 };
/* How much of its bandwidth a tree has, tenths, by log2 (bytes / 64). */
static const uint8_t tree_tenths[3][23] = {
    {10, 10, 10, 10, 9, 8, 7, 7, 7, 7, 6, 5, 4, 4, 5, 6, 7, 7, 8, 8, 9, 9, 10},
    {10, 10, 10, 10, 10, 9,  8,  8,  8,  8,  7, 6,
     6,  7,  7,  8,  8,  10, 10, 10, 10, 10, 10},
    {9, 9, 9, 9, 9, 9, 9, 8, 7, 6, 6, 5, 5, 5, 5, 6, 7, 8, 7, 8, 9, 9, 9}};
/* Rates of a channel that its search tries, Gbit/s: between servers, inside. */
static const uint16_t speeds_between[] = {384, 360, 336, 320, 240, 192, 176,
                                          160, 140, 120, 96,  48,  24,  0};
static const uint16_t speeds_inside[] = {480, 400, 320, 240, 192, 160,
                                         120, 96,  88,  48,  24,  0};

/* ---- what NCCL finds ----------------------------------------------------- */

/* Channels of a communicator, and what all of them carry. */
struct found {
    uint32_t searched, channels; /* before they are doubled, and then */
    uint64_t bps;
};

static uint32_t servers_of(const struct orr_collective *c)
{
    return c->local > 0 ? c->n / (uint32_t)c->local : c->n;
}

/* The highest of the speeds within a rate, bit/s; below all: the rate. */
static uint64_t speed_within(const uint16_t *speed, uint64_t bps)
{
    for (; *speed; speed++)
        if (*speed * GBPS <= bps)
            return *speed * GBPS;
    return bps;
}

/* One channel a NIC, or twelve inside one server; then each is doubled, and
 * fast ones between servers once more. */
static struct found find_channels(const struct orr_collective *c,
                                  const struct orr_nccl_server *s)
{
    struct found f = {12, 12, 0};
    uint64_t one = speed_within(speeds_inside, s->local_bps / 12);
    bool between = servers_of(c) > 1;
    if (between) {
        uint32_t each = 1; /* what is faster than the fastest takes several */
        while (each < CHANNELS_MOST && s->nics
               && s->nic_bps / each > 480 * GBPS)
            each++;
        f.channels = s->nics ? s->nics * each : 1;
        one = speed_within(speeds_between, s->nic_bps / each);
    }
    if (f.channels > CHANNELS_MOST / 2)
        f.channels = CHANNELS_MOST / 2;
    f.searched = f.channels;
    f.bps = one * f.channels;
    f.channels *= 2;
    if (between && one > 45 * 8 * GBPS && f.channels < 16)
        f.channels *= 2;
    return f;
}

/* ---- its cost model ------------------------------------------------------ */

/* One candidate: bytes as NCCL counts them, of all members where they are cut.
 */
struct candidate {
    const struct orr_collective *c;
    int kind, protocol; /* RING or TREE; 0: LL ... */
    uint64_t bytes;
    struct found f;
};

/* Steps of a ring. */
static uint32_t rounds_of(const struct orr_collective *c)
{
    return c->ops->kind == ORR_ALL_REDUCE ? 2 * (c->n - 1) : c->n - 1;
}

/* What all channels carry by a protocol. */
static uint64_t carried(const struct candidate *k)
{
    uint64_t bps = k->f.bps;
    if (k->kind == TREE && k->protocol > 0)
        bps = bps / 100 * TREE_SHARE;
    if (k->kind == TREE && k->protocol == 0)
        bps = bps * 10 / 38;
    if (k->kind == RING && k->protocol == 0)
        bps = bps / 100 * LL_SHARE;
    if (k->kind == RING && k->protocol == 1)
        bps = bps / 100 * LL128_SHARE;
    if (k->protocol == 0 && servers_of(k->c) > 1 && bps > LL_MOST_BPS)
        bps = LL_MOST_BPS;
    return bps ? bps : 1;
}

static bool on_plateau(const struct candidate *k)
{
    return k->kind == RING && k->protocol == 2 && servers_of(k->c) > 1
           && k->c->ops->kind == ORR_ALL_REDUCE
           && k->bytes / ((uint64_t)k->f.channels * k->c->n) >= 64;
}

/* Until a step is seen, ns. */
static uint32_t step_ns(const struct candidate *k, bool inside)
{
    uint32_t ns = (inside ? inside_ns : between_ns)[k->kind][k->protocol];
    uint32_t proxy = k->protocol == 2 ? 3 * PROXY_NS : PROXY_NS;
    if (inside && k->kind == RING && servers_of(k->c) > 1 && ns < proxy)
        ns = proxy;
    return on_plateau(k) ? ns * PLATEAU / 100 : ns;
}

/* Of the steps, one after another, ns. */
static uint64_t latency_ns(const struct candidate *k)
{
    uint32_t servers = servers_of(k->c);
    uint64_t all, between;
    if (k->kind == TREE) {
        between =
            2 * (uint64_t)(servers > 1 ? orr__log2_up(servers + 1) - 1 : 0);
        all = between + 2 * (uint64_t)(k->c->n / servers - 1);
    } else {
        all = rounds_of(k->c);
        between = servers > 1 ? all / (k->c->n - 1) * (servers - 1) : 0;
    }
    return base_ns[k->kind][k->protocol] + (all - between) * step_ns(k, true)
           + between * step_ns(k, false);
}

/* Latency and bytes, ps. */
static int64_t time_of(const struct candidate *k)
{
    uint64_t bps = carried(k), bytes = k->bytes;
    uint64_t logs =
        bytes >= 64 ? 63 - (uint64_t)__builtin_clzll(bytes >> 6) : 0;
    if (k->c->n < 2)
        return 0;
    if (k->kind == TREE) {
        if (logs < 23)
            bps = bps / 10 * tree_tenths[k->protocol][logs];
        bps /= 2;
    } else {
        bps = bps / rounds_of(k->c) * k->c->n;
    }
    return orr__time_add((int64_t)latency_ns(k) * ORR_NS,
                         orr__serialisation(bytes, bps ? bps : 1));
}

/* Bytes as NCCL's model counts them. */
static uint64_t counted(const struct orr_collective *c, uint64_t bytes)
{
    return c->ops->kind == ORR_ALL_GATHER ? bytes * c->n : bytes;
}

/* The fastest of those that are open: kinds and protocols from .. to. */
static struct candidate fastest(const struct orr_collective *c, uint64_t bytes,
                                const struct orr_nccl_server *server)
{
    struct candidate best = {0}, k = {.c = c};
    int64_t least = ORR_NEVER;
    bool tree = c->ops == &orr__all_reduce_nccl_tree;
    k.bytes = counted(c, bytes);
    k.f = find_channels(c, server);
    for (k.kind = RING; k.kind <= TREE; k.kind++)
        for (k.protocol = 0; k.protocol < 3; k.protocol++) {
            if (!c->ops->chosen && (k.kind == TREE) != tree)
                continue;
            if (c->protocol != ORR_PROTOCOL_AUTO
                && c->protocol - ORR_PROTOCOL_LL != k.protocol)
                continue;
            int64_t t = time_of(&k);
            if (t < least
                || !best.c) { /* the first one, even if it never ends */
                least = t;
                best = k;
            }
        }
    return best;
}

int64_t orr__nccl_time(const struct orr_collective *c, uint64_t bytes,
                       const struct orr_nccl_server *server)
{
    const struct candidate k = fastest(c, bytes, server);
    return time_of(&k);
}

/* ---- the plan ------------------------------------------------------------ */

/* Fewer channels where each would have too little for its threads. */
static uint32_t channels_for(const struct candidate *k)
{
    static const uint32_t threads[3] = {512, 640, 512}, each[3] = {8, 8, 64};
    uint64_t least = (uint64_t)threads[k->protocol] * each[k->protocol];
    uint32_t n = k->f.channels;
    if (k->kind == RING && k->protocol == 0)
        least *= k->c->n;
    while (n > 1 && k->bytes < n * least)
        n--;
    return n;
}

/* Chunks of trees shrink until a pipeline of them is full. */
static uint64_t tree_chunk(const struct candidate *k, uint32_t channels)
{
    uint64_t chunk = slot_bytes[k->protocol], share = k->bytes / channels;
    uint32_t servers = servers_of(k->c), local = k->c->n / servers;
    uint32_t log = servers > 1 ? orr__log2_up(servers + 1) - 1 : 0;
    uint32_t depth = (local > 1 ? local : 0) + log;
    const uint64_t simple[3][2] = {{8 * (uint64_t)depth, 131072},
                                   {4 * (uint64_t)depth, 65536},
                                   {depth, 32768}};
    /* LL128: 1 + log2 servers + a tenth of a server's members */
    uint64_t steps = 10 * (1 + (uint64_t)log) + local;
    const uint64_t ll128[2][2] = {{steps * 64 / (10 * (uint64_t)local), 131072},
                                  {steps * 16 / (10 * (uint64_t)local), 32768}};
    for (int i = 0; k->protocol == 2 && i < 3; i++)
        while (share / chunk < simple[i][0] && chunk > simple[i][1])
            chunk /= 2;
    for (int i = 0; k->protocol == 1 && i < 2; i++)
        while (share / chunk < ll128[i][0] && chunk > ll128[i][1])
            chunk /= 2;
    return chunk;
}

/* Steps of slots that a slice takes, and a chunk. */
static uint32_t slice_steps(const struct orr_collective *c, bool tree)
{
    return c->protocol == ORR_PROTOCOL_SIMPLE && !tree ? 2 : 1;
}

static uint32_t chunk_steps(const struct orr_collective *c, bool tree)
{
    if (c->protocol != ORR_PROTOCOL_SIMPLE || tree)
        return 1;
    return c->ops->kind == ORR_ALL_REDUCE ? 4 : 2;
}

uint32_t orr__nccl_slots_least(const struct orr_collective *c)
{
    bool tree = c->ops == &orr__all_reduce_nccl_tree;
    uint32_t slice = slice_steps(c, tree);
    return tree ? slice : chunk_steps(c, tree) + slice;
}

/* A chunk of little is one slice, as a slice has a least size. */
static uint32_t slices_of(const struct orr_collective *c, bool tree,
                          uint64_t share)
{
    uint32_t n = chunk_steps(c, tree) / slice_steps(c, tree);
    return share > slot_bytes[2] / 16 ? n : 1;
}

/* What one of so many channels copies, bit/s: those that were doubled share
 * what was found for one. */
static uint64_t copy_bps(const struct candidate *k, uint32_t channels)
{
    static const uint64_t share[3] = {LL_SHARE, LL128_SHARE, 100};
    uint32_t n = channels > k->f.searched ? channels : k->f.searched;
    uint64_t bps = k->f.bps / n / 100 * share[k->protocol];
    return bps ? bps : 1;
}

/* What copies cost. */
static void set_costs(const struct candidate *k, struct orr_channel_plan *p)
{
    p->copy_bps = copy_bps(k, p->channels);
    p->pace_bps = p->copy_bps;
    if (k->protocol == 0 && servers_of(k->c) > 1
        && p->pace_bps > LL_MOST_BPS / p->channels)
        p->pace_bps = LL_MOST_BPS / p->channels;
    memcpy(p->wire, wire[k->protocol], sizeof p->wire);
    p->base_ps = base_ns[k->kind][k->protocol] * (int64_t)ORR_NS;
    p->inside_ps = step_ns(k, true) * (int64_t)ORR_NS;
    p->between_ps = step_ns(k, false) * (int64_t)ORR_NS;
    /* threads of Simple and LL128 go on when their stores are seen; LL has a
     * flag in every word, so nothing waits for a whole slice */
    p->hold_ps = k->protocol ? p->inside_ps : 0;
    p->streams = k->protocol == 0;
}

void orr__nccl_costs(struct orr_collective *c, uint64_t bytes,
                     const struct orr_nccl_server *server)
{
    const struct candidate k = {.c = c,
                                .protocol = c->protocol - ORR_PROTOCOL_LL,
                                .bytes = bytes,
                                .f = find_channels(c, server)};
    set_costs(&k, &c->plan);
}

void orr__nccl_plan(struct orr_collective *c, uint64_t bytes,
                    const struct orr_nccl_server *server)
{
    const struct candidate k = fastest(c, bytes, server);
    struct orr_channel_plan *p = &c->plan;
    bool tree = k.kind == TREE;
    if (c->ops->chosen) {
        c->chosen_by = c->ops->name;
        c->ops = tree ? &orr__all_reduce_nccl_tree : &orr__all_reduce_nccl_ring;
    }
    c->protocol = ORR_PROTOCOL_LL + k.protocol;
    p->channels = c->channels ? (uint32_t)c->channels : channels_for(&k);
    p->chunk = tree ? tree_chunk(&k, p->channels)
                    : slot_bytes[k.protocol] * (uint64_t)chunk_steps(c, tree);
    p->slices = slices_of(c, tree, k.bytes / c->n / p->channels);
    p->room = (uint32_t)c->slots / slice_steps(c, tree);
    p->blocks = p->channels * c->ops->blocks;
    set_costs(&k, p);
}
