/* Whether a graph is a fat-tree as htsim's .topo can describe it. */
#ifndef ORR_FORMATS_HTSIM_TREE_H
#define ORR_FORMATS_HTSIM_TREE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "core/error.h"
#include "topo/graph.h"

/* Tiers from the hosts up: 0 edge, 1 above it, 2 the core. */
struct orr_htsim_tree {
    int tiers;
    uint32_t count[4];  /* nodes of each level, hosts first */
    uint32_t cables[3]; /* below each tier */
    uint32_t line[3];   /* one of them */
    uint32_t pods, bundle[3];
    uint64_t over[3]; /* capacity below a tier over that above it */
    int64_t link_ns[3], switch_ns[3];
    bool renumbered; /* the core has other numbers there */
};

/* *reason NULL: it is one; else a static sentence on what it lacks. */
ORR_CHECK_RESULT orr_err orr__htsim_recognise(const struct orr_graph *g,
                                              struct orr_htsim_tree *t,
                                              const char **reason,
                                              struct orr_report *why);
void orr__htsim_print_tree(FILE *f, const struct orr_graph *g,
                           const struct orr_htsim_tree *t);

#endif
