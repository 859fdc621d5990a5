/* The jobs of a configuration made to come while the network runs: the same run
 * as if they had been there from the beginning. And stopped under way: nothing
 * of them is left. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "cluster/shared_network.h"
#include "core/random.h"
#include "core/units.h"
#include "tests/attack/trial.h"

enum { MOST_JOBS = 32 };

struct lived {
    const char *text;
    const struct limits *l;
    struct finding *f;
    uint32_t jobs;
    char *job[MOST_JOBS];
    int64_t at[MOST_JOBS]; /* ps */
    bool came[MOST_JOBS], went[MOST_JOBS];
    bool early; /* all are known from the beginning */
    struct orr_shared_network *live;
};

static bool says(const json_t *config, const char *key)
{
    return json_object_get(config, key) != NULL;
}

/* Jobs may come to any host: routes lead everywhere, with an entry for each of
 * them at each node. What was estimated are those that the run needed. */
static bool fits(const struct outcome *o, const struct limits *l)
{
    const json_t *t = json_object_get(o->summary, "topology");
    double entries = json_number_value(json_object_get(t, "nodes"))
                     * json_number_value(json_object_get(t, "hosts"));

    return entries * sizeof(uint32_t) < (double)l->memory;
}

/* Does any job send on trees of switches, or serve requests? Those that come
 * later cannot. */
static bool cannot_join(const json_t *config)
{
    char *text = json_dumps(json_object_get(config, "jobs"), 0);
    bool found = text
                 && (strstr(text, "in-network") || strstr(text, "multicast")
                     || strstr(text, "\"serve\""));

    free(text);
    return found;
}

static bool is_known(const json_t *config, const struct limits *l,
                     const struct outcome *o)
{
    return !o->code && fits(o, l)
           && json_array_size(json_object_get(config, "jobs"))
           && json_array_size(json_object_get(config, "jobs")) <= MOST_JOBS
           && !says(config, "schedule") && !says(config, "repeat")
           && !json_object_get(json_object_get(config, "record"), "by_job")
           && !says(config, "stop") && !cannot_join(config)
           && !says(config, "skew");
}

static bool learn(struct lived *d, const json_t *jobs)
{
    const json_t *job;
    size_t i;

    d->jobs = (uint32_t)json_array_size(jobs);
    json_array_foreach((json_t *)jobs, i, job)
    {
        const json_t *from = json_object_get(job, "start");
        const char *start = json_string_value(
            json_is_object(from) ? json_object_get(from, "at") : from);

        d->job[i] = orr__yaml_of(job);
        if (!d->job[i] || (start && orr__parse_time(start, &d->at[i])))
            return false;
    }
    return true;
}

static bool told(struct lived *d, orr_err err, const struct orr_report *why,
                 const char *what)
{
    if (err != ORR_OK && err != ORR_EINTERRUPTED)
        orr__found(d->f, "lived", "%s: %s", what, why->message);
    return err == ORR_OK;
}

/* A network to which any job may come asks for more than a run whose jobs are
 * known: every host reaches all others, and PFC keeps memory for the classes
 * below the highest, too. */
static bool asks_for_more(const struct orr_report *why)
{
    return why->code == ORR_ECONFIG
           && (strstr(why->message, "every path leads through hosts")
               || !strncmp(why->message, "network.pfc:", 12));
}

static bool open_shared_network(struct lived *d, unsigned threads)
{
    const struct orr_options o = {
        .threads = threads,
        .interrupt = (const volatile int *)d->l->interrupt,
    };
    struct orr_report why = {0};
    orr_err err;

    memset(d->came, 0, sizeof d->came);
    memset(d->went, 0, sizeof d->went);
    err = orr__shared_network_open("attack.yaml", d->text, &o, MOST_JOBS,
                                   &d->live, &why);
    return !(err && asks_for_more(&why)) && told(d, err, &why, "open");
}

/* Those that are due by now; when the next one is. */
static bool come(struct lived *d, int64_t *next)
{
    int64_t now = orr__shared_network_now(d->live);

    *next = ORR_NEVER;
    for (uint32_t i = 0; i < d->jobs; i++) {
        struct orr_report why = {0};

        if (d->came[i])
            continue;
        if (!d->early && d->at[i] > now) {
            *next = d->at[i] < *next ? d->at[i] : *next;
            continue;
        }
        d->came[i] = true;
        if (!told(
                d,
                orr__shared_network_add(d->live, d->job[i], i, d->at[i], &why),
                &why, "add"))
            return false;
    }
    return true;
}

static bool go(struct lived *d, uint32_t i)
{
    struct orr_shared_network_figures figures;
    struct orr_report why = {0};

    d->went[i] = true;
    if (!told(d, orr__shared_network_close(d->live, i, &figures, &why), &why,
              "close"))
        return false;
    return told(d, orr__shared_network_tidy(d->live, &why), &why, "tidy");
}

static bool run(struct lived *d, int64_t until)
{
    struct orr_report why = {0};
    int64_t now;

    return told(d, orr__shared_network_run(d->live, until, &now, &why), &why,
                "run");
}

/* Until all is over; those that end go at once. */
static bool live_out(struct lived *d)
{
    uint32_t left = d->jobs;
    int64_t next;

    while (left > 0) {
        if (!come(d, &next) || !run(d, next))
            return false;
        for (uint32_t i = 0; i < d->jobs; i++)
            if (d->came[i] && !d->went[i]
                && orr__shared_network_ended(d->live, i)) {
                left--;
                if (!go(d, i))
                    return false;
            }
    }
    return run(d, ORR_NEVER);
}

static void compare(struct lived *d, const struct outcome *o)
{
    const char *was =
        json_string_value(json_object_get(o->summary, "fingerprint"));
    char is[17];

    snprintf(is, sizeof is, "%016llx",
             (unsigned long long)orr__shared_network_fingerprint(d->live));
    if (!was || strcmp(was, is) != 0)
        orr__found(d->f, "lived",
                   "jobs that come are a run of fingerprint %s, "
                   "not %s",
                   is, was ? was : "?");
}

/* At some moment of the run each job is stopped. What is under way ends by
 * itself: the run is audited when it does. */
static bool stop_all(struct lived *d, struct orr_random *r, int64_t end)
{
    int64_t next, at = 0;
    struct orr_net_totals t;

    for (uint32_t i = 0; i < d->jobs; i++) {
        at += 1 + (int64_t)orr__random_below(r, (uint64_t)end / d->jobs + 1);
        while (orr__shared_network_now(d->live) < at)
            if (!come(d, &next) || !run(d, next < at ? next : at))
                return false;
        if (d->came[i] && !d->went[i] && !go(d, i))
            return false;
        d->came[i] = d->went[i] = true; /* or it does not come any more */
    }
    if (!run(d, ORR_NEVER))
        return false;
    orr__shared_network_totals(d->live, &t);
    if (t.packets_sent != t.packets_delivered + t.packets_dropped)
        orr__found(d->f, "lived", "%llu packets are left of stopped jobs",
                   (unsigned long long)(t.packets_sent - t.packets_delivered
                                        - t.packets_dropped));
    return true;
}

static uint64_t stopped(struct lived *d, uint64_t seed, unsigned threads,
                        int64_t end)
{
    struct orr_random r;
    uint64_t fingerprint = 0;

    orr__random_init(&r, seed, 0, ORR_PURPOSE_TEST);
    if (open_shared_network(d, threads) && stop_all(d, &r, end))
        fingerprint = orr__shared_network_fingerprint(d->live);
    orr__shared_network_free(d->live);
    d->live = NULL;
    return fingerprint;
}

bool orr__lived(const char *text, const json_t *config, const struct limits *l,
                const struct outcome *o, struct finding *f)
{
    struct lived d = {.text = text, .l = l, .f = f};
    uint64_t seed = XXH3_64bits(text, strlen(text)), a, b;
    double ns = json_number_value(json_object_get(o->summary, "sim_time_ns"));
    bool known =
        is_known(config, l, o) && learn(&d, json_object_get(config, "jobs"));

    d.early = seed & 1;
    if (known) {
        known = open_shared_network(&d, 1 + seed % 3) && live_out(&d);
        if (known)
            compare(&d, o);
        orr__shared_network_free(d.live);
        d.live = NULL;
    }
    if (known && !f->kind[0] && ns >= 1 && ns < 1e12) {
        a = stopped(&d, seed, 1, (int64_t)(ns * 1e3));
        b = stopped(&d, seed, 2, (int64_t)(ns * 1e3));
        if (a && b && a != b)
            orr__found(f, "lived",
                       "stopped jobs leave another fingerprint "
                       "with two threads");
    }
    for (uint32_t i = 0; i < d.jobs; i++)
        free(d.job[i]);
    return known;
}
