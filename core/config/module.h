/* Reading a member of a family: `cc: dctcp` or `cc: {kind: dctcp, g: 0.1}`. */
#ifndef ORR_CORE_CONFIG_MODULE_H
#define ORR_CORE_CONFIG_MODULE_H

#include "core/config/config.h"
#include "core/config/param.h"

/* A value that names a member; the caller fills in the first four. */
struct orr_module {
    struct orr_config *c;        /* the document that it stands in */
    const struct orr_yaml *node; /* the value; NULL: left out */
    const char *what;            /* its path: "network.cc" */
    struct orr_report *why;
    /* orr__module_name: */
    const char *name;          /* which member */
    const struct orr_yaml *at; /* where it is named */
};

#define ORR_MODULE_KINDS 64 /* members of a family, at most */

/* Finds out which member is named; fallback if none is. */
void orr__module_name(struct orr_module *m, const char *fallback);
/* There is no such member; names: all there are, NULL-ended. */
ORR_CHECK_RESULT orr_err orr__module_unknown(const struct orr_module *m,
                                             const char *const *names);
/* Reads the parameters of up to two tables beside `kind`, which is entered
 * into the effective configuration when it was left out. */
ORR_CHECK_RESULT orr_err orr__module_read(const struct orr_module *m,
                                          const struct orr_param_set *sets,
                                          size_t n_sets);

/* To an error that was made, the hint "did you mean ..." with the nearest of
 * these names (NULL-ended); without one that is near, or text NULL: false. */
bool orr__hint_nearest(struct orr_report *why, const char *const *names,
                       const char *text);
/* The same, else the hint "there are: a b c", if they fit. */
void orr__hint_names(struct orr_report *why, const char *const *names,
                     const char *text);

#endif
