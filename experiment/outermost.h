/* The outermost keys of a configuration, as they were read. What comes of them
 * is the world's; nothing is written here after that. */
#ifndef ORR_EXPERIMENT_OUTERMOST_H
#define ORR_EXPERIMENT_OUTERMOST_H

#include <stdbool.h>
#include <stdint.h>

#include "core/config/param.h"

/* The outermost keys, as read; nodes are NULL where they are left out. */
struct orr_outermost {
    const char *title; /* NULL: the file's name */
    bool alone;        /* each job is run by itself, too */
    int64_t seed, stop;
    int64_t control_delay; /* like stop, ps; 0: not said */
    const struct orr_yaml *topology, *network, *jobs, *flows, *record;
    const struct orr_yaml *failures, *compare, *plan, *plugins, *repeat,
        *schedule;
    const struct orr_yaml *cluster;
    bool delays; /* control_delay is gone by: said when the world is read */
};

const struct orr_param *orr__outermost_params(
    void); /* for help and documents */

/* Reads the outermost map. What is in *out is the document's. */
ORR_CHECK_RESULT orr_err orr__outermost_read(struct orr_config *c,
                                             struct orr_outermost *out,
                                             struct orr_report *why);

#endif
