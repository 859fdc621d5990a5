#include "study/report/plot_doubt.h"

#include <string.h>

#include "core/escape.h"
#include "core/memory.h"
#include "core/text.h"

enum { COLUMNS = 100 }; /* of a title, at its size */

/* As large beside the other texts, whatever the terminal's own size. */
static const char sizes[] = "small = GPVAL_TERM eq 'pdfcairo' ? 7 "
                            ": GPVAL_TERM eq 'pngcairo' ? 12 : 9\n";
#define SMALL_FONT "font sprintf(',%%g', small)"

/* Length of the next line of s, which ends between words if it can. */
static size_t line_of(const char *s, size_t columns)
{
    size_t n = strlen(s), at = columns;
    if (n <= columns)
        return n;
    while (at > columns / 2 && s[at] != ' ')
        at--;
    return s[at] == ' ' ? at : columns;
}

size_t orr__plot_doubt_rows(const json_t *view, size_t columns)
{
    const json_t *line;
    size_t i, lines = 0;
    json_array_foreach(json_object_get(view, "doubt"), i, line)
    {
        const char *s = json_string_value(line);
        for (; s && *s; lines++) {
            s += line_of(s, columns);
            s += *s == ' ';
        }
    }
    return lines;
}

/* One of `rows` lines, from above, n bytes of s. */
static void put_line(struct orr_text *t, size_t row, size_t rows, double line,
                     const char *s, size_t n)
{
    char *piece = orr__format("%.*s", (int)n, s);
    orr__text_add(t, "set label ");
    orr__escape_gnuplot(t, piece);
    orr__free(piece);
    orr__text_add(t, " at screen 0.01, screen %.4g left " SMALL_FONT "\n",
                  line * ((double)(rows - row) - 0.3));
}

void orr__plot_doubt_below(struct orr_text *script, const json_t *view,
                           size_t columns, size_t most, double height)
{
    static const char more[] = "... and more: the folder's table.md has all";
    const json_t *doubt = json_object_get(view, "doubt"), *line;
    size_t all = orr__plot_doubt_rows(view, columns), row = 0, i;
    size_t rows = all < most ? all : most;
    json_array_foreach(doubt, i, line)
    {
        const char *s = json_string_value(line);
        for (; s && *s; row++) {
            size_t n = line_of(s, columns);
            if (row + 1 < rows || all == rows)
                put_line(script, row, rows, height, s, n);
            else if (row + 1 == rows)
                put_line(script, row, rows, height, more, sizeof more - 1);
            s += n;
            s += *s == ' ';
        }
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
