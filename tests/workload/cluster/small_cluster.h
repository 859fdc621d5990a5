/* A cluster of a few lines of YAML, with jobs that a test writes down. */
#ifndef ORR_TESTS_SMALL_CLUSTER_H
#define ORR_TESTS_SMALL_CLUSTER_H

#include "tests/workload/small_workload.h"

#include "core/random.h"
#include "workload/cluster/placement/placement.h"
#include "workload/cluster/queue/queue.h"

/* 4 racks of 2 servers of 4 GPUs: GPU 8 * rack + 4 * server + number */
#define RACKS                                                                  \
    "topology: {kind: leaf-spine, leaves: 4, spines: 2, hosts_per_leaf: 2, "   \
    "link: {rate: 100Gbps, delay: 1us}, "                                      \
    "servers: {gpus: 4, link: {rate: 900Gbps, delay: 300ns}}}\n"

enum { MOST_JOBS = 16 };

struct small_cluster {
    struct orr_world world;
    struct orr_cluster c;
    struct orr_cluster_job job[MOST_JOBS];
    struct orr_template template[1]; /* of all jobs; not elastic */
    uint32_t waiting[MOST_JOBS], running[MOST_JOBS];
};

/* Jobs are all those of the array that have GPUs. */
static inline void small_open(struct small_cluster *s, const char *yaml,
                              uint32_t share)
{
    struct orr_report why = {0};
    world_open(&s->world, yaml);
    s->c = (struct orr_cluster){.world = &s->world,
                                .job = s->job,
                                .template = s->template,
                                .waiting = s->waiting,
                                .running = s->running};
    for (uint32_t i = 0; i < MOST_JOBS && s->job[i].is.gpus; i++) {
        enum orr_cluster_state state = s->job[i].state;
        s->job[i].index = i;
        s->job[i].state = ORR_CLUSTER_COMING;
        s->c.jobs++;
        orr__cluster_set_state(&s->c, i, state);
    }
    orr_err err =
        orr__inventory_init(&s->c.inventory, s->world.graph, share, &why);
    if (err == ORR_OK)
        err = orr__cluster_placement_read(&s->c,
                                          world_node(&s->world, "placement"),
                                          "cluster.placement", "packed", &why);
    if (err == ORR_OK)
        err =
            orr__queue_policy_read(&s->c, world_node(&s->world, "queue"), &why);
    if (err != ORR_OK)
        fail_msg("%s", why.message);
}

static inline void small_close(struct small_cluster *s)
{
    orr__inventory_fini(&s->c.inventory);
    world_close(&s->world);
}

#endif
