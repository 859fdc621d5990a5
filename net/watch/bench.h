/* A bench: a net of its own in which a part of another one is gone through,
 * apart from all else, at a time of its own; and what the other one, the whole,
 * takes over from it. workload/memo/ uses both. */
#ifndef ORR_NET_WATCH_BENCH_H
#define ORR_NET_WATCH_BENCH_H

#include "core/error.h"
#include "net/net.h"

/* What the whole calls the bench's links and nodes, by number here, and by how
 * much its time is ahead: hashes, which decide between arrivals of one time,
 * are of those. Numbers here are in the order of those there. */
struct orr_net_alias {
    const uint32_t *link, *node;
    int64_t shift_ps;
};
/* From now on a net stands for such a part; the alias is the caller's. Where
 * lots were drawn it must be the same part as before. */
void orr__net_stand_for(struct orr_net *n, const struct orr_net_alias *alias);
/* Lots that queues have drawn so far, for marks and drops. */
uint64_t orr__net_lots(const struct orr_net *n);
/* A digest of all that decides what a net does after a rest, in whatever order
 * its connections were made; nothing is under way. Equal digests now and a
 * while later: it does not matter how long it rests. False: no memory. */
bool orr__net_quiet_digest(struct orr_net *n, uint64_t *digest);

/* What was counted on a link so far ... */
struct orr_link_gain {
    uint64_t bytes, packets, marks, drops, lost, pauses, frames;
    int64_t paused_ps, max_ps; /* the longest backlog */
    unsigned __int128 area;    /* as of the port */
};
void orr__net_link_counters(const struct orr_net *n, uint32_t link,
                            struct orr_link_gain *c);
/* The longest backlogs are those from now on. */
void orr__net_forget_maxima(struct orr_net *n);
/* ... and in all: what lanes count. */
struct orr_net_counters {
    uint64_t events, sent, delivered, dropped, marks, repeats, trimmed,
        timeouts, frames, frames_received, pauses;
    int64_t longest_timeout;
};
void orr__net_counters(const struct orr_net *n, struct orr_net_counters *c);

/* Adds figures of one connection to those of several. */
void orr__connection_stats_add(struct orr_connection_stats *sum,
                               const struct orr_connection_stats *one);

/* Once, before any of the following. False: no memory. */
bool orr__net_may_gain(struct orr_net *n);
/* A link on which nothing is under way is as if so much more had passed. */
void orr__net_link_gain(struct orr_net *n, uint32_t link,
                        const struct orr_link_gain *more);
/* The same of all that is counted in the lane of a host, where the last thing
 * happens at last_ps; `name` is what the fingerprint knows it by. From an
 * upcall in the host's process, or between windows. */
void orr__net_gain(struct orr_net *n, uint32_t host,
                   const struct orr_net_counters *more, int64_t last_ps,
                   uint64_t name);
/* Whether anybody looks at packets one by one (packet_observer.h). */
bool orr__net_is_observed(const struct orr_net *n);
/* Whether both ends of a link are run as one process. */
bool orr__net_link_local(const struct orr_net *n, uint32_t link);

#endif
