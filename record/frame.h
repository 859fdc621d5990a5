/* Packets as bytes: Ethernet frames with the headers that a tool like Wireshark
 * knows. The simulator has no headers, so these are made up from what it does
 * have, in one way for all: docs/results.md says which. Payload is zeros, and
 * checksums are right for that. */
#ifndef ORR_RECORD_FRAME_H
#define ORR_RECORD_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#define ORR_FRAME_MOST 96 /* bytes of headers */

/* A frame of Ethernet while it is made. */
struct orr_frame {
    uint8_t byte[ORR_FRAME_MOST]; /* headers, and what follows payload */
    uint32_t length;              /* of the headers */
    uint32_t trailer; /* bytes that follow payload: behind the headers' */
    uint64_t payload; /* zeros */
};

/* Headers, payload and what follows it. */
static inline uint64_t orr__frame_bytes(const struct orr_frame *f)
{
    return f->length + f->payload + f->trailer;
}

/* What all of them have. */
struct orr_frame_ends {
    uint32_t from, to;           /* nodes of the link: hardware addresses */
    uint32_t src, dst;           /* hosts of the packet: 10.0.0.0 and on */
    uint16_t src_port, dst_port; /* of TCP or UDP */
    uint8_t class;               /* 0 to 7: DSCP of that class selector */
    bool ecn, ce;                /* ECN-capable; congestion was experienced */
};

/* Numbers count bytes of payload from 0, which is 1 on the wire. */
struct orr_frame_tcp {
    uint64_t seq, ack; /* their low 32 bits are on the wire */
    uint64_t payload;  /* bytes */
    bool push, echo;   /* PSH; ECE */
};
void orr__frame_tcp(struct orr_frame *f, const struct orr_frame_ends *w,
                    const struct orr_frame_tcp *t);
void orr__frame_udp(struct orr_frame *f, const struct orr_frame_ends *w,
                    uint64_t payload);

enum orr_frame_opcode { /* of the base transport header */
                        ORR_ROCE_FIRST = 0x00,
                        ORR_ROCE_MIDDLE = 0x01,
                        ORR_ROCE_LAST = 0x02,
                        ORR_ROCE_ONLY = 0x04,
                        ORR_ROCE_ACK = 0x11,
                        ORR_ROCE_CNP = 0x81,
};
#define ORR_ROCE_PORT 4791
/* A packet of RoCE v2. */
struct orr_frame_roce {
    uint8_t opcode;    /* of the base transport header */
    uint32_t pair;     /* destination queue pair */
    uint32_t psn;      /* packet number */
    uint32_t messages; /* ACK: complete so far */
    bool refused;      /* ACK: a NAK, PSN is what is missing */
    bool asks;         /* for an ACK */
    uint64_t payload;  /* bytes */
};
/* RoCEv2, with its invariant CRC. */
void orr__frame_roce(struct orr_frame *f, const struct orr_frame_ends *w,
                     const struct orr_frame_roce *r);
/* 802.1Qbb, from one end of a link to the other. */
void orr__frame_pause(struct orr_frame *f, uint32_t from, uint8_t class,
                      bool pause);

#endif
