/* The order in which nodes of a trace come to their turns, and the longest
 * chain of those that wait for one another. */
#ifndef ORR_FORMATS_CHAKRA_ORDER_H
#define ORR_FORMATS_CHAKRA_ORDER_H

#include "formats/chakra/file.h"

/* Fills c->order, c->critical_us and c->critical_nodes; nodes and edges are
 * there. ECONFIG: dependencies go in a circle. */
ORR_CHECK_RESULT orr_err orr__chakra_put_in_order(struct orr_chakra *c,
                                                  struct orr_report *why);

#endif
