/* NetworkX's node-link JSON: {"nodes": [{"id": ...}], "edges" or "links":
 * [{"source": ..., "target": ...}], "directed": false, ...}, with the
 * attributes of graphml. Ids are texts, numbers, or lists of them (tuples);
 * source and target are ids, or, as NetworkX 1 and D3 have it, places in the
 * list of nodes where no node has such an id. Nodes without ids have their
 * places. Two opposite edges of a directed graph are refused. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/json_read.h"
#include "core/names.h"
#include "core/table.h"
#include "core/units.h"
#include "topo/file/file.h"

/* The reader's state; json values are borrowed from the root. */
struct document {
    struct orr_sketch *sketch;
    struct orr_report *why;
    struct orr_json_text text;
    json_t *nodes, *edges;
    const char *list; /* "nodes", "edges" or "links": what is being read */
    size_t at;        /* the item of it */
    struct orr_names ids;
    struct orr_table pairs; /* of a directed graph: the first edge, by ends */
    bool directed;
};

#define wrong(d, ...)                                                          \
    orr__json_fail_item(&(d)->text, (d)->list, (d)->at, (d)->why, __VA_ARGS__)

/* ---- values ------------------------------------------------------------ */

/* An attribute by its name, in any case; NULL: none, or null. */
static json_t *value_of(json_t *map, const char *name)
{
    const char *key;
    json_t *value, *found = json_object_get(map, name);
    if (!found)
        json_object_foreach(map, key,
                            value) if (!found && strcasecmp(key, name) == 0)
            found = value;
    return found && !json_is_null(found) ? found : NULL;
}

static const char *text_of(json_t *map, const char *name)
{
    const char *text = json_string_value(value_of(map, name));
    return text ? text : "";
}

/* NAN: not given. */
static orr_err read_number(struct document *d, json_t *map, const char *name,
                           double *x)
{
    json_t *value = value_of(map, name);
    const char *text = json_string_value(value);
    *x = NAN;
    if (!value || (text && !text[0]))
        return ORR_OK;
    if (json_is_number(value))
        *x = json_number_value(value);
    else if (!text || orr__parse_real(text, x))
        return wrong(d, "%s must be a number", name);
    return ORR_OK;
}

static orr_err read_flag(struct document *d, json_t *map, const char *name,
                         bool *flag, bool *no)
{
    json_t *value = value_of(map, name);
    const char *text = json_string_value(value);
    *flag = json_is_true(value) || (text && strcmp(text, "true") == 0);
    *no = json_is_false(value) || (text && strcmp(text, "false") == 0);
    if (!value || *flag || *no)
        return ORR_OK;
    return wrong(d, "%s must be true or false", name);
}

/* An id as a text, which differs for 1 and "1"; to be freed with orr__free. */
static char *id_text(json_t *id)
{
    size_t flags = JSON_ENCODE_ANY | JSON_COMPACT;
    size_t n = json_dumpb(id, NULL, 0, flags);
    char *text = orr__alloc(n + 1, 1);
    if (text && json_dumpb(id, text, n, flags) != n) {
        orr__free(text);
        return NULL;
    }
    return text;
}

/* ---- nodes ------------------------------------------------------------- */

/* The id as text is the key for ends of edges; two nodes of one id are refused.
 * Without a label the id is a weak name. */
static orr_err name_node(struct document *d, json_t *map, uint32_t v)
{
    struct orr_sketch *k = d->sketch;
    struct orr_sketch_node *n = &k->node[v];
    json_t *id = value_of(map, "id"), *place = id ? NULL : json_integer(v);
    if (!id && !place)
        return orr__no_memory(d->why);
    char *text = id_text(id ? id : place);
    const char *key = text ? orr__arena_strdup(&k->arena, text) : NULL;
    json_decref(place);
    orr__free(text);
    if (!key)
        return orr__no_memory(d->why);
    if (orr__names_find(&d->ids, key) != ORR_NONE)
        return wrong(d, "a node before has the id %.80s, too", key);
    if (!orr__names_add(&d->ids, key, v))
        return orr__no_memory(d->why);
    n->name = json_is_string(id)
                  ? orr__arena_strdup(&k->arena, json_string_value(id))
                  : key;
    const char *label = text_of(map, "name");
    if (!label[0] && json_is_string(id))
        label = json_string_value(id);
    n->weak = !label[0];
    label = n->weak ? text_of(map, "label") : label;
    n->label = orr__arena_strdup(&k->arena, label);
    return n->name && n->label ? ORR_OK : orr__no_memory(d->why);
}

/* X, y, z as they are; without them longitude and latitude are the picture as
 * well. */
static orr_err read_place(struct document *d, json_t *map,
                          struct orr_sketch_node *n)
{
    orr_err err = read_number(d, map, "x", &n->x);
    if (!err)
        err = read_number(d, map, "y", &n->y);
    if (!err)
        err = read_number(d, map, "z", &n->z);
    if (!err)
        err = read_number(d, map, "Latitude", &n->place.north);
    if (!err)
        err = read_number(d, map, "Longitude", &n->place.east);
    if (err)
        return err;
    const char *bad = orr__sketch_bad_place(&n->place);
    if (bad)
        return wrong(d, "node \"%.80s\": %s", n->name, bad);
    if (isnan(n->x) && isnan(n->y)) {
        n->x = n->place.east;
        n->y = n->place.north;
    }
    return ORR_OK;
}

/* "host" or "switch"; nothing only where the user says what untyped nodes
 * are. */
static orr_err read_type(struct document *d, json_t *map, const char *name)
{
    const char *type = text_of(map, "type");
    if (orr__sketch_type(d->sketch, type))
        return ORR_OK;
    orr_err err =
        type[0] ? wrong(d,
                        "node \"%.80s\": type must be host or switch, not "
                        "\"%.40s\"",
                        name, type)
                : wrong(d, "node \"%.80s\" has no type: host or switch", name);
    orr__sketch_type_hint(d->why);
    return err;
}

/* All that one node says; hosts have no level. */
static orr_err read_node(struct document *d, json_t *map)
{
    struct orr_sketch *k = d->sketch;
    double level = NAN;
    bool no;
    if (!json_is_object(map))
        return wrong(d, "a node must be a map: {\"id\": ...}");
    orr_err err = orr__sketch_node(k, false, d->why);
    uint32_t v = err ? 0 : k->nodes - 1;
    if (!err)
        err = name_node(d, map, v);
    if (err)
        return err;
    struct orr_sketch_node *n = &k->node[v];
    err = read_type(d, map, n->name);
    if (!err)
        err = read_place(d, map, n);
    if (!err)
        err = read_flag(d, map, "forward", &n->forward, &n->stays);
    if (!err)
        err = read_flag(d, map, "server", &n->server, &no);
    if (!err)
        err = read_number(d, map, "level", &level);
    if (err || isnan(level) || n->host)
        return err;
    if (!(level >= 1 && level <= 255) || level != floor(level))
        return wrong(d,
                     "the level of a switch is a whole number from 1 to 255");
    n->level = (uint8_t)level;
    return ORR_OK;
}

/* ---- edges ------------------------------------------------------------- */

/* By id first, then by place, as NetworkX 1 and D3 write it. */
static orr_err read_end(struct document *d, json_t *map, const char *key,
                        uint32_t *node)
{
    json_t *id = value_of(map, key);
    if (!id)
        return wrong(d, "the edge has no %s", key);
    char *text = id_text(id);
    if (!text)
        return orr__no_memory(d->why);
    json_int_t place = json_is_integer(id) ? json_integer_value(id) : -1;
    orr_err err = ORR_OK;
    *node = orr__names_find(&d->ids, text);
    if (*node == ORR_NONE && place >= 0 && place < d->sketch->nodes)
        *node = (uint32_t)place;
    if (*node == ORR_NONE)
        err = wrong(d, "the %s of the edge, %.80s, is no node", key, text);
    orr__free(text);
    return err;
}

/* Rate or delay as a text with a unit. "": none. */
static orr_err read_text(struct document *d, json_t *map, const char *key,
                         const char **text)
{
    json_t *value = value_of(map, key);
    *text = value ? json_string_value(value) : "";
    if (*text)
        return ORR_OK;
    if (!json_is_number(value))
        return wrong(d, "%s must be a text with a unit", key);
    orr_err err = wrong(d, "%s is the bare number %g: a unit is missing", key,
                        json_number_value(value));
    orr__hint(d->why, "make it a text, like \"%s\"",
              strcmp(key, "rate") == 0 ? "400Gbps" : "500ns");
    return err;
}

static orr_err no_value(struct document *d, const char *key)
{
    orr_err err = wrong(d, "the edge has no %s", key);
    orr__hint(d->why,
              "give each edge a %s, or set topology.link for all without one",
              key);
    return err;
}

/* `rate` in our units, or the Topology Zoo's LinkSpeedRaw in bit/s. */
static orr_err read_rate(struct document *d, json_t *map, uint64_t *bps,
                         unsigned *lacks)
{
    const char *text;
    double raw = NAN;
    orr_err err = read_text(d, map, "rate", &text);
    if (!err && text[0]) {
        const char *bad = orr__parse_rate(text, bps);
        if (bad)
            return wrong(d, "rate \"%.40s\": %s", text, bad);
        return *bps ? ORR_OK : wrong(d, "the rate of the edge is 0");
    }
    if (!err)
        err = read_number(d, map, "LinkSpeedRaw", &raw);
    if (err)
        return err;
    if (isnan(raw)) {
        *lacks |= ORR_LACKS_RATE;
        return d->sketch->draft->has_link ? ORR_OK : no_value(d, "rate");
    }
    if (!(raw >= 1 && raw <= 0x1p62))
        return wrong(d, "LinkSpeedRaw must be bits in a second, at least 1");
    *bps = (uint64_t)(raw + 0.5);
    return ORR_OK;
}

/* `delay`, or by distance where both ends have a place. */
static orr_err read_delay(struct document *d, json_t *map,
                          const uint32_t end[2], int64_t *ps, unsigned *lacks)
{
    const char *text;
    orr_err err = read_text(d, map, "delay", &text);
    if (err)
        return err;
    if (!text[0])
        return orr__sketch_delay(d->sketch, end[0], end[1], ps, lacks)
                   ? ORR_OK
                   : no_value(d, "delay");
    const char *bad = orr__parse_time(text, ps);
    if (bad)
        return wrong(d, "delay \"%.40s\": %s", text, bad);
    if (*ps == 0)
        return wrong(d, "the delay of the edge is 0: every link needs a "
                        "propagation delay > 0");
    return ORR_OK;
}

/* Two opposite edges may be meant as one cable or as two. */
static orr_err check_ends(struct document *d, const uint32_t end[2])
{
    uint64_t there = (uint64_t)end[0] << 32 | end[1];
    uint64_t back = (uint64_t)end[1] << 32 | end[0];
    const struct orr_sketch_node *n = d->sketch->node;
    if (end[0] == end[1])
        return wrong(d, "the edge joins \"%.80s\" to itself", n[end[0]].name);
    if (!d->directed)
        return ORR_OK;
    if (orr__table_find(&d->pairs, back) != ORR_NONE)
        return wrong(d,
                     "an edge before goes from \"%.80s\" to \"%.80s\": an "
                     "edge is a cable in both directions; for two cables set "
                     "\"directed\": false",
                     n[end[1]].name, n[end[0]].name);
    return orr__table_find(&d->pairs, there) != ORR_NONE
                   || orr__table_add(&d->pairs, there, (uint32_t)d->at)
               ? ORR_OK
               : orr__no_memory(d->why);
}

/* A cable; what it does not say is topology.link's, and noted. */
static orr_err read_edge(struct document *d, json_t *map)
{
    struct orr_line line = d->sketch->draft->link;
    uint32_t end[2] = {0, 0};
    unsigned lacks = 0;
    double loss = NAN;
    if (!json_is_object(map))
        return wrong(d, "an edge must be a map: {\"source\": ..., \"target\": "
                        "...}");
    orr_err err = read_end(d, map, "source", &end[0]);
    if (!err)
        err = read_end(d, map, "target", &end[1]);
    if (!err)
        err = check_ends(d, end);
    if (!err)
        err = read_rate(d, map, &line.rate_bps, &lacks);
    if (!err)
        err = read_delay(d, map, end, &line.delay_ps, &lacks);
    if (!err)
        err = read_number(d, map, "loss", &loss);
    if (err)
        return err;
    if (!isnan(loss) && !(loss >= 0 && loss <= 1))
        return wrong(d, "loss must be a probability, from 0 to 1");
    line.loss = isnan(loss) ? line.loss : loss;
    const char *tier = text_of(map, "tier");
    err = orr__sketch_cable(d->sketch, end[0], end[1], tier[0] ? tier : "link",
                            &line, d->why);
    if (!err)
        orr__sketch_lacks(d->sketch, lacks);
    return err;
}

/* ---- the file ---------------------------------------------------------- */

/* Nodes before edges, whatever their order in the file; d->list and d->at are
 * the place for messages. */
static orr_err read_lists(struct document *d, json_t *root)
{
    bool edges = json_object_get(root, "edges") != NULL;
    orr_err err;
    d->nodes = json_object_get(root, "nodes");
    d->edges = json_object_get(root, edges ? "edges" : "links");
    d->directed = json_is_true(json_object_get(root, "directed"));
    if (!json_is_array(d->nodes))
        return orr__json_fail(&d->text, "nodes", d->why,
                              "\"nodes\" must be a list of nodes");
    if (!json_is_array(d->edges))
        return orr__json_fail(&d->text, edges ? "edges" : "links", d->why,
                              "\"edges\" (or \"links\") must be a list of "
                              "edges");
    err = orr__sketch_reserve(d->sketch, json_array_size(d->nodes),
                              json_array_size(d->edges), d->why);
    d->list = "nodes";
    for (d->at = 0; !err && d->at < json_array_size(d->nodes); d->at++)
        err = read_node(d, json_array_get(d->nodes, d->at));
    if (err)
        return err;
    d->list = edges ? "edges" : "links";
    for (d->at = 0; !err && d->at < json_array_size(d->edges); d->at++)
        err = read_edge(d, json_array_get(d->edges, d->at));
    return err;
}

/* Lines of comments before the JSON become blank: lines keep their numbers. */
static void blank_comments(char *text)
{
    for (;;) {
        text += strspn(text, " \t\r\n");
        if (*text != '#' && strncmp(text, "//", 2) != 0)
            return;
        size_t n = strcspn(text, "\r\n");
        memset(text, ' ', n);
    }
}

/* Keys that stand twice are refused; lines of # before the JSON become blanks,
 * so that places stay. */
static orr_err read_networkx(struct orr_sketch *s, struct orr_report *why)
{
    struct document d = {.sketch = s, .why = why};
    struct orr_scan scan;
    json_t *root = NULL;
    orr_err err = orr__sketch_open(s, &scan, why);
    if (err)
        return err;
    char *text = scan.text + (orr__scan_line_tail(&scan) - scan.text);
    s->springs = true;
    blank_comments(text);
    d.text = (struct orr_json_text){
        .name = s->name,
        .text = text,
        .length = scan.size - (size_t)(text - scan.text),
    };
    err = orr__json_read(&d.text, JSON_REJECT_DUPLICATES, JSON_OBJECT,
                         "a map is expected: {\"nodes\": [...], \"edges\": "
                         "[...]}",
                         &root, why);
    if (!err)
        err = read_lists(&d, root);
    json_decref(root);
    orr__names_fini(&d.ids);
    orr__table_fini(&d.pairs);
    orr__scan_fini(&scan);
    return err;
}

extern const struct orr_topology_format_ops orr__topology_format_networkx;
const struct orr_topology_format_ops orr__topology_format_networkx = {
    .name = "networkx",
    .doc = "NetworkX's node-link JSON, with `edges` or `links`, and the keys "
           "of graphml as attributes.",
    .open = true,
    .read = read_networkx,
};
