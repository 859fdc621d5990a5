/* Courses: ways that a job's messages take other than those that the network's
 * routing would choose, and stages: what a job gets from the network from some
 * iteration on. */
#ifndef ORR_WORKLOAD_JOB_PATH_OVERRIDE_H
#define ORR_WORKLOAD_JOB_PATH_OVERRIDE_H

#include "core/config/param.h"
#include "core/error.h"
#include "core/table.h"
#include "net/net.h"
#include "topo/routing.h"

#define ORR_NO_CHOICE UINT64_MAX

/* Of one pair of ranks. */
struct orr_path_override {
    const uint32_t *link; /* from the host of one to that of the other; NULL:
                             by entropy */
    uint32_t links;
    uint32_t src, dst; /* ranks */
    uint64_t entropy;  /* not 0 without links: as orr_connection_spec has it */
    uint64_t choice;   /* among the equal ways, not looked up yet; or none */
    const struct orr_yaml *at; /* NULL: not written by the user */
    const char **idle; /* the document's: why the entropy has no effect, once
                        * paths are looked up; NULL: not written by the user */
};

struct orr_path_overrides {   /* zeroed: every pair goes its own way */
    struct orr_table by_pair; /* places in `override` */
    struct orr_path_override
        *override;    /* owned; its links are the document's */
    uint32_t n, room; /* of `override` */
    uint64_t entropy; /* mixed into the choice of all other pairs; 0: not */
};

/* From iteration `from` on, ranks make their connections anew. */
struct orr_gate; /* gate.h */
struct orr_iteration_terms {
    uint32_t from; /* iteration, until the next stage's; the first: 0 */
    const struct orr_net_service *service; /* NULL: the network's */
    struct orr_path_overrides overrides;
    const struct orr_gate *gate; /* NULL: the team's */
    bool goes_on; /* nothing but the gate is new: connections are those of the
                   * stage before. Not of the first */
};

extern const struct orr_param orr__progress_params[];

/* Where a job's ranks are, for reading its overrides. */
struct orr_path_override_reader {
    struct orr_config *c;
    const struct orr_graph *graph;
    const uint32_t *hosts; /* per rank */
    uint32_t ranks;
    bool detours;     /* the network's routing leaves no way to be chosen */
    const char *same; /* why no entropy has an effect; NULL: it may */
    struct orr_report *why;
};
/* `paths`: {entropy: N}, or a list of overrides. NULL: none. */
ORR_CHECK_RESULT orr_err orr__path_overrides_read(
    const struct orr_path_override_reader *r, const struct orr_yaml *node,
    struct orr_path_overrides *out);
/* Puts one in, or in the place of that of the same pair. */
ORR_CHECK_RESULT orr_err orr__path_overrides_put(
    struct orr_path_overrides *all, const struct orr_path_override *one,
    struct orr_report *why);
/* Looks up the choices, which are in the arena then. */
ORR_CHECK_RESULT orr_err orr__path_overrides_choose(
    const struct orr_path_override_reader *r, const struct orr_routing *routes,
    struct orr_path_overrides *all);
/* Sets what spec says of its way. Safe from any thread. */
void orr__path_overrides_set(const struct orr_path_overrides *all, uint32_t src,
                             uint32_t dst, struct orr_connection_spec *spec);
void orr__path_overrides_fini(struct orr_path_overrides *all);

#endif
