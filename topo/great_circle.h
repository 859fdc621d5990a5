/* Distances on the earth, by nothing but + - * / and sqrt: delays come of them,
 * and those must not depend on a libm. */
#ifndef ORR_TOPO_GREAT_CIRCLE_H
#define ORR_TOPO_GREAT_CIRCLE_H

#include <stdint.h>

struct orr_place {      /* degrees; not finite: unknown */
    double north, east; /* latitude, -90..90; longitude, -180..360 */
};

/* Metres on the shortest way over a sphere of the earth's mean radius. */
double orr__great_circle(const struct orr_place *a, const struct orr_place *b);
/* How long light takes that way in fibre, at 2/3 of its speed: ps, whole
 * nanoseconds. */
int64_t orr__fibre_delay(const struct orr_place *a, const struct orr_place *b);

#endif
