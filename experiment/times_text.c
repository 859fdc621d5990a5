#include "experiment/times_text.h"

#include <math.h>
#include <stdint.h>

#include "core/statistics.h"
#include "core/units.h"

void orr__text_time(struct orr_text *t, const char *before, double ps)
{
    char text[32] = "-";
    if (isfinite(ps))
        orr__human_time((int64_t)(ps + 0.5), text, sizeof text);
    orr__text_add(t, "%s%s", before, text);
}

void orr__text_statistics(struct orr_text *t, const struct orr_statistics *s)
{
    orr__text_time(t, "mean ", s->mean);
    orr__text_time(t, "   p50 ", s->p50);
    orr__text_time(t, "   p99 ", s->p99);
    orr__text_time(t, "   max ", s->max);
    orr__text_add(t, "\n");
}
