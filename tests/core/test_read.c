#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/memory.h"
#include "core/read.h"

static const char name[] = "/tmp/orrery-test-read-XXXXXX";

static void make(char *path, const char *bytes, size_t n)
{
    memcpy(path, name, sizeof name);
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_true(write(fd, bytes, n) == (ssize_t)n);
    close(fd);
}

static void test_whole_file(void **state)
{
    char path[sizeof name], *s;
    size_t n;

    make(path, "a\0b\n", 4);
    assert_int_equal(orr__read_file(path, 4, ORR_READ_REGULAR, &s, &n), 0);
    assert_int_equal(n, 4);
    assert_memory_equal(s, "a\0b\n", 5); /* and a NUL behind it */
    orr__free(s);
    assert_int_equal(orr__read_file(path, 3, 0, &s, &n), EFBIG);
    assert_null(s);
    assert_int_equal(orr__read_file(path, 3, ORR_READ_BEGINNING, &s, &n), 0);
    assert_int_equal(n, 3);
    assert_memory_equal(s, "a\0b", 4);
    orr__free(s);
    unlink(path);
    assert_int_equal(orr__read_file(path, 4, 0, &s, &n), ENOENT);
    assert_null(s);
}

static void test_empty(void **state)
{
    char path[sizeof name], *s;
    size_t n;

    make(path, "", 0);
    assert_int_equal(orr__read_file(path, 0, ORR_READ_REGULAR, &s, &n), 0);
    assert_int_equal(n, 0);
    assert_string_equal(s, "");
    orr__free(s);
    unlink(path);
}

static void test_no_regular_file(void **state)
{
    char *s;
    size_t n;

    assert_int_equal(orr__read_file("/tmp", 100, 0, &s, &n), EISDIR);
    assert_int_equal(orr__read_file("/dev/null", 100, ORR_READ_REGULAR, &s, &n),
                     EINVAL);
    assert_int_equal(orr__read_file("/dev/null", 100, 0, &s, &n), 0);
    assert_int_equal(n, 0);
    orr__free(s);
    assert_int_equal(orr__read_file("/dev/zero", 100000, 0, &s, &n), EFBIG);
    /* a text ends with what has a zero byte in it */
    assert_int_equal(orr__read_file("/dev/zero", 100000, ORR_READ_TEXT, &s, &n),
                     0);
    assert_in_range(n, 1, 100000);
    orr__free(s);
}

/* More than was expected of what does not say how much it has. */
static void test_pipe(void **state)
{
    enum { MANY = 30000 };
    static char text[MANY];
    char *s;
    size_t n;
    int end[2];

    for (size_t i = 0; i < MANY; i++)
        text[i] = (char)('a' + i % 26);
    assert_int_equal(pipe(end), 0);
    assert_true(write(end[1], text, MANY) == MANY); /* a pipe holds 64 KiB */
    close(end[1]);
    assert_int_equal(orr__read_from(end[0], MANY, 0, &s, &n), 0);
    close(end[0]);
    assert_int_equal(n, MANY);
    assert_memory_equal(s, text, MANY);
    assert_int_equal(s[n], 0);
    orr__free(s);
    assert_int_equal(orr__read_from(end[0], MANY, 0, &s, &n), EBADF);
}

static void test_lines(void **state)
{
    static const char text[] = "one\n\nthr\0ee\nlast";
    static const size_t length[] = {3, 0, 6, 4};
    char path[] = "/tmp/orrery-test-XXXXXX";
    int fd = mkstemp(path);
    struct orr_lines l;

    assert_true(write(fd, text, sizeof text - 1) == sizeof text - 1);
    close(fd);
    assert_int_equal(orr__lines_open(&l, path, 3), EFBIG);
    orr__lines_fini(&l);
    assert_int_equal(orr__lines_open(&l, path, sizeof text), 0);
    for (size_t i = 0; i < 4; i++) {
        char *line = orr__lines_next(&l);

        assert_non_null(line);
        assert_int_equal(l.length, length[i]);
        assert_int_equal(line[l.length], 0);
        assert_int_equal(strlen(line), i == 2 ? 3 : length[i]);
        assert_int_equal(l.ended, i < 3);
    }
    assert_null(orr__lines_next(&l));
    orr__lines_fini(&l);
    unlink(path);
    assert_int_equal(orr__lines_open(&l, path, 100), ENOENT);
    orr__lines_fini(&l);
}

static void test_no_memory(void **state)
{
    char *s;
    size_t n;

    orr__memory_fail_after(1, 0);
    assert_int_equal(orr__read_file("/dev/null", 100, 0, &s, &n), ENOMEM);
    orr__memory_fail_after(0, 0);
    assert_null(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_file),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_no_regular_file),
        cmocka_unit_test(test_pipe),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
