/* Link time series, and the HDF5 file that they go to as the run proceeds. */
#ifndef ORR_RECORD_SERIES_H
#define ORR_RECORD_SERIES_H

#include "core/error.h"
#include "workload/world.h"

/* Reads the `record` node (NULL: defaults; the scalar `none`: no records, and
 * world->watch.series stays NULL). Nothing is created yet: for checking. */
ORR_CHECK_RESULT orr_err orr__series_read(struct orr_world *w,
                                          const struct orr_yaml *record,
                                          struct orr_report *why);
/* Once `repeat` is read: whether that leaves what is to be recorded. */
ORR_CHECK_RESULT orr_err orr__series_agrees(const struct orr_world *w,
                                            struct orr_report *why);
struct orr_param;
const struct orr_param *orr__series_params(void); /* for `orrery help record` */
/* Reads the node unless that was done, and creates world->output + ".partial".
 * circles: of the plan, NULL: there is none; they stay until the series is
 * closed. ECONFIG when it cannot be written there. */
struct orr_circle_tables; /* record/write_circles.h */
ORR_CHECK_RESULT orr_err orr__series_open(
    struct orr_world *w, const struct orr_yaml *record,
    const struct orr_circle_tables *circles, struct orr_report *why);
/* Needs world->net: adds the control that closes the bins. */
ORR_CHECK_RESULT orr_err orr__series_start(struct orr_world *w,
                                           struct orr_report *why);
/* Closes the last bin at world->result.end_ps, writes all other groups (config,
 * topology, links, flows, jobs, iterations, collectives, doubt), closes, fsyncs
 * and renames. doubt: as of orr__write_doubt. */
ORR_CHECK_RESULT orr_err orr__series_close(struct orr_world *w,
                                           const char *doubt,
                                           struct orr_report *why);
/* Whether recording failed during the run, which then ends with the same code:
 * tells why (the net knows the code only). */
ORR_CHECK_RESULT orr_err orr__series_state(const struct orr_world *w,
                                           struct orr_report *why);
/* Gives up: closes the file and removes the .partial unless `keep`. */
void orr__series_free(struct orr_world *w, bool keep);
/* What the series will hold, for estimates; zeros when there is none. */
struct orr_series_shape {
    int64_t interval_ps, sample_ps; /* 0: automatic, or nothing to sample */
    uint32_t links, flows, ports;   /* that they are of */
};
void orr__series_shape(const struct orr_world *w, struct orr_series_shape *s);

#endif
