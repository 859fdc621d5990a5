/* Tables of a record: one struct a row, one dataset a field. */
#ifndef ORR_RECORD_ROWS_H
#define ORR_RECORD_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "record/record.h"

/* A column and where its values stand in a row's struct. */
struct orr_row_field {
    struct orr_record_column column;
    size_t offset; /* bytes from the struct's begin; its C type is the
                    * column's */
};
#define ORR_FIELD(row, name, type, units, long_name, flags)                    \
    {                                                                          \
        {#name, ORR_RECORD_##type, units, long_name, flags},                   \
            offsetof(struct row, name)                                         \
    }

/* A group, or a dimension of one: the first field is the scale of the rest. */
struct orr_rows {
    const struct orr_row_field *field; /* static */
    size_t fields, row_size;           /* row_size: bytes of a row's struct */
    /* Makes row i; called with i ascending from 0. */
    void (*row)(void *from, uint64_t i, void *row);
};
#define ORR_ROWS(fields_, row_, fn)                                            \
    {                                                                          \
        fields_, sizeof fields_ / sizeof *fields_, sizeof(struct row_), fn     \
    }

/* Writes n rows; ENOMEM. Failures of the file show in the record. */
ORR_CHECK_RESULT orr_err orr__rows_write(struct orr_record *r, int group,
                                         const struct orr_rows *t, void *from,
                                         uint64_t n);
/* The same bit by bit: makes the columns, chunk rows in one piece of the file,
 * and says which they are (ORR_FIELDS_MAX), ... */
#define ORR_FIELDS_MAX 32
void orr__rows_begin(struct orr_record *r, int group, const struct orr_rows *t,
                     uint32_t chunk, int *dataset);
/* ... and writes rows [at, at + n), for which t->row is called with 0 to n. */
ORR_CHECK_RESULT orr_err orr__rows_add(struct orr_record *r,
                                       const struct orr_rows *t,
                                       const int *dataset, void *from,
                                       uint64_t at, uint64_t n);
/* Bytes of an element in memory. */
size_t orr__record_size(enum orr_record_type type);

#endif
