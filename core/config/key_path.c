/* Changes to a configuration by path, "a.b[2].c": what the command line sets
 * and what parameter tables fill in. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/assert.h"
#include "core/config/config.h"
#include "core/config/yaml.h"
#include "core/units.h"

/* One part of a path: a key of a map or an index of a list. */
struct step {
    const char *key; /* NULL: an index */
    size_t length;   /* of the key */
    size_t index;
};

/* "[2]" at *at. */
static bool index_step(const char **at, const char *end, struct step *s)
{
    int64_t index;
    char digits[12];
    const char *open = *at;
    const char *close = memchr(open, ']', (size_t)(end - open));
    size_t n = close ? (size_t)(close - open) - 1 : 0;
    if (n == 0 || n >= sizeof digits)
        return false;
    memcpy(digits, open + 1, n);
    digits[n] = '\0';
    if (orr__parse_int(digits, &index) != NULL || index < 0)
        return false;
    *s = (struct step){.index = (size_t)index};
    *at = close + 1;
    return true;
}

/* Takes a step off the path *at .. end; false when it is malformed. first: no
 * dot precedes a key. */
static bool next_step(const char **at, const char *end, bool first,
                      struct step *s)
{
    const char *p = *at;
    if (*p == '[')
        return !first && index_step(at, end, s);
    if (!first && *p++ != '.')
        return false;
    *s = (struct step){.key = p};
    while (p < end && *p != '.' && *p != '[' && *p != ']')
        p++;
    s->length = (size_t)(p - s->key);
    *at = p;
    return s->length > 0 && (p == end || *p != ']');
}

/* Number of steps of a path; 0 when it is malformed. */
static size_t count_steps(const char *at, const char *end)
{
    struct step s;
    size_t n = 0;
    do {
        if (!next_step(&at, end, n == 0, &s))
            return 0;
        n++;
    } while (at < end);
    return n;
}

/* ---- set ---- */

/* The document that is changed and where the change comes from, which is the
 * place that its errors have. */
struct setter {
    struct orr_config *c;
    const struct orr_source *from; /* "--set a.b" */
    int line, col;                 /* in it; 0: as a whole */
    struct orr_report *why;
    orr_err err; /* why one of the functions below gave NULL */
};

static struct orr_yaml **set_failed(struct setter *t, orr_err err)
{
    t->err = err;
    return NULL;
}

/* A slot for one more item (a map: a pair, whose key the caller fills in),
 * null until something better is put there. */
static struct orr_yaml **add_slot(struct setter *t, struct orr_yaml *n)
{
    struct orr_arena *arena = &t->c->arena;
    size_t width = n->kind == ORR_YAML_MAP ? 2 : 1, have = width * n->n;
    struct orr_yaml *null = orr__yaml_scalar(arena, "", 0, true, t->from);
    struct orr_yaml **items =
        orr__arena_alloc(arena, have + width, sizeof *items);
    if (null == NULL || items == NULL)
        return set_failed(t, orr__no_memory(t->why));
    null->line = t->line;
    null->col = t->col;
    if (have)
        memcpy(items, n->items, have * sizeof *items);
    items[have] = items[have + width - 1] = null;
    n->items = items;
    n->n++;
    return &items[have + width - 1];
}

/* The slot of this key's value, added as NULL if there is none. NULL: failed,
 * t->err says why. */
static struct orr_yaml **enter_map(struct setter *t, struct orr_yaml *n,
                                   const struct step *s)
{
    struct orr_yaml *key =
        orr__yaml_scalar(&t->c->arena, s->key, s->length, false, t->from);
    if (key == NULL)
        return set_failed(t, orr__no_memory(t->why));
    key->line = t->line;
    key->col = t->col;
    ptrdiff_t i = orr__yaml_find(n, key->text);
    if (i >= 0)
        return &n->items[2 * i + 1];
    struct orr_yaml **slot = add_slot(t, n);
    if (slot)
        slot[-1] = key;
    return slot;
}

static struct orr_yaml **enter_list(struct setter *t, struct orr_yaml *n,
                                    const struct step *s)
{
    if (s->index > n->n)
        return set_failed(
            t, orr__source_fail(t->from, t->line, t->col, t->why,
                                "[%zu] is beyond the list, which has %zu "
                                "item%s",
                                s->index, n->n, n->n == 1 ? "" : "s"));
    return s->index < n->n ? &n->items[s->index] : add_slot(t, n);
}

/* A member of a family, "dctcp": not a number, a size, true or false. */
static bool is_name(const char *text)
{
    return ((text[0] >= 'a' && text[0] <= 'z')
            || (text[0] >= 'A' && text[0] <= 'Z'))
           && strcmp(text, "true") != 0 && strcmp(text, "false") != 0;
}

/* `cc: dctcp` is short for `cc: {kind: dctcp}`, which has room for a key more.
 * false: no memory. */
static bool become_kind(struct setter *t, struct orr_yaml *n)
{
    struct orr_yaml *kind = orr__arena_alloc(&t->c->arena, 1, sizeof *kind);
    struct orr_yaml *key =
        orr__yaml_scalar(&t->c->arena, "kind", 4, false, t->from);
    if (!kind || !key)
        return set_failed(t, orr__no_memory(t->why));
    *kind = *n;
    key->line = n->line;
    key->col = n->col;
    orr__yaml_become_map(n);
    n->kind = ORR_YAML_MAP;
    struct orr_yaml **slot = add_slot(t, n);
    if (!slot)
        return false;
    slot[-1] = key;
    *slot = kind;
    return true;
}

/* Finds or makes what step s of node n names. A null value becomes the map or
 * list that the step needs. */
static struct orr_yaml **enter_step(struct setter *t, struct orr_yaml *n,
                                    const struct step *s)
{
    if (orr__yaml_is_null(n)) {
        orr__yaml_become_map(n);
        n->kind = s->key ? ORR_YAML_MAP : ORR_YAML_LIST;
    }
    if (s->key && n->kind == ORR_YAML_SCALAR && is_name(n->text)
        && !become_kind(t, n))
        return NULL;
    if (s->key && n->kind == ORR_YAML_MAP)
        return enter_map(t, n, s);
    if (s->key == NULL && n->kind == ORR_YAML_LIST)
        return enter_list(t, n, s);
    static const char *const names[] = {"a single value", "a list", "a map"};
    if (s->key)
        orr__source_fail(t->from, t->line, t->col, t->why,
                         "\"%.*s\" cannot be in %s", (int)s->length, s->key,
                         names[n->kind]);
    else
        orr__source_fail(t->from, t->line, t->col, t->why,
                         "item [%zu] cannot be in %s", s->index,
                         names[n->kind]);
    if (s->key && n->kind == ORR_YAML_LIST)
        orr__hint(t->why,
                  "its items are [0], [1] and so on, as in jobs[0].ranks=4");
    else
        orr__hint(t->why, "set what holds it as a whole, like a={b: c}");
    return set_failed(t, ORR_ECONFIG);
}

/* What the path leads to, made if it is not there; NULL: t->err says why.
 * *parent: what holds it. */
static struct orr_yaml **find_slot(struct setter *t, const char *at,
                                   const char *end, struct orr_yaml **parent)
{
    struct orr_yaml **slot = &t->c->root;
    *parent = NULL;
    for (bool first = true; at < end && slot; first = false) {
        struct step s = {.key = NULL};
        next_step(&at, end, first, &s);
        *parent = *slot;
        slot = enter_step(t, *slot, &s);
    }
    return slot;
}

static orr_err put_value(struct setter *t, const char *at, const char *end,
                         struct orr_yaml *value)
{
    struct orr_yaml *parent, **slot = find_slot(t, at, end, &parent);
    if (slot == NULL)
        return t->err;
    *slot = value;
    return ORR_OK;
}

/* A source with the value as its text. */
static struct orr_source *set_source(struct orr_config *c,
                                     const char *assignment, size_t path,
                                     const char *name)
{
    struct orr_source *from = orr__arena_alloc(&c->arena, 1, sizeof *from);
    char *text = orr__arena_strdup(&c->arena, assignment);
    if (from == NULL || text == NULL)
        return NULL;
    from->name = orr__arena_strdup(&c->arena, name);
    if (from->name == NULL)
        return NULL;
    from->text = text + path + (text[path] == '=');
    from->length = strlen(from->text);
    return from;
}

static bool is_utf8(const char *s, size_t n)
{
    uint32_t point;
    for (size_t len; n > 0; s += len, n -= len)
        if ((len = orr__utf8_length(s, n, &point)) == 0 || point < 32)
            return false;
    return true;
}

orr_err orr__config_set(struct orr_config *c, const char *assignment,
                        struct orr_report *why)
{
    char *name =
        orr__format("--set %.*s", (int)strcspn(assignment, "="), assignment);
    orr_err err = name ? orr__config_set_named(c, assignment, name, why)
                       : orr__no_memory(why);
    orr__free(name);
    return err;
}

orr_err orr__config_set_named(struct orr_config *c, const char *assignment,
                              const char *name, struct orr_report *why)
{
    size_t path = strcspn(assignment, "=");
    struct orr_source *from = set_source(c, assignment, path, name);
    if (from == NULL)
        return orr__no_memory(why);
    size_t steps = count_steps(assignment, assignment + path);
    if (assignment[path] != '=' || !is_utf8(assignment, path) || steps == 0) {
        orr__source_fail(from, 0, 0, why, "not an assignment to a key");
        orr__hint(why, "write --set network.mtu=1500B or "
                       "--set jobs[0].iterations=3");
        return ORR_ECONFIG;
    }
    struct orr_yaml *value;
    orr_err err = orr__yaml_parse(&c->arena, from, &value, why);
    if (!err && value == NULL)
        value = orr__yaml_scalar(&c->arena, "", 0, true, from);
    if (!err && value == NULL)
        err = orr__no_memory(why);
    if (!err && steps + value->height > ORR_YAML_DEPTH)
        err = orr__source_fail(from, 0, 0, why, "nested deeper than 64 levels");
    struct setter t = {.c = c, .from = from, .why = why};
    return err ? err : put_value(&t, assignment, assignment + path, value);
}

/* ---- laying over ---- */

/* Lays a value over another one: maps of one kind key by key, all else in the
 * place of what was there. */
static orr_err lay_over(struct setter *t, struct orr_yaml **slot,
                        const struct orr_yaml *value)
{
    struct orr_arena *arena = &t->c->arena;
    if (!orr__yaml_alike(*slot, value)) {
        *slot = orr__yaml_copy(arena, value);
        return *slot ? ORR_OK : orr__no_memory(t->why);
    }
    struct orr_yaml *map = *slot;
    for (size_t i = 0; i < value->n; i++) {
        ptrdiff_t have = orr__yaml_find(map, value->items[2 * i]->text);
        struct orr_yaml **into =
            have < 0 ? add_slot(t, map) : &map->items[2 * have + 1];
        if (into == NULL)
            return t->err;
        if (have < 0)
            into[-1] = orr__yaml_copy(arena, value->items[2 * i]);
        if (into[-1] == NULL)
            return orr__no_memory(t->why);
        orr_err err = lay_over(t, into, value->items[2 * i + 1]);
        if (err)
            return err;
    }
    return ORR_OK;
}

/* Does `kind` of this map become another one, or is there none so far? Then
 * what stands beside it may be others'. */
static void mark_stale(struct orr_yaml *map, struct orr_yaml **slot,
                       const struct orr_yaml *value)
{
    if (map->kind != ORR_YAML_MAP || strcmp(slot[-1]->text, "kind") != 0
        || (*slot)->kind != ORR_YAML_SCALAR || value->kind != ORR_YAML_SCALAR
        || strcmp((*slot)->text, value->text) == 0)
        return;
    for (size_t i = 0; i < map->n; i++)
        map->items[2 * i]->stale = true;
}

orr_err orr__config_lay(struct orr_config *c, const char *path,
                        const struct orr_yaml *at, const struct orr_yaml *value,
                        struct orr_report *why)
{
    const char *end = path + strlen(path);
    size_t steps = count_steps(path, end);
    struct setter t = {
        .c = c, .from = at->from, .line = at->line, .col = at->col, .why = why};
    if (steps == 0 || steps + value->height > ORR_YAML_DEPTH) {
        orr__source_fail(at->from, at->line, at->col, why, "\"%s\" %s", path,
                         steps ? "leads deeper than 64 levels"
                               : "is no path to a key");
        orr__hint(why, "for example network.mtu or jobs[0].iterations");
        return ORR_ECONFIG;
    }
    struct orr_yaml *parent, **slot = find_slot(&t, path, end, &parent);
    if (slot == NULL)
        return t.err;
    ORR_ASSERT(parent != NULL); /* there is a step */
    if (parent->kind == ORR_YAML_MAP)
        mark_stale(parent, slot, value);
    return lay_over(&t, slot, value);
}

/* ---- defaults ---- */

struct orr_default *orr__yaml_find_default(const struct orr_yaml *map,
                                           const char *key)
{
    struct orr_default *d = map->defaults;
    while (d && strcmp(d->key, key) != 0)
        d = d->next;
    return d;
}

orr_err orr__config_add_default(struct orr_config *c,
                                const struct orr_yaml *map, const char *key,
                                struct orr_yaml *value, struct orr_report *why)
{
    /* The document is ours; readers only promise not to change it. */
    struct orr_yaml *n = (struct orr_yaml *)map;
    struct orr_default *d = orr__yaml_find_default(n, key);
    struct orr_default **end = &n->defaults;
    if (d) {
        d->value = value;
        return ORR_OK;
    }
    d = orr__arena_alloc(&c->arena, 1, sizeof *d);
    const char *name = orr__arena_strdup(&c->arena, key);
    if (d == NULL || name == NULL)
        return orr__no_memory(why);
    *d = (struct orr_default){NULL, name, value};
    while (*end)
        end = &(*end)->next;
    *end = d;
    return ORR_OK;
}

/* The map that step s of map n leads to, made when nothing is there; *out is
 * NULL when what is there is no map. */
static orr_err default_step(struct orr_config *c, struct orr_yaml *n,
                            const struct step *s, struct orr_yaml **out,
                            struct orr_report *why)
{
    *out = NULL;
    if (s->key == NULL) {
        if (n->kind == ORR_YAML_LIST && s->index < n->n)
            *out = n->items[s->index];
        return ORR_OK;
    }
    if (n->kind != ORR_YAML_MAP)
        return ORR_OK;
    struct orr_yaml *key =
        orr__yaml_scalar(&c->arena, s->key, s->length, true, &c->made);
    if (key == NULL)
        return orr__no_memory(why);
    const struct orr_yaml *given = orr__yaml_get(n, key->text);
    if (given) {
        if (orr__yaml_is_null(given))
            orr__yaml_become_map(given);
        *out = (struct orr_yaml *)given;
        return ORR_OK;
    }
    struct orr_default *d = orr__yaml_find_default(n, key->text);
    *out = d ? d->value : orr__yaml_new(&c->arena, ORR_YAML_MAP, &c->made);
    if (*out == NULL)
        return orr__no_memory(why);
    return d ? ORR_OK : orr__config_add_default(c, n, key->text, *out, why);
}

orr_err orr__config_default_map(struct orr_config *c, const char *path,
                                struct orr_yaml **out, struct orr_report *why)
{
    struct orr_yaml *n = c->root;
    const char *at = path, *end = path + strlen(path);
    bool first = true;
    while (n && at < end) {
        struct step s;
        if (!next_step(&at, end, first, &s)) {
            n = NULL;
            break;
        }
        orr_err err = default_step(c, n, &s, &n, why);
        if (err)
            return err;
        first = false;
    }
    *out = n && n->kind == ORR_YAML_MAP ? n : NULL;
    return ORR_OK;
}

void orr__yaml_become_map(const struct orr_yaml *null)
{
    struct orr_yaml *n = (struct orr_yaml *)null;
    n->kind = ORR_YAML_MAP;
    n->items = NULL;
    n->n = 0;
}
