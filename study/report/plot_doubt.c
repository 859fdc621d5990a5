#include "study/report/plot_doubt.h"

#include <math.h>
#include <string.h>

#include "core/escape.h"
#include "core/memory.h"
#include "core/text.h"

enum {
    COLUMNS = 100, /* of a line below, at its size */
    MOST_LINES = 9 /* of those */
};
#define LINE 0.045 /* of the picture's height */

/* As large beside the other texts, whatever the terminal's own size. */
static const char sizes[] = "small = GPVAL_TERM eq 'pdfcairo' ? 7 "
                            ": GPVAL_TERM eq 'pngcairo' ? 12 : 9\n";
#define SMALL_FONT "font sprintf(',%%g', small)"

static double number(const json_t *list, size_t i)
{
    const json_t *x = json_array_get(list, i);
    return json_is_number(x) ? json_number_value(x) : NAN;
}

/* Over each bar, as far as the highest of all: what is beyond that may not be
 * seen. gnuplot puts the bars of a group beside one another around its number,
 * as wide as the gap allows. */
static void put_marks(struct orr_text *t, const json_t *marks,
                      const struct orr_plot_bars *b)
{
    double width = 1 / (double)(b->each + b->gap), most = 0;
    for (size_t i = 0; i < b->groups * b->each; i++)
        most = fmax(most, number(b->mean, i));
    for (size_t i = 0; i < b->groups * b->each; i++) {
        const char *s = json_string_value(json_array_get(marks, i));
        double x = number(b->mean, i), half = number(b->half, i);
        size_t group = i / b->each, bar = i % b->each;
        double at =
            (double)group + ((double)bar - ((double)b->each - 1) / 2) * width;
        if (!s || !*s)
            continue;
        double top = isfinite(x) ? x + (isfinite(half) ? half : 0) : 0;
        orr__text_add(t, "set label ");
        orr__escape_gnuplot(t, s);
        orr__text_add(
            t,
            " at first %.9g, first %.9g center offset 0,0.6 " SMALL_FONT
            " front\n",
            at, fmin(top, most) / b->unit);
    }
}

/* Length of the next line of s, which ends between words if it can. */
static size_t line_of(const char *s)
{
    size_t n = strlen(s), at = COLUMNS;
    if (n <= COLUMNS)
        return n;
    while (at > COLUMNS / 2 && s[at] != ' ')
        at--;
    return s[at] == ' ' ? at : COLUMNS;
}

/* Lines below the picture, as line_of() breaks them. */
static size_t count_lines(const json_t *doubt)
{
    size_t i, lines = 0;
    const json_t *line;
    json_array_foreach(doubt, i,
                       line) for (const char *s = json_string_value(line);
                                  s && *s; lines++)
    {
        s += line_of(s);
        s += *s == ' ';
    }
    return lines;
}

static void put_line(struct orr_text *t, size_t row, size_t rows, const char *s,
                     size_t n)
{
    char *line = orr__format("%.*s", (int)n, s);
    orr__text_add(t, "set label ");
    orr__escape_gnuplot(t, line);
    orr__free(line);
    orr__text_add(t, " at screen 0.01, screen %.4g left " SMALL_FONT "\n",
                  LINE * ((double)(rows - row) - 0.3));
}

void orr__plot_doubt(struct orr_text *script, const json_t *view,
                     const struct orr_plot_bars *b)
{
    static const char more[] = "... and more: the folder's table.md has all";
    const json_t *doubt = json_object_get(view, "doubt"), *line;
    size_t all = count_lines(doubt), row = 0, i;
    size_t rows = all < MOST_LINES ? all : MOST_LINES;
    if (all == 0)
        return;
    orr__text_add(script, "%s", sizes);
    put_marks(script, json_object_get(view, "marks"), b);
    orr__text_add(script,
                  "set offsets graph 0, graph 0, graph 0.05, graph 0\n"
                  "set bmargin at screen %.4g\n",
                  LINE * (double)rows + (b->rotated ? 0.25 : 0.12));
    json_array_foreach(doubt, i,
                       line) for (const char *s = json_string_value(line);
                                  s && *s; row++)
    {
        size_t n = line_of(s);
        if (row + 1 < rows || all == rows)
            put_line(script, row, rows, s, n);
        else if (row + 1 == rows)
            put_line(script, row, rows, more, sizeof more - 1);
        s += n;
        s += *s == ' ';
    }
}

/* "8.8 % of packets lost; 2 notes", as far as it fits. */
static void add_what_fits(struct orr_text *t, const json_t *doubt, size_t room)
{
    size_t i, notes = 0, left = 0, used = 0;
    const json_t *line;
    json_array_foreach(doubt, i, line)
    {
        const char *s = json_string_value(line);
        if (s && s[0] == 'N') {
            notes++;
        } else if (s && s[0] && used + strlen(s) <= room) {
            orr__text_add(t, "%s%s", used ? "; " : "", s + 2);
            used += strlen(s);
        } else {
            left++;
        }
    }
    if (notes)
        orr__text_add(t, "%s%zu note%s", used ? "; " : "", notes,
                      notes > 1 ? "s" : "");
    if (left)
        orr__text_add(t, "; ...");
}

void orr__plot_doubt_title(struct orr_text *script, const json_t *view,
                           const char *before)
{
    struct orr_text t = {.s = NULL};
    orr__text_add(&t, "%s", "");
    add_what_fits(&t, json_object_get(view, "doubt"), COLUMNS);
    char *s = orr__text_done(&t);
    if (before || (s && *s)) {
        orr__text_add(script, "%sset title ", sizes);
        if (before)
            orr__escape_gnuplot(script, before);
        if (before && s && *s)
            orr__text_add(script, ".\"\\n\".");
        if (s && *s)
            orr__escape_gnuplot(script, s);
        orr__text_add(script, " " SMALL_FONT "\n");
    }
    script->failed |= s == NULL;
    orr__free(s);
}
