#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/stat.h>

#include "tests/topo/small_topology.h"

static const char *const samples[] = {
    "{kind: ring, hosts: 2, links: 2, " LINK "}",
    "{kind: ring, hosts: 5, links: 3, link: {rate: 123456789bps, "
    "delay: 1ps, loss: 0.1}}",
    "{kind: fully-connected, hosts: 6, " LINK "}",
    "{kind: fat-tree, k: 4, oversubscription: 2, " LINK
    ", tiers: {host: {rate: 53.687091200GB/s, loss: 0.3333333333333}, "
    "aggregation: {delay: 1.5us}}}",
    "{kind: torus, dims: [4, 3, 2], " LINK
    ", dimensions: [{rate: 1Tbps}, {}, {delay: 7ps}]}",
    "{kind: torus, dims: [2, 3, 3, 2, 2], " LINK "}",
    "{kind: parameter-server, workers: 7, servers: 3, racks: 4, " LINK "}",
    "{kind: switch, hosts: 4, " LINK "}",
    "{kind: dumbbell, left: 2, right: 5, " LINK "}",
    "{kind: leaf-spine, leaves: 3, spines: 2, hosts_per_leaf: 4, " LINK "}",
    "{kind: dragonfly, h: 1, servers: {gpus: 2, " LINK "}, " LINK "}",
    "{kind: bcube, n: 3, k: 1, " LINK "}",
    "{kind: strides, hosts: 8, degree: 4, links: 2, direction: forward, "
    "matching: [[0, 7], [1, 5]], " LINK "}",
    "{kind: strides, hosts: 5, degree: 2, servers: {gpus: 2, " LINK
    "}, direction: forward, " LINK "}",
    "{kind: switch, hosts: 2, names: [a b, c], " LINK "}",
};

static void assert_same(const struct orr_graph *a, const struct orr_graph *b)
{
    assert_int_equal(a->hosts, b->hosts);
    assert_int_equal(a->nodes, b->nodes);
    assert_int_equal(a->cables, b->cables);
    assert_int_equal(a->n_servers, b->n_servers);
#define SAME(field, n)                                                         \
    if (n)                                                                     \
    assert_memory_equal(a->field, b->field, (n) * sizeof *a->field)
    SAME(from, a->links);
    SAME(to, a->links);
    SAME(rate_bps, a->links);
    SAME(delay_ps, a->links);
    SAME(loss, a->links);
    SAME(out_off, a->nodes + 1);
    SAME(out_link, orr__links_present(a));
    SAME(in_off, a->nodes + 1);
    SAME(in_link, orr__links_present(a));
    SAME(level, a->nodes);
    SAME(forwards, a->nodes);
    SAME(x, a->nodes);
    SAME(y, a->nodes);
    SAME(z, a->nodes);
    SAME(servers, a->n_servers);
    assert_int_equal(a->simplex != NULL, b->simplex != NULL);
    SAME(simplex, a->simplex ? a->cables : 0);
#undef SAME
    for (uint32_t l = 0; l < a->links; l++)
        assert_string_equal(a->tier_names[a->tier[l]],
                            b->tier_names[b->tier[l]]);
}

/* Writes g and reads it back. */
static struct orr_graph *round_trip(const struct orr_graph *g)
{
    struct orr_report why = {.code = ORR_OK};
    char yaml[128], *path = text_file("");
    if (orr__graph_write_graphml(g, path, &why) != ORR_OK)
        fail_msg("%s", why.message);
    snprintf(yaml, sizeof yaml, "{kind: file, file: %s}", path);
    struct orr_graph *back = topology(yaml);
    unlink(path);
    free(path);
    return back;
}

static void every_kind_reads_back(void **state)
{
    for (size_t i = 0; i < COUNT(samples); i++) {
        struct orr_graph *a = topology(samples[i]);
        struct orr_graph *b = round_trip(a);
        struct orr_graph *c = round_trip(b);
        assert_same(a, b);
        assert_same(b, c);
        orr__graph_free(a);
        orr__graph_free(b);
        orr__graph_free(c);
    }
}

/* A file of the user's, with a layout by igraph and levels found. */
static void files_read_back(void **state)
{
    char yaml[128],
        *path = text_file(
            "<graphml><key id=\"t\" for=\"node\" attr.name=\"type\" "
            "attr.type=\"string\"/><graph edgedefault=\"undirected\">"
            "<node id=\"s\"><data key=\"t\">switch</data></node>"
            "<node id=\"a\"><data key=\"t\">host</data></node>"
            "<node id=\"b\"><data key=\"t\">host</data></node>"
            "<node id=\"c\"><data key=\"t\">host</data></node>"
            "<edge source=\"a\" target=\"s\"/><edge source=\"s\" target=\"b\"/>"
            "<edge source=\"c\" target=\"s\"/><edge source=\"a\" target=\"s\"/>"
            "</graph></graphml>");
    snprintf(yaml, sizeof yaml, "{kind: file, file: %s, " LINK "}", path);
    struct orr_graph *a = topology(yaml), *b = round_trip(a);
    assert_same(a, b);
    for (uint32_t v = 1; v < a->nodes; v++) /* not all in one place */
        assert_true(a->x[v] != a->x[0] || a->y[v] != a->y[0]);
    orr__graph_free(a);
    orr__graph_free(b);
    unlink(path);
    free(path);
}

typedef orr_err (*write_fn)(const struct orr_graph *g, const char *path,
                            struct orr_report *why);

static void failures_are_told_and_leave_nothing(void **state)
{
    static const write_fn write[] = {orr__graph_write_graphml,
                                     orr__graph_write_dot};
    struct orr_graph *g = topology("{kind: fat-tree, k: 4, " LINK "}");
    char folder[] = "/tmp/orrery-test-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/g", folder);
    for (size_t i = 0; i < COUNT(write); i++) {
        struct orr_report why = {.code = ORR_OK};
        assert_int_equal(write[i](g, "/dev/full", &why), ORR_EIO);
        assert_string_equal(why.message, "cannot write /dev/full: No space "
                                         "left on device");
        why = (struct orr_report){.code = ORR_OK};
        assert_int_equal(symlink("/dev/full", path), 0);
        assert_int_equal(write[i](g, path, &why), ORR_EIO);
        assert_non_null(strstr(why.message, "/g: No space left on device"));
        assert_int_equal(unlink(path), 0);
        why = (struct orr_report){.code = ORR_OK};
        assert_int_equal(write[i](g, "/nowhere/g", &why), ORR_EIO);
        assert_string_equal(why.message,
                            "cannot write /nowhere/g: No such file or "
                            "directory");
        why = (struct orr_report){.code = ORR_OK};
        assert_int_equal(write[i](g, folder, &why), ORR_EIO);
        assert_non_null(strstr(why.message, "Is a directory"));
    }
    assert_int_equal(rmdir(folder), 0);
    orr__graph_free(g);
}

static void dot_is_complete(void **state)
{
    static const char want[] =
        "graph \"switch\" {\n"
        "  graph [layout=neato, inputscale=72, overlap=true];\n"
        "  node [style=filled, fontsize=9, margin=\"0.03,0.02\", "
        "width=0.5, height=0.25];\n"
        "  edge [fontsize=8];\n"
        "  0 [label=\"host 0\", shape=ellipse, fillcolor=\"white\", "
        "pos=\"0,128!\"];\n"
        "  1 [label=\"host 1\", shape=ellipse, fillcolor=\"white\", "
        "pos=\"0,-128!\"];\n"
        "  2 [label=\"switch 2\", shape=box, fillcolor=\"#dbe9f6\", "
        "pos=\"0,0!\"];\n"
        "  0 -- 2 [label=\"100Gbps 500ns\", color=\"#606060\", loss=0.5];\n"
        "  1 -- 2 [label=\"100Gbps 500ns\", color=\"#606060\", loss=0.5];\n"
        "}\n";
    struct orr_graph *g = topology("{kind: switch, hosts: 2, link: {rate: "
                                   "100Gbps, delay: 500ns, loss: 0.5}}");
    struct orr_report why = {.code = ORR_OK};
    char text[1024] = "", *path = text_file("");
    assert_int_equal(orr__graph_write_dot(g, path, &why), ORR_OK);
    FILE *f = fopen(path, "r");
    assert_true(fread(text, 1, sizeof text - 1, f) > 0);
    fclose(f);
    assert_string_equal(text, want);
    orr__graph_free(g);
    unlink(path);
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_reads_back),
        cmocka_unit_test(files_read_back),
        cmocka_unit_test(failures_are_told_and_leave_nothing),
        cmocka_unit_test(dot_is_complete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
