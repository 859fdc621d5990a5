/* Chakra traces become programs: which file is whose, what ranks share, and
 * whether it all fits together. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "core/array.h"
#include "core/assert.h"
#include "core/json_read.h"
#include "core/units.h"
#include "formats/chakra/build.h"
#include "workload/program/longest.h"

/* ---- keys --------------------------------------------------------------- */

/* The keys of `trace` with this format. */
struct keys {
    const char *path, *groups, *algorithm;
    bool replicate;
    int control;
    int64_t chunks, concurrent, delay;
    struct orr_ints servers;
    double tflops;
    uint64_t memory, tensor;
};

#define KEY(k, field, t, ...)                                                  \
    {                                                                          \
        .key = k, .type = ORR_PARAM_##t,                                       \
        .offset = offsetof(struct keys, field), __VA_ARGS__                    \
    }
static const struct orr_param params[] = {
    KEY("path", path, TEXT,
        .help =
            "file names without .0.et, .1.et, ...; or one file for all ranks"),
    KEY("replicate", replicate, BOOL, .fallback = "false",
        .help = "ranks beyond the files repeat them"),
    KEY("control", control, CHOICE, .fallback = "auto",
        .choices = (const char *const[]){"auto", "counts", "ignored", NULL},
        .help = "control dependencies; auto: they count, except in traces of "
                "PyTorch, where they are calls"),
    KEY("groups", groups, TEXT, .fallback = "",
        .help = "communicator groups, JSON: {\"1\": [0, 1], ...}"),
    KEY("algorithm", algorithm, TEXT, .fallback = "",
        .help = "of the collectives; default: the first of each kind"),
    KEY("servers", servers, INTS, .fallback = "",
        .help = "hosts that serve `algorithm: parameter-server`; default: "
                "the topology's"),
    KEY("chunks", chunks, INT, .fallback = "1", .min = "1", .max = "16384",
        .help = "parts of each collective"),
    KEY("concurrent", concurrent, INT, .fallback = "1", .min = "1",
        .max = "16384", .help = "chunks in flight"),
    KEY("endpoint_delay", delay, TIME, .fallback = "0s",
        .help = "when a chunk starts and after each received step"),
    KEY("memory", memory, RATE, .fallback = "0bps",
        .help = "each reducing step costs three passes over its bytes at this "
                "rate; 0: no cost"),
    KEY("peak_tflops", tflops, REAL, .fallback = "0", .min = "0", .max = "1e9",
        .help = "of an accelerator: computations then last as long as "
                "num_ops and tensor_size need; 0: as recorded"),
    KEY("tensor_rate", tensor, RATE, .fallback = "0bps",
        .help = "of the accelerator's memory, beside peak_tflops and for "
                "memory nodes without a duration"),
    ORR_PARAM_END,
};

/* ---- files -------------------------------------------------------------- */

static bool readable(const char *path)
{
    return access(path, R_OK) == 0;
}

static char *rank_file(const char *path, uint32_t rank)
{
    return orr__format("%s.%u.et", path, rank);
}

bool orr__chakra_is(const char *path)
{
    size_t n = strlen(path);
    if (n > 3 && !strcmp(path + n - 3, ".et"))
        return true;
    char *first = rank_file(path, 0);
    bool is = first && readable(first);
    orr__free(first);
    return is;
}

/* So that equal files are read once. */
static orr_err hash_file(const char *file, uint64_t hash[2],
                         struct orr_report *why)
{
    char *text = NULL;
    size_t length = 0;
    orr_err err = orr__trace_slurp(file, &text, &length, why);
    if (!err) {
        XXH128_hash_t h = XXH3_128bits(text, length);
        hash[0] = h.low64;
        hash[1] = h.high64;
    }
    orr__free(text);
    return err;
}

/* One file becomes a part of the program; its errors name the file. */
static orr_err load_part(struct orr_chakra_build *b, uint32_t rank, char *file)
{
    struct orr_chakra c;
    b->c = &c;
    b->rank = rank;
    orr_err err = orr__chakra_load(
        file, (enum orr_chakra_control)b->how->control, &c, b->why);
    if (!err)
        err = orr__program_part(b->p, &b->part[b->parts - 1].id, b->why);
    if (!err)
        err = orr__chakra_add_part(b);
    if (!err) {
        b->info->missing_control += c.missing_control;
        b->info->ignored_control += c.ignored_control;
    }
    orr__chakra_fini(&c);
    b->c = NULL;
    return err;
}

/* Ranks whose files are the same to the byte share a part. */
static orr_err rank_part(struct orr_chakra_build *b, uint32_t rank, char *file,
                         uint32_t *part)
{
    uint64_t hash[2];
    orr_err err = hash_file(file, hash, b->why);
    for (uint32_t i = 0; !err && i < b->parts; i++)
        if (b->files == b->job->ranks && !b->part[i].messages
            && !memcmp(hash, b->part[i].hash, 16)) {
            *part = b->part[i].id;
            orr__free(file);
            return ORR_OK;
        }
    if (!err && !orr__array_one_more(b->part, b->parts))
        err = orr__no_memory(b->why);
    if (err) {
        orr__free(file);
        return err;
    }
    b->part[b->parts++] =
        (struct orr_chakra_part){.hash = {hash[0], hash[1]}, .file = file};
    err = load_part(b, rank, file);
    *part = b->part[b->parts - 1].id;
    return err;
}

/* ---- groups ------------------------------------------------------------- */

/* A process group by name; its ranks must be there, and once each. */
static orr_err one_group(struct orr_chakra_build *b,
                         const struct orr_json_text *from, const char *name,
                         const json_t *list)
{
    size_t n = json_array_size(list);
    int64_t *rank = orr__alloc(n, sizeof *rank);
    char *copy = orr__arena_strdup(&b->arena, name);
    orr_err err = rank && copy ? ORR_OK : orr__no_memory(b->why);
    size_t misfit = n;
    for (size_t i = 0; !err && i < n; i++) {
        const json_t *v = json_array_get(list, i);
        if (!json_is_integer(v))
            err = orr__json_fail(from, name, b->why,
                                 "group \"%s\": ranks are whole numbers", name);
        rank[i] = json_integer_value(v);
    }
    if (!err)
        err = orr__program_fits(b->p, rank, n, &misfit, b->why);
    if (!err && misfit < n) {
        char text[ORR_MISFIT];
        orr__program_misfit(b->p, rank[misfit], text);
        err =
            orr__json_fail(from, name, b->why, "group \"%s\": %s", name, text);
    }
    if (!err && n)
        err = orr__program_group(b->p, rank, n, &b->group[b->groups].group,
                                 b->why);
    if (!err && n)
        b->group[b->groups++].name = copy;
    orr__free(rank);
    return err;
}

/* The file of groups, JSON: names to lists of ranks. */
static orr_err read_groups(struct orr_chakra_build *b)
{
    char *path = orr__trace_path(b->job, b->how->groups), *text = NULL;
    size_t length;
    const char *name;
    json_t *list, *root = NULL;
    orr_err err = path ? orr__trace_slurp(path, &text, &length, b->why)
                       : orr__no_memory(b->why);
    const struct orr_json_text from = {path, text, length};
    if (!err)
        err = orr__json_read(&from, JSON_REJECT_DUPLICATES, JSON_OBJECT,
                             "a map of groups is expected", &root, b->why);
    if (!err) {
        b->group = orr__alloc(json_object_size(root), sizeof *b->group);
        if (!b->group)
            err = orr__no_memory(b->why);
        json_object_foreach(root, name, list)
        {
            if (!err)
                err = one_group(b, &from, name, list);
        }
    }
    json_decref(root);
    orr__free(text);
    orr__free(path);
    return err;
}

/* Hosts for the algorithm parameter-server: those named, or the topology's. */
static orr_err read_servers(struct orr_chakra_build *b)
{
    const struct orr_ints *list = &b->how->servers;
    const struct orr_graph *g = b->job->graph;
    uint32_t n = list->n ? (uint32_t)list->n : g ? g->n_servers : 0;
    b->server = orr__alloc(n, sizeof *b->server);
    if (!b->server)
        return orr__no_memory(b->why);
    for (uint32_t i = 0; i < n; i++) {
        int64_t host = list->n ? list->v[i] : g->servers[i];
        bool bad = host < 0 || !g || host >= g->hosts;
        for (uint32_t k = 0; !bad && k < i; k++)
            bad = b->server[k] == host;
        if (bad)
            return orr__yaml_fail(b->job->config, b->job->node, b->why,
                                  "trace: servers: host %lld is listed twice "
                                  "or not in the network",
                                  (long long)host);
        b->server[i] = (uint32_t)host;
    }
    b->servers = n;
    return ORR_OK;
}

/* ---- the whole ---------------------------------------------------------- */

/* How many files there are; *one: the path is one file for all. */
static orr_err count_files(struct orr_chakra_build *b, bool *one)
{
    const char *path = b->how->path;
    size_t n = strlen(path);
    uint32_t files = 0;
    *one = n > 3 && !strcmp(path + n - 3, ".et") && readable(path);
    for (; !*one && files < b->job->ranks; files++) {
        char *file = rank_file(path, files);
        if (!file)
            return orr__no_memory(b->why);
        bool there = readable(file);
        orr__free(file);
        if (!there)
            break;
    }
    b->files = *one ? 1 : files;
    b->info->files = b->files;
    if (b->files == b->job->ranks || *one || (b->files && b->how->replicate))
        return ORR_OK;
    orr_err err =
        orr__yaml_fail(b->job->config, b->job->node, b->why,
                       "trace: %s.%u.et is missing, but the job has %u ranks",
                       path, files, b->job->ranks);
    if (files && !b->how->system)
        orr__hint(b->why,
                  "`replicate: true` lets the other ranks repeat "
                  "the %u files that there are",
                  files);
    return err;
}

static void count_nodes(struct orr_chakra_build *b,
                        const struct orr_chakra_part *p)
{
    for (int i = 0; i < ORR_CHAKRA_TYPES; i++) {
        b->info->by_type[i] += p->by_type[i];
        b->info->nodes += p->by_type[i];
    }
}

/* Each file for the ranks that it repeats over; equal files are one part. */
static orr_err all_ranks(struct orr_chakra_build *b)
{
    bool one;
    orr_err err = count_files(b, &one);
    uint32_t ranks = b->job->ranks;
    if (!err && !one && b->files && ranks % b->files)
        return orr__yaml_fail(b->job->config, b->job->node, b->why,
                              "trace: %u files do not repeat evenly over %u "
                              "ranks",
                              b->files, ranks);
    for (uint32_t r = 0; !err && r < b->files; r++) {
        uint32_t part;
        char *file =
            one ? orr__strdup(b->how->path) : rank_file(b->how->path, r);
        err = file ? rank_part(b, r, file, &part) : orr__no_memory(b->why);
        for (uint32_t k = r; !err && k < ranks; k += b->files) {
            /* parts have the same numbers here and in the program */
            ORR_ASSERT(b->part[part].id == part);
            count_nodes(b, &b->part[part]);
            if (b->info->sys)
                b->info->sys[k].compute_ps = b->part[part].compute_ps;
            err = orr__program_assign(b->p, k, part, b->why);
        }
    }
    return err;
}

static orr_err check_build(struct orr_chakra_build *b)
{
    const char **file = orr__alloc(b->parts, sizeof *file);
    if (!file)
        return orr__no_memory(b->why);
    for (uint32_t i = 0; i < b->parts; i++)
        file[b->part[i].id] = b->part[i].file;
    orr_err err = orr__trace_check(b->p, file, b->why);
    orr__free(file);
    return err;
}

/* What nodes take follows from the system, too, not from the file alone. */
static orr_err note_longest(struct orr_chakra_build *b)
{
    struct orr_longest x;
    orr_err err = orr__program_longest(b->p, 0, &x, b->why);
    b->info->critical_ps = x.ps;
    b->info->critical_nodes = x.operations;
    return err;
}

orr_err orr__chakra_read(const struct orr_trace_job *job,
                         const struct orr_chakra_how *how,
                         struct orr_program **out, struct orr_trace_info *info,
                         struct orr_report *why)
{
    const struct orr_astra_system none = {.active = 1, .splits = 1};
    struct orr_astra_grid grid;
    struct orr_chakra_build b = {
        .job = job, .how = how, .info = info, .why = why};
    b.p = *out = orr__program_new(job->ranks);
    info->ranks = job->ranks;
    if (how->system)
        info->sys = orr__arena_alloc(job->arena, job->ranks, sizeof *info->sys);
    orr_err err =
        b.p && (info->sys || !how->system) ? ORR_OK : orr__no_memory(why);
    if (!err)
        err = orr__grid_of_job(job, &how->logical_dims, &grid, why);
    if (!err)
        err = orr__expander_init(&b.x, b.p, how->system ? how->system : &none,
                                 &grid, how->queues ? how->queues : 1,
                                 ORR_CHAKRA_FIRST_QUEUE, why);
    if (!err)
        err = read_servers(&b);
    if (!err && how->groups)
        err = read_groups(&b);
    if (!err)
        err = all_ranks(&b);
    if (!err)
        err = orr__program_finish(b.p, why);
    if (!err)
        err = check_build(&b);
    if (!err)
        err = note_longest(&b);
    orr__expander_fini(&b.x);
    for (uint32_t i = 0; i < b.parts; i++)
        orr__free(b.part[i].file);
    orr__free(b.part);
    orr__free(b.shared);
    orr__table_fini(&b.by_key);
    orr__free(b.group);
    orr__free(b.seen);
    orr__free(b.server);
    orr__arena_fini(&b.arena);
    return err;
}

/* *out is the caller's also after an error. */
static orr_err read_chakra(const struct orr_trace_job *job, const void *keys,
                           struct orr_program **out,
                           struct orr_trace_info *info, struct orr_report *why)
{
    const struct keys *k = keys;
    char *path = orr__trace_path(job, k->path);
    if (!path)
        return orr__no_memory(why);
    const struct orr_chakra_how how = {
        .path = path,
        .groups = k->groups,
        .replicate = k->replicate,
        .control = k->control,
        .algorithm = k->algorithm,
        .servers = k->servers,
        .chunks = (uint32_t)k->chunks,
        .concurrent = (uint32_t)k->concurrent,
        .endpoint_ps = k->delay,
        .memory_bps = k->memory,
        .tflops = k->tflops,
        .tensor_bps = k->tensor,
    };
    orr_err err = orr__chakra_read(job, &how, out, info, why);
    orr__free(path);
    return err;
}

const struct orr_trace_format orr__trace_chakra = {
    .name = "chakra",
    .doc = "Chakra execution traces, one file for each rank or one for all",
    .params = params,
    .params_size = sizeof(struct keys),
    .read = read_chakra,
};
