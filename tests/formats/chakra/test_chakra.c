/* Chakra traces: every type of node, what ranks share, what must be refused,
 * and that what is written reads back the same. */
#include <stdlib.h>

#include "formats/chakra/chakra.h"
#include "formats/source.h"
#include "tests/formats/traces.h"
#include "workload/rank/rank.h"

#define US(x) ((int64_t)(x)*ORR_US)
#define COMM(type, size)                                                       \
    {"comm_type", type},                                                       \
    {                                                                          \
        "comm_size", size                                                      \
    }

static orr_err read_job(struct fake *f, uint32_t ranks, const char *keys)
{
    char job[600];
    snprintf(job, sizeof job,
             "  - {ranks: %u, trace: {format: chakra, path: %s/t%s}}\n", ranks,
             et_folder, keys);
    return fake_read(f, ranks, job);
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

/* ---- nodes -------------------------------------------------------------- */

/* Rank 0 computes, sends, and both reduce; rank 1 receives. */
static void two_ranks(void)
{
    struct et t;
    unlink(et_path("t.2.et"));
    unlink(et_path("t.3.et"));
    et_open(&t, et_path("t.0.et"), "0.0.4");
    et_node(&t, (struct et_node){.id = 10, .type = ORR_CHAKRA_COMP, .us = 5});
    et_node(&t, (struct et_node){.id = 11,
                                 .type = ORR_CHAKRA_SEND,
                                 .data = {11},
                                 .attr = {{"comm_dst", 1, .narrow = true},
                                          {"comm_size", 50000},
                                          {"comm_tag", 7, .narrow = true}}});
    et_node(&t,
            (struct et_node){.id = 12,
                             .type = ORR_CHAKRA_COLL,
                             .control = {12},
                             .attr = {COMM(ORR_CHAKRA_ALL_REDUCE, 100000)}});
    et_node(&t,
            (struct et_node){
                .id = 13, .type = ORR_CHAKRA_MEM_LOAD, .us = 2, .data = {13}});
    et_close(&t);
    et_open(&t, et_path("t.1.et"), "0.0.4");
    et_node(&t, (struct et_node){.id = 0,
                                 .type = ORR_CHAKRA_RECV,
                                 .attr = {{"comm_src", 0},
                                          {"comm_size", 50000},
                                          {"comm_tag", 7}}});
    et_node(&t,
            (struct et_node){.id = 1,
                             .type = ORR_CHAKRA_COLL,
                             .data = {1},
                             .attr = {COMM(ORR_CHAKRA_ALL_REDUCE, 100000)}});
    et_node(&t, (struct et_node){
                    .id = 2, .type = ORR_CHAKRA_METADATA, .data = {2}});
    et_node(&t,
            (struct et_node){.id = 3, .type = ORR_CHAKRA_INVALID, .data = {3}});
    et_close(&t);
}

static int64_t wire(const struct fake *f, uint64_t bytes)
{
    return orr__serialisation(bytes, f->net.rate_bps) + f->net.latency_ps;
}

static void test_every_type(void **state)
{
    struct fake f;
    two_ranks();
    int64_t end = play(&f, 2, "");
    /* rank 1 enters the all-reduce last, and its second piece is on the way
     * before its first is there */
    assert_int_equal(end, US(5) + 2 * wire(&f, 50000)
                              + orr__serialisation(50000, f.net.rate_bps)
                              + US(2));
    const struct orr_team *t = f.w.jobs[0].team;
    const struct orr_trace_info *trace = orr__trace_of(&f.w.jobs[0]);
    assert_int_equal(trace->nodes, 8);
    assert_int_equal(trace->by_type[ORR_CHAKRA_COLL], 2);
    assert_int_equal(trace->by_type[ORR_CHAKRA_MEM_LOAD], 1);
    assert_int_equal(trace->collectives, 1);
    assert_int_equal(trace->collective_bytes, 100000);
    assert_int_equal(trace->sends, 1);
    assert_int_equal(trace->critical_ps, US(7));
    assert_int_equal(trace->critical_nodes, 4);
    assert_int_equal(t->program->parts, 2);
    assert_int_equal(t->program->calls, 1);
    fake_free(&f);
}

/* The three units: a unit does one thing at a time, the lowest node first. */
static void test_units(void **state)
{
    struct et t;
    struct fake f;
    et_open(&t, et_path("t.0.et"), "0.0.4");
    et_node(&t, (struct et_node){.id = 0, .type = ORR_CHAKRA_COMP, .us = 3});
    et_node(&t, (struct et_node){.id = 1, .type = ORR_CHAKRA_COMP, .us = 4});
    et_node(&t, (struct et_node){.id = 2,
                                 .type = ORR_CHAKRA_COMP,
                                 .us = 5,
                                 .attr = {{"is_cpu_op", 1}}});
    et_node(&t, (struct et_node){.id = 3,
                                 .type = ORR_CHAKRA_COMP,
                                 .us = 6,
                                 .attr = {{"is_cpu_op", 1}}});
    et_node(&t, (struct et_node){
                    .id = 5, .type = ORR_CHAKRA_COMP, .us = 50, .data = {1}});
    et_node(&t, (struct et_node){
                    .id = 4, .type = ORR_CHAKRA_COMP, .us = 1, .data = {1}});
    et_close(&t);
    assert_int_equal(play(&f, 1, ""), US(3 + 4 + 50 + 1));
    fake_free(&f);
}

static void test_roofline(void **state)
{
    struct et t;
    struct fake f;
    et_open(&t, et_path("t.0.et"), "0.0.4");
    et_node(&t, (struct et_node){
                    .id = 0,
                    .type = ORR_CHAKRA_COMP,
                    .us = 3,
                    .attr = {{"num_ops", 8000000}, {"tensor_size", 1000}}});
    et_node(&t, (struct et_node){
                    .id = 1,
                    .type = ORR_CHAKRA_COMP,
                    .us = 3,
                    .data = {1},
                    .attr = {{"num_ops", 8000}, {"tensor_size", 1000000}}});
    et_close(&t);
    assert_int_equal(play(&f, 1, ""), US(6));
    assert_int_equal(orr__trace_of(&f.w.jobs[0])->critical_ps, US(6));
    fake_free(&f);
    /* 8e6 at 2e12/s: 4 us; 1e6 bytes at 1e11/s: 10 us */
    assert_int_equal(play(&f, 1, ", peak_tflops: 2, tensor_rate: 100GB/s"),
                     US(14));
    /* the longest chain is of what they take, not of what is recorded */
    assert_int_equal(orr__trace_of(&f.w.jobs[0])->critical_ps, US(14));
    assert_int_equal(orr__trace_of(&f.w.jobs[0])->critical_nodes, 2);
    fake_free(&f);
}

/* ---- ranks -------------------------------------------------------------- */

static void coll_file(const char *name, uint64_t bytes, const char *group)
{
    struct et t;
    et_open(&t, et_path(name), "0.0.4");
    et_node(&t, (struct et_node){
                    .id = 1,
                    .type = ORR_CHAKRA_COLL,
                    .attr = {COMM(ORR_CHAKRA_ALL_REDUCE, (int64_t)bytes),
                             {group ? "pg_name" : "is_cpu_op", 0, group}}});
    et_close(&t);
}

static void test_ranks_share(void **state)
{
    struct fake f;
    for (int i = 0; i < 4; i++) {
        char name[16];
        snprintf(name, sizeof name, "t.%d.et", i);
        coll_file(name, 40000, NULL);
    }
    int64_t end = play(&f, 4, "");
    assert_int_equal(end, 6 * wire(&f, 10000));
    const struct orr_team *t = f.w.jobs[0].team;
    assert_int_equal(t->program->parts, 1);
    assert_int_equal(t->program->ops, 1);
    fake_free(&f);
    refused(8, "", "t.4.et is missing, but the job has 8 ranks");
    end = play(&f, 8, ", replicate: true");
    assert_int_equal(end, 14 * wire(&f, 5000));
    fake_free(&f);
    end = play(&f, 4, ".0.et, algorithm: direct");
    assert_int_equal(
        end,
        2 * (3 * orr__serialisation(10000, f.net.rate_bps) + f.net.latency_ps));
    fake_free(&f);
}

/* A pair of ranks, thrice: messages stay within the pair. */
static void test_replicated_messages(void **state)
{
    struct fake f;
    two_ranks();
    play(&f, 6, ", replicate: true");
    assert_int_equal(f.net.bytes, 3 * 50000 + 6 * 10 * 16666 + 2 * 5 * 4);
    fake_free(&f);
}

static void test_groups(void **state)
{
    struct fake f;
    FILE *g = fopen(et_path("groups.json"), "w");
    fprintf(g, "{\"7\": [0, 2], \"8\": [1, 3]}");
    fclose(g);
    coll_file("t.0.et", 40000, "7");
    coll_file("t.1.et", 40000, "8");
    coll_file("t.2.et", 40000, "7");
    coll_file("t.3.et", 40000, "8");
    char keys[200];
    snprintf(keys, sizeof keys, ", groups: %s", et_path("groups.json"));
    int64_t end = play(&f, 4, keys);
    assert_int_equal(end, 2 * wire(&f, 20000));
    const struct orr_team *t = f.w.jobs[0].team;
    assert_int_equal(t->program->calls, 2);
    fake_free(&f);
    coll_file("t.3.et", 40000, "7");
    refused(4, keys, "node 1 is a collective of a group that rank 3 is not in");
}

/* Which rank of a group it is that cannot be. */
static void test_bad_groups(void **state)
{
    static const struct {
        const char *groups, *message;
    } rows[] = {
        {"{\"7\": [0, 1, 0]}", "group \"7\": rank 0 is listed twice"},
        {"{\"7\": [0, 2]}",
         "group \"7\": there is no rank 2; ranks are 0 to 1"},
        {"{\"7\": [0, -1]}",
         "group \"7\": there is no rank -1; ranks are 0 to 1"},
        {"{\"7\": [0, 0.5]}", "group \"7\": ranks are whole numbers"},
        {"{\"7\": [0, \"1\"]}", "group \"7\": ranks are whole numbers"},
    };
    char keys[200];
    snprintf(keys, sizeof keys, ", groups: %s", et_path("bad.json"));
    coll_file("t.0.et", 40000, "7");
    coll_file("t.1.et", 40000, "7");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        FILE *g = fopen(et_path("bad.json"), "w");
        assert_non_null(g);
        fputs(rows[i].groups, g);
        fclose(g);
        refused(2, keys, rows[i].message);
    }
}

/* A metadata node may define the groups. */
static void test_groups_in_metadata(void **state)
{
    Orr__ChakraValues v = ORR__CHAKRA_VALUES__INIT;
    uint8_t packed[300];
    struct fake f;
    v.values = (char *)"[[{\"pg_name\": \"a\", \"ranks\": [1, 0]}, "
                       "{\"pg_name\": \"b\", \"ranks\": []}]]";
    for (int r = 0; r < 3; r++) {
        struct et t;
        char name[16];
        Orr__ChakraNode m = ORR__CHAKRA_NODE__INIT;
        snprintf(name, sizeof name, "t.%d.et", r);
        et_open(&t, et_path(name), "0.0.4");
        m.has_id = m.has_type = m.has_inputs = true;
        m.type = ORR_CHAKRA_METADATA;
        m.inputs.data = packed;
        m.inputs.len = orr__chakra_values__pack(&v, packed);
        et_put(&t, &m.base);
        et_node(&t, (struct et_node){.id = 1,
                                     .type = ORR_CHAKRA_COLL,
                                     .attr = {COMM(ORR_CHAKRA_ALL_REDUCE, 300),
                                              {"pg_name", 0, "b"}}});
        if (r < 2)
            et_node(&t,
                    (struct et_node){.id = 2,
                                     .type = ORR_CHAKRA_COLL,
                                     .data = {2},
                                     .attr = {COMM(ORR_CHAKRA_BROADCAST, 500),
                                              {"pg_name", 0, "a"},
                                              {"root", 1}}});
        et_close(&t);
    }
    play(&f, 3, "");
    assert_int_equal(f.net.bytes, 4 * 300 + 500);
    fake_free(&f);
}

/* In PyTorch's traces control dependencies say who called whom. */
static void test_control(void **state)
{
    struct fake f;
    for (int i = 0; i < 2; i++) {
        struct et t;
        et_open(&t, et_path("t.0.et"), i ? NULL : "0.0.4");
        et_node(&t, (struct et_node){.id = 1,
                                     .type = ORR_CHAKRA_COMP,
                                     .us = 1,
                                     .control = {3, 100}});
        et_node(&t,
                (struct et_node){
                    .id = 2, .type = ORR_CHAKRA_COMP, .us = 1, .data = {2}});
        et_close(&t);
        if (i == 0) {
            refused(1, "", "t.0.et: dependencies go in a circle: node 1");
            continue;
        }
        assert_int_equal(play(&f, 1, ""), US(2));
        assert_int_equal(orr__trace_of(&f.w.jobs[0])->ignored_control, 2);
        fake_free(&f);
        refused(1, ", control: counts", "circle");
    }
}

/* ---- what is refused ---------------------------------------------------- */

static void test_mismatches(void **state)
{
    two_ranks();
    struct et t;
    et_open(&t, et_path("t.1.et"), "0.0.4");
    et_node(&t,
            (struct et_node){.id = 1,
                             .type = ORR_CHAKRA_COLL,
                             .attr = {COMM(ORR_CHAKRA_ALL_REDUCE, 100000)}});
    et_close(&t);
    refused(2, "",
            "t.0.et: node 11 sends to rank 1 with tag 7, but rank 1 "
            "has no recv for that from rank 0");
    et_open(&t, et_path("t.0.et"), "0.0.4");
    et_node(&t, (struct et_node){.id = 3,
                                 .type = ORR_CHAKRA_RECV,
                                 .attr = {{"comm_src", 1}}});
    et_close(&t);
    refused(2, "",
            "t.0.et: node 3 receives from rank 1 with tag 0, but rank "
            "1 has no send for that to rank 0");
    coll_file("t.0.et", 100000, NULL);
    coll_file("t.1.et", 200000, NULL);
    refused(2, "",
            "t.1.et: node 1 (the same kind of 200000 bytes) does not "
            "match node 1 of ");
    et_open(&t, et_path("t.1.et"), "0.0.4");
    et_node(&t, (struct et_node){.id = 3, .type = ORR_CHAKRA_COMP});
    et_close(&t);
    refused(2, "",
            "t.0.et: node 1 is all-reduce over 2 ranks, but only 1 of "
            "them come to it");
}

static void one_node(struct et_node n)
{
    struct et t;
    et_open(&t, et_path("t.0.et"), "0.0.4");
    et_node(&t, n);
    et_close(&t);
}

static void test_bad_nodes(void **state)
{
    one_node((struct et_node){.id = 4, .type = ORR_CHAKRA_SEND});
    refused(1, "", "node 4: a send without comm_dst");
    one_node((struct et_node){
        .id = 4, .type = ORR_CHAKRA_SEND, .attr = {{"comm_dst", 9}}});
    refused(1, "", "node 4: there is no rank 9 to send to");
    one_node((struct et_node){
        .id = 4, .type = ORR_CHAKRA_SEND, .attr = {{"comm_dst", 0}}});
    refused(1, "", "node 4: rank 0 sends to itself");
    one_node((struct et_node){.id = 4, .type = ORR_CHAKRA_COLL});
    refused(1, "", "node 4: a collective without comm_type");
    one_node((struct et_node){
        .id = 4, .type = ORR_CHAKRA_COLL, .attr = {{"comm_type", 0}}});
    refused(1, "", "node 4: a collective without comm_size");
    one_node((struct et_node){
        .id = 4, .type = ORR_CHAKRA_COLL, .attr = {{"comm_type", 77}}});
    refused(1, "", "node 4: comm_type: there is no such collective");
    one_node((struct et_node){.id = 4, .type = 12});
    refused(1, "", "node 4: a type that this version");
    one_node((struct et_node){.id = 4, .type = ORR_CHAKRA_COMP, .data = {78}});
    refused(1, "", "node 4 depends on node 77, which does not exist");
    one_node((struct et_node){
        .id = 4, .type = ORR_CHAKRA_COMP, .attr = {{"comm_size", -5}}});
    refused(1, "", "node 4: comm_size: a number from 0 on is expected");
    struct et t;
    et_open(&t, et_path("t.0.et"), "0.0.4");
    et_node(&t, (struct et_node){.id = 4, .type = ORR_CHAKRA_COMP});
    et_node(&t, (struct et_node){.id = 4, .type = ORR_CHAKRA_COMP});
    et_close(&t);
    refused(1, "", "node 4: there are two nodes with this id");
}

static void bytes(const char *b, size_t n)
{
    FILE *f = fopen(et_path("t.0.et"), "wb");
    assert_int_equal(fwrite(b, 1, n, f), n);
    fclose(f);
}
#define BYTES(b) bytes(b, sizeof b - 1)

static void test_damage(void **state)
{
    struct et t;
    BYTES("");
    refused(1, "", "there are no nodes in it");
    BYTES("\x07\x0a\x05"
          "0.0.4");
    refused(1, "", "there are no nodes in it");
    BYTES("\x07\x0a\x05"
          "0.0.4\xff\xff\xff\xff\xff\xff");
    refused(1, "", "message 1 has no sensible length");
    BYTES("\x07\x0a\x05"
          "0.0.4\xff\xff\xff\x0f");
    refused(1, "", "truncated: message 1 should have 33554431 bytes");
    BYTES("\x07\x0a\x05"
          "0.0.4\x03\x0a\x7f\x01");
    refused(1, "", "message 1 is not a node");
    BYTES("\x07\x0a\x05"
          "9.9.9\x02\x08\x01");
    refused(1, "", "version 9.9.9 of the format is not known");
    BYTES("MICRO\n1\n");
    refused(1, "", "t.0.et: ");
    et_open(&t, et_path("t.0.et"), "0.0.4");
    et_node(&t, (struct et_node){.id = 4, .type = ORR_CHAKRA_COMP});
    et_close(&t);
    assert_int_equal(truncate(et_path("t.0.et"), 14), 0);
    refused(1, "", "truncated: message 1");
}

/* ---- deadlock ----------------------------------------------------------- */

/* Two ranks wait for one another's message: there is no circle within either,
 * and the run says who waits. */
static void test_deadlock(void **state)
{
    struct fake f;
    for (int r = 0; r < 2; r++) {
        struct et t;
        char name[16];
        snprintf(name, sizeof name, "t.%d.et", r);
        et_open(&t, et_path(name), "0.0.4");
        et_node(&t, (struct et_node){.id = 20,
                                     .type = ORR_CHAKRA_RECV,
                                     .attr = {{"comm_src", 1 - r}}});
        et_node(&t, (struct et_node){
                        .id = 21,
                        .type = ORR_CHAKRA_SEND,
                        .data = {21},
                        .attr = {{"comm_dst", 1 - r}, {"comm_size", 5}}});
        et_close(&t);
    }
    assert_int_equal(read_job(&f, 2, ""), ORR_OK);
    fake_go(&f);
    assert_int_equal(orr__jobs_close(&f.w, &f.why), ORR_ERUN);
    if (!strstr(f.why.message, "(recv, node 20)"))
        print_error("%s\n", f.why.message);
    assert_non_null(strstr(f.why.message,
                           "2 ranks wait: job0: rank 0 in iteration 0 waits "
                           "for a message with tag 0 from rank 1 (recv, node "
                           "20)"));
    fake_free(&f);
}

/* ---- writing ------------------------------------------------------------ */

static void test_written_reads_back(void **state)
{
    static const char program[] =
        "  - {ranks: 4, program: [compute: 7us, {send: {to: +1, size: "
        "5000B, tag: 3}, id: s}, {recv: {from: -1, tag: 3}, after: []}, "
        "{wait: [s]}, all-reduce: {size: 40000B}, "
        "all-gather: {size: 900B, group: [1, 3]}, barrier]}\n";
    struct fake a, b;
    orr_err err = fake_read(&a, 4, program);
    if (err)
        print_error("%s\n", a.why.message);
    assert_int_equal(err, ORR_OK);
    const struct orr_team *t = a.w.jobs[0].team;
    for (uint32_t r = 0; r < 4; r++) {
        char name[16];
        snprintf(name, sizeof name, "t.%u.et", r);
        assert_int_equal(
            orr__chakra_write(t->program, r, et_path(name), &a.why), ORR_OK);
    }
    assert_int_equal(
        orr__chakra_write_groups(t->program, et_path("g.json"), &a.why),
        ORR_OK);
    fake_go(&a);
    assert_int_equal(orr__jobs_close(&a.w, &a.why), ORR_OK);
    char keys[200];
    snprintf(keys, sizeof keys, ", groups: %s", et_path("g.json"));
    assert_int_equal(play(&b, 4, keys), a.w.jobs[0].finish_ps);
    assert_int_equal(b.net.bytes, a.net.bytes);
    assert_int_equal(b.net.messages, a.net.messages);
    fake_free(&a);
    fake_free(&b);
}

/* The bytes that ASTRA-sim's feeder looks for: is_cpu_op a bool (field 27),
 * comm_type and comm_size int64 (9), comm_src, comm_dst and comm_tag int32
 * (7), pg_name a text (29) that is a number; dependencies packed (5). */
static void assert_holds(const uint8_t *file, size_t size, const char *bytes,
                         size_t n)
{
    for (size_t i = 0; i + n <= size; i++)
        if (!memcmp(file + i, bytes, n))
            return;
    fail_msg("not in the file");
}
#define HOLDS(text) assert_holds(file, size, text, sizeof text - 1)

static void test_encoding(void **state)
{
    static const char program[] =
        "  - {ranks: 4, program: [{compute: 2500ns}, {send: {to: +1, size: "
        "300B, tag: 5}, id: s}, {recv: {from: -1, tag: 5}, after: []}, "
        "{wait: [s]}, {all-gather: {size: 7B, group: [3, 1]}}, {all-gather: "
        "{size: 7B, group: [0, 2]}}]}\n";
    static uint8_t file[4096];
    struct fake a;
    assert_int_equal(fake_read(&a, 4, program), ORR_OK);
    const struct orr_program *p = a.w.jobs[0].team->program;
    assert_int_equal(orr__chakra_write(p, 1, et_path("t.1.et"), &a.why),
                     ORR_OK);
    FILE *f = fopen(et_path("t.1.et"), "rb");
    assert_non_null(f);
    size_t size = fread(file, 1, sizeof file, f);
    fclose(f);
    assert_true(size > 0 && size < sizeof file);
    /* the head: version "0.0.4" first */
    assert_memory_equal(file + 1,
                        "\x0a\x05"
                        "0.0.4",
                        7);
    /* node 0: id 0, type 4, 3 us (2.5 rounded), and what it was */
    HOLDS("\x08\x00\x12\x07"
          "compute\x18\x04");
    HOLDS("\x38\x03");
    HOLDS("\x0a\x0b"
          "duration_ps\x48\xa0\xcb\x98\x01");
    /* node 1: a send, after node 0 */
    HOLDS("\x08\x01\x12\x04"
          "send\x18\x05"
          "*\x01\x00");
    HOLDS("\x52\x0e\x0a\x09"
          "is_cpu_op\xd8\x01\x00");
    HOLDS("\x52\x0e\x0a\x09"
          "comm_size\x48\xac\x02");
    HOLDS("\x52\x0c\x0a\x08"
          "comm_src\x38\x01");
    HOLDS("\x52\x0c\x0a\x08"
          "comm_dst\x38\x02");
    HOLDS("\x52\x0c\x0a\x08"
          "comm_tag\x38\x05");
    /* node 2: its recv, from rank 0 */
    HOLDS("recv\x18\x06");
    HOLDS("recv\x18\x06\x52\x0e\x0a\x09"
          "is_cpu_op\xd8\x01\x00\x52\x0e\x0a"
          "\x09"
          "comm_size\x48\xac\x02");
    HOLDS("\x52\x0c\x0a\x08"
          "comm_src\x38\x00");
    HOLDS("\x52\x0c\x0a\x08"
          "comm_dst\x38\x01");
    /* node 3 joins; node 4 waits for what it joins */
    HOLDS("\x08\x03\x12\x04wait\x18\x00"
          "*");
    HOLDS("\x08\x04\x12\x0a"
          "all-gather\x18\x07"
          "*\x02\x01\x02");
    HOLDS("\x52\x0d\x0a\x09"
          "comm_type\x48\x02");
    HOLDS("\x52\x0d\x0a\x09"
          "comm_size\x48\x07");
    HOLDS("\x52\x0d\x0a\x07"
          "pg_name\xea\x01\x01\x31");
    char text[200];
    assert_int_equal(orr__chakra_write_groups(p, et_path("g.json"), &a.why),
                     ORR_OK);
    f = fopen(et_path("g.json"), "r");
    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    assert_string_equal(text, "{\n  \"1\": [3, 1],\n  \"2\": [0, 2]\n}\n");
    fake_free(&a);
}

/* A join of many for many stays a node, and is one again when read. */
static void test_large_join(void **state)
{
    enum { SIDE = 66 };
    static char program[SIDE * 160 + 200];
    struct fake a, b;
    char *at = program + sprintf(program, "  - {ranks: 1, program: [");
    for (int i = 0; i < SIDE; i++)
        at += sprintf(at,
                      "{compute: {time: %dns, stream: %d}, id: a%d, "
                      "after: []}, ",
                      10 + i, i, i);
    at += sprintf(at, "{wait: [");
    for (int i = 0; i < SIDE; i++)
        at += sprintf(at, "%sa%d", i ? ", " : "", i);
    at += sprintf(at, "], id: w}");
    for (int i = 0; i < SIDE; i++)
        at += sprintf(at, ", {compute: {time: %dns, stream: %d}, after: [w]}",
                      10 + i, i);
    sprintf(at, "]}\n");
    orr_err err = fake_read(&a, 1, program);
    if (err)
        print_error("%s\n", a.why.message);
    assert_int_equal(err, ORR_OK);
    const struct orr_team *t = a.w.jobs[0].team;
    assert_int_equal(
        orr__chakra_write(t->program, 0, et_path("t.0.et"), &a.why), ORR_OK);
    fake_go(&a);
    assert_int_equal(orr__jobs_close(&a.w, &a.why), ORR_OK);
    assert_int_equal(play(&b, 1, ""), a.w.jobs[0].finish_ps);
    assert_int_equal(a.w.jobs[0].finish_ps, ORR_NS * 2 * (10 + SIDE - 1));
    t = b.w.jobs[0].team;
    assert_int_equal(t->program->ops, 2 * SIDE + 1);
    assert_int_equal(t->program->op[SIDE].kind, ORR_OP_WAIT);
    assert_int_equal(t->program->waits[SIDE], SIDE);
    assert_int_equal(t->program->waits[SIDE + 1], 1);
    fake_free(&a);
    fake_free(&b);
}

static void test_memory_runs_out(void **state)
{
    struct fake f;
    two_ranks();
    assert_int_equal(read_job(&f, 2, ""), ORR_OK);
    fake_free(&f);
    struct orr_chakra c;
    struct orr_report why;
    for (uint64_t n = 1;; n++) {
        why = (struct orr_report){0};
        orr__memory_fail_after(n, 1);
        orr_err err =
            orr__chakra_load(et_path("t.0.et"), ORR_CHAKRA_AUTO, &c, &why);
        orr__memory_fail_after(0, 0);
        orr__chakra_fini(&c);
        if (!err) {
            assert_true(n > 5);
            break;
        }
        assert_int_not_equal(why.code, ORR_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_type),
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_roofline),
        cmocka_unit_test(test_ranks_share),
        cmocka_unit_test(test_replicated_messages),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_bad_groups),
        cmocka_unit_test(test_groups_in_metadata),
        cmocka_unit_test(test_control),
        cmocka_unit_test(test_mismatches),
        cmocka_unit_test(test_bad_nodes),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_deadlock),
        cmocka_unit_test(test_written_reads_back),
        cmocka_unit_test(test_encoding),
        cmocka_unit_test(test_large_join),
        cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, et_setup, et_teardown);
}
