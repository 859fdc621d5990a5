/* Documents made of others: copies, and values that come from elsewhere. */
#include <string.h>

#include "core/config/config.h"
#include "core/config/yaml.h"

struct orr_yaml *orr__yaml_copy(struct orr_arena *arena,
                                const struct orr_yaml *n)
{
    size_t items = n->kind == ORR_YAML_SCALAR ? 0
                   : n->kind == ORR_YAML_MAP  ? 2 * n->n
                                              : n->n;
    struct orr_yaml *copy = orr__arena_alloc(arena, 1, sizeof *copy);
    if (copy == NULL)
        return NULL;
    *copy = *n;
    copy->defaults = NULL;
    if (n->kind == ORR_YAML_SCALAR)
        return copy;
    copy->items = orr__arena_alloc(arena, items, sizeof *copy->items);
    for (size_t i = 0; copy->items && i < items; i++) {
        copy->items[i] = orr__yaml_copy(arena, n->items[i]);
        if (copy->items[i] == NULL)
            return NULL;
    }
    return copy->items ? copy : NULL;
}

static const char *kind_of(const struct orr_yaml *map)
{
    const struct orr_yaml *kind = orr__yaml_get(map, "kind");
    return orr__yaml_is_scalar(kind) ? kind->text : NULL;
}

bool orr__yaml_alike(const struct orr_yaml *a, const struct orr_yaml *b)
{
    if (a->kind != ORR_YAML_MAP || b->kind != ORR_YAML_MAP)
        return false;
    const char *one = kind_of(a), *other = kind_of(b);
    return one == NULL || other == NULL || strcmp(one, other) == 0;
}

void orr__yaml_drop(struct orr_yaml *map, size_t i)
{
    memmove(&map->items[2 * i], &map->items[2 * i + 2],
            2 * (map->n - i - 1) * sizeof *map->items);
    map->n--;
}

orr_err orr__config_copy(const struct orr_config *from, const char *without,
                         struct orr_config **out, struct orr_report *why)
{
    struct orr_config *c = orr__alloc(1, sizeof *c);
    if (c == NULL)
        return orr__no_memory(why);
    c->file = from->file;
    c->made = (struct orr_source){from->file.name, "", 0, true};
    c->folder = from->folder;
    c->effective = from->effective;
    c->root = orr__yaml_copy(&c->arena, from->root);
    if (c->root == NULL) {
        orr__config_free(c);
        return orr__no_memory(why);
    }
    ptrdiff_t i = without ? orr__yaml_find(c->root, without) : -1;
    if (i >= 0)
        orr__yaml_drop(c->root, (size_t)i);
    *out = c;
    return ORR_OK;
}

const struct orr_yaml *orr__yaml_pick(struct orr_config *c,
                                      const struct orr_yaml *map,
                                      const char *const *keys, bool among)
{
    struct orr_yaml *part = orr__arena_alloc(&c->arena, 1, sizeof *part);
    if (part == NULL)
        return NULL;
    *part = *map;
    part->defaults = NULL;
    part->n = 0;
    part->items = orr__arena_alloc(&c->arena, 2 * map->n, sizeof *part->items);
    if (part->items == NULL)
        return NULL;
    for (size_t i = 0; i < map->n; i++) {
        const struct orr_yaml *key = map->items[2 * i];
        size_t k = 0;
        while (keys[k] && strcmp(keys[k], key->text) != 0)
            k++;
        if ((keys[k] != NULL) != among)
            continue;
        part->items[2 * part->n] = map->items[2 * i];
        part->items[2 * part->n + 1] = map->items[2 * i + 1];
        part->n++;
    }
    return part;
}

orr_err orr__config_value(struct orr_config *c, const char *name,
                          const char *key, const char *text,
                          const struct orr_yaml **key_node,
                          const struct orr_yaml **value, struct orr_report *why)
{
    struct orr_source *from = orr__arena_alloc(&c->arena, 1, sizeof *from);
    struct orr_yaml *made = NULL;
    if (from == NULL)
        return orr__no_memory(why);
    from->name = orr__arena_strdup(&c->arena, name);
    from->text = orr__arena_strdup(&c->arena, text);
    if (from->name == NULL || from->text == NULL)
        return orr__no_memory(why);
    from->length = strlen(text);
    orr_err err = orr__yaml_parse(&c->arena, from, &made, why);
    if (err)
        return err;
    if (made == NULL)
        made = orr__yaml_scalar(&c->arena, "", 0, true, from);
    *key_node = orr__yaml_scalar(&c->arena, key, strlen(key), false, from);
    *value = made;
    return made && *key_node ? ORR_OK : orr__no_memory(why);
}

orr_err orr__config_set_folder(struct orr_config *c, const char *folder,
                               struct orr_report *why)
{
    char *copy = orr__arena_strdup(&c->arena, folder);
    if (copy == NULL)
        return orr__no_memory(why);
    c->folder = copy;
    return ORR_OK;
}
