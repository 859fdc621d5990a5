/* One configuration, run in this process, and what is to be said about it. */
#ifndef ORR_TESTS_ATTACK_TRIAL_H
#define ORR_TESTS_ATTACK_TRIAL_H

#include <jansson.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "orrery/orrery.h"

/* What is wrong. kind names it alike while a case is made smaller. */
struct finding {
    char kind[64]; /* "": nothing */
    char detail[4000];
};

/* Fills *f unless it says something already; false, for `return orr__found`. */
bool orr__found(struct finding *f, const char *kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A way to run a configuration that must not change the run. */
struct variant {
    const char *name;
    unsigned threads;
    const char *set[4];  /* "a.b=c", NULL: fewer */
    const char *records; /* HDF5 file, or NULL: none */
};

struct outcome {
    bool refused; /* at loading: why */
    bool large;   /* not run: it would take long */
    bool late;    /* interrupted: it took long */
    orr_err code;
    struct orr_report why;
    json_t *summary; /* of a run; without wall time and file names */
};

/* Runs at most about this many packet-hops, and this much CPU time. */
struct limits {
    double hops;
    uint64_t memory; /* of the process, with what it held before the case */
    bool records;    /* with files too: they take longer than all the rest */
    bool few;        /* one comparison, by lot, instead of all */
    const volatile sig_atomic_t *interrupt; /* ends the run when set */
};

/* x NULL: none looks. Called before the experiment is freed, with the run
 * behind it. */
typedef void orr__messages_fn(const orr_experiment *x, const struct outcome *o,
                              void *arg);
void orr__trial_run(const char *text, const struct variant *v,
                    const struct limits *l, struct outcome *o,
                    orr__messages_fn *look, void *arg);
void orr__outcome_fini(struct outcome *o);

/* All about one configuration: every variant, and what must hold. How it went
 * apart from findings is counted in *t. */
/* clang-format off */
#define ORR_TALLY(X)                                                          \
    X(cases) X(refused) X(large) X(late) X(runs) X(failed) X(reference)       \
    X(records) X(starved) X(explained) X(repeated) X(replayed) X(sampled)     \
    X(lived) X(changed)
/* clang-format on */
struct tally {
#define ORR_TALLY_FIELD(name) uint64_t name;
    ORR_TALLY(ORR_TALLY_FIELD)
#undef ORR_TALLY_FIELD
};
void orr__trial(const char *text, const struct limits *l, const char *folder,
                struct tally *t, struct finding *f);

/* hold.c: what must hold in any run by itself. */
void orr__hold(const json_t *config, const struct outcome *o,
               struct finding *f);
/* The file says what the summary says. */
void orr__hold_records(const char *path, const json_t *config,
                       const struct outcome *o, struct finding *f);
/* A file of records that opens and has all that is written last. */
bool orr__is_whole(const char *path);
/* A refusal has words and a place. */
void orr__hold_report(const struct orr_report *why, bool running,
                      struct finding *f);

/* beside.c: runs the flows of a plain configuration in the slow reference
 * simulator as well; false: it does not know all that is asked for. */
bool orr__beside_reference(const orr_experiment *x, const struct outcome *o,
                           struct finding *f);

/* beside_sums.c: the same of all-reduces that switches add up. */
bool orr__beside_sums(const orr_experiment *x, const struct outcome *o,
                      struct finding *f);

/* explained.c: asks why a run that went well took as long as it did; false:
 * there is no answer, as for one that was stopped. */
bool orr__explained(const char *text, const struct limits *l,
                    const char *folder, const struct outcome *o,
                    struct finding *f);

/* lived.c: the jobs come while the network runs, and are stopped; false: what
 * is configured is not for such, or it took long. */
bool orr__lived(const char *text, const json_t *config, const struct limits *l,
                const struct outcome *o, struct finding *f);

/* islands.c: a configuration in which groups of ranks have links of their own;
 * to be freed with free. NULL: it became too long. */
char *orr__draw_islands(uint64_t seed, uint64_t n);
/* tenants.c: the case of a random cluster, to be freed with free, and what is
 * to be said about one. */
char *orr__draw_tenants(uint64_t seed, uint64_t n);
void orr__tenants(const char *text, const struct limits *l, struct tally *t,
                  struct finding *f);

/* emit.c: the configuration as YAML for people; free with free. */
char *orr__yaml_of(const json_t *config);
/* The text of a configuration as a tree (of strings); NULL: not possible. */
json_t *orr__tree_of(const char *text);

#endif
