#include "study/report/view.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "core/units.h"

orr_err orr__view_put(json_t *to, const char *key, json_t *value,
                      struct orr_report *why)
{
    return json_object_set_new(to, key, value) == 0 ? ORR_OK
                                                    : orr__no_memory(why);
}

json_t *orr__view_bytes(const void *bytes, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 "abcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *b = bytes;
    char *text = orr__alloc((n + 2) / 3 * 4 + 1, 1), *p = text;
    if (!text)
        return NULL;
    for (size_t i = 0; i < n; i += 3) {
        size_t left = n - i;
        uint32_t x = (uint32_t)b[i] << 16;
        x |= left > 1 ? (uint32_t)b[i + 1] << 8 : 0;
        x |= left > 2 ? b[i + 2] : 0;
        *p++ = digits[x >> 18];
        *p++ = digits[x >> 12 & 63];
        *p++ = left > 1 ? digits[x >> 6 & 63] : '=';
        *p++ = left > 2 ? digits[x & 63] : '=';
    }
    json_t *j = json_stringn_nocheck(text, (size_t)(p - text));
    orr__free(text);
    return j;
}

/* One element behind the others; false: no memory. */
static bool append(json_t *list, json_t *element)
{
    return json_array_append_new(list, element) == 0;
}

json_t *orr__view_number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

json_t *orr__view_doubles(const double *x, size_t n)
{
    json_t *list = json_array();
    bool ok = list != NULL;
    for (size_t i = 0; i < n && ok; i++)
        ok = append(list, orr__view_number(x[i]));
    if (!ok) {
        json_decref(list);
        return NULL;
    }
    return list;
}

json_t *orr__view_numbers(const uint32_t *x, size_t n)
{
    json_t *list = json_array();
    bool ok = list != NULL;
    for (size_t i = 0; i < n && ok; i++)
        ok = append(list, json_integer(x[i]));
    if (!ok) {
        json_decref(list);
        return NULL;
    }
    return list;
}

json_t *orr__view_times(const int64_t *ps, size_t n)
{
    json_t *list = json_array();
    bool ok = list != NULL;
    for (size_t i = 0; i < n && ok; i++)
        ok = append(list, orr__view_number(
                              ps[i] < 0 ? NAN : (double)ps[i] / (double)ORR_S));
    if (!ok) {
        json_decref(list);
        return NULL;
    }
    return list;
}

json_t *orr__view_text(const char *s)
{
    struct orr_text t = {.s = NULL};
    for (size_t n; *s; s += n) {
        n = orr__text_character(s);
        if (n)
            orr__text_piece(&t, s, n);
        else
            orr__text_piece(&t, "?", n = 1);
    }
    char *text = orr__text_done(&t);
    json_t *j = text ? json_string(text) : NULL;
    orr__free(text);
    return j;
}

json_t *orr__view_texts(char *const *s, size_t n)
{
    json_t *list = json_array();
    bool ok = list != NULL;
    for (size_t i = 0; i < n && ok; i++)
        ok = append(list, orr__view_text(s[i]));
    if (!ok) {
        json_decref(list);
        return NULL;
    }
    return list;
}

static json_t *column(enum orr_record_type type, const void *values, uint64_t n)
{
    switch (type) {
    case ORR_RECORD_U8: return orr__view_bytes(values, n);
    case ORR_RECORD_U32: return orr__view_numbers(values, n);
    case ORR_RECORD_I64: return orr__view_times(values, n);
    default: return orr__view_doubles(values, n);
    }
}

orr_err orr__view_column(struct orr_reader *r, json_t *to, const char *key,
                         const char *path, enum orr_record_type type,
                         struct orr_report *why)
{
    uint64_t n = 0;
    if (type == ORR_RECORD_TEXT) {
        char **text;
        orr_err err = orr__reader_texts(r, path, &text, &n, why);
        if (err)
            return err;
        json_t *list = orr__view_texts(text, n);
        orr__reader_free_texts(text, n);
        return orr__view_put(to, key, list, why);
    }
    void *values;
    orr_err err = orr__reader_column(r, path, type, &values, &n, why);
    if (err)
        return err;
    json_t *list = column(type, values, n);
    orr__free(values);
    return orr__view_put(to, key, list, why);
}

orr_err orr__view_attribute(struct orr_reader *r, json_t *to, const char *path,
                            const char *name, struct orr_report *why)
{
    char *text;
    orr_err err = orr__reader_text(r, path, name, &text, why);
    if (err || !text)
        return err;
    err = orr__view_put(to, name, orr__view_text(text), why);
    orr__free(text);
    return err;
}
