#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/memory.h"
#include "core/text.h"

static const struct {
    const char *plain, *quoted;
} cases[] = {
    {"", "\"\""},
    {"leaf 1", "\"leaf 1\""},
    {"a\"b\\c", "\"a\\\"b\\\\c\""},
    {"tab\there\n", "\"tab\\u0009here\\u000a\""},
    {"\x7f", "\"\\u007f\""},
    {"\xc2\x85", "\"\\u0085\""},     /* next line */
    {"\xe2\x80\xa8", "\"\\u2028\""}, /* line separator */
    {"\xc3\xa9\xe2\x82\xac", "\"\xc3\xa9\xe2\x82\xac\""},
    {"\xf0\x9f\x94\xad", "\"\xf0\x9f\x94\xad\""},
};

enum { CASES = sizeof cases / sizeof cases[0] };

static void test_quoted(void **state)
{
    for (size_t i = 0; i < CASES; i++) {
        struct orr_text t = {.s = NULL};
        char *s;

        orr__text_quoted(&t, cases[i].plain);
        s = orr__text_done(&t);
        assert_string_equal(s, cases[i].quoted);
        orr__free(s);
    }
    (void)state;
}

static void test_column(void **state)
{
    struct orr_text t = {.s = NULL};
    char *s;

    orr__text_add(&t, "above\nab");
    orr__text_column(&t, 4);
    orr__text_add(&t, "cd");
    orr__text_column(&t, 2); /* past it already: one blank */
    orr__text_piece(&t, "efg", 2);
    s = orr__text_done(&t);
    assert_string_equal(s, "above\nab  cd ef");
    orr__free(s);
    (void)state;
}

static void assert_wrapped(const char *s, size_t column, const char *expected)
{
    struct orr_text t = {.s = NULL};
    char *made;

    orr__text_add(&t, "%*s", (int)column, "");
    orr__text_wrapped(&t, s, column);
    made = orr__text_done(&t);
    assert_string_equal(made + column, expected);
    orr__free(made);
}

#define LINE_OF_60                                                             \
    "123456789 123456789 123456789 123456789 123456789 123456789-"
#define BLANKS_20 "                    "

static void test_wrapped(void **state)
{
    assert_wrapped("", 20, "");
    assert_wrapped("a  b", 20, "a  b");
    assert_wrapped(LINE_OF_60, 20, LINE_OF_60); /* 80 columns */
    assert_wrapped(LINE_OF_60 " b", 20, LINE_OF_60 "\n" BLANKS_20 "b");
    assert_wrapped(
        "a " LINE_OF_60, 20, /* one too many */
        "a 123456789 123456789 123456789 123456789 123456789\n" BLANKS_20
        "123456789-");
    /* a word that is too long stands by itself; characters count, not bytes,
     * and what does not come to a terminal is a '?' for each of its bytes */
    assert_wrapped("a 0123456789 b", 72,
                   "a\n" BLANKS_20 BLANKS_20 BLANKS_20 "            "
                   "0123456789\n" BLANKS_20 BLANKS_20 BLANKS_20 "            "
                   "b");
    assert_wrapped("a \xc3\xa9\xc3\xa9", 76, "a \xc3\xa9\xc3\xa9");
    assert_wrapped("a \xff\x01", 76, "a \xff\x01");
    assert_wrapped("a \xe2\x80\xa8", 76,
                   "a\n" BLANKS_20 BLANKS_20 BLANKS_20 "                "
                   "\xe2\x80\xa8");
    (void)state;
}

static void assert_shell(const char *word, const char *expected)
{
    struct orr_text t = {NULL};
    orr__text_shell(&t, word);
    char *s = orr__text_done(&t);
    assert_string_equal(s, expected);
    orr__free(s);
}

/* What `sh` takes for one word stays as it is; all else is quoted. */
static void words_for_a_shell(void **state)
{
    assert_shell("run", "run");
    assert_shell("a/b-c_d.yaml", "a/b-c_d.yaml");
    assert_shell("seed=1", "seed=1");
    assert_shell("", "''");
    assert_shell("two words", "'two words'");
    assert_shell("{kind: red}", "'{kind: red}'");
    assert_shell("it's", "'it'\\''s'");
    assert_shell("$HOME", "'$HOME'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_for_a_shell),
        cmocka_unit_test(test_quoted),
        cmocka_unit_test(test_column),
        cmocka_unit_test(test_wrapped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
