/* The text of a workload: what its header and its layers may say, and where
 * what is wrong with them is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "formats/astra/text.h"
#include "tests/refused.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))
#define LAYER       " -1 1 NONE 0 2 NONE 0 3 ALLREDUCE 4000 1"
#define HYBRID      "HYBRID_TRANSFORMER model_parallel_NPU_group: 2 "

static orr_err read(const char *text, struct orr_arena *arena,
                    struct orr_astra_text *t, struct orr_report *why)
{
    *why = (struct orr_report){0};
    return orr__astra_text("w.txt", text, arena, t, why);
}

static void test_headers(void **state)
{
    struct orr_arena arena = {0};
    struct orr_astra_text t;
    struct orr_report why;
    assert_int_equal(
        read("HYBRID_TRANSFORMER_FWD_IN_BCKWD pp: 2 vpp: 3 ga: 4 ep: 5\n"
             "all_gpus: 64 pp_comm: 700 model_parallel_NPU_group: 8\n"
             "checkpoints: 2 0 1 checkpoint_initiates: 1 2\n3\na" LAYER
             "\nb" LAYER "\nc" LAYER "\n",
             &arena, &t, &why),
        ORR_OK);
    assert_int_equal(t.type, ORR_ASTRA_HYBRID_TRANSFORMER_FWD_IN_BCKWD);
    assert_int_equal(t.group, 8);
    assert_int_equal(t.pp, 2);
    assert_int_equal(t.vpp, 3);
    assert_int_equal(t.ga, 4);
    assert_int_equal(t.ep, 5);
    assert_int_equal(t.all_gpus, 64);
    assert_int_equal(t.pp_comm, 700);
    assert_int_equal(t.lines, 3);
    assert_true(t.line[0].checkpoint && t.line[1].checkpoint);
    assert_true(t.line[2].initiates && !t.line[2].checkpoint);
    assert_string_equal(t.line[2].name, "c");
    assert_int_equal(t.line[2].row, 7);
    assert_int_equal(t.line[2].stage[2].bytes, 4000);
    /* with and without the word before the number */
    static const char *const dlrm[] = {
        "HYBRID_DLRM DLRM_LAST_BOTTOM_LAYER: 1 2\na" LAYER "\nb" LAYER,
        "HYBRID_DLRM 1 2\na" LAYER "\nb" LAYER,
    };
    for (size_t i = 0; i < COUNT(dlrm); i++) {
        assert_int_equal(read(dlrm[i], &arena, &t, &why), ORR_OK);
        assert_int_equal(t.last_bottom, 1);
        assert_int_equal(t.lines, 2);
    }
    orr__arena_fini(&arena);
}

static const struct {
    const char *text, *message;
    int line, column;
} refused[] = {
    {"", "the file ends where a parallelism type is expected", 1, 1},
    {"DATAA\n1\n", "\"DATAA\": there is no such parallelism type", 1, 1},
    {"DATA\n0\n", "\"0\": a workload has at least one layer", 2, 1},
    {"DATA\n1.5\n", "\"1.5\": a whole number is expected", 2, 1},
    {"DATA\n", "the file ends where the number of layers is expected", 2, 1},
    {HYBRID "vpp: 0\n", "\"0\": 1 or more is expected", 1, 53},
    {HYBRID "vpp: 2 vpp: 2\n", "\"vpp:\": is listed twice", 1, 55},
    {HYBRID "tp: 2\n", "\"tp:\": there is no such word in a header", 1, 48},
    {HYBRID "ga:", "the file ends where a number is expected", 1, 51},
    {HYBRID, "the file ends where the number of layers is expected", 1, 48},
    {HYBRID "pp_comm none 1",
     "\"none\": a size in bytes is expected, from 0 "
     "to 1e+15",
     1, 56},
    {"HYBRID_TRANSFORMER 1\na" LAYER,
     "the header has no model_parallel_NPU_group:", 1, 1},
    {HYBRID "checkpoints: 3 1\n",
     "\"3\": the file ends before that many layers", 1, 61},
    {HYBRID "checkpoints: many 1\n",
     "\"many\": how many layers follow is "
     "expected, from 0 to 1000000",
     1, 61},
    {HYBRID "checkpoints: 1 0 checkpoint_initiates: 1 x 2\n",
     "\"x\": a layer is expected, from 0 to 1000000", 1, 89},
    {HYBRID "checkpoints: 1 2\n2\na" LAYER "\nb" LAYER,
     "checkpoint at layer 2, but there are only 2", 1, 1},
    {HYBRID "checkpoint_initiates: 1 1\n2\na" LAYER "\nb" LAYER,
     "layer 1 goes back to a checkpoint, but there is none before it", 1, 1},
    {HYBRID "checkpoints: 1 1 checkpoint_initiates: 1 1\n2\na" LAYER
            "\nb" LAYER,
     "layer 1 is a checkpoint and goes back to it, for ever", 1, 1},
    {"HYBRID_DLRM 2 2\na" LAYER "\nb" LAYER,
     "the last bottom layer is 2, but there are only 2", 1, 1},
    {"HYBRID_DLRM last:",
     "the file ends where the last bottom layer is "
     "expected",
     1, 18},
    {"DATA\n1\na next 1 NONE 0 2 NONE 0 3 NONE 0 1",
     "\"next\": a dependency, -1 or a layer, is expected", 3, 3},
    {"DATA\n1\na -2 1 NONE 0 2 NONE 0 3 NONE 0 1",
     "\"-2\": a dependency, -1 or a layer, is expected", 3, 3},
    {"DATA\n1\na -1 1 NONE 0 2 NONE 0 3 NONE_EP 0 1",
     "\"NONE_EP\": NONE, ALLREDUCE, ALLTOALL, ALLGATHER or REDUCESCATTER is "
     "expected",
     3, 26},
    {"DATA\n1\na -1 1 NONE 0 2 NONE 0 3 NONE 0 soon",
     "\"soon\": an update time in ns is expected, from 0 to 1e+15", 3, 33},
    {"HYBRID_CUSTOMIZED\n1\na" LAYER,
     "the file ends where a parallelism type is expected", 3, 42},
    {"HYBRID_CUSTOMIZED\n1\na" LAYER " HYBRID_TRANSFORMER\n",
     "\"HYBRID_TRANSFORMER\": a layer cannot be of this type", 3, 43},
    {"HYBRID_CUSTOMIZED\n1\na" LAYER " HYBRID_CUSTOMIZED\n",
     "\"HYBRID_CUSTOMIZED\": a layer cannot be of this type", 3, 43},
};

static void test_refused(void **state)
{
    for (size_t i = 0; i < COUNT(refused); i++) {
        struct orr_arena arena = {0};
        struct orr_astra_text t;
        struct orr_report why;
        orr_err err = read(refused[i].text, &arena, &t, &why);
        assert_refused(err, &why,
                       (struct refused){i, refused[i].message, NULL,
                                        refused[i].line, refused[i].column});
        orr__arena_fini(&arena);
    }
}

static void test_memory_may_end(void **state)
{
    static const char text[] = HYBRID "checkpoints: 1 0\n1\na" LAYER;
    uint64_t n = 1;
    for (;; n++) {
        struct orr_arena arena = {0};
        struct orr_astra_text t;
        struct orr_report why;
        orr__memory_fail_after(n, 1);
        orr_err err = read(text, &arena, &t, &why);
        orr__memory_fail_after(0, 0);
        orr__arena_fini(&arena);
        if (!err)
            break;
        assert_int_equal(err, ORR_ENOMEM);
    }
    assert_int_equal(n, 2); /* the arena's one block */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_headers),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_memory_may_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
