/* What ranks did over time: at each moment a rank computes, communicates, does
 * both or waits. From the spans of its operations. */
#include "study/report/view.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/assert.h"
#include "core/memory.h"
#include "core/text.h"
#include "core/units.h"

enum { IDLE = 0, COMPUTES = 1, COMMUNICATES = 2 }; /* both: 3 */
enum { KIND_WAIT, KIND_COMPUTE };

/* Columns of /operations, of equal length. */
struct columns {
    uint32_t *job, *rank;
    uint8_t *kind;
    int64_t *start, *end;
    uint64_t n;
};

/* A moment at which something begins or ends. */
struct edge {
    int64_t at;
    int8_t computes, communicates; /* +1, -1, 0 */
};

/* What a rank does from start to end, ps. */
struct state {
    int64_t start, end;
    int what;
};

static int by_time(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

/* Freed by the caller even after an error. */
static orr_err read_columns(struct orr_reader *r, struct columns *c,
                            struct orr_report *why)
{
    const struct {
        const char *path;
        enum orr_record_type type;
        void **to;
    } part[] = {
        {"operations/job", ORR_RECORD_U32, (void **)&c->job},
        {"operations/rank", ORR_RECORD_U32, (void **)&c->rank},
        {"operations/kind", ORR_RECORD_U8, (void **)&c->kind},
        {"operations/start", ORR_RECORD_I64, (void **)&c->start},
        {"operations/end", ORR_RECORD_I64, (void **)&c->end},
    };
    orr_err err = ORR_OK;
    for (size_t i = 0; i < sizeof part / sizeof *part && !err; i++) {
        uint64_t n = 0;
        err = orr__reader_column(r, part[i].path, part[i].type, part[i].to, &n,
                                 why);
        if (!err && i > 0 && n != c->n)
            err = orr__fail(why, ORR_ECONFIG,
                            "%s: columns of /operations are "
                            "of different lengths",
                            orr__reader_name(r));
        c->n = n;
    }
    return err;
}

/* The states of rows [from, to), one rank; room for 2 * (to - from). */
static size_t sweep_edges(const struct columns *c, uint64_t from, uint64_t to,
                          int64_t last, struct edge *edge, struct state *state)
{
    size_t edges = 0, n = 0;
    int computes = 0, communicates = 0;
    for (uint64_t i = from; i < to; i++) {
        int64_t end = c->end[i] < 0 ? last : c->end[i];
        bool compute = c->kind[i] == KIND_COMPUTE;
        if (c->kind[i] == KIND_WAIT || end <= c->start[i])
            continue;
        edge[edges++] = (struct edge){c->start[i], compute, !compute};
        edge[edges++] =
            (struct edge){end, (int8_t)-compute, (int8_t) - !compute};
    }
    qsort(edge, edges, sizeof *edge, by_time);
    for (size_t i = 0; i < edges; i++) {
        computes += edge[i].computes;
        communicates += edge[i].communicates;
        int what =
            (computes ? COMPUTES : IDLE) | (communicates ? COMMUNICATES : IDLE);
        int64_t end = i + 1 < edges ? edge[i + 1].at : edge[i].at;
        if (end == edge[i].at || what == IDLE)
            continue;
        if (n && state[n - 1].what == what && state[n - 1].end == edge[i].at)
            state[n - 1].end = end;
        else
            state[n++] = (struct state){edge[i].at, end, what};
    }
    return n;
}

/* Makes one of those that are less than `grain` apart or long. */
static size_t coarsen(struct state *s, size_t n, int64_t grain)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        struct state *before = kept ? &s[kept - 1] : NULL;
        bool same = before && before->what == s[i].what;
        bool tiny = s[i].end - s[i].start < grain;
        if (before && s[i].start - before->end < grain && (same || tiny))
            before->end = s[i].end;
        else
            s[kept++] = s[i];
    }
    return kept;
}

/* Start, end (s), what, in one list; NULL: no memory. */
static json_t *spans_of(const struct state *s, size_t n)
{
    double *x = orr__alloc(3 * n, sizeof *x);
    if (!x)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        x[3 * i] = (double)s[i].start / (double)ORR_S;
        x[3 * i + 1] = (double)s[i].end / (double)ORR_S;
        x[3 * i + 2] = s[i].what;
    }
    json_t *list = orr__view_doubles(x, 3 * n);
    orr__free(x);
    return list;
}

/* A rank's row; where there are too many spans, short ones are taken together
 * until they fit. */
static orr_err add_rank(json_t *rows, const struct columns *c, uint64_t from,
                        uint64_t to, int64_t last, size_t most,
                        struct orr_report *why)
{
    size_t room = 2 * (size_t)(to - from);
    ORR_ASSERT(from < to && to <= c->n);
    struct edge *edge = orr__alloc(room, sizeof *edge);
    struct state *state = orr__alloc(room, sizeof *state);
    json_t *row = json_object();
    orr_err err = edge && state && row ? ORR_OK : orr__no_memory(why);
    if (!err) {
        size_t n = sweep_edges(c, from, to, last, edge, state);
        for (int64_t grain = last / 20000 + 1; n > most && grain < last;
             grain *= 2)
            n = coarsen(state, n, grain);
        err = orr__view_put(row, "spans", spans_of(state, n), why);
    }
    if (!err)
        err = orr__view_put(row, "job", json_integer(c->job[from]), why);
    if (!err)
        err = orr__view_put(row, "rank", json_integer(c->rank[from]), why);
    orr__free(edge);
    orr__free(state);
    if (err)
        json_decref(row);
    else if (json_array_append_new(rows, row) != 0)
        err = orr__no_memory(why);
    return err;
}

/* The end of the last operation. */
static int64_t last_of(const struct columns *c)
{
    int64_t last = 0;
    for (uint64_t i = 0; i < c->n; i++) {
        int64_t t = c->end[i] > c->start[i] ? c->end[i] : c->start[i];
        last = t > last ? t : last;
    }
    return last;
}

/* ---- which ranks -------------------------------------------------------- */

/* A rank's part of the rows. */
struct rank {
    uint64_t from, to; /* its rows */
    int64_t computes;  /* time in all, ps */
    bool shown;
};

/* All ranks, and how many are shown. */
struct ranks {
    struct rank *rank; /* in the order of the rows */
    uint32_t n, room, shown;
};

static int64_t computes(const struct columns *c, const struct rank *r,
                        int64_t last)
{
    int64_t sum = 0;
    for (uint64_t i = r->from; i < r->to; i++)
        if (c->kind[i] == KIND_COMPUTE)
            sum += (c->end[i] < 0 ? last : c->end[i]) - c->start[i];
    return sum;
}

/* Rows of one rank follow one another, ranks of a job too. */
static orr_err find_ranks(const struct columns *c, int64_t last,
                          struct ranks *all, struct orr_report *why)
{
    for (uint64_t i = 0, end; i < c->n; i = end) {
        struct rank *r;
        for (end = i; end < c->n && c->job[end] == c->job[i]
                      && c->rank[end] == c->rank[i];
             end++)
            ;
        if (!orr__array_more(all->rank, all->room, all->n))
            return orr__no_memory(why);
        r = &all->rank[all->n++];
        *r = (struct rank){.from = i, .to = end};
        r->computes = computes(c, r, last);
    }
    return ORR_OK;
}

/* Shows so many of a job's n ranks: those that compute longest, as all wait for
 * them, for half of the rows, and the first ones. */
static void choose(struct ranks *all, struct rank *of, uint32_t n,
                   uint32_t each)
{
    uint32_t slow = n > each ? (each + 1) / 2 : 0, shown = slow;
    for (uint32_t k = 0; k < slow; k++) {
        uint32_t slowest = n;
        for (uint32_t i = 0; i < n; i++)
            if (!of[i].shown
                && (slowest == n || of[i].computes > of[slowest].computes))
                slowest = i;
        ORR_ASSERT(slowest < n); /* fewer than n are shown */
        of[slowest].shown = true;
    }
    for (uint32_t i = 0; i < n && shown < each; i++) {
        shown += !of[i].shown;
        of[i].shown = true;
    }
    all->shown += shown;
}

/* Returns how many of a job are shown at most. */
static uint32_t choose_all(struct ranks *all, const struct columns *c)
{
    const struct rank *r = all->rank;
    uint32_t jobs = 0, each;
    for (uint32_t i = 0; i < all->n; i++)
        jobs += i == 0 || c->job[r[i].from] != c->job[r[i - 1].from];
    each = jobs && jobs < ORR_VIEW_ROWS ? ORR_VIEW_ROWS / jobs : 1;
    each = each > 8 ? 8 : each;
    for (uint32_t i = 0, end; i < all->n; i = end) {
        for (end = i; end < all->n && c->job[r[end].from] == c->job[r[i].from];
             end++)
            ;
        choose(all, &all->rank[i], end - i, each);
    }
    return jobs * each;
}

/* What a picture says about those that it leaves out, if it does. */
static orr_err put_note(struct orr_reader *r, json_t *to,
                        const struct ranks *all, struct orr_report *why)
{
    uint32_t *ranks = NULL;
    uint64_t jobs = 0, n = 0;
    const char *rest = ", of each job those that computed longest and the "
                       "first";
    char *note;
    orr_err err = ORR_OK;
    if (orr__reader_has(r, "jobs/ranks")) /* without servers */
        err = orr__reader_column(r, "jobs/ranks", ORR_RECORD_U32,
                                 (void **)&ranks, &jobs, why);
    for (uint64_t i = 0; i < jobs && !err; i++)
        n += ranks[i];
    orr__free(ranks);
    n = n > all->n ? n : all->n;
    if (err || all->n == 0 || all->shown == n)
        return err;
    if (all->shown == all->n)
        rest = ": the others are not on record";
    else if (all->n < n)
        rest = ", of each job those on record that computed longest and the "
               "first";
    note = orr__format("%u of %llu ranks%s", all->shown, (unsigned long long)n,
                       rest);
    if (!note)
        return orr__no_memory(why);
    err = orr__view_put(to, "gantt_note", orr__view_text(note), why);
    orr__free(note);
    return err;
}

/* Those chosen, with as many spans each as the page has room for. */
static orr_err add_ranks(struct orr_reader *r, json_t *to, json_t *rows,
                         const struct columns *c, struct orr_report *why)
{
    struct ranks all = {.n = 0};
    int64_t last = last_of(c);
    orr_err err = find_ranks(c, last, &all, why);
    size_t most = 0;
    if (!err)
        most = ORR_VIEW_SPANS / (size_t)(choose_all(&all, c) + 1);
    for (uint32_t i = 0; i < all.n && !err; i++)
        if (all.rank[i].shown)
            err = add_rank(rows, c, all.rank[i].from, all.rank[i].to, last,
                           most, why);
    if (!err)
        err = put_note(r, to, &all, why);
    orr__free(all.rank);
    return err;
}

orr_err orr__view_gantt(struct orr_reader *r, json_t *to,
                        struct orr_report *why)
{
    struct columns c = {.n = 0};
    json_t *rows = json_array();
    orr_err err = rows ? ORR_OK : orr__no_memory(why);
    if (!err && orr__reader_has(r, "operations/start"))
        err = read_columns(r, &c, why);
    if (!err)
        err = add_ranks(r, to, rows, &c, why);
    orr__free(c.job);
    orr__free(c.rank);
    orr__free(c.kind);
    orr__free(c.start);
    orr__free(c.end);
    if (err) {
        json_decref(rows);
        return err;
    }
    return orr__view_put(to, "gantt", rows, why);
}
