#include "formats/astra/text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const types[] = {"MICRO",
                                    "DATA",
                                    "DATA_REORDER",
                                    "MODEL",
                                    "DISTRIBUTED_INFERENCE",
                                    "HYBRID_DATA_MODEL",
                                    "HYBRID_MODEL_DATA",
                                    "HYBRID_TRANSFORMER",
                                    "HYBRID_TRANSFORMER_FWD_IN_BCKWD",
                                    "HYBRID_DLRM",
                                    "HYBRID_DLRM_ENHANCED",
                                    "HYBRID_CUSTOMIZED",
                                    NULL};

const char *orr__astra_type_name(enum orr_astra_type t)
{
    return types[t];
}

/* A layer has at least twelve words. */
enum { MOST_LINES = 1000000, SHORTEST_LINE = 24 };

/* Words are what counts; ends of lines do not. */
struct words {
    const char *file, *at;
    const char *line_at, *word_at; /* where the line and the word begin */
    int line;
    char word[128];
    struct orr_arena *arena;
    struct orr_report *why;
};

static int column(const struct words *w)
{
    return (int)(w->word_at - w->line_at) + 1;
}

static orr_err fail_word(const struct words *w, const char *what)
{
    return orr__fail_at(w->why, ORR_ECONFIG, w->file, w->line, column(w),
                        "\"%.60s\": %s", w->word, what);
}

/* The next word, cut off where it is longer than any that has a meaning. */
static orr_err next_word(struct words *w, const char *what)
{
    for (; isspace((unsigned char)*w->at); w->at++)
        if (*w->at == '\n') {
            w->line++;
            w->line_at = w->at + 1;
        }
    size_t n = strcspn(w->at, " \t\r\n\v\f");
    w->word_at = w->at;
    if (n == 0)
        return orr__fail_at(w->why, ORR_ECONFIG, w->file, w->line, column(w),
                            "the file ends where %s is expected", what);
    snprintf(w->word, sizeof w->word, "%.*s",
             (int)(n < sizeof w->word ? n : sizeof w->word - 1), w->at);
    w->at += n;
    return ORR_OK;
}

/* From 0 to max. */
static orr_err next_number(struct words *w, const char *what, double max,
                           double *out)
{
    char *end, text[100];
    orr_err err = next_word(w, what);
    if (err)
        return err;
    *out = strtod(w->word, &end);
    if (*end || !(*out >= 0) || !(*out <= max)) {
        snprintf(text, sizeof text, "%s is expected, from 0 to %.15g", what,
                 max);
        return fail_word(w, text);
    }
    return ORR_OK;
}

static orr_err next_count(struct words *w, const char *what, uint32_t *out)
{
    double x = 0;
    orr_err err = next_number(w, what, MOST_LINES, &x);
    *out = err ? 0 : (uint32_t)x;
    return !err && *out != x ? fail_word(w, "a whole number is expected") : err;
}

/* A type by its name; ORR_ECONFIG with the nearest one. */
static orr_err next_type(struct words *w, enum orr_astra_type *out)
{
    orr_err err = next_word(w, "a parallelism type");
    for (*out = 0; !err && types[*out]; ++*out)
        if (!strcmp(types[*out], w->word))
            return ORR_OK;
    if (err)
        return err;
    fail_word(w, "there is no such parallelism type");
    const char *near = orr__param_nearest(types, w->word);
    if (near)
        orr__hint(w->why, "did you mean %s?", near);
    return ORR_ECONFIG;
}

/* ALLREDUCE, ..., with one of SimAI's suffixes or none; false: neither. */
static bool read_kind(const char *word, struct orr_astra_stage_text *s)
{
    static const struct {
        const char *name;
        int kind;
    } kinds[] = {
        {"NONE", -1},
        {"ALLREDUCE", ORR_ALL_REDUCE},
        {"ALLTOALL", ORR_ALL_TO_ALL},
        {"ALLGATHER", ORR_ALL_GATHER},
        {"REDUCESCATTER", ORR_REDUCE_SCATTER},
    };
    static const char *const suffixes[] = {"", "_EP", "_DP_EP"};
    size_t n = strcspn(word, "_");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (uint8_t k = 0; k < 3; k++)
            if (strlen(kinds[i].name) == n
                && strncmp(kinds[i].name, word, n) == 0
                && strcmp(suffixes[k], word + n) == 0) {
                s->kind = kinds[i].kind;
                s->suffix = k;
                return s->kind >= 0 || k == 0;
            }
    return false;
}

/* Compute time, kind of collective, bytes. */
static orr_err read_stage(struct words *w, struct orr_astra_stage_text *s)
{
    double bytes = 0;
    orr_err err = next_number(w, "a compute time in ns", 1e15, &s->compute_ns);
    if (!err)
        err = next_word(w, "a kind of collective");
    if (!err && !read_kind(w->word, s))
        return fail_word(w, "NONE, ALLREDUCE, ALLTOALL, ALLGATHER or "
                            "REDUCESCATTER is expected");
    if (!err)
        err = next_number(w, "a size in bytes", 1e15, &bytes);
    s->bytes = err ? 0 : (uint64_t)bytes;
    return err;
}

/* One layer; the dependency is checked and has no meaning, as there. */
static orr_err read_line(struct words *w, const struct orr_astra_text *t,
                         struct orr_astra_line *l)
{
    double unused;
    char *end;
    orr_err err = next_word(w, "a layer's name");
    if (err)
        return err;
    l->row = w->line;
    l->name = orr__arena_strdup(w->arena, w->word);
    if (!l->name)
        return orr__no_memory(w->why);
    err = next_word(w, "a dependency");
    if (err)
        return err;
    unused = strtod(w->word, &end);
    if (*end || end == w->word || unused < -1)
        return fail_word(w, "a dependency, -1 or a layer, is expected");
    for (int i = 0; !err && i < 3; i++)
        err = read_stage(w, &l->stage[i]);
    if (!err)
        err = next_number(w, "an update time in ns", 1e15, &l->update_ns);
    l->type = t->type;
    if (!err && t->type == ORR_ASTRA_HYBRID_CUSTOMIZED)
        err = next_type(w, &l->type);
    if (!err && t->type == ORR_ASTRA_HYBRID_CUSTOMIZED
        && (l->type == ORR_ASTRA_HYBRID_CUSTOMIZED
            || l->type == ORR_ASTRA_HYBRID_TRANSFORMER
            || l->type == ORR_ASTRA_HYBRID_TRANSFORMER_FWD_IN_BCKWD))
        return fail_word(w, "a layer cannot be of this type");
    return err;
}

/* Checkpoints of the header, until the layers are there. */
struct marks {
    uint32_t n[2], *layer[2]; /* checkpoints, initiates */
};

/* n and as many layers, into a list that is marked later. */
static orr_err layer_list(struct words *w, struct marks *m, int k)
{
    orr_err err = next_count(w, "how many layers follow", &m->n[k]);
    if (err)
        return err;
    if (m->n[k] > strlen(w->at) / 2)
        return fail_word(w, "the file ends before that many layers");
    m->layer[k] =
        orr__arena_alloc(w->arena, m->n[k] + (size_t)1, sizeof *m->layer[k]);
    if (!m->layer[k])
        return orr__no_memory(w->why);
    for (uint32_t i = 0; !err && i < m->n[k]; i++)
        err = next_count(w, "a layer", &m->layer[k][i]);
    return err;
}

static orr_err pp_bytes(struct words *w, struct orr_astra_text *t)
{
    double bytes = 0;
    orr_err err = next_number(w, "a size in bytes", 1e15, &bytes);
    t->pp_comm = err ? 0 : (uint64_t)bytes;
    return err;
}

/* One key of a transformer's header and what follows it. *found: it was one;
 * else the word has not been read. */
static orr_err head_key(struct words *w, struct orr_astra_text *t,
                        struct marks *m, uint32_t *seen, bool *found)
{
    const struct {
        const char *name;
        uint32_t *value; /* in the order of enum orr_astra_head */
    } keys[] = {{"model_parallel_NPU_group:", &t->group},
                {"ep:", &t->ep},
                {"pp:", &t->pp},
                {"vpp:", &t->vpp},
                {"ga:", &t->ga},
                {"all_gpus:", &t->all_gpus},
                {"checkpoints:", NULL},
                {"checkpoint_initiates:", NULL},
                {"pp_comm", NULL},
                {"pp_comm:", NULL}};
    enum { COUNTS = ORR_ASTRA_HEADS, LISTS = 8, KEYS = 10 };
    struct words before = *w;
    uint32_t k = 0;
    orr_err err = next_word(w, "the number of layers");
    while (!err && k < KEYS && strcmp(keys[k].name, w->word) != 0)
        k++;
    *found = !err && k < KEYS;
    if (err)
        return err;
    if (!*found && strchr(w->word, ':'))
        return fail_word(w, "there is no such word in a header");
    if (!*found) {
        *w = before;
        return ORR_OK;
    }
    if (*seen >> k & 1)
        return fail_word(w, "is listed twice");
    *seen |= 1u << k;
    if (k >= COUNTS)
        return k >= LISTS ? pp_bytes(w, t) : layer_list(w, m, (int)k - COUNTS);
    err = next_count(w, "a number", keys[k].value);
    t->at[k].line = w->line;
    t->at[k].col = column(w);
    return !err && *keys[k].value == 0 ? fail_word(w, "1 or more is expected")
                                       : err;
}

/* Of a transformer: the group, checkpoints, and SimAI's additions, in any
 * order, up to the number of layers. */
static orr_err transformer_head(struct words *w, struct orr_astra_text *t,
                                struct marks *m)
{
    bool found = true;
    uint32_t seen = 0;
    orr_err err = ORR_OK;
    while (!err && found)
        err = head_key(w, t, m, &seen, &found);
    if (!err && !(seen & 1))
        return orr__fail_at(w->why, ORR_ECONFIG, w->file, w->line, 1,
                            "the header has no model_parallel_NPU_group:");
    return err;
}

/* What stands before the layers depends on the type. */
static orr_err read_head(struct words *w, struct orr_astra_text *t,
                         struct marks *m)
{
    orr_err err = next_type(w, &t->type);
    if (!err
        && (t->type == ORR_ASTRA_HYBRID_TRANSFORMER
            || t->type == ORR_ASTRA_HYBRID_TRANSFORMER_FWD_IN_BCKWD))
        err = transformer_head(w, t, m);
    if (!err
        && (t->type == ORR_ASTRA_HYBRID_DLRM
            || t->type == ORR_ASTRA_HYBRID_DLRM_ENHANCED)) {
        /* the number stands alone or behind a word that ends with a colon */
        const struct words before = *w;
        err = next_word(w, "the last bottom layer");
        if (!err && !strchr(w->word, ':'))
            *w = before;
        if (!err)
            err = next_count(w, "the last bottom layer", &t->last_bottom);
    }
    if (!err)
        err = next_count(w, "the number of layers", &t->lines);
    if (!err && t->lines == 0)
        return fail_word(w, "a workload has at least one layer");
    return err;
}

/* Each `initiates` needs a checkpoint at a lower layer. */
static orr_err mark_checkpoints(struct words *w, struct orr_astra_text *t,
                                const struct marks *m)
{
    for (int k = 0; k < 2; k++)
        for (uint32_t i = 0; i < m->n[k]; i++) {
            uint32_t layer = m->layer[k][i];
            if (layer >= t->lines)
                return orr__fail_at(w->why, ORR_ECONFIG, w->file, 1, 1,
                                    "checkpoint at layer %u, but there are "
                                    "only %u",
                                    layer, t->lines);
            if (k)
                t->line[layer].initiates = true;
            else
                t->line[layer].checkpoint = true;
        }
    bool back = false;
    for (uint32_t i = 0; i < t->lines; i++) {
        back |= t->line[i].checkpoint;
        if (t->line[i].initiates && !back)
            return orr__fail_at(w->why, ORR_ECONFIG, w->file, 1, 1,
                                "layer %u goes back to a checkpoint, but "
                                "there is none before it",
                                i);
        if (t->line[i].initiates && t->line[i].checkpoint)
            return orr__fail_at(w->why, ORR_ECONFIG, w->file, 1, 1,
                                "layer %u is a checkpoint and goes back to "
                                "it, for ever",
                                i);
    }
    return ORR_OK;
}

orr_err orr__astra_text(const char *file, const char *text,
                        struct orr_arena *arena, struct orr_astra_text *out,
                        struct orr_report *why)
{
    struct words w = {.file = file,
                      .at = text,
                      .line_at = text,
                      .word_at = text,
                      .line = 1,
                      .arena = arena,
                      .why = why};
    struct marks m = {0};
    *out = (struct orr_astra_text){.file = orr__arena_strdup(arena, file)};
    if (!out->file)
        return orr__no_memory(why);
    orr_err err = read_head(&w, out, &m);
    if (err)
        return err;
    if (out->lines > strlen(w.at) / SHORTEST_LINE)
        return orr__fail_at(why, ORR_ECONFIG, file, w.line, column(&w),
                            "%u layers are announced, but the file ends "
                            "before",
                            out->lines);
    out->line = orr__arena_alloc(arena, out->lines, sizeof *out->line);
    if (!out->line)
        return orr__no_memory(why);
    for (uint32_t i = 0; !err && i < out->lines; i++)
        err = read_line(&w, out, &out->line[i]);
    if (!err)
        err = mark_checkpoints(&w, out, &m);
    if (!err && out->last_bottom >= out->lines)
        return orr__fail_at(why, ORR_ECONFIG, file, 1, 1,
                            "the last bottom layer is %u, but there are only "
                            "%u",
                            out->last_bottom, out->lines);
    if (!err && w.at[strspn(w.at, " \t\r\n")]) {
        err = next_word(&w, "a word");
        return err ? err
                   : fail_word(&w, "nothing is expected after the last layer");
    }
    return err;
}

orr_err orr__astra_head_fail(const struct orr_astra_text *t,
                             enum orr_astra_head which, struct orr_report *why,
                             const char *fmt, ...)
{
    int line = t->at[which].line, col = t->at[which].col;
    va_list ap;
    va_start(ap, fmt);
    orr_err err = orr__vfail_at(why, ORR_ECONFIG, t->file, line ? line : 1,
                                line ? col : 1, fmt, ap);
    va_end(ap);
    return err;
}

orr_err orr__astra_text_fail(const struct orr_astra_text *t, uint32_t layer,
                             struct orr_report *why, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    orr_err err = orr__vfail_at(why, ORR_ECONFIG, t->file, t->line[layer].row,
                                1, fmt, ap);
    va_end(ap);
    return err;
}
