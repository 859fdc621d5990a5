#include "formats/hpcc/fct.h"

#include <inttypes.h>
#include <stdlib.h>

#include "core/memory.h"
#include "core/units.h"
#include "workload/flow/flows.h"

enum { FIRST_PORT = 10000, PORT = 100 };

static int by_finish(const void *a, const void *b, void *arg)
{
    const struct orr_flow *flow = arg;
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    if (flow[i].finish_ps != flow[j].finish_ps)
        return flow[i].finish_ps < flow[j].finish_ps ? -1 : 1;
    return i < j ? -1 : i > j;
}

/* By the pair of hosts, in order of start: their flows have ports of their own,
 * from FIRST_PORT on. */
static int by_pair(const void *a, const void *b, void *arg)
{
    const struct orr_flow *flow = arg;
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    const struct orr_flow *f = &flow[i], *g = &flow[j];
    if (f->src != g->src)
        return f->src < g->src ? -1 : 1;
    if (f->dst != g->dst)
        return f->dst < g->dst ? -1 : 1;
    if (f->start_ps != g->start_ps)
        return f->start_ps < g->start_ps ? -1 : 1;
    return i < j ? -1 : i > j;
}

static uint32_t address(uint32_t node)
{
    return 0x0b000001u + (node / 256 << 16) + (node % 256 << 8);
}

static void number_ports(const struct orr_flow *flow, const uint32_t *order,
                         uint32_t n, uint32_t *port)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct orr_flow *f = &flow[order[i]];
        const struct orr_flow *before = i ? &flow[order[i - 1]] : NULL;
        bool next = before && before->src == f->src && before->dst == f->dst;
        port[order[i]] = next ? port[order[i - 1]] + 1 : FIRST_PORT;
    }
}

/* The number that each host has in the file it came from, or its id. */
static void number_hosts(const struct orr_graph *g, uint32_t *number)
{
    for (uint32_t v = 0; v < g->nodes; v++)
        number[g->node_of ? g->node_of[v] : v] = v;
}

orr_err orr__fct_write(const struct orr_world *w, FILE *f,
                       struct orr_report *why)
{
    uint32_t n = w->flows ? w->flows->count : 0;
    struct orr_flow *flow = n ? w->flows->flow : NULL;
    uint32_t *order = orr__alloc(n, sizeof *order);
    uint32_t *port = orr__alloc(n, sizeof *port);
    uint32_t *number = orr__alloc(w->graph->nodes, sizeof *number);
    orr_err err = order && port && number ? ORR_OK : orr__no_memory(why);
    if (err == ORR_OK && n) {
        number_hosts(w->graph, number);
        for (uint32_t i = 0; i < n; i++)
            order[i] = i;
        qsort_r(order, n, sizeof *order, by_pair, flow);
        number_ports(flow, order, n, port);
        qsort_r(order, n, sizeof *order, by_finish, flow);
    }
    for (uint32_t i = 0; i < n && err == ORR_OK; i++) {
        const struct orr_flow *k = &flow[order[i]];
        if (k->finish_ps < 0)
            continue;
        fprintf(f,
                "%08x %08x %u %u %" PRIu64 " %" PRId64 " %" PRId64 " %" PRId64
                "\n",
                address(number[k->src]), address(number[k->dst]),
                port[order[i]], PORT, k->bytes, k->start_ps / ORR_NS,
                (k->finish_ps - k->start_ps) / ORR_NS, k->ideal_ps / ORR_NS);
    }
    orr__free(order);
    orr__free(port);
    orr__free(number);
    return err;
}
