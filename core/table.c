#include "core/table.h"
#include "core/none.h"

#include <xxhash.h>

#include "core/assert.h"
#include "core/memory.h"

/* The slot that holds a key, or the free one where it would go. */
static struct orr_table_slot *slot_of(const struct orr_table *t, uint64_t key)
{
    uint32_t i = (uint32_t)XXH3_64bits(&key, sizeof key) & t->mask;
    while (t->slot[i].value != ORR_NONE && t->slot[i].key != key)
        i = (i + 1) & t->mask;
    return &t->slot[i];
}

/* Doubles the table, a power of two of slots, and enters all keys anew. false:
 * no memory, nothing changed. */
static bool grow_table(struct orr_table *t)
{
    struct orr_table more = {NULL, t->slot ? t->mask * 2 + 1 : 7, t->used};
    more.slot = orr__alloc(more.mask + (size_t)1, sizeof *more.slot);
    if (!more.slot)
        return false;
    for (uint32_t i = 0; i <= more.mask; i++)
        more.slot[i].value = ORR_NONE;
    for (uint32_t i = 0; t->slot && i <= t->mask; i++)
        if (t->slot[i].value != ORR_NONE)
            *slot_of(&more, t->slot[i].key) = t->slot[i];
    ORR_ASSERT((more.mask & (more.mask + 1)) == 0); /* a power of two, less 1 */
    orr__free(t->slot);
    *t = more;
    return true;
}

bool orr__table_add(struct orr_table *t, uint64_t key, uint32_t value)
{
    ORR_ASSERT(value != ORR_NONE);
    ORR_ASSERT(orr__table_find(t, key) == ORR_NONE);
    if ((!t->slot || t->used >= t->mask - t->mask / 4) && !grow_table(t))
        return false;
    ORR_ASSERT(t->used < t->mask); /* so a search ends at a free slot */
    *slot_of(t, key) = (struct orr_table_slot){key, value};
    t->used++;
    return true;
}

uint32_t orr__table_find(const struct orr_table *t, uint64_t key)
{
    return t->slot ? slot_of(t, key)->value : ORR_NONE;
}

void orr__table_fini(struct orr_table *t)
{
    orr__free(t->slot);
    *t = (struct orr_table){NULL, 0, 0};
}
