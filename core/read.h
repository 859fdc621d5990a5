/* Files that are read whole, and their lines. */
#ifndef ORR_CORE_READ_H
#define ORR_CORE_READ_H

#include <stdbool.h>
#include <stddef.h>

#include "core/error.h"

enum {
    ORR_READ_REGULAR = 1,   /* a regular file or EINVAL, for a folder EISDIR */
    ORR_READ_BEGINNING = 2, /* of a larger file the first `most` bytes */
    ORR_READ_TEXT = 4,      /* up to what was read together with a zero byte,
                             * which no text has: a device ends there */
};

/* All that can be read from a descriptor: *n bytes in *bytes with a NUL behind
 * them, to be freed with orr__free; a pipe is read to its end. Returns 0, or
 * what happened as an errno: EFBIG, there are more than `most` bytes; ENOMEM;
 * EISDIR. *bytes is NULL then. */
ORR_CHECK_RESULT int orr__read_from(int fd, size_t most, unsigned how,
                                    char **bytes, size_t *n);
/* The same of a file with a name. */
ORR_CHECK_RESULT int orr__read_file(const char *path, size_t most, unsigned how,
                                    char **bytes, size_t *n);

/* The lines of a text file, one after another. */
struct orr_lines {
    size_t length; /* of the last one, without its newline: more than strlen
                    * says if a zero byte is in it */
    bool ended;    /* whether a newline ended it; only the last may have none */
    /* private */
    char *text;   /* all of the file */
    size_t n, at; /* its bytes, and where the next line begins */
};

/* As orr__read_file; fine to be ended if it failed. */
ORR_CHECK_RESULT int orr__lines_open(struct orr_lines *l, const char *path,
                                     size_t most);
/* The next one, without its newline, for the caller to change; it is there
 * until the end. NULL: there are no more. */
char *orr__lines_next(struct orr_lines *l);
void orr__lines_fini(struct orr_lines *l);

#endif
