/* max-min: heterogeneity-aware max-min fairness in rounds (Gavel: Narayanan et
 * al., OSDI 2020). A linear program gives each job shares of time on each kind
 * of GPU, so that the least of all jobs' throughputs, each over that of an
 * equal share of the cluster, is as large as can be; in each round those go
 * first that are furthest behind their shares.
 *
 * From the paper: the program (section 4.1, with scale factors), priorities of
 * pairs of a job and a kind (share over the time that it had there), rounds.
 *
 * Ours: an equal share is of GPU time, so that a job of 8 GPUs has an eighth of
 * the time that one of 1 has; of equally good programs the one with the larger
 * sum; jobs that run keep their GPUs for the rest of a round in which somebody
 * comes or goes; nobody shares a GPU. */
#include <math.h>
#include <string.h>

#include "core/linear_program.h"
#include "core/memory.h"
#include "core/units.h"
#include "workload/cluster/gpu_kinds.h"
#include "workload/cluster/queue/expect.h"
#include "workload/world.h"

/* As configured; read as ps. */
struct params {
    int64_t round; /* ps */
};

static const struct orr_param params[] = {
    {"round", ORR_PARAM_TIME, offsetof(struct params, round), "6min", "1ms",
     NULL, NULL, "time for which GPUs are given"},
    ORR_PARAM_END,
};

/* What the sum of all jobs counts beside the least of them. */
#define SUM 1e-4
/* Shares are rounded to this: how they come out in last digits decides
 * nothing. */
#define PART 1e-6

/* One linear program, solved at the beginning of a round; variables are shares
 * by job and kind, then the least throughput. */
struct program {
    const struct orr_cluster *c;
    const uint32_t *job;
    uint32_t n, kinds;
    double *had;   /* per kind: GPUs that there are */
    double *rate;  /* per job and kind: of what an equal share does */
    double *share; /* the same, and one more: out */
    uint32_t entries, *row, *variable;
    double *gain, *limit, *value;
};

static void program_fini(struct program *p)
{
    orr__free(p->had);
    orr__free(p->rate);
    orr__free(p->share);
    orr__free(p->row);
    orr__free(p->variable);
    orr__free(p->gain);
    orr__free(p->limit);
    orr__free(p->value);
}

/* Room for all entries that constraints can have. Freed by the caller even
 * after an error. */
static orr_err program_init(struct program *p, struct orr_report *why)
{
    size_t pairs = (size_t)p->n * p->kinds, rows = 2 * (size_t)p->n + p->kinds;
    size_t entries = 3 * pairs + p->n;
    p->had = orr__alloc(p->kinds, sizeof *p->had);
    p->rate = orr__alloc(pairs, sizeof *p->rate);
    p->share = orr__alloc(pairs + 1, sizeof *p->share);
    p->gain = orr__alloc(pairs + 1, sizeof *p->gain);
    p->limit = orr__alloc(rows, sizeof *p->limit);
    p->row = orr__alloc(entries, sizeof *p->row);
    p->variable = orr__alloc(entries, sizeof *p->variable);
    p->value = orr__alloc(entries, sizeof *p->value);
    return p->had && p->rate && p->share && p->gain && p->limit && p->row
                   && p->variable && p->value
               ? ORR_OK
               : orr__no_memory(why);
}

/* Throughputs over those of an equal share of all GPU time. */
static void fill_rates(struct program *p)
{
    const struct orr_inventory *v = &p->c->inventory;
    double all = 0;
    for (uint32_t g = 0; g < v->gpus; g++)
        p->had[orr__gpu_kind(v, g)] += v->out[g] ? 0 : v->share;
    for (uint32_t k = 0; k < p->kinds; k++)
        all += p->had[k];
    for (uint32_t i = 0; i < p->n; i++) {
        const struct orr_cluster_job *j = &p->c->job[p->job[i]];
        const struct orr_template *t = &p->c->template[j->is.template];
        double time = fmin(1, all / ((double)p->n * j->is.gpus)), equal = 0;
        double *rate = &p->rate[(size_t)i * p->kinds];
        for (uint32_t k = 0; k < p->kinds; k++) {
            rate[k] =
                p->had[k] >= j->is.gpus ? orr__throughput(t, k, j->is.gpus) : 0;
            equal += all > 0 ? rate[k] * time * p->had[k] / all : 0;
        }
        for (uint32_t k = 0; k < p->kinds; k++)
            rate[k] = equal > 0 ? rate[k] / equal : 0;
    }
}

static void put_entry(struct program *p, uint32_t row, uint32_t variable,
                      double value)
{
    p->row[p->entries] = row;
    p->variable[p->entries] = variable;
    p->value[p->entries++] = value;
}

/* Rows: a job has no more than all of its time; a kind no more than its GPUs;
 * the least is no more than any job's. */
static void fill_program(struct program *p)
{
    uint32_t least = p->n * p->kinds;
    p->gain[least] = 1;
    for (uint32_t k = 0; k < p->kinds; k++)
        p->limit[p->n + k] = p->had[k];
    for (uint32_t i = 0; i < p->n; i++) {
        const struct orr_cluster_job *j = &p->c->job[p->job[i]];
        uint32_t behind = p->n + p->kinds + i;
        bool any = false;
        p->limit[i] = 1;
        for (uint32_t k = 0; k < p->kinds; k++) {
            uint32_t x = i * p->kinds + k;
            put_entry(p, i, x, 1);
            if (!(p->rate[x] > 0))
                continue;
            any = true;
            p->gain[x] = SUM / p->n * p->rate[x];
            put_entry(p, p->n + k, x, j->is.gpus);
            put_entry(p, behind, x, -p->rate[x]);
        }
        if (any) /* a job that runs nowhere now holds nobody back */
            put_entry(p, behind, least, 1);
    }
}

/* Fills `share`. */
static orr_err solve_program(struct program *p, struct orr_report *why)
{
    const struct orr_linear_program lp = {
        .variables = p->n * p->kinds + 1,
        .rows = 2 * p->n + p->kinds,
        .entries = p->entries,
        .gain = p->gain,
        .limit = p->limit,
        .row = p->row,
        .variable = p->variable,
        .value = p->value,
    };
    return orr__linear_program_solve(&lp, p->share, why);
}

/* ---- rounds -------------------------------------------------------------- */

/* What a job has had of each kind by now, ns. */
static orr_err note_time(const struct orr_cluster *c, struct orr_cluster_job *j,
                         struct orr_report *why)
{
    if (!j->had_ns)
        j->had_ns = orr__arena_alloc(orr__config_arena(c->world->config),
                                     c->inventory.n_kinds, sizeof *j->had_ns);
    if (!j->had_ns)
        return orr__no_memory(why);
    if (j->state == ORR_CLUSTER_RUNNING && j->kind)
        j->had_ns[j->kind - 1] +=
            (double)(c->now_ns
                     - (j->counted_ns > j->since_ns ? j->counted_ns
                                                    : j->since_ns));
    j->counted_ns = c->now_ns;
    return ORR_OK;
}

static int64_t round_of(const void *given)
{
    const struct params *p = given;
    return p->round / ORR_NS;
}

/* How far a job is behind its share of a kind, in parts; the first round of a
 * job comes before all others. 0: it has no share. */
static int64_t urgency(const struct program *p, uint32_t i, uint32_t k,
                       int64_t round_ns)
{
    const struct orr_cluster_job *j = &p->c->job[p->job[i]];
    double parts = rint(p->share[i * p->kinds + k] / PART);
    double age = (double)(p->c->now_ns - j->is.at_ns) / (double)round_ns;
    double had = j->had_ns[k] / (double)round_ns;
    if (!(parts > 0) || !(p->rate[i * p->kinds + k] > 0))
        return 0;
    double x = had > 0 ? parts * fmax(age, 1) / had : parts * 1e9;
    return x < 1e18 ? 1 + (int64_t)x : INT64_MAX / 2;
}

/* Pairs of a job and a kind, the most urgent first, as far as there is room:
 * who gets which kind for a round. key: room for all pairs. */
static void choose(const struct program *p, struct orr_queue_key *key,
                   uint32_t *pair, int64_t round_ns, uint32_t *out)
{
    uint32_t n = 0, taken = 0;
    for (uint32_t i = 0; i < p->n; i++)
        for (uint32_t k = 0; k < p->kinds; k++) {
            int64_t x = urgency(p, i, k, round_ns);
            if (x > 0)
                key[n++] = (struct orr_queue_key){-x, i * p->kinds + k};
        }
    orr__queue_sort(key, pair, n);
    for (uint32_t i = 0; i < p->n; i++)
        p->c->job[p->job[i]].preferred_kind = 0;
    for (uint32_t x = 0; x < n; x++) {
        uint32_t who = p->job[pair[x] / p->kinds], k = pair[x] % p->kinds;
        struct orr_cluster_job *j = &p->c->job[who];
        if (j->preferred_kind || p->had[k] < j->is.gpus)
            continue;
        p->had[k] -= j->is.gpus;
        j->preferred_kind = k + 1;
        out[taken++] = who;
    }
    for (uint32_t i = 0; i < p->n; i++) /* the rest, if anything is left */
        if (!p->c->job[p->job[i]].preferred_kind)
            out[taken++] = p->job[i];
}

/* A round begins: shares are worked out, and `job` gets the order by them. */
static orr_err begin_round(const struct orr_cluster *c, int64_t round_ns,
                           uint32_t *job, uint32_t n, struct orr_report *why)
{
    struct program p = {
        .c = c, .job = job, .n = n, .kinds = c->inventory.n_kinds};
    size_t pairs = (size_t)n * p.kinds;
    struct orr_queue_key *key = orr__alloc(pairs, sizeof *key);
    uint32_t *pair = orr__alloc(pairs, sizeof *pair);
    uint32_t *out = orr__alloc(n, sizeof *out);
    orr_err err = program_init(&p, why);
    if (!err && (!key || !pair || !out))
        err = orr__no_memory(why);
    if (!err) {
        fill_rates(&p);
        fill_program(&p);
        err = solve_program(&p, why);
    }
    if (!err) {
        choose(&p, key, pair, round_ns, out);
        memcpy(job, out, n * sizeof *job);
    }
    program_fini(&p);
    orr__free(key);
    orr__free(pair);
    orr__free(out);
    return err;
}

/* Within a round: those that run first, then those that wait, by arrival. */
static void continue_round(const struct orr_cluster *c, uint32_t *job,
                           uint32_t n)
{
    uint32_t running = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t who = job[i];
        struct orr_cluster_job *j = &c->job[who];
        bool runs = j->state == ORR_CLUSTER_RUNNING;
        j->preferred_kind = runs ? j->kind : 0;
        if (!runs)
            continue;
        memmove(job + running + 1, job + running, (i - running) * sizeof *job);
        job[running++] = who;
    }
}

static orr_err order(const struct orr_cluster *c, const void *given,
                     uint32_t *job, uint32_t n, struct orr_report *why)
{
    int64_t round_ns = round_of(given);
    orr_err err = ORR_OK;
    for (uint32_t i = 0; !err && i < n; i++)
        err = note_time(c, &c->job[job[i]], why);
    if (!err && c->now_ns % round_ns == 0)
        return begin_round(c, round_ns, job, n, why);
    continue_round(c, job, n);
    return err;
}

static int64_t recheck_ns(const struct orr_cluster *c, const void *given)
{
    int64_t round_ns = round_of(given);
    if (!orr__somebody_waits(c) || c->now_ns > INT64_MAX - round_ns)
        return INT64_MAX;
    return (c->now_ns / round_ns + 1) * round_ns;
}

extern const struct orr_queue_policy_ops orr__queue_policy_max_min;
const struct orr_queue_policy_ops orr__queue_policy_max_min = {
    .name = "max-min",
    .doc = "max-min fair shares of time on each kind of GPU, by a linear "
           "program, in rounds (Gavel); preemptive",
    .params = params,
    .params_size = sizeof(struct params),
    .preempts = true,
    .order = order,
    .recheck_ns = recheck_ns,
};
