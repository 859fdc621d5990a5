/* What is worth a second look before a run and after it: no error, but seldom
 * what its user meant. */
#ifndef ORR_STUDY_NOTES_H
#define ORR_STUDY_NOTES_H

#include "workload/world.h"

/* One of each of seven kinds, of two of jobs as many as this, and of the places
 * of a configuration as many as that, with one about the rest. */
#define ORR_NOTED_JOBS 8
#define ORR_NOTED_PLACES 16
#define ORR_MOST_NOTES (6 + 3 * ORR_NOTED_JOBS + ORR_NOTED_PLACES + 1)

struct orr_notes {
    uint32_t n; /* of these */
    char text[ORR_MOST_NOTES][600]; /* sentences without a full stop */
};

/* ORR_ENOMEM at worst. */
ORR_CHECK_RESULT orr_err orr__notes(const struct orr_world *w,
                                    struct orr_notes *out);

/* Those alone that are about a place of the configuration: keys that have no
 * effect, and what else was remarked when it was read. */
ORR_CHECK_RESULT orr_err orr__notes_of_places(const struct orr_world *w,
                                              struct orr_notes *out);

#endif
