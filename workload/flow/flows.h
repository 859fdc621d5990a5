/* Flows: plain point-to-point transfers, listed or generated. */
#ifndef ORR_WORKLOAD_FLOW_FLOWS_H
#define ORR_WORKLOAD_FLOW_FLOWS_H

#include <stdint.h>

#include "core/error.h"
#include "workload/world.h"

/* A way of its own; lives as long as the configuration. */
struct orr_flow_path {
    const uint32_t *path; /* links, or NULL */
    uint32_t path_links;  /* of `path` */
    uint64_t entropy;     /* 0: none */
};

/* A flow and what came of it; ps. */
struct orr_flow {
    uint32_t src, dst; /* hosts */
    uint64_t bytes;    /* payload */
    int64_t start_ps;  /* -1: waits for its trigger */
    int64_t finish_ps; /* last ACK at the source, or last arrival; -1 */
    int64_t done_ps;   /* last byte at the destination; -1 */
    int64_t ideal_ps;  /* alone, window unlimited */
    const struct orr_net_service *service; /* NULL: the network's */
    const struct orr_flow_path *path;      /* NULL: as the others */
    uint32_t connection;                   /* that it made */
    uint32_t on;     /* 1 + the flow on whose connection it goes; 0: its own */
    uint32_t others; /* on its connection that have not ended */
    uint32_t retransmissions, timeouts, marks, cnps; /* packets, events */
    bool aside; /* runs, but is no part of the figures of all flows */
};

/* All of them, in the order of the configuration. */
struct orr_flows {
    struct orr_flow *flow; /* owned */
    uint32_t count;
};

/* From the list `flows` to w->flows, which is NULL before. Files are read and
 * generators drawn here; no connection is made yet. */
ORR_CHECK_RESULT orr_err orr__flows_read(struct orr_world *w,
                                         const struct orr_yaml *flows,
                                         struct orr_report *why);
/* Becomes a user of the net, and enters when each flow begins; before a run. */
ORR_CHECK_RESULT orr_err orr__flows_start(struct orr_world *w,
                                          struct orr_report *why);
/* The connection that flow i, f, asks for. */
struct orr_connection_spec orr__flow_spec(const struct orr_flow *f, uint32_t i);
/* NULL: no flow has one. */
struct orr_triggers;
const struct orr_triggers *orr__flows_triggers(const struct orr_world *w);
/* The net's user that they are, once they have started. */
uint32_t orr__flows_user(const struct orr_world *w);
/* Flows that have not ended. */
uint32_t orr__flows_open(const struct orr_world *w);
/* The same, and into text which ones: the first few. */
uint32_t orr__flows_waiting(const struct orr_world *w, char *text, size_t size);
ORR_CHECK_RESULT orr_err orr__flows_close(struct orr_world *w,
                                          struct orr_report *why);
void orr__flows_free(struct orr_world *w);

#endif
