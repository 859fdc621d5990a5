/* TCP's handshake (RFC 9293, section 3.5), as far as it takes time: one packet
 * asks, one answers, one acknowledges that, and data goes behind it. All are as
 * large as an ACK, and are treated as such: neither marked nor cut. The third
 * tells nobody anything, as data would do as well, but it takes its time: where
 * all else has one size, flows that compete for a full queue keep their order
 * for ever without it. The first question is a measured round trip; of later
 * ones nobody knows which was answered (RFC 6298, section 3), and the initial
 * window is one packet then (RFC 5681, section 3.1). */
#include "net/fabric/timer.h"
#include "net/host/host.h"

/* `seq` of what goes to the receiver: its question, or the ACK of the answer.
 */
enum { ASKS, CLOSES };

/* One of the two, among the ACKs of its host. */
static void send_opening(struct orr_net *n, struct orr_sender *s, uint32_t seq,
                         int64_t now)
{
    struct orr_packet p = {
        .connection = s->id,
        .dst_kind = s->to | ORR_PACKET_CNP,
        .hash = s->path_hash,
        .seq = seq,
        .size_flags = (uint32_t)n->config->ack << ORR_PACKET_FLAG_BITS
                      | ORR_PACKET_ACK | ORR_PACKET_OPENS,
    };

    orr__nic_ack(n, orr__sender_lane(n, s), s->src, &p, now);
}

/* Sends a question, and arms the timer for the next one; pacing goes on from
 * here. */
static void send_question(struct orr_net *n, struct orr_sender *s, int64_t now)
{
    orr__sender_keep_pace(s);
    s->last_at = now;
    if (orr__alarm_move(&s->timeout, orr__time_add(now, orr__sender_rto(n, s))))
        orr__sender_set(n, s, ORR_WHAT_RTO, s->timeout.due);
    orr__sender_counts(n, s);
    send_opening(n, s, ASKS, now);
}

void orr__handshake_ask(struct orr_net *n, struct orr_sender *s, int64_t now)
{
    if (s->opening != ORR_UNOPENED)
        return;
    s->opening = ORR_ASKED;
    send_question(n, s, now);
}

void orr__handshake_timeout(struct orr_net *n, struct orr_sender *s,
                            int64_t now)
{
    if (!orr__sender_backs_off(n, s, now))
        return;
    s->opening = ORR_ASKED_REPEATEDLY;
    if (s->control->state_size && s->opening_cwnd < ORR_CC_UNLIMITED)
        s->opening_cwnd = 1;
    s->stats.retransmissions++;
    orr__sender_lane(n, s)->repeats++;
    send_question(n, s, now);
}

/* The answer is here: the first question's gives a sample of the round trip,
 * and data may go, behind the ACK. Later answers change nothing. */
static void take_answer(struct orr_net *n, struct orr_lane *lane,
                        struct orr_sender *s, int64_t now)
{
    if (s->opening == ORR_OPEN) /* this one answers a question asked twice */
        return;
    if (s->opening == ORR_ASKED)
        orr__sender_measured(s, now - s->last_at);
    s->opening = ORR_OPEN;
    s->vain = 0;
    s->timeout.due = ORR_NEVER;
    orr__sender_counts(n, s);
    s->active_at = now;
    s->window.cwnd = s->opening_cwnd;
    send_opening(n, s, CLOSES, now);
    orr__nic_activate(n, lane, s, now);
}

/* Returns a question to its sender, marked LAST, unless the receiver has
 * closed. */
static void send_answer(struct orr_net *n, struct orr_lane *lane,
                        const struct orr_packet *question, int64_t now)
{
    const struct orr_receiver *r = orr__receiver(n, question->connection);
    struct orr_packet p = {
        .connection = question->connection,
        .dst_kind =
            orr__packet_to(r->src, r->class | n->routed | ORR_PACKET_CNP),
        .hash = r->path_hash,
        .size_flags = question->size_flags | ORR_PACKET_LAST,
    };

    if (!(r->apart & ORR_APART_CLOSED))
        orr__nic_ack(n, lane, r->dst, &p, now);
}

void orr__handshake_arrival(struct orr_net *n, struct orr_lane *lane,
                            const struct orr_packet *p, int64_t now)
{
    if (p->size_flags & ORR_PACKET_LAST)
        take_answer(n, lane, orr__sender(n, p->connection), now);
    else if (p->seq == ASKS)
        send_answer(n, lane, p, now);
}
