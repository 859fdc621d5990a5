/* Paths for the messages of jobs, chosen among the equal ones that the routes
 * offer (Crux, SIGCOMM 2024, section 4.1): jobs in order of intensity, and each
 * takes what is least loaded then. */
#ifndef ORR_WORKLOAD_SCHEDULE_PATH_CHOICE_H
#define ORR_WORKLOAD_SCHEDULE_PATH_CHOICE_H

#include "workload/schedule/outline.h"

/* Equal paths of one pair that are looked at, and pairs of one job. */
enum { ORR_PATH_CHOICE_TRIED = 64, ORR_PATH_CHOICE_PAIRS = 65536 };

/* A pair of members and its path. */
struct orr_chosen_path {
    uint32_t src, dst; /* members */
    uint64_t bytes;    /* of an iteration, on the wire */
    uint32_t n, tried; /* links; paths that there were to choose from */
    uint32_t *link;    /* owned by the table */
};

/* Paths of one job; freed with orr__path_table_fini. */
struct orr_path_table {
    uint32_t n;                   /* 0: the job keeps the ways of its own */
    struct orr_chosen_path *path; /* ascending by (src, dst) */
};

/* The pairs of members that an outline has, each with the way that it takes by
 * itself. A job of more than ORR_PATH_CHOICE_PAIRS has none. ENOMEM; *out is
 * all zeros then. */
ORR_CHECK_RESULT orr_err orr__path_choice_list(const struct orr_world *w,
                                               const struct orr_job *j,
                                               const struct orr_outline *o,
                                               struct orr_path_table *out,
                                               struct orr_report *why);
/* Chooses for each pair, in order: of the equal paths the one whose busiest
 * link is least busy with it, then the one with the lowest sum, then the first.
 * load: per link, the share of its time that those before asked for; this job's
 * is added. */
ORR_CHECK_RESULT orr_err orr__path_choice_choose(
    const struct orr_world *w, const struct orr_job *j, int64_t iteration_ps,
    struct orr_path_table *t, double *load, struct orr_report *why);
/* Chooses anew for each pair, all others being as they are, until nobody gains:
 * none then has an equal path that is less busy. Before,
 * orr__path_choice_choose. */
ORR_CHECK_RESULT orr_err orr__path_choice_improve(
    const struct orr_world *w, const struct orr_job *j, int64_t iteration_ps,
    struct orr_path_table *t, double *load, struct orr_report *why);
/* The links of a pair by a table, `table`; ACKs, and what the table does not
 * have, by the job's own. For struct orr_message_paths, with this as arg. */
struct orr_paths_by {
    const struct orr_world *w;
    const struct orr_job *j;
    const struct orr_path_table *table;
};
uint32_t orr__path_choice_by(void *arg, uint32_t src, uint32_t dst,
                             bool forward, uint32_t *link, uint32_t max);
/* The way of a pair, or NULL: its own. */
const struct orr_chosen_path *orr__path_choice_find(
    const struct orr_path_table *t, uint32_t src, uint32_t dst);
void orr__path_choice_fini(struct orr_path_table *t);

#endif
