/* A ring all-reduce written by hand: N ranks, 2(N-1) steps, each rank sends a
 * piece to the next one as soon as the piece of the step before is there.
 *
 *     cc allreduce.c $(pkg-config --cflags --libs orrery) -o allreduce */
#include <inttypes.h>
#include <orrery/network.h>
#include <stdio.h>
#include <stdlib.h>

enum { RANKS = 8, STEPS = 2 * (RANKS - 1) };
#define BYTES (UINT64_C(64) << 20) /* that each rank holds */

static const char config[] =
    "topology: {kind: ring, hosts: 8, link: {rate: 400Gbps, delay: 500ns}}\n";

struct rank {
    orr_network *net;
    uint32_t number, steps;  /* that it has sent */
    struct rank *next;
    int64_t done_ps;
};

static void step(void *arg);

static void send_piece(struct rank *r)
{
    if (r->steps == STEPS) {
        r->done_ps = orr_network_now(r->net);
        return;
    }
    r->steps++;
    orr_network_send(r->net, &(struct orr_send){.src = r->number,
                     .dst = r->next->number, .bytes = BYTES / RANKS,
                     .arrived = step, .arrived_arg = r->next});
}

static void step(void *arg)
{
    send_piece(arg);
}

int main(void)
{
    struct orr_report why = {0};
    struct rank rank[RANKS] = {0};
    orr_network *net = NULL;
    orr_err err = orr_network_open(config, NULL, &net, &why);

    for (uint32_t i = 0; i < RANKS && err == ORR_OK; i++) {
        rank[i] = (struct rank){net, i, 0, &rank[(i + 1) % RANKS], 0};
        err = orr_network_at(net, i, 0, step, &rank[i]);
    }
    if (err == ORR_OK)
        err = orr_network_run(net, ORR_FOREVER, &why);
    if (err == ORR_OK)
        printf("all-reduce of 64 MiB over 8 ranks: %" PRId64 " ns\n",
               rank[0].done_ps / 1000);
    else
        fprintf(stderr, "%s\n", why.message);
    orr_network_close(net);
    return err == ORR_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
