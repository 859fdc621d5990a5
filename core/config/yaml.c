/* YAML text to tree. libfyaml scans and parses; its events become our nodes
 * here, because a tree of ours costs a third of the memory, finds the i-th item
 * at once, knows the place of every value, and can be told where it ends. */
#include "core/config/yaml.h"

#include <assert.h>
#include <errno.h>
#include <libfyaml.h>
#include <stdio.h>
#include <string.h>

#include "core/array.h"

/* A map this large is no configuration; and keys are compared in pairs. */
enum { MAX_KEYS = 1024 };
/* Aliases are copied. A few nested ones could ask for more than any memory. */
enum { MAX_COPIES = 1 << 20 };
/* What libfyaml takes before it reads: much less. */
enum { FYAML_SPARE = 1 << 20 };

/* An anchor of the text; the latest one of a name counts, so they are a stack.
 */
struct anchor {
    struct anchor *next;
    const char *name;
    struct orr_yaml *node;
    bool open; /* its node is still being read */
};

/* A collection being read: its items so far are pending[first ..]. */
struct frame {
    struct orr_yaml *node;
    struct anchor *anchor;
    size_t first;
};

/* What libfyaml's events are made into: `stack` are the open lists and maps,
 * `pending` the items read so far of all of them; only `pending` is on the
 * heap. */
struct builder {
    struct orr_arena *arena;
    const struct orr_source *from;
    struct orr_report *why;
    struct frame stack[ORR_YAML_DEPTH];
    int depth;
    struct orr_yaml **pending;
    size_t n_pending, room;
    struct orr_yaml *root;
    struct anchor *anchors;
    size_t copies;
    int documents;
};

/* ---- characters ---- */

/* Length of the line break at s, or 0. */
static size_t line_break(const char *s, size_t n)
{
    if (n > 1 && s[0] == '\r' && s[1] == '\n')
        return 2;
    return n > 0 && (s[0] == '\n' || s[0] == '\r');
}

/* What is no text at all gets one plain sentence before libfyaml sees it. */
static orr_err check_text(const struct orr_source *from, struct orr_report *why)
{
    int line = 1, col = 1;
    for (size_t i = 0; i < from->length;) {
        const char *at = from->text + i;
        size_t left = from->length - i, skip = line_break(at, left);
        uint32_t point = 0;
        if (skip) {
            line++;
            col = 1;
            i += skip;
            continue;
        }
        skip = orr__utf8_length(at, left, &point);
        if (skip == 0) {
            orr_err err = orr__source_fail(from, line, col, why,
                                           "this is not UTF-8 text: byte "
                                           "0x%02x",
                                           (unsigned char)*at);
            if (i == 0 && left >= 4 && memcmp(at, "\x89HDF", 4) == 0)
                orr__hint(why, "an HDF5 record; the configuration that made "
                               "it is expected here (`orrery report` and "
                               "`orrery plot` read records)");
            return err;
        }
        if ((point < 32 && point != '\t') || point == 127)
            return orr__source_fail(from, line, col, why,
                                    "this is not text: control character "
                                    "0x%02x",
                                    (unsigned)point);
        i += skip;
        col++;
    }
    return ORR_OK;
}

orr_err orr__source_fail(const struct orr_source *from, int line, int col,
                         struct orr_report *why, const char *fmt, ...)
{
    char text[sizeof why->message];
    if (why == NULL || why->code != ORR_OK)
        return ORR_ECONFIG;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    orr__fail_at(why, ORR_ECONFIG, from->name, line, col, "%s", text);
    if (line < 1)
        return ORR_ECONFIG;
    const char *at = from->text, *end = from->text + from->length;
    for (int i = 1; i < line && at < end; at++) {
        size_t skip = line_break(at, (size_t)(end - at));
        i += skip > 0;
        at += skip == 2;
    }
    const char *stop = at;
    while (stop < end && line_break(stop, 1) == 0)
        stop++;
    orr__excerpt(why, at, (size_t)(stop - at));
    return ORR_ECONFIG;
}

/* ---- nodes ---- */

static uint32_t hash_text(const char *text)
{
    uint32_t h = 2166136261u; /* FNV-1a */
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 16777619u;
    return h;
}

struct orr_yaml *orr__yaml_new(struct orr_arena *arena, enum orr_yaml_kind kind,
                               const struct orr_source *from)
{
    struct orr_yaml *node = orr__arena_alloc(arena, 1, sizeof *node);
    if (node == NULL)
        return NULL;
    node->kind = (uint8_t)kind;
    node->from = from;
    return node;
}

struct orr_yaml *orr__yaml_scalar(struct orr_arena *arena, const char *text,
                                  size_t length, bool plain,
                                  const struct orr_source *from)
{
    struct orr_yaml *node = orr__yaml_new(arena, ORR_YAML_SCALAR, from);
    char *copy = orr__arena_alloc(arena, length + 1, 1);
    if (node == NULL || copy == NULL)
        return NULL;
    memcpy(copy, text, length);
    node->text = copy;
    node->plain = plain;
    node->hash = hash_text(copy);
    return node;
}

ptrdiff_t orr__yaml_find(const struct orr_yaml *map, const char *key)
{
    uint32_t hash = hash_text(key);
    for (size_t i = 0; i < map->n; i++) {
        const struct orr_yaml *k = map->items[2 * i];
        if (k->hash == hash && strcmp(k->text, key) == 0)
            return (ptrdiff_t)i;
    }
    return -1;
}

bool orr__yaml_null_word(const char *text)
{
    return text[0] == '\0' || strcmp(text, "~") == 0
           || strcmp(text, "null") == 0 || strcmp(text, "Null") == 0
           || strcmp(text, "NULL") == 0;
}

/* A copy that keeps its places: an error in it is an error where it stands. */
static struct orr_yaml *copy_tree(struct builder *b,
                                  const struct orr_yaml *node)
{
    struct orr_yaml *copy = orr__arena_alloc(b->arena, 1, sizeof *copy);
    if (copy == NULL)
        return NULL;
    *copy = *node;
    b->copies++;
    if (node->kind == ORR_YAML_SCALAR)
        return copy;
    size_t n = node->kind == ORR_YAML_MAP ? 2 * node->n : node->n;
    copy->items = orr__arena_alloc(b->arena, n, sizeof *copy->items);
    if (copy->items == NULL)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        copy->items[i] =
            b->copies > MAX_COPIES ? NULL : copy_tree(b, node->items[i]);
        if (copy->items[i] == NULL)
            return NULL;
    }
    return copy;
}

/* ---- building ---- */

static void set_place(struct orr_yaml *node, const struct fy_mark *mark)
{
    if (mark) {
        node->line = mark->line + 1;
        node->col = mark->column + 1;
    }
}

/* before: characters between the place and the mark. libfyaml marks the text
 * of a string and the name of an alias, we mean the quote and the *. */
static orr_err fail_here(struct builder *b, const struct fy_mark *mark,
                         int before, const char *message)
{
    return orr__source_fail(b->from, mark ? mark->line + 1 : 0,
                            mark ? mark->column + 1 - before : 0, b->why, "%s",
                            message);
}

static orr_err make_room(struct builder *b)
{
    return orr__array_more(b->pending, b->room, b->n_pending)
               ? ORR_OK
               : orr__no_memory(b->why);
}

/* Hands a finished node to the collection around it. */
static orr_err give_node(struct builder *b, struct orr_yaml *node)
{
    if (b->depth == 0) {
        b->root = node;
        return ORR_OK;
    }
    orr_err err = make_room(b);
    if (err)
        return err;
    struct frame *around = &b->stack[b->depth - 1];
    size_t before = b->n_pending - around->first;
    bool key = around->node->kind == ORR_YAML_MAP && before % 2 == 0;
    if (key && (node->kind != ORR_YAML_SCALAR || orr__yaml_is_null(node))) {
        const struct orr_yaml *at = node->line ? node : around->node;
        return orr__source_fail(b->from, at->line, at->col, b->why,
                                "a key must be a word");
    }
    if (node->line == 0) {
        /* An empty value has no place of its own: its key's will do, or that of
         * the item before it, or of the list that it is the first of. */
        const struct orr_yaml *near =
            before > 0 ? b->pending[b->n_pending - 1] : around->node;
        node->line = near->line;
        node->col = near->col;
    }
    if (around->node->height <= node->height)
        around->node->height = (uint8_t)(node->height + 1);
    b->pending[b->n_pending++] = node;
    return ORR_OK;
}

static const char *token_text(struct fy_token *token, size_t *length)
{
    *length = 0;
    const char *text = token ? fy_token_get_text(token, length) : "";
    return text ? text : "";
}

/* Enters the node under the anchor's name; no token, no anchor, and *out is
 * NULL then. */
static orr_err add_anchor(struct builder *b, struct fy_token *token,
                          struct orr_yaml *node, bool open, struct anchor **out)
{
    *out = NULL;
    if (token == NULL)
        return ORR_OK;
    size_t length;
    const char *text = token_text(token, &length);
    struct anchor *a = orr__arena_alloc(b->arena, 1, sizeof *a);
    char *name = orr__arena_alloc(b->arena, length + 1, 1);
    if (a == NULL || name == NULL)
        return orr__no_memory(b->why);
    memcpy(name, text, length);
    *a = (struct anchor){b->anchors, name, node, open};
    b->anchors = *out = a;
    return ORR_OK;
}

static bool is_text(const char *s, size_t n)
{
    uint32_t point = 0;
    for (size_t i = 0, len; i < n; i += len) {
        len = orr__utf8_length(s + i, n - i, &point);
        if (len == 0 || point == 0)
            return false;
    }
    return true;
}

/* A scalar becomes a node at its line and column; of a quoted one the place is
 * that of the quote. */
static orr_err on_scalar(struct builder *b, struct fy_event *e)
{
    size_t length;
    struct fy_token *token = e->scalar.value;
    const struct fy_mark *mark = fy_event_start_mark(e);
    const char *text = token_text(token, &length);
    struct anchor *ignored;
    enum fy_scalar_style style = FYSS_PLAIN;
    if (token)
        style = fy_token_scalar_style(token);
    bool plain = style == FYSS_PLAIN;
    int quote = style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED;
    if (!is_text(text, length)) /* escapes can make what is no text */
        return fail_here(b, mark, quote,
                         "this string has a character that "
                         "no configuration needs");
    struct orr_yaml *node =
        orr__yaml_scalar(b->arena, text, length, plain, b->from);
    if (node == NULL)
        return orr__no_memory(b->why);
    set_place(node, mark);
    node->col -= quote;
    orr_err err = add_anchor(b, e->scalar.anchor, node, false, &ignored);
    return err ? err : give_node(b, node);
}

/* Opens a list or map, with room made for the node itself among the pending
 * items. */
static orr_err on_start(struct builder *b, struct fy_event *e,
                        enum orr_yaml_kind kind, struct fy_token *anchor)
{
    const struct fy_mark *mark = fy_event_start_mark(e);
    if (b->depth == ORR_YAML_DEPTH)
        return fail_here(b, mark, 0, "nested deeper than 64 levels");
    struct orr_yaml *node = orr__yaml_new(b->arena, kind, b->from);
    if (node == NULL)
        return orr__no_memory(b->why);
    set_place(node, mark);
    struct frame *f = &b->stack[b->depth];
    orr_err err = add_anchor(b, anchor, node, true, &f->anchor);
    if (!err)
        err = make_room(b); /* so that `pending` is there when it ends */
    if (err)
        return err;
    f->node = node;
    f->first = b->n_pending;
    b->depth++;
    return ORR_OK;
}

static bool is_merge(const struct orr_yaml *key)
{
    return key->plain && strcmp(key->text, "<<") == 0;
}

static orr_err too_many_keys(struct builder *b, const struct orr_yaml *map)
{
    return orr__source_fail(b->from, map->line, map->col, b->why,
                            "a map of more than %d keys", MAX_KEYS);
}

/* Adds the pairs of `from` to map where map has no such key yet. */
static orr_err merge_map(struct builder *b, struct orr_yaml *map,
                         const struct orr_yaml *from)
{
    if (from->kind != ORR_YAML_MAP)
        return orr__source_fail(b->from, from->line, from->col, b->why,
                                "<< takes a map or a list of maps");
    for (size_t i = 0; i < from->n; i++) {
        if (orr__yaml_find(map, from->items[2 * i]->text) >= 0)
            continue;
        if (map->n == MAX_KEYS)
            return too_many_keys(b, map);
        map->items[2 * map->n] = from->items[2 * i];
        map->items[2 * map->n++ + 1] = from->items[2 * i + 1];
    }
    return ORR_OK;
}

static orr_err merge_into(struct builder *b, struct orr_yaml *map,
                          const struct orr_yaml *value)
{
    orr_err err = ORR_OK;
    if (value->kind != ORR_YAML_LIST)
        return merge_map(b, map, value);
    for (size_t i = 0; i < value->n && !err; i++)
        err = merge_map(b, map, value->items[i]);
    return err;
}

/* At most as many pairs as n pairs come to once they are merged. */
static size_t pairs_after_merge(struct orr_yaml **pairs, size_t n)
{
    size_t total = n;
    for (size_t i = 0; i < n && total < MAX_KEYS; i++) {
        const struct orr_yaml *value = pairs[2 * i + 1];
        if (!is_merge(pairs[2 * i]))
            continue;
        if (value->kind == ORR_YAML_MAP)
            total += value->n;
        for (size_t j = 0; value->kind == ORR_YAML_LIST && j < value->n; j++)
            total += value->items[j]->n;
    }
    return total < MAX_KEYS ? total : MAX_KEYS;
}

/* Adds what map itself says; its items have room for that. */
static orr_err own_pairs(struct builder *b, struct orr_yaml *map,
                         struct orr_yaml **pairs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct orr_yaml *key = pairs[2 * i];
        if (is_merge(key))
            continue;
        ptrdiff_t twin = orr__yaml_find(map, key->text);
        if (twin >= 0)
            return orr__source_fail(
                b->from, key->line, key->col, b->why,
                "duplicate key \"%s\": it is already on line %d", key->text,
                map->items[2 * twin]->line);
        map->items[2 * map->n] = pairs[2 * i];
        map->items[2 * map->n++ + 1] = pairs[2 * i + 1];
    }
    return ORR_OK;
}

/* Fills a map from its pending keys and values: its own first, then those that
 * it merges in, which never override its own. */
static orr_err fill_map(struct builder *b, struct orr_yaml *map,
                        struct orr_yaml **pairs, size_t n)
{
    if (n > MAX_KEYS)
        return too_many_keys(b, map);
    map->items = orr__arena_alloc(b->arena, 2 * pairs_after_merge(pairs, n),
                                  sizeof *map->items);
    if (map->items == NULL)
        return orr__no_memory(b->why);
    orr_err err = own_pairs(b, map, pairs, n);
    for (size_t i = 0; i < n && !err; i++)
        if (is_merge(pairs[2 * i]))
            err = merge_into(b, map, pairs[2 * i + 1]);
    return err;
}

/* Closes the innermost list or map: the items pending since it began are its
 * own. */
static orr_err on_end(struct builder *b)
{
    struct frame *f = &b->stack[--b->depth];
    struct orr_yaml *node = f->node;
    size_t n = b->n_pending - f->first;
    assert(b->pending != NULL); /* on_start saw to it */
    struct orr_yaml **pending = b->pending + f->first;
    if (node->kind == ORR_YAML_MAP) {
        orr_err err = fill_map(b, node, pending, n / 2);
        if (err)
            return err;
    } else {
        node->items = orr__arena_alloc(b->arena, n, sizeof *node->items);
        if (node->items == NULL)
            return orr__no_memory(b->why);
        memcpy(node->items, pending, n * sizeof *pending);
        node->n = n;
    }
    b->n_pending = f->first;
    if (f->anchor)
        f->anchor->open = false;
    return give_node(b, node);
}

/* A copy of the anchor's tree, for nodes are never shared: each has its own
 * place and may be changed. Depth and number of copies are limited. */
static orr_err on_alias(struct builder *b, struct fy_event *e)
{
    size_t length;
    const struct fy_mark *mark = fy_event_start_mark(e);
    const char *name = token_text(e->alias.anchor, &length);
    struct anchor *a = b->anchors;
    while (a
           && (strlen(a->name) != length || memcmp(a->name, name, length) != 0))
        a = a->next;
    if (a == NULL)
        return fail_here(b, mark, 1,
                         "no anchor of this name is defined before it");
    if (a->open)
        return fail_here(b, mark, 1, "an anchor cannot contain itself");
    if (b->depth + a->node->height > ORR_YAML_DEPTH)
        return fail_here(b, mark, 1, "nested deeper than 64 levels");
    struct orr_yaml *copy = copy_tree(b, a->node);
    if (copy)
        return give_node(b, copy);
    if (b->copies > MAX_COPIES)
        return fail_here(b, mark, 1,
                         "aliases expand to more than a million "
                         "values");
    return orr__no_memory(b->why);
}

static struct fy_token *tag_of(struct fy_event *e)
{
    switch (e->type) {
    case FYET_SCALAR: return e->scalar.tag;
    case FYET_MAPPING_START: return e->mapping_start.tag;
    case FYET_SEQUENCE_START: return e->sequence_start.tag;
    default: return NULL;
    }
}

/* One event of libfyaml. Tags and second documents are refused; events without
 * meaning here are passed over. */
static orr_err on_event(struct builder *b, struct fy_event *e)
{
    struct fy_token *tag = tag_of(e);
    if (tag)
        return fail_here(b, fy_token_start_mark(tag), 0,
                         "tags (!...) have no meaning in a configuration");
    switch (e->type) {
    case FYET_DOCUMENT_START:
        if (b->documents++ == 0)
            return ORR_OK;
        return fail_here(b, fy_event_start_mark(e), 0,
                         "a second document: a configuration is one");
    case FYET_SCALAR: return on_scalar(b, e);
    case FYET_MAPPING_START:
        return on_start(b, e, ORR_YAML_MAP, e->mapping_start.anchor);
    case FYET_SEQUENCE_START:
        return on_start(b, e, ORR_YAML_LIST, e->sequence_start.anchor);
    case FYET_MAPPING_END:
    case FYET_SEQUENCE_END: return on_end(b);
    case FYET_ALIAS: return on_alias(b, e);
    default: return ORR_OK;
    }
}

/* ---- libfyaml ---- */

/* Errors are collected; whatever else libfyaml has to say goes nowhere. */
static void say_nothing(struct fy_diag *diag, void *user, const char *buf,
                        size_t length)
{
}

/* Collects libfyaml's errors and prints none. The caller owns it; NULL: no
 * memory. */
static struct fy_diag *silent_diag(void)
{
    struct fy_diag_cfg cfg;
    fy_diag_cfg_default(&cfg);
    cfg.fp = NULL;
    cfg.output_fn = say_nothing;
    cfg.colorize = false;
    struct fy_diag *diag = fy_diag_create(&cfg);
    if (diag)
        fy_diag_set_collect_errors(diag, true);
    return diag;
}

/* All events of the text, up to the first error: ours, then libfyaml's first
 * diagnosis, at its place. */
static orr_err read_events(struct builder *b, struct fy_parser *parser,
                           struct fy_diag *diag)
{
    struct fy_event *e;
    orr_err err = ORR_OK;
    int line = 1, col = 1; /* of the last event */
    errno = 0;
    while (!err && (e = fy_parser_parse(parser)) != NULL) {
        const struct fy_mark *mark = fy_event_start_mark(e);
        if (mark) {
            line = mark->line + 1;
            col = mark->column + 1;
        }
        err = on_event(b, e);
        fy_parser_event_free(parser, e);
    }
    /* Short of memory, libfyaml may leave out the text of a value, or stop, and
     * say nothing of it; what was found wrong then is not the user's. */
    if (errno == ENOMEM) {
        if (err && b->why)
            *b->why = (struct orr_report){.code = ORR_OK};
        return orr__no_memory(b->why);
    }
    void *iter = NULL;
    struct fy_diag_error *first = fy_diag_errors_iterate(diag, &iter);
    if (!err && first)
        err = orr__source_fail(b->from, first->line, first->column, b->why,
                               "not valid YAML: %s", first->msg);
    if (err || !fy_parser_get_stream_error(parser))
        return err;
    /* Some failures libfyaml does not describe. */
    return orr__source_fail(b->from, line, col, b->why,
                            "not valid YAML, from somewhere after this on");
}

orr_err orr__yaml_parse(struct orr_arena *arena, const struct orr_source *from,
                        struct orr_yaml **root, struct orr_report *why)
{
    *root = NULL;
    orr_err err = check_text(from, why);
    if (err)
        return err;
    /* libfyaml crashes if it cannot allocate an input: not for lack of memory,
     * unless another thread takes it within the call. */
    if (!orr__memory_spare(FYAML_SPARE))
        return orr__no_memory(why);
    struct builder b = {.arena = arena, .from = from, .why = why};
    struct fy_diag *diag = silent_diag();
    struct fy_parse_cfg cfg = {.flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG,
                               .diag = diag};
    struct fy_parser *parser = diag ? fy_parser_create(&cfg) : NULL;
    if (parser == NULL
        || fy_parser_set_string(parser, from->text, from->length) != 0)
        err = orr__no_memory(why);
    else
        err = read_events(&b, parser, diag);
    fy_parser_destroy(parser);
    fy_diag_destroy(diag);
    orr__free(b.pending);
    if (!err)
        *root = b.root;
    return err;
}
