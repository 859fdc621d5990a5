/* What the converters share: names as a configuration may hold them, graphs of
 * topology files, files in a folder. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs those four first */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "core/memory.h"
#include "formats/convert.h"
#include "topo/graph.h"

static char folder[64];

static const char *at(const char *name)
{
    static char path[4][160];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

static int begin(void **state)
{
    snprintf(folder, sizeof folder, "/tmp/orrery-convert-XXXXXX");
    if (!mkdtemp(folder) || mkdir(at("in"), 0777) || mkdir(at("out"), 0777)
        || chdir(folder))
        return -1;
    FILE *f = fopen("in/net", "w");
    return f ? fclose(f) : -1;
}

static int end(void **state)
{
    char command[100];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return chdir("/") || system(command);
}

static void named(const char *from, const char *path, const char *want)
{
    struct orr_convert c = {.folder = from};
    char *name = orr__convert_name(&c, path);
    assert_non_null(name);
    assert_string_equal(name, want);
    orr__free(name);
}

/* From the configuration's folder, in quotes where YAML needs them. */
static void test_names(void **state)
{
    named(".", "in/net", "in/net");
    named("out", "in/net", "../in/net");
    named("in", "in/net", "net");
    named("out", "/somewhere/else", "/somewhere/else");
    named("out", "in/nowhere", "in/nowhere"); /* as it was given */
    named(".", "it is", "\"it is\"");
    named(".", "a: b", "\"a: b\"");
    named(".", "12", "\"12\"");
    named(".", "-", "\"-\"");
    named(".", "", "\"\"");
    named(".", "../up", "../up");
    named(".", "q\"q", "\"q\\\"q\"");
}

static void test_each_is_listed_once(void **state)
{
    const struct orr_convert_ops *const *all = orr__converters();
    uint32_t n = 0;
    for (; all[n]; n++) {
        assert_true(all[n]->name[0] && all[n]->doc[0]);
        assert_true(all[n]->from || all[n]->to);
        assert_true(!all[n]->from == !all[n]->inputs);
        assert_true(!all[n]->to == !all[n]->outputs);
        for (uint32_t i = 0; i < n; i++)
            assert_string_not_equal(all[i]->name, all[n]->name);
    }
    assert_true(n >= 4);
}

static void test_graphs(void **state)
{
    struct orr_report why = {.code = ORR_OK};
    struct orr_graph *g = NULL;
    FILE *f = fopen("in/ring.yml", "w");
    assert_non_null(f);
    fputs("topology: [ Ring ]\nnpus_count: [ 4 ]\nbandwidth: [ 50 ]\n"
          "latency: [ 500 ]\n",
          f);
    fclose(f);
    assert_int_equal(orr__convert_graph("astra", "in/ring.yml", &g, &why),
                     ORR_OK);
    assert_int_equal(g->hosts, 4);
    orr__graph_free(g);
    assert_int_equal(orr__convert_graph("astra", "in/none.yml", &g, &why),
                     ORR_ECONFIG);
    assert_non_null(strstr(why.message, "in/none.yml"));
    why = (struct orr_report){.code = ORR_OK};
    assert_int_equal(orr__convert_graph("astra", "in/net", &g, &why),
                     ORR_ECONFIG);
}

static void test_files(void **state)
{
    struct orr_report why = {.code = ORR_OK};
    struct orr_file o;
    struct stat st;
    assert_int_equal(orr__convert_open(&o, "out", "made", &why), ORR_OK);
    fputs("x", o.out);
    assert_int_not_equal(stat("out/made", &st), 0); /* not before it is whole */
    assert_int_equal(orr__file_close(&o, ORR_OK, &why), ORR_OK);
    assert_int_equal(stat("out/made", &st), 0);
    assert_int_equal(st.st_size, 1);
    assert_int_equal(orr__convert_open(&o, "nowhere", "made", &why), ORR_EIO);
}

static void test_flows_only(void **state)
{
    struct orr_world w = {.n_jobs = 0};
    struct orr_report why = {.code = ORR_OK};
    assert_int_equal(orr__convert_flows_only(&w, "hpcc", &why), ORR_OK);
    w.n_jobs = 2;
    assert_int_equal(orr__convert_flows_only(&w, "hpcc", &why), ORR_ECONFIG);
    assert_string_equal(why.message, "hpcc knows flows, no jobs, and this "
                                     "configuration has 2");
}

static void test_out_of_memory(void **state)
{
    struct orr_convert c = {.folder = "out"};
    for (uint64_t n = 1;; n++) {
        orr__memory_fail_after(n, 0);
        char *name = orr__convert_name(&c, "in/net");
        orr__memory_fail_after(0, 0);
        bool done = name != NULL;
        orr__free(name);
        if (done)
            break;
        assert_true(n < 20);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_each_is_listed_once),
        cmocka_unit_test(test_graphs),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_flows_only),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
