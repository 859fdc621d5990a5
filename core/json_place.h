/* Where things stand in a text of JSON: jansson keeps places only of what it
 * cannot read. */
#ifndef ORR_CORE_JSON_PLACE_H
#define ORR_CORE_JSON_PLACE_H

#include <stddef.h>

#include "core/error.h"

struct orr_json_text { /* of a file */
    const char *name, *text;
    size_t length;
};

/* The value of a key of the outermost map of a text that jansson has read; the
 * map itself if the key is not there, or NULL. Line and column count from 1. */
void orr__json_place(const struct orr_json_text *json, const char *key,
                     int *line, int *column);
/* ECONFIG at that place. */
orr_err orr__json_fail(const struct orr_json_text *json, const char *key,
                       struct orr_report *why, const char *fmt, ...)
    ORR_PRINTF(4, 5);

#endif
