/* `cluster.jobs` and `cluster.arrivals`, and which queue and placement: any
 * YAML gives jobs that can be, in order of time, each of which every placement
 * finds GPUs for; or a failure with a place. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/config/config.h"
#include "core/memory.h"
#include "workload/cluster/arrivals.h"
#include "workload/cluster/placement/placement.h"
#include "workload/cluster/queue/queue.h"
#include "workload/world.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* libfyaml 0.7 loses a line buffer of its own at some malformed strings. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfyaml";
}

static void require(int fine, const char *what, const char *detail)
{
    if (fine)
        return;
    fprintf(stderr, "%s: %s\n", what, detail);
    abort();
}

static struct orr_graph *make_graph(void)
{
    static const char yaml[] =
        "topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts_per_leaf: "
        "2, link: {rate: 1Gbps, delay: 1us}, "
        "servers: {gpus: 2, link: {rate: 1Gbps, delay: 1us}}}\n";
    struct orr_report why = {.code = ORR_OK};
    struct orr_config *c;
    struct orr_graph *g;
    require(orr__config_parse("graph", yaml, sizeof yaml - 1, &c, &why)
                == ORR_OK,
            "graph", why.message);
    require(orr__graph_build(c, orr__yaml_get(orr__config_root(c), "topology"),
                             1, &g, &why)
                == ORR_OK,
            "graph", why.message);
    orr__config_free(c);
    return g;
}

static orr_err alone(void *arg, uint32_t template, uint32_t gpus,
                     double *iteration_ns, struct orr_report *why)
{
    *iteration_ns = 1e6 * gpus;
    return ORR_OK;
}

static void check_arrivals(const struct orr_cluster *c)
{
    for (uint32_t i = 0; i < c->arrivals.n; i++) {
        const struct orr_arrival *a = &c->arrivals.item[i];
        require(a->gpus > 0 && a->gpus <= c->inventory.gpus
                && a->template <c->templates && a->name && a->at_ns >= 0,
                                "a job that cannot be", a->name ? a->name : "");
        require((a->iterations > 0) != (a->duration_ns > 0),
                "neither or both lengths", a->name);
        require(i == 0 || a->at_ns >= a[-1].at_ns, "out of order", a->name);
    }
}

/* The first jobs, all waiting at once on an empty cluster. */
static void check_policies(struct orr_cluster *c)
{
    enum { JOBS = 8, GPUS = 8 };
    struct orr_cluster_job job[JOBS] = {0};
    struct orr_report why = {.code = ORR_OK};
    uint32_t order[JOBS], gpu[GPUS], seen = 0;
    bool found = false;
    c->job = job;
    c->jobs = c->arrivals.n < JOBS ? c->arrivals.n : JOBS;
    for (uint32_t i = 0; i < c->jobs; i++) {
        job[i].is = c->arrivals.item[i];
        job[i].index = order[i] = i;
        job[i].state = ORR_CLUSTER_WAITING;
    }
    require(c->queue->order(c, c->queue_params, order, c->jobs, &why) == ORR_OK,
            "order", why.message);
    for (uint32_t i = 0; i < c->jobs; i++)
        seen |= 1u << order[i];
    require(seen == (1u << c->jobs) - 1, "not an order of all jobs", "");
    for (uint32_t i = 0; i < c->jobs; i++) {
        require(c->placement->choose(c, c->placement_params, i, i, gpu, &found,
                                     &why)
                        == ORR_OK
                    && found,
                "choose", why.message);
        seen = 0;
        for (uint32_t k = 0; k < job[i].is.gpus; k++) {
            require(gpu[k] < GPUS && !(seen >> gpu[k] & 1), "a GPU", "");
            seen |= 1u << gpu[k];
        }
    }
}

static orr_err read_all(struct orr_cluster *c, const struct orr_yaml *root,
                        struct orr_report *why)
{
    orr_err err = orr__templates_read(c, orr__yaml_get(root, "jobs"), why);
    if (!err)
        err = orr__queue_policy_read(c, orr__yaml_get(root, "queue"), why);
    if (!err)
        err = orr__cluster_placement_read(c, orr__yaml_get(root, "placement"),
                                          "placement", "packed", why);
    if (!err)
        err = orr__arrivals_read(c, orr__yaml_get(root, "arrivals"), alone,
                                 NULL, why);
    return err;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct orr_graph *graph;
    struct orr_report why = {.code = ORR_OK};
    struct orr_config *config;
    if (!graph)
        graph = make_graph();
    if (orr__config_parse("fuzz", (const char *)data, size, &config, &why)
        != ORR_OK)
        return 0;
    const struct orr_yaml *root = orr__config_root(config);
    struct orr_world w = {.config = config, .graph = graph, .seed = 1};
    struct orr_cluster c = {.world = &w, .node = root};
    require(orr__inventory_init(&c.inventory, graph, 1, &why) == ORR_OK,
            "inventory", why.message);
    orr_err err = read_all(&c, root, &why);
    if (err) {
        require(why.message[0] != '\0', "no message", "");
        require(err == ORR_ENOMEM || (err == ORR_ECONFIG && why.line > 0),
                "no place", why.message);
    } else {
        check_arrivals(&c);
        check_policies(&c);
    }
    orr__inventory_fini(&c.inventory);
    orr__config_free(config);
    return 0;
}
