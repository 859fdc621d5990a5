/* Dimension scales as HDF5's own H5DS library writes them, but all that use one
 * at once: H5DSattach_scale writes the list of those anew for each, a third of
 * the time of a short record. */
#ifndef ORR_RECORD_RECORD_SCALES_H
#define ORR_RECORD_RECORD_SCALES_H

#include <hdf5.h>
#include <stddef.h>

/* A side of a dataset that a scale belongs to. */
struct orr_record_user {
    hobj_ref_t dataset;
    int side;
};

/* These all return < 0 when HDF5 failed. */
herr_t orr__record_refer(hid_t dataset, hobj_ref_t *ref);
/* Each side of a dataset has one scale. */
herr_t orr__record_set_scales(hid_t dataset, const hobj_ref_t *scale,
                              int sides);
/* What a scale belongs to: instead of what it had. */
herr_t orr__record_list_users(hid_t scale, const struct orr_record_user *all,
                              size_t n);

#endif
