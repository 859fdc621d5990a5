/* Pages, pictures and timelines of a run and of a cluster: whichever allocation
 * of ours fails, they are what they would be, or there are none. */
#include "tests/workload/small_workload.h"

#include "core/file.h"
#include "study/report/plot.h"
#include "study/report/report.h"
#include "study/timeline.h"

/* Two jobs that share a link, and a flow. */
#define JOBS                                                                   \
    "topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts_per_leaf: 2, "   \
    "link: {rate: 100Gbps, delay: 1us}}\n"                                     \
    "network: {cc: dctcp}\n"                                                   \
    "jobs:\n"                                                                  \
    "- {name: a, ranks: 2, iterations: 3, placement: [0, 2], program: ["       \
    "compute: 30us, all-reduce: {size: 128KiB}]}\n"                            \
    "- {name: b, ranks: 2, iterations: 3, placement: [1, 3], program: ["       \
    "compute: 20us, all-reduce: {size: 256KiB}]}\n"                            \
    "flows: [{src: 0, dst: 3, size: 20KB}, {src: 1, dst: 2, size: 40KB}]\n"    \
    "record: {interval: 10us, links: all, operations: all}\n"
#define CLUSTER                                                                \
    "topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts_per_leaf: 2, "   \
    "link: {rate: 100Gbps, delay: 1us}}\n"                                     \
    "network: {cc: dctcp}\n"                                                   \
    "repeat: {kind: sampled}\n"                                                \
    "cluster:\n"                                                               \
    "  arrivals: {kind: poisson, load: 90%, most: 6}\n"                        \
    "  jobs:\n"                                                                \
    "  - {name: v, gpus: 2, iterations: 30, program: [compute: 30us, "         \
    "all-reduce: {size: 256KiB}]}\n"

static char folder[] = "/tmp/orrery-test-XXXXXX";
static const char *const files[] = {"jobs.h5", "cluster.h5"};

static void make_run(const char *yaml, const char *file)
{
    struct orr_report why = {.code = ORR_OK};
    struct orr_options o = {.output = file, .threads = 1};
    orr_experiment *x = NULL;
    orr_err err = experiment_load(yaml, &o, &x, &why);
    if (!err)
        err = orr_experiment_run(x, &why);
    if (err)
        fail_msg("%s: %s", file, why.message);
    orr_experiment_free(x);
}

static int enter_folder(void **state)
{
    if (!mkdtemp(folder) || chdir(folder) != 0)
        return -1;
    make_run(JOBS, files[0]);
    make_run(CLUSTER, files[1]);
    return 0;
}

static int leave_folder(void **state)
{
    unlink(files[0]);
    unlink(files[1]);
    return chdir("/") == 0 && rmdir(folder) == 0 ? 0 : -1;
}

/* What is made of a file: `what` of a picture, else what it likes. */
typedef orr_err (*make_fn)(const char *file, const char *what,
                           struct orr_text *out, struct orr_report *why);

static orr_err make_plot(const char *file, const char *what,
                         struct orr_text *out, struct orr_report *why)
{
    const struct orr_plot_options o = {.links = NULL};
    return orr__make_plot(file, what, &o, out, why);
}

static orr_err make_page(const char *file, const char *what,
                         struct orr_text *out, struct orr_report *why)
{
    return orr__report(&file, 1, NULL, ORR_JAVASCRIPT, out, why);
}

static orr_err make_timeline(const char *file, const char *what,
                             struct orr_text *out, struct orr_report *why)
{
    const struct orr_counters all = {.busiest = 3};
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    orr_err err = orr__timeline(file, &all, f, why);
    fclose(f);
    orr__text_piece(out, text, n);
    free(text);
    return err;
}

/* As it is with memory enough; NULL: there is nothing of that to be made. */
static char *whole(make_fn make, const char *file, const char *what)
{
    struct orr_report why = {.code = ORR_OK};
    struct orr_text t = {.s = NULL};
    orr_err err = make(file, what, &t, &why);
    if (err == ORR_OK)
        return orr__text_done(&t);
    assert_int_equal(err, ORR_ECONFIG);
    orr__free(t.s);
    return NULL;
}

/* The n-th allocation fails, n = 1, 2, ..., until twenty went well: a library
 * may have a way without. Every `step`-th of the later ones. */
static uint64_t starve(make_fn make, const char *file, const char *what,
                       uint64_t step)
{
    char *want = whole(make, file, what);
    uint64_t n = 1;
    for (int fine = 0; want && fine < 20; n += n < 200 ? 1 + n / 50 : step) {
        struct orr_report why = {.code = ORR_OK};
        struct orr_text t = {.s = NULL};
        orr__memory_fail_after(n, 0);
        orr_err err = make(file, what, &t, &why);
        orr__memory_fail_after(0, 0);
        fine = err || t.failed ? 0 : fine + 1;
        if (err)
            assert_int_equal(err, ORR_ENOMEM);
        else if (!t.failed && strcmp(t.s, want) != 0)
            fail_msg("%s of %s is another if allocation %u fails", what, file,
                     (unsigned)n);
        orr__free(t.s);
    }
    orr__free(want);
    return want ? n : 0;
}

static void pictures_are_whole_or_not_at_all(void **state)
{
    int made = 0;
    for (size_t i = 0; orr__plots[i].name; i++)
        for (size_t k = 0; k < 2; k++)
            made += starve(make_plot, files[k], orr__plots[i].name, 97) > 10;
    assert_true(made >= 8); /* heat to cdf of both, or queue, utilization */
}

static void pages_are_whole_or_not_at_all(void **state)
{
    assert_true(starve(make_page, files[0], "page", 97) > 100);
    assert_true(starve(make_page, files[1], "page", 97) > 100);
}

static void timelines_are_whole_or_not_at_all(void **state)
{
    assert_true(starve(make_timeline, files[0], "timeline", 29) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pictures_are_whole_or_not_at_all),
        cmocka_unit_test(pages_are_whole_or_not_at_all),
        cmocka_unit_test(timelines_are_whole_or_not_at_all),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
