#include "record/write_probes.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "core/assert.h"
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

/* X(MEMBER of struct orr_probed, LONG_NAME): each of them a column. */
#define FLOW_COLUMNS(X)                                                        \
    X(job, "index of the job; -1: a flow")                                     \
    X(from, "rank that sends; -1: a flow")                                     \
    X(to, "rank that receives; -1: a flow")                                    \
    X(src, "node id of the source")                                            \
    X(dst, "node id of the destination")

static const struct orr_record_column flow_columns[] = {
#define COLUMN(member, long_name)                                              \
    {#member, ORR_RECORD_I64, "1", long_name, NULL},
    FLOW_COLUMNS(COLUMN)
#undef COLUMN
};
enum { MOST_FLOW_COLUMNS = sizeof flow_columns / sizeof *flow_columns };

static int64_t value_of(const struct orr_probed *x, int column)
{
#define VALUE(member, long_name) x->member,
    const int64_t v[] = {FLOW_COLUMNS(VALUE)};
#undef VALUE
    return v[column];
}

/* "flow 3", or job and ranks: "train 0 > 1". */
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
    int column[MOST_FLOW_COLUMNS];
    int64_t jobs = 0;
    for (int c = 0; c < MOST_FLOW_COLUMNS; c++)
        column[c] = orr__record_column(r, group, &flow_columns[c], scale);
    for (uint32_t i = 0; i < n && *err == ORR_OK; i++) {
        const struct orr_probed *x = &p[i];
        int64_t name = x->flow >= 0 ? x->flow : --jobs;
        orr__record_write(r, scale, i, 1, &name);
        *err = write_label(r, label, i, w, x);
        for (int c = 0; c < MOST_FLOW_COLUMNS; c++) {
            int64_t v = value_of(x, c);
            orr__record_write(r, column[c], i, 1, &v);
        }
    }
    return scale;
}

/* X(ID, TYPE, MEMBER of union value, NAME, UNIT, LONG_NAME, VALUE): each of
 * them a table. c: struct orr_connection_state. */
#define FLOW_TABLES(X)                                                         \
    X(CWND, F64, f, "cwnd", "B",                                               \
      "congestion window, payload; infinite: none; NaN: not started",          \
      c->there ? c->s.cwnd_bytes : (double)NAN)                                \
    X(RATE, F64, f, "rate", "bit/s",                                           \
      "rate that packets are paced at; 0: not paced; NaN: not started",        \
      c->there ? c->s.rate_bps : (double)NAN)                                  \
    X(ALPHA, F64, f, "alpha", "1",                                             \
      "estimate that the congestion control keeps (alpha of DCTCP and "        \
      "DCQCN); NaN: it has none",                                              \
      c->there ? c->s.estimate : (double)NAN)                                  \
    X(GAIN, F64, f, "gain", "1",                                               \
      "factor on additive increases: the weight, with mltcp times F; NaN: "    \
      "not started",                                                           \
      c->there ? c->s.gain : (double)NAN)                                      \
    X(RTT, I64, i, "rtt", "ps",                                                \
      "last sample of the round-trip time; -1: none yet",                      \
      c->s.rtt_ps > 0 ? c->s.rtt_ps : -1)                                      \
    X(SRTT, I64, i, "srtt", "ps", "smoothed round-trip time; -1: none yet",    \
      c->s.srtt_ps > 0 ? c->s.srtt_ps : -1)                                    \
    X(IN_FLIGHT, U64, u, "bytes_in_flight", "B",                               \
      "payload sent and not acknowledged, in full packets",                    \
      c->s.in_flight_bytes)                                                    \
    X(SENT, U64, u, "bytes_sent", "B",                                         \
      "payload sent since the start, with repeats", c->s.sent_bytes)

/* Likewise, of ports: s is a struct orr_port_state. */
#define PORT_TABLES(X)                                                         \
    X(QUEUE, U64, u, "queue", "B", "bytes waiting or in service", s->queue)    \
    X(BYTES, U64, u, "bytes", "B", "wire bytes sent since the start",          \
      s->bytes)                                                                \
    X(MARKS, U64, u, "marks", "1",                                             \
      "packets marked with congestion experienced since the start", s->marks)  \
    X(DROPS, U64, u, "drops", "1",                                             \
      "packets lost since the start, by a full queue or on the wire",          \
      s->drops)

#define ID(id, ...) id,
#define TABLE(id, type, member, name, unit, long_name, value)                  \
    {name, ORR_RECORD_##type, unit, long_name, NULL},
enum { FLOW_TABLES(ID) MOST_FLOW_TABLES };
enum { PORT_TABLES(ID) MOST_PORT_TABLES };
static const struct orr_record_column flow_tables[] = {FLOW_TABLES(TABLE)};
static const struct orr_record_column port_tables[] = {PORT_TABLES(TABLE)};
_Static_assert((int)MOST_FLOW_TABLES <= ORR_PROBE_TABLES
                   && (int)MOST_PORT_TABLES <= ORR_PROBE_TABLES,
               "tables");

/* A cell of any table; which member, the table's column says. 8 bytes each, so
 * that tiles have one size. */
union value {
    double f;
    int64_t i;
    uint64_t u;
};
_Static_assert(sizeof(union value) == 8, "a cell of any table");
#define VALUE(id, type, member, name, unit, long_name, figure)                 \
    case id: return (union value){.member = figure};

static union value flow_value(const struct orr_probes *p, int table,
                              uint32_t row, uint32_t column)
{
    const struct orr_connection_state *c =
        &p->connection[(size_t)row * p->flows + column];
    switch (table) {
        FLOW_TABLES(VALUE)
    }
    ORR_ASSERT(false);
    return (union value){.u = 0};
}

static union value port_value(const struct orr_probes *p, int table,
                              uint32_t row, uint32_t column)
{
    const struct orr_port_state *s = &p->state[(size_t)row * p->ports + column];
    switch (table) {
        PORT_TABLES(VALUE)
    }
    ORR_ASSERT(false);
    return (union value){.u = 0};
}

/* ---- what ports are ----------------------------------------------------- */

static const struct orr_record_column port_column = {"port", ORR_RECORD_U32,
                                                     "1", "link id", NULL};
static const struct orr_record_column from_column = {
    "from", ORR_RECORD_U32, "1", "id of the node that sends", NULL};
static const struct orr_record_column to_column = {
    "to", ORR_RECORD_U32, "1", "id of the node that receives", NULL};

/* Link id and its ends, by place among the chosen ports. Returns the scale that
 * tables go by. */
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
        begin_group(r, &o->flows, group, p, columns, flow_tables,
                    MOST_FLOW_TABLES, "time_s label job from to src dst");
    }
    if (p->ports) {
        int group = orr__record_group(r, "port_series"), columns;
        o->ports.tile_cols = tile_cols(p->ports);
        columns = write_port_columns(r, group, p, o->ports.tile_cols);
        begin_group(r, &o->ports, group, p, columns, port_tables,
                    MOST_PORT_TABLES, "time_s from to");
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

/* One tile of one table; cells beyond the rows that there are stay 0. */
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

/* n samples of all tables, tile by tile. */
static void write_strip(struct orr_record *r, const struct orr_probe_group *g,
                        const struct strip *s, int tables)
{
    const struct orr_probes *p = s->p;
    uint64_t row = p->dropped + s->first;
    ORR_ASSERT(s->n <= p->tile_rows && tables <= ORR_PROBE_TABLES);
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
            write_strip(o->record, &o->flows, &s, MOST_FLOW_TABLES);
        s.columns = p->ports;
        s.value = port_value;
        if (p->ports)
            write_strip(o->record, &o->ports, &s, MOST_PORT_TABLES);
    }
    orr__free(tile);
    return ORR_OK;
}
