#include "workload/schedule/mltcp_range.h"

#include <stdio.h>
#include <string.h>

#include "net/cc/mltcp.h"
#include "workload/job/job.h"
#include "workload/schedule/describe.h"
#include "workload/schedule/plan_notes.h"

/* Jobs of 10 ms and twice as much, 50 Gbps both ways, from four random starts:
 * the mean of the last 20 of 60 iterations, of the job that loses most and the
 * start that is worst, over what it takes alone.
 * tests/validate/parts/6-turns.sh has the same rows. */
struct row {
    const char *base;
    uint32_t jobs; /* up to so many */
    bool equal;    /* of equal periods; otherwise some are twice as long */
    double usage;  /* of the link, up to it */
    double worst;
    double steep; /* the same with `slope: 4`; 0: not measured */
};
static const struct row rows[] = {
    {"reno", 2, true, 0.67, 1.02, 0},     {"reno", 2, true, 0.90, 1.02, 0},
    {"reno", 3, true, 0.75, 1.19, 1.04},  {"reno", 3, true, 0.90, 1.25, 1.28},
    {"reno", 4, true, 0.80, 1.23, 1.24},  {"reno", 6, true, 0.80, 1.35, 0},
    {"reno", 2, false, 0.60, 1.03, 0},    {"reno", 2, false, 0.90, 1.01, 0},
    {"reno", 3, false, 0.75, 1.02, 0},    {"cubic", 2, true, 0.67, 1.02, 0},
    {"cubic", 2, true, 0.90, 1.02, 0},    {"cubic", 3, true, 0.75, 1.13, 1.15},
    {"cubic", 3, true, 0.90, 1.47, 1.33}, {"cubic", 4, true, 0.80, 1.09, 1.11},
    {"cubic", 6, true, 0.80, 1.52, 0},    {"cubic", 2, false, 0.60, 1.01, 0},
    {"cubic", 2, false, 0.90, 1.02, 0},   {"cubic", 3, false, 0.75, 1.09, 1.09},
    {"dctcp", 2, true, 0.67, 1.01, 0},    {"dctcp", 2, true, 0.90, 1.01, 0},
    {"dctcp", 3, true, 0.75, 1.01, 0},    {"dctcp", 3, true, 0.90, 1.02, 0},
    {"dctcp", 4, true, 0.80, 1.21, 1.02}, {"dctcp", 6, true, 0.80, 1.37, 1.38},
    {"dctcp", 2, false, 0.60, 1.01, 0},   {"dctcp", 2, false, 0.90, 1.01, 0},
    {"dctcp", 3, false, 0.75, 1.03, 0},   {"swift", 2, true, 0.67, 1.00, 0},
    {"swift", 2, true, 0.90, 1.00, 0},    {"swift", 3, true, 0.75, 1.01, 0},
    {"swift", 3, true, 0.90, 1.00, 0},    {"swift", 4, true, 0.80, 1.00, 0},
    {"swift", 6, true, 0.80, 1.17, 1.01}, {"swift", 2, false, 0.60, 1.01, 0},
    {"swift", 2, false, 0.90, 1.01, 0},   {"swift", 3, false, 0.75, 1.01, 0},
    {"dcqcn", 2, true, 0.67, 1.00, 0},    {"dcqcn", 2, true, 0.90, 1.64, 1.00},
    {"dcqcn", 3, true, 0.75, 1.58, 1.66}, {"dcqcn", 3, true, 0.90, 1.79, 1.76},
    {"dcqcn", 4, true, 0.80, 1.63, 1.65}, {"dcqcn", 6, true, 0.80, 1.68, 0},
    {"dcqcn", 2, false, 0.60, 1.00, 0},   {"dcqcn", 2, false, 0.90, 1.01, 0},
    {"dcqcn", 3, false, 0.75, 1.00, 0},
};

/* Beyond it jobs do not take turns. */
#define TURNS 1.05
/* From here on what counts was measured with `slope: 4`. */
#define STEEP 3
/* Periods that differ by less are equal. */
#define EQUAL 1.02

/* What meets on a link. */
struct mix {
    const char *base; /* of the first job that is under MLTCP; NULL: none is */
    uint32_t jobs;
    double ratio, usage;
    bool steep; /* the slope of F is the authors' 4, about */
};

/* The jobs of a link: how far their periods are apart, and how full it is. */
static struct mix mix_on(const struct orr_plan *s,
                         const struct orr_shared_link *m)
{
    struct mix x = {.jobs = m->n};
    double longest = 0, shortest = 0;
    for (uint32_t i = 0; i < m->n; i++) {
        const struct orr_plan_job *j = &s->job[m->turn[i].job];
        const struct orr_cc *cc = orr__describe_service(s->world, j->job)->cc;
        double t = (double)j->profile.iteration_ps;
        if (!x.base && cc->ops == &orr__cc_mltcp) {
            const struct orr_mltcp_params *own = cc->params;
            x.base = own->base.name;
            x.steep = own->slope >= STEEP;
        }
        longest = t > longest ? t : longest;
        shortest = i == 0 || t < shortest ? t : shortest;
        x.usage +=
            8e12
            * (double)orr__demand_bytes(orr__profile_link(&j->profile, m->link))
            / t / (double)m->capacity_bps;
    }
    x.ratio = longest / shortest;
    return x;
}

/* The row with the least room that has room for a mix, or NULL. */
static const struct row *row_of(const struct mix *x)
{
    const struct row *best = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *r = &rows[i];
        bool has = strcmp(r->base, x->base) == 0 && x->jobs <= r->jobs
                   && x->usage <= r->usage * EQUAL
                   && (r->equal ? x->ratio < EQUAL
                                : x->ratio > 2 / EQUAL && x->ratio < 2 * EQUAL);
        if (has
            && (!best || r->jobs < best->jobs
                || (r->jobs == best->jobs && r->usage < best->usage)))
            best = r;
    }
    return best;
}

const char *orr__mltcp_doubt(const struct orr_plan *s, uint32_t circle,
                             char *buf, size_t size)
{
    const struct orr_shared_link *m = &s->circles.shared[circle];
    const struct mix x = mix_on(s, m);
    char link[ORR_PLAN_LINK];
    if (!x.base)
        return NULL;
    const struct row *r = row_of(&x);
    double worst = !r ? 0 : x.steep ? r->steep : r->worst;
    if (worst > 0 && worst <= TURNS)
        return NULL;
    char ends[160];
    if (r && worst > 0 && !x.steep && r->steep > 0 && r->steep <= TURNS)
        snprintf(ends, sizeof ends,
                 "where jobs took up to %.2f times as long as alone in "
                 "measurements; with `slope: 4`, as the authors' code has, "
                 "they take turns",
                 worst);
    else if (worst > 0)
        snprintf(
            ends, sizeof ends,
            "where jobs took up to %.2f times as long as alone in measurements",
            worst);
    else
        snprintf(ends, sizeof ends,
                 "where it was not measured to make jobs take turns");
    snprintf(buf, size,
             "mltcp over %s: %u jobs of %s periods ask for %.0f %% of %s, %s",
             x.base, x.jobs, x.ratio < EQUAL ? "equal" : "unequal",
             100 * x.usage, orr__plan_link(s, m->link, link, sizeof link),
             ends);
    return buf;
}
