/* The ways into the library that are attacked. A door has a name, files that
 * are valid there, and a way to try others. */
#ifndef ORR_TESTS_ATTACK_DOORS_H
#define ORR_TESTS_ATTACK_DOORS_H

#include "tests/attack/guard.h"

/* Tries a case, in this process. */
void orr__door_try(const struct attack_case *c, const struct limits *l,
                   const char *folder, struct tally *t, struct finding *f);

/* A part of the attack: what case n of a seed is. */
struct part {
    const char *name, *doc;
    /* Fills *c; false: there is no such case. */
    bool (*make)(uint64_t seed, uint64_t n, struct attack_case *c);
    unsigned share; /* of the attack's cases, in parts of all shares */
};
extern const struct part orr__parts[]; /* name NULL ends */

/* mutate.c: bytes with some of them changed; free with free. */
struct orr_random;
char *orr__mutate(struct orr_random *r, const char *bytes, size_t size,
                  size_t *new_size);
/* Whole file, a zero behind it; NULL: not there. */
char *orr__slurp(const char *path, size_t *size);

#endif
