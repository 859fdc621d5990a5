#include "study/compare/summary_filter.h"

#include <stdbool.h>
#include <string.h>

#include "core/json_skip.h"
#include "core/memory.h"
#include "core/text.h"

#define DEEPEST 32 /* deeper than any summary */

/* Copies of a summary only what measures need. */
struct skim {
    struct orr_json_cursor from;
    const char *const *path;
    uint32_t paths;
    struct orr_text out;
};

/* A path that ends before means the mean of what it led to (measure.c). */
static bool is_wanted(const struct skim *s, int depth, const char *key,
                      size_t length)
{
    bool mean = length == 4 && memcmp(key, "mean", 4) == 0;
    for (uint32_t i = 0; i < s->paths; i++) {
        const char *step = s->path[i];
        for (int d = 0; d < depth && step; d++) {
            step = strchr(step, '.');
            step += step != NULL;
        }
        if (step && strcspn(step, ".") == length
            && memcmp(step, key, length) == 0)
            return true;
        if (!step && mean)
            return true;
    }
    return false;
}

/* By these a step chooses among the members of a list. */
static bool tells_apart(const char *key, size_t length)
{
    return length == 4
               ? memcmp(key, "name", 4) == 0 || memcmp(key, "from", 4) == 0
               : length == 2 && memcmp(key, "to", 2) == 0;
}

static bool copy_value(struct skim *s, int depth, bool in_list);

/* A key and its value, with a comma before it unless it is the first. */
static bool take_member(struct skim *s, int depth, bool in_list, bool *first)
{
    const char *key;
    long n = orr__json_skip_key(&s->from, &key);
    if (n < 0)
        return false;
    size_t length = (size_t)n;
    if (!is_wanted(s, depth, key, length)
        && !(in_list && tells_apart(key, length)))
        return orr__json_skip_value(&s->from);
    if (!*first)
        orr__text_piece(&s->out, ",", 1);
    *first = false;
    orr__text_piece(&s->out, key - 1, length + 2);
    orr__text_piece(&s->out, ":", 1);
    return copy_value(s, depth + 1, false);
}

/* A list or map. false: this is no JSON. */
static bool copy_many(struct skim *s, int depth, bool in_list)
{
    struct orr_json_cursor *c = &s->from;
    bool object = *c->at == '{', first = true;
    char close = object ? '}' : ']';
    orr__text_piece(&s->out, c->at++, 1);
    while (orr__json_skip_blanks(c) != close) {
        if (object && !take_member(s, depth, in_list, &first))
            return false;
        if (!object && !copy_value(s, depth + 1, true))
            return false;
        char next = orr__json_skip_blanks(c);
        if (next != ',' && next != close)
            return false;
        if (next == ',' && !object)
            orr__text_piece(&s->out, ",", 1);
        c->at += next == ',';
    }
    orr__text_piece(&s->out, c->at++, 1);
    return true;
}

/* Scalars and strings as they stand. false: no JSON, or too deep. */
static bool copy_value(struct skim *s, int depth, bool in_list)
{
    struct orr_json_cursor *c = &s->from;
    char next = orr__json_skip_blanks(c);
    const char *from = c->at;
    if (next == '{' || next == '[')
        return depth < DEEPEST && copy_many(s, depth, in_list);
    bool fine =
        next == '"' ? orr__json_skip_string(c) : orr__json_skip_scalar(c);
    orr__text_piece(&s->out, from, (size_t)(c->at - from));
    return fine;
}

orr_err orr__summary_filter(const char *text, size_t length,
                            const char *const *path, uint32_t paths, char **out)
{
    struct skim s = {
        .from = {text, text + length},
        .path = path,
        .paths = paths,
    };
    bool whole =
        copy_value(&s, 0, false) && orr__json_skip_blanks(&s.from) == '\0';
    bool no_memory = s.out.failed;
    *out = orr__text_done(&s.out);
    if (!whole || no_memory || s.from.at != s.from.end) {
        orr__free(*out);
        *out = NULL;
    }
    return no_memory ? ORR_ENOMEM : ORR_OK;
}
