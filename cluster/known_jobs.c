#include "cluster/known_jobs.h"

#include "cluster/cost.h"
#include "cluster/job_sets.h"
#include "cluster/measure.h"
#include "cluster/subset.h"
#include "core/array.h"
#include "core/memory.h"
#include "core/none.h"
#include "workload/cluster/elastic.h"

/* The nearest GPUs that there are: the first ones. Without packets where that
 * can be worked out. */
static orr_err work_out(const struct orr_engine *e, uint32_t template,
                        uint32_t gpus, double *iteration_ns,
                        struct orr_report *why)
{
    const struct orr_template *t = &e->cluster.template[template];
    struct orr_facts facts = {0};
    struct orr_outcome out = {0};
    orr_experiment *x = NULL;
    double guess = 1;
    uint64_t hops;
    const struct orr_measure m = {
        .error = 0.05, .most = 6, .expected_ps = &guess};
    uint32_t *gpu = orr__alloc(gpus, sizeof *gpu);
    if (!gpu)
        return orr__no_memory(why);
    for (uint32_t r = 0; r < gpus; r++)
        gpu[r] = r;
    const struct orr_subset_job part = {.template = t,
                                        .name = t->name,
                                        .gpu = gpu,
                                        .gpus = gpus,
                                        .batch = orr__elastic_batch(t, gpus),
                                        .iterations =
                                            orr__subset_iterations(&m, 1, 0)};
    const struct orr_subset_options alone = {.alone = true};
    orr_err err = orr__subset_open(&e->cluster, &part, 1, &alone, &x, why);
    if (!err)
        err = orr__gather_facts(orr__experiment_world(x), &facts, why);
    if (!err && facts.unknown)
        err = orr__subset_measure(x, &m, &out, &hops, why);
    *iteration_ns = facts.unknown ? out.iteration_ps / 1000
                                  : (double)facts.profile.iteration_ps / 1000;
    orr__facts_fini(&facts);
    orr_experiment_free(x);
    orr__free(gpu);
    return err;
}

orr_err orr__engine_baseline(void *engine, uint32_t template, uint32_t gpus,
                             double *iteration_ns, struct orr_report *why)
{
    struct orr_engine *e = engine;
    uint64_t key = (uint64_t) template << 32 | gpus;
    uint32_t at = orr__table_find(&e->guesses, key);
    if (at != ORR_NONE) {
        *iteration_ns = e->guess[at];
        return ORR_OK;
    }
    orr_err err = work_out(e, template, gpus, iteration_ns, why);
    if (err)
        return err;
    if (!orr__array_one_more(e->guess, e->n_guesses))
        return orr__no_memory(why);
    e->guess[e->n_guesses] = *iteration_ns;
    return orr__table_add(&e->guesses, key, e->n_guesses++)
               ? ORR_OK
               : orr__no_memory(why);
}

/* Of a job that sends nothing, wherever it is. */
static uint64_t silent_key(const struct orr_subset_job *part, uint32_t template)
{
    const uint32_t any[] = {part->gpus, part->kind, ORR_NONE};
    return orr__demand_store_key(template, any, 3);
}

static bool is_silent(const struct orr_facts *f)
{
    return !f->unknown && f->profile.n == 0 && f->paths.n == 0
           && !f->terms.gate.period_ps;
}

/* The key of what a job asks of links on its GPUs. */
static uint64_t key_of(const struct orr_engine *e,
                       const struct orr_subset_job *part, uint32_t template)
{
    uint64_t silent = silent_key(part, template);
    if (orr__table_find(&e->silent, silent) != ORR_NONE)
        return silent;
    return orr__demand_store_key(template, part->gpu, part->gpus);
}

/* From now on all jobs like this one have its key; with packets each is
 * measured for itself. */
static orr_err note_silent(struct orr_engine *e,
                           const struct orr_subset_job *part, uint32_t template,
                           uint64_t *key, struct orr_report *why)
{
    if (e->settings.accuracy == ORR_ACCURACY_PACKETS)
        return ORR_OK;
    *key = silent_key(part, template);
    return orr__table_add(&e->silent, *key, 0) ? ORR_OK : orr__no_memory(why);
}

orr_err orr__engine_facts(struct orr_engine *e, uint32_t job,
                          const uint32_t *gpu, struct orr_demand_item **out,
                          struct orr_report *why)
{
    const struct orr_cluster *c = &e->cluster;
    const struct orr_arrival *a = &c->job[job].is;
    const struct orr_subset_job part = orr__subset_job(c, job, gpu);
    uint64_t key = key_of(e, &part, a->template);
    orr_experiment *x = NULL;
    struct orr_facts facts = {.unknown = false};
    struct orr_job_cost cost = {.hops = 0};
    *out = orr__demand_store_find(&e->store, key);
    if (*out)
        return ORR_OK;
    const struct orr_subset_options alone = {.alone = true,
                                             .interrupt = e->interrupt};
    orr_err err = orr__subset_open(c, &part, 1, &alone, &x, why);
    if (!err)
        err = orr__gather_facts(orr__experiment_world(x), &facts, why);
    if (!err && e->forecast)
        err = orr__forecast_job(e->forecast, orr__experiment_world(x), &cost,
                                why);
    orr_experiment_free(x);
    if (!err && is_silent(&facts)
        && orr__table_find(&e->silent, key) == ORR_NONE)
        err = note_silent(e, &part, a->template, &key, why);
    if (!err)
        err = orr__demand_store_add(&e->store, key, &facts, out, why);
    else
        orr__facts_fini(&facts);
    if (!err)
        (*out)->cost = cost;
    return err;
}

orr_err orr__engine_members(struct orr_engine *e, struct orr_member *member,
                            uint32_t *n, struct orr_report *why)
{
    const struct orr_cluster *c = &e->cluster;
    orr_err err = ORR_OK;
    *n = 0;
    for (uint32_t i = 0; !err && i < c->n_running; i++) {
        uint32_t job = c->running[i];
        struct orr_demand_item *item;
        if (!orr__is_ready(c, &c->job[job]))
            continue;
        if (!e->known[job]) {
            err = orr__engine_facts(e, job, c->job[job].gpu, &item, why);
            if (err)
                return err;
            e->known[job] = item;
            item->users++;
            err = e->pace->add_job(e, job, why);
        }
        member[(*n)++] =
            (struct orr_member){.job = job,
                                .facts = orr__facts_of(e, job),
                                .class = orr__facts_of(e, job)->terms.class};
    }
    return err;
}
