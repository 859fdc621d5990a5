/* Traces of Gavel (OSDI 2020): tabs between fields, and no names of columns.
 * What they are has changed over time; their number tells. Arrivals are
 * seconds, the length is in steps. */
#include "core/scan.h"
#include "formats/jobs/table.h"

static const struct orr_jobs_column job_type = {"job type",
                                                ORR_JOBS_APPLICATION, true};
static const struct orr_jobs_column steps = {"total steps", ORR_JOBS_ITERATIONS,
                                             true};
static const struct orr_jobs_column arrival = {"arrival time", ORR_JOBS_SUBMIT,
                                               true};
static const struct orr_jobs_column scale = {"scale factor", ORR_JOBS_GPUS,
                                             true};
static const struct orr_jobs_column other = {"", ORR_JOBS_OTHER, false};

/* 6: type, command, argument, steps, arrival, scale
 * 7: with `needs data` behind the argument
 * 9: type, command, argument, needs data, steps, scale, weight, SLO, arrival
 * 10: with the working directory behind the command */
static bool set_columns(struct orr_jobs_table *t, uint32_t n)
{
    bool late = n >= 9;
    uint32_t at_steps = n == 6 ? 3 : n == 10 ? 5 : 4;
    if (n != 6 && n != 7 && n != 9 && n != 10)
        return false;
    for (uint32_t i = 0; i < n; i++)
        t->column[i] = &other;
    t->column[0] = &job_type;
    t->column[at_steps] = &steps;
    t->column[late ? at_steps + 1 : n - 1] = &scale;
    t->column[late ? n - 1 : at_steps + 1] = &arrival;
    t->columns = n;
    return true;
}

/* Fields of the first line that has some. */
static orr_err find_columns(struct orr_jobs_table *t)
{
    struct orr_scan *s = &t->scan;
    uint32_t n = 1;
    if (!orr__scan_line_on(s))
        return ORR_OK;
    for (const char *p = orr__scan_line_tail(s); *p && *p != '\n'; p++)
        n += *p == '\t';
    if (set_columns(t, n))
        return ORR_OK;
    return orr__scan_fail(s,
                          "a line of 6, 7, 9 or 10 columns is expected, "
                          "with tabs between them, not %u",
                          n);
}

/* Out->row is freed by the caller, also after an error. */
static orr_err read_gavel(struct orr_config *c, const char *path,
                          struct orr_job_trace *out, struct orr_report *why)
{
    struct orr_jobs_table t;
    orr_err err = orr__jobs_open(&t, c, path, '\t', why);
    t.out = out;
    if (!err)
        err = find_columns(&t);
    if (!err)
        err = orr__jobs_all(&t);
    orr__jobs_fini(&t);
    return err;
}

extern const struct orr_job_trace_format orr__job_trace_gavel;
const struct orr_job_trace_format orr__job_trace_gavel = {
    .name = "gavel",
    .doc = "Gavel: .trace, fields separated by tabs; steps are iterations",
    .read = read_gavel,
};
