/* What ASTRA-sim charges for a step and when it lets one begin.
 *
 * Each message that has come is a packet that goes to memory; packets that are
 * "processed" there pay three passes over a message's bytes, each cut down to
 * whole nanoseconds. Which are, a cycle says: `free` packets that pay nothing,
 * then `paid` ones that do if the collective reduces (an all-reduce: in every
 * other cycle). The first `free` packets are those that start the chunk. */
#include "formats/astra/algorithm.h"

#include "core/units.h"

#define MOST_LANES   4000
#define MOST_RELAYED 2896 /* members: n (n - 1) / 2 < ORR_MAX_STEPS */

/* ---- memory -------------------------------------------------------------- */

static int64_t three_passes(const struct orr_call *x, uint64_t bytes)
{
    unsigned __int128 ns = (unsigned __int128)bytes * 8 * 1000000000;
    ns = ns / x->memory_bps * 3 * ORR_NS;
    return ns < INT64_MAX ? (int64_t)ns : INT64_MAX;
}

static int64_t of_step(const struct orr_call *x, const struct orr_step *s)
{
    return three_passes(x, s->reduced);
}

/* What a member passes down in its tree costs as much as what comes up. */
static int64_t of_tree(const struct orr_call *x, const struct orr_step *s)
{
    struct orr_spot at = s->at;
    uint32_t sends, receives;
    if (s->reduced)
        return three_passes(x, s->reduced);
    at.step++;
    x->c.ops->count(&x->c, at, &sends, &receives);
    return three_passes(x, sends ? s->bytes : 0);
}

/* A step costs what the next message has; the last halving costs nothing. */
static int64_t of_halving(const struct orr_call *x, const struct orr_step *s)
{
    bool halves = x->c.ops->kind != ORR_ALL_GATHER
                  && s->at.step + 1 < orr__log2_up(x->c.n);
    return three_passes(x, halves ? s->bytes >> (s->at.step + 2) : 0);
}

/* ---- a window ------------------------------------------------------------ */

static uint32_t window_of(const struct orr_call *x)
{
    uint32_t others = x->c.n - 1;
    return x->c.window && x->c.window < (int64_t)others ? (uint32_t)x->c.window
                                                        : others;
}

static int64_t of_cycle(const struct orr_call *x, const struct orr_step *s,
                        uint64_t paid)
{
    enum orr_collective_kind kind = x->c.ops->kind;
    uint64_t unpaid = window_of(x), packet = unpaid + s->received;
    uint64_t cycle = packet / (unpaid + paid);
    bool reduces = kind == ORR_REDUCE_SCATTER
                   || (kind == ORR_ALL_REDUCE && cycle % 2 == 0);
    bool pays = packet % (unpaid + paid) >= unpaid;
    return three_passes(x, pays && reduces ? s->bytes / x->c.n : 0);
}

static int64_t of_window(const struct orr_call *x, const struct orr_step *s)
{
    return of_cycle(x, s, window_of(x));
}

/* In a communicator group the cycle is a longer one. */
static int64_t of_local_window(const struct orr_call *x,
                               const struct orr_step *s)
{
    return of_cycle(x, s, (uint64_t)window_of(x) * (x->c.n - 1));
}

/* A packet that memory is done with lets one message go, the first w as many.
 * Those of an all-reduce's second half wait until all of the first are there;
 * what memory is done with meanwhile is kept. */
static uint32_t begin(const struct orr_call *x, const struct orr_pace *p)
{
    uint32_t others = x->c.n - 1, most = others;
    uint32_t may = window_of(x) + p->over - p->begun;
    if (x->c.ops->kind == ORR_ALL_REDUCE && p->begun >= others)
        most = p->received >= others ? 2 * others : p->begun;
    return may < most - p->begun ? may : most - p->begun;
}

/* ---- which it is --------------------------------------------------------- */

static const struct orr_call_rules plain = {.hasty = true, .memory = of_step};
static const struct orr_call_rules tree = {
    .hasty = true, .asks_early = true, .memory = of_tree};
static const struct orr_call_rules halving = {.hasty = true,
                                              .memory = of_halving};
static const struct orr_call_rules window = {
    .hasty = true, .memory = of_window, .begin = begin};
static const struct orr_call_rules local_window = {
    .hasty = true, .memory = of_local_window, .begin = begin};

/* Without a window all messages but those of an all-reduce are one step. */
static void direct(struct orr_call *call, enum orr_collective_kind kind,
                   uint32_t peers, bool local)
{
    bool windowed = peers && peers < call->c.n - 1 && peers <= MOST_LANES;
    call->c.window = windowed ? peers : 0;
    call->c.ops = orr__collective_find(kind, "direct");
    if (!windowed && (kind != ORR_ALL_REDUCE || call->c.n > MOST_LANES))
        return;
    call->rules = local ? &local_window : &window;
    if (kind == ORR_ALL_REDUCE)
        call->c.ops = &orr__astra_direct_all_reduce;
}

void orr__astra_algorithm(struct orr_call *call,
                          const struct orr_astra_choice *how,
                          enum orr_collective_kind *kind, bool local)
{
    call->rules = &plain;
    switch (how->how) {
    case ORR_ASTRA_TREES:
        *kind = ORR_ALL_REDUCE;
        call->rules = &tree;
        call->c.ops = orr__collective_find(*kind, "middle-tree");
        break;
    case ORR_ASTRA_HALVING:
        call->rules = &halving;
        call->c.ops = *kind == ORR_ALL_REDUCE ? &orr__astra_halving_all_reduce
                      : *kind == ORR_ALL_GATHER
                          ? &orr__astra_halving_all_gather
                          : &orr__astra_halving_reduce_scatter;
        break;
    case ORR_ASTRA_DIRECT: direct(call, *kind, how->window, local); break;
    default: /* a piece in each message of an all-to-all */
        call->c.ops = orr__collective_find(
            *kind, *kind == ORR_ALL_TO_ALL && call->c.n <= MOST_RELAYED
                       ? "relay"
                       : "ring");
    }
}
