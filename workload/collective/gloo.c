/* The ring all-reduce of Gloo, which PyTorch uses on CPUs, with its segments.
 *
 * The message is cut into segments, as many for each member, at least two. A
 * member sends to the one before it and receives from the one after it, one
 * segment after another, two under way at once: it waits for a segment before
 * it sends the one after the next. There are two rounds of all segments but
 * two: in the first a segment is added up as it travels, in the second it is
 * copied. With two segments a member that is the ideal 2 (n - 1) / n of the
 * message. With more, rounds go on beyond what is needed (what is added too
 * often then is replaced in the second round), so more bytes travel: this is
 * what the library does. (gloo/allreduce.cc, commit 1d9e62a.)
 *
 * As steps: step s sends segment s and receives segment s - 1. */
#include "core/assert.h"
#include "workload/collective/collective.h"

#define ELEMENT     4u /* bytes; segments hold whole numbers */
#define SEGMENT_MAX (UINT64_C(1) << 20)

/* How a message is cut. */
struct cut {
    uint64_t segment; /* bytes; the last ones may be shorter, or empty */
    uint64_t each;    /* segments for each member */
    uint64_t sent;    /* segments that a member sends in a round */
};

/* Segments are a whole number of elements, SEGMENT_MAX at most, and at least
 * two for each member. */
static struct cut cut_of(const struct orr_collective *c, uint64_t bytes)
{
    uint64_t n = c->n, least = 2 * n;
    uint64_t segment = bytes / least + (bytes % least > 0);
    segment += (ELEMENT - segment % ELEMENT) % ELEMENT;
    if (segment > SEGMENT_MAX)
        segment = SEGMENT_MAX;
    if (segment == 0)
        segment = ELEMENT;
    uint64_t all = bytes / segment + (bytes % segment > 0);
    ORR_ASSERT(segment % ELEMENT == 0 && segment <= SEGMENT_MAX);
    uint64_t each = all <= least ? 2 : (all + n - 1) / n;
    return (struct cut){segment, each, each * n - 2};
}

static uint32_t steps(const struct orr_collective *c, uint32_t lane)
{
    if (c->n == 1)
        return 0;
    uint64_t all = 2 * (cut_of(c, c->largest).sent + 1);
    return all < ORR_MAX_STEPS ? (uint32_t)all : ORR_MAX_STEPS;
}

static void count(const struct orr_collective *c, struct orr_spot at,
                  uint32_t *sends, uint32_t *receives)
{
    *sends = *receives = c->n > 1;
}

/* Segment i of a round; `from`: the member whose segments come first. */
static void segment(const struct orr_collective *c, uint64_t bytes,
                    const struct cut *k, uint32_t from, uint64_t i,
                    struct orr_transfer *t)
{
    uint64_t index = (from % c->n * k->each + i) % (k->each * c->n);
    uint64_t first = index * k->segment;
    uint64_t left = first < bytes ? bytes - first : 0;
    t->range[0].first = first;
    t->range[0].bytes = t->bytes = left < k->segment ? left : k->segment;
}

static void send(const struct orr_collective *c, uint64_t bytes,
                 struct orr_spot at, uint32_t i, struct orr_transfer *t)
{
    struct cut k = cut_of(c, bytes);
    uint64_t round = at.step / (k.sent + 1), s = at.step % (k.sent + 1);
    orr__transfer_set(t, orr__round_down(at.member, 1, c->n), at.step + 1,
                      round == 0, 0, 0);
    if (round < 2 && s < k.sent)
        segment(c, bytes, &k, at.member + (round == 0), s, t);
}

static void receive(const struct orr_collective *c, uint64_t bytes,
                    struct orr_spot at, uint32_t i, struct orr_transfer *t)
{
    struct cut k = cut_of(c, bytes);
    uint64_t round = at.step / (k.sent + 1), s = at.step % (k.sent + 1);
    orr__transfer_set(t, orr__round_up(at.member, 1, c->n), at.step, round == 0,
                      0, 0);
    if (round < 2 && s > 0)
        segment(c, bytes, &k, at.member + 1 + (round == 0), s - 1, t);
}

const struct orr_collective_ops orr__all_reduce_gloo_ring = {
    .kind = ORR_ALL_REDUCE,
    .name = "gloo-ring",
    .doc = "Gloo's ring: segments of up to 1 MiB, two in flight",
    .steps = steps,
    .count = count,
    .send = send,
    .receive = receive,
};
