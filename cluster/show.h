/* A cluster's run as JSON and as text for people. */
#ifndef ORR_CLUSTER_SHOW_H
#define ORR_CLUSTER_SHOW_H

#include "cluster/engine.h"
#include "cluster/tenant_figures.h"

/* Free with orr__free; NULL when out of memory. whole: as of
 * orr__results_json. */
char *orr__cluster_json(const struct orr_world *w, const struct orr_engine *e,
                        const char *const *whole);
char *orr__cluster_text(const struct orr_world *w, const struct orr_engine *e);
/* Their parts of tenants, if there are any. */
struct orr_json;
struct orr_text;
void orr__tenants_json(struct orr_json *j, const struct orr_engine *e,
                       const struct orr_job_result *jobs);
void orr__tenants_text(struct orr_text *t, const struct orr_engine *e,
                       const struct orr_job_result *jobs);
struct orr_record;
orr_err orr__tenants_write(struct orr_record *r, const struct orr_engine *e,
                           const struct orr_job_result *jobs);
/* The records file of a run that is over, under its final name at once. */
ORR_CHECK_RESULT orr_err orr__cluster_write(const struct orr_world *w,
                                            const struct orr_engine *e,
                                            const char *file,
                                            struct orr_report *why);

#endif
