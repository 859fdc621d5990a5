#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/topo/small_topology.h"
#include "topo/metrics.h"

/* Everything that topo/ does with one graph. */
static orr_err use(const char *yaml, const char *out)
{
    struct orr_graph *g;
    struct orr_report why;
    struct orr_routing *r = NULL;
    struct orr_metrics m;
    static const uint32_t dests[] = {0, 1, 2, 3};
    uint32_t part[64], *links = NULL, n;
    uint64_t paths;
    orr_err err = try_topology(yaml, &g, &why);
    if (err)
        return err;
    assert_true(g->nodes <= COUNT(part));
    struct orr_routing_request shared = {.rows = ORR_ROWS_SHARED};
    err = orr__routing_build_for(g, NULL, &shared, dests, 4, &r, &why);
    orr__routing_free(r);
    r = NULL;
    if (!err)
        err = orr__routing_build(g, dests, 4, &r, &why);
    if (!err)
        err = orr__graph_metrics(g, &m, &why);
    if (!err)
        err = orr__graph_path(g, 0, 3, &links, &n, &paths, &why);
    if (!err)
        err = orr__graph_partition(g, NULL, 3, part, &why);
    if (!err)
        err = orr__graph_write_graphml(g, out, &why);
    orr__free(links);
    orr__routing_free(r);
    orr__graph_free(g);
    return err;
}

/* The n-th allocation fails, once or for good, for n = 1, 2, ... until all
 * succeeds. Under a leak checker this also shows that nothing is lost. */
static void every_failed_allocation_is_survived(void **state)
{
    char out[] = "/tmp/orrery-test-XXXXXX", file[64];
    close(mkstemp(out));
    snprintf(file, sizeof file, "{kind: file, file: %s}", out);
    const char *const samples[] = {
        "{kind: fat-tree, k: 4, " LINK "}",
        "{kind: torus, dims: [3, 5], " LINK "}",
        "{kind: slimfly, q: 4, hosts_per_switch: 1, " LINK "}",
        "{kind: jellyfish, switches: 6, degree: 3, hosts_per_switch: 1, " LINK
        "}",
        "{kind: dragonfly, h: 1, servers: {gpus: 2, " LINK "}, " LINK "}",
        "{kind: rail-optimised, hosts: 2, servers: {gpus: 2, " LINK "}, " LINK
        "}",
        "{kind: parameter-server, workers: 4, servers: 2, " LINK "}",
        file, /* what the one before has written */
    };
    for (size_t i = 0; i < COUNT(samples); i++) {
        for (int for_good = 0; for_good < 2; for_good++) {
            uint64_t n = 0;
            /* Some failures do no harm (a table is not trimmed): the end is
             * where many in a row make no difference. */
            for (int fine = 0; fine < 10; n++) {
                orr__memory_fail_after(n + 1, for_good);
                orr_err err = use(samples[i], out);
                orr__memory_fail_after(0, 0);
                assert_true(err == ORR_OK || err == ORR_ENOMEM);
                fine = err ? 0 : fine + 1;
            }
            assert_true(n > 60);
        }
    }
    unlink(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
