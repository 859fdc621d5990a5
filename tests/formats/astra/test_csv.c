/* The files of results of ASTRA-sim 1.0: columns, units, and rows of several
 * runs in one file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs those four first */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "core/memory.h"
#include "core/units.h"
#include "formats/astra/report.h"

static char folder[64];

static int begin(void **state)
{
    snprintf(folder, sizeof folder, "/tmp/orrery-csv-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int end(void **state)
{
    char command[100];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

static void expect(const char *name, const char *text)
{
    char path[160], have[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    have[fread(have, 1, sizeof have - 1, f)] = '\0';
    fclose(f);
    assert_string_equal(have, text);
}

static struct orr_astra_layer layer[2] = {
    {.name = "first",
     .compute_ps = {ORR_US, 2 * ORR_US, 3 * ORR_US},
     .exposed_ps = {[ORR_ASTRA_WG] = 5 * ORR_US},
     .comm_ps = {[ORR_ASTRA_WG] = 7 * ORR_US},
     .phases = 2,
     .queue_ps = {0, 2e6},
     .network_ps = {3e6, 4e6}},
    {.name = "a,\"b\"", .compute_ps = {ORR_US}},
};
static const struct orr_astra_report report = {
    .layers = 2,
    .dims = 2,
    .layer = layer,
    .physical = 2,
    .payload = {1u << 20, 1u << 19},
    .chunk_ps = {6e6, 0},
    .chunks = {4, 0},
    .finish_ps = 12 * ORR_US,
    .total_ps = 12 * ORR_US,
};

static orr_err write_row(const char *run, uint32_t row, uint32_t total)
{
    struct orr_astra_rows rows = {.run = run, .row = row, .total = total};
    struct orr_report why = {.code = ORR_OK};
    return orr__astra_write(&report, folder, &rows, &why);
}

static void test_one_run(void **state)
{
    assert_int_equal(write_row("run", 0, 1), ORR_OK);
    expect("EndToEnd.csv",
           "layer,run,fwd compute,wg compute,ig compute,fwd exposed comm,"
           "wg exposed comm,ig exposed comm,fwd total comm,wg total comm,"
           "ig total comm,workload finished at,total comp,total exposed comm\n"
           "first,run,1.000000,3.000000,2.000000,0.000000,5.000000,0.000000,"
           "0.000000,7.000000,0.000000,12.000000,7.000000,5.000000\n"
           "a__b_,run,1.000000,0.000000,0.000000,0.000000,0.000000,0.000000,"
           "0.000000,0.000000,0.000000,12.000000,,\n");
    expect("detailed.csv",
           "layer,run,queuing delay phase 0,queuing delay phase 1,"
           "queuing delay phase 2,network delay phase 1,network delay phase 2,"
           "avg chunk delay dimension 1,avg chunk delay dimension 2\n"
           "first,run,0.000000,0.000000,2.000000,3.000000,4.000000,6.000000,"
           "-0.001000\n"
           "a__b_,run,,,,,,,\n");
    expect(
        "backend_end_to_end.csv",
        "RunName,CommsTime,ComputeTime,ExposedCommsTime,Cost,"
        "TotalPayloadSize,DPCommsTime,MPCommsTime,PayloadSize_Dim0,"
        "PayloadSize_Dim1,PayloadSize_Dim2,PayloadSize_Dim3,PayloadSize_Dim4,"
        "PayloadSize_Dim5,PayloadSize_Dim6\n"
        "run,12.000000,7.000000,5.000000,-1,1.500000,5.000000,0.000000,"
        "1.000000,0.500000,-1,-1,-1,-1,-1\n");
    expect("backend_dim_info.csv",
           "RunName,DimensionIndex,AverageChunkLatency\n"
           "run,0,6.000000\nrun,1,-0.001000\n");
    expect("tutorial_result.csv",
           "Name,TotalTime(us),ComputeTime(us),ExposedCommunicationTime(us),"
           "TotalMessageSize(MB)\nrun,12.000000,7.000000,5.000000,1.500000\n");
}

/* Each has its row, whichever is first; a layer's rows stand together. */
static void test_several_runs(void **state)
{
    assert_int_equal(write_row("one", 0, 3), ORR_OK);
    assert_int_equal(write_row("three", 2, 3), ORR_OK);
    expect("tutorial_result.csv",
           "Name,TotalTime(us),ComputeTime(us),ExposedCommunicationTime(us),"
           "TotalMessageSize(MB)\none,12.000000,7.000000,5.000000,1.500000\n"
           ",,,,\nthree,12.000000,7.000000,5.000000,1.500000\n");
    assert_int_equal(write_row("two", 1, 3), ORR_OK);
    expect("tutorial_result.csv",
           "Name,TotalTime(us),ComputeTime(us),ExposedCommunicationTime(us),"
           "TotalMessageSize(MB)\none,12.000000,7.000000,5.000000,1.500000\n"
           "two,12.000000,7.000000,5.000000,1.500000\n"
           "three,12.000000,7.000000,5.000000,1.500000\n");
    /* a run's name is no new cell */
    assert_int_equal(write_row("fo\nur", 0, 1), ORR_OK);
    expect("backend_dim_info.csv",
           "RunName,DimensionIndex,AverageChunkLatency\n"
           "fo_ur,0,6.000000\nfo_ur,1,-0.001000\n");
}

static void test_failures(void **state)
{
    struct orr_astra_rows rows = {.run = "x", .total = 1};
    struct orr_report why = {.code = ORR_OK};
    assert_int_equal(
        orr__astra_write(&report, "/tmp/orrery-csv-nowhere", &rows, &why),
        ORR_EIO);
    assert_non_null(strstr(why.message, "No such file or directory"));
    assert_int_equal(write_row("x", 0, 2), ORR_OK);
    for (uint64_t n = 1;; n++) {
        orr__memory_fail_after(n, 0);
        orr_err err = write_row("y", 1, 2);
        orr__memory_fail_after(0, 0);
        if (err == ORR_OK)
            break;
        assert_int_equal(err, ORR_ENOMEM);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_one_run, begin, end),
        cmocka_unit_test_setup_teardown(test_several_runs, begin, end),
        cmocka_unit_test_setup_teardown(test_failures, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
