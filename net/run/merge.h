/* Packets of several links in order of arrival: a tournament of the links'
 * heads (Knuth, The Art of Computer Programming, vol. 3, 5.4.1), so that the
 * next one costs a comparison for each doubling of the links that have any.
 *
 * A head is one word, its time before the end of the window (a millisecond at
 * most: orr__processes_lookahead) above its lane's number: the smallest word is
 * the earliest, and the lowest lane among equals. A link that has nothing
 * before the end is out of it. */
#ifndef ORR_NET_RUN_MERGE_H
#define ORR_NET_RUN_MERGE_H

#include "net/run/fabric.h"

#define ORR_MERGE_BITS 7
#define ORR_MERGE_LINKS (1u << ORR_MERGE_BITS)
#define ORR_MERGE_NONE INT64_MAX

struct orr_merge {
    int64_t end;   /* of the window */
    int64_t first; /* the head that is next; ORR_MERGE_NONE: none before end */
    int64_t after; /* the earliest of the links that take no part */
    uint32_t count;  /* links that take part */
    uint32_t levels; /* of the tournament: 2^levels links have room */
    int64_t lost[ORR_MERGE_LINKS]; /* loser of each match; the first is 1 */
    struct orr_merge_link {
        const struct orr_packet *ring;
        uint32_t mask, head, visible;
        uint32_t source; /* among those of the process */
        uint32_t id;     /* of the link */
        uint32_t unused; /* half a line: found by a shift */
    } link[ORR_MERGE_LINKS];
};
_Static_assert(sizeof(struct orr_merge_link) == 32, "half a cache line");

static inline int64_t orr__merge_word(const struct orr_merge *m, int64_t at,
                                      uint32_t lane)
{
    return at < m->end ? (at - m->end) * (int64_t)ORR_MERGE_LINKS + lane
                       : ORR_MERGE_NONE;
}

static inline uint32_t orr__merge_lane(int64_t word)
{
    return (uint32_t)word & (ORR_MERGE_LINKS - 1);
}

/* Of two heads: at one time? */
static inline bool orr__merge_tied(int64_t a, int64_t b)
{
    return (uint64_t)(a ^ b) < ORR_MERGE_LINKS;
}

/* All matches of the heads in won[leaves ..]; the winner. */
static inline int64_t orr__merge_play(struct orr_merge *m, int64_t *won,
                                      uint32_t leaves)
{
    for (uint32_t i = leaves - 1; i > 0; i--) {
        int64_t a = won[2 * i], b = won[2 * i + 1];

        won[i] = a < b ? a : b;
        m->lost[i] = a < b ? b : a;
    }
    return won[1];
}

/* All that its links have before `end`: a process of arrivals alone (merges),
 * of at most ORR_MERGE_LINKS links. */
static inline void orr__merge_begin(struct orr_merge *m,
                                    const struct orr_net *n,
                                    const struct orr_process *p, int64_t end)
{
    int64_t won[2 * ORR_MERGE_LINKS];
    int64_t after = ORR_NEVER;
    uint32_t count = 0, levels = 0, leaves;

    m->end = end;
    for (uint32_t i = 0; i < p->n_arrives; i++) {
        int64_t at = p->at[p->n_departs + i];
        const struct orr_port *in;

        if (at >= end) {
            after = at < after ? at : after;
            continue;
        }
        in = &n->port[p->arrives[i]];
        m->link[count] = (struct orr_merge_link){
            .ring = in->read_ring,
            .mask = in->read_mask,
            .head = in->head,
            .visible = in->visible,
            .source = i,
            .id = p->arrives[i],
        };
        won[ORR_MERGE_LINKS + count] = orr__merge_word(m, at, count);
        count++;
    }
    while (1u << levels < count)
        levels++;
    leaves = 1u << levels;
    for (uint32_t i = 0; i < count; i++)
        won[leaves + i] = won[ORR_MERGE_LINKS + i];
    for (uint32_t i = count; i < leaves; i++)
        won[leaves + i] = ORR_MERGE_NONE;
    m->after = after;
    m->count = count;
    m->levels = levels;
    m->first = orr__merge_play(m, won, leaves);
}

/* A lane has another head: its matches on the way up. levels: of m. The
 * winner. */
static inline __attribute__((always_inline)) int64_t
orr__merge_replay(struct orr_merge *m, uint32_t lane, int64_t word,
                  uint32_t levels)
{
    uint32_t i = (1u << levels) + lane;

#pragma GCC unroll 8
    for (uint32_t k = 0; k < levels; k++) {
        int64_t other = m->lost[i /= 2];
        int64_t less = word < other ? word : other;

        m->lost[i] = word < other ? other : word;
        word = less;
    }
    return word;
}

/* Takes the next packet, whose head `word` is `first` of m, which is to be what
 * *next is then. levels: of m. */
static inline __attribute__((always_inline)) const struct orr_packet *
orr__merge_take(struct orr_merge *m, int64_t word, uint32_t levels,
                int64_t *next)
{
    uint32_t lane = orr__merge_lane(word);
    struct orr_merge_link *l = &m->link[lane];
    const struct orr_packet *ring = l->ring;
    uint32_t mask = l->mask, head = l->head;
    int64_t at;

    __builtin_prefetch(&ring[(head + 3) & mask]);
    l->head = head + 1;
    /* beyond `visible` another thread may be writing */
    at = head + 1 == l->visible ? ORR_NEVER : ring[(head + 1) & mask].at;
    *next = orr__merge_replay(m, lane, orr__merge_word(m, at, lane), levels);
    return &ring[head & mask];
}

/* Notes in the links and among the sources what was taken. Returns the earliest
 * arrival that is left. */
static inline int64_t orr__merge_end(const struct orr_merge *m,
                                     struct orr_net *n, struct orr_process *p)
{
    int64_t after = m->after;

    for (uint32_t i = 0; i < m->count; i++) {
        const struct orr_merge_link *l = &m->link[i];
        int64_t at = l->head == l->visible ? ORR_NEVER
                                           : l->ring[l->head & l->mask].at;

        n->port[p->arrives[l->source]].head = l->head;
        p->at[p->n_departs + l->source] = at;
        after = at < after ? at : after;
    }
    return after;
}

#endif
