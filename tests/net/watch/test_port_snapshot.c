/* The state of explicit ports as a walk sees it, in the middle of a run: every
 * field that decides the future counts, and moves with time. */
#include "core/none.h"
#include "tests/net/small_world.h"

#include "net/port/buffer.h"
#include "net/port/pfc.h"
#include "net/schedule/shares.h"
#include "net/watch/port_snapshot.h"

/* 1 B takes 1 ns. Two send to host 2: the port to it is busy, and packets of
 * both wait there. */
static void stop_at(struct small_world *w, const char *network, int64_t stop)
{
    static struct transfer t[2];
    char yaml[512];

    snprintf(yaml, sizeof yaml,
             "topology: {kind: switch, hosts: 3, link: {rate: 8Gbps, "
             "delay: 1us}}\n"
             "network: {mtu: 1000B, %s}\n",
             network);
    t[0] = (struct transfer){.src = 0, .dst = 2, .bytes = 50000, .share = 1};
    t[1] = (struct transfer){
        .src = 1, .dst = 2, .bytes = 50000, .class = 1, .share = 2};
    small_read(w, yaml, 2);
    small_make(w, 1);
    w->stop = stop;
    small_run(w, t, 2);
}

/* The port from the switch, node 3, to a host. */
static struct orr_port *to_host(struct small_world *w, uint32_t host)
{
    for (uint32_t l = 0; l < w->graph->links; l++)
        if (w->graph->from[l] == 3 && w->graph->to[l] == host)
            return &w->net->port[l];
    fail();
    return NULL;
}

static void walk(struct small_world *w, struct orr_snapshot *walk)
{
    for (uint32_t l = 0; l < w->graph->links; l++)
        orr__port_snapshot(w->net, &w->net->port[l], walk);
    for (uint32_t l = 0; l < w->graph->links; l++)
        orr__port_snapshot_packets(w->net, &w->net->port[l], walk);
    orr__memories_snapshot(w->net, walk);
}

static uint64_t look_for(struct small_world *w, int64_t now,
                         struct orr_counts *counts)
{
    struct orr_snapshot look = {
        .mode = ORR_SNAPSHOT_DIGEST, .now = now, .counts = counts};

    walk(w, &look);
    return look.digest;
}

static uint64_t look(struct small_world *w)
{
    return look_for(w, w->stop, NULL);
}

#define TELLS(w, field, other)                                                 \
    do {                                                                       \
        uint64_t before_ = look(w);                                            \
        __typeof__(field) kept = field;                                        \
        field = other;                                                         \
        if (look(w) == before_)                                                \
            fail_msg("another " #field " is not told apart");                  \
        field = kept;                                                          \
        assert_true(look(w) == before_);                                       \
    } while (0)

static void tells_packet(struct small_world *w, struct orr_packet *p)
{
    TELLS(w, p->connection, 1 - kept);
    TELLS(w, p->seq, kept + 1);
    TELLS(w, p->size_flags, kept ^ ORR_PACKET_CE);
    TELLS(w, p->dst_kind, kept ^ ORR_PACKET_CNP);
}

/* What is on a link, and when its port is free. */
static void test_link(void **state)
{
    struct small_world w;
    struct orr_port *port;
    struct orr_packet *p;

    stop_at(&w, "ports: explicit", 10500 * ORR_NS);
    port = to_host(&w, 2);
    assert_true(orr__inlet_of(w.net, port->id)->head != port->tail);
    p = &port->ring[orr__inlet_of(w.net, port->id)->head & port->mask];
    tells_packet(&w, p);
    TELLS(&w, p->at, kept + 1);
    TELLS(&w, port->free_at, kept + 1);
    small_free(&w);
}

/* A port of a single queue, whose packets wait in its ring: the order among all
 * that were queued tells nothing, the link they came by does where it is asked
 * for. */
static void test_plain(void **state)
{
    struct small_world w;
    struct orr_port *port;
    struct orr_queue *q;
    uint64_t before;

    stop_at(&w, "buffer: {kind: shared, size: 1MiB, alpha: 1}", 10500 * ORR_NS);
    port = to_host(&w, 2);
    q = w.net->queue[port->id];
    assert_true(q->single && !q->bare && q->waiting > 1);
    tells_packet(&w, orr__single_queue_at(port, q, 0));
    tells_packet(&w, orr__single_queue_at(port, q, 1));
    TELLS(&w, orr__single_queue_at(port, q, 1)->at, kept + 1);
    TELLS(&w, q->busy_until, kept + 1);
    TELLS(&w, q->fifo->held, kept + 1);
    TELLS(&w, w.net->memory[3].used, kept + 1);
    before = look(&w);
    q->order += 5;
    w.net->memory[3].alert ^= true;
    assert_true(look(&w) == before);
    small_free(&w);
}

static void test_classes_and_pauses(void **state)
{
    struct small_world w;
    struct orr_port *port;
    struct orr_queue *q;

    stop_at(&w, "pfc: {enabled: true}, queue: {kind: droptail, scheduler: drr}",
            10500 * ORR_NS);
    port = to_host(&w, 2);
    q = w.net->queue[port->id];
    assert_true(!q->single && q->busy && orr__waiting(q, 0));
    tells_packet(&w, (struct orr_packet *)orr__serving(port, q));
    tells_packet(&w, orr__fifo_at(&q->fifo[0], q->fifo[0].head));
    TELLS(&w, q->order, kept + 1); /* that of all that wait */
    TELLS(&w, q->serving_fifo, 1 - kept);
    TELLS(&w, q->fifo[1].credit, kept + 1);
    TELLS(&w, q->served, (uint8_t)(1 - kept));
    TELLS(&w, q->virtual, kept + 1);
    TELLS(&w, q->ahead, kept + 1);
    TELLS(&w, q->paused, kept ^ 1);
    TELLS(&w, q->wanted, kept ^ 1);
    TELLS(&w, q->announced, kept ^ 1);
    TELLS(&w, q->announced_class, kept ^ 1);
    TELLS(&w, q->blocked_from, w.stop - 1);
    TELLS(&w, q->begun_bps, kept + 1);
    TELLS(&w, q->marking.counter, kept + 1);
    TELLS(&w, q->marking.left, kept + 1);
    TELLS(&w, q->fifo[0].average, kept + 1);
    TELLS(&w, w.net->pfc->memory[3].used, kept + 1);
    TELLS(&w, w.net->pfc->ingress[0].held, kept + 1);
    TELLS(&w, w.net->pfc->ingress[1].over, kept + 1);
    TELLS(&w, w.net->pfc->suspected, !kept);
    q->paused = 1;
    TELLS(&w, q->paused_from, kept + 1);
    q->paused = 0;
    small_free(&w);
}

/* A share is known by its key: where it is kept tells nothing. */
static void test_shares(void **state)
{
    struct small_world w;
    struct orr_queue *q;
    struct orr_shares *s;
    uint32_t i = 0;

    stop_at(&w, "queue: {kind: droptail, scheduler: fair}", 10500 * ORR_NS);
    q = w.net->queue[to_host(&w, 2)->id];
    s = q->shares;
    while (s->share[i].place == ORR_NONE)
        i++;
    TELLS(&w, s->share[i].key, kept + 100);
    TELLS(&w, s->share[i].tag, kept + (s->clock + 1000));
    TELLS(&w, s->share[i].order, kept + 1);
    tells_packet(&w, orr__fifo_at(&q->fifo[i], q->fifo[i].head));
    small_free(&w);
}

/* A packet of a connection with telemetry, on its way back or there. */
static struct orr_packet *with_record(struct small_world *w)
{
    for (uint32_t l = 0; l < w->graph->links; l++) {
        struct orr_port *port = &w->net->port[l];
        uint32_t i = orr__inlet_of(w->net, port->id)->head;

        for (; i != port->tail; i++) {
            struct orr_packet *p = &port->ring[i & port->mask];

            if (p->dst_kind & ORR_PACKET_TELEMETRY
                && orr__telemetry(w->net, p->aux)->hops)
                return p;
        }
    }
    fail();
    return NULL;
}

static void test_records(void **state)
{
    struct small_world w;
    struct orr_packet *p;
    struct orr_cc_telemetry *t;
    struct orr_port *port;

    stop_at(&w, "cc: hpcc", 10500 * ORR_NS);
    port = to_host(&w, 2);
    p = with_record(&w);
    t = orr__telemetry(w.net, p->aux);
    TELLS(&w, t->hops, 0);
    TELLS(&w, t->hop[0].at_ps, kept + 1);
    TELLS(&w, t->hop[0].sent_bytes, kept + 1);
    TELLS(&w, t->hop[0].queue_bytes, kept + 1);
    TELLS(&w, t->hop[0].rate_bps, kept + 1);
    TELLS(&w, port->bytes, kept + 1); /* since then it has sent more */
    small_free(&w);
}

/* As it is a thousand times 7 us later, while a port goes on by 5,000 B each
 * time: the same to look at, and all counters have gone on. */
static void moves(const char *network)
{
    struct orr_counts first = {0}, second = {0};
    const int64_t by = 7000 * ORR_US;
    struct orr_snapshot move = {.mode = ORR_SNAPSHOT_MOVE,
                                .first = &first,
                                .second = &second,
                                .times = 1000,
                                .by = by};
    struct small_world w;
    struct orr_port *port;
    struct orr_link_sample sent;
    uint64_t digest, bytes;

    stop_at(&w, network, 10500 * ORR_NS);
    w.net->more_bytes = orr__alloc(w.graph->links, sizeof(uint64_t));
    port = to_host(&w, 2);
    bytes = port->bytes;
    orr__net_link_sample(w.net, port->id, w.stop, &sent);
    digest = look_for(&w, w.stop, &first);
    (void)look_for(&w, w.stop, &second);
    assert_true(first.n == second.n && first.n > 0);
    for (size_t i = 0; i < first.n; i++) /* as if less was sent by then */
        if (first.value[i] == sent.bytes)
            first.value[i] -= 5000;
    move.now = w.stop;
    walk(&w, &move);
    assert_false(move.differs);
    assert_true(look_for(&w, w.stop + by, NULL) == digest);
    assert_int_equal(port->bytes, bytes + 5000000);
    orr__counts_fini(&first);
    orr__counts_fini(&second);
    small_free(&w);
}

static void test_moves(void **state)
{
    moves("ports: explicit");
    moves("cc: hpcc");
    moves("pfc: {enabled: true}");
    moves("queue: {kind: droptail, scheduler: fair}");
    moves("buffer: {kind: shared, size: 1MiB, alpha: 1}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_link),
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_classes_and_pauses),
        cmocka_unit_test(test_shares),
        cmocka_unit_test(test_records),
        cmocka_unit_test(test_moves),
    };

    return cmocka_run_group_tests_name("net/port/walk", tests, NULL, NULL);
}
