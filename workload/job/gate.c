#include "workload/job/gate.h"

#include <stdio.h>
#include <string.h>

#include "core/json.h"
#include "workload/job/idle.h"

/* The map `gate`. */
struct gate_keys {
    int64_t period, offset;
    int every;
    const struct orr_yaml *times, *drift;
};
enum { EVERY_ITERATION, EVERY_FIRST };

const struct orr_param orr__gate_params[] = {
    {
        .key = "period",
        .type = ORR_PARAM_TIME,
        .offset = offsetof(struct gate_keys, period),
        .min = "1ps",
        .help = "period of the gate",
    },
    {
        .key = "offset",
        .type = ORR_PARAM_TIME,
        .offset = offsetof(struct gate_keys, offset),
        .fallback = "0s",
        .min = "0s",
        .help = "when the gate opens in the period, which begins at simulated "
                "time 0",
    },
    {
        .key = "times",
        .type = ORR_PARAM_NODE,
        .offset = offsetof(struct gate_keys, times),
        .fallback = "",
        .help = "when it opens in the period, from `offset` on, once for each "
                "iteration: [0s, 4ms, 9ms]; default: once a period",
    },
    {
        .key = "every",
        .type = ORR_PARAM_CHOICE,
        .offset = offsetof(struct gate_keys, every),
        .fallback = "iteration",
        .choices = (const char *const[]){"iteration", "first", NULL},
        .help = "which iterations are held: each, or only the first",
        .idle = orr__idle_every,
    },
    {
        .key = "drift",
        .type = ORR_PARAM_NODE,
        .offset = offsetof(struct gate_keys, drift),
        .fallback = "",
        .help = "treatment of a late job: {threshold, most}, or `none`",
    },
    ORR_PARAM_END,
};

/* The map `gate.drift`. */
struct drift_keys {
    const char *threshold, *most;
};

const struct orr_param orr__drift_params[] = {
    {
        .key = "threshold",
        .type = ORR_PARAM_TEXT,
        .offset = offsetof(struct drift_keys, threshold),
        .fallback = "5%",
        .help = "a job that is late by more than this share of its period "
                "waits for its next turn; otherwise it goes at once",
    },
    {
        .key = "most",
        .type = ORR_PARAM_TEXT,
        .offset = offsetof(struct drift_keys, most),
        .fallback = "2 per minute",
        .help =
            "most shifts: a number per time (`5 per 100ms`), or `unlimited`",
    },
    ORR_PARAM_END,
};

/* "5%" of the period. */
static orr_err read_threshold(struct orr_config *c, const struct orr_yaml *at,
                              const char *text, struct orr_gate *g,
                              struct orr_report *why)
{
    char number[32];
    size_t n = strlen(text);
    double share;
    bool percent = n > 0 && text[n - 1] == '%';
    snprintf(number, sizeof number, "%.*s", (int)(n - percent), text);
    if (n < sizeof number && !orr__parse_real(number, &share)) {
        share /= percent ? 100 : 1;
        if (share >= 0 && share < 1) {
            g->threshold_ps =
                (int64_t)((double)g->period_ps / orr__gate_times(g) * share);
            return ORR_OK;
        }
    }
    return orr__yaml_fail(c, at, why,
                          "drift.threshold: \"%s\" is not a share of a period, "
                          "0%% to less than 100%%",
                          text);
}

/* "2 per minute", "5 per 100ms", "unlimited". */
static orr_err read_most(struct orr_config *c, const struct orr_yaml *at,
                         const char *text, struct orr_gate *g,
                         struct orr_report *why)
{
    const char *per = strstr(text, " per ");
    char number[24];
    int64_t count;
    g->most = 0;
    g->span_ps = 0;
    if (strcmp(text, "unlimited") == 0)
        return ORR_OK;
    snprintf(number, sizeof number, "%.*s", per ? (int)(per - text) : 0, text);
    if (per && !orr__parse_int(number, &count) && count >= 1
        && count <= ORR_MOST_SHIFTS) {
        const char *span = per + strlen(" per ");
        g->most = (uint32_t)count;
        g->span_ps = strcmp(span, "minute") == 0   ? 60 * ORR_S
                     : strcmp(span, "second") == 0 ? ORR_S
                                                   : 0;
        if (g->span_ps
            || (!orr__parse_time(span, &g->span_ps) && g->span_ps > 0))
            return ORR_OK;
    }
    return orr__yaml_fail(c, at, why,
                          "drift.most: \"%s\" is neither `unlimited` nor a "
                          "number per time",
                          text);
}

/* How late a job must be to be shifted, ps; ORR_NEVER: never, as with `none`
 * and for a gate of the first iteration alone. */
static orr_err read_drift(struct orr_config *c, const struct orr_yaml *node,
                          const char *path, struct orr_gate *g,
                          struct orr_report *why)
{
    struct drift_keys k = {0};
    const struct orr_param_set set = {orr__drift_params, &k};
    const struct orr_yaml *map = orr__yaml_is_map(node) ? node : NULL;
    if (node && !map) {
        const char *text = orr__yaml_text(c, node);
        g->threshold_ps = ORR_NEVER;
        if (text && strcmp(text, "none") == 0)
            return ORR_OK;
        return orr__yaml_fail(c, node, why,
                              "gate.drift: a map is expected, or `none`");
    }
    if (!map && g->first_only) {
        g->threshold_ps = ORR_NEVER;
        return ORR_OK;
    }
    orr_err err =
        orr__param_read(c, map, map ? "gate.drift" : path, &set, 1, why);
    if (!err)
        err = read_threshold(c, orr__yaml_get(map, "threshold"), k.threshold, g,
                             why);
    return err ? err : read_most(c, orr__yaml_get(map, "most"), k.most, g, why);
}

bool orr__gate_same_times(const struct orr_gate *a, const struct orr_gate *b)
{
    uint32_t n = orr__gate_times(a);
    bool same = a->period_ps == b->period_ps && a->offset_ps == b->offset_ps
                && n == orr__gate_times(b);
    for (uint32_t i = 1; same && i < n; i++)
        same = a->time_ps[i] == b->time_ps[i];
    return same;
}

void orr__gate_times_json(struct orr_json *j, uint32_t n, const int64_t *at)
{
    if (n <= 1)
        return;
    orr__json_list(j, "times_ns");
    for (uint32_t i = 0; i < n; i++)
        orr__json_time(j, NULL, at[i]);
    orr__json_end(j);
}

/* The list `times`, after all else is known. */
static orr_err read_times(struct orr_config *c, const struct orr_yaml *list,
                          struct orr_gate *g, struct orr_report *why)
{
    size_t n = orr__yaml_count(list);
    if (!list)
        return ORR_OK;
    if (!orr__yaml_is_list(list) || !n || n > ORR_MOST_TIMES)
        return orr__yaml_fail(c, list, why,
                              "gate.times: a list of 1 to %d times is expected",
                              ORR_MOST_TIMES);
    if (g->first_only)
        return orr__yaml_fail(c, list, why,
                              "gate.times: they are for every iteration, and "
                              "`every: first` holds one");
    for (size_t i = 0; i < n; i++) {
        const struct orr_yaml *at = orr__yaml_item(list, i);
        const char *text = orr__yaml_text(c, at);
        int64_t least = i ? g->time_ps[i - 1] + 1 : 0;
        if (!text || orr__parse_time(text, &g->time_ps[i])
            || g->time_ps[i] < least || (!i && g->time_ps[i])
            || g->time_ps[i] >= g->period_ps)
            return orr__yaml_fail(c, at, why,
                                  "gate.times: they begin with 0s, grow, and "
                                  "are within the period");
    }
    g->times = (uint32_t)n;
    return ORR_OK;
}

orr_err orr__gate_read(struct orr_config *c, const struct orr_yaml *node,
                       const char *drift_path,
                       const struct orr_job_facts *facts, struct orr_gate *out,
                       struct orr_report *why)
{
    struct gate_keys k = {0};
    const struct orr_param_set set = {orr__gate_params, &k, facts};
    *out = (struct orr_gate){.threshold_ps = ORR_NEVER};
    if (!node || orr__yaml_is_null(node))
        return ORR_OK;
    orr_err err = orr__param_read(c, node, "gate", &set, 1, why);
    if (err)
        return err;
    if (k.offset >= k.period)
        return orr__yaml_fail(c, orr__yaml_get(node, "offset"), why,
                              "gate.offset: it is a time within the period, "
                              "and this is not before the end of that");
    out->period_ps = k.period;
    out->offset_ps = k.offset;
    out->first_only = k.every == EVERY_FIRST;
    err = read_times(c, k.times, out, why);
    return err ? err : read_drift(c, k.drift, drift_path, out, why);
}
