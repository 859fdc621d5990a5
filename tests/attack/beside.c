/* The flows of a plain configuration in the slow reference simulator. */
#include <stdlib.h>
#include <string.h>

#include "experiment/experiment.h"
#include "net/config/config.h"
#include "net/fabric/fabric.h"
#include "net/path/route.h"
#include "tests/attack/trial.h"
#include "tests/reference/reference.c"
#include "workload/flow/flows.h"

enum { MOST_FLOWS = 60, MOST_HOPS = 20000 };

/* A timeout puts its connection at the end of the NIC's turns, also if the ACK
 * comes before anything is sent again. */
static bool waited_too_long(const struct outcome *o)
{
    const json_t *flow, *flows = json_object_get(o->summary, "flows");
    size_t i;

    json_array_foreach(
        json_object_get(flows, "list"), i,
        flow) if (json_number_value(json_object_get(flow, "timeouts"))
                  > 0) return true;
    return false;
}

/* Whether the reference simulator knows all that this run is made of. */
static bool is_known(const struct orr_world *w, const struct outcome *o)
{
    const struct orr_net_config *c = w->net_config;
    const json_t *counters = json_object_get(o->summary, "counters");
    double hops = json_number_value(json_object_get(counters, "packet_hops"));

    if (w->n_jobs || !w->flows || w->flows->count > MOST_FLOWS
        || hops > MOST_HOPS || o->code || w->result.partial
        || orr__flows_triggers(w))
        return false;
    for (uint32_t i = 0; i < w->flows->count; i++)
        if (w->flows->flow[i].service)
            return false;
    return c->transport != ORR_TRANSPORT_ANALYTICAL
           && (c->path == ORR_PATH_ecmp || c->path == ORR_PATH_first
               || c->path == ORR_PATH_explicit)
           && c->switching == ORR_SWITCHING_STORE_AND_FORWARD && !c->nic.fifo
           && !c->handshake && !c->uec_acks && !c->rule_of && !c->controlled
           && !c->pfc.enabled && !c->buffer.shared
           && !(c->failures
                && (c->failures->outages || c->failures->retunes
                    || c->failures->darks))
           && !strcmp(c->queue->name, "droptail") && c->schedule->by_arrival
           && !json_number_value(json_object_get(counters, "packets_dropped"))
           && !json_number_value(json_object_get(counters, "retransmissions"))
           && !waited_too_long(o);
}

static bool learn_paths(const struct orr_world *w, uint32_t i,
                        struct ref_connection *c)
{
    struct orr_connection_spec spec = orr__flow_spec(&w->flows->flow[i], i);

    c->src = spec.src;
    c->dst = spec.dst;
    c->rank = orr__direction_hash(w->net, spec.identity, false);
    c->n_forward =
        orr__net_path_of(w->net, &spec, true, c->forward, REF_MAX_HOPS);
    c->n_back = orr__net_path_of(w->net, &spec, false, c->back, REF_MAX_HOPS);
    return c->n_forward >= 1 && c->n_forward <= REF_MAX_HOPS && c->n_back >= 1
           && c->n_back <= REF_MAX_HOPS;
}

static struct ref_rules rules_of(const struct orr_net_config *c, uint64_t seed)
{
    return (struct ref_rules){
        .mtu = c->mtu,
        .local_mtu = c->local_mtu,
        .header = c->header,
        .ack = c->ack,
        .ack_every = (uint32_t)c->ack_every,
        .ack_delay_ps = c->ack_delay_ps,
        .window = c->window < UINT32_MAX ? (uint32_t)c->window : UINT32_MAX,
        .reliable = c->transport == ORR_TRANSPORT_RELIABLE,
        .shuffled = c->ties == ORR_TIES_SHUFFLED,
        .seed = seed,
    };
}

/* A link's delay, with the forwarding latency of the node that it ends at. */
static void learn_links(const struct orr_world *w, struct ref_link *link)
{
    const struct orr_graph *g = w->graph;
    const struct orr_net_config *c = w->net_config;

    for (uint32_t i = 0; i < g->links; i++)
        link[i] = (struct ref_link){g->from[i], g->to[i], g->rate_bps[i],
                                    g->delay_ps[i]
                                        + (g->to[i] < g->hosts
                                               ? c->latency.host_ps
                                               : c->latency.switch_ps)};
}

static void compare(const struct orr_world *w, const struct outcome *o,
                    const struct ref_network *n, uint64_t hops,
                    struct finding *f)
{
    const json_t *counters = json_object_get(o->summary, "counters");
    uint64_t ours =
        (uint64_t)json_integer_value(json_object_get(counters, "packet_hops"));

    for (uint32_t i = 0; i < w->flows->count; i++) {
        const struct ref_message *m = &n->messages[i];
        int64_t end = n->rules.reliable ? m->acked_ps : m->received_ps;

        if (w->flows->flow[i].finish_ps != end)
            orr__found(f, "reference",
                       "flow %u ends at %lld ps, in the "
                       "reference simulator at %lld",
                       i, (long long)w->flows->flow[i].finish_ps,
                       (long long)end);
    }
    if (hops != ours)
        orr__found(f, "reference",
                   "%llu packet-hops, in the reference "
                   "simulator %llu",
                   (unsigned long long)ours, (unsigned long long)hops);
}

bool orr__beside_reference(const orr_experiment *x, const struct outcome *o,
                           struct finding *f)
{
    const struct orr_world *w = orr__experiment_world(x);
    uint32_t n = w->flows ? w->flows->count : 0;
    struct ref_network net = {0};
    struct ref_link *links;
    struct ref_connection *connections;
    struct ref_message *messages;
    bool known = is_known(w, o);

    if (!known)
        return false;
    links = calloc(w->graph->links, sizeof *links);
    connections = calloc(n, sizeof *connections);
    messages = calloc(n, sizeof *messages);
    learn_links(w, links);
    for (uint32_t i = 0; i < n && known; i++) {
        known = learn_paths(w, i, &connections[i]);
        messages[i] =
            (struct ref_message){.connection = i,
                                 .bytes = w->flows->flow[i].bytes,
                                 .start_ps = w->flows->flow[i].start_ps};
    }
    if (known) {
        net = (struct ref_network){rules_of(w->net_config, w->seed),
                                   links,
                                   connections,
                                   messages,
                                   w->graph->links,
                                   n,
                                   n};
        compare(w, o, &net, ref_run(&net), f);
    }
    free(links);
    free(connections);
    free(messages);
    return known;
}
