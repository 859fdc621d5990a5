#include "cluster/figures.h"
#include "core/assert.h"
#include "core/none.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <xxhash.h>

#include "cluster/contention.h"
#include "core/memory.h"
#include "record/figures.h"

#define HOUR 3600e9 /* ns */

/* Of one job over all its stretches in which iterations went by. Parts of
 * iterations are reals, and so is what is in proportion to them. */
struct sums {
    int64_t ns; /* that these stretches lasted */
    double iterations;
    double baseline_ns; /* that as many would have taken alone */
    double marks, resent;
    double half; /* the largest of their intervals, relative */
    double lost; /* ns times GPUs */
};

/* Iterations, and what they would have taken alone. */
static void add_stretch(struct sums *s, const struct orr_stretch *x)
{
    double time = (double)(x->to_ns - x->from_ns);
    double n = x->speed.iteration_ns > 0 ? time / x->speed.iteration_ns : 0;
    if (n <= 0)
        return;
    s->iterations += n;
    s->ns += x->to_ns - x->from_ns;
    double share = orr__baseline_of(&x->speed) / x->speed.iteration_ns;
    double alone = time * share; /* exactly time, where nothing was lost */
    s->baseline_ns += alone;
    s->marks += n * x->speed.marks;
    s->resent += n * x->speed.resent;
    s->half = fmax(s->half, x->speed.half);
    s->lost += (time - alone) * x->gpus;
}

/* The figures of a job; NAN: it has not come to it. */
static struct orr_job_result from_sums(const struct orr_cluster *c,
                                       const struct orr_cluster_job *j,
                                       const struct sums *s)
{
    bool done = j->state == ORR_CLUSTER_DONE;
    int64_t waited = j->waited_ns;
    if (j->state == ORR_CLUSTER_WAITING)
        waited += c->now_ns - j->since_ns;
    struct orr_job_result f = {
        .queueing = j->state == ORR_CLUSTER_COMING ? NAN : (double)waited,
        .completion = done ? (double)(j->finish_ns - j->is.at_ns) : NAN,
        .iteration = s->iterations > 0 ? (double)s->ns / s->iterations : NAN,
        .half = s->half,
        .slowdown = s->baseline_ns > 0 ? (double)s->ns / s->baseline_ns : NAN,
        .marks = s->iterations > 0 ? s->marks / s->iterations : NAN,
        .resent = s->iterations > 0 ? s->resent / s->iterations : NAN,
        .lost_ns = (double)s->ns - s->baseline_ns,
        .gpu_hours = (double)orr__cluster_gpu_time(c, j) / HOUR,
    };
    double alone = j->iterations * j->baseline_ns;
    f.rho = done && alone > 0 ? f.completion / alone : NAN;
    return f;
}

struct orr_job_result *orr__cluster_job_figures(const struct orr_engine *e)
{
    uint32_t n = e->cluster.jobs;
    struct orr_job_result *f = orr__alloc(n, sizeof *f);
    struct sums *s = orr__alloc(n, sizeof *s);
    for (uint32_t i = 0; f && s && i < e->stretches; i++)
        add_stretch(&s[e->stretch[i].job], &e->stretch[i]);
    for (uint32_t i = 0; f && s && i < n; i++)
        f[i] = from_sums(&e->cluster, &e->cluster.job[i], &s[i]);
    if (!s) {
        orr__free(f);
        f = NULL;
    }
    orr__free(s);
    return f;
}

/* ---- over jobs ----------------------------------------------------------- */

/* Values of which statistics are made, per figure. */
struct lists {
    double *of[5]; /* completion, queueing, slowdown, rho, iteration */
    size_t n[5];
};

static void enter_value(struct lists *l, int which, double value)
{
    if (isfinite(value))
        l->of[which][l->n[which]++] = value;
}

static double jain_index(const double *rho, size_t n)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++) {
        sum += 1 / rho[i];
        squares += 1 / rho[i] / rho[i];
    }
    return n ? sum * sum / ((double)n * squares) : NAN;
}

/* Figures that are means over jobs, and how many came to what. */
static void over_jobs(const struct orr_engine *e, const struct sums *s,
                      struct lists *l, struct orr_cluster_figures *f)
{
    const struct orr_cluster *c = &e->cluster;
    int64_t last = -1;
    for (uint32_t i = 0; i < c->jobs; i++) {
        const struct orr_cluster_job *j = &c->job[i];
        struct orr_job_result x = from_sums(c, j, &s[i]);
        enter_value(l, 0, x.completion);
        enter_value(l, 1, x.queueing);
        enter_value(l, 2, x.slowdown);
        enter_value(l, 3, x.rho);
        enter_value(l, 4, x.iteration);
        f->done += j->state == ORR_CLUSTER_DONE;
        f->failed += j->state == ORR_CLUSTER_FAILED;
        f->waiting += j->state == ORR_CLUSTER_WAITING;
        f->running += j->state == ORR_CLUSTER_RUNNING;
        f->iterations += j->done;
        f->marks += s[i].marks;
        f->resent += s[i].resent;
        f->lost_h += s[i].lost / HOUR;
        f->preempted += j->preempted;
        f->resized += j->resized;
        f->moved += j->moved;
        f->restarted += j->restarted;
        last = j->finish_ns > last ? j->finish_ns : last;
    }
    f->makespan_ns = last >= 0 ? (double)(last - c->job[0].is.at_ns) : NAN;
    f->lost_h = fmax(f->lost_h, 0);
    f->marks = f->iterations > 0 ? f->marks / f->iterations : NAN;
    f->resent = f->iterations > 0 ? f->resent / f->iterations : NAN;
}

/* ---- over time ----------------------------------------------------------- */

/* Figures that are means over time: GPUs given, out and idle, the queue. */
static void over_time(const struct orr_engine *e, struct orr_cluster_figures *f)
{
    const struct orr_cluster *c = &e->cluster;
    double gpus = c->inventory.gpus, computing = 0, free = 0, broken = 0;
    double waiting = 0;
    for (uint32_t i = 0; i < e->epochs; i++) {
        const struct orr_epoch *p = &e->epoch[i];
        int64_t to = i + 1 < e->epochs ? p[1].at_ns : c->now_ns;
        double hours = (double)(to - p->at_ns) / HOUR;
        double idle = gpus - p->used - p->out;
        f->given_h += p->used * hours;
        f->out_h += p->out * hours;
        f->idle_h += idle * hours;
        computing += p->computing * hours;
        free += idle * hours;
        broken += (idle - p->whole) * hours;
        waiting += p->waiting * hours;
        if (p->waiting > f->queue_most)
            f->queue_most = p->waiting;
    }
    f->end_ns = c->now_ns;
    f->all_h = gpus * (double)c->now_ns / HOUR;
    f->utilization = f->given_h / (f->all_h - f->out_h);
    f->computing = computing / (f->all_h - f->out_h);
    f->fragmentation = free > 0 ? broken / free : 0;
    f->queue_mean = c->now_ns > 0 ? waiting / ((double)c->now_ns / HOUR) : 0;
}

orr_err orr__cluster_stretches(const struct orr_engine *e, uint32_t **first,
                               uint32_t **list, struct orr_report *why)
{
    uint32_t n = e->cluster.jobs;
    uint32_t *at = *first = orr__alloc((size_t)n + 2, sizeof *at);
    *list = orr__alloc(e->stretches, sizeof **list);
    if (!*first || !*list) {
        orr__free(*first);
        orr__free(*list);
        return orr__no_memory(why);
    }
    for (uint32_t i = 0; i < e->stretches; i++)
        at[e->stretch[i].job + 2]++;
    for (uint32_t j = 1; j <= n; j++)
        at[j + 1] += at[j];
    for (uint32_t i = 0; i < e->stretches; i++)
        (*list)[at[e->stretch[i].job + 1]++] = i;
    return ORR_OK;
}

/* The share of GPU time in which jobs shared links. */
static void over_stretches(const struct orr_engine *e,
                           struct orr_cluster_figures *f)
{
    __int128 given = 0, shared = 0; /* ns times GPUs */
    for (uint32_t i = 0; i < e->stretches; i++) {
        const struct orr_stretch *x = &e->stretch[i];
        __int128 gpu_time = (__int128)(x->to_ns - x->from_ns) * x->gpus;
        ORR_ASSERT(x->to_ns >= x->from_ns);
        given += gpu_time;
        shared += x->speed.rival == ORR_NONE ? 0 : gpu_time;
    }
    f->shared = given > 0 ? (double)shared / (double)given : 0;
}

void orr__link_text(const struct orr_graph *g, uint32_t link,
                    char buf[ORR_LINK_TEXT])
{
    char from[64], to[64];
    orr__node_label(g, g->from[link], from, sizeof from);
    orr__node_label(g, g->to[link], to, sizeof to);
    snprintf(buf, ORR_LINK_TEXT, "%s > %s", from, to);
}

/* ---- over links ---------------------------------------------------------- */

/* What jobs did to one another on one link, over all bins. */
static struct orr_link_contention over_bins(const struct orr_link_bin *b,
                                            uint32_t n, int64_t width_ns)
{
    struct orr_link_contention f = {.worst_lost_h = -INFINITY};
    unsigned __int128 jobs = 0;
    double asked = 0;
    for (uint32_t i = 0; i < n; i++) {
        f.shared_ns += b[i].shared_ns;
        f.lost_h += b[i].lost_ns / HOUR;
        jobs += b[i].jobs_ns;
        asked += b[i].asked_ns;
        if (b[i].shared_ns > 0 && b[i].lost_ns / HOUR > f.worst_lost_h) {
            f.worst_lost_h = b[i].lost_ns / HOUR;
            f.worst_from_ns = i * width_ns;
            f.worst_to_ns = orr__contention_log_bin_end(i, width_ns);
        }
    }
    f.jobs = (double)jobs / (double)f.shared_ns;
    f.asked = asked / (double)f.shared_ns;
    return f;
}

/* Those that cost most first; what costs the same by number. */
static bool comes_before(const struct orr_link_contention *a,
                         const struct orr_link_contention *b)
{
    return a->lost_h > b->lost_h;
}

uint32_t orr__cluster_links(const struct orr_engine *e,
                            struct orr_link_contention *out, uint32_t most,
                            uint32_t *all)
{
    uint32_t n = 0;
    *all = 0;
    for (uint32_t l = 0; l < e->cluster.world->graph->links; l++) {
        uint32_t bins;
        int64_t width;
        const struct orr_link_bin *b =
            orr__contention_log_bins(e, l, &bins, &width);
        if (!b)
            continue;
        struct orr_link_contention x = over_bins(b, bins, width);
        x.link = l;
        (*all)++;
        if (!(x.lost_h >= ORR_LEAST_LOST_H))
            continue;
        uint32_t at = n < most ? n++ : n;
        for (; at > 0 && comes_before(&x, &out[at - 1]); at--)
            if (at < n)
                out[at] = out[at - 1];
        if (at < n)
            out[at] = x;
    }
    return n;
}

uint64_t orr__cluster_fingerprint(const struct orr_engine *e)
{
    const struct orr_cluster *c = &e->cluster;
    uint64_t hash = c->jobs;
    for (uint32_t i = 0; i < c->jobs; i++) {
        const struct orr_cluster_job *j = &c->job[i];
        const int64_t times[] = {j->is.at_ns,  j->first_ns, j->finish_ns,
                                 j->waited_ns, j->ran_ns,   j->preempted,
                                 j->restarted};
        const int64_t changes[] = {j->resized, j->moved,
                                   (int64_t)(j->extra_ns >> 1)};
        hash = XXH3_64bits_withSeed(times, sizeof times, hash);
        if (j->resized || j->moved)
            hash = XXH3_64bits_withSeed(changes, sizeof changes, hash);
    }
    for (uint32_t i = 0; i < e->stretches; i++) {
        const struct orr_stretch *x = &e->stretch[i];
        const int64_t what[] = {x->job, x->from_ns, x->to_ns, x->speed.rival,
                                x->speed.link};
        hash = XXH3_64bits_withSeed(what, sizeof what, hash);
        hash = XXH3_64bits_withSeed(&x->speed.iteration_ns,
                                    sizeof x->speed.iteration_ns, hash);
    }
    return hash;
}

#define AT(field) offsetof(struct orr_cluster_figures, field)
#define STATISTICS(name, field)                                                \
    {name ".mean", AT(field.mean)}, {name ".p50", AT(field.p50)},              \
        {name ".p95", AT(field.p95)}, {name ".p99", AT(field.p99)},            \
        {name ".min", AT(field.min)},                                          \
    {                                                                          \
        name ".max", AT(field.max)                                             \
    }

const struct orr_cluster_figure orr__cluster_figure[ORR_CLUSTER_FIGURES] = {
    STATISTICS("completion_ns", completion),
    STATISTICS("queueing_ns", queueing),
    STATISTICS("iteration_ns", iteration),
    STATISTICS("slowdown", slowdown),
    STATISTICS("rho", rho),
    {"makespan_ns", AT(makespan_ns)},
    {"jain", AT(jain)},
    {"gpu_hours.given", AT(given_h)},
    {"gpu_hours.idle", AT(idle_h)},
    {"gpu_hours.lost", AT(lost_h)},
    {"utilization", AT(utilization)},
    {"computing", AT(computing)},
    {"fragmentation", AT(fragmentation)},
    {"queue_mean", AT(queue_mean)},
    {"sharing", AT(shared)},
    {"marks_per_iteration", AT(marks)},
    {"retransmissions_per_iteration", AT(resent)},
};
_Static_assert(sizeof orr__cluster_figure / sizeof *orr__cluster_figure
                   == ORR_CLUSTER_FIGURES,
               "as many as there is room for");

void orr__cluster_half_name(int i, char *name, size_t size)
{
    snprintf(name, size, "%s", orr__cluster_figure[i].path);
    for (char *dot; (dot = strchr(name, '.')) != NULL;)
        *dot = '_';
}

double orr__cluster_half(const struct orr_engine *e, size_t at)
{
    for (int i = 0; e->intervals.replications && i < ORR_CLUSTER_FIGURES; i++)
        if (orr__cluster_figure[i].at == at)
            return e->intervals.half[i];
    return NAN;
}

orr_err orr__cluster_figures(const struct orr_engine *e,
                             struct orr_cluster_figures *f,
                             struct orr_report *why)
{
    uint32_t n = e->cluster.jobs;
    struct lists l = {.n = {0}};
    struct sums *s = orr__alloc(n, sizeof *s);
    bool failed = !s;
    *f = (struct orr_cluster_figures){.jobs = n};
    for (int i = 0; i < 5; i++)
        failed |= !(l.of[i] = orr__alloc(n, sizeof(double)));
    for (uint32_t i = 0; !failed && i < e->stretches; i++)
        add_stretch(&s[e->stretch[i].job], &e->stretch[i]);
    if (!failed) {
        over_jobs(e, s, &l, f);
        over_time(e, f);
        over_stretches(e, f);
        f->jain = jain_index(l.of[3], l.n[3]);
        struct orr_statistics *const out[] = {
            &f->completion, &f->queueing, &f->slowdown, &f->rho, &f->iteration};
        for (int i = 0; i < 5; i++)
            *out[i] = orr__statistics(l.of[i], l.n[i]);
        f->fingerprint = orr__cluster_fingerprint(e);
    }
    for (int i = 0; i < 5; i++)
        orr__free(l.of[i]);
    orr__free(s);
    return failed ? orr__no_memory(why) : ORR_OK;
}
