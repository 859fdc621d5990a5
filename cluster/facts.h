/* What is known of a job on its GPUs before any packet moves: what it asks of
 * links, and by which ways. */
#ifndef ORR_CLUSTER_FACTS_H
#define ORR_CLUSTER_FACTS_H

#include "core/none.h"
#include "experiment/experiment.h"
#include "workload/schedule/path_choice.h"
#include "workload/schedule/profile.h"

/* The ways of a job's messages, pair by pair in order of (source, destination):
 * what makes two placements the same but for the names of links. */
struct orr_job_paths {
    uint32_t *link; /* of all pairs, one after another, each pair ended by
                     * ORR_NONE */
    uint32_t n;
};

/* What decides who goes first on a link. */
struct orr_terms {
    uint32_t class; /* the highest goes first; all alike where ports do not go
                     * by that */
    double weight;  /* of its share of a link */
    struct orr_gate gate; /* offset: of the cluster's time */
};

/* What a job on its GPUs asks of the network. */
struct orr_facts {
    struct orr_profile profile; /* what it asks of links, alone */
    struct orr_job_paths paths;
    struct orr_terms terms;
    bool chooses; /* some pair of GPUs has several equal ways */
    bool unknown; /* it cannot be worked out: it may use any link */
};

/* Of a job of a world that has read its schedule. */
struct orr_terms orr__terms_of(const struct orr_world *w,
                               const struct orr_job *j);
/* Of ways as they are listed. ENOMEM; then it is all zeros. */
ORR_CHECK_RESULT orr_err orr__job_paths_of(const struct orr_path_table *paths,
                                           struct orr_job_paths *out,
                                           struct orr_report *why);
/* Of the one job of an experiment that has not begun. ENOMEM. *out is to be
 * given to orr__facts_fini, however this ends. */
ORR_CHECK_RESULT orr_err orr__gather_facts(const struct orr_world *w,
                                           struct orr_facts *out,
                                           struct orr_report *why);
void orr__facts_fini(struct orr_facts *f);
/* Whether it asks so much of a link that it counts there. */
bool orr__facts_counts(const struct orr_graph *g,
                       const struct orr_link_demand *d);

#endif
