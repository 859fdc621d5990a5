/* The registry of schedules, and how one is read. */
#include "workload/schedule/schedule.h"

#include <string.h>

#include "core/config/family.h"
#include "core/memory.h"
#include "workload/job/adjust.h"
#include "workload/schedule/list.h"

ORR_FAMILY(orr__scheduler_kinds, ORR_SCHEDULE_KIND_LIST,
           struct orr_scheduler_ops, orr__schedule_kind_)

const struct orr_scheduler_ops *orr__scheduler_named(const char *name)
{
    const struct orr_scheduler_ops *const *all = orr__scheduler_kinds();
    while (*all && strcmp((*all)->name, name) != 0)
        all++;
    return *all;
}

ORR_FAMILY_FIND(find, orr__scheduler_kinds, struct orr_scheduler_ops)

orr_err orr__schedule_read(struct orr_world *w, const struct orr_yaml *node,
                           struct orr_report *why)
{
    struct orr_module m = {
        .c = w->config, .node = node, .what = "schedule", .why = why};
    struct orr_arena *arena = orr__config_arena(w->config);
    struct orr_scheduler *s = orr__arena_alloc(arena, 1, sizeof *s);
    if (!s)
        return orr__no_memory(why);
    orr__module_name(&m, orr__scheduler_kinds()[0]->name);
    orr_err err = find(&m, &s->ops);
    if (err)
        return err;
    size_t size = s->ops->params_size ? s->ops->params_size : 1;
    void *params = orr__arena_alloc(arena, 1, size);
    if (!params)
        return orr__no_memory(why);
    s->node = node;
    s->at = m.at;
    s->params = params;
    w->scheduler = s;
    const struct orr_param_set set = {s->ops->params, params};
    return orr__module_read(&m, &set, 1);
}

static bool is_called(const struct orr_world *w, uint32_t job, const char *name)
{
    return strcmp(w->jobs[job].name, name) == 0
           || (w->job_kind && strcmp(w->job_kind[job], name) == 0);
}

orr_err orr__schedule_job(struct orr_world *w, const struct orr_yaml *name,
                          uint32_t *at, struct orr_job **out,
                          struct orr_report *why)
{
    const char *text = orr__yaml_text(w->config, name);
    bool first = *at == 0;
    *out = NULL;
    while (text && !*out && *at < w->n_jobs) {
        *out = is_called(w, *at, text) ? &w->jobs[*at] : NULL;
        ++*at;
    }
    if (*out || !first || (text && (w->job_kind || w->jobs_join)))
        return ORR_OK;
    return orr__yaml_fail(w->config, name, why,
                          "schedule: no job is called \"%s\"",
                          text ? text : "?");
}

orr_err orr__schedule_serve(struct orr_world *w, struct orr_report *why)
{
    const struct orr_scheduler_ops *ops = w->scheduler->ops;
    return ops->serve ? ops->serve(w, why) : ORR_OK;
}

orr_err orr__schedule_plan(struct orr_world *w, struct orr_report *why)
{
    const struct orr_scheduler_ops *ops = w->scheduler->ops;
    return ops->plan ? ops->plan(w, why) : ORR_OK;
}

orr_err orr__schedule_join(struct orr_world *w, struct orr_report *why)
{
    const struct orr_scheduler *s = w->scheduler;
    if (!s->ops->joins)
        return orr__yaml_fail(w->config, s->at, why,
                              "schedule: `%s` is planned for jobs that are "
                              "there from the beginning",
                              s->ops->name);
    return orr__schedule_serve(w, why);
}

void orr__schedule_free(struct orr_world *w)
{
    struct orr_scheduler *s = w->scheduler;
    if (s && s->state && s->ops->free)
        s->ops->free(s->state);
    w->scheduler = NULL;
}
