#include "formats/astra/chain.h"

#include "core/assert.h"
#include "core/none.h"
#include "core/units.h"

orr_err orr__chain_add(struct orr_program *p, const struct orr_op *op,
                       uint32_t after, uint32_t *id, struct orr_report *why)
{
    ORR_ASSERT(after == ORR_NONE || after < p->ops);
    orr_err err = orr__program_add(p, op, id, why);
    if (!err && after != ORR_NONE)
        err = orr__program_depend(p, after, *id, why);
    return err;
}

orr_err orr__chain_compute(struct orr_program *p, double ns, uint32_t stream,
                           uint32_t after, uint32_t *id, struct orr_report *why)
{
    const struct orr_op op = {
        .kind = ORR_OP_COMPUTE,
        .stream = (uint16_t)stream,
        .who = ORR_EVERYONE,
        .index = ORR_NONE,
        .time_ps = (int64_t)(ns * ORR_NS),
    };
    return orr__chain_add(p, &op, after, id, why);
}
