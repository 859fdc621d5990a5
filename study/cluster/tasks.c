#include "study/cluster/tasks.h"

#include <pthread.h>

#include "core/memory.h"

static void *run(void *arg)
{
    struct orr_task *t = arg;
    t->err = orr__part_measure(t->x, &t->measure, t->out, &t->hops, &t->why);
    return NULL;
}

/* One that no thread can be had for is run by the caller. */
void orr__tasks_run(struct orr_task *task, uint32_t n)
{
    pthread_t thread[ORR_TASKS];
    bool started[ORR_TASKS] = {false};
    for (uint32_t i = 1; i < n; i++)
        started[i] = pthread_create(&thread[i], NULL, run, &task[i]) == 0;
    for (uint32_t i = 0; i < n; i++)
        if (!started[i])
            run(&task[i]);
    for (uint32_t i = 0; i < n; i++)
        if (started[i])
            pthread_join(thread[i], NULL);
}

void orr__task_fini(struct orr_task *t)
{
    orr_experiment_free(t->x);
    orr__free(t->expected_ps);
    orr__free(t->out);
    *t = (struct orr_task){.jobs = 0};
}
