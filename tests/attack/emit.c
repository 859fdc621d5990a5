/* JSON trees as YAML that people like to read, and back. */
#include <stdlib.h>
#include <string.h>

#include "core/config/config.h"
#include "tests/attack/trial.h"

static bool is_plain(const char *s)
{
    return *s && !strpbrk(s, ":,[]{}#&*!|>'\"%@`\n") && *s != '-' && *s != ' '
           && *s != '?';
}

/* What is no printable ASCII by its number, as no document may have all of it.
 */
static void emit_quoted(FILE *out, const char *s)
{
    json_t *v = json_string(s);
    char *text = v ? json_dumps(v, JSON_ENCODE_ANY | JSON_ENSURE_ASCII) : NULL;

    fputs(text ? text : "\"\"", out);
    free(text);
    json_decref(v);
}

static void emit_text(FILE *out, const char *s)
{
    if (is_plain(s) || (*s == '-' && s[1] >= '0' && s[1] <= '9'))
        fputs(s, out);
    else
        emit_quoted(out, s);
}

static void emit_flow(FILE *out, const json_t *v)
{
    const char *key;
    json_t *item;
    size_t i;

    switch (json_typeof(v)) {
    case JSON_OBJECT:
        i = 0;
        fputc('{', out);
        json_object_foreach((json_t *)v, key, item)
        {
            fprintf(out, "%s%s: ", i++ ? ", " : "", key);
            emit_flow(out, item);
        }
        fputc('}', out);
        break;
    case JSON_ARRAY:
        fputc('[', out);
        json_array_foreach(v, i, item)
        {
            fputs(i ? ", " : "", out);
            emit_flow(out, item);
        }
        fputc(']', out);
        break;
    case JSON_STRING: emit_text(out, json_string_value(v)); break;
    case JSON_INTEGER:
        fprintf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
        break;
    case JSON_REAL: fprintf(out, "%.6f", json_real_value(v)); break;
    case JSON_TRUE: fputs("true", out); break;
    case JSON_FALSE: fputs("false", out); break;
    case JSON_NULL: fputs("\"\"", out); break;
    }
}

char *orr__yaml_of(const json_t *config)
{
    char *text = NULL;
    size_t size, i;
    FILE *out = open_memstream(&text, &size);
    const char *key;
    json_t *value, *item;

    if (!out)
        return NULL;
    json_object_foreach((json_t *)config, key, value)
    {
        fprintf(out, "%s:", key);
        if (json_is_array(value) && json_array_size(value)) {
            json_array_foreach(value, i, item)
            {
                fputs("\n- ", out);
                emit_flow(out, item);
            }
        } else {
            fputc(' ', out);
            emit_flow(out, value);
        }
        fputc('\n', out);
    }
    fclose(out);
    return text;
}

static json_t *tree_of(struct orr_config *c, const struct orr_yaml *n)
{
    json_t *v;

    if (orr__yaml_is_list(n)) {
        v = json_array();
        for (size_t i = 0; i < orr__yaml_count(n); i++)
            json_array_append_new(v, tree_of(c, orr__yaml_item(n, i)));
    } else if (orr__yaml_is_map(n)) {
        v = json_object();
        for (size_t i = 0; i < orr__yaml_count(n); i++)
            json_object_set_new(v, orr__yaml_text(c, orr__yaml_key(n, i)),
                                tree_of(c, orr__yaml_value(n, i)));
    } else {
        const char *s = orr__yaml_text(c, n);

        v = json_string(s ? s : "");
    }
    return v;
}

json_t *orr__tree_of(const char *text)
{
    struct orr_report why = {0};
    struct orr_config *c;
    json_t *tree = NULL;

    if (orr__config_parse("found", text, strlen(text), &c, &why) != ORR_OK)
        return NULL;
    if (orr__yaml_is_map(orr__config_root(c)))
        tree = tree_of(c, orr__config_root(c));
    orr__config_free(c);
    return tree;
}
