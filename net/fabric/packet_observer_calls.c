#include "net/fabric/packet_observer_calls.h"

/* Observers that want this. */
#define EACH(n, o, slot)                                                       \
    for (const struct orr_packet_observer *o = (n)->observers->one;            \
         o < (n)->observers->one + (n)->observers->n; o++)                     \
        if (o->ops->slot)

void orr__observers_message(const struct orr_net *n, int64_t now,
                            const struct orr_message *m)
{
    EACH(n, o, message)
    o->ops->message(o->observer, now, m);
}

void orr__observers_timer(const struct orr_net *n, uint32_t user, uint32_t host,
                          int64_t at, uint64_t arg)
{
    EACH(n, o, timer)
    o->ops->timer(o->observer, user, host, at, arg);
}

void orr__observers_connected(const struct orr_net *n, int64_t now,
                              uint32_t connection,
                              const struct orr_connection_spec *spec)
{
    EACH(n, o, connected)
    o->ops->connected(o->observer, now, connection, spec);
}

void orr__observers_ready(const struct orr_net *n, int64_t now,
                          uint32_t connection, uint32_t link, int64_t from,
                          bool again)
{
    EACH(n, o, ready)
    o->ops->ready(o->observer, now, connection, link, from, again);
}

/* Member by member: as these functions are compiled for size, a literal would
 * be filled and copied by string instructions, which take longer than all
 * else. */
static inline void set_hop(struct orr_observed_hop *h, uint32_t link,
                           const struct orr_packet *p, int64_t now)
{
    h->packet = p;
    h->link = link;
    h->own = false;
    h->now = now;
    h->begin = 0;
    h->time = 0;
    h->lost = false;
}

void orr__observers_queued(const struct orr_net *n, uint32_t link,
                           const struct orr_packet *p, int64_t now, bool own)
{
    struct orr_observed_hop h;

    set_hop(&h, link, p, now);
    h.own = own;
    EACH(n, o, queued)
    o->ops->queued(o->observer, &h);
}

void orr__observers_begins(const struct orr_net *n, uint32_t link,
                           const struct orr_packet *p, int64_t now,
                           int64_t begin, int64_t time)
{
    struct orr_observed_hop h;

    set_hop(&h, link, p, now);
    h.begin = begin;
    h.time = time;
    EACH(n, o, begins)
    o->ops->begins(o->observer, &h);
}

void orr__observers_passed(const struct orr_net *n, uint32_t link,
                           const struct orr_packet *p, int64_t now,
                           int64_t time, bool own)
{
    struct orr_observed_hop h;

    set_hop(&h, link, p, now);
    h.own = own;
    h.begin = now;
    h.time = time;
    EACH(n, o, passed)
    o->ops->passed(o->observer, &h);
}

void orr__observers_frame(const struct orr_net *n, uint32_t link,
                          const struct orr_packet *p, int64_t now, int64_t time)
{
    struct orr_observed_hop h;

    set_hop(&h, link, p, now);
    h.begin = now;
    h.time = time;
    EACH(n, o, frame)
    o->ops->frame(o->observer, &h);
}

void orr__observers_summed(const struct orr_net *n, int64_t now,
                           const struct orr_observed_sum *s)
{
    EACH(n, o, summed)
    o->ops->summed(o->observer, now, s);
}

void orr__observers_dropped(const struct orr_net *n, uint32_t link,
                            const struct orr_packet *p, int64_t now, bool lost)
{
    struct orr_observed_hop h;

    set_hop(&h, link, p, now);
    h.lost = lost;
    EACH(n, o, dropped)
    o->ops->dropped(o->observer, &h);
}

void orr__observers_marked(const struct orr_net *n, uint32_t link,
                           const struct orr_packet *p, int64_t now)
{
    struct orr_observed_hop h;

    set_hop(&h, link, p, now);
    EACH(n, o, marked)
    o->ops->marked(o->observer, &h);
}

void orr__observers_arrived(const struct orr_net *n, int64_t now, uint32_t host,
                            const struct orr_packet *p)
{
    EACH(n, o, arrived)
    o->ops->arrived(o->observer, now, host, p);
}

void orr__observers_pausing(const struct orr_net *n, int64_t now, uint32_t link,
                            uint32_t class)
{
    EACH(n, o, pausing)
    o->ops->pausing(o->observer, now, link, class);
}

void orr__observers_paused(const struct orr_net *n, int64_t now, uint32_t link)
{
    EACH(n, o, paused)
    o->ops->paused(o->observer, now, link);
}
