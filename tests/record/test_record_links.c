/* Links by name, as a record has them: the library's own door to that. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "orrery/orrery.h"

static const char *const names[] = {"host 0 -> host 1", "host 1 -> host 0",
                                    "a -> b-c", "a-b -> c"};

static void finds(const char *text, size_t want)
{
    size_t at = 99;
    struct orr_report why = {0};
    assert_int_equal(orr_link_find(names, 4, text, &at, &why), ORR_OK);
    assert_int_equal(at, want);
}

static void fails(const char *text, orr_err code, const char *message)
{
    size_t at = 99;
    struct orr_report why = {0};
    assert_int_equal(orr_link_find(names, 4, text, &at, &why), code);
    assert_string_equal(why.message, message);
    assert_int_equal(at, 99);
}

static void test_signs(void **state)
{
    finds("host 0 > host 1", 0);
    finds("host 1->host 0", 1);
    finds("host 0-host 1", 0);
    finds("a-b > c", 3);
}

static void test_none_or_several(void **state)
{
    fails("a-b-c", ORR_ECONFIG, "\"a-b-c\" names 2 links: a -> b-c, a-b -> c");
    fails("x > y", ORR_ECONFIG,
          "there is no link \"x > y\"; names are as in \"host 0 -> host 1\"");
    fails("0", ORR_ECONFIG, /* they go by name alone */
          "there is no link \"0\"; names are as in \"host 0 -> host 1\"");
}

static void test_bad_calls(void **state)
{
    const char *const holes[] = {"a -> b", NULL};
    struct orr_report why = {0};
    size_t at = 0;
    fails(NULL, ORR_ECALL, "orr_link_find: an argument is NULL");
    assert_int_equal(orr_link_find(NULL, 1, "a", &at, &why), ORR_ECALL);
    assert_int_equal(orr_link_find(holes, 2, "a", &at, &why), ORR_ECALL);
    assert_int_equal(orr_link_find(NULL, 0, "a", &at, NULL), ORR_ECONFIG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_signs),
        cmocka_unit_test(test_none_or_several),
        cmocka_unit_test(test_bad_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
