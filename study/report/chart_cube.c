#include "study/report/chart_cube.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/assert.h"
#include "core/memory.h"
#include "core/units.h"
#include "study/titles.h"

/* ---- names -------------------------------------------------------------- */

/* The name that --name gives this key; NULL: none. used: bits of those that
 * were. */
static const char *name_given(const struct orr_plotting *p, const char *key,
                              bool *used)
{
    for (size_t i = 0; i < p->o->n_names; i++) {
        const char *s = p->o->names[i], *equal = strrchr(s, '=');
        size_t n = equal ? (size_t)(equal - s) : 0;

        if (equal && strlen(key) == n && strncmp(s, key, n) == 0) {
            used[i] = true;
            return equal + 1;
        }
    }
    return NULL;
}

/* What a key is called: as --name says, or in words. NULL: no memory. */
static char *name_of(const struct orr_plotting *p, const char *key,
                     void (*words)(struct orr_text *, const char *), bool *used)
{
    struct orr_text t = {.s = NULL};
    const char *given = name_given(p, key, used);

    orr__text_add(&t, "%s", "");
    if (given)
        orr__text_add(&t, "%s", given);
    else
        words(&t, key);
    return orr__text_done(&t);
}

static void as_it_is(struct orr_text *t, const char *key)
{
    orr__text_add(t, "%s", key);
}

/* A dimension that a `*` makes: "size" of by_size. */
static void member_words(struct orr_text *t, const char *key)
{
    orr__text_add(t, "%s", strncmp(key, "by_", 3) == 0 ? key + 3 : key);
}

/* ---- measures ----------------------------------------------------------- */

static const char *path_of(const json_t *measure)
{
    const char *s = json_string_value(json_object_get(measure, "long_name"));
    return s ? s : "";
}

/* What stands in the place of the pattern's `*`; NULL: it does not fit. */
static char *star_of(const char *pattern, const char *path)
{
    const char *star = strchr(pattern, '*');
    size_t before = star ? (size_t)(star - pattern) : 0;
    size_t behind = star ? strlen(star + 1) : 0, n = strlen(path);

    if (!star || n <= before + behind || strncmp(pattern, path, before) != 0
        || strcmp(path + n - behind, star + 1) != 0)
        return NULL;
    return orr__format("%.*s", (int)(n - before - behind), path + before);
}

/* The step of a pattern that its `*` stands below. NULL: no memory. */
static char *step_above(const char *pattern)
{
    const char *star = strchr(pattern, '*'), *end = star;

    if (star == pattern)
        return orr__format("measure");
    end--; /* the dot */
    const char *first = end;
    while (first > pattern && first[-1] != '.')
        first--;
    return orr__format("%.*s", (int)(end - first), first);
}

/* name: taken over, NULL: no memory. */
static orr_err add_value(struct orr_plotting *p, struct orr_chart_dim *d,
                         const char *text, char *name, size_t index)
{
    struct orr_chart_value *v =
        orr__resize(d->value, d->n + 1, sizeof *d->value);

    if (v)
        d->value = v;
    if (!v || !name) {
        orr__free(name);
        return orr__no_memory(p->why);
    }
    d->value[d->n++] = (struct orr_chart_value){text, name, index, NAN};
    return ORR_OK;
}

/* All measures that one --measure means. ECONFIG: none is. */
static orr_err add_measures(struct orr_plotting *p, struct orr_chart_dim *d,
                            const char *asked, bool *used)
{
    const json_t *list = json_object_get(p->view, "measures"), *m;
    size_t i, before = d->n;
    orr_err err = ORR_OK;

    json_array_foreach(list, i, m)
    {
        if (strcmp(path_of(m), asked) == 0)
            return add_value(p, d, path_of(m),
                             name_of(p, path_of(m), orr__title_of_figure, used),
                             i);
    }
    json_array_foreach(list, i, m)
    {
        char *star = star_of(asked, path_of(m));

        if (star && !err)
            err = add_value(p, d, path_of(m),
                            name_of(p, star, orr__title_of_value, used), i);
        orr__free(star);
    }
    if (!err && d->n == before)
        err = orr__fail(p->why, ORR_ECONFIG, "%s has no measure \"%s\"",
                        p->file, asked);
    return err;
}

/* One axis has one unit. */
static orr_err check_units(struct orr_plotting *p, struct orr_cube *c)
{
    const json_t *list = json_object_get(p->view, "measures");
    const struct orr_chart_dim *d = c->dim;

    for (size_t i = 0; i < d->n; i++) {
        const json_t *m = json_array_get(list, d->value[i].index);
        const char *units = json_string_value(json_object_get(m, "units"));

        if (!units)
            units = "1";
        if (c->units && strcmp(c->units, units) != 0)
            return orr__fail(p->why, ORR_ECONFIG,
                             "%s and %s are of different units (%s, %s): one "
                             "axis shows one",
                             d->value[0].text, d->value[i].text, c->units,
                             units);
        c->units = units;
    }
    return ORR_OK;
}

/* Dimension 0. */
static orr_err make_measures(struct orr_plotting *p, struct orr_cube *c,
                             bool *used)
{
    const json_t *list = json_object_get(p->view, "measures");
    const char *const *asked = p->o->measures;
    const char *first = path_of(json_array_get(list, 0));
    size_t n = p->o->n_measures;
    struct orr_chart_dim *d = c->dim;
    orr_err err = ORR_OK;

    if (json_array_size(list) == 0)
        return orr__plot_nothing(p, "measures");
    if (n == 0) {
        asked = &first;
        n = 1;
    }
    for (size_t i = 0; i < n && !err; i++)
        err = add_measures(p, d, asked[i], used);
    if (err)
        return err;
    bool star = n == 1 && strcmp(d->value[0].text, asked[0]) != 0;
    d->text = star ? step_above(asked[0]) : orr__format("measure");
    if (d->text)
        d->name = name_of(p, d->text, star ? member_words : as_it_is, used);
    c->title = n == 1 ? name_of(p, asked[0], orr__title_of_figure, used)
                      : orr__format("%s", "");
    c->star = star;
    if (!d->text || !d->name || !c->title)
        return orr__no_memory(p->why);
    return check_units(p, c);
}

/* ---- dimensions ----------------------------------------------------------
 */

/* A value as a number of its kind; NAN: it is none. */
static double number_of(enum orr_chart_kind kind, const char *s)
{
    uint64_t u;
    int64_t ps;
    double x;
    size_t n = strlen(s);

    switch (kind) {
    case ORR_CHART_RATES: return orr__parse_rate(s, &u) ? NAN : (double)u;
    case ORR_CHART_SIZES: return orr__parse_size(s, &u) ? NAN : (double)u;
    case ORR_CHART_TIMES:
        return orr__parse_time(s, &ps) ? NAN : (double)ps / 1e12;
    case ORR_CHART_NUMBERS: {
        char buf[32];
        if (n == 0 || n >= sizeof buf)
            return NAN;
        snprintf(buf, sizeof buf, "%.*s", (int)(n - (s[n - 1] == '%')), s);
        return orr__parse_real(buf, &x) ? NAN : x;
    }
    default: return NAN;
    }
}

/* Finds the kind that all values have, and their numbers. */
static void find_kind(struct orr_chart_dim *d, bool by_name)
{
    static const enum orr_chart_kind kinds[] = {
        ORR_CHART_NUMBERS, ORR_CHART_RATES, ORR_CHART_SIZES, ORR_CHART_TIMES};

    d->kind = ORR_CHART_NAMES;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds && !d->kind; k++) {
        d->kind = kinds[k];
        for (size_t i = 0; i < d->n && d->kind; i++) {
            struct orr_chart_value *v = &d->value[i];
            char text[64];

            /* "10 KB" of a measure's `*` */
            snprintf(text, sizeof text, "%s", by_name ? v->name : v->text);
            char *blank = strchr(text, ' ');
            if (blank)
                memmove(blank, blank + 1, strlen(blank));
            v->number = number_of(kinds[k], text);
            if (!isfinite(v->number))
                d->kind = ORR_CHART_NAMES;
        }
    }
}

/* Length of a value of --where: a comma within brackets ends none. */
static size_t value_length(const char *s)
{
    size_t n = 0;
    int deep = 0;

    for (; s[n] && (s[n] != ',' || deep > 0); n++)
        deep += (s[n] == '[' || s[n] == '{') - (s[n] == ']' || s[n] == '}');
    return n;
}

/* "a, b, c" of texts. */
static void list_texts(struct orr_text *t, const json_t *values)
{
    for (size_t i = 0; i < json_array_size(values); i++)
        orr__text_add(t, "%s%s", i ? ", " : "", orr__plot_text(values, i));
}

/* ECONFIG: `key` is none of these. */
static orr_err no_such(struct orr_plotting *p, const char *what,
                       const char *key, size_t n, const json_t *values)
{
    struct orr_text t = {.s = NULL};

    list_texts(&t, values);
    char *all = orr__text_done(&t);
    orr_err err =
        orr__fail(p->why, ORR_ECONFIG, "%s has no %s \"%.*s\"; there are: %s",
                  p->file, what, (int)n, key, all ? all : "");
    orr__free(all);
    return err;
}

/* The value of this name among all of a dimension; their number: none. */
static size_t find_value(const json_t *values, const char *s, size_t n)
{
    size_t i = 0;

    while (i < json_array_size(values)
           && (strlen(orr__plot_text(values, i)) != n
               || strncmp(orr__plot_text(values, i), s, n) != 0))
        i++;
    return i;
}

/* The text behind "NAME=" of the --where of a dimension; NULL: it has none. */
static const char *where_of(const struct orr_plotting *p, const char *name)
{
    size_t n = strlen(name);

    for (size_t i = 0; i < p->o->n_where; i++)
        if (strncmp(p->o->where[i], name, n) == 0 && p->o->where[i][n] == '=')
            return p->o->where[i] + n + 1;
    return NULL;
}

/* A dimension of the study, and of its values those that were selected, in the
 * order of the selection. */
static orr_err make_dim(struct orr_plotting *p, const json_t *from,
                        struct orr_chart_dim *d, bool *used)
{
    const char *text = json_string_value(json_object_get(from, "name"));
    const json_t *values = json_object_get(from, "values");
    orr_err err = ORR_OK;

    d->text = orr__format("%s", text ? text : "");
    d->name = d->text ? name_of(p, d->text, as_it_is, used) : NULL;
    d->all = json_array_size(values);
    if (!d->name)
        return orr__no_memory(p->why);
    const char *where = where_of(p, d->text);
    for (size_t i = 0; !where && i < d->all && !err; i++) {
        const char *s = orr__plot_text(values, i);
        err = add_value(p, d, s, name_of(p, s, orr__title_of_value, used), i);
    }
    while (where && !err) {
        size_t n = value_length(where), i = find_value(values, where, n);

        if (i == d->all)
            return no_such(p, d->text, where, n, values);
        const char *s = orr__plot_text(values, i);
        err = add_value(p, d, s, name_of(p, s, orr__title_of_value, used), i);
        where = where[n] ? where + n + 1 : NULL;
    }
    if (!err && d->n == 0)
        err = orr__plot_nothing(p, d->text);
    find_kind(d, false);
    return err;
}

/* The dimension of this name; c->dims: none. */
static size_t find_dim(const struct orr_cube *c, const char *name, size_t n)
{
    size_t i = 0;

    while (i < c->dims
           && (strlen(c->dim[i].text) != n
               || strncmp(c->dim[i].text, name, n) != 0)
           && (strlen(c->dim[i].name) != n
               || strncmp(c->dim[i].name, name, n) != 0))
        i++;
    return i;
}

/* ECONFIG: no dimension is called so. */
static orr_err no_dim(struct orr_plotting *p, const struct orr_cube *c,
                      const char *name, size_t n)
{
    json_t *list = json_array();

    for (size_t i = 0; i < c->dims && list; i++)
        if (json_array_append_new(list, json_string(c->dim[i].text)) != 0)
            break; /* the list is for people */
    orr_err err = no_such(p, "dimension", name, n, list);
    json_decref(list);
    return err;
}

/* What was selected or named, and is not there. */
static orr_err check_options(struct orr_plotting *p, const struct orr_cube *c,
                             const bool *used)
{
    for (size_t i = 0; i < p->o->n_where; i++) {
        size_t n = strcspn(p->o->where[i], "=");

        if (p->o->where[i][n] == '\0')
            return orr__fail(p->why, ORR_ECONFIG,
                             "--where \"%s\": DIMENSION=VALUE,VALUE is meant",
                             p->o->where[i]);
        size_t d = find_dim(c, p->o->where[i], n);
        if (d == c->dims || d == 0
            || strncmp(c->dim[d].text, p->o->where[i], n) != 0)
            return no_dim(p, c, p->o->where[i], n);
    }
    for (size_t i = 0; i < p->o->n_names; i++)
        if (!used[i])
            return orr__fail(p->why, ORR_ECONFIG,
                             "--name \"%s\": KEY=NAME is meant, and KEY is a "
                             "measure, dimension or value of %s",
                             p->o->names[i], p->file);
    return ORR_OK;
}

/* ---- parts --------------------------------------------------------------- */

size_t orr__cube_lines(const struct orr_cube *c)
{
    size_t n = 1;

    for (size_t i = 0; i < c->n_series; i++)
        n *= c->dim[c->series[i]].n;
    return n;
}

size_t orr__cube_places(const struct orr_cube *c)
{
    ORR_ASSERT(c->x == SIZE_MAX || c->x < c->dims);
    return c->x == SIZE_MAX ? 1 : c->dim[c->x].n;
}

size_t orr__cube_panels(const struct orr_cube *c)
{
    ORR_ASSERT(c->facet == SIZE_MAX || c->facet < c->dims);
    return c->facet == SIZE_MAX ? 1 : c->dim[c->facet].n;
}

/* A dimension that was asked for by name. */
static orr_err find_part(struct orr_plotting *p, const struct orr_cube *c,
                         const char *name, size_t n, size_t *d)
{
    *d = find_dim(c, name, n);
    return *d < c->dims ? ORR_OK : no_dim(p, c, name, n);
}

/* The dimension along the axis, if none was asked for: that of a `*`; for lines
 * the first of numbers; the first that varies. */
static size_t choose_x(const struct orr_cube *c, bool names)
{
    if (c->star && c->dim[0].n > 1 && c->facet != 0)
        return 0;
    for (int numbers = !names; numbers >= 0; numbers--)
        for (size_t d = 1; d < c->dims; d++)
            if (c->dim[d].n > 1 && d != c->facet
                && (!numbers || c->dim[d].kind))
                return d;
    return c->dim[0].n > 1 || c->dims == 1 || c->facet == 1 ? 0 : 1;
}

/* Those that vary and have no part yet; measures come last. */
static void take_others(struct orr_cube *c)
{
    for (size_t i = 1; i <= c->dims; i++) {
        size_t d = i % c->dims;

        if (c->dim[d].n > 1 && d != c->x && d != c->facet)
            c->series[c->n_series++] = d;
    }
}

/* The dimensions of --series; what varies beside them is to be cut down. */
static orr_err take_series(struct orr_plotting *p, struct orr_cube *c)
{
    for (const char *s = p->o->series; *s;) {
        size_t n = strcspn(s, ","), d;
        orr_err err = find_part(p, c, s, n, &d);

        if (err)
            return err;
        if (d != c->x && d != c->facet && c->n_series < c->dims)
            c->series[c->n_series++] = d;
        s += n + (s[n] == ',');
    }
    for (size_t d = 0; d < c->dims; d++) {
        bool is = d == c->x || d == c->facet || c->dim[d].n == 1;

        for (size_t i = 0; i < c->n_series; i++)
            is |= c->series[i] == d;
        if (!is)
            return orr__fail(p->why, ORR_ECONFIG,
                             "%s has %zu values: choose one with --where "
                             "%s=%s, or give --facets %s",
                             c->dim[d].text, c->dim[d].n, c->dim[d].text,
                             c->dim[d].value[0].text, c->dim[d].text);
    }
    return ORR_OK;
}

/* Whether all of it can be told apart. */
static bool fits_chart(const struct orr_cube *c, bool names)
{
    size_t lines = orr__cube_lines(c);

    return lines <= ORR_CHART_SERIES
           && (!names || lines * orr__cube_places(c) <= ORR_CHART_BARS)
           && orr__cube_panels(c) <= ORR_CHART_PANELS;
}

/* Without a wish, panels by the last dimension that makes the rest fit. */
static void choose_facet(struct orr_cube *c, bool names)
{
    for (size_t i = c->n_series; i-- > 0 && !fits_chart(c, names);) {
        size_t d = c->series[i], n = c->n_series;

        c->facet = d;
        memmove(c->series + i, c->series + i + 1,
                (n - i - 1) * sizeof *c->series);
        c->n_series--;
        if (fits_chart(c, names))
            return;
        memmove(c->series + i + 1, c->series + i,
                (n - i - 1) * sizeof *c->series);
        c->series[i] = d;
        c->n_series = n;
        c->facet = SIZE_MAX;
    }
}

/* ECONFIG: the picture would be a black block. */
static orr_err refuse(struct orr_plotting *p, const struct orr_cube *c,
                      bool names)
{
    size_t lines = orr__cube_lines(c), places = orr__cube_places(c);

    if (orr__cube_panels(c) > ORR_CHART_PANELS)
        return orr__fail(p->why, ORR_ECONFIG,
                         "%zu panels are too many for one picture (at most "
                         "%d): choose values with --where %s=...",
                         orr__cube_panels(c), ORR_CHART_PANELS,
                         c->dim[c->facet].text);
    const char *most =
        c->n_series ? c->dim[c->series[0]].text : c->dim[c->x].text;
    if (names && lines <= ORR_CHART_SERIES)
        return orr__fail(p->why, ORR_ECONFIG,
                         "%zu bars are too many for one picture (at most %d "
                         "a panel): choose values with --where %s=..., or "
                         "draw `lines`",
                         lines * places, ORR_CHART_BARS, most);
    return orr__fail(p->why, ORR_ECONFIG,
                     "%zu series are more than are told apart (at most %d): "
                     "choose values with --where %s=..., or split them with "
                     "--facets",
                     lines, ORR_CHART_SERIES, most);
}

/* Gives each dimension that varies its part. */
static orr_err choose_parts(struct orr_plotting *p, struct orr_cube *c,
                            bool names, bool over_runs)
{
    const struct orr_plot_options *o = p->o;
    orr_err err = ORR_OK;

    c->x = c->facet = SIZE_MAX;
    if (o->facets)
        err = find_part(p, c, o->facets, strlen(o->facets), &c->facet);
    if (!err && over_runs && o->x)
        err = orr__fail(p->why, ORR_ECONFIG,
                        "--x is not of `cdf`: its axis is the measure");
    else if (!err && o->x)
        err = find_part(p, c, o->x, strlen(o->x), &c->x);
    else if (!over_runs)
        c->x = choose_x(c, names);
    if (!err && c->x == c->facet && c->x != SIZE_MAX)
        err = orr__fail(p->why, ORR_ECONFIG,
                        "%s cannot be both the axis and the panels",
                        c->dim[c->x].text);
    if (!err && o->series)
        err = take_series(p, c);
    else if (!err)
        take_others(c);
    if (err)
        return err;
    if (!o->facets && !o->series)
        choose_facet(c, names);
    return fits_chart(c, names) ? ORR_OK : refuse(p, c, names);
}

/* ---- the whole ----------------------------------------------------------- */

orr_err orr__cube_make(struct orr_plotting *p, bool names, bool over_runs,
                       struct orr_cube *c)
{
    const json_t *from = json_object_get(p->view, "dimensions");
    size_t dims = json_array_size(from) + 1;
    bool *used = orr__alloc(p->o->n_names + 1, sizeof *used);
    orr_err err = ORR_OK;

    *c = (struct orr_cube){.view = p->view};
    c->dim = orr__alloc(dims, sizeof *c->dim);
    c->series = orr__alloc(dims, sizeof *c->series);
    if (!used || !c->dim || !c->series)
        err = orr__no_memory(p->why);
    if (!err) {
        c->dims = dims;
        err = make_measures(p, c, used);
        find_kind(c->dim, true);
    }
    for (size_t d = 1; d < dims && !err; d++)
        err = make_dim(p, json_array_get(from, d - 1), &c->dim[d], used);
    if (!err)
        err = check_options(p, c, used);
    if (!err)
        err = choose_parts(p, c, names, over_runs);
    orr__free(used);
    if (err)
        orr__cube_fini(c);
    return err;
}

void orr__cube_fini(struct orr_cube *c)
{
    for (size_t d = 0; d < c->dims; d++) {
        for (size_t i = 0; i < c->dim[d].n; i++)
            orr__free(c->dim[d].value[i].name);
        orr__free(c->dim[d].value);
        orr__free(c->dim[d].text);
        orr__free(c->dim[d].name);
    }
    orr__free(c->dim);
    orr__free(c->series);
    orr__free(c->title);
    *c = (struct orr_cube){.dims = 0};
}

/* The value of a dimension at a place. */
static const struct orr_chart_value *value_at(const struct orr_cube *c,
                                              size_t d,
                                              const struct orr_chart_at *at)
{
    size_t left = at->series;

    if (d == c->x)
        return &c->dim[d].value[at->x];
    if (d == c->facet)
        return &c->dim[d].value[at->facet];
    for (size_t i = c->n_series; i-- > 0;) {
        size_t n = c->dim[c->series[i]].n;

        if (c->series[i] == d)
            return &c->dim[d].value[left % n];
        left /= n;
    }
    return &c->dim[d].value[0];
}

const json_t *orr__cube_measure(const struct orr_cube *c,
                                const struct orr_chart_at *at, size_t *cell)
{
    *cell = 0;
    for (size_t d = 1; d < c->dims; d++)
        *cell = *cell * c->dim[d].all + value_at(c, d, at)->index;
    return json_array_get(json_object_get(c->view, "measures"),
                          value_at(c, 0, at)->index);
}

void orr__cube_add_marks(const struct orr_cube *c,
                         const struct orr_chart_at *at,
                         char marks[ORR_DOUBT_MARKS])
{
    size_t cell, n = 0;
    char both[ORR_DOUBT_MARKS];

    (void)orr__cube_measure(c, at, &cell);
    const char *more = orr__plot_text(json_object_get(c->view, "marks"), cell);
    for (size_t k = 0; k < ORR_DOUBTS; k++)
        if (strchr(marks, orr__doubt_letters[k])
            || strchr(more, orr__doubt_letters[k]))
            both[n++] = orr__doubt_letters[k];
    both[n] = '\0';
    memcpy(marks, both, n + 1);
}

void orr__cube_line_name(const struct orr_cube *c, size_t series,
                         struct orr_text *t)
{
    const struct orr_chart_at at = {.series = series};

    for (size_t i = 0; i < c->n_series; i++)
        orr__text_add(t, "%s%s", i ? ", " : "",
                      value_at(c, c->series[i], &at)->name);
}

void orr__cube_fixed(const struct orr_cube *c, struct orr_text *t)
{
    size_t n = 0;

    for (size_t d = 1; d < c->dims; d++)
        if (c->dim[d].all > 1 && c->dim[d].n == 1 && d != c->x)
            orr__text_add(t, "%s%s: %s", n++ ? ", " : "", c->dim[d].name,
                          c->dim[d].value[0].name);
}
