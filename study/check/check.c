#include "study/check/check.h"

#include "core/error.h"
#include "experiment/experiment.h"
#include "study/run/entry.h"

static void begin_phase(const struct orr_check_watcher *w, const char *doing,
                        double cpu_s)
{
    if (w && w->begin)
        w->begin(doing, cpu_s);
}

static void end_phase(const struct orr_check_watcher *w)
{
    if (w && w->end)
        w->end();
}

/* All combinations; which are there already is looked up in its folder. */
static orr_err check_study(const struct orr_config_file *file,
                           const struct orr_options *o,
                           const struct orr_check_watcher *w,
                           struct orr_checked *out, struct orr_report *why)
{
    const struct orr_compare_options options = {
        .config = file->path,
        .file = file,
        .keep = -1,
        .sets = o->sets,
        .n_sets = o->n_sets,
        .plugins = o->plugins,
        .n_plugins = o->n_plugins,
        .planned = w ? w->planned : NULL,
        .interrupt = o->interrupt,
    };
    begin_phase(w, "combinations", ORR_CHECK_ALL_S);
    orr_err err = orr__compare_open(&options, &out->study, why);
    end_phase(w);
    return err;
}

orr_err orr__check_file(const struct orr_config_file *file,
                        const struct orr_options *o,
                        const struct orr_check_watcher *w,
                        struct orr_checked *out, struct orr_report *why)
{
    const struct orr_open_options how = {.plan_may_end = true};
    *out = (struct orr_checked){.config = file->path};
    if (orr__compare_is_study(file))
        return check_study(file, o, w, out, why);
    begin_phase(w, "reading and planning", ORR_CHECK_PLAN_S);
    orr_err err = orr__experiment_load_file(file, o, &how, &out->x, why);
    end_phase(w);
    if (err)
        return err;
    begin_phase(w, "estimating", ORR_CHECK_ALL_S);
    err = orr_experiment_estimate(out->x, &out->e, why);
    end_phase(w);
    out->cut = err == ORR_EINTERRUPTED;
    return out->cut ? ORR_OK : err;
}

void orr__checked_fini(struct orr_checked *k)
{
    orr_experiment_free(k->x);
    orr__compare_free(k->study);
}
