/* A text that grows. That memory ran out is remembered and told at the end. */
#ifndef ORR_CORE_TEXT_H
#define ORR_CORE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/error.h"

/* Columns of a terminal. */
#define ORR_TEXT_WIDTH 80

struct orr_text {        /* zeroed: empty */
    char *s;             /* owned; NULL: empty */
    size_t length, room; /* bytes, without the NUL that always follows */
    bool failed;         /* memory ran out: what was added since is lost */
};

/* As printf would print it. */
void orr__text_add(struct orr_text *t, const char *fmt, ...) ORR_PRINTF(2, 3);
/* n bytes as they are. */
void orr__text_piece(struct orr_text *t, const char *s, size_t n);
/* Between double quotes, with the escapes of YAML (1.2.2, section 5.7). */
void orr__text_quoted(struct orr_text *t, const char *s);
/* A word as a shell reads it back: in single quotes if it has to be. */
void orr__text_shell(struct orr_text *t, const char *word);
/* Blanks up to this column of the last line; at least one. */
void orr__text_column(struct orr_text *t, size_t column);
/* Words behind `column` characters of the last line, which is where the lines
 * that follow begin as well: none ends beyond ORR_TEXT_WIDTH unless a single
 * word does. They are broken at blanks alone. */
void orr__text_wrapped(struct orr_text *t, const char *s, size_t column);
/* The text, to be freed with orr__free; NULL when memory ran out. */
char *orr__text_done(struct orr_text *t);
/* The same for people, as orr__make_shown has it: all of a text that comes to a
 * terminal is made in this way. */
char *orr__text_shown(struct orr_text *t);

/* "14,336". */
void orr__group_digits(uint64_t value, char *buf, size_t size);
/* At most `columns` characters of a user's text, as orr__make_shown has them,
 * on one line. */
void orr__text_words(struct orr_text *t, const char *s, size_t columns);
/* Length of the UTF-8 character at s, 0 if there is none. */
size_t orr__text_character(const char *s);

#endif
