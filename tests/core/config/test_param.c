#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdbool.h>
#include <string.h>
#include <cmocka.h>

#include "core/config/param.h"
#include "core/units.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

struct common {
    int kind;
    uint64_t capacity, rate;
    int64_t delay, hosts;
    bool on;
    double share;
    const char *title;
    struct orr_ints dims;
    const struct orr_yaml *link;
    const struct orr_yaml *plan;
    int64_t optional;
};

struct module {
    double gain;
};

static const char *const kinds[] = {"droptail", "ecn", "red", NULL};

#define AT(field) offsetof(struct common, field)
static const struct orr_param common_table[] = {
    {"kind", ORR_PARAM_CHOICE, AT(kind), "droptail", NULL, NULL, kinds,
     "what it does when it is full"},
    {"capacity", ORR_PARAM_SIZE, AT(capacity), "1MiB", "1B", "1TB", NULL,
     "bytes it holds"},
    {"rate", ORR_PARAM_RATE, AT(rate), "400Gbps", "1bps", NULL, NULL,
     "bits a second"},
    {"delay", ORR_PARAM_TIME, AT(delay), "500ns", "1ps", "1s", NULL,
     "propagation delay"},
    {"hosts", ORR_PARAM_INT, AT(hosts), "2", "1", "65536", NULL, "hosts"},
    {"on", ORR_PARAM_BOOL, AT(on), "true", NULL, NULL, NULL, "whether"},
    {"share", ORR_PARAM_REAL, AT(share), "0.5", "0", "1", NULL, "part"},
    {"title", ORR_PARAM_TEXT, AT(title), "a: title", NULL, NULL, NULL, "words"},
    {"dims", ORR_PARAM_INTS, AT(dims), "[4, 4, 4]", "1", "64", NULL,
     "nodes in each dimension"},
    {"link", ORR_PARAM_NODE, AT(link), "", NULL, NULL, NULL, "a link"},
    {"plan", ORR_PARAM_NODE, AT(plan), "{a: [1, 2]}", NULL, NULL, NULL,
     "a plan"},
    {"optional", ORR_PARAM_INT, AT(optional), "", NULL, NULL, NULL, "maybe"},
    ORR_PARAM_END,
};
static const struct orr_param module_table[] = {
    {"gain", ORR_PARAM_REAL, offsetof(struct module, gain), "0.0625", NULL,
     NULL, NULL, "weight of a new sample"},
    ORR_PARAM_END,
};
static const struct orr_param required_table[] = {
    {"hosts", ORR_PARAM_INT, AT(hosts), NULL, "1", NULL, NULL,
     "how many hosts there are"},
    ORR_PARAM_END,
};

static struct orr_config *parse(const char *text)
{
    struct orr_config *c = NULL;
    struct orr_report why = {.code = ORR_OK};
    assert_int_equal(orr__config_parse("t.yaml", text, strlen(text), &c, &why),
                     ORR_OK);
    return c;
}

static orr_err read_at(struct orr_config *c, const struct orr_yaml *map,
                       const char *what, struct common *out,
                       struct module *module, struct orr_report *why)
{
    const struct orr_param_set sets[] = {{common_table, out},
                                         {module_table, module}};
    *out = (struct common){.optional = 77};
    *why = (struct orr_report){.code = ORR_OK};
    return orr__param_read(c, map, what, sets, module ? 2 : 1, why);
}

/* Reads the key `queue` of the document. */
static orr_err read_queue(struct orr_config *c, struct common *out,
                          struct module *module, struct orr_report *why)
{
    return read_at(c, orr__yaml_get(orr__config_root(c), "queue"), "queue", out,
                   module, why);
}

static void assert_effective(struct orr_config *c, const char *expect)
{
    char *text = orr__config_effective(c);
    assert_string_equal(text, expect);
    orr__free(text);
}

/* ---- by rate ---- */

struct by_rate {
    struct orr_by_rate size, share;
};
static const struct orr_param by_rate_table[] = {
    {"size", ORR_PARAM_SIZE_BY_RATE, offsetof(struct by_rate, size), "auto",
     "1B", "1MB", NULL, "bytes"},
    {"share", ORR_PARAM_REAL_BY_RATE, offsetof(struct by_rate, share), "0.5",
     "0", "1", NULL, "part"},
    ORR_PARAM_END,
};

static orr_err read_by_rate(struct orr_config *c, struct by_rate *out,
                            struct orr_report *why)
{
    const struct orr_param_set set = {by_rate_table, out};
    *why = (struct orr_report){.code = ORR_OK};
    return orr__param_read(c, orr__yaml_get(orr__config_root(c), "q"), "q",
                           &set, 1, why);
}

static void a_value_or_one_for_each_rate(void **state)
{
    struct orr_config *c = parse("q: {size: {25Gbps: 10KB, 0.1Tbps: auto}}\n");
    struct orr_report why;
    struct by_rate b;
    assert_int_equal(read_by_rate(c, &b, &why), ORR_OK);
    assert_int_equal(b.size.n, 2);
    assert_int_equal(orr__by_rate(&b.size, 25000000000)->size, 10000);
    assert_int_equal(orr__by_rate(&b.size, 100000000000)->size, ORR_AUTO_SIZE);
    assert_null(orr__by_rate(&b.size, 10000000000));
    assert_non_null(b.size.at);
    assert_int_equal(b.share.n, 0);
    assert_true(orr__by_rate(&b.share, 7)->real == 0.5);
    orr__config_free(c);
    c = parse("q: {size: 3KB, share: {1Gbps: 0.25, 2Gbps: 1}}\n");
    assert_int_equal(read_by_rate(c, &b, &why), ORR_OK);
    assert_int_equal(orr__by_rate(&b.size, 1)->size, 3000);
    assert_true(orr__by_rate(&b.share, 1000000000)->real == 0.25);
    assert_effective(c, "q:\n  size: 3KB\n  share:\n    1Gbps: 0.25\n"
                        "    2Gbps: 1\n");
    orr__config_free(c);
    c = parse("q: {}\n");
    assert_int_equal(read_by_rate(c, &b, &why), ORR_OK);
    assert_int_equal(orr__by_rate(&b.size, 1)->size, ORR_AUTO_SIZE);
    assert_effective(c, "q:\n  size: auto\n  share: 0.5\n");
    orr__config_free(c);
}

static void values_by_rate_that_are_wrong(void **state)
{
    static const struct {
        const char *text, *message;
        int col;
    } cases[] = {
        {"q: {size: {25: 10KB}}\n", "q.size: \"25\": a unit is missing", 12},
        {"q: {size: {10KB: 10KB}}\n", "q.size: \"10KB\": ", 12},
        {"q: {size: {1Gbps: 10}}\n", "q.size: \"10\": a unit is missing", 19},
        {"q: {size: {1Gbps: 0B}}\n",
         "q.size: 0B is below the smallest "
         "allowed, 1B",
         19},
        {"q: {size: {1Gbps: 1KB, 1000Mbps: 2KB}}\n",
         "q.size: 1000Mbps is listed twice", 24},
        {"q: {size: {1Gbps: [1KB]}}\n",
         "q.size: a size is expected here, not "
         "a list",
         19},
        {"q: {size: {}}\n", "q.size: a size is expected here, not a map", 11},
        {"q: {size: [1KB]}\n", "q.size: a size is expected here, not a list",
         11},
        {"q: {share: {1Gbps: auto}}\n", "q.share: \"auto\": ", 20},
        {"q: {share: {1Gbps: 1.5}}\n",
         "q.share: 1.5 is above the largest "
         "allowed, 1",
         20},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct orr_config *c = parse(cases[i].text);
        struct orr_report why;
        struct by_rate b;
        assert_int_equal(read_by_rate(c, &b, &why), ORR_ECONFIG);
        assert_int_equal(
            strncmp(why.message, cases[i].message, strlen(cases[i].message)),
            0);
        assert_int_equal(why.col, cases[i].col);
        orr__config_free(c);
    }
}

/* ---- good input ---- */

static void assert_defaults(const struct common *q)
{
    assert_int_equal(q->kind, 0);
    assert_int_equal(q->capacity, 1 << 20);
    assert_int_equal(q->rate, 400000000000);
    assert_int_equal(q->delay, 500 * ORR_NS);
    assert_int_equal(q->hosts, 2);
    assert_true(q->on);
    assert_true(q->share == 0.5);
    assert_string_equal(q->title, "a: title");
    assert_int_equal(q->dims.n, 3);
    assert_int_equal(q->dims.v[2], 4);
    assert_null(q->link);
    assert_int_equal(orr__yaml_count(orr__yaml_get(q->plan, "a")), 2);
    assert_int_equal(q->optional, 77);
}

#define ALL_DEFAULTS                                                           \
    "  kind: droptail\n"                                                       \
    "  capacity: 1MiB\n"                                                       \
    "  rate: 400Gbps\n"                                                        \
    "  delay: 500ns\n"                                                         \
    "  hosts: 2\n"                                                             \
    "  on: true\n"                                                             \
    "  share: 0.5\n"                                                           \
    "  title: \"a: title\"\n"                                                  \
    "  dims: [4, 4, 4]\n"                                                      \
    "  plan:\n"                                                                \
    "    a: [1, 2]\n"

static void what_is_missing_has_its_default(void **state)
{
    static const char *const texts[] = {
        "x: 1\nqueue: {}\n",
        "x: 1\nqueue:\n",
        "x: 1\nqueue: ~\n",
        "x: 1\n",
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct orr_config *c = parse(texts[i]);
        struct common q;
        struct orr_report why;
        assert_int_equal(read_queue(c, &q, NULL, &why), ORR_OK);
        assert_defaults(&q);
        assert_effective(c, "x: 1\nqueue:\n" ALL_DEFAULTS);
        orr__config_free(c);
    }
}

static void what_is_given_is_read(void **state)
{
    struct orr_config *c =
        parse("queue: {kind: ecn, capacity: 64 KiB, rate: 1GB/s, delay: 1s,\n"
              "  hosts: 65536, on: no, share: 1e-3, title: '400',\n"
              "  dims: [64, 1], link: [x], plan: y, optional: -5, gain: 2}\n");
    struct common q;
    struct module m;
    struct orr_report why;
    assert_int_equal(read_queue(c, &q, &m, &why), ORR_OK);
    assert_int_equal(q.kind, 1);
    assert_int_equal(q.capacity, 65536);
    assert_int_equal(q.rate, 8000000000);
    assert_true(q.delay == ORR_S);
    assert_int_equal(q.hosts, 65536);
    assert_false(q.on);
    assert_true(q.share == 0.001);
    assert_string_equal(q.title, "400");
    assert_int_equal(q.dims.n, 2);
    assert_int_equal(q.dims.v[0], 64);
    assert_true(orr__yaml_is_list(q.link));
    assert_string_equal(orr__yaml_text(c, q.plan), "y");
    assert_int_equal(q.optional, -5);
    assert_true(m.gain == 2);
    orr__config_free(c);
}

/* A number that its owner may work out: left out, written as auto, given. */
static void a_number_may_be_automatic(void **state)
{
    static const struct orr_param table[] = {
        {"rate", ORR_PARAM_RATE, AT(rate), "auto", "1bps", "1Tbps", NULL,
         "bits a second"},
        {"delay", ORR_PARAM_TIME, AT(delay), "auto", "1ns", NULL, NULL,
         "propagation delay"},
        {"share", ORR_PARAM_REAL, AT(share), "auto", "0", "1", NULL, "part"},
        {"hosts", ORR_PARAM_INT, AT(hosts), "8", "1", NULL, NULL, "hosts"},
        ORR_PARAM_END,
    };
    struct orr_config *c = parse("{delay: auto, share: 0.25}");
    struct common q;
    struct orr_param_set set = {table, &q};
    struct orr_report why;
    assert_int_equal(orr__param_read(c, orr__config_root(c), "", &set, 1, &why),
                     ORR_OK);
    assert_true(q.rate == ORR_AUTO_SIZE && q.delay == ORR_AUTO);
    assert_true(q.share == 0.25);
    assert_effective(c, "delay: auto\nshare: 0.25\nrate: auto\nhosts: 8\n");
    orr__config_free(c);
    c = parse("hosts: auto"); /* not this one */
    assert_int_equal(orr__param_read(c, orr__config_root(c), "", &set, 1, &why),
                     ORR_ECONFIG);
    orr__config_free(c);
}

static void words_for_true_and_false(void **state)
{
    static const struct {
        const char *text;
        bool on;
    } cases[] = {{"queue: {on: true}", true},
                 {"queue: {on: yes}", true},
                 {"queue: {on: false}", false},
                 {"queue: {on: no}", false}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct orr_config *c = parse(cases[i].text);
        struct common q;
        struct orr_report why;
        assert_int_equal(read_queue(c, &q, NULL, &why), ORR_OK);
        assert_true(q.on == cases[i].on);
        orr__config_free(c);
    }
}

static void an_empty_structure_is_a_missing_one(void **state)
{
    struct orr_config *c = parse("queue: {link: , plan: ~}\n");
    struct common q;
    struct orr_report why;
    assert_int_equal(read_queue(c, &q, NULL, &why), ORR_OK);
    assert_null(q.link);
    assert_true(orr__yaml_is_map(q.plan));
    orr__config_free(c);
}

/* ---- the effective configuration ---- */

static void the_effective_text_is_a_fixed_point(void **state)
{
    struct orr_config *c = parse("queue: {hosts: 3, plan: }\nz: 1\n");
    struct common q;
    struct module m;
    struct orr_report why;
    assert_int_equal(read_queue(c, &q, &m, &why), ORR_OK);
    char *once = orr__config_effective(c);
    struct orr_config *d = parse(once);
    assert_int_equal(read_queue(d, &q, &m, &why), ORR_OK);
    assert_int_equal(q.hosts, 3);
    assert_effective(d, once);
    orr__free(once);
    orr__config_free(c);
    orr__config_free(d);
}

static void reading_twice_enters_defaults_once(void **state)
{
    struct orr_config *c = parse("queue:\n");
    struct common q;
    struct module m;
    struct orr_report why;
    assert_int_equal(read_queue(c, &q, NULL, &why), ORR_OK);
    assert_int_equal(read_queue(c, &q, &m, &why), ORR_OK);
    assert_int_equal(read_queue(c, &q, &m, &why), ORR_OK);
    assert_effective(c, "queue:\n" ALL_DEFAULTS "  gain: 0.0625\n");
    orr__config_free(c);
}

/* Readers see what the user wrote, whatever was filled in before. */
static void defaults_are_invisible_to_readers(void **state)
{
    struct orr_config *c = parse("queue: {hosts: 3}\n");
    struct common q;
    struct orr_report why;
    assert_int_equal(read_queue(c, &q, NULL, &why), ORR_OK);
    const struct orr_yaml *map = orr__yaml_get(orr__config_root(c), "queue");
    assert_int_equal(orr__yaml_count(map), 1);
    assert_null(orr__yaml_get(map, "delay"));
    orr__config_free(c);
}

static void missing_maps_get_their_defaults_by_path(void **state)
{
    struct orr_config *c = parse("net: {y: 1}\njobs: [{a: 1}]\nscalar: 1\n");
    struct module m;
    struct orr_report why = {.code = ORR_OK};
    const struct orr_param_set set = {module_table, &m};
    static const struct orr_param nothing[] = {ORR_PARAM_END};
    const struct orr_param_set none = {nothing, &m};
    static const char *const paths[] = {"net.cc", "jobs[0].cc", "new.a.b",
                                        "new.c",  "jobs[7].cc", "scalar.cc",
                                        "net.cc"};
    for (size_t i = 0; i < COUNT(paths); i++)
        assert_int_equal(orr__param_read(c, NULL, paths[i], &set, 1, &why),
                         ORR_OK);
    assert_int_equal(orr__param_read(c, NULL, "net.none", &none, 1, &why),
                     ORR_OK); /* no default, no map */
    assert_effective(c, "net:\n"
                        "  y: 1\n"
                        "  cc:\n"
                        "    gain: 0.0625\n"
                        "jobs:\n"
                        "  - a: 1\n"
                        "    cc:\n"
                        "      gain: 0.0625\n"
                        "scalar: 1\n"
                        "new:\n"
                        "  a:\n"
                        "    b:\n"
                        "      gain: 0.0625\n"
                        "  c:\n"
                        "    gain: 0.0625\n");
    orr__config_free(c);
}

static void a_set_value_is_part_of_the_effective_text(void **state)
{
    struct orr_config *c = parse("x: 1\n");
    struct common q;
    struct orr_report why = {.code = ORR_OK};
    assert_int_equal(orr__config_set(c, "queue.hosts=9", &why), ORR_OK);
    assert_int_equal(read_queue(c, &q, NULL, &why), ORR_OK);
    assert_int_equal(q.hosts, 9);
    char *text = orr__config_effective(c);
    assert_non_null(strstr(text, "queue:\n  hosts: 9\n  kind: droptail\n"));
    orr__free(text);
    orr__config_free(c);
}

/* ---- bad input ---- */

/* What stands inside "queue: {}" on line 2, and the report that it earns. */
static const struct bad_value {
    const char *text;
    int col;
    const char *message, *hint;
} bad_values[] = {
    {"capcity: 3B", 9, "unknown key \"capcity\" in queue",
     "did you mean \"capacity\"?"},
    {"Hosts: 3", 9, "unknown key \"Hosts\" in queue",
     "did you mean \"hosts\"?"},
    {"hosts: 3, dealy: 3ns", 19, "unknown key \"dealy\" in queue",
     "did you mean \"delay\"?"},
    {"gian: 3", 9, "unknown key \"gian\" in queue", "did you mean \"gain\"?"},
    {"frobnicate: 3", 9, "unknown key \"frobnicate\" in queue",
     "known keys: kind capacity rate delay hosts on share title dims "
     "link plan optional gain"},
    {"capacity: 4096", 19, "queue.capacity: \"4096\": a unit is missing",
     "write a size like 4096B or 4MiB"},
    {"rate: 400", 15, "queue.rate: \"400\": a unit is missing",
     "write a rate like 400Gbps or 50GB/s"},
    {"delay: 0", 16, "queue.delay: \"0\": a unit is missing",
     "write a time like 10us or 500ns"},
    {"rate: 400Gb", 15, "queue.rate: \"400Gb\": unknown unit",
     "a rate takes bps Kbps Mbps Gbps Tbps (bits) or B/s KB/s MB/s GB/s "
     "TB/s KiB/s MiB/s GiB/s TiB/s (bytes)"},
    {"rate: quick", 15, "queue.rate: \"quick\": not a rate",
     "write a number and a unit, like 400Gbps or 50GB/s"},
    {"delay: -5ns", 16,
     "queue.delay: \"-5ns\": a time cannot be "
     "negative",
     ""},
    {"delay: 0ns", 16, "queue.delay: 0ns is below the smallest allowed, 1ps",
     ""},
    {"delay: 2min", 16, "queue.delay: 2min is above the largest allowed, 1s",
     ""},
    {"capacity: 0B", 19, "queue.capacity: 0B is below the smallest allowed, 1B",
     ""},
    {"capacity: 18446744073709551616B", 19,
     "queue.capacity: \"18446744073709551616B\": too large to be "
     "represented",
     ""},
    {"hosts: eight", 16, "queue.hosts: \"eight\": not a whole number", ""},
    {"hosts: 1_000", 16, "queue.hosts: \"1_000\": not a whole number", ""},
    {"hosts: 1.5", 16, "queue.hosts: \"1.5\": not a whole number", ""},
    {"hosts: 0", 16, "queue.hosts: 0 is below the smallest allowed, 1", ""},
    {"hosts: -1", 16, "queue.hosts: -1 is below the smallest allowed, 1", ""},
    {"hosts: 9999999", 16,
     "queue.hosts: 9999999 is above the largest allowed, 65536", ""},
    {"hosts: [8]", 16, "queue.hosts: an integer is expected here, not a list",
     ""},
    {"delay: {a: 1}", 16, "queue.delay: a time is expected here, not a map",
     ""},
    {"kind: [ecn]", 15, "queue.kind: a word is expected here, not a list", ""},
    {"kind: drptail", 15,
     "queue.kind: \"drptail\" is not one of droptail, ecn or red",
     "did you mean \"droptail\"?"},
    {"kind: wfq", 15, "queue.kind: \"wfq\" is not one of droptail, ecn or red",
     ""},
    {"on: maybe", 13, "queue.on: \"maybe\": not true or false", ""},
    {"on: 1", 13, "queue.on: \"1\": not true or false", ""},
    {"share: half", 16, "queue.share: \"half\": not a number", ""},
    {"share: 1.01", 16, "queue.share: 1.01 is above the largest allowed, 1",
     ""},
    {"share: nan", 16, "queue.share: \"nan\": not a number", ""},
    {"title: [x]", 16, "queue.title: a text is expected here, not a list", ""},
    {"dims: 4", 15,
     "queue.dims: a list of integers like [4, 4] is expected here", ""},
    {"dims: [4, x]", 19, "queue.dims: \"x\": not a whole number", ""},
    {"dims: [4, [4]]", 19,
     "queue.dims: an integer is expected here, not a list", ""},
    {"dims: [4, 0]", 19, "queue.dims: 0 is below the smallest allowed, 1", ""},
    {"dims: [65]", 16, "queue.dims: 65 is above the largest allowed, 64", ""},
    {"hosts: ", 9, "queue.hosts: a value is missing", ""},
    {"hosts: ~", 16, "queue.hosts: a value is missing", ""},
    {"title: ", 9, "queue.title: a value is missing", ""},
    {"kind: \"~\"", 15, "queue.kind: \"~\" is not one of droptail, ecn or red",
     ""},
};

static void bad_values_say_what_is_wrong_and_where(void **state)
{
    for (size_t i = 0; i < COUNT(bad_values); i++) {
        const struct bad_value *v = &bad_values[i];
        char text[256] = "x: 1\nqueue: {";
        struct common q;
        struct module m;
        struct orr_report why;
        struct orr_config *c = parse(strcat(strcat(text, v->text), "}"));
        assert_int_equal(read_queue(c, &q, &m, &why), ORR_ECONFIG);
        assert_string_equal(why.message, v->message);
        assert_string_equal(why.hint, v->hint);
        assert_string_equal(why.file, "t.yaml");
        assert_int_equal(why.line, 2);
        assert_int_equal(why.col, v->col);
        assert_string_equal(why.excerpt, strchr(text, '\n') + 1);
        orr__config_free(c);
    }
}

static void a_report_can_be_shown(void **state)
{
    struct orr_config *c = parse("queue:\n  delay: 500ns\n  capcity: 3\n");
    struct common q;
    struct orr_report why;
    char buf[1024];
    assert_int_equal(read_queue(c, &q, NULL, &why), ORR_ECONFIG);
    orr__report_format(&why, buf, sizeof buf);
    assert_string_equal(buf, "t.yaml:3:3: unknown key \"capcity\" in queue\n"
                             "      capcity: 3\n"
                             "      ^\n"
                             "hint: did you mean \"capacity\"?");
    orr__config_free(c);
}

static void what_should_be_a_map_but_is_not(void **state)
{
    struct common q;
    struct orr_report why;
    struct orr_config *c = parse("queue: [1]\n");
    assert_int_equal(read_queue(c, &q, NULL, &why), ORR_ECONFIG);
    assert_string_equal(why.message, "queue: a map of keys and values is "
                                     "expected here, not a list");
    assert_int_equal(why.col, 8);
    orr__config_free(c);
    c = parse("queue: ecn\n");
    assert_int_equal(read_queue(c, &q, NULL, &why), ORR_ECONFIG);
    assert_string_equal(why.message, "queue: a map of keys and values is "
                                     "expected here, not a single value");
    orr__config_free(c);
}

static void what_is_required_must_be_there(void **state)
{
    struct common q;
    const struct orr_param_set set = {required_table, &q};
    struct orr_report why = {.code = ORR_OK};
    struct orr_config *c = parse("x: 1\nqueue:\n  {}\n");
    const struct orr_yaml *root = orr__config_root(c);
    assert_int_equal(orr__param_read(c, orr__yaml_get(root, "queue"), "queue",
                                     &set, 1, &why),
                     ORR_ECONFIG);
    assert_string_equal(why.message, "queue.hosts is missing");
    assert_string_equal(why.hint, "hosts: how many hosts there are");
    assert_int_equal(why.line, 3);
    assert_int_equal(why.col, 3);
    why = (struct orr_report){.code = ORR_OK};
    assert_int_equal(orr__param_read(c, NULL, "other", &set, 1, &why),
                     ORR_ECONFIG);
    assert_string_equal(why.message, "other.hosts is missing");
    assert_string_equal(why.file, "t.yaml");
    assert_int_equal(why.line, 1); /* it stands nowhere: the document's */
    orr__config_free(c);
}

static void the_root_needs_no_name(void **state)
{
    struct common q;
    struct orr_report why;
    struct orr_config *c = parse("host: 8\n");
    const struct orr_yaml *root = orr__config_root(c);
    assert_int_equal(read_at(c, root, "", &q, NULL, &why), ORR_ECONFIG);
    assert_string_equal(why.message, "unknown key \"host\"");
    assert_string_equal(why.hint, "did you mean \"hosts\"?");
    orr__config_free(c);
    c = parse("hosts: x\n");
    root = orr__config_root(c);
    assert_int_equal(read_at(c, root, "", &q, NULL, &why), ORR_ECONFIG);
    assert_string_equal(why.message, "hosts: \"x\": not a whole number");
    orr__config_free(c);
}

/* ---- words ---- */

static void the_nearest_word_is_found(void **state)
{
    static const char *const names[] = {
        "mtu",   "header",  "ack",      "ack_every", "transport",
        "queue", "routing", "fat-tree", "k",         NULL};
    static const struct {
        const char *text, *expect;
    } cases[] = {
        {"mtu", "mtu"},
        {"mut", "mtu"},        /* swap */
        {"MTU", "mtu"},        /* case */
        {"headr", "header"},   /* missing */
        {"heaader", "header"}, /* extra */
        {"quene", "queue"},    /* wrong */
        {"ack-every", "ack_every"},
        {"fat_tree", "fat-tree"},
        {"fattree", "fat-tree"},
        {"trasnprot", "transport"}, /* two swaps */
        {"x", NULL},
        {"", NULL},
        {"rooting", "routing"},
        {"delay", NULL},
        {"acknowledgement", NULL},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *near = orr__param_nearest(names, cases[i].text);
        if (cases[i].expect == NULL)
            assert_null(near);
        else
            assert_string_equal(near, cases[i].expect);
    }
    char text[10000];
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    assert_null(orr__param_nearest(names, text));
    assert_int_equal(orr__param_choice(names, "ack"), 2);
    assert_int_equal(orr__param_choice(names, "ACK"), -1);
}

static void every_type_has_a_name(void **state)
{
    for (int t = ORR_PARAM_BOOL; t <= ORR_PARAM_NODE; t++)
        assert_true(strlen(orr__param_type_name((enum orr_param_type)t)) > 2);
    assert_string_equal(orr__param_type_name(ORR_PARAM_TIME), "time");
    assert_string_equal(orr__param_type_name(ORR_PARAM_SIZE), "size");
}

/* ---- memory ---- */

static orr_err read_all(void)
{
    static const char text[] = "net: {y: 1}\nqueue: {dims: [1, 2], hosts: 3}\n";
    struct orr_report why = {.code = ORR_OK};
    struct orr_config *c = NULL;
    struct common q;
    struct module m;
    orr_err err = orr__config_parse("t.yaml", text, strlen(text), &c, &why);
    if (!err)
        err = read_queue(c, &q, &m, &why);
    if (!err)
        err = read_at(c, NULL, "net.a.b", &q, &m, &why);
    char *effective = err ? NULL : orr__config_effective(c);
    if (!err && effective == NULL)
        err = orr__no_memory(&why);
    orr__free(effective);
    orr__config_free(c);
    return err;
}

static void every_allocation_may_fail(void **state)
{
    for (int for_good = 0; for_good < 2; for_good++) {
        int n = 0;
        orr_err err;
        do {
            orr__memory_fail_after((uint64_t)++n, for_good);
            err = read_all();
            orr__memory_fail_after(0, 0);
            assert_true(err == ORR_OK || err == ORR_ENOMEM);
        } while (err);
        assert_true(n > 4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_or_one_for_each_rate),
        cmocka_unit_test(values_by_rate_that_are_wrong),
        cmocka_unit_test(what_is_missing_has_its_default),
        cmocka_unit_test(what_is_given_is_read),
        cmocka_unit_test(a_number_may_be_automatic),
        cmocka_unit_test(words_for_true_and_false),
        cmocka_unit_test(an_empty_structure_is_a_missing_one),
        cmocka_unit_test(the_effective_text_is_a_fixed_point),
        cmocka_unit_test(reading_twice_enters_defaults_once),
        cmocka_unit_test(defaults_are_invisible_to_readers),
        cmocka_unit_test(missing_maps_get_their_defaults_by_path),
        cmocka_unit_test(a_set_value_is_part_of_the_effective_text),
        cmocka_unit_test(bad_values_say_what_is_wrong_and_where),
        cmocka_unit_test(a_report_can_be_shown),
        cmocka_unit_test(what_should_be_a_map_but_is_not),
        cmocka_unit_test(what_is_required_must_be_there),
        cmocka_unit_test(the_root_needs_no_name),
        cmocka_unit_test(the_nearest_word_is_found),
        cmocka_unit_test(every_type_has_a_name),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
