/* Keys that change nothing without being told of. */
#ifndef ORR_TESTS_ATTACK_KEYS_H
#define ORR_TESTS_ATTACK_KEYS_H

#include "tests/attack/trial.h"

void orr__keys(const char *text, const struct limits *l, struct tally *t,
               struct finding *f);

#endif
