/* Calls in channels, as NCCL's kernels carry them out. Each block goes through
 * its slices in order: it waits until one is there from each of those that it
 * comes from, and until the connectors to those that it goes to have room; it
 * copies, and tells the former that their room is free by a packet without
 * payload. What is there, and room, are counts in the mailbox, under channel
 * and member. A slice is sent so late that the network's own delay is within
 * what the plan says that it needs to be seen. */
#include "core/units.h"
#include "workload/rank/run.h"

enum { LINKS_MOST = 64 };

/* A block of a call under way. */
struct orr_block {
    struct orr_slice slice; /* that it is at */
    uint32_t step;          /* its number */
    uint32_t missing;       /* what it waits for; 0: it copies, or is over */
    bool connected;         /* pause_ps is known */
    bool held;              /* it waits for another block */
    int64_t pause_ps[ORR_SLICE_PEERS]; /* from a copy until it is sent, by whom
                                         it goes to */
    bool streams[ORR_SLICE_PEERS];     /* ... from the start of the copy */
};

/* A block of a call at a rank, at one time. */
struct visit {
    struct orr_rank *r;
    int64_t now;
    struct orr_run *run;
    const struct orr_call *x;
    struct orr_block *b;
    uint32_t lane; /* the block's number */
};

static uint32_t blocks_of(const struct orr_call *x)
{
    return x->c.plan.channels ? x->c.plan.blocks : 0;
}

size_t orr__channels_bytes(const struct orr_call *x)
{
    return blocks_of(x) * sizeof(struct orr_block);
}

static uint64_t tag_of(const struct visit *v, uint32_t what, uint32_t member)
{
    return orr__tag_of(v->run->iteration, what, v->b->slice.channel, member);
}

static uint32_t rank_of(const struct visit *v, uint32_t member)
{
    return orr__call_rank(v->r->team->program, v->x, member, v->r->rank);
}

/* ---- copies -------------------------------------------------------------- */

/* What the links of the path to another member add, ps. */
static int64_t delay_to(const struct visit *v, uint32_t member)
{
    const struct orr_team *t = v->r->team;
    uint32_t link[LINKS_MOST], peer = rank_of(v, member);
    int64_t delay = 0;
    if (t->hosts[peer] == t->hosts[v->r->rank])
        return t->local_delay_ps;
    const struct orr_connection_spec spec =
        orr__post_spec(t, v->r->stage, v->r->rank, peer);
    uint32_t n = orr__net_path_of(t->net, &spec, true, link, LINKS_MOST);
    for (uint32_t i = 0; i < n && i < LINKS_MOST; i++)
        delay = orr__time_add(delay, t->world->graph->delay_ps[link[i]]);
    return delay;
}

/* A block goes to the same members in all its slices. */
static void connect_block(const struct visit *v)
{
    const struct orr_channel_plan *p = &v->x->c.plan;
    const struct orr_slice *s = &v->b->slice;
    uint32_t local = v->x->c.local > 0 ? (uint32_t)v->x->c.local : 1;
    for (uint32_t i = 0; i < s->n_to; i++) {
        bool inside = s->to[i] / local == v->run->member / local;
        int64_t all = inside ? p->inside_ps : p->between_ps;
        int64_t delay = delay_to(v, s->to[i]);
        v->b->pause_ps[i] = all > delay ? all - delay : 0;
        v->b->streams[i] = inside && p->streams;
    }
    v->b->connected = s->n_to > 0;
}

/* Starts a copy; when it is over, or as it goes on, what it sends leaves. When
 * the channel is free again. */
static int64_t start_copy(const struct visit *v)
{
    const struct orr_channel_plan *p = &v->x->c.plan;
    const struct orr_slice *s = &v->b->slice;
    uint64_t data = s->bytes_in > s->bytes_out ? s->bytes_in : s->bytes_out;
    bool moves = s->n_from + s->n_to > 0;
    int64_t over = v->now;
    if (p->copy_bps)
        over = orr__time_add(over, orr__serialisation(data, p->copy_bps));
    if (!v->b->connected)
        connect_block(v);
    for (uint32_t i = 0; i < s->n_to; i++) {
        const struct orr_later m = {
            .kind = ORR_LATER_SLICE,
            .tag = tag_of(v, ORR_TAG_SLICE, v->run->member),
            .bytes = orr__wire_bytes(p, s->bytes_out),
            .arg = v->run->call,
            .peer = rank_of(v, s->to[i]),
        };
        int64_t from = v->b->streams[i] ? v->now : over;
        orr__rank_later(v->r, orr__time_add(from, v->b->pause_ps[i]), &m);
    }
    int64_t next = v->now;
    if (p->pace_bps)
        next = orr__time_add(next, orr__serialisation(data, p->pace_bps));
    over = orr__time_add(over, moves ? p->hold_ps : 0);
    return next > over ? next : over;
}

/* A copy is over: what it came from has room again, for what it still is to
 * get. */
static void end_copy(const struct visit *v)
{
    const struct orr_slice *s = &v->b->slice;
    uint32_t room = v->x->c.plan.room;
    bool more = s->all_in > room && s->in < s->all_in - room;
    for (uint32_t i = 0; more && i < s->n_from; i++) {
        const struct orr_later m = {
            .tag = tag_of(v, ORR_TAG_ROOM, v->run->member),
            .arg = v->run->call,
            .peer = rank_of(v, s->from[i]),
        };
        orr__post_counted(v->r, v->now, &m);
    }
    v->b->step++;
}

/* ---- waiting ------------------------------------------------------------- */

/* One more thing that the slice needs. false: no memory. */
static bool need_more(const struct visit *v, uint32_t what, uint32_t member)
{
    int32_t count;
    if (!orr__mailbox_add(&v->r->mail, v->run->call, tag_of(v, what, member),
                          -1, &count)) {
        orr__rank_fail(v->r);
        return false;
    }
    v->b->missing += count < 0;
    return true;
}

/* Whether all is there that the slice needs. */
static bool need_all(const struct visit *v)
{
    const struct orr_slice *s = &v->b->slice;
    bool ok = true;
    v->b->held =
        s->block != ORR_NONE && v->run->block[s->block].step <= s->step;
    v->b->missing += v->b->held;
    for (uint32_t i = 0; ok && i < s->n_from; i++)
        ok = need_more(v, ORR_TAG_SLICE, s->from[i]);
    for (uint32_t i = 0; ok && i < s->n_to && s->out >= v->x->c.plan.room; i++)
        ok = need_more(v, ORR_TAG_ROOM, s->to[i]);
    return ok && v->b->missing == 0;
}

static void copy_slice(const struct visit *v)
{
    const struct orr_later over = {
        .kind = ORR_LATER_STEP,
        .arg = v->run->call,
        .tag = orr__tag_of(v->run->iteration, 0, v->lane, 0),
    };
    orr__rank_later(v->r, start_copy(v), &over);
}

/* Lets go of other blocks, which waited for the step that has just ended. */
static void release(const struct visit *v)
{
    for (uint32_t i = 0; i < blocks_of(v->x); i++) {
        struct visit other = *v;
        other.b = &v->run->block[i];
        other.lane = i;
        if (!other.b->held || other.b->slice.block != v->lane
            || v->b->step <= other.b->slice.step)
            continue;
        other.b->held = false;
        if (--other.b->missing == 0)
            copy_slice(&other);
    }
}

/* The block comes to its next slice. Whether it is over. */
static bool next_slice(const struct visit *v)
{
    const struct orr_spot at = {v->run->member, v->lane, v->b->step};
    if (!v->x->c.ops->slice(&v->x->c, v->x->bytes, at, &v->b->slice))
        return true;
    if (need_all(v))
        copy_slice(v);
    return false;
}

static struct visit visit_of(struct orr_rank *r, int64_t now,
                             struct orr_run *run, uint32_t lane)
{
    const struct orr_call *x = &r->team->program->call[run->call];
    return (struct visit){r, now, run, x, &run->block[lane], lane};
}

void orr__channels_begin(struct orr_rank *r, int64_t now, struct orr_run *run)
{
    uint32_t n = blocks_of(&r->team->program->call[run->call]), over = 0;
    run->chunk[0].left = n;
    run->step_ps = now;
    for (uint32_t i = 0; i < n; i++) {
        const struct visit v = visit_of(r, now, run, i);
        over += next_slice(&v);
    }
    orr__collect_blocks_over(r, now, run, over);
}

void orr__channels_copied(struct orr_rank *r, int64_t now, struct orr_run *run,
                          uint64_t tag)
{
    const struct visit v = visit_of(r, now, run, orr__tag_lane(tag));
    end_copy(&v);
    run->step_ps = now;
    if (v.x->c.schedule)
        release(&v);
    if (next_slice(&v))
        orr__collect_blocks_over(r, now, run, 1);
}

/* Whether the block waits for a slice or room of this member. */
static bool waits_for(const struct orr_block *b, uint32_t what, uint32_t member)
{
    const struct orr_slice *s = &b->slice;
    uint32_t n = what == ORR_TAG_SLICE ? s->n_from : s->n_to;
    for (uint32_t i = 0; b->missing && i < n; i++)
        if ((what == ORR_TAG_SLICE ? s->from : s->to)[i] == member)
            return true;
    return false;
}

void orr__channels_received(struct orr_rank *r, int64_t now, uint32_t call,
                            uint64_t tag)
{
    int32_t count;
    if (!orr__mailbox_add(&r->mail, call, tag, 1, &count)) {
        orr__rank_fail(r);
        return;
    }
    if (count > 0)
        return; /* nothing waits for it */
    struct orr_run *run = orr__run_of(r, call);
    uint32_t n = blocks_of(&r->team->program->call[call]);
    for (uint32_t i = 0; i < n; i++) {
        const struct visit v = visit_of(r, now, run, i);
        if (v.b->slice.channel != orr__tag_lane(tag)
            || !waits_for(v.b, orr__tag_chunk(tag), orr__tag_step(tag)))
            continue;
        if (--v.b->missing == 0)
            copy_slice(&v);
        return;
    }
    ORR_ASSERT(false); /* a count below 0 has a block that waits */
}

void orr__channels_snapshot(struct orr_run *run, const struct orr_call *x,
                            struct orr_snapshot *w)
{
    for (uint32_t i = 0; run->block && i < blocks_of(x); i++) {
        const struct orr_block *b = &run->block[i];
        orr__snapshot_value(w, (uint64_t)b->step << 32 | b->missing);
        orr__snapshot_value(w, b->held);
    }
}
