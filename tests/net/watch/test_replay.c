/* What observers of links get of stretches that are not simulated: no bin
 * holds more than its length, wherever a stretch begins, and all bins of a link
 * come to what it has sent. */
#include "tests/net/small_world.h"

#include "core/units.h"
#include "net/watch/link_observer.h"
#include "net/watch/replay.h"
#include "net/watch/state.h"
#include "record/bins.h"
#include "tests/record/read_cells.h"

#define MOST_LINKS 16
#define TIMES      9 /* that a stretch is gone over */

/* ---- an observer --------------------------------------------------------- */

struct looker {
    struct orr_net *net;
    struct orr_bins bins;
    int64_t width;
    bool tells; /* the net when it will look */
    uint64_t bytes[MOST_LINKS];
    int64_t busy[MOST_LINKS];
    uint32_t full; /* bins, to the last ps */
};

static int64_t tell(struct looker *l, int64_t now)
{
    struct orr_rhythm r = {.next_ps = now + l->width, .interval_ps = l->width};

    if (l->tells)
        orr__net_cursor_rhythm(l->bins.cursor, r);
    return r.next_ps;
}

static int64_t look(void *arg, int64_t now)
{
    struct orr_cell cell[MOST_LINKS];
    struct looker *l = arg;
    const struct orr_bin *b;

    assert_int_equal(orr__bins_close(&l->bins, l->net, now), ORR_OK);
    b = &l->bins.bin[l->bins.n - 1];
    read_cells(&b->cell, cell);
    for (uint32_t i = 0; i < b->cell.n; i++) {
        const struct orr_cell *c = &cell[i];
        int64_t most = b->end_ps - b->start_ps;

        if (c->busy_ps < 0 || c->busy_ps > most)
            fail_msg("link %u is busy for %lld of %lld ps until %lld", c->link,
                     (long long)c->busy_ps, (long long)most, (long long)now);
        l->full += c->busy_ps == most;
        l->bytes[c->link] += c->bytes;
        l->busy[c->link] += c->busy_ps;
    }
    orr__bins_drop(&l->bins, l->bins.n);
    return tell(l, now);
}

static void look_on(struct looker *l, struct small_world *w, int64_t width,
                    bool tells)
{
    struct orr_report why = {0};

    *l = (struct looker){.net = w->net, .width = width, .tells = tells};
    assert_in_range(w->graph->links, 1, MOST_LINKS);
    assert_int_equal(orr__bins_init(&l->bins, w->net, w->graph->links, false),
                     ORR_OK);
    assert_int_equal(orr__net_control(w->net, tell(l, 0), look, l, &why),
                     ORR_OK);
}

/* ---- going over a stretch ------------------------------------------------ */

static uint64_t tag(void *arg, struct orr_message *m, struct orr_snapshot *w)
{
    return m->tag;
}

static bool no_timer(void *arg, uint32_t user, uint32_t host, uint64_t timer,
                     struct orr_snapshot *w)
{
    return false;
}

static void no_rest(void *arg, struct orr_snapshot *w)
{
}

static void run_to(struct small_world *w, int64_t at)
{
    small_check(w, orr__net_run(w->net, at, NULL, NULL, &w->end, &w->why));
}

/* What is from `begin` on for a period comes TIMES times more. */
static void go_over(struct small_world *w, int64_t begin, int64_t period)
{
    static const struct orr_snapshot_watch watch = {NULL, tag, no_timer,
                                                    no_rest};
    struct orr_net_snapshot first = {0}, second = {0};
    uint64_t times = TIMES;

    run_to(w, begin);
    assert_int_equal(orr__net_now(w->net), begin);
    assert_true(orr__net_snapshot(w->net, &watch, &first));
    small_check(w, orr__replay_begin(w->net, period, &times, &w->why));
    run_to(w, begin + period);
    assert_false(orr__net_ended(w->net)); /* it goes on behind them */
    orr__replay_end(w->net);
    assert_true(orr__net_snapshot(w->net, &watch, &second));
    small_check(w,
                orr__net_jump(w->net, &watch, &first, &second, TIMES, &w->why));
    orr__net_snapshot_fini(&first);
    orr__net_snapshot_fini(&second);
}

/* Three hosts send to a fourth one, and it to them. */
static void start(struct small_world *w, struct transfer *t, uint32_t n,
                  uint64_t bytes)
{
    memset(t, 0, n * sizeof *t);
    w->transfer = t;
    w->n = n;
    for (uint32_t i = 0; i < n; i++) {
        t[i] = (struct transfer){
            .src = i % 4, .dst = i % 4 == 3 ? 0 : 3, .bytes = bytes + 77 * i};
        t[i].received = t[i].sent = t[i].acked = -1;
        orr__net_timer(w->net, t[i].src, t[i].start, 0, i);
    }
}

/* In all a link is busy for as long as its bytes take: not a ps is lost, but
 * one for each stretch that is busy all the time, at most. */
static void check_total(const struct orr_net *n, uint32_t link,
                        const struct orr_link_sample *s)
{
    int64_t time = orr__time_of(n, link, s->bytes);

    assert_int_equal(s->queue, 0);
    assert_in_range(s->busy_ps, time - TIMES, time);
}

/* Returns how many bins were full. */
static uint32_t gone_over(const char *yaml, uint64_t bytes, int64_t begin,
                          int64_t period, int64_t width, bool tells)
{
    enum { N = 8 };
    struct transfer t[N];
    struct small_world w;
    struct looker l;

    small_build(&w, yaml, 1);
    look_on(&l, &w, width, tells);
    start(&w, t, N, bytes);
    go_over(&w, begin, period);
    run_to(&w, INT64_MAX);
    look(&l, (w.end > l.bins.open_ps ? w.end : l.bins.open_ps) + 1);
    for (uint32_t i = 0; i < w.graph->links; i++) {
        struct orr_link_sample s;

        orr__net_link_sample(w.net, i, w.end, &s);
        assert_int_equal(l.bytes[i], s.bytes);
        assert_int_equal(l.busy[i], s.busy_ps);
        check_total(w.net, i, &s);
    }
    orr__bins_fini(&l.bins);
    small_free(&w);
    return l.full;
}

/* A stretch from each of many moments, of many lengths. at: of the first. */
static void many(const char *rate, const char *network, uint64_t bytes,
                 int64_t at, int64_t period, int64_t width, bool tells)
{
    char text[512];
    uint32_t full = 0;

    snprintf(text, sizeof text,
             "topology: {kind: dumbbell, left: 3, right: 1, link: {rate: %s, "
             "delay: 10ns}, bottleneck: {rate: %s, delay: 10ns}}\n"
             "network: %s\n",
             rate, rate, network);
    for (int64_t i = 0; i < 20; i++)
        full += gone_over(text, bytes, at + 2003 * i, period + 613 * (i % 7),
                          width, tells);
    assert_true(full > 0);
}

static void test_bins_over_a_seam(void **state)
{
    /* at 3 Tbps such a packet takes a whole number of ps */
    static const char *const network[] = {
        "{cc: none, mtu: 1200B, header: 60B}",
        "{cc: none, mtu: 1200B, header: 60B, ports: explicit}",
    };

    for (int i = 0; i < 2; i++)
        for (int tells = 0; tells < 2; tells++) {
            many("5428640000bps", network[i], 9000, 1200 * ORR_NS, 9 * ORR_US,
                 100 * ORR_NS, tells);
            many("7Tbps", network[i], 90000, 60 * ORR_NS, 80 * ORR_NS, 1300,
                 tells);
            many("3Tbps", network[i], 60000, 60 * ORR_NS, 80 * ORR_NS, 1300,
                 tells);
            many("30Tbps", network[i], 300000, 60 * ORR_NS, 20 * ORR_NS, 1300,
                 tells);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bins_over_a_seam),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
