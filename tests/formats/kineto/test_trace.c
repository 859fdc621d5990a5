#include "formats/kineto/trace.h"

#include <stdio.h>

#include "core/memory.h"
#include "tests/refused.h"

#define GPU(name, ts, dur, more)                                               \
    "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"" name "\", \"ts\": " ts \
    ", \"dur\": " dur ", \"args\": {" more "}}"
#define STEP(n, ts, dur)                                                       \
    "{\"ph\": \"X\", \"cat\": \"user_annotation\", \"name\": "                 \
    "\"ProfilerStep#" n "\", \"ts\": " ts ", \"dur\": " dur "}"
#define CALL(kind, elements)                                                   \
    "\"stream\": 20, \"Collective name\": \"" kind                             \
    "\", \"In msg nelems\": " elements                                         \
    ", \"Group size\": 2, \"dtype\": \"Float\", "                              \
    "\"Process Group Ranks\": \"[0, 1]\""
#define TRACE(events)                                                          \
    "{\"distributedInfo\": {\"rank\": 1, \"world_size\": 2},\n"                \
    "\"traceEvents\": [\n" events "\n]}"

static orr_err read_trace(const char *text, struct orr_kineto *k,
                          struct orr_text *notes, struct orr_report *why)
{
    *k = (struct orr_kineto){.n = 0};
    return orr__kineto_read(k, "t.json", text, strlen(text), notes, why);
}

/* The second step of three; a collective beside a computation, and one that
 * the next computation waits for. */
static void test_chain(void **state)
{
    static const char *const part[] = {
        STEP("1", "0", "10"),
        STEP("2", "10", "500"),
        STEP("3", "510", "10"),
        GPU("gemm", "5", "1", "\"stream\": 7"),
        GPU("gemm", "20", "100", "\"stream\": 7"),
        GPU("nccl", "60", "30", CALL("allreduce", "10")),
        GPU("nccl", "120", "80", CALL("_allgather_base", "8")),
        GPU("gemm", "205", "50", "\"stream\": 7"),
    };
    char events[2048], text[2304];
    size_t at = 0;
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        at += (size_t)snprintf(events + at, sizeof events - at, "%s%s",
                               i ? "," : "", part[i]);
    snprintf(text, sizeof text, TRACE("%s"), events);
    struct orr_kineto k;
    struct orr_text notes = {.s = NULL};
    struct orr_report why = {.code = ORR_OK};
    assert_int_equal(read_trace(text, &k, &notes, &why), ORR_OK);
    assert_string_equal(notes.s, "t.json: ProfilerStep#2 of 3 steps\n");
    assert_int_equal(k.rank, 1);
    assert_int_equal(k.world, 2);
    assert_true(k.step_ns == 235000);
    assert_int_equal(k.n, 5);
    assert_true(!k.op[0].kind && k.op[0].ns == 40000);
    assert_string_equal(k.op[1].kind, "all-reduce");
    assert_int_equal(k.op[1].bytes, 40);
    assert_true(!k.op[2].kind && k.op[2].ns == 60000);
    assert_string_equal(k.op[3].kind, "all-gather");
    assert_int_equal(k.op[3].bytes, 32);
    assert_int_equal(k.op[3].waits, 1); /* the one before on its stream */
    assert_int_equal(k.op[3].wait[0], 1);
    assert_true(!k.op[4].kind && k.op[4].ns == 55000);
    assert_int_equal(k.op[4].waits, 1);
    assert_int_equal(k.op[4].wait[0], 3);
    orr__kineto_fini(&k);
    orr__free(notes.s);
}

static const struct {
    const char *text, *message; /* NULL: any */
    int line;
} bad[] = {
    {"", NULL, 0},
    {"\x1f\x8b", "the file is compressed", 1},
    {"[]", "a map with traceEvents is expected", 1},
    {"{}", "it has no list traceEvents: no trace of PyTorch's profiler", 1},
    {TRACE(""),
     "no event of a GPU (cat: kernel): the profiler has to record "
     "ProfilerActivity.CUDA",
     2},
    {TRACE(GPU("gemm", "1", "1", "") ",\n" GPU("gemm", "1", "-1", "")),
     "event 1: its `ts` and `dur` are no times", 4},
    {TRACE(GPU("nccl", "1", "1", "\"stream\": 1")),
     "event 0: a kernel of NCCL without `Collective name`: a later PyTorch "
     "(2.2) records it",
     3},
    {TRACE(GPU("nccl", "1", "1", CALL("send", "1"))),
     "event 0: its collective is none that is converted (send and recv are "
     "not)",
     3},
    {TRACE(GPU("nccl", "1", "1", CALL("allreduce", "0"))),
     "event 0: its `In msg nelems` is no size", 3},
    {TRACE(GPU("nccl", "1", "1",
               "\"Collective name\": \"allreduce\", "
               "\"In msg nelems\": 1, \"Group size\": 2")),
     "event 0: its `dtype` is not known", 3},
    {TRACE(GPU("nccl", "1", "1",
               "\"Collective name\": \"allreduce\", "
               "\"In msg nelems\": 1, \"dtype\": \"Half\"")),
     "event 0: its `Group size` is no number of ranks", 3},
};

static void test_refuses(void **state)
{
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct orr_kineto k;
        struct orr_text notes = {.s = NULL};
        struct orr_report why = {.code = ORR_OK};
        orr_err err = read_trace(bad[i].text, &k, &notes, &why);
        assert_refused(
            err, &why,
            (struct refused){i, bad[i].message, NULL, bad[i].line, 0});
        assert_string_equal(why.file, "t.json");
        orr__kineto_fini(&k);
        orr__free(notes.s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
