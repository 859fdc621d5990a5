/* Tiles as HDF5's filters would leave them: bytes of one place side by side
 * (shuffle), then deflated. */
#ifndef ORR_RECORD_PACK_H
#define ORR_RECORD_PACK_H

#include <stdbool.h>
#include <stddef.h>

struct orr_packer;

/* NULL: no memory. */
struct orr_packer *orr__packer_new(void);
void orr__packer_free(struct orr_packer *p);
/* `values` are n bytes, of elements of so many bytes; n / element is whole, and
 * n is below 2^31. What comes of them is the packer's, until it is called
 * again: *packed bytes, or none if they are no fewer than n. NULL: no
 * memory. */
const void *orr__pack_values(struct orr_packer *p, const void *values, size_t n,
                             size_t element, size_t *packed);

#endif
