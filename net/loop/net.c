/* What the workload and the records call. */
#include "net/net.h"
#include "core/none.h"
#include "net/fabric/fault.h"
#include "net/fabric/queue.h"

#include <assert.h>
#include <math.h>

#include "core/array.h"
#include "core/assert.h"
#include "core/fingerprint.h"
#include "core/memory.h"
#include "net/config/timers.h"
#include "net/loop/analytical.h"
#include "net/path/detour.h"
#include "net/path/route.h"
#include "net/port/port.h"
#include "net/schedule/shares.h"
#include "net/tree/tree.h"
#include "net/watch/deadlock.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

/* What its control may know of a connection. */
static struct orr_cc_path path_of(const struct orr_net *n,
                                  const struct orr_connection_spec *spec,
                                  uint32_t mtu, int64_t now)
{
    const struct orr_net_config *c = n->config;
    uint32_t first = 0;
    struct orr_cc_path path = {
        .now_ps = now,
        .packet_bytes = mtu + (uint32_t)c->header,
        .payload_bytes = mtu,
        .trims = orr__net_trims(c),
        .goes_back = c->recovery == ORR_RECOVERY_GO_BACK_N,
        .base_rtt_ps = orr__net_idle_of(n, spec, mtu),
    };

    path.hops = orr__net_path_of(n, spec, true, &first, 1);
    path.line_bps = n->begin_bps[first];
    return path;
}

/* One that has a path of its own may have a longer one than any that routing
 * chooses. */
static int64_t first_timeout(const struct orr_net *n,
                             const struct orr_sender *s,
                             const struct orr_connection_spec *spec)
{
    const struct orr_net_config *c = n->config;
    bool known = c->rto.first_ps != ORR_AUTO;

    if (known
        && !(s->path && c->rto.initial_ps == ORR_AUTO && orr__timers_run(c)))
        return c->rto.first_ps;
    return orr__timers_first(c, orr__net_idle_of(n, spec, s->mtu));
}

/* The rest is zeroed. Its control begins before anything is sent. False: out of
 * memory. */
static bool init_sender(struct orr_net *n, struct orr_sender *s,
                        const struct orr_connection_spec *spec, int64_t now)
{
    const struct orr_cc *cc = s->control;
    struct orr_cc_path path;

    s->message = s->first_unacked = s->last_message = ORR_NONE;
    s->list_next = s->list_prev = ORR_NONE;
    s->nic_port = ORR_NONE;
    s->own_rto = s->own_delivered = true;
    s->rto = first_timeout(n, s, spec);
    s->delivered.at = -1;
    s->least_rtt = ORR_NEVER;
    s->tail = ORR_ALARM_OFF;
    s->hears = cc->ops->on_ack != NULL;
    s->hears_sends = cc->ops->on_send != NULL;
    s->probes = n->config->recovery == ORR_RECOVERY_RACK
                && orr__timers_run(n->config) && !cc->ops->request;
    s->timeout = s->reorder = ORR_ALARM_OFF;
    s->window.cwnd =
        cc->state_size ? n->config->initial_window : n->fixed_window;
    s->cc = orr__alloc(1, cc->state_size);
    if (!s->cc)
        return false;
    if (cc->ops->init) {
        path = path_of(n, spec, s->mtu, now);
        cc->ops->init(s->cc, cc->params, &s->window, &path);
    }
    if (n->config->transport == ORR_TRANSPORT_DATAGRAM)
        s->window.cwnd = ORR_CC_UNLIMITED;
    if (n->config->handshake) {
        s->opening = ORR_UNOPENED;
        s->opening_cwnd = s->window.cwnd;
        s->window.cwnd = 0;
    }
    return true;
}

/* One of the k shortest, where connections keep to one of those. */
static bool find_path(struct orr_net *n, struct orr_sender *s)
{
    uint32_t links_of_k[ORR_LONGEST_PATH], links = 0, *path;

    if (!s->path)
        links = orr__path_of_k(n, s->src, s->dst, s->path_hash, links_of_k);
    if (links) {
        path = orr__alloc(links, sizeof *path);
        if (!path)
            return false;
        memcpy(path, links_of_k, links * sizeof *path);
        s->path = path;
        s->path_links = links;
        s->own_path = path;
    }
    s->to = orr__sender_to(n, s);
    return true;
}

/* Of each class one: a pause holds up all that a share has. */
static uint64_t share_of(const struct orr_connection_spec *spec, uint32_t class)
{
    const uint64_t name[] = {spec->identity, class};

    if (spec->share)
        return spec->share * ORR_MOST_CLASSES + class;
    return XXH3_64bits(name, sizeof name) | UINT64_C(1) << 63;
}

/* What hashes go by. */
static void name_directions(const struct orr_net *n, struct orr_sender *s,
                            struct orr_receiver *r,
                            const struct orr_connection_spec *spec)
{
    s->hash = orr__direction_hash(n, spec->identity, true);
    r->hash = orr__direction_hash(n, spec->identity, false);
    s->path_hash = orr__path_hash(n, spec, true);
    r->path_hash = orr__path_hash(n, spec, false);
}

/* What its packets and ACKs say beside what all do. */
static void set_apart(const struct orr_net *n, struct orr_sender *s,
                      struct orr_receiver *r)
{
    r->held = ORR_ALARM_OFF;
    r->cnp_interval = s->control->cnp_interval_ps;
    r->apart = n->config->uec_acks ? ORR_APART_UEC : 0;
    s->apart = n->config->uec_acks;
    s->adds =
        s->control->telemetry || n->config->uec_acks || n->config->entropy;
}

uint32_t orr__net_connect(struct orr_net *n, int64_t now,
                          const struct orr_connection_spec *spec)
{
    const struct orr_net_service *service =
        spec->service ? spec->service : &n->config->service;
    struct orr_lane *lane = orr__lane_of(n, spec->src);
    uint32_t id = orr__slab_new(&n->senders, &lane->connections);
    struct orr_sender *s;
    struct orr_receiver *r;
    uint32_t class = service->class + spec->raise, most = n->config->classes;

    class = class < most ? class : most - 1;
    if (id == ORR_NONE || !orr__slab_reach(&n->receivers, id)) {
        orr__fabric_out_of_memory(n);
        return ORR_NONE;
    }
    s = orr__sender(n, id);
    r = orr__receiver(n, id);
    ORR_ASSERT(service->class < n->config->classes && service->cc);
    ORR_ASSERT(!n->pfc || orr__net_uses_class(n->config, class));
    ORR_ASSERT(!spec->path == !spec->path_links);
    s->id = id;
    s->identity = spec->identity;
    s->src = r->src = spec->src;
    s->worker = (uint16_t)n->node[spec->src].worker;
    s->dst = r->dst = spec->dst;
    s->mtu = (uint32_t)orr__net_mtu_of(n, spec);
    s->overtakes = orr__route_reorders(n, spec);
    r->class = (uint8_t) class;
    s->class = r->class & (ORR_MOST_CLASSES - 1);
    s->control = service->cc;
    s->window.gain = service->weight;
    s->share = share_of(spec, class);
    s->price = orr__share_price(service->weight);
    s->path = spec->path;
    s->path_links = spec->path_links;
    name_directions(n, s, r, spec);
    set_apart(n, s, r);
    if (!find_path(n, s) || !init_sender(n, s, spec, now)
        || !orr__entropies_init(n, s)) {
        orr__fabric_out_of_memory(n);
        return ORR_NONE;
    }
    if (orr__observers_see(n))
        orr__observers_connected(n, now, id, spec);
    return id;
}

/* A timeout, whether a timer runs or not. */
static int64_t timeout_of(const struct orr_net *n, const struct orr_sender *s)
{
    const struct orr_net_config *c = n->config;
    int64_t rto = orr__time_add(s->srtt, 4 * s->rttvar);

    if (orr__timers_run(c))
        return orr__sender_rto(n, s);
    rto = orr__time_add(rto, c->held_ps);
    rto = rto < c->rto.max_ps ? rto : c->rto.max_ps;
    return rto > c->rto.min_ps ? rto : c->rto.min_ps;
}

/* RFC 5681, section 4.1, if asked for. */
static void restart_if_idle(const struct orr_net *n, struct orr_sender *s,
                            int64_t now)
{
    if (n->config->idle_restart && s->control->state_size && s->una == s->next
        && s->packets && now - s->active_at > timeout_of(n, s)
        && s->window.cwnd > n->config->initial_window)
        s->window.cwnd = n->config->initial_window;
}

/* Packet numbers that are in use: they are compared, so all of them are within
 * half of what 32 bits hold, and go round. Datagrams are done with when they
 * have left; where messages are not cut up, nobody compares. */
static uint32_t numbered(const struct orr_net *n, const struct orr_sender *s)
{
    switch (n->config->transport) {
    case ORR_TRANSPORT_RELIABLE: return s->queued - s->una;
    case ORR_TRANSPORT_DATAGRAM: return s->queued - s->next;
    default: return 0;
    }
}

/* Behind the messages of a connection that are not sent yet, or not
 * acknowledged. */
static inline void append(struct orr_net *n, struct orr_sender *s, uint32_t id)
{
    if (n->config->transport == ORR_TRANSPORT_RELIABLE) {
        if (s->first_unacked == ORR_NONE)
            s->first_unacked = id;
        else
            orr__message(n, s->last_message)->next = id;
    } else if (s->message != ORR_NONE) {
        orr__message(n, s->last_message)->next = id;
    }
    s->last_message = id;
    if (s->message == ORR_NONE)
        s->message = id;
}

static void too_many(struct orr_net *n, const struct orr_sender *s, int64_t now,
                     uint64_t bytes)
{
    orr__net_fail_at(n, s->src, now,
                     "host %u has more than %d packets in flight to host %u on "
                     "one connection, with a message of %llu B",
                     s->src, INT32_MAX, s->dst, (unsigned long long)bytes);
}

/* On a tree. */
static void send_own(struct orr_net *n, struct orr_lane *lane,
                     struct orr_sender *s, const struct orr_message *m,
                     int64_t now)
{
    struct orr_message *new = orr__message_new(n, lane, m);

    if (!new)
        return;
    new->connection = s->id;
    new->received = 0;
    new->next = ORR_NONE;
    new->departs_by = ORR_NONE;
    s->own->send(n, s, new, now);
    if (orr__observers_see(n))
        orr__observers_message(n, now, new);
}

/* Turns of a connection's messages; connections of a host begin one after the
 * other. */
static uint32_t next_round(struct orr_net *n, struct orr_sender *s)
{
    if (s->path_round == 0)
        s->path_round = 1 + n->node[s->src].path.count++;
    return s->path_round++;
}

void orr__net_send(struct orr_net *n, int64_t now, uint32_t connection,
                   const struct orr_message *m)
{
    struct orr_sender *s = orr__sender(n, connection);
    struct orr_lane *lane = orr__sender_lane(n, s);
    uint64_t mtu = s->mtu;
    uint64_t packets = m->bytes <= mtu ? 1 : (m->bytes + mtu - 1) / mtu;
    struct orr_message *new;
    uint32_t id;

    if (s->own) {
        send_own(n, lane, s, m, now);
        return;
    }
    if (n->config->transport == ORR_TRANSPORT_ANALYTICAL)
        packets = 1;
    if (packets > INT32_MAX - numbered(n, s)) {
        too_many(n, s, now, m->bytes);
        return;
    }
    new = orr__message_new(n, lane, m);
    if (!new)
        return;
    id = new->id;
    new->connection = connection;
    new->first_seq = s->queued;
    new->packets = (uint32_t)packets;
    new->received = 0;
    new->next = ORR_NONE;
    new->departs_by = ORR_NONE;
    if (n->config->by_message)
        new->path_round = next_round(n, s);
    s->queued += (uint32_t)packets;
    if (orr__observers_see(n))
        orr__observers_message(n, now, new);
    if (n->config->transport == ORR_TRANSPORT_ANALYTICAL) {
        orr__analytical_send(n, s, id, now);
        return;
    }
    restart_if_idle(n, s, now);
    append(n, s, id);
    if (s->opening != ORR_OPEN)
        orr__handshake_ask(n, s, now);
    else
        orr__nic_activate(n, lane, s, now);
}

void orr__net_close(struct orr_net *n, uint32_t connection)
{
    struct orr_sender *s = orr__sender(n, connection);

    assert(s->una == s->queued && !s->own);
    orr__free(s->sent);
    orr__free(s->resends.ring);
    orr__free(s->cc);
    orr__entropies_free(n, s);
    s->sent = NULL;
    s->resends.ring = NULL;
    s->resends.capacity = s->resends.head = s->resends.tail = 0;
    s->cc = NULL;
    s->room = 0;
    s->closed = s->apart = true;
}

uint32_t orr__net_user(struct orr_net *n, const struct orr_net_ops *ops,
                       void *context)
{
    for (uint32_t i = 0; i < n->users; i++)
        if (!n->user[i].ops) {
            n->user[i] = (struct orr_net_user){ops, context};
            return i;
        }
    if (!orr__array_one_more(n->user, n->users))
        return ORR_NONE;
    n->user[n->users] = (struct orr_net_user){ops, context};
    return n->users++;
}

void orr__net_timer(struct orr_net *n, uint32_t host, int64_t at, uint32_t user,
                    uint64_t arg)
{
    if (orr__observers_see(n))
        orr__observers_timer(n, user, host, at, arg);
    orr__fabric_timer(n, host, at, ORR_RANK_USER | n->node[host].timers_set++,
                      ORR_WHAT_USER + user, arg);
}

void orr__net_timer_first(struct orr_net *n, uint32_t host, int64_t at,
                          uint32_t user, uint64_t order, uint64_t arg)
{
    assert(order < ORR_RANK_FIRST);
    if (orr__observers_see(n))
        orr__observers_timer(n, user, host, at, arg);
    orr__fabric_timer(n, host, at, ORR_RANK_FIRST | order, ORR_WHAT_USER + user,
                      arg);
}

void orr__net_timer_last(struct orr_net *n, uint32_t host, int64_t at,
                         uint32_t user, uint64_t arg)
{
    if (orr__observers_see(n))
        orr__observers_timer(n, user, host, at, arg);
    orr__fabric_timer(n, host, at, ORR_RANK_LAST, ORR_WHAT_USER + user, arg);
}

bool orr__net_single(const struct orr_net *n)
{
    return n->processes == 1;
}

void orr__net_step(struct orr_net *n, uint32_t host, int64_t now, uint64_t a,
                   uint64_t b)
{
    struct orr_lane *lane = orr__lane_of(n, host);
    uint64_t *digest = orr__digest_of(n, host);

    *digest = orr__digest(*digest, (uint64_t)now ^ a << 1, b);
    lane->events++;
    if (now > lane->last_event)
        lane->last_event = now;
}

unsigned orr__net_worker(const struct orr_net *n, uint32_t host)
{
    return n->node[host].worker;
}

void orr__net_fail(struct orr_net *n, orr_err code)
{
    orr__windows_fail(n->windows, code);
}

/* Departures that are caught up with are no events, but each is dealt with in
 * its window: others may see the packet in the next. */
static void wake_for_departures(struct orr_net *n, uint32_t process)
{
    const struct orr_graph *g = n->graph;
    uint32_t node = n->process[process].node;

    for (uint32_t i = g->out_off[node]; i < g->out_off[node + 1]; i++) {
        const struct orr_queue *q = n->queue[g->out_link[i]];

        if (q->busy)
            orr__windows_wake(n->windows, process, q->busy_until);
    }
}

/* Timers, and traffic that they cause, may be set before the run; what is under
 * way may have been moved in time (state.h). Alarms may be set, while their
 * timer is one that lies in the past. */
static void wake_all(struct orr_net *n)
{
    int64_t now = orr__windows_now(n->windows);

    for (unsigned w = 0; w < n->workers; w++)
        orr__fabric_exchange(n, w);
    for (uint32_t i = 0; i < n->processes; i++) {
        const struct orr_process *p = &n->process[i];

        for (uint32_t s = 0; s < p->sources; s++)
            if (p->armed + p->held || s != orr__process_timer(p))
                orr__windows_wake(n->windows, i,
                                  p->at[s] > now ? p->at[s] : now);
        if (p->catches_up)
            wake_for_departures(n, i);
    }
}

/* Runs, and says what the matter is if pause frames locked the network. */
static orr_err run_windows(struct orr_net *n, int64_t stop,
                           bool (*poll)(void *arg, int64_t now), void *arg,
                           int64_t *end, struct orr_report *why)
{
    struct orr_report windows = {0};
    orr_err err = orr__windows_run(n->windows, stop, poll, arg, end, &windows);
    orr_err locked = ORR_OK;

    if (n->pfc && (err == ORR_ERUN || orr__windows_quiet(n->windows)))
        locked = orr__pfc_deadlock(n, why);
    if (locked != ORR_OK)
        return locked;
    return err == ORR_OK ? ORR_OK : orr__faults_tell(n, &windows, why);
}

void orr__net_set_window(struct orr_net *n, double packets)
{
    ORR_ASSERT(packets >= 1);
    n->fixed_window = packets;
}

double orr__net_fixed_window(const struct orr_net *n)
{
    return n->fixed_window;
}

void orr__net_threads(struct orr_net *n, unsigned threads)
{
    orr__windows_threads(n->windows, threads);
}

orr_err orr__net_run(struct orr_net *n, int64_t stop,
                     bool (*poll)(void *arg, int64_t now), void *arg,
                     int64_t *end, struct orr_report *why)
{
    int64_t until = stop < ORR_HORIZON ? stop : ORR_HORIZON, last;
    orr_err err;

    n->ended = false;
    err = orr__net_groups_settle(n, orr__windows_now(n->windows), why);
    if (err != ORR_OK)
        return err;
    wake_all(n);
    err = run_windows(n, until, poll, arg, end, why);
    if (orr__windows_quiet(n->windows)) {
        last = orr__fabric_lasts(n);
        n->ended = last < until;
        *end = n->ended ? last : until;
    }
    if (err == ORR_OK && *end == ORR_HORIZON && stop > ORR_HORIZON)
        err = orr__fail(why, ORR_ERUN,
                        "simulated time has reached its limit of 53 days");
    return err == ORR_OK ? orr__net_audit(n, why) : err;
}

void orr__net_between(struct orr_net *n, void (*fn)(void *arg, int64_t now),
                      void *arg)
{
    ORR_ASSERT(!n->between.fn);
    n->between = (struct orr_net_between){fn, arg};
}

void orr__net_ask(struct orr_net *n)
{
    orr__windows_ask(n->windows);
}

void orr__net_halt(struct orr_net *n)
{
    orr__windows_halt(n->windows);
}

bool orr__net_ended(const struct orr_net *n)
{
    return n->ended;
}

int64_t orr__net_settle(struct orr_net *n, int64_t at)
{
    int64_t last = orr__fabric_lasts(n);

    assert(n->ended);
    for (unsigned i = 0; i < n->workers; i++) /* a retransmission that failed */
        if (n->lane[i].last_timer > last)
            last = n->lane[i].last_timer;
    return orr__windows_settle(n->windows, at > last ? at : last);
}

void orr__net_connection_sample(const struct orr_net *n, uint32_t connection,
                                struct orr_connection_sample *out)
{
    const struct orr_sender *s = orr__sender(n, connection);
    const struct orr_cc_ops *cc = s->control->ops;
    bool window = s->window.cwnd < ORR_CC_UNLIMITED;

    *out = (struct orr_connection_sample){
        .cwnd_bytes =
            window ? s->window.cwnd * (double)s->mtu : (double)INFINITY,
        .rate_bps = s->window.rate,
        .estimate = cc->estimate && s->cc ? cc->estimate(s->cc) : (double)NAN,
        .gain = s->window.gain,
        .srtt_ps = s->srtt,
        .rtt_ps = s->rtt,
        .in_flight_bytes = (uint64_t)s->in_flight * s->mtu,
        .sent_bytes = orr__sender_payload(n, s),
    };
}

void orr__net_connection_stats(const struct orr_net *n, uint32_t connection,
                               struct orr_connection_stats *s)
{
    const struct orr_sender *from = orr__sender(n, connection);

    *s = from->stats;
    s->packets = from->packets;
    s->wire_bytes = from->wire_bytes;
    s->payload_bytes = orr__sender_payload(n, from);
    s->marks = orr__receiver(n, connection)->marks;
}
