#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/topo/small_topology.h"

/* What users get wrong, and every word they are told. */
static const struct {
    const char *yaml;
    int col; /* of line 1 */
    const char *message, *hint; /* the message: at least its beginning */
} bad[] = {
    { "{hosts: 4}", 11, "topology.kind is missing", "" },
    { "{kind: rings, hosts: 4, " LINK "}", 18,
      "topology.kind: there is no topology \"rings\"",
      "did you mean \"ring\"?" },
    { "{kind: fat_tree, k: 4, " LINK "}", 18,
      "topology.kind: there is no topology \"fat_tree\"",
      "did you mean \"fat-tree\"?" },
    { "{kind: hypercube, hosts: 4, " LINK "}", 18,
      "topology.kind: there is no topology \"hypercube\"",
      "`orrery list topologies` shows what there is" },
    { "{kind: ring, hosts: 4}", 11, "topology.link is missing", NULL },
    { "{kind: ring, hosts: 4, link: {rate: 1Gbps}}", 40,
      "topology.link.delay is missing", NULL },
    { "{kind: ring, hosts: 4, link: {delay: 1ns}}", 40,
      "topology.link.rate is missing", NULL },
    { "{kind: ring, hosts: 4, link: {rate: 1Gbps, delay: 0ns}}", 61,
      "topology.link.delay is 0: every link needs a propagation delay > 0",
      "the shortest delay is the step in which nodes are simulated side by "
      "side; a metre of fibre is 5ns" },
    { "{kind: ring, hosts: 4, link: {rate: 400, delay: 1ns}}", 47,
      "topology.link.rate: \"400\": a unit is missing", NULL },
    { "{kind: ring, hosts: 4, link: {rate: 1Gbps, delay: 500}}", 61,
      "topology.link.delay: \"500\": a unit is missing", NULL },
    { "{kind: ring, hosts: 4, link: {rate: 0Gbps, delay: 1ns}}", 47,
      "topology.link.rate: 0Gbps is below the smallest allowed, 1bps", NULL },
    { "{kind: ring, hosts: 4, link: {rate: 1Gbps, delay: 1ns, loss: 2}}", 72,
      "topology.link.loss: 2 is above the largest allowed, 1", NULL },
    { "{kind: ring, " LINK "}", 11, "topology.hosts is missing", NULL },
    { "{kind: ring, hosts: 1, " LINK "}", 31,
      "topology.hosts: 1 is below the smallest allowed, 2", NULL },
    { "{kind: ring, hosts: -3, " LINK "}", 31,
      "topology.hosts: -3 is below the smallest allowed, 2", NULL },
    { "{kind: ring, host: 4, " LINK "}", 24,
      "unknown key \"host\" in topology",
      "did you mean \"hosts\"?" },
    { "{kind: ring, hosts: 4, links: 0, " LINK "}", 41,
      "topology.links: 0 is below the smallest allowed, 1", NULL },
    { "{kind: ring, hosts: 100000000000, " LINK "}", 31,
      "topology.hosts is too large: 1e+11 hosts and 2e+11 links would take ",
      NULL },
    { "{kind: fully-connected, hosts: 1000000, " LINK "}", 42,
      "topology.hosts is too large: 1e+06 hosts and 1e+12 links would take ",
      NULL },
    { "{kind: fat-tree, k: 7, " LINK "}", 31,
      "topology.k must be even, not 7: half of a switch's ports go up, half "
      "down", "" },
    { "{kind: fat-tree, k: 1000000, " LINK "}", 31,
      "topology.k is too large: 2.5e+17 hosts and 1.5e+18 links would take ",
      NULL },
    { "{kind: fat-tree, k: 9223372036854775806, " LINK "}", 31,
      "topology.k is too large: 1.845e+19 hosts and 1.845e+19 links would "
      "take more than ", NULL },
    { "{kind: fat-tree, k: 4, oversubscription: 0, " LINK "}", 52,
      "topology.oversubscription: 0 is below the smallest allowed, 1", NULL },
    { "{kind: fat-tree, k: 4, " LINK ", tiers: {core: {rate: 1Gbps}}}", 79,
      "unknown key \"core\" in topology.tiers", NULL },
    { "{kind: fat-tree, k: 4, " LINK ", tiers: {edge: {delay: 0ns}}}", 93,
      "topology.tiers.edge.delay is 0: every link needs a propagation delay "
      "> 0", NULL },
    { "{kind: torus, dims: [], " LINK "}", 31,
      "topology.dims needs 1 to 16 dimensions, not 0", "" },
    { "{kind: torus, dims: [4, -4], " LINK "}", 35,
      "topology.dims: -4 is below the smallest allowed, 1", NULL },
    { "{kind: torus, dims: [1, 1], " LINK "}", 31,
      "topology.dims gives a single host", "" },
    { "{kind: torus, dims: 4, " LINK "}", 31, "topology.dims: ", NULL },
    { "{kind: torus, dims: [4000000000, 4000000000, 4000000000], " LINK "}",
      31, "topology.dims is too large: 1.845e+19 hosts", NULL },
    { "{kind: torus, dims: [4, 4], " LINK ", dimensions: [{}]}", 88,
      "topology.dimensions must be a list of 2 maps, one for each of dims",
      "" },
    { "{kind: parameter-server, workers: 2, servers: 1, racks: 4, " LINK "}",
      67, "topology.racks is more than there are hosts", "" },
    { "{kind: dumbbell, left: 0, right: 4, " LINK "}", 34,
      "topology.left: 0 is below the smallest allowed, 1", NULL },
    { "{kind: leaf-spine, leaves: 4, spines: 0, hosts_per_leaf: 1, " LINK "}",
      49, "topology.spines: 0 is below the smallest allowed, 1", NULL },
    { "{kind: file}", 11, "topology.file is missing", NULL },
    { "{kind: file, file: /nowhere/x.graphml}", 30,
      "cannot read /nowhere/x.graphml: No such file or directory", "" },
    { "{kind: file, file: /tmp}", 30, "cannot read /tmp: Is a directory",
      "" },
};

static void bad_topologies_have_exact_messages(void **state)
{
    int failures = 0;
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct orr_graph *g;
        struct orr_report why;
        orr_err err = try_topology(bad[i].yaml, &g, &why);
        if (err == ORR_ECONFIG && why.line == 1 && why.col == bad[i].col &&
            strncmp(why.message, bad[i].message, strlen(bad[i].message)) ==
                0 &&
            (bad[i].hint == NULL || strcmp(why.hint, bad[i].hint) == 0))
            continue;
        print_error("%s\n    gives %d at %d:%d \"%s\" (%s)\n", bad[i].yaml,
                    err, why.line, why.col, why.message, why.hint);
        failures++;
        orr__graph_free(g);
    }
    assert_int_equal(failures, 0);
}

/* Nothing of the planned size may be taken before the plan is refused. */
static void refusal_costs_no_memory(void **state)
{
    struct orr_graph *g;
    struct orr_report why;
    uint64_t before = orr__memory_peak();
    assert_int_equal(try_topology("{kind: fat-tree, k: 100000, " LINK "}", &g,
                                  &why),
                     ORR_ECONFIG);
    assert_true(orr__memory_peak() - before < 4 << 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_topologies_have_exact_messages),
        cmocka_unit_test(refusal_costs_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
