/* Records of NCCL's Inspector to a job: the collectives of the communicator
 * that has most of them, in their order. Records have no times between
 * collectives, so the job computes nothing. */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "formats/convert.h"
#include "formats/nccl_inspector/records.h"
#include "formats/trace.h"

enum { MOST_OPS = 100000 };

static const char *name_of(const struct orr_inspector_call *c)
{
    return c->communicator ? c->communicator : "";
}

/* Calls are in the order of communicators: where the one begins that has most
 * of them, how many it has, and how many others there are. */
static size_t find_largest(const struct orr_inspector *x, size_t *n,
                           size_t *others)
{
    size_t best = 0;
    *n = *others = 0;
    for (size_t i = 0, k; i < x->n; i = k) {
        for (k = i; k < x->n
                    && strcmp(name_of(&x->call[i]), name_of(&x->call[k])) == 0;)
            k++;
        *others += 1;
        if (k - i > *n) {
            best = i;
            *n = k - i;
        }
    }
    *others -= *others > 0;
    return best;
}

static bool is_alike(const struct orr_inspector_call *a,
                     const struct orr_inspector_call *b)
{
    return strcmp(a->name, b->name) == 0 && a->bytes == b->bytes;
}

/* The shortest period that the second half of the calls has, at least twice;
 * *from: the first call from which on it holds. 0: none. */
static size_t find_period(const struct orr_inspector_call *c, size_t n,
                          size_t *from)
{
    for (size_t p = 1; p <= n / 2; p++) {
        size_t i = n - p;
        while (i > 0 && is_alike(&c[i - 1], &c[i - 1 + p]))
            i--;
        if (n - i >= 2 * p && i <= n / 2) {
            *from = i;
            return p;
        }
    }
    *from = 0;
    return 0;
}

/* c: one iteration of n calls. */
static orr_err put_calls(struct orr_convert *x,
                         const struct orr_inspector_call *c, size_t n,
                         uint64_t iterations, struct orr_report *why)
{
    struct orr_text *y = &x->yaml;
    orr__text_add(y,
                  "topology: {kind: switch, hosts: %u, link: {rate: 400Gbps, "
                  "delay: 1us}}\njobs:\n  - name: inspector\n    ranks: %u\n"
                  "    iterations: %llu\n    program:\n",
                  c->ranks, c->ranks, (unsigned long long)iterations);
    for (size_t i = 0; i < n; i++) {
        if (!c[i].kind)
            return orr__fail_at(why, ORR_ECONFIG, c[i].file, c[i].line, 1,
                                "%s is no collective that is converted",
                                c[i].name);
        if (c[i].ranks != c->ranks)
            return orr__fail_at(why, ORR_ECONFIG, c[i].file, c[i].line, 1,
                                "%u ranks, and %u before", c[i].ranks,
                                c->ranks);
        orr__text_add(y, "      - %s: {size: %lluB} # %.6g us\n", c[i].kind,
                      (unsigned long long)c[i].bytes, c[i].time_ns * 1e-3);
    }
    return ORR_OK;
}

/* The largest communicator, and notes on what is left out. */
static orr_err put_job(struct orr_convert *x, const struct orr_inspector *r,
                       struct orr_report *why)
{
    size_t n, others, from;
    const struct orr_inspector_call *c = &r->call[find_largest(r, &n, &others)];
    if (n == 0)
        return orr__fail_at(why, ORR_ECONFIG, x->input[0], 1, 1,
                            "no record of a collective");
    size_t period = find_period(c, n, &from);
    uint64_t iterations = period ? (n - from) / period : 1;
    if ((period ? period : n) > MOST_OPS)
        return orr__fail_at(why, ORR_ECONFIG, c->file, c->line, 1,
                            "more than %d collectives without a period",
                            MOST_OPS);
    if (iterations > 1000000)
        iterations = 1000000;
    if (period && from)
        orr__note(&x->notes,
                  "the first %zu collectives are left out: they "
                  "are not of the period",
                  from);
    if (period)
        orr__note(&x->notes, "%zu collectives are %llu iterations of %zu", n,
                  (unsigned long long)iterations, period);
    if (others)
        orr__note(&x->notes,
                  "communicator %s; %zu other communicators are left out",
                  name_of(c), others);
    if (r->messages)
        orr__note(&x->notes, "%llu single messages are left out",
                  (unsigned long long)r->messages);
    orr__note(&x->notes, "records have no computations and no network: add "
                         "`compute`, and say what `topology` is; measured "
                         "times stand behind #");
    return put_calls(x, c + from, period ? period : n, iterations, why);
}

/* A lack of memory stays in the texts. */
static orr_err from_inspector(struct orr_convert *x, struct orr_report *why)
{
    struct orr_inspector r = {.n = 0};
    orr_err err = ORR_OK;
    for (size_t i = 0; i < x->inputs && !err; i++) {
        char *text = NULL;
        size_t n = 0;
        err = orr__trace_slurp(x->input[i], &text, &n, why);
        if (!err)
            err = orr__inspector_add(&r, x->input[i], text, n, why);
        orr__free(text);
    }
    if (!err)
        err = orr__inspector_settle(&r, why);
    if (!err)
        err = put_job(x, &r, why);
    orr__inspector_fini(&r);
    return err;
}

const struct orr_convert_ops orr__convert_nccl_inspector = {
    .name = "nccl-inspector",
    .doc = "records of NCCL's Inspector: the collectives of a job",
    .inputs = "its JSON files, of any ranks",
    .from = from_inspector,
};
