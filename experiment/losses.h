/* A run that lost more than a little says where, and what may help: it is no
 * error, but seldom what its user wanted to see. */
#ifndef ORR_EXPERIMENT_LOSSES_H
#define ORR_EXPERIMENT_LOSSES_H

#include "core/json.h"
#include "core/text.h"
#include "record/figures.h"

/* Two lines beside labels of `column` characters, or none. */
void orr__losses_text(struct orr_text *t, const struct orr_world *w,
                      const struct orr_figures *f, size_t column);
/* The object `losses`, or null. */
void orr__losses_json(struct orr_json *j, const struct orr_world *w,
                      const struct orr_figures *f);

#endif
