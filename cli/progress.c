/* The line that says how far a run has come: on a terminal it is rewritten,
 * elsewhere there is another one every ten seconds. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "core/assert.h"
#include "core/units.h"

#define SILENT_S 1.0  /* short runs show nothing */
#define PAUSE_S  10.0 /* between lines that stay */

static double wall_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void orr__progress_init(struct orr_progress_line *l, bool quiet)
{
    const char *term = getenv("TERM");
    l->on = !quiet;
    l->rewrites = isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
    l->shown = false;
    l->shown_s = wall_clock();
    l->pass = 0;
}

void orr__progress_say(struct orr_progress_line *l, const char *text)
{
    double now = wall_clock();
    if (!l->on || (!l->rewrites && now < l->shown_s + PAUSE_S))
        return;
    l->shown_s = now;
    fprintf(stderr, l->rewrites ? "\r%s\033[K" : "%s\n", text);
    fflush(stderr);
    l->shown = l->rewrites;
}

/* "1 h 02 min", "3 min 20 s", "14 s" */
void orr__progress_left(double s, char *buf, size_t size)
{
    long t = s < 1e9 ? lround(s) : 1000000000L;
    if (t >= 3600)
        snprintf(buf, size, "%ld h %02ld min", t / 3600, t / 60 % 60);
    else if (t >= 60)
        snprintf(buf, size, "%ld min %02ld s", t / 60, t % 60);
    else
        snprintf(buf, size, "%ld s", t);
}

void orr__progress_show(void *arg, const struct orr_progress *p)
{
    struct orr_progress_line *l = arg;
    char time[32], left[32], text[160];
    int n = 0;
    if (!l->on || p->wall_s < SILENT_S)
        return;
    orr__human_time(p->time_ps, time, sizeof time);
    if (l->pass)
        n = snprintf(text, sizeof text, "pass %u: ", l->pass);
    n += snprintf(text + n, sizeof text - (size_t)n,
                  "%s simulated, %.1f million packet-hops/s", time,
                  (double)p->packet_hops / p->wall_s * 1e-6);
    ORR_ASSERT(n > 0 && (size_t)n < sizeof text);
    if (p->share > 0.001) {
        orr__progress_left(p->wall_s * (1 - p->share) / p->share, left,
                           sizeof left);
        snprintf(text + n, sizeof text - (size_t)n, ", %.0f%% done, %s left",
                 p->share * 100, left);
    }
    orr__progress_say(l, text);
}

void orr__progress_wipe(struct orr_progress_line *l)
{
    if (l->shown)
        fputs("\r\033[K", stderr);
    l->shown = false;
}
