/* What of messages has gone over each link by now, where nothing waits and a
 * message takes its whole path at once (`transport: analytical`, `contention:
 * none`). It comes to a link when the delays before it are over, and goes over
 * it evenly, as fast as the slowest link so far lets it; any number go over one
 * link together.
 *
 * A link knows sums, and the beginnings and ends that are still to come: the
 * work for each is done when time has passed it. Sums are of whole numbers and
 * do not depend on the order in which workers tell of messages. */
#ifndef ORR_NET_PORT_PASSAGE_H
#define ORR_NET_PORT_PASSAGE_H

#include <stdbool.h>
#include <stdint.h>

struct orr_net;
struct orr_passages; /* of all links */

/* NULL: no memory. */
struct orr_passages *orr__passages_new(uint32_t links);
void orr__passages_free(struct orr_passages *p, uint32_t links);
/* `bytes` go over a link from `from` to `until`, neither before now. By any
 * worker. False: no memory. */
bool orr__passages_add(struct orr_passages *p, uint32_t link, int64_t now,
                       int64_t from, int64_t until, uint64_t bytes);
/* What has gone over a link by t, which no worker's time is before, nor what is
 * told of later. */
struct orr_passed {
    uint64_t bytes;
    uint64_t coming; /* messages that have not come to it */
    bool busy;       /* some go over it, or will */
};
struct orr_passed orr__passages_by(struct orr_passages *p, uint32_t link,
                                   int64_t t);

#endif
