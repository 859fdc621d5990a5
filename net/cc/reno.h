/* Reno's window, shared by the controls that grow as Reno does. */
#ifndef ORR_NET_CC_RENO_H
#define ORR_NET_CC_RENO_H

#include "core/assert.h"
#include "net/cc/cc.h"
#include "net/cc/hystart.h"
#include "net/cc/idle.h"

/* Proportional rate reduction: RFC 6937. In a recovery the window is what is in
 * flight and what may be sent now, so that one packet goes for each that
 * arrives, or fewer until the slow-start threshold is reached. Below that one
 * more goes for an ACK that makes progress and tells of no further loss, as in
 * Linux; else what arrived is all (section 3, the two bounds). */
struct orr_prr {
    bool on;          /* in a recovery; the others mean nothing else */
    double delivered; /* packets since the recovery began */
    double flight;    /* what was in flight then, with what was lost */
    uint64_t sent;    /* of the connection, by then */
};

enum orr_prr_form { ORR_PRR_LINUX, ORR_PRR_NS3 };
extern const char *const orr__prr_forms[]; /* by name; NULL-ended */

/* Part of a control's state; sequence numbers are packets. */
struct orr_reno {
    double ssthresh; /* packets */
    /* Marks are answered again once something sent after the answer is
     * acknowledged, that is more than this number (RFC 3168, section 6.1.2). */
    uint32_t cut;
    bool waiting;  /* a mark was answered; until more than `cut` is here */
    double before; /* while `waiting`: the window at that mark */
    bool may_prr;  /* asked for, and losses leave something in flight */
    bool slowly;   /* marks are answered so as well: while `waiting` */
    bool in_bytes; /* PRR as ns-3 counts it */
    struct orr_prr prr;
    struct orr_hystart hystart;
};

/* Part of a control's parameters, first in its struct. */
struct orr_reno_params {
    double ssthresh, min_cwnd; /* packets */
    int64_t growth;            /* packets that one ACK counts for at most */
    bool prr, prr_marks; /* after losses, after marks too: struct orr_prr */
    int prr_form;        /* enum orr_prr_form */
    bool hystart;        /* slow start ends by delay: hystart.h */
};

/* For a parameter struct `owner` that holds these at `member` ("reno."). */
#define ORR_RENO_PARAMS(owner, member)                                         \
    {.key = "ssthresh",                                                        \
     .type = ORR_PARAM_REAL,                                                   \
     .offset = offsetof(owner, member ssthresh),                               \
     .fallback = "1e9",                                                        \
     .min = "2",                                                               \
     .help = "initial slow-start threshold, packets"},                         \
        {.key = "min_cwnd",                                                    \
         .type = ORR_PARAM_REAL,                                               \
         .offset = offsetof(owner, member min_cwnd),                           \
         .fallback = "2",                                                      \
         .min = "1",                                                           \
         .help = "smallest window after a loss or mark, packets"},             \
        {.key = "growth",                                                      \
         .type = ORR_PARAM_INT,                                                \
         .offset = offsetof(owner, member growth),                             \
         .fallback = "1000000",                                                \
         .min = "1",                                                           \
         .help = "most packets that one ACK counts for when the window grows " \
                 "(1: RFC 5681, counts ACKs; L of RFC 3465)"},                 \
        {.key = "prr",                                                         \
         .type = ORR_PARAM_BOOL,                                               \
         .offset = offsetof(owner, member prr),                                \
         .fallback = "true",                                                   \
         .help =                                                               \
             "proportional rate reduction after a loss (RFC 6937); false: "    \
             "nothing is sent until the pipe is down to the new window",       \
         .idle = orr__cc_idle_prr},                                            \
        {.key = "prr_form",                                                    \
         .type = ORR_PARAM_CHOICE,                                             \
         .offset = offsetof(owner, member prr_form),                           \
         .fallback = "linux",                                                  \
         .choices = orr__prr_forms,                                            \
         .help = "linux: counts packets and rounds up; ns3: counts bytes, so " \
                 "that a packet goes when all of it is due, and below the "    \
                 "threshold as much as an ACK reports",                        \
         .idle = orr__cc_idle_prr_form},                                       \
    {                                                                          \
        .key = "prr_marks", .type = ORR_PARAM_BOOL,                            \
        .offset = offsetof(owner, member prr_marks), .fallback = "false",      \
        .help = "the same after a mark, over a round trip, as in Linux and "   \
                "ns-3; false: the window is cut at once",                      \
        .idle = orr__cc_idle_marks,                                            \
    }

/* Of those that end slow start by HyStart++ if asked to. */
#define ORR_HYSTART_PARAM(owner, member, value)                                \
    {                                                                          \
        .key = "hystart", .type = ORR_PARAM_BOOL,                              \
        .offset = offsetof(owner, member hystart), .fallback = value,          \
        .help = "the first slow start ends when round-trip times rise by an "  \
                "eighth, at least 4ms and at most 16ms (HyStart++, RFC 9406)"  \
    }

/* As a connection on this path begins: in slow start, nothing answered. */
static inline void orr__reno_init(struct orr_reno *r,
                                  const struct orr_reno_params *p,
                                  const struct orr_cc_path *path)
{
    r->ssthresh = p->ssthresh;
    r->may_prr = p->prr && !path->goes_back;
    r->slowly = p->prr_marks;
    r->in_bytes = p->prr_form == ORR_PRR_NS3;
    orr__hystart_init(&r->hystart, p->hystart);
}

/* Does this ACK let the window grow? What arrived beyond a gap does not (RFC
 * 5681, section 3.2): the gap may be a loss, which is not known to be one yet.
 * It does where packets overtake one another, as in Linux: gaps are no sign of
 * losses then. */
static inline bool orr__reno_grows(const struct orr_cc_ack *a)
{
    return a->acked || (a->delivered && a->reordered);
}

/* Slow start (RFC 5681, section 3.1) or one packet a window. A window that is
 * not made use of, because the NIC or the program is what limits the flow, says
 * nothing about the network and does not grow (RFC 7661); in slow start it may
 * run ahead to twice what was in flight. */
static inline void orr__reno_grow(struct orr_reno *r,
                                  const struct orr_reno_params *p,
                                  struct orr_cc_window *w,
                                  const struct orr_cc_ack *a)
{
    double n =
        a->delivered > p->growth ? (double)p->growth : (double)a->delivered;
    bool slow_start = w->cwnd < r->ssthresh;

    if (w->cwnd >= (slow_start ? 2.0 : 1.0) * a->peak + 1)
        return;
    if (slow_start) {
        w->cwnd += n * orr__hystart_share(&r->hystart);
        if (w->cwnd > r->ssthresh)
            w->cwnd = r->ssthresh;
    } else {
        w->cwnd += w->gain * (n / w->cwnd);
    }
}

/* This share of a window, as a loss or a mark leaves it. */
static inline double orr__reno_cut(const struct orr_reno_params *p,
                                   double packets, double share)
{
    ORR_ASSERT(packets > 0 && share >= 0 && share <= 1);
    return packets * share > p->min_cwnd ? packets * share : p->min_cwnd;
}

/* The window that a reduction takes its share of: in a recovery what it is to
 * come to. */
static inline double orr__reno_window(const struct orr_reno *r,
                                      const struct orr_cc_window *w)
{
    return r->prr.on ? r->ssthresh : w->cwnd;
}

/* The threshold that a loss leaves, at this share. A window is cut
 * once, whatever told of congestion (RFC 3168, section 6.1.2; RFC 8257, section
 * 3.5): a loss among what was under way at a mark has it down to its share of
 * the window before the mark, or leaves what the mark has left, if that is
 * less. */
static inline double orr__reno_left(const struct orr_reno *r,
                                    const struct orr_reno_params *p,
                                    const struct orr_cc_window *w, double share)
{
    double left;

    if (!r->waiting)
        return orr__reno_cut(p, orr__reno_window(r, w), share);
    left = orr__reno_cut(p, r->before, share);
    return left < r->ssthresh ? left : r->ssthresh;
}

/* A mark: the window is down to the new threshold. */
static inline void orr__reno_marked(struct orr_reno *r, struct orr_cc_window *w,
                                    const struct orr_cc_ack *a)
{
    ORR_ASSERT(!r->waiting && (int32_t)(a->next - a->una) >= 0);
    r->cut = a->next;
    r->waiting = true;
    r->before = w->cwnd;
    r->hystart.on = false;
    if (r->slowly)
        r->prr = (struct orr_prr){
            .on = true, .flight = a->next - a->una, .sent = a->sent};
    else
        w->cwnd = r->ssthresh;
}

/* A loss, with the new threshold set. */
void orr__reno_lost(struct orr_reno *r, struct orr_cc_window *w,
                    const struct orr_cc_ack *a);
/* A timeout, the same. Whatever was answered before it is over. */
void orr__reno_timed_out(struct orr_reno *r, struct orr_cc_window *w);
/* An ACK in a recovery, or in the first slow start with HyStart++. */
void orr__reno_followed(struct orr_reno *r, struct orr_cc_window *w,
                        const struct orr_cc_ack *a);

/* As in orr_cc_ops. */
void orr__reno_snapshot(const struct orr_reno *r, struct orr_snapshot *w,
                        uint32_t una);

/* Before anything else that an ACK does. */
static inline void orr__reno_heard(struct orr_reno *r, struct orr_cc_window *w,
                                   const struct orr_cc_ack *a)
{
    if (r->waiting && (int32_t)(a->una - r->cut) > 0)
        r->waiting = false;
    if (r->prr.on | r->hystart.on)
        orr__reno_followed(r, w, a);
}

#endif
