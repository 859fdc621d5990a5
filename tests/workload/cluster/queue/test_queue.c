/* Queueing policies: orders worked by hand, and what is known of a single
 * server whatever comes. */
#include "tests/refused.h"
#include "tests/workload/cluster/small_cluster.h"
#include "workload/cluster/queue/expect.h"

#include <math.h>

#define SEC INT64_C(1000000000)
#define MIN (60 * SEC)

/* Jobs that wait since t, for which a time alone is known. */
#define WAITS(n, since, takes)                                                 \
    {                                                                          \
        .is = {.gpus = (n), .duration_ns = (takes)},                           \
        .state = ORR_CLUSTER_WAITING, .since_ns = (since)                      \
    }
#define RUNS(n, since, all, so_far, pace, alone)                               \
    {                                                                          \
        .is.gpus = (n), .state = ORR_CLUSTER_RUNNING, .since_ns = (since),     \
        .iterations = (all), .done = (so_far), .iteration_ns = (double)(pace), \
        .baseline_ns = (double)(alone)                                         \
    }

static void open_queue(struct small_cluster *s, const char *queue, int64_t now)
{
    char yaml[512];
    snprintf(yaml, sizeof yaml, RACKS "queue: %s\n", queue);
    small_open(s, yaml, 1);
    s->c.now_ns = now;
}

static void order(struct small_cluster *s, uint32_t *job, uint32_t n)
{
    struct orr_report why = {0};
    if (s->c.queue->order(&s->c, s->c.queue_params, job, n, &why) != ORR_OK)
        fail_msg("%s", why.message);
}

/* The order of all jobs of s. */
static void ordered(const struct small_cluster *jobs, const char *queue,
                    int64_t now, const uint32_t *expected)
{
    struct small_cluster s = *jobs;
    uint32_t job[MOST_JOBS];
    open_queue(&s, queue, now);
    for (uint32_t i = 0; i < s.c.jobs; i++)
        job[i] = i;
    order(&s, job, s.c.jobs);
    for (uint32_t i = 0; i < s.c.jobs; i++)
        if (job[i] != expected[i])
            fail_msg("%s: place %u has job %u, not %u", queue, i, job[i],
                     expected[i]);
    small_close(&s);
}
#define LIST(...) ((const uint32_t[]){__VA_ARGS__})

static void short_jobs_first(void **state)
{
    const struct small_cluster s = {
        .job = {
            WAITS(1, 0, 100 * SEC),
            WAITS(4, 0, 50 * SEC),
            WAITS(1, 0, 50 * SEC),
            {.is = {.gpus = 1, .iterations = 5}, .state = ORR_CLUSTER_WAITING},
            {.is = {.gpus = 2, .iterations = 10},
             .baseline_ns = 3e9,
             .state = ORR_CLUSTER_WAITING},
        }};
    ordered(&s, "fifo", 0, LIST(0, 1, 2, 3, 4));
    ordered(&s, "backfill", 0, LIST(0, 1, 2, 3, 4));
    ordered(&s, "{}", 0, LIST(0, 1, 2, 3, 4));
    ordered(&s, "sjf", 0, LIST(4, 1, 2, 0, 3));
    ordered(&s, "{kind: sjf, by: gpu-time}", 0, LIST(2, 4, 0, 1, 3));
}

static void what_is_left_counts(void **state)
{
    const struct small_cluster s = {
        .job = {
            RUNS(1, 0, 100, 90, 2 * SEC, SEC), /* 20 s at its pace */
            {.is = {.gpus = 1, .iterations = 100},
             .iterations = 100,
             .done = 50,
             .baseline_ns = (double)SEC,
             .preempted = 1,
             .state = ORR_CLUSTER_WAITING}, /* 50 s */
            WAITS(2, 0, 15 * SEC),
        }};
    ordered(&s, "srtf", 0, LIST(2, 0, 1));
    ordered(&s, "{kind: srtf, by: gpu-time}", 0, LIST(0, 2, 1));
}

static void service_moves_jobs_down(void **state)
{
    const int64_t now = 1000 * MIN;
    struct small_cluster s = {
        .job = {
            RUNS(8, now - 10 * MIN, 0, 0, 0, 0), /* 80 GPU minutes */
            WAITS(1, now - 5 * MIN, MIN),        /* none */
            RUNS(1, now - 59 * MIN, 0, 0, 0, 0), /* 59 */
            WAITS(4, now - 90 * MIN, MIN),       /* 120 */
            RUNS(4, now - 15 * MIN, 0, 0, 0, 0), /* 60: no longer less */
            WAITS(1, now - 5 * MIN, MIN),        /* 600 */
        }};
    s.job[3].ran_ns = 30 * MIN;
    s.job[5].ran_ns = 600 * MIN;
    ordered(&s, "las", now, LIST(1, 2, 0, 3, 4, 5));
    ordered(&s, "{kind: las, queues: 3}", now, LIST(1, 2, 0, 3, 4, 5));
    s.job[0].ran_ns = 65 * MIN; /* (65 + 10) * 8 = 600 */
    ordered(&s, "{kind: las, queues: 3}", now, LIST(1, 2, 3, 4, 0, 5));
    ordered(&s, "{kind: las, threshold: 2h}", now, LIST(1, 2, 4, 0, 3, 5));
    ordered(&s, "{kind: las, promote: 3}", now, LIST(1, 2, 3, 0, 4, 5));
    ordered(&s, "{kind: las, queues: 1}", now, LIST(0, 1, 2, 3, 4, 5));
}

static void looked_at(struct small_cluster *s, int64_t at)
{
    assert_int_equal(s->c.queue->recheck_ns(&s->c, s->c.queue_params), at);
}

/* By quanta, and only where somebody may be in another queue by then. */
static void queues_are_looked_at_by_quanta(void **state)
{
    struct small_cluster s = {
        .job = {
            WAITS(1, 0, MIN),
            RUNS(2, 10 * SEC, 0, 0, 0, 0), /* 3 GPU minutes at 100 s */
        }};
    open_queue(&s, "{kind: las, threshold: 3min}", 90 * SEC);
    looked_at(&s, 120 * SEC);
    s.c.now_ns = 99 * SEC;
    looked_at(&s, 120 * SEC);
    s.c.now_ns = 120 * SEC; /* it is in the last queue */
    looked_at(&s, INT64_MAX);
    small_close(&s);
    open_queue(&s,
               "{kind: las, threshold: 3min, queues: 3, factor: 4, "
               "quantum: 7s}",
               100 * SEC);
    looked_at(&s, 371 * SEC);                 /* 12 GPU minutes at 370 s */
    s.job[1].extra_ns = -100 * (__int128)SEC; /* of fewer GPUs, before */
    looked_at(&s, 154 * SEC);                 /* 3 at 150 s */
    small_close(&s);
}

/* Of those that wait, one that ran and was promoted goes first. */
static void promotions_are_looked_at(void **state)
{
    struct small_cluster s = {.job = {WAITS(1, 10 * SEC, MIN)}};
    s.job[0].ran_ns = 100 * SEC;
    open_queue(&s, "{kind: las, promote: 3, threshold: 90s}", 20 * SEC);
    looked_at(&s, 360 * SEC); /* since 310 s */
    s.c.now_ns = 310 * SEC;
    looked_at(&s, INT64_MAX);
    small_close(&s);
    open_queue(&s, "{kind: las, promote: 3, threshold: 101s}", 20 * SEC);
    looked_at(&s, INT64_MAX); /* it is in the first queue */
    small_close(&s);
    open_queue(&s, "las", 20 * SEC);
    looked_at(&s, INT64_MAX);
    small_close(&s);
}

/* A job that lacks GPUs even if nobody else has any: no lease and no quantum
 * helps it. */
static void who_never_has_room_is_not_waited_for(void **state)
{
    static const char *const queues[] = {"las", "{kind: las, promote: 2}",
                                         "themis"};
    static const uint32_t named[] = {3, 4};
    for (size_t i = 0; i < sizeof queues / sizeof *queues; i++) {
        struct small_cluster s = {
            .job = {WAITS(32, 0, MIN), RUNS(1, 0, 0, 0, 0, 0)}};
        open_queue(&s, queues[i], 30 * SEC);
        assert_true(orr__somebody_waits(&s.c));
        s.c.inventory.out[31] = true;
        assert_false(orr__somebody_waits(&s.c));
        looked_at(&s, INT64_MAX);
        s.job[0].is.gpus = 2; /* by name */
        s.job[0].is.hosts = named;
        assert_true(orr__somebody_waits(&s.c));
        s.c.inventory.out[4] = true;
        assert_false(orr__somebody_waits(&s.c));
        looked_at(&s, INT64_MAX);
        small_close(&s);
    }
}

static void leases_go_to_the_worst_off(void **state)
{
    const struct small_cluster s = {
        .job = {
            RUNS(8, 15 * MIN, 100, 0, MIN, MIN),           /* has a lease */
            RUNS(8, 10 * MIN, 100, 50, 12 * SEC, 6 * SEC), /* rho 20/10 */
            WAITS(8, 0, 40 * MIN),                         /* 60/40 */
            WAITS(8, 10 * MIN, 5 * MIN),                   /* 15/5 */
            WAITS(8, 15 * MIN, 50 * MIN),                  /* 55/50 */
            RUNS(8, 0, 100, 20, MIN, MIN),                 /* 100/100 */
        }};
    const int64_t now = 20 * MIN;
    ordered(&s, "themis", now, LIST(0, 3, 1, 5, 2, 4));
    ordered(&s, "{kind: themis, fairness: 1}", now, LIST(0, 3, 1, 5, 2, 4));
    ordered(&s, "{kind: themis, fairness: 0.5}", now, LIST(0, 3, 1, 2, 5, 4));
    ordered(&s, "{kind: themis, fairness: 0}", now, LIST(0, 3, 1, 2, 4, 5));
    /* all that run have a lease, and the worst may have what is left */
    ordered(&s, "{kind: themis, lease: 45min}", now, LIST(0, 1, 5, 3, 2, 4));
    /* nobody knows the second: it counts as the worst */
    struct small_cluster t = s;
    t.job[4].is.duration_ns = 0;
    ordered(&t, "{kind: themis, fairness: 0}", now, LIST(0, 4, 3, 1, 2, 5));
}

static void leases_end_one_by_one(void **state)
{
    struct small_cluster s = {.job = {
                                  RUNS(8, 15 * MIN, 100, 0, MIN, MIN),
                                  RUNS(8, 10 * MIN, 100, 0, MIN, MIN),
                                  WAITS(8, 0, MIN),
                              }};
    open_queue(&s, "themis", 20 * MIN);
    assert_int_equal(s.c.queue->recheck_ns(&s.c, s.c.queue_params), 25 * MIN);
    orr__cluster_set_state(&s.c, 0, ORR_CLUSTER_DONE);
    assert_int_equal(s.c.queue->recheck_ns(&s.c, s.c.queue_params), 30 * MIN);
    orr__cluster_set_state(&s.c, 2, ORR_CLUSTER_DONE);
    assert_int_equal(s.c.queue->recheck_ns(&s.c, s.c.queue_params), INT64_MAX);
    small_close(&s);
}

static bool asked(struct small_cluster *s, uint32_t first, uint32_t job)
{
    struct orr_report why = {0};
    struct orr_template rigid = {.sizes = 0};
    bool may = false;
    s->c.template = &rigid;
    if (s->c.queue->passes(&s->c, s->c.queue_params, first, job, &may, &why)
        != ORR_OK)
        fail_msg("%s", why.message);
    return may;
}

/* 32 GPUs: 16 until 100 s, 8 until 50 s, 8 free. */
static bool may_pass(uint32_t first, uint32_t gpus, int64_t takes, int64_t pays,
                     bool known)
{
    struct small_cluster s = {.job = {
                                  RUNS(16, 0, 100, 0, SEC, SEC),
                                  RUNS(8, 0, 50, 0, known ? SEC : 0, 0),
                                  WAITS(1, 0, SEC),
                                  WAITS(1, 0, 0),
                              }};
    uint32_t gpu[24];
    for (uint32_t i = 0; i < 24; i++)
        gpu[i] = i;
    s.job[0].gpu = gpu;
    s.job[1].gpu = gpu + 16;
    s.job[1].ready_ns = pays;
    s.job[2].is.gpus = first;
    s.job[3].is.gpus = gpus;
    s.job[3].is.duration_ns = takes;
    open_queue(&s, "backfill", 0);
    for (uint32_t i = 0; i < 24; i++)
        s.c.inventory.taken[i] = 1;
    bool may = asked(&s, 2, 3);
    small_close(&s);
    return may;
}

static void passing_delays_nobody(void **state)
{
    assert_true(may_pass(16, 8, 40 * SEC, 0, true));
    assert_true(may_pass(16, 8, 50 * SEC, 0, true));
    assert_false(may_pass(16, 8, 51 * SEC, 0, true));
    assert_false(may_pass(16, 1, 51 * SEC, 0, true));
    assert_true(may_pass(12, 4, 1000 * SEC, 0, true)); /* 4 are left over */
    assert_false(may_pass(12, 5, 1000 * SEC, 0, true));
    assert_true(may_pass(12, 4, 0, 0, true)); /* nobody knows how long */
    assert_false(may_pass(16, 4, 0, 0, true));
    assert_true(may_pass(24, 8, 100 * SEC, 0, true)); /* when the other ends */
    assert_false(may_pass(24, 8, 101 * SEC, 0, false));
    assert_true(may_pass(32, 8, 100 * SEC, 0, true));
    assert_false(may_pass(32, 8, SEC, 0, false)); /* it may never be */
    assert_true(may_pass(16, 8, 70 * SEC, 20 * SEC, true)); /* starts late */
    assert_false(may_pass(16, 8, 71 * SEC, 20 * SEC, true));
}

/* Two jobs at once have each of 32 GPUs; 30 of them are full: 0 to 29 have a
 * job until 50 s and one until 100 s. */
static bool may_share(uint32_t first, const uint32_t *first_hosts,
                      uint32_t gpus, const uint32_t *hosts, int64_t takes)
{
    uint32_t gpu[30];
    struct small_cluster s = {.job = {
                                  RUNS(30, 0, 50, 0, SEC, SEC),
                                  RUNS(30, 0, 100, 0, SEC, SEC),
                                  WAITS(first, 0, SEC),
                                  WAITS(gpus, 0, takes),
                              }};
    for (uint32_t i = 0; i < 30; i++)
        gpu[i] = i;
    s.job[0].gpu = s.job[1].gpu = gpu;
    s.job[2].is.hosts = first_hosts;
    s.job[3].is.hosts = hosts;
    small_open(&s, RACKS "queue: backfill\n", 2);
    for (uint32_t i = 0; i < 30; i++)
        s.c.inventory.taken[i] = 2;
    bool may = asked(&s, 2, 3);
    small_close(&s);
    return may;
}

static void passing_where_gpus_are_shared(void **state)
{
    /* four places are free, but on two GPUs: four of them at 50 s */
    assert_true(may_share(4, NULL, 1, NULL, 50 * SEC));
    /* the last place of a GPU is left to the first */
    assert_true(may_share(4, NULL, 2, NULL, 500 * SEC));
    assert_true(may_share(32, NULL, 2, NULL, 500 * SEC));
}

static void passing_one_that_names_its_gpus(void **state)
{
    const uint32_t busy[] = {0, 30}, idle[] = {30}, other[] = {31};
    assert_true(may_share(2, busy, 1, other, 500 * SEC));
    assert_true(may_share(2, busy, 1, idle, 500 * SEC)); /* two places */
    assert_true(may_share(2, busy, 1, NULL, 500 * SEC));
}

/* GPUs 0 and 1 are free at 50 s and 100 s, GPU 2 is. */
static bool may_pass_named(const uint32_t *hosts, int64_t takes)
{
    const uint32_t first[] = {0, 2};
    uint32_t gpu[] = {0, 1};
    struct small_cluster s = {.job = {
                                  RUNS(1, 0, 50, 0, SEC, SEC),
                                  RUNS(1, 0, 100, 0, SEC, SEC),
                                  WAITS(2, 0, SEC),
                                  WAITS(1, 0, takes),
                              }};
    s.job[0].gpu = gpu;
    s.job[1].gpu = gpu + 1;
    s.job[2].is.hosts = first;
    s.job[3].is.hosts = hosts;
    open_queue(&s, "backfill", 0);
    s.c.inventory.taken[0] = s.c.inventory.taken[1] = 1;
    bool may = asked(&s, 2, 3);
    small_close(&s);
    return may;
}

static void passing_leaves_named_gpus(void **state)
{
    const uint32_t wanted[] = {2}, other[] = {3};
    assert_true(may_pass_named(other, 500 * SEC));
    assert_false(may_pass_named(wanted, 500 * SEC));
    assert_false(may_pass_named(NULL, 500 * SEC)); /* it might be that one */
    assert_true(may_pass_named(NULL, 50 * SEC));
    assert_true(may_pass_named(wanted, 50 * SEC));
    assert_false(may_pass_named(wanted, 51 * SEC));
}

/* ---- one server of one GPU ----------------------------------------------- */

enum { JOBS = 200 };

struct line {
    struct orr_world world;
    struct orr_cluster c;
    struct orr_cluster_job job[JOBS];
    struct orr_template template[1];
    bool out[1];
    uint32_t waiting[JOBS], running[JOBS];
    int64_t busy;
};

/* Jobs are of so many iterations of 1 ns, Poisson at 80 % load. */
static void fill(struct line *l, uint64_t seed)
{
    struct orr_random r;
    int64_t at = 0;
    orr__random_init(&r, seed, 0, ORR_PURPOSE_TEST);
    for (uint32_t i = 0; i < JOBS; i++) {
        struct orr_cluster_job *j = &l->job[i];
        double gap = -log1p(-orr__random_unit(&r)) / 0.8;
        int64_t takes = 1 + (int64_t)(-1e6 * log1p(-orr__random_unit(&r)));
        at += (int64_t)(1e6 * gap);
        *j = (struct orr_cluster_job){
            .index = i,
            .is = {.gpus = 1, .at_ns = at, .duration_ns = takes},
            .iterations = (double)takes,
            .baseline_ns = 1,
            .first_ns = -1,
        };
    }
    l->c.job = l->job;
    l->c.template = l->template;
    l->c.inventory =
        (struct orr_inventory){.gpus = 1, .share = 1, .out = l->out};
    l->c.waiting = l->waiting;
    l->c.running = l->running;
    l->c.jobs = JOBS;
}

static void change(struct line *l, struct orr_cluster_job *j,
                   enum orr_cluster_state to)
{
    int64_t t = l->c.now_ns - j->since_ns;
    if (j->state == ORR_CLUSTER_RUNNING)
        j->ran_ns += t;
    if (j->state == ORR_CLUSTER_WAITING)
        j->waited_ns += t;
    orr__cluster_set_state(&l->c, j->index, to);
    j->since_ns = l->c.now_ns;
    j->iteration_ns = to == ORR_CLUSTER_RUNNING;
}

/* The next thing that happens, after which there is something to decide. */
static int64_t next_event(const struct line *l, uint32_t running)
{
    int64_t next = INT64_MAX;
    for (uint32_t i = 0; i < JOBS; i++)
        if (l->job[i].state == ORR_CLUSTER_COMING && l->job[i].is.at_ns < next)
            next = l->job[i].is.at_ns;
    if (running != JOBS) {
        const struct orr_cluster_job *j = &l->job[running];
        int64_t end = l->c.now_ns + (int64_t)(j->iterations - j->done);
        next = end < next ? end : next;
    }
    int64_t again = l->c.queue->recheck_ns
                        ? l->c.queue->recheck_ns(&l->c, l->c.queue_params)
                        : INT64_MAX;
    assert_true(again > l->c.now_ns);
    return again < next ? again : next;
}

static uint32_t decide(struct line *l, uint32_t running)
{
    struct orr_report why = {0};
    uint32_t job[JOBS], n = 0;
    bool preempts = l->c.queue->preempts;
    if (running != JOBS && !preempts)
        return running;
    for (uint32_t i = 0; i < JOBS; i++)
        if (l->job[i].state == ORR_CLUSTER_WAITING || i == running)
            job[n++] = i;
    assert_int_equal(l->c.queue->order(&l->c, l->c.queue_params, job, n, &why),
                     ORR_OK);
    if (n == 0 || job[0] == running)
        return n ? running : JOBS;
    if (running != JOBS)
        change(l, &l->job[running], ORR_CLUSTER_WAITING);
    change(l, &l->job[job[0]], ORR_CLUSTER_RUNNING);
    return job[0];
}

/* Sum of the times from arrival to end. All work is done, and the server is
 * never idle while somebody waits. */
static int64_t response(const char *queue, uint64_t seed)
{
    struct orr_report why = {0};
    struct line *l = calloc(1, sizeof *l);
    char yaml[256];
    uint32_t running = JOBS, done = 0;
    int64_t sum = 0, work = 0;
    snprintf(yaml, sizeof yaml, RACKS "queue: %s\n", queue);
    world_open(&l->world, yaml);
    fill(l, seed);
    l->c.world = &l->world;
    assert_int_equal(
        orr__queue_policy_read(&l->c, world_node(&l->world, "queue"), &why),
        ORR_OK);
    while (done < JOBS) {
        int64_t next = next_event(l, running), t = next - l->c.now_ns;
        assert_true(next < INT64_MAX);
        l->busy += running != JOBS ? t : 0;
        if (running != JOBS)
            l->job[running].done += (double)t;
        l->c.now_ns = next;
        if (running != JOBS
            && l->job[running].done >= l->job[running].iterations) {
            change(l, &l->job[running], ORR_CLUSTER_DONE);
            sum += next - l->job[running].is.at_ns;
            work += l->job[running].is.duration_ns;
            assert_int_equal(l->job[running].ran_ns,
                             l->job[running].is.duration_ns);
            running = JOBS;
            done++;
        }
        for (uint32_t i = 0; i < JOBS; i++)
            if (l->job[i].state == ORR_CLUSTER_COMING
                && l->job[i].is.at_ns <= next)
                change(l, &l->job[i], ORR_CLUSTER_WAITING);
        running = decide(l, running);
    }
    assert_int_equal(l->busy, work);
    world_close(&l->world);
    free(l);
    return sum;
}

/* Shortest remaining time first has the shortest mean response of all policies
 * that do not idle, on every sequence of jobs (Schrage 1968); among those that
 * do not preempt, the shortest job first has it on average. */
static void the_shortest_remaining_time_is_best(void **state)
{
    static const char *const others[] = {
        "fifo",
        "backfill",
        "sjf",
        "{kind: las, threshold: 1ms, quantum: 1ms}",
        "{kind: themis, lease: 1ms, fairness: 0.5}",
    };
    int64_t sum[COUNT(others)] = {0};
    for (uint64_t seed = 1; seed <= 30; seed++) {
        int64_t best = response("srtf", seed);
        for (size_t i = 0; i < COUNT(others); i++) {
            int64_t t = response(others[i], seed);
            assert_true(t >= best);
            sum[i] += t;
        }
    }
    assert_true(sum[2] < sum[0]);
    assert_int_equal(sum[1], sum[0]); /* nobody can pass on one GPU */
}

/* ---- what is refused ----------------------------------------------------- */

static void bad_ones_are_refused(void **state)
{
    static const struct {
        const char *yaml, *message;
    } rows[] = {
        {"fifi", "cluster.queue: no kind \"fifi\""},
        {"[fifo]", "cluster.queue: a name is expected, or a map with "
                   "`kind`"},
        {"{kind: fifo, quantum: 1s}",
         "unknown key \"quantum\" in cluster.queue"},
        {"{kind: las, quantum: 0s}",
         "cluster.queue.quantum: 0s is below the smallest allowed, 1ms"},
        {"{kind: themis, fairness: 1.5}",
         "cluster.queue.fairness: 1.5 is above the largest allowed, 1"},
        {"{kind: sjf, by: size}",
         "cluster.queue.by: \"size\" is not one of time or gpu-time"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct orr_world w;
        struct orr_report why = {0};
        struct orr_cluster c = {.world = &w};
        char yaml[512];
        snprintf(yaml, sizeof yaml, RACKS "queue: %s\n", rows[i].yaml);
        world_open(&w, yaml);
        orr_err err = orr__queue_policy_read(&c, world_node(&w, "queue"), &why);
        assert_refused(err, &why,
                       (struct refused){i, rows[i].message, NULL, 2, 0});
        world_close(&w);
    }
}

static void no_memory_is_said(void **state)
{
    static const char *const kinds[] = {"sjf", "srtf", "las", "themis"};
    for (size_t i = 0; i < COUNT(kinds); i++) {
        struct small_cluster s = {.job = {WAITS(1, 0, SEC)}};
        struct orr_report why = {0};
        uint32_t job = 0;
        open_queue(&s, kinds[i], 0);
        orr__memory_fail_after(1, 0);
        assert_int_equal(
            s.c.queue->order(&s.c, s.c.queue_params, &job, 1, &why),
            ORR_ENOMEM);
        orr__memory_fail_after(0, 0);
        small_close(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_jobs_first),
        cmocka_unit_test(what_is_left_counts),
        cmocka_unit_test(service_moves_jobs_down),
        cmocka_unit_test(queues_are_looked_at_by_quanta),
        cmocka_unit_test(promotions_are_looked_at),
        cmocka_unit_test(who_never_has_room_is_not_waited_for),
        cmocka_unit_test(leases_go_to_the_worst_off),
        cmocka_unit_test(leases_end_one_by_one),
        cmocka_unit_test(passing_delays_nobody),
        cmocka_unit_test(passing_where_gpus_are_shared),
        cmocka_unit_test(passing_one_that_names_its_gpus),
        cmocka_unit_test(passing_leaves_named_gpus),
        cmocka_unit_test(the_shortest_remaining_time_is_best),
        cmocka_unit_test(bad_ones_are_refused),
        cmocka_unit_test(no_memory_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
