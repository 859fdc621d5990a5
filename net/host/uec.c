/* How Ultra Ethernet acknowledges: UE Specification 1.0, section 3.5.12, as
 * uet-htsim, the simulator of its authors, has it (UecSink, UecSrc).
 *
 * The sender asks for an ACK with what its window or data ends with, and with
 * every retransmission. The receiver answers at once: the first packet of a
 * connection, what asks, what is marked, and what it had already; and when
 * `ack_bytes` have come since the last ACK. Once something has asked, so does
 * the packet that fills the last gap. No timer runs.
 *
 * An ACK echoes the mark of the packet that made the receiver send it, whose
 * round trip is the sample, and tells of all others that are here: in order,
 * and of 64 on either side of that one. (There the bitmap has 64 bits, and a
 * count of all bytes corrects the window; here the scoreboard is the window's
 * count, so that the bitmap is twice as wide.) */
#include "core/assert.h"
#include "core/none.h"
#include "net/host/host.h"

enum { HALF = 64 };

/* What is here around a packet, beyond the first gap. */
static struct orr_uec_report report_around(const struct orr_receiver *r,
                                           uint32_t seq)
{
    struct orr_uec_report report = {.trigger = seq};

    for (uint32_t i = 0; r->beyond && i < HALF; i++) {
        uint32_t below = seq - 1 - i, above = seq + 1 + i;

        if (orr__seq_before(r->next, below) && orr__receiver_has(r, below))
            report.below |= UINT64_C(1) << i;
        if (orr__seq_before(r->next, above) && orr__receiver_has(r, above))
            report.above |= UINT64_C(1) << i;
    }
    return report;
}

/* A record for the report: that of the data's telemetry, or one more. False:
 * out of memory. */
static bool attach(struct orr_net *n, struct orr_lane *lane,
                   const struct orr_packet *data, struct orr_packet *ack)
{
    struct orr_cc_telemetry *t;

    ack->aux = data->aux;
    if (!(data->dst_kind & ORR_PACKET_TELEMETRY)) {
        ack->aux = orr__slab_take(&n->telemetry, &lane->telemetry);
        if (ack->aux == ORR_NONE) {
            orr__fabric_out_of_memory(n);
            return false;
        }
        t = orr__telemetry(n, ack->aux);
        *t = (struct orr_cc_telemetry){.hops = 0};
    }
    ack->dst_kind |= ORR_PACKET_TELEMETRY;
    return true;
}

/* In order, and nothing beyond: the number alone says it. */
static void acknowledge(struct orr_net *n, struct orr_lane *lane,
                        struct orr_receiver *r, const struct orr_packet *data,
                        uint32_t flags, int64_t now)
{
    struct orr_packet ack = orr__receiver_answer(n, r, data);
    bool plain = !r->beyond && data->seq + 1 == r->next;

    ack.size_flags |= flags;
    r->pending = 0;
    r->uec.bytes = 0;
    if (!plain || data->dst_kind & ORR_PACKET_TELEMETRY) {
        if (!attach(n, lane, data, &ack))
            return;
        orr__telemetry(n, ack.aux)->message = !plain; /* there is a report */
        *orr__uec_report(n, ack.aux) = report_around(r, data->seq);
    }
    orr__nic_ack(n, lane, r->dst, &ack, now);
}

/* The queue left the header alone. */
static void refuse(struct orr_net *n, struct orr_lane *lane,
                   const struct orr_receiver *r, const struct orr_packet *data,
                   int64_t now)
{
    struct orr_packet nack = orr__receiver_answer(n, r, data);

    orr__telemetry_release(n, lane, data);
    nack.size_flags |= ORR_PACKET_NACK;
    if (data->size_flags & ORR_PACKET_ASKS)
        nack.size_flags |= ORR_PACKET_AT_END;
    nack.aux = data->seq;
    orr__nic_ack(n, lane, r->dst, &nack, now);
}

/* New data: is it to be answered now? */
static bool is_due(const struct orr_net *n, struct orr_receiver *r,
                   const struct orr_packet *p, bool first, bool filled)
{
    bool asks = p->size_flags & (ORR_PACKET_ASKS | ORR_PACKET_REPEAT);
    bool due = first || asks || p->size_flags & ORR_PACKET_CE
               || r->uec.bytes >= n->config->ack_bytes;

    r->uec.asked |= asks;
    if (filled && r->uec.asked) {
        r->uec.asked = false;
        due = true;
    }
    return due;
}

/* What it asks for (pull.c); what was cut, to be sent again. */
static void hear_request(struct orr_net *n, struct orr_receiver *r,
                         const struct orr_packet *p, int64_t now)
{
    const struct orr_cc_request *request = &orr__uec_report(n, p->aux)->request;
    bool again =
        p->size_flags & ORR_PACKET_TRIMMED && !orr__receiver_has(r, p->seq);

    r->pull.most = request->most;
    orr__pull_asked(n, p->connection, request->target, again, now);
}

void orr__uec_receive(struct orr_net *n, struct orr_lane *lane,
                      struct orr_receiver *r, const struct orr_packet *p,
                      int64_t now)
{
    bool cut = p->size_flags & ORR_PACKET_TRIMMED;
    bool first = r->next == 0 && !r->beyond, filled;
    uint32_t message = orr__receiver_message(n, p);
    bool in_order = p->seq == r->next;

    if (n->puller && p->dst_kind & ORR_PACKET_TELEMETRY)
        hear_request(n, r, p, now);
    if (!orr__receiver_has(r, p->seq) && cut) {
        refuse(n, lane, r, p, now);
        return;
    }
    if (!cut)
        r->uec.bytes += orr__packet_size(p);
    if (orr__receiver_has(r, p->seq)) {
        acknowledge(n, lane, r, p, ORR_PACKET_DUPLICATE, now);
        return;
    }
    if (!orr__receiver_take(n, r, p))
        return;
    filled = in_order && !r->beyond;
    if (is_due(n, r, p, first, filled))
        acknowledge(n, lane, r, p, 0, now);
    else
        orr__telemetry_release(n, lane, p);
    if (in_order)
        orr__receiver_deliver(n, r, message, now);
}
