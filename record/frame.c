#include "record/frame.h"

#include <string.h>

#include <isa-l/crc.h>

enum { ETHERNET = 14, IP = 20, UDP = 8, TCP = 20, BTH = 12, AETH = 4 };
enum { LEAST = 60 }; /* of an Ethernet frame, without its check sequence */
enum { ICRC = 4, CNP = 16 /* reserved bytes after the header */ };
enum { PROTOCOL_TCP = 6, PROTOCOL_UDP = 17 };

/* ---- bytes, in the order of networks ------------------------------------ */

static void put_bytes(struct orr_frame *f, uint64_t value, unsigned bytes)
{
    for (unsigned i = bytes; i > 0; i--)
        f->byte[f->length++] = (uint8_t)(value >> 8 * (i - 1));
}

static void put_at(struct orr_frame *f, uint32_t at, uint64_t value,
                   unsigned bytes)
{
    uint32_t length = f->length;
    f->length = at;
    put_bytes(f, value, bytes);
    f->length = length;
}

/* RFC 1071, of an even number of bytes or zeros after an odd one. */
static uint32_t sum_of_words(const struct orr_frame *f, uint32_t from,
                             uint32_t start)
{
    uint32_t s = start;
    for (uint32_t i = from; i < f->length; i++)
        s += (uint32_t)f->byte[i] << ((i - from) % 2 ? 0 : 8);
    return s;
}

static uint16_t folded(uint32_t s)
{
    while (s >> 16)
        s = (s & 0xffff) + (s >> 16);
    return (uint16_t)~s;
}

/* ---- layers ------------------------------------------------------------- */

/* Locally administered, the node's number at its end. */
static uint64_t hardware(uint32_t node)
{
    return UINT64_C(0x0200) << 32 | node;
}

/* 24 bits hold all hosts: ORR_PACKET_MAX_HOSTS. */
static uint32_t address(uint32_t host)
{
    return UINT32_C(10) << 24 | (host & 0xffffff);
}

static void put_ethernet(struct orr_frame *f, uint64_t to, uint64_t from,
                         uint16_t type)
{
    *f = (struct orr_frame){.length = 0};
    put_bytes(f, to, 6);
    put_bytes(f, from, 6);
    put_bytes(f, type, 2);
}

/* length: of what follows the header. Does not say more than 16 bits hold:
 * packets may be larger than any on a real wire. */
static uint16_t said_length(uint64_t length)
{
    return length > UINT16_MAX ? 0 : (uint16_t)length;
}

/* An IPv4 header for so many bytes behind it. */
static void put_ip(struct orr_frame *f, const struct orr_frame_ends *w,
                   uint8_t protocol, uint64_t length)
{
    uint32_t at = f->length;
    uint8_t ecn = w->ce ? 3 : w->ecn ? 2 : 0;
    put_bytes(f, 0x45, 1);
    put_bytes(f, (uint64_t)w->class << 5 | ecn, 1);
    put_bytes(f, said_length(IP + length), 2);
    put_bytes(f, 0, 2);
    put_bytes(f, 0x4000, 2); /* not to be fragmented */
    put_bytes(f, 64, 1);     /* hops are not counted */
    put_bytes(f, protocol, 1);
    put_bytes(f, 0, 2);
    put_bytes(f, address(w->src), 4);
    put_bytes(f, address(w->dst), 4);
    put_at(f, at + 10, folded(sum_of_words(f, at, 0)), 2);
}

static uint32_t pseudo(const struct orr_frame_ends *w, uint8_t protocol,
                       uint64_t length)
{
    uint32_t src = address(w->src), dst = address(w->dst);
    return (src >> 16) + (src & 0xffff) + (dst >> 16) + (dst & 0xffff)
           + protocol + (uint32_t)(length & 0xffff)
           + (uint32_t)(length >> 16 & 0xffff);
}

void orr__frame_tcp(struct orr_frame *f, const struct orr_frame_ends *w,
                    const struct orr_frame_tcp *t)
{
    uint64_t length = TCP + t->payload;
    uint32_t at;
    uint16_t flags = 0x10; /* ACK */
    if (t->push)
        flags |= 0x08;
    if (t->echo)
        flags |= 0x40;
    put_ethernet(f, hardware(w->to), hardware(w->from), 0x0800);
    put_ip(f, w, PROTOCOL_TCP, length);
    at = f->length;
    put_bytes(f, w->src_port, 2);
    put_bytes(f, w->dst_port, 2);
    put_bytes(f, (uint32_t)(t->seq + 1), 4);
    put_bytes(f, (uint32_t)(t->ack + 1), 4);
    put_bytes(f, 5u << 12 | flags, 2);
    put_bytes(f, 0xffff, 2); /* receivers have room */
    put_bytes(f, 0, 4);
    put_at(f, at + 16,
           folded(sum_of_words(f, at, pseudo(w, PROTOCOL_TCP, length))), 2);
    f->payload = t->payload;
}

/* Without a checksum, as UDP over IPv4 may be. */
static void put_udp(struct orr_frame *f, const struct orr_frame_ends *w,
                    uint64_t length)
{
    put_ethernet(f, hardware(w->to), hardware(w->from), 0x0800);
    put_ip(f, w, PROTOCOL_UDP, UDP + length);
    put_bytes(f, w->src_port, 2);
    put_bytes(f, w->dst_port, 2);
    put_bytes(f, said_length(UDP + length), 2);
    put_bytes(f, 0, 2);
}

void orr__frame_udp(struct orr_frame *f, const struct orr_frame_ends *w,
                    uint64_t payload)
{
    put_udp(f, w, payload);
    f->payload = payload;
}

/* The invariant CRC (InfiniBand's annex A17): of what no router changes; what
 * they may change counts as ones, and so does the header of a local network. */
static void put_check(struct orr_frame *f)
{
    enum { AT = ETHERNET, LOCAL = 8 };
    static const uint8_t changes[] = {
        AT + 1,
        AT + 8,
        AT + 10,
        AT + 11, /* of IP: class, hops, checksum */
        AT + IP + 6,
        AT + IP + 7,       /* of UDP: checksum */
        AT + IP + UDP + 4, /* FECN, BECN */
    };
    static const uint8_t zeros[1024];
    uint8_t covered[LOCAL + ORR_FRAME_MOST];
    memset(covered, 0xff, LOCAL);
    memcpy(covered + LOCAL, f->byte + AT, f->length - AT);
    for (size_t i = 0; i < sizeof changes; i++)
        covered[LOCAL + changes[i] - AT] = 0xff;
    uint32_t crc = crc32_gzip_refl(0, covered, LOCAL + f->length - AT);
    for (uint64_t n = 0; n < f->payload; n += sizeof zeros) {
        uint64_t left = f->payload - n;
        crc = crc32_gzip_refl(crc, zeros,
                              left < sizeof zeros ? left : sizeof zeros);
    }
    for (unsigned i = 0; i < ICRC; i++) /* the one that goes low byte first */
        f->byte[f->length + i] = (uint8_t)(crc >> 8 * i);
    f->trailer = ICRC;
}

void orr__frame_roce(struct orr_frame *f, const struct orr_frame_ends *w,
                     const struct orr_frame_roce *r)
{
    uint64_t pad = -r->payload & 3, after = r->payload + pad;
    uint64_t extension = r->opcode == ORR_ROCE_ACK ? AETH : 0;
    if (r->opcode == ORR_ROCE_CNP)
        after = CNP;
    put_udp(f, w, BTH + extension + after + ICRC);
    put_bytes(f, r->opcode, 1);
    put_bytes(f, pad << 4, 1);
    put_bytes(f, 0xffff, 2); /* the default partition */
    /* FECN and BECN: of a notification, BECN */
    put_bytes(f, r->opcode == ORR_ROCE_CNP ? 0x40 : 0, 1);
    put_bytes(f, r->pair & 0xffffff, 3);
    put_bytes(f, r->asks ? 0x80 : 0, 1);
    put_bytes(f, r->psn & 0xffffff, 3);
    if (extension) { /* an ACK without limit of credits; a NAK, out of order */
        put_bytes(f, r->refused ? 0x60 : 0x1f, 1);
        put_bytes(f, r->messages & 0xffffff, 3);
    }
    f->payload = after;
    put_check(f);
}

void orr__frame_pause(struct orr_frame *f, uint32_t from, uint8_t class,
                      bool pause)
{
    put_ethernet(f, UINT64_C(0x0180c2000001), hardware(from), 0x8808);
    put_bytes(f, 0x0101, 2);
    put_bytes(f, 1u << class, 2);
    for (unsigned i = 0; i < 8; i++)
        put_bytes(f, i == class && pause ? 0xffff : 0, 2);
    f->payload = LEAST - f->length;
}
