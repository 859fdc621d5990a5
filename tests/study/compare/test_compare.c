/* A study through its door: opened, run by a runner that starts nothing, and
 * written; and all that when memory ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "core/memory.h"
#include "study/compare/compare.h"

static char folder[] = "/tmp/orrery-test-XXXXXX";

static int enter_folder(void **state)
{
    FILE *f =
        mkdtemp(folder) && chdir(folder) == 0 ? fopen("s.yaml", "w") : NULL;
    if (!f)
        return -1;
    fputs("topology: {kind: ring, hosts: 4, link: {rate: 1Gbps, delay: 1us}}\n"
          "flows: [{src: 0, dst: 1, size: 1KB}]\n"
          "compare:\n"
          "  over:\n"
          "    network.mtu: [1KB, 2KB]\n"
          "    topology.kind: [ring, fully-connected]\n"
          "    cc: {a: {network.cc: reno}, b: {network: {cc: dctcp}}}\n"
          "  seeds: [1, 2]\n"
          "  measure: [flows.fct_ns.mean, counters.ecn_marks]\n"
          "  when: [{not: {mtu: 1KB, kind: ring}}]\n"
          "  keep: false\n",
          f);
    return fclose(f);
}

static int leave_folder(void **state)
{
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

/* ---- a runner ----------------------------------------------------------- */

/* Each "process" ends at once, with a summary that says its seed. */
struct fake {
    uint32_t started, most, open[8];
    int last;
};

static int start(void *arg, const char *const *argv,
                 const struct orr_compare_files *files)
{
    struct fake *f = arg;
    FILE *out = NULL;
    for (size_t i = 0; argv[i]; i++)
        if (strcmp(argv[i], "--json") == 0)
            out = fopen(argv[i + 1], "w");
    assert_non_null(out);
    fprintf(out,
            "{\"partial\": false, \"flows\": {\"fct_ns\": {\"mean\": "
            "%u}}, \"counters\": {\"ecn_marks\": 3}}",
            f->started);
    fclose(out);
    f->started++;
    f->last++;
    f->open[f->last % 8] = (uint32_t)f->last;
    return f->last;
}

static bool wait_one(void *arg, double seconds, struct orr_compare_ended *e)
{
    struct fake *f = arg;
    for (int i = 0; i < 8; i++)
        if (f->open[i]) {
            *e = (struct orr_compare_ended){.id = (int)f->open[i]};
            f->open[i] = 0;
            return true;
        }
    return false;
}

static void stop(void *arg, int id)
{
}

static struct orr_compare *opened(void)
{
    const struct orr_compare_options o = {.config = "s.yaml", .keep = -1};
    struct orr_report why = {.code = ORR_OK};
    struct orr_compare *c = NULL;
    orr_err err = orr__compare_open(&o, &c, &why);
    if (err)
        print_error("%s\n", why.message);
    assert_int_equal(err, ORR_OK);
    return c;
}

static void a_study_is_run_and_written(void **state)
{
    struct fake f = {.started = 0};
    const struct orr_compare_runner r = {
        .jobs = 3,
        .program = "orrery",
        .arg = &f,
        .start = start,
        .wait = wait_one,
        .stop = stop,
    };
    struct orr_report why = {.code = ORR_OK};
    struct orr_compare *c = opened();
    struct orr_compare_count n = orr__compare_count(c);
    assert_int_equal(n.combinations, 6);
    assert_int_equal(n.missing, 12);
    assert_true(n.seconds > 0);
    assert_string_equal(orr__compare_folder(c), "s.study");
    assert_int_equal(orr__compare_lock(c, &why), ORR_OK);
    assert_int_equal(orr__compare_run(c, &r, &why), ORR_OK);
    assert_int_equal(f.started, 12);
    assert_int_equal(orr__compare_count(c).ok, 12);
    assert_int_equal(orr__compare_write(c, &why), ORR_OK);
    assert_int_equal(access("s.study/study.h5", R_OK), 0);
    orr__compare_free(c);
    /* and is there when it is opened again */
    c = opened();
    assert_int_equal(orr__compare_count(c).reused, 12);
    assert_int_equal(orr__compare_lock(c, &why), ORR_OK);
    assert_int_equal(orr__compare_run(c, &r, &why), ORR_OK);
    assert_int_equal(f.started, 12);
    orr__compare_free(c);
}

/* Fails the n-th allocation, for growing n, until none fails. */
static void open_with_failures(bool equal_cost)
{
    const struct orr_compare_options o = {
        .config = "s.yaml",
        .keep = -1,
        .equal_cost = equal_cost,
    };
    orr_err err = ORR_ENOMEM;
    for (uint64_t n = 1; err != ORR_OK; n += 1 + n / 16) {
        struct orr_report why = {.code = ORR_OK};
        struct orr_compare *c = NULL;
        char *text = NULL;
        orr__memory_fail_after(n, 1);
        err = orr__compare_open(&o, &c, &why);
        if (err == ORR_OK)
            err = orr__compare_table(c, ORR_COMPARE_TEXT, &text, &why);
        orr__memory_fail_after(0, 0);
        if (err) {
            assert_int_equal(err, ORR_ENOMEM);
            assert_true(why.message[0] != '\0');
            assert_null(text);
        }
        orr__free(text);
        orr__compare_free(c);
    }
}

static void memory_may_end_at_any_allocation(void **state)
{
    open_with_failures(false);
}

static void memory_may_end_where_costs_are_equal(void **state)
{
    open_with_failures(true);
}

/* What six cables cost, four may cost: they are half as fast again. */
static void networks_of_equal_cost_say_what_they_became(void **state)
{
    const struct orr_compare_options o = {
        .config = "s.yaml",
        .keep = -1,
        .equal_cost = true,
    };
    struct orr_report why = {.code = ORR_OK};
    struct orr_compare *c = NULL;
    char *text = NULL;
    assert_int_equal(orr__compare_open(&o, &c, &why), ORR_OK);
    assert_int_equal(orr__compare_table(c, ORR_COMPARE_TEXT, &text, &why),
                     ORR_OK);
    assert_non_null(strstr(text, "cc    price     links"));
    assert_non_null(strstr(text, "equal cost: rates of links are scaled"));
    assert_non_null(strstr(text, "  1 Gbps"));
    assert_non_null(strstr(text, "1.5 Gbps"));
    orr__free(text);
    orr__compare_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_study_is_run_and_written),
        cmocka_unit_test(memory_may_end_at_any_allocation),
        cmocka_unit_test(memory_may_end_where_costs_are_equal),
        cmocka_unit_test(networks_of_equal_cost_say_what_they_became),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
