/* From rows of measurements to runs: which count, and what each sets. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/none.h"
#include "core/units.h"
#include "study/fit/state.h"
#include "study/measured/rows.h"

/* The choosing of points. */
struct choice {
    struct orr_fit *f;
    struct orr_config *effective;
    const char *size_key;
    const char *kind;      /* of its collective; "" */
    uint32_t ranks;        /* that the first job has; 0: there is none */
    const char *hosts_key; /* of the topology; NULL: --ranks-key says all */
    uint64_t hosts;
    uint32_t room; /* of points */
    struct orr_report *why;
};

/* ---- conditions --------------------------------------------------------- */

/* By its ranks, or by a column of texts. */
static orr_err is_held_out(const struct orr_fit *f,
                           const struct orr_fit_point *p, bool *held_out,
                           struct orr_report *why)
{
    for (size_t i = 0; i < f->o->n_hold_out; i++)
        for (const char *at = f->o->hold_out[i];; at++) {
            size_t n = strcspn(at, ",");
            char *end;
            unsigned long ranks = strtoul(at, &end, 10);
            uint32_t c = 0;
            const char *value = "";
            if (n && end == at + n) {
                *held_out |= ranks == p->ranks;
            } else {
                orr_err err =
                    orr__rows_column(&f->m, "--hold-out", at, &c, &value, why);
                if (err)
                    return err;
                size_t length = strcspn(value, ",");
                *held_out |= orr__rows_has(p->row, c, value, length);
            }
            at += n;
            if (!*at)
                break;
        }
    return ORR_OK;
}

/* ---- what a point sets -------------------------------------------------- */

/* Takes text over. */
static orr_err add_set(struct choice *x, struct orr_fit_point *p, char *text)
{
    struct orr_arena *a = &x->f->arena;
    const char **more =
        orr__arena_alloc(a, p->n_sets + (size_t)1, sizeof *more);
    char *kept = text ? orr__arena_strdup(a, text) : NULL;
    orr__free(text);
    if (!more || !kept)
        return orr__no_memory(x->why);
    if (p->n_sets)
        memcpy(more, p->sets, p->n_sets * sizeof *more);
    more[p->n_sets++] = kept;
    p->sets = more;
    return ORR_OK;
}

/* "KEY", or "KEY/4": a quarter; of several, commas between. */
static orr_err set_number(struct choice *x, struct orr_fit_point *p,
                          const char *option, const char *keys, uint64_t number)
{
    orr_err err = ORR_OK;
    for (const char *at = keys; !err;) {
        size_t n = strcspn(at, ","), key = strcspn(at, ",/");
        uint64_t by = 1;
        if (key < n) {
            char *end;
            by = strtoull(at + key + 1, &end, 10);
            if (by == 0 || end != at + n)
                return orr__fail(x->why, ORR_ECONFIG,
                                 "%s %s: a number from 1 on is expected "
                                 "behind /",
                                 option, keys);
        }
        if (key == 0)
            return orr__fail(x->why, ORR_ECONFIG, "%s %s: a key is missing",
                             option, keys);
        if (number % by)
            return orr__fail_at(x->why, ORR_ECONFIG, p->row->file, p->row->line,
                                1,
                                "%llu is not divisible by %llu, as %s %s asks",
                                (unsigned long long)number,
                                (unsigned long long)by, option, keys);
        err = add_set(x, p,
                      orr__format("%.*s=%llu", (int)key, at,
                                  (unsigned long long)(number / by)));
        if (!at[n])
            break;
        at += n + 1;
    }
    return err;
}

/* In bytes, as the key counts them. */
static orr_err set_size(struct choice *x, struct orr_fit_point *p)
{
    p->bytes = orr__measurements_held(p->row, p->ranks, x->kind);
    if (p->bytes == 0)
        return orr__fail_at(x->why, ORR_ECONFIG, p->row->file, p->row->line, 1,
                            "the size of an %s depends on the ranks here, and "
                            "neither the row nor the configuration has any",
                            x->kind);
    return add_set(
        x, p,
        orr__format("%s=%lluB", x->size_key, (unsigned long long)p->bytes));
}

/* Nothing, if the configuration has these ranks. */
static orr_err set_ranks(struct choice *x, struct orr_fit_point *p)
{
    if (x->f->o->ranks_key)
        return p->ranks ? set_number(x, p, "--ranks-key", x->f->o->ranks_key,
                                     p->ranks)
                        : ORR_OK;
    if (p->ranks == x->ranks || p->ranks == 0)
        return ORR_OK;
    if (!x->hosts_key || x->ranks == 0) {
        orr_err err = orr__fail_at(
            x->why, ORR_ECONFIG, p->row->file, p->row->line, 1,
            "%u ranks, and the configuration has %u: nothing says what to set",
            p->ranks, x->ranks);
        orr__hint(x->why,
                  "--ranks-key jobs[0].ranks,topology.KEY/N, or --where "
                  "to choose rows");
        return err;
    }
    uint64_t hosts = x->hosts * p->ranks;
    if (hosts % x->ranks)
        return orr__fail_at(x->why, ORR_ECONFIG, p->row->file, p->row->line, 1,
                            "%u ranks take no whole number of hosts, of which "
                            "%u take %llu",
                            p->ranks, x->ranks, (unsigned long long)x->hosts);
    orr_err err = add_set(x, p, orr__format("jobs[0].ranks=%u", p->ranks));
    return err ? err
               : add_set(x, p,
                         orr__format("%s=%llu", x->hosts_key,
                                     (unsigned long long)(hosts / x->ranks)));
}

/* "KEY=VALUE" of --when. Ranks are told in the table, and sizes may depend on
 * them. */
static orr_err set_for_row(struct choice *x, struct orr_fit_point *p,
                           const char *set)
{
    static const char ranks[] = "jobs[0].ranks=";
    if (strncmp(set, ranks, sizeof ranks - 1) == 0) {
        unsigned long n = strtoul(set + sizeof ranks - 1, NULL, 10);
        if (n <= ORR_MEASUREMENTS_RANKS)
            p->ranks = (uint32_t)n;
    }
    return add_set(x, p, orr__strdup(set));
}

/* "COLUMN=VALUE: KEY=VALUE", for rows that have that value. */
static orr_err set_when(struct choice *x, struct orr_fit_point *p)
{
    orr_err err = ORR_OK;
    for (size_t i = 0; i < x->f->o->n_when && !err; i++) {
        const char *text = x->f->o->when[i], *value = "";
        uint32_t c = 0;
        err = orr__rows_column(&x->f->m, "--when", text, &c, &value, x->why);
        const char *colon = err ? NULL : strchr(value, ':');
        if (!err && (!colon || !strchr(colon, '=')))
            return orr__fail(
                x->why, ORR_ECONFIG,
                "--when \"%s\": COLUMN=VALUE:KEY=VALUE is expected", text);
        if (!err && orr__rows_has(p->row, c, value, (size_t)(colon - value)))
            err = set_for_row(x, p, colon + 1 + strspn(colon + 1, " "));
    }
    return err;
}

/* What stands for sizes and ranks. */
static orr_err find_keys(struct choice *x)
{
    orr_err err = ORR_OK;
    x->size_key = x->f->o->size_key;
    if (!x->size_key)
        err = orr__size_key_find(x->effective, &x->f->arena, &x->size_key,
                                 x->why);
    if (!err)
        err = orr__size_key_kind(x->size_key, &x->f->arena, &x->kind, x->why);
    uint64_t ranks = orr__config_number(x->effective, "jobs[0].ranks");
    x->ranks = ranks <= ORR_MEASUREMENTS_RANKS ? (uint32_t)ranks : 0;
    static const char *const keys[] = {"topology.size", "topology.hosts"};
    for (int i = 0; i < 2 && !x->hosts_key && x->ranks; i++) {
        x->hosts = orr__config_number(x->effective, keys[i]);
        x->hosts_key =
            x->hosts && x->hosts <= ORR_MEASUREMENTS_RANKS ? keys[i] : NULL;
    }
    return err;
}

/* ---- all ---------------------------------------------------------------- */

/* A row that was chosen. */
static orr_err add_point(struct choice *x,
                         const struct orr_measurements_row *row)
{
    struct orr_fit *f = x->f;
    if (f->points == ORR_FIT_POINTS)
        return orr__fail(x->why, ORR_ECONFIG, "more than %d points",
                         ORR_FIT_POINTS);
    if (!orr__array_more(f->point, x->room, f->points))
        return orr__no_memory(x->why);
    struct orr_fit_point *p = &f->point[f->points++];
    *p = (struct orr_fit_point){
        .row = row,
        .label = "",
        .ranks = row->ranks ? row->ranks : x->ranks,
        .fitted_ns = NAN,
    };
    orr_err err = set_ranks(x, p);
    if (!err)
        err = set_when(x, p);
    if (!err)
        err = set_size(x, p);
    if (!err)
        err = is_held_out(f, p, &p->held_out, x->why);
    f->fitted += !err && !p->held_out;
    return err;
}

/* Runs that are the same, of rows that differ in a text, cannot both be
 * right. */
static orr_err check_same(const struct orr_fit *f,
                          const struct orr_fit_point *a,
                          const struct orr_fit_point *b, struct orr_report *why)
{
    if (a->n_sets != b->n_sets)
        return ORR_OK;
    for (uint32_t i = 0; i < a->n_sets; i++)
        if (strcmp(a->sets[i], b->sets[i]) != 0)
            return ORR_OK;
    for (uint32_t i = 0; i < f->m.labels; i++) {
        const char *x = a->row->label[i] ? a->row->label[i] : "";
        const char *y = b->row->label[i] ? b->row->label[i] : "";
        if (strcmp(x, y) == 0)
            continue;
        orr_err err = orr__fail_at(
            why, ORR_ECONFIG, b->row->file, b->row->line, 1,
            "line %d is of the same run, but for its %s: \"%.40s\", not "
            "\"%.40s\"",
            a->row->line, f->m.label[i], x, y);
        orr__hint(why,
                  "choose rows: --where '%s=%.40s'; or --when "
                  "'%s=%.40s:KEY=VALUE'",
                  f->m.label[i], x, f->m.label[i], x);
        return err;
    }
    return ORR_OK;
}

/* Whether a column of texts is not the same for all points. */
static bool differs(const struct orr_fit *f, uint32_t column)
{
    const char *first = f->point[0].row->label[column];
    for (uint32_t i = 1; i < f->points; i++) {
        const char *other = f->point[i].row->label[column];
        if (strcmp(first ? first : "", other ? other : "") != 0)
            return true;
    }
    return false;
}

/* The texts of a point that differ among points, as one. */
static orr_err label_points(struct orr_fit *f, struct orr_report *why)
{
    bool wanted[ORR_MEASUREMENTS_LABELS] = {false};
    for (uint32_t c = 0; c < f->m.labels; c++)
        wanted[c] = differs(f, c);
    for (uint32_t i = 0; i < f->points; i++) {
        struct orr_text t = {.s = NULL};
        orr__text_add(&t, "%s", "");
        for (uint32_t c = 0; c < f->m.labels; c++)
            if (wanted[c] && f->point[i].row->label[c])
                orr__text_add(&t, "%s%s", t.length ? " " : "",
                              f->point[i].row->label[c]);
        char *text = orr__text_done(&t);
        f->point[i].label = text ? orr__arena_strdup(&f->arena, text) : NULL;
        orr__free(text);
        if (!f->point[i].label)
            return orr__no_memory(why);
    }
    return ORR_OK;
}

/* What was asked for has to be there. */
static orr_err check_points(const struct orr_fit *f, struct orr_report *why)
{
    if (f->points == 0)
        return orr__fail(why, ORR_ECONFIG, "no row is left to fit to");
    if (f->o->n_hold_out && f->fitted == f->points)
        return orr__fail(why, ORR_ECONFIG, "--hold-out: no row has %s",
                         f->o->hold_out[0]);
    if (f->fitted == 0)
        return orr__fail(why, ORR_ECONFIG,
                         "--hold-out: no row is left to fit to");
    orr_err err = ORR_OK;
    for (uint32_t i = 0; i < f->points && !err; i++)
        for (uint32_t k = 0; k < i && !err; k++)
            err = check_same(f, &f->point[k], &f->point[i], why);
    return err;
}

orr_err orr__fit_points(struct orr_fit *f, struct orr_config *effective,
                        struct orr_report *why)
{
    struct choice x = {.f = f, .effective = effective, .why = why};
    orr_err err = orr__rows_read(&f->m, f->o->measured, f->o->n_measured,
                                 f->o->format, f->o->element, why);
    if (!err && f->m.notes.s)
        orr__text_add(&f->notes, "%s", f->m.notes.s);
    if (!err)
        err = find_keys(&x);
    for (uint32_t i = 0; i < f->m.n && !err; i++) {
        bool chosen = false;
        err = orr__rows_choose(&f->m, f->o->where, f->o->n_where, &f->m.row[i],
                               &chosen, why);
        if (!err && chosen)
            err = add_point(&x, &f->m.row[i]);
    }
    if (!err)
        err = check_points(f, why);
    return err ? err : label_points(f, why);
}
