#include "formats/astra/system.h"

#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/config/param.h"
#include "core/json_read.h"
#include "core/memory.h"

/* Where a value stands, for messages: a line and column, or somewhere in a text
 * of JSON. */
struct place {
    const char *file, *key;
    int line;
    struct orr_report *why;
    int column;
    const struct orr_json_text *json; /* NULL: line and column are known */
};

static struct orr_astra_place place_of(const struct place *at)
{
    struct orr_astra_place p = {at->line, at->column};
    if (at->json)
        orr__json_place(at->json, at->key, &p.line, &p.col);
    return p;
}

orr_err orr__astra_system_fail(const struct orr_astra_system *s,
                               const struct orr_astra_place *at,
                               struct orr_report *why, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    orr_err err =
        orr__vfail_at(why, ORR_ECONFIG, s->file, at->line, at->col, fmt, ap);
    va_end(ap);
    return err;
}

ORR_PRINTF(2, 3)
static orr_err fail_at(const struct place *at, const char *fmt, ...)
{
    struct orr_astra_place p = place_of(at);
    va_list ap;
    va_start(ap, fmt);
    orr_err err =
        orr__vfail_at(at->why, ORR_ECONFIG, at->file, p.line, p.col, fmt, ap);
    va_end(ap);
    return err;
}

static orr_err fail_value(const struct place *at, const char *value,
                          const char *expected)
{
    return fail_at(at, "%s: \"%.60s\": %s", at->key, value, expected);
}

/* ORR_ECONFIG outside of min and max; at the value's place. */
static orr_err number(const struct place *at, const char *value, double min,
                      double max, double *out)
{
    char *end;
    *out = strtod(value, &end);
    if (end == value || *end || !(*out >= min) || !(*out <= max)) {
        char text[80];
        snprintf(text, sizeof text, "a number from %.15g to %.15g is expected",
                 min, max);
        return fail_value(at, value, text);
    }
    return ORR_OK;
}

static orr_err read_count(const struct place *at, const char *value,
                          uint32_t *out)
{
    double x = 0;
    orr_err err = number(at, value, 1, 1e6, &x);
    if (!err && x != floor(x))
        return fail_value(at, value, "a whole number is expected");
    *out = err ? 0 : (uint32_t)x;
    return err;
}

/* *out: the place among the names. */
static orr_err choose(const struct place *at, const char *value,
                      const char *const *names, int *out)
{
    char text[200] = "one of";
    *out = orr__param_choice(names, value);
    if (*out >= 0)
        return ORR_OK;
    for (size_t i = 0; names[i]; i++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, " %s", names[i]);
    }
    strncat(text, " is expected", sizeof text - strlen(text) - 1);
    return fail_value(at, value, text);
}

/* ---- implementations ---------------------------------------------------- */

/* One dimension's algorithm; "direct8" is one with a window. */
static orr_err one_choice(const struct place *at, const char *word,
                          struct orr_astra_per_dim *d)
{
    static const struct {
        const char *name;
        uint8_t how;
        bool one;
    } known[] = {
        {"ring", ORR_ASTRA_RING, false},
        {"oneRing", ORR_ASTRA_RING, true},
        {"halvingDoubling", ORR_ASTRA_HALVING, false},
        {"oneHalvingDoubling", ORR_ASTRA_HALVING, true},
        {"doubleBinaryTree", ORR_ASTRA_TREES, false},
        {"direct", ORR_ASTRA_DIRECT, false},
        {"oneDirect", ORR_ASTRA_DIRECT, true},
    };
    if (d->n == ORR_ASTRA_DIMS)
        return fail_value(at, word, "too many dimensions");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t n = strlen(known[i].name);
        double window = 0;
        if (strncmp(word, known[i].name, n) != 0)
            continue;
        if (word[n]) {
            if (known[i].how != ORR_ASTRA_DIRECT)
                continue;
            orr_err err = number(at, word + n, 1, 1e6, &window);
            if (err)
                return err;
        }
        d->dim[d->n++] = (struct orr_astra_choice){known[i].how, known[i].one,
                                                   (uint32_t)window};
        return ORR_OK;
    }
    return fail_value(at, word,
                      "ring, oneRing, direct, oneDirect (with or without a "
                      "window), halvingDoubling, oneHalvingDoubling or "
                      "doubleBinaryTree is expected");
}

/* Names joined by _. */
static orr_err choices(const struct place *at, const char *value,
                       struct orr_astra_per_dim *d)
{
    orr_err err = ORR_OK;
    d->n = 0;
    d->at = place_of(at);
    while (!err && *value) {
        char word[64];
        size_t n = strcspn(value, "_");
        snprintf(word, sizeof word, "%.*s", (int)n, value);
        value += n + (value[n] == '_');
        if (n)
            err = one_choice(at, word, d);
    }
    return err ? err : d->n ? ORR_OK : fail_value(at, "", "nothing is there");
}

/* Where a key's choices by dimension go; NULL: it has none. */
static struct orr_astra_per_dim *per_dim(struct orr_astra_system *s,
                                         const char *key)
{
    const struct {
        const char *key;
        struct orr_astra_per_dim *d;
    } all[] = {
        {"all-reduce-implementation", &s->all_reduce},
        {"all-gather-implementation", &s->all_gather},
        {"reduce-scatter-implementation", &s->reduce_scatter},
        {"all-to-all-implementation", &s->all_to_all},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!strcmp(all[i].key, key))
            return all[i].d;
    return NULL;
}

/* ---- other keys --------------------------------------------------------- */

/* Keys that decide in 2.x, beside those of implementations and those that
 * change nothing. 1.0 also reads the orders of dimensions and within one, and
 * Themis's gap-denominator; 2.x has kept what they choose, but not the keys. */
static bool read_by_2(const char *key)
{
    static const char *const names[] = {
        "scheduling-policy",
        "collective-optimization",
        "endpoint-delay",
        "active-chunks-per-dimension",
        "preferred-dataset-splits",
        "local-mem-bw",
        "peak-perf",
        "roofline-enabled",
        "replay-only",
        "model-shared-bus",
        NULL,
    };
    return orr__param_choice(names, key) >= 0;
}

static void note_unread(struct orr_astra_system *s, const char *key)
{
    size_t used = strlen(s->unread), room = sizeof s->unread - used;
    bool fits = strlen(key) + sizeof ", \"\", ..." < room;
    if (fits)
        snprintf(s->unread + used, room, "%s\"%s\"", used ? ", " : "", key);
    else if (used < 4 || strcmp(s->unread + used - 3, "...") != 0)
        snprintf(s->unread + used, room, "%s...", used ? ", " : "");
}

/* Keys that change nothing here: logs, and how much ASTRA-sim simulates of
 * what is the same everywhere. */
static bool ignored(const char *key)
{
    static const char *const names[] = {
        "boost-mode",
        "seprate-log",
        "separate-log",
        "local-reduction-delay",
        "L",
        "o",
        "g",
        "G",
        "trace-enabled",
        "track-local-mem",
        "local-mem-trace-filename",
        /* custom.c */
        "all-reduce-implementation-custom",
        "all-gather-implementation-custom",
        "reduce-scatter-implementation-custom",
        "all-to-all-implementation-custom",
        "per-node-custom-implementation",
        NULL,
    };
    return orr__param_choice(names, key) >= 0;
}

/* Keys of orders; *known false: this is none. */
static orr_err scheduling(const struct place *at, const char *value,
                          struct orr_astra_system *s, bool *known)
{
    static const char *const within[] = {
        "FIFO", "RG", "smallestFirst", "SCF", "lessRemainingPhaseFirst", NULL};
    static const uint8_t within_is[] = {ORR_ASTRA_BY_PRIORITY, ORR_ASTRA_RG,
                                        ORR_ASTRA_SMALLEST, ORR_ASTRA_SMALLEST,
                                        ORR_ASTRA_FEWEST_LEFT};
    static const char *const between[] = {
        "ascending",     "baseline",   "roundRobin",        "themis",
        "offlineGreedy", "themisFlex", "offlineGreedyFlex", NULL};
    static const uint8_t between_is[] = {
        ORR_ASTRA_ASCENDING, ORR_ASTRA_ASCENDING, ORR_ASTRA_ROUND_ROBIN,
        ORR_ASTRA_THEMIS,    ORR_ASTRA_THEMIS,    ORR_ASTRA_THEMIS,
        ORR_ASTRA_THEMIS};
    static const char *const policies[] = {"LIFO", "FIFO", "EXPLICIT", NULL};
    static const char *const optimizations[] = {"localBWAware", "baseline",
                                                NULL};
    int i = 0;
    orr_err err = ORR_OK;
    *known = true;
    if (!strcmp(at->key, "scheduling-policy")) {
        err = choose(at, value, policies, &i);
        s->fifo = i == 1;
        s->explicit = i == 2;
    } else if (!strcmp(at->key, "collective-optimization")) {
        err = choose(at, value, optimizations, &i);
        s->baseline = i == 1;
    } else if (!strcmp(at->key, "intra-dimension-scheduling")) {
        err = choose(at, value, within, &i);
        s->within = err ? 0 : within_is[i];
    } else if (!strcmp(at->key, "inter-dimension-scheduling")) {
        err = choose(at, value, between, &i);
        s->between = err ? 0 : between_is[i];
        s->flexible = i > 4;
    } else {
        *known = false;
    }
    return err;
}

/* One key with its value as text. Keys without effect here are accepted,
 * unknown ones are not. */
static orr_err set_key(const struct place *at, const char *value,
                       struct orr_astra_system *s)
{
    bool known;
    double x = 0;
    struct orr_astra_per_dim *d = per_dim(s, at->key);
    orr_err err = scheduling(at, value, s, &known);
    if (err || known)
        return err;
    if (d)
        return choices(at, value, d);
    if (!strcmp(at->key, "endpoint-delay"))
        s->endpoint_at = place_of(at);
    if (!strcmp(at->key, "endpoint-delay"))
        return number(at, value, 0, 1e12, &s->endpoint_ns);
    if (!strcmp(at->key, "active-chunks-per-dimension"))
        return read_count(at, value, &s->active);
    if (!strcmp(at->key, "preferred-dataset-splits"))
        return read_count(at, value, &s->splits);
    if (!strcmp(at->key, "gap-denominator"))
        return read_count(at, value, &s->gap);
    if (!strcmp(at->key, "local-mem-bw"))
        return number(at, value, 0, 1e9, &s->memory_gbps);
    if (!strcmp(at->key, "peak-perf"))
        return number(at, value, 0, 1e9, &s->peak_tflops);
    if (!strcmp(at->key, "roofline-enabled")) {
        err = number(at, value, 0, 1, &x);
        s->roofline = x > 0;
        return err;
    }
    if (!strcmp(at->key, "replay-only")) {
        err = number(at, value, 0, 1, &x);
        s->replay = x > 0;
        return err;
    }
    if (!strcmp(at->key, "model-shared-bus")) {
        err = number(at, value, 0, 1, &x);
        return err || x == 0
                   ? err
                   : fail_value(at, value,
                                "a shared memory bus is not modelled");
    }
    if (ignored(at->key))
        return ORR_OK;
    return fail_at(at, "\"%.60s\" is not a key of a system file", at->key);
}

/* ---- both spellings ----------------------------------------------------- */

/* Lists become one text with _ between, as 1.0 writes them. */
static orr_err json_value(const struct place *at, const json_t *v,
                          struct orr_astra_system *s)
{
    char text[512] = "";
    if (json_is_string(v))
        return set_key(at, json_string_value(v), s);
    if (json_is_number(v)) {
        snprintf(text, sizeof text, "%.17g", json_number_value(v));
        return set_key(at, text, s);
    }
    if (json_is_boolean(v))
        return set_key(at, json_is_true(v) ? "1" : "0", s);
    for (size_t i = 0; i < json_array_size(v); i++) {
        const char *w = json_string_value(json_array_get(v, i));
        size_t used = strlen(text);
        if (!w)
            return fail_value(at, "[...]", "a list of names is expected");
        snprintf(text + used, sizeof text - used, "%s%s", i ? "_" : "", w);
    }
    return json_is_array(v)
               ? set_key(at, text, s)
               : fail_value(at, "{...}", "a number or a text is expected");
}

/* Keys that 2.x does not read are noted, not refused. */
static orr_err read_json(const char *name, const char *text, size_t length,
                         struct orr_astra_system *s, struct orr_report *why)
{
    const struct orr_json_text json = {name, text, length};
    const char *key;
    json_t *v, *root;
    orr_err err = orr__json_read(&json, JSON_REJECT_DUPLICATES, JSON_OBJECT,
                                 "a map is expected", &root, why);
    json_object_foreach(root, key, v)
    {
        const struct place at = {name, key, 0, why, 0, &json};
        bool known = read_by_2(key) || per_dim(s, key) || ignored(key);
        if (!err && known)
            err = json_value(&at, v, s);
        else if (!known)
            note_unread(s, key);
    }
    json_decref(root);
    return err;
}

/* `text` is cut into lines in place. */
static orr_err read_lines(const char *name, char *text,
                          struct orr_astra_system *s, struct orr_report *why)
{
    orr_err err = ORR_OK;
    int line = 0;
    for (char *p = text; !err && p && *p; line++) {
        char *next = strchr(p, '\n'), *from = p;
        if (next)
            *next++ = '\0';
        p[strcspn(p, "\r")] = '\0';
        p += strspn(p, " \t");
        char *value = strchr(p, ':');
        if (*p && !value)
            return orr__fail_at(why, ORR_ECONFIG, name, line + 1, 1,
                                "`key: value` is expected");
        if (value) {
            *value++ = '\0';
            value += strspn(value, " \t");
            for (size_t n = strlen(value);
                 n && (value[n - 1] == ' ' || value[n - 1] == '\t');)
                value[--n] = '\0';
            const struct place at = {
                name, p, line + 1, why, (int)(value - from) + 1, NULL};
            err = set_key(&at, value, s);
        }
        p = next;
    }
    return err;
}

orr_err orr__astra_system(const char *name, const char *text, size_t length,
                          struct orr_astra_system *out, struct orr_report *why)
{
    const struct orr_astra_per_dim ring = {.n = 1,
                                           .dim = {{ORR_ASTRA_RING, false, 0}}};
    *out = (struct orr_astra_system){
        .endpoint_ns = 10,
        .active = 1,
        .splits = 1,
        .gap = 16,
        .all_reduce = ring,
        .all_gather = ring,
        .reduce_scatter = ring,
        .all_to_all = {.n = 1, .dim = {{ORR_ASTRA_DIRECT, false, 0}}},
    };
    out->json = text[strspn(text, " \t\r\n")] == '{';
    if (out->json)
        return read_json(name, text, length, out, why);
    char *copy = orr__strdup(text);
    if (!copy)
        return orr__no_memory(why);
    orr_err err = read_lines(name, copy, out, why);
    orr__free(copy);
    return err;
}
