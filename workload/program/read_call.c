/* Collectives of a program, as they are written. */
#include "workload/program/reader.h"

#include "core/memory.h"
#include "workload/program/groups.h"
#include "workload/program/pair_sizes_read.h"

orr_err orr__reader_group(struct orr_program_reader *r,
                          const struct orr_item *it,
                          const struct orr_ints *list, struct orr_call *call,
                          uint32_t *who)
{
    const struct orr_yaml *at = orr__yaml_get(it->body, "group");
    orr_err err = ORR_OK;
    call->group = *who = ORR_EVERYONE;
    call->c.n = r->p->ranks;
    if (!at)
        return ORR_OK;
    err = orr__reader_ranks(r, at, "group", list);
    if (!err)
        err = orr__program_group(r->p, list->v, list->n, &call->group, r->why);
    call->c.n = (uint32_t)list->n;
    *who = call->group;
    return err;
}

/* The group, and the root's place in it. */
static orr_err read_group(struct orr_program_reader *r,
                          const struct orr_item *it,
                          const struct orr_call_keys *k, struct orr_call *call,
                          uint32_t *who)
{
    orr_err err = orr__reader_group(r, it, &k->group, call, who);
    if (err || k->root < 0)
        return err;
    call->c.root = k->root < (int64_t)r->p->ranks
                       ? orr__call_member(r->p, call, (uint32_t)k->root)
                       : UINT32_MAX;
    if (call->c.root == UINT32_MAX)
        return orr__yaml_fail(r->c, orr__yaml_get(it->body, "root"), r->why,
                              "%s: root %lld is not in the group", it->verb,
                              (long long)k->root);
    return ORR_OK;
}

struct orr_call_reader orr__reader_of_call(const struct orr_program_reader *r,
                                           const struct orr_item *it)
{
    return (struct orr_call_reader){r->c,     r->graph, r->hosts,   r->p,
                                    it->body, it->verb, "algorithm"};
}

/* Common keys and the algorithm's in one map; a barrier may do without. */
static orr_err read_call_keys(struct orr_program_reader *r,
                              const struct orr_item *it,
                              enum orr_collective_kind kind,
                              const struct orr_call_facts *facts,
                              struct orr_call_keys *k, struct orr_call *call)
{
    struct orr_param table[ORR_CALL_PARAMS_MAX];
    const struct orr_yaml *map = it->body;
    const struct orr_call_reader cr = orr__reader_of_call(r, it);
    orr_err err = orr__call_algorithm(&cr, kind, &call->c.ops, r->why);
    if (err)
        return err;
    orr__call_params(kind, table);
    if (kind == ORR_ALL_TO_ALL && orr__yaml_get(map, "sizes"))
        table[0].fallback = ""; /* `size`: as pair_sizes_read.c says */
    const struct orr_param_set sets[] = {
        {table, k, facts},
        {call->c.ops->params, &call->c, facts},
    };
    if (map && orr__yaml_is_null(map)) {
        if (kind != ORR_BARRIER)
            return orr__yaml_fail(r->c, it->key, r->why,
                                  "%s: a map like {size: 1MiB} is expected",
                                  it->verb);
        map = NULL;
    }
    err = orr__param_read(r->c, map, it->verb, sets,
                          call->c.ops->params ? 2 : 1, r->why);
    call->bytes = kind == ORR_BARRIER ? 1 : k->size;
    call->chunks = kind == ORR_BARRIER ? 1 : (uint32_t)k->chunks;
    call->concurrent = (uint32_t)k->concurrent;
    call->endpoint_delay_ps = k->delay;
    call->memory_bps = k->memory;
    return err;
}

/* Takes the algorithm of `fallback`, its keys at their defaults. ECONFIG: there
 * is none of this name, or it needs a key. */
static orr_err fall_back(struct orr_program_reader *r,
                         const struct orr_item *it, struct orr_call *x,
                         const char *text)
{
    const struct orr_yaml *at = orr__yaml_get(it->body, "fallback");
    const struct orr_collective_ops *ops =
        orr__collective_find(x->c.ops->kind, x->c.fallback);
    if (!ops || ops->on_trees || ops->serves || ops->grid || ops->rings
        || ops->levels || ops->chosen)
        return orr__yaml_fail(r->c, at, r->why,
                              "%s.fallback: \"%s\" is no algorithm that needs "
                              "no keys",
                              it->verb, x->c.fallback);
    const struct orr_param_set defaults = {ops->params, &x->c};
    orr_err err = ops->params ? orr__param_read(r->c, NULL, it->verb, &defaults,
                                                1, r->why)
                              : ORR_OK;
    x->c.no_trees = orr__arena_strdup(orr__config_arena(r->c), text);
    if (!err && !x->c.no_trees)
        err = orr__no_memory(r->why);
    x->c.ops = ops;
    x->lanes = orr__collective_lanes(&x->c);
    return err;
}

/* A call on trees has them, takes another algorithm, or is an error. */
static orr_err find_trees(struct orr_program_reader *r,
                          const struct orr_item *it, struct orr_call *x)
{
    char text[ORR_GROUP_TEXT];
    bool fits;
    orr_err err = orr__call_groups_fit(r->reach->world, r->p, x, r->hosts,
                                       it->body, &fits, text, r->why);
    if (err || fits)
        return err;
    if (x->c.fallback && *x->c.fallback) {
        struct orr_call one = *x;
        char unused[ORR_GROUP_TEXT];
        one.c.trees = 1;
        one.lanes = orr__collective_lanes(&one.c);
        err = orr__call_groups_fit(r->reach->world, r->p, &one, r->hosts,
                                   it->body, &fits, unused, r->why);
        x->c.no_tree = !fits;
        return err ? err : fall_back(r, it, x, text);
    }
    return orr__yaml_fail(r->c, it->body, r->why, "%s by %s: %s", it->verb,
                          x->c.ops->name, text);
}

orr_err orr__reader_add_call(struct orr_program_reader *r,
                             const struct orr_item *it,
                             const struct orr_call *call,
                             const uint32_t *servers, struct orr_op *op,
                             uint32_t *id)
{
    orr_err err = orr__program_call(r->p, call, servers, &op->index, r->why);
    if (!err && r->reach)
        err = find_trees(r, it, &r->p->call[op->index]);
    if (!err)
        err = orr__reader_reach(r, it, op);
    return err ? err : orr__reader_add(r, it, op, id);
}

/* Where channels are set, or who meets waits, it takes time nevertheless. */
static bool is_empty(enum orr_collective_kind kind, const struct orr_call *x)
{
    return kind != ORR_BARRIER && x->bytes == 0 && !x->c.sizes
           && x->c.plan.channels == 0;
}

/* Facts outlive the reading: notes on keys without effect ask for them at the
 * end. */
orr_err orr__read_collective(struct orr_program_reader *r,
                             const struct orr_item *it,
                             enum orr_collective_kind kind, uint32_t *id)
{
    struct orr_call_keys k = {.root = -1};
    struct orr_call call = {.bytes = 0};
    struct orr_op op = {.kind = ORR_OP_COLLECTIVE};
    uint32_t *servers = NULL;
    const struct orr_call_reader cr = orr__reader_of_call(r, it);
    struct orr_call_facts *facts =
        orr__arena_alloc(orr__config_arena(r->c), 1, sizeof *facts);
    if (!facts)
        return orr__no_memory(r->why);
    if (it->ranks)
        return orr__yaml_fail(r->c, it->ranks, r->why,
                              "%s takes `group`, not `ranks`", it->verb);
    orr_err err = read_call_keys(r, it, kind, facts, &k, &call);
    if (!err)
        err = read_group(r, it, &k, &call, &op.who);
    if (!err)
        err = orr__pair_sizes_read(&cr, &k.draw, &call, r->why);
    if (!err)
        err = orr__call_finish(&cr, &call, &servers, r->why);
    *facts = (struct orr_call_facts){
        kind,  call.c.n + call.c.servers, call.bytes,
        false, is_empty(kind, &call),     call.c.plan.channels > 0};
    if (err)
        orr__pair_sizes_free(call.c.sizes);
    else
        err = orr__reader_add_call(r, it, &call, servers, &op, id);
    if (!err)
        facts->fell_back = r->p->call[op.index].c.no_tree;
    orr__free(servers);
    return err;
}
