#include "formats/measurements/measurements.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/config/family.h"
#include "core/none.h"
#include "core/read.h"
#include "core/units.h"
#include "formats/measurements/list.h"

enum { MOST_BYTES = 1 << 30, HEAD = 65536 };

ORR_FAMILY(orr__measurements_formats, ORR_MEASUREMENTS_LIST,
           struct orr_measurements_format, orr__measurements_)

/* ---- rows --------------------------------------------------------------- */

struct orr_measurements_row *orr__measurements_add(
    const struct orr_measurements_input *in, int line)
{
    struct orr_measurements *m = in->out;
    if (m->n == ORR_MEASUREMENTS_MOST
        || !orr__array_more(m->row, m->room, m->n))
        return NULL;
    struct orr_measurements_row *r = &m->row[m->n++];
    *r = (struct orr_measurements_row){
        .low_ns = NAN, .high_ns = NAN, .file = in->name, .line = line};
    return r;
}

void orr__measurements_drop(const struct orr_measurements_input *in)
{
    in->out->n--;
}

uint32_t orr__measurements_label(const struct orr_measurements *m,
                                 const char *name)
{
    for (uint32_t i = 0; i < m->labels; i++)
        if (strcmp(m->label[i], name) == 0)
            return i;
    return ORR_NONE;
}

orr_err orr__measurements_set(const struct orr_measurements_input *in,
                              const char *name, const char *value)
{
    struct orr_measurements *m = in->out;
    uint32_t i = orr__measurements_label(m, name);
    if (i == ORR_NONE && m->labels == ORR_MEASUREMENTS_LABELS)
        return orr__fail_at(in->why, ORR_ECONFIG, in->name, 1, 1,
                            "more than %d columns of texts",
                            ORR_MEASUREMENTS_LABELS);
    if (i == ORR_NONE) {
        m->label[m->labels] = orr__arena_strdup(&m->arena, name);
        if (!m->label[m->labels])
            return orr__no_memory(in->why);
        i = m->labels++;
    }
    char *copy = orr__arena_strdup(&m->arena, value);
    m->row[m->n - 1].label[i] = copy;
    return copy ? ORR_OK : orr__no_memory(in->why);
}

void orr__measurements_note(const struct orr_measurements_input *in, int line,
                            const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *text = orr__format_list(fmt, ap);
    va_end(ap);
    struct orr_text *t = &in->out->notes;
    t->failed |= !text;
    if (text)
        orr__text_add(t, "%s:%d: %s\n", in->name, line, text);
    orr__free(text);
}

void orr__measurements_fini(struct orr_measurements *m)
{
    orr__free(m->row);
    orr__free(m->notes.s);
    orr__arena_fini(&m->arena);
    *m = (struct orr_measurements){.n = 0};
}

uint64_t orr__measurements_held(const struct orr_measurements_row *r,
                                uint32_t ranks, const char *kind)
{
    bool parts = strcmp(kind, "all-gather") == 0 || strcmp(kind, "gather") == 0
                 || strcmp(kind, "scatter") == 0;
    bool buffer = r->counts == ORR_MEASUREMENTS_BUFFER && parts;
    bool peer =
        r->counts == ORR_MEASUREMENTS_PEER && strcmp(kind, "all-to-all") == 0;
    uint64_t bytes = r->bytes;
    if ((buffer || peer) && ranks == 0)
        return 0;
    if (buffer)
        return bytes / ranks > 0 ? bytes / ranks : 1;
    if (peer && __builtin_mul_overflow(bytes, ranks, &bytes))
        return 0;
    return bytes;
}

/* ---- words -------------------------------------------------------------- */

uint64_t orr__measurements_type(const char *name)
{
    static const struct {
        const char *name;
        uint64_t bytes;
    } types[] = {
        {"int8", 1},   {"uint8", 1},   {"char", 1},    {"byte", 1},
        {"f8e4m3", 1}, {"f8e5m2", 1},  {"fp8", 1},     {"int16", 2},
        {"half", 2},   {"float16", 2}, {"fp16", 2},    {"bfloat16", 2},
        {"bf16", 2},   {"int32", 4},   {"uint32", 4},  {"int", 4},
        {"float", 4},  {"float32", 4}, {"fp32", 4},    {"int64", 8},
        {"uint64", 8}, {"double", 8},  {"float64", 8}, {"fp64", 8},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].name, name) == 0)
            return types[i].bytes;
    return 0;
}

double orr__measurements_unit(const char *text, size_t length)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"ns", 1},    {"us", 1e3},      {"\u00b5s", 1e3},
                 {"ms", 1e6},  {"\u03bcs", 1e3}, {"s", 1e9},
                 {"sec", 1e9}, {"seconds", 1e9}};
    if (length >= 2 && (text[0] == '(' || text[0] == '[')) {
        text++;
        length -= 2;
    }
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strlen(units[i].name) == length
            && memcmp(units[i].name, text, length) == 0)
            return units[i].ns;
    return 0;
}

orr_err orr__measurements_time(struct orr_scan *s, const char *what,
                               double unit_ns, double *ns)
{
    int64_t ps;
    char word[32];
    snprintf(word, sizeof word, "%.31s", s->word);
    if (s->length == 0)
        return orr__scan_fail(s, "%s is missing", what);
    if (!orr__parse_time(s->word, &ps) && ps > 0) {
        *ns = (double)ps * 1e-3;
        return ORR_OK;
    }
    orr_err err = orr__scan_real(s, what, 0, 1e15, ns);
    if (err)
        return err;
    if (unit_ns == 0) {
        err = orr__scan_fail(s, "%s has no unit", what);
        orr__hint(s->why, "name the column time_us, or write %sus", word);
        return err;
    }
    if (*ns == 0)
        return orr__scan_fail(s, "%s is 0", what);
    *ns *= unit_ns;
    return ORR_OK;
}

bool orr__measurements_has(const struct orr_measurements_input *in,
                           const char *words)
{
    size_t n = in->length < HEAD ? in->length : HEAD;
    return n && memmem(in->text, n, words, strlen(words)) != NULL;
}

/* What mpirun puts before a line ("[1,0]<stdout>:") becomes blanks, so that
 * columns stay. */
static void blank_ranks(char *text, size_t length)
{
    for (char *line = text, *end = text + length; line < end;) {
        char *next = memchr(line, '\n', (size_t)(end - line));
        size_t n = (size_t)((next ? next : end) - line);
        char *mark = n && *line == '[' ? memmem(line, n, ">:", 2) : NULL;
        if (mark)
            memset(line, ' ', (size_t)(mark + 2 - line));
        line = next ? next + 1 : end;
    }
}

orr_err orr__measurements_scan(const struct orr_measurements_input *in,
                               struct orr_scan *s)
{
    char *copy = orr__alloc(in->length + 1, 1);
    *s = (struct orr_scan){.why = in->why};
    if (!copy)
        return orr__no_memory(in->why);
    memcpy(copy, in->text, in->length);
    blank_ranks(copy, in->length);
    orr_err err = orr__scan_text(s, in->name, copy, in->length, in->why);
    orr__free(copy);
    return err;
}

/* ---- files -------------------------------------------------------------- */

/* The format of that name, or NULL: the first that the file is of. */
static orr_err find_format(const struct orr_measurements_input *in,
                           const char *name,
                           const struct orr_measurements_format **out)
{
    const struct orr_measurements_format *const *k =
        orr__measurements_formats();
    for (; *k; k++)
        if (name ? strcmp((*k)->name, name) == 0 : (*k)->is(in)) {
            *out = *k;
            return ORR_OK;
        }
    if (name)
        return orr__fail(in->why, ORR_ECONFIG,
                         "no format of measurements is called \"%s\"", name);
    orr_err err = orr__fail_at(in->why, ORR_ECONFIG, in->name, 1, 1,
                               "no measurements: neither a line that names "
                               "columns nor JSON");
    orr__hint(in->why, "a table begins with a line such as bytes,ranks,"
                       "time_us; `orrery help fit` lists formats");
    return err;
}

orr_err orr__measurements_text(struct orr_measurements *m, const char *name,
                               const char *text, size_t length,
                               const char *format, uint64_t element,
                               struct orr_report *why)
{
    const struct orr_measurements_format *f = NULL;
    struct orr_measurements_input in = {
        .path = name,
        .name = orr__arena_strdup(&m->arena, name),
        .text = text,
        .length = length,
        .element = element,
        .out = m,
        .why = why,
    };
    uint32_t before = m->n;
    if (!in.name)
        return orr__no_memory(why);
    if (length == strspn(text, " \t\r\n"))
        return orr__fail_at(why, ORR_ECONFIG, in.name, 1, 1,
                            "the file is empty");
    orr_err err = find_format(&in, format, &f);
    if (!err)
        err = f->read(&in);
    if (!err && m->notes.failed)
        err = orr__no_memory(why);
    if (err || m->n > before)
        return err;
    err =
        orr__fail_at(why, ORR_ECONFIG, in.name, 1, 1,
                     "no times: a file of format %s has no row here", f->name);
    if (m->notes.s)
        orr__hint(why, "%.*s", (int)strcspn(m->notes.s, "\n"), m->notes.s);
    return err;
}

orr_err orr__measurements_read(struct orr_measurements *m, const char *path,
                               const char *format, uint64_t element,
                               struct orr_report *why)
{
    char *text = NULL;
    size_t n = 0;
    int wrong = orr__read_file(path, MOST_BYTES, 0, &text, &n);
    if (wrong == ENOMEM)
        return orr__no_memory(why);
    if (wrong)
        return orr__fail(why, ORR_ECONFIG, "cannot read %s: %s", path,
                         strerror(wrong));
    orr_err err =
        orr__measurements_text(m, path, text, n, format, element, why);
    orr__free(text);
    return err;
}
