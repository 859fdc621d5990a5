/* Time is int64_t picoseconds, sizes are uint64_t bytes, rates uint64_t bit/s.
 * Here are the only conversions between them, and between them and text. */
#ifndef ORR_CORE_UNITS_H
#define ORR_CORE_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/assert.h"

#define ORR_NEVER INT64_MAX
#define ORR_NS    INT64_C(1000)
#define ORR_US    INT64_C(1000000)
#define ORR_MS    INT64_C(1000000000)
#define ORR_S     INT64_C(1000000000000)

/* Simulated time ends here, after 53 days: whatever is added to a time before
 * it, and is no longer than that, fits into 63 bits. No time that is read is
 * longer. */
#define ORR_HORIZON (INT64_C(1) << 62)

/* Serialisation time in ps: ceil(8e12 * bytes / rate_bps); ORR_NEVER where it
 * would not fit. rate_bps > 0. */
static inline int64_t orr__serialisation(uint64_t bytes, uint64_t rate_bps)
{
    ORR_ASSERT(rate_bps > 0);
    unsigned __int128 bits = (unsigned __int128)bytes * 8000000000000u;
    unsigned __int128 t = (bits + rate_bps - 1) / rate_bps;
    return t > (unsigned __int128)INT64_MAX ? ORR_NEVER : (int64_t)t;
}

/* a + b for b >= 0, stopping at ORR_NEVER. */
static inline int64_t orr__time_add(int64_t a, int64_t b)
{
    ORR_ASSERT(b >= 0);
    return a > ORR_NEVER - b ? ORR_NEVER : a + b;
}

/* Bytes that a link of rate_bps sends in ps, rounded down. */
static inline uint64_t orr__bytes_in(int64_t ps, uint64_t rate_bps)
{
    ORR_ASSERT(ps >= 0);
    return (uint64_t)((unsigned __int128)ps * rate_bps / 8000000000000u);
}

/* Parse "400Gbps" "53.687GB/s" | "500ns" "1.5us" | "4MiB" "25MB" "64B".
 * Decimal fractions are exact (no double): a value that is not a whole number
 * of ps, bytes or bit/s is rounded to nearest. NULL on success, else a static
 * sentence about what is wrong ("a unit is missing", ...).
 * Rates: bps Kbps Mbps Gbps Tbps (bits), B/s KB/s MB/s GB/s TB/s and KiB/s
 * MiB/s GiB/s TiB/s (bytes). Times: ps ns us ms s (and min h). Sizes: B KB MB
 * GB TB (powers of ten) KiB MiB GiB TiB. Negative values are errors. */
const char *orr__parse_time(const char *text, int64_t *ps);
/* A time in nanoseconds, up to 292 years: also in days, d. */
const char *orr__parse_long_time(const char *text, int64_t *ns);
const char *orr__parse_size(const char *text, uint64_t *bytes);
/* Is what orr__parse_size reads what is written, without rounding? */
bool orr__is_integer_size(const char *text);
const char *orr__parse_rate(const char *text, uint64_t *bps);
/* A plain integer / real without unit. */
const char *orr__parse_int(const char *text, int64_t *value);
const char *orr__parse_real(const char *text, double *value);

/* Shortest text with a unit that reads back to the same value ("400Gbps"). */
void orr__format_time(int64_t ps, char *buf, size_t size);
void orr__format_size(uint64_t bytes, char *buf, size_t size);
void orr__format_rate(uint64_t bps, char *buf, size_t size);
/* For people: about four digits ("45.69 us", "1.05 MB", "12.4 Gbps"). */
void orr__human_time(int64_t ps, char *buf, size_t size);
void orr__human_long_time(int64_t ns, char *buf, size_t size); /* "2.5 h" */
void orr__human_size(uint64_t bytes, char *buf, size_t size);
/* A size that somebody chose: as it is written in configurations if that takes
 * three digits at most, "64MiB", else as orr__human_size has it. */
void orr__human_choice(uint64_t bytes, char *buf, size_t size);
void orr__human_rate(double bps, char *buf, size_t size);

#endif
