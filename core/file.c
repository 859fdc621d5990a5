#include "core/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/memory.h"

/* Names that are tried beside one's own, and races that are lost to others,
 * before giving up. */
#define TRIES 100

static orr_err cannot(const char *name, int error, struct orr_report *why)
{
    if (error == ENOMEM)
        return orr__no_memory(why);
    return orr__fail(why, ORR_EIO, "cannot write %s: %s", name,
                     strerror(error));
}

/* ---- what a name means --------------------------------------------------- */

/* Of "/proc/self/fd/3" or "/dev/fd/3"; else -1. */
static int number_of(const char *name)
{
    static const char *const folder[] = {"/dev/fd/", "/proc/self/fd/"};
    for (size_t i = 0; i < sizeof folder / sizeof *folder; i++) {
        size_t n = strlen(folder[i]);
        char *end;
        if (strncmp(name, folder[i], n) != 0 || name[n] < '0' || name[n] > '9')
            continue;
        long fd = strtol(name + n, &end, 10);
        if (*end == '\0' && fd <= 1 << 20)
            return (int)fd;
    }
    return -1;
}

/* The descriptor of this process that a name stands for, itself or by a link as
 * the standard streams have one in /dev; -1: none. Opening the name instead
 * would give a descriptor with a place in the file of its own. */
static int descriptor(const char *name)
{
    char link[64];
    int fd = number_of(name);
    ssize_t n = fd < 0 ? readlink(name, link, sizeof link - 1) : -1;
    if (n <= 0)
        return fd;
    link[n] = '\0';
    return number_of(link);
}

orr_err orr__file_target(const char *name, char **target, bool *regular,
                         struct orr_report *why)
{
    struct stat st;
    char real[4096];
    *regular = true;
    if (!name[0]) /* renaming would find out, when all is written */
        return cannot("a file without a name", ENOENT, why);
    if (descriptor(name) >= 0) { /* a pipe's link leads to no name */
        *regular = false;
    } else if (lstat(name, &st) == 0) {
        if (realpath(name, real) == NULL)
            return cannot(name, errno, why);
        *regular = stat(real, &st) == 0 && S_ISREG(st.st_mode);
        name = real;
    }
    *target = orr__strdup(name);
    return *target ? ORR_OK : orr__no_memory(why);
}

/* ---- opening ------------------------------------------------------------- */

/* A pipe without a reader is an error and not waited for; whoever has opened
 * one writes as to any file. */
static int open_direct(const char *name)
{
    int fd = descriptor(name);
    if (fd >= 0)
        return fcntl(fd, F_DUPFD_CLOEXEC, 3);
    fd = open(name, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    int flags = fcntl(fd, F_GETFL);
    if (flags >= 0)
        (void)fcntl(fd, F_SETFL, flags & ~O_NONBLOCK);
    return fd;
}

static orr_err cannot_direct(const char *name, int error,
                             struct orr_report *why)
{
    struct stat st;
    if (error == ENXIO && stat(name, &st) == 0 && S_ISFIFO(st.st_mode))
        return orr__fail(why, ORR_EIO,
                         "cannot write %s: the pipe has no reader", name);
    return cannot(name, error, why);
}

/* Under the first name that nobody writes to now: what a process that died has
 * left there is removed, and another one may be writing the same file. */
static int open_beside(struct orr_file *f)
{
    int fd = -1;
    for (int i = 0; i < TRIES && fd < 0; i++) {
        orr__free(f->partial);
        f->partial = orr__format("%s.%d.partial", f->target, i);
        if (f->partial == NULL) {
            errno = ENOMEM;
            return -1;
        }
        fd = orr__file_create(f->partial);
        if (fd < 0 && errno != EEXIST && errno != EAGAIN)
            break;
    }
    return fd;
}

static void forget(struct orr_file *f)
{
    orr__free(f->name);
    orr__free(f->target);
    orr__free(f->partial);
    *f = (struct orr_file){.out = NULL};
}

orr_err orr__file_open(struct orr_file *f, const char *name,
                       struct orr_report *why)
{
    bool regular = true;
    *f = (struct orr_file){.name = orr__strdup(name)};
    orr_err err = f->name ? orr__file_target(name, &f->target, &regular, why)
                          : orr__no_memory(why);
    if (err == ORR_OK && !regular) {
        orr__free(f->target);
        f->target = NULL;
    }
    if (err == ORR_OK) {
        int fd = f->target ? open_beside(f) : open_direct(name);
        f->out = fd >= 0 ? fdopen(fd, "w") : NULL;
        int reason = errno;
        if (f->out == NULL) {
            err = f->target ? cannot(name, reason, why)
                            : cannot_direct(name, reason, why);
            if (fd >= 0 && f->partial)
                unlink(f->partial);
            if (fd >= 0)
                close(fd);
        }
    }
    if (err)
        forget(f);
    return err;
}

/* ---- closing ------------------------------------------------------------- */

int orr__file_sync(int fd)
{
    return fsync(fd) == 0 || errno == EINVAL ? 0 : errno;
}

void orr__file_put(struct orr_file *f, const char *text, size_t n)
{
    errno = 0;
    if (fwrite(text, 1, n, f->out) != n && !f->error)
        f->error = errno ? errno : EIO;
}

/* 0, or the errno of the first step that failed. */
static int flush_file(struct orr_file *f)
{
    int code = f->error;
    errno = 0;
    if (!code && (fflush(f->out) != 0 || ferror(f->out)))
        code = errno ? errno : EIO;
    if (!code && f->partial)
        code = orr__file_sync(fileno(f->out));
    if (fclose(f->out) != 0 && !code)
        code = errno;
    f->out = NULL;
    return code;
}

orr_err orr__file_close(struct orr_file *f, orr_err err, struct orr_report *why)
{
    /* the lock lasts until the name is free: else others would remove it */
    int held = f->partial ? fcntl(fileno(f->out), F_DUPFD_CLOEXEC, 3) : -1;
    int code = flush_file(f);
    if (!err && !code && f->partial && rename(f->partial, f->target) != 0)
        code = errno;
    if (!err && code)
        err = cannot(f->name, code, why);
    if (err && f->partial)
        unlink(f->partial);
    if (held >= 0)
        close(held);
    forget(f);
    return err;
}

void orr__file_abandon(struct orr_file *f)
{
    if (f->out && f->partial)
        unlink(f->partial);
    if (f->out)
        fclose(f->out);
    forget(f);
}

/* ---- files that keep their name ------------------------------------------ */

static bool is_at_name(int fd, const char *name)
{
    struct stat a, b;
    return fstat(fd, &a) == 0 && lstat(name, &b) == 0 && a.st_dev == b.st_dev
           && a.st_ino == b.st_ino;
}

/* A file system without locks is no reason to fail. */
static bool lock_file(int fd)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(fd, F_OFD_SETLK, &whole) == 0
           || (errno != EAGAIN && errno != EACCES);
}

/* Removes what a process that died has left; 0, or errno. */
static int clear_partial(const char *name)
{
    struct stat st;
    int fd, error = 0;
    if (lstat(name, &st) != 0)
        return errno == ENOENT ? 0 : errno;
    if (!S_ISREG(st.st_mode))
        return EEXIST;
    fd = open(name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? 0 : errno;
    if (!lock_file(fd))
        error = EAGAIN;
    else if (is_at_name(fd, name) && unlink(name) != 0)
        error = errno;
    close(fd);
    return error;
}

int orr__file_create(const char *name)
{
    for (int i = 0; i < TRIES; i++) {
        int fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                      0666);
        if (fd < 0 && errno != EEXIST)
            return -1;
        if (fd < 0) {
            int error = clear_partial(name);
            errno = error;
            if (error)
                return -1;
            continue;
        }
        /* Another process may have taken it for one that was left. */
        if (lock_file(fd) && is_at_name(fd, name))
            return fd;
        close(fd);
    }
    errno = EAGAIN;
    return -1;
}

/* ---- folders ------------------------------------------------------------ */

/* errno of the failure, or 0; it is fine that it is there. */
static int make_one(const char *name, bool *made)
{
    struct stat s;
    *made = mkdir(name, 0777) == 0;
    int reason = errno;
    if (*made
        || (reason == EEXIST && stat(name, &s) == 0 && S_ISDIR(s.st_mode)))
        return 0;
    return reason;
}

orr_err orr__make_folder(const char *name, bool *made, struct orr_report *why)
{
    bool is_new;
    char *part = orr__strdup(name);
    if (!part)
        return orr__no_memory(why);
    int reason = make_one(name, &is_new);
    for (char *p = part; reason == ENOENT && (p = strchr(p + 1, '/'));) {
        *p = '\0';
        bool any;
        (void)make_one(part, &any); /* what fails shows below */
        *p = '/';
    }
    if (reason == ENOENT)
        reason = make_one(name, &is_new);
    orr__free(part);
    if (made)
        *made = is_new;
    return reason ? orr__fail(why, ORR_EIO, "cannot make the folder %s: %s",
                              name, strerror(reason))
                  : ORR_OK;
}
