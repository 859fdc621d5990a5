#include "study/compare/measured.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/units.h"
#include "study/measured/rows.h"

/* What became of a row. */
enum { ROW_LEFT_OUT, ROW_CHOSEN, ROW_USED };

/* A combination, as rows are looked up by it. */
struct place {
    struct orr_compare *c;
    const struct orr_study_cell *cell;
    uint64_t bytes;
    uint32_t ranks;   /* 0: it has no jobs */
    const char *kind; /* of its collective; "" */
};

/* The effective configuration of a cell, to be freed with
 * orr__config_free. */
static orr_err read_config(const struct orr_study_cell *cell,
                           struct orr_config **out, struct orr_report *why)
{
    char *text = orr__format("%s1%s", cell->before, cell->after);
    orr_err err =
        text ? orr__config_parse("a combination", text, strlen(text), out, why)
             : orr__no_memory(why);
    orr__free(text);
    return err;
}

/* What a cell's configuration says of its size and ranks. */
static orr_err find_place(struct place *p, struct orr_report *why)
{
    struct orr_config *c = NULL;
    const char *key = NULL;
    orr_err err = read_config(p->cell, &c, why);
    if (!err)
        err = orr__size_key_find(c, &p->c->arena, &key, why);
    if (!err)
        err = orr__size_key_kind(key, &p->c->arena, &p->kind, why);
    if (!err) {
        const struct orr_yaml *n = orr__config_at(orr__config_root(c), key);
        const char *text = orr__yaml_is_scalar(n) ? orr__yaml_text(c, n) : NULL;
        uint64_t ranks = orr__config_number(c, "jobs[0].ranks");
        p->ranks = ranks <= ORR_MEASUREMENTS_RANKS ? (uint32_t)ranks : 0;
        if (!text || orr__parse_size(text, &p->bytes))
            p->bytes = 0;
    }
    orr__config_free(c);
    return err;
}

/* The column of texts that a dimension is; ORR_NONE: it is none. */
static uint32_t column_of(const struct orr_compare *c, uint32_t d)
{
    const struct orr_dimension *k = &c->m.dimension[d];
    uint32_t column = orr__measurements_label(&c->beside.m, k->name);
    return column != ORR_NONE ? column
                              : orr__measurements_label(&c->beside.m, k->key);
}

/* Whether a row is of the combination. */
static bool is_there(const struct place *p,
                     const struct orr_measurements_row *r)
{
    const struct orr_compare *c = p->c;
    if (r->ranks && p->ranks && r->ranks != p->ranks)
        return false;
    if (orr__measurements_held(r, p->ranks, p->kind) != p->bytes)
        return false;
    for (uint32_t d = 0; d < c->m.dimensions; d++) {
        uint32_t column = column_of(c, d);
        const char *name = c->m.dimension[d].variant[p->cell->variant[d]].name;
        if (column != ORR_NONE && !orr__rows_has(r, column, name, strlen(name)))
            return false;
    }
    return true;
}

/* Rows of one place that differ in a text: it has to be said which is meant. */
static orr_err check_labels(const struct orr_compare *c,
                            const struct orr_measurements_row *a,
                            const struct orr_measurements_row *b,
                            struct orr_report *why)
{
    for (uint32_t i = 0; i < c->beside.m.labels; i++) {
        const char *x = a->label[i] ? a->label[i] : "";
        const char *y = b->label[i] ? b->label[i] : "";
        if (strcmp(x, y) == 0)
            continue;
        orr_err err =
            orr__fail_at(why, ORR_ECONFIG, b->file, b->line, 1,
                         "line %d is of the same combination, but for "
                         "its %s: \"%.40s\", not \"%.40s\"",
                         a->line, c->beside.m.label[i], x, y);
        orr__hint(why, "choose rows: --where '%s=%.40s'", c->beside.m.label[i],
                  x);
        return err;
    }
    return ORR_OK;
}

/* The first row of a cell. */
static orr_err find_row(struct orr_compare *c,
                        const struct orr_compare_options *o, uint32_t index,
                        unsigned char *seen, struct orr_report *why)
{
    struct place p = {.c = c, .cell = &c->cell[index]};
    orr_err err = find_place(&p, why);
    for (uint32_t i = 0; i < c->beside.m.n && !err; i++) {
        const struct orr_measurements_row *r = &c->beside.m.row[i];
        bool chosen = false;
        err = orr__rows_choose(&c->beside.m, o->where, o->n_where, r, &chosen,
                               why);
        if (err || !chosen)
            continue;
        if (seen[i] == ROW_LEFT_OUT)
            seen[i] = ROW_CHOSEN;
        if (!is_there(&p, r))
            continue;
        seen[i] = ROW_USED;
        if (c->beside.row[index])
            err = check_labels(c, c->beside.row[index], r, why);
        else
            c->beside.row[index] = r;
    }
    return err;
}

/* The measure that they stand beside: the first time. */
static orr_err find_measure(struct orr_compare *c, struct orr_report *why)
{
    struct orr_study_measured *b = &c->beside;
    while (b->measure < c->measured
           && strcmp(c->measure[b->measure].unit, "ns") != 0)
        b->measure++;
    if (b->measure < c->measured)
        return ORR_OK;
    orr_err err =
        orr__fail(why, ORR_ECONFIG, "--measured: the study measures no time");
    orr__hint(why, "-m jobs.0.iteration_ns.mean");
    return err;
}

/* Rows that were meant, and are of no combination. */
static void count_unused(struct orr_compare *c, const unsigned char *seen)
{
    for (uint32_t i = 0; i < c->beside.m.n; i++)
        c->beside.unused += seen[i] == ROW_CHOSEN;
}

orr_err orr__study_measured(struct orr_compare *c,
                            const struct orr_compare_options *o,
                            struct orr_report *why)
{
    struct orr_study_measured *b = &c->beside;
    if (o->n_measured == 0)
        return ORR_OK;
    orr_err err = orr__rows_read(&b->m, o->measured, o->n_measured, NULL,
                                 o->element, why);
    unsigned char *seen = orr__alloc(b->m.n, sizeof *seen);
    b->row = orr__alloc(c->cells, sizeof *b->row);
    if (!err && (!seen || !b->row))
        err = orr__no_memory(why);
    if (!err)
        err = find_measure(c, why);
    for (uint32_t i = 0; i < c->looked_at && !err; i++) {
        err = find_row(c, o, i, seen, why);
        b->found += !err && b->row[i];
    }
    if (!err && b->found == 0) {
        err = orr__fail_at(why, ORR_ECONFIG, b->m.row[0].file, b->m.row[0].line,
                           1, "no row has the size and ranks of a combination");
        orr__hint(why,
                  "the study's size, ranks and columns like \"%s\" say "
                  "which row is meant",
                  b->m.labels ? b->m.label[0] : "algorithm");
    }
    if (!err)
        count_unused(c, seen);
    orr__free(seen);
    return err;
}

void orr__study_measured_fini(struct orr_study_measured *m)
{
    orr__measurements_fini(&m->m);
    orr__free(m->row);
}

/* ---- tables ------------------------------------------------------------- */

static const struct orr_measurements_row *row_of(
    const struct orr_compare *c, const struct orr_study_cell *cell)
{
    return c->beside.row ? c->beside.row[cell - c->cell] : NULL;
}

double orr__measured_ns(const struct orr_compare *c,
                        const struct orr_study_cell *cell)
{
    const struct orr_measurements_row *r = row_of(c, cell);
    return r ? r->time_ns : NAN;
}

double orr__measured_error(const struct orr_compare *c,
                           const struct orr_study_cell *cell)
{
    struct orr_estimated e = orr__study_estimate(cell, c->beside.measure);
    return e.n ? e.mean / orr__measured_ns(c, cell) - 1 : NAN;
}

void orr__measured_text(struct orr_text *t, const struct orr_compare *c,
                        const char *before)
{
    const struct orr_study_measured *b = &c->beside;
    if (!b->row)
        return;
    orr__text_add(t,
                  "%smeasured: %s; error: how far %s is off; rows for %u of %u "
                  "combinations",
                  before, b->m.row[0].file, c->measure[b->measure].path,
                  b->found, c->cells);
    if (b->unused)
        orr__text_add(t, "; %u other rows", b->unused);
    orr__text_add(t, "\n");
    for (const char *p = b->m.notes.s; p && *p;) {
        size_t n = strcspn(p, "\n");
        orr__text_add(t, "%s%.*s\n", before, (int)n, p);
        p += n + (p[n] == '\n');
    }
}

void orr__measured_json(struct orr_json *j, const struct orr_compare *c,
                        const struct orr_study_cell *cell)
{
    const struct orr_measurements_row *r = row_of(c, cell);
    if (!r)
        return;
    orr__json_flat_object(j, "measured");
    orr__json_real(j, "ns", r->time_ns);
    orr__json_real(j, "p10_ns", r->low_ns);
    orr__json_real(j, "p90_ns", r->high_ns);
    orr__json_real(j, "error", orr__measured_error(c, cell));
    orr__json_text(j, "file", r->file);
    orr__json_count(j, "line", (uint64_t)r->line);
    orr__json_end(j);
}
