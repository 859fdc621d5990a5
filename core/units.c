#include "core/units.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned __int128 u128;

/* A unit of a quantity, such as {"us", 1000000}. */
struct unit {
    const char *name;
    uint64_t scale; /* ps, bytes or bit/s in one of it */
};

/* One kind of quantity. Its sentences list the units that its table has. */
struct quantity {
    const struct unit *units; /* ends with a NULL name */
    uint64_t max;
    const char *missing, *unknown, *negative, *malformed;
};

#define KILO UINT64_C(1000)
#define MEGA (KILO * 1000)
#define GIGA (MEGA * 1000)
#define TERA (GIGA * 1000)
#define KIBI UINT64_C(1024)
#define MEBI (KIBI * 1024)
#define GIBI (MEBI * 1024)
#define TEBI (GIBI * 1024)

static const struct unit time_units[] = {
    {"ps", 1},   {"ns", KILO},       {"us", MEGA},       {"ms", GIGA},
    {"s", TERA}, {"min", 60 * TERA}, {"h", 3600 * TERA}, {NULL, 0},
};
static const struct unit long_units[] = {
    {"ns", 1},          {"us", KILO},       {"ms", MEGA},        {"s", GIGA},
    {"min", 60 * GIGA}, {"h", 3600 * GIGA}, {"d", 86400 * GIGA}, {NULL, 0},
};
static const struct unit size_units[] = {
    {"B", 1},      {"KB", KILO},  {"MB", MEGA},  {"GB", GIGA},  {"TB", TERA},
    {"KiB", KIBI}, {"MiB", MEBI}, {"GiB", GIBI}, {"TiB", TEBI}, {NULL, 0},
};
static const struct unit rate_units[] = {
    {"bps", 1},          {"Kbps", KILO},      {"Mbps", MEGA},
    {"Gbps", GIGA},      {"Tbps", TERA},      {"B/s", 8},
    {"KB/s", 8 * KILO},  {"MB/s", 8 * MEGA},  {"GB/s", 8 * GIGA},
    {"TB/s", 8 * TERA},  {"KiB/s", 8 * KIBI}, {"MiB/s", 8 * MEBI},
    {"GiB/s", 8 * GIBI}, {"TiB/s", 8 * TEBI}, {NULL, 0},
};

static const struct quantity a_time = {
    time_units,
    INT64_MAX,
    "a unit is missing: write a time like 10us or 500ns",
    "unknown unit: a time takes ps ns us ms s min h",
    "a time cannot be negative",
    "not a time: write a number and a unit, like 10us or 500ns",
};
static const struct quantity a_long_time = {
    long_units,
    INT64_MAX,
    "a unit is missing: write a time like 30s or 24h",
    "unknown unit: a time of a cluster takes ns us ms s min h d",
    "a time cannot be negative",
    "not a time: write a number and a unit, like 30s or 24h",
};
static const struct quantity a_size = {
    size_units,
    UINT64_MAX,
    "a unit is missing: write a size like 4096B or 4MiB",
    "unknown unit: a size takes B KB MB GB TB or KiB MiB GiB TiB",
    "a size cannot be negative",
    "not a size: write a number and a unit, like 4096B or 4MiB",
};
static const struct quantity a_rate = {
    rate_units,
    UINT64_MAX,
    "a unit is missing: write a rate like 400Gbps or 50GB/s",
    "unknown unit: a rate takes bps Kbps Mbps Gbps Tbps (bits) or "
    "B/s KB/s MB/s GB/s TB/s KiB/s MiB/s GiB/s TiB/s (bytes)",
    "a rate cannot be negative",
    "not a rate: write a number and a unit, like 400Gbps or 50GB/s",
};

static const char too_large[] = "too large to be represented";

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static const char *skip_digits(const char *s)
{
    while (is_digit(*s))
        s++;
    return s;
}

/* Whole digits [s, end); false beyond 64 bits. */
static bool integer_value(const char *s, const char *end, uint64_t *value)
{
    *value = 0;
    for (; s < end; s++)
        if (__builtin_mul_overflow(*value, UINT64_C(10), value)
            || __builtin_add_overflow(*value, (uint64_t)(*s - '0'), value))
            return false;
    return true;
}

/* The fraction 0.[s, end) of scale, rounded to nearest, halves up. Working
 * from the last digit forward, each division may round down: the floors nest.
 * Twice the scale keeps the one bit that decides the rounding. *whole: nothing
 * was rounded, which is so if no step has rounded. */
static uint64_t fraction_of(const char *s, const char *end, uint64_t scale,
                            bool *whole)
{
    u128 twice = 0;
    *whole = true;
    while (end > s) {
        twice += (u128)(uint64_t)(*--end - '0') * (2 * scale);
        *whole &= twice % 10 == 0;
        twice /= 10;
    }
    *whole &= twice % 2 == 0;
    return (uint64_t)((twice + 1) / 2);
}

static const struct unit *find_unit(const struct unit *units, const char *name)
{
    for (; units->name; units++)
        if (strcmp(units->name, name) == 0)
            return units;
    return NULL;
}

/* NULL, or what is wrong with the text, without its place. *value is rounded
 * down to a whole ps, byte or bit/s; *exact: nothing was cut off. */
static const char *parse_exactly(const char *text, const struct quantity *q,
                                 uint64_t *value, bool *exact)
{
    if (*text == '-' && is_digit(text[1]))
        return q->negative;
    const char *whole_end = skip_digits(text), *end = whole_end;
    const char *fraction = whole_end;
    if (*end == '.') {
        fraction = end + 1;
        end = skip_digits(fraction);
    }
    if (whole_end == text || (*whole_end == '.' && end == fraction))
        return q->malformed;
    const char *name = end;
    while (*name == ' ')
        name++;
    if (*name == '\0')
        return q->missing;
    const struct unit *unit = find_unit(q->units, name);
    if (unit == NULL)
        return q->unknown;
    uint64_t whole;
    if (!integer_value(text, whole_end, &whole))
        return too_large;
    u128 v = (u128)whole * unit->scale;
    v += fraction_of(fraction, end, unit->scale, exact);
    if (v > q->max)
        return too_large;
    *value = (uint64_t)v;
    return NULL;
}

static const char *parse_quantity(const char *text, const struct quantity *q,
                                  uint64_t *value)
{
    bool exact;
    return parse_exactly(text, q, value, &exact);
}

const char *orr__parse_time(const char *text, int64_t *ps)
{
    uint64_t v = 0;
    const char *wrong = parse_quantity(text, &a_time, &v);
    if (wrong == NULL && v > (uint64_t)ORR_HORIZON)
        wrong = "too long, simulated time ends after 53 days (4611686s)";
    if (wrong == NULL)
        *ps = (int64_t)v;
    return wrong;
}

const char *orr__parse_long_time(const char *text, int64_t *ns)
{
    uint64_t v = 0;
    const char *wrong = parse_quantity(text, &a_long_time, &v);
    if (wrong == NULL)
        *ns = (int64_t)v;
    return wrong;
}

const char *orr__parse_size(const char *text, uint64_t *bytes)
{
    return parse_quantity(text, &a_size, bytes);
}

bool orr__is_integer_size(const char *text)
{
    uint64_t bytes;
    bool exact = false;
    return !parse_exactly(text, &a_size, &bytes, &exact) && exact;
}

const char *orr__parse_rate(const char *text, uint64_t *bps)
{
    return parse_quantity(text, &a_rate, bps);
}

const char *orr__parse_int(const char *text, int64_t *value)
{
    bool negative = *text == '-';
    const char *digits = text + negative, *end = skip_digits(digits);
    if (end == digits || *end != '\0')
        return "not a whole number";
    uint64_t v;
    if (!integer_value(digits, end, &v) || v > (uint64_t)INT64_MAX + negative)
        return too_large;
    *value = negative ? (int64_t)(0 - v) : (int64_t)v;
    return NULL;
}

/* [-]digits[.digits][e[+-]digits]: no hexadecimal, no inf, no nan. */
static bool is_real(const char *s)
{
    s += *s == '-';
    const char *end = skip_digits(s);
    if (end == s)
        return false;
    if (*end == '.') {
        s = end + 1;
        end = skip_digits(s);
        if (end == s)
            return false;
    }
    if (*end == 'e' || *end == 'E') {
        s = end + 1;
        s += *s == '+' || *s == '-';
        end = skip_digits(s);
        if (end == s)
            return false;
    }
    return *end == '\0';
}

const char *orr__parse_real(const char *text, double *value)
{
    if (!is_real(text))
        return "not a number";
    /* A program around the library may have set a locale with a decimal comma;
     * glibc hands out its static C locale here, without an allocation. */
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (c == (locale_t)0)
        return "not readable without memory";
    double v = strtod_l(text, NULL, c);
    freelocale(c);
    if (!isfinite(v))
        return too_large;
    *value = v;
    return NULL;
}

/* ---- to text ---- */

/* v / scale as an exact decimal with the unit; scale a power of ten. */
static void exact_decimal(uint64_t v, const struct unit *u, char *buf,
                          size_t size)
{
    char digits[24];
    int n = 0;
    uint64_t rest = v % u->scale;
    for (uint64_t s = u->scale / 10; rest > 0; s /= 10) {
        digits[n++] = (char)('0' + rest / s);
        rest %= s;
    }
    digits[n] = '\0';
    snprintf(buf, size, "%llu%s%s%s", (unsigned long long)(v / u->scale),
             n ? "." : "", digits, u->name);
}

/* Tries the first n units of a table: whole numbers of any, fractions of those
 * that are powers of ten. Keeps the shortest, among equals a whole number. */
static void format_exact(uint64_t v, const struct unit *units, size_t n,
                         const char *zero_unit, char *buf, size_t size)
{
    char best[64] = "", text[64];
    bool best_whole = false;
    if (v == 0) {
        snprintf(buf, size, "0%s", zero_unit);
        return;
    }
    for (const struct unit *u = units; u < units + n; u++) {
        uint64_t power = 1;
        while (power < u->scale)
            power *= 10;
        bool whole = v % u->scale == 0;
        if (v < u->scale || (!whole && power != u->scale))
            continue;
        if (whole)
            snprintf(text, sizeof text, "%llu%s",
                     (unsigned long long)(v / u->scale), u->name);
        else
            exact_decimal(v, u, text, sizeof text);
        size_t have = strlen(best), now = strlen(text);
        if (have == 0 || now < have || (now == have && whole && !best_whole)) {
            memcpy(best, text, now + 1);
            best_whole = whole;
        }
    }
    snprintf(buf, size, "%s", best);
}

void orr__format_time(int64_t ps, char *buf, size_t size)
{
    if (ps >= 0 || size < 2) {
        format_exact((uint64_t)ps, time_units, 5, "s", buf, size);
        return;
    }
    buf[0] = '-'; /* not read back; only for messages */
    format_exact(0 - (uint64_t)ps, time_units, 5, "s", buf + 1, size - 1);
}

void orr__format_size(uint64_t bytes, char *buf, size_t size)
{
    format_exact(bytes, size_units, 9, "B", buf, size);
}

void orr__format_rate(uint64_t bps, char *buf, size_t size)
{
    format_exact(bps, rate_units, 5, "bps", buf, size);
}

/* Four digits of x with as many decimals as that leaves, without trailing
 * zeros, in integers so that no locale changes the point. */
static void four_digits(double x, char *buf, size_t size)
{
    int decimals = x >= 999.95 ? 0 : x >= 99.995 ? 1 : x >= 9.9995 ? 2 : 3;
    uint64_t power = 1;
    for (int i = 0; i < decimals; i++)
        power *= 10;
    uint64_t n = (uint64_t)(x * (double)power + 0.5);
    char digits[8] = "";
    if (n % power)
        snprintf(digits, sizeof digits, ".%0*u", decimals,
                 (unsigned)(n % power));
    for (size_t i = strlen(digits); i > 0 && digits[i - 1] == '0'; i--)
        digits[i - 1] = '\0';
    snprintf(buf, size, "%llu%s", (unsigned long long)(n / power), digits);
}

/* names are a factor 1000 apart, the first counts ones. */
static void print_human(double x, const char *const *names, size_t n, char *buf,
                        size_t size)
{
    char number[32];
    size_t i = 0;
    for (; i + 1 < n && x >= 999.95; i++)
        x /= 1000;
    if (!(x < 1e15)) /* also not a number */
        snprintf(number, sizeof number, "a lot of");
    else
        four_digits(x, number, sizeof number);
    snprintf(buf, size, "%s %s", number, names[i]);
}

void orr__human_time(int64_t ps, char *buf, size_t size)
{
    static const char *const names[] = {"ps", "ns", "us", "ms", "s"};
    if (ps == ORR_NEVER) {
        snprintf(buf, size, "never");
        return;
    }
    if (ps < 0 && size > 1) {
        *buf++ = '-';
        size--;
    }
    print_human(ps < 0 ? -(double)ps : (double)ps, names, 5, buf, size);
}

void orr__human_long_time(int64_t ns, char *buf, size_t size)
{
    static const struct unit large[] = {
        {"d", 86400 * GIGA},
        {"h", 3600 * GIGA},
        {"min", 60 * GIGA},
    };
    for (size_t i = 0; i < sizeof large / sizeof *large; i++)
        if (ns >= 0 && (uint64_t)ns >= 2 * large[i].scale) {
            snprintf(buf, size, "%.4g %s", (double)ns / (double)large[i].scale,
                     large[i].name);
            return;
        }
    orr__human_time(ns > ORR_HORIZON / 1000 ? ORR_HORIZON : ns * 1000, buf,
                    size);
}

void orr__human_size(uint64_t bytes, char *buf, size_t size)
{
    static const char *const names[] = {"B", "KB", "MB", "GB", "TB"};
    print_human((double)bytes, names, 5, buf, size);
}

void orr__human_choice(uint64_t bytes, char *buf, size_t size)
{
    size_t digits = 0;
    orr__format_size(bytes, buf, size);
    while (buf[digits] >= '0' && buf[digits] <= '9')
        digits++;
    if (digits > 3)
        orr__human_size(bytes, buf, size);
}

void orr__human_rate(double bps, char *buf, size_t size)
{
    static const char *const names[] = {"bps", "Kbps", "Mbps", "Gbps", "Tbps"};
    print_human(bps < 0 ? 0 : bps, names, 5, buf, size);
}
