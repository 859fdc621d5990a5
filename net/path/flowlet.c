/* Flowlet switching (Sinha, Kandula, Katabi, "Harnessing TCP's burstiness with
 * flowlet switching", HotNets 2004; LetFlow, NSDI 2017): packets behind a pause
 * longer than the paths differ in delay may take any path, and still arrive in
 * order. */
#include "net/path/flowlet.h"
#include "core/none.h"

#include "core/memory.h"

struct orr_flowlet *orr__flowlet_slot(struct orr_net *n,
                                      struct orr_path_state *s,
                                      const struct orr_packet *p)
{
    uint32_t size = n->config->flowlets;
    uint32_t key[2] = {p->hash, s->node};

    if (!s->flowlet) {
        s->flowlet = orr__alloc(size, sizeof *s->flowlet);
        if (!s->flowlet) {
            orr__fabric_out_of_memory(n);
            return NULL;
        }
        for (uint32_t i = 0; i < size; i++)
            s->flowlet[i].link = ORR_NONE;
    }
    return &s->flowlet[XXH3_64bits_withSeed(key, sizeof key, s->seed ^ 2)
                       & (size - 1)];
}

uint32_t orr__path_flowlet(struct orr_net *n, struct orr_path_state *s,
                           const struct orr_packet *p, struct orr_path_hops w)
{
    struct orr_flowlet *f = orr__flowlet_slot(n, s, p);
    bool goes_on;

    if (!f)
        return 0;
    goes_on = orr__flowlet_goes_on(n, f, p->at, w);
    f->last = p->at;
    if (goes_on)
        return f->index;
    if (orr__path_rule_of(n->config, w.link[0]).params->choice
        == ORR_PATH_ROUND_ROBIN)
        return orr__flowlet_repick(f, w, orr__path_spray(n, s, p, w));
    return orr__flowlet_repick(f, w, orr__path_spray_random(n, s, p, w));
}
