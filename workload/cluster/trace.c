/* `cluster.arrivals.trace`: jobs of a file of others. Such a file says when
 * jobs came, how many GPUs they had and for how long; `applications` says what
 * of cluster.jobs each of its applications is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/config/module.h"
#include "core/memory.h"
#include "core/names.h"
#include "core/none.h"
#include "core/text.h"
#include "core/units.h"
#include "workload/cluster/arrival_list.h"
#include "workload/cluster/elastic.h"
#include "workload/cluster/tenants.h"
#include "workload/world.h"

/* The keys of arrivals from a file. */
struct keys {
    const struct orr_yaml *trace, *until;
    int64_t most;
};
const struct orr_param orr__arrival_list_trace_keys[] = {
    {"trace", ORR_PARAM_NODE, offsetof(struct keys, trace), NULL, NULL, NULL,
     NULL, "{file, format, applications, ...}"},
    {"until", ORR_PARAM_NODE, offsetof(struct keys, until), "", NULL, NULL,
     NULL, "jobs that arrived later are not read"},
    {"most", ORR_PARAM_INT, offsetof(struct keys, most), "0", "0", "4000000",
     NULL, "number of jobs to read; 0: all"},
    ORR_PARAM_END,
};

/* The map `trace`. */
struct trace_keys {
    const char *file, *format;
    const struct orr_yaml *applications, *tenants;
    int larger;
    bool sort, hosts;
};
#define OF(field) offsetof(struct trace_keys, field)
enum { REFUSE, SKIP_JOB };
const struct orr_param orr__job_trace_params[] = {
    {"file", ORR_PARAM_TEXT, OF(file), NULL, NULL, NULL, NULL,
     "name of the file"},
    {"format", ORR_PARAM_TEXT, OF(format), "csv", NULL, NULL, NULL,
     "whose it is"},
    {"applications", ORR_PARAM_NODE, OF(applications), "", NULL, NULL, NULL,
     "{application: entry of cluster.jobs}, or a file with such a map; `*` is "
     "all others. Default: the entry of the same name"},
    {"tenants", ORR_PARAM_NODE, OF(tenants), "", NULL, NULL, NULL,
     "{tenant of the file: one of cluster.tenants}; `*` is all others. "
     "Default: the tenant of the same name"},
    {
        .key = "larger",
        .type = ORR_PARAM_CHOICE,
        .offset = OF(larger),
        .fallback = "refuse",
        .choices = (const char *const[]){"refuse", "leave-out", NULL},
        .help = "treatment of jobs larger than the cluster",
    },
    {"sort", ORR_PARAM_BOOL, OF(sort), "false", NULL, NULL, NULL,
     "sort lines by time"},
    {"hosts", ORR_PARAM_BOOL, OF(hosts), "false", NULL, NULL, NULL,
     "give jobs their servers of the trace, if it has them"},
    ORR_PARAM_END,
};

enum { MOST_UNKNOWN = 10 }; /* applications that one message names */

/* What reading a file needs; freed by its reader. ns. */
struct reading {
    struct orr_arrival_list *b;
    struct orr_config *c;
    struct orr_report *why;
    struct keys k;
    struct trace_keys t;
    struct orr_job_trace trace;
    struct orr_names template_of; /* by application */
    uint32_t others;              /* template of `*`; ORR_NONE: not said */
    struct orr_names unknown;
    struct orr_text named; /* the first of them */
    uint32_t n_unknown;
    int64_t *busy_ns; /* per GPU: by the trace, until when; NULL: no hosts */
};

/* ---- the table of applications ----------------------------------------- */

/* Applications to templates, by number of the template; `*` is all others. Keys
 * are copied, as the map may be another document's. */
static orr_err read_map(struct reading *r, struct orr_config *c,
                        const struct orr_yaml *map)
{
    orr_err err = ORR_OK;
    if (!orr__yaml_is_map(map))
        return orr__yaml_fail(c, map, r->why,
                              "cluster.arrivals.trace."
                              "applications: a map {application: entry of "
                              "cluster.jobs} is expected");
    for (size_t i = 0; i < orr__yaml_count(map) && !err; i++) {
        const char *name = orr__yaml_text(c, orr__yaml_key(map, i));
        const struct orr_yaml *value = orr__yaml_value(map, i);
        const char *to = orr__yaml_text(c, value);
        uint32_t template = ORR_NONE;
        for (uint32_t t = 0; to && t < r->b->c->templates; t++)
            if (strcmp(r->b->c->template[t].name, to) == 0)
                template = t;
        if (template == ORR_NONE) {
            err = orr__yaml_fail(c, value, r->why,
                                 "no entry of cluster.jobs "
                                 "is called \"%s\"",
                                 to ? to : "?");
        } else if (strcmp(name, "*") == 0) {
            r->others = template;
        } else {
            name = orr__arena_strdup(orr__config_arena(r->c), name);
            if (!name || !orr__names_add(&r->template_of, name, template))
                err = orr__no_memory(r->why);
        }
    }
    return err;
}

/* A file that is named in the configuration, from its folder on. */
static char *path_of(const struct reading *r, const char *file)
{
    const char *folder = orr__config_folder(r->c);
    return file[0] == '/' || strcmp(folder, ".") == 0
               ? orr__strdup(file)
               : orr__format("%s/%s", folder, file);
}

/* A map here, or in a file of its own, relative to the configuration. */
static orr_err read_applications(struct reading *r)
{
    const struct orr_yaml *node = r->t.applications;
    struct orr_config *other = NULL;
    r->others = ORR_NONE;
    if (!node || orr__yaml_is_null(node))
        return ORR_OK;
    if (!orr__yaml_is_scalar(node))
        return read_map(r, r->c, node);
    char *path = path_of(r, orr__yaml_text(r->c, node));
    orr_err err =
        path ? orr__config_load(path, &other, r->why) : orr__no_memory(r->why);
    if (!err)
        err = read_map(r, other, orr__config_root(other));
    orr__config_free(other);
    orr__free(path);
    return err;
}

/* ---- rows -------------------------------------------------------------- */

static orr_err fail_row(const struct reading *r,
                        const struct orr_trace_row *row, const char *message)
{
    return orr__fail_at(r->why, ORR_ECONFIG, r->b->file, (int)row->line, 1,
                        "%s", message);
}

/* ORR_NONE: to be drawn; *known false: no template, and the name is kept. */
static orr_err find_template(struct reading *r, const struct orr_trace_row *row,
                             uint32_t *out, bool *known)
{
    const struct orr_cluster *c = r->b->c;
    *out = r->others;
    *known = true;
    if (!row->application)
        return ORR_OK;
    uint32_t t = orr__names_find(&r->template_of, row->application);
    for (uint32_t i = 0; i < c->templates && t == ORR_NONE; i++)
        if (strcmp(c->template[i].name, row->application) == 0)
            t = i;
    if (t != ORR_NONE)
        *out = t;
    *known = *out != ORR_NONE;
    if (*known || orr__names_find(&r->unknown, row->application) != ORR_NONE)
        return ORR_OK;
    if (r->n_unknown++ < MOST_UNKNOWN)
        orr__text_add(&r->named, "%s\"%.32s\"", r->n_unknown > 1 ? ", " : "",
                      row->application);
    return orr__names_add(&r->unknown, row->application, 0)
               ? ORR_OK
               : orr__no_memory(r->why);
}

/* The GPUs of the servers that it had: of each as many as the file says, those
 * first that by its own times nobody else had then. */
static orr_err take_hosts(struct reading *r, const struct orr_trace_row *row,
                          struct orr_arrival *a)
{
    const struct orr_inventory *v = &r->b->c->inventory;
    uint32_t each = v->gpus / v->servers;
    uint32_t *gpu =
        orr__arena_alloc(orr__config_arena(r->c), row->gpus, sizeof *gpu);
    if (!gpu)
        return orr__no_memory(r->why);
    for (uint32_t i = 0; i < row->gpus; i++) {
        uint32_t s = row->hosts[i], best = ORR_NONE;
        if (s >= v->servers)
            return fail_row(
                r, row,
                "this job was on a server that the cluster does not have");
        for (uint32_t k = s * each; k < (s + 1) * each; k++) {
            bool mine = false;
            for (uint32_t d = 0; d < i; d++)
                mine = mine || gpu[d] == k;
            if (!mine && (best == ORR_NONE || r->busy_ns[k] < r->busy_ns[best]))
                best = k;
            if (best == k && r->busy_ns[k] <= a->at_ns)
                break;
        }
        if (best == ORR_NONE)
            return fail_row(r, row,
                            "this job had more GPUs on a server than "
                            "servers have");
        gpu[i] = best;
    }
    for (uint32_t i = 0; i < row->gpus; i++)
        r->busy_ns[gpu[i]] = orr__time_add(a->at_ns, a->duration_ns);
    a->hosts = gpu;
    return ORR_OK;
}

/* Whose it is by the file: with tenants in the cluster, one of these. */
static orr_err find_row_tenant(const struct reading *r,
                               const struct orr_trace_row *row, uint32_t *out)
{
    const struct orr_cluster *c = r->b->c;
    const struct orr_yaml *map = r->t.tenants;
    const struct orr_yaml *to = NULL;
    if (!c->tenants || !row->tenant)
        return ORR_OK;
    if (map && !orr__yaml_is_null(map)) {
        to = orr__yaml_get(map, row->tenant);
        to = to ? to : orr__yaml_get(map, "*");
    }
    if (to)
        return orr__tenant_find(c, to, orr__yaml_text(r->c, to), out, r->why);
    *out = orr__tenant_of(c, row->tenant);
    if (*out != ORR_NONE)
        return ORR_OK;
    orr_err bad = orr__fail_at(r->why, ORR_ECONFIG, r->b->file, (int)row->line,
                               1, "no tenant is called \"%.64s\"", row->tenant);
    orr__hint(r->why, "`tenants: {\"*\": NAME}` stands for all others");
    return bad;
}

/* One job. Rows beyond the cluster's size are refused, or left out and
 * counted. */
static orr_err add_row(struct reading *r, const struct orr_trace_row *row)
{
    struct orr_arrival_list *b = r->b;
    struct orr_arrival_item item = {
        .line = row->line,
        .is = {.name = row->id,
               .gpus = row->gpus,
               .at_ns = row->submit_ns,
               .duration_ns = row->duration_ns,
               .tenant = ORR_NONE},
    };
    struct orr_random own;
    bool known;
    if (row->gpus > b->c->inventory.gpus && r->t.larger == SKIP_JOB) {
        b->left_out++;
        return ORR_OK;
    }
    if (row->gpus > b->c->inventory.gpus) {
        orr_err bad =
            orr__fail_at(r->why, ORR_ECONFIG, b->file, (int)row->line, 1,
                         "a job of %u GPUs is larger than the "
                         "cluster, which has %u",
                         row->gpus, b->c->inventory.gpus);
        orr__hint(r->why, "`larger: leave-out` skips such jobs");
        return bad;
    }
    orr_err err = find_template(r, row, &item.is.template, &known);
    if (err || !known)
        return err;
    err = find_row_tenant(r, row, &item.is.tenant);
    if (err)
        return err;
    item.is.iterations = row->duration_ns ? 0 : row->iterations;
    orr__arrival_list_stream(b, b->n, &own);
    orr__arrival_list_fill(b, &item.is, &own);
    const struct orr_template *t = &b->c->template[item.is.template];
    if (!orr__elastic_allows(t, row->gpus))
        return orr__fail_at(
            r->why, ORR_ECONFIG, b->file, (int)row->line, 1,
            "a job of %s has %u to %u GPUs; %u is not one of its sizes",
            t->name, t->size[0], t->size[t->sizes - 1], row->gpus);
    if (row->hosts && r->busy_ns)
        err = take_hosts(r, row, &item.is);
    return err ? err : orr__arrival_list_add(b, &item);
}

static int submitted_earlier(const void *pa, const void *pb)
{
    const struct orr_trace_row *a = pa, *b = pb;
    if (a->submit_ns != b->submit_ns)
        return a->submit_ns < b->submit_ns ? -1 : 1;
    return a->line < b->line ? -1 : a->line > b->line;
}

/* Rows in order of time; the first comes at 0. */
static orr_err check_order(struct reading *r)
{
    struct orr_trace_row *row = r->trace.row;
    uint32_t n = r->trace.n;
    if (r->t.sort && n > 0)
        qsort(row, n, sizeof *row, submitted_earlier);
    for (uint32_t i = 1; i < n; i++)
        if (row[i].submit_ns < row[i - 1].submit_ns) {
            orr_err err = fail_row(r, &row[i],
                                   "this job was submitted before "
                                   "the one above it");
            orr__hint(r->why, "`sort: true` puts them in order");
            return err;
        }
    int64_t first = n > 0 ? row[0].submit_ns : 0;
    for (uint32_t i = 0; i < n; i++)
        row[i].submit_ns -= first;
    return ORR_OK;
}

/* In order of the file, up to the end of arrivals. Applications without a
 * template are told all at once, the first of them by name. */
static orr_err add_rows(struct reading *r)
{
    struct orr_arrival_list *b = r->b;
    orr_err err = check_order(r);
    b->left_out = r->trace.left_out;
    b->early = r->trace.early;
    for (uint32_t i = 0; i < r->trace.n && !err; i++) {
        if (r->trace.row[i].submit_ns > b->c->until_ns
            || (r->k.most > 0 && b->n >= r->k.most))
            break;
        err = add_row(r, &r->trace.row[i]);
    }
    if (err || r->n_unknown == 0)
        return err;
    if (r->n_unknown > MOST_UNKNOWN)
        orr__text_add(&r->named, " and %u more", r->n_unknown - MOST_UNKNOWN);
    char *named = orr__text_done(&r->named);
    if (!named)
        return orr__no_memory(r->why);
    const struct orr_yaml *at =
        r->t.applications ? r->t.applications : r->k.trace;
    err = orr__yaml_fail(r->c, at, r->why,
                         "%s has applications that are no entry of "
                         "cluster.jobs: %s",
                         b->file, named);
    orr__hint(r->why,
              "`applications: {\"*\": NAME}` is the default for all others");
    orr__free(named);
    return err;
}

/* ---- the file ---------------------------------------------------------- */

/* With the nearest name as a hint. */
static orr_err find_format(struct reading *r,
                           const struct orr_job_trace_format **out)
{
    const struct orr_job_trace_format *const *all = r->b->c->formats;
    const char *names[32] = {NULL};
    for (size_t i = 0; all && all[i] && i < 31; i++) {
        names[i] = all[i]->name;
        if (strcmp(names[i], r->t.format) == 0) {
            *out = all[i];
            return ORR_OK;
        }
    }
    const struct orr_yaml *at = orr__yaml_get(r->k.trace, "format");
    orr_err err =
        orr__yaml_fail(r->c, at ? at : r->k.trace, r->why,
                       "cluster.arrivals.trace: no format \"%s\"", r->t.format);
    orr__hint_nearest(r->why, names, r->t.format);
    return err;
}

/* R->trace gets the rows; they are freed with r. */
static orr_err read_file(struct reading *r)
{
    const struct orr_job_trace_format *format = NULL;
    orr_err err = find_format(r, &format);
    if (err || !format)
        return ORR_ECONFIG;
    r->b->file = path_of(r, r->t.file);
    if (!r->b->file)
        return orr__no_memory(r->why);
    err = format->read(r->c, r->b->file, &r->trace, r->why);
    /* what could not be opened has no place: the name has */
    return err ? orr__yaml_place(r->c, orr__yaml_get(r->k.trace, "file"), err,
                                 r->why)
               : ORR_OK;
}

/* A map of names. */
static orr_err check_tenants(const struct reading *r)
{
    const struct orr_yaml *map = r->t.tenants;
    orr_err err = ORR_OK;
    uint32_t ignored;
    if (!map || orr__yaml_is_null(map))
        return ORR_OK;
    if (!orr__yaml_is_map(map))
        return orr__yaml_fail(r->c, map, r->why,
                              "cluster.arrivals.trace.tenants: a map {tenant "
                              "of the file: one of cluster.tenants} is "
                              "expected");
    for (size_t i = 0; !err && i < orr__yaml_count(map); i++) {
        const struct orr_yaml *to = orr__yaml_value(map, i);
        const char *name = orr__yaml_text(r->c, to);
        err =
            orr__tenant_find(r->b->c, to, name ? name : "?", &ignored, r->why);
    }
    return err;
}

/* Both maps, and until when jobs are taken. */
static orr_err read_keys(struct reading *r)
{
    struct orr_module m = {.c = r->c,
                           .node = r->b->node,
                           .what = "cluster.arrivals",
                           .why = r->why,
                           .name = r->b->kind->name};
    const struct orr_param_set outer = {orr__arrival_list_trace_keys, &r->k};
    const struct orr_param_set inner = {orr__job_trace_params, &r->t};
    orr_err err = orr__module_read(&m, &outer, 1);
    if (!err && !orr__yaml_is_map(r->k.trace))
        err = orr__yaml_fail(r->c, r->k.trace, r->why,
                             "cluster.arrivals."
                             "trace: {file, format, ...} is expected");
    if (!err)
        err = orr__arrival_list_until(r->b, r->k.until, &r->b->c->until_ns);
    if (!err)
        err = orr__param_read(r->c, r->k.trace, "cluster.arrivals.trace",
                              &inner, 1, r->why);
    return err ? err : check_tenants(r);
}

orr_err orr__arrival_list_trace(struct orr_arrival_list *b)
{
    struct reading r = {.b = b, .c = b->c->world->config, .why = b->why};
    orr_err err = read_keys(&r);
    if (!err)
        err = read_applications(&r);
    if (!err)
        err = read_file(&r);
    if (!err && r.t.hosts) {
        r.busy_ns = orr__alloc(b->c->inventory.gpus, sizeof *r.busy_ns);
        err = r.busy_ns ? ORR_OK : orr__no_memory(r.why);
    }
    if (!err)
        err = add_rows(&r);
    orr__free(r.busy_ns);
    orr__free(r.trace.row);
    orr__names_fini(&r.template_of);
    orr__names_fini(&r.unknown);
    orr__free(r.named.s);
    return err;
}
