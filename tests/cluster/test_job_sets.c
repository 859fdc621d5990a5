/* Who is in a set with whom, and which sets are the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cluster/job_sets.h"
#include "core/none.h"
#include "workload/world.h"

enum { LINKS = 8, JOBS = 4 };

static uint64_t rate[LINKS];
static int64_t delay[LINKS];
static struct orr_graph graph = {
    .links = LINKS, .rate_bps = rate, .delay_ps = delay};
static struct orr_world world = {.graph = &graph};
static struct orr_cluster_job job[JOBS];
static struct orr_cluster cluster = {.world = &world, .job = job};

static struct orr_phase phase[JOBS][LINKS];
static struct orr_link_demand demand[JOBS][LINKS];
static struct orr_facts facts[JOBS];
static struct orr_member member[JOBS];

/* A job that asks `share` of each of these links. */
static void asks(uint32_t j, uint32_t n, const uint32_t *link, double share)
{
    for (uint32_t i = 0; i < n; i++) {
        phase[j][i] = (struct orr_phase){0, 1000, (uint64_t)(share * 100e9)};
        demand[j][i] = (struct orr_link_demand){link[i], 1, &phase[j][i]};
    }
    facts[j] = (struct orr_facts){
        .profile = {.iteration_ps = 2000, .n = n, .link = demand[j]}};
    member[j] = (struct orr_member){.job = j, .facts = &facts[j]};
}

static int begin(void **state)
{
    for (uint32_t l = 0; l < LINKS; l++) {
        rate[l] = UINT64_C(100000000000);
        delay[l] = 1000;
    }
    for (uint32_t j = 0; j < JOBS; j++)
        job[j] = (struct orr_cluster_job){.index = j, .is = {.gpus = 2}};
    return 0;
}

static uint32_t part(uint32_t n, bool choosing)
{
    uint32_t sets = 0;
    assert_int_equal(
        orr__job_sets_split(&graph, member, n, choosing, &sets, NULL), ORR_OK);
    return sets;
}

static void those_that_share_a_link(void **state)
{
    asks(0, 2, (const uint32_t[]){0, 1}, 0.9);
    asks(1, 1, (const uint32_t[]){2}, 0.9);
    asks(2, 2, (const uint32_t[]){1, 3}, 0.9);
    asks(3, 1, (const uint32_t[]){3}, 0.9);
    assert_int_equal(part(4, false), 2);
    assert_int_equal(member[0].set, 0);
    assert_int_equal(member[1].set, 1);
    assert_int_equal(member[2].set, 0);
    assert_int_equal(member[3].set, 0); /* by way of job 2 */
    assert_int_equal(member[0].rival, 2);
    assert_int_equal(member[0].link, 1);
    assert_int_equal(member[1].rival, UINT32_MAX);
    assert_int_equal(member[3].rival, 2);
    assert_int_equal(member[3].link, 3);
}

/* Roots that come late: sets are numbered by their first members. */
static void sets_that_are_joined_late(void **state)
{
    asks(0, 1, (const uint32_t[]){0}, 0.9);
    asks(1, 1, (const uint32_t[]){1}, 0.9);
    asks(2, 1, (const uint32_t[]){2}, 0.9);
    asks(3, 2, (const uint32_t[]){1, 2}, 0.9);
    assert_int_equal(part(4, false), 2);
    assert_int_equal(member[0].set, 0);
    for (uint32_t i = 1; i < 4; i++)
        assert_int_equal(member[i].set, 1);
}

static void faint_demands_meet_nobody(void **state)
{
    asks(0, 1, (const uint32_t[]){0}, 0.02);
    asks(1, 1, (const uint32_t[]){0}, 0.9);
    assert_int_equal(part(2, false), 2);
}

/* Who asks for little, in a lower class than one that asks for much, waits
 * behind it with all that it sends; in the same class, or a higher one, it does
 * not. */
static void lower_classes_wait_behind_others(void **state)
{
    static const struct {
        uint32_t low, other;
        double share; /* of link 1, which the low one asks for little of */
        uint32_t sets;
    } row[] = {
        {1, 5, 0.9, 1},  {5, 5, 0.9, 2}, {9, 5, 0.9, 2},
        {1, 5, 0.02, 2}, {0, 1, 0.9, 1},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        asks(0, 1, (const uint32_t[]){1}, 0.02);
        asks(1, 2, (const uint32_t[]){0, 1}, row[i].share);
        member[0].class = row[i].low;
        member[1].class = row[i].other;
        assert_int_equal(part(2, false), row[i].sets);
    }
    /* of those that ask for much the highest class is what counts */
    asks(0, 1, (const uint32_t[]){2}, 0.9);
    asks(1, 1, (const uint32_t[]){2}, 0.9);
    asks(2, 2, (const uint32_t[]){0, 2}, 0.02);
    member[0].class = 7;
    member[1].class = 2;
    member[2].class = 4;
    assert_int_equal(part(3, false), 1);
    member[0].class = 4;
    assert_int_equal(part(3, false), 2);
}

static void those_that_choose_and_those_unknown(void **state)
{
    for (uint32_t j = 0; j < JOBS; j++)
        asks(j, 1, (const uint32_t[]){j}, 0.9);
    facts[0].chooses = facts[2].chooses = true;
    assert_int_equal(part(4, false), 4);
    assert_int_equal(part(4, true), 3);
    assert_int_equal(member[0].set, member[2].set);
    facts[3].unknown = true;
    assert_int_equal(part(4, false), 1);
}

static uint64_t key_of(uint32_t n, uint64_t salt)
{
    const struct orr_member *list[JOBS];
    uint64_t key = 0;
    for (uint32_t i = 0; i < n; i++)
        list[i] = &member[i];
    assert_int_equal(
        orr__job_sets_key(&cluster, list, n, false, salt, &key, NULL), ORR_OK);
    return key;
}

/* Two pairs: the first over two links, the second over one. */
static void paths(uint32_t j, uint32_t *room, uint32_t a, uint32_t b,
                  uint32_t c)
{
    const uint32_t links[] = {a, b, ORR_NONE, c, ORR_NONE};
    for (uint32_t i = 0; i < 5; i++)
        room[i] = links[i];
    facts[j] = (struct orr_facts){.paths = {room, 5}};
    member[j] = (struct orr_member){.job = j, .facts = &facts[j]};
}

/* Who goes before whom, not by how many classes. */
static void classes_count_as_they_compare(void **state)
{
    uint32_t room[3][5];
    for (uint32_t j = 0; j < 3; j++)
        paths(j, room[j], j, 3, 4);
    uint64_t equal = key_of(3, 1);
    for (uint32_t j = 0; j < 3; j++)
        member[j].class = 5;
    assert_true(key_of(3, 1) == equal);
    member[1].class = 7;
    uint64_t one = key_of(3, 1);
    assert_true(one != equal);
    member[1].class = 6;
    assert_true(key_of(3, 1) == one);
    member[0].class = 0;
    assert_true(key_of(3, 1) != one);
}

static void names_of_links_do_not_count(void **state)
{
    uint32_t room[2][5];
    paths(0, room[0], 0, 1, 2);
    paths(1, room[1], 2, 3, 0);
    uint64_t one = key_of(2, 1);
    paths(0, room[0], 4, 7, 5);
    paths(1, room[1], 5, 6, 4);
    assert_true(key_of(2, 1) == one);
    assert_true(key_of(2, 2) != one);
    assert_true(key_of(1, 1) != one);
    /* another of the links is shared */
    paths(1, room[1], 5, 6, 7);
    assert_true(key_of(2, 1) != one);
    /* a link is of another rate, or longer */
    paths(1, room[1], 5, 6, 4);
    rate[6] /= 2;
    assert_true(key_of(2, 1) != one);
    rate[6] *= 2;
    delay[6]++;
    assert_true(key_of(2, 1) != one);
    delay[6]--;
    assert_true(key_of(2, 1) == one);
    /* a job of another kind, size or phase */
    job[1].is.template = 1;
    assert_true(key_of(2, 1) != one);
    job[1].is.template = 0;
    job[1].is.gpus = 3;
    assert_true(key_of(2, 1) != one);
    job[1].is.gpus = 2;
    member[1].phase = 1;
    assert_true(key_of(2, 1) != one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(those_that_share_a_link, begin),
        cmocka_unit_test_setup(sets_that_are_joined_late, begin),
        cmocka_unit_test_setup(faint_demands_meet_nobody, begin),
        cmocka_unit_test_setup(lower_classes_wait_behind_others, begin),
        cmocka_unit_test_setup(those_that_choose_and_those_unknown, begin),
        cmocka_unit_test_setup(names_of_links_do_not_count, begin),
        cmocka_unit_test_setup(classes_count_as_they_compare, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
