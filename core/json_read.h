/* JSON of users' files: jansson reads it, and what is wrong with it is said at
 * its place, which jansson keeps only of what it cannot read. */
#ifndef ORR_CORE_JSON_READ_H
#define ORR_CORE_JSON_READ_H

#include <stddef.h>

#include <jansson.h>

#include "core/error.h"

struct orr_json_text {       /* of a file */
    const char *name, *text; /* name: for messages */
    size_t length;           /* of text, bytes */
};

/* What jansson reads; NULL: it is no JSON, and *where says where (`where` may
 * be NULL). Free *out with json_decref; ENOMEM alone fails. flags: of
 * json_loadb. */
ORR_CHECK_RESULT orr_err orr__json_load(const char *text, size_t length,
                                        size_t flags, json_t **out,
                                        json_error_t *where);

/* The same of a file. ECONFIG: it is no JSON, or its outermost value is
 * no `type` (JSON_OBJECT, JSON_ARRAY), of which `expected` then tells. */
ORR_CHECK_RESULT orr_err orr__json_read(const struct orr_json_text *json,
                                        size_t flags, json_type type,
                                        const char *expected, json_t **out,
                                        struct orr_report *why);

/* The value of a key of the outermost map of a text that jansson has read; the
 * map itself if the key is not there, or NULL. Line and column count from 1. */
void orr__json_place(const struct orr_json_text *json, const char *key,
                     int *line, int *column);
/* ECONFIG at that place. */
orr_err orr__json_fail(const struct orr_json_text *json, const char *key,
                       struct orr_report *why, const char *fmt, ...)
    ORR_PRINTF(4, 5);
/* ECONFIG at item `index` of the list that this key of the outermost map has;
 * at the list, if it has no such. */
orr_err orr__json_fail_item(const struct orr_json_text *json, const char *key,
                            size_t index, struct orr_report *why,
                            const char *fmt, ...) ORR_PRINTF(5, 6);

#endif
