/* Two hosts throw a message to and fro: the round-trip time of the network.
 *
 *     cc pingpong.c $(pkg-config --cflags --libs orrery) -o pingpong */
#include <inttypes.h>
#include <orrery/network.h>
#include <stdio.h>
#include <stdlib.h>

static const char config[] =
    "topology: {kind: fat-tree, k: 4, link: {rate: 100Gbps, delay: 1us}}\n";

struct game {
    orr_network *net;
    int left;         /* throws */
    int64_t began_ps; /* of the last one from host 0 */
};

static void pong(void *arg);

static void ping(void *arg)
{
    struct game *g = arg;
    int64_t now = orr_network_now(g->net);

    if (g->began_ps >= 0)
        printf("round trip %" PRId64 " ns\n", (now - g->began_ps) / 1000);
    g->began_ps = now;
    if (g->left-- > 0)
        orr_network_send(g->net, &(struct orr_send){.src = 0, .dst = 15,
                         .bytes = 1000, .arrived = pong, .arrived_arg = g});
}

static void pong(void *arg)
{
    struct game *g = arg;

    orr_network_send(g->net, &(struct orr_send){.src = 15, .dst = 0,
                     .bytes = 1000, .arrived = ping, .arrived_arg = g});
}

int main(void)
{
    struct orr_report why = {0};
    struct game g = {.left = 3, .began_ps = -1};
    orr_err err = orr_network_open(config, NULL, &g.net, &why);

    if (err == ORR_OK) {
        orr_network_at(g.net, 0, 0, ping, &g);
        err = orr_network_run(g.net, ORR_FOREVER, &why);
    }
    if (err != ORR_OK)
        fprintf(stderr, "%d:%d: %s\n", why.line, why.col, why.message);
    orr_network_close(g.net);
    return err == ORR_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
