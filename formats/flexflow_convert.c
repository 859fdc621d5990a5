/* FlexFlow's task graph: a job that runs it, on the links and with the
 * transport of TopoOpt's packet simulator. */
#include "core/memory.h"
#include "formats/convert.h"
#include "formats/task_graph.h"
#include "formats/trace.h"
#include "topo/stride_rule.h"

/* *nodes of the graph, which is read only to find what is wrong with it now. */
static orr_err count_nodes(const char *path, uint32_t *nodes,
                           struct orr_report *why)
{
    char *text = NULL;
    size_t length = 0;
    struct orr_task_graph t = {.n = 0};
    orr_err err = orr__trace_slurp(path, &text, &length, why);
    if (!err)
        err = orr__task_graph_read(path, text, length, 0, &t, why);
    *nodes = t.nodes;
    orr__task_graph_free(&t);
    orr__free(text);
    if (!err && *nodes < 2)
        err = orr__fail_at(why, ORR_ECONFIG, path, 0, 0,
                           "a graph of one node has nothing to send");
    return err;
}

/* Ports of a host: 4 as in the artefact, or 2 where no second stride is. */
static int degree_of(uint32_t nodes)
{
    return orr__strides_count(nodes, 4) >= 4 ? 4 : 2;
}

/* Packets without headers, all 8,936 B long; ACKs that take next to nothing,
 * where theirs take nothing; a handshake before each message. */
static void write_yaml(struct orr_convert *c, const char *name, uint32_t nodes)
{
    struct orr_text *y = &c->yaml;
    orr__origins_find(c->blame, y, NULL, 0, 0, NULL);
    orr__text_add(y,
                  "topology: {kind: strides, hosts: %u, degree: %d, link: "
                  "{rate: 100Gbps, delay: 1us}}\n",
                  nodes, degree_of(nodes));
    orr__text_add(y, "network:\n  mtu: 8936B\n  ack: 1B\n"
                     "  cc: {kind: dctcp, ssthresh: 10000, alpha: 0}\n"
                     "  initial_window: 100\n  routing: message\n"
                     "  queue: {kind: ecn, capacity: 446.8MB, threshold: "
                     "446.8KB}\n"
                     "  rto: {min: 10ms}\njobs:\n");
    orr__origins_find(c->blame, y, c->input[0], 0, 0, NULL);
    orr__text_add(y,
                  "  - name: flexflow\n    ranks: %u\n    trace: {format: "
                  "flexflow, tasks: %s, packet: 8936B, endpoint_delay: 1us}\n",
                  nodes, name);
}

/* input[0] is read only to check and count; the configuration names it. */
static orr_err from_flexflow(struct orr_convert *c, struct orr_report *why)
{
    uint32_t nodes = 0;
    if (c->inputs != 1)
        return orr__fail(why, ORR_ECONFIG, "one task graph at a time");
    orr_err err = count_nodes(c->input[0], &nodes, why);
    if (err)
        return err;
    char *name = orr__convert_name(c, c->input[0]);
    if (!name)
        return orr__no_memory(why);
    write_yaml(c, name, nodes);
    orr__note(&c->notes,
              "links are not read from it: %d ports of 100 Gbps and 1 us "
              "a node, whose rings TopoOpt chooses",
              degree_of(nodes));
    orr__note(&c->notes, "transport as in TopoOpt's packet simulator: packets "
                         "of 8,936 B, DCTCP from 100 packets on, a path for "
                         "each message and a handshake of 1 us before it");
    orr__free(name);
    return ORR_OK;
}

const struct orr_convert_ops orr__convert_flexflow = {
    .name = "flexflow",
    .doc = "FlexFlow's task graphs (TopoOpt)",
    .inputs = "a task graph, as text or NAME.fbuf",
    .from = from_flexflow,
};
