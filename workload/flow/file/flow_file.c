/* An entry of `flows` with a file. */
#include "workload/flow/file/flow_file.h"

#include <string.h>

#include "core/memory.h"
#include "core/units.h"
#include "topo/node_names.h"

struct params {
    const char *file;
    int format, unit;
    int64_t start, origin;
};

static const char *const names[] = {
#define ORR_FLOW_FORMAT(id, name, doc) name,
#include "workload/flow/file/list.h"
#undef ORR_FLOW_FORMAT
    NULL,
};

static const struct orr_flow_format_ops *const ops[] = {
#define ORR_FLOW_FORMAT(id, name, doc) &orr__##id##_flow_format,
#include "workload/flow/file/list.h"
#undef ORR_FLOW_FORMAT
};

static const struct orr_flow_kind kinds[] = {
#define ORR_FLOW_FORMAT(id, name, doc) {name, doc, NULL},
#include "workload/flow/file/list.h"
#undef ORR_FLOW_FORMAT
    {NULL, NULL, NULL},
};

const struct orr_flow_kind *orr__flow_formats(void)
{
    return kinds;
}

static const char *const units[] = {"auto", "ps", "ns", "us", "ms", "s", NULL};

static const struct orr_param params[] = {
    {"file", ORR_PARAM_TEXT, offsetof(struct params, file), NULL, NULL, NULL,
     NULL, "the file's name, relative to the configuration"},
    {"format", ORR_PARAM_CHOICE, offsetof(struct params, format), "list", NULL,
     NULL, names, "what it is: `orrery list flow-formats`"},
    {"start", ORR_PARAM_TIME, offsetof(struct params, start), "0s", NULL, NULL,
     NULL, "added to the start of each flow"},
    {"origin", ORR_PARAM_TIME, offsetof(struct params, origin), "0s", NULL,
     NULL, NULL,
     "the file's time that is 0 here: 2s for what HPCC's "
     "generator writes"},
    {"unit", ORR_PARAM_CHOICE, offsetof(struct params, unit), "auto", NULL,
     NULL, units,
     "what a start without a unit counts: auto is s for hpcc, "
     "ps for htsim"},
    ORR_PARAM_END,
};

const struct orr_param *orr__flow_file_params(void)
{
    return params;
}

/* ---- for members ------------------------------------------------------- */

static orr_err no_such(struct orr_flow_reader *r, const char *what)
{
    const char *near = orr__node_nearest(r->list->world->graph, r->scan.word);
    orr_err err = orr__scan_fail(&r->scan,
                                 "%s is named by its number, or by a "
                                 "name that it has in the topology",
                                 what);
    if (near)
        orr__hint(r->scan.why, "did you mean \"%s\"?", near);
    return err;
}

orr_err orr__flow_read_host(struct orr_flow_reader *r, const char *what,
                            bool numbered, uint32_t *host)
{
    const struct orr_graph *g = r->list->world->graph;
    const uint32_t *node_of = numbered ? g->node_of : NULL;
    uint32_t most = node_of ? g->nodes : g->hosts;
    int64_t v = 0;
    bool named = orr__node_find(g, r->scan.word, host);
    if (named && orr__is_host(g, *host))
        return ORR_OK;
    if (named)
        return orr__scan_fail(&r->scan, "%s is a switch, no host",
                              r->scan.word);
    if (r->scan.length && orr__parse_int(r->scan.word, &v))
        return no_such(r, what);
    orr_err err = orr__scan_int(&r->scan, what, INT64_MIN, INT64_MAX, &v);
    if (err != ORR_OK)
        return err;
    if (v < 0 || v >= most)
        return orr__scan_fail(&r->scan,
                              "host %lld does not exist: %s are 0 "
                              "to %u",
                              (long long)v, node_of ? "nodes" : "hosts",
                              most - 1);
    *host = node_of ? node_of[v] : (uint32_t)v;
    if (!orr__is_host(g, *host))
        return orr__scan_fail(&r->scan, "node %lld is a switch, no host",
                              (long long)v);
    return ORR_OK;
}

orr_err orr__flow_check_ends(struct orr_flow_reader *r,
                             const struct orr_flow_line *f)
{
    if (f->src != f->dst)
        return ORR_OK;
    return orr__scan_fail(&r->scan, "a flow from a host to itself uses no "
                                    "network");
}

orr_err orr__flow_read_start(struct orr_flow_reader *r, const char *own,
                             int64_t *start)
{
    orr_err err =
        orr__scan_time(&r->scan, "the start", r->unit ? r->unit : own, start);
    if (err == ORR_OK && *start < r->origin) {
        char at[32];
        orr__format_time(r->origin, at, sizeof at);
        err = orr__scan_fail(&r->scan, "the start is before `origin`, %s", at);
    }
    return err;
}

orr_err orr__flow_read_bytes(struct orr_flow_reader *r, uint64_t *bytes)
{
    struct orr_scan *s = &r->scan;
    int64_t v;
    if (s->length == 0)
        return orr__scan_fail(s, "the number of bytes is missing");
    if (s->word[strspn(s->word, "0123456789")] == '\0'
        && orr__parse_int(s->word, &v))
        return orr__scan_fail(s, "more bytes than 64 bits count");
    if (!orr__parse_int(s->word, &v) && v >= 0) {
        *bytes = (uint64_t)v;
    } else {
        const char *wrong = orr__parse_size(s->word, bytes);
        if (wrong)
            return orr__scan_fail(s, "%s", wrong);
    }
    if (*bytes <= orr__program_limits_message(r->list->world))
        return ORR_OK;
    char text[240];
    orr__flow_size_words(r->list->world, *bytes, text, sizeof text);
    return orr__scan_fail(s, "%s", text);
}

orr_err orr__flow_set_class(struct orr_flow_reader *r, uint32_t class)
{
    struct orr_service_keys keys = r->service;
    orr_err err = ORR_OK;
    if (r->fixed_class)
        return ORR_OK;
    if (!r->has_of_class[class]) {
        keys.class = class;
        err = orr__flow_list_serve(r->list, &keys, r->scan.why);
        r->of_class[class] = r->list->service;
        r->has_of_class[class] = true;
    }
    r->list->service = r->of_class[class];
    return err;
}

orr_err orr__flow_add(struct orr_flow_reader *r, const struct orr_flow_line *f)
{
    struct orr_flow_list *l = r->list;
    bool waits = f->start < 0;
    int64_t start = waits ? -1 : orr__time_add(f->start - r->origin, r->start);
    if (start > ORR_HORIZON)
        return orr__scan_fail(&r->scan, "the flow starts after 53 days, when "
                                        "simulated time ends");
    orr_err err =
        orr__flow_list_add(l, f->src, f->dst, f->bytes, start, r->scan.why);
    if (err == ORR_OK && f->on) {
        l->flow[l->count - 1].on = f->on;
        l->flow[f->on - 1].others++;
    }
    if (err == ORR_OK && (waits || f->use.on_sent || f->use.on_received))
        err = orr__triggers_use(l, l->count - 1, &f->use, r->scan.why);
    return err;
}

/* ---- the entry --------------------------------------------------------- */

static orr_err open_file(struct orr_flow_reader *r, const char *file,
                         const struct orr_yaml *entry, struct orr_report *why)
{
    struct orr_config *c = r->list->world->config;
    struct orr_report reason = {.code = ORR_OK};
    const char *folder = orr__config_folder(c);
    char *path = file[0] == '/' || strcmp(folder, ".") == 0
                     ? orr__strdup(file)
                     : orr__format("%s/%s", folder, file);
    if (!path)
        return orr__no_memory(why);
    orr_err err = orr__scan_open(&r->scan, path, path, &reason);
    r->scan.why = why;
    orr__free(path);
    if (err == ORR_ECONFIG && !reason.line)
        return orr__yaml_fail(c, orr__yaml_get(entry, "file"), why, "%s",
                              reason.message);
    if (err != ORR_OK && why && why->code == ORR_OK)
        *why = reason;
    return err;
}

orr_err orr__flows_file(struct orr_flow_list *l, const struct orr_yaml *entry,
                        struct orr_report *why)
{
    struct orr_flow_reader r = {.list = l, .service = {.weight = 1}};
    struct orr_flow_window_keys window = {NULL, NULL};
    struct params p;
    struct orr_param_set sets[] = {
        {params, &p},
        {orr__service_keys, &r.service, l->world->draft},
        {orr__flow_window_params(), &window},
    };
    uint32_t from = l->count;
    orr_err err =
        orr__param_read(l->world->config, entry, "flows", sets, 3, why);
    if (err == ORR_OK)
        err = orr__flow_list_serve(l, &r.service, why);
    if (err == ORR_OK)
        err = open_file(&r, p.file, entry, why);
    if (err != ORR_OK)
        return err;
    r.start = p.start;
    r.origin = p.origin;
    r.unit = p.unit ? units[p.unit] : NULL;
    r.fixed_class = orr__yaml_get(entry, "class") != NULL;
    err = ops[p.format]->read(&r);
    orr__scan_fini(&r.scan);
    return err ? err : orr__flow_window_apply(l, from, &window, entry, why);
}
