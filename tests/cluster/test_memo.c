/* What is remembered comes back to the last bit, also from a file that was cut
 * off, and whatever else stands in it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "cluster/memo.h"
#include "core/memory.h"

static const struct orr_outcome some[] = {
    {1.0 / 3, 0.1, 7e11, 0.5, 0, 1e9, 12, true, false, 1, 3, {1, 20, 300}},
    {5e12, 0, 1, 2, 3, 4, 5, true, true, 1, 0, {0}},
    {0x1.fffffffffffffp+40,
     0.3,
     0,
     0,
     0,
     0,
     200,
     false,
     false,
     4,
     2,
     {INT64_MAX - 1, INT64_MAX}},
};

static char name[64];

static int make_name(void **state)
{
    snprintf(name, sizeof name, "/tmp/test-memo-%d", (int)getpid());
    unlink(name);
    return 0;
}

static int remove_file(void **state)
{
    unlink(name);
    return 0;
}

static struct orr_memo *open_memo(const char *file)
{
    struct orr_memo *m = NULL;
    assert_int_equal(orr__memo_open(file, &m, NULL), ORR_OK);
    return m;
}

static void holds(const struct orr_memo *m, uint64_t key, uint32_t n,
                  const struct orr_outcome *all)
{
    struct orr_outcome out[3];
    assert_true(orr__memo_has(m, key, n));
    assert_true(orr__memo_find(m, key, n, out));
    for (uint32_t i = 0; i < n; i++) {
        assert_true(out[i].iteration_ps == all[i].iteration_ps);
        assert_true(out[i].half == all[i].half);
        assert_true(out[i].compute_ps == all[i].compute_ps);
        assert_true(out[i].marks == all[i].marks);
        assert_true(out[i].resent == all[i].resent);
        assert_true(out[i].bytes == all[i].bytes);
        assert_int_equal(out[i].iterations, all[i].iterations);
        assert_int_equal(out[i].settled, all[i].settled);
        assert_int_equal(out[i].exact, all[i].exact);
        assert_int_equal(out[i].each, all[i].each);
        assert_int_equal(out[i].ends, all[i].ends);
        for (uint32_t k = 0; k < all[i].ends; k++)
            assert_true(out[i].end_ps[k] == all[i].end_ps[k]);
    }
}

static void in_memory_alone(void **state)
{
    struct orr_memo *m = open_memo(NULL);
    assert_false(orr__memo_has(m, 1, 2));
    for (uint64_t key = 1; key <= 1000; key++)
        assert_int_equal(orr__memo_add(m, key, 1 + key % 3, some, NULL),
                         ORR_OK);
    for (uint64_t key = 1; key <= 1000; key++)
        holds(m, key, 1 + key % 3, some);
    assert_false(orr__memo_has(m, 1, 1)); /* another number of jobs */
    orr__memo_close(m);
}

static void comes_back_from_its_file(void **state)
{
    struct orr_memo *m = open_memo(name);
    assert_int_equal(orr__memo_add(m, 7, 3, some, NULL), ORR_OK);
    orr__memo_close(m);
    m = open_memo(name);
    holds(m, 7, 3, some);
    assert_int_equal(orr__memo_add(m, UINT64_MAX, 1, some + 1, NULL), ORR_OK);
    orr__memo_close(m);
    m = open_memo(name);
    holds(m, 7, 3, some);
    holds(m, UINT64_MAX, 1, some + 1);
    orr__memo_close(m);
}

/* Wherever it is cut off: what was whole is there, and no more; and what is
 * added behind it comes back. */
static void a_file_that_was_cut_off(void **state)
{
    char text[2000];
    struct orr_memo *m = open_memo(name);
    assert_int_equal(orr__memo_add(m, 1, 1, some, NULL), ORR_OK);
    assert_int_equal(orr__memo_add(m, 2, 3, some, NULL), ORR_OK);
    orr__memo_close(m);
    FILE *f = fopen(name, "r");
    size_t size = fread(text, 1, sizeof text, f);
    size_t first = (size_t)(strchr(text + 1, '\n') - text) + 1;
    fclose(f);
    for (size_t n = 0; n < size; n += 3) {
        f = fopen(name, "w");
        assert_int_equal(fwrite(text, 1, n, f), n);
        fclose(f);
        m = open_memo(name);
        assert_int_equal(orr__memo_has(m, 1, 1), n >= first);
        assert_false(orr__memo_has(m, 2, 3));
        assert_int_equal(orr__memo_add(m, 2, 3, some, NULL), ORR_OK);
        orr__memo_close(m);
        m = open_memo(name);
        holds(m, 2, 3, some);
        orr__memo_close(m);
    }
}

/* Whichever byte is another one: a set is as it was, or not there, and that is
 * counted. */
static void a_byte_that_was_changed(void **state)
{
    static const char bytes[] = {'0', '7', ' ', 'x', '.', '-', 0};
    char text[2000], damaged[2000];
    struct orr_memo *m = open_memo(name);
    assert_int_equal(orr__memo_add(m, 1, 1, some, NULL), ORR_OK);
    assert_int_equal(orr__memo_add(m, 2, 3, some, NULL), ORR_OK);
    orr__memo_close(m);
    FILE *f = fopen(name, "r");
    size_t size = fread(text, 1, sizeof text, f);
    fclose(f);
    for (size_t n = 0; n < size * sizeof bytes; n++) {
        size_t at = n / sizeof bytes;
        if (text[at] == '\n' || text[at] == bytes[n % sizeof bytes])
            continue;
        memcpy(damaged, text, size);
        damaged[at] = bytes[n % sizeof bytes];
        f = fopen(name, "w");
        assert_int_equal(fwrite(damaged, 1, size, f), size);
        fclose(f);
        m = open_memo(name);
        assert_int_equal(orr__memo_damaged(m), 1);
        assert_true(orr__memo_has(m, 1, 1) != orr__memo_has(m, 2, 3));
        if (orr__memo_has(m, 1, 1))
            holds(m, 1, 1, some);
        else
            holds(m, 2, 3, some);
        assert_int_equal(orr__memo_add(m, 9, 1, some, NULL), ORR_OK);
        assert_false(orr__memo_kept(m, 9));
        assert_true(orr__memo_kept(m, orr__memo_has(m, 1, 1) ? 1 : 2));
        orr__memo_close(m);
    }
}

static void files_of_others_count_for_nothing(void **state)
{
    static const char *const texts[] = {
        "",
        "\n\n\n",
        "hello\n",
        "0 0 0 0 0 0 0 0 0 0 0 0\n",
        "1 4000000000 0 0x1p0 0 0 0 0 0 1 1 1 1 0\n",
        "1 2 1 0x1p0 0 0 0 0 0 1 1 1 1 0\n",  /* the second without the first */
        "1 1 0 -0x1p0 0 0 0 0 0 1 1 1 1 0\n", /* one before it began */
        "1 1 0 0x1p0 0 0 0 0 0 1 1 1\n", /* as they were before they had ends */
        "1 1 0 0x1p0 0 0 0 0 0 1 1 1 0 0\n",   /* none at all of each */
        "1 1 0 0x1p0 0 0 0 0 0 1 1 1 1 65\n",  /* more than there is room for */
        "1 1 0 0x1p0 0 0 0 0 0 1 1 1 1 2 5\n", /* an end is missing, ... */
        "1 1 0 0x1p0 0 0 0 0 0 1 1 1 1 1 5 6\n", /* is too many, ... */
        "1 1 0 0x1p0 0 0 0 0 0 1 1 1 1 2 6 5\n", /* comes too early */
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        FILE *f = fopen(name, "w");
        fputs(texts[i], f);
        fclose(f);
        struct orr_memo *m = open_memo(name);
        assert_false(orr__memo_has(m, 0, 0));
        assert_false(orr__memo_has(m, 1, 1));
        assert_false(orr__memo_has(m, 1, 2));
        orr__memo_close(m);
    }
}

static void without_memory(void **state)
{
    for (uint64_t n = 1;; n++) {
        struct orr_memo *m = NULL;
        orr__memory_fail_after(n, true);
        orr_err err = orr__memo_open(NULL, &m, NULL);
        if (!err)
            err = orr__memo_add(m, 1, 3, some, NULL);
        orr__memory_fail_after(0, false);
        orr__memo_close(m);
        if (!err)
            break;
        assert_int_equal(err, ORR_ENOMEM);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_memory_alone),
        cmocka_unit_test_setup_teardown(comes_back_from_its_file, make_name,
                                        remove_file),
        cmocka_unit_test_setup_teardown(a_file_that_was_cut_off, make_name,
                                        remove_file),
        cmocka_unit_test_setup_teardown(a_byte_that_was_changed, make_name,
                                        remove_file),
        cmocka_unit_test_setup_teardown(files_of_others_count_for_nothing,
                                        make_name, remove_file),
        cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
