/* Packets as a pcapng file (draft-ietf-opsawg-pcapng), for Wireshark and its
 * kin: an interface for each link, with the nodes' names, times in ns, hosts'
 * names. Little-endian. Written whole or not at all: core/file.h. */
#ifndef ORR_RECORD_PCAP_H
#define ORR_RECORD_PCAP_H

#include "core/error.h"
#include "record/packet_log.h"
#include "workload/world.h"

struct orr_pcap;

enum orr_pcap_headers {
    ORR_PCAP_AUTO, /* RoCEv2 for controls of RDMA, TCP for others; UDP for
                    * datagrams of those */
    ORR_PCAP_TCP,
    ORR_PCAP_ROCE,
};

/* snaplen: bytes of a packet that are written, or ORR_AUTO_SIZE: all of RoCEv2,
 * headers of others; headers always are. EIO: it
 * cannot be written there. */
ORR_CHECK_RESULT orr_err orr__pcap_open(const struct orr_world *w,
                                        const char *name,
                                        enum orr_pcap_headers headers,
                                        uint64_t snaplen, struct orr_pcap **out,
                                        struct orr_report *why);
/* Failures of these, of memory and of the file, are told by the next _flush or
 * _close. An interface for the link, unless it has one. */
void orr__pcap_interface(struct orr_pcap *p, uint32_t link);
/* Before its packets. */
void orr__pcap_message(struct orr_pcap *p, const struct orr_sent_message *m);
/* A packet that a link sends, in order of time. */
void orr__pcap_packet(struct orr_pcap *p, const struct orr_packet_row *row);
ORR_CHECK_RESULT orr_err orr__pcap_flush(struct orr_pcap *p,
                                         struct orr_report *why);
/* Frees p in any case. err: how the run went; the file is there unless writing
 * it failed. */
ORR_CHECK_RESULT orr_err orr__pcap_close(struct orr_pcap *p,
                                         struct orr_report *why);
/* Gives up; NULL is fine. */
void orr__pcap_free(struct orr_pcap *p);

#endif
