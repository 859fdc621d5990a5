/* `orrery plan` as a call. */
#include "study/plan/plan.h"

#include "study/calls/reply.h"

/* What the plan, or the answer to a question, came to. */
static orr_err take_plan(orr_reply *r, struct orr_planned *p,
                         const struct orr_plan_call *call,
                         const struct orr_options *o, struct orr_report *why)
{
    r->json = orr__planned_json(p);
    r->text = orr__planned_text(p);
    if (!call->configured)
        return ORR_OK;
    r->config = orr__planned_config(p, o, why);
    if (r->config)
        return ORR_OK;
    return why && why->code ? why->code : orr__no_memory(why);
}

orr_err orr_study_plan(const struct orr_plan_call *call, orr_reply **out,
                       struct orr_report *why)
{
    struct orr_plan_call c;
    struct orr_planned p;
    struct orr_report own = {.code = ORR_OK};
    struct orr_report *reason = why ? why : &own;
    orr_err err = orr__call_take("orr_study_plan", call, sizeof c, sizeof c, &c,
                                 out, reason);
    if (err)
        return err;
    struct orr_options o = c.options ? *c.options : (struct orr_options){0};
    orr_reply *r = orr__reply_new();
    if (!r)
        return orr__no_memory(reason);
    o.no_output = true;
    err = orr__planned_make(c.config, &o, c.configured, &p, reason);
    if (err == ORR_OK)
        err = take_plan(r, &p, &c, &o, reason);
    orr__planned_fini(&p);
    return orr__reply_give(r, err, out, reason);
}
