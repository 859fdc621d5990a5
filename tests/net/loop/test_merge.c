/* Links' packets in order of arrival. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "core/memory.h"
#include "core/random.h"
#include "net/loop/merge.h"

#define LINKS ORR_MERGE_LINKS
#define RING  256u
#define END   1000000

struct world {
    struct orr_net net;
    struct orr_inlet *inlet;
    struct orr_process process;
    struct orr_packet *ring;
    uint32_t arrives[LINKS];
    int64_t at[LINKS];
};

/* Each link has `each` packets, `gap` ps apart at most, on average half. */
static void make(struct world *w, uint32_t links, uint32_t each, int64_t gap)
{
    struct orr_random r;

    orr__random_init(&r, 7, links, ORR_PURPOSE_LOSS);
    *w = (struct world){0};
    w->inlet = orr__alloc_lines(links, sizeof *w->inlet);
    w->ring = orr__alloc_lines(links * RING, sizeof *w->ring);
    assert_true(w->inlet && w->ring);
    for (uint32_t i = 0; i < links; i++) {
        struct orr_packet *ring = w->ring + i * RING;
        uint32_t head = UINT32_MAX - 3 * i; /* numbers and rings go round */
        int64_t at = 0;

        for (uint32_t k = 0; k < each; k++) {
            at += 1 + (int64_t)(orr__random_unit(&r) * (double)gap);
            ring[(head + k) % RING].at = at;
            ring[(head + k) % RING].connection = i;
        }
        w->inlet[i] = (struct orr_inlet){.ring = ring,
                                         .mask = RING - 1,
                                         .head = head,
                                         .visible = head + each};
        w->arrives[i] = i;
        w->at[i] = each ? ring[head % RING].at : ORR_NEVER;
    }
    w->net.inlet = w->inlet;
    w->net.arrivals = w->arrives;
    w->process = (struct orr_process){
        .at = w->at, .arrives = w->arrives, .n_arrives = links};
}

static void see(void *context, const struct orr_packet *p, uint32_t i)
{
    (*(uint32_t *)context)++;
}

/* All of a slice, bucket by bucket: none is before those of earlier buckets,
 * and all are within the slice. Returns how many there are. */
static uint32_t look(const struct orr_merge *m, int64_t *before)
{
    int64_t latest = *before;
    uint32_t count = 0;

    for (uint32_t b = 0; b < ORR_MERGE_BUCKETS; b++) {
        int64_t from = latest;

        assert_int_equal(m->last[b] != ORR_MERGE_NONE,
                         m->busy[b / 64] >> b % 64 & 1);
        for (uint8_t i = m->last[b]; i != ORR_MERGE_NONE; i = m->before[i]) {
            int64_t at = m->packet[i]->at;

            assert_true(at >= from && at < m->next && at < END);
            assert_int_equal(m->packet[i]->connection, m->lane[i]);
            latest = at > latest ? at : latest;
            count++;
        }
    }
    *before = latest;
    return count;
}

/* What is before END is taken, all of it, in order, once. */
static void check(uint32_t links, uint32_t each, int64_t gap)
{
    struct orr_merge *m = orr__alloc_lines(1, sizeof *m);
    uint32_t due = 0, taken = 0, seen = 0;
    int64_t before = 0, least = ORR_NEVER;
    struct orr_due ready;
    struct world w;

    assert_non_null(m);
    make(&w, links, each, gap);
    for (uint32_t i = 0; i < links * RING; i++) {
        int64_t at = w.ring[i].at;

        due += at > 0 && at < END;
        if (at >= END && at < least)
            least = at;
    }
    orr__due_find(&ready, &w.process, END);
    orr__merge_begin(m, &w.net, &w.process, &ready, END);
    while (m->next < END) {
        uint32_t count = orr__merge_fill(m, see, &seen);

        assert_in_range(count, 1, ORR_MERGE_ROOM);
        assert_int_equal(look(m, &before), count);
        taken += count;
    }
    assert_int_equal(taken, due);
    assert_true(seen >= taken); /* slices that were too long are seen twice */
    assert_true(orr__merge_end(m, &w.process) == least);
    for (uint32_t i = 0; i < links; i++) {
        const struct orr_inlet *in = &w.inlet[i];

        assert_true(w.at[i] >= END);
        assert_true(w.at[i] == ORR_NEVER
                    || w.at[i] == in->ring[in->head % RING].at);
    }
    orr__free(w.inlet);
    orr__free(w.ring);
    orr__free(m);
}

static void takes_all_in_order(void **state)
{
    (void)state;
    check(1, 200, 10000);
    check(8, 250, 8000);
    check(8, 250, 2000);
    check(16, 3, 900000);
    check(LINKS, 2, 700000);
    check(LINKS, 250, 5000);
}

/* All at once, and no more than a picosecond apart: no slice is too short. */
static void takes_what_ties(void **state)
{
    (void)state;
    check(LINKS, 250, 0);
    check(LINKS, 250, 2);
    check(3, 250, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_all_in_order),
        cmocka_unit_test(takes_what_ties),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
