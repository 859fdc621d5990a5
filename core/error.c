#include "core/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *orr_version(void)
{
    return ORR_VERSION;
}

const char *orr_strerror(orr_err code)
{
    switch (code) {
#define ORR_ERROR_TEXT(name, text)                                            \
    case ORR_##name:                                                          \
        return text;
        ORR_ERROR_MAP(ORR_ERROR_TEXT)
#undef ORR_ERROR_TEXT
    }
    return "unknown error";
}

/* Text of the user's ends up in messages, and messages on a terminal: nothing
 * in them may move its cursor. Lists in messages keep their line breaks. */
static void make_printable(char *s)
{
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if ((c < 32 && c != '\n') || c == 127)
            *s = '?';
    }
}

/* Length of s without a UTF-8 character cut in half at its end. */
static size_t whole_characters(const char *s, size_t n)
{
    size_t back = 0;
    while (back < n && back < 3 &&
           ((unsigned char)s[n - 1 - back] & 0xc0) == 0x80)
        back++;
    if (back == n)
        return n;
    unsigned char lead = (unsigned char)s[n - 1 - back];
    size_t want = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : lead >= 0xc0 ? 1 : 0;
    return back < want ? n - 1 - back : n;
}

static void print_into(char *buf, size_t size, const char *fmt, va_list ap)
{
    int n = vsnprintf(buf, size, fmt, ap);
    if (n < 0)
        buf[0] = '\0';
    else if ((size_t)n >= size)
        buf[whole_characters(buf, size - 1)] = '\0';
    make_printable(buf);
}

orr_err orr__fail(struct orr_report *why, orr_err code, const char *fmt, ...)
{
    if (why == NULL || why->code != ORR_OK)
        return code;
    va_list ap;
    va_start(ap, fmt);
    print_into(why->message, sizeof why->message, fmt, ap);
    va_end(ap);
    why->code = code;
    return code;
}

orr_err orr__fail_at(struct orr_report *why, orr_err code, const char *file,
                     int line, int col, const char *fmt, ...)
{
    if (why == NULL || why->code != ORR_OK)
        return code;
    va_list ap;
    va_start(ap, fmt);
    print_into(why->message, sizeof why->message, fmt, ap);
    va_end(ap);
    snprintf(why->file, sizeof why->file, "%s", file ? file : "");
    make_printable(why->file);
    why->line = line;
    why->col = col;
    why->code = code;
    return code;
}

orr_err orr__no_memory(struct orr_report *why)
{
    return orr__fail(why, ORR_ENOMEM, "out of memory");
}

void orr__hint(struct orr_report *why, const char *fmt, ...)
{
    if (why == NULL || why->code == ORR_OK || why->hint[0] != '\0')
        return;
    va_list ap;
    va_start(ap, fmt);
    print_into(why->hint, sizeof why->hint, fmt, ap);
    va_end(ap);
}

/* An excerpt shows at most EXCERPT_WIDTH characters. A column beyond them is
 * shown from EXCERPT_LEAD characters before it; both sides of this file work
 * that out from the column alone. */
enum { EXCERPT_WIDTH = 60, EXCERPT_LEAD = 30 };

static int excerpt_start(int col)
{
    return col <= EXCERPT_WIDTH ? 0 : col - 1 - EXCERPT_LEAD;
}

void orr__excerpt(struct orr_report *why, const char *line, size_t length)
{
    if (why == NULL || why->col < 1 || why->excerpt[0] != '\0')
        return;
    int start = excerpt_start(why->col), column = -1;
    size_t out = 0;
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)line[i];
        if ((c & 0xc0) != 0x80) /* a character begins */
            column++;
        if (column < start)
            continue;
        if (column - start >= EXCERPT_WIDTH || out + 1 >= sizeof why->excerpt)
            break;
        why->excerpt[out++] = c == '\t' ? ' ' : (char)c;
    }
    while (out > 0 && (why->excerpt[out - 1] == '\r' ||
                       why->excerpt[out - 1] == ' '))
        out--;
    why->excerpt[whole_characters(why->excerpt, out)] = '\0';
    make_printable(why->excerpt);
}

/* snprintf that goes on at *at and stays inside size. */
ORR_PRINTF(4, 5)
static void append(char *buf, size_t size, size_t *at, const char *fmt, ...)
{
    if (*at >= size)
        return;
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(buf + *at, size - *at, fmt, ap);
    va_end(ap);
    if (n > 0)
        *at = (size_t)n < size - *at ? *at + (size_t)n : size;
}

void orr__report_format(const struct orr_report *why, char *buf, size_t size)
{
    if (size == 0)
        return;
    size_t at = 0;
    buf[0] = '\0';
    if (why->file[0] && why->line > 0 && why->col > 0)
        append(buf, size, &at, "%s:%d:%d: ", why->file, why->line, why->col);
    else if (why->file[0] && why->line > 0)
        append(buf, size, &at, "%s:%d: ", why->file, why->line);
    else if (why->file[0])
        append(buf, size, &at, "%s: ", why->file);
    append(buf, size, &at, "%s",
           why->message[0] ? why->message : orr_strerror(why->code));
    if (why->excerpt[0]) {
        int before = why->col > 0 ? why->col - 1 - excerpt_start(why->col) : 0;
        append(buf, size, &at, "\n    %s\n    %*s^", why->excerpt, before, "");
    }
    if (why->hint[0])
        append(buf, size, &at, "\nhint: %s", why->hint);
}
