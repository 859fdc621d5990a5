/* What of a connection decides its future (core/snapshot.h). */
#include "net/watch/connection_snapshot.h"
#include "core/none.h"

#include "core/snapshot.h"
#include "net/config/timers.h"
#include "net/host/host.h"
#include "net/watch/port_snapshot.h"

/* ---- messages ------------------------------------------------------------ */

/* They are known by their place on the connection. */
static void snapshot_message(const struct orr_snapshot_watch *watch,
                             struct orr_message *m, const struct orr_sender *s,
                             struct orr_snapshot *w)
{
    orr__snapshot_value(w, m->bytes);
    orr__snapshot_value(w, watch->tag(watch->arg, m, w));
    orr__snapshot_value(w, (uint64_t)m->user << 32 | m->arg);
    orr__snapshot_value(w, (uint64_t)m->src << 32 | m->dst);
    orr__snapshot_value(w,
                        (uint64_t)(m->first_seq - s->una) << 32 | m->packets);
    orr__snapshot_value(w, m->departs_by);
}

static void snapshot_messages(struct orr_net *n,
                              const struct orr_snapshot_watch *watch,
                              struct orr_sender *s, struct orr_snapshot *w)
{
    for (uint32_t id = s->first_unacked; id != ORR_NONE;) {
        struct orr_message *m = orr__message(n, id);

        orr__snapshot_value(w, id == s->message);
        snapshot_message(watch, m, s, w);
        id = m->next;
    }
}

/* ---- the sender ---------------------------------------------------------- */

/* Packets in flight, and the queue of retransmissions; numbers relative to una,
 * so that a later period compares equal. */
static void snapshot_sent(struct orr_sender *s, struct orr_snapshot *w)
{
    for (uint32_t i = s->una; i != s->next; i++) {
        struct orr_sent *x = orr__sent_packet(s, i);

        orr__snapshot_time(w, &x->at);
        orr__snapshot_value(w, (uint64_t)x->state << 8 | x->copy);
    }
    for (uint32_t i = s->resends.head; i != s->resends.tail; i++) {
        struct orr_resend *x = &s->resends.ring[i & (s->resends.capacity - 1)];

        orr__snapshot_time(w, &x->at);
        orr__snapshot_value(w, x->seq - s->una);
    }
}

/* Marks of what was: those behind una are as good as una. */
static void snapshot_mark(const struct orr_sender *s, uint32_t mark,
                          struct orr_snapshot *w)
{
    orr__snapshot_value(w, orr__seq_before(mark, s->una) ? 0 : mark - s->una);
}

/* Numbers that mean something only while a recovery, or a probe, goes on are
 * left out otherwise: they are left over from the last one. */
static void snapshot_recovery(const struct orr_net *n, struct orr_sender *s,
                              struct orr_snapshot *w)
{
    orr__snapshot_value(w, s->recovering | s->repairing << 1 | s->probing << 2
                               | s->probed.repeats << 3 | s->probe << 4
                               | s->probe_ready << 5 | s->rack.duplicated << 6
                               | s->rack.reordered << 7 | s->spares << 8
                               | s->sack.rescued << 9 | s->cut << 10
                               | s->sack.partial << 11);
    snapshot_mark(s, s->recovery.end, w);
    snapshot_mark(s, s->recovery.scanned, w);
    snapshot_mark(s, s->recovery.highest_here, w);
    snapshot_mark(s, s->recovery.repeat_from, w);
    if (s->rack.duplicated)
        snapshot_mark(s, s->rack.duplicate_end, w);
    if (s->probing)
        orr__snapshot_value(w, s->probed.end - s->una);
    orr__snapshot_value(w, (uint64_t)s->rack.patience << 8 | s->rack.persist);
    orr__snapshot_value(w, s->sack.here_bytes);
    orr__snapshot_value(w, s->sack.here_blocks);
    if (s->repairing) {
        orr__snapshot_value(w, s->sack.duplicates);
        orr__snapshot_value(w, s->sack.early - s->una);
        orr__snapshot_value(w, s->sack.rescue_after - s->una);
    } else {
        orr__snapshot_value(w, s->una == s->next ? 0 : s->sack.duplicates);
    }
    orr__sender_note_delivered(s);
    if (w->quiet) { /* older than all that is sent from now on */
        orr__snapshot_value(w, s->delivered.at >= 0);
        if (orr__timers_run(n->config))
            orr__snapshot_value(w, (uint64_t)s->delivered.rtt);
    } else if (s->delivered.at >= 0) {
        orr__snapshot_time(w, &s->delivered.at);
        orr__snapshot_value(w, s->delivered.seq - s->una);
        orr__snapshot_value(w, (uint64_t)s->delivered.rtt);
    }
}

/* Of an alarm only when it is due matters: it is looked at as often as its
 * timer happens to fire before. */
static void snapshot_alarm(struct orr_alarm *a, struct orr_snapshot *w)
{
    orr__snapshot_time(w, &a->due);
    orr__snapshot_moved(w, &a->set);
}

static void snapshot_counters(struct orr_sender *s, struct orr_snapshot *w)
{
    orr__snapshot_count(w, &s->packets);
    orr__snapshot_count(w, &s->stats.payload_bytes);
    orr__snapshot_count(w, &s->wire_bytes);
    orr__snapshot_count(w, &s->stats.retransmissions);
    orr__snapshot_count(w, &s->stats.timeouts);
    orr__snapshot_count(w, &s->stats.marks);
    orr__snapshot_count(w, &s->stats.cnps);
    orr__snapshot_count(w, &s->stats.probes);
}

/* Its own state; of one that rests nothing goes on. */
static void snapshot_control(const struct orr_net *n, struct orr_sender *s,
                             bool rests, struct orr_snapshot *w)
{
    const struct orr_cc_ops *ops = s->control->ops;
    struct orr_cc_hop *hop;
    uint32_t hops;

    if (ops->snapshot)
        ops->snapshot(s->cc, s->control->params, w, s->una);
    if (!ops->kept || (rests && w->mode == ORR_SNAPSHOT_MOVE))
        return;
    hop = ops->kept(s->cc, &hops);
    orr__hops_snapshot(n, s, hop, hops, w);
}

/* Round trips. After a rest they are of no use to anybody without a timer, and
 * nobody asks when the last answer came, unless windows begin anew then. */
static void snapshot_times(const struct orr_net *n, struct orr_sender *s,
                           struct orr_snapshot *w)
{
    if (!w->quiet || orr__timers_run(n->config)) {
        orr__snapshot_value(w, (uint64_t)s->srtt);
        orr__snapshot_value(w, (uint64_t)s->rttvar);
        orr__snapshot_value(w, (uint64_t)orr__sender_rto(n, s));
        orr__snapshot_value(w, (uint64_t)s->rtt);
        orr__snapshot_value(w, (uint64_t)s->least_rtt);
    }
    if (!w->quiet || n->config->idle_restart)
        orr__snapshot_time(w, &s->active_at);
}

/* Packet numbers count from una; messages are known by their place. */
static void snapshot_sender(struct orr_net *n,
                            const struct orr_snapshot_watch *watch,
                            struct orr_sender *s, struct orr_snapshot *w)
{
    int64_t paced_at = s->last_at;
    bool window = s->window.cwnd < ORR_CC_UNLIMITED;

    orr__snapshot_real(w, s->window.cwnd);
    orr__snapshot_real(w, s->window.rate);
    orr__snapshot_real(w, s->window.gain);
    orr__snapshot_value(w, (uint64_t)(s->next - s->una) << 32
                               | (s->queued - s->una));
    orr__snapshot_value(w, (uint64_t)s->in_flight << 32 | s->here);
    orr__snapshot_value(w, (uint64_t)s->lost << 32 | s->vain);
    orr__snapshot_value(w, (uint64_t)s->list << 32 | s->nic_port);
    orr__snapshot_value(w, s->opening);
    orr__snapshot_real(w, s->opening_cwnd);
    snapshot_messages(n, watch, s, w);
    snapshot_sent(s, w);
    if (!s->own_pace)
        orr__snapshot_due(w, &paced_at);
    else if (s->list == ORR_LIST_PACED)
        orr__snapshot_time(w, &s->paced_at);
    else
        orr__snapshot_due(w, &s->paced_at);
    if (!w->quiet) {
        orr__snapshot_time(w, &s->last_at);
        orr__snapshot_value(w, s->last_bytes);
    }
    snapshot_recovery(n, s, w);
    if (s->hears && (window || !w->quiet)) {
        orr__snapshot_value(w, (uint64_t)s->peak.now << 32 | s->peak.before);
        orr__snapshot_value(w, s->peak.end - s->una);
    }
    snapshot_times(n, s, w);
    if (n->pfc && orr__timers_run(n->config)) {
        int64_t stood = orr__nic_paused_for(n, s, w->now) - s->stood_ps;
        int64_t rto = orr__sender_rto(n, s);

        orr__snapshot_value(w, (uint64_t)(stood < rto ? stood : rto));
        orr__snapshot_count_time(w, &s->stood_ps);
    }
    snapshot_alarm(&s->timeout, w);
    snapshot_alarm(&s->reorder, w);
    snapshot_alarm(&s->tail, w);
}

/* ---- the receiver -------------------------------------------------------- */

/* Its numbers count from what it expects next, which is shown by how far that
 * is from the sender's una. */
static void snapshot_receiver(const struct orr_sender *s,
                              struct orr_receiver *r, struct orr_snapshot *w)
{
    orr__snapshot_value(w, (uint64_t)(r->next - s->una) << 32 | r->pending);
    orr__snapshot_value(w, r->ce);
    orr__snapshot_due(w, &r->cnp_at);
    orr__snapshot_value(
        w, orr__seq_before(r->refused, r->next) ? 0 : r->refused - r->next);
    orr__snapshot_due(w, &r->refuse_at);
    orr__snapshot_value(w, r->beyond);
    for (uint32_t i = 0; r->beyond && i < r->bit_capacity; i++) {
        uint32_t at = (r->next + i) & (r->bit_capacity - 1);

        if (r->bits[at / 64] >> at % 64 & 1)
            orr__snapshot_value(w, i);
    }
    for (uint32_t i = 0; i < r->n_boundary; i++)
        orr__snapshot_value(w, r->boundary[i].seq - r->next);
    snapshot_alarm(&r->held, w);
    if (r->pending) {
        orr__snapshot_time(w, &r->newest_at);
        orr__snapshot_value(w, r->newest_copy);
    }
    orr__snapshot_count(w, &r->marks);
}

/* ---- the connection ------------------------------------------------------ */

bool orr__connection_is_idle(const struct orr_net *n, uint32_t id)
{
    const struct orr_sender *s = orr__sender(n, id);

    return s->closed || (s->una == s->queued && s->timeout.due == ORR_NEVER);
}

bool orr__connection_snapshot(struct orr_net *n,
                              const struct orr_snapshot_watch *watch,
                              uint32_t id, bool rests, struct orr_snapshot *w)
{
    struct orr_sender *s = orr__sender(n, id);
    int64_t by = w->by;

    if (!s->control || s->closed)
        return false;
    if (rests)
        w->by = 0;
    snapshot_counters(s, w);
    snapshot_sender(n, watch, s, w);
    snapshot_control(n, s, rests, w);
    snapshot_receiver(s, orr__receiver(n, id), w);
    w->by = by;
    return true;
}
