/* Why it took as long: the passes agree with the run, and with one another. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "experiment/experiment.h"
#include "study/explain/explain.h"
#include "tests/attack/trial.h"

/* Who asks too much is told so; what ends has its reasons. */
static void judge(orr_err err, const struct orr_report *why,
                  const struct orr_explanation *e, const struct outcome *o,
                  struct finding *f)
{
    const char *was =
        json_string_value(json_object_get(o->summary, "fingerprint"));
    char is[17];

    if (err == ORR_OK) {
        snprintf(is, sizeof is, "%016llx",
                 (unsigned long long)orr_experiment_fingerprint(e->run));
        if (!was || strcmp(was, is) != 0)
            orr__found(f, "explain",
                       "explained is a run of fingerprint %s, "
                       "not %s",
                       is, was ? was : "?");
    } else if (err != ORR_EINTERRUPTED && err != ORR_ERUN
               && err != ORR_ECONFIG) {
        orr__found(f, "explain", "%s", why->message);
    }
}

bool orr__explained(const char *text, const struct limits *l,
                    const char *folder, const struct outcome *o,
                    struct finding *f)
{
    const struct orr_explain_options options = {
        .run = {.interrupt = (const volatile int *)l->interrupt},
        .which = ORR_EXPLAIN_ALL,
    };
    struct orr_explanation *e = NULL;
    struct orr_report why = {0};
    char path[256];
    FILE *file;
    orr_err err;

    snprintf(path, sizeof path, "%s/attack-%d.yaml", folder, (int)getpid());
    file = fopen(path, "w");
    if (!file || fputs(text, file) < 0) {
        if (file)
            fclose(file);
        return false;
    }
    fclose(file);
    err = orr__explain(path, &options, &e, &why);
    (void)unlink(path);
    judge(err, &why, e, o, f);
    orr__explanation_free(e);
    return err == ORR_OK;
}
