/* Which links did something in a bin, and what: of a net that says what a test
 * wants. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <string.h>
#include <cmocka.h>

#include "net/net.h"
#include "record/bins.h"

enum { LINKS = 3 };

static struct orr_link_sample now[LINKS];
static uint64_t largest[LINKS]; /* queue since the last look */

orr_err orr__net_cursor_new(struct orr_net *n, bool all,
                            struct orr_net_cursor **out, struct orr_report *why)
{
    *out = NULL;
    return ORR_OK;
}

uint32_t orr__net_active_links(struct orr_net *n, struct orr_net_cursor *c,
                               int64_t t, uint32_t *list)
{
    for (uint32_t l = 0; l < LINKS; l++)
        list[l] = l;
    return LINKS;
}

void orr__net_link_sample(const struct orr_net *n, uint32_t link, int64_t t,
                          struct orr_link_sample *s)
{
    *s = now[link];
}

uint64_t orr__net_take_max(struct orr_net *n, struct orr_net_cursor *c,
                           uint32_t link, int64_t t)
{
    return largest[link];
}

/* Links are not split. */
void orr__split_free(struct orr_split *s)
{
}

uint32_t orr__split_owners(const struct orr_split *s)
{
    return 0;
}

orr_err orr__split_take(struct orr_split *s, const struct orr_cell *c,
                        int64_t t, struct orr_cell *out, uint32_t *n)
{
    return ORR_EINTERNAL;
}

static struct orr_bins begin(void)
{
    struct orr_bins b;
    memset(now, 0, sizeof now);
    memset(largest, 0, sizeof largest);
    assert_int_equal(orr__bins_init(&b, NULL, LINKS, false), ORR_OK);
    return b;
}

/* How many cells the bin has that ends there. */
static uint32_t cells_of(struct orr_bins *b, int64_t end)
{
    assert_int_equal(orr__bins_close(b, NULL, end), ORR_OK);
    assert_int_equal(b->bin[b->n - 1].end_ps, end);
    return b->bin[b->n - 1].cell.n;
}

/* The cell of link 1, in a bin that has no other. */
static struct orr_cell one_cell(struct orr_bins *b, int64_t end)
{
    struct orr_cell c = {.link = 0};
    uint64_t value[ORR_CELL_FIELDS];
    assert_int_equal(cells_of(b, end), 1);
    const struct orr_cells *kept = &b->bin[b->n - 1].cell;
    orr__cells_links(kept, 0, 1, &c.link);
    for (int f = 0; f < ORR_CELL_FIELDS; f++)
        orr__cells_figures(kept, f, 0, 1, &value[f]);
    assert_int_equal(c.link, 1);
    c.bytes = value[ORR_CELL_BYTES];
    c.busy_ps = (int64_t)value[ORR_CELL_BUSY];
    memcpy(&c.area, &value[ORR_CELL_AREA], sizeof c.area);
    c.max_queue = value[ORR_CELL_MAX_QUEUE];
    c.marks = value[ORR_CELL_MARKS];
    c.drops = value[ORR_CELL_DROPS];
    c.pauses = value[ORR_CELL_PAUSES];
    c.paused_ps = (int64_t)value[ORR_CELL_PAUSED];
    return c;
}

static void what_came_since_the_last_bin(void **state)
{
    struct orr_bins b = begin();
    now[1] = (struct orr_link_sample){.bytes = 1000,
                                      .packets = 2,
                                      .busy_ps = 80,
                                      .area = 500,
                                      .queue = 300,
                                      .marks = 1};
    largest[1] = 700;
    struct orr_cell c = one_cell(&b, 100);
    assert_true(c.bytes == 1000 && c.busy_ps == 80 && c.area == 500);
    assert_true(c.max_queue == 700 && c.marks == 1 && c.drops == 0);
    now[1] = (struct orr_link_sample){.bytes = 1500,
                                      .packets = 4,
                                      .busy_ps = 130,
                                      .area = 900,
                                      .marks = 4,
                                      .drops = 2,
                                      .pauses = 1,
                                      .paused_ps = 20};
    largest[1] = 350;
    c = one_cell(&b, 200);
    assert_true(c.bytes == 500 && c.busy_ps == 50 && c.area == 400);
    assert_true(c.max_queue == 350 && c.marks == 3 && c.drops == 2);
    assert_true(c.pauses == 1 && c.paused_ps == 20);
    assert_int_equal(cells_of(&b, 300), 0);
    now[1].pauses = 3;
    now[1].paused_ps = 50;
    c = one_cell(&b, 400);
    assert_true(c.pauses == 2 && c.paused_ps == 30);
    assert_int_equal(b.columns, 1);
    assert_int_equal(b.link[0], 1);
    orr__bins_fini(&b);
}

static void all_links_are_columns(void **state)
{
    struct orr_bins b;
    assert_int_equal(orr__bins_init(&b, NULL, LINKS, true), ORR_OK);
    assert_int_equal(b.columns, LINKS);
    for (uint32_t l = 0; l < LINKS; l++) {
        assert_int_equal(b.link[l], l);
        assert_int_equal(b.column[l], l);
    }
    orr__bins_fini(&b);
}

/* Each by itself makes a cell. */
static void any_of_these_is_something(void **state)
{
    static const struct orr_link_sample some[] = {
        {.bytes = 1},     {.packets = 1}, {.drops = 1},
        {.paused_ps = 1}, {.busy_ps = 1}, {.queue = 1},
    };
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        struct orr_bins b = begin();
        now[1] = some[i];
        (void)one_cell(&b, 100);
        orr__bins_fini(&b);
    }
}

/* Where iterations are inferred, what is left of the last byte may go with no
 * other figure: the bin in which it went had that queue. */
static void a_queue_that_went_was_there(void **state)
{
    struct orr_bins b = begin();
    now[1] = (struct orr_link_sample){
        .bytes = 10, .packets = 1, .busy_ps = 100, .queue = 1};
    largest[1] = 9;
    (void)one_cell(&b, 100);
    now[1].queue = 0;
    largest[1] = 1;
    struct orr_cell c = one_cell(&b, 200);
    assert_true(c.max_queue == 1 && c.bytes == 0 && c.busy_ps == 0);
    assert_int_equal(cells_of(&b, 300), 0);
    orr__bins_fini(&b);
}

/* Sums stay what was sent, though a later sample is a little less. */
static void nothing_goes_back(void **state)
{
    struct orr_bins b = begin();
    now[1] = (struct orr_link_sample){
        .bytes = 1000, .packets = 1, .busy_ps = 80, .area = 5};
    (void)one_cell(&b, 100);
    now[1] = (struct orr_link_sample){
        .bytes = 999, .packets = 2, .busy_ps = 79, .area = 4.5};
    struct orr_cell c = one_cell(&b, 200);
    assert_true(c.bytes == 0 && c.busy_ps == 0 && c.area == 0);
    now[1] = (struct orr_link_sample){
        .bytes = 1010, .packets = 3, .busy_ps = 90, .area = 6};
    c = one_cell(&b, 300);
    assert_true(c.bytes == 10 && c.busy_ps == 10 && c.area == 1);
    orr__bins_fini(&b);
}

static void two_bins_become_one(void **state)
{
    struct orr_bins b = begin();
    for (int i = 1; i <= 3; i++) {
        now[1] = (struct orr_link_sample){
            .bytes = 100 * i, .packets = i, .busy_ps = 10 * i};
        largest[1] = 10 * i;
        (void)one_cell(&b, 100 * i);
    }
    assert_int_equal(orr__bins_merge(&b), ORR_OK);
    assert_int_equal(b.n, 2);
    assert_int_equal(b.bin[0].start_ps, 0);
    assert_int_equal(b.bin[0].end_ps, 200);
    uint64_t bytes, queue;
    orr__cells_figures(&b.bin[0].cell, ORR_CELL_BYTES, 0, 1, &bytes);
    orr__cells_figures(&b.bin[0].cell, ORR_CELL_MAX_QUEUE, 0, 1, &queue);
    assert_true(bytes == 200 && queue == 20);
    assert_int_equal(b.bin[1].start_ps, 200);
    orr__bins_drop(&b, 1);
    assert_int_equal(b.n, 1);
    assert_int_equal(b.dropped, 1);
    assert_int_equal(b.bin[0].end_ps, 300);
    orr__bins_fini(&b);
}

static void the_finest_is_on_the_grid_of_windows(void **state)
{
    int64_t delay[2] = {300000, 0};
    struct orr_graph g = {.links = 1, .delay_ps = delay};
    assert_int_equal(orr__bins_finest(&g), 300000);
    delay[0] = 100000;
    assert_int_equal(orr__bins_finest(&g), 100000);
    delay[0] = 30000; /* four of them: 120 ns */
    assert_int_equal(orr__bins_finest(&g), 120000);
    delay[0] = 50000;
    assert_int_equal(orr__bins_finest(&g), 100000);
    delay[0] = INT64_C(5000000000000);
    assert_int_equal(orr__bins_finest(&g), INT64_C(1000000000000));
    g.links = 2; /* the least of all */
    assert_int_equal(orr__bins_finest(&g), 100000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_came_since_the_last_bin),
        cmocka_unit_test(all_links_are_columns),
        cmocka_unit_test(any_of_these_is_something),
        cmocka_unit_test(a_queue_that_went_was_there),
        cmocka_unit_test(nothing_goes_back),
        cmocka_unit_test(two_bins_become_one),
        cmocka_unit_test(the_finest_is_on_the_grid_of_windows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
