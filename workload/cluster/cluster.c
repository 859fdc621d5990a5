#include "workload/cluster/cluster.h"
#include "core/assert.h"

#include <math.h>
#include <string.h>

__int128 orr__cluster_gpu_time(const struct orr_cluster *c,
                               const struct orr_cluster_job *j)
{
    ORR_ASSERT(j->ran_ns >= 0 && j->since_ns <= c->now_ns);
    __int128 had = (__int128)j->ran_ns * orr__cluster_asked(j) + j->extra_ns;
    if (j->state == ORR_CLUSTER_RUNNING)
        had += (__int128)(c->now_ns - j->since_ns) * j->is.gpus;
    return had;
}

double orr__cluster_service(const struct orr_cluster *c,
                            const struct orr_cluster_job *j)
{
    return (double)orr__cluster_gpu_time(c, j);
}

double orr__cluster_iterations(const struct orr_cluster_job *j,
                               double baseline_ns)
{
    return fmax(1, floor((double)j->is.duration_ns / baseline_ns + 0.5));
}

/* Where a job is in a list, or would be. */
static uint32_t find_job(const uint32_t *list, uint32_t n, uint32_t job)
{
    uint32_t from = 0;
    while (from < n) {
        uint32_t middle = from + (n - from) / 2;
        if (list[middle] < job)
            from = middle + 1;
        else
            n = middle;
    }
    return from;
}

static void remove_from(uint32_t *list, uint32_t *n, uint32_t job)
{
    uint32_t at = find_job(list, *n, job);
    ORR_ASSERT(at < *n && list[at] == job); /* it is there, once */
    --*n;
    memmove(list + at, list + at + 1, (*n - at) * sizeof *list);
}

static void enter_job(uint32_t *list, uint32_t *n, uint32_t job)
{
    uint32_t at = find_job(list, *n, job);
    ORR_ASSERT(at == *n || list[at] > job); /* ascending, and it is new */
    memmove(list + at + 1, list + at, (*n - at) * sizeof *list);
    list[at] = job;
    ++*n;
}

void orr__cluster_set_state(struct orr_cluster *c, uint32_t job,
                            enum orr_cluster_state then)
{
    enum orr_cluster_state *state = &c->job[job].state;
    ORR_ASSERT(job < c->jobs);
    if (*state == ORR_CLUSTER_WAITING)
        remove_from(c->waiting, &c->n_waiting, job);
    if (*state == ORR_CLUSTER_RUNNING)
        remove_from(c->running, &c->n_running, job);
    *state = then;
    if (then == ORR_CLUSTER_WAITING)
        enter_job(c->waiting, &c->n_waiting, job);
    if (then == ORR_CLUSTER_RUNNING)
        enter_job(c->running, &c->n_running, job);
    ORR_ASSERT(c->n_waiting + c->n_running <= c->jobs);
}
