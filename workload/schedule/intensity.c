#include "workload/schedule/intensity.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/random.h"

enum { EXACT_UP_TO = 9 };

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
static double loss(const struct orr_contender *j, const struct orr_contender *r)
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
            double own = loss(x, r), its = own > 0 ? loss(r, x) : 0;
            /* nothing is lost with the reference second: far above it */
            double ratio = its > 0 ? own / its : own > 0 ? 1e9 : 0;
            x->factor = x->intensity > 0 ? ratio * r->intensity / x->intensity
                                         : 0; /* no work: nothing to lose */
        }
        x->priority = x->factor * x->intensity;
    }
}

/* ---- the contention graph ----------------------------------------------- */

static bool above(const struct orr_contention_graph *c, uint32_t a, uint32_t b)
{
    return c->priority[a] > c->priority[b]
           || (c->priority[a] == c->priority[b] && a < b);
}

static bool shares(const struct orr_contention_graph *c, uint32_t a, uint32_t b)
{
    return c->shares[(size_t)a * c->n + b];
}

/* What is lost if both are in one class. */
static double weight(const struct orr_contention_graph *c, uint32_t a,
                     uint32_t b)
{
    return c->priority[above(c, a, b) ? a : b];
}

double orr__contention_lost(const struct orr_contention_graph *c,
                            const uint32_t *class)
{
    double sum = 0;
    for (uint32_t a = 0; a < c->n; a++)
        for (uint32_t b = a + 1; b < c->n; b++) {
            uint32_t high = above(c, a, b) ? a : b, low = high == a ? b : a;
            if (!shares(c, a, b))
                continue;
            if (class[high] < class[low])
                return -1;
            if (class[high] == class[low])
                sum += weight(c, a, b);
        }
    return sum;
}

/* ---- compression -------------------------------------------------------- */

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

static void keep(struct cut *k)
{
    for (uint32_t j = 0; j < k->c->n; j++)
        k->best[j] = k->level[j];
}

/* Jobs in topological order, each on every level that those above it allow. */
static void enumerate(struct cut *k, uint32_t i, double lost)
{
    uint32_t job, lowest = 0;
    if (lost >= k->lost)
        return;
    if (i == k->c->n) {
        k->lost = lost;
        keep(k);
        return;
    }
    job = k->order[i];
    for (uint32_t a = 0; a < i; a++)
        if (shares(k->c, job, k->order[a]) && k->level[k->order[a]] > lowest)
            lowest = k->level[k->order[a]];
    for (uint32_t l = lowest; l < k->classes; l++) {
        double more = 0;
        for (uint32_t a = 0; a < i; a++)
            if (shares(k->c, job, k->order[a]) && k->level[k->order[a]] == l)
                more += weight(k->c, job, k->order[a]);
        k->level[job] = l;
        enumerate(k, i + 1, lost + more);
    }
}

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
                       || above(k->c, k->order[a], k->order[b]);
            if (!free)
                continue;
            ready++;
            if (chosen == n
                || (random ? orr__random_below(random, ready) == 0
                           : above(k->c, k->order[a], k->order[chosen])))
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
    keep(k);
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
        if (n <= EXACT_UP_TO)
            enumerate(&k, 0, 0);
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
