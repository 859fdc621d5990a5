/* Profiles that `orrery profile` has left as HDF5 (study/profile/profile.h). */
#ifndef ORR_EXPERIMENT_PROFILE_RECORD_H
#define ORR_EXPERIMENT_PROFILE_RECORD_H

#include "core/error.h"

/* What orr__measured_write has left, or somebody has made of it; an
 * orr_profile_text_fn: files whose names do not end in .h5 are YAML. */
ORR_CHECK_RESULT orr_err orr__profile_of_record(const char *path, char **text,
                                                struct orr_report *why);

#endif
