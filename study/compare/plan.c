/* From the matrix to cells: each combination is read and checked as a run would
 * be, named by a hash, and estimated. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <xxhash.h>

#include "core/array.h"
#include "core/assert.h"
#include "core/config/module.h"
#include "core/none.h"
#include "core/units.h"
#include "experiment/digest.h"
#include "experiment/estimate.h"
#include "study/compare/cost.h"
#include "study/compare/measure.h"
#include "study/compare/measured.h"
#include "study/compare/study.h"
#include "study/run/entry.h"

/* ---- names of runs ------------------------------------------------------ */

/* Version, contents of files, effective configuration and seed: whatever can
 * change a result. */
static orr_err hash_trial(const struct orr_study_cell *cell,
                          struct orr_trial *t, struct orr_report *why)
{
    char *text = orr__format("%s %016llx\n%s%lld%s", orr_version(),
                             (unsigned long long)cell->files, cell->before,
                             (long long)t->seed, cell->after);
    if (!text)
        return orr__no_memory(why);
    snprintf(t->hash, sizeof t->hash, "%016llx",
             (unsigned long long)XXH3_64bits(text, strlen(text)));
    orr__free(text);
    return ORR_OK;
}

orr_err orr__plan_trial(struct orr_compare *c, struct orr_study_cell *cell,
                        int64_t seed, struct orr_report *why)
{
    if (!orr__array_more(cell->trial, cell->room, cell->trials))
        return orr__no_memory(why);
    struct orr_trial *t = &cell->trial[cell->trials++];
    *t = (struct orr_trial){.seed = seed, .given = cell->given};
    orr_err err = hash_trial(cell, t, why);
    return err ? err : orr__outcome_recall(c, t, why);
}

/* ---- cells -------------------------------------------------------------- */

/* The text is written by orr__config_effective: a key at the beginning of a
 * line is an outermost one. */
static bool split_at_seed(struct orr_study_cell *cell, char *text)
{
    char *at =
        strncmp(text, "seed: ", 6) == 0 ? text : strstr(text, "\nseed: ");
    if (!at)
        return false;
    at = strchr(at, ' ') + 1;
    char *end = strchr(at, '\n');
    cell->after = orr__strdup(end ? end : "");
    *at = '\0';
    cell->before = text;
    return cell->after != NULL;
}

/* Takes from a prepared experiment all that the study needs of it: estimate,
 * effective configuration, jobs, notes. */
static orr_err take_facts(struct orr_compare *c, struct orr_study_cell *cell,
                          const orr_experiment *x, struct orr_report *why)
{
    const struct orr_world *w = orr__experiment_world(x);
    struct orr_estimate e = {.seconds = 0};
    struct orr_report cut = {0};
    orr_err err = c->collects ? ORR_OK : orr_experiment_estimate(x, &e, &cut);
    if (err == ORR_EINTERRUPTED) /* then it is at least what it says */
        err = ORR_OK;
    else if (err && why)
        *why = cut;
    char *text = err ? NULL : orr__experiment_effective(x);
    c->has_jobs |= w->n_jobs > 0;
    c->has_flows |= w->flows != NULL;
    if (err)
        return err;
    if (orr__study_jobs_add(&c->jobs, w)) {
        orr__free(text);
        return orr__no_memory(why);
    }
    if (orr__study_notes_add(c, w)) {
        orr__free(text);
        return orr__no_memory(why);
    }
    if (!text || !split_at_seed(cell, text)) {
        if (cell->before != text)
            orr__free(text);
        return orr__no_memory(why);
    }
    cell->files = orr__digest_files(w->config, orr__config_root(w->config),
                                    c->config_folder);
    cell->seconds = e.seconds + ORR_PROCESS_S;
    if (c->m.keep)
        cell->seconds += ORR_RECORDS_S + ORR_LINK_RECORDS_S * w->graph->links;
    return c->m.equal.wanted ? orr__cost_note(c, cell, w->graph, why) : ORR_OK;
}

/* The combination that failed is named in the hint, if there is room. */
static orr_err in_combination(const struct orr_compare *c,
                              const struct orr_study_cell *cell, orr_err err,
                              struct orr_report *why)
{
    char text[140], hint[sizeof why->hint];
    if (!why || !why->code)
        return err;
    orr__matrix_describe(&c->m, cell->variant, text, sizeof text);
    snprintf(hint, sizeof hint, "%.90s%swith %s", why->hint,
             why->hint[0] ? "; " : "", text);
    why->hint[0] = '\0';
    orr__hint(why, "%s", hint);
    return err;
}

/* Reads the combination as a run would; errors say which one it was. */
static orr_err plan_cell(struct orr_compare *c, struct orr_study_cell *cell,
                         struct orr_report *why)
{
    struct orr_config *config;
    orr_experiment *x = NULL;
    orr_err err =
        orr__matrix_config(&c->m, cell->variant, c->m.seed[0], &config, why);
    if (!err && c->m.equal.wanted) {
        err = orr__cost_scale(c, cell, config, why);
        if (err)
            orr__config_free(config);
    }
    if (!err)
        err = orr__experiment_prepare(c->m.stem, config, &orr__extensions, &x,
                                      why);
    if (!err)
        err = take_facts(c, cell, x, why);
    orr_experiment_free(x);
    return err ? in_combination(c, cell, err, why) : ORR_OK;
}

/* Variants are copied into the study's arena. */
static orr_err add_cell(struct orr_compare *c, const uint32_t *variant,
                        uint32_t *room, struct orr_report *why)
{
    if (!orr__array_more(c->cell, *room, c->cells))
        return orr__no_memory(why);
    ORR_ASSERT(c->m.dimensions > 0 && c->m.dimensions <= ORR_MOST_DIMENSIONS);
    size_t n = c->m.dimensions * sizeof *variant;
    struct orr_study_cell cell = {
        .variant =
            orr__arena_alloc(&c->arena, c->m.dimensions, sizeof *variant),
    };
    if (!cell.variant)
        return orr__no_memory(why);
    memcpy(cell.variant, variant, n);
    c->cell[c->cells++] = cell;
    return ORR_OK;
}

/* The last dimension goes fastest. False at the end. */
static bool next_combination(const struct orr_matrix *m, uint32_t *variant)
{
    for (uint32_t d = m->dimensions; d-- > 0;) {
        if (++variant[d] < m->dimension[d].variants)
            return true;
        variant[d] = 0;
    }
    return false;
}

/* All combinations that rules allow, in order of dimensions, the last one
 * fastest. */
static orr_err list_cells(struct orr_compare *c, struct orr_report *why)
{
    uint32_t variant[ORR_MOST_DIMENSIONS] = {0}, room = 0;
    orr_err err = ORR_OK;
    do
        if (orr__matrix_runs(&c->m, variant))
            err = add_cell(c, variant, &room, why);
    while (!err && next_combination(&c->m, variant));
    if (err)
        return err;
    if (c->cells == 0)
        return orr__yaml_fail(c->m.base, orr__yaml_get(c->m.at, "when"), why,
                              "compare.when leaves out all combinations: "
                              "there is nothing to run");
    if ((uint64_t)c->cells * c->m.seeds > ORR_MOST_RUNS)
        return orr__yaml_fail(
            c->m.base, c->m.at, why, "compare: %llu runs are more than %d",
            (unsigned long long)c->cells * c->m.seeds, ORR_MOST_RUNS);
    return ORR_OK;
}

/* ---- the baseline ------------------------------------------------------- */

static int by_variant(const struct orr_matrix *m, const uint32_t *a,
                      const uint32_t *b)
{
    for (uint32_t d = 0; d < m->dimensions; d++)
        if (a[d] != b[d])
            return a[d] < b[d] ? -1 : 1;
    return 0;
}

/* Cells stand in the order of their variants. */
static const struct orr_study_cell *find_cell(const struct orr_compare *c,
                                              const uint32_t *variant)
{
    uint32_t low = 0, high = c->cells;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        int side = by_variant(&c->m, c->cell[mid].variant, variant);
        if (side == 0)
            return &c->cell[mid];
        if (side < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return NULL;
}

void orr__plan_against(const struct orr_compare *c,
                       const struct orr_study_cell *cell, uint32_t *variant)
{
    for (uint32_t d = 0; d < c->m.dimensions; d++)
        variant[d] =
            c->m.baseline[d] == ORR_NONE ? cell->variant[d] : c->m.baseline[d];
}

const struct orr_study_cell *orr__plan_baseline(
    const struct orr_compare *c, const struct orr_study_cell *cell)
{
    uint32_t variant[ORR_MOST_DIMENSIONS];
    if (c->m.no_baseline)
        return NULL;
    orr__plan_against(c, cell, variant);
    return find_cell(c, variant);
}

/* By default the first of those that are run; named, it must be run for one of
 * the others at least. */
static orr_err check_baseline(struct orr_compare *c, const struct orr_yaml *at,
                              struct orr_report *why)
{
    if (!at) {
        memcpy(c->m.baseline, c->cell[0].variant,
               c->m.dimensions * sizeof *c->m.baseline);
        return ORR_OK;
    }
    for (uint32_t i = 0; i < c->cells; i++)
        if (orr__plan_baseline(c, &c->cell[i]))
            return ORR_OK;
    return c->m.no_baseline
               ? ORR_OK
               : orr__yaml_fail(c->m.base, at, why,
                                "compare.baseline is not "
                                "among the combinations that are run");
}

/* ---- measures ----------------------------------------------------------- */

static const char *const given_paths[] = {
    [ORR_GIVEN_PRICE] = "topology.price",
    [ORR_GIVEN_SCALE] = "topology.scale",
    NULL,
};

/* What is read of a summary: measures, and what they say of themselves. */
static orr_err use_needed(struct orr_compare *c, struct orr_report *why)
{
    static const char *const beside[] = {"partial", "wall.cpu_seconds",
                                         "wall.setup_seconds"};
    size_t n = sizeof beside / sizeof *beside, doubts = 0;
    while (orr__doubt_needs[doubts])
        doubts++;
    c->needed = orr__arena_alloc(
        &c->arena, 2 * (size_t)c->measured + n + doubts, sizeof *c->needed);
    if (!c->needed)
        return orr__no_memory(why);
    memcpy(c->needed, beside, sizeof beside);
    memcpy(c->needed + n, orr__doubt_needs, doubts * sizeof *c->needed);
    c->n_needed = (uint32_t)(n + doubts);
    for (uint32_t i = 0; i < c->measured; i++) {
        struct orr_study_measure *m = &c->measure[i];
        if (orr__measure_own(&c->arena, m->path, &m->own))
            return orr__no_memory(why);
        c->needed[c->n_needed++] = m->path;
        if (m->own.path)
            c->needed[c->n_needed++] = m->own.path;
    }
    return ORR_OK;
}

/* Those asked for, or the usual ones of what there is; price and scale of links
 * go last with equal cost. */
static orr_err use_measures(struct orr_compare *c, struct orr_report *why)
{
    static const char *const usual[] = {
        "jobs.*.iteration_ns.mean", "flows.slowdown.mean",
        "flows.slowdown.p99",       "links.max_utilization",
        "counters.packets_dropped",
    };
    const uint32_t all = sizeof usual / sizeof *usual;
    uint32_t n = c->m.measures ? c->m.measures : all;
    c->measure = orr__arena_alloc(&c->arena, n + ORR_GIVEN, sizeof *c->measure);
    if (!c->measure)
        return orr__no_memory(why);
    for (uint32_t i = 0; i < n; i++) {
        const char *path = c->m.measures ? c->m.measure[i] : usual[i];
        bool jobs = strncmp(path, "jobs.", 5) == 0;
        bool flows = strncmp(path, "flows.", 6) == 0;
        if (c->m.equal.wanted && orr__param_choice(given_paths, path) >= 0)
            continue; /* they are there anyway */
        if (!c->m.measures
            && ((jobs && !c->has_jobs) || (flows && !c->has_flows)))
            continue;
        c->measure[c->measures++] =
            (struct orr_study_measure){path, orr__measure_unit(path), {NULL}};
    }
    c->measured = c->measures;
    if (c->m.equal.wanted) {
        struct orr_study_measure *given = &c->measure[c->measured];
        given[ORR_GIVEN_PRICE] = (struct orr_study_measure){
            given_paths[ORR_GIVEN_PRICE], c->m.equal.prices.currency, {NULL}};
        given[ORR_GIVEN_SCALE] = (struct orr_study_measure){
            given_paths[ORR_GIVEN_SCALE], "1", {NULL}};
        c->measures += ORR_GIVEN;
    }
    return use_needed(c, why);
}

/* The measure whose interval counts; the first by default. */
static orr_err use_until(struct orr_compare *c, struct orr_report *why)
{
    const char *names[65] = {NULL};
    const char *path = c->m.until_measure;
    c->until = 0;
    for (uint32_t i = 0; path && i < c->measures; i++)
        if (strcmp(c->measure[i].path, path) == 0)
            c->until = i;
    if (!path || strcmp(c->measure[c->until].path, path) == 0)
        return ORR_OK;
    for (uint32_t i = 0; i < c->measures && i < 64; i++)
        names[i] = c->measure[i].path;
    orr_err err = orr__yaml_fail(c->m.base, c->m.until_at, why,
                                 "compare.until: \"%s\" is not measured", path);
    orr__hint_nearest(why, names, path);
    return err;
}

/* By a measure or by a dimension. */
static orr_err use_sort(struct orr_compare *c, const char *sort,
                        struct orr_report *why)
{
    c->sort = ORR_NONE;
    if (!sort)
        return ORR_OK;
    c->descending = sort[0] == '-';
    sort += c->descending;
    for (uint32_t i = 0; i < c->measures; i++)
        if (strcmp(c->measure[i].path, sort) == 0)
            c->sort = i;
    uint32_t d = orr__matrix_dimension(&c->m, sort);
    if (d < c->m.dimensions)
        c->sort = c->measures + d;
    if (c->sort != ORR_NONE)
        return ORR_OK;
    const char *names[128] = {NULL};
    size_t n = 0;
    for (uint32_t i = 0; i < c->measures && n < 100; i++)
        names[n++] = c->measure[i].path;
    for (uint32_t i = 0; i < c->m.dimensions; i++)
        names[n++] = c->m.dimension[i].name;
    orr_err err = orr__fail(why, ORR_ECONFIG,
                            "--sort: no measure or dimension "
                            "is called \"%s\"",
                            sort);
    orr__hint_nearest(why, names, sort);
    return err;
}

/* ---- the whole ---------------------------------------------------------- */

/* Hashes, and what is known of them from journals here and in folders to
 * collect. */
static orr_err plan_trials(struct orr_compare *c, struct orr_report *why)
{
    orr_err err = ORR_OK;
    for (size_t i = 0; i < c->n_collect && !err; i++)
        err = orr__journal_read(&c->journal, c->collect[i], why);
    if (!err)
        err = orr__journal_read(&c->journal, c->folder, why);
    for (uint32_t i = 0; i < c->cells && !err; i++)
        for (uint32_t s = 0; s < c->m.seeds && !err; s++)
            err = orr__plan_trial(c, &c->cell[i], c->m.seed[s], why);
    return err;
}

/* Stops between two cells if interrupted; c->looked_at says how many are
 * planned. */
static orr_err plan_cells(struct orr_compare *c,
                          const struct orr_compare_options *o,
                          struct orr_report *why)
{
    orr_err err = ORR_OK;
    for (uint32_t i = 0; i < c->cells && !err; i++) {
        if (i && o->interrupt && *o->interrupt)
            break;
        if (o->planned)
            o->planned(o->planned_arg, i, c->cells);
        err = plan_cell(c, &c->cell[i], why);
        c->looked_at = i + 1;
    }
    return err;
}

/* c owns what was made, also after an error. An interrupted one has no measures
 * and no trials. */
static orr_err open_study(struct orr_compare *c,
                          const struct orr_compare_options *o,
                          struct orr_report *why)
{
    c->lock[0] = c->lock[1] = c->journal.fd = -1;
    c->shard = o->shard;
    c->shards = o->shards;
    c->collect = o->collect;
    c->n_collect = o->n_collect;
    c->collects = o->collects;
    orr_err err = orr__matrix_read(&c->m, o, why);
    if (err)
        return err;
    c->folder =
        o->folder ? orr__strdup(o->folder) : orr__format("%s.study", c->m.stem);
    for (size_t n = c->folder ? strlen(c->folder) : 0;
         n > 1 && c->folder[n - 1] == '/'; n--)
        c->folder[n - 1] = '\0';
    c->config_folder = orr__strdup(orr__config_folder(c->m.base));
    if (!c->folder || !c->config_folder)
        return orr__no_memory(why);
    const struct orr_yaml *baseline = c->m.baseline_at;
    err = list_cells(c, why);
    if (!err)
        err = check_baseline(c, baseline, why);
    if (!err)
        err = orr__measure_check(c->m.base, c->m.measure, c->m.measure_at,
                                 c->m.measures, why);
    if (!err)
        err = plan_cells(c, o, why);
    if (!err && c->looked_at < c->cells)
        return ORR_OK;
    for (uint32_t i = 0; i < c->m.measures && !err; i++)
        err = orr__study_jobs_check(&c->jobs, c->m.base, c->m.measure[i],
                                    c->m.measure_at[i], why);
    if (!err)
        err = use_measures(c, why);
    if (!err)
        err = use_until(c, why);
    if (!err)
        err = use_sort(c, o->sort, why);
    if (!err)
        err = orr__study_measured(c, o, why);
    return err ? err : plan_trials(c, why);
}

orr_err orr__compare_open(const struct orr_compare_options *o,
                          struct orr_compare **out, struct orr_report *why)
{
    struct orr_compare *c = orr__alloc(1, sizeof *c);
    if (!c)
        return orr__no_memory(why);
    orr_err err = open_study(c, o, why);
    if (err)
        orr__compare_free(c);
    else
        *out = c;
    return err;
}

void orr__compare_free(struct orr_compare *c)
{
    if (!c)
        return;
    for (uint32_t i = 0; i < c->cells; i++) {
        struct orr_study_cell *cell = &c->cell[i];
        for (uint32_t t = 0; t < cell->trials; t++) {
            orr__free(cell->trial[t].value);
            orr__free(cell->trial[t].reason);
            orr__doubt_fini(&cell->trial[t].doubt);
        }
        orr__free(cell->trial);
        orr__free(cell->before);
        orr__free(cell->after);
    }
    orr__free(c->cell);
    orr__study_jobs_fini(&c->jobs);
    orr__study_notes_fini(&c->notes);
    orr__study_measured_fini(&c->beside);
    orr__journal_fini(&c->journal);
    for (int i = 0; i < 2; i++)
        if (c->lock[i] >= 0)
            close(c->lock[i]);
    orr__free(c->folder);
    orr__free(c->config_folder);
    orr__matrix_fini(&c->m);
    orr__arena_fini(&c->arena);
    orr__free(c);
}

struct orr_compare_count orr__compare_count(const struct orr_compare *c)
{
    struct orr_compare_count n = {.combinations = c->cells,
                                  .looked_at = c->looked_at};
    if (c->looked_at < c->cells) {
        n.runs = n.missing = c->cells * c->m.seeds;
        for (uint32_t i = 0; i < c->looked_at; i++)
            n.seconds += c->cell[i].seconds * n.runs / c->looked_at;
        return n;
    }
    for (uint32_t i = 0; i < c->cells; i++)
        for (uint32_t t = 0; t < c->cell[i].trials; t++) {
            const struct orr_trial *trial = &c->cell[i].trial[t];
            n.runs++;
            n.ok += trial->state == ORR_TRIAL_OK;
            n.failed += trial->state == ORR_TRIAL_FAILED;
            n.missing += trial->state == ORR_TRIAL_MISSING;
            n.reused += trial->reused;
            if (trial->state == ORR_TRIAL_MISSING)
                n.seconds += c->cell[i].seconds;
        }
    return n;
}

const char *orr__compare_folder(const struct orr_compare *c)
{
    return c->folder;
}
