/* Adaptive routing by local load, as switches for RDMA fabrics and dragonflies
 * do it: the next hop whose port will be free soonest. Only what the node
 * itself has queued counts, so nothing has to be learned from elsewhere.
 *
 * Ports that are free alike are chosen at random, anew each time. A choice that
 * goes by the connection would send its packets the same way whenever the node
 * is idle, and those of two connections that hash alike into one another's at
 * the node behind it, which this one does not see. */
#include "net/path/flowlet.h"
#include "net/port/port.h"

/* The least time to drain; among equals the first from a random place on. */
static uint32_t least_loaded(struct orr_net *n, struct orr_path_state *s,
                             const struct orr_packet *p,
                             struct orr_path_ways w)
{
    uint32_t i = orr__path_spray_random(n, s, p, w), best = i;
    int64_t least = ORR_NEVER;

    for (uint32_t k = 0; k < w.n && least > 0; k++) {
        int64_t load = orr__port_backlog(n, w.link[i], p->at);

        if (load < least) {
            least = load;
            best = i;
        }
        i = i + 1 == w.n ? 0 : i + 1;
    }
    return best;
}

uint32_t orr__path_adaptive(struct orr_net *n, struct orr_path_state *s,
                            const struct orr_packet *p,
                            struct orr_path_ways w)
{
    struct orr_flowlet *f;
    bool goes_on;

    if (n->config->path_params.per == ORR_PATH_PER_PACKET)
        return least_loaded(n, s, p, w);
    f = orr__flowlet_slot(n, s, p);
    if (!f)
        return 0;
    goes_on = orr__flowlet_goes_on(n, f, p->at, w);
    f->last = p->at;
    return goes_on ? f->index
                   : orr__flowlet_turn(f, w, least_loaded(n, s, p, w));
}
