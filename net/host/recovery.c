/* Which packets are lost: the sender's scoreboard.
 *
 * Where packets cannot overtake one another, a packet is lost once one sent
 * three or more after it has arrived (RFC 6675, DupThresh 3), and one that was
 * sent again once anything sent later still has arrived. Where they can, only
 * time tells (RFC 8985, RACK): one sent a reorder window earlier than what has
 * arrived is lost. */
#include "net/host/host.h"

/* RFC 6675; with `recovery: selective` one packet beyond a gap will do. */
static uint32_t threshold(const struct orr_net *n)
{
    return n->config->recovery == ORR_RECOVERY_SELECTIVE ? 1 : 3;
}

static struct orr_sent *sent_of(struct orr_sender *s, uint32_t seq)
{
    return &s->sent[seq & (s->capacity - 1)];
}

static bool is_before(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b) < 0;
}

static void mark_here(struct orr_sender *s, struct orr_sent *r)
{
    if (r->state == ORR_SENT_LOST)
        s->lost--;
    else
        s->in_flight--;
    if (r->at > s->delivered_at)
        s->delivered_at = r->at;
    r->state = ORR_SENT_HERE;
    s->here++;
}

/* aux says which packet made the receiver send this ACK and how many up to it
 * are there without a gap; those that ACKs which got lost told of are among
 * them. */
void orr__recovery_selective(struct orr_sender *s, uint32_t cum, uint32_t aux)
{
    uint32_t seq = cum + (aux >> 16), run = aux & 0xffff;

    if (!is_before(seq, s->next))
        return;
    if (s->here == 0 || is_before(s->highest_here, seq + 1))
        s->highest_here = seq + 1;
    for (; run > 0; run--, seq--) {
        struct orr_sent *r = sent_of(s, seq);

        if (r->state == ORR_SENT_HERE)
            return;
        mark_here(s, r);
    }
}

static void mark_lost(struct orr_sender *s, uint32_t seq)
{
    sent_of(s, seq)->state = ORR_SENT_LOST;
    s->in_flight--;
    if (s->lost++ == 0 || is_before(seq, s->repeat_from))
        s->repeat_from = seq;
}

/* How long after it was sent a packet that something sent later has overtaken
 * may still be on its way: the round-trip time and the reorder window. */
static int64_t patience(const struct orr_net *n, const struct orr_sender *s)
{
    int64_t rtt = s->srtt ? s->srtt : n->config->rto.min_ps;

    if (n->config->reorder_ps != ORR_NEVER)
        return orr__time_add(n->config->reorder_ps, rtt);
    return 2 * rtt;
}

/* May a packet in flight still arrive? If only time can tell, `reorder` is
 * set to when. */
static bool may_arrive(struct orr_net *n, struct orr_sender *s, uint32_t seq,
                       int64_t now)
{
    const struct orr_sent *r = sent_of(s, seq);
    int64_t due;

    if (r->at >= s->delivered_at)
        return true;
    if (!n->config->reorders)
        return r->state == ORR_SENT_OUT
               && s->highest_here - 1 - seq < threshold(n);
    due = orr__time_add(r->at, patience(n, s));
    if (due <= now)
        return false;
    if (orr__alarm_move(&s->reorder, due))
        orr__sender_set(n, s, ORR_WHAT_REORDER, due);
    return true;
}

/* Judges packets below the highest that is here, each once; and the lowest
 * one again if it was sent again. */
bool orr__recovery_judge(struct orr_net *n, struct orr_sender *s, int64_t now)
{
    uint32_t lost = s->lost;

    if (is_before(s->scanned, s->una))
        s->scanned = s->una;
    for (; s->here && is_before(s->scanned, s->highest_here); s->scanned++) {
        if (sent_of(s, s->scanned)->state != ORR_SENT_OUT)
            continue;
        if (may_arrive(n, s, s->scanned, now))
            break;
        mark_lost(s, s->scanned);
    }
    if (s->una != s->next && sent_of(s, s->una)->state == ORR_SENT_REPEAT
        && !may_arrive(n, s, s->una, now))
        mark_lost(s, s->una);
    return s->lost != lost;
}

void orr__recovery_all_lost(struct orr_sender *s)
{
    for (uint32_t i = s->una; i != s->next; i++) {
        struct orr_sent *r = sent_of(s, i);

        if (r->state == ORR_SENT_OUT || r->state == ORR_SENT_REPEAT)
            mark_lost(s, i);
    }
    s->scanned = s->next;
}

void orr__recovery_trimmed(struct orr_sender *s, uint32_t seq)
{
    const struct orr_sent *r = sent_of(s, seq);

    if (is_before(seq, s->una) || !is_before(seq, s->next)
        || r->state == ORR_SENT_HERE || r->state == ORR_SENT_LOST)
        return;
    mark_lost(s, seq);
}

uint32_t orr__recovery_next(struct orr_sender *s)
{
    if (is_before(s->repeat_from, s->una))
        s->repeat_from = s->una;
    while (sent_of(s, s->repeat_from)->state != ORR_SENT_LOST)
        s->repeat_from++;
    return s->repeat_from;
}
