/* Relations between runs that hold exactly. */
#ifndef ORR_TESTS_ATTACK_RELATIONS_H
#define ORR_TESTS_ATTACK_RELATIONS_H

#include "tests/attack/trial.h"

/* The case: a configuration, its first line says which relation; free with
 * free. */
char *orr__draw_relation(uint64_t seed, uint64_t n);
void orr__relation(const char *text, const struct limits *l, struct tally *t,
                   struct finding *f);

#endif
