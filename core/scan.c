#include "core/scan.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/assert.h"
#include "core/memory.h"
#include "core/read.h"
#include "core/units.h"

/* ---- reading ----------------------------------------------------------- */

/* All of a file, or what there is up to a zero byte, which no text has. A pipe
 * that never ends does not take more than half of the memory that is free. */
static orr_err read_all(struct orr_scan *s, const char *path)
{
    int wrong = orr__read_file(path, orr__memory_available() / 2, ORR_READ_TEXT,
                               &s->text, &s->size);
    if (wrong == ENOMEM)
        return orr__no_memory(s->why);
    if (wrong == EFBIG)
        return orr__fail(s->why, ORR_ENOMEM, "%s does not fit into memory",
                         s->name);
    return wrong ? orr__fail(s->why, ORR_ECONFIG, "cannot read %s: %s", s->name,
                             strerror(wrong))
                 : ORR_OK;
}

/* To the first word, past a byte order mark. A NUL byte anywhere is refused at
 * its line and column, so that words are C strings. */
static orr_err begin_scan(struct orr_scan *s)
{
    bool marked = strncmp(s->text, "\xef\xbb\xbf", 3) == 0;
    s->at = s->line_at = s->text + (marked ? 3 : 0);
    s->line = 1;
    s->word = "";
    const char *nul = memchr(s->text, '\0', s->size);
    if (!nul)
        return ORR_OK;
    for (char *p = s->text; p < nul; p++)
        if (*p == '\n') {
            s->line++;
            s->line_at = p + 1;
        }
    return orr__fail_at(s->why, ORR_ECONFIG, s->name, s->line,
                        (int)(nul - s->line_at) + 1,
                        "a zero byte: this is no text file");
}

orr_err orr__scan_open(struct orr_scan *s, const char *path, const char *name,
                       struct orr_report *why)
{
    *s = (struct orr_scan){.why = why, .name = orr__strdup(name)};
    if (!s->name)
        return orr__no_memory(why);
    orr_err err = read_all(s, path);
    if (err == ORR_OK)
        err = begin_scan(s);
    if (err != ORR_OK)
        orr__scan_fini(s);
    return err;
}

orr_err orr__scan_text(struct orr_scan *s, const char *name, const char *text,
                       size_t length, struct orr_report *why)
{
    *s = (struct orr_scan){.why = why,
                           .size = length,
                           .name = orr__strdup(name),
                           .text = orr__alloc(length + 1, 1)};
    orr_err err = s->name && s->text ? ORR_OK : orr__no_memory(why);
    if (err == ORR_OK) {
        memcpy(s->text, text, length);
        err = begin_scan(s);
    }
    if (err != ORR_OK)
        orr__scan_fini(s);
    return err;
}

void orr__scan_fini(struct orr_scan *s)
{
    orr__free(s->name);
    orr__free(s->text);
    s->name = s->text = NULL;
}

/* ---- words ------------------------------------------------------------- */

/* The text is as it was read again: the last word ends as it did. */
static void mend_word(struct orr_scan *s)
{
    ORR_ASSERT(s->at >= s->line_at && s->line_at >= s->text);
    ORR_ASSERT(s->at <= s->text + s->size);
    if (s->cut)
        *s->cut = s->under;
    s->cut = NULL;
    if (s->last_line) {
        s->line_at = s->last_line;
        s->line += s->lines;
    }
    s->last_line = NULL;
}

static bool is_blank(const struct orr_scan *s, char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'
           || (s->separator && c == s->separator);
}

static bool is_end(const struct orr_scan *s, char c)
{
    return c == '\0' || c == '\n' || (s->comment && c == s->comment);
}

bool orr__scan_here(struct orr_scan *s)
{
    mend_word(s);
    s->field = NULL;
    while (is_blank(s, *s->at))
        s->at++;
    char *p = s->at;
    while (!is_end(s, *p) && !is_blank(s, *p))
        p++;
    s->word = s->at;
    s->length = (size_t)(p - s->at);
    if (s->length == 0) {
        s->word = "";
        return false;
    }
    s->cut = p;
    s->under = *p;
    *p = '\0';
    s->at = p;
    return true;
}

/* To the begin of the next line; false where there is none. */
static bool next_line(struct orr_scan *s)
{
    mend_word(s);
    char *end = memchr(s->at, '\n', s->size - (size_t)(s->at - s->text));
    if (!end)
        return false;
    s->at = s->line_at = end + 1;
    s->line++;
    s->field = NULL;
    return true;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

/* Where what stands in quotes from `from` on ends: at its closing quote, behind
 * line breaks perhaps; with none, where the line does. */
static char *quoted(struct orr_scan *s, char *from)
{
    char *to = from, *first = NULL, *last = NULL;
    int lines = 0;
    while (*to && (*to != '"' || to[1] == '"')) {
        if (*to == '\n') {
            first = first ? first : to;
            last = to + 1;
            lines++;
        }
        to += *to == '"' ? 2 : 1;
    }
    if (!*to)
        return first ? first : to;
    s->last_line = last;
    s->lines = lines;
    return to;
}

bool orr__scan_field(struct orr_scan *s)
{
    mend_word(s);
    char *p = s->field ? s->field : s->at;
    while (is_space(*p) && *p != s->separator)
        p++;
    char *from = p, *to;
    s->field = NULL;
    s->goes_on = false;
    if (is_end(s, *p)) {
        s->word = "";
        s->length = 0;
        s->at = p;
        return false;
    }
    if (*p == '"') {
        to = quoted(s, ++from);
        for (p = to; !is_end(s, *p) && *p != s->separator;)
            p++;
    } else {
        while (!is_end(s, *p) && *p != s->separator)
            p++;
        for (to = p; to > from && is_space(to[-1]);)
            to--;
    }
    s->goes_on = !is_end(s, *p);
    s->field = s->goes_on ? p + 1 : p;
    s->word = from;
    s->length = (size_t)(to - from);
    s->cut = s->at = to;
    s->under = *to;
    *to = '\0';
    return true;
}

bool orr__scan_line_on(struct orr_scan *s)
{
    mend_word(s);
    for (;;) {
        char *p = s->field ? s->field : s->at;
        while (is_space(*p))
            p++;
        if (!is_end(s, *p) && !s->field)
            return true;
        if (!next_line(s))
            return false;
    }
}

bool orr__scan_word(struct orr_scan *s)
{
    while (!orr__scan_here(s))
        if (!next_line(s))
            return false;
    return true;
}

const char *orr__scan_line_tail(const struct orr_scan *s)
{
    return s->field ? s->field : s->at;
}

int orr__scan_line(const struct orr_scan *s)
{
    return s->line;
}

/* Of byte `offset` of the last word. */
static int column(const struct orr_scan *s, size_t offset)
{
    ptrdiff_t before = s->at - s->length + offset - s->line_at;
    return before < INT_MAX ? (int)before + 1 : 1;
}

int orr__scan_column(const struct orr_scan *s)
{
    return column(s, 0);
}

/* ---- failures ---------------------------------------------------------- */

/* The message at a byte offset from the line's start, with that line below it;
 * mends the word that was cut off before. */
static orr_err fail_at(struct orr_scan *s, size_t offset, const char *fmt,
                       va_list ap)
{
    char text[512];
    vsnprintf(text, sizeof text, fmt, ap);
    mend_word(s);
    size_t left = s->size - (size_t)(s->line_at - s->text);
    const char *end = memchr(s->line_at, '\n', left);
    orr_err err = orr__fail_at(s->why, ORR_ECONFIG, s->name, s->line,
                               column(s, offset), "%s", text);
    orr__excerpt(s->why, s->line_at, end ? (size_t)(end - s->line_at) : left);
    return err;
}

orr_err orr__scan_fail(struct orr_scan *s, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    orr_err err = fail_at(s, 0, fmt, ap);
    va_end(ap);
    return err;
}

orr_err orr__scan_fail_at(struct orr_scan *s, size_t offset, const char *fmt,
                          ...)
{
    va_list ap;
    va_start(ap, fmt);
    orr_err err = fail_at(s, offset, fmt, ap);
    va_end(ap);
    return err;
}

/* ---- values ------------------------------------------------------------ */

static orr_err missing(struct orr_scan *s, const char *what)
{
    return orr__scan_fail(s, "%s is missing", what);
}

static bool is_integer(const char *text)
{
    text += *text == '-';
    return *text && text[strspn(text, "0123456789")] == '\0';
}

orr_err orr__scan_int(struct orr_scan *s, const char *what, int64_t min,
                      int64_t max, int64_t *value)
{
    if (s->length == 0)
        return missing(s, what);
    if (orr__parse_int(s->word, value) && is_integer(s->word))
        return orr__scan_fail(s, "%s must be from %lld to %lld, not %.24s%s",
                              what, (long long)min, (long long)max, s->word,
                              s->length > 24 ? "..." : "");
    if (orr__parse_int(s->word, value))
        return orr__scan_fail(s, "%s must be a whole number, not \"%.40s\"",
                              what, s->word);
    if (*value < min || *value > max)
        return orr__scan_fail(s, "%s must be from %lld to %lld, not %lld", what,
                              (long long)min, (long long)max,
                              (long long)*value);
    return ORR_OK;
}

orr_err orr__scan_real(struct orr_scan *s, const char *what, double min,
                       double max, double *value)
{
    if (s->length == 0)
        return missing(s, what);
    if (orr__parse_real(s->word, value))
        return orr__scan_fail(s, "%s must be a number, not \"%.40s\"", what,
                              s->word);
    if (!(*value >= min && *value <= max))
        return orr__scan_fail(s, "%s must be from %g to %g, not %.40s", what,
                              min, max, s->word);
    return ORR_OK;
}

/* A copy of the word, with `bare` behind a number without a unit; false when
 * it does not fit. */
static bool with_unit(const struct orr_scan *s, const char *bare, char *text,
                      size_t size)
{
    ORR_ASSERT(s->length > 0 && s->word[s->length] == '\0');
    char last = s->word[s->length - 1];
    bool none = bare && ((last >= '0' && last <= '9') || last == '.');
    int n = snprintf(text, size, "%s%s", s->word, none ? bare : "");
    return n > 0 && (size_t)n < size;
}

/* A bare number with an exponent, as scripts write small ones ("2e-05"): to
 * the nearest picosecond. */
static bool time_with_exponent(const struct orr_scan *s, const char *bare,
                               int64_t *ps)
{
    char one[16];
    double number;
    int64_t unit;
    if (!bare || !strpbrk(s->word, "eE") || orr__parse_real(s->word, &number))
        return false;
    snprintf(one, sizeof one, "1%s", bare);
    if (orr__parse_time(one, &unit) || number < 0
        || number * (double)unit > (double)ORR_HORIZON)
        return false;
    *ps = (int64_t)rint(number * (double)unit);
    return true;
}

orr_err orr__scan_time(struct orr_scan *s, const char *what, const char *bare,
                       int64_t *ps)
{
    char text[64];
    if (s->length == 0)
        return missing(s, what);
    const char *wrong = "not a time";
    if (time_with_exponent(s, bare, ps))
        return ORR_OK;
    if (with_unit(s, bare, text, sizeof text))
        wrong = orr__parse_time(text, ps);
    return wrong ? orr__scan_fail(s, "%s: %s", what, wrong) : ORR_OK;
}

/* ns-3 writes rates as 100Gbps, 100Gb/s, 10kbps. */
static void modern_unit(char *text)
{
    size_t n = strlen(text);
    if (n > 3 && strcmp(text + n - 3, "b/s") == 0)
        memcpy(text + n - 3, "bps", 3);
    if (n > 4 && text[n - 4] == 'k')
        text[n - 4] = 'K';
}

orr_err orr__scan_rate(struct orr_scan *s, const char *what, const char *bare,
                       uint64_t *bps)
{
    char text[64];
    if (s->length == 0)
        return missing(s, what);
    const char *wrong = "not a rate";
    if (with_unit(s, bare, text, sizeof text)) {
        modern_unit(text);
        wrong = orr__parse_rate(text, bps);
    }
    return wrong ? orr__scan_fail(s, "%s: %s", what, wrong) : ORR_OK;
}
