#include "net/config/random_failures.h"

#include <math.h>

#include "core/random.h"
#include "core/units.h"

/* Whole nanoseconds, one at least, so that no two libraries differ. */
static int64_t draw_time(struct orr_random *r, int64_t mean)
{
    double ns = rint(-log1p(-orr__random_unit(r)) * (double)mean / ORR_NS);

    if (ns < 1)
        ns = 1;
    return ns < (double)(ORR_NEVER / ORR_NS) ? (int64_t)ns * ORR_NS : ORR_NEVER;
}

bool orr__random_failures_draw(const struct orr_random_failures *c,
                               uint32_t thing,
                               bool (*fn)(void *arg, int64_t down, int64_t up),
                               void *arg)
{
    struct orr_random r;
    int64_t now = 0, up;

    orr__random_init(&r, c->seed, (uint64_t)c->stream << 32 | thing,
                     ORR_PURPOSE_FAILURES);
    for (;; now = up) {
        now = orr__time_add(now, draw_time(&r, c->mtbf));
        if (now >= c->until)
            return true;
        up = c->mttr == ORR_NEVER ? ORR_NEVER
                                  : orr__time_add(now, draw_time(&r, c->mttr));
        if (!fn(arg, now, up))
            return false;
        if (up == ORR_NEVER)
            return true;
    }
}
