#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "core/memory.h"
#include "record/record_read.h"

static char folder[64], file[80];

static int setup(void **state)
{
    strcpy(folder, "/tmp/orrery-reader-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(file, sizeof file, "%s/a.h5", folder);
    return 0;
}

static int teardown(void **state)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

/* Two scales, a table over them, texts and attributes. */
static void write_file(void)
{
    static const struct orr_record_column row = {"row", ORR_RECORD_U32, "1",
                                                 "row", NULL};
    static const struct orr_record_column who = {"who", ORR_RECORD_TEXT, "1",
                                                 "who", NULL};
    static const struct orr_record_column cell = {"cell", ORR_RECORD_F64, "s",
                                                  "cell", NULL};
    static const uint32_t number[] = {10, 20, 30};
    static const char *const name[] = {"ann", ""};
    static const double value[] = {1, 2, 3, 4.5, 5, 6};
    struct orr_report why = {.code = ORR_OK};
    struct orr_record *r;
    int scale[2];

    assert_int_equal(orr__record_open(file, &r, &why), ORR_OK);
    int group = orr__record_group(r, "part");
    orr__record_text(r, group, "kind", "a test");
    orr__record_number(r, ORR_RECORD_ROOT, "seed", 7);
    scale[0] = orr__record_scale(r, group, &row, 16);
    scale[1] = orr__record_scale(r, group, &who, 16);
    orr__record_write(r, scale[0], 0, 3, number);
    orr__record_write(r, scale[1], 0, 2, name);
    orr__record_array(r, group, &cell, scale, 2, value);
    orr__record_note(r, group, "note", "a note", "two\nlines");
    char *target = orr__format("%s", file);
    assert_int_equal(orr__record_close(r, target, &why), ORR_OK);
    orr__free(target);
}

static void test_all(void **state)
{
    struct orr_report why = {.code = ORR_OK};
    struct orr_reader *r;
    uint64_t n, seed, size[ORR_RECORD_SIDES];
    char **text, *kind;
    double *x, last[2];
    void *column;

    write_file();
    assert_int_equal(orr__reader_open(file, &r, &why), ORR_OK);
    assert_true(orr__reader_has(r, "part/cell"));
    assert_false(orr__reader_has(r, "part/none"));
    assert_false(orr__reader_has(r, "none/cell"));
    assert_true(orr__reader_number(r, "/", "seed", &seed));
    assert_int_equal(seed, 7);
    assert_false(orr__reader_number(r, "part", "kind", &seed));
    assert_int_equal(orr__reader_text(r, "part", "kind", &kind, &why), ORR_OK);
    assert_string_equal(kind, "a test");
    orr__free(kind);
    assert_int_equal(orr__reader_text(r, "part", "none", &kind, &why), ORR_OK);
    assert_null(kind);
    assert_int_equal(orr__reader_shape(r, "part/cell", size), 2);
    assert_int_equal(size[0], 3);
    assert_int_equal(size[1], 2);
    assert_int_equal(orr__reader_shape(r, "part", size), 0);
    assert_int_equal(
        orr__reader_column(r, "part/cell", ORR_RECORD_F64, &column, &n, &why),
        ORR_OK);
    x = column;
    assert_int_equal(n, 6);
    assert_true(x[3] == 4.5);
    orr__free(x);
    assert_int_equal(
        orr__reader_rows(r, "part/cell", ORR_RECORD_F64, 2, 1, last, &why),
        ORR_OK);
    assert_true(last[0] == 5 && last[1] == 6);
    assert_int_equal(orr__reader_texts(r, "part/who", &text, &n, &why), ORR_OK);
    assert_int_equal(n, 2);
    assert_string_equal(text[0], "ann");
    assert_string_equal(text[1], "");
    orr__reader_free_texts(text, n);
    assert_int_equal(orr__reader_texts(r, "part/note", &text, &n, &why),
                     ORR_OK);
    assert_int_equal(n, 1);
    assert_string_equal(text[0], "two\nlines");
    orr__reader_free_texts(text, n);
    assert_true(orr__reader_is_text(r, "part/who"));
    assert_false(orr__reader_is_text(r, "part/row"));
    assert_int_equal(orr__reader_scale(r, "part/cell", 1, &kind, &why), ORR_OK);
    assert_string_equal(kind, "part/who");
    orr__free(kind);
    assert_int_equal(orr__reader_names(r, "part", &text, &n, &why), ORR_OK);
    assert_int_equal(n, 4);
    assert_string_equal(text[0], "row"); /* as they were written */
    orr__reader_free_texts(text, n);
    orr__reader_close(r);
}

static void refuses(orr_err err, const struct orr_report *why, const char *end)
{
    size_t n = strlen(why->message), m = strlen(end);
    assert_int_equal(err, ORR_ECONFIG);
    assert_true(n >= m);
    assert_string_equal(why->message + n - m, end);
}

static void test_what_is_not_there(void **state)
{
    struct orr_report why = {.code = ORR_OK};
    struct orr_reader *r;
    char **text;
    void *x;
    uint64_t n;
    double cell[2];

    write_file();
    assert_int_equal(orr__reader_open(file, &r, &why), ORR_OK);
    refuses(orr__reader_column(r, "part/none", ORR_RECORD_F64, &x, &n, &why),
            &why,
            ": part/none cannot be read: the file is damaged, or of "
            "another version");
    why = (struct orr_report){.code = ORR_OK};
    refuses(orr__reader_column(r, "part/who", ORR_RECORD_F64, &x, &n, &why),
            &why,
            ": part/who cannot be read: the file is damaged, or of "
            "another version");
    why = (struct orr_report){.code = ORR_OK};
    refuses(orr__reader_texts(r, "part/row", &text, &n, &why), &why,
            ": part/row cannot be read: the file is damaged, or of another "
            "version");
    why = (struct orr_report){.code = ORR_OK};
    refuses(orr__reader_rows(r, "part/cell", ORR_RECORD_F64, 3, 1, cell, &why),
            &why,
            ": part/cell cannot be read: the file is damaged, or of "
            "another version");
    orr__reader_close(r);
}

/* A file that does not say its format, of `source`. */
static void write_silent(const char *source)
{
    struct orr_report why = {.code = ORR_OK};
    struct orr_record *w;
    assert_int_equal(orr__record_open(file, &w, &why), ORR_OK);
    orr__record_text(w, ORR_RECORD_ROOT, "source", source);
    assert_int_equal(orr__record_close(w, file, &why), ORR_OK);
    hid_t h = H5Fopen(file, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(h >= 0);
    if (H5Aexists(h, "orrery_format") > 0)
        assert_true(H5Adelete(h, "orrery_format") >= 0);
    H5Fclose(h);
}

/* A file of orrery in another format is refused; one that says it is somebody
 * else's is not, for that. */
static void test_another_format(void **state)
{
    struct orr_report why = {.code = ORR_OK};
    struct orr_reader *r;
    struct orr_record *w;
    char *target = orr__format("%s", file);
    char expected[512];

    assert_int_equal(orr__record_open(file, &w, &why), ORR_OK);
    orr__record_text(w, ORR_RECORD_ROOT, "source", "orrery 7.8.9");
    orr__record_number(w, ORR_RECORD_ROOT, "orrery_format", 77);
    assert_int_equal(orr__record_close(w, target, &why), ORR_OK);
    assert_int_equal(orr__reader_open(file, &r, &why), ORR_ECONFIG);
    snprintf(expected, sizeof expected,
             "%s is of orrery 7.8.9, in format 77; "
             "this is orrery %s, which reads format %d",
             file, orr_version(), ORR_RECORD_FORMAT);
    assert_string_equal(why.message, expected);
    assert_string_equal(why.hint, "run it again with this version");

    /* of before files said it */
    static const char *const fine[] = {"somebody else", "orrery 0.2.0"};
    why = (struct orr_report){.code = ORR_OK};
    write_silent("orrery 0.1.0");
    assert_int_equal(orr__reader_open(file, &r, &why), ORR_ECONFIG);
    assert_non_null(strstr(why.message, " is of orrery 0.1.0, in format 1; "));
    for (int i = 0; i < 2; i++) {
        write_silent(fine[i]);
        assert_int_equal(orr__reader_open(file, &r, &why), ORR_OK);
        orr__reader_close(r);
    }
    orr__free(target);
}

/* Cut at any length a file is refused, or is read as far as it goes. */
static void test_truncated(void **state)
{
    char bytes[100000];
    write_file();
    FILE *f = fopen(file, "rb");
    size_t n = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    for (size_t size = 0; size < n; size += 61) {
        struct orr_report why = {.code = ORR_OK};
        struct orr_reader *r;
        f = fopen(file, "wb");
        assert_int_equal(fwrite(bytes, 1, size, f), size);
        fclose(f);
        assert_int_equal(orr__reader_open(file, &r, &why), ORR_ECONFIG);
        assert_true(
            strstr(why.message, size < 8 ? " is no HDF5 file"
                                         : " cannot be opened: it is "
                                           "truncated, or still being written")
            || strstr(why.message, " is no HDF5 file"));
    }
}

static void test_no_file(void **state)
{
    struct orr_report why = {.code = ORR_OK};
    struct orr_reader *r;
    refuses(orr__reader_open("/nowhere/a.h5", &r, &why), &why,
            "/nowhere/a.h5: No such file or directory");
    orr__reader_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_all, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_is_not_there, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_another_format, setup, teardown),
        cmocka_unit_test_setup_teardown(test_truncated, setup, teardown),
        cmocka_unit_test(test_no_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
