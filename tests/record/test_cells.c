/* Cells come back as they were, whatever their fields need. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/memory.h"
#include "core/random.h"
#include "tests/record/read_cells.h"

enum { MOST = 300 };

static void check(const struct orr_cell *cell, uint32_t n)
{
    struct orr_cells c;
    struct orr_cell back[MOST];
    uint64_t figure[MOST], all[MOST];
    uint32_t link[MOST];

    memset(back, 0x55, sizeof back);
    assert_int_equal(orr__cells_keep(&c, cell, n), ORR_OK);
    assert_int_equal(c.n, n);
    read_cells(&c, back);
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
            cell[i] = (struct orr_cell){.link = (i + 1) << links};
            for (unsigned f = 0; f < ORR_CELL_FIELDS; f++)
                set_figure(&cell[i], f, orr__random_u64(&random) >> shift[f]);
        }
        check(cell, n);
    }
}

/* Cells of some links each, ascending, with figures of so many bits. */
static uint32_t draw(struct orr_random *r, struct orr_cell *cell, uint32_t bits,
                     uint32_t links)
{
    uint32_t n = 0;

    for (uint32_t link = 0; link < MOST; link++) {
        if (orr__random_u32(r) % 3 == 0)
            continue;
        cell[n] = (struct orr_cell){.link = link << links};
        for (unsigned f = 0; f < ORR_CELL_FIELDS; f++)
            if (f != ORR_CELL_AREA && orr__random_u32(r) % 4)
                set_figure(&cell[n], f, orr__random_u64(r) >> (64 - bits));
        cell[n++].area = (double)(orr__random_u32(r) % 1000) / 7;
    }
    return n;
}

static const struct orr_cell *find(const struct orr_cell *cell, uint32_t n,
                                   uint32_t link)
{
    static const struct orr_cell none = {.link = 0};

    for (uint32_t i = 0; i < n; i++)
        if (cell[i].link == link)
            return &cell[i];
    return &none;
}

/* Of two, what links did in both. */
static void become_one(void **state)
{
    struct orr_cells_pair pair = {.room = 0};
    struct orr_cell a[MOST], b[MOST], both[2 * MOST];
    struct orr_random random;

    orr__random_init(&random, 5, 1, 3);
    for (uint32_t round = 0; round < 300; round++) {
        uint32_t links = round % 2 ? 16 : 0, bits = 1 + round % 60;
        uint32_t n = round % 7 ? draw(&random, a, bits, links) : 0, at = 0;
        uint32_t m = round % 5 ? draw(&random, b, bits, links) : 0;
        struct orr_cells x, y, c;

        assert_int_equal(orr__cells_keep(&x, a, n), ORR_OK);
        assert_int_equal(orr__cells_keep(&y, b, m), ORR_OK);
        assert_int_equal(orr__cells_merge(&pair, &c, &x, &y), ORR_OK);
        read_cells(&c, both);
        for (uint32_t i = 0; i < MOST; i++) {
            const struct orr_cell *p = find(a, n, i << links);
            const struct orr_cell *q = find(b, m, i << links), *s = &both[at];
            uint64_t most =
                p->max_queue > q->max_queue ? p->max_queue : q->max_queue;

            if (p->area == 0 && q->area == 0 && p->bytes + q->bytes == 0
                && (at == c.n || s->link != i << links))
                continue;
            assert_int_equal(s->link, i << links);
            assert_int_equal(s->bytes, p->bytes + q->bytes);
            assert_int_equal(s->busy_ps, p->busy_ps + q->busy_ps);
            assert_true(s->area == p->area + q->area);
            assert_int_equal(s->max_queue, most);
            assert_int_equal(s->marks, p->marks + q->marks);
            assert_int_equal(s->drops, p->drops + q->drops);
            assert_int_equal(s->pauses, p->pauses + q->pauses);
            assert_int_equal(s->paused_ps, p->paused_ps + q->paused_ps);
            at++;
        }
        assert_int_equal(at, c.n);
        orr__cells_free(&x);
        orr__cells_free(&y);
        orr__cells_free(&c);
    }
    orr__cells_pair_fini(&pair);
}

/* What a field takes is what its largest figure does. */
static void of_all_widths(void **state)
{
    const struct {
        uint64_t most;
        uint8_t width;
    } cases[] = {
        {0, 0},         {1, 1},     {255, 1},        {256, 2},
        {65535, 2},     {65536, 4}, {UINT32_MAX, 4}, {UINT64_C(1) << 32, 8},
        {INT64_MAX, 8},
    };

    for (unsigned f = 0; f < ORR_CELL_FIELDS; f++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            struct orr_cell cell[5] = {{.link = 0}};
            struct orr_cells c;

            set_figure(&cell[3], f, cases[i].most);
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
    struct orr_cell cell = {.bytes = 7};
    struct orr_cells c;

    orr__memory_fail_after(1, 0);
    assert_int_equal(orr__cells_keep(&c, &cell, 1), ORR_ENOMEM);
    orr__memory_fail_after(0, 0);
    check(&cell, 0);
    assert_int_equal(orr__cells_keep(&c, &cell, 1), ORR_OK);
    for (uint32_t i = 1; i <= 4; i++) { /* three of the pair, and the cells */
        struct orr_cells_pair pair = {.room = 0};
        struct orr_cells both;

        orr__memory_fail_after(i, 0);
        assert_int_equal(orr__cells_merge(&pair, &both, &c, &c), ORR_ENOMEM);
        orr__memory_fail_after(0, 0);
        assert_null(both.at);
        orr__cells_pair_fini(&pair);
    }
    orr__cells_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(come_back),
        cmocka_unit_test(become_one),
        cmocka_unit_test(of_all_widths),
        cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
