/* Files that are written whole or not at all: under another name beside their
 * own, in the same folder, and renamed when all is on the disk. A link that the
 * user gives as a name is followed to what it means; a link under the other
 * name never is. What is there and is no regular file (a terminal, a pipe, a
 * device) is written directly, and so is a descriptor of this process
 * ("/dev/stdout", "/dev/fd/3"). */
#ifndef ORR_CORE_FILE_H
#define ORR_CORE_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "core/error.h"

/* A file while it is written; owns the three names and the stream. */
struct orr_file {
    FILE *out;     /* NULL: not open */
    char *name;    /* as given */
    char *target;  /* where it will be; NULL: written directly */
    char *partial; /* where it is; NULL: written directly */
    int error;     /* errno of a write that failed, set by orr__file_put or a
                    * writer that stops then: later calls may not know it */
};

/* EIO with the name and the reason. A pipe that nobody reads is refused, not
 * waited for. */
ORR_CHECK_RESULT orr_err orr__file_open(struct orr_file *f, const char *name,
                                        struct orr_report *why);
/* Writes so many bytes; if that fails, closing knows why: of a large text stdio
 * keeps nothing that flushing could try again. */
void orr__file_put(struct orr_file *f, const char *text, size_t n);
/* Always after a successful open. err: how writing went; unless it is ORR_OK
 * and everything has reached the disk, nothing is left behind, and what stood
 * under the name is as it was. */
ORR_CHECK_RESULT orr_err orr__file_close(struct orr_file *f, orr_err err,
                                         struct orr_report *why);
/* Gives up; fine for one that was never opened, if it is all zeros. */
void orr__file_abandon(struct orr_file *f);

/* Makes a folder, and those that it is in, unless they are there. *made:
 * whether it is new; may be NULL. */
ORR_CHECK_RESULT orr_err orr__make_folder(const char *name, bool *made,
                                          struct orr_report *why);

/* ---- for writers with files of their own kind --------------------------- */

/* The file that a name means once links are followed; free with orr__free.
 * *regular: it is one, or nothing is there yet. EIO: it cannot be told. */
ORR_CHECK_RESULT orr_err orr__file_target(const char *name, char **target,
                                          bool *regular,
                                          struct orr_report *why);
/* Creates a file for reading and writing, which nothing else has: a regular
 * file of that name, left by a process that died, is removed, not reused. It is
 * locked until it is closed against others that call this, by a lock of the
 * kind that a reader's HDF5 does not ask for. Returns its descriptor, or -1 and
 * errno: EAGAIN, another process writes it now; EEXIST, something else than a
 * regular file is in the way. */
int orr__file_create(const char *name);
/* Until what was written is on the disk, where files of that kind can be synced
 * at all. 0, or an errno. */
int orr__file_sync(int fd);

#endif
