/* Profiles: read, refused at the place of what is wrong, written back. */
#include "tests/workload/small_workload.h"

#include "core/units.h"
#include "workload/schedule/profile.h"

#define HEAD "profile:\n  job: a\n  iteration: 255ms\n"
#define LINKS                                                                  \
    "  links:\n"                                                               \
    "    - {from: 'switch 4', to: 1, phases: [{at: 0s, for: 1ms, rate: "       \
    "1Gbps}]}\n"                                                               \
    "    - {from: 0, to: 'switch 4', phases: [{at: 141ms, for: 100ms, rate: "  \
    "8Gbps}, {at: 241ms, for: 14ms, rate: 500Mbps}]}\n"

static orr_err try_profile(struct orr_world *w, const char *text,
                           struct orr_profile *p, struct orr_report *why)
{
    char yaml[4096];
    snprintf(yaml, sizeof yaml, SWITCH "%s", text);
    world_open(w, yaml);
    *why = (struct orr_report){.code = ORR_OK};
    return orr__profile_read(w->config, world_node(w, "profile"), w->graph,
                             NULL, p, why);
}

static void is_read(void **state)
{
    struct orr_world w;
    struct orr_profile p;
    struct orr_report why;
    assert_int_equal(try_profile(&w, HEAD "  compute: 141ms\n" LINKS, &p, &why),
                     ORR_OK);
    assert_string_equal(p.job, "a");
    assert_true(p.iteration_ps == 255 * ORR_MS);
    assert_true(p.compute_ps == 141 * ORR_MS);
    assert_int_equal(p.n, 2);
    uint32_t up = p.link[0].link, down = p.link[1].link;
    assert_true(up < down); /* in order of id, whatever the file's */
    assert_int_equal(w.graph->from[up], 0);
    assert_int_equal(w.graph->to[down], 1);
    const struct orr_link_demand *d = orr__profile_link(&p, up);
    assert_ptr_equal(d, &p.link[0]);
    assert_int_equal(d->n, 2);
    assert_true(d->phase[1].at_ps == 241 * ORR_MS);
    assert_int_equal(orr__demand_bytes(d), 100000000 + 875000);
    assert_null(orr__profile_link(&p, down + 1));
    orr__profile_fini(&p);
    world_close(&w);
}

static void is_written_and_read_back(void **state)
{
    struct orr_world w, again;
    struct orr_profile p, q;
    struct orr_report why;
    char yaml[4096] = "profile: ";
    assert_int_equal(try_profile(&w, HEAD LINKS, &p, &why), ORR_OK);
    char *text = orr__profile_text(&p, w.graph);
    char *path = strdup("/tmp/orrery-test-XXXXXX");
    int fd = mkstemp(path);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    strcat(yaml, path);
    assert_int_equal(try_profile(&again, yaml, &q, &why), ORR_OK);
    char *twice = orr__profile_text(&q, again.graph);
    assert_string_equal(text, twice);
    assert_true(q.compute_ps == -1);
    unlink(path);
    free(path);
    orr__free(text);
    orr__free(twice);
    orr__profile_fini(&p);
    orr__profile_fini(&q);
    world_close(&w);
    world_close(&again);
}

static void is_refused(const char *text, int line, const char *message)
{
    struct orr_world w;
    struct orr_profile p;
    struct orr_report why;
    assert_int_equal(try_profile(&w, text, &p, &why), ORR_ECONFIG);
    assert_string_equal(why.message, message);
    assert_int_equal(why.line, line);
    world_close(&w);
}

static void what_is_wrong_is_told_at_its_place(void **state)
{
#define ONE(from, to, phases)                                                  \
    HEAD "  links: [{from: " from ", to: " to ", phases: " phases "}]\n"
#define PHASE "[{at: 0s, for: 1ms, rate: 1Gbps}]"
    is_refused("profile: [1]\n", 2,
               "a profile is a map: {job, iteration, links}");
    is_refused("profile: {iteration: 0s, links: []}\n", 2,
               "profile.iteration: 0s is below the smallest allowed, 1ps");
    is_refused("profile: {iteration: 1s, compute: 2s, links: []}\n", 2,
               "compute: this is more than the iteration");
    is_refused(ONE("spine7", "1", PHASE), 5,
               "from: there is no node \"spine7\" in this topology");
    is_refused(ONE("0", "1", PHASE), 5,
               "there is no link from 0 to 1 in this topology");
    is_refused(ONE("0", "4, parallel: 1", PHASE), 5,
               "there are fewer links from 0 to 4 in this topology");
    is_refused(ONE("0", "4", "7"), 5,
               "phases: a list of {at, for, rate} is expected");
    is_refused(ONE("0", "4", "[{at: 250ms, for: 6ms, rate: 1Gbps}]"), 5,
               "for: the phase ends after the iteration, which takes 255ms");
    is_refused(ONE("0", "4",
                   "[{at: 2ms, for: 6ms, rate: 1Gbps}, "
                   "{at: 7ms, for: 1ms, rate: 1Gbps}]"),
               5, "at: the phase before it is not over yet");
    is_refused(HEAD "  links: [{from: 0, to: 4, phases: []}, "
                    "{from: host 0, to: switch 4, phases: []}]\n",
               5, "links: the link from host 0 to switch 4 is listed twice");
    is_refused("profile: /nonesuch/p.yaml\n", 2,
               "cannot read /nonesuch/p.yaml: No such file or directory");
}

static void memory_may_run_out(void **state)
{
    struct orr_world w;
    struct orr_profile p;
    struct orr_report why;
    assert_int_equal(try_profile(&w, HEAD LINKS, &p, &why), ORR_OK);
    orr__profile_fini(&p);
    orr_err err = ORR_ENOMEM;
    for (uint64_t n = 1; err; n++) {
        why = (struct orr_report){.code = ORR_OK};
        orr__memory_fail_after(n, 0);
        err = orr__profile_read(w.config, world_node(&w, "profile"), w.graph,
                                NULL, &p, &why);
        orr__memory_fail_after(0, 0);
        assert_true(!err || err == ORR_ENOMEM);
        assert_true(n < 1000);
    }
    orr__profile_fini(&p);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_read),
        cmocka_unit_test(is_written_and_read_back),
        cmocka_unit_test(what_is_wrong_is_told_at_its_place),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
