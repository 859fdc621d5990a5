/* How packets of new data come about: what the sender does for each, whoever
 * asks for it. A part of sender.c and single_sender.c. */
#ifndef ORR_NET_HOST_SEGMENT_H
#define ORR_NET_HOST_SEGMENT_H

#include "core/assert.h"
#include "net/host/host.h"

#define PART static inline __attribute__((always_inline))

/* Room for more packets in flight. False: out of memory. */
bool orr__sent_grow(struct orr_sender *s);

/* The packet numbered seq of message m, as it goes on the wire. */
PART void segment(const struct orr_net *n, const struct orr_sender *s,
                  const struct orr_message *m, uint32_t seq, uint32_t flags,
                  struct orr_packet *p)
{
    const struct orr_net_config *c = n->config;
    uint32_t index = seq - m->first_seq;
    uint64_t bytes = s->mtu;

    ORR_ASSERT(index < m->packets);
    if (index + 1 == m->packets) {
        bytes = m->bytes - (uint64_t)index * s->mtu;
        flags |= ORR_PACKET_LAST;
    }
    ORR_ASSERT(bytes <= s->mtu);
    bytes += c->header;
    if (bytes == 0)
        bytes = 1; /* an empty message under an empty header */
    *p = (struct orr_packet){
        .connection = s->id,
        .dst_kind = s->to,
        .hash = s->path_hash,
        .seq = seq,
        .size_flags = (uint32_t)bytes << ORR_PACKET_FLAG_BITS | flags,
        .aux = m->id,
    };
}

PART void account(struct orr_sender *s, const struct orr_packet *p)
{
    s->packets++;
    s->wire_bytes += orr__packet_size(p);
}

/* Puts the retransmission timeout off to one RTO from now. */
PART void arm_timeout(struct orr_net *n, struct orr_sender *s, int64_t now)
{
    if (orr__alarm_move(&s->timeout, orr__time_add(now, orr__sender_rto(n, s))))
        orr__sender_set(n, s, ORR_WHAT_RTO, s->timeout.due);
    if (s->probe_ready && s->tail.due == ORR_NEVER)
        orr__probe_arm(n, s, now);
    if (!s->armed)
        orr__sender_counts(n, s);
}

/* When the next packet may start. Rates are doubles: rounded down, so that a
 * rate equal to the port's never leaves a gap. */
PART void set_pace(struct orr_sender *s)
{
    double ps;

    s->own_pace = s->window.rate > 0;
    if (!s->own_pace)
        return;
    ps = (double)s->last_bytes * 8e12 / s->window.rate;
    s->paced_at = s->last_at + (ps < 1e15 ? (int64_t)ps : (int64_t)1e15);
}

/* A packet of this sender starts now. */
PART void starts(struct orr_sender *s, const struct orr_packet *p, int64_t now)
{
    account(s, p);
    s->last_at = now;
    s->last_bytes = orr__packet_size(p);
    if (s->hears_sends)
        s->control->ops->on_send(s->cc, s->control->params, &s->window, now,
                                 s->last_bytes);
    set_pace(s);
}

/* One more is in flight. */
PART void note_peak(struct orr_sender *s)
{
    if (s->hears && s->in_flight > s->peak.now)
        s->peak.now = s->in_flight;
}

/* What a packet of new data that starts leaves behind. The last one of its
 * message is `leaving`. */
PART void goes_out(struct orr_net *n, struct orr_sender *s,
                   const struct orr_message *m, const struct orr_packet *p,
                   int64_t now, bool reliable, uint32_t *departing)
{
    if (reliable) {
        *orr__sent_packet(s, s->next) =
            (struct orr_sent){.at = now, .message = s->message};
        s->in_flight++;
        note_peak(s);
        if (s->una == s->next)
            arm_timeout(n, s, now);
    }
    s->next++;
    ORR_ASSERT(!reliable || s->next - s->una <= orr__sent_room(s));
    if (p->size_flags & ORR_PACKET_LAST) {
        *departing = s->message;
        s->message = m->next;
    }
}

/* Attaches a record for what is asked of the receiver. */
PART void attach_request(struct orr_net *n, const struct orr_sender *s,
                         struct orr_packet *p)
{
    uint32_t id =
        orr__slab_take(&n->telemetry, &orr__sender_lane(n, s)->telemetry);
    struct orr_cc_telemetry *t;

    if (id == ORR_NONE) {
        orr__fabric_out_of_memory(n);
        return;
    }
    t = orr__telemetry(n, id);
    *t = (struct orr_cc_telemetry){.message = p->aux};
    orr__uec_report(n, id)->request = orr__pull_wanted(n, s);
    p->aux = id;
    p->dst_kind |= ORR_PACKET_TELEMETRY;
}

#undef PART
#endif
