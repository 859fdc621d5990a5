#include "workload/cluster/queue/expect.h"

#include <math.h>
#include <stdlib.h>

#include "core/memory.h"
#include "workload/cluster/gpu_kinds.h"

/* To the nearest; everything from 2^62 on is not known. */
static int64_t ns_of_double(double ns)
{
    if (!(ns >= 0 && ns < 0x1p62))
        return ORR_QUEUE_UNKNOWN;
    return (int64_t)rint(ns);
}

int64_t orr__expect_total(const struct orr_cluster_job *j)
{
    double alone = j->baseline_ns > 0 ? j->baseline_ns : j->guess_ns;
    if (j->iterations > 0 && alone > 0)
        return ns_of_double(j->iterations * alone);
    if (j->is.duration_ns > 0)
        return j->is.duration_ns;
    if (j->is.iterations > 0 && alone > 0)
        return ns_of_double((double)j->is.iterations * alone);
    return ORR_QUEUE_UNKNOWN;
}

int64_t orr__expect_left(const struct orr_cluster_job *j)
{
    double left = orr__cluster_left(j);
    if (j->state == ORR_CLUSTER_RUNNING && left >= 0)
        return ns_of_double(left);
    int64_t total = orr__expect_total(j);
    if (total == ORR_QUEUE_UNKNOWN || j->iterations <= 0)
        return total;
    return ns_of_double((double)total * (1 - j->done / j->iterations));
}

static int64_t stretch(const struct orr_cluster *c,
                       const struct orr_cluster_job *j,
                       enum orr_cluster_state in, int64_t before)
{
    return j->state == in ? before + (c->now_ns - j->since_ns) : before;
}

int64_t orr__has_run(const struct orr_cluster *c,
                     const struct orr_cluster_job *j)
{
    return stretch(c, j, ORR_CLUSTER_RUNNING, j->ran_ns);
}

int64_t orr__has_waited(const struct orr_cluster *c,
                        const struct orr_cluster_job *j)
{
    return stretch(c, j, ORR_CLUSTER_WAITING, j->waited_ns);
}

int64_t orr__times_gpus(const struct orr_cluster_job *j, int64_t t)
{
    __int128 all = (__int128)t * j->is.gpus;
    return all >= ORR_QUEUE_UNKNOWN ? ORR_QUEUE_UNKNOWN : (int64_t)all;
}

int64_t orr__expect_by(const struct orr_expect_params *p,
                       const struct orr_cluster_job *j, int64_t t)
{
    enum { BY_TIME, BY_GPU_TIME };
    return p->by == BY_TIME ? t : orr__times_gpus(j, t);
}

uint32_t orr__least_gpus(const struct orr_cluster *c,
                         const struct orr_cluster_job *j)
{
    if (!orr__cluster_elastic(c, j) || j->is.hosts)
        return j->is.gpus;
    return j->requested ? j->requested : c->template[j->is.template].size[0];
}

/* The same of one kind of GPU. */
static bool could_have(const struct orr_cluster *c,
                       const struct orr_cluster_job *j, uint32_t kind)
{
    const struct orr_inventory *v = &c->inventory;
    uint32_t lacking = orr__least_gpus(c, j);
    uint32_t of = j->is.hosts ? j->is.gpus : v->gpus;
    for (uint32_t i = 0; lacking && i < of; i++) {
        uint32_t g = j->is.hosts ? j->is.hosts[i] : i;
        lacking -= !v->out[g] && orr__gpu_kind(v, g) == kind;
    }
    return lacking == 0;
}

bool orr__could_have_room(const struct orr_cluster *c,
                          const struct orr_cluster_job *j)
{
    const struct orr_template *t = &c->template[j->is.template];
    for (uint32_t k = 0; k < c->inventory.n_kinds; k++)
        if (orr__throughput(t, k, j->is.gpus) > 0 && could_have(c, j, k))
            return true;
    return false;
}

bool orr__somebody_waits(const struct orr_cluster *c)
{
    for (uint32_t i = 0; i < c->n_waiting; i++)
        if (orr__could_have_room(c, &c->job[c->waiting[i]]))
            return true;
    return false;
}

static int before(const void *pa, const void *pb)
{
    const struct orr_queue_key *a = pa, *b = pb;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->job < b->job ? -1 : a->job > b->job;
}

void orr__queue_sort(struct orr_queue_key *key, uint32_t *job, uint32_t n)
{
    qsort(key, n, sizeof *key, before);
    for (uint32_t i = 0; i < n; i++)
        job[i] = key[i].job;
}

orr_err orr__queue_order_by(const struct orr_cluster *c, const void *params,
                            orr_queue_key_fn *of, uint32_t *job, uint32_t n,
                            struct orr_report *why)
{
    struct orr_queue_key *key = orr__alloc(n, sizeof *key);
    if (!key)
        return orr__no_memory(why);
    for (uint32_t i = 0; i < n; i++)
        key[i] = (struct orr_queue_key){of(c, params, &c->job[job[i]]), job[i]};
    orr__queue_sort(key, job, n);
    orr__free(key);
    return ORR_OK;
}
