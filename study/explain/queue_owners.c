#include "study/explain/queue_owners.h"

#include "core/memory.h"

#define FIRST_ROOM 64u

static struct orr_owned_packet *packet_at(const struct orr_queue_owners_fifo *f,
                                          uint32_t number)
{
    return &f->ring[number & (f->room - 1)];
}

/* A ring for at least `want`, a power of two. false: no memory, nothing
 * changed. */
static bool make_room(struct orr_queue_owners_fifo *f, uint32_t want)
{
    struct orr_queue_owners_fifo wider = {
        .seen = f->seen, .room = f->room ? f->room : FIRST_ROOM};

    while (wider.room < want)
        wider.room *= 2;
    if (wider.room == f->room)
        return true;
    wider.ring = orr__alloc(wider.room, sizeof *wider.ring);
    if (!wider.ring)
        return false;
    for (uint32_t i = f->seen.head; i != f->seen.tail; i++)
        *packet_at(&wider, i) = *packet_at(f, i);
    orr__free(f->ring);
    *f = wider;
    return true;
}

/* Takes out what has left: it is all that was seen if the queue's head went
 * past it. */
static void take_out(struct orr_queue_owners *t,
                     struct orr_queue_owners_fifo *f, uint32_t owners,
                     uint32_t head)
{
    uint32_t left = head - f->seen.head, seen = f->seen.tail - f->seen.head;

    for (uint32_t i = 0; i < left && i < seen; i++) {
        const struct orr_owned_packet *p = packet_at(f, f->seen.head + i);

        if (p->owner < owners)
            t->held[p->owner] -= p->bytes;
    }
    f->seen.head = head;
    if (left > seen)
        f->seen.tail = head;
}

bool orr__queue_owners_ask(struct orr_queue_owners *t, const struct orr_net *n,
                           uint32_t link, uint32_t owners,
                           orr_queue_owner_fn *owner, const void *arg)
{
    uint32_t fifos = orr__observed_fifos(n, link);

    if (!t->held) {
        t->held = orr__alloc(owners, sizeof *t->held);
        t->fifo = orr__alloc(fifos, sizeof *t->fifo);
        t->fifos = fifos;
    }
    if (!t->held || !t->fifo)
        return false;
    for (uint32_t k = 0; k < t->fifos; k++) {
        struct orr_queue_owners_fifo *f = &t->fifo[k];
        struct orr_observed_fifo now = orr__observed_fifo(n, link, k);

        take_out(t, f, owners, now.head);
        if (!make_room(f, now.tail - now.head))
            return false;
        for (; f->seen.tail != now.tail; f->seen.tail++) {
            const struct orr_packet *p =
                orr__observed_fifo_at(n, link, k, f->seen.tail);
            struct orr_owned_packet *new = packet_at(f, f->seen.tail);

            *new =
                (struct orr_owned_packet){owner(arg, p), orr__packet_size(p)};
            if (new->owner < owners)
                t->held[new->owner] += new->bytes;
        }
    }
    return true;
}

void orr__queue_owners_fini(struct orr_queue_owners *t)
{
    for (uint32_t k = 0; t->fifo && k < t->fifos; k++)
        orr__free(t->fifo[k].ring);
    orr__free(t->fifo);
    orr__free(t->held);
    *t = (struct orr_queue_owners){0};
}
