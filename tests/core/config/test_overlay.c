/* One document laid over another. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <string.h>
#include <cmocka.h>

#include "core/config/config.h"
#include "core/config/param.h"

static struct orr_config *parse(const char *text)
{
    struct orr_config *c = NULL;
    struct orr_report why = {.code = ORR_OK};
    assert_int_equal(orr__config_parse("t.yaml", text, strlen(text), &c, &why),
                     ORR_OK);
    return c;
}

/* What laying the value of `over` at a path of base gives. */
static void assert_laid(const char *base, const char *path, const char *over,
                        const char *expect)
{
    struct orr_report why = {.code = ORR_OK};
    struct orr_config *b = parse(base), *c = NULL;
    const struct orr_yaml *key, *value;
    assert_int_equal(orr__config_copy(b, NULL, &c, &why), ORR_OK);
    assert_int_equal(
        orr__config_value(b, "over", path, over, &key, &value, &why), ORR_OK);
    assert_int_equal(orr__config_lay(c, path, key, value, &why), ORR_OK);
    char *text = orr__config_effective(c);
    assert_string_equal(text, expect);
    orr__free(text);
    orr__config_free(c);
    /* what it was made of is as it was */
    text = orr__config_effective(b);
    struct orr_config *again = parse(base);
    char *before = orr__config_effective(again);
    assert_string_equal(text, before);
    orr__free(text);
    orr__free(before);
    orr__config_free(again);
    orr__config_free(b);
}

static void maps_are_merged(void **state)
{
    assert_laid("a: {x: 1, y: {z: 2}}\n", "a", "{y: {w: 3}, v: 4}",
                "a:\n  x: 1\n  y:\n    z: 2\n    w: 3\n  v: 4\n");
    assert_laid("a: {x: 1}\n", "b.c", "{y: 2}",
                "a:\n  x: 1\nb:\n  c:\n    y: 2\n");
    assert_laid("a: {kind: k, x: 1}\n", "a", "{x: 2}",
                "a:\n  kind: k\n  x: 2\n");
    assert_laid("a: {kind: k, x: 1}\n", "a", "{kind: k, y: 2}",
                "a:\n  kind: k\n  x: 1\n  y: 2\n");
    assert_laid("a: {x: 1}\n", "a", "{kind: k}", "a:\n  x: 1\n  kind: k\n");
}

static void another_kind_replaces_the_map(void **state)
{
    assert_laid("a: {kind: k, x: 1, l: {r: 1}}\n", "a", "{kind: m, y: 2}",
                "a:\n  kind: m\n  y: 2\n");
    assert_laid("b: {a: {kind: k, x: 1}, c: 1}\n", "b", "{a: {kind: m}}",
                "b:\n  a:\n    kind: m\n  c: 1\n");
}

static void all_else_is_replaced(void **state)
{
    assert_laid("a: [1, 2]\n", "a", "[3]", "a: [3]\n");
    assert_laid("a: {kind: k, x: 1}\n", "a", "m", "a: m\n");
    assert_laid("a: m\n", "a", "{kind: k}", "a:\n  kind: k\n");
    assert_laid("a: [{b: 1}, {b: 2}]\n", "a[1].b", "3",
                "a:\n  - b: 1\n  - b: 3\n");
    assert_laid("a: null\n", "a.b", "1", "a:\n  b: 1\n");
}

struct known {
    const char *kind;
    int64_t x;
};
static const struct orr_param params[] = {
    {"kind", ORR_PARAM_TEXT, offsetof(struct known, kind), NULL, NULL, NULL,
     NULL, ""},
    {"x", ORR_PARAM_INT, offsetof(struct known, x), "0", NULL, NULL, NULL, ""},
    ORR_PARAM_END,
};

/* a.kind becomes `to`; then the map is read by who knows kind and x. */
static orr_err read_after(const char *to, char **effective,
                          struct orr_report *why)
{
    struct orr_config *b = parse("a: {y: 7, kind: k, x: 1}\n"), *c = NULL;
    const struct orr_yaml *key, *value;
    struct known k;
    const struct orr_param_set set = {params, &k};
    assert_int_equal(orr__config_copy(b, NULL, &c, why), ORR_OK);
    assert_int_equal(
        orr__config_value(b, "over", "a.kind", to, &key, &value, why), ORR_OK);
    assert_int_equal(orr__config_lay(c, "a.kind", key, value, why), ORR_OK);
    orr_err err = orr__param_read(c, orr__yaml_get(orr__config_root(c), "a"),
                                  "a", &set, 1, why);
    *effective = orr__config_effective(c);
    orr__config_free(c);
    orr__config_free(b);
    return err;
}

static void what_another_kind_does_not_know_is_dropped(void **state)
{
    struct orr_report why = {.code = ORR_OK};
    char *text;
    assert_int_equal(read_after("m", &text, &why), ORR_OK);
    assert_string_equal(text, "a:\n  kind: m\n  x: 1\n");
    orr__free(text);
    assert_int_equal(read_after("k", &text, &why), ORR_ECONFIG);
    assert_string_equal(why.message, "unknown key \"y\" in a");
    orr__free(text);
}

static void a_copy_may_leave_a_key_out(void **state)
{
    struct orr_report why = {.code = ORR_OK};
    struct orr_config *b = parse("a: 1\nb: {c: 2}\nd: 3\n"), *c = NULL;
    assert_int_equal(orr__config_copy(b, "b", &c, &why), ORR_OK);
    char *text = orr__config_effective(c);
    assert_string_equal(text, "a: 1\nd: 3\n");
    orr__free(text);
    orr__config_free(c);
    orr__config_free(b);
}

/* Messages about what was laid point to where it came from. */
static void places_are_kept(void **state)
{
    struct orr_report why = {.code = ORR_OK};
    struct orr_config *b = parse("a: {x: 1}\n"), *c = NULL;
    struct orr_config *over = parse("\n\na: {x: one}\n");
    const struct orr_yaml *map = orr__config_root(over);
    assert_int_equal(orr__config_copy(b, NULL, &c, &why), ORR_OK);
    assert_int_equal(orr__config_lay(c, "a", orr__yaml_key(map, 0),
                                     orr__yaml_value(map, 0), &why),
                     ORR_OK);
    const struct orr_yaml *a = orr__yaml_get(orr__config_root(c), "a");
    orr_err err = orr__yaml_fail(c, orr__yaml_get(a, "x"), &why, "here");
    assert_int_equal(err, ORR_ECONFIG);
    assert_int_equal(why.line, 3);
    assert_int_equal(why.col, 8);
    orr__config_free(c);
    orr__config_free(over);
    orr__config_free(b);
}

static void wrong_paths_are_refused(void **state)
{
    static const char *const paths[] = {"", ".", "a..b", "a[", "a[x]", "a]"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        struct orr_report why = {.code = ORR_OK};
        struct orr_config *c = parse("a: 1\n");
        const struct orr_yaml *root = orr__config_root(c);
        assert_int_equal(orr__config_lay(c, paths[i], orr__yaml_key(root, 0),
                                         orr__yaml_value(root, 0), &why),
                         ORR_ECONFIG);
        orr__config_free(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_are_merged),
        cmocka_unit_test(another_kind_replaces_the_map),
        cmocka_unit_test(all_else_is_replaced),
        cmocka_unit_test(what_another_kind_does_not_know_is_dropped),
        cmocka_unit_test(a_copy_may_leave_a_key_out),
        cmocka_unit_test(places_are_kept),
        cmocka_unit_test(wrong_paths_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
