/* Where packets of a connection go: hashes that routing takes, next hops by the
 * tables, and whole paths as a probe finds them. */
#ifndef ORR_NET_PATH_ROUTE_H
#define ORR_NET_PATH_ROUTE_H

#include "net/fabric/fabric.h"
#include "topo/detours.h"

struct orr_sender;

/* Name of a direction of a connection, for ECMP and the fingerprint. */
uint32_t orr__direction_hash(const struct orr_net *n, uint64_t identity,
                             bool forward);
/* What ECMP goes by: the same of the connection's entropy, if it has one. */
uint32_t orr__path_hash(const struct orr_net *n,
                        const struct orr_connection_spec *spec, bool forward);

/* Next hops of a packet that is at a node, while all links are alive, by the
 * routes `r`. only: where a single one is put. */
struct orr_path_hops orr__route_hops(const struct orr_routing *r, uint32_t at,
                                     uint32_t dst, uint32_t *only);

/* May packets from src to dst take several ways, while all links are alive? */
bool orr__route_has_choice(const struct orr_net *n, uint32_t src, uint32_t dst);

/* May packets of this connection overtake one another, while all links are
 * alive? */
bool orr__route_reorders(const struct orr_net *n,
                         const struct orr_connection_spec *spec);

/* A packet that finds out where packets of a connection go. */
struct orr_probe {
    struct orr_packet packet; /* as it would be on the wire */
    const uint32_t *path;     /* what is left of its own, or NULL */
    bool own;             /* it goes on by the tables where a link is dead */
    uint32_t links, next; /* of `way`, if the connection is not there yet */
    uint32_t link[ORR_LONGEST_PATH]; /* links of one of the k shortest */
};
struct orr_probe orr__probe_of(const struct orr_net *n,
                               const struct orr_sender *s, bool forward);
struct orr_probe orr__probe_for(const struct orr_net *n,
                                const struct orr_connection_spec *spec,
                                bool forward);
/* Its next link from a node, by these routes: where packets take several ways,
 * one of them. Any worker may ask, for nobody takes note of it. */
uint32_t orr__probe_next(const struct orr_net *n, const struct orr_routing *r,
                         uint32_t at, struct orr_probe *p);

#endif
