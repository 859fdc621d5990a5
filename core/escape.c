#include "core/escape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The next character as it may be shown, in `as`; false: there is none. */
static bool take_character(const char **s, char as[5])
{
    uint32_t point = 0;
    if (**s == '\0')
        return false;
    size_t n = orr__utf8_length(*s, strlen(*s), &point);
    bool blank = n == 1 && strchr("\n\r\t", **s);
    bool shown = n > 0 && orr__is_shown(point);
    if (shown) {
        memcpy(as, *s, n);
        as[n] = '\0';
    } else {
        memcpy(as, blank ? " " : "?", 2);
    }
    *s += shown ? n : 1;
    return true;
}

/* Each character by a function that says what it becomes; NULL: as it is. */
static void put_escaped(struct orr_text *t, const char *s,
                        const char *(*as)(char c))
{
    char c[5];
    while (take_character(&s, c)) {
        const char *other = c[1] ? NULL : as(c[0]);
        orr__text_add(t, "%s", other ? other : c);
    }
}

/* ---- gnuplot ------------------------------------------------------------ */

static const char *in_single(char c)
{
    return c == '\'' ? "''" : NULL;
}

static const char *in_single_format(char c)
{
    return c == '%' ? "%%" : in_single(c);
}

/* Where a name is longer its middle is left out: of so many characters these
 * are kept, at its beginning and at its end. */
enum { LONGEST_NAME = 36, FIRST = 20, LAST = LONGEST_NAME - FIRST - 1 };

static size_t count_characters(const char *s)
{
    char c[5];
    size_t n = 0;
    while (take_character(&s, c))
        n++;
    return n;
}

/* For gnuplot: its SVG has `>` as it is, and behind `]]` XML does not take it.
 */
static void put_drawn(struct orr_text *t, const char *s, bool brief,
                      const char *(*as)(char c))
{
    size_t n = brief ? count_characters(s) : 0, brackets = 0;
    bool number = false; /* before this; gnuplot takes more digits to it */
    char c[5], digit[8];
    for (size_t i = 0; take_character(&s, c); i++) {
        const char *other = c[1] ? NULL : as(c[0]);
        if (number && *c >= '0' && *c <= '9') {
            snprintf(digit, sizeof digit, "\\%03o", (unsigned)*c);
            other = digit;
        }
        number = other && *other == '\\';
        if (n > LONGEST_NAME && i == FIRST)
            orr__text_add(t, "\xe2\x80\xa6");
        if (n > LONGEST_NAME && i >= FIRST && i < n - LAST)
            continue;
        orr__text_add(t, "%s%s", *c == '>' && brackets > 1 ? " " : "",
                      other ? other : c);
        brackets = *c == ']' ? brackets + 1 : 0;
    }
}

/* By their numbers, which gnuplot looks at last: after back-quotes, too. */
static const char *in_double(char c)
{
    switch (c) {
    case '"': return "\\042";
    case '\'': return "\\047";
    case '\\': return "\\134";
    case '`': return "\\140";
    default: return NULL;
    }
}

static const char *in_double_format(char c)
{
    return c == '%' ? "%%" : in_double(c);
}

/* In single quotes nothing but these has a meaning; but gnuplot 5.4 takes the
 * two of one at the beginning for an empty string, and four of them for its
 * end. */
static void gnuplot(struct orr_text *t, const char *s, bool format, bool brief)
{
    t->failed |= s == NULL;
    if (s == NULL)
        return;
    size_t n = strlen(s);
    bool twice = *s == '\'' || strstr(s, "''") || (n && s[n - 1] == '\'');
    orr__text_add(t, twice ? "\"" : "'");
    put_drawn(t, s, brief,
              twice    ? format ? in_double_format : in_double
              : format ? in_single_format
                       : in_single);
    orr__text_add(t, twice ? "\"" : "'");
}

void orr__escape_gnuplot(struct orr_text *t, const char *s)
{
    gnuplot(t, s, false, false);
}

void orr__escape_gnuplot_name(struct orr_text *t, const char *s)
{
    gnuplot(t, s, false, true);
}

void orr__escape_gnuplot_format(struct orr_text *t, const char *s)
{
    gnuplot(t, s, true, true);
}

void orr__escape_gnuplot_data(struct orr_text *t, const char *s)
{
    orr__text_add(t, "\"");
    put_drawn(t, s, true, in_double);
    orr__text_add(t, "\"");
}

/* ---- pages -------------------------------------------------------------- */

static const char *in_html(char c)
{
    switch (c) {
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '&': return "&amp;";
    case '"': return "&quot;";
    default: return NULL;
    }
}

void orr__escape_html(struct orr_text *t, const char *s)
{
    put_escaped(t, s, in_html);
}

void orr__escape_script(struct orr_text *t, const char *json, size_t n)
{
    const char *end = json + n, *lt;
    for (; (lt = memchr(json, '<', (size_t)(end - json))); json = lt + 1) {
        orr__text_piece(t, json, (size_t)(lt - json));
        orr__text_piece(t, "\\u003c", 6);
    }
    orr__text_piece(t, json, (size_t)(end - json));
}

/* ---- tables ------------------------------------------------------------- */

static const char *in_csv(char c)
{
    return c == '"' ? "\"\"" : NULL;
}

static bool is_formula(const char *s)
{
    char *end;
    s += strspn(s, " \t\r\n");
    if (*s == '\0' || !strchr("=+-@", *s))
        return false;
    (void)strtod(s, &end);
    return end == s || *end != '\0';
}

void orr__escape_csv(struct orr_text *t, const char *s)
{
    bool quote = s[strcspn(s, ",\"")] != '\0';
    orr__text_add(t, "%s%s", quote ? "\"" : "", is_formula(s) ? "'" : "");
    put_escaped(t, s, in_csv);
    orr__text_add(t, "%s", quote ? "\"" : "");
}

static const char *in_line(char c)
{
    return c == '"' ? NULL : in_html(c);
}

/* What stands for a character in a cell of a Markdown table; NULL: the
 * character itself. */
static const char *in_cell(char c)
{
    switch (c) {
    case '|': return "\\|";
    case '*': return "\\*";
    case '_': return "\\_";
    case '`': return "\\`";
    case '~': return "\\~";
    case '\\': return "\\\\";
    default: return in_line(c);
    }
}

/* `](` would make a link, or a picture, of what stands there. */
static void markdown(struct orr_text *t, const char *s,
                     const char *(*as)(char c))
{
    char c[5], before = '\0';
    while (take_character(&s, c)) {
        const char *other = c[1] ? NULL : as(c[0]);
        bool links = before == ']' && c[0] == '(';
        orr__text_add(t, "%s%s", links ? "\\" : "", other ? other : c);
        before = c[0];
    }
}

void orr__escape_markdown(struct orr_text *t, const char *s)
{
    markdown(t, s, in_cell);
}

void orr__escape_markdown_line(struct orr_text *t, const char *s)
{
    markdown(t, s, in_line);
}

/* What stands for one of LaTeX's special characters; NULL: the character
 * itself. */
static const char *in_latex(char c)
{
    switch (c) {
    case '&': return "\\&";
    case '%': return "\\%";
    case '$': return "\\$";
    case '#': return "\\#";
    case '_': return "\\_";
    case '{': return "\\{";
    case '}': return "\\}";
    case '\\': return "\\textbackslash{}";
    case '^': return "\\textasciicircum{}";
    case '~': return "\\textasciitilde{}";
    default: return NULL;
    }
}

void orr__escape_latex(struct orr_text *t, const char *s)
{
    /* behind the \\ of a row a [ would begin its argument */
    orr__text_add(t, "%s", *s == '[' ? "{}" : "");
    put_escaped(t, s, in_latex);
}
