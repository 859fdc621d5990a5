#include "study/compare/cost.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/text.h"
#include "core/units.h"
#include "study/compare/dimensions.h"

/* The map `compare.equal_cost`. */
struct keys {
    double price;
    const char *prices;
};

static const struct orr_param params[] = {
    {.key = "price",
     .type = ORR_PARAM_REAL,
     .offset = offsetof(struct keys, price),
     .fallback = "",
     .min = "0",
     .help = "target price of each network; default: that of its baseline"},
    {.key = "prices",
     .type = ORR_PARAM_TEXT,
     .offset = offsetof(struct keys, prices),
     .fallback = "",
     .help = "a file of prices (`orrery help prices`); default: the table of "
             "`orrery topo`"},
    ORR_PARAM_END};

const struct orr_param *orr__compare_equal_cost_params(void)
{
    return params;
}

/* ---- reading ------------------------------------------------------------ */

static orr_err read_prices(struct orr_matrix *m, const struct orr_yaml *file,
                           const char *folder, struct orr_report *why)
{
    const struct orr_yaml *root;
    m->equal.prices = *orr__prices_default();
    if (!file)
        return ORR_OK;
    orr_err err = orr__dimensions_file(m, folder, file, &root, why);
    return err ? err
               : orr__prices_read(m->file[m->files - 1], &m->equal.prices, why);
}

/* `equal_cost: true` alone: as much as each network's baseline costs. */
static orr_err read_flag(struct orr_matrix *m, const struct orr_yaml *n,
                         struct orr_report *why)
{
    const char *text = orr__yaml_text(m->base, n);
    bool yes = text && strcmp(text, "true") == 0;
    if (yes || (text && strcmp(text, "false") == 0)) {
        m->equal.wanted = yes;
        return ORR_OK;
    }
    orr_err err = orr__yaml_fail(m->base, n, why,
                                 "compare.equal_cost: true, "
                                 "false or a map is expected here");
    orr__hint(why, "for example {price: 250000}");
    return err;
}

orr_err orr__cost_read(struct orr_matrix *m, const struct orr_yaml *equal_cost,
                       const struct orr_compare_options *o,
                       struct orr_report *why)
{
    const struct orr_yaml *file = NULL, *key;
    const char *folder = orr__config_folder(m->base);
    struct keys k = {.price = 0};
    const struct orr_param_set set = {params, &k};
    orr_err err = ORR_OK;
    m->equal.at = equal_cost ? equal_cost : m->at;
    if (orr__yaml_is_map(equal_cost)) {
        err = orr__param_read(m->base, equal_cost, "compare.equal_cost", &set,
                              1, why);
        m->equal.wanted = true;
        m->equal.price = k.price;
        file = orr__yaml_get(equal_cost, "prices");
    } else if (equal_cost) {
        err = read_flag(m, equal_cost, why);
    }
    if (!err && o->prices) {
        err = orr__config_value(m->base, "--prices", "prices", o->prices, &key,
                                &file, why);
        folder = ".";
    }
    m->equal.wanted |= o->equal_cost || o->prices;
    return err || !m->equal.wanted ? err : read_prices(m, file, folder, why);
}

/* ---- scaling ------------------------------------------------------------ */

/* A network as the study describes it, before its rates are scaled. */
static orr_err build_network(const struct orr_compare *c,
                             const uint32_t *variant, struct orr_graph **g,
                             double *scale, struct orr_report *why)
{
    struct orr_config *config;
    orr_err err =
        orr__matrix_config(&c->m, variant, c->m.seed[0], &config, why);
    if (err)
        return err;
    const struct orr_yaml *topology =
        orr__yaml_get(orr__config_root(config), "topology");
    const char *text = orr__yaml_text(config, orr__yaml_get(topology, "scale"));
    *scale = 1;
    if (text && orr__parse_real(text, scale))
        *scale = 1; /* whoever builds it says what is wrong */
    err = topology ? orr__graph_build(config, topology, (uint64_t)c->m.seed[0],
                                      g, why)
                   : orr__yaml_fail(c->m.base, c->m.equal.at, why,
                                    "compare.equal_cost: the configuration "
                                    "has no topology");
    orr__config_free(config);
    return err;
}

/* Of the baseline of a cell, which need not be one that is run. */
static orr_err price_of(const struct orr_compare *c, const uint32_t *variant,
                        double *price, struct orr_report *why)
{
    struct orr_graph *g = NULL;
    struct orr_budget b;
    double scale;
    orr_err err = build_network(c, variant, &g, &scale, why);
    if (err)
        return err;
    err = orr__budget(g, &c->m.equal.prices, &b, why);
    orr__graph_free(g);
    *price = b.price;
    return err;
}

/* Many cells have the same baseline, one after another most often. */
static orr_err find_price(struct orr_compare *c,
                          const struct orr_study_cell *cell, double *price,
                          struct orr_report *why)
{
    uint32_t variant[ORR_MOST_DIMENSIONS];
    size_t bytes = c->m.dimensions * sizeof *variant;
    *price = c->m.equal.price;
    if (*price > 0)
        return ORR_OK;
    if (c->m.no_baseline) {
        orr_err err = orr__yaml_fail(c->m.base, c->m.equal.at, why,
                                     "compare.equal_cost: there is no "
                                     "baseline, whose cost is the target");
        orr__hint(why, "name one, or say equal_cost: {price: 250000}");
        return err;
    }
    orr__plan_against(c, cell, variant);
    if (!c->aimed || memcmp(c->aimed, variant, bytes) != 0) {
        if (!c->aimed)
            c->aimed =
                orr__arena_alloc(&c->arena, c->m.dimensions, sizeof *c->aimed);
        orr_err err =
            c->aimed ? price_of(c, variant, &c->aim, why) : orr__no_memory(why);
        if (err)
            return err;
        memcpy(c->aimed, variant, bytes);
    }
    *price = c->aim;
    return ORR_OK;
}

orr_err orr__cost_scale(struct orr_compare *c, struct orr_study_cell *cell,
                        struct orr_config *config, struct orr_report *why)
{
    struct orr_graph *g = NULL;
    const struct orr_yaml *key, *value;
    double price = 0, scale = 1, factor = 1;
    char text[32];
    orr_err err = find_price(c, cell, &price, why);
    if (!err)
        err = build_network(c, cell->variant, &g, &scale, why);
    if (!err)
        err = orr__budget_scale(g, &c->m.equal.prices, price, &factor, why);
    orr__graph_free(g);
    if (err)
        return orr__yaml_place(c->m.base, c->m.equal.at, err, why);
    /* as many digits as make the prices equal to the sixth */
    cell->given = orr__arena_alloc(&c->arena, ORR_GIVEN, sizeof *cell->given);
    if (!cell->given)
        return orr__no_memory(why);
    snprintf(text, sizeof text, "%.7g", scale * factor);
    (void)orr__parse_real(text, &cell->given[ORR_GIVEN_SCALE]);
    err = orr__config_value(c->m.base, "--equal-cost", "topology.scale", text,
                            &key, &value, why);
    return err ? err
               : orr__config_lay(config, "topology.scale", key, value, why);
}

/* ---- what they became --------------------------------------------------- */

/* Of a tier: "uplink 90.9 Gbps", or its slowest and its fastest. */
static void put_tier(struct orr_text *t, const struct orr_graph *g,
                     uint32_t tier, bool only)
{
    uint64_t low = UINT64_MAX, high = 0;
    char text[32];
    for (uint32_t l = 0; l < g->cables; l++) {
        if (g->tier[l] != tier)
            continue;
        low = g->rate_bps[l] < low ? g->rate_bps[l] : low;
        high = g->rate_bps[l] > high ? g->rate_bps[l] : high;
    }
    if (high == 0)
        return;
    orr__text_add(t, "%s", t->length ? ", " : "");
    if (!only)
        orr__text_add(t, "%s ", g->tier_names[tier]);
    orr__human_rate((double)low, text, sizeof text);
    orr__text_add(t, "%s", text);
    if (high == low)
        return;
    orr__human_rate((double)high, text, sizeof text);
    orr__text_add(t, " to %s", text);
}

static bool one_rate(const struct orr_graph *g)
{
    for (uint32_t l = 1; l < g->cables; l++)
        if (g->rate_bps[l] != g->rate_bps[0])
            return false;
    return true;
}

orr_err orr__cost_note(struct orr_compare *c, struct orr_study_cell *cell,
                       const struct orr_graph *g, struct orr_report *why)
{
    struct orr_text t = {.s = NULL};
    struct orr_budget b;
    orr_err err = orr__budget(g, &c->m.equal.prices, &b, why);
    bool only = one_rate(g);
    uint32_t tiers = 0;
    while (g->tier_names[tiers])
        tiers++;
    for (uint32_t i = 0; i < (only ? 1 : tiers); i++)
        put_tier(&t, g, only ? g->tier[0] : i, only);
    char *rates = orr__text_done(&t);
    cell->rates = rates ? orr__arena_strdup(&c->arena, rates) : NULL;
    orr__free(rates);
    if (!err && !cell->rates)
        err = orr__no_memory(why);
    if (!err)
        cell->given[ORR_GIVEN_PRICE] = b.price;
    return err;
}
