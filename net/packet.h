/* A packet on a link: 32 bytes, half a cache line. */
#ifndef ORR_NET_PACKET_H
#define ORR_NET_PACKET_H

#include <stdint.h>

enum {
    ORR_PACKET_ACK = 1,  /* else data */
    ORR_PACKET_CE = 2,   /* congestion experienced */
    ORR_PACKET_ECHO = 4, /* an ACK that tells of CE */
    ORR_PACKET_LAST = 8, /* last of its message */
    ORR_PACKET_REPEAT = 16, /* a retransmission */
    ORR_PACKET_OWN = 32, /* in a queue: the NIC waits for its departure */
};
#define ORR_PACKET_FLAG_BITS 8
#define ORR_PACKET_MAX_SIZE ((1u << (32 - ORR_PACKET_FLAG_BITS)) - 1)

struct orr_packet {
    int64_t at;          /* arrival at the end of the link it is on, ps */
    uint32_t connection;
    uint32_t dst;        /* host */
    uint32_t hash;       /* of connection and direction, for ECMP */
    uint32_t seq;        /* data: packet number; ACK: next one expected */
    uint32_t size_flags; /* wire bytes << 8 | flags */
    /* Data: the message. ACK: 0, or (what made it sent - seq) << 16 | how many
     * packets up to and including that one are here without a gap. */
    uint32_t aux;
};
_Static_assert(sizeof(struct orr_packet) == 32, "two packets a cache line");

static inline uint32_t orr__packet_size(const struct orr_packet *p)
{
    return p->size_flags >> ORR_PACKET_FLAG_BITS;
}

#endif
