/* A case that fails is made smaller as long as it fails alike: a configuration
 * by taking away keys and items and by simpler values, anything else by taking
 * away stretches of bytes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/attack/guard.h"

struct shrinker {
    struct attack_case *best;
    const struct finding *f;
    json_t *tree; /* of *best, if it is a configuration */
    char *head;   /* lines of comment before it */
    unsigned tries;
    time_t end;
};

enum { MOST_TRIES = 4000, MOST_SECONDS = 60 };

static bool is_over(const struct shrinker *s)
{
    return s->tries >= MOST_TRIES || time(NULL) > s->end;
}

/* Whether these bytes fail in the same way; they are kept if so. */
static bool keep(struct shrinker *s, char *bytes, size_t size)
{
    struct attack_case c = {.bytes = bytes, .size = size};
    struct finding f = {{0}, {0}};

    s->tries++;
    memcpy(c.door, s->best->door, sizeof c.door);
    orr__guard_case(&c, NULL, &f);
    if (strcmp(f.kind, s->f->kind)) {
        free(bytes);
        return false;
    }
    free(s->best->bytes);
    s->best->bytes = bytes;
    s->best->size = size;
    return true;
}

/* ---- configurations ------------------------------------------------------ */

static bool keep_tree(struct shrinker *s)
{
    char *yaml = orr__yaml_of(s->tree), *text;
    size_t size;

    if (is_over(s)) {
        free(yaml);
        return false;
    }
    size = strlen(yaml) + strlen(s->head);
    text = malloc(size + 1);
    sprintf(text, "%s%s", s->head, yaml);
    free(yaml);
    return keep(s, text, size);
}

static bool smaller(struct shrinker *s, json_t *node);

/* A number before a unit becomes a smaller one. */
static bool smaller_text(struct shrinker *s, json_t *node)
{
    const char *old = json_string_value(node);
    char *kept = strdup(old), *unit, text[128];
    unsigned long long v = strtoull(old, &unit, 10);
    const unsigned long long next[] = {1, v / 10, v / 2, v - 1};
    bool better = false;

    if (unit == old || strlen(unit) > 8 || v == 0 || *old == '-'
        || *old == '+') {
        free(kept);
        return false;
    }
    unit = kept + (unit - old);
    for (size_t i = 0; i < sizeof next / sizeof *next && !better; i++) {
        if (next[i] >= v || (i == 3 && v > 20))
            continue;
        snprintf(text, sizeof text, "%llu%s", next[i], unit);
        json_string_set(node, text);
        better = keep_tree(s);
    }
    if (!better)
        json_string_set(node, kept);
    free(kept);
    return better;
}

/* Keys keep their order: `kind` comes first. */
static bool smaller_map(struct shrinker *s, json_t *map)
{
    json_t *all = json_copy(map), *value;
    const char *key;
    bool better = false;

    json_object_foreach(all, key, value)
    {
        json_t *before = json_copy(map);

        json_object_del(map, key);
        if (keep_tree(s)) {
            better = true;
        } else {
            json_object_clear(map);
            json_object_update(map, before);
            better |= smaller(s, value);
        }
        json_decref(before);
    }
    json_decref(all);
    return better;
}

static bool smaller_list(struct shrinker *s, json_t *list)
{
    bool better = false;

    for (size_t i = json_array_size(list); i-- > 0;) {
        json_t *item = json_incref(json_array_get(list, i));

        json_array_remove(list, i);
        if (keep_tree(s)) {
            better = true;
        } else {
            json_array_insert(list, i, item);
            better |= smaller(s, item);
        }
        json_decref(item);
    }
    return better;
}

static bool smaller(struct shrinker *s, json_t *node)
{
    if (is_over(s))
        return false;
    if (json_is_object(node))
        return smaller_map(s, node);
    if (json_is_array(node))
        return smaller_list(s, node);
    return json_is_string(node) && smaller_text(s, node);
}

/* ---- bytes --------------------------------------------------------------- */

static bool without(struct shrinker *s, size_t from, size_t n)
{
    size_t size = s->best->size - n;
    char *bytes = malloc(size + 1);

    memcpy(bytes, s->best->bytes, from);
    memcpy(bytes + from, s->best->bytes + from + n, size - from);
    bytes[size] = '\0';
    return keep(s, bytes, size);
}

static void shrink_bytes(struct shrinker *s)
{
    for (size_t n = s->best->size / 2; n > 0; n /= 2)
        for (size_t from = 0; from + n <= s->best->size && !is_over(s);)
            if (!without(s, from, n))
                from += n;
}

/* The comment at the head of a configuration says how it is tried. */
static size_t length_of_head(const char *text)
{
    const char *at = text;

    while (*at == '#' && strchr(at, '\n'))
        at = strchr(at, '\n') + 1;
    return (size_t)(at - text);
}

void orr__shrink(struct attack_case *c, const struct finding *f)
{
    struct shrinker s = {.best = c, .f = f, .end = time(NULL) + MOST_SECONDS};

    if (!strcmp(c->door, "yaml") || !strcmp(c->door, "starve")
        || !strcmp(c->door, "relation")) {
        s.head = strndup(c->bytes, length_of_head(c->bytes));
        s.tree = orr__tree_of(c->bytes);
    }
    if (s.tree && keep_tree(&s))
        while (smaller(&s, s.tree) && !is_over(&s))
            ;
    else
        shrink_bytes(&s);
    json_decref(s.tree);
    free(s.head);
}
