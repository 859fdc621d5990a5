/* Random calls of the library to build programs on. */
#ifndef ORR_TESTS_ATTACK_CALLS_H
#define ORR_TESTS_ATTACK_CALLS_H

#include "tests/attack/guard.h"

/* Any bytes; free with free. */
char *orr__draw_calls(uint64_t seed, uint64_t n, size_t *size);
/* Door "calls": the calls that these bytes are. */
void orr__calls(const struct attack_case *c, struct tally *t,
                struct finding *f);

#endif
