#include "cluster/demand_store.h"
#include "core/none.h"

#include <xxhash.h>

#include "core/array.h"
#include "core/assert.h"
#include "core/memory.h"

uint64_t orr__demand_store_key(uint32_t template, const uint32_t *gpu,
                               uint32_t gpus)
{
    return XXH3_64bits_withSeed(gpu, gpus * sizeof *gpu,
                                (uint64_t) template << 32 | gpus);
}

struct orr_demand_item *orr__demand_store_find(const struct orr_demand_store *s,
                                               uint64_t key)
{
    uint32_t at = orr__table_find(&s->by_key, key);
    ORR_ASSERT(at == ORR_NONE || (at < s->n && s->item[at]->key == key));
    return at == ORR_NONE ? NULL : s->item[at];
}

/* Forgets what is unused, and names anew what stays. */
static bool sweep_unused(struct orr_demand_store *s)
{
    uint32_t n = 0;
    orr__table_fini(&s->by_key);
    for (uint32_t i = 0; i < s->n; i++) {
        struct orr_demand_item *x = s->item[i];
        if (x->users) {
            s->item[n++] = x;
            continue;
        }
        orr__facts_fini(&x->facts);
        orr__free(x);
    }
    s->n = n;
    for (uint32_t i = 0; i < n; i++)
        if (!orr__table_add(&s->by_key, s->item[i]->key, i))
            return false;
    return true;
}

static bool make_room(struct orr_demand_store *s)
{
    if (s->n >= ORR_STORE_PLACES && !sweep_unused(s))
        return false;
    return orr__array_more(s->item, s->room, s->n);
}

orr_err orr__demand_store_add(struct orr_demand_store *s, uint64_t key,
                              struct orr_facts *facts,
                              struct orr_demand_item **out,
                              struct orr_report *why)
{
    struct orr_demand_item *x = orr__alloc(1, sizeof *x);
    ORR_ASSERT(!orr__demand_store_find(s, key));
    if (x && make_room(s) && orr__table_add(&s->by_key, key, s->n)) {
        *x = (struct orr_demand_item){.key = key, .facts = *facts};
        *facts = (struct orr_facts){.unknown = false};
        *out = s->item[s->n++] = x;
        return ORR_OK;
    }
    orr__facts_fini(facts);
    orr__free(x);
    return orr__no_memory(why);
}

void orr__demand_store_fini(struct orr_demand_store *s)
{
    for (uint32_t i = 0; i < s->n; i++) {
        orr__facts_fini(&s->item[i]->facts);
        orr__free(s->item[i]);
    }
    orr__free(s->item);
    orr__table_fini(&s->by_key);
    *s = (struct orr_demand_store){.n = 0};
}
