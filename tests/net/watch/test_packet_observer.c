/* An observer of packets: what it is told, by hand where that can be, what
 * must hold of every packet of any run, and that nothing changes by it. A byte
 * takes 1 ns at 8 Gbps. */
#include "tests/net/small_world.h"

#include "core/units.h"
#include "net/watch/packet_observer.h"

#define MOST 20000

/* A packet that is under way: where it is, and when it left there. */
struct flight {
    uint64_t name;
    uint32_t link;
    int64_t queued, begin, time;
};

struct looker {
    struct small_world *w;
    struct flight flight[MOST];
    uint32_t flights;
    uint64_t queued, begun, arrived, dropped, marked, messages, timers, ready;
    uint64_t cuts, pausing, paused, ahead_bytes;
    int64_t last_begin[64], last_end[64]; /* per link */
    bool still[64];                       /* its port is paused */
};

static uint64_t name_of(const struct orr_packet *p)
{
    uint32_t flags =
        p->size_flags & (ORR_PACKET_ACK | ORR_PACKET_REPEAT | ORR_PACKET_NACK);

    return ((uint64_t)p->connection << 40 | (uint64_t)p->seq << 8 | flags)
           ^ (uint64_t)p->aux << 20;
}

/* The oldest of this name that is on its way to a node; NULL: none. */
static struct flight *find(struct looker *l, const struct orr_packet *p,
                           uint32_t node)
{
    for (uint32_t i = 0; i < l->flights; i++) {
        struct flight *f = &l->flight[i];

        if (f->name == name_of(p) && f->begin >= 0
            && l->w->graph->to[f->link] == node)
            return f;
    }
    return NULL;
}

/* It is at the end of its link when it has travelled. */
static void check_travel(struct looker *l, const struct flight *f, int64_t now)
{
    assert_int_equal(now, f->begin + f->time
                              + orr__observed_delay(l->w->net, f->link));
}

static void add_ahead(void *arg, const struct orr_packet *p, int64_t begin,
                      int64_t end)
{
    struct looker *l = arg;

    assert_true(begin < end);
    l->ahead_bytes += orr__packet_size(p);
}

static void queued(void *arg, const struct orr_observed_hop *h)
{
    struct looker *l = arg;
    uint32_t node = l->w->graph->from[h->link];
    struct flight *f = h->own ? NULL : find(l, h->packet, node);

    l->queued++;
    orr__observed_ahead(l->w->net, h->link, h->now, add_ahead, l);
    if (f) {
        check_travel(l, f, h->now);
    } else {
        assert_true(h->own);
        assert_true(l->flights < MOST);
        f = &l->flight[l->flights++];
    }
    *f = (struct flight){.name = name_of(h->packet),
                         .link = h->link,
                         .queued = h->now,
                         .begin = -1};
}

static void begins(void *arg, const struct orr_observed_hop *h)
{
    struct looker *l = arg;

    l->begun++;
    /* a port sends one after the other */
    assert_true(h->begin >= l->last_end[h->link]);
    l->last_end[h->link] = h->begin + h->time;
    for (uint32_t i = 0; i < l->flights; i++) {
        struct flight *f = &l->flight[i];

        if (f->name != name_of(h->packet) || f->link != h->link
            || f->begin >= 0)
            continue;
        assert_true(h->begin >= f->queued);
        f->begin = h->begin;
        f->time = h->time;
        return;
    }
    fail_msg("a packet begins that was not queued");
}

static void forget(struct looker *l, struct flight *f)
{
    *f = l->flight[--l->flights];
}

static void arrived(void *arg, int64_t now, uint32_t host,
                    const struct orr_packet *p)
{
    struct looker *l = arg;
    struct flight *f = find(l, p, host);

    l->arrived++;
    assert_non_null(f);
    check_travel(l, f, now);
    forget(l, f);
}

static void dropped(void *arg, const struct orr_observed_hop *h)
{
    struct looker *l = arg;
    struct flight *f;

    l->dropped++;
    for (uint32_t i = 0; i < l->flights; i++)
        if (l->flight[i].name == name_of(h->packet)
            && l->flight[i].link == h->link && l->flight[i].begin < 0) {
            forget(l, &l->flight[i]);
            return;
        }
    /* an explicit port had no room; or its link lost it */
    f = find(l, h->packet, l->w->graph->from[h->link]);
    if (f)
        forget(l, f);
}

static void marked(void *arg, const struct orr_observed_hop *h)
{
    ((struct looker *)arg)->marked++;
}

static void message(void *arg, int64_t now, const struct orr_message *m)
{
    ((struct looker *)arg)->messages++;
}

static void timer(void *arg, uint32_t user, uint32_t host, int64_t at,
                  uint64_t t)
{
    ((struct looker *)arg)->timers++;
}

static void connected(void *arg, int64_t now, uint32_t connection,
                      const struct orr_connection_spec *spec)
{
    orr__observed_control(((struct looker *)arg)->w->net, connection);
}

static void ready(void *arg, int64_t now, uint32_t connection, uint32_t link,
                  int64_t from, bool again)
{
    struct looker *l = arg;
    int64_t pace;
    bool repeats;

    l->ready++;
    /* not on a list yet: it is told just before */
    (void)orr__observed_waits(l->w->net, connection, &pace, &repeats);
    assert_true(l->w->graph->sends[l->w->graph->from[link]]);
}

static void cut(void *arg, int64_t now, uint32_t connection,
                const struct orr_cc_ack *a, int why)
{
    ((struct looker *)arg)->cuts++;
}

static bool add_held(void *arg, const struct orr_packet *p)
{
    *(uint64_t *)arg += orr__packet_size(p);
    return true;
}

static void pausing(void *arg, int64_t now, uint32_t link, uint32_t class)
{
    struct looker *l = arg;
    uint64_t held = 0;

    l->pausing++;
    orr__observed_held(l->w->net, link, class, add_held, &held);
    assert_true(held > 0); /* or there would be nothing to pause for */
}

static void paused(void *arg, int64_t now, uint32_t link)
{
    struct looker *l = arg;

    /* as it was before: by turns, as there is one class */
    assert_int_equal(orr__observed_paused(l->w->net, link), l->still[link]);
    l->still[link] = !l->still[link];
    l->paused++;
}

static const struct orr_packet_observer_ops all = {
    .message = message,
    .timer = timer,
    .connected = connected,
    .ready = ready,
    .queued = queued,
    .begins = begins,
    .dropped = dropped,
    .marked = marked,
    .arrived = arrived,
    .pausing = pausing,
    .paused = paused,
    .cut = cut,
};

static void incast(struct transfer *t, uint32_t n)
{
    memset(t, 0, n * sizeof *t);
    for (uint32_t i = 0; i < n; i++)
        t[i] = (struct transfer){.src = i + 1,
                                 .dst = 0,
                                 .bytes = 100000,
                                 .start = 1000 * (int64_t)i};
}

/* Six hosts send to one; with somebody who looks on, and without. */
static struct looker *look_on(const char *yaml)
{
    static struct looker l;
    struct small_world plain, w;
    struct transfer t[6], u[6];

    small_build(&plain, yaml, 1);
    incast(t, 6);
    small_run(&plain, t, 6);
    small_build(&w, yaml, 1);
    memset(&l, 0, sizeof l);
    l.w = &w;
    small_check(&w, orr__net_observe_packets(w.net, &all, &l, &w.why));
    for (uint32_t i = 0; i < w.graph->links; i++)
        orr__observed_link(w.net, i, true);
    incast(u, 6);
    small_run(&w, u, 6);
    assert_int_equal(plain.totals.fingerprint, w.totals.fingerprint);
    assert_int_equal(plain.end, w.end);
    assert_int_equal(l.arrived, w.totals.packets_delivered);
    assert_int_equal(l.dropped, w.totals.packets_dropped);
    assert_int_equal(l.marked, w.totals.ecn_marks);
    assert_int_equal(l.begun, w.totals.packet_hops);
    assert_int_equal(l.messages, 6);
    assert_int_equal(l.timers, 6);
    assert_true(l.ready > 0);
    assert_true(l.ahead_bytes > 0);
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(t[i].received, u[i].received);
        assert_int_equal(t[i].acked, u[i].acked);
    }
    small_free(&w);
    small_free(&plain);
    return &l;
}

#define NET                                                                    \
    "topology: {kind: switch, hosts: 8, "                                      \
    "link: {rate: 8Gbps, delay: 1us}}\n"                                       \
    "network: {mtu: 1000B, header: 0B, "

static void computed_ports(void **state)
{
    struct looker *l = look_on(NET "queue: {kind: ecn, capacity: 1MB, "
                                   "threshold: 20KB}, cc: dctcp}");

    assert_true(l->marked > 0);
    assert_true(l->cuts > 0);
    assert_int_equal(l->dropped, 0);
    assert_int_equal(l->queued, l->begun);
}

static void explicit_ports(void **state)
{
    struct looker *l = look_on(NET "queue: {kind: ecn, capacity: 1MB, "
                                   "threshold: 20KB}, cc: dctcp, "
                                   "ports: explicit}");

    assert_true(l->marked > 0);
    assert_true(l->cuts > 0);
    assert_int_equal(l->queued, l->begun);
}

static void drops(void **state)
{
    struct looker *l = look_on(NET "queue: {kind: droptail, capacity: 20KB}, "
                                   "cc: reno}");

    assert_true(l->dropped > 0);
    assert_true(l->cuts > 0);
}

static void random_marks(void **state)
{
    (void)look_on(NET "queue: {kind: red, capacity: 200KB, kmin: 5KB, "
                      "kmax: 50KB, mark: dequeue}, cc: dcqcn}");
}

static void pauses(void **state)
{
    struct looker *l = look_on(NET "queue: {kind: droptail, capacity: 60KB}, "
                                   "pfc: {enabled: true}}");

    assert_true(l->pausing > 0);
    assert_true(l->paused > 0);
    assert_int_equal(l->dropped, 0);
}

static void several_classes(void **state)
{
    (void)look_on(NET "classes: 3, queue: {kind: droptail, scheduler: "
                      "drr, capacity: 100KB}, cc: reno}");
}

/* One who wants no packets sees its messages, and all else goes its way. */
static void messages_alone(void **state)
{
    static const struct orr_packet_observer_ops few = {
        .message = message,
        .timer = timer,
        .connected = connected,
        .cut = cut,
    };
    struct small_world plain, w;
    struct transfer t[6], u[6];
    static struct looker l;
    const char *yaml = NET "queue: {kind: ecn, capacity: 1MB, threshold: 20KB},"
                           " cc: dctcp, ports: explicit}";

    l.w = &w;
    small_build(&plain, yaml, 1);
    incast(t, 6);
    small_run(&plain, t, 6);
    small_build(&w, yaml, 1);
    small_check(&w, orr__net_observe_packets(w.net, &few, &l, &w.why));
    incast(u, 6);
    small_run(&w, u, 6);
    assert_int_equal(plain.totals.fingerprint, w.totals.fingerprint);
    assert_int_equal(plain.end, w.end);
    assert_int_equal(l.messages, 6);
    assert_int_equal(l.timers, 6);
    assert_true(l.cuts > 0);
    small_free(&w);
    small_free(&plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(computed_ports), cmocka_unit_test(explicit_ports),
        cmocka_unit_test(drops),          cmocka_unit_test(random_marks),
        cmocka_unit_test(pauses),         cmocka_unit_test(several_classes),
        cmocka_unit_test(messages_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
