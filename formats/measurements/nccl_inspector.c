/* Records of NCCL's Inspector: a row for each size, of the medians of the
 * slowest ranks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/measurements/measurements.h"
#include "formats/nccl_inspector/records.h"

static bool is_inspector(const struct orr_measurements_input *in)
{
    return orr__measurements_has(in, "\"coll_perf\"")
           || orr__measurements_has(in, "\"coll_exec_time_us\"");
}

static int compare_texts(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

/* What makes one row, then times. */
static int by_row(const void *a, const void *b)
{
    const struct orr_inspector_call *x = a, *y = b;
    int c = strcmp(x->name, y->name);
    if (!c && x->ranks != y->ranks)
        c = x->ranks < y->ranks ? -1 : 1;
    if (!c)
        c = compare_texts(x->algorithm, y->algorithm);
    if (!c)
        c = compare_texts(x->protocol, y->protocol);
    if (!c && x->bytes != y->bytes)
        c = x->bytes < y->bytes ? -1 : 1;
    return c;
}

static int by_row_and_time(const void *a, const void *b)
{
    const struct orr_inspector_call *x = a, *y = b;
    int c = by_row(a, b);
    return c ? c : x->time_ns < y->time_ns ? -1 : x->time_ns > y->time_ns;
}

/* Of n calls that are alike, by time. */
static orr_err add_row(const struct orr_measurements_input *in,
                       const struct orr_inspector_call *c, size_t n)
{
    struct orr_measurements_row *row = orr__measurements_add(in, c->line);
    if (!row)
        return orr__no_memory(in->why);
    row->bytes = c->bytes;
    row->ranks = c->ranks;
    row->time_ns = (c[n / 2].time_ns + c[(n - 1) / 2].time_ns) / 2;
    if (n >= 10) {
        row->low_ns = c[n / 10].time_ns;
        row->high_ns = c[n - 1 - n / 10].time_ns;
    }
    orr_err err =
        orr__measurements_set(in, "collective", c->kind ? c->kind : c->name);
    if (!err && c->algorithm)
        err = orr__measurements_set(in, "algorithm", c->algorithm);
    if (!err && c->protocol)
        err = orr__measurements_set(in, "protocol", c->protocol);
    return err;
}

/* Calls that not all ranks tell of: the slowest may be missing. */
static void note_unseen(const struct orr_measurements_input *in,
                        const struct orr_inspector *x)
{
    size_t part = 0;
    for (size_t i = 0; i < x->n; i++)
        part += x->call[i].seen < x->call[i].ranks;
    if (part)
        orr__measurements_note(
            in, 1,
            "%zu of %zu collectives have records of only some "
            "ranks: the slowest may be missing",
            part, x->n);
}

/* A row for each kind, size and number of ranks. */
static orr_err read_inspector(const struct orr_measurements_input *in)
{
    struct orr_inspector x = {.n = 0};
    orr_err err =
        orr__inspector_add(&x, in->name, in->text, in->length, in->why);
    if (!err)
        err = orr__inspector_settle(&x, in->why);
    if (!err)
        note_unseen(in, &x);
    if (!err && x.n)
        qsort(x.call, x.n, sizeof *x.call, by_row_and_time);
    for (size_t i = 0, n; i < x.n && !err; i += n) {
        for (n = 1; i + n < x.n && by_row(&x.call[i], &x.call[i + n]) == 0;)
            n++;
        err = add_row(in, &x.call[i], n);
    }
    orr__inspector_fini(&x);
    return err;
}

const struct orr_measurements_format orr__measurements_nccl_inspector = {
    .name = "nccl-inspector",
    .doc = "records of NCCL's Inspector, JSON",
    .is = is_inspector,
    .read = read_inspector,
};
