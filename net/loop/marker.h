/* Markers: places in the order of what happens on a host, where something that
 * was not simulated would have happened. A timer would come after all arrivals
 * and departures of its instant; a marker comes where a packet on its link
 * would, or where the last byte of a message would have left. */
#ifndef ORR_NET_LOOP_MARKER_H
#define ORR_NET_LOOP_MARKER_H

#include "net/fabric/fabric.h"

/* One, as it is set. */
struct orr_marker {
    int64_t at;    /* ps */
    uint32_t link; /* a host's, on which there are no packets at all */
    bool arrives;  /* as an arrival at its end, else as a departure */
    uint32_t user; /* whose upcall `marked` is called on that host, with ... */
    uint32_t tag;
};

/* Once, before the run and any of the others. False: no memory. */
bool orr__net_may_mark(struct orr_net *n);
/* Sets one; one at a time on a link and side. Between windows, or from an
 * upcall in the process of all nodes that the link connects; not before what
 * that process has done. False: out of memory, and the run is failing. */
bool orr__net_mark(struct orr_net *n, const struct orr_marker *m);

/* node.c: one has arrived. */
void orr__marker_arrived(struct orr_net *n, struct orr_lane *lane,
                         const struct orr_packet *p);

#endif
