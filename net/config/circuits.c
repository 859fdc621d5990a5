/* Reads `topology.circuits`: which links there are from when on, once or again
 * and again. */
#include "net/config/circuits.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/config/param.h"
#include "core/memory.h"
#include "core/none.h"
#include "topo/node_names.h"

/* So many times a link may come and go. */
enum { MOST_TIMES = 1 << 24 };

/* One item of `circuits`. */
struct entry {
    int64_t at;
    const struct orr_yaml *links;
};

static const struct orr_param circuit_params[] = {
    {.key = "at",
     .type = ORR_PARAM_TIME,
     .offset = offsetof(struct entry, at),
     .help = "when these circuits are set, in place of those before; until the "
             "first entry there are none"},
    {.key = "links",
     .type = ORR_PARAM_NODE,
     .offset = offsetof(struct entry, links),
     .help = "[[node, node], ...]: pairs that the topology joins by cables"},
    ORR_PARAM_END};

/* `reconfigure`. */
struct keys {
    int64_t delay, period, until, ports; /* period -1: once */
    bool drop;
};

static const struct orr_param reconfigure_params[] = {
    {.key = "delay",
     .type = ORR_PARAM_TIME,
     .offset = offsetof(struct keys, delay),
     .fallback = "0s",
     .help = "how long a link is dark that is set anew"},
    {.key = "drop",
     .type = ORR_PARAM_BOOL,
     .offset = offsetof(struct keys, drop),
     .fallback = "false",
     .help = "packets at a link that goes dark are lost, and routes take it "
             "when it is lit; false: they wait until it is, and routes take it "
             "as soon as it is set"},
    {.key = "ports",
     .type = ORR_PARAM_INT,
     .offset = offsetof(struct keys, ports),
     .fallback = "1",
     .min = "1",
     .max = "65535",
     .help = "circuits that a node may have at one time"},
    {.key = "period",
     .type = ORR_PARAM_TIME,
     .offset = offsetof(struct keys, period),
     .fallback = "",
     .min = "1ns",
     .help = "after so long the entries begin again (a rotor's round)"},
    {.key = "until",
     .type = ORR_PARAM_TIME,
     .offset = offsetof(struct keys, until),
     .fallback = "",
     .min = "1ns",
     .help = "with `period`: no entry is set from then on"},
    ORR_PARAM_END};

const struct orr_param *orr__circuit_params(void)
{
    return circuit_params;
}

const struct orr_param *orr__reconfigure_params(void)
{
    return reconfigure_params;
}

/* Which circuits are set at one time. */
struct slot {
    int64_t at;
    uint32_t first, n; /* its stretch of lit[] */
};

/* What is read; arrays are owned. */
struct reader {
    struct orr_config *c;
    const struct orr_graph *g;
    struct keys k;
    struct slot *slot; /* as listed */
    uint32_t slots, *lit, lits, lit_room;
    bool *circuit;  /* per directed link: it is in some slot */
    uint32_t *used; /* per node: circuits of the slot at work */
    const struct orr_failures *old;
    struct orr_outage *away; /* links while they are not there */
    uint32_t aways, away_room;
    struct orr_report *why;
};

/* ---- entries ------------------------------------------------------------- */

static orr_err read_node(struct reader *r, const struct orr_yaml *at,
                         uint32_t *node)
{
    const char *text = orr__yaml_text(r->c, at);
    if (text && orr__node_parse(r->g, text, node))
        return ORR_OK;
    return orr__yaml_fail(r->c, at, r->why,
                          "circuits.links: there is no node %s",
                          text ? text : "here");
}

/* A port of the node is in use. */
static orr_err take_port(struct reader *r, const struct orr_yaml *at,
                         uint32_t node)
{
    char name[ORR_NODE_NAME];
    if (r->used[node]++ < r->k.ports)
        return ORR_OK;
    return orr__yaml_fail(
        r->c, at, r->why,
        "circuits.links: %s has more than %" PRId64
        " circuit%s at once: `reconfigure.ports` says how many may be",
        orr__node_name(r->g, node, name, sizeof name), r->k.ports,
        r->k.ports == 1 ? "" : "s");
}

/* All links from a to b; *any: there are some. */
static orr_err light_links(struct reader *r, uint32_t a, uint32_t b, bool *any)
{
    const struct orr_graph *g = r->g;
    for (uint32_t i = g->out_off[a]; i < g->out_off[a + 1]; i++) {
        if (g->to[g->out_link[i]] != b)
            continue;
        if (!orr__array_more(r->lit, r->lit_room, r->lits))
            return orr__no_memory(r->why);
        r->lit[r->lits++] = g->out_link[i];
        r->circuit[g->out_link[i]] = true;
        *any = true;
    }
    return ORR_OK;
}

/* Its links are lit in the slot at work. */
static orr_err read_pair(struct reader *r, const struct orr_yaml *at)
{
    uint32_t a = 0, b = 0;
    char x[ORR_NODE_NAME], y[ORR_NODE_NAME];
    bool any = false;
    if (!at || !orr__yaml_is_list(at) || orr__yaml_count(at) != 2)
        return orr__yaml_fail(
            r->c, at, r->why,
            "circuits.links: a pair [node, node] is expected");
    orr_err err = read_node(r, orr__yaml_item(at, 0), &a);
    if (!err)
        err = read_node(r, orr__yaml_item(at, 1), &b);
    if (!err)
        err = take_port(r, orr__yaml_item(at, 0), a);
    if (!err)
        err = take_port(r, orr__yaml_item(at, 1), b);
    if (!err)
        err = light_links(r, a, b, &any);
    if (!err)
        err = light_links(r, b, a, &any);
    if (!err && !any)
        err = orr__yaml_fail(r->c, at, r->why,
                             "circuits.links: no cable of the topology joins "
                             "%s and %s",
                             orr__node_name(r->g, a, x, sizeof x),
                             orr__node_name(r->g, b, y, sizeof y));
    return err;
}

/* Later than the one before, and longer lit than dark. */
static orr_err check_time(struct reader *r, const struct orr_yaml *item,
                          int64_t at)
{
    const struct slot *last = r->slots ? &r->slot[r->slots - 1] : NULL;
    if (last && at <= orr__time_add(last->at, r->k.delay))
        return orr__yaml_fail(r->c, orr__yaml_get(item, "at"), r->why,
                              "circuits.at: the circuits before would not be "
                              "lit yet: entries are more than "
                              "`reconfigure.delay` apart");
    return ORR_OK;
}

/* One more slot. */
static orr_err read_entry(struct reader *r, const struct orr_yaml *item)
{
    struct entry e;
    const struct orr_param_set set = {circuit_params, &e};
    orr_err err = orr__param_read(r->c, item, "circuits", &set, 1, r->why);
    if (!err)
        err = check_time(r, item, e.at);
    if (err)
        return err;
    if (!orr__yaml_is_list(e.links))
        return orr__yaml_fail(r->c, e.links, r->why,
                              "circuits.links: a list of pairs [node, node] is "
                              "expected");
    memset(r->used, 0, r->g->nodes * sizeof *r->used);
    uint32_t first = r->lits;
    for (size_t i = 0; !err && i < orr__yaml_count(e.links); i++)
        err = read_pair(r, orr__yaml_item(e.links, i));
    r->slot[r->slots++] = (struct slot){e.at, first, r->lits - first};
    return err;
}

/* ---- over time ----------------------------------------------------------- */

/* A link is not there from `from` on until it is set at `to`. */
static orr_err add_away(struct reader *r, uint32_t link, int64_t from,
                        int64_t to)
{
    bool lost = r->k.drop || to == ORR_NEVER;
    int64_t up = to == ORR_NEVER ? to : orr__time_add(to, r->k.delay);
    if (r->aways >= MOST_TIMES)
        return orr__fail(r->why, ORR_ECONFIG,
                         "topology.circuits: links come and go more than %d "
                         "times: an earlier `reconfigure.until` is needed",
                         MOST_TIMES);
    if (!orr__array_more(r->away, r->away_room, r->aways))
        return orr__no_memory(r->why);
    r->away[r->aways++] = (struct orr_outage){.link = link,
                                              .down = from,
                                              .up = up,
                                              .noticed = from,
                                              .back = lost ? up : to,
                                              .entry = ORR_NONE};
    return ORR_OK;
}

/* Sets the circuits of a slot at `at`. since: per link: from when on it has not
 * been there, or -1: it is. stamp: per link: the slot that lit it last. */
static orr_err set_slot(struct reader *r, const struct slot *s, int64_t at,
                        int64_t *since, uint64_t *stamp, uint64_t number)
{
    orr_err err = ORR_OK;
    for (uint32_t i = 0; i < s->n && !err; i++) {
        uint32_t link = r->lit[s->first + i];
        stamp[link] = number;
        if (since[link] >= 0 && at > 0)
            err = add_away(r, link, since[link], at);
        since[link] = -1;
    }
    for (uint32_t l = 0; l < r->g->links; l++)
        if (r->circuit[l] && stamp[l] != number && since[l] < 0)
            since[l] = at;
    return err;
}

/* All slots, round after round. *slots: how many. */
static orr_err set_slots(struct reader *r, int64_t *since, uint64_t *stamp,
                         uint32_t *slots)
{
    int64_t shift = 0;
    uint64_t number = 0;
    orr_err err = ORR_OK;
    for (bool more = true; more && !err;) {
        for (uint32_t i = 0; i < r->slots && more && !err; i++) {
            int64_t at = orr__time_add(r->slot[i].at, shift);
            more = !(r->k.period > 0 && at >= r->k.until);
            if (more)
                err = set_slot(r, &r->slot[i], at, since, stamp, ++number);
        }
        more = more && r->k.period > 0;
        shift = orr__time_add(shift, more ? r->k.period : 0);
    }
    for (uint32_t l = 0; l < r->g->links && !err; l++)
        if (r->circuit[l] && since[l] >= 0)
            err = add_away(r, l, since[l], ORR_NEVER);
    *slots = (uint32_t)(number < UINT32_MAX ? number : UINT32_MAX);
    return err;
}

/* ---- the whole ----------------------------------------------------------- */

static int by_link(const void *a, const void *b)
{
    const struct orr_outage *x = a, *y = b;
    if (x->link != y->link)
        return x->link < y->link ? -1 : 1;
    return (x->down > y->down) - (x->down < y->down);
}

/* Sorted into what is lost and what waits, beside what failures say. */
static orr_err keep_circuits(struct reader *r, uint32_t slots,
                             const struct orr_failures **io)
{
    static const struct orr_failures none;
    const struct orr_failures *old = r->old ? r->old : &none;
    struct orr_arena *arena = orr__config_arena(r->c);
    struct orr_failures *f = orr__arena_alloc(arena, 1, sizeof *f);
    struct orr_outage *lost =
        orr__arena_alloc(arena, (size_t)old->outages + r->aways, sizeof *lost);
    struct orr_outage *dark = orr__arena_alloc(arena, r->aways, sizeof *dark);
    if (!f || !lost || !dark)
        return orr__no_memory(r->why);
    *f = *old;
    f->outage = lost;
    f->dark = dark;
    f->slots = slots;
    for (uint32_t i = 0; i < old->outages; i++)
        lost[i] = old->outage[i];
    for (uint32_t i = 0; i < r->aways; i++)
        if (r->k.drop || r->away[i].up == ORR_NEVER)
            lost[f->outages++] = r->away[i];
        else
            dark[f->darks++] = r->away[i];
    qsort(lost, f->outages, sizeof *lost, by_link);
    qsort(dark, f->darks, sizeof *dark, by_link);
    *io = f;
    return ORR_OK;
}

/* Circuits come and go by their own rule alone. */
static orr_err check_failures(struct reader *r, const struct orr_yaml *list)
{
    for (uint32_t i = 0; r->old && i < r->old->outages; i++)
        if (r->circuit[r->old->outage[i].link])
            return orr__yaml_fail(r->c, list, r->why,
                                  "topology.circuits: link %u is a circuit and "
                                  "fails, too, by `failures`: one of both",
                                  r->old->outage[i].link);
    return ORR_OK;
}

/* `reconfigure`, or its defaults. */
static orr_err read_keys(struct reader *r, const struct orr_yaml *topology)
{
    const struct orr_yaml *at = orr__yaml_get(topology, "reconfigure");
    const struct orr_param_set set = {reconfigure_params, &r->k};
    r->k = (struct keys){.period = -1, .until = -1};
    orr_err err = orr__param_read(r->c, at, "reconfigure", &set, 1, r->why);
    if (!err && (r->k.period > 0) != (r->k.until > 0))
        err = orr__yaml_fail(r->c, at, r->why,
                             "reconfigure: `period` and `until` go together: "
                             "circuits begin again until then");
    return err;
}

/* All entries, in order; the round is longer than what is listed. */
static orr_err read_entries(struct reader *r, const struct orr_yaml *list)
{
    size_t n = orr__yaml_is_list(list) ? orr__yaml_count(list) : 0;
    orr_err err = ORR_OK;
    if (n == 0 || n > MOST_TIMES)
        return orr__yaml_fail(r->c, list, r->why,
                              "topology.circuits: a list like [{at: 0s, links: "
                              "[[0, 1], [2, 3]]}, ...] is expected");
    r->slot = orr__alloc(n, sizeof *r->slot);
    r->circuit = orr__alloc(r->g->links, sizeof *r->circuit);
    r->used = orr__alloc(r->g->nodes, sizeof *r->used);
    if (!r->slot || !r->circuit || !r->used)
        return orr__no_memory(r->why);
    for (size_t i = 0; i < n && !err; i++)
        err = read_entry(r, orr__yaml_item(list, i));
    if (!err && r->k.period > 0
        && r->k.period <= r->slot[n - 1].at - r->slot[0].at + r->k.delay)
        err = orr__yaml_fail(r->c, list, r->why,
                             "reconfigure.period is too short: the last entry "
                             "would not be lit before the first comes again");
    return err;
}

/* When links are away, from all slots. */
static orr_err make_times(struct reader *r, const struct orr_failures **io)
{
    int64_t *since = orr__alloc(r->g->links, sizeof *since);
    uint64_t *stamp = orr__alloc(r->g->links, sizeof *stamp);
    uint32_t slots = 0;
    orr_err err = since && stamp ? set_slots(r, since, stamp, &slots)
                                 : orr__no_memory(r->why);
    if (!err)
        err = keep_circuits(r, slots, io);
    orr__free(since);
    orr__free(stamp);
    return err;
}

orr_err orr__circuits_read(struct orr_config *c, const struct orr_graph *g,
                           const struct orr_yaml *topology,
                           const struct orr_failures **io,
                           struct orr_report *why)
{
    const struct orr_yaml *list = orr__yaml_get(topology, "circuits");
    const struct orr_yaml *keys = orr__yaml_get(topology, "reconfigure");
    struct reader r = {.c = c, .g = g, .old = *io, .why = why};
    if (!list || orr__yaml_is_null(list))
        return !keys || orr__yaml_is_null(keys)
                   ? ORR_OK
                   : orr__yaml_fail(c, keys, why,
                                    "topology.reconfigure needs "
                                    "`topology.circuits`");
    orr_err err = read_keys(&r, topology);
    if (!err)
        err = read_entries(&r, list);
    if (!err)
        err = check_failures(&r, list);
    if (!err)
        err = make_times(&r, io);
    orr__free(r.slot);
    orr__free(r.lit);
    orr__free(r.circuit);
    orr__free(r.used);
    orr__free(r.away);
    return err;
}

orr_err orr__link_changes_read(struct orr_config *c, const struct orr_graph *g,
                               const struct orr_yaml *failures,
                               const struct orr_failures **out,
                               struct orr_report *why)
{
    const struct orr_yaml *topology =
        orr__yaml_get(orr__config_root(c), "topology");
    orr_err err = orr__failures_read(c, g, failures, out, why);
    return err ? err : orr__circuits_read(c, g, topology, out, why);
}
