/* Forward and backward passes of one stage, as operations.
 *
 * Computations of a rank follow one another; so do the messages that the next
 * computation needs (tensor and expert groups, activations from the stage
 * before). Sends to other stages leave on their own. */
#include "core/memory.h"
#include "core/none.h"
#include "workload/model/train.h"
#include "workload/program/call_read.h"

/* ---- operations --------------------------------------------------------- */

orr_err orr__stage_op(struct orr_stage *s, const struct orr_op *op,
                      const uint32_t *before, size_t n, uint32_t *id)
{
    struct orr_training *t = s->t;
    uint32_t made;
    orr_err err = orr__program_add(t->p, op, &made, t->why);
    for (size_t i = 0; !err && i < n; i++)
        if (before[i] != ORR_NONE)
            err = orr__program_depend(t->p, before[i], made, t->why);
    *id = made;
    return err;
}

/* ---- collectives -------------------------------------------------------- */

/* The group of the rank at `first`: `n` ranks, `stride` apart. */
static orr_err list_group(struct orr_stage *s, uint32_t first, uint32_t n,
                          uint32_t stride, uint32_t *group)
{
    int64_t *list = orr__alloc(n, sizeof *list);
    if (!list)
        return orr__no_memory(s->t->why);
    for (uint32_t i = 0; i < n; i++)
        list[i] = first + (int64_t)i * stride;
    orr_err err = orr__program_group(s->t->p, list, n, group, s->t->why);
    orr__free(list);
    return err;
}

/* Completes the call by the job's `algorithm` and adds it (copied) to the
 * program, where *index is its number. The body is the map of `algorithm`, or
 * the job itself where that is a name. */
static orr_err add_call_of(struct orr_stage *s, struct orr_call *call,
                           uint32_t *index)
{
    struct orr_training *t = s->t;
    const struct orr_yaml *node = t->k->algorithm;
    const struct orr_call_reader r = {
        .c = t->c,
        .graph = t->graph,
        .hosts = t->hosts,
        .p = t->p,
        .body = orr__yaml_is_map(node) ? node : t->node,
        .verb = orr__collective_kind_name(call->c.ops->kind),
        .key = "algorithm",
    };
    uint32_t *servers = NULL;
    orr_err err = orr__call_finish(&r, call, &servers, t->why);
    if (!err)
        err = orr__program_call(t->p, call, servers, index, t->why);
    orr__free(servers);
    return err;
}

orr_err orr__stage_new_call(struct orr_stage *s, enum orr_collective_kind kind,
                            uint64_t bytes, uint32_t first, uint32_t n,
                            uint32_t *index)
{
    struct orr_call call = s->t->common;
    call.c = s->t->keys[kind];
    call.c.n = n;
    call.bytes = bytes;
    call.group = ORR_EVERYONE;
    orr_err err = ORR_OK;
    if (n < s->t->p->ranks)
        err = list_group(s, first, n, 1, &call.group);
    return err ? err : add_call_of(s, &call, index);
}

/* kind: a collective or a clock; of the latter, how stale one may be. */
static orr_err add_op(struct orr_stage *s, enum orr_op_kind kind,
                      struct orr_call *call, uint32_t who, uint64_t stale,
                      const uint32_t *before, size_t n_before, uint32_t *id)
{
    struct orr_op op = {.kind = (uint8_t)kind, .who = who, .bytes = stale};
    orr_err err = add_call_of(s, call, &op.index);
    return err ? err : orr__stage_op(s, &op, before, n_before, id);
}

static orr_err add_call(struct orr_stage *s, struct orr_call *call,
                        uint32_t who, const uint32_t *before, size_t n_before,
                        uint32_t *id)
{
    return add_op(s, ORR_OP_COLLECTIVE, call, who, 0, before, n_before, id);
}

/* Servers know no groups side by side: each group has a call of its own, and a
 * wait joins them. */
static orr_err call_each(struct orr_stage *s, struct orr_call *call,
                         uint32_t stride, const uint32_t *before,
                         size_t n_before, uint32_t *id)
{
    struct orr_op join = {.kind = ORR_OP_WAIT, .who = ORR_EVERYONE};
    uint32_t n = call->c.n, one, end;
    orr_err err = orr__stage_op(s, &join, before, n_before, &end);
    for (uint32_t r = 0; !err && r < s->t->stage_ranks; r++) {
        struct orr_call x = *call;
        if (r / stride % n)
            continue;
        err = list_group(s, s->base + r, n, stride, &x.group);
        uint32_t who = n > 1 ? x.group : ORR_ONLY | (s->base + r);
        if (!err && s->t->p->ranks == 1)
            who = ORR_EVERYONE;
        if (!err)
            err = add_call(s, &x, who, before, n_before, &one);
        if (!err)
            err = orr__program_depend(s->t->p, one, end, s->t->why);
    }
    *id = end;
    return err;
}

/* A call of n ranks of the stage, `stride` apart, in as many groups as there
 * are. One of all ranks needs no groups. */
static orr_err call_by(struct orr_stage *s, const struct orr_call *how,
                       const struct orr_collective *c, uint64_t bytes,
                       uint32_t n, uint32_t stride, const uint32_t *before,
                       size_t n_before, uint32_t *id)
{
    struct orr_training *t = s->t;
    struct orr_call call = *how;
    call.c = *c;
    call.c.n = n;
    call.bytes = bytes;
    call.group = ORR_EVERYONE;
    call.raise = s->raise;
    t->p->raises = s->raise > t->p->raises ? s->raise : t->p->raises;
    if (c->ops->serves && n < t->p->ranks)
        return call_each(s, &call, stride, before, n_before, id);
    if (n < t->p->ranks) {
        call.stride = stride;
        call.from = s->base;
        call.count = t->stage_ranks;
    }
    return add_call(s, &call, ORR_EVERYONE, before, n_before, id);
}

orr_err orr__stage_call(struct orr_stage *s, enum orr_collective_kind kind,
                        uint64_t bytes, uint32_t n, uint32_t stride,
                        const uint32_t *before, size_t n_before, uint32_t *id)
{
    if (n == 1 || bytes == 0)
        return ORR_OK;
    return call_by(s, &s->t->common, &s->t->keys[kind], bytes, n, stride,
                   before, n_before, id);
}

orr_err orr__stage_serve(struct orr_stage *s, uint64_t bytes, uint32_t n,
                         uint32_t stride, const uint32_t *before,
                         size_t n_before, uint32_t *id)
{
    const struct orr_train_keys *k = s->t->k;
    const struct orr_collective c = {
        .ops = orr__collective_find(ORR_ALL_REDUCE, "parameter-server"),
        .server_hosts = s->t->servers,
        .shards = k->shards,
    };
    struct orr_call how = s->t->common;
    if (bytes == 0)
        return ORR_OK;
    how.pushes = k->asynchronous && !s->pushed;
    s->pushed = true;
    return call_by(s, &how, &c, bytes, n, stride, before, n_before, id);
}

/* All ranks of the job ask one server, by one call, whatever their stage. */
orr_err orr__stage_clock(struct orr_stage *s)
{
    struct orr_training *t = s->t;
    struct orr_collective c = {
        .ops = orr__collective_find(ORR_ALL_REDUCE, "parameter-server"),
        .n = t->p->ranks,
        .server_hosts = t->servers,
        .shards = 1,
    };
    struct orr_call call = {.c = c,
                            .bytes = 1,
                            .chunks = 1,
                            .concurrent = 1,
                            .group = ORR_EVERYONE,
                            .clock = true};
    const uint32_t before[] = {s->last, s->comm};
    if (!t->k->asynchronous || t->k->staleness < 0)
        return ORR_OK;
    if (s->index > 0) {
        struct orr_op op = t->p->op[t->clock];
        return orr__stage_op(s, &op, before, 2, &s->comm);
    }
    orr_err err = add_op(s, ORR_OP_CLOCK, &call, ORR_EVERYONE,
                         (uint64_t)t->k->staleness, before, 2, &s->comm);
    t->clock = s->comm;
    return err;
}

void orr__stage_replicas(const struct orr_stage *s, int expert, uint32_t *n,
                         uint32_t *stride)
{
    const struct orr_training *t = s->t;
    bool own = expert == ORR_EXPERT_EXCHANGE;
    *n = (own ? t->data : t->data * t->expert) * t->context;
    *stride = own ? t->tensor * t->expert : t->tensor;
}

/* ---- layers ------------------------------------------------------------- */

/* `one` of a sample, for one micro-batch, of one of a context group. */
static uint64_t batch_bytes(const struct orr_training *t, uint64_t one)
{
    return one * t->samples / t->m->element * t->element / t->context;
}

/* Bytes of the output of a layer for one micro-batch. */
static uint64_t output_bytes(const struct orr_training *t, uint32_t layer)
{
    return batch_bytes(t, t->m->layer[layer].activations);
}

/* The same of what the layers before a cut hand to those behind it. */
uint64_t orr__boundary_bytes(const struct orr_training *t, uint32_t cut)
{
    return batch_bytes(t, orr__model_crossing(t->m, cut));
}

/* A collective that the chain goes through. */
static orr_err through(struct orr_stage *s, enum orr_collective_kind kind,
                       uint64_t bytes, uint32_t n, uint32_t stride)
{
    return orr__stage_call(s, kind, bytes, n, stride, &s->last, 1, &s->last);
}

static orr_err exchange(struct orr_stage *s, const struct orr_layer *l,
                        uint64_t bytes)
{
    const struct orr_training *t = s->t;
    if (l->expert == ORR_EXPERT_EXCHANGE)
        return through(s, ORR_ALL_TO_ALL, bytes * l->top_k, t->expert,
                       t->tensor);
    return through(s, ORR_ALL_TO_ALL, bytes, t->data * t->expert * t->context,
                   t->tensor);
}

/* Keys and values of the whole sequence, or their gradients to who has the
 * tokens; a tensor group has divided them. */
static orr_err share_keys(struct orr_stage *s, const struct orr_layer *l,
                          bool gather)
{
    const struct orr_training *t = s->t;
    uint64_t own = batch_bytes(t, l->kv);
    if (l->tensor != ORR_TENSOR_UNSPLIT)
        own /= t->tensor;
    return through(s, gather ? ORR_ALL_GATHER : ORR_REDUCE_SCATTER,
                   gather ? own : own * t->context, t->context,
                   t->tensor * t->expert);
}

/* Waits for `gate` as well; without time it only joins what comes before. */
static orr_err compute(struct orr_stage *s, int64_t time, uint32_t gate)
{
    const struct orr_op op = {.kind = ORR_OP_COMPUTE,
                              .who = ORR_EVERYONE,
                              .stream = ORR_STREAM_COMPUTE,
                              .index = ORR_NONE,
                              .time_ps = time};
    const struct orr_op join = {.kind = ORR_OP_WAIT, .who = ORR_EVERYONE};
    const uint32_t before[] = {s->last, gate};
    if (time == 0 && gate == ORR_NONE)
        return ORR_OK;
    return orr__stage_op(s, time ? &op : &join, before, 2, &s->last);
}

/* With `sequence_parallel` a rank of a tensor group has its part of the tokens
 * outside of layers that are divided. */
static uint64_t held_bytes(const struct orr_training *t, uint64_t bytes)
{
    return t->k->sequence_parallel ? bytes / t->tensor : bytes;
}

/* A layer on its way through a tensor group, in parts: what they wait for, the
 * last part gathered, and the last one that was summed up; ORR_NONE: none. */
struct parts {
    const struct orr_layer *layer;
    uint32_t start, gate, gathered, summed;
};

/* One part of a layer, alike forward and backward: what a tensor group gathers,
 * the computation, what it sums up. Each of these waits for that of the part
 * before. */
static orr_err part_of_layer(struct orr_stage *s, struct parts *p,
                             uint64_t bytes, int64_t time)
{
    const struct orr_op join = {.kind = ORR_OP_WAIT, .who = ORR_EVERYONE};
    const struct orr_training *t = s->t;
    bool reduce = p->layer->tensor == ORR_TENSOR_REDUCE && t->tensor > 1;
    bool gather = reduce && t->k->sequence_parallel;
    const uint32_t before[] = {p->start, p->gathered};
    orr_err err = ORR_OK;
    if (gather)
        err = orr__stage_call(s, ORR_ALL_GATHER, bytes / t->tensor, t->tensor,
                              1, before, 2, &p->gathered);
    if (!err && gather) {
        const uint32_t both[] = {s->last, p->gathered};
        err = orr__stage_op(s, &join, both, 2, &s->last);
    }
    if (!err)
        err = compute(s, time, p->gate);
    const uint32_t after[] = {s->last, p->summed};
    if (!err && reduce)
        err = orr__stage_call(s, gather ? ORR_REDUCE_SCATTER : ORR_ALL_REDUCE,
                              bytes, t->tensor, 1, after, 2, &p->summed);
    return err;
}

/* A layer in its parts; the chain goes on when all are through. *computed: the
 * end of the computations. */
static orr_err parts_of_layer(struct orr_stage *s, uint32_t layer, int64_t time,
                              uint32_t gate, uint32_t *computed)
{
    const struct orr_training *t = s->t;
    const struct orr_op join = {.kind = ORR_OP_WAIT, .who = ORR_EVERYONE};
    struct parts p = {&t->m->layer[layer], s->last, gate, ORR_NONE, ORR_NONE};
    uint64_t bytes = output_bytes(t, layer);
    bool many = p.layer->tensor == ORR_TENSOR_REDUCE && t->tensor > 1
                && t->k->tensor_chunks > 1;
    uint32_t n = many ? (uint32_t)t->k->tensor_chunks : 1;
    orr_err err = ORR_OK;
    for (uint32_t i = 0; !err && i < n; i++)
        err = part_of_layer(s, &p, orr__piece_bytes(bytes, n, i),
                            (int64_t)orr__piece_bytes((uint64_t)time, n, i));
    *computed = s->last;
    if (!err && p.summed != ORR_NONE && n == 1) {
        s->last = p.summed;
    } else if (!err && p.summed != ORR_NONE) {
        const uint32_t both[] = {s->last, p.summed};
        err = orr__stage_op(s, &join, both, 2, &s->last);
    }
    return err;
}

/* Exchange of experts, keys and values, compute and what the tensor group sums
 * up, exchange back. */
static orr_err layer_forward(struct orr_stage *s, uint32_t i, uint32_t gate)
{
    const struct orr_training *t = s->t;
    const struct orr_layer *l = &t->m->layer[i];
    uint64_t bytes = held_bytes(t, output_bytes(t, i));
    uint32_t computed;
    orr_err err = ORR_OK;
    if (l->expert == ORR_EXPERT_EXCHANGE)
        err = exchange(s, l, bytes);
    if (!err)
        err = share_keys(s, l, true);
    if (!err)
        err = parts_of_layer(s, i, t->forward_ps[i], gate, &computed);
    if (!err && l->expert != ORR_EXPERT_UNSPLIT)
        err = exchange(s, l, bytes);
    return err;
}

/* As forward, in reverse order; s->ready: when the layer's gradients are there.
 * Megatron gathers the layer's input once more for them, beside. */
static orr_err layer_backward(struct orr_stage *s, uint32_t i, uint32_t gate)
{
    const struct orr_training *t = s->t;
    const struct orr_layer *l = &t->m->layer[i];
    uint64_t bytes = held_bytes(t, output_bytes(t, i));
    uint32_t again = ORR_NONE;
    orr_err err = ORR_OK;
    if (l->expert != ORR_EXPERT_UNSPLIT)
        err = exchange(s, l, bytes);
    if (!err)
        err = share_keys(s, l, true);
    if (!err && l->tensor == ORR_TENSOR_REDUCE && t->k->sequence_parallel)
        err = orr__stage_call(s, ORR_ALL_GATHER, bytes, t->tensor, 1, &s->last,
                              1, &again);
    if (!err)
        err = parts_of_layer(s, i, t->backward_ps[i], gate, &s->ready[i]);
    if (!err && again != ORR_NONE) {
        const struct orr_op join = {.kind = ORR_OP_WAIT, .who = ORR_EVERYONE};
        const uint32_t both[] = {s->last, again};
        err = orr__stage_op(s, &join, both, 2, &s->last);
    }
    if (!err)
        err = share_keys(s, l, false);
    if (!err && l->expert == ORR_EXPERT_EXCHANGE)
        err = exchange(s, l, bytes);
    return err;
}

/* ---- micro-batches ------------------------------------------------------ */

/* To or from the stage `by` places on. back: a gradient. */
static orr_err pass_on(struct orr_stage *s, enum orr_op_kind kind, bool next,
                       uint32_t micro_batch, bool back)
{
    const struct orr_training *t = s->t;
    uint32_t boundary = next ? s->to : s->from, id;
    struct orr_op op = {
        .kind = (uint8_t)kind,
        .who = ORR_EVERYONE,
        .relative = true,
        .index = 2 * micro_batch + back,
        .peer = next ? t->stage_ranks : t->p->ranks - t->stage_ranks,
        .bytes = held_bytes(t, orr__boundary_bytes(t, boundary)),
    };
    orr_err err = orr__stage_op(s, &op, &s->last, 1, &id);
    if (kind == ORR_OP_RECV)
        s->last = id;
    return err;
}

/* What an iteration's first pass through a layer waits for of the iterations
 * before. */
static orr_err enter_layer(struct orr_stage *s, uint32_t layer)
{
    const struct orr_op join = {.kind = ORR_OP_WAIT, .who = ORR_EVERYONE};
    orr_err err = orr__stage_op(s, &join, &s->last, 1, &s->last);
    s->entry[layer] = s->last;
    return err;
}

/* Receives from the stage before, goes through its layers (with FSDP a unit's
 * weights are gathered before it), sends on. */
static orr_err forward(struct orr_stage *s, uint32_t micro_batch)
{
    const struct orr_training *t = s->t;
    bool fsdp = t->k->sync == ORR_SYNC_FSDP;
    uint32_t unit = UINT32_MAX;
    orr_err err = ORR_OK;
    if (s->index > 0)
        err = pass_on(s, ORR_OP_RECV, false, micro_batch, false);
    s->gather_next = t->m->layer[s->from].unit;
    for (uint32_t i = s->from; !err && i < s->to; i++) {
        uint32_t gate = ORR_NONE, own = t->m->layer[i].unit;
        if (s->entry && s->entry[i] == ORR_NONE)
            err = enter_layer(s, i);
        if (err)
            return err;
        if (fsdp && own != unit) {
            err = orr__fsdp_begin(s, own, false);
            gate = s->gathered[own];
        }
        unit = own;
        if (!err)
            err = layer_forward(s, i, gate);
    }
    if (!err && s->index + 1 < t->pipeline)
        err = pass_on(s, ORR_OP_SEND, true, micro_batch, false);
    return err;
}

/* As forward, in reverse order; with FSDP a unit's gradients leave when its
 * first layer is through. */
static orr_err backward(struct orr_stage *s, uint32_t micro_batch)
{
    const struct orr_training *t = s->t;
    bool fsdp = t->k->sync == ORR_SYNC_FSDP;
    uint32_t unit = UINT32_MAX;
    orr_err err = ORR_OK;
    if (s->index + 1 < t->pipeline)
        err = pass_on(s, ORR_OP_RECV, true, micro_batch, true);
    s->gather_next = t->m->layer[s->to - 1].unit;
    for (uint32_t i = s->to; !err && i-- > s->from;) {
        uint32_t gate = ORR_NONE, own = t->m->layer[i].unit;
        if (fsdp && own != unit) {
            err = orr__fsdp_begin(s, own, true);
            gate = s->gathered[own];
        }
        unit = own;
        if (!err)
            err = layer_backward(s, i, gate);
        bool ends = i == s->from || t->m->layer[i - 1].unit != own;
        if (!err && fsdp && ends)
            err = orr__fsdp_end(s, own);
    }
    if (!err && s->index > 0)
        err = pass_on(s, ORR_OP_SEND, false, micro_batch, true);
    if (!err && t->k->sync == ORR_SYNC_ZERO2)
        err = orr__stage_scatter(s);
    return err;
}

orr_err orr__stage_schedule(struct orr_stage *s)
{
    const struct orr_training *t = s->t;
    uint32_t m = t->micro_batches, ahead = t->pipeline - 1 - s->index;
    orr_err err = ORR_OK;
    if (t->k->schedule == ORR_GPIPE || ahead > m)
        ahead = m;
    for (uint32_t i = 0; !err && i < ahead; i++)
        err = forward(s, i);
    if (t->k->schedule == ORR_GPIPE) { /* backward in the opposite order */
        for (uint32_t i = m; !err && i-- > 0;)
            err = backward(s, i);
        return err;
    }
    for (uint32_t i = 0; !err && i < m; i++) {
        if (ahead + i < m)
            err = forward(s, ahead + i);
        if (!err)
            err = backward(s, i);
    }
    return err;
}
