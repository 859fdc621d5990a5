#include "cluster/resample.h"

#include <math.h>

#include <gsl/gsl_cdf.h>
#include <xxhash.h>

#include "core/assert.h"
#include "core/memory.h"
#include "core/random.h"

/* As many sets of the same jobs on the same ways, begun at other phases, show
 * what phases do; and those who go again ask for half as many others, in all,
 * as the run itself has asked for, or a few. */
enum { ENOUGH = 4, MARGIN = 4 };

/* Half of a 95 % interval, in standard deviations. */
#define HALF_SD 1.96

static uint64_t kinds_of(const struct orr_cluster *c,
                         struct orr_member *const *member, uint32_t n)
{
    uint64_t name = n;
    for (uint32_t i = 0; i < n; i++) {
        const struct orr_arrival *a = &c->job[member[i]->job].is;
        const uint32_t kind[] = {a->template, a->gpus};
        name = XXH3_64bits_withSeed(kind, sizeof kind, name);
    }
    return name;
}

orr_err orr__resample_name(const struct orr_cluster *c,
                           struct orr_member *const *member, uint32_t n,
                           bool choosing, uint64_t salt,
                           struct orr_known_set *s, struct orr_report *why)
{
    uint32_t *phase = orr__alloc(n, sizeof *phase);
    if (!phase)
        return orr__no_memory(why);
    for (uint32_t i = 0; i < n; i++) {
        phase[i] = member[i]->phase;
        member[i]->phase = 0;
    }
    orr_err err =
        orr__job_sets_key(c, (const struct orr_member *const *)member, n,
                          choosing, salt, &s->like[ORR_LIKE_PATHS], why);
    for (uint32_t i = 0; i < n; i++)
        member[i]->phase = phase[i];
    orr__free(phase);
    s->like[ORR_LIKE_KINDS] = kinds_of(c, member, n);
    s->n = n;
    return err;
}

bool orr__resample_enough(const struct orr_known_sets *seen,
                          const struct orr_known_set *s)
{
    return seen->n >= seen->own + seen->own / 2 + MARGIN
           || orr__known_sets_like(seen, ORR_LIKE_PATHS,
                                   s->like[ORR_LIKE_PATHS])
                  >= ENOUGH;
}

static void begin_stream(const struct orr_engine *e, uint64_t name,
                         struct orr_random *r)
{
    const uint64_t entity[] = {e->replication, name};
    orr__random_init(r, e->cluster.world->seed,
                     XXH3_64bits(entity, sizeof entity),
                     ORR_PURPOSE_REPLICATION);
}

double orr__resample_shift(const struct orr_engine *e, uint32_t job)
{
    struct orr_random r;
    const uint64_t what[] = {job, (uint64_t)e->cluster.now_ns};
    begin_stream(e, XXH3_64bits(what, sizeof what), &r);
    return orr__random_unit(&r);
}

static void scale_times(struct orr_outcome *o, double by)
{
    ORR_ASSERT(by > 0);
    o->iteration_ps *= by;
    for (uint32_t i = 0; i < o->ends; i++)
        o->end_ps[i] = (int64_t)((double)o->end_ps[i] * by);
}

/* A job of that template in whatever company: as much slower than alone as that
 * one was. */
static orr_err draw_job(const struct orr_known_sets *seen,
                        const struct orr_memo *memo, uint32_t template,
                        double share, struct orr_outcome *out,
                        struct orr_report *why)
{
    const struct orr_known_set *from;
    uint32_t at = orr__known_sets_pick_job(seen, template, share, &from);
    if (at == UINT32_MAX)
        return ORR_OK;
    struct orr_outcome *all = orr__alloc(from->n, sizeof *all);
    if (!all)
        return orr__no_memory(why);
    ORR_ASSERT(at >= from->first && at - from->first < from->n);
    if (orr__memo_find(memo, from->key, from->n, all)) {
        double baseline_ps = out->iteration_ps;
        *out = all[at - from->first];
        scale_times(out, baseline_ps / seen->job[at].baseline_ps);
    }
    orr__free(all);
    return ORR_OK;
}

/* A set that is like it, the more the better. */
static const struct orr_known_set *find_alike(const struct orr_known_sets *seen,
                                              const struct orr_known_set *s,
                                              double share)
{
    const struct orr_known_set *found = NULL;
    for (int how = 0; !found && how < ORR_LIKENESSES; how++)
        found = orr__known_sets_pick(seen, how, s->like[how], share);
    return found;
}

orr_err orr__resample_draw(const struct orr_engine *e,
                           const struct orr_known_sets *seen,
                           const struct orr_memo *memo,
                           const struct orr_known_set *s,
                           struct orr_member *const *member,
                           struct orr_outcome *out, struct orr_report *why)
{
    struct orr_random r;
    orr_err err = ORR_OK;
    begin_stream(e, s->name, &r);
    double share = orr__random_unit(&r);
    const struct orr_known_set *from =
        orr__known_sets_has(seen, s->key) ? s : find_alike(seen, s, share);
    if (!from || !orr__memo_find(memo, from->key, s->n, out))
        for (uint32_t i = 0; !err && i < s->n; i++)
            err =
                draw_job(seen, memo, e->cluster.job[member[i]->job].is.template,
                         orr__random_unit(&r), &out[i], why);
    for (uint32_t i = 0; i < s->n; i++) {
        double at = 1 - orr__random_unit(&r); /* never 0 */
        double sd = fmin(out[i].half, 1) / HALF_SD;
        scale_times(&out[i],
                    exp(sd * gsl_cdf_ugaussian_Pinv(at < 1 ? at : 0.5)));
    }
    return err;
}
