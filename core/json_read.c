#include "core/json_read.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/json_skip.h"
#include "core/memory.h"

/* jansson calls it a syntax error where memory ends within a word: what is one
 * fails the same way twice, with memory to be had between. */
orr_err orr__json_load(const char *text, size_t length, size_t flags,
                       json_t **out, json_error_t *where)
{
    *out = json_loadb(text, length, flags, where);
    if (*out)
        return ORR_OK;
    void *some = orr__alloc(1, length + 1);
    if (!some)
        return ORR_ENOMEM;
    orr__free(some);
    *out = json_loadb(text, length, flags, where);
    return ORR_OK;
}

orr_err orr__json_read(const struct orr_json_text *json, size_t flags,
                       json_type type, const char *expected, json_t **out,
                       struct orr_report *why)
{
    json_error_t where;
    if (orr__json_load(json->text, json->length, flags, out, &where))
        return orr__no_memory(why);
    if (!*out)
        return orr__fail_at(why, ORR_ECONFIG, json->name, where.line,
                            where.column, "%s", where.text);
    if (json_typeof(*out) == type)
        return ORR_OK;
    json_decref(*out);
    *out = NULL;
    return orr__fail_at(why, ORR_ECONFIG, json->name, 1, 1, "%s", expected);
}

/* Where the value of a key of the outermost map begins; the map itself if it
 * has no such key. */
static const char *find_value(const char *text, size_t length, const char *key)
{
    struct orr_json_cursor c = {text, text + length};
    char next = orr__json_skip_blanks(&c);
    const char *map = c.at, *name;
    c.at += next == '{';
    while (key && next != '}' && next != '\0') {
        long n = orr__json_skip_key(&c, &name);
        if (n < 0)
            break; /* not a text that jansson has read */
        orr__json_skip_blanks(&c);
        if ((size_t)n == strlen(key) && memcmp(name, key, (size_t)n) == 0)
            return c.at;
        if (!orr__json_skip_value(&c))
            break;
        next = orr__json_skip_blanks(&c);
        c.at += next == ',';
    }
    return map;
}

/* Line and column of `at`, from 1; a column is a character of UTF-8, not a
 * byte. */
static void count_to(const struct orr_json_text *json, const char *at,
                     int *line, int *column)
{
    *line = *column = 1;
    for (const char *p = json->text; p < at; p++) {
        if (*p == '\n') {
            ++*line;
            *column = 1;
        } else {
            *column += ((unsigned char)*p & 0xc0) != 0x80;
        }
    }
}

void orr__json_place(const struct orr_json_text *json, const char *key,
                     int *line, int *column)
{
    count_to(json, find_value(json->text, json->length, key), line, column);
}

/* Where an item of the list at this place begins; the list, if there is none.
 */
static const char *find_item(const struct orr_json_text *json, const char *list,
                             size_t index)
{
    struct orr_json_cursor c = {list, json->text + json->length};
    if (orr__json_skip_blanks(&c) != '[')
        return list;
    c.at++;
    for (size_t i = 0; i < index; i++) {
        if (!orr__json_skip_value(&c) || orr__json_skip_blanks(&c) != ',')
            return list;
        c.at++;
    }
    orr__json_skip_blanks(&c);
    return c.at;
}

orr_err orr__json_fail_item(const struct orr_json_text *json, const char *key,
                            size_t index, struct orr_report *why,
                            const char *fmt, ...)
{
    char message[400];
    int line, column;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(message, sizeof message, fmt, ap);
    va_end(ap);
    const char *list = find_value(json->text, json->length, key);
    count_to(json, find_item(json, list, index), &line, &column);
    return orr__fail_at(why, ORR_ECONFIG, json->name, line, column, "%s",
                        message);
}

orr_err orr__json_fail(const struct orr_json_text *json, const char *key,
                       struct orr_report *why, const char *fmt, ...)
{
    char message[400];
    int line, column;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(message, sizeof message, fmt, ap);
    va_end(ap);
    orr__json_place(json, key, &line, &column);
    return orr__fail_at(why, ORR_ECONFIG, json->name, line, column, "%s",
                        message);
}
