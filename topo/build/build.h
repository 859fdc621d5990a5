/* Topology kinds. A family: one member a file, one line in list.h, one test.
 * A member says what it takes (params), how large it would be (plan) and then
 * draws nodes and cables into a graph whose arrays are already there (build).
 * The rest of the work is the same for all and is done in topo/graph.c. */
#ifndef ORR_TOPO_BUILD_BUILD_H
#define ORR_TOPO_BUILD_BUILD_H

#include <stddef.h>
#include <stdint.h>

#include "core/config/config.h"
#include "core/config/param.h"
#include "core/error.h"
#include "topo/graph.h"

struct igraph_s; /* igraph_t */

/* What a cable is like, the same in both directions. */
struct orr_line {
    uint64_t rate_bps; /* > 0 */
    int64_t delay_ps;  /* > 0 */
    double loss;       /* 0..1, of each packet */
};

/* How large a graph would be. UINT64_MAX stands for "beyond counting"; the
 * arithmetic below keeps to it. */
struct orr_size {
    uint64_t hosts, switches, cables; /* cables before `links` copies them */
    /* Routes to a host far away have so many next hops at the node that has
     * most, at least; 0: not known. The same. */
    uint64_t widest;
};

/* Products and sums of sizes; UINT64_MAX once they are beyond counting. */
static inline uint64_t orr__size_mul(uint64_t a, uint64_t b)
{
    uint64_t c;
    return __builtin_mul_overflow(a, b, &c) ? UINT64_MAX : c;
}

/* The same of a sum. */
static inline uint64_t orr__size_add(uint64_t a, uint64_t b)
{
    uint64_t c;
    return __builtin_add_overflow(a, b, &c) ? UINT64_MAX : c;
}

/* Whether hosts may be replaced by servers with several GPUs. */
enum orr_servers {
    ORR_SERVERS_AROUND, /* whatever the kind draws: build/servers.c does it */
    ORR_SERVERS_OWN,    /* the kind draws servers itself, and needs them */
    ORR_SERVERS_NONE,   /* its own key `servers` means something else */
};

/* Names as they come, to be sorted into the graph when all is drawn. */
struct orr_draft_names {
    char *text;        /* names, each with its NUL, one behind the other */
    size_t used, room; /* bytes of it */
    bool failed;       /* memory ran out */
};

/* A graph being drawn. */
struct orr_draft {
    struct orr_config *config;  /* the document, for messages */
    const struct orr_yaml *map; /* `topology` */
    void *params;               /* the member's own, read from map */
    struct orr_line link;       /* topology.link */
    double scale;               /* on rates */
    bool has_link;              /* false only for kinds that do without */
    uint64_t seed;
    struct orr_graph *graph;  /* NULL while planning */
    uint32_t drawn;           /* cables so far */
    const char *size_key;     /* set by plan: in place of the ops' */
    uint32_t gpus;            /* of a server; 0: no `servers` */
    struct orr_line gpu_link; /* servers.link */
    uint32_t shift;           /* what ids will be more by: see servers.c */
    uint32_t planes;          /* 1: no planes */
    uint32_t kept, in_plane;  /* nodes in none, and in each: planes.c */
    uint32_t later;           /* nodes of planes that are to come */
    struct orr_draft_names names;
    /* For messages about a graph from a file; all NULL otherwise. */
    const struct orr_yaml *blame;
    const char *file;
    const char **node_name; /* per node */
};

/* A kind of topology. */
struct orr_topology_ops {
    const char *name, *doc;         /* of `kind`; one sentence */
    const struct orr_param *params; /* beside kind and link */
    size_t params_size;             /* of the struct that its table fills */
    /* The parameter to blame when the graph is too large. */
    const char *size_key;
    /* Whether `link` may be left out. */
    bool link_optional;
    enum orr_servers servers; /* what `servers` means to it */
    /* Checks the parameters and fills *size without allocating anything of
     * that size. Reports at the place of a bad value. Called once, first. */
    orr_err (*plan)(struct orr_draft *d, struct orr_size *size,
                    struct orr_report *why);
    /* Draws exactly what was planned, with the functions below. Host ids are
     * 0..hosts-1, switches follow. Called once, after plan. */
    orr_err (*build)(struct orr_draft *d, struct orr_report *why);
    /* The exact bisection bandwidth of a finished graph, one direction; false
     * where no formula holds. NULL: never. A bound is then found by METIS. */
    bool (*bisection)(const struct orr_graph *g, uint64_t *bps);
    /* Releases what plan and build keep in params; called once after them,
     * also when they failed. NULL: nothing to release. */
    void (*fini)(struct orr_draft *d);
};

/* The ops of a kind by name, or NULL. */
const struct orr_topology_ops *orr__topology_find(const char *kind);

/* Reads {rate, delay, loss} from map into *out. With a base, what the map
 * leaves out (all of it, if map is NULL) is the base's; without, rate and
 * delay are required. */
ORR_CHECK_RESULT orr_err orr__line_read(
    struct orr_config *c, const struct orr_yaml *map, const char *what,
    const struct orr_line *base, struct orr_line *out, struct orr_report *why);

/* The next cable: its link `drawn` goes a to b, link cables + drawn back. */
void orr__draft_cable(struct orr_draft *d, uint32_t a, uint32_t b,
                      unsigned tier, const struct orr_line *line);
/* The cable drawn last has its link a to b alone. ORR_ENOMEM only. */
ORR_CHECK_RESULT orr_err orr__draft_simplex(struct orr_draft *d,
                                            struct orr_report *why);
/* A cable for each edge of g in order, all of tier 0 and of topology.link.
 * Edges of an undirected graph go from the lower to the higher id. */
ORR_CHECK_RESULT orr_err orr__draft_edges(struct orr_draft *d,
                                          const struct igraph_s *g,
                                          struct orr_report *why);
/* Nodes first .. first + count - 1 are on this level (0: hosts). Switches
 * always forward, hosts only if host_forwards. */
void orr__draft_nodes(struct orr_draft *d, uint32_t first, uint32_t count,
                      unsigned level, bool host_forwards);

/* What a node is called, beside "host 7" or "switch 9": without spaces at its
 * ends, no two nodes alike, not a number. Failure is told by keep_names. */
void orr__draft_name(struct orr_draft *d, uint32_t node, const char *fmt, ...)
    ORR_PRINTF(3, 4);
/* The same of a file's; nothing, if it could be taken for something else. */
void orr__draft_name_if(struct orr_draft *d, uint32_t node, const char *name);
/* Moves the names into the graph; list: `topology.names`, or NULL. */
ORR_CHECK_RESULT orr_err orr__draft_keep_names(struct orr_draft *d,
                                               const struct orr_yaml *list,
                                               struct orr_report *why);
/* graph->area, to be filled in. */
ORR_CHECK_RESULT orr_err orr__draft_areas(struct orr_draft *d,
                                          struct orr_report *why);

/* `topology.size`, if it is there, becomes the keys of the kind that give as
 * many hosts. ORR_ECONFIG: no such keys do, or some are there. */
ORR_CHECK_RESULT orr_err orr__size_settle(struct orr_config *c,
                                          const struct orr_yaml *map,
                                          const char *kind,
                                          struct orr_report *why);

/* Servers in place of hosts. Reads `servers`; makes a plan larger; before and
 * after build. */
ORR_CHECK_RESULT orr_err orr__servers_read(struct orr_draft *d,
                                           const struct orr_yaml *map,
                                           struct orr_report *why);
void orr__servers_plan(const struct orr_draft *d, struct orr_size *size);
void orr__servers_open(struct orr_draft *d);
void orr__servers_close(struct orr_draft *d);

/* Several planes of one kind. Makes a plan larger, or refuses the kind; before
 * and after build, within the calls for servers. */
ORR_CHECK_RESULT orr_err orr__planes_plan(struct orr_draft *d,
                                          const struct orr_topology_ops *ops,
                                          struct orr_size *size,
                                          struct orr_report *why);
ORR_CHECK_RESULT orr_err orr__planes_open(struct orr_draft *d, bool own_servers,
                                          struct orr_report *why);
void orr__planes_close(struct orr_draft *d);
/* Node w is called "planeP/NAME", if v has a name. */
void orr__draft_name_in_plane(struct orr_draft *d, uint32_t v, uint32_t w,
                              uint32_t plane);

/* Positions for pictures: on a circle around 0, 0; evenly on a row of the
 * width -1..1 at height y. Coordinates are multiples of 1/1000, so that they
 * survive being written with fifteen digits. */
void orr__draft_circle(struct orr_draft *d, uint32_t first, uint32_t count);
void orr__draft_ring(struct orr_draft *d, uint32_t first, uint32_t count,
                     double radius);
void orr__draft_row(struct orr_draft *d, uint32_t first, uint32_t count,
                    double y);
void orr__draft_place(struct orr_draft *d, uint32_t node, double x, double y,
                      double z);

/* Rate of all the parallel cables that stand for cable c, one direction. */
static inline uint64_t orr__cable_rate(const struct orr_graph *g, uint32_t c)
{
    return g->rate_bps[c] * g->parallel;
}

/* Leaves of one size under one core: `count` switches with `hosts` hosts and
 * an uplink of uplink_bps each (UINT64_MAX: the leaf is the core itself). */
struct orr_leaves {
    uint32_t count, hosts;
    uint64_t uplink_bps;
};

/* Exact bisection bandwidth of a tree of leaves under one core, with n kinds
 * of leaves and hosts that are joined at host_bps. */
uint64_t orr__tree_bisection(const struct orr_leaves *leaves, unsigned n,
                             uint64_t host_bps);

#endif
