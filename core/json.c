#include "core/json.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "core/assert.h"

/* Length of the bytes at s that stand for themselves in a string; *point: of
 * the character behind them, if it is one. What may not come to a terminal does
 * not stand for itself: JSON, too, is looked at there. */
static size_t plain_length(const char *s, uint32_t *point)
{
    size_t all = 0, n;
    for (*point = 0; (n = orr__text_character(s + all)) > 0; all += n) {
        *point = (unsigned char)s[all];
        if (n > 1)
            (void)orr__utf8_length(s + all, n, point);
        if (*point == '"' || *point == '\\' || !orr__is_shown(*point))
            break;
    }
    return all;
}

void orr__json_string(struct orr_text *t, const char *s)
{
    orr__text_piece(t, "\"", 1);
    for (;;) {
        uint32_t point;
        size_t n = plain_length(s, &point);
        orr__text_piece(t, s, n);
        s += n;
        if (*s == '\0')
            break;
        n = orr__text_character(s);
        if (n == 0)
            orr__text_add(t, "\\ufffd");
        else if (point == '"' || point == '\\')
            orr__text_add(t, "\\%c", (char)point);
        else if (point == '\n')
            orr__text_add(t, "\\n");
        else
            orr__text_add(t, "\\u%04x", (unsigned)point);
        s += n ? n : 1;
    }
    orr__text_piece(t, "\"", 1);
}

/* A summary may have a million times in it, and printf costs most of a
 * microsecond where a library has added conversions of its own to it. */
static void digits(struct orr_text *t, uint64_t value, size_t least)
{
    char text[24];
    size_t at = sizeof text;
    for (; value > 0 || sizeof text - at < least; value /= 10)
        text[--at] = (char)('0' + value % 10);
    orr__text_piece(t, text + at, sizeof text - at);
}

static void indent(struct orr_json *j)
{
    orr__text_piece(&j->text, "\n", 1);
    for (unsigned i = 0; i < j->depth; i++)
        orr__text_piece(&j->text, "  ", 2);
}

static void new_line(struct orr_json *j)
{
    if (!j->flat || j->depth < j->flat) {
        if (j->depth > 0)
            indent(j);
    } else if (j->more) {
        orr__text_piece(&j->text, " ", 1);
    }
}

/* What stands before every value. */
static void begin_value(struct orr_json *j, const char *key)
{
    bool in_map = j->depth > 0 && j->close[j->depth - 1] == '}';
    ORR_ASSERT(in_map == (key != NULL));
    ORR_ASSERT(j->depth > 0 || !j->more); /* one outermost value */
    if (j->more)
        orr__text_piece(&j->text, ",", 1);
    new_line(j);
    if (key) {
        orr__json_string(&j->text, key);
        orr__text_piece(&j->text, ": ", 2);
    }
    j->more = true;
}

static void enter_collection(struct orr_json *j, const char *key, char open,
                             char close)
{
    begin_value(j, key);
    orr__text_piece(&j->text, &open, 1);
    assert(j->depth < sizeof j->close);
    j->close[j->depth++] = close;
    j->more = false;
}

void orr__json_object(struct orr_json *j, const char *key)
{
    enter_collection(j, key, '{', '}');
}

void orr__json_list(struct orr_json *j, const char *key)
{
    enter_collection(j, key, '[', ']');
}

void orr__json_flat_object(struct orr_json *j, const char *key)
{
    enter_collection(j, key, '{', '}');
    if (!j->flat)
        j->flat = j->depth;
}

void orr__json_end(struct orr_json *j)
{
    assert(j->depth > 0);
    ORR_ASSERT(j->flat <= j->depth);
    bool line = j->more && !(j->flat && j->depth >= j->flat);
    if (j->flat == j->depth)
        j->flat = 0;
    j->depth--;
    if (line)
        indent(j);
    orr__text_piece(&j->text, &j->close[j->depth], 1);
    j->more = true;
}

void orr__json_null(struct orr_json *j, const char *key)
{
    begin_value(j, key);
    orr__text_add(&j->text, "null");
}

void orr__json_text(struct orr_json *j, const char *key, const char *s)
{
    if (s == NULL) {
        orr__json_null(j, key);
        return;
    }
    begin_value(j, key);
    orr__json_string(&j->text, s);
}

void orr__json_count(struct orr_json *j, const char *key, uint64_t value)
{
    begin_value(j, key);
    digits(&j->text, value, 1);
}

void orr__json_flag(struct orr_json *j, const char *key, bool value)
{
    begin_value(j, key);
    orr__text_add(&j->text, value ? "true" : "false");
}

void orr__json_real(struct orr_json *j, const char *key, double value)
{
    if (!isfinite(value)) {
        orr__json_null(j, key);
        return;
    }
    begin_value(j, key);
    orr__text_add(&j->text, "%.12g", value);
}

void orr__json_time(struct orr_json *j, const char *key, int64_t ps)
{
    if (ps < 0) {
        orr__json_null(j, key);
        return;
    }
    begin_value(j, key);
    digits(&j->text, (uint64_t)ps / 1000, 1);
    orr__text_piece(&j->text, ".", 1);
    digits(&j->text, (uint64_t)ps % 1000, 3);
}

void orr__json_mean_time(struct orr_json *j, const char *key, double ps)
{
    bool fits = isfinite(ps) && ps >= 0 && ps < 9.2e18;
    orr__json_time(j, key, fits ? (int64_t)(ps + 0.5) : -1);
}

void orr__json_ns(struct orr_json *j, const char *key, int64_t ns)
{
    if (ns < 0) {
        orr__json_null(j, key);
        return;
    }
    begin_value(j, key);
    digits(&j->text, (uint64_t)ns, 1);
    orr__text_piece(&j->text, ".000", 4);
}

void orr__json_long_time(struct orr_json *j, const char *key, double ns)
{
    if (!isfinite(ns)) {
        orr__json_null(j, key);
        return;
    }
    begin_value(j, key);
    orr__text_add(&j->text, "%.3f", ns);
}

void orr__json_statistics(struct orr_json *j, const char *key,
                          const struct orr_statistics *s,
                          void (*put)(struct orr_json *, const char *, double))
{
    orr__json_flat_object(j, key);
    put(j, "mean", s->mean);
    put(j, "p10", s->p10);
    put(j, "p50", s->p50);
    put(j, "p90", s->p90);
    put(j, "p95", s->p95);
    put(j, "p99", s->p99);
    put(j, "min", s->min);
    put(j, "max", s->max);
    orr__json_end(j);
}

static bool is_whole(const struct orr_json *j, const char *path)
{
    const char *const *w = j->lists.whole;
    while (w && *w && strcmp(*w, path) != 0)
        w++;
    return w && *w;
}

uint64_t orr__json_shown(struct orr_json *j, const char *path, uint64_t n,
                         uint64_t most)
{
    struct orr_json_lists *l = &j->lists;
    uint64_t shown = n <= most || is_whole(j, path) ? n : most;
    unsigned i = 0;
    while (i < l->n && strcmp(l->list[i].path, path) != 0)
        i++;
    ORR_ASSERT(i < sizeof l->list / sizeof *l->list);
    if (i == l->n)
        l->list[l->n++].path = path;
    l->list[i].shown += shown;
    l->list[i].all += n;
    return shown;
}

void orr__json_cuts(struct orr_json *j)
{
    const struct orr_json_lists *l = &j->lists;
    orr__json_list(j, "cut");
    for (unsigned i = 0; i < l->n; i++) {
        if (l->list[i].shown == l->list[i].all)
            continue;
        orr__json_flat_object(j, NULL);
        orr__json_text(j, "list", l->list[i].path);
        orr__json_count(j, "shown", l->list[i].shown);
        orr__json_count(j, "of", l->list[i].all);
        orr__json_end(j);
    }
    orr__json_end(j);
}

char *orr__json_done(struct orr_json *j)
{
    assert(j->depth == 0 || j->text.failed);
    orr__text_add(&j->text, "\n");
    return orr__text_done(&j->text);
}
