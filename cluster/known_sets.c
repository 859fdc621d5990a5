#include "cluster/known_sets.h"

#include <string.h>

#include "core/array.h"
#include "core/assert.h"
#include "core/memory.h"

void orr__known_sets_fini(struct orr_known_sets *s)
{
    orr__free(s->sight);
    orr__free(s->job);
    *s = (struct orr_known_sets){.n = 0};
}

bool orr__known_sets_has(const struct orr_known_sets *s, uint64_t key)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (s->sight[i].key == key)
            return true;
    return false;
}

orr_err orr__known_sets_add(struct orr_known_sets *s,
                            const struct orr_known_set *sight,
                            const struct orr_known_set_job *job,
                            struct orr_report *why)
{
    ORR_ASSERT(!orr__known_sets_has(s, sight->key));
    if (!orr__array_more(s->sight, s->room, s->n)
        || !orr__array_room(s->job, s->jobs_room, (size_t)s->jobs + sight->n))
        return orr__no_memory(why);
    s->sight[s->n] = *sight;
    ORR_ASSERT(sight->n > 0);
    s->sight[s->n++].first = s->jobs;
    memcpy(s->job + s->jobs, job, sight->n * sizeof *job);
    s->jobs += sight->n;
    return ORR_OK;
}

uint32_t orr__known_sets_like(const struct orr_known_sets *s,
                              enum orr_likeness how, uint64_t name)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->n; i++)
        n += s->sight[i].like[how] == name;
    return n;
}

/* Of n, which one a share of 1 falls to. */
static uint32_t at_share(double share, uint32_t n)
{
    uint32_t at = (uint32_t)(share * n);
    return at < n ? at : n - 1;
}

const struct orr_known_set *orr__known_sets_pick(const struct orr_known_sets *s,
                                                 enum orr_likeness how,
                                                 uint64_t name, double share)
{
    uint32_t n = orr__known_sets_like(s, how, name);
    uint32_t left = n ? at_share(share, n) : 0;
    for (uint32_t i = 0; n && i < s->n; i++)
        if (s->sight[i].like[how] == name && left-- == 0)
            return &s->sight[i];
    return NULL;
}

uint32_t orr__known_sets_pick_job(const struct orr_known_sets *s,
                                  uint32_t template, double share,
                                  const struct orr_known_set **sight)
{
    uint32_t n = 0, left;
    for (uint32_t i = 0; i < s->jobs; i++)
        n += s->job[i].template == template;
    left = n ? at_share(share, n) : 0;
    for (uint32_t i = 0; n && i < s->n; i++) {
        *sight = &s->sight[i];
        for (uint32_t k = 0; k < s->sight[i].n; k++) {
            uint32_t at = s->sight[i].first + k;
            if (s->job[at].template == template && left-- == 0)
                return at;
        }
    }
    return UINT32_MAX;
}
