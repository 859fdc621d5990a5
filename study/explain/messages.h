/* What the messages of a path were spent on: the second pass. The run is the
 * same, so the messages are known by their number; of each one, while it is
 * under way, the packets of its connection are followed.
 *
 * Up to its first transmission, a packet's time is its sender's: what kept the
 * connection from sending, and the packets that it sent before. Then, to its
 * last transmission, it is recovery; then that of the ports and links on its
 * way. A message is there with the packet that closed the last gap. */
#ifndef ORR_STUDY_EXPLAIN_MESSAGES_H
#define ORR_STUDY_EXPLAIN_MESSAGES_H

#include "study/explain/chain.h"

struct orr_messages_pass;
/* Whose messages, and which: legs in order of time, of which those of messages
 * get their line. A flow's is one leg, its serial the flow's number. */
struct orr_messages_request {
    uint32_t owner;      /* a job, or ORR_OWNER_IS_FLOWS */
    struct orr_leg *leg; /* the caller's */
    uint32_t n;
};
ORR_CHECK_RESULT orr_err orr__messages_new(
    struct orr_world *w, const struct orr_messages_request *at, uint32_t n,
    struct orr_messages_pass **out, struct orr_report *why);
/* Jobs and flows have begun, and nothing has run. The run halts once all has
 * been seen. */
void orr__messages_begin(struct orr_messages_pass *l);
/* Whether all of them were seen, and ended when they had before. */
bool orr__messages_done(const struct orr_messages_pass *l);
void orr__messages_free(struct orr_messages_pass *l);

#endif
