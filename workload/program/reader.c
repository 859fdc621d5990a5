/* What all items of a program have in common while they are read. */
#include "workload/program/reader.h"

#include "core/array.h"
#include "core/memory.h"

/* Adds an operation that waits for what the item waits for. */
orr_err orr__reader_add(struct orr_program_reader *r, const struct orr_item *it,
                        const struct orr_op *op, uint32_t *id)
{
    orr_err err = orr__program_add(r->p, op, id, r->why);
    for (size_t i = 0; !err && i < it->n_before; i++)
        err = orr__program_depend(r->p, it->before[i], *id, r->why);
    for (uint32_t i = 0; !err && i < it->n_across; i++) {
        if (!orr__array_more(r->crossing, r->crossing_room, r->crossings))
            return orr__no_memory(r->why);
        r->crossing[r->crossings] = it->across[i];
        r->crossing[r->crossings++].op = *id;
    }
    return err;
}

/* No empty list, no rank that is not there or twice; at the place of the first
 * wrong one. */
orr_err orr__reader_ranks(struct orr_program_reader *r,
                          const struct orr_yaml *node, const char *what,
                          const struct orr_ints *list)
{
    char text[ORR_MISFIT];
    size_t at;
    if (list->n == 0)
        return orr__yaml_fail(r->c, node, r->why, "%s is empty", what);
    orr_err err = orr__program_fits(r->p, list->v, list->n, &at, r->why);
    if (err || at == list->n)
        return err;
    orr__program_misfit(r->p, list->v[at], text);
    return orr__yaml_fail(r->c, orr__yaml_item(node, at), r->why, "%s: %s",
                          what, text);
}

/* Messages that cannot be are refused where their size stands. */
orr_err orr__reader_reach(struct orr_program_reader *r,
                          const struct orr_item *it, const struct orr_op *op)
{
    char text[240];
    const struct orr_yaml *at = orr__yaml_get(it->body, "sizes");
    const char *key = at ? "sizes" : "size";
    if (!at)
        at = orr__yaml_get(it->body, "size");
    if (!r->reach
        || !orr__program_limits_beyond(r->reach, r->p, op, text, sizeof text))
        return ORR_OK;
    return orr__yaml_fail(r->c, at ? at : it->key, r->why, "%s.%s: %s",
                          it->verb, key, text);
}
