#include "cluster/contention.h"
#include "core/none.h"

#include <math.h>
#include <string.h>

#include "cluster/engine.h"
#include "core/array.h"
#include "core/assert.h"
#include "core/memory.h"
#include "workload/schedule/plan.h"

/* What a job asks of a link. */
struct use {
    uint32_t link;
    float busy; /* share of an iteration alone that its bytes take there */
    float peak; /* the most it asks, share of the rate */
};

/* Whom it meets in its stretch under way. */
struct company {
    uint32_t rival;
    uint32_t link; /* with the largest weight */
    uint32_t links;
    uint32_t spell;      /* that is under way */
    double weight, most; /* of all links, of `link` */
};

/* A job that runs, or did. */
struct party {
    bool here;    /* it runs, and what it asks is known */
    uint64_t key; /* of the facts that `use` is of */
    struct use *use;
    uint32_t uses;
    struct company *company;
    uint32_t n;
    double *by_link;   /* per use: weight of what is met there */
    double all;        /* weight */
    int64_t since_ns;  /* so it has been since */
    uint32_t stretch;  /* under way, as in engine's `open` ... */
    double charged_ns; /* ... and what of its loss has gone to somebody */
};

/* Which jobs shared links, from when to when, and what that cost. */
struct orr_contention_log {
    struct party *party; /* per job */
    uint32_t jobs, links;
    struct orr_contention_spell *spell;
    uint32_t n, room;
    struct orr_link_bin **bin; /* per link; NULL: no contention there */
    uint32_t step;             /* which width bins have */
    /* as of the last note, of all that run */
    uint32_t *head, *tail; /* per link + 1: where its guests begin */
    struct guest {
        uint32_t job;
        float busy, peak;
    } * guest;
    uint32_t guests_room;
    uint32_t *at; /* per job, all ORR_NONE but in list_company() */
    int64_t now_ns;
};

/* Widths of bins: the first of which there are few enough. A day is in bins of
 * ten minutes, a month in hours. */
static const int64_t widths[] = {
    1000000,        10000000,        100000000,        1000000000,
    10000000000,    60000000000,     600000000000,     3600000000000,
    86400000000000, 864000000000000, 8640000000000000, 86400000000000000,
};

/* ---- making -------------------------------------------------------------- */

static void clear_party(struct party *p)
{
    orr__free(p->use);
    orr__free(p->company);
    orr__free(p->by_link);
    *p = (struct party){.here = false};
}

void orr__contention_log_free(struct orr_contention_log *m)
{
    if (!m)
        return;
    for (uint32_t i = 0; m->party && i < m->jobs; i++)
        clear_party(&m->party[i]);
    for (uint32_t l = 0; m->bin && l < m->links; l++)
        orr__free(m->bin[l]);
    orr__free(m->party);
    orr__free(m->spell);
    orr__free(m->bin);
    orr__free(m->head);
    orr__free(m->tail);
    orr__free(m->guest);
    orr__free(m->at);
    orr__free(m);
}

struct orr_contention_log *orr__contention_log_new(const struct orr_engine *e)
{
    struct orr_contention_log *m = orr__alloc(1, sizeof *m);
    if (!m)
        return NULL;
    m->jobs = e->cluster.jobs;
    m->links = e->cluster.world->graph->links;
    m->party = orr__alloc(m->jobs, sizeof *m->party);
    m->bin = orr__alloc(m->links, sizeof(struct orr_link_bin *));
    m->head = orr__alloc(m->links + 1, sizeof *m->head);
    m->tail = orr__alloc(m->links + 1, sizeof *m->tail);
    m->at = orr__alloc(m->jobs, sizeof *m->at);
    for (uint32_t i = 0; m->at && i < m->jobs; i++)
        m->at[i] = ORR_NONE;
    if (m->party && m->bin && m->head && m->tail && m->at)
        return m;
    orr__contention_log_free(m);
    return NULL;
}

/* ---- bins ---------------------------------------------------------------- */

/* Bins become wider until `at` is in one of them. */
static void widen_bins(struct orr_contention_log *m, int64_t at_ns)
{
    while (m->step + 1 < sizeof widths / sizeof *widths
           && at_ns > widths[m->step] * ORR_LINK_BINS) {
        uint32_t times = (uint32_t)(widths[m->step + 1] / widths[m->step]);
        m->step++;
        for (uint32_t l = 0; l < m->links; l++) {
            struct orr_link_bin *b = m->bin[l];
            for (uint32_t i = 0; b && i < ORR_LINK_BINS; i++) {
                struct orr_link_bin x = b[i];
                b[i] = (struct orr_link_bin){.shared_ns = 0};
                b[i / times].shared_ns += x.shared_ns;
                b[i / times].jobs_ns += x.jobs_ns;
                b[i / times].asked_ns += x.asked_ns;
                b[i / times].lost_ns += x.lost_ns;
            }
        }
    }
}

/* Spreads what was so from..to over a link's bins, which are wide enough; per
 * ns. */
static void share_over_bins(struct orr_contention_log *m, uint32_t link,
                            int64_t from_ns, int64_t to_ns,
                            struct orr_link_bin x)
{
    int64_t width = widths[m->step];
    struct orr_link_bin *b = m->bin[link];
    while (from_ns < to_ns) {
        int64_t i = from_ns / width;
        int64_t end = to_ns - i * width > width ? (i + 1) * width : to_ns;
        double time = (double)(end - from_ns);
        ORR_ASSERT(i < ORR_LINK_BINS);
        b[i].shared_ns += (end - from_ns) * x.shared_ns;
        b[i].jobs_ns += (uint64_t)(end - from_ns) * x.jobs_ns;
        b[i].asked_ns += time * x.asked_ns;
        b[i].lost_ns += time * x.lost_ns;
        from_ns = end;
    }
}

/* ---- who is where -------------------------------------------------------- */

/* What a job asks, of links where it counts. */
static orr_err find_facts(const struct orr_engine *e, uint32_t job,
                          struct orr_report *why)
{
    struct party *p = &e->contention->party[job];
    const struct orr_graph *g = e->cluster.world->graph;
    const struct orr_profile *f = &orr__facts_of(e, job)->profile;
    p->use = orr__alloc(f->n, sizeof *p->use);
    p->by_link = orr__alloc(f->n, sizeof *p->by_link);
    if (!p->use || !p->by_link)
        return orr__no_memory(why);
    p->here = true;
    p->key = e->known[job]->key;
    for (uint32_t k = 0; k < f->n; k++) {
        const struct orr_link_demand *d = &f->link[k];
        if (!orr__facts_counts(g, d))
            continue;
        double rate = (double)g->rate_bps[d->link];
        double time = (double)orr__demand_bytes(d) * 8 / rate * 1e12;
        p->use[p->uses++] =
            (struct use){.link = d->link,
                         .busy = (float)(time / (double)f->iteration_ps),
                         .peak = (float)((double)orr__demand_peak(d) / rate)};
    }
    return ORR_OK;
}

/* Lists guests by link, those of a link ascending by job. */
static orr_err list_guests(const struct orr_engine *e, struct orr_report *why)
{
    struct orr_contention_log *m = e->contention;
    uint64_t all = 0;
    memset(m->tail, 0, (m->links + 1) * sizeof *m->tail);
    for (uint32_t i = 0; i < e->cluster.n_running; i++) {
        const struct party *p = &m->party[e->cluster.running[i]];
        all += p->uses;
        for (uint32_t k = 0; k < p->uses; k++)
            m->tail[p->use[k].link]++;
    }
    if (!orr__array_room(m->guest, m->guests_room, all))
        return orr__no_memory(why);
    uint32_t at = 0;
    for (uint32_t l = 0; l <= m->links; l++) {
        uint32_t here = m->tail[l];
        m->head[l] = m->tail[l] = at;
        at += here;
    }
    for (uint32_t i = 0; i < e->cluster.n_running; i++) {
        const struct party *p = &m->party[e->cluster.running[i]];
        for (uint32_t k = 0; k < p->uses; k++) {
            const struct use *u = &p->use[k];
            ORR_ASSERT(m->tail[u->link] < m->head[u->link + 1]);
            m->guest[m->tail[u->link]++] =
                (struct guest){e->cluster.running[i], u->busy, u->peak};
        }
    }
    return ORR_OK;
}

/* Time goes on with links as they are. */
static orr_err pass_time(struct orr_contention_log *m, int64_t now_ns,
                         struct orr_report *why)
{
    widen_bins(m, now_ns);
    for (uint32_t l = 0; now_ns > m->now_ns && l < m->links; l++) {
        uint32_t n = m->head[l + 1] - m->head[l];
        ORR_ASSERT(m->head[l] <= m->head[l + 1]);
        if (n < 2)
            continue;
        struct orr_link_bin x = {.shared_ns = 1, .jobs_ns = n};
        for (uint32_t k = m->head[l]; k < m->head[l + 1]; k++)
            x.asked_ns += m->guest[k].peak;
        if (!m->bin[l])
            m->bin[l] = orr__alloc(ORR_LINK_BINS, sizeof *m->bin[l]);
        if (!m->bin[l])
            return orr__no_memory(why);
        share_over_bins(m, l, m->now_ns, now_ns, x);
    }
    m->now_ns = now_ns;
    return ORR_OK;
}

/* ---- company ------------------------------------------------------------- */

/* Time up to now, of a job with a stretch under way, and what it lost in it, go
 * to those that it met. */
static void charge_job(struct orr_engine *e, uint32_t job)
{
    struct orr_contention_log *m = e->contention;
    struct party *p = &m->party[job];
    const struct orr_stretch *s = &e->stretch[e->open[job] - 1];
    int64_t now = e->cluster.now_ns, from = p->since_ns;
    ORR_ASSERT(s->job == job && from <= now);
    if (p->stretch != e->open[job])
        p->charged_ns = 0;
    p->stretch = e->open[job];
    p->since_ns = now;
    if (p->all <= 0 || now <= from || s->speed.iteration_ns <= 0)
        return;
    /* with packets the mean of a stretch is known better as it goes on */
    double lost = (1 - orr__baseline_of(&s->speed) / s->speed.iteration_ns)
                      * (double)(now - s->from_ns)
                  - p->charged_ns;
    p->charged_ns += lost;
    for (uint32_t i = 0; i < p->n; i++)
        m->spell[p->company[i].spell].lost_ns +=
            lost * p->company[i].weight / p->all;
    for (uint32_t k = 0; k < p->uses; k++) {
        const struct orr_link_bin x = {.lost_ns = lost / (double)(now - from)
                                                  * s->gpus * p->by_link[k]
                                                  / p->all};
        if (p->by_link[k] > 0) /* then there are bins: time has passed */
            share_over_bins(m, p->use[k].link, from, now, x);
    }
}

static orr_err add_spell(struct orr_contention_log *m,
                         const struct orr_contention_spell *x,
                         struct orr_report *why)
{
    if (!orr__array_more(m->spell, m->room, m->n))
        return orr__no_memory(why);
    m->spell[m->n++] = *x;
    return ORR_OK;
}

/* Whom a job meets where, into `out`, which has room for all that run. */
static uint32_t list_company(const struct orr_engine *e, uint32_t job,
                             struct company *out, double *all)
{
    const struct orr_contention_log *m = e->contention;
    const struct party *p = &m->party[job];
    uint32_t n = 0, *at = m->at;
    *all = 0;
    for (uint32_t k = 0; k < p->uses; k++) {
        const struct use *u = &p->use[k];
        p->by_link[k] = 0;
        for (uint32_t g = m->head[u->link]; g < m->head[u->link + 1]; g++) {
            const struct guest *x = &m->guest[g];
            double weight = (double)x->busy * (double)u->busy;
            if (x->job == job)
                continue;
            if (at[x->job] == ORR_NONE) {
                ORR_ASSERT(n < e->cluster.n_running);
                at[x->job] = n;
                out[n++] = (struct company){.rival = x->job, .most = -1};
            }
            struct company *c = &out[at[x->job]];
            c->links++;
            c->weight += weight;
            p->by_link[k] += weight;
            *all += weight;
            if (weight > c->most) {
                c->most = weight;
                c->link = u->link;
            }
        }
    }
    for (uint32_t i = 0; i < n; i++)
        at[out[i].rival] = ORR_NONE;
    return n;
}

static struct company *find_company(struct party *p, uint32_t rival)
{
    for (uint32_t i = 0; i < p->n; i++)
        if (p->company[i].rival == rival)
            return &p->company[i];
    return NULL;
}

static bool is_same(const struct company *a, const struct company *b,
                    uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (a[i].rival != b[i].rival || a[i].links != b[i].links
            || a[i].weight < b[i].weight || a[i].weight > b[i].weight)
            return false;
    return true;
}

/* A job is from now on in the company of `n` others, which may be the same. */
static orr_err change_company(struct orr_engine *e, uint32_t job,
                              struct company *now, uint32_t n, double all,
                              struct orr_report *why)
{
    struct orr_contention_log *m = e->contention;
    struct party *p = &m->party[job];
    orr_err err = ORR_OK;
    if (n == p->n && is_same(now, p->company, n))
        return ORR_OK;
    struct company *list = orr__alloc(n, sizeof *list);
    if (!list)
        return orr__no_memory(why);
    for (uint32_t i = 0; i < n; i++)
        list[i] = now[i];
    for (uint32_t i = 0; i < p->n; i++)
        m->spell[p->company[i].spell].to_ns = e->cluster.now_ns;
    for (uint32_t i = 0; !err && i < n; i++) {
        const struct company *before = find_company(p, now[i].rival);
        const struct orr_contention_spell x = {.job = job,
                                               .rival = now[i].rival,
                                               .link = now[i].link,
                                               .links = now[i].links,
                                               .from_ns = e->cluster.now_ns,
                                               .to_ns = -1};
        list[i].spell = before ? before->spell : m->n;
        if (!before) {
            err = add_spell(m, &x, why);
            continue;
        }
        struct orr_contention_spell *old = &m->spell[before->spell];
        ORR_ASSERT(old->job == job && old->rival == x.rival);
        old->to_ns = -1; /* it goes on */
        old->links = old->links > x.links ? old->links : x.links;
    }
    orr__free(p->company);
    p->company = list;
    p->n = err ? 0 : n;
    p->all = all;
    return err;
}

/* ---- notes --------------------------------------------------------------- */

/* A job that has got GPUs, or others, or has lost them. *changed: it has. */
static orr_err come_or_go(struct orr_engine *e, uint32_t job, bool *changed,
                          struct orr_report *why)
{
    struct party *p = &e->contention->party[job];
    bool here = !orr__has_left(e, job) && e->known[job];
    if (p->here == here && (!here || p->key == e->known[job]->key))
        return ORR_OK;
    *changed = true;
    /* it ends what it was in */
    orr_err err = change_company(e, job, NULL, 0, 0, why);
    clear_party(p);
    if (!err && here)
        err = find_facts(e, job, why);
    p->since_ns = e->cluster.now_ns;
    return err;
}

/* Those that have lost their GPUs since, and those that have got some. */
static orr_err come_and_go(struct orr_engine *e, bool *changed,
                           struct orr_report *why)
{
    const struct orr_cluster *c = &e->cluster;
    orr_err err = ORR_OK;
    for (uint32_t i = 0; !err && i < e->n_left; i++)
        err = come_or_go(e, e->left[i], changed, why);
    for (uint32_t i = 0; !err && i < c->n_running; i++)
        err = come_or_go(e, c->running[i], changed, why);
    return err;
}

/* Of all that run, after somebody came or left. */
static orr_err update_company(struct orr_engine *e, struct orr_report *why)
{
    struct company *list = orr__alloc(e->cluster.n_running, sizeof *list);
    orr_err err = list ? list_guests(e, why) : orr__no_memory(why);
    for (uint32_t i = 0; !err && i < e->cluster.n_running; i++) {
        double all;
        uint32_t job = e->cluster.running[i];
        uint32_t n = list_company(e, job, list, &all);
        err = change_company(e, job, list, n, all, why);
    }
    orr__free(list);
    return err;
}

static void charge_all(struct orr_engine *e)
{
    const struct orr_cluster *c = &e->cluster;
    for (uint32_t i = 0; i < e->n_left; i++)
        if (orr__has_left(e, e->left[i]) && e->open[e->left[i]])
            charge_job(e, e->left[i]);
    for (uint32_t i = 0; i < c->n_running; i++)
        if (e->open[c->running[i]])
            charge_job(e, c->running[i]);
}

orr_err orr__contention_log_note(struct orr_engine *e, struct orr_report *why)
{
    bool changed = false;
    orr_err err = pass_time(e->contention, e->cluster.now_ns, why);
    if (!err)
        charge_all(e);
    if (!err)
        err = come_and_go(e, &changed, why);
    return err || !changed ? err : update_company(e, why);
}

orr_err orr__contention_log_end(struct orr_engine *e, struct orr_report *why)
{
    struct orr_contention_log *m = e->contention;
    orr_err err = pass_time(m, e->cluster.now_ns, why);
    if (!err)
        charge_all(e);
    for (uint32_t i = 0; i < m->n; i++)
        if (m->spell[i].to_ns < 0)
            m->spell[i].to_ns = e->cluster.now_ns;
    return err;
}

/* ---- looking ------------------------------------------------------------- */

const struct orr_contention_spell *orr__contention_encounters(
    const struct orr_engine *e, uint32_t *n)
{
    *n = e->contention ? e->contention->n : 0;
    return *n ? e->contention->spell : NULL;
}

const struct orr_link_bin *orr__contention_log_bins(const struct orr_engine *e,
                                                    uint32_t link, uint32_t *n,
                                                    int64_t *width_ns)
{
    const struct orr_contention_log *m = e->contention;
    if (!m || !m->bin[link])
        return NULL;
    *width_ns = widths[m->step];
    *n = (uint32_t)(m->now_ns / *width_ns + (m->now_ns % *width_ns > 0));
    ORR_ASSERT(*n <= ORR_LINK_BINS);
    return m->bin[link];
}

int64_t orr__contention_log_bin_end(uint32_t bin, int64_t width_ns)
{
    return bin < INT64_MAX / width_ns ? (bin + 1) * width_ns : INT64_MAX;
}
