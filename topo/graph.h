/* The network as plain arrays. igraph builds and measures it inside topo/;
 * what leaves this folder is this struct. Immutable once built. */
#ifndef ORR_TOPO_GRAPH_H
#define ORR_TOPO_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "core/config/config.h"
#include "core/error.h"

/* Nodes 0..hosts-1 are hosts, which ranks and flows are placed on; the rest are
 * switches. What passes packets on (`forwards`) and what has a NIC (`sends`)
 * are properties apart from that: hosts may forward, switches may send. A cable
 * c between a and b is two directed links: c (a to b), cables + c (b to a). A
 * one-way cable has the first alone: the number of the other is kept, and it
 * is in no list of a node's links, so that nothing is ever sent on it. */
struct orr_graph {
    uint32_t hosts, nodes, cables, links; /* links = 2 * cables */
    const char *kind;                     /* "fat-tree", ... */

    /* per directed link */
    uint32_t *from, *to; /* nodes */
    uint64_t *rate_bps;  /* > 0 */
    int64_t *delay_ps;   /* > 0 */
    double *loss;        /* 0..1 */
    uint8_t *tier; /* index into tier_names: of links, "host", "edge"... */
    bool *simplex; /* per cable; NULL: all go both ways */

    /* CSR by node, of links that are there; ids ascend within a node */
    uint32_t *out_off, *out_link; /* nodes + 1, links */
    uint32_t *in_off, *in_link;

    /* per node */
    uint8_t *level; /* 0 host, 1 edge or leaf, 2 aggregation or spine, 3 core */
    bool *forwards; /* passes on transit traffic; true for switches */
    bool *sends;    /* has a NIC: connections may begin and end there; true for
                     * hosts */
    double *x, *y, *z; /* layout coordinates for pictures */
    /* Names (topo/node_names.h): place in `names`, one more; 0: it has none of
     * its own. by_name: those that have one, in order of name. NULL: none has.
     */
    uint32_t *name_at, *by_name, named;
    char *names; /* texts, each with its NUL */
    /* The part of the network that a node belongs to, where detours are to
     * parts and not to switches (a dragonfly's group). NULL: no parts. */
    uint32_t *area;
    /* Which of `planes` a switch is in, and one more; 0: hosts, switches inside
     * servers. NULL: there is but one. */
    uint8_t *plane;
    uint32_t planes;
    uint32_t gpus; /* of each server, behind its switch; 0: no such servers */

    const char *const *tier_names; /* NULL-ended, static or owned */
    uint32_t *servers;             /* parameter servers among the hosts */
    uint32_t n_servers;

    int64_t *strides; /* of rings of hosts: host i to host i + stride */
    uint32_t n_strides;

    /* Per number that a node has in the file it came from, for flow files that
     * use those numbers: the node. NULL: it has none, or there is no file. */
    uint32_t *node_of;

    /* What a regular kind is, for formulas; all 0 / NULL otherwise. */
    uint32_t k, oversubscription, parallel;
    uint32_t *dims, n_dims; /* of a grid of hosts: how many in each */
    uint64_t *dims_bps; /* per dimension: what a host may send there, over all
                           its links; NULL: not known */

    /* Cables that the file it came from lists behind those that it counts: they
     * are not here. */
    uint64_t unread;

    /* What that file does not say. `cables`: before `links` copies them, of
     * which so many have the rate or the delay of topology.link, or a delay
     * from the distance of their ends; nodes that are left out, because they
     * are in another of `parts`. All 0: no file, or all is in it. */
    struct orr_inferred {
        uint32_t cables, rates, delays, distances, left_out, parts;
    } inferred;

    void *owned; /* private to topo/ */
};

/* Ranks and flows are placed on hosts alone. */
static inline bool orr__is_host(const struct orr_graph *g, uint32_t node)
{
    return node < g->hosts;
}

/* Whether the link is the way back of a one-way cable: there is no such. */
static inline bool orr__link_absent(const struct orr_graph *g, uint32_t link)
{
    return g->simplex && link >= g->cables && g->simplex[link - g->cables];
}

/* Links that are there. */
static inline uint32_t orr__links_present(const struct orr_graph *g)
{
    return g->out_off[g->nodes];
}

/* Reads the `topology` map and builds its graph. Fails with ECONFIG at the
 * place of the bad value (zero delay, missing rate, disconnected, ...; also,
 * before anything is allocated, when the plan does not fit into
 * orr__memory_available: the message says how much it would take), ENOMEM. */
ORR_CHECK_RESULT orr_err orr__graph_build(struct orr_config *c,
                                          const struct orr_yaml *topology,
                                          uint64_t seed, struct orr_graph **out,
                                          struct orr_report *why);
/* What else will be made of a graph, so that one for which there is no room is
 * refused before it is built: bytes for each directed link and for each node,
 * and routes. */
struct orr_graph_use {
    uint64_t link_bytes, node_bytes; /* for each of them */
    bool routes;                     /* orr__routing_build will be called */
};
/* The same for such a use; NULL: none. */
ORR_CHECK_RESULT orr_err orr__graph_build_for(struct orr_config *c,
                                              const struct orr_yaml *topology,
                                              uint64_t seed,
                                              const struct orr_graph_use *use,
                                              struct orr_graph **out,
                                              struct orr_report *why);
/* const: who owns a graph that is not to change any more may let go of it. */
void orr__graph_free(const struct orr_graph *g);

/* GraphML and DOT. GraphML reads back to the same graph (ids, order and all
 * attributes). Written to path.partial, then renamed. */
ORR_CHECK_RESULT orr_err orr__graph_write_graphml(const struct orr_graph *g,
                                                  const char *path,
                                                  struct orr_report *why);
ORR_CHECK_RESULT orr_err orr__graph_write_dot(const struct orr_graph *g,
                                              const char *path,
                                              struct orr_report *why);

/* The registry of kinds, for `orrery list topologies` and `help`. */
struct orr_param;
struct orr_topology_ops;        /* topo/build/build.h */
struct orr_topology_format_ops; /* topo/file/file.h */
const struct orr_topology_ops *const *orr__topology_kinds(
    void); /* NULL-ended */
/* Formats of `kind: file`. */
const struct orr_topology_format_ops *const *orr__topology_formats(void);
/* What every kind takes, and what `link` holds: for help. */
const struct orr_param *orr__topology_params(void);
const struct orr_param *orr__link_params(void);
const struct orr_param *orr__servers_params(void);

#endif
