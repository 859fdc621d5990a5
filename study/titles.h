/* Keys of a summary as words, for axes and headings of papers. */
#ifndef ORR_STUDY_TITLES_H
#define ORR_STUDY_TITLES_H

#include "core/text.h"

/* "p99 slowdown of flows by size" of flows.by_size.*.slowdown.p99, "mean
 * iteration time of job a" of jobs.a.iteration_ns.mean. */
void orr__title_of_figure(struct orr_text *t, const char *path);
/* A value of a dimension: "400 Gbps" of 400Gbps. */
void orr__title_of_value(struct orr_text *t, const char *value);

#endif
