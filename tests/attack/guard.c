#include "tests/attack/guard.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/memory.h"
#include "tests/attack/doors.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

/* Writes what a build with --coverage has counted, which _exit does not; there
 * is none in others, nor where the linker is not asked for it. */
extern void __gcov_dump(void) __attribute__((weak));

enum {
    HANGS_S = SANITIZED ? 600 : 60, /* of CPU time: a plan of a schedule takes
                                     * seconds, and is not ended */
    WAITS_S = 60,           /* of any time without a doing: it waits for ever */
    IDLE_NS = 1000000,      /* of CPU time, for two looks at the clock */
    MOST_BYTES = 256 << 20, /* for a run, beside what there is before it */
    MOST_HOPS = 20000,
    FEW_HOPS = 5000,
    HANGS = 77, /* exit status */
    WAITS = 78
};

static char folder[64];
static volatile sig_atomic_t ticks;
static double tick_s = SANITIZED ? 20 : 2; /* of CPU time: a run is told to end
                                            */
static struct post *own_post; /* of this process, if it is a child */

const char *orr__guard_folder(void)
{
    if (!folder[0]) {
        snprintf(folder, sizeof folder, "%s/orrery-attack-XXXXXX",
                 access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
        if (!mkdtemp(folder)) {
            perror(folder);
            exit(2);
        }
    }
    return folder;
}

void orr__guard_fini(void)
{
    DIR *dir = folder[0] ? opendir(folder) : NULL;
    struct dirent *e;
    char path[512];

    while (dir && (e = readdir(dir)))
        if (e->d_name[0] != '.') {
            snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
            (void)unlink(path);
        }
    if (dir)
        closedir(dir);
    (void)rmdir(folder);
}

static void tick(int signal)
{
    if (++ticks * tick_s >= HANGS_S)
        _exit(HANGS);
}

static int64_t cpu_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Only one that did nothing all the time waits: others may have the machine. */
static void waits(int signal)
{
    static int64_t before;
    int64_t now = cpu_ns();

    if (now - before < IDLE_NS)
        _exit(WAITS);
    before = now;
    alarm(WAITS_S);
}

void orr__guard_patience(double seconds)
{
    tick_s = seconds * (SANITIZED ? 10 : 1);
}

void orr__guard_begin(struct limits *l, bool few)
{
    const struct timeval each = {(time_t)tick_s,
                                 (suseconds_t)(fmod(tick_s, 1) * 1e6)};
    struct itimerval t = {each, each};

    ticks = 0;
    *l = (struct limits){.hops = few ? FEW_HOPS : MOST_HOPS,
                         .memory = orr__memory_resident() + MOST_BYTES,
                         .few = few,
                         .interrupt = &ticks};
    signal(SIGPROF, tick);
    signal(SIGALRM, waits);
    alarm(WAITS_S);
    setitimer(ITIMER_PROF, &t, NULL);
}

struct post *orr__post_new(void)
{
    struct post *p = mmap(NULL, sizeof *p, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    return p == MAP_FAILED ? NULL : p;
}

void orr__guard_draft(const char *text)
{
    size_t size = text ? strlen(text) + 1 : 0;

    if (!own_post)
        return;
    own_post->draft[0] = '\0';
    if (size && size <= sizeof own_post->draft)
        memcpy(own_post->draft, text, size);
}

void orr__post_free(struct post *p)
{
    munmap(p, sizeof *p);
}

static void log_path(char *path, size_t size, unsigned number)
{
    snprintf(path, size, "%s/log.%u", orr__guard_folder(), number);
}

/* What a child said before it died: the beginning of it. */
static void read_log(unsigned number, char *text, size_t size)
{
    char path[128];
    FILE *f;
    size_t n = 0;

    log_path(path, sizeof path, number);
    f = fopen(path, "r");
    if (f) {
        n = fread(text, 1, size - 1, f);
        fclose(f);
    }
    text[n] = '\0';
}

int orr__guard_start(void (*fn)(void *arg, struct post *p), void *arg,
                     struct post *p, unsigned number)
{
    struct rlimit most = {UINT64_C(4) << 30, UINT64_C(4) << 30};
    char path[128];
    int pid, log;

    log_path(path, sizeof path, number);
    fflush(NULL);
    pid = fork();
    if (pid != 0)
        return pid;
    log = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    (void)dup2(log, STDERR_FILENO);
    if (!SANITIZED)
        (void)setrlimit(RLIMIT_AS, &most);
    most.rlim_cur = 0;
    (void)setrlimit(RLIMIT_CORE, &most);
    own_post = p;
    fn(arg, p);
    if (__gcov_dump)
        __gcov_dump();
    _exit(0);
}

void orr__guard_ended(int status, struct post *p, unsigned number)
{
    char said[2000], kind[64];

    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return;
    p->finding.kind[0] = '\0';
    read_log(number, said, sizeof said);
    if (WIFEXITED(status) && WEXITSTATUS(status) == HANGS)
        snprintf(kind, sizeof kind, "hangs");
    else if (WIFEXITED(status) && WEXITSTATUS(status) == WAITS)
        snprintf(kind, sizeof kind, "waits for ever");
    else if (strstr(said, "ThreadSanitizer"))
        snprintf(kind, sizeof kind, "thread sanitizer");
    else if (strstr(said, "Sanitizer") || strstr(said, "runtime error"))
        snprintf(kind, sizeof kind, "sanitizer");
    else if (WIFSIGNALED(status))
        snprintf(kind, sizeof kind, "crash by signal %d", WTERMSIG(status));
    else
        snprintf(kind, sizeof kind, "exit status %d", WEXITSTATUS(status));
    orr__found(&p->finding, kind, "%s", said);
}

void orr__guard_run(void (*fn)(void *arg, struct post *p), void *arg,
                    struct post *p)
{
    int status = 0, pid = orr__guard_start(fn, arg, p, 0);

    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    orr__guard_ended(status, p, 0);
}

static void try_case(void *arg, struct post *p)
{
    struct limits l;

    orr__guard_begin(&l, false);
    orr__door_try(arg, &l, orr__guard_folder(), &p->tally, &p->finding);
}

void orr__guard_case(const struct attack_case *c, struct tally *t,
                     struct finding *f)
{
    struct post *p = orr__post_new();

    if (!p)
        return;
    orr__guard_run(try_case, (void *)c, p);
    if (t)
        *t = p->tally;
    *f = p->finding;
    orr__post_free(p);
}
