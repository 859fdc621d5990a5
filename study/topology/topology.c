#include "study/topology/topology.h"

#include "core/units.h"
#include "topo/graph.h"

orr_err orr__topology_prices(const char *prices, struct orr_topology_figures *f,
                             struct orr_report *why)
{
    *f = (struct orr_topology_figures){.prices = *orr__prices_default()};
    if (!prices)
        return ORR_OK;
    orr_err err = orr__config_load(prices, &f->price_file, why);
    return err ? err : orr__prices_read(f->price_file, &f->prices, why);
}

orr_err orr__topology_measure(const struct orr_graph *g,
                              struct orr_topology_figures *f,
                              struct orr_report *why)
{
    orr_err err = orr__graph_metrics(g, &f->m, why);
    if (err == ORR_OK)
        err = orr__graph_diversity(g, &f->diversity, why);
    if (err == ORR_OK)
        err = orr__budget(g, &f->prices, &f->budget, why);
    return err;
}

void orr__topology_figures_fini(struct orr_topology_figures *f)
{
    orr__config_free(f->price_file);
    f->price_file = NULL;
}

/* What is wrong with a seed a run will tell. */
orr_err orr__topology_build(struct orr_config *c,
                            const struct orr_yaml **topology,
                            struct orr_graph **g, struct orr_report *why)
{
    const struct orr_yaml *root = orr__config_root(c);
    const struct orr_yaml *seed = orr__yaml_get(root, "seed");
    const char *text = seed ? orr__yaml_text(c, seed) : NULL;
    int64_t value = 1;
    *topology = orr__yaml_get(root, "topology");
    if (!*topology)
        return orr__yaml_fail(c, NULL, why, "there is no topology");
    if (text)
        (void)orr__parse_int(text, &value);
    return orr__graph_build(c, *topology, (uint64_t)value, g, why);
}

void orr__graph_line(struct orr_text *t, const struct orr_graph *g)
{
    uint32_t switches = g->nodes - g->hosts;
    orr__text_add(t, "%s: %u host%s, %u switch%s, %u cable%s (%u links)\n",
                  g->kind, g->hosts, g->hosts == 1 ? "" : "s", switches,
                  switches == 1 ? "" : "es", g->cables,
                  g->cables == 1 ? "" : "s", orr__links_present(g));
}
