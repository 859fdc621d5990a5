/* Writing a file whole or not at all: PATH.partial, then renamed. */
#ifndef ORR_TOPO_SAVE_H
#define ORR_TOPO_SAVE_H

#include <stdio.h>

#include "core/error.h"

struct orr_save {
    FILE *out;
    const char *path;
    char *partial; /* NULL: path is a device or a pipe, written directly */
    int error;     /* errno of a write that failed, set by the writer if it
                      stops then: later calls may no longer know it */
};

ORR_CHECK_RESULT orr_err orr__save_open(struct orr_save *s, const char *path,
                                        struct orr_report *why);
/* Always after a successful open. err: how writing went; unless it is ORR_OK
 * and everything has reached the disk, nothing is left behind. */
ORR_CHECK_RESULT orr_err orr__save_close(struct orr_save *s, orr_err err,
                                         struct orr_report *why);

#endif
