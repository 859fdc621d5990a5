/* Collectives as jobs run them, chunk by chunk over a net that mixes up who is
 * when, with data in every message: a message takes what its sender holds when
 * it leaves, and whatever its sender's step had to wait for must be there by
 * then. The results must be the collective's, and the bytes those of the
 * schedule. Each chunk is a collective of its own. */
#include <stdio.h>

#include "core/none.h"
#include "tests/workload/collective/vectors.h"
#include "tests/workload/fake_net.h"
#include "workload/rank/rank.h"

enum { HOSTS = 20, PLACES = 24, CHUNKS = 8, LANES = 40 };

struct parcel {
    uint32_t from, to, chunk, lane;
    struct orr_transfer t;
    int64_t *data;
    bool arrived, used;
    uint32_t
        next; /* of those to the same member, chunk and lane; or ORR_NONE */
};

struct carry {
    const struct orr_program *p;
    const struct orr_call *x;
    uint32_t members;
    int64_t *held[CHUNKS][PLACES];
    bool *known[CHUNKS][PLACES];
    uint32_t step[CHUNKS][PLACES][LANES]; /* steps before are over */
    uint64_t sent[PLACES];
    struct parcel *parcel;
    uint32_t parcels, room;
    uint32_t first[CHUNKS][PLACES][LANES]; /* of parcel.next, latest first */
};

static uint64_t chunk_bytes(const struct carry *c, uint32_t chunk)
{
    return orr__piece_bytes(c->x->bytes, c->x->chunks, chunk);
}

static void carry_init(struct carry *c, const struct orr_program *p)
{
    memset(c, 0, sizeof *c);
    memset(c->first, 0xff, sizeof c->first); /* ORR_NONE */
    c->p = p;
    c->x = &p->call[0];
    c->members = c->x->c.n + c->x->c.servers;
    assert_in_range(c->members, 1, PLACES);
    assert_in_range(c->x->lanes, 1, LANES);
    assert_in_range(c->x->chunks, 1, CHUNKS);
    for (uint32_t k = 0; k < c->x->chunks; k++)
        for (uint32_t i = 0; i < c->members; i++) {
            uint64_t bytes = chunk_bytes(c, k);
            uint64_t span = vector_span(&c->x->c, bytes);
            c->held[k][i] = orr__alloc(span, sizeof(int64_t));
            c->known[k][i] = orr__alloc(span, sizeof(bool));
            for (uint64_t at = 0; at < span; at++)
                if (vector_given(&c->x->c, bytes, i, at)) {
                    c->held[k][i][at] = vector_value(i, at);
                    c->known[k][i][at] = true;
                }
        }
}

static void carry_fini(struct carry *c)
{
    for (uint32_t k = 0; k < c->x->chunks; k++)
        for (uint32_t i = 0; i < c->members; i++) {
            orr__free(c->held[k][i]);
            orr__free(c->known[k][i]);
        }
    for (uint32_t i = 0; i < c->parcels; i++)
        orr__free(c->parcel[i].data);
    orr__free(c->parcel);
}

static void unpack(struct carry *c, struct parcel *x)
{
    uint64_t n = 0;
    int64_t *held = c->held[x->chunk][x->to];
    bool *known = c->known[x->chunk][x->to];
    assert_true(x->arrived && !x->used);
    x->used = true;
    for (uint32_t r = 0; r < orr__stretches(&x->t); r++) {
        struct orr_range range =
            orr__stretch(&c->x->c, chunk_bytes(c, x->chunk), &x->t, r);
        for (uint64_t k = 0; k < range.bytes; k++) {
            uint64_t at = range.first + k;
            held[at] = x->data[n++] + (x->t.reduce && known[at] ? held[at] : 0);
            known[at] = true;
        }
    }
}

/* The member's steps before `step` are over: all that they receive is there,
 * as the member expects it. */
static void finish_steps(struct carry *c, uint32_t chunk, uint32_t member,
                         uint32_t lane, uint32_t step)
{
    const struct orr_collective *k = &c->x->c;
    uint32_t *at = &c->step[chunk][member][lane];
    for (; *at < step; ++*at) {
        struct orr_spot spot = {member, lane, *at};
        uint32_t sends, receives;
        k->ops->count(k, spot, &sends, &receives);
        for (uint32_t i = 0; i < receives; i++) {
            struct orr_transfer t;
            uint32_t j = c->first[chunk][member][lane];
            k->ops->receive(k, chunk_bytes(c, chunk), spot, i, &t);
            if (t.bytes == 0)
                continue;
            while (j != ORR_NONE
                   && (c->parcel[j].used || c->parcel[j].t.step != *at
                       || c->parcel[j].from != t.peer))
                j = c->parcel[j].next;
            assert_in_range(j, 0, c->parcels - 1);
            assert_memory_equal(c->parcel[j].t.range, t.range, sizeof t.range);
            assert_memory_equal(&c->parcel[j].t.blocks, &t.blocks,
                                sizeof t.blocks);
            assert_int_equal(c->parcel[j].t.reduce, t.reduce);
            unpack(c, &c->parcel[j]);
        }
    }
}

/* The step of the member at which it sends that message, and what. */
static uint32_t sending_step(const struct carry *c, const struct parcel *x,
                             const struct orr_message *m,
                             struct orr_transfer *t)
{
    const struct orr_collective *k = &c->x->c;
    uint32_t step = c->step[x->chunk][x->from][x->lane];
    for (; step < k->ops->steps(k, x->lane); step++) {
        struct orr_spot at = {x->from, x->lane, step};
        uint32_t sends, receives;
        k->ops->count(k, at, &sends, &receives);
        for (uint32_t i = 0; i < sends; i++) {
            k->ops->send(k, chunk_bytes(c, x->chunk), at, i, t);
            if (t->peer == x->to && t->step == orr__tag_step(m->tag)
                && t->bytes == m->bytes)
                return step;
        }
    }
    fail_msg("no step of member %u sends this", x->from);
    return 0;
}

static void on_send(void *arg, const struct orr_message *m)
{
    struct carry *c = arg;
    struct parcel x = {
        .from = orr__call_member(c->p, c->x, m->src),
        .to = orr__call_member(c->p, c->x, m->dst),
        .chunk = orr__tag_chunk(m->tag),
        .lane = orr__tag_lane(m->tag),
    };
    uint64_t n = 0;
    assert_true(x.from < c->members && x.to < c->members);
    assert_true(x.chunk < c->x->chunks && x.lane < c->x->lanes);
    uint32_t step = sending_step(c, &x, m, &x.t);
    finish_steps(c, x.chunk, x.from, x.lane, step);
    x.data = orr__alloc(x.t.bytes, sizeof *x.data);
    for (uint32_t r = 0; r < orr__stretches(&x.t); r++) {
        struct orr_range range =
            orr__stretch(&c->x->c, chunk_bytes(c, x.chunk), &x.t, r);
        for (uint64_t k = 0; k < range.bytes; k++) {
            uint64_t at = range.first + k;
            assert_true(c->known[x.chunk][x.from][at]);
            x.data[n++] = c->held[x.chunk][x.from][at];
        }
    }
    c->sent[x.from] += n;
    if (c->parcels == c->room) {
        c->room = 2 * c->room + 64;
        c->parcel = orr__resize(c->parcel, c->room, sizeof *c->parcel);
    }
    uint32_t *first = &c->first[x.chunk][x.to][x.lane];
    x.next = *first;
    *first = c->parcels;
    c->parcel[c->parcels++] = x;
}

static void on_receive(void *arg, const struct orr_message *m)
{
    struct carry *c = arg;
    uint32_t from = orr__call_member(c->p, c->x, m->src);
    uint32_t to = orr__call_member(c->p, c->x, m->dst);
    uint32_t chunk = orr__tag_chunk(m->tag), lane = orr__tag_lane(m->tag);
    assert_true(to < c->members && chunk < CHUNKS && lane < LANES);
    uint32_t i = c->first[chunk][to][lane];
    while (i != ORR_NONE
           && (c->parcel[i].arrived || c->parcel[i].from != from
               || c->parcel[i].t.bytes != m->bytes
               || c->parcel[i].t.step != orr__tag_step(m->tag)))
        i = c->parcel[i].next;
    assert_in_range(i, 0, c->parcels - 1);
    c->parcel[i].arrived = true;
}

static void check_carried(struct carry *c, const struct orr_job *j)
{
    const struct orr_collective *k = &c->x->c;
    for (uint32_t chunk = 0; chunk < c->x->chunks; chunk++) {
        uint64_t bytes = chunk_bytes(c, chunk);
        for (uint32_t i = 0; bytes && i < c->members; i++) {
            for (uint32_t lane = 0; lane < c->x->lanes; lane++)
                finish_steps(c, chunk, i, lane, k->ops->steps(k, lane));
            for (uint64_t p = 0; p < vector_span(k, bytes); p++) {
                int64_t v;
                if (vector_wanted(k, bytes, i, p, &v)) {
                    assert_true(c->known[chunk][i][p]);
                    assert_int_equal(c->held[chunk][i][p], v);
                }
            }
        }
    }
    for (uint32_t i = 0; i < c->parcels; i++)
        assert_true(c->parcel[i].used);
    for (uint32_t i = 0; i < c->members; i++)
        assert_int_equal(j->rank[orr__call_rank(c->p, c->x, i, 0)].bytes_sent,
                         c->sent[i]);
}

/* One job of n ranks; keys: beside the algorithm. */
static void carry_out(const struct orr_collective_ops *ops, uint32_t n,
                      const char *keys, int64_t scatter)
{
    char jobs[512];
    struct fake f;
    struct carry c;
    snprintf(jobs, sizeof jobs,
             "  - {ranks: %u, program: [%s: {algorithm: %s, %s}]}\n", n,
             orr__collective_kind_name(ops->kind), ops->name, keys);
    if (fake_read(&f, HOSTS, jobs))
        fail_msg("%s%s", jobs, f.why.message);
    carry_init(&c, orr__job_program(&f.w.jobs[0]));
    f.net.scatter_ps = scatter;
    f.net.seed = n;
    f.net.watcher = &c;
    f.net.on_send = on_send;
    f.net.on_receive = on_receive;
    fake_go(&f);
    assert_int_equal(orr__jobs_close(&f.w, &f.why), ORR_OK);
    check_carried(&c, &f.w.jobs[0]);
    carry_fini(&c);
    fake_free(&f);
}

/* Keys that some algorithms need, for n ranks. */
static void needed(const struct orr_collective_ops *ops, uint32_t n,
                   uint32_t way, char *text, size_t size)
{
    uint32_t side = 2; /* the smallest divisor */
    while (side < n && n % side)
        side++;
    text[0] = '\0';
    if (ops->serves)
        snprintf(text, size, ", servers: [17, 19, 18], shards: %u",
                 1 + way * 2);
    if (ops->grid)
        snprintf(text, size, ", dims: [%u, %u]", side, n / side);
    if (ops->levels)
        snprintf(text, size, ", local: %u", side);
    if (ops->rings) /* n - 1 shares no factor with n */
        snprintf(text, size, n > 2 ? ", strides: [1, %u]" : ", strides: [1]",
                 n - 1);
    if (orr__collective_rooted(ops->kind))
        snprintf(text, size, ", root: %u", way * 5 % n);
}

static void test_sums_arrive(void **state)
{
    static const char *const sizes[] = {
        "size: 0B",
        "size: 1B",
        "size: 5B, chunks: 3",
        "size: 97B, chunks: 7, concurrent: 3",
        "size: 240B, chunks: 4",
        "size: 64B, chunks: 8, concurrent: 8, endpoint_delay: 7ns",
    };
    const struct orr_collective_ops *const *ops = orr__collectives();
    char keys[256], more[128];
    for (; *ops; ops++)
        for (uint32_t n = 2;
             n <= 17 && (*ops)->kind != ORR_BARRIER && !(*ops)->on_trees
             && !(*ops)->chosen; /* slices travel: test_nccl.c */
             n++)
            for (uint32_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
                if ((*ops)->from_file || ((*ops)->doubles && (n & (n - 1))))
                    break;
                if (n > 9 && (n + s) % 4 > 1)
                    continue; /* of many ranks half of the sizes */
                needed(*ops, n, s, more, sizeof more);
                snprintf(keys, sizeof keys, "%s%s", sizes[s], more);
                carry_out(*ops, n, keys, (n + s) % 2 * 3 * ORR_US);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums_arrive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
