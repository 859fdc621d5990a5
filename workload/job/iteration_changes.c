#include "workload/job/iteration_changes.h"

#include "core/memory.h"
#include "net/config/config.h"
#include "workload/job/idle.h"

const struct orr_param orr__stage_keys[] = {
    {.key = "paths",
     .type = ORR_PARAM_NODE,
     .offset = offsetof(struct orr_iteration_change_keys, paths),
     .fallback = "",
     .help = "path overrides of its messages: a list of {from, to, choice | "
             "path | links | entropy}, or {entropy: N} for all of them",
     .idle = orr__idle_silent},
    {.key = "changes",
     .type = ORR_PARAM_NODE,
     .offset = offsetof(struct orr_iteration_change_keys, changes),
     .fallback = "",
     .help = "changes from some iteration on, a list of {iteration, class, "
             "weight, paths}",
     .idle = orr__idle_silent},
    ORR_PARAM_END,
};

/* An item of `changes`. */
struct change_keys {
    int64_t iteration, class;
    double weight;
    const struct orr_yaml *paths;
};

static const char *unreached(const void *set, const void *around)
{
    const struct change_keys *k = set;
    const struct orr_job_facts *f = around;
    return k->iteration >= f->counts ? "the job's last iteration is before it"
                                     : NULL;
}

#define AT(member) offsetof(struct change_keys, member)
const struct orr_param orr__change_params[] = {
    {.key = "iteration",
     .type = ORR_PARAM_INT,
     .offset = AT(iteration),
     .min = "1",
     .max = "999999",
     .help = "first iteration with the change, from 0 on; each rank changes "
             "when it begins it",
     .idle = unreached},
    {.key = "class",
     .type = ORR_PARAM_INT,
     .offset = AT(class),
     .fallback = "",
     .min = "0",
     .max = "7",
     .help = "traffic class of its packets; default: as before",
     .idle = unreached},
    {.key = "weight",
     .type = ORR_PARAM_REAL,
     .offset = AT(weight),
     .fallback = "",
     .min = "0.001",
     .max = "1000",
     .help = "factor on the additive increase; default: as before",
     .idle = unreached},
    {.key = "paths",
     .type = ORR_PARAM_NODE,
     .offset = AT(paths),
     .fallback = "",
     .help = "as a job's `paths`; default: as before",
     .idle = unreached},
    ORR_PARAM_END,
};

/* Everything in it is borrowed from the world and the job. It says why an
 * entropy would change nothing where no hash chooses among paths. */
static struct orr_path_override_reader reader(const struct orr_world *w,
                                              const struct orr_job *j,
                                              struct orr_report *why)
{
    const struct orr_net_config *n = w->net_config;
    bool hashes = n->path != ORR_PATH_first && n->path != ORR_PATH_spray
                  && n->path != ORR_PATH_spray_random;
    const char *same = n->used.one_path
                           ? "this topology has one path from a host to another"
                       : hashes ? NULL
                                : "this `network.routing` goes by no hash";
    return (struct orr_path_override_reader){.c = w->config,
                                             .graph = w->graph,
                                             .hosts = j->hosts,
                                             .ranks = j->ranks,
                                             .detours = n->detours,
                                             .same = same,
                                             .why = why};
}

static orr_err copy_overrides(const struct orr_path_overrides *from,
                              struct orr_path_overrides *to,
                              struct orr_report *why)
{
    orr_err err = ORR_OK;
    to->entropy = from->entropy;
    for (uint32_t i = 0; !err && i < from->n; i++)
        err = orr__path_overrides_put(to, &from->override[i], why);
    return err;
}

/* What it gets, where something is said of that. */
static orr_err read_service(struct orr_world *w, const struct orr_team *t,
                            const struct change_keys *k,
                            const struct orr_iteration_terms *before,
                            struct orr_iteration_terms *s,
                            struct orr_report *why)
{
    const struct orr_net_service *old =
        before->service ? before->service : &w->net_config->service;
    s->service = before->service;
    if (k->class < 0 && k->weight == 0)
        return ORR_OK;
    struct orr_net_service *new =
        orr__arena_alloc(orr__config_arena(w->config), 1, sizeof *new);
    if (!new)
        return orr__no_memory(why);
    orr_err err = orr__net_service_read(
        w->config, w->draft, NULL, "changes",
        k->class < 0 ? old->class : (uint32_t)k->class,
        k->weight == 0 ? old->weight : k->weight, new, why);
    new->cc = old->cc;
    s->service = new;
    return err;
}

/* What it leaves out stays as the item before it has it. */
static orr_err read_change(struct orr_world *w, const struct orr_yaml *node,
                           const struct orr_job *j,
                           const struct orr_job_facts *facts,
                           struct orr_team *t, struct orr_report *why)
{
    struct change_keys k = {.class = -1};
    const struct orr_param_set set = {orr__change_params, &k, facts};
    const struct orr_path_override_reader r = reader(w, j, why);
    const struct orr_iteration_terms *before = &t->stage[t->stages - 1];
    struct orr_iteration_terms *s = &t->stage[t->stages];
    orr_err err = orr__param_read(w->config, node, "changes", &set, 1, why);
    if (err)
        return err;
    if (k.iteration <= before->from)
        return orr__yaml_fail(w->config, orr__yaml_get(node, "iteration"), why,
                              "changes: must be in order of iterations");
    t->stages++;
    s->from = (uint32_t)k.iteration;
    err = read_service(w, t, &k, before, s, why);
    if (err)
        return err;
    return k.paths ? orr__path_overrides_read(&r, k.paths, &s->overrides)
                   : copy_overrides(&before->overrides, &s->overrides, why);
}

orr_err orr__iteration_changes_read(struct orr_world *w,
                                    const struct orr_iteration_change_keys *k,
                                    const struct orr_job *j, struct orr_team *t,
                                    struct orr_report *why)
{
    const struct orr_path_override_reader r = reader(w, j, why);
    size_t n = k->changes ? orr__yaml_count(k->changes) : 0;
    if (k->changes && !orr__yaml_is_list(k->changes))
        return orr__yaml_fail(w->config, k->changes, why,
                              "changes: a list is expected");
    t->stage = orr__alloc(n + 1, sizeof *t->stage);
    if (!t->stage)
        return orr__no_memory(why);
    t->stages = 1;
    t->stage[0].service = t->service;
    orr_err err =
        orr__path_overrides_read(&r, k->paths, &t->stage[0].overrides);
    for (size_t i = 0; !err && i < n; i++)
        err =
            read_change(w, orr__yaml_item(k->changes, i), j, k->facts, t, why);
    return err;
}

orr_err orr__iteration_changes_choose_of(struct orr_world *w,
                                         const struct orr_job *j,
                                         struct orr_report *why)
{
    const struct orr_path_override_reader r = reader(w, j, why);
    orr_err err = ORR_OK;
    for (uint32_t s = 0; !err && s < j->team->stages; s++)
        err = orr__path_overrides_choose(&r, w->routes,
                                         &j->team->stage[s].overrides);
    return err;
}

void orr__iteration_changes_free(struct orr_team *t)
{
    for (uint32_t i = 0; i < t->stages; i++)
        orr__path_overrides_fini(&t->stage[i].overrides);
    orr__free(t->stage);
}
