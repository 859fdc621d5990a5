/* Fits keys of a configuration to times that were measured: `orrery fit`. Each
 * point is a run of the configuration with the point's size and ranks; least
 * squares of the relative errors choose the keys' values; points that are held
 * out are predicted only. Deterministic, on any number of threads. */
#ifndef ORR_STUDY_FIT_FIT_H
#define ORR_STUDY_FIT_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/error.h"
#include "core/text.h"

struct orr_fit;

/* What the command line says; texts live as long as the fit. */
struct orr_fit_options {
    const char *config;          /* file */
    const char *const *measured; /* files */
    size_t n_measured;
    const char *format;      /* of them; NULL: by what they hold */
    const char *element;     /* size of an element, "4B"; NULL: none is given */
    const char *const *vary; /* "KEY" or "KEY=LOW..HIGH", commas between */
    size_t n_vary;
    const char *const *where; /* "COLUMN=VALUE": these rows alone */
    size_t n_where;
    const char *const *when; /* "COLUMN=VALUE: KEY=VALUE" for such rows */
    size_t n_when;
    const char *const *hold_out; /* numbers of ranks, or "COLUMN=VALUE" */
    size_t n_hold_out;
    const char *size_key, *ranks_key; /* NULL: found in the configuration */
    const char *figure;      /* path in the summary; NULL: the first job's
                              * iterations */
    const char *const *sets; /* "KEY=VALUE" over the configuration */
    size_t n_sets;
    const char *const *plugins;
    size_t n_plugins;
    unsigned threads;              /* runs at once; 0: one for each processor */
    const volatile int *interrupt; /* NULL: nothing ends it early */
    void (*progress)(void *arg, const char *text);
    void *progress_arg;
};

enum orr_fit_style { ORR_FIT_TEXT, ORR_FIT_MARKDOWN };

/* Reads the measurements and the configuration, and fits. *out is to be freed
 * with orr__fit_free; NULL when it fails. ECONFIG: measurements that cannot be
 * relied on, or more keys than points. */
ORR_CHECK_RESULT orr_err orr__fit_make(const struct orr_fit_options *o,
                                       struct orr_fit **out,
                                       struct orr_report *why);
void orr__fit_free(struct orr_fit *f);

/* Tables; free with orr__free. NULL: no memory. */
char *orr__fit_text(const struct orr_fit *f, enum orr_fit_style style);
char *orr__fit_csv(const struct orr_fit *f);
char *orr__fit_json(const struct orr_fit *f);
/* The configuration with the fitted values; the same, or why says. */
char *orr__fit_config(const struct orr_fit *f, struct orr_report *why);
/* Adds gnuplot's script, data included: measured points and predicted lines. */
void orr__fit_plot(const struct orr_fit *f, struct orr_text *script);
/* What measurements had to be left out or doubted: a line each, or "". */
const char *orr__fit_notes(const struct orr_fit *f);

#endif
