/* Tree to YAML text that reads back as the same tree. Block style, but lists
 * of scalars on one line; a scalar is quoted unless it is plainly harmless. */
#include "core/config/yaml.h"

#include <string.h>

#include "core/text.h"

static void append_text(struct orr_text *t, const char *s)
{
    orr__text_piece(t, s, strlen(s));
}

static void indent(struct orr_text *t, int levels)
{
    for (int i = 0; i < levels; i++)
        append_text(t, "  ");
}

static bool is_word_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
           || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '/';
}

/* Words and numbers that mean themselves everywhere in YAML. */
static bool is_harmless(const char *s)
{
    const char *at = s + (s[0] == '-' && s[1] >= '0' && s[1] <= '9');
    if (!is_word_char(*at) || strncmp(s, "...", 3) == 0)
        return false;
    for (; *at; at++) {
        bool inner = strchr("+-% ", *at) != NULL;
        if (!is_word_char(*at) && !(inner && at[1] != '\0'))
            return false;
    }
    return true;
}

static void put_scalar(struct orr_text *t, const struct orr_yaml *n)
{
    bool null_word = orr__yaml_null_word(n->text);
    if (null_word && n->plain)
        append_text(t, "null");
    else if (!null_word && is_harmless(n->text))
        append_text(t, n->text);
    else
        orr__text_quoted(t, n->text);
}

static void put_text(struct orr_text *t, const char *s)
{
    if (!orr__yaml_null_word(s) && is_harmless(s))
        append_text(t, s);
    else
        orr__text_quoted(t, s);
}

static bool is_empty(const struct orr_yaml *n)
{
    return n->n == 0 && n->defaults == NULL;
}

static bool is_flat(const struct orr_yaml *n)
{
    for (size_t i = 0; i < n->n; i++)
        if (n->items[i]->kind != ORR_YAML_SCALAR)
            return false;
    return true;
}

static void put_block(struct orr_text *t, const struct orr_yaml *n, int level,
                      bool first_indented);

/* What follows "key:" or "-": on the same line if it can be. */
static void put_value(struct orr_text *t, const struct orr_yaml *n, int level,
                      bool in_list)
{
    if (n->kind == ORR_YAML_SCALAR) {
        append_text(t, " ");
        put_scalar(t, n);
    } else if (is_empty(n)) {
        append_text(t, n->kind == ORR_YAML_MAP ? " {}" : " []");
    } else if (n->kind == ORR_YAML_LIST && is_flat(n)) {
        for (size_t i = 0; i < n->n; i++) {
            append_text(t, i ? ", " : " [");
            put_scalar(t, n->items[i]);
        }
        append_text(t, "]");
    } else {
        append_text(t, in_list ? " " : "\n");
        put_block(t, n, level + 1, in_list);
        return;
    }
    append_text(t, "\n");
}

/* A map or list in block style; first_indented: the cursor stands already where
 * the first line begins (after "- "). */
static void put_block(struct orr_text *t, const struct orr_yaml *n, int level,
                      bool first_indented)
{
    bool map = n->kind == ORR_YAML_MAP;
    for (size_t i = 0; i < n->n; i++) {
        if (map && orr__yaml_find_default(n, n->items[2 * i]->text))
            continue;
        indent(t, first_indented ? 0 : level);
        first_indented = false;
        if (map) {
            put_scalar(t, n->items[2 * i]);
            append_text(t, ":");
            put_value(t, n->items[2 * i + 1], level, false);
        } else {
            append_text(t, "-");
            put_value(t, n->items[i], level, true);
        }
    }
    for (const struct orr_default *d = n->defaults; d; d = d->next) {
        indent(t, first_indented ? 0 : level);
        first_indented = false;
        put_text(t, d->key);
        append_text(t, ":");
        put_value(t, d->value, level, false);
    }
}

char *orr__yaml_emit(const struct orr_yaml *root)
{
    struct orr_text t = {.s = NULL};
    if (is_empty(root))
        append_text(&t, "{}\n");
    else
        put_block(&t, root, 0, false);
    return orr__text_done(&t);
}
