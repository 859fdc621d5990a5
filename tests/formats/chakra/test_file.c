/* One Chakra trace in memory: what attributes may be, and what is no trace. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <string.h>
#include <cmocka.h>

#include "core/none.h"
#include "formats/chakra/chakra.pb-c.h"
#include "formats/chakra/file.h"

#define VALUE(NAME) ORR__CHAKRA_ATTR__VALUE_##NAME
#define COUNT(list) (sizeof(list) / sizeof *(list))

struct trace {
    uint8_t byte[1 << 17];
    size_t n;
};

static void put(struct trace *t, const ProtobufCMessage *m)
{
    size_t n = protobuf_c_message_get_packed_size(m);
    assert_true(t->n + n + 5 < sizeof t->byte);
    for (size_t left = n, first = 1; first || left; left >>= 7, first = 0)
        t->byte[t->n++] = (uint8_t)((left & 0x7f) | (left > 0x7f ? 0x80 : 0));
    t->n += protobuf_c_message_pack(m, t->byte + t->n);
}

static void head(struct trace *t, const char *version)
{
    Orr__ChakraHead h = ORR__CHAKRA_HEAD__INIT;
    t->n = 0;
    h.version = (char *)version;
    put(t, &h.base);
}

/* A node with one attribute, or none. */
static void node(struct trace *t, uint64_t id, int type, Orr__ChakraAttr *a)
{
    Orr__ChakraNode m = ORR__CHAKRA_NODE__INIT;
    m.has_id = m.has_type = true;
    m.id = id;
    m.type = type;
    m.attr = &a;
    m.n_attr = a != NULL;
    put(t, &m.base);
}

static Orr__ChakraAttr attribute(const char *name, int which)
{
    Orr__ChakraAttr a = ORR__CHAKRA_ATTR__INIT;
    a.name = (char *)name;
    a.value_case = which;
    return a;
}

static Orr__ChakraAttr number(const char *name, int64_t x)
{
    Orr__ChakraAttr a = attribute(name, VALUE(I64));
    a.i64 = x;
    return a;
}

static orr_err parse(const struct trace *t, struct orr_chakra *c,
                     struct orr_report *why)
{
    *why = (struct orr_report){0};
    return orr__chakra_parse("t.et", t->byte, t->n, ORR_CHAKRA_AUTO, c, why);
}

static void refused(const struct trace *t, const char *message)
{
    struct orr_chakra c;
    struct orr_report why;
    assert_int_equal(parse(t, &c, &why), ORR_ECONFIG);
    assert_string_equal(why.message, message);
    assert_string_equal(why.file, "t.et");
    orr__chakra_fini(&c);
}

static struct orr_chakra accepted(const struct trace *t)
{
    struct orr_chakra c;
    struct orr_report why;
    orr_err err = parse(t, &c, &why);
    if (err)
        print_error("%s\n", why.message);
    assert_int_equal(err, ORR_OK);
    return c;
}

/* ---- attributes --------------------------------------------------------- */

static void test_numbers_of_every_width(void **state)
{
    Orr__ChakraAttr a[] = {
        attribute("comm_size", VALUE(I32)),  attribute("comm_size", VALUE(I64)),
        attribute("comm_size", VALUE(U32)),  attribute("comm_size", VALUE(U64)),
        attribute("comm_size", VALUE(S32)),  attribute("comm_size", VALUE(S64)),
        attribute("comm_size", VALUE(X32)),  attribute("comm_size", VALUE(X64)),
        attribute("comm_size", VALUE(FLAG)),
    };
    a[0].i32 = a[4].s32 = 77;
    a[2].u32 = a[6].x32 = 4000000000;
    a[1].i64 = a[5].s64 = INT64_C(1) << 40;
    a[3].u64 = a[7].x64 = UINT64_C(1) << 41;
    a[8].flag = true;
    const uint64_t expected[] = {
        77, UINT64_C(1) << 40, 4000000000, UINT64_C(1) << 41,
        77, UINT64_C(1) << 40, 4000000000, UINT64_C(1) << 41,
        1,
    };
    struct trace t;
    head(&t, "0.0.4");
    for (size_t i = 0; i < COUNT(a); i++)
        node(&t, i, ORR_CHAKRA_COLL, &a[i]);
    struct orr_chakra c = accepted(&t);
    assert_int_equal(c.nodes, COUNT(a));
    for (size_t i = 0; i < COUNT(a); i++)
        assert_int_equal(c.node[i].size, expected[i]);
    orr__chakra_fini(&c);
}

static void test_what_is_kept(void **state)
{
    Orr__ChakraFlags f = ORR__CHAKRA_FLAGS__INIT;
    protobuf_c_boolean on[] = {1, 0, 1};
    f.value = on;
    f.n_value = 3;
    Orr__ChakraAttr dims = attribute("involved_dim", VALUE(FLAGS));
    dims.flags = &f;
    Orr__ChakraAttr a[] = {
        dims,
        number("involved_dim", 3), /* no list: passed over */
        number("comm_priority", INT64_C(1) << 31),
        number("stream", 3),
        number("stream", UINT16_MAX),
        number("pg_name", -3),
        attribute("pg_name", VALUE(TEXT)),
        attribute(NULL, VALUE(I64)),
        number("is_cpu_op", 1),
    };
    a[6].text = (char *)"empty";
    struct trace t;
    head(&t, "0.0.1");
    for (size_t i = 0; i < COUNT(a); i++)
        node(&t, i, ORR_CHAKRA_COMP, &a[i]);
    struct orr_chakra c = accepted(&t);
    assert_int_equal(c.node[0].involved, 5);
    assert_int_equal(c.node[1].involved, UINT32_MAX);
    assert_int_equal(c.node[2].priority, INT32_MAX);
    assert_int_equal(c.node[3].stream, 3);
    assert_int_equal(c.node[4].stream, 0);
    assert_string_equal(c.text[c.node[5].group], "-3");
    assert_int_equal(c.node[6].group, ORR_NONE);
    assert_false(c.node[7].cpu);
    assert_true(c.node[8].cpu);
    orr__chakra_fini(&c);
}

static void test_bad_attributes(void **state)
{
    Orr__ChakraAttr text = attribute("num_ops", VALUE(TEXT));
    text.text = (char *)"many";
    const struct {
        Orr__ChakraAttr a;
        const char *message;
    } cases[] = {
        {text, "node 5: num_ops: a number from 0 on is expected"},
        {attribute("comm_size", VALUE(F64)),
         "node 5: comm_size: a number from 0 on is expected"},
        {number("tensor_size", -1),
         "node 5: tensor_size: a number from 0 on is expected"},
        {number("comm_tag", INT64_C(1) << 32),
         "node 5: a rank, tag or priority is beyond 32 bits"},
        {number("comm_priority", INT64_C(1) << 32),
         "node 5: a rank, tag or priority is beyond 32 bits"},
        {number("comm_type", ORR_CHAKRA_COMM_TYPES),
         "node 5: comm_type: there is no such collective"},
        {attribute("pg_name", VALUE(F32)),
         "node 5: pg_name: a text is expected"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct trace t;
        Orr__ChakraAttr a = cases[i].a;
        head(&t, "0.0.4");
        node(&t, 5, ORR_CHAKRA_COMP, &a);
        refused(&t, cases[i].message);
    }
}

static void test_bad_nodes(void **state)
{
    Orr__ChakraAttr reduce = number("comm_type", ORR_CHAKRA_ALL_REDUCE);
    Orr__ChakraAttr barrier = number("comm_type", ORR_CHAKRA_BARRIER);
    struct trace t;
    static const struct {
        int type;
        const char *message;
    } cases[] = {
        {-1, "node 5: a type that this version of the format does not have"},
        {ORR_CHAKRA_TYPES,
         "node 5: a type that this version of the format does not have"},
        {ORR_CHAKRA_SEND, "node 5: a send without comm_dst"},
        {ORR_CHAKRA_RECV, "node 5: a recv without comm_src"},
        {ORR_CHAKRA_COLL, "node 5: a collective without comm_size"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        head(&t, "0.0.4");
        node(&t, 5, cases[i].type, &reduce);
        refused(&t, cases[i].message);
    }
    head(&t, "0.0.4");
    node(&t, 5, ORR_CHAKRA_COLL, &barrier);
    struct orr_chakra c = accepted(&t);
    orr__chakra_fini(&c);
    node(&t, 5, ORR_CHAKRA_COMP, NULL);
    refused(&t, "node 5: there are two nodes with this id");
}

/* ---- the stream --------------------------------------------------------- */

static void test_heads(void **state)
{
    struct trace t;
    head(&t, "1.2");
    refused(&t, "version 1.2 of the format is not known; 0.0.4 is");
    head(&t, "0.0.4");
    refused(&t, "there are no nodes in it");
    t = (struct trace){{2, 0xff, 0xff}, 3};
    refused(&t, "does not begin as a Chakra trace");
    t = (struct trace){{2, 0x38, 1}, 3}; /* a field of nodes alone */
    refused(&t, "does not begin as a Chakra trace");
    head(&t, "");
    node(&t, 1, ORR_CHAKRA_COMP, NULL);
    struct orr_chakra c = accepted(&t);
    assert_false(c.versioned);
    orr__chakra_fini(&c);
}

static void test_lengths(void **state)
{
    static const char none[] = "message 0 has no sensible length; this is not "
                               "a Chakra trace, or it is damaged";
    struct trace t = {{0xff, 0xff, 0xff, 0xff, 0xff, 1}, 6};
    refused(&t, none); /* longer than five bytes */
    t = (struct trace){{0xff, 0xff, 0xff, 0x7f}, 4};
    refused(&t, none); /* 256 MB */
    t = (struct trace){{0x80}, 1};
    refused(&t, none); /* it ends within */
    t = (struct trace){{5, 1}, 2};
    refused(&t, "truncated: message 0 should have 5 bytes, but the file ends "
                "before");
    head(&t, "0.0.4");
    t.byte[t.n++] = 1;
    t.byte[t.n++] = 0xff;
    refused(&t, "message 1 is not a node");
}

/* ---- the longest chain -------------------------------------------------- */

/* A node of `us` after the one numbered before it, if that is not 0. */
static void lasting(struct trace *t, uint64_t id, uint64_t us, uint64_t before)
{
    Orr__ChakraNode m = ORR__CHAKRA_NODE__INIT;
    m.has_id = m.has_type = m.has_duration_us = true;
    m.id = id;
    m.type = ORR_CHAKRA_COMP;
    m.duration_us = us;
    m.data = &before;
    m.n_data = before != 0;
    put(t, &m.base);
}

/* Durations that add up to more than 64 bits do not begin at 0 again. */
static void test_critical_path(void **state)
{
    struct trace t;
    head(&t, "0.0.4");
    lasting(&t, 1, 30, 0);
    lasting(&t, 2, 12, 1);
    lasting(&t, 3, 41, 0);
    struct orr_chakra c = accepted(&t);
    assert_int_equal(c.critical_us, 42);
    assert_int_equal(c.critical_nodes, 2);
    assert_int_equal(orr__chakra_ps(c.critical_us), 42 * ORR_US);
    orr__chakra_fini(&c);

    lasting(&t, 4, UINT64_MAX - 1, 2);
    lasting(&t, 5, UINT64_MAX, 4);
    lasting(&t, 6, 7, 5);
    c = accepted(&t);
    assert_true(c.critical_us == UINT64_MAX);
    assert_int_equal(c.critical_nodes, 5);
    assert_int_equal(orr__chakra_ps(c.critical_us), ORR_HORIZON);
    orr__chakra_fini(&c);
}

/* ---- groups, and messages of any size ----------------------------------- */

/* A metadata node that says what groups there are, with a long name. */
static void metadata(struct trace *t, const char *groups)
{
    static char name[40000];
    Orr__ChakraValues v = ORR__CHAKRA_VALUES__INIT;
    Orr__ChakraNode m = ORR__CHAKRA_NODE__INIT;
    uint8_t packed[600];
    memset(name, 'n', sizeof name - 1);
    v.values = (char *)groups;
    m.has_type = m.has_inputs = true;
    m.type = ORR_CHAKRA_METADATA;
    m.name = name;
    m.inputs.data = packed;
    m.inputs.len = orr__chakra_values__pack(&v, packed);
    put(t, &m.base);
}

static void test_groups(void **state)
{
    struct trace t;
    head(&t, "0.0.4");
    metadata(&t, "[{'pg_name' : '0', 'ranks': [4,  2,7]}, pg_name, "
                 "\"pg_name\" no, \"pg_name': 1, "
                 "{\"pg_name\": 12, \"ranks\": [a, 1]}, "
                 "{\"pg_name\": \"last\"}]");
    struct orr_chakra c = accepted(&t);
    assert_int_equal(c.groups, 3);
    assert_string_equal(c.group[0].name, "0");
    assert_int_equal(c.group[0].n, 3);
    assert_int_equal(c.group[0].rank[0], 4);
    assert_int_equal(c.group[0].rank[1], 2);
    assert_int_equal(c.group[0].rank[2], 7);
    assert_string_equal(c.group[1].name, "12");
    assert_null(c.group[1].rank);
    assert_string_equal(c.group[2].name, "last");
    assert_null(c.group[2].rank);
    orr__chakra_fini(&c);
}

static void test_memory_may_end(void **state)
{
    Orr__ChakraAttr name = attribute("pg_name", VALUE(TEXT));
    Orr__ChakraNode late = ORR__CHAKRA_NODE__INIT;
    uint64_t before[] = {0};
    struct trace t;
    uint64_t n = 1;
    name.text = (char *)"a";
    head(&t, "0.0.4");
    metadata(&t, "[{\"pg_name\": \"a\", \"ranks\": [1, 0]}]");
    node(&t, 1, ORR_CHAKRA_COMP, &name);
    late.has_id = late.has_type = true;
    late.id = 2;
    late.type = ORR_CHAKRA_COMP;
    late.data = before;
    late.n_data = 1;
    put(&t, &late.base);
    for (;; n++) {
        struct orr_chakra c;
        struct orr_report why;
        orr__memory_fail_after(n, 0);
        orr_err err = parse(&t, &c, &why);
        orr__memory_fail_after(0, 0);
        if (err)
            assert_int_equal(err, ORR_ENOMEM);
        else
            assert_int_equal(c.edges, 1);
        orr__chakra_fini(&c);
        if (!err)
            break;
    }
    assert_true(n > 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_of_every_width),
        cmocka_unit_test(test_what_is_kept),
        cmocka_unit_test(test_bad_attributes),
        cmocka_unit_test(test_bad_nodes),
        cmocka_unit_test(test_heads),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_critical_path),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_memory_may_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
