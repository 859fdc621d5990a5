/* Rules of some links alone: `network.by_tier`. A rule's name is a tier of the
 * graph, `server` for links inside servers, or a pattern of link names, as
 * "leaf* > spine*". The first rule that a link matches holds for it. */
#ifndef ORR_NET_CONFIG_TIERS_H
#define ORR_NET_CONFIG_TIERS_H

#include "net/config/config.h"
#include "topo/graph.h"

/* Reads n->tier_node; after all else of the map. ECONFIG at its place. */
ORR_CHECK_RESULT orr_err orr__tiers_read(struct orr_config *c,
                                         struct orr_net_config *n,
                                         struct orr_report *why);
/* Which links each of them is of, and what that means for all; once, when the
 * graph is there. ECONFIG: one is of no link. */
ORR_CHECK_RESULT orr_err orr__tiers_fit(struct orr_net_draft *draft,
                                        const struct orr_graph *g,
                                        struct orr_report *why);

#endif
