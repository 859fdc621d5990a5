/* Comma-separated values, a flow a line: time, src, dst, bytes; or, where the
 * first line holds names, the columns in its order, of which these four are
 * read (also called start, source, destination, size) and others skipped. A
 * name may end in the unit of what stands below it: time_us, start (ns). A bare
 * time without that needs `unit` beside the file. Where the first line has no
 * comma, fields are separated by what it has: semicolons, tabs or bars. Fields
 * may stand in double quotes. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/memory.h"
#include "workload/flow/file/flow_file.h"

enum column { TIME, SRC, DST, BYTES, NEEDED, OTHER = NEEDED };
enum { MOST_COLUMNS = 64 };

/* The reader's columns. */
struct csv {
    struct orr_flow_reader *r;
    uint8_t what[MOST_COLUMNS]; /* enum column of each */
    uint32_t columns;
};

static const char *const needed[] = {"time", "src", "dst", "bytes"};

/* "Start_us", "time (us)", "size [bytes]" into "start", "time", "size" and the
 * unit behind. */
static void split_name(const char *word, char name[32], char unit[32])
{
    size_t n = strcspn(word, "([");
    while (n > 0 && word[n - 1] == ' ')
        n--;
    snprintf(name, 32, "%.*s", (int)n, word);
    unit[0] = '\0';
    if (word[n])
        (void)sscanf(word + n, " %*[([] %31[A-Za-z]", unit);
    char *last = strrchr(name, '_');
    if (!unit[0] && last && strcasecmp(last, "_time") != 0) {
        snprintf(unit, 32, "%s", last + 1);
        *last = '\0';
    }
}

/* A name with or without a unit: "time_us", "start (ns)". A unit goes before
 * that of the entry in `flows`. */
static enum column column_of(struct csv *c, const char *word)
{
    static const struct {
        const char *name;
        enum column column;
    } known[] = {
        {"time", TIME},      {"start", TIME},      {"start_time", TIME},
        {"timestamp", TIME}, {"arrival", TIME},    {"arrival_time", TIME},
        {"src", SRC},        {"source", SRC},      {"dst", DST},
        {"dest", DST},       {"destination", DST}, {"bytes", BYTES},
        {"size", BYTES},     {"flow_size", BYTES},
    };
    static const char *const units[] = {"ps", "ns", "us", "ms", "s", NULL};
    char name[32], unit[32];
    enum column found = OTHER;
    for (int split = 0; split < 2 && found == OTHER; split++) {
        snprintf(name, sizeof name, "%s", word);
        unit[0] = '\0';
        if (split)
            split_name(word, name, unit);
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            if (strcasecmp(known[i].name, name) == 0)
                found = known[i].column;
    }
    if (found == TIME && unit[0]) {
        int u = 0;
        while (units[u] && strcasecmp(units[u], unit) != 0)
            u++;
        if (!units[u])
            return OTHER;
        c->r->unit = units[u]; /* goes before that of the entry */
    } else if (found == BYTES && unit[0] && strcasecmp(unit, "bytes") != 0
               && strcasecmp(unit, "b") != 0) {
        return OTHER;
    } else if ((found == SRC || found == DST) && unit[0]
               && strcasecmp(unit, "id") != 0
               && strcasecmp(unit, "host") != 0) {
        return OTHER;
    }
    return found;
}

/* The first line, of names. */
static orr_err read_names(struct csv *c)
{
    struct orr_scan *s = &c->r->scan;
    bool seen[NEEDED] = {false};
    do {
        enum column what = column_of(c, s->word);
        if (c->columns == MOST_COLUMNS)
            return orr__scan_fail(s, "more than %d columns", MOST_COLUMNS);
        if (what != OTHER && seen[what])
            return orr__scan_fail(s, "there are two columns of %s",
                                  needed[what]);
        if (what != OTHER)
            seen[what] = true;
        c->what[c->columns++] = (uint8_t)what;
    } while (orr__scan_field(s));
    for (int i = 0; i < NEEDED; i++)
        if (!seen[i])
            return orr__scan_fail(s, "there is no column \"%s\"", needed[i]);
    return ORR_OK;
}

static orr_err read_field(struct csv *c, enum column what,
                          struct orr_flow_line *f)
{
    switch (what) {
    case TIME: return orr__flow_read_start(c->r, NULL, &f->start);
    case SRC: return orr__flow_read_host(c->r, "a host", false, &f->src);
    case DST: return orr__flow_read_host(c->r, "a host", false, &f->dst);
    case BYTES: return orr__flow_read_bytes(c->r, &f->bytes);
    case OTHER: break;
    }
    return ORR_OK;
}

/* As many fields as there are columns; the last may be empty if a separator
 * shows that it is there. */
static orr_err read_row(struct csv *c)
{
    struct orr_scan *s = &c->r->scan;
    struct orr_flow_line f = {.src = 0};
    orr_err err = ORR_OK;
    for (uint32_t i = 0; i < c->columns; i++) {
        bool there = s->goes_on; /* be it empty */
        if (i > 0 && !orr__scan_field(s) && !there)
            return orr__scan_fail(s, "a line of %u columns is expected",
                                  c->columns);
        err = read_field(c, (enum column)c->what[i], &f);
        if (err != ORR_OK)
            return err;
    }
    err = orr__flow_check_ends(c->r, &f);
    if (err == ORR_OK && orr__scan_field(s) && s->length)
        err = orr__scan_fail(s, "a line of %u columns is expected", c->columns);
    return err == ORR_OK ? orr__flow_add(c->r, &f) : err;
}

static char separator_of(const char *line)
{
    static const char all[] = ",;\t|";
    size_t n = strcspn(line, "\n");
    for (const char *c = all; *c; c++)
        if (memchr(line, *c, n))
            return *c;
    return ',';
}

/* The first field of the next line that has some. */
static bool next_row(struct orr_scan *s)
{
    return orr__scan_line_on(s) && orr__scan_field(s);
}

/* A first field that is a number means that there is no header. */
static orr_err read_csv(struct orr_flow_reader *r)
{
    struct csv c = {.r = r};
    struct orr_scan *s = &r->scan;
    orr_err err = ORR_OK;
    s->comment = '#';
    if (!orr__scan_line_on(s))
        return ORR_OK;
    s->separator = separator_of(orr__scan_line_tail(s));
    if (!orr__scan_field(s))
        return ORR_OK;
    if (s->length && strchr("0123456789.-", s->word[0])) {
        for (; c.columns < NEEDED; c.columns++)
            c.what[c.columns] = (uint8_t)c.columns;
        err = read_row(&c);
    } else {
        err = read_names(&c);
    }
    while (err == ORR_OK && next_row(s))
        err = read_row(&c);
    return err;
}

extern const struct orr_flow_format_ops orr__flow_format_csv;
const struct orr_flow_format_ops orr__flow_format_csv = {
    .name = "csv",
    .doc = "Comma-separated time, src, dst, bytes, or the columns that "
           "the first line names.",
    .read = read_csv};
