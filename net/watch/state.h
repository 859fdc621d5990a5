/* The state of a net, between windows: compared with what it was, and moved
 * ahead in time. What repeats itself need not be simulated again.
 *
 * Its user takes a look (orr__net_snapshot) at moments of its choice. If a
 * stretch from one look to another came back to the state that it began in, and
 * nothing in it was left to chance (orr__net_chance), whatever follows is the
 * same again: orr__net_jump goes over as many such stretches as one likes. */
#ifndef ORR_NET_WATCH_STATE_H
#define ORR_NET_WATCH_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/snapshot.h"
#include "net/net.h"

/* What the users of a net know of what they gave it. */
struct orr_snapshot_watch {
    void *arg; /* what all of them are called with */
    /* Names a message by what does not change from one stretch to the next;
     * MOVE: makes its tag that of a later stretch. */
    uint64_t (*tag)(void *arg, struct orr_message *m, struct orr_snapshot *w);
    /* A timer of a user. LOOK: shows what it will do. False: it is no part of
     * what repeats itself, but comes from outside (a job starts): it stays
     * where it is, and no jump goes beyond it. */
    bool (*timer)(void *arg, uint32_t user, uint32_t host, uint64_t timer,
                  struct orr_snapshot *w);
    /* Shows all else that the users have; after the net. */
    void (*others)(void *arg, struct orr_snapshot *w);
};

/* Why this net cannot be looked at, or NULL. exact: it is to be compared. */
const char *orr__net_opaque(const struct orr_net *n, bool exact);

/* What a look saw. Zeroed: nothing. */
struct orr_net_snapshot {
    int64_t at;               /* ps */
    uint64_t digest;          /* of all but connections */
    struct orr_counts counts; /* of the net and of its users, in order */
    uint64_t *connection;     /* digest of each; owned, like the next two */
    uint64_t *packets;        /* that each had sent */
    bool *rests;              /* nothing of it was under way */
    uint32_t connections;     /* numbers that there were, some of nobody */
    bool quiet;               /* asked: what decides nothing after a rest is
                               * left out (bench.h) */
    int64_t outside;          /* when the first timer from outside is due; or
                               * ORR_NEVER */
};
/* False: no memory. */
bool orr__net_snapshot(struct orr_net *n,
                       const struct orr_snapshot_watch *watch,
                       struct orr_net_snapshot *l);
void orr__net_snapshot_fini(struct orr_net_snapshot *l);
/* One number for a look: with equal ones it is worth to compare. before: the
 * look before it; a connection that rests since then is left out. */
uint64_t orr__net_snapshot_digest(const struct orr_net_snapshot *l,
                                  const struct orr_net_snapshot *before);
/* Whether the net came back to the state of `first`. */
bool orr__net_snapshot_same(struct orr_net *n,
                            const struct orr_snapshot_watch *watch,
                            const struct orr_net_snapshot *first,
                            const struct orr_net_snapshot *second);

/* Whether both went through the same parts, if not in the same state. */
bool orr__net_snapshot_fits(const struct orr_net_snapshot *first,
                            const struct orr_net_snapshot *second);

/* Begins to count, or ends: events whose order was left to chance, and where
 * another would have mattered. */
void orr__net_random_ties_begin(struct orr_net *n);
uint64_t orr__net_random_ties_end(struct orr_net *n);

/* No window is longer. */
int64_t orr__net_window(const struct orr_net *n);
/* The net as it is `times` stretches later, each as that from first to second,
 * which is now, or, if their states are not the same, about as that: counters
 * go on as much as in one, and times by its length. Controls that are due
 * meanwhile are run at their times; what they see of links must have been
 * recorded: see net/watch/replay.h. */
ORR_CHECK_RESULT orr_err orr__net_jump(struct orr_net *n,
                                       const struct orr_snapshot_watch *watch,
                                       const struct orr_net_snapshot *first,
                                       const struct orr_net_snapshot *second,
                                       uint64_t times, struct orr_report *why);

#endif
