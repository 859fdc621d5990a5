#include "study/calls/forks.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/assert.h"
#include "core/file.h"
#include "core/memory.h"
#include "experiment/experiment.h"
#include "experiment/notes.h"
#include "orrery/orrery.h"

/* Exit statuses, as those of `orrery run`. */
enum { FINE = 0, FAILED = 1 };

/* ---- in the child -------------------------------------------------------- */

/* Signals and files of a process of its own. False: there is no log. */
static bool settle(const char *log)
{
    sigset_t none;
    sigemptyset(&none);
    for (int sig = 1; sig < NSIG; sig++)
        (void)signal(sig, SIG_DFL);
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN);
    /* a terminal's Ctrl-C comes to the caller, too, who then ends this one */
    (void)signal(SIGINT, SIG_IGN);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    int in = open("/dev/null", O_RDONLY);
    int out = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    return in >= 0 && out >= 0 && dup2(in, 0) == 0 && dup2(out, 1) == 1
           && dup2(out, 2) == 2;
}

/* stdio's buffers hold what the caller has not written yet: never flushed. */
static void write_error(const char *before, const char *text)
{
    size_t n = strlen(text);
    (void)!write(2, before, strlen(before));
    (void)!write(2, text, n);
    if (n == 0 || text[n - 1] != '\n')
        (void)!write(2, "\n", 1);
}

static int fail_in_child(const struct orr_report *why)
{
    char text[4096];
    orr__report_format(why, text, sizeof text);
    write_error(why->file[0] ? "" : "orrery: ", text);
    return FAILED;
}

static void tell_places(const orr_experiment *x)
{
    struct orr_notes n;
    if (orr__notes_of_places(orr__experiment_world(x), &n) == ORR_OK)
        for (uint32_t i = 0; i < n.n; i++)
            write_error("note: ", n.text[i]);
    orr__notes_free(&n);
}

/* The JSON summary, as a whole or not at all. */
static orr_err write_summary(const orr_experiment *x,
                             const struct orr_compare_files *files,
                             struct orr_report *why)
{
    struct orr_file out = {.name = NULL};
    char *text = orr__experiment_json(x, files->whole);
    if (!text)
        return orr__no_memory(why);
    orr_err err = orr__file_open(&out, files->json, why);
    if (err == ORR_OK) {
        orr__file_put(&out, text, strlen(text));
        err = orr__file_close(&out, ORR_OK, why);
    }
    orr_text_free(text);
    return err;
}

/* The run; the exit status. What it began is left to the end of the process. */
static int run_child(const struct orr_compare_files *files)
{
    struct orr_report why = {0}, later = {0};
    orr_experiment *x = NULL;
    const struct orr_options o = {
        .folder = files->folder,
        .output = files->records,
        .command = "orr_study_compare",
    };
    orr_err err = orr_experiment_load(files->config, &o, &x, &why);
    if (err)
        return fail_in_child(&why);
    tell_places(x);
    err = orr_experiment_run(x, &why);
    int status = err ? fail_in_child(&why) : FINE;
    /* also of a run that failed on its way */
    orr_err written = write_summary(x, files, &later);
    if (written && !err)
        status = fail_in_child(&later);
    return status;
}

/* ---- in the caller ------------------------------------------------------- */

bool orr__forks_init(struct orr_forks *f, uint32_t jobs)
{
    *f = (struct orr_forks){.child = orr__alloc(jobs, sizeof *f->child),
                            .room = jobs};
    return f->child != NULL;
}

void orr__forks_fini(struct orr_forks *f)
{
    ORR_ASSERT(f->n == 0);
    orr__free(f->child);
}

int orr__fork_start(void *arg, const char *const *argv,
                    const struct orr_compare_files *files)
{
    struct orr_forks *f = arg;
    pid_t parent = getpid();
    ORR_ASSERT(f->n < f->room);
    pid_t child = fork();
    if (child < 0)
        return -errno;
    if (child == 0) {
        int status = FAILED;
        /* the parent may have ended before it was asked for its end */
        if (settle(files->log) && getppid() == parent)
            status = run_child(files);
        _exit(status);
    }
    f->child[f->n++] = child;
    return (int)child;
}

static double seconds_of(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

/* One that has ended, if there is one. */
static bool collect(struct orr_forks *f, struct orr_compare_ended *e)
{
    for (uint32_t i = 0; i < f->n; i++) {
        struct rusage used = {.ru_maxrss = 0};
        int status = 0;
        pid_t child = f->child[i];
        pid_t got = wait4(child, &status, WNOHANG, &used);
        /* ECHILD: the program ignores SIGCHLD, and the system has forgotten
         * how it ended: the summary shows */
        if (got == 0 || (got < 0 && errno != ECHILD))
            continue;
        f->child[i] = f->child[--f->n];
        *e = (struct orr_compare_ended){
            .id = (int)child,
            .status = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
            .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
            .cpu_s = seconds_of(used.ru_utime) + seconds_of(used.ru_stime),
        };
        return true;
    }
    return false;
}

/* Asked again and again: a signal would have to be the program's to give. */
bool orr__fork_wait(void *arg, double seconds, struct orr_compare_ended *e)
{
    const double longest_s = 0.02;
    double pause_s = 0.0005;
    while (!collect(arg, e)) {
        if (seconds <= 0)
            return false;
        const struct timespec t = {0, (long)(pause_s * 1e9)};
        (void)nanosleep(&t, NULL);
        seconds -= pause_s;
        pause_s = pause_s * 2 < longest_s ? pause_s * 2 : longest_s;
    }
    return true;
}

void orr__fork_stop(void *arg, int id)
{
    (void)kill((pid_t)id, SIGTERM);
}
