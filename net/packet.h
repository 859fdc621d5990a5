/* A packet on a link: 32 bytes, half a cache line. */
#ifndef ORR_NET_PACKET_H
#define ORR_NET_PACKET_H

#include <stdint.h>

#include "core/none.h"

enum {                         /* beside the size */
       ORR_PACKET_ACK = 1,     /* else data */
       ORR_PACKET_CE = 2,      /* congestion experienced */
       ORR_PACKET_ECHO = 4,    /* an ACK that tells of CE */
       ORR_PACKET_LAST = 8,    /* last of its message */
       ORR_PACKET_REPEAT = 16, /* a retransmission */
       ORR_PACKET_OWN = 32,    /* in a queue: the NIC waits for its departure */
       ORR_PACKET_TRIMMED = 64, /* data that a queue cut down to its header */
       ORR_PACKET_NACK =
           128, /* an ACK that tells of a packet that is missing */
       /* An ACK of a packet that was here already (RFC 2883); of a
        * retransmission, and of every other one of a packet: from the time
        * stamp that comes back (RFC 7323) its sender could tell which copy it
        * was. */
       ORR_PACKET_DUPLICATE = ORR_PACKET_LAST,
       ORR_PACKET_OF_REPEAT = ORR_PACKET_REPEAT,
       ORR_PACKET_OF_ODD = ORR_PACKET_TRIMMED,
       ORR_PACKET_ODD = ORR_PACKET_ECHO, /* data: such a retransmission */
       /* With ORR_PACKET_CNP: of a handshake. One that answers is the last. */
       ORR_PACKET_OPENS = ORR_PACKET_NACK,
       /* With ORR_PACKET_CNP: of credits (net/host/pull.c), aux: how many; with
        * REPEAT to the receiver, which is asked. */
       ORR_PACKET_PULL = ORR_PACKET_TRIMMED,
       /* Data, where the sender asks for ACKs (net/host/uec.c): at once. */
       ORR_PACKET_ASKS = ORR_PACKET_NACK,
       /* A NACK: the packet was cut on its last link; such data has ASKS. */
       ORR_PACKET_AT_END = ORR_PACKET_LAST,
};
#define ORR_PACKET_FLAG_BITS 8
#define ORR_PACKET_MAX_SIZE  ((1u << (32 - ORR_PACKET_FLAG_BITS)) - 1)

enum {                       /* beside the destination */
       ORR_PACKET_CLASS = 7, /* traffic class, 0 to 7; 7 goes first if strict */
       ORR_PACKET_CNP = 8,   /* congestion notification, or (OPENS) of a
                              * handshake; ACK is set as well */
       ORR_PACKET_PAUSE = 16, /* PFC, between neighbours: aux is the class */
       /* No packet, but a place in the order of arrivals (net/loop/marker.h):
        * aux is the user, seq the tag. */
       ORR_PACKET_MARKER = ORR_PACKET_PAUSE | ORR_PACKET_CNP,
       ORR_PACKET_TELEMETRY = 32, /* aux is a record in the net's `telemetry` */
       /* Not by the tables alone: data with a path of its own (its sender's);
        * where the network knows detours, what still has to decide on one, or,
        * with DETOUR, is on its way to a stop (net/path/detour.h). */
       ORR_PACKET_ROUTED = 64,
       ORR_PACKET_DETOUR = 128,
};
#define ORR_PACKET_KIND_BITS 8
#define ORR_PACKET_RUN_BITS  7
#define ORR_PACKET_MAX_RUN   64 /* packets that one ACK tells of selectively */
#define ORR_PACKET_MAX_HOSTS (1u << (32 - ORR_PACKET_KIND_BITS))

/* No host: packets on trees, whose connection knows the tree (net/tree/). */
#define ORR_PACKET_TREE (ORR_PACKET_MAX_HOSTS - 1)
/* `hash` of those: the place on the tree that one comes from, on its way to the
 * root; or, with DOWN, that it goes to. */
#define ORR_PACKET_DOWN    (1u << 31)
#define ORR_PACKET_PARTIAL (1u << 30) /* up: aux is a bit for each child */
#define ORR_PACKET_PASSES  (1u << 29) /* up: nobody but the root adds it */
/* Times that the tree was made anew before it was sent, and the place. */
#define ORR_PACKET_ERA_SHIFT 21
#define ORR_PACKET_ERA       (ORR_PACKET_PASSES - (1u << ORR_PACKET_ERA_SHIFT))
#define ORR_PACKET_PLACE     ((1u << ORR_PACKET_ERA_SHIFT) - 1)

/* A packet, or an ACK or frame: copied from ring to ring, nothing points to it
 * for long. */
struct orr_packet {
    int64_t at;          /* arrival at the end of the link it is on, ps */
    uint32_t connection; /* ORR_NONE: a pause frame */
    uint32_t dst_kind;   /* destination host << 8 | class and kind */
    uint32_t seq;        /* data: packet number; ACK: next one expected */
    uint32_t hash;       /* of connection and direction, for ECMP */
    uint32_t size_flags; /* wire bytes << 8 | flags */
    /* Data: the message. ACK: 0; or (what made it sent - seq) <<
     * ORR_PACKET_RUN_BITS | how many packets up to and including that one are
     * here without a gap; or how long it was held: orr__packet_held. NACK: the
     * number of the packet that is missing. On trees: net/tree/tree.h. */
    uint32_t aux;
};
_Static_assert(sizeof(struct orr_packet) == 32, "two packets a cache line");

/* Bytes on the wire. */
static inline uint32_t orr__packet_size(const struct orr_packet *p)
{
    return p->size_flags >> ORR_PACKET_FLAG_BITS;
}

/* The host that it is for. */
static inline uint32_t orr__packet_dst(const struct orr_packet *p)
{
    return p->dst_kind >> ORR_PACKET_KIND_BITS;
}

/* What an ACK says of which copy of a packet it answers. */
static inline uint32_t orr__packet_copy(const struct orr_packet *data)
{
    return (data->size_flags & ORR_PACKET_REPEAT)
           | (data->size_flags & ORR_PACKET_ODD ? ORR_PACKET_OF_ODD : 0);
}

/* The aux of an ACK that was held back for so many ns since the newest packet
 * that it tells of, a run of none: whole ns up to 16 ms, whole us beyond. */
#define ORR_PACKET_HELD_US (1u << 31)
static inline uint32_t orr__packet_hold(int64_t ns)
{
    const int64_t most = (ORR_PACKET_HELD_US >> ORR_PACKET_RUN_BITS) - 1;

    if (ns <= most)
        return (uint32_t)ns << ORR_PACKET_RUN_BITS;
    ns /= 1000;
    return ORR_PACKET_HELD_US
           | (uint32_t)(ns < most ? ns : most) << ORR_PACKET_RUN_BITS;
}

/* Back from it, ns; 0 for what tells of packets beyond a gap. */
static inline int64_t orr__packet_held(uint32_t aux)
{
    int64_t count = (aux & ~ORR_PACKET_HELD_US) >> ORR_PACKET_RUN_BITS;

    if (aux & ((1u << ORR_PACKET_RUN_BITS) - 1))
        return 0;
    return aux & ORR_PACKET_HELD_US ? 1000 * count : count;
}

/* dst_kind of a packet for this host; kind: of ORR_PACKET_..., together. */
static inline uint32_t orr__packet_to(uint32_t host, uint32_t kind)
{
    return host << ORR_PACKET_KIND_BITS | kind;
}

#endif
