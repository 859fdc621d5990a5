#include "study/fit/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "experiment/experiment.h"
#include "study/fit/state.h"
#include "study/measured/rows.h"
#include "study/run/entry.h"

/* ---- the configuration -------------------------------------------------- */

/* With all defaults, so that each key has a value; to be freed with
 * orr__config_free. */
static orr_err read_effective(const struct orr_fit *f, struct orr_config **out,
                              struct orr_report *why)
{
    const struct orr_options o = {.sets = f->o->sets,
                                  .n_sets = f->o->n_sets,
                                  .plugins = f->o->plugins,
                                  .n_plugins = f->o->n_plugins,
                                  .no_output = true,
                                  .interrupt = f->o->interrupt};
    orr_experiment *x = NULL;
    orr_err err = orr__experiment_load_file(&f->file, &o, NULL, &x, why);
    if (err)
        return err;
    char *text = orr__experiment_effective(x);
    if (text)
        err = orr__config_parse(f->o->config, text, strlen(text), out, why);
    else
        err = orr__no_memory(why);
    orr__free(text);
    orr_experiment_free(x);
    return err;
}

/* What all runs set: what the user does, and no runs of each job alone, which
 * no figure needs. */
static orr_err settle_sets(struct orr_fit *f, struct orr_config *effective,
                           struct orr_report *why)
{
    const struct orr_yaml *root = orr__config_root(effective);
    f->sets = orr__arena_alloc(&f->arena, f->o->n_sets + 1, sizeof *f->sets);
    if (!f->sets)
        return orr__no_memory(why);
    for (size_t i = 0; i < f->o->n_sets; i++)
        f->sets[f->n_sets++] = f->o->sets[i];
    const struct orr_yaml *alone = orr__yaml_get(root, "alone");
    const char *text =
        orr__yaml_is_scalar(alone) ? orr__yaml_text(effective, alone) : NULL;
    if (text && strcmp(text, "true") == 0)
        f->sets[f->n_sets++] = "alone=false";
    f->figure = f->o->figure;
    if (!f->figure)
        f->figure = orr__config_at(root, "jobs[0]") ? "jobs.0.iteration_ns.mean"
                                                    : "flows.fct_ns.mean";
    if (!orr__yaml_get(root, "cluster"))
        return ORR_OK;
    return orr__fail(why, ORR_ECONFIG,
                     "%s is of a cluster: jobs and flows can be fitted",
                     f->o->config);
}

/* ---- all ---------------------------------------------------------------- */

/* All points with the values that were found. */
static orr_err predict(struct orr_fit *f, struct orr_report *why)
{
    double value[ORR_FIT_KEYS];
    struct orr_fit_run *run = orr__alloc(f->points, sizeof *run);
    if (!run)
        return orr__no_memory(why);
    for (uint32_t k = 0; k < f->keys; k++)
        value[k] = f->key[k].value;
    for (uint32_t i = 0; i < f->points; i++)
        run[i] = (struct orr_fit_run){.point = &f->point[i], .value = value};
    orr_err err = orr__fit_run(f, run, f->points, why);
    for (uint32_t i = 0; i < f->points; i++) {
        f->point[i].fitted_ns = run[i].ns;
        f->point[i].doubt = run[i].doubt;
    }
    orr__free(run);
    return err;
}

/* From options to predictions. */
static orr_err fit_keys(struct orr_fit *f, struct orr_report *why)
{
    struct orr_config *effective = NULL;
    orr_err err = orr__config_file_read(&f->file, f->o->config, why);
    if (!err)
        err = read_effective(f, &effective, why);
    if (!err)
        err = settle_sets(f, effective, why);
    if (!err)
        err = orr__fit_points(f, effective, why);
    if (!err)
        err = orr__fit_keys(f, effective, why);
    orr__config_free(effective);
    if (!err)
        err = orr__fit_solve(f, why);
    return err ? err : predict(f, why);
}

orr_err orr__fit_make(const struct orr_fit_options *o, struct orr_fit **out,
                      struct orr_report *why)
{
    struct orr_fit *f = orr__alloc(1, sizeof *f);
    *out = NULL;
    if (!f)
        return orr__no_memory(why);
    f->o = o;
    orr_err err = fit_keys(f, why);
    if (!err && f->notes.failed)
        err = orr__no_memory(why);
    if (err)
        orr__fit_free(f);
    else
        *out = f;
    return err;
}

void orr__fit_free(struct orr_fit *f)
{
    if (!f)
        return;
    for (uint32_t i = 0; i < f->points; i++)
        orr__doubt_fini(&f->point[i].doubt);
    orr__free(f->point);
    orr__free(f->notes.s);
    orr__measurements_fini(&f->m);
    orr__config_file_fini(&f->file);
    orr__arena_fini(&f->arena);
    orr__free(f);
}

const char *orr__fit_notes(const struct orr_fit *f)
{
    return f->notes.s ? f->notes.s : "";
}

char *orr__fit_config(const struct orr_fit *f, struct orr_report *why)
{
    struct orr_config *c = NULL;
    char *text = NULL;
    orr_err err = orr__config_file_parse(&f->file, &c, why);
    for (size_t i = 0; i < f->o->n_sets && !err; i++)
        err = orr__config_set(c, f->o->sets[i], why);
    for (uint32_t k = 0; k < f->keys && !err; k++) {
        char set[256];
        orr__fit_assign(&f->key[k], f->key[k].value, set, sizeof set);
        err = orr__config_set(c, set, why);
    }
    if (!err && !(text = orr__config_effective(c)))
        (void)orr__no_memory(why);
    orr__config_free(c);
    return text;
}

/* ---- errors ------------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

orr_err orr__fit_error(const struct orr_fit *f, bool held_out,
                       struct orr_fit_error *e)
{
    double *v = orr__alloc(f->points, sizeof *v);
    *e = (struct orr_fit_error){.median = NAN, .p90 = NAN, .most = NAN};
    if (!v)
        return ORR_ENOMEM;
    for (uint32_t i = 0; i < f->points; i++) {
        const struct orr_fit_point *p = &f->point[i];
        if (p->held_out != held_out)
            continue;
        v[e->n++] = fabs(orr__fit_relative(p));
        if (isnan(p->row->low_ns) || isnan(p->row->high_ns))
            continue;
        e->of++;
        e->inside +=
            p->fitted_ns >= p->row->low_ns && p->fitted_ns <= p->row->high_ns;
    }
    if (e->n) {
        qsort(v, e->n, sizeof *v, by_size);
        e->median = (v[e->n / 2] + v[(e->n - 1) / 2]) / 2;
        e->p90 = v[(size_t)ceil(0.9 * e->n) - 1];
        e->most = v[e->n - 1];
    }
    orr__free(v);
    return ORR_OK;
}
