#include "study/measured/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/none.h"
#include "core/units.h"

orr_err orr__rows_read(struct orr_measurements *m, const char *const *files,
                       size_t n, const char *format, const char *element,
                       struct orr_report *why)
{
    uint64_t bytes = 0;
    orr_err err = ORR_OK;
    if (n == 0)
        return orr__fail(why, ORR_ECONFIG, "no measurements: --measured FILE");
    const char *wrong = element ? orr__parse_size(element, &bytes) : NULL;
    if (element && (wrong || bytes == 0))
        return orr__fail(why, ORR_ECONFIG, "--element %s: %s", element,
                         wrong ? wrong : "at least 1B");
    for (size_t i = 0; i < n && !err; i++)
        err = orr__measurements_read(m, files[i], format, bytes, why);
    return err;
}

/* ---- conditions --------------------------------------------------------- */

orr_err orr__rows_column(const struct orr_measurements *m, const char *option,
                         const char *text, uint32_t *column, const char **value,
                         struct orr_report *why)
{
    char name[64];
    struct orr_text all = {.s = NULL};
    const char *equals = strchr(text, '=');
    size_t n = equals ? (size_t)(equals - text) : sizeof name;
    if (n >= sizeof name)
        return orr__fail(why, ORR_ECONFIG,
                         "%s \"%s\": COLUMN=VALUE is expected", option, text);
    snprintf(name, sizeof name, "%.*s", (int)n, text);
    *column = orr__measurements_label(m, name);
    *value = equals + 1;
    if (*column != ORR_NONE)
        return ORR_OK;
    orr__fail(why, ORR_ECONFIG, "%s: no measurement has a column \"%s\"",
              option, name);
    for (uint32_t i = 0; i < m->labels; i++)
        orr__text_add(&all, "%s%s", i ? ", " : "", m->label[i]);
    orr__hint(why, all.s ? "columns of texts: %s" : "there are none%s",
              all.s ? all.s : "");
    orr__free(all.s);
    return ORR_ECONFIG;
}

bool orr__rows_has(const struct orr_measurements_row *r, uint32_t column,
                   const char *value, size_t n)
{
    const char *label = r->label[column] ? r->label[column] : "";
    return strlen(label) == n && memcmp(label, value, n) == 0;
}

orr_err orr__rows_choose(const struct orr_measurements *m,
                         const char *const *where, size_t n,
                         const struct orr_measurements_row *r, bool *chosen,
                         struct orr_report *why)
{
    bool asked[ORR_MEASUREMENTS_LABELS] = {false};
    bool fine[ORR_MEASUREMENTS_LABELS] = {false};
    uint32_t place = orr__measurements_label(m, "place");
    for (size_t i = 0; i < n; i++) {
        uint32_t c = 0;
        const char *value = "";
        orr_err err = orr__rows_column(m, "--where", where[i], &c, &value, why);
        if (err)
            return err;
        asked[c] = true;
        fine[c] |= orr__rows_has(r, c, value, strlen(value));
    }
    if (place != ORR_NONE && !asked[place] && r->label[place]
        && strcmp(r->label[place], "in-place") == 0) {
        *chosen = false; /* of nccl-tests' two times the first one counts */
        return ORR_OK;
    }
    *chosen = true;
    for (uint32_t i = 0; i < m->labels; i++)
        *chosen &= !asked[i] || fine[i];
    return ORR_OK;
}

/* ---- keys --------------------------------------------------------------- */

/* A step of a path: "key" or "[3]". Moves *at behind it; false: it is none. */
static bool next_step(const char **at, char *key, size_t size, size_t *index)
{
    const char *p = *at;
    if (*p == '[') {
        char *end;
        *index = strtoul(p + 1, &end, 10);
        key[0] = '\0';
        if (end == p + 1 || *end != ']')
            return false;
        *at = end + 1 + (end[1] == '.');
        return true;
    }
    size_t n = strcspn(p, ".[");
    if (n == 0 || n >= size)
        return false;
    memcpy(key, p, n);
    key[n] = '\0';
    *at = p + n + (p[n] == '.');
    return true;
}

const struct orr_yaml *orr__config_at(const struct orr_yaml *root,
                                      const char *path)
{
    char key[128];
    size_t index = 0;
    while (root && *path) {
        if (!next_step(&path, key, sizeof key, &index))
            return NULL;
        root = key[0] ? orr__yaml_get(root, key) : orr__yaml_item(root, index);
    }
    return root;
}

orr_err orr__size_key_find(struct orr_config *effective,
                           struct orr_arena *arena, const char **key_out,
                           struct orr_report *why)
{
    const struct orr_yaml *root = orr__config_root(effective);
    const struct orr_yaml *program = orr__config_at(root, "jobs[0].program");
    size_t found = 0;
    char *key = NULL;
    for (size_t i = 0; i < orr__yaml_count(program); i++) {
        const struct orr_yaml *op = orr__yaml_item(program, i);
        for (size_t k = 0; k < orr__yaml_count(op); k++) {
            const char *kind = orr__yaml_text(effective, orr__yaml_key(op, k));
            if (!kind || !orr__yaml_get(orr__yaml_value(op, k), "size"))
                continue;
            found++;
            orr__free(key);
            key = orr__format("jobs[0].program[%zu].%s.size", i, kind);
        }
    }
    *key_out = key ? orr__arena_strdup(arena, key) : NULL;
    orr__free(key);
    if (found == 1)
        return *key_out ? ORR_OK : orr__no_memory(why);
    if (orr__config_at(root, "flows[0].size") && found == 0) {
        *key_out = "flows[0].size";
        return ORR_OK;
    }
    orr_err err = orr__fail(why, ORR_ECONFIG,
                            found ? "the first job has %zu operations with a "
                                    "size: which one is measured?"
                                  : "the first job has no operation with a "
                                    "size%.0zu",
                            found);
    orr__hint(why, "--size-key jobs[0].program[0].all-reduce.size");
    return err;
}

orr_err orr__size_key_kind(const char *key, struct orr_arena *arena,
                           const char **kind_out, struct orr_report *why)
{
    const char *end = strrchr(key, '.'), *from = end;
    *kind_out = "";
    while (from && from > key && from[-1] != '.')
        from--;
    if (!from || from == key)
        return ORR_OK;
    char *kind = orr__format("%.*s", (int)(end - from), from);
    *kind_out = kind ? orr__arena_strdup(arena, kind) : NULL;
    orr__free(kind);
    return *kind_out ? ORR_OK : orr__no_memory(why);
}

uint64_t orr__config_number(struct orr_config *c, const char *path)
{
    const struct orr_yaml *n = orr__config_at(orr__config_root(c), path);
    const char *text = orr__yaml_is_scalar(n) ? orr__yaml_text(c, n) : NULL;
    int64_t value = 0;
    if (!text || orr__parse_int(text, &value) || value < 0)
        return 0;
    return (uint64_t)value;
}
