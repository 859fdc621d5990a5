#include "workload/json.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

static void string(struct orr_text *t, const char *s)
{
    orr__text_add(t, "\"");
    while (*s) {
        size_t n = orr__text_character(s);
        unsigned char c = (unsigned char)*s;
        if (n == 0)
            orr__text_add(t, "\\ufffd");
        else if (c == '"' || c == '\\')
            orr__text_add(t, "\\%c", c);
        else if (c == '\n')
            orr__text_add(t, "\\n");
        else if (c < 0x20 || c == 0x7f)
            orr__text_add(t, "\\u%04x", c);
        else
            orr__text_add(t, "%.*s", (int)n, s);
        s += n ? n : 1;
    }
    orr__text_add(t, "\"");
}

static void new_line(struct orr_json *j)
{
    if (j->flat && j->depth >= j->flat)
        orr__text_add(&j->text, j->more ? " " : "");
    else if (j->depth > 0)
        orr__text_add(&j->text, "\n%*s", (int)(2 * j->depth), "");
}

/* What stands before every value. */
static void begin(struct orr_json *j, const char *key)
{
    if (j->more)
        orr__text_add(&j->text, ",");
    new_line(j);
    if (key) {
        string(&j->text, key);
        orr__text_add(&j->text, ": ");
    }
    j->more = true;
}

static void enter(struct orr_json *j, const char *key, char open, char close)
{
    begin(j, key);
    orr__text_add(&j->text, "%c", open);
    assert(j->depth < sizeof j->close);
    j->close[j->depth++] = close;
    j->more = false;
}

void orr__json_object(struct orr_json *j, const char *key)
{
    enter(j, key, '{', '}');
}

void orr__json_list(struct orr_json *j, const char *key)
{
    enter(j, key, '[', ']');
}

void orr__json_flat_object(struct orr_json *j, const char *key)
{
    enter(j, key, '{', '}');
    if (!j->flat)
        j->flat = j->depth;
}

void orr__json_end(struct orr_json *j)
{
    assert(j->depth > 0);
    bool line = j->more && !(j->flat && j->depth >= j->flat);
    if (j->flat == j->depth)
        j->flat = 0;
    j->depth--;
    if (line)
        orr__text_add(&j->text, "\n%*s", (int)(2 * j->depth), "");
    orr__text_add(&j->text, "%c", j->close[j->depth]);
    j->more = true;
}

void orr__json_null(struct orr_json *j, const char *key)
{
    begin(j, key);
    orr__text_add(&j->text, "null");
}

void orr__json_text(struct orr_json *j, const char *key, const char *s)
{
    if (s == NULL) {
        orr__json_null(j, key);
        return;
    }
    begin(j, key);
    string(&j->text, s);
}

void orr__json_count(struct orr_json *j, const char *key, uint64_t value)
{
    begin(j, key);
    orr__text_add(&j->text, "%" PRIu64, value);
}

void orr__json_flag(struct orr_json *j, const char *key, bool value)
{
    begin(j, key);
    orr__text_add(&j->text, value ? "true" : "false");
}

void orr__json_real(struct orr_json *j, const char *key, double value)
{
    if (!isfinite(value)) {
        orr__json_null(j, key);
        return;
    }
    begin(j, key);
    orr__text_add(&j->text, "%.12g", value);
}

void orr__json_time(struct orr_json *j, const char *key, int64_t ps)
{
    if (ps < 0) {
        orr__json_null(j, key);
        return;
    }
    begin(j, key);
    orr__text_add(&j->text, "%" PRId64 ".%03d", ps / 1000, (int)(ps % 1000));
}

void orr__json_mean_time(struct orr_json *j, const char *key, double ps)
{
    bool fits = isfinite(ps) && ps >= 0 && ps < 9.2e18;
    orr__json_time(j, key, fits ? (int64_t)(ps + 0.5) : -1);
}

char *orr__json_done(struct orr_json *j)
{
    assert(j->depth == 0 || j->text.failed);
    orr__text_add(&j->text, "\n");
    return orr__text_done(&j->text);
}
