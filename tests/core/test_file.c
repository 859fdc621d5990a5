/* Files that appear whole or not at all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/file.h"
#include "core/memory.h"

static char folder[] = "/tmp/orrery-file-XXXXXX";
static struct orr_report why;

/* Every test has an empty folder that is the current one. */
static int setup(void **state)
{
    why = (struct orr_report){.code = ORR_OK};
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    return mkdtemp(folder) ? chdir(folder) : 1;
}

static int teardown(void **state)
{
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return chdir("/") || system(command);
}

static void put(const char *name, const char *text)
{
    FILE *f = fopen(name, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void holds(const char *name, const char *text)
{
    char got[100] = "";
    FILE *f = fopen(name, "r");
    assert_non_null(f);
    got[fread(got, 1, sizeof got - 1, f)] = '\0';
    fclose(f);
    assert_string_equal(got, text);
}

/* How many files are in the folder. */
static int files(void)
{
    int n = 0;
    DIR *d = opendir(".");
    for (const struct dirent *e; (e = readdir(d)) != NULL;)
        n += e->d_name[0] != '.';
    closedir(d);
    return n;
}

static void whole_or_not_at_all(void **state)
{
    struct orr_file f, g;
    put("a", "old");
    assert_int_equal(orr__file_open(&f, "a", &why), ORR_OK);
    fputs("new", f.out);
    fflush(f.out);
    holds("a", "old");
    /* another writer of the same name is no trouble */
    assert_int_equal(orr__file_open(&g, "a", &why), ORR_OK);
    fputs("third", g.out);
    assert_int_equal(orr__file_close(&f, ORR_OK, &why), ORR_OK);
    holds("a", "new");
    orr__file_abandon(&g);
    holds("a", "new");
    assert_int_equal(orr__file_open(&f, "b", &why), ORR_OK);
    assert_int_equal(orr__file_close(&f, ORR_ERUN, &why), ORR_ERUN);
    assert_int_equal(files(), 1);
    orr__file_abandon(&(struct orr_file){.out = NULL});
}

/* What lies under the other name is neither followed nor harmed. */
static void in_the_way(void **state)
{
    struct orr_file f;
    put("precious", "mine");
    assert_int_equal(symlink("precious", "a.0.partial"), 0);
    assert_int_equal(orr__file_open(&f, "a", &why), ORR_OK);
    fputs("new", f.out);
    assert_int_equal(orr__file_close(&f, ORR_OK, &why), ORR_OK);
    holds("precious", "mine");
    holds("a", "new");
    assert_int_equal(files(), 3);
}

/* What a process that died has left is removed, and what one that lives is
 * writing is not; nor is a name let go of before the file has its own. */
static void left_by_others(void **state)
{
    struct orr_file f, g;
    int child;
    put("a.0.partial", "half");
    assert_int_equal(orr__file_open(&f, "a", &why), ORR_OK);
    assert_int_equal(files(), 1);
    fputs("new", f.out);
    fflush(f.out);
    child = fork();
    if (child == 0) {
        bool fine = orr__file_open(&g, "a", &why) == ORR_OK && files() == 2;
        _exit(!fine); /* as if it were killed */
    }
    assert_int_equal(waitpid(child, &child, 0) > 0 && child == 0, true);
    assert_int_equal(files(), 2);
    assert_int_equal(orr__file_open(&g, "a", &why), ORR_OK);
    assert_int_equal(files(), 2);
    assert_int_equal(orr__file_close(&f, ORR_OK, &why), ORR_OK);
    holds("a", "new");
    orr__file_abandon(&g);
    assert_int_equal(files(), 1);
}

static void names_that_are_links(void **state)
{
    struct stat st;
    struct orr_file f;
    assert_int_equal(mkdir("there", 0777), 0);
    put("there/real", "old");
    assert_int_equal(symlink("there/real", "link"), 0);
    assert_int_equal(orr__file_open(&f, "link", &why), ORR_OK);
    fputs("new", f.out);
    assert_int_equal(orr__file_close(&f, ORR_OK, &why), ORR_OK);
    holds("there/real", "new");
    assert_int_equal(lstat("link", &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(symlink("nowhere", "dangling"), 0);
    assert_int_equal(orr__file_open(&f, "dangling", &why), ORR_EIO);
    assert_string_equal(why.message,
                        "cannot write dangling: No such file or directory");
}

static void written_directly(void **state)
{
    char got[10] = "";
    struct orr_file f;
    assert_int_equal(mkfifo("pipe", 0666), 0);
    assert_int_equal(orr__file_open(&f, "pipe", &why), ORR_EIO);
    assert_string_equal(why.message,
                        "cannot write pipe: the pipe has no reader");
    int fd = open("pipe", O_RDONLY | O_NONBLOCK);
    why = (struct orr_report){.code = ORR_OK};
    assert_int_equal(orr__file_open(&f, "pipe", &why), ORR_OK);
    /* from now on it is a pipe as any other: who writes waits */
    assert_false(fcntl(fileno(f.out), F_GETFL) & O_NONBLOCK);
    fputs("all", f.out);
    assert_int_equal(orr__file_close(&f, ORR_OK, &why), ORR_OK);
    assert_int_equal(read(fd, got, sizeof got), 3);
    assert_string_equal(got, "all");
    close(fd);
    assert_int_equal(orr__file_open(&f, "/dev/null", &why), ORR_OK);
    orr__file_abandon(&f);
    assert_int_equal(orr__file_open(&f, "/dev/full", &why), ORR_OK);
    fputs("all", f.out);
    assert_int_equal(orr__file_close(&f, ORR_OK, &why), ORR_EIO);
    assert_string_equal(why.message,
                        "cannot write /dev/full: No space left on device");
    /* what is too long for a buffer leaves nothing to be written later */
    static char much[200000];
    memset(much, '\n', sizeof much);
    why = (struct orr_report){.code = ORR_OK};
    assert_int_equal(orr__file_open(&f, "/dev/full", &why), ORR_OK);
    orr__file_put(&f, much, sizeof much);
    assert_int_equal(orr__file_close(&f, ORR_OK, &why), ORR_EIO);
    assert_string_equal(why.message,
                        "cannot write /dev/full: No space left on device");
    why = (struct orr_report){.code = ORR_OK};
    assert_int_equal(orr__file_open(&f, "", &why), ORR_EIO);
    assert_string_equal(why.message, "cannot write a file without a name: No "
                                     "such file or directory");
    why = (struct orr_report){.code = ORR_OK};
    assert_int_equal(orr__file_open(&f, folder, &why), ORR_EIO);
    assert_int_equal(files(), 1);
}

/* A descriptor keeps its place in its file, which is not replaced. */
static void descriptors(void **state)
{
    char name[50];
    struct orr_file f;
    FILE *mine = fopen("log", "w");
    fputs("before ", mine);
    fflush(mine);
    snprintf(name, sizeof name, "/dev/fd/%d", fileno(mine));
    assert_int_equal(orr__file_open(&f, name, &why), ORR_OK);
    fputs("inside ", f.out);
    assert_int_equal(orr__file_close(&f, ORR_OK, &why), ORR_OK);
    fputs("after", mine);
    fclose(mine);
    holds("log", "before inside after");
    assert_int_equal(orr__file_open(&f, "/dev/fd/77", &why), ORR_EIO);
}

static void files_that_keep_their_name(void **state)
{
    int status, fd;
    put("other", "mine");
    /* left by one that died, and a second name of something else's */
    assert_int_equal(link("other", "a.partial"), 0);
    fd = orr__file_create("a.partial");
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "x", 1), 1);
    holds("other", "mine");
    holds("a.partial", "x");
    /* while it is open, nobody else gets it, not even within the process */
    assert_int_equal(orr__file_create("a.partial"), -1);
    assert_int_equal(errno, EAGAIN);
    pid_t child = fork();
    if (child == 0)
        _exit(orr__file_create("a.partial") >= 0 || errno != EAGAIN);
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    close(fd);
    assert_int_equal(unlink("a.partial"), 0);
    assert_int_equal(symlink("other", "a.partial"), 0);
    assert_int_equal(orr__file_create("a.partial"), -1);
    assert_int_equal(errno, EEXIST);
    holds("other", "mine");
}

static void every_allocation_may_fail(void **state)
{
    for (uint64_t n = 1;; n++) {
        struct orr_file f;
        why = (struct orr_report){.code = ORR_OK};
        orr__memory_fail_after(n, 1);
        orr_err err = orr__file_open(&f, "a", &why);
        orr__memory_fail_after(0, 0);
        if (err == ORR_OK) {
            assert_true(n > 2);
            orr__file_abandon(&f);
            break;
        }
        assert_int_equal(err, ORR_ENOMEM);
        assert_int_equal(files(), 0);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(whole_or_not_at_all),
        TEST(in_the_way),
        TEST(left_by_others),
        TEST(names_that_are_links),
        TEST(written_directly),
        TEST(descriptors),
        TEST(files_that_keep_their_name),
        TEST(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
