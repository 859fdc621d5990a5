/* Controls from shared objects: what is loaded is found by its document alone,
 * is called with what orrery knows, and a wrong file is told from a right one.
 * Objects are compiled here; without a compiler those tests are left out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs those four first */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "core/config/config.h"
#include "core/memory.h"
#include "core/units.h"
#include "net/cc/plugin.h"

static char folder[64], top[4096];
static bool compiler;

#define HEAD                                                                   \
    "#include <orrery/cc.h>\n"                                                 \
    "struct p { double x; int64_t t, i; uint64_t s, r; bool b; int c; };\n"    \
    "struct s { int acks; };\n"                                                \
    "static const char *const ways[] = {\"up\", \"down\", NULL};\n"            \
    "#define P(k, d, ty, f) .key = k, .help = \"some\", .fallback = d, \\\n"   \
    "  .type = ORR_CC_##ty, .offset = offsetof(struct p, f)\n"                 \
    "static const struct orr_cc_param params[] = {\n"                          \
    "  {P(\"real\", \"0.25\", REAL, x), .min = \"0\", .max = \"1\"},\n"        \
    "  {P(\"time\", \"auto\", TIME, t)}, {P(\"size\", \"3KB\", SIZE, s)},\n"   \
    "  {P(\"rate\", \"1Gbps\", RATE, r)}, {P(\"yes\", \"true\", BOOL, b)},\n"  \
    "  {P(\"way\", \"down\", CHOICE, c), .choices = ways},\n"                  \
    "  {P(\"count\", \"-3\", INT, i)}, {.key = NULL}};\n"                      \
    "static const char *check(void *v) { struct p *p = v;\n"                   \
    "  if (p->t == -1) p->t = 7000;\n"                                         \
    "  return p->x == 1 ? \"real: not 1\" : NULL; }\n"                         \
    "static void ack(void *s, const void *p, struct orr_cc_limits *w,\n"       \
    "                const struct orr_cc_event *e)\n"                          \
    "{ w->cwnd += ((const struct p *)p)->x; ((struct s *)s)->acks++; }\n"      \
    "static double estimate(const void *s)\n"                                  \
    "{ return ((const struct s *)s)->acks; }\n"
#define PLUGIN(name, more)                                                     \
    "const struct orr_cc_plugin orr_cc_plugin = {"                             \
    ".abi = ORR_CC_ABI, .size = sizeof(struct orr_cc_plugin), .name = \"" name \
    "\", .doc = \"d\", .state_size = sizeof(struct s), "                       \
    ".params_size = sizeof(struct p), .params = params, .check = check, "      \
    ".on_ack = ack, .on_loss = ack, .on_timeout = ack, .estimate = "           \
    "estimate, " more "};\n"

static void compile(const char *name, const char *text)
{
    char path[200], command[9000];
    snprintf(path, sizeof path, "%s/%s.c", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
    snprintf(command, sizeof command,
             "${CC:-cc} -std=c11 -shared -fPIC "
             "-I'%s/include' -o '%s/%s.so' '%s'",
             top, folder, name, path);
    assert_int_equal(system(command), 0);
}

static int begin(void **state)
{
    snprintf(folder, sizeof folder, "/tmp/orrery-plugin-XXXXXX");
    compiler = system("${CC:-cc} --version >/dev/null 2>&1") == 0;
    if (!getcwd(top, sizeof top) || !mkdtemp(folder))
        return -1;
    if (compiler) {
        compile("good", HEAD PLUGIN("good", ""));
        compile("again", HEAD PLUGIN("good", ""));
        compile("ours", HEAD PLUGIN("dctcp", ""));
        compile("abi", HEAD PLUGIN("x", ".abi = 99"));
        compile("size", HEAD PLUGIN("x", ".size = 8"));
        compile("lacks", HEAD PLUGIN("x", ".on_loss = NULL"));
        compile("word", HEAD PLUGIN("A b", ""));
        compile("large", HEAD PLUGIN("x", ".state_size = 1u << 30"));
        compile("none", "int nothing;\n");
        compile("code", "void orr_cc_plugin(void) { }\n");
    }
    return 0;
}

static int end(void **state)
{
    char command[100];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

struct document {
    struct orr_config *c;
    struct orr_report why;
};

/* names: of files in the folder, one or two. */
static orr_err read_all(struct document *d, const char *one, const char *two)
{
    char text[400];
    *d = (struct document){.c = NULL};
    snprintf(text, sizeof text, "plugins: [%s/%s%s%s%s%s]\n", folder, one,
             two ? ", " : "", two ? folder : "", two ? "/" : "",
             two ? two : "");
    orr_err err =
        orr__config_parse("t.yaml", text, strlen(text), &d->c, &d->why);
    assert_int_equal(err, ORR_OK);
    return orr__cc_plugins_read(
        d->c, orr__yaml_get(orr__config_root(d->c), "plugins"), &d->why);
}

static void refused(const char *one, const char *two, const char *message)
{
    struct document d;
    assert_int_equal(read_all(&d, one, two), ORR_ECONFIG);
    if (!strstr(d.why.message, message))
        print_error("%s\n", d.why.message);
    assert_non_null(strstr(d.why.message, message));
    assert_int_equal(d.why.line, 1);
    orr__config_free(d.c);
}

static void test_wrong_files(void **state)
{
    char path[200];
    refused("nowhere.so", NULL, "No such file or directory");
    refused(".", NULL, "it is no file");
    snprintf(path, sizeof path, "%s/text.so", folder);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("no object\n", f);
    fclose(f);
    refused("text.so", NULL, "cannot load");
}

static void test_wrong_objects(void **state)
{
    if (!compiler)
        skip();
    refused("none.so", NULL, "it has no symbol orr_cc_plugin");
    refused("code.so", NULL, "orr_cc_plugin");
    refused("abi.so", NULL, "99");
    refused("size.so", NULL, "8");
    refused("lacks.so", NULL, "on_loss");
    refused("word.so", NULL, "is no name");
    refused("large.so", NULL, "bytes of state");
    refused("ours.so", NULL, "\"dctcp\" exists already");
    refused("good.so", "again.so", "\"good\" exists already");
}

/* Of its document alone, and as long as that lives. */
static void test_found(void **state)
{
    if (!compiler)
        skip();
    struct document d, other;
    assert_int_equal(read_all(&d, "good.so", NULL), ORR_OK);
    const struct orr_cc_ops *ops = orr__cc_plugged(d.c, 0);
    assert_non_null(ops);
    assert_string_equal(ops->name, "good");
    assert_null(orr__cc_plugged(d.c, 1));
    other = (struct document){.c = NULL};
    assert_int_equal(
        orr__config_parse("o.yaml", "a: b\n", 5, &other.c, &other.why), ORR_OK);
    assert_null(orr__cc_plugged(other.c, 0));
    orr__config_free(other.c);
    orr__config_free(d.c);
}

static orr_err control(struct document *d, const char *text,
                       const struct orr_cc **cc)
{
    struct orr_config *c = NULL;
    char all[600];
    snprintf(all, sizeof all, "plugins: [%s/good.so]\ncc: %s\n", folder, text);
    *d = (struct document){.c = NULL};
    assert_int_equal(orr__config_parse("t.yaml", all, strlen(all), &c, &d->why),
                     ORR_OK);
    d->c = c;
    assert_int_equal(
        orr__cc_plugins_read(c, orr__yaml_get(orr__config_root(c), "plugins"),
                             &d->why),
        ORR_OK);
    return orr__cc_read(c, orr__yaml_get(orr__config_root(c), "cc"), "cc", NULL,
                        cc, &d->why);
}

/* Parameters are read like those of the controls that are built in. */
static void test_parameters(void **state)
{
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {"{kind: good, real: 2}", "real"},
        {"{kind: good, way: left}", "way"},
        {"{kind: good, rate: 3}", "rate"},
        {"{kind: good, size: much}", "size"},
        {"{kind: good, reel: 0.5}", "reel"},
        {"{kind: good, real: 1}", "real: not 1"},
    };
    const struct orr_cc *cc;
    struct document d;
    if (!compiler)
        skip();
    assert_int_equal(control(&d, "{kind: good, real: 0.5, count: 12}", &cc),
                     ORR_OK);
    assert_string_equal(cc->ops->name, "good");
    orr__config_free(d.c);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(control(&d, wrong[i].text, &cc), ORR_ECONFIG);
        if (!strstr(d.why.message, wrong[i].message))
            print_error("%s\n", d.why.message);
        assert_non_null(strstr(d.why.message, wrong[i].message));
        assert_int_equal(d.why.line, 2);
        orr__config_free(d.c);
    }
}

/* What orrery calls reaches the object, and what it says comes back in
 * bounds. */
static void test_calls(void **state)
{
    const struct orr_cc *cc;
    struct document d;
    if (!compiler)
        skip();
    assert_int_equal(control(&d, "{kind: good, real: 0.5}", &cc), ORR_OK);
    void *s = orr__alloc(1, cc->ops->state_size);
    assert_non_null(s);
    struct orr_cc_window w = {.cwnd = 10, .gain = 1};
    struct orr_cc_ack e = {.now_ps = ORR_US, .rtt_ps = -1, .acked = 1};
    struct orr_cc_path path = {.line_bps = 1, .hops = 2};
    cc->ops->init(s, cc->params, &w, &path);
    assert_true(w.cwnd == 10);
    cc->ops->on_ack(s, cc->params, &w, &e);
    assert_true(w.cwnd == 10.5);
    cc->ops->on_loss(s, cc->params, &w, &e);
    cc->ops->on_timeout(s, cc->params, &w, &e);
    assert_true(w.cwnd == 11.5);
    assert_true(cc->ops->estimate(s) == 3);
    w.cwnd = 1e300; /* no window is larger than all packets */
    cc->ops->on_ack(s, cc->params, &w, &e);
    assert_true(w.cwnd == ORR_CC_UNLIMITED);
    w.cwnd = -5;
    cc->ops->on_ack(s, cc->params, &w, &e);
    assert_true(w.cwnd == 1);
    assert_null(cc->ops->on_send);
    assert_null(cc->ops->on_cnp);
    orr__free(s);
    orr__config_free(d.c);
}

static void test_out_of_memory(void **state)
{
    if (!compiler)
        skip();
    for (uint64_t n = 1;; n++) {
        struct document d = {.c = NULL};
        char text[200];
        snprintf(text, sizeof text, "plugins: [%s/good.so]\n", folder);
        assert_int_equal(
            orr__config_parse("t.yaml", text, strlen(text), &d.c, &d.why),
            ORR_OK);
        orr__memory_fail_after(n, 0);
        orr_err err = orr__cc_plugins_read(
            d.c, orr__yaml_get(orr__config_root(d.c), "plugins"), &d.why);
        orr__memory_fail_after(0, 0);
        orr__config_free(d.c);
        if (err == ORR_OK)
            break;
        assert_int_equal(err, ORR_ENOMEM);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrong_files),
        cmocka_unit_test(test_wrong_objects),
        cmocka_unit_test(test_found),
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
