/* Pause frames. A node that forwards has one memory: for each link into it and
 * each class a reserve and a headroom of their own, and the rest shared. A
 * packet is entered under the link that it came by. Beyond a threshold, by
 * default a share of what is free as in the RDMA simulations on ns-3, packets
 * go into the headroom and the sender is told to stop; the headroom holds all
 * that can still arrive until it has. Bytes leave the headroom first.
 *
 * A port that has a frame to send makes it when its transmitter is free, so
 * that it tells of the latest state: at most one frame a class waits. */
#include "net/port/pfc.h"
#include "core/none.h"

#include "core/assert.h"
#include "core/memory.h"
#include "core/units.h"
#include "net/fabric/packet_observer_calls.h"
#include "net/fabric/queue.h"
#include "net/port/buffer.h"
#include "net/port/egress.h"
#include "topo/node_names.h"

/* ---- thresholds ---- */

uint64_t orr__pfc_threshold(const struct orr_net *n, uint32_t node,
                            uint32_t link)
{
    const struct orr_memory *m = &n->pfc->memory[node];

    if (n->config->pfc.xoff)
        return n->config->pfc.xoff;
    ORR_ASSERT(m->used <= m->size);
    return (uint64_t)(n->pfc->alpha[link] * (double)(m->size - m->used));
}

static uint64_t shared_part(const struct orr_net *n, uint64_t held)
{
    return orr__pfc_shared(n->pfc, held);
}

/* Enters what the sender on `link` should do; the frame goes out on the other
 * direction of its cable. */
static void want_pause(struct orr_net *n, struct orr_lane *lane, uint32_t node,
                       uint32_t link, uint32_t class, int64_t now)
{
    const struct orr_ingress *in = orr__ingress(n, link, class);
    uint32_t back = orr__reverse(n, link);
    struct orr_queue *q = n->queue[back];
    uint64_t part = shared_part(n, in->held), most = 0;
    uint8_t bit = (uint8_t)(1u << class);

    ORR_ASSERT(class < n->config->classes && n->graph->to[link] == node);
    if (part > 0)
        most = orr__pfc_threshold(n, node, link);
    if (in->over > 0 || (part > 0 && part >= most))
        q->wanted |= bit;
    else if (part == 0 || part + n->config->pfc.hysteresis <= most)
        q->wanted &= (uint8_t)~bit;
    if (orr__observers_see_packets(n) && q->wanted & ~q->announced & bit)
        orr__observers_pausing(n, now, link, class);
    if (q->announced != q->wanted)
        orr__egress_start(n, lane, &n->port[back], now);
}

bool orr__pfc_admit(struct orr_net *n, struct orr_lane *lane, uint32_t node,
                    uint32_t link, const struct orr_packet *p, int64_t now)
{
    uint32_t class = p->dst_kind & ORR_PACKET_CLASS;
    uint64_t bytes = orr__packet_size(p);
    struct orr_ingress *in = orr__ingress(n, link, class);
    struct orr_memory *m = &n->pfc->memory[node];
    uint64_t part = shared_part(n, in->held + bytes);
    uint64_t more = part - shared_part(n, in->held);

    if (orr__net_is_lossy(n->config, class)) {
        if (!n->config->pfc.xoff
            && (part > orr__pfc_threshold(n, node, link)
                || more > m->size - m->used))
            return false;
        in->held += bytes;
        m->used += more;
        return true;
    }
    if (!m->alert) { /* orr__memory_has was asked */
        in->held += bytes;
        m->used += more;
        return true;
    }
    if (part <= orr__pfc_threshold(n, node, link)
        && more <= m->size - m->used) {
        in->held += bytes;
        m->used += more;
    } else if (in->over + bytes <= n->pfc->headroom[link]) {
        in->over += bytes;
    } else {
        return false;
    }
    want_pause(n, lane, node, link, class, now);
    return true;
}

void orr__pfc_release(struct orr_net *n, struct orr_lane *lane, uint32_t node,
                      uint32_t link, const struct orr_packet *p, int64_t now)
{
    uint32_t class = p->dst_kind & ORR_PACKET_CLASS;
    uint64_t bytes = orr__packet_size(p);
    struct orr_ingress *in = orr__ingress(n, link, class);
    uint64_t over = bytes < in->over ? bytes : in->over;
    struct orr_memory *m = &n->pfc->memory[node];
    uint64_t part = shared_part(n, in->held);

    ORR_ASSERT(bytes - over <= in->held); /* it was entered here */
    in->over -= over;
    in->held -= bytes - over;
    ORR_ASSERT(m->used >= part - shared_part(n, in->held));
    m->used -= part - shared_part(n, in->held);
    if (m->alert && !orr__net_is_lossy(n->config, class))
        want_pause(n, lane, node, link, class, now);
}

/* ---- whether it matters who has what ---- */

/* Whether nothing of this switch can pause or be paused soon: far from each
 * threshold, and no frame under way. Then departures may be caught up with. */
static bool pfc_rests(const struct orr_net *n, uint32_t node)
{
    const struct orr_graph *g = n->graph;
    uint64_t xoff = n->config->pfc.xoff;

    if (!xoff && n->pfc->memory[node].used > n->pfc->memory[node].calm / 2)
        return false;
    for (uint32_t i = g->in_off[node]; i < g->in_off[node + 1]; i++) {
        uint32_t link = g->in_link[i];
        const struct orr_queue *back = n->queue[orr__reverse(n, link)];

        if (back->wanted | back->announced)
            return false;
        for (uint32_t c = 0; c < n->config->classes; c++)
            if (orr__ingress(n, link, c)->over
                || (xoff && orr__ingress(n, link, c)->held > xoff / 2))
                return false;
    }
    return true;
}

struct orr_memory *orr__memory_of(const struct orr_net *n, uint32_t node)
{
    if (n->pfc)
        return &n->pfc->memory[node];
    return n->memory ? &n->memory[node] : NULL;
}

bool orr__memory_rests(const struct orr_net *n, uint32_t node)
{
    if (n->pfc)
        return pfc_rests(n, node);
    return n->memory[node].used <= n->memory[node].calm / 2;
}

/* ---- frames ---- */

void orr__pfc_frame(struct orr_net *n, struct orr_lane *lane,
                    struct orr_queue *q, struct orr_packet *p)
{
    uint8_t differ = q->announced ^ q->wanted;
    uint32_t class = q->announced_class;
    bool pause;

    ORR_ASSERT(differ); /* so the search ends */
    do /* in turn, so that one that comes and goes holds up no other */
        class = (class + 1) % ORR_MOST_CLASSES;
    while (!(differ >> class & 1));
    pause = q->wanted >> class & 1;
    q->announced ^= (uint8_t)(1u << class);
    q->announced_class = (uint8_t) class;
    q->frames++;
    lane->frames++;
    lane->pauses += pause;
    *p = (struct orr_packet){
        .connection = ORR_NONE,
        .dst_kind = ORR_PACKET_PAUSE | class,
        .hash = class,
        .seq = pause,
        .size_flags = ORR_PAUSE_BYTES << ORR_PACKET_FLAG_BITS | ORR_PACKET_ACK,
        .aux = class,
    };
}

void orr__pfc_arrival(struct orr_net *n, struct orr_lane *lane, uint32_t link,
                      const struct orr_packet *p)
{
    struct orr_port *port = &n->port[orr__reverse(n, link)];
    struct orr_queue *q = n->queue[port->id];
    uint8_t bit = (uint8_t)(1u << p->aux);

    ORR_ASSERT(p->aux < ORR_MOST_CLASSES && p->seq <= 1);
    lane->frames_received++;
    q->pauses += p->seq;
    orr__egress_pause(n, lane, port,
                      p->seq ? q->paused | bit : q->paused & (uint8_t)~bit,
                      p->at);
}

/* ---- memory ---- */

static uint32_t largest_packet(const struct orr_net_config *c)
{
    uint64_t bytes = orr__largest_payload(c) + c->header;

    return (uint32_t)(bytes > c->ack ? bytes : c->ack);
}

/* What can still arrive by a link after the packet that was one too many, and
 * that one: the packet on the way back is finished, frames of all classes that
 * are used go before this one's, then it travels, the sender finishes a packet,
 * and what is on the wire arrives. */
static uint64_t least_headroom(const struct orr_net *n, uint32_t link)
{
    uint32_t back = orr__reverse(n, link);
    uint32_t most = largest_packet(n->config);
    uint64_t rate = n->begin_bps[back];
    int64_t time = orr__serialisation(most, rate)
                   + orr__serialisation(ORR_PAUSE_BYTES, rate)
                         * orr__net_count_lossless(n->config);

    time = orr__time_add(time, n->port[back].delay_ps);
    time = orr__time_add(time, n->port[link].delay_ps);
    return orr__bytes_in(time, n->begin_bps[link]) + 1 + 2 * most;
}

/* Three times what a link holds, in whole ns and bytes: ConfigHdrm of HPCC's
 * simulator (third.cc). */
static uint64_t headroom_of_hpcc(const struct orr_net *n, uint32_t link)
{
    int64_t whole_ns = n->graph->delay_ps[link] / ORR_NS;
    double bytes = (double)n->begin_bps[link] / 8e9 * (double)whole_ns;

    return bytes < 1e15 ? (uint64_t)bytes * 3 : UINT64_C(3000000000000000);
}

/* The rate of the first host's first port, which alpha goes by there. */
static uint64_t rate_of_hosts(const struct orr_net *n)
{
    return n->begin_bps[n->graph->out_link[n->graph->out_off[0]]];
}

/* The share of what is free that may come by a link. */
static double alpha_of(const struct orr_net *n, uint32_t link)
{
    double alpha = n->config->buffer.alpha;
    uint64_t rate = n->begin_bps[link];

    if (n->config->pfc.form != ORR_PFC_HPCC)
        return alpha;
    for (; rate > rate_of_hosts(n) && alpha < 1; rate /= 2)
        alpha = alpha < 0.5 ? 2 * alpha : 1;
    return alpha;
}

/* Bytes of a link's headroom, for each class. ORR_ECONFIG: less than can still
 * arrive after a pause was sent. */
static orr_err set_headroom(struct orr_net *n, uint32_t link,
                            struct orr_report *why)
{
    uint64_t least = least_headroom(n, link);
    uint64_t given = n->config->pfc.headroom;
    bool of_hpcc = n->config->pfc.form == ORR_PFC_HPCC;

    n->pfc->alpha[link] = alpha_of(n, link);
    if (n->config->pfc.headroom_auto)
        given = of_hpcc ? headroom_of_hpcc(n, link) : least;
    n->pfc->headroom[link] = given;
    if (given >= least || of_hpcc)
        return ORR_OK;
    return orr__yaml_fail(n->config->document, n->config->pfc_node, why,
                          "network.pfc.headroom: up to %llu bytes arrive by "
                          "link %u until a pause takes effect, but there is "
                          "room for %llu",
                          (unsigned long long)least, link,
                          (unsigned long long)given);
}

/* Memory of a node: what its ports may hold, or what it says it has. */
static uint64_t memory_of(const struct orr_net *n, uint32_t node)
{
    const struct orr_graph *g = n->graph;
    uint64_t bytes = 0;

    if (n->config->buffer.shared)
        return n->config->buffer.size;
    for (uint32_t i = g->out_off[node]; i < g->out_off[node + 1]; i++) {
        uint32_t link = g->out_link[i];

        bytes += orr__bytes_in(n->port[link].drop_ps, n->begin_bps[link]);
    }
    return bytes;
}

/* What a switch's memory leaves after headroom and reserve of each link and
 * class is shared. ORR_ECONFIG: those alone need more than there is. */
static orr_err share_memory(struct orr_net *n, uint32_t node,
                            struct orr_report *why)
{
    const struct orr_graph *g = n->graph;
    uint64_t all = memory_of(n, node), apart = 0;
    uint32_t used = orr__net_count_used(n->config);
    uint32_t paused = orr__net_count_lossless(n->config);

    if (n->config->pfc.form == ORR_PFC_HPCC) {
        used = 1;
        paused = paused > 0;
    }
    ORR_ASSERT(used > 0 && used <= ORR_MOST_CLASSES);
    for (uint32_t i = g->in_off[node]; i < g->in_off[node + 1]; i++)
        apart +=
            paused * (n->pfc->headroom[g->in_link[i]] + n->config->pfc.xoff)
            + used * n->pfc->reserve;
    if (apart > all) {
        char name[ORR_NODE_NAME];

        orr__yaml_fail(
            n->config->document, n->config->pfc_node, why,
            "network.pfc: %s has a memory of %llu bytes, but "
            "%s of %u ports take %llu (traffic classes in use: "
            "%u)",
            orr__node_name(g, node, name, sizeof name), (unsigned long long)all,
            n->config->pfc.xoff ? "xoff and headroom" : "headroom and reserve",
            g->in_off[node + 1] - g->in_off[node], (unsigned long long)apart,
            used);
        orr__hint(why, "a larger network.buffer.size (or queue capacity), "
                       "shorter links or fewer classes");
        return ORR_ECONFIG;
    }
    n->pfc->memory[node] = (struct orr_memory){
        .size = n->config->pfc.xoff ? UINT64_MAX : all - apart,
        .alpha = n->config->buffer.alpha,
        .calm = orr__buffer_calm(all - apart, n->config->buffer.alpha),
        .alert = true};
    return ORR_OK;
}

orr_err orr__pfc_new(struct orr_net *n, struct orr_report *why)
{
    const struct orr_graph *g = n->graph;
    struct orr_pfc *pfc;
    orr_err err = ORR_OK;

    if (!n->config->pfc.enabled)
        return ORR_OK;
    n->pfc = pfc = orr__alloc(1, sizeof *pfc);
    if (!pfc)
        return orr__no_memory(why);
    pfc->ingress =
        orr__alloc((size_t)g->links * n->config->classes, sizeof *pfc->ingress);
    pfc->headroom = orr__alloc(g->links, sizeof *pfc->headroom);
    pfc->alpha = orr__alloc(g->links, sizeof *pfc->alpha);
    pfc->memory = orr__alloc(g->nodes, sizeof *pfc->memory);
    if (!pfc->ingress || !pfc->headroom || !pfc->alpha || !pfc->memory)
        return orr__no_memory(why);
    pfc->reserve = n->config->pfc.xoff ? 0 : n->config->pfc.reserve;
    for (uint32_t l = 0; l < g->links && err == ORR_OK; l++)
        if (g->forwards[g->to[l]])
            err = set_headroom(n, l, why);
    for (uint32_t i = 0; i < g->nodes && err == ORR_OK; i++)
        if (g->forwards[i])
            err = share_memory(n, i, why);
    return err;
}

void orr__pfc_free(struct orr_net *n)
{
    if (!n->pfc)
        return;
    orr__free(n->pfc->ingress);
    orr__free(n->pfc->headroom);
    orr__free(n->pfc->alpha);
    orr__free(n->pfc->memory);
    orr__free(n->pfc);
}
