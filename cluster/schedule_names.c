/* Names in the schedule of a cluster: it is made again and again, of jobs that
 * are there at the time, so that it cannot tell who is called by a wrong name
 * from who is not there. */
#include "cluster/schedule_names.h"
#include "core/none.h"

#include <string.h>

#include "core/memory.h"
#include "core/names.h"
#include "workload/schedule/schedule.h"

static orr_err fill_names(const struct orr_cluster *c, struct orr_names *names,
                          struct orr_report *why)
{
    bool ok = true;
    for (uint32_t t = 0; ok && t < c->templates; t++)
        ok = orr__names_add(names, c->template[t].name, t);
    for (uint32_t i = 0; ok && i < c->jobs; i++)
        ok = orr__names_find(names, c->job[i].is.name) != ORR_NONE
             || orr__names_add(names, c->job[i].is.name, i);
    return ok ? ORR_OK : orr__no_memory(why);
}

static void mark_named(struct orr_cluster *c, const char *name)
{
    for (uint32_t i = 0; i < c->jobs; i++)
        c->job[i].named |= strcmp(c->job[i].is.name, name) == 0;
}

/* A name must be an entry's or a job's; ORR_ECONFIG at its place. */
static orr_err check_name(struct orr_cluster *c, const struct orr_names *names,
                          const struct orr_yaml *node, struct orr_report *why)
{
    struct orr_config *config = c->world->config;
    const char *text = orr__yaml_text(config, node);
    if (text && orr__names_find(names, text) != ORR_NONE) {
        mark_named(c, text);
        return ORR_OK;
    }
    return orr__yaml_fail(config, node, why,
                          "schedule: neither an entry of "
                          "`cluster.jobs` nor a job is called \"%s\"",
                          text ? text : "?");
}

/* Of a list its items, of a map its keys; others are refused elsewhere. */
static orr_err check_all(struct orr_cluster *c, const struct orr_names *names,
                         const struct orr_yaml *node, struct orr_report *why)
{
    orr_err err = ORR_OK;
    for (size_t i = 0; !err && i < orr__yaml_count(node); i++)
        err = check_name(c, names,
                         orr__yaml_is_list(node) ? orr__yaml_item(node, i)
                                                 : orr__yaml_key(node, i),
                         why);
    return err;
}

orr_err orr__cluster_names(struct orr_cluster *c, struct orr_report *why)
{
    static const char *const keys[] = {"weights", "timers", "order"};
    const struct orr_yaml *schedule = c->world->scheduler->node;
    struct orr_names names = {.slot = NULL};
    bool any = false;
    orr_err err = ORR_OK;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        any |= orr__yaml_get(schedule, keys[i]) != NULL;
    if (any)
        err = fill_names(c, &names, why);
    for (size_t i = 0; any && !err && i < sizeof keys / sizeof *keys; i++)
        err = check_all(c, &names, orr__yaml_get(schedule, keys[i]), why);
    orr__names_fini(&names);
    return err;
}
