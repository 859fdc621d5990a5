/* Comma-separated values, a flow a line: time, src, dst, bytes; or, where the
 * first line holds names, the columns in its order, of which these four are
 * read (also called start, source, destination, size) and others skipped. A
 * bare time needs `unit` beside the file. */
#include <string.h>
#include <strings.h>

#include "core/memory.h"
#include "workload/flow_file/flow_file.h"

enum column { TIME, SRC, DST, BYTES, NEEDED, OTHER = NEEDED };
enum { MOST_COLUMNS = 64 };

struct csv {
    struct orr_flow_reader *r;
    uint8_t what[MOST_COLUMNS]; /* enum column of each */
    uint32_t columns;
};

static const char *const needed[] = { "time", "src", "dst", "bytes" };

static enum column column_of(const char *name)
{
    static const struct {
        const char *name;
        enum column column;
    } known[] = {
        { "time", TIME },        { "start", TIME },
        { "start_time", TIME },  { "src", SRC },
        { "source", SRC },       { "dst", DST },
        { "destination", DST },  { "dest", DST },
        { "bytes", BYTES },      { "size", BYTES },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcasecmp(known[i].name, name) == 0)
            return known[i].column;
    return OTHER;
}

/* The first line, whose first word is the last one read. */
static orr_err read_names(struct csv *c)
{
    struct orr_scan *s = &c->r->scan;
    bool seen[NEEDED] = { false };
    do {
        enum column what = column_of(s->word);
        if (c->columns == MOST_COLUMNS)
            return orr__scan_fail(s, "more than %d columns", MOST_COLUMNS);
        if (what != OTHER && seen[what])
            return orr__scan_fail(s, "there are two columns of %s",
                                  needed[what]);
        if (what != OTHER)
            seen[what] = true;
        c->what[c->columns++] = (uint8_t)what;
    } while (orr__scan_here(s));
    for (int i = 0; i < NEEDED; i++)
        if (!seen[i])
            return orr__scan_fail(s, "there is no column \"%s\"", needed[i]);
    return ORR_OK;
}

static orr_err read_field(struct csv *c, enum column what,
                          struct orr_flow_line *f)
{
    switch (what) {
    case TIME:
        return orr__flow_read_start(c->r, NULL, &f->start);
    case SRC:
        return orr__flow_read_host(c->r, "a host", false, &f->src);
    case DST:
        return orr__flow_read_host(c->r, "a host", false, &f->dst);
    case BYTES:
        return orr__flow_read_bytes(c->r, &f->bytes);
    case OTHER:
        break;
    }
    return ORR_OK;
}

static orr_err read_row(struct csv *c)
{
    struct orr_scan *s = &c->r->scan;
    struct orr_flow_line f = { .src = 0 };
    orr_err err = ORR_OK;
    for (uint32_t i = 0; i < c->columns; i++) {
        if (i > 0 && !orr__scan_here(s))
            return orr__scan_fail(s, "a line of %u columns is expected",
                                  c->columns);
        err = read_field(c, (enum column)c->what[i], &f);
        if (err != ORR_OK)
            return err;
    }
    err = orr__flow_check_ends(c->r, &f);
    if (err == ORR_OK && orr__scan_here(s))
        err = orr__scan_fail(s, "a line of %u columns is expected",
                             c->columns);
    return err == ORR_OK ? orr__flow_add(c->r, &f) : err;
}

static orr_err read_csv(struct orr_flow_reader *r)
{
    struct csv c = { .r = r };
    orr_err err = ORR_OK;
    r->scan.comment = '#';
    r->scan.separator = ',';
    if (!orr__scan_word(&r->scan))
        return ORR_OK;
    if (strchr("0123456789.-", r->scan.word[0])) {
        for (; c.columns < NEEDED; c.columns++)
            c.what[c.columns] = (uint8_t)c.columns;
        err = read_row(&c);
    } else {
        err = read_names(&c);
    }
    while (err == ORR_OK && orr__scan_word(&r->scan))
        err = read_row(&c);
    return err;
}

const struct orr_flow_format_ops orr__csv_flow_format = { .read = read_csv };
