/* What a study varies: the names that dimensions and variants get, and what is
 * refused, at its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "study/compare/matrix.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

static char folder[] = "/tmp/orrery-test-XXXXXX";

static int enter_folder(void **state)
{
    return mkdtemp(folder) ? chdir(folder) : -1;
}

static int leave_folder(void **state)
{
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

/* The section begins in line 3. */
static orr_err read_study(const char *section, struct orr_matrix *m,
                          struct orr_report *why)
{
    const struct orr_compare_options o = {.config = "s.yaml", .keep = -1};
    FILE *f = fopen("s.yaml", "w");
    assert_non_null(f);
    fprintf(f, "topology: {kind: ring, hosts: 4}\njobs: [{ranks: 4}]\n%s\n",
            section);
    assert_int_equal(fclose(f), 0);
    *why = (struct orr_report){.code = ORR_OK};
    *m = (struct orr_matrix){.base = NULL};
    return orr__matrix_read(m, &o, why);
}

static void names_tell_variants_apart(void **state)
{
    struct orr_matrix m;
    struct orr_report why;
    orr_err err = read_study(
        "compare:\n"
        "  over:\n"
        "    network.cc: [dctcp, {kind: swift}, {kind: swift, a: [1, {}]}]\n"
        "    \"jobs[0].ranks\": 4\n"
        "    \"flows[2]\": [[a, [b, {c: d}]], []]\n"
        "    jobs.cc: {x: 1, y: 2}\n"
        "    a.seed: [1]\n"
        "  seeds: [3, 5..6]\n",
        &m, &why);
    assert_int_equal(err, ORR_OK);
    assert_int_equal(m.dimensions, 5);
    static const char *const names[] = {"cc", "ranks", "flows", "jobs_cc",
                                        "a_seed"};
    for (uint32_t d = 0; d < m.dimensions; d++)
        assert_string_equal(m.dimension[d].name, names[d]);
    assert_string_equal(m.dimension[0].variant[0].name, "dctcp");
    assert_string_equal(m.dimension[0].variant[1].name, "kind: swift");
    assert_string_equal(m.dimension[0].variant[2].name,
                        "kind: swift, a: [1, {}]");
    assert_string_equal(m.dimension[2].variant[0].name, "[a, [b, {c: d}]]");
    assert_string_equal(m.dimension[2].variant[1].name, "[]");
    assert_int_equal(m.seeds, 3);
    assert_int_equal(m.seed[2], 6);
    orr__matrix_fini(&m);
}

#define CC "compare:\n  over: {cc: {a: {seed: 2}, bc: {}}}\n"

static const struct {
    const char *section, *message, *hint;
    int line, column;
} refused[] = {
    {"compare: {over: 3}",
     "compare.over: a map of dimensions is expected "
     "here",
     "", 3, 17},
    {"compare: {over: {network.mtu: []}}",
     "compare.over: network.mtu has no "
     "values: there is nothing to run",
     "", 3, 31},
    {"compare: {over: {network.mtu: null}}",
     "compare.over: network.mtu has "
     "no values: there is nothing to run",
     "", 3, 31},
    {"compare: {over: {network.mtu: [1, 1]}}",
     "compare.over: 1 is listed twice in network.mtu", "", 3, 35},
    {"compare: {over: {value: {a: {seed: 1}}}}",
     "compare.over: no dimension can be called \"value\"", "", 3, 18},
    {"compare: {over: {seed: [1, 2]}}", "compare.over: seeds are no dimension",
     "use `seeds: 1..5`, or --seeds 1..5", 3, 18},
    {CC "  seeds: [1, 1..3]", "compare.seeds: 1 is listed twice", "", 5, 14},
    {CC "  seeds: []", "compare.seeds: not a seed, a range or a list of them",
     "for example 1..5 or [1, 2, 7]", 5, 10},
    {CC "  seeds: {}", "compare.seeds: not a seed, a range or a list of them",
     "for example 1..5 or [1, 2, 7]", 5, 10},
    {CC "  seeds: 5..3",
     "compare.seeds: not a seed, a range or a list of "
     "them",
     "for example 1..5 or [1, 2, 7]", 5, 10},
    {CC "  seeds: 100000000000000000000000000",
     "compare.seeds: not a seed, a range or a list of them",
     "for example 1..5 or [1, 2, 7]", 5, 10},
    {CC "  seeds: 0..10000", "compare.seeds: more than 10000", "", 5, 10},
    {CC "  measure: [flows.n, flows.n]",
     "compare.measure: flows.n is listed twice", "", 5, 22},
    {CC "  measure: [{}]",
     "compare.measure: the path of a figure is expected "
     "here",
     "", 5, 13},
    {CC "  measure: [null]",
     "compare.measure: the path of a figure is "
     "expected here",
     "", 5, 13},
    {CC "  baseline: [a]",
     "compare.baseline: a map like {topology: ring}, or "
     "none",
     "", 5, 13},
    {CC "  baseline: {ccc: a}",
     "compare.baseline: no dimension is called "
     "\"ccc\"",
     "did you mean \"cc\"?", 5, 14},
    {CC "  baseline: {cc: [a]}",
     "compare.baseline: the name of a variant of "
     "cc is expected here",
     "", 5, 18},
    {CC "  baseline: {cc: bcd}",
     "compare.baseline: no variant of cc is "
     "called \"bcd\"",
     "did you mean \"bc\"?", 5, 18},
    {CC "  when: 5",
     "compare.when: a map of dimensions and variants is "
     "expected here",
     "for example [{topology: [ring, torus]}, "
     "{not: {topology: ring, cc: hpcc}}]",
     5, 9},
    {CC "  when: [{not: {}}]",
     "compare.when: a map of dimensions and "
     "variants is expected here",
     "for example [{topology: [ring, torus]}, "
     "{not: {topology: ring, cc: hpcc}}]",
     5, 16},
    {CC "  when: [{cc: a}, {zz: a}]",
     "compare.when: no dimension is called "
     "\"zz\"",
     "", 5, 20},
    {CC "  when: [{cc: [a, {}]}]",
     "compare.when: the name of a variant of cc "
     "is expected here",
     "", 5, 19},
    {CC "  until: 1.5",
     "compare.until: \"1.5\" is no share between 0 and "
     "100%",
     "for example 2%", 5, 10},
    {CC "  until: '%'",
     "compare.until: \"%\" is no share between 0 and "
     "100%",
     "for example 2%", 5, 10},
    {CC "  until: {interval: 200%}",
     "compare.until: \"200%\" is no share "
     "between 0 and 100%",
     "for example 2%", 5, 21},
};

static void what_is_wrong_is_told_at_its_place(void **state)
{
    for (size_t i = 0; i < COUNT(refused); i++) {
        struct orr_matrix m;
        struct orr_report why;
        orr_err err = read_study(refused[i].section, &m, &why);
        assert_int_equal(err, ORR_ECONFIG);
        assert_string_equal(why.message, refused[i].message);
        assert_string_equal(why.hint, refused[i].hint);
        assert_int_equal(why.line, refused[i].line);
        assert_int_equal(why.col, refused[i].column);
        orr__matrix_fini(&m);
    }
}

static void there_are_sixteen_dimensions_at_most(void **state)
{
    char section[1000] = "compare: {over: {";
    int n = (int)sizeof "compare: {over: {" - 1;
    struct orr_matrix m;
    struct orr_report why;
    for (int i = 0; i <= ORR_MOST_DIMENSIONS; i++)
        n += sprintf(section + n, "network.k%d: 1, ", i);
    sprintf(section + n, "}}");
    assert_int_equal(read_study(section, &m, &why), ORR_ECONFIG);
    assert_string_equal(why.message, "compare.over: more than 16 dimensions");
    orr__matrix_fini(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_tell_variants_apart),
        cmocka_unit_test(what_is_wrong_is_told_at_its_place),
        cmocka_unit_test(there_are_sixteen_dimensions_at_most),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
