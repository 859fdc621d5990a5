#include "net/fabric/slab.h"
#include "core/none.h"

#include <string.h>

#include "core/array.h"
#include "core/assert.h"
#include "core/memory.h"

bool orr__slab_init(struct orr_slab *s, size_t size, uint32_t max_items)
{
    s->size = size;
    s->max_chunks = max_items / ORR_SLAB_CHUNK;
    atomic_init(&s->chunks, 0);
    s->chunk = orr__alloc(s->max_chunks, sizeof *s->chunk);
    return s->chunk != NULL;
}

void orr__slab_fini(struct orr_slab *s)
{
    if (!s->chunk)
        return;
    for (uint32_t i = 0; i < atomic_load(&s->chunks); i++)
        orr__free(s->chunk[i]);
    orr__free(s->chunk);
    s->chunk = NULL;
}

/* A chunk of the supply's own, from the shared counter. false: no memory, or
 * max_chunks are in use; nothing changed. */
static bool take_chunk(struct orr_slab *s, struct orr_slab_supply *mine)
{
    char *memory = orr__alloc_lines(ORR_SLAB_CHUNK, s->size);
    unsigned i;

    if (!memory)
        return false;
    i = atomic_fetch_add(&s->chunks, 1);
    if (i >= s->max_chunks) {
        atomic_fetch_sub(&s->chunks, 1);
        orr__free(memory);
        return false;
    }
    s->chunk[i] = memory;
    mine->next = i * ORR_SLAB_CHUNK;
    mine->left = ORR_SLAB_CHUNK;
    return true;
}

bool orr__slab_reach(struct orr_slab *s, uint32_t item)
{
    uint32_t i = item / ORR_SLAB_CHUNK;
    ORR_ASSERT(i < s->max_chunks);
    unsigned seen = atomic_load(&s->chunks);

    if (s->chunk[i])
        return true;
    s->chunk[i] = orr__alloc_lines(ORR_SLAB_CHUNK, s->size);
    if (!s->chunk[i])
        return false;
    while (seen < i + 1
           && !atomic_compare_exchange_weak(&s->chunks, &seen, i + 1))
        continue;
    return true;
}

uint32_t orr__slab_take_unused(struct orr_slab *s, struct orr_slab_supply *mine)
{
    ORR_ASSERT(mine->n_free == 0); /* those come first */
    if (mine->left == 0 && !take_chunk(s, mine))
        return ORR_NONE;
    mine->left--;
    return mine->next++;
}

uint32_t orr__slab_new(struct orr_slab *s, struct orr_slab_supply *mine)
{
    bool used = mine->n_free > 0;
    uint32_t item = orr__slab_take(s, mine);

    if (used)
        memset(orr__slab_get(s, item), 0, s->size);
    return item;
}

void orr__slab_release_more(struct orr_slab_supply *mine, uint32_t item)
{
    if (!orr__array_more(mine->free, mine->cap_free, mine->n_free))
        return; /* the slab still owns it; it is only not used again */
    mine->free[mine->n_free++] = item;
}

void orr__slab_supply_fini(struct orr_slab_supply *mine)
{
    orr__free(mine->free);
    *mine = (struct orr_slab_supply){0};
}
