#include "workload/job/shared_hosts.h"
#include "core/none.h"

#include <stdio.h>

#include "core/memory.h"

typedef orr_err shared_fn(void *arg, uint32_t host, uint32_t a, uint32_t b);

/* fn for every host of a job that another one had first, in order of jobs. */
static orr_err visit_shared(const struct orr_world *w, shared_fn *fn, void *arg,
                            struct orr_report *why)
{
    if (w->n_jobs < 2 || w->jobs_join)
        return ORR_OK;
    uint32_t *owner = orr__alloc(w->graph->hosts, sizeof *owner);
    if (!owner)
        return orr__no_memory(why);
    for (uint32_t h = 0; h < w->graph->hosts; h++)
        owner[h] = ORR_NONE;
    orr_err err = ORR_OK;
    for (uint32_t i = 0; i < w->n_jobs; i++)
        for (uint32_t r = 0; !err && r < w->jobs[i].ranks; r++) {
            uint32_t host = w->jobs[i].hosts[r];
            if (owner[host] == ORR_NONE)
                owner[host] = i;
            else if (owner[host] != i)
                err = fn(arg, host, owner[host], i);
        }
    orr__free(owner);
    return err;
}

/* What counting fills. */
struct count {
    struct orr_shared_hosts *out;
    bool *seen; /* per host */
};

static orr_err count_shared(void *arg, uint32_t host, uint32_t a, uint32_t b)
{
    struct count *c = arg;
    if (!c->out->hosts || host < c->out->host)
        *c->out = (struct orr_shared_hosts){c->out->hosts, host, a, b};
    c->out->hosts += !c->seen[host];
    c->seen[host] = true;
    return ORR_OK;
}

orr_err orr__jobs_share_hosts(const struct orr_world *w,
                              struct orr_shared_hosts *out,
                              struct orr_report *why)
{
    *out = (struct orr_shared_hosts){.hosts = 0};
    if (w->n_jobs < 2)
        return ORR_OK;
    struct count c = {out, orr__alloc(w->graph->hosts, sizeof *c.seen)};
    if (!c.seen)
        return orr__no_memory(why);
    orr_err err = visit_shared(w, count_shared, &c, why);
    orr__free(c.seen);
    return err;
}

/* Where the error of an exclusive job goes. */
struct refusal {
    struct orr_world *w;
    const struct orr_yaml *list;
    struct orr_report *why;
};

/* Called for each pair of jobs on a host; stops at an exclusive one. */
static orr_err refuse(void *arg, uint32_t host, uint32_t a, uint32_t b)
{
    const struct refusal *r = arg;
    const struct orr_job *jobs = r->w->jobs;
    if (!jobs[a].exclusive && !jobs[b].exclusive)
        return ORR_OK;
    uint32_t own = jobs[a].exclusive ? a : b, other = own == a ? b : a;
    const struct orr_yaml *job = orr__yaml_item(r->list, own);
    return orr__yaml_fail(r->w->config, orr__yaml_get(job, "exclusive"), r->why,
                          "exclusive: job \"%s\" has a rank on host "
                          "%u, too",
                          jobs[other].name, host);
}

orr_err orr__jobs_have_own_hosts(struct orr_world *w,
                                 const struct orr_yaml *list,
                                 struct orr_report *why)
{
    struct refusal r = {w, list, why};
    return visit_shared(w, refuse, &r, why);
}

void orr__shared_hosts_text(const struct orr_world *w,
                            const struct orr_shared_hosts *t, char *buf,
                            size_t size)
{
    buf[0] = '\0';
    if (!t->hosts)
        return;
    int n = snprintf(buf, size, "%s and %s both have ranks on host %u",
                     w->jobs[t->a].name, w->jobs[t->b].name, t->host);
    if (t->hosts > 1 && n > 0 && (size_t)n < size)
        snprintf(buf + n, size - (size_t)n,
                 "; %u hosts have ranks of several jobs", t->hosts);
}
