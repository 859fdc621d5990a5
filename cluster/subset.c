#include "cluster/subset.h"

#include <inttypes.h>
#include <stdio.h>

#include <xxhash.h>

#include "core/memory.h"
#include "core/text.h"
#include "workload/cluster/elastic.h"
#include "workload/cluster/gpu_kinds.h"
#include "workload/world.h"

uint32_t orr__subset_number(uint32_t template, const uint32_t *gpu,
                            uint32_t gpus)
{
    uint64_t hash = XXH3_64bits_withSeed(gpu, gpus * sizeof *gpu, template);
    return (uint32_t)(hash & INT32_MAX);
}

struct orr_subset_job orr__subset_job(const struct orr_cluster *c, uint32_t job,
                                      const uint32_t *gpu)
{
    const struct orr_arrival *a = &c->job[job].is;
    return (struct orr_subset_job){
        .template = &c->template[a->template],
        .name = a->name,
        .gpu = gpu,
        .gpus = a->gpus,
        .batch = orr__elastic_batch(&c->template[a->template], a -> gpus),
        .iterations = 1,
        .number = orr__subset_number(a->template, gpu, a->gpus),
        .kind = 1 + orr__gpu_kind(&c->inventory, gpu[0]),
    };
}

/* The list `jobs`, but for what templates say. */
static char *list_of(const struct orr_subset_job *job, uint32_t n)
{
    struct orr_text t = {0};
    orr__text_add(&t, "[");
    for (uint32_t i = 0; i < n; i++) {
        orr__text_add(&t, "%s{name: ", i ? ", " : "");
        orr__text_quoted(&t, job[i].name);
        orr__text_add(&t,
                      ", ranks: %u, iterations: %" PRIu64 ", start: %" PRId64
                      "ps, placement: [",
                      job[i].gpus, job[i].iterations, job[i].start_ps);
        for (uint32_t r = 0; r < job[i].gpus; r++)
            orr__text_add(&t, "%s%u", r ? ", " : "", job[i].gpu[r]);
        orr__text_add(&t, "]}");
    }
    orr__text_add(&t, "]");
    return orr__text_done(&t);
}

/* What its kind of GPU makes of its computations. */
static orr_err lay_kind(const struct orr_cluster *c, struct orr_config *out,
                        const char *path, const struct orr_subset_job *job,
                        struct orr_report *why)
{
    const struct orr_template *t = job->template;
    uint32_t kind =
        job->kind ? job->kind - 1 : orr__fastest_kind(c, t, job->gpus);
    double bare = orr__bare_iteration(t, kind, job->gpus);
    double scale = orr__compute_scale(c, t, kind, job->gpus);
    char set[96];
    if (bare > 0)
        snprintf(set, sizeof set, "%s.program=[compute: %.0fps]", path,
                 bare * 1000);
    else
        snprintf(set, sizeof set, "%s.compute_factor=%.17g", path, scale);
    return t->throughput ? orr__config_set(out, set, why) : ORR_OK;
}

orr_err orr__subset_lay(const struct orr_cluster *c, struct orr_config *out,
                        const char *path, const struct orr_subset_job *job,
                        struct orr_report *why)
{
    char batch[64];
    orr_err err = orr__config_lay(out, path, job->template->node,
                                  job->template->body, why);
    snprintf(batch, sizeof batch, "%s.batch=%" PRIu64, path, job->batch);
    if (!err && job->batch)
        err = orr__config_set(out, batch, why);
    return err ? err : lay_kind(c, out, path, job, why);
}

/* Jobs in place of the cluster, and none of what is about the run as a whole
 * (comparison, repetition, records). */
static orr_err fill_config(const struct orr_cluster *of, struct orr_config *c,
                           const struct orr_subset_job *job, uint32_t n,
                           bool alone, struct orr_report *why)
{
    /* what belongs to the cluster as a whole; where it is not said, nothing
     * has to be unsaid */
    static const struct {
        const char *key, *set;
    } unsaid[] = {{"compare", "compare=null"},
                  {"repeat", "repeat=none"},
                  {"alone", "alone=false"}};
    const struct orr_yaml *key, *list;
    char path[32];
    char *text = list_of(job, n);
    if (!text)
        return orr__no_memory(why);
    orr_err err =
        orr__config_value(c, "cluster", "jobs", text, &key, &list, why);
    orr__free(text);
    if (!err)
        err = orr__config_lay(c, "jobs", key, list, why);
    for (uint32_t i = 0; !err && i < n; i++) {
        snprintf(path, sizeof path, "jobs[%u]", i);
        err = orr__subset_lay(of, c, path, &job[i], why);
    }
    for (size_t i = 0; !err && i < sizeof unsaid / sizeof *unsaid; i++)
        if (orr__yaml_get(orr__config_root(c), unsaid[i].key))
            err = orr__config_set(c, unsaid[i].set, why);
    if (!err)
        err = orr__config_set(c, "record=none", why);
    if (!err && alone && orr__yaml_get(orr__config_root(c), "schedule"))
        err = orr__config_set(c, "schedule=none", why);
    return err;
}

orr_err orr__subset_config(const struct orr_cluster *c,
                           const struct orr_subset_job *job, uint32_t n,
                           bool alone, struct orr_config **out,
                           struct orr_report *why)
{
    struct orr_config *config = NULL;
    orr_err err = orr__config_copy(c->world->config, "cluster", &config, why);
    if (!err)
        err = fill_config(c, config, job, n, alone, why);
    if (!err)
        *out = config;
    else
        orr__config_free(config);
    return err;
}

orr_err orr__subset_open(const struct orr_cluster *c,
                         const struct orr_subset_job *job, uint32_t n,
                         const struct orr_subset_options *how,
                         orr_experiment **out, struct orr_report *why)
{
    const struct orr_options options = {.no_output = true,
                                        .threads =
                                            how->threads ? how->threads : 1,
                                        .interrupt = how->interrupt};
    struct orr_config *config = NULL;
    uint32_t *number = orr__alloc(n, sizeof *number);
    const char **kind = orr__alloc(n, sizeof(const char *));
    const struct orr_open_options opened = {
        .subset = {.number = number, .kind = kind}, .steerer = how->steerer};
    orr_err err = number && kind ? ORR_OK : orr__no_memory(why);
    for (uint32_t i = 0; !err && i < n; i++) {
        number[i] = job[i].number;
        kind[i] = job[i].template->name;
    }
    if (!err)
        err = orr__subset_config(c, job, n, how->alone, &config, why);
    /* of the one network of all packets alone */
    if (!err && orr__yaml_get(orr__config_root(config), "failures"))
        err = orr__config_set(config, "failures=null", why);
    if (!err)
        err = orr__experiment_open_config(config, &options, &opened, out, why);
    orr__free(number);
    orr__free(kind);
    return err;
}
