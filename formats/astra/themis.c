#include "formats/astra/themis.h"

#include <math.h>

#define MIB 1048576.0

void orr__themis_reset(struct orr_themis *t)
{
    for (uint32_t i = 0; i < t->n; i++)
        t->load[i] = (struct orr_themis_load){i, 0};
}

static bool takes_part(const struct orr_themis *t, uint32_t involved,
                       uint32_t dim)
{
    return t->size[dim] > 1 && involved >> dim & 1;
}

/* What an NPU sends of a byte there: a gathering one passes on all blocks but
 * its own, a scattering one keeps a share. */
static double share_of_dim(const struct orr_themis *t, bool gathers,
                           uint32_t dim)
{
    double n = t->size[dim];
    return gathers ? n - 1 : (n - 1) / n;
}

/* Adds a chunk to the load of entry i, which stands for `dim`; what is left of
 * the chunk behind that dimension. */
static uint64_t charge(struct orr_themis *t, bool gathers, uint32_t i,
                       uint32_t dim, uint64_t bytes)
{
    t->load[i].time +=
        (double)bytes / MIB * share_of_dim(t, gathers, dim) / t->rate[dim];
    return gathers ? bytes * t->size[dim] : bytes / t->size[dim];
}

/* Lightest first, or heaviest first; equal ones keep their order before they
 * are turned round. */
static void sort_dims(struct orr_themis *t, bool gathers)
{
    for (uint32_t i = 1; i < t->n; i++) {
        struct orr_themis_load x = t->load[i];
        uint32_t at = i;
        for (; at && x.time < t->load[at - 1].time; at--)
            t->load[at] = t->load[at - 1];
        t->load[at] = x;
    }
    for (uint32_t i = 0; gathers && i < t->n / 2; i++) {
        struct orr_themis_load x = t->load[i];
        t->load[i] = t->load[t->n - 1 - i];
        t->load[t->n - 1 - i] = x;
    }
}

/* The chunk that would even out the load of entry `first` with the heaviest
 * when it goes there first; of a gathering one, which is largest in its last
 * dimension, what it begins with. */
static uint64_t evening(const struct orr_themis *t, bool gathers,
                        uint32_t first, uint32_t involved)
{
    uint32_t last = t->n - 1;
    while (gathers && last > first
           && !takes_part(t, involved, t->load[last].dim))
        last--;
    uint32_t dim = t->load[gathers ? last : first].dim;
    double gap = fabs(t->load[last].time - t->load[first].time);
    double bytes = gap * t->rate[dim] / share_of_dim(t, gathers, dim) * MIB;
    uint64_t even = bytes < 9e18 ? (uint64_t)bytes : UINT64_MAX;
    for (uint32_t i = last; gathers && i-- > first;)
        if (takes_part(t, involved, t->load[i].dim))
            even /= t->size[t->load[i].dim];
    return even;
}

/* Loads are even: the plain order. Of a gathering chunk ASTRA-sim adds the
 * loads in the order of the dimensions, to entries that it has turned round;
 * so that its plans come out here, it is done as there. */
static void order_plainly(struct orr_themis *t, bool gathers, uint64_t bytes,
                          uint32_t involved, uint32_t *order)
{
    struct orr_themis_load in_order[ORR_ASTRA_DIMS];
    for (uint32_t i = 0; i < t->n; i++)
        in_order[t->load[i].dim] = t->load[i];
    for (uint32_t i = 0; i < t->n; i++) {
        t->load[i] = in_order[gathers ? t->n - 1 - i : i];
        order[i] = i;
    }
    for (uint32_t i = 0; i < t->n; i++)
        if (takes_part(t, involved, i))
            bytes = charge(t, gathers, i, i, bytes);
}

uint64_t orr__themis_plan(struct orr_themis *t, bool gathers, uint64_t left,
                          uint64_t chunk, uint32_t involved, uint32_t *order)
{
    uint64_t size = left < chunk ? left : chunk;
    uint32_t first = 0;
    sort_dims(t, gathers);
    while (first + 1 < t->n && !takes_part(t, involved, t->load[first].dim))
        first++;
    uint64_t even = evening(t, gathers, first, involved);
    if (even < (t->flexible ? chunk : chunk / t->gap)) {
        order_plainly(t, gathers, t->flexible ? size : chunk, involved, order);
        return size;
    }
    if (t->flexible)
        size = left < even ? left : even;
    uint64_t bytes = t->flexible ? even : chunk;
    for (uint32_t i = 0; i < t->n; i++) {
        order[i] = t->load[i].dim;
        if (takes_part(t, involved, order[i]))
            bytes = charge(t, gathers, i, order[i], bytes);
    }
    return size;
}
