#include "study/compare/jobs.h"
#include "core/config/module.h"
#include "core/none.h"

#include <stdio.h>
#include <string.h>

#include "core/array.h"
#include "core/assert.h"
#include "core/config/param.h"
#include "core/config/yaml.h"
#include "core/units.h"
#include "workload/job/job.h"

#define MOST_NAMED 64 /* in a hint, or looked at for one */

static struct orr_study_job *find_job(const struct orr_study_jobs *s,
                                      const char *name)
{
    uint32_t i = orr__names_find(&s->names, name);
    return i == ORR_NONE ? NULL : &s->job[i];
}

static struct orr_study_job *new_job(struct orr_study_jobs *s, const char *name)
{
    if (!orr__array_more(s->job, s->room, s->count))
        return NULL;
    struct orr_study_job *job = &s->job[s->count];
    *job = (struct orr_study_job){orr__arena_strdup(&s->arena, name), 0};
    if (!job->name || !orr__names_add(&s->names, job->name, s->count))
        return NULL;
    s->count++;
    return job;
}

orr_err orr__study_jobs_add(struct orr_study_jobs *s, const struct orr_world *w)
{
    const struct orr_yaml *root = orr__config_root(w->config);
    s->open |= orr__yaml_get(root, "cluster") != NULL;
    if (w->n_jobs > s->most)
        s->most = w->n_jobs;
    for (uint32_t i = 0; i < w->n_jobs; i++) {
        const struct orr_job *j = &w->jobs[i];
        struct orr_study_job *job = find_job(s, j->name);
        if (!job && !(job = new_job(s, j->name)))
            return ORR_ENOMEM;
        if (j->iterations > job->iterations)
            job->iterations = j->iterations;
    }
    return ORR_OK;
}

void orr__study_jobs_fini(struct orr_study_jobs *s)
{
    orr__free(s->job);
    orr__names_fini(&s->names);
    orr__arena_fini(&s->arena);
}

/* With the nearest name, or the first of those that there are. */
static orr_err no_such_job(const struct orr_study_jobs *s, struct orr_config *c,
                           const char *path, const char *step,
                           const struct orr_yaml *at, struct orr_report *why)
{
    const char *names[MOST_NAMED + 1] = {NULL};
    char list[160] = "";
    size_t n = 0;
    ORR_ASSERT(s->job || s->count == 0);
    for (uint32_t i = 0; i < s->count && i < MOST_NAMED; i++) {
        names[i] = s->job[i].name;
        if (n < sizeof list)
            n += (size_t)snprintf(list + n, sizeof list - n, "%s%s",
                                  i ? ", " : "", names[i]);
    }
    orr_err err =
        s->most == 0 ? orr__yaml_fail(c, at, why,
                                      "compare.measure: %s: no combination has "
                                      "jobs",
                                      path)
                     : orr__yaml_fail(c, at, why,
                                      "compare.measure: %s: no combination has "
                                      "a job \"%s\"",
                                      path, step);
    if (!orr__hint_nearest(why, names, step) && s->most)
        orr__hint(why, "there are %s%s; `*` is all jobs", list,
                  n < sizeof list && s->count <= MOST_NAMED ? "" : " ...");
    return err;
}

/* "iterations.7" behind the job. */
static orr_err check_iteration(uint32_t most, struct orr_config *c,
                               const char *path, const char *rest,
                               const struct orr_yaml *at,
                               struct orr_report *why)
{
    static const char key[] = "iterations.";
    char step[32];
    int64_t number;
    if (strncmp(rest, key, sizeof key - 1) != 0)
        return ORR_OK;
    rest += sizeof key - 1;
    snprintf(step, sizeof step, "%.*s", (int)strcspn(rest, "."), rest);
    if (orr__parse_int(step, &number) || number < (int64_t)most)
        return ORR_OK;
    orr_err err = orr__yaml_fail(c, at, why,
                                 "compare.measure: %s: there is no "
                                 "iteration %s",
                                 path, step);
    orr__hint(why, "they are counted from 0, and there %s %u",
              most == 1 ? "is" : "are", most);
    return err;
}

orr_err orr__study_jobs_check(const struct orr_study_jobs *s,
                              struct orr_config *c, const char *path,
                              const struct orr_yaml *at, struct orr_report *why)
{
    char step[128];
    int64_t number;
    uint32_t most = 0;
    if (s->open || strncmp(path, "jobs.", 5) != 0)
        return ORR_OK;
    const char *rest = path + 5;
    size_t n = strcspn(rest, ".");
    snprintf(step, sizeof step, "%.*s", (int)n, rest);
    rest += n + (rest[n] == '.');
    const struct orr_study_job *job = find_job(s, step);
    bool all = strcmp(step, "*") == 0; /* or of none: told below the table */
    bool counted = !orr__parse_int(step, &number) && number >= 0
                   && number < (int64_t)s->most;
    if (!job && !all && !counted)
        return no_such_job(s, c, path, step, at, why);
    if (all && s->most == 0)
        return ORR_OK;
    ORR_ASSERT(s->job || s->count == 0);
    for (uint32_t i = 0; i < s->count; i++)
        if ((all || counted || job == &s->job[i])
            && s->job[i].iterations > most)
            most = s->job[i].iterations;
    return check_iteration(most, c, path, rest, at, why);
}
