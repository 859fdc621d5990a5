#include "net/watch/bench.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/memory.h"
#include "core/none.h"
#include "core/random.h"
#include "net/host/host.h"
#include "net/port/port.h"
#include "net/watch/connection_snapshot.h"
#include "net/watch/state.h"

/* ---- whose part it is ---------------------------------------------------- */

uint64_t orr__net_lots(const struct orr_net *n)
{
    uint64_t lots = 0;

    for (uint32_t l = 0; n->any_queue && l < n->graph->links; l++)
        if (n->queue[l])
            lots += n->queue[l]->marking.counter;
    return lots;
}

void orr__net_stand_for(struct orr_net *n, const struct orr_net_alias *alias)
{
    bool drawn = orr__net_lots(n) > 0;

    n->alias = alias;
    for (uint32_t l = 0; n->any_queue && !drawn && l < n->graph->links; l++)
        if (n->queue[l])
            orr__random_init(&n->queue[l]->marking, n->seed, alias->link[l],
                             ORR_PURPOSE_MARK);
}

/* ---- rest ---------------------------------------------------------------- */

static uint64_t show_tag(void *arg, struct orr_message *m,
                         struct orr_snapshot *w)
{
    return m->tag;
}

static bool show_timer(void *arg, uint32_t user, uint32_t host, uint64_t timer,
                       struct orr_snapshot *w)
{
    return false;
}

static void snapshot_quiet(void *arg, struct orr_snapshot *w)
{
}

bool orr__net_quiet_digest(struct orr_net *n, uint64_t *digest)
{
    const struct orr_snapshot_watch watch = {NULL, show_tag, show_timer,
                                             snapshot_quiet};
    struct orr_net_snapshot seen = {.quiet = true};
    bool ok = orr__net_snapshot(n, &watch, &seen);

    *digest = seen.digest;
    for (uint32_t i = 0; ok && i < seen.connections; i++) {
        const struct orr_sender *s = orr__sender(n, i);

        if (s->control && !s->closed)
            *digest += orr__digest(seen.connection[i], s->src, s->dst);
    }
    orr__net_snapshot_fini(&seen);
    return ok;
}

/* ---- what is counted ----------------------------------------------------- */

void orr__net_link_counters(const struct orr_net *n, uint32_t link,
                            struct orr_link_gain *c)
{
    const struct orr_port *port = &n->port[link];
    const struct orr_queue *q = n->queue[link];

    *c = (struct orr_link_gain){
        .bytes = port->bytes,
        .packets = orr__port_packets(n, port),
        .marks = port->marks,
        .drops = port->drops,
        .max_ps = port->max_ps,
        .area = orr__port_area_of(n, port),
    };
    if (!q)
        return;
    c->lost = q->lost;
    c->pauses = q->pauses;
    c->frames = q->frames;
    c->paused_ps = q->paused_ps;
}

void orr__net_forget_maxima(struct orr_net *n)
{
    for (uint32_t l = 0; l < n->graph->links; l++) {
        n->port[l].max_ps = 0;
        orr__port_set_unchecked(&n->port[l]);
    }
}

void orr__net_counters(const struct orr_net *n, struct orr_net_counters *c)
{
    *c = (struct orr_net_counters){0};
    for (unsigned i = 0; i < n->workers; i++) {
        const struct orr_lane *lane = &n->lane[i];

        c->events += lane->events;
        c->sent += lane->sent;
        c->delivered += lane->delivered;
        c->dropped += lane->dropped;
        c->marks += lane->marks;
        c->repeats += lane->repeats;
        c->trimmed += lane->trimmed;
        c->timeouts += lane->timeouts;
        c->frames += lane->frames;
        c->frames_received += lane->frames_received;
        c->pauses += lane->pauses;
        if (lane->longest_timeout > c->longest_timeout)
            c->longest_timeout = lane->longest_timeout;
    }
}

void orr__connection_stats_add(struct orr_connection_stats *sum,
                               const struct orr_connection_stats *one)
{
    sum->packets += one->packets;
    sum->payload_bytes += one->payload_bytes;
    sum->wire_bytes += one->wire_bytes;
    sum->marks += one->marks;
    sum->retransmissions += one->retransmissions;
    sum->timeouts += one->timeouts;
    sum->cnps += one->cnps;
    sum->probes += one->probes;
}

/* ---- what the whole gains ------------------------------------------------ */

bool orr__net_may_gain(struct orr_net *n)
{
    if (!n->skipped)
        n->skipped = orr__alloc(n->graph->links, sizeof *n->skipped);
    return n->skipped != NULL;
}

void orr__net_link_gain(struct orr_net *n, uint32_t link,
                        const struct orr_link_gain *more)
{
    struct orr_port *port = &n->port[link];
    struct orr_queue *q = n->queue[link];

    port->bytes += more->bytes;
    port->packets += more->packets;
    n->skipped[link] += more->packets - more->lost;
    port->marks += more->marks;
    port->drops += more->drops;
    orr__port_area_set(n, port, orr__port_area_of(n, port) + more->area);
    if (more->max_ps > port->max_ps)
        port->max_ps = more->max_ps;
    if (!q)
        return;
    q->lost += more->lost;
    q->pauses += more->pauses;
    q->frames += more->frames;
    q->paused_ps += more->paused_ps;
}

void orr__net_gain(struct orr_net *n, uint32_t host,
                   const struct orr_net_counters *more, int64_t last_ps,
                   uint64_t name)
{
    struct orr_lane *lane = orr__lane_of(n, host);
    const uint64_t replayed[2] = {(uint64_t)last_ps, name};

    lane->events += more->events;
    lane->sent += more->sent;
    lane->delivered += more->delivered;
    lane->dropped += more->dropped;
    lane->marks += more->marks;
    lane->repeats += more->repeats;
    lane->trimmed += more->trimmed;
    lane->timeouts += more->timeouts;
    lane->frames += more->frames;
    lane->frames_received += more->frames_received;
    lane->pauses += more->pauses;
    if (more->longest_timeout > lane->longest_timeout)
        lane->longest_timeout = more->longest_timeout;
    if (last_ps > lane->last_event)
        lane->last_event = last_ps;
    __atomic_fetch_add(&n->jumped, XXH3_64bits(replayed, sizeof replayed),
                       __ATOMIC_RELAXED);
}

bool orr__net_is_observed(const struct orr_net *n)
{
    return orr__observers_see(n);
}

bool orr__net_link_local(const struct orr_net *n, uint32_t link)
{
    return n->port[link].local;
}
