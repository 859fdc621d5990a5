/* The packet memory of a switch that its ports share. */
#ifndef ORR_NET_PORT_BUFFER_H
#define ORR_NET_PORT_BUFFER_H

#include "net/fabric/fabric.h"

/* One per switch, used by its process alone; sizes are bytes. */
struct orr_memory {
    uint64_t size; /* bytes that may be shared; 0: nothing is */
    uint64_t used; /* of these */
    double alpha;  /* of what is free one queue may have so much */
    /* A queue that had all that is used would be below its threshold if that
     * is no more than `calm`: then it does not matter who has it, and a switch
     * may leave what has left it among what is used, until it has to know.
     * alert: it does matter, and departures are dealt with in order. */
    uint64_t calm;
    bool alert;
};

/* Of so many bytes that may be shared. */
uint64_t orr__buffer_calm(uint64_t size, double alpha);

/* Dynamic thresholds (Choudhury and Hahne, 1998): a queue that holds `queue`
 * bytes may not grow beyond alpha times what is free. Takes the room if there
 * is enough. */
static inline bool orr__buffer_admit(struct orr_memory *m, uint64_t queue,
                                     uint32_t bytes)
{
    uint64_t available = m->size - m->used;

    if (bytes > available
        || (double)(queue + bytes) > m->alpha * (double)available)
        return false;
    m->used += bytes;
    return true;
}

/* Gives every switch its memory, if they share any. */
ORR_CHECK_RESULT orr_err orr__buffer_new(struct orr_net *n,
                                         struct orr_report *why);

#endif
