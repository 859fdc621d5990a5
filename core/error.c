#include "core/error.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

const char *orr_version(void)
{
    return ORR_VERSION;
}

const char *orr_strerror(orr_err code)
{
    switch (code) {
#define ORR_ERROR_TEXT(name, text)                                             \
    case ORR_##name: return text;
        ORR_ERROR_MAP(ORR_ERROR_TEXT)
#undef ORR_ERROR_TEXT
    }
    return "unknown error";
}

size_t orr__utf8_length(const char *s, size_t n, uint32_t *point)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char lead = (unsigned char)s[0];
    size_t len = lead < 0x80   ? 1
                 : lead < 0xc0 ? 0
                 : lead < 0xe0 ? 2
                 : lead < 0xf0 ? 3
                 : lead < 0xf8 ? 4
                               : 0;
    if (len == 0 || len > n)
        return 0;
    uint32_t p = len == 1 ? lead : lead & (0x7fu >> len);
    for (size_t i = 1; i < len; i++) {
        if (((unsigned char)s[i] & 0xc0) != 0x80)
            return 0;
        p = p << 6 | ((unsigned char)s[i] & 0x3f);
    }
    if (p < least[len] || p > 0x10ffff || (p >= 0xd800 && p < 0xe000))
        return 0;
    *point = p;
    return len;
}

bool orr__is_shown(uint32_t p)
{
    bool control = p < 0x20 || (p >= 0x7f && p <= 0x9f);
    bool mark = p == 0x61c || p == 0x200e || p == 0x200f;
    /* separators of lines, embeddings and overrides; isolates */
    bool turn = (p >= 0x2028 && p <= 0x202e) || (p >= 0x2066 && p <= 0x2069);
    /* of no width, by which two names look alike; tags; no characters at all,
     * which XML does not take */
    bool nothing = p == 0x200b || p == 0x2060 || p == 0xfeff
                   || (p >= 0xe0000 && p <= 0xe007f) || (p & 0xfffe) == 0xfffe;
    return !control && !mark && !turn && !nothing;
}

/* A text that was cut off in the middle of a character loses what is left of
 * it. */
static void make_shown(char *s, bool cut)
{
    size_t left = strlen(s);
    for (size_t n; left > 0; s += n, left -= n) {
        uint32_t p = 0; /* not shown */
        n = orr__utf8_length(s, left, &p);
        if (n == 0 && cut && left < 4 && ((unsigned char)*s & 0xc0) == 0xc0) {
            *s = '\0';
            return;
        }
        if (n == 0)
            n = 1;
        if (p != '\n' && !orr__is_shown(p))
            memset(s, '?', n);
    }
}

void orr__make_shown(char *s)
{
    make_shown(s, false);
}

/* Text of the user's ends up in messages, and messages on a terminal. */
static void print_into(char *buf, size_t size, const char *fmt, va_list ap)
{
    int n = vsnprintf(buf, size, fmt, ap);
    if (n < 0)
        buf[0] = '\0';
    make_shown(buf, n >= 0 && (size_t)n >= size);
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
    va_list ap;
    va_start(ap, fmt);
    orr__vfail_at(why, code, file, line, col, fmt, ap);
    va_end(ap);
    return code;
}

orr_err orr__vfail_at(struct orr_report *why, orr_err code, const char *file,
                      int line, int col, const char *fmt, va_list ap)
{
    if (why == NULL || why->code != ORR_OK)
        return code;
    print_into(why->message, sizeof why->message, fmt, ap);
    int n = snprintf(why->file, sizeof why->file, "%s", file ? file : "");
    make_shown(why->file, n >= (int)sizeof why->file);
    why->line = line;
    why->col = col;
    why->code = code;
    return code;
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
    int start = excerpt_start(why->col), column = 0;
    size_t out = 0;
    for (size_t n; length > 0; line += n, length -= n, column++) {
        uint32_t point;
        n = orr__utf8_length(line, length, &point);
        if (n == 0)
            n = 1; /* no character, but it takes a column */
        if (column < start)
            continue;
        if (column - start == EXCERPT_WIDTH || out + n >= sizeof why->excerpt)
            break;
        memcpy(why->excerpt + out, line, n);
        if (*line == '\t')
            why->excerpt[out] = ' ';
        out += n;
    }
    while (out > 0 && why->excerpt[out - 1] == ' ')
        out--;
    why->excerpt[out] = '\0';
    make_shown(why->excerpt, false);
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
