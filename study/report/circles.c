/* What jobs ask of the links on which they meet, as circles, before and after
 * a plan has turned them. Of links on which the same jobs meet, the one that
 * is exceeded most stands for all. */
#include "study/report/view.h"

#include <stdlib.h>

#include "core/memory.h"
#include "record/record_links.h"

/* The tables of circles, as the record has them; ps. */
struct circles {
    struct orr_reader *r;
    uint64_t n, turns, phases;
    char **name;
    uint32_t *group, *turn_circle, *turn_job, *phase_turn;
    uint64_t *capacity, *rate;
    int64_t *perimeter, *period, *shift, *start, *end;
    double *before, *score;
};

/* A circle that may be shown. */
struct shown {
    uint32_t circle, links; /* of its group */
    double score;
};

/* ---- reading ------------------------------------------------------------ */

/* *to is the caller's; ORR_ECONFIG if it is not n long. */
static orr_err read_column(const struct circles *c, const char *path,
                           enum orr_record_type type, void *to, uint64_t n,
                           struct orr_report *why)
{
    void *values = NULL;
    uint64_t rows = 0;
    orr_err err = orr__reader_column(c->r, path, type, &values, &rows, why);
    *(void **)to = values;
    if (!err && rows != n)
        err = orr__fail(why, ORR_ECONFIG,
                        "%s: %s is not as long as the "
                        "others of its table",
                        orr__reader_name(c->r), path);
    return err;
}

static uint64_t rows_of(const struct circles *c, const char *path)
{
    uint64_t size[ORR_RECORD_SIDES];
    return orr__reader_shape(c->r, path, size) == 1 ? size[0] : 0;
}

/* Freed with c->n texts. */
static orr_err read_names(struct circles *c, struct orr_report *why)
{
    uint64_t n = 0;
    orr_err err =
        orr__record_link_names(c->r, "circles/name", &c->name, &n, why);
    if (err)
        return err;
    if (n == c->n)
        return ORR_OK;
    orr__reader_free_texts(c->name, n);
    c->name = NULL;
    return orr__fail(why, ORR_ECONFIG,
                     "%s: circles/name is not as long as "
                     "the others of its table",
                     orr__reader_name(c->r));
}

/* Turns name circles and phases name turns, in ascending order. */
static orr_err check_indices(const struct circles *c, const uint32_t *of,
                             uint64_t n, uint64_t most, const char *path,
                             struct orr_report *why)
{
    for (uint64_t i = 0; i < n; i++)
        if (of[i] >= most || (i && of[i] < of[i - 1]))
            return orr__fail(why, ORR_ECONFIG,
                             "%s: %s has %u where it cannot "
                             "be",
                             orr__reader_name(c->r), path, of[i]);
    return ORR_OK;
}

/* Nobody goes round a circle of no length. */
static orr_err check_times(const struct circles *c, const int64_t *ps,
                           uint64_t n, const char *path, struct orr_report *why)
{
    for (uint64_t i = 0; i < n; i++)
        if (ps[i] <= 0)
            return orr__fail(why, ORR_ECONFIG,
                             "%s: %s has %lld where it "
                             "cannot be",
                             orr__reader_name(c->r), path, (long long)ps[i]);
    return ORR_OK;
}

/* Every index into another table is checked: the record may be damaged. */
static orr_err read_all(struct circles *c, struct orr_report *why)
{
    const struct {
        const char *path;
        enum orr_record_type type;
        void *to;
        uint64_t n;
    } column[] = {
        {"circles/group", ORR_RECORD_U32, &c->group, c->n},
        {"circles/capacity", ORR_RECORD_U64, &c->capacity, c->n},
        {"circles/perimeter", ORR_RECORD_I64, &c->perimeter, c->n},
        {"circles/score_before", ORR_RECORD_F64, &c->before, c->n},
        {"circles/score", ORR_RECORD_F64, &c->score, c->n},
        {"circles/turn_circle", ORR_RECORD_U32, &c->turn_circle, c->turns},
        {"circles/turn_job", ORR_RECORD_U32, &c->turn_job, c->turns},
        {"circles/turn_period", ORR_RECORD_I64, &c->period, c->turns},
        {"circles/turn_shift", ORR_RECORD_I64, &c->shift, c->turns},
        {"circles/phase_turn", ORR_RECORD_U32, &c->phase_turn, c->phases},
        {"circles/phase_start", ORR_RECORD_I64, &c->start, c->phases},
        {"circles/phase_end", ORR_RECORD_I64, &c->end, c->phases},
        {"circles/phase_rate", ORR_RECORD_U64, &c->rate, c->phases},
    };
    orr_err err = read_names(c, why);
    for (size_t i = 0; i < sizeof column / sizeof *column && !err; i++)
        err = read_column(c, column[i].path, column[i].type, column[i].to,
                          column[i].n, why);
    if (!err)
        err = check_indices(c, c->turn_circle, c->turns, c->n,
                            "circles/turn_circle", why);
    if (!err)
        err = check_indices(c, c->phase_turn, c->phases, c->turns,
                            "circles/phase_turn", why);
    if (!err)
        err = check_times(c, c->perimeter, c->n, "circles/perimeter", why);
    return err ? err
               : check_times(c, c->period, c->turns, "circles/turn_period",
                             why);
}

static void circles_fini(struct circles *c)
{
    void *const column[] = {
        c->group,       c->capacity, c->perimeter, c->before, c->score,
        c->turn_circle, c->turn_job, c->period,    c->shift,  c->phase_turn,
        c->start,       c->end,      c->rate,
    };
    for (size_t i = 0; i < sizeof column / sizeof *column; i++)
        orr__free(column[i]);
    orr__reader_free_texts(c->name, c->name ? c->n : 0);
}

/* ---- which are shown ---------------------------------------------------- */

static int by_score(const void *a, const void *b)
{
    const struct shown *x = a, *y = b;
    if (x->score != y->score)
        return x->score < y->score ? -1 : 1;
    return x->circle < y->circle ? -1 : x->circle > y->circle;
}

/* One of each group, the worst ones first; *n: how many. */
static struct shown *choose(const struct circles *c, uint64_t *n)
{
    uint32_t groups = 0;
    for (uint64_t i = 0; i < c->n; i++)
        if (c->group[i] >= groups && c->group[i] < c->n)
            groups = c->group[i] + 1;
    struct shown *all = orr__alloc(groups, sizeof *all);
    *n = 0;
    if (!all)
        return NULL;
    for (uint64_t i = 0; i < c->n; i++) {
        if (c->group[i] >= groups)
            continue;
        struct shown *s = &all[c->group[i]];
        if (s->links++ == 0 || c->score[i] < s->score)
            *s = (struct shown){(uint32_t)i, s->links, c->score[i]};
    }
    for (uint32_t g = 0; g < groups; g++)
        if (all[g].links)
            all[(*n)++] = all[g];
    qsort(all, *n, sizeof *all, by_score);
    return all;
}

/* ---- as JSON ------------------------------------------------------------ */

/* Turn t; its phases are [from, until). */
static json_t *view_turn(const struct circles *c, uint64_t t, uint64_t from,
                         uint64_t until, struct orr_report *why)
{
    uint64_t n = until - from;
    json_t *one = json_object();
    double *rate = orr__alloc(n, sizeof *rate);
    for (uint64_t i = 0; rate && i < n; i++)
        rate[i] = (double)c->rate[from + i];
    orr_err err = rate ? ORR_OK : orr__no_memory(why);
    if (!err)
        err = orr__view_put(one, "job", json_integer(c->turn_job[t]), why);
    if (!err)
        err = orr__view_put(
            one, "period", orr__view_number((double)c->period[t] * 1e-12), why);
    if (!err)
        err = orr__view_put(one, "shift",
                            orr__view_number((double)c->shift[t] * 1e-12), why);
    if (!err)
        err = orr__view_put(one, "start", orr__view_times(c->start + from, n),
                            why);
    if (!err)
        err = orr__view_put(one, "end", orr__view_times(c->end + from, n), why);
    if (!err)
        err = orr__view_put(one, "rate", orr__view_doubles(rate, n), why);
    orr__free(rate);
    if (err) {
        json_decref(one);
        return NULL;
    }
    return one;
}

/* The first of ascending numbers that is at least x. */
static uint64_t first_of(const uint32_t *of, uint64_t n, uint64_t x)
{
    uint64_t low = 0, high = n;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (of[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Jobs on a circle; tables are sorted, so each has a range. */
static orr_err view_turns(const struct circles *c, uint64_t circle, json_t *one,
                          struct orr_report *why)
{
    json_t *turns = json_array();
    uint64_t from = first_of(c->turn_circle, c->turns, circle);
    uint64_t until = first_of(c->turn_circle, c->turns, circle + 1);
    orr_err err = turns ? ORR_OK : orr__no_memory(why);
    for (uint64_t t = from; t < until && !err; t++) {
        json_t *turn =
            view_turn(c, t, first_of(c->phase_turn, c->phases, t),
                      first_of(c->phase_turn, c->phases, t + 1), why);
        if (json_array_append_new(turns, turn) != 0)
            err = orr__no_memory(why);
    }
    if (err) {
        json_decref(turns);
        return err;
    }
    return orr__view_put(one, "turns", turns, why);
}

/* Times become s. */
static orr_err view_circle(const struct circles *c, const struct shown *s,
                           json_t *list, struct orr_report *why)
{
    uint32_t i = s->circle;
    json_t *one = json_object();
    orr_err err = orr__view_put(one, "link", orr__view_text(c->name[i]), why);
    if (!err)
        err = orr__view_put(one, "links", json_integer(s->links), why);
    if (!err)
        err = orr__view_put(one, "capacity",
                            orr__view_number((double)c->capacity[i]), why);
    if (!err)
        err = orr__view_put(one, "perimeter",
                            orr__view_number((double)c->perimeter[i] * 1e-12),
                            why);
    if (!err)
        err = orr__view_put(one, "before", orr__view_number(c->before[i]), why);
    if (!err)
        err = orr__view_put(one, "score", orr__view_number(c->score[i]), why);
    if (!err)
        err = view_turns(c, i, one, why);
    if (err) {
        json_decref(one);
        return err;
    }
    return json_array_append_new(list, one) == 0 ? ORR_OK : orr__no_memory(why);
}

/* Phases on a circle. */
static uint64_t phases_on(const struct circles *c, uint32_t circle)
{
    uint64_t from = first_of(c->turn_circle, c->turns, circle);
    uint64_t until = first_of(c->turn_circle, c->turns, circle + UINT64_C(1));
    return first_of(c->phase_turn, c->phases, until)
           - first_of(c->phase_turn, c->phases, from);
}

/* The worst circles, as far as ORR_VIEW_PHASES allows; `groups` says how many
 * there are. */
static orr_err view_shown(const struct circles *c, json_t *view,
                          struct orr_report *why)
{
    uint64_t n = 0, phases = 0;
    struct shown *all = choose(c, &n);
    json_t *list = json_array();
    orr_err err = all && list ? ORR_OK : orr__no_memory(why);
    for (uint64_t i = 0; i < n && i < ORR_VIEW_CIRCLES && !err; i++) {
        phases += phases_on(c, all[i].circle);
        if (phases > ORR_VIEW_PHASES)
            break;
        err = view_circle(c, &all[i], list, why);
    }
    orr__free(all);
    if (err) {
        json_decref(list);
        return err;
    }
    err = orr__view_put(view, "list", list, why);
    return err ? err
               : orr__view_put(view, "groups", json_integer((json_int_t)n),
                               why);
}

orr_err orr__view_circles(struct orr_reader *r, json_t *to,
                          struct orr_report *why)
{
    if (!orr__reader_has(r, "circles/circle"))
        return ORR_OK;
    struct circles c = {.r = r};
    c.n = rows_of(&c, "circles/circle");
    c.turns = rows_of(&c, "circles/turn");
    c.phases = rows_of(&c, "circles/phase");
    json_t *view = json_object();
    orr_err err = view ? read_all(&c, why) : orr__no_memory(why);
    if (!err)
        err = view_shown(&c, view, why);
    circles_fini(&c);
    if (err) {
        json_decref(view);
        return err;
    }
    return orr__view_put(to, "circles", view, why);
}
