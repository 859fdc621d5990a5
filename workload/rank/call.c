/* Collectives under way. A rank keeps, for each call it is in, only its active
 * chunks; what a lane waits for is a count in the mailbox, under the lane's
 * chunk and step. Hidden servers keep nothing else at all. */
#include <assert.h>

#include "core/units.h"
#include "workload/rank/policy.h"
#include "workload/rank/run.h"

/* What the way of most messages is made of. */
#define PART static inline __attribute__((always_inline))

/* What a rank does in a call at one time. */
struct visit {
    struct orr_rank *r;
    int64_t now;
    const struct orr_call *x;
    struct orr_run *run;     /* NULL: of a server */
    struct orr_chunk *chunk; /* NULL: of a server */
    uint32_t call, member;
};

static const struct orr_call *call_of(const struct orr_rank *r, uint32_t call)
{
    return &r->team->program->call[call];
}

/* The iteration that a tag belongs to, from its low 16 bits and the rank's own:
 * two ranks of a job are never 32,768 iterations apart in one collective. */
static uint32_t iteration_of(struct orr_rank *r, uint64_t tag)
{
    uint16_t ahead = (uint16_t)((tag >> 48) - r->iteration);
    uint32_t i = r->iteration + (uint32_t)(int16_t)ahead;
    if (r->serves && (int16_t)ahead > 0) {
        r->iteration = i; /* a server has no program that would count */
        orr__rank_note_ended(r);
    }
    return i;
}

/* Where a message of a call counts: as a rule the one looked at last. */
PART struct orr_tally_call *record_of(struct orr_rank *r, uint32_t call,
                                      uint64_t tag)
{
    const struct orr_run *run = r->recent;
    if (run && run->call == call
        && (uint16_t)(tag >> 48) == (uint16_t)run->iteration)
        return run->record;
    return orr__collect_record(r, iteration_of(r, tag), call);
}

static bool is_hasty(const struct orr_call *x)
{
    return x->c.plan.channels || (x->rules && x->rules->hasty);
}

/* Whether rules say which steps begin when. */
static bool is_paced(const struct orr_call *x)
{
    return x->rules && x->rules->begin;
}

PART uint64_t chunk_bytes(const struct orr_call *x, uint32_t chunk)
{
    return x->chunks == 1 ? x->bytes
                          : orr__piece_bytes(x->bytes, x->chunks, chunk);
}

/* An active chunk; most are where their index says. */
PART struct orr_chunk *chunk_of(struct orr_run *run, uint32_t index)
{
    struct orr_chunk *c = run->chunk;
    if (run->slots > 1)
        c += index % run->slots;
    if (!c->active || c->index != index)
        for (c = run->chunk; !c->active || c->index != index; c++)
            assert(c < run->chunk + run->slots);
    return c;
}

/* Of the call looked at last, if that has one at a time, whose messages it
 * waits for to leave; as a rule. Else NULL. */
PART struct orr_chunk *only_chunk(const struct orr_rank *r, uint32_t call)
{
    struct orr_run *run = r->recent;
    return run && run->call == call && run->slots == 1 && run->chunk[0].active
                   && run->chunk[0].unsent
               ? run->chunk
               : NULL;
}

/* At the chunk of a tag. */
PART struct visit visit_of(struct orr_rank *r, int64_t now, uint32_t call,
                           uint64_t tag)
{
    struct visit v = {.r = r, .now = now, .x = call_of(r, call), .call = call};
    if (r->serves) {
        v.member = orr__call_member(r->team->program, v.x, r->rank);
        return v;
    }
    r->recent = v.run = orr__run_of(r, call);
    v.member = v.run->member;
    v.chunk = chunk_of(v.run, orr__tag_chunk(tag));
    return v;
}

static struct orr_spot spot_of(const struct visit *v, uint64_t tag)
{
    return orr__spot_at(v->member, tag);
}

/* Steps of a rank for a chunk, over all lanes. */
static uint32_t steps_of(const struct orr_call *x)
{
    uint32_t steps = 0;
    for (uint32_t i = 0; i < x->lanes; i++)
        steps += x->c.ops->steps(&x->c, i);
    return steps;
}

/* ---- steps -------------------------------------------------------------- */

/* A message of a call under way leaves now. */
PART void count_sent(struct orr_tally_call *rec, int64_t now, uint64_t bytes)
{
    rec->sent++;
    rec->bytes += bytes;
    rec->message_ps -= now;
}

/* One that is sent at once counts here, where its record is at hand. */
PART void post_message(const struct visit *v, uint32_t peer, uint64_t bytes,
                       uint64_t tag)
{
    struct orr_rank *r = v->r;
    if (!v->run || !r->team->free_posts) {
        orr__post_message(r, v->now, peer, bytes, tag, v->call);
        return;
    }
    const struct orr_later m = {
        .kind = ORR_LATER_POST,
        .tag = tag,
        .bytes = bytes,
        .arg = v->call,
        .peer = peer,
    };
    count_sent(record_of(r, v->call, tag), v->now, bytes);
    orr__post_counted(r, v->now, &m);
}

PART void send_step(const struct visit *v, uint64_t tag, struct orr_spot at,
                    uint32_t sends)
{
    const struct orr_call *x = v->x;
    uint64_t bytes = chunk_bytes(x, orr__tag_chunk(tag));
    struct orr_transfer t;
    for (uint32_t i = 0; i < sends; i++) {
        x->c.ops->send(&x->c, bytes, at, i, &t);
        if (t.bytes == 0)
            continue;
        if (v->chunk && !is_hasty(x))
            v->chunk->unsent++;
        post_message(v,
                     orr__call_rank(v->r->team->program, x, t.peer, v->r->rank),
                     t.bytes, (tag & ~(uint64_t)(ORR_MAX_STEPS - 1)) | t.step);
    }
}

/* Messages that a step waits for; *reduced: bytes of the largest of those that
 * are added up, which is what the step reduces. */
static uint32_t expected(const struct orr_call *x, uint64_t bytes,
                         struct orr_spot at, uint32_t receives,
                         uint64_t *reduced)
{
    uint32_t n = 0;
    struct orr_transfer t;
    *reduced = 0;
    for (uint32_t i = 0; i < receives; i++) {
        x->c.ops->receive(&x->c, bytes, at, i, &t);
        n += t.bytes > 0;
        if (t.reduce && t.bytes > *reduced)
            *reduced = t.bytes;
    }
    return n;
}

/* What a received step costs beyond its messages where reductions take time.
 * received: steps of the chunk before it. */
static __attribute__((noinline)) int64_t step_cost(const struct orr_call *x,
                                                   uint64_t tag,
                                                   struct orr_spot at,
                                                   uint32_t received)
{
    struct orr_step s = {.at = at, .received = received};
    uint32_t sends, receives;
    s.bytes = chunk_bytes(x, orr__tag_chunk(tag));
    x->c.ops->count(&x->c, at, &sends, &receives);
    expected(x, s.bytes, at, receives, &s.reduced);
    int64_t memory = x->rules && x->rules->memory
                         ? x->rules->memory(x, &s)
                         : orr__serialisation(3 * s.reduced, x->memory_bps);
    return orr__time_add(x->endpoint_delay_ps, memory);
}

static void run_go(struct orr_rank *r, int64_t now, uint32_t call);

/* Ends a chunk when nothing of it is left to do. */
static __attribute__((noinline)) void check_chunk(const struct visit *v)
{
    struct orr_chunk *c = v->chunk;
    struct orr_run *run = v->run;
    ORR_ASSERT(c->active);
    if (c->left || c->unsent)
        return;
    if (c->left_at > v->now) {
        c->unsent++;
        orr__net_recall(v->r->team->net, v->r->host, v->now);
        return;
    }
    ORR_ASSERT(run->active > 0 && v->now >= c->start_ps
               && c->start_ps >= run->start_ps);
    struct orr_tally_call *rec =
        orr__collect_record(v->r, run->iteration, v->call);
    rec->chunks++;
    rec->chunk_ps += v->now - c->start_ps;
    rec->queue_ps += c->start_ps - run->start_ps;
    c->active = false;
    run->active--;
    run->done++;
    run_go(v->r, v->now, v->call);
}

/* The step of `tag` has asked for n messages, of which `missing` are not there
 * yet: since when they are waited for is taken off here, when they come is
 * added. */
static __attribute__((noinline)) void note_asked(const struct visit *v,
                                                 uint64_t tag, uint32_t n,
                                                 int32_t missing)
{
    const struct orr_call *x = v->x;
    int64_t since = v->now;
    ORR_ASSERT(v->run); /* servers are not watched */
    struct orr_watch *w = &v->r->watch[v->run->op];
    if (x->rules && x->rules->asks_early && orr__tag_step(tag) == 0)
        since = v->run->start_ps;
    w->messages += n;
    if (missing > 0)
        w->late_ps -= (__int128)missing * since;
}

/* All that the step of `tag` waits for is there: what it costs. */
PART int64_t arrived_cost(const struct visit *v, uint64_t tag)
{
    uint32_t received = 0;
    if (is_paced(v->x)) {
        ORR_ASSERT(v->chunk); /* such rules have no servers */
        received = v->chunk->pace.received++;
    }
    if (!v->x->memory_bps)
        return v->x->endpoint_delay_ps;
    return step_cost(v->x, tag, spot_of(v, tag), received);
}

static void over_later(struct orr_rank *r, int64_t at, uint32_t call,
                       uint64_t tag)
{
    const struct orr_later over = {
        .kind = ORR_LATER_STEP, .arg = call, .tag = tag};
    orr__rank_later(r, at, &over);
}

/* Whether the step of `tag` has all that it waits for and may be left at once;
 * otherwise messages or a timer will end it. */
PART bool pass_step(const struct visit *v, uint64_t tag, struct orr_spot at,
                    uint32_t receives)
{
    struct orr_rank *r = v->r;
    uint64_t reduced;
    int32_t count;
    if (!v->run || !v->run->full)
        receives = expected(v->x, chunk_bytes(v->x, orr__tag_chunk(tag)), at,
                            receives, &reduced);
    if (receives == 0)
        return true;
    if (r->serves)
        return false; /* its first message will start it */
    if (!orr__mailbox_add(&r->mail, v->call, tag, -(int32_t)receives, &count)) {
        orr__rank_fail(r);
        return false;
    }
    if (r->watched)
        note_asked(v, tag, receives, -count);
    if (count < 0)
        return false;
    int64_t cost = arrived_cost(v, tag);
    if (cost == 0)
        return true;
    over_later(r, orr__time_add(v->now, cost), v->call, tag);
    return false;
}

/* Rendezvous: asks for all that a step is to receive. */
static __attribute__((noinline)) void ask_step(const struct visit *v,
                                               uint64_t tag, struct orr_spot at,
                                               uint32_t receives)
{
    const struct orr_call *x = v->x;
    uint64_t bytes = chunk_bytes(x, orr__tag_chunk(tag));
    struct orr_transfer t;
    for (uint32_t i = 0; i < receives; i++) {
        x->c.ops->receive(&x->c, bytes, at, i, &t);
        if (t.bytes)
            orr__rendezvous_ask(
                v->r, v->now,
                orr__call_rank(v->r->team->program, x, t.peer, v->r->rank), tag,
                v->call);
    }
}

/* Begins the step of `tag`; whether it is over at once. */
PART bool begin_step(const struct visit *v, uint64_t tag)
{
    struct orr_spot at = spot_of(v, tag);
    uint32_t sends, receives;
    v->x->c.ops->count(&v->x->c, at, &sends, &receives);
    send_step(v, tag, at, sends);
    if (v->r->team->program->request_bytes)
        ask_step(v, tag, at, receives);
    return pass_step(v, tag, at, receives);
}

/* Enters the step of `tag` and goes on until messages or time are needed. over:
 * a step has just ended before it. */
PART void enter_step(const struct visit *v, uint64_t tag, bool over)
{
    struct orr_chunk *chunk = v->chunk;
    uint32_t steps = v->run ? v->run->steps : 0;
    if (steps == 0)
        steps = v->x->c.ops->steps(&v->x->c, orr__tag_lane(tag));
    tag += over;
    if (chunk && orr__tag_step(tag) < steps)
        v->run->step_ps = v->now;
    for (; orr__tag_step(tag) < steps; tag++)
        if (!begin_step(v, tag))
            return;
    if (!chunk)
        return;
    ORR_ASSERT(chunk->left > 0);
    chunk->left--;
    check_chunk(v);
}

/* Begins steps as the rules allow. over: one has just ended. */
static void begin_steps(const struct visit *v, bool over)
{
    const struct orr_call *x = v->x;
    struct orr_pace *p = &v->chunk->pace;
    uint32_t passed = over;
    p->over += over;
    for (uint32_t n; (n = x->rules->begin(x, p)) > 0;) {
        v->run->step_ps = v->now;
        for (; n > 0; n--) {
            uint64_t tag =
                orr__tag_of(v->run->iteration, v->chunk->index,
                            p->begun % x->lanes, p->begun / x->lanes);
            p->begun++;
            if (begin_step(v, tag)) {
                p->over++;
                passed++;
            }
        }
    }
    ORR_ASSERT(v->chunk->left >= passed && p->over <= p->begun);
    v->chunk->left -= passed;
    check_chunk(v);
}

/* The step of `tag` is over: what comes behind it. */
PART void step_over(const struct visit *v, uint64_t tag)
{
    if (is_paced(v->x))
        begin_steps(v, true);
    else
        enter_step(v, tag, true);
}

/* All that the step of `tag` waits for is there. */
PART void step_arrived(const struct visit *v, uint64_t tag)
{
    int64_t cost = arrived_cost(v, tag);
    if (cost == 0)
        step_over(v, tag);
    else
        over_later(v->r, orr__time_add(v->now, cost), v->call, tag);
}

void orr__collect_step(struct orr_rank *r, int64_t now, uint32_t call,
                       uint64_t tag)
{
    if (call_of(r, call)->c.plan.channels) {
        orr__channels_copied(r, now, orr__run_of(r, call), tag);
        return;
    }
    const struct visit v = visit_of(r, now, call, tag);
    step_over(&v, tag);
}

/* ---- chunks ------------------------------------------------------------- */

void orr__collect_chunk(struct orr_rank *r, int64_t now, uint32_t call,
                        uint64_t tag)
{
    const struct visit v = visit_of(r, now, call, tag);
    struct orr_chunk *c = v.chunk;
    ORR_ASSERT(c); /* servers start none */
    if (v.run->block) {
        orr__channels_begin(r, now, v.run);
        return;
    }
    if (is_paced(v.x)) {
        c->left = steps_of(v.x);
        begin_steps(&v, false);
        return;
    }
    /* one more lane than there is, so that the chunk outlives the loop */
    c->left = v.x->lanes + 1;
    for (uint32_t lane = 0; lane < v.x->lanes; lane++)
        enter_step(&v, orr__tag_of(v.run->iteration, c->index, lane, 0), false);
    c->left--;
    check_chunk(&v);
}

void orr__collect_blocks_over(struct orr_rank *r, int64_t now,
                              struct orr_run *run, uint32_t n)
{
    const struct visit v =
        visit_of(r, now, run->call, orr__tag_of(run->iteration, 0, 0, 0));
    ORR_ASSERT(v.chunk && v.chunk->left >= n); /* servers have no blocks */
    v.chunk->left -= n;
    check_chunk(&v);
}

/* What a chunk's start costs. Who has asked for its first messages has not
 * done anything yet. */
static int64_t start_cost(const struct orr_call *x, uint32_t member)
{
    const struct orr_spot first = {.member = member};
    uint32_t sends, receives = 0;
    if (x->rules && x->rules->asks_early)
        x->c.ops->count(&x->c, first, &sends, &receives);
    return receives ? 0
                    : orr__time_add(x->endpoint_delay_ps, x->c.plan.base_ps);
}

/* Takes a free slot and starts after the cost of the call; a chunk without
 * bytes or partners is over at once. */
static void start_chunk(struct orr_rank *r, int64_t now, uint32_t call,
                        uint32_t index)
{
    const struct orr_call *x = call_of(r, call);
    struct orr_run *run = orr__run_of(r, call);
    uint64_t tag = orr__tag_of(run->iteration, index, 0, 0);
    struct orr_chunk *c = &run->chunk[index % run->slots];
    ORR_ASSERT(run->active < run->slots); /* so one is free */
    if (c->active)
        for (c = run->chunk; c->active;)
            c++;
    *c = (struct orr_chunk){
        .start_ps = now, .index = (uint16_t)index, .active = true};
    c->left = 1;
    run->active++;
    if (chunk_bytes(x, index) == 0 || x->c.n + x->c.servers == 1) {
        c->left = 0;
        const struct visit v = visit_of(r, now, call, tag);
        check_chunk(&v);
        return;
    }
    int64_t cost = start_cost(x, run->member);
    const struct orr_later later = {
        .kind = ORR_LATER_CHUNK, .arg = call, .tag = tag};
    if (cost)
        orr__rank_later(r, orr__time_add(now, cost), &later);
    else
        orr__collect_chunk(r, now, call, tag);
}

/* record: of the call, in its iteration. */
static void note_end(struct orr_rank *r, int64_t now,
                     struct orr_tally_call *record, uint32_t member)
{
    record->out++;
    if (now > record->end_ps)
        record->end_ps = now;
    r->counted.calls_done += member == 0;
}

/* The last chunk is over: the record gets its end, and the operation is
 * complete, now or when the program's policy says so. */
static void end_call(struct orr_rank *r, int64_t now, uint32_t call)
{
    struct orr_run *run = orr__run_of(r, call);
    ORR_ASSERT(run->active == 0 && run->next == run->done);
    note_end(r, now, orr__collect_record(r, run->iteration, call), run->member);
    uint32_t op = run->op;
    const struct orr_call_end end = {run->step_ps, run->number};
    const struct orr_program *p = r->team->program;
    const struct orr_call_replay *replay = r->team->replay;
    orr__run_forget(r, call);
    if (replay && replay->ended)
        replay->ended(replay->arg, r, now, op);
    else if (p->op[op].rule)
        p->policy->ended(r, now, op, &end);
    else
        orr__rank_complete(r, now, op);
}

/* Starts chunks while there is room for them; ends the call after the last. */
static void run_go(struct orr_rank *r, int64_t now, uint32_t call)
{
    struct orr_run *run = orr__run_of(r, call);
    uint32_t chunks = call_of(r, call)->chunks;
    if (run->starting)
        return;
    run->starting = true;
    while (run->active < run->slots && run->next < chunks)
        start_chunk(r, now, call, run->next++);
    run->starting = false;
    if (run->done == chunks)
        end_call(r, now, call);
}

/* Its record. */
static struct orr_tally_call *note_start(struct orr_rank *r, int64_t now,
                                         uint32_t op)
{
    struct orr_tally_call *rec = orr__collect_record(
        r, orr__rank_iteration(r, op), r->team->program->op[op].index);
    rec->in++;
    if (rec->in == 1 || now < rec->start_ps)
        rec->start_ps = now;
    return rec;
}

void orr__collect_count_begin(struct orr_rank *r, int64_t now, uint32_t op)
{
    note_start(r, now, op);
    r->calls++;
}

void orr__collect_count_end(struct orr_rank *r, int64_t now, uint32_t op)
{
    const struct orr_program *p = r->team->program;
    uint32_t call = p->op[op].index;
    note_end(r, now, orr__collect_record(r, orr__rank_iteration(r, op), call),
             orr__call_member(p, &p->call[call], r->rank));
    orr__rank_complete(r, now, op);
    orr__rank_advance(r, now);
}

void orr__collect_start(struct orr_rank *r, int64_t now, uint32_t op)
{
    uint32_t call = r->team->program->op[op].index;
    const struct orr_call *x = call_of(r, call);
    const struct orr_call_replay *replay = r->team->replay;
    if (replay && replay->enter && replay->enter(replay->arg, r, now, op))
        return;
    uint32_t slots = x->concurrent < x->chunks ? x->concurrent : x->chunks;
    size_t chunks = slots * sizeof(struct orr_chunk);
    struct orr_run *run =
        orr__alloc_lines(1, sizeof *run + chunks + orr__channels_bytes(x));
    if (!run) {
        orr__rank_fail(r);
        return;
    }
    run->call = call;
    run->op = op;
    run->start_ps = now;
    run->number = r->calls++;
    run->member = orr__call_member(r->team->program, x, r->rank);
    run->slots = (uint16_t)slots;
    if (x->c.plan.channels)
        run->block = (struct orr_block *)(run->chunk + slots);
    run->steps = x->lanes == 1 ? x->c.ops->steps(&x->c, 0) : 0;
    run->full = x->c.ops->full && x->bytes / x->chunks >= x->c.ops->full(&x->c);
    if (!orr__run_remember(r, run)) {
        orr__free(run);
        orr__rank_fail(r);
        return;
    }
    run->iteration = orr__rank_iteration(r, op);
    run->record = note_start(r, now, op);
    run_go(r, now, call);
}

/* ---- messages ----------------------------------------------------------- */

void orr__collect_sent(struct orr_rank *r, int64_t now, uint32_t call,
                       uint64_t tag, uint64_t bytes)
{
    count_sent(record_of(r, call, tag), now, bytes);
}

/* The chunk that waits for a message to leave; NULL: none does. */
PART struct orr_chunk *waiting_chunk(const struct orr_rank *r, uint32_t call,
                                     uint64_t tag)
{
    struct orr_chunk *c = only_chunk(r, call);
    if (!c) {
        const struct orr_call *x = call_of(r, call);
        if (x->clock || is_hasty(x))
            return NULL;
        c = chunk_of(orr__run_of(r, call), orr__tag_chunk(tag));
    }
    ORR_ASSERT(c->index == orr__tag_chunk(tag) && c->unsent > 0);
    return c;
}

void orr__collect_left(struct orr_rank *r, int64_t now, uint32_t call,
                       uint64_t tag)
{
    struct orr_chunk *c = waiting_chunk(r, call, tag);
    if (!c || --c->unsent || c->left)
        return;
    const struct visit v = visit_of(r, now, call, tag);
    check_chunk(&v);
}

bool orr__collect_leaves(struct orr_rank *r, int64_t at, uint32_t call,
                         uint64_t tag)
{
    struct orr_chunk *c = waiting_chunk(r, call, tag);
    if (!c)
        return true;
    if (!c->left) /* but for this, it may be over */
        return false;
    c->unsent--;
    c->left_at = at;
    return true;
}

void orr__collect_received(struct orr_rank *r, int64_t now, uint32_t call,
                           uint64_t tag)
{
    int32_t count;
    const struct orr_call *x = call_of(r, call);
    bool slices = x->c.plan.channels > 0;
    if (!slices || orr__tag_chunk(tag) == ORR_TAG_SLICE) {
        struct orr_tally_call *rec = record_of(r, call, tag);
        rec->arrived++;
        rec->message_ps += now;
    }
    if (slices) {
        orr__channels_received(r, now, call, tag);
        return;
    }
    if (x->clock && !r->serves) {
        orr__staleness_answer(r, now);
        return;
    }
    if (x->pushes && r->serves && orr__tag_lane(tag) == 0
        && orr__tag_chunk(tag) == 0)
        orr__staleness_push(r, call);
    if (!orr__mailbox_add(&r->mail, call, tag, 1, &count)) {
        orr__rank_fail(r);
        return;
    }
    if (r->watched && count <= 0) /* it was waited for */
        r->watch[orr__run_of(r, call)->op].late_ps += now;
    const struct orr_program *p = r->team->program;
    if (p->op[x->op].rule && !r->serves && !(r->run && orr__run_of(r, call)))
        p->policy->begun(r, now, x->op);
    if (r->serves && count == 1) {
        /* the first of its step: now wait for the others */
        struct orr_spot at =
            orr__spot_at(orr__call_member(r->team->program, x, r->rank), tag);
        uint64_t reduced;
        uint32_t sends, receives;
        x->c.ops->count(&x->c, at, &sends, &receives);
        receives = expected(x, chunk_bytes(x, orr__tag_chunk(tag)), at,
                            receives, &reduced);
        if (!orr__mailbox_add(&r->mail, call, tag, -(int32_t)receives, &count))
            orr__rank_fail(r);
    }
    if (count == 0) {
        const struct visit v = visit_of(r, now, call, tag);
        step_arrived(&v, tag);
    }
}

/* ---- repetition ---------------------------------------------------------- */

/* Moments that are over no longer matter. */
static void snapshot_chunk(const struct orr_call *x, struct orr_chunk *c,
                           struct orr_snapshot *w)
{
    orr__snapshot_value(w, c->active);
    if (!c->active)
        return;
    orr__snapshot_time(w, &c->start_ps);
    if (c->left_at > w->now)
        orr__snapshot_time(w, &c->left_at);
    orr__snapshot_value(w, (uint64_t)c->index << 32 | c->unsent);
    orr__snapshot_value(w, c->left);
    orr__snapshot_value(w, c->pace.begun);
    orr__snapshot_value(w, (uint64_t)c->pace.received << 32 | c->pace.over);
}

/* In any order: the table's says nothing. */
void orr__collect_snapshot(struct orr_rank *r, uint32_t iteration,
                           uint32_t more, struct orr_snapshot *w)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; r->run && i <= r->run_mask; i++) {
        struct orr_run *run = r->run[i];
        struct orr_snapshot one = *w;
        if (!run)
            continue;
        one.digest = 1;
        orr__snapshot_value(&one, (uint64_t)run->call << 32 | run->op);
        orr__snapshot_value(&one, run->iteration - iteration);
        if (w->mode == ORR_SNAPSHOT_MOVE && more) {
            run->iteration += more;
            run->record = orr__collect_record(r, run->iteration, run->call);
        }
        orr__snapshot_time(&one, &run->start_ps);
        orr__snapshot_time(&one, &run->step_ps);
        orr__snapshot_value(&one, (uint64_t)run->next << 32 | run->active);
        orr__snapshot_value(&one, run->done);
        for (uint32_t c = 0; c < run->slots; c++)
            snapshot_chunk(call_of(r, run->call), &run->chunk[c], &one);
        orr__channels_snapshot(run, call_of(r, run->call), &one);
        sum += one.digest;
    }
    orr__snapshot_value(w, sum);
}
