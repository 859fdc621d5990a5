/* Programs written as a list in YAML.
 *
 * Items run in order. An item is a map with one operation (`compute`, `send`,
 * `recv`, `wait`, a collective, or `parallel`: a list whose members, each an
 * item or a list of items in order, run at once), and beside it
 *   ranks: [...]   only these ranks do it
 *   id: NAME       a name for `after` and `wait`
 *   after: NAMES   what it waits for instead of the item before it; NAME@-1 is
 *                  the item of that name one iteration earlier, which may stand
 *                  anywhere in the program */

#include <string.h>

#include "core/array.h"
#include "core/config/module.h"
#include "core/config/param.h"
#include "core/memory.h"
#include "core/none.h"
#include "core/units.h"
#include "workload/program/circle.h"
#include "workload/program/reader.h"

static const char *const modifiers[] = {"ranks", "id", "after", NULL};

/* ---- names and edges ---------------------------------------------------- */

/* Ids are words without `@`, which marks earlier iterations. */
static orr_err name_op(struct orr_program_reader *r,
                       const struct orr_yaml *node, uint32_t op)
{
    const char *text = orr__yaml_text(r->c, node);
    if (!text || !*text)
        return orr__yaml_fail(r->c, node, r->why, "id: a name is needed");
    if (strchr(text, '@'))
        return orr__yaml_fail(r->c, node, r->why,
                              "id \"%s\": `@` is no part of a name; "
                              "`after: [NAME@-1]` is NAME one iteration "
                              "earlier",
                              text);
    if (orr__names_find(&r->names, text) != ORR_NONE)
        return orr__yaml_fail(r->c, node, r->why, "id \"%s\" is used already",
                              text);
    return orr__names_add(&r->names, text, op) ? ORR_OK
                                               : orr__no_memory(r->why);
}

static orr_err find_name(struct orr_program_reader *r,
                         const struct orr_yaml *node, uint32_t *op)
{
    const char *text = orr__yaml_text(r->c, node);
    *op = text ? orr__names_find(&r->names, text) : ORR_NONE;
    if (*op != ORR_NONE)
        return ORR_OK;
    return orr__yaml_fail(r->c, node, r->why,
                          "no item before this one has the id \"%s\"",
                          text ? text : "?");
}

/* NAME@-1, at is where @ stands. */
static orr_err read_across(struct orr_program_reader *r,
                           const struct orr_yaml *node, const char *text,
                           const char *at, struct orr_item *it)
{
    int64_t v;
    int name = (int)(at - text);
    if (orr__parse_int(at + 1 + (at[1] == '+'), &v) || name == 0)
        return orr__yaml_fail(r->c, node, r->why,
                              "\"%s\": NAME@-1 is expected, for NAME one "
                              "iteration earlier",
                              text);
    if (v == 0)
        return orr__yaml_fail(r->c, node, r->why,
                              "\"%s\" is this iteration: write %.*s", text,
                              name, text);
    if (v < -ORR_FARTHEST || v > ORR_FARTHEST)
        return orr__yaml_fail(r->c, node, r->why,
                              "\"%s\": at most %d iterations %s", text,
                              ORR_FARTHEST, v < 0 ? "earlier" : "later");
    if (!orr__array_more(it->across, it->across_room, it->n_across))
        return orr__no_memory(r->why);
    it->across[it->n_across++] =
        (struct orr_crossing_name){.node = node, .distance = (int32_t)-v};
    return ORR_OK;
}

/* All items are read: who waits for whom of an earlier iteration. */
static orr_err find_across(struct orr_program_reader *r)
{
    orr_err err = ORR_OK;
    for (uint32_t i = 0; !err && i < r->crossings; i++) {
        const struct orr_crossing_name *x = &r->crossing[i];
        const char *text = orr__yaml_text(r->c, x->node);
        char *name = orr__strdup(text);
        if (!name)
            return orr__no_memory(r->why);
        *strchr(name, '@') = '\0';
        uint32_t op = orr__names_find(&r->names, name);
        if (op == ORR_NONE)
            err = orr__yaml_fail(r->c, x->node, r->why,
                                 "\"%s\": no item of the program has the id "
                                 "\"%s\"",
                                 text, name);
        else
            err = orr__program_depend_across(r->p, op, x->op, x->distance,
                                             r->why);
        orr__free(name);
    }
    return err;
}

/* Appends the operations named by a scalar or a list to it->before, and those
 * of earlier iterations to it->across. */
static orr_err read_names(struct orr_program_reader *r,
                          const struct orr_yaml *node, struct orr_item *it)
{
    size_t n = orr__yaml_is_list(node) ? orr__yaml_count(node) : 1;
    uint32_t *more =
        orr__resize(it->before, it->n_before + n + 1, sizeof *more);
    if (!more)
        return orr__no_memory(r->why);
    it->before = more;
    for (size_t i = 0; i < n; i++) {
        const struct orr_yaml *one =
            orr__yaml_is_list(node) ? orr__yaml_item(node, i) : node;
        const char *text = orr__yaml_text(r->c, one);
        const char *at = text ? strchr(text, '@') : NULL;
        orr_err err = at ? read_across(r, one, text, at, it)
                         : find_name(r, one, &it->before[it->n_before]);
        if (err)
            return err;
        it->n_before += !at;
    }
    return ORR_OK;
}

/* ---- ranks -------------------------------------------------------------- */

/* The list of `ranks: [...]`; free list->v with orr__free. */
static orr_err read_rank_list(struct orr_program_reader *r,
                              const struct orr_yaml *node,
                              struct orr_ints *list)
{
    if (!orr__yaml_is_list(node))
        return orr__yaml_fail(r->c, node, r->why,
                              "ranks: a list of ranks like [0, 1] is expected");
    list->n = orr__yaml_count(node);
    list->v = orr__alloc(list->n, sizeof *list->v);
    if (!list->v)
        return orr__no_memory(r->why);
    for (size_t i = 0; i < list->n; i++) {
        const struct orr_yaml *at = orr__yaml_item(node, i);
        const char *text = orr__yaml_text(r->c, at);
        if (!text || orr__parse_int(text, &list->v[i]))
            return orr__yaml_fail(r->c, at, r->why, "ranks: not a rank");
    }
    return orr__reader_ranks(r, node, "ranks", list);
}

/* A list of one rank needs no group. */
static orr_err who_of(struct orr_program_reader *r, const struct orr_ints *list,
                      uint32_t *who)
{
    if (list->n == 1 && r->p->ranks > 1) {
        *who = ORR_ONLY | (uint32_t)list->v[0];
        return ORR_OK;
    }
    return orr__program_group(r->p, list->v, list->n, who, r->why);
}

/* Without `ranks` everybody. */
static orr_err read_who(struct orr_program_reader *r, struct orr_item *it)
{
    struct orr_ints list = {NULL, 0};
    it->who = ORR_EVERYONE;
    if (!it->ranks)
        return ORR_OK;
    orr_err err = read_rank_list(r, it->ranks, &list);
    if (!err)
        err = who_of(r, &list, &it->who);
    orr__free(list.v);
    return err;
}

/* "3" or "+1": into op->peer and op->relative. */
static orr_err read_peer(struct orr_program_reader *r,
                         const struct orr_item *it, const char *key,
                         const char *text, struct orr_op *op)
{
    const struct orr_yaml *at = orr__yaml_get(it->body, key);
    int64_t v, ranks = r->p->ranks;
    op->relative = text[0] == '+' || text[0] == '-';
    if (orr__parse_int(text + (text[0] == '+'), &v))
        return orr__yaml_fail(r->c, at, r->why,
                              "%s.%s: \"%s\" is not a rank; write 3, or +1 for "
                              "the next one",
                              it->verb, key, text);
    if (op->relative && v % ranks == 0)
        return orr__yaml_fail(r->c, at, r->why,
                              "%s.%s: %s of %lld ranks is the rank itself",
                              it->verb, key, text, (long long)ranks);
    if (!op->relative && (v < 0 || v >= ranks))
        return orr__yaml_fail(r->c, at, r->why,
                              "%s.%s: there is no rank %lld; ranks are 0 to "
                              "%lld",
                              it->verb, key, (long long)v,
                              (long long)ranks - 1);
    op->peer = (uint32_t)(((v % ranks) + ranks) % ranks);
    return ORR_OK;
}

/* Nobody sends to itself. */
static orr_err check_peer(struct orr_program_reader *r,
                          const struct orr_item *it, const char *key,
                          const struct orr_op *op)
{
    if (op->relative || !orr__program_runs(r->p, op, op->peer))
        return ORR_OK;
    orr__yaml_fail(r->c, orr__yaml_get(it->body, key), r->why,
                   "%s.%s: rank %u would %s itself", it->verb, key, op->peer,
                   op->kind == ORR_OP_SEND ? "send to" : "receive from");
    if (op->who == ORR_EVERYONE)
        orr__hint(r->why, "name the ranks with `ranks: [...]`%s",
                  op->kind == ORR_OP_SEND ? ", or with `from`" : "");
    return ORR_ECONFIG;
}

/* ---- operations --------------------------------------------------------- */

/* A time alone, or a map with stream and jitter. */
static orr_err read_compute(struct orr_program_reader *r, struct orr_item *it,
                            uint32_t *id)
{
    struct orr_compute_keys k = {0};
    struct orr_op op = {
        .kind = ORR_OP_COMPUTE, .who = it->who, .index = ORR_NONE};
    struct orr_jitter jitter;
    const char *text = orr__yaml_text(r->c, it->body);
    if (text && !orr__yaml_is_null(it->body)) {
        const char *wrong = orr__parse_time(text, &op.time_ps);
        if (wrong)
            return orr__yaml_fail(r->c, it->body, r->why, "compute: \"%s\": %s",
                                  text, wrong);
        return orr__reader_add(r, it, &op, id);
    }
    const struct orr_param_set set = {orr__compute_params, &k};
    orr_err err = orr__param_read(r->c, it->body, "compute", &set, 1, r->why);
    if (!err && k.jitter) {
        err = orr__jitter_read(r->c, k.jitter, &jitter, r->why);
        if (!err)
            err = orr__program_jitter(r->p, &jitter, &op.index, r->why);
    }
    op.time_ps = k.time;
    op.stream = (uint16_t)k.stream;
    return err ? err : orr__reader_add(r, it, &op, id);
}

/* `from` and `to`: one rank sends, the other receives; complete for both when
 * their end is. */
static orr_err read_pair(struct orr_program_reader *r,
                         const struct orr_item *it,
                         const struct orr_message_keys *k, struct orr_op *send,
                         uint32_t *id)
{
    struct orr_op from = {.kind = ORR_OP_SEND};
    uint32_t ids[2];
    if (it->ranks)
        return orr__yaml_fail(r->c, it->ranks, r->why,
                              "send: `from` already names the sender");
    orr_err err = read_peer(r, it, "from", k->from, &from);
    if (err)
        return err;
    if (from.relative || send->relative)
        return orr__yaml_fail(r->c, it->body, r->why,
                              "send with `from`: both must be plain ranks");
    send->who = ORR_ONLY | from.peer;
    struct orr_op recv = {.kind = ORR_OP_RECV,
                          .who = ORR_ONLY | send->peer,
                          .peer = from.peer,
                          .index = send->index,
                          .bytes = k->size};
    struct orr_op join = {.kind = ORR_OP_WAIT, .who = ORR_EVERYONE};
    err = check_peer(r, it, "to", send);
    if (!err)
        err = orr__reader_reach(r, it, send);
    if (!err)
        err = orr__reader_add(r, it, send, &ids[0]);
    if (!err)
        err = orr__reader_add(r, it, &recv, &ids[1]);
    if (!err)
        err = orr__program_add(r->p, &join, id, r->why);
    for (int i = 0; !err && i < 2; i++)
        err = orr__program_depend(r->p, ids[i], *id, r->why);
    return err;
}

/* To a rank, or a distance; with `from` it is both ends of a message. */
static orr_err read_send(struct orr_program_reader *r, struct orr_item *it,
                         uint32_t *id)
{
    struct orr_message_keys k = {0};
    const struct orr_param_set set = {orr__send_params, &k};
    orr_err err = orr__param_read(r->c, it->body, "send", &set, 1, r->why);
    if (err)
        return err;
    struct orr_op op = {.kind = ORR_OP_SEND,
                        .who = it->who,
                        .index = (uint32_t)k.tag,
                        .bytes = k.size};
    err = read_peer(r, it, "to", k.to, &op);
    if (err)
        return err;
    if (k.from)
        return read_pair(r, it, &k, &op, id);
    err = check_peer(r, it, "to", &op);
    if (!err)
        err = orr__reader_reach(r, it, &op);
    return err ? err : orr__reader_add(r, it, &op, id);
}

/* As read_send; the size is not used, the sender's counts. */
static orr_err read_recv(struct orr_program_reader *r, struct orr_item *it,
                         uint32_t *id)
{
    struct orr_message_keys k = {0};
    const struct orr_param_set set = {orr__recv_params, &k, r->p};
    orr_err err = orr__param_read(r->c, it->body, "recv", &set, 1, r->why);
    if (err)
        return err;
    struct orr_op op = {.kind = ORR_OP_RECV,
                        .who = it->who,
                        .index = (uint32_t)k.tag,
                        .bytes = k.size};
    err = read_peer(r, it, "from", k.from, &op);
    if (!err)
        err = check_peer(r, it, "from", &op);
    return err ? err : orr__reader_add(r, it, &op, id);
}

static orr_err read_wait(struct orr_program_reader *r, struct orr_item *it,
                         uint32_t *id)
{
    struct orr_op op = {.kind = ORR_OP_WAIT, .who = ORR_EVERYONE};
    orr_err err = ORR_OK;
    if (it->body && !orr__yaml_is_null(it->body))
        err = read_names(r, it->body, it);
    return err ? err : orr__reader_add(r, it, &op, id);
}

/* ---- items -------------------------------------------------------------- */

static orr_err read_list(struct orr_program_reader *r,
                         const struct orr_yaml *list, uint32_t before,
                         uint32_t *last);
static orr_err read_one(struct orr_program_reader *r,
                        const struct orr_yaml *node, uint32_t before,
                        uint32_t *last);

/* The members start together; a wait that joins them stands for all. */
static orr_err read_parallel(struct orr_program_reader *r, struct orr_item *it,
                             uint32_t *id)
{
    struct orr_op wait = {.kind = ORR_OP_WAIT, .who = ORR_EVERYONE};
    uint32_t start = ORR_NONE, end = ORR_NONE, *ends = NULL;
    orr_err err = ORR_OK;
    size_t n = orr__yaml_is_list(it->body) ? orr__yaml_count(it->body) : 0;
    if (n == 0)
        return orr__yaml_fail(r->c, it->body ? it->body : it->key, r->why,
                              "parallel: a list of items is expected");
    if (it->ranks)
        return orr__yaml_fail(r->c, it->ranks, r->why,
                              "`ranks` belongs to the members of parallel");
    if (it->n_before == 1 && it->n_across == 0)
        start = it->before[0];
    else if (it->n_before > 0 || it->n_across > 0)
        err = orr__reader_add(r, it, &wait, &start);
    ends = orr__alloc(n, sizeof *ends);
    if (!ends)
        return orr__no_memory(r->why);
    for (size_t i = 0; !err && i < n; i++) {
        const struct orr_yaml *m = orr__yaml_item(it->body, i);
        err = orr__yaml_is_list(m) ? read_list(r, m, start, &end)
                                   : read_one(r, m, start, &end);
        ends[i] = end;
    }
    if (!err)
        err = orr__program_add(r->p, &wait, id, r->why);
    for (size_t i = 0; !err && i < n; i++)
        err = orr__program_depend(r->p, ends[i], *id, r->why);
    orr__free(ends);
    return err;
}

/* What an item may hold beside collectives. */
static const struct verb {
    const char *name;
    orr_err (*read)(struct orr_program_reader *r, struct orr_item *it,
                    uint32_t *id);
    bool bare; /* nothing need follow it */
} verbs[] = {
    {"compute", read_compute, false},
    {"send", read_send, false},
    {"recv", read_recv, false},
    {"wait", read_wait, true},
    {"parallel", read_parallel, false},
    {"dispatch", orr__read_dispatch, false},
    {"combine", orr__read_combine, false},
};
enum { VERBS = sizeof verbs / sizeof *verbs };

static const struct verb *find_verb(const char *name)
{
    for (int i = 0; name && i < VERBS; i++)
        if (!strcmp(verbs[i].name, name))
            return &verbs[i];
    return NULL;
}

/* With the nearest of operations, collectives and modifiers. */
static orr_err unknown_verb(struct orr_program_reader *r,
                            const struct orr_yaml *key)
{
    const char *names[32], *text = orr__yaml_text(r->c, key);
    uint32_t n = 0;
    for (int i = 0; i < VERBS; i++)
        names[n++] = verbs[i].name;
    for (int k = 0; k < ORR_COLLECTIVE_KIND_COUNT; k++)
        names[n++] = orr__collective_kind_name((enum orr_collective_kind)k);
    for (int i = 0; modifiers[i]; i++)
        names[n++] = modifiers[i];
    names[n] = NULL;
    orr__yaml_fail(r->c, key, r->why, "program: unknown operation \"%s\"",
                   text ? text : "?");
    orr__hint_nearest(r->why, names, text);
    return ORR_ECONFIG;
}

/* Finds the operation's key and what stands beside it. */
static orr_err split_item(struct orr_program_reader *r, struct orr_item *it,
                          const struct orr_yaml **id,
                          const struct orr_yaml **after)
{
    if (orr__yaml_is_scalar(it->node)) { /* `- barrier` */
        it->key = it->node;
        it->verb = orr__yaml_text(r->c, it->node);
        return ORR_OK;
    }
    for (size_t i = 0; i < orr__yaml_count(it->node); i++) {
        const struct orr_yaml *key = orr__yaml_key(it->node, i);
        const struct orr_yaml *value = orr__yaml_value(it->node, i);
        const char *text = orr__yaml_text(r->c, key);
        int m = text ? orr__param_choice(modifiers, text) : -1;
        if (m == 0) {
            it->ranks = value;
        } else if (m > 0) {
            *(m == 1 ? id : after) = value;
        } else if (it->key) {
            if (!find_verb(text) && orr__collective_kind(text ? text : "") < 0)
                return unknown_verb(r, key);
            return orr__yaml_fail(r->c, key, r->why,
                                  "program: \"%s\" and \"%s\" in one item; "
                                  "begin a new one with `-`",
                                  it->verb, text);
        } else {
            it->key = key;
            it->body = value;
            it->verb = text;
        }
    }
    return it->key ? ORR_OK
                   : orr__yaml_fail(r->c, it->node, r->why,
                                    "program: an item without an operation");
}

/* By its verb; nothing behind it is an error but for a few. */
static orr_err dispatch(struct orr_program_reader *r, struct orr_item *it,
                        uint32_t *id)
{
    const struct verb *verb = find_verb(it->verb);
    int kind = it->verb ? orr__collective_kind(it->verb) : -1;
    if (!verb && kind < 0)
        return unknown_verb(r, it->key);
    if (!it->body && kind != ORR_BARRIER && !(verb && verb->bare))
        return orr__yaml_fail(r->c, it->key, r->why,
                              "%s: what follows it is missing", it->verb);
    return verb ? verb->read(r, it, id)
                : orr__read_collective(r, it, (enum orr_collective_kind)kind,
                                       id);
}

/* One item that follows operation `before` (ORR_NONE: nothing). */
static orr_err read_one(struct orr_program_reader *r,
                        const struct orr_yaml *node, uint32_t before,
                        uint32_t *last)
{
    struct orr_item it = {.node = node};
    const struct orr_yaml *id = NULL, *after = NULL;
    orr_err err;
    if (orr__yaml_is_list(node) || orr__yaml_is_null(node))
        return orr__yaml_fail(r->c, node, r->why,
                              "program: an item like `compute: 1ms` is "
                              "expected; lists stand inside `parallel`");
    err = split_item(r, &it, &id, &after);
    if (!err)
        err = read_who(r, &it);
    if (!err && after) {
        err = read_names(r, after, &it);
    } else if (!err && before != ORR_NONE) {
        it.before = orr__alloc(1, sizeof *it.before);
        if (!it.before)
            err = orr__no_memory(r->why);
        else
            it.before[it.n_before++] = before;
    }
    if (!err)
        err = dispatch(r, &it, last);
    if (!err && id)
        err = name_op(r, id, *last);
    orr__free(it.before);
    orr__free(it.across);
    return err;
}

/* Each item after the one before; *last: what the next one waits for. */
static orr_err read_list(struct orr_program_reader *r,
                         const struct orr_yaml *list, uint32_t before,
                         uint32_t *last)
{
    orr_err err = ORR_OK;
    size_t n = orr__yaml_is_list(list) ? orr__yaml_count(list) : 0;
    if (n == 0)
        return orr__yaml_fail(r->c, list, r->why,
                              "program: a list of operations is expected");
    *last = before;
    for (size_t i = 0; !err && i < n; i++)
        err = read_one(r, orr__yaml_item(list, i), *last, last);
    return err;
}

/* Nothing waits for itself over iterations. */
static orr_err check_circle(struct orr_program_reader *r)
{
    uint32_t at;
    orr_err err = orr__program_circle(r->p, 0, &at, r->why);
    if (err || at >= r->crossings)
        return err;
    const struct orr_yaml *node = r->crossing[at].node;
    return orr__yaml_fail(r->c, node, r->why,
                          "\"%s\" waits for a later iteration, which waits for "
                          "this one: a circle; earlier ones are @-1, @-2",
                          orr__yaml_text(r->c, node));
}

orr_err orr__program_read(struct orr_config *c, const struct orr_yaml *list,
                          const struct orr_graph *graph, const uint32_t *hosts,
                          uint32_t ranks,
                          const struct orr_program_limits *reach,
                          struct orr_program **out, struct orr_report *why)
{
    struct orr_program_reader r = {
        .c = c, .graph = graph, .hosts = hosts, .reach = reach, .why = why};
    uint32_t last;
    orr_err err = ORR_OK;
    r.p = orr__program_new(ranks);
    if (!r.p)
        return orr__no_memory(why);
    err = read_list(&r, list, ORR_NONE, &last);
    if (!err)
        err = find_across(&r);
    if (!err)
        err = orr__program_finish(r.p, why);
    if (!err)
        err = check_circle(&r);
    orr__names_fini(&r.names);
    orr__free(r.crossing);
    orr__free(r.dispatch);
    if (err)
        orr__program_free(r.p);
    else
        *out = r.p;
    return err;
}
