/* A comparison: for each measure the mean over the seeds and its 95 % interval
 * (Student's t), over the dimensions. */
#include "study/report/view.h"

#include <math.h>
#include <string.h>

#include <gsl/gsl_cdf.h>

#include "core/memory.h"
#include "experiment/doubt.h"
#include "study/titles.h"

#define HALF "_half_interval"

/* Mean and half width of the interval of n values, those that are numbers: if
 * they are the same, that which the first run gives itself (own, or NULL). */
static void interval(const double *x, const double *own, uint64_t n,
                     double *mean, double *half)
{
    double sum = 0, squares = 0, k = 0;
    uint64_t first = n;
    bool same = true;
    for (uint64_t i = 0; i < n; i++)
        if (isfinite(x[i])) {
            first = first < n ? first : i;
            same &= x[i] == x[first];
            sum += x[i];
            k++;
        }
    *mean = k > 0 ? sum / k : NAN;
    *half = NAN;
    for (uint64_t i = 0; i < n; i++)
        if (isfinite(x[i]))
            squares += (x[i] - *mean) * (x[i] - *mean);
    if (k > 1)
        *half = gsl_cdf_tdist_Pinv(0.975, k - 1) * sqrt(squares / (k - 1) / k);
    if (own && same && first < n && isfinite(own[first]))
        *half = own[first];
}

/* Of the runs of a measure their own halves, if they give any: else NULL. */
static orr_err read_halves(struct orr_reader *r, const char *path, uint64_t n,
                           double **own, struct orr_report *why)
{
    uint64_t m = 0;
    char *name = orr__format("%s" HALF, path);
    orr_err err = name ? ORR_OK : orr__no_memory(why);
    *own = NULL;
    if (name && orr__reader_has(r, name))
        err =
            orr__reader_column(r, name, ORR_RECORD_F64, (void **)own, &m, why);
    if (m != n) {
        orr__free(*own);
        *own = NULL;
    }
    orr__free(name);
    return err;
}

/* Mean and half interval of each cell over its seeds, with one seed the run's
 * own interval; and what each run says, for pictures. */
static orr_err put_cells(struct orr_reader *r, json_t *to, const char *path,
                         uint64_t seeds, struct orr_report *why)
{
    double *x, *own = NULL;
    uint64_t n = 0;
    orr_err err =
        orr__reader_column(r, path, ORR_RECORD_F64, (void **)&x, &n, why);
    if (err)
        return err;
    err = read_halves(r, path, n, &own, why);
    uint64_t cells = seeds ? n / seeds : 0;
    double *mean = orr__alloc(cells, sizeof *mean);
    double *half = orr__alloc(cells, sizeof *half);
    if (!err && (!mean || !half))
        err = orr__no_memory(why);
    for (uint64_t i = 0; i < cells && !err; i++)
        interval(x + i * seeds, own ? own + i * seeds : NULL, seeds, &mean[i],
                 &half[i]);
    if (!err)
        err = orr__view_put(to, "mean", orr__view_doubles(mean, cells), why);
    if (!err)
        err = orr__view_put(to, "half", orr__view_doubles(half, cells), why);
    if (!err)
        err = orr__view_put(to, "runs", orr__view_doubles(x, n), why);
    orr__free(x);
    orr__free(own);
    orr__free(mean);
    orr__free(half);
    return err;
}

/* What the measure is called in words. */
static orr_err put_title(json_t *m, struct orr_report *why)
{
    const char *path = json_string_value(json_object_get(m, "long_name"));
    struct orr_text t = {.s = NULL};
    orr__text_add(&t, "%s", "");
    orr__title_of_figure(&t, path ? path : "");
    char *title = orr__text_done(&t);
    orr_err err = title ? orr__view_put(m, "title", orr__view_text(title), why)
                        : orr__no_memory(why);
    orr__free(title);
    return err;
}

/* One variable with its unit. */
static orr_err add_measure(struct orr_reader *r, json_t *list, const char *path,
                           uint64_t seeds, struct orr_report *why)
{
    json_t *m = json_object();
    orr_err err = orr__view_attribute(r, m, path, "long_name", why);
    if (!err)
        err = orr__view_attribute(r, m, path, "units", why);
    if (!err)
        err = put_title(m, why);
    if (!err)
        err = put_cells(r, m, path, seeds, why);
    if (json_array_append_new(list, m) != 0 && !err)
        err = orr__no_memory(why);
    return err;
}

/* Dimensions, from the scales of a measure; the last is the seed. */
static orr_err put_dimensions(struct orr_reader *r, json_t *to,
                              const char *measure, int sides,
                              struct orr_report *why)
{
    json_t *list = json_array();
    orr_err err = list ? ORR_OK : orr__no_memory(why);
    for (int k = 0; k + 1 < sides && !err; k++) {
        char *name;
        json_t *d = json_object();
        err = orr__reader_scale(r, measure, (unsigned)k, &name, why);
        if (!err)
            err = orr__view_put(d, "name", orr__view_text(name), why);
        if (!err)
            err = orr__view_column(r, d, "values", name, ORR_RECORD_TEXT, why);
        if (json_array_append_new(list, d) != 0 && !err)
            err = orr__no_memory(why);
        orr__free(name);
    }
    if (err) {
        json_decref(list);
        return err;
    }
    return orr__view_put(to, "dimensions", list, why);
}

/* Of the intervals that the runs of a measure give. */
static bool is_half(struct orr_reader *r, const char *name)
{
    size_t n = strlen(name), m = strlen(HALF);
    if (n <= m || strcmp(name + n - m, HALF) != 0)
        return false;
    char *measure = orr__format("%.*s", (int)(n - m), name);
    bool half = measure && orr__reader_has(r, measure);
    orr__free(measure);
    return half;
}

/* All variables of full shape; the first one says what dimensions there are. */
static orr_err add_measures(struct orr_reader *r, json_t *to, json_t *list,
                            char *const *name, uint64_t n,
                            struct orr_report *why)
{
    uint64_t size[ORR_RECORD_SIDES];
    int sides = 0;
    orr_err err = ORR_OK;
    for (uint64_t i = 0; i < n && !err; i++) {
        bool scale = orr__reader_is_text(r, name[i])
                     || strcmp(name[i], "seed") == 0 || is_half(r, name[i]);
        int k = scale ? 0 : orr__reader_shape(r, name[i], size);
        if (k == 0 || (sides && k != sides))
            continue;
        if (!sides)
            err = put_dimensions(r, to, name[i], k, why);
        sides = k;
        if (!err)
            err = orr__view_put(to, "seeds",
                                json_integer((json_int_t)size[k - 1]), why);
        if (!err)
            err = add_measure(r, list, name[i], size[k - 1], why);
    }
    return err;
}

/* Of each cell the letters that its runs have, each once, in their order. */
static json_t *marks_of(char *const *run, uint64_t n, uint64_t seeds)
{
    json_t *list = json_array();
    for (uint64_t i = 0; list && i < n / seeds; i++) {
        char marks[ORR_DOUBT_MARKS];
        size_t have = 0;
        for (int k = 0; k < ORR_DOUBTS; k++)
            for (uint64_t s = 0; s < seeds; s++)
                if (strchr(run[i * seeds + s], orr__doubt_letters[k])) {
                    marks[have++] = orr__doubt_letters[k];
                    break;
                }
        marks[have] = '\0';
        if (json_array_append_new(list, json_string(marks)) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

/* Marks of doubt, and lines that say what they mean; nothing in files that have
 * none. */
static orr_err put_doubt(struct orr_reader *r, json_t *to,
                         struct orr_report *why)
{
    char **run;
    uint64_t n = 0;
    json_int_t seeds = json_integer_value(json_object_get(to, "seeds"));
    if (seeds < 1 || !orr__reader_has(r, "doubt/marks"))
        return ORR_OK;
    orr_err err = orr__reader_texts(r, "doubt/marks", &run, &n, why);
    if (err)
        return err;
    err = orr__view_put(to, "marks", marks_of(run, n, (uint64_t)seeds), why);
    orr__reader_free_texts(run, n);
    if (!err && orr__reader_has(r, "doubt/line"))
        err = orr__view_column(r, to, "doubt", "doubt/line", ORR_RECORD_TEXT,
                               why);
    return err;
}

orr_err orr__view_study(struct orr_reader *r, json_t *to,
                        struct orr_report *why)
{
    char **name;
    uint64_t n = 0;
    json_t *list = json_array();
    orr_err err = orr__view_attribute(r, to, "/", "title", why);
    if (!err)
        err = orr__view_attribute(r, to, "/", "source", why);
    if (!err)
        err = orr__reader_names(r, "/", &name, &n, why);
    if (!err) {
        err = add_measures(r, to, list, name, n, why);
        orr__reader_free_texts(name, n);
    }
    if (!err)
        err = put_doubt(r, to, why);
    if (err) {
        json_decref(list);
        return err;
    }
    return orr__view_put(to, "measures", list, why);
}
