#include "record/record_storage.h"

static bool is_stored_alike(const struct orr_record_storage *a,
                            const struct orr_record_storage *b)
{
    return a->rank == b->rank && a->chunk[0] == b->chunk[0]
           && a->chunk[1] == b->chunk[1] && a->packed == b->packed
           && a->sums == b->sums;
}

/* Bytes of a file depend on what is written alone: no times. */
static herr_t fill_list(hid_t list, const struct orr_record_storage *s)
{
    unsigned order = H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED;
    if (H5Pset_obj_track_times(list, false) < 0
        || H5Pset_attr_creation_order(list, order) < 0
        || H5Pset_chunk(list, s->rank, s->chunk) < 0)
        return -1;
    if (!s->packed)
        return s->sums ? H5Pset_fletcher32(list) : 0;
    if (H5Pset_fill_time(list, H5D_FILL_TIME_ALLOC) < 0
        || H5Pset_shuffle(list) < 0)
        return -1;
    return H5Pset_deflate(list, 1);
}

hid_t orr__record_store(struct orr_record_storage *last,
                        const struct orr_record_storage *as)
{
    if (last->list >= 0 && is_stored_alike(last, as))
        return last->list;
    orr__record_store_fini(last);
    hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    if (list < 0)
        return -1;
    *last = *as;
    last->list = list;
    if (fill_list(list, as) >= 0)
        return list;
    last->rank = 0; /* like none; to close it now would clear the reason */
    return -1;
}

void orr__record_store_fini(struct orr_record_storage *last)
{
    if (last->list >= 0)
        H5Pclose(last->list);
    last->list = -1;
}
