#include "formats/trace.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "core/memory.h"
#include "formats/astra/report.h"
#include "formats/trace_list.h"
#include "workload/job/job.h"

#define DECLARE(name) extern const struct orr_trace_format orr__trace_##name;
ORR_TRACES(DECLARE)
#undef DECLARE

const struct orr_trace_format *const *orr__trace_formats(void)
{
#define ENTRY(name) &orr__trace_##name,
    static const struct orr_trace_format *const all[] = {
        ORR_TRACES(ENTRY) NULL};
#undef ENTRY
    return all;
}

struct common {
    const char *format;
};
const struct orr_param orr__trace_params[] = {
    {
        .key = "format",
        .type = ORR_PARAM_TEXT,
        .offset = offsetof(struct common, format),
        .help = "what the files are: chakra, astra or simai",
    },
    ORR_PARAM_END,
};

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
                          "chakra, astra and simai"
                        : "trace: `format` is missing: chakra, astra or "
                          "simai%s",
                   name ? name : "");
    const char *near = name ? orr__param_nearest(names, name) : NULL;
    if (near)
        orr__hint(why, "did you mean \"%s\"?", near);
    return ORR_ECONFIG;
}

/* Of this process's CPU time: what loading took, whoever else is at work. */
static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static orr_err read_trace(const struct orr_trace_job *job,
                          struct orr_program **out,
                          struct orr_program_source **made,
                          struct orr_report *why)
{
    const struct orr_trace_format *f;
    struct common common;
    double from = seconds();
    orr_err e = find_format(job, &f, why);
    if (e)
        return e;
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
    e = orr__param_read(job->config, job->node, "trace", sets, 2, why);
    i->source.ops = &orr__traces;
    i->format = f->name;
    if (!e)
        e = f->read(job, keys, out, i, why);
    i->load_s = seconds() - from;
    i->source.watches = i->astra;
    *made = &i->source;
    orr__free(keys);
    return e;
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

/* ---- for formats --------------------------------------------------------- */

char *orr__trace_path(const struct orr_trace_job *job, const char *file)
{
    const char *folder = orr__config_folder(job->config);
    if (file[0] == '/' || !strcmp(folder, "."))
        return orr__strdup(file);
    return orr__format("%s/%s", folder, file);
}

orr_err orr__trace_slurp(const char *path, char **text, size_t *length,
                         struct orr_report *why)
{
    enum { MOST = 1 << 30 };
    struct stat st;
    FILE *f = fopen(path, "rbe");
    *text = NULL;
    if (!f)
        return orr__fail_at(why, ORR_ECONFIG, path, 0, 0,
                            "%s", strerror(errno));
    if (fstat(fileno(f), &st) || !S_ISREG(st.st_mode) || st.st_size > MOST) {
        (void)fclose(f);
        return orr__fail_at(why, ORR_ECONFIG, path, 0, 0,
                            "not a file of at most 1 GiB");
    }
    size_t size = (size_t)st.st_size;
    char *p = orr__alloc(size + 1, 1);
    if (!p) {
        (void)fclose(f);
        return orr__no_memory(why);
    }
    *length = fread(p, 1, size, f);
    bool failed = ferror(f);
    (void)fclose(f);
    if (failed) {
        orr__free(p);
        return orr__fail_at(why, ORR_ECONFIG, path, 0, 0,
                            "%s", strerror(errno));
    }
    *text = p;
    return ORR_OK;
}

static orr_err no_text(const char *path, const char *text, const char *nul,
                       struct orr_report *why)
{
    int line = 1;
    const char *from = text;
    for (const char *p = text; p < nul; p++)
        if (*p == '\n') {
            line++;
            from = p + 1;
        }
    return orr__fail_at(why, ORR_ECONFIG, path, line, (int)(nul - from) + 1,
                        "a zero byte: this is no text file");
}

orr_err orr__trace_text_file(const struct orr_trace_job *job, const char *key,
                             const char *path, char **text, size_t *length,
                             struct orr_report *why)
{
    struct orr_report reason = {.code = ORR_OK};
    const struct orr_yaml *at = orr__yaml_get(job->node, key);
    orr_err e = orr__trace_slurp(path, text, length, &reason);
    if (e == ORR_ECONFIG)
        return orr__yaml_fail(job->config, at ? at : job->node, why,
                              "trace.%s: cannot read %s: %s", key, path,
                              reason.message);
    if (e || !*text)
        return orr__no_memory(why);
    const char *nul = memchr(*text, '\0', *length);
    if (nul)
        e = no_text(path, *text, nul, why);
    else if ((*text)[strspn(*text, " \t\r\n")] == '\0')
        e = orr__fail_at(why, ORR_ECONFIG, path, 1, 1, "this file is empty");
    if (!e && strncmp(*text, "\xef\xbb\xbf", 3) == 0) {
        /* a byte order mark */
        *length -= 3;
        memmove(*text, *text + 3, *length + 1);
    }
    if (!e)
        return ORR_OK;
    orr__free(*text);
    *text = NULL;
    return e;
}
