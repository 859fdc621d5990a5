/* Work that may crash, such as reading a damaged file by a library that trusts
 * it, is done in a child process: its end is then a failure with a message. */
#ifndef ORR_CORE_APART_H
#define ORR_CORE_APART_H

#include <stdio.h>

#include "core/error.h"

/* What to do apart, and with which file; filled by the caller, who owns all
 * that it points to. */
struct orr_apart {
    /* In the child: writes what it makes to `out`. What it changes in memory is
     * lost; it must neither print nor write to files. */
    orr_err (*work)(void *arg, FILE *out, struct orr_report *why);
    void *arg;
    /* Here, with the bytes that it wrote, piece by piece, also those of work
     * that then failed. */
    void (*take)(void *to, const char *bytes, size_t n);
    void *to;
    const char *file; /* what it reads, for the message: "run.h5" */
    unsigned seconds; /* of CPU time at most; 0: by the size of the file, far
                       * more than a sound one takes */
};

/* What the work returned and reported. ECONFIG when it crashed, or did not end:
 * that the file is damaged. The child is a copy of this thread alone. */
ORR_CHECK_RESULT orr_err orr__run_apart(const struct orr_apart *a,
                                        struct orr_report *why);

/* `take` that adds to a text: `to` is a struct orr_text. */
void orr__apart_take_text(void *to, const char *bytes, size_t n);
/* That writes: `to` is a FILE. */
void orr__apart_take_file(void *to, const char *bytes, size_t n);

#endif
