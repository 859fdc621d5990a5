/* What a job asks of each link over one iteration when it has the network to
 * itself: measured by `orrery profile`, estimated from its program
 * (demand.h), or written by hand. */
#ifndef ORR_WORKLOAD_SCHEDULE_PROFILE_H
#define ORR_WORKLOAD_SCHEDULE_PROFILE_H

#include <stdint.h>

#include "core/config/config.h"
#include "core/config/param.h"
#include "core/error.h"
#include "topo/graph.h"

/* A stretch of the iteration in which a link carries the job's bytes evenly. */
struct orr_phase {
    int64_t at_ps, for_ps; /* from the iteration's start; for_ps > 0 */
    uint64_t rate_bps;
};

/* One link's phases, of one iteration. */
struct orr_link_demand {
    uint32_t link;           /* directed, of the graph */
    uint32_t n;              /* of these, which are owned */
    struct orr_phase *phase; /* ascending, apart; none ends after the
                                iteration */
};

/* Freed with orr__profile_fini. */
struct orr_profile {
    char *job;            /* its name; NULL: not said */
    int64_t iteration_ps; /* > 0 */
    int64_t compute_ps;   /* in which a rank computes, of an iteration; -1: not
                             known */
    uint32_t n;           /* of these, which are owned, as `job` is */
    struct orr_link_demand *link; /* ascending by link, each once */
};

/* The keys of a profile, of one of its links and of one of its phases. */
extern const struct orr_param orr__profile_params[], orr__demand_params[],
    orr__phase_params[];

/* What a file of another format than YAML holds, as YAML, to be freed with
 * orr__free. *text NULL: it is YAML itself. */
typedef orr_err orr_profile_text_fn(const char *path, char **text,
                                    struct orr_report *why);

/* A profile as it stands in a document: a map, or the name of a file that holds
 * one, relative to the document. other: NULL, if all files are YAML. Fails with
 * ECONFIG at the place of what is wrong, also when a link is not one of the
 * graph's, which tells a profile of another topology. *out is all zeros then;
 * else orr__profile_fini. */
ORR_CHECK_RESULT orr_err orr__profile_read(struct orr_config *c,
                                           const struct orr_yaml *node,
                                           const struct orr_graph *g,
                                           orr_profile_text_fn *other,
                                           struct orr_profile *out,
                                           struct orr_report *why);
/* As YAML, which reads back to the same; free with orr__free. NULL: no
 * memory. */
char *orr__profile_text(const struct orr_profile *p, const struct orr_graph *g);
void orr__profile_fini(struct orr_profile *p);
/* How many links with the same ends come before it: the key `parallel`. */
uint32_t orr__profile_parallel(const struct orr_graph *g, uint32_t link);

/* Demand of the job on a link, or NULL: it does not use it. */
const struct orr_link_demand *orr__profile_link(const struct orr_profile *p,
                                                uint32_t link);
/* Whether it asks for links at a host, put into *host, that is none of n hosts
 * and passes nothing on: it is of another placement then. */
bool orr__profile_strange(const struct orr_profile *p,
                          const struct orr_graph *g, const uint32_t *hosts,
                          uint32_t n, uint32_t *host);
/* Of one iteration, rounded down. */
uint64_t orr__demand_bytes(const struct orr_link_demand *d);

#endif
