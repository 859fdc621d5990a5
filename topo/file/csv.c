/* Edges as comma-separated values, a cable a line: from, to, and optionally
 * rate and delay; or, where the first line holds names, the columns in its
 * order. Nodes are called as they like, and come in the order in which the file
 * names them first. An empty field is one that is not there. Where the first
 * line has no comma, fields are separated by what it has: semicolons, tabs or
 * bars. Lines that begin with # are comments. */
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "core/config/module.h"
#include "core/names.h"
#include "core/table.h"
#include "topo/file/file.h"

enum column { FROM, TO, RATE, DELAY, LOSS, TIER, COLUMNS };

/* The reader's state, freed by read_csv. */
struct csv {
    struct orr_sketch *sketch;
    struct orr_scan scan;
    struct orr_names nodes;
    struct orr_table line; /* of an edge, by its ends: where it stands first */
    uint8_t what[COLUMNS]; /* enum column of each */
    unsigned columns;
};

/* One line; `lacks` holds the rate and delay that it does not say. */
struct edge {
    uint32_t end[2];
    struct orr_line line;
    unsigned lacks;
    char tier[64];
};

/* ---- the first line ---------------------------------------------------- */

static const struct name {
    const char *text;
    enum column column;
} names[] = {
    {"from", FROM}, {"to", TO},     {"rate", RATE},   {"delay", DELAY},
    {"loss", LOSS}, {"tier", TIER}, {"source", FROM}, {"target", TO},
    {"src", FROM},  {"dst", TO},
};
enum { NAMES = sizeof names / sizeof *names };

static enum column column_of(const char *word)
{
    for (size_t i = 0; i < NAMES; i++)
        if (strcasecmp(names[i].text, word) == 0)
            return names[i].column;
    return COLUMNS;
}

/* At the word, with the nearest column as a hint. */
static orr_err unknown_column(struct orr_scan *s)
{
    const char *known[NAMES + 1] = {NULL};
    for (size_t i = 0; i < NAMES; i++)
        known[i] = names[i].text;
    orr_err err = orr__scan_fail(s, "there is no column \"%.40s\"", s->word);
    if (!orr__hint_nearest(s->why, known, s->word))
        orr__hint(s->why, "columns are from, to, rate, delay, loss and tier");
    return err;
}

/* From the second name on; the scan is at the first, which is one. */
static orr_err read_names(struct csv *c)
{
    struct orr_scan *s = &c->scan;
    unsigned seen = 0;
    c->columns = 0;
    do {
        enum column what = column_of(s->word);
        if (what == COLUMNS)
            return unknown_column(s);
        if (seen >> what & 1)
            return orr__scan_fail(s, "there are two columns of %s",
                                  names[what].text);
        seen |= 1u << what;
        c->what[c->columns++] = (uint8_t)what;
    } while (orr__scan_field(s));
    for (unsigned i = FROM; i <= TO; i++)
        if (!(seen >> i & 1))
            return orr__scan_fail(s, "there is no column \"%s\"",
                                  names[i].text);
    return ORR_OK;
}

/* What the first line that is no comment has, in order of preference; a comma
 * if none. */
static char separator_of(const char *text)
{
    static const char all[] = ",;\t|";
    while (*text == '#' || *text == '\n' || *text == '\r') {
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    size_t n = strcspn(text, "\n");
    for (const char *c = all; *c; c++)
        if (memchr(text, *c, n))
            return *c;
    return ',';
}

/* ---- a line ------------------------------------------------------------ */

/* The node of this name, or a new one. */
static orr_err find_node(struct csv *c, uint32_t *node, struct orr_report *why)
{
    struct orr_sketch *k = c->sketch;
    struct orr_scan *s = &c->scan;
    if (s->length == 0)
        return orr__scan_fail(s, "the name of a node is missing");
    *node = orr__names_find(&c->nodes, s->word);
    if (*node != ORR_NONE)
        return ORR_OK;
    *node = k->nodes;
    orr_err err = orr__sketch_node(k, false, why);
    if (err)
        return err;
    struct orr_sketch_node *n = &k->node[*node];
    n->name = n->label = orr__arena_strdup(&k->arena, s->word);
    if (!n->name || !orr__names_add(&c->nodes, n->name, *node))
        return orr__no_memory(why);
    if (orr__sketch_type(k, ""))
        return ORR_OK;
    err = orr__scan_fail(
        s, "node \"%.80s\" has no type: the format csv has none", n->name);
    orr__sketch_type_hint(why);
    return err;
}

/* An empty field leaves the value and stays among what is lacking, but for the
 * ends. */
static orr_err read_field(struct csv *c, enum column what, struct edge *e,
                          struct orr_report *why)
{
    struct orr_scan *s = &c->scan;
    orr_err err = ORR_OK;
    if (what == FROM || what == TO)
        return find_node(c, &e->end[what], why);
    if (s->length == 0)
        return ORR_OK;
    switch (what) {
    case RATE:
        err = orr__scan_rate(s, "the rate", NULL, &e->line.rate_bps);
        if (!err && e->line.rate_bps == 0)
            err = orr__scan_fail(s, "the rate is 0");
        e->lacks &= ~(unsigned)ORR_LACKS_RATE;
        break;
    case DELAY:
        err = orr__scan_time(s, "the delay", NULL, &e->line.delay_ps);
        if (!err && e->line.delay_ps == 0)
            err = orr__scan_fail(s, "the delay is 0: every link needs a "
                                    "propagation delay > 0");
        e->lacks &= ~(unsigned)ORR_LACKS_DELAY;
        break;
    case LOSS: err = orr__scan_real(s, "the loss", 0, 1, &e->line.loss); break;
    default:
        if (s->length >= sizeof e->tier)
            return orr__scan_fail(s, "a tier has 63 bytes at most");
        memcpy(e->tier, s->word, s->length + 1);
    }
    return err;
}

/* The same two nodes the other way round may be meant as the same cable. */
static orr_err check_mutual(struct csv *c, const struct edge *e,
                            struct orr_report *why)
{
    const struct orr_sketch_node *n = c->sketch->node;
    uint64_t there = (uint64_t)e->end[0] << 32 | e->end[1];
    uint64_t back = (uint64_t)e->end[1] << 32 | e->end[0];
    if (e->end[0] == e->end[1])
        return orr__scan_fail(&c->scan, "an edge joins \"%.80s\" to itself",
                              n[e->end[0]].name);
    uint32_t line = orr__table_find(&c->line, back);
    if (line != ORR_NONE)
        return orr__scan_fail(&c->scan,
                              "line %" PRIu32 " has an edge from \"%.80s\" to "
                              "\"%.80s\": an edge is a cable in both "
                              "directions; two cables are two lines with the "
                              "ends in one order",
                              line, n[e->end[1]].name, n[e->end[0]].name);
    if (orr__table_find(&c->line, there) == ORR_NONE
        && !orr__table_add(&c->line, there, (uint32_t)orr__scan_line(&c->scan)))
        return orr__no_memory(why);
    return ORR_OK;
}

/* Without topology.link each edge must say rate and delay itself. */
static orr_err check_complete(struct csv *c, const struct edge *e)
{
    const char *what = e->lacks & ORR_LACKS_RATE    ? "rate"
                       : e->lacks & ORR_LACKS_DELAY ? "delay"
                                                    : NULL;
    if (!what || c->sketch->draft->has_link)
        return ORR_OK;
    orr_err err = orr__scan_fail(&c->scan, "the edge has no %s", what);
    orr__hint(c->scan.why,
              "give each edge a %s, or set topology.link for all without one",
              what);
    return err;
}

/* The scan is at the line's first field. */
static orr_err read_edge(struct csv *c, struct orr_report *why)
{
    struct orr_scan *s = &c->scan;
    struct edge e = {
        .line = c->sketch->draft->link,
        .lacks = ORR_LACKS_RATE | ORR_LACKS_DELAY,
        .tier = "link",
    };
    unsigned i = 0;
    orr_err err;
    do {
        if (i == c->columns && s->length == 0 && !s->goes_on)
            break; /* a separator at the line's end */
        if (i == c->columns)
            return orr__scan_fail(s, "a line of %u fields at most is expected",
                                  c->columns);
        err = read_field(c, (enum column)c->what[i++], &e, why);
        if (err)
            return err;
    } while (orr__scan_field(s));
    for (unsigned k = i; k < c->columns; k++)
        if (c->what[k] == FROM || c->what[k] == TO)
            return orr__scan_fail(s, "the name of a node is missing");
    err = check_mutual(c, &e, why);
    if (!err)
        err = check_complete(c, &e);
    if (!err)
        err = orr__sketch_cable(c->sketch, e.end[0], e.end[1], e.tier, &e.line,
                                why);
    if (!err)
        orr__sketch_lacks(c->sketch, e.lacks);
    return err;
}

/* ---- the file ---------------------------------------------------------- */

/* The first line is a header if its first word is a column's name. A file
 * without edges is refused. */
static orr_err read_lines(struct csv *c, struct orr_report *why)
{
    struct orr_scan *s = &c->scan;
    bool first = true;
    orr_err err = ORR_OK;
    while (!err && orr__scan_line_on(s) && orr__scan_field(s)) {
        bool header = first && column_of(s->word) < COLUMNS;
        first = false;
        err = header ? read_names(c) : read_edge(c, why);
    }
    if (!err && c->sketch->cables == 0)
        err = orr__scan_fail(s, "there is no edge in it");
    return err;
}

/* Without a header the columns are from, to, rate, delay. */
static orr_err read_csv(struct orr_sketch *s, struct orr_report *why)
{
    struct csv c = {
        .sketch = s,
        .what = {FROM, TO, RATE, DELAY},
        .columns = 4,
    };
    orr_err err = orr__sketch_open(s, &c.scan, why);
    if (err)
        return err;
    s->springs = true;
    c.scan.comment = '#';
    c.scan.separator = separator_of(orr__scan_line_tail(&c.scan));
    err = read_lines(&c, why);
    orr__names_fini(&c.nodes);
    orr__table_fini(&c.line);
    orr__scan_fini(&c.scan);
    return err;
}

extern const struct orr_topology_format_ops orr__topology_format_csv;
const struct orr_topology_format_ops orr__topology_format_csv = {
    .name = "csv",
    .doc = "Edges, one a line: from,to[,rate[,delay]], or columns by the names "
           "in the first line (also loss and tier); `vertices` says what "
           "nodes are.",
    .open = true,
    .read = read_csv,
};
