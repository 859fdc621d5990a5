/* Inside of the second pass: who is looked at, and what is known of all
 * connections. messages.c follows messages, observed.c knows who is to
 * blame. */
#ifndef ORR_STUDY_EXPLAIN_MESSAGES_STATE_H
#define ORR_STUDY_EXPLAIN_MESSAGES_STATE_H

#include "net/watch/packet_observer.h"
#include "study/explain/flight.h"
#include "study/explain/messages.h"
#include "study/explain/queue_owners.h"

#define ORR_WATCHED_LINKS 256 /* of a path; longer ones are watched so far */

/* What is known of a connection. */
struct orr_followed {
    struct orr_connection_spec spec;
    uint32_t owner; /* whose messages it carries; NONE: no message yet */
    uint8_t cut_by; /* what its control cut down for last, where, and who had
                       filled the queue there */
    uint32_t cut_link, cut_owner;
    uint32_t mark_link, mark_owner; /* of its packets: the last mark and loss */
    uint32_t drop_link, drop_owner;
    struct orr_messages_observer *by; /* who follows it now; NULL: none */
};

/* What the sender of the message's connection is at. */
enum orr_message_state {
    ORR_MESSAGE_BLOCKED, /* it may not send, or has nothing to send */
    ORR_MESSAGE_READY,   /* it waits for its turn, or for its pace first */
    ORR_MESSAGE_QUEUED,  /* a packet of it is in its port */
};

/* One whose messages are looked at, one after the other. */
struct orr_messages_observer {
    struct orr_messages_pass *all; /* that it is one of */
    const struct orr_messages_request *at;
    uint32_t user;                 /* of the net: whose upcalls it listens to */
    const struct orr_net_ops *own; /* its own upcalls */
    void *context;                 /* what those are called with */
    uint64_t *sent;                /* messages so far, per member of the job */
    uint32_t next;                 /* leg: the next that is a message's */
    bool wrong;                    /* it did not end when it had before */
    /* the message under way, if `on` */
    bool on, here; /* here: at its destination, not acknowledged yet */
    uint32_t message, connection, first_seq, packets;
    struct orr_spending sender;   /* of its connection, since it was sent */
    enum orr_message_state state; /* what the sender does now */
    uint32_t class;               /* of the connection's data */
    uint32_t link;      /* the port that the sender waits for, or is in */
    int64_t pace_until; /* its pace holds it back until then, ps */
    struct orr_flights flights; /* packets of the message under way */
    int64_t *first; /* when the packets numbered from first_seq on were sent */
    uint32_t firsts, first_room; /* of `first` */
    struct orr_flight data, ack; /* that arrived last; `begin`: when */
    uint32_t watched[2 * ORR_WATCHED_LINKS], n_watched;
    bool on_tree; /* the message goes to switches that add: */
    struct orr_observed_tree tree;
    struct orr_tree_sums *sums; /* as `first`, by packet; owned */
    uint32_t n_sums, sums_room;
    uint32_t result;   /* number of the last packet whose result came, ... */
    int64_t result_at; /* ... when, ps, */
    uint32_t result_bytes;
};

/* What became of a packet that is added up; -1: nothing yet. */
struct orr_tree_sums {
    int64_t adder, root; /* whole at the first switch that adds; at the root */
    uint32_t adder_by, root_by; /* connections whose packet came last */
    bool resent;                /* it was sent again */
};

/* The packet that a port began last. */
struct orr_begun {
    uint32_t connection;
    int64_t end;   /* its last bit leaves, ps */
    int64_t still; /* until then the port held something back last, ps */
};

/* The second pass. */
struct orr_messages_pass {
    struct orr_world *world;
    struct orr_messages_observer *one; /* the arrays are owned */
    uint32_t n, open;                  /* how many; with messages to come */
    struct orr_followed *connection;
    uint32_t connections; /* of `connection`, by the net's numbers */
    uint32_t *watches;    /* per link: who want to know */
    uint32_t *pauser; /* per link: who had filled the memory at its end when it
                         was paused last */
    struct orr_queue_owners *stock; /* per link */
    struct orr_begun *begun;        /* per link that somebody watches */
    uint64_t *held;                 /* scratch: bytes per owner, flows last */
    bool sole;                      /* there is one owner only */
    bool fixed;                     /* paths of connections are known */
    bool cuts_through;              /* of the network */
};

/* ---- messages.c ---- */

/* What the pass asks packets for. */
extern const struct orr_packet_observer_ops orr__messages_packets;

/* ---- summed.c: messages to trees ---- */

/* A message begins; false: it is no such. */
bool orr__summed_begin(struct orr_messages_observer *o);
/* Its packets: one is sent; a sum is whole; a result has come. */
void orr__summed_sent(struct orr_messages_observer *o,
                      const struct orr_packet *p);
void orr__summed_whole(void *pass, int64_t now,
                       const struct orr_observed_sum *s);
void orr__summed_result(struct orr_messages_observer *o, int64_t now,
                        const struct orr_packet *p);
/* All results are here: what the time went into, to the leg's line, which
 * begins with the message. */
void orr__summed_end(struct orr_messages_observer *o, int64_t now);
/* What a sender that may not send waits for; `window`: its control allows no
 * more. */
struct orr_what orr__summed_wait(const struct orr_messages_observer *o,
                                 struct orr_what window);

/* ---- observed.c ---- */

/* Stops the run: out of memory. */
void orr__messages_fail(struct orr_messages_pass *l);
/* Whose packet it is. */
uint32_t orr__observed_past_owner(const struct orr_messages_pass *l,
                                  const struct orr_packet *p);
/* For the observer. */
void orr__observed_past_connected(void *pass, int64_t now, uint32_t connection,
                                  const struct orr_connection_spec *spec);
void orr__observed_past_dropped(void *pass, const struct orr_observed_hop *h);
void orr__observed_past_marked(void *pass, const struct orr_observed_hop *h);
void orr__observed_past_pausing(void *pass, int64_t now, uint32_t link,
                                uint32_t class);
void orr__observed_past_cut(void *pass, int64_t now, uint32_t connection,
                            const struct orr_cc_ack *a, int why);
/* A message goes over a connection: it is its user's. */
void orr__observed_past_message(struct orr_messages_pass *l,
                                const struct orr_message *m);

#endif
