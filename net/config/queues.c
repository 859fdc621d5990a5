/* Reads `network.queue`, `network.buffer` and `network.pfc`. */
#include "net/config/queues.h"

#include <string.h>

#include "core/config/family.h"
#include "core/units.h"
#include "net/config/idle.h"
#include "net/schedule/list.h"
#include "topo/node_names.h"

/* The configuration that is filled, and where errors go. */
struct reader {
    struct orr_config *c;
    struct orr_net_config *n;
    struct orr_report *why;
};

/* Where defaults of a map that the user left out are shown: not if the user
 * must leave it out (net/loop/analytical.h). */
static const char *place_of_defaults(const struct reader *r,
                                     const struct orr_yaml *node,
                                     const char *path)
{
    bool without = !node && r->n->transport == ORR_TRANSPORT_ANALYTICAL;

    return without ? "" : path;
}

/* ---- queue ---- */

static const char *const schedulers[] = {ORR_SCHEDULE_LIST(ORR_FAMILY_NAME)
                                             NULL};

static const char *const in_services[] = {"left", "whole", NULL};
enum { BY_WHAT_IS_LEFT, WHOLE };

/* Keys of every kind of queue; limit: packets, or ORR_AUTO. */
struct common {
    int scheduler, in_service;
    int64_t limit;
    const struct orr_yaml *weights;
};

static const struct orr_param common_params[] = {
    {.key = "scheduler",
     .type = ORR_PARAM_CHOICE,
     .offset = offsetof(struct common, scheduler),
     .fallback = "fifo",
     .choices = schedulers,
     .help = "which packet is sent next (orrery list schedulers); all except "
             "fifo have a queue with its own limits for each class, and fair "
             "for each job",
     .idle = orr__idle_one_class},
    {.key = "weights",
     .type = ORR_PARAM_NODE,
     .offset = offsetof(struct common, weights),
     .fallback = "",
     .help = "of the classes from 0 on, for drr and wfq: [1, 2.5]; default 1",
     .idle = orr__idle_one_class},
    {.key = "limit",
     .type = ORR_PARAM_INT,
     .offset = offsetof(struct common, limit),
     .fallback = "auto",
     .min = "1",
     .max = "1000000000",
     .help = "packets that may wait, the one in service included, beside "
             "`capacity`: what is reached first drops; auto: any number",
     .idle = orr__idle_limit},
    {.key = "in_service",
     .type = ORR_PARAM_CHOICE,
     .offset = offsetof(struct common, in_service),
     .fallback = "left",
     .choices = in_services,
     .help = "what of the packet in service counts against `capacity`: what is "
             "left of it, or the whole until its last byte has left (a switch "
             "that frees its buffer then)",
     .idle = orr__idle_in_service},
    ORR_PARAM_END,
};

const struct orr_param *orr__queue_params(void)
{
    return common_params;
}

#define LEAST_WEIGHT 0.01 /* bounds the rounds of drr */
#define MOST_WEIGHT  100

/* From 0.01 to 100, so that shares keep their precision. */
static orr_err read_weight(struct reader *r, const struct orr_yaml *item,
                           double *weight)
{
    const char *text =
        item && orr__yaml_is_scalar(item) ? orr__yaml_text(r->c, item) : NULL;

    if (text && !orr__parse_real(text, weight) && *weight >= LEAST_WEIGHT
        && *weight <= MOST_WEIGHT)
        return ORR_OK;
    return orr__yaml_fail(r->c, item, r->why,
                          "network.queue.weights: a number "
                          "from 0.01 to 100 is expected");
}

/* One for each class, from 0 on; classes left out keep theirs. Refused where
 * the scheduler has no weights. */
static orr_err read_weights(struct reader *r, const struct orr_yaml *list)
{
    size_t count = orr__yaml_count(list);
    orr_err err = ORR_OK;

    if (!r->n->schedule->weighted)
        return orr__yaml_fail(
            r->c, list, r->why,
            "network.queue.weights: the scheduler %s does not use them",
            r->n->schedule->name);
    if (!orr__yaml_is_list(list) || count > ORR_MOST_CLASSES)
        return orr__yaml_fail(r->c, list, r->why,
                              "network.queue.weights: a "
                              "list of up to %d numbers is expected, one for "
                              "each class",
                              ORR_MOST_CLASSES);
    for (size_t i = 0; i < count && err == ORR_OK; i++)
        err = read_weight(r, orr__yaml_item(list, i), &r->n->class_weight[i]);
    return err;
}

ORR_FAMILY_FIND(find_queue, orr__queue_kinds, struct orr_queue_ops)

/* Kind, then its own parameters and `common`, unless that is NULL, in one map;
 * the kind's are in the document's arena. */
static orr_err read_kind(const struct reader *r, struct orr_module *m,
                         struct common *common,
                         const struct orr_queue_ops **ops, const void **out)
{
    struct orr_param_set sets[2];
    void *params;
    orr_err err;

    orr__module_name(m, orr__queue_kinds()[0]->name);
    err = find_queue(m, ops);
    if (err != ORR_OK)
        return err;
    params = orr__arena_alloc(orr__config_arena(r->c), 1, (*ops)->params_size);
    if (!params)
        return orr__no_memory(r->why);
    *out = params;
    sets[0] = (struct orr_param_set){(*ops)->params, params, r->n};
    sets[1] = (struct orr_param_set){common_params, common, r->n};
    err = orr__module_read(m, sets, common ? 2 : 1);
    if (err == ORR_OK && (*ops)->check)
        err = (*ops)->check(r->c, m->node, params, r->why);
    return err;
}

orr_err orr__queue_kind_read(struct orr_config *c, const struct orr_yaml *node,
                             const char *what, struct orr_net_config *n,
                             const struct orr_queue_ops **ops,
                             const void **params, struct orr_report *why)
{
    struct reader r = {.c = c, .n = n, .why = why};
    struct orr_module m = {.c = c, .node = node, .what = what, .why = why};

    return read_kind(&r, &m, NULL, ops, params);
}

/* n->queue_node, with the scheduler of all ports. */
static orr_err read_queue(struct reader *r)
{
    struct orr_module m = {
        .c = r->c,
        .node = r->n->queue_node,
        .what = place_of_defaults(r, r->n->queue_node, "network.queue"),
        .why = r->why};
    struct common common = {.limit = ORR_AUTO};
    orr_err err = read_kind(r, &m, &common, &r->n->queue, &r->n->queue_params);

    r->n->schedule = orr__schedules()[common.scheduler];
    r->n->strict = r->n->schedule->by_class;
    r->n->limit = common.limit;
    r->n->counts_in_service = common.in_service == WHOLE;
    if (err == ORR_OK && common.weights)
        err = read_weights(r, common.weights);
    return err;
}

/* ---- buffer ---- */

/* The map `buffer`; size in bytes of each switch. */
struct buffer {
    int kind;
    uint64_t size;
    double alpha;
};

enum { OF_PORTS, SHARED };
static const char *const buffer_kinds[] = {"port", "shared", NULL};

static const struct orr_param buffer_params[] = {
    {.key = "kind",
     .type = ORR_PARAM_CHOICE,
     .offset = offsetof(struct buffer, kind),
     .fallback = "port",
     .choices = buffer_kinds,
     .help = "port: each port has room for the queue's capacity; shared: all "
             "ports of a switch share its memory (hosts: as port)"},
    {.key = "size",
     .type = ORR_PARAM_SIZE,
     .offset = offsetof(struct buffer, size),
     .fallback = "32MiB",
     .min = "1B",
     .help = "shared: memory of each switch",
     .idle = orr__idle_not_shared},
    {.key = "alpha",
     .type = ORR_PARAM_REAL,
     .offset = offsetof(struct buffer, alpha),
     .fallback = "0.125",
     .min = "0.001",
     .max = "1000",
     .help = "most memory of a queue, relative to the free memory (with PFC: "
             "of packets of one link and class)",
     .idle = orr__idle_alpha},
    ORR_PARAM_END,
};

const struct orr_param *orr__buffer_params(void)
{
    return buffer_params;
}

/* Left out, each port has its own memory. */
static orr_err read_buffer(struct reader *r)
{
    struct buffer b = {.kind = OF_PORTS};
    struct orr_param_set set = {buffer_params, &b, r->n};
    orr_err err = orr__param_read(
        r->c, r->n->buffer_node,
        place_of_defaults(r, r->n->buffer_node, "network.buffer"), &set, 1,
        r->why);

    r->n->buffer.shared = b.kind == SHARED;
    r->n->buffer.size = b.size;
    r->n->buffer.alpha = b.alpha;
    return err;
}

/* ---- pause frames ---- */

/* The map `pfc`, bytes; ORR_AUTO_SIZE: by alpha, by link. */
struct pfc {
    bool enabled, hold_acks;
    int form;
    struct orr_ints lossless;
    uint64_t xoff, headroom, reserve, hysteresis;
};

static const char *const pfc_forms[] = {"exact", "hpcc", NULL};

static const struct orr_param pfc_params[] = {
    {.key = "enabled",
     .type = ORR_PARAM_BOOL,
     .offset = offsetof(struct pfc, enabled),
     .fallback = "false",
     .help = "nodes that forward send pause frames instead of dropping; by "
             "default where there is `lossless`"},
    {.key = "lossless",
     .type = ORR_PARAM_INTS,
     .offset = offsetof(struct pfc, lossless),
     .fallback = "",
     .help = "classes whose senders are paused, [3] for example; packets of "
             "others are dropped where a queue is full, or with `xoff: auto` "
             "the memory; left out: all",
     .idle = orr__idle_lossless},
    {.key = "xoff",
     .type = ORR_PARAM_SIZE,
     .offset = offsetof(struct pfc, xoff),
     .fallback = "auto",
     .min = "1B",
     .help = "bytes of a class from one link at which its sender is paused; "
             "auto: buffer.alpha times the free memory",
     .idle = orr__idle_no_pfc},
    {.key = "headroom",
     .type = ORR_PARAM_SIZE,
     .offset = offsetof(struct pfc, headroom),
     .fallback = "auto",
     .help = "memory for each link and class for what arrives until a pause "
             "takes effect; auto: as much as needed",
     .idle = orr__idle_pfc_headroom},
    {.key = "reserve",
     .type = ORR_PARAM_SIZE,
     .offset = offsetof(struct pfc, reserve),
     .fallback = "4KiB",
     .help = "memory reserved for each link and class besides, with xoff: auto",
     .idle = orr__idle_pfc_reserve},
    {.key = "hysteresis",
     .type = ORR_PARAM_SIZE,
     .offset = offsetof(struct pfc, hysteresis),
     .fallback = "3KiB",
     .help = "bytes below the pause threshold at which a sender resumes",
     .idle = orr__idle_no_pfc},
    {.key = "form",
     .type = ORR_PARAM_CHOICE,
     .offset = offsetof(struct pfc, form),
     .fallback = "exact",
     .choices = pfc_forms,
     .help = "hpcc: as SwitchMmu of HPCC's simulator: `headroom: auto` is "
             "three times a link's rate times its delay, what comes beyond a "
             "headroom is dropped, memory is set aside once for all classes, "
             "and alpha doubles with each doubling of a link's rate over the "
             "first host's, to 1 at most",
     .idle = orr__idle_no_pfc},
    {.key = "hold_acks",
     .type = ORR_PARAM_BOOL,
     .offset = offsetof(struct pfc, hold_acks),
     .fallback = "true",
     .help = "a pause holds the ACKs of a host, too, as they are of the class; "
             "false: never (ACK_HIGH_PRIO 1 of HPCC's simulator, whose "
             "switches hold them)",
     .idle = orr__idle_hold_acks},
    ORR_PARAM_END,
};

/* `enabled`, the first of pfc_params, where classes are named. */
static const struct orr_param pfc_by_class[] = {
    {.key = "enabled",
     .type = ORR_PARAM_BOOL,
     .offset = offsetof(struct pfc, enabled),
     .fallback = "true"},
    ORR_PARAM_END,
};

const struct orr_param *orr__pfc_params(void)
{
    return pfc_params;
}

#define MOST_BYTES (UINT64_C(1) << 50) /* so that sums do not overflow */

/* Not with trimming; and no size that sums could overflow with. */
static orr_err check_pfc(struct reader *r, const struct pfc *p)
{
    const struct orr_yaml *at = r->n->pfc_node;

    if (p->enabled && r->n->queue->trims)
        return orr__yaml_fail(r->c, at, r->why,
                              "network.pfc: with pause frames no packet is "
                              "ever trimmed; choose another kind of queue");
    if ((p->xoff != ORR_AUTO_SIZE && p->xoff > MOST_BYTES)
        || (p->headroom != ORR_AUTO_SIZE && p->headroom > MOST_BYTES)
        || p->reserve > MOST_BYTES || p->hysteresis > MOST_BYTES)
        return orr__yaml_fail(r->c, at, r->why,
                              "network.pfc: a size is more than 1 PiB");
    return ORR_OK;
}

/* Which classes are lossless: all, or those that are named. */
static orr_err read_lossless(struct reader *r, const struct pfc *p)
{
    const struct orr_yaml *list = orr__yaml_get(r->n->pfc_node, "lossless");

    r->n->pfc.lossy = list ? UINT8_MAX : 0;
    for (size_t i = 0; i < p->lossless.n; i++) {
        int64_t class = p->lossless.v[i];

        if (class < 0 || class >= ORR_MOST_CLASSES)
            return orr__yaml_fail(r->c, orr__yaml_item(list, i), r->why,
                                  "network.pfc.lossless: there is no traffic "
                                  "class %lld: they are 0 to %d",
                                  (long long)class, ORR_MOST_CLASSES - 1);
        r->n->pfc.lossy &= (uint8_t) ~(1u << class);
    }
    return ORR_OK;
}

/* xoff 0 then means a threshold by alpha. */
static orr_err read_pfc(struct reader *r)
{
    struct pfc p = {.enabled = false};
    bool named = orr__yaml_get(r->n->pfc_node, "lossless") != NULL;
    const struct orr_param_set sets[] = {
        {named ? pfc_by_class : pfc_params, &p, r->n},
        {pfc_params + 1, &p, r->n}};
    orr_err err =
        orr__param_read(r->c, r->n->pfc_node,
                        place_of_defaults(r, r->n->pfc_node, "network.pfc"),
                        sets, named ? 2 : 1, r->why);

    if (err == ORR_OK)
        err = read_lossless(r, &p);
    if (err == ORR_OK)
        err = check_pfc(r, &p);
    r->n->document = r->c;
    r->n->pfc.enabled = p.enabled;
    r->n->pfc.xoff = p.xoff == ORR_AUTO_SIZE ? 0 : p.xoff;
    r->n->pfc.headroom_auto = p.headroom == ORR_AUTO_SIZE;
    r->n->pfc.headroom = p.headroom;
    r->n->pfc.form = p.form;
    r->n->pfc.hold_acks = p.hold_acks;
    r->n->pfc.reserve = p.reserve;
    r->n->pfc.hysteresis = p.hysteresis;
    return err;
}

/* ---- all of them ---- */

orr_err orr__net_queues_read(struct orr_config *c, struct orr_net_draft *draft,
                             struct orr_report *why)
{
    struct orr_net_config *n = &draft->config;
    struct reader r = {.c = c, .n = n, .why = why};
    orr_err err = read_queue(&r);

    if (err == ORR_OK && n->queue->trims
        && n->transport == ORR_TRANSPORT_DATAGRAM)
        err = orr__yaml_fail(c, n->queue_node, why,
                             "network.queue: datagrams "
                             "that are trimmed would never be sent again; "
                             "`transport: reliable` does that");
    if (err == ORR_OK)
        err = read_buffer(&r);
    if (err == ORR_OK)
        err = read_pfc(&r);
    return err;
}

/* ---- values by rate ---- */

/* A map by rate of a kind of queue: its key, and which links it is for, as in
 * orr__queue_at. */
struct rates {
    const char *key;
    const struct orr_by_rate *map;
    uint32_t number;
};

/* The error for a rate that a map by rate lacks, with the first link that has
 * it. */
static orr_err missing(const struct orr_net_config *n,
                       const struct orr_graph *g, const struct rates *r,
                       uint32_t link, uint64_t rate, struct orr_report *why)
{
    char text[32], from[ORR_NODE_NAME], to[ORR_NODE_NAME];
    const char *tier = r->number ? n->rule[r->number - 1].name : NULL;

    orr__format_rate(rate, text, sizeof text);
    orr__yaml_fail(n->document, r->map->at, why,
                   "network.%s%s%squeue.%s: %s is not in "
                   "this map, the rate of link %u (%s > %s)",
                   tier ? "by_tier." : "", tier ? tier : "", tier ? "." : "",
                   r->key, text, link,
                   orr__node_name(g, g->from[link], from, sizeof from),
                   orr__node_name(g, g->to[link], to, sizeof to));
    orr__hint(why, "one more entry for %s, or one value for all rates", text);
    return ORR_ECONFIG;
}

/* Has the link's port such a queue? */
static bool is_for(const struct orr_net_config *n, const struct rates *r,
                   uint32_t link)
{
    const struct orr_tier_rule *t = orr__rule_of(n, link);
    bool own = t && t->queue;

    return r->number ? own && t == &n->rule[r->number - 1] : !own;
}

/* Each rate that some link has now, or has after a change, must be in the
 * map. */
static orr_err check_rates(const struct orr_net_config *n,
                           const struct orr_graph *g, const struct rates *r,
                           struct orr_report *why)
{
    const struct orr_failures *f = n->failures;
    uint64_t last = 0; /* found */

    if (!r->map->n)
        return ORR_OK;
    for (uint32_t l = 0; l < g->links; l++) {
        if (!is_for(n, r, l))
            continue;
        if (g->rate_bps[l] != last && !orr__by_rate(r->map, g->rate_bps[l]))
            return missing(n, g, r, l, g->rate_bps[l], why);
        last = g->rate_bps[l];
    }
    for (uint32_t i = 0; f && i < f->retunes; i++)
        if (is_for(n, r, f->retune[i].link)
            && !orr__by_rate(r->map, f->retune[i].rate_bps))
            return missing(n, g, r, f->retune[i].link, f->retune[i].rate_bps,
                           why);
    return ORR_OK;
}

/* All maps by rate of one kind of queue. */
static orr_err check_kind(const struct orr_net_config *n,
                          const struct orr_graph *g, uint32_t number,
                          struct orr_report *why)
{
    struct orr_queue_kind kind = orr__queue_at(n, number);
    const struct orr_param *p = kind.ops->params;
    orr_err err = ORR_OK;

    for (; kind.params && p->key && err == ORR_OK; p++)
        if (p->type == ORR_PARAM_SIZE_BY_RATE
            || p->type == ORR_PARAM_REAL_BY_RATE) {
            const void *map = (const char *)kind.params + p->offset;
            const struct rates r = {p->key, map, number};

            err = check_rates(n, g, &r, why);
        }
    return err;
}

orr_err orr__queue_fits(const struct orr_net_config *n,
                        const struct orr_graph *g, struct orr_report *why)
{
    orr_err err = ORR_OK;

    if (n->pfc.enabled && g->simplex)
        return orr__yaml_fail(n->document, n->pfc_node, why,
                              "network.pfc: pause frames go back by the cable "
                              "that packets come by, and cables of this "
                              "topology are one-way");
    for (uint32_t i = 0; i <= n->rules && err == ORR_OK; i++)
        if (!i || n->rule[i - 1].queue)
            err = check_kind(n, g, i, why);
    return err;
}

bool orr__net_marks(const struct orr_net_config *c)
{
    bool any = false;

    for (uint32_t i = 0; i <= c->rules; i++) {
        struct orr_queue_kind kind = orr__queue_at(c, i);

        any = any || (kind.ops->marks && kind.ops->marks(kind.params));
    }
    return any;
}

/* Must some queue see packets leave? */
static bool wants_departures(const struct orr_net_config *c)
{
    bool any = false;

    for (uint32_t i = 0; i <= c->rules; i++) {
        struct orr_queue_kind kind = orr__queue_at(c, i);

        any = any
              || (kind.ops->wants_departures
                  && kind.ops->wants_departures(kind.params));
    }
    return any;
}

bool orr__net_explicit(const struct orr_net_config *c)
{
    return c->ports == ORR_PORTS_EXPLICIT || !c->schedule->by_arrival
           || orr__failures_rate_change(c->failures)
           || orr__failures_wait(c->failures) || c->buffer.shared
           || c->pfc.enabled || c->telemetry || wants_departures(c);
}
