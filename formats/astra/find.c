#include "formats/astra/find.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/array.h"
#include "core/config/config.h"
#include "core/json_read.h"
#include "core/memory.h"
#include "core/read.h"
#include "core/text.h"
#include "formats/astra/system.h"
#include "formats/astra/text.h"
#include "formats/chakra/chakra.h"
#include "formats/origin.h"
#include "formats/trace.h"

/* The first three must be there; a run has one of each of the first five. */
enum kind {
    NETWORK,
    SYSTEM,
    WORKLOAD,
    NEEDED,
    GROUPS = NEEDED,
    MEMORY,
    ROLES,
    CHAKRA = ROLES,
    OTHER,
};
static const char *const kind_names[] = {"network", "system", "workload",
                                         "communicator group", "remote memory"};

/* ---- what a file is ----------------------------------------------------- */

/* Whether a text's first word is a type of parallelism, so that it is a
 * workload. */
static bool starts_with_type(const char *text)
{
    char word[64];
    size_t n;
    text += strspn(text, " \t\r\n");
    n = strcspn(text, " \t\r\n");
    snprintf(word, sizeof word, "%.*s", (int)(n < 63 ? n : 63), text);
    for (int i = 0; i < ORR_ASTRA_TYPES; i++)
        if (!strcmp(orr__astra_type_name((enum orr_astra_type)i), word))
            return true;
    return false;
}

static bool ends_with(const char *text, const char *tail)
{
    size_t n = strlen(text), k = strlen(tail);
    return n >= k && !strcmp(text + n - k, tail);
}

/* {"1": [... */
static bool starts_with_group(const char *text)
{
    static const char *const after[] = {"{",  "\"", "0123456789",
                                        "\"", ":",  "["};
    for (size_t i = 0; i < sizeof after / sizeof *after; i++) {
        size_t n;
        if (i != 2 && i != 3) /* not within the name */
            text += strspn(text, " \t\r\n");
        n = strspn(text, after[i]);
        if (n == 0 || (n > 1 && i != 2))
            return false;
        text += n;
    }
    return true;
}

/* By the first 64 KiB. */
static enum kind kind_of(const char *path)
{
    static const char *const marks[][4] = {
        [NETWORK] = {"topologies-per-dim", "npus_count", "units-count", NULL},
        [SYSTEM] = {"preferred-dataset-splits", "all-reduce-implementation",
                    "endpoint-delay", NULL},
        [WORKLOAD] = {NULL},
        [GROUPS] = {NULL},
        [MEMORY] = {"\"memory-type\"", NULL},
    };
    char *text = NULL;
    size_t length;
    enum kind kind = OTHER;
    if (ends_with(path, ".et")) {
        kind = CHAKRA;
    } else if (orr__read_file(path, 65536,
                              ORR_READ_REGULAR | ORR_READ_BEGINNING, &text,
                              &length)
               == 0) {
        if (starts_with_type(text))
            kind = WORKLOAD;
        else if (starts_with_group(text))
            kind = GROUPS;
        for (int k = NETWORK; kind == OTHER && k < ROLES; k++)
            for (int i = 0; kind == OTHER && marks[k][i]; i++)
                if (strstr(text, marks[k][i]))
                    kind = (enum kind)k;
    }
    orr__free(text);
    return kind;
}

/* ---- finding ------------------------------------------------------------ */

/* The files found so far. */
struct search {
    struct orr_arena *arena;
    struct orr_astra_run *run;
    struct orr_report *why;
    const char *where;        /* folder, for messages */
    char several[ROLES][200]; /* names of those beyond the first */
};

/* Where the file of a kind stands in a run. */
static const char **role_of(struct orr_astra_run *run, int kind)
{
    const char **at[ROLES] = {&run->network, &run->system, &run->workload,
                              &run->groups, &run->memory};
    return at[kind];
}

/* PREFIX of a file PREFIX.N.et. */
static bool prefix_of(char *path)
{
    size_t n = strlen(path) - 3;
    while (n && path[n - 1] >= '0' && path[n - 1] <= '9')
        n--;
    if (n < 2 || path[n - 1] != '.' || path[n] == '.')
        return false;
    path[n - 1] = '\0';
    return true;
}

/* A file's role shows by its content; those beyond the first of a role are only
 * named. */
static orr_err take_file(struct search *s, const char *path)
{
    enum kind kind = kind_of(path);
    char *copy = orr__arena_strdup(s->arena, path);
    if (!copy)
        return orr__no_memory(s->why);
    if (kind == CHAKRA) {
        prefix_of(copy);
        kind = WORKLOAD;
    }
    if (kind >= ROLES)
        return ORR_OK;
    const char **at = role_of(s->run, (int)kind);
    if (*at && !strcmp(*at, copy))
        return ORR_OK;
    if (*at) {
        char *list = s->several[kind];
        size_t used = strlen(list), room = sizeof s->several[0] - used;
        const char *slash = strrchr(copy, '/');
        snprintf(list + used, room, ", %s", slash ? slash + 1 : copy);
        return ORR_OK;
    }
    *at = copy;
    return ORR_OK;
}

static int by_name(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;
    return strcmp(*x, *y);
}

/* Files of a folder in order; stem: only those called STEM.*, and whatever
 * else a workload is. */
static orr_err search_folder(struct search *s, const char *folder,
                             const char *stem)
{
    DIR *d = opendir(folder);
    struct dirent *entry;
    const char **name = NULL;
    size_t n = 0, room = 0, length = stem ? strlen(stem) : 0;
    orr_err err = ORR_OK;
    if (!d && errno == ENOMEM)
        return orr__no_memory(s->why);
    if (!d)
        return orr__fail_at(s->why, ORR_ECONFIG, folder, 0, 0, "%s",
                            strerror(errno));
    while (!err && (entry = readdir(d)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        if (!orr__array_more(name, room, n)) {
            err = orr__no_memory(s->why);
            break;
        }
        name[n] = orr__arena_strdup(s->arena, entry->d_name);
        if (!name[n++])
            err = orr__no_memory(s->why);
    }
    (void)closedir(d);
    if (n)
        qsort(name, n, sizeof *name, by_name);
    for (int pass = stem ? 0 : 1; !err && pass < 2; pass++)
        for (size_t i = 0; !err && i < n; i++) {
            bool same = stem && !strncmp(name[i], stem, length)
                        && name[i][length] == '.';
            char *path = orr__format("%s/%s", folder, name[i]);
            enum kind kind = path ? kind_of(path) : OTHER;
            bool work = kind == WORKLOAD || kind == CHAKRA;
            if (!path)
                err = orr__no_memory(s->why);
            else if (stem ? pass == 0 ? same : work && !s->run->workload : true)
                err = take_file(s, path);
            orr__free(path);
        }
    orr__free(name);
    return err;
}

/* Neither the path nor files that begin so. */
static orr_err not_there(const struct search *s)
{
    const char *slash = strrchr(s->where, '/');
    orr_err err = orr__fail_at(s->why, ORR_ECONFIG, s->where, 0, 0,
                               "there is no such file or folder");
    if (slash && !slash[1])
        return err;
    orr__hint(s->why,
              "a folder with ASTRA-sim's files, or the beginning of "
              "their names: there is no %s.* either",
              slash ? slash + 1 : s->where);
    return err;
}

/* A file, a folder, or what Chakra traces have before .RANK.et. */
static orr_err search_path(struct search *s, const char *path)
{
    struct stat st;
    s->where = path;
    if (stat(path, &st) == 0)
        return S_ISDIR(st.st_mode) ? search_folder(s, path, NULL)
                                   : take_file(s, path);
    if (orr__chakra_is(path)) {
        s->run->workload = path;
        return ORR_OK;
    }
    char *copy = orr__arena_strdup(s->arena, path);
    if (!copy)
        return orr__no_memory(s->why);
    char *slash = strrchr(copy, '/');
    if (slash)
        *slash = '\0';
    if (slash && stat(copy, &st) != 0)
        return not_there(s);
    return search_folder(s, slash ? copy : ".", slash ? slash + 1 : copy);
}

/* The role that no file has. */
static orr_err missing(struct search *s, enum kind kind)
{
    struct stat st;
    bool any = false;
    for (int k = 0; k < ROLES; k++)
        any |= *role_of(s->run, k) != NULL;
    if (!any && stat(s->where, &st) != 0)
        return not_there(s);
    return orr__fail_at(s->why, ORR_ECONFIG, s->where, 0, 0,
                        "there is no %s file of ASTRA-sim%s", kind_names[kind],
                        kind == WORKLOAD ? " (nor a Chakra trace)" : "");
}

orr_err orr__astra_find(const char *const *paths, size_t n,
                        struct orr_arena *arena, struct orr_astra_run *run,
                        struct orr_report *why)
{
    struct search s = {.arena = arena, .run = run, .why = why, .where = "."};
    struct orr_astra_run given = *run;
    orr_err err = ORR_OK;
    for (size_t i = 0; !err && i < n; i++)
        err = search_path(&s, paths[i]);
    for (int k = 0; !err && k < ROLES; k++) {
        const char **found = role_of(run, k), *given_path = *role_of(&given, k);
        if (given_path)
            *found = given_path;
        if (!*found && k < NEEDED)
            return missing(&s, (enum kind)k);
        if (!s.several[k][0] || given_path)
            continue;
        const char *slash = strrchr(*found, '/');
        err = orr__fail_at(why, ORR_ECONFIG, s.where, 0, 0,
                           "there are several %s files: %s%s", kind_names[k],
                           slash ? slash + 1 : *found, s.several[k]);
        orr__hint(why,
                  "name the files, or what those of one set begin with, "
                  "as in %s%s%.*s",
                  s.where, s.where[strlen(s.where) - 1] == '/' ? "" : "/",
                  (int)strcspn(slash ? slash + 1 : *found, "."),
                  slash ? slash + 1 : *found);
    }
    return err;
}

/* ---- the configuration -------------------------------------------------- */

/* What a network file says that the configuration depends on. */
struct network_facts {
    uint64_t npus;
    uint32_t dims;
    bool old;                                    /* of 1.0 */
    uint32_t n_logical, logical[ORR_ASTRA_DIMS]; /* 0: the network's are */
};

/* How many NPUs and dimensions, as far as they can be read; errors in it are
 * told by its reader later. */
static orr_err read_network_facts(const char *network,
                                  struct network_facts *out,
                                  struct orr_report *why)
{
    struct orr_config *c;
    orr_err err = orr__config_load(network, &c, why);
    if (err)
        return err;
    const struct orr_yaml *root = orr__config_root(c);
    const struct orr_yaml *n = orr__yaml_get(root, "units-count");
    const struct orr_yaml *t = orr__yaml_get(root, "topologies-per-dim");
    *out = (struct network_facts){.npus = 1, .old = t != NULL};
    if (!n)
        n = orr__yaml_get(root, "npus_count");
    if (!t)
        t = orr__yaml_get(root, "topology");
    for (size_t i = 0; n && i < orr__yaml_count(n); i++) {
        const char *text = orr__yaml_text(c, orr__yaml_item(n, i));
        long x = text ? strtol(text, NULL, 10) : 0;
        out->npus *=
            x > 0 && x <= 16000000 && out->npus <= 16000000 ? (uint64_t)x : 1;
    }
    if (n && orr__yaml_is_scalar(n))
        out->npus = (uint64_t)atol(orr__yaml_text(c, n));
    out->dims = t && orr__yaml_is_list(t) ? (uint32_t)orr__yaml_count(t) : 1;
    orr__config_free(c);
    return ORR_OK;
}

/* {"logical-dims": ["8", "2"]}, texts or numbers. The NPUs are the first of the
 * network's. */
static orr_err read_logical(const char *path, struct network_facts *out,
                            struct orr_report *why)
{
    char *text = NULL;
    size_t length;
    json_t *root = NULL;
    orr_err err = orr__trace_slurp(path, &text, &length, why);
    const struct orr_json_text json = {path, text, length};
    uint64_t product = 1;
    if (!err)
        err = orr__json_read(&json, JSON_REJECT_DUPLICATES, JSON_OBJECT,
                             "a map is expected", &root, why);
    const json_t *list = json_object_get(root, "logical-dims");
    size_t n = json_array_size(list);
    if (!err && (n == 0 || n > ORR_ASTRA_DIMS - 1))
        err = orr__json_fail(&json, "logical-dims", why,
                             "logical-dims: a list "
                             "of 1 to %d numbers of NPUs is expected",
                             ORR_ASTRA_DIMS - 1);
    for (size_t i = 0; !err && i < n; i++) {
        const json_t *v = json_array_get(list, i);
        const char *word = json_string_value(v);
        char *end = NULL;
        long long x = word ? strtoll(word, &end, 10) : json_integer_value(v);
        if (x < 1 || x > (long long)out->npus || (word && *end))
            err = orr__json_fail(&json, "logical-dims", why,
                                 "logical-dims: "
                                 "whole numbers from 1 to %" PRIu64 ", the "
                                 "network's NPUs, are expected",
                                 out->npus);
        else if (product <= out->npus)
            product *= out->logical[out->n_logical++] = (uint32_t)x;
    }
    if (!err && product > out->npus)
        err = orr__json_fail(&json, "logical-dims", why,
                             "logical-dims: at "
                             "least %" PRIu64 " NPUs, the network has %" PRIu64,
                             product, out->npus);
    out->npus = product;
    json_decref(root);
    orr__free(text);
    return err;
}

static void quoted(struct orr_text *t, const char *key, const char *s)
{
    orr__text_add(t, "%s: ", key);
    orr__text_quoted(t, s);
}

static void put_scale(struct orr_text *t, const char *key, double x)
{
    if (x >= 0)
        orr__text_add(t, ", %s: %.15g", key, x);
}

/* How messages travel. */
static void put_network(struct orr_text *t, const struct orr_astra_run *run,
                        const struct network_facts *net)
{
    bool aware = run->congestion == ORR_ASTRA_AUTO
                     ? !net->old && net->dims == 1
                     : run->congestion == ORR_ASTRA_AWARE;
    /* the first of several ways: clockwise to the other side of a ring, lower
     * dimensions before higher ones */
    orr__text_add(t, "network: {routing: first, ");
    if (run->packets)
        orr__text_add(t, "mtu: 4096B}\n");
    else if (aware) /* stored whole, and turns on each link */
        orr__text_add(t, "transport: analytical, contention: links, "
                         "resolution: 1ns}\n");
    else
        /* a formula for each message, in whole nanoseconds; in 1.0 a phase
         * ends for all NPUs at once, so they are one process */
        orr__text_add(t, "transport: analytical, resolution: 1ns%s%s}\n",
                      net->dims == 1 ? ""
                      : net->old     ? ", tiers: highest"
                                     : ", tiers: lowest",
                      net->old ? ", processes: one" : "");
}

/* Of the trace: keys with what was said. */
static void put_options(struct orr_text *t, const struct orr_astra_run *run,
                        const struct network_facts *net)
{
    if (run->groups) {
        orr__origins_find(run->blame, t, run->groups, 0, 0, NULL);
        orr__text_add(t, ", ");
        quoted(t, "groups", run->groups);
    }
    if (run->memory) {
        orr__origins_find(run->blame, t, run->memory, 0, 0, NULL);
        orr__text_add(t, ", ");
        quoted(t, "memory", run->memory);
    }
    if (net->n_logical)
        orr__origins_find(run->blame, t, run->logical, 0, 0, NULL);
    for (uint32_t i = 0; i < net->n_logical; i++)
        orr__text_add(t, "%s%u%s", i ? ", " : ", logical_dims: [",
                      net->logical[i], i + 1 < net->n_logical ? "" : "]");
    orr__origins_find(run->blame, t, NULL, 0, 0, NULL);
    if (run->passes > 1)
        orr__text_add(t, ", passes: %lld", (long long)run->passes);
    if (run->queues > 1)
        orr__text_add(t, ", queues: %lld", (long long)run->queues);
    if (run->rendezvous)
        orr__text_add(t, ", rendezvous: true");
    put_scale(t, "compute_scale", run->compute_scale);
    put_scale(t, "comm_scale", run->comm_scale);
    put_scale(t, "injection_scale", run->injection_scale);
}

orr_err orr__astra_config(const struct orr_astra_run *run, char **text,
                          struct orr_report *why)
{
    struct orr_text t = {0};
    struct network_facts net;
    orr_err err = read_network_facts(run->network, &net, why);
    *text = NULL;
    if (!err && run->logical)
        err = read_logical(run->logical, &net, why);
    if (err)
        return err;
    orr__origins_find(run->blame, &t, run->network, 0, 0, NULL);
    orr__text_add(&t, "title: ASTRA-sim workload\ntopology: {kind: file, "
                      "format: astra, ");
    quoted(&t, "file", run->network);
    orr__text_add(&t, "}\n");
    orr__origins_find(run->blame, &t, NULL, 0, 0, NULL);
    put_network(&t, run, &net);
    orr__origins_find(run->blame, &t, run->network, 0, 0, NULL);
    orr__text_add(&t,
                  "jobs:\n  - name: astra\n    ranks: %llu\n"
                  "",
                  (unsigned long long)net.npus);
    orr__origins_find(run->blame, &t, run->workload, 0, 0, NULL);
    orr__text_add(&t, "    trace: {format: astra, ");
    quoted(&t, "workload", run->workload);
    orr__text_add(&t, ", ");
    orr__origins_find(run->blame, &t, run->system, 0, 0, NULL);
    quoted(&t, "system", run->system);
    put_options(&t, run, &net);
    orr__text_add(&t, "}\n");
    *text = orr__text_done(&t);
    return *text ? ORR_OK : orr__no_memory(why);
}
