/* How ASTRA-sim's NPUs take turns on a dimension's queues, and when a phase of
 * a chunk is over. */
#ifndef ORR_FORMATS_ASTRA_QUEUE_ORDER_H
#define ORR_FORMATS_ASTRA_QUEUE_ORDER_H

#include "workload/rank/policy.h"

/* Where an operation goes among those that wait for a stream. */
enum orr_astra_queue_order {
    ORR_BY_PRIORITY,    /* behind those of its priority and higher */
    ORR_SMALLEST_FIRST, /* before the first that is not lighter */
    ORR_ALTERNATELY,    /* so that weights 1 and 2 take turns */
};

/* orr_op.rule: an order, and ... */
enum {
    ORR_ASTRA_QUEUE_ORDERS = 0x0f,
    ORR_ORDER_TOGETHER = 0x10, /* all ranks take turns alike; always set */
    ORR_TURN_JOINT = 0x20, /* it ends for all ranks when it has for the last,
                              where all are in one process */
};

extern const struct orr_policy orr__astra_policy;

/* ---- between queue_order.c and joint_end.c ---- */

/* What happened at one instant to operations of a rank. */
struct orr_astra_queue_event {
    int64_t step_ps; /* when the last step of the one that is over began */
    uint32_t number; /* of all that it had, which */
    uint32_t op;
    bool over; /* else it gets ready */
};

/* Of a rank; on cache lines of its own. */
struct orr_astra_queues {
    _Alignas(64) struct orr_astra_queue_event *instant;
    uint32_t n, n_over, room;  /* of instant */
    struct orr_call_end ended; /* of the operation that completes now */
    struct orr_mailbox begun;  /* operations that peers have begun */
};

struct orr_joint_end;
/* What the policy keeps of a job. */
struct orr_astra_queue_team {
    struct orr_astra_queues *rank; /* of each */
    struct orr_joint_end
        *joint; /* NULL: each rank ends its operations by itself */
};

/* That of a team, and that of one of its ranks. */
static inline struct orr_astra_queue_team *orr__astra_queue_team(
    const struct orr_team *t)
{
    return t->policy;
}
static inline struct orr_astra_queues *orr__astra_queues_of(
    const struct orr_rank *r)
{
    return &orr__astra_queue_team(r->team)->rank[r->rank];
}

/* The end of an instant: works off what happened then. */
void orr__astra_queue_settle(struct orr_rank *r, int64_t now);

/* Made where operations are joint and all ranks are in one process; false: no
 * memory. */
bool orr__joint_end_make(struct orr_team *t);
void orr__joint_end_free(struct orr_joint_end *x);
/* A rank has ended an operation; true: it will be complete with the others'. */
bool orr__joint_end_end(struct orr_rank *r, int64_t now, uint32_t op,
                        const struct orr_call_end *end);
/* The end of an instant is wanted; it is there. */
void orr__joint_end_later(struct orr_team *t, int64_t now);
void orr__joint_end_settle(struct orr_team *t, int64_t now);

#endif
