/* Reading the dimensions of a study. */
#ifndef ORR_STUDY_COMPARE_OVER_H
#define ORR_STUDY_COMPARE_OVER_H

#include "study/compare/matrix.h"

/* over: of the section, or NULL; what the options say takes the place of a
 * dimension of that name, or comes behind. */
ORR_CHECK_RESULT orr_err orr__over_read(struct orr_matrix *m,
                                        const struct orr_yaml *over,
                                        const struct orr_compare_options *o,
                                        struct orr_report *why);

#endif
