/* A list of maps in the configuration of a cluster, read into an array. */
#ifndef ORR_WORKLOAD_CLUSTER_ITEM_LIST_H
#define ORR_WORKLOAD_CLUSTER_ITEM_LIST_H

#include <stddef.h>

#include "workload/cluster/cluster.h"

/* Reads one map into *item, which is zeroed. */
typedef orr_err orr_read_item_fn(const struct orr_cluster *c,
                                 const struct orr_yaml *map, void *item,
                                 struct orr_report *why);
/* *out gets *n items of `size` bytes in the document's arena; left out or null:
 * none, and *out stays. ECONFIG: it is no list; `expected` says what it is to
 * be ("failures: a list of {server, at, for}"). */
ORR_CHECK_RESULT orr_err orr__item_list_read(const struct orr_cluster *c,
                                             const struct orr_yaml *list,
                                             const char *expected, size_t size,
                                             orr_read_item_fn *read, void **out,
                                             uint32_t *n,
                                             struct orr_report *why);

#endif
