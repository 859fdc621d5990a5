/* What a job asks of links, measured; and every allocation that fails on the
 * way. */
#include "core/units.h"
#include "study/profile/profile.h"
#include "tests/workload/small_workload.h"

/* 1 MB after 100 us: over 8 Gbps the last byte leaves 1 ms later. */
static const char text[] =
    SWITCH "jobs:\n"
           "  - {name: a, ranks: 2, iterations: 3, program:"
           " [{compute: 100us}, {send: {to: 1, size: 1MB}, ranks: [0]},"
           " {recv: {from: 0}, ranks: [1]}]}\n";

static orr_err measure(struct orr_measured *out, struct orr_report *why)
{
    char path[] = "/tmp/orrery-test-XXXXXX.yaml";
    int fd = mkstemps(path, 5);
    const struct orr_options o = {.no_output = true, .threads = 1};
    const struct orr_profile_request m = {
        .config = path, .job = "a", .iterations = 2, .bins = 20};
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, sizeof text - 1), sizeof text - 1);
    close(fd);
    orr_err err = orr__measure(&m, &o, out, why);
    unlink(path);
    return err;
}

static void test_demand(void **state)
{
    struct orr_measured m;
    struct orr_report why = {0};
    assert_int_equal(measure(&m, &why), ORR_OK);
    assert_string_equal(m.profile.job, "a");
    assert_int_equal(m.profile.iteration_ps, 1100 * ORR_US);
    assert_int_equal(m.profile.compute_ps, 100 * ORR_US);
    /* into the switch and out of it; acknowledgements are left out */
    assert_int_equal(m.profile.n, 2);
    for (uint32_t i = 0; i < 2; i++) {
        uint64_t bytes = orr__demand_bytes(&m.profile.link[i]);
        assert_in_range(bytes, 999999, 1030000);
    }
    orr__measured_fini(&m);
}

/* The second run could end what had not begun. */
static void test_no_memory(void **state)
{
    orr_err err = ORR_ENOMEM;
    uint64_t n = 1, failed = 0;
    /* some failures do no harm: the end is where nothing fails any more */
    for (int fine = 0; fine < 20; n += 3) {
        struct orr_measured m;
        struct orr_report why = {0};
        orr__memory_fail_after(n, 0);
        err = measure(&m, &why);
        orr__memory_fail_after(0, 0);
        if (err && err != ORR_ENOMEM)
            fail_msg("allocation %u: %s", (unsigned)n, why.message);
        failed += err != ORR_OK;
        fine = err ? 0 : fine + 1;
        orr__measured_fini(&m);
    }
    assert_true(failed > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_demand),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
