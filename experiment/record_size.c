#include "experiment/record_size.h"
#include "workload/rank/bound.h"

#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/units.h"
#include "record/series.h"
#include "workload/flow/flows.h"
#include "workload/job/job.h"
#include "workload/rank/rank.h"

/* Measured, for rows with and columns that do something in each. */
#define BIN_BYTES       80
#define LINK_CELL_BYTES 8
#define SAMPLE_BYTES    16
#define FLOW_CELL_BYTES 12
#define PORT_CELL_BYTES 4

/* Ranks whose computations are added up; others do about the same. */
#define RANKS_LOOKED_AT 64u

/* ---- simulated time ----------------------------------------------------- */

struct load { /* payload bytes, per host */
    double *out, *in;
};

static void add_traffic(void *arg, uint32_t src, uint32_t dst, uint64_t bytes,
                        uint64_t messages)
{
    struct load *l = arg;
    if (src == dst)
        return;
    l->out[src] += (double)bytes;
    l->in[dst] += (double)bytes;
}

/* How long the links of a host are busy, ps. */
static double busy_time(const struct orr_graph *g, double bytes,
                        const uint32_t *off, const uint32_t *link,
                        uint32_t host)
{
    double rate = 0;
    for (uint32_t i = off[host]; i < off[host + 1]; i++)
        rate += (double)g->rate_bps[link[i]];
    return rate > 0 ? 8e12 * bytes / rate : 0;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* What hosts send and receive takes, by the rates of their links alone; ENOMEM.
 */
static orr_err network_time(const struct orr_world *w, double *least,
                            struct orr_report *why)
{
    const struct orr_graph *g = w->graph;
    struct load l = {orr__alloc(g->hosts, sizeof(double)),
                     orr__alloc(g->hosts, sizeof(double))};
    orr_err err = l.out && l.in ? ORR_OK : orr__no_memory(why);
    for (uint32_t i = 0; !err && w->flows && i < w->flows->count; i++) {
        const struct orr_flow *f = &w->flows->flow[i];
        add_traffic(&l, f->src, f->dst, f->bytes, 1);
        *least = larger(*least, (double)f->start_ps);
    }
    if (!err && w->n_jobs)
        orr__jobs_traffic(w, add_traffic, &l);
    for (uint32_t h = 0; !err && h < g->hosts; h++) {
        *least =
            larger(*least, busy_time(g, l.out[h], g->out_off, g->out_link, h));
        *least =
            larger(*least, busy_time(g, l.in[h], g->in_off, g->in_link, h));
    }
    orr__free(l.out);
    orr__free(l.in);
    return err;
}

/* Time of the computations that one rank does one after another in an
 * iteration; left, ready and end are scratch, an element for each operation. */
struct chain_search {
    uint32_t *left, *ready;
    double *end;
};

/* The longest chain of computations of a rank, ps; messages take no time. */
static double compute_time(const struct orr_program *p, uint32_t rank,
                           struct chain_search *s)
{
    uint32_t head = 0, tail = p->n_first;
    double last = 0;
    memcpy(s->left, p->waits, p->ops * sizeof *s->left);
    memcpy(s->ready, p->first, p->n_first * sizeof *s->ready);
    memset(s->end, 0, p->ops * sizeof *s->end);
    while (head < tail) {
        uint32_t at = s->ready[head++];
        const struct orr_op *op = &p->op[at];
        if (orr__op_has(op->kind, ORR_OP_COMPUTES)
            && orr__program_runs(p, op, rank))
            s->end[at] += (double)op->time_ps;
        last = larger(last, s->end[at]);
        for (uint32_t e = p->next_off[at]; e < p->next_off[at + 1]; e++) {
            uint32_t next = p->next[e];
            s->end[next] = larger(s->end[next], s->end[at]);
            if (--s->left[next] == 0)
                s->ready[tail++] = next;
        }
    }
    return last;
}

/* What the ranks of a job compute, at least; ENOMEM. */
static orr_err job_time(const struct orr_job *j, double *least,
                        struct orr_report *why)
{
    const struct orr_program *p = j->team->program;
    struct chain_search s = {orr__alloc(p->ops, sizeof *s.left),
                             orr__alloc(p->ops, sizeof *s.ready),
                             orr__alloc(p->ops, sizeof *s.end)};
    orr_err err = s.left && s.ready && s.end ? ORR_OK : orr__no_memory(why);
    for (uint32_t r = 0; !err && r < j->ranks && r < RANKS_LOOKED_AT; r++)
        *least = larger(*least, (double)j->start_ps
                                    + j->iterations * compute_time(p, r, &s));
    orr__free(s.left);
    orr__free(s.ready);
    orr__free(s.end);
    return err;
}

/* No run takes less simulated time than *ps. */
static orr_err least_time(const struct orr_world *w, int64_t *ps,
                          struct orr_report *why)
{
    double least = 0;
    orr_err err = network_time(w, &least, why);
    for (uint32_t i = 0; i < w->n_jobs && err == ORR_OK; i++)
        err = job_time(&w->jobs[i], &least, why);
    *ps = least < 4e18 ? (int64_t)least : INT64_C(4000000000000000000);
    if (*ps > w->options.stop_ps)
        *ps = w->options.stop_ps;
    return err;
}

/* ---- records ------------------------------------------------------------ */

/* ECONFIG at the key that asks for so many rows. */
static orr_err refuse_rows(const struct orr_world *w,
                           const struct orr_yaml *record, const char *key,
                           double rows, int64_t least_ps,
                           struct orr_report *why)
{
    char least[32], wider[32];
    orr__human_time(least_ps, least, sizeof least);
    orr__human_time(least_ps / (int64_t)(ORR_MOST_ROWS / 10), wider,
                    sizeof wider);
    orr_err err = orr__yaml_fail(
        w->config, orr__yaml_get(record, key), why,
        "record.%s: the run takes %s or more, which makes %.3g %s; no more "
        "than %.0f are written",
        key, least, rows, strcmp(key, "sample") == 0 ? "samples" : "bins",
        ORR_MOST_ROWS);
    orr__hint(why, "%s would make a million", wider);
    return err;
}

orr_err orr__estimate_records(const struct orr_world *w,
                              const struct orr_yaml *record,
                              struct orr_record_estimate *p,
                              struct orr_report *why)
{
    struct orr_series_shape s;
    orr_err err;
    *p = (struct orr_record_estimate){.least_ps = 0};
    err = orr__series_agrees(w, why);
    if (err)
        return err;
    orr__series_shape(w, &s);
    if (!s.interval_ps && !s.sample_ps)
        return ORR_OK;
    err = least_time(w, &p->least_ps, why);
    if (err)
        return err;
    if (s.interval_ps)
        p->bins = (double)p->least_ps / (double)s.interval_ps;
    if (s.sample_ps)
        p->samples = (double)p->least_ps / (double)s.sample_ps;
    p->bytes = p->bins * (BIN_BYTES + (double)LINK_CELL_BYTES * s.links)
               + p->samples
                     * (SAMPLE_BYTES + (double)FLOW_CELL_BYTES * s.flows
                        + (double)PORT_CELL_BYTES * s.ports);
    if (p->bins > ORR_MOST_ROWS)
        return refuse_rows(w, record, "interval", p->bins, p->least_ps, why);
    if (p->samples > ORR_MOST_ROWS)
        return refuse_rows(w, record, "sample", p->samples, p->least_ps, why);
    return ORR_OK;
}
