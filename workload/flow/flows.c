/* Flows: reading them, running them, closing their books.
 *
 * A host keeps one timer, for the next of its flows to start; so a million
 * flows need as many timers as there are sources. */
#include "workload/flow/flows.h"
#include "core/assert.h"
#include "core/none.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "core/array.h"
#include "core/memory.h"
#include "core/units.h"
#include "net/config/config.h"
#include "net/config/failures.h"
#include "net/config/timers.h"
#include "topo/node_names.h"
#include "workload/flow/build.h"
#include "workload/flow/trigger.h"

/* One worker's count of what it finished, on cache lines of its own. */
struct done {
    uint64_t bytes, flows;
    uint64_t pad[6];
};
_Static_assert(sizeof(struct done) == 64, "a cache line");

/* All flows of a world, owned by it. Sources start their flows in order of
 * time. */
struct state {
    struct orr_flows flows; /* first: world->flows points here */
    uint32_t *order;        /* flow indices by (src, start, index) */
    uint32_t *first;        /* per host + 1: its stretch of order */
    struct done *done;      /* per worker, from orr__flows_start on */
    uint64_t total_bytes;
    struct orr_triggers *triggers; /* NULL: none */
    uint32_t user;                 /* of the net */
};

static struct state *state_of(const struct orr_world *w)
{
    return (struct state *)w->flows;
}

/* ---- reading ----------------------------------------------------------- */

/* The keys of one listed flow. */
struct plain {
    const struct orr_yaml *src, *dst;
    int64_t start;
    uint64_t size;
};

static const struct orr_param plain_params[] = {
    {"src", ORR_PARAM_NODE, offsetof(struct plain, src), NULL, NULL, NULL, NULL,
     "host that sends, by number or name"},
    {"dst", ORR_PARAM_NODE, offsetof(struct plain, dst), NULL, NULL, NULL, NULL,
     "host that receives, by number or name"},
    {"size", ORR_PARAM_SIZE, offsetof(struct plain, size), NULL, NULL, NULL,
     NULL, "payload to transfer"},
    {"start", ORR_PARAM_TIME, offsetof(struct plain, start), "0s", NULL, NULL,
     NULL, "when it starts"},
    ORR_PARAM_END,
};

const struct orr_param *orr__flow_params(void)
{
    return plain_params;
}

/* One flow, with service and path of its own. ORR_ECONFIG: to itself, or larger
 * than a net can send. */
static orr_err read_plain(struct orr_flow_list *l, const struct orr_yaml *entry,
                          struct orr_report *why)
{
    struct orr_config *c = l->world->config;
    const struct orr_graph *g = l->world->graph;
    uint32_t src = 0, dst = 0;
    struct plain p;
    struct orr_service_keys service = {NULL, 0, 1};
    struct orr_flow_path_keys path = {.entropy = -1};
    struct orr_param_set sets[] = {
        {plain_params, &p},
        {orr__service_keys, &service, l->world->net_config},
        {orr__flow_path_params, &path},
    };
    orr_err err = orr__param_read(c, entry, "flow", sets, 3, why);
    if (err == ORR_OK)
        err = orr__host_read(g, c, p.src, &src, why);
    if (err == ORR_OK)
        err = orr__host_read(g, c, p.dst, &dst, why);
    if (err == ORR_OK)
        err = orr__flow_list_serve(l, &service, why);
    if (err != ORR_OK)
        return err;
    if (src == dst)
        return orr__yaml_fail(c, p.dst, why,
                              "a flow from host %u to itself "
                              "uses no network",
                              src);
    if (p.size > orr__program_limits_message(l->world))
        return orr__flow_size_fail(l->world, p.size,
                                   orr__yaml_get(entry, "size"), why);
    err = orr__flow_path_read(l, &path, entry, src, dst, why);
    if (err != ORR_OK)
        return err;
    return orr__flow_list_add(l, src, dst, p.size, p.start, why);
}

/* A generator, a file or a flow, by the key that it has. */
static orr_err read_entry(struct orr_flow_list *l, const struct orr_yaml *entry,
                          uint32_t index, struct orr_report *why)
{
    l->service = NULL;
    l->path = NULL;
    if (orr__yaml_get(entry, "generate"))
        return orr__flows_generate(l, entry, index, why);
    if (orr__yaml_get(entry, "file"))
        return orr__flows_file(l, entry, why);
    if (orr__yaml_is_map(entry))
        return read_plain(l, entry, why);
    orr_err err =
        orr__yaml_fail(l->world->config, entry, why, "a flow is a map");
    orr__hint(why, "for example {src: 0, dst: 1, size: 1MB}");
    return err;
}

/* ---- order ------------------------------------------------------------- */

/* Those that a trigger starts come last. */
static uint64_t start_key(const struct orr_flow *f)
{
    return (uint64_t)f->start_ps; /* -1 is the largest */
}

static int by_start(const void *a, const void *b, void *arg)
{
    const struct orr_flow *flow = arg;
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    if (flow[i].start_ps != flow[j].start_ps)
        return start_key(&flow[i]) < start_key(&flow[j]) ? -1 : 1;
    return i < j ? -1 : i > j;
}

/* Fills first and order: a counting sort by source, then each by start. */
static orr_err sort_flows(struct state *s, uint32_t hosts,
                          struct orr_report *why)
{
    uint32_t n = s->flows.count;
    s->first = orr__alloc((size_t)hosts + 2, sizeof *s->first);
    s->order = orr__alloc(n, sizeof *s->order);
    if (!s->first || !s->order)
        return orr__no_memory(why);
    /* first[h + 2] counts host h, then first[h + 1] is where h goes next, and
     * ends as where h + 1 begins */
    for (uint32_t i = 0; i < n; i++)
        s->first[s->flows.flow[i].src + 2]++;
    for (uint32_t h = 0; h < hosts; h++)
        s->first[h + 2] += s->first[h + 1];
    for (uint32_t i = 0; i < n; i++)
        s->order[s->first[s->flows.flow[i].src + 1]++] = i;
    for (uint32_t h = 0; h < hosts; h++)
        qsort_r(s->order + s->first[h], s->first[h + 1] - s->first[h],
                sizeof *s->order, by_start, s->flows.flow);
    return ORR_OK;
}

/* The list becomes the world's, and is freed with it; without flows there is no
 * state. */
static orr_err keep_flows(struct orr_world *w, struct orr_flow_list *l,
                          struct orr_report *why)
{
    if (l->count == 0) {
        orr__free(l->flow);
        orr__triggers_free(l->triggers);
        return ORR_OK;
    }
    struct state *s = orr__alloc(1, sizeof *s);
    if (!s) {
        orr__free(l->flow);
        orr__triggers_free(l->triggers);
        return orr__no_memory(why);
    }
    s->flows.flow = l->flow;
    s->flows.count = l->count;
    w->flows = &s->flows;
    s->triggers = l->triggers;
    for (uint32_t i = 0; i < l->count; i++)
        s->total_bytes += l->flow[i].bytes;
    orr_err err = sort_flows(s, w->graph->hosts, why);
    if (err == ORR_OK && s->triggers)
        err = orr__triggers_finish(s->triggers, w, why);
    return err;
}

orr_err orr__flows_read(struct orr_world *w, const struct orr_yaml *flows,
                        struct orr_report *why)
{
    struct orr_flow_list l = {.world = w};
    orr_err err = ORR_OK;
    if (!flows || orr__yaml_is_null(flows))
        return ORR_OK;
    if (orr__yaml_is_map(flows)) {
        snprintf(l.entry, sizeof l.entry, "flows");
        err = read_entry(&l, flows, 0, why);
    } else if (orr__yaml_is_list(flows)) {
        size_t n = orr__yaml_count(flows);
        for (size_t i = 0; i < n && err == ORR_OK; i++) {
            snprintf(l.entry, sizeof l.entry, "flows[%zu]", i);
            err = read_entry(&l, orr__yaml_item(flows, i), (uint32_t)i, why);
        }
    } else {
        err = orr__yaml_fail(w->config, flows, why, "flows are a list");
        orr__hint(why, "for example [{src: 0, dst: 1, size: 1MB}]");
    }
    if (err == ORR_OK && l.n_dead)
        err = orr__failures_add(w->config, w->graph, l.dead, l.n_dead,
                                &w->draft->config.failures, why);
    orr__free(l.dead);
    if (err == ORR_OK)
        return keep_flows(w, &l, why);
    orr__triggers_free(l.triggers);
    orr__free(l.flow);
    return err;
}

/* ---- running ----------------------------------------------------------- */

/* What the connection of flow i is called: its place in the list alone. */
static uint64_t identity(uint32_t i)
{
    unsigned char name[8] = {'f', 'l', 'o', 'w'};
    for (int b = 0; b < 4; b++)
        name[4 + b] = (unsigned char)(i >> (8 * b));
    return XXH3_64bits(name, sizeof name);
}

/* Flows between the same hosts with one entropy are one for ECMP, as packets
 * with the same addresses and ports are. */
static uint64_t entropy_name(const struct orr_flow *f, uint64_t entropy)
{
    uint64_t key[2] = {entropy, (uint64_t)f->src << 32 | f->dst};
    return XXH3_64bits(key, sizeof key) | 1;
}

struct orr_connection_spec orr__flow_spec(const struct orr_flow *f, uint32_t i)
{
    static const struct orr_flow_path none;
    const struct orr_flow_path *path = f->path ? f->path : &none;
    return (struct orr_connection_spec){
        .src = f->src,
        .dst = f->dst,
        .identity = identity(i),
        .service = f->service,
        .path = path->path,
        .path_links = path->path_links,
        .entropy = path->entropy ? entropy_name(f, path->entropy) : 0,
    };
}

/* Of the flow itself, or of the one that it shares it with. */
static uint32_t connection_of(struct orr_world *w, uint32_t i, int64_t now)
{
    struct orr_flow *flow = state_of(w)->flows.flow;
    uint32_t maker = flow[i].on ? flow[i].on - 1 : i;
    if (flow[maker].connection == ORR_NONE) {
        struct orr_connection_spec spec = orr__flow_spec(&flow[maker], maker);
        flow[maker].connection = orr__net_connect(w->net, now, &spec);
    }
    return flow[maker].connection;
}

/* Opens a connection, or takes the one it goes on. ORR_NONE: no memory, the run
 * fails. */
static void start_flow(struct orr_world *w, uint32_t i, int64_t now)
{
    const struct orr_flow *f = &state_of(w)->flows.flow[i];
    uint32_t connection = connection_of(w, i, now);
    ORR_ASSERT(f->src != f->dst);
    if (connection == ORR_NONE)
        return;
    struct orr_message m = {
        .bytes = f->bytes,
        .tag = i,
        .user = state_of(w)->user,
        .src = f->src,
        .dst = f->dst,
        .arg = i,
    };
    orr__net_send(w->net, now, connection, &m);
}

/* A trigger starts flow i; at its source. */
static void begin_flow(struct orr_world *w, uint32_t i, int64_t now)
{
    state_of(w)->flows.flow[i].start_ps = now;
    start_flow(w, i, now);
}

/* Is there a flow of this host at this place of the order that starts by
 * itself? Those with a trigger are the last, begun or not. */
static bool is_timed(const struct state *s, uint32_t host, uint32_t at)
{
    return at < s->first[host + 1]
           && !(s->triggers && orr__triggers_wait(s->triggers, s->order[at]));
}

/* For the next flow to start at this host, from this place of the order on. */
static void set_timer(struct orr_world *w, uint32_t host, uint32_t at)
{
    const struct state *s = state_of(w);
    if (is_timed(s, host, at))
        orr__net_timer(w->net, host, s->flows.flow[s->order[at]].start_ps,
                       s->user, at);
}

static void timer(void *world, uint32_t host, int64_t now, uint64_t arg)
{
    struct orr_world *w = world;
    const struct state *s = state_of(w);
    uint32_t at = (uint32_t)arg;
    while (is_timed(s, host, at) && s->flows.flow[s->order[at]].start_ps <= now)
        start_flow(w, s->order[at++], now);
    set_timer(w, host, at);
}

/* The last byte, or its acknowledgement, is at this host. */
static void finish(struct orr_world *w, uint32_t host, int64_t now,
                   const struct orr_message *m)
{
    struct state *s = state_of(w);
    struct done *d = &s->done[orr__net_worker(w->net, host)];
    s->flows.flow[m->arg].finish_ps = now;
    d->bytes += m->bytes;
    d->flows++;
    orr__net_step(w->net, host, now, m->arg, m->bytes);
}

static void received(void *world, uint32_t host, int64_t now,
                     const struct orr_message *m)
{
    struct orr_world *w = world;
    struct orr_triggers *t = state_of(w)->triggers;
    state_of(w)->flows.flow[m->arg].done_ps = now;
    if (!orr__net_wire(w->net_config).reliable)
        finish(w, host, now, m);
    if (t)
        orr__triggers_received(w, t, m->arg, now);
}

static void sent(void *world, uint32_t host, int64_t now,
                 const struct orr_message *m)
{
    struct orr_world *w = world;
    struct orr_triggers *t = state_of(w)->triggers;
    if (t && !orr__net_wire(w->net_config).reliable)
        orr__triggers_sent(w, t, m->arg, now);
}

const struct orr_triggers *orr__flows_triggers(const struct orr_world *w)
{
    return w->flows ? state_of(w)->triggers : NULL;
}

/* An activation has come home, or a flow is to begin. */
static void triggered(void *world, uint32_t host, int64_t now, uint64_t arg)
{
    struct orr_world *w = world;
    orr__triggers_timer(w, state_of(w)->triggers, arg, now);
}

/* At the source: the flow has ended, and its connection, if it was the last on
 * it. */
static void acked(void *world, uint32_t host, int64_t now,
                  const struct orr_message *m)
{
    struct orr_world *w = world;
    struct orr_flow *f = &state_of(w)->flows.flow[m->arg];
    if (f->on)
        f = &state_of(w)->flows.flow[f->on - 1];
    finish(w, host, now, m);
    if (f->others-- == 0) /* all on it have ended; all have one source */
        orr__net_close(w->net, m->connection);
    struct orr_triggers *t = state_of(w)->triggers;
    if (t)
        orr__triggers_sent(w, t, m->arg, now);
}

static const struct orr_net_ops upcalls = {
    .received = received,
    .sent = sent,
    .acked = acked,
    .timer = timer,
};
/* Triggers send nothing. */
static const struct orr_net_ops trigger_upcalls = {.timer = triggered};

orr_err orr__flows_start(struct orr_world *w, struct orr_report *why)
{
    struct state *s = state_of(w);
    if (!s || w->only_job)
        return ORR_OK;
    s->done = orr__alloc_lines(w->options.workers, sizeof *s->done);
    if (!s->done)
        return orr__no_memory(why);
    s->user = orr__net_user(w->net, &upcalls, w);
    if (s->user == ORR_NONE)
        return orr__no_memory(why);
    if (s->triggers
        && !orr__triggers_start(s->triggers, w->net, &trigger_upcalls, w,
                                begin_flow))
        return orr__no_memory(why);
    for (uint32_t h = 0; h < w->graph->hosts; h++)
        set_timer(w, h, s->first[h]);
    return ORR_OK;
}

uint32_t orr__flows_user(const struct orr_world *w)
{
    return state_of(w)->user;
}

/* ---- closing ----------------------------------------------------------- */

enum { FLOWS_SHOWN = 3 };

uint32_t orr__flows_waiting(const struct orr_world *w, char *text, size_t size)
{
    const struct orr_flows *fs = w->flows;
    uint32_t open = 0;
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; fs && i < fs->count; i++) {
        const struct orr_flow *f = &fs->flow[i];
        char bytes[32], waits[80] = "";
        char src[ORR_NODE_NAME], dst[ORR_NODE_NAME];
        if (f->finish_ps >= 0 || open++ >= FLOWS_SHOWN)
            continue;
        orr__human_size(f->bytes, bytes, sizeof bytes);
        if (f->start_ps < 0) {
            orr__triggers_describe(state_of(w)->triggers, i, waits,
                                   sizeof waits);
        } else {
            char at[32];
            orr__human_time(f->start_ps, at, sizeof at);
            snprintf(waits, sizeof waits, ", since %s", at);
        }
        if (used < size)
            used += (size_t)snprintf(
                text + used, size - used, "%sflow %u (%s to %s, %s%s)",
                open > 1 ? ", " : "", i,
                orr__node_name(w->graph, f->src, src, sizeof src),
                orr__node_name(w->graph, f->dst, dst, sizeof dst), bytes,
                waits);
    }
    if (open > FLOWS_SHOWN && used < size)
        snprintf(text + used, size - used, ", ...");
    return open;
}

/* ORR_ERUN with the flows that are open, and what may be the cause. */
static orr_err unfinished(const struct orr_world *w, struct orr_report *why)
{
    char list[512];
    uint32_t open = orr__flows_waiting(w, list, sizeof list);
    orr_err err =
        orr__fail(why, ORR_ERUN,
                  "no events are left, but %u of %u flows did not finish: %s",
                  open, w->flows->count, list);
    if (!orr__net_wire(w->net_config).reliable)
        orr__hint(why, "datagrams that are dropped are not sent again");
    orr__failures_hint(w->net_config, w->graph, why);
    orr__timers_hint(w->net_config, why);
    return err;
}

uint32_t orr__flows_open(const struct orr_world *w)
{
    uint32_t open = 0;
    for (uint32_t i = 0; w->flows && i < w->flows->count; i++)
        open += w->flows->flow[i].finish_ps < 0;
    return open;
}

orr_err orr__flows_close(struct orr_world *w, struct orr_report *why)
{
    if (!w->flows)
        return ORR_OK;
    uint32_t open = orr__flows_open(w);
    for (uint32_t i = 0; i < w->flows->count; i++) {
        struct orr_flow *f = &w->flows->flow[i];
        struct orr_connection_spec spec = orr__flow_spec(f, i);
        struct orr_connection_stats stats = {0};
        if (f->connection != ORR_NONE)
            orr__net_connection_stats(w->net, f->connection, &stats);
        f->ideal_ps =
            orr__net_ideal_of(w->net, &spec, f->bytes, f->start_ps,
                              f->finish_ps, stats.retransmissions > 0);
        f->retransmissions = (uint32_t)stats.retransmissions;
        f->timeouts = (uint32_t)stats.timeouts;
        f->marks = (uint32_t)stats.marks;
        f->cnps = (uint32_t)stats.cnps;
    }
    return open && !w->result.partial ? unfinished(w, why) : ORR_OK;
}

void orr__flows_free(struct orr_world *w)
{
    struct state *s = state_of(w);
    if (!s)
        return;
    orr__free(s->flows.flow);
    orr__free(s->order);
    orr__free(s->first);
    orr__free(s->done);
    orr__triggers_free(s->triggers);
    orr__free(s);
    w->flows = NULL;
}
