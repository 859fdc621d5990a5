/* The inside of include/orrery/network.h: an experiment whose traffic comes
 * from a program. network.c opens and runs it, traffic.c is its user of the
 * net, text.c writes a graph from arrays as a configuration. */
#ifndef ORR_STUDY_NETWORK_NETWORK_H
#define ORR_STUDY_NETWORK_NETWORK_H

#include <pthread.h>
#include <stdatomic.h>

#include "cluster/shared_network.h"
#include "core/none.h"
#include "core/table.h"
#include "core/text.h"
#include "experiment/experiment.h"
#include "net/fabric/slab.h"
#include "net/net.h"
#include "orrery/network.h"

/* A message that is not over, or something to be called later. */
struct orr_pending {
    struct orr_send s; /* of `later`: only arrived and its arg */
    atomic_uint waits; /* upcalls of the net still to come */
    bool later;        /* the second */
};

/* From one host to another (or itself). */
struct orr_channel {
    uint32_t connection; /* ORR_NONE: to itself */
    int64_t free_at;     /* to itself: its last message has left by then */
};

struct orr_network_host { /* touched by its own worker only */
    struct orr_table by_class[ORR_MOST_CLASSES]; /* by dst and channel */
    struct orr_channel *channel;                 /* owned */
    uint32_t channels, room;
};

/* What one thread of the net touches, on lines of its own. */
struct orr_network_worker {
    _Alignas(64) struct orr_slab_supply pending;
    uint32_t host; /* whose callback is under way; ORR_NONE: none */
    int64_t now;   /* of that callback, ps */
    struct orr_message_totals totals; /* of its hosts */
};

/* A program's network. */
struct orr_network {
    orr_experiment *x;
    struct orr_world *world;
    struct orr_net_service service[ORR_MOST_CLASSES];
    struct orr_shared_network
        *jobs_since;               /* jobs that came since; NULL: none did */
    uint32_t next_job;             /* the number of the next one */
    uint32_t classes;              /* that may be sent in */
    uint32_t user;                 /* of the net */
    bool begun, running, finished; /* sent or run; in a run; no more is */
    orr_err err;           /* of the run so far; then it goes no further */
    struct orr_report why; /* and why */
    int64_t now;           /* between runs */
    uint64_t most_bytes, most_local;   /* of a message */
    struct orr_slab pending;           /* what is not over */
    struct orr_network_host **host;    /* NULL: has sent nothing */
    struct orr_network_worker *worker; /* per worker of the net */
    struct orr_message_totals totals;  /* once finished */
    pthread_mutex_t gate;              /* of `last` */
    struct orr_report last;            /* of a call without a report */
};

/* Makes it a user of its net; before it begins. */
ORR_CHECK_RESULT orr_err orr__network_join(struct orr_network *n,
                                           struct orr_report *why);
void orr__network_disconnect(struct orr_network *n);
/* fn(arg) as a callback on a host. */
void orr__network_call(void *network, uint32_t host, int64_t now,
                       void (*fn)(void *arg), void *arg);
/* Notes and returns a failure of a call without a report. */
orr_err orr__network_fail(const struct orr_network *n, orr_err code,
                          const char *fmt, ...) ORR_PRINTF(3, 4);
/* `topology: {kind: custom, ...}` and a line's end. */
ORR_CHECK_RESULT orr_err orr__network_topology(struct orr_text *t,
                                               const struct orr_graph_spec *g,
                                               struct orr_report *why);

#endif
