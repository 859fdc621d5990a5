/* Requests: when they come and how long they are. */
#include <math.h>
#include <string.h>

#include "core/array.h"
#include "core/memory.h"
#include "core/random.h"
#include "core/scan.h"
#include "core/text.h"
#include "core/units.h"
#include "workload/job/serve.h"

#define MOST_REQUESTS 10000000
#define MOST_TOKENS   10000000

/* A number of tokens: all alike, between two, or exponential around a mean. */
struct length {
    int64_t min, max, mean;
};

const struct orr_param orr__length_params[] = {
    {.key = "min",
     .type = ORR_PARAM_INT,
     .offset = offsetof(struct length, min),
     .fallback = "",
     .min = "1",
     .max = "10000000",
     .help = "fewest tokens, all numbers up to max as often"},
    {.key = "max",
     .type = ORR_PARAM_INT,
     .offset = offsetof(struct length, max),
     .fallback = "",
     .min = "1",
     .max = "10000000",
     .help = "most tokens"},
    {.key = "mean",
     .type = ORR_PARAM_INT,
     .offset = offsetof(struct length, mean),
     .fallback = "",
     .min = "1",
     .max = "1000000",
     .help = "or: exponential around this mean, at least 1"},
    ORR_PARAM_END,
};

/* Either between two, or around a mean. */
static orr_err read_length(const struct orr_serve_job *j, const char *key,
                           const struct orr_yaml *node, struct length *x,
                           struct orr_report *why)
{
    struct orr_config *c = j->world->config;
    const char *text = orr__yaml_text(c, node);
    const struct orr_param_set set = {orr__length_params, x};
    *x = (struct length){0, 0, 0};
    if (text && !orr__parse_int(text, &x->min) && x->min >= 1
        && x->min <= MOST_TOKENS) {
        x->max = x->min;
        return ORR_OK;
    }
    if (!orr__yaml_is_map(node))
        return orr__yaml_fail(c, node ? node : j->node, why,
                              "serve.%s: a number of tokens is expected, or "
                              "{min, max} or {mean}",
                              key);
    orr_err err = orr__param_read(c, node, key, &set, 1, why);
    if (err)
        return err;
    bool between = x->min > 0 && x->max >= x->min && !x->mean;
    bool around = x->mean > 0 && !x->min && !x->max;
    return between || around
               ? ORR_OK
               : orr__yaml_fail(c, node, why,
                                "serve.%s: either `min` and a `max` that is no "
                                "less, or `mean`",
                                key);
}

static uint32_t draw_length(const struct length *x, struct orr_random *r)
{
    if (!x->mean)
        return (uint32_t)(x->min
                          + (int64_t)orr__random_below(
                              r, (uint64_t)(x->max - x->min) + 1));
    double v = rint(-log(1 - orr__random_unit(r)) * (double)x->mean);
    return v < 1 ? 1 : v < MOST_TOKENS ? (uint32_t)v : MOST_TOKENS;
}

/* A Poisson process, in whole nanoseconds. */
static orr_err draw_requests(const struct orr_serve_job *j,
                             const struct orr_request_keys *k,
                             struct orr_serve *s, struct orr_report *why)
{
    struct length prompt, output;
    struct orr_random r;
    int64_t at = 0;
    orr_err err = read_length(j, "prompt", k->prompt, &prompt, why);
    if (!err)
        err = read_length(j, "output", k->output, &output, why);
    if (err)
        return err;
    s->n = (uint32_t)k->requests;
    s->request = orr__alloc(s->n, sizeof *s->request);
    if (!s->request)
        return orr__no_memory(why);
    orr__random_init(&r, j->world->seed, j->job, ORR_PURPOSE_REQUESTS);
    for (uint32_t i = 0; i < s->n; i++) {
        double ns = rint(-log(1 - orr__random_unit(&r)) / k->rate * 1e9);
        int64_t gap =
            ns < (double)ORR_HORIZON / 1e3 ? (int64_t)ns * ORR_NS : ORR_HORIZON;
        at = orr__time_add(at, gap);
        s->request[i] = (struct orr_request){
            .arrival_ps = at,
            .prompt = draw_length(&prompt, &r),
            .output = draw_length(&output, &r),
        };
    }
    return ORR_OK;
}

/* A line: seconds, tokens of the prompt, of the output. */
static orr_err scan_request(struct orr_scan *s, int64_t before,
                            struct orr_request *r)
{
    double seconds = 0;
    int64_t tokens[2];
    orr_err err = ORR_OK;
    if (!orr__scan_field(s))
        return orr__scan_fail(s, "a time in seconds is expected");
    err = orr__scan_real(s, "a time in seconds", 0, 4e6, &seconds);
    if (err)
        return err;
    r->arrival_ps = (int64_t)rint(seconds * 1e9) * ORR_NS;
    if (r->arrival_ps < before)
        return orr__scan_fail(s, "it is before the request above");
    for (int i = 0; i < 2; i++) {
        if (!orr__scan_field(s))
            return orr__scan_fail(s, "a line is: seconds, tokens of the "
                                     "prompt, tokens of the output");
        err =
            orr__scan_int(s, "a number of tokens", 1, MOST_TOKENS, &tokens[i]);
        if (err)
            return err;
    }
    if (orr__scan_field(s))
        return orr__scan_fail(s, "there are three numbers in a line");
    r->prompt = (uint32_t)tokens[0];
    r->output = (uint32_t)tokens[1];
    return ORR_OK;
}

/* All lines; what was read is the job's also after an error. */
static orr_err scan_requests(struct orr_scan *s, struct orr_serve *x,
                             struct orr_report *why)
{
    uint32_t room = 0;
    orr_err err = ORR_OK;
    while (!err && orr__scan_line_on(s)) {
        int64_t before = x->n ? x->request[x->n - 1].arrival_ps : 0;
        if (x->n == MOST_REQUESTS)
            return orr__scan_fail(s, "more than %d requests", MOST_REQUESTS);
        if (!orr__array_more(x->request, room, x->n))
            return orr__no_memory(why);
        x->request[x->n] = (struct orr_request){.arrival_ps = 0};
        err = scan_request(s, before, &x->request[x->n]);
        x->n += !err;
    }
    return err || x->n ? err : orr__scan_fail(s, "there is no request in it");
}

/* Relative to the configuration. */
static orr_err read_file(const struct orr_serve_job *j,
                         const struct orr_request_keys *k, struct orr_serve *x,
                         struct orr_report *why)
{
    struct orr_config *c = j->world->config;
    const struct orr_yaml *at = orr__yaml_get(j->node, "arrivals");
    const char *folder = orr__config_folder(c);
    struct orr_scan s = {.why = why};
    char *path = k->arrivals[0] == '/' || strcmp(folder, ".") == 0
                     ? orr__strdup(k->arrivals)
                     : orr__format("%s/%s", folder, k->arrivals);
    if (!path)
        return orr__no_memory(why);
    orr_err err = orr__scan_open(&s, path, path, why);
    if (err == ORR_ECONFIG)
        err = orr__yaml_place(c, at, err, why);
    if (!err) {
        s.separator = ',';
        s.comment = '#';
        err = scan_requests(&s, x, why);
    }
    orr__scan_fini(&s);
    orr__free(path);
    return err;
}

orr_err orr__requests_read(const struct orr_serve_job *j,
                           const struct orr_request_keys *k,
                           struct orr_serve *s, struct orr_report *why)
{
    static const char *const drawn[] = {"rate", "prompt", "output"};
    struct orr_config *c = j->world->config;
    bool poisson = strcmp(k->arrivals, "poisson") == 0;
    for (int i = 0; i < 3; i++) {
        const struct orr_yaml *at = orr__yaml_get(j->node, drawn[i]);
        if (at && !poisson)
            return orr__yaml_fail(c, at, why,
                                  "serve.%s: the file of `arrivals` has that",
                                  drawn[i]);
        if (!at && poisson)
            return orr__yaml_fail(c, j->node, why,
                                  "serve.%s is missing, or a file of "
                                  "`arrivals` that has it",
                                  drawn[i]);
    }
    orr_err err =
        poisson ? draw_requests(j, k, s, why) : read_file(j, k, s, why);
    for (uint32_t i = 0; !err && i < s->n; i++) {
        struct orr_request *r = &s->request[i];
        r->first_ps = r->ready_ps = r->last_ps = -1;
        r->left = r->output;
    }
    return err;
}
