#include "study/compare/dimensions.h"
#include "core/config/module.h"
#include "core/none.h"

#include <stdio.h>
#include <string.h>

#include "core/array.h"
#include "core/names.h"
#include "core/text.h"
#include "experiment/outermost.h"

/* Where a dimension is read from: the folder that its files are in. */
struct reading {
    struct orr_matrix *m;
    const char *folder;
    struct orr_report *why;
};

static struct orr_arena *arena_of(const struct orr_matrix *m)
{
    return orr__config_arena(m->base);
}

/* ---- names -------------------------------------------------------------- */

static bool is_path(const char *key)
{
    return strpbrk(key, ".[") != NULL;
}

static bool is_outermost(const char *key)
{
    const struct orr_param *p = orr__outermost_params();
    while (p->key && strcmp(p->key, key) != 0)
        p++;
    return p->key != NULL;
}

/* And is longer than that. */
static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n > m && strcmp(text + n - m, end) == 0;
}

static bool is_file(const struct reading *r, const struct orr_dimension *d,
                    const struct orr_yaml *value)
{
    const char *text = orr__yaml_text(r->m->base, value);
    return text && !is_path(d->key)
           && (ends_with(text, ".yaml") || ends_with(text, ".yml"));
}

/* A value in one line: "dctcp", "[4, 4]", "kind: dctcp, g: 0.1". */
static void in_line(struct orr_text *t, struct orr_config *c,
                    const struct orr_yaml *n, bool inner)
{
    bool map = orr__yaml_is_map(n);
    inner |= orr__yaml_count(n) == 0;
    if (orr__yaml_is_scalar(n)) {
        orr__text_add(t, "%s", orr__yaml_text(c, n));
        return;
    }
    orr__text_add(t, "%s", map ? inner ? "{" : "" : "[");
    for (size_t i = 0; i < orr__yaml_count(n); i++) {
        orr__text_add(t, "%s", i ? ", " : "");
        if (map)
            orr__text_add(t, "%s: ", orr__yaml_text(c, orr__yaml_key(n, i)));
        in_line(t, c, map ? orr__yaml_value(n, i) : orr__yaml_item(n, i), true);
    }
    orr__text_add(t, "%s", map ? inner ? "}" : "" : "]");
}

/* A map is called by its kind, as long as that tells it from the others. */
static const char *name_of(const struct reading *r,
                           const struct orr_yaml *value, bool whole)
{
    struct orr_config *c = r->m->base;
    const char *kind = orr__yaml_text(c, orr__yaml_get(value, "kind"));
    struct orr_text t = {.s = NULL};
    if (kind && !whole)
        return kind;
    in_line(&t, c, value, false);
    char *text = orr__text_done(&t);
    const char *name = text ? orr__arena_strdup(arena_of(r->m), text) : NULL;
    orr__free(text);
    return name;
}

static const char *stem_of(const struct reading *r, const char *file)
{
    const char *slash = strrchr(file, '/');
    char *name = orr__arena_strdup(arena_of(r->m), slash ? slash + 1 : file);
    if (name)
        *strrchr(name, '.') = '\0';
    return name;
}

/* The last key of a path, or all of it. */
static const char *short_name(const struct orr_matrix *m, const char *key,
                              bool whole)
{
    const char *from = key;
    size_t n = strlen(key);
    if (!whole) {
        while (n > 0 && key[n - 1] == ']')
            while (n > 0 && key[--n] != '[')
                ;
        for (size_t i = 0; i < n; i++)
            if (key[i] == '.')
                from = key + i + 1;
        n -= (size_t)(from - key);
    }
    char *name = orr__arena_alloc(arena_of(m), n + 1, 1);
    for (size_t i = 0, at = 0; name && i < n; i++) {
        bool fine = (from[i] >= '0' && from[i] <= '9') || from[i] == '-'
                    || from[i] == '_' || (from[i] & 0x80)
                    || ((from[i] | 32) >= 'a' && (from[i] | 32) <= 'z');
        if (fine || from[i] == '.')
            name[at++] = fine ? from[i] : '_';
    }
    return name;
}

/* ---- variants ----------------------------------------------------------- */

orr_err orr__dimensions_file(struct orr_matrix *m, const char *folder,
                             const struct orr_yaml *value,
                             const struct orr_yaml **root,
                             struct orr_report *why)
{
    struct orr_report inner = {.code = ORR_OK};
    const char *name = orr__yaml_text(m->base, value);
    if (!orr__array_one_more(m->file, m->files))
        return orr__no_memory(why);
    char *path = name[0] == '/' || strcmp(folder, ".") == 0
                     ? orr__strdup(name)
                     : orr__format("%s/%s", folder, name);
    if (!path)
        return orr__no_memory(why);
    orr_err err = orr__config_load(path, &m->file[m->files], &inner);
    orr__free(path);
    if (err == ORR_OK) {
        *root = orr__config_root(m->file[m->files++]);
        return ORR_OK;
    }
    if (err == ORR_ECONFIG && !inner.file[0])
        return orr__yaml_fail(m->base, value, why, "%s", inner.message);
    if (why && !why->code)
        *why = inner;
    return err;
}

/* Does a map change outermost keys, or is it a value of the dimension's? An
 * empty one changes nothing. */
static bool changes_all(const struct reading *r, const struct orr_yaml *value)
{
    struct orr_config *c = r->m->base;
    if (!orr__yaml_is_map(value))
        return false;
    for (size_t i = 0; i < orr__yaml_count(value); i++) {
        const char *key = orr__yaml_text(c, orr__yaml_key(value, i));
        if (!is_outermost(key) && !is_path(key))
            return false;
    }
    return true;
}

/* With the nearest of the outermost keys. */
static orr_err no_such_key(struct reading *r, const struct orr_dimension *d,
                           const struct orr_yaml *at)
{
    const struct orr_param *p = orr__outermost_params();
    const char *names[64] = {NULL};
    for (size_t i = 0; p[i].key && i < 63; i++)
        names[i] = p[i].key;
    orr_err err = orr__yaml_fail(r->m->base, at, r->why,
                                 "compare.over: a "
                                 "configuration has no key \"%s\"",
                                 d->key);
    if (!orr__hint_nearest(r->why, names, d->key))
        orr__hint(r->why, "a key is its path: network.cc, jobs[0].placement; "
                          "a name of your own takes variants by name");
    return err;
}

/* name NULL: the value says. */
static orr_err add_variant(struct reading *r, struct orr_dimension *d,
                           const char *name, const struct orr_yaml *at,
                           const struct orr_yaml *value)
{
    struct orr_variant *v = &d->variant[d->variants];
    *v = (struct orr_variant){.at = at, .value = value, .name = name};
    if (is_file(r, d, value)) {
        const char *file = orr__yaml_text(r->m->base, value);
        orr_err err =
            orr__dimensions_file(r->m, r->folder, value, &v->value, r->why);
        if (err)
            return err;
        v->over_all = true;
        v->name = name ? name : stem_of(r, file);
    } else {
        v->over_all = changes_all(r, value);
        if (!v->over_all && !is_path(d->key) && !is_outermost(d->key))
            return no_such_key(r, d,
                               orr__yaml_is_map(value) ? orr__yaml_key(value, 0)
                                                       : d->at);
        if (!name)
            v->name = name_of(r, value, false);
    }
    d->variants++;
    return v->name ? ORR_OK : orr__no_memory(r->why);
}

/* Variants of the same name take their whole value as one; then they must
 * differ. */
static orr_err tell_apart(struct reading *r, struct orr_dimension *d,
                          bool whole)
{
    struct orr_names names = {.slot = NULL};
    orr_err err = ORR_OK;
    bool again = false;
    for (uint32_t i = 0; i < d->variants && !err; i++) {
        struct orr_variant *v = &d->variant[i];
        uint32_t first = orr__names_find(&names, v->name);
        if (first == ORR_NONE)
            err = orr__names_add(&names, v->name, i) ? ORR_OK
                                                     : orr__no_memory(r->why);
        else if (whole)
            err = orr__yaml_fail(r->m->base, v->at, r->why,
                                 "compare.over: %s is listed twice in %s",
                                 v->name, d->key);
        else
            again = true;
    }
    orr__names_fini(&names);
    /* Only values of a list are alike in name: keys of a map differ. */
    for (uint32_t i = 0; again && i < d->variants && !err; i++)
        if (!d->variant[i].over_all)
            d->variant[i].name = name_of(r, d->variant[i].value, true);
    for (uint32_t i = 0; again && i < d->variants && !err; i++)
        if (!d->variant[i].name)
            err = orr__no_memory(r->why);
    return again && !err ? tell_apart(r, d, true) : err;
}

/* ---- dimensions --------------------------------------------------------- */

static bool reserved(const char *name)
{
    static const char *const words[] = {"seed",  "measure", "value",
                                        "unit",  "status",  "bounds",
                                        "marks", "doubt",   NULL};
    return orr__param_choice(words, name) >= 0;
}

/* The last step of the key if no other dimension is called so, else the whole
 * key. Seeds are no dimension. */
static orr_err name_dimension(struct reading *r, struct orr_dimension *d)
{
    struct orr_matrix *m = r->m;
    for (int whole = 0; whole < 2; whole++) {
        d->name = short_name(m, d->key, whole);
        if (!d->name)
            return orr__no_memory(r->why);
        if (strcmp(d->key, "seed") == 0)
            break;
        if (d->name[0] && !reserved(d->name)
            && orr__matrix_dimension(m, d->name) == m->dimensions)
            return ORR_OK;
    }
    if (strcmp(d->key, "seed") == 0) {
        orr_err err = orr__yaml_fail(m->base, d->at, r->why,
                                     "compare.over: seeds are no dimension");
        orr__hint(r->why, "use `seeds: 1..5`, or --seeds 1..5");
        return err;
    }
    return orr__yaml_fail(m->base, d->at, r->why,
                          "compare.over: no dimension "
                          "can be called \"%s\"",
                          d->key);
}

/* A map (names to values), a list, or one value; at least one. */
static orr_err read_variants(struct reading *r, struct orr_dimension *d,
                             const struct orr_yaml *value)
{
    bool map = orr__yaml_is_map(value), list = orr__yaml_is_list(value);
    size_t n = map || list ? orr__yaml_count(value) : 1;
    if (n == 0 || orr__yaml_is_null(value))
        return orr__yaml_fail(r->m->base, value, r->why,
                              "compare.over: %s has no values: there is "
                              "nothing to run",
                              d->key);
    d->variant = orr__arena_alloc(arena_of(r->m), n, sizeof *d->variant);
    if (!d->variant)
        return orr__no_memory(r->why);
    orr_err err = ORR_OK;
    for (size_t i = 0; i < n && !err; i++) {
        const struct orr_yaml *key = orr__yaml_key(value, i);
        const struct orr_yaml *item = map    ? orr__yaml_value(value, i)
                                      : list ? orr__yaml_item(value, i)
                                             : value;
        err = add_variant(r, d, map ? orr__yaml_text(r->m->base, key) : NULL,
                          map ? key : item, item);
    }
    return err ? err : tell_apart(r, d, false);
}

/* A key that stands in the file and on the command line is one dimension, and
 * the latter's values count. */
static orr_err add_dimension(struct reading *r, const char *key,
                             const struct orr_yaml *at,
                             const struct orr_yaml *value)
{
    struct orr_matrix *m = r->m;
    struct orr_dimension d = {.key = key, .at = at};
    uint32_t i = 0;
    while (i < m->dimensions && strcmp(m->dimension[i].key, key) != 0)
        i++;
    if (i == ORR_MOST_DIMENSIONS)
        return orr__yaml_fail(m->base, at, r->why,
                              "compare.over: more than %d "
                              "dimensions",
                              ORR_MOST_DIMENSIONS);
    if (i < m->dimensions)
        d.name = m->dimension[i].name;
    orr_err err = d.name ? ORR_OK : name_dimension(r, &d);
    if (!err)
        err = read_variants(r, &d, value);
    m->dimension[i] = d;
    m->dimensions += i == m->dimensions && !err;
    return err;
}

/* "network.cc=dctcp,hpcc" */
static orr_err add_option(struct reading *r, const char *text)
{
    struct orr_matrix *m = r->m;
    size_t n = strcspn(text, "=");
    const struct orr_yaml *key, *value;
    char *name = orr__format("--over %.*s", (int)n, text);
    char *path = orr__format("%.*s", (int)n, text);
    char *list = orr__format("[%s]", text[n] ? text + n + 1 : "");
    orr_err err = name && path && list ? ORR_OK : orr__no_memory(r->why);
    if (!err && (text[n] != '=' || n == 0)) {
        err = orr__fail(r->why, ORR_ECONFIG,
                        "--over takes a key and its "
                        "values, not \"%s\"",
                        text);
        orr__hint(r->why, "for example --over network.cc=dctcp,hpcc");
    }
    if (!err)
        err =
            orr__config_value(m->base, name, path, list, &key, &value, r->why);
    if (!err)
        err = add_dimension(r, orr__yaml_text(m->base, key), key, value);
    orr__free(name);
    orr__free(path);
    orr__free(list);
    return err;
}

orr_err orr__dimensions_read(struct orr_matrix *m, const struct orr_yaml *over,
                             const struct orr_compare_options *o,
                             struct orr_report *why)
{
    struct reading r = {m, orr__config_folder(m->base), why};
    orr_err err = ORR_OK;
    if (over && !orr__yaml_is_map(over))
        return orr__yaml_fail(m->base, over, why,
                              "compare.over: a map of "
                              "dimensions is expected here");
    for (size_t i = 0; i < orr__yaml_count(over) && !err; i++) {
        const struct orr_yaml *key = orr__yaml_key(over, i);
        err = add_dimension(&r, orr__yaml_text(m->base, key), key,
                            orr__yaml_value(over, i));
    }
    r.folder = ".";
    for (size_t i = 0; i < o->n_over && !err; i++)
        err = add_option(&r, o->over[i]);
    return err;
}
