/* What the files that a configuration names hold, as a number. */
#ifndef ORR_EXPERIMENT_DIGEST_H
#define ORR_EXPERIMENT_DIGEST_H

#include <stdint.h>

#include "core/config/config.h"

/* Of all scalars under n that name a file, relative to folder, its contents. */
uint64_t orr__digest_files(struct orr_config *c, const struct orr_yaml *n,
                           const char *folder);

#endif
