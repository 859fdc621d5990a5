/* A host or switch. */
#ifndef ORR_NET_FABRIC_NODE_H
#define ORR_NET_FABRIC_NODE_H

#include <stdbool.h>
#include <stdint.h>

#include "net/path/pick.h"

/* A host or switch. Only the worker of its process touches it in a window. */
struct orr_node {
    uint64_t digest;            /* orr__digest_of */
    const uint32_t *row;        /* of the routing table; NULL: only_link */
    struct orr_path_state path; /* what choosing among links remembers */
    union {
        uint32_t only_link; /* without a row; ORR_NONE: orr__route_wide */
        uint32_t part;      /* with one: of the list, as in orr_routing */
    };
    uint32_t process;     /* that it is part of */
    uint32_t worker;      /* of that process */
    uint32_t timers_set;  /* by the workload */
    uint32_t posted;      /* timers that it set on other hosts */
    bool sends, forwards; /* of the graph */
};

#endif
