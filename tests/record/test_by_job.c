/* Links split by job, in runs: what jobs, flows and the rest had adds up to the
 * link in every bin, and is the same however ports are simulated and whoever
 * runs them; and the counts of iterations are those of their jobs. */
#include "tests/workload/small_workload.h"

#include "core/text.h"
#include "record/record_read.h"
#include "workload/job/job.h"

#define JOBS                                                                   \
    "jobs:\n"                                                                  \
    "  - {name: a, ranks: 2, placement: [0, 4], iterations: 4,\n"              \
    "     program: [{compute: 20us}, {all-reduce: {size: 1MB}}]}\n"            \
    "  - {name: b, ranks: 4, placement: [1, 5, 2, 6], iterations: 3,\n"        \
    "     program: [{compute: 30us}, {all-to-all: {size: 1MB}}]}\n"            \
    "flows: [{src: 3, dst: 7, size: 700KB, start: 30us}]\n"

static char folder[] = "/tmp/orrery-split-XXXXXX";

static int enter_folder(void **state)
{
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave_folder(void **state)
{
    return chdir("/") == 0 && rmdir(folder) == 0 ? 0 : -1;
}

/* What a run has left, and its jobs. */
struct left {
    orr_experiment *x;
    struct orr_reader *r;
    uint64_t bins, links, parts;
    uint32_t *link, *part_link;
    int64_t *job;
};

static void *column(struct left *l, const char *path, enum orr_record_type type,
                    uint64_t *n)
{
    struct orr_report why = {0};
    void *values = NULL;
    if (orr__reader_column(l->r, path, type, &values, n, &why) != ORR_OK)
        fail_msg("%s", why.message);
    return values;
}

static void run_split(struct left *l, const char *yaml, const char *more,
                      unsigned threads)
{
    struct orr_report why = {0};
    struct orr_options o = {.threads = threads,
                            .output = "run.h5",
                            .sets = &more,
                            .n_sets = more ? 1 : 0};
    *l = (struct left){.bins = 0};
    if (experiment_load(yaml, &o, &l->x, &why) != ORR_OK
        || orr_experiment_run(l->x, &why) != ORR_OK
        || orr__reader_open("run.h5", &l->r, &why) != ORR_OK)
        fail_msg("%s", why.message);
    unlink("run.h5");
    orr__free(column(l, "links/time", ORR_RECORD_I64, &l->bins));
    l->link = column(l, "links/link", ORR_RECORD_U32, &l->links);
    l->part_link = column(l, "links/part_link", ORR_RECORD_U32, &l->parts);
    l->job = column(l, "links/part_job", ORR_RECORD_I64, &l->parts);
}

static void clear(struct left *l)
{
    orr__reader_close(l->r);
    orr__free(l->link);
    orr__free(l->part_link);
    orr__free(l->job);
    orr_experiment_free(l->x);
}

static uint64_t column_of(const struct left *l, uint32_t link)
{
    for (uint64_t i = 0; i < l->links; i++)
        if (l->link[i] == link)
            return i;
    fail_msg("link %u carried nothing", link);
    return 0;
}

/* In each bin; returns the sum of it all. */
static uint64_t adds_up(struct left *l, const char *links, const char *parts)
{
    uint64_t n, sum = 0;
    int64_t *whole = column(l, links, ORR_RECORD_I64, &n);
    assert_int_equal(n, l->bins * l->links);
    int64_t *part = column(l, parts, ORR_RECORD_I64, &n);
    assert_int_equal(n, l->bins * l->parts);
    for (uint64_t i = 0; i < n; i++)
        sum += (uint64_t)part[i];
    for (uint64_t p = 0; p < l->parts; p++) {
        uint64_t c = column_of(l, l->part_link[p]);
        for (uint64_t bin = 0; bin < l->bins; bin++)
            whole[bin * l->links + c] -= part[bin * l->parts + p];
    }
    for (uint64_t i = 0; i < l->bins * l->links; i++)
        if (whole[i] != 0)
            fail_msg("%s: %lld are nobody's in bin %llu", links,
                     (long long)whole[i], (unsigned long long)(i / l->links));
    orr__free(whole);
    orr__free(part);
    return sum;
}

/* Of one owner, over all links and bins. */
static uint64_t had(struct left *l, const char *parts, int64_t job)
{
    uint64_t n, sum = 0;
    uint64_t *part = column(l, parts, ORR_RECORD_U64, &n);
    for (uint64_t i = 0; i < n; i++)
        sum += l->job[i % l->parts] == job ? part[i] : 0;
    orr__free(part);
    return sum;
}

/* Iterations have all marks and drops of their job; drops are those of the
 * links. Returns the sum of both. */
static uint64_t counts(struct left *l)
{
    const struct orr_world *w = orr__experiment_world(l->x);
    uint64_t n, row = 0, all = 0;
    uint64_t *file = column(l, "iterations/drops", ORR_RECORD_U64, &n);
    for (uint32_t i = 0; i < w->n_jobs; i++) {
        const struct orr_job *job = &w->jobs[i];
        uint64_t marks = 0, drops = 0;
        for (uint32_t k = 0;
             k < job->iterations && job->iteration[k].start_ps >= 0; k++) {
            marks += job->packets[k].marks;
            drops += job->packets[k].drops;
            assert_int_equal(file[row++], job->packets[k].drops);
        }
        assert_int_equal(marks, job->marks);
        assert_int_equal(drops, had(l, "links/part_drops", i));
        all += marks + drops;
    }
    assert_int_equal(row, n);
    orr__free(file);
    return all;
}

static bool same_column(struct left *a, struct left *b, const char *path)
{
    uint64_t n, m;
    uint64_t *x = column(a, path, ORR_RECORD_U64, &n);
    uint64_t *y = column(b, path, ORR_RECORD_U64, &m);
    bool same = n == m && memcmp(x, y, n * sizeof *x) == 0;
    orr__free(x);
    orr__free(y);
    return same;
}

/* Another way to simulate the same. */
static void is_the_same(struct left *a, const char *yaml, const char *more,
                        unsigned threads)
{
    static const char *const paths[] = {
        "links/time",       "links/part_bytes", "links/part_marks",
        "links/part_drops", "links/part_link",  "links/part_job",
        "iterations/marks", "iterations/drops",
    };
    struct left b;
    run_split(&b, yaml, more, threads);
    for (size_t i = 0; i < COUNT(paths); i++)
        if (!same_column(a, &b, paths[i]))
            fail_msg("%s is not the same with %s, %u threads, of\n%s", paths[i],
                     more ? more : "all as it is", threads, yaml);
    clear(&b);
}

#define DUMBBELL                                                               \
    "topology: {kind: dumbbell, left: 4, right: 4, "                           \
    "link: {rate: 100Gbps, delay: 1us}, "                                      \
    "bottleneck: {rate: 100Gbps, delay: 2us}}\n"
#define ODD_RATES                                                              \
    "topology: {kind: dumbbell, left: 4, right: 4, "                           \
    "link: {rate: 33Gbps, delay: 1us}, "                                       \
    "bottleneck: {rate: 7001Mbps, delay: 2us}}\n"
#define LOSSY                                                                  \
    "topology: {kind: dumbbell, left: 4, right: 4, "                           \
    "link: {rate: 100Gbps, delay: 1us}, "                                      \
    "bottleneck: {rate: 100Gbps, delay: 2us, loss: 0.01}}\n"
#define DCTCP                                                                  \
    "network: {cc: dctcp, queue: {kind: ecn, capacity: 200KB, "                \
    "threshold: 60KB}}\n"
#define SPLIT "record: {by_job: true, interval: 7us}\n"

static const struct {
    const char *yaml;
    bool computed;  /* its ports may be either */
    bool disturbed; /* something is marked or lost */
} runs[] = {
    {DUMBBELL DCTCP SPLIT JOBS, true, true},
    {DUMBBELL DCTCP "record: {by_job: true}\n" JOBS, true, true},
    {ODD_RATES DCTCP SPLIT JOBS, true, true},
    {LOSSY DCTCP "record: {by_job: true, interval: 1us}\n" JOBS, true, true},
    {DUMBBELL "network: {cc: cubic, queue: {kind: droptail, capacity: 50KB}}"
              "\n" SPLIT JOBS,
     true, true},
    {DUMBBELL DCTCP "failures: [{link: 8, down: 300us, up: 400us}, "
                    "{link: 8, at: 500us, rate: 33Gbps}]\n" SPLIT JOBS,
     true, true},
    {DUMBBELL DCTCP "stop: 400us\n" SPLIT JOBS, true, true},
    {ODD_RATES "network: {switching: cut-through, cc: dctcp, queue: "
               "{kind: ecn, capacity: 40KB, threshold: 10KB}}\n" SPLIT JOBS,
     false, true},
    {DUMBBELL "network: {cc: dcqcn, pfc: {enabled: true}, queue: "
              "{kind: ecn, capacity: 1MB, threshold: 60KB}}\n" SPLIT JOBS,
     false, true},
    {DUMBBELL "network: {cc: nscc, queue: {kind: trim, capacity: 30KB, "
              "header: 64B}}\n" SPLIT JOBS,
     false, true},
    {DUMBBELL "network: {transport: datagram, queue: {kind: ecn, capacity: "
              "10MB, threshold: 60KB}}\n" SPLIT JOBS,
     true, true},
};

static void parts_add_up_to_their_links(void **state)
{
    for (size_t i = 0; i < COUNT(runs); i++) {
        struct left l;
        run_split(&l, runs[i].yaml, NULL, 1);
        assert_true(adds_up(&l, "links/bytes", "links/part_bytes") > 1000000);
        adds_up(&l, "links/marks", "links/part_marks");
        adds_up(&l, "links/drops", "links/part_drops");
        assert_int_equal(counts(&l) > 0, runs[i].disturbed);
        is_the_same(&l, runs[i].yaml, NULL, 3);
        if (runs[i].computed)
            is_the_same(&l, runs[i].yaml, "network.ports=explicit", 1);
        clear(&l);
    }
}

/* The summary does not depend on whether a record is written. */
static void iterations_are_counted_without_a_record(void **state)
{
    static const char yaml[] = DUMBBELL DCTCP SPLIT JOBS;
    struct orr_report why = {0};
    struct orr_options o = {.threads = 2, .no_output = true};
    struct left l;
    orr_experiment *x;
    run_split(&l, yaml, NULL, 1);
    if (experiment_load(yaml, &o, &x, &why) != ORR_OK
        || orr_experiment_run(x, &why) != ORR_OK)
        fail_msg("%s", why.message);
    const struct orr_world *w = orr__experiment_world(l.x);
    const struct orr_world *bare = orr__experiment_world(x);
    uint64_t all = 0;
    assert_null(bare->watch.series);
    for (uint32_t i = 0; i < w->n_jobs; i++)
        for (uint32_t k = 0; k < w->jobs[i].iterations; k++) {
            assert_memory_equal(&bare->jobs[i].packets[k],
                                &w->jobs[i].packets[k],
                                sizeof *w->jobs[i].packets);
            all += w->jobs[i].packets[k].marks;
        }
    assert_true(all > 0);
    orr_experiment_free(x);
    clear(&l);
}

/* On a way of three links, 4 KB packets with an ACK of 64 B each. */
static void jobs_have_what_they_sent(void **state)
{
    struct left l;
    run_split(&l, DUMBBELL DCTCP SPLIT JOBS, NULL, 1);
    const struct orr_world *w = orr__experiment_world(l.x);
    uint64_t packets = (1000000 / 2 + 4095) / 4096;
    assert_int_equal(w->jobs[0].wire_bytes, 4 * 2 * 2 * 500000);
    assert_int_equal(had(&l, "links/part_bytes", 0),
                     3 * (w->jobs[0].wire_bytes + 4 * 2 * 2 * packets * 64));
    assert_int_equal(had(&l, "links/part_bytes", -1),
                     3 * (700000 + (uint64_t)(700000 + 4095) / 4096 * 64));
    assert_int_equal(had(&l, "links/part_bytes", -2), 0);
    clear(&l);
}

/* Of two jobs only the second meets anybody. */
static void marks_are_those_of_who_meets(void **state)
{
    struct left l;
    run_split(&l,
              DUMBBELL DCTCP SPLIT
              "jobs:\n"
              "  - {name: apart, ranks: 2, placement: [0, 1], iterations: 3,\n"
              "     program: [all-reduce: {size: 1MB}]}\n"
              "  - {name: late, ranks: 2, placement: [2, 6], iterations: 3,\n"
              "     program: [{compute: 100us}, {send: {from: 0, to: 1, "
              "size: 1MB}}]}\n"
              "flows: [{src: 3, dst: 7, size: 1MB, start: 250us}]\n",
              NULL, 1);
    const struct orr_world *w = orr__experiment_world(l.x);
    const struct orr_iteration_packets *p = w->jobs[1].packets;
    assert_int_equal(had(&l, "links/part_marks", 0), 0);
    assert_int_equal(p[0].marks, 0);
    assert_true(p[1].marks > 0); /* at 283 us; the flow is there from 250 on */
    assert_int_equal(p[2].marks, 0);
    assert_int_equal(had(&l, "links/part_marks", 1), p[1].marks);
    clear(&l);
}

/* Nobody asks: nobody counts, and there is nothing of it in the file. */
static void nothing_is_split_unasked(void **state)
{
    struct orr_report why = {0};
    struct orr_options o = {.threads = 1, .output = "run.h5"};
    orr_experiment *x;
    struct orr_reader *r;
    assert_int_equal(experiment_load(DUMBBELL DCTCP JOBS, &o, &x, &why),
                     ORR_OK);
    assert_int_equal(orr_experiment_run(x, &why), ORR_OK);
    assert_null(orr__experiment_world(x)->jobs[0].packets);
    assert_int_equal(orr__reader_open("run.h5", &r, &why), ORR_OK);
    assert_false(orr__reader_has(r, "links/part_bytes"));
    assert_false(orr__reader_has(r, "iterations/marks"));
    orr__reader_close(r);
    orr_experiment_free(x);
    unlink("run.h5");
}

static void it_changes_nothing(void **state)
{
    struct left l;
    orr_experiment *x = experiment_run(DUMBBELL DCTCP JOBS, 1);
    run_split(&l, DUMBBELL DCTCP SPLIT JOBS, NULL, 2);
    assert_true(orr_experiment_fingerprint(l.x)
                == orr_experiment_fingerprint(x));
    clear(&l);
    orr_experiment_free(x);
}

static void memory_may_end(void **state)
{
    struct orr_options o = {.threads = 1, .output = "run.h5"};
    orr_err err = ORR_ENOMEM;
    for (uint64_t n = 1; err != ORR_OK && n < 1000000; n += 1 + n / 25) {
        struct orr_report why = {0};
        orr_experiment *x = NULL;
        orr__memory_fail_after(n, 1);
        err = experiment_load(DUMBBELL DCTCP SPLIT JOBS, &o, &x, &why);
        if (err == ORR_OK)
            err = orr_experiment_run(x, &why);
        orr__memory_fail_after(0, 0);
        orr_experiment_free(x);
        if (err != ORR_OK && err != ORR_ENOMEM)
            fail_msg("%d: %s", err, why.message);
    }
    assert_int_equal(err, ORR_OK);
    unlink("run.h5");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_add_up_to_their_links),
        cmocka_unit_test(iterations_are_counted_without_a_record),
        cmocka_unit_test(jobs_have_what_they_sent),
        cmocka_unit_test(marks_are_those_of_who_meets),
        cmocka_unit_test(nothing_is_split_unasked),
        cmocka_unit_test(it_changes_nothing),
        cmocka_unit_test(memory_may_end),
    };
    return cmocka_run_group_tests_name("split", tests, enter_folder,
                                       leave_folder);
}
