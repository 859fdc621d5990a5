/* Why an iteration, or a flow, took as long as it did. Runs are deterministic,
 * so the answer is had by running again: the first pass finds the path to its
 * end (chain.h), the second follows the packets of that path (messages.h). The
 * parts add up to the duration to the picosecond. */
#ifndef ORR_STUDY_EXPLAIN_EXPLAIN_H
#define ORR_STUDY_EXPLAIN_EXPLAIN_H

#include "orrery/orrery.h"
#include "study/explain/chain.h"

enum orr_explain_which {
    ORR_EXPLAIN_SLOWEST, /* the longest iteration of a job */
    ORR_EXPLAIN_ALL,     /* all that have ended, as one */
    ORR_EXPLAIN_ONE,
};

/* What is to be explained. */
struct orr_explain_options {
    struct orr_options run; /* of the passes; threads and output are ours */
    const char *job;        /* NULL: all jobs */
    int which;              /* enum orr_explain_which */
    uint32_t iteration;     /* with ONE: from 0 on */
    bool has_flow;          /* this flow, and no jobs. Without jobs and without
                               a flow: the one that took longest */
    uint32_t flow;
    bool alone; /* run each job a third time, without the others */
};

/* Time that was spent on one thing. */
struct orr_cost {
    struct orr_what what; /* on what */
    int64_t ps;
};

/* What is explained. */
struct orr_subject {
    uint32_t owner;        /* a job, or ORR_OWNER_IS_FLOWS */
    uint32_t flow;         /* its number, if it is one */
    uint32_t first, last;  /* iterations */
    struct orr_path path;  /* from its begin to its end */
    struct orr_cost *part; /* the longest first */
    uint32_t parts;
    int64_t mean_ps;     /* of its iterations; 0: a flow */
    int64_t baseline_ps; /* without the others; -1: not run */
};

/* Freed with orr__explanation_free. */
struct orr_explanation {
    orr_experiment *run; /* the first pass: names, and what it was */
    const struct orr_world *world;
    struct orr_subject *subject; /* owned, with all that hangs on it */
    uint32_t n;
    /* Of a cluster there is nothing but what it says of itself. */
    char *text, *json; /* NULL: it is none */
};

/* A cluster runs once, and is explained by whom its jobs met
 * (cluster/explain.h).
 * ECONFIG: there is no such job, iteration or flow. ERUN as orr_experiment_run,
 * and if nothing has ended that could be explained. */
ORR_CHECK_RESULT orr_err orr__explain(const char *path,
                                      const struct orr_explain_options *o,
                                      struct orr_explanation **out,
                                      struct orr_report *why);
void orr__explanation_free(struct orr_explanation *e);
/* For people, and for programs; free with orr__free. NULL: no memory. */
char *orr__explanation_text(const struct orr_explanation *e);
char *orr__explanation_json(const struct orr_explanation *e);

/* Time that packets of others than the subject's own job cost it. */
bool orr__is_other(const struct orr_subject *s, uint32_t owner);

#endif
