#include "study/compare/matrix.h"
#include "core/config/module.h"
#include "core/none.h"

#include <stdio.h>
#include <string.h>

#include "core/assert.h"
#include "core/text.h"
#include "core/units.h"
#include "experiment/experiment.h"
#include "net/cc/plugin.h"
#include "study/compare/cost.h"
#include "study/compare/dimensions.h"

#define MOST_SEEDS 10000

/* The section `compare`. */
struct keys {
    const struct orr_yaml *over, *seeds, *measure, *baseline, *when, *until,
        *equal_cost;
    const char *claim;
    bool keep;
};

static const struct orr_param params[] = {
    {"over", ORR_PARAM_NODE, offsetof(struct keys, over), "", NULL, NULL, NULL,
     "dimensions: a key and a list of its values, or a name and variants by "
     "name, each with the keys that it changes; files (a.yaml) are merged into "
     "the rest"},
    {"seeds", ORR_PARAM_NODE, offsetof(struct keys, seeds), "", NULL, NULL,
     NULL,
     "seeds of each combination: 1..5, or a list; default: the configuration's "
     "own"},
    {"measure", ORR_PARAM_NODE, offsetof(struct keys, measure), "", NULL, NULL,
     NULL,
     "figures, by their paths in the JSON summary: flows.slowdown.p99; * is "
     "all of a list; mean, p50, p95, p99, min, max or sum at the end reduces "
     "several to one"},
    {"baseline", ORR_PARAM_NODE, offsetof(struct keys, baseline), "", NULL,
     NULL, NULL,
     "the variant that changes are relative to: {topology: ring}; `none`: "
     "print no changes; default: the first combination"},
    {"when", ORR_PARAM_NODE, offsetof(struct keys, when), "", NULL, NULL, NULL,
     "combinations to run: a list of {dimension: variant or list}, of which "
     "one must hold, and of {not: {...}}, of which none may"},
    {"keep", ORR_PARAM_BOOL, offsetof(struct keys, keep), "true", NULL, NULL,
     NULL, "keep the records of each run (run.h5)"},
    {"until", ORR_PARAM_NODE, offsetof(struct keys, until), "", NULL, NULL,
     NULL,
     "add seeds until half of the 95 % interval is below this share of the "
     "mean: 2%, or {interval: 2%, measure: PATH, most: 30}"},
    {"equal_cost", ORR_PARAM_NODE, offsetof(struct keys, equal_cost), "", NULL,
     NULL, NULL,
     "true: scale the rates of all links until a network costs what its "
     "baseline does; or {price: 250000, prices: FILE}"},
    {"claim", ORR_PARAM_TEXT, offsetof(struct keys, claim), "", NULL, NULL,
     NULL, "a sentence printed below the table, for example a paper's claim"},
    ORR_PARAM_END,
};

const struct orr_param *orr__compare_params(void)
{
    return params;
}

/* ---- seeds -------------------------------------------------------------- */

static orr_err bad_seeds(struct orr_matrix *m, const struct orr_yaml *at,
                         struct orr_report *why)
{
    orr_err err = orr__yaml_fail(m->base, at, why,
                                 "compare.seeds: not a seed, a range or a "
                                 "list of them");
    orr__hint(why, "for example 1..5 or [1, 2, 7]");
    return err;
}

/* "3" or "1..5", both ends included; false: neither. */
static bool read_range(const char *text, int64_t *first, int64_t *last)
{
    char one[24];
    const char *dots = strstr(text, "..");
    size_t n = dots ? (size_t)(dots - text) : strlen(text);
    if (n >= sizeof one)
        return false;
    memcpy(one, text, n);
    one[n] = '\0';
    return !orr__parse_int(one, first) && *first >= 0
           && !orr__parse_int(dots ? dots + 2 : one, last) && *last >= *first;
}

/* One item of `seeds`; none twice. */
static orr_err add_seeds(struct orr_matrix *m, const struct orr_yaml *at,
                         struct orr_report *why)
{
    int64_t first, last;
    const char *text = orr__yaml_text(m->base, at);
    if (!text || !read_range(text, &first, &last))
        return bad_seeds(m, at, why);
    if (last - first >= MOST_SEEDS - m->seeds)
        return orr__yaml_fail(m->base, at, why, "compare.seeds: more than %d",
                              MOST_SEEDS);
    for (int64_t s = first; s <= last; s++) {
        for (uint32_t i = 0; i < m->seeds; i++)
            if (m->seed[i] == s)
                return orr__yaml_fail(m->base, at, why,
                                      "compare.seeds: %lld is listed twice",
                                      (long long)s);
        m->seed[m->seeds++] = s;
    }
    return ORR_OK;
}

/* Of the configuration: a wrong one is reported when the first run is read. */
static int64_t own_seed(const struct orr_matrix *m)
{
    int64_t seed = 1;
    const char *text = orr__yaml_text(
        m->base, orr__yaml_get(orr__config_root(m->base), "seed"));
    if (text && orr__parse_int(text, &seed))
        seed = 1;
    return seed;
}

/* Without the key the configuration's own seed is the only one. */
static orr_err read_seeds(struct orr_matrix *m, const struct orr_yaml *seeds,
                          struct orr_report *why)
{
    m->seed = orr__arena_alloc(orr__config_arena(m->base), MOST_SEEDS,
                               sizeof *m->seed);
    if (!m->seed)
        return orr__no_memory(why);
    if (!seeds) {
        m->seed[m->seeds++] = own_seed(m);
        return ORR_OK;
    }
    if (!orr__yaml_is_list(seeds))
        return add_seeds(m, seeds, why);
    orr_err err = orr__yaml_count(seeds) ? ORR_OK : bad_seeds(m, seeds, why);
    for (size_t i = 0; i < orr__yaml_count(seeds) && !err; i++)
        err = add_seeds(m, orr__yaml_item(seeds, i), why);
    return err;
}

/* ---- measures ----------------------------------------------------------- */

/* One more of m->measures: its path and where it stands. */
static orr_err add_measure(struct orr_matrix *m, const struct orr_yaml *at,
                           const char **path, struct orr_report *why)
{
    const char *text = orr__yaml_text(m->base, at);
    if (!text || orr__yaml_is_null(at))
        return orr__yaml_fail(m->base, at, why,
                              "compare.measure: the path of "
                              "a figure is expected here");
    for (uint32_t i = 0; i < m->measures; i++)
        if (strcmp(path[i], text) == 0)
            return orr__yaml_fail(m->base, at, why,
                                  "compare.measure: %s is listed twice", text);
    path[m->measures++] = text;
    return ORR_OK;
}

/* One path or a list; in the document's arena. */
static orr_err read_measures(struct orr_matrix *m, const struct orr_yaml *list,
                             struct orr_report *why)
{
    bool many = orr__yaml_is_list(list);
    size_t n = many ? orr__yaml_count(list) : list != NULL;
    struct orr_arena *arena = orr__config_arena(m->base);
    const char **path = orr__arena_alloc(arena, n, sizeof *path);
    const struct orr_yaml **at = orr__arena_alloc(arena, n, sizeof *at);
    orr_err err = path && at ? ORR_OK : orr__no_memory(why);
    for (size_t i = 0; i < n && !err; i++) {
        at[i] = many ? orr__yaml_item(list, i) : list;
        err = add_measure(m, at[i], path, why);
    }
    m->measure = path;
    m->measure_at = at;
    return err;
}

/* ---- names of dimensions and variants ----------------------------------- */

uint32_t orr__matrix_dimension(const struct orr_matrix *m, const char *name)
{
    uint32_t d = 0;
    while (d < m->dimensions && strcmp(m->dimension[d].name, name) != 0
           && strcmp(m->dimension[d].key, name) != 0)
        d++;
    return d;
}

/* By name; `what` is the key that names it, for the message. */
static orr_err find_dimension(const struct orr_matrix *m,
                              const struct orr_yaml *at, const char *what,
                              uint32_t *d, struct orr_report *why)
{
    const char *names[ORR_MOST_DIMENSIONS + 1] = {NULL};
    const char *text = orr__yaml_text(m->base, at);
    *d = orr__matrix_dimension(m, text);
    if (*d < m->dimensions)
        return ORR_OK;
    for (uint32_t i = 0; i < m->dimensions; i++)
        names[i] = m->dimension[i].name;
    orr_err err = orr__yaml_fail(m->base, at, why,
                                 "compare.%s: no dimension "
                                 "is called \"%s\"",
                                 what, text);
    orr__hint_nearest(why, names, text);
    return err;
}

/* By name; `what` is the key that names it, for the message. */
static orr_err find_variant(const struct orr_matrix *m, uint32_t dimension,
                            const struct orr_yaml *at, const char *what,
                            uint32_t *v, struct orr_report *why)
{
    ORR_ASSERT(dimension < m->dimensions);
    const struct orr_dimension *d = &m->dimension[dimension];
    const char *text = orr__yaml_text(m->base, at);
    if (!text)
        return orr__yaml_fail(m->base, at, why,
                              "compare.%s: the name of a "
                              "variant of %s is expected here",
                              what, d->name);
    for (*v = 0; *v < d->variants; ++*v)
        if (strcmp(d->variant[*v].name, text) == 0)
            return ORR_OK;
    const char **names = orr__alloc(d->variants + 1, sizeof *names);
    if (!names)
        return orr__no_memory(why);
    for (uint32_t i = 0; i < d->variants; i++)
        names[i] = d->variant[i].name;
    orr_err err = orr__yaml_fail(m->base, at, why,
                                 "compare.%s: no variant of "
                                 "%s is called \"%s\"",
                                 what, d->name, text);
    orr__hint_nearest(why, names, text);
    orr__free(names);
    return err;
}

/* ---- the baseline ------------------------------------------------------- */

/* A variant for dimensions that it names; ORR_NONE: of the cell itself. Without
 * the key the first variants. */
static orr_err read_baseline(struct orr_matrix *m, const struct orr_yaml *n,
                             struct orr_report *why)
{
    const char *text = orr__yaml_text(m->base, n);
    for (uint32_t d = 0; d < m->dimensions; d++)
        m->baseline[d] = n ? ORR_NONE : 0;
    m->baseline_at = n;
    m->no_baseline = text && strcmp(text, "none") == 0;
    if (!n || m->no_baseline)
        return ORR_OK;
    if (!orr__yaml_is_map(n))
        return orr__yaml_fail(m->base, n, why,
                              "compare.baseline: a map like "
                              "{topology: ring}, or none");
    orr_err err = ORR_OK;
    for (size_t i = 0; i < orr__yaml_count(n) && !err; i++) {
        uint32_t d;
        err = find_dimension(m, orr__yaml_key(n, i), "baseline", &d, why);
        if (!err)
            err = find_variant(m, d, orr__yaml_value(n, i), "baseline",
                               &m->baseline[d], why);
    }
    return err;
}

/* ---- when --------------------------------------------------------------- */

/* Marks the variants that a rule names. */
static orr_err allow_variants(struct orr_matrix *m, uint32_t d,
                              const struct orr_yaml *n, bool *allowed,
                              struct orr_report *why)
{
    bool list = orr__yaml_is_list(n);
    orr_err err = ORR_OK;
    for (size_t i = 0; i < (list ? orr__yaml_count(n) : 1) && !err; i++) {
        uint32_t v = 0;
        err = find_variant(m, d, list ? orr__yaml_item(n, i) : n, "when", &v,
                           why);
        if (!err)
            allowed[v] = true;
    }
    return err;
}

static orr_err bad_rule(struct orr_matrix *m, const struct orr_yaml *n,
                        struct orr_report *why)
{
    orr_err err = orr__yaml_fail(m->base, n, why,
                                 "compare.when: a map of "
                                 "dimensions and variants is expected here");
    orr__hint(why, "for example [{topology: [ring, torus]}, "
                   "{not: {topology: ring, cc: hpcc}}]");
    return err;
}

/* Variants allowed (or, under `not`, forbidden) together; dimensions that it
 * does not name are free. */
static orr_err read_rule(struct orr_matrix *m, const struct orr_yaml *n,
                         struct orr_rule *r, struct orr_report *why)
{
    const struct orr_yaml *inner = orr__yaml_get(n, "not");
    r->forbids = inner && orr__yaml_count(n) == 1;
    if (r->forbids)
        n = inner;
    if (!orr__yaml_is_map(n) || orr__yaml_count(n) == 0)
        return bad_rule(m, n, why);
    orr_err err = ORR_OK;
    for (size_t i = 0; i < orr__yaml_count(n) && !err; i++) {
        uint32_t d = 0;
        err = find_dimension(m, orr__yaml_key(n, i), "when", &d, why);
        if (err)
            break;
        r->allowed[d] = orr__arena_alloc(
            orr__config_arena(m->base), m->dimension[d].variants, sizeof(bool));
        err = r->allowed[d] ? allow_variants(m, d, orr__yaml_value(n, i),
                                             r->allowed[d], why)
                            : orr__no_memory(why);
    }
    return err;
}

/* A combination runs if it meets all of them. */
static orr_err read_rules(struct orr_matrix *m, const struct orr_yaml *when,
                          struct orr_report *why)
{
    bool list = orr__yaml_is_list(when);
    size_t n = !when ? 0 : list ? orr__yaml_count(when) : 1;
    m->rule = orr__arena_alloc(orr__config_arena(m->base), n, sizeof *m->rule);
    if (!m->rule)
        return orr__no_memory(why);
    orr_err err = ORR_OK;
    for (size_t i = 0; i < n && !err; i++)
        err = read_rule(m, list ? orr__yaml_item(when, i) : when,
                        &m->rule[m->rules++], why);
    return err;
}

static bool rule_holds(const struct orr_matrix *m, const struct orr_rule *r,
                       const uint32_t *variant)
{
    for (uint32_t d = 0; d < m->dimensions; d++)
        if (r->allowed[d] && !r->allowed[d][variant[d]])
            return false;
    return true;
}

bool orr__matrix_runs(const struct orr_matrix *m, const uint32_t *variant)
{
    bool asked = false, fine = false;
    for (uint32_t i = 0; i < m->rules; i++) {
        bool is = rule_holds(m, &m->rule[i], variant);
        if (m->rule[i].forbids && is)
            return false;
        asked |= !m->rule[i].forbids;
        fine |= !m->rule[i].forbids && is;
    }
    return fine || !asked;
}

/* ---- until -------------------------------------------------------------- */

/* The map `compare.until`. */
struct until {
    const char *interval, *measure;
    int64_t most;
};

static const struct orr_param until_params[] = {
    {"interval", ORR_PARAM_TEXT, offsetof(struct until, interval), NULL, NULL,
     NULL, NULL, "half of the 95 % interval over the mean: 2%"},
    {"measure", ORR_PARAM_TEXT, offsetof(struct until, measure), "", NULL, NULL,
     NULL, "which figure; default: the first"},
    {"most", ORR_PARAM_INT, offsetof(struct until, most), "30", "2", "1000",
     NULL, "seeds at most"},
    ORR_PARAM_END,
};

const struct orr_param *orr__compare_until_params(void)
{
    return until_params;
}

/* "2%" or 0.02, kept as a share. */
static orr_err read_share(struct orr_matrix *m, const struct orr_yaml *at,
                          const char *text, struct orr_report *why)
{
    char number[32];
    size_t n = strlen(text);
    bool percent = n > 0 && text[n - 1] == '%';
    snprintf(number, sizeof number, "%.*s", (int)(n - percent), text);
    if (orr__parse_real(number, &m->until) == NULL) {
        m->until /= percent ? 100 : 1;
        if (m->until > 0 && m->until < 1)
            return ORR_OK;
    }
    orr_err err = orr__yaml_fail(m->base, at, why,
                                 "compare.until: \"%s\" is "
                                 "no share between 0 and 100%%",
                                 text);
    orr__hint(why, "for example 2%%");
    return err;
}

/* A map, or the interval alone. */
static orr_err read_until(struct orr_matrix *m, const struct orr_yaml *n,
                          struct orr_report *why)
{
    struct until u = {.most = 30};
    const struct orr_param_set set = {until_params, &u};
    m->until_at = n;
    if (!n)
        return ORR_OK;
    if (orr__yaml_is_map(n)) {
        orr_err err =
            orr__param_read(m->base, n, "compare.until", &set, 1, why);
        if (err)
            return err;
        m->until_at = orr__yaml_get(n, "interval");
    } else {
        u.interval = orr__yaml_text(m->base, n);
    }
    m->until_measure = u.measure;
    m->most_seeds = (uint32_t)u.most;
    return read_share(m, m->until_at, u.interval ? u.interval : "", why);
}

/* ---- the whole ---------------------------------------------------------- */

/* What stands on the command line takes the place of what is in the file. */
static orr_err replace(struct orr_matrix *m, const char *option,
                       const char *text, const struct orr_yaml **node,
                       struct orr_report *why)
{
    const struct orr_yaml *key;
    return text ? orr__config_value(m->base, option, option, text, &key, node,
                                    why)
                : ORR_OK;
}

/* "a=b,c=d" as "{a: b, c: d}". */
static char *braces(const char *text)
{
    struct orr_text t = {.s = NULL};
    if (!strchr(text, '=') || text[0] == '{')
        return orr__strdup(text);
    orr__text_add(&t, "{");
    for (; *text; text++)
        orr__text_add(&t, *text == '=' || *text == ',' ? "%c " : "%c",
                      *text == '=' ? ':' : *text);
    orr__text_add(&t, "}");
    return orr__text_done(&t);
}

static char *bracketed(const char *const *word, size_t n)
{
    struct orr_text t = {.s = NULL};
    for (size_t i = 0; i < n; i++)
        orr__text_add(&t, "%s%s", i ? ", " : "[", word[i]);
    orr__text_add(&t, "]");
    return orr__text_done(&t);
}

/* Options go before the file's keys. Texts that YAML would not read as meant
 * are put into brackets. */
static orr_err replace_all(struct orr_matrix *m, struct keys *k,
                           const struct orr_compare_options *o,
                           struct orr_report *why)
{
    char *baseline = o->baseline ? braces(o->baseline) : NULL;
    char *seeds = o->seeds && strchr(o->seeds, ',') && o->seeds[0] != '['
                      ? bracketed(&o->seeds, 1)
                  : o->seeds ? orr__strdup(o->seeds)
                             : NULL;
    char *measures =
        o->n_measures ? bracketed(o->measures, o->n_measures) : NULL;
    bool all = (!o->baseline || baseline) && (!o->n_measures || measures)
               && (!o->seeds || seeds);
    orr_err err = all ? ORR_OK : orr__no_memory(why);
    if (!err)
        err = replace(m, "--seeds", seeds, &k->seeds, why);
    if (!err)
        err = replace(m, "--until", o->until, &k->until, why);
    if (!err)
        err = replace(m, "--baseline", baseline, &k->baseline, why);
    if (!err)
        err = replace(m, "--measure", measures, &k->measure, why);
    if (o->keep >= 0)
        k->keep = o->keep;
    orr__free(seeds);
    orr__free(baseline);
    orr__free(measures);
    return err;
}

/* All seeds of all variants, before rules leave any out. */
static orr_err check_count(const struct orr_matrix *m, struct orr_report *why)
{
    double all = m->seeds;
    for (uint32_t d = 0; d < m->dimensions; d++)
        all *= m->dimension[d].variants;
    if (all <= ORR_MOST_COMBINATIONS)
        return ORR_OK;
    orr_err err = orr__yaml_fail(m->base, m->at, why,
                                 "compare.over: %.0f combinations and seeds "
                                 "are more than %d",
                                 all, ORR_MOST_COMBINATIONS);
    orr__hint(why, "vary one thing at a time, or fewer values of each");
    return err;
}

/* In the order in which they need one another. */
static orr_err read_keys(struct orr_matrix *m, struct keys *k,
                         const struct orr_compare_options *o,
                         struct orr_report *why)
{
    orr_err err = orr__dimensions_read(m, k->over, o, why);
    if (err == ORR_OK && m->dimensions == 0) {
        err = orr__yaml_fail(m->base, m->at, why,
                             "there is nothing to compare: no dimension");
        orr__hint(why, "for example --over network.cc=dctcp,hpcc, or a section "
                       "compare: {over: {network.cc: [dctcp, hpcc]}}");
    }
    if (err == ORR_OK)
        err = read_seeds(m, k->seeds, why);
    if (err == ORR_OK)
        err = check_count(m, why);
    if (err == ORR_OK)
        err = read_measures(m, k->measure, why);
    if (err == ORR_OK)
        err = read_baseline(m, k->baseline, why);
    if (err == ORR_OK)
        err = read_rules(m, k->when, why);
    if (err == ORR_OK)
        err = read_until(m, k->until, why);
    if (err == ORR_OK)
        err = orr__cost_read(m, k->equal_cost, o, why);
    m->keep = k->keep;
    m->claim = k->claim;
    return err;
}

static const char *stem_of_path(struct orr_arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    char *name = orr__arena_strdup(arena, slash ? slash + 1 : path);
    char *dot = name ? strrchr(name, '.') : NULL;
    if (dot && dot != name)
        *dot = '\0';
    return name;
}

/* Values that are laid over whatever the study says. */
static orr_err make_values(struct orr_matrix *m, struct orr_report *why)
{
    orr_err err = orr__config_value(m->base, "keep", "record", "none", &m->key,
                                    &m->none, why);
    const struct orr_yaml *unused;
    return err ? err
               : orr__config_value(m->base, "title", m->stem, "", &m->title,
                                   &unused, why);
}

orr_err orr__matrix_read(struct orr_matrix *m,
                         const struct orr_compare_options *o,
                         struct orr_report *why)
{
    struct keys k = {.over = NULL};
    const struct orr_param_set set = {params, &k};
    *m = (struct orr_matrix){.base = NULL};
    orr_err err = o->file ? orr__config_file_parse(o->file, &m->base, why)
                          : orr__config_load(o->config, &m->base, why);
    if (!err)
        err = orr__cc_plugins_add(m->base, o->plugins, o->n_plugins, why);
    for (size_t i = 0; i < o->n_sets && !err; i++)
        err = orr__config_set(m->base, o->sets[i], why);
    if (err)
        return err;
    m->at = orr__yaml_get(orr__config_root(m->base), "compare");
    m->stem = stem_of_path(orr__config_arena(m->base),
                           strcmp(o->config, "-") == 0 ? "study" : o->config);
    if (!m->stem)
        return orr__no_memory(why);
    err = orr__param_read(m->base, m->at, "compare", &set, 1, why);
    if (!err)
        err = make_values(m, why);
    if (!err)
        err = replace_all(m, &k, o, why);
    return err ? err : read_keys(m, &k, o, why);
}

bool orr__compare_is_study(const struct orr_config_file *file)
{
    struct orr_config *c = NULL;
    struct orr_report ignored = {.code = ORR_OK};
    if (orr__config_file_parse(file, &c, &ignored) != ORR_OK)
        return false;
    bool is = orr__yaml_get(orr__config_root(c), "compare") != NULL;
    orr__config_free(c);
    return is;
}

void orr__matrix_fini(struct orr_matrix *m)
{
    for (size_t i = 0; i < m->files; i++)
        orr__config_free(m->file[i]);
    orr__free(m->file);
    orr__config_free(m->base);
    *m = (struct orr_matrix){.base = NULL};
}

/* ---- combinations ------------------------------------------------------- */

void orr__matrix_describe(const struct orr_matrix *m, const uint32_t *variant,
                          char *text, size_t size)
{
    size_t at = 0;
    text[0] = '\0';
    for (uint32_t d = 0; d < m->dimensions && at < size; d++) {
        const struct orr_dimension *k = &m->dimension[d];
        if (variant[d] != ORR_NONE)
            at += (size_t)snprintf(text + at, size - at, "%s%s=%s",
                                   at ? ", " : "", k->name,
                                   k->variant[variant[d]].name);
    }
}

/* The variant's value at the dimension's key, or a map of several keys;
 * `compare` in it is left out. */
static orr_err lay_variant(struct orr_config *c, const struct orr_dimension *d,
                           const struct orr_variant *v, struct orr_report *why)
{
    if (!v->over_all)
        return orr__config_lay(c, d->key, d->at, v->value, why);
    orr_err err = ORR_OK;
    for (size_t i = 0; i < orr__yaml_count(v->value) && !err; i++) {
        const struct orr_yaml *key = orr__yaml_key(v->value, i);
        if (strcmp(orr__yaml_text(c, key), "compare") != 0)
            err = orr__config_lay(c, orr__yaml_text(c, key), key,
                                  orr__yaml_value(v->value, i), why);
    }
    return err;
}

orr_err orr__matrix_config(const struct orr_matrix *m, const uint32_t *variant,
                           int64_t seed, struct orr_config **out,
                           struct orr_report *why)
{
    struct orr_config *c = NULL;
    char set[32];
    orr_err err = orr__config_copy(m->base, "compare", &c, why);
    for (uint32_t d = 0; d < m->dimensions && !err; d++)
        err = lay_variant(c, &m->dimension[d],
                          &m->dimension[d].variant[variant[d]], why);
    snprintf(set, sizeof set, "seed=%lld", (long long)seed);
    if (!err)
        err = orr__config_set_named(c, set, "--seeds", why);
    if (!err && !orr__yaml_get(orr__config_root(c), "title"))
        err = orr__config_lay(c, "title", m->key, m->title, why);
    if (!err && !m->keep)
        err = orr__config_lay(c, "record", m->key, m->none, why);
    if (!err) {
        *out = c;
        return ORR_OK;
    }
    orr__config_free(c);
    return err;
}
