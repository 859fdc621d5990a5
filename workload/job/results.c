/* After the run: what the workers collected becomes the jobs' records. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "core/assert.h"
#include "core/memory.h"
#include "core/none.h"
#include "core/units.h"
#include "net/config/failures.h"
#include "net/config/timers.h"
#include "workload/collective/nccl.h"
#include "workload/job/job.h"
#include "workload/program/groups.h"
#include "workload/program/source.h"
#include "workload/rank/rank.h"

/* ---- iterations and bytes ----------------------------------------------- */

/* From the earliest start to the latest end over workers; -1: not all ranks
 * ended it. */
static orr_err close_iterations(struct orr_world *w, struct orr_job *j,
                                struct orr_report *why)
{
    const struct orr_team *t = j->team;
    j->iteration = orr__alloc(j->iterations, sizeof *j->iteration);
    if (!j->iteration)
        return orr__no_memory(why);
    for (uint32_t i = 0; i < j->iterations; i++) {
        struct orr_iteration x = {-1, -1};
        uint32_t out = 0;
        for (unsigned k = 0; k < w->options.workers; k++) {
            const struct orr_tally *y = t->tally[k];
            int64_t start = y->iteration[i].start_ps;
            if (start >= 0 && (x.start_ps < 0 || start < x.start_ps))
                x.start_ps = start;
            if (y->iteration[i].end_ps > x.end_ps)
                x.end_ps = y->iteration[i].end_ps;
            out += y->iteration_out[i];
        }
        if (out < t->ranks)
            x.end_ps = -1;
        j->iteration[i] = x;
    }
    j->finish_ps = j->iteration[j->iterations - 1].end_ps;
    return ORR_OK;
}

static void add_stats(struct orr_job *j, const struct orr_connection_stats *s)
{
    j->wire_bytes += s->wire_bytes;
    j->retransmissions += s->retransmissions;
    j->timeouts += s->timeouts;
    j->marks += s->marks;
    j->cnps += s->cnps;
}

static void add_connection(const struct orr_world *w, struct orr_job *j,
                           uint32_t connection)
{
    struct orr_connection_stats stats;
    if (connection == ORR_NONE)
        return;
    orr__net_connection_stats(w->net, connection, &stats);
    add_stats(j, &stats);
}

/* Connections of a call on trees. Where memory ended before the run began some
 * were never made. */
static void add_group(const struct orr_world *w, struct orr_job *j,
                      const struct orr_call *x, uint32_t first)
{
    const struct orr_program *p = j->team->program;
    if (!x->c.ops->on_trees || x->c.n == 1 || first == ORR_NONE)
        return;
    for (uint32_t g = 0; g < orr__call_groups(p, x); g++)
        for (uint32_t m = 0; m < x->c.n; m++)
            for (uint32_t t = 0; t < x->c.trees; t++)
                add_connection(
                    w, j, orr__net_group_connection(w->net, first + g, m, t));
}

/* Sums over workers, ranks and connections, those that were closed early as
 * well. */
static void close_bytes(struct orr_world *w, struct orr_job *j)
{
    const struct orr_team *t = j->team;
    for (unsigned k = 0; k < w->options.workers; k++) {
        j->bytes_sent += t->tally[k]->bytes_sent;
        if (t->tally[k]->stalest > j->stalest)
            j->stalest = t->tally[k]->stalest;
        add_stats(j, &t->tally[k]->replayed);
    }
    if (t->judge < t->ranks)
        j->shifts = t->rank[t->judge].shifts;
    for (uint32_t i = 0; i < t->program->calls && t->group; i++)
        add_group(w, j, &t->program->call[i], t->group[i]);
    for (uint32_t i = 0; i < t->members; i++) {
        const struct orr_rank *r = &t->rank[i];
        j->collectives_run += r->counted.calls_done;
        j->pushes += r->counted.pushes;
        j->stale += r->counted.stale;
        for (uint32_t s = 0; r->peer && s <= r->peer_mask; s++)
            if (r->connection[s] != ORR_NONE)
                add_connection(w, j, r->connection[s]);
        for (uint32_t s = 0; s < r->n_retired; s++)
            add_connection(w, j, r->retired[s]);
    }
}

/* Up to where the run went, with what was under way when it was stopped. */
static struct orr_meter meter_at_end(const struct orr_world *w,
                                     const struct orr_rank *r)
{
    struct orr_meter m = r->meter;
    int64_t time = w->result.end_ps - m.since_ps;
    m.compute_ps += m.computing ? time : 0;
    m.communication_ps += m.communicating ? time : 0;
    m.overlap_ps += m.computing && m.communicating ? time : 0;
    return m;
}

static bool has_finished(const struct orr_job *j, uint32_t member)
{
    const struct orr_team *t = j->team;
    return t->stepper ? j->finish_ps >= 0
                      : t->rank[member].iteration == t->iterations
                            && member < t->ranks;
}

/* Times in ps; a rank that has not ended is cut off at the run's end, and
 * `ended` has what whole iterations took. */
static orr_err close_ranks(const struct orr_world *w, struct orr_job *j,
                           struct orr_report *why)
{
    const struct orr_team *t = j->team;
    j->rank = orr__alloc(t->members, sizeof *j->rank);
    if (!j->rank)
        return orr__no_memory(why);
    for (uint32_t i = 0; i < t->members; i++) {
        const struct orr_meter m = meter_at_end(w, &t->rank[i]);
        j->rank[i] = (struct orr_rank_record){
            .compute_ps = m.compute_ps,
            .communication_ps = m.communication_ps,
            .overlap_ps = m.overlap_ps,
            .held_ps = t->rank[i].held_ps,
            .finish_ps = has_finished(j, i) ? m.finish_ps : -1,
            .bytes_sent = t->rank[i].bytes_sent,
            .bytes_received = t->rank[i].bytes_received,
            .iterations = i < t->ranks ? t->rank[i].iteration : 0,
            .ended = m.ended,
        };
    }
    return ORR_OK;
}

/* ---- collectives -------------------------------------------------------- */

/* Sums, and the extremes of times, over workers. */
static struct orr_tally_call merge_call(const struct orr_world *w,
                                        const struct orr_team *t, uint64_t i)
{
    struct orr_tally_call sum = {0};
    for (unsigned k = 0; k < w->options.workers; k++) {
        const struct orr_tally_call *x = &t->tally[k]->call[i];
        if (x->in && (sum.in == 0 || x->start_ps < sum.start_ps))
            sum.start_ps = x->start_ps;
        if (x->out && x->end_ps > sum.end_ps)
            sum.end_ps = x->end_ps;
        sum.in += x->in;
        sum.out += x->out;
        sum.sent += x->sent;
        sum.arrived += x->arrived;
        sum.message_ps += x->message_ps;
        sum.bytes += x->bytes;
        sum.chunks += x->chunks;
        sum.chunk_ps += x->chunk_ps;
        sum.queue_ps += x->queue_ps;
    }
    return sum;
}

/* As nccl-tests count: bytes that the result has on a rank, or would have; and
 * the share of them that must pass a rank's link. */
static void bandwidths(const struct orr_call *x,
                       struct orr_collective_record *r)
{
    double n = x->c.n, bytes = (double)x->bytes, factor = (n - 1) / n;
    double seconds = (double)(r->end_ps - r->start_ps) / (double)ORR_S;
    if (x->c.sizes)
        factor = 1; /* bytes are all of the busiest rank's link */
    switch (x->c.ops->kind) {
    case ORR_ALL_REDUCE: factor *= 2; break;
    case ORR_ALL_GATHER:
    case ORR_GATHER:
    case ORR_SCATTER: bytes *= n; break;
    case ORR_BROADCAST:
    case ORR_REDUCE: factor = 1; break;
    case ORR_BARRIER: bytes = 0; break;
    default: break;
    }
    if (seconds > 0)
        r->algorithm_bps = 8 * bytes / seconds;
    r->bus_bps = r->algorithm_bps * factor;
}

static double mean_of(__int128 sum, uint64_t n)
{
    return n ? (double)sum / (double)n : 0;
}

/* A collective's record but for its limiting link. */
static struct orr_collective_record record_of(const struct orr_job *j,
                                              const struct orr_tally_call *s,
                                              uint64_t i)
{
    const struct orr_program *p = j->team->program;
    uint32_t call = (uint32_t)(i % p->calls);
    const struct orr_call *x = &p->call[call];
    struct orr_collective_record r = {
        .job = j->index,
        .iteration = (uint32_t)(i / p->calls),
        .call = call,
        .operation = x->op,
        .kind = orr__call_name(x),
        .algorithm = x->c.ops->name,
        .chosen_by = x->c.chosen_by,
        .protocol =
            x->c.plan.channels ? orr__protocol_name(x->c.protocol) : NULL,
        .channels = x->c.plan.channels,
        .group_size = x->c.n,
        .bytes = x->c.ops->kind == ORR_BARRIER ? 0 : x->bytes,
        .start_ps = s->start_ps,
        .end_ps = s->end_ps,
        .bytes_sent = s->bytes,
        .limiting_link = ORR_NONE, /* until somebody looks */
        .chunk_latency_ps = mean_of(s->chunk_ps, s->chunks),
        .queueing_ps = mean_of(s->queue_ps, s->chunks),
        .messages = s->arrived,
    };
    if (s->sent == s->arrived)
        r.message_ps = mean_of(s->message_ps, s->arrived);
    bandwidths(x, &r);
    return r;
}

/* Only those that all of their ranks have left. */
static orr_err close_collectives(struct orr_world *w, struct orr_job *j,
                                 struct orr_report *why)
{
    const struct orr_team *t = j->team;
    const struct orr_program *p = t->program;
    j->collective = orr__alloc(t->kept, sizeof *j->collective);
    if (!j->collective)
        return orr__no_memory(why);
    for (uint64_t i = 0; i < t->kept; i++) {
        assert(p->calls > 0); /* what is kept are calls */
        struct orr_tally_call s = merge_call(w, t, i);
        ORR_ASSERT(s.out <= s.in);
        if (s.out == orr__call_ranks(p, &p->call[i % p->calls]))
            j->collective[j->n_collectives++] = record_of(j, &s, i);
    }
    return ORR_OK;
}

/* ---- who waits ---------------------------------------------------------- */

enum { WAITERS_SHOWN = 4 };

uint32_t orr__job_waiting(const struct orr_job *j, uint32_t shown, char *text,
                          size_t size)
{
    const struct orr_team *t = j->team;
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->members; i++) {
        char one[240];
        orr__rank_describe(&t->rank[i], one, sizeof one);
        if (!one[0])
            continue;
        if (shown + n++ < WAITERS_SHOWN) {
            size_t used = strlen(text);
            snprintf(text + used, size - used, "%s%s: %s", used ? "; " : "",
                     j->name, one);
        }
    }
    return n;
}

uint32_t orr__jobs_waiting(const struct orr_world *w, char *text, size_t size)
{
    uint32_t waiting = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < w->n_jobs; i++)
        if (w->jobs[i].finish_ps < 0)
            waiting += orr__job_waiting(&w->jobs[i], waiting, text, size);
    return waiting;
}

/* ORR_ERUN with who waits for what, unless the run was stopped. */
static orr_err check_finished(struct orr_world *w, struct orr_report *why)
{
    char text[1100];
    uint32_t waiting, unfinished = 0;
    for (uint32_t i = 0; i < w->n_jobs; i++)
        unfinished += w->jobs[i].finish_ps < 0;
    if (unfinished == 0 || w->result.partial)
        return ORR_OK;
    waiting = orr__jobs_waiting(w, text, sizeof text);
    orr__fail(why, ORR_ERUN, "no events are left, but %u %s: %s%s", waiting,
              waiting == 1 ? "rank waits" : "ranks wait", text,
              waiting > WAITERS_SHOWN ? "; and so on" : "");
    orr__failures_hint(w->net_config, w->graph, why);
    orr__timers_hint(w->net_config, why);
    return ORR_ERUN;
}

orr_err orr__job_close(struct orr_world *w, struct orr_job *j,
                       struct orr_report *why)
{
    orr_err err = close_iterations(w, j, why);
    if (!err)
        err = close_ranks(w, j, why);
    if (!err)
        err = close_collectives(w, j, why);
    if (err)
        return err;
    close_bytes(w, j);
    if (j->source)
        j->source->ops->closed(j->source, w, j);
    return ORR_OK;
}

orr_err orr__jobs_close(struct orr_world *w, struct orr_report *why)
{
    orr_err err = ORR_OK;
    for (uint32_t i = 0; !err && i < w->n_jobs; i++)
        err = orr__job_close(w, &w->jobs[i], why);
    return err ? err : check_finished(w, why);
}
