#include "workload/schedule/plan_notes.h"
#include "core/none.h"

#include <stdio.h>

#include "topo/node_names.h"
#include "workload/job/job.h"

/* A job alone may take a little more than a link's rate in one bin of its
 * profile. */
#define MORE_THAN_ALL 1.02

const char *orr__plan_link(const struct orr_plan *s, uint32_t link, char *buf,
                           size_t size)
{
    const struct orr_graph *g = s->world->graph;
    char a[ORR_NODE_NAME], b[ORR_NODE_NAME];
    if (link == ORR_NONE)
        return "-";
    snprintf(buf, size, "%s > %s",
             orr__node_name(g, g->from[link], a, sizeof a),
             orr__node_name(g, g->to[link], b, sizeof b));
    return buf;
}

const char *orr__plan_remark(const struct orr_plan *s, uint32_t job, char *buf,
                             size_t size)
{
    const struct orr_plan_job *x = &s->job[job];
    char link[ORR_PLAN_LINK];
    if (x->unknown)
        snprintf(buf, size,
                 "the program of job \"%s\" cannot be evaluated without "
                 "packets (it does not end, or is too large): the plan ignores "
                 "it, and its iterations are unknown",
                 x->job->name);
    else if (x->tightest == ORR_NONE)
        snprintf(buf, size,
                 "job \"%s\" does not communicate; it needs no turn and no "
                 "class",
                 x->job->name);
    else if (x->own_demand > MORE_THAN_ALL)
        snprintf(buf, size,
                 "job \"%s\" alone asks for %.2f times the rate of %s: its "
                 "iterations take longer than its profile says",
                 x->job->name, x->own_demand,
                 orr__plan_link(s, x->over, link, sizeof link));
    else
        return NULL;
    return buf;
}
