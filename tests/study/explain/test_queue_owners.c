/* What waits at a port, owner by owner: at every mark and loss it is what
 * walking through the queue comes to. */
#include "tests/net/small_world.h"

#include "study/explain/queue_owners.h"

#define SENDERS 6

struct asker {
    struct small_world *w;
    struct orr_queue_owners stock[32]; /* per link */
    uint64_t held[SENDERS], asked, many;
};

/* A connection is an owner, but for the last one, whose packets count for
 * nobody. */
static uint32_t owner_of(const void *arg, const struct orr_packet *p)
{
    return p->connection < SENDERS - 1 ? p->connection : UINT32_MAX;
}

static bool add(void *arg, const struct orr_packet *p)
{
    struct asker *a = arg;
    uint32_t owner = owner_of(a, p);

    if (owner < SENDERS)
        a->held[owner] += orr__packet_size(p);
    return true;
}

static void ask(void *arg, const struct orr_observed_hop *h)
{
    struct asker *a = arg;
    struct orr_queue_owners *s = &a->stock[h->link];
    const struct orr_net *n = a->w->net;
    const struct orr_packet *serving =
        orr__observed_serving(n, h->link, h->now);
    uint32_t owners = 0;

    assert_true(h->link < 32);
    assert_true(orr__observed_fifos(n, h->link) > 0);
    assert_true(orr__queue_owners_ask(s, n, h->link, SENDERS, owner_of, a));
    memset(a->held, 0, sizeof a->held);
    orr__observed_queue(n, h->link, h->now, add, a);
    for (uint32_t i = 0; i < SENDERS; i++) {
        bool out = serving && owner_of(a, serving) == i;

        assert_int_equal(a->held[i],
                         s->held[i] + (out ? orr__packet_size(serving) : 0));
        owners += a->held[i] > 0;
    }
    a->asked++;
    a->many += owners > 2;
}

static const struct orr_packet_observer_ops observer = {
    .dropped = ask,
    .marked = ask,
};

static void check(const char *network)
{
    struct transfer t[SENDERS] = {0};
    struct asker a = {0};
    struct small_world w;
    char yaml[512];

    snprintf(yaml, sizeof yaml,
             "topology: {kind: switch, hosts: 8, "
             "link: {rate: 8Gbps, delay: 1us}}\n"
             "network: {mtu: 1000B, header: 0B, %s}",
             network);
    small_build(&w, yaml, 1);
    a.w = &w;
    small_check(&w, orr__net_observe_packets(w.net, &observer, &a, &w.why));
    for (uint32_t i = 0; i < SENDERS; i++)
        t[i] = (struct transfer){.src = i + 1,
                                 .dst = 0,
                                 .bytes = 300000,
                                 .start = 1000 * (int64_t)i};
    small_run(&w, t, SENDERS);
    assert_true(a.asked > 100);
    assert_true(a.many > 100);
    for (uint32_t i = 0; i < 32; i++)
        orr__queue_owners_fini(&a.stock[i]);
    small_free(&w);
}

static void marks(void **state)
{
    check("queue: {kind: ecn, capacity: 1MB, threshold: 20KB}, cc: dctcp, "
          "ports: explicit");
    check("queue: {kind: red, capacity: 200KB, kmin: 5KB, kmax: 50KB, "
          "mark: dequeue}, cc: dcqcn, ports: explicit");
}

/* Queues empty between one loss and the next, and rings go round. */
static void losses(void **state)
{
    check("queue: {kind: droptail, capacity: 90KB}, cc: reno, "
          "ports: explicit");
}

static void classes(void **state)
{
    check("classes: 3, queue: {kind: ecn, scheduler: drr, capacity: 1MB, "
          "threshold: 20KB}, cc: dctcp");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marks),
        cmocka_unit_test(losses),
        cmocka_unit_test(classes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
