/* Keys that are fitted: where they begin, their bounds, their texts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/units.h"
#include "study/fit/state.h"
#include "study/measured/rows.h"

/* Bounds that were not given: so many times less and more. */
#define WIDE 1000.0

enum { MOST_KEY = 120 };

/* A text as a value of some unit; NULL, or why it is none. */
static const char *read_value(const char *text, enum orr_fit_unit *unit,
                              double *value)
{
    int64_t ps;
    uint64_t n;
    if (!orr__parse_real(text, value)) {
        *unit = ORR_FIT_REAL;
        return isfinite(*value) && *value >= 0 ? NULL : "it is below 0";
    }
    if (!orr__parse_time(text, &ps)) {
        *unit = ORR_FIT_TIME;
        *value = (double)ps;
    } else if (!orr__parse_rate(text, &n)) {
        *unit = ORR_FIT_RATE;
        *value = (double)n;
    } else if (!orr__parse_size(text, &n)) {
        *unit = ORR_FIT_SIZE;
        *value = (double)n;
    } else {
        return "it is no time, rate, size or number";
    }
    return NULL;
}

/* "KEY=LOW..HIGH": the bounds, behind the "=". */
static orr_err read_bounds(struct orr_fit_key *k, const char *text,
                           struct orr_report *why)
{
    char low[64];
    const char *dots = strstr(text, "..");
    enum orr_fit_unit unit;
    size_t n = dots ? (size_t)(dots - text) : sizeof low;
    if (n >= sizeof low)
        return orr__fail(why, ORR_ECONFIG,
                         "--vary %s: bounds are LOW..HIGH, not \"%s\"", k->key,
                         text);
    snprintf(low, sizeof low, "%.*s", (int)n, text);
    const char *wrong = read_value(low, &unit, &k->low);
    if (wrong || (unit != k->unit && k->low > 0))
        return orr__fail(why, ORR_ECONFIG, "--vary %s: \"%s\": %s", k->key, low,
                         wrong ? wrong : "not in the unit of the key");
    wrong = read_value(dots + 2, &unit, &k->high);
    if (wrong || unit != k->unit)
        return orr__fail(why, ORR_ECONFIG, "--vary %s: \"%s\": %s", k->key,
                         dots + 2,
                         wrong ? wrong : "not in the unit of the key");
    if (k->low >= k->high)
        return orr__fail(why, ORR_ECONFIG,
                         "--vary %s: the lower bound is not below the upper "
                         "one",
                         k->key);
    return ORR_OK;
}

/* What the key is now, and where it may go. */
static orr_err read_key(struct orr_fit *f, struct orr_fit_key *k,
                        const char *bounds, struct orr_config *effective,
                        struct orr_report *why)
{
    const struct orr_yaml *at =
        orr__config_at(orr__config_root(effective), k->key);
    const char *text = orr__yaml_is_scalar(at) && !orr__yaml_is_null(at)
                           ? orr__yaml_text(effective, at)
                           : NULL;
    if (!text) {
        orr_err err = orr__fail(why, ORR_ECONFIG,
                                "--vary %s: the configuration "
                                "has no such value",
                                k->key);
        orr__hint(why, "give it one to begin with: -s %s=VALUE", k->key);
        return err;
    }
    const char *wrong = read_value(text, &k->unit, &k->begin);
    if (wrong) {
        orr_err err = orr__fail(why, ORR_ECONFIG, "--vary %s: \"%s\": %s",
                                k->key, text, wrong);
        orr__hint(why, "give it a number to begin with: -s %s=VALUE", k->key);
        return err;
    }
    k->low = k->begin / WIDE;
    k->high = k->begin * WIDE;
    orr_err err = bounds ? read_bounds(k, bounds, why) : ORR_OK;
    if (!err && !(k->high > 0)) {
        err = orr__fail(why, ORR_ECONFIG,
                        "--vary %s: it is 0, which says nothing about where to "
                        "look",
                        k->key);
        orr__hint(why, "give bounds: --vary %s=LOW..HIGH", k->key);
    }
    k->linear = k->low == 0;
    k->begin = fmin(fmax(k->begin, k->low), k->high);
    if (!bounds && k->unit == ORR_FIT_TIME)
        k->high = fmin(k->high, (double)ORR_S * 1000);
    return err;
}

/* One of a list: "KEY" or "KEY=LOW..HIGH". */
static orr_err add_key(struct orr_fit *f, const char *text, size_t n,
                       struct orr_config *effective, struct orr_report *why)
{
    if (n == 0)
        return orr__fail(why, ORR_ECONFIG, "--vary: a key is missing");
    if (f->keys == ORR_FIT_KEYS)
        return orr__fail(why, ORR_ECONFIG, "--vary: more than %d keys",
                         ORR_FIT_KEYS);
    if (n > MOST_KEY)
        return orr__fail(why, ORR_ECONFIG, "--vary: \"%.40s...\" is too long",
                         text);
    char *copy = orr__format("%.*s", (int)n, text);
    char *kept = copy ? orr__arena_strdup(&f->arena, copy) : NULL;
    orr__free(copy);
    if (!kept)
        return orr__no_memory(why);
    char *bounds = strchr(kept, '=');
    if (bounds)
        *bounds++ = '\0';
    struct orr_fit_key *k = &f->key[f->keys];
    *k = (struct orr_fit_key){.key = kept, .from = NAN, .to = NAN};
    for (uint32_t i = 0; i < f->keys; i++)
        if (strcmp(f->key[i].key, kept) == 0)
            return orr__fail(why, ORR_ECONFIG, "--vary: %s twice", kept);
    f->keys++;
    return read_key(f, k, bounds, effective, why);
}

orr_err orr__fit_keys(struct orr_fit *f, struct orr_config *effective,
                      struct orr_report *why)
{
    orr_err err = ORR_OK;
    for (size_t i = 0; i < f->o->n_vary; i++)
        for (const char *p = f->o->vary[i]; !err;) {
            size_t n = strcspn(p, ",");
            err = add_key(f, p, n, effective, why);
            if (!p[n])
                break;
            p += n + 1;
        }
    if (!err && f->keys == 0)
        err = orr__fail(why, ORR_ECONFIG, "no key to fit: --vary KEY");
    return err;
}

/* ---- values ------------------------------------------------------------- */

double orr__fit_round(const struct orr_fit_key *k, double value)
{
    value = fmin(fmax(value, k->low), k->high);
    return k->unit == ORR_FIT_REAL ? value : rint(value);
}

void orr__fit_assign(const struct orr_fit_key *k, double value, char *text,
                     size_t size)
{
    static const char *const units[] = {"ps", "bps", "B"};
    if (k->unit == ORR_FIT_REAL)
        snprintf(text, size, "%s=%.17g", k->key, value);
    else
        snprintf(text, size, "%s=%.0f%s", k->key, value, units[k->unit]);
}

void orr__fit_value(const struct orr_fit_key *k, double value, char *text,
                    size_t size)
{
    switch (k->unit) {
    case ORR_FIT_TIME: orr__human_time((int64_t)value, text, size); break;
    case ORR_FIT_RATE: orr__human_rate(value, text, size); break;
    case ORR_FIT_SIZE: orr__human_size((uint64_t)value, text, size); break;
    case ORR_FIT_REAL: snprintf(text, size, "%.4g", value); break;
    }
}
