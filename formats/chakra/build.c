/* Nodes of a Chakra trace as operations. An NPU does one thing at a time on
 * each of three units, as ASTRA-sim 2.x has it: host operations, computations
 * of the accelerator, and its sends and collectives. A unit that is free takes
 * the ready node of the lowest number. */
#include "formats/chakra/build.h"
#include "core/none.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "core/array.h"
#include "core/assert.h"
#include "core/units.h"

static orr_err fail_node(struct orr_chakra_build *b,
                         const struct orr_chakra_node *n, const char *what)
{
    return orr__fail_at(b->why, ORR_ECONFIG, b->c->file, 0, 0,
                        "node %" PRIu64 ": %s", n->id, what);
}

static orr_err add_op(struct orr_chakra_build *b, struct orr_op op,
                      uint32_t *id)
{
    op.who = ORR_EVERYONE;
    return orr__program_add(b->p, &op, id, b->why);
}

/* ---- computations ------------------------------------------------------- */

/* ps for so many units at so many a second. */
static double time_at_rate(uint64_t amount, double rate)
{
    return rate > 0 ? (double)amount / rate * (double)ORR_S : 0;
}

static bool is_memory(const struct orr_chakra_node *n)
{
    return n->type == ORR_CHAKRA_MEM_LOAD || n->type == ORR_CHAKRA_MEM_STORE;
}

static bool replays(const struct orr_chakra_build *b)
{
    return b->how->system && b->how->system->replay;
}

/* Whether a node takes as long as its operations and bytes need in 2.x. */
static bool by_roofline(const struct orr_chakra_build *b,
                        const struct orr_chakra_node *n)
{
    return b->how->system && b->how->system->roofline && !n->cpu
           && n->type == ORR_CHAKRA_COMP;
}

/* In ps, as ASTRA-sim 2.x has it. */
static double its_duration(const struct orr_chakra_build *b,
                           const struct orr_chakra_node *n)
{
    const struct orr_astra_system *s = b->how->system;
    double bytes = s->memory_gbps * 1e9;
    bool replay = s->replay;
    if (!replay && is_memory(n) && b->how->memory)
        return (double)orr__astra_memory_time(b->how->memory, n->tensor);
    if (!replay && is_memory(n) && n->duration_us == 0)
        return time_at_rate(n->tensor, bytes);
    if (!replay && by_roofline(b, n)) {
        /* operations for each byte say which of the two limits holds; the
         * result is cut down to whole ns */
        double peak = s->peak_tflops * 1e12;
        double at =
            n->tensor ? bytes * ((double)n->ops / (double)n->tensor) : 0;
        double ns =
            time_at_rate(n->ops, at < peak ? at : peak) / (double)ORR_NS;
        return ns < 4e15 ? (double)((int64_t)ns * ORR_NS) : 4e18;
    }
    /* a replay lasts a nanosecond at least */
    return n->duration_us ? (double)n->duration_us * (double)ORR_US
                          : (double)ORR_NS;
}

/* ps: recorded, or by the roofline of floating point operations and bytes. */
static int64_t duration(const struct orr_chakra_build *b,
                        const struct orr_chakra_node *n)
{
    double flops = b->how->tflops * 1e12;
    double bytes = (double)b->how->tensor_bps / 8;
    double ps = (double)n->duration_us * (double)ORR_US;
    if (n->duration_ps && !b->how->system && flops == 0)
        return n->duration_ps < ORR_HORIZON ? (int64_t)n->duration_ps
                                            : ORR_HORIZON;
    if (b->how->system) {
        ps = its_duration(b, n);
    } else if (n->type == ORR_CHAKRA_COMP && !n->cpu && flops > 0 && n->ops) {
        double a = time_at_rate(n->ops, flops),
               m = time_at_rate(n->tensor, bytes);
        ps = a > m ? a : m;
    } else if (n->type != ORR_CHAKRA_COMP && n->duration_us == 0) {
        ps = time_at_rate(n->tensor, bytes);
    }
    return ps < (double)ORR_HORIZON ? (int64_t)ps : ORR_HORIZON;
}

/* Whether nothing waits for a unit: so it is in traces that orrery wrote. */
static bool is_own(const struct orr_chakra_build *b)
{
    return b->c->own && !b->how->system;
}

/* On its unit, or in orrery's own traces on its stream; computations of the
 * host do not count as computing. */
static orr_err add_compute(struct orr_chakra_build *b, uint32_t node,
                           uint16_t unit)
{
    const struct orr_chakra_node *n = &b->c->node[node];
    bool own = is_own(b);
    int64_t time = duration(b, n);
    struct orr_chakra_part *part = &b->part[b->parts - 1];
    if ((n->type == ORR_CHAKRA_COMP || replays(b)) && !n->cpu)
        part->compute_ps = orr__time_add(part->compute_ps, time);
    orr_err err = add_op(b,
                         (struct orr_op){
                             .kind = ORR_OP_COMPUTE,
                             .stream = own ? (uint16_t)n->stream : unit,
                             .priority = own ? 0 : b->priority[node],
                             .index = ORR_NONE,
                             .time_ps = time,
                         },
                         &b->head[node]);
    b->tail[node] = b->head[node];
    return err;
}

/* Any node, as long as it was recorded, on the unit that it has there. */
static orr_err add_replay(struct orr_chakra_build *b, uint32_t node)
{
    const struct orr_chakra_node *n = &b->c->node[node];
    orr_err err = orr__program_slots(b->p, ORR_CHAKRA_ANY, UINT32_MAX, b->why);
    if (err)
        return err;
    return add_compute(b, node,
                       n->cpu                       ? ORR_CHAKRA_HOST
                       : n->type == ORR_CHAKRA_COMP ? ORR_CHAKRA_DEVICE
                       : n->type == ORR_CHAKRA_RECV ? ORR_CHAKRA_ANY
                                                    : ORR_CHAKRA_COMM);
}

static orr_err add_wait(struct orr_chakra_build *b, uint32_t node)
{
    orr_err err =
        add_op(b, (struct orr_op){.kind = ORR_OP_WAIT}, &b->head[node]);
    b->tail[node] = b->head[node];
    return err;
}

/* Loads and stores. ASTRA-sim 2.x keeps the unit busy that communicates. */
static orr_err add_memory(struct orr_chakra_build *b, uint32_t node)
{
    const struct orr_chakra_node *n = &b->c->node[node];
    const struct orr_astra_memory *m = b->how->memory;
    if (m && m->type == ORR_ASTRA_NO_MEMORY)
        return fail_node(b, n,
                         "it needs remote memory, but memory-type is "
                         "NO_MEMORY_EXPANSION");
    if (m && m->npus > 1)
        return fail_node(b, n,
                         "remote memory that NPUs share is not modelled; "
                         "PER_NPU_MEMORY_EXPANSION is");
    return add_compute(b, node,
                       n->cpu           ? ORR_CHAKRA_HOST
                       : b->how->system ? ORR_CHAKRA_COMM
                                        : ORR_CHAKRA_DEVICE);
}

/* ---- messages ----------------------------------------------------------- */

/* A send or a receive; the peer must be another rank that there is. */
static orr_err add_message(struct orr_chakra_build *b, uint32_t node)
{
    const struct orr_chakra_node *n = &b->c->node[node];
    bool send = n->type == ORR_CHAKRA_SEND;
    char text[120];
    uint32_t ranks = b->job->ranks;
    uint32_t most = b->files < ranks && b->files > 1 ? b->files : ranks;
    if (n->peer >= most || n->peer == b->rank) {
        snprintf(text, sizeof text,
                 n->peer == b->rank ? "rank %u %s itself"
                                    : "there is no rank %u to %s",
                 n->peer,
                 n->peer == b->rank ? send ? "sends to" : "receives from"
                 : send             ? "send to"
                                    : "receive from");
        return fail_node(b, n, text);
    }
    b->part[b->parts - 1].messages = true;
    b->info->sends += send && b->rank == 0;
    if (send && b->rank == 0)
        b->info->send_bytes += n->size;
    /* relative, so that copies of this rank can share it */
    orr_err err =
        add_op(b,
               (struct orr_op){
                   .kind = send ? ORR_OP_SEND : ORR_OP_RECV,
                   .relative = b->files < ranks,
                   .holds = send && !is_own(b),
                   .stream = send && !is_own(b) ? ORR_CHAKRA_COMM : 0,
                   .priority = is_own(b) ? 0 : b->priority[node],
                   .index = n->tag,
                   .peer = b->files < ranks
                               ? orr__round_up(n->peer, ranks - b->rank, ranks)
                               : n->peer,
                   .bytes = n->size,
               },
               &b->head[node]);
    b->tail[node] = b->head[node];
    return err;
}

/* ---- collectives -------------------------------------------------------- */

static struct orr_chakra_group *in_metadata(const struct orr_chakra_build *b,
                                            const char *name)
{
    for (uint32_t i = 0; i < b->c->groups; i++)
        if (!strcmp(b->c->group[i].name, name))
            return &b->c->group[i];
    return NULL;
}

/* A group of the metadata, in the program. */
static orr_err add_group(struct orr_chakra_build *b,
                         const struct orr_chakra_node *n,
                         struct orr_chakra_group *g)
{
    char text[ORR_MISFIT], what[ORR_MISFIT + 32];
    size_t misfit;
    orr_err err = orr__program_fits(b->p, g->rank, g->n, &misfit, b->why);
    if (err)
        return err;
    if (misfit < g->n) {
        orr__program_misfit(b->p, g->rank[misfit], text);
        snprintf(what, sizeof what, "its group (pg_name): %s", text);
        return fail_node(b, n, what);
    }
    g->known = true;
    return orr__program_group(b->p, g->rank, g->n, &g->group, b->why);
}

/* The group of a program that a pg_name stands for: from the groups file, else
 * from the trace's metadata, else all ranks. */
static orr_err group_of(struct orr_chakra_build *b,
                        const struct orr_chakra_node *n, uint32_t *group)
{
    *group = ORR_EVERYONE;
    if (n->group == ORR_NONE)
        return ORR_OK;
    const char *name = b->c->text[n->group];
    if (b->how->system && !strcmp(name, "0")) /* all, whatever is said */
        return ORR_OK;
    for (uint32_t i = 0; i < b->groups; i++)
        if (!strcmp(b->group[i].name, name)) {
            *group = b->group[i].group;
            return ORR_OK;
        }
    struct orr_chakra_group *g = in_metadata(b, name);
    if (!g && b->how->system && name[strspn(name, "0123456789")] == '\0') {
        orr_err err = fail_node(b, n, "there is no group of its pg_name");
        orr__hint(b->why, "a file of groups goes with the trace: "
                          "--comm-group-configuration, or `groups`");
        return err;
    }
    if (!g || !g->rank)
        return ORR_OK;
    orr_err err = g->known ? ORR_OK : add_group(b, n, g);
    *group = g->group;
    return err;
}

/* By comm_type. ORR_ECONFIG: it has none. */
static orr_err kind_of(struct orr_chakra_build *b,
                       const struct orr_chakra_node *n,
                       enum orr_collective_kind *kind)
{
    static const enum orr_collective_kind kinds[] = {
        [ORR_CHAKRA_ALL_REDUCE] = ORR_ALL_REDUCE,
        [ORR_CHAKRA_REDUCE] = ORR_REDUCE,
        [ORR_CHAKRA_ALL_GATHER] = ORR_ALL_GATHER,
        [ORR_CHAKRA_GATHER] = ORR_GATHER,
        [ORR_CHAKRA_SCATTER] = ORR_SCATTER,
        [ORR_CHAKRA_BROADCAST] = ORR_BROADCAST,
        [ORR_CHAKRA_ALL_TO_ALL] = ORR_ALL_TO_ALL,
        [ORR_CHAKRA_REDUCE_SCATTER] = ORR_REDUCE_SCATTER,
        [ORR_CHAKRA_REDUCE_SCATTER_BLOCK] = ORR_REDUCE_SCATTER,
        [ORR_CHAKRA_BARRIER] = ORR_BARRIER,
    };
    if (n->comm < 0)
        return fail_node(b, n, "a collective without comm_type");
    *kind = kinds[n->comm];
    return ORR_OK;
}

static orr_err mismatch(struct orr_chakra_build *b,
                        const struct orr_chakra_shared *s,
                        const struct orr_chakra_node *n)
{
    return orr__fail_at(b->why, ORR_ECONFIG, b->c->file, 0, 0,
                        "node %" PRIu64 " (%s of %" PRIu64 " bytes) does not "
                        "match node %" PRIu64 " of %s (%" PRIu64 " bytes): "
                        "ranks of a group must come to the same collectives "
                        "in the same order",
                        n->id,
                        n->comm == s->comm ? "the same kind" : "another kind",
                        n->size, s->node, b->part[s->part].file, s->bytes);
}

/* How many collectives of that group this rank had so far; one more now. */
static bool count_collective(struct orr_chakra_build *b, uint32_t group,
                             uint32_t involved, uint64_t *number)
{
    uint32_t i = 0;
    while (i < b->seens
           && (b->seen[i].group != group || b->seen[i].involved != involved))
        i++;
    if (!orr__array_more(b->seen, b->counts_room, i))
        return false;
    if (i == b->seens)
        b->seen[b->seens++] = (struct orr_chakra_count){group, involved, 0};
    *number = b->seen[i].n++;
    return true;
}

/* Whether other ranks have this collective already: the n-th of its group. */
static orr_err share_call(struct orr_chakra_build *b,
                          const struct orr_chakra_node *n, uint32_t group,
                          uint32_t involved, struct orr_chakra_shared **out)
{
    uint64_t number;
    if (!count_collective(b, group, involved, &number))
        return orr__no_memory(b->why);
    const uint64_t name[] = {group, involved, number};
    uint64_t key = XXH3_64bits(name, sizeof name);
    uint32_t at = orr__table_find(&b->by_key, key);
    if (at == ORR_NONE) {
        at = b->n_shared;
        if (!orr__array_more(b->shared, b->shared_room, at)
            || !orr__table_add(&b->by_key, key, at))
            return orr__no_memory(b->why);
        b->shared[b->n_shared++] = (struct orr_chakra_shared){
            ORR_NONE, b->parts - 1, n->id, n->size, n->comm};
    }
    *out = &b->shared[at];
    ORR_ASSERT((*out)->part < b->parts);
    if ((*out)->comm != n->comm || (*out)->bytes != n->size)
        return mismatch(b, *out, n);
    return ORR_OK;
}

static uint32_t members(const struct orr_chakra_build *b, uint32_t group)
{
    return group == ORR_EVERYONE ? b->p->ranks : b->p->group[group].n;
}

/* A call with the trace's own choice of algorithm. */
static orr_err plain_call(struct orr_chakra_build *b,
                          const struct orr_chakra_node *n,
                          enum orr_collective_kind kind, uint32_t group,
                          uint32_t *id)
{
    const struct orr_chakra_how *h = b->how;
    struct orr_call call = {
        .c = {.ops = orr__collective_find(kind, h->algorithm),
              .n = members(b, group),
              .root = n->root},
        .bytes = kind == ORR_BARRIER ? 1 : n->size,
        .chunks = kind == ORR_BARRIER ? 1 : h->chunks,
        .concurrent = h->concurrent,
        .endpoint_delay_ps = h->endpoint_ps,
        .memory_bps = h->memory_bps,
        .group = group,
    };
    ORR_ASSERT(call.c.n > 0);
    bool serves = call.c.ops && call.c.ops->serves;
    if (serves && b->servers)
        call.c.shards = call.c.servers = b->servers;
    else if (!call.c.ops || serves || call.c.ops->grid)
        call.c.ops = orr__collective_find(kind, NULL);
    if (orr__collective_rooted(kind) && group != ORR_EVERYONE)
        call.c.root = orr__group_find(&b->p->group[group], n->root);
    if (call.c.root >= call.c.n)
        return fail_node(b, n, "the root is not a rank of the group");
    return orr__program_call(b->p, &call, b->server, id, b->why);
}

/* One call for all ranks, performed by one of our algorithms. */
static orr_err add_plain(struct orr_chakra_build *b, uint32_t node,
                         enum orr_collective_kind kind, uint32_t group,
                         struct orr_chakra_shared *s)
{
    orr_err err = ORR_OK;
    if (s->call == ORR_NONE)
        err = plain_call(b, &b->c->node[node], kind, group, &s->call);
    if (!err)
        err = add_op(b,
                     (struct orr_op){
                         .kind = ORR_OP_COLLECTIVE,
                         .holds = !is_own(b),
                         .stream = is_own(b) ? 0 : ORR_CHAKRA_COMM,
                         .priority = is_own(b) ? 0 : b->priority[node],
                         .index = s->call,
                     },
                     &b->head[node]);
    b->tail[node] = b->head[node];
    return err;
}

/* As ASTRA-sim's system file has it: the unit is taken, the chunks go through
 * their phases, the unit is free again. */
static orr_err add_expanded(struct orr_chakra_build *b, uint32_t node,
                            enum orr_collective_kind kind, uint32_t group,
                            uint32_t involved, struct orr_chakra_shared *s)
{
    const struct orr_chakra_node *n = &b->c->node[node];
    orr_err err = add_op(b,
                         (struct orr_op){.kind = ORR_OP_WAIT,
                                         .holds = true,
                                         .keeps = true,
                                         .stream = ORR_CHAKRA_COMM,
                                         .priority = b->priority[node]},
                         &b->head[node]);
    struct orr_issue what = {
        .kind = kind,
        .bytes = n->size,
        .involved = involved,
        .group = group,
        .priority = n->priority,
        .whole = true,
        .before = b->head[node],
        .calls = s->call,
    };
    uint32_t done = ORR_NONE, first = b->p->calls;
    if (!err)
        err = orr__expand(&b->x, &what, &done);
    if (!err && s->call == ORR_NONE)
        s->call = first;
    if (!err)
        err = add_op(b,
                     (struct orr_op){.kind = ORR_OP_WAIT,
                                     .frees = true,
                                     .stream = ORR_CHAKRA_COMM},
                     &b->tail[node]);
    if (err)
        return err;
    return orr__program_depend(b->p, done == ORR_NONE ? b->head[node] : done,
                               b->tail[node], b->why);
}

/* The user's own algorithm, ASTRA-sim's expansion over dimensions, or a plain
 * call. */
static orr_err add_collective(struct orr_chakra_build *b, uint32_t node)
{
    const struct orr_chakra_node *n = &b->c->node[node];
    enum orr_collective_kind kind = ORR_ALL_REDUCE;
    uint32_t group = ORR_EVERYONE, involved = n->involved;
    struct orr_chakra_shared *s;
    orr_err err = kind_of(b, n, &kind);
    if (!err)
        err = group_of(b, n, &group);
    if (err)
        return err;
    if (group != ORR_EVERYONE
        && orr__group_find(&b->p->group[group], b->rank) == UINT32_MAX)
        return fail_node(b, n, "this rank is not in the group (pg_name)");
    /* a group of all NPUs, in whatever order, is the grid in 2.x */
    if (b->how->system && group != ORR_EVERYONE
        && members(b, group) == b->p->ranks) {
        group = ORR_EVERYONE;
        involved = UINT32_MAX;
    }
    if (b->rank == 0) {
        b->info->collectives++;
        b->info->collective_bytes += n->size;
    }
    const char *prefix = orr__custom_of(b->how->custom, kind, n->id);
    if (prefix)
        return orr__custom_add(b, node, prefix, group);
    bool expands = b->how->system
                   && (kind == ORR_ALL_REDUCE || kind == ORR_ALL_GATHER
                       || kind == ORR_ALL_TO_ALL || kind == ORR_REDUCE_SCATTER);
    /* a broadcast is as long as it was recorded there */
    if (b->how->system && kind == ORR_BROADCAST)
        return add_compute(b, node, ORR_CHAKRA_COMM);
    err = share_call(b, n, group, expands ? involved : UINT32_MAX, &s);
    if (err)
        return err;
    return expands ? add_expanded(b, node, kind, group, involved, s)
                   : add_plain(b, node, kind, group, s);
}

/* ---- a rank's part ------------------------------------------------------ */

/* A node by its type; those without a meaning only join others. */
static orr_err add_node(struct orr_chakra_build *b, uint32_t node)
{
    const struct orr_chakra_node *n = &b->c->node[node];
    b->part[b->parts - 1].by_type[n->type]++;
    ORR_ASSERT(node < b->c->nodes && n->type < ORR_CHAKRA_TYPES);
    if (replays(b))
        return add_replay(b, node);
    switch (n->type) {
    case ORR_CHAKRA_SEND:
    case ORR_CHAKRA_RECV: return add_message(b, node);
    case ORR_CHAKRA_COLL:
        /* what the host did to start one, recorded under the same type */
        if (n->comm < 0 && n->cpu)
            return add_compute(b, node, ORR_CHAKRA_HOST);
        return add_collective(b, node);
    case ORR_CHAKRA_COMP:
        if (n->joins && !b->how->system)
            return add_wait(b, node);
        /* what moves nothing is passed over there */
        if (by_roofline(b, n) && n->tensor == 0)
            return add_wait(b, node);
        return add_compute(b, node,
                           n->cpu ? ORR_CHAKRA_HOST : ORR_CHAKRA_DEVICE);
    case ORR_CHAKRA_MEM_LOAD:
    case ORR_CHAKRA_MEM_STORE: return add_memory(b, node);
    default: return add_wait(b, node);
    }
}

/* A node and its id, by which nodes that are ready take turns. */
struct node_order {
    uint64_t id;
    uint32_t node;
};

static int compare_ids(const void *a, const void *b)
{
    const struct node_order *x = a, *y = b;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* The lowest number goes first, wherever it stands in the file. */
static orr_err order_nodes(struct orr_chakra_build *b)
{
    const struct orr_chakra *c = b->c;
    bool sorted = true;
    b->priority = orr__alloc(c->nodes, sizeof *b->priority);
    if (!b->priority)
        return orr__no_memory(b->why);
    for (uint32_t i = 0; i < c->nodes; i++) {
        b->priority[i] = -(int32_t)i;
        sorted &= i == 0 || c->node[i - 1].id < c->node[i].id;
    }
    if (sorted)
        return ORR_OK;
    struct node_order *t = orr__alloc(c->nodes, sizeof *t);
    if (!t)
        return orr__no_memory(b->why);
    for (uint32_t i = 0; i < c->nodes; i++)
        t[i] = (struct node_order){c->node[i].id, i};
    qsort(t, c->nodes, sizeof *t, compare_ids);
    for (uint32_t i = 0; i < c->nodes; i++)
        b->priority[t[i].node] = -(int32_t)i;
    orr__free(t);
    return ORR_OK;
}

orr_err orr__chakra_add_part(struct orr_chakra_build *b)
{
    struct orr_chakra *c = b->c;
    orr_err err = ORR_OK;
    orr__expander_restart(&b->x);
    b->seens = 0;
    b->priority = NULL;
    b->head = orr__alloc(c->nodes, sizeof *b->head);
    b->tail = orr__alloc(c->nodes, sizeof *b->tail);
    if (!b->head || !b->tail)
        err = orr__no_memory(b->why);
    if (!err)
        err = order_nodes(b);
    /* collectives find each other, their queues and calls in this order */
    for (uint32_t i = 0; !err && i < c->nodes; i++)
        err = add_node(b, c->order[i]);
    for (uint32_t i = 0; !err && i < c->edges; i++) {
        ORR_ASSERT(b->head[c->edge[i].after] <= b->tail[c->edge[i].after]);
        err = orr__program_depend(b->p, b->tail[c->edge[i].before],
                                  b->head[c->edge[i].after], b->why);
    }
    for (uint32_t i = 0; !err && i < c->n_across && !b->how->system; i++)
        err = orr__program_depend_across(b->p, b->tail[c->across[i].before],
                                         b->head[c->across[i].after],
                                         c->across[i].distance, b->why);
    if (!err)
        err = orr__program_label(b->p, b->why);
    for (uint32_t i = 0; !err && i < c->nodes; i++)
        for (uint32_t k = b->head[i]; k <= b->tail[i]; k++)
            b->p->label[k] = c->node[i].id;
    orr__custom_forget(b);
    orr__free(b->head);
    orr__free(b->tail);
    orr__free(b->priority);
    b->head = b->tail = NULL;
    b->priority = NULL;
    return err;
}
