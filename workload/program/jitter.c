#include "workload/program/jitter.h"

#include <gsl/gsl_randist.h>
#include <math.h>

#include "core/random.h"
#include "core/units.h"

/* The map `jitter`. */
struct setting {
    int kind;
    const char *spread;
};

static const char *adds_nothing(const void *set, const void *around)
{
    const struct setting *s = set;
    return s->kind == ORR_JITTER_NONE ? "`kind: none` adds no time" : NULL;
}

const struct orr_param orr__jitter_params[] = {
    {
        .key = "kind",
        .type = ORR_PARAM_CHOICE,
        .offset = offsetof(struct setting, kind),
        .choices = (const char *const[]){"none", "normal", "lognormal",
                                         "uniform", "exponential", NULL},
        .help = "distribution of the time that is added to a computation",
    },
    {
        .key = "spread",
        .type = ORR_PARAM_TEXT,
        .offset = offsetof(struct setting, spread),
        .fallback = "",
        .help = "a time, or a share of the computation's time: standard "
                "deviation (normal, lognormal), half width (uniform) or mean "
                "(exponential) of the added time",
        .idle = adds_nothing,
    },
    ORR_PARAM_END,
};

/* A time (ps), or a number: a share of the computation's own time. */
static orr_err read_jitter(struct orr_config *c, const struct orr_yaml *node,
                           const struct setting *s, struct orr_jitter *out,
                           struct orr_report *why)
{
    const struct orr_yaml *at = orr__yaml_get(node, "spread");
    if (!s->spread)
        return orr__yaml_fail(c, node, why,
                              "jitter needs `spread`: a time or a number");
    if (!orr__parse_real(s->spread, &out->share)) {
        if (out->share >= 0 && out->share <= 1000)
            return ORR_OK;
        return orr__yaml_fail(c, at, why, "spread %s is out of range 0 to 1000",
                              s->spread);
    }
    out->share = 0;
    const char *wrong = orr__parse_time(s->spread, &out->spread_ps);
    if (wrong)
        return orr__yaml_fail(c, at, why, "spread: \"%s\": %s", s->spread,
                              wrong);
    return ORR_OK;
}

orr_err orr__jitter_read(struct orr_config *c, const struct orr_yaml *node,
                         struct orr_jitter *out, struct orr_report *why)
{
    struct setting s = {0};
    *out = (struct orr_jitter){ORR_JITTER_NONE, 0, 0};
    if (!node)
        return ORR_OK;
    const struct orr_param_set set = {orr__jitter_params, &s, out};
    orr_err err = orr__param_read(c, node, "jitter", &set, 1, why);
    if (err)
        return err;
    out->kind = s.kind;
    if (s.kind == ORR_JITTER_NONE)
        return ORR_OK;
    return read_jitter(c, node, &s, out, why);
}

/* What is added, in nanoseconds; time and spread in nanoseconds too. */
static double draw_jitter(int kind, double time, double spread,
                          const gsl_rng *g)
{
    switch (kind) {
    case ORR_JITTER_NORMAL: return gsl_ran_gaussian(g, spread);
    case ORR_JITTER_UNIFORM: return gsl_ran_flat(g, -spread, spread);
    case ORR_JITTER_EXPONENTIAL: return gsl_ran_exponential(g, spread);
    case ORR_JITTER_LOGNORMAL: {
        if (time <= 0)
            return 0;
        double ratio = spread / time;
        double variance = log1p(ratio * ratio);
        return time * gsl_ran_lognormal(g, -variance / 2, sqrt(variance))
               - time;
    }
    default: return 0;
    }
}

int64_t orr__jitter_draw(const struct orr_jitter *j, int64_t time_ps,
                         uint64_t seed, uint64_t entity)
{
    if (j->kind == ORR_JITTER_NONE)
        return time_ps;
    struct orr_random stream;
    orr__random_init(&stream, seed, entity, ORR_PURPOSE_JITTER);
    const gsl_rng g = {orr__random_gsl_type(), &stream};
    double time = (double)time_ps / (double)ORR_NS;
    double spread =
        j->share > 0 ? j->share * time : (double)j->spread_ps / (double)ORR_NS;
    double added = rint(draw_jitter(j->kind, time, spread, &g));
    /* so that the sum stays in range: no time is beyond the horizon */
    const double most = 86400e9;
    if (!(added < most))
        added = most;
    if (added < -time)
        return 0;
    return time_ps + (int64_t)added * ORR_NS;
}
