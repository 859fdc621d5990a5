/* What a node remembers of flowlets: bursts of one direction of a connection
 * with a pause behind each. */
#ifndef ORR_NET_PATH_FLOWLET_H
#define ORR_NET_PATH_FLOWLET_H

#include "core/none.h"
#include "net/fabric/fabric.h"

/* A slot of a node's table. As in a switch's, connections that hash to one
 * slot share it: they then take one way, and pause only together. */
struct orr_flowlet {
    int64_t last;   /* when its last packet came by */
    uint32_t link;  /* that it took; ORR_NONE: never used */
    uint32_t index; /* of the link among the next hops */
};

/* The packet's slot in this node's table. NULL: out of memory, and the run is
 * failing. */
struct orr_flowlet *orr__flowlet_slot(struct orr_net *n,
                                      struct orr_path_state *s,
                                      const struct orr_packet *p);
/* Does the burst go on, by a link that is one of these next hops? */
static inline bool orr__flowlet_goes_on(const struct orr_net *n,
                                        const struct orr_flowlet *f,
                                        int64_t now, struct orr_path_hops w)
{
    int64_t gap = orr__path_rule_of(n->config, w.link[0]).params->gap_ps;

    return now - f->last <= gap && f->index < w.n
           && w.link[f->index] == f->link;
}

/* From now on it goes by this one of the ways. */
static inline uint32_t orr__flowlet_repick(struct orr_flowlet *f,
                                           struct orr_path_hops w,
                                           uint32_t index)
{
    f->link = w.link[index];
    f->index = index;
    return index;
}

#endif
