/* FlexFlow's task graphs, which TopoOpt's packet simulator runs: each node of
 * the graph is a rank with one stream of computations, transfers are messages,
 * and an all-reduce begins when its members have added up what their own GPUs
 * have, which takes the time that the graph gives. Facts: the public sources of
 * that simulator (ffapp.cpp of ffsim-opera). */
#include <string.h>

#include "core/assert.h"
#include "core/memory.h"
#include "formats/task_graph.h"
#include "formats/trace.h"
#include "workload/program/longest.h"

/* ---- keys --------------------------------------------------------------- */

/* The keys of `trace` with this format. */
struct keys {
    const char *tasks;
    int algorithm;
    bool local;
    int64_t endpoint_delay;
    uint64_t packet;
};

enum { AUTO, RING, STRIDES, DIRECT };
static const char *const algorithms[] = {"auto", "ring", "strides", "direct",
                                         NULL};

#define KEY(k, t, ...)                                                         \
    {                                                                          \
        .key = #k, .type = ORR_PARAM_##t, .offset = offsetof(struct keys, k),  \
        __VA_ARGS__                                                            \
    }
static const struct orr_param params[] = {
    KEY(tasks, TEXT,
        .help = "the task graph as text, a task a line, or FlexFlow's own "
                "file, NAME.fbuf"),
    KEY(algorithm, CHOICE, .fallback = "auto", .choices = algorithms,
        .help = "of all-reduces; auto: strides where all ranks take part and "
                "the topology is of kind strides, else ring"),
    KEY(local, BOOL, .fallback = "true",
        .help = "an all-reduce begins with its runtime in the graph"),
    KEY(endpoint_delay, TIME, .fallback = "0s",
        .help = "before each message, as a handshake takes"),
    KEY(packet, SIZE, .fallback = "0B", .max = "1GB",
        .help = "messages are whole packets of so many bytes; 0B: as long as "
                "they are"),
    ORR_PARAM_END,
};

/* ---- the program --------------------------------------------------------- */

enum { MAIN_STREAM, DELAY_STREAM };

/* A program while it is made of tasks; arrays are owned. */
struct build {
    struct orr_program *p;
    const struct orr_task_graph *t;
    const struct orr_trace_job *job;
    const struct keys *keys;
    struct orr_trace_info *info;
    struct orr_report *why;
    uint32_t *call;        /* per task: an all-reduce's, or ORR_NONE */
    uint32_t *off, *list;  /* per rank: its tasks, list[off .. next off) */
    uint32_t *head, *tail; /* per task: its first and last operation on the
                            * rank at work; tail ORR_NONE: none waits */
};

static orr_err fail_task(const struct build *b, const struct orr_graph_task *x,
                         const char *text)
{
    return orr__fail_at(b->why, ORR_ECONFIG, b->t->file, x->line, 1, "%s",
                        text);
}

/* Up to whole packets. */
static uint64_t round_up(const struct build *b, uint64_t bytes)
{
    uint64_t unit = b->keys->packet;
    if (unit == 0)
        return bytes ? bytes : 1;
    uint64_t n = bytes / unit + (bytes % unit > 0);
    return (n ? n : 1) * unit;
}

/* Which algorithm a group's all-reduce goes by, and its strides. */
static void choose_algorithm(const struct build *b, bool everyone,
                             struct orr_collective *c)
{
    static const char *const names[] = {"ring", "ring", "strides", "direct"};
    const struct orr_graph *g = b->job->graph;
    bool fits = everyone && g && g->n_strides && c->n == g->hosts;
    int which = b->keys->algorithm;
    if (which == AUTO)
        which = fits ? STRIDES : RING;
    if (which == STRIDES && !fits)
        which = RING;
    c->ops = orr__collective_find(ORR_ALL_REDUCE, names[which]);
    c->direction = ORR_FORWARD;
    if (which != STRIDES)
        return;
    c->strides = (struct orr_ints){g->strides, g->n_strides};
    c->direction = g->simplex ? ORR_FORWARD : ORR_BOTH;
}

/* The group of an all-reduce, in the graph's order. */
static orr_err add_group(struct build *b, const struct orr_graph_task *x,
                         uint32_t *group)
{
    int64_t *rank = orr__alloc(x->nexts, sizeof *rank);
    if (!rank)
        return orr__no_memory(b->why);
    for (uint32_t i = 0; i < x->nexts; i++)
        rank[i] = b->t->next[x->next + i].number;
    orr_err err = orr__program_group(b->p, rank, x->nexts, group, b->why);
    orr__free(rank);
    return err;
}

/* An all-reduce of one member is none. */
static orr_err add_call(struct build *b, uint32_t task)
{
    const struct orr_graph_task *x = &b->t->task[task];
    struct orr_call call = {.c = {.n = x->nexts},
                            .chunks = 1,
                            .concurrent = 1,
                            .endpoint_delay_ps = b->keys->endpoint_delay};
    orr_err err = add_group(b, x, &call.group);
    if (err)
        return err;
    choose_algorithm(b, call.group == ORR_EVERYONE, &call.c);
    uint64_t pieces = (uint64_t)x->nexts * orr__collective_lanes(&call.c);
    uint64_t piece = x->bytes / pieces + (x->bytes % pieces > 0);
    call.bytes = b->keys->packet ? round_up(b, piece) * pieces
                 : x->bytes      ? x->bytes
                                 : 1;
    if (call.bytes > (UINT64_C(1) << 62) / x->nexts)
        return fail_task(b, x, "the all-reduce is too large for its nodes");
    if (call.c.ops->steps(&call.c, 0) >= ORR_MAX_STEPS
        || orr__collective_lanes(&call.c) >= ORR_MAX_LANES)
        return fail_task(b, x, "the all-reduce has too many nodes");
    call.c.largest = call.bytes;
    b->info->collectives += orr__graph_task_has(b->t, x, 0);
    b->info->collective_bytes += orr__graph_task_has(b->t, x, 0) ? x->bytes : 0;
    return orr__program_call(b->p, &call, NULL, &b->call[task], b->why);
}

/* In the order of the file: groups and calls belong to no part. */
static orr_err add_calls(struct build *b)
{
    orr_err err = ORR_OK;
    for (uint32_t i = 0; i < b->t->n && !err; i++) {
        const struct orr_graph_task *x = &b->t->task[i];
        b->call[i] = ORR_NONE;
        if (x->kind == ORR_TASK_ALL_REDUCE && x->nexts > 1)
            err = add_call(b, i);
    }
    return err;
}

/* ---- operations of a rank ------------------------------------------------ */

/* One more operation of the task, behind those that it has. */
static orr_err add_op(struct build *b, uint32_t task, const struct orr_op *op)
{
    uint32_t id, before = b->tail[task];
    orr_err err = orr__program_add(b->p, op, &id, b->why);
    if (err)
        return err;
    if (before == ORR_NONE)
        b->head[task] = id;
    else
        err = orr__program_depend(b->p, before, id, b->why);
    b->tail[task] = id;
    return err;
}

/* Time on a stream; on DELAY_STREAM nobody waits for a turn. */
static orr_err add_time(struct build *b, uint32_t task, uint16_t stream,
                        int64_t ps)
{
    const struct orr_op op = {.kind = ORR_OP_COMPUTE,
                              .stream = stream,
                              .who = ORR_EVERYONE,
                              .index = ORR_NONE,
                              .time_ps = ps};
    return add_op(b, task, &op);
}

/* One end of a transfer. */
static orr_err add_end(struct build *b, uint32_t task, uint32_t rank)
{
    const struct orr_graph_task *x = &b->t->task[task];
    bool sends = x->from == rank;
    struct orr_op op = {.kind = sends ? ORR_OP_SEND : ORR_OP_RECV,
                        .who = ORR_EVERYONE,
                        .index = task,
                        .peer = sends ? x->to : x->from,
                        .bytes = round_up(b, x->bytes)};
    orr_err err = ORR_OK;
    if (sends && b->keys->endpoint_delay)
        err = add_time(b, task, DELAY_STREAM, b->keys->endpoint_delay);
    if (rank == 0 && sends) {
        b->info->sends++;
        b->info->send_bytes += x->bytes;
    }
    return err ? err : add_op(b, task, &op);
}

/* A member's part of an all-reduce. */
static orr_err add_member(struct build *b, uint32_t task)
{
    const struct orr_graph_task *x = &b->t->task[task];
    struct orr_op op = {
        .kind = ORR_OP_COLLECTIVE, .who = ORR_EVERYONE, .index = b->call[task]};
    orr_err err = ORR_OK;
    if (op.index == ORR_NONE)
        op = (struct orr_op){.kind = ORR_OP_WAIT, .who = ORR_EVERYONE};
    else if (b->keys->local && x->ps > 0)
        err = add_time(b, task, DELAY_STREAM, x->ps);
    return err ? err : add_op(b, task, &op);
}

static orr_err add_task(struct build *b, uint32_t task, uint32_t rank)
{
    const struct orr_graph_task *x = &b->t->task[task];
    b->tail[task] = ORR_NONE;
    switch (x->kind) {
    case ORR_TASK_TRANSFER: return add_end(b, task, rank);
    case ORR_TASK_ALL_REDUCE: return add_member(b, task);
    case ORR_TASK_COMPUTE: break;
    }
    return add_time(b, task, MAIN_STREAM, x->ps);
}

/* What waits for a task of this rank, as far as it ends here. */
static orr_err add_waits(struct build *b, uint32_t task, uint32_t rank)
{
    const struct orr_graph_task *x = &b->t->task[task];
    orr_err err = ORR_OK;
    if (x->kind == ORR_TASK_ALL_REDUCE || x->to != rank)
        return ORR_OK;
    for (uint32_t k = 0; k < x->nexts && !err; k++)
        err = orr__program_depend(b->p, b->tail[task],
                                  b->head[b->t->next[x->next + k].number],
                                  b->why);
    return err;
}

/* The rank's tasks are a part of the program. */
static orr_err add_rank(struct build *b, uint32_t rank)
{
    uint32_t part, from = b->p->ops;
    orr_err err = orr__program_part(b->p, &part, b->why);
    if (!err)
        err = orr__program_assign(b->p, rank, part, b->why);
    for (uint32_t i = b->off[rank]; i < b->off[rank + 1] && !err; i++)
        err = add_task(b, b->list[i], rank);
    for (uint32_t i = b->off[rank]; i < b->off[rank + 1] && !err; i++)
        err = add_waits(b, b->list[i], rank);
    if (!err)
        err = orr__program_label(b->p, b->why);
    for (uint32_t i = b->off[rank]; i < b->off[rank + 1] && !err; i++) {
        uint32_t task = b->list[i];
        ORR_ASSERT(b->head[task] >= from);
        for (uint32_t k = b->head[task]; k <= b->tail[task]; k++)
            b->p->label[k] = b->t->task[task].id;
    }
    return err;
}

/* ---- tasks by rank ------------------------------------------------------- */

/* Counts a task with a rank, or lists it there. */
static void put_task(struct build *b, uint32_t rank, uint32_t task, bool list)
{
    if (list)
        b->list[b->off[rank]++] = task;
    else
        b->off[rank + 1]++;
}

/* Each with all ranks that have a part in it. */
static void put_all(struct build *b, bool list)
{
    for (uint32_t i = 0; i < b->t->n; i++) {
        const struct orr_graph_task *x = &b->t->task[i];
        if (x->kind == ORR_TASK_ALL_REDUCE) {
            for (uint32_t k = 0; k < x->nexts; k++)
                put_task(b, b->t->next[x->next + k].number, i, list);
            continue;
        }
        put_task(b, x->from, i, list);
        if (x->to != x->from)
            put_task(b, x->to, i, list);
    }
}

/* Fills off and list. */
static orr_err sort_tasks(struct build *b)
{
    uint32_t ranks = b->p->ranks;
    put_all(b, false);
    for (uint32_t r = 0; r < ranks; r++)
        b->off[r + 1] += b->off[r];
    b->list = orr__alloc(b->off[ranks], sizeof *b->list);
    if (!b->list)
        return orr__no_memory(b->why);
    put_all(b, true);
    memmove(b->off + 1, b->off, ranks * sizeof *b->off);
    b->off[0] = 0;
    return ORR_OK;
}

/* ---- the whole ----------------------------------------------------------- */

/* All of the program; what b owns is freed by the caller. */
static orr_err build_ranks(struct build *b)
{
    uint32_t n = b->t->n;
    b->call = orr__alloc(n, sizeof *b->call);
    b->head = orr__alloc(n, sizeof *b->head);
    b->tail = orr__alloc(n, sizeof *b->tail);
    b->off = orr__alloc((size_t)b->p->ranks + 1, sizeof *b->off);
    if (!b->call || !b->head || !b->tail || !b->off)
        return orr__no_memory(b->why);
    orr_err err = add_calls(b);
    if (!err)
        err = sort_tasks(b);
    for (uint32_t r = 0; r < b->p->ranks && !err; r++)
        err = add_rank(b, r);
    if (!err)
        err = orr__program_slots(b->p, DELAY_STREAM, n, b->why);
    return err;
}

/* The graph has no circle, so the program has none. */
static orr_err finish(struct build *b)
{
    struct orr_longest x;
    orr_err err = orr__program_finish(b->p, b->why);
    if (!err)
        err = orr__program_longest(b->p, 0, &x, b->why);
    if (!err) {
        b->info->critical_ps = x.ps;
        b->info->critical_nodes = x.operations;
    }
    return err;
}

/* The file of the graph, for *t. */
static orr_err read_tasks(const struct orr_trace_job *job, const char *file,
                          struct orr_task_graph *t, struct orr_report *why)
{
    char *text = NULL, *path = orr__trace_path(job, file);
    size_t length = 0;
    bool flat = orr__task_graph_is_flat(file);
    orr_err err = path ? ORR_OK : orr__no_memory(why);
    if (!err)
        err = flat ? orr__trace_slurp(path, &text, &length, why)
                   : orr__trace_text_file(job, "tasks", path, &text, &length,
                                          why);
    if (!err)
        err = orr__task_graph_read(path, text, length, job->ranks, t, why);
    orr__free(text);
    orr__free(path);
    return err;
}

/* *out is the caller's also after an error. */
static orr_err read_flexflow(const struct orr_trace_job *job, const void *keys,
                             struct orr_program **out,
                             struct orr_trace_info *info,
                             struct orr_report *why)
{
    const struct keys *k = keys;
    struct orr_task_graph t = {.n = 0};
    struct build b = {.t = &t, .job = job, .keys = k, .info = info, .why = why};
    b.p = *out = orr__program_new(job->ranks);
    info->ranks = job->ranks;
    info->files = 1;
    orr_err err =
        b.p ? read_tasks(job, k->tasks, &t, why) : orr__no_memory(why);
    info->nodes = t.n;
    if (!err)
        err = build_ranks(&b);
    if (!err)
        err = finish(&b);
    orr__free(b.call);
    orr__free(b.head);
    orr__free(b.tail);
    orr__free(b.off);
    orr__free(b.list);
    orr__task_graph_free(&t);
    return err;
}

const struct orr_trace_format orr__trace_flexflow = {
    .name = "flexflow",
    .doc = "FlexFlow's task graphs, as TopoOpt's simulator runs them",
    .params = params,
    .params_size = sizeof(struct keys),
    .read = read_flexflow,
};
