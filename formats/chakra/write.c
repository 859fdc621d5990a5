/* Programs as Chakra traces that ASTRA-sim's 2.x reads. Times are whole
 * microseconds there; numbers are int64, but int32 for ranks and tags, as its
 * feeder of 2024 looks for them; groups have numbers from 1 on.
 *
 * Operations that only join others become nodes without a type. ASTRA-sim
 * passes over these, but does not look at once for what they let go, so nothing
 * depends on them: what would, depends on what they join. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/assert.h"
#include "core/file.h"
#include "core/text.h"
#include "core/units.h"
#include "formats/chakra/chakra.h"
#include "formats/chakra/chakra.pb-c.h"
#include "formats/chakra/file.h"

enum { MOST_ATTRIBUTES = 9 };
/* A join that would make more dependencies than this is a node of its own: a
 * computation of no time, on the host. */
#define MOST_EDGES 4096

/* A kind of group that calls have; those of a stride are many groups. */
struct shape {
    uint32_t stride, n, group, base; /* the first of its groups' numbers */
};

/* One rank's file while it is written. */
struct writer {
    const struct orr_program *p;
    const struct orr_part *part;
    uint32_t rank;
    const char *file;
    FILE *f;
    struct shape *shape;
    uint32_t shapes;
    /* per operation of the part: what it waits for is before[off[i + 1]...] */
    uint32_t *off, *before;
    uint32_t *order; /* operations, after those that they wait for */
    /* per operation: what one that waits for it depends on, of list; len 0:
     * the operation itself */
    uint32_t *from, *len, *list;
    uint8_t *join;       /* per operation: enum join */
    struct inbox *inbox; /* per rank that this one receives from */
    uint32_t inboxes;
    uint32_t used, list_room;
    uint8_t *buffer;
    size_t room;
    struct orr_report *why;
};

enum join { NO_JOIN, JOIN, JOIN_KEPT };

/* What a rank sends to the one that is written, in order. */
struct inbox {
    uint32_t from, n, room, first; /* all before `first` are taken */
    struct sent {
        uint64_t bytes;
        uint32_t tag;
        bool taken;
    } * sent;
};

/* A node and what hangs off it. */
struct node {
    Orr__ChakraNode m;
    Orr__ChakraAttr attr[MOST_ATTRIBUTES], *list[MOST_ATTRIBUTES];
    char group[40];
    char *earlier; /* owned; NULL: it waits for no earlier iteration */
};

/* ---- groups ------------------------------------------------------------- */

static bool is_shape(const struct shape *s, const struct orr_call *x)
{
    return s->stride == x->stride && s->group == x->group && s->n == x->c.n;
}

/* The shape of a call, or NULL: it is one of all ranks. */
static const struct shape *shape_of(const struct writer *w,
                                    const struct orr_call *x)
{
    for (uint32_t i = 0; i < w->shapes; i++)
        if (is_shape(&w->shape[i], x))
            return &w->shape[i];
    return NULL;
}

static uint32_t groups_of(const struct orr_program *p, const struct shape *s)
{
    uint64_t block = (uint64_t)s->stride * s->n;
    return s->stride ? (uint32_t)((p->ranks + block - 1) / block) * s->stride
                     : 1;
}

/* Groups that are not all ranks get numbers, from 1 on, the same for all
 * ranks. */
static orr_err find_shapes(struct writer *w)
{
    uint32_t base = 1, room = 0;
    for (uint32_t i = 0; i < w->p->calls; i++) {
        const struct orr_call *x = &w->p->call[i];
        if ((!x->stride && x->group == ORR_EVERYONE) || shape_of(w, x))
            continue;
        if (!orr__array_more(w->shape, room, w->shapes))
            return orr__no_memory(w->why);
        w->shape[w->shapes++] =
            (struct shape){x->stride, x->c.n, x->group, base};
        base += groups_of(w->p, &w->shape[w->shapes - 1]);
    }
    return ORR_OK;
}

/* The number of a rank's group in a call; 0: all ranks. */
static uint32_t group_number(const struct writer *w, const struct orr_call *x,
                             uint32_t rank)
{
    const struct shape *s = shape_of(w, x);
    if (!s || !s->stride)
        return s ? s->base : 0;
    uint32_t first = orr__call_rank(w->p, x, 0, rank);
    ORR_ASSERT(first < w->p->ranks);
    return s->base + first / (s->stride * s->n) * s->stride + first % s->stride;
}

/* ---- nodes -------------------------------------------------------------- */

static Orr__ChakraAttr *new_attr(struct node *n, const char *name)
{
    ORR_ASSERT(n->m.n_attr < MOST_ATTRIBUTES);
    Orr__ChakraAttr *a = &n->attr[n->m.n_attr];
    *a = (Orr__ChakraAttr)ORR__CHAKRA_ATTR__INIT;
    a->name = (char *)name;
    n->list[n->m.n_attr++] = a;
    return a;
}

static void add_number(struct node *n, const char *name, uint64_t x)
{
    Orr__ChakraAttr *a = new_attr(n, name);
    a->value_case = ORR__CHAKRA_ATTR__VALUE_I64;
    a->i64 = (int64_t)x;
}

/* A rank or tag. */
static void add_small(struct node *n, const char *name, uint32_t x)
{
    if (x > INT32_MAX) {
        add_number(n, name, x);
        return;
    }
    Orr__ChakraAttr *a = new_attr(n, name);
    a->value_case = ORR__CHAKRA_ATTR__VALUE_I32;
    a->i32 = (int32_t)x;
}

static void add_flag(struct node *n, const char *name, bool x)
{
    Orr__ChakraAttr *a = new_attr(n, name);
    a->value_case = ORR__CHAKRA_ATTR__VALUE_FLAG;
    a->flag = x;
}

/* A collective's attributes; groups of all ranks have no name. */
static void add_collective(const struct writer *w, const struct orr_op *op,
                           struct node *n)
{
    static const uint8_t types[] = {
        [ORR_ALL_REDUCE] = ORR_CHAKRA_ALL_REDUCE,
        [ORR_REDUCE_SCATTER] = ORR_CHAKRA_REDUCE_SCATTER,
        [ORR_ALL_GATHER] = ORR_CHAKRA_ALL_GATHER,
        [ORR_ALL_TO_ALL] = ORR_CHAKRA_ALL_TO_ALL,
        [ORR_BROADCAST] = ORR_CHAKRA_BROADCAST,
        [ORR_REDUCE] = ORR_CHAKRA_REDUCE,
        [ORR_GATHER] = ORR_CHAKRA_GATHER,
        [ORR_SCATTER] = ORR_CHAKRA_SCATTER,
        [ORR_BARRIER] = ORR_CHAKRA_BARRIER,
    };
    const struct orr_call *x = &w->p->call[op->index];
    uint32_t group = group_number(w, x, w->rank);
    n->m.type = ORR_CHAKRA_COLL;
    add_flag(n, "is_cpu_op", false);
    add_number(n, "comm_type", types[x->c.ops->kind]);
    add_number(n, "comm_size", x->bytes);
    if (orr__collective_rooted(x->c.ops->kind))
        add_small(n, "root", orr__call_rank(w->p, x, x->c.root, w->rank));
    if (!group)
        return;
    snprintf(n->group, sizeof n->group, "%u", group);
    Orr__ChakraAttr *a = new_attr(n, "pg_name");
    a->value_case = ORR__CHAKRA_ATTR__VALUE_TEXT;
    a->text = n->group;
}

static orr_err add_sent(struct writer *w, struct inbox *b,
                        const struct orr_op *op)
{
    if (!orr__array_more(b->sent, b->room, b->n))
        return orr__no_memory(w->why);
    b->sent[b->n++] = (struct sent){op->bytes, op->index, false};
    return ORR_OK;
}

/* What another rank sends to this one: receives have the sizes of sends. */
static orr_err open_inbox(struct writer *w, uint32_t from, struct inbox **out)
{
    const struct orr_part *part = orr__part_of(w->p, from);
    orr_err err = ORR_OK;
    if (!orr__array_one_more(w->inbox, w->inboxes))
        return orr__no_memory(w->why);
    struct inbox *b = *out = &w->inbox[w->inboxes++];
    *b = (struct inbox){.from = from};
    for (uint32_t i = part->op; !err && i < part->op + part->ops; i++) {
        const struct orr_op *op = &w->p->op[i];
        if (op->kind == ORR_OP_SEND && orr__program_runs(w->p, op, from)
            && orr__op_peer(w->p, op, from) == w->rank)
            err = add_sent(w, b, op);
    }
    return err;
}

/* ASTRA-sim pairs messages by their sizes too: a receive says how much its
 * send sends, the next of that tag. */
static orr_err received_bytes(struct writer *w, const struct orr_op *op,
                              uint64_t *bytes)
{
    uint32_t from = orr__op_peer(w->p, op, w->rank), i = 0;
    struct inbox *b = NULL;
    orr_err err = ORR_OK;
    while (i < w->inboxes && w->inbox[i].from != from)
        i++;
    if (i == w->inboxes)
        err = open_inbox(w, from, &b);
    else
        b = &w->inbox[i];
    *bytes = 0;
    if (err)
        return err;
    for (i = b->first; i < b->n; i++)
        if (!b->sent[i].taken && b->sent[i].tag == op->index) {
            b->sent[i].taken = true;
            *bytes = b->sent[i].bytes;
            break;
        }
    while (b->first < b->n && b->sent[b->first].taken)
        b->first++;
    return ORR_OK;
}

static void add_message(const struct writer *w, const struct orr_op *op,
                        uint64_t bytes, struct node *n)
{
    bool send = op->kind == ORR_OP_SEND;
    uint32_t peer = orr__op_peer(w->p, op, w->rank);
    n->m.type = send ? ORR_CHAKRA_SEND : ORR_CHAKRA_RECV;
    add_flag(n, "is_cpu_op", false);
    add_number(n, "comm_size", bytes);
    add_small(n, "comm_src", send ? w->rank : peer);
    add_small(n, "comm_dst", send ? peer : w->rank);
    add_small(n, "comm_tag", op->index);
}

/* Microseconds, rounded to the nearest; something stays something. What that
 * changes is kept beside it, for orrery. */
static void add_compute(const struct orr_op *op, struct node *n)
{
    uint64_t ps = (uint64_t)op->time_ps, us = (ps + ORR_US / 2) / ORR_US;
    n->m.type = ORR_CHAKRA_COMP;
    n->m.has_duration_us = true;
    n->m.duration_us = us == 0 && ps > 0 ? 1 : us;
    add_flag(n, "is_cpu_op", false);
    if (ps != us * ORR_US)
        add_number(n, "duration_ps", ps);
    if (op->stream)
        add_small(n, "stream", op->stream);
}

/* "7@1 9@-2": waits for node 7 of the iteration before, and for node 9 two
 * iterations later; for orrery. */
static orr_err add_earlier(struct writer *w, uint32_t id, struct node *n)
{
    const struct orr_program *p = w->p;
    struct orr_text t = {0};
    if (!p->across_waits || !p->across_waits[id])
        return ORR_OK;
    for (uint32_t i = 0; i < p->crossings; i++) {
        const struct orr_crossing *x = &p->crossing[i];
        if (x->after == id)
            orr__text_add(&t, "%s%u@%d", t.s ? " " : "",
                          x->before - w->part->op, x->distance);
    }
    n->earlier = orr__text_done(&t);
    if (!n->earlier)
        return orr__no_memory(w->why);
    Orr__ChakraAttr *a = new_attr(n, ORR_CHAKRA_EARLIER);
    a->value_case = ORR__CHAKRA_ATTR__VALUE_TEXT;
    a->text = n->earlier;
    return ORR_OK;
}

/* An operation as a node, by its kind. */
static orr_err fill_node(struct writer *w, uint32_t i, struct node *n)
{
    uint32_t id = w->part->op + i;
    ORR_ASSERT(i < w->part->ops && id < w->p->ops);
    const struct orr_op *op = &w->p->op[id];
    uint64_t bytes = op->bytes;
    orr_err err = ORR_OK;
    n->m = (Orr__ChakraNode)ORR__CHAKRA_NODE__INIT;
    n->m.attr = n->list;
    n->earlier = NULL;
    n->m.has_id = n->m.has_type = true;
    n->m.id = i;
    n->m.name = (char *)orr__op_name(w->p, id);
    n->m.type = ORR_CHAKRA_INVALID;
    if (w->join[i] == JOIN_KEPT) {
        n->m.type = ORR_CHAKRA_COMP;
        add_flag(n, "is_cpu_op", true);
        add_flag(n, "joins", true);
    } else if (w->join[i]) {
        add_flag(n, "is_cpu_op", false);
    } else if (orr__op_has(op->kind, ORR_OP_COMPUTES)) {
        add_compute(op, n);
    } else if (orr__op_has(op->kind, ORR_OP_HAS_CALL)) {
        add_collective(w, op, n);
    } else {
        if (op->kind == ORR_OP_RECV)
            err = received_bytes(w, op, &bytes);
        add_message(w, op, bytes, n);
    }
    return err ? err : add_earlier(w, id, n);
}

/* ---- dependencies ------------------------------------------------------- */

/* Turns the successors of the part's operations round. */
static orr_err reverse_edges(struct writer *w)
{
    const struct orr_program *p = w->p;
    uint32_t first = w->part->op, n = w->part->ops;
    uint32_t edges = p->next_off[first + n] - p->next_off[first];
    w->off = orr__alloc(n + (size_t)1, sizeof *w->off);
    w->before = orr__alloc(edges, sizeof *w->before);
    if (!w->off || !w->before)
        return orr__no_memory(w->why);
    for (uint32_t i = 0; i < n; i++)
        w->off[i + 1] = w->off[i] + p->waits[first + i];
    ORR_ASSERT(w->off[n] == edges); /* each is waited for within the part */
    for (uint32_t i = n; i-- > 0;)
        for (uint32_t e = p->next_off[first + i];
             e < p->next_off[first + i + 1]; e++)
            w->before[--w->off[p->next[e] - first + 1]] = i;
    ORR_ASSERT(n == 0 || w->off[1] == 0);
    /* off[k + 1] now says where operation k's begin */
    return ORR_OK;
}

/* An operation stands behind those that it waits for, as readers expect. */
static orr_err put_in_order(struct writer *w)
{
    const struct orr_program *p = w->p;
    uint32_t first = w->part->op, n = w->part->ops, end = 0;
    uint32_t *left = orr__alloc(n, sizeof *left);
    w->order = orr__alloc(n, sizeof *w->order);
    if (!left || !w->order) {
        orr__free(left);
        return orr__no_memory(w->why);
    }
    for (uint32_t i = 0; i < n; i++) {
        left[i] = p->waits[first + i];
        if (left[i] == 0)
            w->order[end++] = i;
    }
    for (uint32_t k = 0; k < end; k++)
        for (uint32_t e = p->next_off[first + w->order[k]];
             e < p->next_off[first + w->order[k] + 1]; e++)
            if (--left[p->next[e] - first] == 0)
                w->order[end++] = p->next[e] - first;
    ORR_ASSERT(end == n); /* programs have no circles */
    orr__free(left);
    return ORR_OK;
}

static bool append(struct writer *w, uint32_t op)
{
    if (!orr__array_more(w->list, w->list_room, w->used))
        return false;
    w->list[w->used++] = op;
    return true;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* What operation i depends on, joins seen through, at the end of the list;
 * each once, ascending. */
static orr_err depends(struct writer *w, uint32_t i)
{
    uint32_t start = w->used, kept = start;
    uint32_t waits = w->p->waits[w->part->op + i];
    for (uint32_t k = 0; k < waits; k++) {
        uint32_t b = w->before[w->off[i + 1] + k];
        if (w->join[b] != JOIN && !append(w, b))
            return orr__no_memory(w->why);
        for (uint32_t m = 0; w->join[b] == JOIN && m < w->len[b]; m++)
            if (!append(w, w->list[w->from[b] + m]))
                return orr__no_memory(w->why);
    }
    if (w->used > start)
        qsort(w->list + start, w->used - start, sizeof *w->list, by_number);
    for (uint32_t k = start; k < w->used; k++)
        if (k == start || w->list[k] != w->list[k - 1])
            w->list[kept++] = w->list[k];
    w->used = kept;
    return ORR_OK;
}

/* Which operations only join, and what they do. */
static orr_err see_through(struct writer *w)
{
    const struct orr_program *p = w->p;
    uint32_t first = w->part->op, n = w->part->ops;
    w->from = orr__alloc(n, sizeof *w->from);
    w->len = orr__alloc(n, sizeof *w->len);
    w->join = orr__alloc(n, sizeof *w->join);
    if (!w->from || !w->len || !w->join)
        return orr__no_memory(w->why);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t i = w->order[k], id = first + i;
        const struct orr_op *op = &p->op[id];
        bool does = !orr__op_has(op->kind, ORR_OP_JOINS);
        if (does && orr__program_runs(p, op, w->rank))
            continue;
        w->from[i] = w->used;
        orr_err err = depends(w, i);
        if (err)
            return err;
        w->len[i] = w->used - w->from[i];
        uint64_t fan = p->next_off[id + 1] - p->next_off[id];
        bool keep = fan > 1 && fan * w->len[i] > MOST_EDGES;
        keep |= p->across_waits && p->across_waits[id];
        w->join[i] = keep ? JOIN_KEPT : JOIN;
    }
    return ORR_OK;
}

/* ---- the file ----------------------------------------------------------- */

/* A message behind its length, a varint. */
static orr_err put_message(struct writer *w, const ProtobufCMessage *m)
{
    size_t size = protobuf_c_message_get_packed_size(m), head = 0;
    uint8_t length[10];
    if (!orr__array_room(w->buffer, w->room, size))
        return orr__no_memory(w->why);
    protobuf_c_message_pack(m, w->buffer);
    for (size_t left = size; head == 0 || left; left >>= 7)
        length[head++] = (uint8_t)((left & 0x7f) | (left > 0x7f ? 0x80 : 0));
    if (fwrite(length, 1, head, w->f) != head
        || fwrite(w->buffer, 1, size, w->f) != size)
        return orr__fail(w->why, ORR_EIO, "%s: %s", w->file, strerror(errno));
    return ORR_OK;
}

/* A node with the ids of those that it depends on. */
static orr_err put_node(struct writer *w, uint32_t i)
{
    struct node n = {.earlier = NULL};
    uint32_t start = w->used;
    orr_err err = depends(w, i);
    size_t waits = w->used - start;
    uint64_t *data = err ? NULL : orr__alloc(waits, sizeof *data);
    if (!data)
        return err ? err : orr__no_memory(w->why);
    for (size_t k = 0; k < waits; k++)
        data[k] = w->list[start + k];
    w->used = start;
    err = fill_node(w, i, &n);
    n.m.data = data;
    n.m.n_data = waits;
    if (!err)
        err = put_message(w, &n.m.base);
    orr__free(data);
    orr__free(n.earlier);
    return err;
}

/* The head says that orrery wrote it. */
static orr_err put_all(struct writer *w)
{
    Orr__ChakraHead head = ORR__CHAKRA_HEAD__INIT;
    Orr__ChakraAttr own = ORR__CHAKRA_ATTR__INIT, *list = &own;
    own.name = (char *)"orrery";
    own.value_case = ORR__CHAKRA_ATTR__VALUE_FLAG;
    own.flag = true;
    head.version = (char *)"0.0.4";
    head.attr = &list;
    head.n_attr = 1;
    orr_err err = reverse_edges(w);
    if (!err)
        err = put_in_order(w);
    if (!err)
        err = see_through(w);
    if (!err)
        err = put_message(w, &head.base);
    for (uint32_t i = 0; !err && i < w->part->ops; i++)
        err = put_node(w, i);
    return err;
}

/* Of a writer in any state. */
static void writer_fini(struct writer *w)
{
    orr__free(w->shape);
    orr__free(w->off);
    orr__free(w->before);
    orr__free(w->order);
    orr__free(w->from);
    orr__free(w->len);
    orr__free(w->list);
    orr__free(w->join);
    for (uint32_t i = 0; i < w->inboxes; i++)
        orr__free(w->inbox[i].sent);
    orr__free(w->inbox);
    orr__free(w->buffer);
}

orr_err orr__chakra_write(const struct orr_program *p, uint32_t rank,
                          const char *file, struct orr_report *why)
{
    struct writer w = {.p = p,
                       .part = orr__part_of(p, rank),
                       .rank = rank,
                       .file = file,
                       .why = why};
    for (uint32_t i = 0; i < p->calls; i++)
        if (p->call[i].clock || p->call[i].pushes)
            return orr__fail(
                why, ORR_ECONFIG,
                "a Chakra trace cannot express asynchronous updates");
    struct orr_file out;
    orr_err err = orr__file_open(&out, file, why);
    if (err)
        return err;
    w.f = out.out;
    err = find_shapes(&w);
    if (!err)
        err = put_all(&w);
    writer_fini(&w);
    return orr__file_close(&out, err, why);
}

/* ---- groups, for ASTRA-sim ---------------------------------------------- */

static void say_group(const struct writer *w, const struct orr_call *x,
                      uint32_t rank, bool *any)
{
    (void)fprintf(w->f, "%s  \"%u\": [", *any ? ",\n" : "",
                  group_number(w, x, rank));
    *any = true;
    for (uint32_t i = 0; i < x->c.n; i++)
        (void)fprintf(w->f, "%s%u", i ? ", " : "",
                      orr__call_rank(w->p, x, i, rank));
    (void)fprintf(w->f, "]");
}

/* Whether rank r is in a call that takes a part of the ranks. */
static bool is_in_call(const struct orr_call *x, uint32_t r)
{
    return !x->count || (r >= x->from && r - x->from < x->count);
}

/* The groups of each shape once; *said: per number. */
static void say_all(const struct writer *w, uint8_t *said)
{
    const struct orr_program *p = w->p;
    bool any = false;
    for (uint32_t i = 0; i < p->calls; i++) {
        const struct orr_call *x = &p->call[i];
        for (uint32_t r = 0; shape_of(w, x) && r < p->ranks; r++) {
            bool first =
                x->stride ? is_in_call(x, r) && orr__call_member(p, x, r) == 0
                          : r == p->group[x->group].rank[0];
            if (!first || said[group_number(w, x, r)])
                continue;
            said[group_number(w, x, r)] = 1;
            say_group(w, x, r, &any);
        }
    }
}

orr_err orr__chakra_write_groups(const struct orr_program *p, const char *file,
                                 struct orr_report *why)
{
    struct writer w = {.p = p, .file = file, .why = why};
    orr_err err = find_shapes(&w);
    size_t numbers = 1;
    for (uint32_t i = 0; i < w.shapes; i++)
        numbers += groups_of(p, &w.shape[i]);
    uint8_t *said = err ? NULL : orr__alloc(numbers, 1);
    struct orr_file out;
    if (!err)
        err = said ? orr__file_open(&out, file, why) : orr__no_memory(why);
    if (!err) {
        w.f = out.out;
        (void)fprintf(w.f, "{\n");
        say_all(&w, said);
        (void)fprintf(w.f, "\n}\n");
        err = orr__file_close(&out, ORR_OK, why);
    }
    orr__free(said);
    writer_fini(&w);
    return err;
}
