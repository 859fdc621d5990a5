/* A net without packets, for tests of what runs above it: each host sends its
 * messages one after another at one rate; a message's first byte arrives a
 * fixed latency after it left (plus, if asked, a pseudo-random delay that keeps
 * the order of a connection); each host takes what arrives one after another.
 * Included by one file of a program; it takes the place of net/loop/net.c. */
#ifndef ORR_TESTS_WORKLOAD_FAKE_NET_H
#define ORR_TESTS_WORKLOAD_FAKE_NET_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs those four first */
#include <string.h>
#include <cmocka.h>

#include "core/config/config.h"
#include "core/memory.h"
#include "core/units.h"
#include "experiment/limit.h"
#include "formats/source.h"
#include "net/config/config.h"
#include "net/net.h"
#include "record/busy_time.h"
#include "workload/job/job.h"
#include "workload/placement/placement.h"
#include "workload/world.h"

enum fake_kind {
    FAKE_TIMER,
    FAKE_LEAVES,
    FAKE_SENT,
    FAKE_HEAD,
    FAKE_RECEIVED,
    FAKE_ACKED
};

struct fake_event {
    int64_t at;
    uint64_t seq;
    bool last; /* of its time */
    enum fake_kind kind;
    uint32_t host;
    uint32_t what;
    uint64_t arg;
    struct orr_message m;
};

struct fake_connection {
    uint32_t src, dst;
    uint64_t identity, bytes;
    int64_t last_head;
};

struct orr_net {
    struct orr_world *world;
    uint64_t rate_bps;
    int64_t latency_ps;
    int64_t scatter_ps; /* random delays below this */
    uint32_t lose_at;   /* the message of this number (from 1) is lost */
    uint64_t seed;
    struct fake_event *heap;
    size_t events, room;
    uint64_t seq, messages, bytes, steps, step_hash;
    int64_t now, *free_at, *taken_until; /* per host */
    struct fake_connection *connection;
    uint32_t connections, connection_room;
    struct fake_event *foretold; /* per host: what `leaves` told of last */
    uint64_t told, recalled;     /* so often it did; was asked for after all */
    bool silent;                 /* it never does */
    bool single;                 /* all hosts are one process */
    orr_err failed;
    const struct orr_net_ops *ops[64]; /* of users */
    void *context[64];
    uint32_t users;
    /* what looks on, or NULL: a message is handed over; all of it is there */
    void *watcher;
    void (*on_send)(void *watcher, const struct orr_message *m);
    void (*on_receive)(void *watcher, const struct orr_message *m);
};

static bool fake_before(const struct fake_event *a, const struct fake_event *b)
{
    if (a->at != b->at)
        return a->at < b->at;
    return a->last != b->last ? b->last : a->seq < b->seq;
}

static void fake_push_as(struct orr_net *n, struct fake_event e, uint64_t seq)
{
    assert_true(e.at >= n->now);
    if (n->events == n->room) {
        n->room = n->room * 2 + 64;
        n->heap = orr__resize(n->heap, n->room, sizeof *n->heap);
        assert_non_null(n->heap);
    }
    e.seq = seq;
    size_t i = n->events++;
    for (; i && fake_before(&e, &n->heap[(i - 1) / 2]); i = (i - 1) / 2)
        n->heap[i] = n->heap[(i - 1) / 2];
    n->heap[i] = e;
}

static void fake_push(struct orr_net *n, struct fake_event e)
{
    fake_push_as(n, e, n->seq++);
}

static struct fake_event fake_pop(struct orr_net *n)
{
    struct fake_event top = n->heap[0], last = n->heap[--n->events];
    size_t i = 0;
    for (size_t c = 1; c < n->events; c = 2 * i + 1) {
        if (c + 1 < n->events && fake_before(&n->heap[c + 1], &n->heap[c]))
            c++;
        if (!fake_before(&n->heap[c], &last))
            break;
        n->heap[i] = n->heap[c];
        i = c;
    }
    n->heap[i] = last;
    return top;
}

uint32_t orr__net_connect(struct orr_net *n, int64_t now,
                          const struct orr_connection_spec *spec)
{
    uint32_t src = spec->src, dst = spec->dst;
    uint64_t identity = spec->identity;

    assert_int_not_equal(src, dst);
    for (uint32_t i = 0; i < n->connections; i++)
        assert_true(n->connection[i].identity != identity);
    if (n->connections == n->connection_room) {
        n->connection_room = n->connection_room * 2 + 16;
        n->connection = orr__resize(n->connection, n->connection_room,
                                    sizeof *n->connection);
        assert_non_null(n->connection);
    }
    n->connection[n->connections] =
        (struct fake_connection){.src = src, .dst = dst, .identity = identity};
    return n->connections++;
}

static int64_t fake_random(struct orr_net *n, int64_t below)
{
    n->seed = n->seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return below ? (int64_t)((n->seed >> 20) % (uint64_t)below) : 0;
}

/* The message of e begins now. Of half of them it is told when it will have
 * left, to whoever listens. */
static void fake_foretell(struct orr_net *n, struct fake_event e)
{
    const struct orr_net_ops *ops = n->ops[e.m.user];
    void *context = n->context[e.m.user];
    if (ops->leaves && !n->silent && e.seq * UINT64_C(0x9e3779b97f4a7c15) >> 63
        && e.at > n->now && ops->leaves(context, e.host, e.at, &e.m)) {
        n->foretold[e.host] = e;
        n->told++;
    } else {
        fake_push_as(n, e, e.seq);
    }
}

static void fake_leaves(struct orr_net *n, struct fake_event e, int64_t from)
{
    e.seq = n->seq++;
    if (from == n->now) {
        fake_foretell(n, e);
        return;
    }
    e.kind = FAKE_LEAVES;
    e.arg = (uint64_t)e.at;
    e.at = from;
    fake_push_as(n, e, e.seq);
}

void orr__net_recall(struct orr_net *n, uint32_t host, int64_t now)
{
    assert_int_equal(now, n->now);
    assert_true(n->foretold[host].at > now);
    fake_push_as(n, n->foretold[host], n->foretold[host].seq);
    n->recalled++;
}

void orr__net_send(struct orr_net *n, int64_t now, uint32_t connection,
                   const struct orr_message *m)
{
    struct fake_connection *c = &n->connection[connection];
    assert_int_equal(now, n->now);
    if (n->on_send)
        n->on_send(n->watcher, m);
    int64_t from = now > n->free_at[c->src] ? now : n->free_at[c->src];
    int64_t left = from + orr__serialisation(m->bytes, n->rate_bps);
    int64_t head = from + n->latency_ps + fake_random(n, n->scatter_ps);
    n->free_at[c->src] = left;
    c->bytes += m->bytes;
    n->bytes += m->bytes;
    if (head < c->last_head)
        head = c->last_head;
    c->last_head = head;
    struct fake_event e = {.at = left,
                           .kind = FAKE_SENT,
                           .host = c->src,
                           .arg = connection,
                           .m = *m};
    fake_leaves(n, e, from);
    e.kind = FAKE_HEAD, e.host = c->dst, e.at = head;
    if (++n->messages != n->lose_at)
        fake_push(n, e);
}

/* The first byte is there: the host takes the message in its turn. */
static void fake_head(struct orr_net *n, struct fake_event e)
{
    int64_t *until = &n->taken_until[e.host];
    *until = (e.at > *until ? e.at : *until)
             + orr__serialisation(e.m.bytes, n->rate_bps);
    e.kind = FAKE_RECEIVED, e.at = *until;
    fake_push(n, e);
    e.kind = FAKE_ACKED, e.at = *until + n->latency_ps;
    e.host = n->connection[e.arg].src;
    fake_push(n, e);
}

void orr__net_timer(struct orr_net *n, uint32_t host, int64_t at, uint32_t what,
                    uint64_t arg)
{
    fake_push(n, (struct fake_event){.at = at,
                                     .kind = FAKE_TIMER,
                                     .host = host,
                                     .what = what,
                                     .arg = arg});
}

/* Those of jobs that start: set before all others here. */
void orr__net_timer_first(struct orr_net *n, uint32_t host, int64_t at,
                          uint32_t what, uint64_t order, uint64_t arg)
{
    orr__net_timer(n, host, at, what, arg);
}

void orr__net_timer_last(struct orr_net *n, uint32_t host, int64_t at,
                         uint32_t what, uint64_t arg)
{
    fake_push(n, (struct fake_event){.at = at,
                                     .last = true,
                                     .kind = FAKE_TIMER,
                                     .host = host,
                                     .what = what,
                                     .arg = arg});
}

void orr__net_post(struct orr_net *n, uint32_t host, int64_t now, uint32_t to,
                   int64_t at, uint32_t user, uint64_t arg)
{
    assert_true(at - now >= n->world->options.control_delay_ps);
    orr__net_timer(n, to, at, user, arg);
}

bool orr__net_single(const struct orr_net *n)
{
    return n->single;
}

void orr__net_step(struct orr_net *n, uint32_t host, int64_t now, uint64_t a,
                   uint64_t b)
{
    uint64_t x = (uint64_t)now * 31 + a * 1000003 + b * 998244353 + host;
    n->steps++;
    n->step_hash += x * UINT64_C(0x9e3779b97f4a7c15) ^ x >> 7;
}

unsigned orr__net_worker(const struct orr_net *n, uint32_t host)
{
    return host % n->world->options.workers;
}

void orr__net_fail(struct orr_net *n, orr_err code)
{
    n->failed = code;
}

void orr__net_fail_at(struct orr_net *n, uint32_t host, int64_t now,
                      const char *fmt, ...)
{
    n->failed = ORR_ERUN;
}

void orr__net_connection_stats(const struct orr_net *n, uint32_t connection,
                               struct orr_connection_stats *s)
{
    memset(s, 0, sizeof *s);
    s->payload_bytes = s->wire_bytes = n->connection[connection].bytes;
}

const uint64_t *orr__net_best_rates(const struct orr_net *n)
{
    return n->world->graph->rate_bps;
}

/* Over the one switch of a `switch`: host h has cable h. */
uint32_t orr__net_path(const struct orr_net *n, uint32_t src, uint32_t dst,
                       uint64_t identity, bool forward, uint32_t *links,
                       uint32_t max)
{
    const struct orr_graph *g = n->world->graph;
    assert_true(max >= 2 && forward);
    links[0] = g->out_link[g->out_off[src]];
    links[1] = g->in_link[g->in_off[dst]];
    return 2;
}

uint32_t orr__net_path_of(const struct orr_net *n,
                          const struct orr_connection_spec *spec, bool forward,
                          uint32_t *links, uint32_t max)
{
    const struct orr_graph *g = n->world->graph;
    links[0] = g->out_link[g->out_off[spec->src]];
    if (max > 1)
        links[1] = g->in_link[g->in_off[spec->dst]];
    return 2;
}

int64_t orr__net_idle_of(const struct orr_net *n,
                         const struct orr_connection_spec *spec, uint64_t bytes)
{
    return orr__time_add(n->latency_ps, orr__serialisation(bytes, n->rate_bps));
}

int64_t orr__net_ideal_of(const struct orr_net *n,
                          const struct orr_connection_spec *spec,
                          uint64_t bytes, int64_t from, int64_t to, bool resent)
{
    return orr__net_idle_of(n, spec, bytes);
}

void orr__net_link_sample(const struct orr_net *n, uint32_t link, int64_t t,
                          struct orr_link_sample *s)
{
    memset(s, 0, sizeof *s);
}

/* There are no trees of switches here: tests/net/tree has some. */
void orr__net_expect_groups(struct orr_net_draft *draft, bool sums)
{
}

orr_err orr__net_group_check(const struct orr_graph *graph,
                             const struct orr_net_config *config,
                             const struct orr_group_spec *spec, bool *fits,
                             char text[ORR_GROUP_TEXT], struct orr_report *why)
{
    *fits = true;
    return ORR_OK;
}

orr_err orr__net_group_load(const struct orr_graph *graph,
                            const struct orr_net_config *config,
                            const struct orr_group_spec *spec,
                            struct orr_group_load *load, struct orr_report *why)
{
    return ORR_OK;
}

orr_err orr__net_group(struct orr_net *n, const struct orr_group_spec *spec,
                       uint32_t *id, struct orr_report *why)
{
    *id = 0;
    return ORR_OK;
}

uint32_t orr__net_group_connection(const struct orr_net *n, uint32_t group,
                                   uint32_t member, uint32_t tree)
{
    return ORR_NONE;
}

uint32_t orr__net_user(struct orr_net *n, const struct orr_net_ops *ops,
                       void *context)
{
    assert_in_range(n->users, 0, 63);
    n->ops[n->users] = ops;
    n->context[n->users] = context;
    return n->users++;
}

/* Nothing is kept. */
uint64_t orr__busy_time_between(
    const struct orr_world *w, int64_t from, int64_t to,
    void (*fn)(void *arg, uint32_t link, double busy_ps), void *arg)
{
    return UINT64_MAX;
}

/* ---- a world around it -------------------------------------------------- */

static void fake_run(struct orr_net *n)
{
    while (n->events && !n->failed) {
        struct fake_event e = fake_pop(n);
        uint32_t user = e.kind == FAKE_TIMER ? e.what : e.m.user;
        const struct orr_net_ops *ops = n->ops[user];
        void *context = n->context[user];
        n->now = e.at;
        if (e.kind == FAKE_TIMER)
            ops->timer(context, e.host, e.at, e.arg);
        else if (e.kind == FAKE_LEAVES) {
            e.kind = FAKE_SENT;
            e.at = (int64_t)e.arg;
            fake_foretell(n, e);
        } else if (e.kind == FAKE_SENT)
            ops->sent(context, e.host, e.at, &e.m);
        else if (e.kind == FAKE_HEAD)
            fake_head(n, e);
        else if (e.kind == FAKE_RECEIVED) {
            if (n->on_receive)
                n->on_receive(n->watcher, &e.m);
            ops->received(context, e.host, e.at, &e.m);
        } else
            ops->acked(context, e.host, e.at, &e.m);
    }
}

struct fake {
    struct orr_world w;
    struct orr_net net;
    struct orr_report why;
    char text[8192];
};

/* Reads `jobs` (YAML) for `hosts` hosts round a switch of 50 GB/s and 250 ns a
 * link; the net's own rate is 50 GB/s and its latency 500 ns. */
static orr_err fake_read(struct fake *f, uint32_t hosts, const char *jobs)
{
    struct orr_world *w = &f->w;
    memset(f, 0, sizeof *f);
    int n = snprintf(f->text, sizeof f->text,
                     "topology: {kind: switch, hosts: %u, "
                     "link: {rate: 400Gbps, delay: 250ns}}\njobs:\n%s",
                     hosts, jobs);
    assert_in_range(n, 1, sizeof f->text - 1);
    w->options.workers = 1;
    w->seed = 1;
    w->net = &f->net;
    w->readers.traces = &orr__traces;
    f->net = (struct orr_net){.world = w,
                              .rate_bps = 400000000000,
                              .latency_ps = 500 * ORR_NS,
                              .seed = 1};
    orr_err err =
        orr__config_parse("t.yaml", f->text, (size_t)n, &w->config, &f->why);
    assert_int_equal(err, ORR_OK);
    const struct orr_yaml *root = orr__config_root(w->config);
    struct orr_graph *graph = NULL;
    err = orr__graph_build(w->config, orr__yaml_get(root, "topology"), 1,
                           &graph, &f->why);
    w->graph = graph;
    assert_int_equal(err, ORR_OK);
    err = orr__net_config_read(w->config, NULL, &w->draft, &f->why);
    w->net_config = &w->draft->config;
    assert_int_equal(err, ORR_OK);
    f->net.free_at = orr__alloc(hosts, sizeof *f->net.free_at);
    f->net.taken_until = orr__alloc(hosts, sizeof *f->net.taken_until);
    f->net.foretold = orr__alloc(hosts, sizeof *f->net.foretold);
    assert_non_null(f->net.free_at);
    assert_non_null(f->net.foretold);
    assert_non_null(f->net.taken_until);
    return orr__jobs_read(w, orr__yaml_get(root, "jobs"), &f->why);
}

static void fake_free(struct fake *f)
{
    orr__jobs_free(&f->w);
    orr__graph_free(f->w.graph);
    orr__config_free(f->w.config);
    orr__free(f->net.heap);
    orr__free(f->net.free_at);
    orr__free(f->net.foretold);
    orr__free(f->net.taken_until);
    orr__free(f->net.connection);
}

/* From YAML to records. */
static void fake_go(struct fake *f)
{
    if (f->why.code)
        print_error("%s\n", f->why.message);
    assert_int_equal(f->why.code, ORR_OK);
    assert_int_equal(orr__jobs_start(&f->w, &f->why), ORR_OK);
    fake_run(&f->net);
    f->w.result.end_ps = f->net.now;
}

static inline void fake_play(struct fake *f, uint32_t hosts, const char *jobs)
{
    orr_err err = fake_read(f, hosts, jobs);
    if (err)
        print_error("%s\n", f->why.message);
    assert_int_equal(err, ORR_OK);
    fake_go(f);
    err = orr__jobs_close(&f->w, &f->why);
    if (!err)
        err = orr__limits_close(&f->w, &f->why);
    if (err)
        print_error("%s\n", f->why.message);
    assert_int_equal(err, ORR_OK);
}

#endif
