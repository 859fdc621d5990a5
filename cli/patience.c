#include "cli/patience.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"

volatile int orr__patience_over;

/* Of the two texts the one that is shown is not written to. */
static char doing_text[2][81];
static volatile sig_atomic_t doing, shown;
static time_t began;

static void end_on_signal(int sig)
{
    orr__patience_over = 1;
}

/* A signal may come anywhere: nothing but write. */
static void show_on_signal(int sig)
{
    int before = errno;
    char line[128], digit[16];
    size_t n = 0, k = 0;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    line[n++] = '\r';
    for (const char *s = doing_text[doing]; *s; s++)
        line[n++] = *s;
    line[n++] = ':';
    line[n++] = ' ';
    unsigned long s = (unsigned long)(now.tv_sec - began);
    do
        digit[k++] = (char)('0' + s % 10);
    while ((s /= 10) != 0);
    while (k)
        line[n++] = digit[--k];
    memcpy(line + n, " s\033[K", 5);
    shown = write(STDERR_FILENO, line, n + 5) > 0;
    errno = before;
}

/* Seconds; every_s 0: once. */
static void arm_timer(int timer, double first_s, double every_s, int sig,
                      void (*handler)(int))
{
    double whole;
    const struct sigaction a = {.sa_handler = handler, .sa_flags = SA_RESTART};
    struct itimerval t = {.it_value = {0}};
    t.it_value.tv_usec = (suseconds_t)(modf(first_s, &whole) * 1e6);
    t.it_value.tv_sec = (time_t)whole;
    t.it_interval.tv_usec = (suseconds_t)(modf(every_s, &whole) * 1e6);
    t.it_interval.tv_sec = (time_t)whole;
    sigaction(sig, &a, NULL);
    setitimer(timer, &t, NULL);
}

void orr__patience_begin(const char *what, double cpu_s)
{
    const char *term = getenv("TERM");
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    began = now.tv_sec;
    shown = 0;
    orr__patience_over = 0;
    orr__patience_say(what);
    if (isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0)
        arm_timer(ITIMER_REAL, 1, 0.5, SIGALRM, show_on_signal);
    if (cpu_s > 0)
        arm_timer(ITIMER_PROF, cpu_s, 0, SIGPROF, end_on_signal);
}

void orr__patience_say(const char *what)
{
    char *text = doing_text[!doing];
    snprintf(text, sizeof *doing_text, "%s", what);
    doing = !doing;
}

void orr__patience_end(void)
{
    static const struct itimerval none;
    setitimer(ITIMER_REAL, &none, NULL);
    setitimer(ITIMER_PROF, &none, NULL);
    signal(SIGALRM, SIG_DFL);
    signal(SIGPROF, SIG_DFL);
    orr__patience_over = 0;
    if (shown)
        fputs("\r\033[K", stderr);
    shown = 0;
}
