/* Connections and ports that a user chooses by a key of `record`: to sample
 * them, or to follow their packets. */
#ifndef ORR_RECORD_SELECT_H
#define ORR_RECORD_SELECT_H

#include "core/error.h"
#include "workload/world.h"

#define ORR_MOST_PROBES 4096u /* connections, and ports */

/* An entry of `flows`, or what one member of a job sends to another. */
struct orr_probed {
    int64_t flow;          /* its index; -1: a job's connection */
    int64_t job, from, to; /* of a job; else -1 */
    uint32_t src, dst;     /* hosts */
};

/* What was chosen, each once, in the order of the list. */
struct orr_selection {
    struct orr_probed *flow; /* owned, like `port` */
    uint32_t flows, flow_room;
    uint32_t *port; /* link ids */
    uint32_t ports, port_room;
};

/* What read functions of one key have in common; borrowed, but for what `into`
 * gets. */
struct orr_selector {
    struct orr_world *w;        /* its flows and jobs are there */
    const char *name;           /* of the key: "record.pcap.flows" */
    const char *verb;           /* what is done to them: "sampled" */
    struct orr_selection *into; /* to be freed with orr__selection_fini */
    struct orr_report *why;
};

/* A list, one element of it, or `all`. ECONFIG at the place of what is wrong
 * with it. */
ORR_CHECK_RESULT orr_err orr__select_flows(const struct orr_selector *r,
                                           const struct orr_yaml *node);
ORR_CHECK_RESULT orr_err orr__select_ports(const struct orr_selector *r,
                                           const struct orr_yaml *node);
void orr__selection_fini(struct orr_selection *s);

#endif
