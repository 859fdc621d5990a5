/* Marks of doubt in pictures of a study: letters over bars, and below the
 * picture what they mean and how much it is. */
#ifndef ORR_STUDY_REPORT_PLOT_DOUBT_H
#define ORR_STUDY_REPORT_PLOT_DOUBT_H

#include <stdbool.h>

#include <jansson.h>

#include "core/text.h"

/* Where bars stand: groups along an axis, so many bars in each. */
struct orr_plot_bars {
    const json_t *mean, *half; /* of each bar, in the order of groups */
    size_t groups, each;
    double unit;  /* what a figure is divided by */
    unsigned gap; /* between groups, in bars: gnuplot takes whole ones */
    bool rotated; /* their names, which then need more room */
};

/* view: of a study (study.c). Adds nothing where there are no marks. */
void orr__plot_doubt(struct orr_text *script, const json_t *view,
                     const struct orr_plot_bars *bars);

/* The same of a run (jobs.c), in a title, with `before` (NULL: none) on a
 * line above; notes are counted. Adds nothing where there is nothing to say. */
void orr__plot_doubt_title(struct orr_text *script, const json_t *view,
                           const char *before);

#endif
