/* MSCCL's XML: tags and attributes, no more of XML than such files have. */
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/none.h"
#include "core/scan.h"
#include "workload/collective/msccl.h"

#define TEXT 32 /* of a value; what is longer is cut */

/* A tag or attribute; of an attribute `at` is where it stands in its word. */
enum token { END, OPEN, CLOSE, EMPTY, OVER, ATTRIBUTE, WRONG };
/* The file, and the last token of it. */
struct tags {
    struct orr_scan s;
    size_t at; /* in the last word */
    enum token token;
    char name[TEXT], value[TEXT];
    size_t name_at;
};

/* ---- tokens -------------------------------------------------------------- */

/* Past blanks to something; false at the end of the file. */
static bool find_more(struct tags *t)
{
    while (t->at >= t->s.length) {
        if (!orr__scan_word(&t->s))
            return false;
        t->at = 0;
    }
    return true;
}

/* Past `end`, which may be words away; false: it never comes. */
static bool skip_to(struct tags *t, const char *end)
{
    for (;;) {
        const char *p = strstr(t->s.word + t->at, end);
        if (p) {
            t->at = (size_t)(p - t->s.word) + strlen(end);
            return true;
        }
        t->at = t->s.length;
        if (!find_more(t))
            return false;
    }
}

/* Characters up to one of `stops`. */
static void take_characters(struct tags *t, const char *stops, char text[TEXT])
{
    size_t n = strcspn(t->s.word + t->at, stops);
    size_t kept = n < TEXT - 1 ? n : TEXT - 1;
    memcpy(text, t->s.word + t->at, kept);
    text[kept] = '\0';
    t->at += n;
}

/* NAME="VALUE"; blanks may be in the value. */
static enum token attribute(struct tags *t)
{
    t->name_at = t->at;
    take_characters(t, "=<>/\"", t->name);
    if (strncmp(t->s.word + t->at, "=\"", 2) != 0)
        return WRONG;
    t->at += 2;
    take_characters(t, "\"", t->value);
    return skip_to(t, "\"") ? ATTRIBUTE : WRONG;
}

/* The next tag, attribute or end of a tag. */
static enum token next_token(struct tags *t)
{
    const char *p;
    do {
        if (!find_more(t))
            return t->token = END;
        p = t->s.word + t->at;
        if (strncmp(p, "<!--", 4) != 0 && strncmp(p, "<?", 2) != 0)
            break;
        if (!skip_to(t, p[1] == '?' ? "?>" : "-->"))
            return t->token = WRONG;
    } while (true);
    t->name_at = t->at;
    if (*p == '>' || strncmp(p, "/>", 2) == 0) {
        t->at += *p == '>' ? 1 : 2;
        return t->token = *p == '>' ? OVER : EMPTY;
    }
    if (*p != '<')
        return t->token = attribute(t);
    t->at += p[1] == '/' ? 2 : 1;
    take_characters(t, "/>", t->name);
    if (p[1] != '/')
        return t->token = OPEN;
    if (!skip_to(t, ">"))
        return t->token = WRONG;
    return t->token = CLOSE;
}

/* `what` is not what came. */
static orr_err fail_at_token(struct tags *t, const char *what)
{
    if (t->token == END)
        return orr__scan_fail(&t->s, "%s is expected, and the file ends", what);
    return orr__scan_fail_at(&t->s, t->name_at, "%s is expected", what);
}

/* ---- attributes ---------------------------------------------------------- */

/* One that an element has: a number, or a text. */
struct field {
    const char *key;
    int64_t min, max;
    int64_t value;
    char word[TEXT];
    bool text, optional, given;
};

/* The attribute that was read, into its field. */
static orr_err read_value(struct tags *t, struct field *f)
{
    char *end;
    long long v = strtoll(t->value, &end, 10);
    if (f->given)
        return orr__scan_fail_at(&t->s, t->name_at, "%s is given twice",
                                 f->key);
    f->given = true;
    memcpy(f->word, t->value, TEXT);
    if (f->text)
        return ORR_OK;
    if (end == t->value || *end || v < f->min || v > f->max)
        return orr__scan_fail_at(&t->s, t->name_at,
                                 "%s=\"%s\": a number from %lld to %lld is "
                                 "expected",
                                 f->key, t->value, (long long)f->min,
                                 (long long)f->max);
    f->value = v;
    return ORR_OK;
}

/* Of the element that was opened; others are passed over. *empty: it is closed
 * at once. */
static orr_err read_fields(struct tags *t, struct field *f, int n, bool *empty)
{
    char element[TEXT];
    memcpy(element, t->name, TEXT);
    while (next_token(t) == ATTRIBUTE)
        for (int i = 0; i < n; i++)
            if (strcmp(f[i].key, t->name) == 0) {
                orr_err err = read_value(t, &f[i]);
                if (err)
                    return err;
            }
    *empty = t->token == EMPTY;
    if (t->token != EMPTY && t->token != OVER)
        return fail_at_token(t, "NAME=\"VALUE\" or the tag's end");
    for (int i = 0; i < n; i++)
        if (!f[i].given && !f[i].optional)
            return orr__scan_fail_at(&t->s, t->name_at, "<%s> has no `%s`",
                                     element, f[i].key);
    return ORR_OK;
}

/* The value's place in a list of texts; -1: it is not there. */
static int choose(const char *word, const char *const *list)
{
    for (int i = 0; list[i]; i++)
        if (strcmp(word, list[i]) == 0)
            return i;
    return -1;
}

/* ---- elements ------------------------------------------------------------ */

#define NUMBER(k, least, most)                                                 \
    {                                                                          \
        .key = k, .min = least, .max = most                                    \
    }
#define WORD(k)                                                                \
    {                                                                          \
        .key = k, .text = true                                                 \
    }
enum { MANY = 1 << 20 };

/* In place what a GPU has is part of what it gets, or the other way about. */
static void alias_in_place(const struct orr_msccl *s,
                           const struct orr_msccl_gpu *gpu, uint8_t *buffer,
                           uint32_t *chunk)
{
    uint8_t same = s->kind == ORR_ALL_GATHER ? ORR_MSCCL_OUT : ORR_MSCCL_IN;
    if (!s->in_place || *buffer == ORR_MSCCL_SCRATCH || *buffer == same)
        return;
    *buffer = same;
    if (s->kind == ORR_ALL_GATHER || s->kind == ORR_REDUCE_SCATTER)
        *chunk += (uint32_t)(gpu - s->gpu) * (s->chunks / s->gpus);
}

/* Types of steps, and what they do. */
static const char *const types[] = {"nop", "s",   "r",    "cpy", "re",
                                    "rrc", "rrs", "rrcs", "rcs", NULL};
static const uint8_t acts[] = {
    0,
    ORR_MSCCL_SENDS,
    ORR_MSCCL_RECEIVES | ORR_MSCCL_WRITES,
    ORR_MSCCL_WRITES,
    ORR_MSCCL_ADDS | ORR_MSCCL_WRITES,
    ORR_MSCCL_RECEIVES | ORR_MSCCL_ADDS | ORR_MSCCL_WRITES,
    ORR_MSCCL_RECEIVES | ORR_MSCCL_ADDS | ORR_MSCCL_SENDS,
    ORR_MSCCL_RECEIVES | ORR_MSCCL_ADDS | ORR_MSCCL_WRITES | ORR_MSCCL_SENDS,
    ORR_MSCCL_RECEIVES | ORR_MSCCL_WRITES | ORR_MSCCL_SENDS,
};

/* What a step's block and buffers must have for it. */
static orr_err check_step(struct tags *t, const struct orr_msccl_gpu *gpu,
                          const struct orr_msccl_block *b,
                          const struct orr_msccl_step *x)
{
    if ((x->acts & ORR_MSCCL_SENDS && b->send == ORR_NONE)
        || (x->acts & ORR_MSCCL_RECEIVES && b->receive == ORR_NONE))
        return orr__scan_fail(&t->s, "its block has nobody to %s",
                              x->acts & ORR_MSCCL_SENDS && b->send == ORR_NONE
                                  ? "send to"
                                  : "receive from");
    if ((orr__msccl_reads(x)
         && (uint64_t)x->from + x->count > gpu->room[x->from_buffer])
        || (x->acts & ORR_MSCCL_WRITES
            && (uint64_t)x->to + x->count > gpu->room[x->to_buffer]))
        return orr__scan_fail(&t->s, "chunks beyond the buffer");
    return ORR_OK;
}

/* A step, and what it needs of its block. */
static orr_err read_step(struct tags *t, struct orr_msccl *s,
                         const struct orr_msccl_gpu *gpu)
{
    static const char *const buffers[] = {"i", "o", "s", NULL};
    struct orr_msccl_block *b = &s->block[s->blocks - 1];
    struct field f[] = {NUMBER("s", 0, MANY),    WORD("type"),
                        WORD("srcbuf"),          NUMBER("srcoff", -1, MANY),
                        WORD("dstbuf"),          NUMBER("dstoff", -1, MANY),
                        NUMBER("cnt", 0, MANY),  NUMBER("depid", -1, MANY),
                        NUMBER("deps", -1, MANY)};
    bool empty;
    orr_err err = read_fields(t, f, 9, &empty);
    int type = choose(f[1].word, types);
    int from = choose(f[2].word, buffers), to = choose(f[4].word, buffers);
    if (err)
        return err;
    if (!empty && next_token(t) != CLOSE)
        return fail_at_token(t, "</step>");
    if (f[0].value != b->steps)
        return orr__scan_fail(&t->s, "step %u is expected, not %s", b->steps,
                              f[0].word);
    if (type < 0)
        return orr__scan_fail(&t->s, "there is no step of type \"%s\"",
                              f[1].word);
    if (type && (from < 0 || to < 0))
        return orr__scan_fail(&t->s, "buffers are i, o and s");
    struct orr_msccl_step x = {
        .acts = acts[type],
        .from_buffer = (uint8_t)(from < 0 ? 0 : from),
        .to_buffer = (uint8_t)(to < 0 ? 0 : to),
        .from = f[3].value < 0 ? 0 : (uint32_t)f[3].value,
        .to = f[5].value < 0 ? 0 : (uint32_t)f[5].value,
        .count = type ? (uint32_t)f[6].value : 0,
        .block = f[7].value < 0 ? ORR_NONE : (uint32_t)f[7].value,
        .step = f[8].value < 0 ? 0 : (uint32_t)f[8].value,
        .line = orr__scan_line(&t->s),
    };
    alias_in_place(s, gpu, &x.from_buffer, &x.from);
    alias_in_place(s, gpu, &x.to_buffer, &x.to);
    err = check_step(t, gpu, b, &x);
    if (err)
        return err;
    if (!orr__array_more(s->step, s->step_room, s->steps))
        return orr__no_memory(t->s.why);
    s->step[s->steps++] = x;
    b->steps++;
    return ORR_OK;
}

/* A block with its steps. */
static orr_err read_block(struct tags *t, struct orr_msccl *s,
                          struct orr_msccl_gpu *gpu)
{
    struct field f[] = {NUMBER("id", 0, MANY), NUMBER("send", -1, MANY),
                        NUMBER("recv", -1, MANY), NUMBER("chan", 0, 63)};
    uint32_t self = (uint32_t)(gpu - s->gpu);
    bool empty;
    orr_err err = read_fields(t, f, 4, &empty);
    if (err)
        return err;
    if (f[0].value != gpu->blocks)
        return orr__scan_fail(&t->s, "block %u is expected, not %s",
                              gpu->blocks, f[0].word);
    for (int i = 1; i < 3; i++)
        if (f[i].value >= s->gpus || f[i].value == self)
            return orr__scan_fail(&t->s,
                                  "%s: another of %u GPUs is expected, "
                                  "not %s",
                                  f[i].key, s->gpus, f[i].word);
    if (!orr__array_more(s->block, s->block_room, s->blocks))
        return orr__no_memory(t->s.why);
    s->block[s->blocks++] = (struct orr_msccl_block){
        .send = f[1].value < 0 ? ORR_NONE : (uint32_t)f[1].value,
        .receive = f[2].value < 0 ? ORR_NONE : (uint32_t)f[2].value,
        .channel = (uint32_t)f[3].value,
        .first = s->steps,
    };
    gpu->blocks++;
    if (s->channels <= f[3].value)
        s->channels = (uint32_t)f[3].value + 1;
    if (gpu->blocks > s->most_blocks)
        s->most_blocks = gpu->blocks;
    if (s->most_blocks >= ORR_MAX_LANES)
        return orr__scan_fail(&t->s, "so many blocks are too many");
    while (!err && !empty && next_token(t) == OPEN
           && strcmp(t->name, "step") == 0)
        err = read_step(t, s, gpu);
    if (!err && !empty && (t->token != CLOSE || strcmp(t->name, "tb") != 0))
        return fail_at_token(t, "<step> or </tb>");
    return err;
}

/* A GPU with its blocks; they are numbered in their order. */
static orr_err read_gpu(struct tags *t, struct orr_msccl *s, uint32_t i)
{
    struct field f[] = {NUMBER("id", 0, MANY), NUMBER("i_chunks", 0, MANY),
                        NUMBER("o_chunks", 0, MANY),
                        NUMBER("s_chunks", 0, MANY)};
    struct orr_msccl_gpu *gpu = &s->gpu[i];
    bool empty;
    orr_err err = read_fields(t, f, 4, &empty);
    if (err)
        return err;
    if (f[0].value != i)
        return orr__scan_fail(&t->s, "GPU %u is expected, not %s", i,
                              f[0].word);
    gpu->first = s->blocks;
    for (int k = 0; k < 3; k++)
        gpu->room[k] = (uint32_t)f[k + 1].value;
    for (int k = 0; s->in_place && k < 2; k++)
        if (gpu->room[k] < s->chunks)
            gpu->room[k] = s->chunks;
    while (!err && !empty && next_token(t) == OPEN
           && strcmp(t->name, "tb") == 0)
        err = read_block(t, s, gpu);
    if (!err && !empty && (t->token != CLOSE || strcmp(t->name, "gpu") != 0))
        return fail_at_token(t, "<tb> or </gpu>");
    return err;
}

/* Steps that are waited for must be there; messages get their numbers. */
static orr_err link_steps(struct tags *t, struct orr_msccl *s)
{
    for (uint32_t g = 0; g < s->gpus; g++)
        for (uint32_t k = 0; k < s->gpu[g].blocks; k++) {
            struct orr_msccl_block *b = &s->block[s->gpu[g].first + k];
            uint32_t in = 0, out = 0;
            for (uint32_t i = 0; i < b->steps; i++) {
                struct orr_msccl_step *x = &s->step[b->first + i];
                if (x->block != ORR_NONE
                    && (x->block >= s->gpu[g].blocks || x->block == k
                        || x->step
                               >= s->block[s->gpu[g].first + x->block].steps)) {
                    return orr__fail_at(t->s.why, ORR_ECONFIG, s->name, x->line,
                                        1,
                                        "there is no step %u of another "
                                        "block %u",
                                        x->step, x->block);
                }
                x->in = in;
                x->out = out;
                in += (x->acts & ORR_MSCCL_RECEIVES) != 0;
                out += (x->acts & ORR_MSCCL_SENDS) != 0;
            }
            b->all_in = in;
        }
    return ORR_OK;
}

/* All of the file. */
static orr_err read_algo(struct tags *t, struct orr_msccl *s)
{
    static const char *const kinds[] = {"allreduce", "reduce_scatter",
                                        "allgather", "alltoall", NULL};
    static const char *const protocols[] = {"LL", "LL128", "Simple", NULL};
    struct field f[] = {WORD("coll"), WORD("proto"),
                        NUMBER("nchunksperloop", 1, MANY),
                        NUMBER("ngpus", 1, 4096), NUMBER("inplace", 0, 1)};
    bool empty;
    if (next_token(t) != OPEN || strcmp(t->name, "algo") != 0)
        return fail_at_token(t, "<algo ...>");
    orr_err err = read_fields(t, f, 5, &empty);
    int kind = choose(f[0].word, kinds),
        protocol = choose(f[1].word, protocols);
    if (err)
        return err;
    if (kind != (int)s->kind)
        return orr__scan_fail(&t->s, "coll=\"%s\": it is used for %s",
                              f[0].word, orr__collective_kind_name(s->kind));
    if (protocol < 0)
        return orr__scan_fail(&t->s, "proto is LL, LL128 or Simple");
    if (f[3].value != s->gpus)
        return orr__scan_fail(&t->s, "ngpus=\"%s\": %u ranks take part",
                              f[3].word, s->gpus);
    s->chunks = (uint32_t)f[2].value;
    /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): there are GPUs */
    if (s->kind != ORR_ALL_REDUCE && s->chunks % s->gpus)
        return orr__scan_fail(&t->s,
                              "nchunksperloop=\"%s\": %u GPUs cannot "
                              "share them",
                              f[2].word, s->gpus);
    s->in_place = f[4].value;
    s->protocol = ORR_PROTOCOL_LL + protocol;
    for (uint32_t i = 0; i < s->gpus; i++) {
        if (empty || next_token(t) != OPEN || strcmp(t->name, "gpu") != 0)
            return fail_at_token(t, "<gpu ...>");
        err = read_gpu(t, s, i);
        if (err)
            return err;
    }
    if (!empty && (next_token(t) != CLOSE || strcmp(t->name, "algo") != 0))
        return fail_at_token(t, "</algo>");
    return link_steps(t, s);
}

orr_err orr__msccl_read(const char *path, uint32_t gpus,
                        enum orr_collective_kind kind, struct orr_msccl **out,
                        struct orr_report *why)
{
    struct tags t = {.at = 0};
    struct orr_msccl *s = *out = orr__alloc(1, sizeof *s);
    if (!s)
        return orr__no_memory(why);
    s->gpus = gpus;
    s->kind = kind;
    s->name = orr__strdup(path);
    s->gpu = orr__alloc(gpus, sizeof *s->gpu);
    orr_err err = s->name && s->gpu ? orr__scan_open(&t.s, path, path, why)
                                    : orr__no_memory(why);
    if (!err) {
        err = read_algo(&t, s);
        orr__scan_fini(&t.s);
    }
    if (!err)
        return ORR_OK;
    orr__msccl_free(s);
    *out = NULL;
    return err;
}

void orr__msccl_free(struct orr_msccl *s)
{
    if (!s)
        return;
    orr__free((char *)s->name);
    orr__free(s->gpu);
    orr__free(s->block);
    orr__free(s->step);
    orr__free(s);
}
