#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/units.h"
#include "experiment/frozen.h"
#include "net/config/config.h"
#include "tests/workload/small_workload.h"

/* Any change to what was resolved shows, and its taking back as well. */
static void test_changes_show(void **state)
{
    struct orr_world w;
    world_open(&w, SWITCH);
    struct orr_graph *g = (struct orr_graph *)w.graph;
    const uint64_t before = orr__world_digest(&w);

    w.draft->config.mtu++;
    assert_true(orr__world_digest(&w) != before);
    w.draft->config.mtu--;
    g->rate_bps[g->links - 1]--;
    assert_true(orr__world_digest(&w) != before);
    g->rate_bps[g->links - 1]++;
    g->sends[0] = false;
    assert_true(orr__world_digest(&w) != before);
    g->sends[0] = true;
    w.draft->config.service.class = 1;
    assert_true(orr__world_digest(&w) != before);
    w.draft->config.service.class = 0;
    w.options.stop_ps++;
    assert_true(orr__world_digest(&w) != before);
    w.options.stop_ps--;
    assert_true(orr__world_digest(&w) == before);
    world_close(&w);
}

/* Links that fail, and when, are part of it. */
static void test_failures_count(void **state)
{
    struct orr_world w;
    world_open(&w, SWITCH);
    const uint64_t before = orr__world_digest(&w);
    struct orr_outage outage = {.link = 0, .down = ORR_US, .up = ORR_NEVER};
    const struct orr_failures failures = {.outage = &outage, .outages = 1};

    w.draft->config.failures = &failures;
    const uint64_t failing = orr__world_digest(&w);
    assert_true(failing != before);
    outage.up = 2 * ORR_US;
    assert_true(orr__world_digest(&w) != failing);
    w.draft->config.failures = NULL;
    assert_true(orr__world_digest(&w) == before);
    world_close(&w);
}

static void test_freezing(void **state)
{
    struct orr_world w;
    world_open(&w, SWITCH);

    assert_non_null(w.draft);
    orr__world_freeze(&w);
    assert_null(w.draft); /* who would write has nothing to write to */
    assert_non_null(w.net_config);
    orr__world_check(&w);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_changes_show),
        cmocka_unit_test(test_failures_count),
        cmocka_unit_test(test_freezing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
