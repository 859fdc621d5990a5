/* What is changed of a job that was read, and of one that runs: its class, its
 * weight, and the ways of its messages. */
#include <stdio.h>

#include "net/config/config.h"
#include "tests/workload/fake_net.h"
#include "workload/job/adjust.h"
#include "workload/rank/rank.h"

/* Three ranks around a ring of messages, seven times. */
#define JOB(more)                                                              \
    "  - {ranks: 3, iterations: 7, " more                                      \
    " program: [all-gather: {size: 1KB, algorithm: ring}]}\n"

static void get(struct fake *f, const char *jobs)
{
    if (fake_read(f, 4, jobs))
        fail_msg("%s", f->why.message);
}

static orr_err resteer(struct fake *f, const struct fake *like, uint32_t class,
                       uint32_t from)
{
    return orr__job_readjust(orr__config_arena(f->w.config), f->w.net_config,
                             &f->w.jobs[0], &like->w.jobs[0], class, from,
                             &f->why);
}

static void steers(struct fake *f, const struct fake *like, uint32_t class,
                   uint32_t from)
{
    assert_int_equal(resteer(f, like, class, from), ORR_OK);
}

static void check_service(const struct fake *f, uint32_t stage, uint32_t class,
                          double weight)
{
    const struct orr_connection_spec s =
        orr__post_spec(f->w.jobs[0].team, stage, 0, 1);
    const struct orr_net_service *own =
        s.service ? s.service : &f->w.net_config->service;
    assert_int_equal(own->class, class);
    assert_true(own->weight == weight);
}

static void test_same_terms_are_no_stage(void **state)
{
    struct fake f, like;
    get(&f, JOB("class: 3, weight: 2,"));
    get(&like, JOB("weight: 2,"));
    const struct orr_team *t = f.w.jobs[0].team;
    steers(&f, &like, 3, 2);
    assert_int_equal(t->stages, 1);
    check_service(&f, 0, 3, 2);
    /* it is the last stage that counts, not the first */
    steers(&f, &like, 5, 2);
    steers(&f, &like, 5, 4);
    assert_int_equal(t->stages, 2);
    steers(&f, &like, 3, 6);
    assert_int_equal(t->stages, 3);
    assert_int_equal(t->stage[1].from, 2);
    assert_int_equal(t->stage[2].from, 6);
    check_service(&f, 0, 3, 2);
    check_service(&f, 1, 5, 2);
    check_service(&f, 2, 3, 2);
    fake_free(&f);
    fake_free(&like);
}

/* The control stays that of the job's own network. */
static void test_class_and_weight(void **state)
{
    struct fake f, like, plain;
    get(&f, JOB("cc: dctcp,"));
    get(&like, JOB("cc: reno, weight: 0.5,"));
    const struct orr_team *t = f.w.jobs[0].team;
    const struct orr_cc *cc = t->service->cc;
    steers(&f, &like, 0, 0);
    assert_int_equal(t->stages, 1); /* in the place of the first */
    check_service(&f, 0, 0, 0.5);
    assert_ptr_equal(t->service->cc, cc);
    get(&plain, JOB(""));
    steers(&f, &plain, 6, 3);
    fake_free(&like);
    check_service(&f, 0, 0, 0.5);
    check_service(&f, 1, 6, 1);
    assert_ptr_equal(t->stage[1].service->cc, cc);
    fake_free(&plain);
    /* of three connections each is made anew once, by another name */
    fake_go(&f);
    assert_int_equal(f.net.connections, 6);
    assert_int_equal(f.w.jobs[0].iterations, 7);
    assert_int_equal(orr__jobs_close(&f.w, &f.why), ORR_OK);
    fake_free(&f);
}

/* Ways are copied: `like` may go. */
static void test_ways(void **state)
{
    static const uint32_t there[] = {0, 5}, other[] = {2, 7, 5};
    struct fake f, like;
    struct orr_connection_spec s;
    get(&f, JOB(""));
    get(&like, JOB(""));
    const struct orr_team *t = f.w.jobs[0].team;
    assert_int_equal(
        orr__job_path(&like.w, &like.w.jobs[0], 0, 1, there, 2, &like.why),
        ORR_OK);
    steers(&f, &like, 0, 1);
    steers(&f, &like, 0, 2); /* the same */
    assert_int_equal(t->stages, 2);
    assert_int_equal(
        orr__job_path(&like.w, &like.w.jobs[0], 0, 1, other, 3, &like.why),
        ORR_OK);
    steers(&f, &like, 0, 3);
    assert_int_equal(t->stages, 3);
    fake_free(&like);
    s = orr__post_spec(t, 0, 0, 1);
    assert_int_equal(s.path_links, 0);
    s = orr__post_spec(t, 1, 0, 1);
    assert_int_equal(s.path_links, 2);
    assert_memory_equal(s.path, there, sizeof there);
    s = orr__post_spec(t, 2, 0, 1);
    assert_int_equal(s.path_links, 3);
    assert_memory_equal(s.path, other, sizeof other);
    s = orr__post_spec(t, 2, 1, 2); /* of others nothing was said */
    assert_int_equal(s.path_links, 0);
    /* and back to no ways at all */
    get(&like, JOB(""));
    steers(&f, &like, 0, 4);
    assert_int_equal(orr__post_spec(t, 3, 0, 1).path_links, 0);
    fake_free(&like);
    fake_free(&f);
}

/* A job is as it was where there is no memory for what it should get. */
static void test_no_memory(void **state)
{
    static const uint32_t there[] = {0, 5};
    orr_err err = ORR_ENOMEM;
    uint64_t n = 0;
    while (err) {
        struct fake f, like;
        get(&f, JOB(""));
        get(&like, JOB("weight: 3,"));
        assert_int_equal(
            orr__job_path(&like.w, &like.w.jobs[0], 0, 1, there, 2, &like.why),
            ORR_OK);
        orr__memory_fail_after(++n, 1);
        err = resteer(&f, &like, 1, 2);
        orr__memory_fail_after(0, 0);
        assert_true(err == ORR_OK || err == ORR_ENOMEM);
        assert_int_equal(f.w.jobs[0].team->stages, err ? 1 : 2);
        check_service(&f, 0, 0, 1);
        fake_free(&f);
        fake_free(&like);
    }
    assert_true(n > 2); /* an override, the stage */
}

static void test_what_a_schedule_sets(void **state)
{
    struct fake f;
    get(&f, "  - {name: a, ranks: 2, program: [barrier]}\n"
            "  - {name: b, ranks: 2, program: [compute: 1us]}\n");
    struct orr_job *a = orr__job_find(&f.w, "a");
    assert_ptr_equal(a, &f.w.jobs[0]);
    assert_ptr_equal(orr__job_find(&f.w, "b"), &f.w.jobs[1]);
    assert_null(orr__job_find(&f.w, "c"));
    assert_true(orr__job_sends(a));
    assert_false(orr__job_sends(&f.w.jobs[1]));
    struct orr_net_service *s = orr__job_service(&f.w, a);
    assert_non_null(s);
    assert_ptr_equal(orr__job_service(&f.w, a), s); /* once */
    s->class = 4;
    check_service(&f, 0, 4, 1);
    assert_null(f.w.jobs[1].team->service); /* the other one's is its own */
    assert_int_equal(f.w.net_config->service.class, 0);
    fake_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_terms_are_no_stage),
        cmocka_unit_test(test_class_and_weight),
        cmocka_unit_test(test_ways),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_what_a_schedule_sets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
