#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <string.h>
#include <cmocka.h>

#include "core/error.h"

static void every_code_has_a_text(void **state)
{
    assert_string_equal(orr_strerror(ORR_OK), "ok");
    assert_string_equal(orr_strerror(ORR_EINTERRUPTED), "interrupted");
    for (int i = ORR_OK; i <= ORR_EINTERNAL; i++)
        assert_string_not_equal(orr_strerror((orr_err)i), "unknown error");
    assert_string_equal(orr_strerror((orr_err)99), "unknown error");
    assert_string_equal(orr_version(), ORR_VERSION);
}

static void the_first_failure_wins(void **state)
{
    struct orr_report why = {.code = ORR_OK};
    assert_int_equal(orr__fail(&why, ORR_EIO, "disk %d", 3), ORR_EIO);
    assert_int_equal(orr__fail(&why, ORR_ERUN, "later"), ORR_ERUN);
    assert_int_equal(orr__no_memory(&why), ORR_ENOMEM);
    assert_int_equal(orr__fail_at(&why, ORR_ECONFIG, "f", 1, 2, "later"),
                     ORR_ECONFIG);
    assert_int_equal(why.code, ORR_EIO);
    assert_string_equal(why.message, "disk 3");
    assert_int_equal(why.line, 0);
}

static void a_report_is_optional(void **state)
{
    assert_int_equal(orr__fail(NULL, ORR_EIO, "x"), ORR_EIO);
    assert_int_equal(orr__fail_at(NULL, ORR_EIO, "f", 1, 1, "x"), ORR_EIO);
    assert_int_equal(orr__no_memory(NULL), ORR_ENOMEM);
    orr__hint(NULL, "x");
    orr__excerpt(NULL, "x", 1);
}

static void a_hint_needs_a_failure_and_stays(void **state)
{
    struct orr_report why = {.code = ORR_OK};
    orr__hint(&why, "too early");
    assert_string_equal(why.hint, "");
    orr__fail(&why, ORR_EIO, "x");
    orr__hint(&why, "first");
    orr__hint(&why, "second");
    assert_string_equal(why.hint, "first");
}

/* Formats a failure at FILE:line:col with an excerpt from `line_text`. */
static const char *format(char *buf, size_t size, const char *file, int line,
                          int col, const char *line_text, const char *hint)
{
    struct orr_report why = {.code = ORR_OK};
    orr__fail_at(&why, ORR_ECONFIG, file, line, col, "wrong");
    if (line_text)
        orr__excerpt(&why, line_text, strlen(line_text));
    if (hint)
        orr__hint(&why, "%s", hint);
    orr__report_format(&why, buf, size);
    return buf;
}

static void a_report_shows_place_caret_and_hint(void **state)
{
    static const struct {
        const char *file;
        int line, col;
        const char *text, *hint, *expect;
    } cases[] = {
        {"", 0, 0, NULL, NULL, "wrong"},
        {"a.yaml", 0, 0, NULL, NULL, "a.yaml: wrong"},
        {"a.yaml", 7, 0, NULL, "h", "a.yaml:7: wrong\nhint: h"},
        {"a.yaml", 3, 5, "a:  b", NULL,
         "a.yaml:3:5: wrong\n    a:  b\n        ^"},
        {"a.yaml", 3, 1, "\tx\r", "do",
         "a.yaml:3:1: wrong\n     x?\n    ^\nhint: do"},
        /* columns are characters, not bytes */
        {"a.yaml", 1, 4, "\xc3\xa9: \xe2\x82\xac", NULL,
         "a.yaml:1:4: wrong\n    \xc3\xa9: \xe2\x82\xac\n       ^"},
        {"a.yaml", 1, 2, "\xff\x1b[2J\xc2\x9b", NULL,
         "a.yaml:1:2: wrong\n    \?\?[2J\?\?\n     ^"},
        {"a.yaml", 1, 3, "", NULL, "a.yaml:1:3: wrong"},
    };
    char buf[4096];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(format(buf, sizeof buf, cases[i].file,
                                   cases[i].line, cases[i].col, cases[i].text,
                                   cases[i].hint),
                            cases[i].expect);
}

static void a_long_line_is_shown_around_its_column(void **state)
{
    char line[1001], buf[4096];
    memset(line, '.', 1000);
    line[1000] = '\0';
    for (int col = 1; col <= 1000; col++) {
        line[col - 1] = 'X';
        format(buf, sizeof buf, "f", 1, col, line, NULL);
        line[col - 1] = '.';
        char *excerpt = strstr(buf, "\n    ") + 5;
        char *caret_line = strstr(excerpt, "\n    ") + 5;
        size_t caret = strcspn(caret_line, "^");
        assert_true(caret_line - excerpt < 70);
        assert_int_equal(excerpt[caret], 'X');
    }
}

static void text_of_users_cannot_move_the_cursor(void **state)
{
    struct orr_report why = {.code = ORR_OK};
    orr__fail_at(&why, ORR_ECONFIG, "f\x1b[2J", 1, 1, "a\x1b[31m\xc2\x85\xff%s",
                 "b\nc\td");
    assert_string_equal(why.message, "a?[31m\?\?\?b\nc?d");
    assert_string_equal(why.file, "f?[2J");
}

static void what_is_too_long_is_cut_between_characters(void **state)
{
    char text[3000], buf[64];
    struct orr_report why = {.code = ORR_OK};
    for (size_t i = 0; i + 2 < sizeof text; i += 3)
        memcpy(text + i, "\xe2\x82\xac", 3);
    text[sizeof text - 3] = '\0';
    orr__fail_at(&why, ORR_EIO, text, 1, 1, "%s", text);
    assert_int_equal(strlen(why.message),
                     sizeof why.message - 1 - (sizeof why.message - 1) % 3);
    orr__hint(&why, "x%s", text);
    assert_int_equal(strlen(why.hint) % 3, 1);
    memset(buf, 'z', sizeof buf);
    orr__report_format(&why, buf, sizeof buf);
    assert_int_equal(strlen(buf), sizeof buf - 1);
    orr__report_format(&why, buf, 1);
    assert_string_equal(buf, "");
    orr__report_format(&why, buf, 0);
}

static void utf8_is_strict(void **state)
{
    static const struct {
        const char *text;
        size_t length;
        uint32_t point;
    } cases[] = {
        {"a", 1, 'a'},
        {"\x7f", 1, 0x7f},
        {"\xc2\x80", 2, 0x80},
        {"\xdf\xbf", 2, 0x7ff},
        {"\xe0\xa0\x80", 3, 0x800},
        {"\xed\x9f\xbf", 3, 0xd7ff},
        {"\xf0\x90\x80\x80", 4, 0x10000},
        {"\xf4\x8f\xbf\xbf", 4, 0x10ffff},
        {"\x80", 0, 0},         /* continuation alone */
        {"\xc1\xbf", 0, 0},     /* too long a form */
        {"\xe0\x9f\xbf", 0, 0}, /* too long a form */
        {"\xed\xa0\x80", 0, 0}, /* surrogate */
        {"\xf4\x90\x80\x80", 0, 0},
        {"\xff", 0, 0},
        {"\xe2\x82", 0, 0}, /* cut off */
        {"\xe2\x82x", 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t point = 0;
        size_t n =
            orr__utf8_length(cases[i].text, strlen(cases[i].text), &point);
        assert_int_equal(n, cases[i].length);
        assert_int_equal(point, cases[i].point);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_has_a_text),
        cmocka_unit_test(the_first_failure_wins),
        cmocka_unit_test(a_report_is_optional),
        cmocka_unit_test(a_hint_needs_a_failure_and_stays),
        cmocka_unit_test(a_report_shows_place_caret_and_hint),
        cmocka_unit_test(a_long_line_is_shown_around_its_column),
        cmocka_unit_test(text_of_users_cannot_move_the_cursor),
        cmocka_unit_test(what_is_too_long_is_cut_between_characters),
        cmocka_unit_test(utf8_is_strict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
