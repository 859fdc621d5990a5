#include "study/run/entry.h"

#include "cluster/multi_run.h"
#include "core/config/config.h"
#include "study/run/baseline.h"
#include "study/run/candidates.h"

const struct orr_extensions orr__extensions = {
    .cluster = &orr__cluster_multi_run,
    .choose_candidates = orr__candidates_choose,
    .run_baseline = orr__baseline,
};

static const struct orr_open_options at_once = {.extensions = &orr__extensions};

orr_err orr_experiment_load(const char *path, const struct orr_options *options,
                            orr_experiment **out, struct orr_report *why)
{
    if (!path || !out)
        return orr__fail(why, ORR_ECALL, "orr_experiment_load: %s is NULL",
                         path ? "out" : "path");
    return orr__experiment_open(path, NULL, options, &at_once, out, why);
}

orr_err orr__experiment_load_text(const char *name, const char *text,
                                  const struct orr_options *options,
                                  orr_experiment **out, struct orr_report *why)
{
    return orr__experiment_open(name, text, options, &at_once, out, why);
}

orr_err orr__experiment_load_file(const struct orr_config_file *file,
                                  const struct orr_options *options,
                                  const struct orr_open_options *how,
                                  orr_experiment **out, struct orr_report *why)
{
    struct orr_open_options m = how ? *how : at_once;
    struct orr_config *config = NULL;
    m.extensions = &orr__extensions;
    orr_err err = orr__config_file_parse(file, &config, why);
    return err ? err
               : orr__experiment_open_config(config, options, &m, out, why);
}
