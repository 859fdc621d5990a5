/* What is kept of a summary, and what is no summary. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <string.h>
#include <cmocka.h>

#include "core/memory.h"
#include "study/compare/summary_filter.h"

static const char *const paths[] = {"partial", "jobs.*.iteration_ns.mean",
                                    "flows.by_size.10KB.p99"};

static void gives(const char *text, const char *expected)
{
    char *out = NULL;
    assert_int_equal(orr__summary_filter(text, strlen(text), paths, 3, &out),
                     ORR_OK);
    if (expected)
        assert_string_equal(out, expected);
    else
        assert_null(out);
    orr__free(out);
}

static void what_a_path_can_reach_is_kept(void **state)
{
    gives("{\"partial\": false, \"wall\": {\"seconds\": 3}}",
          "{\"partial\":false}");
    gives("{ \"jobs\" : [ {\"name\": \"a \\\"}]\", \"x\": [1, {\"y\": \"]\"}],"
          "\n  \"iteration_ns\": {\"p50\": 2, \"mean\": 1.5e3} }, {} ] }",
          "{\"jobs\":[{\"name\":\"a \\\"}]\",\"iteration_ns\":"
          "{\"mean\":1.5e3}},{}]}");
    gives("{\"flows\": {\"list\": [1, 2], \"by_size\": [{\"from\": 1, "
          "\"to\": 2, \"count\": 3, \"p99\": null}, {\"p50\": 2}]}}",
          "{\"flows\":{\"by_size\":[{\"from\":1,\"to\":2,\"p99\":null},{}]}}");
    /* a path that ends at a list's member means its mean */
    gives("{\"flows\": {\"by_size\": [{\"p99\": {\"mean\": 4, \"p50\": 3}}]}}",
          "{\"flows\":{\"by_size\":[{\"p99\":{\"mean\":4}}]}}");
    gives("{}", "{}");
    gives("{\"a\": {\"partial\": 1}}", "{}");
}

static void a_text_that_is_cut_short_is_none(void **state)
{
    static const char whole[] =
        "{\"x\": [{\"a\": \"\\\"\"}], \"partial\": true, "
        "\"jobs\": [{\"iteration_ns\": {\"mean\": 12}}]}";
    char part[sizeof whole];
    for (size_t n = 0; n < sizeof whole - 1; n++) {
        memcpy(part, whole, n);
        part[n] = '\0';
        gives(part, NULL);
    }
    gives(whole, "{\"partial\":true,"
                 "\"jobs\":[{\"iteration_ns\":{\"mean\":12}}]}");
}

static void what_is_no_json_is_none(void **state)
{
    gives("", NULL);
    gives("{\"partial\": true} {}", NULL);
    gives("{\"partial\" true}", NULL);
    gives("{\"partial\": true \"jobs\": 1}", NULL);
    gives("{partial: true}", NULL);
    gives("{\"partial\": }", NULL);
    char deep[200];
    memset(deep, '[', sizeof deep - 1);
    deep[sizeof deep - 1] = '\0';
    gives(deep, NULL);
}

static void memory_may_end(void **state)
{
    static const char text[] = "{\"partial\": true}";
    for (uint64_t n = 1;; n++) {
        char *out = NULL;
        orr__memory_fail_after(n, 1);
        orr_err err =
            orr__summary_filter(text, sizeof text - 1, paths, 3, &out);
        orr__memory_fail_after(0, 0);
        orr__free(out);
        if (err == ORR_OK)
            break;
        assert_int_equal(err, ORR_ENOMEM);
        assert_true(n < 10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_path_can_reach_is_kept),
        cmocka_unit_test(a_text_that_is_cut_short_is_none),
        cmocka_unit_test(what_is_no_json_is_none),
        cmocka_unit_test(memory_may_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
