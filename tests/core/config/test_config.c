#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "core/config/config.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static struct orr_config *parse(const char *text)
{
    struct orr_config *c = NULL;
    struct orr_report why = {.code = ORR_OK};
    orr_err err = orr__config_parse("t.yaml", text, strlen(text), &c, &why);
    if (err)
        print_error("%s\n", why.message);
    assert_int_equal(err, ORR_OK);
    return c;
}

static void set(struct orr_config *c, const char *assignment)
{
    struct orr_report why = {.code = ORR_OK};
    orr_err err = orr__config_set(c, assignment, &why);
    if (err)
        print_error("%s\n", why.message);
    assert_int_equal(err, ORR_OK);
}

/* Asserts the whole report of a failure, formatted as people see it. */
static void assert_report(orr_err err, const struct orr_report *why,
                          const char *expect)
{
    char buf[2048];
    orr__report_format(why, buf, sizeof buf);
    assert_string_equal(buf, expect);
    assert_int_equal(err, ORR_ECONFIG);
    assert_int_equal(why->code, ORR_ECONFIG);
}

static void assert_effective(struct orr_config *c, const char *expect)
{
    char *text = orr__config_effective(c);
    assert_string_equal(text, expect);
    orr__free(text);
    orr__config_free(c);
}

/* ---- what is read ---- */

static void block_and_flow_style_are_the_same(void **state)
{
    struct orr_config *c = parse("a: 1 # one\n"
                                 "b:\n"
                                 "  - {c: \"x y\", d: 'it''s'}\n"
                                 "  -\n"
                                 "    c: z\n"
                                 "e: [1, [2, 3], {}]\n");
    const struct orr_yaml *root = orr__config_root(c);
    assert_true(orr__yaml_is_map(root));
    assert_int_equal(orr__yaml_count(root), 3);
    assert_string_equal(orr__yaml_text(c, orr__yaml_key(root, 1)), "b");
    const struct orr_yaml *b = orr__yaml_get(root, "b");
    assert_true(orr__yaml_is_list(b));
    assert_int_equal(orr__yaml_count(b), 2);
    const struct orr_yaml *first = orr__yaml_item(b, 0);
    assert_string_equal(orr__yaml_text(c, orr__yaml_get(first, "c")), "x y");
    assert_string_equal(orr__yaml_text(c, orr__yaml_value(first, 1)), "it's");
    const struct orr_yaml *e = orr__yaml_get(root, "e");
    assert_string_equal(
        orr__yaml_text(c, orr__yaml_item(orr__yaml_item(e, 1), 1)), "3");
    assert_int_equal(orr__yaml_count(orr__yaml_item(e, 2)), 0);
    orr__config_free(c);
}

static void access_to_what_is_not_there_gives_nothing(void **state)
{
    struct orr_config *c = parse("a: [1]\nm: {k: v}\n");
    const struct orr_yaml *root = orr__config_root(c);
    const struct orr_yaml *a = orr__yaml_get(root, "a");
    assert_null(orr__yaml_get(root, "b"));
    assert_null(orr__yaml_get(NULL, "b"));
    assert_null(orr__yaml_get(a, "b"));
    assert_null(orr__yaml_item(a, 1));
    assert_null(orr__yaml_item(root, 0));
    assert_null(orr__yaml_item(NULL, 0));
    assert_null(orr__yaml_key(a, 0));
    assert_null(orr__yaml_key(root, 2));
    assert_null(orr__yaml_value(root, 2));
    assert_null(orr__yaml_text(c, a));
    assert_null(orr__yaml_text(c, NULL));
    assert_int_equal(orr__yaml_count(NULL), 0);
    assert_int_equal(orr__yaml_count(orr__yaml_item(a, 0)), 0);
    assert_false(orr__yaml_is_map(NULL) || orr__yaml_is_list(NULL)
                 || orr__yaml_is_scalar(NULL) || orr__yaml_is_null(NULL));
    orr__config_free(c);
}

static void null_is_plain_only(void **state)
{
    struct orr_config *c =
        parse("y: [~, null, Null, NULL, ]\nempty:\nn: ['~', \"\", nil, 0]\n");
    const struct orr_yaml *root = orr__config_root(c);
    const struct orr_yaml *yes = orr__yaml_get(root, "y");
    const struct orr_yaml *no = orr__yaml_get(root, "n");
    for (size_t i = 0; i < 4; i++) {
        assert_true(orr__yaml_is_null(orr__yaml_item(yes, i)));
        assert_false(orr__yaml_is_null(orr__yaml_item(no, i)));
    }
    assert_true(orr__yaml_is_null(orr__yaml_get(root, "empty")));
    assert_false(orr__yaml_is_null(root));
    orr__config_free(c);
}

static void anchors_and_merges_are_expanded(void **state)
{
    assert_effective(parse("x: &a {rate: 1Gbps, delay: 1us}\n"
                           "y: {<<: *a, delay: 2us}\n"
                           "z: {<<: [{q: 1}, *a, {q: 2, p: 3}]}\n"
                           "l: [*a, &a 5, *a]\n"),
                     "x:\n"
                     "  rate: 1Gbps\n"
                     "  delay: 1us\n"
                     "y:\n"
                     "  delay: 2us\n"
                     "  rate: 1Gbps\n"
                     "z:\n"
                     "  q: 1\n"
                     "  rate: 1Gbps\n"
                     "  delay: 1us\n"
                     "  p: 3\n"
                     "l:\n"
                     "  - rate: 1Gbps\n"
                     "    delay: 1us\n"
                     "  - 5\n"
                     "  - 5\n");
}

static void long_lists_are_reached_at_once(void **state)
{
    enum { N = 100000 };
    char *text = malloc(N * 24 + 16), *at = text;
    at += sprintf(at, "flows:\n");
    for (int i = 0; i < N; i++)
        at += sprintf(at, "  - {src: %d}\n", i);
    struct orr_config *c = parse(text);
    const struct orr_yaml *flows = orr__yaml_get(orr__config_root(c), "flows");
    assert_int_equal(orr__yaml_count(flows), N);
    for (int i = 0; i < N; i++) {
        const struct orr_yaml *src =
            orr__yaml_get(orr__yaml_item(flows, (size_t)i), "src");
        assert_int_equal(atoi(orr__yaml_text(c, src)), i);
    }
    orr__config_free(c);
    free(text);
}

static void a_value_knows_its_place(void **state)
{
    struct orr_config *c = parse("a: 1\n"
                                 "jobs:\n"
                                 "  - name: \xc3\xa9t\xc3\xa9\n"
                                 "    link: { rate: 1Gbps }\n");
    const struct orr_yaml *job =
        orr__yaml_item(orr__yaml_get(orr__config_root(c), "jobs"), 0);
    struct orr_report why = {.code = ORR_OK};
    orr_err err =
        orr__yaml_fail(c, orr__yaml_get(job, "name"), &why, "bad %s", "name");
    assert_report(err, &why,
                  "t.yaml:3:11: bad name\n"
                  "      - name: \xc3\xa9t\xc3\xa9\n"
                  "              ^");
    why = (struct orr_report){.code = ORR_OK};
    err = orr__yaml_fail(c, orr__yaml_get(job, "link"), &why, "bad");
    assert_report(err, &why,
                  "t.yaml:4:11: bad\n"
                  "        link: { rate: 1Gbps }\n"
                  "              ^");
    why = (struct orr_report){.code = ORR_OK};
    err = orr__yaml_fail(c, NULL, &why, "jobs or flows are missing");
    assert_report(err, &why,
                  "t.yaml:1:1: jobs or flows are missing\n"
                  "    a: 1\n"
                  "    ^");
    orr__config_free(c);
}

/* What knows nothing of the configuration fails without a place. */
static void a_failure_gets_a_place(void **state)
{
    struct orr_config *c = parse("a: 1\nb: 2\n");
    const struct orr_yaml *b = orr__yaml_get(orr__config_root(c), "b");
    struct orr_report why = {.code = ORR_OK};
    orr_err err = orr__fail(&why, ORR_ECONFIG, "100%% wrong");
    orr__hint(&why, "be right");
    err = orr__yaml_place(c, b, err, &why);
    assert_report(err, &why,
                  "t.yaml:2:4: 100% wrong\n"
                  "    b: 2\n"
                  "       ^\n"
                  "hint: be right");
    /* it has one, it is no error of the configuration, nobody asks */
    err = orr__yaml_place(c, NULL, err, &why);
    assert_int_equal(why.line, 2);
    why = (struct orr_report){.code = ORR_OK};
    err = orr__yaml_place(c, b, orr__fail(&why, ORR_EIO, "late"), &why);
    assert_int_equal(err, ORR_EIO);
    assert_int_equal(why.line, 0);
    assert_int_equal(orr__yaml_place(c, b, ORR_ECONFIG, NULL), ORR_ECONFIG);
    orr__config_free(c);
}

/* ---- what is not ---- */

static const struct bad_text {
    const char *text, *expect;
} bad_texts[] = {
    {"", "t.yaml:1:1: the configuration is empty"},
    {"\n# only a comment\n", "t.yaml:1:1: the configuration is empty"},
    {"---\n...\n", "t.yaml:1:1: the configuration is empty"},
    {"~", "t.yaml:1:1: the configuration is empty"},
    {"- a\n- b\n",
     "t.yaml:1:1: a configuration is a map of keys and values, not a "
     "list\n    - a\n    ^"},
    {"hello\n",
     "t.yaml:1:1: a configuration is a map of keys and values, not a "
     "single value\n    hello\n    ^"},
    {"a: 1\nb: 2\na: 3\n", "t.yaml:3:1: duplicate key \"a\": it is already on "
                           "line 1\n    a: 3\n    ^"},
    {"m: {x: 1, \"x\": 2}\n",
     "t.yaml:1:11: duplicate key \"x\": it is already on line 1\n    m: {x: 1, "
     "\"x\": 2}\n              ^"},
    {"a: \"open\n",
     "t.yaml:1:5: not valid YAML: double-quoted scalar without closing "
     "quote\n    a: \"open\n        ^"},
    {"a: b: c\n",
     "t.yaml:1:5: not valid YAML: invalid nested block mapping on the "
     "same line\n    a: b: c\n        ^"},
    {"a:\n\tb: 1\n",
     "t.yaml:2:1: not valid YAML: tab character may not be used as "
     "indentation\n     b: 1\n    ^"},
    {"a: 1\n  b: 2\n",
     "t.yaml:1:4: not valid YAML: invalid multiline plain key\n"
     "    a: 1\n       ^"},
    {"a: @x\n",
     "t.yaml:1:4: not valid YAML: plain scalar cannot start with '@'\n"
     "    a: @x\n       ^"},
    {"a: 1\n---\nb: 2\n",
     "t.yaml:2:1: a second document: a configuration is one\n"
     "    ---\n    ^"},
    {"a: !!int 3\n",
     "t.yaml:1:4: tags (!...) have no meaning in a configuration\n"
     "    a: !!int 3\n       ^"},
    {"a: *nowhere\n",
     "t.yaml:1:4: no anchor of this name is defined before it\n"
     "    a: *nowhere\n"
     "       ^"},
    {"a: &x [1, *x]\n", "t.yaml:1:11: an anchor cannot contain itself\n"
                        "    a: &x [1, *x]\n              ^"},
    {"? [a]\n: 1\n", "t.yaml:1:3: a key must be a word\n"
                     "    ? [a]\n      ^"},
    {"a: 1\n~: 1\n", "t.yaml:2:1: a key must be a word\n    ~: 1\n    ^"},
    {"a: {b: {: 1}}\n",
     "t.yaml:1:8: a key must be a word\n    a: {b: {: 1}}\n           ^"},
    {"a: {<<: 5}\n", "t.yaml:1:9: << takes a map or a list of maps\n"
                     "    a: {<<: 5}\n            ^"},
    {"a: {<<: [5]}\n", "t.yaml:1:10: << takes a map or a list of maps\n"
                       "    a: {<<: [5]}\n             ^"},
    {"\x89HDF\r\n\x1a\n",
     "t.yaml:1:1: this is not UTF-8 text: byte 0x89\n    ?HDF\n    ^"
     "\nhint: an HDF5 record; the configuration that made it is expected here "
     "(`orrery report` and `orrery plot` read records)"},
    {"a: 1\nb: \x1b[2J\n",
     "t.yaml:2:4: this is not text: control character 0x1b\n"
     "    b: ?[2J\n       ^"},
    {"a: 1\r\nb: 2\rc: \xc3\r\n",
     "t.yaml:3:4: this is not UTF-8 text: byte 0xc3\n"
     "    c: ?\n       ^"},
    {"a: 1\nb: >0\n",
     "t.yaml:2:1: not valid YAML, from somewhere after this on\n"
     "    b: >0\n    ^"},
    {"a: \"\\0\"\n",
     "t.yaml:1:4: this string has a character that no configuration "
     "needs\n    a: \"\\0\"\n       ^"},
};

static void bad_texts_are_refused_with_their_place(void **state)
{
    for (size_t i = 0; i < COUNT(bad_texts); i++) {
        struct orr_config *c = NULL;
        struct orr_report why = {.code = ORR_OK};
        orr_err err = orr__config_parse("t.yaml", bad_texts[i].text,
                                        strlen(bad_texts[i].text), &c, &why);
        assert_report(err, &why, bad_texts[i].expect);
        assert_null(c);
    }
}

static void a_nul_byte_is_no_text(void **state)
{
    struct orr_config *c = NULL;
    struct orr_report why = {.code = ORR_OK};
    orr_err err = orr__config_parse("t.yaml", "a: 1\0", 5, &c, &why);
    assert_report(err, &why,
                  "t.yaml:1:5: this is not text: control character "
                  "0x00\n    a: 1\n        ^");
}

static void nesting_ends_at_64_levels(void **state)
{
    char text[512];
    for (int levels = 60; levels < 70; levels++) {
        memcpy(text, "a: ", 3);
        memset(text + 3, '[', (size_t)levels - 1);
        memset(text + 3 + levels - 1, ']', (size_t)levels - 1);
        text[3 + 2 * (levels - 1)] = '\0';
        struct orr_config *c = NULL;
        struct orr_report why = {.code = ORR_OK};
        orr_err err = orr__config_parse("t.yaml", text, strlen(text), &c, &why);
        assert_int_equal(err, levels <= 64 ? ORR_OK : ORR_ECONFIG);
        if (err)
            assert_string_equal(why.message, "nested deeper than 64 levels");
        orr__config_free(c);
    }
}

/* Each level refers to the one before it ten times: ten million values. */
static void aliases_cannot_blow_up(void **state)
{
    char text[2048], *at = text;
    at += sprintf(at, "a0: &a0 [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\n");
    for (int i = 1; i < 7; i++) {
        at += sprintf(at, "a%d: &a%d [", i, i);
        for (int j = 0; j < 10; j++)
            at += sprintf(at, "%s*a%d", j ? ", " : "", i - 1);
        at += sprintf(at, "]\n");
    }
    struct orr_config *c = NULL;
    struct orr_report why = {.code = ORR_OK};
    assert_int_equal(orr__config_parse("t.yaml", text, strlen(text), &c, &why),
                     ORR_ECONFIG);
    assert_string_equal(why.message,
                        "aliases expand to more than a million values");
}

static void aliases_cannot_nest_without_end(void **state)
{
    char text[4096], *at = text;
    at += sprintf(at, "a0: &a0 [1]\n");
    for (int i = 1; i < 100; i++)
        at += sprintf(at, "a%d: &a%d [*a%d]\n", i, i, i - 1);
    struct orr_config *c = NULL;
    struct orr_report why = {.code = ORR_OK};
    assert_int_equal(orr__config_parse("t.yaml", text, strlen(text), &c, &why),
                     ORR_ECONFIG);
    assert_string_equal(why.message, "nested deeper than 64 levels");
}

static void a_map_has_at_most_1024_keys(void **state)
{
    char *text = malloc(20000), *at = text;
    struct orr_config *c = NULL;
    struct orr_report why = {.code = ORR_OK};
    for (int i = 0; i < 1024; i++)
        at += sprintf(at, "k%d: 1\n", i);
    orr__config_free(parse(text));
    sprintf(at, "k1024: 1\n");
    assert_int_equal(orr__config_parse("t.yaml", text, strlen(text), &c, &why),
                     ORR_ECONFIG);
    assert_string_equal(why.message, "a map of more than 1024 keys");
    free(text);
}

/* ---- files ---- */

static char folder[64];

static int make_folder(void **state)
{
    strcpy(folder, "/tmp/orrery-config-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static void write_file(const char *path, const char *text, size_t repeat)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    for (size_t i = 0; i < repeat; i++)
        fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static void a_file_is_read_and_knows_its_folder(void **state)
{
    char path[128];
    struct orr_config *c = NULL;
    struct orr_report why = {.code = ORR_OK};
    snprintf(path, sizeof path, "%s/c.yaml", folder);
    write_file(path, "a: 1\n", 1);
    assert_int_equal(orr__config_load(path, &c, &why), ORR_OK);
    assert_string_equal(orr__config_name(c), path);
    assert_string_equal(orr__config_folder(c), folder);
    orr__config_free(c);
    c = parse("a: 1");
    assert_string_equal(orr__config_folder(c), ".");
    assert_string_equal(orr__config_name(c), "t.yaml");
    orr__config_free(c);
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(orr__config_load("c.yaml", &c, &why), ORR_OK);
    assert_string_equal(orr__config_folder(c), ".");
    orr__config_free(c);
}

static void what_cannot_be_read_says_why(void **state)
{
    char path[128], expect[256];
    struct orr_config *c = NULL;
    struct orr_report why = {.code = ORR_OK};
    snprintf(path, sizeof path, "%s/none.yaml", folder);
    snprintf(expect, sizeof expect, "cannot read %s: No such file or directory",
             path);
    assert_report(orr__config_load(path, &c, &why), &why, expect);
    why = (struct orr_report){.code = ORR_OK};
    snprintf(expect, sizeof expect, "cannot read %s: it is a directory",
             folder);
    assert_report(orr__config_load(folder, &c, &why), &why, expect);
    why = (struct orr_report){.code = ORR_OK};
    assert_report(orr__config_load("/dev/null", &c, &why), &why,
                  "/dev/null:1:1: the configuration is empty");
    assert_null(c);
}

static void a_huge_file_is_refused(void **state)
{
    char path[128], expect[256];
    struct orr_config *c = NULL;
    struct orr_report why = {.code = ORR_OK};
    snprintf(path, sizeof path, "%s/huge.yaml", folder);
    write_file(path, "a: 1\n", 1);
    assert_int_equal(truncate(path, (64 << 20) + 1), 0);
    snprintf(expect, sizeof expect,
             "cannot read %s: larger than 64 MiB: this is no configuration",
             path);
    assert_report(orr__config_load(path, &c, &why), &why, expect);
    unlink(path);
}

/* ---- set ---- */

static void values_are_set_by_path(void **state)
{
    struct orr_config *c = parse("a: {b: 1}\njobs: [{n: 1}, {n: 2}]\nz:\n");
    set(c, "a.b=5us");
    set(c, "a.c.d=[1, 2]");
    set(c, "jobs[1].n=x = y");
    set(c, "jobs[2]={n: 3}");
    set(c, "z[0]=first");
    set(c, "link={rate: 1Gbps, delay: 1us}");
    set(c, "link.delay=2us");
    set(c, "empty=");
    set(c, "quoted='~'");
    set(c, "~=1");
    assert_effective(c, "a:\n"
                        "  b: 5us\n"
                        "  c:\n"
                        "    d: [1, 2]\n"
                        "jobs:\n"
                        "  - n: 1\n"
                        "  - n: \"x = y\"\n"
                        "  - n: 3\n"
                        "z: [first]\n"
                        "link:\n"
                        "  rate: 1Gbps\n"
                        "  delay: 2us\n"
                        "empty: null\n"
                        "quoted: \"~\"\n"
                        "\"~\": 1\n");
}

static void setting_a_copy_leaves_its_anchor_alone(void **state)
{
    struct orr_config *c = parse("x: &a {d: {v: 1}}\ny: *a\nz: {<<: *a}\n");
    set(c, "y.d.v=2");
    set(c, "z.d.v=3");
    assert_effective(c, "x:\n  d:\n    v: 1\n"
                        "y:\n  d:\n    v: 2\n"
                        "z:\n  d:\n    v: 3\n");
}

#define SET_HINT                                                               \
    "\nhint: write --set network.mtu=1500B or --set jobs[0].iterations=3"
#define ITEM_HINT                                                              \
    "\nhint: its items are [0], [1] and so on, as in jobs[0].ranks=4"
#define WHOLE_HINT "\nhint: set what holds it as a whole, like a={b: c}"

static void bad_assignments_say_what_is_wrong(void **state)
{
    static const struct {
        const char *assignment, *expect;
    } cases[] = {
        {"", "--set : not an assignment to a key" SET_HINT},
        {"a", "--set a: not an assignment to a key" SET_HINT},
        {"=1", "--set : not an assignment to a key" SET_HINT},
        {".a=1", "--set .a: not an assignment to a key" SET_HINT},
        {"a.=1", "--set a.: not an assignment to a key" SET_HINT},
        {"a..b=1", "--set a..b: not an assignment to a key" SET_HINT},
        {"[0]=1", "--set [0]: not an assignment to a key" SET_HINT},
        {"l[=1", "--set l[: not an assignment to a key" SET_HINT},
        {"l[]=1", "--set l[]: not an assignment to a key" SET_HINT},
        {"l[-1]=1", "--set l[-1]: not an assignment to a key" SET_HINT},
        {"l[0]x=1", "--set l[0]x: not an assignment to a key" SET_HINT},
        {"l]=1", "--set l]: not an assignment to a key" SET_HINT},
        {"l[99999999999]=1",
         "--set l[99999999999]: [99999999999] is beyond the list, which has "
         "1 item"},
        {"a\x1b=1", "--set a?: not an assignment to a key" SET_HINT},
        {"a\xff=1", "--set a?: not an assignment to a key" SET_HINT},
        {"a.b.c=1",
         "--set a.b.c: \"c\" cannot be in a single value" WHOLE_HINT},
        {"l.x=1", "--set l.x: \"x\" cannot be in a list" ITEM_HINT},
        {"a[0]=1", "--set a[0]: item [0] cannot be in a map" WHOLE_HINT},
        {"l[5]=1", "--set l[5]: [5] is beyond the list, which has 1 item"},
        {"a={b: 1, b: 2}", "--set a:1:8: duplicate key \"b\": it is already on "
                           "line 1\n    {b: 1, b: 2}\n           ^"},
        {"a=[1", "--set a:2:1: not valid YAML: flow sequence without a closing "
                 "bracket"},
        {"a=\x07", "--set a:1:1: this is not text: control character 0x07\n"
                   "    ?\n    ^"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct orr_config *c = parse("a: {b: 1}\nl: [1]\n");
        struct orr_report why = {.code = ORR_OK};
        orr_err err = orr__config_set(c, cases[i].assignment, &why);
        assert_report(err, &why, cases[i].expect);
        char *text = orr__config_effective(c);
        assert_string_equal(text, "a:\n  b: 1\nl: [1]\n");
        orr__free(text);
        orr__config_free(c);
    }
}

static void a_set_cannot_nest_too_deep(void **state)
{
    char assignment[256] = "a";
    struct orr_report why = {.code = ORR_OK};
    struct orr_config *c = parse("x: 1");
    for (int i = 0; i < 64; i++)
        strcat(assignment, ".a");
    strcat(assignment, "=1");
    assert_int_equal(orr__config_set(c, assignment, &why), ORR_ECONFIG);
    assert_string_equal(why.message, "nested deeper than 64 levels");
    orr__config_free(c);
}

static void a_value_that_was_set_knows_that(void **state)
{
    struct orr_config *c = parse("a: 1\n");
    struct orr_report why = {.code = ORR_OK};
    set(c, "n.link={rate: 1Gbps, delay: 0}");
    const struct orr_yaml *n = orr__yaml_get(orr__config_root(c), "n");
    orr_err err = orr__yaml_fail(
        c, orr__yaml_get(orr__yaml_get(n, "link"), "delay"), &why, "zero");
    assert_report(err, &why,
                  "--set n.link:1:22: zero\n"
                  "    {rate: 1Gbps, delay: 0}\n"
                  "                         ^");
    why = (struct orr_report){.code = ORR_OK};
    err = orr__yaml_fail(c, n, &why, "made on the way");
    assert_report(err, &why, "--set n.link: made on the way");
    orr__config_free(c);
}

/* ---- effective ---- */

static void the_effective_text_reads_back(void **state)
{
    static const char *const texts[] = {
        "a: 'x: y'\nb: \"\\n\\t\\\"\\\\\"\nc: '- z'\n",
        "a: |\n  two\n  lines\nb: >\n  folded\n  text\n",
        "'': 1\n'~': 2\n'a: b': 3\n'#': 4\n\"\\x85\": 5\n",
        "a: '...'\nb: '---'\nc: -5\nd: -x\ne: '%'\nf: ' x '\ng: '1 '\n",
        "a: [[], {}, [[1]], [{a: []}], '', ~]\n",
        "\"\\u2028\": \"\\ufeff\\U0001f600\\u00e9\"\n",
        "a: [null, 'null', 'true', '1,2', '[', '{']\nb:\n  - - - 1\n    - 2\n",
        "a: multi word\n  plain\n  text\nb: a#b\nc: a:b\nd: '@'\n",
        "<<: {a: 1}\n\"<<\": 2\n",
        "{}\n",
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct orr_config *c = parse(texts[i]);
        char *once = orr__config_effective(c);
        struct orr_config *d = parse(once);
        assert_effective(d, once);
        orr__free(once);
        orr__config_free(c);
    }
}

static void odd_texts_keep_their_meaning(void **state)
{
    struct orr_config *c = parse("a: |\n  two\n  lines\nb: '~'\n");
    char *text = orr__config_effective(c);
    assert_string_equal(text, "a: \"two\\u000alines\\u000a\"\nb: \"~\"\n");
    struct orr_config *d = parse(text);
    const struct orr_yaml *root = orr__config_root(d);
    assert_string_equal(orr__yaml_text(d, orr__yaml_get(root, "a")),
                        "two\nlines\n");
    assert_false(orr__yaml_is_null(orr__yaml_get(root, "b")));
    orr__free(text);
    orr__config_free(c);
    orr__config_free(d);
}

/* ---- memory ---- */

static const char sweep_text[] =
    "x: &a {rate: 1Gbps, delay: 1us}\ny: {<<: *a, k: \"q\"}\n"
    "l: [1, *a, [2, ~]]\n";

/* Everything once; any allocation may fail, and then that is the error. */
static orr_err load_set_print(const char *path)
{
    struct orr_report why = {.code = ORR_OK};
    struct orr_config *c = NULL;
    orr_err err = path ? orr__config_load(path, &c, &why)
                       : orr__config_parse("t.yaml", sweep_text,
                                           strlen(sweep_text), &c, &why);
    if (!err)
        err = orr__config_set(c, "y.m.n={a: [1, 2]}", &why);
    if (!err)
        err = orr__config_set(c, "l[3]=4", &why);
    char *text = err ? NULL : orr__config_effective(c);
    if (!err && text == NULL)
        err = orr__no_memory(&why);
    orr__free(text);
    orr__config_free(c);
    if (err)
        assert_string_equal(why.message, "out of memory");
    return err;
}

static void every_allocation_may_fail(void **state)
{
    char path[128];
    snprintf(path, sizeof path, "%s/sweep.yaml", folder);
    write_file(path, sweep_text, 1);
    for (int mode = 0; mode < 4; mode++) {
        int n = 0;
        orr_err err;
        do {
            orr__memory_fail_after((uint64_t)++n, mode & 1);
            err = load_set_print(mode & 2 ? path : NULL);
            orr__memory_fail_after(0, 0);
            assert_true(err == ORR_OK || err == ORR_ENOMEM);
        } while (err);
        assert_true(n > 4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(block_and_flow_style_are_the_same),
        cmocka_unit_test(access_to_what_is_not_there_gives_nothing),
        cmocka_unit_test(null_is_plain_only),
        cmocka_unit_test(anchors_and_merges_are_expanded),
        cmocka_unit_test(long_lists_are_reached_at_once),
        cmocka_unit_test(a_value_knows_its_place),
        cmocka_unit_test(a_failure_gets_a_place),
        cmocka_unit_test(bad_texts_are_refused_with_their_place),
        cmocka_unit_test(a_nul_byte_is_no_text),
        cmocka_unit_test(nesting_ends_at_64_levels),
        cmocka_unit_test(aliases_cannot_blow_up),
        cmocka_unit_test(aliases_cannot_nest_without_end),
        cmocka_unit_test(a_map_has_at_most_1024_keys),
        cmocka_unit_test(a_file_is_read_and_knows_its_folder),
        cmocka_unit_test(what_cannot_be_read_says_why),
        cmocka_unit_test(a_huge_file_is_refused),
        cmocka_unit_test(values_are_set_by_path),
        cmocka_unit_test(setting_a_copy_leaves_its_anchor_alone),
        cmocka_unit_test(bad_assignments_say_what_is_wrong),
        cmocka_unit_test(a_set_cannot_nest_too_deep),
        cmocka_unit_test(a_value_that_was_set_knows_that),
        cmocka_unit_test(the_effective_text_reads_back),
        cmocka_unit_test(odd_texts_keep_their_meaning),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
