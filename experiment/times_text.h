/* Times as summaries for people show them. */
#ifndef ORR_EXPERIMENT_TIMES_TEXT_H
#define ORR_EXPERIMENT_TIMES_TEXT_H

#include "core/text.h"

struct orr_statistics;

/* `before`, then a time of so many ps, rounded; "-": NAN. */
void orr__text_time(struct orr_text *t, const char *before, double ps);
/* "mean 1 us   p50 1 us   p99 2 us   max 2 us" and the end of the line. */
void orr__text_statistics(struct orr_text *t, const struct orr_statistics *s);

#endif
