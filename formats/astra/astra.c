/* ASTRA-sim 1.0: layers of a text file become one program for all NPUs. Facts:
 * the project's notes on formats, section 1c: which collectives block, what
 * waits for what, and that each change of phase costs a nanosecond. */
#include "formats/astra/astra.h"
#include "core/none.h"

#include <stdio.h>
#include <string.h>

#include "core/assert.h"
#include "core/memory.h"
#include "core/units.h"
#include "formats/astra/chain.h"
#include "formats/astra/custom.h"
#include "formats/astra/memory.h"
#include "formats/astra/text.h"
#include "formats/chakra/chakra.h"

#define REQUEST          8192 /* of a receiver's request, by rendezvous */
#define MOST_ENDPOINT_NS 1e12 /* as in a system file */

/* ---- keys --------------------------------------------------------------- */

/* The keys of `trace` with this format. */
struct keys {
    const char *workload, *system, *groups, *memory;
    int64_t passes, queues;
    struct orr_ints logical_dims;
    double compute_scale, comm_scale, injection_scale;
    bool rendezvous;
};

#define KEY(k, t, ...)                                                         \
    {                                                                          \
        .key = #k, .type = ORR_PARAM_##t, .offset = offsetof(struct keys, k),  \
        __VA_ARGS__                                                            \
    }
static const struct orr_param params[] = {
    KEY(workload, TEXT,
        .help = "layers as text (ASTRA-sim 1.0), or names of Chakra files "
                "without .0.et, .1.et, ... (2.x)"),
    KEY(system, TEXT, .help = "the system file, text or JSON"),
    KEY(groups, TEXT, .fallback = "",
        .help = "communicator groups, JSON (2.x)"),
    KEY(memory, TEXT, .fallback = "",
        .help = "remote memory, JSON (2.x); none: loads and stores use "
                "local-mem-bw"),
    KEY(passes, INT, .fallback = "1", .min = "1", .max = "100000",
        .help = "passes through the layers (1.0)"),
    KEY(queues, INT, .fallback = "1", .min = "1", .max = "64",
        .help = "queues for each dimension (num-queues-per-dim)"),
    KEY(logical_dims, INTS, .fallback = "", .min = "1", .max = "16000000",
        .help =
            "NPUs of each dimension of collectives, innermost first, on any "
            "network (logical-dims); default: the network's dimensions"),
    KEY(compute_scale, REAL, .fallback = "1", .min = "0", .max = "1e9",
        .help = "multiplies all computation (1.0)"),
    KEY(comm_scale, REAL, .fallback = "1", .min = "0", .max = "1e9",
        .help = "multiplies the bytes of all collectives (1.0)"),
    KEY(injection_scale, REAL, .fallback = "1", .min = "0", .max = "1e9",
        .help = "multiplies the endpoint delay"),
    KEY(rendezvous, BOOL, .fallback = "false",
        .help = "a message leaves when its receiver has asked for it, with 8 "
                "KiB (rendezvous-protocol)"),
    ORR_PARAM_END,
};

/* ---- building ----------------------------------------------------------- */

enum { MAIN_STREAM, UPDATE_STREAM, FIRST_QUEUE };

/* A program while it is made of layers; arrays are the arena's. */
struct build {
    struct orr_expander x;
    const struct orr_astra_text *text;
    const struct keys *keys;
    struct orr_astra_report *report;
    uint32_t span_room;
    struct orr_arena *arena;
    struct orr_report *why;
    uint32_t at; /* the last operation of the main chain, or ORR_NONE */
    /* per stage and layer: the end of a collective that nobody has waited for
     * yet, or ORR_NONE */
    uint32_t *pending[ORR_ASTRA_STAGES];
    uint32_t model_dims; /* for HYBRID_TRANSFORMER */
};

/* A change of phase. */
static orr_err add_tick(struct build *b)
{
    return orr__chain_compute(b->x.p, 1, MAIN_STREAM, b->at, &b->at, b->why);
}

/* ASTRA-sim scales columns in single precision, also by 1, and cuts the result
 * down to a whole number. */
static double scaled(double x, double factor)
{
    float y = (float)x * (float)factor;
    return y < (float)UINT64_MAX ? (double)(uint64_t)y : (double)y;
}

/* A layer's computation of a stage, in ns as in the file, on the main chain;
 * the report adds it up. */
static orr_err compute(struct build *b, uint32_t layer,
                       enum orr_astra_stage stage)
{
    double ns = scaled(b->text->line[layer].stage[stage].compute_ns,
                       b->keys->compute_scale);
    int64_t *sum = &b->report->layer[layer].compute_ps[stage];
    const int64_t horizon_ns = ORR_HORIZON / ORR_NS;
    if (!(ns < (double)horizon_ns))
        return orr__astra_text_fail(b->text, layer, b->why,
                                    "layer %u computes "
                                    "for longer than 53 days, when simulated "
                                    "time ends",
                                    layer);
    *sum = orr__time_add(*sum, (int64_t)(ns * ORR_NS));
    return ns > 0 ? orr__chain_compute(b->x.p, ns, MAIN_STREAM, b->at, &b->at,
                                       b->why)
                  : ORR_OK;
}

/* Remembers from which operation to which a collective was waited for (exposed)
 * or under way. */
static orr_err note_span(struct build *b, uint32_t from, uint32_t to,
                         uint32_t layer, enum orr_astra_stage stage,
                         bool exposed)
{
    struct orr_astra_report *r = b->report;
    if (r->spans == b->span_room) {
        uint32_t more = b->span_room * 2 + 64;
        struct orr_astra_span *p = orr__arena_alloc(b->arena, more, sizeof *p);
        if (!p)
            return orr__no_memory(b->why);
        if (r->spans)
            memcpy(p, r->span, r->spans * sizeof *p);
        r->span = p;
        b->span_room = more;
    }
    r->span[r->spans++] =
        (struct orr_astra_span){from, to, layer, (uint8_t)stage, exposed};
    return ORR_OK;
}

/* ---- dimensions --------------------------------------------------------- */

/* Dimensions that a stage's collectives go over, by the kind of parallelism. */
static uint32_t involved(const struct build *b, enum orr_astra_type type,
                         uint32_t layer, enum orr_astra_stage stage)
{
    const uint32_t all = UINT32_MAX, first = 1;
    bool wg = stage == ORR_ASTRA_WG;
    uint32_t model = (1u << b->model_dims) - 1;
    ORR_ASSERT(b->model_dims <= ORR_ASTRA_DIMS);
    switch (type) {
    case ORR_ASTRA_MODEL:
    case ORR_ASTRA_DISTRIBUTED_INFERENCE: return wg ? 0 : all;
    case ORR_ASTRA_HYBRID_DATA_MODEL: return wg ? all & ~first : first;
    case ORR_ASTRA_HYBRID_MODEL_DATA: return wg ? first : all & ~first;
    case ORR_ASTRA_HYBRID_TRANSFORMER:
    case ORR_ASTRA_HYBRID_TRANSFORMER_FWD_IN_BCKWD:
        return wg ? all & ~model : model;
    case ORR_ASTRA_HYBRID_DLRM:
    case ORR_ASTRA_HYBRID_DLRM_ENHANCED: return wg || layer == 0 ? all : 0;
    default: return wg ? all : 0;
    }
}

/* ---- collectives -------------------------------------------------------- */

/* Issues a stage's collective; it ends, its update included, with
 * pending[stage][layer]. */
static orr_err issue_collective(struct build *b, uint32_t layer,
                                enum orr_astra_stage stage, bool highest)
{
    const struct orr_astra_line *l = &b->text->line[layer];
    const struct orr_astra_stage_text *s = &l->stage[stage];
    uint32_t done;
    /* SimAI's expert group is of one rank here */
    if (s->kind < 0 || s->suffix == ORR_SIMAI_EP)
        return ORR_OK;
    double bytes = scaled((double)s->bytes, b->keys->comm_scale);
    if (bytes > 4e18 / b->x.p->ranks)
        return orr__astra_text_fail(b->text, layer, b->why,
                                    "layer %u: a "
                                    "collective of %.4g bytes is too much for "
                                    "%u ranks",
                                    layer, bytes, b->x.p->ranks);
    const struct orr_issue what = {
        .kind = (enum orr_collective_kind)s->kind,
        .bytes = (uint64_t)bytes,
        .involved = involved(b, l->type, layer, stage),
        .group = ORR_EVERYONE,
        .highest = highest,
        .before = b->at,
        .calls = ORR_NONE,
    };
    b->x.layer = layer;
    orr_err err = orr__expand(&b->x, &what, &done);
    if (err || done == ORR_NONE)
        return err;
    b->report->layer[layer].collectives++;
    if (l->update_ns > 0)
        err = orr__chain_compute(b->x.p, l->update_ns, UPDATE_STREAM, done,
                                 &done, b->why);
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
    orr_err err = orr__chain_add(b->x.p, &op, *pending, &id, b->why);
    if (!err && from != ORR_NONE)
        err = orr__program_depend(b->x.p, from, id, b->why);
    *pending = ORR_NONE;
    b->at = id;
    return err ? err : note_span(b, from, id, layer, stage, true);
}

static orr_err issue_and_wait(struct build *b, uint32_t layer,
                              enum orr_astra_stage stage)
{
    orr_err err = issue_collective(b, layer, stage, false);
    return err ? err : wait_for(b, layer, stage);
}

/* ---- one pass, by kind -------------------------------------------------- */

static orr_err forward(struct build *b, uint32_t layer, bool communicates)
{
    orr_err err = wait_for(b, layer, ORR_ASTRA_WG);
    if (!err)
        err = compute(b, layer, ORR_ASTRA_FWD);
    if (!err && communicates)
        err = issue_and_wait(b, layer, ORR_ASTRA_FWD);
    return err ? err : add_tick(b);
}

static orr_err all_forward(struct build *b, bool communicates)
{
    orr_err err = ORR_OK;
    for (uint32_t i = 0; !err && i < b->text->lines; i++)
        err = forward(b, i, communicates);
    return err;
}

static orr_err weight_gradient(struct build *b, uint32_t layer)
{
    orr_err err = compute(b, layer, ORR_ASTRA_WG);
    return err ? err : issue_collective(b, layer, ORR_ASTRA_WG, false);
}

/* DATA: no communication on the way forward, weight gradients on the way
 * back. */
static orr_err pass_data(struct build *b)
{
    orr_err err = all_forward(b, false);
    for (uint32_t i = b->text->lines; !err && i-- > 0;) {
        err = weight_gradient(b, i);
        if (!err)
            err = add_tick(b);
        if (!err && i > 0)
            err = compute(b, i, ORR_ASTRA_IG);
        if (!err && i > 0)
            err = add_tick(b);
    }
    return err;
}

/* Input gradients first; layer 0 has none to give on. */
static orr_err pass_data_reorder(struct build *b)
{
    orr_err err = all_forward(b, false);
    for (uint32_t i = b->text->lines; !err && i-- > 0;) {
        if (i > 0 || b->text->lines == 1) {
            err = compute(b, i, ORR_ASTRA_IG);
            if (!err)
                err = add_tick(b);
        }
        if (!err)
            err = weight_gradient(b, i);
        if (!err)
            err = add_tick(b);
    }
    return err;
}

static orr_err pass_inference(struct build *b)
{
    return all_forward(b, true);
}

/* MODEL, HYBRID_DATA_MODEL, HYBRID_MODEL_DATA, HYBRID_CUSTOMIZED: the input
 * gradients' collectives go beside the weight gradients' computation. */
static orr_err pass_model(struct build *b)
{
    orr_err err = all_forward(b, true);
    for (uint32_t i = b->text->lines; !err && i-- > 0;) {
        err = compute(b, i, ORR_ASTRA_IG);
        if (!err && i > 0)
            err = issue_collective(b, i, ORR_ASTRA_IG, false);
        if (!err)
            err = add_tick(b);
        if (!err)
            err = compute(b, i, ORR_ASTRA_WG);
        if (!err && b->text->type != ORR_ASTRA_MODEL)
            err = issue_collective(b, i, ORR_ASTRA_WG, false);
        if (!err)
            err = wait_for(b, i, ORR_ASTRA_IG);
        if (!err)
            err = add_tick(b);
    }
    return err;
}

/* Forward again from the checkpoint before *layer, up to it or to the first
 * layer that would go back itself: there it goes on, as in ASTRA-sim, and those
 * between get no gradients. */
static orr_err repeat_forward(struct build *b, uint32_t *layer)
{
    uint32_t i = *layer;
    while (!b->text->line[i].checkpoint) {
        ORR_ASSERT(i > 0); /* text.c has seen to it */
        i--;
    }
    orr_err err = add_tick(b);
    do
        err = err ? err : forward(b, i++, true);
    while (!err && !b->text->line[i].initiates);
    *layer = i;
    return err;
}

/* HYBRID_TRANSFORMER: from a layer that initiates it goes forward again from
 * the checkpoint before. */
static orr_err pass_transformer(struct build *b)
{
    orr_err err = all_forward(b, true);
    for (uint32_t i = b->text->lines; !err && i-- > 0;) {
        if (b->text->line[i].initiates)
            err = repeat_forward(b, &i);
        if (!err)
            err = compute(b, i, ORR_ASTRA_IG);
        if (!err)
            err = issue_and_wait(b, i, ORR_ASTRA_IG);
        if (!err)
            err = add_tick(b);
        if (!err)
            err = weight_gradient(b, i);
        if (!err)
            err = add_tick(b);
    }
    return err;
}

/* Embeddings (layer 0) are exchanged beside the bottom layers. */
static orr_err dlrm_forward(struct build *b)
{
    orr_err err = ORR_OK;
    for (uint32_t i = 0; !err && i < b->text->lines; i++) {
        err = wait_for(b, i, ORR_ASTRA_WG);
        if (!err)
            err = compute(b, i, ORR_ASTRA_FWD);
        if (!err
            && b->text->line[i].stage[ORR_ASTRA_FWD].kind == ORR_ALL_TO_ALL)
            err = issue_collective(b, i, ORR_ASTRA_FWD, true);
        else if (!err && i == b->text->last_bottom)
            err = wait_for(b, 0, ORR_ASTRA_FWD);
        if (!err)
            err = add_tick(b);
    }
    return err;
}

/* HYBRID_DLRM: the bottom layers' all-to-all is waited for where top layers
 * need it. */
static orr_err pass_dlrm(struct build *b)
{
    orr_err err = dlrm_forward(b);
    for (uint32_t i = b->text->lines; !err && i-- > 0;) {
        err = weight_gradient(b, i);
        if (!err && b->text->type == ORR_ASTRA_HYBRID_DLRM)
            err = wait_for(b, i, ORR_ASTRA_IG);
        if (!err)
            err = add_tick(b);
        if (!err && i > 0)
            err = compute(b, i, ORR_ASTRA_IG);
        if (!err && i > 0 && i == b->text->last_bottom + 1)
            err = issue_collective(b, 0, ORR_ASTRA_IG, true);
        if (!err && i > 0)
            err = add_tick(b);
    }
    return err;
}

/* All passes are issued at once. */
static orr_err pass_micro(struct build *b)
{
    orr_err err = issue_collective(b, 0, ORR_ASTRA_WG, false);
    b->x.at_once = true;
    return err;
}

static orr_err (*const pass_of[ORR_ASTRA_TYPES])(struct build *) = {
    [ORR_ASTRA_MICRO] = pass_micro,
    [ORR_ASTRA_DATA] = pass_data,
    [ORR_ASTRA_DATA_REORDER] = pass_data_reorder,
    [ORR_ASTRA_MODEL] = pass_model,
    [ORR_ASTRA_DISTRIBUTED_INFERENCE] = pass_inference,
    [ORR_ASTRA_HYBRID_DATA_MODEL] = pass_model,
    [ORR_ASTRA_HYBRID_MODEL_DATA] = pass_model,
    [ORR_ASTRA_HYBRID_TRANSFORMER] = pass_transformer,
    [ORR_ASTRA_HYBRID_TRANSFORMER_FWD_IN_BCKWD] = pass_transformer,
    [ORR_ASTRA_HYBRID_DLRM] = pass_dlrm,
    [ORR_ASTRA_HYBRID_DLRM_ENHANCED] = pass_dlrm,
    [ORR_ASTRA_HYBRID_CUSTOMIZED] = pass_model,
};

/* ---- the whole ---------------------------------------------------------- */

/* Room for the report and for collectives that are under way; weight updates
 * may go on side by side. */
static orr_err prepare(struct build *b, const struct orr_astra_text *t)
{
    struct orr_astra_report *r = b->report;
    r->type = orr__astra_type_name(t->type);
    r->layers = t->lines;
    r->dims = b->x.grid.n;
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
        for (uint32_t i = 0; i < t->lines; i++)
            b->pending[s][i] = ORR_NONE;
    }
    return orr__program_slots(b->x.p, UPDATE_STREAM, UINT32_MAX, b->why);
}

/* MICRO leaves the last pass's collectives to the first of the report. */
static orr_err all_passes(struct build *b)
{
    orr_err err = ORR_OK;
    for (int64_t i = 0; !err && i < b->keys->passes; i++)
        err = pass_of[b->text->type](b);
    /* the last pass's collectives are waited for, in layer 0's name, until
     * the first of its own is over */
    b->report->waits_for_first = b->text->type == ORR_ASTRA_MICRO;
    if (b->report->waits_for_first)
        return err;
    return err ? err : wait_for(b, 0, ORR_ASTRA_WG);
}

static orr_err keep_phases(struct build *b)
{
    struct orr_astra_report *r = b->report;
    r->phase = orr__arena_alloc(b->arena, b->x.phases, sizeof *r->phase);
    if (!r->phase)
        return orr__no_memory(b->why);
    if (b->x.phases)
        memcpy(r->phase, b->x.phase, b->x.phases * sizeof *r->phase);
    r->phases = b->x.phases;
    return ORR_OK;
}

/* Program and report of a text workload; *p is the caller's in any case. */
static orr_err build_text(const struct orr_trace_job *job, const struct keys *k,
                          const struct orr_astra_text *text,
                          struct orr_astra_system *sys, struct orr_program *p,
                          struct orr_astra_report *report,
                          struct orr_report *why)
{
    struct orr_astra_grid grid;
    struct build b = {.text = text,
                      .keys = k,
                      .report = report,
                      .arena = job->arena,
                      .why = why,
                      .at = ORR_NONE};
    orr_err err = orr__grid_of_job(job, &k->logical_dims, &grid, why);
    if (err)
        return err;
    report->physical = grid.n;
    memcpy(report->physical_size, grid.size, sizeof grid.size);
    if (text->group)
        b.model_dims = orr__grid_split(&grid, sys, text->group);
    if (text->group > 1 && b.model_dims == 0)
        return orr__astra_head_fail(text, ORR_ASTRA_GROUP, why,
                                    "trace: a model-parallel group of %u NPUs "
                                    "does not divide the %u of this network",
                                    text->group, job->ranks);
    err = orr__expander_init(&b.x, p, sys, &grid, (uint32_t)k->queues,
                             FIRST_QUEUE, why);
    if (!err)
        err = prepare(&b, text);
    if (!err)
        err = all_passes(&b);
    if (!err)
        err = keep_phases(&b);
    orr__expander_fini(&b.x);
    return err ? err : orr__program_finish(p, why);
}

/* The system file, and collectives of the user that it names. s->file is the
 * arena's. */
static orr_err read_system(const struct orr_trace_job *job,
                           const struct keys *k, struct orr_astra_system *s,
                           struct orr_custom *custom, struct orr_report *why)
{
    char *text = NULL, *path = orr__trace_path(job, k->system);
    size_t length;
    if (!path)
        return orr__no_memory(why);
    orr_err err =
        orr__trace_text_file(job, "system", path, &text, &length, why);
    if (!err)
        err = orr__astra_system(path, text, length, s, why);
    if (!err) {
        s->file = orr__arena_strdup(job->arena, path);
        err = s->file ? ORR_OK : orr__no_memory(why);
    }
    if (!err && s->json)
        err = orr__custom_read(job, path, text, length, custom, why);
    if (!err)
        s->endpoint_ns *= k->injection_scale;
    if (!err && s->endpoint_ns > MOST_ENDPOINT_NS)
        err = orr__astra_system_fail(s, &s->endpoint_at, why,
                                     "trace: an endpoint delay of %.4g ns, at "
                                     "most %.4g are possible",
                                     s->endpoint_ns, MOST_ENDPOINT_NS);
    orr__free(text);
    orr__free(path);
    return err;
}

/* What the system file says to no effect. */
static orr_err note_unread(const struct orr_trace_job *job,
                           const struct orr_astra_system *s,
                           struct orr_trace_info *info, struct orr_report *why)
{
    if (!s->unread[0])
        return ORR_OK;
    char *text = orr__format(
        "%s: ASTRA-sim 2.x does not read %s, so it has no effect here", s->file,
        s->unread);
    info->note = text ? orr__arena_strdup(job->arena, text) : NULL;
    orr__free(text);
    return info->note ? ORR_OK : orr__no_memory(why);
}

/* A workload of 1.0. *out is the caller's also after an error. */
static orr_err read_text(const struct orr_trace_job *job, const struct keys *k,
                         const char *path, struct orr_astra_system *sys,
                         struct orr_program **out, struct orr_trace_info *info,
                         struct orr_report *why)
{
    char *text = NULL;
    size_t length;
    struct orr_astra_text t;
    orr_err err =
        orr__trace_text_file(job, "workload", path, &text, &length, why);
    if (!err)
        err = orr__astra_text(path, text, job->arena, &t, why);
    orr__free(text);
    if (!err && (t.ep > 1 || t.pp > 1))
        err = orr__fail_at(why, ORR_ECONFIG, path, 1, 1,
                           "expert and pipeline groups (ep, pp) are SimAI's: "
                           "`format: simai` reads them");
    if (err)
        return err;
    *out = orr__program_new(job->ranks);
    info->astra = orr__arena_alloc(job->arena, 1, sizeof *info->astra);
    if (!*out || !info->astra)
        return orr__no_memory(why);
    info->files = 1;
    info->nodes = t.lines;
    return build_text(job, k, &t, sys, *out, info->astra, why);
}

/* The file of remote memory. */
static orr_err read_memory(const struct orr_trace_job *job,
                           const struct keys *k, struct orr_astra_memory *m,
                           struct orr_report *why)
{
    char *text = NULL, *path = orr__trace_path(job, k->memory);
    size_t length;
    if (!path)
        return orr__no_memory(why);
    orr_err err =
        orr__trace_text_file(job, "memory", path, &text, &length, why);
    if (!err)
        err = orr__astra_memory(path, text, length, job->ranks, m, why);
    orr__free(text);
    orr__free(path);
    return err;
}

/* A Chakra trace or a text, by what the file is; the system file goes first,
 * since both need it. */
static orr_err read_astra(const struct orr_trace_job *job, const void *keys,
                          struct orr_program **out, struct orr_trace_info *info,
                          struct orr_report *why)
{
    const struct keys *k = keys;
    struct orr_astra_system sys;
    struct orr_astra_memory memory;
    struct orr_custom custom = {0};
    orr_err err = read_system(job, k, &sys, &custom, why);
    if (!err)
        err = note_unread(job, &sys, info, why);
    if (!err && k->memory)
        err = read_memory(job, k, &memory, why);
    if (err)
        return err;
    char *path = orr__trace_path(job, k->workload);
    if (!path)
        return orr__no_memory(why);
    const struct orr_chakra_how how = {
        .path = path,
        .groups = k->groups,
        .system = &sys,
        .custom = &custom,
        .memory = k->memory ? &memory : NULL,
        .queues = (uint32_t)k->queues,
        .logical_dims = k->logical_dims,
    };
    if (orr__chakra_is(path))
        err = orr__chakra_read(job, &how, out, info, why);
    else
        err = read_text(job, k, path, &sys, out, info, why);
    if (!err && k->rendezvous)
        (*out)->request_bytes = REQUEST;
    orr__free(path);
    return err;
}

const struct orr_trace_format orr__trace_astra = {
    .name = "astra",
    .doc = "an ASTRA-sim workload and system file",
    .params = params,
    .params_size = sizeof(struct keys),
    .read = read_astra,
};
