/* A part of a graph: its nodes and links in the order of the whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs those four first */
#include <cmocka.h>

#include "tests/topo/small_topology.h"
#include "topo/part.h"

static struct orr_report why;

/* Two servers of three GPUs; the second one's part. */
static void test_server(void **state)
{
    struct orr_graph *g = topology(
        "{kind: rail-optimised, hosts: 2, servers_per_leaf: 1, spines: 2, " LINK
        ", servers: {gpus: 3, link: {rate: 900Gbps, delay: 70ns}}}");
    const uint32_t node[] = {3, 4, 5, 7}; /* its GPUs, its switch */
    struct orr_graph *p;
    uint32_t *link;

    assert_int_equal(g->hosts, 6);
    assert_int_equal(orr__graph_part(g, node, 4, &p, &link, &why), ORR_OK);
    assert_int_equal(p->hosts, 3);
    assert_int_equal(p->nodes, 4);
    assert_int_equal(p->links, 6);
    for (uint32_t l = 0; l < p->links; l++) {
        assert_int_equal(node[p->from[l]], g->from[link[l]]);
        assert_int_equal(node[p->to[l]], g->to[link[l]]);
        assert_int_equal(p->rate_bps[l], 900 * UINT64_C(1000000000));
        assert_int_equal(p->delay_ps[l], 70000);
        assert_true(l == 0 || link[l] > link[l - 1]);
    }
    for (uint32_t v = 0; v < p->nodes; v++) {
        assert_int_equal(p->forwards[v], g->forwards[node[v]]);
        assert_int_equal(p->out_off[v + 1] - p->out_off[v], v < 3 ? 1 : 3);
        assert_int_equal(p->in_off[v + 1] - p->in_off[v], v < 3 ? 1 : 3);
        for (uint32_t k = p->out_off[v]; k < p->out_off[v + 1]; k++)
            assert_int_equal(p->from[p->out_link[k]], v);
    }
    orr__free(link);
    orr__graph_free(p);
    orr__graph_free(g);
}

/* All of it: the same graph. */
static void test_whole(void **state)
{
    struct orr_graph *g = topology("{kind: ring, hosts: 5, " LINK "}"), *p;
    uint32_t node[16], *link;

    for (uint32_t v = 0; v < g->nodes; v++)
        node[v] = v;
    assert_int_equal(orr__graph_part(g, node, g->nodes, &p, &link, &why),
                     ORR_OK);
    assert_int_equal(p->links, g->links);
    for (uint32_t l = 0; l < g->links; l++) {
        assert_int_equal(link[l], l);
        assert_int_equal(p->out_link[l], g->out_link[l]);
        assert_int_equal(p->in_link[l], g->in_link[l]);
    }
    orr__free(link);
    orr__graph_free(p);
    orr__graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_server),
        cmocka_unit_test(test_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
