/* What htsim_uec's command line says: words of it may stand among the files. */
#ifndef ORR_FORMATS_HTSIM_OPTIONS_H
#define ORR_FORMATS_HTSIM_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/error.h"
#include "core/text.h"

/* As given, or as defaults are. */
struct orr_htsim_options {
    const char *algo; /* of load balancing, which has our name too */
    int64_t entropies;
    int64_t queue;               /* packets; 0: one bandwidth-delay product */
    int64_t rate_mbps;           /* of all links */
    double latency_us;           /* of each */
    int64_t failed;              /* links that are slow */
    int64_t end_us;              /* of the run */
    int64_t sack_bytes;          /* for one ACK */
    bool by_sender, by_receiver; /* congestion control */
    bool drops;                  /* queues do, and do not trim */
};

/* Takes a word, and its value, off the words from word[*i] on; *i is then at
 * the last of these. *file: it is a file after all. ORR_ECONFIG for a value
 * that is none; what is not known is noted, and left out. */
ORR_CHECK_RESULT orr_err orr__htsim_option(struct orr_htsim_options *o,
                                           const char *const *word,
                                           size_t words, size_t *i,
                                           const char **file,
                                           struct orr_text *notes,
                                           struct orr_report *why);

#endif
