#include "core/config/param.h"
#include "core/config/module.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "core/assert.h"
#include "core/config/yaml.h"
#include "core/units.h"

/* A scalar of any type but TEXT, in the C type that its field has. */
union value {
    bool b;
    int64_t i;
    uint64_t u;
    double r;
    int choice;
};

/* ---- the types ---- */

static const char *parse_bool(const char *text, union value *v)
{
    static const char *const words[] = {"false", "no", "true", "yes", NULL};
    int i = orr__param_choice(words, text);
    v->b = i >= 2;
    return i < 0 ? "not true or false" : NULL;
}

static const char *parse_int(const char *text, union value *v)
{
    return orr__parse_int(text, &v->i);
}

static const char *parse_real(const char *text, union value *v)
{
    char number[64];
    size_t n = strlen(text);
    if (n == 0 || n >= sizeof number || text[n - 1] != '%')
        return orr__parse_real(text, &v->r);
    snprintf(number, sizeof number, "%.*s", (int)(n - 1), text);
    const char *wrong = orr__parse_real(number, &v->r);
    v->r /= 100;
    return wrong;
}

static const char *parse_time(const char *text, union value *v)
{
    return orr__parse_time(text, &v->i);
}

static const char *parse_size(const char *text, union value *v)
{
    return orr__parse_size(text, &v->u);
}

static const char *parse_rate(const char *text, union value *v)
{
    return orr__parse_rate(text, &v->u);
}

static int compare_ints(union value a, union value b)
{
    return (a.i > b.i) - (a.i < b.i);
}

static int compare_sizes(union value a, union value b)
{
    return (a.u > b.u) - (a.u < b.u);
}

static int compare_reals(union value a, union value b)
{
    return (a.r > b.r) - (a.r < b.r);
}

/* parse NULL: the type has a reader of its own below. */
static const struct type {
    const char *name, *with_article;
    const char *(*parse)(const char *text, union value *v);
    int (*compare)(union value a, union value b); /* NULL: has no order */
    size_t size;
} types[] = {
    [ORR_PARAM_BOOL] = {"true or false", "true or false", parse_bool, NULL,
                        sizeof(bool)},
    [ORR_PARAM_INT] = {"integer", "an integer", parse_int, compare_ints,
                       sizeof(int64_t)},
    [ORR_PARAM_REAL] = {"number", "a number", parse_real, compare_reals,
                        sizeof(double)},
    [ORR_PARAM_TIME] = {"time", "a time", parse_time, compare_ints,
                        sizeof(int64_t)},
    [ORR_PARAM_SIZE] = {"size", "a size", parse_size, compare_sizes,
                        sizeof(uint64_t)},
    [ORR_PARAM_RATE] = {"rate", "a rate", parse_rate, compare_sizes,
                        sizeof(uint64_t)},
    [ORR_PARAM_TEXT] = {"text", "a text", NULL, NULL, sizeof(char *)},
    [ORR_PARAM_CHOICE] = {"choice", "a word", NULL, NULL, sizeof(int)},
    [ORR_PARAM_INTS] = {"list of integers", "a list of integers", NULL, NULL,
                        sizeof(struct orr_ints)},
    [ORR_PARAM_NODE] = {"structure", "a value", NULL, NULL, sizeof(void *)},
    [ORR_PARAM_SIZE_BY_RATE] = {"size, or a map of sizes by rate", "a size",
                                parse_size, compare_sizes,
                                sizeof(struct orr_by_rate)},
    [ORR_PARAM_REAL_BY_RATE] = {"number, or a map of numbers by rate",
                                "a number", parse_real, compare_reals,
                                sizeof(struct orr_by_rate)},
};

const char *orr__param_type_name(enum orr_param_type t)
{
    return types[t].name;
}

size_t orr__param_size(enum orr_param_type t)
{
    return types[t].size;
}

/* ---- tables of others ---- */

static bool is_value(const struct orr_param *p, const char *text,
                     union value *v)
{
    ORR_ASSERT(types[p->type].parse); /* it has an order */
    return types[p->type].parse(text, v) == NULL;
}

/* Of a type that has an order. */
static const char *bounds_fault(const struct orr_param *p, const union value *v)
{
    const struct type *t = &types[p->type];
    union value least = {.u = 0}, most = {.u = 0};
    if (p->min && !is_value(p, p->min, &least))
        return "its min is no value of its type";
    if (p->max && !is_value(p, p->max, &most))
        return "its max is no value of its type";
    if (v && p->min && t->compare(*v, least) < 0)
        return "its fallback is below its min";
    if (v && p->max && t->compare(*v, most) > 0)
        return "its fallback is above its max";
    return NULL;
}

const char *orr__param_fault(const struct orr_param *p)
{
    const struct type *t = &types[p->type];
    const char *text = p->fallback && p->fallback[0] ? p->fallback : NULL;
    union value v;
    if ((p->min || p->max) && !t->compare)
        return "its type has no order, so no min and max";
    if (p->type == ORR_PARAM_CHOICE) {
        if (!p->choices || !p->choices[0])
            return "there is nothing to choose from";
        return text && orr__param_choice(p->choices, text) < 0
                   ? "its default is not one of its choices"
                   : NULL;
    }
    if (t->compare && text && strcmp(text, "auto") == 0)
        text = NULL;
    if (text && t->parse && !is_value(p, text, &v))
        return "its fallback is no value of its type";
    return t->compare ? bounds_fault(p, text ? &v : NULL) : NULL;
}

/* ---- words ---- */

int orr__param_choice(const char *const *choices, const char *text)
{
    for (int i = 0; choices[i]; i++)
        if (strcmp(choices[i], text) == 0)
            return i;
    return -1;
}

enum { LONGEST_WORD = 48 };

static int lower_case(char c)
{
    return c >= 'A' && c <= 'Z' ? c + 32 : c == '_' ? '-' : c;
}

static unsigned least_of(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Insertions, deletions, changes and swaps of neighbours that turn a into b,
 * in the optimal-string-alignment form; case and - against _ cost nothing. */
static unsigned distance(const char *a, size_t na, const char *b, size_t nb)
{
    unsigned d[3][LONGEST_WORD + 1];
    for (size_t j = 0; j <= nb; j++)
        d[0][j] = (unsigned)j;
    for (size_t i = 1; i <= na; i++) {
        unsigned *row = d[i % 3], *up = d[(i + 2) % 3], *up2 = d[(i + 1) % 3];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= nb; j++) {
            unsigned change = lower_case(a[i - 1]) != lower_case(b[j - 1]);
            row[j] =
                least_of(least_of(up[j], row[j - 1]) + 1, up[j - 1] + change);
            if (i > 1 && j > 1 && lower_case(a[i - 1]) == lower_case(b[j - 2])
                && lower_case(a[i - 2]) == lower_case(b[j - 1]))
                row[j] = least_of(row[j], up2[j - 2] + 1);
        }
    }
    return d[na % 3][nb];
}

/* Better than best, if it is near at all: a third of a word may differ. */
static bool is_nearer(const char *name, const char *text, unsigned *best)
{
    size_t a = strlen(name), b = strlen(text);
    if (a > LONGEST_WORD || b > LONGEST_WORD)
        return false;
    unsigned d = distance(name, a, text, b);
    if (d * 3 > (a > b ? a : b) || d >= *best)
        return false;
    *best = d;
    return true;
}

const char *orr__param_nearest(const char *const *names, const char *text)
{
    const char *nearest = NULL;
    unsigned best = LONGEST_WORD;
    for (; *names; names++)
        if (is_nearer(*names, text, &best))
            nearest = *names;
    return nearest;
}

/* ---- reading ---- */

/* One call of orr__param_read; p is the parameter at hand. */
struct reading {
    struct orr_config *c;
    const struct orr_yaml *map; /* NULL: all defaults */
    const char *what;
    const struct orr_param *p;
    unsigned char *into;
    struct orr_report *why;
};

static const char *dot_of(const struct reading *r)
{
    return r->what[0] ? "." : "";
}

/* The path of the parameter at hand, for the front of a message. */
#define PATH       "%s%s%s"
#define PATH_OF(r) (r)->what, dot_of(r), (r)->p->key

/* Fails at n with a sentence like "a unit is missing: write ...", whose second
 * half is the hint. */
static orr_err malformed(struct reading *r, const struct orr_yaml *n,
                         const char *text, const char *sentence)
{
    const char *colon = strstr(sentence, ": ");
    int length = colon ? (int)(colon - sentence) : (int)strlen(sentence);
    orr__yaml_fail(r->c, n, r->why, PATH ": \"%s\": %.*s", PATH_OF(r), text,
                   length, sentence);
    if (colon)
        orr__hint(r->why, "%s", colon + 2);
    return ORR_ECONFIG;
}

/* A bound is what our table says: it parses. */
static union value parse_bound(const struct type *t, const char *text)
{
    union value v = {.u = 0};
    const char *wrong = t->parse(text, &v);
    assert(wrong == NULL && "bound in a parameter table");
    (void)wrong;
    return v;
}

/* ORR_ECONFIG beyond `min` or `max`, which are text in the table and in the
 * same unit as the value; `text` is how the user wrote it. */
static orr_err check_range(struct reading *r, const struct type *t,
                           const struct orr_yaml *n, const char *text,
                           union value v)
{
    const struct orr_param *p = r->p;
    if (p->min && t->compare(v, parse_bound(t, p->min)) < 0)
        return orr__yaml_fail(r->c, n, r->why,
                              PATH ": %s is below the "
                                   "smallest allowed, %s",
                              PATH_OF(r), text, p->min);
    if (p->max && t->compare(v, parse_bound(t, p->max)) > 0)
        return orr__yaml_fail(r->c, n, r->why,
                              PATH ": %s is above the "
                                   "largest allowed, %s",
                              PATH_OF(r), text, p->max);
    return ORR_OK;
}

/* "a, b or c" into buf. */
static void list_words(const char *const *words, char *buf, size_t size)
{
    size_t at = 0;
    buf[0] = '\0';
    for (size_t i = 0; words[i] && at < size; i++) {
        const char *before = i == 0 ? "" : words[i + 1] ? ", " : " or ";
        int n = snprintf(buf + at, size - at, "%s%s", before, words[i]);
        at += n > 0 ? (size_t)n : 0;
    }
}

/* Stores an int: the place in `choices`. Other words are refused, with the
 * nearest one as a hint. */
static orr_err read_choice(struct reading *r, const struct orr_yaml *n)
{
    int choice = orr__param_choice(r->p->choices, n->text);
    if (choice >= 0) {
        memcpy(r->into, &choice, sizeof choice);
        return ORR_OK;
    }
    char words[768];
    list_words(r->p->choices, words, sizeof words);
    orr__yaml_fail(r->c, n, r->why, PATH ": \"%s\" is not one of %s",
                   PATH_OF(r), n->text, words);
    orr__hint_nearest(r->why, r->p->choices, n->text);
    return ORR_ECONFIG;
}

/* The owner of the table works it out. */
static bool is_auto(const struct orr_param *p, const char *text)
{
    return p->fallback && strcmp(p->fallback, "auto") == 0
           && strcmp(text, "auto") == 0;
}

static union value auto_value(enum orr_param_type type)
{
    switch (type) {
    case ORR_PARAM_REAL:
    case ORR_PARAM_REAL_BY_RATE: return (union value){.r = ORR_AUTO};
    case ORR_PARAM_SIZE:
    case ORR_PARAM_SIZE_BY_RATE:
    case ORR_PARAM_RATE: return (union value){.u = ORR_AUTO_SIZE};
    default: return (union value){.i = ORR_AUTO};
    }
}

static bool is_by_rate(const struct orr_param *p)
{
    return p->type == ORR_PARAM_SIZE_BY_RATE
           || p->type == ORR_PARAM_REAL_BY_RATE;
}

static orr_err expected(struct reading *r, const struct orr_yaml *n)
{
    return orr__yaml_fail(r->c, n, r->why,
                          PATH ": %s is expected here, not "
                               "a %s",
                          PATH_OF(r), types[r->p->type].with_article,
                          n->kind == ORR_YAML_LIST ? "list" : "map");
}

/* A scalar that the type parses, or `auto`. */
static orr_err parse_one(struct reading *r, const struct orr_yaml *n,
                         union value *v)
{
    const struct type *t = &types[r->p->type];
    if (n->kind != ORR_YAML_SCALAR)
        return expected(r, n);
    if (is_auto(r->p, n->text)) {
        *v = auto_value(r->p->type);
        return ORR_OK;
    }
    const char *wrong = t->parse(n->text, v);
    if (wrong)
        return malformed(r, n, n->text, wrong);
    orr_err err = check_range(r, t, n, n->text, *v);
    if (!err
        && (r->p->type == ORR_PARAM_SIZE
            || r->p->type == ORR_PARAM_SIZE_BY_RATE))
        orr__config_note_rounded(r->c, n);
    return err;
}

/* Stores one value of the table's type at r->into; text is not copied, it
 * belongs to the document. */
static orr_err read_scalar(struct reading *r, const struct orr_yaml *n)
{
    union value v = {.u = 0};
    if (n->kind != ORR_YAML_SCALAR)
        return expected(r, n);
    if (r->p->type == ORR_PARAM_TEXT) {
        memcpy(r->into, &n->text, sizeof n->text);
        return ORR_OK;
    }
    if (r->p->type == ORR_PARAM_CHOICE)
        return read_choice(r, n);
    orr_err err = parse_one(r, n, &v);
    if (!err)
        memcpy(r->into, &v, types[r->p->type].size);
    return err;
}

/* ---- by rate ---- */

static union orr_rate_value rate_value(const struct orr_param *p, union value v)
{
    return p->type == ORR_PARAM_REAL_BY_RATE
               ? (union orr_rate_value){.real = v.r}
               : (union orr_rate_value){.size = v.u};
}

/* Rate and value of a map; n entries stand before it. */
static orr_err read_entry(struct reading *r, const struct orr_yaml *key,
                          const struct orr_yaml *item,
                          struct orr_rate_entry *entry, size_t n)
{
    union value rate, v = {.u = 0};
    const char *wrong = orr__parse_rate(key->text, &rate.u);
    if (wrong)
        return malformed(r, key, key->text, wrong);
    for (size_t i = 0; i < n; i++)
        if (entry[i].rate_bps == rate.u)
            return orr__yaml_fail(r->c, key, r->why,
                                  PATH ": %s is listed twice", PATH_OF(r),
                                  key->text);
    orr_err err = parse_one(r, item, &v);
    entry[n] = (struct orr_rate_entry){rate.u, rate_value(r->p, v)};
    return err;
}

/* One value, or a map from link rates to values; the entries are in the
 * document's arena. */
static orr_err read_by_rate(struct reading *r, const struct orr_yaml *n)
{
    struct orr_by_rate b = {.at = n};
    union value v = {.u = 0};
    orr_err err = ORR_OK;
    if (n->kind == ORR_YAML_MAP && n->n > 0) {
        struct orr_rate_entry *entry =
            orr__arena_alloc(orr__config_arena(r->c), n->n, sizeof *entry);
        if (entry == NULL)
            return orr__no_memory(r->why);
        for (; b.n < n->n && !err; b.n++)
            err = read_entry(r, n->items[2 * b.n], n->items[2 * b.n + 1], entry,
                             b.n);
        b.entry = entry;
    } else {
        err = parse_one(r, n, &v);
        b.one = rate_value(r->p, v);
    }
    if (!err)
        memcpy(r->into, &b, sizeof b);
    return err;
}

const union orr_rate_value *orr__by_rate(const struct orr_by_rate *b,
                                         uint64_t rate_bps)
{
    if (b->n == 0)
        return &b->one;
    for (size_t i = 0; i < b->n; i++)
        if (b->entry[i].rate_bps == rate_bps)
            return &b->entry[i].value;
    return NULL;
}

/* A list of integers, each within min and max; the array is in the document's
 * arena. */
static orr_err read_ints(struct reading *r, const struct orr_yaml *n)
{
    const struct type *t = &types[ORR_PARAM_INT];
    if (n->kind != ORR_YAML_LIST)
        return orr__yaml_fail(r->c, n, r->why,
                              PATH ": a list of integers "
                                   "like [4, 4] is expected here",
                              PATH_OF(r));
    struct orr_ints ints = {.n = n->n};
    ints.v = orr__arena_alloc(orr__config_arena(r->c), n->n, sizeof *ints.v);
    if (ints.v == NULL)
        return orr__no_memory(r->why);
    for (size_t i = 0; i < n->n; i++) {
        const struct orr_yaml *item = n->items[i];
        union value v;
        if (item->kind != ORR_YAML_SCALAR)
            return orr__yaml_fail(r->c, item, r->why,
                                  PATH ": an integer is "
                                       "expected here, not a %s",
                                  PATH_OF(r),
                                  item->kind == ORR_YAML_LIST ? "list" : "map");
        const char *wrong = t->parse(item->text, &v);
        if (wrong)
            return malformed(r, item, item->text, wrong);
        orr_err err = check_range(r, t, item, item->text, v);
        if (err)
            return err;
        ints.v[i] = v.i;
    }
    memcpy(r->into, &ints, sizeof ints);
    return ORR_OK;
}

static orr_err read_value(struct reading *r, const struct orr_yaml *n)
{
    switch (r->p->type) {
    case ORR_PARAM_NODE: memcpy(r->into, &n, sizeof n); return ORR_OK;
    case ORR_PARAM_INTS: return read_ints(r, n);
    default: return is_by_rate(r->p) ? read_by_rate(r, n) : read_scalar(r, n);
    }
}

/* ---- what the user left out ---- */

static orr_err fail_missing(struct reading *r)
{
    orr__yaml_fail(r->c, r->map, r->why, PATH " is missing", PATH_OF(r));
    if (r->p->help)
        orr__hint(r->why, "%s: %s", r->p->key, r->p->help);
    return ORR_ECONFIG;
}

/* Parses a fallback into a node of the document that stands nowhere. */
static orr_err fallback_node(struct reading *r, struct orr_yaml **out)
{
    const char *text = r->p->fallback;
    struct orr_arena *arena = orr__config_arena(r->c);
    if (r->p->type != ORR_PARAM_NODE && r->p->type != ORR_PARAM_INTS) {
        *out = orr__yaml_scalar(arena, text, strlen(text), true, &r->c->made);
        return *out ? ORR_OK : orr__no_memory(r->why);
    }
    struct orr_source *from = orr__arena_alloc(arena, 1, sizeof *from);
    if (from == NULL)
        return orr__no_memory(r->why);
    *from = (struct orr_source){"default value", text, strlen(text), true};
    return orr__yaml_parse(arena, from, out, r->why);
}

/* Shows the default in the effective configuration, if it has a place there. */
static orr_err enter_default(struct reading *r, struct orr_yaml *n)
{
    struct orr_yaml *made = NULL;
    if (r->map)
        return orr__config_add_default(r->c, r->map, r->p->key, n, r->why);
    if (!*r->what) /* the root is there: no place */
        return ORR_OK;
    orr_err err = orr__config_default_map(r->c, r->what, &made, r->why);
    if (err || made == NULL)
        return err;
    return orr__config_add_default(r->c, made, r->p->key, n, r->why);
}

/* The key was left out: its default goes through the same reading as a user's
 * value, and into the effective configuration. A default that cannot be read
 * is a fault of the table, not of the user. */
static orr_err use_fallback(struct reading *r)
{
    struct orr_yaml *n = NULL;
    if (r->p->fallback[0] == '\0') {
        static const void *const nothing = NULL;
        if (r->p->type == ORR_PARAM_NODE || r->p->type == ORR_PARAM_TEXT)
            memcpy(r->into, &nothing, sizeof nothing);
        return ORR_OK;
    }
    orr_err err = fallback_node(r, &n);
    if (!err)
        err = read_value(r, n);
    assert(err != ORR_ECONFIG && "fallback in a parameter table");
    return err ? err : enter_default(r, n);
}

/* One row of the table: the user's value, or the default, or an error if it
 * has none. `key:` with nothing behind it is refused, except for a node that
 * may be left out. */
static orr_err read_param(struct reading *r)
{
    const struct orr_yaml *n = orr__yaml_get(r->map, r->p->key);
    if (n && orr__yaml_is_null(n)) {
        if (r->p->type == ORR_PARAM_NODE && r->p->fallback)
            return use_fallback(r); /* "flows:" and nothing */
        return orr__yaml_fail(r->c, n, r->why, PATH ": a value is missing",
                              PATH_OF(r));
    }
    if (n)
        return read_value(r, n);
    return r->p->fallback ? use_fallback(r) : fail_missing(r);
}

/* ---- keys that no table has ---- */

static bool is_known(const struct orr_param_set *sets, size_t n,
                     const char *key)
{
    for (size_t i = 0; i < n; i++)
        for (const struct orr_param *p = sets[i].table; p->key; p++)
            if (strcmp(p->key, key) == 0)
                return true;
    return false;
}

/* The hint of an unknown key: the nearest key, or all known ones if they fit.
 */
static void hint_known(const struct orr_param_set *sets, size_t n,
                       const char *key, struct orr_report *why)
{
    const char *nearest = NULL;
    unsigned best = LONGEST_WORD;
    char known[sizeof why->hint] = "";
    size_t at = 0;
    for (size_t i = 0; i < n; i++)
        for (const struct orr_param *p = sets[i].table; p->key; p++) {
            if (is_nearer(p->key, key, &best))
                nearest = p->key;
            if (at < sizeof known)
                at += (size_t)snprintf(known + at, sizeof known - at, " %s",
                                       p->key);
        }
    if (nearest)
        orr__hint(why, "did you mean \"%s\"?", nearest);
    else if (at > 0 && at < sizeof known - 16)
        orr__hint(why, "known keys:%s", known);
}

/* Refuses keys that no table has. Those beside a `kind` that was replaced
 * since (stale) are dropped instead. */
static orr_err check_keys(const struct reading *r,
                          const struct orr_param_set *sets, size_t n)
{
    for (size_t i = 0; i < orr__yaml_count(r->map); i++) {
        const struct orr_yaml *key = orr__yaml_key(r->map, i);
        if (is_known(sets, n, key->text))
            continue;
        if (key->stale) {
            orr__yaml_drop((struct orr_yaml *)r->map, i--);
            continue;
        }
        if (r->what[0])
            orr__yaml_fail(r->c, key, r->why, "unknown key \"%s\" in %s",
                           key->text, r->what);
        else
            orr__yaml_fail(r->c, key, r->why, "unknown key \"%s\"", key->text);
        hint_known(sets, n, key->text, r->why);
        return ORR_ECONFIG;
    }
    return ORR_OK;
}

/* A switch that is written as a value: the hint shows the map. */
static orr_err fail_no_map(const struct reading *r, const struct orr_yaml *at,
                           const struct orr_param_set *sets, size_t n)
{
    orr_err err = orr__yaml_fail(
        r->c, at, r->why,
        "%s: a map of keys and values is expected here, not a %s", r->what,
        at->kind == ORR_YAML_LIST ? "list" : "single value");
    const char *last = strrchr(r->what, '.');
    if (is_known(sets, n, "enabled"))
        orr__hint(r->why, "like %s: {enabled: true}",
                  last ? last + 1 : r->what);
    return err;
}

bool orr__param_unknown_key(const struct orr_report *why, char key[ORR_KEY_MAX],
                            char around[ORR_KEY_MAX])
{
    static const char *const said[] = {"unknown key \"", "has no key \""};
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        const char *at = strstr(why->message, said[i]);
        if (!at)
            continue;
        at += strlen(said[i]);
        size_t n = strcspn(at, "\"");
        snprintf(key, ORR_KEY_MAX, "%.*s", (int)n, at);
        bool in = strncmp(at + n, "\" in ", 5) == 0;
        snprintf(around, ORR_KEY_MAX, "%s", in ? at + n + 5 : "");
        return true;
    }
    return false;
}

orr_err orr__param_read(struct orr_config *c, const struct orr_yaml *map,
                        const char *what, const struct orr_param_set *sets,
                        size_t n, struct orr_report *why)
{
    struct reading r = {.c = c, .map = map, .what = what, .why = why};
    if (map && orr__yaml_is_null(map))
        orr__yaml_become_map(map);
    if (map && map->kind != ORR_YAML_MAP)
        return fail_no_map(&r, map, sets, n);
    orr_err err = check_keys(&r, sets, n);
    for (size_t i = 0; i < n && !err; i++)
        for (r.p = sets[i].table; r.p->key && !err; r.p++) {
            r.into = (unsigned char *)sets[i].into + r.p->offset;
            err = read_param(&r);
        }
    for (size_t i = 0; i < n && !err; i++)
        err = orr__remark_keys(c, map, what, &sets[i], why);
    return err;
}
