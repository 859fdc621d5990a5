#include "record/record_file.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/file.h"
#include "core/memory.h"

/* What HDF5 holds for an open file. It may open and close one more than once
 * while it creates it; the descriptor is the owner's. */
struct driver {
    H5FD_t head; /* HDF5's own; comes first */
    struct orr_record_file *file;
    haddr_t eoa; /* end of what HDF5 has given out */
};

static struct driver *driver_of(H5FD_t *d)
{
    return (struct driver *)d;
}

/* Of HDF5: the file is open already. */
static H5FD_t *driver_open(const char *name, unsigned flags, hid_t fapl,
                           haddr_t maxaddr)
{
    struct orr_record_file *const *file = H5Pget_driver_info(fapl);
    struct driver *d = file ? orr__alloc(1, sizeof *d) : NULL;
    if (file && d == NULL)
        (*file)->error = ENOMEM;
    if (d == NULL)
        return NULL;
    d->file = *file;
    return &d->head;
}

static herr_t driver_close(H5FD_t *d)
{
    orr__free(d);
    return 0;
}

/* HDF5 looks for a file that it has open already. */
static int driver_compare(const H5FD_t *a, const H5FD_t *b)
{
    const struct driver *p = (const struct driver *)a;
    const struct driver *q = (const struct driver *)b;
    return (p->file > q->file) - (p->file < q->file);
}

static herr_t driver_query(const H5FD_t *d, unsigned long *flags)
{
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA
             | H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_AGGREGATE_SMALLDATA;
    return 0;
}

static haddr_t driver_eoa(const H5FD_t *d, H5FD_mem_t type)
{
    return ((const struct driver *)d)->eoa;
}

static herr_t driver_set_eoa(H5FD_t *d, H5FD_mem_t type, haddr_t at)
{
    driver_of(d)->eoa = at;
    return 0;
}

static haddr_t driver_eof(const H5FD_t *d, H5FD_mem_t type)
{
    const struct driver *p = (const struct driver *)d;
    off_t end = lseek(p->file->fd, 0, SEEK_END);
    return p->file->error || end < 0 ? p->eoa : (haddr_t)end;
}

/* Beyond the end, and after a failure, bytes read as 0. */
static herr_t driver_read(H5FD_t *d, H5FD_mem_t type, hid_t dxpl, haddr_t at,
                          size_t size, void *buffer)
{
    struct orr_record_file *f = driver_of(d)->file;
    char *to = buffer;
    while (size > 0) {
        ssize_t n = pread(f->fd, to, size, (off_t)at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && !f->error)
            f->error = errno;
        if (n <= 0)
            break;
        to += n;
        at += (haddr_t)n;
        size -= (size_t)n;
    }
    memset(to, 0, size);
    return 0;
}

/* A write past the limit of `ulimit -f` raises a signal that ends the process;
 * here it is a failure like any other. */
static int limit_exceeded(haddr_t end)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && end > limit.rlim_cur;
}

/* Of HDF5; the first failure is kept in the file. */
static herr_t driver_write(H5FD_t *d, H5FD_mem_t type, hid_t dxpl, haddr_t at,
                           size_t size, const void *buffer)
{
    struct orr_record_file *f = driver_of(d)->file;
    const char *from = buffer;
    if (!f->error && limit_exceeded(at + size))
        f->error = EFBIG;
    while (size > 0 && !f->error) {
        ssize_t n = pwrite(f->fd, from, size, (off_t)at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            f->error = n < 0 ? errno : ENOSPC;
            break;
        }
        from += n;
        at += (haddr_t)n;
        size -= (size_t)n;
    }
    return 0;
}

/* The file is as long as what was given out: a reader checks that. */
static herr_t driver_truncate(H5FD_t *d, hid_t dxpl, hbool_t closing)
{
    struct driver *p = driver_of(d);
    struct orr_record_file *f = p->file;
    if (!f->error && limit_exceeded(p->eoa))
        f->error = EFBIG;
    if (!f->error && driver_eof(d, H5FD_MEM_DEFAULT) != p->eoa
        && ftruncate(f->fd, (off_t)p->eoa) != 0)
        f->error = errno;
    return 0;
}

static const H5FD_class_t driver_class = {
    .name = "orrery",
    .maxaddr = INT64_MAX,
    .fc_degree = H5F_CLOSE_STRONG,
    .fapl_size = sizeof(struct orr_record_file *),
    .open = driver_open,
    .close = driver_close,
    .cmp = driver_compare,
    .query = driver_query,
    .get_eoa = driver_eoa,
    .set_eoa = driver_set_eoa,
    .get_eof = driver_eof,
    .read = driver_read,
    .write = driver_write,
    .truncate = driver_truncate,
    .fl_map = H5FD_FLMAP_DICHOTOMY, /* metadata apart from data */
};

hid_t orr__record_file_driver(struct orr_record_file *f, hid_t fapl)
{
    hid_t id = H5FDregister(&driver_class);
    if (id >= 0 && H5Pset_driver(fapl, id, &f) < 0) {
        H5FDunregister(id);
        return -1;
    }
    return id;
}

/* The message for this errno. */
static orr_err cannot_create(const char *name, int error,
                             struct orr_report *why)
{
    if (error == EAGAIN)
        return orr__fail(why, ORR_ECONFIG,
                         "cannot write %s: another run is writing it", name);
    if (error == EEXIST)
        return orr__fail(why, ORR_ECONFIG,
                         "cannot write %s: that is there, and is no regular "
                         "file",
                         name);
    return orr__fail(why, ORR_ECONFIG, "cannot write %s: %s", name,
                     strerror(error));
}

orr_err orr__record_file_open(struct orr_record_file *f, const char *name,
                              struct orr_report *why)
{
    *f = (struct orr_record_file){.fd = -1, .name = orr__strdup(name)};
    if (f->name == NULL)
        return orr__no_memory(why);
    f->fd = orr__file_create(name);
    if (f->fd >= 0)
        return ORR_OK;
    orr_err err = cannot_create(name, errno, why);
    orr__record_file_close(f, true);
    return err;
}

orr_err orr__record_file_sync(struct orr_record_file *f, struct orr_report *why)
{
    if (!f->error)
        f->error = orr__file_sync(f->fd);
    return orr__record_file_state(f, why);
}

orr_err orr__record_file_rename(struct orr_record_file *f, const char *name,
                                struct orr_report *why)
{
    char *copy = orr__strdup(name);
    if (copy == NULL)
        return orr__no_memory(why);
    if (rename(f->name, copy) != 0) {
        int error = errno;
        orr__free(copy);
        return orr__fail(why, ORR_EIO, "cannot rename %s to %s: %s", f->name,
                         name, strerror(error));
    }
    orr__free(f->name);
    f->name = copy;
    return ORR_OK;
}

orr_err orr__record_file_state(const struct orr_record_file *f,
                               struct orr_report *why)
{
    if (f->error == 0)
        return ORR_OK;
    if (f->error == ENOMEM)
        return orr__no_memory(why);
    return orr__fail(why, ORR_EIO, "cannot write %s: %s", f->name,
                     strerror(f->error));
}

void orr__record_file_close(struct orr_record_file *f, bool keep)
{
    if (f->fd >= 0) {
        if (!keep)
            unlink(f->name);
        close(f->fd);
    }
    f->fd = -1;
    orr__free(f->name);
    f->name = NULL;
}
