/* A stretch of time, taken apart: what it was spent on, without a gap. */
#ifndef ORR_STUDY_EXPLAIN_PARTS_H
#define ORR_STUDY_EXPLAIN_PARTS_H

#include <stdbool.h>
#include <stdint.h>

/* The causes, all there are: X(symbol, name, doc). */
#define ORR_CAUSE_MAP(X)                                                       \
    X(COMPUTE, "compute", "a computation of a rank")                           \
    X(OVERHEAD, "overhead",                                                    \
      "of messages, steps, handshakes: delays, reductions, held ACKs")         \
    X(SERIALISATION, "serialisation",                                          \
      "packets of the message itself being put on a link")                     \
    X(PROPAGATION, "propagation", "along a link")                              \
    X(QUEUEING, "queueing", "behind other packets in a port")                  \
    X(SLOWEST, "slowest worker",                                               \
      "a switch waited for packets of another rank, to add them up")           \
    X(SLOT, "slot", "all slots of switches that the rank may use were taken")  \
    X(WINDOW, "window", "the congestion window was full")                      \
    X(PACE, "pace", "the rate of the connection kept the next packet back")    \
    X(TURN, "NIC turn", "the NIC sent packets of other connections")           \
    X(PAUSE, "pause", "stopped by a pause frame")                              \
    X(RECOVERY, "recovery", "from a packet's first transmission to its last")  \
    X(GATE, "gate", "the schedule did not allow the job to begin")

enum orr_cause {
#define ORR_CAUSE_ENUM(id, name, doc) ORR_CAUSE_##id,
    ORR_CAUSE_MAP(ORR_CAUSE_ENUM)
#undef ORR_CAUSE_ENUM
        ORR_CAUSES
};

/* What a window, or pace, was cut down for last. */
enum orr_cut_by {
    ORR_BY_NOTHING,
    ORR_BY_DELAY,
    ORR_BY_MARK,
    ORR_BY_LOSS,
    ORR_BY_TIMEOUT,
    ORR_BY_TELEMETRY
};

/* Whose packets were in the way: a job's number, or one of these. */
#define ORR_OWNER_SELF     (UINT32_MAX - 1) /* the same connection's */
#define ORR_OWNER_IS_FLOWS (UINT32_MAX - 2)

/* What a stretch of time was spent on. */
struct orr_what {
    uint8_t cause;  /* enum orr_cause */
    uint8_t cut_by; /* enum orr_cut_by */
    uint32_t owner; /* ORR_OWNER_..., or a job */
    uint32_t link;  /* UINT32_MAX: none */
};

/* A stretch of time. */
struct orr_piece {
    int64_t until; /* ps; from where the one before ends */
    struct orr_what what;
};

struct orr_spending {        /* zeroed, with `from` and `at` the same: empty */
    int64_t from, at;        /* the pieces go from `from` to `at` */
    struct orr_piece *piece; /* owned; `until` ascends */
    uint32_t n, room;
    bool failed; /* out of memory: pieces are missing */
};

/* Begins anew, empty: nothing was spent since `from`, ps. */
void orr__line_begin(struct orr_spending *l, int64_t from);
static inline bool orr__what_same(const struct orr_what *a,
                                  const struct orr_what *b)
{
    return a->cause == b->cause && a->cut_by == b->cut_by
           && a->owner == b->owner && a->link == b->link;
}
/* For orr__line_add: something else begins. */
void orr__line_piece(struct orr_spending *l, int64_t until,
                     struct orr_what what);
/* What happened up to `until`; nothing if the line is there already. */
static inline void orr__line_add(struct orr_spending *l, int64_t until,
                                 struct orr_what what)
{
    if (until <= l->at)
        return;
    if (l->n && orr__what_same(&l->piece[l->n - 1].what, &what))
        l->piece[l->n - 1].until = until;
    else
        orr__line_piece(l, until, what);
    l->at = until;
}
/* Forgets what comes after `at`. */
void orr__line_cut(struct orr_spending *l, int64_t at);
/* Adds the pieces of another line, as far as they go beyond this one, up to
 * `until`. */
void orr__line_append(struct orr_spending *l, const struct orr_spending *more,
                      int64_t until);
void orr__line_fini(struct orr_spending *l);

/* "queueing", ... */
const char *orr__cause_name(enum orr_cause c);
const char *orr__cause_doc(enum orr_cause c);

#endif
