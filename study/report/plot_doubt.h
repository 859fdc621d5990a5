/* Marks of doubt in pictures: below the picture of a study what its letters
 * mean and how much it is; of a run, in the title. */
#ifndef ORR_STUDY_REPORT_PLOT_DOUBT_H
#define ORR_STUDY_REPORT_PLOT_DOUBT_H

#include <stddef.h>

#include <jansson.h>

#include "core/text.h"

/* view: of a study (study.c). Lines that its doubt takes, `columns` letters
 * each; 0: there is none. */
size_t orr__plot_doubt_rows(const json_t *view, size_t columns);
/* Labels at the lower end of the picture, `most` rows; what is left out is
 * said. line: height of one, as a share of the picture's. */
void orr__plot_doubt_below(struct orr_text *script, const json_t *view,
                           size_t columns, size_t most, double line);

/* Doubt of a run (jobs.c) in a title, with `before` (NULL: none) on a
 * line above; notes are counted. Adds nothing where there is nothing to say. */
void orr__plot_doubt_title(struct orr_text *script, const json_t *view,
                           const char *before);

#endif
