/* Distributions of flow sizes. GSL draws the smooth ones; a size is rounded to
 * a byte, and nothing smaller than one byte is drawn. */
#include <math.h>
#include <string.h>

#include <gsl/gsl_randist.h>

#include "core/config/module.h"
#include "core/memory.h"
#include "core/random.h"
#include "core/units.h"
#include "workload/flow/build.h"

#define OF(field) offsetof(struct orr_sizes, field)

enum {
    FIXED,
    UNIFORM,
    EXPONENTIAL,
    LOGNORMAL,
    PARETO,
    CDF,
    WEBSEARCH,
    DATAMINING
};

static const struct orr_param no_params[] = {ORR_PARAM_END};
static const struct orr_param fixed_params[] = {
    {"size", ORR_PARAM_SIZE, OF(mean), NULL, NULL, NULL, NULL,
     "the size of every flow"},
    ORR_PARAM_END,
};
static const struct orr_param uniform_params[] = {
    {"min", ORR_PARAM_SIZE, OF(min), NULL, NULL, NULL, NULL, "smallest size"},
    {"max", ORR_PARAM_SIZE, OF(max), NULL, NULL, NULL, NULL, "largest size"},
    ORR_PARAM_END,
};
static const struct orr_param exponential_params[] = {
    {"mean", ORR_PARAM_SIZE, OF(mean), NULL, "1B", NULL, NULL, "mean size"},
    ORR_PARAM_END,
};
static const struct orr_param lognormal_params[] = {
    {"mean", ORR_PARAM_SIZE, OF(mean), NULL, "1B", NULL, NULL, "mean size"},
    {"sigma", ORR_PARAM_REAL, OF(sigma), "1", "0", "5", NULL,
     "standard deviation of the logarithm"},
    ORR_PARAM_END,
};
static const struct orr_param pareto_params[] = {
    {"mean", ORR_PARAM_SIZE, OF(mean), NULL, "1B", NULL, NULL, "mean size"},
    {"shape", ORR_PARAM_REAL, OF(shape), "1.5", "1.01", "100", NULL,
     "exponent of the tail"},
    ORR_PARAM_END,
};

/* The keys of a list of points. */
struct cdf {
    const struct orr_yaml *points;
    const char *file;
};
static const struct orr_param cdf_params[] = {
    {"cdf", ORR_PARAM_TEXT, offsetof(struct cdf, file), "", NULL, NULL, NULL,
     "text file with lines `bytes probability`, ascending, linear between; the "
     "last probability is 1, or 100 for percent; a relative name starts at the "
     "configuration's folder"},
    {"points", ORR_PARAM_NODE, offsetof(struct cdf, points), "", NULL, NULL,
     NULL,
     "instead of a file: [size, share of the flows up to it] in "
     "ascending order; the last share is 1"},
    ORR_PARAM_END,
};

static const struct orr_flow_kind kinds[] = {
    [FIXED] = {"fixed", "all flows equal; `size: 1MB` is short for it",
               fixed_params},
    [UNIFORM] = {"uniform", "between min and max; the default of a map",
                 uniform_params},
    [EXPONENTIAL] = {"exponential", "exponential around a mean",
                     exponential_params},
    [LOGNORMAL] = {"lognormal", "log-normal with a mean", lognormal_params},
    [PARETO] = {"pareto", "Pareto: a heavy tail with a mean", pareto_params},
    [CDF] = {"cdf",
             "a cumulative distribution, from a file or points; "
             "`size: {cdf: FILE}` is short for it",
             cdf_params},
    [WEBSEARCH] = {"websearch",
                   "web search, mean 1.7 MB (Alizadeh et al., "
                   "SIGCOMM 2010)",
                   no_params},
    [DATAMINING] = {"datamining",
                    "data mining, mean 7.5 MB (Greenberg et "
                    "al., SIGCOMM 2009)",
                    no_params},
    {NULL, NULL, NULL},
};

const struct orr_flow_kind *orr__flow_size_kinds(void)
{
    return kinds;
}

static const struct orr_size_point websearch[] = {
    {10000, .15},  {20000, .2},     {30000, .3},   {50000, .4},
    {80000, .53},  {200000, .6},    {1000000, .7}, {2000000, .8},
    {5000000, .9}, {10000000, .97}, {30000000, 1},
};

/* in full packets of 1,460 bytes of payload */
static const struct orr_size_point datamining[] = {
    {1460, .5},   {2920, .6},     {4380, .7},      {10220, .8},
    {389820, .9}, {3076220, .95}, {97333820, .99}, {973333820, 1},
};

static void use_points(struct orr_sizes *s, const struct orr_size_point *p,
                       size_t n)
{
    s->point = p;
    s->points = n;
}

/* ---- reading ----------------------------------------------------------- */

/* A size, and the share of flows no larger; both ascend. */
static orr_err read_point(struct orr_config *c, const struct orr_yaml *pair,
                          const struct orr_size_point *before,
                          struct orr_size_point *p, struct orr_report *why)
{
    if (!orr__yaml_is_list(pair) || orr__yaml_count(pair) != 2)
        return orr__yaml_fail(c, pair, why, "a point is [size, share]");
    const struct orr_yaml *size = orr__yaml_item(pair, 0);
    const struct orr_yaml *share = orr__yaml_item(pair, 1);
    const char *text = orr__yaml_text(c, size);
    const char *wrong =
        text ? orr__parse_size(text, &p->bytes) : "a size is expected";
    if (wrong)
        return orr__yaml_fail(c, size, why, "%s", wrong);
    orr__config_note_rounded(c, size);
    text = orr__yaml_text(c, share);
    wrong = text ? orr__parse_real(text, &p->share) : "a number is expected";
    if (wrong)
        return orr__yaml_fail(c, share, why, "%s", wrong);
    if (!(p->share >= 0 && p->share <= 1))
        return orr__yaml_fail(c, share, why, "a share lies between 0 and 1");
    if (before && (p->bytes < before->bytes || p->share < before->share))
        return orr__yaml_fail(c, pair, why,
                              "sizes and shares must not go down");
    return ORR_OK;
}

/* S->owned is freed with s, also after an error. */
static orr_err read_points(struct orr_config *c, const struct orr_yaml *list,
                           struct orr_sizes *s, struct orr_report *why)
{
    size_t n = orr__yaml_count(list);
    if (!orr__yaml_is_list(list) || n == 0)
        return orr__yaml_fail(c, list, why,
                              "points are a list of [size, share]");
    s->owned = orr__alloc(n, sizeof *s->owned);
    if (!s->owned)
        return orr__no_memory(why);
    for (size_t i = 0; i < n; i++) {
        orr_err err =
            read_point(c, orr__yaml_item(list, i), i ? &s->owned[i - 1] : NULL,
                       &s->owned[i], why);
        if (err != ORR_OK)
            return err;
    }
    if (s->owned[n - 1].share != 1)
        return orr__yaml_fail(c, orr__yaml_item(list, n - 1), why,
                              "the last share must be 1");
    use_points(s, s->owned, n);
    return ORR_OK;
}

/* Points from the file `cdf`, or from `points`. */
static orr_err read_cdf(struct orr_config *c, const struct orr_yaml *map,
                        const struct cdf *cdf, struct orr_sizes *s,
                        struct orr_report *why)
{
    size_t n;
    orr_err err;
    if ((cdf->points != NULL) == (cdf->file != NULL))
        return orr__yaml_fail(c, map, why,
                              "a cumulative distribution has "
                              "either `cdf` (a file) or `points`");
    if (cdf->points)
        return read_points(c, cdf->points, s, why);
    err = orr__cdf_read(c, orr__yaml_get(map, "cdf"), cdf->file, &s->owned, &n,
                        why);
    if (err == ORR_OK)
        use_points(s, s->owned, n);
    return err;
}

/* Index into kinds of the name at node, or -1. */
static int find_kind(struct orr_config *c, const struct orr_yaml *node,
                     const char *name, struct orr_report *why)
{
    const char *names[sizeof kinds / sizeof *kinds] = {NULL};
    for (size_t i = 0; kinds[i].name; i++)
        names[i] = kinds[i].name;
    int k = name ? orr__param_choice(names, name) : -1;
    if (k >= 0)
        return k;
    (void)orr__yaml_fail(c, node, why,
                         "no distribution of sizes is called "
                         "\"%s\"",
                         name ? name : "");
    orr__hint_nearest(why, names, name);
    return -1;
}

/* A distribution by name; one with `cdf` needs no name. */
static orr_err read_map(struct orr_config *c, const struct orr_yaml *map,
                        struct orr_sizes *s, struct orr_report *why)
{
    const struct orr_yaml *kind = orr__yaml_get(map, "kind");
    s->kind = orr__yaml_get(map, "cdf") ? CDF : UNIFORM;
    if (kind)
        s->kind = find_kind(c, kind, orr__yaml_text(c, kind), why);
    if (s->kind < 0)
        return ORR_ECONFIG;
    struct cdf cdf = {NULL, NULL};
    const char *name;
    const struct orr_param kind_params[] = {
        {"kind", ORR_PARAM_TEXT, 0, kinds[s->kind].name, NULL, NULL, NULL,
         "which distribution"},
        ORR_PARAM_END,
    };
    struct orr_param_set sets[] = {
        {kinds[s->kind].params, s->kind == CDF ? (void *)&cdf : s},
        {kind_params, &name},
    };
    orr_err err = orr__param_read(c, map, "size", sets, 2, why);
    if (err != ORR_OK)
        return err;
    if (s->kind == UNIFORM && s->min > s->max)
        return orr__yaml_fail(c, map, why, "min is larger than max");
    return s->kind == CDF ? read_cdf(c, map, &cdf, s, why) : ORR_OK;
}

/* A fixed size, or the name of a distribution without parameters. */
static orr_err read_scalar(struct orr_config *c, const struct orr_yaml *node,
                           struct orr_sizes *s, struct orr_report *why)
{
    const char *text = orr__yaml_text(c, node);
    if (text && text[0] >= 'a' && text[0] <= 'z') {
        s->kind = find_kind(c, node, text, why);
        if (s->kind < 0)
            return ORR_ECONFIG;
        if (kinds[s->kind].params == no_params)
            return ORR_OK;
        return orr__yaml_fail(c, node, why,
                              "\"%s\" has parameters: write "
                              "{kind: %s, ...}",
                              text, text);
    }
    s->kind = FIXED;
    const char *wrong =
        text ? orr__parse_size(text, &s->mean) : "a size is expected";
    if (wrong)
        return orr__yaml_fail(c, node, why, "size: %s", wrong);
    orr__config_note_rounded(c, node);
    return ORR_OK;
}

/* The largest size that is not a freak of a smooth distribution's tail. */
static uint64_t largest(const struct orr_sizes *s)
{
    if (s->kind == UNIFORM)
        return s->max;
    return s->points ? s->point[s->points - 1].bytes : s->mean;
}

orr_err orr__sizes_read(const struct orr_world *w, const struct orr_yaml *node,
                        struct orr_sizes *s, struct orr_report *why)
{
    memset(s, 0, sizeof *s);
    s->limit = orr__program_limits_message(w);
    orr_err err = orr__yaml_is_map(node) ? read_map(w->config, node, s, why)
                                         : read_scalar(w->config, node, s, why);
    if (err == ORR_OK && s->kind == WEBSEARCH)
        use_points(s, websearch, sizeof websearch / sizeof *websearch);
    if (err == ORR_OK && s->kind == DATAMINING)
        use_points(s, datamining, sizeof datamining / sizeof *datamining);
    if (err == ORR_OK && largest(s) > s->limit)
        err = orr__flow_size_fail(w, largest(s), node, why);
    if (err != ORR_OK)
        orr__sizes_fini(s);
    return err;
}

void orr__sizes_fini(struct orr_sizes *s)
{
    orr__free(s->owned);
    memset(s, 0, sizeof *s);
}

/* ---- drawing ----------------------------------------------------------- */

static double points_mean(const struct orr_sizes *s)
{
    double sum = s->point[0].share * (double)s->point[0].bytes;
    for (size_t i = 1; i < s->points; i++)
        sum += (s->point[i].share - s->point[i - 1].share)
               * ((double)s->point[i].bytes + (double)s->point[i - 1].bytes)
               / 2;
    return sum;
}

double orr__sizes_mean(const struct orr_sizes *s)
{
    if (s->points)
        return points_mean(s);
    if (s->kind == UNIFORM)
        return ((double)s->min + (double)s->max) / 2;
    return (double)s->mean;
}

/* Below the first point all sizes are the first; between two, linear. */
static double points_draw(const struct orr_sizes *s, double u)
{
    size_t i = 0, end = s->points - 1; /* the first beyond u, or the last */
    while (i < end) {
        size_t middle = i + (end - i) / 2;
        if (u >= s->point[middle].share)
            i = middle + 1;
        else
            end = middle;
    }
    const struct orr_size_point *b = &s->point[i];
    if (i == 0 || u < s->point[0].share)
        return (double)s->point[0].bytes;
    const struct orr_size_point *a = b - 1;
    if (b->share <= a->share)
        return (double)b->bytes;
    return (double)a->bytes
           + ((double)b->bytes - (double)a->bytes) * (u - a->share)
                 / (b->share - a->share);
}

/* Bytes, not yet rounded; lognormal and Pareto have the mean that was asked
 * for. */
static double smooth_draw(const struct orr_sizes *s, const gsl_rng *rng)
{
    double mean = (double)s->mean;
    switch (s->kind) {
    case EXPONENTIAL: return gsl_ran_exponential(rng, mean);
    case LOGNORMAL:
        return gsl_ran_lognormal(rng, log(mean) - s->sigma * s->sigma / 2,
                                 s->sigma);
    case PARETO:
        return gsl_ran_pareto(rng, s->shape, mean * (s->shape - 1) / s->shape);
    default: return points_draw(s, gsl_rng_uniform(rng));
    }
}

/* rng is a stream of core/random.h: its state is a struct orr_random. */
uint64_t orr__sizes_draw(const struct orr_sizes *s, const gsl_rng *rng)
{
    if (s->kind == FIXED)
        return s->mean;
    if (s->kind == UNIFORM) {
        uint64_t span = s->max - s->min;
        return s->min + orr__random_below(rng->state, span + 1);
    }
    double v = smooth_draw(s, rng);
    /* a tail must not outgrow the packet numbers of a connection */
    if (v >= (double)s->limit)
        return s->limit;
    return v < 1 ? 1 : (uint64_t)(v + 0.5);
}
