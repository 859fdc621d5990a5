/* Profiles to and from YAML. */
#include "workload/schedule/profile.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "core/units.h"
#include "topo/node_names.h"

/* ---- keys --------------------------------------------------------------- */

/* A profile's keys. */
struct profile_keys {
    const char *job;
    int64_t iteration, compute;
    const struct orr_yaml *links;
};
const struct orr_param orr__profile_params[] = {
    {.key = "job",
     .type = ORR_PARAM_TEXT,
     .offset = offsetof(struct profile_keys, job),
     .fallback = "",
     .help = "name of the job"},
    {.key = "iteration",
     .type = ORR_PARAM_TIME,
     .offset = offsetof(struct profile_keys, iteration),
     .min = "1ps",
     .help = "time of an iteration alone"},
    {.key = "compute",
     .type = ORR_PARAM_TIME,
     .offset = offsetof(struct profile_keys, compute),
     .fallback = "",
     .help = "computation of a rank in an iteration; default: unknown"},
    {.key = "links",
     .type = ORR_PARAM_NODE,
     .offset = offsetof(struct profile_keys, links),
     .help = "demand of each link: a list of {from, to, phases}"},
    ORR_PARAM_END,
};

/* An item of `links`. */
struct demand_keys {
    const char *from, *to;
    int64_t parallel;
    const struct orr_yaml *phases;
};
const struct orr_param orr__demand_params[] = {
    {.key = "from",
     .type = ORR_PARAM_TEXT,
     .offset = offsetof(struct demand_keys, from),
     .help = "the node that sends, by id or name"},
    {.key = "to",
     .type = ORR_PARAM_TEXT,
     .offset = offsetof(struct demand_keys, to),
     .help = "the node that receives"},
    {.key = "parallel",
     .type = ORR_PARAM_INT,
     .offset = offsetof(struct demand_keys, parallel),
     .fallback = "0",
     .min = "0",
     .help = "index among parallel links"},
    {.key = "phases",
     .type = ORR_PARAM_NODE,
     .offset = offsetof(struct demand_keys, phases),
     .help = "demand over the iteration: a list of {at, for, rate}, in order"},
    ORR_PARAM_END,
};

const struct orr_param orr__phase_params[] = {
    {.key = "at",
     .type = ORR_PARAM_TIME,
     .offset = offsetof(struct orr_phase, at_ps),
     .help = "from the iteration's start"},
    {.key = "for",
     .type = ORR_PARAM_TIME,
     .offset = offsetof(struct orr_phase, for_ps),
     .min = "1ps",
     .help = "how long"},
    {.key = "rate",
     .type = ORR_PARAM_RATE,
     .offset = offsetof(struct orr_phase, rate_bps),
     .help = "wire bytes in that time, divided by it"},
    ORR_PARAM_END,
};

/* ---- reading ------------------------------------------------------------ */

/* A profile while it is read. */
struct reader {
    struct orr_config *c; /* the document that the profile stands in */
    const struct orr_graph *g;
    orr_profile_text_fn *other;
    struct orr_profile *p;
    struct orr_report *why;
};

static orr_err read_node(struct reader *r, const struct orr_yaml *map,
                         const char *key, const char *text, uint32_t *node)
{
    if (orr__node_parse(r->g, text, node))
        return ORR_OK;
    (void)orr__yaml_fail(r->c, orr__yaml_get(map, key), r->why,
                         "%s: there is no node \"%s\" in this topology", key,
                         text);
    orr__hint(r->why, "a profile holds for the topology and the placement that "
                      "it was made for");
    return ORR_ECONFIG;
}

/* The k-th of the links between two nodes, in order of id. */
static orr_err find_link(struct reader *r, const struct orr_yaml *map,
                         const struct demand_keys *k, uint32_t *link)
{
    const struct orr_graph *g = r->g;
    uint32_t from = 0, to = 0;
    int64_t left = k->parallel;
    orr_err err = read_node(r, map, "from", k->from, &from);
    if (!err)
        err = read_node(r, map, "to", k->to, &to);
    for (uint32_t i = err ? 0 : g->out_off[from];
         !err && i < g->out_off[from + 1]; i++) {
        *link = g->out_link[i];
        if (g->to[*link] == to && left-- == 0)
            return ORR_OK;
    }
    if (err)
        return err;
    (void)orr__yaml_fail(
        r->c, map, r->why,
        left == k->parallel
            ? "there is no link from %s to %s in this topology"
            : "there are fewer links from %s to %s in this topology",
        k->from, k->to);
    orr__hint(r->why, "a profile holds for the topology and the placement that "
                      "it was made for");
    return ORR_ECONFIG;
}

/* Phases are in order, apart, and end with the iteration. */
static orr_err read_phase(struct reader *r, const struct orr_yaml *map,
                          struct orr_link_demand *d)
{
    struct orr_phase *f = &d->phase[d->n];
    const struct orr_param_set set = {orr__phase_params, f};
    char iteration[32];
    int64_t before = 0;
    if (!orr__yaml_is_map(map))
        return orr__yaml_fail(r->c, map, r->why,
                              "phases: {at, for, rate} is expected");
    orr_err err = orr__param_read(r->c, map, "phases", &set, 1, r->why);
    if (err)
        return err;
    if (d->n > 0)
        before = f[-1].at_ps + f[-1].for_ps;
    if (f->at_ps < before)
        return orr__yaml_fail(r->c, orr__yaml_get(map, "at"), r->why,
                              "at: the phase before it is not over yet");
    if (orr__time_add(f->at_ps, f->for_ps) > r->p->iteration_ps) {
        orr__format_time(r->p->iteration_ps, iteration, sizeof iteration);
        return orr__yaml_fail(r->c, orr__yaml_get(map, "for"), r->why,
                              "for: the phase ends after the iteration, which "
                              "takes %s",
                              iteration);
    }
    d->n++;
    return ORR_OK;
}

/* A link by its ends, of parallel ones by number. */
static orr_err read_demand(struct reader *r, const struct orr_yaml *map,
                           struct orr_link_demand *d)
{
    struct demand_keys k = {0};
    const struct orr_param_set set = {orr__demand_params, &k};
    if (!orr__yaml_is_map(map))
        return orr__yaml_fail(r->c, map, r->why,
                              "links: {from, to, phases} is expected");
    orr_err err = orr__param_read(r->c, map, "links", &set, 1, r->why);
    if (!err)
        err = find_link(r, map, &k, &d->link);
    if (!err && !orr__yaml_is_list(k.phases))
        err = orr__yaml_fail(r->c, k.phases, r->why,
                             "phases: a list of {at, for, rate} is expected");
    if (err)
        return err;
    size_t n = orr__yaml_count(k.phases);
    d->phase = orr__alloc(n, sizeof *d->phase);
    if (!d->phase)
        return orr__no_memory(r->why);
    for (size_t i = 0; i < n && !err; i++)
        err = read_phase(r, orr__yaml_item(k.phases, i), d);
    return err;
}

static int by_link(const void *a, const void *b)
{
    uint32_t x = ((const struct orr_link_demand *)a)->link;
    uint32_t y = ((const struct orr_link_demand *)b)->link;
    return x < y ? -1 : x > y;
}

/* Sorted by link; none twice. */
static orr_err read_links(struct reader *r, const struct orr_yaml *list)
{
    struct orr_profile *p = r->p;
    orr_err err = ORR_OK;
    if (!orr__yaml_is_list(list))
        return orr__yaml_fail(r->c, list, r->why,
                              "links: a list of {from, to, phases} is "
                              "expected");
    size_t n = orr__yaml_count(list);
    p->link = orr__alloc(n, sizeof *p->link);
    if (!p->link)
        return orr__no_memory(r->why);
    for (size_t i = 0; i < n && !err; i++) {
        err = read_demand(r, orr__yaml_item(list, i), &p->link[i]);
        p->n++;
    }
    if (err)
        return err;
    qsort(p->link, p->n, sizeof *p->link, by_link);
    for (size_t i = 1; i < n; i++)
        if (p->link[i].link == p->link[i - 1].link) {
            uint32_t l = p->link[i].link;
            char a[ORR_NODE_NAME], b[ORR_NODE_NAME];
            return orr__yaml_fail(
                r->c, list, r->why,
                "links: the link from %s to %s is listed twice",
                orr__node_name(r->g, r->g->from[l], a, sizeof a),
                orr__node_name(r->g, r->g->to[l], b, sizeof b));
        }
    return ORR_OK;
}

/* What it allocates is freed with the profile, also after an error. */
static orr_err read_map(struct reader *r, const struct orr_yaml *map)
{
    struct profile_keys k = {.compute = -1};
    const struct orr_param_set set = {orr__profile_params, &k};
    if (!orr__yaml_is_map(map))
        return orr__yaml_fail(r->c, map, r->why,
                              "a profile is a map: {job, iteration, links}");
    orr_err err = orr__param_read(r->c, map, "profile", &set, 1, r->why);
    if (err)
        return err;
    r->p->iteration_ps = k.iteration;
    r->p->compute_ps = k.compute;
    if (k.compute > k.iteration)
        return orr__yaml_fail(r->c, orr__yaml_get(map, "compute"), r->why,
                              "compute: this is more than the iteration");
    if (k.job && !(r->p->job = orr__strdup(k.job)))
        return orr__no_memory(r->why);
    return read_links(r, k.links);
}

static orr_err open_file(struct reader *r, const char *path,
                         struct orr_config **out)
{
    char *text = NULL;
    orr_err err = r->other ? r->other(path, &text, r->why) : ORR_OK;
    if (!err)
        err = text ? orr__config_parse(path, text, strlen(text), out, r->why)
                   : orr__config_load(path, out, r->why);
    orr__free(text);
    return err;
}

/* The file that a scalar names. */
static orr_err read_file(struct reader *r, const struct orr_yaml *node)
{
    const char *name = orr__yaml_text(r->c, node);
    struct orr_config *own;
    char *path = name[0] == '/'
                     ? orr__strdup(name)
                     : orr__format("%s/%s", orr__config_folder(r->c), name);
    if (!path)
        return orr__no_memory(r->why);
    orr_err err = open_file(r, path, &own);
    if (!err) {
        struct reader inner = {own, r->g, NULL, r->p, r->why};
        err = read_map(&inner, orr__config_root(own));
        orr__config_free(own);
    } else {
        err = orr__yaml_place(r->c, node, err, r->why);
    }
    orr__free(path);
    return err;
}

orr_err orr__profile_read(struct orr_config *c, const struct orr_yaml *node,
                          const struct orr_graph *g, orr_profile_text_fn *other,
                          struct orr_profile *out, struct orr_report *why)
{
    struct reader r = {c, g, other, out, why};
    *out = (struct orr_profile){.compute_ps = -1};
    orr_err err = orr__yaml_is_scalar(node) && !orr__yaml_is_null(node)
                      ? read_file(&r, node)
                      : read_map(&r, node);
    if (err) {
        orr__profile_fini(out);
        *out = (struct orr_profile){0};
    }
    return err;
}

void orr__profile_fini(struct orr_profile *p)
{
    for (uint32_t i = 0; i < p->n; i++)
        orr__free(p->link[i].phase);
    orr__free(p->link);
    orr__free(p->job);
}

/* ---- writing ------------------------------------------------------------ */

uint32_t orr__profile_parallel(const struct orr_graph *g, uint32_t link)
{
    uint32_t n = 0, from = g->from[link];
    for (uint32_t i = g->out_off[from]; g->out_link[i] != link; i++)
        n += g->to[g->out_link[i]] == g->to[link];
    return n;
}

static void write_end(struct orr_text *t, const struct orr_graph *g,
                      const char *key, uint32_t node)
{
    char name[ORR_NODE_NAME];
    orr__text_add(t, "%s: ", key);
    orr__text_quoted(t, orr__node_name(g, node, name, sizeof name));
}

/* As read_demand reads it. */
static void write_demand(struct orr_text *t, const struct orr_graph *g,
                         const struct orr_link_demand *d)
{
    uint32_t k = orr__profile_parallel(g, d->link);
    write_end(t, g, "  - {from", g->from[d->link]);
    write_end(t, g, ", to", g->to[d->link]);
    if (k)
        orr__text_add(t, ", parallel: %u", k);
    orr__text_add(t, ", phases: [");
    for (uint32_t i = 0; i < d->n; i++) {
        char at[32], length[32], rate[32];
        orr__format_time(d->phase[i].at_ps, at, sizeof at);
        orr__format_time(d->phase[i].for_ps, length, sizeof length);
        orr__format_rate(d->phase[i].rate_bps, rate, sizeof rate);
        orr__text_add(t, "%s\n      {at: %s, for: %s, rate: %s}", i ? "," : "",
                      at, length, rate);
    }
    orr__text_add(t, "]}\n");
}

char *orr__profile_text(const struct orr_profile *p, const struct orr_graph *g)
{
    struct orr_text t = {0};
    char time[32];
    if (p->job) {
        orr__text_add(&t, "job: ");
        orr__text_quoted(&t, p->job);
        orr__text_add(&t, "\n");
    }
    orr__format_time(p->iteration_ps, time, sizeof time);
    orr__text_add(&t, "iteration: %s\n", time);
    if (p->compute_ps >= 0) {
        orr__format_time(p->compute_ps, time, sizeof time);
        orr__text_add(&t, "compute: %s\n", time);
    }
    orr__text_add(&t, p->n ? "links:\n" : "links: []\n");
    for (uint32_t i = 0; i < p->n; i++)
        write_demand(&t, g, &p->link[i]);
    return orr__text_done(&t);
}

/* ---- questions ---------------------------------------------------------- */

const struct orr_link_demand *orr__profile_link(const struct orr_profile *p,
                                                uint32_t link)
{
    const struct orr_link_demand key = {.link = link};
    return p->n ? bsearch(&key, p->link, p->n, sizeof key, by_link) : NULL;
}

bool orr__profile_strange(const struct orr_profile *p,
                          const struct orr_graph *g, const uint32_t *hosts,
                          uint32_t n, uint32_t *host)
{
    for (uint32_t i = 0; i < p->n; i++) {
        const uint32_t end[] = {g->from[p->link[i].link],
                                g->to[p->link[i].link]};
        for (int k = 0; k < 2; k++) {
            uint32_t m = 0;
            while (m < n && hosts[m] != end[k])
                m++;
            *host = end[k];
            if (m == n && !g->forwards[end[k]])
                return true;
        }
    }
    return false;
}

uint64_t orr__demand_bytes(const struct orr_link_demand *d)
{
    unsigned __int128 bits = 0; /* times 1e12 */
    for (uint32_t i = 0; i < d->n; i++)
        bits += (unsigned __int128)d->phase[i].for_ps * d->phase[i].rate_bps;
    return (uint64_t)(bits / 8000000000000u);
}
