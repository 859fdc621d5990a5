/* What pictures are made of, and those that are not in plot.c. */
#ifndef ORR_STUDY_REPORT_PLOT_PARTS_H
#define ORR_STUDY_REPORT_PLOT_PARTS_H

#include <stddef.h>

#include <jansson.h>

#include "core/error.h"
#include "core/text.h"
#include "study/report/plot.h"
#include "study/units.h"

/* Styles of lines that gnuplot's script has: more are not told apart. */
#define ORR_PLOT_LINES 8
/* The beginning of a script: styles of lines, borders, key. */
extern const char orr__plot_style[];

/* One picture while its script is made; borrowed. */
struct orr_plotting {
    json_t *view; /* the run or study, as the page has it */
    const char *file;
    const struct orr_plot_options *o;
    struct orr_text *out;
    struct orr_report *why;
};

/* ECONFIG: there is none of that to plot. */
orr_err orr__plot_nothing(const struct orr_plotting *p, const char *what);
/* Item i of a list; NAN: no number is there. */
double orr__plot_number(const json_t *list, size_t i);
/* The same of texts; "": none is there. */
const char *orr__plot_text(const json_t *list, size_t i);

/* A distribution `d` of times, by u, or of numbers (u NULL). */
void orr__plot_add_cdf(struct orr_plotting *p, const json_t *d,
                       const struct orr_unit *u, const char *whose,
                       const char *what);
/* The largest value of a distribution; NAN: it has none. */
double orr__plot_most(const json_t *d);

/* ---- plot_cluster.c ---- */

orr_err orr__plot_held(struct orr_plotting *p);
orr_err orr__plot_queue(struct orr_plotting *p);
orr_err orr__plot_utilization(struct orr_plotting *p);
orr_err orr__plot_jobs_cdf(struct orr_plotting *p);

/* ---- plot_samples.c ---- */

orr_err orr__plot_flows(struct orr_plotting *p);
orr_err orr__plot_ports(struct orr_plotting *p);
orr_err orr__plot_fairness(struct orr_plotting *p);

#endif
