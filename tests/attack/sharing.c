/* What jobs do about one another, and other structures of theirs. */
#include <string.h>

#include "core/units.h"
#include "tests/attack/draw.h"

static json_t *draw_overhead(struct draw *d, const char *where)
{
    return orr__draw_section(d, "message_overhead", 0.5);
}

static json_t *draw_local(struct draw *d, const char *where)
{
    return orr__draw_section(d, "local", 0.5);
}

static json_t *draw_stragglers(struct draw *d, const char *where)
{
    json_t *map = json_object();
    char rank[16];
    snprintf(rank, sizeof rank, "%u", orr__draw_below(d, d->ranks));
    json_object_set_new(map, rank, json_real(1 + orr__draw_below(d, 4) * 0.25));
    return map;
}

uint32_t orr__draw_divisor(struct draw *d, uint32_t n)
{
    uint32_t one = 1 + orr__draw_below(d, n);

    while (n % one)
        one--;
    return one;
}

/* Parts whose product is the ranks. */
static json_t *draw_stale(struct draw *d, const char *where)
{
    char text[16];

    if (orr__draw_chance(d, 0.3))
        return json_string("auto");
    snprintf(text, sizeof text, "%d", (int)orr__draw_below(d, 6));
    return json_string(text);
}

static json_t *draw_parallelism(struct draw *d, const char *where)
{
    static const char *const parts[] = {"tensor", "pipeline", "expert",
                                        "context"};
    json_t *map = orr__draw_section(d, "parallelism", 0.3);
    uint32_t left = d->ranks;

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        uint32_t one = orr__draw_divisor(d, left);

        if (!json_object_get(map, parts[i]))
            continue;
        left /= one;
        json_object_set_new(map, parts[i], json_integer(one));
    }
    if (json_object_get(map, "data"))
        json_object_set_new(map, "data", json_integer(left));
    return map;
}

static json_t *draw_spread(struct draw *d, const char *where)
{
    if (orr__draw_chance(d, 0.5))
        return json_string("0.1");
    return orr__draw_time(d, ORR_NS, 10 * ORR_US);
}

static json_t *draw_skew(struct draw *d, const char *where)
{
    json_t *map = orr__draw_section(d, "jitter", 0.9);

    json_object_set_new(map, "spread", orr__draw_time(d, ORR_NS, 10 * ORR_US));
    return map;
}

/* Others compare runs that start at other times. */
static json_t *draw_start(struct draw *d, const char *where)
{
    if (orr__draw_chance(d, 0.9))
        return orr__draw_time(d, ORR_NS, 10 * ORR_US);
    return orr__draw_section(d, "start", 0.9);
}

static json_t *draw_jitter(struct draw *d, const char *where)
{
    json_t *map = orr__draw_section(d, "jitter", 0.9);

    if (!json_object_get(map, "spread"))
        json_object_set_new(map, "spread",
                            orr__draw_value_of(d, "jitter", "spread"));
    return map;
}

/* ---- gates --------------------------------------------------------------- */

static json_t *draw_threshold(struct draw *d, const char *where)
{
    static const char *const texts[] = {"0%", "1%", "5%", "0.3", "99%"};

    return json_string(texts[orr__draw_below(d, 5)]);
}

static json_t *draw_most(struct draw *d, const char *where)
{
    static const char *const texts[] = {"2 per minute", "1 per 100us",
                                        "3 per second", "unlimited"};

    return json_string(texts[orr__draw_below(d, 4)]);
}

static json_t *draw_drift(struct draw *d, const char *where)
{
    if (orr__draw_chance(d, 0.3))
        return json_string("none");
    return orr__draw_section(d, "drift", 0.7);
}

/* Ascending from 0; the least period is 50 us. */
static json_t *draw_times(struct draw *d, const char *where)
{
    json_t *list = json_pack("[s]", "0s");

    for (uint32_t i = 0, n = 1 + orr__draw_below(d, 3); i < n; i++) {
        char text[16];
        snprintf(text, sizeof text, "%uus",
                 10 * (i + 1) + orr__draw_below(d, 10));
        json_array_append_new(list, json_string(text));
    }
    return list;
}

static json_t *draw_gate(struct draw *d, const char *where)
{
    json_t *map = orr__draw_section(d, "gate", 0.5);

    json_object_set_new(map, "period",
                        orr__draw_time(d, 50 * ORR_US, 500 * ORR_US));
    if (json_object_get(map, "offset"))
        json_object_set_new(map, "offset",
                            orr__draw_time(d, ORR_NS, 60 * ORR_US));
    if (json_object_get(map, "times"))
        json_object_del(map, "every"); /* `first` holds one iteration */
    return map;
}

/* ---- ways ---------------------------------------------------------------- */

/* A choice or an entropy: ways themselves are walked by flows. */
static json_t *draw_paths(struct draw *d, const char *where)
{
    json_t *list = json_array();

    if (orr__draw_chance(d, 0.3)) {
        json_decref(list);
        return json_pack("{s:i}", "entropy", orr__draw_below(d, 100));
    }
    for (uint32_t i = 0, n = 1 + orr__draw_below(d, 2); i < n; i++) {
        uint32_t from = orr__draw_below(d, d->ranks), apart = d->ranks - 1;
        /* from itself, or a second time, only where there is no other */
        uint32_t to = from + (apart > i ? 1 + i : 0);

        json_array_append_new(
            list, json_pack("{s:i,s:i,s:i}", "from", from, "to", to % d->ranks,
                            orr__draw_chance(d, 0.5) ? "choice" : "entropy",
                            orr__draw_below(d, 2)));
    }
    return list;
}

static json_t *draw_changes(struct draw *d, const char *where)
{
    json_t *list = json_array();

    for (uint32_t i = 1; i < 3; i++) {
        json_t *map = orr__draw_section(d, "change", 0.5);

        json_object_set_new(map, "iteration", json_integer(i));
        json_array_append_new(list, map);
    }
    return list;
}

static json_t *count_unshared(struct draw *d, const char *where)
{
    return NULL;
}

/* ---- schedules ----------------------------------------------------------- */

/* The first job has no other name. */
static json_t *draw_weights(struct draw *d, const char *where)
{
    return json_pack("{s:f}", "job0", 0.5 + orr__draw_below(d, 4));
}

static json_t *draw_timers(struct draw *d, const char *where)
{
    return json_pack("{s:o}", "job0", orr__draw_time(d, ORR_US, 400 * ORR_US));
}

static json_t *draw_order(struct draw *d, const char *where)
{
    return json_pack("[s]", "job0");
}

/* Profiles: most without links, some with one that may be none of the
 * topology's. */
static json_t *draw_phases(struct draw *d, const char *where)
{
    return json_pack("[o]", orr__draw_section(d, "phase", 0));
}

static json_t *draw_node(struct draw *d, const char *where)
{
    char id[16];
    snprintf(id, sizeof id, "%u", orr__draw_below(d, 12));
    return json_string(id);
}

static json_t *draw_demands(struct draw *d, const char *where)
{
    if (orr__draw_chance(d, 0.8))
        return json_array();
    return json_pack("[o]", orr__draw_section(d, "demand", 0.2));
}

static json_t *draw_owner(struct draw *d, const char *where)
{
    return json_string("job0");
}

static json_t *draw_profiles(struct draw *d, const char *where)
{
    if (orr__draw_chance(d, 0.5))
        return json_object();
    return json_pack("{s:o}", "job0", orr__draw_section(d, "profile", 0.3));
}

/* A placement of a cluster makes them. */
static json_t *draw_candidates(struct draw *d, const char *where)
{
    json_t *by = orr__draw_member(d, "cluster-placements", "kind", NULL, 0.2);

    return json_pack("{s:o, s:i}", "generate", by, "count",
                     1 + (int)orr__draw_below(d, 3));
}

static json_t *draw_schedule(struct draw *d, const char *where)
{
    return orr__draw_member(d, "schedules", "kind", NULL, 0.5);
}

/* A control of congestion that has something to scale. */
static json_t *draw_control(struct draw *d)
{
    const char *name;

    do
        name = orr__draw_name(d, "cc", NULL);
    while (!strcmp(name, "none"));
    return orr__draw_member(d, "cc", "kind", name, 0.1);
}

void orr__draw_schedule(struct draw *d, json_t *config)
{
    json_t *s = draw_schedule(d, "configuration"), *job;
    json_t *network = json_object_get(config, "network");
    const char *kind = json_string_value(json_object_get(s, "kind"));
    const char *by = json_string_value(json_object_get(s, "by"));
    size_t i;

    json_object_set_new(config, "schedule", s);
    if (!strcmp(kind, "ideal")) /* flows belong to no job */
        json_object_del(config, "flows");
    if (by && !strcmp(by, "order") && !json_object_get(s, "order"))
        json_object_set_new(s, "order", draw_order(d, "schedules"));
    if (strcmp(kind, "mltcp") && strcmp(kind, "weights"))
        return;
    json_object_set_new(network, "cc", draw_control(d));
    json_object_del(network, "preset");
    json_object_del(network, "as");
    json_object_del(network, "transport");
    json_array_foreach(json_object_get(config, "jobs"), i, job)
        json_object_del(job, "cc");
}

/* A kind that adds; where, its keys say, or all switches do. */
static json_t *draw_adders(struct draw *d, const char *where)
{
    return orr__draw_member(d, "in-network", "kind", NULL, 0.3);
}

static json_t *draw_level(struct draw *d, const char *where)
{
    static const char *const levels[] = {"all", "top", "bottom"};

    return json_string(levels[orr__draw_below(d, 3)]);
}

const struct orr_shape orr__draw_sharing[] = {
    {"network", "in_network", draw_adders},
    {"servers", "in_network", draw_adders},
    {"in-network", "at", draw_level},
    {"configuration", "schedule", draw_schedule},
    {"schedules", "weights", draw_weights},
    {"schedules", "timers", draw_timers},
    {"schedules", "order", draw_order},
    {"schedules", "profiles", draw_profiles},
    {"schedules", "candidates", draw_candidates},
    {"candidates", NULL, count_unshared}, /* draw_candidates */
    {"plans", NULL, count_unshared},      /* questions, which a run ignores */
    {"profile", "job", draw_owner},
    {"profile", "links", draw_demands},
    {"demand", "from", draw_node},
    {"demand", "to", draw_node},
    {"demand", "phases", draw_phases},
    {"stage", "paths", draw_paths},
    {"stage", "changes", draw_changes},
    {"change", "paths", draw_paths},
    {"path", "path", count_unshared},
    {"path", "links", count_unshared},
    {"job", "gate", draw_gate},
    {"gate", "drift", draw_drift},
    {"gate", "times", draw_times},
    {"drift", "threshold", draw_threshold},
    {"drift", "most", draw_most},
    {"job", "stragglers", draw_stragglers},
    {"job", "message_overhead", draw_overhead},
    {"job", "local", draw_local},
    {"job", "jitter", draw_jitter},
    {"job", "start", draw_start},
    {"message_overhead", "jitter", draw_jitter},
    {"start", "skew", draw_skew},
    {"compute", "jitter", draw_jitter},
    {"jitter", "spread", draw_spread},
    {"models", "parallelism", draw_parallelism},
    {"models", "stale_layers", draw_stale},
    {NULL, NULL, NULL},
};
