#include "study/compare/skim.h"

#include <stdbool.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"

#define DEEPEST 32 /* deeper than any summary */

/* `at` goes through the text; at end, it has ended too early. */
struct skim {
    const char *at, *end;
    const char *const *path;
    uint32_t paths;
    struct orr_text out;
};

static char skip_blanks(struct skim *s)
{
    while (s->at < s->end && (*s->at == ' ' || *s->at == '\n' ||
                              *s->at == '\t' || *s->at == '\r'))
        s->at++;
    return s->at < s->end ? *s->at : '\0';
}

/* From its first quote behind its last. */
static bool skip_string(struct skim *s)
{
    for (s->at++; s->at < s->end; s->at++) {
        if (*s->at == '"') {
            s->at++;
            return true;
        }
        if (*s->at == '\\')
            s->at++;
    }
    return false;
}

/* A number or a word. */
static bool skip_scalar(struct skim *s)
{
    const char *from = s->at;
    while (s->at < s->end && *s->at != ',' && *s->at != '}' &&
           *s->at != ']' && (unsigned char)*s->at > ' ')
        s->at++;
    return s->at > from;
}

static bool skip_value(struct skim *s)
{
    int open = 0;
    char first = skip_blanks(s);
    if (first == '"')
        return skip_string(s);
    if (first != '{' && first != '[')
        return skip_scalar(s);
    while (s->at < s->end) {
        if (*s->at == '"') {
            if (!skip_string(s))
                return false;
            continue;
        }
        open += (*s->at == '{' || *s->at == '[') -
                (*s->at == '}' || *s->at == ']');
        s->at++;
        if (open == 0)
            return true;
    }
    return false;
}

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
        if (step && strcspn(step, ".") == length &&
            memcmp(step, key, length) == 0)
            return true;
        if (!step && mean)
            return true;
    }
    return false;
}

/* By these a step chooses among the members of a list. */
static bool tells_apart(const char *key, size_t length)
{
    return length == 4 ? memcmp(key, "name", 4) == 0 ||
                             memcmp(key, "from", 4) == 0
                       : length == 2 && memcmp(key, "to", 2) == 0;
}

static bool copy_value(struct skim *s, int depth, bool in_list);

/* A key and its value, with a comma before it unless it is the first. */
static bool take_member(struct skim *s, int depth, bool in_list, bool *first)
{
    if (skip_blanks(s) != '"')
        return false;
    const char *key = s->at + 1;
    if (!skip_string(s))
        return false;
    size_t length = (size_t)(s->at - key) - 1;
    if (skip_blanks(s) != ':')
        return false;
    s->at++;
    if (!is_wanted(s, depth, key, length) &&
        !(in_list && tells_apart(key, length)))
        return skip_value(s);
    if (!*first)
        orr__text_piece(&s->out, ",", 1);
    *first = false;
    orr__text_piece(&s->out, key - 1, length + 2);
    orr__text_piece(&s->out, ":", 1);
    return copy_value(s, depth + 1, false);
}

static bool copy_many(struct skim *s, int depth, bool in_list)
{
    bool object = *s->at == '{', first = true;
    char close = object ? '}' : ']';
    orr__text_piece(&s->out, s->at++, 1);
    for (char next = skip_blanks(s); next != close; next = skip_blanks(s)) {
        if (object && !take_member(s, depth, in_list, &first))
            return false;
        if (!object && !copy_value(s, depth + 1, true))
            return false;
        next = skip_blanks(s);
        if (next != ',' && next != close)
            return false;
        if (next == ',' && !object)
            orr__text_piece(&s->out, ",", 1);
        s->at += next == ',';
    }
    orr__text_piece(&s->out, s->at++, 1);
    return true;
}

static bool copy_value(struct skim *s, int depth, bool in_list)
{
    char next = skip_blanks(s);
    const char *from = s->at;
    if (next == '{' || next == '[')
        return depth < DEEPEST && copy_many(s, depth, in_list);
    bool fine = next == '"' ? skip_string(s) : skip_scalar(s);
    orr__text_piece(&s->out, from, (size_t)(s->at - from));
    return fine;
}

orr_err orr__skim(const char *text, size_t length, const char *const *path,
                  uint32_t paths, char **out)
{
    struct skim s = {
        .at = text, .end = text + length, .path = path, .paths = paths,
    };
    bool whole = copy_value(&s, 0, false) && skip_blanks(&s) == '\0';
    bool no_memory = s.out.failed;
    *out = orr__text_done(&s.out);
    if (!whole || no_memory || s.at != s.end) {
        orr__free(*out);
        *out = NULL;
    }
    return no_memory ? ORR_ENOMEM : ORR_OK;
}
