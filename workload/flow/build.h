/* Inside of flows: the list as it grows while it is read, the generators, and
 * the distributions of sizes. Private to workload/flows*.c and to help. */
#ifndef ORR_WORKLOAD_FLOW_BUILD_H
#define ORR_WORKLOAD_FLOW_BUILD_H

#include <stdint.h>

#include <gsl/gsl_rng.h>

#include "core/config/config.h"
#include "core/config/param.h"
#include "core/error.h"
#include "workload/flow/flows.h"
#include "workload/job/service.h"
#include "workload/program/limits.h"

/* The flows while `flows` is read: they become those of the world. */
struct orr_flow_list {
    struct orr_world *world;       /* that they will be of */
    struct orr_flow *flow;         /* owned until then */
    uint32_t count, capacity;      /* of `flow` */
    struct orr_triggers *triggers; /* NULL: none so far */
    char entry[32];                /* path of the one being read: "flows[3]" */
    const struct orr_net_service *service; /* of its flows */
    const struct orr_flow_path *path;      /* of its flow */
    uint32_t *dead; /* directed links that files say are never there */
    uint32_t n_dead, dead_room; /* of `dead`, which is owned */
};

/* The cable of this directed link is never there, both ways. */
ORR_CHECK_RESULT orr_err orr__flow_list_fail(struct orr_flow_list *l,
                                             uint32_t link,
                                             struct orr_report *why);

/* Bytes a flow takes in the list and, about, in the net (its connection). */
#define ORR_FLOW_COST 920

/* Appends one flow that was checked before. Fails when the flows would not fit
 * into memory, before memory is gone. */
ORR_CHECK_RESULT orr_err orr__flow_list_add(struct orr_flow_list *l,
                                            uint32_t src, uint32_t dst,
                                            uint64_t bytes, int64_t start,
                                            struct orr_report *why);
/* What the keys of the entry being read ask for goes to its flows. */
ORR_CHECK_RESULT orr_err orr__flow_list_serve(struct orr_flow_list *l,
                                              const struct orr_service_keys *k,
                                              struct orr_report *why);
/* Which way it takes (flows_way.c). */
struct orr_flow_path_keys {
    const struct orr_yaml *path; /* NULL: none */
    int64_t entropy;             /* -1: none */
};
extern const struct orr_param orr__flow_path_params[];
/* Of a plain entry whose src and dst were checked before; into l->way. */
ORR_CHECK_RESULT orr_err orr__flow_path_read(struct orr_flow_list *l,
                                             const struct orr_flow_path_keys *k,
                                             const struct orr_yaml *entry,
                                             uint32_t src, uint32_t dst,
                                             struct orr_report *why);
/* Which flows of an entry are left out of the figures (window.c). */
struct orr_flow_window_keys {
    const char *warmup, *cooldown; /* NULL: none */
};
const struct orr_param *orr__flow_window_params(void);
/* Of an entry whose flows are those from `from` on. */
ORR_CHECK_RESULT orr_err
orr__flow_window_apply(struct orr_flow_list *l, uint32_t from,
                       const struct orr_flow_window_keys *k,
                       const struct orr_yaml *entry, struct orr_report *why);
/* Says, at node, that a flow of so many bytes is beyond
 * orr__program_limits_message. */
void orr__flow_size_words(const struct orr_world *w, uint64_t bytes, char *text,
                          size_t size);
orr_err orr__flow_size_fail(const struct orr_world *w, uint64_t bytes,
                            const struct orr_yaml *node,
                            struct orr_report *why);

/* One entry with `file`; entry with `generate`, the index-th of `flows`. */
ORR_CHECK_RESULT orr_err orr__flows_file(struct orr_flow_list *l,
                                         const struct orr_yaml *entry,
                                         struct orr_report *why);
ORR_CHECK_RESULT orr_err orr__flows_generate(struct orr_flow_list *l,
                                             const struct orr_yaml *entry,
                                             uint32_t index,
                                             struct orr_report *why);

/* Generators, size distributions and formats of files, for help; name NULL
 * ends. */
struct orr_flow_kind {
    const char *name, *doc;
    const struct orr_param *params;
};
const struct orr_flow_kind *orr__flow_generators(void);
const struct orr_flow_kind *orr__flow_size_kinds(void);
/* NULL-ended. */
struct orr_flow_format_ops; /* workload/flow/file/flow_file.h */
const struct orr_flow_format_ops *const *orr__flow_formats(void);
const struct orr_param *orr__flow_params(void);      /* of a plain entry */
const struct orr_param *orr__flow_file_params(void); /* of one with `file` */
const struct orr_param *orr__flow_generator_params(void); /* all of them */

/* A distribution of sizes, in bytes. */
struct orr_size_point {
    uint64_t bytes; /* > 0 */
    double share;   /* of the flows that are no larger */
};

/* A distribution of sizes, bytes. */
struct orr_sizes {
    int kind;                /* index into orr__flow_size_kinds() */
    uint64_t min, max, mean; /* those that the kind has */
    uint64_t limit;          /* no draw is larger: a net can send no more */
    double sigma, shape;     /* of a lognormal, of a Pareto distribution */
    const struct orr_size_point *point; /* ascending; the last share is 1 */
    size_t points;                      /* 0: it is no list of points */
    struct orr_size_point *owned; /* `point`, if it was read from a file */
};
/* The points of a file, into a new array; a relative name starts at the
 * configuration's folder. at: where it is named. */
ORR_CHECK_RESULT orr_err orr__cdf_read(struct orr_config *c,
                                       const struct orr_yaml *at,
                                       const char *name,
                                       struct orr_size_point **out, size_t *n,
                                       struct orr_report *why);
/* node: a size ("1MB"), the name of a distribution, or a map with kind. */
ORR_CHECK_RESULT orr_err orr__sizes_read(const struct orr_world *w,
                                         const struct orr_yaml *node,
                                         struct orr_sizes *s,
                                         struct orr_report *why);
double orr__sizes_mean(const struct orr_sizes *s);
uint64_t orr__sizes_draw(const struct orr_sizes *s, const gsl_rng *rng);
void orr__sizes_fini(struct orr_sizes *s);

#endif
