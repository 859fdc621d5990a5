/* Errors inside the library: one code, one sentence, and the place in the
 * user's input where it stems from (struct orr_report in orrery.h). */
#ifndef ORR_CORE_ERROR_H
#define ORR_CORE_ERROR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "orrery/orrery.h"

#define ORR_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

/* Fills *why (unless it holds an earlier failure; why may be NULL) and returns
 * code, so that callers write `return orr__fail(why, ORR_EIO, "...")`. */
orr_err orr__fail(struct orr_report *why, orr_err code, const char *fmt, ...)
    ORR_PRINTF(3, 4);
/* The same with a place. */
orr_err orr__fail_at(struct orr_report *why, orr_err code, const char *file,
                     int line, int col, const char *fmt, ...) ORR_PRINTF(6, 7);
orr_err orr__vfail_at(struct orr_report *why, orr_err code, const char *file,
                      int line, int col, const char *fmt, va_list ap)
    ORR_PRINTF(6, 0);
/* Out of memory, said in one way everywhere. Inline, so that who reads a caller
 * (a compiler, an analyser) knows what it returns. */
static inline orr_err orr__no_memory(struct orr_report *why)
{
    orr__fail(why, ORR_ENOMEM, "out of memory");
    return ORR_ENOMEM;
}
/* Adds a hint to a failure that has none yet. */
void orr__hint(struct orr_report *why, const char *fmt, ...) ORR_PRINTF(2, 3);
/* Adds the source line that a failure's column points into, cut to fit. */
void orr__excerpt(struct orr_report *why, const char *line, size_t length);
/* "FILE:LINE:COL: message", then the excerpt with a caret and the hint, each
 * on its own line, into buf, for printing. */
void orr__report_format(const struct orr_report *why, char *buf, size_t size);

/* Length of the UTF-8 character at s (n > 0 bytes are left) and its code
 * point; 0 when it is malformed. */
size_t orr__utf8_length(const char *s, size_t n, uint32_t *point);

/* Whether a character of the user's may come to a terminal: none of C0 or C1,
 * which move its cursor, and none that turns what follows it round. */
bool orr__is_shown(uint32_t point);
/* Texts of the user's for a terminal: what may not come there, or is no UTF-8,
 * becomes '?', one for each byte. Line breaks stay. */
void orr__make_shown(char *s);

#endif
