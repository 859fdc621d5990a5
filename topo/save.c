#include "topo/save.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/memory.h"

orr_err orr__save_open(struct orr_save *s, const char *path,
                       struct orr_report *why)
{
    struct stat st;
    *s = (struct orr_save){ .path = path };
    if (stat(path, &st) != 0 || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)) {
        s->partial = orr__format("%s.partial", path);
        if (s->partial == NULL)
            return orr__no_memory(why);
    }
    s->out = fopen(s->partial ? s->partial : path, "w");
    if (s->out)
        return ORR_OK;
    orr_err err = orr__fail(why, ORR_EIO, "cannot write %s: %s",
                            s->partial ? s->partial : path, strerror(errno));
    orr__free(s->partial);
    s->partial = NULL;
    return err;
}

/* 0, or the errno of the first step that failed. */
static int flush(struct orr_save *s)
{
    int code = s->error;
    errno = 0;
    if (!code && (fflush(s->out) != 0 || ferror(s->out)))
        code = errno ? errno : EIO;
    if (!code && s->partial && fsync(fileno(s->out)) != 0)
        code = errno;
    if (fclose(s->out) != 0 && !code)
        code = errno;
    s->out = NULL;
    return code;
}

orr_err orr__save_close(struct orr_save *s, orr_err err,
                        struct orr_report *why)
{
    int code = flush(s);
    if (!err && !code && s->partial && rename(s->partial, s->path) != 0)
        code = errno;
    if (!err && code)
        err = orr__fail(why, ORR_EIO, "cannot write %s: %s", s->path,
                        strerror(code));
    if (err && s->partial)
        unlink(s->partial);
    orr__free(s->partial);
    s->partial = NULL;
    return err;
}
