/* RFC 8985, RACK and tail loss probe. A packet is lost once one sent after it
 * is known to be delivered and it had a reorder window more time than that one
 * took. New packets go by number in order of time, retransmissions stand in a
 * queue of their own, so the oldest of either is all that has to be looked at,
 * and a retransmission that got lost is found as any other packet is.
 *
 * A timer waits for the oldest packet that may yet arrive; the RFC's waits for
 * the newest of those (section 6.2.5), and finds the others later or by the
 * next ACK. What the RFC leaves to others is left out: undoing what was done
 * about losses that were none, and F-RTO. */
#include "core/none.h"
#include "net/host/host.h"

#include "core/assert.h"

enum { DUP_THRESH = 3, PERSIST = 16 };

/* Section 6.2.4. Where the network is known to reorder, from the start the most
 * that the window may come to there, the smoothed round-trip time. */
static int64_t reorder_window(const struct orr_net *n,
                              const struct orr_sender *s)
{
    const struct orr_net_config *c = n->config;
    int64_t times = 1 + s->rack.patience;

    ORR_ASSERT(s->delivered.at >= 0 && s->srtt >= 0);
    if (c->recovery == ORR_RECOVERY_SELECTIVE && !s->overtakes)
        return 0;
    if (c->reorder_ps != ORR_NEVER)
        return c->reorder_ps;
    if (s->overtakes)
        return s->srtt ? s->srtt : c->rto.min_ps;
    if (!s->rack.reordered && (s->repairing || s->here >= DUP_THRESH))
        return 0;
    if (!s->srtt)
        return s->least_rtt / 4;
    return s->least_rtt / 4 < s->srtt / times ? s->least_rtt / 4 * times
                                              : s->srtt;
}

/* Was it sent before the latest that is known to be delivered? */
static bool is_overtaken(const struct orr_sender *s, int64_t at, uint32_t seq)
{
    return at != s->delivered.at ? at < s->delivered.at
                                 : orr__seq_before(seq, s->delivered.seq);
}

static bool is_current(const struct orr_sender *s, const struct orr_resend *e)
{
    const struct orr_sent *r;

    if (orr__seq_before(e->seq, s->una) || !orr__seq_before(e->seq, s->next))
        return false;
    r = orr__sent_packet(s, e->seq);
    return r->state == ORR_SENT_REPEAT && r->at == e->at;
}

/* Each judges in order of time, until a packet may yet arrive: *due is when it
 * would be lost, unless that is later than it was. */
static bool judge_first(struct orr_sender *s, int64_t wait, int64_t now,
                        int64_t *due)
{
    uint32_t lost = s->lost;

    for (; s->recovery.scanned != s->next; s->recovery.scanned++) {
        const struct orr_sent *r = orr__sent_packet(s, s->recovery.scanned);
        int64_t end = orr__time_add(r->at, wait);

        if (r->state != ORR_SENT_OUT)
            continue;
        if (!is_overtaken(s, r->at, s->recovery.scanned))
            break;
        if (end > now) {
            *due = end < *due ? end : *due;
            break;
        }
        orr__recovery_lost(s, s->recovery.scanned);
    }
    return s->lost != lost;
}

/* Retransmissions sent before one that is delivered are lost once `wait` has
 * gone by; *due: when the next one would be. true: some were lost. Entries that
 * are outdated are dropped from the head. */
static bool judge_repeats(struct orr_sender *s, int64_t wait, int64_t now,
                          int64_t *due)
{
    uint32_t lost = s->lost;

    for (; s->resends.head != s->resends.tail; s->resends.head++) {
        const struct orr_resend *e =
            &s->resends.ring[s->resends.head & (s->resends.capacity - 1)];
        int64_t end = orr__time_add(e->at, wait);

        if (!is_current(s, e))
            continue;
        if (!is_overtaken(s, e->at, e->seq))
            break;
        if (end > now) {
            *due = end < *due ? end : *due;
            break;
        }
        orr__recovery_lost(s, e->seq);
    }
    return s->lost != lost;
}

/* Section 6.2.5. */
enum orr_judged orr__rack_judge(struct orr_net *n, struct orr_sender *s,
                                int64_t now)
{
    int64_t wait, due = ORR_NEVER;
    bool first, again;

    orr__sender_note_delivered(s);
    if (s->delivered.at < 0)
        return ORR_JUDGED_NONE;
    wait = orr__time_add(reorder_window(n, s), s->delivered.rtt);
    first = judge_first(s, wait, now, &due);
    again = judge_repeats(s, wait, now, &due);
    if (due != ORR_NEVER) {
        s->reorders = true;
        if (orr__alarm_move(&s->reorder, due))
            orr__sender_set(n, s, ORR_WHAT_REORDER, due);
        orr__sender_counts(n, s);
    }
    return again   ? ORR_JUDGED_RESENT
           : first ? ORR_JUDGED_LOST
                   : ORR_JUDGED_NONE;
}

/* Section 6.2.4: the window grows once a round trip in which a retransmission
 * was for nothing, and shrinks after so many recoveries. */
void orr__rack_duplicate(struct orr_sender *s)
{
    if (s->rack.duplicated && orr__seq_before(s->una, s->rack.duplicate_end))
        return;
    s->rack.duplicated = true;
    s->rack.duplicate_end = s->next;
    s->rack.persist = PERSIST;
    if (s->rack.patience < UINT8_MAX)
        s->rack.patience++;
}

/* Section 7.2, the conditions. */
bool orr__probe_may(const struct orr_sender *s)
{
    ORR_ASSERT(s->repairing || !orr__seq_before(s->una, s->recovery.end));
    return s->probe_ready && s->una != s->next && !s->here && !s->lost
           && !s->cut
           && !(s->repairing && orr__seq_before(s->una, s->recovery.end));
}

/* The probe timeout. With fewer packets in flight than make it answer at once,
 * the receiver may hold its ACK back (there: with one). */
static int64_t probe_timeout(const struct orr_net *n,
                             const struct orr_sender *s)
{
    int64_t after =
        orr__time_add(orr__time_add(s->srtt, s->srtt), n->config->rto.probe_ps);

    if (s->in_flight < n->config->ack_every)
        after = orr__time_add(after, n->config->held_ps);
    return after;
}

void orr__probe_arm(struct orr_net *n, struct orr_sender *s, int64_t now)
{
    int64_t due = orr__time_add(now, probe_timeout(n, s));

    if (orr__alarm_move(&s->tail, due))
        orr__sender_set(n, s, ORR_WHAT_PROBE, due);
}

/* Every packet and every ACK puts it off, which is looked at only here. */
int64_t orr__probe_due(const struct orr_net *n, const struct orr_sender *s,
                       int64_t now)
{
    int64_t from = s->last_at > s->active_at ? s->last_at : s->active_at;

    if (!orr__probe_may(s))
        return ORR_NEVER;
    if (s->list != ORR_LIST_NONE)
        from = now; /* packets wait at the NIC as it is */
    else if (n->pfc && orr__nic_last_pause(n, s, now) > from)
        from = orr__nic_last_pause(n, s, now); /* or in its port */
    return orr__time_add(from, probe_timeout(n, s));
}

/* Section 7.3: a new packet if there is one, even beyond the window, else the
 * last one again. A fixed window (`cc: none`) stands for the receiver's, and
 * nothing goes beyond that. */
void orr__probe_send(struct orr_sender *s)
{
    bool new = s->message != ORR_NONE && s->control->state_size > 0;

    ORR_ASSERT(s->una != s->next && !s->probing);
    s->probing = true;
    s->probe_ready = false;
    s->probed.repeats = !new;
    s->probed.end = s->next + new;
    s->stats.probes++;
    if (new)
        s->probe = true;
    else
        orr__recovery_lost(s, s->next - 1);
}

/* Section 7.4.2. */
bool orr__probe_acked(struct orr_sender *s, bool duplicate)
{
    if (orr__seq_before(s->una, s->probed.end))
        return false;
    if (!s->probed.repeats || duplicate) {
        s->probing = false;
        return false;
    }
    if (s->una == s->probed.end)
        return false;
    s->probing = false;
    return true;
}
