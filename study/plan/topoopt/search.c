#include "study/plan/topoopt/search.h"

#include <string.h>

#include "core/assert.h"
#include "core/memory.h"
#include "core/thread_pool.h"
#include "core/units.h"

/* A chain goes back to its best division every min(BACK, budget / 100) steps,
 * and says how far it is every SHOWN. */
enum { BACK = 1000, SHOWN = 16 };

/* One chain; arrays are owned. */
struct random_chain {
    const struct orr_design *d;
    const struct orr_options *o;
    struct orr_random random;
    uint32_t budget, steps, accepted, number;
    struct orr_designed now, best;
    struct orr_choice *next;
    struct orr_known *known; /* of now.net */
    double *demand;          /* scratch */
    bool stopped;
    orr_err err;
    struct orr_report why;
};

static void designed_fini(struct orr_designed *x)
{
    orr__free(x->choice);
    orr__direct_fini(&x->net);
}

/* ---- a step -------------------------------------------------------------- */

/* The network for a chain's division, and the time on it. */
static orr_err renew_network(struct random_chain *w)
{
    struct orr_direct net = {.n = 0};
    orr_err err = orr__design_network(w->d, w->now.choice, &net, &w->why);
    if (err) {
        orr__direct_fini(&net);
        return err;
    }
    orr__direct_fini(&w->now.net);
    w->now.net = net;
    memset(w->known, 0, w->d->traffics * sizeof *w->known);
    w->now.time = orr__choices_time(w->d, w->now.choice, &w->now.net, w->known,
                                    w->demand);
    return ORR_OK;
}

static void copy_choices(const struct random_chain *w, struct orr_choice *to,
                         const struct orr_choice *from)
{
    memcpy(to, from, w->d->layers * sizeof *to);
}

/* Only the division is kept: its network is made again in the end. */
static void keep_best(struct random_chain *w)
{
    if (w->steps && w->now.time.iteration >= w->best.time.iteration)
        return;
    copy_choices(w, w->best.choice, w->now.choice);
    w->best.time = w->now.time;
    w->best.step = w->steps;
}

/* e to the power of -x, x >= 0, by sums and products alone, so that it is the
 * same everywhere: a series for a small part, squared. */
static double exp_minus(double x)
{
    double part, sum = 1, term = 1;
    if (!(x < 700))
        return 0;
    part = -x / 1024;
    for (int i = 1; i < 12; i++) {
        term = term * part / i;
        sum += term;
    }
    for (int i = 0; i < 10; i++)
        sum *= sum;
    return sum;
}

/* FlexFlow's rule: longer ones with e^-alpha x, x ms longer. */
static bool accepts(struct random_chain *w, double ps)
{
    double ms = (ps - w->now.time.iteration) / ORR_MS;
    double drawn = orr__random_unit(&w->random);
    return ms <= 0 || drawn < exp_minus(w->d->alpha * ms);
}

/* Tries a change on the network that there is. */
static orr_err try_step(struct random_chain *w)
{
    copy_choices(w, w->next, w->now.choice);
    orr__choices_change(w->d, &w->random, w->next);
    struct orr_design_time t =
        orr__choices_time(w->d, w->next, &w->now.net, w->known, w->demand);
    if (memcmp(w->next, w->now.choice, w->d->layers * sizeof *w->next) == 0
        || !accepts(w, t.iteration))
        return ORR_OK;
    copy_choices(w, w->now.choice, w->next);
    w->accepted++;
    orr_err err = renew_network(w);
    if (!err)
        keep_best(w);
    return err;
}

/* ---- a chain --------------------------------------------------------------
 */

static bool is_stopped(const struct random_chain *w)
{
    return w->o->interrupt && *w->o->interrupt;
}

static void show_progress(const struct random_chain *w)
{
    const struct orr_progress p = {
        .time_ps = (int64_t)w->best.time.iteration,
        .share = (double)w->steps / w->budget,
    };
    if (w->number == 0 && w->o->progress && w->steps % SHOWN == 0)
        w->o->progress(w->o->progress_arg, &p);
}

/* What chain_fini frees. */
static orr_err take_room(struct random_chain *w)
{
    size_t n = w->d->n;
    w->now.choice = orr__alloc(w->d->layers, sizeof *w->now.choice);
    w->best.choice = orr__alloc(w->d->layers, sizeof *w->best.choice);
    w->next = orr__alloc(w->d->layers, sizeof *w->next);
    w->known = orr__alloc(w->d->traffics, sizeof *w->known);
    w->demand = orr__alloc(n * n, sizeof *w->demand);
    return w->now.choice && w->best.choice && w->next && w->known && w->demand
               ? ORR_OK
               : orr__no_memory(&w->why);
}

static orr_err go_back(struct random_chain *w)
{
    copy_choices(w, w->now.choice, w->best.choice);
    return renew_network(w);
}

/* Until the budget is used up, or somebody interrupts. */
static orr_err take_steps(struct random_chain *w)
{
    uint32_t back = w->budget / 100 < BACK ? w->budget / 100 : BACK;
    orr_err err = ORR_OK;
    while (w->steps < w->budget && !err && !w->stopped) {
        w->steps++;
        err = try_step(w);
        if (!err && back && w->steps % back == 0 && w->best.step != w->steps)
            err = go_back(w);
        w->stopped = is_stopped(w);
        show_progress(w);
    }
    return err;
}

/* A part of the thread pool's work. Chains begin with all layers by data, in
 * groups of the next divisor, and so on: from one to the next a network made
 * for the other is in the way. */
static void run_chain(void *arg, unsigned part)
{
    struct random_chain *w = (struct random_chain *)arg + part;
    w->err = take_room(w);
    if (w->err)
        return;
    orr__choices_first(w->d, w->d->divisor[w->number % w->d->divisors],
                       w->now.choice);
    w->err = renew_network(w);
    if (!w->err)
        keep_best(w);
    if (!w->err)
        w->err = take_steps(w);
    if (!w->err)
        w->err =
            orr__design_network(w->d, w->best.choice, &w->best.net, &w->why);
}

static void chain_fini(struct random_chain *w)
{
    designed_fini(&w->now);
    designed_fini(&w->best);
    orr__free(w->next);
    orr__free(w->known);
    orr__free(w->demand);
}

/* ---- all of them --------------------------------------------------------- */

/* All of them, on as many threads as help; the first failure is told. */
static orr_err run_chains(struct random_chain *w, const struct orr_options *o,
                          struct orr_report *why)
{
    unsigned threads = o->threads == ORR_THREADS_AUTO ? orr__processors()
                       : o->threads                   ? o->threads
                                                      : 1;
    if (threads > ORR_DESIGN_CHAINS)
        threads = ORR_DESIGN_CHAINS;
    struct orr_thread_pool *pool =
        orr__thread_pool_new(threads, ORR_DESIGN_CHAINS);
    if (!pool)
        return orr__no_memory(why);
    orr_err err = orr__thread_pool_start(pool, why);
    if (!err) {
        orr__thread_pool_limit(pool, threads);
        orr__thread_pool_share(pool, run_chain, w);
        orr__thread_pool_stop(pool);
    }
    orr__thread_pool_free(pool);
    for (uint32_t i = 0; i < ORR_DESIGN_CHAINS && !err; i++)
        if (w[i].err) {
            *why = w[i].why;
            err = w[i].err;
        }
    return err;
}

/* The chain's best among those that are there, unless it is there already. */
static void take_best(struct orr_search *s, struct random_chain *w)
{
    size_t size = w->d->layers * sizeof *w->best.choice;
    uint32_t at = s->found;
    for (uint32_t i = 0; i < s->found; i++)
        if (memcmp(s->best[i].choice, w->best.choice, size) == 0)
            return;
    while (at > 0 && s->best[at - 1].time.iteration > w->best.time.iteration) {
        s->best[at] = s->best[at - 1];
        at--;
    }
    s->best[at] = w->best;
    s->found++;
    w->best = (struct orr_designed){.choice = NULL};
}

/* All by data. */
static orr_err make_first(const struct orr_design *d, struct orr_search *s,
                          struct orr_report *why)
{
    struct random_chain w = {.d = d};
    orr_err err = take_room(&w);
    if (!err) {
        orr__choices_first(d, 1, w.now.choice);
        err = renew_network(&w);
    }
    if (err)
        *why = w.why;
    s->first = w.now;
    w.now = (struct orr_designed){.choice = NULL};
    chain_fini(&w);
    return err;
}

orr_err orr__search(const struct orr_design *d, uint64_t budget, uint64_t seed,
                    const struct orr_options *o, struct orr_search *out,
                    struct orr_report *why)
{
    struct random_chain w[ORR_DESIGN_CHAINS];
    *out = (struct orr_search){.found = 0};
    orr_err err = make_first(d, out, why);
    if (err)
        return err;
    for (uint32_t i = 0; i < ORR_DESIGN_CHAINS; i++) {
        uint64_t share =
            budget / ORR_DESIGN_CHAINS + (i < budget % ORR_DESIGN_CHAINS);
        w[i] = (struct random_chain){.d = d,
                                     .o = o,
                                     .number = i,
                                     .budget = (uint32_t)(share ? share : 1)};
        orr__random_init(&w[i].random, seed, i, ORR_PURPOSE_PLAN);
    }
    err = run_chains(w, o, why);
    for (uint32_t i = 0; i < ORR_DESIGN_CHAINS; i++) {
        out->steps += w[i].steps;
        out->accepted += w[i].accepted;
        out->stopped = out->stopped || w[i].stopped;
        if (!err)
            take_best(out, &w[i]);
        chain_fini(&w[i]);
    }
    return err;
}

void orr__search_fini(struct orr_search *s)
{
    for (uint32_t i = 0; i < s->found; i++)
        designed_fini(&s->best[i]);
    designed_fini(&s->first);
}
