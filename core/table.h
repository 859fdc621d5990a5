/* Numbers by 64-bit keys. Open addressing; nothing depends on its order. */
#ifndef ORR_CORE_TABLE_H
#define ORR_CORE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/none.h"

struct orr_table { /* zeroed: empty */
    struct orr_table_slot {
        uint64_t key;   /* of any kind: its digest decides the slot */
        uint32_t value; /* ORR_NONE: free */
    } * slot;
    uint32_t mask, used; /* slots, a power of two, less 1; of which taken */
};

/* A key that is not there yet; value: any but ORR_NONE. False: no memory,
 * and nothing changed. */
bool orr__table_add(struct orr_table *t, uint64_t key, uint32_t value);
/* ORR_NONE: it is not there. */
uint32_t orr__table_find(const struct orr_table *t, uint64_t key);
void orr__table_fini(struct orr_table *t);

#endif
