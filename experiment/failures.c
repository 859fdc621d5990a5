/* What the summaries say of links that failed. */
#include "experiment/failures.h"

#include "core/units.h"
#include "net/config/config.h"
#include "record/figures.h"
#include "topo/node_names.h"

#define LINES 6

static const struct orr_failures *failures_of(const struct orr_world *w)
{
    return w->net_config ? w->net_config->failures : NULL;
}

/* Of this outage alone: not of others of the link, nor of a full queue. */
static uint64_t drops_of(const struct orr_world *w, const struct orr_outage *o)
{
    const struct orr_outage *first;
    if (orr__failures_of(failures_of(w), o->link, &first) == 0)
        return 0;
    return orr__net_outage_drops(w->net, o->link, (uint32_t)(o - first),
                                 w->result.end_ps);
}

void orr__failures_text(struct orr_text *t, const struct orr_world *w)
{
    const struct orr_failures *f = failures_of(w);
    uint32_t n = f ? f->outages : 0;
    if (n)
        orr__text_add(t, "\nfailed links\n");
    for (uint32_t i = 0; i < n && i < LINES; i++) {
        const struct orr_outage *o = &f->outage[i];
        char from[ORR_NODE_NAME], to[ORR_NODE_NAME], time[32], drops[32];
        orr__node_label(w->graph, w->graph->from[o->link], from, sizeof from);
        orr__node_label(w->graph, w->graph->to[o->link], to, sizeof to);
        orr__human_time(o->down, time, sizeof time);
        orr__text_add(t, "  %s > %s", from, to);
        orr__text_column(t, 30);
        orr__text_add(t, "%s to ", time);
        orr__human_time(o->up, time, sizeof time);
        orr__group_digits(drops_of(w, o), drops, sizeof drops);
        orr__text_add(t, "%s, %s dropped\n",
                      o->up == ORR_NEVER ? "the end" : time, drops);
    }
    if (n > LINES)
        orr__text_add(t, "  and %u more\n", n - LINES);
    if (f && f->degraded)
        orr__text_add(t, "\nlinks had bit errors %u times\n", f->degraded);
    if (f && f->retunes)
        orr__text_add(t, "\nrates of links changed %u times\n", f->retunes);
}

void orr__failures_json(struct orr_json *j, const struct orr_world *w)
{
    const struct orr_failures *f = failures_of(w);
    if (!f)
        return;
    if (f->degraded)
        orr__json_count(j, "bit_error_periods", f->degraded);
    orr__json_list(j, "failures");
    for (uint32_t i = 0; i < f->outages; i++) {
        const struct orr_outage *o = &f->outage[i];
        orr__json_flat_object(j, NULL);
        orr__json_count(j, "link", o->link);
        orr__json_count(j, "from", w->graph->from[o->link]);
        orr__json_count(j, "to", w->graph->to[o->link]);
        orr__json_time(j, "down_ns", o->down);
        if (o->up == ORR_NEVER)
            orr__json_null(j, "up_ns");
        else
            orr__json_time(j, "up_ns", o->up);
        orr__json_count(j, "drops", drops_of(w, o));
        orr__json_end(j);
    }
    orr__json_end(j);
}
