#include "experiment/doubt.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/units.h"
#include "experiment/results.h"

const char orr__doubt_letters[ORR_DOUBT_MARKS] = {
    [ORR_DOUBT_LOST] = 'L',     [ORR_DOUBT_TIMEOUTS] = 'T',
    [ORR_DOUBT_STOPPED] = 'S',  [ORR_DOUBT_QUIET] = 'Q',
    [ORR_DOUBT_INFERRED] = 'I', [ORR_DOUBT_NOTED] = 'N',
    [ORR_DOUBT_CUT] = 'C',
};

const char *const orr__doubt_needs[] = {
    "counters.packets_sent",
    "counters.packets_dropped",
    "counters.timeouts",
    "counters.longest_timeout_ns",
    "end.state",
    "end.at_ns",
    "end.jobs",
    "end.open_jobs",
    "end.flows",
    "end.open_flows",
    "repeat.jobs.*.simulated",
    "repeat.jobs.*.repeated",
    "repeat.jobs.*.inferred",
    "repeat.jobs.*.error",
    "basis.iterations",
    "basis.iterations_inferred",
    "basis.error_worst",
    "cluster.accuracy",
    "cluster.retransmissions_per_iteration",
    "notes",
    "cut.*.list",
    "cut.*.shown",
    "cut.*.of",
    NULL,
};

/* ---- taking it ----------------------------------------------------------- */

/* 0: there is no such number. */
static double number(const json_t *object, const char *key)
{
    double x = json_number_value(json_object_get(object, key));
    return isfinite(x) ? x : 0;
}

static double ratio_of(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

/* Of the summary's `end`: what was open when the run was stopped. ns. */
static void take_end(struct orr_doubt *d, const json_t *end)
{
    const char *state = json_string_value(json_object_get(end, "state"));
    d->stopped =
        state
        && (strcmp(state, "stopped") == 0 || strcmp(state, "interrupted") == 0);
    d->quiet = state && strcmp(state, "quiet") == 0;
    d->at_ns = number(end, "at_ns");
    d->jobs = number(end, "jobs");
    d->open_jobs = number(end, "open_jobs");
    d->flows = number(end, "flows");
    d->open_flows = number(end, "open_flows");
}

/* Iterations of jobs that were inferred by `repeat: sampled`, or those of a
 * cluster that its pace made unnecessary. */
static void take_inferred(struct orr_doubt *d, const json_t *summary)
{
    const json_t *basis = json_object_get(summary, "basis"), *job;
    const json_t *cluster = json_object_get(summary, "cluster");
    const json_t *repeat = json_object_get(summary, "repeat");
    const char *pace = json_string_value(json_object_get(cluster, "accuracy"));
    double all = number(basis, "iterations");
    double inferred = number(basis, "iterations_inferred");
    size_t i;
    d->error = number(basis, "error_worst");
    d->fluid = pace && strcmp(pace, "fluid") == 0;
    json_array_foreach(json_object_get(repeat, "jobs"), i, job)
    {
        inferred += number(job, "inferred");
        all += number(job, "simulated") + number(job, "repeated")
               + number(job, "inferred");
        d->error = fmax(d->error, number(job, "error"));
    }
    d->inferred = ratio_of(inferred, all);
    if (inferred <= 0)
        d->error = 0;
}

/* All notes as lines of one text. ORR_ENOMEM. */
static orr_err take_notes(struct orr_doubt *d, const json_t *notes)
{
    struct orr_text t = {.s = NULL};
    const json_t *note;
    size_t i;
    json_array_foreach(notes, i, note) if (json_is_string(note)) orr__text_add(
        &t, "%s%s", t.length ? "\n" : "", json_string_value(note));
    if (!t.length && !t.failed)
        return ORR_OK;
    d->notes = orr__text_done(&t);
    return d->notes ? ORR_OK : ORR_ENOMEM;
}

orr_err orr__doubt_take(struct orr_doubt *d, const json_t *summary)
{
    const json_t *n = json_object_get(summary, "counters");
    *d = (struct orr_doubt){
        .lost =
            ratio_of(number(n, "packets_dropped"), number(n, "packets_sent")),
        .timeouts = number(n, "timeouts"),
        .longest_ns = number(n, "longest_timeout_ns"),
        .resent = number(json_object_get(summary, "cluster"),
                         "retransmissions_per_iteration"),
    };
    take_end(d, json_object_get(summary, "end"));
    take_inferred(d, summary);
    return take_notes(d, json_object_get(summary, "notes"));
}

void orr__doubt_fini(struct orr_doubt *d)
{
    orr__free(d->notes);
    orr__free(d->cut);
    *d = (struct orr_doubt){.lost = 0};
}

orr_err orr__doubt_copy(struct orr_doubt *to, const struct orr_doubt *from)
{
    *to = *from;
    to->notes = from->notes ? orr__strdup(from->notes) : NULL;
    to->cut = from->cut ? orr__strdup(from->cut) : NULL;
    return (from->notes && !to->notes) || (from->cut && !to->cut) ? ORR_ENOMEM
                                                                  : ORR_OK;
}

static bool has_line(const char *lines, const char *line)
{
    size_t n = strlen(line);
    for (const char *s = lines; s; s = strchr(s, '\n')) {
        s += *s == '\n';
        if (strncmp(s, line, n) == 0 && (s[n] == '\n' || s[n] == '\0'))
            return true;
    }
    return false;
}

orr_err orr__doubt_add_cut(struct orr_doubt *d, const char *line)
{
    if (has_line(d->cut, line))
        return ORR_OK;
    char *all =
        d->cut ? orr__format("%s\n%s", d->cut, line) : orr__strdup(line);
    if (!all)
        return ORR_ENOMEM;
    orr__free(d->cut);
    d->cut = all;
    return ORR_OK;
}

/* ---- saying it ----------------------------------------------------------- */

static double lines_of(const char *s)
{
    double n = s && *s;
    for (; s && *s; s++)
        n += *s == '\n';
    return n;
}

double orr__doubt_amount(const struct orr_doubt *d, enum orr_doubt_kind k)
{
    switch (k) {
    case ORR_DOUBT_LOST: return d->lost > 0 ? d->lost : d->resent;
    case ORR_DOUBT_TIMEOUTS: return d->timeouts;
    case ORR_DOUBT_STOPPED:
        return d->stopped ? 1 + d->open_jobs + d->open_flows : 0;
    case ORR_DOUBT_QUIET:
        return d->quiet ? 1 + d->open_jobs + d->open_flows : 0;
    case ORR_DOUBT_INFERRED: return d->fluid ? 1 : d->inferred;
    case ORR_DOUBT_NOTED: return lines_of(d->notes);
    case ORR_DOUBT_CUT: return lines_of(d->cut);
    case ORR_DOUBTS: break;
    }
    return 0;
}

void orr__doubt_marks(const struct orr_doubt *d, char marks[ORR_DOUBT_MARKS])
{
    size_t n = 0;
    for (int k = 0; k < ORR_DOUBTS; k++)
        if (orr__doubt_amount(d, k) > 0)
            marks[n++] = orr__doubt_letters[k];
    marks[n] = '\0';
}

static void say_lost(struct orr_text *t, const struct orr_doubt *d)
{
    if (d->lost > 0)
        orr__text_add(t,
                      d->lost < 0.1 ? "%.2g %% of packets lost"
                                    : "%.3g %% of packets lost",
                      100 * d->lost);
    else
        orr__text_add(t, "%.3g packets sent again an iteration", d->resent);
}

static void say_timeouts(struct orr_text *t, const struct orr_doubt *d)
{
    char n[32], longest[32];
    orr__group_digits((uint64_t)d->timeouts, n, sizeof n);
    orr__human_long_time((int64_t)(d->longest_ns + 0.5), longest,
                         sizeof longest);
    orr__text_add(
        t, d->timeouts > 1 ? "%s timeouts of up to %s" : "%s timeout of %s", n,
        longest);
}

/* "2 of 3 jobs" */
static void say_open(struct orr_text *t, const char *before, double open,
                     double all, const char *what)
{
    char n[32], of[32];
    orr__group_digits((uint64_t)open, n, sizeof n);
    orr__group_digits((uint64_t)all, of, sizeof of);
    orr__text_add(t, "%s%s of %s %s%s", before, n, of, what,
                  all > 1 ? "s" : "");
}

/* "stopped at 3 ms: 2 of 3 jobs not finished". */
static void say_end(struct orr_text *t, const struct orr_doubt *d,
                    const char *how)
{
    char at[32];
    orr__human_long_time((int64_t)(d->at_ns + 0.5), at, sizeof at);
    orr__text_add(t, "%s at %s", how, at);
    if (d->open_jobs > 0)
        say_open(t, ": ", d->open_jobs, d->jobs, "job");
    if (d->open_flows > 0)
        say_open(t, d->open_jobs > 0 ? " and " : ": ", d->open_flows, d->flows,
                 "flow");
    if (d->open_jobs > 0 || d->open_flows > 0)
        orr__text_add(t, " not finished");
}

static void say_inferred(struct orr_text *t, const struct orr_doubt *d)
{
    if (d->fluid) {
        orr__text_add(t, "shares of links, no packets");
        return;
    }
    orr__text_add(t, "%.3g %% of iterations inferred", 100 * d->inferred);
    if (d->error > 0)
        orr__text_add(t, ", means known to %.2g %%", 100 * d->error);
}

static void say_count(struct orr_text *t, double n, const char *what)
{
    orr__text_add(t, "%.0f %s%s", n, what, n > 1 ? "s" : "");
}

void orr__doubt_say(struct orr_text *t, const struct orr_doubt *d,
                    enum orr_doubt_kind k)
{
    switch (k) {
    case ORR_DOUBT_LOST: say_lost(t, d); break;
    case ORR_DOUBT_TIMEOUTS: say_timeouts(t, d); break;
    case ORR_DOUBT_STOPPED: say_end(t, d, "stopped"); break;
    case ORR_DOUBT_QUIET: say_end(t, d, "no events left"); break;
    case ORR_DOUBT_INFERRED: say_inferred(t, d); break;
    case ORR_DOUBT_NOTED: say_count(t, lines_of(d->notes), "note"); break;
    case ORR_DOUBT_CUT: say_count(t, lines_of(d->cut), "cut list"); break;
    case ORR_DOUBTS: break;
    }
}

static void say_lines(struct orr_text *t, const char *lines)
{
    for (; lines && *lines; lines++)
        if (*lines == '\n')
            orr__text_add(t, "; ");
        else
            orr__text_piece(t, lines, 1);
}

void orr__doubt_text(struct orr_text *t, const struct orr_doubt *d)
{
    bool any = false;
    for (int k = 0; k < ORR_DOUBTS; k++) {
        if (!(orr__doubt_amount(d, k) > 0))
            continue;
        orr__text_add(t, "%s", any ? ", " : "");
        if (k == ORR_DOUBT_NOTED || k == ORR_DOUBT_CUT)
            say_lines(t, k == ORR_DOUBT_CUT ? d->cut : d->notes);
        else
            orr__doubt_say(t, d, k);
        any = true;
    }
}

/* ---- of a whole summary -------------------------------------------------- */

static void add_each(struct orr_text *t, char mark, const char *lines)
{
    while (lines && *lines) {
        size_t n = strcspn(lines, "\n");
        orr__text_add(t, "%c %.*s\n", mark, (int)n, lines);
        lines += n + (lines[n] == '\n');
    }
}

char *orr__doubt_of_summary(const char *json)
{
    struct orr_doubt d = {0};
    struct orr_text t = {.s = NULL};
    json_t *summary = json ? json_loads(json, 0, NULL) : NULL;
    orr_err err = summary ? orr__doubt_take(&d, summary) : ORR_ENOMEM;
    orr__text_add(&t, "%s", "");
    for (int k = 0; k < ORR_DOUBTS; k++)
        if (k == ORR_DOUBT_NOTED) {
            add_each(&t, orr__doubt_letters[k], d.notes);
        } else if (orr__doubt_amount(&d, k) > 0) {
            orr__text_add(&t, "%c ", orr__doubt_letters[k]);
            orr__doubt_say(&t, &d, k);
            orr__text_add(&t, "\n");
        }
    orr__doubt_fini(&d);
    json_decref(summary);
    char *made = orr__text_done(&t);
    if (err) {
        orr__free(made);
        return NULL;
    }
    return made;
}

char *orr__doubt_of_world(const struct orr_world *w)
{
    char *json = orr__results_doubt_json(w);
    char *lines = orr__doubt_of_summary(json);
    orr__free(json);
    return lines;
}
