#include "net/config/idle.h"

#include "core/config/config.h"
#include "core/memory.h"
#include "core/units.h"
#include "net/cc/cc.h"
#include "net/config/config.h"
#include "net/config/timers.h"
#include "topo/detours.h"
#include "topo/graph.h"

/* A function with what it is asked of. */
#define IDLE(name, c)                                                          \
    static const char *name##_of(const struct orr_net_config *c);              \
    const char *orr__idle_##name(const void *set, const void *around)          \
    {                                                                          \
        return name##_of(around);                                              \
    }                                                                          \
    static const char *name##_of(const struct orr_net_config *c)

static bool is_analytical(const struct orr_net_config *c)
{
    return c->transport == ORR_TRANSPORT_ANALYTICAL;
}

static bool is_reliable(const struct orr_net_config *c)
{
    return c->transport == ORR_TRANSPORT_RELIABLE;
}

/* Does some connection have a control, and some none? */
static bool some_controlled(const struct orr_net_config *c)
{
    return c->used.controlled
           || (c->used.common && c->service.cc->state_size > 0);
}

static bool some_plain(const struct orr_net_config *c)
{
    return c->used.uncontrolled
           || (c->used.common && c->service.cc->state_size == 0);
}

/* ---- packets ------------------------------------------------------------ */

IDLE(mtu, c)
{
    if (!c->used.payload)
        return "all messages are empty, or of one byte";
    /* turns of several classes go by it, too */
    if (!c->used.far && c->local_mtu != c->mtu && !is_analytical(c)
        && orr__net_count_used(c) == 1)
        return "no two hosts are more than two links apart: `local_mtu` holds";
    return is_analytical(c) && c->header == 0
               ? "`transport: analytical` cuts no message up, and `header` is "
                 "0B"
               : NULL;
}

IDLE(local_mtu, c)
{
    if (!c->used.payload)
        return "all messages are empty, or of one byte";
    if (is_analytical(c))
        return "`transport: analytical` counts packets of `mtu`";
    return c->used.near ? NULL : "no hosts are two links apart or less";
}

IDLE(analytical, c)
{
    return is_analytical(c) ? "`transport: analytical` has no packets" : NULL;
}

IDLE(in_network, c)
{
    return c->used.sums ? NULL : "nothing is sent by `algorithm: in-network`";
}

IDLE(unreliable, c)
{
    if (is_reliable(c))
        return NULL;
    return is_analytical(c)
               ? "`transport: analytical` has no ACKs and loses "
                 "nothing"
               : "`transport: datagram` has no ACKs and no retransmissions";
}

IDLE(ack_delay, c)
{
    const char *why = unreliable_of(c);

    return why                 ? why
           : c->uec_acks       ? "with `ack_rule: uec` no ACK waits for a timer"
           : c->ack_every == 1 ? "with `ack_every: 1` no ACK is held "
                                 "back"
                               : NULL;
}

IDLE(ack_every, c)
{
    const char *why = unreliable_of(c);

    return why           ? why
           : c->uec_acks ? "`ack_rule: uec` counts bytes (`ack_bytes`)"
                         : NULL;
}

IDLE(ack_bytes, c)
{
    const char *why = unreliable_of(c);

    return why ? why : c->uec_acks ? NULL : "only `ack_rule: uec` goes by it";
}

IDLE(nack_interval, c)
{
    const char *why = unreliable_of(c);

    return why ? why
           : c->recovery != ORR_RECOVERY_GO_BACK_N
               ? "only `recovery: go-back-n` sends NACKs"
               : NULL;
}

IDLE(not_analytical, c)
{
    return is_analytical(c) ? NULL : "only `transport: analytical` uses it";
}

IDLE(tiers, c)
{
    if (!is_analytical(c))
        return not_analytical_of(c);
    if (c->contention == ORR_CONTENTION_LINKS)
        return "with `contention: links` every link of a path counts";
    return c->used.one_tier ? "all links of this topology are of one tier"
                            : NULL;
}

/* Bytes of the largest packet on a wire. */
static uint64_t largest_packet(const struct orr_net_config *c)
{
    uint64_t data = orr__largest_payload(c) + c->header;
    return data > c->ack ? data : c->ack;
}

IDLE(switching, c)
{
    if (is_analytical(c))
        return analytical_of(c);
    if (!c->used.switches)
        return "this topology has no switches";
    return c->switching == ORR_SWITCHING_CUT_THROUGH
                   && c->cut_through_header >= largest_packet(c)
               ? "no packet is larger than `cut_through_header`"
               : NULL;
}

IDLE(latency, c)
{
    return c->used.switches ? NULL : "this topology has no switches";
}

IDLE(cut_through, c)
{
    if (is_analytical(c))
        return analytical_of(c);
    if (!c->used.switches)
        return "this topology has no switches";
    return c->switching == ORR_SWITCHING_CUT_THROUGH
               ? NULL
               : "only `switching: cut-through` uses it";
}

/* ---- paths --------------------------------------------------------------- */

/* Detours lead elsewhere, and flows may name what `explicit` lets them. Those
 * who wait for packets that were overtaken wait longer where they may be. */
IDLE(routing, c)
{
    if (!c->used.one_path || c->detours || c->path == ORR_PATH_explicit)
        return NULL;
    if (c->entropy) /* ACKs say of each packet which it had */
        return NULL;
    /* without it a preset's, which may be such a one */
    bool under = (c->preset && *c->preset) || (c->as && *c->as);
    if ((c->reorders || under) && is_reliable(c)
        && (c->recovery == ORR_RECOVERY_RACK
            || c->recovery == ORR_RECOVERY_SELECTIVE))
        return NULL;
    return "this topology has one path from a host to another";
}

IDLE(plane, c)
{
    return c->used.planes ? NULL : "this topology has one plane, or one server";
}

/* ---- connections -------------------------------------------------------- */

/* Does a control set a rate before it hears of anything? Of plug-ins nothing
 * is known. */
static bool begins_with_rate(const struct orr_net_config *c)
{
    _Alignas(16) unsigned char state[4096] = {0};
    static const struct orr_cc_path path = {.line_bps = 100000000000,
                                            .base_rtt_ps = 10 * ORR_US,
                                            .packet_bytes = 1500,
                                            .payload_bytes = 1460,
                                            .hops = 2};
    const struct orr_cc *cc = c->service.cc;
    struct orr_cc_window w = {.cwnd = 1};

    if (cc->ops->plugin || cc->state_size > sizeof state)
        return true;
    if (cc->ops->init)
        cc->ops->init(state, cc->params, &w, &path);
    return w.rate > 0;
}

IDLE(control, c)
{
    if (!c->used.common)
        return "every job and every flow has a `cc` of its own";
    /* in-band telemetry goes with packets that nobody acknowledges, too */
    return !is_reliable(c) && c->service.cc->ops->on_ack
                   && (is_analytical(c)
                       || (!c->telemetry && !begins_with_rate(c)))
               ? "a congestion control needs ACKs, and without `transport: "
                 "reliable` there are none"
               : NULL;
}

IDLE(window, c)
{
    const char *why = unreliable_of(c);

    return why ? why
           : some_plain(c)
               ? NULL
               : "only connections with `cc: none` use it, and there are none";
}

IDLE(idle_restart, c)
{
    const char *why = unreliable_of(c);

    return why                  ? why
           : some_controlled(c) ? NULL
                                : "only connections with a congestion control "
                                  "use it, and there are none";
}

IDLE(initial_window, c)
{
    const char *why = idle_restart_of(c);
    bool begins =
        c->used.begins || (c->used.common && orr__cc_begins(c->service.cc));

    if (c->transport == ORR_TRANSPORT_DATAGRAM
        && (!c->used.common || begins_with_rate(c)))
        return NULL; /* what is paced may be paced by the first window */
    if (why || begins || c->idle_restart)
        return why;
    return "the congestion control begins with a window of its own";
}

IDLE(timeout, c)
{
    const char *why = unreliable_of(c);

    if (why || orr__timers_run(c))
        return why;
    return c->rto.timer == ORR_TIMER_NEVER
               ? "no timer runs with `timer: never`"
               : "no timer runs where pause frames keep every packet and no "
                 "link loses any (`timer: always`)";
}

/* Beside that they bound other times. */
IDLE(timeouts, c)
{
    return c->idle_restart || c->reorders ? NULL : timeout_of(c);
}

IDLE(probe, c)
{
    const char *why = timeout_of(c);

    return why ? why
           : c->recovery != ORR_RECOVERY_RACK
               ? "only `recovery: rack` sends probes"
               : NULL;
}

IDLE(reorder_window, c)
{
    const char *why = unreliable_of(c);

    if (why || c->recovery == ORR_RECOVERY_RACK)
        return why;
    if (c->recovery == ORR_RECOVERY_SELECTIVE)
        return c->reorders ? NULL
                           : "the paths of this routing keep the order "
                             "of packets";
    return "only `recovery: rack` and `selective` wait for packets that were "
           "overtaken";
}

/* ---- ports -------------------------------------------------------------- */

IDLE(one_class, c)
{
    return c->classes == 1 && !c->schedule->by_share
               ? "all traffic is of one class"
               : NULL;
}

IDLE(classes, c)
{
    if (c->schedule->by_arrival && !c->pfc.enabled)
        return "`network.queue.scheduler: fifo` keeps no classes apart";
    return c->used_classes >> (c->least_classes - 1)
               ? "flows and jobs are in as many classes anyway"
               : NULL;
}

IDLE(buffer, c)
{
    return !c->used.switches && !c->pfc.enabled
               ? "this topology has no switches, and hosts share no memory"
               : NULL;
}

IDLE(not_shared, c)
{
    return c->buffer.shared ? NULL
                            : "with `kind: port` each port has the "
                              "queue's capacity";
}

IDLE(alpha, c)
{
    if (!c->pfc.enabled)
        return not_shared_of(c);
    return c->pfc.xoff ? "network.pfc.xoff says when a sender is paused" : NULL;
}

IDLE(no_pfc, c)
{
    return c->pfc.enabled ? NULL
                          : "without `enabled: true` there are no pause "
                            "frames";
}

IDLE(limit, c)
{
    if (is_analytical(c))
        return analytical_of(c);
    return c->pfc.enabled && !c->pfc.lossy ? "with pause frames no queue drops"
                                           : NULL;
}

IDLE(in_service, c)
{
    const char *why = limit_of(c);

    return why || !c->buffer.shared || c->used.hosts_forward
               ? why
               : "with `buffer: {kind: shared}` what is in service counts "
                 "whole";
}

IDLE(lossless, c)
{
    bool lossy = orr__net_count_lossless(c) < orr__net_count_used(c);

    if (!c->pfc.enabled || lossy)
        return no_pfc_of(c);
    if (!orr__yaml_get(c->pfc_node, "enabled"))
        return NULL; /* it is what enables them */
    return "all traffic is of these classes";
}

IDLE(pfc_reserve, c)
{
    const char *why = no_pfc_of(c);

    return why           ? why
           : c->pfc.xoff ? "network.pfc.xoff says when a sender is "
                           "paused"
                         : NULL;
}

IDLE(hold_acks, c)
{
    const char *why = no_pfc_of(c);

    return why || !c->used.hosts_forward ? why
                                         : "hosts that forward hold all back";
}

/* It is no less than what can arrive, at the rates of the beginning. */
IDLE(pfc_headroom, c)
{
    const char *why = no_pfc_of(c);
    bool retuned = c->failures && c->failures->retunes;

    return why || !c->pfc.xoff || retuned
               ? why
               : "network.pfc.xoff says when a sender is paused, and there is "
                 "room for all that arrives until it is";
}

/* ---- the graph ----------------------------------------------------------- */

/* Hosts within two links of one, with itself; mark: per node, the last host
 * that this was asked of. */
static uint32_t hosts_near(const struct orr_graph *g, uint32_t host,
                           uint32_t *mark)
{
    uint32_t hosts = 1;
    mark[host] = host + 1;
    for (uint32_t i = g->out_off[host]; i < g->out_off[host + 1]; i++) {
        uint32_t v = g->to[g->out_link[i]];
        hosts += v < g->hosts && mark[v] != host + 1;
        mark[v] = host + 1;
        for (uint32_t k = g->out_off[v]; k < g->out_off[v + 1]; k++) {
            uint32_t to = g->to[g->out_link[k]];
            hosts += to < g->hosts && mark[to] != host + 1;
            mark[to] = host + 1;
        }
    }
    return hosts;
}

/* Where detours may lead. Of two, each is that of one end of a path, unless a
 * host is beside both. */
static orr_err count_stops(const struct orr_graph *g, struct orr_net_config *c,
                           struct orr_report *why)
{
    uint32_t *stops = NULL;
    orr_err err =
        orr__graph_detour_stops(g, g->nodes, 0, &stops, &c->used.stops, why);
    orr__free(stops);
    if (c->used.stops == 1
        || (c->used.stops == 2 && !g->gpus && !c->used.hosts_forward))
        c->used.stops = 0;
    return err;
}

/* Of a large one the first hosts stand for all. */
orr_err orr__idle_graph(const struct orr_graph *g, struct orr_net_draft *draft,
                        struct orr_report *why)
{
    struct orr_net_config *c = &draft->config;
    enum { ASKED = 64 };
    uint32_t *mark = orr__alloc(g->nodes, sizeof *mark);
    if (!mark)
        return orr__no_memory(why);
    c->used.switches = g->nodes > g->hosts;
    c->used.one_tier = true;
    for (uint32_t l = 1; l < g->links && c->used.one_tier; l++)
        c->used.one_tier = g->tier[l] == g->tier[0];
    c->used.one_path = g->links / 2 < g->nodes;
    c->used.planes = g->planes > 1 && (!g->gpus || g->hosts > g->gpus);
    c->used.facts.marks = orr__net_marks(c);
    c->used.facts.goes_back = c->recovery == ORR_RECOVERY_GO_BACK_N;
    for (uint32_t h = 0; h < g->hosts; h++)
        c->used.hosts_forward |= g->out_off[h + 1] - g->out_off[h] > 1;
    for (uint32_t h = 0; h < g->hosts && h < ASKED; h++) {
        uint32_t near = hosts_near(g, h, mark);
        c->used.near |= near > 1;
        c->used.far |= near < g->hosts;
    }
    orr__free(mark);
    return c->detours ? count_stops(g, c, why) : ORR_OK;
}
