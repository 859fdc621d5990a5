#include "study/compare/measure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cluster/figures.h"
#include "core/array.h"
#include "core/config/param.h"
#include "core/memory.h"
#include "core/statistics.h"
#include "core/units.h"
#include "experiment/lists.h"
#include "study/run/entry.h"

#define LONGEST_STEP 64

static const char *const reducers[] = {"mean", "p50", "p95", "p99", "min",
                                       "max",  "sum", "p10", "p90", NULL};

/* Numbers that a path leads to. */
struct found {
    double *v;
    size_t n, room;
    bool no_memory;
    bool missed; /* a member that a list has not, and others may have */
    /* Where it came to an end, for messages: what lacks that step. */
    const json_t *dead;
    char step[LONGEST_STEP];
    const json_t *whole; /* or that a figure of should have been named */
};

static void add_number(struct found *f, double value)
{
    if (!orr__array_more(f->v, f->room, f->n)) {
        f->no_memory = true;
        return;
    }
    f->v[f->n++] = value;
}

static bool is_reducer(const char *path)
{
    return orr__param_choice(reducers, path) >= 0;
}

/* Is this the member of a list that the step means? */
static bool is_meant(const json_t *member, size_t index, const char *step)
{
    uint64_t bytes;
    int64_t number;
    const char *name = json_string_value(json_object_get(member, "name"));
    if (strcmp(step, "*") == 0 || (name && strcmp(name, step) == 0))
        return true;
    if (!orr__parse_int(step, &number))
        return number >= 0 && (size_t)number == index;
    const json_t *from = json_object_get(member, "from");
    const json_t *to = json_object_get(member, "to");
    return json_is_integer(from) && json_is_integer(to)
           && !orr__parse_size(step, &bytes)
           && (uint64_t)json_integer_value(from) <= bytes
           && bytes < (uint64_t)json_integer_value(to);
}

static void collect(struct found *f, const json_t *at, const char *path);

/* Members without names are told apart by what every list knows. */
static bool may_be_member(const json_t *list, const char *step)
{
    int64_t number;
    uint64_t bytes;
    const json_t *first = json_array_get(list, 0);
    return !json_is_object(first) || json_object_get(first, "name")
           || strcmp(step, "*") == 0 || !orr__parse_int(step, &number)
           || !orr__parse_size(step, &bytes);
}

static void come_to_end(struct found *f, const json_t *at, const char *step)
{
    if (f->dead)
        return;
    f->dead = at;
    snprintf(f->step, sizeof f->step, "%s", step);
}

/* One step of a path into a list or a map; numbers found go into f, dead ends
 * too. */
static void enter_member(struct found *f, const json_t *at, const char *path)
{
    char step[LONGEST_STEP];
    size_t n = strcspn(path, "."), i;
    const char *rest = path[n] ? path + n + 1 : path + n;
    json_t *member;
    snprintf(step, sizeof step, "%.*s", (int)n, path);
    if (json_is_array(at)) {
        bool any = false;
        json_array_foreach((json_t *)at, i,
                           member) if (is_meant(member, i, step))
        {
            any = true;
            collect(f, member, rest);
        }
        if (!any && may_be_member(at, step))
            f->missed = true;
        else if (!any)
            come_to_end(f, at, step);
        return;
    }
    member = json_is_object(at) ? json_object_get(at, step) : NULL;
    if (member)
        collect(f, member, rest);
    else if (!json_is_null(at))
        come_to_end(f, at, step);
}

/* Times that come as {mean, p50, ...} are one figure, their mean. */
static void collect_end(struct found *f, const json_t *at)
{
    const json_t *mean = json_object_get(at, "mean");
    if (json_is_number(mean))
        add_number(f, json_number_value(mean));
    else if (!json_is_null(at) && !f->whole)
        f->whole = at;
}

/* Numbers at a path: those that it ends at, or reduces. */
static void collect(struct found *f, const json_t *at, const char *path)
{
    bool end = path[0] == '\0' || is_reducer(path);
    if (json_is_number(at) && end)
        add_number(f, json_number_value(at));
    else if (json_is_boolean(at) && end)
        add_number(f, json_is_true(at));
    else if (path[0])
        enter_member(f, at, path);
    else
        collect_end(f, at);
}

/* Several numbers to one, by the path's last step; the mean without one. */
static double reduce(struct found *f, const char *path)
{
    const char *dot = strrchr(path, '.');
    double sum = 0;
    for (size_t i = 0; i < f->n; i++)
        sum += f->v[i];
    if (f->n < 2)
        return f->n ? f->v[0] : NAN;
    struct orr_statistics s = orr__statistics(f->v, f->n);
    switch (orr__param_choice(reducers, dot ? dot + 1 : path)) {
    case 1: return s.p50;
    case 2: return s.p95;
    case 3: return s.p99;
    case 4: return s.min;
    case 5: return s.max;
    case 6: return sum;
    case 7: return s.p10;
    case 8: return s.p90;
    default: return sum / (double)f->n;
    }
}

const json_t *orr__measure_cut(const json_t *summary, const char *path,
                               bool *all)
{
    const json_t *cut;
    size_t i;
    json_array_foreach(json_object_get(summary, "cut"), i, cut)
    {
        const char *list = json_string_value(json_object_get(cut, "list"));
        if (list && orr__list_on_path(list, path, all))
            return cut;
    }
    return NULL;
}

orr_err orr__measure_value(const json_t *summary, const char *path,
                           double *value)
{
    struct found f = {.v = NULL};
    bool all;
    *value = NAN;
    if (orr__measure_cut(summary, path, &all) && all)
        return ORR_OK;
    collect(&f, summary, path);
    *value = reduce(&f, path);
    orr__free(f.v);
    return f.no_memory ? ORR_ENOMEM : ORR_OK;
}

static bool ends_with(const char *s, size_t n, const char *end)
{
    size_t m = strlen(end);
    return n >= m && strncmp(s + n - m, end, m) == 0;
}

const char *orr__measure_unit(const char *path)
{
    size_t n = strlen(path);
    while (n > 0) {
        size_t from = n;
        while (from > 0 && path[from - 1] != '.')
            from--;
        const char *step = path + from;
        size_t length = n - from;
        if (ends_with(step, length, "_ns"))
            return "ns";
        if (ends_with(step, length, "_bps"))
            return "bit/s";
        if (ends_with(step, length, "bytes")
            || (length > 6 && strncmp(step, "bytes_", 6) == 0))
            return "B";
        if (ends_with(step, length, "seconds"))
            return "s";
        char word[LONGEST_STEP];
        snprintf(word, sizeof word, "%.*s", (int)length, step);
        if (!is_reducer(word) || from == 0)
            break;
        n = from - 1;
    }
    return "1";
}

/* "whole" or, where its end is "mean", without. */
static bool is_figure(const char *path, const char *whole)
{
    size_t n = strlen(path);
    return strncmp(path, whole, n) == 0
           && (!whole[n] || strcmp(whole + n, ".mean") == 0);
}

/* Takes text over. */
static orr_err keep_own(struct orr_arena *arena, char *text,
                        struct orr_measure_own *own)
{
    own->path = text ? orr__arena_strdup(arena, text) : NULL;
    orr__free(text);
    return own->path ? ORR_OK : ORR_ENOMEM;
}

/* path: without "cluster." */
static orr_err cluster_own(struct orr_arena *arena, const char *path,
                           struct orr_measure_own *own)
{
    char name[LONGEST_STEP];
    for (int i = 0; i < ORR_CLUSTER_FIGURES; i++) {
        if (!is_figure(path, orr__cluster_figure[i].path))
            continue;
        orr__cluster_half_name(i, name, sizeof name);
        return keep_own(arena, orr__format("basis.intervals.%s", name), own);
    }
    return ORR_OK;
}

/* Of all jobs their shares in the mean: no less than what is right where their
 * errors are one another's. */
orr_err orr__measure_own(struct orr_arena *arena, const char *path,
                         struct orr_measure_own *own)
{
    *own = (struct orr_measure_own){.path = NULL};
    if (strncmp(path, "cluster.", 8) == 0)
        return cluster_own(arena, path + 8, own);
    const char *job = strncmp(path, "jobs.", 5) == 0 ? path + 5 : NULL;
    const char *key = job ? strchr(job, '.') : NULL;
    if (!key || !is_figure(key, ".iteration_ns.mean"))
        return ORR_OK;
    own->share = true;
    return keep_own(
        arena, orr__format("repeat.jobs.%.*s.error", (int)(key - job), job),
        own);
}

/* ---- checking ----------------------------------------------------------- */

/* Two hosts, a job, a flow and an outage: the summary of this run has the keys
 * that one may have. */
static const char sample[] =
    "topology: {kind: ring, hosts: 2, link: {rate: 1Gbps, delay: 1us}}\n"
    "network: {pfc: {enabled: true}}\n"
    "schedule: cassini\n"
    "failures: [{link: 0, down: 1s, up: 2s}]\n"
    "repeat: {kind: sampled}\n"
    "jobs: [{ranks: 2, program: [all-reduce: {size: 1KB}]}]\n"
    "flows: [{src: 0, dst: 1, size: 1KB}]\n";

/* The same of a cluster. */
static const char cluster_sample[] =
    "topology: {kind: ring, hosts: 2, link: {rate: 1Gbps, delay: 1us}}\n"
    "cluster:\n"
    "  accuracy: fluid\n"
    "  jobs: [{name: a, gpus: 1, iterations: 1, program: [compute: 1us]}]\n"
    "  arrivals: [{template: a, at: 0s}]\n";

/* And of switches that add. */
static const char tree_sample[] =
    "topology: {kind: switch, hosts: 2, link: {rate: 1Gbps, delay: 1us}}\n"
    "network: {in_network: {kind: switchml, slots: 4}}\n"
    "jobs: [{ranks: 2, program:\n"
    "  [all-reduce: {size: 1KB, algorithm: in-network}]}]\n";

/* A small run, whose summary says which keys there are. */
static orr_err run_sample(const char *text, json_t **out,
                          struct orr_report *why)
{
    const struct orr_options o = {.no_output = true};
    orr_experiment *x = NULL;
    char *json = NULL;
    orr_err err = orr__experiment_load_text("sample", text, &o, &x, why);
    if (!err)
        err = orr_experiment_run(x, why);
    if (!err) {
        json = orr_experiment_json(x);
        *out = json ? json_loads(json, 0, NULL) : NULL;
        err = *out ? ORR_OK : orr__no_memory(why);
    }
    orr_text_free(json);
    orr_experiment_free(x);
    return err;
}

/* What a summary of any of them has. */
static orr_err run_samples(json_t **out, struct orr_report *why)
{
    json_t *cluster = NULL, *tree = NULL;
    orr_err err = run_sample(sample, out, why);
    if (!err)
        err = run_sample(cluster_sample, &cluster, why);
    if (!err)
        err = run_sample(tree_sample, &tree, why);
    if (!err
        && (json_array_extend(json_object_get(*out, "jobs"),
                              json_object_get(cluster, "jobs"))
            || json_object_update_missing(*out, cluster)
            || json_object_update_missing(*out, tree)))
        err = orr__no_memory(why);
    json_decref(cluster);
    json_decref(tree);
    return err;
}

/* A key where a list's member is to be said, or behind a figure. */
static orr_err below_no_map(struct orr_config *c, const struct orr_yaml *at,
                            const char *path, const struct found *f,
                            struct orr_report *why)
{
    if (!json_is_array(f->dead))
        return orr__yaml_fail(
            c, at, why,
            "compare.measure: %s: there is no \"%s\" below a figure", path,
            f->step);
    orr_err err = orr__yaml_fail(c, at, why,
                                 "compare.measure: %s: no member "
                                 "of a list is called \"%s\"",
                                 path, f->step);
    if (json_object_get(json_array_get(f->dead, 0), f->step))
        orr__hint(why, "write *.%s for all of it, 0.%s for the first", f->step,
                  f->step);
    else
        orr__hint(why, "`*` is all of it, 0 the first");
    return err;
}

/* Only a key that no summary can have is refused: those below it may be missing
 * in the sample alone. */
static orr_err wrong_key(struct orr_config *c, const struct orr_yaml *at,
                         const char *path, const struct found *f,
                         bool outermost, struct orr_report *why)
{
    if (!json_is_object(f->dead))
        return below_no_map(c, at, path, f, why);
    const char *names[64] = {NULL}, *key;
    json_t *value;
    size_t n = 0;
    json_object_foreach((json_t *)f->dead, key, value) if (n < 63) names[n++] =
        key;
    const char *near = orr__param_nearest(names, f->step);
    if (!near && !outermost)
        return ORR_OK; /* some runs say more than the sample */
    orr_err err = orr__yaml_fail(c, at, why,
                                 "compare.measure: %s: a summary "
                                 "has no \"%s\" there",
                                 path, f->step);
    if (near)
        orr__hint(why, "did you mean \"%s\"?", near);
    else
        orr__hint(why, "for example flows.slowdown.p99 or "
                       "jobs.*.iteration_ns.mean: the keys that `orrery run "
                       "--json -` prints");
    return err;
}

/* What leads to no number, and no key of which was wrong. */
static orr_err no_number(struct orr_config *c, const struct orr_yaml *at,
                         const char *path, const struct found *f,
                         struct orr_report *why)
{
    char keys[160] = "";
    const char *key;
    json_t *value;
    size_t n = 0;
    orr_err err = orr__yaml_fail(c, at, why,
                                 "compare.measure: %s is no number "
                                 "of a summary",
                                 path);
    json_object_foreach((json_t *)f->whole, key,
                        value) if (json_is_number(value)
                                   || json_is_object(value)) n +=
        (size_t)snprintf(keys + n, n < sizeof keys ? sizeof keys - n : 0,
                         "%s%s", n ? " " : "", key);
    if (keys[0])
        orr__hint(why, "one of these, perhaps: %s%s", keys,
                  n < sizeof keys ? "" : " ...");
    return err;
}

/* A name or a size that the sample has not: any member will do. */
static void any_member(const char *path, char *buf, size_t size)
{
    static const char *const lists[] = {"jobs.", "flows.by_size.",
                                        "flows.list.", "links.busiest."};
    snprintf(buf, size, "%s", path);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        size_t n = strlen(lists[i]);
        if (strncmp(path, lists[i], n) == 0)
            snprintf(buf, size, "%s*%s", lists[i],
                     path + n + strcspn(path + n, "."));
    }
}

/* Tries the path on the sample, then with any member of lists. */
static orr_err check_path(struct orr_config *c, const json_t *summary,
                          const char *path, const struct orr_yaml *at,
                          struct orr_report *why)
{
    struct found f = {.v = NULL};
    char any[256];
    collect(&f, summary, path);
    if (f.n == 0 && !json_is_array(f.dead)) {
        orr__free(f.v);
        f = (struct found){.no_memory = f.no_memory};
        any_member(path, any, sizeof any);
        collect(&f, summary, any);
    }
    orr_err err = ORR_OK;
    if (f.no_memory)
        err = orr__no_memory(why);
    else if (f.n == 0 && f.dead && (json_is_object(f.dead) || !f.missed))
        err = wrong_key(c, at, path, &f, f.dead == summary, why);
    else if (f.n == 0 && (f.whole || !strchr(path, '.')))
        err = no_number(c, at, path, &f, why);
    orr__free(f.v);
    return err;
}

orr_err orr__measure_check(struct orr_config *c, const char *const *path,
                           const struct orr_yaml *const *at, uint32_t n,
                           struct orr_report *why)
{
    json_t *summary = NULL;
    if (n == 0)
        return ORR_OK;
    orr_err err = run_samples(&summary, why);
    for (uint32_t i = 0; i < n && !err; i++)
        err = check_path(c, summary, path[i], at[i], why);
    json_decref(summary);
    return err;
}
