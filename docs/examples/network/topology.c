/* A topology in code: two racks of four hosts, two uplinks each, and what the
 * uplinks carried. The summary and an HDF5 file are those of a run.
 *
 *     cc topology.c $(pkg-config --cflags --libs orrery) -o topology */
#include <inttypes.h>
#include <orrery/network.h>
#include <stdio.h>
#include <stdlib.h>

enum { HOSTS = 8, LEAF = 8, SPINE = 10 };

static orr_err build(orr_network **net, struct orr_report *why)
{
    struct orr_cable_spec cable[HOSTS + 4];
    struct orr_graph_spec graph = {.hosts = HOSTS, .switches = 4,
                                   .cable = cable};
    struct orr_options options = {.output = "topology.h5"};

    for (uint32_t h = 0; h < HOSTS; h++)
        cable[graph.cables++] = (struct orr_cable_spec){
            h, LEAF + h / 4, 100000000000, 500000, 0};
    for (uint32_t leaf = 0; leaf < 2; leaf++)
        for (uint32_t spine = 0; spine < 2; spine++)
            cable[graph.cables++] = (struct orr_cable_spec){
                LEAF + leaf, SPINE + spine, 200000000000, 1000000, 0};
    return orr_network_build(&graph, "network: {cc: dctcp, queue: {kind: ecn, "
                             "capacity: 1MiB, threshold: 100KB}}", &options,
                             net, why);
}

int main(void)
{
    struct orr_report why = {0};
    orr_network *net = NULL;
    orr_err err = build(&net, &why);

    for (uint32_t h = 0; h < 4 && err == ORR_OK; h++)
        err = orr_network_send(net, &(struct orr_send){
            .src = h, .dst = 4 + h, .bytes = 10000000});
    if (err == ORR_OK)
        err = orr_network_run(net, ORR_FOREVER, &why);
    for (uint32_t l = HOSTS; l < HOSTS + 4 && err == ORR_OK; l++) {
        struct orr_link_info link;
        struct orr_link_counters c;

        err = orr_network_link_info(net, l, &link);
        if (err == ORR_OK)
            err = orr_network_link(net, l, &c);
        if (err == ORR_OK)
            printf("switch %u > switch %u: %" PRIu64 " B, %" PRIu64
                   " marks\n", link.from, link.to, c.bytes, c.marks);
    }
    if (err == ORR_OK)
        err = orr_network_finish(net, &why);
    if (err == ORR_OK) {
        char *text = orr_network_summary(net);
        fputs(text ? text : "", stdout);
        orr_text_free(text);
    } else {
        fprintf(stderr, "%s\n", why.message);
    }
    orr_network_close(net);
    return err == ORR_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
