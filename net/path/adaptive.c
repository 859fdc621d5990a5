/* Adaptive routing by local load, as switches for RDMA fabrics and dragonflies
 * do it: the next hop whose port will be free soonest. Only what the node
 * itself has queued counts, so nothing has to be learned from elsewhere.
 *
 * Queues are compared in steps, and ports that are alike are chosen from at
 * random, anew each time. Were they told apart by the connection, or packet by
 * packet by what is left of the one in service, packets would settle on ways:
 * those of a host that sends without a pause come just when the port is free
 * that took the last one. Two connections that meet behind this node would then
 * do so for ever. Switches and the simulator of Ultra Ethernet's authors
 * (uet-htsim, quantized_queuesize) know only a few grades of fullness. */
#include "net/path/flowlet.h"
#include "net/port/port.h"

/* How long a port has to send what it holds, in whole steps, ps. */
static int64_t load_of(const struct orr_net *n, uint32_t link, uint64_t step,
                       int64_t now)
{
    int64_t backlog = orr__port_backlog(n, link, now);

    if (backlog == 0)
        return 0;
    return backlog - backlog % orr__serialisation(step, n->rate_bps[link]);
}

/* The least time to drain; among equals the first from a random place on. */
static uint32_t least_loaded(struct orr_net *n, struct orr_path_state *s,
                             const struct orr_packet *p, struct orr_path_hops w)
{
    uint32_t i = orr__path_spray_random(n, s, p, w), best = i;
    uint64_t step = orr__path_rule_of(n->config, w.link[0]).params->step;
    int64_t least = ORR_NEVER;

    for (uint32_t k = 0; k < w.n && least > 0; k++) {
        int64_t load = load_of(n, w.link[i], step, p->at);

        if (load < least) {
            least = load;
            best = i;
        }
        i = i + 1 == w.n ? 0 : i + 1;
    }
    return best;
}

uint32_t orr__path_adaptive(struct orr_net *n, struct orr_path_state *s,
                            const struct orr_packet *p, struct orr_path_hops w)
{
    struct orr_flowlet *f;
    bool goes_on;

    if (orr__path_rule_of(n->config, w.link[0]).params->per
        == ORR_PATH_PER_PACKET)
        return least_loaded(n, s, p, w);
    f = orr__flowlet_slot(n, s, p);
    if (!f)
        return 0;
    goes_on = orr__flowlet_goes_on(n, f, p->at, w);
    f->last = p->at;
    return goes_on ? f->index
                   : orr__flowlet_repick(f, w, least_loaded(n, s, p, w));
}
