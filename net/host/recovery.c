/* Which packets are where: the sender's scoreboard. Who is lost is judged by
 * RFC 8985 (rack.c) or RFC 6675 (sack.c). */
#include "net/host/host.h"

#include "core/assert.h"
#include "core/ring.h"

/* Is (at, seq) later than (at, seq) of the latest known to be delivered? */
static bool is_later(const struct orr_sender *s, const struct orr_sent *r,
                     uint32_t seq)
{
    return r->at != s->delivered.at ? r->at > s->delivered.at
                                    : orr__seq_before(s->delivered.seq, seq);
}

/* A packet is newly known to be here. Returns its round-trip time, or -1 where
 * that is not known: the ACK was sent for another packet or copy (RFC 8985,
 * section 6.2.2). */
static int64_t delivered(struct orr_sender *s, const struct orr_sent *r,
                         uint32_t seq, const struct orr_news *news)
{
    int64_t rtt = news->now - r->at - news->held;

    if (r->copy != news->copy)
        return -1;
    if (rtt < s->least_rtt)
        s->least_rtt = rtt;
    if (is_later(s, r, seq)) {
        s->delivered.at = r->at;
        s->delivered.seq = seq;
        s->delivered.rtt = rtt;
    }
    return rtt;
}

/* The packet leaves the count of the state that it is in; TWICE counts two in
 * flight. */
static void take_off(struct orr_sender *s, const struct orr_sent *r)
{
    ORR_ASSERT(r->state != ORR_SENT_HERE || s->here > 0);
    ORR_ASSERT(r->state != ORR_SENT_LOST || s->lost > 0);
    switch (r->state) {
    case ORR_SENT_HERE: s->here--; break;
    case ORR_SENT_LOST: s->lost--; break;
    case ORR_SENT_TWICE:
        ORR_ASSERT(s->in_flight >= 2);
        s->in_flight -= 2;
        break;
    default: ORR_ASSERT(s->in_flight > 0); s->in_flight--;
    }
}

/* The same where some are lost, or here beyond a gap. One that arrives behind
 * a packet sent after it, and was sent once, was overtaken (RFC 8985, section
 * 6.2.3). */
static int64_t take_off_some(struct orr_net *n, struct orr_sender *s,
                             uint32_t cum, const struct orr_news *news)
{
    bool sack = n->config->recovery == ORR_RECOVERY_SACK;
    int64_t rtt = -1;

    for (uint32_t i = s->una; i != cum; i++) {
        const struct orr_sent *r = orr__sent_packet(s, i);

        if (r->state != ORR_SENT_HERE) {
            rtt = delivered(s, r, i, news);
            if (s->here && !r->copy
                && orr__seq_before(i, s->recovery.highest_here))
                s->rack.reordered = true;
        } else if (sack) {
            orr__sack_gone(n, s, i);
        }
        take_off(s, r);
    }
    s->sack.duplicates = 0;
    return rtt;
}

int64_t orr__recovery_acknowledge(struct orr_net *n, struct orr_sender *s,
                                  uint32_t cum, const struct orr_news *news)
{
    int64_t rtt;

    ORR_ASSERT(orr__seq_before(s->una, cum) && !orr__seq_before(s->next, cum));
    if (s->here == 0 && s->lost == 0) {
        ORR_ASSERT(s->in_flight >= cum - s->una);
        rtt = delivered(s, orr__sent_packet(s, cum - 1), cum - 1, news);
        s->in_flight -= cum - s->una;
    } else {
        rtt = take_off_some(n, s, cum, news);
    }
    s->una = cum;
    /* a packet that was sent is here, lost, or on its way, perhaps twice */
    ORR_ASSERT(s->next - cum <= s->here + s->lost + s->in_flight);
    return rtt;
}

/* The run includes those of lost ACKs. */
int64_t orr__recovery_selective(struct orr_net *n, struct orr_sender *s,
                                uint32_t cum, uint32_t aux,
                                const struct orr_news *news)
{
    uint32_t seq = cum + (aux >> ORR_PACKET_RUN_BITS);
    uint32_t run = aux & ((1u << ORR_PACKET_RUN_BITS) - 1);
    uint32_t highest = s->here ? s->recovery.highest_here : cum;
    int64_t rtt = -1;

    if (!orr__seq_before(seq, s->next)
        || orr__sent_packet(s, seq)->state == ORR_SENT_HERE)
        return -1;
    if (s->here == 0)
        s->sack.duplicates = 0;
    s->sack.duplicates++;
    if (orr__seq_before(highest, seq + 1))
        s->recovery.highest_here = seq + 1;
    for (uint32_t i = seq; run > 0; run--, i--) {
        struct orr_sent *r = orr__sent_packet(s, i);
        int64_t took;

        if (r->state == ORR_SENT_HERE)
            break;
        took = delivered(s, r, i, news);
        if (i == seq)
            rtt = took;
        if (!r->copy && orr__seq_before(i, highest))
            s->rack.reordered = true;
        take_off(s, r);
        r->state = ORR_SENT_HERE;
        s->here++;
        if (n->config->recovery == ORR_RECOVERY_SACK)
            orr__sack_here(n, s, i);
    }
    return rtt;
}

/* ---- by a report of uec.c ---- */

/* The round trip of the packet that was answered, if it is known which copy
 * that was of, and it is news. */
static int64_t round_trip(const struct orr_sender *s, uint32_t seq,
                          const struct orr_news *news)
{
    const struct orr_sent *sent = orr__sent_packet(s, seq);

    if (orr__seq_before(seq, s->una) || !orr__seq_before(seq, s->next)
        || sent->state == ORR_SENT_HERE || sent->copy != news->copy)
        return -1;
    return news->now - sent->at;
}

/* A packet that may have been known before. */
static void is_here(struct orr_net *n, struct orr_sender *s, uint32_t seq,
                    const struct orr_news *news)
{
    const uint32_t alone = 1;

    if (!orr__seq_before(s->una, seq) || !orr__seq_before(seq, s->next)
        || orr__sent_packet(s, seq)->state == ORR_SENT_HERE)
        return;
    (void)orr__recovery_selective(
        n, s, s->una, (seq - s->una) << ORR_PACKET_RUN_BITS | alone, news);
}

/* All that it says is here, from the trigger outwards. */
static void take_off_those(struct orr_net *n, struct orr_sender *s,
                           const struct orr_uec_report *report,
                           const struct orr_news *news)
{
    uint64_t bits;

    for (bits = report->below; bits; bits &= bits - 1)
        is_here(n, s, report->trigger - 1 - (uint32_t)__builtin_ctzll(bits),
                news);
    is_here(n, s, report->trigger, news);
    for (bits = report->above; bits; bits &= bits - 1)
        is_here(n, s, report->trigger + 1 + (uint32_t)__builtin_ctzll(bits),
                news);
}

void orr__recovery_hear(struct orr_net *n, struct orr_sender *s,
                        const struct orr_packet *p, struct orr_cc_ack *a,
                        const struct orr_news *news)
{
    bool more = p->dst_kind & ORR_PACKET_TELEMETRY
                && orr__telemetry(n, p->aux)->message;
    const struct orr_uec_report *report =
        more ? orr__uec_report(n, p->aux) : NULL;

    a->rtt_ps = round_trip(s, more ? report->trigger : p->seq - 1, news);
    if (orr__seq_before(s->una, p->seq)) {
        a->acked = p->seq - s->una;
        (void)orr__recovery_acknowledge(n, s, p->seq, news);
    }
    if (more)
        take_off_those(n, s, report, news);
}

void orr__recovery_lost(struct orr_sender *s, uint32_t seq)
{
    struct orr_sent *r = orr__sent_packet(s, seq);

    ORR_ASSERT(r->state != ORR_SENT_HERE && r->state != ORR_SENT_LOST);
    ORR_ASSERT(s->in_flight > 0);
    if (r->state == ORR_SENT_TWICE) { /* the other copy is on its way */
        r->state = ORR_SENT_REPEAT;
        s->in_flight--;
        return;
    }
    r->state = ORR_SENT_LOST;
    s->in_flight--;
    if (s->lost++ == 0 || orr__seq_before(seq, s->recovery.repeat_from))
        s->recovery.repeat_from = seq;
}

enum orr_judged orr__recovery_judge(struct orr_net *n, struct orr_sender *s,
                                    int64_t now)
{
    if (orr__seq_before(s->recovery.scanned, s->una))
        s->recovery.scanned = s->una;
    switch ((enum orr_recovery)n->config->recovery) {
    case ORR_RECOVERY_GO_BACK_N: /* the receiver says what is missing */
        return ORR_JUDGED_NONE;
    case ORR_RECOVERY_SACK: return orr__sack_judge(n, s);
    case ORR_RECOVERY_SELECTIVE:
    case ORR_RECOVERY_RACK: break;
    }
    return orr__rack_judge(n, s, now);
}

void orr__recovery_all_lost(struct orr_sender *s)
{
    for (uint32_t i = s->una; i != s->next; i++) {
        struct orr_sent *r = orr__sent_packet(s, i);

        if (r->state == ORR_SENT_TWICE)
            orr__recovery_lost(s, i);
        if (r->state == ORR_SENT_OUT || r->state == ORR_SENT_REPEAT)
            orr__recovery_lost(s, i);
    }
    s->recovery.scanned = s->next;
    s->resends.head = s->resends.tail;
    s->sack.here_bytes = s->sack.here_blocks = 0;
    s->spares = false;
}

void orr__recovery_trimmed(struct orr_sender *s, uint32_t seq)
{
    const struct orr_sent *r;

    if (orr__seq_before(seq, s->una) || !orr__seq_before(seq, s->next))
        return;
    r = orr__sent_packet(s, seq);
    if (r->state != ORR_SENT_HERE && r->state != ORR_SENT_LOST)
        orr__recovery_lost(s, seq);
}

static __attribute__((cold, noinline)) bool repeats_grow(struct orr_sender *s)
{
    return orr__ring_grow(s->resends.ring, s->resends.capacity, s->resends.head,
                          s->resends.tail, 16);
}

/* Packet seq goes out again now. Where retransmissions are judged by time, it
 * joins those. */
static void enter_repeat(struct orr_net *n, struct orr_sender *s, uint32_t seq,
                         int64_t now)
{
    struct orr_sent *r = orr__sent_packet(s, seq);

    r->at = now;
    r->copy = r->copy == ORR_COPY_ODD ? ORR_COPY_EVEN : ORR_COPY_ODD;
    if (n->config->recovery == ORR_RECOVERY_SACK
        || n->config->recovery == ORR_RECOVERY_GO_BACK_N)
        return;
    if (s->resends.tail - s->resends.head >= s->resends.capacity
        && !repeats_grow(s)) {
        orr__fabric_out_of_memory(n);
        return;
    }
    s->resends.ring[s->resends.tail++ & (s->resends.capacity - 1)] =
        (struct orr_resend){.at = now, .seq = seq};
}

static uint32_t lowest_lost(struct orr_sender *s)
{
    if (orr__seq_before(s->recovery.repeat_from, s->una))
        s->recovery.repeat_from = s->una;
    ORR_ASSERT(s->lost > 0); /* so the search ends */
    while (orr__sent_packet(s, s->recovery.repeat_from)->state != ORR_SENT_LOST)
        s->recovery.repeat_from++;
    ORR_ASSERT(orr__seq_before(s->recovery.repeat_from, s->next));
    return s->recovery.repeat_from;
}

uint32_t orr__recovery_repeat(struct orr_net *n, struct orr_sender *s,
                              int64_t now)
{
    bool spare = s->lost == 0, twice = false;
    uint32_t seq = spare ? orr__sack_spare(s, &twice) : lowest_lost(s);

    s->lost -= !spare;
    s->in_flight += !spare || twice;
    orr__sent_packet(s, seq)->state = twice ? ORR_SENT_TWICE : ORR_SENT_REPEAT;
    enter_repeat(n, s, seq, now);
    if (spare)
        orr__sack_find_lost(s);
    return seq;
}

void orr__recovery_begin(const struct orr_net *n, struct orr_sender *s)
{
    s->recovery.end = s->next;
    s->probing = false;
    if (n->config->recovery != ORR_RECOVERY_SACK)
        return;
    /* Section 5, step 4.3: no rescue before what is sent first is here. */
    s->sack.early = s->sack.rescue_after = s->una;
    s->sack.rescued = false;
}

void orr__recovery_end(struct orr_sender *s)
{
    s->spares = false;
    if (s->rack.persist > 0 && --s->rack.persist == 0)
        s->rack.patience = 0;
}
