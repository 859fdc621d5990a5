/* Names of the user's in texts that other programs read: one function for each
 * of those programs. All keep to one line: a line break or tab becomes a blank,
 * and each byte of what orr__is_shown refuses, or is no UTF-8, '?'. */
#ifndef ORR_CORE_ESCAPE_H
#define ORR_CORE_ESCAPE_H

#include "core/text.h"

/* A string of gnuplot's, quotes included, with `noenhanced` in force: a title
 * or label. NULL: what was to be quoted found no memory; then neither has the
 * text. */
void orr__escape_gnuplot(struct orr_text *t, const char *s);
/* The same of a name, in a key; of a long one the middle is left out. */
void orr__escape_gnuplot_name(struct orr_text *t, const char *s);
/* The same where gnuplot takes the string for a format: a label of `set xtics
 * ("..." 0)`. */
void orr__escape_gnuplot_format(struct orr_text *t, const char *s);
/* A word of a data block, quotes included. */
void orr__escape_gnuplot_data(struct orr_text *t, const char *s);
/* Text of HTML, XML or SVG, also within quotes. */
void orr__escape_html(struct orr_text *t, const char *s);
/* n bytes of JSON that stand in a <script>: no `<` in them ends it. */
void orr__escape_script(struct orr_text *t, const char *json, size_t n);
/* A field of CSV (RFC 4180). What a spreadsheet would take for a formula (=, +,
 * -, @ first, and no number) gets an apostrophe in front. `<` stays: nothing
 * that reads CSV shows it as HTML. */
void orr__escape_csv(struct orr_text *t, const char *s);
/* A cell of a table in Markdown, which may hold HTML. */
void orr__escape_markdown(struct orr_text *t, const char *s);
/* A line outside tables: words are as they are, but no HTML and no links. */
void orr__escape_markdown_line(struct orr_text *t, const char *s);
/* A cell of a tabular in LaTeX. */
void orr__escape_latex(struct orr_text *t, const char *s);

#endif
