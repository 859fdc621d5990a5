#include "cli/process.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "core/assert.h"
#include "core/memory.h"

#define STACK_SIZE 65536 /* bytes, a multiple of 16 */

bool orr__process_self(char *path, size_t size)
{
    ssize_t n = readlink("/proc/self/exe", path, size - 1);
    if (n <= 0)
        return false;
    ORR_ASSERT((size_t)n < size);
    path[n] = '\0';
    return true;
}

void orr__process_init(void)
{
    sigset_t ended;
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    (void)sigprocmask(SIG_BLOCK, &ended, NULL);
}

/* What the child of `start` is told, in memory that both share. */
struct order {
    const char *const *argv;
    const char *log;
    pid_t parent;
    int reason; /* out: why there is no such program, an errno; 0: there is */
};

/* In the child, on a stack of its own and in the memory of its parent, which
 * waits: nothing but system calls. */
static int become(void *arg)
{
    struct order *o = arg;
    sigset_t none;
    sigemptyset(&none);
    /* not the parent's handlers, which would write to its memory */
    (void)signal(SIGINT, SIG_DFL);
    (void)signal(SIGTERM, SIG_DFL);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    /* whoever ends the study, by whatever signal, ends its runs; and it may
     * have been ended before this call */
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    int in = open("/dev/null", O_RDONLY);
    int out = open(o->log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (getppid() == o->parent && in >= 0 && out >= 0 && dup2(in, 0) == 0
        && dup2(out, 1) == 1 && dup2(out, 2) == 2) {
        if (in > 2)
            close(in);
        if (out > 2)
            close(out);
        execv(o->argv[0], (char *const *)o->argv);
        o->reason = errno;
    }
    _exit(127);
}

/* As vfork: a copy of the page tables of the study, and of each page that it
 * writes to while the run starts, cost as much as all else that it does for a
 * run. posix_spawn cannot ask for the signal of the parent's end. */
int orr__process_start(void *arg, const char *const *argv,
                       const struct orr_compare_files *files)
{
    struct order o = {argv, files->log, getpid(), 0};
    sigset_t all, before;
    char *stack = orr__alloc(STACK_SIZE, 1);
    if (!stack)
        return -ENOMEM;
    sigfillset(&all);
    (void)sigprocmask(SIG_BLOCK, &all, &before);
    int child =
        clone(become, stack + STACK_SIZE, CLONE_VM | CLONE_VFORK | SIGCHLD, &o);
    int reason = errno;
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    orr__free(stack);
    if (child >= 0 && o.reason) { /* no run: nobody waits for it */
        (void)waitpid(child, NULL, 0);
        return -o.reason;
    }
    return child < 0 ? -reason : child;
}

bool orr__process_wait(void *arg, double seconds, struct orr_compare_ended *e)
{
    const struct timespec most = {
        (time_t)seconds,
        (long)((seconds - (double)(time_t)seconds) * 1e9),
    };
    struct rusage used;
    sigset_t ended;
    int status;
    pid_t child = wait4(-1, &status, WNOHANG, &used);
    if (child == 0) {
        sigemptyset(&ended);
        sigaddset(&ended, SIGCHLD);
        (void)sigtimedwait(&ended, NULL, &most);
        child = wait4(-1, &status, WNOHANG, &used);
    }
    if (child <= 0)
        return false;
    *e = (struct orr_compare_ended){
        .id = (int)child,
        .status = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
        .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
        .cpu_s =
            (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec)
            + (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6,
    };
    return true;
}

void orr__process_stop(void *arg, int id)
{
    (void)kill((pid_t)id, SIGTERM);
}
