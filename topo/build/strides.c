/* Rings of all hosts, each with a stride of its own: host i is joined to host
 * i + stride, modulo the number of hosts (TopoOpt, NSDI 2023). Strides that
 * share no factor with that number give one ring of all hosts each
 * (TotientPerms); `auto` takes those nearest to a geometric progression
 * (SelectPermutations), so that few hops lead far. Beside the rings there may
 * be matchings: cables between pairs of hosts.
 *
 * Cables: ring by ring, each from host 0 on; then matchings as they stand. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/config/param.h"
#include "core/memory.h"
#include "core/none.h"
#include "core/units.h"
#include "topo/build/build.h"
#include "topo/stride_rule.h"

enum { FORWARD, BOTH, RING_TIER = 0, MATCHING_TIER };

/* Parameters, and what plan makes of them; the arrays are freed by fini. */
struct strides {
    int64_t hosts, degree; /* degree 0: not given */
    const struct orr_yaml *strides, *matching;
    int direction;
    uint32_t *stride, n;        /* ascending, or as given */
    uint32_t (*pair)[2], pairs; /* hosts that a matching joins */
    uint32_t matchings;
};

static const struct orr_param params[] = {
    {.key = "hosts",
     .type = ORR_PARAM_INT,
     .offset = offsetof(struct strides, hosts),
     .min = "2",
     .help = "number of hosts"},
    {.key = "degree",
     .type = ORR_PARAM_INT,
     .offset = offsetof(struct strides, degree),
     .fallback = "",
     .min = "1",
     .max = "256",
     .help = "ports of each host: a stride takes one, or two with `direction: "
             "both`, a matching one; may be left out where `strides` is a "
             "list"},
    {.key = "strides",
     .type = ORR_PARAM_NODE,
     .offset = offsetof(struct strides, strides),
     .fallback = "",
     .help = "a list like [1, 3, 7]: host i is joined to hosts i + 1, i + 3, i "
             "+ 7; auto (the default): those nearest to a geometric "
             "progression among all that share no factor with hosts"},
    {.key = "direction",
     .type = ORR_PARAM_CHOICE,
     .offset = offsetof(struct strides, direction),
     .choices = (const char *const[]){"forward", "both", NULL},
     .fallback = "both",
     .help = "forward: cables of rings are one-way, from i to i + stride"},
    {.key = "matching",
     .type = ORR_PARAM_NODE,
     .offset = offsetof(struct strides, matching),
     .fallback = "",
     .help = "cables beside the rings, [[host, host], ...], no host twice; or "
             "a list of such lists"},
    ORR_PARAM_END};

/* ---- matchings --------------------------------------------------------- */

/* A host's number at one end of a pair. */
static orr_err read_end(struct orr_draft *d, const struct strides *p,
                        const struct orr_yaml *at, uint32_t *host,
                        struct orr_report *why)
{
    const char *text = orr__yaml_text(d->config, at);
    int64_t number;
    if (!text || orr__parse_int(text, &number) || number < 0
        || number >= p->hosts)
        return orr__yaml_fail(d->config, at, why,
                              "topology.matching: %s is no host: hosts are 0 "
                              "to %" PRId64,
                              text ? text : "this", p->hosts - 1);
    *host = (uint32_t)number;
    return ORR_OK;
}

/* Into the next free place of p->pair. */
static orr_err read_pair(struct orr_draft *d, struct strides *p,
                         const struct orr_yaml *item, struct orr_report *why)
{
    uint32_t *pair = p->pair[p->pairs];
    if (!item || !orr__yaml_is_list(item) || orr__yaml_count(item) != 2)
        return orr__yaml_fail(d->config, item, why,
                              "topology.matching: a pair [host, host] is "
                              "expected");
    orr_err err = ORR_OK;
    for (size_t end = 0; end < 2 && !err; end++)
        err = read_end(d, p, orr__yaml_item(item, end), &pair[end], why);
    if (!err)
        p->pairs++;
    return err;
}

/* An end of a pair, to find hosts that are named twice. */
struct end {
    uint32_t host, pair;
    const struct orr_yaml *at;
};

static int by_host(const void *a, const void *b)
{
    const struct end *x = a, *y = b;
    if (x->host != y->host)
        return x->host < y->host ? -1 : 1;
    return x->pair < y->pair ? -1 : x->pair > y->pair;
}

/* Of the pairs of one list, which are p->pair from `first` on. */
static orr_err check_twice(struct orr_draft *d, const struct strides *p,
                           const struct orr_yaml *list, uint32_t first,
                           struct orr_report *why)
{
    uint32_t n = 2 * (p->pairs - first);
    struct end *end = orr__alloc(n, sizeof *end);
    orr_err err = ORR_OK;
    if (!end)
        return orr__no_memory(why);
    for (uint32_t i = 0; i < n; i++)
        end[i] =
            (struct end){p->pair[first + i / 2][i % 2], i,
                         orr__yaml_item(orr__yaml_item(list, i / 2), i % 2)};
    qsort(end, n, sizeof *end, by_host);
    for (uint32_t i = 1; i < n && !err; i++)
        if (end[i].host == end[i - 1].host)
            err = orr__yaml_fail(d->config, end[i].at, why,
                                 "topology.matching: host %" PRIu32
                                 " is in it twice: a matching takes one port "
                                 "of a host",
                                 end[i].host);
    orr__free(end);
    return err;
}

/* One matching: a list of pairs. */
static orr_err read_matching(struct orr_draft *d, struct strides *p,
                             const struct orr_yaml *list,
                             struct orr_report *why)
{
    uint32_t first = p->pairs;
    size_t n = orr__yaml_count(list);
    void *room = orr__resize(p->pair, first + n, sizeof *p->pair);
    if (!room)
        return orr__no_memory(why);
    p->pair = room;
    orr_err err = ORR_OK;
    for (size_t i = 0; i < n && !err; i++)
        err = read_pair(d, p, orr__yaml_item(list, i), why);
    p->matchings++;
    return err ? err : check_twice(d, p, list, first, why);
}

/* A matching, or a list of them: then the items of its items are lists too. */
static orr_err read_matchings(struct orr_draft *d, struct strides *p,
                              struct orr_report *why)
{
    const struct orr_yaml *list = p->matching, *in;
    if (!list)
        return ORR_OK;
    size_t n = orr__yaml_is_list(list) ? orr__yaml_count(list) : 0;
    if (!n)
        return orr__yaml_fail(d->config, list, why,
                              "topology.matching: a list of pairs [host, host] "
                              "is expected");
    in = orr__yaml_item(list, 0);
    in = orr__yaml_is_list(in) ? orr__yaml_item(in, 0) : NULL;
    if (!in || !orr__yaml_is_list(in))
        return read_matching(d, p, list, why);
    orr_err err = ORR_OK;
    for (size_t i = 0; i < n && !err; i++) {
        in = orr__yaml_item(list, i);
        err = orr__yaml_is_list(in)
                  ? read_matching(d, p, in, why)
                  : orr__yaml_fail(d->config, in, why,
                                   "topology.matching: a list of pairs is "
                                   "expected here, like those before it");
    }
    return err;
}

/* ---- strides ----------------------------------------------------------- */

/* One that the user gave. */
static orr_err read_stride(struct orr_draft *d, struct strides *p,
                           const struct orr_yaml *at, struct orr_report *why)
{
    const char *text = orr__yaml_text(d->config, at);
    int64_t s;
    if (!text || orr__parse_int(text, &s) || s < 1 || s >= p->hosts)
        return orr__yaml_fail(d->config, at, why,
                              "topology.strides: %s is no stride: 1 to %" PRId64
                              " are, with %" PRId64 " hosts",
                              text ? text : "this", p->hosts - 1, p->hosts);
    uint64_t shared = orr__common_factor((uint64_t)s, (uint64_t)p->hosts);
    if (shared > 1)
        return orr__yaml_fail(d->config, at, why,
                              "topology.strides: %" PRId64
                              " shares the factor %" PRIu64 " with %" PRId64
                              " hosts: it would make %" PRIu64
                              " rings and not one of all hosts",
                              s, shared, p->hosts, shared);
    for (uint32_t i = 0; i < p->n; i++)
        if (p->stride[i] == s)
            return orr__yaml_fail(
                d->config, at, why,
                "topology.strides: %" PRId64 " is in it twice", s);
    p->stride[p->n++] = (uint32_t)s;
    return ORR_OK;
}

/* As a list; degree, if it is there, says the same. */
static orr_err read_strides(struct orr_draft *d, struct strides *p,
                            struct orr_report *why)
{
    size_t n = orr__yaml_is_list(p->strides) ? orr__yaml_count(p->strides) : 0;
    uint64_t ports = n * (p->direction == BOTH ? 2 : 1) + p->matchings;
    if (!n || n > ORR_MOST_STRIDES)
        return orr__yaml_fail(d->config, p->strides, why,
                              "topology.strides must be auto or a list of 1 to "
                              "%d strides",
                              ORR_MOST_STRIDES);
    p->stride = orr__alloc(n, sizeof *p->stride);
    if (!p->stride)
        return orr__no_memory(why);
    for (size_t i = 0; i < n; i++) {
        orr_err err = read_stride(d, p, orr__yaml_item(p->strides, i), why);
        if (err)
            return err;
    }
    if (p->degree && (uint64_t)p->degree != ports)
        return orr__yaml_fail(d->config, orr__yaml_get(d->map, "degree"), why,
                              "topology.degree: these strides and matchings "
                              "take %" PRIu64 " ports of each host, not "
                              "%" PRId64,
                              ports, p->degree);
    return ORR_OK;
}

/* As many as degree leaves room for. */
static orr_err choose_strides(struct orr_draft *d, struct strides *p,
                              struct orr_report *why)
{
    bool both = p->direction == BOTH;
    const struct orr_yaml *at = orr__yaml_get(d->map, "degree");
    if (!p->degree)
        return orr__yaml_fail(d->config, d->map, why,
                              "topology.degree is missing: it says how many "
                              "strides to choose");
    int64_t left = p->degree - p->matchings;
    if (left < (both ? 2 : 1) || (both && left % 2))
        return orr__yaml_fail(d->config, at, why,
                              "topology.degree: %" PRId64 " leaves %" PRId64
                              " port%s of a host for rings: %s",
                              p->degree, left > 0 ? left : 0,
                              left == 1 ? "" : "s",
                              both ? "with `direction: both` each takes two"
                                   : "a ring takes one");
    uint32_t n = (uint32_t)left / (both ? 2 : 1);
    uint64_t most = orr__strides_count((uint64_t)p->hosts, n);
    if (n > most)
        return orr__yaml_fail(
            d->config, at, why,
            "topology.degree: %" PRId64 " would take %" PRIu32
            " strides, but only %" PRIu64 " share no factor with %" PRId64
            " hosts: the most is %" PRIu64,
            p->degree, n, most, p->hosts, most * (both ? 2 : 1) + p->matchings);
    p->stride = orr__alloc(n, sizeof *p->stride);
    if (!p->stride)
        return orr__no_memory(why);
    p->n = n;
    if (p->hosts < UINT32_MAX) /* else the size is refused */
        orr__strides_choose((uint32_t)p->hosts, n, both, p->stride);
    return ORR_OK;
}

/* ---- the kind ---------------------------------------------------------- */

/* Reads matchings first: they say how many ports are left for strides. */
static orr_err plan(struct orr_draft *d, struct orr_size *size,
                    struct orr_report *why)
{
    struct strides *p = d->params;
    const char *text =
        p->strides ? orr__yaml_text(d->config, p->strides) : NULL;
    uint64_t n = (uint64_t)p->hosts;
    orr_err err = read_matchings(d, p, why);
    if (!err && p->strides && !(text && strcmp(text, "auto") == 0))
        err = read_strides(d, p, why);
    else if (!err)
        err = choose_strides(d, p, why);
    if (!err)
        *size = (struct orr_size){
            .hosts = n,
            .cables = orr__size_add(orr__size_mul(n, p->n), p->pairs)};
    return err;
}

/* g->strides is for collectives that know the rings. */
static orr_err build(struct orr_draft *d, struct orr_report *why)
{
    static const char *const tiers[] = {"ring", "matching", NULL};
    const struct strides *p = d->params;
    struct orr_graph *g = d->graph;
    uint32_t n = g->hosts;
    g->strides = orr__alloc(p->n, sizeof *g->strides);
    if (!g->strides)
        return orr__no_memory(why);
    for (uint32_t i = 0; i < p->n; i++)
        g->strides[i] = p->stride[i];
    g->n_strides = p->n;
    orr_err err = ORR_OK;
    for (uint64_t c = 0; c < (uint64_t)n * p->n && !err; c++) {
        uint32_t i = (uint32_t)(c % n), s = p->stride[c / n];
        orr__draft_cable(d, i, (uint32_t)(((uint64_t)i + s) % n), RING_TIER,
                         &d->link);
        if (p->direction == FORWARD)
            err = orr__draft_simplex(d, why);
    }
    for (uint32_t i = 0; i < p->pairs && !err; i++)
        orr__draft_cable(d, p->pair[i][0], p->pair[i][1], MATCHING_TIER,
                         &d->link);
    g->tier_names = tiers;
    orr__draft_nodes(d, 0, n, 0, true);
    orr__draft_circle(d, 0, n);
    return err;
}

static void fini(struct orr_draft *d)
{
    struct strides *p = d->params;
    orr__free(p->stride);
    orr__free(p->pair);
}

extern const struct orr_topology_ops orr__topology_strides;
const struct orr_topology_ops orr__topology_strides = {
    .name = "strides",
    .doc = "Rings of all hosts with different strides, as TopoOpt chooses "
           "them, and matchings beside them; hosts forward.",
    .params = params,
    .params_size = sizeof(struct strides),
    .size_key = "hosts",
    .plan = plan,
    .build = build,
    .fini = fini,
};
