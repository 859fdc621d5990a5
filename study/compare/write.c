/* Files of a study: tidy CSV, JSON, the table in Markdown. All are made of the
 * outcomes alone, in the order of the study, so that they are the same however
 * the runs came about. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/escape.h"
#include "core/file.h"
#include "core/json.h"
#include "core/none.h"
#include "study/compare/measured.h"
#include "study/compare/study.h"

orr_err orr__study_file(const struct orr_compare *c, const char *name,
                        const char *text, struct orr_report *why)
{
    struct orr_file f = {.out = NULL};
    char *path = orr__format("%s/%s", c->folder, name);
    orr_err err = path && text ? ORR_OK : orr__no_memory(why);
    if (!err)
        err = orr__file_open(&f, path, why);
    if (!err) {
        orr__file_put(&f, text, strlen(text));
        err = orr__file_close(&f, ORR_OK, why);
    }
    orr__free(path);
    return err;
}

/* ---- CSV ---------------------------------------------------------------- */

static void put_field(struct orr_text *t, const char *text)
{
    orr__escape_csv(t, text);
    orr__text_add(t, ",");
}

/* The shortest of two that reads back. */
static void put_number(struct orr_text *t, double value)
{
    char text[32];
    double back = 0;
    snprintf(text, sizeof text, "%.15g", value);
    if (sscanf(text, "%lf", &back) != 1 || back != value)
        snprintf(text, sizeof text, "%.17g", value);
    orr__text_add(t, "%s", text);
}

/* "ok", "absent" (the summary has no such figure), "missing", or why it
 * failed. */
static void put_status(struct orr_text *t, const struct orr_trial *trial,
                       bool there)
{
    struct orr_text status = {.s = NULL};
    switch (trial->state) {
    case ORR_TRIAL_OK: orr__text_add(&status, there ? "ok" : "absent"); break;
    case ORR_TRIAL_FAILED:
        orr__text_add(&status, "failed: %s", trial->reason);
        break;
    case ORR_TRIAL_MISSING:
    case ORR_TRIAL_RUNNING: orr__text_add(&status, "missing"); break;
    }
    char *text = orr__text_done(&status);
    t->failed |= !text;
    if (text)
        put_field(t, text);
    orr__free(text);
}

/* Marks, and what they mean of this run: the last fields of a row. */
static void put_doubt(struct orr_text *t, const struct orr_trial *trial)
{
    struct orr_text doubt = {.s = NULL};
    char marks[ORR_DOUBT_MARKS];
    orr__doubt_marks(&trial->doubt, marks);
    orr__text_add(&doubt, "%s", "");
    orr__doubt_text(&doubt, &trial->doubt);
    char *text = orr__text_done(&doubt);
    t->failed |= !text;
    put_field(t, marks);
    if (text)
        put_field(t, text);
    orr__free(text);
    if (t->length && !t->failed)
        t->s[t->length - 1] = '\n';
}

/* What was measured, in rows of the measure that it stands beside, and the
 * share by which this run is off. */
static void put_beside(struct orr_text *t, const struct orr_compare *c,
                       const struct orr_study_cell *cell, uint32_t measure,
                       double value)
{
    double ns = orr__measured_ns(c, cell);
    bool beside = measure == c->beside.measure && isfinite(ns);
    if (!c->beside.row)
        return;
    if (beside)
        put_number(t, ns);
    orr__text_add(t, ",");
    if (beside && isfinite(value))
        put_number(t, value / ns - 1);
    orr__text_add(t, ",");
}

/* One measure of one run, as a line of tidy CSV. */
static void put_row(struct orr_text *t, const struct orr_compare *c,
                    const struct orr_study_cell *cell,
                    const struct orr_trial *trial, uint32_t measure)
{
    double value = trial->state == ORR_TRIAL_OK ? trial->value[measure] : NAN;
    for (uint32_t d = 0; d < c->m.dimensions; d++)
        put_field(t, c->m.dimension[d].variant[cell->variant[d]].name);
    orr__text_add(t, "%lld,", (long long)trial->seed);
    put_field(t, c->measure[measure].path);
    if (isfinite(value))
        put_number(t, value);
    orr__text_add(t, ",");
    put_field(t, c->measure[measure].unit);
    put_status(t, trial, isfinite(value));
    put_beside(t, c, cell, measure, value);
    put_doubt(t, trial);
}

orr_err orr__study_csv(const struct orr_compare *c, struct orr_report *why)
{
    struct orr_text t = {.s = NULL};
    for (uint32_t d = 0; d < c->m.dimensions; d++)
        put_field(&t, c->m.dimension[d].name);
    orr__text_add(&t, "seed,measure,value,unit,status,%smarks,doubt\n",
                  c->beside.row ? "measured_ns,error," : "");
    for (uint32_t i = 0; i < c->cells; i++)
        for (uint32_t k = 0; k < c->cell[i].trials; k++)
            for (uint32_t m = 0; m < c->measures; m++)
                put_row(&t, c, &c->cell[i], &c->cell[i].trial[k], m);
    char *text = orr__text_done(&t);
    orr_err err = orr__study_file(c, "table.csv", text, why);
    orr__free(text);
    return err;
}

/* ---- JSON --------------------------------------------------------------- */

static void put_variants(struct orr_json *j, const char *key,
                         const struct orr_compare *c, const uint32_t *variant)
{
    orr__json_flat_object(j, key);
    for (uint32_t d = 0; d < c->m.dimensions; d++)
        if (variant[d] != ORR_NONE)
            orr__json_text(j, c->m.dimension[d].name,
                           c->m.dimension[d].variant[variant[d]].name);
    orr__json_end(j);
}

/* What the study is; `baseline` null: nothing is compared. */
static void put_head(struct orr_json *j, const struct orr_compare *c)
{
    orr__json_text(j, "orrery", orr_version());
    orr__json_text(j, "study", c->m.stem);
    if (c->m.claim && c->m.claim[0])
        orr__json_text(j, "claim", c->m.claim);
    orr__json_list(j, "dimensions");
    for (uint32_t d = 0; d < c->m.dimensions; d++) {
        const struct orr_dimension *k = &c->m.dimension[d];
        orr__json_object(j, NULL);
        orr__json_text(j, "name", k->name);
        orr__json_text(j, "key", k->key);
        orr__json_list(j, "variants");
        for (uint32_t v = 0; v < k->variants; v++)
            orr__json_text(j, NULL, k->variant[v].name);
        orr__json_end(j);
        orr__json_end(j);
    }
    orr__json_end(j);
    orr__json_list(j, "measures");
    for (uint32_t m = 0; m < c->measures; m++) {
        orr__json_flat_object(j, NULL);
        orr__json_text(j, "path", c->measure[m].path);
        orr__json_text(j, "unit", c->measure[m].unit);
        orr__json_end(j);
    }
    orr__json_end(j);
    if (c->m.no_baseline)
        orr__json_null(j, "baseline");
    else
        put_variants(j, "baseline", c, c->m.baseline);
    orr__until_asked(j, c);
    if (c->m.equal.wanted)
        orr__json_text(j, "prices", c->m.equal.prices.source);
}

static void put_estimated(struct orr_json *j, const char *key,
                          const struct orr_estimated *e)
{
    orr__json_flat_object(j, key);
    orr__json_count(j, "n", e->n);
    orr__json_real(j, "mean", e->mean);
    orr__json_real(j, "half_interval", e->half);
    orr__json_end(j);
}

/* The mean and its interval; against the baseline the difference too,
 * significant if its interval leaves out 0. */
static void put_measure(struct orr_json *j, const struct orr_compare *c,
                        const struct orr_study_cell *cell, uint32_t m)
{
    const struct orr_study_cell *baseline = orr__plan_baseline(c, cell);
    struct orr_estimated e = orr__study_estimate(cell, m), d;
    orr__json_object(j, NULL);
    orr__json_text(j, "path", c->measure[m].path);
    put_estimated(j, "value", &e);
    if (baseline && baseline != cell) {
        d = orr__study_change(cell, baseline, m);
        e = orr__study_estimate(baseline, m);
        put_estimated(j, "difference", &d);
        orr__json_real(j, "relative",
                       e.mean != 0 ? d.mean / fabs(e.mean) : NAN);
        if (isnan(d.half))
            orr__json_null(j, "significant");
        else
            orr__json_flag(j, "significant", fabs(d.mean) > d.half);
    }
    orr__json_end(j);
}

/* One run by its hash; values in the order of measures. */
static void put_trial(struct orr_json *j, const struct orr_compare *c,
                      const struct orr_trial *t)
{
    static const char *const states[] = {"missing", "missing", "ok", "failed"};
    orr__json_flat_object(j, NULL);
    orr__json_count(j, "seed", (uint64_t)t->seed);
    orr__json_text(j, "run", t->hash);
    orr__json_text(j, "status", states[t->state]);
    if (t->state == ORR_TRIAL_FAILED)
        orr__json_text(j, "reason", t->reason);
    if (t->state == ORR_TRIAL_OK) {
        orr__json_list(j, "values");
        for (uint32_t m = 0; m < c->measures; m++)
            orr__json_real(j, NULL, t->value[m]);
        orr__json_end(j);
    }
    orr__doubt_of_run(j, t);
    orr__json_end(j);
}

orr_err orr__study_json(const struct orr_compare *c, struct orr_report *why)
{
    struct orr_json j = {.depth = 0};
    orr__json_object(&j, NULL);
    put_head(&j, c);
    orr__json_list(&j, "cells");
    for (uint32_t i = 0; i < c->cells; i++) {
        const struct orr_study_cell *cell = &c->cell[i];
        orr__json_object(&j, NULL);
        put_variants(&j, "at", c, cell->variant);
        if (cell->given)
            orr__json_text(&j, "links", cell->rates);
        orr__until_reached(&j, c, cell);
        orr__doubt_of_cell(&j, cell);
        orr__measured_json(&j, c, cell);
        orr__json_list(&j, "measures");
        for (uint32_t m = 0; m < c->measures; m++)
            put_measure(&j, c, cell, m);
        orr__json_end(&j);
        orr__json_list(&j, "runs");
        for (uint32_t k = 0; k < cell->trials; k++)
            put_trial(&j, c, &cell->trial[k]);
        orr__json_end(&j);
        orr__json_end(&j);
    }
    orr__json_end(&j);
    orr__json_end(&j);
    char *text = orr__json_done(&j);
    orr_err err = orr__study_file(c, "study.json", text, why);
    orr__free(text);
    return err;
}

/* ---- all ---------------------------------------------------------------- */

orr_err orr__compare_write(struct orr_compare *c, struct orr_report *why)
{
    char *table = NULL;
    orr_err err = orr__compare_table(c, ORR_COMPARE_MARKDOWN, &table, why);
    if (!err)
        err = orr__study_csv(c, why);
    if (!err)
        err = orr__study_file(c, "table.md", table, why);
    if (!err)
        err = orr__study_json(c, why);
    orr__free(table);
    return err ? err : orr__study_h5(c, why);
}
