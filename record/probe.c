#include "record/probe.h"
#include "core/none.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "core/memory.h"
#include "core/units.h"
#include "workload/flow/flows.h"
#include "workload/job/job.h"
#include "workload/rank/rank.h"

/* Samples that an automatic series holds at most, fewer with many columns,
 * and rows of a tile of the file. */
#define MOST_ROWS       2048u
#define LEAST_ROWS      128u
#define MOST_CELLS      (UINT32_C(1) << 19)
#define MOST_TILE_ROWS  1024u
#define LEAST_TILE_ROWS 64u
#define TILE_CELLS      (UINT32_C(1) << 16)

/* ---- reading ------------------------------------------------------------ */

/* Which flows or ports are sampled, and how often. */
static orr_err read_sample(struct orr_probes *p, struct orr_world *w,
                           const struct orr_yaml *record, const char *text,
                           int64_t interval_ps, struct orr_report *why)
{
    const char *wrong;
    orr_err err;
    p->sample_ps = interval_ps;
    p->automatic = !text && interval_ps == 0;
    if (!text)
        return ORR_OK;
    wrong = orr__parse_time(text, &p->sample_ps);
    if (!wrong && p->sample_ps < ORR_NS)
        wrong = "samples must be at least 1ns apart";
    if (!wrong)
        return ORR_OK;
    err = orr__yaml_fail(w->config, orr__yaml_get(record, "sample"), why,
                         "record.sample: %s", wrong);
    orr__hint(why, "a time as in `sample: 100ns`");
    return err;
}

orr_err orr__probes_read(struct orr_probes *p, struct orr_world *w,
                         const struct orr_yaml *record,
                         const struct orr_probe_keys *k, int64_t interval_ps,
                         struct orr_report *why)
{
    struct orr_selection chosen = {.flow = NULL};
    struct orr_selector r = {.w = w,
                             .name = "record.flows",
                             .verb = "sampled",
                             .into = &chosen,
                             .why = why};
    orr_err err = ORR_OK;
    *p = (struct orr_probes){.world = w};
    if (k->flows)
        err = orr__select_flows(&r, k->flows);
    r.name = "record.ports";
    if (err == ORR_OK && k->ports)
        err = orr__select_ports(&r, k->ports);
    if (err == ORR_OK)
        err = read_sample(p, w, record, k->sample, interval_ps, why);
    if (err) {
        orr__selection_fini(&chosen);
        return err;
    }
    p->flow = chosen.flow;
    p->flows = chosen.flows;
    p->port = chosen.port;
    p->ports = chosen.ports;
    return err;
}

/* ---- sampling ----------------------------------------------------------- */

static uint32_t within(uint32_t v, uint32_t least, uint32_t most)
{
    return v < least ? least : v > most ? most : v;
}

orr_err orr__probes_start(struct orr_probes *p, int64_t finest_ps)
{
    uint32_t columns = p->flows + p->ports;
    if (columns == 0)
        return ORR_OK;
    if (p->automatic)
        p->sample_ps = finest_ps;
    p->tile_rows =
        within(TILE_CELLS / columns, LEAST_TILE_ROWS, MOST_TILE_ROWS);
    p->room = p->tile_rows;
    if (p->automatic)
        p->room = within(MOST_CELLS / columns, LEAST_ROWS, MOST_ROWS) & ~1u;
    p->time = orr__alloc(p->room, sizeof *p->time);
    p->connection =
        orr__alloc((size_t)p->room * p->flows, sizeof *p->connection);
    p->state = orr__alloc((size_t)p->room * p->ports, sizeof *p->state);
    return p->time && p->connection && p->state ? ORR_OK : ORR_ENOMEM;
}

/* ORR_NONE: not made yet. */
static uint32_t connection_of(const struct orr_world *w,
                              const struct orr_probed *x)
{
    const struct orr_team *t;
    if (x->flow >= 0) {
        const struct orr_flow *f = &w->flows->flow[x->flow];
        return (f->on ? &w->flows->flow[f->on - 1] : f)->connection;
    }
    t = w->jobs[x->job].team;
    return t->rank ? orr__rank_connection(&t->rank[x->from], (uint32_t)x->to)
                   : ORR_NONE;
}

void orr__probes_take(struct orr_probes *p, int64_t now)
{
    const struct orr_world *w = p->world;
    struct orr_connection_state *c = p->connection + (size_t)p->n * p->flows;
    struct orr_port_state *s = p->state + (size_t)p->n * p->ports;
    assert(p->n < p->room);
    p->time[p->n++] = p->last_ps = now;
    for (uint32_t i = 0; i < p->flows; i++) {
        uint32_t id = connection_of(w, &p->flow[i]);
        c[i] = (struct orr_connection_state){.there = id != ORR_NONE};
        if (c[i].there)
            orr__net_connection_sample(w->net, id, &c[i].s);
    }
    for (uint32_t i = 0; i < p->ports; i++) {
        struct orr_link_sample l;
        orr__net_link_sample(w->net, p->port[i], now, &l);
        s[i] = (struct orr_port_state){l.queue, l.bytes, l.marks, l.drops};
    }
}

/* A sample over another one. */
static void move_row(struct orr_probes *p, uint32_t from, uint32_t to)
{
    if (from == to)
        return;
    p->time[to] = p->time[from];
    memcpy(p->connection + (size_t)to * p->flows,
           p->connection + (size_t)from * p->flows,
           p->flows * sizeof *p->connection);
    memcpy(p->state + (size_t)to * p->ports, p->state + (size_t)from * p->ports,
           p->ports * sizeof *p->state);
}

int64_t orr__probes_last(const struct orr_probes *p)
{
    return orr__probes_any(p) ? p->last_ps : INT64_MAX;
}

/* Sample i was taken at (i + 1) intervals: the odd ones stay on the grid. */
void orr__probes_thin(struct orr_probes *p)
{
    assert(p->automatic && p->n % 2 == 0);
    for (uint32_t i = 0; i < p->n / 2; i++)
        move_row(p, 2 * i + 1, i);
    p->n /= 2;
    p->sample_ps *= 2;
}

void orr__probes_drop(struct orr_probes *p, uint32_t n)
{
    assert(n <= p->n);
    for (uint32_t i = n; i < p->n; i++)
        move_row(p, i, i - n);
    p->n -= n;
    p->dropped += n;
}

void orr__probes_fini(struct orr_probes *p)
{
    orr__free(p->flow);
    orr__free(p->port);
    orr__free(p->time);
    orr__free(p->connection);
    orr__free(p->state);
    *p = (struct orr_probes){.world = NULL};
}
