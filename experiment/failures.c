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

/* Packets that were lost for circuits that had been taken away, and how long
 * links waited dark until they were lit, ps. */
static uint64_t lost_of(const struct orr_world *w, int64_t *dark_ps)
{
    const struct orr_failures *f = failures_of(w);
    int64_t end = w->result.end_ps;
    uint64_t lost = 0;
    *dark_ps = 0;
    for (uint32_t i = 0; i < f->outages; i++)
        if (!orr__outage_listed(f, &f->outage[i]))
            lost += drops_of(w, &f->outage[i]);
    for (uint32_t i = 0; i < f->darks; i++) {
        int64_t to = f->dark[i].up < end ? f->dark[i].up : end;
        if (to > f->dark[i].back)
            *dark_ps = orr__time_add(*dark_ps, to - f->dark[i].back);
    }
    return lost;
}

/* How often other circuits were set, and what that took. */
static void circuits_text(struct orr_text *t, const struct orr_world *w)
{
    const struct orr_failures *f = failures_of(w);
    char lost[32], time[32];
    int64_t dark;
    if (!f || !f->slots)
        return;
    orr__group_digits(lost_of(w, &dark), lost, sizeof lost);
    orr__human_time(dark, time, sizeof time);
    orr__text_add(t,
                  "\ncircuits set %u times; links dark for %s in all while "
                  "they were set; %s dropped where one was taken away\n",
                  f->slots, time, lost);
}

void orr__failures_text(struct orr_text *t, const struct orr_world *w)
{
    const struct orr_failures *f = failures_of(w);
    uint32_t n = 0, shown = 0;
    for (uint32_t i = 0; f && i < f->outages; i++)
        n += orr__outage_listed(f, &f->outage[i]);
    if (n)
        orr__text_add(t, "\nfailed links\n");
    for (uint32_t i = 0; f && i < f->outages && shown < LINES; i++) {
        const struct orr_outage *o = &f->outage[i];
        if (!orr__outage_listed(f, o))
            continue;
        shown++;
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
    circuits_text(t, w);
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
    if (f->slots) {
        int64_t dark;
        uint64_t lost = lost_of(w, &dark);
        orr__json_flat_object(j, "circuits");
        orr__json_count(j, "set", f->slots);
        orr__json_time(j, "dark_ns", dark);
        orr__json_count(j, "drops", lost);
        orr__json_end(j);
    }
    orr__json_list(j, "failures");
    for (uint32_t i = 0; i < f->outages; i++) {
        const struct orr_outage *o = &f->outage[i];
        if (!orr__outage_listed(f, o))
            continue;
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
