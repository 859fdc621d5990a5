/* What a preset says and the user left out, and what a short key stands for. */
#include <assert.h>
#include <string.h>

#include "core/config/yaml.h"

/* Adds a pair to a map. The arrays are in the arena, so the old one stays
 * there until the document goes. */
static orr_err append(struct orr_config *c, struct orr_yaml *map,
                      struct orr_yaml *key, struct orr_yaml *value,
                      struct orr_report *why)
{
    struct orr_yaml **items =
        orr__arena_alloc(&c->arena, 2 * map->n + 2, sizeof *items);

    if (!items)
        return orr__no_memory(why);
    if (map->items)
        memcpy(items, map->items, 2 * map->n * sizeof *items);
    items[2 * map->n] = key;
    items[2 * map->n + 1] = value;
    map->items = items;
    map->n++;
    return ORR_OK;
}

/* Both are maps; no deeper than the preset is. */
static orr_err fill_map(struct orr_config *c, struct orr_yaml *map,
                        const struct orr_yaml *more, struct orr_report *why)
{
    orr_err err = ORR_OK;

    for (size_t i = 0; i < more->n && err == ORR_OK; i++) {
        struct orr_yaml *key = more->items[2 * i];
        struct orr_yaml *value = more->items[2 * i + 1];
        ptrdiff_t at = orr__yaml_find(map, key->text);
        struct orr_yaml **given = at < 0 ? NULL : &map->items[2 * at + 1];

        if (!given)
            err = append(c, map, key, value, why);
        else if (orr__yaml_is_null(*given))
            *given = value;
        else if (orr__yaml_alike(*given, value))
            err = fill_map(c, *given, value, why);
    }
    return err;
}

/* *more: the map that `text` is. */
static orr_err parse_preset(struct orr_config *c, const char *name,
                            const char *text, struct orr_yaml **more,
                            struct orr_report *why)
{
    struct orr_source *from = orr__arena_alloc(&c->arena, 1, sizeof *from);

    if (!from)
        return orr__no_memory(why);
    name = orr__arena_strdup(&c->arena, name);
    if (!name)
        return orr__no_memory(why);
    *from = (struct orr_source){name, text, strlen(text), true};
    return orr__yaml_parse(&c->arena, from, more, why);
}

orr_err orr__config_fill(struct orr_config *c, const struct orr_yaml *map,
                         const char *name, const char *text,
                         struct orr_report *why)
{
    struct orr_yaml *more;
    orr_err err = parse_preset(c, name, text, &more, why);

    if (err != ORR_OK)
        return err;
    /* The document is ours; readers only promise not to change it. */
    return fill_map(c, (struct orr_yaml *)map, more, why);
}

/* All that was made stands there. */
static void move_to(struct orr_yaml *n, const struct orr_yaml *place)
{
    n->from = place->from;
    n->line = place->line;
    n->col = place->col;
    if (n->kind == ORR_YAML_SCALAR)
        return;
    for (size_t i = 0; i < (n->kind == ORR_YAML_MAP ? 2 * n->n : n->n); i++)
        move_to(n->items[i], place);
}

orr_err orr__config_replace(struct orr_config *c, const struct orr_yaml *map,
                            const char *key, const char *text,
                            struct orr_report *why)
{
    struct orr_source *from = orr__arena_alloc(&c->arena, 1, sizeof *from);
    const char *copy = orr__arena_strdup(&c->arena, text);
    ptrdiff_t at = orr__yaml_find(map, key);
    const struct orr_yaml *place;
    struct orr_yaml *more;
    orr_err err;

    assert(at >= 0);
    place = map->items[2 * at + 1];
    if (!from || !copy)
        return orr__no_memory(why);
    *from = (struct orr_source){key, copy, strlen(copy), true};
    err = orr__yaml_parse(&c->arena, from, &more, why);
    if (err != ORR_OK)
        return err;
    move_to(more, place);
    orr__yaml_drop((struct orr_yaml *)map, (size_t)at);
    return fill_map(c, (struct orr_yaml *)map, more, why);
}

orr_err orr__config_fill_part(struct orr_config *c, const struct orr_yaml *map,
                              const char *name, const char *text,
                              const char *part, const char *within,
                              struct orr_report *why)
{
    struct orr_yaml *more;
    const struct orr_yaml *there;
    orr_err err = parse_preset(c, name, text, &more, why);

    if (err != ORR_OK)
        return err;
    there = orr__yaml_get(more, part);
    if (within)
        there = orr__yaml_get(there, within);
    return there ? fill_map(c, (struct orr_yaml *)map, there, why) : ORR_OK;
}

orr_err orr__config_expand_member(struct orr_config *c,
                                  const struct orr_yaml *member,
                                  struct orr_report *why)
{
    struct orr_yaml *n = (struct orr_yaml *)member, *map, *name;
    orr_err err;

    if (!orr__yaml_is_scalar(n) || orr__yaml_is_null(n))
        return ORR_OK;
    name = orr__arena_alloc(&c->arena, 1, sizeof *name);
    if (!name)
        return orr__no_memory(why);
    err = parse_preset(c, n->from->name, "kind: member", &map, why);
    if (err != ORR_OK)
        return err;
    *name = *n;
    map->items[1] = name;
    n->kind = ORR_YAML_MAP;
    n->items = map->items;
    n->n = 1;
    n->height = 1;
    return ORR_OK;
}
