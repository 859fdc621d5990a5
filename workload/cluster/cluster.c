#include "workload/cluster/cluster.h"

#include <string.h>

double orr__cluster_service(const struct orr_cluster *c,
                            const struct orr_cluster_job *j)
{
    int64_t ran = j->ran_ns;
    if (j->state == ORR_CLUSTER_RUNNING)
        ran += c->now_ns - j->since_ns;
    return (double)ran * j->is.gpus;
}

/* Where a job is in a list, or would be. */
static uint32_t find(const uint32_t *list, uint32_t n, uint32_t job)
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
    uint32_t at = find(list, *n, job);
    --*n;
    memmove(list + at, list + at + 1, (*n - at) * sizeof *list);
}

static void enter(uint32_t *list, uint32_t *n, uint32_t job)
{
    uint32_t at = find(list, *n, job);
    memmove(list + at + 1, list + at, (*n - at) * sizeof *list);
    list[at] = job;
    ++*n;
}

void orr__cluster_turn(struct orr_cluster *c, uint32_t job,
                       enum orr_cluster_state then)
{
    enum orr_cluster_state *state = &c->job[job].state;
    if (*state == ORR_CLUSTER_WAITING)
        remove_from(c->waiting, &c->n_waiting, job);
    if (*state == ORR_CLUSTER_RUNNING)
        remove_from(c->running, &c->n_running, job);
    *state = then;
    if (then == ORR_CLUSTER_WAITING)
        enter(c->waiting, &c->n_waiting, job);
    if (then == ORR_CLUSTER_RUNNING)
        enter(c->running, &c->n_running, job);
}
