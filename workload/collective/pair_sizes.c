#include "workload/collective/pair_sizes.h"

#include <math.h>

#include "core/assert.h"
#include "core/memory.h"

/* What weights are multiples of: fine enough for a byte in a terabyte, and
 * their sum stays below 2^60. */
static uint64_t unit_of(uint32_t n)
{
    uint64_t most = (UINT64_C(1) << 60) / n, unit = UINT64_C(1) << 40;
    return unit < most ? unit : most;
}

static struct orr_pair_sizes *new_sizes(uint32_t n)
{
    struct orr_pair_sizes *s = orr__alloc(1, sizeof *s);
    ORR_ASSERT(n > 0);
    if (s)
        s->n = n;
    return s;
}

struct orr_pair_sizes *orr__pair_sizes_matrix(uint32_t n)
{
    struct orr_pair_sizes *s = new_sizes(n);
    if (s)
        s->bytes = orr__alloc((size_t)n * n, sizeof *s->bytes);
    if (s && s->bytes)
        return s;
    orr__pair_sizes_free(s);
    return NULL;
}

/* Sizes as shares, by sums: upto has n + 1 entries. NULL: no memory. */
static struct orr_pair_sizes *new_weights(uint32_t n, uint64_t each)
{
    struct orr_pair_sizes *s = new_sizes(n);
    if (s) {
        s->each = each;
        s->upto = orr__alloc(n + (size_t)1, sizeof *s->upto);
    }
    if (s && s->upto)
        return s;
    orr__pair_sizes_free(s);
    return NULL;
}

struct orr_pair_sizes *orr__pair_sizes_zipf(uint32_t n, double exponent,
                                            uint64_t each)
{
    struct orr_pair_sizes *s = new_weights(n, each);
    double unit = (double)unit_of(n);
    for (uint32_t k = 0; s && k < n; k++)
        s->upto[k + 1] =
            s->upto[k] + (uint64_t)(unit / pow((double)k + 1, exponent));
    if (s)
        orr__pair_sizes_finish(s);
    return s;
}

struct orr_pair_sizes *orr__pair_sizes_hot(uint32_t n, uint32_t hot,
                                           double share, uint64_t each)
{
    struct orr_pair_sizes *s = new_weights(n, each);
    uint64_t unit = unit_of(n), part = (uint64_t)rint(share * (double)unit);
    ORR_ASSERT(hot < n && part <= unit);
    /* the others of a sender that is not `hot` are n - 2 */
    uint64_t of_hot = n > 2 ? part * (n - 2) : unit;
    for (uint32_t k = 0; s && k < n; k++)
        s->upto[k + 1] = s->upto[k] + (k == hot ? of_hot : unit - part);
    if (s)
        orr__pair_sizes_finish(s);
    return s;
}

struct orr_pair_sizes *orr__pair_sizes_parts(uint32_t n, const uint64_t *weight,
                                             uint64_t all, uint64_t each)
{
    struct orr_pair_sizes *s = new_weights(n, each);
    for (uint32_t k = 0; s && k < n; k++)
        s->upto[k + 1] = s->upto[k] + weight[k];
    if (!s)
        return NULL;
    ORR_ASSERT(all > 0 && s->upto[n] <= all);
    s->all = all;
    orr__pair_sizes_finish(s);
    return s;
}

void orr__pair_sizes_free(struct orr_pair_sizes *s)
{
    if (!s)
        return;
    orr__free(s->bytes);
    orr__free(s->upto);
    orr__free(s);
}

/* each * part / all to the nearest byte; all > 0 */
static uint64_t share_of(uint64_t each, uint64_t part, uint64_t all)
{
    __extension__ typedef unsigned __int128 wide;
    ORR_ASSERT(all > 0);
    /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): it is not 0 */
    return (uint64_t)(((wide)each * part + all / 2) / all);
}

/* The parts of a sender lie one after another and leave no byte out. */
static uint64_t by_weight(const struct orr_pair_sizes *s, uint32_t from,
                          uint32_t to)
{
    uint64_t own = s->all ? 0 : s->upto[from + 1] - s->upto[from];
    uint64_t all = s->all ? s->all : s->upto[s->n] - own;
    uint64_t first = s->upto[to] - (to > from ? own : 0);
    uint64_t end = first + s->upto[to + 1] - s->upto[to];
    if (all == 0) { /* nobody has a weight: equal parts */
        all = s->n - 1;
        first = to - (to > from);
        end = first + 1;
    }
    return share_of(s->each, end, all) - share_of(s->each, first, all);
}

/* Between two places. */
static uint64_t between(const struct orr_pair_sizes *s, uint32_t from,
                        uint32_t to)
{
    uint32_t a = s->back ? to : from, b = s->back ? from : to;
    ORR_ASSERT(from < s->n && to < s->n);
    if (from == to)
        return 0;
    return s->bytes ? s->bytes[(size_t)a * s->n + b] : by_weight(s, a, b);
}

/* ---- who is where -------------------------------------------------------- */

/* A word's bits, mixed (splitmix64). */
static uint64_t mix_bits(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

enum { ROUNDS = 6 };

/* One way through a Feistel network over two words of `half` bits, or back. */
static uint64_t shuffle_bits(uint64_t key, uint32_t half, uint64_t x, bool back)
{
    uint64_t mask = (UINT64_C(1) << half) - 1;
    uint64_t left = x >> half, right = x & mask;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        uint32_t round = back ? ROUNDS - 1 - i : i;
        uint64_t kept = back ? left : right;
        uint64_t other = (back ? right : left)
                         ^ (mix_bits(key ^ mix_bits(kept << 3 | round)) & mask);
        left = back ? other : kept;
        right = back ? kept : other;
    }
    return left << half | right;
}

/* Where a permutation of 0 .. n - 1, which is drawn by a key, takes x, or what
 * it takes to x. Numbers beyond n go on until they are not. */
static uint32_t permute(uint64_t key, uint32_t n, uint32_t x, bool back)
{
    uint32_t half = 1;
    uint64_t y = x;
    while ((uint64_t)(n - 1) >> (2 * half))
        half++;
    do
        y = shuffle_bits(key, half, y, back);
    while (n > 1 && y >= n);
    return n > 1 ? (uint32_t)y : 0;
}

/* Blocks among one another, and members within each alike. */
static uint32_t redraw(const struct orr_pair_sizes *s, uint32_t turn,
                       uint32_t x, bool back)
{
    uint32_t drawing = s->drawn ? turn / s->drawn : 0;
    if (drawing == 0)
        return x;
    uint64_t key = mix_bits(s->key ^ mix_bits(drawing));
    uint32_t block = s->block ? s->block : 1;
    return permute(key, s->n / block, x / block, back) * block
           + permute(mix_bits(key), block, x % block, back);
}

uint32_t orr__place_of(const struct orr_pair_sizes *s, uint32_t turn,
                       uint32_t member)
{
    return redraw(s, turn, member, false);
}

uint32_t orr__member_at(const struct orr_pair_sizes *s, uint32_t turn,
                        uint32_t place)
{
    return redraw(s, turn, place, true);
}

uint64_t orr__bytes_between(const struct orr_pair_sizes *s, uint32_t turn,
                            uint32_t from, uint32_t to)
{
    return between(s, orr__place_of(s, turn, from), orr__place_of(s, turn, to));
}

/* ---- the busiest --------------------------------------------------------- */

static uint64_t sum_of(const struct orr_pair_sizes *s, uint32_t place,
                       bool sends)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->n; i++)
        sum += between(s, sends ? place : i, sends ? i : place);
    return sum;
}

/* By weights all send as much, and who has the greatest one receives most. */
static uint32_t heaviest(const struct orr_pair_sizes *s)
{
    uint32_t best = 0;
    uint64_t most = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        uint64_t w = s->upto[i + 1] - s->upto[i];
        if (w > most) {
            most = w;
            best = i;
        }
    }
    return best;
}

/* The lowest of those who send, or receive, most. */
static uint32_t busiest(const struct orr_pair_sizes *s, bool sends)
{
    uint32_t best = 0;
    uint64_t most = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        uint64_t sum = sum_of(s, i, sends);
        if (sum > most) {
            most = sum;
            best = i;
        }
    }
    return best;
}

/* With `all` what a member keeps differs: who has the least of its own sends
 * most. */
static uint32_t lightest(const struct orr_pair_sizes *s)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < s->n; i++)
        if (s->upto[i + 1] - s->upto[i] < s->upto[best + 1] - s->upto[best])
            best = i;
    return best;
}

void orr__pair_sizes_finish(struct orr_pair_sizes *s)
{
    bool matrix = s->bytes;
    uint32_t light = !matrix && s->all ? lightest(s) : 0;
    uint32_t heavy = matrix ? 0 : heaviest(s);
    s->sender = matrix ? busiest(s, true) : s->back ? heavy : light;
    s->receiver = matrix ? busiest(s, false) : s->back ? light : heavy;
    uint64_t sent = sum_of(s, s->sender, true);
    uint64_t received = sum_of(s, s->receiver, false);
    s->most = sent > received ? sent : received;
}
