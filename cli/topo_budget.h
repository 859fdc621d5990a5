/* The part of `orrery topo` that tells of parts, prices and failures. */
#ifndef ORR_CLI_TOPO_BUDGET_H
#define ORR_CLI_TOPO_BUDGET_H

#include <jansson.h>

#include "topo/budget.h"

/* What a network is made of and costs; how many ways it has. To stdout. */
void orr__print_budget(const struct orr_budget *b, const struct orr_prices *p);
void orr__print_diversity(const struct orr_diversity *d);
/* NULL: no memory. */
json_t *orr__json_budget(const struct orr_budget *b,
                         const struct orr_prices *p);
json_t *orr__json_diversity(const struct orr_diversity *d);

#endif
