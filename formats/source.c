/* Traces as the source of a job's program: the registry of formats, and what is
 * reported in ASTRA-sim's terms. */
#include "formats/source.h"
#include "core/config/module.h"

#include <string.h>
#include <time.h>

#include "core/config/family.h"
#include "core/memory.h"
#include "formats/astra/report.h"
#include "formats/trace_list.h"
#include "workload/job/job.h"

ORR_FAMILY(orr__trace_formats, ORR_TRACE_LIST, struct orr_trace_format,
           orr__trace_)

/* The key that all formats have. */
struct common {
    const char *format;
};
const struct orr_param orr__trace_params[] = {
    {
        .key = "format",
        .type = ORR_PARAM_TEXT,
        .offset = offsetof(struct common, format),
        .help = "what the files are: chakra, astra, simai, flexflow or goal",
    },
    ORR_PARAM_END,
};

/* ORR_ECONFIG with the nearest name. */
static orr_err find_format(const struct orr_trace_job *job,
                           const struct orr_trace_format **out,
                           struct orr_report *why)
{
    const struct orr_yaml *at = orr__yaml_get(job->node, "format");
    const char *name = orr__yaml_text(job->config, at);
    const char *names[16];
    size_t n = 0;
    for (const struct orr_trace_format *const *f = orr__trace_formats(); *f;
         f++) {
        if (name && !strcmp((*f)->name, name)) {
            *out = *f;
            return ORR_OK;
        }
        names[n++] = (*f)->name;
    }
    names[n] = NULL;
    orr__yaml_fail(job->config, at ? at : job->node, why,
                   name ? "trace: there is no format \"%s\"; there are "
                          "chakra, astra, simai, flexflow and goal"
                        : "trace: `format` is missing: chakra, astra, simai, "
                          "flexflow or goal%s",
                   name ? name : "");
    orr__hint_nearest(why, names, name);
    return ORR_ECONFIG;
}

/* Of this process's CPU time: what loading took, whoever else is at work. */
static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Keys live while the format reads; the info is the arena's. */
static orr_err read_trace(const struct orr_trace_job *job,
                          struct orr_program **out,
                          struct orr_program_source **made,
                          struct orr_report *why)
{
    const struct orr_trace_format *f;
    struct common common;
    double from = seconds();
    orr_err err = find_format(job, &f, why);
    if (err)
        return err;
    struct orr_trace_info *i = orr__arena_alloc(job->arena, 1, sizeof *i);
    void *keys = orr__alloc(1, f->params_size);
    if (!i || !keys) {
        orr__free(keys);
        return orr__no_memory(why);
    }
    const struct orr_param_set sets[] = {
        {orr__trace_params, &common},
        {f->params, keys},
    };
    err = orr__param_read(job->config, job->node, "trace", sets, 2, why);
    i->source.ops = &orr__traces;
    i->format = f->name;
    if (!err)
        err = f->read(job, keys, out, i, why);
    i->load_s = seconds() - from;
    i->source.watches = i->astra;
    *made = &i->source;
    orr__free(keys);
    return err;
}

/* ---- as a source --------------------------------------------------------- */

static const struct orr_trace_info *info_of(const struct orr_program_source *s)
{
    return (const struct orr_trace_info *)s;
}

static void closed(struct orr_program_source *s, const struct orr_world *w,
                   const struct orr_job *j)
{
    struct orr_trace_info *i = (struct orr_trace_info *)s;
    for (uint32_t r = 0; i->sys && r < j->ranks; r++)
        i->sys[r].finish_ps = j->rank[r].finish_ps;
    if (i->astra)
        orr__astra_close(i->astra, w, j);
}

static void text(const struct orr_program_source *s, struct orr_text *t,
                 int indent)
{
    orr__trace_text(t, info_of(s), indent);
}

static bool results(const struct orr_program_source *s, struct orr_text *t,
                    int indent)
{
    const struct orr_trace_info *i = info_of(s);
    if (i->astra)
        orr__astra_text_report(t, i->astra, indent);
    if (i->sys)
        orr__sys_text_report(t, i, indent);
    return i->sys;
}

static void json(const struct orr_program_source *s, struct orr_json *j)
{
    orr__trace_json(j, info_of(s));
}

const struct orr_program_source_ops orr__traces = {
    .read = read_trace,
    .closed = closed,
    .text = text,
    .results = results,
    .json = json,
};

const struct orr_trace_info *orr__trace_of(const struct orr_job *j)
{
    return j->source && j->source->ops == &orr__traces ? info_of(j->source)
                                                       : NULL;
}
