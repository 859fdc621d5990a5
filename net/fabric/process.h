/* A process: nodes that one worker runs together, and when each of their
 * sources has its next event. */
#ifndef ORR_NET_FABRIC_PROCESS_H
#define ORR_NET_FABRIC_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/timer.h"

/* Sources of a process, in the order that breaks ties: departures of its
 * ports, arrivals on its links, its timers. Those of hosts with one cable are
 * in it. */
#define ORR_SOURCES_NEAR 3
/* Owned by the net; a window's worker alone changes it. Times are ps. */
struct orr_process {
    /* all that a host with one cable needs */
    _Alignas(64) int64_t near[ORR_SOURCES_NEAR]; /* `at`, if they are so few */
    /* next event of each source, ORR_NEVER: none */
    int64_t *at;
    int64_t *block;  /* smallest of each block of sources; NULL: few sources,
                      * or merge.h finds the next one */
    uint64_t digest; /* orr__digest_of, of a host with one cable */
    uint32_t node;   /* the lowest of its nodes */
    /* Senders with an alarm that is armed, and timers of no alarm. While there
     * is none, nor a timer for an ACK that is held back, timers are of no
     * consequence, and those of a host with one cable may lie in the past. */
    uint32_t armed;
    uint32_t held;          /* timers for ACKs that are, or were, held back */
    bool only_arrivals : 1; /* a switch with few computed ports */
    bool one_cable : 1;     /* a node with a NIC, and no other link */
    bool catches_up : 1;  /* a switch with explicit ports that nothing connects
                           * now: their departures are dealt with when the port
                           * is looked at next, and not as events */
    bool bare : 1;        /* the same, and all of its ports are bare, unless
                           * somebody looks on (packet_observer_calls.h) */
    bool may_connect : 1; /* a memory does as soon as it is short (buffer.h) */
    uint8_t block_shift;
    uint8_t slice_shift; /* of merge.h, what was good last */
    bool dense; /* much happened when it was run last: a switch, many of its
                 * links brought something; a host with one cable, that did so
                 * several times */

    _Alignas(64) struct orr_timers timers; /* of all of its nodes */
    int64_t *blocks_kept;          /* for when it catches up no longer */
    uint32_t *departs, *arrives;   /* link ids, ascending */
    uint32_t n_departs, n_arrives; /* sources in this order, timers last */
    uint32_t sources, blocks;      /* a block has 2^block_shift of them */
    uint32_t departing; /* while a NIC deals with one: its slot; else all. Of a
                         * host with one cable nobody asks */
    uint32_t nodes;     /* how many it has */
};
_Static_assert(sizeof(struct orr_process) == 128
                   && offsetof(struct orr_process, timers) == 64,
               "two cache lines");

/* The source that the timers are: the last. */
static inline uint32_t orr__process_timer(const struct orr_process *p)
{
    return (p->one_cable ? ORR_SOURCES_NEAR : p->sources) - 1;
}

/* The same in a process in blocks, whose smallest follow (process.c). */
void orr__block_set(struct orr_process *p, uint32_t source, int64_t at);

/* Sets when a source has its next event. */
static inline void orr__source_set(struct orr_process *p, uint32_t source,
                                   int64_t at)
{
    if (p->block)
        orr__block_set(p, source, at);
    else
        p->at[source] = at;
}

/* The smallest of all blocks of a process anew, where its sources were changed
 * behind their back. */
void orr__process_reblock(struct orr_process *p);

#endif
