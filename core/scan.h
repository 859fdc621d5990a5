/* Text files of other programs, word by word. Every failure names the file,
 * the line and the column, and shows the line. A file is held in memory whole;
 * nothing that it says about its own size is believed. */
#ifndef ORR_CORE_SCAN_H
#define ORR_CORE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/error.h"

/* A file being read. The first members are the caller's to read or set. */
struct orr_scan {
    struct orr_report *why; /* the caller's: what failures go into */
    char comment;     /* from it to the end of the line nothing counts; 0 */
    char separator;   /* ends a word as a blank does; 0: none */
    const char *word; /* the last one read; until the next is */
    size_t length;    /* of it */
    bool goes_on;     /* a separator stands behind the last field */
    /* private */
    char *name, *text;        /* owned; all of the file, with a NUL behind it */
    char *at, *line_at, *cut; /* where reading goes on; where the line begins;
                               * the NUL behind the last word, or NULL */
    char *field;              /* where the next one begins; NULL: at `at` */
    char *last_line; /* where the line begins that the last field ends on, if
                      * that is another one; or NULL */
    int lines;       /* by which it is further down */
    size_t size;     /* of text, bytes */
    int line;        /* of `at`, from 1 */
    char under;      /* what stood where the word was cut off */
};

/* Reads the file; name (copied) is what messages call it. Fails with ECONFIG,
 * with the reason alone and no place: the caller knows who named the file. Its
 * lines may end in CR LF, and a byte order mark before them is passed over. */
ORR_CHECK_RESULT orr_err orr__scan_open(struct orr_scan *s, const char *path,
                                        const char *name,
                                        struct orr_report *why);
/* The same from memory. */
ORR_CHECK_RESULT orr_err orr__scan_text(struct orr_scan *s, const char *name,
                                        const char *text, size_t length,
                                        struct orr_report *why);
void orr__scan_fini(struct orr_scan *s);

/* The next word, on this line or on any; false at its end. word is then "". */
bool orr__scan_here(struct orr_scan *s);
bool orr__scan_word(struct orr_scan *s);
/* The next field of this line, up to `separator`, without the blanks or the
 * double quotes around it; it may be empty. Quotes within quotes are doubled,
 * and stay so. False at the line's end. */
bool orr__scan_field(struct orr_scan *s);
/* To the next line that has a word; false where there is none. */
bool orr__scan_line_on(struct orr_scan *s);
/* What has not been read yet, of this line and all that follow. */
const char *orr__scan_line_tail(const struct orr_scan *s);
/* Line of the last word, from 1. */
int orr__scan_line(const struct orr_scan *s);
/* Its column, from 1, as failures have it. */
int orr__scan_column(const struct orr_scan *s);

/* ECONFIG at the last word, or where it was looked for in vain. */
orr_err orr__scan_fail(struct orr_scan *s, const char *fmt, ...)
    ORR_PRINTF(2, 3);
/* The same at byte `offset` of the last word. */
orr_err orr__scan_fail_at(struct orr_scan *s, size_t offset, const char *fmt,
                          ...) ORR_PRINTF(3, 4);

/* The last word as a number; `what` begins the message ("a host"). */
ORR_CHECK_RESULT orr_err orr__scan_int(struct orr_scan *s, const char *what,
                                       int64_t min, int64_t max,
                                       int64_t *value);
ORR_CHECK_RESULT orr_err orr__scan_real(struct orr_scan *s, const char *what,
                                        double min, double max, double *value);
/* With a unit; `bare` stands behind a number that has none, NULL: it fails. */
ORR_CHECK_RESULT orr_err orr__scan_time(struct orr_scan *s, const char *what,
                                        const char *bare, int64_t *ps);
ORR_CHECK_RESULT orr_err orr__scan_rate(struct orr_scan *s, const char *what,
                                        const char *bare, uint64_t *bps);

#endif
