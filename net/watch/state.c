#include "net/watch/state.h"
#include "core/none.h"

#include "core/memory.h"
#include "net/config/timers.h"
#include "net/fabric/nic_port.h"
#include "net/fabric/process.h"
#include "net/fabric/timer.h"
#include "net/host/host.h"
#include "net/port/port.h"
#include "net/schedule/shares.h"
#include "net/watch/connection_snapshot.h"
#include "net/watch/port_snapshot.h"
#include "net/watch/replay.h"

/* ---- what cannot be looked at -------------------------------------------- */

static const char *opaque_ports(const struct orr_net *n)
{
    if (n->any_queue && n->config->switching != ORR_SWITCHING_STORE_AND_FORWARD)
        return "switches cut through";
    if (n->config->pint)
        return "its telemetry is rounded at random";
    for (uint32_t l = 0; n->any_queue && l < n->graph->links; l++)
        if (n->queue[l] && n->queue[l]->lossy)
            return "links lose packets";
    return NULL;
}

/* What hops tell is counted by the ports of the one way that packets take. */
const char *orr__net_opaque(const struct orr_net *n, bool exact)
{
    const struct orr_net_config *c = n->config;
    const char *ports = opaque_ports(n);

    if (c->transport != ORR_TRANSPORT_RELIABLE)
        return "its transport is not `reliable`";
    if (c->nic.fifo)
        return "its NICs queue whole windows";
    if (ports)
        return ports;
    if (c->entropy)
        return "packets of a connection take several paths";
    if (c->uec_acks)
        return "what receivers will acknowledge is no part of a state that is "
               "compared";
    if (n->trees)
        return "what switches hold of sums, and members of trees, is no part "
               "of "
               "a state that is compared";
    switch (exact || n->telemetry_room ? c->path : ORR_PATH_ecmp) {
    case ORR_PATH_ecmp:
    case ORR_PATH_first:
    case ORR_PATH_k_shortest:
    case ORR_PATH_explicit: break;
    default: return "packets of a connection take several paths";
    }
    for (uint32_t i = 0; i < orr__slab_bound(&n->senders); i++) {
        const struct orr_sender *s = orr__sender(n, i);

        if (s->control && !orr__cc_has_snapshot(s->control))
            return "a congestion control does not show its state";
    }
    return NULL;
}

/* ---- NICs ---------------------------------------------------------------- */

static void snapshot_list(const struct orr_net *n, uint32_t first,
                          struct orr_snapshot *w)
{
    for (uint32_t id = first; id != ORR_NONE;
         id = orr__sender(n, id)->list_next)
        orr__snapshot_value(w, id);
    orr__snapshot_value(w, ORR_NONE);
}

/* A class at a NIC: ACKs that wait, who takes turns, credit; pauses only where
 * somebody reads them. */
static void snapshot_class(const struct orr_net *n, struct orr_nic_port *np,
                           uint32_t class, struct orr_snapshot *w)
{
    struct orr_nic_class *c = &np->class[class];
    const struct orr_nic_round *t = orr__nic_round(np, class);

    for (uint32_t i = c->ack_head; i != c->ack_tail; i++) {
        const struct orr_packet *p = &c->acks[i & (c->ack_capacity - 1)];

        orr__packet_snapshot(n, p, w);
        orr__record_snapshot(n, p, w);
    }
    snapshot_list(n, t->repeat_first, w);
    snapshot_list(n, t->data_first, w);
    if (n->config->strict || n->config->classes == 1)
        orr__snapshot_count_time(w, &c->credit); /* nobody reads it */
    else
        orr__snapshot_value(w, (uint64_t)c->credit);
    if (n->pfc && orr__timers_run(n->config)) {
        orr__snapshot_count_time(w, &c->paused_ps);
        orr__snapshot_moved(w, &c->paused_at);
    }
}

/* Shares have no order of their own, so their digests are added up. */
static void snapshot_shares(const struct orr_net *n,
                            const struct orr_nic_port *np,
                            struct orr_snapshot *w)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < np->shares->room; i++) {
        struct orr_snapshot one = *w;

        one.digest = 0;
        if (!orr__share_snapshot(np->shares, i, &one))
            continue;
        snapshot_list(n, np->share_round[i].repeat_first, &one);
        snapshot_list(n, np->share_round[i].data_first, &one);
        sum += one.digest;
    }
    orr__snapshot_value(w, sum);
}

/* Those that wait for their pace, in any order: how the heap lies does not
 * matter, but who came first among equals. */
static void snapshot_paced(const struct orr_net *n,
                           const struct orr_nic_port *np,
                           struct orr_snapshot *w)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < np->n_paced; i++) {
        const struct orr_sender *s = orr__sender(n, np->paced[i]);

        sum += orr__digest(1, s->id, np->paced_order - s->paced_order);
    }
    orr__snapshot_value(w, sum);
}

/* All that a NIC's next choice depends on. */
static void snapshot_nic(const struct orr_net *n, struct orr_nic_port *np,
                         struct orr_snapshot *w)
{
    orr__free_snapshot(&np->own_free_at, w);
    if (np->explicit)
        orr__snapshot_time(w, &np->wake_at);
    for (uint32_t c = 0; c < n->config->classes; c++)
        snapshot_class(n, np, c, w);
    if (np->by_share)
        snapshot_shares(n, np, w);
    snapshot_paced(n, np, w);
    orr__snapshot_value(
        w, (uint64_t)np->paused << 16 | (uint64_t)np->served << 8
               | (uint64_t)np->own_queued << 1 | (np->departing != ORR_NONE));
}

/* ---- timers -------------------------------------------------------------- */

/* A look at one timer, which does not depend on those around it; 0: it is of
 * no consequence. */
static uint64_t digest_timer(const struct orr_net *n,
                             const struct orr_snapshot_watch *watch,
                             const struct orr_timer *t, struct orr_snapshot *w,
                             int64_t *outside)
{
    struct orr_snapshot one = {.mode = ORR_SNAPSHOT_DIGEST, .now = w->now};
    int64_t at = t->at;

    if (t->what < ORR_WHAT_USER) /* alarms: their connections show them */
        return 0;
    if (!watch->timer(watch->arg, t->what - ORR_WHAT_USER, t->node, t->arg,
                      &one)) {
        *outside = at < *outside ? at : *outside;
        return 0;
    }
    orr__snapshot_time(&one, &at);
    orr__snapshot_value(&one, t->node);
    if (t->rank >= ORR_RANK_USER && t->rank < ORR_RANK_POST(0, 0))
        /* in the order in which they were set */
        orr__snapshot_value(&one, n->node[t->node].timers_set
                                      - (t->rank - ORR_RANK_USER));
    return one.digest;
}

/* Alarms that are not needed are dropped: they would lie in the past. */
static bool move_timer(struct orr_net *n,
                       const struct orr_snapshot_watch *watch,
                       struct orr_timer *t, struct orr_snapshot *w)
{
    struct orr_alarm *alarm = orr__alarm_of(n, t);

    if (alarm) { /* `set` has moved with its connection, unless that rests */
        if (alarm->set == t->at + w->by) {
            t->at += w->by;
            return true;
        }
        if (alarm->due == ORR_NEVER)
            alarm->set = ORR_NEVER;
        return false;
    }
    if (watch->timer(watch->arg, t->what - ORR_WHAT_USER, t->node, t->arg, w))
        t->at += w->by;
    return true;
}

/* Moves each timer by the period; those that a snapshot must not keep are
 * dropped. The heap is built anew in the room it has. */
static void move_timers(struct orr_net *n,
                        const struct orr_snapshot_watch *watch,
                        struct orr_process *p, struct orr_snapshot *w)
{
    uint32_t count = p->timers.count, kept = 0;

    for (uint32_t i = 0; i < count; i++)
        if (move_timer(n, watch, &p->timers.item[i], w))
            p->timers.item[kept++] = p->timers.item[i];
        else
            orr__timer_count(p, p->timers.item[i].what, UINT32_MAX);
    p->timers.count = 0;
    for (uint32_t i = 0; i < kept; i++) {
        struct orr_timer t = p->timers.item[i];

        if (!orr__timers_add(&p->timers, &t)) /* there is room */
            w->failed = true;
    }
}

/* Departures of explicit ports are shown by their queues, which know them
 * whether they are events or are caught up with. */
static void snapshot_process(struct orr_net *n,
                             const struct orr_snapshot_watch *watch,
                             struct orr_process *p, struct orr_snapshot *w,
                             int64_t *outside)
{
    uint32_t shown = n->explicit ? 0 : p->n_departs;
    uint64_t sum = 0;

    for (uint32_t i = 0; i < shown; i++)
        orr__snapshot_time(w, &p->at[i]);
    for (uint32_t i = shown; i < orr__process_timer(p); i++)
        orr__snapshot_moved(w, &p->at[i]);
    for (uint32_t i = 0; w->mode == ORR_SNAPSHOT_DIGEST && i < p->timers.count;
         i++)
        sum += digest_timer(n, watch, &p->timers.item[i], w, outside);
    orr__snapshot_value(w, sum);
    if (w->mode != ORR_SNAPSHOT_MOVE)
        return;
    move_timers(n, watch, p, w);
    p->at[orr__process_timer(p)] = orr__timers_next(&p->timers);
    orr__process_reblock(p);
}

/* ---- the whole ----------------------------------------------------------- */

/* Counters grow by what a period adds; last_* stay moments. */
static void snapshot_lane(struct orr_lane *lane, struct orr_snapshot *w)
{
    orr__snapshot_count(w, &lane->events);
    orr__snapshot_count(w, &lane->sent);
    orr__snapshot_count(w, &lane->delivered);
    orr__snapshot_count(w, &lane->dropped);
    orr__snapshot_count(w, &lane->marks);
    orr__snapshot_count(w, &lane->repeats);
    orr__snapshot_count(w, &lane->trimmed);
    orr__snapshot_count(w, &lane->frames);
    orr__snapshot_count(w, &lane->frames_received);
    orr__snapshot_count(w, &lane->pauses);
    orr__snapshot_count(w, &lane->timeouts); /* the longest stays the longest */
    orr__snapshot_last(w, &lane->last_event);
    orr__snapshot_last(w, &lane->last_timer);
}

/* All but connections and what they do, whose timers move after them. */
static void snapshot_net(struct orr_net *n, struct orr_snapshot *w)
{
    for (unsigned i = 0; i < n->workers; i++)
        snapshot_lane(&n->lane[i], w);
    for (uint32_t l = 0; l < n->graph->links; l++)
        orr__port_snapshot(n, &n->port[l], w);
    for (uint32_t l = 0; l < n->graph->links; l++)
        orr__port_snapshot_packets(n, &n->port[l], w);
    orr__memories_snapshot(n, w);
    for (uint32_t i = 0; i < n->nic_ports; i++)
        snapshot_nic(n, &n->nic_port[i], w);
}

static void snapshot_processes(struct orr_net *n,
                               const struct orr_snapshot_watch *watch,
                               struct orr_snapshot *w, int64_t *outside)
{
    for (uint32_t i = 0; i < n->processes; i++)
        snapshot_process(n, watch, &n->process[i], w, outside);
}

/* Arrays by connection; contents do not survive. false: no memory. */
static bool make_room(struct orr_net_snapshot *l, uint32_t connections)
{
    if (connections <= l->connections)
        return true;
    orr__free(l->connection);
    orr__free(l->packets);
    orr__free(l->rests);
    l->connection = orr__alloc(connections, sizeof *l->connection);
    l->packets = orr__alloc(connections, sizeof *l->packets);
    l->rests = orr__alloc(connections, sizeof *l->rests);
    l->connections = connections;
    return l->connection && l->packets && l->rests;
}

bool orr__net_snapshot(struct orr_net *n,
                       const struct orr_snapshot_watch *watch,
                       struct orr_net_snapshot *l)
{
    uint32_t bound = orr__slab_bound(&n->senders);
    struct orr_snapshot w = {.mode = ORR_SNAPSHOT_DIGEST,
                             .counts = l->quiet ? NULL : &l->counts,
                             .quiet = l->quiet};

    w.now = l->at = orr__net_now(n);
    l->counts.n = 0;
    l->outside = ORR_NEVER;
    if (!make_room(l, bound))
        return false;
    snapshot_net(n, &w);
    snapshot_processes(n, watch, &w, &l->outside);
    watch->others(watch->arg, &w);
    l->digest = w.digest;
    for (uint32_t i = 0; i < bound; i++) {
        bool there;

        w.digest = 0;
        there = orr__connection_snapshot(n, watch, i, false, &w);
        l->connection[i] = w.digest;
        l->packets[i] =
            there ? orr__sender(n, i)->packets + orr__sender(n, i)->stats.cnps
                  : 0;
        l->rests[i] = !there || orr__connection_is_idle(n, i);
    }
    return !l->counts.failed && !w.failed;
}

void orr__net_snapshot_fini(struct orr_net_snapshot *l)
{
    orr__counts_fini(&l->counts);
    orr__free(l->connection);
    orr__free(l->packets);
    orr__free(l->rests);
    *l = (struct orr_net_snapshot){0};
}

/* Whether a connection did nothing from one look to a later one. */
static bool rested(const struct orr_net_snapshot *a,
                   const struct orr_net_snapshot *b, uint32_t i)
{
    return i < a->connections && a->rests[i] && b->rests[i]
           && a->packets[i] == b->packets[i];
}

uint64_t orr__net_snapshot_digest(const struct orr_net_snapshot *l,
                                  const struct orr_net_snapshot *before)
{
    uint64_t digest = l->digest;

    for (uint32_t i = 0; i < l->connections; i++)
        if (!rested(before, l, i))
            digest = orr__digest(digest, i, l->connection[i]);
    return digest;
}

/* Goes through everything after two looks. */
static void snapshot_all(struct orr_net *n,
                         const struct orr_snapshot_watch *watch,
                         const struct orr_net_snapshot *first,
                         const struct orr_net_snapshot *second,
                         struct orr_snapshot *w)
{
    int64_t outside = ORR_NEVER;

    w->since = first->at;
    snapshot_net(n, w);
    /* timers last: they move with what they belong to */
    if (w->mode != ORR_SNAPSHOT_MOVE)
        snapshot_processes(n, watch, w, &outside);
    watch->others(watch->arg, w);
    for (uint32_t i = 0; i < second->connections; i++)
        orr__connection_snapshot(n, watch, i, rested(first, second, i), w);
    if (w->mode == ORR_SNAPSHOT_MOVE)
        snapshot_processes(n, watch, w, &outside);
}

bool orr__net_snapshot_same(struct orr_net *n,
                            const struct orr_snapshot_watch *watch,
                            const struct orr_net_snapshot *first,
                            const struct orr_net_snapshot *second)
{
    struct orr_snapshot w = {
        .mode = ORR_SNAPSHOT_CHECK,
        .now = second->at,
        .first = &first->counts,
        .second = &second->counts,
    };

    if (first->digest != second->digest
        || !orr__net_snapshot_fits(first, second))
        return false;
    for (uint32_t i = 0; i < second->connections; i++)
        if (!rested(first, second, i)
            && first->connection[i] != second->connection[i])
            return false;
    snapshot_all(n, watch, first, second, &w);
    return !w.differs;
}

/* Packets that were sent and have not come to an end, by the counters. */
static uint64_t in_flight(const struct orr_net *n)
{
    struct orr_net_totals t;

    orr__net_totals(n, &t);
    return t.packets_sent - t.packets_delivered - t.packets_dropped;
}

bool orr__net_snapshot_fits(const struct orr_net_snapshot *first,
                            const struct orr_net_snapshot *second)
{
    return first->connections == second->connections
           && first->counts.n == second->counts.n;
}

orr_err orr__net_jump(struct orr_net *n, const struct orr_snapshot_watch *watch,
                      const struct orr_net_snapshot *first,
                      const struct orr_net_snapshot *second, uint64_t times,
                      struct orr_report *why)
{
    uint64_t open = in_flight(n);
    struct orr_snapshot w = {
        .mode = ORR_SNAPSHOT_MOVE,
        .now = second->at,
        .first = &first->counts,
        .second = &second->counts,
        .times = times,
        .by = (int64_t)times * (second->at - first->at),
    };

    const uint64_t skipped[3] = {(uint64_t)first->at, (uint64_t)second->at,
                                 times};

    if (!n->skipped)
        n->skipped = orr__alloc(n->graph->links, sizeof *n->skipped);
    if (n->telemetry_room && !n->more_bytes)
        n->more_bytes = orr__alloc(n->graph->links, sizeof *n->more_bytes);
    if (!n->skipped || (n->telemetry_room && !n->more_bytes))
        return orr__no_memory(why);
    n->jumped += XXH3_64bits(skipped, sizeof skipped);
    if (n->replay)
        orr__replay_play(n);
    orr__windows_jump(n->windows, second->at + w.by);
    if (n->replay)
        orr__replay_over(n, second->at + w.by);
    snapshot_all(n, watch, first, second, &w);
    /* What was sent in a stretch that was inferred came there, too: it may have
     * had more under way at its end than at its beginning, the run has not. */
    n->lane[0].delivered += in_flight(n) - open;
    return w.failed ? orr__no_memory(why) : ORR_OK;
}

int64_t orr__net_window(const struct orr_net *n)
{
    return n->lookahead;
}
