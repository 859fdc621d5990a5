#include "cluster/tasks.h"

#include <pthread.h>
#include <stdatomic.h>

#include "cluster/joint_plan.h"
#include "core/assert.h"
#include "core/memory.h"

/* Threads that take the next task until none is left; each task is one
 * thread's. */
struct crew {
    struct orr_task *task;
    uint32_t n;
    atomic_uint next; /* not begun */
};

/* A thread's work. An error stays with its task; the experiment is freed as
 * soon as it is measured, for its memory. */
static void *run_task(void *arg)
{
    struct crew *c = arg;
    for (unsigned i; (i = atomic_fetch_add(&c->next, 1)) < c->n;) {
        struct orr_task *t = &c->task[i];
        if (!t->err)
            t->err = orr__subset_measure(t->x, &t->measure, t->out, &t->hops,
                                         &t->why);
        orr_experiment_free(t->x);
        t->x = NULL;
    }
    return NULL;
}

/* Networks are built one by one: igraph is not for several threads. */
static void open_all(struct orr_task *task, uint32_t n, unsigned each)
{
    for (uint32_t i = 0; i < n; i++) {
        struct orr_task *t = &task[i];
        const struct orr_subset_options how = {
            .alone = t->alone,
            .threads = each,
            .steerer = {t->planned ? orr__joint_plan_apply : NULL, t},
            .interrupt = t->measure.interrupt};
        t->err = orr__subset_open(t->cluster, t->part, t->jobs, &how, &t->x,
                                  &t->why);
    }
}

/* Threads that are not to be had are done without. */
void orr__tasks_run(struct orr_task *task, uint32_t n, unsigned threads)
{
    struct crew c = {.task = task, .n = n};
    pthread_t thread[ORR_TASKS];
    unsigned more = threads < n ? threads : n, started = 0;
    ORR_ASSERT(n <= ORR_TASKS);
    if (!n)
        return;
    open_all(task, n, threads / n);
    while (started + 1 < more
           && pthread_create(&thread[started], NULL, run_task, &c) == 0)
        started++;
    run_task(&c);
    while (started)
        pthread_join(thread[--started], NULL);
}

void orr__task_fini(struct orr_task *t)
{
    orr_experiment_free(t->x);
    orr__free(t->part);
    orr__free(t->place);
    orr__free(t->expected_ps);
    orr__free(t->out);
    *t = (struct orr_task){.jobs = 0};
}
