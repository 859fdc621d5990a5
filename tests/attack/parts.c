/* The parts of the attack: what is case n? */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "core/random.h"
#include "formats/convert.h"
#include "formats/jobs/jobs.h"
#include "tests/attack/calls.h"
#include "tests/attack/doors.h"
#include "tests/attack/draw.h"
#include "tests/attack/relations.h"

#define SAMPLES "tests/attack/samples/"

static bool set_case(struct attack_case *c, const char *door, char *bytes)
{
    snprintf(c->door, sizeof c->door, "%s", door);
    c->bytes = bytes;
    c->size = bytes ? strlen(bytes) : 0;
    return bytes != NULL;
}

/* Of so many configurations one stays as it was drawn, refused or not. */
enum { AS_DRAWN = 20 };

static char *drawn(uint64_t seed, uint64_t n)
{
    json_t *config = orr__draw(seed, n);
    char *yaml;

    if (n % AS_DRAWN)
        orr__mend(config);
    yaml = orr__yaml_of(config);
    json_decref(config);
    return yaml;
}

static bool make_run(uint64_t seed, uint64_t n, struct attack_case *c)
{
    return set_case(c, "yaml", drawn(seed, n));
}

/* Those of a network under much traffic, of what jobs do, and, as they take
 * long, of a cluster now and then. */
static bool make_keys(uint64_t seed, uint64_t n, struct attack_case *c)
{
    json_t *config;
    char *yaml;

    if (n % 75 == 2)
        return set_case(c, "keys", orr__draw_tenants(seed, n));
    config = orr__draw(seed, n);
    if (n % 10 != 1 || !json_object_get(config, "jobs"))
        orr__draw_busy(config);
    json_object_del(config, "stop"); /* what is behind it has no effect */
    orr__mend(config);
    yaml = orr__yaml_of(config);
    json_decref(config);
    return set_case(c, "keys", yaml);
}

static bool make_islands(uint64_t seed, uint64_t n, struct attack_case *c)
{
    return set_case(c, "yaml", orr__draw_islands(seed, n));
}

static bool make_cluster(uint64_t seed, uint64_t n, struct attack_case *c)
{
    return set_case(c, "cluster", orr__draw_tenants(seed, n));
}

static bool make_relation(uint64_t seed, uint64_t n, struct attack_case *c)
{
    return set_case(c, "relation", orr__draw_relation(seed, n));
}

static bool make_calls(uint64_t seed, uint64_t n, struct attack_case *c)
{
    snprintf(c->door, sizeof c->door, "calls");
    c->bytes = orr__draw_calls(seed, n, &c->size);
    return true;
}

static bool mutate(struct orr_random *r, struct attack_case *c)
{
    char *before = c->bytes;

    if (!before)
        return false;
    c->bytes = orr__mutate(r, before, c->size, &c->size);
    free(before);
    return true;
}

static bool make_text(uint64_t seed, uint64_t n, struct attack_case *c)
{
    struct orr_random r;

    orr__random_init(&r, seed, n, ORR_PURPOSE_SAMPLE);
    return make_run(seed, n, c) && mutate(&r, c);
}

static bool make_starve(uint64_t seed, uint64_t n, struct attack_case *c)
{
    char *yaml = n % 8 ? drawn(seed, n) : orr__draw_tenants(seed, n), *text;
    struct orr_random r;
    unsigned long long which;

    if (!yaml)
        return false;
    orr__random_init(&r, seed, n, ORR_PURPOSE_SAMPLE);
    which = 1 + orr__random_below(&r, UINT64_C(1) << (1 + n % 11));
    text = malloc(strlen(yaml) + 80);
    sprintf(text, "# allocation %llu %s\n%s", which,
            orr__random_below(&r, 2) ? "fails" : "and all after it fail", yaml);
    free(yaml);
    return set_case(c, "starve", text);
}

/* ---- foreign files ------------------------------------------------------- */

/* Doors and the sample that is changed there. */
struct list {
    struct door {
        char name[64], sample[512];
    } door[64];
    size_t count;
};

static void add(struct list *l, const char *sample, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void add(struct list *l, const char *sample, const char *format, ...)
{
    struct door *d = &l->door[l->count];
    va_list args;

    if (l->count == sizeof l->door / sizeof *l->door || !sample)
        return;
    va_start(args, format);
    vsnprintf(d->name, sizeof d->name, format, args);
    va_end(args);
    snprintf(d->sample, sizeof d->sample, "%s", sample);
    l->count++;
}

static void add_family(struct list *l, const char *family, const char *folder,
                       const char *door)
{
    const struct orr_family *f = orr__family_find(family);
    struct orr_family_entry m;

    for (size_t i = 0; f->member(i, &m); i++) {
        json_t *sample = orr__draw_sample(folder, m.name);

        add(l, json_string_value(sample), "%s-%s", door, m.name);
        json_decref(sample);
    }
}

/* Each file that a sample of a trace names. */
static void add_traces(struct list *l)
{
    const struct orr_family *f = orr__family_find("traces");
    struct orr_family_entry m;

    for (size_t i = 0; f->member(i, &m); i++) {
        json_t *path = orr__draw_sample("traces", m.name), *sample, *value;
        const char *key;

        sample = json_load_file(json_string_value(path), 0, NULL);
        json_object_foreach(json_object_get(sample, "trace"), key, value)
        {
            const char *file = json_string_value(value);

            if (file && !strcmp(key, "path"))
                file = SAMPLES "chakra/one.et";
            if (file && strchr(file, '/'))
                add(l, file, "trace-%s-%s", m.name, key);
        }
        json_decref(sample);
        json_decref(path);
    }
}

static void add_converters(struct list *l)
{
    for (size_t i = 0; orr__converters()[i]; i++) {
        const char *name = orr__converters()[i]->name;
        char path[1024];
        struct dirent *e;
        DIR *dir;

        snprintf(path, sizeof path, SAMPLES "convert/%s", name);
        dir = opendir(path);
        while (dir && (e = readdir(dir)))
            if (e->d_name[0] != '.') {
                snprintf(path, sizeof path, SAMPLES "convert/%s/%s", name,
                         e->d_name);
                add(l, path, "convert-%s-%s", name, e->d_name);
            }
        if (dir)
            closedir(dir);
    }
}

/* Lingjun's has three files. */
static void add_job_traces(struct list *l)
{
    static const char *const parts[] = {"job", "worker", "topo"};
    const struct orr_job_trace_format *const *all = orr__job_trace_formats();

    for (size_t i = 0; all[i]; i++) {
        json_t *sample = orr__draw_sample("jobs", all[i]->name);

        if (strcmp(all[i]->name, "lingjun"))
            add(l, json_string_value(sample), "jobs-%s", all[i]->name);
        json_decref(sample);
    }
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char path[128];

        snprintf(path, sizeof path, SAMPLES "jobs/lingjun/%s.csv", parts[i]);
        add(l, path, "jobs-lingjun-%s", parts[i]);
    }
}

static bool make_format(uint64_t seed, uint64_t n, struct attack_case *c)
{
    static struct list doors;
    struct orr_random r;
    const struct door *d;

    if (!doors.count) {
        add_family(&doors, "formats", "topology", "topology");
        add_family(&doors, "flow-formats", "flows", "flows");
        add_traces(&doors);
        add_converters(&doors);
        add_job_traces(&doors);
        add(&doors, SAMPLES "sizes/cdf.cdf", "cdf");
        add(&doors, SAMPLES "models/tiny.yaml", "model");
    }
    d = &doors.door[n % doors.count];
    orr__random_init(&r, seed, n, ORR_PURPOSE_SAMPLE);
    snprintf(c->door, sizeof c->door, "%s", d->name);
    c->bytes = orr__slurp(d->sample, &c->size);
    return mutate(&r, c);
}

const struct part orr__parts[] = {
    {"runs", "random configurations, in all ways that must not matter",
     make_run, 6},
    {"texts", "configurations with some bytes changed", make_text, 2},
    {"formats", "files of other programs with some bytes changed", make_format,
     2},
    {"starve", "allocations that fail", make_starve, 1},
    {"islands", "collectives on links of their own", make_islands, 1},
    {"clusters", "random clusters", make_cluster, 1},
    {"calls", "calls of the library to build programs on", make_calls, 1},
    {"keys", "keys that change nothing without being told of", make_keys, 1},
    {"relations", "two runs between which a relation holds exactly",
     make_relation, 1},
    {NULL, NULL, NULL, 0},
};
