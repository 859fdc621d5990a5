/* How long links were busy, from bins that a known net fills. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <math.h>
#include <cmocka.h>

#include "core/memory.h"
#include "core/units.h"
#include "record/busy_time.h"
#include "record/by_job.h"

enum { LINKS = 4 };

/* A link is busy from `on` to `off`. */
static struct {
    int64_t on, off;
} traffic[LINKS];

static struct {
    int64_t at;
    int64_t (*fn)(void *arg, int64_t now);
    void *arg;
    orr_err failed;
} net;

/* Nothing is split by job. */
void orr__split_free(struct orr_split *s)
{
}

uint32_t orr__split_owners(const struct orr_split *s)
{
    return 0;
}

orr_err orr__split_take(struct orr_split *s, const struct orr_cell *whole,
                        int64_t now, struct orr_cell *out, uint32_t *n)
{
    return ORR_OK;
}

void orr__net_links_busy(const struct orr_net *n, const uint32_t *links,
                         uint32_t count, int64_t t, int64_t *busy)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t link = links[i];
        int64_t end = t < traffic[link].off ? t : traffic[link].off;
        busy[i] = end > traffic[link].on ? end - traffic[link].on : 0;
    }
}

void orr__net_link_sample(const struct orr_net *n, uint32_t link, int64_t t,
                          struct orr_link_sample *s)
{
    fail();
}

orr_err orr__net_cursor_new(struct orr_net *n, bool maxima,
                            struct orr_net_cursor **out, struct orr_report *why)
{
    assert_false(maxima); /* nobody else's are taken away */
    *out = NULL;
    return ORR_OK;
}

void orr__net_cursor_rhythm(struct orr_net_cursor *c, struct orr_rhythm r)
{
}

uint32_t orr__net_active_links(struct orr_net *n, struct orr_net_cursor *c,
                               int64_t now, uint32_t *links)
{
    for (uint32_t i = 0; i < LINKS; i++)
        links[i] = i;
    return LINKS;
}

uint64_t orr__net_take_max(struct orr_net *n, struct orr_net_cursor *c,
                           uint32_t link, int64_t now)
{
    fail();
    return 0;
}

orr_err orr__net_control(struct orr_net *n, int64_t at,
                         int64_t (*fn)(void *arg, int64_t now), void *arg,
                         struct orr_report *why)
{
    net.at = at;
    net.fn = fn;
    net.arg = arg;
    return ORR_OK;
}

void orr__net_fail(struct orr_net *n, orr_err code)
{
    net.failed = code;
}

static int64_t delay[LINKS] = {10 * ORR_US, 10 * ORR_US, 10 * ORR_US,
                               10 * ORR_US};
static struct orr_graph graph = {.links = LINKS, .delay_ps = delay};
static struct orr_world world;

static void run(int64_t end)
{
    struct orr_report why = {.code = ORR_OK};
    world = (struct orr_world){.graph = &graph};
    net.failed = ORR_OK;
    assert_int_equal(orr__busy_time_start(&world, &why), ORR_OK);
    while (net.at < end)
        net.at = net.fn(net.arg, net.at);
    world.result.end_ps = end;
    assert_int_equal(orr__busy_time_settle(&world, &why), ORR_OK);
}

static void add_up(void *arg, uint32_t link, double busy_ps)
{
    ((double *)arg)[link] += busy_ps;
}

static void a_part_of_a_bin_counts_in_part(void **state)
{
    double sum[LINKS] = {0}, all[LINKS] = {0};
    memset(traffic, 0, sizeof traffic);
    traffic[3].off = 25 * ORR_US;
    traffic[1].on = 19 * ORR_US;
    traffic[1].off = 21 * ORR_US;
    run(25 * ORR_US);
    /* half of the first bin, a fifth of the second, where link 1 was on too */
    assert_int_equal(
        orr__busy_time_between(&world, 5 * ORR_US, 12 * ORR_US, add_up, sum),
        3); /* link 1 is unknown in the first bin */
    assert_true(sum[3] == 7 * ORR_US && sum[2] == 0);
    assert_true(fabs(sum[1] - ORR_US / 5.0) < 1);
    /* the last bin is shorter; nothing comes after it */
    orr__busy_time_between(&world, 0, 99 * ORR_US, add_up, all);
    assert_true(fabs(all[3] - 25 * ORR_US) < 10);
    assert_true(fabs(all[1] - 2 * ORR_US) < 1);
    orr__busy_time_free(&world);
    assert_true(orr__busy_time_between(&world, 0, 1, add_up, sum)
                == UINT64_MAX);
}

/* 2,000 bins of 10 us, then of 20 us and so on: nothing is lost. */
static void bins_double(void **state)
{
    double all[LINKS] = {0};
    memset(traffic, 0, sizeof traffic);
    for (int i = 0; i < LINKS; i++) {
        traffic[i].on = i * 7 * ORR_MS + i;
        traffic[i].off = traffic[i].on + 30 * ORR_MS + 3 * i;
    }
    run(100 * ORR_MS + 1);
    assert_in_range(orr__busy_time_between(&world, 0, ORR_NEVER, add_up, all),
                    4, 8000);
    for (int i = 0; i < LINKS; i++)
        assert_true(fabs(all[i] / (double)(30 * ORR_MS + 3 * i) - 1) < 1e-6);
    orr__busy_time_free(&world);
}

/* The first bins are as wide as the least delay, up to 1,023 links; beyond that
 * as many times wider as there are more, by powers of two. */
static void many_links_have_wider_bins(void **state)
{
    static const uint32_t links[] = {4, 1023, 1024, 2047, 2048, 6144};
    static const int64_t wider[] = {1, 1, 2, 2, 4, 8};
    static int64_t delays[6144];
    struct orr_report why = {.code = ORR_OK};
    for (uint32_t i = 0; i < 6144; i++)
        delays[i] = 10 * ORR_US;
    for (int i = 0; i < 6; i++) {
        struct orr_graph g = {.links = links[i], .delay_ps = delays};
        struct orr_world w = {.graph = &g};
        assert_int_equal(orr__busy_time_start(&w, &why), ORR_OK);
        assert_int_equal(net.at, wider[i] * 10 * ORR_US);
        orr__busy_time_free(&w);
    }
}

/* Whichever allocation fails, the run fails or the sums are right. */
static void without_memory(void **state)
{
    bool failed = true;
    memset(traffic, 0, sizeof traffic);
    traffic[0].off = 50 * ORR_MS;
    for (uint64_t n = 1; failed; n += n < 1000 ? 1 : 997) {
        struct orr_report why = {.code = ORR_OK};
        world =
            (struct orr_world){.graph = &graph, .result.end_ps = 50 * ORR_MS};
        net.failed = ORR_OK;
        net.at = ORR_NEVER;
        orr__memory_fail_after(n, 1);
        orr_err err = orr__busy_time_start(&world, &why);
        while (err == ORR_OK && net.failed == ORR_OK
               && net.at < world.result.end_ps)
            net.at = net.fn(net.arg, net.at);
        err = err ? err : net.failed;
        if (err == ORR_OK)
            err = orr__busy_time_settle(&world, &why);
        orr__memory_fail_after(0, 0);
        failed = err == ORR_ENOMEM;
        orr__busy_time_free(&world);
        if (!failed)
            assert_int_equal(err, ORR_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_part_of_a_bin_counts_in_part),
        cmocka_unit_test(bins_double),
        cmocka_unit_test(many_links_have_wider_bins),
        cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
