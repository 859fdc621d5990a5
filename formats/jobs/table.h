/* Jobs in a table: a line each, fields apart by commas or tabs. A format says
 * what its columns are called and what is in them. */
#ifndef ORR_FORMATS_JOBS_TABLE_H
#define ORR_FORMATS_JOBS_TABLE_H

#include "core/names.h"
#include "core/scan.h"
#include "workload/cluster/arrivals.h"

/* What a field is. Times are seconds, or dates (orr__jobs_moment), but for
 * those with a unit. Empty ones are not said, unless the column is needed. */
enum orr_jobs_field {
    ORR_JOBS_OTHER, /* passed over */
    ORR_JOBS_ID,
    ORR_JOBS_APPLICATION,
    ORR_JOBS_SUBMIT,
    ORR_JOBS_SUBMIT_UNIT, /* 10s, 2h */
    ORR_JOBS_START,
    ORR_JOBS_END,
    ORR_JOBS_DURATION,
    ORR_JOBS_DURATION_UNIT,
    ORR_JOBS_ITERATIONS,
    ORR_JOBS_GPUS,
    ORR_JOBS_STOP,      /* another end */
    ORR_JOBS_PART,      /* a text */
    ORR_JOBS_HOST,      /* for tables of something else than jobs */
    ORR_JOBS_TENANT,    /* a text */
    ORR_JOBS_RESOURCES, /* JSON with "nvidia.com/gpu" */
    ORR_JOBS_FIELDS,
};

enum { ORR_JOBS_MOST_GPUS = 16000000 };

/* A column that a format knows; static. */
struct orr_jobs_column {
    const char *name; /* NULL: behind the last one */
    enum orr_jobs_field field;
    bool needed; /* in the first line, and in every other */
};

/* A line. Texts live in the configuration's arena. */
struct orr_jobs_line {
    const char *id, *application, *host, *part, *tenant;
    bool has[ORR_JOBS_FIELDS];
    int64_t submit_ns, start_ns, end_ns, stop_ns, duration_ns;
    uint64_t iterations;
    uint32_t gpus;
    uint64_t line;
};

/* A table while it is read; freed with orr__jobs_fini. */
struct orr_jobs_table {
    struct orr_scan scan;
    struct orr_config *config;
    struct orr_report *why;
    struct orr_job_trace *out;
    uint32_t room;
    struct orr_names texts; /* applications and hosts: each is kept once */
    const char **text;
    uint32_t n_texts, text_room;
    const struct orr_jobs_column *column[64]; /* of the file, in its order */
    uint32_t columns;
    struct orr_jobs_line at; /* the line that was read last */
};

/* Opens a file; fini also when it fails. Without a place the failure is to be
 * given one by who named the file. */
ORR_CHECK_RESULT orr_err orr__jobs_open(struct orr_jobs_table *t,
                                        struct orr_config *c, const char *path,
                                        char separator, struct orr_report *why);
void orr__jobs_fini(struct orr_jobs_table *t);

/* The first line, of names of columns. Columns that `known` does not name are
 * passed over. */
ORR_CHECK_RESULT orr_err orr__jobs_names(struct orr_jobs_table *t,
                                         const struct orr_jobs_column *known);
/* The next line, by t->column, into t->at. *more false: there is none. */
ORR_CHECK_RESULT orr_err orr__jobs_next(struct orr_jobs_table *t, bool *more);
/* t->at as a job; when it has no GPUs, or never ran, it is left out. */
ORR_CHECK_RESULT orr_err orr__jobs_add(struct orr_jobs_table *t);
/* All lines of a table of jobs. */
ORR_CHECK_RESULT orr_err orr__jobs_all(struct orr_jobs_table *t);

/* A table with names of columns, as a format reads it. */
orr_err orr__jobs_read_table(struct orr_config *c, const char *path,
                             char separator,
                             const struct orr_jobs_column *known,
                             struct orr_job_trace *out, struct orr_report *why);

/* Adds a row to out, whose rows are the caller's to free. */
ORR_CHECK_RESULT orr_err orr__jobs_push(struct orr_job_trace *out,
                                        uint32_t *room,
                                        const struct orr_trace_row *row,
                                        struct orr_report *why);
/* Seconds ("12.5"), or a date and a time of day: 2023-03-01 00:18:22+08:00,
 * 2023/3/1 0:18, with a T between them, with parts of a second, or Z for the
 * offset; without one it is UTC. In ns, dates since 1970. NULL: it is one, else
 * what is wrong. */
const char *orr__jobs_moment(const char *text, int64_t *ns);

#endif
