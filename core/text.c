#include "core/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/array.h"
#include "core/assert.h"
#include "core/memory.h"

static bool make_room(struct orr_text *t, size_t more)
{
    ORR_ASSERT(t->s ? t->length < t->room : t->length == 0);
    if (!t->failed)
        t->failed = !orr__array_more(t->s, t->room, t->length + more);
    return !t->failed;
}

void orr__text_add(struct orr_text *t, const char *fmt, ...)
{
    va_list ap;
    size_t room = t->room - t->length;
    va_start(ap, fmt);
    int n = vsnprintf(room ? t->s + t->length : NULL, room, fmt, ap);
    va_end(ap);
    if (n < 0) /* printf found no memory */
        t->failed = true;
    if (n < 0 || !make_room(t, (size_t)n))
        return;
    if ((size_t)n >= room) { /* there was not enough */
        va_start(ap, fmt);
        vsnprintf(t->s + t->length, t->room - t->length, fmt, ap);
        va_end(ap);
    }
    t->length += (size_t)n;
}

void orr__text_shell(struct orr_text *t, const char *word)
{
    static const char special[] = " \t\n'\"\\$`*?[]{}();&|<>~#!";
    if (word[0] && !strpbrk(word, special)) {
        orr__text_piece(t, word, strlen(word));
        return;
    }
    orr__text_piece(t, "'", 1);
    for (; *word; word++)
        if (*word == '\'')
            orr__text_piece(t, "'\\''", 4);
        else
            orr__text_piece(t, word, 1);
    orr__text_piece(t, "'", 1);
}

void orr__text_piece(struct orr_text *t, const char *s, size_t n)
{
    if (!make_room(t, n))
        return;
    memcpy(t->s + t->length, s, n);
    t->length += n;
    t->s[t->length] = '\0';
}

/* What YAML would not take as it is. */
static bool is_odd(uint32_t point)
{
    return !orr__is_shown(point) || point == 0xa0;
}

void orr__text_quoted(struct orr_text *t, const char *s)
{
    orr__text_add(t, "\"");
    for (size_t left = strlen(s), n; left > 0; s += n, left -= n) {
        uint32_t p = (unsigned char)*s;
        n = orr__utf8_length(s, left, &p);
        if (n == 0)
            n = 1; /* no character: as it is */
        if (p == '"' || p == '\\')
            orr__text_add(t, "\\%c", (char)p);
        else if (is_odd(p) && (n > 1 || p < 128))
            orr__text_add(t, "\\u%04x", (unsigned)p);
        else
            orr__text_piece(t, s, n);
    }
    orr__text_add(t, "\"");
}

void orr__text_column(struct orr_text *t, size_t column)
{
    size_t at = 0;
    for (size_t i = t->length; i > 0 && t->s[i - 1] != '\n'; i--)
        at += ((unsigned char)t->s[i - 1] & 0xc0) != 0x80;
    orr__text_add(t, "%*s", at < column ? (int)(column - at) : 1, "");
}

char *orr__text_done(struct orr_text *t)
{
    char *s = t->failed ? NULL : t->s;
    if (t->failed)
        orr__free(t->s);
    else if (s == NULL)
        s = orr__strdup("");
    *t = (struct orr_text){.s = NULL};
    return s;
}

char *orr__text_shown(struct orr_text *t)
{
    char *s = orr__text_done(t);
    if (s)
        orr__make_shown(s);
    return s;
}

void orr__group_digits(uint64_t value, char *buf, size_t size)
{
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%llu", (unsigned long long)value);
    size_t at = 0;
    ORR_ASSERT(size > 0);
    for (int i = 0; i < n && at + 2 < size; i++) {
        buf[at++] = digits[i];
        if ((n - i - 1) % 3 == 0 && i + 1 < n)
            buf[at++] = ',';
    }
    buf[at] = '\0';
}

size_t orr__text_character(const char *s)
{
    const unsigned char *c = (const unsigned char *)s;
    size_t n = *c < 0x80   ? 1
               : *c < 0xc2 ? 0
               : *c < 0xe0 ? 2
               : *c < 0xf0 ? 3
               : *c < 0xf5 ? 4
                           : 0;
    for (size_t i = 1; i < n; i++)
        if ((c[i] & 0xc0) != 0x80)
            return 0;
    /* Longer than needed, surrogates, beyond the last character. */
    if ((c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] > 0x9f)
        || (c[0] == 0xf0 && c[1] < 0x90) || (c[0] == 0xf4 && c[1] > 0x8f))
        return 0;
    return *c ? n : 0;
}

void orr__text_words(struct orr_text *t, const char *s, size_t columns)
{
    while (*s && columns-- > 0) {
        uint32_t point = 0; /* not shown */
        size_t n = orr__utf8_length(s, strlen(s), &point);
        bool plain = n > 0 && orr__is_shown(point);
        orr__text_add(t, "%.*s", plain ? (int)n : 1, plain ? s : "?");
        s += plain ? n : 1;
    }
}

/* How many characters the first n bytes are, as orr__make_shown has them. */
static size_t count_columns(const char *s, size_t n)
{
    size_t columns = 0;
    while (n > 0) {
        uint32_t point = 0; /* not shown */
        size_t bytes = orr__utf8_length(s, n, &point);
        if (bytes == 0)
            bytes = 1;
        columns += orr__is_shown(point) ? 1 : bytes;
        s += bytes;
        n -= bytes;
    }
    return columns;
}

void orr__text_wrapped(struct orr_text *t, const char *s, size_t column)
{
    size_t at = column;
    for (bool first = true; *s; first = false) {
        size_t n = strcspn(s, " ");
        size_t columns = count_columns(s, n);
        if (!first && at + 1 + columns > ORR_TEXT_WIDTH) {
            orr__text_add(t, "\n%*s", (int)column, "");
            at = column;
        } else if (!first) {
            orr__text_piece(t, " ", 1);
            at++;
        }
        orr__text_piece(t, s, n);
        at += columns;
        s += n;
        s += *s == ' ';
    }
}
