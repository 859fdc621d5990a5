#include "study/profile/profile.h"
#include "core/assert.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "core/units.h"
#include "record/record.h"
#include "study/run/entry.h"
#include "topo/node_names.h"
#include "workload/job/adjust.h"
#include "workload/rank/rank.h"

/* What is no demand, and what is no other demand: shares of a link's rate. */
#define NOTHING 0.02
#define ALIKE   0.02
/* Bins by default; fewer so that each has room for so many packets. */
enum { MOST_BINS = 1000, BIN_PACKETS = 50, LEAST_BINS = 20 };

/* The iteration that is measured, in bins. */
struct measurement {
    struct orr_world *w;
    int64_t from_ps, length_ps;
    uint32_t bins, next; /* next: end of a bin to be looked at */
    uint32_t n, *link;   /* that carried anything */
    double packet_bytes;
    uint64_t *bytes; /* [link * (bins + 1) + k]: at the start of bin k */
};

static int64_t time_of(const struct measurement *k, uint32_t bin)
{
    return k->from_ps + (int64_t)((__int128_t)k->length_ps * bin / k->bins);
}

static void sample_links(struct measurement *k, int64_t now)
{
    struct orr_link_sample s;
    for (uint32_t i = 0; i < k->n; i++) {
        orr__net_link_sample(k->w->net, k->link[i], now, &s);
        k->bytes[(size_t)i * (k->bins + 1) + k->next] = s.bytes;
    }
    k->next++;
}

static int64_t sample_at(void *arg, int64_t now)
{
    struct measurement *k = arg;
    sample_links(k, now);
    return k->next <= k->bins ? time_of(k, k->next) : ORR_NEVER;
}

/* ---- phases -------------------------------------------------------------- */

/* Bins of about one rate. */
struct stretch {
    double at, length; /* in bins */
    double rate;       /* share of the link's */
};

/* Bins alike are one stretch; returns how many there are. */
static uint32_t gather_bins(const double *rate, uint32_t bins, double alike,
                            struct stretch *s)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < bins; i++) {
        struct stretch *last = n ? &s[n - 1] : NULL;
        double r = rate[i];
        if (last && fabs(r - last->rate) < alike) {
            last->rate += (r - last->rate) / (last->length + 1);
            last->length++;
        } else {
            s[n++] = (struct stretch){i, 1, r};
        }
    }
    return n;
}

/* A single bin whose rate is between those beside it is where they meet. */
static void sharpen_edges(struct stretch *s, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        struct stretch *a = i ? &s[i - 1] : NULL;
        struct stretch *b = i + 1 < n ? &s[i + 1] : NULL;
        double before = a && a->length > 0 ? a->rate : 0;
        double after = b ? b->rate : 0;
        if (s[i].length != 1 || (s[i].rate - before) * (after - s[i].rate) <= 0)
            continue;
        double later = (s[i].rate - before) / (after - before);
        if (a && a->length > 0)
            a->length += 1 - later;
        else if (before > 0)
            continue;
        if (b) {
            b->at -= later;
            b->length += later;
        }
        s[i].length = 0;
    }
}

/* A link's demand: bins gathered, edges sharpened, in ps. A link below NOTHING
 * has none. */
static orr_err add_link(const struct measurement *k, uint32_t i, double *rate,
                        struct stretch *s, struct orr_profile *p,
                        struct orr_report *why)
{
    uint32_t link = k->link[i], n;
    ORR_ASSERT(i < k->n && k->bins > 0);
    const uint64_t *bytes = &k->bytes[(size_t)i * (k->bins + 1)];
    double bps = (double)k->w->graph->rate_bps[link];
    double bin_ps = (double)k->length_ps / k->bins;
    for (uint32_t b = 0; b < k->bins; b++) {
        double ps = (double)(time_of(k, b + 1) - time_of(k, b));
        rate[b] = (double)(bytes[b + 1] - bytes[b]) * 8e12 / ps / bps;
    }
    /* a packet more or less in a bin is no difference */
    double packet = 1.5 * 8e12 * k->packet_bytes / bps / bin_ps;
    n = gather_bins(rate, k->bins, packet > ALIKE ? packet : ALIKE, s);
    sharpen_edges(s, n);
    struct orr_link_demand d = {.link = link};
    d.phase = orr__alloc(n, sizeof *d.phase);
    if (!d.phase)
        return orr__no_memory(why);
    int64_t end = 0; /* of the phase before */
    for (uint32_t j = 0; j < n; j++) {
        if (s[j].length <= 0 || s[j].rate < NOTHING)
            continue;
        int64_t at = (int64_t)(s[j].at * bin_ps + 0.5);
        int64_t to = (int64_t)((s[j].at + s[j].length) * bin_ps + 0.5);
        at = at < end ? end : at;
        to = to > k->length_ps ? k->length_ps : to;
        if (to <= at)
            continue;
        d.phase[d.n++] =
            (struct orr_phase){at, to - at, (uint64_t)(s[j].rate * bps + 0.5)};
        end = to;
    }
    if (d.n)
        p->link[p->n++] = d;
    else
        orr__free(d.phase);
    return ORR_OK;
}

/* What it allocated is freed with the profile, also after an error. */
static orr_err make_profile(const struct measurement *k,
                            const struct orr_job *j, struct orr_profile *p,
                            struct orr_report *why)
{
    double *rate = orr__alloc(k->bins, sizeof *rate);
    struct stretch *s = orr__alloc(k->bins, sizeof *s);
    orr_err err = ORR_OK;
    p->job = orr__strdup(j->name);
    p->iteration_ps = k->length_ps;
    p->link = orr__alloc(k->n, sizeof *p->link);
    if (!rate || !s || !p->job || !p->link)
        err = orr__no_memory(why);
    for (uint32_t i = 0; err == ORR_OK && i < k->n; i++)
        err = add_link(k, i, rate, s, p, why);
    orr__free(rate);
    orr__free(s);
    return err;
}

/* ---- runs ---------------------------------------------------------------- */

static orr_err load_job(const struct orr_config_file *file,
                        const struct orr_profile_request *m,
                        const struct orr_options *o, orr_experiment **x,
                        struct orr_report *why)
{
    const struct orr_open_options how = {
        .single_job = {
            .wanted = true, .name = m->job, .iterations = m->iterations}};
    struct orr_options options = *o;
    options.no_output = true;
    return orr__experiment_load_file(file, &options, &how, x, why);
}

/* Of the last iteration. */
static void find_iteration(const struct orr_world *w, struct measurement *k)
{
    const struct orr_job *j = &w->jobs[0];
    const struct orr_iteration *last = &j->iteration[j->iterations - 1];
    k->from_ps = j->iterations > 1 ? last[-1].end_ps : last->start_ps;
    k->length_ps = last->end_ps - k->from_ps;
}

/* So wide that BIN_PACKETS packets of the slowest link fit in, within
 * limits. */
static void choose_bins(const struct orr_world *w, struct measurement *k)
{
    const struct orr_net_wire wire = orr__net_wire(w->net_config);
    uint64_t slowest = UINT64_MAX;
    for (uint32_t i = 0; i < k->n; i++)
        if (w->graph->rate_bps[k->link[i]] < slowest)
            slowest = w->graph->rate_bps[k->link[i]];
    k->packet_bytes = (double)(wire.mtu + wire.header);
    if (k->bins)
        return;
    double bins = (double)k->length_ps * 1e-12 * (double)slowest / 8
                  / k->packet_bytes / BIN_PACKETS;
    k->bins = bins > MOST_BINS    ? MOST_BINS
              : bins < LEAST_BINS ? LEAST_BINS
                                  : (uint32_t)bins;
}

/* Those that carried anything. */
static orr_err find_links(const struct orr_world *w, struct measurement *k,
                          struct orr_report *why)
{
    struct orr_link_sample s;
    k->link = orr__alloc(w->graph->links, sizeof *k->link);
    if (!k->link)
        return orr__no_memory(why);
    for (uint32_t l = 0; l < w->graph->links; l++) {
        orr__net_link_sample(w->net, l, w->result.end_ps, &s);
        if (s.bytes)
            k->link[k->n++] = l;
    }
    choose_bins(w, k);
    k->bytes = orr__alloc((size_t)k->n * (k->bins + 1), sizeof *k->bytes);
    return k->bytes ? ORR_OK : orr__no_memory(why);
}

/* Finds the iteration and its links. */
static orr_err first_run(const struct orr_config_file *file,
                         const struct orr_profile_request *m,
                         const struct orr_options *o, struct measurement *k,
                         struct orr_report *why)
{
    orr_experiment *x = NULL;
    orr_err err = load_job(file, m, o, &x, why);
    if (err == ORR_OK)
        err = orr_experiment_run(x, why);
    if (err == ORR_OK) {
        find_iteration(orr__experiment_world(x), k);
        err = find_links(orr__experiment_world(x), k, why);
    }
    if (err == ORR_OK && k->length_ps < k->bins)
        err =
            orr__fail(why, ORR_ECONFIG, "profile: an iteration takes no time");
    orr_experiment_free(x);
    return err;
}

/* The same run, sampled at the ends of bins. */
static orr_err second_run(const struct orr_config_file *file,
                          const struct orr_profile_request *m,
                          const struct orr_options *o, struct measurement *k,
                          struct orr_measured *out, struct orr_report *why)
{
    orr_err err = load_job(file, m, o, &out->x, why);
    if (err != ORR_OK)
        return err;
    k->w = orr__experiment_inside(out->x);
    err = orr__experiment_begin(out->x, why);
    if (err != ORR_OK)
        return err; /* what has not begun is not ended */
    err = orr__net_control(k->w->net, k->from_ps, sample_at, k, why);
    if (err == ORR_OK)
        err = orr__experiment_advance(out->x, ORR_NEVER, why);
    err = orr__experiment_end(out->x, err, why);
    while (err == ORR_OK && k->next <= k->bins)
        sample_links(
            k, k->w->result.end_ps); /* nothing was left to happen before */
    return err;
}

/* What the rank that computes most does of an iteration, and whether others
 * are like it. */
static void share_of_compute(const struct orr_job *j, struct orr_measured *out)
{
    int64_t most = 0;
    for (uint32_t r = 0; r < j->ranks; r++)
        if (j->rank[r].compute_ps > most)
            most = j->rank[r].compute_ps;
    out->varies = orr__program_varies(j->team->program, &j->team->jitter);
    out->draws = orr__program_draws(j->team->program);
    out->profile.compute_ps = most / j->iterations;
    out->compute_share =
        (double)out->profile.compute_ps / (double)out->profile.iteration_ps;
}

orr_err orr__measure(const struct orr_profile_request *m,
                     const struct orr_options *o, struct orr_measured *out,
                     struct orr_report *why)
{
    struct measurement k = {.bins = m->bins};
    struct orr_config_file file;
    memset(out, 0, sizeof *out);
    orr_err err = orr__config_file_read(&file, m->config, why);
    if (err == ORR_OK)
        err = first_run(&file, m, o, &k, why);
    if (err == ORR_OK)
        err = second_run(&file, m, o, &k, out, why);
    orr__config_file_fini(&file);
    if (err == ORR_OK)
        err = make_profile(&k, &k.w->jobs[0], &out->profile, why);
    if (err == ORR_OK)
        share_of_compute(&k.w->jobs[0], out);
    for (uint32_t i = 0; err == ORR_OK && i < k.n; i++) {
        const uint64_t *b = &k.bytes[(size_t)i * (k.bins + 1)];
        out->bytes += b[k.bins] - b[0];
    }
    orr__free(k.link);
    orr__free(k.bytes);
    return err;
}

void orr__measured_fini(struct orr_measured *m)
{
    orr__profile_fini(&m->profile);
    orr_experiment_free(m->x);
}

/* ---- HDF5 ---------------------------------------------------------------- */

/* Objects of the record. */
struct columns {
    int link, from, to, parallel, name, bytes, peak;
    int phase, of, at, span, rate;
};

/* Links, and phases of them. */
static struct columns add_columns(struct orr_record *r)
{
    int links = orr__record_group(r, "links");
    int phases = orr__record_group(r, "phases");
    struct columns c;
#define SCALE(group, name, type, unit, doc)                                    \
    orr__record_scale(                                                         \
        r, group,                                                              \
        &(struct orr_record_column){name, ORR_RECORD_##type, unit, doc, NULL}, \
        64)
#define COLUMN(group, scale, name, type, unit, doc)                            \
    orr__record_column(                                                        \
        r, group,                                                              \
        &(struct orr_record_column){name, ORR_RECORD_##type, unit, doc, NULL}, \
        scale)
    c.link = SCALE(links, "link", U32, "1", "link id");
    c.from = COLUMN(links, c.link, "from", U32, "1", "node that sends");
    c.to = COLUMN(links, c.link, "to", U32, "1", "node that receives");
    c.parallel = COLUMN(links, c.link, "parallel", U32, "1",
                        "which of the links between these nodes");
    c.name = COLUMN(links, c.link, "name", TEXT, "1", "names of its nodes");
    c.bytes = COLUMN(links, c.link, "bytes", U64, "B",
                     "on the wire, of one iteration");
    c.peak = COLUMN(links, c.link, "peak", U64, "bit/s", "largest demand");
    c.phase = SCALE(phases, "phase", U32, "1", "number");
    c.of = COLUMN(phases, c.phase, "link", U32, "1", "link id");
    c.at = COLUMN(phases, c.phase, "at", I64, "ps",
                  "from the start of the iteration");
    c.span = COLUMN(phases, c.phase, "for", I64, "ps", "how long");
    c.rate = COLUMN(phases, c.phase, "rate", U64, "bit/s", "demand");
#undef SCALE
#undef COLUMN
    return c;
}

/* One link, and its phases from row *phase on. */
static void write_link(struct orr_record *r, const struct columns *c,
                       const struct orr_graph *g,
                       const struct orr_link_demand *d, uint32_t row,
                       uint32_t *phase)
{
    char text[2 * ORR_NODE_NAME + 4], x[ORR_NODE_NAME], y[ORR_NODE_NAME];
    const char *name = text;
    uint64_t bytes = orr__demand_bytes(d), peak = 0;
    uint32_t parallel = orr__profile_parallel(g, d->link);
    snprintf(text, sizeof text, "%s -> %s",
             orr__node_name(g, g->from[d->link], x, sizeof x),
             orr__node_name(g, g->to[d->link], y, sizeof y));
    for (uint32_t i = 0; i < d->n; i++, ++*phase) {
        const struct orr_phase *p = &d->phase[i];
        peak = p->rate_bps > peak ? p->rate_bps : peak;
        orr__record_write(r, c->phase, *phase, 1, phase);
        orr__record_write(r, c->of, *phase, 1, &d->link);
        orr__record_write(r, c->at, *phase, 1, &p->at_ps);
        orr__record_write(r, c->span, *phase, 1, &p->for_ps);
        orr__record_write(r, c->rate, *phase, 1, &p->rate_bps);
    }
    orr__record_write(r, c->link, row, 1, &d->link);
    orr__record_write(r, c->from, row, 1, &g->from[d->link]);
    orr__record_write(r, c->to, row, 1, &g->to[d->link]);
    orr__record_write(r, c->parallel, row, 1, &parallel);
    orr__record_write(r, c->name, row, 1, &name);
    orr__record_write(r, c->bytes, row, 1, &bytes);
    orr__record_write(r, c->peak, row, 1, &peak);
}

orr_err orr__measured_write(const struct orr_measured *m, const char *file,
                            struct orr_report *why)
{
    const struct orr_graph *g = orr__experiment_world(m->x)->graph;
    const struct orr_profile *p = &m->profile;
    struct orr_record *r = NULL;
    char *target = NULL, *partial = NULL;
    uint32_t phase = 0;
    orr_err err = orr__record_target(file, &target, why);
    if (err == ORR_OK) {
        partial = orr__format("%s.partial", target);
        err =
            partial ? orr__record_open(partial, &r, why) : orr__no_memory(why);
    }
    if (err == ORR_OK) {
        struct columns c = add_columns(r);
        orr__record_text(r, ORR_RECORD_ROOT, "Conventions", "CF-1.10");
        orr__record_text(r, ORR_RECORD_ROOT, "job", p->job);
        orr__record_number(r, ORR_RECORD_ROOT, "iteration_ps",
                           (uint64_t)p->iteration_ps);
        orr__record_number(r, ORR_RECORD_ROOT, "compute_ps",
                           (uint64_t)p->compute_ps);
        for (uint32_t i = 0; i < p->n; i++)
            write_link(r, &c, g, &p->link[i], i, &phase);
        err = orr__record_close(r, target, why);
    }
    orr__free(partial);
    orr__free(target);
    return err;
}

char *orr__measured_summary(const struct orr_measured *m)
{
    struct orr_text t = {.s = NULL};
    const char *job = m->profile.job;
    char time[32], bytes[32];
    orr__human_time(m->profile.iteration_ps, time, sizeof time);
    orr__human_size(m->bytes, bytes, sizeof bytes);
    orr__text_add(&t,
                  "%s: %s an iteration, computing for %.3g %% of it; %s over "
                  "%u links\n",
                  job, time, 100 * m->compute_share, bytes, m->profile.n);
    if (m->varies)
        orr__text_add(&t,
                      "%s: its computations have jitter, and this is one "
                      "iteration: a period has no room for others\n",
                      job);
    if (m->draws)
        orr__text_add(&t,
                      "%s: sizes of its messages are drawn anew, and these are "
                      "of one iteration\n",
                      job);
    return orr__text_shown(&t);
}
