/* A schedule gone through with sets instead of numbers: what a chunk is, and
 * whose parts of it are added up. A sum that has a part twice, or adds parts of
 * different chunks, is as wrong as one that lacks a part. */
#include <string.h>

#include "core/array.h"
#include "core/none.h"
#include "workload/collective/msccl.h"

/* A value: which chunk it is of, plus one (0: undefined), and a bit for each
 * GPU. `words` of them. */
typedef uint64_t word;

/* Of the buffers together, and of what one block sends. */
#define WORDS_MOST (UINT64_C(1) << 24)

/* Messages of one connector, in order. */
struct queue {
    word *value; /* owned; of `n` messages of up to `chunks` values */
    uint32_t *count;
    uint32_t sent, received, room, value_room, values, at;
};

/* How far all blocks are, and what the buffers hold; owned. */
struct trial {
    const struct orr_msccl *s;
    uint32_t words, room;
    uint64_t **buffer;   /* per GPU and buffer */
    struct queue *queue; /* per block: what it sends */
    uint32_t *source;    /* per block: the block that it receives from */
    uint32_t *step;      /* per block */
    struct orr_report *why;
    word *sum; /* room for one value */
};

static word *value_at(const struct trial *t, uint32_t gpu, uint8_t buffer,
                      uint32_t chunk)
{
    return t->buffer[3 * gpu + buffer] + (uint64_t)chunk * t->words;
}

static orr_err fail_step(const struct trial *t, const struct orr_msccl_step *x,
                         const char *what)
{
    return orr__fail_at(t->why, ORR_ECONFIG, t->s->name, x->line, 1, "%s",
                        what);
}

/* What the collective's chunk is called that a GPU begins with at `chunk`;
 * ORR_NONE: it has none there. */
static uint32_t chunk_given(const struct orr_msccl *s, uint32_t gpu,
                            uint8_t buffer, uint32_t chunk)
{
    uint32_t share = s->chunks / s->gpus;
    bool in = buffer == ORR_MSCCL_IN;
    if (s->kind == ORR_ALL_GATHER && s->in_place)
        return buffer == ORR_MSCCL_OUT && chunk / share == gpu ? chunk
                                                               : ORR_NONE;
    if (s->kind == ORR_ALL_GATHER)
        return in && chunk < share ? gpu * share + chunk : ORR_NONE;
    if (!in || chunk >= s->chunks)
        return ORR_NONE;
    return s->kind == ORR_ALL_TO_ALL ? gpu * s->chunks + chunk : chunk;
}

/* What it must have at the end there. */
static uint32_t wanted(const struct orr_msccl *s, uint32_t gpu, uint32_t chunk,
                       uint8_t *buffer, uint32_t *at)
{
    uint32_t share = s->chunks / s->gpus;
    bool mine = chunk / (share ? share : 1) == gpu;
    *buffer =
        s->in_place && s->kind != ORR_ALL_GATHER ? ORR_MSCCL_IN : ORR_MSCCL_OUT;
    *at = chunk;
    if (s->kind == ORR_REDUCE_SCATTER) {
        *at = s->in_place ? chunk : chunk - gpu * share;
        return mine ? chunk : ORR_NONE;
    }
    if (s->kind == ORR_ALL_TO_ALL) /* from chunk / share, its piece for gpu */
        /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): GPUs share chunks */
        return chunk / share * s->chunks + gpu * share + chunk % share;
    return chunk;
}

/* ---- one step ------------------------------------------------------------ */

/* a is added to *into. */
static orr_err add_up(const struct trial *t, const struct orr_msccl_step *x,
                      const word *a, word *into)
{
    if (!a[0] || !into[0])
        return fail_step(t, x, "it adds a chunk that is not there yet");
    if (a[0] != into[0])
        return fail_step(t, x, "it adds different chunks");
    for (uint32_t i = 1; i < t->words; i++) {
        if (a[i] & into[i])
            return fail_step(t, x, "it adds the part of a GPU a second time");
        into[i] |= a[i];
    }
    return ORR_OK;
}

/* One value more in a connector. */
static orr_err put_value(struct trial *t, struct queue *q, const word *value)
{
    uint64_t at = (uint64_t)q->values * t->words;
    if (at > WORDS_MOST)
        return orr__fail_at(t->why, ORR_ECONFIG, t->s->name, 1, 1,
                            "it is too large to be checked");
    while (at + t->words > q->value_room) {
        uint32_t more = q->value_room * 2 + 64 * t->words;
        word *p = orr__resize(q->value, more, sizeof *p);
        if (!p)
            return orr__no_memory(t->why);
        q->value = p;
        q->value_room = more;
    }
    memcpy(q->value + at, value, t->words * sizeof *value);
    q->values++;
    return ORR_OK;
}

/* One chunk of a step. */
static orr_err act_on_chunk(struct trial *t, const struct orr_msccl_step *x,
                            uint32_t gpu, uint32_t block, uint32_t i)
{
    struct queue *q = &t->queue[block];
    const word *had = value_at(t, gpu, x->from_buffer, x->from + i);
    orr_err err = ORR_OK;
    if (x->acts & ORR_MSCCL_RECEIVES) {
        struct queue *from = &t->queue[t->source[block]];
        memcpy(t->sum, from->value + (uint64_t)from->at++ * t->words,
               t->words * sizeof *t->sum);
        if (x->acts & ORR_MSCCL_ADDS)
            err = add_up(t, x, had, t->sum);
    } else if (x->acts & ORR_MSCCL_ADDS) {
        memcpy(t->sum, value_at(t, gpu, x->to_buffer, x->to + i),
               t->words * sizeof *t->sum);
        err = add_up(t, x, had, t->sum);
    } else {
        memcpy(t->sum, had, t->words * sizeof *t->sum);
    }
    if (!err && !t->sum[0])
        err = fail_step(t, x, "it uses a chunk that is not there yet");
    if (!err && x->acts & ORR_MSCCL_WRITES)
        memcpy(value_at(t, gpu, x->to_buffer, x->to + i), t->sum,
               t->words * sizeof *t->sum);
    if (!err && x->acts & ORR_MSCCL_SENDS)
        err = put_value(t, q, t->sum);
    return err;
}

/* Whether a block's next step may go on. */
static bool may_go_on(const struct trial *t, const struct orr_msccl_step *x,
                      const struct orr_msccl_gpu *gpu, uint32_t block)
{
    const struct queue *q = &t->queue[block];
    if (x->block != ORR_NONE && t->step[gpu->first + x->block] <= x->step)
        return false;
    if (x->acts & ORR_MSCCL_SENDS && q->sent - q->received >= t->room)
        return false;
    if (!(x->acts & ORR_MSCCL_RECEIVES))
        return true;
    const struct queue *from = &t->queue[t->source[block]];
    return from->received < from->sent;
}

/* A block's next step, which may go on. */
static orr_err carry_out(struct trial *t, const struct orr_msccl_step *x,
                         uint32_t gpu, uint32_t block)
{
    struct queue *q = &t->queue[block];
    orr_err err = ORR_OK;
    if (x->acts & ORR_MSCCL_RECEIVES) {
        struct queue *from = &t->queue[t->source[block]];
        if (from->count[from->received] != x->count)
            return fail_step(t, x, "what it receives is not of as many chunks");
        from->received++;
    }
    for (uint32_t i = 0; !err && x->acts && i < x->count; i++)
        err = act_on_chunk(t, x, gpu, block, i);
    if (!err && x->acts & ORR_MSCCL_SENDS) {
        if (!orr__array_more(q->count, q->room, q->sent))
            return orr__no_memory(t->why);
        q->count[q->sent++] = x->count;
    }
    t->step[block]++;
    return err;
}

/* ---- all of it ----------------------------------------------------------- */

/* The one block that sends to a GPU on a channel; ORR_NONE: none, or two. */
static uint32_t sender(const struct orr_msccl *s, uint32_t gpu,
                       const struct orr_msccl_block *to)
{
    uint32_t found = ORR_NONE;
    const struct orr_msccl_gpu *g = &s->gpu[to->receive];
    for (uint32_t i = g->first; i < g->first + g->blocks; i++)
        if (s->block[i].send == gpu && s->block[i].channel == to->channel) {
            if (found != ORR_NONE)
                return ORR_NONE;
            found = i;
        }
    return found;
}

/* Whether an earlier block of the GPU receives from the same one. */
static bool is_shared(const struct trial *t, const struct orr_msccl_gpu *g,
                      uint32_t block)
{
    for (uint32_t i = g->first; i < block; i++)
        if (t->source[i] == t->source[block])
            return true;
    return false;
}

/* Connectors of all blocks. */
static orr_err find_senders(struct trial *t)
{
    const struct orr_msccl *s = t->s;
    for (uint32_t g = 0; g < s->gpus; g++)
        for (uint32_t k = 0; k < s->gpu[g].blocks; k++) {
            uint32_t b = s->gpu[g].first + k;
            t->source[b] = ORR_NONE;
            if (s->block[b].receive == ORR_NONE || !s->block[b].all_in)
                continue;
            t->source[b] = sender(s, g, &s->block[b]);
            if (t->source[b] == ORR_NONE)
                return fail_step(t, &s->step[s->block[b].first],
                                 "its block receives, and not one block of "
                                 "that GPU sends to it on this channel");
            if (is_shared(t, &s->gpu[g], b))
                return fail_step(t, &s->step[s->block[b].first],
                                 "another block receives on this channel from "
                                 "the same GPU");
        }
    return ORR_OK;
}

/* What GPUs begin with. */
static orr_err set_up(struct trial *t)
{
    const struct orr_msccl *s = t->s;
    uint64_t all = 0;
    for (uint32_t g = 0; g < s->gpus; g++)
        for (uint8_t k = 0; k < 3; k++) {
            all += (uint64_t)s->gpu[g].room[k] * t->words;
            if (all > WORDS_MOST)
                return orr__fail_at(t->why, ORR_ECONFIG, s->name, 1, 1,
                                    "it is too large to be checked");
            uint64_t n = (uint64_t)s->gpu[g].room[k] * t->words;
            t->buffer[3 * g + k] = orr__alloc(n + 1, sizeof(word));
            if (!t->buffer[3 * g + k])
                return orr__no_memory(t->why);
            for (uint32_t i = 0; i < s->gpu[g].room[k]; i++) {
                uint32_t id = chunk_given(s, g, k, i);
                word *v = value_at(t, g, k, i);
                v[0] = id == ORR_NONE ? 0 : (uint64_t)id + 1;
                if (v[0])
                    v[1 + g / 64] = UINT64_C(1) << g % 64;
            }
        }
    return find_senders(t);
}

/* Messages without a receiver. */
static orr_err check_left(const struct trial *t)
{
    const struct orr_msccl *s = t->s;
    for (uint32_t b = 0; b < s->blocks; b++)
        if (t->queue[b].sent != t->queue[b].received)
            return fail_step(t, &s->step[s->block[b].first],
                             "its block sends more messages than are received");
    return ORR_OK;
}

/* Steps that are never reached. */
static orr_err check_end(struct trial *t)
{
    const struct orr_msccl *s = t->s;
    for (uint32_t b = 0; b < s->blocks; b++)
        if (t->step[b] < s->block[b].steps) {
            const struct orr_msccl_step *x =
                &s->step[s->block[b].first + t->step[b]];
            return orr__fail_at(
                t->why, ORR_ECONFIG, s->name, x->line, 1,
                "here the schedule stops for ever: its step waits for %s",
                x->acts & ORR_MSCCL_RECEIVES ? "a message"
                : x->acts & ORR_MSCCL_SENDS  ? "room at its receiver, or a step"
                                             : "a step of another block");
        }
    return ORR_OK;
}

/* Whether a GPU has what the collective promises it. */
static orr_err check_result(struct trial *t)
{
    const struct orr_msccl *s = t->s;
    bool sums = s->kind == ORR_ALL_REDUCE || s->kind == ORR_REDUCE_SCATTER;
    for (uint32_t g = 0; g < s->gpus; g++)
        for (uint32_t c = 0; c < s->chunks; c++) {
            uint32_t at, parts = 0, id;
            uint8_t buffer;
            id = wanted(s, g, c, &buffer, &at);
            if (id == ORR_NONE)
                continue;
            const word *v =
                at < s->gpu[g].room[buffer] ? value_at(t, g, buffer, at) : NULL;
            for (uint32_t i = 1; v && i < t->words; i++)
                parts += (uint32_t)__builtin_popcountll(v[i]);
            if (v && v[0] == (uint64_t)id + 1 && parts == (sums ? s->gpus : 1))
                continue;
            return orr__fail_at(
                t->why, ORR_ECONFIG, s->name, 1, 1,
                "this is no %s: GPU %u ends with %s in chunk %u of its %s",
                orr__collective_kind_name(s->kind), g,
                !v || !v[0]                ? "nothing"
                : v[0] != (uint64_t)id + 1 ? "another chunk"
                                           : "a part of the sum",
                at, buffer == ORR_MSCCL_IN ? "input" : "output");
        }
    return ORR_OK;
}

/* All steps that can be gone through, block by block. */
static orr_err go_through(struct trial *t)
{
    const struct orr_msccl *s = t->s;
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t g = 0; g < s->gpus; g++)
            for (uint32_t b = s->gpu[g].first;
                 b < s->gpu[g].first + s->gpu[g].blocks; b++)
                while (t->step[b] < s->block[b].steps) {
                    const struct orr_msccl_step *x =
                        &s->step[s->block[b].first + t->step[b]];
                    if (!may_go_on(t, x, &s->gpu[g], b))
                        break;
                    orr_err err = carry_out(t, x, g, b);
                    if (err)
                        return err;
                    moved = true;
                }
    }
    orr_err err = check_end(t);
    if (!err)
        err = check_left(t);
    return err ? err : check_result(t);
}

/* Gives back what the trial owns. */
static void trial_fini(struct trial *t)
{
    for (uint32_t i = 0; t->buffer && i < 3 * t->s->gpus; i++)
        orr__free(t->buffer[i]);
    for (uint32_t i = 0; t->queue && i < t->s->blocks; i++) {
        orr__free(t->queue[i].value);
        orr__free(t->queue[i].count);
    }
    orr__free(t->buffer);
    orr__free(t->queue);
    orr__free(t->source);
    orr__free(t->step);
    orr__free(t->sum);
}

orr_err orr__msccl_check(const struct orr_msccl *s, uint32_t room,
                         struct orr_report *why)
{
    struct trial t = {
        .s = s, .room = room, .words = 1 + (s->gpus + 63) / 64, .why = why};
    t.buffer = orr__alloc(3 * (size_t)s->gpus, sizeof *t.buffer);
    t.queue = orr__alloc(s->blocks + (size_t)1, sizeof *t.queue);
    t.source = orr__alloc(s->blocks + (size_t)1, sizeof *t.source);
    t.step = orr__alloc(s->blocks + (size_t)1, sizeof *t.step);
    t.sum = orr__alloc(t.words, sizeof *t.sum);
    orr_err err = t.buffer && t.queue && t.source && t.step && t.sum
                      ? set_up(&t)
                      : orr__no_memory(why);
    if (!err)
        err = go_through(&t);
    trial_fini(&t);
    return err;
}
