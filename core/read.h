/* Files that are read whole. */
#ifndef ORR_CORE_READ_H
#define ORR_CORE_READ_H

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
ORR_CHECK_RESULT int orr__read_file(const char *path, size_t most,
                                    unsigned how, char **bytes, size_t *n);

#endif
