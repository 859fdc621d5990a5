/* Cases are tried in a process of their own, so that one that crashes or hangs
 * is a finding and not the end. */
#ifndef ORR_TESTS_ATTACK_GUARD_H
#define ORR_TESTS_ATTACK_GUARD_H

#include "tests/attack/trial.h"

/* What is tried: bytes, and which way they go in. */
struct attack_case {
    char *bytes; /* a zero behind the last; free with free */
    size_t size;
    char door[64]; /* "yaml", "topology-hpcc", ...: see doors.h */
};

/* Where workers leave what they found, shared with their parent. */
struct post {
    char draft[1 << 18];    /* see orr__guard_draft */
    volatile uint64_t at;   /* the case under way */
    volatile uint64_t done; /* cases behind it */
    struct tally tally;
    struct finding finding; /* of case `at` */
};

/* A folder of this attack's own, on a disk in memory where there is one. */
const char *orr__guard_folder(void);
void orr__guard_fini(void);

/* CPU time after which a run is told to end, 2 s unless it is said: positive;
 * ten times as long where a sanitizer looks on. When a run hangs does not
 * depend on it. */
void orr__guard_patience(double seconds);

/* In a worker: a case begins, with a whole CPU allowance. few: a smaller one,
 * and of the comparisons one by lot. */
void orr__guard_begin(struct limits *l, bool few);

/* In a worker: a configuration is about to be read while a case is made of it,
 * which may be the end of the worker; NULL: it was read. None where it is too
 * long for the post. */
void orr__guard_draft(const char *text);

/* Runs fn(arg, post) in a child; how it ended, if it did not end well, becomes
 * a finding in post->finding. */
void orr__guard_run(void (*fn)(void *arg, struct post *p), void *arg,
                    struct post *p);
/* The same in two steps: pid of the child. */
int orr__guard_start(void (*fn)(void *arg, struct post *p), void *arg,
                     struct post *p, unsigned number);
void orr__guard_ended(int status, struct post *p, unsigned number);

struct post *orr__post_new(void); /* NULL: no memory */
void orr__post_free(struct post *p);

/* Tries a case in a child of its own. */
void orr__guard_case(const struct attack_case *c, struct tally *t,
                     struct finding *f);

/* Makes *c smaller while it still fails alike. */
void orr__shrink(struct attack_case *c, const struct finding *f);

#endif
