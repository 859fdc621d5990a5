#include "net/config/idle.h"

#include "net/config/config.h"

/* A function with what it is asked of. */
#define IDLE(name, c)                                                         \
    static const char *name##_of(const struct orr_net_config *c);             \
    const char *orr__idle_##name(const void *set, const void *around)         \
    {                                                                         \
        return name##_of(around);                                             \
    }                                                                         \
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
    return c->used.plain
           || (c->used.common && c->service.cc->state_size == 0);
}

/* ---- packets ------------------------------------------------------------ */

IDLE(mtu, c)
{
    return is_analytical(c) && c->header == 0
               ? "`transport: analytical` cuts no message up, and `header` is "
                 "0B" : NULL;
}

IDLE(local_mtu, c)
{
    return is_analytical(c) ? "`transport: analytical` counts packets of `mtu`"
                            : NULL;
}

IDLE(analytical, c)
{
    return is_analytical(c) ? "`transport: analytical` has no packets" : NULL;
}

IDLE(unreliable, c)
{
    if (is_reliable(c))
        return NULL;
    return is_analytical(c) ? "`transport: analytical` has no ACKs and loses "
                              "nothing"
                            : "`transport: datagram` has no ACKs and sends "
                              "nothing again";
}

IDLE(ack_delay, c)
{
    const char *why = unreliable_of(c);

    return why ? why : c->ack_every == 1 ? "with `ack_every: 1` no ACK is held "
                                           "back" : NULL;
}

IDLE(nack_interval, c)
{
    const char *why = unreliable_of(c);

    return why ? why : c->recovery != ORR_RECOVERY_GO_BACK_N
                           ? "only `recovery: go-back-n` sends NACKs" : NULL;
}

IDLE(not_analytical, c)
{
    return is_analytical(c) ? NULL : "only `transport: analytical` goes by it";
}

IDLE(tiers, c)
{
    if (!is_analytical(c))
        return not_analytical_of(c);
    return c->contention == ORR_CONTENTION_LINKS
               ? "with `contention: links` every link of a path counts" : NULL;
}

IDLE(cut_through, c)
{
    return c->switching == ORR_SWITCHING_CUT_THROUGH
               ? NULL : "only `switching: cut-through` goes by it";
}

/* ---- connections -------------------------------------------------------- */

IDLE(control, c)
{
    if (!c->used.common)
        return "every job and every flow has a `cc` of its own";
    return !is_reliable(c) && c->service.cc->ops->on_ack
               ? "a control learns by ACKs, and without `transport: reliable` "
                 "there are none" : NULL;
}

IDLE(window, c)
{
    const char *why = unreliable_of(c);

    return why ? why : some_plain(c)
                           ? NULL : "only connections with `cc: none` go by "
                                    "it, and there are none";
}

IDLE(idle_restart, c)
{
    const char *why = unreliable_of(c);

    return why ? why : some_controlled(c)
                           ? NULL : "only connections with a congestion "
                                    "control go by it, and there are none";
}

IDLE(initial_window, c)
{
    const char *why = idle_restart_of(c);
    bool begins = c->used.begins
                  || (c->used.common && orr__cc_begins(c->service.cc));

    if (why || begins || c->idle_restart)
        return why;
    return "the congestion control begins with a window of its own";
}

IDLE(probe, c)
{
    const char *why = unreliable_of(c);

    return why ? why : c->recovery != ORR_RECOVERY_RACK
                           ? "only `recovery: rack` sends probes" : NULL;
}

IDLE(reorder_window, c)
{
    const char *why = unreliable_of(c);

    if (why || c->recovery == ORR_RECOVERY_RACK)
        return why;
    if (c->recovery == ORR_RECOVERY_SELECTIVE)
        return c->reorders ? NULL : "the paths of this routing keep the order "
                                    "of packets";
    return "only `recovery: rack` and `selective` wait for packets that were "
           "overtaken";
}

/* ---- ports -------------------------------------------------------------- */

IDLE(one_class, c)
{
    return c->classes == 1 && !c->schedule->by_share
               ? "all traffic is of one class" : NULL;
}

IDLE(classes, c)
{
    return c->schedule->by_arrival && !c->pfc.enabled
               ? "`network.queue.scheduler: fifo` keeps no classes apart" : NULL;
}

IDLE(not_shared, c)
{
    return c->buffer.shared ? NULL : "with `kind: port` each port has the "
                                     "queue's capacity";
}

IDLE(alpha, c)
{
    if (!c->pfc.enabled)
        return not_shared_of(c);
    return c->pfc.xoff ? "network.pfc.xoff says when a sender is paused"
                       : NULL;
}

IDLE(no_pfc, c)
{
    return c->pfc.enabled ? NULL : "without `enabled: true` there are no pause "
                                   "frames";
}

IDLE(pfc_reserve, c)
{
    const char *why = no_pfc_of(c);

    return why ? why : c->pfc.xoff ? "network.pfc.xoff says when a sender is "
                                     "paused" : NULL;
}

IDLE(capacity, c)
{
    return c->buffer.shared && !c->used.hosts_forward
               ? "with `buffer: {kind: shared}` the memory of a switch bounds "
                 "its queues" : NULL;
}

const char *orr__idle_beyond(const void *around, uint64_t capacity,
                             uint64_t threshold)
{
    const struct orr_net_config *c = around;

    return c && !c->buffer.shared && !c->pfc.enabled && !c->nic.marks
                   && threshold >= capacity
               ? "it is not below `capacity`, at which packets are dropped: "
                 "none is ever marked" : NULL;
}
