#include "study/plan/plan.h"

#include "core/config/config.h"
#include "core/memory.h"
#include "study/run/entry.h"
#include "workload/job/job.h"
#include "workload/schedule/planner.h"

static orr_err no_jobs(const struct orr_world *w, struct orr_report *why)
{
    return orr__yaml_fail(w->config,
                          orr__yaml_get(orr__config_root(w->config), "flows"),
                          why, "there is nothing to plan: no jobs");
}

/* The document with what the options set. */
static orr_err read_document(const struct orr_planned *p,
                             const struct orr_options *o, struct orr_config **c,
                             struct orr_report *why)
{
    orr_err err = orr__config_file_parse(&p->file, c, why);
    for (size_t i = 0; i < o->n_sets && !err; i++)
        err = orr__config_set(*c, o->sets[i], why);
    return err;
}

/* Its question, if it asks one. */
static orr_err answer(struct orr_planned *p, const struct orr_options *o,
                      bool configured, struct orr_report *why)
{
    struct orr_config *c = NULL;
    orr_err err = read_document(p, o, &c, why);
    p->asked = !err && orr__question_asked(c);
    if (p->asked)
        err = orr__question_answer(c, o, configured, &p->answer, why);
    orr__config_free(c);
    return err;
}

orr_err orr__planned_make(const char *config, const struct orr_options *o,
                          bool configured, struct orr_planned *out,
                          struct orr_report *why)
{
    const struct orr_plan_request turns = {.turns = true,
                                           .slack = ORR_PLAN_SLACK,
                                           .threshold = ORR_PLAN_THRESHOLD,
                                           .classes = 8,
                                           .orders = ORR_PLAN_ORDERS};
    *out = (struct orr_planned){0};
    orr_err err = orr__config_file_read(&out->file, config, why);
    if (!err)
        err = answer(out, o, configured, why);
    if (out->asked)
        return err;
    if (!err)
        err = orr__experiment_load_file(&out->file, o, NULL, &out->experiment,
                                        why);
    if (err)
        return err;
    const struct orr_world *w = orr__experiment_world(out->experiment);
    if (!w->n_jobs)
        return no_jobs(w, why);
    if (orr__planner_plan_all(w)) {
        err = orr__planner_best(orr__experiment_inside(out->experiment), why);
    } else {
        out->has_own = true;
        err = orr__plan_make(w, NULL, &turns, &out->own, why);
        if (!err)
            err = orr__plan_best(&out->own, why);
    }
    return err ? err
               : orr__verdict(&out->file, o, out->experiment,
                              orr__planned_plan(out), out->has_own,
                              &out->verdict, why);
}

const struct orr_plan *orr__planned_plan(const struct orr_planned *p)
{
    if (p->asked)
        return NULL;
    return p->has_own
               ? &p->own
               : orr__planner_plan_all(orr__experiment_world(p->experiment));
}

char *orr__planned_config(const struct orr_planned *p,
                          const struct orr_options *o, struct orr_report *why)
{
    struct orr_config *c = NULL;
    char *text = NULL;
    if (p->asked) {
        if (!p->answer.config) {
            orr__fail(why, ORR_ECONFIG,
                      "--write: the answer to `plan` is no configuration");
            return NULL;
        }
        text = orr__strdup(p->answer.config);
        if (!text)
            orr__no_memory(why);
        return text;
    }
    orr_err err = read_document(p, o, &c, why);
    if (!err)
        err = orr__plan_fill(orr__planned_plan(p), c, why);
    if (!err)
        text = orr__config_effective(c);
    if (!err && !text)
        orr__no_memory(why);
    orr__config_free(c);
    return text;
}

void orr__planned_fini(struct orr_planned *p)
{
    orr__answer_fini(&p->answer);
    orr__verdict_fini(&p->verdict);
    if (p->has_own)
        orr__plan_fini(&p->own);
    orr_experiment_free(p->experiment);
    orr__config_file_fini(&p->file);
}

char *orr__planned_json(const struct orr_planned *p)
{
    const struct orr_plan *s = orr__planned_plan(p);
    return s ? orr__plan_json(s, &p->verdict) : orr__strdup(p->answer.json);
}

char *orr__planned_text(const struct orr_planned *p)
{
    const struct orr_plan *s = orr__planned_plan(p);
    return s ? orr__plan_text(s, &p->verdict) : orr__strdup(p->answer.text);
}
