/* Placements: which hosts, distinct or not, the same for the same seed. */
#include "tests/workload/small_workload.h"

#include "tests/refused.h"
#include "workload/placement/placement.h"

static orr_err place(struct orr_world *w, uint32_t ranks, uint32_t job,
                     uint32_t **hosts, struct orr_report *why)
{
    return orr__place_ranks(w, world_node(w, "placement"),
                            world_node(w, "ranks"), ranks, job, hosts, why);
}

/* The placement's hosts; whatever is wrong fails the test. */
static uint32_t *placed(const char *placement, uint32_t ranks, uint32_t job,
                        uint64_t seed)
{
    struct orr_world w;
    struct orr_report why = {0};
    char yaml[512];
    uint32_t *hosts = NULL;
    snprintf(yaml, sizeof yaml, FAT_TREE "ranks: %u\n%s%s\n", ranks,
             *placement ? "placement: " : "", placement);
    world_open(&w, yaml);
    w.seed = seed;
    if (place(&w, ranks, job, &hosts, &why) != ORR_OK)
        fail_msg("%s: %s", placement, why.message);
    world_close(&w);
    return hosts;
}

static void places(const char *placement, uint32_t ranks,
                   const uint32_t *expected)
{
    uint32_t *hosts = placed(placement, ranks, 0, 1);
    assert_memory_equal(hosts, expected, ranks * sizeof *hosts);
    orr__free(hosts);
}

static void regular_placements_are_as_they_say(void **state)
{
    places("", 4, (uint32_t[]){0, 1, 2, 3});
    places("linear", 4, (uint32_t[]){0, 1, 2, 3});
    places("{kind: linear, offset: 12}", 4, (uint32_t[]){12, 13, 14, 15});
    places("{offset: 3}", 2, (uint32_t[]){3, 4});
    places("strided", 4, (uint32_t[]){0, 2, 4, 6});
    places("{kind: strided, stride: 4}", 6, (uint32_t[]){0, 4, 8, 12, 1, 5});
    places("{kind: strided, stride: 5, offset: 15}", 4,
           (uint32_t[]){15, 4, 9, 14});
    places("[3, 1, 3, 0]", 4, (uint32_t[]){3, 1, 3, 0});
    places("{kind: list, hosts: [15, 0]}", 2, (uint32_t[]){15, 0});
}

static void assert_distinct(const uint32_t *hosts, uint32_t n)
{
    bool seen[16] = {false};
    for (uint32_t i = 0; i < n; i++) {
        assert_true(hosts[i] < 16);
        assert_false(seen[hosts[i]]);
        seen[hosts[i]] = true;
    }
}

static void strides_use_every_host_once(void **state)
{
    for (uint32_t stride = 1; stride < 40; stride++) {
        char text[64];
        snprintf(text, sizeof text, "{kind: strided, stride: %u, offset: 7}",
                 stride);
        uint32_t *hosts = placed(text, 16, 0, 1);
        assert_distinct(hosts, 16);
        orr__free(hosts);
    }
}

static void random_is_seeded_and_distinct(void **state)
{
    uint32_t *a = placed("random", 16, 0, 1);
    uint32_t *b = placed("random", 16, 0, 1);
    uint32_t *other_seed = placed("random", 16, 0, 2);
    uint32_t *other_job = placed("random", 16, 1, 1);
    assert_distinct(a, 16);
    assert_memory_equal(a, b, 16 * sizeof *a);
    assert_memory_not_equal(a, other_seed, 16 * sizeof *a);
    assert_memory_not_equal(a, other_job, 16 * sizeof *a);
    orr__free(a);
    orr__free(b);
    orr__free(other_seed);
    orr__free(other_job);
}

/* Jobs of one seed with different offsets never meet. */
static void one_seed_is_one_order(void **state)
{
    uint32_t hosts[16];
    uint32_t *a = placed("{kind: random, seed: 7}", 8, 0, 1);
    uint32_t *b = placed("{kind: random, seed: 7, offset: 8}", 8, 1, 2);
    memcpy(hosts, a, 8 * sizeof *a);
    memcpy(hosts + 8, b, 8 * sizeof *b);
    assert_distinct(hosts, 16);
    orr__free(a);
    orr__free(b);
}

/* Every host is as likely as another, within what chance allows: 1,600 draws
 * of the first rank, 100 expected at each host, sigma about 9.7. */
static void random_is_even(void **state)
{
    uint32_t count[16] = {0};
    struct orr_world w;
    world_open(&w, FAT_TREE "ranks: 1\nplacement: random\n");
    for (uint32_t job = 0; job < 1600; job++) {
        struct orr_report why = {0};
        uint32_t *hosts;
        assert_int_equal(place(&w, 1, job, &hosts, &why), ORR_OK);
        count[hosts[0]]++;
        orr__free(hosts);
    }
    for (int h = 0; h < 16; h++)
        assert_in_range(count[h], 60, 140);
    world_close(&w);
}

static void servers_are_left_out_of_random(void **state)
{
    struct orr_world w;
    struct orr_report why = {0};
    uint32_t *hosts;
    world_open(&w, "topology: {kind: parameter-server, workers: 6, servers: 2,"
                   " link: {rate: 1Gbps, delay: 1us}}\n"
                   "ranks: 6\nplacement: random\n");
    assert_int_equal(place(&w, 6, 0, &hosts, &why), ORR_OK);
    for (int r = 0; r < 6; r++)
        assert_true(hosts[r] < 6);
    orr__free(hosts);
    assert_int_equal(place(&w, 7, 0, &hosts, &why), ORR_ECONFIG);
    world_close(&w);
}

static void wrong_placements_say_why(void **state)
{
    static const struct {
        uint32_t ranks;
        const char *placement, *message, *hint;
        int line;
    } cases[] = {
        {17, "linear", "17 ranks do not fit on 16 hosts",
         "a placement that is a list of hosts may name a host more than once",
         2},
        {4, "{offset: 13}", "4 ranks from host 13 on do not fit on 16 hosts",
         "", 3},
        {4, "{kind: strided, offset: 16}",
         "host 16 does not exist: there are 16 hosts", "", 3},
        {4, "[0, 1, 2]", "3 hosts are listed for 4 ranks", "", 3},
        {2, "[0, 16]", "host 16 does not exist: hosts are 0 to 15", "", 3},
        {2, "[0, -1]", "host -1 does not exist: hosts are 0 to 15", "", 3},
        {2, "[0, one]",
         "a host is named by its number, or by a name that "
         "it has in the topology",
         "", 3},
        {2, "lineer", "no placement is called \"lineer\"",
         "did you mean \"linear\"?", 3},
        {2, "{kind: strided, strade: 3}", NULL, "did you mean \"stride\"?", 3},
        {2, "{kind: list}", "a placement by list needs a list of hosts", "", 3},
        {9, "{kind: random, offset: 8}",
         "9 ranks after the first 8 do not fit on 16 hosts (servers do not "
         "count)",
         "", 3},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct orr_world w;
        struct orr_report why = {0};
        uint32_t *hosts = NULL;
        char yaml[512];
        snprintf(yaml, sizeof yaml, FAT_TREE "ranks: %u\nplacement: %s\n",
                 cases[i].ranks, cases[i].placement);
        world_open(&w, yaml);
        orr_err err = place(&w, cases[i].ranks, 0, &hosts, &why);
        assert_refused(err, &why,
                       (struct refused){i, cases[i].message, cases[i].hint,
                                        cases[i].line, 0});
        assert_null(hosts);
        world_close(&w);
    }
}

static void every_allocation_may_fail(void **state)
{
    struct orr_world w;
    world_open(&w, FAT_TREE "ranks: 4\nplacement: random\n");
    for (uint64_t n = 1;; n++) {
        struct orr_report why = {0};
        uint32_t *hosts = NULL;
        orr__memory_fail_after(n, 0);
        orr_err err = place(&w, 4, 0, &hosts, &why);
        orr__memory_fail_after(0, 0);
        if (err == ORR_OK) {
            assert_true(n > 3);
            orr__free(hosts);
            break;
        }
        assert_int_equal(err, ORR_ENOMEM);
    }
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regular_placements_are_as_they_say),
        cmocka_unit_test(strides_use_every_host_once),
        cmocka_unit_test(random_is_seeded_and_distinct),
        cmocka_unit_test(one_seed_is_one_order),
        cmocka_unit_test(random_is_even),
        cmocka_unit_test(servers_are_left_out_of_random),
        cmocka_unit_test(wrong_placements_say_why),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
