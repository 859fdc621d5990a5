#include "record/write_h5.h"
#include "core/assert.h"
#include "core/none.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <gsl/gsl_version.h>

#include "core/memory.h"
#include "core/units.h"
#include "record/adders.h"
#include "record/figures.h"
#include "record/operations.h"
#include "record/rows.h"
#include "record/write_circles.h"
#include "record/write_requests.h"
#include "topo/node_names.h"
#include "workload/flow/flows.h"
#include "workload/job/job.h"

static double seconds(int64_t ps)
{
    return ps < 0 ? NAN : (double)ps / (double)ORR_S;
}

/* ---- topology ----------------------------------------------------------- */

/* A row of /topology's nodes; `name` points into `text`, so it lives until the
 * next row. */
struct node_row {
    uint32_t node;
    const char *name;
    uint8_t type, level, forwards;
    double x, y, z;
    char text[ORR_NODE_NAME];
};

static const struct orr_row_field node_fields[] = {
    ORR_FIELD(node_row, node, U32, "1", "node id; hosts come first", NULL),
    ORR_FIELD(node_row, name, TEXT, "1", "name of the node", NULL),
    ORR_FIELD(node_row, type, U8, "1", "what the node is", "host switch"),
    ORR_FIELD(node_row, level, U8, "1", "tier of the node, hosts are 0", NULL),
    ORR_FIELD(node_row, forwards, U8, "1", "passes on the packets of others",
              "no yes"),
    ORR_FIELD(node_row, x, F64, "1", "layout coordinate for pictures", NULL),
    ORR_FIELD(node_row, y, F64, "1", "layout coordinate for pictures", NULL),
    ORR_FIELD(node_row, z, F64, "1", "layout coordinate for pictures", NULL),
};

/* What a graph does not know (level, forwards, place) has the value of a plain
 * one. */
static void node_row(void *from, uint64_t i, void *row)
{
    const struct orr_graph *g = from;
    struct node_row *r = row;
    ORR_ASSERT(i < g->nodes);
    bool host = orr__is_host(g, (uint32_t)i);
    *r = (struct node_row){
        .node = (uint32_t)i,
        .type = !host,
        .level = g->level ? g->level[i] : !host,
        .forwards = g->forwards ? g->forwards[i] : !host,
        .x = g->x ? g->x[i] : 0,
        .y = g->y ? g->y[i] : 0,
        .z = g->z ? g->z[i] : 0,
    };
    r->name = orr__node_name(g, (uint32_t)i, r->text, sizeof r->text);
}

/* A row of /topology's links: bit/s, ps, and the probability that a packet is
 * lost. */
struct link_row {
    uint32_t link, from, to;
    uint64_t rate;
    int64_t delay;
    double loss;
    uint8_t tier;
};

/* The names of the tiers are the graph's: filled in before use. */
static const struct orr_row_field link_fields[] = {
    ORR_FIELD(link_row, link, U32, "1", "link id; one direction of a cable",
              NULL),
    ORR_FIELD(link_row, from, U32, "1", "id of the node that sends", NULL),
    ORR_FIELD(link_row, to, U32, "1", "id of the node that receives", NULL),
    ORR_FIELD(link_row, rate, U64, "bit/s", "rate", NULL),
    ORR_FIELD(link_row, delay, I64, "ps", "propagation delay", NULL),
    ORR_FIELD(link_row, loss, F64, "1", "probability that a packet is lost",
              NULL),
    ORR_FIELD(link_row, tier, U8, "1", "tier of the link", NULL),
};
#define TIER (sizeof link_fields / sizeof *link_fields - 1)

/* What a graph does not know is 0. */
static void link_row(void *from, uint64_t i, void *row)
{
    const struct orr_graph *g = from;
    ORR_ASSERT(i < g->links);
    *(struct link_row *)row = (struct link_row){
        .link = (uint32_t)i,
        .from = g->from[i],
        .to = g->to[i],
        .rate = g->rate_bps[i],
        .delay = g->delay_ps[i],
        .loss = g->loss ? g->loss[i] : 0,
        .tier = g->tier ? g->tier[i] : 0,
    };
}

/* "host edge core": the meanings of link/tier, a word for each. */
static char *tier_words(const struct orr_graph *g)
{
    char *words = orr__strdup("");
    for (size_t i = 0; words && g->tier_names && g->tier_names[i]; i++) {
        char *more =
            orr__format("%s%s%s", words, i ? " " : "", g->tier_names[i]);
        for (char *c = more ? more + strlen(words) + (i > 0) : NULL; c && *c;
             c++)
            if (*c == ' ')
                *c = '_';
        orr__free(words);
        words = more;
    }
    return words;
}

/* Nodes, links, and the words for tiers as flags of that column. */
static orr_err write_topology(struct orr_record *r, const struct orr_graph *g)
{
    static const struct orr_rows nodes =
        ORR_ROWS(node_fields, node_row, node_row);
    struct orr_row_field fields[TIER + 1];
    struct orr_rows links = {fields, TIER + 1, sizeof(struct link_row),
                             link_row};
    int group = orr__record_group(r, "topology");
    orr__record_text(r, group, "kind", g->kind);
    char *words = tier_words(g);
    if (words == NULL)
        return ORR_ENOMEM;
    memcpy(fields, link_fields, sizeof fields);
    fields[TIER].column.flags = *words ? words : NULL;
    void *from = (void *)g; /* rows are made of it, and it stays as it is */
    orr_err err = orr__rows_write(r, group, &nodes, from, g->nodes);
    if (err == ORR_OK)
        err = orr__rows_write(r, group, &links, from, g->links);
    orr__free(words);
    return err;
}

/* ---- jobs --------------------------------------------------------------- */

/* A row of /jobs; times in ps, -1: not finished; mean and alone in ps. */
struct job_row {
    uint32_t job, ranks, iterations, warmup;
    const char *name;
    int64_t start, finish;
    uint64_t bytes_sent, wire_bytes, retransmissions, timeouts, marks, cnps;
    double mean, alone, slowdown;
};

static const struct orr_row_field job_fields[] = {
    ORR_FIELD(job_row, job, U32, "1", "index of the job", NULL),
    ORR_FIELD(job_row, name, TEXT, "1", "name of the job", NULL),
    ORR_FIELD(job_row, ranks, U32, "1", "number of ranks", NULL),
    ORR_FIELD(job_row, iterations, U32, "1", "iterations requested", NULL),
    ORR_FIELD(job_row, warmup, U32, "1", "first iterations, not in means",
              NULL),
    ORR_FIELD(job_row, start, I64, "ps", "start, as configured", NULL),
    ORR_FIELD(job_row, finish, I64, "ps",
              "end of the last rank; -1: not finished", NULL),
    ORR_FIELD(job_row, bytes_sent, U64, "B",
              "payload sent, without headers and repeats", NULL),
    ORR_FIELD(job_row, wire_bytes, U64, "B",
              "bytes sent, with headers and repeats", NULL),
    ORR_FIELD(job_row, retransmissions, U64, "1", "packets sent again", NULL),
    ORR_FIELD(job_row, timeouts, U64, "1", "retransmission timeouts", NULL),
    ORR_FIELD(job_row, marks, U64, "1",
              "packets that arrived with congestion experienced", NULL),
    ORR_FIELD(job_row, cnps, U64, "1", "congestion notifications sent", NULL),
    ORR_FIELD(job_row, mean, F64, "ps",
              "mean iteration, without warm-up; NaN: "
              "none",
              NULL),
    ORR_FIELD(job_row, alone, F64, "ps",
              "mean iteration of the job alone; NaN: not measured", NULL),
    ORR_FIELD(job_row, slowdown, F64, "1", "mean over alone", NULL),
};

/* What rows of /jobs are made from. */
struct jobs {
    const struct orr_world *world;
    double *room; /* for the iterations of any job */
};

/* Means are over iterations after the warmup; NAN: none of them ended. */
static void job_row(void *from, uint64_t i, void *row)
{
    const struct jobs *all = from;
    ORR_ASSERT(i < all->world->n_jobs);
    const struct orr_job *job = &all->world->jobs[i];
    struct orr_statistics s = orr__figures_iterations(job, all->room);
    double mean = s.n ? s.mean : NAN;
    *(struct job_row *)row = (struct job_row){
        .job = (uint32_t)i,
        .name = job->name,
        .ranks = job->ranks,
        .iterations = job->iterations,
        .warmup = job->warmup,
        .start = job->start_ps,
        .finish = job->finish_ps,
        .bytes_sent = job->bytes_sent,
        .wire_bytes = job->wire_bytes,
        .retransmissions = job->retransmissions,
        .timeouts = job->timeouts,
        .marks = job->marks,
        .cnps = job->cnps,
        .mean = mean,
        .alone = job->baseline_ps > 0 ? job->baseline_ps : NAN,
        .slowdown = job->baseline_ps > 0 ? mean / job->baseline_ps : NAN,
    };
}

/* Room for the iterations of the longest job is taken once for all rows. */
static orr_err write_job_rows(struct orr_record *r, const struct orr_world *w)
{
    static const struct orr_rows rows = ORR_ROWS(job_fields, job_row, job_row);
    uint32_t most = 0;
    for (uint32_t i = 0; i < w->n_jobs; i++)
        if (w->jobs[i].iterations > most)
            most = w->jobs[i].iterations;
    struct jobs all = {w, orr__alloc(most, sizeof *all.room)};
    if (!all.room)
        return ORR_ENOMEM;
    orr_err err = orr__rows_write(r, orr__record_group(r, "jobs"), &rows, &all,
                                  w->n_jobs);
    orr__free(all.room);
    return err;
}

/* Walks through what all jobs have, in order; rows are made in order too. */
struct cursor {
    const struct orr_world *world;
    uint32_t job, i;
};

static const struct orr_job *job_at(const struct cursor *c)
{
    return &c->world->jobs[c->job];
}

/* A row of /ranks; ps summed over iterations. */
struct rank_row {
    uint32_t member, job, rank, host, iterations;
    int64_t compute, communication, exposed, overlap;
    uint64_t bytes_sent, bytes_received;
};

static const struct orr_row_field rank_fields[] = {
    ORR_FIELD(rank_row, member, U32, "1", "row", NULL),
    ORR_FIELD(rank_row, job, U32, "1", "index of the job", NULL),
    ORR_FIELD(rank_row, rank, U32, "1",
              "rank in the job; from the job's ranks on: parameter servers",
              NULL),
    ORR_FIELD(rank_row, host, U32, "1", "node id of the host", NULL),
    ORR_FIELD(rank_row, iterations, U32, "1", "iterations that it ended", NULL),
    ORR_FIELD(rank_row, compute, I64, "ps",
              "at least one computation was at work, all iterations", NULL),
    ORR_FIELD(rank_row, communication, I64, "ps",
              "at least one send, receive or collective was active", NULL),
    ORR_FIELD(rank_row, exposed, I64, "ps", "communication without computation",
              NULL),
    ORR_FIELD(rank_row, overlap, I64, "ps", "both at once", NULL),
    ORR_FIELD(rank_row, bytes_sent, U64, "B", "payload sent over the network",
              NULL),
    ORR_FIELD(rank_row, bytes_received, U64, "B",
              "payload received over the network", NULL),
};

/* Rows are asked for in order, so the cursor only moves on. A job that never
 * began has zeros. */
static void rank_row(void *from, uint64_t i, void *row)
{
    struct cursor *c = from;
    ORR_ASSERT(c->job < c->world->n_jobs);
    while (c->i == job_at(c)->members) {
        c->job++;
        c->i = 0;
    }
    const struct orr_job *job = job_at(c);
    struct rank_row *x = row;
    *x = (struct rank_row){
        .member = (uint32_t)i,
        .job = c->job,
        .rank = c->i,
        .host = job->hosts[c->i],
    };
    if (job->rank) {
        const struct orr_rank_record *r = &job->rank[c->i];
        x->iterations = r->iterations;
        x->compute = r->compute_ps;
        x->communication = r->communication_ps;
        x->exposed = r->communication_ps - r->overlap_ps;
        x->overlap = r->overlap_ps;
        x->bytes_sent = r->bytes_sent;
        x->bytes_received = r->bytes_received;
    }
    c->i++;
}

/* Iterations begin one after another: those that have begun come first. */
static bool has_begun(const struct orr_job *job, uint32_t i)
{
    return job->iteration && i < job->iterations
           && job->iteration[i].start_ps >= 0;
}

static uint32_t iterations_of(const struct orr_job *job)
{
    uint32_t n = 0;
    while (has_begun(job, n))
        n++;
    return n;
}

/* A row of /iterations; ps, -1: not ended. duration is that of a rank's
 * iteration, span from the first begin to the last end. */
struct iteration_row {
    uint32_t row, job, iteration;
    int64_t start, end, duration, span;
    double duration_s;
    uint64_t marks, drops;
};

static const struct orr_row_field iteration_fields[] = {
    ORR_FIELD(iteration_row, row, U32, "1", "row", NULL),
    ORR_FIELD(iteration_row, job, U32, "1", "index of the job", NULL),
    ORR_FIELD(iteration_row, iteration, U32, "1", "iteration of the job", NULL),
    ORR_FIELD(iteration_row, start, I64, "ps", "the first rank starts", NULL),
    ORR_FIELD(iteration_row, end, I64, "ps",
              "the last rank ends; -1: not ended", NULL),
    ORR_FIELD(iteration_row, duration, I64, "ps",
              "from the previous iteration's end to this one's; -1: not ended",
              NULL),
    ORR_FIELD(iteration_row, span, I64, "ps", "end - start; -1: not ended",
              NULL),
    ORR_FIELD(iteration_row, duration_s, F64, "s",
              "the duration as a real number", NULL),
    /* the last two only where packets are counted */
    ORR_FIELD(iteration_row, marks, U64, "1",
              "its packets that arrived with congestion experienced", NULL),
    ORR_FIELD(iteration_row, drops, U64, "1",
              "its packets that were lost, by a full queue or on the wire, "
              "and ACKs of it",
              NULL),
};
#define COUNTS 2

static bool counted(const struct orr_world *w)
{
    return w->n_jobs && w->jobs[0].packets;
}

/* As rank_row: in order, over the iterations of each job that began. */
static void iteration_row(void *from, uint64_t i, void *row)
{
    struct cursor *c = from;
    ORR_ASSERT(c->job < c->world->n_jobs);
    while (!has_begun(job_at(c), c->i)) {
        c->job++;
        c->i = 0;
    }
    const struct orr_iteration *it = &job_at(c)->iteration[c->i];
    int64_t duration = orr__iteration_duration(job_at(c), c->i);
    *(struct iteration_row *)row = (struct iteration_row){
        .row = (uint32_t)i,
        .job = c->job,
        .iteration = c->i,
        .start = it->start_ps,
        .end = it->end_ps,
        .duration = duration,
        .span = it->end_ps < 0 ? -1 : it->end_ps - it->start_ps,
        .duration_s = seconds(duration),
    };
    if (job_at(c)->packets) {
        ((struct iteration_row *)row)->marks = job_at(c)->packets[c->i].marks;
        ((struct iteration_row *)row)->drops = job_at(c)->packets[c->i].drops;
    }
    c->i++;
}

/* A row of /collectives; times in ps, rates in bit/s, limiting_* of the link
 * that took longest. */
struct collective_row {
    uint32_t row, job, iteration, operation, group_size;
    const char *kind, *algorithm;
    uint64_t bytes, messages, bytes_sent;
    int64_t start, end, lower_bound, limiting_link, limiting_time;
    double duration_s, algorithm_bandwidth, bus_bandwidth;
    double chunk_latency, queueing, message_time, limiting_busy;
};

static const struct orr_row_field collective_fields[] = {
    ORR_FIELD(collective_row, row, U32, "1", "row", NULL),
    ORR_FIELD(collective_row, job, U32, "1", "index of the job", NULL),
    ORR_FIELD(collective_row, iteration, U32, "1", "iteration of the job",
              NULL),
    ORR_FIELD(collective_row, operation, U32, "1",
              "index of the operation in the program", NULL),
    ORR_FIELD(collective_row, kind, TEXT, "1", "kind of collective", NULL),
    ORR_FIELD(collective_row, algorithm, TEXT, "1", "its algorithm", NULL),
    ORR_FIELD(collective_row, group_size, U32, "1", "ranks that take part",
              NULL),
    ORR_FIELD(collective_row, bytes, U64, "B", "size, as configured", NULL),
    ORR_FIELD(collective_row, start, I64, "ps", "the first rank enters", NULL),
    ORR_FIELD(collective_row, end, I64, "ps", "the last rank leaves", NULL),
    ORR_FIELD(collective_row, duration_s, F64, "s", "end - start", NULL),
    ORR_FIELD(collective_row, lower_bound, I64, "ps",
              "what the algorithm takes at least on this network", NULL),
    ORR_FIELD(collective_row, algorithm_bandwidth, F64, "bit/s",
              "size over duration, as nccl-tests define it", NULL),
    ORR_FIELD(collective_row, bus_bandwidth, F64, "bit/s",
              "bus bandwidth, as nccl-tests define it", NULL),
    ORR_FIELD(collective_row, chunk_latency, F64, "ps",
              "mean time from a chunk's start to its end", NULL),
    ORR_FIELD(collective_row, queueing, F64, "ps",
              "mean time from the collective's start to a chunk's", NULL),
    ORR_FIELD(collective_row, message_time, F64, "ps",
              "mean time from a message's sending to its full arrival", NULL),
    ORR_FIELD(collective_row, messages, U64, "1", "messages sent", NULL),
    ORR_FIELD(collective_row, bytes_sent, U64, "B",
              "payload that its members sent", NULL),
    ORR_FIELD(collective_row, limiting_link, I64, "1",
              "id of the link that held it up; -1: none", NULL),
    ORR_FIELD(collective_row, limiting_time, I64, "ps",
              "what its payload takes on that link", NULL),
    ORR_FIELD(collective_row, limiting_busy, F64, "1",
              "share of its time that this link was busy", NULL),
};

/* As rank_row: in order, over the collectives of each job. */
static void collective_row(void *from, uint64_t i, void *row)
{
    struct cursor *c = from;
    ORR_ASSERT(c->job < c->world->n_jobs);
    while (c->i == job_at(c)->n_collectives) {
        c->job++;
        c->i = 0;
    }
    const struct orr_collective_record *p = &job_at(c)->collective[c->i++];
    *(struct collective_row *)row = (struct collective_row){
        .row = (uint32_t)i,
        .job = c->job,
        .iteration = p->iteration,
        .operation = p->operation,
        .group_size = p->group_size,
        .kind = p->kind,
        .algorithm = p->algorithm,
        .bytes = p->bytes,
        .messages = p->messages,
        .start = p->start_ps,
        .end = p->end_ps,
        .lower_bound = p->lower_bound_ps,
        .duration_s = p->end_ps < 0 ? NAN : seconds(p->end_ps - p->start_ps),
        .algorithm_bandwidth = p->algorithm_bps,
        .bus_bandwidth = p->bus_bps,
        .chunk_latency = p->chunk_latency_ps,
        .queueing = p->queueing_ps,
        .message_time = p->message_ps,
        .bytes_sent = p->bytes_sent,
        .limiting_link =
            p->limiting_link == ORR_NONE ? -1 : (int64_t)p->limiting_link,
        .limiting_time = p->limiting_ps,
        .limiting_busy = p->limiting_busy,
    };
}

/* The columns of marks and drops are the last ones, and left out where packets
 * of iterations are not counted. */
static orr_err write_jobs(struct orr_record *r, const struct orr_world *w)
{
    struct {
        const char *name;
        struct orr_rows table;
    } parts[] = {
        {"ranks", ORR_ROWS(rank_fields, rank_row, rank_row)},
        {"iterations",
         ORR_ROWS(iteration_fields, iteration_row, iteration_row)},
        {"collectives",
         ORR_ROWS(collective_fields, collective_row, collective_row)},
    };
    uint64_t n[3] = {0};
    if (!counted(w))
        parts[1].table.fields -= COUNTS;
    for (uint32_t i = 0; i < w->n_jobs; i++) {
        n[0] += w->jobs[i].members;
        n[1] += iterations_of(&w->jobs[i]);
        n[2] += w->jobs[i].n_collectives;
    }
    orr_err err = write_job_rows(r, w);
    for (size_t i = 0; i < 3 && err == ORR_OK; i++) {
        struct cursor c = {.world = w};
        err = orr__rows_write(r, orr__record_group(r, parts[i].name),
                              &parts[i].table, &c, n[i]);
    }
    return err;
}

/* ---- flows -------------------------------------------------------------- */

/* A row of /flows; ps, -1: not finished. */
struct flow_row {
    uint32_t flow, src, dst, retransmissions, timeouts, marks, cnps;
    uint64_t bytes;
    int64_t start, finish, fct, done, ideal;
    double fct_s, slowdown;
    uint8_t measured;
};

static const struct orr_row_field flow_fields[] = {
    ORR_FIELD(flow_row, flow, U32, "1", "index of the flow", NULL),
    ORR_FIELD(flow_row, src, U32, "1", "node id of the source", NULL),
    ORR_FIELD(flow_row, dst, U32, "1", "node id of the destination", NULL),
    ORR_FIELD(flow_row, bytes, U64, "B", "payload", NULL),
    ORR_FIELD(flow_row, start, I64, "ps", "start", NULL),
    ORR_FIELD(flow_row, finish, I64, "ps",
              "last acknowledgement at the source; -1: not finished", NULL),
    ORR_FIELD(flow_row, fct, I64, "ps",
              "completion time, finish - start; -1: not finished", NULL),
    ORR_FIELD(
        flow_row, done, I64, "ps",
        "from the start to the last byte at the destination; -1: not arrived",
        NULL),
    ORR_FIELD(flow_row, fct_s, F64, "s", "completion time as a real number",
              NULL),
    ORR_FIELD(flow_row, ideal, I64, "ps",
              "completion time alone, with an unlimited window", NULL),
    ORR_FIELD(flow_row, slowdown, F64, "1", "fct / ideal", NULL),
    ORR_FIELD(flow_row, retransmissions, U32, "1", "packets sent again", NULL),
    ORR_FIELD(flow_row, timeouts, U32, "1", "retransmission timeouts", NULL),
    ORR_FIELD(flow_row, marks, U32, "1",
              "packets that arrived with congestion experienced", NULL),
    ORR_FIELD(flow_row, cnps, U32, "1", "congestion notifications sent", NULL),
    ORR_FIELD(flow_row, measured, U8, "1",
              "measured: neither warm-up nor cool-down", "no yes"),
};

/* fct: until the last byte is at the receiver; done: until the sender knows.
 * NAN: not finished. */
static void flow_row(void *from, uint64_t i, void *row)
{
    const struct orr_flow *f = &((const struct orr_flows *)from)->flow[i];
    int64_t fct = f->finish_ps < 0 ? -1 : f->finish_ps - f->start_ps;
    *(struct flow_row *)row = (struct flow_row){
        .flow = (uint32_t)i,
        .src = f->src,
        .dst = f->dst,
        .bytes = f->bytes,
        .start = f->start_ps,
        .finish = f->finish_ps,
        .fct = fct,
        .done = f->done_ps < 0 ? -1 : f->done_ps - f->start_ps,
        .fct_s = seconds(fct),
        .ideal = f->ideal_ps,
        .slowdown = fct >= 0 && f->ideal_ps > 0
                        ? (double)fct / (double)f->ideal_ps
                        : NAN,
        .retransmissions = f->retransmissions,
        .timeouts = f->timeouts,
        .marks = f->marks,
        .cnps = f->cnps,
        .measured = !f->aside,
    };
}

/* ---- flows by size ------------------------------------------------------ */

/* A row of /flows_by_size: bytes from and to, ps, and their ratio to the
 * ideal. */
struct size_row {
    uint64_t from, to, count;
    double fct_mean, fct_p50, fct_p95, fct_p99, fct_max;
    double slowdown_mean, slowdown_p50, slowdown_p95, slowdown_p99;
    double slowdown_max;
};

static const struct orr_row_field size_fields[] = {
    ORR_FIELD(size_row, from, U64, "B", "smallest size of the class", NULL),
    ORR_FIELD(size_row, to, U64, "B", "smallest size above it", NULL),
    ORR_FIELD(size_row, count, U64, "1", "completed flows", NULL),
    ORR_FIELD(size_row, fct_mean, F64, "ps", "mean completion time", NULL),
    ORR_FIELD(size_row, fct_p50, F64, "ps", "median completion time", NULL),
    ORR_FIELD(size_row, fct_p95, F64, "ps", "95th percentile of it", NULL),
    ORR_FIELD(size_row, fct_p99, F64, "ps", "99th percentile of it", NULL),
    ORR_FIELD(size_row, fct_max, F64, "ps", "longest completion time", NULL),
    ORR_FIELD(size_row, slowdown_mean, F64, "1", "mean of fct / ideal", NULL),
    ORR_FIELD(size_row, slowdown_p50, F64, "1", "median of fct / ideal", NULL),
    ORR_FIELD(size_row, slowdown_p95, F64, "1", "95th percentile of it", NULL),
    ORR_FIELD(size_row, slowdown_p99, F64, "1", "99th percentile of it", NULL),
    ORR_FIELD(size_row, slowdown_max, F64, "1", "largest fct / ideal", NULL),
};

static void size_row(void *from, uint64_t i, void *row)
{
    const struct orr_size_class *c = &((const struct orr_size_class *)from)[i];
    const struct orr_statistics *f = &c->fct_ps, *s = &c->slowdown;
    *(struct size_row *)row = (struct size_row){
        c->from, c->to,   f->n,   f->mean, f->p50, f->p95, f->p99,
        f->max,  s->mean, s->p50, s->p95,  s->p99, s->max,
    };
}

/* Flows, then classes of size over those that are measured. */
static orr_err write_flows(struct orr_record *r, const struct orr_world *w)
{
    static const struct orr_rows flows =
        ORR_ROWS(flow_fields, flow_row, flow_row);
    static const struct orr_rows sizes =
        ORR_ROWS(size_fields, size_row, size_row);
    struct orr_size_class c[ORR_SIZE_CLASSES];
    uint32_t n;
    orr_err err = orr__rows_write(r, orr__record_group(r, "flows"), &flows,
                                  w->flows, w->flows ? w->flows->count : 0);
    if (err == ORR_OK)
        err = orr__figures_by_size(w, true, c, &n);
    return err ? err
               : orr__rows_write(r, orr__record_group(r, "flows_by_size"),
                                 &sizes, c, n);
}

/* ---- the whole ---------------------------------------------------------- */

/* The effective configuration, the command line, and the versions that a result
 * may depend on. */
static orr_err write_config(struct orr_record *r, const struct orr_world *w)
{
    char hdf5[32];
    char *text = orr__config_effective(w->config);
    if (text == NULL)
        return ORR_ENOMEM;
    int group = orr__record_group(r, "config");
    orr__record_library(hdf5, sizeof hdf5);
    orr__record_text(r, group, "orrery", orr_version());
    orr__record_text(r, group, "hdf5", hdf5);
    orr__record_text(r, group, "gsl", gsl_version);
    orr__record_text(r, group, "compiler", __VERSION__);
    orr__record_note(r, group, "effective",
                     "the configuration with every default filled in (YAML)",
                     text);
    orr__record_note(r, group, "command", "the command line",
                     w->options.command ? w->options.command : "");
    orr__free(text);
    return ORR_OK;
}

orr_err orr__write_head(struct orr_record *r, const struct orr_world *w,
                        const struct orr_circle_tables *t)
{
    orr__record_text(r, ORR_RECORD_ROOT, "Conventions", "CF-1.10");
    orr__record_text(r, ORR_RECORD_ROOT, "title",
                     w->options.title ? w->options.title : "");
    orr__record_text(r, ORR_RECORD_ROOT, "history",
                     w->options.command ? w->options.command : "");
    orr__record_number(r, ORR_RECORD_ROOT, "seed", w->seed);
    orr__record_text(r, ORR_RECORD_ROOT, "status", "unfinished");
    orr_err err = write_config(r, w);
    if (err == ORR_OK)
        err = write_topology(r, w->graph);
    return err ? err : orr__circles_write(r, w->graph, t);
}

orr_err orr__write_doubt(struct orr_record *r, const char *lines)
{
    static const struct orr_record_column column = {
        "line", ORR_RECORD_TEXT, "1",
        "a mark, and what makes figures of this run doubtful", NULL};
    char *all = orr__format("%s", lines ? lines : "");
    uint64_t n = 0, at = 0;
    if (!all)
        return ORR_ENOMEM;
    for (const char *s = all; *s; s++)
        n += *s == '\n';
    int scale =
        n ? orr__record_scale(r, orr__record_group(r, "doubt"), &column, n)
          : -1;
    for (char *line = all; at < n; at++) {
        char *end = strchr(line, '\n');
        *end = '\0';
        orr__record_write(r, scale, at, 1, &line);
        line = end + 1;
    }
    orr__free(all);
    return ORR_OK;
}

orr_err orr__write_tail(struct orr_record *r, const struct orr_world *w)
{
    char hex[17];
    struct orr_net_totals t;
    orr__net_totals(w->net, &t);
    snprintf(hex, sizeof hex, "%016" PRIx64, t.fingerprint);
    orr__record_text(r, ORR_RECORD_ROOT, "fingerprint", hex);
    orr__record_text(r, ORR_RECORD_ROOT, "status",
                     w->result.partial ? "partial" : "complete");
    orr__record_number(r, ORR_RECORD_ROOT, "sim_time_ps",
                       (uint64_t)t.last_event_ps);
    orr__record_number(r, ORR_RECORD_ROOT, "packet_hops", t.packet_hops);
    orr_err err = write_jobs(r, w);
    if (err == ORR_OK)
        err = orr__operations_write(r, w);
    if (err == ORR_OK)
        err = orr__adders_write(r, w);
    if (err == ORR_OK)
        err = orr__requests_write(r, w);
    return err ? err : write_flows(r, w);
}
