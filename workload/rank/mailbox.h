/* A mailbox counts messages by key: those that came before anyone waited for
 * them (above 0) and those that are still waited for (below 0). A key at 0
 * takes no room, so a rank's mailbox is as large as what it is at now. Open
 * addressing with linear probing; nothing ever depends on its order. */
#ifndef ORR_WORKLOAD_RANK_MAILBOX_H
#define ORR_WORKLOAD_RANK_MAILBOX_H

#include <stdbool.h>
#include <stdint.h>

#include "core/memory.h"

struct orr_mail {
    uint64_t tag;
    uint32_t arg;
    int32_t count; /* 0: the slot is free */
};

struct orr_mailbox {
    struct orr_mail *slot;
    uint32_t mask; /* slots - 1; slots are a power of two */
    uint32_t used;
};

static inline uint32_t orr__mail_hash(uint64_t tag, uint32_t arg)
{
    uint64_t h = (tag ^ (uint64_t)arg << 32) * UINT64_C(0x9e3779b97f4a7c15);
    h ^= h >> 29;
    return (uint32_t)(h * UINT64_C(0xbf58476d1ce4e5b9) >> 32);
}

/* The slot that holds a key, or the free one where it would go. */
static inline uint32_t orr__mail_find(const struct orr_mailbox *m,
                                      uint32_t arg, uint64_t tag)
{
    uint32_t i = orr__mail_hash(tag, arg) & m->mask;
    while (m->slot[i].count &&
           (m->slot[i].tag != tag || m->slot[i].arg != arg))
        i = (i + 1) & m->mask;
    return i;
}

static inline bool orr__mailbox_grow(struct orr_mailbox *m)
{
    struct orr_mailbox n = {NULL, m->slot ? m->mask * 2 + 1 : 7, m->used};
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

/* Frees slot i and moves back what had to go around it. */
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

/* Adds `by` (not 0) to a key's count; *count is what it is now. False: no
 * memory, and nothing changed. */
static inline bool orr__mailbox_add(struct orr_mailbox *m, uint32_t arg,
                                    uint64_t tag, int32_t by, int32_t *count)
{
    if ((!m->slot || m->used >= m->mask - m->mask / 4) &&
        !orr__mailbox_grow(m))
        return false;
    uint32_t i = orr__mail_find(m, arg, tag);
    struct orr_mail *x = &m->slot[i];
    m->used += x->count == 0;
    x->tag = tag;
    x->arg = arg;
    x->count += by;
    *count = x->count;
    if (x->count == 0)
        orr__mail_remove(m, i);
    return true;
}

#endif
