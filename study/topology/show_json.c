/* The same for programs. */
#include <errno.h>
#include <jansson.h>

#include "core/text.h"
#include "study/topology/topology.h"

static json_t *json_link(const struct orr_graph *g, uint32_t l)
{
    return json_pack("{si si si ss sI sf sf}", "id", (int)l, "from",
                     (int)g->from[l], "to", (int)g->to[l], "tier",
                     g->tier_names[g->tier[l]], "rate_bps",
                     (json_int_t)g->rate_bps[l], "delay_ns",
                     (double)g->delay_ps[l] / 1e3, "loss", g->loss[l]);
}

/* The n links with these ids, or (links NULL) the first n of the graph without
 * the absent ones. The list is the caller's; NULL: no memory. */
static json_t *json_links(const struct orr_graph *g, const uint32_t *links,
                          uint32_t n)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < n; i++)
        if ((links || !orr__link_absent(g, i))
            && json_array_append_new(list, json_link(g, links ? links[i] : i)))
            goto fail;
    return list;
fail:
    json_decref(list);
    return NULL;
}

/* Saturates: JSON's integers are signed. */
static json_int_t json_count(uint64_t n)
{
    return n > INT64_MAX ? INT64_MAX : (json_int_t)n;
}

/* Parts, in numbers and in the currency. The caller's; NULL: no memory. */
static json_t *json_budget(const struct orr_budget *b,
                           const struct orr_prices *p)
{
    json_t *list = json_array();
    for (uint32_t i = 0; list && i < b->radixes; i++)
        if (json_array_append_new(
                list, json_pack("{si si}", "ports", (int)b->radix[i].ports,
                                "switches", (int)b->radix[i].switches))) {
            json_decref(list);
            list = NULL;
        }
    return json_pack("{so sI sI sI sI sI s{sf sf sf sf sf ss ss} sf}",
                     "switches_by_ports", list, "switch_ports",
                     (json_int_t)b->ports, "nic_ports", (json_int_t)b->nics,
                     "cables", (json_int_t)b->cables, "capacity_bps",
                     (json_int_t)b->capacity_bps, "switching_bps",
                     (json_int_t)b->switching_bps, "price", "total", b->price,
                     "ports", b->port_price, "nics", b->nic_price, "optics",
                     b->optics_price, "cables", b->cable_price, "currency",
                     p->currency, "source", p->source, "watts", b->watts);
}

/* Ways that share no cable, or no switch; null: all hosts are on one switch. */
static json_t *json_diversity(const struct orr_diversity *d)
{
    if (d->pairs == 0)
        return json_null();
    return json_pack("{s{si si sf} s{si si sf} si si sb}", "cable_disjoint",
                     "min", (int)d->cables_min, "max", (int)d->cables_max,
                     "mean", d->cables_mean, "switch_disjoint", "min",
                     (int)d->switches_min, "max", (int)d->switches_max, "mean",
                     d->switches_mean, "cables_survived",
                     (int)d->cables_min - 1, "switches_survived",
                     (int)d->switches_min - 1, "sampled", d->sampled);
}
/* Sizes, which all objects begin with. The caller's; NULL: no memory. */
static json_t *json_sizes(const struct orr_graph *g)
{
    return json_pack("{ss si si si si}", "kind", g->kind, "hosts",
                     (int)g->hosts, "switches", (int)(g->nodes - g->hosts),
                     "cables", (int)g->cables, "links",
                     (int)orr__links_present(g));
}

/* False: no memory. */
static bool add_metrics(json_t *o, const struct orr_topology_figures *f)
{
    const struct orr_metrics *m = &f->m;
    json_t *more = json_pack(
        "{si sf sI sb s{sI sI sf} sb so so}", "diameter", (int)m->diameter,
        "mean_path", m->mean_path, "bisection_bps",
        json_count(m->bisection_bps), "bisection_exact", m->bisection_exact,
        "shortest_paths", "min", json_count(m->paths_min), "max",
        json_count(m->paths_max), "mean", m->paths_mean, "sampled", m->sampled,
        "diversity", json_diversity(&f->diversity), "budget",
        json_budget(&f->budget, &f->prices));
    return more && !json_object_update_new(o, more);
}

static bool add_inferred(json_t *o, const struct orr_inferred *n)
{
    if (!n->rates && !n->delays && !n->distances && !n->left_out)
        return true;
    return !json_object_set_new(
        o, "inferred",
        json_pack("{sI sI sI sI sI}", "edges", (json_int_t)n->cables, "rates",
                  (json_int_t)n->rates, "delays", (json_int_t)n->delays,
                  "distances", (json_int_t)n->distances, "left_out",
                  (json_int_t)n->left_out));
}

/* What the command was asked for beside figures. False: no memory. */
static bool add_lists(json_t *o, const struct orr_graph *g,
                      const struct orr_topology_lists *l)
{
    bool good = true;
    if (l->path)
        good = !json_object_set_new(
            o, "path",
            json_pack("{sI sI sI so}", "src", (json_int_t)l->end[0], "dst",
                      (json_int_t)l->end[1], "count", json_count(l->paths),
                      "links", json_links(g, l->link, l->n)));
    if (good && l->links)
        good =
            !json_object_set_new(o, "link_list", json_links(g, NULL, g->links));
    return good;
}

static int add_piece(const char *piece, size_t n, void *text)
{
    orr__text_piece(text, piece, n);
    return 0;
}

/* All of it or nothing: for want of memory jansson may leave out keys and say
 * nothing. Takes o over. */
static char *dump_object(json_t *o, bool good)
{
    struct orr_text t = {.s = NULL};
    errno = 0;
    t.failed = !good || json_dump_callback(o, add_piece, &t, JSON_INDENT(2))
               || errno == ENOMEM;
    orr__text_add(&t, "\n");
    json_decref(o);
    return orr__text_done(&t);
}

/* The names of keys are part of the interface. */
char *orr__topology_json(const struct orr_graph *g,
                         const struct orr_topology_figures *f,
                         const struct orr_topology_lists *l)
{
    json_t *o = json_sizes(g);
    bool good = o && add_metrics(o, f) && add_inferred(o, &g->inferred)
                && (!l || add_lists(o, g, l));
    return dump_object(o, good);
}

char *orr__topology_sizes_json(const struct orr_graph *g)
{
    json_t *o = json_sizes(g);
    return dump_object(o, o && add_inferred(o, &g->inferred));
}
