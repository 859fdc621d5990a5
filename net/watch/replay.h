/* What observers would have seen of links in stretches that are not simulated:
 * the last stretch before them is recorded at the moments of it at which
 * somebody will look, and their looks are answered from that. Where these would
 * take too much memory, what is between two of them goes on evenly. Between
 * windows. */
#ifndef ORR_NET_WATCH_REPLAY_H
#define ORR_NET_WATCH_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "net/net.h"

struct orr_replay; /* of a net; NULL: none */

/* A stretch of `period` ps begins now, and will be there again up to `*times`
 * times; of the first *times then all looks are answered exactly. */
ORR_CHECK_RESULT orr_err orr__replay_begin(struct orr_net *n, int64_t period,
                                           uint64_t *times,
                                           struct orr_report *why);
/* It has ended. */
void orr__replay_end(struct orr_net *n);
/* From now on looks are answered from it; and no longer, at `to`. */
void orr__replay_play(struct orr_net *n);
void orr__replay_over(struct orr_net *n, int64_t to);
/* Whether a link is not in it because it was first used within it. */
bool orr__replay_late(const struct orr_net *n, uint32_t link);
/* Each time that the stretch is there again a link sends the bytes that it sent
 * in it, less so many, so that they take no longer than they did: 0 or 1. */
uint64_t orr__replay_less(const struct orr_net *n, uint32_t link);
/* Of the time that a link's bytes take, what there was none for, ps: where it
 * was busy all the time, those of a stretch may take a part of a ps more than
 * that is long. 0 where a byte takes a whole number of ps. */
int64_t orr__replay_excess(const struct orr_net *n, uint32_t link);
void orr__replay_free(struct orr_net *n);

#endif
