/* SimAI's workloads: layers as ASTRA-sim's text has them, with collectives
 * over the groups that SimAI makes of the ranks and as NCCL carries them out;
 * no system file. Facts: SimAI's public sources (aliyun/SimAI), the workload's
 * reader, MockNccl and the ns-3 frontend.
 *
 * Rank = t + TP (e + EP (d + DP_EP p)): tensor groups are neighbours, expert
 * groups stand TP apart, data groups TP apart with EP DP_EP members, pipeline
 * stages a stretch of TP EP DP_EP. Collectives of one kind of group go one
 * after another, as those of one communicator do; different kinds go side by
 * side. */
#include <string.h>

#include "core/assert.h"
#include "core/memory.h"
#include "core/none.h"
#include "core/units.h"
#include "formats/astra/astra.h"
#include "formats/astra/chain.h"
#include "formats/astra/text.h"

/* ---- keys --------------------------------------------------------------- */

/* The keys of `trace` with this format. */
struct keys {
    const char *workload;
    int algorithm;
    int64_t gpus_per_server, passes, send_latency;
    double compute_scale, comm_scale;
};

enum { RING, TREE };
static const char *const algorithms[] = {"ring", "tree", NULL};

#define KEY(k, t, ...)                                                         \
    {                                                                          \
        .key = #k, .type = ORR_PARAM_##t, .offset = offsetof(struct keys, k),  \
        __VA_ARGS__                                                            \
    }
static const struct orr_param params[] = {
    KEY(workload, TEXT, .help = "the layers, a text file"),
    KEY(algorithm, CHOICE, .fallback = "ring", .choices = algorithms,
        .help = "of all-reduces, as NCCL's: ring or tree; other collectives "
                "use rings, all-to-all is direct"),
    KEY(gpus_per_server, INT, .fallback = "0", .min = "0", .max = "1024",
        .help = "ranks of a server; 0: those behind one NVSwitch"),
    KEY(passes, INT, .fallback = "1", .min = "1", .max = "100000",
        .help = "passes through the layers"),
    KEY(send_latency, TIME, .fallback = "6us",
        .help = "before each message of a collective (SimAI's AS_SEND_LAT)"),
    KEY(compute_scale, REAL, .fallback = "1", .min = "0", .max = "1e9",
        .help = "multiplies all computation"),
    KEY(comm_scale, REAL, .fallback = "1", .min = "0", .max = "1e9",
        .help = "multiplies the bytes of all collectives"),
    ORR_PARAM_END,
};

/* ---- groups ------------------------------------------------------------- */

enum { MAIN_STREAM, UPDATE_STREAM, FIRST_GROUP };
enum group { TP, DP, EP, DP_EP, GROUPS };
static const char *const group_names[] = {"TP", "DP", "EP", "DP_EP", NULL};
/* Of a tree: what a message is cut into, as a pipeline. And what the number of
 * a ring's steps allows. */
enum { TREE_CHUNKS = 64, MOST_RANKS = 1 << 20 };

/* A stretch of lines that a stage does for one micro-batch. */
struct unit {
    uint32_t batch, chunk; /* of ga, of vpp */
    uint32_t from, to;
};

/* A program while it is made of layers; arrays are the arena's. */
struct build {
    struct orr_program *p;
    const struct orr_astra_text *text;
    const struct keys *keys;
    struct orr_astra_report *report;
    uint32_t span_room, phase_room;
    struct orr_arena *arena;
    struct orr_report *why;
    uint32_t at; /* the last operation of the main chain, or ORR_NONE */
    /* per stage and layer: the end of a collective that nobody has waited for
     * yet, or ORR_NONE */
    uint32_t *pending[ORR_ASTRA_STAGES];
    uint32_t size[GROUPS], stride[GROUPS], local[GROUPS];
    /* pipeline: ranks of a stage; its units in the order of going forward.
     * Each stage is a part of the program, of which the one at work is own; of
     * the first, which has rank 0, the report is. */
    uint32_t stages, stage, own;
    struct unit *unit;
    uint32_t units, prelude; /* lines before the first unit */
};

/* Ranks whose hosts share an NVSwitch; 1 where there are none. */
static uint32_t server_of(const struct orr_graph *g)
{
    for (uint32_t i = g ? g->out_off[0] : 0; g && i < g->out_off[1]; i++) {
        uint32_t l = g->out_link[i], n = 0, nvswitch = g->to[l];
        if (strcmp(g->tier_names[g->tier[l]], "nvlink") != 0)
            continue;
        for (uint32_t k = g->out_off[nvswitch]; k < g->out_off[nvswitch + 1];
             k++)
            n += orr__is_host(g, g->to[g->out_link[k]]);
        return n ? n : 1;
    }
    return 1;
}

/* How many members of each group are neighbours in a server. */
static uint32_t neighbours(uint32_t server, uint32_t stride, uint32_t n)
{
    uint64_t span = (uint64_t)stride * n;
    uint32_t beside = server / stride;
    ORR_ASSERT(server > 0 && n > 0);
    if (span <= server && server % span == 0)
        return n;
    if (beside > 0 && server % stride == 0 && n % beside == 0)
        return beside;
    return 1;
}

/* Sizes and strides of groups. ORR_ECONFIG at the header's number that does not
 * fit. */
static orr_err set_groups(struct build *b, const struct orr_trace_job *job)
{
    const struct orr_astra_text *t = b->text;
    uint32_t ep = t->ep ? t->ep : 1, pp = t->pp ? t->pp : 1;
    uint64_t model = (uint64_t)t->group * ep * pp;
    uint32_t server = (uint32_t)b->keys->gpus_per_server;
    if (t->all_gpus && t->all_gpus != job->ranks)
        return orr__astra_head_fail(t, ORR_ASTRA_ALL_GPUS, b->why,
                                    "trace: the workload is for %u GPUs "
                                    "(all_gpus), the job has %u ranks",
                                    t->all_gpus, job->ranks);
    if (job->ranks % model)
        return orr__astra_head_fail(t, ORR_ASTRA_GROUP, b->why,
                                    "trace: %u ranks are no multiple of "
                                    "tensor, expert and pipeline groups of "
                                    "%u, %u and %u",
                                    job->ranks, t->group, ep, pp);
    if (job->ranks > MOST_RANKS)
        return orr__yaml_fail(job->config, job->node, b->why,
                              "trace: at most %d ranks", MOST_RANKS);
    if (server == 0)
        server = server_of(job->graph);
    b->stages = pp;
    ORR_ASSERT(job->ranks % pp == 0);
    b->stage = job->ranks / pp;
    b->size[TP] = t->group;
    b->size[DP] = b->stage / t->group;
    b->size[EP] = ep;
    b->size[DP_EP] = b->size[DP] / ep;
    b->stride[TP] = 1;
    b->stride[DP] = b->stride[EP] = t->group;
    b->stride[DP_EP] = t->group * ep;
    for (int k = 0; k < GROUPS; k++)
        b->local[k] = neighbours(server, b->stride[k], b->size[k]);
    return ORR_OK;
}

static enum group group_of(const struct orr_astra_stage_text *s,
                           enum orr_astra_stage stage)
{
    if (s->suffix == ORR_SIMAI_EP)
        return EP;
    if (s->suffix == ORR_SIMAI_DP_EP)
        return DP_EP;
    return stage == ORR_ASTRA_WG ? DP : TP;
}

/* ---- operations --------------------------------------------------------- */

/* A change of phase costs a nanosecond, as in ASTRA-sim. */
static orr_err add_tick(struct build *b)
{
    return orr__chain_compute(b->p, 1, MAIN_STREAM, b->at, &b->at, b->why);
}

/* A layer's computation of a stage, whole ns as there; only the first part is
 * in the report. */
static orr_err compute(struct build *b, uint32_t layer,
                       enum orr_astra_stage stage)
{
    double ns =
        b->text->line[layer].stage[stage].compute_ns * b->keys->compute_scale;
    int64_t *sum = &b->report->layer[layer].compute_ps[stage];
    const int64_t horizon_ns = ORR_HORIZON / ORR_NS;
    if (!(ns < (double)horizon_ns))
        return orr__astra_text_fail(b->text, layer, b->why,
                                    "layer %u computes "
                                    "for longer than 53 days, when simulated "
                                    "time ends",
                                    layer);
    ns = (double)(uint64_t)ns;
    if (b->own == 0)
        *sum = orr__time_add(*sum, (int64_t)(ns * ORR_NS));
    return ns > 0 ? orr__chain_compute(b->p, ns, MAIN_STREAM, b->at, &b->at,
                                       b->why)
                  : ORR_OK;
}

/* Room for one more of an array in the arena, which keeps what it outgrew. */
static void *grow_array(struct build *b, void *list, uint32_t n, uint32_t *room,
                        size_t size)
{
    if (n < *room)
        return list;
    uint32_t more = *room * 2 + 64;
    void *p = orr__arena_alloc(b->arena, more, size);
    if (p && n)
        memcpy(p, list, n * size);
    *room = p ? more : *room;
    return p;
}

/* As in astra.c, of the first part alone. */
static orr_err note_span(struct build *b, uint32_t from, uint32_t to,
                         uint32_t layer, enum orr_astra_stage stage,
                         bool exposed)
{
    struct orr_astra_report *r = b->report;
    if (b->own > 0)
        return ORR_OK;
    struct orr_astra_span *p =
        grow_array(b, r->span, r->spans, &b->span_room, sizeof *p);
    if (!p)
        return orr__no_memory(b->why);
    r->span = p;
    p[r->spans++] =
        (struct orr_astra_span){from, to, layer, (uint8_t)stage, exposed};
    return ORR_OK;
}

/* One phase a collective, by group. */
static orr_err note_phase(struct build *b, uint32_t op, enum group g)
{
    struct orr_astra_report *r = b->report;
    if (b->own > 0)
        return ORR_OK;
    struct orr_astra_phase *p =
        grow_array(b, r->phase, r->phases, &b->phase_room, sizeof *p);
    if (!p)
        return orr__no_memory(b->why);
    r->phase = p;
    p[r->phases] = (struct orr_astra_phase){.op = op,
                                            .collective = r->phases,
                                            .layer = r->layers,
                                            .dim = (uint8_t)g};
    r->phases++;
    return ORR_OK;
}

/* ---- collectives -------------------------------------------------------- */

/* One of the stage at work: others have theirs at other times. */
static orr_err add_call(struct build *b, enum orr_collective_kind kind,
                        enum group g, uint64_t bytes, uint32_t *id)
{
    bool tree = kind == ORR_ALL_REDUCE && b->keys->algorithm == TREE;
    uint32_t n = b->size[g];
    struct orr_call c = {
        .c = {.ops = orr__collective_find(kind, tree ? "nccl-tree"
                                                : kind == ORR_ALL_TO_ALL
                                                    ? "direct"
                                                    : "nccl-ring"),
              .n = n,
              .local = b->local[g]},
        /* an all-gather's size is that of its result */
        .bytes = kind == ORR_ALL_GATHER ? bytes / n : bytes,
        .chunks = tree ? TREE_CHUNKS : 1,
        .concurrent = tree ? TREE_CHUNKS : 1,
        .endpoint_delay_ps = b->keys->send_latency,
        .group = ORR_EVERYONE,
        .stride = b->stride[g],
        .from = b->own * b->stage,
        .count = b->stages > 1 ? b->stage : 0,
    };
    struct orr_op op = {
        .kind = ORR_OP_COLLECTIVE,
        .holds = true,
        .stream = (uint16_t)(FIRST_GROUP + g),
        .who = ORR_EVERYONE,
    };
    c.c.largest = orr__largest_chunk(c.bytes, c.chunks);
    orr_err err = orr__program_call(b->p, &c, NULL, &op.index, b->why);
    if (!err)
        err = orr__chain_add(b->p, &op, b->at, id, b->why);
    return err ? err : note_phase(b, *id, g);
}

/* Issues a stage's collective; it ends, its update included, with
 * pending[stage][layer]. */
static orr_err issue_collective(struct build *b, uint32_t layer,
                                enum orr_astra_stage stage)
{
    const struct orr_astra_line *l = &b->text->line[layer];
    const struct orr_astra_stage_text *s = &l->stage[stage];
    double bytes = (double)s->bytes * b->keys->comm_scale;
    enum group g = group_of(s, stage);
    uint32_t done = ORR_NONE;
    if (s->kind < 0 || b->size[g] == 1 || bytes < 1)
        return ORR_OK;
    ORR_ASSERT(b->pending[stage][layer] == ORR_NONE);
    if (bytes > 4e18 / b->size[g])
        return orr__astra_text_fail(b->text, layer, b->why,
                                    "layer %u: a "
                                    "collective of %.4g bytes is too much for "
                                    "%u ranks",
                                    layer, bytes, b->size[g]);
    orr_err err = add_call(b, (enum orr_collective_kind)s->kind, g,
                           (uint64_t)bytes, &done);
    if (err)
        return err;
    b->report->layer[layer].collectives += b->own == 0;
    if (l->update_ns > 0)
        err = orr__chain_compute(b->p, l->update_ns, UPDATE_STREAM, done, &done,
                                 b->why);
    b->pending[stage][layer] = done;
    return err ? err : note_span(b, b->at, done, layer, stage, false);
}

/* Waits for what is pending. */
static orr_err wait_for(struct build *b, uint32_t layer,
                        enum orr_astra_stage stage)
{
    uint32_t *pending = &b->pending[stage][layer], from = b->at, id;
    const struct orr_op op = {.kind = ORR_OP_WAIT, .who = ORR_EVERYONE};
    if (*pending == ORR_NONE)
        return ORR_OK;
    orr_err err = orr__chain_add(b->p, &op, *pending, &id, b->why);
    if (!err && from != ORR_NONE)
        err = orr__program_depend(b->p, from, id, b->why);
    *pending = ORR_NONE;
    b->at = id;
    return err ? err : note_span(b, from, id, layer, stage, true);
}

static orr_err issue_and_wait(struct build *b, uint32_t layer,
                              enum orr_astra_stage stage)
{
    orr_err err = issue_collective(b, layer, stage);
    return err ? err : wait_for(b, layer, stage);
}

/* ---- layers ------------------------------------------------------------- */

static orr_err forward(struct build *b, uint32_t layer)
{
    orr_err err = wait_for(b, layer, ORR_ASTRA_WG);
    if (!err)
        err = compute(b, layer, ORR_ASTRA_FWD);
    if (!err)
        err = issue_and_wait(b, layer, ORR_ASTRA_FWD);
    return err ? err : add_tick(b);
}

/* From the checkpoint before a layer up to it, once more. */
static orr_err repeat_forward(struct build *b, uint32_t layer)
{
    uint32_t from = layer;
    while (!b->text->line[from].checkpoint) {
        ORR_ASSERT(from > 0); /* text.c has seen to it */
        from--;
    }
    orr_err err = add_tick(b);
    for (uint32_t i = from; !err && i < layer; i++) {
        if (i > from && b->text->line[i].initiates)
            break;
        err = forward(b, i);
    }
    return err;
}

/* A layer's way back; from one that initiates it goes forward again first. */
static orr_err backward(struct build *b, uint32_t layer)
{
    orr_err err = ORR_OK;
    if (b->text->line[layer].initiates)
        err = repeat_forward(b, layer);
    if (!err)
        err = compute(b, layer, ORR_ASTRA_IG);
    if (!err)
        err = issue_and_wait(b, layer, ORR_ASTRA_IG);
    if (!err)
        err = add_tick(b);
    if (!err)
        err = compute(b, layer, ORR_ASTRA_WG);
    if (!err)
        err = issue_collective(b, layer, ORR_ASTRA_WG);
    return err ? err : add_tick(b);
}

/* ---- the pipeline ------------------------------------------------------- */

/* A message of this stage's ranks to, or from, the ranks `by` places on. */
static orr_err message(struct build *b, uint8_t kind, uint32_t by, uint32_t tag,
                       uint32_t *id)
{
    const struct orr_op op = {
        .kind = kind,
        .relative = true,
        .who = ORR_EVERYONE,
        .index = tag,
        .peer = by % b->p->ranks,
        .bytes = b->text->pp_comm,
    };
    return orr__chain_add(b->p, &op, b->at, id, b->why);
}

/* Is the stage at work the first, or the last where all goes backwards? */
static bool begins_row(const struct build *b, bool back)
{
    return b->own == (back ? b->stages - 1 : 0);
}

/* A unit begins when what it works on is there: from the stage before; of a
 * later chunk the first stage has it from the last one. Backwards the same
 * with the stages in the opposite order. */
static orr_err unit_begins(struct build *b, const struct unit *u, bool back)
{
    uint32_t chunks = b->text->vpp ? b->text->vpp : 1, from = b->at;
    uint32_t tag = (u->batch * chunks + u->chunk) * 2 + back;
    uint32_t by = back ? b->stage : b->p->ranks - b->stage;
    bool wraps = back ? u->chunk + 1 < chunks : u->chunk > 0;
    bool begins = begins_row(b, back);
    orr_err err = ORR_OK;
    if (b->stages == 1 || (begins && !wraps))
        return ORR_OK;
    if (begins)
        tag = back ? tag + 2 : tag - 2;
    err = message(b, ORR_OP_RECV, by, tag, &b->at);
    return err ? err
               : note_span(b, from, b->at, back ? u->to - 1 : u->from,
                           back ? ORR_ASTRA_IG : ORR_ASTRA_FWD, true);
}

/* What it made goes on. */
static orr_err unit_ends(struct build *b, const struct unit *u, bool back)
{
    uint32_t chunks = b->text->vpp ? b->text->vpp : 1, id;
    uint32_t tag = (u->batch * chunks + u->chunk) * 2 + back;
    uint32_t by = back ? b->p->ranks - b->stage : b->stage;
    bool wraps = back ? u->chunk > 0 : u->chunk + 1 < chunks;
    if (b->stages == 1 || (begins_row(b, !back) && !wraps))
        return ORR_OK;
    return message(b, ORR_OP_SEND, by, tag, &id);
}

static orr_err unit_forward(struct build *b, const struct unit *u)
{
    ORR_ASSERT(u->from < u->to && u->to <= b->text->lines);
    orr_err err = unit_begins(b, u, false);
    for (uint32_t i = u->from; !err && i < u->to; i++)
        err = forward(b, i);
    return err ? err : unit_ends(b, u, false);
}

static orr_err unit_backward(struct build *b, const struct unit *u)
{
    orr_err err = unit_begins(b, u, true);
    for (uint32_t i = u->to; !err && i-- > u->from;)
        err = backward(b, i);
    return err ? err : unit_ends(b, u, true);
}

/* All forward, then all backward in the opposite order. */
static orr_err build_passes(struct build *b)
{
    orr_err err = ORR_OK;
    for (uint32_t i = 0; !err && i < b->prelude; i++)
        err = forward(b, i);
    for (uint32_t i = 0; !err && i < b->units; i++)
        err = unit_forward(b, &b->unit[i]);
    for (uint32_t i = b->units; !err && i-- > 0;)
        err = unit_backward(b, &b->unit[i]);
    for (uint32_t i = b->prelude; !err && i-- > 0;)
        err = backward(b, i);
    return err;
}

/* Where micro-batch m begins: at the m-th embedding, if there is one for each;
 * else the lines are cut evenly. */
static uint32_t batch_begins(const struct orr_astra_text *t, uint32_t batches,
                             uint32_t m)
{
    uint32_t seen = 0, at = t->lines;
    for (uint32_t i = 0; i < t->lines; i++)
        if (strcmp(t->line[i].name, "embedding_layer") == 0 && seen++ == m)
            at = i;
    if (m == batches)
        return t->lines;
    return seen == batches ? at : (uint32_t)((uint64_t)t->lines * m / batches);
}

/* Units in order: as many micro-batches as there are stages at a time, chunk
 * by chunk, so that a stage is not left waiting (interleaved schedules). */
static orr_err set_units(struct build *b)
{
    const struct orr_astra_text *t = b->text;
    uint32_t batches = t->ga ? t->ga : 1, chunks = t->vpp ? t->vpp : 1;
    if (b->stages == 1) {
        b->prelude = t->lines;
        return ORR_OK;
    }
    enum orr_astra_head blamed =
        chunks > batches ? ORR_ASTRA_VPP : ORR_ASTRA_GA;
    if ((uint64_t)batches * chunks > t->lines)
        return orr__astra_head_fail(t, blamed, b->why,
                                    "trace: %u layers are too few for %u "
                                    "micro-batches (ga) in %u chunks (vpp)",
                                    t->lines, batches, chunks);
    uint32_t *begins =
        orr__arena_alloc(b->arena, batches + (size_t)1, sizeof *begins);
    b->unit =
        orr__arena_alloc(b->arena, (size_t)batches * chunks, sizeof *b->unit);
    if (!begins || !b->unit)
        return orr__no_memory(b->why);
    for (uint32_t m = 0; m <= batches; m++)
        begins[m] = batch_begins(t, batches, m);
    b->prelude = begins[0];
    for (uint32_t m = 0; m < batches; m += b->stages)
        for (uint32_t v = 0; v < chunks; v++)
            for (uint32_t k = m; k < m + b->stages && k < batches; k++) {
                uint64_t length = begins[k + 1] - begins[k];
                if (length < chunks)
                    return orr__astra_head_fail(
                        t, ORR_ASTRA_VPP, b->why,
                        "trace: micro-batch %u has %u layers, too few for %u "
                        "chunks (vpp)",
                        k, (uint32_t)length, chunks);
                b->unit[b->units++] = (struct unit){
                    k, v, begins[k] + (uint32_t)(length * v / chunks),
                    begins[k] + (uint32_t)(length * (v + 1) / chunks)};
            }
    return ORR_OK;
}

/* ---- the whole ---------------------------------------------------------- */

/* Room for the report and for collectives that are under way. */
static orr_err prepare(struct build *b, const struct orr_astra_text *t)
{
    struct orr_astra_report *r = b->report;
    r->type = orr__astra_type_name(t->type);
    r->layers = t->lines;
    r->dims = GROUPS;
    r->dim_names = group_names;
    r->passes = (uint32_t)b->keys->passes;
    r->layer = orr__arena_alloc(b->arena, t->lines, sizeof *r->layer);
    if (!r->layer)
        return orr__no_memory(b->why);
    for (uint32_t i = 0; i < t->lines; i++)
        r->layer[i].name = t->line[i].name;
    for (int s = 0; s < ORR_ASTRA_STAGES; s++) {
        b->pending[s] =
            orr__arena_alloc(b->arena, t->lines, sizeof *b->pending[s]);
        if (!b->pending[s])
            return orr__no_memory(b->why);
    }
    return orr__program_slots(b->p, UPDATE_STREAM, UINT32_MAX, b->why);
}

/* What the ranks of the stage at work do. */
static orr_err make_stage(struct build *b)
{
    uint32_t part = 0, from = b->own * b->stage;
    orr_err err = orr__program_part(b->p, &part, b->why);
    for (uint32_t r = from; !err && b->own && r < from + b->stage; r++)
        err = orr__program_assign(b->p, r, part, b->why);
    b->at = ORR_NONE;
    for (int s = 0; s < ORR_ASTRA_STAGES; s++)
        for (uint32_t i = 0; i < b->text->lines; i++)
            b->pending[s][i] = ORR_NONE;
    for (int64_t i = 0; !err && i < b->keys->passes; i++)
        err = build_passes(b);
    return err ? err : wait_for(b, 0, ORR_ASTRA_WG);
}

static orr_err make_program(struct build *b, const struct orr_trace_job *job)
{
    orr_err err = set_groups(b, job);
    if (!err)
        err = set_units(b);
    if (!err)
        err = prepare(b, b->text);
    for (b->own = 0; !err && b->own < b->stages; b->own++)
        err = make_stage(b);
    return err ? err : orr__program_finish(b->p, b->why);
}

/* What can be said before the program is made. */
static orr_err check_text(const struct orr_astra_text *t, const char *path,
                          struct orr_report *why)
{
    if (t->type != ORR_ASTRA_HYBRID_TRANSFORMER
        && t->type != ORR_ASTRA_HYBRID_TRANSFORMER_FWD_IN_BCKWD)
        return orr__fail_at(why, ORR_ECONFIG, path, 1, 1,
                            "%s: SimAI's groups are of HYBRID_TRANSFORMER and "
                            "HYBRID_TRANSFORMER_FWD_IN_BCKWD; `format: astra` "
                            "reads the others",
                            orr__astra_type_name(t->type));
    if (t->pp > 1 && t->pp_comm == 0)
        return orr__fail_at(why, ORR_ECONFIG, path, 1, 1,
                            "%u pipeline stages (pp) need pp_comm, the bytes "
                            "that go from one to the next",
                            t->pp);
    return ORR_OK;
}

/* *out is the caller's also after an error. */
static orr_err read_simai(const struct orr_trace_job *job, const void *keys,
                          struct orr_program **out, struct orr_trace_info *info,
                          struct orr_report *why)
{
    const struct keys *k = keys;
    char *text = NULL, *path = orr__trace_path(job, k->workload);
    size_t length;
    struct orr_astra_text t;
    if (!path)
        return orr__no_memory(why);
    orr_err err =
        orr__trace_text_file(job, "workload", path, &text, &length, why);
    if (!err)
        err = orr__astra_text(path, text, job->arena, &t, why);
    if (!err)
        err = check_text(&t, path, why);
    orr__free(text);
    orr__free(path);
    if (err)
        return err;
    *out = orr__program_new(job->ranks);
    info->astra = orr__arena_alloc(job->arena, 1, sizeof *info->astra);
    if (!*out || !info->astra)
        return orr__no_memory(why);
    info->files = 1;
    info->nodes = t.lines;
    struct build b = {.p = *out,
                      .text = &t,
                      .keys = k,
                      .report = info->astra,
                      .arena = job->arena,
                      .why = why,
                      .at = ORR_NONE};
    return make_program(&b, job);
}

const struct orr_trace_format orr__trace_simai = {
    .name = "simai",
    .doc = "a SimAI workload, with NCCL's collectives over its groups",
    .params = params,
    .params_size = sizeof(struct keys),
    .read = read_simai,
};
