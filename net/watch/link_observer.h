/* Observers of links. private to net/watch. */
#ifndef ORR_NET_WATCH_LINK_OBSERVER_H
#define ORR_NET_WATCH_LINK_OBSERVER_H

#include "net/watch/replay.h"

/* One observer's place in the run. */
struct orr_net_cursor {
    struct orr_net_cursor *next; /* of the net's list */
    uint64_t *active;            /* bit per link: it may have changed since */
    uint64_t *most; /* per link: longest queue that was taken from the port
                     * on behalf of others; NULL: never asked for */
    struct orr_rhythm rhythm;
    int64_t asked_ps, before_ps; /* when it asked which links are active: the
                                  * last time, and the one before */
};

/* Time of so many bytes on a link, rounded down. */
int64_t orr__time_of(const struct orr_net *n, uint32_t link, uint64_t bytes);
/* Bytes of the longest queue that the port knows of. */
uint64_t orr__longest(const struct orr_net *n, uint32_t link);

/* replay.c: whether looks are answered from a recording, of which links, and
 * how. */
bool orr__replay_plays(const struct orr_net *n);
bool orr__replay_has(const struct orr_net *n, uint32_t link);
bool orr__replay_sample(const struct orr_net *n, uint32_t link, int64_t t,
                        struct orr_link_sample *s);
uint64_t orr__replay_most(struct orr_net *n, struct orr_net_cursor *c,
                          uint32_t link, int64_t now);
uint32_t orr__replay_active(const struct orr_net *n, uint32_t *links);

#endif
