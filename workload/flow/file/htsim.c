/* htsim's connection matrix (.cm). A header, a line each:
 *     Nodes n, Connections n, Triggers n, Failures n
 * then, in any order and just as many,
 *     src->dst [id n] (start ps | trigger n) size bytes
 *              [send_done_trigger n] [recv_done_trigger n] [prio n] [msg [n]]
 *     trigger id n (oneshot | multishot | barrier count n)
 *     failure switch_type (TOR | AGG | CORE) switch_id i link_id j
 * Hosts, flow ids and triggers are numbers; `prio` has no meaning here. A size
 * of 0 is that of a flow that sends to the end of the run. A flow with a
 * trigger needs an id. Ids are used once; but where flows say `msg`, those of
 * one id are messages of one connection, one behind the other, and bare starts
 * count us.
 *
 * A failure takes a cable away for the whole run: the first one of switch i of
 * that tier to the j-th switch above it (of a core switch: below it), counted
 * from 0 in the order of links. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/none.h"
#include "core/table.h"
#include "core/units.h"
#include "net/config/config.h"
#include "workload/flow/file/flow_file.h"

/* The reader's state. */
struct cm {
    struct orr_flow_reader *r;
    /* that the header says; -1 */
    int64_t nodes, connections, triggers, failures;
    int64_t seen, defined, failed;
    uint32_t first_trigger; /* of this file */
    struct orr_table by_id; /* the first flow that has an id */
    bool reuse;             /* some flow says `msg` */
};

static orr_err next_int(struct cm *c, const char *what, int64_t min,
                        int64_t max, int64_t *value)
{
    (void)orr__scan_here(&c->r->scan);
    return orr__scan_int(&c->r->scan, what, min, max, value);
}

static orr_err unexpected(struct orr_scan *s)
{
    return orr__scan_fail(s, "\"%.40s\" is not expected here", s->word);
}

/* ---- header ------------------------------------------------------------ */

/* A key of the header, once; *found false: this is none. */
static orr_err read_header(struct cm *c, bool *found)
{
    struct orr_scan *s = &c->r->scan;
    int64_t *v = NULL;
    uint32_t hosts = c->r->list->world->graph->hosts;
    char what[16];
    *found = true;
    if (strcmp(s->word, "Nodes") == 0)
        v = &c->nodes;
    else if (strcmp(s->word, "Connections") == 0)
        v = &c->connections;
    else if (strcmp(s->word, "Triggers") == 0)
        v = &c->triggers;
    else if (strcmp(s->word, "Failures") == 0)
        v = &c->failures;
    *found = v != NULL;
    if (!*found)
        return ORR_OK;
    if (*v >= 0)
        return orr__scan_fail(s, "%s is listed twice", s->word);
    snprintf(what, sizeof what, "%s", s->word);
    orr_err err = next_int(c, what, 0, INT32_MAX, v);
    if (err == ORR_OK && v == &c->nodes && *v > hosts)
        err = orr__scan_fail(s,
                             "%" PRId64 " nodes are more than the "
                             "topology's %u hosts",
                             *v, hosts);
    if (err == ORR_OK && orr__scan_here(s))
        err = unexpected(s);
    return err;
}

/* ---- connections ------------------------------------------------------- */

/* "13->6" */
static orr_err read_ends(struct cm *c, struct orr_flow_line *f)
{
    struct orr_scan *s = &c->r->scan;
    const char *arrow = strstr(s->word, "->");
    int64_t src, dst;
    char left[24];
    int n = (int)(arrow - s->word);
    snprintf(left, sizeof left, "%.*s", n < 23 ? n : 23, s->word);
    if (orr__parse_int(left, &src) || orr__parse_int(arrow + 2, &dst))
        return orr__scan_fail(s,
                              "a connection is `src->dst`, two numbers, "
                              "not \"%.40s\"",
                              s->word);
    if (src < 0 || src >= c->nodes)
        return orr__scan_fail(s,
                              "node %" PRId64 " does not exist: nodes are "
                              "0 to %" PRId64,
                              src, c->nodes - 1);
    if (dst < 0 || dst >= c->nodes)
        return orr__scan_fail_at(s, (size_t)n + 2,
                                 "node %" PRId64 " does not "
                                 "exist: nodes are 0 to %" PRId64,
                                 dst, c->nodes - 1);
    f->src = (uint32_t)src;
    f->dst = (uint32_t)dst;
    return orr__flow_check_ends(c->r, f);
}

/* The trigger of this number, counted within this file. */
static orr_err read_trigger_id(struct cm *c, uint32_t *use)
{
    int64_t id = 0;
    orr_err err = next_int(c, "a trigger's number", 1, UINT32_MAX, &id);
    if (err != ORR_OK)
        return err;
    return orr__triggers_find(c->r->list, c->first_trigger, (uint32_t)id,
                              orr__scan_line(&c->r->scan), use, c->r->scan.why);
}

struct words { /* which ones a connection has */
    bool start, trigger, size, id, sent, received, prio, msg;
};

/* f->on: the connection of another flow that has this id. */
static orr_err read_id(struct cm *c, struct orr_flow_line *f)
{
    int64_t id = 0;
    orr_err err = next_int(c, "a flow's id", 1, UINT32_MAX, &id);
    if (err != ORR_OK)
        return err;
    uint32_t first = orr__table_find(&c->by_id, (uint64_t)id);
    if (first != ORR_NONE && !c->reuse)
        return orr__scan_fail(&c->r->scan, "another flow has the id %" PRId64,
                              id);
    if (first != ORR_NONE)
        f->on = 1 + first;
    else if (!orr__table_add(&c->by_id, (uint64_t)id, c->r->list->count))
        return orr__no_memory(c->r->scan.why);
    return ORR_OK;
}

/* A flow that has the id of another one, as its message. */
static orr_err check_reuse(struct cm *c, const struct words *w,
                           const struct orr_flow_line *f)
{
    struct orr_scan *s = &c->r->scan;
    const struct orr_flow *first = &c->r->list->flow[f->on - 1];
    if (!w->msg)
        return orr__scan_fail(
            s,
            "another flow has this id: messages of one connection need `msg`");
    if (first->src != f->src || first->dst != f->dst)
        return orr__scan_fail(s, "the connection of this id is %u->%u",
                              first->src, first->dst);
    return ORR_OK;
}

/* One that does not end while the run goes on. */
static orr_err endless(struct cm *c, struct orr_flow_line *f)
{
    const struct orr_world *w = c->r->list->world;
    if (w->options.stop_ps == ORR_NEVER)
        return orr__scan_fail(&c->r->scan, "a size of 0 sends to the end of "
                                           "the run, which needs a `stop`");
    f->bytes =
        orr__bytes_in(w->options.stop_ps, w->fastest_bps) + w->net_config->mtu;
    return ORR_OK;
}

static orr_err reject_twice(struct orr_scan *s, bool *seen)
{
    if (*seen)
        return orr__scan_fail(s, "\"%.40s\" is listed twice", s->word);
    *seen = true;
    return ORR_OK;
}

/* A word of a connection with its value. Numbers behind `msg` are skipped,
 * priorities have no effect. */
static orr_err read_value(struct cm *c, struct words *w,
                          struct orr_flow_line *f)
{
    struct orr_scan *s = &c->r->scan;
    int64_t unused = 0;
    orr_err err;
    if (strcmp(s->word, "start") == 0) {
        err = reject_twice(s, &w->start);
        (void)orr__scan_here(s);
        return err ? err
                   : orr__flow_read_start(c->r, c->reuse ? "us" : "ps",
                                          &f->start);
    }
    if (strcmp(s->word, "size") == 0) {
        err = reject_twice(s, &w->size);
        (void)orr__scan_here(s);
        err = err ? err : orr__flow_read_bytes(c->r, &f->bytes);
        return err || f->bytes ? err : endless(c, f);
    }
    if (strcmp(s->word, "trigger") == 0) {
        err = reject_twice(s, &w->trigger);
        return err ? err : read_trigger_id(c, &f->use.waits);
    }
    if (strcmp(s->word, "send_done_trigger") == 0) {
        err = reject_twice(s, &w->sent);
        return err ? err : read_trigger_id(c, &f->use.on_sent);
    }
    if (strcmp(s->word, "recv_done_trigger") == 0) {
        err = reject_twice(s, &w->received);
        return err ? err : read_trigger_id(c, &f->use.on_received);
    }
    if (strcmp(s->word, "id") == 0) {
        err = reject_twice(s, &w->id);
        return err ? err : read_id(c, f);
    }
    if (strcmp(s->word, "msg") == 0)
        return reject_twice(s, &w->msg);
    if (w->msg && !orr__parse_int(s->word, &unused)) /* of `msg n` */
        return ORR_OK;
    if (strcmp(s->word, "prio") == 0) {
        err = reject_twice(s, &w->prio);
        return err ? err : next_int(c, "a priority", 0, INT32_MAX, &unused);
    }
    return unexpected(s);
}

/* Either a start or a trigger; a flow with a trigger must have an id, as others
 * may name it. */
static orr_err read_connection(struct cm *c)
{
    struct orr_scan *s = &c->r->scan;
    struct orr_flow_line f = {.start = -1};
    struct words w = {.start = false};
    orr_err err = read_ends(c, &f);
    while (err == ORR_OK && orr__scan_here(s))
        err = read_value(c, &w, &f);
    if (err == ORR_OK && w.start == w.trigger)
        err = orr__scan_fail(s, w.start ? "a start and a trigger"
                                        : "neither a start nor a trigger");
    if (err == ORR_OK && w.trigger && !w.id)
        err = orr__scan_fail(s, "a flow with a trigger needs an id");
    if (err == ORR_OK && !w.size)
        err = orr__scan_fail(s, "the size is missing");
    if (err == ORR_OK && f.on)
        err = check_reuse(c, &w, &f);
    c->seen++;
    return err == ORR_OK ? orr__flow_add(c->r, &f) : err;
}

/* ---- triggers ---------------------------------------------------------- */

/* Defines a trigger; flows may name it before. */
static orr_err read_trigger(struct cm *c)
{
    static const char *const kinds[] = {"oneshot", "multishot", "barrier",
                                        NULL};
    struct orr_scan *s = &c->r->scan;
    uint32_t use = 0;
    int64_t count = 0;
    int kind = -1;
    if (!orr__scan_here(s) || strcmp(s->word, "id") != 0)
        return orr__scan_fail(s, "a trigger is `trigger id n kind`");
    orr_err err = read_trigger_id(c, &use);
    if (err != ORR_OK)
        return err;
    while (orr__scan_here(s) && err == ORR_OK) {
        int k = orr__param_choice(kinds, s->word);
        if (k >= 0 && kind < 0)
            kind = k;
        else if (strcmp(s->word, "count") == 0 && count == 0)
            err = next_int(c, "the count", 1, UINT32_MAX, &count);
        else
            err = unexpected(s);
    }
    if (err == ORR_OK && kind < 0)
        err = orr__scan_fail(s, "oneshot, multishot or barrier is missing");
    if (err == ORR_OK && kind == ORR_TRIGGER_BARRIER && count == 0)
        err = orr__scan_fail(s, "a barrier needs a count");
    c->defined++;
    if (err != ORR_OK)
        return err;
    if (!orr__trigger_define(c->r->list, use, kind, (uint32_t)count))
        return orr__scan_fail(s, "this trigger is listed twice");
    return ORR_OK;
}

/* ---- failures ----------------------------------------------------------- */

/* The first link from v to its j-th neighbour on that level; UINT32_MAX: there
 * are not so many. Parallel links are neighbours in the list. */
static uint32_t link_to_level(const struct orr_graph *g, uint32_t v,
                              uint8_t level, int64_t j)
{
    uint32_t last = UINT32_MAX;
    for (uint32_t i = g->out_off[v]; i < g->out_off[v + 1]; i++) {
        uint32_t link = g->out_link[i], to = g->to[link];
        if (g->level[to] != level || to == last)
            continue;
        if (j-- == 0)
            return link;
        last = to;
    }
    return UINT32_MAX;
}

static const char *const types[] = {"TOR", "AGG", "CORE", NULL};

/* Switch i of a level, in order of id; link j up, or of a core down. It is down
 * from the beginning. */
static orr_err fail_link(struct cm *c, int type, int64_t i, int64_t j)
{
    assert(type >= 0 && type < 3);
    const char *name = types[type];
    const struct orr_graph *g = c->r->list->world->graph;
    struct orr_scan *s = &c->r->scan;
    uint8_t level = (uint8_t)(type + 1);
    uint32_t v = g->hosts;
    for (int64_t left = i; v < g->nodes; v++)
        if (g->level[v] == level && left-- == 0)
            break;
    if (v == g->nodes)
        return orr__scan_fail(s, "there is no %s switch %" PRId64, name, i);
    uint32_t link =
        link_to_level(g, v, (uint8_t)(type == 2 ? level - 1 : level + 1), j);
    if (link == UINT32_MAX)
        return orr__scan_fail(
            s, "%s switch %" PRId64 " has no link %" PRId64 " %s", name, i, j,
            type == 2 ? "down" : "up");
    return orr__flow_list_fail(c->r->list, link, s->why);
}

/* All three values, in any order. */
static orr_err read_failure(struct cm *c)
{
    struct orr_scan *s = &c->r->scan;
    int64_t i = -1, j = -1;
    int type = -1;
    orr_err err = ORR_OK;
    while (err == ORR_OK && orr__scan_here(s)) {
        if (strcmp(s->word, "switch_type") == 0 && type < 0) {
            (void)orr__scan_here(s);
            type = orr__param_choice(types, s->word);
            if (type < 0)
                err = orr__scan_fail(s, "TOR, AGG or CORE is expected");
        } else if (strcmp(s->word, "switch_id") == 0 && i < 0) {
            err = next_int(c, "a switch's number", 0, UINT32_MAX, &i);
        } else if (strcmp(s->word, "link_id") == 0 && j < 0) {
            err = next_int(c, "a link's number", 0, UINT32_MAX, &j);
        } else {
            err = unexpected(s);
        }
    }
    if (err == ORR_OK && (type < 0 || i < 0 || j < 0))
        err = orr__scan_fail(s, "a failure is `failure switch_type TOR|AGG|"
                                "CORE switch_id i link_id j`");
    c->failed++;
    return err == ORR_OK ? fail_link(c, type, i, j) : err;
}

/* ---- the file ---------------------------------------------------------- */

/* By its first word; `Nodes` comes before all but the header. */
static orr_err read_line(struct cm *c)
{
    struct orr_scan *s = &c->r->scan;
    bool found;
    orr_err err = read_header(c, &found);
    if (err != ORR_OK || found)
        return err;
    if (c->nodes < 0)
        return orr__scan_fail(s, "`Nodes n` comes first");
    if (strstr(s->word, "->"))
        return read_connection(c);
    if (strcmp(s->word, "trigger") == 0)
        return read_trigger(c);
    if (strcmp(s->word, "failure") == 0)
        return read_failure(c);
    return unexpected(s);
}

/* The header's counts hold, and all triggers that flows name exist. */
static orr_err check_counts(struct cm *c)
{
    struct orr_scan *s = &c->r->scan;
    const struct orr_trigger *t;
    if (c->nodes < 0)
        return orr__scan_fail(s, "`Nodes n` is missing");
    if (c->connections < 0)
        return orr__scan_fail(s, "`Connections n` is missing");
    if (c->connections != c->seen)
        return orr__scan_fail(s,
                              "%" PRId64 " connections, and the header "
                              "says %" PRId64,
                              c->seen, c->connections);
    if ((c->triggers < 0 ? 0 : c->triggers) != c->defined)
        return orr__scan_fail(s,
                              "%" PRId64 " triggers, and the header says "
                              "%" PRId64,
                              c->defined, c->triggers < 0 ? 0 : c->triggers);
    if ((c->failures < 0 ? 0 : c->failures) != c->failed)
        return orr__scan_fail(s,
                              "%" PRId64 " failures, and the header says "
                              "%" PRId64,
                              c->failed, c->failures < 0 ? 0 : c->failures);
    t = orr__triggers_undefined(c->r->list, c->first_trigger);
    if (t)
        return orr__scan_fail(s, "trigger %u of line %d does not exist",
                              t->number, t->line);
    return ORR_OK;
}

/* A word `msg` outside of comments. */
static bool says_msg(const char *text)
{
    for (const char *at = text; (at = strstr(at, "msg")); at++) {
        const char *line = at;
        while (line > text && line[-1] != '\n')
            line--;
        if (!memchr(line, '#', (size_t)(at - line)) && at > line
            && strchr(" \t", at[-1]) && strchr(" \t\r\n", at[3]))
            return true;
    }
    return false;
}

/* Starts are ps, or us in files with `msg`, as csg-htsim has it. */
static orr_err read_htsim(struct orr_flow_reader *r)
{
    struct cm c = {.r = r,
                   .nodes = -1,
                   .connections = -1,
                   .triggers = -1,
                   .failures = -1,
                   .first_trigger = orr__triggers_count(r->list)};
    orr_err err = ORR_OK;
    r->scan.comment = '#';
    c.reuse = says_msg(r->scan.at);
    while (err == ORR_OK && orr__scan_word(&r->scan))
        err = read_line(&c);
    orr__table_fini(&c.by_id);
    return err == ORR_OK ? check_counts(&c) : err;
}

extern const struct orr_flow_format_ops orr__flow_format_htsim;
const struct orr_flow_format_ops orr__flow_format_htsim = {
    .name = "htsim",
    .doc = "htsim's connection matrix (.cm) with its triggers; starts "
           "are picoseconds.",
    .read = read_htsim,
};
