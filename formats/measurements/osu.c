/* What the OSU micro-benchmarks print: a line with the name of the test, one
 * with the names of columns, and a table. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "formats/measurements/measurements.h"

/* A file while it is read. */
struct reader {
    const struct orr_measurements_input *in;
    struct orr_scan s;
    char test[48]; /* "Allreduce"; "": none has begun */
    bool table;    /* sizes, then times in unit_ns */
    double unit_ns;
};

static bool is_osu(const struct orr_measurements_input *in)
{
    return orr__measurements_has(in, "# OSU ");
}

/* "# OSU MPI-CUDA All-to-All Personalized Exchange Latency Test v5.8", behind
 * "OSU": the words up to "Latency". */
static void take_test(struct reader *r)
{
    size_t n = 0;
    r->test[0] = '\0';
    r->table = false;
    (void)orr__scan_here(&r->s); /* MPI, UPC, ... */
    while (orr__scan_here(&r->s) && strcmp(r->s.word, "Latency") != 0
           && strcmp(r->s.word, "Test") != 0)
        if (n < sizeof r->test)
            n += (size_t)snprintf(r->test + n, sizeof r->test - n, "%s%s",
                                  n ? " " : "", r->s.word);
    if (!r->test[0])
        snprintf(r->test, sizeof r->test, "Latency");
}

/* The unit within "Latency(us)" or "(us)"; 0: none. */
static double unit_of(const char *word)
{
    const char *open = strchr(word, '(');
    return open ? orr__measurements_unit(open, strlen(open)) : 0;
}

/* "# Size  Avg Latency(us) ...": the last word is "Size". */
static orr_err take_columns(struct reader *r)
{
    r->table = true;
    r->unit_ns = 0;
    while (r->unit_ns == 0 && orr__scan_here(&r->s)) {
        r->unit_ns = unit_of(r->s.word);
        if (strncmp(r->s.word, "Bandwidth", 9) != 0
            && strncmp(r->s.word, "MB/s", 4) != 0)
            continue;
        orr_err err = orr__scan_fail(&r->s, "a test of bandwidth has no times");
        orr__hint(r->in->why, "use osu_latency, osu_allreduce or another test "
                              "of latency");
        return err;
    }
    if (r->unit_ns == 0)
        return orr__scan_fail(&r->s, "a column of times, like Avg Latency(us), "
                                     "is missing");
    return ORR_OK;
}

/* The first word of a line of the table was read. */
static orr_err take_row(struct reader *r)
{
    int64_t bytes;
    int line = orr__scan_line(&r->s);
    orr_err err = orr__scan_int(&r->s, "a size in bytes", 0, INT64_MAX, &bytes);
    if (err)
        return err;
    double ns = 0;
    (void)orr__scan_here(&r->s);
    err = orr__measurements_time(&r->s, "a time", r->unit_ns, &ns);
    if (err || bytes == 0)
        return err;
    struct orr_measurements_row *row = orr__measurements_add(r->in, line);
    if (!row)
        return orr__no_memory(r->in->why);
    row->bytes = (uint64_t)bytes;
    row->counts = ORR_MEASUREMENTS_PEER;
    row->time_ns = ns;
    return orr__measurements_set(r->in, "test", r->test);
}

/* The first word of a line was read. A table ends where a line is none of its
 * rows. */
static orr_err take_line(struct reader *r)
{
    if (strcmp(r->s.word, "#") != 0) {
        if (r->table && strchr("0123456789", r->s.word[0]))
            return take_row(r);
        r->table = r->table && r->s.word[0] == '#';
        return ORR_OK;
    }
    if (!orr__scan_here(&r->s))
        return ORR_OK;
    if (strcmp(r->s.word, "OSU") == 0)
        take_test(r);
    else if (strcmp(r->s.word, "Size") == 0 && r->test[0])
        return take_columns(r);
    return ORR_OK;
}

/* A file may hold several tests. */
static orr_err read_osu(const struct orr_measurements_input *in)
{
    struct reader r = {.in = in};
    orr_err err = orr__measurements_scan(in, &r.s);
    while (!err && orr__scan_word(&r.s)) {
        err = take_line(&r);
        while (!err && orr__scan_here(&r.s))
            continue;
    }
    orr__scan_fini(&r.s);
    return err;
}

const struct orr_measurements_format orr__measurements_osu = {
    .name = "osu",
    .doc = "output of the OSU micro-benchmarks",
    .is = is_osu,
    .read = read_osu,
};
