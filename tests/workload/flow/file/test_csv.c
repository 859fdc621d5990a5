#include "tests/workload/flow/file/flow_case.h"

static void four_columns(void **state)
{
    struct orr_world w;
    open_flows(&w, SWITCH, "csv",
               "0.5,0,1,1000\n# a comment\n"
               "2us, 2, 3, 1MB\r\n1e-3,1,0,7",
               ", unit: ms");
    assert_int_equal(w.flows->count, 3);
    assert_flow(&w, 0, 0, 1, 1000, 500 * ORR_US);
    assert_flow(&w, 1, 2, 3, 1000000, 2 * ORR_US);
    assert_flow(&w, 2, 1, 0, 7, ORR_US);
    world_close(&w);
}

static void columns_by_name(void **state)
{
    struct orr_world w;
    open_flows(&w, SWITCH, "csv",
               "id,Size,dst,src,start,tag\n7,10,2,3,5ns,x\n8,20,0,1,0ps,y\n",
               ", start: 1us");
    assert_int_equal(w.flows->count, 2);
    assert_flow(&w, 0, 3, 2, 10, 5 * ORR_NS + ORR_US);
    assert_flow(&w, 1, 1, 0, 20, ORR_US);
    world_close(&w);
}

/* The unit in a column's name is that of its times, whatever the entry says. */
static void unit_of_a_name(void **state)
{
    struct orr_world w;
    open_flows(&w, SWITCH, "csv",
               "start (ns),src,dst,bytes\n1500,0,1,1000\n2us,1,0,1000\n",
               ", unit: us");
    assert_flow(&w, 0, 0, 1, 1000, 1500 * ORR_NS);
    assert_flow(&w, 1, 1, 0, 1000, 2 * ORR_US);
    world_close(&w);
    open_flows(&w, SWITCH, "csv", "start,src,dst,bytes\n1500,0,1,1000\n",
               ", unit: us");
    assert_flow(&w, 0, 0, 1, 1000, 1500 * ORR_US);
    world_close(&w);
}

/* Behind a separator there is a field, also at the end of a line. */
static void last_field_empty(void **state)
{
    struct orr_world w;
    open_flows(&w, SWITCH, "csv",
               "time,src,dst,bytes,tag\n1us,0,1,100,\n2us,2,3,7, # a\n", "");
    assert_int_equal(w.flows->count, 2);
    assert_flow(&w, 1, 2, 3, 7, 2 * ORR_US);
    world_close(&w);
}

/* As spreadsheets and scripts write them. */
static void other_separators(void **state)
{
    static const char *const texts[] = {
        "\xef\xbb\xbftime_us,src,dst,bytes\r\n2,0,1,100\r\n1,2,3,7\r\n",
        "time (us);src;dst;size [bytes]\n2;0;1;100\n1;2;3;7\n",
        "# made by hand\n\nTime_US\tSRC\tDST\tBytes\n\n2\t0\t1\t100\n"
        "1\t2\t3\t7",
        "\"start_us\",\"tag\",\"src_id\",\"dst_id\",\"flow_size\"\n"
        "\"2\",\"a, b\",\"0\",\"1\",\"100\"\n1,,2,3,7,\n",
        "2us|0|1|100\n1us | 2 | 3 | 7 # short\n",
    };
    struct orr_world w;
    for (size_t i = 0; i < COUNT(texts); i++) {
        open_flows(&w, SWITCH, "csv", texts[i], "");
        assert_int_equal(w.flows->count, 2);
        assert_flow(&w, 0, 0, 1, 100, 2 * ORR_US);
        assert_flow(&w, 1, 2, 3, 7, ORR_US);
        world_close(&w);
    }
}

static void an_empty_file_has_no_flows(void **state)
{
    struct orr_world w;
    open_flows(&w, SWITCH, "csv", "", "");
    assert_null(w.flows);
    world_close(&w);
}

static void bad_files(void **state)
{
    static const struct bad_case cases[] = {
        {"1,0,1,5\n",
         "FILE:1:1: the start: a unit is missing: write a time like 10us or "
         "500ns"},
        {"1s,0,1\n", "FILE:1:7: a line of 4 columns is expected"},
        {"1s,0,1,\n", "FILE:1:8: the number of bytes is missing"},
        {"1s,0,1,5,6\n", "FILE:1:10: a line of 4 columns is expected"},
        {"1s,0,4,5\n", "FILE:1:6: host 4 does not exist: hosts are 0 to 3"},
        {"1s,0,-1,5\n", "FILE:1:6: host -1 does not exist: hosts are 0 to 3"},
        {"1s,a,1,5\n", "FILE:1:4: a host is named by its number, or by a "
                       "name that it has in the topology"},
        {"1s,1,1,5\n",
         "FILE:1:8: a flow from a host to itself uses no network"},
        {"1s,0,1,5 kX\n", "FILE:1:8: unknown unit: a size takes B KB MB GB "
                          "TB or KiB MiB GiB TiB"},
        {"1s,0,,5\n", "FILE:1:6: a host is missing"},
        {"1s;x;1;5\n", "FILE:1:4: a host is named by its number, or by a "
                       "name that it has in the topology"},
        {"time_h,src,dst,bytes\n1,0,1,5\n",
         "FILE:1:21: there is no column \"time\""},
        {"time,src,dst,size_kb\n", "FILE:1:21: there is no column \"bytes\""},
        {"1s,0,1,1e308\n", "FILE:1:8: unknown unit: a size takes "
                           "B KB MB GB TB or KiB MiB GiB TiB"},
        {"1s,0,1,99999999999999999999\n",
         "FILE:1:8: more bytes than 64 bits count"},
        {"nan,0,1,1\n", "FILE:1:10: there is no column \"time\""},
        {"1s,0,1,nan\n", "FILE:1:8: not a size: write a number and a unit, "
                         "like 4096B or 4MiB"},
        {"-1s,0,1,1\n", "FILE:1:1: the start: a time cannot be negative"},
        {"1s,0,1,1\n99999999999s,0,1,4\n",
         "FILE:2:1: the start: too large to be represented"},
        {"1s,0,1,-5\n", "FILE:1:8: a size cannot be negative"},
        {"time,src,dst\n", "FILE:1:13: there is no column \"bytes\""},
        {"time,src,source,dst,bytes\n",
         "FILE:1:10: there are two columns of src"},
        {"time,src,dst,bytes\n1s,0,1\n",
         "FILE:2:7: a line of 4 columns is expected"},
    };
    refuse(SWITCH, "csv", "", cases, COUNT(cases));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_columns),
        cmocka_unit_test(columns_by_name),
        cmocka_unit_test(unit_of_a_name),
        cmocka_unit_test(last_field_empty),
        cmocka_unit_test(other_separators),
        cmocka_unit_test(an_empty_file_has_no_flows),
        cmocka_unit_test(bad_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
