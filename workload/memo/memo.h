/* Collectives that nobody disturbs are simulated once: `repeat: {operations:
 * exact}`. Docs: docs/model.md, "Collectives replayed".
 *
 * An island is a group of ranks whose messages have links of their own: no
 * other message of the run can come there. What a call of it takes depends on
 * nothing but the state of its connections and on when its members enter it.
 * Members that enter are noted, and nothing is sent. When the last one is there
 * the call is looked up; if it is not known it is gone through on a bench, a
 * small net of the island alone. Ends are markers in the run: places where what
 * would have ended the call would have stood. */
#ifndef ORR_WORKLOAD_MEMO_MEMO_H
#define ORR_WORKLOAD_MEMO_MEMO_H

#include "core/error.h"
#include "workload/world.h"

/* What stood in the way of a group of ranks: its collectives are simulated. */
struct orr_memo_obstacle {
    const char *why;
    uint32_t groups;
};
enum { ORR_MEMO_OBSTACLES = 16 };

/* What came of it, for summaries: world->result.replayed. */
struct orr_memo_result {
    const char *full;          /* why nothing can be replayed, or NULL */
    uint32_t islands, classes; /* of which those of a class are alike */
    struct orr_memo_obstacle obstacle[ORR_MEMO_OBSTACLES];
    uint32_t obstacles;
    uint64_t calls_planned, hops_planned; /* by the plan: collectives of
                                           * islands, about so many hops */
    uint64_t calls; /* collectives of islands: each of one group in an
                     * iteration ... */
    uint64_t simulated, by_lot; /* ... gone through on a bench; of these because
                                 * lots were drawn, so that no other is alike */
    uint64_t hops, hops_simulated; /* packet-hops of all, of these */
};

/* Finds out which groups are islands, from program, graph and routes. Nothing,
 * unless world->operations. Once the net is built; before jobs start. */
ORR_CHECK_RESULT orr_err orr__memo_plan(struct orr_world *w,
                                        struct orr_report *why);
/* Makes it a part of the run that begins, if there is any island. */
ORR_CHECK_RESULT orr_err orr__memo_start(struct orr_world *w,
                                         struct orr_report *why);
/* Before the run begins: not if somebody looks at packets one by one. */
void orr__memo_check_observers(struct orr_world *w);
/* Whether any collective may be replayed; after that. */
static inline bool orr__memo_works(const struct orr_world *w)
{
    const struct orr_memo_result *r = w->result.replayed;
    return r && r->islands > 0 && !r->full;
}
void orr__memo_free(struct orr_world *w);

#endif
