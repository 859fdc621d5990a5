/* A system file, in both of its spellings: what its keys may be, and where
 * what is wrong with them is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "core/memory.h"
#include "formats/astra/system.h"
#include "tests/refused.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

static orr_err read(const char *text, struct orr_astra_system *s,
                    struct orr_report *why)
{
    *why = (struct orr_report){0};
    return orr__astra_system("s", text, strlen(text), s, why);
}

static struct orr_astra_system accepted(const char *text)
{
    struct orr_astra_system s;
    struct orr_report why;
    orr_err err = read(text, &s, &why);
    if (err)
        print_error("%s\n", why.message);
    assert_int_equal(err, ORR_OK);
    return s;
}

static void test_keys(void **state)
{
    struct orr_astra_system s =
        accepted("\n  scheduling-policy: EXPLICIT \t\r\ngap-denominator: 4\n"
                 "collective-optimization: baseline\nmodel-shared-bus: 0\n"
                 "intra-dimension-scheduling: SCF\n"
                 "inter-dimension-scheduling: offlineGreedyFlex\n"
                 "all-to-all-implementation: __oneDirect7_oneRing\nL: 9");
    assert_false(s.json);
    assert_true(s.explicit && !s.fifo && s.baseline && s.flexible);
    assert_int_equal(s.gap, 4);
    assert_int_equal(s.within, ORR_ASTRA_SMALLEST);
    assert_int_equal(s.between, ORR_ASTRA_THEMIS);
    assert_int_equal(s.all_to_all.n, 2);
    assert_int_equal(s.all_to_all.dim[0].how, ORR_ASTRA_DIRECT);
    assert_int_equal(s.all_to_all.dim[0].window, 7);
    assert_int_equal(s.all_to_all.dim[1].how, ORR_ASTRA_RING);
    s = accepted("{\"roofline-enabled\": true, \"replay-only\": false, "
                 "\"peak-perf\": 3.5, \"all-reduce-implementation\": "
                 "[\"ring\", \"doubleBinaryTree\"], \"scheduling-policy\": "
                 "\"FIFO\"}");
    assert_true(s.json && s.roofline && !s.replay && s.fifo);
    assert_float_equal(s.peak_tflops, 3.5, 0);
    assert_int_equal(s.all_reduce.n, 2);
    assert_int_equal(s.all_reduce.dim[1].how, ORR_ASTRA_TREES);
}

/* Of JSON, what 2.x does not read has no effect, whatever it is; as text, 1.0
 * reads it, and refuses what it does not know. */
static void test_unread(void **state)
{
    char text[2000] = "{\"L\": 1", name[20];
    struct orr_report why;
    struct orr_astra_system s = accepted(
        "{\"inter-dimension-scheduling\": \"themis\", \"note\": {\"a\": []},"
        "\"intra-dimension-scheduling\": 7, \"gap-denominator\": null}");
    assert_int_equal(s.between, ORR_ASTRA_ASCENDING);
    assert_int_equal(s.within, ORR_ASTRA_BY_PRIORITY);
    assert_int_equal(s.gap, 16);
    assert_string_equal(s.unread, "\"inter-dimension-scheduling\", \"note\", "
                                  "\"intra-dimension-scheduling\", "
                                  "\"gap-denominator\"");
    assert_string_equal(accepted("{\"boost-mode\": 1}").unread, "");
    for (int i = 0; i < 60; i++) {
        snprintf(name, sizeof name, ", \"key-%d\": %d", i, i);
        strcat(text, name);
    }
    strcat(text, "}");
    s = accepted(text);
    assert_memory_equal(s.unread, "\"key-0\", ", 9);
    assert_string_equal(s.unread + strlen(s.unread) - 5, ", ...");
    assert_int_equal(read("note: 1", &s, &why), ORR_ECONFIG);
    assert_string_equal(why.message, "\"note\" is not a key of a system file");
}

static const struct {
    const char *text, *message;
    int line, column;
} refused[] = {
    {"\n active-chunks-per-dimension: 1.5",
     "active-chunks-per-dimension: \"1.5\": a whole number is expected", 2, 31},
    {"preferred-dataset-splits: 0",
     "preferred-dataset-splits: \"0\": a number "
     "from 1 to 1000000 is expected",
     1, 27},
    {"model-shared-bus: 1",
     "model-shared-bus: \"1\": a shared memory bus is not modelled", 1, 19},
    {"model-shared-bus: 2",
     "model-shared-bus: \"2\": a number from 0 to 1 is expected", 1, 19},
    {"roofline-enabled: nan",
     "roofline-enabled: \"nan\": a number from 0 to 1 is expected", 1, 19},
    {"all-reduce-implementation: ",
     "all-reduce-implementation: \"\": nothing is there", 1, 28},
    {"all-reduce-implementation: ring3",
     "all-reduce-implementation: \"ring3\": ring, oneRing, direct, oneDirect "
     "(with or without a window), halvingDoubling, oneHalvingDoubling or "
     "doubleBinaryTree is expected",
     1, 28},
    {"all-reduce-implementation: direct0",
     "all-reduce-implementation: \"0\": "
     "a number from 1 to 1000000 is expected",
     1, 28},
    {"all-gather-implementation: ring_ring_ring_ring_ring_ring_ring_ring_"
     "ring_ring_ring",
     "all-gather-implementation: \"ring\": too many dimensions", 1, 28},
    {"intra-dimension-scheduling: last",
     "intra-dimension-scheduling: \"last\": one of FIFO RG smallestFirst SCF "
     "lessRemainingPhaseFirst is expected",
     1, 29},
    {"inter-dimension-scheduling: thems",
     "inter-dimension-scheduling: \"thems\": one of ascending baseline "
     "roundRobin themis offlineGreedy themisFlex offlineGreedyFlex is "
     "expected",
     1, 29},
    {"collective-optimization: none",
     "collective-optimization: \"none\": one "
     "of localBWAware baseline is expected",
     1, 26},
    {"{\"L\": 1,\n\"endpoint-delay\": {}}",
     "endpoint-delay: \"{...}\": a number or a text is expected", 2, 19},
    {"{\"L\": 1,\n\"endpoint-delay\": null}",
     "endpoint-delay: \"{...}\": a number or a text is expected", 2, 19},
    {"{\"reduce-scatter-implementation\": []}",
     "reduce-scatter-implementation: \"\": nothing is there", 1, 35},
    {"{\"L\": 1, \"L\": 2}", "duplicate object key near '\"L\"'", 1, 12},
};

static void test_refused(void **state)
{
    for (size_t i = 0; i < COUNT(refused); i++) {
        struct orr_astra_system s;
        struct orr_report why;
        orr_err err = read(refused[i].text, &s, &why);
        assert_refused(err, &why,
                       (struct refused){i, refused[i].message, NULL,
                                        refused[i].line, refused[i].column});
    }
}

static void test_memory_may_end(void **state)
{
    struct orr_astra_system s;
    struct orr_report why;
    orr__memory_fail_after(1, 0);
    orr_err err = read("L: 1", &s, &why);
    orr__memory_fail_after(0, 0);
    assert_int_equal(err, ORR_ENOMEM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_unread),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_memory_may_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
