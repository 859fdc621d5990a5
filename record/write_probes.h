/* The groups /flow_series and /port_series of a record. */
#ifndef ORR_RECORD_WRITE_PROBES_H
#define ORR_RECORD_WRITE_PROBES_H

#include <stdbool.h>
#include <stdint.h>

#include "record/probe.h"
#include "record/record.h"

#define ORR_PROBE_TABLES 8

/* A table a quantity: rows are samples, columns what was chosen. */
struct orr_probes_writer {
    struct orr_record *record;
    struct orr_probe_group { /* ints: objects of the record */
        int time, time_s;
        int table[ORR_PROBE_TABLES];
        uint32_t tile_cols; /* columns that are written as one tile */
    } flows, ports;
};

/* Creates the groups, those that have columns. */
ORR_CHECK_RESULT orr_err orr__probes_begin(struct orr_probes_writer *o,
                                           struct orr_record *r,
                                           const struct orr_probes *p);
/* Writes the samples that p holds, of which p->dropped were written before.
 * The last row of tiles, if not full, is `final` or may grow. Failures other
 * than of memory show in the record. */
ORR_CHECK_RESULT orr_err orr__probes_write(struct orr_probes_writer *o,
                                           const struct orr_probes *p,
                                           bool final);

/* What connections are: a scale `flow`, the index of a flow or -1, -2, ... for
 * those of jobs, and their columns. Returns the scale; *err: of memory. */
int orr__write_connections(struct orr_record *r, int group,
                           const struct orr_world *w,
                           const struct orr_probed *p, uint32_t n,
                           uint32_t chunk, orr_err *err);

#endif
