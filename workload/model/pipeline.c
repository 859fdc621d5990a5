/* Pipelines whose stages have replicas of their own, or an order that is not
 * the same for all ranks of a stage: a part of the program for each rank.
 *
 * Micro-batch b goes to replica b mod m of a stage with m replicas, forward and
 * backward. A pass is what a rank does for one micro-batch: it receives what
 * the pass needs, computes layer by layer, and sends on. Passes of a rank come
 * one after another, in the order of the schedule.
 *
 * Without a flush (pipedream) an iteration is as many minibatches as all
 * stages need to be back at their first replica. Of a rank's minibatches g =
 * 0, 1 ... over all iterations, the forward pass of g + warm-up goes before the
 * backward pass of g, and that before the forward pass of g + warm-up + 1. */
#include <string.h>

#include "core/memory.h"
#include "core/none.h"
#include "workload/model/train.h"

#define MINIBATCHES_MAX 4096
#define OPS_MAX         (1u << 24)

enum kind { FORWARD, BACKWARD, WEIGHTS };

/* Operations are numbers of the program; set when the pass has been added. A
 * send that ends a pass is behind last: the next pass does not wait for it. */
struct pass {
    uint8_t kind;
    uint32_t batch, cut;  /* micro-batch; stage, counted as often as it is
                             virtual */
    uint32_t first, last; /* operations */
};

/* While a program is made. It owns the tables, which orr__pipeline_make frees;
 * those of gradients are filled anew for each stage. */
struct pipe {
    struct orr_training *t;
    uint32_t stages, batches; /* micro-batches an iteration */
    uint32_t late;  /* rounds that gradients may still travel when the weights
                       that they change are used */
    uint32_t *base; /* per stage: its first rank */
    uint32_t *warm; /* per stage: forward passes before the first backward one
                     */
    /* gradients of the stage that is being made: buckets of its cuts, and the
     * call of each by round */
    struct orr_bucket *bucket;
    uint32_t buckets, rounds, *call;
};

/* A rank while its part is being made. */
struct lane {
    struct pipe *q;
    struct orr_stage s;         /* for orr__stage_op: t, last */
    uint32_t stage, replica, n; /* n: micro-batches of an iteration */
    struct pass *pass;
    uint32_t passes;
    uint32_t *ready;           /* per layer: its gradients, of the last pass */
    uint32_t *comm_of;         /* per round: its last all-reduce, or ORR_NONE */
    uint32_t first_comm, comm; /* of the iteration, or ORR_NONE */
};

/* ---- keys ---------------------------------------------------------------- */

static bool is_flushed(const struct orr_training *t)
{
    return t->k->schedule != ORR_PIPEDREAM;
}

static bool is_by_rank(const struct orr_training *t)
{
    return t->replicas || t->k->schedule > ORR_GPIPE;
}

/* Stages that are alike: as many replicas each as there are data ranks. */
static orr_err pack_replicas(struct orr_training *t)
{
    if (t->tensor > 1 || t->expert > 1 || t->context > 1)
        return orr__yaml_fail(t->c, t->k->parallelism, t->why,
                              "parallelism: only data and pipeline with this "
                              "`schedule`");
    t->replicas = orr__arena_alloc(orr__config_arena(t->c), t->pipeline,
                                   sizeof *t->replicas);
    if (!t->replicas)
        return orr__no_memory(t->why);
    for (uint32_t i = 0; i < t->pipeline; i++)
        t->replicas[i] = t->data;
    return ORR_OK;
}

/* ECONFIG where Megatron's order does not exist: it goes round all stages in
 * whole groups of micro-batches, as many for each replica. Needs
 * t->replicas. */
static orr_err check_interleaved(struct orr_training *t)
{
    const struct orr_yaml *at = orr__yaml_get(t->node, "schedule");
    uint32_t m = (uint32_t)t->k->micro_batches;
    if (t->n_units && orr__yaml_is_map(orr__yaml_item(t->k->stages, 0)))
        return orr__yaml_fail(t->c, t->k->stages, t->why,
                              "stages: numbers of units, one for each virtual "
                              "stage, with `schedule: interleaved`");
    if (t->pipeline < 2)
        return orr__yaml_fail(t->c, at, t->why,
                              "schedule: interleaved needs two stages at "
                              "least: `parallelism: {pipeline: 2}`");
    if (m % t->replicas[0] || m / t->replicas[0] % t->pipeline)
        return orr__yaml_fail(t->c, at, t->why,
                              "schedule: interleaved needs `micro_batches` "
                              "that are a multiple of %u stages x %u replicas",
                              t->pipeline, t->replicas[0]);
    return ORR_OK;
}

/* ECONFIG for keys of the job that programs by stages know and those by rank do
 * not. */
static orr_err check_others(struct orr_training *t)
{
    const struct orr_train_keys *k = t->k;
    if (k->sync != ORR_SYNC_BULK && k->sync != ORR_SYNC_DDP
        && k->sync != ORR_SYNC_NONE)
        return orr__yaml_fail(t->c, orr__yaml_get(t->node, "sync"), t->why,
                              "sync: bulk, ddp or none, where stages have "
                              "replicas or an order of their own");
    if (k->wait != ORR_WAIT_ITERATION)
        return orr__yaml_fail(t->c, orr__yaml_get(t->node, "wait"), t->why,
                              "wait: layer: not where stages have replicas or "
                              "an order of their own");
    if (k->layer_classes > 1)
        return orr__yaml_fail(t->c, orr__yaml_get(t->node, "layer_classes"),
                              t->why,
                              "layer_classes: not where stages have replicas "
                              "or an order of their own");
    if (!is_flushed(t) && k->micro_batches > 1)
        return orr__yaml_fail(t->c, orr__yaml_get(t->node, "micro_batches"),
                              t->why,
                              "micro_batches: `schedule: pipedream` takes a "
                              "minibatch as a whole");
    for (uint32_t i = 0; i < t->m->layers; i++)
        if (t->m->layer[i].expert == ORR_EXPERT_TABLES)
            return orr__yaml_fail(t->c, k->model, t->why,
                                  "%s: tables are spread over all ranks, which "
                                  "this `schedule` does not know",
                                  t->m->layer[i].name);
    return ORR_OK;
}

orr_err orr__pipeline_check(struct orr_training *t)
{
    const struct orr_train_keys *k = t->k;
    orr_err err = ORR_OK;
    t->cuts = t->pipeline;
    if (k->overlap > 0 && is_flushed(t))
        return k->overlap == 1
                   ? ORR_OK
                   : orr__yaml_fail(t->c, orr__yaml_get(t->node, "overlap"),
                                    t->why,
                                    "overlap: an iteration of a model needs "
                                    "the weights of the one before; only a "
                                    "`program` can say which, or `schedule: "
                                    "pipedream`");
    if (!is_by_rank(t))
        return ORR_OK;
    if (!t->replicas)
        err = pack_replicas(t);
    if (!err && k->schedule == ORR_INTERLEAVED) {
        err = check_interleaved(t);
        t->cuts = t->pipeline * (uint32_t)k->virtual_stages;
    }
    return err ? err : check_others(t);
}

/* ---- who is where -------------------------------------------------------- */

static uint32_t rank_of(const struct pipe *q, uint32_t cut, uint32_t batch)
{
    uint32_t stage = cut % q->stages;
    return q->base[stage] + batch % q->t->replicas[stage];
}

static uint32_t tag_of(const struct pipe *q, uint32_t cut, uint32_t batch,
                       bool back)
{
    return 2 * (cut * q->batches + batch) + back;
}

/* ---- a pass -------------------------------------------------------------- */

static orr_err add_op(struct lane *x, const struct orr_op *op)
{
    return orr__stage_op(&x->s, op, &x->s.last, 1, &x->s.last);
}

static orr_err compute(struct lane *x, int64_t time)
{
    const struct orr_op op = {.kind = ORR_OP_COMPUTE,
                              .who = ORR_EVERYONE,
                              .stream = ORR_STREAM_COMPUTE,
                              .index = ORR_NONE,
                              .time_ps = time};
    return time ? add_op(x, &op) : ORR_OK;
}

/* What goes over a cut, from or to the rank that is on its other side. */
static orr_err hand_over(struct lane *x, enum orr_op_kind kind, uint32_t cut,
                         uint32_t other, uint32_t batch, bool back)
{
    const struct pipe *q = x->q;
    struct orr_op op = {
        .kind = (uint8_t)kind,
        .who = ORR_EVERYONE,
        .index = tag_of(q, cut, batch, back),
        .peer = rank_of(q, other, batch),
        .bytes = orr__boundary_bytes(q->t, q->t->stage_first[cut]),
    };
    uint32_t sent;
    if (kind == ORR_OP_RECV)
        return add_op(x, &op);
    return orr__stage_op(&x->s, &op, &x->s.last, 1, &sent);
}

/* Of the gradients' time, what weights take: half of it, the larger one. */
static int64_t weights_time(const struct orr_training *t, uint32_t layer)
{
    return t->backward_ps[layer] - t->backward_ps[layer] / 2;
}

/* The computations of a pass: layers upwards if it is a forward one, else
 * downwards. ready of a layer is the end of the last pass through it so far.
 * With zb-h1 the weights' share of the time is a pass of its own. */
static orr_err add_layers(struct lane *x, struct pass *p)
{
    const struct orr_training *t = x->q->t;
    uint32_t from = t->stage_first[p->cut], to = t->stage_first[p->cut + 1];
    bool apart = t->k->schedule == ORR_ZB_H1;
    orr_err err = ORR_OK;
    for (uint32_t i = from; !err && i < to && p->kind == FORWARD; i++)
        err = compute(x, t->forward_ps[i]);
    for (uint32_t i = to; !err && i-- > from && p->kind != FORWARD;) {
        int64_t weights = apart ? weights_time(t, i) : 0;
        err = compute(x, p->kind == WEIGHTS ? weights
                                            : t->backward_ps[i] - weights);
        x->ready[i] = x->s.last;
    }
    return err;
}

/* Receives, computes and sends, behind x->s.last, which moves on; sets first
 * and last of p. It begins with an operation that takes no time, so that there
 * is one to wait at though it may compute nothing. */
static orr_err add_pass(struct lane *x, struct pass *p)
{
    static const struct orr_op begin = {.kind = ORR_OP_WAIT,
                                        .who = ORR_EVERYONE};
    uint32_t cut = p->cut, last = x->q->t->cuts - 1;
    orr_err err = add_op(x, &begin);
    p->first = x->s.last;
    if (!err && p->kind == FORWARD && cut > 0)
        err = hand_over(x, ORR_OP_RECV, cut, cut - 1, p->batch, false);
    if (!err && p->kind == BACKWARD && cut < last)
        err = hand_over(x, ORR_OP_RECV, cut + 1, cut + 1, p->batch, true);
    if (!err)
        err = add_layers(x, p);
    p->last = x->s.last;
    if (!err && p->kind == FORWARD && cut < last)
        err = hand_over(x, ORR_OP_SEND, cut + 1, cut + 1, p->batch, false);
    if (!err && p->kind == BACKWARD && cut > 0)
        err = hand_over(x, ORR_OP_SEND, cut, cut - 1, p->batch, true);
    return err;
}

/* ---- the order of passes ------------------------------------------------- */

static void put_kind(struct lane *x, enum kind kind, uint32_t i, uint32_t cut)
{
    uint32_t replicas = x->q->t->replicas[x->stage];
    x->pass[x->passes++] = (struct pass){
        .kind = (uint8_t)kind,
        .batch = x->replica + i * replicas,
        .cut = cut,
    };
}

static void order_gpipe(struct lane *x)
{
    for (uint32_t i = 0; i < x->n; i++)
        put_kind(x, FORWARD, i, x->stage);
    for (uint32_t i = x->n; i-- > 0;)
        put_kind(x, BACKWARD, i, x->stage);
}

/* delay: passes for weights come so many backward passes later; ORR_NONE:
 * there are none. */
static void order_1f1b(struct lane *x, uint32_t delay)
{
    uint32_t warm = x->q->warm[x->stage];
    for (uint32_t i = 0; i < warm && i < x->n; i++)
        put_kind(x, FORWARD, i, x->stage);
    for (uint32_t i = 0; i < x->n; i++) {
        if (warm + i < x->n)
            put_kind(x, FORWARD, warm + i, x->stage);
        put_kind(x, BACKWARD, i, x->stage);
        if (delay != ORR_NONE && i >= delay)
            put_kind(x, WEIGHTS, i - delay, x->stage);
    }
    uint32_t done = delay < x->n ? x->n - delay : 0;
    for (uint32_t i = done; delay != ORR_NONE && i < x->n; i++)
        put_kind(x, WEIGHTS, i, x->stage);
}

/* The k-th forward or backward pass of Megatron's interleaved schedule. */
static void put_interleaved(struct lane *x, enum kind kind, uint32_t k)
{
    uint32_t stages = x->q->stages, of = x->q->t->cuts / stages;
    uint32_t chunk = k / stages % of;
    uint32_t i = k / (stages * of) * stages + k % stages;
    if (kind == BACKWARD)
        chunk = of - 1 - chunk;
    put_kind(x, kind, i, chunk * stages + x->stage);
}

/* Megatron's: the more stages are behind this one, the more forward passes go
 * before the first backward pass; then one of each by turns. With one virtual
 * stage it is 1f1b. */
static void order_interleaved(struct lane *x)
{
    uint32_t stages = x->q->stages, of = x->q->t->cuts / stages;
    uint32_t all = x->n * of;
    uint32_t warm = 2 * (stages - 1 - x->stage) + (of - 1) * stages;
    if (of == 1)
        warm = stages - 1 - x->stage;
    for (uint32_t k = 0; k < warm && k < all; k++)
        put_interleaved(x, FORWARD, k);
    for (uint32_t k = 0; k < all; k++) {
        if (warm + k < all)
            put_interleaved(x, FORWARD, warm + k);
        put_interleaved(x, BACKWARD, k);
    }
}

/* Fills x->pass, without operations yet. Those of pipedream alternate: which
 * iteration each belongs to is said by join_iterations. */
static void order_passes(struct lane *x)
{
    const struct pipe *q = x->q;
    switch (q->t->k->schedule) {
    case ORR_GPIPE: order_gpipe(x); break;
    case ORR_INTERLEAVED: order_interleaved(x); break;
    case ORR_ZB_H1: order_1f1b(x, q->warm[0] - q->warm[x->stage]); break;
    case ORR_PIPEDREAM:
        for (uint32_t i = 0; i < x->n; i++) {
            put_kind(x, FORWARD, i, x->stage);
            put_kind(x, BACKWARD, i, x->stage);
        }
        break;
    default: order_1f1b(x, ORR_NONE);
    }
}

/* ---- passes over iterations ---------------------------------------------- */

/* `after`, of the rank's i-th minibatch, waits for `before` of the one that is
 * at place j when those of this iteration are counted from 0. */
static orr_err wait_for(struct lane *x, uint32_t before, uint32_t after,
                        int64_t j)
{
    int64_t n = x->n, distance = j < 0 ? (n - 1 - j) / n : -(j / n);
    struct orr_program *p = x->q->t->p;
    if (before == ORR_NONE)
        return ORR_OK;
    if (distance == 0)
        return orr__program_depend(p, before, after, x->q->t->why);
    return orr__program_depend_across(p, before, after, (int32_t)distance,
                                      x->q->t->why);
}

/* The rank's minibatch at that place. */
static uint32_t place_of(const struct lane *x, int64_t j)
{
    int64_t n = x->n;
    return (uint32_t)((j % n + n) % n);
}

/* Where orders of passes and of gradients go beyond an iteration. */
static orr_err join_iterations(struct lane *x)
{
    int64_t warm = x->q->warm[x->stage];
    orr_err err = ORR_OK;
    for (uint32_t i = 0; !err && i < x->n; i++) {
        const struct pass *f = &x->pass[2 * (size_t)i], *b = f + 1;
        int64_t done = i - warm - 1, ahead = i + warm, before = (int64_t)i - 1;
        int64_t weights = done - x->q->late;
        const struct pass *had = &x->pass[2 * (size_t)place_of(x, before)];
        err = wait_for(x, had[0].last, f->first, before);
        if (!err)
            err = wait_for(x, had[1].last, b->first, before);
        if (!err)
            err = wait_for(x, x->pass[2 * (size_t)place_of(x, done) + 1].last,
                           f->first, done);
        if (!err)
            err = wait_for(x, x->pass[2 * (size_t)place_of(x, ahead)].last,
                           b->first, ahead);
        if (!err)
            err = wait_for(x, x->comm_of[place_of(x, weights)], f->first,
                           weights);
    }
    if (err || x->first_comm == ORR_NONE)
        return err;
    return orr__program_depend_across(x->q->t->p, x->comm, x->first_comm, 1,
                                      x->q->t->why);
}

/* ---- gradients ----------------------------------------------------------- */

/* Buckets of a stage, and their calls. */
static orr_err list_buckets(struct pipe *q, uint32_t stage)
{
    struct orr_training *t = q->t;
    bool bulk = t->k->sync == ORR_SYNC_BULK;
    const struct orr_bucketing how = {bulk ? UINT64_MAX : t->k->first_bucket,
                                      bulk ? UINT64_MAX : t->k->bucket_cap, 1,
                                      t->element, 1};
    struct orr_stage s = {.t = t};
    orr_err err = ORR_OK;
    q->buckets = 0;
    q->rounds = is_flushed(t) ? 1 : q->batches / t->replicas[stage];
    if (t->k->sync == ORR_SYNC_NONE || t->replicas[stage] == 1)
        return ORR_OK;
    for (uint32_t cut = t->cuts; !err && cut-- > 0;) {
        struct orr_bucket *b = NULL;
        uint32_t n = 0;
        if (cut % q->stages != stage)
            continue;
        err = orr__buckets(t->m, t->stage_first[cut], t->stage_first[cut + 1],
                           ORR_EXPERT_UNSPLIT, &how, &b, &n, t->why);
        for (uint32_t i = 0; !err && i < n; i++)
            q->bucket[q->buckets++] = b[i];
        orr__free(b);
    }
    for (uint32_t i = 0; !err && i < q->rounds * q->buckets; i++)
        err = orr__stage_new_call(
            &s, ORR_ALL_REDUCE, q->bucket[i % q->buckets].bytes, q->base[stage],
            t->replicas[stage], &q->call[i]);
    return err;
}

/* After a backward pass: one after another, each when its last gradient is
 * there. */
static orr_err add_gradients(struct lane *x, uint32_t round)
{
    const struct pipe *q = x->q;
    orr_err err = ORR_OK;
    for (uint32_t i = 0; !err && i < q->buckets; i++) {
        const struct orr_op op = {
            .kind = ORR_OP_COLLECTIVE,
            .who = ORR_EVERYONE,
            .index = q->call[round * q->buckets + i],
        };
        const uint32_t before[] = {x->ready[q->bucket[i].layer], x->comm};
        err = orr__stage_op(&x->s, &op, before, 2, &x->comm);
        if (x->first_comm == ORR_NONE)
            x->first_comm = x->comm;
        x->comm_of[round] = x->comm;
    }
    return err;
}

/* ---- a rank -------------------------------------------------------------- */

/* With a flush passes are one chain, and gradients travel once, after all.
 * Without one each pass begins a chain of its own, which join_iterations
 * orders, and gradients travel after each backward pass. */
static orr_err add_passes(struct lane *x)
{
    bool flush = is_flushed(x->q->t);
    orr_err err = ORR_OK;
    for (uint32_t i = 0; !err && i < x->passes; i++) {
        if (!flush)
            x->s.last = ORR_NONE;
        err = add_pass(x, &x->pass[i]);
        if (!err && !flush && x->pass[i].kind == BACKWARD)
            err = add_gradients(x, i / 2);
    }
    if (!err)
        err = flush ? add_gradients(x, 0) : join_iterations(x);
    return err;
}

/* The part of the program of one rank, its replica of a stage. Its tables are
 * freed here, also after a failure. */
static orr_err make_lane(struct pipe *q, uint32_t stage, uint32_t replica)
{
    struct orr_training *t = q->t;
    uint32_t replicas = t->replicas[stage], part;
    struct lane x = {
        .q = q,
        .s = {.t = t, .last = ORR_NONE},
        .stage = stage,
        .replica = replica,
        .n = (q->batches + replicas - 1 - replica) / replicas,
        .first_comm = ORR_NONE,
        .comm = ORR_NONE,
    };
    size_t most = (size_t)x.n * 3 * (t->cuts / q->stages);
    x.pass = orr__alloc(most, sizeof *x.pass);
    x.ready = orr__alloc(t->m->layers, sizeof *x.ready);
    x.comm_of = orr__alloc(q->rounds, sizeof *x.comm_of);
    orr_err err =
        x.pass && x.ready && x.comm_of ? ORR_OK : orr__no_memory(t->why);
    for (uint32_t i = 0; !err && i < t->m->layers; i++)
        x.ready[i] = ORR_NONE;
    for (uint32_t i = 0; !err && i < q->rounds; i++)
        x.comm_of[i] = ORR_NONE;
    if (!err)
        err = orr__program_part(t->p, &part, t->why);
    if (!err)
        err = orr__program_assign(t->p, q->base[stage] + replica, part, t->why);
    if (!err) {
        order_passes(&x);
        err = add_passes(&x);
    }
    orr__free(x.pass);
    orr__free(x.ready);
    orr__free(x.comm_of);
    return err;
}

/* ---- all of it ----------------------------------------------------------- */

/* Euclid's; of numbers > 0. */
static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b > 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a > 0 ? a : 1;
}

/* Micro-batches of an iteration. */
static orr_err count_batches(struct pipe *q)
{
    const struct orr_training *t = q->t;
    uint64_t all = 1;
    for (uint32_t i = 0; i < q->stages && !is_flushed(t); i++) {
        all *= t->replicas[i] / common_divisor(all, t->replicas[i]);
        if (all > MINIBATCHES_MAX)
            return orr__yaml_fail(t->c, orr__yaml_get(t->node, "stages"),
                                  t->why,
                                  "stages: these replicas come back to the "
                                  "first ones after more than %d minibatches",
                                  MINIBATCHES_MAX);
    }
    q->batches = is_flushed(t) ? t->micro_batches : (uint32_t)all;
    double ops = (double)q->batches * (3.0 * t->m->layers + 8.0 * t->cuts);
    if (ops > OPS_MAX)
        return orr__yaml_fail(t->c, t->node, t->why,
                              "%s with %u micro-batches makes too large a "
                              "program",
                              t->m->name, q->batches);
    return ORR_OK;
}

/* The runtime's rule: what fits behind a stage, over its own replicas. */
static void find_warm_up(struct pipe *q)
{
    const struct orr_training *t = q->t;
    uint32_t before = 0;
    for (uint32_t i = 0; i < q->stages; i++) {
        q->base[i] = before;
        q->warm[i] = (t->p->ranks - 1 - before) / t->replicas[i];
        before += t->replicas[i];
    }
}

/* Iterations that are open when each rank has begun as many minibatches as it
 * may. */
static void set_overlap(struct pipe *q)
{
    const struct orr_training *t = q->t;
    uint32_t own = 1, asked = (uint32_t)t->k->overlap;
    for (uint32_t i = 0; i < q->stages; i++) {
        uint32_t n = q->batches / t->replicas[i];
        uint32_t open = n > 0 ? 1 + (n - 1 + q->warm[i]) / n : 1;
        own = open > own ? open : own;
    }
    t->p->overlap = asked ? asked : own;
    q->late = asked > own ? asked - own : 0;
}

/* All parts, stage by stage, as buckets are those of one stage at a time.
 * q->call is freed by the caller, also after a failure. */
static orr_err make_stages(struct pipe *q)
{
    const struct orr_training *t = q->t;
    orr_err err = count_batches(q);
    if (err)
        return err;
    find_warm_up(q);
    if (!is_flushed(t))
        set_overlap(q);
    q->call =
        orr__alloc((size_t)q->batches * t->m->tensors + 1, sizeof *q->call);
    if (!q->call)
        return orr__no_memory(t->why);
    for (uint32_t i = 0; !err && i < q->stages; i++) {
        err = list_buckets(q, i);
        for (uint32_t r = 0; !err && r < t->replicas[i]; r++)
            err = make_lane(q, i, r);
    }
    return err;
}

/* What results say of it. */
static orr_err describe(const struct pipe *q)
{
    static const char *const names[] = {"1f1b", "gpipe", "pipedream",
                                        "interleaved", "zb-h1"};
    const struct orr_training *t = q->t;
    struct orr_pipeline *p = t->p->pipeline = orr__alloc(1, sizeof *p);
    if (!p)
        return orr__no_memory(t->why);
    p->schedule = names[t->k->schedule];
    p->batches = q->batches;
    p->noam = is_flushed(t) ? 0 : q->warm[0] + 1;
    p->stage = orr__alloc(q->stages, sizeof *p->stage);
    if (!p->stage)
        return orr__no_memory(t->why);
    p->stages = q->stages;
    for (uint32_t cut = 0; cut < t->cuts; cut++) {
        uint32_t i = cut % q->stages, to = t->stage_first[cut + 1];
        struct orr_pipeline_stage *s = &p->stage[i];
        s->rank = q->base[i];
        s->replicas = t->replicas[i];
        s->versions = is_flushed(t) ? 1 : q->warm[i] + 1;
        s->layers += to - t->stage_first[cut];
        for (uint32_t l = t->stage_first[cut]; l < to; l++)
            s->parameter_bytes += t->m->layer[l].parameters * t->element;
    }
    return ORR_OK;
}

orr_err orr__pipeline_make(struct orr_training *t)
{
    struct pipe q = {.t = t, .stages = t->pipeline};
    q.base = orr__alloc(q.stages, sizeof *q.base);
    q.warm = orr__alloc(q.stages, sizeof *q.warm);
    q.bucket = orr__alloc(t->m->tensors + (size_t)1, sizeof *q.bucket);
    orr_err err =
        q.base && q.warm && q.bucket ? make_stages(&q) : orr__no_memory(t->why);
    if (!err)
        err = describe(&q);
    orr__free(q.base);
    orr__free(q.warm);
    orr__free(q.bucket);
    orr__free(q.call);
    return err;
}
