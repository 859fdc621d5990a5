/* What must hold, whatever a user gave: a broken one is a bug of orrery.
 *
 * assert(), of <assert.h>, stays in every build: for what is cheap beside the
 * code around it and would else make results wrong without a word. ORR_ASSERT
 * is for what is looked at for each packet or message; it is compiled into
 * builds with -DORR_DEBUG (debug, sanitizers, fuzzers) and tells clang-tidy
 * what it cannot see. */
#ifndef ORR_ASSERT_H
#define ORR_ASSERT_H

#ifdef ORR_DEBUG
#include <assert.h>
#define ORR_ASSERT(x) assert(x)
#else
#define ORR_ASSERT(x) ((void)sizeof(!(x))) /* compiled, never computed */
#endif

#endif
