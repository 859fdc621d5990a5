/* Names that were given so far, and the number that each stands for. */
#ifndef ORR_CORE_NAMES_H
#define ORR_CORE_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/none.h"

/* Zeroed: empty. Open addressing; nothing depends on its order. */
struct orr_names {
    struct orr_name {
        const char *text; /* the caller's; NULL: the slot is free */
        uint32_t number;  /* what the name stands for */
    } * slot;
    uint32_t mask, used; /* slots, a power of two, less 1; of which taken */
};

/* A text that is not there yet, and that outlives the names. False: no
 * memory, and nothing changed. */
bool orr__names_add(struct orr_names *n, const char *text, uint32_t number);
/* The number of a name, or ORR_NONE. */
uint32_t orr__names_find(const struct orr_names *n, const char *text);
void orr__names_fini(struct orr_names *n);

#endif
