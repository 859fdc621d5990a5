/* Rings along the dimensions of a grid. The members are numbered mixed radix,
 * dimension 0 fastest; those that differ in one coordinate only are a line, and
 * a line is a ring. The message is cut into as many shares as there are
 * dimensions. Share s is reduced and scattered along dimension s, what is left
 * of it along s + 1, and so on round to s - 1; then it is gathered the same way
 * back. So at any time each share has a dimension of its own, and with `both`,
 * where half a share goes each way round, all ports of a torus are busy.
 *
 * A lane is one share in one direction. */
#include "core/assert.h"
#include "workload/collective/collective.h"

static const char *const directions[] = {"forward", "backward", "both", NULL};
static const struct orr_param params[] = {
    {
        .key = "direction",
        .type = ORR_PARAM_CHOICE,
        .offset = offsetof(struct orr_collective, direction),
        .fallback = "both",
        .choices = directions,
        .help = "direction of each ring: to the higher coordinate, to the "
                "lower, or half each",
    },
    {
        .key = "dims",
        .type = ORR_PARAM_INTS,
        .offset = offsetof(struct orr_collective, dims),
        .fallback = "",
        .min = "1",
        .max = "4294967295",
        .help = "ranks along each dimension, fastest first, like [4, 4, 4]; "
                "default: the topology's, if all of its hosts take part",
    },
    ORR_PARAM_END,
};

static uint32_t shares(const struct orr_collective *c)
{
    return c->n_dims ? c->n_dims : 1; /* one member alone: nothing to do */
}

static uint32_t lanes(const struct orr_collective *c)
{
    return c->direction == ORR_BOTH ? 2 * shares(c) : shares(c);
}

/* The odd byte of a share goes backward. */
static struct orr_range lane_range(const struct orr_collective *c,
                                   uint32_t lane, uint64_t bytes)
{
    bool both = c->direction == ORR_BOTH;
    uint32_t share = both ? lane / 2 : lane;
    struct orr_range part = {orr__piece_start(bytes, shares(c), share),
                             orr__piece_bytes(bytes, shares(c), share)};
    uint64_t half = part.bytes / 2;
    if (!both)
        return part;
    return lane % 2 ? (struct orr_range){part.first + half, part.bytes - half}
                    : (struct orr_range){part.first, half};
}

/* Steps to scatter; as many gather. The order of dimensions is no matter. */
static uint32_t half_steps(const struct orr_collective *c)
{
    uint32_t sum = 0;
    for (uint32_t d = 0; d < c->n_dims; d++)
        sum += c->dim[d] - 1;
    return sum;
}

static uint32_t steps(const struct orr_collective *c, uint32_t lane)
{
    return 2 * half_steps(c);
}

static void count(const struct orr_collective *c, struct orr_spot at,
                  uint32_t *sends, uint32_t *receives)
{
    *sends = *receives = c->n > 1;
}

/* The ring that a member is in at a spot. */
struct ring {
    uint32_t n, stride; /* neighbours are `stride` members apart */
    uint32_t place;     /* of the member */
    uint32_t turn;      /* step of this ring, 0 .. n - 2 */
    bool gather, back;
    struct orr_range whole; /* what it has to share; place i ends with piece i,
                               or starts with it */
};

/* Which ring a member is in at a step, and which part of the message goes round
 * there. Each ring takes n - 1 steps. */
static struct ring ring_at(const struct orr_collective *c, uint64_t bytes,
                           struct orr_spot at)
{
    bool both = c->direction == ORR_BOTH;
    uint32_t half = half_steps(c), d = both ? at.lane / 2 : at.lane;
    struct ring r = {
        .stride = 1,
        .gather = at.step >= half,
        .back = both ? at.lane % 2 : c->direction == ORR_BACKWARD,
        .whole = lane_range(c, at.lane, bytes),
    };
    /* gathering visits the rings of scattering, the last one first */
    uint32_t left = r.gather ? 2 * half - 1 - at.step : at.step;
    for (uint32_t i = 0; i < d; i++)
        r.stride *= c->dim[i];
    for (;;) {
        r.n = c->dim[d];
        ORR_ASSERT(d < c->n_dims && r.n > 0);
        r.place = at.member / r.stride % r.n;
        if (left < r.n - 1)
            break;
        left -= r.n - 1;
        r.whole = (struct orr_range){
            r.whole.first + orr__piece_start(r.whole.bytes, r.n, r.place),
            orr__piece_bytes(r.whole.bytes, r.n, r.place),
        };
        d = d + 1 < c->n_dims ? d + 1 : 0;
        r.stride = d ? r.stride * r.n : 1;
    }
    r.turn = r.gather ? r.n - 2 - left : left;
    return r;
}

/* The place `by` further back along the ring, by <= n. */
static uint32_t behind(const struct ring *r, uint32_t by)
{
    return r->back ? orr__round_up(r->place, by, r->n)
                   : orr__round_down(r->place, by, r->n);
}

static void transfer(const struct ring *r, struct orr_spot at, uint32_t peer,
                     uint32_t piece, struct orr_transfer *t)
{
    uint32_t line = at.member - r->place * r->stride; /* its place 0 */
    orr__transfer_set(t, line + peer * r->stride, at.step, !r->gather,
                      r->whole.first
                          + orr__piece_start(r->whole.bytes, r->n, piece),
                      orr__piece_bytes(r->whole.bytes, r->n, piece));
}

/* A piece that is scattered starts just ahead of the place where it ends; one
 * that is gathered starts where it is. */

static void send(const struct orr_collective *c, uint64_t bytes,
                 struct orr_spot at, uint32_t i, struct orr_transfer *t)
{
    struct ring r = ring_at(c, bytes, at);
    uint32_t piece = behind(&r, r.gather ? r.turn : r.turn + 1);
    transfer(&r, at, behind(&r, r.n - 1), piece, t);
}

static void receive(const struct orr_collective *c, uint64_t bytes,
                    struct orr_spot at, uint32_t i, struct orr_transfer *t)
{
    struct ring r = ring_at(c, bytes, at);
    uint32_t piece = behind(&r, r.gather ? r.turn + 1 : r.turn + 2);
    transfer(&r, at, behind(&r, 1), piece, t);
}

const struct orr_collective_ops orr__all_reduce_torus = {
    .kind = ORR_ALL_REDUCE,
    .name = "torus",
    .doc = "rings along the dimensions of a grid; shares of the data use them "
           "in rotation, so all ports are busy",
    .params = params,
    .grid = true,
    .lanes = lanes,
    .steps = steps,
    .count = count,
    .send = send,
    .receive = receive,
};
