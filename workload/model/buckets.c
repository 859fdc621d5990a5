/* PyTorch's DistributedDataParallel groups gradients into buckets (Li et al.,
 * VLDB 2020). Its rules, after the first iteration: tensors in the order in
 * which their gradients become ready; a tensor is added and then the bucket is
 * closed if it has reached the limit, so buckets overshoot; the first bucket
 * has a limit of its own so that communication starts early. */
#include <string.h>

#include "core/memory.h"
#include "workload/model/train.h"

uint64_t orr__tensor_share(const struct orr_model *m, const struct orr_layer *l,
                           uint32_t i, uint32_t tensor_ranks,
                           uint32_t expert_ranks)
{
    uint64_t whole = m->tensor[l->first + i];
    if (l->experts)
        whole *= l->experts / expert_ranks;
    if (l->tensor == ORR_TENSOR_UNSPLIT)
        return whole;
    return whole / tensor_ranks + (whole % tensor_ranks > 0);
}

orr_err orr__buckets(const struct orr_model *m, uint32_t from, uint32_t to,
                     int expert, const struct orr_bucketing *how,
                     struct orr_bucket **out, uint32_t *n,
                     struct orr_report *why)
{
    uint32_t most = 0;
    for (uint32_t l = from; l < to; l++)
        most += m->layer[l].n;
    struct orr_bucket *b = orr__alloc(most + (size_t)1, sizeof *b);
    *out = b;
    *n = 0;
    if (!b)
        return orr__no_memory(why);
    for (uint32_t l = to; l-- > from;) {
        const struct orr_layer *x = &m->layer[l];
        for (uint32_t i = x->n; x->expert == expert && i-- > 0;) {
            struct orr_bucket *open = &b[*n];
            open->bytes += how->element
                           * orr__tensor_share(m, x, i, how->tensor_ranks,
                                               how->expert_ranks);
            open->highest = open->tensors ? open->highest : l;
            open->layer = l;
            open->tensors++;
            if (open->bytes >= (*n ? how->cap : how->first))
                ++*n;
        }
    }
    *n += b[*n].tensors > 0;
    return ORR_OK;
}
