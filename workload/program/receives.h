/* Receives that wait, found by the message that they wait for: those of one
 * key in the order in which they were posted. */
#ifndef ORR_WORKLOAD_PROGRAM_RECEIVES_H
#define ORR_WORKLOAD_PROGRAM_RECEIVES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/none.h"

/* One that waits, or a free place. */
struct orr_receive {
    uint64_t key;    /* of what it waits for */
    uint64_t number; /* of all that were ever posted: which */
    uint32_t op;     /* ORR_NONE: the place is free */
    uint32_t next;   /* the one after it with its key, or the next free one */
    uint32_t last;   /* of the first with a key: the last with it */
};

struct orr_receives {         /* zeroed: none */
    struct orr_receive *item; /* owned, like `first` */
    uint32_t *first;          /* open addressing: the first with a key */
    uint32_t room, count;     /* of `item`: places, and those that are taken */
    uint32_t free;            /* the first that is not, or ORR_NONE */
    uint32_t mask, keys;      /* of `first`: slots less one, a power of two less
                               * one; and keys in it */
    uint64_t number;          /* ever posted */
};

/* False: no memory, and nothing changed. */
bool orr__receives_add(struct orr_receives *p, uint64_t key, uint32_t op);
/* Takes out the first with this key, which is there: its operation. */
uint32_t orr__receives_take(struct orr_receives *p, uint64_t key);
/* The one that was posted first of all, or NULL; looks at all of them. */
const struct orr_receive *orr__receives_oldest(const struct orr_receives *p);
void orr__receives_fini(struct orr_receives *p);

#endif
