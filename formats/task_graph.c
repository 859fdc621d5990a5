#include "formats/task_graph.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/array.h"
#include "core/assert.h"
#include "core/scan.h"
#include "core/table.h"
#include "core/units.h"

enum { MOST_NODES = 1 << 20, MOST_TASKS = 1 << 26 };

/* A file while it is read. */
struct reader {
    struct orr_scan s;
    struct orr_task_graph *t;
    struct orr_table by_id;
    uint64_t *id;   /* per member of next[]: what it says; owned */
    uint32_t *seen; /* per node: 1 + the task that named it last; owned */
    uint32_t id_room, visit_room, limit;
    struct orr_report *why;
};

void orr__task_graph_free(struct orr_task_graph *t)
{
    orr__free(t->file);
    orr__free(t->task);
    orr__free(t->next);
}

bool orr__graph_task_has(const struct orr_task_graph *t,
                         const struct orr_graph_task *x, uint32_t node)
{
    for (uint32_t i = 0; i < x->nexts; i++)
        if (t->next[x->next + i].number == node)
            return true;
    return false;
}

/* ---- lines --------------------------------------------------------------- */

/* The kinds of FlexFlow's enum SimTaskType, with and without TASK_, and as
 * decoders cut them short. */
static orr_err read_kind(struct reader *r, struct orr_graph_task *x)
{
    static const struct {
        const char *name;
        enum orr_graph_task_kind kind;
    } kinds[] = {
        {"FWD", ORR_TASK_COMPUTE},
        {"FORWARD", ORR_TASK_COMPUTE},
        {"BWD", ORR_TASK_COMPUTE},
        {"BACKWARD", ORR_TASK_COMPUTE},
        {"UPD", ORR_TASK_COMPUTE},
        {"UPDATE", ORR_TASK_COMPUTE},
        {"BARRIER", ORR_TASK_COMPUTE},
        {"LATENCY", ORR_TASK_COMPUTE},
        {"COMM", ORR_TASK_TRANSFER},
        {"NOMINAL_COMM", ORR_TASK_TRANSFER},
        {"NOMINAL", ORR_TASK_TRANSFER},
        {"XFER", ORR_TASK_TRANSFER},
        {"P2P", ORR_TASK_TRANSFER},
        {"ALLREDUCE", ORR_TASK_ALL_REDUCE},
        {"ALL_REDUCE", ORR_TASK_ALL_REDUCE},
    };
    if (!orr__scan_here(&r->s))
        return orr__scan_fail(&r->s, "the task's type is missing");
    const char *word = r->s.word;
    if (strncmp(word, "TASK_", 5) == 0)
        word += 5;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].name, word) == 0) {
            x->kind = kinds[i].kind;
            return ORR_OK;
        }
    return orr__scan_fail(&r->s,
                          "there is no task type %s; there are FWD, BWD, "
                          "UPDATE, BARRIER, COMM and ALLREDUCE",
                          r->s.word);
}

/* A node's number in the `length` bytes at `text` of the last word. */
static orr_err read_node(struct reader *r, const char *text, size_t length,
                         uint32_t *node)
{
    char word[24];
    int64_t number = -1;
    size_t at = (size_t)(text - r->s.word);
    uint32_t most = r->limit ? r->limit : MOST_NODES;
    if (length < sizeof word) {
        memcpy(word, text, length);
        word[length] = '\0';
        if (orr__parse_int(word, &number))
            number = -1;
    }
    if (number < 0 || number >= most) {
        orr_err err = orr__scan_fail_at(
            &r->s, at, "%.*s is no device here: nodes are 0 to %u",
            (int)(length < 40 ? length : 40), text, most - 1);
        if (r->limit && number >= most)
            orr__hint(r->why, "the job has %u ranks", r->limit);
        return err;
    }
    *node = (uint32_t)number;
    if (*node >= r->t->nodes)
        r->t->nodes = *node + 1;
    return ORR_OK;
}

/* Where it takes place. */
static orr_err read_where(struct reader *r, struct orr_graph_task *x)
{
    if (!orr__scan_here(&r->s))
        return orr__scan_fail(&r->s, "the task's node is missing");
    const char *word = r->s.word;
    size_t n = r->s.length;
    if (n >= 2 && word[0] == '"' && word[n - 1] == '"') {
        word++;
        n -= 2;
    }
    const char *arrow = memchr(word, '>', n);
    x->from = x->to = ORR_NONE;
    if (x->kind == ORR_TASK_ALL_REDUCE)
        return ORR_OK;
    if (x->kind == ORR_TASK_COMPUTE) {
        orr_err err = read_node(r, word, n, &x->from);
        x->to = x->from;
        return err;
    }
    if (!arrow)
        return orr__scan_fail(&r->s,
                              "a transfer is between two nodes, FROM>TO");
    orr_err err = read_node(r, word, (size_t)(arrow - word), &x->from);
    if (!err)
        err = read_node(r, arrow + 1, (size_t)(word + n - arrow) - 1, &x->to);
    if (!err && x->from == x->to)
        err =
            orr__scan_fail(&r->s, "a transfer from node %u to itself", x->from);
    return err;
}

/* Its milliseconds, with the digits of a float, and its bytes. */
static orr_err read_numbers(struct reader *r, struct orr_graph_task *x)
{
    double ms;
    int64_t bytes;
    const double most = (double)ORR_HORIZON / ORR_MS;
    if (!orr__scan_here(&r->s))
        return orr__scan_fail(&r->s, "the task's milliseconds are missing");
    orr_err err = orr__scan_real(&r->s, "a task's time, in ms,", 0, most, &ms);
    if (err)
        return err;
    x->ps = (int64_t)(ms * ORR_MS + 0.5);
    if (!orr__scan_here(&r->s))
        return orr__scan_fail(&r->s, "the task's bytes are missing");
    err = orr__scan_int(&r->s, "a task's bytes", 0, INT64_C(1) << 60, &bytes);
    x->bytes = (uint64_t)bytes;
    return err;
}

/* No node is in an all-reduce twice. */
static orr_err see_node(struct reader *r, uint32_t node)
{
    uint32_t from = r->visit_room;
    if (!orr__array_room(r->seen, r->visit_room, (size_t)node + 1))
        return orr__no_memory(r->why);
    if (r->visit_room > from)
        memset(r->seen + from, 0, (r->visit_room - from) * sizeof *r->seen);
    if (r->seen[node] == r->t->n + 1 && !r->s.text)
        return orr__fail_at(r->why, ORR_ECONFIG, r->t->file, 0, 0,
                            "node %u is in an all-reduce twice", node);
    if (r->seen[node] == r->t->n + 1)
        return orr__scan_fail(&r->s, "node %u is in it twice", node);
    r->seen[node] = r->t->n + 1;
    return ORR_OK;
}

/* What stands behind the numbers; tasks' ids are looked up when all are read.
 */
static orr_err read_next(struct reader *r, struct orr_graph_task *x)
{
    struct orr_task_graph *t = r->t;
    x->next = t->nexts;
    while (orr__scan_here(&r->s)) {
        int64_t id = 0;
        uint32_t node = 0;
        orr_err err =
            x->kind == ORR_TASK_ALL_REDUCE
                ? read_node(r, r->s.word, r->s.length, &node)
                : orr__scan_int(&r->s, "a task's id", 0, INT64_MAX, &id);
        if (err)
            return err;
        if (x->kind == ORR_TASK_ALL_REDUCE)
            err = see_node(r, node);
        if (err)
            return err;
        if (!orr__array_more(t->next, t->next_room, t->nexts)
            || !orr__array_more(r->id, r->id_room, t->nexts))
            return orr__no_memory(r->why);
        t->next[t->nexts] =
            (struct orr_graph_next){node, orr__scan_column(&r->s)};
        r->id[t->nexts++] = (uint64_t)id;
    }
    x->nexts = t->nexts - x->next;
    if (x->kind == ORR_TASK_ALL_REDUCE && x->nexts == 0)
        return orr__scan_fail(&r->s, "the nodes of the all-reduce are missing");
    return ORR_OK;
}

/* A task, whose id has just been scanned. */
static orr_err read_task(struct reader *r)
{
    struct orr_task_graph *t = r->t;
    struct orr_graph_task x = {.line = orr__scan_line(&r->s)};
    int64_t id;
    orr_err err = orr__scan_int(&r->s, "a task's id", 0, INT64_MAX, &id);
    if (err)
        return err;
    x.id = (uint64_t)id;
    if (orr__table_find(&r->by_id, x.id) != ORR_NONE)
        return orr__scan_fail(&r->s, "there are two tasks %" PRIu64, x.id);
    if (t->n >= MOST_TASKS)
        return orr__scan_fail(&r->s, "these are more than %d tasks",
                              MOST_TASKS);
    if (!orr__table_add(&r->by_id, x.id, t->n)
        || !orr__array_more(t->task, t->room, t->n))
        return orr__no_memory(r->why);
    err = read_kind(r, &x);
    if (!err)
        err = read_where(r, &x);
    if (!err)
        err = read_numbers(r, &x);
    if (!err)
        err = read_next(r, &x);
    t->all_reduces += x.kind == ORR_TASK_ALL_REDUCE;
    t->task[t->n++] = x;
    return err;
}

/* ---- edges --------------------------------------------------------------- */

/* A message about the k-th task that waits for x. */
static orr_err fail_next(struct reader *r, const struct orr_graph_task *x,
                         uint32_t k, const char *fmt, uint64_t a, uint64_t b)
{
    char text[200];
    /* NOLINTNEXTLINE(clang-diagnostic-format-nonliteral): of this file */
    snprintf(text, sizeof text, fmt, a, b);
    return orr__fail_at(r->why, ORR_ECONFIG, r->t->file, x->line,
                        r->t->next[x->next + k].col, "%s", text);
}

/* Whether task y can wait for x: what x does must end where y begins. */
static orr_err check_edge(struct reader *r, const struct orr_graph_task *x,
                          uint32_t k, const struct orr_graph_task *y)
{
    if (y->kind == ORR_TASK_ALL_REDUCE) {
        if (orr__graph_task_has(r->t, y, x->to))
            return ORR_OK;
        return fail_next(r, x, k,
                         "all-reduce %" PRIu64 " waits for this task on node "
                         "%" PRIu64 ", which takes no part in it",
                         y->id, x->to);
    }
    if (y->from == x->to)
        return ORR_OK;
    return fail_next(r, x, k,
                     "task %" PRIu64 " begins on node %" PRIu64
                     ": a transfer to that node is missing in between",
                     y->id, y->from);
}

/* Ids become numbers of tasks. */
static orr_err find_next(struct reader *r)
{
    struct orr_task_graph *t = r->t;
    orr_err err = ORR_OK;
    for (uint32_t i = 0; i < t->n && !err; i++) {
        const struct orr_graph_task *x = &t->task[i];
        if (x->kind == ORR_TASK_ALL_REDUCE)
            continue;
        for (uint32_t k = 0; k < x->nexts && !err; k++) {
            ORR_ASSERT(r->id != NULL); /* all of next[] have one */
            uint32_t y = orr__table_find(&r->by_id, r->id[x->next + k]);
            if (y == ORR_NONE)
                return fail_next(r, x, k,
                                 "there is no task %" PRIu64 " in %" PRIu64
                                 " lines of tasks",
                                 r->id[x->next + k], t->n);
            t->next[x->next + k].number = y;
            err = check_edge(r, x, k, &t->task[y]);
        }
    }
    return err;
}

/* The numbers of tasks that wait for one, or the one's own. */
static void count_waits(const struct orr_task_graph *t, uint32_t *waits)
{
    for (uint32_t i = 0; i < t->n; i++)
        for (uint32_t k = 0; k < t->task[i].nexts; k++)
            if (t->task[i].kind != ORR_TASK_ALL_REDUCE)
                waits[t->next[t->task[i].next + k].number]++;
}

/* Takes off all that waits for nothing, from list[0 .. n) on; returns how many
 * that were. */
static uint32_t take_off(const struct orr_task_graph *t, uint32_t *waits,
                         uint32_t *list)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->n; i++)
        if (waits[i] == 0)
            list[n++] = i;
    for (uint32_t at = 0; at < n; at++) {
        const struct orr_graph_task *x = &t->task[list[at]];
        for (uint32_t k = 0; k < x->nexts; k++) {
            uint32_t y = t->next[x->next + k].number;
            if (x->kind != ORR_TASK_ALL_REDUCE && --waits[y] == 0)
                list[n++] = y;
        }
    }
    return n;
}

/* A task on a circle: from any that is left, back and back again. list is
 * scratch. */
static orr_err fail_circle(struct reader *r, const uint32_t *waits,
                           uint32_t *list)
{
    const struct orr_task_graph *t = r->t;
    uint32_t at = 0;
    for (uint32_t i = 0; i < t->n; i++) {
        if (waits[i] == 0)
            continue;
        at = i;
        for (uint32_t k = 0; k < t->task[i].nexts; k++)
            if (t->task[i].kind != ORR_TASK_ALL_REDUCE)
                list[t->next[t->task[i].next + k].number] = i;
    }
    for (uint32_t i = 0; i < t->n; i++)
        at = list[at];
    return orr__fail_at(r->why, ORR_ECONFIG, t->file, t->task[at].line, 1,
                        "task %" PRIu64 " waits for itself, by way of task "
                        "%" PRIu64,
                        t->task[at].id, t->task[list[at]].id);
}

/* ECONFIG at a task that waits for itself. */
static orr_err check_circles(struct reader *r)
{
    const struct orr_task_graph *t = r->t;
    uint32_t *waits = orr__alloc(t->n, sizeof *waits);
    uint32_t *list = orr__alloc(t->n, sizeof *list);
    orr_err err = waits && list ? ORR_OK : orr__no_memory(r->why);
    if (!err) {
        count_waits(t, waits);
        if (take_off(t, waits, list) < t->n)
            err = fail_circle(r, waits, list);
    }
    orr__free(waits);
    orr__free(list);
    return err;
}

bool orr__task_graph_is_flat(const char *file)
{
    size_t n = strlen(file);
    return n > 5 && strcmp(file + n - 5, ".fbuf") == 0;
}

/* ---- the flatbuffer ------------------------------------------------------ */

/* Where something stands in a flatbuffer; all of it is checked before it is
 * read. */
struct flat {
    struct reader r;
    const uint8_t *at;
    size_t size;
    uint64_t nodes; /* and switches, by which pairs of nodes are numbered */
    struct orr_table device; /* by id: an index of from[] and to[] */
    uint32_t *from, *to;     /* per device; owned */
    uint32_t devices;
};

static orr_err fail_flat(struct flat *f, const char *what)
{
    return orr__fail_at(f->r.why, ORR_ECONFIG, f->r.t->file, 0, 0,
                        "no task graph of FlexFlow's: %s", what);
}

/* A number of `size` bytes, lowest first; 0 beyond the end, which sets *bad. */
static uint64_t number_at(const struct flat *f, uint64_t at, unsigned size,
                          bool *bad)
{
    uint64_t x = 0;
    if (at > f->size || f->size - at < size) {
        *bad = true;
        return 0;
    }
    for (unsigned i = size; i-- > 0;)
        x = x << 8 | f->at[at + i];
    return x;
}

/* Where the i-th field of a table stands; 0: it has its default. */
static uint64_t field_of(const struct flat *f, uint64_t table, unsigned i,
                         bool *bad)
{
    int64_t back = (int32_t)number_at(f, table, 4, bad);
    int64_t vtable = (int64_t)table - back;
    if (vtable < 0)
        *bad = true;
    if (*bad)
        return 0;
    uint64_t length = number_at(f, (uint64_t)vtable, 2, bad);
    if (length < 6 + 2 * (uint64_t)i)
        return 0;
    uint64_t offset = number_at(f, (uint64_t)vtable + 4 + 2 * i, 2, bad);
    return offset ? table + offset : 0;
}

/* A field's number; 0: its default. */
static uint64_t scalar_of(const struct flat *f, uint64_t table, unsigned i,
                          unsigned size, bool *bad)
{
    uint64_t at = field_of(f, table, i, bad);
    return at ? number_at(f, at, size, bad) : 0;
}

/* The first element of a vector of elements of `size` bytes, and how many. */
static uint64_t vector_of(const struct flat *f, uint64_t table, unsigned i,
                          unsigned size, uint32_t *n, bool *bad)
{
    uint64_t at = field_of(f, table, i, bad);
    *n = 0;
    if (!at)
        return 0;
    at += number_at(f, at, 4, bad);
    uint64_t count = number_at(f, at, 4, bad);
    if (*bad || count > (f->size - at) / size) {
        *bad = true;
        return 0;
    }
    *n = (uint32_t)count;
    return at + 4;
}

/* The i-th table of a vector of them. */
static uint64_t table_of(const struct flat *f, uint64_t vector, uint32_t i,
                         bool *bad)
{
    uint64_t at = vector + 4 * (uint64_t)i;
    return at + number_at(f, at, 4, bad);
}

/* FlexFlow's enum DeviceType: those between two nodes. */
enum { NETWORK = 13, NOMINAL = 14 };

/* One device: a node, or two. */
static orr_err read_device(struct flat *f, uint64_t table)
{
    bool bad = false;
    uint64_t type = scalar_of(f, table, 0, 2, &bad);
    uint64_t id = scalar_of(f, table, 1, 8, &bad);
    uint64_t node = scalar_of(f, table, 2, 8, &bad);
    uint64_t pair = scalar_of(f, table, 3, 8, &bad);
    bool between = type == NETWORK || type == NOMINAL;
    uint64_t from = between ? pair / f->nodes : node;
    uint64_t to = between ? pair % f->nodes : node;
    uint32_t most = f->r.limit ? f->r.limit : MOST_NODES;
    if (bad)
        return fail_flat(f, "a device is cut off");
    if (from >= most || to >= most)
        return orr__fail_at(f->r.why, ORR_ECONFIG, f->r.t->file, 0, 0,
                            "device %" PRIu64 " is of node %" PRIu64
                            ": nodes are 0 to %u here",
                            id, from >= most ? from : to, most - 1);
    if (orr__table_find(&f->device, id) != ORR_NONE)
        return fail_flat(f, "two devices have one id");
    f->from[f->devices] = (uint32_t)from;
    f->to[f->devices] = (uint32_t)to;
    return orr__table_add(&f->device, id, f->devices++)
               ? ORR_OK
               : orr__no_memory(f->r.why);
}

/* All of them; nodes of the graph. */
static orr_err read_devices(struct flat *f, uint64_t root)
{
    uint32_t n;
    bool bad = false;
    uint64_t vector = vector_of(f, root, 9, 4, &n, &bad);
    f->nodes = scalar_of(f, root, 1, 4, &bad) + scalar_of(f, root, 2, 4, &bad);
    f->from = orr__alloc(n, sizeof *f->from);
    f->to = orr__alloc(n, sizeof *f->to);
    if (!f->from || !f->to)
        return orr__no_memory(f->r.why);
    if (bad || f->nodes == 0)
        return fail_flat(f, "its devices are cut off, or it has no nodes");
    orr_err err = ORR_OK;
    for (uint32_t i = 0; i < n && !err; i++) {
        uint64_t table = table_of(f, vector, i, &bad);
        err = bad ? fail_flat(f, "its devices are cut off")
                  : read_device(f, table);
    }
    return err;
}

/* Where a task takes place. */
static orr_err set_place(struct flat *f, struct orr_graph_task *x,
                         uint64_t device, bool transfer)
{
    uint32_t i = orr__table_find(&f->device, device);
    if (i == ORR_NONE)
        return orr__fail_at(f->r.why, ORR_ECONFIG, f->r.t->file, 0, 0,
                            "task %" PRIu64 ": there is no device %" PRIu64,
                            x->id, device);
    x->from = f->from[i];
    x->to = f->to[i];
    x->kind =
        transfer && x->from != x->to ? ORR_TASK_TRANSFER : ORR_TASK_COMPUTE;
    if (x->kind == ORR_TASK_COMPUTE)
        x->to = x->from;
    uint32_t last = x->from > x->to ? x->from : x->to;
    f->r.t->nodes = last >= f->r.t->nodes ? last + 1 : f->r.t->nodes;
    return ORR_OK;
}

/* What a task's vector holds: nodes of an all-reduce, or ids of tasks. */
static orr_err read_numbers_of(struct flat *f, struct orr_graph_task *x,
                               uint64_t table)
{
    struct orr_task_graph *t = f->r.t;
    bool bad = false;
    uint32_t n, most = f->r.limit ? f->r.limit : MOST_NODES;
    uint64_t vector = vector_of(f, table, 5, 8, &n, &bad);
    x->next = t->nexts;
    for (uint32_t i = 0; i < n && !bad; i++) {
        uint64_t id = number_at(f, vector + 8 * (uint64_t)i, 8, &bad);
        bool reduces = x->kind == ORR_TASK_ALL_REDUCE;
        if (reduces && id >= most)
            return fail_flat(f, "an all-reduce has a node that is not there");
        if (!orr__array_more(t->next, t->next_room, t->nexts)
            || !orr__array_more(f->r.id, f->r.id_room, t->nexts))
            return orr__no_memory(f->r.why);
        orr_err err = reduces ? see_node(&f->r, (uint32_t)id) : ORR_OK;
        if (err)
            return err;
        t->next[t->nexts] =
            (struct orr_graph_next){reduces ? (uint32_t)id : 0, 0};
        f->r.id[t->nexts++] = id;
        if (reduces && id >= t->nodes)
            t->nodes = (uint32_t)id + 1;
    }
    x->nexts = t->nexts - x->next;
    if (bad || (x->kind == ORR_TASK_ALL_REDUCE && x->nexts == 0))
        return fail_flat(f, "what waits for a task is cut off");
    return ORR_OK;
}

/* Milliseconds as a float. */
static bool take_time(struct orr_graph_task *x, uint32_t bits)
{
    float ms;
    memcpy(&ms, &bits, sizeof ms);
    if (!(ms >= 0 && (double)ms <= (double)ORR_HORIZON / ORR_MS))
        return false;
    x->ps = (int64_t)((double)ms * ORR_MS + 0.5);
    return true;
}

/* FlexFlow's enum SimTaskType. */
enum { COMM = 2, NOMINAL_COMM = 5, ALL_REDUCE = 6 };

/* One task; ids of tasks are looked up when all are there. */
static orr_err read_flat_task(struct flat *f, uint64_t table)
{
    struct orr_task_graph *t = f->r.t;
    bool bad = false;
    uint64_t type = scalar_of(f, table, 0, 2, &bad);
    uint64_t device = scalar_of(f, table, 2, 8, &bad);
    struct orr_graph_task x = {.id = scalar_of(f, table, 1, 8, &bad),
                               .bytes = scalar_of(f, table, 4, 8, &bad),
                               .kind = ORR_TASK_ALL_REDUCE,
                               .from = ORR_NONE,
                               .to = ORR_NONE};
    if (!take_time(&x, (uint32_t)scalar_of(f, table, 3, 4, &bad)) || bad
        || type > ALL_REDUCE || x.bytes > UINT64_C(1) << 60)
        return fail_flat(f, "a task is cut off, or its numbers cannot be");
    if (t->n >= MOST_TASKS || orr__table_find(&f->r.by_id, x.id) != ORR_NONE)
        return fail_flat(f, "two tasks have one id, or there are too many");
    orr_err err = ORR_OK;
    if (type != ALL_REDUCE)
        err = set_place(f, &x, device, type == COMM || type == NOMINAL_COMM);
    if (!err)
        err = read_numbers_of(f, &x, table);
    if (err)
        return err;
    if (!orr__table_add(&f->r.by_id, x.id, t->n)
        || !orr__array_more(t->task, t->room, t->n))
        return orr__no_memory(f->r.why);
    t->all_reduces += x.kind == ORR_TASK_ALL_REDUCE;
    t->task[t->n++] = x;
    return ORR_OK;
}

/* All of them. */
static orr_err read_flat_tasks(struct flat *f, uint64_t root)
{
    uint32_t n;
    bool bad = false;
    uint64_t vector = vector_of(f, root, 8, 4, &n, &bad);
    orr_err err = bad || n == 0 ? fail_flat(f, "it has no tasks") : ORR_OK;
    for (uint32_t i = 0; i < n && !err; i++) {
        uint64_t table = table_of(f, vector, i, &bad);
        err = bad ? fail_flat(f, "its tasks are cut off")
                  : read_flat_task(f, table);
    }
    return err;
}

/* All of a flatbuffer. */
static orr_err read_flat(const char *file, const void *bytes, size_t length,
                         uint32_t nodes, struct orr_task_graph *out,
                         struct orr_report *why)
{
    struct flat f = {.r = {.t = out, .limit = nodes, .why = why},
                     .at = bytes,
                     .size = length};
    bool bad = false;
    *out = (struct orr_task_graph){.file = orr__strdup(file)};
    if (!out->file)
        return orr__no_memory(why);
    uint64_t root = number_at(&f, 0, 4, &bad);
    orr_err err = bad ? fail_flat(&f, "it is too short") : ORR_OK;
    if (!err)
        err = read_devices(&f, root);
    if (!err)
        err = read_flat_tasks(&f, root);
    if (!err)
        err = find_next(&f.r);
    if (!err)
        err = check_circles(&f.r);
    orr__table_fini(&f.r.by_id);
    orr__table_fini(&f.device);
    orr__free(f.r.id);
    orr__free(f.r.seen);
    orr__free(f.from);
    orr__free(f.to);
    return err;
}

orr_err orr__task_graph_read(const char *file, const char *text, size_t length,
                             uint32_t nodes, struct orr_task_graph *out,
                             struct orr_report *why)
{
    struct reader r = {.t = out, .limit = nodes, .why = why};
    if (orr__task_graph_is_flat(file))
        return read_flat(file, text, length, nodes, out, why);
    *out = (struct orr_task_graph){.file = orr__strdup(file)};
    if (!out->file)
        return orr__no_memory(why);
    orr_err err = orr__scan_text(&r.s, file, text, length, why);
    if (err)
        return err;
    r.s.comment = '#';
    while (!err && orr__scan_word(&r.s))
        err = read_task(&r);
    if (!err && out->n == 0)
        err = orr__scan_fail(&r.s, "there is no task in this file");
    if (!err)
        err = find_next(&r);
    if (!err)
        err = check_circles(&r);
    orr__scan_fini(&r.s);
    orr__table_fini(&r.by_id);
    orr__free(r.id);
    orr__free(r.seen);
    return err;
}
