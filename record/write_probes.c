#include "record/write_probes.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/units.h"
#include "workload/job/job.h"

#define MOST_TILE_COLS 64

static const struct orr_record_column time_column = {
    "time", ORR_RECORD_I64, "ps", "time of the sample", NULL};
static const struct orr_record_column time_s_column = {
    "time_s", ORR_RECORD_F64, "s", "time of the sample", NULL};

/* ---- what connections are ----------------------------------------------- */

static const struct orr_record_column flow_column = {
    "flow", ORR_RECORD_I64, "1",
    "index of the flow; -1, -2, ...: connections of jobs", NULL};
static const struct orr_record_column label_column = {
    "label", ORR_RECORD_TEXT, "1", "what is sampled", NULL};
static const struct orr_record_column flow_columns[] = {
    {"job", ORR_RECORD_I64, "1", "index of the job; -1: a flow", NULL},
    {"from", ORR_RECORD_I64, "1", "rank that sends; -1: a flow", NULL},
    {"to", ORR_RECORD_I64, "1", "rank that receives; -1: a flow", NULL},
    {"src", ORR_RECORD_I64, "1", "node id of the source", NULL},
    {"dst", ORR_RECORD_I64, "1", "node id of the destination", NULL},
};
enum { FLOW_COLUMNS = sizeof flow_columns / sizeof *flow_columns };

static int64_t value_of(const struct orr_probed *x, int column)
{
    const int64_t v[FLOW_COLUMNS] = {x->job, x->from, x->to, x->src, x->dst};
    return v[column];
}

static orr_err write_label(struct orr_record *r, int column, uint32_t row,
                           const struct orr_world *w,
                           const struct orr_probed *x)
{
    char *text = x->flow >= 0
                     ? orr__format("flow %lld", (long long)x->flow)
                     : orr__format("%s %lld > %lld", w->jobs[x->job].name,
                                   (long long)x->from, (long long)x->to);
    const char *value = text;
    if (!text)
        return ORR_ENOMEM;
    orr__record_write(r, column, row, 1, &value);
    orr__free(text);
    return ORR_OK;
}

int orr__write_connections(struct orr_record *r, int group,
                           const struct orr_world *w,
                           const struct orr_probed *p, uint32_t n,
                           uint32_t chunk, orr_err *err)
{
    int scale = orr__record_scale(r, group, &flow_column, chunk);
    int label = orr__record_column(r, group, &label_column, scale);
    int column[FLOW_COLUMNS];
    int64_t jobs = 0;
    for (int c = 0; c < FLOW_COLUMNS; c++)
        column[c] = orr__record_column(r, group, &flow_columns[c], scale);
    for (uint32_t i = 0; i < n && *err == ORR_OK; i++) {
        const struct orr_probed *x = &p[i];
        int64_t name = x->flow >= 0 ? x->flow : --jobs;
        orr__record_write(r, scale, i, 1, &name);
        *err = write_label(r, label, i, w, x);
        for (int c = 0; c < FLOW_COLUMNS; c++) {
            int64_t v = value_of(x, c);
            orr__record_write(r, column[c], i, 1, &v);
        }
    }
    return scale;
}

enum { CWND, RATE, ALPHA, GAIN, RTT, SRTT, IN_FLIGHT, SENT, FLOW_TABLES };
static const struct orr_record_column flow_tables[FLOW_TABLES] = {
    [CWND] = {"cwnd", ORR_RECORD_F64, "B",
              "congestion window, payload; "
              "infinite: none; NaN: not started",
              NULL},
    [RATE] = {"rate", ORR_RECORD_F64, "bit/s",
              "rate that packets are paced "
              "at; 0: not paced; NaN: not started",
              NULL},
    [ALPHA] = {"alpha", ORR_RECORD_F64, "1",
               "estimate that the congestion "
               "control keeps (alpha of DCTCP and DCQCN); NaN: it has none",
               NULL},
    [GAIN] = {"gain", ORR_RECORD_F64, "1",
              "factor on additive increases: "
              "the weight, with mltcp times F; NaN: not started",
              NULL},
    [RTT] = {"rtt", ORR_RECORD_I64, "ps",
             "last sample of the round-trip time; -1: none yet", NULL},
    [SRTT] = {"srtt", ORR_RECORD_I64, "ps",
              "smoothed round-trip time; -1: none yet", NULL},
    [IN_FLIGHT] = {"bytes_in_flight", ORR_RECORD_U64, "B",
                   "payload sent and not acknowledged, in full packets", NULL},
    [SENT] = {"bytes_sent", ORR_RECORD_U64, "B",
              "payload sent since the start, with repeats", NULL},
};

union value {
    double f;
    int64_t i;
    uint64_t u;
};
_Static_assert(sizeof(union value) == 8, "a cell of any table");

static union value flow_value(const struct orr_probes *p, int table,
                              uint32_t row, uint32_t column)
{
    const struct orr_connection_state *c =
        &p->connection[(size_t)row * p->flows + column];
    union value v = {.u = 0};
    switch (table) {
    case CWND: v.f = c->there ? c->s.cwnd_bytes : (double)NAN; break;
    case RATE: v.f = c->there ? c->s.rate_bps : (double)NAN; break;
    case ALPHA: v.f = c->there ? c->s.estimate : (double)NAN; break;
    case GAIN: v.f = c->there ? c->s.gain : (double)NAN; break;
    case RTT: v.i = c->s.rtt_ps > 0 ? c->s.rtt_ps : -1; break;
    case SRTT: v.i = c->s.srtt_ps > 0 ? c->s.srtt_ps : -1; break;
    case IN_FLIGHT: v.u = c->s.in_flight_bytes; break;
    default: assert(table == SENT); v.u = c->s.sent_bytes;
    }
    return v;
}

/* ---- what ports are ----------------------------------------------------- */

static const struct orr_record_column port_column = {"port", ORR_RECORD_U32,
                                                     "1", "link id", NULL};
static const struct orr_record_column from_column = {
    "from", ORR_RECORD_U32, "1", "id of the node that sends", NULL};
static const struct orr_record_column to_column = {
    "to", ORR_RECORD_U32, "1", "id of the node that receives", NULL};

static int write_port_columns(struct orr_record *r, int group,
                              const struct orr_probes *p, uint32_t chunk)
{
    const struct orr_graph *g = p->world->graph;
    int scale = orr__record_scale(r, group, &port_column, chunk);
    int from = orr__record_column(r, group, &from_column, scale);
    int to = orr__record_column(r, group, &to_column, scale);
    orr__record_write(r, scale, 0, p->ports, p->port);
    for (uint32_t i = 0; i < p->ports; i++) {
        orr__record_write(r, from, i, 1, &g->from[p->port[i]]);
        orr__record_write(r, to, i, 1, &g->to[p->port[i]]);
    }
    return scale;
}

enum { QUEUE, BYTES, MARKS, DROPS, PORT_TABLES };
static const struct orr_record_column port_tables[PORT_TABLES] = {
    [QUEUE] = {"queue", ORR_RECORD_U64, "B", "bytes waiting or in service",
               NULL},
    [BYTES] = {"bytes", ORR_RECORD_U64, "B", "wire bytes sent since the start",
               NULL},
    [MARKS] = {"marks", ORR_RECORD_U64, "1",
               "packets marked with congestion experienced since the start",
               NULL},
    [DROPS] = {"drops", ORR_RECORD_U64, "1",
               "packets lost since the start, by a full queue or on the wire",
               NULL},
};
_Static_assert((int)FLOW_TABLES <= ORR_PROBE_TABLES
                   && (int)PORT_TABLES <= ORR_PROBE_TABLES,
               "tables");

static union value port_value(const struct orr_probes *p, int table,
                              uint32_t row, uint32_t column)
{
    const struct orr_port_state *s = &p->state[(size_t)row * p->ports + column];
    const uint64_t v[PORT_TABLES] = {s->queue, s->bytes, s->marks, s->drops};
    return (union value){.u = v[table]};
}

/* ---- writing ------------------------------------------------------------ */

static void begin_group(struct orr_record *r, struct orr_probe_group *g,
                        int group, const struct orr_probes *p, int columns,
                        const struct orr_record_column *tables, int n,
                        const char *coordinates)
{
    g->time = orr__record_scale(r, group, &time_column, p->tile_rows);
    g->time_s = orr__record_column(r, group, &time_s_column, g->time);
    for (int t = 0; t < n; t++) {
        g->table[t] =
            orr__record_matrix(r, group, &tables[t], g->time, columns);
        orr__record_text(r, g->table[t], "coordinates", coordinates);
    }
}

static uint32_t tile_cols(uint32_t columns)
{
    return columns < MOST_TILE_COLS ? columns : MOST_TILE_COLS;
}

orr_err orr__probes_begin(struct orr_probes_writer *o, struct orr_record *r,
                          const struct orr_probes *p)
{
    orr_err err = ORR_OK;
    *o = (struct orr_probes_writer){.record = r};
    if (p->flows) {
        int group = orr__record_group(r, "flow_series"), columns;
        o->flows.tile_cols = tile_cols(p->flows);
        columns = orr__write_connections(r, group, p->world, p->flow, p->flows,
                                         o->flows.tile_cols, &err);
        begin_group(r, &o->flows, group, p, columns, flow_tables, FLOW_TABLES,
                    "time_s label job from to src dst");
    }
    if (p->ports) {
        int group = orr__record_group(r, "port_series"), columns;
        o->ports.tile_cols = tile_cols(p->ports);
        columns = write_port_columns(r, group, p, o->ports.tile_cols);
        begin_group(r, &o->ports, group, p, columns, port_tables, PORT_TABLES,
                    "time_s from to");
    }
    return err;
}

/* Rows [first, first + n) of one group: they lie in one row of tiles. */
struct strip {
    const struct orr_probes *p;
    uint32_t first, n, columns;
    bool final;
    union value (*value)(const struct orr_probes *p, int table, uint32_t row,
                         uint32_t column);
    union value *tile;
};

static void write_tile(struct orr_record *r, const struct orr_probe_group *g,
                       const struct strip *s, int table, uint32_t at)
{
    uint32_t begin = at * g->tile_cols, end = begin + g->tile_cols;
    if (end > s->columns)
        end = s->columns;
    memset(s->tile, 0, (size_t)s->p->tile_rows * g->tile_cols * 8);
    for (uint32_t row = 0; row < s->n; row++)
        for (uint32_t c = begin; c < end; c++)
            s->tile[(size_t)row * g->tile_cols + c - begin] =
                s->value(s->p, table, s->first + row, c);
    orr__record_tile(r, g->table[table],
                     (s->p->dropped + s->first) / s->p->tile_rows, at, s->tile,
                     s->final);
}

static void write_seconds(struct orr_record *r, int column, uint64_t row,
                          const int64_t *time, uint32_t n)
{
    double seconds[256];
    for (uint32_t at = 0; at < n; at += 256) {
        uint32_t count = n - at < 256 ? n - at : 256;
        for (uint32_t i = 0; i < count; i++)
            seconds[i] = (double)time[at + i] / (double)ORR_S;
        orr__record_write(r, column, row + at, count, seconds);
    }
}

static void write_strip(struct orr_record *r, const struct orr_probe_group *g,
                        const struct strip *s, int tables)
{
    const struct orr_probes *p = s->p;
    uint64_t row = p->dropped + s->first;
    orr__record_write(r, g->time, row, s->n, p->time + s->first);
    write_seconds(r, g->time_s, row, p->time + s->first, s->n);
    for (int t = 0; t < tables; t++) {
        orr__record_extend(r, g->table[t], row + s->n, s->columns);
        for (uint32_t at = 0; at * g->tile_cols < s->columns; at++)
            write_tile(r, g, s, t, at);
    }
}

orr_err orr__probes_write(struct orr_probes_writer *o,
                          const struct orr_probes *p, bool final)
{
    union value *tile;
    if (!orr__probes_any(p) || p->n == 0)
        return ORR_OK;
    assert(p->dropped % p->tile_rows == 0);
    tile = orr__alloc((size_t)p->tile_rows * MOST_TILE_COLS, sizeof *tile);
    if (!tile)
        return ORR_ENOMEM;
    for (uint32_t first = 0; first < p->n; first += p->tile_rows) {
        uint32_t left = p->n - first;
        struct strip s = {.p = p, .first = first, .tile = tile};
        s.n = left < p->tile_rows ? left : p->tile_rows;
        s.final = final || s.n == p->tile_rows;
        s.columns = p->flows;
        s.value = flow_value;
        if (p->flows)
            write_strip(o->record, &o->flows, &s, FLOW_TABLES);
        s.columns = p->ports;
        s.value = port_value;
        if (p->ports)
            write_strip(o->record, &o->ports, &s, PORT_TABLES);
    }
    orr__free(tile);
    return ORR_OK;
}
