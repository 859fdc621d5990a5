/* The door: an experiment as a user has written it, with all that may belong to
 * it. A document that this library made of another one needs no door
 * (experiment/experiment.h). */
#ifndef ORR_STUDY_RUN_ENTRY_H
#define ORR_STUDY_RUN_ENTRY_H

#include "experiment/experiment.h"

/* Clusters, candidates and baselines. */
extern const struct orr_extensions orr__extensions;

/* As orr_experiment_load, from a text; `name` stands for its file. */
ORR_CHECK_RESULT orr_err orr__experiment_load_text(
    const char *name, const char *text, const struct orr_options *options,
    orr_experiment **out, struct orr_report *why);
/* As orr_experiment_load, of a file that is read already and may be loaded
 * again. how NULL: as one that runs at once; its extensions are these. */
ORR_CHECK_RESULT orr_err orr__experiment_load_file(
    const struct orr_config_file *file, const struct orr_options *options,
    const struct orr_open_options *how, orr_experiment **out,
    struct orr_report *why);

#endif
