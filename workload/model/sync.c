/* How replicas agree on gradients. What travels for a stage is what one of its
 * ranks holds: with a tensor group, its share. */
#include "core/memory.h"
#include "core/none.h"
#include "workload/model/train.h"

static const int classes[] = {ORR_EXPERT_UNSPLIT, ORR_EXPERT_EXCHANGE};

/* Elements that a rank holds of layers [from, to) of a class. */
static uint64_t elements(const struct orr_stage *s, uint32_t from, uint32_t to,
                         int expert)
{
    const struct orr_model *m = s->t->m;
    uint64_t sum = 0;
    for (uint32_t l = from; l < to; l++)
        for (uint32_t i = 0; m->layer[l].expert == expert && i < m->layer[l].n;
             i++)
            sum += orr__tensor_share(m, &m->layer[l], i, s->t->tensor,
                                     s->t->expert);
    return sum;
}

/* ---- classes by layer ----------------------------------------------------
 */

/* Gradients whose first layer is `layer` are added next: with classes they wait
 * for no others, and those of the first layers are in the highest. Returns the
 * end of the communication chain, which is left for that long. */
static uint32_t begin_class(struct orr_stage *s, uint32_t layer)
{
    uint32_t had = s->comm;
    uint64_t n = (uint64_t)s->t->k->layer_classes;
    if (n <= 1)
        return had;
    s->raise = (uint32_t)(n - 1 - n * (layer - s->from) / (s->to - s->from));
    s->comm = ORR_NONE;
    return had;
}

/* They are added, by s->comm if there are any; the chain ends when all are
 * there. Those of an iteration come after the same of the one before. */
static orr_err end_class(struct orr_stage *s, uint32_t had)
{
    const struct orr_op join = {.kind = ORR_OP_WAIT, .who = ORR_EVERYONE};
    const uint32_t both[] = {had, s->comm};
    orr_err err = ORR_OK;
    if (s->t->k->layer_classes <= 1)
        return ORR_OK;
    s->raise = 0;
    if (s->comm == ORR_NONE)
        s->comm = had;
    else if (had != ORR_NONE)
        err = orr__stage_op(s, &join, both, 2, &s->comm);
    return err;
}

/* ---- bulk, gather-scatter, parameter server ----------------------------- */

/* Workers that push and pull by themselves: groups of one. */
static orr_err push_pull(struct orr_stage *s, uint64_t bytes, uint32_t n,
                         uint32_t stride)
{
    const uint32_t before[] = {s->last, s->comm};
    if (s->t->k->asynchronous)
        n = stride = 1;
    return orr__stage_serve(s, bytes, n, stride, before, 2, &s->comm);
}

/* What one_message adds is waited for by the layers [from, to). */
static orr_err one_message(struct orr_stage *s, uint64_t elements_of,
                           int expert);
static orr_err message_of(struct orr_stage *s, uint64_t elements_of, int expert,
                          uint32_t from, uint32_t to)
{
    bool parts = to - from < s->to - s->from;
    bool classed = parts && s->t->k->sync == ORR_SYNC_PARAMETER_SERVER;
    uint32_t before = classed ? begin_class(s, from) : s->comm, had = s->comm;
    orr_err err = one_message(s, elements_of, expert);
    if (!err && s->comm != had)
        err = orr__stage_wait(s, from, to, expert, s->comm);
    return err || !classed ? err : end_class(s, before);
}

/* All gradients of the stage at once, after the last computation; s->comm is
 * the operation that ends it. */
static orr_err one_message(struct orr_stage *s, uint64_t elements_of,
                           int expert)
{
    uint64_t bytes = elements_of * s->t->element;
    uint32_t before[] = {s->last, s->comm}, n, stride;
    orr_err err;
    orr__stage_replicas(s, expert, &n, &stride);
    switch (s->t->k->sync) {
    case ORR_SYNC_PARAMETER_SERVER: return push_pull(s, bytes, n, stride);
    case ORR_SYNC_GATHER_SCATTER:
        err = orr__stage_call(s, ORR_GATHER, bytes, n, stride, before, 2,
                              &s->comm);
        before[1] = s->comm;
        return err ? err
                   : orr__stage_call(s, ORR_SCATTER, bytes, n, stride, before,
                                     2, &s->comm);
    default:
        return orr__stage_call(s, ORR_ALL_REDUCE, bytes, n, stride, before, 2,
                               &s->comm);
    }
}

/* One message a layer, or one a tensor; tables of embeddings have none. */
static orr_err layer_messages(struct orr_stage *s, uint32_t l, bool tensors)
{
    const struct orr_model *m = s->t->m;
    const struct orr_layer *x = &m->layer[l];
    orr_err err = ORR_OK;
    if (x->expert == ORR_EXPERT_TABLES)
        return ORR_OK;
    if (!tensors)
        return message_of(s, elements(s, l, l + 1, x->expert), x->expert, l,
                          l + 1);
    for (uint32_t i = 0; !err && i < x->n; i++)
        err = message_of(s,
                         orr__tensor_share(m, x, i, s->t->tensor, s->t->expert),
                         x->expert, l, l + 1);
    return err;
}

/* All after the backward pass, in forward order. */
static orr_err afterwards(struct orr_stage *s)
{
    int what = s->t->k->granularity;
    orr_err err = ORR_OK;
    if (what > ORR_EACH_TENSOR) /* auto */
        what = s->t->k->sync == ORR_SYNC_GATHER_SCATTER ? ORR_EACH_TENSOR
                                                        : ORR_ALL_LAYERS;
    if (what == ORR_ALL_LAYERS) {
        for (int c = 0; !err && c < 2; c++)
            err = message_of(s, elements(s, s->from, s->to, classes[c]),
                             classes[c], s->from, s->to);
        return err;
    }
    for (uint32_t l = s->from; !err && l < s->to; l++)
        err = layer_messages(s, l, what == ORR_EACH_TENSOR);
    return err;
}

/* ---- DDP, ZeRO ---------------------------------------------------------- */

/* Buckets of a stage in the order in which they are ready. Layers with an
 * expert on each rank have buckets of their own, because other ranks hold the
 * same. */
struct buckets {
    struct orr_bucket *of[2]; /* by class, owned */
    struct ready_bucket {
        const struct orr_bucket *bucket;
        int expert; /* the class */
    } * in_order;   /* owned */
    uint32_t n;
};

static void buckets_fini(struct buckets *x)
{
    orr__free(x->of[0]);
    orr__free(x->of[1]);
    orr__free(x->in_order);
}

/* *x is to be freed with buckets_fini also after a failure. */
static orr_err find_buckets(const struct orr_stage *s, struct buckets *x)
{
    const struct orr_training *t = s->t;
    const struct orr_bucketing how = {t->k->first_bucket, t->k->bucket_cap,
                                      t->tensor, t->element, t->expert};
    uint32_t n[2] = {0, 0}, next[2] = {0, 0};
    orr_err err = ORR_OK;
    for (int c = 0; !err && c < 2; c++)
        err = orr__buckets(t->m, s->from, s->to, classes[c], &how, &x->of[c],
                           &n[c], t->why);
    if (err)
        return err;
    x->in_order = orr__alloc(n[0] + n[1], sizeof *x->in_order);
    if (!x->in_order)
        return orr__no_memory(t->why);
    while (next[0] < n[0] || next[1] < n[1]) {
        int c = next[0] == n[0];
        if (!c && next[1] < n[1]
            && x->of[1][next[1]].layer > x->of[0][next[0]].layer)
            c = 1;
        x->in_order[x->n++] =
            (struct ready_bucket){&x->of[c][next[c]++], classes[c]};
    }
    return ORR_OK;
}

/* Buckets travel one after another. Shares of ZeRO are padded to one size; its
 * weights come back when all gradients are there. What is in the end with all
 * replicas may be waited for. */
static orr_err send_bucket(struct orr_stage *s, enum orr_collective_kind kind,
                           const struct ready_bucket *x)
{
    const struct orr_bucket *b = x->bucket;
    uint32_t members, stride, element = s->t->element;
    orr__stage_replicas(s, x->expert, &members, &stride);
    uint64_t share = b->bytes / element;
    share = (share / members + (share % members > 0)) * element;
    uint64_t bytes = kind == ORR_ALL_REDUCE   ? b->bytes
                     : kind == ORR_ALL_GATHER ? share
                                              : share * members;
    uint32_t had = kind == ORR_ALL_REDUCE ? begin_class(s, b->layer) : s->comm;
    const uint32_t before[] = {
        kind == ORR_ALL_GATHER ? s->last : s->ready[b->layer], s->comm};
    orr_err err =
        orr__stage_call(s, kind, bytes, members, stride, before, 2, &s->comm);
    if (!err && s->comm != before[1] && kind != ORR_REDUCE_SCATTER)
        err = orr__stage_wait(s, b->layer, b->highest + 1, x->expert, s->comm);
    return err || kind != ORR_ALL_REDUCE ? err : end_class(s, had);
}

/* All buckets, weights of the first layers first. */
static orr_err send_buckets(struct orr_stage *s, enum orr_collective_kind kind)
{
    struct buckets x = {.n = 0};
    orr_err err = find_buckets(s, &x);
    for (uint32_t i = 0; !err && i < x.n; i++)
        err = send_bucket(
            s, kind, &x.in_order[kind == ORR_ALL_GATHER ? x.n - 1 - i : i]);
    buckets_fini(&x);
    return err;
}

orr_err orr__stage_scatter(struct orr_stage *s)
{
    return send_buckets(s, ORR_REDUCE_SCATTER);
}

/* Gradients to who updates them, and the weights back. With ZeRO-2 they are
 * there already. */
static orr_err sync_sharded(struct orr_stage *s)
{
    orr_err err = ORR_OK;
    if (s->t->k->sync == ORR_SYNC_ZERO1)
        err = send_buckets(s, ORR_REDUCE_SCATTER);
    return err ? err : send_buckets(s, ORR_ALL_GATHER);
}

/* ---- FSDP --------------------------------------------------------------- */

/* Fully sharded data parallel (ZeRO stage 3): each replica keeps a share of a
 * unit's parameters; they are gathered before its forward and again before its
 * backward pass, and gradients are reduced and scattered after that. Shares
 * are padded to the same size. Communication goes in one order; a unit may be
 * gathered while `prefetch` units before it are still at work. */

static void unit_layers(const struct orr_stage *s, uint32_t unit,
                        uint32_t *from, uint32_t *to)
{
    const struct orr_layer *l = s->t->m->layer;
    *from = s->from;
    while (l[*from].unit != unit)
        ++*from;
    for (*to = *from; *to < s->to && l[*to].unit == unit; ++*to)
        ;
}

/* FSDP: gathers a unit's weights, or scatters its gradients, of experts and
 * others apart as their replicas differ. */
static orr_err shards(struct orr_stage *s, uint32_t unit, bool gather)
{
    uint32_t from, to, n, stride;
    orr_err err = ORR_OK;
    unit_layers(s, unit, &from, &to);
    for (int c = 0; !err && c < 2; c++) {
        orr__stage_replicas(s, classes[c], &n, &stride);
        uint64_t all = elements(s, from, to, classes[c]);
        uint64_t share = (all / n + (all % n > 0)) * s->t->element;
        const uint32_t before[] = {s->last, s->comm};
        err = orr__stage_call(s, gather ? ORR_ALL_GATHER : ORR_REDUCE_SCATTER,
                              gather ? share : share * n, n, stride, before, 2,
                              &s->comm);
    }
    return err;
}

orr_err orr__fsdp_begin(struct orr_stage *s, uint32_t unit, bool backward)
{
    const struct orr_training *t = s->t;
    int64_t step = backward ? -1 : 1, ahead = t->k->prefetch;
    int64_t low = t->m->layer[s->from].unit;
    int64_t high = t->m->layer[s->to - 1].unit;
    orr_err err = ORR_OK;
    while (!err && s->gather_next >= low && s->gather_next <= high
           && (s->gather_next - unit) * step <= ahead) {
        uint32_t had = s->comm;
        err = shards(s, (uint32_t)s->gather_next, true);
        s->gathered[s->gather_next] = s->comm == had ? ORR_NONE : s->comm;
        s->gather_next += step;
    }
    return err;
}

orr_err orr__fsdp_end(struct orr_stage *s, uint32_t unit)
{
    return shards(s, unit, false);
}

/* ---- layers that wait ---------------------------------------------------- */

orr_err orr__stage_wait(struct orr_stage *s, uint32_t from, uint32_t to,
                        int expert, uint32_t comm)
{
    const struct orr_training *t = s->t;
    orr_err err = ORR_OK;
    if (!s->entry)
        return ORR_OK;
    if (s->t->k->layer_classes > 1) /* each after itself, no others */
        err = orr__program_depend_across(t->p, comm, comm, 1, t->why);
    else if (s->first_comm == ORR_NONE)
        s->first_comm = comm;
    for (uint32_t l = from; !err && l < to; l++) {
        const struct orr_layer *x = &t->m->layer[l];
        if (x->expert != expert || x->n == 0)
            continue;
        err = orr__program_depend_across(t->p, comm, s->entry[l],
                                         l < t->stale ? 2 : 1, t->why);
        if (!err && t->stale_auto)
            err = orr__program_may_be_stale(t->p, l, t->why);
    }
    return err;
}

/* Computations and gradients of an iteration come after those of the one
 * before, each among themselves. */
static orr_err follow_on(struct orr_stage *s, uint32_t computed)
{
    struct orr_training *t = s->t;
    orr_err err = ORR_OK;
    if (!s->entry)
        return ORR_OK;
    t->p->overlap = t->stale > 0 ? 3 : 2;
    err = orr__program_depend_across(t->p, computed, s->entry[s->from], 1,
                                     t->why);
    if (!err && s->first_comm != ORR_NONE)
        err =
            orr__program_depend_across(t->p, s->comm, s->first_comm, 1, t->why);
    return err;
}

orr_err orr__stage_sync(struct orr_stage *s)
{
    uint32_t computed = s->last;
    orr_err err = ORR_OK;
    switch (s->t->k->sync) {
    case ORR_SYNC_DDP: err = send_buckets(s, ORR_ALL_REDUCE); break;
    case ORR_SYNC_ZERO1:
    case ORR_SYNC_ZERO2: err = sync_sharded(s); break;
    case ORR_SYNC_FSDP: /* done along the way */
    case ORR_SYNC_NONE: break;
    default:
        err = afterwards(s);
        if (!err)
            err = orr__stage_clock(s);
    }
    return err ? err : follow_on(s, computed);
}
