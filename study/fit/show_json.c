/* A fit as JSON, and as gnuplot's script. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/escape.h"
#include "core/json.h"
#include "core/memory.h"
#include "study/fit/state.h"
#include "study/report/plot_parts.h"

/* ---- JSON --------------------------------------------------------------- */

/* Values in ns, bit/s, bytes, or plain. */
static double shown_value(const struct orr_fit_key *k, double value)
{
    return k->unit == ORR_FIT_TIME ? value * 1e-3 : value;
}

/* Times in ns. */
static void put_key(struct orr_json *j, const struct orr_fit_key *k)
{
    static const char *const units[] = {"ns", "bit/s", "B", "1"};
    static const char *const fates[] = {"found", "at-bound", "no-effect",
                                        "tangled"};
    orr__json_flat_object(j, NULL);
    orr__json_text(j, "key", k->key);
    orr__json_text(j, "unit", units[k->unit]);
    orr__json_real(j, "before", shown_value(k, k->begin));
    orr__json_real(j, "value", shown_value(k, k->value));
    orr__json_real(j, "from", shown_value(k, k->from));
    orr__json_real(j, "to", shown_value(k, k->to));
    orr__json_real(j, "low", shown_value(k, k->low));
    orr__json_real(j, "high", shown_value(k, k->high));
    orr__json_text(j, "fate", fates[k->fate]);
    orr__json_end(j);
}

/* `marks` and `doubt` only where there is some. */
static void put_point(struct orr_json *j, const struct orr_fit_point *p)
{
    char marks[ORR_DOUBT_MARKS];
    struct orr_text doubt = {.s = NULL};
    orr__doubt_marks(&p->doubt, marks);
    orr__json_flat_object(j, NULL);
    orr__json_count(j, "ranks", p->ranks);
    orr__json_count(j, "bytes", p->bytes);
    orr__json_text(j, "row", p->label);
    orr__json_flag(j, "held_out", p->held_out);
    orr__json_real(j, "measured_ns", p->row->time_ns);
    orr__json_real(j, "p10_ns", p->row->low_ns);
    orr__json_real(j, "p90_ns", p->row->high_ns);
    orr__json_real(j, "predicted_ns", p->fitted_ns);
    orr__json_real(j, "error", orr__fit_relative(p));
    if (marks[0]) {
        orr__doubt_text(&doubt, &p->doubt);
        char *text = orr__text_done(&doubt);
        j->text.failed |= !text;
        orr__json_text(j, "marks", marks);
        orr__json_text(j, "doubt", text);
        orr__free(text);
    }
    orr__json_end(j);
}

static void put_error(struct orr_json *j, const struct orr_fit *f,
                      const char *key, bool held_out)
{
    struct orr_fit_error e;
    j->text.failed |= orr__fit_error(f, held_out, &e) != ORR_OK;
    orr__json_flat_object(j, key);
    orr__json_count(j, "points", e.n);
    orr__json_real(j, "median", e.median);
    orr__json_real(j, "p90", e.p90);
    orr__json_real(j, "max", e.most);
    orr__json_end(j);
}

char *orr__fit_json(const struct orr_fit *f)
{
    struct orr_json j = {.depth = 0};
    orr__json_object(&j, NULL);
    orr__json_text(&j, "orrery", orr_version());
    orr__json_text(&j, "figure", f->figure);
    orr__json_count(&j, "runs", f->runs);
    orr__json_flag(&j, "converged", f->converged);
    orr__json_list(&j, "keys");
    for (uint32_t k = 0; k < f->keys; k++)
        put_key(&j, &f->key[k]);
    orr__json_end(&j);
    orr__json_list(&j, "act_alike");
    for (uint32_t i = 0; i < f->tangles; i++) {
        orr__json_list(&j, NULL);
        for (uint32_t k = 0; k < f->keys; k++)
            if (f->tangle[i].share[k] != 0)
                orr__json_text(&j, NULL, f->key[k].key);
        orr__json_end(&j);
    }
    orr__json_end(&j);
    put_error(&j, f, "fitted", false);
    put_error(&j, f, "predicted", true);
    orr__json_list(&j, "points");
    for (uint32_t i = 0; i < f->points; i++)
        put_point(&j, &f->point[i]);
    orr__json_end(&j);
    orr__json_text(&j, "notes", f->notes.s);
    orr__json_end(&j);
    return orr__json_done(&j);
}

/* ---- the picture -------------------------------------------------------- */

static bool is_line(const struct orr_fit_point *a,
                    const struct orr_fit_point *b)
{
    return a->ranks == b->ranks && strcmp(a->label, b->label) == 0;
}

/* Whether a point is the first of its line. */
static bool begins_line(const struct orr_fit *f, uint32_t i)
{
    for (uint32_t k = 0; k < i; k++)
        if (is_line(&f->point[k], &f->point[i]))
            return false;
    return true;
}

/* A block of data for the line that begins with a point: size, measured, p10,
 * p90 and predicted, in us. */
static void put_line(const struct orr_fit *f, uint32_t first, uint32_t number,
                     struct orr_text *t)
{
    orr__text_add(t, "$line%u << END\n", number);
    for (uint32_t i = first; i < f->points; i++) {
        const struct orr_fit_point *p = &f->point[i];
        const struct orr_measurements_row *r = p->row;
        if (!is_line(p, &f->point[first]))
            continue;
        orr__text_add(t, "%llu %.9g %.9g %.9g %.9g\n",
                      (unsigned long long)p->bytes, r->time_ns * 1e-3,
                      (isnan(r->low_ns) ? r->time_ns : r->low_ns) * 1e-3,
                      (isnan(r->high_ns) ? r->time_ns : r->high_ns) * 1e-3,
                      p->fitted_ns * 1e-3);
    }
    orr__text_add(t, "END\n");
}

/* What a line is called in the key. */
static void put_title(const struct orr_fit_point *p, struct orr_text *t)
{
    struct orr_text title = {.s = NULL};
    if (p->ranks)
        orr__text_add(&title, "%u ranks%s", p->ranks, p->label[0] ? ", " : "");
    orr__text_add(&title, "%s%s", p->label, p->held_out ? ", predicted" : "");
    char *text = orr__text_done(&title);
    orr__escape_gnuplot_name(t, text);
    orr__free(text);
}

/* The marks of all runs together. */
static void put_doubt_title(const struct orr_fit *f, struct orr_text *t)
{
    char all[ORR_DOUBT_MARKS] = "", marks[ORR_DOUBT_MARKS];
    size_t n = 0;
    for (const char *letter = orr__doubt_letters; *letter; letter++)
        for (uint32_t i = 0; i < f->points; i++) {
            orr__doubt_marks(&f->point[i].doubt, marks);
            if (!strchr(marks, *letter))
                continue;
            all[n++] = *letter;
            break;
        }
    all[n] = '\0';
    if (n)
        orr__text_add(t, "set title 'doubt: %s'\n", all);
}

void orr__fit_plot(const struct orr_fit *f, struct orr_text *t)
{
    uint32_t lines = 0;
    orr__text_add(t, "%s", orr__plot_style);
    put_doubt_title(f, t);
    for (uint32_t i = 0; i < f->points; i++)
        if (begins_line(f, i))
            put_line(f, i, lines++, t);
    orr__text_add(t, "set logscale xy\nset xlabel 'size, B'\n"
                     "set ylabel 'time, us'\nset format x '%%.0s%%cB'\n"
                     "set key top left\nplot ");
    lines = 0;
    for (uint32_t i = 0; i < f->points; i++) {
        const struct orr_fit_point *p = &f->point[i];
        if (!begins_line(f, i))
            continue;
        uint32_t style = lines % ORR_PLOT_LINES + 1;
        orr__text_add(t,
                      "%s$line%u using 1:2:3:4 with yerrorbars ls %u "
                      "notitle, \\\n     $line%u using 1:5 with lines ls %u "
                      "%stitle ",
                      lines ? ", \\\n     " : "", lines, style, lines, style,
                      p->held_out ? "dt 2 " : "");
        put_title(p, t);
        lines++;
    }
    orr__text_add(t, "\n");
}
