/* Who meets whom, and what it costs, of an engine made by hand: paces and
 * demands are round figures, so that what each must be charged is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs those four first */
#include <math.h>
#include <string.h>
#include <cmocka.h>

#include "cluster/contention.h"
#include "cluster/engine.h"
#include "core/memory.h"

#define NEAR 1e-6 /* shares of demands are kept in single precision */
enum { JOBS = 4, LINKS = 4, STRETCHES = 16, GBPS = 1000000000 };

/* Four jobs that may ask of four links of 1 Gbps; iterations alone take 1 ms.
 */
struct scene {
    struct orr_engine e;
    struct orr_world world;
    struct orr_graph graph;
    uint64_t rate[LINKS];
    struct orr_cluster_job job[JOBS];
    uint32_t running[JOBS], open[JOBS], left[JOBS];
    struct orr_stretch stretch[STRETCHES];
    uint32_t gpus[JOBS];
    struct orr_demand_item item[JOBS], *known[JOBS];
    struct orr_link_demand demand[JOBS][LINKS];
    struct orr_phase phase[JOBS][LINKS];
};

static void scene_init(struct scene *s)
{
    memset(s, 0, sizeof *s);
    s->graph = (struct orr_graph){.links = LINKS, .rate_bps = s->rate};
    s->world.graph = &s->graph;
    s->e.cluster = (struct orr_cluster){
        .world = &s->world, .job = s->job, .jobs = JOBS, .running = s->running};
    s->e.known = s->known;
    s->e.open = s->open;
    s->e.stretch = s->stretch;
    s->e.left = s->left;
    for (uint32_t l = 0; l < LINKS; l++)
        s->rate[l] = GBPS;
    for (uint32_t i = 0; i < JOBS; i++) {
        struct orr_profile *p = &s->item[i].facts.profile;
        s->item[i].key = i;
        *p = (struct orr_profile){.iteration_ps = 1000000000,
                                  .link = s->demand[i]};
        s->gpus[i] = 1;
    }
    s->e.contention = orr__contention_log_new(&s->e);
    assert_non_null(s->e.contention);
}

static void scene_fini(struct scene *s)
{
    orr__contention_log_free(s->e.contention);
}

/* A job asks, for a share of each of its iterations, a share of a link; links
 * ascending. */
static void asks(struct scene *s, uint32_t job, uint32_t link, double time,
                 double share)
{
    struct orr_profile *p = &s->item[job].facts.profile;
    s->phase[job][p->n] = (struct orr_phase){
        .for_ps = (int64_t)(time * 1e9), .rate_bps = (uint64_t)(share * GBPS)};
    s->demand[job][p->n] = (struct orr_link_demand){
        .link = link, .n = 1, .phase = &s->phase[job][p->n]};
    p->n++;
}

/* From now on its iterations take `times` what they take alone. */
static void paces(struct scene *s, uint32_t job, double times)
{
    struct orr_stretch *new = &s->stretch[s->e.stretches++];
    assert_true(s->e.stretches <= STRETCHES);
    *new = (struct orr_stretch){
        .job = job,
        .from_ns = s->e.cluster.now_ns,
        .gpus = s->gpus[job],
        .speed = {.baseline_ns = 1e6, .iteration_ns = 1e6 * times}};
    s->open[job] = s->e.stretches;
}

/* From now on it runs, at that pace. */
static void runs(struct scene *s, uint32_t job, double times)
{
    struct orr_cluster *c = &s->e.cluster;
    uint32_t at = c->n_running++;
    for (; at && s->running[at - 1] > job; at--)
        s->running[at] = s->running[at - 1];
    s->running[at] = job;
    s->job[job].state = ORR_CLUSTER_RUNNING;
    s->known[job] = &s->item[job];
    paces(s, job, times);
}

static void loses(struct scene *s, uint32_t job)
{
    struct orr_cluster *c = &s->e.cluster;
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->n_running; i++)
        if (s->running[i] != job)
            s->running[n++] = s->running[i];
    c->n_running = n;
    s->job[job].state = ORR_CLUSTER_WAITING;
    s->left[s->e.n_left++] = job;
}

static void note(struct scene *s)
{
    struct orr_report why;
    assert_int_equal(orr__contention_log_note(&s->e, &why), ORR_OK);
    for (uint32_t i = 0; i < s->e.n_left; i++)
        if (orr__has_left(&s->e, s->left[i])) {
            s->open[s->left[i]] = 0;
            s->known[s->left[i]] = NULL;
        }
    s->e.n_left = 0;
}

static void end(struct scene *s)
{
    struct orr_report why;
    assert_int_equal(orr__contention_log_end(&s->e, &why), ORR_OK);
}

static void check_near(double have, double want, double within)
{
    if (!(fabs(have - want) <= within))
        fail_msg("%.9g, not %.9g", have, want);
}

struct met {
    uint32_t job, rival, link, links;
    int64_t from_ns, to_ns;
    double lost_ns;
};

static void check_met(const struct scene *s, const struct met *want, uint32_t n)
{
    uint32_t have;
    const struct orr_contention_spell *x =
        orr__contention_encounters(&s->e, &have);
    assert_int_equal(have, n);
    for (uint32_t i = 0; i < n; i++) {
        assert_int_equal(x[i].job, want[i].job);
        assert_int_equal(x[i].rival, want[i].rival);
        assert_int_equal(x[i].link, want[i].link);
        assert_int_equal(x[i].links, want[i].links);
        assert_int_equal(x[i].from_ns, want[i].from_ns);
        assert_int_equal(x[i].to_ns, want[i].to_ns);
        check_near(x[i].lost_ns, want[i].lost_ns,
                   NEAR * (1 + fabs(want[i].lost_ns)));
    }
}

/* All bins of a link added up. */
static struct orr_link_bin total(const struct scene *s, uint32_t link)
{
    uint32_t n = 0;
    int64_t width;
    struct orr_link_bin sum = {.shared_ns = 0};
    const struct orr_link_bin *b =
        orr__contention_log_bins(&s->e, link, &n, &width);
    assert_non_null(b);
    assert_in_range(n, 1, ORR_LINK_BINS);
    for (uint32_t i = 0; i < n; i++) {
        sum.shared_ns += b[i].shared_ns;
        sum.jobs_ns += b[i].jobs_ns;
        sum.asked_ns += b[i].asked_ns;
        sum.lost_ns += b[i].lost_ns;
    }
    return sum;
}

static void check_total(const struct scene *s, uint32_t link,
                        struct orr_link_bin want)
{
    const struct orr_link_bin sum = total(s, link);
    check_near(sum.shared_ns, want.shared_ns, NEAR * 1e9);
    check_near(sum.jobs_ns, want.jobs_ns, NEAR * 1e9);
    check_near(sum.asked_ns, want.asked_ns, NEAR * 1e9);
    check_near(sum.lost_ns, want.lost_ns, NEAR * 1e9);
}

/* Two jobs on two links, of which the second one is where both are most; what
 * each lost goes to the other one, and to links by how often both are there. */
static void test_two(void **state)
{
    struct scene s;
    int64_t width;
    uint32_t n;
    scene_init(&s);
    asks(&s, 0, 1, 0.5, 0.2); /* busy 0.1 */
    asks(&s, 0, 2, 0.5, 0.6); /* 0.3 */
    asks(&s, 1, 1, 0.5, 0.4); /* 0.2: weight of link 1: 0.02 */
    asks(&s, 1, 2, 0.2, 1.0); /* 0.2: weight of link 2: 0.06 */
    asks(&s, 1, 3, 0.9, 1.0); /* nobody else */
    s.gpus[1] = 3;
    assert_null(orr__contention_encounters(&s.e, &n));
    assert_int_equal(n, 0);
    runs(&s, 0, 1.25);
    runs(&s, 1, 2);
    note(&s);
    s.e.cluster.now_ns = 100000000;
    end(&s);
    check_met(&s,
              (struct met[]){{0, 1, 2, 2, 0, 100000000, 20e6},
                             {1, 0, 2, 2, 0, 100000000, 50e6}},
              2);
    /* GPU time: 20 ms of one, 50 ms of three */
    check_total(&s, 1,
                (struct orr_link_bin){.shared_ns = 1e8,
                                      .jobs_ns = 2e8,
                                      .asked_ns = 0.6e8,
                                      .lost_ns = 170e6 / 4});
    check_total(&s, 2,
                (struct orr_link_bin){.shared_ns = 1e8,
                                      .jobs_ns = 2e8,
                                      .asked_ns = 1.6e8,
                                      .lost_ns = 170e6 * 3 / 4});
    assert_null(orr__contention_log_bins(&s.e, 3, &n, &width)); /* one job */
    assert_null(orr__contention_log_bins(&s.e, 0, &n, &width)); /* none */
    scene_fini(&s);
}

/* A third one comes while two meet, whose meeting goes on; one goes, and
 * comes back: then it is another meeting. */
static void test_come_and_go(void **state)
{
    struct scene s;
    scene_init(&s);
    for (uint32_t i = 0; i < 3; i++)
        asks(&s, i, 0, 0.5, i == 2 ? 0.6 : 0.2); /* busy 0.1, 0.1, 0.3 */
    runs(&s, 0, 2);
    runs(&s, 1, 1);
    note(&s);
    s.e.cluster.now_ns = 1000000;
    runs(&s, 2, 1);
    note(&s);
    s.e.cluster.now_ns = 5000000;
    loses(&s, 1);
    note(&s);
    s.e.cluster.now_ns = 6000000;
    loses(&s, 2);
    note(&s);
    paces(&s, 0, 1); /* it is alone */
    s.e.cluster.now_ns = 7000000;
    runs(&s, 1, 1);
    note(&s);
    paces(&s, 0, 2);
    s.e.cluster.now_ns = 7500000;
    end(&s);
    /* job 0 loses half of its time: of 4 ms with both a quarter is job 1's */
    check_met(&s,
              (struct met[]){
                  {0, 1, 0, 1, 0, 5000000, 0.5e6 + 0.5e6},
                  {1, 0, 0, 1, 0, 5000000, 0},
                  {0, 2, 0, 1, 1000000, 6000000, 1.5e6 + 0.5e6},
                  {1, 2, 0, 1, 1000000, 5000000, 0},
                  {2, 0, 0, 1, 1000000, 6000000, 0},
                  {2, 1, 0, 1, 1000000, 5000000, 0},
                  {0, 1, 0, 1, 7000000, 7500000, 0.25e6},
                  {1, 0, 0, 1, 7000000, 7500000, 0},
              },
              8);
    check_total(&s, 0,
                (struct orr_link_bin){.shared_ns = 6.5e6,
                                      .jobs_ns = 2e6 + 12e6 + 2e6 + 1e6,
                                      .asked_ns = 5.4e6,
                                      .lost_ns = 3.25e6});
    scene_fini(&s);
}

/* A job that gets other GPUs asks other links: what it was in ends. */
static void test_moves(void **state)
{
    struct scene s;
    scene_init(&s);
    asks(&s, 0, 0, 0.5, 0.2);
    asks(&s, 1, 0, 0.5, 0.2);
    asks(&s, 2, 1, 0.5, 0.2); /* what job 1 will ask */
    runs(&s, 0, 1);
    runs(&s, 1, 1);
    note(&s);
    s.e.cluster.now_ns = 2000000;
    s.left[s.e.n_left++] = 1; /* and has others at once */
    s.known[1] = &s.item[2];
    note(&s);
    s.e.cluster.now_ns = 3000000;
    note(&s); /* nothing changed */
    end(&s);
    check_met(&s,
              (struct met[]){{0, 1, 0, 1, 0, 2000000, 0},
                             {1, 0, 0, 1, 0, 2000000, 0}},
              2);
    scene_fini(&s);
}

/* What hardly uses a link meets nobody there. */
static void test_faint(void **state)
{
    struct scene s;
    uint32_t n;
    scene_init(&s);
    asks(&s, 0, 0, 1, 0.02);
    asks(&s, 1, 0, 1, 0.9);
    runs(&s, 0, 2);
    runs(&s, 1, 2);
    note(&s);
    s.e.cluster.now_ns = 1000;
    end(&s);
    assert_null(orr__contention_encounters(&s.e, &n));
    scene_fini(&s);
}

/* With packets the mean of a stretch is known better as it goes on: in the end
 * as much is charged as the whole stretch lost by the last mean. */
static void test_mean_becomes_better(void **state)
{
    struct scene s;
    scene_init(&s);
    for (uint32_t i = 0; i < 3; i++)
        asks(&s, i, 0, 0.5, 0.2);
    runs(&s, 0, 4);
    runs(&s, 1, 0); /* nothing is known of its pace */
    note(&s);
    s.e.cluster.now_ns = 1000000;
    runs(&s, 2, 1);
    note(&s); /* 0.75 ms to job 1 */
    s.e.cluster.now_ns = 2000000;
    s.stretch[0].speed.iteration_ns = 1.25e6; /* 0.4 ms in all, not 1.5 */
    end(&s);
    check_met(&s,
              (struct met[]){{0, 1, 0, 1, 0, 2000000, 0.75e6 - 0.175e6},
                             {1, 0, 0, 1, 0, 2000000, 0},
                             {0, 2, 0, 1, 1000000, 2000000, -0.175e6},
                             {1, 2, 0, 1, 1000000, 2000000, 0},
                             {2, 0, 0, 1, 1000000, 2000000, 0},
                             {2, 1, 0, 1, 1000000, 2000000, 0}},
              6);
    scene_fini(&s);
}

/* Bins become wider as time goes on, up to months; nothing that was counted is
 * lost, and there are never more than there may be. */
static void test_widths(void **state)
{
    const int64_t at_ns[] = {1,
                             240000000,
                             240000001,
                             5000000000,
                             3600000000000,
                             86400000000001,
                             2592000000000000,
                             31536000000000000};
    struct scene s;
    int64_t width, last = 0;
    uint32_t n;
    scene_init(&s);
    asks(&s, 0, 3, 0.5, 0.5);
    asks(&s, 1, 3, 0.5, 0.5);
    runs(&s, 0, 2);
    runs(&s, 1, 1);
    note(&s);
    for (size_t i = 0; i < sizeof at_ns / sizeof *at_ns; i++) {
        s.e.cluster.now_ns = at_ns[i];
        note(&s);
        const struct orr_link_bin *b =
            orr__contention_log_bins(&s.e, 3, &n, &width);
        double time = (double)at_ns[i], sum = 0, lost = 0;
        assert_in_range(n, 1, ORR_LINK_BINS);
        assert_true(width >= last && width * n >= at_ns[i]);
        last = width;
        for (uint32_t k = 0; k < n; k++) {
            double here =
                k + 1 < n ? (double)width : time - (double)width * (n - 1);
            check_near(b[k].shared_ns, here, 1e-9 * time);
            check_near(b[k].jobs_ns, 2 * here, 1e-9 * time);
            check_near(b[k].lost_ns, here / 2, 1e-9 * time);
            sum += b[k].asked_ns;
            lost += b[k].lost_ns;
        }
        check_near(sum, time, 1e-9 * time);
        check_near(lost, time / 2, 1e-9 * time);
    }
    scene_fini(&s);
}

/* Whatever allocation fails is told, and what there is can be freed. */
static void test_no_memory(void **state)
{
    orr_err err = ORR_ENOMEM;
    uint64_t n = 1;
    for (; err; n++) {
        struct scene s;
        struct orr_report why;
        scene_init(&s);
        for (uint32_t i = 0; i < 3; i++)
            asks(&s, i, i / 2, 0.5, 0.5);
        asks(&s, 2, 3, 0.5, 0.5);
        runs(&s, 0, 2);
        runs(&s, 1, 2);
        runs(&s, 2, 2);
        orr__memory_fail_after(n, 1);
        err = orr__contention_log_note(&s.e, &why);
        s.e.cluster.now_ns = 3000000;
        if (!err)
            err = orr__contention_log_note(&s.e, &why);
        loses(&s, 1);
        if (!err)
            err = orr__contention_log_note(&s.e, &why);
        orr__memory_fail_after(0, 0);
        assert_true(err == ORR_OK || err == ORR_ENOMEM);
        scene_fini(&s);
    }
    /* what three jobs ask, guests, encounters, bins, and lists of company */
    assert_true(n > 3 * 2 + 4);
    struct scene s;
    scene_init(&s);
    for (n = 1; n <= 6; n++) { /* itself, and five arrays */
        orr__memory_fail_after(n, 1);
        assert_null(orr__contention_log_new(&s.e));
    }
    orr__memory_fail_after(0, 0);
    scene_fini(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two),
        cmocka_unit_test(test_come_and_go),
        cmocka_unit_test(test_moves),
        cmocka_unit_test(test_faint),
        cmocka_unit_test(test_mean_becomes_better),
        cmocka_unit_test(test_widths),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
