/* Traces of PyTorch's profiler to a job: computations and collectives of one
 * step. One file stands for all ranks; else there is one for each. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "formats/convert.h"
#include "formats/kineto/trace.h"
#include "formats/trace.h"

enum { MOST_OPS = 1000000 };

/* Files while they are converted. */
struct files {
    struct orr_convert *c;
    struct orr_kineto *trace; /* by rank, if there are several */
    uint32_t traces, world;
    struct orr_report *why;
};

/* The i-th input. */
static orr_err read_file(struct files *f, uint32_t i)
{
    char *text = NULL;
    size_t n = 0;
    const char *path = f->c->input[i];
    orr_err err = orr__trace_slurp(path, &text, &n, f->why);
    if (!err)
        err =
            orr__kineto_read(&f->trace[i], path, text, n, &f->c->notes, f->why);
    orr__free(text);
    return err;
}

/* ---- ranks -------------------------------------------------------------- */

/* All ranks that a trace names. */
static uint32_t world_of(const struct orr_kineto *k)
{
    uint32_t n = k->world;
    for (uint32_t i = 0; i < k->n; i++) {
        const struct orr_kineto_op *op = &k->op[i];
        if (op->ranks > n)
            n = op->ranks;
        for (uint32_t m = 0; op->rank && m < op->ranks; m++)
            if (op->rank[m] >= n)
                n = op->rank[m] + 1;
    }
    return n ? n : 1;
}

/* Several files are put in the order of their ranks, each once. */
static orr_err sort_ranks(struct files *f)
{
    for (uint32_t i = 0; i < f->traces; i++)
        if (world_of(&f->trace[i]) > f->world)
            f->world = world_of(&f->trace[i]);
    if (f->traces == 1)
        return ORR_OK;
    if (f->traces != f->world)
        return orr__fail(f->why, ORR_ECONFIG,
                         "%u files of %u ranks: one for each, or one that "
                         "stands for all",
                         f->traces, f->world);
    for (uint32_t i = 0; i < f->traces;) {
        uint32_t rank = f->trace[i].rank;
        if (rank == i) {
            i++;
            continue;
        }
        if (rank >= f->traces || f->trace[rank].rank == rank)
            return orr__fail_at(f->why, ORR_ECONFIG, f->trace[i].file, 1, 1,
                                "two files are of rank %u", rank);
        struct orr_kineto t = f->trace[rank];
        f->trace[rank] = f->trace[i];
        f->trace[i] = t;
    }
    return ORR_OK;
}

/* Member m of copy `copy` of a group that one rank saw: the ranks between its
 * members have groups of the same shape. Groups that are not evenly spaced have
 * no copies. */
static uint32_t member_of(const struct files *f, const struct orr_kineto_op *op,
                          uint32_t copy, uint32_t m)
{
    uint32_t step = op->ranks > 1 ? op->rank[1] - op->rank[0] : 1;
    uint32_t base = copy / step * step * op->ranks + copy % step;
    return f->traces > 1 ? op->rank[m] : base + m * step;
}

/* How many groups an operation is of. ECONFIG: one file does not say. */
static orr_err count_copies(const struct files *f, const struct orr_kineto *k,
                            const struct orr_kineto_op *op, uint32_t *copies)
{
    *copies = 1;
    if (f->traces > 1 || !op->rank || op->ranks >= f->world)
        return ORR_OK;
    uint32_t step = op->ranks > 1 ? op->rank[1] - op->rank[0] : 1;
    bool even = step > 0 && f->world % (step * (uint64_t)op->ranks) == 0;
    for (uint32_t m = 1; m < op->ranks; m++)
        even &= op->rank[m] - op->rank[m - 1] == step;
    if (!even)
        return orr__fail_at(f->why, ORR_ECONFIG, k->file, 1, 1,
                            "a group of %u of %u ranks is not evenly spaced: "
                            "one file does not say what the others do",
                            op->ranks, f->world);
    *copies = f->world / op->ranks;
    return ORR_OK;
}

/* ---- the program -------------------------------------------------------- */

/* An operation's name: of computations by rank where ranks differ, of
 * collectives by their group. */
static void put_name(struct orr_text *y, const struct files *f, uint32_t rank,
                     uint32_t op, uint32_t copy)
{
    orr__text_add(y, "o%u", op);
    if (f->traces > 1)
        orr__text_add(y, "_%u", rank);
    else if (copy)
        orr__text_add(y, "_%u", copy);
}

/* The rank whose name an operation has: a collective's is that of its first
 * member, where it has another number perhaps. */
static uint32_t owner_of(const struct files *f, uint32_t rank,
                         const struct orr_kineto_op *op)
{
    if (!op->kind || f->traces == 1)
        return rank;
    return op->rank ? op->rank[0] : 0;
}

/* How many calls of the same group a rank made before one. */
static uint32_t count_calls(const struct orr_kineto *k, uint32_t op)
{
    uint32_t n = 0;
    const struct orr_kineto_op *x = &k->op[op];
    for (uint32_t i = 0; i < op; i++)
        n += k->op[i].kind && k->op[i].ranks == x->ranks
             && (!x->rank || !k->op[i].rank
                 || memcmp(x->rank, k->op[i].rank, x->ranks * sizeof *x->rank)
                        == 0);
    return n;
}

/* The number of the call in another rank's trace; UINT32_MAX: it has none. */
static uint32_t find_call(const struct orr_kineto *k,
                          const struct orr_kineto_op *x, uint32_t number)
{
    for (uint32_t i = 0; i < k->n; i++)
        if (k->op[i].kind && k->op[i].ranks == x->ranks
            && (!x->rank || !k->op[i].rank
                || memcmp(x->rank, k->op[i].rank, x->ranks * sizeof *x->rank)
                       == 0)
            && number-- == 0)
            return i;
    return UINT32_MAX;
}

/* The name of what an operation of a rank waits for. */
static void put_wait(struct orr_text *y, const struct files *f, uint32_t rank,
                     uint32_t op, uint32_t *n)
{
    const struct orr_kineto *k = &f->trace[f->traces > 1 ? rank : 0];
    const struct orr_kineto_op *x = &k->op[op];
    uint32_t owner = owner_of(f, rank, x), number = op, copies = 1;
    if (owner != rank)
        number = find_call(&f->trace[owner], x, count_calls(k, op));
    if (x->kind && f->traces == 1 && x->rank && x->ranks < f->world)
        copies = f->world / x->ranks;
    for (uint32_t c = 0; c < copies; c++) {
        orr__text_add(y, "%s", (*n)++ ? ", " : "");
        put_name(y, f, owner, number, c);
    }
}

/* The computation before an operation; UINT32_MAX: none. */
static uint32_t main_before(const struct orr_kineto *k, uint32_t op)
{
    while (op-- > 0)
        if (!k->op[op].kind)
            return op;
    return UINT32_MAX;
}

static void put_waits(struct orr_text *y, const struct files *f, uint32_t rank,
                      uint32_t op, uint32_t *n)
{
    const struct orr_kineto *k = &f->trace[f->traces > 1 ? rank : 0];
    uint32_t before = main_before(k, op);
    if (before != UINT32_MAX)
        put_wait(y, f, rank, before, n);
    for (uint32_t i = 0; i < k->op[op].waits; i++)
        put_wait(y, f, rank, k->op[op].wait[i], n);
}

/* A line. */
static void put_computation(struct files *f, uint32_t rank, uint32_t op)
{
    struct orr_text *y = &f->c->yaml;
    uint32_t n = 0;
    const struct orr_kineto *k = &f->trace[f->traces > 1 ? rank : 0];
    orr__text_add(y, "      - {id: ");
    put_name(y, f, rank, op, 0);
    orr__text_add(y, ", compute: %.0fns, after: [", rint(k->op[op].ns));
    put_waits(y, f, rank, op, &n);
    orr__text_add(y, "]");
    if (f->traces > 1)
        orr__text_add(y, ", ranks: [%u]", rank);
    orr__text_add(y, "}\n");
}

/* One collective, of one group; the operations of all members stand before. */
static void put_call(struct files *f, uint32_t rank, uint32_t op, uint32_t copy)
{
    struct orr_text *y = &f->c->yaml;
    const struct orr_kineto *k = &f->trace[f->traces > 1 ? rank : 0];
    const struct orr_kineto_op *x = &k->op[op];
    bool all = !x->rank || x->ranks >= f->world;
    uint32_t n = 0, members = f->traces > 1 ? x->ranks : 1;
    orr__text_add(y, "      - {id: ");
    put_name(y, f, rank, op, copy);
    orr__text_add(y, ", %s: {", x->kind);
    if (strcmp(x->kind, "barrier") != 0)
        orr__text_add(y, "size: %lluB%s", (unsigned long long)x->bytes,
                      all ? "" : ", ");
    for (uint32_t m = 0; m < x->ranks && !all; m++)
        orr__text_add(y, "%s%u", m ? ", " : "group: [",
                      member_of(f, x, copy, m));
    orr__text_add(y, "%s}, after: [", all ? "" : "]");
    for (uint32_t m = 0; m < members; m++) {
        uint32_t r = f->traces > 1 && x->rank ? x->rank[m] : m;
        uint32_t number = r == rank
                              ? op
                              : find_call(&f->trace[f->traces > 1 ? r : 0], x,
                                          count_calls(k, op));
        put_waits(y, f, r, f->traces > 1 ? number : op, &n);
    }
    orr__text_add(y, "]}\n");
}

/* ---- several ranks ------------------------------------------------------ */

/* Whether all members of a rank's next call have come to it; ECONFIG: they call
 * something else. */
static orr_err is_ready(const struct files *f, const uint32_t *at,
                        uint32_t rank, bool *ready)
{
    const struct orr_kineto *k = &f->trace[rank];
    const struct orr_kineto_op *x = &k->op[at[rank]];
    uint32_t number = count_calls(k, at[rank]);
    *ready = true;
    for (uint32_t m = 0; m < x->ranks; m++) {
        uint32_t r = x->rank ? x->rank[m] : m;
        const struct orr_kineto *other = &f->trace[r];
        uint32_t op = find_call(other, x, number);
        if (op == UINT32_MAX)
            return orr__fail_at(f->why, ORR_ECONFIG, k->file, 1, 1,
                                "rank %u has no call that meets %s %u of rank "
                                "%u (%llu bytes)",
                                r, x->kind, number, rank,
                                (unsigned long long)x->bytes);
        if (strcmp(other->op[op].kind, x->kind) != 0
            || other->op[op].bytes != x->bytes)
            return orr__fail_at(f->why, ORR_ECONFIG, other->file, 1, 1,
                                "%s of %llu bytes where rank %u has %s of %llu",
                                other->op[op].kind,
                                (unsigned long long)other->op[op].bytes, rank,
                                x->kind, (unsigned long long)x->bytes);
        *ready &= at[r] == op;
    }
    return ORR_OK;
}

/* All that rank can do before a call that others have not come to. */
static orr_err advance(struct files *f, uint32_t *at, uint32_t rank,
                       bool *moved)
{
    const struct orr_kineto *k = &f->trace[rank];
    while (at[rank] < k->n) {
        const struct orr_kineto_op *x = &k->op[at[rank]];
        bool ready = true;
        if (!x->kind) {
            put_computation(f, rank, at[rank]++);
            *moved = true;
            continue;
        }
        orr_err err = is_ready(f, at, rank, &ready);
        if (err || !ready || owner_of(f, rank, x) != rank)
            return err;
        put_call(f, rank, at[rank], 0);
        for (uint32_t m = 0; m < x->ranks; m++)
            at[x->rank ? x->rank[m] : m]++;
        *moved = true;
    }
    return ORR_OK;
}

/* Each rank as far as it comes, again and again, until all are done. */
static orr_err put_ranks(struct files *f)
{
    uint32_t *at = orr__alloc(f->traces, sizeof *at);
    bool moved = true, done = false;
    orr_err err = at ? ORR_OK : orr__no_memory(f->why);
    while (!err && moved) {
        moved = false;
        done = true;
        for (uint32_t r = 0; r < f->traces && !err; r++) {
            err = advance(f, at, r, &moved);
            done &= at[r] == f->trace[r].n;
        }
    }
    if (!err && !done)
        err = orr__fail_at(f->why, ORR_ECONFIG, f->trace[0].file, 1, 1,
                           "the ranks call their collectives in orders that "
                           "wait for one another");
    orr__free(at);
    return err;
}

/* ---- all ---------------------------------------------------------------- */

/* What all ranks do. */
static orr_err put_one(struct files *f)
{
    const struct orr_kineto *k = &f->trace[0];
    orr_err err = ORR_OK;
    for (uint32_t i = 0; i < k->n && !err; i++) {
        uint32_t copies = 1;
        if (!k->op[i].kind) {
            put_computation(f, 0, i);
            continue;
        }
        err = count_copies(f, k, &k->op[i], &copies);
        for (uint32_t c = 0; c < copies && !err; c++)
            put_call(f, 0, i, c);
    }
    return err;
}

/* The network is a guess, which is noted. */
static orr_err put_yaml(struct files *f)
{
    struct orr_text *y = &f->c->yaml;
    const struct orr_kineto *k = &f->trace[0];
    uint64_t ops = 0;
    for (uint32_t i = 0; i < f->traces; i++)
        ops += f->trace[i].n;
    if (ops > MOST_OPS)
        return orr__fail_at(f->why, ORR_ECONFIG, k->file, 1, 1,
                            "more than %d operations in a step", MOST_OPS);
    orr__text_add(y,
                  "topology: {kind: switch, hosts: %u, link: {rate: 400Gbps, "
                  "delay: 1us}}\njobs:\n  - name: kineto\n    ranks: %u\n"
                  "    program:\n",
                  f->world, f->world);
    orr__note(&f->c->notes,
              "the trace says nothing of the network: `topology` is a "
              "switch with 400 Gbps; the step took %.6g ms",
              k->step_ns * 1e-6);
    if (f->traces == 1 && f->world > 1)
        orr__note(&f->c->notes, "%s stands for all of %u ranks", k->file,
                  f->world);
    return f->traces > 1 ? put_ranks(f) : put_one(f);
}

/* A lack of memory stays in the texts. */
static orr_err from_kineto(struct orr_convert *c, struct orr_report *why)
{
    struct files f = {.c = c, .why = why};
    if (c->inputs > ORR_KINETO_RANKS)
        return orr__fail(why, ORR_ECONFIG, "more than %d files",
                         ORR_KINETO_RANKS);
    f.trace = orr__alloc(c->inputs, sizeof *f.trace);
    orr_err err = f.trace ? ORR_OK : orr__no_memory(why);
    for (uint32_t i = 0; i < c->inputs && !err; i++) {
        f.traces = i + 1;
        err = read_file(&f, i);
    }
    if (!err)
        err = sort_ranks(&f);
    if (!err)
        err = put_yaml(&f);
    for (uint32_t i = 0; i < f.traces; i++)
        orr__kineto_fini(&f.trace[i]);
    orr__free(f.trace);
    return err;
}

const struct orr_convert_ops orr__convert_kineto = {
    .name = "kineto",
    .doc = "traces of PyTorch's profiler: computations and collectives",
    .inputs = "one JSON file of any rank, or one of each",
    .from = from_kineto,
};
