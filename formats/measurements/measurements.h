/* Times that collectives took on real machines, from the outputs of the
 * programs that measure them. A family: one member a file, one line in list.h,
 * one row in tests/formats/measurements/. What a file says of no time, and
 * lines that cannot be relied on, are told in notes. */
#ifndef ORR_FORMATS_MEASUREMENTS_MEASUREMENTS_H
#define ORR_FORMATS_MEASUREMENTS_MEASUREMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/error.h"
#include "core/memory.h"
#include "core/scan.h"
#include "core/text.h"

enum {
    ORR_MEASUREMENTS_LABELS = 32, /* columns of texts, of all files together */
    ORR_MEASUREMENTS_MOST = 1000000,   /* rows */
    ORR_MEASUREMENTS_RANKS = 16000000, /* of a row */
};

/* What a size in a file counts. */
enum orr_measurements_size {
    ORR_MEASUREMENTS_HELD,   /* what `size` of a collective means here */
    ORR_MEASUREMENTS_BUFFER, /* the larger of what a rank sends and what it gets
                              */
    ORR_MEASUREMENTS_PEER,   /* what one rank sends to one other, or all */
};

/* A time that was measured. Texts are in the arena of the whole. */
struct orr_measurements_row {
    uint64_t bytes;
    enum orr_measurements_size counts;
    uint32_t ranks;         /* 0: not said */
    double time_ns;         /* > 0 */
    double low_ns, high_ns; /* 10th and 90th percentile; NAN: not said */
    const char *file;
    int line;                                   /* from 1 */
    const char *label[ORR_MEASUREMENTS_LABELS]; /* NULL: the row has none */
};

/* All that was read; zeroed: nothing yet. */
struct orr_measurements {
    struct orr_arena arena;
    const char
        *label[ORR_MEASUREMENTS_LABELS]; /* names of the columns of texts */
    uint32_t labels;
    struct orr_measurements_row *row; /* in the order of files and lines */
    uint32_t n, room;
    struct orr_text notes; /* a line each, with its place */
};

/* A file while it is read. */
struct orr_measurements_input {
    const char *path, *name; /* name: in the arena */
    const char *text;
    size_t length;
    uint64_t element; /* bytes of an element; 0: as the file says */
    struct orr_measurements *out;
    struct orr_report *why;
};

/* A member of the family. */
struct orr_measurements_format {
    const char *name;
    const char *doc; /* what it is */
    /* Whether a file is of this kind, by what it holds. */
    bool (*is)(const struct orr_measurements_input *in);
    orr_err (*read)(const struct orr_measurements_input *in);
};

/* Ended by NULL. */
const struct orr_measurements_format *const *orr__measurements_formats(void);

/* Adds the rows of a file. format NULL: by what it holds. element: bytes of an
 * element where a file counts those; 0: as it says. ECONFIG: it cannot be
 * relied on, with the place; or it has no times. */
ORR_CHECK_RESULT orr_err orr__measurements_read(struct orr_measurements *m,
                                                const char *path,
                                                const char *format,
                                                uint64_t element,
                                                struct orr_report *why);
/* The same of a text, with a NUL behind it, that `name` stands for. */
ORR_CHECK_RESULT orr_err orr__measurements_text(struct orr_measurements *m,
                                                const char *name,
                                                const char *text, size_t length,
                                                const char *format,
                                                uint64_t element,
                                                struct orr_report *why);
void orr__measurements_fini(struct orr_measurements *m);

/* The column of texts of that name, or ORR_NONE. */
uint32_t orr__measurements_label(const struct orr_measurements *m,
                                 const char *name);
/* The bytes that `size` of a collective of this kind ("all-gather") is where a
 * row counts as it does; 0: it has no ranks, which it takes to know. */
uint64_t orr__measurements_held(const struct orr_measurements_row *r,
                                uint32_t ranks, const char *kind);

/* ---- for members ------------------------------------------------------- */

/* A new row at this line, with what is known of the file; NULL: no memory. */
struct orr_measurements_row *orr__measurements_add(
    const struct orr_measurements_input *in, int line);
/* Takes the last row back. */
void orr__measurements_drop(const struct orr_measurements_input *in);
/* Gives the last row a text; `name` becomes a column. ECONFIG: too many. */
ORR_CHECK_RESULT orr_err
orr__measurements_set(const struct orr_measurements_input *in, const char *name,
                      const char *value);
/* "FILE:LINE: " and a sentence, into the notes. */
void orr__measurements_note(const struct orr_measurements_input *in, int line,
                            const char *fmt, ...) ORR_PRINTF(3, 4);
/* Bytes of an element of this type ("float", "int32", "bfloat16"); 0: it is
 * not known. */
uint64_t orr__measurements_type(const char *name);
/* Scans the input; lines that mpirun marks with their rank are without that. */
ORR_CHECK_RESULT orr_err orr__measurements_scan(
    const struct orr_measurements_input *in, struct orr_scan *s);
/* The last word as a time of this unit in ns (a positive number), or with a
 * unit of its own. */
ORR_CHECK_RESULT orr_err orr__measurements_time(struct orr_scan *s,
                                                const char *what,
                                                double unit_ns, double *ns);
/* "(us)", "us", "[ns]": a unit of time in ns; 0: it is none. */
double orr__measurements_unit(const char *text, size_t length);
/* Whether the text has this among its first bytes. */
bool orr__measurements_has(const struct orr_measurements_input *in,
                           const char *words);

#endif
