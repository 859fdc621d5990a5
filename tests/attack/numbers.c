/* Numbers, sizes, times and rates at random. */
#include <math.h>

#include "core/units.h"
#include "tests/attack/draw.h"

uint32_t orr__draw_below(struct draw *d, uint32_t n)
{
    return (uint32_t)orr__random_below(&d->random, n);
}

bool orr__draw_chance(struct draw *d, double share)
{
    return orr__random_unit(&d->random) < share;
}

double orr__draw_between(struct draw *d, double least, double most)
{
    double u = orr__random_unit(&d->random);

    return least * pow(most / least, u);
}

json_t *orr__draw_text(const char *format, unsigned long long value)
{
    char buf[64];

    snprintf(buf, sizeof buf, format, value);
    return json_string(buf);
}

json_t *orr__draw_size(struct draw *d, uint64_t least, uint64_t most)
{
    static const uint64_t round[] = {1,    64,   1000,  1460,   4096,
                                     4097, 9000, 65536, 100000, 333333};
    uint64_t v = round[orr__draw_below(d, sizeof round / sizeof *round)];

    if (least == 0 && orr__draw_chance(d, 0.05))
        return json_string("0B");
    if (v < least || v > most || orr__draw_chance(d, 0.5))
        v = (uint64_t)orr__draw_between(d, (double)(least ? least : 1),
                                        (double)most);
    return orr__draw_text("%lluB", v);
}

json_t *orr__draw_time(struct draw *d, int64_t least, int64_t most)
{
    static const int64_t round[] = {ORR_NS,      37 * ORR_NS, 500 * ORR_NS,
                                    ORR_US,      3 * ORR_US,  10 * ORR_US,
                                    50 * ORR_US, ORR_MS,      12345};
    int64_t v = round[orr__draw_below(d, sizeof round / sizeof *round)];

    if (least == 0 && orr__draw_chance(d, 0.1))
        return json_string("0s");
    if (v < least || v > most || orr__draw_chance(d, 0.4))
        v = (int64_t)orr__draw_between(d, (double)(least ? least : 1),
                                       (double)most);
    if (v % ORR_US == 0)
        return orr__draw_text("%lluus", (unsigned long long)(v / ORR_US));
    return orr__draw_text("%llups", (unsigned long long)v);
}

json_t *orr__draw_rate(struct draw *d)
{
    static const char *const round[] = {"100Gbps", "400Gbps", "10Gbps",
                                        "25Gbps",  "333Mbps", "7Gbps",
                                        "50GB/s",  "40Gbps",  "1Gbps"};

    if (orr__draw_chance(d, 0.7))
        return json_string(
            round[orr__draw_below(d, sizeof round / sizeof *round)]);
    return orr__draw_text("%llubps",
                          (unsigned long long)orr__draw_between(d, 5e7, 8e11));
}
