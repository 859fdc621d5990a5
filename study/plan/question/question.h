/* The family of questions for `orrery plan`: `plan` of a configuration names
 * one. A run ignores it. Without it, `orrery plan` plans for schedules
 * (study/plan/plan.h). One member a file, one line in list.h. */
#ifndef ORR_STUDY_PLAN_QUESTION_QUESTION_H
#define ORR_STUDY_PLAN_QUESTION_QUESTION_H

#include <stdbool.h>

#include "core/config/config.h"
#include "core/config/param.h"
#include "core/error.h"
#include "orrery/orrery.h"

/* A question while it is answered. */
struct orr_question {
    struct orr_config *c;      /* the document, with what options set */
    const struct orr_yaml *at; /* the map `plan` */
    const struct orr_options *options;
    const void *keys; /* the member's, as read */
    bool configured;  /* the configuration is wanted, too */
};

struct orr_answer {             /* zeroed: none */
    char *text, *json, *config; /* owned; config: only if it was wanted */
};

/* A member of the family; all that it points to is static. */
struct orr_question_ops {
    const char *name, *doc;
    size_t keys_size;               /* of the struct that params fill, at most
                                     * ORR_QUESTION_KEYS */
    const struct orr_param *params; /* beside `kind` */
    /* What *keys holds before it is read; NULL: zeros. */
    void (*prepare)(void *keys);
    ORR_CHECK_RESULT orr_err (*answer)(const struct orr_question *q,
                                       struct orr_answer *a,
                                       struct orr_report *why);
};
#define ORR_QUESTION_KEYS 512

const struct orr_question_ops *const *orr__questions(void); /* NULL-ended */

/* Whether a document asks one. */
bool orr__question_asked(const struct orr_config *c);
/* Answers it. *a is to be given to orr__answer_fini, however this ends. */
ORR_CHECK_RESULT orr_err orr__question_answer(struct orr_config *c,
                                              const struct orr_options *o,
                                              bool configured,
                                              struct orr_answer *a,
                                              struct orr_report *why);
void orr__answer_fini(struct orr_answer *a);

#endif
