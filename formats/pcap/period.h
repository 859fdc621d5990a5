/* The period of a signal, by its autocorrelation (GSL's FFT). */
#ifndef ORR_FORMATS_PCAP_PERIOD_H
#define ORR_FORMATS_PCAP_PERIOD_H

#include <stddef.h>

#include "core/error.h"

/* What was found. */
struct orr_period {
    double length;      /* in bins; 0: there is none */
    double correlation; /* with itself so many bins later: 1 is all of it */
};

/* Of n equal bins; at least twice, and with a correlation of 0.6. ENOMEM alone
 * fails. */
ORR_CHECK_RESULT orr_err orr__period_find(const double *bin, size_t n,
                                          struct orr_period *p);

#endif
