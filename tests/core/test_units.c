#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <locale.h>
#include <string.h>
#include <cmocka.h>

#include "core/random.h"
#include "core/units.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static void times_are_exact(void **state)
{
    static const struct {
        const char *text;
        int64_t ps;
    } cases[] = {
        {"0s", 0},
        {"0ps", 0},
        {"1ps", 1},
        {"500ns", 500000},
        {"1.5us", 1500000},
        {"10 us", 10000000},
        {"0.001ms", 1000000},
        {"007ns", 7000},
        {"1min", 60 * ORR_S},
        {"2h", 7200 * ORR_S},
        {"0.1s", 100000000000},
        {"0.0005ns", 1}, /* half up */
        {"0.00049999999999999999999999999999999999999999ns", 0},
        {"0.0014999ns", 1},
        {"4611686.018427387904s", ORR_HORIZON},
        {"4611686018427387904ps", ORR_HORIZON},
        {"0.000000000000000000000000000000000000000001s", 0},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        int64_t ps = -1;
        assert_null(orr__parse_time(cases[i].text, &ps));
        assert_int_equal(ps, cases[i].ps);
    }
}

static void sizes_are_exact(void **state)
{
    static const struct {
        const char *text;
        uint64_t bytes;
    } cases[] = {
        {"0B", 0},
        {"64B", 64},
        {"1KB", 1000},
        {"1KiB", 1024},
        {"25MB", 25000000},
        {"4MiB", 4194304},
        {"1.5GiB", 1610612736},
        {"0.5TB", 500000000000},
        {"0.3B", 0},
        {"0.5B", 1},
        {"16777215TiB", UINT64_C(16777215) << 40},
        {"18446744073709551615B", UINT64_MAX},
        {"18446744.073709551615TB", UINT64_MAX},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint64_t bytes = 77;
        assert_null(orr__parse_size(cases[i].text, &bytes));
        assert_true(bytes == cases[i].bytes);
    }
}

/* What is rounded is known, however far behind the point it stands. */
static void sizes_are_whole_or_not(void **state)
{
    static const char *const whole[] = {
        "64B",         "64.000B",         "1.5KB",
        "12.77MB",     "1.0009765625MiB", "0.5KiB",
        "16777215TiB", "0.0009765625KiB", "18446744.073709551615TB",
    };
    static const char *const rounded[] = {
        "0.5B",
        "1.3B",
        "64.0000000000000000000000000001B",
        "1.5001KB",
        "0.1KiB",
        "1.00097656251KiB",
        "0.00048828125KiB",
        "1x",
        "",
    };
    for (size_t i = 0; i < COUNT(whole); i++)
        assert_true(orr__is_integer_size(whole[i]));
    for (size_t i = 0; i < COUNT(rounded); i++)
        assert_false(orr__is_integer_size(rounded[i]));
}

static void rates_are_exact(void **state)
{
    static const struct {
        const char *text;
        uint64_t bps;
    } cases[] = {
        {"1bps", 1},
        {"400Gbps", 400000000000},
        {"53.687GB/s", 429496000000},
        {"1Tbps", 1000000000000},
        {"1B/s", 8},
        {"100MiB/s", 838860800},
        {"1.5KiB/s", 12288},
        {"2.5Kbps", 2500},
        {"10 Mbps", 10000000},
        {"2TiB/s", UINT64_C(16) << 40},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint64_t bps = 77;
        assert_null(orr__parse_rate(cases[i].text, &bps));
        assert_true(bps == cases[i].bps);
    }
}

#define TIME_MISSING "a unit is missing: write a time like 10us or 500ns"
#define TIME_UNKNOWN "unknown unit: a time takes ps ns us ms s min h"
#define TIME_NOT     "not a time: write a number and a unit, like 10us or 500ns"
#define TIME_BELOW   "a time cannot be negative"
#define TOO_LARGE    "too large to be represented"
#define TOO_LONG     "too long, simulated time ends after 53 days (4611686s)"

static void bad_times_say_what_is_wrong(void **state)
{
    static const char *const cases[][2] = {
        {"", TIME_NOT},
        {"us", TIME_NOT},
        {".5us", TIME_NOT},
        {"5.us", TIME_NOT},
        {"+5us", TIME_NOT},
        {"- 5us", TIME_NOT},
        {"--5us", TIME_NOT},
        {" 5us", TIME_NOT},
        {"0", TIME_MISSING},
        {"500", TIME_MISSING},
        {"1.5", TIME_MISSING},
        {"5 ", TIME_MISSING},
        {"-5us", TIME_BELOW},
        {"-0s", TIME_BELOW},
        {"5US", TIME_UNKNOWN},
        {"5usec", TIME_UNKNOWN},
        {"5us ", TIME_UNKNOWN},
        {"5\tus", TIME_UNKNOWN},
        {"1e3ns", TIME_UNKNOWN},
        {"1_000ns", TIME_UNKNOWN},
        {"1,5us", TIME_UNKNOWN},
        {"1.5.5us", TIME_UNKNOWN},
        {"0x10ns", TIME_UNKNOWN},
        {"1MB", TIME_UNKNOWN},
        {"9223372036854775808ps", TOO_LARGE},
        {"9223372036854775807ps", TOO_LONG},
        {"4611686018427387905ps", TOO_LONG},
        {"9072000s", TOO_LONG},
        {"107d", TIME_UNKNOWN},
        {"2563h", TOO_LARGE},
        {"99999999999999999999999999999999999999999999999999ps", TOO_LARGE},
        {"18446744073709551616h", TOO_LARGE},
        {"9223372.0368547758075s", TOO_LARGE},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        int64_t ps = -77;
        const char *wrong = orr__parse_time(cases[i][0], &ps);
        assert_non_null(wrong);
        assert_string_equal(wrong, cases[i][1]);
        assert_int_equal(ps, -77);
    }
}

static void bad_sizes_and_rates_say_what_is_wrong(void **state)
{
    uint64_t v = 77;
    assert_string_equal(orr__parse_size("4096", &v),
                        "a unit is missing: write a size like 4096B or 4MiB");
    assert_string_equal(
        orr__parse_size("4 kB", &v),
        "unknown unit: a size takes B KB MB GB TB or KiB MiB GiB TiB");
    assert_string_equal(orr__parse_size("-1B", &v),
                        "a size cannot be negative");
    assert_string_equal(
        orr__parse_size("big", &v),
        "not a size: write a number and a unit, like 4096B or 4MiB");
    assert_string_equal(orr__parse_size("16777216TiB", &v), TOO_LARGE);
    assert_string_equal(orr__parse_size("18446744073709551616B", &v),
                        TOO_LARGE);
    assert_string_equal(
        orr__parse_rate("400", &v),
        "a unit is missing: write a rate like 400Gbps or 50GB/s");
    assert_string_equal(
        orr__parse_rate("400Gb", &v),
        "unknown unit: a rate takes bps Kbps Mbps Gbps Tbps (bits) or "
        "B/s KB/s MB/s GB/s TB/s KiB/s MiB/s GiB/s TiB/s (bytes)");
    assert_string_equal(orr__parse_rate("-1Gbps", &v),
                        "a rate cannot be negative");
    assert_string_equal(
        orr__parse_rate("fast", &v),
        "not a rate: write a number and a unit, like 400Gbps or 50GB/s");
    assert_string_equal(orr__parse_rate("18446745Tbps", &v), TOO_LARGE);
    assert_string_equal(orr__parse_rate("2305843009213693952B/s", &v),
                        TOO_LARGE);
    assert_true(v == 77);
}

static void plain_numbers(void **state)
{
    int64_t i;
    double r;
    assert_null(orr__parse_int("-9223372036854775808", &i));
    assert_true(i == INT64_MIN);
    assert_null(orr__parse_int("9223372036854775807", &i));
    assert_true(i == INT64_MAX);
    assert_null(orr__parse_int("0012", &i));
    assert_int_equal(i, 12);
    assert_string_equal(orr__parse_int("9223372036854775808", &i), TOO_LARGE);
    assert_string_equal(orr__parse_int("-9223372036854775809", &i), TOO_LARGE);
    static const char *const not_ints[] = {"",    "-",   "+1", "1.0", "1e3",
                                           "0x1", "1_0", " 1", "1 ",  "one"};
    for (size_t k = 0; k < COUNT(not_ints); k++)
        assert_string_equal(orr__parse_int(not_ints[k], &i),
                            "not a whole number");
    assert_null(orr__parse_real("-2.5e-3", &r));
    assert_true(r == -0.0025);
    assert_null(orr__parse_real("0.1", &r));
    assert_true(r == 0.1);
    assert_null(orr__parse_real("3", &r));
    assert_true(r == 3);
    assert_string_equal(orr__parse_real("1e999", &r), TOO_LARGE);
    static const char *const not_reals[] = {"",    "-",   ".5",  "5.",  "1e",
                                            "nan", "inf", "0x1", "1,5", "1 "};
    for (size_t k = 0; k < COUNT(not_reals); k++)
        assert_string_equal(orr__parse_real(not_reals[k], &r), "not a number");
}

static void formats_are_the_shortest(void **state)
{
    char b[64];
    static const struct {
        int64_t ps;
        const char *text;
    } times[] = {
        {0, "0s"},
        {1, "1ps"},
        {500000, "500ns"},
        {1500000, "1.5us"},
        {60 * ORR_S, "60s"},
        {64701160, "64701160ps"},
        {64700000, "64.7us"},
        {-500000, "-500ns"},
        {INT64_MAX, "9223372036854775807ps"},
    };
    for (size_t i = 0; i < COUNT(times); i++) {
        orr__format_time(times[i].ps, b, sizeof b);
        assert_string_equal(b, times[i].text);
    }
    orr__format_size(4096, b, sizeof b);
    assert_string_equal(b, "4KiB");
    orr__format_size(1500, b, sizeof b);
    assert_string_equal(b, "1500B");
    orr__format_size(0, b, sizeof b);
    assert_string_equal(b, "0B");
    orr__format_rate(400000000000, b, sizeof b);
    assert_string_equal(b, "400Gbps");
    orr__format_rate(0, b, sizeof b);
    assert_string_equal(b, "0bps");
}

/* Numbers of all lengths, many of them round. */
static uint64_t any_number(struct orr_random *r)
{
    uint64_t v = orr__random_u64(r) >> orr__random_below(r, 64);
    uint64_t round = 1;
    for (uint64_t i = orr__random_below(r, 16); i > 0; i--)
        round *= 10;
    return orr__random_below(r, 2) ? v : v / round * round;
}

static void formats_read_back(void **state)
{
    struct orr_random r;
    orr__random_init(&r, 1, 0, ORR_PURPOSE_TEST);
    for (int i = 0; i < 20000; i++) {
        char b[64];
        int64_t ps;
        uint64_t v = any_number(&r), back;
        orr__format_time((int64_t)(v >> 2), b, sizeof b);
        assert_null(orr__parse_time(b, &ps));
        assert_true(ps == (int64_t)(v >> 2));
        orr__format_size(v, b, sizeof b);
        assert_null(orr__parse_size(b, &back));
        assert_true(back == v);
        orr__format_rate(v, b, sizeof b);
        assert_null(orr__parse_rate(b, &back));
        assert_true(back == v);
    }
}

static void people_read_four_digits(void **state)
{
    char b[64];
    static const struct {
        int64_t ps;
        const char *text;
    } times[] = {
        {0, "0 ps"},
        {999, "999 ps"},
        {1000, "1 ns"},
        {45691000, "45.69 us"},
        {999950000, "1 ms"},
        {999940000, "999.9 us"},
        {99996000, "100 us"},
        {64701160, "64.7 us"},
        {12345 * ORR_S, "12345 s"},
        {-1500, "-1.5 ns"},
        {ORR_NEVER, "never"},
    };
    for (size_t i = 0; i < COUNT(times); i++) {
        orr__human_time(times[i].ps, b, sizeof b);
        assert_string_equal(b, times[i].text);
    }
    orr__human_size(1048576, b, sizeof b);
    assert_string_equal(b, "1.049 MB");
    orr__human_size(UINT64_MAX, b, sizeof b);
    assert_string_equal(b, "18446744 TB");
    orr__human_rate(12.4e9, b, sizeof b);
    assert_string_equal(b, "12.4 Gbps");
    orr__human_rate(-1, b, sizeof b);
    assert_string_equal(b, "0 bps");
    orr__human_rate(0.0 / 0.0, b, sizeof b);
    assert_string_equal(b, "a lot of bps");
}

static void buffers_are_not_overrun(void **state)
{
    for (size_t size = 0; size < 24; size++) {
        char b[64];
        memset(b, '!', sizeof b);
        orr__format_time(-64701160, b, size);
        orr__human_time(-64701160, b, size);
        orr__format_size(18446744073709551615u, b, size);
        orr__human_rate(1e99, b, size);
        for (size_t i = size; i < sizeof b; i++)
            assert_int_equal(b[i], '!');
        if (size)
            assert_true(strlen(b) < size);
    }
}

static void serialisation_rounds_up_and_saturates(void **state)
{
    assert_int_equal(orr__serialisation(4098, 400000000000), 81960);
    assert_int_equal(orr__serialisation(1, 3), 2666666666667);
    assert_int_equal(orr__serialisation(0, 1), 0);
    assert_true(orr__serialisation(UINT64_MAX, 1) == ORR_NEVER);
    assert_true(orr__serialisation(UINT64_MAX, UINT64_MAX) == 8 * ORR_S);
    assert_true(orr__time_add(ORR_NEVER - 1, 5) == ORR_NEVER);
    assert_true(orr__time_add(3, 5) == 8);
    assert_true(orr__bytes_in(81960, 400000000000) == 4098);
    assert_true(orr__bytes_in(81959, 400000000000) == 4097);
}

static void a_locale_with_commas_changes_nothing(void **state)
{
    char b[64];
    double r;
    if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "de_DE"))
        skip();
    assert_null(orr__parse_real("2.5", &r));
    orr__human_time(45691000, b, sizeof b);
    setlocale(LC_ALL, "C");
    assert_true(r == 2.5);
    assert_string_equal(b, "45.69 us");
}

static void times_of_clusters_are_nanoseconds(void **state)
{
    static const struct {
        const char *text, *human;
        int64_t ns;
    } cases[] = {
        {"7d", "7 d", INT64_C(604800000000000)},
        {"26h", "26 h", INT64_C(93600000000000)},
        {"2.5h", "2.5 h", INT64_C(9000000000000)},
        {"200d", "200 d", INT64_C(17280000000000000)},
        {"90s", "90 s", INT64_C(90000000000)},
        {"1.5us", "1.5 us", 1500},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        int64_t ns = -1;
        char b[64];
        assert_null(orr__parse_long_time(cases[i].text, &ns));
        assert_int_equal(ns, cases[i].ns);
        orr__human_long_time(ns, b, sizeof b);
        assert_string_equal(b, cases[i].human);
    }
    int64_t ns = -77;
    assert_string_equal(orr__parse_long_time("12ps", &ns),
                        "unknown unit: a time of a cluster takes ns us ms s "
                        "min h d");
    assert_string_equal(orr__parse_long_time("106752d", &ns), TOO_LARGE);
    assert_int_equal(ns, -77);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_exact),
        cmocka_unit_test(sizes_are_exact),
        cmocka_unit_test(sizes_are_whole_or_not),
        cmocka_unit_test(rates_are_exact),
        cmocka_unit_test(bad_times_say_what_is_wrong),
        cmocka_unit_test(bad_sizes_and_rates_say_what_is_wrong),
        cmocka_unit_test(plain_numbers),
        cmocka_unit_test(formats_are_the_shortest),
        cmocka_unit_test(formats_read_back),
        cmocka_unit_test(people_read_four_digits),
        cmocka_unit_test(buffers_are_not_overrun),
        cmocka_unit_test(serialisation_rounds_up_and_saturates),
        cmocka_unit_test(a_locale_with_commas_changes_nothing),
        cmocka_unit_test(times_of_clusters_are_nanoseconds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
