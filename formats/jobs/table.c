#include "formats/jobs/table.h"
#include "core/none.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "core/array.h"
#include "core/assert.h"
#include "core/json_read.h"
#include "core/memory.h"
#include "core/units.h"

enum { MOST_COLUMNS = 64 };

/* ---- opening ----------------------------------------------------------- */

static void begin_table(struct orr_jobs_table *t, struct orr_config *c,
                        struct orr_report *why)
{
    *t = (struct orr_jobs_table){.config = c, .why = why};
}

orr_err orr__jobs_open(struct orr_jobs_table *t, struct orr_config *c,
                       const char *path, char separator, struct orr_report *why)
{
    begin_table(t, c, why);
    orr_err err = orr__scan_open(&t->scan, path, path, why);
    t->scan.separator = separator;
    return err;
}

void orr__jobs_fini(struct orr_jobs_table *t)
{
    orr__scan_fini(&t->scan);
    orr__names_fini(&t->texts);
    orr__free(t->text);
    t->text = NULL;
}

/* ---- fields ------------------------------------------------------------ */

/* The last word, kept once however often it comes. */
static orr_err keep_text(struct orr_jobs_table *t, const char **out)
{
    uint32_t i = orr__names_find(&t->texts, t->scan.word);
    if (i != ORR_NONE) {
        *out = t->text[i];
        return ORR_OK;
    }
    if (!orr__array_more(t->text, t->text_room, t->n_texts))
        return orr__no_memory(t->why);
    *out = orr__arena_strdup(orr__config_arena(t->config), t->scan.word);
    if (!*out || !orr__names_add(&t->texts, *out, t->n_texts))
        return orr__no_memory(t->why);
    t->text[t->n_texts++] = *out;
    return ORR_OK;
}

static orr_err read_moment(struct orr_jobs_table *t, const char *name,
                           int64_t *ns)
{
    const char *wrong = orr__jobs_moment(t->scan.word, ns);
    return wrong ? orr__scan_fail(&t->scan, "%s: %s", name, wrong) : ORR_OK;
}

static orr_err read_unit(struct orr_jobs_table *t, const char *name,
                         int64_t *ns)
{
    const char *wrong = orr__parse_long_time(t->scan.word, ns);
    return wrong ? orr__scan_fail(&t->scan, "%s: %s", name, wrong) : ORR_OK;
}

/* {"nvidia.com/gpu": 8, ...}, its quotes doubled if it stood in quotes. */
static orr_err read_resources(struct orr_jobs_table *t, const char *name,
                              uint32_t *gpus)
{
    char *text = orr__strdup(t->scan.word), *to = text;
    if (!text)
        return orr__no_memory(t->why);
    for (const char *p = text; *p; p++) {
        *to++ = *p;
        p += p[0] == '"' && p[1] == '"';
    }
    *to = '\0';
    json_t *map;
    orr_err err = orr__json_load(text, strlen(text), 0, &map, NULL);
    orr__free(text);
    if (err)
        return orr__no_memory(t->why);
    json_t *count = json_object_get(map, "nvidia.com/gpu");
    double n = 0;
    bool fine = json_is_object(map);
    if (json_is_string(count))
        fine = fine && !orr__parse_real(json_string_value(count), &n);
    else if (count)
        fine = fine && json_is_number(count);
    if (json_is_number(count))
        n = json_number_value(count);
    fine = fine && n >= 0 && n <= ORR_JOBS_MOST_GPUS;
    *gpus = fine ? (uint32_t)n : 0;
    json_decref(map);
    return fine ? ORR_OK
                : orr__scan_fail(&t->scan,
                                 "%s: no resources like "
                                 "{\"nvidia.com/gpu\": 8}",
                                 name);
}

/* A count, also as a table with gaps writes it: 4.0. */
static orr_err read_count(struct orr_jobs_table *t, const char *name,
                          int64_t most, int64_t *n)
{
    double x;
    if (orr__parse_real(t->scan.word, &x) || x != floor(x) || fabs(x) > 0x1p53)
        return orr__scan_int(&t->scan, name, 0, most, n);
    if (x < 0 || x > (double)most)
        return orr__scan_fail(&t->scan, "%s must be from 0 to %lld, not %.24s",
                              name, (long long)most, t->scan.word);
    *n = (int64_t)x;
    return ORR_OK;
}

/* What tables write where they know nothing. */
static bool says_nothing(const char *word)
{
    static const char *const nothing[] = {"",     "NA",   "N/A",  "NaN", "nan",
                                          "NULL", "null", "None", "NaT", "-"};
    for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++)
        if (strcmp(word, nothing[i]) == 0)
            return true;
    return false;
}

/* By what the column is; texts are the document's, moments ns. */
static orr_err read_field(struct orr_jobs_table *t,
                          const struct orr_jobs_column *c)
{
    struct orr_jobs_line *at = &t->at;
    int64_t n = 0;
    orr_err err = ORR_OK;
    switch (c->field) {
    case ORR_JOBS_ID:
        at->id = orr__arena_strdup(orr__config_arena(t->config), t->scan.word);
        return at->id ? ORR_OK : orr__no_memory(t->why);
    case ORR_JOBS_APPLICATION: return keep_text(t, &at->application);
    case ORR_JOBS_HOST: return keep_text(t, &at->host);
    case ORR_JOBS_TENANT: return keep_text(t, &at->tenant);
    case ORR_JOBS_PART: return keep_text(t, &at->part);
    case ORR_JOBS_STOP: return read_moment(t, c->name, &at->stop_ns);
    case ORR_JOBS_SUBMIT: return read_moment(t, c->name, &at->submit_ns);
    case ORR_JOBS_SUBMIT_UNIT: return read_unit(t, c->name, &at->submit_ns);
    case ORR_JOBS_START: return read_moment(t, c->name, &at->start_ns);
    case ORR_JOBS_END: return read_moment(t, c->name, &at->end_ns);
    case ORR_JOBS_DURATION: return read_moment(t, c->name, &at->duration_ns);
    case ORR_JOBS_DURATION_UNIT: return read_unit(t, c->name, &at->duration_ns);
    case ORR_JOBS_ITERATIONS:
        err = read_count(t, c->name, INT64_MAX, &n);
        at->iterations = (uint64_t)n;
        return err;
    case ORR_JOBS_GPUS:
        err = read_count(t, c->name, ORR_JOBS_MOST_GPUS, &n);
        at->gpus = (uint32_t)n;
        return err;
    case ORR_JOBS_RESOURCES: return read_resources(t, c->name, &at->gpus);
    case ORR_JOBS_OTHER:
    case ORR_JOBS_FIELDS: break;
    }
    return ORR_OK;
}

/* ---- lines ------------------------------------------------------------- */

static const struct orr_jobs_column passed_over = {"", ORR_JOBS_OTHER, false};

orr_err orr__jobs_names(struct orr_jobs_table *t,
                        const struct orr_jobs_column *known)
{
    struct orr_scan *s = &t->scan;
    bool any = orr__scan_line_on(s);
    while (any && orr__scan_field(s)) {
        if (t->columns == MOST_COLUMNS)
            return orr__scan_fail(s, "more than %d columns", MOST_COLUMNS);
        const struct orr_jobs_column *found = &passed_over;
        for (const struct orr_jobs_column *k = known; k->name; k++)
            if (strcmp(k->name, s->word) == 0)
                found = k;
        for (uint32_t i = 0; i < t->columns; i++)
            if (found != &passed_over && t->column[i] == found)
                return orr__scan_fail(s, "there are two columns \"%s\"",
                                      found->name);
        t->column[t->columns++] = found;
    }
    for (const struct orr_jobs_column *k = known; k->name; k++) {
        bool there = !k->needed;
        for (uint32_t i = 0; i < t->columns; i++)
            there = there || t->column[i] == k;
        if (!there)
            return orr__scan_fail(s, "there is no column \"%s\"", k->name);
    }
    return ORR_OK;
}

/* A line of as many fields as there are columns; one more may be empty. */
orr_err orr__jobs_next(struct orr_jobs_table *t, bool *more)
{
    struct orr_scan *s = &t->scan;
    t->at = (struct orr_jobs_line){.id = NULL};
    *more = orr__scan_line_on(s);
    if (!*more)
        return ORR_OK;
    t->at.line = (uint64_t)orr__scan_line(s);
    for (uint32_t i = 0; i < t->columns; i++) {
        const struct orr_jobs_column *c = t->column[i];
        /* The last may be empty, and then there is nothing to find. */
        if (!orr__scan_field(s) && (i + 1 < t->columns || i == 0))
            return orr__scan_fail(s,
                                  "a line of %u columns is expected, this "
                                  "one has %u",
                                  t->columns, i);
        bool nothing = says_nothing(s->word);
        if (nothing && c->needed)
            return orr__scan_fail(
                s, s->length ? "%s is missing: \"%s\"" : "%s is missing",
                c->name, s->word);
        if (nothing || c->field == ORR_JOBS_OTHER)
            continue;
        orr_err err = read_field(t, c);
        if (err)
            return err;
        t->at.has[c->field] = true;
    }
    if (orr__scan_field(s) && s->length)
        return orr__scan_fail(s,
                              "a line of %u columns is expected, this one "
                              "has more",
                              t->columns);
    return ORR_OK;
}

orr_err orr__jobs_push(struct orr_job_trace *out, uint32_t *room,
                       const struct orr_trace_row *row, struct orr_report *why)
{
    if (!orr__array_more(out->row, *room, out->n))
        return orr__no_memory(why);
    out->row[out->n++] = *row;
    return ORR_OK;
}

/* Columns of the file that say how long a job ran. */
static bool tells_duration(const struct orr_jobs_table *t)
{
    for (uint32_t i = 0; i < t->columns; i++) {
        enum orr_jobs_field f = t->column[i]->field;
        if (f == ORR_JOBS_DURATION || f == ORR_JOBS_END)
            return true;
    }
    return false;
}

/* It began before it was submitted: something of that is wrong. */
static void note_early(struct orr_job_trace *out,
                       const struct orr_jobs_line *at)
{
    if (!at->has[ORR_JOBS_START] || !at->has[ORR_JOBS_SUBMIT]
        || at->start_ns >= at->submit_ns)
        return;
    if (out->early.jobs++ == 0) {
        out->early.line = at->line;
        out->early.by_ns = at->submit_ns - at->start_ns;
    }
}

orr_err orr__jobs_add(struct orr_jobs_table *t)
{
    struct orr_jobs_line *at = &t->at;
    if (!at->has[ORR_JOBS_DURATION] && at->has[ORR_JOBS_START]
        && at->has[ORR_JOBS_END] && at->end_ns > at->start_ns)
        at->duration_ns = at->end_ns - at->start_ns;
    note_early(t->out, at);
    if (at->gpus == 0 || (tells_duration(t) && at->duration_ns == 0)) {
        t->out->left_out++;
        return ORR_OK;
    }
    ORR_ASSERT(at->gpus <= ORR_JOBS_MOST_GPUS && at->duration_ns >= 0);
    const struct orr_trace_row row = {
        .id = at->id,
        .application = at->application,
        .tenant = at->tenant,
        .submit_ns = at->submit_ns,
        .duration_ns = at->duration_ns,
        .iterations = at->iterations,
        .gpus = at->gpus,
        .line = at->line,
    };
    return orr__jobs_push(t->out, &t->room, &row, t->why);
}

orr_err orr__jobs_all(struct orr_jobs_table *t)
{
    bool more = true;
    orr_err err = ORR_OK;
    while (!err && more) {
        err = orr__jobs_next(t, &more);
        if (!err && more)
            err = orr__jobs_add(t);
    }
    return err;
}

orr_err orr__jobs_read_table(struct orr_config *c, const char *path,
                             char separator,
                             const struct orr_jobs_column *known,
                             struct orr_job_trace *out, struct orr_report *why)
{
    struct orr_jobs_table t;
    orr_err err = orr__jobs_open(&t, c, path, separator, why);
    t.out = out;
    if (!err)
        err = orr__jobs_names(&t, known);
    if (!err)
        err = orr__jobs_all(&t);
    orr__jobs_fini(&t);
    return err;
}
