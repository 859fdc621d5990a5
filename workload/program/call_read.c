/* What is common to collectives of a program and of a training job: finding
 * the algorithm, its servers, its grid, and the limits. */
#include "workload/program/call_read.h"
#include "core/config/module.h"

#include <assert.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "topo/stride_rule.h"
#include "workload/collective/msccl.h"
#include "workload/collective/nccl.h"

orr_err orr__call_algorithm(const struct orr_call_reader *r,
                            enum orr_collective_kind kind,
                            const struct orr_collective_ops **ops,
                            struct orr_report *why)
{
    const struct orr_yaml *at = orr__yaml_get(r->body, r->key);
    const char *text = at ? orr__yaml_text(r->c, at) : NULL;
    *ops = orr__collective_find(kind, text);
    if (*ops)
        return ORR_OK;
    const char *names[32];
    orr__collective_names(kind, names, 32);
    orr__yaml_fail(r->c, at, why, "%s has no algorithm \"%s\"", r->verb, text);
    if (orr__hint_nearest(why, names, text))
        return ORR_ECONFIG;
    char list[400] = "";
    for (int i = 0; names[i]; i++) {
        strncat(list, i ? ", " : "", sizeof list - strlen(list) - 1);
        strncat(list, names[i], sizeof list - strlen(list) - 1);
    }
    orr__hint(why, "it has: %s", list);
    return ORR_ECONFIG;
}

/* The hosts that serve into *hosts (orr__free). */
static orr_err read_servers(const struct orr_call_reader *r,
                            struct orr_call *call, uint32_t **hosts,
                            struct orr_report *why)
{
    struct orr_collective *c = &call->c;
    const struct orr_ints *list = &c->server_hosts;
    const struct orr_yaml *at = orr__yaml_get(r->body, "servers");
    uint32_t first = orr__call_rank(r->p, call, 0, call->from);
    c->servers = list->n               ? (uint32_t)list->n
                 : r->graph->n_servers ? r->graph->n_servers
                                       : 1;
    if (at && !list->n)
        return orr__yaml_fail(r->c, at, why, "servers is empty");
    *hosts = orr__alloc(c->servers, sizeof **hosts);
    if (!*hosts)
        return orr__no_memory(why);
    for (uint32_t i = 0; i < c->servers; i++) {
        int64_t host = list->n               ? list->v[i]
                       : r->graph->n_servers ? r->graph->servers[i]
                                             : r->hosts[first];
        if (host < 0 || host >= r->graph->hosts)
            return orr__yaml_fail(r->c, orr__yaml_item(at, i), why,
                                  "servers: there is no host %lld; hosts are "
                                  "0 to %u",
                                  (long long)host, r->graph->hosts - 1);
        for (uint32_t j = 0; j < i; j++)
            if ((*hosts)[j] == host)
                return orr__yaml_fail(r->c, orr__yaml_item(at, i), why,
                                      "servers: host %lld is listed twice",
                                      (long long)host);
        (*hosts)[i] = (uint32_t)host;
    }
    if (c->shards == 0)
        c->shards = c->servers;
    return ORR_OK;
}

/* Butterflies need powers of two. */
static orr_err check_doubles(const struct orr_call_reader *r,
                             const struct orr_collective *c,
                             const struct orr_yaml *at, struct orr_report *why)
{
    for (uint32_t d = 0; c->ops->doubles && d < c->n_dims; d++)
        if (c->dim[d] & (c->dim[d] - 1))
            return orr__yaml_fail(r->c, at ? at : r->body, why,
                                  "%s by %s: every dimension must be a power "
                                  "of two, and one is %u",
                                  r->verb, c->ops->name, c->dim[d]);
    return ORR_OK;
}

/* The grid that the group stands on. */
static orr_err read_grid(const struct orr_call_reader *r, struct orr_call *call,
                         struct orr_report *why)
{
    struct orr_collective *c = &call->c;
    const struct orr_graph *g = r->graph;
    const struct orr_yaml *at = orr__yaml_get(r->body, "dims");
    size_t n = at ? c->dims.n : c->n == g->hosts ? g->n_dims : 0;
    uint64_t product = 1; /* below 2^32 until it is too large */
    for (size_t i = 0; i < n && product <= c->n; i++) {
        uint32_t d = at ? (uint32_t)c->dims.v[i] : g->dims[i];
        product *= d;
        if (d > 1 && product <= c->n)
            c->dim[c->n_dims++] = d;
    }
    if (product == c->n && (at || n))
        return check_doubles(r, c, at, why);
    if (at)
        return orr__yaml_fail(r->c, at, why,
                              "%s.dims: the product must be %u, as many as "
                              "ranks take part",
                              r->verb, c->n);
    orr__yaml_fail(r->c, r->body, why, "%s by %s needs dims here", r->verb,
                   c->ops->name);
    orr__hint(why, "ranks along each dimension, like dims: [4, 4]; default: "
                   "those of a torus with as many hosts as ranks");
    return ORR_ECONFIG;
}

/* Strides that the user gave. */
static orr_err check_strides(const struct orr_call_reader *r,
                             const struct orr_collective *c,
                             struct orr_report *why)
{
    const struct orr_yaml *at = orr__yaml_get(r->body, "strides");
    for (size_t i = 0; i < c->strides.n; i++) {
        int64_t s = c->strides.v[i];
        uint64_t shared = orr__common_factor((uint64_t)s, c->n);
        if (shared > 1)
            return orr__yaml_fail(r->c, orr__yaml_item(at, i), why,
                                  "%s.strides: %lld shares the factor %llu "
                                  "with %u ranks: it would make no ring of all",
                                  r->verb, (long long)s,
                                  (unsigned long long)shared, c->n);
        for (size_t j = 0; j < i; j++)
            if (c->strides.v[j] == s)
                return orr__yaml_fail(r->c, orr__yaml_item(at, i), why,
                                      "%s.strides: %lld is in it twice",
                                      r->verb, (long long)s);
    }
    return ORR_OK;
}

/* The rings that shares go round; of one rank there is none to tell. */
static orr_err read_strides(const struct orr_call_reader *r,
                            struct orr_call *call, struct orr_report *why)
{
    struct orr_collective *c = &call->c;
    const struct orr_graph *g = r->graph;
    bool fits = g->n_strides && c->n == g->hosts;
    if (c->direction > ORR_BOTH)
        c->direction = fits && g->simplex ? ORR_FORWARD : ORR_BOTH;
    if (c->strides.n)
        return check_strides(r, c, why);
    if (fits)
        c->strides = (struct orr_ints){g->strides, g->n_strides};
    if (fits || c->n == 1)
        return ORR_OK;
    orr__yaml_fail(r->c, r->body, why, "%s by %s needs strides here", r->verb,
                   c->ops->name);
    orr__hint(why, "a ring for each, like strides: [1, 3]; default: those of a "
                   "topology of kind strides with as many hosts as ranks");
    return ORR_ECONFIG;
}

/* Members of a server in the group that rank `of` is in: those on one host, if
 * they are neighbours in the group and as many on each; else 0. */
static uint32_t same_hosts(const struct orr_call_reader *r,
                           const struct orr_call *call, uint32_t of)
{
    uint32_t n = call->c.n, run = 1, local = 0, last = UINT32_MAX;
    for (uint32_t i = 0; i <= n; i++) {
        uint32_t host = UINT32_MAX;
        if (i < n)
            host = r->hosts[orr__call_rank(r->p, call, i, of)];
        if (i > 0 && host == last) {
            run++;
        } else if (i > 0) {
            if (local && run != local)
                return 0;
            local = run;
            run = 1;
        }
        last = host;
    }
    return local;
}

/* The same for all groups of the call at once; 0 where they differ. */
static uint32_t same_everywhere(const struct orr_call_reader *r,
                                const struct orr_call *call)
{
    uint32_t local = same_hosts(r, call, call->from);
    uint32_t end = call->from + orr__call_ranks(r->p, call);
    for (uint32_t i = call->from; call->stride && local && i < end; i++)
        if (i / call->stride % call->c.n == 0
            && same_hosts(r, call, i) != local)
            local = 0;
    return local;
}

/* Whether two ranks of the job live on one host; -1: no memory. */
static int any_together(const struct orr_call_reader *r)
{
    bool *seen = orr__alloc(r->graph->nodes, sizeof *seen);
    bool found = false;
    if (!seen)
        return -1;
    for (uint32_t i = 0; !found && i < r->p->ranks; i++) {
        found = seen[r->hosts[i]];
        seen[r->hosts[i]] = true;
    }
    orr__free(seen);
    return found;
}

/* A job with a model says how many of its ranks, one after another, make a
 * server: of a group whose members are `stride` apart as many fewer. */
static bool share_of_server(struct orr_call *call)
{
    uint64_t local = (uint64_t)call->c.local, stride = call->stride;
    uint64_t whole = stride * call->c.n;
    assert(whole > 0); /* there are members, and they are apart */
    if (local >= whole) {
        call->c.local = call->c.n;
        return local % whole == 0;
    }
    call->c.local = local > stride ? (int64_t)(local / stride) : 1;
    return local % stride == 0 || stride % local == 0;
}

/* The servers that the group is made of. */
static orr_err read_levels(const struct orr_call_reader *r,
                           struct orr_call *call, struct orr_report *why)
{
    struct orr_collective *c = &call->c;
    const struct orr_yaml *at = orr__yaml_get(r->body, "local");
    bool given = c->local > 0;
    if (given) {
        int64_t said = c->local;
        bool fits = !call->stride || share_of_server(call);
        assert(c->local > 0);
        if (fits && c->n % c->local == 0)
            return ORR_OK;
        return orr__yaml_fail(r->c, at ? at : r->body, why,
                              "%s.local: %u ranks are not servers of %lld",
                              r->verb, c->n, (long long)said);
    }
    c->local = same_everywhere(r, call);
    if (c->local > 1 || c->n == 1)
        return ORR_OK;
    /* groups across servers, of a job whose other groups are inside */
    int together = c->local && call->stride ? any_together(r) : 0;
    if (together < 0)
        return orr__no_memory(why);
    if (together)
        return ORR_OK;
    orr__yaml_fail(r->c, r->body, why, "%s by %s needs local here", r->verb,
                   c->ops->name);
    orr__hint(why, "ranks of a server, like local: 8; default: those placed on "
                   "one host, one after another");
    return ORR_ECONFIG;
}

/* Of ranks that share a host and have no links inside: as `local` of a job is
 * by default. */
#define LOCAL_BPS UINT64_C(3200000000000)

/* What NCCL would find out about the server of the call's first rank: NICs, and
 * links inside, which are of the tier nvlink. */
static struct orr_nccl_server find_server(const struct orr_call_reader *r,
                                          const struct orr_call *call)
{
    const struct orr_graph *g = r->graph;
    struct orr_nccl_server s = {0, UINT64_MAX, 0};
    uint32_t last = UINT32_MAX;
    for (uint32_t m = 0; m < orr__nccl_local(&call->c); m++) {
        uint32_t host = r->hosts[orr__call_rank(r->p, call, m, call->from)];
        uint64_t inside = 0;
        for (uint32_t i = g->out_off[host];
             host != last && i < g->out_off[host + 1]; i++) {
            uint32_t link = g->out_link[i];
            if (strcmp(g->tier_names[g->tier[link]], "nvlink") == 0) {
                inside += g->rate_bps[link];
                continue;
            }
            s.nics++;
            if (g->rate_bps[link] < s.nic_bps)
                s.nic_bps = g->rate_bps[link];
        }
        if (inside > s.local_bps)
            s.local_bps = inside;
        last = host;
    }
    if (s.local_bps == 0)
        s.local_bps = LOCAL_BPS;
    return s;
}

/* Chunks of all channels together: their slices over the steps are counted in
 * 32 bits. */
#define SLICES_MOST (UINT64_C(1) << 28)

/* What excludes channels, or would make them wait in a circle. */
static orr_err check_channels(const struct orr_call_reader *r,
                              const struct orr_call *call,
                              struct orr_report *why)
{
    const struct orr_collective *c = &call->c;
    uint32_t least = orr__nccl_slots_least(c);
    if (call->chunks > 1)
        return orr__yaml_fail(r->c, orr__yaml_get(r->body, "chunks"), why,
                              "%s.chunks: with `protocol` channels cut the "
                              "message themselves",
                              r->verb);
    uint64_t all = call->c.ops->kind == ORR_ALL_GATHER ? c->n : 1;
    if (c->n >= ORR_MAX_STEPS
        || call->bytes > SLICES_MOST * c->plan.chunk / all)
        return orr__yaml_fail(r->c, orr__yaml_get(r->body, "size"), why,
                              "%s.size: too many slices for %u ranks", r->verb,
                              c->n);
    if (c->slots < least)
        return orr__yaml_fail(r->c, orr__yaml_get(r->body, "slots"), why,
                              "%s.slots: %s by %s needs %u at least, or its "
                              "ranks would wait for one another",
                              r->verb, c->ops->name,
                              orr__protocol_name(c->protocol), least);
    return ORR_OK;
}

/* How a call runs in channels, if it does. */
static orr_err read_channels(const struct orr_call_reader *r,
                             struct orr_call *call, struct orr_report *why)
{
    struct orr_collective *c = &call->c;
    if (c->ops->chosen && c->protocol == ORR_PROTOCOL_NONE)
        c->protocol = ORR_PROTOCOL_AUTO;
    if ((!c->ops->blocks && !c->ops->chosen)
        || c->protocol == ORR_PROTOCOL_NONE)
        return ORR_OK;
    const struct orr_nccl_server s = find_server(r, call);
    orr__nccl_plan(c, call->bytes, &s);
    return check_channels(r, call, why);
}

/* A schedule in a file, for as long as the document lives. */
static orr_err keep_schedule(struct orr_config *c, const struct orr_msccl *s,
                             const struct orr_msccl **out,
                             struct orr_report *why)
{
    struct orr_arena *a = orr__config_arena(c);
    struct orr_msccl *k = orr__arena_alloc(a, 1, sizeof *k);
    void *gpu = orr__arena_alloc(a, s->gpus, sizeof *s->gpu);
    void *block = orr__arena_alloc(a, s->blocks + (size_t)1, sizeof *s->block);
    void *step = orr__arena_alloc(a, s->steps + (size_t)1, sizeof *s->step);
    if (!k || !gpu || !block || !step)
        return orr__no_memory(why);
    *k = *s;
    k->name = NULL;
    k->gpu = memcpy(gpu, s->gpu, s->gpus * sizeof *s->gpu);
    k->block = block;
    k->step = step;
    if (s->blocks)
        memcpy(block, s->block, s->blocks * sizeof *s->block);
    if (s->steps)
        memcpy(step, s->step, s->steps * sizeof *s->step);
    *out = k;
    return ORR_OK;
}

/* Its blocks, and what their copies cost. */
static void plan_schedule(const struct orr_call_reader *r,
                          struct orr_call *call)
{
    struct orr_collective *c = &call->c;
    const struct orr_nccl_server server = find_server(r, call);
    c->plan = (struct orr_channel_plan){
        .channels = c->schedule->channels ? c->schedule->channels : 1,
        .blocks = c->schedule->most_blocks,
        .room = (uint32_t)c->slots,
        .wire = {1, 1},
    };
    if (c->protocol == ORR_PROTOCOL_AUTO)
        c->protocol = c->schedule->protocol;
    if (c->protocol != ORR_PROTOCOL_NONE)
        orr__nccl_costs(c, call->bytes, &server);
}

/* A schedule from a file: it must fit the group, and compute what it says. */
static orr_err read_schedule(const struct orr_call_reader *r,
                             struct orr_call *call, struct orr_report *why)
{
    struct orr_collective *c = &call->c;
    const struct orr_yaml *at = orr__yaml_get(r->body, "file");
    const char *folder = orr__config_folder(r->c);
    struct orr_msccl *s;
    char *path = c->file[0] == '/' || strcmp(folder, ".") == 0
                     ? orr__strdup(c->file)
                     : orr__format("%s/%s", folder, c->file);
    if (!path)
        return orr__no_memory(why);
    orr_err err = orr__msccl_read(path, c->n, c->ops->kind, &s, why);
    orr__free(path);
    if (err == ORR_ECONFIG && why->line <= 0)
        return orr__yaml_place(r->c, at, err, why);
    if (!err)
        err = orr__msccl_check(s, (uint32_t)c->slots, why);
    if (!err)
        err = keep_schedule(r->c, s, &c->schedule, why);
    orr__msccl_free(s);
    if (err)
        return err;
    plan_schedule(r, call);
    if (call->chunks > 1)
        return orr__yaml_fail(r->c, orr__yaml_get(r->body, "chunks"), why,
                              "%s.chunks: the file cuts the message itself",
                              r->verb);
    return ORR_OK;
}

/* Limits that tags and byte counts set. */
static orr_err check_limits(const struct orr_call_reader *r,
                            const struct orr_call *call, struct orr_report *why)
{
    const struct orr_collective *c = &call->c;
    if (!c->sizes && call->bytes > (UINT64_C(1) << 62) / c->n)
        return orr__yaml_fail(r->c, orr__yaml_get(r->body, "size"), why,
                              "%s.size: too much for %u ranks", r->verb, c->n);
    uint32_t lanes = orr__collective_lanes(c);
    if (lanes >= ORR_MAX_LANES)
        return orr__yaml_fail(r->c, r->body, why, "%s: %u shards are too many",
                              r->verb, lanes);
    for (uint32_t i = 0; i < lanes; i++)
        if (c->ops->steps(c, i) >= ORR_MAX_STEPS)
            return orr__yaml_fail(r->c, r->body, why,
                                  "%s by %s: too many steps for %u ranks",
                                  r->verb, c->ops->name, c->n);
    return ORR_OK;
}

orr_err orr__call_finish(const struct orr_call_reader *r, struct orr_call *call,
                         uint32_t **servers, struct orr_report *why)
{
    orr_err err = ORR_OK;
    if (call->c.ops->serves)
        err = read_servers(r, call, servers, why);
    if (!err && call->c.ops->grid)
        err = read_grid(r, call, why);
    if (!err && call->c.ops->rings)
        err = read_strides(r, call, why);
    if (!err && call->c.ops->levels)
        err = read_levels(r, call, why);
    if (!err && call->c.ops->from_file)
        err = read_schedule(r, call, why);
    else if (!err)
        err = read_channels(r, call, why);
    call->c.largest = orr__largest_chunk(call->bytes, call->chunks);
    return err ? err : check_limits(r, call, why);
}
