/* Keys that change nothing without a note. */
#ifndef ORR_TESTS_ATTACK_KEYS_H
#define ORR_TESTS_ATTACK_KEYS_H

#include "tests/attack/trial.h"

void orr__keys(const char *text, const struct limits *l, struct tally *t,
               struct finding *f);

/* members.c: each key of a control, a choice of path or a queue acts in some
 * network, and where a note says that it does not it does not. few: the former
 * alone. Prints what is wrong; how much. */
unsigned orr__members(bool few);

#endif
