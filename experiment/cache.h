/* Where what was worked out once is remembered for other runs. What is read
 * there is believed only if it is from the same build of the engine, and as it
 * was written: by name and check sum. */
#ifndef ORR_EXPERIMENT_CACHE_H
#define ORR_EXPERIMENT_CACHE_H

#include <stddef.h>
#include <stdint.h>

#include "core/error.h"

/* ORRERY_CACHE, or orrery/ in the user's own folder for such things; it is made
 * if it is not there. To be freed with orr__free; NULL: there is none, or
 * ORRERY_CACHE is empty, which says that none is to be used. Fails if memory
 * runs out. */
ORR_CHECK_RESULT orr_err orr__cache_folder(char **out, struct orr_report *why);
/* Of the sources, the compiler and its flags: part of what names a file. */
uint64_t orr__cache_build(void);
/* Of a text that is kept. */
uint64_t orr__cache_sum(const char *text, size_t n);

#endif
