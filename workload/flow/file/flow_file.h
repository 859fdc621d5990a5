/* Formats of flow files. A family: one member a file, one line in list.h, one
 * test. A member reads words and adds flows with the functions below, which
 * check what is the same for all. */
#ifndef ORR_WORKLOAD_FLOW_FILE_FLOW_FILE_H
#define ORR_WORKLOAD_FLOW_FILE_FLOW_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/scan.h"
#include "workload/flow/build.h"
#include "workload/flow/trigger.h"

/* One file while it is read. */
struct orr_flow_reader {
    struct orr_flow_list *list; /* what flows are added to */
    struct orr_scan scan;       /* where in the file reading is */
    int64_t start, origin;      /* added to each start; taken off */
    const char *unit;           /* of a bare start; NULL: the format's own */
    struct orr_service_keys service; /* of the entry */
    /* the same in each class that flows of the file name, made as they do */
    const struct orr_net_service *of_class[ORR_MOST_CLASSES];
    bool has_of_class[ORR_MOST_CLASSES];
    bool fixed_class; /* the entry gave one for all */
};

/* A member of the family. */
struct orr_flow_format_ops {
    const char *name, *doc; /* the name as in list.h */
    /* All of the file, from its first word on. Failures have its place. */
    orr_err (*read)(struct orr_flow_reader *r);
};

/* A flow as it is read. */
struct orr_flow_line {
    uint32_t src, dst;       /* hosts */
    uint64_t bytes;          /* payload */
    int64_t start;           /* as the file counts; -1: a trigger starts it */
    struct orr_flow_use use; /* of triggers */
    uint32_t on; /* 1 + the flow whose connection it is a message of; 0: none */
};

/* ---- for members (flow_line.c) ------------------------------------------ */

/* The last word of the scan as a host. numbered: by its number in the topology
 * file, where that has numbers of its own. */
ORR_CHECK_RESULT orr_err orr__flow_read_host(struct orr_flow_reader *r,
                                             const char *what, bool numbered,
                                             uint32_t *host);
/* Fails at the last word if a flow would go from a host to itself. */
ORR_CHECK_RESULT orr_err orr__flow_check_ends(struct orr_flow_reader *r,
                                              const struct orr_flow_line *f);
/* The last word as a start: `own` is the unit of a bare number. */
ORR_CHECK_RESULT orr_err orr__flow_read_start(struct orr_flow_reader *r,
                                              const char *own, int64_t *start);
/* The last word as bytes; units are understood. */
ORR_CHECK_RESULT orr_err orr__flow_read_bytes(struct orr_flow_reader *r,
                                              uint64_t *bytes);
/* What follows is of this traffic class, unless the entry says another. */
ORR_CHECK_RESULT orr_err orr__flow_set_class(struct orr_flow_reader *r,
                                             uint32_t class);
ORR_CHECK_RESULT orr_err orr__flow_add(struct orr_flow_reader *r,
                                       const struct orr_flow_line *f);

#endif
