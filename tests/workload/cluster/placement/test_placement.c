/* Placements on a cluster: worked by hand on four racks of two servers of four
 * GPUs, and what holds for each whatever is taken. */
#include "tests/refused.h"
#include "tests/workload/cluster/small_cluster.h"

#include <math.h>

enum { ALL = 32, END = UINT32_MAX };

static bool choose(struct small_cluster *s, uint32_t job, uint32_t variant,
                   uint32_t *gpu)
{
    struct orr_report why = {0};
    bool found = false;
    if (s->c.placement->choose(&s->c, s->c.placement_params, job, variant, gpu,
                               &found, &why)
        != ORR_OK)
        fail_msg("%s", why.message);
    return found;
}

/* taken: GPUs that others have, up to END. expected: those that the job gets;
 * NULL: it waits. */
static void gets(const char *placement, const uint32_t *taken, uint32_t gpus,
                 const uint32_t *expected)
{
    struct small_cluster s = {.job = {{.is = {.gpus = gpus}}}};
    char yaml[512];
    uint32_t gpu[ALL];
    snprintf(yaml, sizeof yaml, RACKS "placement: %s\n", placement);
    small_open(&s, yaml, 1);
    for (; *taken != END; taken++)
        s.c.inventory.taken[*taken] = 1;
    assert_int_equal(choose(&s, 0, 0, gpu), expected != NULL);
    for (uint32_t i = 0; expected && i < gpus; i++)
        if (gpu[i] != expected[i])
            fail_msg("%s: rank %u is on %u, not on %u", placement, i, gpu[i],
                     expected[i]);
    small_close(&s);
}
#define LIST(...) ((const uint32_t[]){__VA_ARGS__})
#define NOTHING   LIST(END)

static void packed_takes_few_servers_where_it_fits_best(void **state)
{
    gets("packed", NOTHING, 4, LIST(0, 1, 2, 3));
    gets("packed", NOTHING, 8, LIST(0, 1, 2, 3, 4, 5, 6, 7));
    gets("packed", LIST(0, 13, 14, END), 2, LIST(12, 15));
    gets("packed", LIST(0, END), 6, LIST(1, 2, 4, 5, 6, 7));
    gets("packed", LIST(0, 1, 2, 3, END), 12,
         LIST(4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
    /* a whole server beside the taken one leaves the other racks whole */
    gets("packed", LIST(16, 17, END), 4, LIST(20, 21, 22, 23));
    gets("{}", NOTHING, 1, LIST(0));
    gets("{kind: packed}", NOTHING, 1, LIST(0));
}

static void linear_takes_the_lowest(void **state)
{
    gets("linear", LIST(0, 2, END), 3, LIST(1, 3, 4));
    gets("linear", LIST(0, 1, 2, 3, 4, 5, 6, END), 2, LIST(7, 8));
}

static void spread_takes_many_racks_then_servers(void **state)
{
    gets("spread", NOTHING, 4, LIST(0, 8, 16, 24));
    gets("spread", NOTHING, 8, LIST(0, 4, 8, 12, 16, 20, 24, 28));
    gets("spread", NOTHING, 5, LIST(0, 4, 8, 16, 24));
    gets("spread", LIST(0, 1, 2, 3, 4, 5, 6, 7, END), 2, LIST(8, 16));
    gets("spread", LIST(8, 16, END), 2, LIST(0, 24));
    gets("spread", LIST(0, 8, 9, 16, 17, 24, 25, END), 1, LIST(4));
}

static void rack_aware_stays_in_a_rack(void **state)
{
    gets("rack-aware", LIST(0, 1, 2, 8, END), 6, LIST(9, 10, 12, 13, 14, 15));
    gets("rack-aware", LIST(0, 1, 2, 8, END), 10,
         LIST(4, 5, 16, 17, 18, 19, 20, 21, 22, 23));
    /* packed would have taken the two empty servers of other racks */
    gets("rack-aware", LIST(0, 1, 4, 8, 12, END), 5, LIST(2, 3, 5, 6, 7));
}

static void rack_aware_may_wait(void **state)
{
    const uint32_t *three_each =
        LIST(0, 1, 2, 8, 9, 10, 16, 17, 18, 24, 25, 26, END);
    gets("{kind: rack-aware, wait: true}", three_each, 6, NULL);
    gets("{kind: rack-aware, wait: true}", three_each, 5, LIST(3, 4, 5, 6, 7));
    gets("rack-aware", three_each, 6, LIST(3, 4, 5, 6, 7, 11));
    /* no rack will ever hold nine */
    gets("{kind: rack-aware, wait: true}", three_each, 9,
         LIST(3, 4, 5, 6, 7, 12, 13, 14, 15));
}

static void cells_stay_whole(void **state)
{
    gets("cells", NOTHING, 1, LIST(0));
    /* beside what is in use, in the same half of a server, server, rack */
    gets("cells", LIST(9, END), 1, LIST(8));
    gets("cells", LIST(9, END), 2, LIST(10, 11));
    gets("cells", LIST(9, END), 3, LIST(12, 13, 14));
    gets("cells", LIST(9, END), 4, LIST(12, 13, 14, 15));
    gets("cells", LIST(9, END), 5, LIST(0, 1, 2, 3, 4));
    gets("cells", LIST(9, END), 8, LIST(0, 1, 2, 3, 4, 5, 6, 7));
    /* two racks that are buddies */
    gets("cells", LIST(9, END), 16,
         LIST(16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31));
    /* two are free, but of no cell */
    const uint32_t *odd =
        LIST(0, 3, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, END);
    gets("{kind: cells, wait: true}", odd, 2, NULL);
    gets("{kind: cells, wait: true}", odd, 1, LIST(1));
    gets("cells", odd, 2, LIST(1, 2));
    gets("{kind: cells, wait: true}", LIST(9, END), 17, NULL);
}

static void communities_are_sides_of_a_dumbbell(void **state)
{
    static const struct {
        uint32_t gpus, expected[5];
    } rows[] = {
        {3, {1, 2, 3}},
        {4, {4, 5, 6, 7}},
        {5, {4, 5, 6, 7, 1}},
        {1, {1}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct small_cluster s = {.job = {{.is.gpus = rows[i].gpus}}};
        uint32_t gpu[8];
        small_open(&s,
                   "topology: {kind: dumbbell, left: 4, right: 4, "
                   "link: {rate: 100Gbps, delay: 1us}}\n"
                   "placement: community\n",
                   1);
        s.c.inventory.taken[0] = 1;
        assert_true(choose(&s, 0, 0, gpu));
        assert_memory_equal(gpu, rows[i].expected, rows[i].gpus * sizeof *gpu);
        small_close(&s);
    }
}

/* GPUs that no job has go first, however well it would fit elsewhere. */
static void gpus_are_shared_when_none_is_idle(void **state)
{
    static const char *const kinds[] = {"packed",     "linear",    "spread",
                                        "rack-aware", "community", "cells"};
    for (size_t i = 0; i < COUNT(kinds); i++) {
        struct small_cluster s = {.job = {{.is.gpus = 4}}};
        char yaml[512];
        uint32_t gpu[ALL];
        snprintf(yaml, sizeof yaml, RACKS "placement: %s\n", kinds[i]);
        small_open(&s, yaml, 2);
        for (uint32_t g = 0; g < ALL; g++)
            s.c.inventory.taken[g] = g < 24 ? 1 : 2;
        for (uint32_t g = 12; g < 16; g++)
            s.c.inventory.taken[g] = 0;
        assert_true(choose(&s, 0, 0, gpu));
        for (uint32_t r = 0; r < 4; r++)
            assert_int_equal(gpu[r], 12 + r);
        s.c.inventory.taken[12] = 1;
        assert_true(choose(&s, 0, 0, gpu));
        for (uint32_t r = 0; r < 4; r++)
            assert_in_range(gpu[r], 0, 23);
        small_close(&s);
    }
}

/* ---- whatever is taken --------------------------------------------------- */

struct shape { /* of a placement */
    uint32_t servers, racks;
};

static struct shape shape_of(const struct orr_inventory *v, const uint32_t *gpu,
                             uint32_t n)
{
    bool server[8] = {false}, rack[4] = {false}, seen[ALL] = {false};
    struct shape a = {0, 0};
    for (uint32_t i = 0; i < n; i++) {
        assert_true(gpu[i] < ALL && orr__gpu_free(v, gpu[i]));
        assert_false(seen[gpu[i]]);
        seen[gpu[i]] = true;
        a.servers += !server[v->server[gpu[i]]];
        a.racks += !rack[v->rack[gpu[i]]];
        server[v->server[gpu[i]]] = rack[v->rack[gpu[i]]] = true;
    }
    return a;
}

static int more(const void *a, const void *b)
{
    return (int)(*(const uint32_t *)b) - (int)(*(const uint32_t *)a);
}

/* As few of the groups as give n, and as many as n can be in. */
static void bounds(const uint32_t *group, const struct orr_inventory *v,
                   uint32_t n, uint32_t *few, uint32_t *many)
{
    uint32_t left[8] = {0}, sum = 0;
    *few = *many = 0;
    for (uint32_t i = 0; i < ALL; i++)
        left[group[i]] += orr__gpu_free(v, i);
    qsort(left, 8, sizeof *left, more);
    for (; sum < n; (*few)++)
        sum += left[*few];
    for (uint32_t i = 0; i < 8 && *many < n; i++)
        *many += left[i] > 0;
}

static void holds(const char *kind, const struct shape *got,
                  const struct orr_inventory *v, uint32_t n)
{
    uint32_t few, many, few_racks, many_racks;
    bounds(v->server, v, n, &few, &many);
    bounds(v->rack, v, n, &few_racks, &many_racks);
    if (strcmp(kind, "packed") == 0)
        assert_int_equal(got->servers, few);
    if (strcmp(kind, "rack-aware") == 0)
        assert_int_equal(got->racks, few_racks);
    if (strcmp(kind, "spread") == 0)
        assert_int_equal(got->racks, many_racks);
    assert_in_range(got->servers, few, many);
    assert_in_range(got->racks, few_racks, many_racks);
}

static void every_placement_is_of_free_gpus(void **state)
{
    for (size_t k = 0; orr__cluster_placements()[k]; k++) {
        const char *kind = orr__cluster_placements()[k]->name;
        struct small_cluster s = {.job = {{.is.gpus = 1}}};
        struct orr_inventory *v = &s.c.inventory;
        struct orr_random r;
        char yaml[512];
        snprintf(yaml, sizeof yaml, RACKS "placement: %s\n", kind);
        small_open(&s, yaml, 1);
        orr__random_init(&r, 1, k, ORR_PURPOSE_TEST);
        for (int trial = 0; trial < 300; trial++) {
            uint32_t gpu[ALL], again[ALL], free = 0;
            uint64_t full = orr__random_below(&r, 100);
            for (uint32_t i = 0; i < ALL; i++) {
                v->taken[i] = orr__random_below(&r, 100) < full;
                v->out[i] = orr__random_below(&r, 20) == 0;
                free += orr__gpu_free(v, i);
            }
            if (free == 0)
                continue;
            uint32_t n = 1 + (uint32_t)orr__random_below(&r, free);
            uint32_t variant = (uint32_t)orr__random_below(&r, 10);
            s.job[0].is.gpus = n;
            assert_true(choose(&s, 0, variant, gpu));
            assert_true(choose(&s, 0, variant, again));
            assert_memory_equal(gpu, again, n * sizeof *gpu);
            struct shape got = shape_of(v, gpu, n);
            holds(kind, &got, v, n);
        }
        small_close(&s);
    }
}

static void candidates_differ(void **state)
{
    static const char *const first[] = {"packed", "rack-aware", "spread"};
    struct small_cluster s = {.job = {{.is.gpus = 6}}};
    uint32_t gpu[10][6], other[6], different = 0;
    small_open(&s, RACKS "placement: cassini\n", 1);
    assert_int_equal(s.c.placement->candidates(s.c.placement_params), 10);
    for (uint32_t k = 0; k < 10; k++)
        assert_true(choose(&s, 0, k, gpu[k]));
    for (uint32_t a = 0; a < 10; a++) {
        bool seen = false;
        for (uint32_t b = 0; b < a; b++)
            seen = seen || memcmp(gpu[a], gpu[b], sizeof gpu[a]) == 0;
        different += !seen;
    }
    assert_in_range(different, 6, 10);
    small_close(&s);
    for (uint32_t k = 0; k < 3; k++) {
        char yaml[512];
        snprintf(yaml, sizeof yaml, RACKS "placement: %s\n", first[k]);
        small_open(&s, yaml, 1);
        assert_null(s.c.placement->candidates);
        assert_true(choose(&s, 0, 0, other));
        assert_memory_equal(gpu[k], other, sizeof other);
        small_close(&s);
    }
    small_open(&s, RACKS "placement: {kind: cassini, candidates: 3}\n", 1);
    assert_int_equal(s.c.placement->candidates(s.c.placement_params), 3);
    small_close(&s);
}

/* Every GPU is as likely as another: 3,200 draws of one, 100 expected at each,
 * sigma about 9.8. */
static void random_is_even_and_seeded(void **state)
{
    struct small_cluster s = {.job = {{.is.gpus = 1}}};
    uint32_t count[ALL] = {0}, gpu[ALL];
    static struct orr_cluster_job many[3200];
    small_open(&s, RACKS "placement: random\n", 1);
    s.c.job = many;
    for (uint32_t j = 0; j < COUNT(many); j++) {
        many[j].is.gpus = 1;
        assert_true(choose(&s, j, 0, gpu));
        count[gpu[0]]++;
    }
    for (uint32_t i = 0; i < ALL; i++)
        assert_in_range(count[i], 60, 140);
    small_close(&s);

    uint32_t a[ALL], b[ALL], c[ALL];
    many[0].is.gpus = many[1].is.gpus = ALL;
    small_open(&s, RACKS "placement: {kind: random, seed: 7}\n", 1);
    s.c.job = many;
    assert_true(choose(&s, 0, 0, a));
    s.world.seed = 2;
    assert_true(choose(&s, 0, 0, b));
    assert_true(choose(&s, 1, 0, c));
    assert_memory_equal(a, b, sizeof a);
    assert_memory_not_equal(a, c, sizeof a);
    small_close(&s);
}

/* Servers stay whole, and each is as likely as another. */
static void random_servers_stay_together(void **state)
{
    struct small_cluster s = {.job = {{.is.gpus = 1}}};
    static struct orr_cluster_job many[1600];
    const struct orr_inventory *v = &s.c.inventory;
    uint32_t gpu[ALL], count[ALL] = {0}, size = 0;
    small_open(&s, RACKS "placement: {kind: random, unit: server}\n", 1);
    while (v->server[size] == v->server[0])
        size++;
    assert_true(size > 1);
    s.c.job = many;
    for (uint32_t j = 0; j < COUNT(many); j++) {
        many[j].is.gpus = 2 * size + 1;
        assert_true(choose(&s, j, 0, gpu));
        for (uint32_t i = 0; i <= 2 * size; i++) {
            uint32_t first = gpu[i / size * size];
            assert_int_equal(v->server[gpu[i]], v->server[first]);
            assert_true(i % size == 0 || gpu[i] > gpu[i - 1]);
        }
        assert_int_not_equal(v->server[gpu[0]], v->server[gpu[size]]);
        count[v->server[gpu[0]]]++;
    }
    /* sigma is below the root of what is expected */
    double expected = (double)COUNT(many) / v->servers;
    for (uint32_t i = 0; i < v->servers; i++)
        assert_in_range(count[i], (uint32_t)(expected - 4 * sqrt(expected)),
                        (uint32_t)(expected + 4 * sqrt(expected)));
    /* what is taken is not drawn */
    for (uint32_t i = 0; i < ALL - 3; i++)
        s.c.inventory.taken[i] = 1;
    many[0].is.gpus = 3;
    assert_true(choose(&s, 0, 0, gpu));
    for (uint32_t i = 0; i < 3; i++)
        assert_true(gpu[i] >= ALL - 3);
    small_close(&s);
}

static void bad_ones_are_refused(void **state)
{
    static const struct {
        const char *yaml, *message;
    } rows[] = {
        {"pakced", "cluster.placement: no kind \"pakced\""},
        {"[0, 1]", "cluster.placement: a name is expected, or a map with "
                   "`kind`"},
        {"{kind: linear, offset: 1}",
         "unknown key \"offset\" in cluster.placement"},
        {"{kind: cassini, candidates: 0}",
         "cluster.placement.candidates: 0 is below the smallest allowed, 1"},
        {"{kind: rack-aware, wait: maybe}",
         "cluster.placement.wait: \"maybe\": not true or false"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct orr_world w;
        struct orr_report why = {0};
        struct orr_cluster c = {.world = &w};
        char yaml[512];
        snprintf(yaml, sizeof yaml, RACKS "placement: %s\n", rows[i].yaml);
        world_open(&w, yaml);
        orr_err err =
            orr__cluster_placement_read(&c, world_node(&w, "placement"),
                                        "cluster.placement", "packed", &why);
        assert_refused(err, &why,
                       (struct refused){i, rows[i].message, NULL, 2, 0});
        world_close(&w);
    }
}

static void no_memory_is_said(void **state)
{
    for (size_t k = 0; orr__cluster_placements()[k]; k++) {
        struct small_cluster s = {.job = {{.is.gpus = 5}}};
        struct orr_report why = {0};
        uint32_t gpu[ALL];
        bool found;
        char yaml[512];
        snprintf(yaml, sizeof yaml, RACKS "placement: %s\n",
                 orr__cluster_placements()[k]->name);
        small_open(&s, yaml, 1);
        orr_err err = ORR_ENOMEM;
        for (uint64_t n = 1; err == ORR_ENOMEM && n < 100; n++) {
            why = (struct orr_report){0};
            orr__memory_fail_after(n, 0);
            err = s.c.placement->choose(&s.c, s.c.placement_params, 0, 0, gpu,
                                        &found, &why);
            orr__memory_fail_after(0, 0);
        }
        assert_int_equal(err, ORR_OK);
        small_close(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packed_takes_few_servers_where_it_fits_best),
        cmocka_unit_test(linear_takes_the_lowest),
        cmocka_unit_test(spread_takes_many_racks_then_servers),
        cmocka_unit_test(rack_aware_stays_in_a_rack),
        cmocka_unit_test(rack_aware_may_wait),
        cmocka_unit_test(cells_stay_whole),
        cmocka_unit_test(communities_are_sides_of_a_dumbbell),
        cmocka_unit_test(gpus_are_shared_when_none_is_idle),
        cmocka_unit_test(every_placement_is_of_free_gpus),
        cmocka_unit_test(candidates_differ),
        cmocka_unit_test(random_is_even_and_seeded),
        cmocka_unit_test(random_servers_stay_together),
        cmocka_unit_test(bad_ones_are_refused),
        cmocka_unit_test(no_memory_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
