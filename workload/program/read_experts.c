/* `dispatch` and `combine` of a program: all-to-alls whose sizes follow from
 * tokens and their experts (experts.h). */
#include "workload/program/reader.h"

#include <assert.h>

#include "core/array.h"
#include "core/memory.h"
#include "core/none.h"
#include "workload/program/experts_keys.h"

/* Members whose sizes are kept as a matrix, at most. */
#define MATRIX_MOST 2048

/* The keys of a dispatch; what they mean says the table below. */
struct dispatch_keys {
    int64_t tokens, hidden, top_k, experts, nodes, local;
    uint64_t bytes;
    double capacity, skew;
    struct orr_draw_keys draw;
    struct orr_ints group;
    const char *algorithm;
};

/* The keys of a combine, likewise; texts are the document's. */
struct combine_keys {
    const char *of, *algorithm;
    uint64_t bytes;
};

/* What says whether keys have an effect. Known when all of it is read. */
struct facts {
    uint32_t members, nodes;
    double dropped; /* share of all copies */
};

/* ---- keys without effect ------------------------------------------------- */

static const char *idle_without_experts(const void *set, const void *around)
{
    const struct facts *f = around;
    (void)set;
    return f->members == 1 ? "a group of one sends nothing" : NULL;
}

static const char *idle_if_alike(const void *set, const void *around)
{
    const struct dispatch_keys *k = set;
    return k->skew > 0 ? idle_without_experts(set, around)
                       : "all experts are equally popular";
}

static const char *drawn_once(const void *set, const void *around)
{
    const struct dispatch_keys *k = set;
    return k->draw.each == ORR_EACH_RUN ? "only `each: iteration` draws anew"
                                        : idle_if_alike(set, around);
}

static const char *nothing_dropped(const void *set, const void *around)
{
    const struct facts *f = around;
    return f->dropped > 0 ? idle_without_experts(set, around)
                          : "no expert gets so many tokens";
}

static const char *no_nodes(const void *set, const void *around)
{
    const struct dispatch_keys *k = set;
    return k->nodes ? idle_without_experts(set, around)
                    : "only with `nodes` tokens go by nodes";
}

/* ---- the keys ------------------------------------------------------------ */

#define KEY(name, kind, ...)                                                   \
    {                                                                          \
        .key = #name, .type = ORR_PARAM_##kind,                                \
        .offset = offsetof(struct dispatch_keys, name), __VA_ARGS__            \
    }
const struct orr_param orr__dispatch_params[] = {
    KEY(tokens, INT, .min = "1", .max = "1000000000",
        .help = "that each rank has"),
    KEY(hidden, INT, .min = "1", .max = "10000000",
        .help = "elements of a token"),
    KEY(bytes, SIZE, .fallback = "2B", .min = "1B", .max = "16B",
        .help = "of an element: 1B for FP8, 2B for BF16"),
    KEY(top_k, INT, .fallback = "1", .min = "1", .max = "10000",
        .help = "different experts that a token goes to, a copy to each"),
    KEY(experts, INT, .fallback = "", .min = "1", .max = "1000000",
        .help = "of all ranks together, the k-th on rank k mod n of the group; "
                "default: one on each"),
    KEY(nodes, INT, .fallback = "0", .min = "0", .max = "1000000",
        .help = "a token goes to at most so many nodes: one copy to each, to "
                "the rank with its own rank's place in the node, and from "
                "there to the experts (DeepSeek); 0: straight to its experts"),
    KEY(local, INT, .fallback = "", .min = "1", .max = "1000000",
        .help = "ranks of a node, one after another; default: those on one "
                "host or server",
        .idle = no_nodes),
    KEY(capacity, REAL, .fallback = "0", .min = "0", .max = "1000",
        .help = "an expert takes so many times its equal share of tokens; "
                "those beyond are dropped and not sent; 0: all",
        .idle = nothing_dropped),
    KEY(skew, REAL, .fallback = "0", .min = "0", .max = "10",
        .help = "popularity: tokens choose the k-th expert in proportion to "
                "1 / k^skew, as far as none is chosen twice by one token"),
    {.key = "each",
     .type = ORR_PARAM_CHOICE,
     .offset = offsetof(struct dispatch_keys, draw.each),
     .fallback = "run",
     .choices = (const char *const[]){"run", "iteration", NULL},
     .help = "iteration: it is drawn anew in each which rank, and with `nodes` "
             "which node, has which experts; the first is as written",
     .idle = idle_if_alike},
    {.key = "draw_every",
     .type = ORR_PARAM_INT,
     .offset = offsetof(struct dispatch_keys, draw.every),
     .fallback = "1",
     .min = "1",
     .max = "65536",
     .help = "each: iteration: only after so many iterations",
     .idle = drawn_once},
    KEY(group, INTS, .fallback = "",
        .help = "the participating ranks, in order; default: all"),
    KEY(algorithm, TEXT, .fallback = "direct",
        .help = "of the all-to-all; its keys may stand beside it"),
    ORR_PARAM_END,
};
#undef KEY

const struct orr_param orr__combine_params[] = {
    {.key = "of",
     .type = ORR_PARAM_TEXT,
     .offset = offsetof(struct combine_keys, of),
     .fallback = "",
     .help = "id of the dispatch whose tokens come back; default: the last one "
             "before it"},
    {.key = "bytes",
     .type = ORR_PARAM_SIZE,
     .offset = offsetof(struct combine_keys, bytes),
     .fallback = "2B",
     .min = "1B",
     .max = "16B",
     .help = "of an element"},
    {.key = "algorithm",
     .type = ORR_PARAM_TEXT,
     .offset = offsetof(struct combine_keys, algorithm),
     .fallback = "direct",
     .help = "of the all-to-all; its keys may stand beside it"},
    ORR_PARAM_END,
};

/* ---- reading ------------------------------------------------------------- */

/* Its algorithm and keys. */
static orr_err read_keys(struct orr_program_reader *r,
                         const struct orr_item *it,
                         const struct orr_param_set *own, struct orr_call *call)
{
    const struct orr_call_reader cr = orr__reader_of_call(r, it);
    if (!orr__yaml_is_map(it->body))
        return orr__yaml_fail(r->c, it->body ? it->body : it->key, r->why,
                              "%s: a map is expected", it->verb);
    const struct orr_collective_ops *ops = NULL;
    orr_err err = orr__call_algorithm(&cr, ORR_ALL_TO_ALL, &ops, r->why);
    if (err)
        return err;
    assert(ops); /* there is no failure */
    call->c.ops = ops;
    const struct orr_param_set sets[] = {*own, {ops->params, &call->c}};
    return orr__param_read(r->c, it->body, it->verb, sets, ops->params ? 2 : 1,
                           r->why);
}

static orr_err fail_at(const struct orr_program_reader *r,
                       const struct orr_item *it, const char *key,
                       const char *text)
{
    const struct orr_yaml *at = orr__yaml_get(it->body, key);
    return orr__yaml_fail(r->c, at ? at : it->body, r->why, "%s.%s: %s",
                          it->verb, key, text);
}

/* Ranks of a node: those on one host, or whose hosts are GPUs of one server, if
 * they are neighbours and as many on each; 0: they are not. */
static uint32_t find_local(const struct orr_program_reader *r)
{
    uint32_t gpus = r->graph && r->graph->gpus ? r->graph->gpus : 1;
    uint32_t n = r->p->ranks, run = 0, local = 0;
    for (uint32_t i = 0; i < n; i++, run++) {
        if (i == 0 || r->hosts[i] / gpus == r->hosts[i - 1] / gpus)
            continue;
        if (local && run != local)
            return 0;
        local = run;
        run = 0;
    }
    return local == 0 || run == local ? run : 0;
}

/* The nodes of a dispatch that goes by nodes. */
static orr_err read_nodes(const struct orr_program_reader *r,
                          const struct orr_item *it,
                          const struct dispatch_keys *k, struct orr_experts *e)
{
    e->nodes = (uint32_t)k->nodes;
    e->local = k->local > 0 ? (uint32_t)k->local : 1;
    if (!e->nodes)
        return ORR_OK;
    if (k->group.n)
        return fail_at(r, it, "group", "with `nodes` all ranks take part");
    if (k->local <= 0)
        e->local = find_local(r);
    if (e->local == 0)
        return fail_at(r, it, "local",
                       "it is needed: ranks are not, as many on each, one "
                       "after another on their hosts");
    if (e->local > e->n || e->n % e->local)
        return fail_at(r, it, "local", "it does not divide the ranks");
    if (e->n > MATRIX_MOST && (k->skew > 0 || e->experts % e->n))
        return fail_at(r, it, "nodes",
                       "with experts that ranks have unequal parts of, at most "
                       "2048 ranks take part");
    return ORR_OK;
}

/* What the keys say, within bounds. */
static orr_err take_keys(const struct orr_program_reader *r,
                         const struct orr_item *it,
                         const struct dispatch_keys *k, struct orr_experts *e)
{
    /* of 16 bytes an element, as a combine may have */
    double all = 16.0 * (double)k->tokens * (double)k->top_k * (double)k->hidden
                 * e->n * e->n;
    e->experts = k->experts > 0 ? (uint32_t)k->experts : e->n;
    e->top_k = (uint32_t)k->top_k;
    e->tokens = (uint64_t)k->tokens;
    e->row = (uint64_t)k->hidden * k->bytes;
    e->skew = k->skew;
    e->capacity = k->capacity;
    if (e->top_k > e->experts)
        return fail_at(r, it, "top_k", "there are not so many experts");
    if (!(all <= (double)ORR_PAIR_SIZES_MAX / 4))
        return fail_at(r, it, "tokens", "the sum of all sizes is beyond 4 EiB");
    return read_nodes(r, it, k, e);
}

/* ---- calls --------------------------------------------------------------- */

/* A dispatch, or what brings back what it sent. */
struct exchange {
    const struct orr_dispatch *d;
    struct orr_experts e; /* d's, with its own size of an element */
    struct orr_expert_copies copies;
    bool back;
};

/* An all-to-all with sizes of which there may be none for want of memory; it
 * follows what the item waits for. stride: 0, or of groups side by side. */
static orr_err add_call(struct orr_program_reader *r, const struct orr_item *it,
                        const struct exchange *x, const struct orr_call *like,
                        struct orr_pair_sizes *sizes, uint32_t stride,
                        uint32_t *id)
{
    struct orr_op op = {.kind = ORR_OP_COLLECTIVE, .who = x->d->who};
    struct orr_call call = *like;
    const struct orr_call_reader cr = orr__reader_of_call(r, it);
    uint32_t *servers = NULL;
    if (!sizes)
        return orr__no_memory(r->why);
    sizes->back = x->back;
    orr__pair_sizes_finish(sizes);
    sizes->drawn = x->e.skew > 0 ? x->d->every : 0;
    sizes->key = UINT64_C(1) << 32 | x->d->number;
    call.name = it->verb[0] == 'd' ? "dispatch" : "combine";
    call.c.sizes = sizes;
    call.c.n = sizes->n;
    call.bytes = sizes->most;
    call.chunks = call.concurrent = 1;
    call.group = x->d->group;
    call.stride = stride;
    orr_err err = orr__call_finish(&cr, &call, &servers, r->why);
    if (err)
        orr__pair_sizes_free(sizes);
    else
        err = orr__reader_add_call(r, it, &call, servers, &op, id);
    orr__free(servers);
    return err;
}

/* Across nodes, then within; back the other way about. */
static orr_err add_stages(struct orr_program_reader *r,
                          const struct orr_item *it, const struct exchange *x,
                          const struct orr_call *like, uint32_t *id)
{
    const struct orr_experts *e = &x->e;
    struct orr_item second = *it;
    uint32_t first;
    orr_err err = ORR_OK;
    second.before = &first;
    second.n_before = 1;
    second.n_across = 0;
    for (int i = 0; i < 2 && !err; i++) {
        bool across = (i == 0) != x->back;
        struct orr_pair_sizes *s = across ? orr__experts_across(e, &x->copies)
                                          : orr__experts_within(e, &x->copies);
        uint32_t stride = across ? e->local : s && s->n == e->local ? 1 : 0;
        err =
            add_call(r, i ? &second : it, x, like, s, stride, i ? id : &first);
    }
    return err;
}

/* All calls of a dispatch or a combine; *id: the last one's operation. */
static orr_err add_exchange(struct orr_program_reader *r,
                            const struct orr_item *it, struct exchange *x,
                            const struct orr_call *like, uint32_t *id)
{
    orr_err err = orr__experts_copies(&x->e, &x->copies, r->why);
    if (err)
        return err;
    if (x->e.nodes)
        err = add_stages(r, it, x, like, id);
    else
        err = add_call(r, it, x, like, orr__experts_direct(&x->e, &x->copies),
                       0, id);
    return err;
}

/* Dropped tokens are nothing that a user would guess. */
static orr_err tell_dropped(struct orr_program_reader *r,
                            const struct orr_item *it, const struct exchange *x)
{
    if (!(x->copies.dropped > 0))
        return ORR_OK;
    return orr__yaml_remark(r->c, orr__yaml_get(it->body, "capacity"), r->why,
                            "dispatch.capacity: %.3g %% of what tokens have "
                            "chosen is dropped and not sent",
                            100 * x->copies.dropped);
}

orr_err orr__read_dispatch(struct orr_program_reader *r, struct orr_item *it,
                           uint32_t *id)
{
    struct dispatch_keys k = {.local = 0};
    struct orr_call call = {.bytes = 0};
    struct facts *facts =
        orr__arena_alloc(orr__config_arena(r->c), 1, sizeof *facts);
    if (!facts
        || !orr__array_more(r->dispatch, r->dispatch_room, r->dispatches))
        return orr__no_memory(r->why);
    struct orr_dispatch *d = &r->dispatch[r->dispatches];
    struct exchange x = {.d = d};
    const struct orr_param_set own = {orr__dispatch_params, &k, facts};
    if (it->ranks)
        return orr__yaml_fail(r->c, it->ranks, r->why,
                              "dispatch takes `group`, not `ranks`");
    orr_err err = read_keys(r, it, &own, &call);
    *d = (struct orr_dispatch){.number = r->dispatches};
    if (!err)
        err = orr__reader_group(r, it, &k.group, &call, &d->who);
    d->group = call.group;
    d->e.n = call.c.n;
    d->hidden = (uint64_t)k.hidden;
    d->every = k.draw.each == ORR_EACH_RUN ? 0 : (uint32_t)k.draw.every;
    if (!err)
        err = take_keys(r, it, &k, &d->e);
    x.e = d->e;
    if (!err)
        err = add_exchange(r, it, &x, &call, id);
    *facts = (struct facts){d->e.n, d->e.nodes, x.copies.dropped};
    if (!err)
        err = tell_dropped(r, it, &x);
    orr__expert_copies_fini(&x.copies);
    d->op = *id;
    r->dispatches += !err;
    return err;
}

/* By its id, or the last one. */
static orr_err find_dispatch(struct orr_program_reader *r,
                             const struct orr_item *it, const char *of,
                             const struct orr_dispatch **d)
{
    uint32_t op = of ? orr__names_find(&r->names, of) : ORR_NONE;
    *d = NULL;
    for (uint32_t i = 0; i < r->dispatches; i++)
        if (!of || r->dispatch[i].op == op)
            *d = &r->dispatch[i];
    if (*d)
        return ORR_OK;
    if (!of)
        return orr__yaml_fail(r->c, it->key, r->why,
                              "combine: no dispatch stands before it");
    return orr__yaml_fail(r->c, orr__yaml_get(it->body, "of"), r->why,
                          "combine.of: no dispatch before it has the id \"%s\"",
                          of);
}

orr_err orr__read_combine(struct orr_program_reader *r, struct orr_item *it,
                          uint32_t *id)
{
    struct combine_keys k = {NULL, NULL, 0};
    struct orr_call call = {.bytes = 0};
    const struct orr_param_set own = {orr__combine_params, &k};
    struct exchange x = {.back = true};
    if (it->ranks)
        return orr__yaml_fail(r->c, it->ranks, r->why,
                              "combine goes back to the ranks of its dispatch: "
                              "it takes no `ranks`");
    orr_err err = read_keys(r, it, &own, &call);
    if (!err)
        err = find_dispatch(r, it, k.of, &x.d);
    if (err)
        return err;
    assert(x.d); /* it was found */
    x.e = x.d->e;
    x.e.row = x.d->hidden * k.bytes;
    err = add_exchange(r, it, &x, &call, id);
    orr__expert_copies_fini(&x.copies);
    return err;
}
