#include "workload/schedule/intensity.h"
#include "core/assert.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/random.h"

enum { EXACT_UP_TO = 12 };
/* Sums that differ by less, as shares of them, are one. */
#define SAME 1e-12

/* ---- priorities --------------------------------------------------------- */

/* An iteration of j if r goes first on the link that they share; INFINITY: r
 * leaves nothing. */
static double second(const struct orr_contender *j,
                     const struct orr_contender *r)
{
    double left = 1 - r->busy_s / r->iteration_s;
    double hidden = (j->busy_s + j->compute_s - j->iteration_s) / j->busy_s;
    if (left <= 1e-9)
        return INFINITY;
    hidden = hidden > 0 ? hidden : 0;
    hidden = hidden < 1 ? hidden : 1;
    return j->iteration_s + (j->busy_s / left - j->busy_s) * (1 - hidden);
}

/* W per second that is lost if j goes second to r. */
static double loss_of_order(const struct orr_contender *j,
                            const struct orr_contender *r)
{
    return j->work / j->iteration_s - j->work / second(j, r);
}

void orr__intensities(struct orr_contender *job, uint32_t n)
{
    const struct orr_contender *r = NULL;
    for (uint32_t j = 0; j < n; j++) {
        struct orr_contender *x = &job[j];
        x->intensity = x->busy_s > 0 ? x->work / x->busy_s : 0;
        x->factor = x->busy_s > 0 ? 1 : 0;
        if (x->busy_s > 0 && (!r || x->bytes > r->bytes))
            r = x;
    }
    for (uint32_t j = 0; j < n; j++) {
        struct orr_contender *x = &job[j];
        if (r && x != r && x->busy_s > 0) {
            double own = loss_of_order(x, r),
                   its = own > 0 ? loss_of_order(r, x) : 0;
            /* nothing is lost with the reference second: far above it */
            double ratio = its > 0 ? own / its : own > 0 ? 1e9 : 0;
            x->factor = x->intensity > 0 ? ratio * r->intensity / x->intensity
                                         : 0; /* no work: nothing to lose */
        }
        x->priority = x->factor * x->intensity;
    }
}

/* ---- the contention graph ----------------------------------------------- */

/* Of two with the same priority neither is above the other: their classes may
 * be in any order. */
static bool is_above(const struct orr_contention_graph *c, uint32_t a,
                     uint32_t b)
{
    return c->priority[a] > c->priority[b];
}

/* Which of two is tried first: by priority, then by index. */
static bool before(const struct orr_contention_graph *c, uint32_t a, uint32_t b)
{
    return is_above(c, a, b) || (c->priority[a] == c->priority[b] && a < b);
}

static bool shares(const struct orr_contention_graph *c, uint32_t a, uint32_t b)
{
    return c->shares[(size_t)a * c->n + b];
}

/* What is lost if both are in one class. */
static double weight(const struct orr_contention_graph *c, uint32_t a,
                     uint32_t b)
{
    return c->priority[is_above(c, a, b) ? a : b];
}

double orr__contention_lost(const struct orr_contention_graph *c,
                            const uint32_t *class)
{
    double sum = 0;
    for (uint32_t a = 0; a < c->n; a++)
        for (uint32_t b = a + 1; b < c->n; b++) {
            if (!shares(c, a, b))
                continue;
            if ((is_above(c, a, b) && class[a] < class[b])
                || (is_above(c, b, a) && class[b] < class[a]))
                return -1;
            if (class[a] == class[b])
                sum += weight(c, a, b);
        }
    return sum;
}

/* ---- compression -------------------------------------------------------- */

/* The search for the best compression into classes. */
struct cut {
    const struct orr_contention_graph *c;
    uint32_t classes;
    uint32_t *best;
    double lost;
    uint32_t *level; /* per job, being tried; 0 is the most urgent */
    uint32_t *order; /* topological */
    double *within;  /* (n + 1)^2: pairs of order[a..b) */
    double *least;   /* (classes + 1) * (n + 1) */
    uint32_t *from;  /* the same: where the last level begins */
};

static void keep_cut(struct cut *k)
{
    for (uint32_t j = 0; j < k->c->n; j++)
        k->best[j] = k->level[j];
}

/* ---- exact, for few ------------------------------------------------------ */

/* Levels are chains of sets of jobs: those on the first l levels, whom nobody
 * who is outside is above and shares a link with. */
struct chain {
    uint32_t sets;  /* 2^n; a set is the bits of its jobs */
    double *within; /* per set: what is lost if all of it is on one level */
    double *least;  /* per level and set: with the set on levels up to it */
    uint32_t *last; /* the same: who is on that level then */
    bool *closed;   /* per set: nobody outside is above one inside */
};

static bool is_closed(const struct orr_contention_graph *c, uint32_t set)
{
    for (uint32_t a = 0; a < c->n; a++)
        for (uint32_t b = 0; b < c->n && !(set >> a & 1); b++)
            if ((set >> b & 1) && shares(c, a, b) && is_above(c, a, b))
                return false;
    return true;
}

/* For each set of jobs: the priorities lost if it is one class, and whether all
 * that must go before it is in it. */
static void measure_sets(const struct orr_contention_graph *c, struct chain *x)
{
    for (uint32_t set = 1; set < x->sets; set++) {
        uint32_t first = (uint32_t)__builtin_ctz(set), rest = set & (set - 1);
        x->within[set] = x->within[rest];
        ORR_ASSERT(rest < set);
        for (uint32_t b = first + 1; b < c->n; b++)
            if ((rest >> b & 1) && shares(c, first, b))
                x->within[set] += weight(c, first, b);
        x->closed[set] = is_closed(c, set);
    }
    x->closed[0] = true;
}

/* The least that is lost with `set` on level `l` and those before it. */
static void try_levels(struct chain *x, uint32_t l, uint32_t set)
{
    size_t at = (size_t)l * x->sets + set;
    const double *before = &x->least[(size_t)(l - 1) * x->sets];
    x->least[at] = INFINITY;
    for (uint32_t on = set;; on = (on - 1) & set) {
        double sum = before[set & ~on] + x->within[on];
        if (x->closed[set & ~on] && sum < x->least[at]) {
            x->least[at] = sum;
            x->last[at] = on;
        }
        if (!on)
            break;
    }
}

/* Keeps the best of all cuts if it loses less than what is known. */
static void find_chain(struct cut *k, struct chain *x)
{
    uint32_t set = x->sets - 1;
    measure_sets(k->c, x);
    for (uint32_t s = 1; s < x->sets; s++)
        x->least[s] = INFINITY;
    for (uint32_t l = 1; l <= k->classes; l++)
        for (uint32_t s = 0; s < x->sets; s++)
            if (x->closed[s])
                try_levels(x, l, s);
            else
                x->least[(size_t)l * x->sets + s] = INFINITY;
    double lost = x->least[(size_t)k->classes * x->sets + set];
    if (lost >= k->lost - SAME * (1 + lost))
        return;
    k->lost = lost;
    for (uint32_t l = k->classes; l > 0; l--) {
        uint32_t on = x->last[(size_t)l * x->sets + set];
        for (uint32_t j = 0; j < k->c->n; j++)
            if (on >> j & 1)
                k->level[j] = l - 1;
        set &= ~on;
    }
    keep_cut(k);
}

/* False: no memory. */
static bool cut_exactly(struct cut *k)
{
    uint32_t sets = 1u << k->c->n;
    size_t entries = ((size_t)k->classes + 1) * sets;
    struct chain x = {
        .sets = sets,
        .within = orr__alloc(sets, sizeof *x.within),
        .closed = orr__alloc(sets, sizeof *x.closed),
        .least = orr__alloc(entries, sizeof *x.least),
        .last = orr__alloc(entries, sizeof *x.last),
    };
    bool ok = x.within && x.closed && x.least && x.last;
    if (ok)
        find_chain(k, &x);
    orr__free(x.within);
    orr__free(x.closed);
    orr__free(x.least);
    orr__free(x.last);
    return ok;
}

/* ---- by sampled orders --------------------------------------------------- */

/* A topological order; random: any, with some chance, else by priority. */
static void make_order(struct cut *k, struct orr_random *random)
{
    uint32_t n = k->c->n;
    for (uint32_t i = 0; i < n; i++)
        k->order[i] = i;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t chosen = n, ready = 0;
        for (uint32_t a = i; a < n; a++) {
            bool free = true;
            for (uint32_t b = i; b < n && free; b++)
                free = b == a || !shares(k->c, k->order[a], k->order[b])
                       || !is_above(k->c, k->order[b], k->order[a]);
            if (!free)
                continue;
            ready++;
            if (chosen == n
                || (random ? orr__random_below(random, ready) == 0
                           : before(k->c, k->order[a], k->order[chosen])))
                chosen = a;
        }
        uint32_t job = k->order[chosen];
        k->order[chosen] = k->order[i];
        k->order[i] = job;
    }
}

/* The best cut of one order into stretches. */
static void cut_order(struct cut *k)
{
    uint32_t n = k->c->n, w = n + 1;
    for (uint32_t a = n + 1; a-- > 0;)
        for (uint32_t b = a; b <= n; b++) {
            double sum = 0;
            if (b > a) {
                sum = k->within[(size_t)a * w + b - 1];
                for (uint32_t i = a; i + 1 < b; i++)
                    if (shares(k->c, k->order[i], k->order[b - 1]))
                        sum += weight(k->c, k->order[i], k->order[b - 1]);
            }
            k->within[(size_t)a * w + b] = sum;
        }
    for (uint32_t b = 0; b <= n; b++)
        k->least[b] = b ? INFINITY : 0;
    for (uint32_t l = 1; l <= k->classes; l++)
        for (uint32_t b = 0; b <= n; b++) {
            double *least = &k->least[(size_t)l * w + b];
            *least = INFINITY;
            for (uint32_t a = 0; a <= b; a++) {
                double sum = k->least[(size_t)(l - 1) * w + a]
                             + k->within[(size_t)a * w + b];
                if (sum < *least) {
                    *least = sum;
                    k->from[(size_t)l * w + b] = a;
                }
            }
        }
    if (k->least[(size_t)k->classes * w + n] >= k->lost)
        return;
    k->lost = k->least[(size_t)k->classes * w + n];
    for (uint32_t l = k->classes, b = n; l > 0; l--) {
        uint32_t a = k->from[(size_t)l * w + b];
        for (uint32_t i = a; i < b; i++)
            k->level[k->order[i]] = l - 1;
        b = a;
    }
    keep_cut(k);
}

/* Levels that are empty are left out; the last one is class 0. */
static void number(struct cut *k, uint32_t *class)
{
    uint32_t next = 0;
    for (uint32_t l = k->classes; l-- > 0;) {
        bool used = false;
        for (uint32_t j = 0; j < k->c->n; j++)
            if (k->best[j] == l) {
                class[j] = next;
                used = true;
            }
        next += used;
    }
}

orr_err orr__compress(const struct orr_contention_graph *c, uint32_t classes,
                      uint32_t orders, uint64_t seed, uint32_t *class,
                      double *lost, enum orr_cut_proof *proof,
                      struct orr_report *why)
{
    size_t n = c->n, w = n + 1;
    struct orr_random random;
    struct cut k = {
        .c = c,
        .classes = classes,
        .lost = INFINITY,
        .best = orr__alloc(n, sizeof *k.best),
        .level = orr__alloc(n, sizeof *k.level),
        .order = orr__alloc(n, sizeof *k.order),
        .within = orr__alloc(w * w, sizeof *k.within),
        .least = orr__alloc((classes + 1) * w, sizeof *k.least),
        .from = orr__alloc((classes + 1) * w, sizeof *k.from),
    };
    bool ok = k.best && k.level && k.order && k.within && k.least && k.from;
    if (ok) {
        make_order(&k, NULL);
        cut_order(&k);
        *proof = n <= EXACT_UP_TO ? ORR_CUT_EXACT : ORR_CUT_SAMPLED;
        if (n <= EXACT_UP_TO && k.lost > 0)
            ok = cut_exactly(&k);
        orr__random_init(&random, seed, n, ORR_PURPOSE_PLAN);
        for (uint32_t i = 0; n > EXACT_UP_TO && i < orders; i++) {
            make_order(&k, &random);
            cut_order(&k);
        }
        number(&k, class);
        *lost = k.lost;
    }
    orr__free(k.best);
    orr__free(k.level);
    orr__free(k.order);
    orr__free(k.within);
    orr__free(k.least);
    orr__free(k.from);
    return ok ? ORR_OK : orr__no_memory(why);
}
