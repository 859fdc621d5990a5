/* One flow of a file: its words, and adding it; for all formats. */
#include <string.h>

#include "core/units.h"
#include "topo/node_names.h"
#include "workload/flow/file/flow_file.h"

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
