#include "workload/job/idle.h"

#include "core/memory.h"
#include "net/config/config.h"
#include "workload/job/job.h"
#include "workload/rank/rank.h"
#include "workload/world.h"

#define IDLE(name, f)                                                          \
    static const char *name##_of(const struct orr_job_facts *f);               \
    const char *orr__idle_##name(const void *set, const void *around)          \
    {                                                                          \
        return name##_of(around);                                              \
    }                                                                          \
    static const char *name##_of(const struct orr_job_facts *f)

IDLE(overlap, f)
{
    return f->counts == 1 ? "there is one iteration" : NULL;
}

IDLE(every, f)
{
    return overlap_of(f);
}

IDLE(exclusive, f)
{
    return f->only ? "there is no other job" : NULL;
}

IDLE(factor, f)
{
    return f->computes || f->foreign ? NULL : "the job computes nothing";
}

IDLE(local, f)
{
    return f->together ? NULL : "no two ranks are on one host";
}

/* With those hidden ones that serve. */
static orr_err find_together(const struct orr_world *w, const struct orr_job *j,
                             bool *together, struct orr_report *why)
{
    bool *seen = orr__alloc(w->graph->hosts, sizeof *seen);
    if (!seen)
        return orr__no_memory(why);
    for (uint32_t i = 0; !*together && i < j->members; i++) {
        *together = seen[j->hosts[i]];
        seen[j->hosts[i]] = true;
    }
    orr__free(seen);
    return ORR_OK;
}

/* One byte travels like none: in one packet, whatever `mtu` is. */
static bool has_payload(const struct orr_program *p)
{
    for (uint32_t i = 0; i < p->ops; i++)
        if (p->op[i].kind == ORR_OP_SEND && p->op[i].bytes > 1)
            return true;
    for (uint32_t i = 0; i < p->calls; i++)
        if (p->call[i].bytes > 1)
            return true;
    return p->request_bytes > 1;
}

orr_err orr__job_facts(struct orr_world *w, const struct orr_job *j,
                       struct orr_job_facts *f, struct orr_report *why)
{
    const struct orr_program *p = j->team->program;
    f->counts = j->iterations;
    f->foreign = j->source;
    for (uint32_t i = 0; !f->computes && i < p->ops; i++)
        f->computes = p->op[i].kind == ORR_OP_COMPUTE && p->op[i].time_ps > 0;
    w->draft->config.used.payload |= f->foreign || has_payload(p);
    return find_together(w, j, &f->together, why);
}
