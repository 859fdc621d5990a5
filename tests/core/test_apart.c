#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "core/apart.h"
#include "core/memory.h"
#include "core/text.h"

static orr_err work(void *arg, FILE *out, struct orr_report *why)
{
    const char *how = arg;
    fputs("some", out);
    if (strcmp(how, "fails") == 0)
        return orr__fail_at(why, ORR_ECONFIG, "a.h5", 3, 4, "no good");
    if (strcmp(how, "crashes") == 0) {
        signal(SIGSEGV, SIG_DFL); /* not a sanitizer's */
        raise(SIGSEGV);
    }
    if (strcmp(how, "ends") == 0)
        _exit(7);
    while (strcmp(how, "goes on") == 0)
        ;
    for (int i = 0; i < 100000; i++)
        fputs(" more", out);
    return ORR_OK;
}

/* The message; *text: what came before the end. */
static orr_err told(const char *how, struct orr_report *why, char **text)
{
    struct orr_text t = {.s = NULL};
    const struct orr_apart a = {work, (char *)how, orr__apart_take_text,
                                &t,   "a.h5",      strcmp(how, "goes on") == 0};
    *why = (struct orr_report){.code = ORR_OK};
    orr_err err = orr__run_apart(&a, why);
    *text = orr__text_done(&t);
    assert_non_null(*text);
    return err;
}

static void what_it_writes_comes_here(void **state)
{
    struct orr_report why;
    char *text;
    assert_int_equal(told("works", &why, &text), ORR_OK);
    assert_int_equal(strlen(text), 4 + 100000 * 5);
    assert_int_equal(why.code, ORR_OK);
    orr__free(text);
}

static void a_failure_is_told_as_it_was(void **state)
{
    struct orr_report why;
    char *text;
    assert_int_equal(told("fails", &why, &text), ORR_ECONFIG);
    assert_string_equal(why.message, "no good");
    assert_string_equal(why.file, "a.h5");
    assert_int_equal(why.col, 4);
    assert_string_equal(text, "some");
    orr__free(text);
}

static void an_end_of_another_kind_is_a_failure(void **state)
{
    static const char *const how[][2] = {
        {"crashes", "a.h5: the file is damaged: HDF5 crashed as it read it "
                    "(Segmentation fault)"},
        {"ends", "a.h5: the file is damaged: HDF5 ended as it read it"},
        {"goes on", "a.h5: the file is damaged: reading it does not end"},
    };
    for (size_t i = 0; i < sizeof how / sizeof *how; i++) {
        struct orr_report why;
        char *text;
        assert_int_equal(told(how[i][0], &why, &text), ORR_ECONFIG);
        assert_string_equal(why.message, how[i][1]);
        orr__free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_it_writes_comes_here),
        cmocka_unit_test(a_failure_is_told_as_it_was),
        cmocka_unit_test(an_end_of_another_kind_is_a_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
