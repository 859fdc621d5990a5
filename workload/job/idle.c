#include "workload/job/idle.h"

#include "core/memory.h"
#include "workload/program/program.h"

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

IDLE(silent, f)
{
    return f->silent ? "the job sends nothing" : NULL;
}

IDLE(local, f)
{
    return f->together ? NULL : "no two ranks are on one host";
}

orr_err orr__job_facts_hosts(const uint32_t *hosts, uint32_t members,
                             uint32_t of, struct orr_job_facts *f)
{
    bool *seen = orr__alloc(of, sizeof *seen);
    if (!seen)
        return ORR_ENOMEM;
    for (uint32_t i = 0; !f->together && i < members; i++) {
        f->together = seen[hosts[i]];
        seen[hosts[i]] = true;
    }
    orr__free(seen);
    return ORR_OK;
}

/* A group of one is its own. */
static bool is_sent(const struct orr_call *c)
{
    return c->c.n + c->c.servers > 1;
}

/* One byte travels like none: in one packet, whatever `mtu` is. */
static bool has_payload(const struct orr_program *p)
{
    for (uint32_t i = 0; i < p->ops; i++)
        if (p->op[i].kind == ORR_OP_SEND && p->op[i].bytes > 1)
            return true;
    for (uint32_t i = 0; i < p->calls; i++)
        if (is_sent(&p->call[i]) && p->call[i].bytes > 1)
            return true;
    return p->request_bytes > 1;
}

/* To another rank. */
static bool sends_to_others(const struct orr_program *p)
{
    for (uint32_t i = 0; i < p->ops; i++)
        if (p->op[i].kind == ORR_OP_SEND)
            return true;
    for (uint32_t i = 0; i < p->calls; i++)
        if (is_sent(&p->call[i]))
            return true;
    return p->request_bytes > 0;
}

void orr__job_facts_program(const struct orr_program *p,
                            struct orr_job_facts *f, bool *payload)
{
    for (uint32_t i = 0; !f->computes && i < p->ops; i++)
        f->computes = p->op[i].kind == ORR_OP_COMPUTE && p->op[i].time_ps > 0;
    f->silent = !f->foreign && !sends_to_others(p);
    *payload = f->foreign || has_payload(p);
}
