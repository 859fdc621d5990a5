#include "record/record_scales.h"

#include <hdf5_hl.h>

herr_t orr__record_refer(hid_t dataset, hobj_ref_t *ref)
{
    return H5Rcreate(ref, dataset, ".", H5R_OBJECT, -1);
}

/* An attribute of n elements; the type and what it takes are closed. */
static herr_t write_attribute(hid_t object, const char *name, hid_t type,
                              size_t n, const void *values)
{
    hsize_t size = n;
    hid_t space = H5Screate_simple(1, &size, NULL), id = -1;
    herr_t result = -1;
    if (type >= 0 && space >= 0)
        id = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    if (id >= 0) {
        result = H5Awrite(id, type, values);
        H5Aclose(id);
    }
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    return result;
}

herr_t orr__record_set_scales(hid_t dataset, const hobj_ref_t *scale, int sides)
{
    hvl_t list[H5S_MAX_RANK];
    for (int i = 0; i < sides; i++)
        list[i] = (hvl_t){.len = 1, .p = (void *)&scale[i]};
    return write_attribute(dataset, DIMENSION_LIST,
                           H5Tvlen_create(H5T_STD_REF_OBJ), (size_t)sides,
                           list);
}

/* As the library has it, field by field. */
static hid_t list_type(void)
{
    hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(struct orr_record_user));
    if (type < 0)
        return -1;
    if (H5Tinsert(type, "dataset", HOFFSET(struct orr_record_user, dataset),
                  H5T_STD_REF_OBJ)
            >= 0
        && H5Tinsert(type, "dimension", HOFFSET(struct orr_record_user, side),
                     H5T_NATIVE_INT)
               >= 0)
        return type;
    H5Tclose(type);
    return -1;
}

herr_t orr__record_list_users(hid_t scale, const struct orr_record_user *all,
                              size_t n)
{
    htri_t there = H5Aexists(scale, REFERENCE_LIST);
    if (there < 0 || (there > 0 && H5Adelete(scale, REFERENCE_LIST) < 0))
        return -1;
    return write_attribute(scale, REFERENCE_LIST, list_type(), n, all);
}
