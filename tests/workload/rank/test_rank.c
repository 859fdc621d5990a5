/* Ranks over a net without packets: times to the picosecond, every algorithm
 * to its end in whatever order messages come, and nothing left over. */
#include <stdio.h>

#include "core/none.h"
#include "tests/workload/fake_net.h"
#include "workload/rank/bound.h"
#include "workload/rank/rank.h"

#define NS(x) ((int64_t)((x)*1000))

static int64_t duration(const struct fake *f)
{
    return f->w.jobs[0].finish_ps - f->w.jobs[0].iteration[0].start_ps;
}

static int64_t step_time(const struct fake *f, uint64_t bytes)
{
    return orr__serialisation(bytes, f->net.rate_bps) + f->net.latency_ps;
}

/* One job over all hosts; format gives its other keys. */
static void play(struct fake *f, uint32_t hosts, const char *program)
{
    char jobs[4096];
    snprintf(jobs, sizeof jobs, "  - {ranks: %u, %s}\n", hosts, program);
    fake_play(f, hosts, jobs);
}

static void expect(uint32_t hosts, const char *program, int64_t ps)
{
    struct fake f;
    play(&f, hosts, program);
    if (duration(&f) != ps)
        print_error("%s\n", program);
    assert_int_equal(duration(&f), ps);
    fake_free(&f);
}

/* ---- times by formula --------------------------------------------------- */

static void test_ring_formula(void **state)
{
    /* U + S (E + 2 (N - 1) (step + E)), seeds.md 1 */
    int64_t step = orr__serialisation(32768, 400000000000) + NS(500);
    expect(8,
           "program: [compute: 1ns, all-reduce: {size: 1MiB, chunks: 4, "
           "endpoint_delay: 10ns}]",
           NS(1) + 4 * (NS(10) + 14 * (step + NS(10))));
    /* reductions: three passes over the piece, in the first N - 1 steps */
    int64_t pass3 = orr__serialisation(3 * 32768, 80000000000);
    expect(8, "program: [all-reduce: {size: 1MiB, chunks: 4, memory: 10GB/s}]",
           4 * (14 * step + 7 * pass3));
    int64_t half = orr__serialisation(65536, 400000000000) + NS(500);
    expect(8, "program: [reduce-scatter: {size: 512KiB}]", 7 * half);
    expect(8, "program: [all-gather: {size: 64KiB}]", 7 * half);
}

static void test_halving_doubling_formula(void **state)
{
    struct fake f;
    play(&f, 8,
         "program: [all-reduce: {size: 1MiB, algorithm: halving-doubling, "
         "endpoint_delay: 10ns}]");
    int64_t t = NS(10);
    for (uint64_t part = 1 << 19; part >= 1 << 17; part /= 2)
        t += 2 * (step_time(&f, part) + NS(10));
    assert_int_equal(duration(&f), t);
    assert_true(f.w.jobs[0].collective[0].lower_bound_ps == t - NS(70));
    fake_free(&f);
}

static void test_direct_formula(void **state)
{
    /* one port: the seven pieces leave one after another */
    int64_t step = orr__serialisation(7 * 131072, 400000000000) + NS(500);
    expect(8,
           "program: [all-reduce: {size: 1MiB, algorithm: direct, "
           "endpoint_delay: 10ns}]",
           NS(10) + 2 * (step + NS(10)));
    expect(8, "program: [all-to-all: {size: 1MiB}]", step);
}

static void test_tree_formula(void **state)
{
    /* binomial over 8: 3 levels up; down, the root sends its largest subtree
     * first, so each level costs one message more */
    int64_t ser = orr__serialisation(1 << 20, 400000000000);
    expect(8, "program: [broadcast: {size: 1MiB}]", 3 * (ser + NS(500)));
    expect(8, "program: [reduce: {size: 1MiB, root: 5}]", 3 * (ser + NS(500)));
    expect(2, "program: [all-reduce: {size: 1MiB, algorithm: tree}]",
           2 * (ser + NS(500)));
}

static void test_parameter_server_formula(void **state)
{
    /* 4 workers, 2 servers: half the message to each, then half to each
     * worker from each server */
    int64_t half = orr__serialisation(1 << 19, 400000000000);
    struct fake f;
    fake_play(&f, 6,
              "  - {ranks: 4, program: [all-reduce: {size: 1MiB, algorithm: "
              "parameter-server, servers: [4, 5]}]}\n");
    /* the second server starts to hear one half later, hears four of them, one
     * after another, and answers with four */
    assert_int_equal(duration(&f),
                     half + NS(500) + 4 * half + 4 * half + NS(500));
    assert_int_equal(f.w.jobs[0].members, 6);
    assert_int_equal(f.w.jobs[0].hosts[5], 5);
    assert_int_equal(f.net.bytes, 2 * 4 * (1 << 20));
    fake_free(&f);
}

static void test_barrier(void **state)
{
    struct fake f;
    play(&f, 5, "program: [barrier]");
    assert_int_equal(duration(&f), 3 * step_time(&f, 1));
    assert_int_equal(f.net.bytes, 15);
    fake_free(&f);
}

/* ---- statistics --------------------------------------------------------- */

static void test_chunk_figures(void **state)
{
    struct fake f;
    play(&f, 8,
         "program: [compute: 1ns, all-reduce: {size: 1MiB, chunks: 4, "
         "endpoint_delay: 10ns}]");
    const struct orr_collective_record *r = f.w.jobs[0].collective;
    double step = (double)step_time(&f, 32768);
    double chunk = 10000 + 14 * (step + 10000);
    assert_int_equal(f.w.jobs[0].n_collectives, 1);
    assert_int_equal(f.w.jobs[0].collectives_run, 1);
    assert_float_equal(r->chunk_latency_ps, chunk, 0.5);
    assert_float_equal(r->queueing_ps, 1.5 * chunk, 0.5);
    assert_float_equal(r->message_ps, step, 0.5);
    assert_int_equal(r->messages, 4 * 14 * 8);
    assert_int_equal(r->start_ps, NS(1));
    assert_int_equal(r->operation, 1);
    assert_int_equal(r->lower_bound_ps, 4 * 14 * (int64_t)step);
    double seconds = (double)(r->end_ps - r->start_ps) / 1e12;
    assert_float_equal(r->algorithm_bps, 8 * 1048576 / seconds, 1);
    assert_float_equal(r->bus_bps, 8 * 1048576 / seconds * 14 / 8, 1);
    fake_free(&f);
}

/* 64 ranks, 64 chunks, 8,000 s for each message: together they take more than
 * 2^64 ps (213 days), as messages, as chunks, and as chunks that wait. */
static void test_long_sums(void **state)
{
    const double step = 8000e12;
    struct fake f;
    assert_int_equal(fake_read(&f, 64,
                               "  - {ranks: 64, program: [all-to-all: "
                               "{size: 256KiB, chunks: 64}]}\n"),
                     ORR_OK);
    f.net.latency_ps = 8000 * ORR_S;
    fake_go(&f);
    assert_int_equal(orr__jobs_close(&f.w, &f.why), ORR_OK);
    const struct orr_collective_record *r = f.w.jobs[0].collective;
    assert_int_equal(f.w.jobs[0].n_collectives, 1);
    assert_int_equal(r->messages, 64 * 64 * 63);
    assert_true((double)r->messages * step > 0x1p64);
    assert_true(64 * 64 * step > 0x1p64);
    assert_float_equal(r->message_ps / step, 1, 1e-9);
    assert_float_equal(r->chunk_latency_ps / step, 1, 1e-9);
    assert_float_equal(r->queueing_ps / step, 31.5, 1e-9);
    fake_free(&f);
}

/* ---- every algorithm ---------------------------------------------------- */

static void add_bytes(void *arg, uint32_t src, uint32_t dst, uint64_t bytes,
                      uint64_t messages)
{
    if (src != dst)
        *(uint64_t *)arg += bytes;
}

static void check_clean(struct fake *f)
{
    const struct orr_team *t = f->w.jobs[0].team;
    for (uint32_t i = 0; i < t->members; i++) {
        const struct orr_rank *r = &t->rank[i];
        uint32_t slots = 0;
        assert_int_equal(r->mail.used, 0);
        assert_int_equal(r->posted.count, 0);
        assert_int_equal(r->satisfied.used, 0);
        assert_int_equal(r->runs, 0);
        for (uint32_t c = 0; r->run && c <= r->run_mask; c++)
            assert_null(r->run[c]);
        for (uint32_t s = r->later_free; s != ORR_NONE; s = r->later[s].next)
            slots++;
        assert_int_equal(slots, r->later_room ? r->later_room - 1 : 0);
    }
}

/* Keys that an algorithm cannot do without. */
static void needed_keys(const struct orr_collective_ops *ops, uint32_t n,
                        char *text, size_t size)
{
    uint32_t side = 2; /* the smallest divisor */
    while (side < n && n % side)
        side++;
    text[0] = '\0';
    if (ops->serves)
        snprintf(text, size, ", servers: [0, 19, 18], shards: 5");
    if (ops->grid)
        snprintf(text, size, ", dims: [%u, %u]", n > 1 ? side : 1,
                 n > 1 ? n / side : 1);
    if (ops->levels)
        snprintf(text, size, ", local: %u", n > 1 ? side : 1);
    if (ops->rings) /* n - 1 shares no factor with n */
        snprintf(text, size, n > 2 ? ", strides: [1, %u]" : ", strides: [1]",
                 n - 1);
}

/* What the whole job sends does not depend on the order of messages. */
static void play_algorithm(const struct orr_collective_ops *ops, uint32_t n,
                           const char *more, int64_t scatter)
{
    char jobs[512], needed[64];
    struct fake f;
    bool barrier = ops->kind == ORR_BARRIER;
    if (ops->chosen) /* by nccl-auto: channels cut the message themselves */
        more = "";
    needed_keys(ops, n, needed, sizeof needed);
    snprintf(jobs, sizeof jobs,
             "  - {ranks: %u, iterations: 3, program: [%s: {%s algorithm: %s"
             "%s%s}, compute: 3ns]}\n",
             n, orr__collective_kind_name(ops->kind),
             barrier ? "" : "size: 70001B,", ops->name, needed,
             barrier ? "" : more);
    assert_int_equal(fake_read(&f, 20, jobs), ORR_OK);
    f.w.options.workers = 3;
    f.net.scatter_ps = scatter;
    f.net.seed = n;
    fake_go(&f);
    assert_int_equal(orr__jobs_close(&f.w, &f.why), ORR_OK);
    assert_int_equal(orr__limits_close(&f.w, &f.why), ORR_OK);
    check_clean(&f);
    const struct orr_job *j = &f.w.jobs[0];
    uint64_t traffic = 0;
    orr__jobs_traffic(&f.w, add_bytes, &traffic);
    /* chunks are cut before pieces, which the estimate does not do */
    assert_in_range(traffic, j->bytes_sent * 999 / 1000,
                    j->bytes_sent * 1001 / 1000);
    if (!more[0])
        assert_int_equal(traffic, j->bytes_sent);
    assert_int_equal(j->bytes_sent, f.net.bytes);
    assert_int_equal(j->wire_bytes, f.net.bytes);
    assert_int_equal(j->n_collectives, 3);
    for (uint32_t i = 0; i < 3; i++) {
        const struct orr_collective_record *r = &j->collective[i];
        if (r->lower_bound_ps > r->end_ps - r->start_ps)
            print_error("%s\n", jobs);
        assert_true(r->lower_bound_ps <= r->end_ps - r->start_ps);
        assert_true(n == 1 || r->lower_bound_ps > 0);
    }
    fake_free(&f);
}

static void test_every_algorithm_finishes(void **state)
{
    static const char *const variants[] = {
        "",
        ", chunks: 5",
        ", chunks: 7, concurrent: 3",
        ", chunks: 3, endpoint_delay: 7ns, memory: 10GB/s",
        ", chunks: 4, concurrent: 4, endpoint_delay: 7ns",
    };
    static const uint32_t ranks[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 17};
    const size_t n_ranks = sizeof ranks / sizeof *ranks;
    const struct orr_collective_ops *const *ops = orr__collectives();
    for (; *ops; ops++)
        for (size_t i = 0;
             i < n_ranks && !(*ops)->on_trees && !(*ops)->from_file; i++)
            for (size_t v = 0;
                 v < sizeof variants / sizeof *variants
                 && !((*ops)->doubles && (ranks[i] & (ranks[i] - 1)));
                 v++)
                /* of many ranks half of the variants */
                if (ranks[i] < 6 || (i + v) % 4 < 2)
                    play_algorithm(*ops, ranks[i], variants[v],
                                   (i + v) % 2 ? NS(3000) : 0);
}

/* Tiny messages leave most pieces empty. */
static void test_empty_pieces(void **state)
{
    struct fake f;
    const struct orr_collective_ops *const *ops = orr__collectives();
    for (; *ops; ops++)
        for (int size = 0; size < 4 && !(*ops)->on_trees && !(*ops)->doubles
                           && !(*ops)->from_file;
             size++) {
            char program[256];
            snprintf(
                program, sizeof program, "program: [%s: {%s algorithm: %s%s}]",
                orr__collective_kind_name((*ops)->kind),
                (*ops)->kind == ORR_BARRIER ? ""
                : size == 0
                    ? ((*ops)->chosen ? "size: 0B," : "size: 0B, chunks: 3,")
                : size == 1                    ? "size: 1B,"
                : size == 2 && !(*ops)->chosen ? "size: 3B, chunks: 2,"
                                               : "size: 5B,",
                (*ops)->name,
                (*ops)->grid     ? ", dims: [3, 3]"
                : (*ops)->levels ? ", local: 3"
                : (*ops)->rings  ? ", strides: [1, 4]"
                                 : "");
            play(&f, 9, program);
            check_clean(&f);
            if (size == 0 && (*ops)->kind != ORR_BARRIER)
                assert_int_equal(f.net.messages, 0);
            fake_free(&f);
        }
}

static void test_group_and_root(void **state)
{
    struct fake f;
    /* others pass at once; the group is in its own order */
    play(&f, 6,
         "program: [broadcast: {size: 1MiB, algorithm: direct, group: [4, 1], "
         "root: 1}]");
    assert_int_equal(duration(&f), step_time(&f, 1 << 20));
    assert_int_equal(f.net.connections, 1);
    assert_int_equal(f.net.connection[0].src, 1);
    assert_int_equal(f.net.connection[0].dst, 4);
    fake_free(&f);
    play(&f, 6, "program: [all-reduce: {size: 3B, group: [4, 1, 2]}]");
    for (uint32_t i = 0; i < 3; i++)
        assert_true(f.net.connection[i].src == 4
                        ? f.net.connection[i].dst == 1
                        : f.net.connection[i].dst
                              == (f.net.connection[i].src == 1 ? 2 : 4));
    fake_free(&f);
}

/* ---- operations --------------------------------------------------------- */

static void test_compute_streams(void **state)
{
    expect(2, "program: [compute: 5ns, compute: 7ns]", NS(12));
    expect(2, "program: [parallel: [compute: 5ns, compute: 7ns]]", NS(12));
    expect(2,
           "program: [parallel: [compute: {time: 5ns}, "
           "compute: {time: 7ns, stream: 1}]]",
           NS(7));
    expect(2,
           "program: [parallel: [[compute: 5ns, compute: {time: 1ns, "
           "stream: 2}], compute: {time: 7ns, stream: 1}], compute: 2ns]",
           NS(9));
    expect(3,
           "program: [{compute: 5ns, ranks: [1]}, {compute: 3ns, ranks: "
           "[0, 2]}]",
           NS(5));
}

static void test_after_and_wait(void **state)
{
    /* b and c both follow a; d follows b and c */
    expect(2,
           "program: [{compute: 5ns, id: a}, {compute: {time: 10ns, "
           "stream: 1}, id: b}, {compute: {time: 2ns, stream: 2}, after: a, "
           "id: c}, {wait: [b]}, compute: 1ns]",
           NS(16));
}

static void test_send_and_recv(void **state)
{
    int64_t t = orr__serialisation(1000000, 400000000000) + NS(500);
    expect(4, "program: [send: {from: 0, to: 3, size: 1MB}]", t);
    /* the sender goes on when its last byte is out */
    expect(4,
           "program: [{send: {to: 3, size: 1MB}, ranks: [0]}, {recv: {from: "
           "0}, ranks: [3]}, {compute: 1us, ranks: [0]}]",
           t + NS(500));
    expect(4,
           "complete: acked, program: [{send: {to: 3, size: 1MB}, ranks: "
           "[0]}, {recv: {from: 0}, ranks: [3]}, {compute: 1us, ranks: [0]}]",
           t + NS(500) + NS(1000));
    /* everyone to the next: relative peers go round */
    expect(4,
           "program: [parallel: [send: {to: +1, size: 1MB}, recv: {from: "
           "-1}]]",
           t);
}

/* A message that comes early waits for its recv, whatever its tag. */
static void test_early_and_out_of_order(void **state)
{
    int64_t one = orr__serialisation(1000, 400000000000);
    expect(2,
           "program: [{send: {to: 1, size: 1KB, tag: 5}, ranks: [0]}, {send: "
           "{to: 1, size: 1KB, tag: 6}, ranks: [0]}, {compute: 1ms, ranks: "
           "[1]}, {recv: {from: 0, tag: 6}, ranks: [1]}, {recv: {from: 0, "
           "tag: 5}, ranks: [1]}]",
           ORR_MS);
    expect(2,
           "program: [{send: {to: 1, size: 1KB, tag: 5}, ranks: [0]}, {send: "
           "{to: 1, size: 1KB, tag: 5}, ranks: [0]}, {recv: {from: 0, tag: "
           "5}, ranks: [1]}, {recv: {from: 0, tag: 5}, ranks: [1]}]",
           2 * one + NS(500));
    /* no bytes are a message all the same */
    expect(2, "program: [send: {from: 0, to: 1, size: 0B}]", NS(500));
}

static void test_same_host(void **state)
{
    struct fake f;
    fake_play(&f, 2,
              "  - {ranks: 2, placement: [1, 1], local: {rate: 100GB/s, "
              "delay: 50ns}, program: [send: {from: 0, to: 1, size: 1MB}]}\n");
    assert_int_equal(duration(&f), NS(10000) + NS(50));
    assert_int_equal(f.net.messages, 0);
    assert_int_equal(f.w.jobs[0].bytes_sent, 0);
    fake_free(&f);
    fake_play(&f, 2,
              "  - {ranks: 4, placement: [1, 1, 0, 0], program: [all-reduce: "
              "{size: 1MB}]}\n");
    assert_int_equal(f.w.jobs[0].bytes_sent, 2 * 6 * 250000);
    fake_free(&f);
    /* the group's first rank serves where the topology has no servers */
    fake_play(&f, 2,
              "  - {ranks: 2, program: [all-reduce: {size: 1MB, algorithm: "
              "parameter-server}]}\n");
    assert_int_equal(f.w.jobs[0].bytes_sent, 2 * 1000000);
    assert_int_equal(f.w.jobs[0].hosts[2], 0);
    fake_free(&f);
}

static void test_message_overhead(void **state)
{
    int64_t one = orr__serialisation(1000, 400000000000);
    expect(2,
           "message_overhead: {time: 3us}, program: [send: {from: 0, to: 1, "
           "size: 1KB}]",
           NS(3000) + one + NS(500));
    /* on compute it waits for the computation, at the NIC it does not */
    const char *both = "program: [parallel: [{compute: 10us, ranks: [0]}, "
                       "send: {from: 0, to: 1, size: 1KB}]]";
    char text[256];
    snprintf(text, sizeof text, "message_overhead: {time: 3us}, %s", both);
    expect(2, text, NS(13000) + one + NS(500));
    snprintf(text, sizeof text, "message_overhead: {time: 3us, on: nic}, %s",
             both);
    expect(2, text, NS(10000));
    /* a thread takes the CPU at once: the message leaves after 3 us, the
     * computation ends as much later; one that begins meanwhile waits */
    snprintf(text, sizeof text, "message_overhead: {time: 3us, on: thread}, %s",
             both);
    expect(2, text, NS(13000));
    expect(2,
           "message_overhead: {time: 3us, on: thread}, program: [parallel: "
           "[send: {from: 0, to: 1, size: 1KB}, {compute: 10us, ranks: [0]}]]",
           NS(13000));
    expect(2,
           "message_overhead: {time: 3us, on: thread}, program: [parallel: "
           "[[{compute: 1us, ranks: [0]}, send: {from: 0, to: 1, size: 1KB}], "
           "{compute: {time: 5us, stream: 1}, ranks: [0]}]]",
           NS(5000));
    /* three messages, two while it is put off already */
    expect(2,
           "message_overhead: {time: 3us, on: thread}, program: [parallel: "
           "[{compute: 4us, ranks: [0]}, send: {from: 0, to: 1, size: 0B}, "
           "[{compute: {time: 2us, stream: 1}, ranks: [0]}, send: {from: 0, "
           "to: 1, size: 0B}, send: {from: 0, to: 1, size: 0B}]]]",
           NS(13000));
    /* bytes cost the thread, too: 2 us and 1 KB at 1 GB/s; the computation of
     * the one who sends takes as much longer */
    expect(2,
           "message_overhead: {time: 2us, rate: 1GB/s, on: thread}, program: "
           "[parallel: [{compute: 10us, ranks: [0]}, send: {from: 0, to: 1, "
           "size: 1KB}]]",
           NS(13000));
    /* in a ring each of six steps first costs, then travels */
    int64_t step =
        NS(2000) + orr__serialisation(1000, 8000000000) + one + NS(500);
    static const char *const on[] = {"nic", "thread", "compute"};
    for (int i = 0; i < 3; i++) {
        snprintf(text, sizeof text,
                 "message_overhead: {time: 2us, rate: 8Gbps, on: %s}, "
                 "program: [all-reduce: {size: 4KB}]",
                 on[i]);
        expect(4, text, 6 * step);
    }
    expect(2,
           "message_overhead: {time: 0s, rate: 8Gbps, on: nic}, program: "
           "[send: {from: 0, to: 1, size: 1KB}]",
           NS(1000) + one + NS(500));
    /* messages queue up for it */
    expect(3,
           "message_overhead: {time: 3us, on: nic}, program: [parallel: "
           "[send: {from: 0, to: 1, size: 1KB}, send: {from: 0, to: 2, size: "
           "1KB}]]",
           NS(6000) + one + NS(500));
}

/* Ranks run ahead of one another, across iterations. */
static void test_iterations(void **state)
{
    struct fake f;
    fake_play(&f, 2,
              "  - {ranks: 2, start: 1us, iterations: 4, program: [{compute: "
              "1us, ranks: [0]}, send: {from: 0, to: 1, size: 0B}]}\n");
    const struct orr_job *j = &f.w.jobs[0];
    for (int i = 0; i < 4; i++) {
        assert_int_equal(j->iteration[i].start_ps, NS(1000 * (i + 1)));
        assert_int_equal(j->iteration[i].end_ps, NS(1000 * (i + 2) + 500));
    }
    assert_int_equal(j->finish_ps, NS(5500));
    /* compute and send by rank 0, recv by rank 1 */
    assert_int_equal(f.net.steps, 4 * 3);
    fake_free(&f);
}

/* Ranks that are told in advance when messages will have left do what they do
 * where each leaving is told, when they wait for them, too: the last rank has
 * all that it waits for by the time that it begins. */
static void test_foretold(void **state)
{
    static const struct {
        uint32_t ranks;
        const char *program;
    } runs[] = {
        {8, "all-reduce: {size: 1MiB, chunks: 4}"},
        {8, "all-reduce: {size: 1MB, algorithm: halving-doubling}"},
        {8, "all-reduce: {size: 1MB, algorithm: tree}"},
        {8, "all-to-all: {size: 100KB}"},
        {8, "all-gather: {size: 100KB, algorithm: direct}"},
        {8, "broadcast: {size: 1MB, root: 3}"},
        {8, "all-reduce: {size: 64KB, chunks: 8, endpoint_delay: 10ns}"},
        {2, "all-gather: {size: 10KB, algorithm: direct, chunks: 4}"},
        {2, "all-to-all: {size: 1MB, chunks: 16}"},
    };
    uint64_t told = 0, recalled = 0;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        struct fake f[2];
        for (int k = 0; k < 2; k++) {
            char jobs[512];
            snprintf(jobs, sizeof jobs,
                     "  - {ranks: %u, iterations: 5, program: [{compute: "
                     "700ns, ranks: [0]}, {compute: 90us, ranks: [%u]}, %s]}\n",
                     runs[i].ranks, runs[i].ranks - 1, runs[i].program);
            assert_int_equal(fake_read(&f[k], runs[i].ranks, jobs), ORR_OK);
            f[k].net.silent = k == 0;
            fake_go(&f[k]);
        }
        assert_int_equal(f[0].net.steps, f[1].net.steps);
        assert_int_equal(f[0].net.step_hash, f[1].net.step_hash);
        assert_int_equal(f[0].net.now, f[1].net.now);
        assert_int_equal(f[0].net.told, 0);
        told += f[1].net.told;
        recalled += f[1].net.recalled;
        fake_free(&f[0]);
        fake_free(&f[1]);
    }
    assert_true(told > 1000);
    assert_true(recalled > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ring_formula),
        cmocka_unit_test(test_halving_doubling_formula),
        cmocka_unit_test(test_direct_formula),
        cmocka_unit_test(test_tree_formula),
        cmocka_unit_test(test_parameter_server_formula),
        cmocka_unit_test(test_barrier),
        cmocka_unit_test(test_chunk_figures),
        cmocka_unit_test(test_long_sums),
        cmocka_unit_test(test_every_algorithm_finishes),
        cmocka_unit_test(test_empty_pieces),
        cmocka_unit_test(test_group_and_root),
        cmocka_unit_test(test_compute_streams),
        cmocka_unit_test(test_after_and_wait),
        cmocka_unit_test(test_send_and_recv),
        cmocka_unit_test(test_early_and_out_of_order),
        cmocka_unit_test(test_same_host),
        cmocka_unit_test(test_message_overhead),
        cmocka_unit_test(test_iterations),
        cmocka_unit_test(test_foretold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
