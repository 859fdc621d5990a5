/* How far a combination is from the interval that was asked for, and how many
 * seeds it lacks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <cmocka.h>

#include "core/memory.h"
#include "tests/study/compare/trials.h"

static struct orr_compare until(double share, uint32_t most)
{
    return (struct orr_compare){.m = {.until = share, .most_seeds = most}};
}

static enum orr_until_state state_of(const struct orr_compare *c,
                                     const struct made *m)
{
    struct orr_until u = orr__study_until(c, &m->cell);
    assert_true(u.state == ORR_UNTIL_OPEN || !orr__until_more(c, &m->cell));
    return u.state;
}

/* Half of the interval of 10 and 12 is 12.706, that of 11, 11, 11, 11.1 0.08 */
static void seeds_are_added_while_it_is_wide(void **state)
{
    struct orr_compare c = until(0.02, 30);
    struct made m;
    make(&m, (const double[]){10, 12}, 2);
    assert_int_equal(state_of(&c, &m), ORR_UNTIL_OPEN);
    assert_true(fabs(orr__study_until(&c, &m.cell).width - 12.706 / 11) < 1e-4);
    assert_int_equal(orr__until_more(&c, &m.cell), 2); /* as many again */
    make(&m, (const double[]){11, 11, 11, 11.1}, 4);
    assert_int_equal(state_of(&c, &m), ORR_UNTIL_REACHED);
    make(&m, (const double[]){7}, 1);
    assert_int_equal(state_of(&c, &m), ORR_UNTIL_OPEN);
    assert_int_equal(orr__until_more(&c, &m.cell), 1);
    c = until(0.02, 2);
    make(&m, (const double[]){10, 12}, 2);
    assert_int_equal(state_of(&c, &m), ORR_UNTIL_MOST);
}

static void more_seeds_would_not_help(void **state)
{
    struct orr_compare c = until(0.02, 30);
    struct made m;
    make(&m, (const double[]){-1, 1}, 2);
    assert_int_equal(state_of(&c, &m), ORR_UNTIL_ZERO);
    make(&m, (const double[]){0, 0}, 2); /* known exactly */
    assert_int_equal(state_of(&c, &m), ORR_UNTIL_REACHED);
    make(&m, (const double[]){10, NAN}, 2);
    assert_int_equal(state_of(&c, &m), ORR_UNTIL_FAILED);
    m.trial[1].state = ORR_TRIAL_MISSING;
    assert_int_equal(state_of(&c, &m), ORR_UNTIL_MISSING);
    m.trial[0].state = ORR_TRIAL_FAILED;
    assert_int_equal(state_of(&c, &m), ORR_UNTIL_FAILED);
    make(&m, (const double[]){10, 12}, 2);
    m.value[1] = NAN; /* a run that has no such figure */
    assert_int_equal(state_of(&c, &m), ORR_UNTIL_ABSENT);
}

/* As many more as the width asks for, at least one, at most as many again and
 * what there may be. */
static void so_many_seeds_are_added(void **state)
{
    struct orr_compare c = until(1, 30);
    struct made m;
    make(&m, (const double[]){10, 12}, 2); /* 1.155 of the mean */
    assert_int_equal(orr__until_more(&c, &m.cell), 1);
    make(&m, (const double[]){10, 11, 12, 11, 10}, 5);
    double width = orr__study_until(&c, &m.cell).width;
    c = until(width / 1.2, 30); /* 5 * 1.44 = 7.2 */
    assert_int_equal(orr__until_more(&c, &m.cell), 3);
    c = until(width / 1.2, 7);
    assert_int_equal(orr__until_more(&c, &m.cell), 2);
    c = until(width / 10, 30);
    assert_int_equal(orr__until_more(&c, &m.cell), 5);
    c = until(width, 30);
    assert_int_equal(orr__until_more(&c, &m.cell), 0);
    m.cell.trials = 0;
    assert_int_equal(orr__until_more(&c, &m.cell), 2);
}

/* A cell for each state, and what is said of it. */
struct said {
    double v[MOST_TRIALS];
    uint32_t n, most;
    bool absent, missing;
    const char *line, *json; /* line: its end, NULL: none */
};

static const struct said says[] = {
    {{11, 11},
     2,
     30,
     .line = NULL,
     .json = "\"reached\": true, \"interval\": 0, \"seeds\": 2"},
    {{10, 12},
     2,
     30,
     .line = "116 % of the mean with 2 seeds, none added: that takes a run of "
             "the whole study",
     .json = "\"reached\": false, \"interval\": 1.15510952147, \"seeds\": 2, "
             "\"reason\": \"open\""},
    {{10, 12},
     2,
     2,
     .line = "116 % of the mean with 2 seeds, the most there may be",
     .json = "\"reached\": false, \"interval\": 1.15510952147, \"seeds\": 2, "
             "\"reason\": \"seeds\""},
    {{7},
     1,
     1,
     .line = "1 seed, the most there may be",
     .json = "\"reached\": false, \"interval\": null, \"seeds\": 1, "
             "\"reason\": \"seeds\""},
    {{-1, 1},
     2,
     30,
     .line = "2 seeds, whose mean is 0: a relative interval does not exist",
     .json = "\"reached\": false, \"interval\": null, \"seeds\": 2, "
             "\"reason\": \"zero\""},
    {{10, NAN},
     2,
     30,
     .line = "2 seeds, not all ran well",
     .json = "\"reached\": false, \"interval\": null, \"seeds\": 2, "
             "\"reason\": \"failed\""},
    {{10, NAN},
     2,
     30,
     .missing = true,
     .line = "2 seeds, not all are there",
     .json = "\"reached\": false, \"interval\": null, \"seeds\": 2, "
             "\"reason\": \"missing\""},
    {{10, 12},
     2,
     30,
     .absent = true,
     .line = "2 seeds, not all have this figure",
     .json = "\"reached\": false, \"interval\": null, \"seeds\": 2, "
             "\"reason\": \"absent\""},
};

static void what_is_not_reached_is_said(void **state)
{
    for (size_t i = 0; i < sizeof says / sizeof *says; i++) {
        const struct said *s = &says[i];
        struct orr_study_measure measure = {.path = "x.y"};
        struct orr_text t = {.s = NULL};
        struct orr_json j = {.depth = 0};
        struct made m;
        make(&m, s->v, s->n);
        if (s->absent)
            m.value[1] = NAN;
        if (s->missing)
            m.trial[1].state = ORR_TRIAL_MISSING;
        struct orr_compare c = until(0.025, s->most);
        c.cell = &m.cell;
        c.cells = 1;
        c.measure = &measure;
        orr__text_add(&t, "%s", "");
        orr__until_text(&t, &c, "# ");
        orr__json_object(&j, NULL);
        orr__until_asked(&j, &c);
        orr__until_reached(&j, &c, &m.cell);
        orr__json_end(&j);
        char *text = orr__text_done(&t), *json = orr__json_done(&j);
        char line[200] = "", object[400];
        if (s->line)
            snprintf(line, sizeof line,
                     "# until 2.5%%: not reached: , x.y: %s\n", s->line);
        snprintf(object, sizeof object,
                 "{\n  \"until\": {\"interval\": 0.025, \"measure\": "
                 "\"x.y\", \"most\": %u},\n  \"until\": {%s}\n}\n",
                 s->most, s->json);
        assert_string_equal(text, line);
        assert_string_equal(json, object);
        orr__free(text);
        orr__free(json);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seeds_are_added_while_it_is_wide),
        cmocka_unit_test(more_seeds_would_not_help),
        cmocka_unit_test(so_many_seeds_are_added),
        cmocka_unit_test(what_is_not_reached_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
