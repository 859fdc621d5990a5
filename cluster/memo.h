/* Constellations that were seen before, and what iterations took in them. Kept
 * in memory, and in a file, so that a run that was killed goes on from where it
 * was: it asks the same questions again, and has the answers. Each line of the
 * file has a check sum; what does not fit it was damaged, and is not there. */
#ifndef ORR_CLUSTER_MEMO_H
#define ORR_CLUSTER_MEMO_H

#include "cluster/measure.h"

struct orr_memo;

/* file: NULL: in memory alone. A file that is not one of ours, or cut off in
 * the middle, counts as far as it can be read. ENOMEM. */
ORR_CHECK_RESULT orr_err orr__memo_open(const char *file, struct orr_memo **out,
                                        struct orr_report *why);
/* n outcomes of the constellation of this name, in the order in which they were
 * given; false: it was not seen before. */
bool orr__memo_find(const struct orr_memo *m, uint64_t key, uint32_t n,
                    struct orr_outcome *out);
/* One that is there was in the file. */
bool orr__memo_kept(const struct orr_memo *m, uint64_t key);
/* Lines of the file that were left out: damaged, or cut off. */
uint32_t orr__memo_damaged(const struct orr_memo *m);
bool orr__memo_has(const struct orr_memo *m, uint64_t key, uint32_t n);
/* A file that cannot be written is no failure. ENOMEM. */
ORR_CHECK_RESULT orr_err orr__memo_add(struct orr_memo *m, uint64_t key,
                                       uint32_t n,
                                       const struct orr_outcome *out,
                                       struct orr_report *why);
void orr__memo_close(struct orr_memo *m); /* NULL is fine */

#endif
