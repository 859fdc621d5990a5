/* What the net's own parts call to tell an observer (packet_observer_calls.h),
 * if there is one: n->observers is looked at before. Private to net/. */
#ifndef ORR_NET_FABRIC_PACKET_OBSERVER_CALLS_H
#define ORR_NET_FABRIC_PACKET_OBSERVER_CALLS_H

#include "net/fabric/fabric.h"
#include "net/watch/packet_observer.h"

struct orr_observed_control;
/* Those that look on, owned by the net; the arrays are per link. */
struct orr_packet_observers {
    struct orr_packet_observer {
        const struct orr_packet_observer_ops *ops; /* the observer's */
        void *observer; /* what its upcalls are called with */
    } one[ORR_MOST_OBSERVERS];
    unsigned n;       /* of `one`, in the order in which they came */
    bool packets;     /* one of them is told what becomes of packets: all go
                         the way where that is seen */
    bool arrivals;    /* one of them is told of them at all hosts */
    bool apart;       /* one wants `queued` or `begins`, and not `passed` */
    uint8_t *watched; /* per link: by so many */
    bool *lent;       /* its queue is there only for that */
    struct orr_observed_control *controls; /* listened to */
};

#define ORR_TELLS __attribute__((cold, noinline))

/* Somebody looks on. */
static inline bool orr__observers_see(const struct orr_net *n)
{
    return __builtin_expect(n->observers != NULL, 0);
}

/* And at more than messages, timers and connections. */
static inline bool orr__observers_see_packets(const struct orr_net *n)
{
    return orr__observers_see(n) && n->observers->packets;
}

/* And at this link's. */
static inline bool orr__observers_see_link(const struct orr_net *n,
                                           uint32_t link)
{
    return orr__observers_see_packets(n) && n->observers->watched[link];
}

/* And at packets that arrive by it. */
static inline bool orr__observers_see_arrivals(const struct orr_net *n,
                                               uint32_t link)
{
    return orr__observers_see_packets(n)
           && (n->observers->arrivals || n->observers->watched[link]);
}

/* Each of what follows tells all observers who have that slot (struct
 * orr_packet_observer_ops), in the order in which they came. */
ORR_TELLS void orr__observers_message(const struct orr_net *n, int64_t now,
                                      const struct orr_message *m);
ORR_TELLS void orr__observers_timer(const struct orr_net *n, uint32_t user,
                                    uint32_t host, int64_t at, uint64_t arg);
ORR_TELLS void orr__observers_connected(const struct orr_net *n, int64_t now,
                                        uint32_t connection,
                                        const struct orr_connection_spec *spec);
ORR_TELLS void orr__observers_ready(const struct orr_net *n, int64_t now,
                                    uint32_t connection, uint32_t link,
                                    int64_t from, bool again);
/* Of watched links: orr__observers_see_link. */
ORR_TELLS void orr__observers_queued(const struct orr_net *n, uint32_t link,
                                     const struct orr_packet *p, int64_t now,
                                     bool own);
ORR_TELLS void orr__observers_begins(const struct orr_net *n, uint32_t link,
                                     const struct orr_packet *p, int64_t now,
                                     int64_t begin, int64_t time);
ORR_TELLS void orr__observers_paused(const struct orr_net *n, int64_t now,
                                     uint32_t link);
ORR_TELLS void orr__observers_passed(const struct orr_net *n, uint32_t link,
                                     const struct orr_packet *p, int64_t now,
                                     int64_t time, bool own);
ORR_TELLS void orr__observers_frame(const struct orr_net *n, uint32_t link,
                                    const struct orr_packet *p, int64_t now,
                                    int64_t time);
/* Of all. */
ORR_TELLS void orr__observers_summed(const struct orr_net *n, int64_t now,
                                     const struct orr_observed_sum *s);
ORR_TELLS void orr__observers_dropped(const struct orr_net *n, uint32_t link,
                                      const struct orr_packet *p, int64_t now,
                                      bool lost);
ORR_TELLS void orr__observers_marked(const struct orr_net *n, uint32_t link,
                                     const struct orr_packet *p, int64_t now);
ORR_TELLS void orr__observers_arrived(const struct orr_net *n, int64_t now,
                                      uint32_t host,
                                      const struct orr_packet *p);
ORR_TELLS void orr__observers_pausing(const struct orr_net *n, int64_t now,
                                      uint32_t link, uint32_t class);
void orr__observed_free(struct orr_net *n);

#endif
