#include "topo/hop_sets.h"

#include <inttypes.h>
#include <string.h>
#include <xxhash.h>

#include "core/array.h"
#include "core/assert.h"
#include "core/memory.h"
#include "topo/next_hops.h"

void orr__hop_sets_fini(struct orr_hop_sets *s)
{
    orr__free(s->list);
    orr__table_fini(&s->entry);
    *s = (struct orr_hop_sets){0};
}

bool orr__hop_sets_match(const struct orr_hop_sets *s, uint32_t entry,
                         const uint32_t *set, uint32_t n)
{
    return orr__entry_links(s->list, entry) == n
           && memcmp(s->list + orr__entry_first(entry), set, n * sizeof *set)
                  == 0;
}

/* *entry as orr__entry_make has it. ORR_ECONFIG beyond what an entry can
 * hold. */
static orr_err append_set(struct orr_hop_sets *s, uint32_t node,
                          const uint32_t *set, uint32_t n, uint32_t *entry,
                          struct orr_report *why)
{
    ORR_ASSERT(n > 0);
    if (n > ORR_MOST_NEXT_HOPS)
        return orr__fail(why, ORR_ECONFIG,
                         "node %" PRIu32 " has %" PRIu32
                         " equally good next hops; the limit is %d",
                         node, n, ORR_MOST_NEXT_HOPS);
    if (s->length + n + 1 >= UINT32_C(1) << ORR_NEXT_HOP_BITS)
        return orr__fail(why, ORR_ECONFIG,
                         "node %" PRIu32 " has more than 2^%d different next "
                         "hops",
                         node, ORR_NEXT_HOP_BITS);
    if (!orr__array_room(s->list, s->room, s->length + n + 1))
        return orr__no_memory(why);
    s->wide |= n > ORR_COUNTED;
    *entry = orr__hop_sets_append(s->list, &s->length, set, n);
    return ORR_OK;
}

uint32_t orr__hop_sets_append(uint32_t *list, uint32_t *length,
                              const uint32_t *set, uint32_t n)
{
    uint32_t first = *length + (n > ORR_COUNTED);
    if (n > ORR_COUNTED)
        list[*length] = n;
    memcpy(list + first, set, n * sizeof *set);
    *length = first + n;
    return orr__entry_make(first, n > ORR_COUNTED ? 0 : n);
}

orr_err orr__hop_sets_add(struct orr_hop_sets *s, uint32_t node,
                          const uint32_t *set, uint32_t n, uint32_t *entry,
                          struct orr_report *why)
{
    uint64_t key = XXH3_64bits(set, n * sizeof *set);
    for (; (*entry = orr__table_find(&s->entry, key)) != ORR_NONE; key++)
        if (orr__hop_sets_match(s, *entry, set, n))
            return ORR_OK;
    orr_err err = append_set(s, node, set, n, entry, why);
    if (!err && !orr__table_add(&s->entry, key, *entry))
        err = orr__no_memory(why);
    return err;
}

int orr__nvlink_tier(const struct orr_graph *g)
{
    for (int i = 0; g->tier_names && g->tier_names[i]; i++)
        if (strcmp(g->tier_names[i], "nvlink") == 0)
            return i;
    return -1;
}

uint32_t orr__prefer_tier(const struct orr_graph *g, int tier, uint32_t *set,
                          uint32_t n)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++)
        if (g->tier[set[i]] == tier) {
            uint32_t link = set[kept];
            set[kept++] = set[i];
            set[i] = link;
        }
    return kept ? kept : n;
}
