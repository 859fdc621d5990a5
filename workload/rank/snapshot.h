/* Ranks, shown to a walk (core/snapshot.h): what decides their future,
 * iterations by how far they lie from that of the job. Between windows. */
#ifndef ORR_WORKLOAD_RANK_SNAPSHOT_H
#define ORR_WORKLOAD_RANK_SNAPSHOT_H

#include "core/snapshot.h"
#include "workload/rank/rank.h"

/* Why a job cannot be shown, or NULL. */
const char *orr__team_opaque(const struct orr_team *t, bool exact);

/* All ranks. iteration: of the job, from which others are counted; more: MOVE,
 * by how many iterations it goes on. */
void orr__team_snapshot(struct orr_team *t, uint32_t iteration, uint32_t more,
                        struct orr_snapshot *w);
/* A timer of one of them. False: it starts the job. */
bool orr__team_snapshot_timer(struct orr_team *t, uint64_t arg,
                              uint32_t iteration, struct orr_snapshot *w);
/* Tag of a message, as it is called from this iteration on; MOVE: changes it
 * to that of an iteration so many later. */
uint64_t orr__snapshot_tag(uint32_t arg, uint64_t *tag, uint32_t iteration,
                           uint32_t more, struct orr_snapshot *w);
/* call.c: collectives under way; iteration and more as above. */
void orr__collect_snapshot(struct orr_rank *r, uint32_t iteration,
                           uint32_t more, struct orr_snapshot *w);

/* What has been written down of iterations: with `by` ps for `more` of them,
 * the records of those that are skipped are made from the last `more` that all
 * ranks have ended; those under way learn of later ones. lowest: the lowest
 * iteration that a rank is in. */
void orr__team_skip(struct orr_team *t, unsigned workers, uint32_t lowest,
                    uint32_t cycle, uint64_t times, int64_t period);
/* The same where nothing is the same: `more` iterations in `by` ps, each about
 * as one of the last `cycle` that all ranks have ended, in their order. */
void orr__team_infer(struct orr_team *t, unsigned workers, uint32_t lowest,
                     uint32_t cycle, uint32_t more, int64_t by);

#endif
