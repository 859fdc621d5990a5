/* What programs of nccl-tests (all_reduce_perf, ...) print: lines that begin
 * with # and tables with the times of results out of place and in place. A file
 * may hold several runs, and what else a job printed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/measurements/measurements.h"

enum { MOST_COLUMNS = 32 };

/* A column of a table. */
enum column {
    COLUMN_OTHER,
    COLUMN_SIZE,
    COLUMN_COUNT,
    COLUMN_TYPE,
    COLUMN_TIME,
    COLUMN_WRONG, /* elements that are wrong */
    COLUMN_ERROR, /* the largest difference, as older versions have it */
};

/* A file while it is read. */
struct reader {
    const struct orr_measurements_input *in;
    struct orr_scan s;
    enum column column[MOST_COLUMNS];
    uint32_t columns; /* 0: no table has begun */
    double unit_ns;
    uint32_t ranks;
    char collective[48]; /* "": not said */
};

/* One of the two halves of a row. */
struct half {
    double time_ns; /* NAN: none */
    bool wrong;
};

/* The row that is read. */
struct line {
    int64_t size, count;
    uint64_t type; /* bytes */
    struct half half[2];
    int halves;
};

static bool is_nccl_tests(const struct orr_measurements_input *in)
{
    return orr__measurements_has(in, "#wrong")
           || orr__measurements_has(in, "# nThread")
           || (orr__measurements_has(in, "out-of-place")
               && orr__measurements_has(in, "in-place"));
}

static enum column column_named(const char *name)
{
    return strcmp(name, "size") == 0     ? COLUMN_SIZE
           : strcmp(name, "count") == 0  ? COLUMN_COUNT
           : strcmp(name, "type") == 0   ? COLUMN_TYPE
           : strcmp(name, "time") == 0   ? COLUMN_TIME
           : strcmp(name, "#wrong") == 0 ? COLUMN_WRONG
           : strcmp(name, "error") == 0  ? COLUMN_ERROR
                                         : COLUMN_OTHER;
}

/* "#  size count type ...": the last word is "size". */
static orr_err take_columns(struct reader *r)
{
    uint32_t times = 0;
    r->columns = 0;
    do {
        if (r->columns == MOST_COLUMNS)
            return orr__scan_fail(&r->s, "more than %d columns", MOST_COLUMNS);
        enum column c = column_named(r->s.word);
        times += c == COLUMN_TIME;
        r->column[r->columns++] = c;
    } while (orr__scan_here(&r->s));
    if (times == 0 || times > 2)
        return orr__scan_fail(&r->s,
                              "a table has one or two columns `time`, "
                              "not %u",
                              times);
    return ORR_OK;
}

/* "# Collective test starting: all_reduce_perf" */
static void take_name(struct reader *r)
{
    while (orr__scan_here(&r->s))
        snprintf(r->collective, sizeof r->collective, "%.47s", r->s.word);
}

/* A line that begins with #; the last word is the one behind that. */
static orr_err take_comment(struct reader *r)
{
    const char *word = r->s.word;
    if (strcmp(word, "size") == 0)
        return take_columns(r);
    if (strcmp(word, "Collective") == 0) {
        take_name(r);
    } else if (strcmp(word, "nThread") == 0) {
        r->ranks = r->columns = 0;
        r->unit_ns = 1e3;
        r->collective[0] = '\0';
    } else if (strcmp(word, "Rank") == 0 && orr__scan_here(&r->s)) {
        unsigned long rank = strtoul(r->s.word, NULL, 10);
        if (rank < ORR_MEASUREMENTS_RANKS && rank >= r->ranks)
            r->ranks = (uint32_t)rank + 1;
    } else if (word[0] == '(') {
        do
            if (orr__measurements_unit(r->s.word, r->s.length) > 0)
                r->unit_ns = orr__measurements_unit(r->s.word, r->s.length);
        while (orr__scan_here(&r->s));
    } else if (strcmp(word, "Out") == 0) {
        int line = orr__scan_line(&r->s);
        while (orr__scan_here(&r->s))
            if (strcmp(r->s.word, "FAILED") == 0)
                orr__measurements_note(r->in, line,
                                       "some results of this run were wrong");
    }
    return ORR_OK;
}

/* The value of a half: its time, or what is wrong with it. */
static orr_err take_half(struct reader *r, enum column c, struct line *l)
{
    double value = 0;
    bool none = strcmp(r->s.word, "N/A") == 0;
    struct half *h = &l->half[l->halves > 0 ? l->halves - 1 : 0];
    if (c == COLUMN_TIME) {
        h = &l->half[l->halves++];
        *h = (struct half){.time_ns = NAN};
        return none ? ORR_OK
                    : orr__measurements_time(&r->s, "a time", r->unit_ns,
                                             &h->time_ns);
    }
    if (none || l->halves == 0)
        return ORR_OK;
    orr_err err = orr__scan_real(&r->s, "the number of wrong elements", 0,
                                 INFINITY, &value);
    h->wrong = value > (c == COLUMN_ERROR ? 1e-2 : 0);
    return err;
}

/* A word of a row, by its column. */
static orr_err take_value(struct reader *r, enum column c, struct line *l)
{
    switch (c) {
    case COLUMN_SIZE:
        return orr__scan_int(&r->s, "a size in bytes", 0, INT64_MAX, &l->size);
    case COLUMN_COUNT:
        return orr__scan_int(&r->s, "a count", 0, INT64_MAX, &l->count);
    case COLUMN_TYPE:
        l->type = orr__measurements_type(r->s.word);
        return ORR_OK;
    case COLUMN_OTHER: return ORR_OK;
    default: return take_half(r, c, l);
    }
}

/* A half becomes a row. */
static orr_err add_half(struct reader *r, const struct line *l, int i, int at)
{
    static const char *const places[] = {"out-of-place", "in-place"};
    const struct half *h = &l->half[i];
    if (isnan(h->time_ns))
        return ORR_OK;
    if (h->wrong) {
        orr__measurements_note(
            r->in, at, "left out: the results %s of %lld bytes were wrong",
            places[i], (long long)l->size);
        return ORR_OK;
    }
    struct orr_measurements_row *row = orr__measurements_add(r->in, at);
    if (!row)
        return orr__no_memory(r->in->why);
    row->bytes = (uint64_t)l->size;
    row->counts = ORR_MEASUREMENTS_BUFFER;
    row->ranks = r->ranks;
    row->time_ns = h->time_ns;
    orr_err err = orr__measurements_set(r->in, "place", places[i]);
    if (!err && r->collective[0])
        err = orr__measurements_set(r->in, "collective", r->collective);
    return err;
}

/* A line of a table, whose first word was read. */
static orr_err take_row(struct reader *r)
{
    struct line l = {.count = -1};
    int at = orr__scan_line(&r->s);
    orr_err err = ORR_OK;
    uint32_t i = 0;
    do {
        if (i == r->columns)
            return orr__scan_fail(&r->s,
                                  "the table has %u columns, this line "
                                  "more",
                                  r->columns);
        err = take_value(r, r->column[i++], &l);
    } while (!err && orr__scan_here(&r->s));
    if (!err && i < r->columns)
        return orr__scan_fail(&r->s, "the table has %u columns, this line %u",
                              r->columns, i);
    if (!err && l.size > 0 && l.size == l.count && l.type > 1) {
        err = orr__scan_fail(
            &r->s, "%lld elements of %llu bytes are not %lld bytes",
            (long long)l.count, (unsigned long long)l.type, (long long)l.size);
        orr__hint(r->in->why, "the column `size` has to be in bytes");
    }
    for (int h = 0; !err && h < l.halves && h < 2; h++)
        if (l.size > 0)
            err = add_half(r, &l, h, at);
    return err;
}

static bool is_number(const char *word)
{
    return *word && word[strspn(word, "0123456789")] == '\0';
}

/* A line that is of no table: what a failed test says is told. */
static void pass_over(struct reader *r)
{
    int line = orr__scan_line(&r->s);
    bool test = false;
    do {
        if (test && strcmp(r->s.word, "failure") == 0)
            orr__measurements_note(r->in, line, "the test failed here");
        test = strcmp(r->s.word, "NCCL") == 0 || strcmp(r->s.word, "CUDA") == 0;
    } while (orr__scan_here(&r->s));
}

/* Line by line: comments, rows of tables, and what is neither. */
static orr_err read_nccl_tests(const struct orr_measurements_input *in)
{
    struct reader r = {.in = in, .unit_ns = 1e3};
    orr_err err = orr__measurements_scan(in, &r.s);
    while (!err && orr__scan_word(&r.s)) {
        if (r.s.word[0] == '#') {
            if (r.s.word[1] == '\0' && orr__scan_here(&r.s))
                err = take_comment(&r);
        } else if (r.columns && is_number(r.s.word)) {
            err = take_row(&r);
        } else {
            pass_over(&r);
        }
        while (!err && orr__scan_here(&r.s))
            continue;
    }
    orr__scan_fini(&r.s);
    return err;
}

const struct orr_measurements_format orr__measurements_nccl_tests = {
    .name = "nccl-tests",
    .doc = "output of all_reduce_perf and its like",
    .is = is_nccl_tests,
    .read = read_nccl_tests,
};
