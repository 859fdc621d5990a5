/* The messages that one iteration of a program sends, each with those that it
 * waits for, as far as that is known without a run: who has the network when,
 * or a core, is not. */
#ifndef ORR_WORKLOAD_PROGRAM_MESSAGES_H
#define ORR_WORKLOAD_PROGRAM_MESSAGES_H

#include "workload/program/program.h"

/* A message. It waits for others that its sender has to have received, or of
 * single messages sent: before[first .. first + n), lower numbers. */
struct orr_listed_message {
    uint32_t from, to; /* ranks; p->ranks and on: servers. to == from: to a
                        * tree of switches, or from it */
    uint32_t op;       /* of the program, that sends it */
    uint32_t chunk, lane, step; /* of a collective, else 0 */
    uint32_t first, n;
    uint64_t bytes;
};

/* In an order in which they can be sent; arrays are owned. */
struct orr_message_list {
    struct orr_listed_message *message;
    uint32_t messages, room;
    uint32_t *before, befores, before_room;
};

/* Of a finished program. ECONFIG: they are more than `most`, or wait for one
 * another in a circle. *out is to be freed however this ends. */
ORR_CHECK_RESULT orr_err orr__program_messages(const struct orr_program *p,
                                               uint32_t most,
                                               struct orr_message_list *out,
                                               struct orr_report *why);
void orr__message_list_free(struct orr_message_list *l);

#endif
