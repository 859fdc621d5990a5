/* Small Chakra traces for tests, written message by message. */
#ifndef ORR_TESTS_WORKLOAD_TRACE_TRACES_H
#define ORR_TESTS_WORKLOAD_TRACE_TRACES_H

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "formats/chakra/chakra.pb-c.h"
#include "formats/chakra/file.h"
#include "tests/workload/fake_net.h"

struct et {
    FILE *f;
};

static inline void et_put(struct et *t, const ProtobufCMessage *m)
{
    uint8_t body[4096];
    size_t n = protobuf_c_message_get_packed_size(m);
    assert_true(n < sizeof body);
    protobuf_c_message_pack(m, body);
    for (size_t left = n, first = 1; first || left; left >>= 7, first = 0)
        fputc((int)((left & 0x7f) | (left > 0x7f ? 0x80 : 0)), t->f);
    fwrite(body, 1, n, t->f);
}

/* version NULL: a head as PyTorch traces have it. */
static inline void et_open(struct et *t, const char *file, const char *version)
{
    Orr__ChakraHead head = ORR__CHAKRA_HEAD__INIT;
    Orr__ChakraAttr attr = ORR__CHAKRA_ATTR__INIT, *list = &attr;
    t->f = fopen(file, "wb");
    assert_non_null(t->f);
    head.version = (char *)version;
    if (!version) {
        attr.name = (char *)"schema";
        attr.value_case = ORR__CHAKRA_ATTR__VALUE_TEXT;
        attr.text = (char *)"1.0.1";
        head.attr = &list;
        head.n_attr = 1;
    }
    et_put(t, &head.base);
}

static inline void et_close(struct et *t)
{
    assert_int_equal(fclose(t->f), 0);
}

/* A number as an attribute, 32 or 64 bits wide. */
struct et_attr {
    const char *name;
    int64_t x;
    const char *text;
    bool narrow;
};

struct et_node {
    uint64_t id;
    int type;
    uint64_t us;
    uint64_t data[4], control[4]; /* ids + 1, ended by 0 */
    struct et_attr attr[8];       /* ended by a NULL name */
};

static inline void et_node(struct et *t, struct et_node n)
{
    Orr__ChakraNode m = ORR__CHAKRA_NODE__INIT;
    Orr__ChakraAttr attr[8], *list[8];
    m.has_id = m.has_type = m.has_duration_us = true;
    m.id = n.id;
    m.type = n.type;
    m.duration_us = n.us;
    m.name = (char *)"a node";
    m.attr = list;
    m.data = n.data;
    m.control = n.control;
    while (m.n_data < 4 && n.data[m.n_data])
        n.data[m.n_data++]--;
    while (m.n_control < 4 && n.control[m.n_control])
        n.control[m.n_control++]--;
    for (; m.n_attr < 8 && n.attr[m.n_attr].name; m.n_attr++) {
        const struct et_attr *x = &n.attr[m.n_attr];
        Orr__ChakraAttr *a = list[m.n_attr] = &attr[m.n_attr];
        *a = (Orr__ChakraAttr)ORR__CHAKRA_ATTR__INIT;
        a->name = (char *)x->name;
        if (x->text) {
            a->value_case = ORR__CHAKRA_ATTR__VALUE_TEXT;
            a->text = (char *)x->text;
        } else if (x->narrow) {
            a->value_case = ORR__CHAKRA_ATTR__VALUE_I32;
            a->i32 = (int32_t)x->x;
        } else {
            a->value_case = ORR__CHAKRA_ATTR__VALUE_I64;
            a->i64 = x->x;
        }
    }
    et_put(t, &m.base);
}

/* Not every test needs it. */
static
    __attribute__((unused)) void (*const et_unused)(struct fake *, uint32_t,
                                                    const char *) = fake_play;

/* Temporary folder for a test's files; rm removes what it made. */
static char et_folder[64];

static inline const char *et_path(const char *name)
{
    static char path[4][160];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", et_folder, name);
    return path[turn];
}

static inline int et_setup(void **state)
{
    snprintf(et_folder, sizeof et_folder, "/tmp/orrery-trace-XXXXXX");
    return mkdtemp(et_folder) ? 0 : -1;
}

static inline int et_teardown(void **state)
{
    char command[100];
    snprintf(command, sizeof command, "rm -r %s", et_folder);
    return system(command);
}

#endif
