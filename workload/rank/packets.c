/* The clock of packets: messages go through the net, and collectives step by
 * step; and what the net calls back. */
#include <xxhash.h>

#include "core/assert.h"
#include "core/units.h"
#include "workload/rank/policy.h"

/* ---- operations --------------------------------------------------------- */

static void start_send(struct orr_rank *r, int64_t now, uint32_t id)
{
    const struct orr_op *op = &r->team->program->op[id];
    orr__post_message(r, now, orr__op_peer(r->team->program, op, r->rank),
                      op->bytes, (uint64_t)op->index << 32 | id, ORR_ARG_PLAIN);
}

static void start_receive(struct orr_rank *r, int64_t now, uint32_t id)
{
    const struct orr_program *p = r->team->program;
    const struct orr_op *op = &p->op[id];
    if (p->request_bytes)
        orr__rendezvous_ask(r, now, orr__op_peer(p, op, r->rank),
                            (uint64_t)op->index << 32, ORR_ARG_PLAIN);
    orr__rank_receive(r, now, id);
}

static void completed(struct orr_rank *r, int64_t now, uint32_t op)
{
    /* counted within the part: how parts are shared changes nothing */
    uint32_t at = op - orr__part_of(r->team->program, r->rank)->op;
    orr__net_step(r->team->net, r->host, now, (uint64_t)r->rank << 32 | at,
                  (uint64_t)r->team->job << 32 | orr__rank_iteration(r, op));
}

static void begun(struct orr_rank *r, uint32_t iteration)
{
    while (r->stage + 1 < r->team->stages
           && r->team->stage[r->stage + 1].from <= iteration)
        orr__post_restage(r);
}

/* ---- time --------------------------------------------------------------- */

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

static uint64_t draw_entity(const struct orr_rank *r, uint32_t op)
{
    const uint64_t name[] = {r->team->job, r->rank, op,
                             orr__rank_iteration(r, op)};
    return XXH3_64bits(name, sizeof name);
}

static int64_t duration(struct orr_rank *r, const struct orr_later *x)
{
    const struct orr_program *p = r->team->program;
    if (x->kind == ORR_LATER_POST)
        return orr__post_drawn(r, x->bytes);
    const struct orr_jitter *j =
        orr__op_jitter(p, &p->op[x->arg], &r->team->jitter);
    return orr__jitter_draw(j, orr__rank_slowed(r, x->arg), r->team->seed,
                            draw_entity(r, x->arg));
}

static void fail(struct orr_rank *r, bool full)
{
    if (full)
        orr__net_fail_at(r->team->net, r->host, r->meter.since_ps,
                         "rank %u of %s has more than %u computations and "
                         "messages active at once",
                         r->rank, r->team->name, 1u << ORR_RANK_SLOT_BITS);
    else
        orr__net_fail(r->team->net, ORR_ENOMEM);
}

const struct orr_clock orr__packet_clock = {
    .start = {[ORR_OP_COMPUTE] = orr__rank_compute,
              [ORR_OP_SEND] = start_send,
              [ORR_OP_RECV] = start_receive,
              [ORR_OP_COLLECTIVE] = orr__collect_start,
              [ORR_OP_CLOCK] = orr__staleness_start},
    .timer = set_timer,
    .duration = duration,
    .begun = begun,
    .completed = completed,
    .fail = fail,
    .turns = true,
};

/* ---- upcalls ------------------------------------------------------------ */

static inline void arrived(struct orr_rank *r, int64_t now, uint32_t src,
                           uint64_t tag, uint32_t arg)
{
    if (arg == ORR_ARG_PLAIN)
        orr__rank_message(r, now, src, (uint32_t)(tag >> 32));
    else if (arg == ORR_ARG_OWN)
        r->team->stepper->arrived(r->team->stepper_arg, r, now, tag);
    else if (orr__is_request(arg))
        orr__rendezvous_asked(r, now, src, tag, arg);
    else
        orr__collect_received(r, now, arg, tag);
}

static inline void on_left(struct orr_rank *r, int64_t now, uint64_t tag,
                           uint32_t arg)
{
    if (arg == ORR_ARG_PLAIN)
        orr__rank_complete(r, now, (uint32_t)tag);
    else if (!orr__is_request(arg) && arg != ORR_ARG_OWN) /* nobody waits for
                                                             those to leave */
        orr__collect_left(r, now, arg, tag);
}

void orr__rank_received(struct orr_rank *r, int64_t now, uint32_t src,
                        uint64_t tag, uint32_t arg)
{
    arrived(r, now, src, tag, arg);
    if (orr__rank_may_start(r))
        orr__rank_advance(r, now);
}

void orr__rank_left(struct orr_rank *r, int64_t now, uint64_t tag, uint32_t arg)
{
    if (r->serves) /* nobody waits for a server's answers to leave */
        return;
    on_left(r, now, tag, arg);
    if (orr__rank_may_start(r))
        orr__rank_advance(r, now);
}

bool orr__rank_leaves(struct orr_rank *r, int64_t at, uint64_t tag,
                      uint32_t arg)
{
    if (arg == ORR_ARG_PLAIN)
        return false;
    if (r->serves || orr__is_request(arg)
        || arg == ORR_ARG_OWN) /* nobody waits for those to leave */
        return true;
    return orr__collect_leaves(r, at, arg, tag);
}

void orr__rank_timer(struct orr_rank *r, int64_t now, uint32_t slot)
{
    if (orr__rank_put_off(r, now, slot))
        return;
    struct orr_later x = orr__rank_take(r, slot);
    switch (x.kind) {
    case ORR_LATER_POST:
        orr__post_now(r, now, &x);
        if (r->team->overhead_on == ORR_OVERHEAD_COMPUTE)
            orr__stream_release(r, x.stream);
        break;
    case ORR_LATER_LEFT:
        if (!r->serves)
            on_left(r, now, x.tag, x.arg);
        break;
    case ORR_LATER_ARRIVED: arrived(r, now, x.peer, x.tag, x.arg); break;
    case ORR_LATER_POLICY: r->team->program->policy->timer(r, now, &x); break;
    case ORR_LATER_CHUNK: orr__collect_chunk(r, now, x.arg, x.tag); break;
    case ORR_LATER_STEP: orr__collect_step(r, now, x.arg, x.tag); break;
    case ORR_LATER_SLICE:
        orr__post_message(r, now, x.peer, x.bytes, x.tag, x.arg);
        break;
    default: orr__rank_due(r, now, &x);
    }
    orr__rank_advance(r, now);
}
