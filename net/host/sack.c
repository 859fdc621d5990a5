/* RFC 6675: loss recovery by what is selectively acknowledged above a packet.
 *
 * A packet is lost if more than two full packets' worth of payload, or three
 * runs of packets, are here above it (IsLost). What is so of a packet is so of
 * all below it, so one mark, `scanned`, goes up, with the bytes and runs that
 * are here at it and above. A retransmission that gets lost is found by the
 * timeout alone, as the RFC has it. */
#include "net/host/host.h"

#include "core/assert.h"

enum { DUP_THRESH = 3 };

static uint64_t payload(const struct orr_net *n, const struct orr_sender *s,
                        uint32_t seq)
{
    const struct orr_message *m =
        orr__message(n, orr__sent_packet(s, seq)->message);
    uint32_t index = seq - m->first_seq;

    ORR_ASSERT(index < m->packets);
    return index + 1 < m->packets ? s->mtu
                                  : m->bytes - (uint64_t)index * s->mtu;
}

static bool is_here(const struct orr_sender *s, uint32_t seq)
{
    return !orr__seq_before(seq, s->recovery.scanned)
           && orr__seq_before(seq, s->next)
           && orr__sent_packet(s, seq)->state == ORR_SENT_HERE;
}

void orr__sack_here(const struct orr_net *n, struct orr_sender *s, uint32_t seq)
{
    if (orr__seq_before(seq, s->recovery.scanned))
        return;
    s->sack.here_bytes += payload(n, s, seq);
    s->sack.here_blocks += 1;
    s->sack.here_blocks -= is_here(s, seq - 1);
    s->sack.here_blocks -= is_here(s, seq + 1);
}

/* From the lowest on. */
void orr__sack_gone(const struct orr_net *n, struct orr_sender *s, uint32_t seq)
{
    if (orr__seq_before(seq, s->recovery.scanned))
        return;
    ORR_ASSERT(s->sack.here_bytes >= payload(n, s, seq)
               && s->sack.here_blocks > 0);
    s->sack.here_bytes -= payload(n, s, seq);
    s->sack.here_blocks -= !is_here(s, seq + 1);
}

static bool is_lost(const struct orr_sender *s)
{
    return s->sack.here_bytes > (DUP_THRESH - 1) * (uint64_t)s->mtu
           || s->sack.here_blocks >= DUP_THRESH;
}

static void mark_lost(struct orr_sender *s, uint32_t seq)
{
    unsigned state = orr__sent_packet(s, seq)->state;

    if (state == ORR_SENT_OUT || state == ORR_SENT_TWICE)
        orr__recovery_lost(s, seq);
}

enum orr_judged orr__sack_judge(struct orr_net *n, struct orr_sender *s)
{
    uint32_t before = s->lost;

    for (; s->here
           && orr__seq_before(s->recovery.scanned, s->recovery.highest_here);
         s->recovery.scanned++) {
        if (is_here(s, s->recovery.scanned))
            orr__sack_gone(n, s, s->recovery.scanned);
        else if (is_lost(s))
            mark_lost(s, s->recovery.scanned);
        else
            break;
    }
    /* Section 5: three duplicate ACKs will do for the first one. */
    if (s->sack.duplicates >= DUP_THRESH && !s->repairing && s->una != s->next
        && orr__sent_packet(s, s->una)->state == ORR_SENT_OUT)
        orr__recovery_lost(s, s->una);
    return s->lost != before ? ORR_JUDGED_LOST : ORR_JUDGED_NONE;
}

/* The highest packet that is not here, or una. */
static uint32_t highest_missing(const struct orr_sender *s)
{
    uint32_t seq = s->next - 1;

    ORR_ASSERT(s->una != s->next);
    while (seq != s->una && orr__sent_packet(s, seq)->state == ORR_SENT_HERE)
        seq--;
    return seq;
}

/* Section 4, rule 3: the lowest packet below one that is here. */
static bool is_early(const struct orr_sender *s)
{
    return s->here && orr__seq_before(s->sack.early, s->recovery.highest_here);
}

/* Rule 4, the rescue, comes once a recovery, when what was sent first in it is
 * here. The RFC would send the highest packet missing even if that was sent
 * again already; it is left alone here. */
void orr__sack_find_lost(struct orr_sender *s)
{
    if (orr__seq_before(s->sack.early, s->recovery.scanned))
        s->sack.early = s->recovery.scanned;
    while (is_early(s)
           && orr__sent_packet(s, s->sack.early)->state != ORR_SENT_OUT)
        s->sack.early++;
    s->spares =
        is_early(s)
        || (!s->sack.rescued && s->una != s->next
            && orr__seq_before(s->sack.rescue_after, s->una)
            && orr__sent_packet(s, highest_missing(s))->state == ORR_SENT_OUT);
}

uint32_t orr__sack_spare(struct orr_sender *s, bool *counts)
{
    *counts = is_early(s);
    if (*counts)
        return s->sack.early;
    s->sack.rescued = true;
    return highest_missing(s);
}
