#include "record/operations.h"

#include <stddef.h>
#include <stdlib.h>

#include "core/memory.h"
#include "record/rows.h"
#include "workload/job/job.h"
#include "workload/program/program.h"
#include "workload/rank/log.h"

/* ---- before ------------------------------------------------------------- */

/* Operations of the longest part over all iterations. */
static uint64_t operations_of(const struct orr_job *job)
{
    const struct orr_program *p = orr__job_program(job);
    uint64_t most = 1;
    for (uint32_t i = 0; i < p->parts; i++)
        if (most < p->part[i].ops)
            most = p->part[i].ops;
    return most * job->iterations;
}

/* A rank that is slower than it would be. */
struct slow {
    uint32_t rank;
    double factor;
};

static int by_factor(const void *a, const void *b)
{
    const struct slow *x = a, *y = b;
    if (x->factor != y->factor)
        return x->factor > y->factor ? -1 : 1;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/* Ranks that are slower than the rest on purpose, the slowest first, but rank
 * 0, which is kept as it is; free with orr__free. NULL: no memory. */
static struct slow *stragglers(const struct orr_job *job, uint32_t *n)
{
    struct slow *s = orr__alloc(job->ranks, sizeof *s);
    *n = 0;
    for (uint32_t i = 1; s && i < job->ranks; i++)
        if (orr__job_slower(job, i) > 1)
            s[(*n)++] = (struct slow){i, orr__job_slower(job, i)};
    if (s && *n > 1)
        qsort(s, *n, sizeof *s, by_factor);
    return s;
}

/* n of the ranks, ascending: rank 0, whom all wait for, and the first others.
 * NULL: no memory. */
static uint32_t *choose(const struct orr_job *job, const struct slow *slow,
                        uint32_t stragglers, uint32_t n)
{
    uint32_t *rank = orr__alloc(n, sizeof *rank), chosen = 0, left;
    bool *in = orr__alloc(job->ranks, sizeof *in);
    for (uint32_t i = 0; in && i < stragglers && i + 1 < n; i++)
        in[slow[i].rank] = true;
    for (uint32_t i = 0; in && i < job->ranks; i++)
        chosen += in[i];
    left = n - chosen;
    for (uint32_t i = 0; in && i < job->ranks && left > 0; i++) {
        left -= !in[i];
        in[i] = true;
    }
    chosen = 0;
    for (uint32_t i = 0; rank && in && i < job->ranks && chosen < n; i++)
        if (in[i])
            rank[chosen++] = i;
    if (!in) {
        orr__free(rank);
        rank = NULL;
    }
    orr__free(in);
    return rank;
}

/* The job is to log its operations: of all ranks, or of as many as there is
 * room for. */
static orr_err ask_job(struct orr_job *job, uint64_t most,
                       enum orr_operations which, struct orr_report *why)
{
    uint64_t each = operations_of(job), ranks = job->ranks;
    uint32_t events = UINT32_MAX - 1, n, *rank;
    struct slow *slow = stragglers(job, &n);
    if (which == ORR_OPERATIONS_AUTO) {
        uint64_t fit = most / each, least = n && ranks > 1 ? 2 : 1;
        ranks = fit < least ? least : fit < ranks ? fit : ranks;
        if (each > most / least)
            each = most / least ? most / least : 1;
    }
    if (2 * each < events)
        events = (uint32_t)(2 * each);
    rank = slow ? choose(job, slow, n, (uint32_t)ranks) : NULL;
    orr__free(slow);
    return rank ? orr__job_log(job, rank, (uint32_t)ranks, events, why)
                : orr__no_memory(why);
}

orr_err orr__operations_ask(struct orr_world *w, enum orr_operations which,
                            struct orr_report *why)
{
    orr_err err = ORR_OK;
    uint64_t most = w->n_jobs ? ORR_OPERATIONS_MOST / w->n_jobs : 0;
    most = most ? most : 1;
    for (uint32_t i = 0; i < w->n_jobs && !err; i++)
        if (which != ORR_OPERATIONS_NONE)
            err = ask_job(&w->jobs[i], most, which, why);
    return err;
}

/* ---- after -------------------------------------------------------------- */

/* A row of /operations; times in ps, -1 where an operation has no peer, tag or
 * stream. */
struct operation_row {
    uint32_t row, job, rank, iteration, operation;
    uint8_t kind;
    uint32_t stream;
    int64_t peer, tag;
    uint64_t bytes;
    int64_t start, end;
};

/* enum orr_op_kind, a collective by its own kind behind these. */
#define OP_NAME(id, name, traits) " " name
#define NAME(id, name)            " " name
static const char kinds[] =
    ORR_OP_KIND_LIST(OP_NAME) ORR_COLLECTIVE_KINDS(NAME);
#undef NAME
#undef OP_NAME

static const struct orr_row_field fields[] = {
    ORR_FIELD(operation_row, row, U32, "1", "row", NULL),
    ORR_FIELD(operation_row, job, U32, "1", "index of the job", NULL),
    ORR_FIELD(operation_row, rank, U32, "1", "rank in the job", NULL),
    ORR_FIELD(operation_row, iteration, U32, "1", "iteration of the job", NULL),
    ORR_FIELD(operation_row, operation, U32, "1",
              "index of the operation in the program", NULL),
    ORR_FIELD(operation_row, kind, U8, "1", "what it is", kinds + 1),
    ORR_FIELD(operation_row, stream, U32, "1",
              "stream of a computation, and of what keeps one", NULL),
    ORR_FIELD(operation_row, peer, I64, "1",
              "rank at the other end of a send or recv; -1: none", NULL),
    ORR_FIELD(operation_row, tag, I64, "1", "tag of a send or recv; -1: none",
              NULL),
    ORR_FIELD(operation_row, bytes, U64, "B",
              "payload of a send; size of a collective", NULL),
    ORR_FIELD(operation_row, start, I64, "ps",
              "it begins, for a computation: to compute", NULL),
    ORR_FIELD(operation_row, end, I64, "ps",
              "it is complete on this rank; -1: it is not", NULL),
};

struct cursor { /* over the logs of all jobs, and the spans of one */
    const struct orr_world *world;
    uint32_t job, rank, i, n; /* rank: the log after that of span[] */
    struct orr_log_span *span;
    bool failed;
};

/* The log of the next rank that has one. False: there is none. */
static bool next_rank(struct cursor *c)
{
    orr__free(c->span);
    c->span = NULL;
    c->i = c->n = 0;
    while (c->job < c->world->n_jobs
           && c->rank == c->world->jobs[c->job].n_logs) {
        c->job++;
        c->rank = 0;
    }
    if (c->job == c->world->n_jobs)
        return false;
    const struct orr_log *log = &c->world->jobs[c->job].log[c->rank++];
    c->failed = !orr__log_spans(log, &c->span, &c->n);
    return !c->failed;
}

/* Those that would have been noted too, had there been room. */
static uint64_t count_operations(const struct orr_world *w, uint64_t *missed)
{
    uint64_t n = 0;
    *missed = 0;
    for (uint32_t j = 0; j < w->n_jobs; j++)
        for (uint32_t r = 0; r < w->jobs[j].n_logs; r++) {
            const struct orr_log *log = &w->jobs[j].log[r];
            *missed += log->missed;
            for (uint32_t i = 0; i < log->n; i++)
                n += !(log->event[i].op & ORR_LOG_END);
        }
    return n;
}

static uint64_t bytes_of(const struct orr_program *p, const struct orr_op *op)
{
    if (!orr__op_has(op->kind, ORR_OP_TRANSMITS)
        || orr__op_has(op->kind, ORR_OP_JOINS))
        return 0;
    return orr__op_has(op->kind, ORR_OP_HAS_CALL) ? p->call[op->index].bytes
                                                  : op->bytes;
}

static uint8_t kind_of(const struct orr_program *p, const struct orr_op *op)
{
    return op->kind == ORR_OP_COLLECTIVE
               ? (uint8_t)(ORR_OP_KINDS + p->call[op->index].c.ops->kind)
               : op->kind;
}

/* The i-th operation; an orr_rows row. */
static void fill_row(void *from, uint64_t i, void *out)
{
    struct cursor *c = from;
    struct operation_row *x = out;
    while (!c->failed && c->i == c->n)
        if (!next_rank(c))
            c->failed = true;
    if (c->failed) {
        *x = (struct operation_row){.peer = -1};
        return;
    }
    const struct orr_log_span *s = &c->span[c->i++];
    const struct orr_program *p = orr__job_program(&c->world->jobs[c->job]);
    const struct orr_op *op = &p->op[s->op];
    uint32_t rank = c->world->jobs[c->job].logged[c->rank - 1];
    bool plain = orr__op_has(op->kind, ORR_OP_HAS_PEER);
    *x = (struct operation_row){
        .row = (uint32_t)i,
        .job = c->job,
        .rank = rank,
        .iteration = s->iteration,
        .operation = s->op,
        .kind = kind_of(p, op),
        .stream = op->stream,
        .peer = plain ? (int64_t)orr__op_peer(p, op, rank) : -1,
        .tag = plain ? (int64_t)op->index : -1,
        .bytes = bytes_of(p, op),
        .start = s->start_ps,
        .end = s->end_ps,
    };
}

orr_err orr__operations_write(struct orr_record *r, const struct orr_world *w)
{
    static const struct orr_rows table =
        ORR_ROWS(fields, operation_row, fill_row);
    struct cursor c = {.world = w};
    uint64_t missed, n = count_operations(w, &missed);
    int group = orr__record_group(r, "operations");
    orr__record_number(r, group, "missed", missed);
    orr_err err = orr__rows_write(r, group, &table, &c, n);
    orr__free(c.span);
    return c.failed ? ORR_ENOMEM : err;
}
