#include "experiment/losses.h"

#include "core/units.h"
#include "net/config/config.h"

/* Of the packets that were sent: what TCP lives with, and RDMA does not. */
#define TOLERABLE 0.01

static double share_lost(const struct orr_net_totals *n)
{
    return n->packets_sent
               ? (double)n->packets_dropped / (double)n->packets_sent
               : 0;
}

/* More found no route than any link lost. */
static bool lacks_routes(const struct orr_figures *f)
{
    return f->no_route > f->lossiest.drops;
}

static bool is_worth_telling(const struct orr_figures *f)
{
    return share_lost(&f->totals) > TOLERABLE
           && (f->lossiest.drops || f->no_route);
}

/* What may help, for the first cause that can be seen. */
static const char *choose_advice(const struct orr_world *w,
                                 const struct orr_figures *f)
{
    const struct orr_net_config *c = w->net_config;

    if (!lacks_routes(f) && w->graph->loss
        && w->graph->loss[f->lossiest.link] > 0)
        return "the link itself loses: topology.link.loss";
    if (c->failures && c->failures->slots)
        return "links come and go: topology.circuits, `reconfigure.drop`";
    if (c->failures)
        return "links fail: failures";
    if (c->transport == ORR_TRANSPORT_DATAGRAM)
        return "datagrams have no congestion control: a larger "
               "network.queue.capacity";
    if (!c->controlled)
        return "a congestion control, or a preset: orrery list presets";
    if (orr__net_trims(c))
        return "headers had no room: a larger network.queue.control";
    if (!c->queue->marks)
        return "a larger network.queue.capacity, or network.queue.kind: ecn";
    return "a larger network.queue.capacity, or lower thresholds";
}

void orr__losses_text(struct orr_text *t, const struct orr_world *w,
                      const struct orr_figures *f, size_t column)
{
    const struct orr_link_figures *l = &f->lossiest;
    char from[32], to[32];

    if (!is_worth_telling(f))
        return;
    orr__text_add(t, "lost");
    orr__text_column(t, column);
    orr__text_add(t, "%.3g %% of all packets, ", 100 * share_lost(&f->totals));
    if (lacks_routes(f)) {
        orr__group_digits(f->no_route, from, sizeof from);
        orr__text_add(t, "%s of them found no route\n", from);
    } else {
        orr__node_label(w->graph, w->graph->from[l->link], from, sizeof from);
        orr__node_label(w->graph, w->graph->to[l->link], to, sizeof to);
        orr__text_add(t, "%.0f %% of them at %s > %s\n",
                      100 * (double)l->drops
                          / (double)f->totals.packets_dropped,
                      from, to);
    }
    orr__text_add(t, "  try");
    orr__text_column(t, column);
    orr__text_add(t, "%s\n", choose_advice(w, f));
}

void orr__losses_json(struct orr_json *j, const struct orr_world *w,
                      const struct orr_figures *f)
{
    const struct orr_link_figures *l = &f->lossiest;

    if (!is_worth_telling(f)) {
        orr__json_text(j, "losses", NULL);
        return;
    }
    orr__json_object(j, "losses");
    orr__json_real(j, "share", share_lost(&f->totals));
    if (l->drops) {
        orr__json_count(j, "link", l->link);
        orr__json_count(j, "from", w->graph->from[l->link]);
        orr__json_count(j, "to", w->graph->to[l->link]);
        orr__json_count(j, "drops", l->drops);
    }
    orr__json_count(j, "no_route", f->no_route);
    orr__json_text(j, "try", choose_advice(w, f));
    orr__json_end(j);
}
