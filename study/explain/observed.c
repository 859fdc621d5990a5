/* What is known of connections and links, for when somebody has to wait: whose
 * packets fill a queue, what a control cut down for last, where packets were
 * lost or marked, who had a link paused. */
#include <string.h>

#include "core/none.h"
#include "study/explain/messages_state.h"

#include "core/array.h"
#include "core/assert.h"
#include "workload/job/job.h"
#include "workload/rank/rank.h"

void orr__messages_fail(struct orr_messages_pass *l)
{
    orr__net_fail(l->world->net, ORR_ENOMEM);
}

/* ---- whose packets ---- */

uint32_t orr__observed_past_owner(const struct orr_messages_pass *l,
                                  const struct orr_packet *p)
{
    return p->connection < l->connections ? l->connection[p->connection].owner
                                          : ORR_NONE;
}

/* Its place among those who are counted: jobs, then flows. */
static uint32_t place_of(const void *pass, const struct orr_packet *p)
{
    const struct orr_messages_pass *l = pass;
    uint32_t owner = orr__observed_past_owner(l, p);

    return owner == ORR_OWNER_IS_FLOWS ? l->world->n_jobs : owner;
}

/* Where all packets are one owner's, the first one tells. */
static bool add_held(void *pass, const struct orr_packet *p)
{
    struct orr_messages_pass *l = pass;
    uint32_t place = place_of(l, p);

    if (place <= l->world->n_jobs)
        l->held[place] += orr__packet_size(p);
    return !l->sole || place > l->world->n_jobs;
}

/* Who has most of what was counted. */
static uint32_t most_held(const struct orr_messages_pass *l,
                          const uint64_t *held)
{
    uint32_t best = ORR_NONE;

    for (uint32_t i = 0; i <= l->world->n_jobs; i++)
        if (held[i] && (best == ORR_NONE || held[i] > held[best]))
            best = i;
    return best == l->world->n_jobs ? ORR_OWNER_IS_FLOWS : best;
}

static uint32_t scan_queue(struct orr_messages_pass *l, uint32_t link,
                           int64_t now)
{
    memset(l->held, 0, (l->world->n_jobs + 1) * sizeof *l->held);
    orr__observed_queue(l->world->net, link, now, add_held, l);
    return most_held(l, l->held);
}

/* A port that marks is asked at every mark: what waits there is tallied. */
static uint32_t fills_queue(struct orr_messages_pass *l, uint32_t link,
                            int64_t now)
{
    const struct orr_net *n = l->world->net;
    struct orr_queue_owners *t = &l->stock[link];
    const struct orr_packet *serving;
    uint32_t best, bytes = 0, place = l->world->n_jobs;

    if (l->sole || !orr__observed_fifos(n, link))
        return scan_queue(l, link, now);
    if (!orr__queue_owners_ask(t, n, link, l->world->n_jobs + 1, place_of, l)) {
        orr__messages_fail(l);
        return ORR_NONE;
    }
    serving = orr__observed_serving(n, link, now);
    if (serving && place_of(l, serving) <= place) {
        place = place_of(l, serving);
        bytes = orr__packet_size(serving);
    }
    t->held[place] += bytes;
    best = most_held(l, t->held);
    t->held[place] -= bytes;
    ORR_ASSERT(best == scan_queue(l, link, now));
    return best;
}

/* ---- losses, marks, pauses, cuts ---- */

void orr__observed_past_dropped(void *pass, const struct orr_observed_hop *h)
{
    struct orr_messages_pass *l = pass;
    struct orr_followed *c;
    struct orr_flight *f;

    if (h->packet->connection >= l->connections)
        return;
    c = &l->connection[h->packet->connection];
    c->drop_link = h->link;
    c->drop_owner = fills_queue(l, h->link, h->now);
    if (!c->by)
        return;
    f = orr__flight_at(&c->by->flights, h->packet, h->link);
    if (!f) /* there was no room for it */
        f = orr__flight_to(&c->by->flights, l->world->graph, h->packet,
                           l->world->graph->from[h->link]);
    if (f)
        orr__flight_end(&c->by->flights, f);
}

static bool is_looked_at(const struct orr_messages_pass *l, uint32_t owner)
{
    for (uint32_t i = 0; i < l->n; i++)
        if (l->one[i].at->owner == owner)
            return true;
    return false;
}

void orr__observed_past_marked(void *pass, const struct orr_observed_hop *h)
{
    struct orr_messages_pass *l = pass;
    struct orr_followed *c;

    if (h->packet->connection >= l->connections)
        return;
    c = &l->connection[h->packet->connection];
    if (!is_looked_at(l, c->owner))
        return;
    c->mark_link = h->link;
    c->mark_owner = fills_queue(l, h->link, h->now);
}

void orr__observed_past_pausing(void *pass, int64_t now, uint32_t link,
                                uint32_t class)
{
    struct orr_messages_pass *l = pass;

    memset(l->held, 0, (l->world->n_jobs + 1) * sizeof *l->held);
    orr__observed_held(l->world->net, link, class, add_held, l);
    l->pauser[link] = most_held(l, l->held);
}

void orr__observed_past_cut(void *pass, int64_t now, uint32_t connection,
                            const struct orr_cc_ack *a, int why)
{
    struct orr_messages_pass *l = pass;
    struct orr_followed *c = &l->connection[connection];

    c->cut_by = (uint8_t)(ORR_BY_DELAY + why);
    switch (why) {
    case ORR_CUT_MARK:
        c->cut_link = c->mark_link;
        c->cut_owner = c->mark_owner;
        break;
    case ORR_CUT_LOSS:
    case ORR_CUT_TIMEOUT:
        c->cut_link = c->drop_link;
        c->cut_owner = c->drop_owner;
        break;
    default: c->cut_link = ORR_NONE; c->cut_owner = ORR_NONE;
    }
}

void orr__observed_past_connected(void *pass, int64_t now, uint32_t connection,
                                  const struct orr_connection_spec *spec)
{
    struct orr_messages_pass *l = pass;
    uint32_t had = l->connections;

    if (!orr__array_more(l->connection, l->connections, connection)) {
        orr__messages_fail(l);
        return;
    }
    for (uint32_t i = had; i < l->connections; i++)
        l->connection[i] = (struct orr_followed){.owner = ORR_NONE,
                                                 .cut_owner = ORR_NONE,
                                                 .cut_link = ORR_NONE,
                                                 .mark_owner = ORR_NONE,
                                                 .mark_link = ORR_NONE,
                                                 .drop_owner = ORR_NONE,
                                                 .drop_link = ORR_NONE};
    l->connection[connection].spec = *spec;
    orr__observed_control(l->world->net, connection);
}

static uint32_t owner_of_user(const struct orr_messages_pass *l, uint32_t user)
{
    for (uint32_t i = 0; i < l->world->n_jobs; i++)
        if (l->world->jobs[i].team->user == user)
            return i;
    return ORR_OWNER_IS_FLOWS;
}

void orr__observed_past_message(struct orr_messages_pass *l,
                                const struct orr_message *m)
{
    struct orr_followed *c = &l->connection[m->connection];

    if (c->owner == ORR_NONE)
        c->owner = owner_of_user(l, m->user);
}
