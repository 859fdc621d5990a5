/* Arrivals while they are put together: for arrivals.c and its kinds. */
#ifndef ORR_WORKLOAD_CLUSTER_ARRIVAL_LIST_H
#define ORR_WORKLOAD_CLUSTER_ARRIVAL_LIST_H

#include "core/random.h"
#include "workload/cluster/arrivals.h"

/* A kind of arrivals. */
struct orr_arrival_list;
/* A way to say when jobs come; static. */
struct orr_arrival_kind {
    const char *name, *doc;
    const struct orr_param *params; /* beside kind */
    orr_err (*read)(struct orr_arrival_list *b);
};
const struct orr_arrival_kind *orr__arrival_kinds(void); /* name NULL ends */

/* What reading `arrivals` needs, while it is read. Times in ns. */
struct orr_arrival_list {
    struct orr_cluster *c;       /* with templates and inventory */
    const struct orr_yaml *node; /* `arrivals` */
    const struct orr_arrival_kind *kind;
    orr_baseline_fn *alone;
    void *arg; /* what `alone` is called with */
    struct orr_report *why;
    struct orr_arrival_item { /* so far, in any order */
        struct orr_arrival is;
        const struct orr_yaml *at; /* where it stands; NULL: drawn */
        uint64_t line;             /* or in the trace */
        uint32_t order;            /* of those at one time: it was made as this
                                    * one */
    } * item;                      /* owned */
    uint32_t n, room;              /* of `item` */
    uint64_t tried;         /* jobs drawn, also those that came too late */
    uint64_t left_out;      /* as in struct orr_arrivals */
    struct orr_early early; /* the same */
    char *file;             /* of the trace; owned */
    double mixed;           /* sum of the templates' weights */
};

enum { ORR_MOST_ARRIVALS = 4000000 };

/* Fails when there are more than ORR_MOST_ARRIVALS. */
ORR_CHECK_RESULT orr_err orr__arrival_list_add(
    struct orr_arrival_list *b, const struct orr_arrival_item *item);
/* The stream of the i-th job, and what is not known of it yet, out of that: the
 * template if it is UINT32_MAX, GPUs if 0, iterations or duration if both are
 * 0. The same numbers are drawn whatever is known. */
void orr__arrival_list_stream(const struct orr_arrival_list *b, uint32_t i,
                              struct orr_random *r);
void orr__arrival_list_fill(const struct orr_arrival_list *b,
                            struct orr_arrival *a, struct orr_random *r);
/* A job that could never have GPUs, by its tenant's quota or by kinds of GPU,
 * is refused where it stands. */
ORR_CHECK_RESULT orr_err orr__arrival_list_check(
    struct orr_arrival_list *b, const struct orr_arrival_item *i);
/* The template of this name, at a place of the configuration. */
ORR_CHECK_RESULT orr_err orr__arrival_list_template(struct orr_arrival_list *b,
                                                    const struct orr_yaml *at,
                                                    const char *name,
                                                    uint32_t *out);
/* `until` (NULL: INT64_MAX). */
ORR_CHECK_RESULT orr_err orr__arrival_list_until(struct orr_arrival_list *b,
                                                 const struct orr_yaml *until,
                                                 int64_t *ns);

/* `{trace: {...}}` */
orr_err orr__arrival_list_trace(struct orr_arrival_list *b);
extern const struct orr_param orr__arrival_list_trace_keys[];

/* Tables of what stands within lists and maps, for help. */
extern const struct orr_param orr__template_params[], orr__arrival_params[],
    orr__job_trace_params[];

#endif
