/* Jobs with a model: which program they become. What it does when it runs is in
 * tests/cli/train.bats. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs those four first */
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "core/memory.h"
#include "workload/model/train.h"

#define RANKS_MAX 64

struct job {
    struct orr_config *c;
    struct orr_program *p;
    struct orr_report why;
};

/* Of `ranks` ranks, one on each of that many hosts. */
static orr_err read_job(struct job *j, uint32_t ranks, const char *keys)
{
    struct orr_train_keys k = {.staleness = -1, .compute = -1, .dtype = -1};
    const struct orr_param_set set = {orr__train_params, &k};
    const struct orr_graph g = {.hosts = ranks};
    uint32_t hosts[RANKS_MAX];
    for (uint32_t i = 0; i < ranks; i++)
        hosts[i] = i;
    memset(j, 0, sizeof *j);
    orr_err err =
        orr__config_parse("job.yaml", keys, strlen(keys), &j->c, &j->why);
    const struct orr_yaml *root = err ? NULL : orr__config_root(j->c);
    if (!err)
        err = orr__param_read(j->c, root, "job", &set, 1, &j->why);
    if (!err)
        err = orr__train_read(j->c, root, &k, &g, hosts, ranks, &j->p, &j->why);
    return err;
}

static void open_job(struct job *j, uint32_t ranks, const char *keys)
{
    if (read_job(j, ranks, keys))
        fail_msg("%s: %s", keys, j->why.message);
}

static void close_job(struct job *j)
{
    orr__program_free(j->p);
    orr__config_free(j->c);
}

static uint32_t count_calls(const struct job *j, enum orr_collective_kind kind,
                            uint32_t n, uint32_t stride)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < j->p->calls; i++)
        found += j->p->call[i].c.ops->kind == kind && j->p->call[i].c.n == n
                 && j->p->call[i].stride == stride;
    return found;
}

static uint32_t count_ops(const struct job *j, uint32_t part,
                          enum orr_op_kind kind)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < j->p->part[part].ops; i++)
        found += j->p->op[j->p->part[part].op + i].kind == kind;
    return found;
}

/* BERT-large over all four dimensions: 2 T, 2 E, 2 D, 2 stages. */
static void test_groups(void **state)
{
    struct job j;
    open_job(&j, 16,
             "{model: bert-large, batch: 4, micro_batches: 2, parallelism: "
             "{tensor: 2, expert: 2, data: 2, pipeline: 2}}");
    assert_int_equal(j.p->parts, 2);
    for (uint32_t r = 0; r < 16; r++)
        assert_ptr_equal(orr__part_of(j.p, r), &j.p->part[r / 8]);
    /* two layers with a reduction each, forward and backward, two micro-
     * batches, 24 blocks */
    assert_int_equal(count_calls(&j, ORR_ALL_REDUCE, 2, 1), 24 * 2 * 2 * 2);
    /* around each MLP, four times, in both directions: experts are 2 apart */
    assert_int_equal(count_calls(&j, ORR_ALL_TO_ALL, 2, 2), 24 * 2 * 2 * 2);
    /* gradients: dense layers over expert and data, experts over data */
    assert_int_equal(count_calls(&j, ORR_ALL_REDUCE, 4, 2), 2);
    assert_int_equal(count_calls(&j, ORR_ALL_REDUCE, 2, 4), 2);
    for (uint32_t i = 0; i < j.p->calls; i++) {
        const struct orr_call *x = &j.p->call[i];
        assert_int_equal(orr__call_ranks(j.p, x), 8);
        assert_true(x->from == 0 || x->from == 8);
        /* groups stay in their stage */
        for (uint32_t m = 0; m < x->c.n; m++)
            assert_int_equal(orr__call_rank(j.p, x, m, x->from + 5) / 8,
                             x->from / 8);
    }
    /* rank 5 = t 1, e 0, d 1: its expert's replicas are 1 and 5 */
    for (uint32_t i = 0; i < j.p->calls; i++)
        if (j.p->call[i].stride == 4 && j.p->call[i].from == 0) {
            assert_int_equal(orr__call_rank(j.p, &j.p->call[i], 0, 5), 1);
            assert_int_equal(orr__call_rank(j.p, &j.p->call[i], 1, 5), 5);
        }
    close_job(&j);
}

/* All replicas together need no grid. */
static void test_everyone(void **state)
{
    struct job j;
    open_job(&j, 8, "{model: vgg16}");
    assert_int_equal(j.p->calls, 1);
    assert_int_equal(j.p->call[0].group, ORR_EVERYONE);
    assert_int_equal(j.p->call[0].stride, 0);
    assert_int_equal(j.p->call[0].bytes, 553430176);
    assert_int_equal(count_ops(&j, 0, ORR_OP_COMPUTE), 32);
    close_job(&j);
}

static void test_sends_of_stages(void **state)
{
    struct job j;
    open_job(&j, 4,
             "{model: gpt2, batch: 6, micro_batches: 6, sync: none, "
             "parallelism: {pipeline: 4}, stages: [5, 4, 4, 3]}");
    for (uint32_t s = 0; s < 4; s++) {
        uint32_t ends = s == 0 || s == 3 ? 1 : 2;
        assert_int_equal(count_ops(&j, s, ORR_OP_SEND), 6 * ends);
        assert_int_equal(count_ops(&j, s, ORR_OP_RECV), 6 * ends);
    }
    for (uint32_t i = 0; i < j.p->ops; i++)
        if (j.p->op[i].kind == ORR_OP_SEND)
            assert_int_equal(j.p->op[i].bytes, 1024 * 768 * 4);
    close_job(&j);
    /* in 16 bit: half of it */
    open_job(&j, 4,
             "{model: gpt2, batch: 6, micro_batches: 3, sync: none, dtype: "
             "fp16, parallelism: {pipeline: 2, data: 2}}");
    for (uint32_t i = 0; i < j.p->ops; i++)
        if (j.p->op[i].kind == ORR_OP_SEND)
            assert_int_equal(j.p->op[i].bytes, 2 * 1024 * 768 * 2);
    close_job(&j);
}

/* The sum of the times of a part's computations. */
static int64_t part_time(const struct job *j, uint32_t part)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < j->p->part[part].ops; i++)
        if (j->p->op[j->p->part[part].op + i].kind == ORR_OP_COMPUTE)
            sum += j->p->op[j->p->part[part].op + i].time_ps;
    return sum;
}

/* VGG-16's profile cut into two: no cut makes the longer half shorter. */
static void test_balanced_stages(void **state)
{
    struct job j;
    open_job(&j, 1, "{model: vgg16, sync: none, batch: 128}");
    int64_t all = part_time(&j, 0), best = all, before = 0;
    assert_int_equal(all, INT64_C(672560000000));
    for (uint32_t cut = 0; cut < 16; cut++) {
        int64_t longer;
        before += j.p->op[cut].time_ps + j.p->op[31 - cut].time_ps;
        longer = before > all - before ? before : all - before;
        if (longer < best)
            best = longer;
    }
    close_job(&j);
    open_job(&j, 2,
             "{model: vgg16, sync: none, batch: 128, parallelism: {pipeline: "
             "2}}");
    int64_t a = part_time(&j, 0), b = part_time(&j, 1);
    assert_int_equal(a + b, all);
    assert_int_equal(a > b ? a : b, best);
    close_job(&j);
}

static void test_dlrm(void **state)
{
    struct job j;
    open_job(&j, 16, "{model: dlrm, batch: 100}");
    /* tables: batch x 64 x 128 numbers, forward and backward */
    assert_int_equal(count_calls(&j, ORR_ALL_TO_ALL, 16, 0), 2);
    assert_int_equal(count_calls(&j, ORR_ALL_REDUCE, 16, 0), 1);
    for (uint32_t i = 0; i < j.p->calls; i++)
        assert_int_equal(j.p->call[i].bytes,
                         j.p->call[i].c.ops->kind == ORR_ALL_REDUCE
                             ? 4 * UINT64_C(281022464)
                             : 100 * 64 * 128 * 4);
    close_job(&j);
}

/* Asynchronous workers: a call each, all of one server, and one clock. */
static void test_asynchronous(void **state)
{
    struct job j;
    open_job(&j, 6,
             "{model: vgg11-cifar, sync: parameter-server, asynchronous: "
             "true, staleness: 2, servers: [5, 3]}");
    assert_int_equal(j.p->servers, 2);
    assert_int_equal(j.p->calls, 7);
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(j.p->call[i].c.n, 1);
        assert_int_equal(orr__call_rank(j.p, &j.p->call[i], 0, i), i);
        assert_int_equal(j.p->call[i].lanes, 2);
        assert_true(j.p->call[i].pushes);
    }
    assert_true(j.p->call[6].clock);
    assert_int_equal(count_ops(&j, 0, ORR_OP_CLOCK), 1);
    close_job(&j);
}

static void test_algorithms(void **state)
{
    struct job j;
    open_job(&j, 8,
             "{model: vgg16, sync: fsdp, algorithm: {name: ring, direction: "
             "both, chunks: 3, concurrent: 2, endpoint_delay: 5ns}}");
    for (uint32_t i = 0; i < j.p->calls; i++) {
        assert_string_equal(j.p->call[i].c.ops->name, "ring");
        assert_int_equal(j.p->call[i].lanes, 2);
        assert_int_equal(j.p->call[i].chunks, 3);
        assert_int_equal(j.p->call[i].concurrent, 2);
        assert_int_equal(j.p->call[i].endpoint_delay_ps, 5000);
    }
    assert_int_equal(j.p->calls, 3 * 16);
    close_job(&j);
    /* a kind without that algorithm uses its own default */
    open_job(&j, 8,
             "{model: bert-base, algorithm: double-tree, parallelism: "
             "{expert: 8}}");
    for (uint32_t i = 0; i < j.p->calls; i++)
        assert_string_equal(j.p->call[i].c.ops->name,
                            j.p->call[i].c.ops->kind == ORR_ALL_REDUCE
                                ? "double-tree"
                                : "direct");
    close_job(&j);
}

/* Calls of a kind, group size and stride that have so many bytes, in all
 * `times` of them, and no others of that kind, size and stride. */
static void expect_calls(const struct job *j, enum orr_collective_kind kind,
                         uint32_t n, uint32_t stride, uint64_t bytes,
                         uint32_t times)
{
    assert_int_equal(count_calls(j, kind, n, stride), times);
    for (uint32_t i = 0; i < j->p->calls; i++) {
        const struct orr_call *x = &j->p->call[i];
        if (x->c.ops->kind == kind && x->c.n == n && x->stride == stride)
            assert_int_equal(x->bytes, bytes);
    }
}

/* Llama 3 405B: activations of 8192 x 16384 in 16 bit twice a layer and way;
 * with a context group of 4 a quarter of them, and keys and values of eight
 * heads of 128, one on each rank of the tensor group, gathered twice and
 * scattered once a layer. */
static void test_llama(void **state)
{
    const uint64_t layer = (3187703808 - 2 * 16384) / 8 + 2 * 16384;
    const uint64_t words = 128256 * UINT64_C(16384) / 8;
    struct job j;
    open_job(&j, 16, "{model: llama3-405b, parallelism: {tensor: 8, data: 2}}");
    expect_calls(&j, ORR_ALL_REDUCE, 8, 1, 8192 * 16384 * 2, 126 * 4);
    expect_calls(&j, ORR_ALL_REDUCE, 2, 8,
                 2 * (126 * layer + 2 * words + 16384), 1);
    close_job(&j);
    open_job(&j, 64,
             "{model: llama3-405b, parallelism: {tensor: 8, context: 4, data: "
             "2}}");
    expect_calls(&j, ORR_ALL_REDUCE, 8, 1, 2048 * 16384 * 2, 126 * 4);
    expect_calls(&j, ORR_ALL_GATHER, 4, 8, 2048 * 2 * 128 * 2, 126 * 2);
    expect_calls(&j, ORR_REDUCE_SCATTER, 4, 8, 8192 * 2 * 128 * 2, 126);
    expect_calls(&j, ORR_ALL_REDUCE, 8, 8,
                 2 * (126 * layer + 2 * words + 16384), 1);
    close_job(&j);
}

/* Stages hand on a context group's part: 4096 / 2 tokens of 7168 in 16 bit. */
static void test_context_of_stages(void **state)
{
    struct job j;
    open_job(&j, 4,
             "{model: deepseek-v3, sync: none, parallelism: {pipeline: 2, "
             "context: 2}}");
    for (uint32_t i = 0; i < j.p->ops; i++)
        if (j.p->op[i].kind == ORR_OP_SEND)
            assert_int_equal(j.p->op[i].bytes, 2048 * 7168 * 2);
    assert_int_equal(count_ops(&j, 0, ORR_OP_SEND), 1);
    close_job(&j);
}

/* DeepSeek-V3 with 256 / 16 experts on a rank: 8 copies of 4096 tokens of 7168,
 * there and back, both ways, in 58 layers. Mixtral 8x7B: 2 of 8192 of 4096. */
static void test_experts(void **state)
{
    const uint64_t expert = 3 * UINT64_C(7168) * 2048;
    const uint64_t all = UINT64_C(671026419200), eight = 58 * 256 * expert;
    struct job j;
    open_job(&j, 32,
             "{model: deepseek-v3, parallelism: {expert: 16, data: 2}}");
    expect_calls(&j, ORR_ALL_TO_ALL, 16, 1, UINT64_C(8) * 4096 * 7168 * 2,
                 58 * 4);
    expect_calls(&j, ORR_ALL_REDUCE, 2, 16, 2 * eight / 16, 1);
    expect_calls(&j, ORR_ALL_REDUCE, 32, 0, 2 * (all - eight), 1);
    close_job(&j);
    open_job(&j, 16, "{model: mixtral-8x7b, parallelism: {expert: 8}}");
    expect_calls(&j, ORR_ALL_TO_ALL, 8, 1, 2 * 8192 * 4096 * 2, 32 * 4);
    expect_calls(&j, ORR_ALL_REDUCE, 2, 8, 2 * 32 * 3 * UINT64_C(4096) * 14336,
                 1);
    expect_calls(
        &j, ORR_ALL_REDUCE, 16, 0,
        2 * (UINT64_C(46702792704) - 32 * 8 * 3 * UINT64_C(4096) * 14336), 1);
    close_job(&j);
    /* without an expert group all experts are everybody's */
    open_job(&j, 16, "{model: mixtral-8x7b}");
    expect_calls(&j, ORR_ALL_REDUCE, 16, 0, 2 * UINT64_C(46702792704), 1);
    close_job(&j);
    assert_int_equal(
        read_job(&j, 6,
                 "{model: mixtral-8x7b, parallelism: {expert: 3, data: 2}}"),
        ORR_ECONFIG);
    assert_non_null(strstr(j.why.message, "mixtral-8x7b has 8 experts in a "
                                          "layer, which 3 ranks cannot share"));
    close_job(&j);
}

/* Sequence parallelism: a layer's input gathered forward, its output's gradient
 * and the input again backward, and a scattered sum each way; 8192 x 8192 in
 * 16 bit, an eighth of it on each rank. */
static void test_sequence_parallel(void **state)
{
    const uint64_t all = 8192 * 8192 * 2;
    struct job j;
    open_job(&j, 16,
             "{model: llama3-70b, sync: none, sequence_parallel: true, "
             "parallelism: {tensor: 8, pipeline: 2}}");
    assert_int_equal(count_calls(&j, ORR_ALL_REDUCE, 8, 1), 0);
    expect_calls(&j, ORR_ALL_GATHER, 8, 1, all / 8, 80 * 6);
    expect_calls(&j, ORR_REDUCE_SCATTER, 8, 1, all, 80 * 4);
    for (uint32_t i = 0; i < j.p->ops; i++)
        if (j.p->op[i].kind == ORR_OP_SEND)
            assert_int_equal(j.p->op[i].bytes, all / 8);
    close_job(&j);
    open_job(&j, 8,
             "{model: llama3-70b, sync: none, tensor_chunks: 4, flops: "
             "1PFLOPS, parallelism: {tensor: 8}}");
    expect_calls(&j, ORR_ALL_REDUCE, 8, 0, all / 4, 80 * 4 * 4);
    /* attention and MLP are in four parts, both ways; norms take no time */
    assert_int_equal(count_ops(&j, 0, ORR_OP_COMPUTE), 80 * 2 * 4 * 2 + 2);
    close_job(&j);
}

/* Bytes of all calls of a kind. */
static uint64_t bytes_of(const struct job *j, enum orr_collective_kind kind)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < j->p->calls; i++)
        if (j->p->call[i].c.ops->kind == kind)
            sum += j->p->call[i].bytes;
    return sum;
}

/* Gradients of 8,030,261,248 parameters scattered once, or after each of three
 * micro-batches; weights gathered once; buckets padded to eight shares. */
static void test_zero(void **state)
{
    const uint64_t all = UINT64_C(8030261248) * 2;
    static const struct {
        const char *sync;
        uint32_t times;
    } cases[] = {{"zero-1", 1}, {"zero-2", 3}};
    for (int i = 0; i < 2; i++) {
        struct job j;
        char keys[160];
        snprintf(keys, sizeof keys,
                 "{model: llama3-8b, batch: 3, micro_batches: 3, sync: %s}",
                 cases[i].sync);
        open_job(&j, 8, keys);
        uint32_t n = count_calls(&j, ORR_ALL_GATHER, 8, 0);
        assert_true(n > 100);
        assert_int_equal(count_calls(&j, ORR_REDUCE_SCATTER, 8, 0),
                         n * cases[i].times);
        assert_int_equal(count_calls(&j, ORR_ALL_REDUCE, 8, 0), 0);
        assert_in_range(bytes_of(&j, ORR_REDUCE_SCATTER), all * cases[i].times,
                        (all + 16 * n) * cases[i].times);
        assert_in_range(8 * bytes_of(&j, ORR_ALL_GATHER), all, all + 16 * n);
        close_job(&j);
    }
}

/* H100: an MLP by its operations, a norm by what it reads and writes. */
static void test_gpu(void **state)
{
    struct job j;
    open_job(&j, 1, "{model: llama3-8b, sync: none, gpu: H100}");
    assert_int_equal(j.p->op[0].time_ps, 20032496); /* words: 8192 x 4096 */
    assert_int_equal(j.p->op[1].time_ps, 40064993); /* norm: in and out */
    assert_int_equal(j.p->op[4].time_ps, 2917139703);
    close_job(&j);
    open_job(&j, 1,
             "{model: llama3-8b, sync: none, gpu: H200, efficiency: 0.5}");
    assert_int_equal(j.p->op[4].time_ps, 5834279407);
    close_job(&j);
    assert_int_equal(read_job(&j, 1, "{model: llama3-8b, gpu: H10}"),
                     ORR_ECONFIG);
    assert_non_null(strstr(j.why.message, "gpu: \"H10\" is not known"));
    close_job(&j);
    assert_int_equal(
        read_job(&j, 1, "{model: llama3-8b, gpu: A100, flops: 1TFLOPS}"),
        ORR_ECONFIG);
    close_job(&j);
}

static void test_out_of_memory(void **state)
{
    static const char *const jobs[] = {
        "{model: vgg16, sync: ddp, algorithm: {name: ring, chunks: 2}}",
        "{model: vgg16, sync: fsdp, parallelism: {pipeline: 2, data: 4}}",
        "{model: vgg11-cifar, sync: parameter-server, asynchronous: true, "
        "staleness: 1}",
        "{model: mixtral-8x7b, sync: zero-2, sequence_parallel: true, "
        "tensor_chunks: 2, parallelism: {tensor: 2, context: 2, expert: 2}}",
    };
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++)
        for (uint64_t n = 1;; n += 1 + n / 64) {
            struct job j;
            orr__memory_fail_after(n, 0);
            orr_err err = read_job(&j, 8, jobs[i]);
            orr__memory_fail_after(0, 0);
            if (err)
                assert_int_equal(err, ORR_ENOMEM);
            close_job(&j);
            if (!err)
                break;
        }
}

/* An operation waits for all of those before it, however many there are. */
static void waits_for_all(void **state)
{
    enum { BEFORE = 9 };
    struct orr_report why = {.code = ORR_OK};
    struct orr_training t = {.p = orr__program_new(1), .why = &why};
    struct orr_stage s = {.t = &t};
    const struct orr_op op = {.kind = ORR_OP_WAIT, .who = ORR_EVERYONE};
    uint32_t before[BEFORE + 1], last;

    assert_non_null(t.p);
    for (uint32_t i = 0; i < BEFORE; i++)
        assert_int_equal(orr__stage_op(&s, &op, NULL, 0, &before[i]), ORR_OK);
    before[BEFORE] = before[0];
    before[0] = ORR_NONE; /* of which there is none */
    assert_int_equal(orr__stage_op(&s, &op, before, BEFORE + 1, &last), ORR_OK);
    assert_int_equal(orr__program_finish(t.p, &why), ORR_OK);
    assert_int_equal(t.p->waits[last], BEFORE);
    orr__program_free(t.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_everyone),
        cmocka_unit_test(test_sends_of_stages),
        cmocka_unit_test(test_balanced_stages),
        cmocka_unit_test(test_dlrm),
        cmocka_unit_test(test_asynchronous),
        cmocka_unit_test(test_algorithms),
        cmocka_unit_test(test_llama),
        cmocka_unit_test(test_context_of_stages),
        cmocka_unit_test(test_experts),
        cmocka_unit_test(test_sequence_parallel),
        cmocka_unit_test(test_zero),
        cmocka_unit_test(test_gpu),
        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(waits_for_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
