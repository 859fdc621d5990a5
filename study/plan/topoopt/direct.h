/* A network without switches while it is designed: rings of all hosts with
 * different strides, and matchings beside them; and what traffic between pairs
 * of hosts does to its links, if it spreads over all shortest paths. Doubles
 * are added and divided in one order only. */
#ifndef ORR_STUDY_PLAN_TOPOOPT_DIRECT_H
#define ORR_STUDY_PLAN_TOPOOPT_DIRECT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/error.h"
#include "topo/stride_rule.h"

/* So many hosts: matrices of pairs are kept. */
#define ORR_DIRECT_HOSTS 1024
/* No number up to that has more divisors. */
#define ORR_DIRECT_DIVISORS 32

/* Senders and receivers: a kind of pattern of so many parts. */
enum orr_traffic_kind {
    ORR_TRAFFIC_PAIRS,   /* in groups of `parts` neighbours each to each */
    ORR_TRAFFIC_RINGS,   /* in groups of n / parts, `parts` apart, round `at`
                          * rings of different strides both ways, each with its
                          * share of the bytes; 0 rings: as of one */
    ORR_TRAFFIC_SCATTER, /* `parts` hosts, n / parts apart from host `at` on, to
                          * all hosts */
    ORR_TRAFFIC_GATHER,  /* the other way round */
};
/* A pattern; parts divides the number of hosts. */
struct orr_traffic {
    enum orr_traffic_kind kind;
    uint32_t parts, at;
};

/* What a byte between each pair of a traffic comes to. */
struct orr_congestion {
    double load;   /* bytes on the link with most */
    uint32_t hops; /* of the longest path */
};

/* The network. Arrays are owned; of a zeroed one there are none. */
struct orr_direct {
    uint32_t n;
    bool both; /* rings have links in both directions */
    uint32_t strides, stride[ORR_MOST_STRIDES]; /* ascending */
    uint32_t matchings;
    uint32_t *mate; /* matchings * n: a host, or ORR_NONE */
    /* of these: rings of groups, per divisor that says how far they are apart
     */
    uint32_t group_rings[ORR_DIRECT_DIVISORS];
    /* made by orr__direct_finish */
    uint32_t links, *off, *to; /* of each host, off[n] of them */
    uint16_t *distance;        /* n * n: [to * n + from] */
    double *flow, *load;       /* scratch: per host, per link */
    uint32_t *order;           /* scratch: per host */
};

/* Links and distances. */
ORR_CHECK_RESULT orr_err orr__direct_finish(struct orr_direct *d,
                                            struct orr_report *why);
void orr__direct_fini(struct orr_direct *d);

/* Strides of the rings that a group of k > 1 members is given, counted among
 * them; returns how many, at least one and at most `rings`. */
uint32_t orr__group_strides(uint32_t k, uint32_t rings, uint32_t *stride);

/* Adds `bytes` for each pair of a traffic to demand, n * n: [from * n + to]. */
void orr__traffic_add(const struct orr_traffic *t, uint32_t n, double bytes,
                      double *demand);
/* Of a demand. */
struct orr_congestion orr__direct_route(struct orr_direct *d,
                                        const double *demand);

#endif
