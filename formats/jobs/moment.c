/* Moments as the traces of clusters write them. */
#include <stdio.h>
#include <string.h>

#include "core/assert.h"
#include "core/units.h"
#include "formats/jobs/table.h"

static const char wrong[] = "not a time: seconds, or a date like 2023-03-01 "
                            "00:18:22";

/* Days since 1 January 1970 in the Gregorian calendar, of a year from 1970 to
 * 2200: years begin in March, so that the day that leap years have is last. */
static int64_t days_of(int year, int month, int day)
{
    int64_t y = year - (month <= 2), m = (month + 9) % 12;
    int64_t leap = y / 4 - y / 100 + y / 400;
    ORR_ASSERT(m >= 0 && m < 12 && day >= 1 && day <= 31);
    return y * 365 + leap + (m * 306 + 5) / 10 + day - 1 - 719468;
}

static int days_in(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 && leap);
}

/* One or two digits up to `most`; a sign or a blank is none. */
static bool read_part(const char **at, int least, int most, int *out)
{
    const char *p = *at;
    int n = 0, v = 0;
    for (; n < 2 && *p >= '0' && *p <= '9'; n++)
        v = 10 * v + (*p++ - '0');
    *at = p;
    *out = v;
    return n > 0 && v >= least && v <= most;
}

/* YYYY-MM-DD or with slashes; *days since 1970. *at moves behind it. */
static bool read_date(const char **at, int64_t *days)
{
    int year = 0, month, day;
    const char *p = *at;
    for (int i = 0; i < 4; i++, p++) {
        if (*p < '0' || *p > '9')
            return false;
        year = 10 * year + (*p - '0');
    }
    char between = *p++;
    if (year < 1970 || year > 2200 || (between != '-' && between != '/')
        || !read_part(&p, 1, 12, &month) || *p++ != between
        || !read_part(&p, 1, 31, &day) || day > days_in(year, month))
        return false;
    *days = days_of(year, month, day);
    *at = p;
    return true;
}

/* Hours, minutes, and seconds with their parts if there are any, in ns. */
static bool read_clock(const char **at, int64_t *ns)
{
    int h, m, s = 0;
    int64_t part = 0, unit = INT64_C(1000000000);
    const char *p = *at;
    if (!read_part(&p, 0, 23, &h) || *p++ != ':' || !read_part(&p, 0, 59, &m))
        return false;
    if (*p == ':') {
        p++;
        if (!read_part(&p, 0, 60, &s))
            return false;
        if (*p == '.')
            for (p++; *p >= '0' && *p <= '9'; p++)
                part += (unit /= 10) * (*p - '0');
    }
    *ns =
        (h * INT64_C(3600) + m * INT64_C(60) + s) * INT64_C(1000000000) + part;
    *at = p;
    return true;
}

/* "+08:00", "-0700", "Z", or nothing: minutes east of Greenwich. */
static bool read_offset(const char *p, int *minutes)
{
    int h, m = 0, sign;
    *minutes = 0;
    while (*p == ' ')
        p++;
    if (*p == '\0' || strcmp(p, "Z") == 0 || strcmp(p, "UTC") == 0)
        return true;
    sign = *p == '-' ? -1 : 1;
    if (*p != '+' && *p != '-')
        return false;
    p++;
    if (!read_part(&p, 0, 14, &h))
        return false;
    p += *p == ':';
    if (*p && !read_part(&p, 0, 59, &m))
        return false;
    *minutes = sign * (60 * h + m);
    return *p == '\0';
}

const char *orr__jobs_moment(const char *text, int64_t *ns)
{
    char seconds[48];
    int64_t days, clock;
    int offset;
    const char *p = text;
    size_t digits = strspn(text, "0123456789.");
    if (digits > 0 && text[digits] == '\0') {
        int n = snprintf(seconds, sizeof seconds, "%ss", text);
        return n >= (int)sizeof seconds ? wrong
                                        : orr__parse_long_time(seconds, ns);
    }
    if (!read_date(&p, &days) || (*p != ' ' && *p != 'T'))
        return wrong;
    p++;
    if (!read_clock(&p, &clock) || !read_offset(p, &offset))
        return wrong;
    *ns = (days * 1440 - offset) * INT64_C(60000000000) + clock;
    return NULL;
}
