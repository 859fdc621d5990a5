/* Why jobs of a cluster were slower than alone: their contenders, where, from
 * when to when, and what that cost. */
#ifndef ORR_CLUSTER_EXPLAIN_H
#define ORR_CLUSTER_EXPLAIN_H

#include "cluster/engine.h"

/* Of a run that is over. job: its name; NULL: those that lost most by company,
 * ORR_EXPLAINED_JOBS of them at most. Free with orr__free. ECONFIG: no job has
 * that name. */
enum { ORR_EXPLAINED_JOBS = 10 };
ORR_CHECK_RESULT orr_err orr__cluster_explain_text(const struct orr_engine *e,
                                                   const char *job, char **out,
                                                   struct orr_report *why);
ORR_CHECK_RESULT orr_err orr__cluster_explain_json(const struct orr_engine *e,
                                                   const char *job, char **out,
                                                   struct orr_report *why);

#endif
