#include "cli/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"

bool orr__process_self(char *path, size_t size)
{
    ssize_t n = readlink("/proc/self/exe", path, size - 1);
    if (n <= 0)
        return false;
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

/* In the child; only what is allowed after a fork among threads. */
static void become(const char *const *argv, const char *log, pid_t parent)
{
    sigset_t none;
    sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    /* whoever ends the study, by whatever signal, ends its runs; and it may
     * have been ended before this call */
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    int in = open("/dev/null", O_RDONLY);
    int out = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (getppid() == parent && in >= 0 && out >= 0 && dup2(in, 0) == 0 &&
        dup2(out, 1) == 1 && dup2(out, 2) == 2) {
        if (in > 2)
            close(in);
        if (out > 2)
            close(out);
        execv(argv[0], (char *const *)argv);
    }
    _exit(127);
}

int orr__process_start(void *arg, const char *const *argv, const char *log)
{
    pid_t parent = getpid();
    pid_t child = fork();
    if (child == 0)
        become(argv, log, parent);
    return child < 0 ? -errno : (int)child;
}

bool orr__process_wait(void *arg, double seconds, struct orr_compare_ended *e)
{
    const struct timespec most = {
        (time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9),
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
        .cpu_s = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                 (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) *
                     1e-6,
    };
    return true;
}

void orr__process_stop(void *arg, int id)
{
    (void)kill((pid_t)id, SIGTERM);
}
