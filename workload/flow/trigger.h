/* Triggers: flows that start when others end, as htsim's connection matrices
 * have them. A flow activates one when it is sent (its last ACK) or received;
 * oneshot starts all its flows at the first activation, multishot the next one
 * at each, barrier all of them at the count-th.
 *
 * On one host that happens at once. Where the hosts differ it takes the
 * control delay: half of it to the trigger's home, the host of its first flow,
 * which counts, and half to the host of the flow. */
#ifndef ORR_WORKLOAD_FLOW_TRIGGER_H
#define ORR_WORKLOAD_FLOW_TRIGGER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/error.h"
#include "workload/world.h"

struct orr_flow_list;

/* Triggers by place in the list plus one; 0: none. */
struct orr_flow_use {
    uint32_t waits;                /* starts the flow */
    uint32_t on_sent, on_received; /* that the flow activates */
};

enum orr_trigger_kind {
    ORR_TRIGGER_ONESHOT,
    ORR_TRIGGER_MULTISHOT,
    ORR_TRIGGER_BARRIER
};

/* Fields after `home` are touched by the thread of that host alone. */
struct orr_trigger {
    uint32_t number; /* in its file */
    int line;        /* where it was met first */
    int8_t kind;     /* -1: not defined yet */
    uint32_t count;  /* of a barrier */
    /* its flows: a stretch of `waiting` */
    uint32_t first, flows;
    uint32_t home; /* host */
    bool local;    /* all that has to do with it is at home */
    /* touched at home only */
    uint32_t activations, started;
};

/* All triggers of a world. */
struct orr_triggers {
    struct orr_trigger *trigger; /* owned, like the other arrays */
    uint32_t count, capacity;    /* of `trigger` */
    struct orr_flow_use *use;    /* per flow, those beyond use none */
    uint32_t uses, use_room;     /* of `use` */
    uint32_t *waiting;           /* flows, by trigger */
    /* those of the file being read, by number: place plus one, 0: free */
    uint32_t *slot, slots, slots_first;
    /* from orr__triggers_start on */
    uint32_t user; /* of the net */
    void (*begin)(struct orr_world *w, uint32_t flow, int64_t now);
};

/* ---- while flows are read ---------------------------------------------- */

/* Those of all files so far. */
uint32_t orr__triggers_count(const struct orr_flow_list *l);
/* The trigger of this number among those from `first` on, made if it is new. */
ORR_CHECK_RESULT orr_err orr__triggers_find(struct orr_flow_list *l,
                                            uint32_t first, uint32_t number,
                                            int line, uint32_t *use,
                                            struct orr_report *why);
/* False if it was defined before. */
bool orr__trigger_define(struct orr_flow_list *l, uint32_t use, int kind,
                         uint32_t count);
/* One from `first` on that was used and not defined, or NULL. */
const struct orr_trigger *orr__triggers_undefined(const struct orr_flow_list *l,
                                                  uint32_t first);
ORR_CHECK_RESULT orr_err orr__triggers_use(struct orr_flow_list *l,
                                           uint32_t flow,
                                           const struct orr_flow_use *use,
                                           struct orr_report *why);
void orr__triggers_free(struct orr_triggers *t);

/* ---- running ----------------------------------------------------------- */

/* When all flows are read: fills in what running needs. */
ORR_CHECK_RESULT orr_err orr__triggers_finish(struct orr_triggers *t,
                                              const struct orr_world *w,
                                              struct orr_report *why);
/* Is this flow started by a trigger? */
static inline bool orr__triggers_wait(const struct orr_triggers *t,
                                      uint32_t flow)
{
    return flow < t->uses && t->use[flow].waits;
}
/* Flow i was sent, at its source, or received, at its destination. */
void orr__triggers_sent(struct orr_world *w, struct orr_triggers *t,
                        uint32_t flow, int64_t now);
void orr__triggers_received(struct orr_world *w, struct orr_triggers *t,
                            uint32_t flow, int64_t now);
/* Before the run: their timers come to these upcalls. begin: starts a flow, in
 * the thread of its source. False: no memory. */
bool orr__triggers_start(struct orr_triggers *t, struct orr_net *net,
                         const struct orr_net_ops *upcalls, void *context,
                         void (*begin)(struct orr_world *w, uint32_t flow,
                                       int64_t now));
/* A timer of theirs: an activation has come home. */
void orr__triggers_timer(struct orr_world *w, struct orr_triggers *t,
                         uint64_t arg, int64_t now);
/* What flow i waits for, after the run: "trigger 3 (1 of 2 activations)". */
void orr__triggers_describe(const struct orr_triggers *t, uint32_t flow,
                            char *buf, size_t size);

#endif
