#include "workload/program/messages.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/assert.h"
#include "core/memory.h"
#include "core/table.h"

/* A collective of one member: where its spots are. */
struct taking {
    uint32_t spot;         /* the first of chunks * lanes * steps */
    uint32_t lanes, steps; /* steps of its longest lane */
};

/* One end of a message between two operations; the k-th of each kind with the
 * same ends and tag are one. */
struct end {
    uint32_t from, to, tag, order;
    uint32_t what; /* a send: its message; a recv: its place among all */
};

/* The list while it is made. Arrays are owned; sets of messages are stretches
 * of `before` of the list. */
struct lister {
    const struct orr_program *p;
    struct orr_message_list *l;
    uint32_t most;
    struct orr_table by_call; /* of a member and a call: its taking */
    struct taking *taking;
    uint32_t takings, taking_room;
    uint32_t *arrived, *behind; /* per spot: the last message that comes there;
                                 * per message: the one before */
    uint32_t spots, spot_room, behind_room;
    struct end *send, *recv;
    uint32_t sends, send_room, recvs, recv_room;
    uint32_t *place;  /* per rank: of its first operation, among all ranks' */
    uint32_t *single; /* per place: the message that a send or recv is */
    /* per operation of the part at work: what is over when it is */
    uint32_t *first, *n, *waits, *order;
    uint32_t *stamp, turn; /* per message: the set that it was last put in */
    struct orr_report *why;
};

void orr__message_list_free(struct orr_message_list *l)
{
    orr__free(l->message);
    orr__free(l->before);
}

static orr_err fail_many(const struct lister *x)
{
    return orr__fail(x->why, ORR_ECONFIG,
                     "the job sends more than %u messages in an iteration, or "
                     "they wait for more than that",
                     x->most);
}

/* ---- messages ------------------------------------------------------------ */

/* One more of the list. */
static orr_err add_message(struct lister *x, const struct orr_listed_message *m)
{
    struct orr_message_list *l = x->l;
    if (l->messages >= x->most)
        return fail_many(x);
    if (!orr__array_more(l->message, l->room, l->messages)
        || !orr__array_more(x->behind, x->behind_room, l->messages))
        return orr__no_memory(x->why);
    x->behind[l->messages] = ORR_NONE;
    l->message[l->messages++] = *m;
    return ORR_OK;
}

/* A member's part of a call, as it is met first; *t is its number. */
static orr_err take_part(struct lister *x, uint32_t member, uint32_t call,
                         uint32_t *t)
{
    const struct orr_call *c = &x->p->call[call];
    const uint64_t key = (uint64_t)member << 32 | call;
    struct taking new = {.spot = x->spots};
    *t = orr__table_find(&x->by_call, key);
    if (*t != ORR_NONE)
        return ORR_OK;
    new.lanes = orr__collective_lanes(&c->c);
    for (uint32_t i = 0; i < new.lanes; i++) {
        uint32_t steps = c->c.ops->steps(&c->c, i);
        new.steps = steps > new.steps ? steps : new.steps;
    }
    uint64_t more = (uint64_t)c->chunks * new.lanes *new.steps;
    /* most steps send: this is no small part of the messages */
    if (more + x->spots > 8 * (uint64_t)x->most)
        return fail_many(x);
    *t = x->takings;
    if (!orr__array_room(x->arrived, x->spot_room, x->spots + (size_t)more)
        || !orr__array_more(x->taking, x->taking_room, x->takings)
        || !orr__table_add(&x->by_call, key, *t))
        return orr__no_memory(x->why);
    for (uint64_t i = 0; i < more; i++)
        x->arrived[x->spots++] = ORR_NONE;
    x->taking[x->takings++] = new;
    return ORR_OK;
}

static uint32_t spot_of(const struct taking *t, uint32_t chunk, uint32_t lane,
                        uint32_t step)
{
    ORR_ASSERT(t);
    return t->spot + (chunk * t->lanes + lane) * t->steps + step;
}

static uint64_t bytes_of(const struct orr_call *c, uint32_t chunk)
{
    return c->chunks == 1 ? c->bytes
                          : orr__piece_bytes(c->bytes, c->chunks, chunk);
}

/* What a member sends at a spot; at.turn 0: of the first iteration. */
static orr_err list_spot(struct lister *x, uint32_t call, uint32_t chunk,
                         const struct orr_listed_message *like,
                         struct orr_spot at)
{
    const struct orr_call *c = &x->p->call[call];
    uint64_t bytes = bytes_of(c, chunk);
    uint32_t sends = 0, receives = 0, t = 0;
    orr_err err = ORR_OK;
    c->c.ops->count(&c->c, at, &sends, &receives);
    for (uint32_t i = 0; i < sends && !err; i++) {
        struct orr_transfer y = {.peer = 0};
        struct orr_listed_message m = *like;
        c->c.ops->send(&c->c, bytes, at, i, &y);
        if (y.bytes == 0)
            continue;
        m.to = orr__call_rank(x->p, c, y.peer, like->from);
        m.bytes = y.bytes;
        m.chunk = chunk;
        m.lane = at.lane;
        m.step = at.step;
        err = take_part(x, m.to, call, &t);
        if (!err)
            err = add_message(x, &m);
        if (err)
            break;
        uint32_t *to =
            &x->arrived[spot_of(&x->taking[t], chunk, at.lane, y.step)];
        x->behind[x->l->messages - 1] = *to;
        *to = x->l->messages - 1;
    }
    return err;
}

/* What member `who`, a rank or a server, sends in a collective. */
static orr_err list_call(struct lister *x, uint32_t op, uint32_t who)
{
    uint32_t call = x->p->op[op].index, t = 0;
    const struct orr_call *c = &x->p->call[call];
    const struct orr_listed_message like = {.from = who, .op = op};
    struct orr_spot at = {.member = orr__call_member(x->p, c, who)};
    if (at.member == UINT32_MAX)
        return ORR_OK;
    if (c->c.ops->on_trees)
        return orr__fail(x->why, ORR_ECONFIG,
                         "%s by switches: what these send is not listed",
                         orr__call_name(c));
    orr_err err = take_part(x, who, call, &t);
    uint32_t lanes = orr__collective_lanes(&c->c);
    for (uint32_t chunk = 0; chunk < c->chunks && !err; chunk++)
        for (at.lane = 0; at.lane < lanes && !err; at.lane++) {
            uint32_t steps = c->c.ops->steps(&c->c, at.lane);
            for (at.step = 0; at.step < steps && !err; at.step++)
                err = list_spot(x, call, chunk, &like, at);
        }
    return err;
}

/* A send or a receive of a rank. */
static orr_err list_single(struct lister *x, uint32_t op, uint32_t rank,
                           uint32_t place)
{
    const struct orr_op *o = &x->p->op[op];
    uint32_t peer = orr__op_peer(x->p, o, rank);
    bool sends = o->kind == ORR_OP_SEND;
    struct end e = {sends ? rank : peer, sends ? peer : rank, o->index, 0,
                    place};
    if (!sends) {
        if (!orr__array_more(x->recv, x->recv_room, x->recvs))
            return orr__no_memory(x->why);
        e.order = x->recvs;
        x->recv[x->recvs++] = e;
        return ORR_OK;
    }
    const struct orr_listed_message m = {
        .from = rank, .to = peer, .op = op, .bytes = o->bytes};
    orr_err err = add_message(x, &m);
    if (err)
        return err;
    if (!orr__array_more(x->send, x->send_room, x->sends))
        return orr__no_memory(x->why);
    ORR_ASSERT(x->single && x->send);
    e.order = x->sends;
    x->single[place] = e.what = x->l->messages - 1;
    x->send[x->sends++] = e;
    return ORR_OK;
}

/* All that a rank sends, in the order of its part. */
static orr_err list_rank(struct lister *x, uint32_t rank)
{
    const struct orr_part *part = orr__part_of(x->p, rank);
    orr_err err = ORR_OK;
    for (uint32_t i = 0; i < part->ops && !err; i++) {
        const struct orr_op *o = &x->p->op[part->op + i];
        if (!orr__program_runs(x->p, o, rank))
            continue;
        if (orr__op_has(o->kind, ORR_OP_HAS_CALL))
            err = list_call(x, part->op + i, rank);
        else if (orr__op_has(o->kind, ORR_OP_HAS_PEER))
            err = list_single(x, part->op + i, rank, x->place[rank] + i);
    }
    return err;
}

/* Servers answer each call of theirs. */
static orr_err list_servers(struct lister *x)
{
    orr_err err = ORR_OK;
    for (uint32_t i = 0; i < x->p->calls && !err; i++)
        for (uint32_t s = 0; s < x->p->call[i].c.servers && !err; s++)
            err = list_call(x, x->p->call[i].op,
                            x->p->ranks + x->p->call[i].server[s]);
    return err;
}

/* ---- ends ---------------------------------------------------------------- */

static int by_ends(const void *a, const void *b)
{
    const struct end *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    if (x->tag != y->tag)
        return x->tag < y->tag ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

static int by_key(const struct end *x, const struct end *y)
{
    struct end same = *y;
    same.order = x->order;
    return by_ends(x, &same);
}

/* Which message each receive waits for; one that nobody sends waits for none.
 */
static void match_message(struct lister *x)
{
    uint32_t i = 0, k = 0;
    if (x->sends)
        qsort(x->send, x->sends, sizeof *x->send, by_ends);
    if (x->recvs)
        qsort(x->recv, x->recvs, sizeof *x->recv, by_ends);
    while (i < x->sends && k < x->recvs) {
        int order = by_key(&x->send[i], &x->recv[k]);
        if (order == 0)
            x->single[x->recv[k].what] = x->send[i].what;
        i += order <= 0;
        k += order >= 0;
    }
}

/* ---- what waits for what ------------------------------------------------- */

/* Begins a set of messages. */
static uint32_t begin_set(struct lister *x)
{
    x->turn++;
    return x->l->befores;
}

/* One more of the set, if it is not in it. */
static orr_err add_to_set(struct lister *x, uint32_t message)
{
    struct orr_message_list *l = x->l;
    if (x->stamp[message] == x->turn)
        return ORR_OK;
    x->stamp[message] = x->turn;
    if (l->befores / 8 >= x->most)
        return fail_many(x);
    if (!orr__array_more(l->before, l->before_room, l->befores))
        return orr__no_memory(x->why);
    l->before[l->befores++] = message;
    return ORR_OK;
}

static orr_err put_set(struct lister *x, uint32_t first, uint32_t n)
{
    orr_err err = ORR_OK;
    for (uint32_t i = 0; i < n && !err; i++)
        err = add_to_set(x, x->l->before[first + i]);
    return err;
}

/* What came to a lane last, before `step`; *any: there is something. */
static orr_err put_arrived(struct lister *x, const struct taking *t,
                           uint32_t chunk, uint32_t lane, uint32_t step,
                           bool *any)
{
    orr_err err = ORR_OK;
    *any = false;
    while (step > 0 && !*any && !err) {
        uint32_t m = x->arrived[spot_of(t, chunk, lane, --step)];
        for (; m != ORR_NONE && !err; m = x->behind[m]) {
            *any = true;
            err = add_to_set(x, m);
        }
    }
    return err;
}

/* All that a chunk of a member ends with. */
static orr_err put_chunk(struct lister *x, const struct taking *t,
                         uint32_t chunk, bool *any)
{
    orr_err err = ORR_OK;
    ORR_ASSERT(t);
    *any = false;
    for (uint32_t lane = 0; lane < t->lanes && !err; lane++) {
        bool some;
        err = put_arrived(x, t, chunk, lane, t->steps, &some);
        *any |= some;
    }
    return err;
}

/* What is over when an operation is that has no messages of its own: what it
 * waits for; in the order of the part these are known. before: per operation
 * of the part. */
static orr_err put_waits(struct lister *x, const uint32_t *off,
                         const uint32_t *list, uint32_t i)
{
    orr_err err = ORR_OK;
    for (uint32_t k = off[i]; k < off[i + 1] && !err; k++)
        err = put_set(x, x->first[list[k]], x->n[list[k]]);
    return err;
}

/* Messages of a collective; [first, first + n): what it waits for. */
static orr_err wait_call(struct lister *x, uint32_t who, uint32_t call,
                         struct orr_listed_message *m, uint32_t first,
                         uint32_t n)
{
    const struct orr_call *c = &x->p->call[call];
    uint32_t t = orr__table_find(&x->by_call, (uint64_t)who << 32 | call);
    const struct taking *k = &x->taking[t];
    bool any = false;
    orr_err err;
    m->first = begin_set(x);
    err = put_arrived(x, k, m->chunk, m->lane, m->step, &any);
    if (!err && !any && m->chunk >= c->concurrent)
        err = put_chunk(x, k, m->chunk - c->concurrent, &any);
    if (!err && !any)
        err = put_set(x, first, n);
    m->n = x->l->befores - m->first;
    return err;
}

/* What is over when a collective is. */
static orr_err end_call(struct lister *x, uint32_t who, uint32_t call)
{
    const struct orr_call *c = &x->p->call[call];
    uint32_t t = orr__table_find(&x->by_call, (uint64_t)who << 32 | call);
    uint32_t from = c->chunks > c->concurrent ? c->chunks - c->concurrent : 0;
    orr_err err = ORR_OK;
    for (uint32_t i = from; i < c->chunks && !err && t != ORR_NONE; i++) {
        bool any;
        err = put_chunk(x, &x->taking[t], i, &any);
    }
    return err;
}

/* A rank's part. */
struct scope {
    uint32_t rank;
    const uint32_t *off, *list; /* what each operation waits for */
    const uint32_t *own; /* per operation, and one more: its first message */
};

/* Operation i, all before it being done: its messages, and what is over when
 * it is. */
static orr_err wait_op(struct lister *x, const struct scope *w, uint32_t i)
{
    const struct orr_part *part = orr__part_of(x->p, w->rank);
    const struct orr_op *o = &x->p->op[part->op + i];
    bool runs = orr__program_runs(x->p, o, w->rank);
    bool calls = runs && orr__op_has(o->kind, ORR_OP_HAS_CALL);
    uint32_t first = begin_set(x);
    orr_err err = put_waits(x, w->off, w->list, i);
    uint32_t n = x->l->befores - first;
    x->first[i] = first;
    x->n[i] = n;
    for (uint32_t m = w->own[i]; m < w->own[i + 1] && !err; m++) {
        struct orr_listed_message *y = &x->l->message[m];
        y->first = first;
        y->n = n;
        if (calls)
            err = wait_call(x, w->rank, o->index, y, first, n);
    }
    if (err || !runs || !orr__op_has(o->kind, ORR_OP_COMMUNICATES))
        return err;
    uint32_t single = x->single[x->place[w->rank] + i];
    uint32_t end = begin_set(x);
    err = calls                ? end_call(x, w->rank, o->index)
          : single != ORR_NONE ? add_to_set(x, single)
                               : ORR_OK;
    if (x->l->befores == end) /* it only sent */
        return err;
    x->first[i] = end;
    x->n[i] = x->l->befores - end;
    return err;
}

/* What each operation of a part waits for: list[off[i] .. off[i + 1]), and an
 * order. */
static void turn_round(const struct lister *x, const struct orr_part *part,
                       uint32_t *off, uint32_t *list)
{
    const struct orr_program *p = x->p;
    uint32_t done = 0;
    memset(off, 0, (part->ops + 1) * sizeof *off);
    for (uint32_t i = 0; i < part->ops; i++)
        off[i + 1] = off[i] + p->waits[part->op + i];
    for (uint32_t i = 0; i < part->ops; i++) {
        x->waits[i] = p->waits[part->op + i];
        if (x->waits[i] == 0)
            x->order[done++] = i;
    }
    for (uint32_t at = 0; at < done; at++) {
        uint32_t i = x->order[at], op = part->op + i;
        for (uint32_t k = p->next_off[op]; k < p->next_off[op + 1]; k++) {
            uint32_t next = p->next[k] - part->op;
            list[off[next] + --x->waits[next]] = i;
            if (x->waits[next] == 0)
                x->order[done++] = next;
        }
    }
}

/* A rank's messages, from *m on. */
static orr_err wait_rank(struct lister *x, uint32_t rank, uint32_t *m)
{
    const struct orr_part *part = orr__part_of(x->p, rank);
    uint32_t edges =
        x->p->next_off[part->op + part->ops] - x->p->next_off[part->op];
    uint32_t *off = orr__alloc((size_t)part->ops + 1, sizeof *off);
    uint32_t *own = orr__alloc((size_t)part->ops + 1, sizeof *own);
    uint32_t *list = orr__alloc(edges, sizeof *list);
    const struct scope w = {.rank = rank, .off = off, .list = list, .own = own};
    orr_err err = off && own && list ? ORR_OK : orr__no_memory(x->why);
    for (uint32_t i = 0; i < part->ops && !err; i++) {
        own[i] = *m;
        while (*m < x->l->messages && x->l->message[*m].from == rank
               && x->l->message[*m].op == part->op + i)
            (*m)++;
        own[i + 1] = *m;
    }
    if (!err)
        turn_round(x, part, off, list);
    for (uint32_t i = 0; i < part->ops && !err; i++)
        err = wait_op(x, &w, x->order[i]);
    orr__free(off);
    orr__free(own);
    orr__free(list);
    return err;
}

/* Of all; those of servers stand last. */
static orr_err wait_all(struct lister *x)
{
    uint32_t m = 0;
    orr_err err = ORR_OK;
    for (uint32_t r = 0; r < x->p->ranks && !err; r++)
        err = wait_rank(x, r, &m);
    for (; m < x->l->messages && !err; m++) {
        struct orr_listed_message *y = &x->l->message[m];
        err = wait_call(x, y->from, x->p->op[y->op].index, y, 0, 0);
    }
    return err;
}

/* ---- their order --------------------------------------------------------- */

/* A message that is being looked at: up to which of those it waits for. */
struct open {
    uint32_t message, k;
};

/* Levels of a message and of all before it: one more than the highest of
 * those. level: ORR_NONE: not known yet; ORR_NONE - 1: it is open. stack: room
 * for all messages. False: a circle. */
static bool find_level(const struct orr_message_list *l, uint32_t message,
                       uint32_t *level, struct open *stack)
{
    uint32_t depth = 0;
    stack[depth++] = (struct open){message, 0};
    level[message] = ORR_NONE - 1;
    while (depth > 0) {
        struct open *o = &stack[depth - 1];
        const struct orr_listed_message *m = &l->message[o->message];
        uint32_t highest = 0;
        if (o->k < m->n) {
            uint32_t b = l->before[m->first + o->k++];
            if (level[b] == ORR_NONE - 1)
                return false;
            if (level[b] != ORR_NONE)
                continue;
            level[b] = ORR_NONE - 1;
            stack[depth++] = (struct open){b, 0};
            continue;
        }
        for (uint32_t k = 0; k < m->n; k++) {
            uint32_t b = level[l->before[m->first + k]] + 1;
            highest = b > highest ? b : highest;
        }
        level[o->message] = highest;
        depth--;
    }
    return true;
}

/* By level, and else as they were. to: per message, scratch: its new number. */
static orr_err sort_by_level(struct lister *x, const uint32_t *level,
                             uint32_t *to)
{
    struct orr_message_list *l = x->l;
    uint32_t levels = 0;
    for (uint32_t i = 0; i < l->messages; i++)
        levels = level[i] >= levels ? level[i] + 1 : levels;
    uint32_t *next = orr__alloc((size_t)levels + 1, sizeof *next);
    struct orr_listed_message *sorted = orr__alloc(l->messages, sizeof *sorted);
    if (!next || !sorted) {
        orr__free(next);
        orr__free(sorted);
        return orr__no_memory(x->why);
    }
    for (uint32_t i = 0; i < l->messages; i++)
        next[level[i] + 1]++;
    for (uint32_t i = 0; i < levels; i++)
        next[i + 1] += next[i];
    for (uint32_t i = 0; i < l->messages; i++) {
        to[i] = next[level[i]]++;
        sorted[to[i]] = l->message[i];
    }
    for (uint32_t i = 0; i < l->befores; i++)
        l->before[i] = to[l->before[i]];
    orr__free(next);
    orr__free(l->message);
    l->message = sorted;
    l->room = l->messages;
    return ORR_OK;
}

/* Their numbers ascend from what is waited for to what waits. */
static orr_err order_messages(struct lister *x)
{
    uint32_t n = x->l->messages;
    uint32_t *level = orr__alloc(n, sizeof *level);
    uint32_t *to = orr__alloc(n, sizeof *to);
    struct open *stack = orr__alloc(n, sizeof *stack);
    orr_err err = level && to && stack ? ORR_OK : orr__no_memory(x->why);
    for (uint32_t i = 0; i < n && !err; i++)
        level[i] = ORR_NONE;
    for (uint32_t i = 0; i < n && !err; i++)
        if (level[i] == ORR_NONE && !find_level(x->l, i, level, stack))
            err = orr__fail(x->why, ORR_ECONFIG,
                            "messages wait for one another in a circle: the "
                            "job would never end");
    if (!err)
        err = sort_by_level(x, level, to);
    orr__free(level);
    orr__free(to);
    orr__free(stack);
    return err;
}

/* ---- the whole ----------------------------------------------------------- */

/* Scratch of all ranks and parts. */
static orr_err make_room(struct lister *x)
{
    uint32_t most = 0;
    uint64_t places = 0;
    x->place = orr__alloc(x->p->ranks, sizeof *x->place);
    if (!x->place)
        return orr__no_memory(x->why);
    for (uint32_t r = 0; r < x->p->ranks; r++) {
        uint32_t ops = orr__part_of(x->p, r)->ops;
        most = ops > most ? ops : most;
        x->place[r] = (uint32_t)places;
        places += ops;
        if (places >= ORR_NONE)
            return fail_many(x);
    }
    x->single = orr__alloc((size_t)places, sizeof *x->single);
    x->first = orr__alloc(most, sizeof *x->first);
    x->n = orr__alloc(most, sizeof *x->n);
    x->waits = orr__alloc(most, sizeof *x->waits);
    x->order = orr__alloc(most, sizeof *x->order);
    if (!x->single || !x->first || !x->n || !x->waits || !x->order)
        return orr__no_memory(x->why);
    for (uint64_t i = 0; i < places; i++)
        x->single[i] = ORR_NONE;
    return ORR_OK;
}

/* All but the list. */
static void free_room(struct lister *x)
{
    orr__table_fini(&x->by_call);
    orr__free(x->taking);
    orr__free(x->arrived);
    orr__free(x->behind);
    orr__free(x->send);
    orr__free(x->recv);
    orr__free(x->place);
    orr__free(x->single);
    orr__free(x->first);
    orr__free(x->n);
    orr__free(x->waits);
    orr__free(x->order);
    orr__free(x->stamp);
}

orr_err orr__program_messages(const struct orr_program *p, uint32_t most,
                              struct orr_message_list *out,
                              struct orr_report *why)
{
    struct lister x = {.p = p, .l = out, .most = most, .why = why};
    *out = (struct orr_message_list){.messages = 0};
    orr_err err = make_room(&x);
    for (uint32_t r = 0; r < p->ranks && !err; r++)
        err = list_rank(&x, r);
    if (!err)
        err = list_servers(&x);
    if (!err) {
        match_message(&x);
        x.stamp = orr__alloc(out->messages, sizeof *x.stamp);
        err = x.stamp ? wait_all(&x) : orr__no_memory(why);
    }
    if (!err)
        err = order_messages(&x);
    free_room(&x);
    return err;
}
