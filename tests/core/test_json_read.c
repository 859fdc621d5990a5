#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <string.h>

#include <cmocka.h>

#include "core/json_read.h"

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
        {"a", 2, 8},
        {"b", 3, 5},
        {"d", 4, 30},        /* the outermost, not a value, not within */
        {"\xc3\xa4", 4, 20}, /* columns are characters */
        {"last", 5, 11},
        {"e", 2, 2},         /* of another map: the place of this one */
        {"c", 2, 2},
        {"f", 2, 2},
        {"", 2, 2},
        {NULL, 2, 2},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int line = 0, column = 0;

        orr__json_place(&(struct orr_json_text){"t", text, sizeof text - 1},
                        cases[i].key, &line, &column);
        assert_int_equal(line, cases[i].line);
        assert_int_equal(column, cases[i].column);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_cut_off),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
