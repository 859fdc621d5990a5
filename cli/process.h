/* Runs as processes of their own, for `orrery compare`. */
#ifndef ORR_CLI_PROCESS_H
#define ORR_CLI_PROCESS_H

#include "study/compare/compare.h"

/* The file of this program, to start it again; false: it cannot be told. */
bool orr__process_self(char *path, size_t size);
/* From here on ends of children are waited for, not signalled. */
void orr__process_init(void);

/* Slots of orr_compare_runner; arg is not used. */
int orr__process_start(void *arg, const char *const *argv,
                       const struct orr_compare_files *files);
bool orr__process_wait(void *arg, double seconds, struct orr_compare_ended *e);
void orr__process_stop(void *arg, int id);

#endif
