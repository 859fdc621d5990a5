/* Runs of the engine for points: several at once, each on one thread. */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "core/json_read.h"
#include "core/memory.h"
#include "core/thread_pool.h"
#include "study/compare/measure.h"
#include "study/fit/state.h"
#include "study/run/entry.h"

/* Experiments that are there at once, per thread. */
enum { MOST_THREADS = 64, EACH = 4 };

/* Threads that take the next run until none is left. */
struct crew {
    struct orr_fit *f;
    struct orr_fit_run *run;
    orr_experiment **x;
    uint32_t n;
    atomic_uint next; /* not begun */
};

/* The experiment of a run, to be freed with orr_experiment_free. */
static orr_err open_run(struct orr_fit *f, struct orr_fit_run *r,
                        orr_experiment **x)
{
    const char *sets[ORR_FIT_KEYS];
    char text[ORR_FIT_KEYS][192];
    uint32_t n = f->n_sets + r->point->n_sets + f->keys, at = 0;
    const char **all = orr__alloc(n, sizeof *all);
    if (!all)
        return orr__no_memory(&r->why);
    for (uint32_t i = 0; i < f->n_sets; i++)
        all[at++] = f->sets[i];
    for (uint32_t i = 0; i < r->point->n_sets; i++)
        all[at++] = r->point->sets[i];
    for (uint32_t i = 0; i < f->keys; i++) {
        orr__fit_assign(&f->key[i], r->value[i], text[i], sizeof text[i]);
        sets[i] = text[i];
        all[at++] = sets[i];
    }
    const struct orr_options o = {.sets = all,
                                  .n_sets = n,
                                  .no_output = true,
                                  .threads = 1,
                                  .interrupt = f->o->interrupt,
                                  .plugins = f->o->plugins,
                                  .n_plugins = f->o->n_plugins};
    orr_err err = orr__experiment_load_file(&f->file, &o, NULL, x, &r->why);
    orr__free(all);
    return err;
}

/* The figure and its doubt, from the summary. */
static orr_err take_figure(struct orr_fit *f, struct orr_fit_run *r,
                           const char *json)
{
    json_t *summary = NULL;
    orr_err err = orr__json_load(json, strlen(json), 0, &summary, NULL);
    if (!err && summary)
        err = orr__measure_value(summary, f->figure, &r->ns);
    if (!err && summary)
        err = orr__doubt_take(&r->doubt, summary);
    json_decref(summary);
    if (err)
        return orr__no_memory(&r->why);
    if (r->ns > 0)
        return ORR_OK;
    err = orr__fail_at(&r->why, ORR_ECONFIG, r->point->row->file,
                       r->point->row->line, 1,
                       "the run for this row has no figure %s", f->figure);
    orr__hint(&r->why, "--figure PATH: a time of the summary, as `orrery run "
                       "--json` prints it");
    return err;
}

static void do_run(struct orr_fit *f, struct orr_fit_run *r, orr_experiment *x)
{
    r->err = orr_experiment_run(x, &r->why);
    char *json = r->err ? NULL : orr_experiment_json(x);
    if (!r->err && !json)
        r->err = orr__no_memory(&r->why);
    if (!r->err)
        r->err = take_figure(f, r, json);
    orr_text_free(json);
}

static void *take_runs(void *arg)
{
    struct crew *c = arg;
    for (unsigned i; (i = atomic_fetch_add(&c->next, 1)) < c->n;) {
        if (!c->run[i].err)
            do_run(c->f, &c->run[i], c->x[i]);
        orr_experiment_free(c->x[i]);
    }
    return NULL;
}

/* Networks are built one by one: igraph is not for several threads. */
static orr_err do_some(struct orr_fit *f, struct orr_fit_run *run, uint32_t n,
                       unsigned threads)
{
    orr_experiment *x[MOST_THREADS * EACH] = {NULL};
    pthread_t thread[MOST_THREADS];
    struct crew c = {.f = f, .run = run, .x = x, .n = n};
    unsigned started = 0;
    for (uint32_t i = 0; i < n; i++)
        run[i].err = open_run(f, &run[i], &x[i]);
    while (started + 1 < threads && started + 1 < n
           && pthread_create(&thread[started], NULL, take_runs, &c) == 0)
        started++;
    take_runs(&c);
    while (started)
        pthread_join(thread[--started], NULL);
    f->runs += n;
    for (uint32_t i = 0; i < n; i++)
        if (run[i].err)
            return run[i].err;
    return ORR_OK;
}

orr_err orr__fit_run(struct orr_fit *f, struct orr_fit_run *run, uint32_t n,
                     struct orr_report *why)
{
    unsigned threads = f->o->threads ? f->o->threads : orr__processors();
    if (threads > MOST_THREADS)
        threads = MOST_THREADS;
    for (uint32_t i = 0; i < n; i++) {
        run[i].ns = NAN;
        run[i].err = ORR_OK;
        run[i].why = (struct orr_report){.code = ORR_OK};
        run[i].doubt = (struct orr_doubt){.lost = 0};
    }
    for (uint32_t at = 0; at < n;) {
        uint32_t most = threads * EACH;
        uint32_t some = n - at < most ? n - at : most;
        orr_err err = do_some(f, &run[at], some, threads);
        for (uint32_t i = at; err && i < at + some; i++)
            if (run[i].err) {
                if (why && !why->code)
                    *why = run[i].why;
                return run[i].err;
            }
        at += some;
    }
    return ORR_OK;
}
