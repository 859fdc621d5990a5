/* A process a job, a thread a rank's stream of computations, or a lane of what
 * it communicates: what overlaps on a rank stands on lanes of its own. The
 * format: "Trace Event Format" of the Chromium project; times in us. */
#include "study/timeline.h"
#include "core/assert.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/json.h"
#include "core/memory.h"
#include "core/text.h"
#include "core/units.h"
#include "record/link_loads.h"
#include "record/record_links.h"

enum { LANES = 64 };   /* of a rank; what overlaps more shares the last */
enum { STREAMS = 64 }; /* as many again for computations */
enum { KIND_WAIT, KIND_COMPUTE, KIND_SEND, KIND_RECV };

/* A column of /operations. */
struct column {
    const char *name;
    enum orr_record_type type;
    size_t offset;
};

struct rows { /* of /operations: those of a rank follow one another by start */
    uint64_t n;
    uint32_t *job, *rank, *iteration, *operation, *stream;
    uint8_t *kind;
    int64_t *peer, *tag, *start, *end;
    uint64_t *bytes;
    char **kinds; /* their names */
    uint32_t n_kinds;
};

/* The file being written. */
struct trace {
    FILE *out;
    bool more, no_memory;
};

/* ---- writing ------------------------------------------------------------ */

static void begin_event(struct trace *t)
{
    fputs(t->more ? ",\n" : "", t->out);
    t->more = true;
}

/* Picoseconds as us, exact, without zeros at the end. */
static void put_us(struct trace *t, int64_t ps)
{
    int64_t whole = ps / ORR_US, rest = ps % ORR_US;
    fprintf(t->out, "%" PRId64, whole);
    if (rest == 0)
        return;
    char digits[8];
    snprintf(digits, sizeof digits, "%06" PRId64, rest);
    for (int i = 5; i > 0 && digits[i] == '0'; i--)
        digits[i] = '\0';
    fprintf(t->out, ".%s", digits);
}

static void put_text(struct trace *t, const char *s)
{
    struct orr_text text = {NULL};
    orr__json_string(&text, s);
    char *quoted = orr__text_done(&text);
    fputs(quoted ? quoted : "\"\"", t->out);
    t->no_memory |= !quoted;
    orr__free(quoted);
}

/* What a process or a thread is called, and where it stands: viewers would put
 * processes in the order of their names. */
static void put_name(struct trace *t, const char *what, uint32_t pid,
                     uint64_t tid, const char *name)
{
    begin_event(t);
    fprintf(t->out,
            "{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%u,\"tid\":%" PRIu64
            ",\"args\":{\"name\":",
            what, pid, tid);
    put_text(t, name);
    fputs("}}", t->out);
    bool thread = strcmp(what, "thread_name") == 0;
    begin_event(t);
    fprintf(t->out,
            "{\"ph\":\"M\",\"name\":\"%s_sort_index\",\"pid\":%u,"
            "\"tid\":%" PRIu64 ",\"args\":{\"sort_index\":%" PRIu64 "}}",
            thread ? "thread" : "process", pid, tid, thread ? tid : pid);
}

/* ---- reading ------------------------------------------------------------ */

static const struct column columns[] = {
    {"job", ORR_RECORD_U32, offsetof(struct rows, job)},
    {"rank", ORR_RECORD_U32, offsetof(struct rows, rank)},
    {"iteration", ORR_RECORD_U32, offsetof(struct rows, iteration)},
    {"operation", ORR_RECORD_U32, offsetof(struct rows, operation)},
    {"stream", ORR_RECORD_U32, offsetof(struct rows, stream)},
    {"kind", ORR_RECORD_U8, offsetof(struct rows, kind)},
    {"peer", ORR_RECORD_I64, offsetof(struct rows, peer)},
    {"tag", ORR_RECORD_I64, offsetof(struct rows, tag)},
    {"start", ORR_RECORD_I64, offsetof(struct rows, start)},
    {"end", ORR_RECORD_I64, offsetof(struct rows, end)},
    {"bytes", ORR_RECORD_U64, offsetof(struct rows, bytes)},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static void **at_column(struct rows *x, int i)
{
    return (void **)((char *)x + columns[i].offset);
}

/* The words of an attribute, in place. */
static orr_err read_kinds(struct orr_reader *r, struct rows *x,
                          struct orr_report *why)
{
    char *text, *rest, *word;
    orr_err err =
        orr__reader_text(r, "operations/kind", "flag_meanings", &text, why);
    if (err)
        return err;
    x->kinds = orr__alloc(256, sizeof *x->kinds);
    if (!x->kinds)
        err = orr__no_memory(why);
    word = text && !err ? strtok_r(text, " ", &rest) : NULL;
    for (; word && x->n_kinds < 256 && !err; word = strtok_r(NULL, " ", &rest))
        if (!(x->kinds[x->n_kinds++] = orr__strdup(word)))
            err = orr__no_memory(why);
    orr__free(text);
    return err;
}

/* Freed by the caller even after an error. */
static orr_err read_rows(struct orr_reader *r, struct rows *x,
                         struct orr_report *why)
{
    char path[64];
    orr_err err = ORR_OK;
    if (orr__reader_has(r, "cluster_jobs/job"))
        return orr__fail(why, ORR_ECONFIG,
                         "%s is a cluster: what its ranks "
                         "did is not recorded; `orrery report` and `orrery "
                         "plot` show who had which GPUs",
                         orr__reader_name(r));
    if (!orr__reader_has(r, "operations/start"))
        return orr__fail(why, ORR_ECONFIG,
                         "%s has no /operations: the run "
                         "did not end, or it is of an older version",
                         orr__reader_name(r));
    for (int i = 0; i < COLUMNS && !err; i++) {
        uint64_t n;
        snprintf(path, sizeof path, "operations/%s", columns[i].name);
        err = orr__reader_column(r, path, columns[i].type, at_column(x, i), &n,
                                 why);
        if (!err && i > 0 && n != x->n)
            err = orr__fail(why, ORR_ECONFIG,
                            "%s: columns of /operations are "
                            "of different lengths",
                            orr__reader_name(r));
        x->n = n;
    }
    return err ? err : read_kinds(r, x, why);
}

static void free_rows(struct rows *x)
{
    for (int i = 0; i < COLUMNS; i++)
        orr__free(*at_column(x, i));
    for (uint32_t i = 0; x->kinds && i < x->n_kinds; i++)
        orr__free(x->kinds[i]);
    orr__free(x->kinds);
}

/* ---- ranks -------------------------------------------------------------- */

static uint64_t thread_of(const struct rows *x, uint64_t row, uint32_t lane)
{
    return (uint64_t)x->rank[row] * (LANES + STREAMS) + lane;
}

/* The track of each row of one rank: computations by their stream, the rest on
 * the first lane that is free. used[]: which tracks there are. */
static void find_lanes(const struct rows *x, uint64_t from, uint64_t to,
                       uint8_t *lane, bool *used)
{
    int64_t busy[LANES] = {0};
    memset(used, 0, LANES + STREAMS);
    for (uint64_t i = from; i < to; i++) {
        uint32_t k = 0;
        if (x->kind[i] == KIND_COMPUTE) {
            k = x->stream[i] < STREAMS ? x->stream[i] : STREAMS - 1;
        } else {
            while (k < LANES - 1 && busy[k] > x->start[i])
                k++;
            busy[k] = x->end[i] < 0 ? INT64_MAX : x->end[i];
            k += STREAMS;
        }
        lane[i] = (uint8_t)k;
        used[k] = true;
    }
}

/* Names of a rank's threads, for those in use. */
static void name_lanes(struct trace *t, const struct rows *x, uint64_t row,
                       const bool *used)
{
    char name[64];
    for (uint32_t k = 0; k < LANES + STREAMS; k++) {
        uint32_t i = k < STREAMS ? k : k - STREAMS;
        if (!used[k])
            continue;
        snprintf(name, sizeof name, "rank %u %s", x->rank[row],
                 k < STREAMS ? "computes" : "communicates");
        if (i)
            snprintf(name + strlen(name), sizeof name - strlen(name), " (%u)",
                     i + 1);
        put_name(t, "thread_name", x->job[row], thread_of(x, row, k), name);
    }
}

/* An operation that did not end takes no time. */
static void put_span(struct trace *t, const struct rows *x, uint64_t i,
                     uint32_t lane)
{
    int64_t end = x->end[i] < 0 ? x->start[i] : x->end[i];
    ORR_ASSERT(i < x->n);
    if (end < x->start[i])
        end = x->start[i];
    begin_event(t);
    fputs("{\"ph\":\"X\",\"name\":", t->out);
    put_text(t, x->kind[i] < x->n_kinds ? x->kinds[x->kind[i]] : "?");
    fprintf(t->out, ",\"pid\":%u,\"tid\":%" PRIu64 ",\"ts\":", x->job[i],
            thread_of(x, i, lane));
    put_us(t, x->start[i]);
    fputs(",\"dur\":", t->out);
    put_us(t, end - x->start[i]);
    fprintf(t->out, ",\"args\":{\"iteration\":%u,\"operation\":%u",
            x->iteration[i], x->operation[i]);
    if (x->bytes[i])
        fprintf(t->out, ",\"bytes\":%" PRIu64, x->bytes[i]);
    if (x->peer[i] >= 0)
        fprintf(t->out, ",\"peer\":%" PRId64, x->peer[i]);
    fputs("}}", t->out);
}

/* ---- arrows ------------------------------------------------------------- */

/* A send or a receive, by what pairs them. */
struct message {
    uint32_t job, iteration;
    int64_t src, dst, tag;
    uint64_t row;
};

#define ORDER(field)                                                           \
    if (x->field != y->field)                                                  \
    return x->field < y->field ? -1 : 1
static int same_messages(const struct message *x, const struct message *y)
{
    ORDER(job);
    ORDER(iteration);
    ORDER(src);
    ORDER(dst);
    ORDER(tag);
    return 0;
}

static int by_message(const void *a, const void *b)
{
    const struct message *x = a, *y = b;
    int order = same_messages(x, y);
    if (order)
        return order;
    ORDER(row); /* rows of a rank are in order of time */
    return 0;
}

/* Sends or receives, sorted so that both ends have one place. */
static uint64_t messages_of(const struct rows *x, uint8_t kind,
                            struct message *m)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < x->n; i++)
        if (x->kind[i] == kind && x->end[i] >= 0)
            m[n++] = (struct message){
                x->job[i],
                x->iteration[i],
                kind == KIND_SEND ? x->rank[i] : x->peer[i],
                kind == KIND_SEND ? x->peer[i] : x->rank[i],
                x->tag[i],
                i,
            };
    qsort(m, n, sizeof *m, by_message);
    return n;
}

/* Viewers bind an arrow to what is under way at its time, which they hold in
 * whole ns: it ends before its receive does, where that takes any time. */
static int64_t arrow_end(const struct rows *x, uint64_t row)
{
    int64_t end = x->end[row] - 2 * ORR_NS;
    return end > x->start[row] ? end : x->start[row];
}

static void put_end(struct trace *t, const struct rows *x, uint64_t row,
                    const uint8_t *lane, uint64_t id, bool send)
{
    begin_event(t);
    fprintf(t->out,
            "{\"ph\":\"%s\",\"name\":\"message\",\"cat\":\"message\","
            "\"id\":%" PRIu64 ",\"pid\":%u,\"tid\":%" PRIu64 ",\"ts\":",
            send ? "s" : "f\",\"bp\":\"e", id, x->job[row],
            thread_of(x, row, lane[row]));
    put_us(t, send ? x->start[row] : arrow_end(x, row));
    fputc('}', t->out);
}

/* The k-th send of a tag between two ranks meets the k-th receive. */
static orr_err put_arrows(struct trace *t, const struct rows *x,
                          const uint8_t *lane, struct orr_report *why)
{
    struct message *s = orr__alloc(x->n, sizeof *s);
    struct message *r = orr__alloc(x->n, sizeof *r);
    orr_err err = s && r ? ORR_OK : orr__no_memory(why);
    uint64_t sends = err ? 0 : messages_of(x, KIND_SEND, s);
    uint64_t receives = err ? 0 : messages_of(x, KIND_RECV, r);
    for (uint64_t i = 0, k = 0, id = 1; i < sends && k < receives;) {
        int order = same_messages(&s[i], &r[k]);
        if (order == 0) {
            put_end(t, x, s[i].row, lane, id, true);
            put_end(t, x, r[k].row, lane, id++, false);
        }
        i += order <= 0;
        k += order >= 0;
    }
    orr__free(s);
    orr__free(r);
    return err;
}

/* Rows are sorted by job and rank; arrows go last. */
static orr_err put_ranks(struct trace *t, const struct rows *x,
                         struct orr_report *why)
{
    bool used[LANES + STREAMS];
    uint8_t *lane = orr__alloc(x->n, 1);
    if (!lane)
        return orr__no_memory(why);
    for (uint64_t i = 0, end; i < x->n; i = end) {
        for (end = i; end < x->n && x->job[end] == x->job[i]
                      && x->rank[end] == x->rank[i];
             end++)
            ;
        find_lanes(x, i, end, lane, used);
        name_lanes(t, x, i, used);
        for (uint64_t k = i; k < end; k++)
            put_span(t, x, k, lane[k]);
    }
    orr_err err = put_arrows(t, x, lane, why);
    orr__free(lane);
    return err;
}

/* ---- jobs and links ----------------------------------------------------- */

/* Names of processes. */
static orr_err put_jobs(struct trace *t, struct orr_reader *r,
                        struct orr_report *why)
{
    char **name;
    uint64_t n = 0;
    orr_err err = orr__reader_texts(r, "jobs/name", &name, &n, why);
    if (err)
        return err;
    for (uint32_t i = 0; i < n; i++)
        put_name(t, "process_name", i, 0, name[i]);
    orr__reader_free_texts(name, n);
    return ORR_OK;
}

/* Names and ids of /links. */
struct named {
    char **name;
    const uint64_t *id;
};

static const char *name_of(const void *named, uint64_t i)
{
    return ((const struct named *)named)->name[i];
}

static uint64_t id_of_named(const void *named, uint64_t i)
{
    return ((const struct named *)named)->id[i];
}

/* The columns of /links that are named. */
static orr_err named_links(struct orr_reader *r,
                           const struct orr_counters *want, uint32_t *b,
                           struct orr_report *why)
{
    char **name;
    void *id;
    uint64_t n, ids = 0;
    orr_err err = orr__record_link_names(r, "links/name", &name, &n, why);
    if (err)
        return err;
    err = orr__reader_column(r, "links/link", ORR_RECORD_U64, &id, &ids, why);
    const struct named of = {name, id};
    const struct orr_record_links all = {orr__reader_name(r), "that were used",
                                         n < ids ? n : ids,   name_of,
                                         id_of_named,         &of};
    for (size_t k = 0; k < want->links && !err; k++) {
        uint64_t row = 0;
        err = orr__record_find_link(&all, want->link[k], &row, why);
        b[k] = (uint32_t)row;
    }
    orr__free(id);
    orr__reader_free_texts(name, n);
    return err;
}

/* The columns of /links that a list of links shows first. */
static orr_err first_links(struct orr_reader *r, uint32_t *column, size_t n,
                           struct orr_report *why)
{
    struct orr_link_use *use;
    uint64_t links;
    orr_err err = orr__record_link_use(r, &use, &links, why);
    for (size_t i = 0; i < n && i < links && !err; i++)
        column[i] = use[i].column;
    orr__free(use);
    return err;
}

static void put_counter(struct trace *t, uint32_t pid, const char *name,
                        int64_t at, double value)
{
    begin_event(t);
    fprintf(t->out, "{\"ph\":\"C\",\"pid\":%u,\"name\":", pid);
    put_text(t, name);
    fputs(",\"ts\":", t->out);
    put_us(t, at);
    fprintf(t->out, ",\"args\":{\"value\":%.4g}}", value);
}

/* A counter of some columns of a table; what stays the same is not repeated. */
static orr_err put_table(struct trace *t, struct orr_reader *r,
                         const char *path, double scale, const char *unit,
                         const uint32_t *b, uint32_t links, uint32_t pid,
                         struct orr_report *why)
{
    uint64_t size[ORR_RECORD_SIDES], n, bins = 0;
    void *start;
    char **name = NULL;
    if (orr__reader_shape(r, path, size) != 2)
        return ORR_OK;
    orr_err err =
        orr__reader_column(r, "links/time", ORR_RECORD_I64, &start, &bins, why);
    if (err)
        return err;
    err = orr__record_link_names(r, "links/name", &name, &n, why);
    double *row = orr__alloc(size[1], sizeof *row);
    double *last = orr__alloc(links, sizeof *last);
    if (!err && (!row || !last))
        err = orr__no_memory(why);
    for (uint64_t i = 0; i < bins && i < size[0] && !err; i++) {
        err = orr__reader_rows(r, path, ORR_RECORD_F64, i, 1, row, why);
        for (uint32_t k = 0; k < links && !err; k++) {
            uint32_t c = b[k];
            char label[300];
            if (c >= n || (i && row[c] == last[k]))
                continue;
            snprintf(label, sizeof label, "%s, %s", name[c], unit);
            put_counter(t, pid, label, ((int64_t *)start)[i], scale * row[c]);
            last[k] = row[c];
        }
    }
    orr__free(start);
    orr__free(row);
    orr__free(last);
    orr__reader_free_texts(name, n);
    return err;
}

/* Counters of links, as a process behind all jobs. */
static orr_err put_links(struct trace *t, struct orr_reader *r,
                         const struct orr_counters *want,
                         struct orr_report *why)
{
    uint64_t size[ORR_RECORD_SIDES], jobs[ORR_RECORD_SIDES] = {0};
    size_t links = want->links ? want->links : want->busiest;
    if (links == 0)
        return ORR_OK;
    if (orr__reader_shape(r, "links/bytes", size) != 2 || size[1] == 0)
        return want->links ? orr__fail(why, ORR_ECONFIG,
                                       "%s has no links over "
                                       "time",
                                       orr__reader_name(r))
                           : ORR_OK;
    (void)orr__reader_shape(r, "jobs/job", jobs);
    uint32_t pid = (uint32_t)jobs[0]; /* behind all jobs */
    uint32_t *b = orr__alloc(size[1] + want->links, sizeof *b);
    if (!b)
        return orr__no_memory(why);
    put_name(t, "process_name", pid, 0, "links");
    if (!want->links && size[1] < links)
        links = size[1];
    orr_err err = want->links ? named_links(r, want, b, why)
                              : first_links(r, b, links, why);
    if (!err)
        err = put_table(t, r, orr__record_utilization(r), 100, "utilization %",
                        b, (uint32_t)links, pid, why);
    if (!err)
        err = put_table(t, r, "links/max_queue", 1, "queue B", b,
                        (uint32_t)links, pid, why);
    orr__free(b);
    return err;
}

orr_err orr__timeline(const char *file, const struct orr_counters *counters,
                      FILE *out, struct orr_report *why)
{
    struct orr_reader *r;
    struct rows x = {.n = 0};
    struct trace t = {.out = out};
    orr_err err = orr__reader_open(file, &r, why);
    if (err)
        return err;
    err = read_rows(r, &x, why);
    if (!err) {
        fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n", out);
        err = put_jobs(&t, r, why);
    }
    if (!err)
        err = put_ranks(&t, &x, why);
    if (!err)
        err = put_links(&t, r, counters, why);
    if (!err && t.no_memory)
        err = orr__no_memory(why);
    if (!err)
        err = orr__reader_sound(r, why);
    if (!err)
        fputs("\n]}\n", out);
    free_rows(&x);
    orr__reader_close(r);
    return err;
}
