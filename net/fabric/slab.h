/* Numbered things that any worker may make and any other may look up: an
 * index is 32 bits, a chunk never moves, and a worker that makes one takes
 * whole chunks, so that it shares no line with another. Looking up a number
 * is safe in any thread that learned of it between windows. */
#ifndef ORR_NET_FABRIC_SLAB_H
#define ORR_NET_FABRIC_SLAB_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/assert.h"
#include "core/none.h"

#define ORR_SLAB_CHUNK 256u

/* Owned by the net; chunks are freed with it and not before. */
struct orr_slab {
    char **chunk;        /* ORR_SLAB_CHUNK items of `size` bytes each */
    size_t size;         /* bytes of an item */
    uint32_t max_chunks; /* room of `chunk`, so that it never moves */
    atomic_uint chunks;  /* given out so far, by any worker */
};

/* A worker's own supply: items given back, and the rest of its chunk. */
struct orr_slab_supply {
    uint32_t *free;            /* numbers, taken again from the end */
    uint32_t n_free, cap_free; /* of `free`: how many, and room */
    uint32_t next, left; /* of the chunk: the next new number, and how many */
};

/* Room for so many at most, of which none is there yet. False: out of memory.
 */
bool orr__slab_init(struct orr_slab *s, size_t size, uint32_t max_items);
void orr__slab_fini(struct orr_slab *s);
/* A new item's number, or ORR_NONE when out of memory; what is in it is
 * left over from before. */
static inline uint32_t orr__slab_take(struct orr_slab *s,
                                      struct orr_slab_supply *mine);
/* The same, zeroed. */
uint32_t orr__slab_new(struct orr_slab *s, struct orr_slab_supply *mine);
/* One that was never taken. */
uint32_t orr__slab_take_unused(struct orr_slab *s,
                               struct orr_slab_supply *mine);
/* A slab that is numbered by another one (`new` was called on that): makes
 * sure that this item's chunk exists. Chunks of one number are asked for by
 * one worker only. False when out of memory. */
bool orr__slab_reach(struct orr_slab *s, uint32_t item);
/* Gives an item to this worker's supply, whoever made it; its memory stays
 * where it is, and nobody looks it up any more. */
static inline void orr__slab_release(struct orr_slab_supply *mine,
                                     uint32_t item);
/* The same where their list is full. */
void orr__slab_release_more(struct orr_slab_supply *mine, uint32_t item);
void orr__slab_supply_fini(struct orr_slab_supply *mine);

static inline uint32_t orr__slab_take(struct orr_slab *s,
                                      struct orr_slab_supply *mine)
{
    if (mine->n_free)
        return mine->free[--mine->n_free];
    return orr__slab_take_unused(s, mine);
}

static inline void orr__slab_release(struct orr_slab_supply *mine,
                                     uint32_t item)
{
    ORR_ASSERT(item != ORR_NONE);
    if (mine->n_free < mine->cap_free)
        mine->free[mine->n_free++] = item;
    else
        orr__slab_release_more(mine, item);
}

/* The item of this number. Its address is good until orr__slab_fini. */
static inline void *orr__slab_get(const struct orr_slab *s, uint32_t item)
{
    ORR_ASSERT(item / ORR_SLAB_CHUNK < s->max_chunks);
    return s->chunk[item / ORR_SLAB_CHUNK]
           + (size_t)(item % ORR_SLAB_CHUNK) * s->size;
}

/* The same where the size of an item is known. */
#define ORR_SLAB_AT(s, type, item)                                             \
    (&((type *)(void *)(s)                                                     \
           ->chunk[(item) / ORR_SLAB_CHUNK])[(item) % ORR_SLAB_CHUNK])

/* Numbers given out so far are below this (some of them never used). */
static inline uint32_t orr__slab_bound(const struct orr_slab *s)
{
    return atomic_load(&s->chunks) * ORR_SLAB_CHUNK;
}

#endif
