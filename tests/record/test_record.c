#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <hdf5_hl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "core/memory.h"
#include "record/record.h"

static char folder[64];

static int setup(void **state)
{
    strcpy(folder, "/tmp/orrery-record-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **state)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

/* A path in the folder of this test; good for a few calls. */
static const char *in_folder(const char *name)
{
    static char path[4][128];
    static unsigned next;
    char *p = path[next++ % 4];
    snprintf(p, sizeof path[0], "%s/%s", folder, name);
    return p;
}

static bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

enum { TILE = 4 };

struct table {
    struct orr_record *r;
    int time, link, bytes, kind;
};

static const struct orr_record_column time_column = {
    "time", ORR_RECORD_I64, "ps", "start of the bin", NULL};
static const struct orr_record_column link_column = {"link", ORR_RECORD_U32,
                                                     "1", "link id", NULL};
static const struct orr_record_column kind_column = {
    "kind", ORR_RECORD_U8, "1", "what it ends at", "host switch"};
static const struct orr_record_column bytes_column = {
    "bytes", ORR_RECORD_U64, "B", "wire bytes sent", NULL};

static void open_table(struct table *t, const char *name)
{
    struct orr_report why = {.code = ORR_OK};
    assert_int_equal(orr__record_open(name, &t->r, &why), ORR_OK);
    orr__record_text(t->r, ORR_RECORD_ROOT, "Conventions", "CF-1.10");
    orr__record_number(t->r, ORR_RECORD_ROOT, "seed", UINT64_MAX);
    int group = orr__record_group(t->r, "links");
    t->time = orr__record_scale(t->r, group, &time_column, TILE);
    t->link = orr__record_scale(t->r, group, &link_column, TILE);
    t->kind = orr__record_column(t->r, group, &kind_column, t->link);
    t->bytes = orr__record_matrix(t->r, group, &bytes_column, t->time, t->link);
    orr__record_note(t->r, group, "remark", "a remark", "two\nlines");
    uint32_t link[5] = {7, 3, 9, 11, 2};
    uint8_t kind[5] = {0, 1, 1, 0, 1};
    orr__record_write(t->r, t->link, 0, 5, link);
    orr__record_write(t->r, t->kind, 0, 5, kind);
    assert_false(orr__record_failed(t->r));
}

static uint64_t cell(uint64_t row, uint64_t col)
{
    return 1000 * (row + 1) + col;
}

/* Rows up to `rows`, the last tiles of them not final unless they are full. */
static void write_rows(struct table *t, uint64_t rows)
{
    uint64_t first = (rows - 1) / TILE;
    for (uint64_t row = first * TILE; row < rows; row++) {
        int64_t at = (int64_t)row * 500;
        orr__record_write(t->r, t->time, row, 1, &at);
    }
    orr__record_extend(t->r, t->bytes, rows, 5);
    for (uint64_t col = 0; col < 2; col++) {
        uint64_t tile[TILE * TILE] = {0};
        for (uint64_t i = 0; i < TILE * TILE; i++)
            if (first * TILE + i / TILE < rows)
                tile[i] = cell(first * TILE + i / TILE, col * TILE + i % TILE);
        orr__record_tile(t->r, t->bytes, first, col, tile, rows % TILE == 0);
    }
}

/* Number of rows of the file's links/time; checks all cells of them. */
static uint64_t check_rows(const char *name)
{
    hid_t f = H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(f >= 0);
    hid_t time = H5Dopen2(f, "links/time", H5P_DEFAULT);
    hid_t bytes = H5Dopen2(f, "links/bytes", H5P_DEFAULT);
    hid_t space = H5Dget_space(bytes), time_space = H5Dget_space(time);
    hsize_t n[2], times;
    H5Sget_simple_extent_dims(space, n, NULL);
    H5Sget_simple_extent_dims(time_space, &times, NULL);
    assert_int_equal(n[0], times);
    if (n[0]) {
        uint64_t *v = test_malloc(n[0] * n[1] * sizeof *v);
        assert_int_equal(n[1], 5);
        assert_true(
            H5Dread(bytes, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, v)
            >= 0);
        for (uint64_t i = 0; i < n[0] * 5; i++)
            assert_int_equal(v[i], cell(i / 5, i % 5));
        test_free(v);
    }
    H5Sclose(space);
    H5Sclose(time_space);
    H5Dclose(time);
    H5Dclose(bytes);
    H5Fclose(f);
    return n[0];
}

static void rows_read_back(void **state)
{
    struct table t;
    struct orr_report why = {.code = ORR_OK};
    open_table(&t, in_folder("a.h5.partial"));
    for (uint64_t rows = 1; rows <= 11; rows++)
        write_rows(&t, rows);
    assert_false(exists(in_folder("a.h5")));
    assert_int_equal(orr__record_close(t.r, in_folder("a.h5"), &why), ORR_OK);
    assert_false(exists(in_folder("a.h5.partial")));
    assert_int_equal(check_rows(in_folder("a.h5")), 11);
}

static void full_tiles_are_compressed(void **state)
{
    struct table t;
    struct orr_report why = {.code = ORR_OK};
    open_table(&t, in_folder("a.h5.partial"));
    for (uint64_t rows = TILE; rows <= 2 * TILE; rows += TILE)
        write_rows(&t, rows);
    write_rows(&t, 2 * TILE + 1); /* stored as it is ... */
    write_rows(&t, 3 * TILE);     /* ... and stays so */
    assert_int_equal(orr__record_close(t.r, in_folder("a.h5"), &why), ORR_OK);
    hid_t f = H5Fopen(in_folder("a.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t d = H5Dopen2(f, "links/bytes", H5P_DEFAULT);
    for (unsigned row = 0; row < 3; row++) {
        hsize_t at[2] = {row * TILE, 0}, size;
        unsigned mask;
        haddr_t where;
        H5Dget_chunk_info_by_coord(d, at, &mask, &where, &size);
        assert_int_equal(mask, row < 2 ? 0 : 3);
        assert_true(where != HADDR_UNDEF);
    }
    H5Dclose(d);
    H5Fclose(f);
    check_rows(in_folder("a.h5"));
}

static herr_t check_object(hid_t at, const char *name, const H5O_info_t *info,
                           void *arg)
{
    unsigned *datasets = arg;
    if (info->type != H5O_TYPE_DATASET)
        return 0;
    hid_t d = H5Dopen2(at, name, H5P_DEFAULT), space = H5Dget_space(d);
    assert_true(H5Aexists(d, "units") > 0);
    assert_true(H5Aexists(d, "long_name") > 0);
    for (int i = 0; i < H5Sget_simple_extent_ndims(space); i++)
        assert_true(H5DSis_scale(d) > 0
                    || H5DSget_num_scales(d, (unsigned)i) == 1);
    H5Sclose(space);
    H5Dclose(d);
    ++*datasets;
    return 0;
}

static void every_dataset_has_scales_and_units(void **state)
{
    struct table t;
    struct orr_report why = {.code = ORR_OK};
    unsigned datasets = 0;
    open_table(&t, in_folder("a.h5.partial"));
    write_rows(&t, 3);
    assert_int_equal(orr__record_close(t.r, in_folder("a.h5"), &why), ORR_OK);
    hid_t f = H5Fopen(in_folder("a.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
    H5Ovisit1(f, H5_INDEX_NAME, H5_ITER_INC, check_object, &datasets);
    assert_int_equal(datasets, 5);
    H5Fclose(f);
}

static void opens_as_netcdf(void **state)
{
    struct table t;
    struct orr_report why = {.code = ORR_OK};
    char command[200], text[8192];
    if (system("command -v ncdump >/dev/null") != 0)
        skip();
    open_table(&t, in_folder("a.h5.partial"));
    write_rows(&t, 3);
    assert_int_equal(orr__record_close(t.r, in_folder("a.h5"), &why), ORR_OK);
    snprintf(command, sizeof command, "ncdump %s 2>&1", in_folder("a.h5"));
    FILE *p = popen(command, "r");
    text[fread(text, 1, sizeof text - 1, p)] = '\0';
    assert_int_equal(pclose(p), 0);
    static const char *const wanted[] = {
        "time = UNLIMITED ; // (3 currently)",
        "link = UNLIMITED ; // (5 currently)",
        "uint64 bytes(time, link) ;",
        "bytes:units = \"B\" ;",
        "bytes:long_name = \"wire bytes sent\" ;",
        "int64 time(time) ;",
        "ubyte kind(link) ;",
        "kind:flag_values = 0UB, 1UB ;",
        "kind:flag_meanings = \"host switch\" ;",
        "string remark ;",
        ":Conventions = \"CF-1.10\" ;",
        ":seed = 18446744073709551615ULL ;",
        "{3000, 3001, 3002, 3003, 3004} ;",
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (strstr(text, wanted[i]) == NULL)
            fail_msg("no '%s' in:\n%s", wanted[i], text);
}

static void an_attribute_is_replaced(void **state)
{
    struct table t;
    struct orr_report why = {.code = ORR_OK};
    char text[32] = "";
    open_table(&t, in_folder("a.h5.partial"));
    orr__record_text(t.r, ORR_RECORD_ROOT, "status", "unfinished");
    assert_int_equal(orr__record_flush(t.r, &why), ORR_OK);
    orr__record_text(t.r, ORR_RECORD_ROOT, "status", "complete");
    orr__record_text(t.r, ORR_RECORD_ROOT, "empty", "");
    assert_int_equal(orr__record_close(t.r, in_folder("a.h5"), &why), ORR_OK);
    hid_t f = H5Fopen(in_folder("a.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(H5LTget_attribute_string(f, "/", "status", text) >= 0);
    assert_string_equal(text, "complete");
    H5Fclose(f);
}

/* Flushes `flushes` times, says how many rows are safe, and goes on writing
 * rows that are not. */
static void write_until_killed(const char *name, int flushes, int to)
{
    struct table t;
    struct orr_report why = {.code = ORR_OK};
    open_table(&t, name);
    for (uint64_t rows = 1; rows < 1000000; rows++) {
        write_rows(&t, rows);
        if (rows % 23 != 0 || rows / 23 > (uint64_t)flushes)
            continue;
        if (orr__record_flush(t.r, &why))
            _exit(1);
        if (rows / 23 == (uint64_t)flushes
            && write(to, &rows, sizeof rows) != sizeof rows)
            _exit(2);
    }
    _exit(0);
}

static void a_killed_process_leaves_flushed_rows(void **state)
{
    for (int round = 0; round < 12; round++) {
        int pipe_[2];
        const char *name = in_folder("a.h5.partial");
        assert_int_equal(pipe(pipe_), 0);
        pid_t child = fork();
        if (child == 0)
            write_until_killed(name, 1 + 3 * round, pipe_[1]);
        close(pipe_[1]);
        uint64_t rows = 0;
        assert_int_equal(read(pipe_[0], &rows, sizeof rows), sizeof rows);
        usleep((useconds_t)(457 * round));
        int status;
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(check_rows(name), rows);
        close(pipe_[0]);
    }
}

/* Runs fn in a process of its own, which may be damaged; 0 is good. */
static int apart(int (*fn)(void))
{
    int status;
    pid_t child = fork();
    if (child == 0)
        _exit(fn());
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

static int write_past_limit(void)
{
    struct table t;
    struct orr_report why = {.code = ORR_OK};
    struct rlimit limit = {65536, 65536};
    open_table(&t, in_folder("a.h5.partial"));
    setrlimit(RLIMIT_FSIZE, &limit);
    for (uint64_t rows = 1; rows < 20000; rows++)
        write_rows(&t, rows);
    if (orr__record_flush(t.r, &why) != ORR_EIO)
        return 1;
    if (strstr(why.message, "a.h5.partial: File too large") == NULL)
        return 2;
    why.code = ORR_OK;
    if (orr__record_close(t.r, in_folder("a.h5"), &why) != ORR_EIO)
        return 3;
    return exists(in_folder("a.h5")) || exists(in_folder("a.h5.partial"));
}

static void a_full_disk_is_reported(void **state)
{
    assert_int_equal(apart(write_past_limit), 0);
}

static int open_past_limit(void)
{
    struct orr_record *r;
    struct orr_report why = {.code = ORR_OK};
    struct rlimit limit = {16, 16};
    setrlimit(RLIMIT_FSIZE, &limit);
    if (orr__record_open(in_folder("b.partial"), &r, &why) != ORR_ECONFIG)
        return 1;
    return strstr(why.message, "b.partial: File too large") == NULL
           || exists(in_folder("b.partial"));
}

static void a_disk_full_from_the_start_is_a_wrong_argument(void **state)
{
    assert_int_equal(apart(open_past_limit), 0);
}

static int open_as_nobody(void)
{
    struct orr_record *r;
    struct orr_report why = {.code = ORR_OK};
    chmod(folder, 0555);
    if (geteuid() == 0 && setuid(65534) != 0)
        return 1;
    if (orr__record_open(in_folder("a.partial"), &r, &why) != ORR_ECONFIG)
        return 2;
    return strstr(why.message, "a.partial: Permission denied") == NULL;
}

static void a_folder_without_permission(void **state)
{
    assert_int_equal(apart(open_as_nobody), 0);
    chmod(folder, 0755);
}

static void places_that_cannot_be_written(void **state)
{
    static const struct {
        const char *path, *reason;
    } wrong[] = {
        {"/nowhere/at/all.partial", "No such file or directory"},
        {"/dev/null/a.partial", "Not a directory"},
        {"/dev/full", "no regular file"},
        {"/tmp", "no regular file"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct orr_record *r = NULL;
        struct orr_report why = {.code = ORR_OK};
        assert_int_equal(orr__record_open(wrong[i].path, &r, &why),
                         ORR_ECONFIG);
        assert_null(r);
        assert_non_null(strstr(why.message, wrong[i].path));
        assert_non_null(strstr(why.message, wrong[i].reason));
    }
}

static void targets(void **state)
{
    struct orr_report why = {.code = ORR_OK};
    char *target = NULL;
    assert_int_equal(orr__record_target("/dev/full", &target, &why),
                     ORR_ECONFIG);
    assert_string_equal(why.message,
                        "cannot write /dev/full: not a regular file");
    assert_int_equal(orr__record_target(folder, &target, NULL), ORR_ECONFIG);
    assert_int_equal(symlink("nothing", in_folder("dangling")), 0);
    assert_int_equal(orr__record_target(in_folder("dangling"), &target, NULL),
                     ORR_ECONFIG);
    assert_int_equal(close(creat(in_folder("there"), 0644)), 0);
    assert_int_equal(symlink("there", in_folder("link")), 0);
    assert_int_equal(orr__record_target(in_folder("link"), &target, NULL),
                     ORR_OK);
    assert_string_equal(target, in_folder("there"));
    orr__free(target);
    assert_int_equal(orr__record_target(in_folder("new"), &target, NULL),
                     ORR_OK);
    assert_string_equal(target, in_folder("new"));
    orr__free(target);
}

static void two_runs_do_not_share_a_file(void **state)
{
    struct table t;
    struct orr_record *other;
    struct orr_report why = {.code = ORR_OK};
    open_table(&t, in_folder("a.h5.partial"));
    write_rows(&t, 2);
    assert_int_equal(orr__record_open(in_folder("a.h5.partial"), &other, &why),
                     ORR_ECONFIG);
    assert_non_null(strstr(why.message, "another run is writing it"));
    why.code = ORR_OK;
    assert_int_equal(orr__record_close(t.r, in_folder("a.h5"), &why), ORR_OK);
    assert_int_equal(check_rows(in_folder("a.h5")), 2);
}

static void a_failed_rename_is_reported(void **state)
{
    struct table t;
    struct orr_report why = {.code = ORR_OK};
    open_table(&t, in_folder("a.h5.partial"));
    assert_int_equal(orr__record_close(t.r, "/nowhere/a.h5", &why), ORR_EIO);
    assert_non_null(strstr(why.message, "/nowhere/a.h5: No such file"));
    assert_false(exists(in_folder("a.h5.partial")));
}

static const struct orr_record_column text_column = {"text", ORR_RECORD_TEXT,
                                                     "1", "a word", NULL};

/* Three pieces, the last of which is not full. */
enum { ROWS = 1000, PIECE = 400 };

static void write_packed(struct orr_record *r)
{
    int group = orr__record_group(r, "links");
    int time = orr__record_packed_scale(r, group, &time_column, PIECE);
    int kind = orr__record_column(r, group, &kind_column, time);
    int text = orr__record_column(r, group, &text_column, time);
    for (uint64_t at = 0; at < ROWS; at += PIECE) {
        uint64_t n = ROWS - at < PIECE ? ROWS - at : PIECE;
        int64_t when[PIECE];
        uint8_t one[PIECE];
        const char *word[PIECE];
        for (uint64_t i = 0; i < n; i++) {
            when[i] = (int64_t)(at + i) * 500;
            one[i] = (at + i) % 3 == 0;
            word[i] = one[i] ? "yes" : "no";
        }
        orr__record_write(r, time, at, n, when);
        orr__record_write(r, kind, at, n, one);
        orr__record_write(r, text, at, n, word);
    }
}

static hsize_t stored(hid_t d)
{
    return H5Dget_storage_size(d);
}

/* Also what HDF5's own filters make of them. */
static void packed_columns_read_back(void **state)
{
    struct orr_report why = {.code = ORR_OK};
    struct orr_record *r;
    int64_t when[ROWS];
    uint8_t one[ROWS];
    assert_int_equal(orr__record_open(in_folder("p.partial"), &r, &why),
                     ORR_OK);
    write_packed(r);
    assert_int_equal(orr__record_flush(r, &why), ORR_OK);
    assert_int_equal(orr__record_close(r, in_folder("p"), &why), ORR_OK);
    hid_t f = H5Fopen(in_folder("p"), H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t time = H5Dopen2(f, "links/time", H5P_DEFAULT);
    hid_t kind = H5Dopen2(f, "links/kind", H5P_DEFAULT);
    hid_t text = H5Dopen2(f, "links/text", H5P_DEFAULT);
    assert_true(
        H5Dread(time, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, when)
        >= 0);
    assert_true(
        H5Dread(kind, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, one)
        >= 0);
    for (int i = 0; i < ROWS; i++) {
        assert_int_equal(when[i], i * 500);
        assert_int_equal(one[i], i % 3 == 0);
    }
    assert_in_range(stored(time), 1, ROWS * sizeof *when / 2);
    assert_in_range(stored(kind), 1, ROWS / 2);
    assert_in_range(stored(text), ROWS, ROWS * 100); /* as it was */
    H5Dclose(time);
    H5Dclose(kind);
    H5Dclose(text);
    H5Fclose(f);
}

/* Each allocation of ours. */
static void packed_columns_without_memory(void **state)
{
    orr_err err = ORR_ENOMEM;
    for (uint64_t n = 1; err != ORR_OK && n < 200; n++) {
        struct orr_record *r = NULL;
        struct orr_report why = {.code = ORR_OK};
        orr__memory_fail_after(n, 0);
        err = orr__record_open(in_folder("a.partial"), &r, &why);
        if (err == ORR_OK) {
            write_packed(r);
            err = orr__record_close(r, in_folder("a"), &why);
        }
        orr__memory_fail_after(0, 0);
        assert_int_equal(exists(in_folder("a")), err == ORR_OK);
    }
    assert_int_equal(err, ORR_OK);
}

static void every_allocation_may_fail(void **state)
{
    orr_err err = ORR_ENOMEM;
    for (uint64_t n = 1; err != ORR_OK && n < 200; n++) {
        struct orr_record *r = NULL;
        struct orr_report why = {.code = ORR_OK};
        orr__memory_fail_after(n, 0);
        err = orr__record_open(in_folder("a.partial"), &r, &why);
        if (err == ORR_OK) {
            int group = orr__record_group(r, "links");
            int time = orr__record_scale(r, group, &time_column, TILE);
            int64_t at = 0;
            for (int i = 0; i < 40; i++) {
                char name[16];
                struct orr_record_column c = time_column;
                snprintf(name, sizeof name, "column%d", i);
                c.name = name;
                int column = orr__record_column(r, group, &c, time);
                orr__record_write(r, column, 0, 1, &at);
            }
            err = orr__record_close(r, in_folder("a"), &why);
        }
        orr__memory_fail_after(0, 0);
        assert_int_equal(exists(in_folder("a")), err == ORR_OK);
        assert_false(exists(in_folder("a.partial")));
    }
    assert_int_equal(err, ORR_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
        TEST(rows_read_back),
        TEST(full_tiles_are_compressed),
        TEST(packed_columns_read_back),
        TEST(packed_columns_without_memory),
        TEST(every_dataset_has_scales_and_units),
        TEST(opens_as_netcdf),
        TEST(an_attribute_is_replaced),
        TEST(a_killed_process_leaves_flushed_rows),
        TEST(a_full_disk_is_reported),
        TEST(a_disk_full_from_the_start_is_a_wrong_argument),
        TEST(a_folder_without_permission),
        TEST(places_that_cannot_be_written),
        TEST(targets),
        TEST(two_runs_do_not_share_a_file),
        TEST(a_failed_rename_is_reported),
        TEST(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("record", tests, NULL, NULL);
}
