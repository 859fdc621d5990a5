#include "formats/chakra/file.h"
#include "core/none.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/array.h"
#include "core/assert.h"
#include "core/table.h"
#include "core/units.h"
#include "formats/chakra/chakra.pb-c.h"
#include "formats/chakra/order.h"
#include "workload/program/program.h"

/* ---- a stream of messages ----------------------------------------------- */

/* Longer ones are taken for damage. */
#define MOST_MESSAGE (UINT64_C(1) << 26)
enum { BUFFER = 1 << 16, SCRATCH = 1 << 14 };

/* Messages behind their lengths. */
struct stream {
    const char *name;
    FILE *f; /* NULL: all is in the buffer */
    const uint8_t *data;
    uint8_t *buffer;
    size_t room, at, end; /* of data */
    uint64_t left;        /* in the file, after `end` */
    struct orr_report *why;
};

/* Makes n bytes lie at data + at; false: there are fewer. */
static bool has_bytes(struct stream *s, size_t n)
{
    ORR_ASSERT(s->at <= s->end);
    if (s->end - s->at >= n)
        return true;
    if (!s->f || n - (s->end - s->at) > s->left)
        return false;
    if (n > s->room && !orr__array_room(s->buffer, s->room, n + BUFFER)) {
        orr__no_memory(s->why);
        return false;
    }
    memmove(s->buffer, s->buffer + s->at, s->end - s->at);
    s->end -= s->at;
    s->at = 0;
    size_t got = fread(s->buffer + s->end, 1, s->room - s->end, s->f);
    s->end += got;
    ORR_ASSERT(s->end <= s->room);
    s->left -= got < s->left ? got : s->left;
    s->data = s->buffer;
    return s->end >= n;
}

/* A length; false at a clean end. *e: what is wrong otherwise. */
static bool next_length(struct stream *s, uint64_t *length, uint64_t message,
                        orr_err *e)
{
    *length = 0;
    *e = ORR_OK;
    for (int i = 0; i < 5; i++) {
        if (!has_bytes(s, 1)) {
            if (i == 0 && s->left == 0)
                return false;
            break;
        }
        uint8_t byte = s->data[s->at++];
        *length |= (uint64_t)(byte & 0x7f) << 7 * i;
        if (byte < 0x80) {
            if (*length > MOST_MESSAGE)
                break;
            return true;
        }
    }
    *e = orr__fail_at(s->why, ORR_ECONFIG, s->name, 0, 0,
                      "message %" PRIu64 " has no sensible length; this is "
                      "not a Chakra trace, or it is damaged",
                      message);
    return false;
}

/* *body is valid until the next one. ORR_ECONFIG: the file ends within. */
static orr_err next_body(struct stream *s, uint64_t length, uint64_t message,
                         const uint8_t **body)
{
    if (!has_bytes(s, length))
        return orr__fail_at(s->why, ORR_ECONFIG, s->name, 0, 0,
                            "truncated: message %" PRIu64
                            " should have %" PRIu64
                            " bytes, but the file ends before",
                            message, length);
    *body = s->data + s->at;
    s->at += length;
    return ORR_OK;
}

/* ---- memory for one message --------------------------------------------- */

/* Everything that decoding one message takes comes from here and is forgotten
 * with the next. What does not fit comes from the heap. */
struct scratch {
    uint8_t *base;
    size_t used;
    bool no_memory; /* so that what was decoded is NULL */
    struct big {
        struct big *next;
        max_align_t start[];
    } * big;
};

/* For protobuf, within one message: a block that is used again, or a piece of
 * its own. */
static void *scratch_alloc(void *data, size_t size)
{
    struct scratch *s = data;
    size_t n = (size + 15) & ~(size_t)15;
    ORR_ASSERT(s->used <= SCRATCH);
    if (n <= SCRATCH - s->used) {
        void *p = s->base + s->used;
        s->used += n;
        return p;
    }
    struct big *b = n >= size ? orr__alloc(1, sizeof *b + n) : NULL;
    if (!b) {
        s->no_memory = true;
        return NULL;
    }
    b->next = s->big;
    s->big = b;
    return b->start;
}

static void scratch_free(void *data, void *p)
{
}

static void scratch_reset(struct scratch *s)
{
    s->used = 0;
    while (s->big) {
        struct big *b = s->big;
        s->big = b->next;
        orr__free(b);
    }
}

/* ---- the file as it is read --------------------------------------------- */

struct wait { /* node `node` waits for the node called `on` */
    uint64_t on;
    uint32_t node;
    bool control;
};

struct earlier { /* node `node` waits for `on`, so many iterations earlier */
    uint64_t on;
    uint32_t node;
    int32_t distance;
};

/* A file while it is read. */
struct reader {
    struct stream in;
    struct orr_chakra *c;
    struct scratch scratch;
    ProtobufCAllocator allocator;
    struct wait *wait;
    uint32_t waits, wait_room;
    struct earlier *earlier;
    uint32_t n_earlier, earlier_room;
    struct orr_table by_id; /* of nodes: their index */
    enum orr_chakra_control control;
    struct orr_report *why;
};

static orr_err node_wrong(const struct reader *r,
                          const struct orr_chakra_node *n, const char *what)
{
    return orr__fail_at(r->why, ORR_ECONFIG, r->c->file, 0, 0,
                        "node %" PRIu64 ": %s", n->id, what);
}

/* ---- attributes --------------------------------------------------------- */

/* A whole number of any of protobuf's types; false: it is none. */
static bool read_whole(const Orr__ChakraAttr *a, int64_t *out)
{
    switch (a->value_case) {
    case ORR__CHAKRA_ATTR__VALUE_I32: *out = a->i32; return true;
    case ORR__CHAKRA_ATTR__VALUE_I64: *out = a->i64; return true;
    case ORR__CHAKRA_ATTR__VALUE_U32: *out = a->u32; return true;
    case ORR__CHAKRA_ATTR__VALUE_U64: *out = (int64_t)a->u64; return true;
    case ORR__CHAKRA_ATTR__VALUE_S32: *out = a->s32; return true;
    case ORR__CHAKRA_ATTR__VALUE_S64: *out = a->s64; return true;
    case ORR__CHAKRA_ATTR__VALUE_X32: *out = a->x32; return true;
    case ORR__CHAKRA_ATTR__VALUE_X64: *out = (int64_t)a->x64; return true;
    case ORR__CHAKRA_ATTR__VALUE_FLAG: *out = a->flag; return true;
    default: return false;
    }
}

/* The place of a text, each once; ORR_NONE: no memory. */
static uint32_t intern(struct reader *r, const char *text)
{
    struct orr_chakra *c = r->c;
    for (uint32_t i = 0; i < c->texts; i++)
        if (!strcmp(c->text[i], text))
            return i;
    char *copy = orr__arena_strdup(&c->arena, text);
    if (!copy || !orr__array_more(c->text, c->text_room, c->texts)) {
        orr__no_memory(r->why);
        return ORR_NONE;
    }
    c->text[c->texts] = copy;
    return c->texts++;
}

/* pg_name: a text, or in some traces a number. "" and "empty": none. */
static orr_err group_name(struct reader *r, const Orr__ChakraAttr *a,
                          struct orr_chakra_node *n)
{
    char number[24];
    int64_t x;
    const char *text = number;
    if (a->value_case == ORR__CHAKRA_ATTR__VALUE_TEXT)
        text = a->text;
    else if (read_whole(a, &x))
        snprintf(number, sizeof number, "%" PRId64, x);
    else
        return node_wrong(r, n, "pg_name: a text is expected");
    if (!*text || !strcmp(text, "empty"))
        return ORR_OK;
    n->group = intern(r, text);
    return n->group == ORR_NONE ? ORR_ENOMEM : ORR_OK;
}

/* "7@1 9@-2" */
static orr_err earlier(struct reader *r, const Orr__ChakraAttr *a,
                       const struct orr_chakra_node *n)
{
    const char *text =
        a->value_case == ORR__CHAKRA_ATTR__VALUE_TEXT ? a->text : "";
    do {
        char *end;
        struct earlier x = {.node = r->c->nodes};
        errno = 0;
        x.on = strtoull(text, &end, 10);
        if (errno || end == text || *end != '@')
            break;
        text = end + 1;
        long distance = strtol(text, &end, 10);
        if (errno || end == text || (*end && *end != ' ') || distance == 0
            || distance < -ORR_FARTHEST || distance > ORR_FARTHEST)
            break;
        x.distance = (int32_t)distance;
        text = end + (*end == ' ');
        if (!orr__array_more(r->earlier, r->earlier_room, r->n_earlier))
            return orr__no_memory(r->why);
        r->earlier[r->n_earlier++] = x;
        if (!*text)
            return ORR_OK;
    } while (true);
    return node_wrong(r, n, ORR_CHAKRA_EARLIER ": NODE@ITERATIONS is expected");
}

static void read_dims(const Orr__ChakraAttr *a, struct orr_chakra_node *n)
{
    n->involved = 0;
    for (size_t i = 0; i < a->flags->n_value && i < 32; i++)
        n->involved |= (uint32_t)(a->flags->value[i] != 0) << i;
}

/* Attributes that are numbers from 0 on. */
enum number {
    CPU,
    COMM,
    SIZE,
    SRC,
    DST,
    TAG,
    ROOT,
    ROOT_RANK,
    OPS,
    TENSOR,
    PRIORITY,
    PS,
    JOINS,
    STREAM
};
static const char *const numbers[] = {
    "is_cpu_op",     "comm_type",   "comm_size", "comm_src", "comm_dst",
    "comm_tag",      "root",        "root_rank", "num_ops",  "tensor_size",
    "comm_priority", "duration_ps", "joins",     "stream",   NULL};

static bool is_small(enum number i)
{
    return i == SRC || i == DST || i == TAG || i == ROOT || i == ROOT_RANK
           || i == PRIORITY || i == STREAM;
}

/* An attribute into its member; src and dst only where they say who is at the
 * other end. */
static void take_number(struct orr_chakra_node *n, enum number i, int64_t x)
{
    if (i == CPU)
        n->cpu = x;
    else if (i == COMM)
        n->comm = (int8_t)x;
    else if (i == SIZE)
        n->size = (uint64_t)x;
    else if ((i == SRC && n->type == ORR_CHAKRA_RECV)
             || (i == DST && n->type == ORR_CHAKRA_SEND))
        n->peer = (uint32_t)x;
    else if (i == TAG)
        n->tag = (uint32_t)x;
    else if (i == ROOT || i == ROOT_RANK)
        n->root = (uint32_t)x;
    else if (i == OPS)
        n->ops = (uint64_t)x;
    else if (i == TENSOR)
        n->tensor = (uint64_t)x;
    else if (i == PRIORITY)
        n->priority = x > INT32_MAX ? INT32_MAX : (int32_t)x;
    else if (i == PS)
        n->duration_ps = (uint64_t)x;
    else if (i == JOINS)
        n->joins = x;
    else if (i == STREAM)
        n->stream = x < UINT16_MAX ? (uint32_t)x : 0;
    n->sized |= i == SIZE;
}

/* The attributes that mean something here; others are passed over. */
static orr_err attribute(struct reader *r, const Orr__ChakraAttr *a,
                         struct orr_chakra_node *n)
{
    const char *name = a->name ? a->name : "";
    int64_t x = 0;
    int i = 0;
    if (!strcmp(name, "pg_name"))
        return group_name(r, a, n);
    if (!strcmp(name, ORR_CHAKRA_EARLIER))
        return earlier(r, a, n);
    if (!strcmp(name, "involved_dim")
        && a->value_case == ORR__CHAKRA_ATTR__VALUE_FLAGS) {
        read_dims(a, n);
        return ORR_OK;
    }
    while (numbers[i] && strcmp(numbers[i], name) != 0)
        i++;
    if (!numbers[i])
        return ORR_OK;
    if (!read_whole(a, &x) || x < 0) {
        char text[80];
        snprintf(text, sizeof text, "%s: a number from 0 on is expected", name);
        return node_wrong(r, n, text);
    }
    if (is_small((enum number)i) && x > UINT32_MAX)
        return node_wrong(r, n, "a rank, tag or priority is beyond 32 bits");
    if (i == COMM && x >= ORR_CHAKRA_COMM_TYPES)
        return node_wrong(r, n, "comm_type: there is no such collective");
    take_number(n, (enum number)i, x);
    return ORR_OK;
}

/* ---- groups in metadata ------------------------------------------------- */

/* What stands behind "key": in text, or NULL. */
static const char *behind(const char *text, const char *key, const char *end)
{
    size_t n = strlen(key);
    for (const char *p = text; p && p < end; p++) {
        p = strstr(p, key);
        if (!p || p >= end)
            return NULL;
        const char *q = p + n;
        if (p > text && (p[-1] == '"' || p[-1] == '\'') && *q == p[-1]) {
            q += 1 + strspn(q + 1, " ");
            if (*q == ':')
                return q + 1 + strspn(q + 1, " ");
        }
    }
    return NULL;
}

/* A process group of the metadata; without ranks it is only a name. */
static orr_err add_group(struct reader *r, const char *name, size_t length,
                         const char *ranks)
{
    struct orr_chakra *c = r->c;
    struct orr_chakra_group g = {0};
    char *copy = orr__arena_alloc(&c->arena, length + 1, 1);
    if (!copy || !orr__array_more(c->group, c->group_room, c->groups))
        return orr__no_memory(r->why);
    memcpy(copy, name, length);
    g.name = copy;
    size_t most = 1;
    for (const char *p = ranks; p && *p && *p != ']'; p++)
        most += *p == ',';
    g.rank = orr__arena_alloc(&c->arena, most, sizeof *g.rank);
    if (!g.rank)
        return orr__no_memory(r->why);
    for (const char *p = ranks; p && *p && *p != ']' && g.n < most;) {
        char *end;
        long long x = strtoll(p, &end, 10);
        if (end == p)
            break;
        g.rank[g.n++] = x;
        p = end + strspn(end, ", ");
    }
    ORR_ASSERT(g.n <= most);
    if (g.n == 0)
        g.rank = NULL;
    c->group[c->groups++] = g;
    return ORR_OK;
}

/* A metadata node's inputs may hold a list of {pg_name, ranks}. */
static orr_err metadata(struct reader *r, const Orr__ChakraNode *m)
{
    Orr__ChakraValues *v = m->has_inputs ? orr__chakra_values__unpack(
                               &r->allocator, m->inputs.len, m->inputs.data)
                                         : NULL;
    const char *p = v ? v->values : NULL, *end = p ? p + strlen(p) : NULL;
    orr_err err = r->scratch.no_memory ? orr__no_memory(r->why) : ORR_OK;
    while (!err && (p = behind(p, "pg_name", end)) != NULL) {
        bool quoted = *p == '"' || *p == '\'';
        const char *name = p + quoted;
        size_t n = strcspn(name, quoted ? "\"'" : ",} ");
        const char *next = behind(name, "pg_name", end);
        const char *ranks = behind(name, "ranks", next ? next : end);
        if (ranks && *ranks == '[')
            ranks++;
        err = add_group(r, name, n, ranks);
        p = name;
    }
    return err;
}

/* ---- nodes -------------------------------------------------------------- */

static orr_err keep_waits(struct reader *r, const uint64_t *on, size_t n,
                          bool control)
{
    for (size_t i = 0; i < n; i++) {
        if (!orr__array_more(r->wait, r->wait_room, r->waits))
            return orr__no_memory(r->why);
        r->wait[r->waits++] = (struct wait){on[i], r->c->nodes - 1, control};
    }
    return ORR_OK;
}

/* ORR_ECONFIG for what a node of its type needs and lacks. */
static orr_err check_node(const struct reader *r,
                          const struct orr_chakra_node *n, int32_t type)
{
    if (type < 0 || type >= ORR_CHAKRA_TYPES)
        return node_wrong(r, n,
                          "a type that this version of the format "
                          "does not have");
    if ((type == ORR_CHAKRA_SEND || type == ORR_CHAKRA_RECV)
        && n->peer == UINT32_MAX)
        return node_wrong(r, n,
                          type == ORR_CHAKRA_SEND ? "a send without comm_dst"
                                                  : "a recv without comm_src");
    if (type == ORR_CHAKRA_COLL && n->comm >= 0 && !n->sized
        && n->comm != ORR_CHAKRA_BARRIER)
        return node_wrong(r, n, "a collective without comm_size");
    return ORR_OK;
}

/* Ids are unique; what it waits for is resolved when all nodes are there. */
static orr_err add_node(struct reader *r, const Orr__ChakraNode *m)
{
    struct orr_chakra *c = r->c;
    struct orr_chakra_node n = {.id = m->id,
                                .duration_us = m->duration_us,
                                .peer = UINT32_MAX,
                                .group = ORR_NONE,
                                .involved = UINT32_MAX,
                                .comm = -1,
                                .type = (uint8_t)m->type};
    orr_err err = ORR_OK;
    for (size_t i = 0; !err && i < m->n_attr; i++)
        err = attribute(r, m->attr[i], &n);
    if (!err)
        err = check_node(r, &n, m->type);
    if (!err && m->type == ORR_CHAKRA_METADATA)
        err = metadata(r, m);
    if (err)
        return err;
    if (c->nodes == UINT32_MAX / 4
        || !orr__array_more(c->node, c->node_room, c->nodes))
        return orr__no_memory(r->why);
    if (orr__table_find(&r->by_id, n.id) != ORR_NONE)
        return node_wrong(r, &n, "there are two nodes with this id");
    if (!orr__table_add(&r->by_id, n.id, c->nodes))
        return orr__no_memory(r->why);
    c->node[c->nodes++] = n;
    err = keep_waits(r, m->data, m->n_data, false);
    return err ? err : keep_waits(r, m->control, m->n_control, true);
}

/* The first message. Versions 0.0.x have these fields; traces of PyTorch say
 * none and give the version of its own schema instead. */
static orr_err read_head(struct reader *r, const uint8_t *body, size_t length)
{
    Orr__ChakraHead *h = orr__chakra_head__unpack(&r->allocator, length, body);
    if (r->scratch.no_memory)
        return orr__no_memory(r->why);
    if (!h)
        return orr__fail_at(r->why, ORR_ECONFIG, r->c->file, 0, 0,
                            "does not begin as a Chakra trace");
    if (h->version && *h->version && strncmp(h->version, "0.0.", 4) != 0)
        return orr__fail_at(r->why, ORR_ECONFIG, r->c->file, 0, 0,
                            "version %.40s of the format is not known; 0.0.4 "
                            "is",
                            h->version);
    r->c->versioned = h->version && *h->version;
    for (size_t i = 0; i < h->n_attr; i++)
        r->c->own |= h->attr[i]->name && !strcmp(h->attr[i]->name, "orrery");
    if (!h->version && h->n_attr == 0 && length)
        return orr__fail_at(r->why, ORR_ECONFIG, r->c->file, 0, 0,
                            "does not begin as a Chakra trace");
    return ORR_OK;
}

/* A head, then nodes; at least one. */
static orr_err read_all(struct reader *r)
{
    const uint8_t *body = NULL;
    uint64_t length;
    orr_err err;
    for (uint64_t i = 0; next_length(&r->in, &length, i, &err); i++) {
        err = next_body(&r->in, length, i, &body);
        if (err)
            return err;
        scratch_reset(&r->scratch);
        if (i == 0) {
            err = read_head(r, body, length);
        } else {
            Orr__ChakraNode *m =
                orr__chakra_node__unpack(&r->allocator, length, body);
            if (m)
                err = add_node(r, m);
            else if (r->scratch.no_memory)
                err = orr__no_memory(r->why);
            else
                err = orr__fail_at(r->why, ORR_ECONFIG, r->c->file, 0, 0,
                                   "message %" PRIu64 " is not a node", i);
        }
        if (err)
            return err;
    }
    if (!err && r->c->nodes == 0)
        return orr__fail_at(r->why, ORR_ECONFIG, r->c->file, 0, 0,
                            "there are no nodes in it");
    return err;
}

/* ---- dependencies ------------------------------------------------------- */

/* Dependencies by id. Those on nodes that are not there are errors, of control
 * only counted. */
static orr_err resolve(struct reader *r)
{
    struct orr_chakra *c = r->c;
    bool counts = r->control == ORR_CHAKRA_COUNTS
                  || (r->control == ORR_CHAKRA_AUTO && c->versioned);
    for (uint32_t i = 0; i < r->waits; i++) {
        const struct wait *w = &r->wait[i];
        ORR_ASSERT(w->node < c->nodes);
        if (w->control && !counts) {
            c->ignored_control++;
            continue;
        }
        uint32_t at = orr__table_find(&r->by_id, w->on);
        if (at == ORR_NONE && w->control) {
            c->missing_control++;
            continue;
        }
        if (at == ORR_NONE)
            return orr__fail_at(r->why, ORR_ECONFIG, c->file, 0, 0,
                                "node %" PRIu64 " depends on node %" PRIu64
                                ", which does not exist",
                                c->node[w->node].id, w->on);
        if (!orr__array_more(c->edge, c->edge_room, c->edges))
            return orr__no_memory(r->why);
        c->edge[c->edges++] = (struct orr_chakra_edge){at, w->node};
    }
    return ORR_OK;
}

/* The same of earlier iterations, orrery's own. */
static orr_err resolve_earlier(struct reader *r)
{
    struct orr_chakra *c = r->c;
    for (uint32_t i = 0; i < r->n_earlier; i++) {
        const struct earlier *x = &r->earlier[i];
        uint32_t at = orr__table_find(&r->by_id, x->on);
        ORR_ASSERT(x->node < c->nodes);
        if (at == ORR_NONE)
            return orr__fail_at(r->why, ORR_ECONFIG, c->file, 0, 0,
                                "node %" PRIu64 " waits for node %" PRIu64
                                " of another iteration, which is not there",
                                c->node[x->node].id, x->on);
        if (!orr__array_more(c->across, c->across_room, c->n_across))
            return orr__no_memory(r->why);
        c->across[c->n_across++] =
            (struct orr_chakra_across){at, x->node, x->distance};
    }
    return ORR_OK;
}

/* ---- the whole ---------------------------------------------------------- */

/* All that it needs is freed here, but for the trace. */
static orr_err read_stream(struct reader *r)
{
    r->allocator =
        (ProtobufCAllocator){scratch_alloc, scratch_free, &r->scratch};
    r->scratch.base = orr__alloc(SCRATCH, 1);
    orr_err err = r->scratch.base ? read_all(r) : orr__no_memory(r->why);
    if (!err)
        err = resolve(r);
    if (!err)
        err = resolve_earlier(r);
    if (!err)
        err = orr__chakra_put_in_order(r->c, r->why);
    scratch_reset(&r->scratch);
    orr__free(r->scratch.base);
    orr__free(r->in.buffer);
    orr__free(r->wait);
    orr__free(r->earlier);
    orr__table_fini(&r->by_id);
    return err;
}

orr_err orr__chakra_load(const char *file, enum orr_chakra_control control,
                         struct orr_chakra *out, struct orr_report *why)
{
    struct reader r = {.c = out, .control = control, .why = why};
    struct stat st;
    FILE *f = fopen(file, "rbe");
    *out = (struct orr_chakra){.file = file};
    if (!f && errno == ENOMEM)
        return orr__no_memory(why);
    if (!f)
        return orr__fail_at(why, ORR_ECONFIG, file, 0, 0, "%s",
                            strerror(errno));
    if (fstat(fileno(f), &st) || !S_ISREG(st.st_mode)) {
        (void)fclose(f);
        return orr__fail_at(why, ORR_ECONFIG, file, 0, 0, "not a file");
    }
    r.in = (struct stream){.name = file,
                           .f = f,
                           .room = BUFFER,
                           .left = (uint64_t)st.st_size,
                           .why = why};
    r.in.buffer = orr__alloc(BUFFER, 1);
    r.in.data = r.in.buffer;
    orr_err err = r.in.buffer ? read_stream(&r) : orr__no_memory(why);
    (void)fclose(f);
    return err;
}

orr_err orr__chakra_parse(const char *name, const void *bytes, size_t size,
                          enum orr_chakra_control control,
                          struct orr_chakra *out, struct orr_report *why)
{
    struct reader r = {.c = out, .control = control, .why = why};
    *out = (struct orr_chakra){.file = name};
    r.in =
        (struct stream){.name = name, .data = bytes, .end = size, .why = why};
    return read_stream(&r);
}

void orr__chakra_fini(struct orr_chakra *c)
{
    orr__arena_fini(&c->arena);
    orr__free(c->node);
    orr__free(c->edge);
    orr__free(c->across);
    orr__free(c->order);
    orr__free(c->text);
    orr__free(c->group);
    *c = (struct orr_chakra){0};
}
