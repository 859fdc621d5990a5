/* What jobs ask of links, by template and GPUs: worked out once for all jobs
 * that have the same GPUs one after another. */
#ifndef ORR_CLUSTER_DEMAND_STORE_H
#define ORR_CLUSTER_DEMAND_STORE_H

#include "cluster/cost.h"
#include "cluster/facts.h"
#include "core/table.h"

/* Places; unused ones go when there are so many. */
enum { ORR_STORE_PLACES = 2048 };

struct orr_demand_store {    /* zeroed: empty */
    struct orr_table by_key; /* place + 1 */
    struct orr_demand_item {
        uint64_t key;
        uint32_t users;           /* jobs that run */
        struct orr_facts facts;   /* owned */
        struct orr_job_cost cost; /* of a forecast; else zeros */
        double baseline_ns; /* an iteration with packets; 0: not measured */
    } * *item;
    uint32_t n, room; /* of `item` */
};

/* The key of a job of this template on these GPUs, by rank. */
uint64_t orr__demand_store_key(uint32_t template, const uint32_t *gpu,
                               uint32_t gpus);
/* NULL: it is not there. */
struct orr_demand_item *orr__demand_store_find(const struct orr_demand_store *s,
                                               uint64_t key);
/* Takes facts over (they are all zeros then), also when it fails: ENOMEM. */
ORR_CHECK_RESULT orr_err orr__demand_store_add(struct orr_demand_store *s,
                                               uint64_t key,
                                               struct orr_facts *facts,
                                               struct orr_demand_item **out,
                                               struct orr_report *why);
void orr__demand_store_fini(struct orr_demand_store *s);

#endif
