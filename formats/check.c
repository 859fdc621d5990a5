/* Whether what the ranks of a trace do fits together. */
#include <inttypes.h>
#include <stdlib.h>

#include "core/assert.h"
#include "core/memory.h"
#include "formats/trace.h"

/* One end of a message. */
struct message {
    uint32_t src, dst, tag, op;
    bool send;
};

static int by_ends(const void *a, const void *b)
{
    const struct message *x = a, *y = b;
    if (x->src != y->src)
        return x->src < y->src ? -1 : 1;
    if (x->dst != y->dst)
        return x->dst < y->dst ? -1 : 1;
    if (x->tag != y->tag)
        return x->tag < y->tag ? -1 : 1;
    return x->op < y->op ? -1 : x->op > y->op;
}

/* By bisection: parts are stretches of operations, in order. */
static uint32_t part_of_op(const struct orr_program *p, uint32_t op)
{
    ORR_ASSERT(p->parts > 0 && op < p->ops);
    uint32_t low = 0, high = p->parts - 1;
    while (low < high) {
        uint32_t mid = low + (high - low + 1) / 2;
        if (p->part[mid].op <= op)
            low = mid;
        else
            high = mid - 1;
    }
    return low;
}

static uint64_t label_of(const struct orr_program *p, uint32_t op)
{
    return p->label && op < p->labels && p->label[op] != ORR_NO_LABEL
               ? p->label[op]
               : op;
}

/* The first of a run of equal messages that has no counterpart fails. */
static orr_err pair_up(const struct orr_program *p, const char *const *file,
                       const struct message *m, size_t n,
                       struct orr_report *why)
{
    for (size_t i = 0, end; i < n; i = end) {
        int64_t over = 0;
        for (end = i; end < n && m[end].src == m[i].src
                      && m[end].dst == m[i].dst && m[end].tag == m[i].tag;
             end++)
            over += m[end].send ? 1 : -1;
        if (over == 0)
            continue;
        const struct message *bad = &m[i];
        for (size_t k = i; k < end; k++)
            if (m[k].send == (over > 0))
                bad = &m[k];
        return orr__fail_at(
            why, ORR_ECONFIG, file[part_of_op(p, bad->op)], 0, 0,
            over > 0 ? "node %" PRIu64 " sends to rank %u "
                       "with tag %u, but rank %u has no recv for "
                       "that from rank %u"
                     : "node %" PRIu64 " receives from rank "
                       "%u with tag %u, but rank %u has no send "
                       "for that to rank %u",
            label_of(p, bad->op), over > 0 ? bad->dst : bad->src, bad->tag,
            over > 0 ? bad->dst : bad->src, over > 0 ? bad->src : bad->dst);
    }
    return ORR_OK;
}

/* Both ends of all messages; out NULL: only counts. */
static size_t list_messages(const struct orr_program *p, struct message *out)
{
    size_t n = 0;
    for (uint32_t r = 0; r < p->ranks; r++) {
        const struct orr_part *part = orr__part_of(p, r);
        for (uint32_t i = part->op; i < part->op + part->ops; i++) {
            const struct orr_op *op = &p->op[i];
            if (!orr__op_has(op->kind, ORR_OP_HAS_PEER))
                continue;
            uint32_t peer = orr__op_peer(p, op, r);
            bool send = orr__op_has(op->kind, ORR_OP_TRANSMITS);
            if (out)
                out[n] = (struct message){send ? r : peer, send ? peer : r,
                                          op->index, i, send};
            n++;
        }
    }
    return n;
}

static bool has_messages(const struct orr_program *p)
{
    for (uint32_t i = 0; i < p->ops; i++)
        if (orr__op_has(p->op[i].kind, ORR_OP_HAS_PEER))
            return true;
    return false;
}

/* Each send has its receive. ORR_ECONFIG names the file of one that has not. */
static orr_err check_messages(const struct orr_program *p,
                              const char *const *file, struct orr_report *why)
{
    if (!has_messages(p))
        return ORR_OK;
    size_t n = list_messages(p, NULL);
    struct message *m = orr__alloc(n, sizeof *m);
    if (!m)
        return orr__no_memory(why);
    list_messages(p, m);
    qsort(m, n, sizeof *m, by_ends);
    ORR_ASSERT(n > 0); /* there are messages */
    orr_err err = pair_up(p, file, m, n, why);
    orr__free(m);
    return err;
}

/* ---- collectives -------------------------------------------------------- */

static orr_err outsider(const struct orr_program *p, const char *const *file,
                        uint32_t op, uint32_t rank, struct orr_report *why)
{
    return orr__fail_at(why, ORR_ECONFIG, file[part_of_op(p, op)], 0, 0,
                        "node %" PRIu64 " is a collective of a group that "
                        "rank %u is not in",
                        label_of(p, op), rank);
}

/* Ranks of a part are in the groups of its collectives; done: per group. */
static orr_err check_members(const struct orr_program *p,
                             const char *const *file, uint32_t part,
                             uint32_t *done, struct orr_report *why)
{
    const struct orr_part *x = &p->part[part];
    for (uint32_t i = x->op; i < x->op + x->ops; i++) {
        if (p->op[i].kind != ORR_OP_COLLECTIVE)
            continue;
        uint32_t g = p->call[p->op[i].index].group;
        if (g == ORR_EVERYONE || done[g] == part + 1)
            continue;
        done[g] = part + 1;
        for (uint32_t r = 0; r < p->ranks; r++)
            if (orr__part_of(p, r) == x
                && orr__group_find(&p->group[g], r) == UINT32_MAX)
                return outsider(p, file, i, r, why);
    }
    return ORR_OK;
}

/* Every rank of a collective must come to it. ranks: per part; named, first:
 * per call. */
static orr_err check_calls(const struct orr_program *p, const char *const *file,
                           uint32_t *ranks, uint32_t *named, uint32_t *first,
                           struct orr_report *why)
{
    for (uint32_t r = 0; r < p->ranks; r++)
        ranks[orr__part_of(p, r) - p->part]++;
    for (uint32_t k = 0; k < p->parts; k++)
        for (uint32_t i = p->part[k].op; i < p->part[k].op + p->part[k].ops;
             i++)
            if (p->op[i].kind == ORR_OP_COLLECTIVE) {
                if (!named[p->op[i].index])
                    first[p->op[i].index] = i;
                named[p->op[i].index] += ranks[k];
            }
    for (uint32_t i = 0; i < p->calls; i++) {
        uint32_t all = orr__call_ranks(p, &p->call[i]);
        ORR_ASSERT(named[i] > 0); /* who made it comes to it */
        if (named[i] == all)
            continue;
        uint32_t op = first[i];
        return orr__fail_at(why, ORR_ECONFIG, file[part_of_op(p, op)], 0, 0,
                            "node %" PRIu64 " is %s over %u ranks, but only "
                            "%u of them come to it",
                            label_of(p, op), orr__op_name(p, op), all,
                            named[i]);
    }
    return ORR_OK;
}

/* Scratch for all checks is taken once. */
static orr_err check_collectives(const struct orr_program *p,
                                 const char *const *file,
                                 struct orr_report *why)
{
    uint32_t *ranks = orr__alloc(p->parts, sizeof *ranks);
    uint32_t *named = orr__alloc(p->calls, sizeof *named);
    uint32_t *first = orr__alloc(p->calls, sizeof *first);
    uint32_t *done = orr__alloc(p->groups, sizeof *done);
    orr_err err =
        ranks && named && first && done ? ORR_OK : orr__no_memory(why);
    for (uint32_t k = 0; !err && k < p->parts; k++)
        err = check_members(p, file, k, done, why);
    if (!err)
        err = check_calls(p, file, ranks, named, first, why);
    orr__free(ranks);
    orr__free(named);
    orr__free(first);
    orr__free(done);
    return err;
}

orr_err orr__trace_check(const struct orr_program *p, const char *const *file,
                         struct orr_report *why)
{
    orr_err err = check_messages(p, file, why);
    return err ? err : check_collectives(p, file, why);
}
