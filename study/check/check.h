/* What a configuration would take, without a run: `orrery check` and
 * orr_study_check. */
#ifndef ORR_STUDY_CHECK_CHECK_H
#define ORR_STUDY_CHECK_CHECK_H

#include "core/config/config.h"
#include "core/text.h"
#include "orrery/orrery.h"
#include "study/compare/compare.h"

/* CPU seconds after which the command lets planning end, and estimating. */
#define ORR_CHECK_PLAN_S 3.0
#define ORR_CHECK_ALL_S  4.0

/* Told as work goes on, in the calling thread; all may be NULL. cpu_s: the
 * caller lets options->interrupt come by then; 0: there is no limit. */
struct orr_check_watcher {
    void (*begin)(const char *doing, double cpu_s);
    void (*end)(void);
    void (*planned)(void *arg, uint32_t done, uint32_t all);
};

/* What was found; freed with orr__checked_fini. One of x and study is there. */
struct orr_checked {
    const char *config;        /* the file, as the caller names it */
    orr_experiment *x;         /* a run */
    struct orr_estimate e;     /* of it */
    bool cut;                  /* the estimate was */
    struct orr_compare *study; /* all combinations */
};

/* Reads and builds. *out is to be given to orr__checked_fini, however this
 * ends. */
ORR_CHECK_RESULT orr_err
orr__check_file(const struct orr_config_file *file, const struct orr_options *o,
                const struct orr_check_watcher *watcher,
                struct orr_checked *out, struct orr_report *why);
void orr__checked_fini(struct orr_checked *k);

/* For people, and for programs; free with orr__free. NULL: no memory. */
char *orr__checked_text(const struct orr_checked *k);
char *orr__checked_json(const struct orr_checked *k);

#endif
