/* PipeDream's graphs: what they say, and where bad ones are bad. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs those four first */
#include <string.h>
#include <cmocka.h>

#include "core/memory.h"
#include "core/text.h"
#include "core/units.h"
#include "workload/model/model.h"

#define COSTS(f, b, a, p)                                                      \
    " -- forward_compute_time=" f ", backward_compute_time=" b                 \
    ", activation_size=" a ", parameter_size=" p
#define LAYER(name) name " -- ReLU(x) " COSTS("1.0", "2.0", "8.0", "4.0") "\n"

static orr_err read_graph(const char *text, struct orr_model **m,
                          struct orr_report *why)
{
    *m = NULL;
    *why = (struct orr_report){.code = ORR_OK};
    return orr__model_read_graph("g.txt", text, strlen(text), "g", m, why);
}

/* A branch: b and c take a's output, d takes both, and a's again. */
static void test_branch(void **state)
{
    static const char *const lines[] = {
        "d -- Add " COSTS("0.25", "0.5", "16.000", "0.000"),
        " -- stage_id=2\nin -- Input0 ",
        COSTS("635.902", "0.000", "99.0", "0.000"),
        "\na -- Conv2d(3, 64, stride=(2, 2)) ",
        COSTS("2.211", "2.788", "100.0", "8.0"),
        "\nc -- LSTM(1) " COSTS("0.001", "0.000", "[20.0; 3.0]", "40.000"),
        "\r\nb -- (x) y " COSTS("1", "1.5", "40.0", "0.0"),
        "\ne -- __getitem__(0) " COSTS("7.0", "7.0", "7.0", "0.0"),
        "\n\tin -- a\n\ta -- b\n\ta -- c\n\tb -- d\n\tc -- d\n\ta -- d\n",
        "\td -- e\n\n",
    };
    struct orr_text all = {.s = NULL};
    static const char *const names[] = {"a", "b", "c", "d"};
    static const uint64_t across[] = {0, 100, 140, 163, 0};
    struct orr_model *m;
    struct orr_report why;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        orr__text_add(&all, "%s", lines[i]);
    char *text = orr__text_done(&all);
    if (read_graph(text, &m, &why))
        fail_msg("%d: %s", why.line, why.message);
    orr__free(text);
    assert_int_equal(m->layers, 4);
    assert_int_equal(m->units, 4);
    assert_int_equal(m->edges, 5);
    assert_int_equal(m->element, 4);
    assert_int_equal(m->parameters, 12);
    for (uint32_t i = 0; i < 4; i++) {
        assert_string_equal(m->layer[i].name, names[i]);
        assert_int_equal(orr__model_crossing(m, i), across[i]);
    }
    assert_int_equal(orr__model_crossing(m, 4), 0);
    assert_int_equal(m->layer[0].forward_ps, 2211 * ORR_US);
    assert_int_equal(m->layer[0].backward_ps, 2788 * ORR_US);
    assert_int_equal(m->layer[2].activations, 23);
    assert_int_equal(m->layer[2].forward_ps, ORR_US);
    orr__model_free(m);
}

/* Layers in a row need no edges: what is handed on is the last one's output. */
static void test_row(void **state)
{
    struct orr_config *c;
    struct orr_model *m;
    struct orr_report why = {0};
    static const char text[] = "layers: [{activations: 5B}, {activations: 7B},"
                               " {activations: 9B}]";
    assert_int_equal(orr__config_parse("m.yaml", text, strlen(text), &c, &why),
                     ORR_OK);
    assert_int_equal(orr__model_read(c, "m", &m, &why), ORR_OK);
    orr__config_free(c);
    assert_null(m->edge);
    assert_int_equal(orr__model_crossing(m, 1), 5);
    assert_int_equal(orr__model_crossing(m, 2), 7);
    assert_int_equal(m->layer[0].needed, 1);
    assert_int_equal(m->layer[2].needed, 2);
    orr__model_free(m);
}

static const struct {
    const char *text, *message;
    int line, col;
} bad[] = {
    {"", "there is no layer in this graph", 1, 1},
    {"in -- Input " COSTS("1", "1", "1", "1") "\n",
     "there is no layer in this graph", 1, 1},
    {"a\n", "neither a layer nor an edge", 1, 2},
    {LAYER("a") "a b\n", "neither a layer nor an edge", 2, 3},
    {"a -- x y\n", "neither a layer nor an edge", 1, 9},
    {LAYER("a") LAYER("b") LAYER("a"), "layer a is there already, on line 1", 3,
     1},
    {"a -- x -- forward_compute_time=1.0\n",
     "`backward_compute_time=...` is missing", 1, 35},
    {"a -- x -- backward_compute_time=1.0\n",
     "`forward_compute_time=...` is expected here", 1, 11},
    {"a -- x " COSTS("one", "1", "1", "1") "\n",
     "\"one\" is no time: a number of milliseconds is expected", 1, 33},
    {"a -- x " COSTS("-1.0", "1", "1", "1") "\n",
     "\"-1.0\" is no time: a number of milliseconds is expected", 1, 33},
    {"a -- x " COSTS("1", "", "1", "1") "\n",
     "\"\" is no time: a number of milliseconds is expected", 1, 58},
    {"a -- x " COSTS("1", "1", "[1; 2", "1") "\n",
     "\"parameter_size=1\" is no size: a number of bytes is expected", 1, 84},
    {"a -- x " COSTS("1", "1", "9e99", "1") "\n",
     "\"9e99\" is no size: a number of bytes is expected", 1, 77},
    {"a -- x " COSTS("1", "1", "1", "1") " -- stage_id=1 2\n",
     "only ` -- stage_id=N` may stand here", 1, 111},
    {LAYER("a") "\ta -- b\n", "a hole: no layer of this file is called \"b\"",
     2, 7},
    {LAYER("a") "\tb -- a\n", "a hole: no layer of this file is called \"b\"",
     2, 2},
    {LAYER("a") LAYER("b") LAYER("c") "\ta -- c\n",
     "a hole: no edges join layer b to layer a", 2, 1},
    {LAYER("a") LAYER("b") LAYER("c")
         LAYER("d") "\ta -- b\n\tb -- c\n\tc -- d\n\td -- b\n",
     "a cycle: backwards from here, the outputs come from", 0, 2},
    {LAYER("a") "\ta -- a\n",
     "a cycle: backwards from here, the outputs come from a", 2, 2},
};

static void test_bad(void **state)
{
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct orr_model *m;
        struct orr_report why;
        if (read_graph(bad[i].text, &m, &why) != ORR_ECONFIG)
            fail_msg("%zu was read: %s", i, bad[i].text);
        if (strncmp(why.message, bad[i].message, strlen(bad[i].message)) != 0
            || (bad[i].line && why.line != bad[i].line)
            || why.col != bad[i].col)
            fail_msg("%zu: %d:%d: %s", i, why.line, why.col, why.message);
        assert_string_equal(why.file, "g.txt");
    }
}

/* Each allocation may fail. */
static void test_no_memory(void **state)
{
    static const char text[] = LAYER("a") LAYER("b") "\ta -- b\n";
    orr_err err = ORR_ENOMEM;
    struct orr_report why;
    struct orr_model *m;
    for (uint64_t n = 1; err == ORR_ENOMEM; n++) {
        orr__memory_fail_after(n, 1);
        err = read_graph(text, &m, &why);
        orr__memory_fail_after(0, 0);
        assert_true(n < 100);
    }
    assert_int_equal(err, ORR_OK);
    orr__model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_branch),
        cmocka_unit_test(test_row),
        cmocka_unit_test(test_bad),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
