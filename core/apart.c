#include "core/apart.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/text.h"

/* What the child leaves in memory that both share. */
struct left {
    bool done;
    orr_err err;
    struct orr_report why;
};

#ifdef ORR_COVERAGE
extern void __gcov_dump(void);
#endif

/* Bytes of a file; 0: not known. */
static rlim_t size_of(const char *file)
{
    struct stat s;
    return stat(file, &s) == 0 && s.st_size > 0 ? (rlim_t)s.st_size : 0;
}

/* A damaged list may have no end. */
static void limit_time(const struct orr_apart *a)
{
    struct rlimit l;
    rlim_t most = a->seconds ? a->seconds : 10 + size_of(a->file) / 50000;
    if (getrlimit(RLIMIT_CPU, &l) == 0 && l.rlim_cur > most) {
        l.rlim_cur = most;
        (void)setrlimit(RLIMIT_CPU, &l);
    }
    (void)signal(SIGXCPU, SIG_DFL);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature) /* as clang tells it */
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

#ifndef SANITIZED
/* A damaged size may ask for all memory of the machine: no more than a sound
 * file of that size can need. (Sanitizers reserve addresses without end.) */
static void limit_memory(const char *file)
{
    static const rlim_t least = (rlim_t)8 << 30, factor = 64;
    struct rlimit l;
    unsigned long long pages = 0;
    FILE *f = fopen("/proc/self/statm", "re");
    bool known = f && fscanf(f, "%llu", &pages) == 1;
    if (f)
        fclose(f);
    if (!known || getrlimit(RLIMIT_AS, &l) != 0)
        return;
    rlim_t most =
        pages * (rlim_t)sysconf(_SC_PAGESIZE) + least + factor * size_of(file);
    if (l.rlim_cur > most) {
        l.rlim_cur = most;
        (void)setrlimit(RLIMIT_AS, &l);
    }
}

/* What the C library says of a broken heap is no message of ours. */
static void redirect_output(void)
{
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (null >= 0)
        (void)dup2(null, STDERR_FILENO);
}
#else
static void limit_memory(const char *file)
{
}
static void redirect_output(void)
{
}
#endif

/* The child: does the work and leaves its outcome in `left`, memory shared
 * with the parent. `left->done` stays false if it crashes. Never returns. */
static void work_here(const struct orr_apart *a, int to, struct left *left)
{
    static const struct rlimit none = {0, 0};
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)setrlimit(RLIMIT_CORE, &none);
    limit_time(a);
    limit_memory(a->file);
    redirect_output();
    FILE *out = fdopen(to, "w");
    left->err =
        out ? a->work(a->arg, out, &left->why) : orr__no_memory(&left->why);
    if (out && fclose(out) != 0 && left->err == ORR_OK)
        left->err = orr__no_memory(&left->why);
    left->done = true;
#ifdef ORR_COVERAGE
    __gcov_dump(); /* what was reached here counts */
#endif
    _exit(0);
}

/* Hands on the child's output until it closes its end; a read error ends it as
 * well, since wait() then says why. */
static void take_all(const struct orr_apart *a, int from)
{
    char piece[65536];
    for (;;) {
        ssize_t n = read(from, piece, sizeof piece);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return;
        a->take(a->to, piece, (size_t)n);
    }
}

/* HDF5 crashes where an allocation of its own fails. */
static bool has_less_memory(void)
{
    struct rlimit most;
    return getrlimit(RLIMIT_AS, &most) == 0 && most.rlim_cur != RLIM_INFINITY;
}

/* The child's end as an error of ours: its own error if it got as far as one,
 * else a crash, which is blamed on the file. */
static orr_err error_of_child(const struct orr_apart *a,
                              const struct left *left, int status,
                              struct orr_report *why)
{
    if (left->done && left->err == ORR_OK)
        return ORR_OK;
    if (left->done) {
        *why = why->code == ORR_OK ? left->why : *why;
        return left->err;
    }
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
        return orr__fail(why, ORR_ECONFIG,
                         "%s: the file is damaged: reading "
                         "it does not end",
                         a->file);
    if (WIFSIGNALED(status) && has_less_memory())
        return orr__fail(why, ORR_ECONFIG,
                         "%s: the file is damaged, or `ulimit -v` leaves "
                         "HDF5 too little memory: it crashed as it read it "
                         "(%s)",
                         a->file, strsignal(WTERMSIG(status)));
    if (WIFSIGNALED(status))
        return orr__fail(why, ORR_ECONFIG,
                         "%s: the file is damaged: HDF5 "
                         "crashed as it read it (%s)",
                         a->file, strsignal(WTERMSIG(status)));
    return orr__fail(why, ORR_ECONFIG,
                     "%s: the file is damaged: HDF5 ended "
                     "as it read it",
                     a->file);
}

orr_err orr__run_apart(const struct orr_apart *a, struct orr_report *why)
{
    struct orr_report none;
    int pipes[2], status = 0;
    if (why == NULL)
        *(why = &none) = (struct orr_report){.code = ORR_OK};
    struct left *left = mmap(NULL, sizeof *left, PROT_READ | PROT_WRITE,
                             MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (left == MAP_FAILED)
        return orr__no_memory(why);
    if (pipe2(pipes, O_CLOEXEC) != 0) {
        munmap(left, sizeof *left);
        return orr__fail(why, ORR_EIO, "a pipe: %s", strerror(errno));
    }
    fflush(NULL); /* or what waits to be written would be written twice */
    pid_t child = fork();
    int error = errno;
    if (child == 0)
        work_here(a, pipes[1], left);
    close(pipes[1]);
    if (child > 0)
        take_all(a, pipes[0]);
    close(pipes[0]);
    /* who ignores the ends of children has none to wait for: `left` tells */
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    orr_err err = child >= 0        ? error_of_child(a, left, status, why)
                  : error == ENOMEM ? orr__no_memory(why)
                                    : orr__fail(why, ORR_EIO,
                                                "a process to "
                                                "read %s: %s",
                                                a->file, strerror(error));
    munmap(left, sizeof *left);
    return err;
}

void orr__apart_take_text(void *to, const char *bytes, size_t n)
{
    orr__text_piece(to, bytes, n);
}

void orr__apart_take_file(void *to, const char *bytes, size_t n)
{
    fwrite(bytes, 1, n, to);
}
