/* What a summary says of its own figures, a line for each doubt. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/memory.h"
#include "experiment/doubt.h"

static void says(const char *json, const char *lines)
{
    char *s = orr__doubt_of_summary(json);
    assert_non_null(s);
    assert_string_equal(s, lines);
    orr__free(s);
}

static void nothing_is_said_of_what_is_sure(void **state)
{
    says("{\"counters\": {\"packets_sent\": 10, \"packets_dropped\": 0,"
         " \"timeouts\": 0}, \"end\": {\"state\": \"done\"}}",
         "");
}

static void each_doubt_has_its_line(void **state)
{
    says("{\"counters\": {\"packets_sent\": 200, \"packets_dropped\": 3,"
         " \"timeouts\": 2, \"longest_timeout_ns\": 1e7}}",
         "L 1.5 % of packets lost\n"
         "T 2 timeouts of up to 10 ms\n");
    says("{\"end\": {\"state\": \"stopped\", \"at_ns\": 5000, \"jobs\": 2,"
         " \"open_jobs\": 1}}",
         "S stopped at 5 us: 1 of 2 jobs not finished\n");
    says("{\"end\": {\"state\": \"quiet\", \"at_ns\": 1000, \"flows\": 1,"
         " \"open_flows\": 1}}",
         "Q no events left at 1 us: 1 of 1 flow not finished\n");
    says("{\"cluster\": {\"accuracy\": \"fluid\"}}",
         "I shares of links, no packets\n");
}

static void notes_are_told_one_by_one(void **state)
{
    says("{\"notes\": [\"first\", \"second\"],"
         " \"cut\": [{\"list\": \"jobs\", \"shown\": 2, \"of\": 3}]}",
         "N first\nN second\n");
}

static void what_is_no_summary_has_none(void **state)
{
    assert_null(orr__doubt_of_summary(NULL));
    assert_null(orr__doubt_of_summary("{"));
    for (uint64_t k = 1; k < 12; k++) {
        orr__memory_fail_after(k, 0);
        char *s = orr__doubt_of_summary("{\"notes\": [\"first\"]}");
        orr__memory_fail_after(0, 0);
        if (s)
            assert_string_equal(s, "N first\n");
        orr__free(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_said_of_what_is_sure),
        cmocka_unit_test(each_doubt_has_its_line),
        cmocka_unit_test(notes_are_told_one_by_one),
        cmocka_unit_test(what_is_no_summary_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
