/* A cluster of a text, run to its end, to be looked at from within. */
#ifndef ORR_TESTS_CLUSTER_SMALL_RUN_H
#define ORR_TESTS_CLUSTER_SMALL_RUN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs those four first */
#include <string.h>
#include <cmocka.h>

#include "cluster/engine.h"
#include "cluster/figures.h"
#include "study/run/entry.h"

/* Eight GPUs in two racks; each is a server. */
#define TWO_RACKS                                                              \
    "topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts: 8, "            \
    "link: {rate: 100Gbps, delay: 1us}}\n"                                     \
    "network: {cc: dctcp, queue: {kind: ecn, capacity: 4MB, "                  \
    "threshold: 800KB}}\n"

struct small_run {
    orr_experiment *x;
    const struct orr_engine *e;
    struct orr_cluster_figures f;
};

static inline struct small_run small_run(const char *yaml)
{
    const struct orr_options o = {.threads = 1, .no_output = true};
    struct orr_report why = {0};
    struct small_run r = {.x = NULL};
    if (orr__experiment_load_text("small", yaml, &o, &r.x, &why)
        || orr_experiment_run(r.x, &why))
        fail_msg("%d:%d: %s", why.line, why.col, why.message);
    r.e = orr__experiment_cluster(r.x);
    assert_non_null(r.e);
    assert_int_equal(orr__cluster_figures(r.e, &r.f, &why), ORR_OK);
    return r;
}

static inline void small_run_free(struct small_run *r)
{
    orr_experiment_free(r->x);
}

/* A stretch of a job at one pace. */
struct small_stretch {
    double from_s, to_s;
    uint32_t gpus;
};

/* Those of a job in which iterations went by, in order, are these. */
static inline void assert_stretches(const struct small_run *r, uint32_t job,
                                    const struct small_stretch *want,
                                    uint32_t n)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < r->e->stretches; i++) {
        const struct orr_stretch *s = &r->e->stretch[i];
        if (s->job != job || s->speed.iteration_ns == 0)
            continue;
        if (at >= n || s->from_ns != (int64_t)(want[at].from_s * 1e9 + 0.5)
            || s->to_ns != (int64_t)(want[at].to_s * 1e9 + 0.5)
            || s->gpus != want[at].gpus)
            fail_msg("job %u, stretch %u: %lld to %lld ns on %u GPUs", job, at,
                     (long long)s->from_ns, (long long)s->to_ns, s->gpus);
        at++;
    }
    assert_int_equal(at, n);
}

#define ASSERT_STRETCHES(r, job, ...)                                          \
    do {                                                                       \
        static const struct small_stretch want_[] = {__VA_ARGS__};             \
        assert_stretches(r, job, want_, sizeof want_ / sizeof *want_);         \
    } while (0)

#endif
