/* Which of ASTRA-sim's files is which, and the configuration that they make. */
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
#include "formats/astra/find.h"

static char folder[64];

static const char *at(const char *name)
{
    static char path[8][160];
    static int turn;
    turn = (turn + 1) % 8;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

static void put(const char *name, const char *text)
{
    FILE *f = fopen(at(name), "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static int begin(void **state)
{
    snprintf(folder, sizeof folder, "/tmp/orrery-find-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int end(void **state)
{
    char command[100];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

#define NET                                                                    \
    "topology: [ Ring ]\nnpus_count: [ 8 ]\nbandwidth: [ 50 ]\n"               \
    "latency: [ 500 ]\n"
#define SYS  "{\"endpoint-delay\": 10, \"preferred-dataset-splits\": 4}\n"
#define WORK "DATA\n1\nlayer -1 0 NONE 0 0 NONE 0 0 ALLREDUCE 1048576 1\n"

static struct orr_arena arena;
static struct orr_report why;

static orr_err find(const char *path, struct orr_astra_run *run)
{
    const char *paths[] = {path};
    why = (struct orr_report){.code = ORR_OK};
    *run = (struct orr_astra_run){
        .compute_scale = -1, .comm_scale = -1, .injection_scale = -1};
    return orr__astra_find(paths, 1, &arena, run, &why);
}

/* By what is in them, whatever they are called. */
static void test_a_folder(void **state)
{
    struct orr_astra_run run;
    put("a", NET);
    put("b", SYS);
    put("c", WORK);
    put("d", "{\"3\": [0, 1]}");
    put("e", "{\"memory-type\": \"NO_MEMORY_EXPANSION\"}");
    put("f.txt", "notes of somebody\n");
    put(".hidden", NET);
    assert_int_equal(find(folder, &run), ORR_OK);
    assert_string_equal(run.network, at("a"));
    assert_string_equal(run.system, at("b"));
    assert_string_equal(run.workload, at("c"));
    assert_string_equal(run.groups, at("d"));
    assert_string_equal(run.memory, at("e"));
    orr__arena_fini(&arena);
}

/* Traces are named by what they begin with. */
static void test_traces(void **state)
{
    struct orr_astra_run run;
    put("net", NET);
    put("sys", SYS);
    put("all.0.et", "");
    put("all.1.et", "");
    assert_int_equal(find(folder, &run), ORR_OK);
    assert_string_equal(run.workload, at("all"));
    assert_null(run.groups);
    orr__arena_fini(&arena);
}

static void refused(const char *path, const char *message, const char *hint)
{
    struct orr_astra_run run;
    assert_int_equal(find(path, &run), ORR_ECONFIG);
    assert_string_equal(why.message, message);
    assert_non_null(strstr(why.hint, hint));
    orr__arena_fini(&arena);
}

static void test_missing(void **state)
{
    put("sys", SYS);
    put("work", WORK);
    refused(folder, "there is no network file of ASTRA-sim", "");
    put("net", NET);
    assert_int_equal(unlink(at("work")), 0);
    refused(folder,
            "there is no workload file of ASTRA-sim (nor a Chakra "
            "trace)",
            "");
    refused("/tmp/orrery-find-nowhere/x", "there is no such file or folder",
            "");
}

/* Of several, the set is named; or one is told. */
static void test_several(void **state)
{
    struct orr_astra_run run;
    char hint[200];
    put("one.net", NET);
    put("one.sys", SYS);
    put("one.work", WORK);
    put("two.net", NET);
    snprintf(hint, sizeof hint, "as in %s", at("one"));
    refused(folder, "there are several network files: one.net, two.net", hint);
    assert_int_equal(find(at("one"), &run), ORR_OK);
    assert_string_equal(run.network, at("one.net"));
    assert_string_equal(run.workload, at("one.work"));
    orr__arena_fini(&arena);
    const char *paths[] = {folder};
    run = (struct orr_astra_run){.network = "told.yml"};
    why = (struct orr_report){.code = ORR_OK};
    assert_int_equal(orr__astra_find(paths, 1, &arena, &run, &why), ORR_OK);
    assert_string_equal(run.network, "told.yml");
    orr__arena_fini(&arena);
}

static void expect_network(struct orr_astra_run *run, const char *line)
{
    char *text = NULL;
    why = (struct orr_report){.code = ORR_OK};
    assert_int_equal(orr__astra_config(run, &text, &why), ORR_OK);
    if (!strstr(text, line))
        print_error("%s", text);
    assert_non_null(strstr(text, line));
    assert_non_null(strstr(text, "    ranks: 8\n"));
    orr__free(text);
}

/* Which network stands for ASTRA-sim's. */
static void test_configuration(void **state)
{
    struct orr_astra_run run = {.system = "s",
                                .workload = "w",
                                .compute_scale = -1,
                                .comm_scale = 0.5,
                                .injection_scale = -1,
                                .passes = 3,
                                .queues = 2,
                                .rendezvous = true,
                                .groups = "it's",
                                .memory = "m"};
    put("flat", NET);
    put("deep", "topology: [ Ring, Switch ]\nnpus_count: [ 4, 2 ]\n"
                "bandwidth: [ 50, 25 ]\nlatency: [ 500, 500 ]\n");
    put("old", "{\"topologies-per-dim\": [\"Ring\"], \"units-count\": [8]}\n");
    run.network = at("flat");
    expect_network(&run, "network: {routing: first, transport: analytical, "
                         "contention: links, resolution: 1ns}\n");
    expect_network(&run, "groups: \"it's\", memory: \"m\", passes: 3, queues: "
                         "2, rendezvous: true, comm_scale: 0.5}\n");
    run.congestion = ORR_ASTRA_UNAWARE;
    expect_network(&run, "transport: analytical, resolution: 1ns}\n");
    run.packets = true;
    expect_network(&run, "network: {routing: first, mtu: 4096B}\n");
    run.packets = false;
    run.congestion = ORR_ASTRA_AUTO;
    run.network = at("deep");
    expect_network(&run, "resolution: 1ns, tiers: lowest}\n");
    run.congestion = ORR_ASTRA_AWARE;
    expect_network(&run, "contention: links, resolution: 1ns}\n");
    run.congestion = ORR_ASTRA_AUTO;
    run.network = at("old");
    expect_network(&run, "resolution: 1ns, processes: one}\n");
    run.network = at("none");
    char *text;
    why = (struct orr_report){.code = ORR_OK};
    assert_int_equal(orr__astra_config(&run, &text, &why), ORR_ECONFIG);
    assert_non_null(strstr(why.message, at("none")));
    assert_null(text);
}

static void test_out_of_memory(void **state)
{
    struct orr_astra_run run;
    put("net", NET);
    put("sys", SYS);
    put("work", WORK);
    for (uint64_t n = 1;; n++) {
        orr__memory_fail_after(n, 0);
        orr_err err = find(folder, &run);
        orr__memory_fail_after(0, 0);
        orr__arena_fini(&arena);
        if (err == ORR_OK)
            break;
        /* a file that cannot be looked into for want of memory is none */
        assert_true(err == ORR_ENOMEM || err == ORR_ECONFIG);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_folder, begin, end),
        cmocka_unit_test_setup_teardown(test_traces, begin, end),
        cmocka_unit_test_setup_teardown(test_missing, begin, end),
        cmocka_unit_test_setup_teardown(test_several, begin, end),
        cmocka_unit_test_setup_teardown(test_configuration, begin, end),
        cmocka_unit_test_setup_teardown(test_out_of_memory, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
