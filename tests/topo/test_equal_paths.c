/* The equal ways between hosts, by number. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs those four first */
#include <string.h>
#include <cmocka.h>

#include "core/config/config.h"
#include "core/memory.h"
#include "topo/equal_paths.h"

static struct orr_report why;

struct net {
    struct orr_config *c;
    struct orr_graph *g;
    struct orr_routing *r;
};

static struct net make(const char *topology)
{
    struct net n;
    uint32_t all[64];
    assert_int_equal(
        orr__config_parse("t.yaml", topology, strlen(topology), &n.c, &why),
        ORR_OK);
    assert_int_equal(
        orr__graph_build(n.c, orr__config_root(n.c), 1, &n.g, &why), ORR_OK);
    for (uint32_t h = 0; h < n.g->hosts; h++)
        all[h] = h;
    assert_int_equal(orr__routing_build(n.g, all, n.g->hosts, &n.r, &why),
                     ORR_OK);
    return n;
}

static void done(struct net *n)
{
    orr__routing_free(n->r);
    orr__graph_free(n->g);
    orr__config_free(n->c);
}

/* All ways from src to dst: they lead there, are as long, and ascend by the ids
 * of their links, so that no two are one. */
static void check(const char *topology, uint32_t src, uint32_t dst,
                  uint64_t expected, uint32_t hops)
{
    struct net n = make(topology);
    uint32_t *links, *before = NULL, count, at;
    uint64_t ways;
    for (uint64_t i = 0; i <= expected; i++) {
        assert_int_equal(orr__equal_path_of(n.g, n.r, src, dst, i, &ways,
                                            &links, &count, &why),
                         ORR_OK);
        assert_int_equal(ways, expected);
        if (i == expected) {
            assert_null(links);
            break;
        }
        assert_int_equal(count, hops);
        at = src;
        for (uint32_t k = 0; k < count; k++) {
            assert_int_equal(n.g->from[links[k]], at);
            at = n.g->to[links[k]];
        }
        assert_int_equal(at, dst);
        for (uint32_t k = 0; before && k < count; k++) {
            assert_true(before[k] <= links[k]);
            if (before[k] < links[k])
                break;
            assert_true(k + 1 < count);
        }
        orr__free(before);
        before = links;
    }
    orr__free(before);
    done(&n);
}

static void test_fat_tree(void **state)
{
    const char *k4 = "{kind: fat-tree, k: 4, link: {rate: 1Gbps, delay: 1us}}";
    check(k4, 0, 15, 4, 6);
    check(k4, 0, 2, 2, 4);
    check(k4, 0, 1, 1, 2);
}

static void test_parallel_links(void **state)
{
    check("{kind: leaf-spine, leaves: 2, spines: 3, hosts_per_leaf: 2, "
          "links: 2, link: {rate: 1Gbps, delay: 1us}}",
          0, 3, 48, 4);
}

/* Hosts that forward; multinomials of ways. */
static void test_torus(void **state)
{
    check("{kind: torus, dims: [5, 5], link: {rate: 1Gbps, delay: 1us}}", 0, 12,
          6, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fat_tree),
        cmocka_unit_test(test_parallel_links),
        cmocka_unit_test(test_torus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
