#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "core/memory.h"

static bool all_zero(const void *p, size_t n)
{
    const unsigned char *b = p;
    for (size_t i = 0; i < n; i++)
        if (b[i])
            return false;
    return true;
}

static void allocations_are_zeroed(void **state)
{
    unsigned char *p = orr__alloc(1000, 7);
    assert_non_null(p);
    assert_true(all_zero(p, 7000));
    memset(p, 1, 7000);
    p = orr__resize(p, 2000, 7);
    assert_non_null(p);
    assert_int_equal(p[6999], 1);
    orr__free(p);
    orr__free(NULL);
}

static void nothing_is_something_unique(void **state)
{
    void *a = orr__alloc(0, 8), *b = orr__alloc(8, 0), *c = orr__alloc(1, 1);
    assert_non_null(a);
    assert_non_null(b);
    assert_ptr_not_equal(a, b);
    assert_non_null(c = orr__resize(c, 0, 4));
    orr__free(a);
    orr__free(b);
    orr__free(c);
}

static void products_do_not_overflow(void **state)
{
    char *p = orr__strdup("kept");
    struct orr_arena arena = {NULL};
    volatile size_t huge = SIZE_MAX / 2;
    assert_null(orr__alloc(huge, 3));
    assert_null(orr__resize(p, huge, 3));
    assert_null(orr__alloc_lines(huge, 3));
    assert_null(orr__alloc_lines(SIZE_MAX, 1));
    assert_null(orr__alloc_lines_bare(huge, 3));
    assert_null(orr__alloc_lines_bare(SIZE_MAX, 1));
    assert_null(orr__arena_alloc(&arena, huge, 3));
    assert_null(orr__arena_alloc(&arena, SIZE_MAX, 1));
    assert_string_equal(p, "kept");
    orr__free(p);
    orr__arena_fini(&arena);
}

static void lines_are_aligned(void **state)
{
    for (size_t n = 0; n < 200; n++) {
        char *p = orr__alloc_lines(n, 1);
        assert_int_equal((uintptr_t)p % 64, 0);
        assert_true(all_zero(p, n));
        orr__free(p);
        p = orr__alloc_lines_bare(n, 1);
        assert_int_equal((uintptr_t)p % 64, 0);
        memset(p, 0xff, (n + 63) / 64 * 64); /* whole lines are there */
        orr__free(p);
    }
    orr__memory_fail_after(1, 0);
    assert_null(orr__alloc_lines_bare(1, 1));
}

static void texts_are_copied_and_formatted(void **state)
{
    char *a = orr__strdup(""), *b = orr__format("%s-%d", "link", 12);
    assert_string_equal(a, "");
    assert_string_equal(b, "link-12");
    orr__free(a);
    orr__free(b);
}

static void the_nth_allocation_fails_once(void **state)
{
    orr__memory_fail_after(3, 0);
    void *p[4];
    for (int i = 0; i < 4; i++)
        p[i] = i % 2 ? orr__alloc(1, 1) : orr__alloc_lines(1, 1);
    assert_non_null(p[0]);
    assert_non_null(p[1]);
    assert_null(p[2]);
    assert_non_null(p[3]);
    for (int i = 0; i < 4; i++)
        orr__free(p[i]);
}

static void or_for_good(void **state)
{
    char *p = orr__strdup("x");
    orr__memory_fail_after(2, 1);
    void *q = orr__alloc(1, 1);
    assert_non_null(q);
    assert_null(orr__alloc(1, 1));
    assert_null(orr__resize(p, 2, 1));
    assert_null(orr__strdup("y"));
    assert_null(orr__format("y"));
    orr__memory_fail_after(0, 1);
    assert_string_equal(p, "x");
    orr__free(p);
    orr__free(q);
    q = orr__alloc(1, 1);
    assert_non_null(q);
    orr__free(q);
}

static void an_arena_keeps_its_things_apart(void **state)
{
    enum { N = 3000 };
    static unsigned char *p[N];
    struct orr_arena arena = {NULL};
    for (size_t i = 0; i < N; i++) {
        size_t n = i % 7 == 0 ? 3 * i : i % 50;
        p[i] = orr__arena_alloc(&arena, n, 1);
        assert_non_null(p[i]);
        assert_int_equal((uintptr_t)p[i] % 16, 0);
        assert_true(all_zero(p[i], n));
        memset(p[i], (int)(i % 251), n);
    }
    for (size_t i = 0; i < N; i++) {
        size_t n = i % 7 == 0 ? 3 * i : i % 50;
        for (size_t j = 0; j < n; j++)
            assert_int_equal(p[i][j], i % 251);
    }
    assert_string_equal(orr__arena_strdup(&arena, "text"), "text");
    orr__arena_fini(&arena);
    assert_null(arena.blocks);
}

static void an_arena_survives_failure(void **state)
{
    struct orr_arena arena = {NULL};
    char *kept = orr__arena_strdup(&arena, "kept");
    orr__memory_fail_after(1, 1);
    assert_null(orr__arena_alloc(&arena, 100000, 1));
    orr__memory_fail_after(0, 0);
    assert_string_equal(kept, "kept");
    assert_non_null(orr__arena_alloc(&arena, 100000, 1));
    orr__arena_fini(&arena);
}

static void what_there_is_is_plausible(void **state)
{
    uint64_t room = orr__memory_available(), peak = orr__memory_peak();
    assert_true(room > UINT64_C(1) << 20);
    assert_true(room < UINT64_C(1) << 50);
    assert_true(orr__memory_fits(1 << 20));
    assert_false(orr__memory_fits(UINT64_C(1) << 50));
    assert_true(peak > UINT64_C(1) << 18);
    enum { MORE = 64 << 20 };
    void *p = orr__alloc_lines(MORE, 1); /* writes all of it */
    assert_non_null(p);
    assert_true(orr__memory_peak() >= peak + MORE / 2);
    orr__free(p);
}

#ifndef __has_feature /* gcc says it with macros of its own */
#define __has_feature(x) 0
#endif
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__                \
    || __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

static void a_limit_on_addresses_counts(void **state)
{
    if (SANITIZED)
        skip(); /* sanitizers map terabytes */
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct rlimit r = {UINT64_C(1) << 29, UINT64_C(1) << 29};
        setrlimit(RLIMIT_AS, &r);
        uint64_t room = orr__memory_available();
        bool right = room > 0 && room < r.rlim_cur && orr__memory_fits(0)
                     && orr__memory_fits(room / 2)
                     && !orr__memory_fits(r.rlim_cur);
        _exit(right ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocations_are_zeroed),
        cmocka_unit_test(nothing_is_something_unique),
        cmocka_unit_test(products_do_not_overflow),
        cmocka_unit_test(lines_are_aligned),
        cmocka_unit_test(texts_are_copied_and_formatted),
        cmocka_unit_test(the_nth_allocation_fails_once),
        cmocka_unit_test(or_for_good),
        cmocka_unit_test(an_arena_keeps_its_things_apart),
        cmocka_unit_test(an_arena_survives_failure),
        cmocka_unit_test(what_there_is_is_plausible),
        cmocka_unit_test(a_limit_on_addresses_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
