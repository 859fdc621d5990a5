#include "formats/measurements/table.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/units.h"

enum { MOST_COLUMNS = 64, NAME = 48 };

enum role {
    ROLE_LABEL,
    ROLE_SIZE,
    ROLE_ELEMENTS,
    ROLE_TYPE,
    ROLE_RANKS,
    ROLE_NODES,
    ROLE_PER_NODE,
    ROLE_TIME,
    ROLE_LOW,
    ROLE_HIGH,
    ROLE_WRONG,
    ROLE_RATE, /* bandwidth, in GB/s: checks the size */
    ROLE_UNUSED,
    ROLES
};

/* Names of columns, without their unit. Of several times the first of this
 * list counts. */
static const struct {
    const char *name;
    enum role role;
} known[] = {
    {"bytes", ROLE_SIZE},
    {"size", ROLE_SIZE},
    {"buffer_size", ROLE_SIZE},
    {"message_size", ROLE_SIZE},
    {"msg_size", ROLE_SIZE},
    {"size_bytes", ROLE_SIZE},
    {"elements", ROLE_ELEMENTS},
    {"count", ROLE_ELEMENTS},
    {"array_dim", ROLE_ELEMENTS},
    {"type", ROLE_TYPE},
    {"dtype", ROLE_TYPE},
    {"datatype", ROLE_TYPE},
    {"ranks", ROLE_RANKS},
    {"gpus", ROLE_RANKS},
    {"n_ranks", ROLE_RANKS},
    {"nranks", ROLE_RANKS},
    {"np", ROLE_RANKS},
    {"processes", ROLE_RANKS},
    {"nodes", ROLE_NODES},
    {"nnodes", ROLE_NODES},
    {"tasks_per_node", ROLE_PER_NODE},
    {"gpus_per_node", ROLE_PER_NODE},
    {"median", ROLE_TIME},
    {"median_time", ROLE_TIME},
    {"p50", ROLE_TIME},
    {"time", ROLE_TIME},
    {"latency", ROLE_TIME},
    {"duration", ROLE_TIME},
    {"mean", ROLE_TIME},
    {"avg", ROLE_TIME},
    {"average", ROLE_TIME},
    {"p10", ROLE_LOW},
    {"percentile_10", ROLE_LOW},
    {"p90", ROLE_HIGH},
    {"percentile_90", ROLE_HIGH},
    {"wrong", ROLE_WRONG},
    {"#wrong", ROLE_WRONG},
    {"errors", ROLE_WRONG},
    {"algbw", ROLE_RATE},
    {"busbw", ROLE_RATE},
    {"min", ROLE_UNUSED},
    {"max", ROLE_UNUSED},
    {"std", ROLE_UNUSED},
    {"var", ROLE_UNUSED},
    {"iqr", ROLE_UNUSED},
    {"ci_lower", ROLE_UNUSED},
    {"ci_upper", ROLE_UNUSED},
    {"standard_error", ROLE_UNUSED},
    {"num_outliers", ROLE_UNUSED},
    {"iterations", ROLE_UNUSED},
    {"iters", ROLE_UNUSED},
    {"n_iter", ROLE_UNUSED},
    {"percentile_25", ROLE_UNUSED},
    {"percentile_75", ROLE_UNUSED},
};

/* A column of the file. */
struct column {
    char name[NAME];   /* as written, cut */
    enum role role;    /* ROLE_UNUSED as well: another one is better */
    size_t rank;       /* in `known` */
    double unit_ns;    /* of times; 0: it names none */
    char size_unit[8]; /* of sizes: "KiB"; "": it names none */
};

/* A file while it is read. */
struct reader {
    const struct orr_measurements_input *in;
    const struct orr_measurements_rules *rules;
    struct orr_scan s;
    struct column column[MOST_COLUMNS];
    uint32_t columns;
    bool words; /* fields are words: blanks divide them */
};

/* A row while it is read. */
struct row {
    bool has[ROLES];
    uint64_t bytes, elements, type, nodes, per_node;
    bool wrong;
    double gbps, most; /* bandwidth; times bytes per time that it may be */
    int rate_column;   /* where it stands, from 1 */
};

/* ---- names of columns --------------------------------------------------- */

/* What a unit is of; false: it is none. */
static bool take_unit(struct column *c, const char *text, size_t n)
{
    static const char *const sizes[] = {"B",   "KB",  "MB", "GB",
                                        "KiB", "MiB", "GiB"};
    double ns = orr__measurements_unit(text, n);
    if (ns > 0) {
        c->unit_ns = ns;
        return true;
    }
    if (n >= 2 && (text[0] == '(' || text[0] == '[')) {
        text++;
        n -= 2;
    }
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (strlen(sizes[i]) == n && memcmp(sizes[i], text, n) == 0) {
            snprintf(c->size_unit, sizeof c->size_unit, "%s", sizes[i]);
            return true;
        }
    return (n == 4 && memcmp(text, "GBps", 4) == 0)
           || (n == 4 && memcmp(text, "GB/s", 4) == 0);
}

/* "Median [us]" is "median" in us; "median_us" as well. */
static void take_name(struct column *c, const char *word)
{
    char name[NAME];
    size_t n = strlen(word), unit = n;
    snprintf(c->name, sizeof c->name, "%s", word);
    const char *open = n && word[n - 1] == ')'   ? strrchr(word, '(')
                       : n && word[n - 1] == ']' ? strrchr(word, '[')
                                                 : NULL;
    if (open)
        unit = (size_t)(open - word);
    else
        while (unit > 0 && word[unit - 1] != '_' && word[unit - 1] != ' ')
            unit--;
    if (unit > 0 && unit < n && take_unit(c, word + unit, n - unit))
        n = unit;
    while (n > 0 && (word[n - 1] == '_' || word[n - 1] == ' '))
        n--;
    snprintf(name, sizeof name, "%.*s", (int)(n < NAME ? n : NAME - 1), word);
    for (char *p = name; *p; p++)
        *p = *p == ' ' ? '_' : (char)tolower((unsigned char)*p);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].name, name) == 0) {
            c->role = known[i].role;
            c->rank = i;
            return;
        }
}

/* Of each role but for labels and the like the best column stays. */
static void keep_best(struct reader *r)
{
    for (uint32_t i = 0; i < r->columns; i++)
        for (uint32_t k = 0; k < i; k++) {
            struct column *a = &r->column[k], *b = &r->column[i];
            if (a->role != b->role || a->role == ROLE_LABEL
                || a->role == ROLE_UNUSED || a->role == ROLE_RATE)
                continue;
            if (b->rank < a->rank)
                a->role = ROLE_UNUSED;
            else
                b->role = ROLE_UNUSED;
        }
}

static bool next_field(struct reader *r)
{
    return r->words ? orr__scan_here(&r->s) : orr__scan_field(&r->s);
}

/* The first line that is no comment; false: there is none. */
static bool find_header(struct reader *r)
{
    do {
        const char *p = orr__scan_line_tail(&r->s);
        while (*p == ' ' || *p == '\t' || *p == '\r')
            p++;
        if (*p && *p != '\n' && *p != '#') {
            size_t n = strcspn(p, "\n");
            r->s.separator = memchr(p, ',', n)    ? ','
                             : memchr(p, ';', n)  ? ';'
                             : memchr(p, '\t', n) ? '\t'
                                                  : 0;
            r->words = r->s.separator == 0;
            return true;
        }
        while (orr__scan_here(&r->s))
            continue;
    } while (orr__scan_line_on(&r->s));
    return false;
}

static bool has_role(const struct reader *r, enum role role)
{
    for (uint32_t i = 0; i < r->columns; i++)
        if (r->column[i].role == role)
            return true;
    return false;
}

/* ECONFIG: more columns than there may be. */
static orr_err read_header(struct reader *r)
{
    if (!find_header(r))
        return ORR_OK;
    while (next_field(r)) {
        if (r->columns == MOST_COLUMNS)
            return orr__scan_fail(&r->s, "more than %d columns", MOST_COLUMNS);
        take_name(&r->column[r->columns++], r->s.word);
    }
    keep_best(r);
    return ORR_OK;
}

/* Columns without which nothing can be done. */
static orr_err check_header(struct reader *r)
{
    bool elements = has_role(r, ROLE_ELEMENTS);
    orr_err err = ORR_OK;
    if (!has_role(r, ROLE_SIZE) && !elements) {
        err = orr__scan_fail(&r->s, "no column of sizes");
        orr__hint(r->in->why, "call it bytes, or size_KiB; `elements` with "
                              "a column type");
    } else if (!has_role(r, ROLE_TIME)) {
        err = orr__scan_fail(&r->s, "no column of times");
        orr__hint(r->in->why, "call it time_us, median_us or mean_us");
    } else if (!has_role(r, ROLE_SIZE) && !has_role(r, ROLE_TYPE)
               && r->in->element == 0) {
        err = orr__scan_fail(&r->s, "sizes are in elements, and nothing says "
                                    "how large one is");
        orr__hint(r->in->why, "--element 4B, or a column type (int32, float, "
                              "...)");
    }
    return err;
}

bool orr__measurements_is_table(const struct orr_measurements_input *in)
{
    struct orr_report why = {0};
    struct orr_measurements_input copy = *in;
    struct reader r = {.in = &copy};
    copy.why = &why;
    bool is = orr__measurements_scan(&copy, &r.s) == ORR_OK
              && read_header(&r) == ORR_OK && r.columns > 1;
    orr__scan_fini(&r.s);
    return is;
}

/* ---- values ------------------------------------------------------------- */

/* With a unit of its own, or that of the column; else bytes. */
static orr_err take_size(struct reader *r, const struct column *c,
                         struct row *w)
{
    char text[64];
    const char *word = r->s.word;
    size_t n = r->s.length;
    if (n == 0)
        return orr__scan_fail(&r->s, "the size is missing");
    bool bare = strchr("0123456789.", word[n - 1]) != NULL;
    int length = snprintf(text, sizeof text, "%s%s", word,
                          !bare           ? ""
                          : *c->size_unit ? c->size_unit
                                          : "B");
    const char *wrong = "not a size";
    if (length > 0 && (size_t)length < sizeof text)
        wrong = orr__parse_size(text, &w->bytes);
    if (wrong)
        return orr__scan_fail(&r->s, "a size: %s", wrong);
    return w->bytes ? ORR_OK : orr__scan_fail(&r->s, "a size of 0");
}

static orr_err take_count(struct reader *r, const char *what, int64_t most,
                          uint64_t *value)
{
    int64_t n = 0;
    orr_err err = orr__scan_int(&r->s, what, 1, most, &n);
    *value = (uint64_t)n;
    return err;
}

static orr_err take_time(struct reader *r, const struct column *c, double *ns)
{
    double unit = c->unit_ns > 0 ? c->unit_ns : r->rules->unit_ns;
    return orr__measurements_time(&r->s, "a time", unit, ns);
}

static orr_err take_wrong(struct reader *r, struct row *w)
{
    double wrong = 0;
    if (strcmp(r->s.word, "N/A") == 0 || r->s.length == 0)
        return ORR_OK;
    orr_err err = orr__scan_real(&r->s, "the number of wrong elements", 0,
                                 INFINITY, &wrong);
    w->wrong = wrong > 0;
    return err;
}

/* A bandwidth is a check only: of the bus it may be twice the bytes by time. */
static void take_rate(struct reader *r, const struct column *c, struct row *w)
{
    double gbps;
    if (orr__parse_real(r->s.word, &gbps) || gbps < 1)
        return;
    w->gbps = gbps;
    w->most = tolower((unsigned char)c->name[0]) == 'a' ? 1.5 : 2.5;
    w->rate_column = orr__scan_column(&r->s);
}

/* A field of the last row of the whole, by its column. */
static orr_err take_field(struct reader *r, const struct column *c,
                          struct row *w)
{
    struct orr_measurements *m = r->in->out;
    struct orr_measurements_row *row = &m->row[m->n - 1];
    uint64_t ranks;
    orr_err err = ORR_OK;
    w->has[c->role] = true;
    switch (c->role) {
    case ROLE_SIZE: return take_size(r, c, w);
    case ROLE_ELEMENTS:
        return take_count(r, "a number of elements", INT64_MAX, &w->elements);
    case ROLE_RANKS:
        err =
            take_count(r, "a number of ranks", ORR_MEASUREMENTS_RANKS, &ranks);
        row->ranks = (uint32_t)ranks;
        return err;
    case ROLE_NODES:
        return take_count(r, "a number of nodes", ORR_MEASUREMENTS_RANKS,
                          &w->nodes);
    case ROLE_PER_NODE:
        return take_count(r, "ranks of a node", 1024, &w->per_node);
    case ROLE_TIME: return take_time(r, c, &row->time_ns);
    case ROLE_LOW: return r->s.length ? take_time(r, c, &row->low_ns) : ORR_OK;
    case ROLE_HIGH:
        return r->s.length ? take_time(r, c, &row->high_ns) : ORR_OK;
    case ROLE_WRONG: return take_wrong(r, w);
    case ROLE_RATE: take_rate(r, c, w); return ORR_OK;
    case ROLE_TYPE:
        w->type = orr__measurements_type(r->s.word);
        if (w->type == 0 && !has_role(r, ROLE_SIZE) && r->in->element == 0)
            return orr__scan_fail(&r->s, "the size of a \"%.20s\" is not known",
                                  r->s.word);
        return orr__measurements_set(r->in, c->name, r->s.word);
    case ROLE_LABEL: return orr__measurements_set(r->in, c->name, r->s.word);
    default: return ORR_OK;
    }
}

/* ---- rows --------------------------------------------------------------- */

/* Sizes in elements become bytes; both have to agree. */
static orr_err settle_size(struct reader *r, struct row *w)
{
    uint64_t type = r->in->element ? r->in->element : w->type, bytes;
    orr_err err = ORR_OK;
    if (!w->has[ROLE_ELEMENTS] || type == 0) {
        /* --element says that the only column of sizes has elements */
        if (r->in->element && w->has[ROLE_SIZE]
            && __builtin_mul_overflow(w->bytes, type, &w->bytes))
            return orr__scan_fail(&r->s, "more bytes than there can be");
        return ORR_OK;
    }
    if (__builtin_mul_overflow(w->elements, type, &bytes))
        return orr__scan_fail(&r->s, "more bytes than there can be");
    if (w->has[ROLE_SIZE] && w->bytes != bytes) {
        err = orr__scan_fail(
            &r->s, "%llu elements of %llu bytes are not %llu bytes",
            (unsigned long long)w->elements, (unsigned long long)type,
            (unsigned long long)w->bytes);
        orr__hint(r->in->why, "sizes have to be in bytes: leave out the "
                              "column that is wrong");
    }
    w->bytes = bytes;
    return err;
}

/* A bandwidth that the size cannot explain: elements, as a rule. */
static orr_err check_rate(struct reader *r, const struct row *w,
                          const struct orr_measurements_row *row)
{
    double seen = (double)row->bytes / row->time_ns;
    if (w->gbps == 0 || w->gbps < w->most * seen)
        return ORR_OK;
    orr_err err = orr__fail_at(
        r->in->why, ORR_ECONFIG, r->in->name, row->line, w->rate_column,
        "%g GB/s are %.1f times what %llu bytes in this time are", w->gbps,
        w->gbps / seen, (unsigned long long)row->bytes);
    orr__hint(r->in->why, "sizes in elements? then --element 4B; or another "
                          "unit of time");
    return err;
}

/* The end of a line: what its fields say together. */
static orr_err settle_row(struct reader *r, struct row *w)
{
    struct orr_measurements_row *row = &r->in->out->row[r->in->out->n - 1];
    orr_err err = settle_size(r, w);
    if (err)
        return err;
    row->bytes = w->bytes;
    row->counts = r->rules->counts;
    if (row->ranks == 0 && w->nodes && w->per_node
        && w->nodes * w->per_node <= ORR_MEASUREMENTS_RANKS)
        row->ranks = (uint32_t)(w->nodes * w->per_node);
    err = check_rate(r, w, row);
    if (!err && w->wrong) {
        orr__measurements_note(r->in, row->line,
                               "left out: the results of %llu bytes were wrong",
                               (unsigned long long)row->bytes);
        orr__measurements_drop(r->in);
    }
    return err;
}

/* ECONFIG as well for more rows than there may be. */
static orr_err read_row(struct reader *r)
{
    struct row w = {.bytes = 0};
    uint32_t i = 0;
    if (!orr__measurements_add(r->in, orr__scan_line(&r->s)))
        return r->in->out->n == ORR_MEASUREMENTS_MOST
                   ? orr__scan_fail(&r->s, "more than %d rows",
                                    ORR_MEASUREMENTS_MOST)
                   : orr__no_memory(r->in->why);
    while (next_field(r)) {
        if (i == r->columns)
            return orr__scan_fail(&r->s,
                                  "the table has %u columns, this line "
                                  "more",
                                  r->columns);
        orr_err err = take_field(r, &r->column[i++], &w);
        if (err)
            return err;
    }
    if (i < r->columns)
        return orr__scan_fail(&r->s, "the table has %u columns, this line %u",
                              r->columns, i);
    return settle_row(r, &w);
}

orr_err orr__measurements_table(const struct orr_measurements_input *in,
                                const struct orr_measurements_rules *rules)
{
    struct reader r = {.in = in, .rules = rules};
    orr_err err = orr__measurements_scan(in, &r.s);
    if (!err)
        err = read_header(&r);
    if (!err)
        err = check_header(&r);
    while (!err && orr__scan_line_on(&r.s)) {
        const char *p = orr__scan_line_tail(&r.s);
        p += strspn(p, " \t\r");
        if (*p != '#')
            err = read_row(&r);
        while (!err && *p == '#' && orr__scan_field(&r.s))
            continue;
    }
    orr__scan_fini(&r.s);
    return err;
}
