/* Over values of a JSON text without keeping them: for where something stands
 * in it, and for leaving most of it out. What a value consists of is looked at
 * only as closely as finding its end takes. */
#ifndef ORR_CORE_JSON_SKIP_H
#define ORR_CORE_JSON_SKIP_H

#include <stdbool.h>

struct orr_json_cursor { /* at <= end; the text needs no NUL */
    const char *at, *end;
};

/* To what follows blanks and line ends: its first byte; NUL at the end. */
char orr__json_skip_blanks(struct orr_json_cursor *c);
/* From a string's first quote behind its last. False: the text ended before. */
bool orr__json_skip_string(struct orr_json_cursor *c);
/* Over blanks and a number or a word. False: there is none. */
bool orr__json_skip_scalar(struct orr_json_cursor *c);
/* Over blanks and a value of any kind. False: there is none, or it is not
 * whole. */
bool orr__json_skip_value(struct orr_json_cursor *c);
/* Over blanks, a key and its colon; *key: the key's first byte behind its
 * quote. Its length; -1: something else stands here. */
long orr__json_skip_key(struct orr_json_cursor *c, const char **key);

#endif
