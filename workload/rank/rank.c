/* Operations and streams of a rank. */
#include "core/array.h"
#include "core/assert.h"
#include "core/none.h"
#include "workload/rank/policy.h"

#include <assert.h>
#include <stdio.h>
#include <xxhash.h>

#include "core/units.h"
#include "workload/world.h"

void orr__rank_fail(struct orr_rank *r)
{
    orr__net_fail(r->team->net, ORR_ENOMEM);
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

bool orr__rank_init(struct orr_rank *r, struct orr_team *team, uint32_t rank,
                    struct orr_tally *tally)
{
    const struct orr_program *p = team->program;
    r->team = team;
    r->tally = tally;
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
    return r->stream && r->open && orr__gate_init(r);
}

void orr__rank_fini(struct orr_rank *r)
{
    for (uint32_t i = 0; r->run && i <= r->run_mask; i++)
        orr__free(r->run[i]);
    orr__free(r->run);
    orr__free(r->met.slot);
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
    orr__gate_fini(r);
}

/* ---- things that happen later ------------------------------------------- */

static void too_many(struct orr_rank *r)
{
    orr__net_fail_at(r->team->net, r->host, r->meter.since_ps,
                     "rank %u of %s has more than %u computations and messages "
                     "under way at once",
                     r->rank, r->team->name, 1u << ORR_RANK_SLOT_BITS);
}

uint32_t orr__rank_keep(struct orr_rank *r, const struct orr_later *what)
{
    if (r->later_free == ORR_NONE) {
        uint32_t had = r->later_room;
        if (had >= 1u << ORR_RANK_SLOT_BITS) {
            too_many(r);
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
    orr__net_timer(r->team->net, r->host, at, r->team->user,
                   orr__rank_timer_arg(r, slot));
}

void orr__rank_timer_last(struct orr_rank *r, int64_t at, uint32_t slot)
{
    orr__net_timer_last(r->team->net, r->host, at, r->team->user,
                        orr__rank_timer_arg(r, slot));
}

void orr__rank_later(struct orr_rank *r, int64_t at,
                     const struct orr_later *what)
{
    uint32_t slot = orr__rank_keep(r, what);
    if (slot != ORR_NONE)
        set_timer(r, at, slot);
}

/* ---- operations that may start ------------------------------------------ */

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

static void meter(struct orr_rank *r, int64_t now, int computing,
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
static void note(struct orr_rank *r, int64_t now, uint32_t op)
{
    if (!orr__log_add(r->log, now, op, r->iteration))
        orr__rank_fail(r);
}

/* ---- streams ------------------------------------------------------------ */

static uint64_t draw_entity(const struct orr_rank *r, uint32_t op)
{
    const uint64_t name[] = {r->team->job, r->rank, op, r->iteration};
    return XXH3_64bits(name, sizeof name);
}

/* How long a thing keeps its stream busy. */
static int64_t duration(const struct orr_rank *r, const struct orr_later *x)
{
    const struct orr_program *p = r->team->program;
    if (x->kind == ORR_LATER_POST)
        return orr__post_cost(r->team, x->bytes);
    const struct orr_op *op = &p->op[x->arg];
    const struct orr_jitter *j = orr__op_jitter(p, op, &r->team->jitter);
    int64_t time = op->time_ps;
    if (r->team->slower) {
        double ps = (double)time * r->team->slower[r->rank] + 0.5;
        time = ps < (double)ORR_HORIZON ? (int64_t)ps : ORR_HORIZON;
    }
    return orr__jitter_draw(j, time, r->team->seed, draw_entity(r, x->arg));
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
        orr__rank_ready(r, orr__rank_take(r, slot).arg | ORR_TURN);
        return;
    }
    int64_t from = now;
    if (r->later[slot].kind == ORR_LATER_COMPUTE) {
        meter(r, now, 1, 0);
        if (r->log)
            note(r, now, r->later[slot].arg);
        r->later[slot].tag = (uint64_t)r->stolen_ps;
        if (feels_thread(r, &r->later[slot]) && r->post_free_ps > now)
            from = r->post_free_ps;
    }
    set_timer(r, orr__time_add(from, duration(r, &r->later[slot])), slot);
}

/* Whether a computation was put off by messages since it began or was put off
 * before; it then goes on for as long. Its tag: what was stolen by then. */
static bool put_off(struct orr_rank *r, int64_t now, uint32_t slot)
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

/* ---- send and recv ------------------------------------------------------ */

static uint64_t plain_key(uint32_t src, uint32_t tag)
{
    return (uint64_t)src << 32 | tag;
}

static void start_send(struct orr_rank *r, int64_t now, uint32_t id)
{
    const struct orr_op *op = &r->team->program->op[id];
    orr__post(r, now, orr__op_peer(r->team->program, op, r->rank), op->bytes,
              (uint64_t)op->index << 32 | id, ORR_ARG_PLAIN);
}

static void start_recv(struct orr_rank *r, int64_t now, uint32_t id)
{
    const struct orr_op *op = &r->team->program->op[id];
    uint64_t key =
        plain_key(orr__op_peer(r->team->program, op, r->rank), op->index);
    int32_t count;
    if (r->team->program->request_bytes)
        orr__rendezvous_ask(r, now, orr__op_peer(r->team->program, op, r->rank),
                            (uint64_t)op->index << 32, ORR_ARG_PLAIN);
    if (!orr__mailbox_add(&r->mail, ORR_ARG_PLAIN, key, -1, &count))
        orr__rank_fail(r);
    else if (count >= 0)
        orr__rank_complete(r, now, id);
    else if (!orr__receives_add(&r->posted, key, id))
        orr__rank_waits_not(r, &r->mail, ORR_ARG_PLAIN, key);
}

static void plain_received(struct orr_rank *r, int64_t now, uint64_t key)
{
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
    ORR_ASSERT(r->left > 0);
    r->left--;
    for (uint32_t e = p->next_off[op]; e < p->next_off[op + 1]; e++) {
        uint32_t next = p->next[e];
        int32_t met = 1, waits = (int32_t)p->waits[next];
        ORR_ASSERT(waits > 0);
        bool ok = waits == 1 || orr__mailbox_add(&r->met, 0, next, 1, &met);
        if (ok && met < waits)
            continue;
        ORR_ASSERT(!ok || met == waits); /* none lets go of it twice */
        if (ok && waits > 1)
            ok = orr__mailbox_add(&r->met, 0, next, -waits, &met);
        if (ok)
            orr__rank_ready(r, next);
        else
            orr__rank_fail(r);
    }
}

/* Operation op is over: others may have its stream. */
static void let_go(struct orr_rank *r, int64_t now, uint32_t op)
{
    const struct orr_op *x = &r->team->program->op[op];
    if (r->watch)
        r->watch[op].end_ps = now;
    if ((x->holds && !x->keeps) || x->frees)
        orr__turn_end(r, now, op);
}

void orr__rank_complete(struct orr_rank *r, int64_t now, uint32_t op)
{
    /* counted within the part: how parts are shared changes nothing */
    const struct orr_program *p = r->team->program;
    orr__net_step(r->team->net, r->host, now,
                  (uint64_t)r->rank << 32 | (op - orr__part_of(p, r->rank)->op),
                  (uint64_t)r->team->job << 32 | r->iteration);
    if (r->team->program->op[op].kind >= ORR_OP_SEND)
        meter(r, now, 0, -1);
    if (r->log)
        note(r, now, op | ORR_LOG_END);
    release_next(r, op);
    let_go(r, now, op);
}

/* id: with ORR_TURN when the operation waited for a stream and has it now. */
static void start_op(struct orr_rank *r, int64_t now, uint32_t id)
{
    bool turn = id & ORR_TURN;
    id &= ~ORR_TURN;
    const struct orr_op *op = &r->team->program->op[id];
    bool runs = orr__program_runs(r->team->program, op, r->rank);
    if (r->hold && !turn && orr__gate_holds(r, now, id))
        return;
    if (r->watch && turn)
        r->watch[id].start_ps = now;
    else if (r->watch)
        r->watch[id] = (struct orr_watch){.asked_ps = now};
    if (r->watch && !op->holds)
        r->watch[id].start_ps = now;
    if (!runs || (op->kind == ORR_OP_WAIT && (turn || !op->holds))) {
        release_next(r, id);
        if (runs)
            let_go(r, now, id);
        return;
    }
    if (op->holds && !turn) {
        orr__turn_ask(r, now, id);
        return;
    }
    if (op->kind >= ORR_OP_SEND) {
        meter(r, now, 0, 1);
        if (r->log)
            note(r, now, id);
    }
    switch (op->kind) {
    case ORR_OP_COMPUTE: {
        const struct orr_later x = {
            .kind = ORR_LATER_COMPUTE, .arg = id, .stream = op->stream};
        orr__rank_enqueue(r, &x);
        break;
    }
    case ORR_OP_SEND: start_send(r, now, id); break;
    case ORR_OP_RECV: start_recv(r, now, id); break;
    case ORR_OP_COLLECTIVE: orr__collect_start(r, now, id); break;
    default: orr__staleness_start(r, now, id);
    }
}

static void begin_iteration(struct orr_rank *r, int64_t now)
{
    const struct orr_program *p = r->team->program;
    struct orr_iteration *i = &r->tally->iteration[r->iteration];
    if (i->start_ps < 0 || now < i->start_ps)
        i->start_ps = now;
    r->firsts = orr__part_of(p, r->rank)->n_first;
    r->left = orr__part_of(p, r->rank)->ops;
    ORR_ASSERT(r->firsts <= r->left);
    while (r->stage + 1 < r->team->stages
           && r->team->stage[r->stage + 1].from <= r->iteration)
        orr__post_restage(r);
    if (!orr__gate_begin(r))
        orr__rank_fail(r);
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

static void end_iteration(struct orr_rank *r, int64_t now)
{
    struct orr_iteration *i = &r->tally->iteration[r->iteration];
    if (now > i->end_ps)
        i->end_ps = now;
    ORR_ASSERT(r->ready_head == r->ready_tail && r->firsts == 0);
    r->tally->iteration_out[r->iteration]++;
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

/* Starts all that waits for no stream, over the ends of iterations. */
static void start_ready(struct orr_rank *r, int64_t now)
{
    uint32_t op;
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

/* What start_ready and orr__turn_give would find out. */
static inline bool nothing_to_start(const struct orr_rank *r)
{
    return r->ready_head == r->ready_tail && r->firsts == 0 && r->n_open == 0
           && (r->serves || r->left);
}

void orr__rank_advance(struct orr_rank *r, int64_t now)
{
    if (nothing_to_start(r))
        return;
    do
        if (!r->serves)
            start_ready(r, now);
    while (orr__turn_give(r, now));
}

/* ---- upcalls ------------------------------------------------------------ */

void orr__rank_start(struct orr_rank *r, int64_t now)
{
    r->meter.since_ps = now;
    begin_iteration(r, now);
    orr__rank_advance(r, now);
}

static inline void arrived(struct orr_rank *r, int64_t now, uint32_t src,
                           uint64_t tag, uint32_t arg)
{
    if (arg == ORR_ARG_PLAIN)
        plain_received(r, now, plain_key(src, (uint32_t)(tag >> 32)));
    else if (orr__is_request(arg))
        orr__rendezvous_asked(r, now, src, tag, arg);
    else
        orr__collect_received(r, now, arg, tag);
}

static inline void left(struct orr_rank *r, int64_t now, uint64_t tag,
                        uint32_t arg)
{
    if (arg == ORR_ARG_PLAIN)
        orr__rank_complete(r, now, (uint32_t)tag);
    else if (!orr__is_request(arg)) /* nobody waits for those to leave */
        orr__collect_left(r, now, arg, tag);
}

void orr__rank_received(struct orr_rank *r, int64_t now, uint32_t src,
                        uint64_t tag, uint32_t arg)
{
    arrived(r, now, src, tag, arg);
    if (!nothing_to_start(r))
        orr__rank_advance(r, now);
}

void orr__rank_left(struct orr_rank *r, int64_t now, uint64_t tag, uint32_t arg)
{
    if (r->serves) /* nobody waits for a server's answers to leave */
        return;
    left(r, now, tag, arg);
    if (!nothing_to_start(r))
        orr__rank_advance(r, now);
}

bool orr__rank_leaves(struct orr_rank *r, int64_t at, uint64_t tag,
                      uint32_t arg)
{
    if (arg == ORR_ARG_PLAIN)
        return false;
    if (r->serves || orr__is_request(arg)) /* nobody waits for those to leave */
        return true;
    return orr__collect_leaves(r, at, arg, tag);
}

void orr__rank_timer(struct orr_rank *r, int64_t now, uint32_t slot)
{
    if (put_off(r, now, slot))
        return;
    struct orr_later x = orr__rank_take(r, slot);
    switch (x.kind) {
    case ORR_LATER_COMPUTE:
        meter(r, now, -1, 0);
        orr__rank_complete(r, now, x.arg);
        orr__turn_over(r, x.stream);
        break;
    case ORR_LATER_POST:
        orr__post_now(r, now, &x);
        if (r->team->overhead_on == ORR_OVERHEAD_COMPUTE)
            orr__turn_over(r, x.stream);
        break;
    case ORR_LATER_LEFT:
        if (!r->serves)
            left(r, now, x.tag, x.arg);
        break;
    case ORR_LATER_ARRIVED: arrived(r, now, x.peer, x.tag, x.arg); break;
    case ORR_LATER_GATE: orr__gate_open(r, now); break;
    case ORR_LATER_POLICY: r->team->program->policy->timer(r, now, &x); break;
    case ORR_LATER_CHUNK: orr__collect_chunk(r, now, x.arg, x.tag); break;
    default: orr__collect_step(r, now, x.arg, x.tag);
    }
    orr__rank_advance(r, now);
}
