#include "cluster/joint_plan.h"

#include "cluster/subset.h"
#include "cluster/tasks.h"
#include "core/memory.h"
#include "workload/schedule/planner.h"

/* A plan for all members together. */
struct orr_joint_plans {
    orr_experiment *x; /* of all members; it does not run */
    const struct orr_plan *plan;
    struct orr_facts *facts; /* per member; profiles are the plan's */
    uint32_t n;
};

void orr__joint_plan_free(struct orr_joint_plans *p)
{
    if (!p)
        return;
    for (uint32_t i = 0; p->facts && i < p->n; i++)
        orr__free(p->facts[i].paths.link);
    orr__free(p->facts);
    orr_experiment_free(p->x);
    orr__free(p);
}

/* All members as one experiment, which only plans. */
static orr_err open_all(struct orr_engine *e, const struct orr_member *member,
                        uint32_t n, orr_experiment **out,
                        struct orr_report *why)
{
    const struct orr_cluster *c = &e->cluster;
    const struct orr_subset_options how = {.interrupt = e->interrupt};
    struct orr_subset_job *part = orr__alloc(n, sizeof *part);
    if (!part)
        return orr__no_memory(why);
    for (uint32_t i = 0; i < n; i++)
        part[i] = orr__subset_job(c, member[i].job, c->job[member[i].job].gpu);
    orr_err err = orr__subset_open(c, part, n, &how, out, why);
    orr__free(part);
    return err;
}

/* What was planned for each: its demand, paths and class. */
static orr_err apply_to_members(struct orr_joint_plans *p,
                                struct orr_member *member,
                                struct orr_report *why)
{
    orr_err err = ORR_OK;
    for (uint32_t i = 0; !err && i < p->n; i++) {
        const struct orr_plan_job *j = &p->plan->job[i];
        p->facts[i].profile = j->profile;
        p->facts[i].unknown = j->unknown;
        err = orr__job_paths_of(&j->paths, &p->facts[i].paths, why);
    }
    for (uint32_t i = 0; !err && i < p->n; i++) {
        member[i].facts = &p->facts[i];
        member[i].class = p->plan->job[i].class;
    }
    return err;
}

orr_err orr__joint_plan_new(struct orr_engine *e, struct orr_member *member,
                            uint32_t n, struct orr_joint_plans **out,
                            struct orr_report *why)
{
    struct orr_joint_plans *p = *out = orr__alloc(1, sizeof *p);
    if (!p)
        return orr__no_memory(why);
    p->facts = orr__alloc(n, sizeof *p->facts);
    p->n = n;
    orr_err err =
        p->facts ? open_all(e, member, n, &p->x, why) : orr__no_memory(why);
    if (!err)
        p->plan = orr__planner_plan_all(orr__experiment_world(p->x));
    if (!err && p->plan && !p->plan->request.turns)
        return apply_to_members(p, member, why);
    orr__joint_plan_free(p);
    *out = NULL;
    return err;
}

/* A schedule without a scheme leaves jobs their own ways. */
static orr_err tell_terms(struct orr_joint_plans *p, struct orr_member *member,
                          struct orr_report *why)
{
    const struct orr_world *w = orr__experiment_world(p->x);
    orr_err err = p->plan ? apply_to_members(p, member, why) : ORR_OK;
    for (uint32_t i = 0; !err && i < p->n; i++) {
        struct orr_facts *f = &p->facts[i];
        if (!p->plan)
            f->profile = member[i].facts->profile;
        f->terms = orr__terms_of(w, &w->jobs[i]);
        member[i].facts = f;
        member[i].class = f->terms.class;
    }
    return err;
}

orr_err orr__joint_plan_terms(struct orr_engine *e, struct orr_member *member,
                              uint32_t n, struct orr_joint_plans **out,
                              struct orr_report *why)
{
    struct orr_joint_plans *p = *out = orr__alloc(1, sizeof *p);
    if (!p)
        return orr__no_memory(why);
    p->facts = orr__alloc(n, sizeof *p->facts);
    p->n = n;
    orr_err err =
        p->facts ? open_all(e, member, n, &p->x, why) : orr__no_memory(why);
    if (!err)
        p->plan = orr__planner_plan_all(orr__experiment_world(p->x));
    return err ? err : tell_terms(p, member, why);
}

orr_err orr__joint_plan_classes(struct orr_engine *e, struct orr_member *member,
                                uint32_t n, struct orr_report *why)
{
    orr_experiment *x = NULL;
    orr_err err = open_all(e, member, n, &x, why);
    const struct orr_world *w = err ? NULL : orr__experiment_world(x);
    for (uint32_t i = 0; !err && i < n; i++)
        member[i].class = orr__terms_of(w, &w->jobs[i]).class;
    orr_experiment_free(x);
    return err;
}

orr_err orr__joint_plan_apply(const void *task, struct orr_world *w,
                              struct orr_report *why)
{
    const struct orr_task *t = task;
    const struct orr_plan *s = t->planned->plan;
    orr_err err = ORR_OK;
    for (uint32_t i = 0; !err && i < t->jobs; i++)
        err = orr__planner_apply(w, &w->jobs[i], &s->job[t->place[i]],
                                 &s->request, NULL, why);
    return err;
}
