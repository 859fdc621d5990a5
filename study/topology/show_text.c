/* What `orrery topo` says of a topology, for people. */
#include <stdio.h>

#include "core/text.h"
#include "core/units.h"
#include "study/topology/topology.h"

static bool is_simplex(const struct orr_graph *g, uint32_t cable)
{
    return g->simplex && g->simplex[cable];
}

/* One line for each kind of cable: a tier with its rate, delay and loss. */
static bool same_cable(const struct orr_graph *g, uint32_t a, uint32_t b)
{
    return g->tier[a] == g->tier[b] && g->rate_bps[a] == g->rate_bps[b]
           && g->delay_ps[a] == g->delay_ps[b] && g->loss[a] == g->loss[b]
           && is_simplex(g, a) == is_simplex(g, b);
}

#define CABLE_KINDS 32

/* Kinds of cables: same tier, rate, delay and loss. */
struct cables {
    uint32_t first[CABLE_KINDS], count[CABLE_KINDS], kinds;
    bool more; /* than fit: a graph from a file may have many */
};

/* The first of each kind, and how many; kinds beyond CABLE_KINDS are only
 * noted. */
static struct cables sort_cables(const struct orr_graph *g)
{
    struct cables c = {.kinds = 0};
    for (uint32_t l = 0; l < g->cables; l++) {
        uint32_t k = 0;
        while (k < c.kinds && !same_cable(g, c.first[k], l))
            k++;
        if (k == CABLE_KINDS) {
            c.more = true;
            continue;
        }
        if (k == c.kinds)
            c.first[c.kinds++] = l;
        c.count[k]++;
    }
    return c;
}

/* A line for each kind of cable. */
static void add_cables(struct orr_text *t, const struct orr_graph *g)
{
    struct cables c = sort_cables(g);
    for (uint32_t k = 0; k < c.kinds; k++) {
        uint32_t l = c.first[k];
        char rate[32], delay[32];
        orr__format_rate(g->rate_bps[l], rate, sizeof rate);
        orr__format_time(g->delay_ps[l], delay, sizeof delay);
        orr__text_add(t, "  %-22s%u cable%s, %s, %s", g->tier_names[g->tier[l]],
                      c.count[k], c.count[k] == 1 ? "" : "s", rate, delay);
        if (g->loss[l] > 0)
            orr__text_add(t, ", loss %g", g->loss[l]);
        if (is_simplex(g, l))
            orr__text_add(t, ", one way");
        orr__text_add(t, "\n");
    }
    if (c.more)
        orr__text_add(t, "  and cables of other kinds\n");
}

/* What the file of the graph does not say. */
static void add_inferred(struct orr_text *t, const struct orr_inferred *n)
{
    if (n->rates)
        orr__text_add(t, "  %-22sno rate for %u of %u edges: topology.link's\n",
                      "note", n->rates, n->cables);
    if (n->delays)
        orr__text_add(t,
                      "  %-22sno delay for %u of %u edges: topology.link's\n",
                      "note", n->delays, n->cables);
    if (n->distances)
        orr__text_add(
            t,
            "  %-22sdelays of %u of %u edges by distance, at 2/3 of the "
            "speed of light\n",
            "note", n->distances, n->cables);
    if (n->left_out)
        orr__text_add(t, "  %-22snodes of other parts that are left out: %u\n",
                      "note", n->left_out);
}

/* What a network is made of, and costs. */
static void add_budget(struct orr_text *t, const struct orr_budget *b,
                       const struct orr_prices *p)
{
    char rate[32];
    orr__text_add(t, "  %-22s", "switches");
    for (uint32_t i = 0; i < b->radixes; i++)
        orr__text_add(t, "%s%u with %u port%s", i ? ", " : "",
                      b->radix[i].switches, b->radix[i].ports,
                      b->radix[i].ports == 1 ? "" : "s");
    if (b->more)
        orr__text_add(t, ", %u with fewer", b->more);
    if (b->radixes == 0)
        orr__text_add(t, "none");
    orr__text_add(t, "\n");
    orr__human_rate((double)b->capacity_bps, rate, sizeof rate);
    orr__text_add(t, "  %-22s%s over all links\n", "capacity", rate);
    orr__text_add(t, "  %-22s%.0f %s: ports %.0f, NICs %.0f, optics %.0f",
                  "price", b->price, p->currency, b->port_price, b->nic_price,
                  b->optics_price);
    if (b->cable_price > 0)
        orr__text_add(t, ", cables %.0f", b->cable_price);
    orr__text_add(t, "\n  %-22s%.4g kW\n", "power", b->watts / 1e3);
    orr__text_add(t, "  %-22s%s\n", "prices by", p->source);
}

static void add_paths(struct orr_text *t, const char *what, uint32_t least,
                      uint32_t most, double mean, bool sampled)
{
    const char *about = sampled ? ", of a sample" : "";
    if (least == most)
        orr__text_add(t, "  %-22s%u%s\n", what, least, about);
    else
        orr__text_add(t, "  %-22s%u to %u, mean %.4g%s\n", what, least, most,
                      mean, about);
}

/* How many failures leave each pair of hosts a way. */
static void add_diversity(struct orr_text *t, const struct orr_diversity *d)
{
    uint32_t cables = d->cables_min, switches = d->switches_min;
    if (d->pairs == 0)
        return;
    add_paths(t, "cable-disjoint paths", d->cables_min, d->cables_max,
              d->cables_mean, d->sampled);
    add_paths(t, "switch-disjoint paths", d->switches_min, d->switches_max,
              d->switches_mean, d->sampled);
    orr__text_add(
        t, "  %-22sany %u cable%s, or any %u switch%s, beyond hosts' own%s\n",
        "failures survived", cables - 1, cables == 2 ? "" : "s", switches - 1,
        switches == 2 ? "" : "es", d->sampled ? ", of a sample" : "");
}

/* All figures as text; `<=` before a bisection that is only a bound. */
static void add_figures(struct orr_text *t, const struct orr_graph *g,
                        const struct orr_topology_figures *f)
{
    const struct orr_metrics *m = &f->m;
    char rate[32];
    orr__human_rate((double)m->bisection_bps, rate, sizeof rate);
    const char *about = m->sampled ? ", of a sample of hosts" : "";
    orr__graph_line(t, g);
    if (g->unread)
        orr__text_add(
            t,
            "  %-22sthe file counts %u links and lists %llu: as in HPCC, "
            "the rest is not read\n",
            "note", g->cables, (unsigned long long)g->cables + g->unread);
    add_inferred(t, &g->inferred);
    add_cables(t, g);
    orr__text_add(t, "  %-22s%u link%s%s\n", "diameter", m->diameter,
                  m->diameter == 1 ? "" : "s", about);
    orr__text_add(t, "  %-22s%.4g links%s\n", "mean shortest path",
                  m->mean_path, about);
    orr__text_add(t, "  %-22s%s%s\n", "bisection bandwidth",
                  m->bisection_exact ? "" : "<= ", rate);
    if (m->paths_min == m->paths_max)
        orr__text_add(t, "  %-22s%llu%s\n", "shortest paths a pair",
                      (unsigned long long)m->paths_min, about);
    else
        orr__text_add(t, "  %-22s%llu to %llu, mean %.4g%s\n",
                      "shortest paths a pair", (unsigned long long)m->paths_min,
                      (unsigned long long)m->paths_max, m->paths_mean, about);
    add_diversity(t, &f->diversity);
    add_budget(t, &f->budget, &f->prices);
}

char *orr__topology_text(const struct orr_graph *g,
                         const struct orr_topology_figures *f)
{
    struct orr_text t = {.s = NULL};
    add_figures(&t, g, f);
    return orr__text_shown(&t);
}
