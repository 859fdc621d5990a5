#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <gsl/gsl_errno.h>
#include <gsl/gsl_sf_gamma.h>
#include <hdf5.h>
#include <pthread.h>
#include <string.h>
#include <cmocka.h>

#include "core/libraries.h"

/* HDF5 1.10 loses a buffer of its own when a file cannot be closed. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libhdf5";
}

static void gsl_returns_its_errors(void **state)
{
    gsl_sf_result r;
    orr__libraries_init();
    int status = gsl_sf_gamma_e(-1, &r); /* would abort */
    assert_int_equal(status, GSL_EDOM);
}

static void hdf5_says_what_the_system_said(void **state)
{
    struct orr_report why = {.code = ORR_OK};
    orr__libraries_init_hdf5();
    assert_true(
        H5Fcreate("/nowhere/at/all.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)
        < 0);
    assert_int_equal(orr__libraries_hdf5(&why, "creating all.h5"), ORR_EIO);
    assert_string_equal(why.message,
                        "creating all.h5: No such file or directory");
}

static void a_full_disk_is_named(void **state)
{
    struct orr_report why = {.code = ORR_OK};
    orr__libraries_init_hdf5();
    hid_t file =
        H5Fcreate("/dev/full", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    if (file >= 0)
        assert_true(H5Fclose(file) < 0);
    assert_int_equal(orr__libraries_hdf5(&why, "writing"), ORR_EIO);
    assert_string_equal(why.message, "writing: No space left on device");
}

static void other_failures_are_hdf5s(void **state)
{
    struct orr_report why = {.code = ORR_OK};
    orr__libraries_init_hdf5();
    assert_true(H5Dclose(12345) < 0);
    assert_int_equal(orr__libraries_hdf5(&why, "closing"), ORR_EINTERNAL);
    assert_string_equal(why.message, "closing: HDF5: not a dataset ID");
    why = (struct orr_report){.code = ORR_OK};
    assert_int_equal(orr__libraries_hdf5(&why, "closing"), ORR_ENOMEM);
    assert_string_equal(why.message, "closing: out of memory");
}

static void *init_twice(void *arg)
{
    H5E_auto2_t handler = NULL;
    void *data;
    orr__libraries_init_hdf5();
    orr__libraries_init_hdf5();
    H5Eget_auto2(H5E_DEFAULT, &handler, &data);
    *(int *)arg = handler == NULL;
    return NULL;
}

static void every_thread_may_call_it(void **state)
{
    enum { N = 4 };
    pthread_t t[N];
    int silent[N] = {0};
    for (int i = 0; i < N; i++)
        assert_int_equal(pthread_create(&t[i], NULL, init_twice, &silent[i]),
                         0);
    for (int i = 0; i < N; i++) {
        pthread_join(t[i], NULL);
        assert_true(silent[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gsl_returns_its_errors),
        cmocka_unit_test(hdf5_says_what_the_system_said),
        cmocka_unit_test(a_full_disk_is_named),
        cmocka_unit_test(other_failures_are_hdf5s),
        cmocka_unit_test(every_thread_may_call_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
