/* All memory of the library comes through here, so that tests can make the
 * n-th allocation fail and `check` can compare a plan with what there is. */
#ifndef ORR_CORE_MEMORY_H
#define ORR_CORE_MEMORY_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/error.h"

/* Zeroed array; NULL when out of memory or when n * size overflows. n or size
 * 0 gives a unique non-NULL pointer. Release with orr__free. */
void *orr__alloc(size_t n, size_t size);
/* Resizes to n * size bytes; new bytes are NOT zeroed. NULL: p is untouched. */
void *orr__resize(void *p, size_t n, size_t size);
char *orr__strdup(const char *s);
char *orr__format(const char *fmt, ...) ORR_PRINTF(1, 2);
char *orr__format_list(const char *fmt, va_list ap) ORR_PRINTF(1, 0);
void orr__free(void *p);

/* Cache-line aligned and zeroed; release with orr__free. */
void *orr__alloc_lines(size_t n, size_t size);
/* The same, but not zeroed: for what is written before it is read. */
void *orr__alloc_lines_bare(size_t n, size_t size);

/* Address space that is taken and not used, to be given back when a library
 * must not run out of memory: what is allocated then finds room. */
struct orr_reserve {
    void *at;     /* NULL: nothing */
    size_t bytes; /* at `at` */
};
/* Takes the reserve, or makes it larger; false: there is not so much, and it is
 * as it was. */
ORR_CHECK_RESULT bool orr__reserve_take(struct orr_reserve *r, size_t bytes);
void orr__reserve_release(struct orr_reserve *r);
/* Whether so many bytes could be had just now. Some libraries crash when an
 * allocation of theirs fails; they are not called unless there is more than
 * they take. */
ORR_CHECK_RESULT bool orr__memory_spare(size_t bytes);

/* Bytes that this process may still take: the smaller of free physical memory
 * and of the cgroup's limit. */
uint64_t orr__memory_available(void);
/* Whether so many bytes may be taken. Few are there without a question: to
 * read what the kernel says of all cgroups takes longer than to build a small
 * network. */
bool orr__memory_fits(uint64_t bytes);
/* Peak resident set of this process, in bytes, and what is resident now. */
uint64_t orr__memory_peak(void);
uint64_t orr__memory_resident(void);

/* Tests only: the n-th allocation from now on (1 = the next) fails, and all
 * after it when `for_good`; 0 switches it off. */
void orr__memory_fail_after(uint64_t n, int for_good);

/* An arena: many small things that die together. */
struct orr_arena {
    struct orr_arena_block *blocks; /* the one that is being filled, first */
};
/* Zeroed, aligned for anything, gone with the arena. NULL: out of memory. */
void *orr__arena_alloc(struct orr_arena *a, size_t n, size_t size);
char *orr__arena_strdup(struct orr_arena *a, const char *s);
void orr__arena_fini(struct orr_arena *a);

#endif
