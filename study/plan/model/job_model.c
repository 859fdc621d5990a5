#include "study/plan/model/job_model.h"

#include <string.h>

static bool is_named(struct orr_config *c, const struct orr_yaml *job,
                     const char *name)
{
    const char *own = orr__yaml_text(c, orr__yaml_get(job, "name"));
    return own && strcmp(own, name) == 0;
}

/* The job that is asked about; *place: in the list. */
static orr_err find_job(const struct orr_question *q,
                        const struct orr_job_model_keys *k,
                        const struct orr_yaml **job, size_t *place,
                        struct orr_report *why)
{
    const struct orr_yaml *jobs = orr__yaml_get(orr__config_root(q->c), "jobs");
    size_t n = orr__yaml_is_list(jobs) ? orr__yaml_count(jobs) : 0;
    for (size_t i = 0; i < n; i++) {
        const struct orr_yaml *x = orr__yaml_item(jobs, i);
        if (k->job ? !is_named(q->c, x, k->job) : !orr__yaml_get(x, "model"))
            continue;
        *job = x;
        *place = i;
        if (orr__yaml_get(x, "model"))
            return ORR_OK;
        return orr__yaml_fail(q->c, x, why, "job: %s has no model", k->job);
    }
    if (k->job)
        return orr__yaml_fail(q->c, orr__yaml_get(q->at, "job"), why,
                              "job: there is none called \"%s\"", k->job);
    orr__yaml_fail(q->c, q->at, why, "plan: there is no job with a model");
    orr__hint(why, "write `model: vgg16` here, or a job with it");
    return ORR_ECONFIG;
}

/* The keys of the job that belong to its model. */
static orr_err read_train_keys(const struct orr_question *q,
                               const struct orr_yaml *job,
                               struct orr_train_keys *k, struct orr_report *why)
{
    const char *names[64];
    size_t n = 0;
    for (; orr__train_params[n].key && n < 63; n++)
        names[n] = orr__train_params[n].key;
    names[n] = NULL;
    const struct orr_yaml *own = orr__yaml_pick(q->c, job, names, true);
    const struct orr_param_set set = {orr__train_params, k};
    if (!own)
        return orr__no_memory(why);
    return orr__param_read(q->c, own, "jobs", &set, 1, why);
}

orr_err orr__job_model_read(const struct orr_question *q,
                            const struct orr_job_model_keys *k,
                            struct orr_job_model *out, struct orr_report *why)
{
    struct orr_train_keys t = {.dtype = -1, .compute = -1, .staleness = -1};
    orr_err err = ORR_OK;
    *out = (struct orr_job_model){.has_job = !k->model, .node = q->at};
    if (out->has_job)
        err = find_job(q, k, &out->node, &out->job, why);
    if (!err && out->has_job)
        err = read_train_keys(q, out->node, &t, why);
    if (k->model)
        t.model = k->model;
    if (k->batch)
        t.batch = k->batch;
    if (!err)
        err = orr__train_costs(q->c, out->node, &t, &out->model, &out->costs,
                               why);
    if (err) /* nothing is there then */
        out->costs = (struct orr_layer_costs){.batch = 0};
    return err;
}

void orr__job_model_fini(struct orr_job_model *m)
{
    orr__layer_costs_fini(&m->costs);
    orr__model_free(m->model);
}
