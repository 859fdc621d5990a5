/* For how long pause frames have held back what a host sends: a retransmission
 * timer does not run in that time. Per port of a NIC and class. */
#include "net/fabric/nic_port.h"
#include "net/host/host.h"

void orr__nic_note_pause(const struct orr_net *n, struct orr_nic_port *np,
                         uint8_t classes, int64_t now)
{
    uint8_t differ = np->paused ^ classes;

    for (uint32_t i = 0; i < n->config->classes; i++) {
        struct orr_nic_class *c = &np->class[i];

        if (!(differ >> i & 1))
            continue;
        if (np->paused >> i & 1)
            c->paused_ps += now - c->paused_at;
        c->paused_at = now;
    }
}

/* The port that sends on a link of the sender's host. */
static const struct orr_nic_port *port_of(const struct orr_net *n, uint32_t i)
{
    return &n->nic_port[n->nic_port_of[n->graph->out_link[i]]];
}

int64_t orr__nic_paused_for(const struct orr_net *n, const struct orr_sender *s,
                            int64_t now)
{
    const struct orr_graph *g = n->graph;
    int64_t sum = 0;

    for (uint32_t i = g->out_off[s->src]; i < g->out_off[s->src + 1]; i++) {
        const struct orr_nic_port *np = port_of(n, i);
        const struct orr_nic_class *c = &np->class[s->class];

        sum += c->paused_ps
               + (np->paused >> s->class & 1 ? now - c->paused_at : 0);
    }
    return sum;
}

int64_t orr__nic_last_pause(const struct orr_net *n, const struct orr_sender *s,
                            int64_t now)
{
    const struct orr_graph *g = n->graph;
    int64_t last = 0;

    for (uint32_t i = g->out_off[s->src]; i < g->out_off[s->src + 1]; i++) {
        const struct orr_nic_port *np = port_of(n, i);
        int64_t at =
            np->paused >> s->class & 1 ? now : np->class[s->class].paused_at;

        last = at > last ? at : last;
    }
    return last;
}
