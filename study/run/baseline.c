#include "study/run/baseline.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "core/file.h"
#include "core/memory.h"
#include "core/read.h"
#include "core/text.h"
#include "experiment/cache.h"
#include "record/figures.h"
#include "workload/job/job.h"

/* What a run alone is loaded with; those of jobs are made. */
static const char *const fixed[] = {
    "schedule=ideal", "alone=false", "record=none",
    "title=alone",    "flows=null",  "compare=null",
};
enum { FIXED = sizeof fixed / sizeof *fixed };

/* Assignments over the configuration; the fixed ones are static. */
struct sets {
    char **text;
    size_t n;
};

static void sets_fini(struct sets *s)
{
    for (size_t i = FIXED; i < s->n; i++)
        orr__free(s->text[i]);
    orr__free(s->text);
}

/* Jobs alone have no gates. false: no memory, what there is has to be freed. */
static bool make_sets(const struct orr_world *w, struct sets *s)
{
    s->text = orr__alloc(FIXED + w->n_jobs, sizeof *s->text);
    for (s->n = 0; s->text && s->n < FIXED; s->n++)
        s->text[s->n] = (char *)fixed[s->n];
    for (uint32_t i = 0; s->text && i < w->n_jobs; i++) {
        if (!orr__yaml_get(
                orr__yaml_item(
                    orr__yaml_get(orr__config_root(w->config), "jobs"), i),
                "gate"))
            continue;
        s->text[s->n] = orr__format("jobs[%u].gate=null", i);
        if (!s->text[s->n++])
            return false;
    }
    return s->text;
}

/* ---- the cache ----------------------------------------------------------- */

static bool names_files(const struct orr_world *w)
{
    const struct orr_yaml *root = orr__config_root(w->config);
    const struct orr_yaml *topology = orr__yaml_get(root, "topology");
    bool files =
        orr__yaml_get(topology, "file") || orr__yaml_get(root, "plugins");
    for (uint32_t i = 0; i < w->n_jobs; i++)
        files |= w->jobs[i].source || w->jobs[i].model;
    return files;
}

static bool begins_with(const char *line, const char *key)
{
    size_t n = strlen(key);
    return strncmp(line, key, n) == 0 && line[n] == ':';
}

/* A hash of what matters in a configuration with all defaults: of each block of
 * lines under an outermost key, whatever their order. Gates are null by now. */
static uint64_t hash_of(const char *effective)
{
    static const char *const keys[] = {"topology", "network", "jobs",
                                       "seed",     "stop",    "control_delay",
                                       "failures"};
    uint64_t block = 0;
    uint64_t sum = XXH3_64bits_withSeed(ORR_VERSION, sizeof ORR_VERSION,
                                        orr__cache_build());
    bool matters = false;
    for (const char *line = effective; *line;) {
        const char *end = strchr(line, '\n');
        size_t n = end ? (size_t)(end - line) + 1 : strlen(line);
        const char *word = line + strspn(line, " ");
        if (word == line && *line != '-') {
            sum += matters ? block : 0;
            block = 0;
            matters = false;
            for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
                matters |= begins_with(line, keys[i]);
        }
        if (!begins_with(word, "gate"))
            block = XXH3_64bits_withSeed(line, n, block);
        line += n;
    }
    return sum + (matters ? block : 0);
}

/* The name of the file for what this configuration says, or NULL: there is no
 * cache, or no memory for its name; what it would say is then worked out. */
static char *cache_name(const char *effective)
{
    struct orr_report ignored = {0};
    char *folder = NULL;
    bool found = orr__cache_folder(&folder, &ignored) == ORR_OK && folder;
    char *name =
        found ? orr__format("%s/alone-%016" PRIx64, folder, hash_of(effective))
              : NULL;
    orr__free(folder);
    return name;
}

static const char heading[] = "orrery alone 2";

/* What the file says, but for its last line, which is the check sum of that:
 * NULL if memory ran out. */
static char *text_of(const struct orr_world *w)
{
    struct orr_text t = {0};
    orr__text_add(&t, "%s\n", heading);
    for (uint32_t i = 0; i < w->n_jobs; i++) /* in 1/1000 ps */
        orr__text_add(&t, "%" PRId64 "\n",
                      (int64_t)(w->jobs[i].baseline_ps * 1000 + 0.5));
    return orr__text_done(&t);
}

/* Whether what was read is what was written. */
static bool fits_sum(const struct orr_world *w, const char *sum_line)
{
    char *text = text_of(w);
    uint64_t sum;
    bool good = text && sscanf(sum_line, "%" SCNx64, &sum) == 1
                && sum == orr__cache_sum(text, strlen(text));
    orr__free(text);
    return good;
}

/* Whether a file is there and says what all jobs take. */
static bool recall_baseline(const struct orr_world *w, const char *name)
{
    struct orr_lines lines;
    const char *line;
    uint32_t n = 0;
    int64_t ps;
    if (orr__lines_open(&lines, name, SIZE_MAX / 2))
        return false;
    line = orr__lines_next(&lines);
    if (line && !strcmp(line, heading))
        while (n < w->n_jobs && (line = orr__lines_next(&lines))
               && sscanf(line, "%" SCNd64, &ps) == 1 && ps > 0)
            w->jobs[n++].baseline_ps = (double)ps / 1000;
    bool all =
        n == w->n_jobs && (line = orr__lines_next(&lines)) && fits_sum(w, line);
    orr__lines_fini(&lines);
    return all;
}

/* A cache that cannot be written is no failure. */
static void keep_baseline(const struct orr_world *w, const char *name)
{
    struct orr_report ignored = {0};
    struct orr_file f = {0};
    char *text = text_of(w);
    if (text && orr__file_open(&f, name, &ignored) == ORR_OK) {
        fprintf(f.out, "%s%016" PRIx64 "\n", text,
                orr__cache_sum(text, strlen(text)));
        if (orr__file_close(&f, ORR_OK, &ignored) != ORR_OK)
            orr__file_abandon(&f);
    }
    orr__free(text);
}

/* ---- the run ------------------------------------------------------------- */

/* Mean iterations become the jobs' baselines, ps. */
static orr_err take_over(const struct orr_world *from, struct orr_world *to,
                         struct orr_report *why)
{
    for (uint32_t i = 0; i < to->n_jobs; i++) {
        const struct orr_job *j = &from->jobs[i];
        double *room = orr__alloc(j->iterations, sizeof *room);
        if (!room)
            return orr__no_memory(why);
        to->jobs[i].baseline_ps = orr__figures_iterations(j, room).mean;
        orr__free(room);
    }
    return ORR_OK;
}

/* The same jobs without others; kept in the cache unless files are named, whose
 * contents may change. */
static orr_err run_baseline(orr_experiment *x, const char *text,
                            const struct orr_options *o, struct orr_report *why)
{
    struct orr_world *w = orr__experiment_inside(x);
    orr_experiment *alone = NULL;
    orr_err err = orr__experiment_open(orr__config_name(w->config), text, o,
                                       NULL, &alone, why);
    char *effective = err == ORR_OK && !names_files(w)
                          ? orr__experiment_effective(alone)
                          : NULL;
    char *name = effective ? cache_name(effective) : NULL;
    bool known = name && recall_baseline(w, name);
    if (err == ORR_OK && !known)
        err = orr_experiment_run(alone, why);
    if (err == ORR_OK && !known)
        err = take_over(orr__experiment_world(alone), w, why);
    if (err == ORR_OK && !known && name)
        keep_baseline(w, name);
    orr__free(name);
    orr__free(effective);
    orr_experiment_free(alone);
    return err;
}

orr_err orr__baseline(orr_experiment *x, const char *folder, unsigned threads,
                      const volatile int *interrupt, struct orr_report *why)
{
    const struct orr_world *w = orr__experiment_world(x);
    char *text = orr__experiment_effective(x);
    struct sets sets = {NULL, 0};
    orr_err err = ORR_OK;
    if (!text || !make_sets(w, &sets))
        err = orr__no_memory(why);
    const struct orr_options o = {.sets = (const char *const *)sets.text,
                                  .n_sets = sets.n,
                                  .threads = threads,
                                  .no_output = true,
                                  .folder = folder,
                                  .interrupt = interrupt};
    if (err == ORR_OK)
        err = run_baseline(x, text, &o, why);
    if (err == ORR_ECONFIG || err == ORR_ERUN) {
        const struct orr_report first = *why;
        err = orr__fail(why, err, "alone: %s", first.message);
    }
    sets_fini(&sets);
    orr__free(text);
    return err;
}
