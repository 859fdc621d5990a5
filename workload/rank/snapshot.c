#include "workload/rank/snapshot.h"
#include "core/none.h"

#include <string.h>

const char *orr__team_opaque(const struct orr_team *t, bool exact)
{
    const struct orr_program *p = t->program;
    if (p->policy || t->watch || t->overhead_on == ORR_OVERHEAD_THREAD)
        return "it runs by the rules of another simulator";
    if (t->stepper)
        return "it serves requests";
    if (p->request_bytes)
        return "its messages wait for requests";
    if (!exact)
        return NULL;
    if (orr__program_varies(p, &t->jitter))
        return "its computations have jitter";
    if (t->overhead_jitter.kind != ORR_JITTER_NONE)
        return "its message overhead has jitter";
    if (orr__program_draws(p))
        return "sizes of its messages are drawn anew";
    return NULL;
}

/* ---- tags and what happens later ----------------------------------------- */

uint64_t orr__snapshot_tag(uint32_t arg, uint64_t *tag, uint32_t iteration,
                           uint32_t more, struct orr_snapshot *w)
{
    if (arg == ORR_ARG_PLAIN)
        return *tag;
    if (w->mode == ORR_SNAPSHOT_MOVE)
        *tag += (uint64_t)more << 48;
    return *tag - ((uint64_t)iteration << 48);
}

struct place { /* of a rank in its job, for what is said in iterations */
    uint32_t iteration, more;
};

/* A thing that is to come; its tag has an iteration, which moves with the
 * rank. */
static void snapshot_later(struct orr_later *x, struct place at,
                           struct orr_snapshot *w)
{
    orr__snapshot_value(w, (uint64_t)x->kind << 32 | x->stream);
    orr__snapshot_value(w, (uint64_t)x->arg << 32 | x->peer);
    orr__snapshot_value(w, x->bytes);
    switch (x->kind) {
    case ORR_LATER_CHUNK:
    case ORR_LATER_STEP:
        orr__snapshot_value(
            w, orr__snapshot_tag(0, &x->tag, at.iteration, at.more, w));
        break;
    case ORR_LATER_POST:
    case ORR_LATER_SLICE:
    case ORR_LATER_LEFT:
    case ORR_LATER_ARRIVED:
        orr__snapshot_value(
            w, orr__snapshot_tag(x->arg, &x->tag, at.iteration, at.more, w));
        break;
    default: /* nobody reads the tag */ break;
    }
}

bool orr__team_snapshot_timer(struct orr_team *t, uint64_t arg,
                              uint32_t iteration, struct orr_snapshot *w)
{
    uint32_t member = (uint32_t)(arg >> ORR_RANK_SLOT_BITS);
    uint32_t slot = arg & ((1u << ORR_RANK_SLOT_BITS) - 1);
    if (slot == 0)
        return false;
    /* MOVE: those that are kept are gone through with their rank */
    if (w->mode != ORR_SNAPSHOT_DIGEST)
        return true;
    orr__snapshot_value(w, (uint64_t)t->job << 32 | member);
    snapshot_later(&t->rank[member].later[slot], (struct place){iteration, 0},
                   w);
    return true;
}

/* ---- a rank -------------------------------------------------------------- */

/* In any order: where a key lies says nothing. calls: keys are tags of calls,
 * which MOVE changes. */
static void snapshot_mailbox(struct orr_mailbox *m, bool calls, struct place at,
                             struct orr_snapshot *w)
{
    struct orr_mailbox new = {0};
    uint64_t sum = 0;
    bool move = w->mode == ORR_SNAPSHOT_MOVE && calls && at.more && m->used;
    for (uint32_t i = 0; i < orr__mail_places(m); i++) {
        struct orr_mail x = *orr__mail_at(m, i);
        uint64_t tag = x.tag;
        int32_t count;
        if (!x.count)
            continue;
        if (calls)
            tag = orr__snapshot_tag(x.arg, &x.tag, at.iteration, at.more, w);
        sum += orr__digest(orr__digest(1, tag, x.arg), (uint64_t)x.count, 0);
        if (move && !orr__mailbox_add(&new, x.arg, x.tag, x.count, &count)) {
            orr__free(new.slot);
            w->failed = true;
            return;
        }
    }
    orr__snapshot_value(w, sum);
    if (move) {
        orr__free(m->slot);
        *m = new;
    }
}

/* Those that wait for several others, of several iterations. */
static void snapshot_overlapping(struct orr_rank *r, struct place at,
                                 struct orr_snapshot *w)
{
    struct orr_overlap *o = r->overlap;
    struct orr_mailbox new = {0};
    uint64_t sum = 0, from = (uint64_t)at.iteration << 32;
    bool move = w->mode == ORR_SNAPSHOT_MOVE && at.more;
    for (uint32_t i = 0; i < orr__mail_places(&r->satisfied); i++) {
        struct orr_mail x = *orr__mail_at(&r->satisfied, i);
        int32_t count;
        if (!x.count)
            continue;
        sum +=
            orr__digest(orr__digest(1, x.tag - from, 0), (uint64_t)x.count, 0);
        x.tag += (uint64_t)at.more << 32;
        if (move && !orr__mailbox_add(&new, 0, x.tag, x.count, &count)) {
            orr__free(new.slot);
            w->failed = true;
            return;
        }
    }
    orr__snapshot_value(w, sum);
    orr__snapshot_value(w, o->opened - at.iteration);
    orr__snapshot_value(w, o->begun - at.iteration);
    for (uint32_t i = 0; i < o->opened - r->iteration; i++)
        orr__snapshot_value(w, o->left[i]);
    for (uint32_t i = 0; i < orr__part_of(r->team->program, r->rank)->ops; i++)
        orr__snapshot_value(w, o->passed[i] - at.iteration);
    if (!move)
        return;
    orr__free(r->satisfied.slot);
    r->satisfied = new;
    o->opened += at.more;
    o->begun += at.more;
    for (uint32_t i = 0; i < orr__part_of(r->team->program, r->rank)->ops; i++)
        o->passed[i] += at.more;
}

static void snapshot_receives(const struct orr_receives *p,
                              struct orr_snapshot *w)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; p->first && i <= p->mask; i++) {
        uint64_t one = 1;
        for (uint32_t k = p->first[i]; k != ORR_NONE; k = p->item[k].next)
            one = orr__digest(one, p->item[k].key, p->item[k].op);
        sum += p->first[i] == ORR_NONE ? 0 : one;
    }
    orr__snapshot_value(w, sum);
}

/* Who waits, in order; `open` is a list whose order decides. */
static void snapshot_streams(struct orr_rank *r, struct place at,
                             struct orr_snapshot *w)
{
    for (uint32_t i = 0; i < r->team->program->streams; i++) {
        const struct orr_stream *s = &r->stream[i];
        orr__snapshot_value(w, (uint64_t)s->busy << 1 | s->open);
        /* in MOVE, what waits is gone through with all that is kept */
        for (uint32_t k = s->head;
             w->mode == ORR_SNAPSHOT_DIGEST && k != ORR_NONE;
             k = r->later[k].next)
            snapshot_later(&r->later[k], at, w);
    }
    for (uint32_t i = 0; i < r->n_open; i++)
        orr__snapshot_value(w, r->open[i]);
}

/* Of each slot that is taken. Those that are free do not matter. */
static void move_later(struct orr_rank *r, struct place at,
                       struct orr_snapshot *w)
{
    for (uint32_t i = 1; w->mode == ORR_SNAPSHOT_MOVE && i < r->later_room; i++)
        snapshot_later(&r->later[i], at, w);
}

/* Iterations that are gone over, of the periods that are, and those that are to
 * be: the same number, but where periods hold no whole number of them. */
struct share {
    uint64_t done, due;
};

static uint64_t share_of(struct share s, uint64_t more)
{
    if (s.done == 0 || s.done == s.due)
        return more;
    return (uint64_t)(((unsigned __int128)more * s.due + s.done / 2) / s.done);
}

/* A counter, and what it was when the last iteration ended: that one tells what
 * whole iterations are worth, and both go on by as many of them. Returns by how
 * much. */
static uint64_t snapshot_spent(uint64_t *counter, uint64_t *ended,
                               struct share s, struct orr_snapshot *w)
{
    uint64_t now = orr__snapshot_more(w, *counter);
    uint64_t then = share_of(s, orr__snapshot_more(w, *ended));
    now = s.done ? then : now;
    *counter += now;
    *ended += then;
    return now;
}

static void snapshot_time(int64_t *sum, int64_t *ended, struct share s,
                          struct orr_snapshot *w)
{
    uint64_t x = (uint64_t)*sum, y = (uint64_t)*ended;
    snapshot_spent(&x, &y, s, w);
    *sum = (int64_t)x;
    *ended = (int64_t)y;
}

/* Times move by what whole iterations took. */
static void snapshot_meter(struct orr_rank *r, struct share s,
                           struct orr_snapshot *w)
{
    struct orr_meter *m = &r->meter;
    orr__snapshot_value(w, (uint64_t)m->computing << 32 | m->communicating);
    orr__snapshot_last(w, &m->since_ps);
    snapshot_time(&m->compute_ps, &m->ended.compute_ps, s, w);
    snapshot_time(&m->communication_ps, &m->ended.communication_ps, s, w);
    snapshot_time(&m->overlap_ps, &m->ended.overlap_ps, s, w);
    r->tally->bytes_sent +=
        snapshot_spent(&r->bytes_sent, &m->ended.bytes_sent, s, w);
    snapshot_spent(&r->bytes_received, &m->ended.bytes_received, s, w);
}

static void snapshot_counted(struct orr_rank *r, struct share s,
                             struct orr_snapshot *w)
{
    struct orr_counted *c = &r->counted, *ended = &r->counted_ended;
    snapshot_spent(&c->calls_done, &ended->calls_done, s, w);
    snapshot_spent(&c->pushes, &ended->pushes, s, w);
    snapshot_spent(&c->stale, &ended->stale, s, w);
}

/* Bounded staleness, and updates of a server: differences count. */
static void snapshot_clock(struct orr_rank *r, struct place at,
                           struct orr_snapshot *w)
{
    uint64_t more;
    orr__snapshot_value(w, r->clock_op);
    if (r->clock_answers || r->clock_waits) /* the program has a clock */
        orr__snapshot_value(w, r->clock_answers - at.iteration);
    orr__snapshot_value(w, r->clock_waits);
    if (w->mode == ORR_SNAPSHOT_MOVE && r->clock_answers)
        r->clock_answers += at.more;
    for (uint32_t i = 0; r->answered && i < r->team->program->calls; i++)
        orr__snapshot_value(w, r->updates - r->answered[i]);
    more = orr__snapshot_more(w, r->updates);
    r->updates += more;
    for (uint32_t i = 0; r->answered && i < r->team->program->calls; i++)
        r->answered[i] += more;
}

/* All that decides the future of a rank, relative to its iteration; in MOVE its
 * counters go on by the iterations that are skipped. */
static void snapshot_rank(struct orr_rank *r, struct place at,
                          struct orr_snapshot *w)
{
    struct share s = {orr__snapshot_more(w, r->iteration), at.more};
    orr__snapshot_value(w, r->iteration - at.iteration);
    if (r->overlap)
        snapshot_overlapping(r, at, w);
    else
        snapshot_mailbox(&r->satisfied, false, at, w);
    if (w->mode == ORR_SNAPSHOT_MOVE)
        r->iteration += at.more;
    orr__snapshot_value(w, (uint64_t)r->left << 32 | r->firsts);
    for (uint32_t i = r->ready_head; r->ready && i != r->ready_tail; i++)
        orr__snapshot_value(w, r->ready[i & r->ready_mask]);
    snapshot_streams(r, at, w);
    move_later(r, at, w);
    orr__snapshot_count32(w, &r->calls);
    orr__snapshot_value(w, r->held);
    orr__collect_snapshot(r, at.iteration, at.more, w);
    snapshot_mailbox(&r->mail, true, at, w);
    snapshot_receives(&r->posted, w);
    orr__snapshot_due(w, &r->post_free_ps);
    snapshot_meter(r, s, w);
    snapshot_counted(r, s, w);
    snapshot_clock(r, at, w);
}

void orr__team_snapshot(struct orr_team *t, uint32_t iteration, uint32_t more,
                        struct orr_snapshot *w)
{
    for (uint32_t i = 0; i < t->members; i++)
        snapshot_rank(&t->rank[i], (struct place){iteration, more}, w);
}

/* ---- records of iterations ----------------------------------------------- */

static void shift_iteration(struct orr_iteration *i, int64_t by)
{
    i->start_ps += i->start_ps >= 0 ? by : 0;
    i->end_ps += i->end_ps >= 0 ? by : 0;
}

static void shift_call(struct orr_tally_call *c, int64_t by)
{
    c->start_ps += c->in ? by : 0;
    c->end_ps += c->out ? by : 0;
    c->message_ps += ((__int128)c->arrived - c->sent) * by;
}

/* Iteration `to` of a worker's tally, as `from` was, so much later. */
static void put_iteration(const struct orr_team *t, struct orr_tally *y,
                          uint32_t to, uint32_t from, int64_t by)
{
    uint64_t calls = t->program->calls;
    y->iteration[to] = y->iteration[from];
    shift_iteration(&y->iteration[to], by);
    y->iteration_out[to] = y->iteration_out[from];
    for (uint64_t c = 0; c < calls && to * calls + c < t->kept; c++) {
        y->call[to * calls + c] = y->call[from * calls + c];
        shift_call(&y->call[to * calls + c], by);
    }
}

/* The highest iteration that may be open. */
static uint32_t highest_of(const struct orr_team *t)
{
    uint32_t highest = 0;
    for (uint32_t i = 0; i < t->ranks; i++)
        if (t->rank[i].iteration > highest)
            highest = t->rank[i].iteration;
    return highest + (t->overlap ? t->overlap - 1 : 0);
}

/* Those under way learn of later ones, so much later. */
static void put_off(struct orr_team *t, unsigned workers, uint32_t lowest,
                    uint32_t more, int64_t by)
{
    uint32_t highest = highest_of(t);
    for (unsigned k = 0; k < workers; k++) /* last first: they may overlap */
        for (uint32_t i = highest + 1; i-- > lowest;)
            if (i < t->iterations)
                put_iteration(t, t->tally[k], i + more, i, by);
}

void orr__team_skip(struct orr_team *t, unsigned workers, uint32_t lowest,
                    uint32_t cycle, uint64_t times, int64_t period)
{
    uint32_t more = (uint32_t)(times * cycle);
    if (more == 0)
        return;
    put_off(t, workers, lowest, more, (int64_t)times * period);
    for (unsigned k = 0; k < workers; k++)
        for (uint32_t i = lowest; i < lowest + more; i++)
            put_iteration(t, t->tally[k], i, i - cycle, period);
}

/* When an iteration that all ranks have ended did so. */
static int64_t end_of(const struct orr_team *t, unsigned workers, uint32_t i)
{
    int64_t end = -1;
    for (unsigned k = 0; k < workers; k++)
        if (t->tally[k]->iteration[i].end_ps > end)
            end = t->tally[k]->iteration[i].end_ps;
    return end;
}

/* cycle < lowest. */
void orr__team_infer(struct orr_team *t, unsigned workers, uint32_t lowest,
                     uint32_t cycle, uint32_t more, int64_t by)
{
    int64_t from = end_of(t, workers, lowest - cycle - 1);
    int64_t last = end_of(t, workers, lowest - 1), length = last - from;
    /* as long as the last ones were, before they are made to fit into `by` */
    int64_t rest = end_of(t, workers, lowest - cycle + more % cycle - 1) - from;
    __int128 whole = (__int128)(more / cycle) * length + rest;
    put_off(t, workers, lowest, more, by);
    for (uint32_t i = 0; i < more; i++) {
        uint32_t like = lowest - cycle + i % cycle;
        int64_t end = end_of(t, workers, like);
        __int128 passed = (__int128)(i / cycle) * length + (end - from);
        int64_t at = whole > 0 ? last + (int64_t)(passed * by / whole) : last;
        for (unsigned k = 0; k < workers; k++)
            put_iteration(t, t->tally[k], lowest + i, like, at - end);
    }
}
