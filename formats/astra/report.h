/* Reports of a trace, before a run and after it. */
#ifndef ORR_FORMATS_ASTRA_REPORT_H
#define ORR_FORMATS_ASTRA_REPORT_H

#include "core/json.h"
#include "core/text.h"
#include "formats/astra/astra.h"

/* Works out the figures of ASTRA-sim's report from what rank 0 did. */
void orr__astra_close(struct orr_astra_report *r, const struct orr_world *w,
                      const struct orr_job *j);
/* The graph, a few lines; indent: blanks before each. */
void orr__trace_text(struct orr_text *t, const struct orr_trace_info *i,
                     int indent);
/* After a run, in ASTRA-sim's terms: a few layers. */
void orr__astra_text_report(struct orr_text *t,
                            const struct orr_astra_report *r, int indent);
/* The same of 2.x: a line for each rank, as there. */
void orr__sys_text_report(struct orr_text *t, const struct orr_trace_info *i,
                          int indent);
/* Members `trace` and `astra` of a job. */
void orr__trace_json(struct orr_json *j, const struct orr_trace_info *i);
/* Computation, and all that is not. */
void orr__astra_totals(const struct orr_astra_report *r, int64_t *compute,
                       int64_t *exposed);

/* Several runs share ASTRA-sim's files of results: a row each. */
struct orr_astra_rows {
    const char *run;     /* its name */
    uint32_t row, total; /* row < total */
};
/* EndToEnd.csv, detailed.csv and those of ASTRA-sim's analytical network; in
 * microseconds and MiB. */
ORR_CHECK_RESULT orr_err orr__astra_write(const struct orr_astra_report *r,
                                          const char *folder,
                                          const struct orr_astra_rows *rows,
                                          struct orr_report *why);

#endif
