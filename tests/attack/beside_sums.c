/* All-reduces of one job that switches add up, in a slow simulator of these. */
#include <stdlib.h>
#include <string.h>

#include "experiment/experiment.h"
#include "net/config/config.h"
#include "net/watch/packet_observer.h"
#include "tests/attack/trial.h"
#include "tests/reference/sums.c"
#include "workload/job/job.h"
#include "workload/rank/rank.h"
#include "workload/world.h"

enum { MOST_WORK = 4000 }; /* packets of all members */

/* Whether it knows all that this run is made of: all switches add. */
static bool is_known(const struct orr_world *w, const struct outcome *o)
{
    const json_t *c = json_object_get(o->summary, "counters");

    return w->n_jobs == 1 && !w->flows && !w->graph->gpus && !o->code
           && !w->result.partial && w->net_config->used.sums
           && !w->net_config->used.copies && w->net_config->in_network.ops
           && w->net_config->in_network.ops->clocked && w->options.title
           && !strcmp(w->options.title, "sums")
           && !json_number_value(json_object_get(c, "packets_dropped"))
           && !json_number_value(json_object_get(c, "timeouts"));
}

static bool learn_members(const struct orr_world *w, struct ref_member *to,
                          uint32_t n)
{
    for (uint32_t m = 0; m < n; m++) {
        struct orr_observed_tree t;

        if (!orr__observed_tree(w->net,
                                orr__net_group_connection(w->net, 0, m, 0), &t)
            || t.links > REF_SUMS_DEPTH)
            return false;
        to[m].links = t.links;
        for (uint32_t i = 0; i < t.links; i++) {
            to[m].up[i] = t.up[i];
            to[m].back[i] = t.back[i];
        }
    }
    return true;
}

static void compare(const struct orr_world *w, const struct outcome *o,
                    struct ref_sums *s, struct finding *f)
{
    const json_t *c = json_object_get(o->summary, "counters");
    int64_t ours =
        (int64_t)(json_number_value(json_object_get(
                      json_array_get(json_object_get(o->summary, "jobs"), 0),
                      "finish_ns"))
                      * 1000
                  + 0.5);
    uint64_t hops,
        our_hops =
            (uint64_t)json_integer_value(json_object_get(c, "packet_hops"));
    int64_t end = ref_sums_run(s, &hops);

    if (end != ours || hops != our_hops)
        orr__found(f, "reference",
                   "the sums of %u end at %lld ps with %llu packet-hops, in "
                   "the reference simulator at %lld with %llu",
                   s->members, (long long)ours, (unsigned long long)our_hops,
                   (long long)end, (unsigned long long)hops);
}

bool orr__beside_sums(const orr_experiment *x, const struct outcome *o,
                      struct finding *f)
{
    const struct orr_world *w = orr__experiment_world(x);
    const struct orr_graph *g = w->graph;
    struct ref_sums s = {0};
    struct ref_member *member;
    int64_t *delay;
    bool known = is_known(w, o);

    if (!known)
        return false;
    s.bytes = w->jobs[0].team->program->call[0].bytes;
    s.payload = w->net_config->in_network.payload;
    s.header = w->net_config->header;
    s.messages = w->jobs[0].iterations;
    s.members = w->jobs[0].team->members;
    s.window = (uint32_t)w->net_config->in_network.window;
    s.latency_ps = w->net_config->in_network.latency_ps;
    s.to = g->to;
    s.rate = g->rate_bps;
    s.n_links = g->links;
    s.nodes = g->nodes;
    if (s.bytes / s.payload * s.messages * s.members > MOST_WORK)
        return false;
    member = calloc(s.members, sizeof *member);
    delay = calloc(g->links, sizeof *delay);
    known = member && delay && learn_members(w, member, s.members);
    for (uint32_t i = 0; known && i < g->links; i++)
        delay[i] = orr__observed_delay(w->net, i);
    s.member = member;
    s.delay = delay;
    if (known)
        compare(w, o, &s, f);
    free(member);
    free(delay);
    return known;
}
