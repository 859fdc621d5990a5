/* What nodes are called: "host 17", "pod2/edge1", or as the file that they are
 * from, or `topology.names`, calls them. */
#ifndef ORR_TOPO_NODE_NAMES_H
#define ORR_TOPO_NODE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topo/graph.h"

enum { ORR_NODE_NAME = 64 }; /* bytes of the longest name, its end included */

/* A node's name: the graph's own, or buf, in which it was made. */
const char *orr__node_name(const struct orr_graph *g, uint32_t node, char *buf,
                           size_t size);
/* The node of this name; "host 17" and "switch 20" go by id, always. */
bool orr__node_find(const struct orr_graph *g, const char *name,
                    uint32_t *node);
/* The node of this id or name. */
bool orr__node_parse(const struct orr_graph *g, const char *text,
                     uint32_t *node);
/* The node, or the host, that a scalar of a configuration means, by number or
 * by name; ECONFIG at its place: it means none. */
ORR_CHECK_RESULT orr_err orr__node_read(const struct orr_graph *g,
                                        struct orr_config *c,
                                        const struct orr_yaml *at,
                                        uint32_t *node, struct orr_report *why);
ORR_CHECK_RESULT orr_err orr__host_read(const struct orr_graph *g,
                                        struct orr_config *c,
                                        const struct orr_yaml *at,
                                        uint32_t *host, struct orr_report *why);
/* For a hint: a name like that, or NULL. */
const char *orr__node_nearest(const struct orr_graph *g, const char *name);

/* Whether all of a name can come to a terminal and into XML: UTF-8 without
 * control characters. */
bool orr__name_is_shown(const char *name);

#endif
