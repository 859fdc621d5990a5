#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/topo/small_topology.h"
#include "topo/metrics.h"

static uint32_t *parts_of(const struct orr_graph *g, const uint32_t *weight,
                          uint32_t parts)
{
    struct orr_report why = {.code = ORR_OK};
    uint32_t *part = orr__alloc(g->nodes, sizeof *part);
    if (orr__graph_partition(g, weight, parts, part, &why) != ORR_OK)
        fail_msg("%s", why.message);
    for (uint32_t v = 0; v < g->nodes; v++)
        assert_true(part[v] < parts);
    return part;
}

static uint32_t cut(const struct orr_graph *g, const uint32_t *part)
{
    uint32_t n = 0;
    for (uint32_t c = 0; c < g->cables; c++)
        n += part[g->from[c]] != part[g->to[c]];
    return n;
}

static void one_part_is_all(void **state)
{
    struct orr_graph *g = topology("{kind: fat-tree, k: 4, " LINK "}");
    uint32_t *part = parts_of(g, NULL, 1);
    for (uint32_t v = 0; v < g->nodes; v++)
        assert_int_equal(part[v], 0);
    orr__free(part);
    orr__graph_free(g);
}

static void parts_are_balanced(void **state)
{
    static const char *const samples[] = {
        "{kind: fat-tree, k: 8, " LINK "}",
        "{kind: torus, dims: [8, 8], links: 2, " LINK "}",
        "{kind: ring, hosts: 64, " LINK "}",
    };
    for (size_t i = 0; i < COUNT(samples); i++) {
        struct orr_graph *g = topology(samples[i]);
        for (uint32_t parts = 2; parts <= 16; parts *= 2) {
            uint32_t *part = parts_of(g, NULL, parts), load[16] = {0};
            for (uint32_t v = 0; v < g->nodes; v++)
                load[part[v]] += g->out_off[v + 1] - g->out_off[v];
            for (uint32_t p = 0; p < parts; p++)
                assert_in_range(load[p], g->links / parts * 3 / 4,
                                g->links / parts * 5 / 4);
            /* a random split would cut (1 - 1/parts) of the cables */
            assert_true(cut(g, part) < g->cables * 3 / 4);
            orr__free(part);
        }
        orr__graph_free(g);
    }
}

/* A host and its edge switch belong together. */
static void hosts_stay_with_their_switch(void **state)
{
    struct orr_graph *g = topology("{kind: fat-tree, k: 8, " LINK "}");
    uint32_t *part = parts_of(g, NULL, 2), away = 0;
    for (uint32_t h = 0; h < g->hosts; h++)
        away += part[h] != part[g->to[h]];
    assert_true(away <= 4);
    orr__free(part);
    orr__graph_free(g);
}

static void weights_decide(void **state)
{
    struct orr_graph *g = topology("{kind: ring, hosts: 30, " LINK "}");
    uint32_t weight[30], on[2] = {0, 0};
    for (uint32_t v = 0; v < 30; v++)
        weight[v] = v < 10 ? 4000000000u : 1;
    uint32_t *part = parts_of(g, weight, 2);
    for (uint32_t v = 0; v < 10; v++)
        on[part[v]]++;
    assert_int_equal(on[0], 5);
    orr__free(part);
    orr__graph_free(g);
}

static void it_is_deterministic(void **state)
{
    struct orr_graph *g = topology("{kind: fat-tree, k: 8, " LINK "}");
    uint32_t *a = parts_of(g, NULL, 4), *b = parts_of(g, NULL, 4);
    assert_memory_equal(a, b, g->nodes * sizeof *a);
    orr__free(a);
    orr__free(b);
    orr__graph_free(g);
}

static void more_parts_than_nodes(void **state)
{
    struct orr_graph *g = topology("{kind: ring, hosts: 3, " LINK "}");
    uint32_t *part = parts_of(g, NULL, 8);
    assert_true(part[0] != part[1] && part[1] != part[2]);
    orr__free(part);
    orr__graph_free(g);
}

/* METIS says on standard output that it was asked for too many parts. */
static void nothing_is_printed(void **state)
{
    static const char *const samples[] = {
        "{kind: ring, hosts: 3, " LINK "}",
        "{kind: ring, hosts: 7, " LINK "}",
        "{kind: dumbbell, left: 1, right: 5, " LINK "}",
        "{kind: switch, hosts: 9, " LINK "}",
    };
    FILE *seen = tmpfile();
    int was = dup(1);
    struct stat s;
    assert_true(seen && was >= 0);
    fflush(stdout);
    dup2(fileno(seen), 1);
    for (size_t i = 0; i < COUNT(samples); i++) {
        struct orr_graph *g = topology(samples[i]);
        for (uint32_t n = 0; n < 4 * g->nodes; n++)
            for (uint32_t parts = 2; parts < g->nodes; parts++) {
                uint32_t weight[16];
                for (uint32_t v = 0; v < g->nodes; v++)
                    weight[v] = v <= n / 4 ? n % 2 ? 1000 : 1 : n / 2 % 2;
                orr__free(parts_of(g, weight, parts));
            }
        orr__graph_free(g);
    }
    fflush(stdout);
    dup2(was, 1);
    close(was);
    assert_int_equal(fstat(fileno(seen), &s), 0);
    fclose(seen);
    assert_int_equal(s.st_size, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_part_is_all),
        cmocka_unit_test(parts_are_balanced),
        cmocka_unit_test(hosts_stay_with_their_switch),
        cmocka_unit_test(weights_decide),
        cmocka_unit_test(it_is_deterministic),
        cmocka_unit_test(more_parts_than_nodes),
        cmocka_unit_test(nothing_is_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
