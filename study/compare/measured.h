/* Times that were measured on a machine, beside a study's own figures. */
#ifndef ORR_STUDY_COMPARE_MEASURED_H
#define ORR_STUDY_COMPARE_MEASURED_H

#include "study/compare/study.h"

/* Reads the files that the options name, and finds the row of each combination:
 * of its size, of its ranks, and of the variants of dimensions that are columns
 * of texts. Nothing, if there are no files. */
ORR_CHECK_RESULT orr_err
orr__study_measured(struct orr_compare *c, const struct orr_compare_options *o,
                    struct orr_report *why);
void orr__study_measured_fini(struct orr_study_measured *m);

/* What was measured for a cell, ns; NaN: nothing. */
double orr__measured_ns(const struct orr_compare *c,
                        const struct orr_study_cell *cell);
/* The share by which its mean is off; NaN: either is missing. */
double orr__measured_error(const struct orr_compare *c,
                           const struct orr_study_cell *cell);
/* A line on what is beside what, with `before` before it; nothing without
 * measurements. */
void orr__measured_text(struct orr_text *t, const struct orr_compare *c,
                        const char *before);
/* "measured" of a cell: {ns, p10_ns, p90_ns, error, file, line}. */
void orr__measured_json(struct orr_json *j, const struct orr_compare *c,
                        const struct orr_study_cell *cell);

#endif
