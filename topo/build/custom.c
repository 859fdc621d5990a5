/* Any graph, cable by cable. Nodes 0..hosts-1 are hosts, switches follow, as
 * they are listed. */
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/names.h"
#include "core/none.h"
#include "core/units.h"
#include "topo/file/file.h"

/* Parameters; names and sketch are freed by the kind's `free`. */
struct custom {
    int64_t hosts, switches;
    bool hosts_forward;
    const struct orr_yaml *cables;
    struct orr_names names; /* of `topology.names`, for the ends of cables */
    struct orr_sketch sketch;
};

static const struct orr_param params[] = {
    {.key = "hosts",
     .type = ORR_PARAM_INT,
     .offset = offsetof(struct custom, hosts),
     .min = "1",
     .help = "nodes that send: 0 to hosts - 1"},
    {.key = "switches",
     .type = ORR_PARAM_INT,
     .offset = offsetof(struct custom, switches),
     .fallback = "0",
     .min = "0",
     .help = "nodes that only forward: those after the hosts"},
    {.key = "hosts_forward",
     .type = ORR_PARAM_BOOL,
     .offset = offsetof(struct custom, hosts_forward),
     .fallback = "false",
     .help = "hosts forward"},
    {.key = "cables",
     .type = ORR_PARAM_NODE,
     .offset = offsetof(struct custom, cables),
     .help = "a list of [node, node] or [node, node, rate, delay] or [node, "
             "node, rate, delay, loss]; nodes by number or by `names`"},
    ORR_PARAM_END};

/* What is wrong in the list is left to the reader of `names` for all kinds,
 * which has the place. */
static orr_err read_names(struct orr_draft *d, struct custom *p,
                          struct orr_report *why)
{
    const struct orr_yaml *list = orr__yaml_get(d->map, "names");
    size_t n = list && orr__yaml_is_list(list) ? orr__yaml_count(list) : 0;
    for (size_t i = 0; i < n && i < p->sketch.nodes; i++) {
        const char *name = orr__yaml_text(d->config, orr__yaml_item(list, i));
        if (!name || orr__names_find(&p->names, name) != ORR_NONE)
            return ORR_OK; /* whoever reads `names` for all kinds tells */
        if (!orr__names_add(&p->names, name, (uint32_t)i))
            return orr__no_memory(why);
    }
    return ORR_OK;
}

/* An end is a name from `names` or a number; a name that looks like a number
 * counts as the name. */
static orr_err read_end(struct orr_draft *d, const struct custom *p,
                        const struct orr_yaml *at, uint32_t *node,
                        struct orr_report *why)
{
    const char *text = orr__yaml_text(d->config, at);
    int64_t number;
    uint32_t named = text ? orr__names_find(&p->names, text) : ORR_NONE;
    if (named != ORR_NONE) {
        *node = named;
        return ORR_OK;
    }
    if (!text || orr__parse_int(text, &number))
        return orr__yaml_fail(d->config, at, why,
                              "topology.cables: %s is no node: a number or "
                              "one of `names` is expected",
                              text ? text : "this");
    if (number < 0 || number >= p->sketch.nodes)
        return orr__yaml_fail(d->config, at, why,
                              "topology.cables: there is no node %s; nodes "
                              "are 0 to %u",
                              text, p->sketch.nodes - 1);
    *node = (uint32_t)number;
    return ORR_OK;
}

/* Rate, delay and loss, as far as they stand there. */
static orr_err read_line(struct orr_draft *d, const struct orr_yaml *item,
                         struct orr_line *line, struct orr_report *why)
{
    const char *text[3] = {NULL, NULL, NULL}, *wrong = NULL;
    size_t n = orr__yaml_count(item), i;
    for (i = 2; i < n; i++) {
        text[i - 2] = orr__yaml_text(d->config, orr__yaml_item(item, i));
        if (!text[i - 2])
            return orr__yaml_fail(d->config, orr__yaml_item(item, i), why,
                                  "topology.cables: a rate, a delay and a "
                                  "loss are expected after the two nodes");
    }
    i = 2;
    if (text[0])
        wrong = orr__parse_rate(text[0], &line->rate_bps);
    if (!wrong && text[0] && line->rate_bps == 0)
        wrong = "a rate is more than 0";
    if (!wrong && text[1] && ++i)
        wrong = orr__parse_time(text[1], &line->delay_ps);
    if (!wrong && text[1] && line->delay_ps <= 0)
        wrong = "every link needs a propagation delay > 0";
    if (!wrong && text[2] && ++i)
        wrong = orr__parse_real(text[2], &line->loss);
    if (!wrong && !(line->loss >= 0 && line->loss <= 1))
        wrong = "a loss is from 0 to 1";
    return wrong ? orr__yaml_fail(d->config, orr__yaml_item(item, i), why,
                                  "topology.cables: %s: %s", text[i - 2], wrong)
                 : ORR_OK;
}

/* A cable without rate and delay has those of topology.link; loss is
 * optional. */
static orr_err read_cable(struct orr_draft *d, struct custom *p,
                          const struct orr_yaml *item, struct orr_report *why)
{
    struct orr_line line = d->link;
    uint32_t a = 0, b = 0;
    size_t n = orr__yaml_is_list(item) ? orr__yaml_count(item) : 0;
    if (n != 2 && n != 4 && n != 5)
        return orr__yaml_fail(d->config, item, why,
                              "topology.cables: [node, node, rate, delay] is "
                              "expected, or [node, node] with "
                              "`topology.link`");
    if (n == 2 && !d->has_link)
        return orr__yaml_fail(d->config, item, why,
                              "topology.cables: this cable has no rate and no "
                              "delay, and `topology.link` is not given");
    orr_err err = read_end(d, p, orr__yaml_item(item, 0), &a, why);
    if (err == ORR_OK)
        err = read_end(d, p, orr__yaml_item(item, 1), &b, why);
    if (err == ORR_OK && a == b)
        err = orr__yaml_fail(d->config, orr__yaml_item(item, 1), why,
                             "topology.cables: a node cannot be joined to "
                             "itself");
    if (err == ORR_OK)
        err = read_line(d, item, &line, why);
    return err == ORR_OK
               ? orr__sketch_cable(&p->sketch, a, b, "link", &line, why)
               : err;
}

/* Hosts first; in a custom graph they forward only if the user says so. */
static orr_err read_nodes(struct custom *p, struct orr_report *why)
{
    uint64_t nodes = (uint64_t)p->hosts + (uint64_t)p->switches;
    uint64_t cables = orr__yaml_count(p->cables);
    orr_err err = orr__sketch_reserve(&p->sketch, nodes, cables, why);
    for (uint64_t i = 0; i < nodes && err == ORR_OK; i++) {
        err = orr__sketch_node(&p->sketch, i < (uint64_t)p->hosts, why);
        if (err == ORR_OK && i < (uint64_t)p->hosts)
            p->sketch.node[i].forward = p->hosts_forward;
    }
    return err;
}

/* Unlike other kinds it reads all cables here: their number is the size. */
static orr_err plan(struct orr_draft *d, struct orr_size *size,
                    struct orr_report *why)
{
    struct custom *p = d->params;
    d->blame = p->cables;
    d->file = "topology.cables";
    p->sketch.draft = d;
    p->sketch.path = p->sketch.name = d->file;
    if (!orr__yaml_is_list(p->cables))
        return orr__yaml_fail(d->config, p->cables, why,
                              "topology.cables: a list of cables is expected");
    if (p->hosts >= UINT32_MAX || p->switches >= UINT32_MAX - p->hosts)
        return orr__yaml_fail(d->config, orr__yaml_get(d->map, "hosts"), why,
                              "topology.hosts is too large: ids end at %u",
                              UINT32_MAX - 1);
    orr_err err = read_nodes(p, why);
    if (err == ORR_OK)
        err = read_names(d, p, why);
    for (size_t i = 0; i < orr__yaml_count(p->cables) && err == ORR_OK; i++)
        err = read_cable(d, p, orr__yaml_item(p->cables, i), why);
    return err == ORR_OK ? orr__sketch_plan(&p->sketch, size, why) : err;
}

static orr_err build(struct orr_draft *d, struct orr_report *why)
{
    struct custom *p = d->params;
    return orr__sketch_draw(&p->sketch, why);
}

static void fini(struct orr_draft *d)
{
    struct custom *p = d->params;
    orr__sketch_fini(&p->sketch);
    orr__names_fini(&p->names);
}

extern const struct orr_topology_ops orr__topology_custom;
const struct orr_topology_ops orr__topology_custom = {
    .name = "custom",
    .doc = "Any graph, cable by cable.",
    .params = params,
    .params_size = sizeof(struct custom),
    .size_key = "hosts",
    .link_optional = true,
    .plan = plan,
    .build = build,
    .fini = fini,
};
