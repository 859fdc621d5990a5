/* Chakra traces become programs. An NPU does one thing at a time on each of
 * three units, as ASTRA-sim 2.x has it: host operations, computations of the
 * accelerator, and its sends and collectives. A unit that is free takes the
 * ready node of the lowest number. */
#include "workload/trace/chakra.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "core/units.h"
#include "workload/trace/chakra_file.h"
#include "workload/trace/expand.h"

enum { HOST_UNIT, DEVICE_UNIT, COMM_UNIT, FIRST_QUEUE };

/* ---- keys --------------------------------------------------------------- */

struct keys {
    const char *path, *groups, *algorithm;
    bool replicate;
    int control;
    int64_t chunks, concurrent, delay;
    double tflops;
    uint64_t memory, tensor;
};

#define KEY(k, field, t, ...)                                                 \
    {                                                                         \
        .key = k, .type = ORR_PARAM_##t,                                      \
        .offset = offsetof(struct keys, field), __VA_ARGS__                   \
    }
static const struct orr_param params[] = {
    KEY("path", path, TEXT,
        .help = "what the names of the files have before .0.et, .1.et, ...; "
                "or one file for all ranks"),
    KEY("replicate", replicate, BOOL, .fallback = "false",
        .help = "ranks beyond the files repeat them"),
    KEY("control", control, CHOICE, .fallback = "auto",
        .choices = (const char *const[]){"auto", "counts", "ignored", NULL},
        .help = "control dependencies; auto: they count, unless the trace is "
                "one of PyTorch, where they say who called whom"),
    KEY("groups", groups, TEXT, .fallback = "",
        .help = "communicator groups, JSON: {\"1\": [0, 1], ...}"),
    KEY("algorithm", algorithm, TEXT, .fallback = "",
        .help = "of the collectives; default: the first of each kind"),
    KEY("chunks", chunks, INT, .fallback = "1", .min = "1", .max = "16384",
        .help = "pieces that each collective is cut into first"),
    KEY("concurrent", concurrent, INT, .fallback = "1", .min = "1",
        .max = "16384", .help = "chunks under way at once"),
    KEY("endpoint_delay", delay, TIME, .fallback = "0s",
        .help = "when a chunk starts and after each received step"),
    KEY("memory", memory, RATE, .fallback = "0bps",
        .help = "each reduced step costs three passes of its bytes at this "
                "rate; 0: none"),
    KEY("peak_tflops", tflops, REAL, .fallback = "0", .min = "0",
        .max = "1e9",
        .help = "of an accelerator: computations then last as long as "
                "num_ops and tensor_size need; 0: as recorded"),
    KEY("tensor_rate", tensor, RATE, .fallback = "0bps",
        .help = "of the accelerator's memory, beside peak_tflops and for "
                "memory nodes without a duration"),
    ORR_PARAM_END,
};

/* ---- files -------------------------------------------------------------- */

static bool readable(const char *path)
{
    return access(path, R_OK) == 0;
}

static char *rank_file(const char *path, uint32_t rank)
{
    return orr__format("%s.%u.et", path, rank);
}

bool orr__chakra_is(const char *path)
{
    size_t n = strlen(path);
    if (n > 3 && !strcmp(path + n - 3, ".et"))
        return true;
    char *first = rank_file(path, 0);
    bool is = first && readable(first);
    orr__free(first);
    return is;
}

/* ---- building ----------------------------------------------------------- */

/* A collective that ranks share: the calls of one instance, in the order in
 * which a rank comes to them. */
struct shared {
    uint64_t key; /* group, dimensions, number within them */
    uint32_t call;
    uint32_t part;
    uint64_t node, bytes;
    int8_t comm;
};

struct build {
    const struct orr_trace_job *job;
    const struct orr_chakra_how *how;
    struct orr_program *p;
    struct orr_expander x;
    struct orr_trace_info *info;
    struct orr_report *why;

    uint32_t files; /* different ranks there are files for */
    struct part {
        uint64_t hash[2];
        uint32_t id;
        bool messages; /* it sends or receives */
        uint32_t by_type[ORR_CHAKRA_TYPES];
        char *file;
    } *part;
    uint32_t parts;

    struct shared *shared;
    uint32_t n_shared, shared_room;
    uint32_t *slot, mask; /* of shared by key */

    struct named {
        const char *name;
        uint32_t group;
    } *group;
    uint32_t groups;
    struct orr_arena arena;

    /* of the part being built */
    struct orr_chakra *c;
    uint32_t rank;
    uint32_t *head, *tail; /* per node: its first and last operation */
    struct seen {          /* per group and dimensions: collectives so far */
        uint32_t group, involved;
        uint64_t n;
    } *seen;
    uint32_t seens, seen_room;
};

static orr_err wrong(struct build *b, const struct orr_chakra_node *n,
                     const char *what)
{
    return orr__fail(b->why, ORR_ECONFIG, "%s: node %" PRIu64 ": %s",
                     b->c->file, n->id, what);
}

static orr_err add_op(struct build *b, struct orr_op op, uint32_t *id)
{
    op.who = ORR_EVERYONE;
    return orr__program_add(b->p, &op, id, b->why);
}

/* ---- computations ------------------------------------------------------- */

/* ps for so many units at so many a second. */
static double needs(uint64_t amount, double rate)
{
    return rate > 0 ? (double)amount / rate * (double)ORR_S : 0;
}

static int64_t duration(const struct build *b,
                        const struct orr_chakra_node *n)
{
    const struct orr_astra_system *s = b->how->system;
    double flops = b->how->tflops * 1e12;
    double bytes = (double)b->how->tensor_bps / 8;
    bool comp = n->type == ORR_CHAKRA_COMP;
    if (s && s->roofline) {
        flops = s->peak_tflops * 1e12;
        bytes = s->memory_gbps * 1e9;
    }
    double ps = (double)n->duration_us * (double)ORR_US;
    if (comp && !n->cpu && flops > 0 && n->ops) {
        double a = needs(n->ops, flops), m = needs(n->tensor, bytes);
        ps = a > m ? a : m;
    } else if (!comp && n->duration_us == 0) {
        ps = needs(n->tensor, bytes);
    }
    /* ASTRA-sim's replay: at least a nanosecond */
    if (s && comp && ps < ORR_NS)
        ps = ORR_NS;
    return ps < 4e18 ? (int64_t)ps : INT64_MAX / 2;
}

static orr_err add_compute(struct build *b, uint32_t node, uint16_t unit)
{
    const struct orr_chakra_node *n = &b->c->node[node];
    orr_err e = add_op(b, (struct orr_op){
        .kind = ORR_OP_COMPUTE,
        .stream = unit,
        .priority = -(int32_t)node,
        .index = ORR_NO_JITTER,
        .time_ps = duration(b, n),
    }, &b->head[node]);
    b->tail[node] = b->head[node];
    return e;
}

static orr_err add_wait(struct build *b, uint32_t node)
{
    orr_err e = add_op(b, (struct orr_op){.kind = ORR_OP_WAIT},
                       &b->head[node]);
    b->tail[node] = b->head[node];
    return e;
}

/* ---- messages ----------------------------------------------------------- */

static orr_err add_message(struct build *b, uint32_t node)
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
                 n->peer, n->peer == b->rank
                              ? send ? "sends to" : "receives from"
                              : send ? "send to" : "receive from");
        return wrong(b, n, text);
    }
    b->part[b->parts - 1].messages = true;
    b->info->sends += send && b->rank == 0;
    if (send && b->rank == 0)
        b->info->send_bytes += n->size;
    /* relative, so that copies of this rank can share it */
    orr_err e = add_op(b, (struct orr_op){
        .kind = send ? ORR_OP_SEND : ORR_OP_RECV,
        .relative = b->files < ranks,
        .holds = send,
        .stream = send ? COMM_UNIT : 0,
        .priority = -(int32_t)node,
        .index = n->tag,
        .peer = b->files < ranks
                    ? orr__round_up(n->peer, ranks - b->rank, ranks)
                    : n->peer,
        .bytes = n->size,
    }, &b->head[node]);
    b->tail[node] = b->head[node];
    return e;
}

/* ---- collectives -------------------------------------------------------- */

static const struct orr_chakra_group *in_metadata(const struct build *b,
                                                  const char *name)
{
    for (uint32_t i = 0; i < b->c->groups; i++)
        if (!strcmp(b->c->group[i].name, name))
            return &b->c->group[i];
    return NULL;
}

/* The group of a program that a pg_name stands for: from the groups file, else
 * from the trace's metadata, else all ranks. */
static orr_err group_of(struct build *b, const struct orr_chakra_node *n,
                        uint32_t *group)
{
    *group = ORR_EVERYONE;
    if (n->group == ORR_NO_TEXT)
        return ORR_OK;
    const char *name = b->c->text[n->group];
    for (uint32_t i = 0; i < b->groups; i++)
        if (!strcmp(b->group[i].name, name)) {
            *group = b->group[i].group;
            return ORR_OK;
        }
    const struct orr_chakra_group *g = in_metadata(b, name);
    if (!g || !g->rank)
        return ORR_OK;
    for (size_t i = 0; i < g->n; i++)
        for (size_t k = 0; k <= i; k++)
            if (g->rank[i] < 0 || g->rank[i] >= b->job->ranks ||
                (k < i && g->rank[k] == g->rank[i]))
                return wrong(b, n, "its group (pg_name) has a rank twice or "
                                   "one that the job does not have");
    return orr__program_group(b->p, g->rank, g->n, group, b->why);
}

static orr_err kind_of(struct build *b, const struct orr_chakra_node *n,
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
        return wrong(b, n, "a collective without comm_type");
    *kind = kinds[n->comm];
    return ORR_OK;
}

static uint32_t find_shared(const struct build *b, uint64_t key)
{
    uint32_t i = (uint32_t)(key >> 32) & b->mask;
    while (b->slot[i] && b->shared[b->slot[i] - 1].key != key)
        i = (i + 1) & b->mask;
    return i;
}

static bool grow_shared(struct build *b)
{
    uint32_t mask = b->slot ? b->mask * 2 + 1 : 255;
    uint32_t room = (mask + 1) / 4 * 3;
    struct shared *s = orr__resize(b->shared, room, sizeof *s);
    uint32_t *p = orr__alloc(mask + (size_t)1, sizeof *p);
    if (s)
        b->shared = s;
    if (!s || !p) {
        orr__free(p);
        return false;
    }
    orr__free(b->slot);
    b->shared_room = room;
    b->slot = p;
    b->mask = mask;
    for (uint32_t i = 0; i < b->n_shared; i++)
        p[find_shared(b, b->shared[i].key)] = i + 1;
    return true;
}

static orr_err mismatch(struct build *b, const struct shared *s,
                        const struct orr_chakra_node *n)
{
    return orr__fail(b->why, ORR_ECONFIG,
                     "%s: node %" PRIu64 " (%s of %" PRIu64 " bytes) does not "
                     "match node %" PRIu64 " of %s (%" PRIu64 " bytes): ranks "
                     "of a group must come to the same collectives in the "
                     "same order",
                     b->c->file, n->id,
                     n->comm == s->comm ? "the same kind" : "another kind",
                     n->size, s->node, b->part[s->part].file, s->bytes);
}

/* How many collectives of that group this rank had so far; one more now. */
static bool count_seen(struct build *b, uint32_t group, uint32_t involved,
                       uint64_t *number)
{
    uint32_t i = 0;
    while (i < b->seens &&
           (b->seen[i].group != group || b->seen[i].involved != involved))
        i++;
    if (i == b->seen_room) {
        uint32_t more = b->seen_room * 2 + 8;
        struct seen *p = orr__resize(b->seen, more, sizeof *p);
        if (!p)
            return false;
        b->seen = p;
        b->seen_room = more;
    }
    if (i == b->seens)
        b->seen[b->seens++] = (struct seen){group, involved, 0};
    *number = b->seen[i].n++;
    return true;
}

/* Whether other ranks have this collective already: the n-th of its group. */
static orr_err share(struct build *b, const struct orr_chakra_node *n,
                     uint32_t group, uint32_t involved, struct shared **out)
{
    uint64_t number;
    if (!count_seen(b, group, involved, &number))
        return orr__no_memory(b->why);
    const uint64_t name[] = {group, involved, number};
    uint64_t key = XXH3_64bits(name, sizeof name);
    if ((!b->slot || b->n_shared == b->shared_room) && !grow_shared(b))
        return orr__no_memory(b->why);
    uint32_t at = find_shared(b, key);
    if (!b->slot[at]) {
        b->shared[b->n_shared++] = (struct shared){
            key, ORR_NO_OP, b->parts - 1, n->id, n->size, n->comm};
        b->slot[at] = b->n_shared;
    }
    *out = &b->shared[b->slot[at] - 1];
    if ((*out)->comm != n->comm || (*out)->bytes != n->size)
        return mismatch(b, *out, n);
    return ORR_OK;
}

static uint32_t members(const struct build *b, uint32_t group)
{
    return group == ORR_EVERYONE ? b->p->ranks : b->p->group[group].n;
}

/* A call with the trace's own choice of algorithm. */
static orr_err plain_call(struct build *b, const struct orr_chakra_node *n,
                          enum orr_collective_kind kind, uint32_t group,
                          uint32_t *id)
{
    const struct orr_chakra_how *h = b->how;
    struct orr_call call = {
        .c = {.ops = orr__collective_find(kind, h->algorithm),
              .n = members(b, group), .root = n->root},
        .bytes = kind == ORR_BARRIER ? 1 : n->size,
        .chunks = kind == ORR_BARRIER ? 1 : h->chunks,
        .concurrent = h->concurrent,
        .endpoint_delay_ps = h->endpoint_ps,
        .memory_bps = h->memory_bps,
        .group = group,
    };
    if (!call.c.ops || call.c.ops->serves || call.c.ops->grid)
        call.c.ops = orr__collective_find(kind, NULL);
    if (orr__collective_rooted(kind) && group != ORR_EVERYONE)
        call.c.root = orr__group_find(&b->p->group[group], n->root);
    if (call.c.root >= call.c.n)
        return wrong(b, n, "the root is not a rank of the group");
    return orr__program_call(b->p, &call, NULL, id, b->why);
}

static orr_err add_plain(struct build *b, uint32_t node,
                         enum orr_collective_kind kind, uint32_t group,
                         struct shared *s)
{
    orr_err e = ORR_OK;
    if (s->call == ORR_NO_OP)
        e = plain_call(b, &b->c->node[node], kind, group, &s->call);
    if (!e)
        e = add_op(b, (struct orr_op){
            .kind = ORR_OP_COLLECTIVE,
            .holds = true,
            .stream = COMM_UNIT,
            .priority = -(int32_t)node,
            .index = s->call,
        }, &b->head[node]);
    b->tail[node] = b->head[node];
    return e;
}

/* As ASTRA-sim's system file has it: the unit is taken, the chunks go through
 * their phases, the unit is free again. */
static orr_err add_expanded(struct build *b, uint32_t node,
                            enum orr_collective_kind kind, uint32_t group,
                            struct shared *s)
{
    const struct orr_chakra_node *n = &b->c->node[node];
    orr_err e = add_op(b, (struct orr_op){
        .kind = ORR_OP_WAIT, .holds = true, .keeps = true,
        .stream = COMM_UNIT, .priority = -(int32_t)node}, &b->head[node]);
    struct orr_issue what = {
        .kind = kind,
        .bytes = n->size,
        .involved = n->involved,
        .group = group,
        .whole = true,
        .before = b->head[node],
        .calls = s->call,
    };
    uint32_t done = ORR_NO_OP, first = b->p->calls;
    if (!e)
        e = orr__expand(&b->x, &what, &done);
    if (!e && s->call == ORR_NO_OP)
        s->call = first;
    if (!e)
        e = add_op(b, (struct orr_op){.kind = ORR_OP_WAIT, .frees = true,
                                      .stream = COMM_UNIT}, &b->tail[node]);
    if (e)
        return e;
    return orr__program_depend(b->p,
                               done == ORR_NO_OP ? b->head[node] : done,
                               b->tail[node], b->why);
}

static orr_err add_collective(struct build *b, uint32_t node)
{
    const struct orr_chakra_node *n = &b->c->node[node];
    enum orr_collective_kind kind = ORR_ALL_REDUCE;
    uint32_t group = ORR_EVERYONE;
    struct shared *s;
    orr_err e = kind_of(b, n, &kind);
    if (!e)
        e = group_of(b, n, &group);
    if (e)
        return e;
    if (group != ORR_EVERYONE &&
        orr__group_find(&b->p->group[group], b->rank) == UINT32_MAX)
        return wrong(b, n, "this rank is not in the group (pg_name)");
    if (b->rank == 0) {
        b->info->collectives++;
        b->info->collective_bytes += n->size;
    }
    bool expands = b->how->system && (kind == ORR_ALL_REDUCE ||
                                      kind == ORR_ALL_GATHER ||
                                      kind == ORR_ALL_TO_ALL ||
                                      kind == ORR_REDUCE_SCATTER);
    /* a broadcast is as long as it was recorded there */
    if (b->how->system && kind == ORR_BROADCAST)
        return add_compute(b, node, COMM_UNIT);
    e = share(b, n, group, expands ? n->involved : UINT32_MAX, &s);
    if (e)
        return e;
    return expands ? add_expanded(b, node, kind, group, s)
                   : add_plain(b, node, kind, group, s);
}

/* ---- a rank's part ------------------------------------------------------ */

static orr_err add_node(struct build *b, uint32_t node)
{
    const struct orr_chakra_node *n = &b->c->node[node];
    b->part[b->parts - 1].by_type[n->type]++;
    switch (n->type) {
    case ORR_CHAKRA_SEND:
    case ORR_CHAKRA_RECV:
        return add_message(b, node);
    case ORR_CHAKRA_COLL:
        /* what the host did to start one, recorded under the same type */
        if (n->comm < 0 && n->cpu)
            return add_compute(b, node, HOST_UNIT);
        return add_collective(b, node);
    case ORR_CHAKRA_COMP:
    case ORR_CHAKRA_MEM_LOAD:
    case ORR_CHAKRA_MEM_STORE:
        return add_compute(b, node, n->cpu ? HOST_UNIT : DEVICE_UNIT);
    default:
        return add_wait(b, node);
    }
}

static orr_err add_part(struct build *b)
{
    struct orr_chakra *c = b->c;
    orr_err e = ORR_OK;
    orr__expander_restart(&b->x);
    b->seens = 0;
    b->head = orr__alloc(c->nodes, sizeof *b->head);
    b->tail = orr__alloc(c->nodes, sizeof *b->tail);
    if (!b->head || !b->tail)
        e = orr__no_memory(b->why);
    for (uint32_t i = 0; !e && i < c->nodes; i++)
        e = add_node(b, i);
    for (uint32_t i = 0; !e && i < c->edges; i++)
        e = orr__program_depend(b->p, b->tail[c->edge[i].before],
                                b->head[c->edge[i].after], b->why);
    if (!e)
        e = orr__program_label(b->p, b->why);
    for (uint32_t i = 0; !e && i < c->nodes; i++)
        b->p->label[b->head[i]] = b->p->label[b->tail[i]] = c->node[i].id;
    orr__free(b->head);
    orr__free(b->tail);
    return e;
}

static orr_err hash_file(const char *file, uint64_t hash[2],
                         struct orr_report *why)
{
    char *text = NULL;
    size_t length = 0;
    orr_err e = orr__trace_slurp(file, &text, &length, why);
    if (!e) {
        XXH128_hash_t h = XXH3_128bits(text, length);
        hash[0] = h.low64;
        hash[1] = h.high64;
    }
    orr__free(text);
    return e;
}

static orr_err load_part(struct build *b, uint32_t rank, char *file)
{
    struct orr_chakra c;
    b->c = &c;
    b->rank = rank;
    orr_err e = orr__chakra_load(
        file, (enum orr_chakra_control)b->how->control, &c, b->why);
    if (!e)
        e = orr__program_part(b->p, &b->part[b->parts - 1].id, b->why);
    if (!e)
        e = add_part(b);
    if (!e) {
        b->info->missing_control += c.missing_control;
        b->info->ignored_control += c.ignored_control;
        if (rank == 0) {
            b->info->critical_ps = (int64_t)c.critical_us * ORR_US;
            b->info->critical_nodes = c.critical_nodes;
        }
    }
    orr__chakra_fini(&c);
    return e;
}

/* Ranks whose files are the same to the byte share a part. */
static orr_err rank_part(struct build *b, uint32_t rank, char *file,
                         uint32_t *part)
{
    uint64_t hash[2];
    orr_err e = hash_file(file, hash, b->why);
    for (uint32_t i = 0; !e && i < b->parts; i++)
        if (b->files == b->job->ranks && !b->part[i].messages &&
            !memcmp(hash, b->part[i].hash, 16)) {
            *part = b->part[i].id;
            orr__free(file);
            return ORR_OK;
        }
    struct part *p = NULL;
    if (!e) {
        p = orr__resize(b->part, b->parts + 1, sizeof *p);
        if (!p)
            e = orr__no_memory(b->why);
    }
    if (e) {
        orr__free(file);
        return e;
    }
    b->part = p;
    p[b->parts++] = (struct part){.hash = {hash[0], hash[1]}, .file = file};
    e = load_part(b, rank, file);
    *part = b->part[b->parts - 1].id;
    return e;
}

/* ---- groups ------------------------------------------------------------- */

static orr_err one_group(struct build *b, const char *file, const char *name,
                         const json_t *list)
{
    size_t n = json_array_size(list);
    int64_t *rank = orr__alloc(n, sizeof *rank);
    char *copy = orr__arena_strdup(&b->arena, name);
    orr_err e = rank && copy ? ORR_OK : orr__no_memory(b->why);
    for (size_t i = 0; !e && i < n; i++) {
        const json_t *v = json_array_get(list, i);
        rank[i] = json_integer_value(v);
        bool bad = !json_is_integer(v) || rank[i] < 0 ||
                   rank[i] >= b->job->ranks;
        for (size_t k = 0; k < i; k++)
            bad |= rank[k] == rank[i];
        if (bad)
            e = orr__fail(b->why, ORR_ECONFIG,
                          "%s: group \"%s\" has a rank twice or one that the "
                          "job does not have",
                          file, name);
    }
    if (!e && n)
        e = orr__program_group(b->p, rank, n, &b->group[b->groups].group,
                               b->why);
    if (!e && n)
        b->group[b->groups++].name = copy;
    orr__free(rank);
    return e;
}

static orr_err read_groups(struct build *b)
{
    char *path = orr__trace_path(b->job, b->how->groups), *text = NULL;
    size_t length;
    json_error_t where;
    const char *name;
    json_t *list, *root = NULL;
    orr_err e = path ? orr__trace_slurp(path, &text, &length, b->why)
                     : orr__no_memory(b->why);
    if (!e) {
        root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &where);
        if (!root || !json_is_object(root))
            e = orr__fail_at(b->why, ORR_ECONFIG, path,
                             root ? 1 : where.line, root ? 1 : where.column,
                             "%s", root ? "a map of groups is expected"
                                        : where.text);
    }
    if (!e) {
        b->group = orr__alloc(json_object_size(root), sizeof *b->group);
        if (!b->group)
            e = orr__no_memory(b->why);
        json_object_foreach(root, name, list) {
            if (!e)
                e = one_group(b, path, name, list);
        }
    }
    json_decref(root);
    orr__free(text);
    orr__free(path);
    return e;
}

/* ---- the whole ---------------------------------------------------------- */

/* How many files there are; *one: the path is one file for all. */
static orr_err count_files(struct build *b, bool *one)
{
    const char *path = b->how->path;
    size_t n = strlen(path);
    uint32_t files = 0;
    *one = n > 3 && !strcmp(path + n - 3, ".et") && readable(path);
    for (; !*one && files < b->job->ranks; files++) {
        char *file = rank_file(path, files);
        if (!file)
            return orr__no_memory(b->why);
        bool there = readable(file);
        orr__free(file);
        if (!there)
            break;
    }
    b->files = *one ? 1 : files;
    b->info->files = b->files;
    if (b->files == b->job->ranks || *one ||
        (b->files && b->how->replicate))
        return ORR_OK;
    orr_err e = orr__yaml_fail(b->job->config, b->job->node, b->why,
                               "trace: %s.%u.et is not there, but the job has "
                               "%u ranks", path, files, b->job->ranks);
    if (files)
        orr__hint(b->why, "`replicate: true` lets the other ranks repeat "
                          "the %u files that there are", files);
    return e;
}

static void count_nodes(struct build *b, const struct part *p)
{
    for (int i = 0; i < ORR_CHAKRA_TYPES; i++) {
        b->info->by_type[i] += p->by_type[i];
        b->info->nodes += p->by_type[i];
    }
}

static orr_err all_ranks(struct build *b)
{
    bool one;
    orr_err e = count_files(b, &one);
    uint32_t ranks = b->job->ranks;
    if (!e && !one && ranks % b->files)
        return orr__yaml_fail(b->job->config, b->job->node, b->why,
                              "trace: %u files do not repeat evenly over %u "
                              "ranks", b->files, ranks);
    for (uint32_t r = 0; !e && r < b->files; r++) {
        uint32_t part;
        char *file = one ? orr__strdup(b->how->path)
                         : rank_file(b->how->path, r);
        e = file ? rank_part(b, r, file, &part) : orr__no_memory(b->why);
        for (uint32_t k = r; !e && k < ranks; k += b->files) {
            /* parts have the same numbers here and in the program */
            count_nodes(b, &b->part[part]);
            e = orr__program_assign(b->p, k, part, b->why);
        }
    }
    return e;
}

static orr_err check(struct build *b)
{
    const char **file = orr__alloc(b->parts, sizeof *file);
    if (!file)
        return orr__no_memory(b->why);
    for (uint32_t i = 0; i < b->parts; i++)
        file[b->part[i].id] = b->part[i].file;
    orr_err e = orr__trace_check(b->p, file, b->why);
    orr__free(file);
    return e;
}

orr_err orr__chakra_read(const struct orr_trace_job *job,
                         const struct orr_chakra_how *how,
                         struct orr_program **out, struct orr_trace_info *info,
                         struct orr_report *why)
{
    const struct orr_astra_system none = {.active = 1, .splits = 1};
    struct orr_grid grid;
    struct build b = {.job = job, .how = how, .info = info, .why = why};
    b.p = *out = orr__program_new(job->ranks);
    orr__grid_of(job->graph, job->ranks, &grid);
    orr_err e = b.p ? ORR_OK : orr__no_memory(why);
    if (!e)
        e = orr__expander_init(&b.x, b.p, how->system ? how->system : &none,
                               &grid, how->queues ? how->queues : 1,
                               FIRST_QUEUE, why);
    if (!e && how->groups)
        e = read_groups(&b);
    if (!e)
        e = all_ranks(&b);
    if (!e)
        e = orr__program_finish(b.p, why);
    if (!e)
        e = check(&b);
    orr__expander_fini(&b.x);
    for (uint32_t i = 0; i < b.parts; i++)
        orr__free(b.part[i].file);
    orr__free(b.part);
    orr__free(b.shared);
    orr__free(b.slot);
    orr__free(b.group);
    orr__free(b.seen);
    orr__arena_fini(&b.arena);
    return e;
}

static orr_err read_chakra(const struct orr_trace_job *job, const void *keys,
                           struct orr_program **out,
                           struct orr_trace_info *info,
                           struct orr_report *why)
{
    const struct keys *k = keys;
    char *path = orr__trace_path(job, k->path);
    if (!path)
        return orr__no_memory(why);
    const struct orr_chakra_how how = {
        .path = path,
        .groups = k->groups,
        .replicate = k->replicate,
        .control = k->control,
        .algorithm = k->algorithm,
        .chunks = (uint32_t)k->chunks,
        .concurrent = (uint32_t)k->concurrent,
        .endpoint_ps = k->delay,
        .memory_bps = k->memory,
        .tflops = k->tflops,
        .tensor_bps = k->tensor,
    };
    orr_err e = orr__chakra_read(job, &how, out, info, why);
    orr__free(path);
    return e;
}

const struct orr_trace_format orr__trace_chakra = {
    .name = "chakra",
    .doc = "Chakra execution traces, one file for each rank or one for all",
    .params = params,
    .params_size = sizeof(struct keys),
    .read = read_chakra,
};
