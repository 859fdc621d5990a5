/* Packets of several links in order of arrival, a slice of the window at a
 * time: a bucket for each part of a slice (Knuth, The Art of Computer
 * Programming, vol. 3, 5.2.5), so that the next one costs no comparison, unless
 * others fell into its bucket. A slice is as long as there is work in it: most
 * buckets are empty, and a batch is worth its price. */
#ifndef ORR_NET_LOOP_MERGE_H
#define ORR_NET_LOOP_MERGE_H

#include <string.h>

#include "core/assert.h"
#include "net/fabric/due.h"

#define ORR_MERGE_BUCKETS 256u
/* Packets of a slice, at most: of those that arrive at one time each link has
 * one. Slices with more than MANY are made shorter, those with fewer than FEW
 * longer. */
#define ORR_MERGE_ROOM  ORR_MERGE_LINKS
#define ORR_MERGE_MANY  80u
#define ORR_MERGE_LEAST 20u
#define ORR_MERGE_NONE  UINT8_MAX
#define ORR_MERGE_SHIFT 48u /* 2^56 ps, 20 hours, are a slice at most */

/* Of one worker, used for one process and window at a time. Buckets are lists
 * by index, so a slice costs no allocation. */
struct orr_merge {
    int64_t end;    /* of the window */
    int64_t next;   /* the earliest of theirs that was not taken */
    int64_t after;  /* the earliest of the links that take no part */
    uint32_t count; /* links that take part */
    uint32_t shift; /* a bucket is 2^shift ps; 0: a slice is one */
    uint64_t busy[ORR_MERGE_BUCKETS / 64]; /* bit: not empty */
    /* Per bucket: what came into it last; of that, what was there before. */
    uint8_t last[ORR_MERGE_BUCKETS];
    uint8_t before[ORR_MERGE_ROOM];
    uint8_t lane[ORR_MERGE_ROOM];                    /* which link it came by */
    const struct orr_packet *packet[ORR_MERGE_ROOM]; /* on its link's ring */
    struct orr_merge_link {
        int64_t at; /* arrival of the head; ORR_NEVER: none is visible */
        const struct orr_packet *head;       /* the first that was not taken */
        const struct orr_packet *ring, *end; /* of what the link is read from */
        struct orr_inlet *in;
        uint32_t id;   /* of the link */
        uint32_t slot; /* among the sources */
        uint32_t left; /* visible ones from the head on */
    } link[ORR_MERGE_LINKS];
};

/* All that these bring before `end`. */
static inline void orr__merge_begin(struct orr_merge *m,
                                    const struct orr_net *n,
                                    const struct orr_process *p,
                                    const struct orr_due *due, int64_t end)
{
    int64_t next = ORR_NEVER;
    const int64_t *arrival = p->at + p->n_departs;
    struct orr_inlet *inlet = orr__inlets(n, p);
    struct orr_merge_link *l = m->link;

    for (uint32_t k = 0; k < due->count; k++) {
        uint32_t i = due->inlet[k];
        int64_t at = arrival[i];
        struct orr_inlet *in = &inlet[i];

        next = at < next ? at : next;
        *l++ = (struct orr_merge_link){
            .at = at,
            .head = in->ring + (in->head & in->mask),
            .ring = in->ring,
            .end = in->ring + in->mask + 1,
            .in = in,
            .id = p->arrives[i],
            .slot = p->n_departs + i,
            .left = in->visible - in->head,
        };
    }
    m->end = end;
    m->next = next;
    m->after = due->after;
    m->count = due->count;
    m->shift = p->slice_shift;
}

/* Gets packets as they are taken off their links, in no order that
 * matters: m->packet[i]. */
typedef void orr_merge_see(void *context, const struct orr_packet *p,
                           uint32_t i);

/* What a link has before `to`, its head at least, goes into buckets, which
 * begin at `from`; *count are there. False: it has more than fit in, and some
 * of it went in. */
static inline __attribute__((always_inline)) bool orr__merge_link_in(
    struct orr_merge *m, uint32_t lane, int64_t from, int64_t to,
    uint32_t *count, orr_merge_see *see, void *context)
{
    struct orr_merge_link *l = &m->link[lane];
    const struct orr_packet *p = l->head, *end = l->end;
    uint32_t shift = m->shift, n = *count, stop = ORR_MERGE_ROOM;

    ORR_ASSERT(l->left > 0 && l->at < to);
    if (n == stop)
        return false;
    if (l->left < stop - n)
        stop = n + l->left;
    do {
        int64_t at = p->at;
        uint64_t bucket;

        if (at >= to)
            break;
        bucket = (uint64_t)(at - from) >> shift;
        see(context, p, n);
        m->packet[n] = p;
        m->lane[n] = (uint8_t)lane;
        m->before[n] = m->last[bucket];
        m->last[bucket] = (uint8_t)n;
        m->busy[bucket / 64] |= UINT64_C(1) << bucket % 64;
        n++;
        p = p + 1 == end ? l->ring : p + 1;
    } while (n != stop);
    l->left -= n - *count;
    l->head = p;
    /* beyond those visible another thread may be writing */
    l->at = l->left ? p->at : ORR_NEVER;
    *count = n;
    return l->at >= to;
}

/* Fills the buckets with what arrives before `to`. False: that is too much, and
 * nothing was taken. */
static inline __attribute__((always_inline)) bool orr__merge_slice(
    struct orr_merge *m, int64_t to, uint32_t *count, orr_merge_see *see,
    void *context)
{
    int64_t from = m->next, next = ORR_NEVER;
    uint32_t n = 0;

    memset(m->busy, 0, sizeof m->busy);
    memset(m->last, ORR_MERGE_NONE, sizeof m->last);
    for (uint32_t lane = 0; lane < m->count; lane++) {
        int64_t at = m->link[lane].at;

        if (at < to) {
            if (!orr__merge_link_in(m, lane, from, to, &n, see, context))
                goto too_much;
            at = m->link[lane].at;
        }
        next = at < next ? at : next;
    }
    m->next = next;
    *count = n;
    return true;
too_much:
    while (n-- > 0) {
        struct orr_merge_link *l = &m->link[m->lane[n]];

        l->left++;
        l->head = m->packet[n];
        l->at = l->head->at;
    }
    return false;
}

/* Fills the buckets with a slice of what is left; m->next is before the end.
 * Returns how many there are. */
static inline __attribute__((always_inline)) uint32_t orr__merge_fill(
    struct orr_merge *m, orr_merge_see *see, void *context)
{
    uint32_t count;
    int64_t to;

    /* Ends with a slice of 1 ps at the latest: of each link it has one packet,
     * as none is sent in less, and as many as there are links fit in. */
    for (;; m->shift--) {
        int64_t span;

        ORR_ASSERT(m->shift <= ORR_MERGE_SHIFT);
        span = m->shift ? (int64_t)ORR_MERGE_BUCKETS << m->shift : 1;
        to = m->end - m->next > span ? m->next + span : m->end;
        if (orr__merge_slice(m, to, &count, see, context))
            break;
    }
    if (count > ORR_MERGE_MANY && m->shift > 0)
        m->shift--;
    else if (count < ORR_MERGE_LEAST && to < m->end
             && m->shift < ORR_MERGE_SHIFT)
        m->shift++;
    return count;
}

/* Notes in the links and among the sources what was taken. Returns the earliest
 * arrival that is left. */
static inline int64_t orr__merge_end(const struct orr_merge *m,
                                     struct orr_process *p)
{
    for (uint32_t i = 0; i < m->count; i++) {
        const struct orr_merge_link *l = &m->link[i];

        l->in->head = l->in->visible - l->left;
        p->at[l->slot] = l->at;
    }
    p->slice_shift = (uint8_t)m->shift;
    return m->next < m->after ? m->next : m->after;
}

#endif
