#include "workload/schedule/describe.h"

#include "net/cc/cc.h"
#include "net/config/config.h"
#include "workload/rank/rank.h"

enum { JOBS_NAMED = 12 }; /* jobs in a line of text */

const struct orr_net_service *orr__describe_service(const struct orr_world *w,
                                                    const struct orr_job *job)
{
    return job->team->service ? job->team->service : &w->net_config->service;
}

static void tell_control(struct orr_json *j, const struct orr_cc *cc)
{
    orr__json_text(j, "cc", cc->ops->name);
    if (cc->ops->wraps)
        orr__json_text(j, "base",
                       ((const struct orr_cc_base *)cc->params)->name);
}

void orr__describe_jobs(const struct orr_world *w, struct orr_json *j,
                        void (*more)(const struct orr_world *w,
                                     const struct orr_job *job,
                                     struct orr_json *j))
{
    orr__json_list(j, "jobs");
    for (uint32_t i = 0; i < w->n_jobs; i++) {
        const struct orr_net_service *s = orr__describe_service(w, &w->jobs[i]);
        orr__json_flat_object(j, NULL);
        orr__json_text(j, "name", w->jobs[i].name);
        tell_control(j, s->cc);
        orr__json_count(j, "class", s->class);
        orr__json_real(j, "weight", s->weight);
        if (more)
            more(w, &w->jobs[i], j);
        orr__json_end(j);
    }
    orr__json_end(j);
}

char *orr__describe_text(const struct orr_world *w, const char *what,
                         void (*one)(const struct orr_job *job,
                                     struct orr_text *t))
{
    struct orr_text t = {0};
    orr__text_add(&t, "%s: ", what);
    for (uint32_t i = 0; i < w->n_jobs && i < JOBS_NAMED; i++) {
        orr__text_add(&t, "%s%s ", i ? ", " : "", w->jobs[i].name);
        one(&w->jobs[i], &t);
    }
    if (w->n_jobs > JOBS_NAMED)
        orr__text_add(&t, ", and %u more", w->n_jobs - JOBS_NAMED);
    return orr__text_done(&t);
}
