#include "formats/kineto/trace.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "core/array.h"
#include "core/assert.h"
#include "core/json_read.h"
#include "formats/measurements/measurements.h"

enum { MOST_WAITS = 64 };

/* What the GPU did: us of the trace's clock. */
struct event {
    double from, to;
    size_t index;    /* in traceEvents */
    bool collective; /* else a kernel, a copy */
    int64_t stream;
    uint32_t op; /* of a collective, once it has one */
    bool blocks; /* the GPU was idle until it ended */
    double idle; /* since when */
};

/* A trace while it is read. */
struct reader {
    struct orr_kineto *k;
    struct orr_json_text json;
    json_t *events;
    struct event *event; /* of the step, by their beginning */
    size_t n, room;
    double from, to; /* the step, us */
    struct orr_text *notes;
    struct orr_report *why;
};

static orr_err fail_event(struct reader *r, size_t index, const char *what)
{
    return orr__json_fail_item(&r->json, "traceEvents", index, r->why,
                               "event %zu: %s", index, what);
}

static const char *text_of(const json_t *map, const char *key)
{
    const char *s = json_string_value(json_object_get(map, key));
    return s ? s : "";
}

/* Numbers may stand in texts. */
static double number_of(const json_t *map, const char *key)
{
    const json_t *v = json_object_get(map, key);
    const char *s = json_string_value(v);
    if (s)
        return strtod(s, NULL);
    return json_is_number(v) ? json_number_value(v) : NAN;
}

/* ---- events ------------------------------------------------------------- */

static bool is_gpu(const char *category)
{
    return strcmp(category, "kernel") == 0
           || strcmp(category, "gpu_memcpy") == 0
           || strcmp(category, "gpu_memset") == 0;
}

static bool is_collective(const json_t *event)
{
    const json_t *args = json_object_get(event, "args");
    return json_object_get(args, "Collective name")
           || strncmp(text_of(event, "name"), "nccl", 4) == 0;
}

/* The step that is taken: the second to last of the profiler's, which has
 * warmed up and is whole; of two the last. The whole trace without any. */
static void find_step(struct reader *r)
{
    size_t i, steps = 0;
    json_t *event, *last[2] = {NULL, NULL};
    r->from = -INFINITY;
    r->to = INFINITY;
    for (int gpu = 1; gpu >= 0 && steps == 0; gpu--)
        json_array_foreach(r->events, i, event)
        {
            const char *category = text_of(event, "cat");
            const char *wanted =
                gpu ? "gpu_user_annotation" : "user_annotation";
            if (strcmp(category, wanted) != 0
                || strncmp(text_of(event, "name"), "ProfilerStep#", 13) != 0)
                continue;
            last[0] = last[1];
            last[1] = event;
            steps++;
        }
    const json_t *step = steps > 2 ? last[0] : last[1];
    if (!step)
        return;
    double from = number_of(step, "ts"), length = number_of(step, "dur");
    if (!isfinite(from) || !isfinite(length))
        return;
    r->from = from;
    r->to = from + length;
    orr__text_add(r->notes, "%s: %s of %zu steps\n", r->k->file,
                  text_of(step, "name"), steps);
}

/* Those of the GPU that begin in the step. */
static orr_err take_event(struct reader *r, const json_t *event, size_t index)
{
    double from = number_of(event, "ts"), length = number_of(event, "dur");
    if (strcmp(text_of(event, "ph"), "X") != 0
        || !is_gpu(text_of(event, "cat")))
        return ORR_OK;
    if (!isfinite(from) || !isfinite(length) || length < 0 || fabs(from) > 1e18
        || length > 1e12)
        return fail_event(r, index, "its `ts` and `dur` are no times");
    if (from < r->from || from >= r->to)
        return ORR_OK;
    if (!orr__array_more(r->event, r->room, r->n))
        return orr__no_memory(r->why);
    double stream = number_of(json_object_get(event, "args"), "stream");
    r->event[r->n++] = (struct event){
        .from = from,
        .to = from + length,
        .index = index,
        .collective = is_collective(event),
        .stream = stream >= 0 && stream < 1e9 ? (int64_t)stream : -1,
        .op = UINT32_MAX,
    };
    return ORR_OK;
}

static int by_begin(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

/* All events of the step. */
static orr_err take_events(struct reader *r)
{
    size_t i;
    json_t *event;
    orr_err err = ORR_OK;
    find_step(r);
    json_array_foreach(r->events, i, event) if (!err) err =
        take_event(r, event, i);
    if (!err && r->n == 0)
        return orr__json_fail(&r->json, "traceEvents", r->why,
                              "no event of a GPU (cat: kernel): the profiler "
                              "has to record ProfilerActivity.CUDA");
    if (r->n)
        qsort(r->event, r->n, sizeof *r->event, by_begin);
    return err;
}

/* ---- collectives -------------------------------------------------------- */

/* A name without what torch puts around it: "_allgather_base",
 * "all_gather_into_tensor_coalesced". */
static const char *kind_of(const char *name)
{
    static const struct {
        const char *has, *kind;
    } kinds[] = {
        {"allreduce", "all-reduce"},
        {"allgather", "all-gather"},
        {"reducescatter", "reduce-scatter"},
        {"alltoall", "all-to-all"},
        {"broadcast", "broadcast"},
        {"barrier", "barrier"},
        {"reduce", "reduce"},
    };
    char plain[64];
    size_t n = 0;
    for (; *name && n + 1 < sizeof plain; name++)
        if (isalnum((unsigned char)*name))
            plain[n++] = (char)tolower((unsigned char)*name);
    plain[n] = '\0';
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strstr(plain, kinds[i].has))
            return kinds[i].kind;
    return NULL;
}

/* Bytes of a type as torch names it ("BFloat16", "Float", "Long"); 0. */
static uint64_t bytes_of_type(const char *name)
{
    char lower[32];
    size_t n = 0;
    for (; name[n] && n + 1 < sizeof lower; n++)
        lower[n] = (char)tolower((unsigned char)name[n]);
    lower[n] = '\0';
    if (strcmp(lower, "long") == 0)
        return 8;
    if (strcmp(lower, "bool") == 0 || strncmp(lower, "float8", 6) == 0)
        return 1;
    if (strcmp(lower, "short") == 0)
        return 2;
    return orr__measurements_type(lower);
}

/* "[0, 1, 2, 3]"; "..." in it: as many as `Group size` says, evenly. */
static orr_err take_group(struct reader *r, const json_t *args, size_t index,
                          struct orr_kineto_op *op)
{
    const char *p = text_of(args, "Process Group Ranks");
    double size = number_of(args, "Group size");
    uint32_t n = size >= 1 && size <= ORR_KINETO_RANKS ? (uint32_t)size : 0;
    if (n == 0)
        return fail_event(r, index, "its `Group size` is no number of ranks");
    uint32_t *rank = orr__arena_alloc(&r->k->arena, n, sizeof *rank), have = 0;
    if (!rank)
        return orr__no_memory(r->why);
    for (; *p && have < n; p++)
        if (isdigit((unsigned char)*p)) {
            char *end;
            unsigned long one = strtoul(p, &end, 10);
            if (one >= ORR_KINETO_RANKS)
                return fail_event(r, index, "a rank of its group is too large");
            rank[have++] = (uint32_t)one;
            p = end - 1;
        }
    uint32_t step = have > 1 ? rank[1] - rank[0] : 1;
    for (; have && have < n; have++)
        rank[have] = rank[have - 1] + step;
    for (uint32_t i = 0; i < n && have; i++)
        if (rank[i] >= ORR_KINETO_RANKS)
            return fail_event(r, index, "a rank of its group is too large");
    op->rank = have ? rank : NULL;
    op->ranks = n;
    return ORR_OK;
}

/* What an event of a collective is. */
static orr_err take_call(struct reader *r, const struct event *e,
                         struct orr_kineto_op *op)
{
    const json_t *event = json_array_get(r->events, e->index);
    const json_t *args = json_object_get(event, "args");
    const char *name = text_of(args, "Collective name");
    double elements = number_of(args, "In msg nelems");
    uint64_t type = bytes_of_type(text_of(args, "dtype"));
    if (!*name)
        return fail_event(r, e->index,
                          "a kernel of NCCL without `Collective name`: a later "
                          "PyTorch (2.2) records it");
    op->kind = kind_of(name);
    if (!op->kind)
        return fail_event(r, e->index,
                          "its collective is none that is converted (send and "
                          "recv are not)");
    op->ns = (e->to - e->from) * 1e3;
    if (strcmp(op->kind, "barrier") != 0) {
        if (!(elements >= 1) || elements > 1e15)
            return fail_event(r, e->index, "its `In msg nelems` is no size");
        if (type == 0)
            return fail_event(r, e->index, "its `dtype` is not known");
        op->bytes = (uint64_t)elements * type;
    }
    return take_group(r, args, e->index, op);
}

/* ---- the chain ---------------------------------------------------------- */

static struct orr_kineto_op *add_op(struct reader *r)
{
    struct orr_kineto *k = r->k;
    if (k->n == UINT32_MAX || !orr__array_more(k->op, k->room, k->n))
        return NULL;
    struct orr_kineto_op *op = &k->op[k->n++];
    *op = (struct orr_kineto_op){.main = true};
    return op;
}

/* How many events began before `at`. */
static size_t count_before(const struct reader *r, double at)
{
    size_t low = 0, high = r->n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (r->event[middle].from < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Where the computation is idle when a collective ends, and goes on then. most:
 * room for one an event: until when what had begun by then computes. */
static void find_blocks(struct reader *r, double *most)
{
    ORR_ASSERT(r->event != NULL); /* take_events found one */
    double busy = r->event[0].from, last = -INFINITY;
    for (size_t i = 0; i < r->n; i++) {
        const struct event *e = &r->event[i];
        if (!e->collective) {
            busy = fmax(busy, e->to);
            last = e->from;
        }
        most[i] = busy;
    }
    for (size_t i = 0; i < r->n; i++) {
        struct event *c = &r->event[i];
        size_t before = count_before(r, c->to);
        c->idle = before ? most[before - 1] : r->event[0].from;
        c->blocks = c->collective && last >= c->to && c->idle <= c->to;
    }
}

/* A moment at which the chain is cut. */
struct cut {
    double at;
    bool end;     /* of a collective that blocks; else its beginning */
    size_t event; /* the collective */
};

static int by_time(const void *a, const void *b)
{
    const struct cut *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    if (x->end != y->end)
        return x->end ? -1 : 1;
    return x->event < y->event ? -1 : x->event > y->event;
}

/* The chain while it is made. */
struct chain {
    double now;                       /* up to there it is made, us */
    uint32_t wait[MOST_WAITS], waits; /* collectives that the next computation
                                       * waits for */
};

/* The chain goes on to `to`: a computation, unless nothing is between. */
static orr_err compute(struct reader *r, struct chain *c, double to)
{
    if (to <= c->now && c->waits == 0)
        return ORR_OK;
    struct orr_kineto_op *op = add_op(r);
    if (!op)
        return orr__no_memory(r->why);
    op->ns = fmax(to - c->now, 0) * 1e3;
    op->waits = c->waits;
    op->wait = orr__arena_alloc(&r->k->arena, c->waits, sizeof *op->wait);
    if (!op->wait)
        return orr__no_memory(r->why);
    memcpy(op->wait, c->wait, c->waits * sizeof *op->wait);
    c->waits = 0;
    c->now = fmax(c->now, to);
    return ORR_OK;
}

/* A collective begins: behind what was computed, and behind the one before it
 * on its stream. */
static orr_err begin_call(struct reader *r, struct event *e)
{
    const struct event *before = NULL;
    for (struct event *x = e; x > r->event && !before; x--)
        if (x[-1].collective && x[-1].stream == e->stream
            && x[-1].op != UINT32_MAX)
            before = &x[-1];
    struct orr_kineto_op *op = add_op(r);
    if (!op)
        return orr__no_memory(r->why);
    e->op = r->k->n - 1;
    orr_err err = take_call(r, e, op);
    if (err || !before)
        return err;
    op->wait = orr__arena_alloc(&r->k->arena, 1, sizeof *op->wait);
    if (!op->wait)
        return orr__no_memory(r->why);
    op->wait[op->waits++] = before->op;
    return ORR_OK;
}

/* Of many those that ended last are waited for. */
static void wait_for(struct chain *c, uint32_t op)
{
    if (c->waits == MOST_WAITS)
        memmove(c->wait, c->wait + 1, --c->waits * sizeof *c->wait);
    c->wait[c->waits++] = op;
}

/* cut: in the order of time. */
static orr_err make_chain(struct reader *r, const struct cut *cut, size_t n)
{
    struct chain c = {.now = r->event[0].from};
    double end = c.now;
    orr_err err = ORR_OK;
    for (size_t i = 0; i < n && !err; i++) {
        struct event *e = &r->event[cut[i].event];
        if (!cut[i].end) {
            err = compute(r, &c, cut[i].at);
            if (!err)
                err = begin_call(r, e);
            continue;
        }
        err = compute(r, &c, e->idle);
        if (!err)
            wait_for(&c, e->op);
        c.now = fmax(c.now, cut[i].at);
    }
    for (size_t i = 0; i < r->n; i++)
        if (!r->event[i].collective)
            end = fmax(end, r->event[i].to);
    return err ? err : compute(r, &c, end);
}

/* Events to operations. */
static orr_err make_ops(struct reader *r)
{
    struct cut *cut = orr__alloc(2 * r->n, sizeof *cut);
    double *most = orr__alloc(r->n, sizeof *most), end = -INFINITY;
    size_t n = 0;
    if (!cut || !most) {
        orr__free(cut);
        orr__free(most);
        return orr__no_memory(r->why);
    }
    find_blocks(r, most);
    orr__free(most);
    for (size_t i = 0; i < r->n; i++) {
        const struct event *e = &r->event[i];
        end = fmax(end, e->to);
        if (e->collective)
            cut[n++] = (struct cut){e->from, false, i};
        if (e->blocks)
            cut[n++] = (struct cut){e->to, true, i};
    }
    if (n)
        qsort(cut, n, sizeof *cut, by_time);
    r->k->step_ns = (end - r->event[0].from) * 1e3;
    orr_err err = make_chain(r, cut, n);
    orr__free(cut);
    return err;
}

/* ---- all ---------------------------------------------------------------- */

/* distributedInfo: which rank of how many. */
static void take_rank(struct reader *r, const json_t *root)
{
    const json_t *info = json_object_get(root, "distributedInfo");
    double rank = number_of(info, "rank"),
           world = number_of(info, "world_size");
    if (rank >= 0 && rank < ORR_KINETO_RANKS)
        r->k->rank = (uint32_t)rank;
    if (world >= 1 && world <= ORR_KINETO_RANKS)
        r->k->world = (uint32_t)world;
}

orr_err orr__kineto_read(struct orr_kineto *k, const char *name,
                         const char *text, size_t length,
                         struct orr_text *notes, struct orr_report *why)
{
    struct reader r = {
        .k = k, .json = {name, text, length}, .notes = notes, .why = why};
    json_t *root = NULL;
    k->file = name;
    if (length > 1 && memcmp(text, "\x1f\x8b", 2) == 0) {
        orr_err err = orr__fail_at(why, ORR_ECONFIG, name, 1, 1,
                                   "the file is compressed");
        orr__hint(why, "gunzip it first");
        return err;
    }
    orr_err err =
        orr__json_read(&r.json, 0, JSON_OBJECT,
                       "a map with traceEvents is expected", &root, why);
    if (err)
        return err;
    r.events = json_object_get(root, "traceEvents");
    if (json_is_array(r.events)) {
        take_rank(&r, root);
        err = take_events(&r);
        if (!err)
            err = make_ops(&r);
    } else {
        err = orr__fail_at(why, ORR_ECONFIG, name, 1, 1,
                           "it has no list traceEvents: no trace of PyTorch's "
                           "profiler");
    }
    orr__free(r.event);
    json_decref(root);
    return err;
}

void orr__kineto_fini(struct orr_kineto *k)
{
    orr__free(k->op);
    orr__arena_fini(&k->arena);
}
