#include "net/run/follow_tell.h"

#include "core/units.h"

void orr__tell_message(const struct orr_net *n, int64_t now,
                       const struct orr_message *m)
{
    const struct orr_follow *f = n->follow;

    if (f->ops->message)
        f->ops->message(f->observer, now, m);
}

void orr__tell_timer(const struct orr_net *n, uint32_t user, uint32_t host,
                     int64_t at, uint64_t arg)
{
    const struct orr_follow *f = n->follow;

    if (f->ops->timer)
        f->ops->timer(f->observer, user, host, at, arg);
}

void orr__tell_connected(const struct orr_net *n, int64_t now,
                         uint32_t connection,
                         const struct orr_connection_spec *spec)
{
    const struct orr_follow *f = n->follow;

    if (f->ops->connected)
        f->ops->connected(f->observer, now, connection, spec);
}

void orr__tell_ready(const struct orr_net *n, int64_t now,
                     uint32_t connection, uint32_t link, int64_t from,
                     bool again)
{
    const struct orr_follow *f = n->follow;

    if (f->ops->ready)
        f->ops->ready(f->observer, now, connection, link, from, again);
}

static struct orr_follow_hop hop(const struct orr_net *n, uint32_t link,
                                 const struct orr_packet *p, int64_t now)
{
    return (struct orr_follow_hop){
        .packet = p,
        .link = link,
        .now = now,
        .time = orr__serialisation(orr__packet_size(p), n->rate_bps[link]),
    };
}

void orr__tell_queued(const struct orr_net *n, uint32_t link,
                      const struct orr_packet *p, int64_t now, bool own)
{
    const struct orr_follow *f = n->follow;
    struct orr_follow_hop h;

    if (!f->watched[link] || !f->ops->queued)
        return;
    h = hop(n, link, p, now);
    h.own = own;
    f->ops->queued(f->observer, &h);
}

void orr__tell_begins(const struct orr_net *n, uint32_t link,
                      const struct orr_packet *p, int64_t now, int64_t begin,
                      int64_t time)
{
    const struct orr_follow *f = n->follow;
    struct orr_follow_hop h;

    if (!f->watched[link] || !f->ops->begins)
        return;
    h = hop(n, link, p, now);
    h.begin = begin;
    h.time = time;
    f->ops->begins(f->observer, &h);
}

void orr__tell_frame(const struct orr_net *n, uint32_t link,
                     const struct orr_packet *p, int64_t now, int64_t time)
{
    const struct orr_follow *f = n->follow;
    struct orr_follow_hop h;

    if (!f->watched[link] || !f->ops->frame)
        return;
    h = hop(n, link, p, now);
    h.begin = now;
    h.time = time;
    f->ops->frame(f->observer, &h);
}

void orr__tell_dropped(const struct orr_net *n, uint32_t link,
                       const struct orr_packet *p, int64_t now)
{
    const struct orr_follow *f = n->follow;
    struct orr_follow_hop h;

    if (!f->ops->dropped)
        return;
    h = hop(n, link, p, now);
    f->ops->dropped(f->observer, &h);
}

void orr__tell_marked(const struct orr_net *n, uint32_t link,
                      const struct orr_packet *p, int64_t now)
{
    const struct orr_follow *f = n->follow;
    struct orr_follow_hop h;

    if (!f->ops->marked)
        return;
    h = hop(n, link, p, now);
    f->ops->marked(f->observer, &h);
}

void orr__tell_arrived(const struct orr_net *n, int64_t now, uint32_t host,
                       const struct orr_packet *p)
{
    const struct orr_follow *f = n->follow;

    if (f->ops->arrived)
        f->ops->arrived(f->observer, now, host, p);
}

void orr__tell_pausing(const struct orr_net *n, int64_t now, uint32_t link,
                       uint32_t class)
{
    const struct orr_follow *f = n->follow;

    if (f->ops->pausing)
        f->ops->pausing(f->observer, now, link, class);
}
