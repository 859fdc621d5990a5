#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "core/memory.h"
#include "record/link_loads.h"
#include "record/record.h"

static void first_is(struct orr_link_load a, struct orr_link_load b)
{
    assert_true(orr__link_order(&a, &b) < 0);
    assert_true(orr__link_order(&b, &a) > 0);
}

#define LOAD(...) ((struct orr_link_load){__VA_ARGS__})

static void the_busiest_comes_first(void **state)
{
    first_is(LOAD(.utilization = .72, .link = 9),
             LOAD(.utilization = .71, .max_queue = 1 << 20, .marks = 9999));
}

static void among_equals_the_one_that_explains(void **state)
{
    first_is(LOAD(.max_queue = 2, .link = 9), LOAD(.max_queue = 1, .marks = 1));
    first_is(LOAD(.marks = 2, .link = 9), LOAD(.marks = 1, .drops = 7));
    first_is(LOAD(.drops = 2, .link = 9), LOAD(.drops = 1, .paused_ps = 7));
    first_is(LOAD(.paused_ps = 2, .link = 9), LOAD(.paused_ps = 1));
    first_is(LOAD(.link = 3), LOAD(.link = 9));
}

/* Shares of small numbers, summed up in one way and in another. */
static void a_rounding_error_parts_nothing(void **state)
{
    for (int of = 1; of <= 64; of++)
        for (int n = 0; n <= of; n++) {
            double share = (double)n / of;
            first_is(LOAD(.utilization = share, .max_queue = 1, .link = 9),
                     LOAD(.utilization = share * (1 + 1e-7)));
            first_is(LOAD(.utilization = share * (1 - 1e-7), .max_queue = 1,
                          .link = 9),
                     LOAD(.utilization = share));
        }
}

/* ---- of a record --------------------------------------------------------- */

/* Bins of 1 and 3 s from 2 s on; links 7, 4 and 9. */
enum { BINS = 2, LINKS = 3 };
static const char *const tables[] = {"utilization", "max_queue", "bytes",
                                     "marks",       "drops",     "paused"};
static const double cells[][BINS * LINKS] = {
    {0.5, 1, 0, 0.5, 1, 0.25}, {10, 0, 7, 5, 0x1p64, 9}, {100, 200, 0, 1, 2, 3},
    {0, 3, -1, 4, 5, 6},       {1, 0, 0, 1, 0, 8},       {0, 7, 0, 2, 5, 0}};

/* left_out: a table, or NULL; one_end: links/time_end is too short. */
static void write_links(const char *file, const char *left_out, bool one_end)
{
    static const int64_t start[] = {2000000000000, 3000000000000};
    static const int64_t end[] = {3000000000000, 6000000000000};
    static const uint32_t link[] = {7, 4, 9};
    struct orr_record_column c = {"time", ORR_RECORD_I64, "ps", "x", NULL};
    struct orr_report why = {.code = ORR_OK};
    struct orr_record *r;
    char partial[100];
    snprintf(partial, sizeof partial, "%s.partial", file);
    assert_int_equal(orr__record_open(partial, &r, &why), ORR_OK);
    int group = orr__record_group(r, "links");
    int scale[2] = {orr__record_scale(r, group, &c, BINS), 0};
    orr__record_write(r, scale[0], 0, BINS, start);
    c.name = "time_end";
    int ends = orr__record_column(r, group, &c, scale[0]);
    orr__record_write(r, ends, 0, one_end ? 1 : BINS, end);
    c = (struct orr_record_column){"link", ORR_RECORD_U32, "1", "x", NULL};
    scale[1] = orr__record_scale(r, group, &c, LINKS);
    orr__record_write(r, scale[1], 0, LINKS, link);
    c.type = ORR_RECORD_F64;
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        c.name = tables[t];
        if (!left_out || strcmp(left_out, tables[t]) != 0)
            orr__record_array(r, group, &c, scale, 2, cells[t]);
    }
    if (orr__record_close(r, file, &why))
        fail_msg("%s", why.message);
}

static orr_err use_of(const char *left_out, bool one_end,
                      struct orr_link_use **use, struct orr_report *why)
{
    char folder[] = "/tmp/orrery-test-XXXXXX", file[64];
    struct orr_reader *r = NULL;
    uint64_t n = 77;
    assert_non_null(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/a.h5", folder);
    write_links(file, left_out, one_end);
    *why = (struct orr_report){.code = ORR_OK};
    assert_int_equal(orr__reader_open(file, &r, why), ORR_OK);
    orr_err err = orr__record_link_use(r, use, &n, why);
    assert_int_equal(n, err ? 0 : LINKS);
    orr__reader_close(r);
    unlink(file);
    rmdir(folder);
    return err;
}

static void is_use(const struct orr_link_use *a, struct orr_link_use b)
{
    assert_int_equal(a->load.link, b.load.link);
    assert_int_equal(a->column, b.column);
    assert_true(fabs(a->busy - b.busy) < 1e-12);
    assert_true(fabs(a->load.utilization - b.busy / 4) < 1e-12);
    assert_int_equal(a->load.max_queue, b.load.max_queue);
    assert_int_equal(a->load.marks, b.load.marks);
    assert_int_equal(a->load.drops, b.load.drops);
    assert_int_equal(a->load.paused_ps, b.load.paused_ps);
    assert_int_equal(a->bytes, b.bytes);
}

/* A count that is none, below 0 or beyond 2^63, is 0. */
static void bins_are_summed_up(void **state)
{
    struct orr_report why;
    struct orr_link_use *use;
    assert_int_equal(use_of(NULL, false, &use, &why), ORR_OK);
    is_use(&use[0], (struct orr_link_use){
                        .load = {.link = 4, .marks = 8, .paused_ps = 12},
                        .column = 1,
                        .bytes = 202,
                        .busy = 4});
    is_use(&use[1], (struct orr_link_use){.load = {.link = 7,
                                                   .max_queue = 10,
                                                   .marks = 4,
                                                   .drops = 2,
                                                   .paused_ps = 2},
                                          .column = 0,
                                          .bytes = 101,
                                          .busy = 2});
    is_use(&use[2],
           (struct orr_link_use){
               .load = {.link = 9, .max_queue = 9, .marks = 6, .drops = 8},
               .column = 2,
               .bytes = 3,
               .busy = 0.75});
    orr__free(use);
    /* older files have no `paused` */
    assert_int_equal(use_of("paused", false, &use, &why), ORR_OK);
    assert_int_equal(use[0].load.paused_ps, 0);
    assert_int_equal(use[1].load.drops, 2);
    orr__free(use);
}

static void tables_that_do_not_fit(void **state)
{
    struct orr_report why;
    struct orr_link_use *use;
    for (size_t t = 0; t < 5; t++) {
        char path[40];
        snprintf(path, sizeof path, "links/%s is missing", tables[t]);
        assert_int_equal(use_of(tables[t], false, &use, &why), ORR_ECONFIG);
        if (t > 0 && !strstr(why.message, path))
            fail_msg("%s: %s", path, why.message);
        assert_null(use);
    }
    assert_int_equal(use_of(NULL, true, &use, &why), ORR_ECONFIG);
    assert_non_null(strstr(why.message, "time_end is not as long"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_busiest_comes_first),
        cmocka_unit_test(among_equals_the_one_that_explains),
        cmocka_unit_test(a_rounding_error_parts_nothing),
        cmocka_unit_test(bins_are_summed_up),
        cmocka_unit_test(tables_that_do_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
