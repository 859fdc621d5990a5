/* What packets do at ports and hosts, gathered while a run goes on: by each
 * thread for itself, and put in order of time between windows. Rows and their
 * order are the same for any number of threads. */
#ifndef ORR_RECORD_PACKET_LOG_H
#define ORR_RECORD_PACKET_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "core/error.h"
#include "core/none.h"
#include "net/packet.h"
#include "record/select.h"
#include "workload/world.h"

enum orr_packet_event {
    ORR_PACKET_SENT,    /* a link sends it */
    ORR_PACKET_DROPPED, /* a port has no room for it */
    ORR_PACKET_LOST,    /* a link loses it as it leaves */
    ORR_PACKET_ARRIVED, /* at its destination */
};

/* What happened to a packet at a port or at its host. */
struct orr_packet_row {
    int64_t at;          /* ps, what rows are ordered by: SENT: begins; DROPPED;
                          * LOST: has left; ARRIVED */
    int64_t queued;      /* SENT: when it came to the port */
    int64_t took;        /* SENT: to be sent, ps */
    uint64_t queue;      /* SENT, DROPPED: bytes that it found at the port */
    uint64_t order;      /* among rows of one place and time */
    uint32_t place;      /* link; ARRIVED: links + host */
    uint32_t connection; /* ORR_NONE: a pause frame */
    uint32_t seq, size_flags, dst_kind, aux; /* as in struct orr_packet */
    uint8_t event;                           /* enum orr_packet_event */
    uint8_t wants;                           /* bits of enum orr_want */
    bool marked;                             /* SENT: by this port */
};

/* What was sent as one message. */
struct orr_sent_message {
    uint64_t bytes;                          /* payload */
    uint32_t connection, first_seq, packets; /* these from first_seq on */
    uint32_t user, src, dst, arg;            /* as in struct orr_message */
};

/* Who wants rows, each of what it chose. */
enum orr_want { ORR_WANT_PCAP, ORR_WANT_PACKETS, ORR_WANTS };
/* Which packets somebody wants. */
struct orr_wanted {
    bool on;             /* false: nothing is wanted */
    bool *link;          /* per link; NULL: all */
    uint64_t *identity;  /* of connections, ascending; NULL: all */
    uint32_t identities; /* of these; both arrays are owned */
};

struct orr_packet_log;

/* Looks on from now on: before the run. wanted: ORR_WANTS of them; what hangs
 * off it is taken over, also when this fails. */
ORR_CHECK_RESULT orr_err orr__packet_log_new(struct orr_world *w,
                                             struct orr_wanted *wanted,
                                             struct orr_packet_log **out,
                                             struct orr_report *why);
void orr__wanted_fini(struct orr_wanted *wanted);
/* What connections of a selection are called: as in world->net, and as in
 * records: the index of a flow, or -1, -2, ... for those of jobs. In the order
 * of the former; free with orr__free. ENOMEM. */
struct orr_named {
    uint64_t identity; /* in world->net */
    int64_t flow;      /* in records */
};
ORR_CHECK_RESULT orr_err orr__wanted_names(const struct orr_world *w,
                                           const struct orr_selection *s,
                                           struct orr_named **out, uint32_t *n);
/* The connections of a selection as a list of identities; ENOMEM. */
ORR_CHECK_RESULT orr_err orr__wanted_flows(struct orr_wanted *wanted,
                                           const struct orr_world *w,
                                           const struct orr_selection *s);
/* The links of a selection, or those on the ways of its connections. Needs
 * world->net. */
ORR_CHECK_RESULT orr_err orr__wanted_links(struct orr_wanted *wanted,
                                           const struct orr_world *w,
                                           const struct orr_selection *s);

/* Between windows, or after the run. Rows before `until`, in order; the
 * caller's until the next call. *n UINT64_MAX: no memory. */
struct orr_packet_row *orr__packet_log_rows(struct orr_packet_log *c,
                                            int64_t until, uint64_t *n);
/* That are kept, of any time. */
uint64_t orr__packet_log_kept(const struct orr_packet_log *c);
/* Messages sent since the last call on connections that the pcap wants, those
 * of one connection in order. */
void orr__packet_log_messages(struct orr_packet_log *c,
                              void (*each)(void *arg,
                                           const struct orr_sent_message *m),
                              void *arg);
void orr__packet_log_free(struct orr_packet_log *c);

#endif
