/* What files of graphs leave open, and the user or a distance says. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/names.h"
#include "topo/file/file.h"

/* ---- for members ------------------------------------------------------- */

bool orr__sketch_delay(const struct orr_sketch *s, uint32_t a, uint32_t b,
                       int64_t *ps, unsigned *lacks)
{
    const struct orr_place *from = &s->node[a].place, *to = &s->node[b].place;
    bool known = isfinite(from->north) && isfinite(from->east)
                 && isfinite(to->north) && isfinite(to->east);
    int64_t far = s->distances && known ? orr__fibre_delay(from, to) : 0;
    *lacks |= far > 0 ? ORR_BY_DISTANCE : ORR_LACKS_DELAY;
    *ps = far > 0 ? far : s->draft->link.delay_ps;
    return far > 0 || s->draft->has_link;
}

const char *orr__sketch_bad_place(const struct orr_place *p)
{
    if (isfinite(p->north) && fabs(p->north) > 90)
        return "its latitude is not from -90 to 90";
    if (isfinite(p->east) && (p->east < -180 || p->east > 360))
        return "its longitude is not from -180 to 360";
    return NULL;
}

bool orr__sketch_type(struct orr_sketch *s, const char *type)
{
    struct orr_sketch_node *n = &s->node[s->nodes - 1];
    n->host = strcmp(type, "host") == 0;
    n->untyped = !n->host && strcmp(type, "switch") != 0;
    return !n->untyped || s->vertices != ORR_VERTICES_TYPED;
}

void orr__sketch_type_hint(struct orr_report *why)
{
    orr__hint(why, "`topology.vertices: host` makes all nodes without a type "
                   "hosts, which forward; `leaves` only those with one cable");
}

/* ---- types ------------------------------------------------------------- */

/* Nodes without a type: all hosts, all switches, or hosts if they have one
 * cable. Hosts of a wide area network forward too. */
static orr_err give_types(struct orr_sketch *s, struct orr_report *why)
{
    uint32_t *cables = orr__alloc(s->nodes, sizeof *cables);
    if (!cables)
        return orr__no_memory(why);
    for (uint32_t c = 0; c < s->cables; c++) {
        cables[s->cable[c].a]++;
        cables[s->cable[c].b]++;
    }
    for (uint32_t v = 0; v < s->nodes; v++) {
        struct orr_sketch_node *n = &s->node[v];
        if (!n->untyped)
            continue;
        n->host = s->vertices == ORR_VERTICES_HOST
                  || (s->vertices == ORR_VERTICES_LEAVES && cables[v] <= 1);
        /* a place of a wide area network: it sends and it forwards */
        n->forward |= s->vertices == ORR_VERTICES_HOST && !n->stays;
    }
    orr__free(cables);
    return ORR_OK;
}

/* Labels are for people, and in many files some are alike. */
static orr_err drop_twins(struct orr_sketch *s, struct orr_report *why)
{
    struct orr_names seen = {.slot = NULL};
    bool *twin = orr__alloc(s->nodes, sizeof *twin);
    bool ok = twin != NULL;
    for (uint32_t v = 0; v < s->nodes && ok; v++) {
        if (!s->node[v].label)
            continue;
        uint32_t first = orr__names_find(&seen, s->node[v].label);
        if (first == ORR_NONE)
            ok = orr__names_add(&seen, s->node[v].label, v);
        else
            twin[v] = twin[first] = true;
    }
    for (uint32_t v = 0; v < s->nodes && ok; v++)
        if (twin[v] && s->node[v].weak)
            s->node[v].label = NULL;
    orr__names_fini(&seen);
    orr__free(twin);
    return ok ? ORR_OK : orr__no_memory(why);
}

/* ---- parts ------------------------------------------------------------- */

static uint32_t root_of(uint32_t *part, uint32_t v)
{
    while (part[v] != v) {
        part[v] = part[part[v]];
        v = part[v];
    }
    return v;
}

/* Per node, the first node of its part; size: per such node, how many. */
static uint32_t find_parts(const struct orr_sketch *s, uint32_t *part,
                           uint32_t *size)
{
    uint32_t parts = 0;
    for (uint32_t v = 0; v < s->nodes; v++)
        part[v] = v;
    for (uint32_t c = 0; c < s->cables; c++) {
        uint32_t a = root_of(part, s->cable[c].a);
        uint32_t b = root_of(part, s->cable[c].b);
        part[a > b ? a : b] = a > b ? b : a;
    }
    for (uint32_t v = 0; v < s->nodes; v++) {
        part[v] = root_of(part, v);
        parts += part[v] == v;
        size[part[v]]++;
    }
    return parts;
}

static uint32_t largest(const struct orr_sketch *s, const uint32_t *size)
{
    uint32_t best = 0;
    for (uint32_t v = 1; v < s->nodes; v++)
        if (size[v] > size[best])
            best = v;
    return best;
}

static const char *called(const struct orr_sketch *s, uint32_t v)
{
    const struct orr_sketch_node *n = &s->node[v];
    return n->label && n->label[0] ? n->label : n->name ? n->name : "?";
}

/* The words of topo/graph.c, with what can be done. Nodes in the order of the
 * graph: hosts first. */
static orr_err not_connected(const struct orr_sketch *s, const uint32_t *part,
                             const uint32_t *size, struct orr_report *why)
{
    uint32_t from = ORR_NONE, to = ORR_NONE;
    for (int hosts = 1; hosts >= 0; hosts--)
        for (uint32_t v = 0; v < s->nodes; v++) {
            if (s->node[v].host != (hosts == 1))
                continue;
            if (from == ORR_NONE)
                from = v;
            else if (to == ORR_NONE && part[v] != part[from])
                to = v;
        }
    orr_err err = orr__sketch_fail(
        s, why,
        "the graph is not connected: there is no path from node \"%.80s\" to "
        "node \"%.80s\"",
        s->node[from].name, s->node[to].name);
    orr__hint(why,
              "it has %" PRIu32 " parts: `topology.component: largest` takes "
              "that of %" PRIu32 " of its %" PRIu32 " nodes, or name a node",
              s->parts, size[largest(s, size)], s->nodes);
    return err;
}

/* The part that the user names by a node. */
static orr_err choose(const struct orr_sketch *s, const uint32_t *part,
                      const uint32_t *size, uint32_t *chosen,
                      struct orr_report *why)
{
    const struct orr_draft *d = s->draft;
    if (strcmp(s->component, "largest") == 0) {
        *chosen = largest(s, size);
        return ORR_OK;
    }
    for (uint32_t v = 0; v < s->nodes; v++) {
        const struct orr_sketch_node *n = &s->node[v];
        if ((n->label && strcmp(n->label, s->component) == 0)
            || (n->name && strcmp(n->name, s->component) == 0)) {
            *chosen = part[v];
            return ORR_OK;
        }
    }
    orr_err err = orr__yaml_fail(
        d->config, orr__yaml_get(d->map, "component"), why,
        "topology.component: %s has no node \"%.80s\"", s->name, s->component);
    const char **names = orr__alloc((size_t)s->nodes + 2, sizeof *names);
    if (!names)
        return err; /* without a hint */
    names[0] = "largest";
    for (uint32_t v = 0; v < s->nodes; v++)
        names[v + 1] = called(s, v);
    const char *near = orr__param_nearest(names, s->component);
    if (near)
        orr__hint(why, "did you mean \"%.80s\"?", near);
    else
        orr__hint(why, "largest, or the name of a node, such as \"%.80s\"",
                  called(s, 0));
    orr__free(names);
    return err;
}

/* Keeps the nodes of one part and its cables, in their order. `place` is
 * overwritten: it becomes where nodes are now. */
static void keep_part(struct orr_sketch *s, uint32_t *place, uint32_t part)
{
    uint32_t nodes = 0, cables = 0;
    for (uint32_t v = 0; v < s->nodes; v++) {
        bool kept = place[v] == part;
        place[v] = kept ? nodes : ORR_NONE;
        if (kept)
            s->node[nodes++] = s->node[v];
    }
    for (uint32_t c = 0; c < s->cables; c++) {
        struct orr_sketch_cable *k = &s->cable[c];
        if (place[k->a] == ORR_NONE)
            continue;
        k->a = place[k->a];
        k->b = place[k->b];
        s->cable[cables++] = *k;
    }
    s->left_out = s->nodes - nodes;
    s->nodes = nodes;
    s->cables = cables;
}

/* Keeps the part that the user chose. ORR_ECONFIG: several parts, and nobody
 * chose. */
static orr_err take_part(struct orr_sketch *s, struct orr_report *why)
{
    uint32_t *part = orr__alloc(s->nodes, sizeof *part);
    uint32_t *size = orr__alloc(s->nodes, sizeof *size);
    uint32_t chosen = 0;
    orr_err err = part && size ? ORR_OK : orr__no_memory(why);
    if (!err)
        s->parts = find_parts(s, part, size);
    if (!err && s->component)
        err = choose(s, part, size, &chosen, why);
    else if (!err && s->parts > 1)
        err = not_connected(s, part, size, why);
    if (!err && s->parts > 1)
        keep_part(s, part, chosen);
    orr__free(part);
    orr__free(size);
    return err;
}

/* ---- all --------------------------------------------------------------- */

static bool any_host(const struct orr_sketch *s)
{
    for (uint32_t v = 0; v < s->nodes; v++)
        if (s->node[v].host)
            return true;
    return false;
}

orr_err orr__sketch_complete(struct orr_sketch *s, struct orr_report *why)
{
    orr_err err = s->nodes ? give_types(s, why) : ORR_OK;
    if (!err && s->nodes)
        err = drop_twins(s, why);
    /* else orr__sketch_plan tells */
    return err || !any_host(s) ? err : take_part(s, why);
}
