/* The sending side of a connection: segmentation, ACKs, timeouts. */
#include <assert.h>

#include "core/assert.h"
#include "core/none.h"
#include "core/ring.h"
#include "net/cc/pint.h"
#include "net/host/host.h"
#include "net/host/segment.h"
#include "net/path/reroute.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

__attribute__((cold, noinline)) bool orr__sent_grow(struct orr_sender *s)
{
    uint32_t room = orr__sent_room(s);

    if (!orr__ring_grow(s->sent, room, s->una, s->next, 4)) /* one line */
        return false;
    s->room = (uint8_t)(__builtin_ctz(room) + 1);
    return true;
}

void orr__sender_set(struct orr_net *n, const struct orr_sender *s,
                     uint32_t what, int64_t at)
{
    orr__fabric_timer(n, s->src, at, ORR_RANK_NET(what, s->hash), what, s->id);
}

void orr__sender_repace(struct orr_sender *s)
{
    set_pace(s);
    orr__sender_keep_pace(s); /* lists go by paced_at itself */
}

/* Whether a packet is one of the share that has PINT's byte: by its name, so
 * that whoever sees it would say the same. */
static bool is_sampled(const struct orr_pint *pint, const struct orr_net *n,
                       const struct orr_packet *p)
{
    const uint32_t name[] = {p->hash, p->seq};

    return pint->share >= 1
           || (double)(XXH3_64bits_withSeed(name, sizeof name, n->seed) >> 11)
                      * 0x1p-53
                  < pint->share;
}

/* Attaches a record for in-band telemetry. */
static void attach_telemetry(struct orr_net *n, const struct orr_sender *s,
                             struct orr_packet *p)
{
    struct orr_lane *lane = orr__sender_lane(n, s);
    const struct orr_pint *pint = s->control->pint;
    struct orr_cc_telemetry *t;
    uint32_t id;

    if (pint && !is_sampled(pint, n, p))
        return;
    id = orr__slab_take(&n->telemetry, &lane->telemetry);
    if (id == ORR_NONE) {
        orr__fabric_out_of_memory(n);
        return;
    }
    t = orr__telemetry(n, id);
    t->hops = 0;
    t->path = 0;
    t->code = 0;
    t->pint = pint != NULL;
    t->message = p->aux;
    p->aux = id;
    p->dst_kind |= ORR_PACKET_TELEMETRY;
}

/* What packets of some connections say beside what all do. */
static __attribute__((noinline)) void add_more(struct orr_net *n,
                                               struct orr_sender *s,
                                               struct orr_packet *p)
{
    if (n->config->uec_acks && !(p->size_flags & ORR_PACKET_REPEAT))
        p->size_flags |= orr__uec_asks(s);
    if (s->entropies)
        orr__entropies_give(n, s, p);
    if (s->control->telemetry)
        attach_telemetry(n, s, p);
    if (s->control->ops->request)
        attach_request(n, s, p);
}

/* Does a retransmission of seq put the timer off? It only starts one that is
 * off (RFC 6298, section 5, rule 5.1), or a lost one would wait for as long as
 * others are found lost. Linux, whose recovery is RACK, starts it anew for the
 * oldest packet. */
static bool restarts_timer(const struct orr_net *n, const struct orr_sender *s,
                           uint32_t seq)
{
    return s->timeout.due == ORR_NEVER
           || (n->config->recovery == ORR_RECOVERY_RACK && seq == s->una);
}

/* The next lost packet goes out again, with its parity bit turned, by which its
 * ACK tells the copies apart. */
static void take_repeat(struct orr_net *n, struct orr_sender *s, int64_t now,
                        struct orr_packet *p)
{
    uint32_t seq = orr__recovery_repeat(n, s, now);

    s->stats.retransmissions++;
    orr__sender_lane(n, s)->repeats++;
    segment(n, s, orr__message(n, orr__sent_packet(s, seq)->message), seq,
            ORR_PACKET_REPEAT, p);
    if (orr__sent_packet(s, seq)->copy == ORR_COPY_ODD)
        p->size_flags |= ORR_PACKET_ODD;
    starts(s, p, now);
    if (restarts_timer(n, s, seq))
        arm_timeout(n, s, now);
    note_peak(s);
    if (s->adds)
        add_more(n, s, p);
}

bool orr__sender_take(struct orr_net *n, struct orr_sender *s, int64_t now,
                      struct orr_packet *p, uint32_t *departing)
{
    unsigned list = orr__sender_wants(s);
    bool reliable = n->config->transport == ORR_TRANSPORT_RELIABLE;
    struct orr_message *m;

    if (list == ORR_LIST_NONE)
        return false;
    if (__builtin_expect(s->own != NULL, 0))
        return s->own->take(n, s, now, p, departing);
    s->probe = false;
    if (list == ORR_LIST_REPEAT) {
        take_repeat(n, s, now, p);
        return true;
    }
    if (reliable && s->next - s->una >= orr__sent_room(s)
        && !orr__sent_grow(s)) {
        orr__fabric_out_of_memory(n);
        return false;
    }
    m = orr__message(n, s->message);
    segment(n, s, m, s->next, 0, p);
    starts(s, p, now);
    goes_out(n, s, m, p, now, reliable, departing);
    if (s->adds)
        add_more(n, s, p);
    return true;
}

/* RFC 6298, section 2, in integers; orr__sender_rto follows from it. */
static inline __attribute__((always_inline)) void sample_rtt(
    struct orr_sender *s, int64_t rtt)
{
    s->rtt = rtt;
    if (s->srtt == 0) {
        s->srtt = rtt;
        s->rttvar = rtt / 2;
    } else {
        int64_t error = s->srtt > rtt ? s->srtt - rtt : rtt - s->srtt;

        s->rttvar += (error - s->rttvar) / 4;
        s->srtt += (rtt - s->srtt) / 8;
    }
    if (rtt < s->least_rtt)
        s->least_rtt = rtt;
    s->own_rto = false;
    s->probe_ready = s->probes && !s->probing;
}

void orr__sender_measured(struct orr_sender *s, int64_t rtt)
{
    sample_rtt(s, rtt);
}

static inline uint32_t later_of(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b) < 0 ? b : a;
}

/* Marks of what was are compared with packet numbers, which go round. They are
 * brought on before they could be half a round behind, which is seldom: the
 * line that they are in is touched by nothing else while all goes well. */
#define CATCH_UP (1u << 24) /* packets acknowledged; a power of two */
static inline __attribute__((always_inline)) void catch_up(struct orr_sender *s,
                                                           uint32_t before)
{
    uint32_t una = s->una;

    if (__builtin_expect((before ^ una) < CATCH_UP, 1))
        return;
    s->recovery.end = later_of(s->recovery.end, una);
    s->recovery.scanned = later_of(s->recovery.scanned, una);
    s->recovery.repeat_from = later_of(s->recovery.repeat_from, una);
    s->recovery.highest_here = later_of(s->recovery.highest_here, una);
    s->rack.duplicate_end = later_of(s->rack.duplicate_end, una);
}

/* Messages that are acknowledged up to the end are told to their owner, in
 * order, and given back. */
static inline __attribute__((always_inline)) void finish_messages(
    struct orr_net *n, struct orr_lane *lane, struct orr_sender *s, int64_t now)
{
    while (s->first_unacked != ORR_NONE) {
        uint32_t id = s->first_unacked, end;
        struct orr_message *m = orr__message(n, id);

        if ((int32_t)(s->una - (m->first_seq + m->packets)) < 0)
            return;
        ORR_ASSERT(id != s->message); /* all of it was sent */
        orr__nic_overtaken(n, m, now);
        s->first_unacked = m->next;
        end = m->first_seq + m->packets;
        orr__call_acked(n, s->src, now, m);
        orr__message_release(n, lane, id);
        if (s->una == end) /* the next one has a packet at least */
            return;
    }
}

/* Most packets in flight in this window and the last; for the control. */
static inline __attribute__((always_inline)) uint32_t peak(struct orr_sender *s)
{
    if ((int32_t)(s->una - s->peak.end) > 0) {
        s->peak.before = s->peak.now;
        s->peak.now = s->in_flight;
        s->peak.end = s->next;
    }
    return s->peak.now > s->peak.before ? s->peak.now : s->peak.before;
}

/* Something is lost: the control hears of it once for each recovery. After a
 * timeout that is so again when all that was sent before it is here, or (RFC
 * 5681, section 4.3) a retransmission got lost. */
static void enter_recovery(const struct orr_net *n, struct orr_sender *s,
                           struct orr_cc_ack *a, bool again)
{
    if (s->recovering || (orr__seq_before(s->una, s->recovery.end) && !again))
        return;
    s->recovering = s->repairing = a->recovering = true;
    orr__recovery_begin(n, s);
    if (s->control->ops->on_loss)
        s->control->ops->on_loss(s->cc, s->control->params, &s->window, a);
}

/* Losses found in the last recovery, of packets sent after it had begun, begin
 * one of their own when it ends. */
static void judge_losses(struct orr_net *n, struct orr_sender *s,
                         struct orr_cc_ack *a)
{
    enum orr_judged judged = orr__recovery_judge(n, s, a->now_ps);

    a->in_flight = s->in_flight;
    a->lost = judged != ORR_JUDGED_NONE;
    if (a->lost || s->lost)
        enter_recovery(n, s, a, judged == ORR_JUDGED_RESENT);
}

/* A probe is out. What it made good is answered as a loss that is over. */
static void judge_probe(struct orr_sender *s, struct orr_cc_ack *a,
                        bool duplicate)
{
    if (orr__probe_acked(s, duplicate) && s->control->ops->on_loss)
        s->control->ops->on_loss(s->cc, s->control->params, &s->window, a);
}

/* p: the ACK, with the telemetry of what it answers. */
static inline __attribute__((always_inline)) void tell_control(
    struct orr_net *n, struct orr_lane *lane, struct orr_sender *s,
    const struct orr_packet *p, struct orr_cc_ack *a)
{
    bool telemetry = p->dst_kind & ORR_PACKET_TELEMETRY;

    if (telemetry && s->control->telemetry)
        a->telemetry = orr__telemetry(n, p->aux);
    if (s->control->ops->on_ack)
        s->control->ops->on_ack(s->cc, s->control->params, &s->window, a);
    if (telemetry)
        orr__slab_release(&lane->telemetry, p->aux);
}

/* A NACK: the queue cut the packet down (it is lost for sure), or, where the
 * receiver keeps nothing beyond a gap, everything is to be sent again. */
static void missing(struct orr_net *n, struct orr_sender *s, uint32_t seq,
                    uint32_t flags, struct orr_cc_ack *a)
{
    uint32_t lost = s->lost;

    if (n->config->recovery == ORR_RECOVERY_GO_BACK_N)
        orr__recovery_all_lost(s);
    else
        orr__recovery_trimmed(s, seq);
    if (s->lost == lost)
        return;
    a->in_flight = s->in_flight;
    a->lost = true;
    a->trimmed = n->config->recovery != ORR_RECOVERY_GO_BACK_N;
    a->at_end = a->trimmed && flags & ORR_PACKET_AT_END;
    enter_recovery(n, s, a, false);
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

/* What an ACK tells of packets beyond a gap, or how long it was held; 0: of
 * neither. */
static inline __attribute__((always_inline)) uint32_t missing_of(
    const struct orr_net *n, const struct orr_packet *p)
{
    if (p->dst_kind & ORR_PACKET_TELEMETRY)
        return orr__telemetry(n, p->aux)->message;
    return p->size_flags & ORR_PACKET_NACK ? 0 : p->aux;
}

/* Which copy of a packet an ACK answers. */
static enum orr_copy copy_of(const struct orr_packet *p)
{
    if (!(p->size_flags & ORR_PACKET_OF_REPEAT))
        return ORR_COPY_FIRST;
    return p->size_flags & ORR_PACKET_OF_ODD ? ORR_COPY_ODD : ORR_COPY_EVEN;
}

/* Brings the scoreboard up to date. aux: what the ACK tells. */
static __attribute__((noinline)) void take_in(struct orr_net *n,
                                              struct orr_sender *s,
                                              const struct orr_packet *p,
                                              uint32_t aux,
                                              struct orr_cc_ack *a)
{
    const struct orr_news news = {
        .now = a->now_ps,
        .held = orr__packet_held(aux) * ORR_NS,
        .copy = copy_of(p),
    };
    uint32_t cum = p->seq, here = s->here;

    orr__sender_note_delivered(s);
    if (orr__seq_before(s->una, cum)) {
        a->acked = cum - s->una;
        a->rtt_ps = orr__recovery_acknowledge(n, s, cum, &news);
        if (a->rtt_ps >= 0)
            sample_rtt(s, a->rtt_ps);
    }
    if (aux && !news.held && cum == s->una) {
        int64_t rtt = orr__recovery_selective(n, s, cum, aux, &news);

        if (a->rtt_ps < 0)
            a->rtt_ps = rtt;
    }
    a->delivered = a->acked + s->here - here;
}

/* The same where uec.c answers: a NACK says nothing but what is missing. */
static __attribute__((noinline)) void take_in_report(struct orr_net *n,
                                                     struct orr_sender *s,
                                                     const struct orr_packet *p,
                                                     struct orr_cc_ack *a)
{
    const struct orr_news news = {.now = a->now_ps, .copy = copy_of(p)};
    uint32_t here = s->here;

    orr__sender_note_delivered(s);
    if (!(p->size_flags & ORR_PACKET_NACK))
        orr__recovery_hear(n, s, p, a, &news);
    if (a->rtt_ps >= 0)
        sample_rtt(s, a->rtt_ps);
    a->delivered = a->acked + s->here - here;
}

/* The same for an ACK of packets in order, with nothing missing, at
 * s->active_at. */
static inline void take_in_order(struct orr_sender *s, uint32_t cum)
{
    const struct orr_sent *newest = orr__sent_packet(s, cum - 1);

    ORR_ASSERT(newest->at <= s->active_at && s->in_flight >= cum - s->una);
    s->in_flight -= cum - s->una;
    s->una = cum;
    sample_rtt(s, s->active_at - newest->at);
    s->own_delivered = false;
}

/* Nothing is missing, nor was, as far as is known. */
static bool is_calm(const struct orr_sender *s)
{
    return !(s->here | s->lost) && !s->repairing && !s->probing;
}

/* Copies of what was here already: probes or retransmissions for nothing. */
static void hear_of_copies(struct orr_net *n, struct orr_sender *s,
                           const struct orr_packet *p, struct orr_cc_ack *a)
{
    bool duplicate = p->size_flags & ORR_PACKET_DUPLICATE;

    if (s->probing)
        judge_probe(s, a, duplicate);
    else if (duplicate && n->config->recovery == ORR_RECOVERY_RACK)
        orr__rack_duplicate(s);
}

/* What an ACK means for losses. */
static __attribute__((noinline)) void repair(struct orr_net *n,
                                             struct orr_sender *s,
                                             const struct orr_packet *p,
                                             struct orr_cc_ack *a)
{
    if (s->repairing && !orr__seq_before(s->una, s->recovery.end)) {
        s->recovering = s->repairing = false;
        orr__recovery_end(s);
    }
    a->recovering = s->recovering;
    a->reordered = s->rack.reordered;
    hear_of_copies(n, s, p, a);
    judge_losses(n, s, a);
    if (p->size_flags & ORR_PACKET_NACK)
        missing(n, s, p->aux, p->size_flags, a);
    if (s->recovering && n->config->recovery == ORR_RECOVERY_SACK)
        orr__sack_find_lost(s);
}

/* All that was sent is acknowledged. */
static __attribute__((noinline)) void alarms_off(struct orr_net *n,
                                                 struct orr_sender *s)
{
    s->timeout.due = s->tail.due = ORR_NEVER;
    if (s->reorders)
        s->reorder.due = ORR_NEVER;
    s->reorders = false;
    ORR_ASSERT(s->reorder.due == ORR_NEVER);
    if (s->armed) {
        ORR_ASSERT(orr__process_of(n, s->src)->armed > 0);
        s->armed = false;
        orr__process_of(n, s->src)->armed--;
    }
}

/* An ACK for a part of what is repaired (orr_net_config.partial_acks): one
 * packet goes at once, whatever the window: the lowest that is lost, or the
 * next, or else the oldest again. Unless that one went again already. */
static void send_for_part(struct orr_sender *s)
{
    unsigned oldest = orr__sent_packet(s, s->una)->state;

    if (oldest == ORR_SENT_REPEAT || oldest == ORR_SENT_TWICE)
        return;
    if (!s->lost && s->message == ORR_NONE)
        orr__recovery_lost(s, s->una);
    s->probe = true;
}

/* Something was acknowledged: the alarms are off, or put off. */
static inline void put_off(struct orr_net *n, struct orr_sender *s, int64_t now)
{
    s->vain = 0;
    if (s->una != s->next)
        arm_timeout(n, s, now);
    else
        alarms_off(n, s);
}

/* The same where only the first ACK for a part of a recovery does it. */
static __attribute__((noinline)) void put_off_once(struct orr_net *n,
                                                   struct orr_sender *s,
                                                   int64_t now)
{
    bool part = s->recovering && s->una != s->next;

    if (part && s->sack.partial)
        s->vain = 0;
    else
        put_off(n, s, now);
    s->sack.partial = part;
}

/* An ACK that says no more than that packets arrived in order, where nothing is
 * missing, and no control wants to hear of it. */
static inline bool is_quiet(const struct orr_sender *s,
                            const struct orr_packet *p)
{
    return !s->hears && is_calm(s) && !p->aux
           && !(p->dst_kind & ORR_PACKET_TELEMETRY)
           && !(p->size_flags
                & (ORR_PACKET_NACK | ORR_PACKET_DUPLICATE
                   | ORR_PACKET_OF_REPEAT))
           && orr__seq_before(s->una, p->seq)
           && orr__sent_packet(s, p->seq - 1)->copy == ORR_COPY_FIRST;
}

/* An ACK in order at a connection with no loss, no control and no telemetry:
 * what the long way does, without what then does nothing. */
static inline __attribute__((always_inline)) void take_in_quietly(
    struct orr_net *n, struct orr_lane *lane, struct orr_sender *s,
    const struct orr_packet *p, int64_t now)
{
    uint32_t una = s->una;

    s->active_at = now;
    take_in_order(s, p->seq);
    catch_up(s, una);
    ORR_ASSERT(s->in_flight >= s->next - s->una);
    put_off(n, s, now);
    if (p->size_flags & ORR_PACKET_ECHO)
        s->stats.marks++;
    finish_messages(n, lane, s, now);
    orr__nic_activate(n, lane, s, now);
}

/* Any other. reports: uec.c answers at the other end. */
static inline __attribute__((always_inline)) void take_in_any(
    struct orr_net *n, struct orr_lane *lane, struct orr_sender *s,
    const struct orr_packet *p, int64_t now, bool reports)
{
    struct orr_cc_ack a = {
        .now_ps = now,
        .rtt_ps = -1,
        .echo = p->size_flags & ORR_PACKET_ECHO,
    };
    uint32_t una = s->una, aux = missing_of(n, p);
    bool calm =
        is_calm(s) && !(aux && !orr__packet_held(aux))
        && !(p->size_flags
             & (ORR_PACKET_NACK | ORR_PACKET_DUPLICATE | ORR_PACKET_OF_REPEAT));
    if (calm && !aux && orr__seq_before(una, p->seq)
        && orr__sent_packet(s, p->seq - 1)->copy == ORR_COPY_FIRST) {
        s->active_at = now;
        take_in_order(s, p->seq);
        a.acked = a.delivered = s->una - una;
        a.rtt_ps = s->rtt;
    } else if (reports) {
        take_in_report(n, s, p, &a);
    } else {
        take_in(n, s, p, aux, &a);
    }
    catch_up(s, una);
    a.una = s->una;
    a.next = s->next;
    a.in_flight = s->in_flight;
    a.peak = peak(s);
    a.sent = s->packets;
    if (!calm)
        repair(n, s, p, &a);
    /* what is out, here or lost is all there is; a probe is out twice */
    ORR_ASSERT(s->in_flight + s->here + s->lost >= s->next - s->una);
    ORR_ASSERT(s->here <= s->next - s->una);
    ORR_ASSERT(!orr__seq_before(s->una, una)); /* it never goes back */
    if (a.acked && n->config->partial_acks)
        put_off_once(n, s, now);
    else if (a.acked)
        put_off(n, s, now);
    if (a.echo)
        s->stats.marks++;
    tell_control(n, lane, s, p, &a);
    if (a.acked && n->config->partial_acks && s->sack.partial)
        send_for_part(s);
    s->active_at = now;
    finish_messages(n, lane, s, now);
    orr__nic_activate(n, lane, s, now);
}

static __attribute__((noinline)) void take_in_all(struct orr_net *n,
                                                  struct orr_lane *lane,
                                                  struct orr_sender *s,
                                                  const struct orr_packet *p,
                                                  int64_t now)
{
    take_in_any(n, lane, s, p, now, false);
}

/* It is closed: the ACK of a packet that was sent again in vain. Or uec.c
 * answers. */
static __attribute__((noinline)) void take_in_apart(struct orr_net *n,
                                                    struct orr_lane *lane,
                                                    struct orr_sender *s,
                                                    const struct orr_packet *p,
                                                    int64_t now)
{
    if (s->closed) {
        orr__telemetry_release(n, lane, p);
        return;
    }
    orr__entropies_hear(n, s, p, now);
    take_in_any(n, lane, s, p, now, true);
}

void orr__sender_ack(struct orr_net *n, struct orr_lane *lane,
                     const struct orr_packet *p, int64_t now)
{
    struct orr_sender *s = orr__sender(n, p->connection);

    if (s->apart) {
        take_in_apart(n, lane, s, p, now);
        return;
    }
    assert(!orr__seq_before(s->next, p->seq));
    if (is_quiet(s, p))
        take_in_quietly(n, lane, s, p, now);
    else
        take_in_all(n, lane, s, p, now);
}

static void note_timeout(struct orr_lane *lane, int64_t waited_ps)
{
    lane->timeouts++;
    if (waited_ps > lane->longest_timeout)
        lane->longest_timeout = waited_ps;
}

bool orr__sender_backs_off(struct orr_net *n, struct orr_sender *s, int64_t now)
{
    int64_t rto;

    if (s->vain == ORR_MOST_VAIN)
        return false;
    if (orr__rerouting_in_vain(n, s, now)) {
        s->cut = true;
        s->window.cwnd = 0; /* sends no more */
        s->probe = false;
        return false;
    }
    s->vain++;
    s->stats.timeouts++;
    rto = orr__sender_rto(n, s);
    note_timeout(orr__sender_lane(n, s), rto);
    s->rto = n->config->rto.most_ps;
    if (rto <= s->rto / 2)
        s->rto = 2 * rto;
    s->own_rto = true;
    return true;
}

/* What a control is told when a timer has fired. */
static struct orr_cc_ack at_timer(const struct orr_sender *s, int64_t now)
{
    return (struct orr_cc_ack){
        .now_ps = now,
        .rtt_ps = -1,
        .una = s->una,
        .next = s->next,
        .in_flight = s->in_flight,
        .recovering = s->recovering,
        .sent = s->packets,
    };
}

/* All that is in flight counts as lost. What the control is told is as it was
 * before that; the timer is armed anew, for twice as long. */
static void timeout(struct orr_net *n, struct orr_sender *s, int64_t now)
{
    struct orr_cc_ack a = at_timer(s, now);

    if (!orr__sender_backs_off(n, s, now))
        return;
    a.recovering = true;
    a.timeouts = s->vain;
    if (s->entropies)
        orr__entropies_hear(n, s, NULL, now);
    orr__recovery_all_lost(s);
    s->recovering = false;
    s->repairing = true;
    s->probing = s->probe = false;
    s->recovery.end = s->next;
    if (s->control->ops->on_timeout)
        s->control->ops->on_timeout(s->cc, s->control->params, &s->window, &a);
    arm_timeout(n, s, now);
    orr__nic_activate(n, orr__sender_lane(n, s), s, now);
}

static void send_probe(struct orr_net *n, struct orr_sender *s, int64_t now)
{
    orr__probe_send(s);
    arm_timeout(n, s, now);
    orr__nic_activate(n, orr__sender_lane(n, s), s, now);
}

/* A probe may be due. Returns when to look again, or ORR_NEVER. */
static int64_t probe_if_due(struct orr_net *n, struct orr_sender *s,
                            int64_t now)
{
    int64_t due = orr__probe_due(n, s, now);

    if (due <= now)
        send_probe(n, s, now);
    else if (orr__alarm_move(&s->tail, due))
        return due;
    return ORR_NEVER;
}

/* A timer that has run out goes on for as long as the host was paused since the
 * last one did: it does not run in that time. False: it was not. */
static bool runs_on(struct orr_net *n, struct orr_sender *s, int64_t now)
{
    int64_t paused, rto, stood;

    if (!n->pfc)
        return false;
    paused = orr__nic_paused_for(n, s, now);
    stood = paused - s->stood_ps;
    rto = orr__sender_rto(n, s);
    s->stood_ps = paused;
    if (stood == 0)
        return false;
    s->timeout.due = orr__time_add(now, stood < rto ? stood : rto);
    return true;
}

/* Nothing is in flight, and credit was asked for: perhaps that got lost. */
static void repeat_request(struct orr_net *n, struct orr_sender *s, int64_t now)
{
    orr__nic_request(n, s, now);
    arm_timeout(n, s, now);
}

/* Where a probe may be sent, it comes before the first timeout (RFC 8985,
 * section 7.2: no later than that). */
static void timeout_or_probe(struct orr_net *n, struct orr_sender *s,
                             int64_t now)
{
    if (s->opening != ORR_OPEN)
        orr__handshake_timeout(n, s, now);
    else if (s->control->ops->request && s->in_flight == 0)
        repeat_request(n, s, now);
    else if (orr__probe_may(s) && s->list == ORR_LIST_NONE)
        send_probe(n, s, now);
    else
        timeout(n, s, now);
}

/* Packets beyond a gap may count as lost now. */
static void judge_late(struct orr_net *n, struct orr_sender *s, int64_t now)
{
    struct orr_cc_ack a = at_timer(s, now);

    judge_losses(n, s, &a);
    orr__nic_activate(n, orr__sender_lane(n, s), s, now);
}

int64_t orr__sender_timer(struct orr_net *n, struct orr_lane *lane, uint32_t id,
                          uint32_t what, int64_t now)
{
    struct orr_sender *s = orr__sender(n, id);
    struct orr_alarm *alarm = what == ORR_WHAT_RTO     ? &s->timeout
                              : what == ORR_WHAT_PROBE ? &s->tail
                                                       : &s->reorder;
    int64_t again = ORR_NEVER;

    switch (orr__alarm_fired(alarm, now)) {
    case ORR_ALARM_STALE: return ORR_NEVER;
    case ORR_ALARM_EARLY: return alarm->due;
    case ORR_ALARM_DUE: orr__lane_timed(lane, now); break;
    }
    if (s->own)
        s->own->timeout(n, s, now);
    else if (what == ORR_WHAT_RTO && runs_on(n, s, now))
        again = s->timeout.set = s->timeout.due;
    else if (what == ORR_WHAT_RTO)
        timeout_or_probe(n, s, now);
    else if (what == ORR_WHAT_REORDER)
        judge_late(n, s, now);
    else
        again = probe_if_due(n, s, now);
    orr__sender_counts(n, s);
    return again;
}
