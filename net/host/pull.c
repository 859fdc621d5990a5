/* Credits of receivers (UE Specification 1.0, section 3.6.14; as in uet-htsim,
 * UecSink and UecPullPacer). Each host gives credit at 0.99 of its rate: to the
 * connections that asked for more than they have, in turn, 64 quanta of 256 B
 * at a time and no more than was asked for; where there is none, unasked, to
 * those that were served last, up to what they may hold. A connection asks with
 * each packet, a cut one too; where a timer has run out and there is no credit,
 * by a packet of its own. */
#include "core/none.h"
#include "net/fabric/timer.h"
#include "net/host/host.h"

enum { GIVEN = 64, PAUSE = 4 }; /* quanta: of a pull; between two of none */
#define SHARE 0.99

/* ---- whose turn it is ---- */

/* Takes a connection off the list that it is on, which there is. */
static void drop_from_list(struct orr_net *n, struct orr_puller *h, uint32_t id)
{
    struct orr_receiver *r = orr__receiver(n, id);
    struct orr_pull_list *l = &h->list[r->pull.on - 1];

    if (r->pull.before == ORR_NONE)
        l->first = r->pull.behind;
    else
        orr__receiver(n, r->pull.before)->pull.behind = r->pull.behind;
    if (r->pull.behind == ORR_NONE)
        l->last = r->pull.before;
    else
        orr__receiver(n, r->pull.behind)->pull.before = r->pull.before;
    r->pull.on = 0;
}

/* At the end. */
static void enter_list(struct orr_net *n, struct orr_puller *h, uint32_t id,
                       enum orr_pull_on on)
{
    struct orr_receiver *r = orr__receiver(n, id);
    struct orr_pull_list *l = &h->list[on - 1];

    if (r->pull.on)
        drop_from_list(n, h, id);
    r->pull.on = on;
    r->pull.before = l->last;
    r->pull.behind = ORR_NONE;
    if (l->last == ORR_NONE)
        l->first = id;
    else
        orr__receiver(n, l->last)->pull.behind = id;
    l->last = id;
}

void orr__pull_forget(struct orr_net *n, uint32_t id)
{
    struct orr_receiver *r = orr__receiver(n, id);

    if (r->pull.on)
        drop_from_list(n, &n->puller[r->dst], id);
}

/* ---- what is asked for ---- */

static void set_timer(struct orr_net *n, uint32_t host, int64_t at)
{
    n->puller[host].runs = true;
    orr__fabric_timer(n, host, at, ORR_RANK_NET(ORR_WHAT_PULL, host),
                      ORR_WHAT_PULL, host);
}

void orr__pull_asked(struct orr_net *n, uint32_t id, uint32_t target,
                     bool again, int64_t now)
{
    struct orr_receiver *r = orr__receiver(n, id);
    struct orr_puller *h = &n->puller[r->dst];
    bool more = orr__seq_before(r->pull.target, target);

    if (r->apart & ORR_APART_CLOSED)
        return;
    if (more)
        r->pull.target = target;
    if ((more || again) && r->pull.on != ORR_PULL_ACTIVE) {
        enter_list(n, h, id, ORR_PULL_ACTIVE);
        if (!h->runs)
            set_timer(n, r->dst, now);
    }
}

/* ---- what is given ---- */

/* Tells it what it was given so far. */
static void send_pull(struct orr_net *n, struct orr_lane *lane, uint32_t id,
                      int64_t now)
{
    const struct orr_receiver *r = orr__receiver(n, id);
    struct orr_packet p = {
        .connection = id,
        .dst_kind =
            orr__packet_to(r->src, r->class | n->routed | ORR_PACKET_CNP),
        .hash = r->path_hash,
        .size_flags = (uint32_t)n->config->ack << ORR_PACKET_FLAG_BITS
                      | ORR_PACKET_ACK | ORR_PACKET_PULL,
        .aux = r->pull.given,
    };

    orr__nic_ack(n, lane, r->dst, &p, now);
}

/* Who asked. Returns quanta given. */
static uint32_t serve_active(struct orr_net *n, struct orr_puller *h,
                             uint32_t id)
{
    struct orr_receiver *r = orr__receiver(n, id);
    int32_t left = (int32_t)(r->pull.target - r->pull.given);
    uint32_t given = left <= 0 ? 0 : left < GIVEN ? (uint32_t)left : GIVEN;

    r->pull.given += given;
    enter_list(n, h, id, left > GIVEN ? ORR_PULL_ACTIVE : ORR_PULL_IDLE);
    return given;
}

/* Who did not. */
static uint32_t serve_idle(struct orr_net *n, struct orr_puller *h, uint32_t id)
{
    struct orr_receiver *r = orr__receiver(n, id);
    int32_t ahead;

    drop_from_list(n, h, id);
    r->pull.given += GIVEN;
    ahead = (int32_t)(r->pull.given - r->pull.target);
    if (ahead >= 0 && (uint32_t)ahead < r->pull.most)
        enter_list(n, h, id, ORR_PULL_IDLE);
    return GIVEN;
}

void orr__pull_due(struct orr_net *n, struct orr_lane *lane, uint32_t host,
                   int64_t now)
{
    struct orr_puller *h = &n->puller[host];
    uint32_t active = h->list[ORR_PULL_ACTIVE - 1].first;
    uint32_t id =
        active != ORR_NONE ? active : h->list[ORR_PULL_IDLE - 1].first;
    uint32_t given;

    h->runs = false;
    if (id == ORR_NONE)
        return;
    given = active != ORR_NONE ? serve_active(n, h, id) : serve_idle(n, h, id);
    send_pull(n, lane, id, now);
    set_timer(n, host, now + h->quantum_ps * (given ? given : PAUSE));
}

/* The time of a quantum at the rates of all its links. */
void orr__pull_begin(struct orr_net *n, uint32_t host)
{
    const struct orr_graph *g = n->graph;
    struct orr_puller *h = &n->puller[host];
    double bps = 0;

    for (uint32_t i = g->out_off[host]; i < g->out_off[host + 1]; i++)
        bps += (double)n->begin_bps[g->out_link[i]];
    h->quantum_ps =
        bps > 0 ? (int64_t)(ORR_CC_QUANTUM * 8e12 / bps / SHARE) : ORR_US;
    h->quantum_ps += h->quantum_ps == 0;
    for (uint32_t i = 0; i < 2; i++)
        h->list[i] = (struct orr_pull_list){ORR_NONE, ORR_NONE};
}

/* At either end. */
void orr__pull_arrival(struct orr_net *n, struct orr_lane *lane,
                       const struct orr_packet *p, int64_t now)
{
    struct orr_sender *s = orr__sender(n, p->connection);

    if (p->size_flags & ORR_PACKET_REPEAT) {
        orr__pull_asked(n, p->connection, p->aux, true, now);
    } else if (!s->closed && s->control->ops->on_pull) {
        s->control->ops->on_pull(s->cc, s->control->params, &s->window, p->aux);
        orr__nic_activate(n, lane, s, now);
    }
}
