#include "core/json_place.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct scan {
    const char *at, *end;
};

static void skip_blanks(struct scan *s)
{
    while (s->at < s->end && strchr(" \t\r\n", *s->at))
        s->at++;
}

/* Over the rest of a string whose first quote is behind us, and its last. */
static void skip_string(struct scan *s)
{
    for (; s->at < s->end && *s->at != '"'; s->at++)
        s->at += *s->at == '\\' && s->end - s->at > 1;
    s->at += s->at < s->end;
}

/* Is this string, which begins at `from` and ends at s->at, a key, and that
 * one? Then s->at is where its value begins. */
static bool is_key(struct scan *s, const char *from, const char *key)
{
    size_t n = (size_t)(s->at - from);
    if (n != strlen(key) + 2 || memcmp(from + 1, key, n - 2) != 0)
        return false;
    skip_blanks(s);
    if (s->at == s->end || *s->at != ':')
        return false;
    s->at++;
    skip_blanks(s);
    return true;
}

static const char *find(const char *text, size_t length, const char *key)
{
    struct scan s = {text, text + length};
    int depth = 0;
    skip_blanks(&s);
    const char *map = s.at;
    while (key && s.at < s.end) {
        const char *from = s.at;
        char c = *s.at++;
        depth += (c == '{' || c == '[') - (c == '}' || c == ']');
        if (c != '"')
            continue;
        skip_string(&s);
        if (depth == 1 && is_key(&s, from, key))
            return s.at;
    }
    return map;
}

void orr__json_place(const struct orr_json_text *json, const char *key,
                     int *line, int *column)
{
    const char *at = find(json->text, json->length, key);
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
