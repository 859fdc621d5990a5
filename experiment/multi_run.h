/* A configuration that is more than one run: a cluster, whose packets are run
 * in parts, as experiments of their own. The experiment that was loaded is then
 * the frame: it reads what is common, and hands on the rest. */
#ifndef ORR_EXPERIMENT_MULTI_RUN_H
#define ORR_EXPERIMENT_MULTI_RUN_H

#include "workload/world.h"

/* What the user of a run asks of it. */
struct orr_multi_run_user {
    void (*progress)(void *arg, const struct orr_progress *p); /* or NULL */
    void *progress_arg;            /* what it is called with */
    const volatile int *interrupt; /* non-zero: ends soon; NULL: not wanted */
    unsigned threads;              /* at most; results do not depend on it */
    bool no_intervals;             /* nobody asks how well figures are known */
    const char *output;            /* file of the records; NULL: none */
};

/* A kind of configuration that is more than one run. */
struct orr_multi_run_ops {
    /* w has its graph, network and schedule; node: what stands under the key.
     * *state is to be closed, however this ends. */
    orr_err (*open)(struct orr_world *w, const struct orr_yaml *node,
                    void **state, struct orr_report *why);
    /* Once. Sets w->result.partial; *written: the records are there. */
    orr_err (*run)(void *state, const struct orr_multi_run_user *u,
                   bool *written, struct orr_report *why);
    /* What the run would take, before or after it: seconds and packet_hops of
     * *out; both 0: not known. */
    orr_err (*estimate)(const void *state, struct orr_estimate *out, bool *cut,
                        struct orr_report *why);
    /* Texts to be freed with orr__free; NULL when out of memory. whole: as of
     * orr__results_json. */
    char *(*json)(const struct orr_world *w, const void *state,
                  const char *const *whole);
    char *(*text)(const struct orr_world *w, const void *state);
    uint64_t (*fingerprint)(const void *state);
    void (*close)(void *state); /* NULL is fine */
};

#endif
