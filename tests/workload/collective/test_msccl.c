/* MSCCL's XML: rings are read and pass the check; what is wrong is refused at
 * its line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs those four first */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "workload/collective/msccl.h"

enum { ROOM = 1 << 16 };

static void add(char *text, const char *fmt, ...) ORR_PRINTF(2, 3);
static void add(char *text, const char *fmt, ...)
{
    size_t n = strlen(text);
    va_list args;
    va_start(args, fmt);
    vsnprintf(text + n, ROOM - n, fmt, args);
    va_end(args);
}

/* A ring all-reduce of n GPUs in place, one chunk each: n lines a GPU and more.
 */
static void write_ring(char *text, uint32_t n)
{
    text[0] = '\0';
    add(text,
        "<algo name=\"a ring\" nchunksperloop=\"%u\" proto=\"Simple\" "
        "ngpus=\"%u\" coll=\"allreduce\" inplace=\"1\">\n",
        n, n);
    for (uint32_t g = 0; g < n; g++) {
        add(text,
            "<gpu id=\"%u\" i_chunks=\"%u\" o_chunks=\"%u\" s_chunks=\"0\">\n"
            "<tb id=\"0\" send=\"%u\" recv=\"%u\" chan=\"0\">\n",
            g, n, n, (g + 1) % n, (g + n - 1) % n);
        for (uint32_t s = 0; s < 2 * n - 1; s++) {
            uint32_t chunk = (g + 2 * n - s) % n;
            add(text,
                "<step s=\"%u\" type=\"%s\" srcbuf=\"i\" srcoff=\"%u\" "
                "dstbuf=\"i\" dstoff=\"%u\" cnt=\"1\" depid=\"-1\" "
                "deps=\"-1\"/>\n",
                s,
                s == 0          ? "s"
                : s < n         ? "rrcs"
                : s < 2 * n - 2 ? "rcs"
                                : "r",
                chunk, chunk);
        }
        add(text, "</tb></gpu>\n");
    }
    add(text, "</algo>\n");
}

/* Reads and checks a text; the report is filled if that fails. */
static orr_err try(const char *text, uint32_t gpus, uint32_t room,
                   struct orr_msccl **s, struct orr_report *why)
{
    char path[] = "/tmp/orrery-msccl-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    *why = (struct orr_report){.code = ORR_OK};
    orr_err err = orr__msccl_read(path, gpus, ORR_ALL_REDUCE, s, why);
    if (!err)
        err = orr__msccl_check(*s, room, why);
    unlink(path);
    return err;
}

static void test_rings(void **state)
{
    static char text[ROOM];
    struct orr_report why;
    struct orr_msccl *s;
    for (uint32_t n = 2; n <= 9; n++) {
        write_ring(text, n);
        if (try(text, n, 2, &s, &why))
            fail_msg("%u: %d: %s", n, why.line, why.message);
        assert_int_equal(s->blocks, n);
        assert_int_equal(s->steps, n * (2 * n - 1));
        assert_int_equal(s->most_blocks, 1);
        assert_int_equal(s->block[0].all_in, 2 * (n - 1));
        orr__msccl_free(s);
    }
}

/* One change of a ring of three, and what is said of it. */
static void test_bad_input(void **state)
{
    static const struct {
        const char *old, *new;
        int line;
        const char *message;
    } bad[] = {
        {"<algo", "<system", 1, "<algo ...> is expected"},
        {"coll=\"allreduce\"", "coll=\"allgather\"", 1,
         "coll=\"allgather\": it is used for all-reduce"},
        {"proto=\"Simple\"", "proto=\"Fast\"", 1,
         "proto is LL, LL128 or Simple"},
        {"ngpus=\"3\"", "ngpus=\"4\"", 1, "ngpus=\"4\": 3 ranks take part"},
        {"ngpus=\"3\"", "ngpus=\"3\" ngpus=\"3\"", 1, "ngpus is given twice"},
        {"ngpus=\"3\"", "ngpus=\"three\"", 1,
         "ngpus=\"three\": a number from 1 to 4096 is expected"},
        {" inplace=\"1\"", "", 1, "<algo> has no `inplace`"},
        {"<gpu id=\"1\"", "<gpu id=\"2\"", 10, "GPU 1 is expected, not 2"},
        {"<tb id=\"0\"", "<tb id=\"1\"", 3, "block 0 is expected, not 1"},
        {"send=\"1\"", "send=\"0\"", 3,
         "send: another of 3 GPUs is expected, not 0"},
        {"send=\"1\"", "send=\"-1\"", 4, "its block has nobody to send to"},
        {"type=\"rcs\"", "type=\"x\"", 7, "there is no step of type \"x\""},
        {"<step s=\"1\"", "<step s=\"2\"", 5, "step 1 is expected, not 2"},
        {"cnt=\"1\"", "cnt=\"4\"", 4, "chunks beyond the buffer"},
        {"srcbuf=\"i\"", "srcbuf=\"q\"", 4, "buffers are i, o and s"},
        {"depid=\"-1\" deps=\"-1\"", "depid=\"1\" deps=\"0\"", 4,
         "there is no step 0 of another block 1"},
        {"</tb>", "", 9, "<step> or </tb> is expected"},
        {"</algo>", "", 27, "</algo> is expected, and the file ends"},
        {"recv=\"2\"", "recv=\"1\"", 4,
         "its block receives, and not one block of that GPU sends to it on "
         "this channel"},
        {"type=\"rcs\"", "type=\"r\"", 16,
         "here the schedule stops for ever: its step waits for a message"},
        {"type=\"rcs\"", "type=\"rrcs\"", 0,
         "it adds the part of a GPU a second time"},
        {"<step s=\"0\" type=\"s\"",
         "<step s=\"0\" type=\"nop\" srcbuf=\"i\" srcoff=\"0\" "
         "dstbuf=\"i\" dstoff=\"0\" cnt=\"0\" depid=\"-1\" deps=\"-1\"/>"
         "<step s=\"1\" type=\"s\"",
         5, "step 2 is expected, not 1"},
        {"type=\"r\"", "type=\"nop\"", 0,
         "its block sends more messages than are received"},
        {"type=\"rrcs\"", "type=\"rcs\"", 1,
         "this is no all-reduce: GPU 0 ends with a part of the sum in chunk 2 "
         "of its input"},
    };
    static char text[ROOM], changed[ROOM];
    struct orr_report why;
    struct orr_msccl *s;
    write_ring(text, 3);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char *at = strstr(text, bad[i].old);
        assert_non_null(at);
        snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - text), text,
                 bad[i].new, at + strlen(bad[i].old));
        if (try(changed, 3, 8, &s, &why) != ORR_ECONFIG
            || strcmp(why.message, bad[i].message) != 0
            || (bad[i].line && why.line != bad[i].line))
            fail_msg("%s: line %d, not %d: %s", bad[i].new, why.line,
                     bad[i].line, why.message);
        orr__msccl_free(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rings),
        cmocka_unit_test(test_bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
