/* themis: finish-time fairness with leases (Mahajan et al., NSDI 2020).
 *
 * From the paper: rho is how long a job takes among others over how long it
 * would take alone; GPUs are held for a lease; when leases end, what is free is
 * offered to the share 1 - f of jobs with the worst rho, and the rest may have
 * what remains.
 *
 * Ours: the paper's jobs bid in an auction, with a value of rho for each part
 * of the offer; here jobs are gangs of a fixed size, so those that are offered
 * GPUs take them in order of rho, the worst first. Of the others, those that
 * run keep their GPUs for another lease, then those that wait go by rho. A
 * job's lease begins when it gets its GPUs. What a job that waits has left is
 * reckoned alone; a job of which nothing is known counts as the worst. */
#include "core/memory.h"
#include "core/units.h"
#include "workload/cluster/queue/expect.h"

/* As configured; lease is read as ps, fairness is the paper's f. */
struct params {
    int64_t lease; /* ps */
    double fairness;
};

static const struct orr_param params[] = {
    {"lease", ORR_PARAM_TIME, offsetof(struct params, lease), "10min", "1ms",
     NULL, NULL,
     "time for which a job keeps its GPUs before they are offered again"},
    {"fairness", ORR_PARAM_REAL, offsetof(struct params, fairness), "0.8", "0",
     "1", NULL,
     "f: GPUs are offered first to the share 1 - f of jobs that are treated "
     "worst, at least one"},
    ORR_PARAM_END,
};

/* Millionths; all that there is no number for is the worst. */
static int64_t rho_of_job(const struct orr_cluster *c,
                          const struct orr_cluster_job *j)
{
    int64_t alone = orr__expect_total(j), left = orr__expect_left(j);
    if (alone == ORR_QUEUE_UNKNOWN || alone == 0 || left == ORR_QUEUE_UNKNOWN)
        return INT64_MAX;
    __int128 all = (__int128)orr__has_run(c, j) + orr__has_waited(c, j) + left;
    all = all * 1000000 / alone;
    return all > INT64_MAX ? INT64_MAX : (int64_t)all;
}

/* A lease ends lease, 2 lease, ... after its job began to run. */
static bool holds_lease(const struct orr_cluster *c, const struct params *p,
                        const struct orr_cluster_job *j)
{
    int64_t ran = c->now_ns - j->since_ns;
    return j->state == ORR_CLUSTER_RUNNING
           && (ran == 0 || ran % (p->lease / ORR_NS) != 0);
}

/* Job that is i-th of n by rho: before whom it comes. */
static int64_t place_by_rho(const struct orr_cluster *c, const struct params *p,
                            uint32_t i, uint32_t n, uint32_t job)
{
    double share = (1 - p->fairness) * n;
    bool offered = i == 0 || (double)i < share - 1e-9;
    bool runs = c->job[job].state == ORR_CLUSTER_RUNNING;
    return (offered ? 0 : runs ? (int64_t)n : 2 * (int64_t)n) + i;
}

/* Those with a lease keep their place; the others go by rho, then the share
 * with the worst as place_by_rho() says. */
static orr_err order(const struct orr_cluster *c, const void *given,
                     uint32_t *job, uint32_t n, struct orr_report *why)
{
    const struct params *p = given;
    struct orr_queue_key *key = orr__alloc(n, sizeof *key);
    uint32_t held = 0, open = 0;
    if (!key)
        return orr__no_memory(why);
    for (uint32_t i = 0; i < n; i++) {
        const struct orr_cluster_job *j = &c->job[job[i]];
        if (holds_lease(c, p, j))
            job[held++] = job[i];
        else
            key[open++] = (struct orr_queue_key){-rho_of_job(c, j), job[i]};
    }
    orr__queue_sort(key, job + held, open);
    for (uint32_t i = 0; i < open; i++)
        key[i].key = place_by_rho(c, p, i, open, key[i].job);
    orr__queue_sort(key, job + held, open);
    orr__free(key);
    return ORR_OK;
}

/* The end of the next lease, if somebody waits; leases are counted from when a
 * job got its GPUs. */
static int64_t recheck_ns(const struct orr_cluster *c, const void *given)
{
    const struct params *p = given;
    int64_t lease = p->lease / ORR_NS, next = INT64_MAX;
    if (!orr__somebody_waits(c))
        return INT64_MAX;
    for (uint32_t i = 0; i < c->n_running; i++) {
        const struct orr_cluster_job *j = &c->job[c->running[i]];
        if (c->now_ns > INT64_MAX - lease)
            continue;
        int64_t ran = c->now_ns - j->since_ns;
        int64_t end = j->since_ns + (ran / lease + 1) * lease;
        next = end < next ? end : next;
    }
    return next;
}

extern const struct orr_queue_policy_ops orr__queue_policy_themis;
const struct orr_queue_policy_ops orr__queue_policy_themis = {
    .name = "themis",
    .doc = "the worst treated relative to alone first, by leases (Themis); "
           "preemptive",
    .params = params,
    .params_size = sizeof(struct params),
    .preempts = true,
    .order = order,
    .recheck_ns = recheck_ns,
};
