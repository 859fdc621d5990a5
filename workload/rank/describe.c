/* Who waits for what, in words. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/units.h"
#include "workload/rank/rank.h"

/* Text that is cut off where it does not fit. */
struct words {
    char *at;
    size_t left;
};

static void put_words(struct words *w, const char *fmt, ...) ORR_PRINTF(2, 3);
static void put_words(struct words *w, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(w->at, w->left, fmt, args);
    va_end(args);
    size_t used = n < 0 ? 0 : (size_t)n < w->left ? (size_t)n : w->left - 1;
    w->at += used;
    w->left -= used;
}

static void say_member(struct words *w, const struct orr_rank *r,
                       uint32_t member)
{
    const struct orr_team *t = r->team;
    if (member < t->ranks)
        put_words(w, "rank %u", member);
    else
        put_words(w, "the server on host %u", t->hosts[member]);
}

static void say_op(struct words *w, const struct orr_program *p, uint32_t op)
{
    char label[64];
    orr__op_label(p, op, label, sizeof label);
    put_words(w, "%s", label);
}

/* The smallest key that is waited for, so that the words do not depend on
 * where the table put it. */
static const struct orr_mail *first_wait(const struct orr_mailbox *m)
{
    const struct orr_mail *best = NULL;
    for (uint32_t i = 0; i < orr__mail_places(m); i++) {
        const struct orr_mail *x = orr__mail_at(m, i);
        if (x->count < 0
            && (!best || x->arg < best->arg
                || (x->arg == best->arg && x->tag < best->tag)))
            best = x;
    }
    return best;
}

/* One sender of a step; *senders: how many there are. */
static uint32_t sender(const struct orr_call *x, uint64_t bytes,
                       struct orr_spot at, uint32_t *senders)
{
    uint32_t sends, receives, peer = 0;
    x->c.ops->count(&x->c, at, &sends, &receives);
    *senders = 0;
    for (uint32_t i = receives; i-- > 0;) {
        struct orr_transfer t;
        x->c.ops->receive(&x->c, bytes, at, i, &t);
        if (t.bytes) {
            ++*senders;
            peer = t.peer;
        }
    }
    return peer;
}

/* Of a call in channels. */
static void say_slice(struct words *w, const struct orr_rank *r,
                      const struct orr_mail *m)
{
    const struct orr_program *p = r->team->program;
    const struct orr_call *x = &p->call[m->arg];
    put_words(w, "%s ",
              orr__tag_chunk(m->tag) == ORR_TAG_ROOM ? "room at"
                                                     : "a slice from");
    say_member(w, r, orr__call_rank(p, x, orr__tag_step(m->tag), r->rank));
    put_words(w, " in %s (%s, ", orr__collective_kind_name(x->c.ops->kind),
              x->c.ops->name);
    say_op(w, p, x->op);
    put_words(w, "), channel %u", orr__tag_lane(m->tag));
}

/* The message that is missing, or how many are. */
static void say_collective(struct words *w, const struct orr_rank *r,
                           const struct orr_mail *m)
{
    const struct orr_program *p = r->team->program;
    const struct orr_call *x = &p->call[m->arg];
    uint32_t chunk = orr__tag_chunk(m->tag), senders;
    struct orr_spot at = orr__spot_at(orr__call_member(p, x, r->rank), m->tag);
    uint32_t peer =
        sender(x, orr__piece_bytes(x->bytes, x->chunks, chunk), at, &senders);
    if (senders == 1) {
        put_words(w, "a message from ");
        say_member(w, r, orr__call_rank(p, x, peer, r->rank));
    } else {
        put_words(w, "%d of %u messages", -m->count, senders);
    }
    put_words(w, " in %s (%s, ", orr__call_name(x), x->c.ops->name);
    say_op(w, p, x->op);
    put_words(w, "), chunk %u, step %u", chunk, at.step);
}

/* A receive that waits, and a message from the same rank that came and that
 * not asked for: its tag may be the wrong one. */
static void say_receive(struct words *w, const struct orr_rank *r)
{
    const struct orr_receive *wanted = orr__receives_oldest(&r->posted);
    const struct orr_mail *other = NULL;
    for (uint32_t i = 0; i < orr__mail_places(&r->mail); i++) {
        const struct orr_mail *x = orr__mail_at(&r->mail, i);
        if (x->count > 0 && x->arg == ORR_ARG_PLAIN
            && x->tag >> 32 == wanted->key >> 32
            && (!other || x->tag < other->tag))
            other = x;
    }
    put_words(w, " waits for a message with tag %u from rank %u (recv, ",
              (uint32_t)wanted->key, (uint32_t)(wanted->key >> 32));
    say_op(w, r->team->program, wanted->op);
    put_words(w, ")");
    if (other)
        put_words(w, " and has one with tag %u", (uint32_t)other->tag);
}

/* From when on nothing has begun or ended there. */
static void say_since(struct words *w, const struct orr_rank *r)
{
    char at[32];
    orr__human_time(r->meter.since_ps, at, sizeof at);
    put_words(w, ", since %s", at);
}

void orr__rank_describe(const struct orr_rank *r, char *buf, size_t size)
{
    struct words w = {buf, size};
    const struct orr_mail *m = first_wait(&r->mail);
    buf[0] = '\0';
    if (!m && !r->team->stepper
        && (r->serves || r->iteration == r->team->iterations))
        return;
    say_member(&w, r, r->rank);
    if (!r->serves)
        put_words(&w, " in iteration %u", r->iteration);
    if (r->clock_waits) {
        put_words(&w, " waits for others to end iteration %u (clock)",
                  r->iteration
                      - (uint32_t)r->team->program->op[r->clock_op].bytes);
    } else if (m && m->arg != ORR_ARG_PLAIN) {
        put_words(&w, " waits for ");
        if (r->team->program->call[m->arg].c.plan.channels)
            say_slice(&w, r, m);
        else
            say_collective(&w, r, m);
    } else if (r->posted.count) {
        say_receive(&w, r);
    } else if (orr__gate_waits(r)) {
        put_words(&w, " waits for its gate to open");
    } else if (r->held) {
        put_words(&w, " waits for the other ranks to end a collective");
    } else if (r->team->stepper && !r->steps) {
        put_words(&w, " waits for its next step");
    } else if (r->left == 0 || r->left == ORR_NONE) {
        put_words(&w, " has not started");
    } else if (r->meter.computing) {
        put_words(&w, " computes");
    } else {
        put_words(&w, " waits for a message of its own to be %s (%s)",
                  r->team->acked ? "acknowledged" : "sent",
                  r->runs ? "in a collective" : "send");
    }
    if (!r->serves && r->left)
        say_since(&w, r);
}
