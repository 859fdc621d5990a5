/* What messages cost the ranks of a job, and when ranks start. */
#include "workload/job/costs.h"

#include <stdio.h>

#include <xxhash.h>

#include "core/none.h"
#include "core/units.h"

/* The map `message_overhead`. */
struct overhead_keys {
    int64_t time;
    uint64_t rate;
    int on;
    const struct orr_yaml *jitter;
};
const struct orr_param orr__overhead_params[] = {
    {
        .key = "time",
        .type = ORR_PARAM_TIME,
        .offset = offsetof(struct overhead_keys, time),
        .help = "for each message that a rank sends",
    },
    {
        .key = "rate",
        .type = ORR_PARAM_RATE,
        .offset = offsetof(struct overhead_keys, rate),
        .fallback = "",
        .min = "1bps",
        .help = "plus its bytes at this rate, before they leave: copying, "
                "reducing, protocols; default: no cost",
    },
    {
        .key = "on",
        .type = ORR_PARAM_CHOICE,
        .offset = offsetof(struct overhead_keys, on),
        .fallback = "compute",
        .choices = (const char *const[]){"compute", "nic", "thread", NULL},
        .help =
            "what it occupies: the rank's compute stream 0, in turn; its NIC; "
            "or a thread on the same CPU, which delays the present computation",
    },
    {
        .key = "jitter",
        .type = ORR_PARAM_NODE,
        .offset = offsetof(struct overhead_keys, jitter),
        .fallback = "",
        .help = "variation of it from message to message: {kind, spread}",
    },
    ORR_PARAM_END,
};

const struct orr_param orr__local_params[] = {
    {
        .key = "rate",
        .type = ORR_PARAM_RATE,
        .offset = offsetof(struct orr_costs, local_bps),
        .fallback = "400GB/s",
        .min = "1bps",
        .help = "of a message between ranks of one host",
    },
    {
        .key = "delay",
        .type = ORR_PARAM_TIME,
        .offset = offsetof(struct orr_costs, local_delay_ps),
        .fallback = "100ns",
        .help = "added to it",
    },
    ORR_PARAM_END,
};

/* The map `start`. */
struct start_keys {
    int64_t at;
    const struct orr_yaml *skew;
};
const struct orr_param orr__start_params[] = {
    {
        .key = "at",
        .type = ORR_PARAM_TIME,
        .offset = offsetof(struct start_keys, at),
        .fallback = "0s",
        .help = "when the job starts",
    },
    {
        .key = "skew",
        .type = ORR_PARAM_NODE,
        .offset = offsetof(struct start_keys, skew),
        .fallback = "",
        .help = "how much later each of its ranks does: {kind, spread}, a "
                "draw that is not below 0; spread is a time",
    },
    ORR_PARAM_END,
};

orr_err orr__start_read(struct orr_config *c, const struct orr_yaml *node,
                        int64_t *at, struct orr_jitter *skew,
                        struct orr_report *why)
{
    const char *text = node ? orr__yaml_text(c, node) : NULL;
    struct start_keys k = {0};
    const struct orr_param_set set = {orr__start_params, &k, c};
    *at = 0;
    *skew = (struct orr_jitter){ORR_JITTER_NONE, 0, 0};
    if (!node)
        return ORR_OK;
    if (!orr__yaml_is_map(node)) {
        const char *wrong =
            text ? orr__parse_time(text, at) : "a time is expected";
        if (wrong)
            return orr__yaml_fail(c, node, why, "start: \"%s\": %s",
                                  text ? text : "?", wrong);
        return ORR_OK;
    }
    orr_err err = orr__param_read(c, node, "start", &set, 1, why);
    *at = k.at;
    if (err || !k.skew)
        return err;
    err = orr__jitter_read(c, k.skew, skew, why);
    if (!err && skew->share > 0)
        return orr__yaml_fail(c, orr__yaml_get(k.skew, "spread"), why,
                              "start.skew: spread is a time here, like 10us");
    return err;
}

int64_t orr__start_skew(const struct orr_jitter *skew, uint64_t seed,
                        uint32_t job, uint32_t rank)
{
    const uint64_t name[] = {job, rank, ORR_NONE};
    if (skew->kind == ORR_JITTER_NONE)
        return 0;
    return orr__jitter_draw(skew, 0, seed, XXH3_64bits(name, sizeof name));
}

orr_err orr__costs_read(struct orr_config *c, const struct orr_cost_nodes *n,
                        struct orr_costs *t, struct orr_report *why)
{
    char path[32]; /* where an absent `local` would stand */
    snprintf(path, sizeof path, "jobs[%u].local", n->job);
    struct overhead_keys o = {0};
    const struct orr_param_set overhead = {orr__overhead_params, &o};
    const struct orr_param_set local = {orr__local_params, t};
    orr_err err = orr__jitter_read(c, n->jitter, &t->jitter, why);
    if (!err && n->overhead)
        err = orr__param_read(c, n->overhead, "message_overhead", &overhead, 1,
                              why);
    if (!err)
        err = orr__jitter_read(c, o.jitter, &t->overhead_jitter, why);
    if (!err)
        err = orr__param_read(c, n->local, n->local ? "local" : path, &local, 1,
                              why);
    t->overhead_ps = o.time;
    t->overhead_bps = o.rate;
    t->overhead_on = o.on;
    return err;
}
