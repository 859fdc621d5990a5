/* The interpreter of programs: operations, streams and iterations of a rank.
 * What takes time says the team's clock (clock.h). */
#include "workload/rank/rank.h"
#include "core/array.h"
#include "core/assert.h"
#include "core/none.h"

#include <assert.h>
#include <stdio.h>
#include <xxhash.h>

#include "core/units.h"
#include "workload/world.h"

void orr__rank_fail(struct orr_rank *r)
{
    r->team->clock->fail(r, false);
}

void orr__rank_waits_not(struct orr_rank *r, struct orr_mailbox *m,
                         uint32_t arg, uint64_t key)
{
    int32_t count;
    bool found = orr__mailbox_add(m, arg, key, 1, &count);
    ORR_ASSERT(found); /* the key is there, so it takes no memory */
    (void)found;
    orr__rank_fail(r);
}

uint32_t orr__rank_iteration(const struct orr_rank *r, uint32_t op)
{
    const struct orr_overlap *o = r->overlap;
    return o ? o->passed[op - o->first_op] : r->iteration;
}

bool orr__rank_init(struct orr_rank *r, struct orr_team *team, uint32_t rank,
                    struct orr_tally *tally)
{
    const struct orr_program *p = team->program;
    r->team = team;
    r->tally = tally;
    if (team->skew.kind != ORR_JITTER_NONE && rank < team->ranks)
        r->left = ORR_NONE; /* messages may come before it starts */
    r->rank = rank;
    r->host = team->hosts[rank];
    r->serves = rank >= team->ranks;
    r->recent_connection = ORR_NONE;
    r->later_free = ORR_NONE;
    r->watch = rank == 0 ? team->watch : NULL;
    r->watched = r->watch != NULL;
    r->stream = orr__alloc(p->streams, sizeof *r->stream);
    r->open = orr__alloc(p->streams, sizeof *r->open);
    for (uint32_t i = 0; r->stream && i < p->streams; i++)
        r->stream[i].head = r->stream[i].tail = ORR_NONE;
    if (team->overlap > 1 && !r->serves && !orr__overlap_init(r))
        return false;
    return r->stream && r->open && orr__gate_init(r);
}

void orr__rank_fini(struct orr_rank *r)
{
    for (uint32_t i = 0; r->run && i <= r->run_mask; i++)
        orr__free(r->run[i]);
    orr__free(r->run);
    orr__free(r->satisfied.slot);
    orr__free(r->ready);
    orr__free(r->stream);
    orr__free(r->open);
    orr__free(r->mail.slot);
    orr__receives_fini(&r->posted);
    orr__free(r->asked.slot);
    orr__receives_fini(&r->unasked);
    orr__free(r->peer);
    orr__free(r->connection);
    orr__free(r->retired);
    orr__free(r->later);
    orr__free(r->answered);
    orr__overlap_fini(r);
    orr__gate_fini(r);
}

/* ---- things that happen later ------------------------------------------- */

uint32_t orr__rank_keep(struct orr_rank *r, const struct orr_later *what)
{
    if (r->later_free == ORR_NONE) {
        uint32_t had = r->later_room;
        if (had >= 1u << ORR_RANK_SLOT_BITS) {
            r->team->clock->fail(r, true);
            return ORR_NONE;
        }
        if (!orr__array_more(r->later, r->later_room, had)) {
            orr__rank_fail(r);
            return ORR_NONE;
        }
        for (uint32_t i = r->later_room - 1; i >= had && i > 0; i--) {
            r->later[i].next = r->later_free;
            r->later_free = i;
        }
    }
    uint32_t slot = r->later_free;
    r->later_free = r->later[slot].next;
    r->later[slot] = *what;
    r->later[slot].next = ORR_NONE;
    return slot;
}

struct orr_later orr__rank_take(struct orr_rank *r, uint32_t slot)
{
    ORR_ASSERT(slot < r->later_room);
    struct orr_later x = r->later[slot];
    ORR_ASSERT(r->later_free != slot); /* it was not taken already */
    r->later[slot].next = r->later_free;
    r->later_free = slot;
    return x;
}

static void set_timer(struct orr_rank *r, int64_t at, uint32_t slot)
{
    r->team->clock->timer(r, at, slot);
}

void orr__rank_later(struct orr_rank *r, int64_t at,
                     const struct orr_later *what)
{
    uint32_t slot = orr__rank_keep(r, what);
    if (slot != ORR_NONE)
        set_timer(r, at, slot);
}

/* ---- operations that may start ------------------------------------------ */

/* The ring of operations that are ready, twice as large and in order from 0.
 * false: no memory, the run fails. */
static bool grow_ready(struct orr_rank *r)
{
    uint32_t used = r->ready ? r->ready_tail - r->ready_head : 0;
    uint32_t more = r->ready ? r->ready_mask * 2 + 2 : 8;
    uint32_t *p = more ? orr__alloc(more, sizeof *p) : NULL;
    if (!p) {
        orr__rank_fail(r);
        return false;
    }
    ORR_ASSERT((more & (more - 1)) == 0 && used <= more);
    for (uint32_t i = 0; r->ready && i < used; i++)
        p[i] = r->ready[(r->ready_head + i) & r->ready_mask];
    orr__free(r->ready);
    r->ready = p;
    r->ready_mask = more - 1;
    r->ready_head = 0;
    r->ready_tail = used;
    return true;
}

void orr__rank_ready(struct orr_rank *r, uint32_t op)
{
    if ((!r->ready || r->ready_tail - r->ready_head > r->ready_mask)
        && !grow_ready(r))
        return;
    r->ready[r->ready_tail++ & r->ready_mask] = op;
}

/* ---- where the time goes ------------------------------------------------- */

/* Adds the time since the last call to what the rank was doing, then changes
 * how many things it computes and communicates. */
static void meter_time(struct orr_rank *r, int64_t now, int computing,
                       int communicating)
{
    struct orr_meter *m = &r->meter;
    int64_t time = now - m->since_ps;
    ORR_ASSERT(time >= 0);
    m->since_ps = now;
    if (m->computing)
        m->compute_ps += time;
    if (m->communicating)
        m->communication_ps += time;
    if (m->computing && m->communicating)
        m->overlap_ps += time;
    ORR_ASSERT((int)m->computing + computing >= 0
               && (int)m->communicating + communicating >= 0);
    m->computing += (uint32_t)computing;
    m->communicating += (uint32_t)communicating;
}

/* op: with ORR_LOG_END when it is over. */
static void log_operation(struct orr_rank *r, int64_t now, uint32_t op)
{
    uint32_t iteration = orr__rank_iteration(r, op & ~ORR_LOG_END);
    if (!orr__log_add(r->log, now, op, iteration))
        orr__rank_fail(r);
}

/* ---- streams ------------------------------------------------------------ */

int64_t orr__rank_slowed(const struct orr_rank *r, uint32_t op)
{
    int64_t time = r->team->program->op[op].time_ps;
    if (!r->team->slower)
        return time;
    double ps = (double)time * r->team->slower[r->rank] + 0.5;
    return ps < (double)ORR_HORIZON ? (int64_t)ps : ORR_HORIZON;
}

/* Whether messages cost a computation time. */
static bool feels_thread(const struct orr_rank *r, const struct orr_later *x)
{
    return r->team->overhead_on == ORR_OVERHEAD_THREAD && x->stream == 0;
}

void orr__rank_occupy(struct orr_rank *r, int64_t now, uint32_t slot)
{
    ORR_ASSERT(slot < r->later_room
               && r->later[slot].stream < r->team->program->streams);
    r->stream[r->later[slot].stream].busy++;
    if (r->later[slot].kind == ORR_LATER_HOLD) {
        orr__rank_ready(r, orr__rank_take(r, slot).arg | ORR_STREAM_HELD);
        return;
    }
    int64_t from = now;
    if (r->later[slot].kind == ORR_LATER_COMPUTE) {
        meter_time(r, now, 1, 0);
        if (r->log)
            log_operation(r, now, r->later[slot].arg);
        r->later[slot].tag = (uint64_t)r->stolen_ps;
        if (feels_thread(r, &r->later[slot]) && r->post_free_ps > now)
            from = r->post_free_ps;
    }
    int64_t time = r->team->clock->duration(r, &r->later[slot]);
    set_timer(r, orr__time_add(from, time), slot);
}

/* Whether a computation was put off by messages since it began or was put off
 * before; it then goes on for as long. Its tag: what was stolen by then. */
bool orr__rank_put_off(struct orr_rank *r, int64_t now, uint32_t slot)
{
    struct orr_later *x = &r->later[slot];
    if (x->kind != ORR_LATER_COMPUTE || !feels_thread(r, x)
        || x->tag == (uint64_t)r->stolen_ps)
        return false;
    int64_t more = r->stolen_ps - (int64_t)x->tag;
    ORR_ASSERT(more > 0);
    x->tag = (uint64_t)r->stolen_ps;
    set_timer(r, orr__time_add(now, more), slot);
    return true;
}

/* ---- what every clock begins in the same way ----------------------------- */

static uint64_t plain_key(uint32_t src, uint32_t tag)
{
    return (uint64_t)src << 32 | tag;
}

void orr__rank_compute(struct orr_rank *r, int64_t now, uint32_t op)
{
    const struct orr_later x = {.kind = ORR_LATER_COMPUTE,
                                .arg = op,
                                .stream = r->team->program->op[op].stream};
    orr__rank_enqueue(r, &x);
}

void orr__rank_receive(struct orr_rank *r, int64_t now, uint32_t id)
{
    const struct orr_op *op = &r->team->program->op[id];
    uint64_t key =
        plain_key(orr__op_peer(r->team->program, op, r->rank), op->index);
    int32_t count;
    if (!orr__mailbox_add(&r->mail, ORR_ARG_PLAIN, key, -1, &count))
        orr__rank_fail(r);
    else if (count >= 0)
        orr__rank_complete(r, now, id);
    else if (!orr__receives_add(&r->posted, key, id))
        orr__rank_waits_not(r, &r->mail, ORR_ARG_PLAIN, key);
}

void orr__rank_message(struct orr_rank *r, int64_t now, uint32_t src,
                       uint32_t tag)
{
    uint64_t key = plain_key(src, tag);
    int32_t count;
    if (!orr__mailbox_add(&r->mail, ORR_ARG_PLAIN, key, 1, &count)) {
        orr__rank_fail(r);
        return;
    }
    if (count <= 0) /* somebody waits for it */
        orr__rank_complete(r, now, orr__receives_take(&r->posted, key));
}

/* ---- operations --------------------------------------------------------- */

/* Lets go of those that waited for op. */
static void release_next(struct orr_rank *r, uint32_t op)
{
    const struct orr_program *p = r->team->program;
    if (r->overlap) {
        orr__overlap_release(r, op);
        return;
    }
    ORR_ASSERT(r->left > 0);
    r->left--;
    for (uint32_t e = p->next_off[op]; e < p->next_off[op + 1]; e++) {
        uint32_t next = p->next[e];
        int32_t satisfied = 1, waits = (int32_t)p->waits[next];
        ORR_ASSERT(waits > 0);
        bool ok = waits == 1
                  || orr__mailbox_add(&r->satisfied, 0, next, 1, &satisfied);
        if (ok && satisfied < waits)
            continue;
        ORR_ASSERT(!ok || satisfied == waits); /* none lets go of it twice */
        if (ok && waits > 1)
            ok = orr__mailbox_add(&r->satisfied, 0, next, -waits, &satisfied);
        if (ok)
            orr__rank_ready(r, next);
        else
            orr__rank_fail(r);
    }
}

/* Whether an operation waits for its turn on a stream. */
static inline bool waits_for_stream(const struct orr_rank *r,
                                    const struct orr_op *op)
{
    return op->holds && r->team->clock->turns;
}

/* Operation op is over: others may have its stream. */
static void let_go(struct orr_rank *r, int64_t now, uint32_t op)
{
    const struct orr_op *x = &r->team->program->op[op];
    if (r->watch)
        r->watch[op].end_ps = now;
    if (r->team->clock->turns && ((x->holds && !x->keeps) || x->frees))
        orr__stream_end(r, now, op);
}

void orr__rank_complete(struct orr_rank *r, int64_t now, uint32_t op)
{
    const struct orr_clock *clock = r->team->clock;
    if (clock->completed)
        clock->completed(r, now, op);
    if (orr__op_has(r->team->program->op[op].kind, ORR_OP_COMMUNICATES))
        meter_time(r, now, 0, -1);
    if (r->log)
        log_operation(r, now, op | ORR_LOG_END);
    release_next(r, op);
    let_go(r, now, op);
}

/* The rank has begun an iteration. */
static void note_begun(struct orr_rank *r, int64_t now, uint32_t iteration)
{
    struct orr_iteration *i =
        &r->tally->iteration[r->team->stepper ? 0 : iteration];
    if (i->start_ps < 0 || now < i->start_ps)
        i->start_ps = now;
    if (r->team->clock->begun)
        r->team->clock->begun(r, iteration);
    if (!orr__gate_begin(r))
        orr__rank_fail(r);
}

/* The same, of those that overlap, for all up to this one. */
static void note_overlapping(struct orr_rank *r, int64_t now,
                             uint32_t iteration)
{
    for (uint32_t n = orr__overlap_begin(r, iteration); n > 0; n--)
        note_begun(r, now, iteration + 1 - n);
}

/* firsts: operations that wait for nothing and are still to be begun. */
static void begin_iteration(struct orr_rank *r, int64_t now)
{
    const struct orr_program *p = r->team->program;
    if (r->overlap) {
        orr__overlap_open(r);
        return;
    }
    r->firsts = orr__part_of(p, r->rank)->n_first;
    r->left = orr__part_of(p, r->rank)->ops;
    ORR_ASSERT(r->firsts <= r->left);
    note_begun(r, now, r->iteration);
}

/* id: with ORR_STREAM_HELD when the operation waited for a stream and has it
 * now. */
static void start_op(struct orr_rank *r, int64_t now, uint32_t id)
{
    bool turn = id & ORR_STREAM_HELD;
    id &= ~ORR_STREAM_HELD;
    const struct orr_op *op = &r->team->program->op[id];
    orr_start_fn *start = r->team->clock->start[op->kind];
    bool runs = orr__program_runs(r->team->program, op, r->rank);
    /* a receive may be posted long before the iteration comes to the rank */
    if (r->overlap && runs && start && op->kind != ORR_OP_RECV)
        note_overlapping(r, now, orr__rank_iteration(r, id));
    if (r->hold && !turn && orr__gate_holds(r, now, id))
        return;
    if (r->watch && turn)
        r->watch[id].start_ps = now;
    else if (r->watch)
        r->watch[id] = (struct orr_watch){.asked_ps = now};
    if (r->watch && !op->holds)
        r->watch[id].start_ps = now;
    if (!runs || (!start && (turn || !waits_for_stream(r, op)))) {
        release_next(r, id);
        if (runs)
            let_go(r, now, id);
        return;
    }
    if (waits_for_stream(r, op) && !turn) {
        orr__stream_ask(r, now, id);
        return;
    }
    if (orr__op_has(op->kind, ORR_OP_COMMUNICATES)) {
        meter_time(r, now, 0, 1);
        if (r->log)
            log_operation(r, now, id);
    }
    start(r, now, id);
}

/* The next operation that may start. */
static bool next_ready(struct orr_rank *r, uint32_t *op)
{
    const struct orr_program *p = r->team->program;
    const struct orr_part *part = orr__part_of(p, r->rank);
    if (r->firsts) {
        *op = p->first[part->first + part->n_first - r->firsts--];
        return true;
    }
    if (r->ready_head == r->ready_tail)
        return false;
    *op = r->ready[r->ready_head++ & r->ready_mask];
    return true;
}

/* All of the rank's operations are complete. The last iteration ends the
 * rank. */
static void end_iteration(struct orr_rank *r, int64_t now)
{
    struct orr_iteration *i = &r->tally->iteration[r->iteration];
    if (r->overlap)
        note_overlapping(r, now, r->iteration);
    if (now > i->end_ps)
        i->end_ps = now;
    ORR_ASSERT(r->ready_head == r->ready_tail && r->firsts == 0);
    r->tally->iteration_out[r->iteration]++;
    if (r->overlap)
        orr__overlap_next(r);
    else
        r->iteration++;
    orr__rank_note_ended(r);
    if (r->rank == 0 && r->team->ended)
        r->team->ended(r->team->ended_arg, now);
    if (r->iteration < r->team->iterations)
        return;
    r->tally->finished++;
    r->meter.finish_ps = now;
    if (now > r->tally->finish_ps)
        r->tally->finish_ps = now;
    if (r->team->finished)
        r->team->finished(r->team->finished_arg, r->host, now);
}

/* The same of a step: the next one is begun by others. */
static void end_step(struct orr_rank *r, int64_t now)
{
    struct orr_iteration *i = &r->tally->iteration[0];
    ORR_ASSERT(r->ready_head == r->ready_tail && r->firsts == 0);
    if (now > i->end_ps)
        i->end_ps = now;
    r->iteration++;
    r->steps = false;
    r->meter.finish_ps = now;
    orr__rank_note_ended(r);
    r->team->stepper->ended(r->team->stepper_arg, r, now);
}

void orr__rank_finish(struct orr_rank *r)
{
    struct orr_tally *y = r->tally;
    ORR_ASSERT(r->team->stepper && !r->steps);
    y->iteration_out[0]++;
    y->finished++;
    if (r->meter.finish_ps > y->finish_ps)
        y->finish_ps = r->meter.finish_ps;
}

static void step_ready(struct orr_rank *r, int64_t now)
{
    uint32_t op;
    if (!r->steps)
        return;
    while (next_ready(r, &op))
        start_op(r, now, op);
    if (r->left == 0)
        end_step(r, now);
}

/* Starts all that waits for no stream, over the ends of iterations. */
static void start_ready(struct orr_rank *r, int64_t now)
{
    uint32_t op;
    if (r->team->stepper) {
        step_ready(r, now);
        return;
    }
    while (r->iteration < r->team->iterations) {
        while (next_ready(r, &op))
            start_op(r, now, op);
        if (r->left)
            return;
        end_iteration(r, now);
        if (r->iteration < r->team->iterations)
            begin_iteration(r, now);
    }
}

void orr__rank_advance(struct orr_rank *r, int64_t now)
{
    if (!orr__rank_may_start(r))
        return;
    do
        if (!r->serves)
            start_ready(r, now);
    while (orr__stream_give(r, now));
}

/* ---- what a clock says ----------------------------------------------------
 */

void orr__rank_start(struct orr_rank *r, int64_t now)
{
    r->meter.since_ps = now;
    r->left = 0;
    r->steps = r->team->stepper != NULL;
    begin_iteration(r, now);
    orr__rank_advance(r, now);
}

void orr__rank_due(struct orr_rank *r, int64_t now, const struct orr_later *x)
{
    ORR_ASSERT(x->kind == ORR_LATER_COMPUTE || x->kind == ORR_LATER_GATE);
    if (x->kind == ORR_LATER_GATE) {
        orr__gate_open(r, now);
        return;
    }
    meter_time(r, now, -1, 0);
    orr__rank_complete(r, now, x->arg);
    orr__stream_release(r, x->stream);
}
