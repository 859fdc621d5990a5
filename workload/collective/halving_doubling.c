/* Recursive halving and doubling for all-reduce. With p the largest power of
 * two in n, the first 2 (n - p) members pair up: the even one gives all it has
 * to the odd one before (step 0) and gets the result after (the last step), so
 * that p remain. These halve the message while the distance doubles (the most
 * bytes go to the nearest), then go back the same way. */
#include "core/assert.h"
#include "workload/collective/collective.h"

/* One member's part. */
struct plan {
    uint32_t p, log2p, extra; /* n = p + extra */
    bool idle;                /* gave its part away */
    uint32_t v;               /* place among the p that remain */
};

/* The first 2 extra members pair up, and the odd one of each pair stays. */
static struct plan plan_of(const struct orr_collective *c, uint32_t member)
{
    struct plan x = {0};
    x.log2p = 31 - (uint32_t)__builtin_clz(c->n);
    x.p = 1u << x.log2p;
    x.extra = c->n - x.p;
    ORR_ASSERT(x.p <= c->n && x.extra < x.p);
    if (member < 2 * x.extra) {
        x.idle = member % 2 == 0;
        x.v = member / 2;
    } else {
        x.v = member - x.extra;
    }
    return x;
}

static uint32_t member_at(const struct plan *x, uint32_t v)
{
    return v < x->extra ? 2 * v + 1 : v + x->extra;
}

static uint32_t steps(const struct orr_collective *c, uint32_t lane)
{
    struct plan x = plan_of(c, 0);
    return 2 * x.log2p + (x.extra ? 2 : 0);
}

/* Which exchange a step is: 0..log2p-1 halve, log2p..2*log2p-1 double. False:
 * it is one of the two with the paired member. */
static bool exchange(const struct plan *x, uint32_t step, uint32_t *e)
{
    *e = step;
    if (!x->extra)
        return true;
    *e = step - 1;
    return step > 0 && step <= 2 * x->log2p;
}

/* One message each way, but in the first and the last step, which only pairs
 * have. */
static void count(const struct orr_collective *c, struct orr_spot at,
                  uint32_t *sends, uint32_t *receives)
{
    struct plan x = plan_of(c, at.member);
    uint32_t e;
    bool paired = at.member < 2 * x.extra;
    if (exchange(&x, at.step, &e)) {
        *sends = *receives = !x.idle;
    } else {
        bool in = at.step == 0;
        *sends = paired && in == x.idle;
        *receives = paired && in != x.idle;
    }
}

/* The bytes that place v of p answers for after k halvings. */
static struct orr_range half_of(const struct plan *x, uint64_t bytes,
                                uint32_t v, uint32_t k)
{
    uint32_t first = 0, size = x->p;
    for (uint32_t i = 0; i < k; i++) {
        size /= 2;
        if (v >> i & 1)
            first += size;
    }
    uint64_t a = orr__piece_start(bytes, x->p, first);
    return (struct orr_range){a,
                              orr__piece_start(bytes, x->p, first + size) - a};
}

/* The transfer in which `to` gets its half (halving) or that of its partner
 * (doubling); seen from whichever end. */
static void transfer(const struct orr_collective *c, uint64_t bytes,
                     struct orr_spot at, bool send, struct orr_transfer *t)
{
    struct plan x = plan_of(c, at.member);
    uint32_t e;
    if (!exchange(&x, at.step, &e)) {
        uint32_t pair = at.member % 2 ? at.member - 1 : at.member + 1;
        orr__transfer_set(t, pair, at.step, at.step == 0, 0, bytes);
        return;
    }
    bool halving = e < x.log2p;
    uint32_t k = halving ? e : 2 * x.log2p - 1 - e;
    uint32_t partner = x.v ^ 1u << k;
    uint32_t owner = halving == send ? partner : x.v;
    struct orr_range r = half_of(&x, bytes, owner, k + 1);
    orr__transfer_set(t, member_at(&x, partner), at.step, halving, r.first,
                      r.bytes);
}

static void send(const struct orr_collective *c, uint64_t bytes,
                 struct orr_spot at, uint32_t i, struct orr_transfer *t)
{
    transfer(c, bytes, at, true, t);
}

static void receive(const struct orr_collective *c, uint64_t bytes,
                    struct orr_spot at, uint32_t i, struct orr_transfer *t)
{
    transfer(c, bytes, at, false, t);
}

const struct orr_collective_ops orr__all_reduce_halving_doubling = {
    .kind = ORR_ALL_REDUCE,
    .name = "halving-doubling",
    .doc = "recursive halving, then doubling: 2 log2 n steps, and two more "
           "for the members beyond a power of two",
    .steps = steps,
    .count = count,
    .send = send,
    .receive = receive,
};
