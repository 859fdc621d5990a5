#include "core/libraries.h"

#include <gsl/gsl_errno.h>
#include <hdf5.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

static void init_process(void)
{
    gsl_set_error_handler_off();
}

void orr__libraries_init(void)
{
    /* GSL's handler is a global of GSL's; this says whether it is set. */
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, init_process);
}

void orr__libraries_init_hdf5(void)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

/* What HDF5's stack says, innermost call first. */
struct h5_reason {
    char first[256];  /* description of the innermost call that has one */
    char system[128]; /* the system's message, "" if it was not asked */
    bool file, memory, filter; /* of what there was a failure */
    unsigned calls;            /* on the stack */
};

/* The drivers write "..., errno = 28, error message = 'No space ...', ..."
 * into their descriptions; nothing else keeps the number. */
static void system_reason(const char *text, char *buf, size_t size)
{
    static const char mark[] = "error message = '";
    const char *at = strstr(text, mark);
    if (at == NULL)
        return;
    at += sizeof mark - 1;
    snprintf(buf, size, "%.*s", (int)strcspn(at, "'"), at);
}

/* H5Ewalk's callback, from the innermost call on: keeps the first description
 * and the first reason of the system, and sorts failures into those of files
 * and of memory. */
static herr_t keep_reasons(unsigned n, const H5E_error2_t *e, void *arg)
{
    struct h5_reason *r = arg;
    const char *text = e->desc ? e->desc : "";
    if (r->first[0] == '\0')
        snprintf(r->first, sizeof r->first, "%s", text);
    if (r->system[0] == '\0')
        system_reason(text, r->system, sizeof r->system);
    r->file |=
        e->maj_num == H5E_FILE || e->maj_num == H5E_VFL || e->maj_num == H5E_IO;
    r->memory |= e->min_num == H5E_NOSPACE || e->min_num == H5E_CANTALLOC;
    r->filter |= e->maj_num == H5E_PLINE;
    r->calls++;
    return 0;
}

orr_err orr__libraries_hdf5(struct orr_report *why, const char *doing)
{
    struct h5_reason r = {.file = false};
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_reasons, &r);
    H5Eclear2(H5E_DEFAULT);
    if (r.system[0])
        return orr__fail(why, ORR_EIO, "%s: %s", doing, r.system);
    /* Whatever fails puts a reason on the stack, unless memory for that is
     * short. */
    if (r.memory || r.calls == 0)
        return orr__fail(why, ORR_ENOMEM, "%s: out of memory", doing);
    return orr__fail(why, r.file ? ORR_EIO : ORR_EINTERNAL, "%s: HDF5: %s",
                     doing, r.first);
}

/* What HDF5 asks for at a time when it reads a file of records is less. */
#define ENOUGH ((size_t)64 << 20)

bool orr__libraries_hdf5_starved(void)
{
    struct h5_reason r = {.file = false};
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_reasons, &r);
    /* a filter that finds no memory says no more than that it failed */
    if (!r.memory && !r.filter && r.calls > 0)
        return false;
    void *probe = orr__alloc(ENOUGH, 1); /* zeros that take no memory */
    bool starved = probe == NULL;
    orr__free(probe);
    return starved;
}
