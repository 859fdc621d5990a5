/* Traces of jobs in files of their own, read by one of the formats. */
#ifndef ORR_TESTS_JOB_TRACES_H
#define ORR_TESTS_JOB_TRACES_H

#include "tests/workload/cluster/coming.h"

#include "formats/jobs/jobs.h"
#include "formats/jobs/table.h"

struct trace_folder {
    char path[64], file[160];
};

static inline void trace_open(struct trace_folder *f)
{
    snprintf(f->path, sizeof f->path, "/tmp/orrery-jobs-XXXXXX");
    assert_non_null(mkdtemp(f->path));
}

static inline void trace_put(struct trace_folder *f, const char *name,
                             const char *text)
{
    snprintf(f->file, sizeof f->file, "%s/%s", f->path, name);
    FILE *out = fopen(f->file, "w");
    assert_non_null(out);
    assert_true(fputs(text, out) >= 0);
    assert_int_equal(fclose(out), 0);
}

static inline void trace_close(struct trace_folder *f)
{
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", f->path);
    assert_int_equal(system(command), 0);
}

static inline const struct orr_job_trace_format *trace_format(const char *name)
{
    const struct orr_job_trace_format *const *all = orr__job_trace_formats();
    while (*all && strcmp((*all)->name, name) != 0)
        all++;
    assert_non_null(*all);
    return *all;
}

static inline struct orr_config *trace_config(void)
{
    struct orr_report why = {0};
    struct orr_config *c;
    assert_int_equal(orr__config_parse("test.yaml", "{}", 2, &c, &why), ORR_OK);
    return c;
}

#endif
