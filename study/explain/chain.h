/* What an iteration's end waited for: the first pass. While a job runs, each
 * thing that happens to one of its ranks keeps what caused it: the thing in
 * whose course the message was sent, or the timer set. Of several that an
 * operation waits for it is the last that lets it go on, so the causes of an
 * iteration's end, backwards, are its critical path; one begins where the one
 * before ends, and together they take all of its time.
 *
 * Causes are counted by what refers to them, so there are no more than what is
 * still open and the paths that led to it. */
#ifndef ORR_STUDY_EXPLAIN_CHAIN_H
#define ORR_STUDY_EXPLAIN_CHAIN_H

#include "core/error.h"
#include "study/explain/parts.h"
#include "workload/world.h"

enum orr_leg_kind {
    ORR_LEG_COMPUTE,  /* a computation */
    ORR_LEG_OVERHEAD, /* what a message, or a collective's step, costs a rank */
    ORR_LEG_GATE,     /* the schedule's gate opens */
    ORR_LEG_LOCAL,    /* a message to a rank on the same host */
    ORR_LEG_ARRIVAL,  /* a message, until all of it is there */
    ORR_LEG_SENT,     /* a message, until it has left its NIC */
    ORR_LEG_ACKED,    /* a message, until it is acknowledged */
};

/* A message in both passes: the member that sends it, and how many it had sent
 * before. Members have their messages in one order, whichever way the net goes;
 * among several members it is the net's. */
static inline uint64_t orr__leg_serial(uint32_t member, uint64_t sent)
{
    return (uint64_t)member << 40 | sent;
}

/* One leg of the path. */
struct orr_leg {
    int64_t from, until; /* ps */
    uint8_t kind;        /* enum orr_leg_kind */
    uint32_t rank, peer; /* members of the job; peer: the message's other end */
    uint32_t op;         /* of the program; UINT32_MAX: none */
    uint64_t bytes, tag; /* of a message */
    uint32_t arg;        /* likewise, as in struct orr_message */
    uint64_t serial;     /* orr__leg_serial; of a flow its number */
    int64_t overhead;    /* of a computation: what of it was overhead, ps */
    struct orr_spending line; /* what it was spent on */
};

/* The critical path of an iteration, or of a flow. */
struct orr_path {
    int64_t from, until; /* ps */
    struct orr_leg *leg; /* one after another, without a gap; owned */
    uint32_t n;
};

struct orr_chains;
/* Looks on at a world that has not begun, at those of its jobs that are
 * wanted (w->n_jobs of them). */
ORR_CHECK_RESULT orr_err orr__chains_new(struct orr_world *w,
                                         const bool *wanted,
                                         struct orr_chains **out,
                                         struct orr_report *why);
/* The jobs have begun, and nothing has run. */
void orr__chains_begin(struct orr_chains *c);
/* Lets the run halt when a job has ended this iteration. */
void orr__chains_until(struct orr_chains *c, uint32_t job, uint32_t iteration);
/* Iterations of a job that have ended. */
uint32_t orr__chains_ended(const struct orr_chains *c, uint32_t job);
/* From the end of one iteration to that of the next; before the first: when it
 * started. */
int64_t orr__chains_end(const struct orr_chains *c, uint32_t job,
                        uint32_t iteration);
int64_t orr__chains_start(const struct orr_chains *c, uint32_t job,
                          uint32_t iteration);
/* The path to the end of iteration `last`, from where `first` starts. To be
 * freed with orr__path_fini. */
ORR_CHECK_RESULT orr_err orr__chains_path(const struct orr_chains *c,
                                          uint32_t job, uint32_t first,
                                          uint32_t last, struct orr_path *out,
                                          struct orr_report *why);
void orr__chains_free(struct orr_chains *c);
void orr__path_fini(struct orr_path *p);

#endif
