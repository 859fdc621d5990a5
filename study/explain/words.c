#include "study/explain/words.h"

#include <stdio.h>

#include "topo/node_names.h"
#include "workload/job/job.h"
#include "workload/program/program.h"

void orr__owner_words(const struct orr_explanation *e, uint32_t owner,
                      char *buf)
{
    if (owner == ORR_OWNER_SELF)
        snprintf(buf, ORR_WORDS, "the same connection");
    else if (owner == ORR_OWNER_IS_FLOWS)
        snprintf(buf, ORR_WORDS, "flows");
    else if (owner < e->world->n_jobs)
        snprintf(buf, ORR_WORDS, "job %.100s", e->world->jobs[owner].name);
    else
        buf[0] = '\0';
}

void orr__link_words(const struct orr_explanation *e, uint32_t link, char *buf)
{
    const struct orr_graph *g = e->world->graph;
    char from[ORR_NODE_NAME], to[ORR_NODE_NAME];

    if (link >= g->links)
        buf[0] = '\0';
    else
        snprintf(buf, ORR_WORDS, "%s > %s",
                 orr__node_name(g, g->from[link], from, sizeof from),
                 orr__node_name(g, g->to[link], to, sizeof to));
}

void orr__leg_words(const struct orr_explanation *e,
                    const struct orr_subject *s, const struct orr_leg *l,
                    char *buf)
{
    const struct orr_program *p;
    char label[64];

    if (s->owner == ORR_OWNER_IS_FLOWS) {
        snprintf(buf, ORR_WORDS, "flow %u", s->flow);
        return;
    }
    if (l->kind == ORR_LEG_GATE) {
        snprintf(buf, ORR_WORDS, "the job's gate");
        return;
    }
    if (l->op == UINT32_MAX) {
        snprintf(buf, ORR_WORDS, "the program's own delay");
        return;
    }
    p = orr__job_program(&e->world->jobs[s->owner]);
    orr__op_label(p, l->op, label, sizeof label);
    snprintf(buf, ORR_WORDS, "%s (%s)", orr__op_name(p, l->op), label);
}

const char *orr__cut_words(unsigned cut_by)
{
    static const char *const words[] = {
        "", "round-trip times", "marks", "losses", "a timeout", "telemetry"};

    return words[cut_by];
}

void orr__line_causes(const struct orr_spending *l, int64_t from, int64_t *ps)
{
    int64_t at = from > l->from ? from : l->from;

    for (uint32_t i = 0; i < l->n; i++) {
        if (l->piece[i].until <= at)
            continue;
        ps[l->piece[i].what.cause] += l->piece[i].until - at;
        at = l->piece[i].until;
    }
}
