/* Servers and racks of graphs of several kinds. */
#include "tests/workload/cluster/small_cluster.h"

static void open_inventory(struct orr_world *w, struct orr_inventory *v,
                           const char *yaml)
{
    struct orr_report why = {0};
    world_open(w, yaml);
    if (orr__inventory_init(v, w->graph, 1, &why) != ORR_OK)
        fail_msg("%s", why.message);
}

static void close_inventory(struct orr_world *w, struct orr_inventory *v)
{
    orr__inventory_fini(v);
    world_close(w);
}

static void servers_hang_on_their_leaf(void **state)
{
    struct orr_world w;
    struct orr_inventory v;
    open_inventory(&w, &v, RACKS);
    assert_int_equal(v.gpus, 32);
    assert_int_equal(v.servers, 8);
    assert_int_equal(v.racks, 4);
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(v.server[i], i / 4);
        assert_int_equal(v.rack[i], i / 8);
        assert_true(orr__gpu_free(&v, i));
    }
    v.taken[3] = 1;
    v.out[4] = true;
    assert_false(orr__gpu_free(&v, 3));
    assert_false(orr__gpu_free(&v, 4));
    close_inventory(&w, &v);
}

static void a_host_alone_is_a_server(void **state)
{
    struct orr_world w;
    struct orr_inventory v;
    open_inventory(&w, &v, FAT_TREE);
    assert_int_equal(v.servers, 16);
    assert_int_equal(v.racks, 8);
    for (uint32_t i = 0; i < 16; i++) {
        assert_int_equal(v.server[i], i);
        assert_int_equal(v.rack[i], i / 2);
    }
    close_inventory(&w, &v);
}

/* On rails no server has an uplink; its GPUs have, one on each leaf. */
static void servers_on_the_same_rails_are_a_rack(void **state)
{
    struct orr_world w;
    struct orr_inventory v;
    open_inventory(&w, &v,
                   "topology: {kind: rail-optimised, hosts: 4, "
                   "servers_per_leaf: 2, link: {rate: 100Gbps, delay: 1us}, "
                   "servers: {gpus: 4, link: {rate: 900Gbps, delay: 1us}}}\n");
    assert_int_equal(v.servers, 4);
    assert_int_equal(v.racks, 2);
    for (uint32_t i = 0; i < 16; i++)
        assert_int_equal(v.rack[i], i / 8);
    close_inventory(&w, &v);
}

static void without_switches_each_server_is_a_rack(void **state)
{
    struct orr_world w;
    struct orr_inventory v;
    open_inventory(&w, &v,
                   "topology: {kind: ring, hosts: 6, "
                   "link: {rate: 100Gbps, delay: 1us}}\n");
    assert_int_equal(v.servers, 6);
    assert_int_equal(v.racks, 6);
    for (uint32_t i = 0; i < 6; i++)
        assert_int_equal(v.rack[i], i);
    close_inventory(&w, &v);
}

static void no_memory_is_said(void **state)
{
    struct orr_world w;
    struct orr_inventory v;
    world_open(&w, FAT_TREE);
    for (uint64_t n = 1; n <= 5; n++) {
        struct orr_report why = {0};
        orr__memory_fail_after(n, 0);
        assert_int_equal(orr__inventory_init(&v, w.graph, 1, &why), ORR_ENOMEM);
        orr__memory_fail_after(0, 0);
    }
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(servers_hang_on_their_leaf),
        cmocka_unit_test(a_host_alone_is_a_server),
        cmocka_unit_test(servers_on_the_same_rails_are_a_rack),
        cmocka_unit_test(without_switches_each_server_is_a_rack),
        cmocka_unit_test(no_memory_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
