/* A walk through the state of a run between two moments, part by part. Each
 * part shows its fields by what they mean, in one function for all purposes:
 *
 * LOOK   takes a digest of what decides the future, in a form that does not
 *        depend on when that is: times by how far they lie from now, numbers
 *        from where they count. Equal digests at two moments mean that the run
 *        does the same from both on. Counters are noted, in order.
 * CHECK  after two looks: whether what the digest leaves out was of no use.
 * MOVE   after two looks, a period apart: the state as it is `times` periods
 *        later. Times move by `by`; counters by as many times their difference
 *        between the looks. */
#ifndef ORR_CORE_SNAPSHOT_H
#define ORR_CORE_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/assert.h"
#include "core/fingerprint.h"
#include "core/memory.h"
#include "core/units.h"

enum orr_snapshot_mode {
    ORR_SNAPSHOT_DIGEST,
    ORR_SNAPSHOT_CHECK,
    ORR_SNAPSHOT_MOVE
};

/* Counters in the order in which a walk meets them; zeroed: none. */
struct orr_counts {
    uint64_t *value; /* owned */
    size_t n, room;  /* of `value` */
    bool failed;     /* no memory */
};

/* One walk. Who begins it fills in what its mode needs; parts leave what they
 * found in `digest`, `counts`, `differs` and `failed`. */
struct orr_snapshot {
    enum orr_snapshot_mode mode;
    bool quiet;  /* LOOK: nothing is under way; what decides nothing after that
                    is left out */
    int64_t now; /* ps */
    uint64_t digest;           /* LOOK */
    struct orr_counts *counts; /* LOOK: are filled; NULL: not wanted */
    const struct orr_counts *first, *second; /* of two looks: CHECK, MOVE */
    size_t at;                               /* the next counter of these */
    int64_t by;                              /* MOVE, ps */
    int64_t since;                           /* when the first look was */
    uint64_t times; /* MOVE: periods that are gone over */
    bool differs;   /* CHECK, MOVE: set by a part that had to be the same */
    bool failed;    /* no memory */
};

/* The next counter of a look; `failed` if there is no memory for it. */
void orr__counts_add(struct orr_counts *c, uint64_t value);
void orr__counts_fini(struct orr_counts *c);

/* Decides the future as it is. */
static inline void orr__snapshot_value(struct orr_snapshot *w, uint64_t value)
{
    if (w->mode == ORR_SNAPSHOT_DIGEST)
        w->digest = orr__digest(w->digest, value, w->digest >> 17);
}

/* The same of a real: equal is what is equal to the last bit. */
static inline void orr__snapshot_real(struct orr_snapshot *w, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    orr__snapshot_value(w, bits);
}

/* A time; ORR_NEVER stays that, and is as far from now as no time is. */
static inline void orr__snapshot_time(struct orr_snapshot *w, int64_t *t)
{
    if (*t == ORR_NEVER)
        orr__snapshot_value(w, UINT64_C(1) << 63);
    else if (w->mode == ORR_SNAPSHOT_DIGEST)
        orr__snapshot_value(w, (uint64_t)(*t - w->now));
    else if (w->mode == ORR_SNAPSHOT_MOVE)
        *t += w->by;
    ORR_ASSERT(*t >= 0);
}

/* The same, but the digest leaves it out. */
static inline void orr__snapshot_moved(struct orr_snapshot *w, int64_t *t)
{
    if (w->mode == ORR_SNAPSHOT_MOVE && *t != ORR_NEVER)
        *t += w->by;
}

/* When something happened last: it has happened again, as often as it did
 * between the looks, if it did. What happens at the moment of a look comes
 * after it. */
static inline void orr__snapshot_last(struct orr_snapshot *w, int64_t *t)
{
    if (w->mode == ORR_SNAPSHOT_MOVE && *t >= w->since && *t != ORR_NEVER)
        *t += w->by;
}

/* A time that means nothing once it is over. */
static inline void orr__snapshot_due(struct orr_snapshot *w, int64_t *t)
{
    if (*t > w->now)
        orr__snapshot_time(w, t);
    else
        orr__snapshot_value(w, 0);
}

/* By how much a counter went on between the looks, for all the periods to
 * come; 0 in other modes. */
static inline uint64_t orr__snapshot_more(struct orr_snapshot *w,
                                          uint64_t value)
{
    size_t i;

    if (w->mode == ORR_SNAPSHOT_DIGEST) {
        if (w->counts)
            orr__counts_add(w->counts, value);
        return 0;
    }
    ORR_ASSERT(w->first && w->second);
    i = w->at++;
    if (i >= w->first->n || i >= w->second->n) {
        w->differs = true;
        return 0;
    }
    if (w->mode == ORR_SNAPSHOT_CHECK)
        return 0;
    return w->times * (w->second->value[i] - w->first->value[i]);
}

/* Counts, and decides nothing. */
static inline void orr__snapshot_count(struct orr_snapshot *w,
                                       uint64_t *counter)
{
    *counter += orr__snapshot_more(w, *counter);
}

/* The same of counters of 32 bits, which may go round ... */
static inline void orr__snapshot_count32(struct orr_snapshot *w,
                                         uint32_t *counter)
{
    *counter += (uint32_t)orr__snapshot_more(w, *counter);
}

/* ... and of sums of times, ps. */
static inline void orr__snapshot_count_time(struct orr_snapshot *w,
                                            int64_t *sum)
{
    *sum = (int64_t)((uint64_t)*sum + orr__snapshot_more(w, (uint64_t)*sum));
}

/* The same of a sum that 64 bits do not hold. */
void orr__snapshot_wide(struct orr_snapshot *w, unsigned __int128 *sum);

/* A value that decides nothing unless `uses`, a counter, goes on: if that did
 * between the looks, it must have been the same. */
void orr__snapshot_idle(struct orr_snapshot *w, double value, uint64_t uses);

#endif
