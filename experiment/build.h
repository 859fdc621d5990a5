/* From what was read to a net that can run: routes, who runs which nodes. */
#ifndef ORR_EXPERIMENT_BUILD_H
#define ORR_EXPERIMENT_BUILD_H

#include "workload/world.h"

/* How a network is built. */
struct orr_build {
    unsigned threads; /* 0: one; ORR_THREADS_AUTO */
    bool all;         /* any host may be sent to, not only those of jobs and
                         flows */
    bool one;         /* with one thread: all nodes are one process */
};
/* How long schedules, gates and triggers take to act, in ps. asked 0: nobody
 * did. No shorter than the shortest link; what triggers cause goes to their
 * home in one half of it, and on in the other, neither of them in no time. */
void orr__choose_control_delay(struct orr_world *w, int64_t asked);
/* Makes w->routes. */
ORR_CHECK_RESULT orr_err orr__build_routes(struct orr_world *w, bool all,
                                           struct orr_report *why);
/* Makes w->routes and w->net. *part: per node, its worker, which the net needs
 * as long as it lives; to be freed with orr__free, also when this fails. */
ORR_CHECK_RESULT orr_err orr__build_net(struct orr_world *w,
                                        const struct orr_build *b,
                                        uint32_t **part,
                                        struct orr_report *why);

#endif
