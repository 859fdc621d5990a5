#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/scan.h"

static struct orr_scan scan_of(const char *text, struct orr_report *why)
{
    struct orr_scan s;
    *why = (struct orr_report){.code = ORR_OK};
    assert_int_equal(orr__scan_text(&s, "f.txt", text, strlen(text), why),
                     ORR_OK);
    return s;
}

static void words_and_lines(void **state)
{
    struct orr_report why;
    struct orr_scan s = scan_of("  a\tbc # d e\r\n\n f\n", &why);
    s.comment = '#';
    assert_true(orr__scan_word(&s));
    assert_string_equal(s.word, "a");
    assert_true(orr__scan_here(&s));
    assert_string_equal(s.word, "bc");
    assert_int_equal(s.length, 2);
    assert_false(orr__scan_here(&s)); /* a comment is the line's end */
    assert_string_equal(s.word, "");
    assert_true(orr__scan_word(&s));
    assert_string_equal(s.word, "f");
    assert_int_equal(orr__scan_line(&s), 3);
    assert_false(orr__scan_word(&s));
    assert_false(orr__scan_word(&s));
    orr__scan_fini(&s);
}

static void separators_end_words(void **state)
{
    struct orr_report why;
    struct orr_scan s = scan_of("1,2, 3\nx y z", &why);
    s.separator = ',';
    for (const char *n = "123"; *n; n++) {
        assert_true(orr__scan_here(&s));
        assert_int_equal(s.word[0], *n);
        assert_int_equal(s.length, 1);
    }
    assert_false(orr__scan_here(&s));
    assert_true(orr__scan_word(&s));
    assert_string_equal(s.word, "x");
    orr__scan_fini(&s);
}

static void check(struct orr_scan *s, struct orr_report *why, int line, int col,
                  const char *message)
{
    assert_string_equal(why->message, message);
    assert_string_equal(why->file, "f.txt");
    assert_int_equal(why->line, line);
    assert_int_equal(why->col, col);
    orr__scan_fini(s);
}

static void failures_have_places(void **state)
{
    struct orr_report why;
    struct orr_scan s = scan_of("one two\nthree four", &why);
    for (int i = 0; i < 3; i++)
        assert_true(orr__scan_word(&s));
    assert_int_equal(orr__scan_fail(&s, "no %s", "good"), ORR_ECONFIG);
    assert_string_equal(why.excerpt, "three four");
    check(&s, &why, 2, 1, "no good");
    s = scan_of("one two", &why);
    assert_true(orr__scan_word(&s));
    assert_true(orr__scan_word(&s));
    (void)orr__scan_fail_at(&s, 2, "here");
    check(&s, &why, 1, 7, "here");
    s = scan_of("one \n", &why);
    assert_true(orr__scan_word(&s));
    assert_false(orr__scan_here(&s));
    (void)orr__scan_fail(&s, "missing");
    check(&s, &why, 1, 5, "missing");
}

static void numbers(void **state)
{
    struct orr_report why;
    struct orr_scan s = scan_of("12 0.5 x", &why);
    int64_t i;
    double d;
    (void)orr__scan_word(&s);
    assert_int_equal(orr__scan_int(&s, "n", 0, 12, &i), ORR_OK);
    assert_int_equal(i, 12);
    (void)orr__scan_word(&s);
    assert_int_equal(orr__scan_real(&s, "d", 0, 1, &d), ORR_OK);
    assert_true(d == 0.5);
    assert_int_equal(orr__scan_int(&s, "n", 0, 12, &i), ORR_ECONFIG);
    check(&s, &why, 1, 4, "n must be a whole number, not \"0.5\"");
    s = scan_of("13", &why);
    (void)orr__scan_word(&s);
    assert_int_equal(orr__scan_int(&s, "n", 0, 12, &i), ORR_ECONFIG);
    check(&s, &why, 1, 1, "n must be from 0 to 12, not 13");
    s = scan_of("nan", &why);
    (void)orr__scan_word(&s);
    assert_int_equal(orr__scan_real(&s, "d", 0, 1, &d), ORR_ECONFIG);
    check(&s, &why, 1, 1, "d must be a number, not \"nan\"");
    s = scan_of("", &why);
    (void)orr__scan_word(&s);
    assert_int_equal(orr__scan_real(&s, "d", 0, 1, &d), ORR_ECONFIG);
    check(&s, &why, 1, 1, "d is missing");
}

static void times_and_rates(void **state)
{
    static const struct {
        const char *text, *bare;
        int64_t ps;
    } times[] = {
        {"2.000001", "s", 2000001000000}, {"2", "s", 2000000000000},
        {"2e-05", "s", 20000000},         {"1.5E2", "ns", 150000},
        {"0.000025ms", "s", 25000},       {"500ns", NULL, 500000},
    };
    static const struct {
        const char *text;
        uint64_t bps;
    } rates[] = {
        {"100Gbps", 100000000000u}, {"50Mb/s", 50000000},
        {"10kbps", 10000},          {"25000000000", 25000000000u},
        {"2.5Gb/s", 2500000000u},   {"7kb/s", 7000},
    };
    struct orr_report why;
    struct orr_scan s;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        int64_t ps = -1;
        s = scan_of(times[i].text, &why);
        (void)orr__scan_word(&s);
        if (orr__scan_time(&s, "t", times[i].bare, &ps) != ORR_OK
            || ps != times[i].ps)
            fail_msg("%s is %lld: %s", times[i].text, (long long)ps,
                     why.message);
        orr__scan_fini(&s);
    }
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        uint64_t bps = 0;
        s = scan_of(rates[i].text, &why);
        (void)orr__scan_word(&s);
        if (orr__scan_rate(&s, "r", "bps", &bps) != ORR_OK
            || bps != rates[i].bps)
            fail_msg("%s is %llu: %s", rates[i].text, (unsigned long long)bps,
                     why.message);
        orr__scan_fini(&s);
    }
    int64_t ps;
    s = scan_of("12", &why);
    (void)orr__scan_word(&s);
    assert_int_equal(orr__scan_time(&s, "t", NULL, &ps), ORR_ECONFIG);
    check(&s, &why, 1, 1,
          "t: a unit is missing: write a time like 10us or 500ns");
}

static void no_text_files(void **state)
{
    struct orr_report why = {.code = ORR_OK};
    struct orr_scan s;
    assert_int_equal(orr__scan_text(&s, "f.txt", "ab\nc\0d", 6, &why),
                     ORR_ECONFIG);
    check(&s, &why, 2, 2, "a zero byte: this is no text file");
    why = (struct orr_report){.code = ORR_OK};
    assert_int_equal(orr__scan_open(&s, "/nowhere/f", "f", &why), ORR_ECONFIG);
    assert_string_equal(why.message,
                        "cannot read f: No such file or directory");
    why = (struct orr_report){.code = ORR_OK};
    assert_int_equal(orr__scan_open(&s, "/tmp", "/tmp", &why), ORR_ECONFIG);
    assert_string_equal(why.message, "cannot read /tmp: Is a directory");
    /* one that never ends is left at its first zero */
    why = (struct orr_report){.code = ORR_OK};
    assert_int_equal(orr__scan_open(&s, "/dev/zero", "f.txt", &why),
                     ORR_ECONFIG);
    check(&s, &why, 1, 1, "a zero byte: this is no text file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_and_lines),
        cmocka_unit_test(separators_end_words),
        cmocka_unit_test(failures_have_places),
        cmocka_unit_test(numbers),
        cmocka_unit_test(times_and_rates),
        cmocka_unit_test(no_text_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
