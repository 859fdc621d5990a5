/* What there is to list and to explain: the families of interchangeable parts,
 * and the sections of a configuration, each with its parameter tables. */
#include <string.h>

#include "cli/cli.h"
#include "core/param.h"
#include "net/cc/cc.h"
#include "net/net.h"
#include "net/path/path.h"
#include "net/queue/queue.h"
#include "topo/graph.h"
#include "workload/collective/collective.h"
#include "workload/experiment.h"
#include "workload/flows_build.h"
#include "workload/place/place.h"

static bool topology(size_t i, struct orr_member *m)
{
    const struct orr_topology_kind *k = &orr__topology_kinds()[i];
    *m = (struct orr_member){ k->name, k->doc, NULL, k->params };
    return k->name != NULL;
}

static bool cc(size_t i, struct orr_member *m)
{
    const struct orr_cc_ops *k = orr__cc_kinds()[i];
    if (k)
        *m = (struct orr_member){ k->name, k->doc, NULL, k->params };
    return k != NULL;
}

static bool queue(size_t i, struct orr_member *m)
{
    const struct orr_queue_ops *k = orr__queue_kinds()[i];
    if (k)
        *m = (struct orr_member){ k->name, k->doc, NULL, k->params };
    return k != NULL;
}

static bool routing(size_t i, struct orr_member *m)
{
    const struct orr_path_info *k = &orr__path_kinds()[i];
    *m = (struct orr_member){ k->name, k->doc, NULL, NULL };
    return k->name != NULL;
}

static bool collective(size_t i, struct orr_member *m)
{
    const struct orr_collective_ops *k = orr__collectives()[i];
    if (k)
        *m = (struct orr_member){ k->name, k->doc,
                                  orr__collective_kind_name(k->kind),
                                  k->params };
    return k != NULL;
}

static bool placement(size_t i, struct orr_member *m)
{
    const struct orr_place_ops *k = orr__placements()[i];
    if (k)
        *m = (struct orr_member){ k->name, k->doc, NULL, k->params };
    return k != NULL;
}

static bool generator(size_t i, struct orr_member *m)
{
    const struct orr_flow_kind *k = &orr__flow_generators()[i];
    *m = (struct orr_member){ k->name, k->doc, NULL, k->params };
    return k->name != NULL;
}

static bool sizes(size_t i, struct orr_member *m)
{
    const struct orr_flow_kind *k = &orr__flow_size_kinds()[i];
    *m = (struct orr_member){ k->name, k->doc, NULL, k->params };
    return k->name != NULL;
}

const struct orr_family orr__families[] = {
    { "topologies", "topology", "how hosts and switches are joined",
      "topology.kind", orr__topology_params, topology },
    { "queues", "queue", "what a port does when packets wait",
      "network.queue.kind", NULL, queue },
    { "routing", "path", "which of the shortest paths a packet takes",
      "network.routing", NULL, routing },
    { "cc", "congestion-control", "how a sender adapts to the network",
      "network.cc.kind", NULL, cc },
    { "collectives", "collective", "algorithms of collective operations",
      "algorithm", NULL, collective },
    { "placements", "placement", "which host each rank of a job lives on",
      "jobs[].placement.kind", NULL, placement },
    { "generators", "generator", "flows that are generated",
      "flows[].generate", orr__flow_generator_params, generator },
    { "sizes", "size", "distributions of the sizes of generated flows",
      "flows[].size.kind", NULL, sizes },
    { NULL, NULL, NULL, NULL, NULL, NULL },
};

const struct orr_family *orr__family_find(const char *name)
{
    for (size_t i = 0; orr__families[i].name; i++)
        if (strcmp(orr__families[i].name, name) == 0 ||
            strcmp(orr__families[i].singular, name) == 0)
            return &orr__families[i];
    return NULL;
}

const struct orr_section orr__sections[] = {
    { "configuration", "the outermost keys", orr__experiment_params },
    { "link", "what `topology.link` and its overrides hold",
      orr__link_params },
    { "network", "what `network` holds", orr__net_params },
    { "flows", "what an entry of `flows` holds", orr__flow_params },
    { "flow-file", "what an entry of `flows` with a file holds",
      orr__flow_file_params },
    { NULL, NULL, NULL },
};
