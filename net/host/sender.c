/* The sending side of a connection: segmentation, ACKs, timeouts. */
#include <assert.h>

#include "core/memory.h"
#include "net/host/host.h"
#include "net/run/reroute.h"

static struct orr_sent *sent_of(struct orr_sender *s, uint32_t seq)
{
    return &s->sent[seq & (s->capacity - 1)];
}

static bool sent_grow(struct orr_sender *s)
{
    uint32_t capacity = s->capacity ? 2 * s->capacity : 16;
    struct orr_sent *sent = orr__alloc(capacity, sizeof *sent);

    if (!sent)
        return false;
    for (uint32_t i = s->una; i != s->next; i++)
        sent[i & (capacity - 1)] = *sent_of(s, i);
    orr__free(s->sent);
    s->sent = sent;
    s->capacity = capacity;
    return true;
}

/* The packet numbered seq of message m, as it goes on the wire. */
static void segment(const struct orr_net *n, const struct orr_sender *s,
                    const struct orr_message *m, uint32_t seq, uint32_t flags,
                    struct orr_packet *p)
{
    const struct orr_net_config *c = n->config;
    uint32_t index = seq - m->first_seq;
    uint64_t bytes = c->mtu;

    if (index + 1 == m->packets) {
        bytes = m->bytes - (uint64_t)index * c->mtu;
        flags |= ORR_PACKET_LAST;
    }
    bytes += c->header;
    if (bytes == 0)
        bytes = 1; /* an empty message under an empty header */
    *p = (struct orr_packet){
        .connection = s->id,
        .dst_kind = orr__packet_to(s->dst, s->kind),
        .hash = s->path_hash,
        .seq = seq,
        .size_flags = (uint32_t)bytes << ORR_PACKET_FLAG_BITS | flags,
        .aux = m->id,
    };
}

static void account(struct orr_net *n, struct orr_sender *s,
                    const struct orr_packet *p)
{
    uint32_t bytes = orr__packet_size(p);

    s->stats.packets++;
    s->stats.wire_bytes += bytes;
    s->stats.payload_bytes += bytes - n->config->header;
}

/* Puts the retransmission timeout off to one RTO from now. */
static void arm(struct orr_net *n, struct orr_sender *s, int64_t now)
{
    if (orr__alarm_move(&s->timeout, orr__time_add(now, s->rto)))
        orr__sender_set(n, s, ORR_WHAT_RTO, s->timeout.due);
}

void orr__sender_set(struct orr_net *n, const struct orr_sender *s,
                     uint32_t what, int64_t at)
{
    orr__fabric_timer(n, s->src, at, ORR_RANK_NET(what, s->hash), what,
                      s->id);
}

/* When the next packet may start. Rates are doubles: rounded down, so that a
 * rate equal to the port's never leaves a gap. */
static int64_t pace(const struct orr_sender *s)
{
    double ps;

    if (s->window.rate <= 0)
        return s->last_at;
    ps = (double)s->last_bytes * 8e12 / s->window.rate;
    return s->last_at + (ps < 1e15 ? (int64_t)ps : (int64_t)1e15);
}

void orr__sender_repace(struct orr_sender *s)
{
    s->paced_at = pace(s);
}

/* A packet of this sender starts now. */
static void starts(struct orr_net *n, struct orr_sender *s,
                   const struct orr_packet *p, int64_t now)
{
    const struct orr_cc *control = s->control;

    account(n, s, p);
    s->last_at = now;
    s->last_bytes = orr__packet_size(p);
    if (control->ops->on_send)
        control->ops->on_send(s->cc, control->params, &s->window, now,
                              s->last_bytes);
    s->paced_at = pace(s);
}

/* Attaches a record for in-band telemetry. */
static void attach_telemetry(struct orr_net *n, const struct orr_sender *s,
                             struct orr_packet *p)
{
    struct orr_lane *lane = orr__lane_of(n, s->src);
    uint32_t id = orr__slab_new(&n->telemetry, &lane->telemetry);
    struct orr_cc_telemetry *t;

    if (id == ORR_SLAB_NONE) {
        orr__fabric_out_of_memory(n);
        return;
    }
    t = orr__telemetry(n, id);
    t->hops = 0;
    t->message = p->aux;
    p->aux = id;
    p->dst_kind |= ORR_PACKET_TELEMETRY;
}

static void take_repeat(struct orr_net *n, struct orr_sender *s, int64_t now,
                        struct orr_packet *p)
{
    uint32_t seq = orr__recovery_next(s);
    struct orr_sent *r = sent_of(s, seq);

    r->state = ORR_SENT_REPEAT;
    r->at = now;
    s->lost--;
    s->in_flight++;
    s->stats.retransmissions++;
    orr__lane_of(n, s->src)->repeats++;
    segment(n, s, orr__message(n, r->message), seq, ORR_PACKET_REPEAT, p);
}

bool orr__sender_take(struct orr_net *n, struct orr_sender *s, int64_t now,
                      struct orr_packet *p, uint32_t *leaving)
{
    unsigned list = orr__sender_wants(s);
    bool reliable = n->config->transport == ORR_TRANSPORT_RELIABLE;
    struct orr_message *m;

    if (list == ORR_LIST_NONE)
        return false;
    if (list == ORR_LIST_REPEAT) {
        take_repeat(n, s, now, p);
        starts(n, s, p, now);
        arm(n, s, now);
        if (s->control->telemetry)
            attach_telemetry(n, s, p);
        return true;
    }
    if (reliable && s->next - s->una >= s->capacity && !sent_grow(s)) {
        orr__fabric_out_of_memory(n);
        return false;
    }
    m = orr__message(n, s->message);
    segment(n, s, m, s->next, 0, p);
    starts(n, s, p, now);
    if (p->size_flags & ORR_PACKET_LAST) {
        *leaving = s->message;
        s->message = m->next;
    }
    if (reliable) {
        *sent_of(s, s->next)
            = (struct orr_sent){.at = now, .message = p->aux};
        if (s->una == s->next)
            arm(n, s, now);
        if (++s->in_flight > s->peak)
            s->peak = s->in_flight;
    }
    s->next++;
    if (s->control->telemetry)
        attach_telemetry(n, s, p);
    return true;
}

/* RFC 6298, section 2, in integers. */
static void sample_rtt(const struct orr_net *n, struct orr_sender *s,
                       int64_t rtt)
{
    if (s->srtt == 0) {
        s->srtt = rtt;
        s->rttvar = rtt / 2;
    } else {
        int64_t error = s->srtt > rtt ? s->srtt - rtt : rtt - s->srtt;

        s->rttvar += (error - s->rttvar) / 4;
        s->srtt += (rtt - s->srtt) / 8;
    }
    s->rto = orr__time_add(s->srtt, s->rttvar < ORR_NEVER / 4
                                        ? 4 * s->rttvar : ORR_NEVER);
    if (s->rto < n->config->rto.min_ps)
        s->rto = n->config->rto.min_ps;
    if (s->rto > n->config->rto.max_ps)
        s->rto = n->config->rto.max_ps;
}

/* Takes packets [una, cum) off the scoreboard. Returns the round-trip time of
 * the newest if it was sent once and nothing is missing (Karn), else -1. */
static int64_t acknowledge(struct orr_sender *s, uint32_t cum, int64_t now)
{
    const struct orr_sent *newest = sent_of(s, cum - 1);
    bool clean = s->here == 0 && s->lost == 0;

    if (newest->at > s->delivered_at)
        s->delivered_at = newest->at;
    if (clean) {
        s->in_flight -= cum - s->una;
    } else {
        for (uint32_t i = s->una; i != cum; i++) {
            const struct orr_sent *r = sent_of(s, i);

            if (r->state == ORR_SENT_HERE)
                s->here--;
            else if (r->state == ORR_SENT_LOST)
                s->lost--;
            else
                s->in_flight--;
        }
    }
    s->una = cum;
    return clean && newest->state == ORR_SENT_OUT ? now - newest->at : -1;
}

/* The round-trip time of a packet beyond a gap, which an ACK tells of for the
 * first time; -1 if it was sent more than once. For the control only: the
 * retransmission timeout goes by packets in order. */
static int64_t rtt_beyond(struct orr_sender *s, uint32_t seq, int64_t now)
{
    const struct orr_sent *r = sent_of(s, seq);

    if ((int32_t)(seq - s->next) >= 0 || r->state != ORR_SENT_OUT)
        return -1;
    return now - r->at;
}

/* Marks of what was are compared with packet numbers, which go round. They are
 * never half a round behind: a message has fewer packets. */
static void catch_up(struct orr_sender *s)
{
    uint32_t *const mark[] = {&s->recover, &s->scanned, &s->repeat_from,
                              &s->highest_here};

    for (size_t i = 0; i < sizeof mark / sizeof *mark; i++)
        if ((int32_t)(*mark[i] - s->una) < 0)
            *mark[i] = s->una;
}

static void finish_messages(struct orr_net *n, struct orr_lane *lane,
                            struct orr_sender *s, int64_t now)
{
    while (s->first_unacked != ORR_SLAB_NONE) {
        uint32_t id = s->first_unacked;
        struct orr_message *m = orr__message(n, id);

        if ((int32_t)(s->una - (m->first_seq + m->packets)) < 0)
            return;
        orr__nic_overtaken(n, m, now);
        s->first_unacked = m->next;
        catch_up(s);
        orr__tell_acked(n, s->src, now, m);
        orr__message_release(n, lane, id);
    }
}

/* Most packets in flight in this window and the last. */
static uint32_t peak(struct orr_sender *s)
{
    if ((int32_t)(s->una - s->peak_end) > 0) {
        s->peak_before = s->peak;
        s->peak = s->in_flight;
        s->peak_end = s->next;
    }
    return s->peak > s->peak_before ? s->peak : s->peak_before;
}

/* Something is lost: the control hears of it once for each recovery. */
static void enter_recovery(struct orr_sender *s, struct orr_cc_ack *a)
{
    if (s->recovering || (int32_t)(s->una - s->recover) < 0)
        return;
    s->recovering = a->recovering = true;
    s->recover = s->next;
    if (s->control->ops->on_loss)
        s->control->ops->on_loss(s->cc, s->control->params, &s->window, a);
}

static void judge(struct orr_net *n, struct orr_sender *s,
                  struct orr_cc_ack *a)
{
    if (!orr__recovery_judge(n, s, a->now_ps))
        return;
    a->in_flight = s->in_flight;
    enter_recovery(s, a);
}

/* p: the ACK, with the telemetry of what it answers. */
static void tell_control(struct orr_net *n, struct orr_lane *lane,
                         struct orr_sender *s, const struct orr_packet *p,
                         struct orr_cc_ack *a)
{
    bool telemetry = p->dst_kind & ORR_PACKET_TELEMETRY;

    if (telemetry)
        a->telemetry = orr__telemetry(n, p->aux);
    if (s->control->ops->on_ack)
        s->control->ops->on_ack(s->cc, s->control->params, &s->window, a);
    if (telemetry)
        orr__slab_release(&lane->telemetry, p->aux);
}

/* A NACK: the queue cut the packet down (it is lost for sure), or, where the
 * receiver keeps nothing beyond a gap, everything is to be sent again. */
static void missing(struct orr_net *n, struct orr_sender *s, uint32_t seq,
                    struct orr_cc_ack *a)
{
    uint32_t lost = s->lost;

    if (n->config->recovery == ORR_RECOVERY_GO_BACK_N)
        orr__recovery_all_lost(s);
    else
        orr__recovery_trimmed(s, seq);
    if (s->lost == lost)
        return;
    a->in_flight = s->in_flight;
    a->trimmed = n->config->recovery != ORR_RECOVERY_GO_BACK_N;
    enter_recovery(s, a);
}

void orr__sender_cnp(struct orr_net *n, struct orr_lane *lane,
                     const struct orr_packet *p, int64_t now)
{
    struct orr_sender *s = orr__sender(n, p->connection);

    if (s->closed || !s->control->ops->on_cnp)
        return;
    s->stats.cnps++;
    s->control->ops->on_cnp(s->cc, s->control->params, &s->window, now);
    orr__nic_activate(n, lane, s, now);
}

void orr__sender_ack(struct orr_net *n, struct orr_lane *lane,
                     const struct orr_packet *p, int64_t now)
{
    struct orr_sender *s = orr__sender(n, p->connection);
    struct orr_cc_ack a = {
        .now_ps = now,
        .rtt_ps = -1,
        .echo = p->size_flags & ORR_PACKET_ECHO,
    };
    uint32_t cum = p->seq, here = s->here;

    if (s->closed) { /* the ACK of a packet that was sent again in vain */
        orr__telemetry_release(n, lane, p);
        return;
    }
    assert((int32_t)(cum - s->next) <= 0);
    if ((int32_t)(cum - s->una) > 0) {
        s->vain = 0;
        a.acked = cum - s->una;
        a.rtt_ps = acknowledge(s, cum, now);
        if (a.rtt_ps >= 0) {
            s->rtt = a.rtt_ps;
            sample_rtt(n, s, a.rtt_ps);
        }
        if (s->una == s->next)
            s->timeout.due = ORR_NEVER;
        else
            arm(n, s, now);
    }
    if (p->aux && cum == s->una && !orr__packet_aux_is_other(p)) {
        if (a.rtt_ps < 0)
            a.rtt_ps = rtt_beyond(s, cum + (p->aux >> 16), now);
        orr__recovery_selective(s, cum, p->aux);
    }
    a.delivered = a.acked + s->here - here;
    if (s->recovering && (int32_t)(s->una - s->recover) >= 0)
        s->recovering = false;
    a.una = s->una;
    a.next = s->next;
    a.in_flight = s->in_flight;
    a.peak = peak(s);
    a.recovering = s->recovering;
    if (s->here || s->recovering)
        judge(n, s, &a);
    if (p->size_flags & ORR_PACKET_NACK)
        missing(n, s, p->aux, &a);
    s->stats.marks += a.echo;
    tell_control(n, lane, s, p, &a);
    s->active_at = now;
    finish_messages(n, lane, s, now);
    orr__nic_activate(n, lane, s, now);
}

static void timeout(struct orr_net *n, struct orr_sender *s, int64_t now)
{
    struct orr_cc_ack a = {
        .now_ps = now,
        .rtt_ps = -1,
        .una = s->una,
        .next = s->next,
        .in_flight = s->in_flight,
        .recovering = true,
    };

    if (s->vain == ORR_MOST_VAIN)
        return;
    if (orr__rerouting_in_vain(n, s, now)) {
        s->cut = true;
        s->window.cwnd = 0; /* sends no more */
        return;
    }
    s->vain++;
    s->stats.timeouts++;
    orr__recovery_all_lost(s);
    s->recovering = false;
    s->recover = s->next;
    s->rto = s->rto > n->config->rto.max_ps / 2 ? n->config->rto.max_ps
                                                : 2 * s->rto;
    if (s->control->ops->on_timeout)
        s->control->ops->on_timeout(s->cc, s->control->params, &s->window, &a);
    arm(n, s, now);
    orr__nic_activate(n, orr__lane_of(n, s->src), s, now);
}

void orr__sender_timer(struct orr_net *n, uint32_t id, uint32_t what,
                       int64_t now)
{
    struct orr_sender *s = orr__sender(n, id);
    struct orr_cc_ack a = {.now_ps = now, .rtt_ps = -1};

    struct orr_alarm *alarm = what == ORR_WHAT_RTO ? &s->timeout : &s->reorder;

    switch (orr__alarm_fired(alarm, now)) {
    case ORR_ALARM_STALE:
        return;
    case ORR_ALARM_EARLY:
        orr__sender_set(n, s, what, alarm->due);
        return;
    case ORR_ALARM_DUE:
        break;
    }
    if (what == ORR_WHAT_RTO) {
        timeout(n, s, now);
        return;
    }
    a.una = s->una;
    a.next = s->next;
    a.in_flight = s->in_flight;
    a.recovering = s->recovering;
    judge(n, s, &a);
    orr__nic_activate(n, orr__lane_of(n, s->src), s, now);
}
