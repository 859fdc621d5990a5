#include "net/port/share.h"
#include "core/none.h"

#include "core/memory.h"
#include "net/fabric/queue.h"
#include "net/host/host.h"

bool orr__port_shares_new(struct orr_queue *q)
{
    q->shares = orr__alloc(1, sizeof *q->shares);
    q->fifo = orr__alloc_lines(1, sizeof *q->fifo);
    return q->shares && q->fifo;
}

void orr__port_shares_free(struct orr_queue *q)
{
    if (q->shares)
        orr__shares_fini(q->shares);
    orr__free(q->shares);
}

/* Takes over what is in the fifos there are; the last one, for what goes first,
 * stays the last. */
static bool grow_fifos(struct orr_queue *q)
{
    uint32_t fifos = orr__shares_more(q->shares);
    struct orr_fifo *fifo = orr__alloc_lines(fifos + (size_t)1, sizeof *fifo);

    if (!fifo || !orr__shares_grow(q->shares)) {
        orr__free(fifo);
        return false;
    }
    for (uint32_t i = 0; i < q->fifos; i++)
        fifo[i] = q->fifo[i];
    fifo[fifos] = q->fifo[q->fifos];
    if (q->serving_fifo == q->fifos)
        q->serving_fifo = fifos;
    orr__free(q->fifo);
    q->fifo = fifo;
    q->fifos = fifos;
    return true;
}

/* Room for another: where one was that has no packets here, or more. */
static bool make_room(struct orr_queue *q)
{
    uint32_t keep = q->busy ? q->serving_fifo : ORR_NONE;
    uint32_t left = orr__shares_forget(q->shares, keep);

    if (left == ORR_NONE)
        return false;
    return left < q->shares->room / 2 || grow_fifos(q);
}

/* The queue of a sender that is new at this port; UINT32_MAX: no memory. */
static uint32_t add_fifo(struct orr_queue *q, const struct orr_sender *s,
                         uint8_t class)
{
    struct orr_fifo *f;
    uint32_t i;

    if (q->shares->used == q->shares->room && !make_room(q))
        return UINT32_MAX;
    i = orr__shares_add(q->shares, s->share, s->price, class);
    if (i == ORR_NONE)
        return UINT32_MAX;
    f = &q->fifo[i]; /* whoever had it left nothing but this */
    f->average = 0;
    f->idle_from = 0;
    return i;
}

uint32_t orr__port_share(struct orr_net *n, struct orr_queue *q,
                         const struct orr_packet *p)
{
    const struct orr_sender *s = orr__sender(n, p->connection);
    uint32_t i = orr__shares_find(q->shares, s->share);

    if (i == ORR_NONE)
        i = add_fifo(q, s, (uint8_t)(p->dst_kind & ORR_PACKET_CLASS));
    return i;
}
