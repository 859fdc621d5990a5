/* What is worth a second look before a run and after it: no error, but seldom
 * what its user meant. */
#ifndef ORR_EXPERIMENT_NOTES_H
#define ORR_EXPERIMENT_NOTES_H

#include "experiment/note_list.h"
#include "workload/world.h"

/* *out: to be freed with orr__notes_free; empty if this fails, with ORR_ENOMEM
 * at worst. */
ORR_CHECK_RESULT orr_err orr__gather_notes(const struct orr_world *w,
                                           struct orr_notes *out);

/* Those alone that are about a place of the configuration: keys that have no
 * effect, and what else was remarked when it was read. */
ORR_CHECK_RESULT orr_err orr__notes_of_places(const struct orr_world *w,
                                              struct orr_notes *out);

#endif
