/* Chakra traces as ASTRA-sim 2.x runs them: its units and turns, remote memory,
 * roofline, replay, groups, collectives of the user's own, and its report. */
#include <stdlib.h>

#include "formats/chakra/chakra.h"
#include "formats/source.h"
#include "tests/formats/traces.h"
#include "workload/rank/rank.h"

#define US(x)  ((int64_t)(x)*ORR_US)
#define NS(x)  ((int64_t)(x)*ORR_NS)
#define SYSTEM "\"endpoint-delay\": 0, \"preferred-dataset-splits\": 1"

static void put(const char *name, const char *text)
{
    FILE *f = fopen(et_path(name), "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static orr_err read_job(struct fake *f, uint32_t ranks, const char *keys)
{
    char job[600];
    snprintf(job, sizeof job,
             "  - {ranks: %u, trace: {format: astra, workload: %s/t, system: "
             "%s/s.json%s}}\n",
             ranks, et_folder, et_folder, keys);
    return fake_read(f, ranks, job);
}

static const struct orr_sys_report *sys_of(const struct fake *f)
{
    return orr__trace_of(&f->w.jobs[0])->sys;
}

static const struct orr_program *program_of(const struct fake *f)
{
    return f->w.jobs[0].team->program;
}

static int64_t play(struct fake *f, uint32_t ranks, const char *keys)
{
    orr_err err = read_job(f, ranks, keys);
    if (err)
        print_error("%s\n", f->why.message);
    assert_int_equal(err, ORR_OK);
    fake_go(f);
    err = orr__jobs_close(&f->w, &f->why);
    if (err)
        print_error("%s\n", f->why.message);
    assert_int_equal(err, ORR_OK);
    return f->w.jobs[0].finish_ps;
}

static void refused(uint32_t ranks, const char *keys, const char *message)
{
    struct fake f;
    char text[2048];
    assert_int_equal(read_job(&f, ranks, keys), ORR_ECONFIG);
    orr__report_format(&f.why, text, sizeof text);
    if (!strstr(text, message))
        print_error("%s\n", text);
    assert_non_null(strstr(text, message));
    assert_true(f.why.file[0]);
    fake_free(&f);
}

static struct et open_rank(uint32_t rank)
{
    char name[20];
    struct et t;
    snprintf(name, sizeof name, "t.%u.et", rank);
    et_open(&t, et_path(name), "0.0.4");
    return t;
}

static int64_t wire(const struct fake *f, uint64_t bytes)
{
    return orr__serialisation(bytes, f->net.rate_bps) + f->net.latency_ps;
}

/* ---- turns, units, durations -------------------------------------------- */

/* The lowest number goes first, wherever it stands in the file; what becomes
 * ready in an instant is looked at before the unit is given away. */
static void test_turns(void **state)
{
    struct fake f;
    put("s.json", "{" SYSTEM "}");
    struct et t = open_rank(0);
    et_node(&t, (struct et_node){.id = 5, .type = ORR_CHAKRA_COMP, .us = 50});
    et_node(&t, (struct et_node){.id = 4, .type = ORR_CHAKRA_COMP, .us = 1});
    et_node(&t, (struct et_node){.id = 9,
                                 .type = ORR_CHAKRA_COMP,
                                 .us = 100,
                                 .data = {5},
                                 .attr = {{"is_cpu_op", 1}}});
    et_close(&t);
    assert_int_equal(play(&f, 1, ""), US(101));
    assert_int_equal(sys_of(&f)[0].finish_ps, US(101));
    assert_int_equal(sys_of(&f)[0].compute_ps, US(51));
    fake_free(&f);
}

static void reduce_node(struct et *t, uint64_t id, int64_t bytes)
{
    et_node(t, (struct et_node){.id = id,
                                .type = ORR_CHAKRA_COLL,
                                .attr = {{"comm_type", ORR_CHAKRA_ALL_REDUCE},
                                         {"comm_size", bytes}}});
}

/* So do collectives; and ranks find each other's by it, not by what stands
 * where in whose file, nor by numbers that differ from rank to rank. */
static void test_collective_turns(void **state)
{
    struct fake f;
    put("s.json", "{" SYSTEM "}");
    for (uint32_t rank = 0; rank < 2; rank++) {
        struct et t = open_rank(rank);
        if (rank == 0)
            reduce_node(&t, 9, 8000000);
        reduce_node(&t, 2 + rank, 2000000);
        et_node(&t, (struct et_node){.id = 4,
                                     .type = ORR_CHAKRA_COMP,
                                     .us = 10000,
                                     .data = {3 + rank}});
        if (rank == 1)
            reduce_node(&t, 7, 8000000);
        et_close(&t);
    }
    int64_t end = play(&f, 2, "");
    int64_t first = 2 * wire(&f, 1000000), second = 2 * wire(&f, 4000000);
    assert_in_range(first + second, 0, first + US(10000));
    assert_int_equal(end, first + US(10000));
    fake_free(&f);
}

/* A node of a low number that waits for one of a high number is no earlier. */
static void test_collectives_that_wait(void **state)
{
    struct fake f;
    put("s.json", "{" SYSTEM "}");
    for (uint32_t rank = 0; rank < 2; rank++) {
        struct et t = open_rank(rank);
        struct et_node low = {.id = 1,
                              .type = ORR_CHAKRA_COLL,
                              .data = {10},
                              .attr = {{"comm_type", ORR_CHAKRA_ALL_REDUCE},
                                       {"comm_size", 2000000}}};
        if (rank)
            low.id = 10; /* the same operation by another number */
        if (rank)
            et_node(&t, low);
        reduce_node(&t, 9, 8000000);
        if (!rank)
            et_node(&t, low);
        et_close(&t);
    }
    int64_t end = play(&f, 2, "");
    assert_int_equal(end, 2 * wire(&f, 1000000) + 2 * wire(&f, 4000000));
    fake_free(&f);
}

/* At least a nanosecond; loads keep the unit that communicates, here with a
 * broadcast, which is as long as it was recorded. */
static void test_units(void **state)
{
    struct fake f;
    put("s.json", "{" SYSTEM "}");
    put("m.json", "{\"memory-type\": \"PER_NPU_MEMORY_EXPANSION\", "
                  "\"remote-mem-latency\": 100, \"remote-mem-bw\": 3}");
    struct et t = open_rank(0);
    et_node(&t, (struct et_node){.id = 0, .type = ORR_CHAKRA_COMP});
    et_node(&t, (struct et_node){.id = 1,
                                 .type = ORR_CHAKRA_MEM_LOAD,
                                 .us = 7,
                                 .attr = {{"tensor_size", 1000}}});
    et_node(&t, (struct et_node){.id = 2,
                                 .type = ORR_CHAKRA_MEM_STORE,
                                 .attr = {{"tensor_size", 10}}});
    et_node(&t, (struct et_node){.id = 3,
                                 .type = ORR_CHAKRA_COLL,
                                 .us = 2,
                                 .attr = {{"comm_type", ORR_CHAKRA_BROADCAST},
                                          {"comm_size", 10}}});
    et_close(&t);
    char keys[200];
    snprintf(keys, sizeof keys, ", memory: %s/m.json", et_folder);
    /* 333.3 and 3.3 ns are cut down */
    assert_int_equal(play(&f, 1, keys), NS(433 + 103) + US(2));
    assert_int_equal(sys_of(&f)[0].compute_ps, NS(1));
    fake_free(&f);
    put("m.json", "{\"memory-type\": \"NO_MEMORY_EXPANSION\"}");
    refused(1, keys,
            "t.0.et: node 1: it needs remote memory, but memory-type "
            "is NO_MEMORY_EXPANSION");
    put("m.json", "{\"memory-type\": \"PER_NODE_MEMORY_EXPANSION\", "
                  "\"remote-mem-bw\": 3, \"num-npus-per-node\": 2}");
    refused(1, keys,
            "t.0.et: node 1: remote memory that NPUs share is not "
            "modelled");
    put("m.json", "{\"memory-type\": \"POOL\"}");
    refused(1, keys, "memory-type: one of NO_MEMORY_EXPANSION");
    put("m.json", "{\"memory-type\": \"MEMORY_POOL\"}");
    refused(1, keys, "remote-mem-bw is missing");
    put("m.json", "{\"memory-type\": ");
    refused(1, keys, "unexpected token");
    put("m.json", "[]");
    refused(1, keys, "a map is expected");
    put("m.json", "{\"memory-type\": \"MEMORY_POOL\", \"remote-mem-bw\": -1}");
    refused(1, keys, "remote-mem-bw: a number from 0 to");
}

static void test_roofline(void **state)
{
    struct fake f;
    put("s.json", "{" SYSTEM ", \"roofline-enabled\": 1, \"peak-perf\": 1, "
                  "\"local-mem-bw\": 100}");
    struct et t = open_rank(0);
    et_node(&t, (struct et_node){
                    /* 3,000.5 ns of operations */
                    .id = 0,
                    .type = ORR_CHAKRA_COMP,
                    .us = 900,
                    .attr = {{"num_ops", 3000500}, {"tensor_size", 100}}});
    et_node(&t, (struct et_node){
                    /* 20 ns of memory */
                    .id = 1,
                    .type = ORR_CHAKRA_COMP,
                    .us = 900,
                    .attr = {{"num_ops", 1000}, {"tensor_size", 2000}}});
    et_node(&t,
            (struct et_node){/* nothing */
                             .id = 2,
                             .type = ORR_CHAKRA_COMP,
                             .us = 900,
                             .attr = {{"num_ops", 1000}, {"tensor_size", 0}}});
    et_close(&t);
    assert_int_equal(play(&f, 1, ""), NS(3020));
    assert_int_equal(sys_of(&f)[0].compute_ps, NS(3020));
    fake_free(&f);
}

static void test_replay(void **state)
{
    struct fake f;
    put("s.json", "{" SYSTEM ", \"replay-only\": true}");
    struct et t = open_rank(0);
    et_node(&t,
            (struct et_node){.id = 0,
                             .type = ORR_CHAKRA_SEND,
                             .us = 3,
                             .attr = {{"comm_dst", 0}, {"comm_size", 1000}}});
    et_node(&t, (struct et_node){.id = 1,
                                 .type = ORR_CHAKRA_COLL,
                                 .us = 4,
                                 .attr = {{"comm_type", ORR_CHAKRA_GATHER},
                                          {"comm_size", 1000}}});
    et_node(&t,
            (struct et_node){.id = 2,
                             .type = ORR_CHAKRA_RECV,
                             .us = 5,
                             .attr = {{"comm_src", 0}, {"comm_size", 1000}}});
    et_node(&t, (struct et_node){.id = 3,
                                 .type = ORR_CHAKRA_COMP,
                                 .us = 6,
                                 .attr = {{"is_cpu_op", 1}}});
    et_close(&t);
    assert_int_equal(play(&f, 1, ""), US(7));
    assert_int_equal(sys_of(&f)[0].compute_ps, US(12));
    fake_free(&f);
}

/* ---- collectives -------------------------------------------------------- */

static void reduce_in(uint32_t ranks, const char *group)
{
    for (uint32_t r = 0; r < ranks; r++) {
        struct et t = open_rank(r);
        et_node(&t,
                (struct et_node){.id = r,
                                 .type = ORR_CHAKRA_COLL,
                                 .attr = {{"comm_type", ORR_CHAKRA_ALL_REDUCE},
                                          {"comm_size", 40000},
                                          {"pg_name", .text = group}}});
        et_close(&t);
    }
}

/* "0" is everyone whatever the file says; so is a group of all in any order,
 * and then the system file's algorithm counts: direct, two steps. */
static void test_groups_of_all(void **state)
{
    struct fake f;
    char keys[200];
    snprintf(keys, sizeof keys, ", groups: %s/g.json", et_folder);
    put("s.json", "{" SYSTEM ", \"all-reduce-implementation\": "
                  "[\"direct\"]}");
    put("g.json", "{\"0\": [0, 1], \"7\": [3, 1, 2, 0], \"8\": [2, 0]}");
    for (int i = 0; i < 2; i++) {
        reduce_in(4, i ? "7" : "0");
        play(&f, 4, keys);
        const struct orr_call *x = &program_of(&f)->call[0];
        assert_int_equal(x->group, ORR_EVERYONE);
        assert_string_equal(x->c.ops->name, "direct");
        fake_free(&f);
    }
    reduce_in(4, "8");
    refused(4, keys, "t.1.et: node 1: this rank is not in the group");
}

/* A place sends what it has to the next, which computes; twice in a row, in
 * groups whose places are not in the order of the ranks. */
static void write_custom(const char *prefix, uint32_t places, uint32_t peer)
{
    char name[40];
    for (uint32_t r = 0; r < places; r++) {
        struct et t;
        snprintf(name, sizeof name, "%s.%u.et", prefix, r);
        et_open(&t, et_path(name), "0.0.4");
        et_node(&t, (struct et_node){.id = 1,
                                     .type = ORR_CHAKRA_SEND,
                                     .attr = {{"comm_dst", (r + 1) % peer},
                                              {"comm_size", 50000},
                                              {"comm_tag", 3}}});
        et_node(&t, (struct et_node){
                        .id = 2,
                        .type = ORR_CHAKRA_RECV,
                        .attr = {{"comm_src", (r + places - 1) % places},
                                 {"comm_size", 50000},
                                 {"comm_tag", 3}}});
        et_node(&t, (struct et_node){.id = 3,
                                     .type = ORR_CHAKRA_COMP,
                                     .us = 2 * r,
                                     .data = {3}});
        et_close(&t);
    }
}

static void test_custom(void **state)
{
    struct fake f;
    char keys[200], system[400];
    snprintf(system, sizeof system,
             "{" SYSTEM ", \"all-reduce-implementation-custom\": [\"%s/own\"]}",
             et_folder);
    snprintf(keys, sizeof keys, ", groups: %s/g.json", et_folder);
    put("s.json", system);
    put("g.json", "{\"1\": [2, 0], \"2\": [1, 3]}");
    write_custom("own", 2, 2);
    for (uint32_t r = 0; r < 4; r++) {
        struct et t = open_rank(r);
        for (uint64_t i = 1; i <= 2; i++)
            et_node(&t, (struct et_node){
                            .id = i,
                            .type = ORR_CHAKRA_COLL,
                            .attr = {{"comm_type", ORR_CHAKRA_ALL_REDUCE},
                                     {"comm_size", 8},
                                     {"pg_name", .text = r % 2 ? "2" : "1"}}});
        et_close(&t);
    }
    play(&f, 4, keys);
    /* places 0 are ranks 2 and 1, whose computation is the shortest there is;
     * places 1 hold them up the second time */
    assert_int_equal(sys_of(&f)[2].finish_ps,
                     2 * wire(&f, 50000) + US(2) + NS(1));
    assert_int_equal(sys_of(&f)[0].finish_ps, sys_of(&f)[3].finish_ps);
    assert_int_equal(sys_of(&f)[0].finish_ps, wire(&f, 50000) + US(4));
    fake_free(&f);
    /* relative names are looked for beside the system file as well */
    put("s.json",
        "{" SYSTEM ", \"all-reduce-implementation-custom\": [\"own\"]}");
    play(&f, 4, keys);
    fake_free(&f);
    put("s.json", "{" SYSTEM ", \"per-node-custom-implementation\": "
                  "\"nodes.yml\"}");
    put("nodes.yml", "2: own\n");
    play(&f, 4, keys);
    assert_int_equal(program_of(&f)->calls, 2);
    fake_free(&f);
    put("nodes.yml", "[own]\n");
    refused(4, keys, "is a map of keys and values, not a list");
    put("nodes.yml", "all: own\n");
    refused(4, keys, "the number of a node and a name are expected");
}

/* A node of a collective that lasts for longer than a run can. */
static void test_long_custom(void **state)
{
    struct fake f;
    int64_t most = 0;
    put("s.json",
        "{" SYSTEM ", \"all-reduce-implementation-custom\": [\"own\"]}");
    reduce_in(1, "");
    struct et t;
    et_open(&t, et_path("own.0.et"), "0.0.4");
    et_node(&t, (struct et_node){
                    .id = 1, .type = ORR_CHAKRA_COMP, .us = UINT64_MAX});
    et_close(&t);
    assert_int_equal(read_job(&f, 1, ""), ORR_OK);
    for (uint32_t i = 0; i < program_of(&f)->ops; i++)
        if (program_of(&f)->op[i].time_ps > most)
            most = program_of(&f)->op[i].time_ps;
    assert_int_equal(most, ORR_HORIZON);
    fake_free(&f);
}

static void test_bad_custom(void **state)
{
    put("s.json",
        "{" SYSTEM ", \"all-reduce-implementation-custom\": [\"own\"]}");
    reduce_in(3, "");
    write_custom("own", 3, 7);
    refused(3, "", "own.2.et: node 1: its peer is not a place in the group");
    write_custom("own", 3, 2);
    refused(3, "",
            "t.1.et: node 1 sends to rank 0 with tag 3, but rank 0 has "
            "no recv for that from rank 1");
    write_custom("own", 3, 1);
    refused(3, "", "own.0.et: node 1: it is a message to itself");
    unlink(et_path("own.2.et"));
    write_custom("own", 2, 3);
    refused(3, "", "own.2.et: ");
    struct et t;
    write_custom("own", 3, 3);
    et_open(&t, et_path("own.1.et"), "0.0.4");
    et_node(&t, (struct et_node){.id = 8, .type = ORR_CHAKRA_MEM_LOAD});
    et_close(&t);
    refused(3, "",
            "own.1.et: node 8: a collective is made of sends, receives "
            "and computations only");
    put("s.json",
        "{" SYSTEM ", \"all-reduce-implementation-custom\": \"own\"}");
    refused(3, "",
            "all-reduce-implementation-custom: a list of one name is "
            "expected");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_turns, et_setup, et_teardown),
        cmocka_unit_test_setup_teardown(test_collective_turns, et_setup,
                                        et_teardown),
        cmocka_unit_test_setup_teardown(test_collectives_that_wait, et_setup,
                                        et_teardown),
        cmocka_unit_test_setup_teardown(test_units, et_setup, et_teardown),
        cmocka_unit_test_setup_teardown(test_roofline, et_setup, et_teardown),
        cmocka_unit_test_setup_teardown(test_replay, et_setup, et_teardown),
        cmocka_unit_test_setup_teardown(test_groups_of_all, et_setup,
                                        et_teardown),
        cmocka_unit_test_setup_teardown(test_custom, et_setup, et_teardown),
        cmocka_unit_test_setup_teardown(test_long_custom, et_setup,
                                        et_teardown),
        cmocka_unit_test_setup_teardown(test_bad_custom, et_setup, et_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
