/* Bine's butterfly (binomial negabinary trees) and Swing on a grid that wraps
 * around: in step t of a dimension even coordinates talk to the one rho ahead,
 * odd ones to the one rho behind, rho = 1, -1, 3, -5, 11 ...: the sums of -2's
 * powers, so that partners are near and all are reached. Dimensions take turns.
 * Copies of it, with a share of the message each, begin in different dimensions
 * and, mirrored, in the other direction, so that all ports of a member work.
 * By bandwidth shares are halved and gathered again; by latency all of a share
 * is exchanged in each step. */
#include "workload/collective/collective.h"

enum { BANDWIDTH, LATENCY };

static const char *const variants[] = {"bandwidth", "latency", NULL};

static const struct orr_param params[] = {
    {
        .key = "dims",
        .type = ORR_PARAM_INTS,
        .offset = offsetof(struct orr_collective, dims),
        .fallback = "",
        .min = "1",
        .max = "16777216",
        .help = "ranks along each dimension, fastest first; default: those of "
                "a torus with as many hosts as ranks",
    },
    {
        .key = "variant",
        .type = ORR_PARAM_CHOICE,
        .offset = offsetof(struct orr_collective, shape),
        .fallback = "bandwidth",
        .choices = variants,
        .help = "bandwidth: shares are halved, then gathered, 2 log2 n steps; "
                "latency: whole shares are exchanged, log2 n steps",
    },
    {
        .key = "ports",
        .type = ORR_PARAM_INT,
        .offset = offsetof(struct orr_collective, ports),
        .fallback = "",
        .min = "1",
        .max = "64",
        .help = "copies side by side, first one for each dimension, then "
                "mirrored; default: two for each dimension",
    },
    ORR_PARAM_END,
};

static uint32_t lanes(const struct orr_collective *c)
{
    uint32_t all = 2 * c->n_dims;
    if (all == 0)
        return 1;
    return c->ports > 0 && c->ports < all ? (uint32_t)c->ports : all;
}

static uint32_t halvings(const struct orr_collective *c)
{
    uint32_t sum = 0;
    for (uint32_t d = 0; d < c->n_dims; d++)
        sum += orr__log2_up(c->dim[d]);
    return sum;
}

static uint32_t steps(const struct orr_collective *c, uint32_t lane)
{
    return c->shape == LATENCY ? halvings(c) : 2 * halvings(c);
}

static void count(const struct orr_collective *c, struct orr_spot at,
                  uint32_t *sends, uint32_t *receives)
{
    *sends = *receives = 1;
}

/* Which dimension a butterfly's step is in, and its number there. */
struct dim_step {
    uint32_t dim, t;
};

/* From the lane's first dimension on, those that have so many steps. */
static struct dim_step dim_step_of(const struct orr_collective *c,
                                   uint32_t lane, uint32_t step)
{
    uint32_t first = lane % c->n_dims;
    for (uint32_t t = 0;; t++)
        for (uint32_t i = 0; i < c->n_dims; i++) {
            uint32_t d = orr__round_up(first, i, c->n_dims);
            if (t < orr__log2_up(c->dim[d]) && step-- == 0)
                return (struct dim_step){d, t};
        }
}

/* The partner of coordinate x among m in step t: rho is (1 - (-2)^(t+1)) / 3.
 */
static uint32_t partner(uint32_t x, uint32_t m, uint32_t t, bool mirrored)
{
    int64_t power =
        (t + 1) % 2 ? -(INT64_C(1) << (t + 1)) : INT64_C(1) << (t + 1);
    int64_t rho = (1 - power) / 3, to = x;
    to += (x % 2 == 0) == !mirrored ? rho : -rho;
    return (uint32_t)((to % m + m) % m);
}

/* Names the coordinates that x reaches by steps t, t + 1 ...: those that are
 * equal to it or to its partner, modulo 2^(t+1). */
static uint32_t name_orbit(uint32_t x, uint32_t m, uint32_t t, bool mirrored)
{
    uint32_t other = x, mask;
    if (t < orr__log2_up(m))
        other = partner(x, m, t, mirrored);
    mask = t + 1 < 32 ? (1u << (t + 1)) - 1 : UINT32_MAX;
    return (x & mask) < (other & mask) ? x & mask : other & mask;
}

/* A member's coordinate in a dimension; places from one to the next. */
static uint32_t coordinate(const struct orr_collective *c, uint32_t member,
                           uint32_t dim, uint32_t *apart)
{
    *apart = 1;
    for (uint32_t d = 0; d < dim; d++)
        *apart *= c->dim[d];
    return member / *apart % c->dim[dim];
}

static uint32_t peer_of(const struct orr_collective *c, uint32_t lane,
                        uint32_t member, uint32_t step)
{
    struct dim_step u = dim_step_of(c, lane, step);
    uint32_t apart, x = coordinate(c, member, u.dim, &apart);
    uint32_t y = partner(x, c->dim[u.dim], u.t, lane >= c->n_dims);
    return member - x * apart + y * apart;
}

/* Which half a member keeps; its partner keeps the other. */
static bool keeps_upper(const struct orr_collective *c, uint32_t lane,
                        uint32_t member, uint32_t step)
{
    struct dim_step u = dim_step_of(c, lane, step);
    bool mirrored = lane >= c->n_dims;
    uint32_t m = c->dim[u.dim], apart;
    uint32_t x = coordinate(c, member, u.dim, &apart);
    uint32_t y = partner(x, m, u.t, mirrored);
    return name_orbit(x, m, u.t + 1, mirrored)
           > name_orbit(y, m, u.t + 1, mirrored);
}

static struct orr_range half_of_range(struct orr_range r, bool upper)
{
    uint64_t low = r.bytes / 2;
    return upper ? (struct orr_range){r.first + low, r.bytes - low}
                 : (struct orr_range){r.first, low};
}

/* What a member has of the lane's share before a step of halving. */
static struct orr_range range_before(const struct orr_collective *c,
                                     uint64_t bytes, uint32_t lane,
                                     uint32_t member, uint32_t step)
{
    uint32_t n = lanes(c);
    struct orr_range r = {orr__piece_start(bytes, n, lane),
                          orr__piece_bytes(bytes, n, lane)};
    for (uint32_t s = 0; s < step; s++)
        r = half_of_range(r, keeps_upper(c, lane, member, s));
    return r;
}

/* The butterfly's step; gathering goes back through them. */
static uint32_t butterfly(const struct orr_collective *c, uint32_t step)
{
    uint32_t k = halvings(c);
    return step < k ? step : 2 * k - 1 - step;
}

/* own: of the half that `member` keeps, else of its partner's. */
static void exchange(const struct orr_collective *c, uint64_t bytes,
                     struct orr_spot at, bool own, struct orr_transfer *t)
{
    uint32_t s = butterfly(c, at.step);
    struct orr_range r =
        range_before(c, bytes, at.lane, at.member, c->shape == LATENCY ? 0 : s);
    if (c->shape != LATENCY)
        r = half_of_range(r, keeps_upper(c, at.lane, at.member, s) == own);
    orr__transfer_set(t, peer_of(c, at.lane, at.member, s), at.step,
                      at.step < halvings(c), r.first, r.bytes);
}

static void send(const struct orr_collective *c, uint64_t bytes,
                 struct orr_spot at, uint32_t i, struct orr_transfer *t)
{
    exchange(c, bytes, at, at.step >= halvings(c), t);
}

static void receive(const struct orr_collective *c, uint64_t bytes,
                    struct orr_spot at, uint32_t i, struct orr_transfer *t)
{
    exchange(c, bytes, at, at.step < halvings(c), t);
}

const struct orr_collective_ops orr__all_reduce_bine = {
    .kind = ORR_ALL_REDUCE,
    .name = "bine",
    .doc = "Bine's butterfly: near partners by signed powers of two, "
           "dimensions in turn, on all ports",
    .params = params,
    .grid = true,
    .doubles = true,
    .lanes = lanes,
    .steps = steps,
    .count = count,
    .send = send,
    .receive = receive,
};

/* The same partners; Swing was published for tori, Bine for other collectives
 * and networks, too. */
const struct orr_collective_ops orr__all_reduce_swing = {
    .kind = ORR_ALL_REDUCE,
    .name = "swing",
    .doc = "Swing: as bine, whose partners it has",
    .params = params,
    .grid = true,
    .doubles = true,
    .lanes = lanes,
    .steps = steps,
    .count = count,
    .send = send,
    .receive = receive,
};
