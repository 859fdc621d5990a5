/* Packets of a capture, pcap or pcapng: who sent how many bytes of payload to
 * whom, and when. Payload that was sent again, or seen twice, counts once. */
#ifndef ORR_FORMATS_PCAP_PACKETS_H
#define ORR_FORMATS_PCAP_PACKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/error.h"

enum { ORR_PCAP_HOSTS = 65536 };

/* An address, IPv4 in its last four bytes. */
struct orr_pcap_host {
    uint8_t address[16];
    bool v4;
};

/* Payload that arrived where the capture was made. */
struct orr_pcap_packet {
    int64_t ns;        /* since the first packet */
    uint32_t from, to; /* hosts */
    uint32_t bytes;    /* of payload that was not seen before; > 0 */
};

/* A capture; zeroed: nothing. To be given to orr__capture_fini. */
struct orr_capture {
    struct orr_pcap_host *host; /* in the order in which they appear */
    uint32_t hosts, host_room;
    struct orr_pcap_packet *packet; /* in the order of the file */
    size_t packets, room;
    uint64_t seen;     /* packets of the file */
    uint64_t foreign;  /* of these, neither IPv4 nor IPv6, or cut too short */
    uint64_t repeated; /* bytes of payload that were seen before */
    bool ended_early;  /* the file ends within a packet */
};

/* Reads a file's bytes; name is for messages. ECONFIG: it is no capture. */
ORR_CHECK_RESULT orr_err orr__capture_read(struct orr_capture *c,
                                           const char *name,
                                           const uint8_t *bytes, size_t n,
                                           struct orr_report *why);
void orr__capture_fini(struct orr_capture *c);
/* "10.0.0.1" */
void orr__capture_host(const struct orr_capture *c, uint32_t host, char *text,
                       size_t size);

#endif
