/* Cells come back as they were, whatever their fields need. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "core/memory.h"
#include "core/random.h"
#include "record/cells.h"

enum { MOST = 300 };

static void set(struct orr_cell *c, unsigned field, uint64_t x)
{
    switch (field) {
    case ORR_CELL_BYTES: c->bytes = x; break;
    case ORR_CELL_BUSY: c->busy_ps = (int64_t)x; break;
    case ORR_CELL_AREA: memcpy(&c->area, &x, sizeof x); break;
    case ORR_CELL_MAX_QUEUE: c->max_queue = x; break;
    case ORR_CELL_MARKS: c->marks = x; break;
    case ORR_CELL_DROPS: c->drops = x; break;
    case ORR_CELL_PAUSES: c->pauses = x; break;
    default: c->paused_ps = (int64_t)x; break;
    }
}

static void check(const struct orr_cell *cell, uint32_t n)
{
    struct orr_cells c;
    struct orr_cell back[MOST];
    uint64_t figure[MOST], all[MOST];
    uint32_t link[MOST];

    memset(back, 0x55, sizeof back);
    assert_int_equal(orr__cells_keep(&c, cell, n), ORR_OK);
    assert_int_equal(c.n, n);
    orr__cells_read(&c, back);
    for (uint32_t i = 0; i < n; i++) {
        assert_int_equal(back[i].bytes, cell[i].bytes);
        assert_int_equal(back[i].busy_ps, cell[i].busy_ps);
        assert_memory_equal(&back[i].area, &cell[i].area, sizeof(double));
        assert_int_equal(back[i].max_queue, cell[i].max_queue);
        assert_int_equal(back[i].marks, cell[i].marks);
        assert_int_equal(back[i].drops, cell[i].drops);
        assert_int_equal(back[i].pauses, cell[i].pauses);
        assert_int_equal(back[i].paused_ps, cell[i].paused_ps);
        assert_int_equal(back[i].link, cell[i].link);
    }
    if (n > 3) { /* from within */
        orr__cells_links(&c, 2, n - 3, link);
        orr__cells_figures(&c, ORR_CELL_MARKS, 2, n - 3, figure);
        for (uint32_t i = 0; i < n - 3; i++) {
            assert_int_equal(link[i], cell[2 + i].link);
            assert_int_equal(figure[i], cell[2 + i].marks);
        }
        for (uint32_t i = 0; i < n / 2; i++) /* every other one */
            link[i] = 2 * i + 1;
        for (unsigned f = 0; f < ORR_CELL_FIELDS; f++) {
            orr__cells_figures(&c, f, 0, n, all);
            orr__cells_pick(&c, f, link, n / 2, figure);
            for (uint32_t i = 0; i < n / 2; i++)
                assert_int_equal(figure[i], all[2 * i + 1]);
        }
    }
    orr__cells_free(&c);
    assert_null(c.at);
}

static void come_back(void **state)
{
    struct orr_cell cell[MOST];
    struct orr_random random;

    orr__random_init(&random, 5, 1, 2);
    for (uint32_t round = 0; round < 2000; round++) {
        uint32_t n = orr__random_u32(&random) % MOST;
        uint32_t shift[ORR_CELL_FIELDS], links = round % 2 ? 16 : 0;

        for (unsigned f = 0; f < ORR_CELL_FIELDS; f++)
            shift[f] = 1 + orr__random_u32(&random) % 63;
        for (uint32_t i = 0; i < n; i++) {
            cell[i] = (struct orr_cell){ .link = (i + 1) << links };
            for (unsigned f = 0; f < ORR_CELL_FIELDS; f++)
                set(&cell[i], f, orr__random_u64(&random) >> shift[f]);
        }
        check(cell, n);
    }
}

/* What a field takes is what its largest figure does. */
static void of_all_widths(void **state)
{
    const struct { uint64_t most; uint8_t width; } cases[] = {
        { 0, 0 }, { 1, 1 }, { 255, 1 }, { 256, 2 }, { 65535, 2 },
        { 65536, 4 }, { UINT32_MAX, 4 }, { UINT64_C(1) << 32, 8 },
        { INT64_MAX, 8 },
    };

    for (unsigned f = 0; f < ORR_CELL_FIELDS; f++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            struct orr_cell cell[5] = { { .link = 0 } };
            struct orr_cells c;

            set(&cell[3], f, cases[i].most);
            check(cell, 5);
            assert_int_equal(orr__cells_keep(&c, cell, 5), ORR_OK);
            for (unsigned k = 0; k < ORR_CELL_FIELDS; k++)
                assert_int_equal(c.width[k], k == f ? cases[i].width : 0);
            assert_int_equal(c.link_width, 2);
            orr__cells_free(&c);
        }
}

static void without_memory(void **state)
{
    struct orr_cell cell = { .bytes = 7 };
    struct orr_cells c;

    orr__memory_fail_after(1, 0);
    assert_int_equal(orr__cells_keep(&c, &cell, 1), ORR_ENOMEM);
    orr__memory_fail_after(0, 0);
    check(&cell, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(come_back),
        cmocka_unit_test(of_all_widths),
        cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
