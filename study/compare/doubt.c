/* What makes the figures of a study doubtful, for all that shows them: a mark
 * for each kind in its rows, and below them what these mean and how much. */
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/assert.h"
#include "core/none.h"
#include "study/compare/study.h"

enum {
    ROWS = 3,  /* of a kind, those that have most of it */
    TEXTS = 6, /* notes, and lists that are cut */
    FAILURES = 5,
};

struct orr_cell_doubt orr__cell_doubt(const struct orr_study_cell *cell)
{
    struct orr_cell_doubt c = {.runs = {0}};
    for (uint32_t i = 0; i < cell->trials; i++)
        for (int k = 0; k < ORR_DOUBTS; k++) {
            const struct orr_trial *t = &cell->trial[i], *w = c.worst[k];
            double amount = orr__doubt_amount(&t->doubt, k);
            if (!(amount > 0))
                continue;
            c.runs[k]++;
            if (!w || amount > orr__doubt_amount(&w->doubt, k))
                c.worst[k] = t;
        }
    return c;
}

void orr__cell_marks(const struct orr_study_cell *cell,
                     char marks[ORR_DOUBT_MARKS])
{
    struct orr_cell_doubt c = orr__cell_doubt(cell);
    size_t n = 0;
    for (int k = 0; k < ORR_DOUBTS; k++)
        if (c.worst[k])
            marks[n++] = orr__doubt_letters[k];
    marks[n] = '\0';
}

/* ---- lines -------------------------------------------------------------- */

/* A line below the table: the worst of the runs that have this doubt. */
struct row {
    const struct orr_study_cell *cell;
    const struct orr_trial *worst;
    uint32_t runs; /* that have it */
    double amount;
};

/* Most first; as the study has them among equals. */
static int by_amount(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (x->amount != y->amount)
        return x->amount > y->amount ? -1 : 1;
    return x->cell < y->cell ? -1 : x->cell > y->cell;
}

static void put_row(struct orr_text *t, const struct orr_compare *c,
                    const struct row *r, enum orr_doubt_kind k)
{
    char where[200];
    orr__matrix_describe(&c->m, r->cell->variant, where, sizeof where);
    orr__doubt_say(t, &r->worst->doubt, k);
    orr__text_add(t, " (%s", where);
    if (r->cell->trials > 1)
        orr__text_add(t, "%sseed %lld; in %u of %u runs", where[0] ? ", " : "",
                      (long long)r->worst->seed, r->runs, r->cell->trials);
    orr__text_add(t, ")");
}

/* The rows that have most of a kind, and how many others there are. */
static void put_rows(struct orr_text *t, const struct orr_compare *c,
                     const char *before, enum orr_doubt_kind k, struct row *row)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->cells; i++) {
        struct orr_cell_doubt d = orr__cell_doubt(&c->cell[i]);
        if (d.worst[k])
            row[n++] = (struct row){&c->cell[i], d.worst[k], d.runs[k],
                                    orr__doubt_amount(&d.worst[k]->doubt, k)};
    }
    if (n == 0)
        return;
    qsort(row, n, sizeof *row, by_amount);
    orr__text_add(t, "%s%c: ", before, orr__doubt_letters[k]);
    for (uint32_t i = 0; i < n && i < ROWS; i++) {
        orr__text_add(t, "%s", i ? "; " : "");
        put_row(t, c, &row[i], k);
    }
    if (n > ROWS) {
        orr__text_add(t, "; and %u more, the least ", n - ROWS);
        put_row(t, c, &row[n - 1], k);
    }
    orr__text_add(t, "\n");
}

/* A text that runs say, and how many do. */
struct said {
    char *text; /* owned */
    uint32_t runs;
};

/* Sentences of all runs, each once; owned until they are printed. */
struct all_said {
    struct said *said;
    uint32_t n, room; /* of `said` */
    struct orr_names names;
    bool failed; /* no memory */
};

/* Counts a sentence; `text` is not NUL-terminated. */
static void hear_one(struct all_said *a, const char *text, size_t length)
{
    char *copy = orr__format("%.*s", (int)length, text);
    uint32_t i = copy ? orr__names_find(&a->names, copy) : ORR_NONE;
    if (i != ORR_NONE) {
        ORR_ASSERT(a->said && i < a->n);
        a->said[i].runs++;
        orr__free(copy);
        return;
    }
    if (!copy || !orr__array_more(a->said, a->room, a->n)) {
        a->failed = true;
        orr__free(copy);
        return;
    }
    a->said[a->n] = (struct said){copy, 1};
    a->failed |= !orr__names_add(&a->names, copy, a->n);
    a->n++;
}

static void enter_lines(struct all_said *a, const char *lines)
{
    while (lines && *lines) {
        size_t n = strcspn(lines, "\n");
        hear_one(a, lines, n);
        lines += n + (lines[n] == '\n');
    }
}

/* Notes, or lists that are cut, each once. */
static void put_texts(struct orr_text *t, const struct orr_compare *c,
                      const char *before, enum orr_doubt_kind k)
{
    struct all_said a = {.said = NULL};
    uint32_t runs = 0;
    char letter = orr__doubt_letters[k];
    for (uint32_t i = 0; i < c->cells; i++)
        for (uint32_t s = 0; s < c->cell[i].trials; s++) {
            const struct orr_doubt *d = &c->cell[i].trial[s].doubt;
            enter_lines(&a, k == ORR_DOUBT_CUT ? d->cut : d->notes);
            runs++;
        }
    for (uint32_t i = 0; i < a.n && i < TEXTS; i++)
        orr__text_add(t, "%s%c: in %u of %u runs: %s%s\n", before, letter,
                      a.said[i].runs, runs, a.said[i].text,
                      k == ORR_DOUBT_CUT ? ": what is measured of all its "
                                           "members is not known"
                                         : "");
    if (a.n > TEXTS)
        orr__text_add(t, "%s%c: and %u more that differ: study.json has all\n",
                      before, letter, a.n - TEXTS);
    t->failed |= a.failed;
    for (uint32_t i = 0; i < a.n; i++)
        orr__free(a.said[i].text);
    orr__free(a.said);
    orr__names_fini(&a.names);
}

void orr__doubt_lines(struct orr_text *t, const struct orr_compare *c,
                      const char *before)
{
    struct row *row = orr__alloc(c->cells, sizeof *row);
    t->failed |= row == NULL;
    for (int k = 0; k < ORR_DOUBTS && row; k++)
        if (k == ORR_DOUBT_NOTED || k == ORR_DOUBT_CUT)
            put_texts(t, c, before, k);
        else
            put_rows(t, c, before, k, row);
    orr__free(row);
}

/* ---- runs that failed --------------------------------------------------- */

static void put_failure(struct orr_text *t, const struct orr_compare *c,
                        const struct orr_study_cell *cell,
                        const struct orr_trial *trial)
{
    char where[200];
    orr__matrix_describe(&c->m, cell->variant, where, sizeof where);
    orr__text_add(t, "  %s%sseed %lld: %s\n", where, where[0] ? ", " : "",
                  (long long)trial->seed, trial->reason);
}

char *orr__compare_failures(const struct orr_compare *c)
{
    struct orr_text t = {.s = NULL};
    struct orr_compare_count n = orr__compare_count(c);
    uint32_t reported = 0;
    orr__text_add(&t, "%s", "");
    if (n.failed)
        orr__text_add(&t, "%u of %u run%s failed\n", n.failed, n.runs,
                      n.runs == 1 ? "" : "s");
    for (uint32_t i = 0; i < c->cells; i++)
        for (uint32_t s = 0; s < c->cell[i].trials; s++) {
            const struct orr_trial *trial = &c->cell[i].trial[s];
            if (trial->state == ORR_TRIAL_FAILED && reported++ < FAILURES)
                put_failure(&t, c, &c->cell[i], trial);
        }
    if (reported > FAILURES)
        orr__text_add(&t, "  and %u more: %s/runs/*/log\n", reported - FAILURES,
                      c->folder);
    return orr__text_done(&t);
}

/* ---- JSON --------------------------------------------------------------- */

/* One kind of doubt as an object; runs 0: of a single run. */
static void put_kind(struct orr_json *j, const struct orr_doubt *d,
                     enum orr_doubt_kind k, uint32_t runs)
{
    struct orr_text t = {.s = NULL};
    char mark[2] = {orr__doubt_letters[k], '\0'};
    if (k == ORR_DOUBT_NOTED)
        orr__text_add(&t, "%s", d->notes);
    else if (k == ORR_DOUBT_CUT)
        orr__text_add(&t, "%s", d->cut);
    else
        orr__doubt_say(&t, d, k);
    char *says = orr__text_done(&t);
    j->text.failed |= says == NULL;
    orr__json_flat_object(j, NULL);
    orr__json_text(j, "mark", mark);
    orr__json_text(j, "says", says);
    orr__json_real(j, "amount", orr__doubt_amount(d, k));
    if (runs)
        orr__json_count(j, "runs", runs);
    orr__json_end(j);
    orr__free(says);
}

void orr__doubt_of_cell(struct orr_json *j, const struct orr_study_cell *cell)
{
    struct orr_cell_doubt c = orr__cell_doubt(cell);
    char marks[ORR_DOUBT_MARKS];
    orr__cell_marks(cell, marks);
    orr__json_text(j, "marks", marks);
    orr__json_list(j, "doubt");
    for (int k = 0; k < ORR_DOUBTS; k++)
        if (c.worst[k])
            put_kind(j, &c.worst[k]->doubt, k, c.runs[k]);
    orr__json_end(j);
}

void orr__doubt_of_run(struct orr_json *j, const struct orr_trial *t)
{
    char marks[ORR_DOUBT_MARKS];
    orr__doubt_marks(&t->doubt, marks);
    orr__json_text(j, "marks", marks);
    orr__json_list(j, "doubt");
    for (int k = 0; k < ORR_DOUBTS; k++)
        if (orr__doubt_amount(&t->doubt, k) > 0)
            put_kind(j, &t->doubt, k, 0);
    orr__json_end(j);
}
