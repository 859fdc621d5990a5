#include "workload/job/steer.h"

#include <string.h>

#include "core/memory.h"
#include "net/config/config.h"
#include "workload/rank/rank.h"

struct orr_net_service *orr__job_service(struct orr_world *w,
                                         struct orr_job *j)
{
    struct orr_team *t = j->team;
    if (!t->service) {
        struct orr_net_service *s =
            orr__arena_alloc(orr__config_arena(w->config), 1, sizeof *s);
        if (s)
            *s = w->net_config->service;
        t->service = s;
    }
    return (struct orr_net_service *)t->service; /* no other job has it */
}

orr_err orr__job_path(struct orr_world *w, struct orr_job *j, uint32_t src,
                      uint32_t dst, const uint32_t *links, uint32_t n,
                      struct orr_report *why)
{
    uint32_t *kept = orr__arena_alloc(orr__config_arena(w->config), n,
                                      sizeof *kept);
    if (!kept)
        return orr__no_memory(why);
    memcpy(kept, links, n * sizeof *kept);
    const struct orr_course one = {.src = src, .dst = dst, .link = kept,
                                   .links = n, .choice = ORR_NO_CHOICE};
    return orr__courses_put(&j->team->stage[0].courses, &one, why);
}

bool orr__job_sends(const struct orr_job *j)
{
    return j->team->judge < j->ranks;
}

struct orr_job *orr__job_find(const struct orr_world *w, const char *name)
{
    for (uint32_t i = 0; i < w->n_jobs; i++)
        if (strcmp(w->jobs[i].name, name) == 0)
            return &w->jobs[i];
    return NULL;
}
