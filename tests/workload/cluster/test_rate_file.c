/* Jobs that come more often at some hours than at others. */
#include "tests/workload/cluster/coming.h"

#include <math.h>

#include "workload/cluster/rate_file.h"

/* 10 an hour from 1 to 3, 40 from 3 on, none from 5 to 1 */
static struct orr_rate_piece day[] = {
    {0, 0}, {3600e9, 10 / 3600e9}, {3 * 3600e9, 40 / 3600e9}, {5 * 3600e9, 0}};

static void jobs_are_counted_through_the_pieces(void **state)
{
    struct orr_rate_curve c = {day, 4, 24 * 3600e9, 100};
    assert_int_equal(orr__rate_curve_when(&c, 0, 10), 2 * HOUR);
    assert_int_equal(orr__rate_curve_when(&c, 2 * HOUR, 20),
                     3 * HOUR + HOUR / 4);
    assert_int_equal(orr__rate_curve_when(&c, 4 * HOUR, 41),
                     24 * HOUR + HOUR + HOUR / 10);
    /* three days and ten jobs */
    assert_int_equal(orr__rate_curve_when(&c, 0, 310), 74 * HOUR);
    assert_int_equal(orr__rate_curve_when(&c, 25 * HOUR, 5),
                     25 * HOUR + HOUR / 2);
}

static void a_curve_that_ends_in_0_ends(void **state)
{
    struct orr_rate_curve c = {day, 4, INFINITY, 100};
    assert_int_equal(orr__rate_curve_when(&c, 0, 99), 4 * HOUR + 3510 * SEC);
    assert_int_equal(orr__rate_curve_when(&c, 0, 101), INT64_MAX);
}

static void a_shape_is_scaled_to_its_mean(void **state)
{
    struct orr_rate_piece piece[] = {{0, 1}, {6 * 3600e9, 3}};
    struct orr_rate_curve c = {piece, 2, 12 * 3600e9, 24 * 3600e9};
    orr__rate_curve_scale(&c, 8 / 3600e9);
    assert_true(fabs(piece[0].rate * 3600e9 - 4) < 1e-9);
    assert_true(fabs(piece[1].rate * 3600e9 - 12) < 1e-9);
    assert_true(fabs(c.whole - 96) < 1e-9);
}

static void put(const char *text)
{
    FILE *f = fopen("test_rate_file.csv", "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

#define JOBS "jobs: [{name: a, gpus: 1, iterations: 1000}]\n"

/* Over 400 days as many come in each hour as the table says, within five
 * standard deviations. */
static void a_day_comes_out_as_it_is_written(void **state)
{
    static const double rate[] = {2, 8, 4};
    static const int from[] = {0, 8, 18, 24};
    struct coming s;
    uint32_t n[24] = {0};
    put("# a day\nhour,note,rate\n0,night,2\n8,\"work, and more\",8\n18,,4\n");
    coming_open(&s, JOBS "arrivals: {rate_file: test_rate_file.csv, "
                         "until: 400d}\n");
    for (uint32_t i = 0; i < s.c.arrivals.n; i++)
        n[s.c.arrivals.item[i].at_ns / HOUR % 24]++;
    for (int p = 0; p < 3; p++)
        for (int h = from[p]; h < from[p + 1]; h++)
            assert_true(fabs(n[h] - 400 * rate[p]) < 5 * sqrt(400 * rate[p]));
    coming_close(&s);
}

/* Beside a load the file is a shape: what jobs ask for is the load. */
static void a_load_has_the_shape_of_the_file(void **state)
{
    struct coming s;
    uint32_t first = 0;
    put("at,rate\n0s,1\n12h,3\n");
    coming_open(&s, "jobs: [{name: a, gpus: 2, duration: 100s}]\n"
                    "arrivals: {load: 50%, rate_file: test_rate_file.csv, "
                    "until: 40d}\n");
    double mean = 32 * 0.5 / 200 * 3600 * 24 * 40; /* 32 GPUs */
    for (uint32_t i = 0; i < s.c.arrivals.n; i++)
        first += s.c.arrivals.item[i].at_ns % (24 * HOUR) < 12 * HOUR;
    assert_true(fabs(s.c.arrivals.n - mean) < 5 * sqrt(mean));
    assert_true(fabs(first - mean / 4) < 5 * sqrt(mean / 4));
    coming_close(&s);
}

static void what_is_no_table_is_refused_where_it_stands(void **state)
{
    static const struct {
        const char *text, *message;
        int line;
    } row[] = {
        {"hour,rate\n0,1\n3,x\n", "rate must be a number", 3},
        {"hour,rate\n0,1\n3,-1\n", "rate must be", 3},
        {"hour,rate\n0,1\n3,nan\n", "rate must be", 3},
        {"at,rate\n0,1\n", "at: ", 2},
        {"hour,rate\n0,1\n4,2\n4,3\n", "times go up", 4},
        {"hour,rate\n0\n", "this line has 1 fields", 2},
        {"hour,rate\n0,1,2\n", "more fields than names", 2},
        {"rate\n1\n", "either `at`", 1},
        {"hour,at,rate\n0,0s,1\n", "either `at`", 1},
        {"hour\n1\n", "no column \"rate\"", 1},
        {"hour,rate,rate\n1,1,1\n", "two columns", 1},
        {"hour,rate\n", "no line below the names", 2},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct coming s;
        struct orr_report why = {0};
        put(row[i].text);
        orr_err err = coming_read(
            &s, JOBS "arrivals: {rate_file: test_rate_file.csv, most: 5}\n",
            NULL, &why);
        assert_int_equal(err, ORR_ECONFIG);
        assert_int_equal(why.line, row[i].line);
        assert_true(why.col > 0);
        assert_non_null(strstr(why.message, row[i].message));
        assert_non_null(strstr(why.file, "test_rate_file.csv"));
        coming_close(&s);
    }
}

static void what_a_file_cannot_be_is_refused(void **state)
{
    static const struct bad_row row[] = {
        {"[{name: a, gpus: 1, iterations: 9}]",
         "{rate_file: no.csv, until: 1d}",
         "cannot read no.csv: No such file or directory", 3},
        {"[{name: a, gpus: 1, iterations: 9}]",
         "{rate_file: test_rate_file.csv, rate_period: 2h, until: 1d}",
         "cluster.arrivals.rate_period: the last line of the file is for 4 h, "
         "which is not before it",
         3},
        {"[{name: a, gpus: 1, iterations: 9}]",
         "{rate_file: test_rate_file.csv, until: 1d, kind: poisson, "
         "rate: 3, load: 5%}",
         "cluster.arrivals: either `load` or `rate` is needed", 3},
    };
    static const struct bad_row zero[] = {
        {"[{name: a, gpus: 1, iterations: 9}]",
         "{rate_file: test_rate_file.csv, until: 1d}",
         "cluster.arrivals.rate_file: all rates of test_rate_file.csv are 0: "
         "no job comes",
         3}};
    static const struct bad_row endless[] = {
        {"[{name: a, gpus: 1, iterations: 9}]",
         "{rate_file: test_rate_file.csv, rate: 3, until: 3d}",
         "cluster.arrivals: a table that does not repeat has no mean: set "
         "`rate_period`",
         3}};
    put("hour,rate\n0,1\n4,2\n");
    coming_refused(row, sizeof row / sizeof *row, NULL);
    put("hour,rate\n0,0\n4,0\n");
    coming_refused(zero, 1, NULL);
    put("hour,rate\n0,1\n30,2\n");
    coming_refused(endless, 1, NULL);
}

static int clean(void **state)
{
    return remove("test_rate_file.csv");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_are_counted_through_the_pieces),
        cmocka_unit_test(a_curve_that_ends_in_0_ends),
        cmocka_unit_test(a_shape_is_scaled_to_its_mean),
        cmocka_unit_test(a_day_comes_out_as_it_is_written),
        cmocka_unit_test(a_load_has_the_shape_of_the_file),
        cmocka_unit_test(what_is_no_table_is_refused_where_it_stands),
        cmocka_unit_test(what_a_file_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, clean);
}
