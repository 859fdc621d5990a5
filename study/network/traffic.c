/* Messages and timers of a program: the library as a user of the net. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/array.h"
#include "core/memory.h"
#include "core/none.h"
#include "core/units.h"
#include "study/network/network.h"
#include "workload/program/limits.h"

#define MAX_PENDING (1u << 28)

/* ---- who calls, and when ------------------------------------------------- */

orr_err orr__network_fail(const struct orr_network *n, orr_err code,
                          const char *fmt, ...)
{
    struct orr_network *w = (struct orr_network *)n; /* only what is noted */
    va_list ap;

    va_start(ap, fmt);
    pthread_mutex_lock(&w->gate);
    w->last = (struct orr_report){.code = code};
    vsnprintf(w->last.message, sizeof w->last.message, fmt, ap);
    pthread_mutex_unlock(&w->gate);
    va_end(ap);
    return code;
}

static struct orr_network_worker *worker_of(const struct orr_network *n,
                                            uint32_t host)
{
    return &n->worker[orr__net_worker(n->world->net, host)];
}

/* The time at a host whose state may be touched now. */
static orr_err time_at(const struct orr_network *n, uint32_t host, int64_t *now)
{
    const struct orr_network_worker *w = worker_of(n, host);

    if (!n->running) {
        *now = n->now;
        return ORR_OK;
    }
    if (n->world->options.workers > 1 && w->host != host)
        return orr__network_fail(n, ORR_ECALL,
                                 "with several threads a "
                                 "callback acts only for its own host, which "
                                 "is not %u",
                                 host);
    *now = w->now;
    return ORR_OK;
}

/* ORR_ECALL: too late, or no such host. */
static orr_err check_host(const struct orr_network *n, uint32_t host,
                          const char *what)
{
    if (n->finished)
        return orr__network_fail(n, ORR_ECALL, "the network is finished");
    if (n->err != ORR_OK && n->err != ORR_EINTERRUPTED) /* may go on */
        return orr__network_fail(n, ORR_ECALL, "the run has failed: %s",
                                 n->why.message);
    if (host >= n->world->graph->hosts)
        return orr__network_fail(n, ORR_ECALL,
                                 "%s: there is no host %u; hosts "
                                 "are 0 to %u",
                                 what, host, n->world->graph->hosts - 1);
    return ORR_OK;
}

int64_t orr_network_now(const orr_network *n)
{
    if (!n)
        return 0;
    if (!n->running)
        return n->now;
    return n->world->options.workers > 1 ? orr__net_now(n->world->net)
                                         : n->worker[0].now;
}

int64_t orr_network_now_at(const orr_network *n, uint32_t host)
{
    if (!n || host >= n->world->graph->hosts)
        return 0;
    return n->running ? worker_of(n, host)->now : n->now;
}

/* ---- what is pending ----------------------------------------------------- */

static uint32_t new_pending(struct orr_network *n, uint32_t host,
                            struct orr_pending **out)
{
    uint32_t id = orr__slab_new(&n->pending, &worker_of(n, host)->pending);

    *out = id == ORR_NONE ? NULL : orr__slab_get(&n->pending, id);
    if (!*out)
        (void)orr__network_fail(n, ORR_ENOMEM, "out of memory");
    return id;
}

/* One upcall fewer to come; the last gives the room back. */
static void settle(struct orr_network *n, struct orr_network_worker *w,
                   uint32_t id)
{
    struct orr_pending *p = orr__slab_get(&n->pending, id);

    if (atomic_fetch_sub(&p->waits, 1) == 1)
        orr__slab_release(&w->pending, id);
}

/* Calls back on a host, unless there is nothing to call. */
static void call_on_host(struct orr_network_worker *w, uint32_t host,
                         int64_t now, void (*fn)(void *), void *arg)
{
    w->host = host;
    w->now = now;
    if (fn)
        fn(arg);
    w->host = ORR_NONE;
}

void orr__network_call(void *network, uint32_t host, int64_t now,
                       void (*fn)(void *arg), void *arg)
{
    call_on_host(worker_of(network, host), host, now, fn, arg);
}

/* ---- upcalls of the net -------------------------------------------------- */

static void received(void *network, uint32_t host, int64_t now,
                     const struct orr_message *m)
{
    struct orr_network *n = network;
    struct orr_network_worker *w = worker_of(n, host);
    const struct orr_pending *p = orr__slab_get(&n->pending, m->arg);

    w->totals.arrived++;
    w->totals.bytes += m->bytes;
    call_on_host(w, host, now, p->s.arrived, p->s.arrived_arg);
    settle(n, w, m->arg);
}

static void sent(void *network, uint32_t host, int64_t now,
                 const struct orr_message *m)
{
    struct orr_network *n = network;
    struct orr_network_worker *w = worker_of(n, host);
    const struct orr_pending *p = orr__slab_get(&n->pending, m->arg);

    call_on_host(w, host, now, p->s.sent, p->s.sent_arg);
    settle(n, w, m->arg);
}

static void acked(void *network, uint32_t host, int64_t now,
                  const struct orr_message *m)
{
    struct orr_network *n = network;
    struct orr_network_worker *w = worker_of(n, host);
    const struct orr_pending *p = orr__slab_get(&n->pending, m->arg);

    w->totals.acked++;
    call_on_host(w, host, now, p->s.acked, p->s.acked_arg);
    settle(n, w, m->arg);
}

/* Something to be called now, or a message of a host to itself is there. */
static void timer(void *network, uint32_t host, int64_t now, uint64_t arg)
{
    struct orr_network *n = network;
    struct orr_network_worker *w = worker_of(n, host);
    uint32_t id = (uint32_t)arg;
    const struct orr_pending p =
        *(struct orr_pending *)orr__slab_get(&n->pending, id);

    orr__slab_release(&w->pending, id);
    if (!p.later) {
        w->totals.arrived++;
        w->totals.bytes += p.s.bytes;
        w->totals.acked += orr__net_wire(n->world->net_config).reliable;
        call_on_host(w, host, now, p.s.sent, p.s.sent_arg);
    }
    call_on_host(w, host, now, p.s.arrived, p.s.arrived_arg);
    if (!p.later)
        call_on_host(w, host, now, p.s.acked, p.s.acked_arg);
}

static const struct orr_net_ops upcalls = {
    .received = received,
    .sent = sent,
    .acked = acked,
    .timer = timer,
};

/* ---- channels ------------------------------------------------------------ */

/* What its connection is called: nothing but what it is. */
static uint64_t identity(const struct orr_send *s)
{
    const uint32_t name[4] = {s->src, s->dst, s->channel, s->traffic_class};

    return XXH3_64bits_withSeed(name, sizeof name, 0x6f72726572790a) | 1;
}

static struct orr_network_host *host_of(struct orr_network *n, uint32_t host)
{
    if (!n->host[host])
        n->host[host] = orr__alloc(1, sizeof *n->host[host]);
    return n->host[host];
}

/* Opens a connection for a pair, class and channel; within a host there is
 * none. false: no memory. */
static bool new_channel(struct orr_network *n, struct orr_network_host *h,
                        const struct orr_send *s, uint64_t key, int64_t now)
{
    struct orr_channel c = {.connection = ORR_NONE};

    if (!orr__array_more(h->channel, h->room, h->channels))
        return false;
    if (s->src != s->dst) {
        const struct orr_connection_spec spec = {
            .src = s->src,
            .dst = s->dst,
            .identity = identity(s),
            .service = &n->service[s->traffic_class]};

        c.connection = orr__net_connect(n->world->net, now, &spec);
        if (c.connection == ORR_NONE)
            return false;
    }
    h->channel[h->channels] = c;
    if (!orr__table_add(&h->by_class[s->traffic_class], key, h->channels))
        return false;
    h->channels++;
    return true;
}

/* NULL: no memory. */
static struct orr_channel *channel_of(struct orr_network *n,
                                      const struct orr_send *s, int64_t now)
{
    struct orr_network_host *h = host_of(n, s->src);
    uint64_t key = (uint64_t)s->dst << 32 | s->channel;
    uint32_t at =
        h ? orr__table_find(&h->by_class[s->traffic_class], key) : ORR_NONE;

    if (h && at == ORR_NONE && new_channel(n, h, s, key, now))
        at = h->channels - 1;
    if (at != ORR_NONE)
        return &h->channel[at];
    (void)orr__network_fail(n, ORR_ENOMEM, "out of memory");
    return NULL;
}

/* ---- calls --------------------------------------------------------------- */

/* ORR_ECALL, or ORR_ECONFIG for what the configuration does not have room
 * for. */
static orr_err check_send(const struct orr_network *n, const struct orr_send *s)
{
    uint64_t most = s->src == s->dst ? n->most_local : n->most_bytes;
    orr_err err = check_host(n, s->src, "src");

    if (err == ORR_OK)
        err = check_host(n, s->dst, "dst");
    if (err != ORR_OK)
        return err;
    if (s->traffic_class >= n->classes)
        return orr__network_fail(n, ORR_ECALL,
                                 "traffic class %u: the network "
                                 "has %u (network.classes)",
                                 s->traffic_class, n->classes);
    if (s->bytes > most) {
        char text[240];

        orr__program_limits_words(n->world, most, text, sizeof text);
        return orr__network_fail(n, ORR_ECONFIG, "a message of %llu B is %s",
                                 (unsigned long long)s->bytes, text);
    }
    if (s->acked && !orr__net_wire(n->world->net_config).reliable)
        return orr__network_fail(n, ORR_ECALL,
                                 "acked: nothing is acknowledged "
                                 "without `network.transport: reliable`");
    return ORR_OK;
}

/* Of a host to itself. */
static void send_here(struct orr_network *n, struct orr_channel *c,
                      const struct orr_send *s, uint32_t id, int64_t now)
{
    int64_t from = c->free_at > now ? c->free_at : now;

    c->free_at =
        orr__time_add(from, orr__serialisation(s->bytes, ORR_LOCAL_BPS));
    orr__net_timer(n->world->net, s->src,
                   orr__time_add(c->free_at, ORR_LOCAL_DELAY_PS), n->user, id);
}

orr_err orr_network_send(orr_network *n, const struct orr_send *s)
{
    struct orr_pending *p;
    struct orr_channel *c;
    int64_t now = 0;
    orr_err err;
    uint32_t id;

    if (!n || !s)
        return n ? orr__network_fail(n, ORR_ECALL, "no message is given")
                 : ORR_ECALL;
    err = check_send(n, s);
    if (err == ORR_OK)
        err = time_at(n, s->src, &now);
    if (err != ORR_OK)
        return err;
    c = channel_of(n, s, now);
    id = c ? new_pending(n, s->src, &p) : ORR_NONE;
    if (id == ORR_NONE)
        return ORR_ENOMEM;
    p->s = *s;
    atomic_store(&p->waits, 2 + orr__net_wire(n->world->net_config).reliable);
    worker_of(n, s->src)->totals.sent++;
    if (s->src == s->dst)
        send_here(n, c, s, id, now);
    else
        orr__net_send(n->world->net, now, c->connection,
                      &(struct orr_message){.bytes = s->bytes,
                                            .user = n->user,
                                            .src = s->src,
                                            .dst = s->dst,
                                            .arg = id});
    return ORR_OK;
}

orr_err orr_network_at(orr_network *n, uint32_t host, int64_t delay_ps,
                       void (*fn)(void *arg), void *arg)
{
    struct orr_pending *p;
    int64_t now = 0;
    orr_err err;
    uint32_t id;

    if (!n)
        return ORR_ECALL;
    err = check_host(n, host, "host");
    if (err == ORR_OK && !fn)
        err = orr__network_fail(n, ORR_ECALL, "no callback is given");
    if (err == ORR_OK && delay_ps < 0)
        err = orr__network_fail(n, ORR_ECALL,
                                "a delay of %lld ps is in the "
                                "past",
                                (long long)delay_ps);
    if (err == ORR_OK)
        err = time_at(n, host, &now);
    if (err == ORR_OK && delay_ps >= ORR_HORIZON - now)
        err = orr__network_fail(n, ORR_ECONFIG,
                                "a delay of %lld ps ends after "
                                "the 53 days that can be simulated",
                                (long long)delay_ps);
    if (err != ORR_OK)
        return err;
    id = new_pending(n, host, &p);
    if (id == ORR_NONE)
        return ORR_ENOMEM;
    p->later = true;
    p->s.arrived = fn;
    p->s.arrived_arg = arg;
    orr__net_timer(n->world->net, host, now + delay_ps, n->user, id);
    return ORR_OK;
}

/* ---- beginning and end --------------------------------------------------- */

orr_err orr__network_join(struct orr_network *n, struct orr_report *why)
{
    const struct orr_world *w = n->world;

    n->most_bytes = orr__program_limits_message(w);
    n->most_local = orr__program_limits_local(w, ORR_LOCAL_BPS);
    n->host = orr__alloc(w->graph->hosts, sizeof *n->host);
    n->worker = orr__alloc_lines(w->options.workers, sizeof *n->worker);
    n->user = orr__net_user(w->net, &upcalls, n);
    if (!n->host || !n->worker || n->user == ORR_NONE
        || !orr__slab_init(&n->pending, sizeof(struct orr_pending),
                           MAX_PENDING))
        return orr__no_memory(why);
    for (unsigned i = 0; i < w->options.workers; i++)
        n->worker[i].host = ORR_NONE;
    return ORR_OK;
}

void orr__network_disconnect(struct orr_network *n)
{
    for (uint32_t h = 0; n->host && h < n->world->graph->hosts; h++) {
        struct orr_network_host *host = n->host[h];

        for (uint32_t c = 0; host && c < ORR_MOST_CLASSES; c++)
            orr__table_fini(&host->by_class[c]);
        if (host)
            orr__free(host->channel);
        orr__free(host);
    }
    for (unsigned i = 0; n->worker && i < n->world->options.workers; i++)
        orr__slab_supply_fini(&n->worker[i].pending);
    orr__free(n->host);
    orr__free(n->worker);
    orr__slab_fini(&n->pending);
}
