/* Gates: a rank's first sending operation of an iteration, and what sends
 * behind it, waits for the turn of its job.
 *
 * A rank knows its turn by number and decides by itself when to go. That the
 * job is late one rank alone decides, the lowest that sends; what follows goes
 * to the others without a link, and so takes `control_delay`. */
#include "core/array.h"
#include "core/assert.h"
#include "core/units.h"
#include "workload/rank/rank.h"
#include "workload/world.h"

/* What the gate of a job means for one rank. */
struct orr_hold {
    const struct orr_gate *gate; /* that all this is of; period 0: none */
    int64_t slot;     /* that it took last, or waits for; -1: none yet */
    uint32_t through; /* iterations that were let through */
    bool waits;       /* for the timer that opens it ... */
    uint32_t next;    /* ... for this iteration */
    bool shifted;     /* the next turn is whichever comes next */
    uint32_t *op;     /* what waits, in order */
    uint32_t n, room;
    int64_t since_ps; /* it waits */
    /* of the rank that judges: when it shifted the job, a ring; the first of
     * this gate is that of number `base` */
    int64_t *shift;
    uint32_t base;
};

static bool op_sends(const struct orr_op *op)
{
    return orr__op_has(op->kind, ORR_OP_TRANSMITS);
}

bool orr__rank_sends(const struct orr_program *p, uint32_t rank)
{
    const struct orr_part *part = orr__part_of(p, rank);
    for (uint32_t i = part->op; i < part->op + part->ops; i++)
        if (op_sends(&p->op[i]) && orr__program_runs(p, &p->op[i], rank))
            return true;
    return false;
}

/* The gate of the iteration that a rank is in. */
static const struct orr_gate *gate_of(const struct orr_rank *r)
{
    const struct orr_gate *own = r->team->stage[r->stage].gate;
    return own ? own : r->team->gate;
}

/* Another gate than before: the rank has had no turn. Its hold stays, for a
 * shift may be under way to it. */
static bool take_gate(struct orr_rank *r, const struct orr_gate *g)
{
    if (!r->hold && !g->period_ps)
        return true;
    if (!r->hold)
        r->hold = orr__alloc(1, sizeof *r->hold);
    if (!r->hold)
        return false;
    struct orr_hold *h = r->hold;
    h->gate = g;
    h->slot = -1;
    h->shifted = false;
    h->base = r->shifts;
    orr__free(h->shift);
    h->shift = NULL;
    if (!g->period_ps || r->rank != r->team->judge || !g->most)
        return true;
    h->shift = orr__alloc(g->most, sizeof *h->shift);
    return h->shift;
}

bool orr__gate_init(struct orr_rank *r)
{
    return r->serves || take_gate(r, r->team->gate);
}

void orr__gate_fini(struct orr_rank *r)
{
    if (r->hold) {
        orr__free(r->hold->op);
        orr__free(r->hold->shift);
    }
    orr__free(r->hold);
}

/* ---- turns --------------------------------------------------------------- */

static int64_t time_of(const struct orr_gate *g, int64_t slot)
{
    uint32_t times = orr__gate_times(g);
    __int128_t at = (__int128_t)(slot / times) * g->period_ps + g->offset_ps;
    if (times > 1)
        at += g->time_ps[slot % times];
    return at < ORR_HORIZON ? (int64_t)at : ORR_HORIZON;
}

/* The first turn that is not before now. */
static int64_t slot_from(const struct orr_gate *g, int64_t now)
{
    int64_t since = now - g->offset_ps, times = orr__gate_times(g);
    if (since <= 0)
        return 0;
    int64_t periods = (since - 1) / g->period_ps, slot = periods * times + 1;
    for (since -= periods * g->period_ps; slot < (periods + 1) * times; slot++)
        if (g->time_ps[slot % times] >= since)
            break;
    return slot;
}

/* The last turn that is not after now, of which there is one. */
static int64_t slot_until(const struct orr_gate *g, int64_t now)
{
    int64_t next = slot_from(g, now);
    return time_of(g, next) > now ? next - 1 : next;
}

/* May the job be shifted again? */
static bool may_shift(const struct orr_rank *r, int64_t now)
{
    const struct orr_gate *g = r->hold->gate;
    uint32_t shifts = r->shifts - r->hold->base;
    if (!g->most || shifts < g->most)
        return true;
    ORR_ASSERT(g->span_ps > 0 && g->most <= ORR_MOST_SHIFTS);
    return now - r->hold->shift[shifts % g->most] >= g->span_ps;
}

/* Tells all ranks; until they know, nothing is different. */
static void shift_gates(struct orr_rank *r, int64_t now)
{
    struct orr_team *t = r->team;
    int64_t at = orr__time_add(now, t->world->options.control_delay_ps);
    if (r->rank != t->judge || !may_shift(r, now))
        return;
    const struct orr_hold *h = r->hold;
    if (h->gate->most)
        h->shift[(r->shifts - h->base) % h->gate->most] = now;
    r->shifts++;
    for (uint32_t i = 0; i < t->ranks; i++)
        orr__net_post(t->net, r->host, now, t->hosts[i], at, t->user,
                      orr__rank_timer_arg(&t->rank[i], 0) | ORR_TIMER_SHIFT);
}

/* A rank that is iterations behind may not have come to this gate yet. */
void orr__gate_shifted(struct orr_rank *r)
{
    if (r->hold)
        r->hold->shifted = true;
}

/* Later iterations than the first, of which only the first is held: they come
 * about a period apart, and may slip either way. */
static int64_t pass_gate(struct orr_rank *r, int64_t now)
{
    const struct orr_gate *g = r->hold->gate;
    int64_t next = slot_from(g, now), early = time_of(g, next) - now;
    int64_t slip = early < g->period_ps - early ? early : g->period_ps - early;
    r->hold->slot = next;
    if (g->threshold_ps == 0) /* each rank by itself: at once, or a turn late */
        return time_of(g, next);
    if (slip > g->threshold_ps)
        shift_gates(r, now);
    return now;
}

/* When a rank may go that has come here now. */
static int64_t opens_at(struct orr_rank *r, int64_t now)
{
    const struct orr_gate *g = r->hold->gate;
    struct orr_hold *h = r->hold;
    int64_t next = slot_from(g, now), due = time_of(g, h->slot + 1);
    bool free =
        h->slot < 0 || h->shifted || (g->threshold_ps == 0 && now > due);
    h->shifted = false;
    if (free) {
        h->slot = next;
        return time_of(g, next);
    }
    if (g->first_only)
        return pass_gate(r, now);
    h->slot++;
    if (now <= due)
        return due;
    h->slot = slot_until(g, now);
    if (g->threshold_ps != ORR_NEVER
        && now - time_of(g, h->slot) > g->threshold_ps)
        shift_gates(r, now);
    return now;
}

/* ---- holding ------------------------------------------------------------- */

bool orr__gate_begin(struct orr_rank *r)
{
    const struct orr_gate *g = gate_of(r);
    if (r->hold ? r->hold->gate == g : !g->period_ps)
        return true;
    return take_gate(r, g);
}

static bool keep_waiting(struct orr_rank *r, uint32_t op)
{
    struct orr_hold *h = r->hold;
    if (!orr__array_more(h->op, h->room, h->n))
        return false;
    h->op[h->n++] = op;
    return true;
}

bool orr__gate_holds(struct orr_rank *r, int64_t now, uint32_t op)
{
    struct orr_hold *h = r->hold;
    uint32_t iteration = orr__rank_iteration(r, op);
    if (!h->gate->period_ps || iteration < h->through
        || !op_sends(&r->team->program->op[op])
        || !orr__program_runs(r->team->program, &r->team->program->op[op],
                              r->rank))
        return false;
    if (!h->waits) {
        const struct orr_later x = {.kind = ORR_LATER_GATE};
        int64_t at = opens_at(r, now);
        if (at <= now) {
            h->through = iteration + 1;
            return false;
        }
        h->waits = true;
        h->next = iteration;
        h->since_ps = now;
        orr__rank_later(r, at, &x);
    }
    if (!keep_waiting(r, op))
        orr__rank_fail(r);
    return true;
}

void orr__gate_open(struct orr_rank *r, int64_t now)
{
    struct orr_hold *h = r->hold;
    h->through = h->next + 1;
    h->waits = false;
    r->held_ps += now - h->since_ps;
    for (uint32_t i = 0; i < h->n; i++) /* those of later ones ask again */
        orr__rank_ready(r, h->op[i]);
    h->n = 0;
}

bool orr__gate_waits(const struct orr_rank *r)
{
    return r->hold && r->hold->waits;
}
