#include "study/explain/flight.h"

#include "core/memory.h"

/* What of a packet's flags stays the same on its way. */
static uint32_t flags_of(const struct orr_packet *p)
{
    uint32_t flags = ORR_PACKET_ACK | ORR_PACKET_LAST | ORR_PACKET_REPEAT
                     | ORR_PACKET_NACK | ORR_PACKET_ECHO;

    if (p->size_flags & ORR_PACKET_ACK)
        flags |= ORR_PACKET_TRIMMED; /* there it is AGAIN_ODD */
    return (p->size_flags & flags) | (p->dst_kind & ORR_PACKET_CNP) << 8;
}

static struct orr_flight **bucket_of(struct orr_flights *all, uint32_t seq)
{
    return &all->bucket[seq & (ORR_FLIGHT_BUCKETS - 1)];
}

struct orr_flight *orr__flight_new(struct orr_flights *all,
                                   const struct orr_packet *p)
{
    struct orr_flight **at = bucket_of(all, p->seq), *f = all->free;
    struct orr_spending line = {0};

    if (f) {
        all->free = f->next;
        line = f->line;
    } else {
        f = orr__alloc(1, sizeof *f);
        if (!f)
            return NULL;
    }
    *f = (struct orr_flight){.seq = p->seq,
                             .aux = p->aux,
                             .flags = flags_of(p),
                             .begun = true,
                             .class = p->dst_kind & ORR_PACKET_CLASS,
                             .line = line};
    while (*at) /* those of one name keep their order */
        at = &(*at)->next;
    *at = f;
    return f;
}

static bool is_packet(const struct orr_flight *f, const struct orr_packet *p)
{
    return f->seq == p->seq && f->aux == p->aux && f->flags == flags_of(p);
}

struct orr_flight *orr__flight_at(const struct orr_flights *all,
                                  const struct orr_packet *p, uint32_t link)
{
    struct orr_flight *f = all->bucket[p->seq & (ORR_FLIGHT_BUCKETS - 1)];

    while (f && (f->begun || f->link != link || !is_packet(f, p)))
        f = f->next;
    return f;
}

struct orr_flight *orr__flight_to(const struct orr_flights *all,
                                  const struct orr_graph *g,
                                  const struct orr_packet *p, uint32_t node)
{
    struct orr_flight *f = all->bucket[p->seq & (ORR_FLIGHT_BUCKETS - 1)];

    while (f && (!f->begun || g->to[f->link] != node || !is_packet(f, p)))
        f = f->next;
    return f;
}

void orr__flight_end(struct orr_flights *all, struct orr_flight *f)
{
    struct orr_flight **at = bucket_of(all, f->seq);

    while (*at != f)
        at = &(*at)->next;
    *at = f->next;
    f->next = all->free;
    all->free = f;
    if (!f->begun)
        orr__flight_go(all, f);
}

void orr__flights_end(struct orr_flights *all)
{
    for (uint32_t i = 0; i < ORR_FLIGHT_BUCKETS; i++)
        while (all->bucket[i])
            orr__flight_end(all, all->bucket[i]);
}

void orr__flights_fini(struct orr_flights *all)
{
    orr__flights_end(all);
    while (all->free) {
        struct orr_flight *f = all->free;

        all->free = f->next;
        orr__line_fini(&f->line);
        orr__free(f);
    }
}

void orr__flight_wait(struct orr_flights *all, struct orr_flight *f)
{
    uint32_t port = f->link % ORR_FLIGHT_PORTS;

    f->begun = false;
    f->wait = NULL;
    if (all->waiting[port].first)
        all->waiting[port].last->wait = f;
    else
        all->waiting[port].first = f;
    all->waiting[port].last = f;
}

void orr__flight_go(struct orr_flights *all, struct orr_flight *f)
{
    uint32_t port = f->link % ORR_FLIGHT_PORTS;
    struct orr_flight **at = &all->waiting[port].first, *before = NULL;

    for (; *at != f; at = &(*at)->wait)
        before = *at;
    *at = f->wait;
    if (all->waiting[port].last == f)
        all->waiting[port].last = before;
    f->begun = true;
}
