/* What a network needs and costs: ports, NICs, optics and cables, by a table of
 * prices that users can replace. */
#ifndef ORR_TOPO_BUDGET_H
#define ORR_TOPO_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "core/config/config.h"
#include "core/error.h"
#include "topo/graph.h"

/* Parts at one rate; those of rates between two rows are in between, those
 * beyond the last in proportion to it, those below the first likewise. */
struct orr_price {
    uint64_t rate_bps;                          /* of one direction */
    double port, nic, optics;                   /* each, in the currency */
    double port_watts, nic_watts, optics_watts; /* each */
};

enum { ORR_MOST_PRICES = 32 };

/* Texts are the document's, or static in the default table. */
struct orr_prices {
    const char *currency, *source; /* what the figures are in; who says so */
    double cable;                  /* each, whatever its rate and length */
    struct orr_price at[ORR_MOST_PRICES]; /* by rate, ascending */
    uint32_t rates;
};

/* The table there is, with its source. */
const struct orr_prices *orr__prices_default(void);
/* Reads a file of prices: what its root says. Texts belong to the document. */
ORR_CHECK_RESULT orr_err orr__prices_read(struct orr_config *c,
                                          struct orr_prices *out,
                                          struct orr_report *why);
struct orr_param;
/* For `orrery help prices`, `help price`. */
const struct orr_param *orr__prices_params(void);
const struct orr_param *orr__price_params(void);

/* Switches with so many ports in use. */
struct orr_radix {
    uint32_t ports, switches; /* `switches` of them have `ports` each */
};
enum { ORR_MOST_RADIXES = 32 };

/* A server's own switch and the links of the tier `nvlink` come with the
 * server: they are left out of all of this. */
struct orr_budget {
    struct orr_radix radix[ORR_MOST_RADIXES]; /* most ports first */
    uint32_t radixes;
    uint32_t switches, more;      /* all; those of further radixes */
    uint64_t ports, nics, cables; /* of switches; of hosts and servers */
    uint64_t capacity_bps;        /* of all links, both directions */
    uint64_t switching_bps;       /* of all ports of switches, one direction */
    /* of all ports, NICs, optics and cables, and of all together */
    double port_price, nic_price, optics_price, cable_price, price;
    double watts; /* of all together */
};
ORR_CHECK_RESULT orr_err orr__budget(const struct orr_graph *g,
                                     const struct orr_prices *p,
                                     struct orr_budget *b,
                                     struct orr_report *why);

/* The factor on the rates of all links (but those of servers) with which the
 * network costs `price`: what to write into `topology.scale`, times what stands
 * there. Fails with ECONFIG where no factor from 1/1000 to 1000 does. */
ORR_CHECK_RESULT orr_err orr__budget_scale(const struct orr_graph *g,
                                           const struct orr_prices *p,
                                           double price, double *scale,
                                           struct orr_report *why);

/* How many ways lead from one host's switch to another's that share no cable,
 * or no switch. Of all pairs, or of a sample drawn with a fixed seed. */
struct orr_diversity {
    /* ways without a cable, and without a switch, in common: of the pairs that
     * have fewest and most, and in the mean */
    uint32_t cables_min, cables_max, switches_min, switches_max;
    double cables_mean, switches_mean;
    uint32_t pairs; /* that were looked at; 0: all hosts hang on one switch */
    bool sampled;   /* not all pairs were */
};
ORR_CHECK_RESULT orr_err orr__graph_diversity(const struct orr_graph *g,
                                              struct orr_diversity *d,
                                              struct orr_report *why);

#endif
