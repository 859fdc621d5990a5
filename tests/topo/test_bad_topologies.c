#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/topo/small_topology.h"

/* What users get wrong, and every word they are told. */
static const struct {
    const char *yaml;
    int col;                    /* of line 1 */
    const char *message, *hint; /* the message: at least its beginning */
} bad[] = {
    {"{hosts: 4}", 11, "topology.kind is missing", ""},
    {"{kind: rings, hosts: 4, " LINK "}", 18,
     "topology.kind: there is no topology \"rings\"", "did you mean \"ring\"?"},
    {"{kind: fat_tree, k: 4, " LINK "}", 18,
     "topology.kind: there is no topology \"fat_tree\"",
     "did you mean \"fat-tree\"?"},
    {"{kind: hypercube, hosts: 4, " LINK "}", 18,
     "topology.kind: there is no topology \"hypercube\"",
     "`orrery list topologies` shows what there is"},
    {"{kind: strides, hosts: 8, " LINK "}", 11,
     "topology.degree is missing: it says how many strides to choose", NULL},
    {"{kind: strides, hosts: 8, degree: 0, " LINK "}", 45, "topology.degree",
     NULL},
    {"{kind: strides, hosts: 8, degree: 3, " LINK "}", 45,
     "topology.degree: 3 leaves 3 ports of a host for rings: with `direction: "
     "both` each takes two",
     NULL},
    {"{kind: strides, hosts: 8, degree: 10, " LINK "}", 45,
     "topology.degree: 10 would take 5 strides, but only 4 share no factor "
     "with 8 hosts: the most is 8",
     NULL},
    {"{kind: strides, hosts: 6, degree: 3, direction: forward, " LINK "}", 45,
     "topology.degree: 3 would take 3 strides, but only 2 share no factor with "
     "6 hosts: the most is 2",
     NULL},
    {"{kind: strides, hosts: 8, degree: 5, strides: [1, 3], " LINK "}", 45,
     "topology.degree: these strides and matchings take 4 ports of each host, "
     "not 5",
     NULL},
    {"{kind: strides, hosts: 8, strides: [1, 6], " LINK "}", 50,
     "topology.strides: 6 shares the factor 2 with 8 hosts: it would make 2 "
     "rings and not one of all hosts",
     NULL},
    {"{kind: strides, hosts: 8, strides: [3, 8], " LINK "}", 50,
     "topology.strides: 8 is no stride: 1 to 7 are, with 8 hosts", NULL},
    {"{kind: strides, hosts: 8, strides: [3, 3], " LINK "}", 50,
     "topology.strides: 3 is in it twice", NULL},
    {"{kind: strides, hosts: 8, strides: [], " LINK "}", 46,
     "topology.strides must be auto or a list of 1 to 256 strides", NULL},
    {"{kind: strides, hosts: 8, strides: [1], matching: [[0, 4], [5, 0]], " LINK
     "}",
     74,
     "topology.matching: host 0 is in it twice: a matching takes one port of a "
     "host",
     NULL},
    {"{kind: strides, hosts: 8, strides: [1], matching: [[2, 2]], " LINK "}",
     66, "topology.matching: host 2 is in it twice", NULL},
    {"{kind: strides, hosts: 8, strides: [1], matching: [[0, 8]], " LINK "}",
     66, "topology.matching: 8 is no host: hosts are 0 to 7", NULL},
    {"{kind: strides, hosts: 8, strides: [1], matching: [[0, 1, 2]], " LINK "}",
     62, "topology.matching: a pair [host, host] is expected", NULL},
    {"{kind: strides, hosts: 8, strides: [1], matching: [[[0, 1]], 3], " LINK
     "}",
     72, "topology.matching: a list of pairs is expected here", NULL},
    {"{kind: strides, hosts: 8, degree: 2, matching: [[0, 1]], " LINK "}", 45,
     "topology.degree: 2 leaves 1 port of a host for rings", NULL},
    {"{kind: ring, hosts: 4}", 11, "topology.link is missing", NULL},
    {"{kind: ring, hosts: 4, link: {rate: 1Gbps}}", 40,
     "topology.link.delay is missing", NULL},
    {"{kind: ring, hosts: 4, link: {delay: 1ns}}", 40,
     "topology.link.rate is missing", NULL},
    {"{kind: ring, hosts: 4, link: {rate: 1Gbps, delay: 0ns}}", 61,
     "topology.link.delay is 0: every link needs a propagation delay > 0",
     "the shortest delay is the step in which nodes are simulated side by "
     "side; a metre of fibre is 5ns"},
    {"{kind: ring, hosts: 4, link: {rate: 400, delay: 1ns}}", 47,
     "topology.link.rate: \"400\": a unit is missing", NULL},
    {"{kind: ring, hosts: 4, link: {rate: 1Gbps, delay: 500}}", 61,
     "topology.link.delay: \"500\": a unit is missing", NULL},
    {"{kind: ring, hosts: 4, link: {rate: 0Gbps, delay: 1ns}}", 47,
     "topology.link.rate: 0Gbps is below the smallest allowed, 1bps", NULL},
    {"{kind: ring, hosts: 4, link: {rate: 1Gbps, delay: 1ns, loss: 2}}", 72,
     "topology.link.loss: 2 is above the largest allowed, 1", NULL},
    {"{kind: ring, " LINK "}", 11, "topology.hosts is missing", NULL},
    {"{kind: ring, hosts: 1, " LINK "}", 31,
     "topology.hosts: 1 is below the smallest allowed, 2", NULL},
    {"{kind: ring, hosts: -3, " LINK "}", 31,
     "topology.hosts: -3 is below the smallest allowed, 2", NULL},
    {"{kind: ring, host: 4, " LINK "}", 24, "unknown key \"host\" in topology",
     "did you mean \"hosts\"?"},
    {"{kind: ring, hosts: 4, links: 0, " LINK "}", 41,
     "topology.links: 0 is below the smallest allowed, 1", NULL},
    {"{kind: ring, hosts: 100000000000, " LINK "}", 31,
     "topology.hosts is too large: 1e+11 hosts and 2e+11 links would take ",
     NULL},
    {"{kind: fully-connected, hosts: 1000000, " LINK "}", 42,
     "topology.hosts is too large: 1e+06 hosts and 1e+12 links would take ",
     NULL},
    {"{kind: fat-tree, k: 7, " LINK "}", 31,
     "topology.k must be even, not 7: half of a switch's ports go up, half "
     "down",
     ""},
    {"{kind: fat-tree, k: 1000000, " LINK "}", 31,
     "topology.k is too large: 2.5e+17 hosts and 1.5e+18 links would take ",
     NULL},
    {"{kind: fat-tree, k: 9223372036854775806, " LINK "}", 31,
     "topology.k is too large: 1.845e+19 hosts and 1.845e+19 links would "
     "take more than ",
     NULL},
    {"{kind: fat-tree, k: 4, oversubscription: 0, " LINK "}", 52,
     "topology.oversubscription: 0 is below the smallest allowed, 1", NULL},
    {"{kind: fat-tree, k: 4, " LINK ", tiers: {core: {rate: 1Gbps}}}", 79,
     "unknown key \"core\" in topology.tiers", NULL},
    {"{kind: fat-tree, k: 4, " LINK ", tiers: {edge: {delay: 0ns}}}", 93,
     "topology.tiers.edge.delay is 0: every link needs a propagation delay "
     "> 0",
     NULL},
    {"{kind: torus, dims: [], " LINK "}", 31,
     "topology.dims needs 1 to 16 dimensions, not 0", ""},
    {"{kind: torus, dims: [4, -4], " LINK "}", 35,
     "topology.dims: -4 is below the smallest allowed, 1", NULL},
    {"{kind: torus, dims: [1, 1], " LINK "}", 31,
     "topology.dims gives a single host", ""},
    {"{kind: torus, dims: 4, " LINK "}", 31, "topology.dims: ", NULL},
    {"{kind: torus, dims: [4000000000, 4000000000, 4000000000], " LINK "}", 31,
     "topology.dims is too large: 1.845e+19 hosts", NULL},
    {"{kind: torus, dims: [4, 4], " LINK ", dimensions: [{}]}", 88,
     "topology.dimensions must be a list of 2 maps, one for each of dims", ""},
    {"{kind: parameter-server, workers: 2, servers: 1, racks: 4, " LINK "}", 67,
     "topology.racks is more than there are hosts", ""},
    {"{kind: dumbbell, left: 0, right: 4, " LINK "}", 34,
     "topology.left: 0 is below the smallest allowed, 1", NULL},
    {"{kind: leaf-spine, leaves: 4, spines: 0, hosts_per_leaf: 1, " LINK "}",
     49, "topology.spines: 0 is below the smallest allowed, 1", NULL},
    {"{kind: fat-tree, k: 4, hosts: 16, " LINK "}", 41,
     "topology.hosts replaces topology.k: give one of them", ""},
    {"{kind: fat-tree, " LINK "}", 11,
     "topology.k is missing, or topology.hosts", ""},
    {"{kind: leaf-spine, spines: 1, hosts_per_leaf: 1, " LINK "}", 11,
     "topology.leaves is missing", ""},
    {"{kind: leaf-spine, leaves: 1, hosts_per_leaf: 1, " LINK "}", 11,
     "topology.spines is missing", ""},
    {"{kind: leaf-spine, leaves: 1, spines: 1, " LINK "}", 11,
     "topology.hosts_per_leaf is missing", ""},
    {"{kind: leaf-spine, oversubscription: 2, " LINK "}", 48,
     "topology.oversubscription is beside topology.hosts, which is missing: "
     "the hosts of all leaves",
     ""},
    {"{kind: leaf-spine, hosts_per_leaf: 2, hosts: 8, " LINK "}", 56,
     "topology.hosts replaces topology.hosts_per_leaf: give one of them", ""},
    {"{kind: leaf-spine, hosts: 8, spines: 1, oversubscription: 2, " LINK "}",
     69, "topology.oversubscription replaces topology.spines: give one of them",
     ""},
    {"{kind: leaf-spine, hosts: 8, leaves: 9, " LINK "}", 48,
     "topology.leaves is more than there are hosts", ""},
    {"{kind: clos, hosts: 17, radix: 4, " LINK "}", 31,
     "topology.hosts: three tiers of switches with 4 ports have room for 16 "
     "hosts at 1:1",
     "take a larger topology.radix"},
    {"{kind: clos, hosts: 9, radix: 4, oversubscription: 4, " LINK "}", 62,
     "topology.oversubscription: a leaf with 4 ports has none left for an "
     "uplink",
     ""},
    {"{kind: dragonfly, h: 1, groups: 4, " LINK "}", 43,
     "topology.groups is more than the 3 that a times h global cables of a "
     "group can join",
     ""},
    {"{kind: dragonfly, h: 4096, a: 65536, " LINK "}", 32,
     "topology.h is too large: 7.206e+16 hosts and ", NULL},
    {"{kind: hyperx, dims: [], hosts_per_switch: 1, " LINK "}", 32,
     "topology.dims needs 1 to 8 dimensions, not 0", ""},
    {"{kind: hyperx, dims: [2], hosts_per_switch: 1, dimensions: [{}, {}], "
     "" LINK "}",
     70, "topology.dimensions must be a list of 1 maps, one for each of dims",
     ""},
    {"{kind: slimfly, q: 15, " LINK "}", 30,
     "topology.q must be a prime or a power of one, and not 2, not 15",
     "3, "
     "4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 23, 25, 27, ..."},
    {"{kind: slimfly, q: 2, " LINK "}", 30,
     "topology.q: 2 is below the smallest allowed, 3", NULL},
    {"{kind: jellyfish, switches: 4, degree: 4, hosts_per_switch: 1, " LINK "}",
     50, "topology.degree must be less than the 4 switches there are", ""},
    {"{kind: jellyfish, switches: 5, degree: 3, hosts_per_switch: 1, " LINK "}",
     50,
     "topology.degree: 5 switches with 3 cables each would have an odd "
     "number of ends",
     ""},
    {"{kind: jellyfish, switches: 50, degree: 1, hosts_per_switch: 1, " LINK
     "}",
     51, "topology.degree: 100 random graphs in a row were not connected", ""},
    {"{kind: bcube, n: 1, k: 1, " LINK "}", 28,
     "topology.n: 1 is below the smallest allowed, 2", NULL},
    {"{kind: bcube, n: 1000000, k: 7, " LINK "}", 28,
     "topology.n is too large: 1.845e+19 hosts and ", NULL},
    {"{kind: rail-only, hosts: 4, " LINK "}", 11,
     "topology.servers is missing: rails connect the GPUs of servers", ""},
    {"{kind: ring, hosts: 4, " LINK ", servers: {gpus: 0, " LINK "}}", 87,
     "topology.servers.gpus: 0 is below the smallest allowed, 1", NULL},
    {"{kind: ring, hosts: 4, " LINK ", servers: {gpus: 2}}", 80,
     "topology.servers.link is missing", NULL},
    {"{kind: ring, hosts: 4, " LINK ", servers: 8}", 80,
     "topology.servers: a map of keys and values is expected here, not a "
     "single value",
     ""},
    {"{kind: ring, hosts: 2, names: 3, " LINK "}", 41,
     "topology.names must be a list of names, one for each node from 0 on", ""},
    {"{kind: ring, hosts: 2, names: [a, b, c], " LINK "}", 41,
     "topology.names has 3 names, but there are 2 nodes", ""},
    {"{kind: ring, hosts: 2, names: [a, 7], " LINK "}", 45,
     "topology.names[1] is a number, which would be taken for an id", ""},
    {"{kind: ring, hosts: 2, names: [a, a], " LINK "}", 41,
     "nodes 0 and 1 are both called \"a\"", ""},
    {"{kind: ring, hosts: 2, names: [host 1], " LINK "}", 42,
     "topology.names[0] would be taken for an id", ""},
    {"{kind: ring, hosts: 2, names: [{a: b}], " LINK "}", 42,
     "topology.names[0] is not a word", ""},
    {"{kind: ring, hosts: 2, names: [\"a\\x01\"], " LINK "}", 42,
     "topology.names[0] has a control character, or is no UTF-8", ""},
    {"{kind: file}", 11, "topology.file is missing", NULL},
    {"{kind: file, file: /nowhere/x.graphml}", 30,
     "cannot read /nowhere/x.graphml: No such file or directory", ""},
    {"{kind: file, file: /tmp}", 30, "cannot read /tmp: Is a directory", ""},
};

static void bad_topologies_have_exact_messages(void **state)
{
    int failures = 0;
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct orr_graph *g;
        struct orr_report why;
        orr_err err = try_topology(bad[i].yaml, &g, &why);
        if (err == ORR_ECONFIG && why.line == 1 && why.col == bad[i].col
            && strncmp(why.message, bad[i].message, strlen(bad[i].message)) == 0
            && (bad[i].hint == NULL || strcmp(why.hint, bad[i].hint) == 0))
            continue;
        print_error("%s\n    gives %d at %d:%d \"%s\" (%s)\n", bad[i].yaml, err,
                    why.line, why.col, why.message, why.hint);
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
    assert_int_equal(
        try_topology("{kind: fat-tree, k: 100000, " LINK "}", &g, &why),
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
