/* Packet numbers go round: a connection that has sent billions of packets goes
 * on as a new one does. */
#include "core/none.h"
#include "tests/net/small_world.h"

#include "core/units.h"
#include "net/host/host.h"

struct course { /* two messages on one connection, and what became of them */
    struct small_world world;
    uint32_t user;  /* of the net */
    uint32_t first; /* number of its first packet */
    uint32_t noted; /* and that of the last loss */
    uint32_t connection;
    int64_t received[2], acked[2];
    struct orr_connection_stats stats;
};

enum { RIVAL = 2 };

static void received(void *world, uint32_t host, int64_t now,
                     const struct orr_message *m)
{
    struct course *c = world;

    if (m->arg != RIVAL)
        c->received[m->arg] = now;
}

static void sent(void *world, uint32_t host, int64_t now,
                 const struct orr_message *m)
{
}

static void acked(void *world, uint32_t host, int64_t now,
                  const struct orr_message *m)
{
    struct course *c = world;

    if (m->arg != RIVAL)
        c->acked[m->arg] = now;
}

static uint32_t connect_to(struct course *c, uint32_t src, int64_t now)
{
    const struct orr_connection_spec spec = {.src = src,
                                             .dst = 2,
                                             .identity = src + 1,
                                             .service = &c->world.service[0]};

    return orr__net_connect(c->world.net, now, &spec);
}

/* As if so many packets had been sent, and acknowledged or lost. */
static void go_ahead(struct course *c)
{
    struct orr_sender *s = orr__sender(c->world.net, c->connection);
    struct orr_receiver *r = orr__receiver(c->world.net, c->connection);

    s->next = s->queued = r->next = c->first;
    s->recovery.end = s->recovery.scanned = s->recovery.repeat_from =
        s->recovery.highest_here = c->noted;
    if (orr__net_wire(c->world.net_config).reliable)
        s->una = s->peak.end = c->first;
}

static void timer(void *world, uint32_t host, int64_t now, uint64_t arg)
{
    struct course *c = world;
    struct orr_message m = {
        .user = c->user, .bytes = arg ? 4000000 : 1000, .arg = (uint32_t)arg};
    uint32_t connection = c->connection;

    if (arg == 0) {
        c->connection = connection = connect_to(c, 1, now);
        go_ahead(c);
    } else if (arg == RIVAL) {
        connection = connect_to(c, 0, now);
    }
    orr__net_send(c->world.net, now, connection, &m);
}

static const struct orr_net_ops upcalls = {received, sent, acked, timer, NULL};

static void run(struct course *c, const char *network, uint32_t first,
                uint32_t noted)
{
    char yaml[300];

    snprintf(yaml, sizeof yaml,
             "topology: {kind: switch, hosts: 3, link: "
             "{rate: 10Gbps, delay: 1us}}\nnetwork: {mtu: 1000B, queue: "
             "{kind: droptail, capacity: 20KB}, %s}\n",
             network);
    memset(c, 0, sizeof *c);
    c->first = first;
    c->noted = noted;
    small_build(&c->world, yaml, 1);
    c->user = orr__net_user(c->world.net, &upcalls, c);
    assert_int_not_equal(c->user, ORR_NONE);
    for (int i = 0; i < 2; i++)
        c->received[i] = c->acked[i] = -1;
    orr__net_timer(c->world.net, 1, 0, c->user, 0);
    orr__net_timer(c->world.net, 1, 100 * ORR_US, c->user, 1);
    orr__net_timer(c->world.net, 0, 100 * ORR_US, c->user, RIVAL);
    small_check(&c->world, orr__net_run(c->world.net, INT64_MAX, NULL, NULL,
                                        &c->world.end, &c->world.why));
    orr__net_connection_stats(c->world.net, c->connection, &c->stats);
}

static void compare(const char *network, uint32_t first, uint32_t noted)
{
    struct course fresh, old;

    run(&fresh, network, 0, 0);
    run(&old, network, first, noted);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(old.received[i], fresh.received[i]);
        assert_int_equal(old.acked[i], fresh.acked[i]);
    }
    assert_int_equal(old.world.end, fresh.world.end);
    assert_memory_equal(&old.stats, &fresh.stats, sizeof old.stats);
    small_free(&fresh.world);
    small_free(&old.world);
}

static const char *const kinds[] = {
    "cc: reno",
    "cc: cubic",
    "cc: reno, recovery: go-back-n",
    "cc: reno, recovery: selective",
    "cc: reno, routing: spray",
    "cc: reno, idle_restart: true",
    "cc: {kind: fixed-rate, rate: 8Gbps}, window: 30",
    "transport: datagram",
};

/* Within the second message numbers pass 2^32, or half of it. */
static void test_round(void **state)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        static const uint32_t ends[] = {UINT32_MAX, INT32_MAX};

        compare(kinds[i], ends[0] - 1500, ends[0] - 1500);
        compare(kinds[i], ends[1] - 1500, ends[1] - 1500);
    }
}

/* The last loss is as long ago as a message may have packets: before the next
 * it will be longer ago than numbers can be compared. */
static void test_long_ago(void **state)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        compare(kinds[i], INT32_MAX - 15, 0);
}

/* They do lose packets, but for the one that does not care. */
static void test_losses(void **state)
{
    for (size_t i = 0; i + 1 < sizeof kinds / sizeof *kinds; i++) {
        struct course c;

        run(&c, kinds[i], 0, 0);
        assert_true(c.stats.retransmissions > 0);
        small_free(&c.world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round),
        cmocka_unit_test(test_long_ago),
        cmocka_unit_test(test_losses),
    };

    return cmocka_run_group_tests_name("net/numbers", tests, NULL, NULL);
}
