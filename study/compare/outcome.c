/* What a run left: its summary, or why there is none. */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/json_read.h"
#include "core/memory.h"
#include "core/read.h"
#include "study/compare/measure.h"
#include "study/compare/study.h"
#include "study/compare/summary_filter.h"

#define LONGEST_REASON 400

char *orr__trial_path(const char *folder, const struct orr_trial *t,
                      const char *name)
{
    return orr__format("%s/runs/%s/%s", folder, t->hash, name);
}

/* ---- summaries ---------------------------------------------------------- */

enum found { FOUND_NOTHING, FOUND_PART, FOUND_ALL };

orr_err orr__outcome_room(const struct orr_compare *c, struct orr_trial *t,
                          struct orr_report *why)
{
    if (!t->value)
        t->value = orr__alloc(2 * (size_t)c->measures, sizeof *t->value);
    if (!t->value)
        return orr__no_memory(why);
    t->half = t->value + c->measures;
    return ORR_OK;
}

/* The measure, and half of the run's own 95 % interval where it gives one; NAN:
 * none. */
static orr_err take_value(const struct orr_compare *c, struct orr_trial *t,
                          uint32_t measure, const json_t *summary)
{
    const struct orr_study_measure *m = &c->measure[measure];
    double *value = &t->value[measure], *half = &t->half[measure];
    orr_err err = orr__measure_value(summary, m->path, value);
    *half = NAN;
    if (!err && m->own.path)
        err = orr__measure_value(summary, m->own.path, half);
    if (m->own.share)
        *half *= fabs(*value);
    return err;
}

/* Lists that are measured and lack members. */
static orr_err take_cuts(const struct orr_compare *c, struct orr_trial *t,
                         const json_t *summary)
{
    orr_err err = ORR_OK;
    for (uint32_t i = 0; i < c->measured && !err; i++) {
        bool all;
        const json_t *cut = orr__measure_cut(summary, c->measure[i].path, &all);
        if (!cut)
            continue;
        char *line =
            orr__format("%s ends after %.0f of %.0f",
                        json_string_value(json_object_get(cut, "list")),
                        json_number_value(json_object_get(cut, "shown")),
                        json_number_value(json_object_get(cut, "of")));
        err = line ? orr__doubt_add_cut(&t->doubt, line) : ORR_ENOMEM;
        orr__free(line);
    }
    return err;
}

static orr_err take_doubt(const struct orr_compare *c, struct orr_trial *t,
                          const json_t *summary, struct orr_report *why)
{
    orr__doubt_fini(&t->doubt);
    orr_err err = orr__doubt_take(&t->doubt, summary);
    if (!err)
        err = take_cuts(c, t, summary);
    return err ? orr__no_memory(why) : ORR_OK;
}

/* All measures, and CPU seconds. */
static orr_err take_values(const struct orr_compare *c, struct orr_trial *t,
                           const json_t *summary, struct orr_report *why)
{
    orr_err err = orr__outcome_room(c, t, why);
    for (uint32_t i = c->measured; i < c->measures && !err; i++) {
        t->value[i] = t->given[i - c->measured];
        t->half[i] = NAN;
    }
    for (uint32_t i = 0; i < c->measured && !err; i++)
        err = take_value(c, t, i, summary);
    if (err)
        return orr__no_memory(why);
    const json_t *wall = json_object_get(summary, "wall");
    t->cpu_s = json_number_value(json_object_get(wall, "cpu_seconds"))
               + json_number_value(json_object_get(wall, "setup_seconds"));
    return ORR_OK;
}

/* What the study needs of a summary; NULL: it cannot be read. */
static orr_err load_summary(const struct orr_compare *c, const char *path,
                            json_t **summary)
{
    char *text, *part = NULL;
    size_t length = 0;
    orr_err err = ORR_OK;
    int wrong =
        orr__read_file(path, SIZE_MAX / 2, ORR_READ_REGULAR, &text, &length);
    *summary = NULL;
    if (wrong == ENOMEM)
        err = ORR_ENOMEM;
    else if (!wrong)
        err = orr__summary_filter(text, length, c->needed, c->n_needed, &part);
    if (part)
        err = orr__json_load(part, strlen(part), 0, summary, NULL);
    orr__free(part);
    orr__free(text);
    return err;
}

/* Does a list that some measure goes through end early? */
static bool lacks_members(const struct orr_compare *c, const json_t *summary)
{
    bool all;
    for (uint32_t i = 0; i < c->measured; i++)
        if (orr__measure_cut(summary, c->measure[i].path, &all))
            return true;
    return false;
}

/* A summary that cannot be read is none, and where runs may be done anew so is
 * one that lacks members of what is measured. A partial one is of a run that
 * was ended by `stop`, by a signal, or because it could not go on. */
static orr_err read_summary(const struct orr_compare *c, const char *folder,
                            struct orr_trial *t, enum found *found,
                            struct orr_report *why)
{
    char *path = orr__trial_path(folder, t, "summary.json");
    *found = FOUND_NOTHING;
    if (!path)
        return orr__no_memory(why);
    json_t *summary;
    orr_err err = load_summary(c, path, &summary);
    orr__free(path);
    if (err)
        return orr__no_memory(why);
    const json_t *partial = json_object_get(summary, "partial");
    if (json_is_boolean(partial)
        && (c->collects || !lacks_members(c, summary))) {
        *found = json_is_true(partial) ? FOUND_PART : FOUND_ALL;
        err = take_values(c, t, summary, why);
        if (!err)
            err = take_doubt(c, t, summary, why);
    }
    json_decref(summary);
    return err;
}

/* ---- reasons ------------------------------------------------------------ */

/* The first line of the log that is no note, without what begins every
 * message. */
static void first_line(const char *folder, const struct orr_trial *t,
                       char *line, size_t size)
{
    char *path = orr__trial_path(folder, t, "log"), *log = NULL;
    size_t length;
    bool there =
        path
        && orr__read_file(path, 8191, ORR_READ_BEGINNING, &log, &length) == 0;
    char *text = there ? log : (char[]){""};
    orr__free(path);
    while (strncmp(text, "note: ", 6) == 0) {
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    text[strcspn(text, "\n")] = '\0';
    const char *from = strncmp(text, "orrery: ", 8) == 0 ? text + 8 : text;
    snprintf(line, size, "%.*s", (int)size - 1, from);
    for (char *ch = line; *ch; ch++)
        if ((unsigned char)*ch < 32)
            *ch = ' ';
    orr__free(log);
}

static orr_err fail_trial(struct orr_trial *t, const char *reason,
                          struct orr_report *why)
{
    orr__free(t->reason);
    t->reason = orr__strdup(reason);
    t->state = ORR_TRIAL_FAILED;
    return t->reason ? ORR_OK : orr__no_memory(why);
}

/* ---- before this call --------------------------------------------------- */

/* In one folder. A failure counts if it left a partial summary: the run came to
 * an end, and would come to the same again. Without one the machine may have
 * been to blame, and the run is done anew; but who only collects says what the
 * log does. Runs that others started have no line in the journal. */
static orr_err recall_in(struct orr_compare *c, const char *folder,
                         struct orr_trial *t, struct orr_report *why)
{
    const struct orr_journal_entry *e = orr__journal_find(&c->journal, t->hash);
    char line[LONGEST_REASON] = "";
    enum found found;
    orr_err err = read_summary(c, folder, t, &found, why);
    if (err)
        return err;
    if (e && e->ok && found != FOUND_NOTHING)
        t->cpu_s = e->cpu_s;
    if (e ? e->ok && found != FOUND_NOTHING : found == FOUND_ALL) {
        t->state = ORR_TRIAL_OK;
        return ORR_OK;
    }
    if (found == FOUND_NOTHING && !c->collects)
        return ORR_OK;
    if (e && !e->ok && e->reason)
        return fail_trial(t, e->reason, why);
    first_line(folder, t, line, sizeof line);
    if (strncmp(line, "interrupted", 11) == 0)
        return ORR_OK;
    if (line[0])
        return fail_trial(t, line, why);
    if (found == FOUND_PART)
        t->state = ORR_TRIAL_OK;
    return ORR_OK;
}

orr_err orr__outcome_recall(struct orr_compare *c, struct orr_trial *t,
                            struct orr_report *why)
{
    orr_err err = recall_in(c, c->folder, t, why);
    for (size_t i = 0;
         i < c->n_collect && !err && t->state == ORR_TRIAL_MISSING; i++)
        err = recall_in(c, c->collect[i], t, why);
    t->reused = t->state != ORR_TRIAL_MISSING;
    return err;
}

/* ---- now ---------------------------------------------------------------- */

static void describe_end(const struct orr_compare_ended *e, char *text,
                         size_t size)
{
    if (e->status < 0)
        snprintf(text, size, "ended by signal %d (%s)", e->signal,
                 strsignal(e->signal));
    else
        snprintf(text, size, "ended with status %d without a message",
                 e->status);
}

orr_err orr__outcome_take(struct orr_compare *c, struct orr_trial *t,
                          const struct orr_compare_ended *e,
                          struct orr_report *why)
{
    char reason[LONGEST_REASON] = "";
    enum found found = FOUND_NOTHING;
    orr_err err = ORR_OK;
    if (e->status >= 0) /* what failed may have left one as well */
        err = read_summary(c, c->folder, t, &found, why);
    if (err)
        return err;
    t->state = ORR_TRIAL_OK;
    if (e->status != 0 || found == FOUND_NOTHING) {
        if (e->status == 0)
            snprintf(reason, sizeof reason, "left no summary");
        else if (e->status > 0)
            first_line(c->folder, t, reason, sizeof reason);
        if (!reason[0])
            describe_end(e, reason, sizeof reason);
        err = fail_trial(t, reason, why);
    }
    t->cpu_s = e->cpu_s;
    return err ? err : orr__journal_add(&c->journal, t, why);
}
