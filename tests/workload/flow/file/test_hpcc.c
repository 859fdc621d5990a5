#include "tests/workload/flow/file/flow_case.h"

static void numbers_are_hosts(void **state)
{
    struct orr_world w;
    open_flows(&w, SWITCH, "hpcc",
               "2\n2 1 3 100 200000000 2\n"
               "3 0 3 200 5 2.000001\nwhat follows\n",
               "");
    assert_int_equal(w.flows->count, 2);
    assert_flow(&w, 0, 2, 1, 200000000, 2 * ORR_S);
    assert_flow(&w, 1, 3, 0, 5, 2 * ORR_S + ORR_US);
    assert_int_equal(w.flows->flow[0].service->class, 3);
    assert_ptr_equal(w.flows->flow[0].service, w.flows->flow[1].service);
    world_close(&w);
}

static void an_origin_is_taken_off(void **state)
{
    struct orr_world w;
    open_flows(&w, SWITCH, "hpcc", "1 0 1 0 100 5 2.5",
               ", origin: 2s, start: 1us, class: 5");
    assert_flow(&w, 0, 0, 1, 5, ORR_S / 2 + ORR_US);
    assert_int_equal(w.flows->flow[0].service->class, 5);
    world_close(&w);
}

static void class_zero_is_the_networks(void **state)
{
    struct orr_world w;
    open_flows(&w, SWITCH, "hpcc", "2 0 1 0 100 5 2 1 0 2 100 5 2", "");
    assert_null(w.flows->flow[0].service);
    assert_int_equal(w.flows->flow[1].service->class, 2);
    world_close(&w);
}

/* Node 0 of this topology.txt is a switch, so its hosts are one lower here. */
static void numbers_of_the_topology_file(void **state)
{
    struct orr_world w;
    struct orr_report why;
    char path[] = "/tmp/orrery-test-XXXXXX", topology[128];
    static const char text[] = "3 1 2\n0\n0 1 1Gbps 1us 0\n0 2 1Gbps 1us 0\n";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, sizeof text - 1), sizeof text - 1);
    close(fd);
    snprintf(topology, sizeof topology,
             "topology: {kind: file, format: hpcc, file: %s}\n", path);
    open_flows(&w, topology, "hpcc", "1 2 1 0 100 5 0", "");
    assert_flow(&w, 0, 1, 0, 5, 0);
    world_close(&w);
    assert_int_equal(
        try_flows(&w, topology, "hpcc", "1 0 1 0 100 5 0", "", &why),
        ORR_ECONFIG);
    assert_string_equal(why.message, "node 0 is a switch, no host");
    world_close(&w);
    assert_int_equal(
        try_flows(&w, topology, "hpcc", "1 3 1 0 100 5 0", "", &why),
        ORR_ECONFIG);
    assert_string_equal(why.message, "host 3 does not exist: nodes are 0 to 2");
    world_close(&w);
    unlink(path);
}

static void bad_files(void **state)
{
    static const struct bad_case cases[] = {
        {"", "FILE:1:1: the number of flows is missing"},
        {"x\n",
         "FILE:1:1: the number of flows must be a whole number, not \"x\""},
        {"2000000000\n0 1 3 100 5 2\n", "FILE:3:1: a source is missing"},
        {"1\n0 4 3 100 5 2\n",
         "FILE:2:3: host 4 does not exist: hosts are 0 to 3"},
        {"1\n1 1 3 100 5 2\n",
         "FILE:2:3: a flow from a host to itself uses no network"},
        {"1\n0 1 8 100 5 2\n",
         "FILE:2:5: the priority group must be from 0 to 7, not 8"},
        {"1\n0 1 3 100000 5 2\n",
         "FILE:2:7: the port must be from 0 to 65535, not 100000"},
        {"1\n0 1 3 100 5.5 2\n",
         "FILE:2:11: a unit is missing: write a size like 4096B or 4MiB"},
        {"1\n0 1 3 100 5\n", "FILE:3:1: the start is missing"},
        {"1\n0 1 3 100 5 -2\n",
         "FILE:2:13: the start: a time cannot be negative"},
        {"1\n0 1 3 100 5 0.5\n", "FILE:2:13: the start is before `origin`, 1s"},
    };
    refuse(SWITCH, "hpcc", ", origin: 1s", cases, COUNT(cases));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_hosts),
        cmocka_unit_test(an_origin_is_taken_off),
        cmocka_unit_test(class_zero_is_the_networks),
        cmocka_unit_test(numbers_of_the_topology_file),
        cmocka_unit_test(bad_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
