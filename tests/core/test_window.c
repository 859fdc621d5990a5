/* The engine with a toy world: tokens that hop among processes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "core/fingerprint.h"
#include "core/units.h"
#include "core/window.h"

#define PROCESSES 64
#define L         1000
#define BOX       256
#define WORKERS   4

struct token {
    int64_t at;
    uint32_t from, to, hops;
};

struct toy {
    struct orr_windows *w;
    uint32_t owner[PROCESSES];
    unsigned workers;
    /* inbox[p] is read by p; sent[p][v] is written by p and emptied by worker
     * v in the exchange */
    struct token inbox[PROCESSES][BOX], sent[PROCESSES][WORKERS][BOX];
    uint32_t n_in[PROCESSES], n_sent[PROCESSES][WORKERS];
    uint64_t digest[PROCESSES], handled[PROCESSES];
    int64_t controls[64], lasts;
    uint32_t n_controls, hops;
};

/* Smallest (time, from) first: the toy's total order. */
static struct token *first_in(struct toy *t, uint32_t p)
{
    struct token *best = NULL;

    for (uint32_t i = 0; i < t->n_in[p]; i++) {
        struct token *x = &t->inbox[p][i];

        if (!best || x->at < best->at
            || (x->at == best->at && x->from < best->from))
            best = x;
    }
    return best;
}

static int64_t toy_run(void *world, unsigned worker, uint32_t p, int64_t end)
{
    struct toy *t = world;
    struct token *x, token;
    uint32_t *n;

    assert_int_equal(worker, t->owner[p]);
    for (;;) {
        x = first_in(t, p);
        if (!x || x->at >= end)
            return x ? x->at : ORR_NEVER;
        token = *x;
        *x = t->inbox[p][--t->n_in[p]];
        t->handled[p]++;
        t->digest[p] =
            orr__digest(t->digest[p], (uint64_t)token.at, token.from);
        if (token.hops == 0)
            continue;
        token.hops--;
        token.at += L + (int64_t)(t->digest[p] % 5000);
        token.from = p;
        token.to = (uint32_t)(t->digest[p] >> 20) % PROCESSES;
        n = &t->n_sent[p][t->owner[token.to]];
        t->sent[p][t->owner[token.to]][(*n)++] = token;
        assert_true(*n < BOX);
    }
}

static void toy_exchange(void *world, unsigned worker)
{
    struct toy *t = world;

    for (uint32_t p = 0; p < PROCESSES; p++) {
        for (uint32_t i = 0; i < t->n_sent[p][worker]; i++) {
            struct token *x = &t->sent[p][worker][i];

            assert_true(t->n_in[x->to] < BOX);
            t->inbox[x->to][t->n_in[x->to]++] = *x;
            orr__windows_wake(t->w, x->to, x->at);
        }
        t->n_sent[p][worker] = 0;
    }
}

static void toy_prefetch(void *world, uint32_t p, unsigned ahead, int64_t end)
{
}

static uint64_t toy_work(void *world)
{
    return 0;
}

static int64_t toy_lasts(void *world)
{
    return ((struct toy *)world)->lasts;
}

static int64_t toy_control(void *arg, int64_t now)
{
    struct toy *t = arg;

    assert_int_equal(orr__windows_now(t->w), now);
    for (uint32_t p = 0; p < PROCESSES; p++)
        for (uint32_t i = 0; i < t->n_in[p]; i++)
            assert_true(t->inbox[p][i].at >= now);
    t->controls[t->n_controls++] = now;
    return t->n_controls < 20 ? now + 777 : ORR_NEVER;
}

static struct toy toys[2];

static void toy_start(struct toy *t, unsigned workers, uint32_t tokens)
{
    static const struct orr_windows_ops ops = {
        .run = toy_run,
        .prefetch = toy_prefetch,
        .exchange = toy_exchange,
        .lasts = toy_lasts,
        .work = toy_work,
    };
    struct orr_report why = {0};

    memset(t, 0, sizeof *t);
    t->workers = workers;
    for (uint32_t p = 0; p < PROCESSES; p++)
        t->owner[p] = p % workers;
    assert_int_equal(
        orr__windows_new(PROCESSES, L, workers, t->owner, &ops, t, &t->w, &why),
        ORR_OK);
    for (uint32_t i = 0; i < tokens; i++) {
        uint32_t p = i % PROCESSES;

        t->inbox[p][t->n_in[p]++] =
            (struct token){.at = i * 13, .from = i, .hops = 50};
        orr__windows_wake(t->w, p, i * 13);
    }
}

static void test_workers_agree(void **state)
{
    struct orr_report why = {0};
    int64_t end;
    uint64_t handled = 0;

    toy_start(&toys[0], 1, 100);
    assert_int_equal(
        orr__windows_run(toys[0].w, ORR_NEVER, NULL, NULL, &end, &why), ORR_OK);
    assert_true(orr__windows_quiet(toys[0].w));
    for (uint32_t p = 0; p < PROCESSES; p++)
        handled += toys[0].handled[p];
    assert_int_equal(handled, 100 * 51);
    for (unsigned workers = 2; workers <= 4; workers++) {
        toy_start(&toys[1], workers, 100);
        assert_int_equal(
            orr__windows_run(toys[1].w, ORR_NEVER, NULL, NULL, &end, &why),
            ORR_OK);
        assert_memory_equal(toys[0].digest, toys[1].digest,
                            sizeof toys[0].digest);
        orr__windows_free(toys[1].w);
    }
    orr__windows_free(toys[0].w);
}

/* Controls happen exactly at their time, and change nothing else. */
static void test_controls(void **state)
{
    struct orr_report why = {0};
    int64_t end;

    for (unsigned workers = 1; workers <= 2; workers++) {
        toy_start(&toys[0], 1, 80);
        assert_int_equal(
            orr__windows_run(toys[0].w, ORR_NEVER, NULL, NULL, &end, &why),
            ORR_OK);
        toy_start(&toys[1], workers, 80);
        assert_int_equal(
            orr__windows_control(toys[1].w, 5, toy_control, &toys[1], &why),
            ORR_OK);
        assert_int_equal(
            orr__windows_run(toys[1].w, ORR_NEVER, NULL, NULL, &end, &why),
            ORR_OK);
        assert_int_equal(toys[1].n_controls, 20);
        for (uint32_t i = 0; i < 20; i++)
            assert_int_equal(toys[1].controls[i], 5 + 777 * i);
        assert_memory_equal(toys[0].digest, toys[1].digest,
                            sizeof toys[0].digest);
        orr__windows_free(toys[0].w);
        orr__windows_free(toys[1].w);
    }
}

static int64_t halting_control(void *arg, int64_t now)
{
    toy_control(arg, now);
    orr__windows_halt(toys[0].w);
    return now + 777;
}

/* Nobody has an event; controls are due as long as something lasts, but not at
 * a stop, and one may halt the run. */
static void test_controls_without_events(void **state)
{
    struct orr_report why = {0};
    struct toy *t = &toys[0];
    int64_t end;

    toy_start(t, 1, 0);
    assert_int_equal(orr__windows_control(t->w, 5, toy_control, t, &why),
                     ORR_OK);
    t->lasts = 5 + 2 * 777 - 1;
    assert_int_equal(orr__windows_run(t->w, ORR_NEVER, NULL, NULL, &end, &why),
                     ORR_OK);
    assert_int_equal(t->n_controls, 2);
    t->lasts += 10 * 777;
    assert_int_equal(
        orr__windows_run(t->w, 5 + 4 * 777, NULL, NULL, &end, &why), ORR_OK);
    assert_int_equal(t->n_controls, 4);
    assert_int_equal(end, 5 + 4 * 777);
    assert_int_equal(
        orr__windows_control(t->w, end + 1, halting_control, t, &why), ORR_OK);
    assert_int_equal(orr__windows_run(t->w, ORR_NEVER, NULL, NULL, &end, &why),
                     ORR_OK);
    assert_int_equal(t->n_controls, 6);
    assert_int_equal(end, 5 + 4 * 777 + 1);
    orr__windows_free(t->w);
}

/* Nothing at or after `stop` happens; a run may be taken up again. */
static void test_stop_and_go_on(void **state)
{
    struct orr_report why = {0};
    int64_t end;

    toy_start(&toys[0], 1, 60);
    assert_int_equal(
        orr__windows_run(toys[0].w, ORR_NEVER, NULL, NULL, &end, &why), ORR_OK);
    toy_start(&toys[1], 2, 60);
    for (int64_t stop = 4321; !orr__windows_quiet(toys[1].w); stop += 54321) {
        assert_int_equal(
            orr__windows_run(toys[1].w, stop, NULL, NULL, &end, &why), ORR_OK);
        assert_true(end <= stop || orr__windows_quiet(toys[1].w));
        for (uint32_t p = 0; p < PROCESSES; p++)
            for (uint32_t i = 0; i < toys[1].n_in[p]; i++)
                assert_true(toys[1].inbox[p][i].at >= stop);
    }
    assert_memory_equal(toys[0].digest, toys[1].digest, sizeof toys[0].digest);
    orr__windows_free(toys[0].w);
    orr__windows_free(toys[1].w);
}

static int64_t failing_control(void *arg, int64_t now)
{
    orr__windows_fail(arg, ORR_ENOMEM);
    orr__windows_fail(arg, ORR_ERUN); /* the first one is told */
    return ORR_NEVER;
}

static void test_failure_ends_the_run(void **state)
{
    for (unsigned workers = 1; workers <= 3; workers++) {
        struct orr_report why = {0};
        int64_t end;

        toy_start(&toys[0], workers, 100);
        assert_int_equal(orr__windows_control(toys[0].w, 30000, failing_control,
                                              toys[0].w, &why),
                         ORR_OK);
        assert_int_equal(
            orr__windows_run(toys[0].w, ORR_NEVER, NULL, NULL, &end, &why),
            ORR_ENOMEM);
        assert_int_equal(end, 30000);
        assert_false(orr__windows_quiet(toys[0].w));
        orr__windows_free(toys[0].w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_workers_agree),
        cmocka_unit_test(test_controls),
        cmocka_unit_test(test_controls_without_events),
        cmocka_unit_test(test_stop_and_go_on),
        cmocka_unit_test(test_failure_ends_the_run),
    };

    return cmocka_run_group_tests_name("core/window", tests, NULL, NULL);
}
