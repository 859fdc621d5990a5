/* Programs as Chakra traces. ASTRA-sim's 2.x reads what is written here: times
 * are whole microseconds there, and numbers int64. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/units.h"
#include "workload/trace/chakra.h"
#include "workload/trace/chakra.pb-c.h"
#include "workload/trace/chakra_file.h"

enum { MOST_ATTRIBUTES = 8 };

struct writer {
    const struct orr_program *p;
    const struct orr_part *part;
    uint32_t rank;
    const char *file;
    FILE *f;
    uint32_t *off, *before; /* per operation of the part: what it waits for */
    uint8_t *buffer;
    size_t room;
    struct orr_report *why;
};

/* A node and what hangs off it. */
struct node {
    Orr__ChakraNode m;
    Orr__ChakraAttr attr[MOST_ATTRIBUTES], *list[MOST_ATTRIBUTES];
    char group[40];
};

/* ---- groups ------------------------------------------------------------- */

/* What a call's group is called; "" for all ranks. */
static void group_name(const struct orr_program *p, const struct orr_call *x,
                       uint32_t rank, char *name, size_t size)
{
    name[0] = '\0';
    if (x->stride)
        snprintf(name, size, "s%ux%u.%u", x->stride, x->c.n,
                 orr__call_rank(p, x, 0, rank));
    else if (x->group != ORR_EVERYONE)
        snprintf(name, size, "g%u", x->group);
}

/* ---- nodes -------------------------------------------------------------- */

static Orr__ChakraAttr *new_attr(struct node *n, const char *name)
{
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
    n->m.type = ORR_CHAKRA_COLL;
    add_number(n, "comm_type", types[x->c.ops->kind]);
    add_number(n, "comm_size", x->bytes);
    if (orr__collective_rooted(x->c.ops->kind))
        add_number(n, "root", orr__call_rank(w->p, x, x->c.root, w->rank));
    group_name(w->p, x, w->rank, n->group, sizeof n->group);
    if (!n->group[0])
        return;
    Orr__ChakraAttr *a = new_attr(n, "pg_name");
    a->value_case = ORR__CHAKRA_ATTR__VALUE_TEXT;
    a->text = n->group;
}

static void add_message(const struct writer *w, const struct orr_op *op,
                        struct node *n)
{
    bool send = op->kind == ORR_OP_SEND;
    uint32_t peer = orr__op_peer(w->p, op, w->rank);
    n->m.type = send ? ORR_CHAKRA_SEND : ORR_CHAKRA_RECV;
    add_number(n, "comm_size", op->bytes);
    add_number(n, "comm_src", send ? w->rank : peer);
    add_number(n, "comm_dst", send ? peer : w->rank);
    add_number(n, "comm_tag", op->index);
}

/* Microseconds, rounded to the nearest; something stays something. */
static uint64_t micros(int64_t ps)
{
    uint64_t us = ((uint64_t)ps + ORR_US / 2) / ORR_US;
    return us == 0 && ps > 0 ? 1 : us;
}

static void fill(const struct writer *w, uint32_t i, struct node *n)
{
    uint32_t id = w->part->op + i;
    const struct orr_op *op = &w->p->op[id];
    bool runs = orr__program_runs(w->p, op, w->rank);
    n->m = (Orr__ChakraNode)ORR__CHAKRA_NODE__INIT;
    n->m.attr = n->list;
    n->m.has_id = n->m.has_type = true;
    n->m.id = i;
    n->m.name = (char *)orr__op_name(w->p, id);
    n->m.type = ORR_CHAKRA_INVALID; /* joins what it waits for */
    Orr__ChakraAttr *cpu = new_attr(n, "is_cpu_op");
    cpu->value_case = ORR__CHAKRA_ATTR__VALUE_FLAG;
    cpu->flag = false;
    if (!runs)
        return;
    switch (op->kind) {
    case ORR_OP_COMPUTE:
        n->m.type = ORR_CHAKRA_COMP;
        n->m.has_duration_us = true;
        n->m.duration_us = micros(op->time_ps);
        break;
    case ORR_OP_SEND:
    case ORR_OP_RECV:
        add_message(w, op, n);
        break;
    case ORR_OP_COLLECTIVE:
        add_collective(w, op, n);
        break;
    default:
        break;
    }
}

/* ---- the file ----------------------------------------------------------- */

static orr_err put(struct writer *w, const ProtobufCMessage *m)
{
    size_t size = protobuf_c_message_get_packed_size(m), head = 0;
    uint8_t length[10];
    if (size > w->room) {
        uint8_t *p = orr__resize(w->buffer, size * 2, 1);
        if (!p)
            return orr__no_memory(w->why);
        w->buffer = p;
        w->room = size * 2;
    }
    protobuf_c_message_pack(m, w->buffer);
    for (size_t left = size; head == 0 || left; left >>= 7)
        length[head++] = (uint8_t)((left & 0x7f) | (left > 0x7f ? 0x80 : 0));
    if (fwrite(length, 1, head, w->f) != head ||
        fwrite(w->buffer, 1, size, w->f) != size)
        return orr__fail(w->why, ORR_EIO, "%s: %s", w->file, strerror(errno));
    return ORR_OK;
}

/* Turns the successors of the part's operations round. */
static orr_err turn_round(struct writer *w)
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
    for (uint32_t i = n; i-- > 0;)
        for (uint32_t e = p->next_off[first + i];
             e < p->next_off[first + i + 1]; e++)
            w->before[--w->off[p->next[e] - first + 1]] = i;
    /* off[k + 1] now says where operation k's begin */
    return ORR_OK;
}

static orr_err put_all(struct writer *w)
{
    Orr__ChakraHead head = ORR__CHAKRA_HEAD__INIT;
    uint64_t *data = NULL;
    size_t room = 0;
    head.version = (char *)"0.0.4";
    orr_err e = put(w, &head.base);
    for (uint32_t i = 0; !e && i < w->part->ops; i++) {
        struct node n;
        size_t waits = w->p->waits[w->part->op + i];
        fill(w, i, &n);
        if (waits > room) {
            uint64_t *more = orr__resize(data, waits * 2, sizeof *more);
            if (!more) {
                e = orr__no_memory(w->why);
                break;
            }
            data = more;
            room = waits * 2;
        }
        for (size_t k = 0; k < waits; k++)
            data[k] = w->before[w->off[i + 1] + k];
        n.m.data = data;
        n.m.n_data = waits;
        e = put(w, &n.m.base);
    }
    orr__free(data);
    return e;
}

orr_err orr__chakra_write(const struct orr_program *p, uint32_t rank,
                          const char *file, struct orr_report *why)
{
    struct writer w = {.p = p, .part = orr__part_of(p, rank), .rank = rank,
                       .file = file, .why = why};
    w.f = fopen(file, "wbe");
    if (!w.f)
        return orr__fail(why, ORR_EIO, "%s: %s", file, strerror(errno));
    orr_err e = turn_round(&w);
    if (!e)
        e = put_all(&w);
    if (fclose(w.f) && !e)
        e = orr__fail(why, ORR_EIO, "%s: %s", file, strerror(errno));
    orr__free(w.off);
    orr__free(w.before);
    orr__free(w.buffer);
    return e;
}

/* ---- groups, for ASTRA-sim ---------------------------------------------- */

/* One group of a call on a grid; each is said once, by the first call that has
 * its shape. */
static void say_group(const struct orr_program *p, const struct orr_call *x,
                      uint32_t rank, FILE *f, bool *any)
{
    char name[40];
    group_name(p, x, rank, name, sizeof name);
    (void)fprintf(f, "%s  \"%s\": [", *any ? ",\n" : "", name);
    *any = true;
    for (uint32_t i = 0; i < x->c.n; i++)
        (void)fprintf(f, "%s%u", i ? ", " : "",
                      orr__call_rank(p, x, i, rank));
    (void)fprintf(f, "]");
}

static bool said(const struct orr_program *p, uint32_t call)
{
    const struct orr_call *x = &p->call[call];
    for (uint32_t i = 0; i < call; i++) {
        const struct orr_call *y = &p->call[i];
        if (y->stride == x->stride && y->group == x->group &&
            y->c.n == x->c.n)
            return true;
    }
    return false;
}

orr_err orr__chakra_write_groups(const struct orr_program *p,
                                 const char *file, struct orr_report *why)
{
    FILE *f = fopen(file, "we");
    bool any = false;
    if (!f)
        return orr__fail(why, ORR_EIO, "%s: %s", file, strerror(errno));
    (void)fprintf(f, "{\n");
    for (uint32_t i = 0; i < p->calls; i++) {
        const struct orr_call *x = &p->call[i];
        if ((!x->stride && x->group == ORR_EVERYONE) || said(p, i))
            continue;
        for (uint32_t r = 0; r < p->ranks; r++)
            if (x->stride ? orr__call_member(p, x, r) == 0
                          : r == p->group[x->group].rank[0])
                say_group(p, x, r, f, &any);
    }
    (void)fprintf(f, "\n}\n");
    bool failed = ferror(f);
    if (fclose(f) || failed)
        return orr__fail(why, ORR_EIO, "%s: %s", file, strerror(errno));
    return ORR_OK;
}
