/* Gates: a rank's first sending operation of an iteration, and what sends
 * behind it, waits for the turn of its job.
 *
 * A rank knows its turn by number and decides by itself when to go. That the
 * job is late one rank alone decides, the lowest that sends; what follows goes
 * to the others without a link, and so takes `control_delay`. */
#include "core/array.h"
#include "core/units.h"
#include "workload/rank/rank.h"
#include "workload/world.h"

struct orr_hold {
    int64_t turn; /* that it took last, or waits for; -1: none yet */
    bool open;    /* in this iteration */
    bool waits;   /* for the timer that opens it */
    bool shifted; /* the next turn is whichever comes next */
    uint32_t *op; /* what waits, in order */
    uint32_t n, room;
    int64_t since_ps; /* it waits */
    /* of the rank that judges: when it shifted the job, a ring */
    int64_t *shift;
};

static bool sends(const struct orr_op *op)
{
    return op->kind == ORR_OP_SEND || op->kind == ORR_OP_COLLECTIVE ||
           op->kind == ORR_OP_CLOCK;
}

bool orr__rank_sends(const struct orr_program *p, uint32_t rank)
{
    const struct orr_part *part = orr__part_of(p, rank);
    for (uint32_t i = part->op; i < part->op + part->ops; i++)
        if (sends(&p->op[i]) && orr__program_runs(p, &p->op[i], rank))
            return true;
    return false;
}

bool orr__gate_init(struct orr_rank *r)
{
    struct orr_team *t = r->team;
    if (!t->gate->period_ps || r->serves)
        return true;
    r->hold = orr__alloc(1, sizeof *r->hold);
    if (!r->hold)
        return false;
    r->hold->turn = -1;
    if (r->rank != t->judge || !t->gate->most)
        return true;
    r->hold->shift = orr__alloc(t->gate->most, sizeof *r->hold->shift);
    return r->hold->shift;
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

static int64_t time_of(const struct orr_gate *g, int64_t turn)
{
    __int128_t at = (__int128_t)turn * g->period_ps + g->offset_ps;
    return at < ORR_HORIZON ? (int64_t)at : ORR_HORIZON;
}

/* The first turn that is not before now. */
static int64_t turn_from(const struct orr_gate *g, int64_t now)
{
    int64_t since = now - g->offset_ps;
    return since > 0 ? (since - 1) / g->period_ps + 1 : 0;
}

/* May the job be shifted again? */
static bool may_shift(const struct orr_rank *r, int64_t now)
{
    const struct orr_gate *g = r->team->gate;
    if (!g->most || r->shifts < g->most)
        return true;
    return now - r->hold->shift[r->shifts % g->most] >= g->span_ps;
}

/* Tells all ranks; until they know, nothing is different. */
static void shift(struct orr_rank *r, int64_t now)
{
    struct orr_team *t = r->team;
    int64_t at = orr__time_add(now, t->world->control_delay_ps);
    if (r->rank != t->judge || !may_shift(r, now))
        return;
    if (t->gate->most)
        r->hold->shift[r->shifts % t->gate->most] = now;
    r->shifts++;
    for (uint32_t i = 0; i < t->ranks; i++)
        orr__net_post(t->net, r->host, now, t->hosts[i], at, t->user,
                      orr__rank_timer_arg(&t->rank[i], 0) | ORR_TIMER_SHIFT);
}

void orr__gate_shifted(struct orr_rank *r)
{
    r->hold->shifted = true;
}

/* Later iterations than the first, of which only the first is held: they come
 * about a period apart, and may slip either way. */
static int64_t pass(struct orr_rank *r, int64_t now)
{
    const struct orr_gate *g = r->team->gate;
    int64_t next = turn_from(g, now), early = time_of(g, next) - now;
    int64_t slip = early < g->period_ps - early ? early
                                                : g->period_ps - early;
    r->hold->turn = next;
    if (slip > g->threshold_ps)
        shift(r, now);
    return now;
}

/* When a rank may go that has come here now. */
static int64_t opens_at(struct orr_rank *r, int64_t now)
{
    const struct orr_gate *g = r->team->gate;
    struct orr_hold *h = r->hold;
    int64_t next = turn_from(g, now), due = time_of(g, h->turn + 1);
    bool free = h->turn < 0 || h->shifted ||
                (g->threshold_ps == 0 && now > due);
    h->shifted = false;
    if (free) {
        h->turn = next;
        return time_of(g, next);
    }
    if (g->first_only)
        return pass(r, now);
    h->turn++;
    if (now <= due)
        return due;
    h->turn += (now - due) / g->period_ps;
    if (g->threshold_ps != ORR_NEVER &&
        (now - due) % g->period_ps > g->threshold_ps)
        shift(r, now);
    return now;
}

/* ---- holding ------------------------------------------------------------- */

void orr__gate_begin(struct orr_rank *r)
{
    r->hold->open = false;
}

static bool keep(struct orr_rank *r, uint32_t op)
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
    if (h->open || !sends(&r->team->program->op[op]) ||
        !orr__program_runs(r->team->program, &r->team->program->op[op],
                           r->rank))
        return false;
    if (!h->waits) {
        const struct orr_later x = {.kind = ORR_LATER_GATE};
        int64_t at = opens_at(r, now);
        if (at <= now) {
            h->open = true;
            return false;
        }
        h->waits = true;
        h->since_ps = now;
        orr__rank_later(r, at, &x);
    }
    if (!keep(r, op))
        orr__rank_fail(r);
    return true;
}

void orr__gate_open(struct orr_rank *r, int64_t now)
{
    struct orr_hold *h = r->hold;
    h->open = true;
    h->waits = false;
    r->held_ps += now - h->since_ps;
    for (uint32_t i = 0; i < h->n; i++)
        orr__rank_ready(r, h->op[i]);
    h->n = 0;
}

bool orr__gate_waits(const struct orr_rank *r)
{
    return r->hold && r->hold->waits;
}
