#include "record/pcap.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/array.h"
#include "core/config/param.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/units.h"
#include "net/cc/cc.h"
#include "net/config/config.h"
#include "net/watch/packet_observer.h"
#include "orrery/orrery.h"
#include "record/frame.h"
#include "topo/node_names.h"
#include "workload/flow/flows.h"
#include "workload/job/job.h"
#include "workload/rank/rank.h"

enum { SECTION = 0x0a0d0d0a, INTERFACE = 1, NAMES = 4, PACKET = 6 };
enum { /* options */
       END = 0,
       COMMENT = 1,
       APPLICATION = 4, /* of the section */
       NAME = 2,
       DESCRIPTION = 3,
       SPEED = 8,
       RESOLUTION = 9, /* interface */
       FLAGS = 2,      /* of a packet */
};
#define OUTBOUND    2u
#define ETHERNET    1   /* type of link */
#define FIRST_PAIR  16u /* queue pairs below are not for users */
#define FIRST_PORT  5001u
#define LOCAL_PORTS 16384u

/* Packets that are that far behind are forgotten; numbers go round. */
#define REACH (INT32_MAX / 2)

/* Where a message begins in the stream of its connection. */
struct begin {
    uint64_t bytes; /* payload before it */
    uint32_t seq, packets;
};

struct line { /* a connection */
    struct begin *begin;
    uint32_t begins, room;
    uint64_t forgotten; /* messages before begin[0] */
    uint64_t bytes;     /* payload of all messages */
    uint32_t number;    /* by first appearance, from 1; 0: not yet */
    bool rdma;
    struct orr_observed_connection is;
    struct orr_sent_message first; /* says whose it is */
};

/* A file of captured packets (pcapng). */
struct orr_pcap {
    struct orr_file file;
    const struct orr_world *world;
    enum orr_pcap_headers headers;
    uint64_t snaplen, mtu;
    bool datagrams;
    struct line *line; /* by number of the connection */
    uint32_t lines, seen;
    uint32_t *interface; /* per link: 1 + its number; 0: none */
    uint32_t interfaces;
    bool *named;    /* per host */
    uint8_t *block; /* being made */
    size_t length, room;
    orr_err failed; /* of memory */
};

/* ---- blocks ------------------------------------------------------------- */

/* Bytes of the block at hand. */
static void add_bytes(struct orr_pcap *p, const void *bytes, size_t n)
{
    if (!orr__array_room(p->block, p->room, p->length + n)) {
        p->failed = ORR_ENOMEM;
        return;
    }
    if (bytes)
        memcpy(p->block + p->length, bytes, n);
    else
        memset(p->block + p->length, 0, n);
    p->length += n;
}

static void add_number(struct orr_pcap *p, uint64_t value, unsigned bytes)
{
    uint8_t b[8];
    for (unsigned i = 0; i < bytes; i++)
        b[i] = (uint8_t)(value >> 8 * i);
    add_bytes(p, b, bytes);
}

static void pad_block(struct orr_pcap *p)
{
    add_bytes(p, NULL, -p->length & 3);
}

static void begin_block(struct orr_pcap *p, uint32_t type)
{
    p->length = 0;
    add_number(p, type, 4);
    add_number(p, 0, 4); /* its length */
}

/* Its length on both sides, and into the file. */
static void end_block(struct orr_pcap *p)
{
    uint32_t length = (uint32_t)p->length + 4;
    add_number(p, length, 4);
    if (p->failed || p->file.error)
        return;
    for (unsigned i = 0; i < 4; i++)
        p->block[4 + i] = (uint8_t)(length >> 8 * i);
    errno = 0;
    if (fwrite(p->block, 1, p->length, p->file.out) != p->length)
        p->file.error = errno ? errno : EIO;
}

static void add_option(struct orr_pcap *p, uint32_t code, const void *value,
                       size_t n)
{
    n = n > UINT16_MAX ? UINT16_MAX : n;
    add_number(p, code, 2);
    add_number(p, n, 2);
    add_bytes(p, value, n);
    pad_block(p);
}

static void add_text(struct orr_pcap *p, uint32_t code, const char *text)
{
    add_option(p, code, text, strlen(text));
}

/* The first block: byte order and program. */
static void write_section(struct orr_pcap *p)
{
    char program[64];
    snprintf(program, sizeof program, "orrery %s", orr_version());
    begin_block(p, SECTION);
    add_number(p, 0x1a2b3c4d, 4);
    add_number(p, 1, 2);
    add_number(p, 0, 2);
    add_number(p, UINT64_MAX, 8); /* its length is not said */
    if (p->world->options.title && p->world->options.title[0])
        add_text(p, COMMENT, p->world->options.title);
    add_text(p, APPLICATION, program);
    add_option(p, END, NULL, 0);
    end_block(p);
}

void orr__pcap_interface(struct orr_pcap *p, uint32_t link)
{
    const struct orr_graph *g = p->world->graph;
    char from[ORR_NODE_NAME], to[ORR_NODE_NAME];
    char text[2 * ORR_NODE_NAME + 8];
    uint8_t speed[8];
    if (p->interface[link])
        return;
    p->interface[link] = ++p->interfaces;
    begin_block(p, INTERFACE);
    add_number(p, ETHERNET, 2);
    add_number(p, 0, 2);
    add_number(p, 0, 4); /* packets are cut where headers end, at least */
    snprintf(text, sizeof text, "%s > %s",
             orr__node_name(g, g->from[link], from, sizeof from),
             orr__node_name(g, g->to[link], to, sizeof to));
    add_text(p, NAME, text);
    snprintf(text, sizeof text, "link %u", link);
    add_text(p, DESCRIPTION, text);
    for (unsigned i = 0; i < 8; i++)
        speed[i] = (uint8_t)(g->rate_bps[link] >> 8 * i);
    add_option(p, SPEED, speed, 8);
    add_option(p, RESOLUTION, &(uint8_t){9}, 1); /* 10^-9 s */
    add_option(p, END, NULL, 0);
    end_block(p);
}

/* A host: the name of its address. */
static void add_name(struct orr_pcap *p, uint32_t host)
{
    char buf[ORR_NODE_NAME];
    const char *name = orr__node_name(p->world->graph, host, buf, sizeof buf);
    uint8_t address[4] = {10, (uint8_t)(host >> 16), (uint8_t)(host >> 8),
                          (uint8_t)host};
    if (p->named[host])
        return;
    p->named[host] = true;
    add_number(p, 1, 2); /* of an IPv4 address */
    add_number(p, sizeof address + strlen(name) + 1, 2);
    add_bytes(p, address, sizeof address);
    add_bytes(p, name, strlen(name) + 1);
    pad_block(p);
}

static void write_names(struct orr_pcap *p, const struct line *c)
{
    if (p->named[c->is.src] && p->named[c->is.dst])
        return;
    begin_block(p, NAMES);
    add_name(p, c->is.src);
    add_name(p, c->is.dst);
    add_number(p, 0, 4);
    end_block(p);
}

/* ---- connections -------------------------------------------------------- */

/* What is kept of a connection; NULL: no memory. */
static struct line *line_of(struct orr_pcap *p, uint32_t connection)
{
    uint32_t had = p->lines;
    struct line *c;
    if (!orr__array_more(p->line, p->lines, connection)) {
        p->failed = ORR_ENOMEM;
        return NULL;
    }
    memset(p->line + had, 0, (p->lines - had) * sizeof *p->line);
    c = &p->line[connection];
    if (!c->room) {
        c->is = orr__observed_connection(p->world->net, connection);
        c->rdma = p->headers == ORR_PCAP_ROCE
                  || (p->headers == ORR_PCAP_AUTO && orr__cc_rdma(c->is.cc));
    }
    return c;
}

/* Forgets what nothing can be of any more. */
static void forget(struct line *c, uint32_t seq)
{
    uint32_t n = 0;
    while (n < c->begins && (int32_t)(seq - c->begin[n].seq) > REACH)
        n++;
    if (n == 0)
        return;
    memmove(c->begin, c->begin + n, (c->begins - n) * sizeof *c->begin);
    c->begins -= n;
    c->forgotten += n;
}

void orr__pcap_message(struct orr_pcap *p, const struct orr_sent_message *m)
{
    struct line *c = line_of(p, m->connection);
    if (!c)
        return;
    if (!c->room)
        c->first = *m;
    if (c->begins == c->room)
        forget(c, m->first_seq);
    if (!orr__array_more(c->begin, c->room, c->begins)) {
        p->failed = ORR_ENOMEM;
        return;
    }
    c->begin[c->begins++] = (struct begin){c->bytes, m->first_seq, m->packets};
    c->bytes += m->bytes;
}

/* The message that a packet is of: the last that begins with it or before;
 * begins of them if it is of none yet. */
static uint32_t message_of(const struct line *c, uint32_t seq)
{
    uint32_t low = 0, high = c->begins;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if ((int32_t)(seq - c->begin[middle].seq) >= 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return 0;
    return seq - c->begin[low - 1].seq < c->begin[low - 1].packets ? low - 1
                                                                   : low;
}

/* Payload before a packet, and before what follows it, in the stream. */
static uint64_t offset_of(const struct orr_pcap *p, const struct line *c,
                          uint32_t seq)
{
    uint32_t i = message_of(c, seq);
    if (i == c->begins)
        return c->bytes;
    if (seq - c->begin[i].seq >= c->begin[i].packets) /* long ago */
        return c->begin[i].bytes;
    return c->begin[i].bytes + (seq - c->begin[i].seq) * p->mtu;
}

/* On its first packet. */
static void comment(struct orr_pcap *p, const struct line *c)
{
    const struct orr_world *w = p->world;
    const struct orr_sent_message *m = &c->first;
    char *text = NULL;
    if (w->flows && m->user == orr__flows_user(w))
        text = orr__format("flow %u", m->arg);
    for (uint32_t i = 0; i < w->n_jobs && !text; i++)
        if (w->jobs[i].team->user == m->user)
            text = orr__format("%s %u > %u", w->jobs[i].name, m->src, m->dst);
    if (!text)
        text = orr__format("host %u > %u", c->is.src, c->is.dst);
    if (text)
        add_text(p, COMMENT, text);
    else
        p->failed = ORR_ENOMEM;
    orr__free(text);
}

/* ---- packets ------------------------------------------------------------ */

static bool is_ack(const struct orr_packet_row *r)
{
    return r->size_flags & ORR_PACKET_ACK;
}

static uint64_t payload_of(const struct orr_pcap *p, const struct line *c,
                           const struct orr_packet_row *r)
{
    uint64_t from = offset_of(p, c, r->seq);
    uint64_t to = offset_of(p, c, r->seq + 1);
    return is_ack(r) || r->size_flags & ORR_PACKET_TRIMMED ? 0 : to - from;
}

/* Ports: of RoCEv2 the source's spreads paths, from the range that such NICs
 * take; else it is the one that tells connections apart. */
static struct orr_frame_ends ends_of(const struct orr_pcap *p,
                                     const struct line *c,
                                     const struct orr_packet_row *r)
{
    const struct orr_graph *g = p->world->graph;
    uint32_t local = 65536 - LOCAL_PORTS + (c->number - 1) % LOCAL_PORTS;
    uint32_t known = FIRST_PORT + (c->number - 1) / LOCAL_PORTS;
    bool back = is_ack(r);
    if (c->rdma) {
        known = ORR_ROCE_PORT;
        back = false;
    }
    return (struct orr_frame_ends){
        .from = g->from[r->place],
        .to = g->to[r->place],
        .src = is_ack(r) ? c->is.dst : c->is.src,
        .dst = is_ack(r) ? c->is.src : c->is.dst,
        .src_port = (uint16_t)(back ? known : local),
        .dst_port = (uint16_t)(back ? local : known),
        .class = r->dst_kind & ORR_PACKET_CLASS,
        .ecn = !is_ack(r),
        .ce = !is_ack(r) && (r->marked || r->size_flags & ORR_PACKET_CE),
    };
}

/* A row as a frame of TCP. */
static void make_tcp(const struct orr_pcap *p, const struct line *c,
                     const struct orr_packet_row *r, struct orr_frame *f)
{
    struct orr_frame_ends ends = ends_of(p, c, r);
    uint64_t at = offset_of(p, c, r->seq);
    struct orr_frame_tcp t = {
        .seq = is_ack(r) ? 0 : at,
        .ack = is_ack(r) ? at : 0,
        .payload = payload_of(p, c, r),
        .push = !is_ack(r) && r->size_flags & ORR_PACKET_LAST,
        .echo = is_ack(r) && r->size_flags & ORR_PACKET_ECHO,
    };
    orr__frame_tcp(f, &ends, &t);
}

/* What a packet of RoCE is: first, middle or last of its message, or an answer.
 */
static enum orr_frame_opcode opcode_of(const struct line *c,
                                       const struct orr_packet_row *r)
{
    uint32_t i = message_of(c, r->seq), k, n;
    if (r->dst_kind & ORR_PACKET_CNP)
        return ORR_ROCE_CNP;
    if (is_ack(r))
        return ORR_ROCE_ACK;
    if (i == c->begins)
        return ORR_ROCE_ONLY;
    k = r->seq - c->begin[i].seq;
    n = c->begin[i].packets;
    if (n == 1)
        return ORR_ROCE_ONLY;
    return k == 0       ? ORR_ROCE_FIRST
           : k == n - 1 ? ORR_ROCE_LAST
                        : ORR_ROCE_MIDDLE;
}

/* An ACK names the last packet that it tells of, a NAK the one that is
 * missing. */
static void make_roce(const struct orr_pcap *p, const struct line *c,
                      const struct orr_packet_row *r, struct orr_frame *f)
{
    struct orr_frame_ends ends = ends_of(p, c, r);
    struct orr_frame_roce roce = {
        .opcode = (uint8_t)opcode_of(c, r),
        .pair = FIRST_PAIR + c->number - 1,
        .psn = r->seq,
        .payload = payload_of(p, c, r),
        .asks = !is_ack(r) && r->size_flags & ORR_PACKET_LAST,
    };
    if (roce.opcode == ORR_ROCE_ACK) {
        roce.refused = r->size_flags & ORR_PACKET_NACK;
        roce.psn = roce.refused ? r->aux : r->seq - 1;
        roce.messages = (uint32_t)(c->forgotten + message_of(c, r->seq));
    }
    if (roce.opcode == ORR_ROCE_CNP)
        roce.psn = 0;
    orr__frame_roce(f, &ends, &roce);
}

/* Wireshark says of RoCEv2 whose payload is cut off that it is malformed: that
 * is shown whole unless the user decides. */
static uint64_t most_shown(const struct orr_pcap *p, const struct orr_frame *f)
{
    uint64_t bytes = orr__frame_bytes(f), most = p->snaplen;
    if (most == ORR_AUTO_SIZE)
        most = f->trailer ? bytes : f->length;
    most = most < f->length ? f->length : most;
    return most < bytes ? most : bytes;
}

/* new: the connection, if this is the first of it. */
static void write_packet(struct orr_pcap *p, const struct orr_packet_row *r,
                         const struct orr_frame *f, const struct line *new)
{
    uint64_t ns = (uint64_t)(r->at / ORR_NS);
    uint64_t wire = r->size_flags >> ORR_PACKET_FLAG_BITS;
    uint64_t bytes = orr__frame_bytes(f), zeros;
    uint64_t whole = wire > bytes ? wire : bytes;
    uint64_t shown = most_shown(p, f);
    zeros = shown - f->length < f->payload ? shown - f->length : f->payload;
    begin_block(p, PACKET);
    add_number(p, p->interface[r->place] - 1, 4);
    add_number(p, ns >> 32, 4);
    add_number(p, ns & UINT32_MAX, 4);
    add_number(p, shown, 4);
    add_number(p, whole, 4);
    add_bytes(p, f->byte, f->length);
    add_bytes(p, NULL, zeros);
    add_bytes(p, f->byte + f->length, shown - f->length - zeros);
    pad_block(p);
    if (new)
        comment(p, new);
    if (r->dst_kind & ORR_PACKET_CNP) /* Wireshark 4.0 knows no such opcode */
        add_text(p, COMMENT, "congestion notification");
    add_number(p, FLAGS, 2);
    add_number(p, 4, 2);
    add_number(p, OUTBOUND, 4);
    add_option(p, END, NULL, 0);
    end_block(p);
}

void orr__pcap_packet(struct orr_pcap *p, const struct orr_packet_row *r)
{
    struct orr_frame f;
    struct line *c;
    bool new;
    orr__pcap_interface(p, r->place);
    if (r->dst_kind & ORR_PACKET_PAUSE) {
        orr__frame_pause(&f, p->world->graph->from[r->place],
                         r->dst_kind & ORR_PACKET_CLASS, r->seq);
        write_packet(p, r, &f, NULL);
        return;
    }
    c = line_of(p, r->connection);
    if (!c)
        return;
    new = c->number == 0;
    if (new) {
        c->number = ++p->seen;
        write_names(p, c);
    }
    if (c->rdma)
        make_roce(p, c, r, &f);
    else if (p->datagrams) {
        struct orr_frame_ends ends = ends_of(p, c, r);
        orr__frame_udp(&f, &ends, payload_of(p, c, r));
    } else
        make_tcp(p, c, r, &f);
    write_packet(p, r, &f, new ? c : NULL);
}

/* ---- the file ----------------------------------------------------------- */

orr_err orr__pcap_open(const struct orr_world *w, const char *name,
                       enum orr_pcap_headers headers, uint64_t snaplen,
                       struct orr_pcap **out, struct orr_report *why)
{
    struct orr_pcap *p = orr__alloc(1, sizeof *p);
    struct orr_net_wire wire = orr__net_wire(w->net_config);
    orr_err err;
    if (!p)
        return orr__no_memory(why);
    p->world = w;
    p->headers = headers;
    p->snaplen = snaplen;
    p->mtu = wire.mtu;
    p->datagrams = !wire.reliable;
    p->interface =
        orr__alloc(w->graph->links + (size_t)1, sizeof *p->interface);
    p->named = orr__alloc(w->graph->hosts + (size_t)1, sizeof *p->named);
    err = p->interface && p->named ? orr__file_open(&p->file, name, why)
                                   : orr__no_memory(why);
    if (err) {
        orr__pcap_free(p);
        return err;
    }
    write_section(p);
    *out = p;
    return ORR_OK;
}

orr_err orr__pcap_flush(struct orr_pcap *p, struct orr_report *why)
{
    if (p->failed)
        return orr__no_memory(why);
    errno = 0;
    if (!p->file.error && fflush(p->file.out) != 0)
        p->file.error = errno ? errno : EIO;
    if (p->file.error)
        return orr__fail(why, ORR_EIO, "cannot write %s: %s", p->file.name,
                         strerror(p->file.error));
    return ORR_OK;
}

orr_err orr__pcap_close(struct orr_pcap *p, struct orr_report *why)
{
    orr_err err = p->failed ? orr__no_memory(why) : ORR_OK;
    err = orr__file_close(&p->file, err, why);
    orr__pcap_free(p);
    return err;
}

void orr__pcap_free(struct orr_pcap *p)
{
    if (!p)
        return;
    orr__file_abandon(&p->file);
    for (uint32_t i = 0; i < p->lines; i++)
        orr__free(p->line[i].begin);
    orr__free(p->line);
    orr__free(p->interface);
    orr__free(p->named);
    orr__free(p->block);
    orr__free(p);
}
