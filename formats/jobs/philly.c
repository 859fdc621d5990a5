/* cluster_job_log of Philly (ATC 2019): JSON, a list of jobs, each with its
 * attempts: when they began and ended, and which GPUs of which servers they
 * had. A job's length is that of all attempts together, its GPUs are those of
 * the last that had any. Times are dates; those that were not recorded are
 * null, "None" or empty. */
#include <string.h>

#include <jansson.h>

#include "core/memory.h"
#include "formats/jobs/table.h"

struct log {
    struct orr_config *c;
    struct orr_report *why;
    const char *path, *text;
    struct orr_job_trace *out;
    uint32_t room;
    const char *at; /* how far `line` has looked */
    int depth, line;
};

static const char *after_string(const char *p)
{
    for (p++; *p && *p != '"'; p++)
        p += *p == '\\' && p[1];
    return *p ? p + 1 : p;
}

/* Line of the next job: of the next map within the outermost list. */
static int next_line(struct log *l)
{
    const char *p = l->at;
    int found = l->line;
    while (*p) {
        if (*p == '"') {
            p = after_string(p);
            continue;
        }
        bool open = *p == '{' || *p == '[';
        l->line += *p == '\n';
        if (open && ++l->depth == 2) {
            found = l->line;
            p++;
            break;
        }
        l->depth -= *p == '}' || *p == ']';
        p++;
    }
    l->at = p;
    return found;
}

static orr_err fail(const struct log *l, int line, const char *message)
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
        n += json_array_size(json_object_get(json_array_get(detail, i),
                                             "gpus"));
    return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

static orr_err read_job(struct log *l, const json_t *job, int line)
{
    struct orr_trace_row row = { .line = (uint64_t)line };
    const char *id = json_string_value(json_object_get(job, "jobid"));
    const json_t *attempts = json_object_get(job, "attempts");
    if (!id)
        return fail(l, line, "this job has no \"jobid\"");
    if (!read_date(json_object_get(job, "submitted_time"), &row.submit_ns) ||
        row.submit_ns == 0)
        return fail(l, line, "\"submitted_time\" of this job is no date");
    for (size_t i = 0; i < json_array_size(attempts); i++) {
        const json_t *a = json_array_get(attempts, i);
        int64_t start, end;
        if (!read_date(json_object_get(a, "start_time"), &start) ||
            !read_date(json_object_get(a, "end_time"), &end))
            return fail(l, line, "an attempt of this job has a time that is "
                        "no date");
        if (start && end > start)
            row.duration_ns += end - start;
        uint32_t gpus = count_gpus(a);
        row.gpus = gpus ? gpus : row.gpus;
    }
    if (row.gpus == 0 || row.duration_ns == 0) {
        l->out->left_out++;
        return ORR_OK;
    }
    row.id = orr__arena_strdup(orr__config_arena(l->c), id);
    return row.id ? orr__jobs_push(l->out, &l->room, &row, l->why)
                  : orr__no_memory(l->why);
}

static orr_err read_text(struct log *l, size_t length)
{
    json_error_t where;
    json_t *list = json_loadb(l->text, length, 0, &where);
    if (!list)
        return orr__fail_at(l->why, ORR_ECONFIG, l->path, where.line,
                            where.column, "%s", where.text);
    orr_err err = ORR_OK;
    if (!json_is_array(list))
        err = fail(l, 1, "a list of jobs is expected");
    l->at = l->text;
    l->line = 1;
    for (size_t i = 0; !err && i < json_array_size(list); i++) {
        const json_t *job = json_array_get(list, i);
        if (json_is_object(job))
            err = read_job(l, job, next_line(l));
        else
            err = fail(l, l->line, "a list of jobs, each a map, is expected");
    }
    json_decref(list);
    return err;
}

static orr_err read_philly(struct orr_config *c, const char *path,
                           struct orr_job_trace *out, struct orr_report *why)
{
    struct orr_scan s;
    struct log l = { .c = c, .why = why, .path = path, .out = out };
    orr_err err = orr__scan_open(&s, path, path, why);
    if (err)
        return err;
    l.text = orr__scan_rest_of(&s);
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
