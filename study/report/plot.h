/* Pictures for papers, drawn by gnuplot: this makes its script, data included.
 * They show what the page of orr__report shows. */
#ifndef ORR_STUDY_REPORT_PLOT_H
#define ORR_STUDY_REPORT_PLOT_H

#include <stdint.h>

#include "core/error.h"
#include "core/text.h"

/* What a picture shows; texts and lists are the caller's. */
struct orr_plot_options {
    const char *const *links; /* names "from > to" or ids; of `series` */
    size_t n_links;           /* 0: the busiest */
    const char *of;           /* of `cdf`: fct, slowdown; of a cluster:
                               * completion, queueing, slowdown; NULL: the
                               * first */
    /* of studies: */
    const char *const *measures; /* their paths, one `*` allowed */
    size_t n_measures;           /* 0: the first */
    const char *const *where;    /* "DIMENSION=VALUE,VALUE" */
    size_t n_where;
    const char *const *names; /* "KEY=NAME" */
    size_t n_names;
    const char *x, *series, *facets; /* dimensions; NULL: by themselves */
    const char *log;                 /* "x", "y", "xy", "none"; NULL: x where
                                      * its values ask for it */
    double width, height, font;      /* of the picture, cm; of texts, points */
};

/* A kind of picture; static. */
struct orr_plot {
    const char *name, *doc;
    bool run, study; /* of which it is; both: of either */
};
extern const struct orr_plot orr__plots[]; /* name NULL ends */

/* file: as for orr__report. The script is added to *script; the terminal and
 * the output are set before it. ECONFIG: the file cannot be read, or has
 * nothing of that. */
ORR_CHECK_RESULT orr_err orr__make_plot(const char *file, const char *what,
                                        const struct orr_plot_options *o,
                                        struct orr_text *script,
                                        struct orr_report *why);

#endif
