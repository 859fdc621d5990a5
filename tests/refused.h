/* What a report says of an input that was refused: for tests that go through a
 * table of them. */
#ifndef ORR_TESTS_REFUSED_H
#define ORR_TESTS_REFUSED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/error.h"

/* Of a row of the table: its number, for a failure to say; the sentence, NULL:
 * any; hint, line and column likewise, where the table has none of them. */
struct refused {
    size_t row;
    const char *message, *hint;
    int line, col; /* from 1; 0: any */
};

/* It was refused as a mistake of the user's, in these words, at this place. */
static inline void assert_refused(orr_err err, const struct orr_report *why,
                                  struct refused x)
{
    if (err != ORR_ECONFIG)
        fail_msg("row %zu: %s, instead of \"%s\"", x.row, orr_strerror(err),
                 x.message ? x.message : "any failure");
    if (!why->message[0] || (x.message && strcmp(why->message, x.message)))
        fail_msg("row %zu: \"%s\", instead of \"%s\"", x.row, why->message,
                 x.message ? x.message : "any sentence");
    if (x.hint && strcmp(why->hint, x.hint))
        fail_msg("row %zu: the hint \"%s\", instead of \"%s\"", x.row,
                 why->hint, x.hint);
    if ((x.line && why->line != x.line) || (x.col && why->col != x.col))
        fail_msg("row %zu: \"%s\" at %d:%d, instead of %d:%d", x.row,
                 why->message, why->line, why->col, x.line, x.col);
}

#endif
