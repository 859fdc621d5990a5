/* A summary holds a hundred times what a study measures, and a study of a
 * thousand short runs would spend its time on reading that. */
#ifndef ORR_STUDY_COMPARE_SUMMARY_FILTER_H
#define ORR_STUDY_COMPARE_SUMMARY_FILTER_H

#include <stddef.h>
#include <stdint.h>

#include "core/error.h"

/* What paths of measures (measure.h) can lead to in a JSON text, as JSON of its
 * own; NULL if the text ends too early or is no JSON. What is left out is not
 * looked at more closely than that. Free with orr__free; ENOMEM alone fails.
 *
 * A member of an object is kept if some path has its key at that depth, and all
 * of what a list has is, for each of which the list's step may stand. */
ORR_CHECK_RESULT orr_err orr__summary_filter(const char *text, size_t length,
                                             const char *const *path,
                                             uint32_t paths, char **out);

#endif
