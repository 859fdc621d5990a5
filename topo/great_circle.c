#include "topo/great_circle.h"

#include <math.h>

#include "core/units.h"

#define EARTH_RADIUS 6371008.8   /* m: the mean radius R1 of GRS 80 */
#define LIGHT        299792458.0 /* m/s, in a vacuum */
#define PI           3.14159265358979323846

/* Of an angle from -180 to 180 degrees: Taylor's series for an eighth of it,
 * which three doublings bring back. */
static void sine_cosine(double degrees, double *sine, double *cosine)
{
    const double x = degrees * (PI / 180) / 8, xx = x * x;
    double s = 0, c = 0;
    for (int n = 16; n > 0; n -= 2) {
        s = (1 - s) * xx / (n * (n + 1));
        c = (1 - c) * xx / (n * (n - 1));
    }
    s = x * (1 - s);
    c = 1 - c;
    for (int i = 0; i < 3; i++) {
        double twice = 2 * s * c;
        c = 1 - 2 * s * s;
        s = twice;
    }
    *sine = s;
    *cosine = c;
}

/* For 0 <= sine <= 1: the series for an eighth of the angle. */
static double arc_sine(double sine)
{
    double s = sine, sum = 0;
    for (int i = 0; i < 3; i++)
        s /= sqrt(2 * (1 + sqrt(1 - s * s)));
    double term = s;
    for (int n = 0; n < 16; n++) {
        sum += term / (2 * n + 1);
        term *= s * s * (2 * n + 1) / (2 * n + 2);
    }
    return 8 * sum;
}

static void unit_vector(const struct orr_place *p, double v[3])
{
    double up, flat, s, c;
    sine_cosine(p->north, &up, &flat);
    sine_cosine(p->east > 180 ? p->east - 360 : p->east, &s, &c);
    v[0] = flat * c;
    v[1] = flat * s;
    v[2] = up;
}

double orr__great_circle(const struct orr_place *a, const struct orr_place *b)
{
    double u[3], v[3], sum = 0;
    unit_vector(a, u);
    unit_vector(b, v);
    for (int i = 0; i < 3; i++)
        sum += (u[i] - v[i]) * (u[i] - v[i]);
    double half = sqrt(sum) / 2;
    return 2 * arc_sine(half < 1 ? half : 1) * EARTH_RADIUS;
}

int64_t orr__fibre_delay(const struct orr_place *a, const struct orr_place *b)
{
    double ns = orr__great_circle(a, b) * 1.5 / LIGHT * 1e9;
    return (int64_t)(ns + 0.5) * ORR_NS;
}
