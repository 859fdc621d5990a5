#include "formats/nccl_inspector/records.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "core/array.h"
#include "core/json_read.h"

enum { MOST_RANKS = 16000000 };

/* A text while it is read. */
struct reader {
    struct orr_inspector *x;
    const char *name, *text; /* all of it */
    size_t length;
    const char *at, *line_at; /* where the record begins; up to where lines
                               * were counted */
    int line;                 /* of `at`, from 1 */
    const char *copy;         /* of the name, in the arena */
    struct orr_report *why;
};

static const struct {
    const char *name, *kind;
} kinds[] = {
    {"AllReduce", "all-reduce"},
    {"AllGather", "all-gather"},
    {"ReduceScatter", "reduce-scatter"},
    {"Broadcast", "broadcast"},
    {"Reduce", "reduce"},
    {"AlltoAll", "all-to-all"},
    {"Gather", "gather"},
    {"Scatter", "scatter"},
};

static void count_lines(struct reader *r)
{
    for (; r->line_at < r->at; r->line_at++)
        r->line += *r->line_at == '\n';
}

static orr_err fail_record(struct reader *r, const char *what)
{
    return orr__fail_at(r->why, ORR_ECONFIG, r->name, r->line, 1, "%s", what);
}

/* A text of a map, copied; NULL: it has none, or (*failed) no memory. */
static const char *copy_text(struct reader *r, const json_t *map,
                             const char *key, bool *failed)
{
    const char *s = json_string_value(json_object_get(map, key));
    const char *copy = s ? orr__arena_strdup(&r->x->arena, s) : NULL;
    *failed |= s && !copy;
    return copy;
}

/* A whole number from 1 on; 0: the map has none. */
static uint64_t count_of(const json_t *map, const char *key)
{
    const json_t *v = json_object_get(map, key);
    double real = json_number_value(v);
    if (json_is_integer(v))
        return json_integer_value(v) > 0 ? (uint64_t)json_integer_value(v) : 0;
    return real >= 1 && real < 9e18 ? (uint64_t)real : 0;
}

/* NCCL counts what one rank contributes to an all-gather, and gets of a
 * reduce-scatter; the bandwidth tells where all of it was counted. */
static bool settle_bytes(struct orr_inspector_call *c, const json_t *perf)
{
    double gbps = json_number_value(json_object_get(perf, "coll_algobw_gbs"));
    bool whole =
        gbps > 0
        && gbps * c->time_ns < sqrt((double)c->ranks) * (double)c->bytes;
    if (!c->kind)
        return true;
    if (strcmp(c->kind, "all-gather") == 0 && whole)
        c->bytes = c->bytes / c->ranks ? c->bytes / c->ranks : 1;
    if (strcmp(c->kind, "reduce-scatter") == 0 && !whole)
        return !__builtin_mul_overflow(c->bytes, c->ranks, &c->bytes);
    return true;
}

/* `perf`: coll_perf of the record. */
static orr_err take_call(struct reader *r, const json_t *record,
                         const json_t *perf)
{
    struct orr_inspector *x = r->x;
    const json_t *header = json_object_get(record, "header");
    const json_t *metadata = json_object_get(record, "metadata");
    if (!header)
        header = record; /* flat, as exporters write it */
    if (!orr__array_more(x->call, x->room, x->n))
        return orr__no_memory(r->why);
    struct orr_inspector_call *c = &x->call[x->n];
    bool failed = false;
    uint64_t ranks = count_of(header, "n_ranks");
    *c = (struct orr_inspector_call){
        .communicator = copy_text(r, header, "id", &failed),
        .name = copy_text(r, perf, "coll", &failed),
        .algorithm = copy_text(r, perf, "coll_algo", &failed),
        .protocol = copy_text(r, perf, "coll_proto", &failed),
        .number = count_of(perf, "coll_sn"),
        .bytes = count_of(perf, "coll_msg_size_bytes"),
        .ranks = (uint32_t)ranks,
        .seen = 1,
        .time_ns =
            1e3 * json_number_value(json_object_get(perf, "coll_exec_time_us")),
        .dumped_us =
            json_number_value(json_object_get(metadata, "dump_timestamp_us")),
        .file = r->copy,
        .line = r->line,
    };
    if (failed)
        return orr__no_memory(r->why);
    if (!c->name)
        return fail_record(r, "coll_perf without `coll`, its name");
    if (ranks == 0 || ranks > MOST_RANKS)
        return fail_record(r, "the header has no n_ranks from 1 to 16000000");
    if (c->bytes == 0)
        return fail_record(r, "coll_perf without coll_msg_size_bytes, its size "
                              "in bytes");
    if (!(c->time_ns > 0))
        return fail_record(r, "coll_perf without coll_exec_time_us, its time");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].name, c->name) == 0)
            c->kind = kinds[i].kind;
    if (!settle_bytes(c, perf))
        return fail_record(r, "more bytes than there can be");
    x->n++;
    return ORR_OK;
}

static orr_err take_record(struct reader *r, const json_t *record)
{
    const json_t *perf = json_object_get(record, "coll_perf");
    if (perf)
        return take_call(r, record, perf);
    if (json_object_get(record, "p2p_perf")) {
        r->x->messages++;
        return ORR_OK;
    }
    return fail_record(r, "no record of the Inspector: it has no coll_perf");
}

/* The next value of the text, and how many bytes it takes. */
static orr_err next_value(struct reader *r, json_t **v, size_t *taken)
{
    json_error_t where;
    size_t left = r->length - (size_t)(r->at - r->text);
    if (orr__json_load(r->at, left, JSON_DISABLE_EOF_CHECK, v, &where))
        return orr__no_memory(r->why);
    if (!*v)
        return orr__fail_at(r->why, ORR_ECONFIG, r->name,
                            r->line + where.line - 1, where.column, "%s",
                            where.text);
    *taken = (size_t)where.position;
    return ORR_OK;
}

orr_err orr__inspector_add(struct orr_inspector *x, const char *name,
                           const char *text, size_t length,
                           struct orr_report *why)
{
    struct reader r = {.x = x,
                       .name = name,
                       .text = text,
                       .length = length,
                       .at = text,
                       .line_at = text,
                       .line = 1,
                       .copy = orr__arena_strdup(&x->arena, name),
                       .why = why};
    orr_err err = r.copy ? ORR_OK : orr__no_memory(why);
    while (!err) {
        size_t taken = 0, i;
        json_t *item;
        while (r.at < text + length && strchr(" \t\r\n", *r.at) && *r.at)
            r.at++;
        count_lines(&r);
        if (r.at == text + length)
            break;
        json_t *v = NULL;
        err = next_value(&r, &v, &taken);
        if (err)
            break;
        if (json_is_array(v))
            json_array_foreach(v, i, item) err =
                err ? err : take_record(&r, item);
        else
            err = take_record(&r, v);
        json_decref(v);
        r.at += taken;
    }
    return err;
}

/* By communicator and number, then as they stand in the files. */
static int by_call(const void *a, const void *b)
{
    const struct orr_inspector_call *x = a, *y = b;
    const char *one = x->communicator ? x->communicator : "";
    const char *other = y->communicator ? y->communicator : "";
    int c = strcmp(one, other);
    if (c)
        return c;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    c = strcmp(x->name, y->name);
    if (c)
        return c;
    c = strcmp(x->file, y->file);
    return c ? c : x->line < y->line ? -1 : x->line > y->line;
}

static bool is_same_call(const struct orr_inspector_call *a,
                         const struct orr_inspector_call *b)
{
    return strcmp(a->communicator ? a->communicator : "",
                  b->communicator ? b->communicator : "")
               == 0
           && a->number == b->number && strcmp(a->name, b->name) == 0;
}

orr_err orr__inspector_settle(struct orr_inspector *x, struct orr_report *why)
{
    size_t kept = 0;
    if (x->n)
        qsort(x->call, x->n, sizeof *x->call, by_call);
    for (size_t i = 0; i < x->n; i++) {
        struct orr_inspector_call *last = kept ? &x->call[kept - 1] : NULL;
        struct orr_inspector_call *c = &x->call[i];
        if (!last || !is_same_call(last, c)) {
            x->call[kept++] = *c;
            continue;
        }
        if (last->bytes != c->bytes || last->ranks != c->ranks)
            return orr__fail_at(why, ORR_ECONFIG, c->file, c->line, 1,
                                "%s %llu has another size or other ranks in "
                                "%s:%d",
                                c->name, (unsigned long long)c->number,
                                last->file, last->line);
        last->seen++;
        last->time_ns = fmax(last->time_ns, c->time_ns);
        if (c->dumped_us < last->dumped_us)
            last->dumped_us = c->dumped_us;
    }
    x->n = kept;
    return ORR_OK;
}

void orr__inspector_fini(struct orr_inspector *x)
{
    orr__free(x->call);
    orr__arena_fini(&x->arena);
}
