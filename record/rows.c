#include "record/rows.h"

#include <assert.h>
#include <string.h>

#include "core/memory.h"

#define BLOCK 1024 /* rows at a time */
/* Tables of so many rows are compressed: for less, HDF5's own of a column is
 * more than its values. */
#define PACKED 512
#define PIECE  4096 /* rows of these at a time */

size_t orr__record_size(enum orr_record_type type)
{
    switch (type) {
    case ORR_RECORD_U8: return 1;
    case ORR_RECORD_U32:
    case ORR_RECORD_F32: return 4;
    case ORR_RECORD_U64:
    case ORR_RECORD_I64:
    case ORR_RECORD_F64: return 8;
    case ORR_RECORD_TEXT: return sizeof(char *);
    }
    return 0;
}

/* n rows, a dataset each field. */
static void write_block(struct orr_record *r, const struct orr_rows *t,
                        const int *dataset, uint64_t at, uint32_t n,
                        const char *rows, char *values)
{
    for (size_t f = 0; f < t->fields; f++) {
        size_t size = orr__record_size(t->field[f].column.type);
        for (uint32_t i = 0; i < n; i++)
            memcpy(values + i * size,
                   rows + i * t->row_size + t->field[f].offset, size);
        orr__record_write(r, dataset[f], at, n, values);
    }
}

/* The scale and the columns that hang from it. */
static void begin_rows(struct orr_record *r, int group,
                       const struct orr_rows *t, uint32_t chunk, bool packed,
                       int *dataset)
{
    assert(t->fields <= ORR_FIELDS_MAX);
    const struct orr_record_column *first = &t->field[0].column;
    dataset[0] = packed ? orr__record_packed_scale(r, group, first, chunk)
                        : orr__record_scale(r, group, first, chunk);
    for (size_t f = 1; f < t->fields; f++)
        dataset[f] =
            orr__record_column(r, group, &t->field[f].column, dataset[0]);
}

void orr__rows_begin(struct orr_record *r, int group, const struct orr_rows *t,
                     uint32_t chunk, int *dataset)
{
    begin_rows(r, group, t, chunk, false, dataset);
}

/* So many rows at a time. */
static orr_err add_rows(struct orr_record *r, const struct orr_rows *t,
                        const int *dataset, void *from, uint64_t at, uint64_t n,
                        uint32_t block)
{
    char *rows = orr__alloc(block, t->row_size);
    char *values = orr__alloc(block, sizeof(uint64_t));
    for (uint64_t done = 0; rows && values && done < n; done += block) {
        uint32_t count = n - done < block ? (uint32_t)(n - done) : block;
        for (uint32_t i = 0; i < count; i++)
            t->row(from, done + i, rows + i * t->row_size);
        write_block(r, t, dataset, at + done, count, rows, values);
    }
    orr_err err = rows && values ? ORR_OK : ORR_ENOMEM;
    orr__free(rows);
    orr__free(values);
    return err;
}

orr_err orr__rows_add(struct orr_record *r, const struct orr_rows *t,
                      const int *dataset, void *from, uint64_t at, uint64_t n)
{
    return add_rows(r, t, dataset, from, at, n, BLOCK);
}

orr_err orr__rows_write(struct orr_record *r, int group,
                        const struct orr_rows *t, void *from, uint64_t n)
{
    int dataset[ORR_FIELDS_MAX] = {0};
    bool packed = n >= PACKED;
    uint64_t pieces = (n + PIECE - 1) / PIECE; /* about evenly filled */
    uint32_t chunk = packed   ? (uint32_t)((n + pieces - 1) / pieces)
                     : n < 16 ? 16
                              : (uint32_t)n;
    begin_rows(r, group, t, chunk, packed, dataset);
    orr_err err = add_rows(r, t, dataset, from, 0, n, chunk);
    for (size_t f = t->fields; f-- > 0;)
        orr__record_finish(r, dataset[f]);
    return err;
}
