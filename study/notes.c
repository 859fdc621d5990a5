#include "study/notes.h"

#include <stdio.h>

#include "core/memory.h"
#include "core/text.h"
#include "formats/source.h"
#include "net/config/config.h"
#include "study/rails.h"
#include "workload/job/together.h"
#include "workload/schedule/schedule.h"

/* Jobs that meet on hosts. */
static orr_err together(const struct orr_world *w, struct orr_notes *out)
{
    struct orr_together on;
    struct orr_report ignored = {0};
    char *text = out->text[out->n];
    orr_err err = orr__jobs_together(w, &on, &ignored);
    if (err)
        return err;
    orr__together_text(w, &on, text, sizeof out->text[0]);
    out->n += text[0] != '\0';
    return ORR_OK;
}

/* A control without what it goes by. */
static void unmarked(const struct orr_world *w, struct orr_notes *out)
{
    const struct orr_net_config *c = w->net_config;
    if (!c->marks_for || orr__net_marks(c))
        return;
    snprintf(out->text[out->n++], sizeof out->text[0],
             "%s gives way to marks, and no queue marks packets: %s",
             c->marks_for,
             c->queue_params ? "network.queue.kind: ecn or red, or a preset "
                               "(orrery list presets)"
                             : "`schedule: fair` has queues of its own");
}

/* Two packets in a row that took the same way tell how full it is; of any other
 * two nothing is known. */
static void untold(const struct orr_world *w, struct orr_notes *out)
{
    const struct orr_net_config *c = w->net_config;
    if (!c->hops_for || c->path == ORR_PATH_flowlet
        || !orr__path_reorders(c->path, &c->path_params))
        return;
    snprintf(out->text[out->n++], sizeof out->text[0],
             "%s learns from two packets in a row that took the same path, and "
             "network.routing chooses one for each packet: where there are "
             "many, it learns late", c->hops_for);
}

/* Bytes are whole; what is computed is rounded, and what is written was meant
 * otherwise. */
static orr_err rounded(const struct orr_world *w, struct orr_notes *out)
{
    enum { TOLD = ORR_ROUNDED - 1 };
    uint32_t n = w->config ? orr__config_rounded(w->config) : 0;
    struct orr_text t = { .s = NULL };
    if (n == 0)
        return ORR_OK;
    for (uint32_t i = 0; i < n && i < TOLD; i++) {
        orr__text_add(&t, "%s", i ? ", " : "");
        orr__config_rounded_text(w->config, i, &t);
    }
    if (n > TOLD)
        orr__text_add(&t, ", ...");
    char *list = orr__text_done(&t);
    if (!list)
        return ORR_ENOMEM;
    snprintf(out->text[out->n++], sizeof out->text[0],
             "a size that is no whole number of bytes is rounded: %.500s",
             list);
    orr__free(list);
    return ORR_OK;
}

/* What the schedule found odd about jobs when it planned. */
static void remarks(const struct orr_world *w, struct orr_notes *out)
{
    const struct orr_scheduler *s = w->scheduler;
    uint32_t told = 0;
    if (!s || !s->ops->remark)
        return;
    for (uint32_t i = 0; i < w->n_jobs && told < ORR_NOTED_JOBS; i++)
        if (s->ops->remark(w, i, out->text[out->n], sizeof out->text[0])) {
            out->n++;
            told++;
        }
}

/* What the files of traces say to no effect. */
static void of_traces(const struct orr_world *w, struct orr_notes *out)
{
    uint32_t told = 0;
    for (uint32_t i = 0; i < w->n_jobs && told < ORR_NOTED_JOBS; i++) {
        const struct orr_trace_info *t = orr__trace_of(&w->jobs[i]);
        if (!t || !t->note)
            continue;
        snprintf(out->text[out->n++], sizeof out->text[0], "%s", t->note);
        told++;
    }
}

orr_err orr__notes(const struct orr_world *w, struct orr_notes *out)
{
    out->n = 0;
    unmarked(w, out);
    untold(w, out);
    orr_err err = rounded(w, out);
    remarks(w, out);
    if (!err) {
        err = orr__note_rails(w, out->text[out->n], sizeof out->text[0]);
        out->n += !err && out->text[out->n][0] != '\0';
    }
    of_traces(w, out);
    return err ? err : together(w, out);
}
