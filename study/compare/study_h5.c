/* study.h5: a variable for each measure over the dimensions of the study and
 * its seeds, so that it opens as netCDF-4. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/config/yaml.h"
#include "record/record.h"
#include "study/compare/study.h"

/* The file while it is written: dimensions, then seeds. */
struct cube {
    struct orr_record *r;
    const struct orr_compare *c;
    int scale[ORR_MOST_DIMENSIONS + 1];
    uint64_t size[ORR_MOST_DIMENSIONS + 1];
    int64_t *seed;
    uint64_t cells; /* elements of a variable */
};

/* Columns of a study may be called as users like; what netCDF cannot have in a
 * name becomes an underscore. */
static void safe_name(const char *from, char *name, size_t size)
{
    snprintf(name, size, "%s", from);
    for (char *ch = name; *ch; ch++)
        if (*ch == '/' || *ch == ' ' || (unsigned char)*ch < 33)
            *ch = '_';
}

/* Names of variants, and seeds, as the scales of all variables. */
static orr_err write_scales(struct cube *b, struct orr_report *why)
{
    const struct orr_matrix *m = &b->c->m;
    for (uint32_t d = 0; d < m->dimensions; d++) {
        const struct orr_dimension *k = &m->dimension[d];
        const char **names = orr__alloc(k->variants, sizeof *names);
        if (!names)
            return orr__no_memory(why);
        for (uint32_t v = 0; v < k->variants; v++)
            names[v] = k->variant[v].name;
        b->scale[d] =
            orr__record_scale(b->r, ORR_RECORD_ROOT,
                              &(struct orr_record_column){
                                  k->name, ORR_RECORD_TEXT, "1", k->key, NULL},
                              k->variants);
        orr__record_write(b->r, b->scale[d], 0, k->variants, names);
        orr__free(names);
    }
    b->scale[m->dimensions] = orr__record_scale(
        b->r, ORR_RECORD_ROOT,
        &(struct orr_record_column){"seed", ORR_RECORD_I64, "1",
                                    "seed of the run", NULL},
        (uint32_t)b->size[m->dimensions]);
    orr__record_write(b->r, b->scale[m->dimensions], 0, b->size[m->dimensions],
                      b->seed);
    return ORR_OK;
}

/* Where a trial of a cell stands in a variable. */
static uint64_t place_of(const struct cube *b,
                         const struct orr_study_cell *cell, int64_t seed)
{
    const uint32_t n = b->c->m.dimensions;
    uint64_t at = 0, s = 0;
    for (uint32_t d = 0; d < n; d++)
        at = at * b->size[d] + cell->variant[d];
    while (b->seed[s] != seed)
        s++;
    return at * b->size[n] + s;
}

/* Of all trials, or half of the intervals that runs give; returns how many
 * there are. */
static uint32_t fill_values(const struct cube *b, uint32_t measure, bool half,
                            double *values)
{
    const struct orr_compare *c = b->c;
    uint32_t n = 0;
    for (uint64_t i = 0; i < b->cells; i++)
        values[i] = NAN;
    for (uint32_t i = 0; i < c->cells; i++)
        for (uint32_t k = 0; k < c->cell[i].trials; k++) {
            const struct orr_trial *t = &c->cell[i].trial[k];
            if (t->state != ORR_TRIAL_OK)
                continue;
            double x = half ? t->half[measure] : t->value[measure];
            values[place_of(b, &c->cell[i], t->seed)] = x;
            n += isfinite(x);
        }
    return n;
}

/* half: as NAME_half_interval, unless no run gives any. */
static void write_measure(struct cube *b, uint32_t measure, bool half,
                          double *values)
{
    const struct orr_compare *c = b->c;
    char name[256];
    if (fill_values(b, measure, half, values) == 0 && half)
        return;
    safe_name(c->measure[measure].path, name, sizeof name);
    if (half)
        snprintf(name + strlen(name), sizeof name - strlen(name),
                 "_half_interval");
    const struct orr_record_column column = {
        name,
        ORR_RECORD_F64,
        c->measure[measure].unit,
        half ? "half of the 95 % interval that the run gives"
             : c->measure[measure].path,
        NULL,
    };
    orr__record_array(b->r, ORR_RECORD_ROOT, &column, b->scale,
                      c->m.dimensions + 1, values);
}

/* ---- doubt --------------------------------------------------------------- */

/* Of each run a text, over the dimensions; "" where there is no run. `put` adds
 * that of one. */
static orr_err write_texts(struct cube *b, int group, const char *name,
                           const char *long_name,
                           void (*put)(struct orr_text *,
                                       const struct orr_doubt *),
                           struct orr_report *why)
{
    const struct orr_compare *c = b->c;
    const struct orr_record_column column = {name, ORR_RECORD_TEXT, "1",
                                             long_name, NULL};
    struct orr_arena arena = {0};
    const char **text = orr__alloc(b->cells, sizeof *text);
    bool fine = text != NULL;
    for (uint64_t i = 0; fine && i < b->cells; i++)
        text[i] = "";
    for (uint32_t i = 0; i < c->cells; i++)
        for (uint32_t k = 0; fine && k < c->cell[i].trials; k++) {
            const struct orr_trial *trial = &c->cell[i].trial[k];
            struct orr_text t = {.s = NULL};
            orr__text_add(&t, "%s", "");
            put(&t, &trial->doubt);
            char *made = orr__text_done(&t);
            char *kept = made ? orr__arena_strdup(&arena, made) : NULL;
            orr__free(made);
            text[place_of(b, &c->cell[i], trial->seed)] = kept;
            fine = kept != NULL;
        }
    if (fine)
        orr__record_array(b->r, group, &column, b->scale, c->m.dimensions + 1,
                          text);
    orr__free(text);
    orr__arena_fini(&arena);
    return fine ? ORR_OK : orr__no_memory(why);
}

static void put_marks(struct orr_text *t, const struct orr_doubt *d)
{
    char marks[ORR_DOUBT_MARKS];
    orr__doubt_marks(d, marks);
    orr__text_add(t, "%s", marks);
}

/* The lines that stand below the table, for pages and pictures. */
static orr_err write_lines(struct cube *b, int group, struct orr_report *why)
{
    struct orr_text t = {.s = NULL};
    uint64_t n = 0;
    orr__text_add(&t, "%s", "");
    orr__doubt_lines(&t, b->c, "");
    char *all = orr__text_done(&t), *line, *next;
    if (!all)
        return orr__no_memory(why);
    int scale = *all ? orr__record_scale(
                    b->r, group,
                    &(struct orr_record_column){
                        "line", ORR_RECORD_TEXT, "1",
                        "what marks mean, and how much it is", NULL},
                    ORR_DOUBTS)
                     : -1;
    for (line = all; *line; line = next) {
        next = strchr(line, '\n');
        *next++ = '\0';
        orr__record_write(b->r, scale, n++, 1, &line);
    }
    orr__free(all);
    return ORR_OK;
}

/* Marks and sentences of each run, then lines about all. */
static orr_err write_doubt(struct cube *b, struct orr_report *why)
{
    int group = orr__record_group(b->r, "doubt");
    orr_err err = write_texts(b, group, "marks",
                              "marks of what makes the "
                              "figures of a run doubtful",
                              put_marks, why);
    if (!err)
        err = write_texts(b, group, "says", "what they mean of this run",
                          orr__doubt_text, why);
    return err ? err : write_lines(b, group, why);
}

/* The title is the configuration's, or the name of its file. */
static orr_err write_all(struct cube *b, struct orr_report *why)
{
    const struct orr_compare *c = b->c;
    double *values = orr__alloc(b->cells, sizeof *values);
    if (!values)
        return orr__no_memory(why);
    orr__record_text(b->r, ORR_RECORD_ROOT, "Conventions", "CF-1.10");
    const struct orr_yaml *title =
        orr__yaml_get(orr__config_root(c->m.base), "title");
    bool said = title && title->kind == ORR_YAML_SCALAR && title->text[0];
    orr__record_text(b->r, ORR_RECORD_ROOT, "title",
                     said ? title->text : c->m.stem);
    orr_err err = write_scales(b, why);
    for (uint32_t i = 0; i < c->measures && !err; i++) {
        write_measure(b, i, false, values);
        write_measure(b, i, true, values);
    }
    orr__free(values);
    return err ? err : write_doubt(b, why);
}

orr_err orr__study_h5(const struct orr_compare *c, struct orr_report *why)
{
    struct cube b = {.c = c, .cells = 1};
    const uint32_t n = c->m.dimensions;
    uint32_t seeds = 0;
    b.seed = orr__study_seeds(c, &seeds);
    char *path = orr__format("%s/study.h5", c->folder);
    char *partial = orr__format("%s/study.h5.partial", c->folder);
    orr_err err = b.seed && path && partial ? ORR_OK : orr__no_memory(why);
    for (uint32_t d = 0; d <= n; d++) {
        b.size[d] = d < n ? c->m.dimension[d].variants : seeds;
        b.cells *= b.size[d];
    }
    if (!err)
        err = orr__record_open(partial, &b.r, why);
    if (!err) {
        err = write_all(&b, why);
        if (err)
            orr__record_discard(b.r, false);
        else
            err = orr__record_close(b.r, path, why);
    }
    orr__free(b.seed);
    orr__free(path);
    orr__free(partial);
    return err;
}
