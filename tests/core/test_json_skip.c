/* Values of a JSON text are passed over, whole or not at all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <string.h>
#include <cmocka.h>

#include "core/json_skip.h"

static struct orr_json_cursor of(const char *text)
{
    return (struct orr_json_cursor){text, text + strlen(text)};
}

static void test_a_value_ends_where_the_next_begins(void **state)
{
    static const struct {
        const char *text, *rest;
    } cases[] = {
        {"12.5e3, 4", ", 4"},  {" true}", "}"},
        {"\n\t null ]", " ]"}, {"\"a\\\"]\", 1", ", 1"},
        {"\"\\\\\"x", "x"},    {"[1, {\"]\": [\"}\", 2]}] , 3", " , 3"},
        {"{}{}", "{}"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct orr_json_cursor c = of(cases[i].text);
        assert_true(orr__json_skip_value(&c));
        assert_string_equal(c.at, cases[i].rest);
    }
}

static void test_what_is_cut_off_is_no_value(void **state)
{
    static const char *const none[] = {
        "",        "  ", ",",     "}",    "\"a",        "\"a\\",
        "\"a\\\"", "[",  "[1, 2", "[\"]", "{\"a\": {}",
    };
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        struct orr_json_cursor c = of(none[i]);
        assert_false(orr__json_skip_value(&c));
        assert_true(c.at <= c.end);
    }
}

static void test_keys(void **state)
{
    static const struct {
        const char *text;
        long length;
        const char *rest;
    } cases[] = {
        {" \"ab\" : 1", 2, " 1"}, {"\"\":[]", 0, "[]"},
        {"\"a\\\"b\":2", 4, "2"}, {"\"ab\" 1", -1, NULL},
        {"\"ab", -1, NULL},       {"ab: 1", -1, NULL},
        {"\"ab\"", -1, NULL},     {"", -1, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *key = NULL;
        struct orr_json_cursor c = of(cases[i].text);
        assert_int_equal(orr__json_skip_key(&c, &key), cases[i].length);
        if (cases[i].length < 0)
            continue;
        assert_ptr_equal(key, strchr(cases[i].text, '"') + 1);
        assert_string_equal(c.at, cases[i].rest);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_value_ends_where_the_next_begins),
        cmocka_unit_test(test_what_is_cut_off_is_no_value),
        cmocka_unit_test(test_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
