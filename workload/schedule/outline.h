/* One iteration of a job, worked out without packets: who sends how much to
 * whom, and when, if nobody else is on the network. Computations, streams,
 * sends and receives go as they do in a run; a collective begins when all of
 * its ranks are there and takes what its bytes take on the busiest of its
 * links, or its longest chain of messages; messages of one host leave one after
 * another. Left out: queues, congestion control, overheads of messages, delays
 * at endpoints, reductions, streams that messages keep busy (in traces); jitter
 * in all but how iterations vary with it. */
#ifndef ORR_WORKLOAD_SCHEDULE_OUTLINE_H
#define ORR_WORKLOAD_SCHEDULE_OUTLINE_H

#include <stdint.h>

#include "core/error.h"
#include "workload/job/job.h"
#include "workload/world.h"

enum { ORR_PATH_LINKS = 64 }; /* of the longest path that is told in full */

/* The links from one member of a job to another, as orr__net_path_of gives
 * them. */
struct orr_message_paths {
    uint32_t (*links)(void *arg, uint32_t src, uint32_t dst, bool forward,
                      uint32_t *link, uint32_t max);
    void *arg; /* what it is called with */
};
/* The way that the job's connections take in a run. */
uint32_t orr__own_path(const struct orr_world *w, const struct orr_job *j,
                       uint32_t src, uint32_t dst, bool forward, uint32_t *link,
                       uint32_t max);

/* What goes between members at once. */
struct orr_parcel {
    uint32_t src, dst;        /* members, on different hosts; src ORR_NONE: of a
                               * tree, bytes on the wire of the link dst */
    uint64_t bytes, messages; /* payload, in so many */
};

/* Parcels that leave together. */
struct orr_shipment {
    uint32_t n; /* of these, which are owned */
    struct orr_parcel *parcel;
    int64_t for_ps; /* what it takes alone */
};

/* When a shipment leaves. */
struct orr_departure {
    uint32_t shipment; /* of the outline */
    int64_t at_ps;     /* from the iteration's start; < iteration_ps */
};

/* Freed with orr__outline_fini. */
struct orr_outline {
    int64_t iteration_ps;           /* once it is steady */
    int64_t compute_ps;             /* of a rank, the mean over ranks */
    uint32_t shipments, departures; /* several may be of one shipment */
    struct orr_shipment *shipment;
    struct orr_departure *departure; /* in no order of time */
};

/* Needs world->net. ERUN: the program does not come to an end, or is too large
 * to be worked out. *out is all zeros then; else orr__outline_fini. */
ORR_CHECK_RESULT orr_err orr__outline(const struct orr_world *w,
                                      const struct orr_job *j,
                                      struct orr_outline *out,
                                      struct orr_report *why);
/* The same by other ways than the job's own. */
ORR_CHECK_RESULT orr_err orr__outline_by(const struct orr_world *w,
                                         const struct orr_job *j,
                                         const struct orr_message_paths *paths,
                                         struct orr_outline *out,
                                         struct orr_report *why);
void orr__outline_fini(struct orr_outline *o);

/* What jitter does to iterations. All 0: there is none, or an iteration is too
 * large to be gone through some times. */
struct orr_swing {
    double longer_ps, deviation_ps; /* of the mean; standard */
};
/* o: of the job. By draws that are the same for equal programs, so that equal
 * jobs stay equal. */
ORR_CHECK_RESULT orr_err orr__outline_swing(const struct orr_world *w,
                                            const struct orr_job *j,
                                            const struct orr_outline *o,
                                            struct orr_swing *out,
                                            struct orr_report *why);

/* Bytes on the wire, headers and ACKs included, that a parcel puts on each link
 * of its way and, as ACKs, of the way back: fn for each. */
void orr__parcel_links(const struct orr_world *w,
                       const struct orr_message_paths *paths,
                       const struct orr_parcel *p,
                       void (*fn)(void *arg, uint32_t link, uint64_t bytes),
                       void *arg);

#endif
