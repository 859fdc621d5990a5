/* A mailbox counts messages by key: those that came before anyone waited for
 * them (above 0) and those that are still waited for (below 0). A key at 0
 * takes no room, so a rank's mailbox is as large as what it is at now. The
 * first few keys are in the mailbox itself, which is a cache line; the others
 * in a table, open addressing with linear probing. Nothing ever depends on
 * which are where. */
#ifndef ORR_WORKLOAD_RANK_MAILBOX_H
#define ORR_WORKLOAD_RANK_MAILBOX_H

#include <stdbool.h>
#include <stdint.h>

#include "core/memory.h"

/* A slot. */
struct orr_mail {
    uint64_t tag; /* with arg: the key */
    uint32_t arg;
    int32_t count; /* 0: the slot is free */
};

#define ORR_MAIL_NEAR 2
struct orr_mailbox {       /* zeroed: empty */
    struct orr_mail *slot; /* of the table, or NULL */
    uint32_t mask;         /* slots - 1; slots are a power of two */
    uint32_t used;         /* keys, wherever they are */
    struct orr_mail near[ORR_MAIL_NEAR]; /* where keys go first */
};
_Static_assert(sizeof(struct orr_mailbox) == 48,
               "beside two counters in a cache line");

/* All that there is, and free ones among it: i from 0 to _places - 1. */
static inline uint32_t orr__mail_places(const struct orr_mailbox *m)
{
    return ORR_MAIL_NEAR + (m->slot ? m->mask + 1 : 0);
}
static inline const struct orr_mail *orr__mail_at(const struct orr_mailbox *m,
                                                  uint32_t i)
{
    return i < ORR_MAIL_NEAR ? &m->near[i] : &m->slot[i - ORR_MAIL_NEAR];
}

/* The slot of a key that is not among the near ones, before the mask. */
static inline uint32_t orr__mail_hash(uint64_t tag, uint32_t arg)
{
    uint64_t h = (tag ^ (uint64_t)arg << 32) * UINT64_C(0x9e3779b97f4a7c15);
    h ^= h >> 29;
    return (uint32_t)(h * UINT64_C(0xbf58476d1ce4e5b9) >> 32);
}

/* The slot of the table that holds a key, or the free one where it would
 * go. */
static inline uint32_t orr__mail_find(const struct orr_mailbox *m, uint32_t arg,
                                      uint64_t tag)
{
    uint32_t i = orr__mail_hash(tag, arg) & m->mask;
    while (m->slot[i].count && (m->slot[i].tag != tag || m->slot[i].arg != arg))
        i = (i + 1) & m->mask;
    return i;
}

/* Twice the slots, or the first. False: no memory, nothing changed. */
static inline bool orr__mailbox_grow(struct orr_mailbox *m)
{
    struct orr_mailbox n = *m;
    n.mask = m->slot ? m->mask * 2 + 1 : 7;
    n.slot = orr__alloc(n.mask + (size_t)1, sizeof *n.slot);
    if (!n.slot)
        return false;
    for (uint32_t i = 0; m->slot && i <= m->mask; i++)
        if (m->slot[i].count)
            n.slot[orr__mail_find(&n, m->slot[i].arg, m->slot[i].tag)] =
                m->slot[i];
    orr__free(m->slot);
    *m = n;
    return true;
}

/* Frees slot i of the table and moves back what had to go around it. */
static inline void orr__mail_remove(struct orr_mailbox *m, uint32_t i)
{
    for (uint32_t j = (i + 1) & m->mask; m->slot[j].count;
         j = (j + 1) & m->mask) {
        uint32_t home =
            orr__mail_hash(m->slot[j].tag, m->slot[j].arg) & m->mask;
        if (((j - home) & m->mask) >= ((j - i) & m->mask)) {
            m->slot[i] = m->slot[j];
            i = j;
        }
    }
    m->slot[i].count = 0;
    m->used--;
}

/* Where a key goes that is nowhere yet; near: how many of those places are
 * taken. NULL: no memory. */
static inline struct orr_mail *orr__mail_new(struct orr_mailbox *m,
                                             uint32_t near, uint32_t arg,
                                             uint64_t tag)
{
    struct orr_mail *x = m->near;
    if (near < ORR_MAIL_NEAR) {
        while (x->count)
            x++;
        return x;
    }
    if ((!m->slot || m->used - near >= m->mask - m->mask / 4)
        && !orr__mailbox_grow(m))
        return NULL;
    return &m->slot[orr__mail_find(m, arg, tag)];
}

/* The same as below for a key that is not among the near ones, of which so many
 * are taken. */
static __attribute__((noinline, unused)) bool orr__mailbox_add_far(
    struct orr_mailbox *m, uint32_t near, uint32_t arg, uint64_t tag,
    int32_t by, int32_t *count)
{
    if (m->used > near) {
        uint32_t i = orr__mail_find(m, arg, tag);
        if (m->slot[i].count) {
            *count = m->slot[i].count += by;
            if (*count == 0)
                orr__mail_remove(m, i);
            return true;
        }
    }
    struct orr_mail *new = orr__mail_new(m, near, arg, tag);
    if (!new)
        return false;
    *new = (struct orr_mail){tag, arg, by};
    *count = by;
    m->used++;
    return true;
}

/* Adds `by` (not 0) to a key's count; *count is what it is now. False: no
 * memory, and nothing changed. */
static inline __attribute__((always_inline)) bool orr__mailbox_add(
    struct orr_mailbox *m, uint32_t arg, uint64_t tag, int32_t by,
    int32_t *count)
{
    uint32_t near = 0;
    if (m->used == 0) {
        m->near[0] = (struct orr_mail){tag, arg, by};
        m->used = 1;
        *count = by;
        return true;
    }
    for (uint32_t i = 0; i < ORR_MAIL_NEAR; i++) {
        struct orr_mail *x = &m->near[i];
        near += x->count != 0;
        if (x->count && x->tag == tag && x->arg == arg) {
            x->count += by;
            m->used -= x->count == 0;
            *count = x->count;
            return true;
        }
    }
    return orr__mailbox_add_far(m, near, arg, tag, by, count);
}

/* Takes a key out, whatever its count; whether there was one. */
static inline bool orr__mailbox_take(struct orr_mailbox *m, uint32_t arg,
                                     uint64_t tag)
{
    for (struct orr_mail *x = m->near; x < m->near + ORR_MAIL_NEAR; x++)
        if (x->count && x->tag == tag && x->arg == arg) {
            x->count = 0;
            m->used--;
            return true;
        }
    uint32_t i = m->slot ? orr__mail_find(m, arg, tag) : 0;
    if (!m->slot || !m->slot[i].count)
        return false;
    orr__mail_remove(m, i);
    return true;
}

#endif
