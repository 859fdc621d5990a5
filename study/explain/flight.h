/* Packets of one connection under way, and what their time went into. */
#ifndef ORR_STUDY_EXPLAIN_FLIGHT_H
#define ORR_STUDY_EXPLAIN_FLIGHT_H

#include "net/packet.h"
#include "study/explain/parts.h"
#include "topo/graph.h"

/* One copy of a packet under way; in a table by name, reused after it. */
struct orr_flight {
    struct orr_flight *next;  /* in its bucket, or of those that are free */
    struct orr_flight *wait;  /* behind it among those that wait for ports */
    uint32_t seq, aux, flags; /* its name: see name_of */
    uint8_t class;            /* of traffic */
    int64_t first;            /* when the first copy of it was sent */
    int64_t start;            /* and this one */
    uint32_t link;            /* that it waits for, or is on */
    uint32_t links;           /* so far, that one included */
    bool begun;               /* it is sent on `link`, or has been */
    int64_t begin, time;      /* of its transmission, once it has begun */
    struct orr_spending line; /* from `start`, or when an ACK was made */
};

#define ORR_FLIGHT_BUCKETS 1024u
#define ORR_FLIGHT_PORTS   64u
struct orr_flights { /* zeroed: none */
    struct orr_flight *bucket[ORR_FLIGHT_BUCKETS];
    struct orr_flight *free; /* all are owned */
    /* Those that wait, by the port's link, in the order in which they came:
     * there the one that goes is the first of its port, or not far behind. */
    struct {
        struct orr_flight *first, *last;
    } waiting[ORR_FLIGHT_PORTS];
};
/* The first of those that wait for the port of a link, or of some others. */
static inline struct orr_flight *orr__flights_waiting(
    const struct orr_flights *all, uint32_t link)
{
    return all->waiting[link % ORR_FLIGHT_PORTS].first;
}

/* A packet sets out. NULL: no memory. */
struct orr_flight *orr__flight_new(struct orr_flights *all,
                                   const struct orr_packet *p);
/* The oldest of its name that waits at this link's port, or is on its way to
 * this node; NULL: none. */
struct orr_flight *orr__flight_at(const struct orr_flights *all,
                                  const struct orr_packet *p, uint32_t link);
struct orr_flight *orr__flight_to(const struct orr_flights *all,
                                  const struct orr_graph *g,
                                  const struct orr_packet *p, uint32_t node);
/* It is over. */
void orr__flight_end(struct orr_flights *all, struct orr_flight *f);
void orr__flights_end(struct orr_flights *all); /* all of them */
void orr__flights_fini(struct orr_flights *all);

/* It waits for the port of f->link; it is sent, or lost. */
void orr__flight_wait(struct orr_flights *all, struct orr_flight *f);
void orr__flight_go(struct orr_flights *all, struct orr_flight *f);

#endif
