/* What a study varies: dimensions, their variants, seeds, and which of all
 * combinations are run. */
#ifndef ORR_STUDY_COMPARE_MATRIX_H
#define ORR_STUDY_COMPARE_MATRIX_H

#include <stdbool.h>
#include <stdint.h>

#include "core/config/config.h"
#include "core/config/param.h"
#include "core/none.h"
#include "study/compare/compare.h"
#include "topo/budget.h"

#define ORR_MOST_DIMENSIONS   16
#define ORR_MOST_COMBINATIONS 1000000 /* before `when` */
#define ORR_MOST_RUNS         100000  /* behind it, seeds included */

/* A value of a dimension; the document's. */
struct orr_variant {
    const char *name;             /* in tables; no other of its dimension has
                                   * it */
    const struct orr_yaml *at;    /* where it stands, for messages */
    const struct orr_yaml *value; /* that is laid over the configuration */
    bool over_all; /* a map of outermost keys and paths; else a value of the
                    * dimension's key */
};

/* What is varied; the document's. */
struct orr_dimension {
    const char *key;           /* as written, "network.cc" */
    const char *name;          /* of columns and coordinates, "cc" */
    const struct orr_yaml *at; /* where it stands, for messages */
    struct orr_variant *variant;
    uint32_t variants; /* at least one */
};

/* A condition on a combination: for each dimension, the variants that it
 * allows (a bit for each; NULL: all). */
struct orr_rule {
    bool *allowed[ORR_MOST_DIMENSIONS];
    bool forbids; /* what it describes is left out */
};

/* Networks of one price. */
struct orr_equal {
    bool wanted;               /* false: the others mean nothing */
    double price;              /* of each; 0: what its baseline costs */
    struct orr_prices prices;  /* what parts cost */
    const struct orr_yaml *at; /* where it stands, for messages */
};

/* Everything but the documents lives in the arena of base. */
struct orr_matrix {
    struct orr_config *base;  /* the study's own file */
    struct orr_config **file; /* of variants */
    size_t files;             /* of `file` */
    const char *stem;         /* of the study's file */
    struct orr_dimension dimension[ORR_MOST_DIMENSIONS];
    uint32_t dimensions;
    int64_t *seed;              /* none twice */
    uint32_t seeds;             /* at least one */
    const char *const *measure; /* as written; empty: none were named */
    const struct orr_yaml *const *measure_at; /* where each is named */
    uint32_t measures;
    bool no_baseline; /* none is wanted: nothing is compared with one */
    const struct orr_yaml *baseline_at;     /* NULL: not given */
    uint32_t baseline[ORR_MOST_DIMENSIONS]; /* or ORR_NONE: any */
    /* left out is what one forbids and, if some do not forbid, what none of
     * those describes */
    struct orr_rule *rule;
    uint32_t rules;
    bool keep;         /* records of each run, too */
    const char *claim; /* beside the table; "" or NULL: none */
    double until; /* half of an interval over its mean; 0: seeds as given */
    const char *until_measure;       /* NULL: the first one */
    const struct orr_yaml *until_at; /* where that stands */
    uint32_t most_seeds;             /* with `until`: no more than these */
    struct orr_equal equal;          /* networks of one price */
    const struct orr_yaml *at;       /* the section, for messages */
    const struct orr_yaml *none, *title, *key; /* values that are laid over */
};

/* Reads the study and what options lay over it. *m is to be freed with _fini,
 * also after a failure. */
ORR_CHECK_RESULT orr_err orr__matrix_read(struct orr_matrix *m,
                                          const struct orr_compare_options *o,
                                          struct orr_report *why);
void orr__matrix_fini(struct orr_matrix *m);

/* Is the combination one that is run? */
bool orr__matrix_runs(const struct orr_matrix *m, const uint32_t *variant);
/* The configuration of a combination with this seed, to be freed by
 * orr__config_free before m; the messages of a failure point into the study. */
ORR_CHECK_RESULT orr_err orr__matrix_config(const struct orr_matrix *m,
                                            const uint32_t *variant,
                                            int64_t seed,
                                            struct orr_config **out,
                                            struct orr_report *why);
/* "topology=ring, cc=dctcp" */
void orr__matrix_describe(const struct orr_matrix *m, const uint32_t *variant,
                          char *text, size_t size);

/* The dimension of that name or key, or dimensions. */
uint32_t orr__matrix_dimension(const struct orr_matrix *m, const char *name);

#endif
