/* Whose place a piece of a made configuration is, by its failures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "formats/origin.h"

/* "a: é, b: 2" of which b is the file's second line, then a line that is
 * the file's as a whole, and one that is nobody's. */
static char *made(struct orr_origins *b, const char *file)
{
    struct orr_text t = {.s = NULL};
    orr__text_add(&t, "a: \u00e9, ");
    orr__origins_find(b, &t, file, 2, 3, "BEE");
    orr__text_add(&t, "b: 2\n");
    orr__origins_find(b, &t, file, 0, 0, NULL);
    orr__text_add(&t, "whole: 1\n");
    orr__origins_find(b, &t, NULL, 0, 0, NULL);
    orr__text_add(&t, "ours: 1\n");
    return orr__text_done(&t);
}

static struct orr_report at(const char *file, int line, int col)
{
    struct orr_report r = {.code = ORR_OK};
    orr__fail_at(&r, ORR_ECONFIG, file, line, col, "too small");
    orr__hint(&r, "larger");
    orr__excerpt(&r, "what was made", 13);
    return r;
}

static void told_where_it_stems_from(void **state)
{
    char file[] = "/tmp/orrery-blame-XXXXXX";
    int fd = mkstemp(file);
    assert_true(fd >= 0 && write(fd, "one\n  BEE 2\n", 12) == 12);
    close(fd);
    struct orr_origins b = {.pieces = 0};
    char *text = made(&b, file);
    struct orr_report r = at("made", 1, 7); /* b, the seventh character */
    orr__origins_tell(&b, "made", text, &r);
    assert_string_equal(r.file, file);
    assert_true(r.line == 2 && r.col == 3 && r.code == ORR_ECONFIG);
    assert_string_equal(r.message, "BEE: too small");
    assert_string_equal(r.hint, "larger");
    assert_string_equal(r.excerpt, "  BEE 2");
    r = at("made", 2, 5);
    orr__origins_tell(&b, "made", text, &r);
    assert_string_equal(r.file, file);
    assert_string_equal(r.message, "too small");
    assert_true(r.line == 0 && r.excerpt[0] == '\0');
    (void)unlink(file);
    orr__free(text);
    orr__origins_fini(&b);
}

static void what_is_nobodys_stays(void **state)
{
    struct orr_origins b = {.pieces = 0};
    char *text = made(&b, "there.txt");
    struct orr_report r = at("made", 1, 6), was = r;
    orr__origins_tell(&b, "made", text, &r); /* before the first piece */
    assert_memory_equal(&r, &was, sizeof r);
    r = was = at("made", 3, 1);
    orr__origins_tell(&b, "made", text, &r);
    assert_memory_equal(&r, &was, sizeof r);
    r = was = at("--set b", 1, 7); /* another text */
    orr__origins_tell(&b, "made", text, &r);
    assert_memory_equal(&r, &was, sizeof r);
    r = was = (struct orr_report){.code = ORR_OK};
    orr__origins_tell(&b, "made", text, &r);
    assert_memory_equal(&r, &was, sizeof r);
    orr__origins_find(NULL, &(struct orr_text){.s = NULL}, "x", 1, 1, "x");
    orr__free(text);
    orr__origins_fini(&b);
}

/* What is made with such a name is no text, and not because of the file. */
static void the_name_is_to_blame(void **state)
{
    struct orr_origins b = {.pieces = 0};
    char *text = made(&b, "w\xff");
    struct orr_report r = at("made", 1, 7);
    assert_true(orr__origins_names(&b, "w\xff"));
    assert_false(orr__origins_names(&b, "w") || orr__origins_names(&b, "BEE"));
    orr__origins_tell(&b, "made", text, &r);
    assert_string_equal(r.file, "w?");
    assert_string_equal(r.message, "the name of this file: too small");
    orr__free(text);
    orr__origins_fini(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(told_where_it_stems_from),
        cmocka_unit_test(what_is_nobodys_stays),
        cmocka_unit_test(the_name_is_to_blame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
