/* Probes: the state of chosen connections and ports, sampled at regular times
 * for /flow_series and /port_series. A probe only reads the net. */
#ifndef ORR_RECORD_PROBE_H
#define ORR_RECORD_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/config/param.h"
#include "core/error.h"
#include "net/net.h"
#include "record/select.h"
#include "workload/world.h"

/* A port at the time of a sample. */
struct orr_port_state {
    uint64_t queue;               /* bytes */
    uint64_t bytes, marks, drops; /* since the start */
};

/* A connection at the time of a sample. */
struct orr_connection_state {
    struct orr_connection_sample s; /* means nothing unless `there` */
    bool there;                     /* the connection was made */
};

/* What is sampled, and the samples that are not written yet. */
struct orr_probes {
    const struct orr_world *world;
    struct orr_probed *flow; /* columns of `connection`; owned, like all */
    uint32_t flows;
    uint32_t *port;    /* link ids */
    uint32_t ports;    /* columns of `state` */
    bool automatic;    /* samples stay in memory, and every other one goes when
                        * there are too many; else they are dropped as they are
                        * written */
    int64_t sample_ps; /* from one to the next; doubles with `automatic` */
    /* samples held; row i of n is at time[i] */
    int64_t *time;
    struct orr_connection_state *connection; /* [row * flows + column] */
    struct orr_port_state *state;            /* [row * ports + column] */
    uint32_t n, room;                        /* rows */
    int64_t last_ps;                         /* of the last one taken */
    uint32_t tile_rows; /* of the file: `room` is a multiple */
    uint64_t dropped;   /* rows that stood before row 0, whole tiles */
};

/* The keys of `record` that choose probes. */
struct orr_probe_keys {
    const struct orr_yaml *flows, *ports; /* NULL: none */
    const char *sample;                   /* NULL: every interval_ps */
};

/* interval_ps: of the bins; 0: automatic. The flows and jobs of w are there.
 * Nothing chosen: *p is zeros. To be freed with orr__probes_fini. */
ORR_CHECK_RESULT orr_err orr__probes_read(struct orr_probes *p,
                                          struct orr_world *w,
                                          const struct orr_yaml *record,
                                          const struct orr_probe_keys *k,
                                          int64_t interval_ps,
                                          struct orr_report *why);
static inline bool orr__probes_any(const struct orr_probes *p)
{
    return p->flows || p->ports;
}
/* Room for the samples; finest_ps: where an automatic interval starts. */
ORR_CHECK_RESULT orr_err orr__probes_start(struct orr_probes *p,
                                           int64_t finest_ps);
/* Takes a sample: between windows, at time now, or after the run. There must
 * be room for it. */
void orr__probes_take(struct orr_probes *p, int64_t now);
/* Automatic: no room is left; every other sample goes. */
void orr__probes_thin(struct orr_probes *p);
/* When the last sample was taken; INT64_MAX without probes. */
int64_t orr__probes_last(const struct orr_probes *p);
/* Forgets the n oldest. */
void orr__probes_drop(struct orr_probes *p, uint32_t n);
void orr__probes_fini(struct orr_probes *p);

#endif
