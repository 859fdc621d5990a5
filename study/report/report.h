/* A page that shows what a run or a study has left: one file of HTML that needs
 * no network and no other file. Reads only HDF5. */
#ifndef ORR_STUDY_REPORT_REPORT_H
#define ORR_STUDY_REPORT_REPORT_H

#include <stddef.h>

#include "core/error.h"
#include "core/text.h"

/* Where Debian's libjs-chart.js and libjs-dygraphs have their files. */
#define ORR_JAVASCRIPT "/usr/share/javascript"

/* file: HDF5 files of runs, also partial ones, and of studies, or folders of
 * studies; javascript: folder of the chart libraries. The page is added to
 * *page. explained: what `explain --json` wrote about one of the runs, or NULL.
 * ECONFIG: a file that cannot be shown, or a library is not there. */
ORR_CHECK_RESULT orr_err orr__report(const char *const *file, size_t files,
                                     const char *explained,
                                     const char *javascript,
                                     struct orr_text *page,
                                     struct orr_report *why);

#endif
