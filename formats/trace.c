/* What formats of traces share: their files. */
#include "formats/trace.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/read.h"

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
    int wrong = orr__read_file(path, MOST, ORR_READ_REGULAR, text, length);
    if (wrong == ENOMEM)
        return orr__no_memory(why);
    if (wrong == EFBIG || wrong == EISDIR || wrong == EINVAL)
        return orr__fail_at(why, ORR_ECONFIG, path, 0, 0,
                            "not a file of at most 1 GiB");
    return wrong ? orr__fail_at(why, ORR_ECONFIG, path, 0, 0, "%s",
                                strerror(wrong))
                 : ORR_OK;
}

/* ORR_ECONFIG at the byte's line and column. */
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
    orr_err err = orr__trace_slurp(path, text, length, &reason);
    if (err == ORR_ECONFIG)
        return orr__yaml_fail(job->config, at ? at : job->node, why,
                              "trace.%s: cannot read %s: %s", key, path,
                              reason.message);
    if (err || !*text)
        return orr__no_memory(why);
    const char *nul = memchr(*text, '\0', *length);
    if (nul)
        err = no_text(path, *text, nul, why);
    else if ((*text)[strspn(*text, " \t\r\n")] == '\0')
        err = orr__fail_at(why, ORR_ECONFIG, path, 1, 1, "this file is empty");
    if (!err && strncmp(*text, "\xef\xbb\xbf", 3) == 0) {
        /* a byte order mark */
        *length -= 3;
        memmove(*text, *text + 3, *length + 1);
    }
    if (!err)
        return ORR_OK;
    orr__free(*text);
    *text = NULL;
    return err;
}
