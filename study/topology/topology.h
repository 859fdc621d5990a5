/* A topology by itself: its sizes, metrics, parts and prices, as `orrery topo`
 * and orr_study_topology say them. */
#ifndef ORR_STUDY_TOPOLOGY_TOPOLOGY_H
#define ORR_STUDY_TOPOLOGY_TOPOLOGY_H

#include "core/text.h"
#include "topo/budget.h"
#include "topo/metrics.h"

/* What is worked out once for text and JSON. */
struct orr_topology_figures {
    struct orr_metrics m;
    struct orr_budget budget;
    struct orr_diversity diversity;
    struct orr_prices prices;      /* all the above is by these */
    struct orr_config *price_file; /* owned: whose texts prices hold; or NULL */
};

/* prices: a file; NULL: the built-in table. *f is to be given to
 * orr__topology_figures_fini, however this ends. */
ORR_CHECK_RESULT orr_err orr__topology_prices(const char *prices,
                                              struct orr_topology_figures *f,
                                              struct orr_report *why);
/* The figures of a graph, by prices that were read. */
ORR_CHECK_RESULT orr_err orr__topology_measure(const struct orr_graph *g,
                                               struct orr_topology_figures *f,
                                               struct orr_report *why);
void orr__topology_figures_fini(struct orr_topology_figures *f);

/* The graph of a document that was read, by its seed. *topology: the map, for
 * messages about it. */
ORR_CHECK_RESULT orr_err orr__topology_build(struct orr_config *c,
                                             const struct orr_yaml **topology,
                                             struct orr_graph **g,
                                             struct orr_report *why);

/* A path that was asked for, and whether all links are listed. */
struct orr_topology_lists {
    bool links, path;
    uint32_t *link, n, end[2]; /* of the path */
    uint64_t paths;            /* shortest ones, of which it is one */
};

/* "ring: 8 hosts, 0 switches, 8 cables (16 links)" */
void orr__graph_line(struct orr_text *t, const struct orr_graph *g);
/* For people, and for programs; free with orr__free. NULL: no memory. l NULL:
 * no lists. */
char *orr__topology_text(const struct orr_graph *g,
                         const struct orr_topology_figures *f);
char *orr__topology_json(const struct orr_graph *g,
                         const struct orr_topology_figures *f,
                         const struct orr_topology_lists *l);
/* "kind" to "links" alone, without what takes time. */
char *orr__topology_sizes_json(const struct orr_graph *g);

#endif
