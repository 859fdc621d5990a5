/* Which packets are lost: the sender's scoreboard.
 *
 * Where packets cannot overtake one another, a packet is lost once one sent
 * three or more after it has arrived (RFC 6675, DupThresh 3), and one that was
 * sent again once anything sent later still has arrived. Where they can, only
 * time tells (RFC 8985, RACK): one sent a reorder window earlier than what has
 * arrived is lost. */
#include "net/connection.h"

#define DUP_THRESHOLD 3

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

static int64_t reorder_window(const struct orr_net *n,
                              const struct orr_sender *s)
{
    if (n->config->reorder_ps != ORR_NEVER)
        return n->config->reorder_ps;
    return s->srtt ? s->srtt : n->config->rto.min_ps;
}

/* Judges packets from `scanned` on, each once. */
static bool scan(struct orr_net *n, struct orr_sender *s, int64_t now)
{
    int64_t slack = n->config->reorders ? reorder_window(n, s) : 0;
    bool any = false;

    if (is_before(s->scanned, s->una))
        s->scanned = s->una;
    for (; s->here && is_before(s->scanned, s->highest_here); s->scanned++) {
        const struct orr_sent *r = sent_of(s, s->scanned);

        if (r->state != ORR_SENT_OUT)
            continue;
        if (!n->config->reorders) {
            if (s->highest_here - 1 - s->scanned < DUP_THRESHOLD)
                break;
        } else if (r->at + slack > s->delivered_at) {
            int64_t at = now + (r->at + slack - s->delivered_at);

            if (!s->reorder_set) {
                s->reorder_set = true;
                orr__fabric_timer(n, s->src, ORR_KIND_TIMER, at,
                                  ORR_WHAT_REORDER, s->id);
            }
            if (r->at + slack > now)
                break;
        }
        mark_lost(s, s->scanned);
        any = true;
    }
    return any;
}

bool orr__recovery_judge(struct orr_net *n, struct orr_sender *s, int64_t now)
{
    bool any = scan(n, s, now);
    struct orr_sent *first;
    int64_t slack = n->config->reorders ? reorder_window(n, s) : 0;

    if (s->una == s->next)
        return any;
    first = sent_of(s, s->una);
    if (first->state == ORR_SENT_REPEAT
        && first->at + slack < s->delivered_at) {
        mark_lost(s, s->una);
        any = true;
    }
    return any;
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

uint32_t orr__recovery_next(struct orr_sender *s)
{
    if (is_before(s->repeat_from, s->una))
        s->repeat_from = s->una;
    while (sent_of(s, s->repeat_from)->state != ORR_SENT_LOST)
        s->repeat_from++;
    return s->repeat_from;
}
