#include "workload/cluster/draw.h"
#include "core/config/module.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include <gsl/gsl_randist.h>

#include "core/units.h"

/* What describes a distribution, unread. */
struct moments {
    const struct orr_yaml *mean, *sd, *min, *max;
};
#define MOMENT(k, text)                                                        \
    {                                                                          \
#k, ORR_PARAM_NODE, offsetof(struct moments, k), NULL, NULL, NULL,     \
            NULL, text                                                         \
    }

const struct orr_param orr__lognormal_params[] = {
    MOMENT(mean, "of the number itself, not of its logarithm"),
    MOMENT(sd, "its standard deviation"),
    ORR_PARAM_END,
};
const struct orr_param orr__exponential_params[] = {
    MOMENT(mean, "of the number"),
    ORR_PARAM_END,
};
const struct orr_param orr__uniform_params[] = {
    MOMENT(min, "the least"),
    MOMENT(max, "the most; all between are as likely"),
    ORR_PARAM_END,
};

static const struct {
    const char *name;
    enum orr_draw_kind kind;
    const struct orr_param *params;
} kinds[] = {
    {"lognormal", ORR_DRAW_LOGNORMAL, orr__lognormal_params},
    {"exponential", ORR_DRAW_EXPONENTIAL, orr__exponential_params},
    {"uniform", ORR_DRAW_UNIFORM, orr__uniform_params},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* What is read. */
struct reading {
    struct orr_config *c;
    bool times;
    const char *what;
    struct orr_report *why;
};

orr_err orr__long_time_read(struct orr_config *c, const struct orr_yaml *node,
                            const char *what, int64_t *ns,
                            struct orr_report *why)
{
    const char *text = orr__yaml_text(c, node);
    const char *wrong = text ? orr__parse_long_time(text, ns)
                             : "not a time: write a number and a unit, like "
                               "30s or 24h";
    return wrong ? orr__yaml_fail(c, node, why, "%s: %s", what, wrong) : ORR_OK;
}

/* A number of those, above zero or not below it. */
static orr_err read_value(const struct reading *r, const struct orr_yaml *node,
                          bool zero, double *out)
{
    int64_t ns = 0;
    const char *text = orr__yaml_text(r->c, node);
    if (r->times) {
        orr_err err = orr__long_time_read(r->c, node, r->what, &ns, r->why);
        *out = (double)ns;
        if (err)
            return err;
    } else if (!text || orr__parse_real(text, out)) {
        return orr__yaml_fail(r->c, node, r->why, "%s: not a number%s%.40s%s",
                              r->what, text ? ": \"" : "", text ? text : "",
                              text ? "\"" : "");
    }
    if (*out > 0 || (zero && *out == 0))
        return ORR_OK;
    return orr__yaml_fail(r->c, node, r->why, "%s: %s is not above 0", r->what,
                          text);
}

/* As mean and half the width, which do not overflow. */
static orr_err read_uniform(const struct reading *r, const struct moments *m,
                            struct orr_draw *out)
{
    double min = 0, max = 0;
    orr_err err = read_value(r, m->min, false, &min);
    if (!err)
        err = read_value(r, m->max, false, &max);
    if (!err && max < min)
        err = orr__yaml_fail(r->c, m->max, r->why, "%s: max is less than min",
                             r->what);
    if (err)
        return err;
    out->mean = min / 2 + max / 2;
    out->spread = max / 2 - min / 2;
    return ORR_OK;
}

/* A map with one key, the distribution's name. */
static orr_err read_kind(const struct reading *r, const struct orr_yaml *map,
                         struct orr_draw *out)
{
    const char *names[KINDS + 1] = {NULL};
    const char *name = orr__yaml_count(map) == 1
                           ? orr__yaml_text(r->c, orr__yaml_key(map, 0))
                           : NULL;
    size_t k = 0;
    for (size_t i = 0; i < KINDS; i++)
        names[i] = kinds[i].name;
    while (name && k < KINDS && strcmp(names[k], name) != 0)
        k++;
    if (!name || k == KINDS) {
        orr_err err = orr__yaml_fail(
            r->c, name ? orr__yaml_key(map, 0) : map, r->why,
            "%s: a number, or one of lognormal, exponential and uniform, is "
            "expected",
            r->what);
        orr__hint_nearest(r->why, names, name);
        return err;
    }
    struct moments m = {0};
    const struct orr_param_set set = {kinds[k].params, &m};
    const struct orr_yaml *body = orr__yaml_value(map, 0);
    orr_err err = orr__param_read(r->c, body, r->what, &set, 1, r->why);
    out->kind = kinds[k].kind;
    if (!err && out->kind == ORR_DRAW_UNIFORM)
        return read_uniform(r, &m, out);
    if (!err)
        err = read_value(r, m.mean, false, &out->mean);
    if (!err && out->kind == ORR_DRAW_LOGNORMAL)
        err = read_value(r, m.sd, true, &out->spread);
    return err;
}

orr_err orr__draw_read(struct orr_config *c, const struct orr_yaml *node,
                       bool times, const char *what, struct orr_draw *out,
                       struct orr_report *why)
{
    const struct reading r = {c, times, what, why};
    *out = (struct orr_draw){.kind = ORR_DRAW_CONSTANT};
    if (orr__yaml_is_map(node))
        return read_kind(&r, node, out);
    return read_value(&r, node, false, &out->mean);
}

double orr__draw_number(const struct orr_draw *d, struct orr_random *r)
{
    const gsl_rng rng = {orr__random_gsl_type(), r};
    double v = d->mean, part = d->spread / d->mean, sigma;
    switch (d->kind) {
    case ORR_DRAW_CONSTANT: break;
    case ORR_DRAW_EXPONENTIAL: v = gsl_ran_exponential(&rng, d->mean); break;
    case ORR_DRAW_LOGNORMAL:
        sigma = sqrt(log1p(part * part));
        v = gsl_ran_lognormal(&rng, log(d->mean) - sigma * sigma / 2, sigma);
        break;
    case ORR_DRAW_UNIFORM:
        v = d->mean + d->spread * (2 * orr__random_unit(r) - 1);
        break;
    }
    return v > 0 ? v : DBL_MIN;
}

/* log is not the same everywhere to the last bit: whole numbers. */
int64_t orr__draw_integer(const struct orr_draw *d, struct orr_random *r)
{
    double v = orr__draw_number(d, r);
    if (v >= 0x1p62)
        return INT64_C(1) << 62;
    return v < 1 ? 1 : (int64_t)rint(v);
}
