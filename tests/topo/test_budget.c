#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/refused.h"
#include "tests/topo/small_topology.h"
#include "topo/budget.h"

#define GPUS "servers: {gpus: 4, link: {rate: 3.6Tbps, delay: 300ns}}, "

static struct orr_budget budget(const char *yaml, const struct orr_prices *p)
{
    struct orr_graph *g = topology(yaml);
    struct orr_report why = {.code = ORR_OK};
    struct orr_budget b;
    assert_int_equal(orr__budget(g, p ? p : orr__prices_default(), &b, &why),
                     ORR_OK);
    orr__graph_free(g);
    return b;
}

static struct orr_diversity diversity(const char *yaml)
{
    struct orr_graph *g = topology(yaml);
    struct orr_report why = {.code = ORR_OK};
    struct orr_diversity d;
    assert_int_equal(orr__graph_diversity(g, &d, &why), ORR_OK);
    orr__graph_free(g);
    return d;
}

static void near(double a, double b)
{
    if (a < b - 1e-6 * b || a > b + 1e-6 * b)
        fail_msg("%.17g instead of %.17g", a, b);
}

/* k = 4 at 100 Gbps: 80 ports of switches, 16 NICs, 96 ends of cables. */
static void parts_of_a_fat_tree(void **state)
{
    struct orr_budget b = budget("{kind: fat-tree, k: 4, " LINK "}", NULL);
    assert_int_equal(b.switches, 20);
    assert_int_equal(b.radixes, 1);
    assert_int_equal(b.radix[0].ports, 4);
    assert_int_equal(b.ports, 80);
    assert_int_equal(b.nics, 16);
    assert_int_equal(b.cables, 48);
    assert_true(b.capacity_bps == 96 * 100000000000u);
    assert_true(b.switching_bps == 80 * 100000000000u);
    near(b.port_price, 80 * 187);
    near(b.nic_price, 16 * 678);
    near(b.optics_price, 96 * 99);
    near(b.price, 80 * 187 + 16 * 678 + 96 * 99);
    near(b.watts, 96 * (2.8 + 2.125));
}

/* A server's own switch and links are part of the server. */
static void servers_are_not_the_network(void **state)
{
    struct orr_budget a = budget("{kind: switch, hosts: 4, " LINK "}", NULL);
    struct orr_budget b =
        budget("{kind: switch, hosts: 4, " GPUS LINK "}", NULL);
    assert_int_equal(b.switches, 1);
    assert_int_equal(b.nics, 4);
    assert_int_equal(b.cables, 4);
    near(a.price, b.price);
    near(a.watts, b.watts);
    b = budget("{kind: rail-only, hosts: 2, " GPUS LINK "}", NULL);
    assert_int_equal(b.switches, 4);
    assert_int_equal(b.nics, 8);
}

/* Between rows, beyond the last and below the first. */
static void any_rate_has_a_price(void **state)
{
    static const struct orr_prices p = {
        .currency = "EUR",
        .source = "a test",
        .cable = 3,
        .at = {{10000000000, 100, 10, 1, 0, 0, 0},
               {20000000000, 300, 30, 5, 0, 0, 0}},
        .rates = 2,
    };
    static const struct {
        const char *rate;
        double port, nic, optics;
    } want[] = {{"10Gbps", 100, 10, 1},
                {"20Gbps", 300, 30, 5},
                {"15Gbps", 200, 20, 3},
                {"5Gbps", 50, 5, 0.5},
                {"40Gbps", 600, 60, 10}};
    for (size_t i = 0; i < COUNT(want); i++) {
        char yaml[128];
        snprintf(yaml, sizeof yaml,
                 "{kind: switch, hosts: 2, link: {rate: "
                 "%s, delay: 1ns}}",
                 want[i].rate);
        struct orr_budget b = budget(yaml, &p);
        near(b.port_price, 2 * want[i].port);
        near(b.nic_price, 2 * want[i].nic);
        near(b.optics_price, 4 * want[i].optics);
        near(b.cable_price, 6);
    }
}

static void rates_of_equal_cost(void **state)
{
    static const char *const kinds[] = {
        "kind: fat-tree, k: 4",
        "kind: dragonfly, h: 1",
        "kind: ring, hosts: 16",
        "kind: hyperx, dims: [4, 2], "
        "hosts_per_switch: 2",
        GPUS "kind: switch, hosts: 4",
    };
    struct orr_report why = {.code = ORR_OK};
    for (size_t i = 0; i < COUNT(kinds); i++) {
        char yaml[256];
        double scale;
        snprintf(yaml, sizeof yaml, "{%s, " LINK "}", kinds[i]);
        struct orr_graph *g = topology(yaml);
        assert_int_equal(
            orr__budget_scale(g, orr__prices_default(), 20000, &scale, &why),
            ORR_OK);
        snprintf(yaml, sizeof yaml, "{%s, scale: %.17g, " LINK "}", kinds[i],
                 scale);
        struct orr_budget b = budget(yaml, NULL);
        near(b.price, 20000);
        orr__graph_free(g);
    }
}

static void no_rates_of_that_cost(void **state)
{
    struct orr_graph *g = topology("{kind: switch, hosts: 2, " LINK "}");
    struct orr_report why = {.code = ORR_OK};
    double scale;
    assert_int_equal(
        orr__budget_scale(g, orr__prices_default(), 1e12, &scale, &why),
        ORR_ECONFIG);
    assert_string_equal(why.message,
                        "switch: no rates make it cost 1e+12 USD: at a "
                        "thousandth of them it is 6.38, at a thousand times "
                        "1.585e+06");
    orr__graph_free(g);
}

/* Rates of servers' own links stay. */
static void scale(void **state)
{
    struct orr_graph *g =
        topology("{kind: switch, hosts: 2, scale: 0.25, " GPUS LINK "}");
    assert_true(g->rate_bps[0] == 25000000000);
    assert_true(g->rate_bps[2] == 3600000000000);
    assert_true(g->rate_bps[g->cables] == 25000000000);
    orr__graph_free(g);
    g = topology("{kind: switch, hosts: 2, scale: 0.000001, link: {rate: "
                 "1bps, delay: 1ns}}");
    assert_true(g->rate_bps[0] == 1);
    orr__graph_free(g);
}

static void ways_that_share_nothing(void **state)
{
    static const struct {
        const char *yaml;
        uint32_t cables, switches; /* the least of all pairs */
    } known[] = {
        {"{kind: fat-tree, k: 4, " LINK "}", 2, 2},
        {"{kind: fat-tree, k: 4, " GPUS LINK "}", 2, 2},
        {"{kind: leaf-spine, leaves: 4, spines: 3, hosts_per_leaf: 2, " LINK
         "}",
         3, 3},
        {"{kind: dumbbell, left: 2, right: 2, links: 3, " LINK "}", 3, 1},
        {"{kind: ring, hosts: 6, " LINK "}", 2, 2},
        {"{kind: torus, dims: [3, 3], " LINK "}", 4, 4},
        {"{kind: hyperx, dims: [3, 3], hosts_per_switch: 1, " LINK "}", 4, 4},
        {"{kind: dragonfly, h: 1, " LINK "}", 2, 2},
        {"{kind: dragonfly, h: 2, groups: 2, " LINK "}", 5, 4},
        {"{kind: slimfly, q: 3, " LINK "}", 5, 5},
        {"{kind: bcube, n: 3, k: 1, " LINK "}", 2, 2},
        {"{kind: clos, hosts: 16, radix: 8, " LINK "}", 4, 2},
        {"{kind: rail-only, hosts: 3, " GPUS LINK "}", 2, 2},
        {"{kind: parameter-server, workers: 4, servers: 2, racks: 3, " LINK "}",
         1, 1},
    };
    for (size_t i = 0; i < COUNT(known); i++) {
        struct orr_diversity d = diversity(known[i].yaml);
        if (d.cables_min != known[i].cables
            || d.switches_min != known[i].switches)
            fail_msg("%s: %u and %u", known[i].yaml, d.cables_min,
                     d.switches_min);
        assert_true(d.cables_mean >= d.cables_min
                    && d.cables_mean <= d.cables_max);
    }
    assert_int_equal(diversity("{kind: switch, hosts: 4, " LINK "}").pairs, 0);
    assert_true(diversity("{kind: slimfly, q: 5, " LINK "}").sampled);
}

static void prices_from_a_file(void **state)
{
    static const char text[] =
        "currency: EUR\ncable: 2\nrates:\n"
        "  - {rate: 1Gbps, port: 1, nic: 2}\n"
        "  - {rate: 2Gbps, port: 3, nic: 4, optics: 5, port_watts: 6}\n";
    static const struct {
        const char *text, *message;
        int line;
    } bad[] = {
        {"rates: []\n", "rates must be a list of 1 to 32 maps", 1},
        {"rates:\n  - {rate: 2Gbps, port: 1, nic: 1}\n"
         "  - {rate: 2Gbps, port: 1, nic: 1}\n",
         "rates must ascend", 3},
        {"rates:\n  - {rate: 2Gbps, port: 1}\n", "rates.nic is missing", 2},
        {"currency: EUR\n", "prices.rates is missing", 1},
        {"rates:\n  - {rate: 2Gbps, port: -1, nic: 1}\n",
         "rates.port: -1 is below the smallest allowed, 0", 2},
    };
    struct orr_report why = {.code = ORR_OK};
    struct orr_config *c;
    struct orr_prices p;
    assert_int_equal(orr__config_parse("p", text, strlen(text), &c, &why),
                     ORR_OK);
    assert_int_equal(orr__prices_read(c, &p, &why), ORR_OK);
    assert_string_equal(p.currency, "EUR");
    assert_string_equal(p.source, "p");
    assert_int_equal(p.rates, 2);
    assert_true(p.cable == 2 && p.at[1].optics == 5 && p.at[0].optics == 0
                && p.at[1].port_watts == 6);
    orr__config_free(c);
    for (size_t i = 0; i < COUNT(bad); i++) {
        why = (struct orr_report){.code = ORR_OK};
        assert_int_equal(
            orr__config_parse("p", bad[i].text, strlen(bad[i].text), &c, &why),
            ORR_OK);
        assert_refused(
            orr__prices_read(c, &p, &why), &why,
            (struct refused){i, bad[i].message, NULL, bad[i].line, 0});
        orr__config_free(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_of_a_fat_tree),
        cmocka_unit_test(servers_are_not_the_network),
        cmocka_unit_test(any_rate_has_a_price),
        cmocka_unit_test(rates_of_equal_cost),
        cmocka_unit_test(no_rates_of_that_cost),
        cmocka_unit_test(scale),
        cmocka_unit_test(ways_that_share_nothing),
        cmocka_unit_test(prices_from_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
