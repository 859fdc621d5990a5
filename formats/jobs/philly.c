/* cluster_job_log of Philly (ATC 2019): JSON, a list of jobs, each with its
 * attempts: when they began and ended, and which GPUs of which servers they
 * had. A job's length is that of all attempts together, its GPUs are those of
 * the last that had any. Times are dates; those that were not recorded are
 * null, "None" or empty. */
#include <string.h>

#include "core/assert.h"
#include "core/json_read.h"
#include "core/json_skip.h"
#include "core/memory.h"
#include "core/units.h"
#include "formats/jobs/table.h"

/* The file while it is read. */
struct log {
    struct orr_config *c;
    struct orr_report *why;
    const char *path, *text;
    struct orr_job_trace *out;
    uint32_t room;
    struct orr_json_cursor from; /* behind the job that was read last */
    int line;                    /* there */
};

/* The line where the cursor stands, which came from `p`. */
static int count_lines(struct log *l, const char *p)
{
    for (; p < l->from.at; p++)
        l->line += *p == '\n';
    return l->line;
}

/* Line of the next job of a list that jansson has read. */
static int next_line(struct log *l)
{
    const char *from = l->from.at;
    orr__json_skip_blanks(&l->from);
    l->from.at++; /* the list's bracket, or the comma behind the job before */
    ORR_ASSERT(l->from.at <= l->from.end);
    orr__json_skip_blanks(&l->from);
    int line = count_lines(l, from);
    from = l->from.at;
    orr__json_skip_value(&l->from);
    count_lines(l, from);
    return line;
}

static orr_err fail_line(const struct log *l, int line, const char *message)
{
    return orr__fail_at(l->why, ORR_ECONFIG, l->path, line, 1, "%s", message);
}

/* 0: it is not said. False: it is none. */
static bool read_date(const json_t *value, int64_t *ns)
{
    const char *text = json_string_value(value);
    *ns = 0;
    if (!value || json_is_null(value))
        return true;
    if (text && (!*text || strcmp(text, "None") == 0))
        return true;
    return text && !orr__jobs_moment(text, ns);
}

static uint32_t count_gpus(const json_t *attempt)
{
    const json_t *detail = json_object_get(attempt, "detail");
    size_t n = 0;
    for (size_t i = 0; i < json_array_size(detail); i++)
        n +=
            json_array_size(json_object_get(json_array_get(detail, i), "gpus"));
    return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

/* Jobs that had no GPUs, or never ran, are counted as left out. */
static orr_err read_job(struct log *l, const json_t *job, int line)
{
    struct orr_trace_row row = {.line = (uint64_t)line};
    const char *id = json_string_value(json_object_get(job, "jobid"));
    const json_t *attempts = json_object_get(job, "attempts");
    if (!id)
        return fail_line(l, line, "this job has no \"jobid\"");
    if (!read_date(json_object_get(job, "submitted_time"), &row.submit_ns)
        || row.submit_ns == 0)
        return fail_line(l, line, "\"submitted_time\" of this job is no date");
    for (size_t i = 0; i < json_array_size(attempts); i++) {
        const json_t *a = json_array_get(attempts, i);
        int64_t start, end;
        if (!read_date(json_object_get(a, "start_time"), &start)
            || !read_date(json_object_get(a, "end_time"), &end))
            return fail_line(l, line,
                             "an attempt of this job has a time that is "
                             "no date");
        if (start && end > start)
            row.duration_ns = orr__time_add(row.duration_ns, end - start);
        uint32_t gpus = count_gpus(a);
        row.gpus = gpus ? gpus : row.gpus;
    }
    if (row.gpus == 0 || row.duration_ns == 0) {
        l->out->left_out++;
        return ORR_OK;
    }
    row.id = orr__arena_strdup(orr__config_arena(l->c), id);
    const char *vc = json_string_value(json_object_get(job, "vc"));
    row.tenant = vc ? orr__arena_strdup(orr__config_arena(l->c), vc) : NULL;
    if (vc && !row.tenant)
        return orr__no_memory(l->why);
    return row.id ? orr__jobs_push(l->out, &l->room, &row, l->why)
                  : orr__no_memory(l->why);
}

/* Lines for messages are found anew, as the JSON reader does not keep them. */
static orr_err read_text(struct log *l, size_t length)
{
    const struct orr_json_text json = {l->path, l->text, length};
    json_t *list;
    orr_err err = orr__json_read(&json, 0, JSON_ARRAY,
                                 "a list of jobs is expected", &list, l->why);
    l->from = (struct orr_json_cursor){l->text, l->text + length};
    l->line = 1;
    for (size_t i = 0; !err && i < json_array_size(list); i++) {
        const json_t *job = json_array_get(list, i);
        int line = next_line(l);
        if (json_is_object(job))
            err = read_job(l, job, line);
        else
            err = fail_line(l, line, "a list of jobs, each a map, is expected");
    }
    json_decref(list);
    return err;
}

/* Out->row is freed by the caller, also after an error. */
static orr_err read_philly(struct orr_config *c, const char *path,
                           struct orr_job_trace *out, struct orr_report *why)
{
    struct orr_scan s;
    struct log l = {.c = c, .why = why, .path = path, .out = out};
    orr_err err = orr__scan_open(&s, path, path, why);
    if (err)
        return err;
    l.text = orr__scan_line_tail(&s);
    err = read_text(&l, strlen(l.text));
    orr__scan_fini(&s);
    return err;
}

extern const struct orr_job_trace_format orr__job_trace_philly;
const struct orr_job_trace_format orr__job_trace_philly = {
    .name = "philly",
    .doc = "Philly: cluster_job_log, JSON with jobid, submitted_time, "
           "attempts",
    .read = read_philly,
};
