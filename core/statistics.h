/* Mean and percentiles of a sample, for people and programs. */
#ifndef ORR_CORE_STATISTICS_H
#define ORR_CORE_STATISTICS_H

#include <stddef.h>

/* Percentiles are nearest-rank: the smallest value that at least so many
 * hundredths of the sample do not exceed; always a value that occurred. */
struct orr_statistics { /* all NAN when n is 0 */
    size_t n;           /* of the sample; the others are in its unit */
    double mean, p10, p50, p90, p95, p99, min, max;
};

/* Sorts v. */
struct orr_statistics orr__statistics(double *v, size_t n);

#endif
