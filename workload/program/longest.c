#include "workload/program/longest.h"

#include "core/assert.h"
#include "core/memory.h"
#include "core/units.h"

/* Per operation of the part: the longest chain of those before it. */
struct before {
    int64_t ps;
    uint64_t operations;
    uint64_t last; /* the number of the last one; operations 0: there is none */
    uint32_t waits; /* for so many that were not gone through yet */
};

static uint64_t number_of(const struct orr_program *p, uint32_t op)
{
    return p->label && p->label[op] != ORR_NO_LABEL ? p->label[op] : op;
}

/* The chain with this operation at its end. One number may stand for several
 * operations, one after another. */
static struct before extend_chain(const struct orr_program *p, uint32_t op,
                                  const struct before *b)
{
    uint64_t number = number_of(p, op);
    struct before x = *b;
    if (orr__op_has(p->op[op].kind, ORR_OP_COMPUTES))
        x.ps = orr__time_add(x.ps, p->op[op].time_ps);
    x.operations += !x.operations || x.last != number;
    x.last = number;
    return x;
}

static void pass_on(struct before *to, const struct before *x)
{
    if (x->ps < to->ps)
        return;
    to->ps = x->ps;
    to->operations = x->operations;
    to->last = x->last;
}

orr_err orr__program_longest(const struct orr_program *p, uint32_t rank,
                             struct orr_longest *out, struct orr_report *why)
{
    const struct orr_part *part = &p->part[p->part_of ? p->part_of[rank] : 0];
    struct before *b = orr__alloc(part->ops, sizeof *b);
    uint32_t *queue = orr__alloc(part->ops, sizeof *queue), n = 0;
    *out = (struct orr_longest){0};
    if (!b || !queue) {
        orr__free(b);
        orr__free(queue);
        return orr__no_memory(why);
    }
    for (uint32_t i = 0; i < part->ops; i++)
        b[i].waits = p->waits[part->op + i];
    for (uint32_t i = 0; i < part->n_first; i++)
        queue[n++] = p->first[part->first + i];
    for (uint32_t i = 0; i < n; i++) {
        uint32_t op = queue[i];
        struct before x = extend_chain(p, op, &b[op - part->op]);
        if (x.ps >= out->ps)
            *out = (struct orr_longest){x.ps, x.operations};
        for (uint32_t e = p->next_off[op]; e < p->next_off[op + 1]; e++) {
            uint32_t to = p->next[e] - part->op;
            pass_on(&b[to], &x);
            if (--b[to].waits == 0)
                queue[n++] = p->next[e];
        }
    }
    ORR_ASSERT(n == part->ops);
    orr__free(b);
    orr__free(queue);
    return ORR_OK;
}
