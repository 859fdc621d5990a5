/* A packet on a link: 32 bytes, half a cache line. */
#ifndef ORR_NET_PACKET_H
#define ORR_NET_PACKET_H

#include <stdint.h>

enum { /* beside the size */
    ORR_PACKET_ACK = 1,  /* else data */
    ORR_PACKET_CE = 2,   /* congestion experienced */
    ORR_PACKET_ECHO = 4, /* an ACK that tells of CE */
    ORR_PACKET_LAST = 8, /* last of its message */
    ORR_PACKET_REPEAT = 16, /* a retransmission */
    ORR_PACKET_OWN = 32, /* in a queue: the NIC waits for its departure */
    ORR_PACKET_TRIMMED = 64, /* data that a queue cut down to its header */
    ORR_PACKET_NACK = 128, /* an ACK that tells of a packet that is missing */
};
#define ORR_PACKET_FLAG_BITS 8
#define ORR_PACKET_MAX_SIZE ((1u << (32 - ORR_PACKET_FLAG_BITS)) - 1)

enum { /* beside the destination */
    ORR_PACKET_CLASS = 7, /* traffic class, 0 to 7; 7 goes first if strict */
    ORR_PACKET_CNP = 8,   /* congestion notification, ACK is set as well */
    ORR_PACKET_PAUSE = 16, /* PFC, between neighbours: aux is the class */
    ORR_PACKET_TELEMETRY = 32, /* aux is a record in the net's `telemetry` */
    /* Not by the tables alone: data with a path of its own (its sender's); where
     * the network knows detours, what still has to decide on one, or, with
     * DETOUR, is on its way to a stop (net/path/detour.h). */
    ORR_PACKET_ROUTED = 64,
    ORR_PACKET_DETOUR = 128,
};
#define ORR_PACKET_KIND_BITS 8
#define ORR_PACKET_MAX_HOSTS (1u << (32 - ORR_PACKET_KIND_BITS))

struct orr_packet {
    int64_t at;          /* arrival at the end of the link it is on, ps */
    uint32_t connection;
    uint32_t dst_kind;   /* destination host << 8 | class and kind */
    uint32_t hash;       /* of connection and direction, for ECMP */
    uint32_t seq;        /* data: packet number; ACK: next one expected */
    uint32_t size_flags; /* wire bytes << 8 | flags */
    /* Data: the message. ACK: 0, or (what made it sent - seq) << 16 | how many
     * packets up to and including that one are here without a gap. NACK: the
     * number of the packet that is missing. */
    uint32_t aux;
};
_Static_assert(sizeof(struct orr_packet) == 32, "two packets a cache line");

static inline uint32_t orr__packet_size(const struct orr_packet *p)
{
    return p->size_flags >> ORR_PACKET_FLAG_BITS;
}

static inline uint32_t orr__packet_dst(const struct orr_packet *p)
{
    return p->dst_kind >> ORR_PACKET_KIND_BITS;
}

/* The aux of an ACK that tells of no packets beyond a gap. */
static inline int orr__packet_aux_is_other(const struct orr_packet *p)
{
    return (p->dst_kind & ORR_PACKET_TELEMETRY)
           || (p->size_flags & ORR_PACKET_NACK);
}

static inline uint32_t orr__packet_to(uint32_t host, uint32_t kind)
{
    return host << ORR_PACKET_KIND_BITS | kind;
}

#endif
