#include "record/write_packets.h"

#include <stddef.h>
#include <stdlib.h>

#include "core/memory.h"
#include "net/watch/packet_observer.h"
#include "record/write_probes.h"

#define CHUNK 2048u /* rows in one piece of the file */

enum { KIND_DATA, KIND_ACK, KIND_NACK, KIND_CNP };

/* A row of /packets; times in ps, -1: did not happen; queue in bytes. */
struct packet_row {
    uint64_t row;
    int64_t flow;
    uint32_t number, bytes;
    uint8_t kind, repeat, event, marked, ce;
    int64_t link;
    uint32_t node;
    int64_t arrival, start, departure;
    uint64_t queue;
};

static const struct orr_row_field fields[] = {
    ORR_FIELD(packet_row, row, U64, "1", "number of the row", NULL),
    ORR_FIELD(packet_row, flow, I64, "1",
              "connection: index of the flow, or a negative number of "
              "/packet_flows",
              NULL),
    ORR_FIELD(packet_row, number, U32, "1",
              "of the packet on its connection; ACK: the one expected next",
              NULL),
    ORR_FIELD(
        packet_row, kind, U8, "1",
        "nack: of a packet that is missing; cnp: a congestion notification",
        "data ack nack cnp"),
    ORR_FIELD(packet_row, repeat, U8, "1", "a retransmission of data",
              "no yes"),
    ORR_FIELD(packet_row, bytes, U32, "B", "on the wire", NULL),
    ORR_FIELD(packet_row, event, U8, "1",
              "sent: by this port; dropped: it had no room; lost: by the link, "
              "after it left; arrived: at its destination",
              "sent dropped lost arrived"),
    ORR_FIELD(packet_row, node, U32, "1", "id of the node where that was",
              NULL),
    ORR_FIELD(packet_row, link, I64, "1",
              "id of the link that the port feeds; -1: at its destination",
              NULL),
    ORR_FIELD(packet_row, arrival, I64, "ps",
              "when it came to the port or its destination; -1: lost", NULL),
    ORR_FIELD(packet_row, start, I64, "ps",
              "when the port began to send it; -1: it did not", NULL),
    ORR_FIELD(packet_row, departure, I64, "ps",
              "when its last byte left the port; -1: never", NULL),
    ORR_FIELD(packet_row, queue, U64, "B",
              "found at the port: waiting, and the rest of the one in service",
              NULL),
    ORR_FIELD(packet_row, marked, U8, "1",
              "this port marked it: congestion experienced", "no yes"),
    ORR_FIELD(packet_row, ce, U8, "1",
              "it carries a mark, from this port or one before", "no yes"),
};

static uint8_t kind_of(const struct orr_packet_row *r)
{
    if (r->dst_kind & ORR_PACKET_CNP)
        return KIND_CNP;
    if (!(r->size_flags & ORR_PACKET_ACK))
        return KIND_DATA;
    return r->size_flags & ORR_PACKET_NACK ? KIND_NACK : KIND_ACK;
}

static int by_identity(const void *a, const void *b)
{
    const struct orr_named *x = a, *y = b;
    return x->identity < y->identity ? -1 : x->identity > y->identity;
}

static int64_t flow_of(const struct orr_packets_writer *o,
                       const struct orr_packet_row *r)
{
    struct orr_named key = {
        .identity =
            orr__observed_connection(o->world->net, r->connection).identity};
    const struct orr_named *n =
        bsearch(&key, o->named, o->n_named, sizeof key, by_identity);
    return n ? n->flow : INT64_MIN;
}

/* Rows that are written together. */
struct piece {
    struct orr_packets_writer *o;
    const struct orr_packet_row *row;
};

/* A departure is the last byte's; of a lost packet the moment of the loss. */
static void make_row(void *from, uint64_t i, void *to)
{
    const struct piece *p = from;
    const struct orr_packet_row *r = &p->row[i];
    const struct orr_graph *g = p->o->world->graph;
    bool sent = r->event == ORR_PACKET_SENT;
    bool here = r->event == ORR_PACKET_ARRIVED;
    bool data = !(r->size_flags & ORR_PACKET_ACK);
    *(struct packet_row *)to = (struct packet_row){
        .row = p->o->rows + i,
        .flow = flow_of(p->o, r),
        .number = kind_of(r) == KIND_NACK ? r->aux : r->seq,
        .kind = kind_of(r),
        .repeat = data && r->size_flags & ORR_PACKET_REPEAT,
        .bytes = r->size_flags >> ORR_PACKET_FLAG_BITS,
        .event = r->event,
        .node = here ? r->place - g->links : g->from[r->place],
        .link = here ? -1 : (int64_t)r->place,
        .arrival = r->event == ORR_PACKET_LOST ? -1 : r->queued,
        .start = sent ? r->at : -1,
        .departure = sent                          ? r->at + r->took
                     : r->event == ORR_PACKET_LOST ? r->at
                                                   : -1,
        .queue = r->queue,
        .marked = r->marked,
        .ce = data && (r->marked || r->size_flags & ORR_PACKET_CE),
    };
}

static const struct orr_rows table = ORR_ROWS(fields, packet_row, make_row);

orr_err orr__packets_begin(struct orr_packets_writer *o, struct orr_record *r,
                           const struct orr_world *w,
                           const struct orr_selection *s)
{
    orr_err err;
    int group = orr__record_group(r, "packets");
    *o = (struct orr_packets_writer){.record = r, .world = w};
    orr__rows_begin(r, group, &table, CHUNK, o->dataset);
    orr__record_text(r, group, "coordinates", "flow number kind node link");
    err = orr__wanted_names(w, s, &o->named, &o->n_named);
    if (err)
        return err;
    (void)orr__write_connections(r, orr__record_group(r, "packet_flows"), w,
                                 s->flow, s->flows, 16, &err);
    return err;
}

orr_err orr__packets_add(struct orr_packets_writer *o,
                         struct orr_packet_row *row, uint64_t n)
{
    struct piece p = {o, row};
    uint64_t wanted = 0;
    orr_err err;
    for (uint64_t i = 0; i < n; i++)
        if (row[i].wants & 1u << ORR_WANT_PACKETS)
            row[wanted++] = row[i];
    err = orr__rows_add(o->record, &table, o->dataset, &p, o->rows, wanted);
    o->rows += wanted;
    return err;
}

void orr__packets_fini(struct orr_packets_writer *o)
{
    orr__free(o->named);
    *o = (struct orr_packets_writer){.record = NULL};
}
