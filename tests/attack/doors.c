#include "tests/attack/doors.h"
#include "tests/attack/calls.h"
#include "tests/attack/keys.h"
#include "tests/attack/relations.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "core/memory.h"
#include "formats/convert.h"
#include "tests/attack/draw.h"

#define SAMPLES "tests/attack/samples/"

char *orr__slurp(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    long n;

    if (!f)
        return NULL;
    if (fseek(f, 0, SEEK_END) == 0 && (n = ftell(f)) >= 0) {
        rewind(f);
        text = malloc((size_t)n + 1);
        *size = text ? fread(text, 1, (size_t)n, f) : 0;
        if (text)
            text[*size] = '\0';
    }
    fclose(f);
    return text;
}

static void write_file(const char *path, const struct attack_case *c)
{
    FILE *f = fopen(path, "wb");

    if (!f || fwrite(c->bytes, 1, c->size, f) != c->size || fclose(f)) {
        perror(path);
        exit(2);
    }
}

/* ---- a file that a configuration names ----------------------------------- */

/* What stands around a file of this door: %s is where the file is. */
static const struct around {
    const char *door, *text;
} around[] = {
    {"cdf", "topology: {kind: switch, hosts: 3, link: {rate: 10Gbps, delay: "
            "1us}}\nflows: [{generate: poisson, load: 0.5, count: 5, size: "
            "{cdf: %s}}]\nstop: 100us\n"},
    {"model", "topology: {kind: switch, hosts: 4, link: {rate: 100Gbps, "
              "delay: 1us}}\nnetwork: {mtu: 64KiB}\njobs: [{ranks: 4, model: "
              "%s}]\nstop: 300us\n"},
    {"topology-csv", "topology: {kind: file, format: csv, file: %1$s, "
                     "vertices: host, link: {rate: 10Gbps, delay: 1us}}\n"
                     "flows: [{src: 0, dst: 1, size: 5KB}]\nstop: 1ms\n"},
    {"topology-", "topology: {kind: file, format: %2$s, file: %1$s}\nflows: "
                  "[{src: 0, dst: 1, size: 5KB}]\nstop: 1ms\n"},
    {"flows-", "topology: {kind: switch, hosts: 4, link: {rate: 10Gbps, "
               "delay: 1us}}\nflows: [{format: %2$s, file: %1$s}]\nstop: "
               "1ms\n"},
};

static void try_around(const struct attack_case *c, const struct limits *l,
                       const char *folder, struct tally *t, struct finding *f)
{
    char path[256], text[1024];

    snprintf(path, sizeof path, "%s/file.%d", folder, (int)getpid());
    write_file(path, c);
    for (size_t i = 0; i < sizeof around / sizeof *around; i++) {
        size_t n = strlen(around[i].door);

        if (strncmp(c->door, around[i].door, n))
            continue;
        snprintf(text, sizeof text, around[i].text, path, c->door + n);
        orr__trial(text, l, folder, t, f);
        break;
    }
    (void)unlink(path);
}

static void copy_file(const char *from, const char *to)
{
    struct attack_case c = {.bytes = orr__slurp(from, &c.size)};

    if (c.bytes)
        write_file(to, &c);
    free(c.bytes);
}

/* "jobs-FORMAT", or "jobs-lingjun-PART" of three: arrivals of a cluster. */
static void try_jobs(const struct attack_case *c, const struct limits *l,
                     const char *folder, struct tally *t, struct finding *f)
{
    static const char *const parts[] = {"job", "worker", "topo"};
    char format[32] = "", part[32] = "job", path[256], from[256], text[1024];

    (void)sscanf(c->door, "jobs-%31[^-]-%31s", format, part);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        snprintf(path, sizeof path, "%s/%s.csv", folder, parts[i]);
        snprintf(from, sizeof from, SAMPLES "jobs/lingjun/%s.csv", parts[i]);
        if (strcmp(part, parts[i]))
            copy_file(from, path);
        else
            write_file(path, c);
    }
    snprintf(text, sizeof text,
             "topology: {kind: switch, hosts: 4, link: {rate: 100Gbps, delay: "
             "1us}}\ncluster:\n  accuracy: fluid\n  jobs: [{name: t0, gpus: 2, "
             "iterations: 3, program: [{compute: 10us}, {all-reduce: {size: "
             "10KB}}]}]\n  arrivals: {trace: {file: %s/job.csv, format: %s, "
             "larger: leave-out, applications: {\"*\": t0}}}\n",
             folder, format);
    orr__tenants(text, l, t, f);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        snprintf(path, sizeof path, "%s/%s.csv", folder, parts[i]);
        (void)unlink(path);
    }
}

/* "trace-FORMAT-KEY": the sample, with the file of that key replaced. */
static void try_trace(const struct attack_case *c, const struct limits *l,
                      const char *folder, struct tally *t, struct finding *f)
{
    char format[32] = "", key[32] = "", path[256], *yaml;
    json_t *where, *sample, *config;

    if (sscanf(c->door, "trace-%31[^-]-%31s", format, key) != 2)
        return;
    where = orr__draw_sample("traces", format);
    sample = where ? json_load_file(json_string_value(where), 0, NULL) : NULL;
    json_decref(where);
    if (!sample)
        return;
    snprintf(path, sizeof path, "%s/file.%d", folder, (int)getpid());
    write_file(path, c);
    json_object_set_new(json_object_get(sample, "trace"), key,
                        json_string(path));
    config =
        json_pack("{s:{s:s,s:O,s:{s:s,s:s}},s:{s:s},s:[o],s:s}", "topology",
                  "kind", "switch", "hosts", json_object_get(sample, "ranks"),
                  "link", "rate", "100Gbps", "delay", "1us", "network", "mtu",
                  "64KiB", "jobs", sample, "stop", "1ms");
    yaml = orr__yaml_of(config);
    orr__trial(yaml, l, folder, t, f);
    free(yaml);
    json_decref(config);
    (void)unlink(path);
}

/* ---- conversion ---------------------------------------------------------- */

/* Puts the samples of a format into a folder, one of them replaced. */
static size_t lay_out(const char *format, const char *file,
                      const struct attack_case *c, const char *folder,
                      char **input, size_t room)
{
    char from[512];
    struct attack_case sample = {0};
    struct dirent *e;
    size_t n = 0;
    DIR *dir;

    snprintf(from, sizeof from, SAMPLES "convert/%s", format);
    dir = opendir(from);
    while (dir && n < room && (e = readdir(dir))) {
        if (e->d_name[0] == '.')
            continue;
        snprintf(from, sizeof from, SAMPLES "convert/%s/%s", format, e->d_name);
        input[n] = orr__format("%s/%s", folder, e->d_name);
        sample.bytes = orr__slurp(from, &sample.size);
        write_file(input[n++], strcmp(e->d_name, file) ? &sample : c);
        free(sample.bytes);
    }
    if (dir)
        closedir(dir);
    return n;
}

/* "convert-FORMAT-FILE"; a format may have a dash in its name. */
static bool read_door(const char *door, char format[32], char file[64])
{
    static const char begin[] = "convert-";
    const char *rest = door + sizeof begin - 1;
    if (strncmp(door, begin, sizeof begin - 1) != 0)
        return false;
    for (size_t i = 0; orr__converters()[i]; i++) {
        const char *name = orr__converters()[i]->name;
        size_t n = strlen(name);
        if (strncmp(rest, name, n) != 0 || rest[n] != '-')
            continue;
        snprintf(format, 32, "%s", name);
        snprintf(file, 64, "%s", rest + n + 1);
        return true;
    }
    return false;
}

/* What comes out is a configuration. */
static void try_convert(const struct attack_case *c, const struct limits *l,
                        const char *folder, struct tally *t, struct finding *f)
{
    char format[32] = "", file[64] = "", *input[8] = {NULL}, *own, *yaml;
    struct orr_convert made = {.input = (const char *const *)input,
                               .folder = ""};
    struct orr_report why = {0};
    orr_err err = ORR_EINTERNAL;

    if (!read_door(c->door, format, file))
        return;
    own = orr__format("%s/convert.%d", folder, (int)getpid());
    (void)mkdir(own, 0700);
    made.inputs = lay_out(format, file, c, own, input, 8);
    for (size_t i = 0; orr__converters()[i]; i++)
        if (!strcmp(orr__converters()[i]->name, format))
            err = orr__converters()[i]->from(&made, &why);
    yaml = orr__text_done(&made.yaml);
    orr__free(orr__text_done(&made.notes));
    if (err)
        orr__hold_report(&why, true, f);
    else if (yaml)
        orr__trial(yaml, l, folder, t, f);
    orr__free(yaml);
    for (size_t i = 0; i < made.inputs; i++) {
        (void)unlink(input[i]);
        orr__free(input[i]);
    }
    (void)rmdir(own);
    orr__free(own);
}

/* ---- memory -------------------------------------------------------------- */

static void forget(const orr_experiment *x, const struct outcome *o, void *arg)
{
    orr__memory_fail_after(0, 0);
}

/* "# allocation N fails" or "# allocation N and all after it fail". */
static void try_starve(const struct attack_case *c, const struct limits *l,
                       const char *folder, struct tally *t, struct finding *f)
{
    struct variant v = {.name = "starved"};
    struct outcome fed, o;
    unsigned long long n = 0;
    char path[256];

    if (sscanf(c->bytes, "# allocation %llu", &n) != 1)
        return;
    snprintf(path, sizeof path, "%s/starved-%d.h5", folder, (int)getpid());
    v.records = n % 2 ? path : NULL;
    orr__trial_run(c->bytes, &v, l, &fed, NULL, NULL);
    (void)unlink(path);
    orr__memory_fail_after(n, strstr(c->bytes, "all after") != NULL);
    orr__trial_run(c->bytes, &v, l, &o, forget, NULL);
    orr__memory_fail_after(0, 0);
    t->cases++;
    t->starved += o.code == ORR_ENOMEM;
    if (o.code != fed.code && o.code != ORR_ENOMEM && !o.late && !fed.late)
        orr__found(f, "starved", "code %d instead of %d: %s", o.code, fed.code,
                   o.why.message);
    if (o.code == ORR_ENOMEM && o.code != fed.code
        && !strstr(o.why.message, "out of memory"))
        orr__found(f, "starved", "no memory, and says: %s", o.why.message);
    if (access(path, F_OK) == 0 && !orr__is_whole(path))
        orr__found(f, "starved", "a file is there and does not open");
    (void)unlink(path);
    orr__outcome_fini(&o);
    orr__outcome_fini(&fed);
}

void orr__door_try(const struct attack_case *c, const struct limits *limits,
                   const char *folder, struct tally *t, struct finding *f)
{
    struct limits own = *limits, *l = &own;

    own.records = XXH3_64bits(c->bytes, c->size) % 4 == 0;
    if (!strcmp(c->door, "yaml"))
        orr__trial(c->bytes, l, folder, t, f);
    else if (!strcmp(c->door, "starve"))
        try_starve(c, l, folder, t, f);
    else if (!strcmp(c->door, "calls"))
        orr__calls(c, t, f);
    else if (!strcmp(c->door, "relation"))
        orr__relation(c->bytes, l, t, f);
    else if (!strcmp(c->door, "keys"))
        orr__keys(c->bytes, l, t, f);
    else if (!strcmp(c->door, "cluster"))
        orr__tenants(c->bytes, l, t, f);
    else if (!strncmp(c->door, "jobs-", 5))
        try_jobs(c, l, folder, t, f);
    else if (!strncmp(c->door, "trace-", 6))
        try_trace(c, l, folder, t, f);
    else if (!strncmp(c->door, "convert-", 8))
        try_convert(c, l, folder, t, f);
    else
        try_around(c, l, folder, t, f);
}
