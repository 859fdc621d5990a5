#include "record/rows.h"

#include <assert.h>
#include <string.h>

#include "core/memory.h"

#define BLOCK 1024 /* rows at a time */

size_t orr__record_size(enum orr_record_type type)
{
    switch (type) {
    case ORR_RECORD_U8: return 1;
    case ORR_RECORD_U32: case ORR_RECORD_F32: return 4;
    case ORR_RECORD_U64: case ORR_RECORD_I64: case ORR_RECORD_F64: return 8;
    case ORR_RECORD_TEXT: return sizeof(char *);
    }
    return 0;
}

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

void orr__rows_begin(struct orr_record *r, int group, const struct orr_rows *t,
                     uint32_t chunk, int *dataset)
{
    assert(t->fields <= ORR_FIELDS_MAX);
    for (size_t f = 0; f < t->fields; f++)
        dataset[f] = f == 0 ? orr__record_scale(r, group, &t->field[f].column,
                                                chunk)
                            : orr__record_column(r, group,
                                                 &t->field[f].column,
                                                 dataset[0]);
}

orr_err orr__rows_add(struct orr_record *r, const struct orr_rows *t,
                      const int *dataset, void *from, uint64_t at, uint64_t n)
{
    char *rows = orr__alloc(BLOCK, t->row_size);
    char *values = orr__alloc(BLOCK, sizeof(uint64_t));
    for (uint64_t done = 0; rows && values && done < n; done += BLOCK) {
        uint32_t count = n - done < BLOCK ? (uint32_t)(n - done) : BLOCK;
        for (uint32_t i = 0; i < count; i++)
            t->row(from, done + i, rows + i * t->row_size);
        write_block(r, t, dataset, at + done, count, rows, values);
    }
    orr_err err = rows && values ? ORR_OK : ORR_ENOMEM;
    orr__free(rows);
    orr__free(values);
    return err;
}

orr_err orr__rows_write(struct orr_record *r, int group,
                           const struct orr_rows *t, void *from, uint64_t n)
{
    int dataset[ORR_FIELDS_MAX] = { 0 };
    uint64_t pieces = n / 16384 + 1; /* about evenly filled */
    uint32_t chunk = n < 16 ? 16 : (uint32_t)((n + pieces - 1) / pieces);
    orr__rows_begin(r, group, t, chunk, dataset);
    return orr__rows_add(r, t, dataset, from, 0, n);
}
