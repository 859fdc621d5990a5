/* Records: an HDF5 file laid out so that it also opens as netCDF-4. A group
 * holds columns; every column hangs from a scale, the dataset that names and
 * numbers its rows, and says its units and what it is.
 *
 * Writing is sticky: after a failure the calls do nothing, and the next
 * orr__record_flush or _close says what failed first. Calls may come from
 * different threads, one at a time. */
#ifndef ORR_RECORD_RECORD_H
#define ORR_RECORD_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "core/error.h"

struct orr_record;

/* Every file says it (the attribute `orrery_format` of its root), and is
 * refused where it says another. Raised when something that was there before
 * gets another name, unit or meaning; new groups and columns do not raise it.
 * Files of 0.1 say none and are of format 1. python/orrery/records.py has it
 * too. */
#define ORR_RECORD_FORMAT 2

enum orr_record_type { /* C type of the elements that are written */
                       ORR_RECORD_U8,
                       ORR_RECORD_U32,
                       ORR_RECORD_U64,
                       ORR_RECORD_I64,
                       ORR_RECORD_F32, /* float */
                       ORR_RECORD_F64, /* double */
                       ORR_RECORD_TEXT /* const char *, UTF-8 */
};

/* What a dataset is, for those who read it. */
struct orr_record_column {
    const char *name; /* of the dataset, in its group */
    enum orr_record_type type;
    const char *units;     /* "ps", "B", "bit/s"; "1": a pure number or text */
    const char *long_name; /* what the numbers are, in one line */
    /* U8: the meanings of 0, 1, 2 ..., one word each, separated by blanks;
     * NULL: they are numbers. */
    const char *flags;
};

/* The file that a path means once links are followed, for the place that a
 * finished record is renamed to; free with orr__free. Fails with ECONFIG when
 * that is there and is no regular file (a device must not be replaced). */
ORR_CHECK_RESULT orr_err orr__record_target(const char *path, char **target,
                                            struct orr_report *why);

/* Creates the file; it can be read from the first flush on. ECONFIG: it cannot
 * be written there. */
ORR_CHECK_RESULT orr_err orr__record_open(const char *name,
                                          struct orr_record **out,
                                          struct orr_report *why);
/* All that was written so far goes to the file, which opens even if this
 * process is killed afterwards (in the middle of the next flush, for well
 * under a millisecond, that is not certain). EIO: it could not be written. */
ORR_CHECK_RESULT orr_err orr__record_flush(struct orr_record *r,
                                           struct orr_report *why);
ORR_CHECK_RESULT orr_err orr__record_rename(struct orr_record *r,
                                            const char *name,
                                            struct orr_report *why);
/* Closes, waits for the disk and renames to `target`. r is freed in any case;
 * after a failure the file is gone, and what stood at `target` untouched. */
ORR_CHECK_RESULT orr_err orr__record_close(struct orr_record *r,
                                           const char *target,
                                           struct orr_report *why);
/* Closes without renaming; removes the file unless `keep`. NULL is fine. */
void orr__record_discard(struct orr_record *r, bool keep);
/* True once something failed: the rest need not be computed. */
bool orr__record_failed(const struct orr_record *r);

/* Objects (groups and datasets) are named by small numbers. */
#define ORR_RECORD_ROOT 0

/* A group below the root. */
int orr__record_group(struct orr_record *r, const char *name);
/* Attributes of a group or dataset; one that is there is replaced. */
void orr__record_text(struct orr_record *r, int object, const char *name,
                      const char *text);
void orr__record_number(struct orr_record *r, int object, const char *name,
                        uint64_t value);
/* A dataset of one long text. */
void orr__record_note(struct orr_record *r, int group, const char *name,
                      const char *long_name, const char *text);

/* A scale: the coordinates of a dimension that grows. chunk: rows in one piece
 * of the file. */
int orr__record_scale(struct orr_record *r, int group,
                      const struct orr_record_column *c, uint32_t chunk);
int orr__record_column(struct orr_record *r, int group,
                       const struct orr_record_column *c, int scale);
/* The same, and it and its columns, but for texts, are compressed: they are
 * written by whole pieces, the last of which may be less, each once. */
int orr__record_packed_scale(struct orr_record *r, int group,
                             const struct orr_record_column *c, uint32_t chunk);
/* Rows [row, row + n) of a scale or column, which grows as needed. */
void orr__record_write(struct orr_record *r, int column, uint64_t row,
                       uint64_t n, const void *values);
/* Nothing more is written to a dataset, and nothing more hangs from it: gives
 * back what HDF5 holds for it, some 40 KB. */
void orr__record_finish(struct orr_record *r, int dataset);

/* A table over two scales (rows, columns), compressed. It is written by whole
 * tiles of `chunk` of the one by `chunk` of the other, in ascending rows of
 * tiles; what was not written reads as 0. A tile that is not `final` is stored
 * as it is and may be written again, also as `final` then: no byte of the file
 * that a flush has made part of it is ever given to something else. */
int orr__record_matrix(struct orr_record *r, int group,
                       const struct orr_record_column *c, int rows, int cols);
/* Another name in its group for what is there: the same data, once. */
void orr__record_alias(struct orr_record *r, int group, int object,
                       const char *name);
void orr__record_extend(struct orr_record *r, int matrix, uint64_t rows,
                        uint64_t cols);
void orr__record_tile(struct orr_record *r, int matrix, uint64_t tile_row,
                      uint64_t tile_col, const void *values, bool final);

/* A table over up to ORR_RECORD_SIDES scales that have all their rows, written
 * at once: values has an element for each combination, the last scale goes
 * fastest. */
#define ORR_RECORD_SIDES 20
void orr__record_array(struct orr_record *r, int group,
                       const struct orr_record_column *c, const int *scale,
                       uint32_t scales, const void *values);

/* Version of HDF5, "1.10.8". */
void orr__record_library(char *buf, size_t size);

#endif
