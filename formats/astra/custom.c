#include "formats/astra/custom.h"
#include "core/none.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/array.h"
#include "core/assert.h"
#include "core/json_read.h"
#include "core/units.h"
#include "formats/chakra/build.h"

/* ---- which there are ---------------------------------------------------- */

/* The system file while it is read. */
struct reader {
    const struct orr_trace_job *job;
    const char *name; /* of the system file */
    struct orr_custom *out;
    struct orr_report *why;
    const struct orr_json_text *json; /* the same file */
};

#define PER_NODE "per-node-custom-implementation"

static bool is_there(const char *prefix)
{
    char *file = orr__format("%s.0.et", prefix);
    bool there = file && access(file, R_OK) == 0;
    orr__free(file);
    return there;
}

/* A file name as ASTRA-sim has it, from the current folder; or else from the
 * system file's. */
static const char *resolve_prefix(const struct reader *r, const char *path,
                                  bool (*there)(const char *))
{
    const char *slash = strrchr(r->name, '/');
    char *own = NULL;
    if (path[0] != '/' && slash && !there(path))
        own = orr__format("%.*s/%s", (int)(slash - r->name), r->name, path);
    const char *copy =
        orr__arena_strdup(r->job->arena, own && there(own) ? own : path);
    orr__free(own);
    return copy;
}

/* PREFIX of one kind of collective; a file of that name must be there. */
static orr_err read_kind(const struct reader *r, const char *key,
                         const json_t *v, const char **prefix)
{
    const char *text = json_array_size(v) == 1
                           ? json_string_value(json_array_get(v, 0))
                           : NULL;
    if (!text)
        return orr__json_fail(r->json, key, r->why,
                              "%s: a list of one name is expected, what "
                              "NAME.0.et and so on have before .0.et",
                              key);
    *prefix = resolve_prefix(r, text, is_there);
    return *prefix ? ORR_OK : orr__no_memory(r->why);
}

static bool readable(const char *file)
{
    return access(file, R_OK) == 0;
}

/* PREFIX of one node of the workload. */
static orr_err read_node(const struct reader *r, struct orr_config *c,
                         const struct orr_yaml *root, size_t i)
{
    const struct orr_yaml *k = orr__yaml_key(root, i);
    const struct orr_yaml *v = orr__yaml_value(root, i);
    const char *id = orr__yaml_text(c, k), *text = orr__yaml_text(c, v);
    char *end = NULL;
    struct orr_custom_node *n = &r->out->node[i];
    n->id = id ? strtoull(id, &end, 10) : 0;
    if (!id || end == id || *end || !text)
        return orr__yaml_fail(c, k, r->why,
                              "the number of a node and a name are expected");
    n->prefix = resolve_prefix(r, text, is_there);
    return n->prefix ? ORR_OK : orr__no_memory(r->why);
}

/* A map of numbers of nodes to PREFIXes, YAML. */
static orr_err read_nodes(const struct reader *r, const json_t *v)
{
    struct orr_config *c;
    const char *text = json_string_value(v);
    const char *file = text ? resolve_prefix(r, text, readable) : NULL;
    if (!file)
        return text ? orr__no_memory(r->why)
                    : orr__json_fail(r->json, PER_NODE, r->why,
                                     PER_NODE
                                     ": the name of a file is expected");
    orr_err err = orr__config_load(file, &c, r->why);
    if (err)
        return err;
    const struct orr_yaml *root = orr__config_root(c);
    size_t n = orr__yaml_is_map(root) ? orr__yaml_count(root) : 0;
    r->out->node = orr__arena_alloc(r->job->arena, n, sizeof *r->out->node);
    if (!r->out->node)
        err = orr__no_memory(r->why);
    else if (n == 0)
        err = orr__yaml_fail(c, root, r->why,
                             "a map of numbers of nodes to names is expected");
    for (size_t i = 0; !err && i < n; i++, r->out->nodes++)
        err = read_node(r, c, root, i);
    orr__config_free(c);
    return err;
}

orr_err orr__custom_read(const struct orr_trace_job *job, const char *name,
                         const char *text, size_t length,
                         struct orr_custom *out, struct orr_report *why)
{
    static const struct {
        enum orr_collective_kind kind;
        const char *key;
    } keys[] = {
        {ORR_ALL_REDUCE, "all-reduce-implementation-custom"},
        {ORR_ALL_GATHER, "all-gather-implementation-custom"},
        {ORR_REDUCE_SCATTER, "reduce-scatter-implementation-custom"},
        {ORR_ALL_TO_ALL, "all-to-all-implementation-custom"},
    };
    const struct orr_json_text json = {name, text, length};
    const struct reader r = {job, name, out, why, &json};
    json_error_t where;
    json_t *root;
    *out = (struct orr_custom){0};
    orr_err err = orr__json_load(text, length, 0, &root, &where);
    if (err)
        return orr__no_memory(why);
    for (size_t i = 0; !err && i < sizeof keys / sizeof *keys; i++) {
        const json_t *v = json_object_get(root, keys[i].key);
        if (v)
            err = read_kind(&r, keys[i].key, v, &out->kind[keys[i].kind]);
    }
    const json_t *v = json_object_get(root, PER_NODE);
    if (!err && v)
        err = read_nodes(&r, v);
    json_decref(root);
    return err;
}

const char *orr__custom_of(const struct orr_custom *c,
                           enum orr_collective_kind kind, uint64_t node)
{
    for (size_t i = 0; c && i < c->nodes; i++)
        if (c->node[i].id == node)
            return c->node[i].prefix;
    return c ? c->kind[kind] : NULL;
}

/* ---- one collective of a rank ------------------------------------------- */

/* The file of a place in a group; it is read once for a rank. */
static orr_err load_position(struct orr_chakra_build *b, const char *prefix,
                             uint32_t position, const struct orr_chakra **out)
{
    for (uint32_t i = 0; i < b->customs; i++)
        if (b->custom[i].position == position
            && !strcmp(b->custom[i].prefix, prefix)) {
            *out = &b->custom[i].c;
            return ORR_OK;
        }
    if (!orr__array_one_more(b->custom, b->customs))
        return orr__no_memory(b->why);
    char *file = orr__format("%s.%u.et", prefix, position);
    if (!file)
        return orr__no_memory(b->why);
    struct orr_chakra_custom *p = &b->custom[b->customs++];
    *p = (struct orr_chakra_custom){
        .prefix = prefix, .position = position, .file = file};
    *out = &p->c;
    return orr__chakra_load(file, ORR_CHAKRA_COUNTS, &p->c, b->why);
}

void orr__custom_forget(struct orr_chakra_build *b)
{
    for (uint32_t i = 0; i < b->customs; i++) {
        orr__chakra_fini(&b->custom[i].c);
        orr__free(b->custom[i].file);
    }
    orr__free(b->custom);
    b->custom = NULL;
    b->customs = 0;
}

static orr_err fail_node(struct orr_chakra_build *b, const struct orr_chakra *c,
                         const struct orr_chakra_node *n, const char *what)
{
    return orr__fail_at(b->why, ORR_ECONFIG, c->file, 0, 0,
                        "node %" PRIu64 ": %s", n->id, what);
}

/* A node of such a file. Its ranks are places in the group. */
static orr_err add_inner(struct orr_chakra_build *b, const struct orr_chakra *c,
                         const struct orr_chakra_node *n, uint32_t group,
                         uint32_t *id)
{
    struct orr_op op = {.who = ORR_EVERYONE};
    uint32_t members =
        group == ORR_EVERYONE ? b->p->ranks : b->p->group[group].n;
    if (n->type == ORR_CHAKRA_COMP) {
        op.kind = ORR_OP_COMPUTE;
        op.stream = ORR_CHAKRA_ANY;
        op.index = ORR_NONE;
        op.time_ps = n->duration_us ? orr__chakra_ps(n->duration_us) : ORR_NS;
        return orr__program_add(b->p, &op, id, b->why);
    }
    if (n->type != ORR_CHAKRA_SEND && n->type != ORR_CHAKRA_RECV)
        return fail_node(b, c, n,
                         "a collective is made of sends, receives and "
                         "computations only");
    if (n->peer >= members)
        return fail_node(b, c, n, "its peer is not a place in the group");
    op.peer =
        group == ORR_EVERYONE ? n->peer : b->p->group[group].rank[n->peer];
    if (op.peer == b->rank)
        return fail_node(b, c, n, "it is a message to itself");
    op.kind = n->type == ORR_CHAKRA_SEND ? ORR_OP_SEND : ORR_OP_RECV;
    op.index = n->tag;
    op.bytes = n->size;
    b->part[b->parts - 1].messages = true;
    return orr__program_add(b->p, &op, id, b->why);
}

/* The unit is taken, the nodes do what they say, the unit is free again when
 * all have. */
static orr_err add_all(struct orr_chakra_build *b, uint32_t node,
                       const struct orr_chakra *c, uint32_t group,
                       uint32_t *inner)
{
    struct orr_op unit = {.kind = ORR_OP_WAIT,
                          .holds = true,
                          .keeps = true,
                          .stream = ORR_CHAKRA_COMM,
                          .priority = b->priority[node],
                          .who = ORR_EVERYONE};
    orr_err err = orr__program_add(b->p, &unit, &b->head[node], b->why);
    for (uint32_t i = 0; !err && i < c->nodes; i++) {
        err = add_inner(b, c, &c->node[i], group, &inner[i]);
        if (!err)
            err = orr__program_depend(b->p, b->head[node], inner[i], b->why);
    }
    for (uint32_t i = 0; !err && i < c->edges; i++)
        err = orr__program_depend(b->p, inner[c->edge[i].before],
                                  inner[c->edge[i].after], b->why);
    unit.holds = unit.keeps = false;
    unit.frees = true;
    if (!err)
        err = orr__program_add(b->p, &unit, &b->tail[node], b->why);
    for (uint32_t i = 0; !err && i < c->nodes; i++)
        err = orr__program_depend(b->p, inner[i], b->tail[node], b->why);
    return err;
}

orr_err orr__custom_add(struct orr_chakra_build *b, uint32_t node,
                        const char *prefix, uint32_t group)
{
    uint32_t position = group == ORR_EVERYONE
                            ? b->rank
                            : orr__group_find(&b->p->group[group], b->rank);
    const struct orr_chakra *c = NULL;
    orr_err err = ORR_OK;
    if (b->files != b->p->ranks)
        return orr__fail_at(b->why, ORR_ECONFIG, b->c->file, 0, 0,
                            "custom collectives need a file for each rank");
    err = load_position(b, prefix, position, &c);
    if (!err)
        err = orr__program_slots(b->p, ORR_CHAKRA_ANY, UINT32_MAX, b->why);
    if (err)
        return err;
    ORR_ASSERT(position
               < (group == ORR_EVERYONE ? b->p->ranks : b->p->group[group].n));
    uint32_t *inner = orr__alloc(c->nodes, sizeof *inner);
    if (!inner)
        return orr__no_memory(b->why);
    err = add_all(b, node, c, group, inner);
    orr__free(inner);
    return err;
}
