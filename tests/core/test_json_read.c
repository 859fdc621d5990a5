#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "core/json_read.h"
#include "core/memory.h"

static const char text[] =
    "\n"
    " {\"a\": 1, \"b\" :\n"
    "    [\"c\", {\"d\": 2, \"e\": \"f\"}],\n"
    "  \"\\\"g\": \"d\", \"\xc3\xa4\": \"\xc3\xa4\", \"d\": 3,\n"
    "  \"last\": true}";

static void test_places(void **state)
{
    static const struct {
        const char *key;
        int line, column;
    } cases[] = {
        {"a", 2, 8},         {"b", 3, 5}, {"d", 4, 30}, /* the outermost, not a
                                                           value, not within */
        {"\xc3\xa4", 4, 20},              /* columns are characters */
        {"last", 5, 11},     {"e", 2, 2}, /* of another map: the place of this
                                             one */
        {"c", 2, 2},         {"f", 2, 2}, {"", 2, 2},   {NULL, 2, 2},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int line = 0, column = 0;

        orr__json_place(&(struct orr_json_text){"t", text, sizeof text - 1},
                        cases[i].key, &line, &column);
        assert_int_equal(line, cases[i].line);
        assert_int_equal(column, cases[i].column);
    }
}

static void test_items(void **state)
{
    static const struct {
        const char *key;
        size_t index;
        int line, column;
    } cases[] = {
        {"b", 0, 3, 6}, {"b", 1, 3, 11},
        {"b", 2, 3, 5}, /* the list: it has
                           no such */
        {"a", 0, 2, 8}, {"c", 0, 2, 2},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct orr_report why = {.code = ORR_OK};

        assert_int_equal(
            orr__json_fail_item(
                &(struct orr_json_text){"t", text, sizeof text - 1},
                cases[i].key, cases[i].index, &why, "no %d", 7),
            ORR_ECONFIG);
        assert_int_equal(why.line, cases[i].line);
        assert_int_equal(why.col, cases[i].column);
        assert_string_equal(why.message, "no 7");
    }
}

/* A text that ends anywhere does not lead beyond its end. */
static void test_cut_off(void **state)
{
    for (size_t n = 0; n < sizeof text - 1; n++) {
        char *copy = test_malloc(n + 1);
        int line, column;

        memcpy(copy, text, n);
        orr__json_place(&(struct orr_json_text){"t", copy, n}, "last", &line,
                        &column);
        assert_in_range(line, 1, 5);
        test_free(copy);
    }
}

static orr_err read_list(const char *json, json_t **out, struct orr_report *why)
{
    const struct orr_json_text of = {"t", json, strlen(json)};

    *why = (struct orr_report){0};
    return orr__json_read(&of, JSON_REJECT_DUPLICATES, JSON_ARRAY,
                          "a list is expected", out, why);
}

static void test_read(void **state)
{
    static const struct {
        const char *json, *message;
        int line, column;
    } refused[] = {
        {"[1,\n 2", "']' expected near end of file", 2, 2},
        {"", "'[' or '{' expected near end of file", 1, 0},
        {"[{\"a\": 1, \"a\": 2}]", "duplicate object key near '\"a\"'", 1, 13},
        {" {}", "a list is expected", 1, 1},
    };
    struct orr_report why;
    json_t *list;

    assert_int_equal(read_list(" [1, 2]", &list, &why), ORR_OK);
    assert_int_equal(json_array_size(list), 2);
    json_decref(list);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        assert_int_equal(read_list(refused[i].json, &list, &why), ORR_ECONFIG);
        assert_null(list);
        assert_string_equal(why.message, refused[i].message);
        assert_string_equal(why.file, "t");
        assert_int_equal(why.line, refused[i].line);
        assert_int_equal(why.col, refused[i].column);
    }
    /* what cannot be read while memory ends is not said to be wrong */
    orr__memory_fail_after(1, 1);
    orr_err err = read_list("[\"", &list, &why);
    orr__memory_fail_after(0, 0);
    assert_int_equal(err, ORR_ENOMEM);
    assert_string_equal(why.message, "out of memory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_items),
        cmocka_unit_test(test_cut_off),
        cmocka_unit_test(test_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
