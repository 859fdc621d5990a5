/* Every algorithm, carried out on vectors of small integers: the result must
 * be the collective's, and the bytes that each member sends the theory's. One
 * "byte" is one integer here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs those four first */
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "core/memory.h"
#include "tests/workload/collective/vectors.h"

#define MEMBERS_MAX 64
#define LANES_MAX   40

struct machine {
    struct orr_collective c;
    uint64_t bytes, span; /* span: positions of a member's buffer */
    uint32_t members;
    int64_t *buffer[MEMBERS_MAX];
    bool *known[MEMBERS_MAX];
    uint32_t step[MEMBERS_MAX][LANES_MAX];    /* each one's progress */
    uint32_t waiting[MEMBERS_MAX][LANES_MAX]; /* receives still to come */
    uint64_t sent[MEMBERS_MAX], received[MEMBERS_MAX];
    uint64_t heard[MEMBERS_MAX]; /* barrier: set of members heard of */
    struct message {
        uint32_t to, lane, from;
        struct orr_transfer t;
        int64_t *data;
        uint64_t heard;
    } * wire;
    uint32_t n_wire, cap_wire;
};

static void machine_init(struct machine *m)
{
    m->members = m->c.n + m->c.servers;
    m->span = vector_span(&m->c, m->bytes);
    for (uint32_t i = 0; i < m->members; i++) {
        m->buffer[i] = orr__alloc(m->span, sizeof(int64_t));
        m->known[i] = orr__alloc(m->span, sizeof(bool));
        m->heard[i] = UINT64_C(1) << i;
        for (uint64_t p = 0; p < m->span; p++)
            if (vector_given(&m->c, m->bytes, i, p)) {
                m->buffer[i][p] = vector_value(i, p);
                m->known[i][p] = true;
            }
    }
}

static void machine_fini(struct machine *m)
{
    for (uint32_t i = 0; i < m->members; i++) {
        orr__free(m->buffer[i]);
        orr__free(m->known[i]);
    }
    orr__free(m->wire);
}

static void put_on_wire(struct machine *m, uint32_t from, uint32_t lane,
                        const struct orr_transfer *t)
{
    if (m->n_wire == m->cap_wire) {
        m->cap_wire = m->cap_wire * 2 + 16;
        m->wire = orr__resize(m->wire, m->cap_wire, sizeof *m->wire);
    }
    struct message *x = &m->wire[m->n_wire++];
    *x = (struct message){t->peer, lane, from, *t, NULL, m->heard[from]};
    x->data = orr__alloc(t->bytes, sizeof(int64_t));
    uint64_t n = 0;
    for (uint32_t r = 0; r < orr__stretches(t); r++) {
        struct orr_range range = orr__stretch(&m->c, m->bytes, t, r);
        for (uint64_t k = 0; k < range.bytes; k++) {
            uint64_t p = range.first + k;
            if (m->c.ops->kind == ORR_BARRIER)
                continue;
            assert_in_range(p, 0, m->span - 1);
            /* servers hold nothing of their own, so only what they added up */
            assert_true(m->known[from][p]);
            x->data[n++] = m->buffer[from][p];
        }
    }
    m->sent[from] += t->bytes;
}

static uint32_t receives(struct machine *m, struct orr_spot at)
{
    uint32_t sends, n, real = 0;
    struct orr_transfer t;
    m->c.ops->count(&m->c, at, &sends, &n);
    for (uint32_t i = 0; i < n; i++) {
        m->c.ops->receive(&m->c, m->bytes, at, i, &t);
        assert_int_equal(t.step, at.step);
        real += t.bytes > 0;
    }
    return real;
}

static uint64_t stretched(const struct machine *m, const struct orr_transfer *t)
{
    uint64_t sum = 0;
    for (uint32_t r = 0; r < orr__stretches(t); r++)
        sum += orr__stretch(&m->c, m->bytes, t, r).bytes;
    return sum;
}

/* Enters a step: its sends leave. */
static void enter(struct machine *m, struct orr_spot at)
{
    m->step[at.member][at.lane] = at.step;
    if (at.step == m->c.ops->steps(&m->c, at.lane))
        return;
    uint32_t sends, n;
    struct orr_transfer t;
    m->c.ops->count(&m->c, at, &sends, &n);
    for (uint32_t i = 0; i < sends; i++) {
        m->c.ops->send(&m->c, m->bytes, at, i, &t);
        assert_int_not_equal(t.peer, at.member);
        assert_in_range(t.peer, 0, m->members - 1);
        assert_int_equal(t.bytes, stretched(m, &t));
        if (t.bytes)
            put_on_wire(m, at.member, at.lane, &t);
    }
    m->waiting[at.member][at.lane] = receives(m, at);
    if (m->waiting[at.member][at.lane] == 0)
        enter(m, (struct orr_spot){at.member, at.lane, at.step + 1});
}

/* The receiver's own account of the message must be the sender's. */
static void check_described(struct machine *m, const struct message *x)
{
    struct orr_spot at = {x->to, x->lane, x->t.step};
    uint32_t sends, n, found = 0;
    struct orr_transfer t;
    m->c.ops->count(&m->c, at, &sends, &n);
    for (uint32_t i = 0; i < n; i++) {
        m->c.ops->receive(&m->c, m->bytes, at, i, &t);
        if (t.peer == x->from && t.bytes) {
            found++;
            assert_int_equal(t.reduce, x->t.reduce);
            assert_memory_equal(t.range, x->t.range, sizeof t.range);
            assert_memory_equal(&t.blocks, &x->t.blocks, sizeof t.blocks);
        }
    }
    assert_int_equal(found, 1);
}

static void deliver(struct machine *m, const struct message *x)
{
    uint64_t n = 0;
    check_described(m, x);
    for (uint32_t r = 0;
         r < orr__stretches(&x->t) && m->c.ops->kind != ORR_BARRIER; r++) {
        struct orr_range range = orr__stretch(&m->c, m->bytes, &x->t, r);
        for (uint64_t k = 0; k < range.bytes; k++) {
            uint64_t p = range.first + k;
            int64_t had = m->known[x->to][p] ? m->buffer[x->to][p] : 0;
            m->buffer[x->to][p] = x->data[n++] + (x->t.reduce ? had : 0);
            m->known[x->to][p] = true;
        }
    }
    m->heard[x->to] |= x->heard;
    m->received[x->to] += x->t.bytes;
    if (--m->waiting[x->to][x->lane] == 0)
        enter(m, (struct orr_spot){x->to, x->lane, x->t.step + 1});
}

/* Delivers in a scrambled order whatever is due; what is early waits. */
static void machine_run(struct machine *m, uint32_t seed)
{
    uint32_t lanes = orr__collective_lanes(&m->c);
    assert_in_range(lanes, 1, LANES_MAX);
    for (uint32_t i = 0; i < m->members; i++)
        for (uint32_t lane = 0; lane < lanes; lane++)
            enter(m, (struct orr_spot){i, lane, 0});
    for (bool moved = true; moved && m->n_wire;) {
        moved = false;
        seed = seed * 1664525 + 1013904223;
        uint32_t from = (seed >> 8) % m->n_wire;
        for (uint32_t j = 0; j < m->n_wire && !moved; j++) {
            uint32_t k = (from + j) % m->n_wire;
            struct message x = m->wire[k];
            if (m->step[x.to][x.lane] != x.t.step)
                continue;
            m->wire[k] = m->wire[--m->n_wire];
            deliver(m, &x);
            orr__free(x.data);
            moved = true;
        }
    }
    assert_int_equal(m->n_wire, 0);
    for (uint32_t i = 0; i < m->members; i++)
        for (uint32_t lane = 0; lane < lanes; lane++)
            assert_int_equal(m->step[i][lane], m->c.ops->steps(&m->c, lane));
}

static void check_result(const struct machine *m)
{
    int64_t v;
    for (uint32_t i = 0; i < m->members; i++) {
        for (uint64_t p = 0; p < m->span; p++)
            if (vector_wanted(&m->c, m->bytes, i, p, &v)) {
                assert_true(m->known[i][p]);
                assert_int_equal(m->buffer[i][p], v);
            }
        if (m->c.ops->kind == ORR_BARRIER)
            assert_int_equal(m->heard[i], (UINT64_C(1) << m->c.n) - 1);
    }
}

/* ---- theory ------------------------------------------------------------- */

static uint64_t ring_all_reduce(const struct machine *m, uint32_t i,
                                uint64_t bytes, bool back)
{
    /* everything but the piece ahead of it, then all but the one after */
    uint32_t n = m->c.n;
    uint32_t next = back ? (i + n - 1) % n : (i + 1) % n;
    uint32_t after = back ? (i + 2 * n - 2) % n : (i + 2) % n;
    return 2 * bytes - orr__piece_bytes(bytes, n, next)
           - orr__piece_bytes(bytes, n, after);
}

static uint64_t expect_all_reduce(const struct machine *m, uint32_t i)
{
    uint32_t n = m->c.n;
    uint64_t b = m->bytes, own = orr__piece_bytes(b, n, i);
    const char *name = m->c.ops->name;
    if (!strcmp(name, "ring")) {
        if (m->c.direction == ORR_BOTH)
            return ring_all_reduce(m, i, b / 2, false)
                   + ring_all_reduce(m, i, b - b / 2, true);
        return ring_all_reduce(m, i, b, m->c.direction == ORR_BACKWARD);
    }
    if (!strcmp(name, "direct"))
        return b - own + (n - 1) * own;
    uint64_t lanes = orr__collective_lanes(&m->c);
    if (!strcmp(name, "torus") && b % (n * lanes) == 0)
        return 2 * (b - own);
    return UINT64_MAX;
}

/* UINT64_MAX: only the total is known, not each one's. */
static uint64_t expect_sent(const struct machine *m, uint32_t i)
{
    uint32_t n = m->c.n;
    uint64_t b = m->bytes;
    bool root = i == m->c.root;
    const char *name = m->c.ops->name;
    switch (m->c.ops->kind) {
    case ORR_ALL_REDUCE: return expect_all_reduce(m, i);
    case ORR_REDUCE_SCATTER: return b - orr__piece_bytes(b, n, i);
    case ORR_ALL_GATHER: return (n - 1) * b;
    case ORR_ALL_TO_ALL:
        if (!strcmp(name, "direct"))
            return b - orr__piece_bytes(b, n, i);
        return UINT64_MAX;
    case ORR_REDUCE:
    case ORR_GATHER: return root ? 0 : b;
    case ORR_SCATTER: return root ? (n - 1) * b : 0;
    case ORR_BROADCAST:
        if (!strcmp(name, "direct"))
            return root ? (n - 1) * b : 0;
        return UINT64_MAX;
    default: return orr__log2_up(n);
    }
}

static uint64_t expect_total(const struct machine *m)
{
    uint32_t n = m->c.n;
    uint64_t b = m->bytes, sum = 0;
    const char *name = m->c.ops->name;
    switch (m->c.ops->kind) {
    case ORR_ALL_REDUCE: {
        uint32_t p = 1;
        while (p * 2 <= n)
            p *= 2;
        if (!strcmp(name, "halving-doubling")) /* fold, 2 (p - 1), unfold */
            return 2 * (uint64_t)(n - p) * b + 2 * (uint64_t)(p - 1) * b;
        if (m->c.ops->doubles && m->c.shape == 1) /* all, in each step */
            return (uint64_t)n * orr__log2_up(n) * b;
        return 2 * b * (!strcmp(name, "parameter-server") ? n : n - 1);
    }
    case ORR_REDUCE_SCATTER:
    case ORR_BROADCAST:
    case ORR_REDUCE:
    case ORR_GATHER:
    case ORR_SCATTER: return (n - 1) * b;
    case ORR_ALL_GATHER: return (uint64_t)n * (n - 1) * b;
    case ORR_ALL_TO_ALL:
        if (m->c.ops->levels) { /* n - l for other servers, n - n / l inside */
            uint64_t l = (uint64_t)m->c.local;
            return b * (n - l) + n * b / n * (n - n / l);
        }
        for (uint32_t k = 1; k < n; k++) /* piece k places on travels k hops */
            sum += b * (strcmp(name, "direct") != 0 ? k : 1);
        return sum;
    default: return (uint64_t)n * orr__log2_up(n);
    }
}

static void check_bytes(const struct machine *m)
{
    uint64_t total = 0, received = 0, power = m->c.n & (m->c.n - 1);
    for (uint32_t i = 0; i < m->members; i++) {
        uint64_t want = i < m->c.n ? expect_sent(m, i) : UINT64_MAX;
        if (want != UINT64_MAX)
            assert_int_equal(m->sent[i], want);
        if (!strcmp(m->c.ops->name, "halving-doubling") && !power
            && m->bytes % m->c.n == 0)
            assert_int_equal(m->sent[i], 2 * (m->bytes - m->bytes / m->c.n));
        if (!strcmp(m->c.ops->name, "double-tree"))
            assert_true(m->sent[i] <= 4 * ((m->bytes + 1) / 2));
        total += m->sent[i];
        received += m->received[i];
    }
    assert_int_equal(total, received);
    if (m->c.ops->kind == ORR_ALL_TO_ALL && m->bytes % m->c.n)
        return; /* uneven pieces travel uneven ways: the result is checked */
    assert_int_equal(total, expect_total(m));
}

/* From ops->full bytes on, nothing that is sent or received is empty. */
static void check_full(const struct orr_collective *c, uint64_t bytes)
{
    if (!c->ops->full || bytes < c->ops->full(c))
        return;
    for (uint32_t member = 0; member < c->n; member++)
        for (uint32_t lane = 0; lane < orr__collective_lanes(c); lane++)
            for (uint32_t s = 0; s < c->ops->steps(c, lane); s++) {
                struct orr_spot at = {member, lane, s};
                uint32_t sends, receives;
                struct orr_transfer t;
                c->ops->count(c, at, &sends, &receives);
                for (uint32_t i = 0; i < sends; i++) {
                    c->ops->send(c, bytes, at, i, &t);
                    assert_true(t.bytes > 0);
                }
                for (uint32_t i = 0; i < receives; i++) {
                    c->ops->receive(c, bytes, at, i, &t);
                    assert_true(t.bytes > 0);
                }
            }
}

static void try(struct orr_collective c, uint64_t bytes)
{
    struct machine m = {.c = c, .bytes = bytes};
    m.c.largest = bytes;
    machine_init(&m);
    machine_run(&m, c.n * 31 + (uint32_t)bytes);
    if (bytes) {
        check_result(&m);
        check_bytes(&m);
    }
    machine_fini(&m);
    check_full(&c, bytes);
    if (c.ops->full)
        check_full(&c, c.ops->full(&c));
}

static void try_variants(struct orr_collective c, uint64_t bytes)
{
    const struct orr_param *p = c.ops->params;
    int choices = 1;
    for (; p && p->key; p++)
        if (p->type == ORR_PARAM_CHOICE)
            for (choices = 0; p->choices[choices]; choices++)
                ;
        else if (!strcmp(p->key, "window"))
            choices = 6;
    for (int i = 0; i < choices; i++) {
        c.direction = c.shape = i;
        c.window = i;
        try(c, bytes);
    }
}

static void test_results_and_bytes(void **state)
{
    const uint64_t sizes[] = {0, 1, 3, 17, 64, 1001};
    const struct orr_collective_ops *const *ops = orr__collectives();
    for (; *ops; ops++)
        for (uint32_t n = 1; n <= 17; n++)
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
                for (uint32_t root = 0; root < n; root++) {
                    if (root && !orr__collective_rooted((*ops)->kind))
                        break;
                    /* of many ranks half of the sizes, and of the roots those
                     * at the ends and in the middle */
                    if (n > 9
                        && ((n + s) % 2
                            || (root > 1 && root != n / 2 && root < n - 1)))
                        continue;
                    struct orr_collective c = {
                        .ops = *ops, .n = n, .root = root};
                    if ((*ops)->on_trees) /* switches add and copy: test_tree.c
                                           */
                        break;
                    if ((*ops)->from_file || ((*ops)->doubles && (n & (n - 1))))
                        continue;
                    if ((*ops)->serves)
                        c.servers = 1 + n % 4, c.shards = 1 + n % 7;
                    if ((*ops)->grid && n > 1)
                        c.n_dims = 1, c.dim[0] = n;
                    if ((*ops)->levels)
                        c.local = n % 4 == 0 ? 4 : n % 3 == 0 ? 3 : 1;
                    try_variants(c, sizes[s]);
                }
}

/* Servers of all sizes; between them only a share of the message travels. */
static void test_hierarchical(void **state)
{
    for (uint32_t local = 1; local <= 8; local++)
        for (uint32_t servers = 1; servers * local <= 26; servers++) {
            struct orr_collective c = {
                .ops = orr__collective_find(ORR_ALL_REDUCE, "hierarchical"),
                .n = local * servers,
                .local = local,
            };
            uint64_t between = 0, bytes = 24 * 7 * 5 * (uint64_t)servers;
            try(c, bytes);
            try(c, 7);
            for (uint32_t s = 0; s < c.ops->steps(&c, 0); s++) {
                struct orr_transfer t;
                c.ops->send(&c, bytes, (struct orr_spot){0, 0, s}, 0, &t);
                if (t.peer / local != 0)
                    between += t.bytes;
            }
            assert_int_equal(between,
                             2 * (bytes / local) * (servers - 1) / servers);
        }
}

/* Over servers of all sizes; each member of a server carries the same share
 * of what leaves it. */
static void test_nccl(void **state)
{
    const struct orr_collective_ops *ops[] = {
        orr__collective_find(ORR_ALL_REDUCE, "nccl-ring"),
        orr__collective_find(ORR_ALL_REDUCE, "nccl-tree"),
        orr__collective_find(ORR_REDUCE_SCATTER, "nccl-ring"),
        orr__collective_find(ORR_ALL_GATHER, "nccl-ring"),
    };
    for (uint32_t local = 1; local <= 8; local++)
        for (uint32_t servers = 1; servers * local <= 32; servers++)
            for (int k = 0; k < 4; k++) {
                struct orr_collective c = {
                    .ops = ops[k], .n = local * servers, .local = local};
                try(c, 7);
                try(c, 2 * local * c.n);
            }
    struct orr_collective c = {.ops = ops[0], .n = 12, .local = 4};
    for (uint32_t m = 4; m < 8; m++) {
        uint64_t out = 0;
        struct orr_transfer t;
        for (uint32_t lane = 0; lane < 4; lane++)
            for (uint32_t s = 0; s < 22; s++) {
                c.ops->send(&c, 480, (struct orr_spot){m, lane, s}, 0, &t);
                if (t.peer / 4 != 1)
                    out += t.bytes;
            }
        assert_int_equal(out, 22 * 480 / 12 / 4);
    }
}

/* Bytes of nccl-ring from a server to another that change the number within the
 * server: none, or one hop a ring of an odd number of servers. */
static void test_nccl_rails(void **state)
{
    const struct orr_collective_ops *ops =
        orr__collective_find(ORR_ALL_REDUCE, "nccl-ring");
    for (uint32_t local = 2; local <= 8; local++)
        for (uint32_t servers = 1; servers * local <= 40; servers++) {
            struct orr_collective c = {
                .ops = ops, .n = local * servers, .local = local};
            uint64_t bytes = (uint64_t)local * c.n, across = 0, between = 0;
            struct orr_spot at = {0, 0, 0};
            for (at.member = 0; at.member < c.n; at.member++)
                for (at.lane = 0; at.lane < local; at.lane++)
                    for (at.step = 0; at.step < 2 * (c.n - 1); at.step++) {
                        struct orr_transfer t;
                        c.ops->send(&c, bytes, at, 0, &t);
                        if (t.peer / local == at.member / local)
                            continue;
                        between += t.bytes;
                        if (t.peer % local != at.member % local)
                            across += t.bytes;
                    }
            uint64_t hop = local * 2 * (c.n - 1);
            assert_int_equal(between, servers > 1 ? servers * hop : 0);
            assert_int_equal(across, servers > 1 && servers % 2 ? hop : 0);
        }
}

/* What each member sends in Gloo's ring, from the library's own rules: rounds
 * of `all - 2` segments of `segment` bytes. */
static uint64_t gloo_sends(uint32_t n, uint64_t bytes, uint32_t member)
{
    struct orr_collective c = {
        .ops = orr__collective_find(ORR_ALL_REDUCE, "gloo-ring"),
        .n = n,
        .largest = bytes,
    };
    uint64_t sum = 0;
    for (uint32_t s = 0; s < c.ops->steps(&c, 0); s++) {
        struct orr_transfer t;
        c.ops->send(&c, bytes, (struct orr_spot){member, 0, s}, 0, &t);
        sum += t.bytes;
    }
    return sum;
}

static void test_gloo_segments(void **state)
{
    const uint64_t mib = UINT64_C(1) << 20;
    /* two segments a member: the ideal ring */
    assert_int_equal(gloo_sends(4, 4096, 2), 2 * 3 * 1024);
    assert_int_equal(gloo_sends(4, 8 * mib, 0), 12 * mib);
    /* 36 segments of a MiB, 34 of them in each round */
    assert_int_equal(gloo_sends(4, 36 * mib, 1), 2 * 34 * mib);
    /* VGG-11's gradients: the 36th segment holds 224,296 B and is left out
     * by the members whose round does not come to it */
    const uint64_t vgg = 36924456, last = vgg - 35 * mib;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < 4; i++)
        sum += gloo_sends(4, vgg, i);
    assert_int_equal(last, 224296);
    assert_in_range(gloo_sends(4, vgg, 0), 69700000, 71303168);
    assert_in_range(sum, 4 * 66 * mib, 4 * 68 * mib);
    /* the result is right with many segments as well */
    struct orr_collective c = {
        .ops = orr__collective_find(ORR_ALL_REDUCE, "gloo-ring"), .n = 2};
    struct machine m = {.c = c, .bytes = 5 * mib + 12};
    m.c.largest = m.bytes;
    machine_init(&m);
    machine_run(&m, 1);
    check_result(&m);
    machine_fini(&m);
}

static void test_pieces_cover(void **state)
{
    const uint64_t sizes[] = {0, 1, 7, 4096, UINT64_C(1) << 40, UINT64_MAX};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (uint32_t n = 1; n < 70000; n = n * 3 + 1) {
            assert_int_equal(orr__piece_start(sizes[s], n, 0), 0);
            assert_int_equal(orr__piece_start(sizes[s], n, n), sizes[s]);
            for (uint32_t i = 0; i < n; i += 1 + n / 50) {
                unsigned __int128 x = (unsigned __int128)i * sizes[s] / n;
                assert_int_equal(orr__piece_start(sizes[s], n, i), (uint64_t)x);
            }
        }
}

static void test_registry(void **state)
{
    const char *names[16];
    for (int k = 0; k < ORR_COLLECTIVE_KIND_COUNT; k++) {
        enum orr_collective_kind kind = (enum orr_collective_kind)k;
        const char *name = orr__collective_kind_name(kind);
        assert_int_equal(orr__collective_kind(name), k);
        const struct orr_collective_ops *d = orr__collective_find(kind, NULL);
        assert_non_null(d);
        orr__collective_names(kind, names, 16);
        assert_string_equal(names[0], d->name);
        for (int i = 0; names[i]; i++)
            assert_non_null(orr__collective_find(kind, names[i]));
    }
    assert_null(orr__collective_find(ORR_BARRIER, "ring"));
    assert_int_equal(orr__collective_kind("allreduce"), -1);
}

/* Both trees together: with even n nobody is inside both. */
static void test_double_tree_swaps_roles(void **state)
{
    const struct orr_collective_ops *ops =
        orr__collective_find(ORR_ALL_REDUCE, "double-tree");
    for (uint32_t n = 2; n <= 64; n++) {
        struct orr_collective c = {.ops = ops, .n = n};
        uint32_t leaves = 0;
        for (uint32_t i = 0; i < n; i++) {
            uint32_t s, r[2];
            ops->count(&c, (struct orr_spot){i, 0, 0}, &s, &r[0]);
            ops->count(&c, (struct orr_spot){i, 1, 0}, &s, &r[1]);
            assert_true(r[0] == 0 || r[1] == 0);
            leaves += r[0] == 0 && r[1] == 0;
        }
        assert_int_equal(leaves, n % 2);
    }
}

/* ---- grids -------------------------------------------------------------- */

static const struct {
    uint32_t n_dims, dim[6];
} grids[] = {
    {0, {0}},          {1, {8}},
    {1, {5}},          {2, {2, 3}},
    {2, {3, 2}},       {2, {4, 4}},
    {2, {2, 32}},      {2, {7, 5}},
    {3, {4, 4, 4}},    {3, {2, 3, 4}},
    {3, {5, 2, 3}},    {4, {2, 2, 2, 2}},
    {4, {3, 2, 3, 3}}, {6, {2, 2, 2, 2, 2, 2}},
};

static struct orr_collective on_grid(size_t g, int direction)
{
    struct orr_collective c = {
        .ops = orr__collective_find(ORR_ALL_REDUCE, "torus"),
        .n = 1,
        .direction = direction,
        .n_dims = grids[g].n_dims,
    };
    memcpy(c.dim, grids[g].dim, sizeof grids[g].dim);
    for (uint32_t d = 0; d < c.n_dims; d++)
        c.n *= c.dim[d];
    return c;
}

static void test_torus_on_grids(void **state)
{
    const uint64_t sizes[] = {0, 1, 2, 5, 63, 64, 97, 1001};
    for (size_t g = 0; g < sizeof grids / sizeof *grids; g++)
        for (int way = ORR_FORWARD; way <= ORR_BOTH; way++) {
            struct orr_collective c = on_grid(g, way);
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
                try(c, sizes[s]);
            /* all pieces alike: each member sends as much as the others */
            try(c, 3 * (uint64_t)c.n * orr__collective_lanes(&c));
        }
}

/* The dimension in which two members differ: they must be neighbours in it,
 * and have all other coordinates in common. *up: towards the higher place. */
static uint32_t dimension_of(const struct orr_collective *c, uint32_t a,
                             uint32_t b, bool *up)
{
    uint32_t d = 0;
    for (; a % c->dim[d] == b % c->dim[d]; d++) {
        a /= c->dim[d];
        b /= c->dim[d];
    }
    uint32_t n = c->dim[d], by = (b % n + n - a % n) % n;
    assert_int_equal(a / n, b / n);
    assert_true(by == 1 || by == n - 1);
    *up = by == 1;
    return d;
}

/* Where all dimensions are alike, each step sends one message out of each port
 * of a member, and all messages of a step have the same size. */
static void test_torus_uses_all_ports(void **state)
{
    for (size_t g = 0; g < sizeof grids / sizeof *grids; g++) {
        struct orr_collective c = on_grid(g, ORR_BOTH);
        bool alike = c.n_dims > 0 && c.dim[0] > 2;
        for (uint32_t d = 1; d < c.n_dims; d++)
            alike = alike && c.dim[d] == c.dim[0];
        for (uint32_t m = 0; alike && m < c.n; m++)
            for (uint32_t s = 0; s < c.ops->steps(&c, 0); s++) {
                struct orr_transfer t, first;
                uint64_t bytes = 6 * UINT64_C(4096) * c.n * c.n_dims;
                uint32_t ports = 0;
                bool up;
                c.ops->send(&c, bytes, (struct orr_spot){m, 0, s}, 0, &first);
                for (uint32_t lane = 0; lane < c.ops->lanes(&c); lane++) {
                    c.ops->send(&c, bytes, (struct orr_spot){m, lane, s}, 0,
                                &t);
                    uint32_t d = dimension_of(&c, m, t.peer, &up);
                    ports |= 1u << (2 * d + up);
                    assert_int_equal(t.bytes, first.bytes);
                }
                assert_int_equal(ports, (1u << 2 * c.n_dims) - 1);
            }
    }
}

/* Sets of strides for numbers of members. */
static const struct {
    uint32_t n;
    size_t strides;
    int64_t stride[4];
} rings[] = {
    {2, 1, {1}},
    {5, 4, {1, 2, 3, 4}},
    {8, 2, {3, 5}},
    {9, 3, {1, 4, 7}},
    {12, 2, {1, 5}},
    {16, 3, {1, 3, 7}},
    {16, 4, {15, 3, 7, 1}},
    {31, 3, {2, 30, 33}},
};

static const enum orr_collective_kind ring_kinds[] = {
    ORR_ALL_REDUCE, ORR_REDUCE_SCATTER, ORR_ALL_GATHER};

static struct orr_collective on_rings(size_t i, enum orr_collective_kind kind,
                                      int direction, int64_t *stride)
{
    memcpy(stride, rings[i].stride, sizeof rings[i].stride);
    return (struct orr_collective){
        .ops = orr__collective_find(kind, "strides"),
        .n = rings[i].n,
        .direction = direction,
        .strides = {stride, rings[i].strides},
    };
}

static void test_strides(void **state)
{
    const uint64_t sizes[] = {0, 1, 5, 64, 97, 1001};
    for (size_t i = 0; i < sizeof rings / sizeof *rings; i++)
        for (size_t k = 0; k < 3; k++)
            for (int way = ORR_FORWARD; way <= ORR_BOTH; way++) {
                int64_t stride[4];
                struct orr_collective c =
                    on_rings(i, ring_kinds[k], way, stride);
                for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
                    try(c, sizes[s]);
            }
}

/* Each lane sends to the same member all along: that of its stride; and all
 * lanes as much. */
static void test_strides_keep_to_their_rings(void **state)
{
    for (size_t i = 0; i < sizeof rings / sizeof *rings; i++)
        for (size_t k = 0; k < 3; k++) {
            int64_t stride[4];
            struct orr_collective c =
                on_rings(i, ring_kinds[k], ORR_BOTH, stride);
            uint32_t n = c.n, lanes = orr__collective_lanes(&c);
            assert_int_equal(lanes, 2 * rings[i].strides);
            for (uint32_t lane = 0; lane < lanes; lane++)
                for (uint32_t s = 0; s < c.ops->steps(&c, lane); s++) {
                    struct orr_transfer t;
                    uint32_t by = (uint32_t)(stride[lane / 2] % n);
                    c.ops->send(&c, 4 * (uint64_t)n * lanes,
                                (struct orr_spot){n - 1, lane, s}, 0, &t);
                    assert_int_equal(t.peer,
                                     (n - 1 + (lane % 2 ? n - by : by)) % n);
                    assert_int_equal(t.bytes, k == 2 ? 4 * n : 4);
                }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces_cover),
        cmocka_unit_test(test_registry),
        cmocka_unit_test(test_results_and_bytes),
        cmocka_unit_test(test_double_tree_swaps_roles),
        cmocka_unit_test(test_hierarchical),
        cmocka_unit_test(test_nccl),
        cmocka_unit_test(test_nccl_rails),
        cmocka_unit_test(test_gloo_segments),
        cmocka_unit_test(test_torus_on_grids),
        cmocka_unit_test(test_torus_uses_all_ports),
        cmocka_unit_test(test_strides),
        cmocka_unit_test(test_strides_keep_to_their_rings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
