/* `orrery profile` as a call. */
#include "study/profile/profile.h"

#include <stdio.h>

#include "core/json.h"
#include "experiment/experiment.h"
#include "study/calls/reply.h"
#include "topo/node_names.h"

#define ITERATIONS 3 /* that are run, unless the caller says how many */

/* A link and its phases, times in ns. */
static void add_demand(struct orr_json *j, const struct orr_graph *g,
                       const struct orr_link_demand *d)
{
    char name[2 * ORR_NODE_NAME + 4], a[ORR_NODE_NAME], b[ORR_NODE_NAME];
    snprintf(name, sizeof name, "%s > %s",
             orr__node_name(g, g->from[d->link], a, sizeof a),
             orr__node_name(g, g->to[d->link], b, sizeof b));
    orr__json_object(j, NULL);
    orr__json_text(j, "link", name);
    orr__json_count(j, "bytes", orr__demand_bytes(d));
    orr__json_list(j, "phases");
    for (uint32_t i = 0; i < d->n; i++) {
        orr__json_flat_object(j, NULL);
        orr__json_time(j, "at_ns", d->phase[i].at_ps);
        orr__json_time(j, "for_ns", d->phase[i].for_ps);
        orr__json_count(j, "rate_bps", d->phase[i].rate_bps);
        orr__json_end(j);
    }
    orr__json_end(j);
    orr__json_end(j);
}

/* To be freed with orr__free; NULL: no memory. */
static char *make_json(const struct orr_measured *m)
{
    const struct orr_graph *g = orr__experiment_world(m->x)->graph;
    struct orr_json j = {.depth = 0};
    orr__json_object(&j, NULL);
    orr__json_text(&j, "job", m->profile.job);
    orr__json_time(&j, "iteration_ns", m->profile.iteration_ps);
    orr__json_real(&j, "compute_share", m->compute_share);
    orr__json_count(&j, "bytes", m->bytes);
    orr__json_flag(&j, "varies", m->varies || m->draws);
    orr__json_list(&j, "links");
    for (uint32_t i = 0; i < m->profile.n; i++)
        add_demand(&j, g, &m->profile.link[i]);
    orr__json_end(&j);
    orr__json_end(&j);
    return orr__json_done(&j);
}

orr_err orr_study_profile(const struct orr_profile_call *call, orr_reply **out,
                          struct orr_report *why)
{
    struct orr_profile_call c;
    struct orr_measured m;
    orr_err err = orr__call_take("orr_study_profile", call, sizeof c, sizeof c,
                                 &c, out, why);
    if (err)
        return err;
    const struct orr_options none = {0};
    const struct orr_profile_request request = {
        .config = c.config,
        .job = c.job,
        .iterations = c.iterations ? c.iterations : ITERATIONS,
        .bins = c.bins,
    };
    orr_reply *r = orr__reply_new();
    if (!r)
        return orr__no_memory(why);
    err = orr__measure(&request, c.options ? c.options : &none, &m, why);
    if (err == ORR_OK) {
        r->json = make_json(&m);
        r->text = orr__measured_summary(&m);
        r->config =
            orr__profile_text(&m.profile, orr__experiment_world(m.x)->graph);
        if (!r->config)
            err = orr__no_memory(why);
    }
    orr__measured_fini(&m);
    return orr__reply_give(r, err, out, why);
}
