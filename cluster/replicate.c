#include "cluster/replicate.h"

#include <math.h>

#include <gsl/gsl_cdf.h>

#include "cluster/figures.h"
#include "cluster/known_sets.h"
#include "core/assert.h"

/* The run itself may be as far from the middle of replications as any of them:
 * it is the squares of their distance from it that count, n of them. */
static double half_of(double squares, uint32_t n)
{
    return gsl_cdf_tdist_Qinv(0.025, n) * sqrt(squares / n);
}

/* What jobs ask of links is worked out once for all. */
static void swap_stores(struct orr_engine *a, struct orr_engine *b)
{
    struct orr_demand_store store = a->store;
    struct orr_table silent = a->silent; /* which keys of it are for any GPUs */
    ORR_ASSERT(a->cluster.jobs == b->cluster.jobs);
    a->store = b->store;
    b->store = store;
    a->silent = b->silent;
    b->silent = silent;
}

/* Another replication, whose random streams go by its number. It shares the
 * stores of what is known, so sets are simulated once for all. */
static orr_err run_replication(struct orr_engine *e, uint32_t number,
                               const struct orr_engine_user *u,
                               struct orr_cluster_figures *f,
                               struct orr_report *why)
{
    const struct orr_engine_user quiet = {.interrupt = u->interrupt,
                                          .threads = u->threads};
    struct orr_engine *x = NULL;
    orr_err err = orr__engine_new(e->cluster.world, e->node, &x, why);
    if (!err) {
        x->first = e;
        x->replication = number;
        swap_stores(e, x);
        err = orr__engine_run(x, &quiet, why);
        swap_stores(e, x);
        e->intervals.simulated += x->counts.simulated;
        e->intervals.packet_hops += x->counts.packet_hops;
    }
    if (!err)
        err = orr__cluster_figures(x, f, why);
    orr__engine_free(x);
    return err;
}

orr_err orr__replicate(struct orr_engine *e, const struct orr_engine_user *u,
                       struct orr_report *why)
{
    double squares[ORR_CLUSTER_FIGURES] = {0};
    uint32_t n = (uint32_t)e->settings.replications;
    struct orr_known_sets *seen = orr__sampled_sets(e);
    struct orr_cluster_figures all, one;
    orr_err err = orr__cluster_figures(e, &all, why);
    seen->own = seen->n;
    if (err || !n)
        return err;
    for (uint32_t r = 1; !err && seen->n && r <= n; r++) {
        err = run_replication(e, r, u, &one, why);
        for (int i = 0; !err && i < ORR_CLUSTER_FIGURES; i++) {
            double off = orr__cluster_figure_of(&one, i)
                         - orr__cluster_figure_of(&all, i);
            squares[i] += off * off;
        }
    }
    e->intervals.replications = err ? 0 : n;
    /* what there is none of is not known to 0 */
    for (int i = 0; i < ORR_CLUSTER_FIGURES; i++)
        e->intervals.half[i] = isfinite(orr__cluster_figure_of(&all, i))
                                   ? half_of(squares[i], n)
                                   : NAN;
    return err;
}
