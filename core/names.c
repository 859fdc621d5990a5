#include "core/names.h"
#include "core/none.h"

#include <string.h>
#include <xxhash.h>

#include "core/assert.h"
#include "core/memory.h"

/* The slot that holds a text, or the free one where it would go. */
static struct orr_name *slot_of(const struct orr_names *n, const char *text)
{
    uint32_t i = (uint32_t)XXH3_64bits(text, strlen(text)) & n->mask;
    while (n->slot[i].text && strcmp(n->slot[i].text, text) != 0)
        i = (i + 1) & n->mask;
    return &n->slot[i];
}

/* Doubles the table and enters all names anew; texts stay where they are.
 * false: no memory, nothing changed. */
static bool grow_names(struct orr_names *n)
{
    struct orr_names more = {NULL, n->slot ? n->mask * 2 + 1 : 15, n->used};
    more.slot = orr__alloc(more.mask + (size_t)1, sizeof *more.slot);
    if (!more.slot)
        return false;
    for (uint32_t i = 0; n->slot && i <= n->mask; i++)
        if (n->slot[i].text)
            *slot_of(&more, n->slot[i].text) = n->slot[i];
    orr__free(n->slot);
    *n = more;
    return true;
}

bool orr__names_add(struct orr_names *n, const char *text, uint32_t number)
{
    ORR_ASSERT(number != ORR_NONE);
    ORR_ASSERT(orr__names_find(n, text) == ORR_NONE);
    if ((!n->slot || n->used >= n->mask - n->mask / 4) && !grow_names(n))
        return false;
    ORR_ASSERT(n->used < n->mask); /* so a search ends at a free slot */
    *slot_of(n, text) = (struct orr_name){text, number};
    n->used++;
    return true;
}

uint32_t orr__names_find(const struct orr_names *n, const char *text)
{
    const struct orr_name *x = n->slot ? slot_of(n, text) : NULL;
    return x && x->text ? x->number : ORR_NONE;
}

void orr__names_fini(struct orr_names *n)
{
    orr__free(n->slot);
    *n = (struct orr_names){NULL, 0, 0};
}
