/* `orrery compare` as a call. */
#include "study/compare/compare.h"

#include <string.h>
#include <unistd.h>

#include "core/error.h"
#include "core/memory.h"
#include "core/read.h"
#include "core/text.h"
#include "study/calls/forks.h"
#include "study/calls/reply.h"

#define MOST_JOBS  1024
#define MOST_BYTES ((size_t)1 << 40) /* of study.json: as many as there are */

static void tell_progress(void *arg, const struct orr_compare_progress *p)
{
    const struct orr_compare_call *call = ((struct orr_forks *)arg)->call;
    const struct orr_study_progress said = {p->runs, p->done, p->failed,
                                            p->running, p->left_s};
    if (call->progress)
        call->progress(call->progress_arg, &said);
}

static uint32_t jobs_of(const struct orr_compare_call *call)
{
    long there = sysconf(_SC_NPROCESSORS_ONLN);
    uint32_t n = call->jobs ? call->jobs : there > 0 ? (uint32_t)there : 1;
    return n < MOST_JOBS ? n : MOST_JOBS;
}

/* Runs what is not there as children of this process. */
static orr_err run_missing(const struct orr_compare_call *call,
                           struct orr_compare *c, struct orr_report *why)
{
    struct orr_forks forks;
    const struct orr_compare_runner r = {
        .jobs = jobs_of(call),
        .program = "orrery",
        .arg = &forks,
        .start = orr__fork_start,
        .wait = orr__fork_wait,
        .stop = orr__fork_stop,
        .progress = tell_progress,
        .interrupt = call->options ? call->options->interrupt : NULL,
    };
    if (!orr__forks_init(&forks, r.jobs))
        return orr__no_memory(why);
    forks.call = call;
    orr_err err = orr__compare_run(c, &r, why);
    orr__forks_fini(&forks);
    return err;
}

/* Tables into the folder, and what they say into the reply. */
static orr_err write_tables(orr_reply *r, struct orr_compare *c,
                            struct orr_report *why)
{
    size_t length;
    orr_err err = orr__compare_write(c, why);
    if (err == ORR_OK)
        err = orr__compare_table(c, ORR_COMPARE_TEXT, &r->text, why);
    if (err)
        return err;
    char *path = orr__format("%s/study.json", orr__compare_folder(c));
    if (!path)
        return orr__no_memory(why);
    int reason = orr__read_file(path, MOST_BYTES, 0, &r->json, &length);
    if (reason)
        err = orr__fail(why, ORR_EIO, "cannot read %s: %s", path,
                        strerror(reason));
    orr__free(path);
    return err;
}

/* The call as study/compare/ takes it; texts are the caller's. */
static struct orr_compare_options options_of(const struct orr_compare_call *k)
{
    struct orr_compare_options o = {
        .config = k->config,
        .over = k->over,
        .n_over = k->n_over,
        .measures = k->measures,
        .n_measures = k->n_measures,
        .seeds = k->seeds,
        .until = k->until,
        .baseline = k->baseline,
        .prices = k->prices,
        .sort = k->sort,
        .folder = k->folder,
        .equal_cost = k->equal_cost,
        .keep = k->keep > 0   ? 1
                : k->keep < 0 ? 0
                              : -1,
    };
    if (k->options) {
        o.sets = k->options->sets;
        o.n_sets = k->options->n_sets;
        o.plugins = k->options->plugins;
        o.n_plugins = k->options->n_plugins;
    }
    return o;
}

orr_err orr_study_compare(const struct orr_compare_call *call, orr_reply **out,
                          struct orr_report *why)
{
    struct orr_compare_call k;
    struct orr_compare *c = NULL;
    orr_err err = orr__call_take("orr_study_compare", call, sizeof k, sizeof k,
                                 &k, out, why);
    if (err)
        return err;
    const struct orr_compare_options o = options_of(&k);
    orr_reply *r = orr__reply_new();
    if (!r)
        return orr__no_memory(why);
    err = orr__compare_open(&o, &c, why);
    if (err == ORR_OK)
        err = orr__compare_lock(c, why);
    if (err == ORR_OK)
        err = run_missing(&k, c, why);
    if (err == ORR_OK)
        err = write_tables(r, c, why);
    orr__compare_free(c);
    return orr__reply_give(r, err, out, why);
}
