#include "study/plan/question/question.h"

#include "core/assert.h"
#include "core/config/family.h"
#include "core/memory.h"
#include "study/plan/question/list.h"

ORR_FAMILY(orr__questions, ORR_QUESTION_LIST, struct orr_question_ops,
           orr__question_)
ORR_FAMILY_FIND(find_question, orr__questions, struct orr_question_ops)

bool orr__question_asked(const struct orr_config *c)
{
    const struct orr_yaml *at = orr__yaml_get(orr__config_root(c), "plan");
    return at && !orr__yaml_is_null(at);
}

orr_err orr__question_answer(struct orr_config *c, const struct orr_options *o,
                             bool configured, struct orr_answer *a,
                             struct orr_report *why)
{
    union {
        max_align_t align;
        char room[ORR_QUESTION_KEYS];
    } keys = {.room = {0}};
    const struct orr_question_ops *ops = NULL;
    struct orr_module m = {
        .c = c,
        .node = orr__yaml_get(orr__config_root(c), "plan"),
        .what = "plan",
        .why = why,
    };
    struct orr_question q = {.c = c,
                             .at = m.node,
                             .options = o,
                             .keys = &keys,
                             .configured = configured};
    *a = (struct orr_answer){.text = NULL};
    orr__module_name(&m, NULL);
    orr_err err = find_question(&m, &ops);
    if (err || !ops)
        return err;
    ORR_ASSERT(ops->keys_size <= sizeof keys);
    if (ops->prepare)
        ops->prepare(&keys);
    const struct orr_param_set set = {ops->params, &keys};
    err = orr__module_read(&m, &set, 1);
    return err ? err : ops->answer(&q, a, why);
}

void orr__answer_fini(struct orr_answer *a)
{
    orr__free(a->text);
    orr__free(a->json);
    orr__free(a->config);
}
