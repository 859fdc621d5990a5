/* `orrery explain` as a call. */
#include "study/explain/explain.h"

#include "study/calls/reply.h"

orr_err orr_study_explain(const struct orr_explain_call *call, orr_reply **out,
                          struct orr_report *why)
{
    struct orr_explain_call c;
    struct orr_explanation *e = NULL;
    orr_err err = orr__call_take("orr_study_explain", call, sizeof c, sizeof c,
                                 &c, out, why);
    if (err)
        return err;
    if (c.which < ORR_WHICH_SLOWEST || c.which > ORR_WHICH_ONE)
        return orr__fail(why, ORR_ECALL, "orr_study_explain: which is %d",
                         c.which);
    if (c.job && c.has_flow)
        return orr__fail(why, ORR_ECALL,
                         "orr_study_explain: job and flow: one of them");
    const struct orr_explain_options o = {
        .run = c.options ? *c.options : (struct orr_options){0},
        .job = c.job,
        .which = c.which,
        .iteration = c.iteration,
        .has_flow = c.has_flow,
        .flow = c.flow,
        .alone = c.alone,
    };
    _Static_assert((int)ORR_EXPLAIN_SLOWEST == ORR_WHICH_SLOWEST
                       && (int)ORR_EXPLAIN_ALL == ORR_WHICH_ALL
                       && (int)ORR_EXPLAIN_ONE == ORR_WHICH_ONE,
                   "one numbering");
    orr_reply *r = orr__reply_new();
    if (!r)
        return orr__no_memory(why);
    err = orr__explain(c.config, &o, &e, why);
    if (err == ORR_OK) {
        r->json = orr__explanation_json(e);
        r->text = orr__explanation_text(e);
    }
    orr__explanation_free(e);
    return orr__reply_give(r, err, out, why);
}
