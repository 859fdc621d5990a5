/* Notes on a configuration that are no errors: keys that have no
 * effect, and remarks of those who read it. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/config/config.h"
#include "core/config/yaml.h"
#include "core/memory.h"
#include "core/text.h"

/* ---- keeping ------------------------------------------------------------ */

static struct orr_remark *add_remark(struct orr_config *c)
{
    struct orr_remark *r = orr__arena_alloc(&c->arena, 1, sizeof *r);
    if (r == NULL)
        return NULL;
    *(c->remarks ? c->last_remark : &c->remarks) = r;
    c->last_remark = &r->next;
    return r;
}

orr_err orr__yaml_remark(struct orr_config *c, const struct orr_yaml *n,
                         struct orr_report *why, const char *fmt, ...)
{
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    struct orr_remark *r = add_remark(c);
    char *copy = orr__arena_strdup(&c->arena, text);
    if (r == NULL || copy == NULL)
        return orr__no_memory(why);
    /* The document is ours; readers only promise not to change it. */
    r->key = (struct orr_yaml *)n;
    r->path = copy;
    return ORR_OK;
}

/* Did the user write this key? What a preset completes a map by, nobody did. */
static struct orr_yaml *written(const struct orr_yaml *map, const char *key,
                                struct orr_yaml **value)
{
    ptrdiff_t i = orr__yaml_is_map(map) ? orr__yaml_find(map, key) : -1;
    if (i < 0)
        return NULL;
    *value = map->items[2 * i + 1];
    return (*value)->from->ours ? NULL : map->items[2 * i];
}

/* The struct that a table fills, as it is now: what follows from it may be put
 * there later, and it may be gone by then. */
static void *copy_set(struct orr_config *c, const struct orr_param_set *set)
{
    size_t size = 0;
    for (const struct orr_param *p = set->table; p->key; p++)
        if (size < p->offset + orr__param_size(p->type))
            size = p->offset + orr__param_size(p->type);
    void *copy = orr__arena_alloc(&c->arena, size, 1);
    return copy ? memcpy(copy, set->into, size) : NULL;
}

static char *join_key(struct orr_config *c, const char *what, const char *key)
{
    size_t size = strlen(what) + strlen(key) + 2;
    char *path = orr__arena_alloc(&c->arena, size, 1);
    if (path)
        snprintf(path, size, "%s%s%s", what, what[0] ? "." : "", key);
    return path;
}

orr_err orr__remark_keys(struct orr_config *c, const struct orr_yaml *map,
                         const char *what, const struct orr_param_set *set,
                         struct orr_report *why)
{
    void *copy = NULL;
    for (const struct orr_param *p = set->table; map && set->around && p->key;
         p++) {
        struct orr_yaml *value,
            *key = p->idle ? written(map, p->key, &value) : NULL;
        if (key == NULL)
            continue;
        copy = copy ? copy : copy_set(c, set);
        char *path = join_key(c, what, p->key);
        struct orr_remark *r = add_remark(c);
        if (copy == NULL || path == NULL || r == NULL)
            return orr__no_memory(why);
        r->key = key;
        r->value = value;
        r->path = path;
        r->idle = p->idle;
        r->set = copy;
        r->around = set->around;
    }
    return ORR_OK;
}

/* ---- telling ------------------------------------------------------------ */

/* The note on it covers what stands below. */
static void pass_over(struct orr_yaml *key, struct orr_yaml *value)
{
    if (key)
        key->passed = true;
    for (size_t i = 0; value->kind != ORR_YAML_SCALAR && i < value->n; i++)
        if (value->kind == ORR_YAML_MAP)
            pass_over(value->items[2 * i], value->items[2 * i + 1]);
        else
            pass_over(NULL, value->items[i]);
}

/* A key that was set by path stands nowhere; its value does. */
static char *place_of(const struct orr_config *c, const struct orr_remark *r)
{
    const struct orr_yaml *n = r->key ? r->key : c->root;
    if (n->line == 0 && r->value)
        n = r->value;
    return orr__format("%s:%d:%d", n->from->name, n->line ? n->line : 1,
                       n->line ? n->col : 1);
}

static const char *idle_of(const struct orr_remark *r)
{
    return r->idle ? r->idle(r->set, r->around) : NULL;
}

/* A map that is read more than once, as one that many jobs are made of, has an
 * effect if it has one for any. */
static void find_acting(const struct orr_config *c)
{
    for (const struct orr_remark *r = c->remarks; r; r = r->next)
        if (r->idle)
            r->key->acts = r->key->passed = false;
    for (const struct orr_remark *r = c->remarks; r; r = r->next)
        if (r->idle && idle_of(r) == NULL)
            r->key->acts = true;
}

/* The same about the same place, as of a map that is read more than once. */
static bool was_reported(const struct orr_config *c, const struct orr_remark *r)
{
    const struct orr_remark *q = c->remarks;
    while (q != r
           && !(q->idle == NULL && q->key == r->key
                && strcmp(q->path, r->path) == 0))
        q = q->next;
    return q != r;
}

/* NULL: no memory. */
static char *text_of(const struct orr_remark *r, const char *place)
{
    return r->idle ? orr__format("%s: %s has no effect: %s", place, r->path,
                                 idle_of(r))
                   : orr__format("%s: %s", place, r->path);
}

/* Tells of one remark, once: a key without effect is then marked as passed,
 * and is not told if it acts elsewhere. ORR_ENOMEM: no memory for its text. */
static orr_err tell_one(const struct orr_config *c, const struct orr_remark *r,
                        void (*tell)(void *arg, const struct orr_remarked *t),
                        void *arg)
{
    bool acts = r->idle && r->key->acts;
    char *place = place_of(c, r);
    char *text = place && !acts ? text_of(r, place) : NULL;
    const struct orr_remarked remark = {place, text, r->idle != NULL};
    orr_err err = place && (text || acts) ? ORR_OK : ORR_ENOMEM;
    if (!err)
        tell(arg, &remark);
    if (r->idle)
        pass_over(r->key, acts ? r->key : r->value);
    orr__free(text);
    orr__free(place);
    return err;
}

orr_err orr__config_remarks(const struct orr_config *c,
                            void (*tell)(void *arg,
                                         const struct orr_remarked *t),
                            void *arg)
{
    orr_err err = ORR_OK;
    if (c->effective)
        return ORR_OK;
    find_acting(c);
    for (const struct orr_remark *r = c->remarks; r && !err; r = r->next)
        if (!(r->idle ? r->key->passed : was_reported(c, r)))
            err = tell_one(c, r, tell, arg);
    return err;
}
