/* What measures may ask of jobs that are known before a run: names, numbers and
 * iterations. */
#include "tests/study/compare/planned.h"

#include "tests/refused.h"

#define JOB(name, n)                                                           \
    "- {name: " name ", ranks: 2, iterations: " n ", program: [barrier: "      \
    "{}]}\n"

/* Opens a study with these jobs that has this measure. */
static void measure(const char *jobs, const char *path, struct refused want)
{
    const struct orr_compare_options o = {
        .config = "j.yaml", .measures = &path, .n_measures = 1, .keep = -1};
    struct orr_report why = {.code = ORR_OK};
    struct orr_compare *c = NULL;
    FILE *f = fopen("j.yaml", "w");
    assert_non_null(f);
    fprintf(f,
            "topology: {kind: ring, hosts: 4, link: {rate: 1Gbps, delay: "
            "1us}}\n%s"
            "compare: {over: {network.mtu: [1KB, 2KB]}}\n",
            jobs);
    fclose(f);
    orr_err err = orr__compare_open(&o, &c, &why);
    orr__compare_free(c);
    if (want.message)
        assert_refused(err, &why, want);
    else if (err)
        fail_msg("%s: %s", path, why.message);
}

#define TWO "jobs:\n" JOB("first", "3") JOB("second", "5")

static void names_and_numbers_of_jobs(void **state)
{
    static const char *const fine[] = {
        "jobs.first.iteration_ns.mean",
        "jobs.0.iteration_ns.mean",
        "jobs.1.iteration_ns.mean",
        "jobs.*.iteration_ns.mean",
        "jobs.first.iterations.2.duration_ns",
        "jobs.second.iterations.4.end_ns",
        "jobs.0.iterations.4.duration_ns",
        "jobs.*.iterations.4.duration_ns",
        "jobs.first.iterations.*.duration_ns",
    };
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++)
        measure(TWO, fine[i], (struct refused){.row = i});
}

static void what_no_run_can_have(void **state)
{
    static const struct {
        const char *jobs, *path, *says, *hint;
    } row[] = {
        {TWO, "jobs.2.iteration_ns.mean", "no combination has a job \"2\"",
         "there are first, second; `*` is all jobs"},
        {TWO, "jobs.fist.iteration_ns.mean",
         "no combination has a job \"fist\"", "did you mean \"first\"?"},
        {TWO, "jobs.zzzzzzzzz.iteration_ns.mean",
         "no combination has a job \"zzzzzzzzz\"",
         "there are first, second; `*` is all jobs"},
        {TWO, "jobs.first.iterations.3.duration_ns", "there is no iteration 3",
         "they are counted from 0, and there are 3"},
        {TWO, "jobs.1.iterations.5.duration_ns", "there is no iteration 5",
         "they are counted from 0, and there are 5"},
        {"jobs:\n" JOB("one", "1"), "jobs.*.iterations.1.duration_ns",
         "there is no iteration 1", "they are counted from 0, and there is 1"},
        {"flows: [{src: 0, dst: 1, size: 1KB}]\n", "jobs.a.iteration_ns.mean",
         "no combination has jobs", ""},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char says[200];
        snprintf(says, sizeof says, "compare.measure: %s: %s", row[i].path,
                 row[i].says);
        measure(
            row[i].jobs, row[i].path,
            (struct refused){.row = i, .message = says, .hint = row[i].hint});
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_numbers_of_jobs),
        cmocka_unit_test(what_no_run_can_have),
    };
    return cmocka_run_group_tests(tests, planned_enter, planned_leave);
}
