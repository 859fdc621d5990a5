/* Reading the dimensions of a study. */
#ifndef ORR_STUDY_COMPARE_DIMENSIONS_H
#define ORR_STUDY_COMPARE_DIMENSIONS_H

#include "study/compare/matrix.h"

/* over: of the section, or NULL; what the options say takes the place of a
 * dimension of that name, or comes behind. */
ORR_CHECK_RESULT orr_err orr__dimensions_read(
    struct orr_matrix *m, const struct orr_yaml *over,
    const struct orr_compare_options *o, struct orr_report *why);

/* Opens the file that a value names, of the folder unless its name says where;
 * it becomes the last of m->file. */
ORR_CHECK_RESULT orr_err orr__dimensions_file(struct orr_matrix *m,
                                              const char *folder,
                                              const struct orr_yaml *value,
                                              const struct orr_yaml **root,
                                              struct orr_report *why);

#endif
