#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <string.h>
#include <cmocka.h>

#include "core/escape.h"
#include "core/json.h"
#include "core/memory.h"

typedef void escape_fn(struct orr_text *, const char *);

static void becomes(escape_fn *escape, const char *s, const char *expected)
{
    struct orr_text t = {.s = NULL};
    escape(&t, s);
    char *made = orr__text_done(&t);
    assert_string_equal(made, expected);
    orr__free(made);
}

static void gnuplot(void **state)
{
    becomes(orr__escape_gnuplot, "plain", "'plain'");
    becomes(orr__escape_gnuplot, "it's 100%", "'it''s 100%'");
    becomes(orr__escape_gnuplot, "'a\\\"`", "\"\\047a\\134\\042\\140\"");
    becomes(orr__escape_gnuplot, "a\nb\tc", "'a b c'");
    becomes(orr__escape_gnuplot, "a''b", "\"a\\047\\047b\"");
    becomes(orr__escape_gnuplot, "a'", "\"a\\047\"");
    /* digits behind a number are no more of it */
    becomes(orr__escape_gnuplot, "'10a1", "\"\\047\\061\\060a1\"");
    becomes(orr__escape_gnuplot_data, "x\"0", "\"x\\042\\060\"");
    /* as it is in SVG */
    becomes(orr__escape_gnuplot, "]]>]>", "']] >]>'");
    becomes(orr__escape_gnuplot_data, "x]]]>", "\"x]]] >\"");
    /* a long name fits beside its picture; other texts stay */
    becomes(orr__escape_gnuplot_name, "abcdefghijklmnopqrstuvwxyzabcdefghij",
            "'abcdefghijklmnopqrstuvwxyzabcdefghij'");
    becomes(orr__escape_gnuplot_name, "abcdefghijklmnopqrstuvwxyzabcdefghijk",
            "'abcdefghijklmnopqrst\xe2\x80\xa6wxyzabcdefghijk'");
    becomes(orr__escape_gnuplot,
            "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrs",
            "'abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrs'");
    becomes(orr__escape_gnuplot_format, "100%", "'100%%'");
    becomes(orr__escape_gnuplot_format, "'%s", "\"\\047%%s\"");
    becomes(orr__escape_gnuplot_data, "a\"%'\\", "\"a\\042%\\047\\134\"");
}

static void pages(void **state)
{
    struct orr_text t = {.s = NULL};
    becomes(orr__escape_html, "<b>&\"'", "&lt;b&gt;&amp;&quot;'");
    orr__escape_script(&t, "</script>", 9);
    char *made = orr__text_done(&t);
    assert_string_equal(made, "\\u003c/script>");
    orr__free(made);
}

static void tables(void **state)
{
    becomes(orr__escape_csv, "a b", "a b");
    becomes(orr__escape_csv, "a,\"b\"", "\"a,\"\"b\"\"\"");
    becomes(orr__escape_csv, "=1+1", "'=1+1");
    becomes(orr__escape_csv, "a\nb", "a b");
}

static void formulas(void **state)
{
    static const char *const numbers[] = {"-1", "+2.5", "-1e3", "3"};
    static const char *const formulas[] = {"=1", "+a", "-1+1", "@x", "\t=1"};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        becomes(orr__escape_csv, numbers[i], numbers[i]);
    for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++) {
        struct orr_text t = {.s = NULL};
        orr__escape_csv(&t, formulas[i]);
        char *made = orr__text_done(&t);
        assert_int_equal(made[0], '\'');
        orr__free(made);
    }
    becomes(orr__escape_markdown, "a|b*_`\\~", "a\\|b\\*\\_\\`\\\\\\~");
    becomes(orr__escape_markdown, "<script>\nf(x)", "&lt;script&gt; f(x)");
    becomes(orr__escape_markdown, "[x](y)", "[x]\\(y)");
    becomes(orr__escape_markdown_line, "<b>a_b* \"x\" [x](y) ![](z)",
            "&lt;b&gt;a_b* \"x\" [x]\\(y) ![]\\(z)");
    becomes(orr__escape_latex, "[50%_\\", "{}[50\\%\\_\\textbackslash{}");
}

/* C0, C1, marks, overrides and isolates; and what is none of these. */
static void what_a_terminal_obeys_goes_nowhere(void **state)
{
    static const uint32_t refused[] = {
        0,      0x1b,   0x7f,   0x80,   0x9b,   0x9f,    0x61c,
        0x200e, 0x200f, 0x2028, 0x202a, 0x202e, 0x2066,  0x2069,
        0x200b, 0x2060, 0xfeff, 0xfffe, 0xffff, 0xe0041, 0x1fffe,
    };
    static const uint32_t shown[] = {'a',    0xa0,   0x5d0,  0x628,  0x200d,
                                     0x2030, 0x2065, 0x206a, 0x1f600};
    static escape_fn *const all[] = {
        orr__escape_gnuplot,      orr__escape_gnuplot_format,
        orr__escape_gnuplot_data, orr__escape_html,
        orr__escape_csv,          orr__escape_markdown,
        orr__escape_latex,
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        assert_false(orr__is_shown(refused[i]));
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        assert_true(orr__is_shown(shown[i]));
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct orr_text t = {.s = NULL};
        all[i](&t, "x\xe2\x80\xaey\xc2\x9bz\x1b\xff");
        char *made = orr__text_done(&t);
        assert_non_null(strstr(made, "x???y??z??"));
        orr__free(made);
    }
    becomes(orr__json_string, "\xe2\x80\xae\xc2\x9b\x1b\xc3\xa4",
            "\"\\u202e\\u009b\\u001b\xc3\xa4\"");
    becomes(orr__text_quoted, "\xe2\x80\xae\xc2\x9b\xc3\xa4",
            "\"\\u202e\\u009b\xc3\xa4\"");
    struct orr_text t = {.s = NULL};
    orr__text_add(&t, "a\xc2\x9b"
                      "31m\nb\xe2\x80\xae");
    char *made = orr__text_shown(&t);
    assert_string_equal(made, "a??31m\nb???");
    orr__free(made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gnuplot),
        cmocka_unit_test(pages),
        cmocka_unit_test(tables),
        cmocka_unit_test(formulas),
        cmocka_unit_test(what_a_terminal_obeys_goes_nowhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
