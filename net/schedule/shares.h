/* Those who share a transmitter fairly, any number of them: start-time fair
 * queueing (Goyal, Vin and Cheng, SIGCOMM'96). Each has a tag, the virtual time
 * at which its next packet begins: that of the packet in service, or where its
 * packet before ended if that is later. The least goes first; of equals who has
 * waited longest. While two of them have packets, what they send in proportion
 * to their weights never differs by more than a packet of each.
 *
 * A share has a number, which may be another's once it is forgotten. Whoever
 * owns this keeps arrays of his own by that number. */
#ifndef ORR_NET_SCHEDULE_SHARES_H
#define ORR_NET_SCHEDULE_SHARES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/none.h"
#include "core/table.h"

struct orr_snapshot; /* core/snapshot.h */

/* One of those that share; known by its index, which may be used again once it
 * has nothing. */
struct orr_share {
    uint64_t key;   /* who it is; no other has it */
    uint64_t tag;   /* 1/256 byte at a weight of 1 */
    uint64_t price; /* of a byte: 2^24 over its weight */
    uint32_t place; /* among those that wait; ORR_NONE: it does not */
    uint32_t order; /* since when */
    uint8_t class;  /* of traffic: what a pause holds up */
    bool used;      /* somebody has this number */
};

struct orr_shares {          /* zeroed: empty, without room */
    struct orr_share *share; /* by number, some unused; owned, like `heap` */
    uint32_t *heap;          /* of those that wait */
    uint32_t room, used, waiting; /* of `share`; of `heap` */
    uint32_t order;               /* entered in the heap so far; goes round */
    uint64_t clock;               /* virtual time; never goes back */
    struct orr_table by_key;      /* numbers of those that are used */
};

/* What orr_share.price is for a weight from 0.001 to 1000. */
uint64_t orr__share_price(double weight);

/* ORR_NONE: there is none. */
static inline uint32_t orr__shares_find(const struct orr_shares *s,
                                        uint64_t key)
{
    return orr__table_find(&s->by_key, key);
}

/* A key that is not there yet. ORR_NONE: no room; or, with room, no
 * memory. */
uint32_t orr__shares_add(struct orr_shares *s, uint64_t key, uint64_t price,
                         uint8_t class);
/* Makes room for more, for so many. False: no memory, nothing changed. */
uint32_t orr__shares_more(const struct orr_shares *s);
bool orr__shares_grow(struct orr_shares *s);
/* Forgets all but `keep` of those that do not wait and have no debts. Returns
 * how many are left; ORR_NONE: no memory, nothing changed. */
uint32_t orr__shares_forget(struct orr_shares *s, uint32_t keep);
void orr__shares_fini(struct orr_shares *s);

/* It has something to send from now on; it has nothing. */
void orr__shares_wake(struct orr_shares *s, uint32_t i);
void orr__shares_sleep(struct orr_shares *s, uint32_t i);
/* Who goes first of those in these classes, a bit for each; ORR_NONE:
 * nobody waits. */
uint32_t orr__shares_first(const struct orr_shares *s, uint32_t classes);
/* It waits, or has just ceased to, and sends so many bytes now. */
void orr__shares_charge(struct orr_shares *s, uint32_t i, uint32_t bytes);
/* Shows what of a share decides the future (core/snapshot.h), not by its
 * number. False: it is not there, or could be forgotten. */
bool orr__share_snapshot(const struct orr_shares *s, uint32_t i,
                         struct orr_snapshot *w);
/* This class may be sent again: nobody in it has a claim on what it missed. */
void orr__shares_resume(struct orr_shares *s, uint32_t class);

#endif
