/* Charts of a study: a measure over its dimensions, as lines, bars, boxes or
 * distributions over runs. */
#ifndef ORR_STUDY_REPORT_CHART_H
#define ORR_STUDY_REPORT_CHART_H

#include "study/report/plot_parts.h"

orr_err orr__chart_lines(struct orr_plotting *p);
orr_err orr__chart_bars(struct orr_plotting *p);
orr_err orr__chart_boxes(struct orr_plotting *p);
orr_err orr__chart_cdf(struct orr_plotting *p);

#endif
