#include "topo/file/igraph_file.h"

#include <errno.h>
#include <igraph/igraph.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/units.h"

/* One that we know, and whether this file has it. */
struct attribute {
    const char *name;
    bool present;
    igraph_attribute_type_t type;
};

enum vertex_attribute {
    V_ID,
    V_NAME,
    V_LABEL,
    V_TYPE,
    V_FORWARD,
    V_SERVER,
    V_LEVEL,
    V_X,
    V_Y,
    V_Z,
    V_NORTH,
    V_EAST,
    V_COUNT
};
enum edge_attribute {
    E_ID,
    E_RATE,
    E_DELAY,
    E_LOSS,
    E_TIER,
    E_RAW,
    E_SIMPLEX,
    E_COUNT
};

/* The graph as igraph has it, destroyed by the reader. */
struct file {
    struct orr_sketch *sketch;
    const char *undirected; /* how a file says that it is */
    igraph_t ig;
    struct attribute v[V_COUNT], e[E_COUNT];
};

#define wrong(p, why, ...) orr__sketch_fail((p)->sketch, why, __VA_ARGS__)

/* The caller closes *out. A folder can be opened but not read, so it is told
 * apart here. */
static orr_err open_file(const struct orr_sketch *k, FILE **out,
                         struct orr_report *why)
{
    struct stat st;
    FILE *f = *out = fopen(k->path, "r");
    if (f && fstat(fileno(f), &st) == 0 && S_ISDIR(st.st_mode)) {
        fclose(f);
        f = NULL;
        errno = EISDIR; /* fopen opens folders, reading them fails */
    }
    if (f)
        return ORR_OK;
    if (errno == ENOMEM)
        return orr__no_memory(why);
    return orr__yaml_fail(k->draft->config, k->draft->blame, why,
                          "cannot read %s: %s", k->name, strerror(errno));
}

/* What libxml2 makes of a file, and igraph of that: by lines, each of them a
 * node, an edge or an attribute. */
static orr_err check_room(FILE *f, struct orr_report *why)
{
    enum { LINE = 16 }; /* bytes, at least */
    struct stat st;
    uint64_t bytes = fstat(fileno(f), &st) == 0 ? (uint64_t)st.st_size : 0;
    return orr__graph_room(bytes / LINE, 1 << 16, why);
}

orr_err orr__igraph_open(const struct orr_sketch *s, FILE **f,
                         struct orr_report *why)
{
    orr_err err = open_file(s, f, why);
    if (err)
        return err;
    err = check_room(*f, why);
    if (err) {
        fclose(*f);
        *f = NULL;
    }
    return err;
}

/* ---- messages ---- */

/* For messages: by id if there is one, else by place. */
static const char *vertex_name(const struct file *p, igraph_integer_t v,
                               char *buf, size_t size)
{
    const struct attribute *k = &p->v[V_ID];
    const char *id = k->present && k->type == IGRAPH_ATTRIBUTE_STRING
                         ? igraph_cattribute_VAS(&p->ig, "id", v)
                         : "";
    if (id[0])
        snprintf(buf, size, "node \"%.80s\"", id);
    else if (k->present && k->type == IGRAPH_ATTRIBUTE_NUMERIC)
        snprintf(buf, size, "node %.0f",
                 igraph_cattribute_VAN(&p->ig, "id", v));
    else
        snprintf(buf, size, "node %" PRId64, (int64_t)v);
    return buf;
}

/* Undirected edges have no way of their own, and igraph keeps none: they run
 * from the vertex that comes first in the file. */
static void ends_of(const struct file *p, igraph_integer_t e,
                    igraph_integer_t *a, igraph_integer_t *b)
{
    bool directed = igraph_is_directed(&p->ig);
    *a = directed ? IGRAPH_FROM(&p->ig, e) : IGRAPH_TO(&p->ig, e);
    *b = IGRAPH_OTHER(&p->ig, e, *a);
}

/* For messages: by id, or by both ends. */
static const char *edge_name(const struct file *p, igraph_integer_t e,
                             char *buf, size_t size)
{
    const char *id =
        p->e[E_ID].present ? igraph_cattribute_EAS(&p->ig, "id", e) : "";
    char from[96], to[96];
    igraph_integer_t a, b;
    ends_of(p, e, &a, &b);
    if (id[0])
        snprintf(buf, size, "edge \"%.80s\"", id);
    else
        snprintf(buf, size, "edge %" PRId64 " (%s to %s)", (int64_t)e,
                 vertex_name(p, a, from, sizeof from),
                 vertex_name(p, b, to, sizeof to));
    return buf;
}

/* ---- attributes ---- */

static void find_attributes(struct attribute *known, int n,
                            const igraph_strvector_t *names,
                            const igraph_vector_int_t *types)
{
    for (igraph_integer_t i = 0; i < igraph_strvector_size(names); i++)
        for (int k = 0; k < n; k++)
            if (strcmp(known[k].name, igraph_strvector_get(names, i)) == 0) {
                known[k].present = true;
                known[k].type = (igraph_attribute_type_t)VECTOR(*types)[i];
            }
}

/* Which of our attributes the file has, and of which type. Whatever of the six
 * vectors was made is destroyed. */
static orr_err list_attributes(struct file *p, struct orr_report *why)
{
    igraph_strvector_t name[3];
    igraph_vector_int_t type[3];
    int names = 0, types = 0;
    igraph_error_t status = IGRAPH_SUCCESS;
    while (names < 3 && !status)
        if (!(status = igraph_strvector_init(&name[names], 0)))
            names++;
    while (types < 3 && !status)
        if (!(status = igraph_vector_int_init(&type[types], 0)))
            types++;
    if (!status)
        status = igraph_cattribute_list(&p->ig, &name[0], &type[0], &name[1],
                                        &type[1], &name[2], &type[2]);
    if (!status) {
        find_attributes(p->v, V_COUNT, &name[1], &type[1]);
        find_attributes(p->e, E_COUNT, &name[2], &type[2]);
    }
    while (names > 0)
        igraph_strvector_destroy(&name[--names]);
    while (types > 0)
        igraph_vector_int_destroy(&type[--types]);
    /* Those called id, if they can name anything. */
    p->v[V_ID].present &= p->v[V_ID].type != IGRAPH_ATTRIBUTE_BOOLEAN;
    p->e[E_ID].present &= p->e[E_ID].type == IGRAPH_ATTRIBUTE_STRING;
    return orr__igraph(why, status, "reading the attributes of a graph");
}

/* ---- vertices ---- */

static const char *vertex_text(const struct file *p, enum vertex_attribute a,
                               igraph_integer_t v)
{
    return p->v[a].present && p->v[a].type == IGRAPH_ATTRIBUTE_STRING
               ? igraph_cattribute_VAS(&p->ig, p->v[a].name, v)
               : "";
}

/* NAN: not given. */
static double vertex_number(const struct file *p, enum vertex_attribute a,
                            igraph_integer_t v)
{
    return p->v[a].present && p->v[a].type == IGRAPH_ATTRIBUTE_NUMERIC
               ? igraph_cattribute_VAN(&p->ig, p->v[a].name, v)
               : NAN;
}

/* A boolean, or the texts true and false; not there or empty: false. */
static orr_err vertex_flag(const struct file *p, enum vertex_attribute a,
                           igraph_integer_t v, bool *flag,
                           struct orr_report *why)
{
    char name[96];
    *flag = false;
    if (!p->v[a].present)
        return ORR_OK;
    if (p->v[a].type == IGRAPH_ATTRIBUTE_BOOLEAN) {
        *flag = igraph_cattribute_VAB(&p->ig, p->v[a].name, v);
        return ORR_OK;
    }
    const char *text = vertex_text(p, a, v);
    *flag = strcmp(text, "true") == 0;
    if (*flag || text[0] == '\0' || strcmp(text, "false") == 0)
        return ORR_OK;
    return wrong(p, why, "%s: %s must be true or false, not \"%.40s\"",
                 vertex_name(p, v, name, sizeof name), p->v[a].name, text);
}

/* "host" or "switch"; nothing only where the user says what untyped nodes
 * are. */
static orr_err read_type(const struct file *p, igraph_integer_t v,
                         struct orr_report *why)
{
    const char *type = vertex_text(p, V_TYPE, v);
    char name[96];
    orr_err err;
    if (orr__sketch_type(p->sketch, type))
        return ORR_OK;
    vertex_name(p, v, name, sizeof name);
    if (type[0] == '\0')
        err = wrong(p, why, "%s has no type: host or switch", name);
    else
        err = wrong(p, why, "%s: type must be host or switch, not \"%.40s\"",
                    name, type);
    orr__sketch_type_hint(why);
    return err;
}

/* Where it is on the earth; pictures are drawn so, if nothing else is said. */
static orr_err read_place(const struct file *p, igraph_integer_t v,
                          struct orr_sketch_node *n, struct orr_report *why)
{
    char name[96];
    n->place = (struct orr_place){vertex_number(p, V_NORTH, v),
                                  vertex_number(p, V_EAST, v)};
    const char *bad = orr__sketch_bad_place(&n->place);
    if (bad)
        return wrong(p, why, "%s: %s", vertex_name(p, v, name, sizeof name),
                     bad);
    if (!p->v[V_X].present && !p->v[V_Y].present) {
        n->x = n->place.east;
        n->y = n->place.north;
    }
    return ORR_OK;
}

/* 1 to 255 of switches; 0: not said. Hosts have none. */
static orr_err read_level(const struct file *p, igraph_integer_t v, bool host,
                          uint8_t *level, struct orr_report *why)
{
    char name[96];
    double x = vertex_number(p, V_LEVEL, v);
    *level = 0;
    if (isnan(x) || host)
        return ORR_OK;
    if (!(x >= 1 && x <= 255) || x != floor(x))
        return wrong(p, why,
                     "%s: the level of a switch is a whole number "
                     "from 1 to 255, not %g",
                     vertex_name(p, v, name, sizeof name), x);
    *level = (uint8_t)x;
    return ORR_OK;
}

/* As programs number nodes: igraph, networkx. */
static bool is_automatic(const char *id)
{
    return id[0] == 'n' && id[1]
           && strspn(id + 1, "0123456789") == strlen(id + 1);
}

/* What it is called: its attribute `name`, or its id if somebody chose that,
 * or its label, if it is alone in having that. */
static const char *label_of(struct file *p, igraph_integer_t v, bool *weak)
{
    const char *name = vertex_text(p, V_NAME, v);
    int64_t number;
    *weak = false;
    if (!name[0] && p->v[V_ID].present) {
        name = vertex_text(p, V_ID, v);
        if (is_automatic(name) || !orr__parse_int(name, &number))
            name = "";
    }
    if (!name[0]) {
        name = vertex_text(p, V_LABEL, v);
        *weak = true;
    }
    return orr__arena_strdup(&p->sketch->arena, name);
}

/* Its id, for messages. */
static const char *name_of(struct file *p, igraph_integer_t v)
{
    const struct attribute *id = &p->v[V_ID];
    char text[32];
    if (!id->present)
        return "?";
    if (id->type == IGRAPH_ATTRIBUTE_STRING)
        return orr__arena_strdup(&p->sketch->arena, vertex_text(p, V_ID, v));
    snprintf(text, sizeof text, "%.0f", vertex_number(p, V_ID, v));
    return orr__arena_strdup(&p->sketch->arena, text);
}

/* Name, label, position and place; igraph gives NAN for numbers that are not
 * there. */
static orr_err read_vertex(struct file *p, igraph_integer_t v,
                           struct orr_report *why)
{
    struct orr_sketch *k = p->sketch;
    orr_err err = orr__sketch_node(k, false, why);
    if (!err)
        err = read_type(p, v, why);
    if (err)
        return err;
    struct orr_sketch_node *n = &k->node[v];
    n->name = name_of(p, v);
    n->label = label_of(p, v, &n->weak);
    if (n->name == NULL || n->label == NULL)
        return orr__no_memory(why);
    n->x = vertex_number(p, V_X, v);
    n->y = vertex_number(p, V_Y, v);
    n->z = vertex_number(p, V_Z, v);
    return read_place(p, v, n, why);
}

/* After the types: a file is told first of what is missing everywhere. */
static orr_err read_flags(struct file *p, igraph_integer_t v,
                          struct orr_report *why)
{
    struct orr_sketch_node *n = &p->sketch->node[v];
    orr_err err = vertex_flag(p, V_FORWARD, v, &n->forward, why);
    n->stays = strcmp(vertex_text(p, V_FORWARD, v), "false") == 0;
    if (!err)
        err = vertex_flag(p, V_SERVER, v, &n->server, why);
    if (!err)
        err = read_level(p, v, n->host, &n->level, why);
    return err;
}

/* Of a boolean igraph does not tell what is absent from what is false. If it is
 * true of some nodes, the others are those that do not forward; if of none, it
 * says nothing. */
static void read_booleans(struct file *p)
{
    struct orr_sketch *k = p->sketch;
    bool any = false;
    if (p->v[V_FORWARD].type != IGRAPH_ATTRIBUTE_BOOLEAN)
        return;
    for (uint32_t v = 0; v < k->nodes; v++)
        any |= k->node[v].forward;
    for (uint32_t v = 0; v < k->nodes; v++)
        k->node[v].stays = any && !k->node[v].forward;
}

/* Flags come after all nodes, since `server` depends on types. */
static orr_err read_vertices(struct file *p, struct orr_report *why)
{
    igraph_integer_t n = igraph_vcount(&p->ig);
    orr_err err = orr__sketch_reserve(p->sketch, (uint64_t)n,
                                      (uint64_t)igraph_ecount(&p->ig), why);
    for (igraph_integer_t v = 0; v < n && !err; v++)
        err = read_vertex(p, v, why);
    for (igraph_integer_t v = 0; v < n && !err; v++)
        err = read_flags(p, v, why);
    if (!err && p->v[V_FORWARD].present)
        read_booleans(p);
    return err;
}

/* ---- edges ---- */

/* The text of an edge's attribute; "" if there is none. A number is an error,
 * because it cannot say its unit. */
static orr_err edge_text(const struct file *p, enum edge_attribute a,
                         igraph_integer_t e, const char **text,
                         struct orr_report *why)
{
    const char *key = p->e[a].name;
    char name[256];
    *text = "";
    if (!p->e[a].present)
        return ORR_OK;
    if (p->e[a].type == IGRAPH_ATTRIBUTE_STRING) {
        *text = igraph_cattribute_EAS(&p->ig, key, e);
        return ORR_OK;
    }
    if (p->e[a].type == IGRAPH_ATTRIBUTE_NUMERIC) {
        double x = igraph_cattribute_EAN(&p->ig, key, e);
        if (isnan(x))
            return ORR_OK;
        orr_err err = wrong(p, why,
                            "%s: %s is the bare number %g: a unit is "
                            "missing",
                            edge_name(p, e, name, sizeof name), key, x);
        orr__hint(why, "make it a string, like \"%s\"",
                  a == E_RATE ? "400Gbps" : "500ns");
        return err;
    }
    return wrong(p, why, "%s: %s must be a string with a unit",
                 edge_name(p, e, name, sizeof name), key);
}

/* LinkSpeedRaw, as the Topology Zoo has it: bit/s. 0: there is none. */
static orr_err raw_rate(const struct file *p, igraph_integer_t e, uint64_t *bps,
                        struct orr_report *why)
{
    const struct attribute *a = &p->e[E_RAW];
    double x = NAN;
    char name[256];
    const char *bad = NULL;
    if (a->present && a->type == IGRAPH_ATTRIBUTE_NUMERIC) {
        x = igraph_cattribute_EAN(&p->ig, a->name, e);
    } else if (a->present && a->type == IGRAPH_ATTRIBUTE_STRING) {
        const char *text = igraph_cattribute_EAS(&p->ig, a->name, e);
        bad = text[0] ? orr__parse_real(text, &x) : NULL;
    }
    *bps = 0;
    if (!bad && isnan(x))
        return ORR_OK;
    if (bad || !(x >= 1 && x <= 0x1p62))
        return wrong(p, why,
                     "%s: LinkSpeedRaw must be bits in a second, at least 1",
                     edge_name(p, e, name, sizeof name));
    *bps = (uint64_t)(x + 0.5);
    return ORR_OK;
}

/* What an edge without rate or delay has; *lacks: what to say of it. */
static orr_err edge_default(const struct file *p, enum edge_attribute a,
                            igraph_integer_t e, struct orr_line *line,
                            unsigned *lacks, struct orr_report *why)
{
    const struct orr_sketch *k = p->sketch;
    igraph_integer_t from, to;
    char name[256];
    orr_err err = ORR_OK;
    bool known = k->draft->has_link;
    ends_of(p, e, &from, &to);
    if (a == E_DELAY) {
        known = orr__sketch_delay(k, (uint32_t)from, (uint32_t)to,
                                  &line->delay_ps, lacks);
    } else {
        uint64_t raw = 0;
        err = raw_rate(p, e, &raw, why);
        known |= raw > 0;
        if (raw > 0)
            line->rate_bps = raw;
        else
            *lacks |= ORR_LACKS_RATE;
    }
    if (err || known)
        return err;
    err = wrong(p, why, "%s has no %s", edge_name(p, e, name, sizeof name),
                p->e[a].name);
    orr__hint(why,
              "give each edge a %s, or set topology.link for all without one",
              p->e[a].name);
    return err;
}

/* Rate or delay of an edge. */
static orr_err edge_value(const struct file *p, enum edge_attribute a,
                          igraph_integer_t e, struct orr_line *line,
                          unsigned *lacks, struct orr_report *why)
{
    const char *text, *key = p->e[a].name;
    char name[256];
    orr_err err = edge_text(p, a, e, &text, why);
    if (err || text[0] == '\0')
        return err ? err : edge_default(p, a, e, line, lacks, why);
    const char *bad = a == E_RATE ? orr__parse_rate(text, &line->rate_bps)
                                  : orr__parse_time(text, &line->delay_ps);
    if (bad)
        return wrong(p, why, "%s: %s \"%.40s\": %s",
                     edge_name(p, e, name, sizeof name), key, text, bad);
    if (a == E_RATE && line->rate_bps == 0)
        return wrong(p, why, "%s: its rate is 0",
                     edge_name(p, e, name, sizeof name));
    if (a == E_DELAY && line->delay_ps == 0)
        return wrong(p, why,
                     "%s: its delay is 0: every link needs a "
                     "propagation delay > 0",
                     edge_name(p, e, name, sizeof name));
    return ORR_OK;
}

/* A number, or a text that is one; *loss stays if there is none. */
static orr_err edge_loss(const struct file *p, igraph_integer_t e, double *loss,
                         struct orr_report *why)
{
    const struct attribute *a = &p->e[E_LOSS];
    const char *bad = NULL;
    char name[256];
    double x = NAN;
    if (a->present && a->type == IGRAPH_ATTRIBUTE_NUMERIC) {
        x = igraph_cattribute_EAN(&p->ig, "loss", e);
    } else if (a->present && a->type == IGRAPH_ATTRIBUTE_STRING) {
        const char *text = igraph_cattribute_EAS(&p->ig, "loss", e);
        bad = text[0] ? orr__parse_real(text, &x) : NULL;
    }
    if (!bad && isnan(x))
        return ORR_OK;
    if (bad || !(x >= 0 && x <= 1))
        return wrong(p, why, "%s: loss must be a probability, from 0 to 1",
                     edge_name(p, e, name, sizeof name));
    *loss = x;
    return ORR_OK;
}

/* Whether an edge's cable goes one way alone; not there or empty: both. */
static orr_err edge_simplex(const struct file *p, igraph_integer_t e,
                            bool *simplex, struct orr_report *why)
{
    const struct attribute *a = &p->e[E_SIMPLEX];
    char name[256];
    const char *text = "";
    *simplex = false;
    if (a->present && a->type == IGRAPH_ATTRIBUTE_BOOLEAN)
        *simplex = igraph_cattribute_EAB(&p->ig, a->name, e);
    else if (a->present && a->type == IGRAPH_ATTRIBUTE_STRING)
        text = igraph_cattribute_EAS(&p->ig, a->name, e);
    else if (a->present)
        text = "a number";
    *simplex |= strcmp(text, "true") == 0;
    if (text[0] && !*simplex && strcmp(text, "false") != 0)
        return wrong(p, why, "%s: simplex must be true or false, not %.40s",
                     edge_name(p, e, name, sizeof name), text);
    if (*simplex && !igraph_is_directed(&p->ig))
        return wrong(p, why,
                     "%s: simplex is of directed edges, and these have no "
                     "direction",
                     edge_name(p, e, name, sizeof name));
    return ORR_OK;
}

/* topology.link's values stand where the file has none, and are noted as
 * lacking. */
static orr_err read_edge(struct file *p, igraph_integer_t e,
                         struct orr_report *why)
{
    struct orr_line line = p->sketch->draft->link;
    const char *tier = "";
    igraph_integer_t a, b;
    unsigned lacks = 0;
    bool simplex;
    char name[256];
    ends_of(p, e, &a, &b);
    if (a == b)
        return wrong(p, why, "%s joins a node to itself",
                     edge_name(p, e, name, sizeof name));
    orr_err err = edge_value(p, E_RATE, e, &line, &lacks, why);
    if (!err)
        err = edge_value(p, E_DELAY, e, &line, &lacks, why);
    if (!err)
        err = edge_loss(p, e, &line.loss, why);
    if (!err)
        err = edge_simplex(p, e, &simplex, why);
    if (err)
        return err;
    if (p->e[E_TIER].present && p->e[E_TIER].type == IGRAPH_ATTRIBUTE_STRING)
        tier = igraph_cattribute_EAS(&p->ig, "tier", e);
    err = orr__sketch_cable(p->sketch, (uint32_t)a, (uint32_t)b,
                            tier[0] ? tier : "link", &line, why);
    if (err)
        return err;
    orr__sketch_lacks(p->sketch, lacks);
    p->sketch->cable[p->sketch->cables - 1].simplex = simplex;
    return ORR_OK;
}

/* Two opposite edges of a directed graph may be meant as one cable or as two:
 * that would double the capacity or halve it without a word. Where `simplex`
 * says it of each edge they are what it says. */
static orr_err refuse_mutual(const struct file *p, struct orr_report *why)
{
    igraph_vector_bool_t mutual;
    char name[256];
    if (!igraph_is_directed(&p->ig) || p->e[E_SIMPLEX].present)
        return ORR_OK;
    orr_err err = orr__graph_room((uint64_t)igraph_vcount(&p->ig),
                                  (uint64_t)igraph_ecount(&p->ig), why);
    if (err)
        return err;
    err = orr__igraph(why, igraph_vector_bool_init(&mutual, 0),
                      "reading the edges of a graph");
    if (err)
        return err;
    err = orr__igraph(why,
                      igraph_is_mutual(&p->ig, &mutual,
                                       igraph_ess_all(IGRAPH_EDGEORDER_ID),
                                       false),
                      "reading the edges of a graph");
    for (igraph_integer_t e = 0; !err && e < igraph_ecount(&p->ig); e++)
        if (VECTOR(mutual)[e])
            err = wrong(p, why,
                        "%s has another edge the opposite way: an "
                        "edge is a cable in both directions; for two cables "
                        "set %s",
                        edge_name(p, e, name, sizeof name), p->undirected);
    igraph_vector_bool_destroy(&mutual);
    return err;
}

/* ---- all ---- */

static orr_err read_all(struct file *p, struct orr_report *why)
{
    orr_err err = list_attributes(p, why);
    if (!err)
        err = read_vertices(p, why);
    if (!err)
        err = refuse_mutual(p, why);
    for (igraph_integer_t e = 0; !err && e < igraph_ecount(&p->ig); e++)
        err = read_edge(p, e, why);
    return err;
}

orr_err orr__igraph_file(struct orr_sketch *s, const char *undirected,
                         orr_err (*read)(const struct orr_sketch *s,
                                         igraph_t *g, struct orr_report *why),
                         struct orr_report *why)
{
    struct file p = {
        .sketch = s,
        .undirected = undirected,
        .v = {{.name = "id"},
              {.name = "name"},
              {.name = "label"},
              {.name = "type"},
              {.name = "forward"},
              {.name = "server"},
              {.name = "level"},
              {.name = "x"},
              {.name = "y"},
              {.name = "z"},
              {.name = "Latitude"},
              {.name = "Longitude"}},
        .e = {{.name = "id"},
              {.name = "rate"},
              {.name = "delay"},
              {.name = "loss"},
              {.name = "tier"},
              {.name = "LinkSpeedRaw"},
              {.name = "simplex"}},
    };
    igraph_attribute_table_t *before =
        igraph_set_attribute_table(&igraph_cattribute_table);
    orr__igraph_init();
    orr_err err = read(s, &p.ig, why);
    s->springs = true;
    if (!err) {
        err = read_all(&p, why);
        igraph_destroy(&p.ig);
    }
    igraph_set_attribute_table(before);
    return err;
}
