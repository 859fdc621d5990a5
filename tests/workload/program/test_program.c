/* Programs: the graph that a list becomes, and what is wrong with bad ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs those four first */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "core/memory.h"
#include "core/none.h"
#include "tests/refused.h"
#include "workload/program/program.h"

struct read {
    struct orr_config *c;
    struct orr_program *p;
    struct orr_report why;
};

/* For `ranks` ranks on hosts 0, 1, ... of the graph. */
static orr_err read_on(struct read *r, const struct orr_graph *g,
                       uint32_t ranks, const char *text)
{
    static const uint32_t hosts[] = {0, 1, 2, 3, 4, 5, 6, 7};
    memset(r, 0, sizeof *r);
    orr_err err =
        orr__config_parse("p.yaml", text, strlen(text), &r->c, &r->why);
    assert_int_equal(err, ORR_OK);
    return orr__program_read(r->c,
                             orr__yaml_get(orr__config_root(r->c), "program"),
                             g, hosts, ranks, NULL, &r->p, &r->why);
}

/* Of ranks + 2 hosts, the last two servers if "servers". */
static orr_err read_text(struct read *r, uint32_t ranks, bool servers,
                         const char *text)
{
    uint32_t last[] = {ranks, ranks + 1};
    struct orr_graph g = {.hosts = ranks + 2};
    if (servers)
        g.servers = last, g.n_servers = 2;
    return read_on(r, &g, ranks, text);
}

static void read_free(struct read *r)
{
    orr__program_free(r->p);
    orr__config_free(r->c);
}

static bool depends(const struct orr_program *p, uint32_t before,
                    uint32_t after)
{
    for (uint32_t e = p->next_off[before]; e < p->next_off[before + 1]; e++)
        if (p->next[e] == after)
            return true;
    return false;
}

static void test_items_run_in_order(void **state)
{
    struct read r;
    assert_int_equal(read_text(&r, 4, false,
                               "program:\n"
                               "  - compute: 5us\n"
                               "  - all-reduce: {size: 1MiB}\n"
                               "  - barrier\n"),
                     ORR_OK);
    const struct orr_program *p = r.p;
    assert_int_equal(p->ops, 3);
    assert_int_equal(p->op[0].kind, ORR_OP_COMPUTE);
    assert_int_equal(p->op[0].time_ps, 5000000);
    assert_int_equal(p->op[0].index, ORR_NONE);
    assert_int_equal(p->n_first, 1);
    assert_true(depends(p, 0, 1));
    assert_true(depends(p, 1, 2));
    assert_false(depends(p, 0, 2));
    assert_string_equal(p->call[0].c.ops->name, "ring");
    assert_int_equal(p->call[0].bytes, 1 << 20);
    assert_int_equal(p->call[0].chunks, 1);
    assert_int_equal(p->call[1].bytes, 1);
    assert_string_equal(orr__op_name(p, 2), "barrier");
    read_free(&r);
}

static void test_parallel_joins(void **state)
{
    struct read r;
    assert_int_equal(read_text(&r, 4, false,
                               "program:\n"
                               "  - compute: 1us\n"
                               "  - parallel:\n"
                               "      - [compute: 2us, compute: 3us]\n"
                               "      - compute: 4us\n"
                               "  - compute: 5us\n"),
                     ORR_OK);
    const struct orr_program *p = r.p;
    assert_int_equal(p->ops, 6); /* with the join */
    assert_true(depends(p, 0, 1) && depends(p, 1, 2) && depends(p, 0, 3));
    assert_int_equal(p->op[4].kind, ORR_OP_WAIT);
    assert_true(depends(p, 2, 4) && depends(p, 3, 4) && depends(p, 4, 5));
    assert_int_equal(p->waits[4], 2);
    read_free(&r);
}

static void test_call_keys(void **state)
{
    struct read r;
    assert_int_equal(
        read_text(&r, 8, false,
                  "program:\n"
                  "  - all-reduce: {size: 3KB, algorithm: ring, chunks: 4, "
                  "concurrent: 2, endpoint_delay: 10ns, memory: 50GB/s, "
                  "group: [6, 2, 4], direction: both}\n"
                  "  - broadcast: {size: 1B, root: 5}\n"
                  "  - reduce: {size: 1B, group: [6, 2], root: 2, shape: "
                  "binary, algorithm: tree}\n"),
        ORR_OK);
    const struct orr_call *x = &r.p->call[0];
    assert_int_equal(x->c.n, 3);
    assert_int_equal(x->c.direction, ORR_BOTH);
    assert_int_equal(x->lanes, 2);
    assert_int_equal(x->chunks, 4);
    assert_int_equal(x->concurrent, 2);
    assert_int_equal(x->endpoint_delay_ps, 10000);
    assert_int_equal(x->memory_bps, 400000000000);
    assert_int_equal(orr__call_rank(r.p, x, 1, 0), 2);
    assert_int_equal(orr__call_member(r.p, x, 4), 2);
    assert_int_equal(orr__call_member(r.p, x, 3), UINT32_MAX);
    assert_false(orr__program_runs(r.p, &r.p->op[0], 3));
    assert_true(orr__program_runs(r.p, &r.p->op[0], 6));
    assert_int_equal(r.p->call[1].c.root, 5);
    assert_int_equal(r.p->call[2].c.root, 1);
    assert_int_equal(r.p->call[2].c.shape, ORR_BINARY);
    read_free(&r);
}

static void test_servers(void **state)
{
    static const struct {
        const char *keys;
        bool graph;
        uint32_t n, first, shards;
    } cases[] = {
        {"", false, 1, 0, 1},
        {", group: [3, 1]", false, 1, 3, 1},
        {"", true, 2, 4, 2},
        {", servers: [5, 2, 0], shards: 7", true, 3, 5, 7},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct read r;
        char text[200];
        snprintf(text, sizeof text,
                 "program: [all-reduce: {size: 1MB, algorithm: "
                 "parameter-server%s}]\n",
                 cases[i].keys);
        assert_int_equal(read_text(&r, 4, cases[i].graph, text), ORR_OK);
        assert_int_equal(r.p->servers, cases[i].n);
        assert_int_equal(r.p->server_host[0], cases[i].first);
        assert_int_equal(r.p->call[0].c.shards, cases[i].shards);
        assert_int_equal(r.p->call[0].lanes, cases[i].shards);
        read_free(&r);
    }
}

/* Of a torus of six hosts; dimensions of one rank are left out. */
static void test_grids(void **state)
{
    static const struct {
        uint32_t ranks;
        const char *keys;
        uint32_t n, dim[2], lanes;
    } cases[] = {
        {6, "", 2, {2, 3}, 4},
        {6, ", direction: forward", 2, {2, 3}, 2},
        {6, ", group: [5, 4, 3, 2, 1, 0]", 2, {2, 3}, 4},
        {6, ", dims: [6]", 1, {6, 0}, 2},
        {6, ", dims: [3, 1, 2, 1]", 2, {3, 2}, 4},
        {6, ", dims: [2, 2], group: [0, 2, 3, 5]", 2, {2, 2}, 4},
        {4, ", dims: [4]", 1, {4, 0}, 2},
        {1, ", dims: [1]", 0, {0, 0}, 2},
        {1, ", dims: []", 0, {0, 0}, 2},
    };
    uint32_t dims[] = {2, 1, 3};
    const struct orr_graph g = {.hosts = 6, .dims = dims, .n_dims = 3};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct read r;
        char text[200];
        snprintf(text, sizeof text,
                 "program: [all-reduce: {size: 1MB, algorithm: torus%s}]\n",
                 cases[i].keys);
        assert_int_equal(read_on(&r, &g, cases[i].ranks, text), ORR_OK);
        const struct orr_call *x = &r.p->call[0];
        assert_int_equal(x->lanes, cases[i].lanes);
        assert_int_equal(x->c.n_dims, cases[i].n);
        for (uint32_t d = 0; d < cases[i].n; d++)
            assert_int_equal(x->c.dim[d], cases[i].dim[d]);
        read_free(&r);
    }
}

static void test_groups_are_shared(void **state)
{
    struct read r;
    assert_int_equal(read_text(&r, 4, false,
                               "program:\n"
                               "  - barrier: {group: [2, 1]}\n"
                               "  - barrier: {group: [1, 2]}\n"
                               "  - {compute: 1us, ranks: [2, 1]}\n"
                               "  - barrier: {group: [0, 1, 2, 3]}\n"
                               "  - {compute: 1us, ranks: [3]}\n"),
                     ORR_OK);
    assert_int_equal(r.p->groups, 2);
    assert_int_equal(r.p->op[2].who, r.p->call[0].group);
    assert_int_equal(r.p->call[2].group, ORR_EVERYONE);
    assert_int_equal(r.p->op[4].who, ORR_ONLY | 3);
    read_free(&r);
}

static void test_ranks_that_fit(void **state)
{
    static const struct {
        int64_t ranks[3];
        size_t n, misfit;
        const char *text;
    } rows[] = {
        {{0}, 0, 0, NULL},
        {{2, 0, 1}, 3, 3, NULL},
        {{3}, 1, 0, "there is no rank 3; ranks are 0 to 2"},
        {{-1}, 1, 0, "there is no rank -1; ranks are 0 to 2"},
        {{1, 0, 1}, 3, 2, "rank 1 is listed twice"},
        {{0, INT64_MAX},
         2,
         1,
         "there is no rank 9223372036854775807; ranks are 0 to 2"},
    };
    struct orr_program *p = orr__program_new(3);
    assert_non_null(p);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[ORR_MISFIT];
        size_t at;
        assert_int_equal(
            orr__program_fits(p, rows[i].ranks, rows[i].n, &at, NULL), ORR_OK);
        assert_int_equal(at, rows[i].misfit);
        if (!rows[i].text)
            continue;
        orr__program_misfit(p, rows[i].ranks[at], text);
        assert_string_equal(text, rows[i].text);
    }
    orr__program_free(p);
}

static const struct {
    const char *program; /* from column 1 of line 2 on */
    int line, col;
    const char *message, *hint;
} bad[] = {
    {"- all-reduce: {size: 1MB, algorithm: rign}", 2, 38,
     "all-reduce has no algorithm \"rign\"", "did you mean \"ring\"?"},
    {"- barrier: {algorithm: ring}", 2, 24, "barrier has no algorithm \"ring\"",
     "it has: dissemination"},
    {"- all-reduce: {algorithm: ring}", 2, 15, "all-reduce.size is missing",
     NULL},
    {"- all-reduce:", 2, 3, "all-reduce: a map like {size: 1MiB} is expected",
     ""},
    {"- allreduce: {size: 1MB}", 2, 3,
     "program: unknown operation \"allreduce\"",
     "did you mean \"all-reduce\"?"},
    {"- all-reduce: {size: 1MB, chunks: 0}", 2, 35,
     "all-reduce.chunks: 0 is below the smallest allowed, 1", ""},
    {"- all-reduce: {size: 100}", 2, 22,
     "all-reduce.size: \"100\": a unit is missing", NULL},
    {"- all-reduce: {size: 1MB, group: [0, 2, 0]}", 2, 41,
     "group: rank 0 is listed twice", ""},
    {"- all-reduce: {size: 1MB, group: [0, 4]}", 2, 38,
     "group: there is no rank 4; ranks are 0 to 3", ""},
    {"- all-reduce: {size: 1MB, group: []}", 2, 34, "group is empty", ""},
    {"- broadcast: {size: 1MB, group: [0, 1], root: 2}", 2, 47,
     "broadcast: root 2 is not in the group", ""},
    {"- all-reduce: {size: 1MB, root: 0}", 2, 27,
     "unknown key \"root\" in all-reduce", NULL},
    {"- all-reduce: {size: 1MB, algorithm: direct, direction: both}", 2, 46,
     "unknown key \"direction\" in all-reduce", NULL},
    {"- all-reduce: {size: 1MB, algorithm: parameter-server, servers: "
     "[9]}",
     2, 66, "servers: there is no host 9; hosts are 0 to 5", ""},
    {"- all-reduce: {size: 1MB, algorithm: parameter-server, servers: "
     "[1, 1]}",
     2, 69, "servers: host 1 is listed twice", ""},
    {"- all-reduce: {size: 1MB, algorithm: torus}", 2, 15,
     "all-reduce by torus needs dims here", NULL},
    {"- all-reduce: {size: 1MB, algorithm: torus, dims: [2, 3]}", 2, 51,
     "all-reduce.dims: the product must be 4, as many as ranks take part", ""},
    {"- all-reduce: {size: 1MB, algorithm: torus, dims: [2, 2], group: "
     "[0, 1]}",
     2, 51,
     "all-reduce.dims: the product must be 2, as many as ranks take part", ""},
    {"- all-reduce: {size: 1MB, algorithm: torus, dims: [4294967295, "
     "4294967295, 4294967295]}",
     2, 51,
     "all-reduce.dims: the product must be 4, as many as ranks take part", ""},
    {"- all-reduce: {size: 1MB, algorithm: torus, dims: [4, 0]}", 2, 55,
     "all-reduce.dims: 0 is below the smallest allowed, 1", ""},
    {"- all-gather: {size: 1000000TB}\n- all-gather: {size: 1000000TB}", 0, 0,
     NULL, NULL}, /* fits four ranks */
    {"- {all-reduce: {size: 1MB}, ranks: [0]}", 2, 36,
     "all-reduce takes `group`, not `ranks`", ""},
    {"- send: {to: 3, size: 1MB}", 2, 14,
     "send.to: rank 3 would send to itself",
     "name the ranks with `ranks: [...]`, or with `from`"},
    {"- send: {from: 3, to: 3, size: 1MB}", 2, 23,
     "send.to: rank 3 would send to itself", ""},
    {"- send: {to: +4, size: 1MB}", 2, 14,
     "send.to: +4 of 4 ranks is the rank itself", ""},
    {"- send: {from: 0, to: 4, size: 1MB}", 2, 23,
     "send.to: there is no rank 4; ranks are 0 to 3", ""},
    {"- send: {from: 0, to: x, size: 1MB}", 2, 23,
     "send.to: \"x\" is not a rank; write 3, or +1 for the next one", ""},
    {"- {send: {from: 0, to: 1, size: 1MB}, ranks: [0]}", 2, 46,
     "send: `from` already names the sender", ""},
    {"- {recv: {from: 1}, ranks: [0, 1]}", 2, 17,
     "recv.from: rank 1 would receive from itself", ""},
    {"- {compute: 1us, ranks: [7]}", 2, 26,
     "ranks: there is no rank 7; ranks are 0 to 3", ""},
    {"- {compute: 1us, ranks: 1}", 2, 25,
     "ranks: a list of ranks like [0, 1] is expected", ""},
    {"- compute: 100", 2, 12, NULL, NULL},
    {"- compute: {time: 1us, stream: 256}", 2, 32,
     "compute.stream: 256 is above the largest allowed, 255", ""},
    {"- {compute: 1us, id: a}\n- {compute: 1us, id: a}", 3, 22,
     "id \"a\" is used already", ""},
    {"- {compute: 1us, after: b}\n- {compute: 1us, id: b}", 2, 25,
     "no item before this one has the id \"b\"", ""},
    {"- {compute: 1us, barrier: }", 2, 18,
     "program: \"compute\" and \"barrier\" in one item; begin a new one "
     "with `-`",
     ""},
    {"- ranks: [0]", 2, 3, "program: an item without an operation", ""},
    {"- parallel: []", 2, 13, "parallel: a list of items is expected", ""},
    {"- [compute: 1us]", 2, 3,
     "program: an item like `compute: 1ms` is expected; lists stand "
     "inside `parallel`",
     ""},
    {"[]", 2, 1, "program: a list of operations is expected", ""},
};

static void test_bad_input(void **state)
{
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct read r;
        char text[400];
        snprintf(text, sizeof text, "program:\n%s\n", bad[i].program);
        orr_err err = read_text(&r, 4, false, text);
        if (bad[i].line == 0) {
            assert_int_equal(err, ORR_OK);
            read_free(&r);
            continue;
        }
        assert_refused(err, &r.why,
                       (struct refused){i, bad[i].message, bad[i].hint,
                                        bad[i].line, bad[i].col});
        orr__config_free(r.c);
    }
}

static void test_too_large(void **state)
{
    struct read r;
    assert_int_equal(
        read_text(&r, 8, false, "program:\n- all-gather: {size: 1000000TB}\n"),
        ORR_ECONFIG);
    assert_string_equal(r.why.message, "all-gather.size: too much for 8 ranks");
    orr__config_free(r.c);
}

/* ---- building by hand, as importers do ---------------------------------- */

static void add_op(struct orr_program *p, uint32_t n)
{
    const struct orr_op op = {
        .kind = ORR_OP_COMPUTE, .who = ORR_EVERYONE, .index = ORR_NONE};
    uint32_t id;
    for (uint32_t i = 0; i < n; i++) {
        assert_int_equal(orr__program_add(p, &op, &id, NULL), ORR_OK);
        assert_int_equal(id, i);
    }
}

static void test_circles_are_found(void **state)
{
    struct orr_report why = {0};
    struct orr_program *p = orr__program_new(2);
    assert_non_null(p);
    add_op(p, 4);
    assert_int_equal(orr__program_depend(p, 0, 1, &why), ORR_OK);
    assert_int_equal(orr__program_depend(p, 1, 2, &why), ORR_OK);
    assert_int_equal(orr__program_depend(p, 2, 3, &why), ORR_OK);
    assert_int_equal(orr__program_depend(p, 3, 1, &why), ORR_OK);
    assert_int_equal(orr__program_finish(p, &why), ORR_ECONFIG);
    assert_string_equal(why.message,
                        "dependencies go in a circle: operation 1 (compute) "
                        "waits for itself");
    orr__program_free(p);
}

/* A trace of 100,000 operations with three dependencies each is ready in a
 * fraction of a second: a million a second is asked for. */
static void test_large_graph(void **state)
{
    enum { N = 100000 };
    struct orr_program *p = orr__program_new(2);
    assert_non_null(p);
    clock_t start = clock();
    add_op(p, N);
    for (uint32_t i = 1; i < N; i++)
        for (uint32_t d = 1; d <= 3; d++)
            assert_int_equal(
                orr__program_depend(p, i > d * 7 ? i - d * 7 : 0, i, NULL),
                ORR_OK);
    assert_int_equal(orr__program_finish(p, NULL), ORR_OK);
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 1);
    assert_int_equal(p->n_first, 1);
    assert_int_equal(p->next_off[N], 3 * (N - 1));
    assert_true(sizeof(struct orr_op) <= 32);
    orr__program_free(p);
}

/* Whatever allocation fails, reading says so and leaks nothing. */
static void test_out_of_memory(void **state)
{
    bool read = false;
    for (uint64_t n = 1; !read; n++) {
        struct read r = {0};
        const char *text =
            "program:\n"
            "  - {compute: {time: 1us, jitter: {kind: uniform, spread: 1ns}}, "
            "id: a}\n"
            "  - parallel: [compute: 1us, [barrier: {group: [1, 0]}]]\n"
            "  - {wait: [a]}\n"
            "  - send: {from: 0, to: 1, size: 1MB}\n"
            "  - all-reduce: {size: 1MB, algorithm: parameter-server}\n";
        struct orr_graph g = {.hosts = 4};
        static const uint32_t hosts[] = {0, 1, 2};
        assert_int_equal(
            orr__config_parse("p", text, strlen(text), &r.c, &r.why), ORR_OK);
        orr__memory_fail_after(n, 0);
        orr_err err = orr__program_read(
            r.c, orr__yaml_get(orr__config_root(r.c), "program"), &g, hosts, 3,
            NULL, &r.p, &r.why);
        orr__memory_fail_after(0, 0);
        read = err == ORR_OK;
        if (!read)
            assert_int_equal(err, ORR_ENOMEM);
        read_free(&r);
        assert_true(n < 10000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_items_run_in_order),
        cmocka_unit_test(test_parallel_joins),
        cmocka_unit_test(test_call_keys),
        cmocka_unit_test(test_servers),
        cmocka_unit_test(test_grids),
        cmocka_unit_test(test_groups_are_shared),
        cmocka_unit_test(test_ranks_that_fit),
        cmocka_unit_test(test_bad_input),
        cmocka_unit_test(test_too_large),
        cmocka_unit_test(test_circles_are_found),
        cmocka_unit_test(test_large_graph),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
