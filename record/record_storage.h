/* How the datasets of a record are stored, as HDF5's lists of properties. */
#ifndef ORR_RECORD_RECORD_STORAGE_H
#define ORR_RECORD_RECORD_STORAGE_H

#include <hdf5.h>
#include <stdbool.h>

/* Pieces of these dimensions; what was not written reads as 0. sums: with check
 * sums, which HDF5 has for numbers alone; packed pieces have their own. */
struct orr_record_storage {
    hid_t list; /* -1: not made */
    int rank;   /* 1 or 2 */
    hsize_t chunk[2];
    bool packed, sums;
};

/* The list for a dataset like `as`; `last` keeps it, and owns it. Most datasets
 * are stored as the one before. Negative: HDF5 failed. */
hid_t orr__record_store(struct orr_record_storage *last,
                        const struct orr_record_storage *as);
void orr__record_store_fini(struct orr_record_storage *last);

#endif
